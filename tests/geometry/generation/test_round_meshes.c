// Tetrahedra of round solids: their angles, and that they fill what their surface encloses.
// SPDX-License-Identifier: MIT
#include "geometry/generation/round_meshes.h"

#include "base/matrix3/math3.h"
#include "geometry/meshes/mass_properties.h"
#include "geometry/meshes/tet_mesh.h"
#include "support/testing.h"

static const double DEGREE = 3.14159265358979323846 / 180.0;

/// The unit normal of a face, outward.
static void face_normal(const pbs_mesh *mesh, const uint32_t *tet, int face, double normal[3]) {
    const double *x[3];
    double a[3], b[3];
    for (int i = 0; i < 3; i++) {
        x[i] = mesh->positions + 3 * (size_t)tet[tet_face_vertices[face][i]];
    }
    subtract3(x[1], x[0], a);
    subtract3(x[2], x[0], b);
    cross3(a, b, normal);
    scale3(1.0 / norm3(normal), normal, normal);
}

/// Extends the range by the dihedral angles of one tetrahedron, degrees.
static void measure_angles(const pbs_mesh *mesh, size_t t, double *least, double *greatest) {
    double normal[4][3];
    for (int f = 0; f < 4; f++) {
        face_normal(mesh, mesh->tets + 4 * t, f, normal[f]);
        for (int g = 0; g < f; g++) {
            const double angle = acos(-dot3(normal[f], normal[g])) / DEGREE;
            *least = fmin(*least, angle);
            *greatest = fmax(*greatest, angle);
        }
    }
}

static void assert_angles(const struct round_shape *shape, double least, double greatest) {
    struct memory memory;
    pbs_mesh mesh;
    double low = 180.0, high = 0.0;
    memory_init(&memory, NULL);
    assert_ok(round_solid(&memory, shape, &mesh));
    for (size_t t = 0; t < mesh.tet_count; t++) {
        measure_angles(&mesh, t, &low, &high);
    }
    assert_small(least - low, 0.0, "least angle below its bound");
    assert_small(high - greatest, 0.0, "greatest angle above its bound");
    generated_mesh_free(&memory, &mesh);
    assert_int_equal(memory.bytes_in_use, 0);
}

static void angles_are_far_from_flat(void **state) {
    (void)state;
    for (size_t rings = 1; rings <= 6; rings++) {
        const struct round_shape ball = {.radius = 2.0, .rings = rings, .has_caps = true};
        const struct round_shape cylinder = {
            .radius = 2.0, .height = 4.0, .rings = rings, .layers = 2 * rings};
        assert_angles(&ball, 25.0, 130.0);
        assert_angles(&cylinder, 35.0, 124.0);
    }
}

static void tetrahedra_fill_what_the_surface_encloses(void **state) {
    (void)state;
    const struct round_shape shapes[] = {
        {.radius = 0.5, .rings = 3, .has_caps = true},
        {.radius = 0.5, .height = 2.0, .rings = 2, .layers = 5, .has_caps = true},
        {.radius = 0.5, .height = 0.1, .rings = 4, .layers = 1}};
    for (size_t s = 0; s < COUNT_OF(shapes); s++) {
        struct memory memory;
        struct mass_properties inside;
        pbs_mesh mesh;
        double volume = 0.0;
        memory_init(&memory, NULL);
        assert_ok(round_solid(&memory, &shapes[s], &mesh));
        const struct tet_mesh_view tets = {mesh.vertex_count, mesh.positions, mesh.tet_count,
                                           mesh.tets};
        const struct surface_view surface = {mesh.vertex_count, mesh.positions, mesh.triangle_count,
                                             mesh.triangles};
        assert_ok(tet_mesh_check(&tets, &memory));
        assert_ok(surface_check_closed(&surface, &memory));
        assert_ok(mass_properties_compute(&surface, &inside));
        for (size_t t = 0; t < mesh.tet_count; t++) {
            volume += tet_signed_volume(&tets, t);
        }
        assert_near(volume, inside.volume, 1e-13 * volume, "volume");
        generated_mesh_free(&memory, &mesh);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_are_far_from_flat),
        cmocka_unit_test(tetrahedra_fill_what_the_surface_encloses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
