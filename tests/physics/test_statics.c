// Static facts of solids through the public API: the patch test, a stretched bar, a cantilever
// beside beam theory. Statics is implicit Euler with steps so long that inertia vanishes: its term
// is m / h^2 beside stiffnesses of E * dx.
// SPDX-License-Identifier: MIT
#include "common/meshes/shapes.h"
#include "support/random.h"
#include "support/world_testing.h"

static bool on_boundary(const double *p, double size) {
    for (int i = 0; i < 3; i++) {
        if (p[i] == 0.0 || p[i] == size) {
            return true;
        }
    }
    return false;
}

/// A cube whose inner vertices are displaced, so that no element is special.
static void jittered_cube(size_t cells, struct tet_mesh *mesh) {
    assert_true(shape_cube_grid(cells, mesh));
    struct random random = random_seed(7);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double *p = mesh->positions + 3 * v;
        if (!on_boundary(p, 1.0)) {
            for (int i = 0; i < 3; i++) {
                p[i] += 0.15 / (double)cells * random_uniform(&random, -1.0, 1.0);
            }
        }
    }
}

static void add_solid(pbs_world *world, const struct tet_mesh *mesh, int32_t material, double young,
                      double poisson, pbs_body *body) {
    pbs_solid_desc desc;
    assert_ok(pbs_solid_desc_init(&desc, sizeof desc));
    desc.material = material;
    desc.vertex_count = mesh->vertex_count;
    desc.positions = mesh->positions;
    desc.tet_count = mesh->tet_count;
    desc.tets = mesh->tets;
    desc.young = young;
    desc.poisson = poisson;
    assert_ok(pbs_body_create_solid(world, &desc, body));
}

/// x -> G x + t with a deformation gradient of 10 % stretch, shear and rotation.
static void affine_map(const double *p, double *out) {
    static const double g[9] = {1.08, -0.12, 0.03, 0.10, 0.95, 0.05, -0.02, 0.04, 1.05};
    for (int i = 0; i < 3; i++) {
        out[i] = g[3 * i] * p[0] + g[3 * i + 1] * p[1] + g[3 * i + 2] * p[2] + 0.1 * i;
    }
}

/// Patch test: with the boundary moved affinely, the affine map of the whole is the equilibrium of
/// linear elements, for any material. The force tolerance of 1e-10 of the reference force E dx^2
/// leaves displacements of the same relative size, times the condition number (about 1e2 here).
static void run_patch_test(int32_t material) {
    struct tet_mesh mesh = {0};
    jittered_cube(4, &mesh);
    pbs_world_desc world_desc;
    assert_ok(pbs_world_desc_init(&world_desc, sizeof world_desc));
    world_desc.contact = PBS_CONTACT_PROJECTION;
    world_desc.relative_tolerance = 1e-11;
    world_desc.divisions = 6; // moved at once, elements at the boundary would invert, which
                              // Neo-Hookean forbids
    pbs_world *world = new_world_from(&world_desc);
    pbs_body body;
    add_solid(world, &mesh, material, 1e5, 0.3, &body);
    uint32_t *boundary = calloc(mesh.vertex_count, sizeof *boundary);
    double *targets = calloc(3 * mesh.vertex_count, sizeof *targets);
    assert_non_null(boundary);
    assert_non_null(targets);
    size_t count = 0;
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        if (on_boundary(mesh.positions + 3 * v, 1.0)) {
            affine_map(mesh.positions + 3 * v, targets + 3 * count);
            boundary[count++] = (uint32_t)v;
        }
    }
    assert_ok(pbs_body_set_targets(world, body, boundary, count, targets));
    assert_true(pbs_world_step(world, 1e6) >= 0);
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        affine_map(mesh.positions + 3 * v, targets + 3 * v);
    }
    assert_small(
        testing_max_difference(pbs_body_positions(world, body), targets, 3 * mesh.vertex_count),
        1e-9, "distance from the affine map");
    free(boundary);
    free(targets);
    pbs_world_destroy(world);
    tet_mesh_free(&mesh);
}

static void patch_test_is_exact_for_every_material(void **state) {
    (void)state;
    for (int32_t material = PBS_MATERIAL_FIXED_COROTATED;
         material <= PBS_MATERIAL_ST_VENANT_KIRCHHOFF; material++) {
        run_patch_test(material);
    }
}

/// Mean downward deflection of the end of a beam of length 8, height 1, width 1 under its own
/// (small) weight.
static double beam_deflection(size_t cells, double young, double gravity) {
    struct tet_mesh mesh = {0};
    assert_true(shape_box_grid(8 * cells, cells, cells, 8.0, 1.0, 1.0, &mesh));
    pbs_world_desc world_desc;
    assert_ok(pbs_world_desc_init(&world_desc, sizeof world_desc));
    world_desc.contact = PBS_CONTACT_PROJECTION;
    world_desc.gravity[1] = -gravity;
    world_desc.relative_tolerance = 1e-9;
    pbs_world *world = new_world_from(&world_desc);
    pbs_body body;
    add_solid(world, &mesh, PBS_MATERIAL_STABLE_NEO_HOOKEAN, young, 0.0, &body);
    uint32_t *clamped = calloc(mesh.vertex_count, sizeof *clamped);
    assert_non_null(clamped);
    size_t count = 0;
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        if (mesh.positions[3 * v] == 0.0) {
            clamped[count++] = (uint32_t)v;
        }
    }
    assert_ok(pbs_body_pin(world, body, clamped, count, PBS_AXIS_ALL));
    free(clamped);
    assert_ok(pbs_world_step(world, 1e6));
    const double *positions = pbs_body_positions(world, body);
    double sum = 0.0;
    size_t tip_count = 0;
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        if (mesh.positions[3 * v] == 8.0) {
            sum += mesh.positions[3 * v + 1] - positions[3 * v + 1];
            tip_count++;
        }
    }
    pbs_world_destroy(world);
    tet_mesh_free(&mesh);
    return sum / (double)tip_count;
}

/// Timoshenko: q L^4 / (8 E I) + q L^2 / (2 kappa G A), q = rho g A, A = 1, I = 1/12, kappa = 5/6,
/// G = E / 2 (Poisson ratio 0). The load bends the tip by 1e-4 of the length, so linear theory
/// holds to 1e-4. Linear tetrahedra are too stiff by C dx^2: each refinement must come closer, and
/// the extrapolated limit is the theory's.
static void cantilever_meets_beam_theory(void **state) {
    (void)state;
    if (testing_is_small()) {
        print_message("skipped: 130,000 tetrahedra are too slow under a sanitizer\n");
        skip();
    }
    const double length = 8.0, young = 1e7, gravity = 0.00195;
    const double load = 1000.0 * gravity;
    const double theory = load * pow(length, 4.0) * 12.0 / (8.0 * young) +
                          load * length * length / (2.0 * 5.0 / 6.0 * 0.5 * young);
    const double coarse = beam_deflection(4, young, gravity);
    const double middle = beam_deflection(7, young, gravity);
    const double fine = beam_deflection(14, young, gravity);
    assert_true(coarse < middle && middle < fine);
    assert_true(fabs(fine - theory) < fabs(middle - theory));
    const double limit = fine + (fine - middle) / 3.0; // second order: the error falls to a quarter
    assert_near(limit / theory, 1.0, 0.02, "extrapolated deflection over beam theory");
    assert_near(fine / theory, 1.0, 0.02, "deflection with 14 cells over beam theory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patch_test_is_exact_for_every_material),
        cmocka_unit_test(cantilever_meets_beam_theory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
