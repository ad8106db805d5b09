// Plastic solids. Yield, hardening, creep and limits are compared with their formulas in prescribed
// motions, and a bar with free sides is stretched. Also undoing, saving, dissipated energy and
// refusals.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

#include "base/matrix3/math3.h"
#include "world/refusal.h"

static const double YOUNG = 1e7, POISSON = 0.3;
static const double SHEAR = 1e7 / 2.6;
enum { CELLS = 2, VERTICES = 27, TETS = 48 };

static const double corner[3] = {0.0, 0.0, 0.0};

static const int32_t materials[] = {PBS_MATERIAL_FIXED_COROTATED, PBS_MATERIAL_NEO_HOOKEAN,
                                    PBS_MATERIAL_STABLE_NEO_HOOKEAN,
                                    PBS_MATERIAL_ST_VENANT_KIRCHHOFF};

static pbs_world *world_of(int32_t scheme, int32_t threads) {
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    memset(settings.gravity, 0, sizeof settings.gravity);
    settings.threads = threads;
    pbs_world *world = new_world_from(&settings);
    use_scheme(world, scheme);
    return world;
}

static pbs_solid_desc describe(int32_t material, double yield_stress, double hardening) {
    pbs_solid_desc d;
    assert_ok(pbs_solid_desc_init(&d, sizeof d));
    d.material = material;
    d.young = YOUNG;
    d.poisson = POISSON;
    d.yield_stress = yield_stress;
    d.hardening = hardening;
    return d;
}

/// A cube of 1 m.
static pbs_body add(pbs_world *world, const pbs_solid_desc *like) {
    return add_cube(world, CELLS, 1.0, corner, like);
}

/// The rest positions of the cube that `add` makes.
static void rest_positions(double rest[3 * VERTICES]) {
    struct cube_mesh mesh;
    assert_true(cube_mesh_make(&mesh, CELLS, 1.0, corner));
    assert_int_equal(mesh.vertex_count, VERTICES);
    memcpy(rest, mesh.positions, 3 * VERTICES * sizeof *rest);
    cube_mesh_free(&mesh);
}

static void script_deformation(pbs_world *world, pbs_body body, const double f[9]) {
    double rest[3 * VERTICES], targets[3 * VERTICES];
    uint32_t vertices[VERTICES];
    rest_positions(rest);
    for (uint32_t v = 0; v < VERTICES; v++) {
        vertices[v] = v;
        multiply3(f, rest + 3 * v, targets + 3 * v);
    }
    assert_ok(pbs_body_set_targets(world, body, vertices, VERTICES, targets));
}

/// Moves all vertices so that the deformation gradient is f, in one step.
static void deform(pbs_world *world, pbs_body body, const double f[9]) {
    script_deformation(world, body, f);
    assert_ok(pbs_world_step(world, 0.01));
}

/// The isochoric stretch of a logarithmic strain along x.
static void stretch(double strain, double f[9]) {
    memset(f, 0, 9 * sizeof *f);
    f[0] = exp(strain);
    f[4] = exp(-0.5 * strain);
    f[8] = f[4];
}

static void stretch_to(pbs_world *world, pbs_body body, double strain) {
    double f[9];
    stretch(strain, f);
    deform(world, body, f);
}

/// The plastic strain of all tetrahedra, which must be the same but for the tolerances of solves.
static double plastic_strain(const pbs_world *world, pbs_body body) {
    double strains[TETS];
    assert_ok(pbs_body_element_plastic_strain(world, body, strains, TETS));
    for (size_t t = 1; t < TETS; t++) {
        assert_near(strains[t], strains[0], 1e-9, "alike");
    }
    return strains[0];
}

/// (sigma_11 - sigma_22) of the first tetrahedron.
static double tension(const pbs_world *world, pbs_body body) {
    double stress[9 * TETS];
    assert_ok(pbs_body_element_stress(world, body, stress, TETS));
    return stress[0] - stress[4];
}

// --- motions that are prescribed ---

/// Stretched by the isochoric strain e, the logarithmic deviator is e diag(1, -1/2, -1/2), whose
/// von Mises stress is 3 G e. Return leaves 3 G (e - gamma) = yield + H gamma, whatever the number
/// of steps as the path is radial, of any material and at large strain. Strains are exact to
/// rounding: 1e-16 of logarithms over a yield strain of 0.01, and the tolerance of 1e-9 at the
/// yield surface.
static void a_prescribed_stretch_flows_to_the_analytic_strain(void **state) {
    (void)state;
    const double yield = 3.0 * SHEAR * 0.01, hardening = 0.2 * YOUNG;
    for (size_t m = 0; m < COUNT_OF(materials); m++) {
        for (int steps = 1; steps <= 7; steps += 3) {
            pbs_world *world = world_of(PBS_SCHEME_IMPLICIT_EULER, 1);
            const pbs_solid_desc d = describe(materials[m], yield, hardening);
            const pbs_body body = add(world, &d);
            stretch_to(world, body, 0.0099);
            assert_true(plastic_strain(world, body) == 0.0);
            for (int k = 1; k <= steps; k++) {
                stretch_to(world, body, 0.5 * k / steps);
            }
            const double flowed = (3.0 * SHEAR * 0.5 - yield) / (3.0 * SHEAR + hardening);
            assert_near(plastic_strain(world, body), flowed, 1e-9, "plastic strain");
            // It unloads elastically: at the strain of what has flowed there is no stress.
            stretch_to(world, body, flowed);
            assert_near(plastic_strain(world, body), flowed, 1e-9, "unloading");
            assert_small(tension(world, body), 1e-8 * yield, "stress left");
            // It yields in compression at the yield stress that hardening has left.
            const double now = yield + hardening * flowed, width = now / (3.0 * SHEAR);
            stretch_to(world, body, flowed - 0.999 * width);
            assert_near(plastic_strain(world, body), flowed, 1e-9, "reversed");
            stretch_to(world, body, flowed - 1.5 * width);
            assert_near(plastic_strain(world, body) - flowed, 0.5 * now / (3.0 * SHEAR + hardening),
                        1e-9, "yields reversed");
            pbs_world_destroy(world);
        }
    }
}

/// A simple shear of k. To first order in k the shear stress is G k up to yield / sqrt 3, and has
/// the slope G H / (3 G + H) from there; the plastic strain is (sqrt 3 G k - yield) / (3 G + H).
/// Strains are at most 0.01 and axes turn by half of k, so what is of second order is 0.01 of the
/// stress and 1e-4 of the strain.
static void simple_shear_hardens_with_its_slope(void **state) {
    (void)state;
    const double hardening = 0.5 * YOUNG, first = 1e-3, last = 0.01;
    const double yield = sqrt(3.0) * SHEAR * first;
    pbs_world *world = world_of(PBS_SCHEME_IMPLICIT_EULER, 1);
    const pbs_solid_desc d = describe(PBS_MATERIAL_NEO_HOOKEAN, yield, hardening);
    const pbs_body body = add(world, &d);
    double stress[9 * TETS];
    for (int n = 1; n <= 100; n++) {
        const double k = last * n / 100;
        const double f[9] = {1.0, k, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
        deform(world, body, f);
        const double over = k > first ? k - first : 0.0;
        const double expected = SHEAR * (k - over) +
                                over * SHEAR * hardening / (3.0 * SHEAR + hardening);
        assert_ok(pbs_body_element_stress(world, body, stress, TETS));
        assert_near(stress[1] / expected, 1.0, last, "shear stress");
        assert_near(plastic_strain(world, body),
                    sqrt(3.0) * SHEAR * over / (3.0 * SHEAR + hardening), last * last,
                    "plastic strain");
    }
    pbs_world_destroy(world);
}

/// Held above the yield stress, what is over it falls by the factor (viscosity / h) / (3 G + H +
/// viscosity / h) in each step of h, of which the first is the one that stretches it.
static void viscosity_lets_the_stress_relax(void **state) {
    (void)state;
    const double yield = 3.0 * SHEAR * 0.01, hardening = 0.1 * YOUNG;
    pbs_world *world = world_of(PBS_SCHEME_IMPLICIT_EULER, 1);
    pbs_solid_desc d = describe(PBS_MATERIAL_STABLE_NEO_HOOKEAN, yield, hardening);
    d.plastic_viscosity = 0.05 * YOUNG;
    const pbs_body body = add(world, &d);
    const double share = (d.plastic_viscosity / 0.01) /
                         (3.0 * SHEAR + hardening + d.plastic_viscosity / 0.01);
    const double all = (3.0 * SHEAR * 0.1 - yield) / (3.0 * SHEAR + hardening);
    double left = 1.0;
    for (int n = 0; n < 20; n++) {
        stretch_to(world, body, 0.1);
        left *= share;
        assert_near(plastic_strain(world, body), all * (1.0 - left), 1e-9, "crept");
    }
    pbs_world_destroy(world);
}

static void a_limit_ends_the_flow(void **state) {
    (void)state;
    pbs_world *world = world_of(PBS_SCHEME_IMPLICIT_EULER, 1);
    pbs_solid_desc d = describe(PBS_MATERIAL_STABLE_NEO_HOOKEAN, 3.0 * SHEAR * 0.01, 0.0);
    d.plastic_limit = 0.05;
    const pbs_body body = add(world, &d);
    stretch_to(world, body, 0.04);
    assert_near(plastic_strain(world, body), 0.03, 1e-9, "below the limit");
    stretch_to(world, body, 0.1);
    assert_true(plastic_strain(world, body) == 0.05);
    stretch_to(world, body, 0.2);
    assert_true(plastic_strain(world, body) == 0.05);
    pbs_world_destroy(world);
}

/// Pressure alone makes nothing flow.
static void volume_changes_are_elastic(void **state) {
    (void)state;
    const double f[9] = {0.7, 0.0, 0.0, 0.0, 0.7, 0.0, 0.0, 0.0, 0.7};
    pbs_world *world = world_of(PBS_SCHEME_IMPLICIT_EULER, 1);
    const pbs_solid_desc d = describe(PBS_MATERIAL_NEO_HOOKEAN, 1.0, 0.0);
    const pbs_body body = add(world, &d);
    deform(world, body, f);
    assert_true(plastic_strain(world, body) == 0.0);
    pbs_world_destroy(world);
}

/// The same stretch, and then a shear, in axes that are turned: F' = Q F. The rest shape is the
/// same, so strains and stress turned back are the same but for rounding.
static void turned_motion_flows_alike(void **state) {
    (void)state;
    const double yield = 3.0 * SHEAR * 0.01;
    const double q[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6};
    double stress[2][9 * TETS], strain[2];
    for (int turned = 0; turned < 2; turned++) {
        pbs_world *world = world_of(PBS_SCHEME_IMPLICIT_EULER, 1);
        const pbs_solid_desc d = describe(PBS_MATERIAL_FIXED_COROTATED, yield, 0.1 * YOUNG);
        const pbs_body body = add(world, &d);
        for (int n = 1; n <= 10; n++) {
            double f[9], turned_f[9];
            stretch(0.02 * n, f);
            f[1] = 0.1 * n * n / 100.0;
            f[5] = -0.02 * n;
            multiply33(q, f, turned_f);
            deform(world, body, turned ? turned_f : f);
        }
        strain[turned] = plastic_strain(world, body);
        assert_ok(pbs_body_element_stress(world, body, stress[turned], TETS));
        pbs_world_destroy(world);
    }
    assert_true(strain[0] > 0.1);
    assert_near(strain[0], strain[1], 1e-12, "plastic strain");
    for (size_t t = 0; t < TETS; t++) {
        double half[9], back[9], transposed[9];
        for (size_t k = 0; k < 9; k++) {
            transposed[k] = q[k % 3 * 3 + k / 3];
        }
        multiply33(transposed, stress[1] + 9 * t, half);
        multiply33(half, q, back);
        for (size_t k = 0; k < 9; k++) {
            assert_near(back[k], stress[0][9 * t + k], 1e-9 * yield, "stress");
        }
    }
}

// --- energy ---

/// J: the error of elastic plus dissipated energy against the work of a stretch to 0.1 in n steps.
static double energy_error(int n) {
    const double yield = 3.0 * SHEAR * 1e-3;
    pbs_world *world = world_of(PBS_SCHEME_QUASI_STATIC, 1);
    const pbs_solid_desc d = describe(PBS_MATERIAL_FIXED_COROTATED, yield, 0.0);
    const pbs_body body = add(world, &d);
    stretch_to(world, body, 1e-3);
    for (int k = 1; k <= n; k++) {
        stretch_to(world, body, 1e-3 + 0.1 * k / n);
    }
    const pbs_energy energy = energy_of(world);
    // Per volume: 3/2 G e^2 up to yield, then the yield stress times strain.
    const double elastic = 0.5 * yield * 1e-3, flow = yield * 0.1;
    assert_near(energy.elastic / elastic, 1.0, 2e-3, "elastic energy");
    pbs_world_destroy(world);
    return energy.elastic + energy.dissipated - (elastic + flow);
}

/// A step dissipates 3 G (yield strain d + d^2 / 2) per volume for its plastic strain d, the second
/// of which is too much: in all yield * 0.1 * (d / 2 / yield strain), of first order. The rest is
/// the difference of fixed corotated and logarithmic energies, of relative order yield strain + d.
static void flow_dissipates_its_work(void **state) {
    (void)state;
    const double yield = 3.0 * SHEAR * 1e-3;
    for (int n = 100; n <= 400; n *= 2) {
        const double d = 0.1 / n, expected = yield * 0.1 * 0.5 * d / 1e-3;
        assert_near(energy_error(n), expected, 2e-3 * (yield * 0.1 + expected), "error");
    }
}

// --- tension with free sides ---

/// Scripts the end at x = 1 to a strain, its other axes free.
static void pull_to(pbs_world *world, pbs_body body, double strain) {
    double rest[3 * VERTICES], targets[3 * VERTICES];
    uint32_t vertices[VERTICES];
    size_t count = 0;
    rest_positions(rest);
    for (uint32_t v = 0; v < VERTICES; v++) {
        if (rest[3 * v] == 1.0) {
            targets[3 * count] = 1.0 + strain;
            targets[3 * count + 1] = targets[3 * count + 2] = 0.0;
            vertices[count++] = v;
        }
    }
    assert_ok(pbs_body_set_targets(world, body, vertices, count, targets));
}

/// Three planes stay, and the end at x = 1 is held along x.
static void hold_planes(pbs_world *world, pbs_body body) {
    double rest[3 * VERTICES];
    rest_positions(rest);
    for (uint32_t v = 0; v < VERTICES; v++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            const bool end = axis == 0 && rest[3 * v] == 1.0;
            if (rest[3 * v + axis] == 0.0 || end) {
                assert_ok(pbs_body_pin(world, body, &v, 1, 1u << axis));
            }
        }
    }
}

/// The stress of the equilibrium with the end at a strain: flow and static steps in turns.
static double settle(pbs_world *world, pbs_body body, double strain) {
    pull_to(world, body, strain);
    for (int n = 0; n < 40; n++) {
        assert_ok(pbs_world_step(world, 0.1));
    }
    double stress[9 * TETS];
    assert_ok(pbs_body_element_stress(world, body, stress, TETS));
    assert_small(stress[4], 1e-4 * fabs(stress[0]) + 1.0, "across");
    return stress[0];
}

/// In uniaxial tension a bar yields at the yield stress, has the slope E H / (E + H) from there,
/// and unloads along E to the strain that is left. Yield strains are 1e-3 and strains below 1e-2,
/// so that strain measures and areas differ by 1e-2 of them at most.
static void a_bar_in_tension_hardens_and_keeps_its_length(void **state) {
    (void)state;
    const double yield = 1e-3 * YOUNG, hardening = 0.25 * YOUNG;
    const double slope = YOUNG * hardening / (YOUNG + hardening);
    for (size_t m = 0; m < COUNT_OF(materials); m++) {
        pbs_world *world = world_of(PBS_SCHEME_QUASI_STATIC, 1);
        const pbs_solid_desc d = describe(materials[m], yield, hardening);
        const pbs_body body = add(world, &d);
        hold_planes(world, body);
        assert_near(settle(world, body, 0.9e-3) / (0.9e-3 * YOUNG), 1.0, 4e-3, "elastic");
        assert_true(plastic_strain(world, body) == 0.0);
        const double low = settle(world, body, 4e-3), high = settle(world, body, 6e-3);
        assert_near(low / (yield + 3e-3 * slope), 1.0, 1e-2, "above yield");
        assert_near((high - low) / (2e-3 * slope), 1.0, 2e-2, "slope");
        const double left = 6e-3 - (yield + 5e-3 * slope) / YOUNG;
        assert_near(plastic_strain(world, body) / left, 1.0, 1e-2, "plastic strain");
        // Let go, the end comes back by the elastic strain alone.
        double rest[3 * VERTICES];
        rest_positions(rest);
        for (uint32_t v = 0; v < VERTICES; v++) {
            if (rest[3 * v] == 1.0) {
                assert_ok(pbs_body_unpin(world, body, &v, 1, PBS_AXIS_X));
            }
        }
        assert_ok(pbs_world_step(world, 0.1));
        const double *x = pbs_body_positions(world, body);
        assert_near((x[3 * (VERTICES - 1)] - 1.0) / left, 1.0, 1e-2, "length left");
        // Plastic flow keeps the volume, and nothing else is left: it is that of the rest shape.
        assert_near(x[3 * (VERTICES - 1)] * x[3 * VERTICES - 2] * x[3 * VERTICES - 1], 1.0, 1e-6,
                    "volume");
        pbs_world_destroy(world);
    }
}

// --- steps that are undone, saved and divided ---

/// A free cube that was stretched by a fifth and swings back, flowing.
static pbs_body add_swinging(pbs_world *world) {
    double x[3 * VERTICES];
    const pbs_solid_desc d = describe(PBS_MATERIAL_STABLE_NEO_HOOKEAN, 0.03 * YOUNG, 0.1 * YOUNG);
    const pbs_body body = add(world, &d);
    rest_positions(x);
    for (size_t v = 0; v < VERTICES; v++) {
        x[3 * v] *= 1.2;
    }
    assert_ok(pbs_body_set_positions(world, body, x, VERTICES));
    return body;
}

static double largest_strain(const pbs_world *world, pbs_body body) {
    double strains[TETS], most = 0.0;
    assert_ok(pbs_body_element_plastic_strain(world, body, strains, TETS));
    for (size_t t = 0; t < TETS; t++) {
        most = fmax(most, strains[t]);
    }
    return most;
}

/// Saved after some flow, a world goes on with the same bits; so it does with other threads.
static void restored_worlds_flow_on_to_the_bit(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_IMPLICIT_EULER, PBS_SCHEME_BDF2, PBS_SCHEME_A_SEARCH,
                               PBS_SCHEME_NEWMARK};
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        pbs_world *world = world_of(schemes[s], 1);
        const pbs_body body = add_swinging(world);
        for (int n = 0; n < 5; n++) {
            assert_ok(pbs_world_step(world, 1e-3));
        }
        assert_true(largest_strain(world, body) > 0.01);
        struct saved_world saved = save_world(world);
        pbs_world *other = world_of(PBS_SCHEME_IMPLICIT_EULER, 4);
        assert_ok(pbs_world_restore(other, saved.data, saved.size));
        assert_true(pbs_world_hash(other) == pbs_world_hash(world));
        for (int n = 0; n < 10; n++) {
            assert_ok(pbs_world_step(world, 1e-3));
            assert_ok(pbs_world_step(other, 1e-3));
            assert_true(pbs_world_hash(other) == pbs_world_hash(world));
        }
        free(saved.data);
        pbs_world_destroy(other);
        pbs_world_destroy(world);
    }
}

/// A body that is added has the terms made anew. Stress and energy are as before, as the histories
/// are the bodies'.
static void histories_outlive_the_terms(void **state) {
    (void)state;
    const double away[3] = {100.0, 0.0, 0.0};
    pbs_world *world = world_of(PBS_SCHEME_IMPLICIT_EULER, 1);
    const pbs_body body = add_swinging(world);
    double before[9 * TETS], after[9 * TETS];
    for (int n = 0; n < 5; n++) {
        assert_ok(pbs_world_step(world, 1e-3));
    }
    const double energy = energy_of(world).elastic;
    assert_ok(pbs_body_element_stress(world, body, before, TETS));
    const pbs_solid_desc elastic = describe(PBS_MATERIAL_STABLE_NEO_HOOKEAN, 0.0, 0.0);
    add_cube(world, 1, 1.0, away, &elastic);
    assert_near(energy_of(world).elastic / energy, 1.0, 1e-12, "energy");
    assert_ok(pbs_body_element_stress(world, body, after, TETS));
    assert_memory_equal(before, after, sizeof before);
    assert_ok(pbs_world_step(world, 1e-3));
    pbs_world_destroy(world);
}

/// A world that flows in steps of 1 ms, and stops where *evaluations are used up.
static pbs_world *stopping_world(int *evaluations, pbs_body *body) {
    pbs_world *world = world_of(PBS_SCHEME_IMPLICIT_EULER, 1);
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_IMPLICIT_EULER));
    d.step_control.max = 1e-3;
    use_integrator(world, &d);
    *body = add_swinging(world);
    add_stopping_particle(world, evaluations);
    assert_ok(pbs_world_advance(world, 3e-3));
    return world;
}

/// A host's energy stops an advance after some of its steps have flowed: nothing of that is left,
/// and the advance that goes through has the bits of one that nothing came before.
static void failed_advances_leave_nothing(void **state) {
    (void)state;
    int evaluations = 1000000;
    pbs_body body;
    pbs_world *straight = stopping_world(&evaluations, &body);
    int needed = evaluations;
    assert_ok(pbs_world_advance(straight, 3e-3));
    needed -= evaluations;
    evaluations = 1000000;
    pbs_world *world = stopping_world(&evaluations, &body);
    const uint64_t hash = pbs_world_hash(world);
    const double dissipated = energy_of(world).dissipated;
    assert_true(needed > 3 && dissipated > 0.0 && largest_strain(world, body) > 0.0);
    for (int n = 1; n < needed; n += needed / 3) {
        evaluations = n;
        assert_status(pbs_world_advance(world, 3e-3), PBS_ERROR_HOST);
        evaluations = 1000000;
        assert_true(pbs_world_hash(world) == hash);
        assert_true(energy_of(world).dissipated == dissipated);
    }
    assert_ok(pbs_world_advance(world, 3e-3));
    assert_true(pbs_world_hash(world) == pbs_world_hash(straight));
    assert_true(energy_of(world).dissipated == energy_of(straight).dissipated);
    pbs_world_destroy(straight);
    pbs_world_destroy(world);
}

/// Step doubling accepts the first half step before it judges both, and takes rejected ones back.
/// What it dissipates is that of the steps that it took: energy and dissipation are those of
/// implicit Euler with equal steps of such a length, whose errors are of first order.
static void rejected_steps_count_nothing(void **state) {
    (void)state;
    double strain[2], dissipated[2];
    for (int doubling = 0; doubling < 2; doubling++) {
        pbs_world *world = world_of(PBS_SCHEME_IMPLICIT_EULER, 1);
        pbs_integrator_desc d;
        assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_IMPLICIT_EULER));
        d.step_control.kind = doubling ? PBS_STEP_DOUBLING : PBS_STEP_FIXED;
        d.step_control.max = doubling ? 4e-3 : 2e-5;
        d.step_control.initial = doubling ? 4e-3 : 0.0;
        d.step_control.tolerance = 1e-6;
        use_integrator(world, &d);
        const pbs_body body = add_swinging(world);
        assert_ok(pbs_world_advance(world, 4e-3));
        if (doubling) {
            assert_true(stats_of(world).step_control.rejected > 0);
        }
        strain[doubling] = largest_strain(world, body);
        dissipated[doubling] = energy_of(world).dissipated;
        pbs_world_destroy(world);
    }
    assert_near(strain[1] / strain[0], 1.0, 0.02, "strain");
    assert_near(dissipated[1] / dissipated[0], 1.0, 0.02, "dissipated");
}

/// The target of energy control falls by what flow dissipates, step by step. Where alpha is within
/// its bounds the energy is on it.
static void energy_control_follows_the_flow(void **state) {
    (void)state;
    pbs_world *world = world_of(PBS_SCHEME_A_SEARCH, 1);
    const pbs_body body = add_swinging(world);
    const double start = energy_of(world).total;
    int reached = 0;
    for (int n = 0; n < 200; n++) {
        const double dissipated = energy_of(world).dissipated;
        assert_ok(pbs_world_step(world, 2e-4));
        const pbs_energy_control_stats control = stats_of(world).energy_control;
        assert_near(control.target, start - dissipated, 1e-9 * start, "target");
        if (control.alpha_high < 1.1) {
            assert_near(energy_of(world).total + energy_of(world).dissipated, start, 1e-9 * start,
                        "balance");
            reached++;
        }
    }
    assert_true(reached > 20);
    assert_true(energy_of(world).dissipated > 0.5 * start);
    assert_true(largest_strain(world, body) > 0.01);
    pbs_world_destroy(world);
}

static pbs_status one_step(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, 1e-3);
}

static pbs_status create(pbs_world *world, void *context) {
    pbs_body body;
    return cube_create(world, CELLS, 1.0, corner, context, &body);
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct test_allocator allocator;
    uint64_t refused = 0;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    pbs_solid_desc d = describe(PBS_MATERIAL_STABLE_NEO_HOOKEAN, 0.03 * YOUNG, 0.0);
    assert_ok(refuse_until_success(&allocator, world, create, &d, &refused));
    assert_true(refused > 5);
    assert_ok(refuse_until_success(&allocator, world, one_step, NULL, &refused));
    assert_true(refused > 30);
    pbs_world_destroy(world);
    assert_int_equal(allocator.blocks_in_use, 0);
}

static void flow_takes_no_memory(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    add_swinging(world);
    assert_ok(pbs_world_step(world, 1e-3));
    const double before = energy_of(world).dissipated;
    const uint64_t calls = allocator.allocate_count;
    for (int n = 0; n < 10; n++) {
        assert_ok(pbs_world_step(world, 1e-3));
    }
    assert_int_equal(allocator.allocate_count, calls);
    assert_true(energy_of(world).dissipated > before);
    pbs_world_destroy(world);
}

// --- refusals ---

SPOIL(negative_yield, pbs_solid_desc *d, d->yield_stress = -1.0)
SPOIL(infinite_yield, pbs_solid_desc *d, d->yield_stress = INFINITY)
SPOIL(no_number, pbs_solid_desc *d, d->hardening = NAN)
SPOIL(negative_hardening, pbs_solid_desc *d, d->hardening = -1.0)
SPOIL(negative_viscosity, pbs_solid_desc *d, d->plastic_viscosity = -1.0)
SPOIL(negative_limit, pbs_solid_desc *d, d->plastic_limit = -0.1)
SPOIL(limit_alone, pbs_solid_desc *d, d->yield_stress = 0.0; d->hardening = 0.0;
      d->plastic_limit = 0.1)

static void what_is_refused(void **state) {
    (void)state;
    static const struct refusal rows[] = {
        {negative_yield, PBS_ERROR_ARGUMENT, "yield_stress is -1"},
        {infinite_yield, PBS_ERROR_ARGUMENT, "yield_stress is inf"},
        {no_number, PBS_ERROR_ARGUMENT, "hardening is nan"},
        {negative_hardening, PBS_ERROR_ARGUMENT, "hardening is -1"},
        {negative_viscosity, PBS_ERROR_ARGUMENT, "plastic_viscosity is -1"},
        {negative_limit, PBS_ERROR_ARGUMENT, "plastic_limit is -0.1"},
        {limit_alone, PBS_ERROR_ARGUMENT, "plastic_limit is 0.1, must be 0 where yield_stress"},
    };
    pbs_world *world = world_of(PBS_SCHEME_IMPLICIT_EULER, 1);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        pbs_solid_desc d = describe(PBS_MATERIAL_STABLE_NEO_HOOKEAN, 1e5, 1e5);
        pbs_body body;
        rows[i].spoil(&d);
        assert_status(cube_create(world, CELLS, 1.0, corner, &d, &body), rows[i].status);
        assert_non_null(strstr(pbs_last_error(), rows[i].words));
    }
    pbs_world_destroy(world);
}

static void plastic_strain_is_read_with_care(void **state) {
    (void)state;
    double strains[TETS];
    pbs_world *world = world_of(PBS_SCHEME_IMPLICIT_EULER, 1);
    const pbs_solid_desc d = describe(PBS_MATERIAL_STABLE_NEO_HOOKEAN, 0.0, 0.0);
    const pbs_body body = add(world, &d);
    strains[TETS - 1] = 1.0;
    assert_ok(pbs_body_element_plastic_strain(world, body, strains, TETS));
    assert_true(strains[0] == 0.0 && strains[TETS - 1] == 0.0);
    assert_status(pbs_body_element_plastic_strain(world, body, strains, TETS - 1),
                  PBS_ERROR_CAPACITY);
    assert_status(pbs_body_element_plastic_strain(world, body, NULL, TETS), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_element_plastic_strain(world, (pbs_body){0}, strains, TETS),
                  PBS_ERROR_HANDLE);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prescribed_stretch_flows_to_the_analytic_strain),
        cmocka_unit_test(simple_shear_hardens_with_its_slope),
        cmocka_unit_test(viscosity_lets_the_stress_relax),
        cmocka_unit_test(a_limit_ends_the_flow),
        cmocka_unit_test(volume_changes_are_elastic),
        cmocka_unit_test(turned_motion_flows_alike),
        cmocka_unit_test(flow_dissipates_its_work),
        cmocka_unit_test(a_bar_in_tension_hardens_and_keeps_its_length),
        cmocka_unit_test(restored_worlds_flow_on_to_the_bit),
        cmocka_unit_test(histories_outlive_the_terms),
        cmocka_unit_test(failed_advances_leave_nothing),
        cmocka_unit_test(rejected_steps_count_nothing),
        cmocka_unit_test(energy_control_follows_the_flow),
        cmocka_unit_test(refused_memory_is_a_status),
        cmocka_unit_test(flow_takes_no_memory),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(plastic_strain_is_read_with_care),
    };
    return cmocka_run_group_tests_name("world/plastic_solid", tests, NULL, NULL);
}
