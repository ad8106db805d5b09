// Worlds: settings and struct sizes, null arguments of all calls, handles, energies and statistics,
// failed and divided steps, and the log.
// SPDX-License-Identifier: MIT
#include "support/random.h"
#include "support/world_testing.h"
#include "world/refusal.h"

static const double origin[3] = {0.0, 0.0, 0.0};

// --- settings ---

#define SETTING(name, ...) SPOIL(setting_##name, pbs_world_desc *d, __VA_ARGS__)

SETTING(gravity, d->gravity[2] = NAN)
SETTING(threads, d->threads = -1)
SETTING(many_threads, d->threads = 100000)
SETTING(newton, d->newton_limit = 0)
SETTING(many_newton, d->newton_limit = 1000001)
SETTING(tolerance, d->tolerance = -1.0)
SETTING(relative, d->relative_tolerance = NAN)
SETTING(no_tolerance, d->relative_tolerance = 0.0)
SETTING(divisions, d->divisions = 21)
SETTING(size, d->struct_size = sizeof *d - 1)
SETTING(size_zero, d->struct_size = 0)

static pbs_allocator half_an_allocator(void) {
    return (pbs_allocator){.release = (void (*)(void *, void *, size_t))(uintptr_t)1};
}

SETTING(allocator, d->allocator = half_an_allocator())

static const struct refusal setting_rows[] = {
    {setting_gravity, PBS_ERROR_ARGUMENT, "gravity[2] is nan"},
    {setting_threads, PBS_ERROR_ARGUMENT, "threads is -1"},
    {setting_many_threads, PBS_ERROR_ARGUMENT, "threads is 100000"},
    {setting_newton, PBS_ERROR_ARGUMENT, "newton_limit is 0"},
    {setting_many_newton, PBS_ERROR_ARGUMENT, "newton_limit is 1000001"},
    {setting_tolerance, PBS_ERROR_ARGUMENT, "tolerance is -1"},
    {setting_relative, PBS_ERROR_ARGUMENT, "relative_tolerance is nan"},
    {setting_no_tolerance, PBS_ERROR_ARGUMENT, "both 0"},
    {setting_divisions, PBS_ERROR_ARGUMENT, "divisions is 21"},
    {setting_size, PBS_ERROR_STRUCT_SIZE, "struct_size is"},
    {setting_size_zero, PBS_ERROR_STRUCT_SIZE, "struct_size is 0"},
    {setting_allocator, PBS_ERROR_ARGUMENT, "allocator.allocate is null"},
};

static void worlds_refuse_bad_settings(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(setting_rows); i++) {
        pbs_world_desc d;
        assert_ok(pbs_world_desc_init(&d, sizeof d));
        d.contact = PBS_CONTACT_PROJECTION;
        setting_rows[i].spoil(&d);
        pbs_world *world = NULL;
        assert_status(pbs_world_create(&d, &world), setting_rows[i].status);
        assert_message(setting_rows[i].words);
        assert_null(world);
    }
}

#define EXPERT(name, ...) SPOIL(expert_##name, pbs_expert_desc *d, __VA_ARGS__)

EXPERT(method, d->method = 2)
EXPERT(line_search, d->line_search = -1)
EXPERT(project, d->project_hessian = 3)
EXPERT(guess, d->initial_guess = 4)
EXPERT(preconditioner, d->preconditioner = 99)
EXPERT(order, d->preconditioner_order = 2)
EXPERT(assembly, d->assembly = 3)
EXPERT(alignment, d->alignment = -1)
EXPERT(linear, d->linear_limit = 0)
EXPERT(many_linear, d->linear_limit = 100000001)
EXPERT(forcing, d->forcing = INFINITY)
EXPERT(length, d->step_length_limit = -2.0)
EXPERT(unconverged, d->allow_unconverged = 7)
EXPERT(barrier, d->barrier = 2)
EXPERT(velocity_rule, d->velocity_rule = -1)
EXPERT(adaptive, d->adaptive_stiffness = 2)
EXPERT(size, d->struct_size = sizeof *d - 1)
EXPERT(size_zero, d->struct_size = 0)
EXPERT(huge_size, d->struct_size = UINT32_MAX)

static const struct refusal expert_rows[] = {
    {expert_method, PBS_ERROR_ARGUMENT, "method is 2"},
    {expert_line_search, PBS_ERROR_ARGUMENT, "line_search is -1"},
    {expert_project, PBS_ERROR_ARGUMENT, "project_hessian is 3"},
    {expert_guess, PBS_ERROR_ARGUMENT, "initial_guess is 4"},
    {expert_preconditioner, PBS_ERROR_ARGUMENT, "preconditioner is 99"},
    {expert_order, PBS_ERROR_ARGUMENT, "preconditioner_order is 2"},
    {expert_assembly, PBS_ERROR_ARGUMENT, "assembly is 3"},
    {expert_alignment, PBS_ERROR_ARGUMENT, "alignment is -1"},
    {expert_linear, PBS_ERROR_ARGUMENT, "linear_limit is 0"},
    {expert_many_linear, PBS_ERROR_ARGUMENT, "linear_limit is 100000001"},
    {expert_forcing, PBS_ERROR_ARGUMENT, "forcing is inf"},
    {expert_length, PBS_ERROR_ARGUMENT, "step_length_limit is -2"},
    {expert_unconverged, PBS_ERROR_ARGUMENT, "allow_unconverged is 7"},
    {expert_barrier, PBS_ERROR_ARGUMENT, "barrier is 2"},
    {expert_velocity_rule, PBS_ERROR_ARGUMENT, "velocity_rule is -1"},
    {expert_adaptive, PBS_ERROR_ARGUMENT, "adaptive_stiffness is 2"},
    {expert_size, PBS_ERROR_STRUCT_SIZE, "pbs_expert_desc.struct_size is"},
    {expert_size_zero, PBS_ERROR_STRUCT_SIZE, "pbs_expert_desc.struct_size is 0"},
    {expert_huge_size, PBS_ERROR_STRUCT_SIZE, "pbs_expert_desc.struct_size is 4294967295"},
};

static void worlds_refuse_bad_expert_settings(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(expert_rows); i++) {
        pbs_world_desc d;
        pbs_expert_desc expert;
        assert_ok(pbs_world_desc_init(&d, sizeof d));
        expert_settings(&expert, &d);
        expert_rows[i].spoil(&expert);
        pbs_world *world = NULL;
        assert_status(pbs_world_create(&d, &world), expert_rows[i].status);
        assert_message(expert_rows[i].words);
        assert_null(world);
    }
    pbs_expert_desc expert;
    assert_status(pbs_expert_desc_init(NULL, sizeof expert), PBS_ERROR_ARGUMENT);
    assert_status(pbs_expert_desc_init(&expert, sizeof expert - 1), PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_expert_desc_init(&expert, sizeof expert + 8), PBS_ERROR_STRUCT_SIZE);
}

/// A host that was compiled with a later header has a longer struct: fine as long as what this
/// library does not know is zero.
static void structs_may_grow(void **state) {
    (void)state;
    struct {
        pbs_world_desc d;
        uint64_t later[2];
    } grown = {.later = {0, 0}};
    assert_ok(pbs_world_desc_init(&grown.d, sizeof grown.d));
    grown.d.struct_size = sizeof grown;
    pbs_world *world = NULL;
    assert_ok(pbs_world_create(&grown.d, &world));
    pbs_world_destroy(world);
    grown.later[1] = 5;
    assert_status(pbs_world_create(&grown.d, &world), PBS_ERROR_STRUCT_SIZE);
    assert_message("is 5");
    assert_status(pbs_world_desc_init(&grown.d, sizeof grown), PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_world_desc_init(&grown.d, 3), PBS_ERROR_STRUCT_SIZE);
    assert_message("is 3");
}

/// Results go no further than the caller's struct reaches; the part that this library does not know
/// is zero.
static void results_may_grow(void **state) {
    (void)state;
    pbs_world *world = new_world();
    struct {
        pbs_energy e;
        double later[2];
    } grown;
    memset(&grown, 0x55, sizeof grown);
    grown.e.struct_size = sizeof grown.e + sizeof(double);
    assert_ok(pbs_world_energy(world, &grown.e));
    assert_true(grown.later[0] == 0.0 && grown.later[1] != 0.0);
    assert_int_equal(grown.e.struct_size, sizeof grown.e + sizeof(double));
    grown.e.struct_size = 8;
    assert_status(pbs_world_energy(world, &grown.e), PBS_ERROR_STRUCT_SIZE);
    pbs_stats stats = {.struct_size = 0};
    assert_status(pbs_world_stats(world, &stats), PBS_ERROR_STRUCT_SIZE);
    assert_message("pbs_stats.struct_size is 0");
    pbs_world_destroy(world);
}

// --- null ---

static void null_is_an_answer_everywhere(void **state) {
    (void)state;
    const double vector[4] = {0.0, 0.0, 0.0, 1.0};
    const uint32_t *indices = NULL;
    const pbs_body body = {0};
    const pbs_collider collider = {0};
    size_t size = 0;
    float f;
    pbs_world *world = NULL;
    pbs_body made;
    pbs_collider placed;
    pbs_integrator *integrator = NULL;
    pbs_world_desc d;
    pbs_solid_desc solid;
    pbs_custom_desc custom;
    pbs_collider_desc ground;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PROJECTION;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    assert_ok(pbs_custom_desc_init(&custom, sizeof custom));
    assert_ok(pbs_collider_desc_init(&ground, sizeof ground));
    const pbs_status answers[] = {
        pbs_world_desc_init(NULL, sizeof d),
        pbs_solid_desc_init(NULL, sizeof solid),
        pbs_custom_desc_init(NULL, sizeof custom),
        pbs_collider_desc_init(NULL, sizeof ground),
        pbs_integrator_desc_init(NULL, 8, PBS_SCHEME_IMPLICIT_EULER),
        pbs_integrator_create(NULL, &integrator),
        pbs_world_create(NULL, &world),
        pbs_world_create(&d, NULL),
        pbs_world_set_integrator(NULL, NULL),
        pbs_world_step(NULL, 0.1),
        pbs_world_advance(NULL, 0.1),
        pbs_world_set_gravity(NULL, vector),
        pbs_world_energy(NULL, NULL),
        pbs_world_stats(NULL, NULL),
        pbs_world_save(NULL, NULL, &size),
        pbs_world_restore(NULL, vector, sizeof vector),
        pbs_world_register_callback(NULL, 1, spring_energy, NULL),
        pbs_body_create_solid(NULL, &solid, &made),
        pbs_body_create_custom(NULL, &custom, &made),
        pbs_body_destroy(NULL, body),
        pbs_body_surface(NULL, body, &indices, &size),
        pbs_body_set_positions(NULL, body, vector, 1),
        pbs_body_set_velocities(NULL, body, vector, 1),
        pbs_body_pin(NULL, body, NULL, 0, 1),
        pbs_body_unpin(NULL, body, NULL, 0, 1),
        pbs_body_set_targets(NULL, body, NULL, 0, vector),
        pbs_body_read_f32(NULL, body, 0, &f, 12, 1),
        pbs_collider_create(NULL, &ground, &placed),
        pbs_collider_destroy(NULL, collider),
        pbs_collider_set_motion(NULL, collider, vector, vector),
        pbs_collider_pose(NULL, collider, NULL, NULL),
    };
    for (size_t i = 0; i < COUNT_OF(answers); i++) {
        assert_int_equal(answers[i], PBS_ERROR_ARGUMENT);
    }
    assert_true(pbs_world_time(NULL) == 0.0);
    assert_true(pbs_world_hash(NULL) == 0);
    assert_int_equal(pbs_world_body_count(NULL), 0);
    assert_int_equal(pbs_world_collider_count(NULL), 0);
    assert_true(pbs_world_body_at(NULL, 0).id == 0);
    assert_true(pbs_world_collider_at(NULL, 0).id == 0);
    assert_false(pbs_body_is_valid(NULL, body));
    assert_false(pbs_collider_is_valid(NULL, collider));
    assert_int_equal(pbs_body_vertex_count(NULL, body), 0);
    assert_null(pbs_body_positions(NULL, body));
    assert_null(pbs_body_velocities(NULL, body));
    assert_null(pbs_body_masses(NULL, body));
    pbs_world_destroy(NULL);
    pbs_integrator_destroy(NULL);
}

static void null_arguments_are_named(void **state) {
    (void)state;
    pbs_world *world = new_world();
    assert_ok(scene_fill(world, 0));
    const pbs_collider collider = pbs_world_collider_at(world, 0);
    const double vector[4] = {0.0, 0.0, 0.0, 1.0};
    assert_status(pbs_world_set_gravity(world, NULL), PBS_ERROR_ARGUMENT);
    assert_message("gravity is null");
    assert_status(pbs_world_set_integrator(world, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_energy(world, NULL), PBS_ERROR_ARGUMENT);
    assert_message("pbs_energy is null");
    assert_status(pbs_world_stats(world, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_save(world, NULL, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_restore(world, NULL, 5), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_register_callback(world, 0, spring_energy, NULL), PBS_ERROR_ARGUMENT);
    assert_message("tag is 0");
    assert_status(pbs_world_register_callback(world, 1, NULL, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_collider_set_motion(world, collider, NULL, vector), PBS_ERROR_ARGUMENT);
    assert_status(pbs_collider_set_motion(world, collider, vector, NULL), PBS_ERROR_ARGUMENT);
    assert_ok(pbs_collider_pose(world, collider, NULL, NULL));
    const double bad_gravity[3] = {0.0, NAN, 0.0}, bad_unit[4] = {0.0, 2.0, 0.0, 0.0};
    assert_status(pbs_world_set_gravity(world, bad_gravity), PBS_ERROR_ARGUMENT);
    assert_status(pbs_collider_set_motion(world, collider, bad_gravity, vector),
                  PBS_ERROR_ARGUMENT);
    assert_status(pbs_collider_set_motion(world, collider, vector, bad_unit), PBS_ERROR_ARGUMENT);
    assert_message("of norm 2");
    const double steps[] = {0.0, -0.1, NAN, INFINITY};
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        assert_status(pbs_world_step(world, steps[i]), PBS_ERROR_ARGUMENT);
        assert_message("the step's length is");
        assert_status(pbs_world_advance(world, steps[i]), PBS_ERROR_ARGUMENT);
    }
    assert_ok(pbs_world_step(world, 0.01));
    assert_message("duration is inf");
    pbs_world_destroy(world);
}

/// A host that cleans up after a failure, and reads the message when all is gone.
static void messages_outlive_the_cleanup(void **state) {
    (void)state;
    pbs_world *world = new_world();
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    assert_ok(scene_fill(world, 0));
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_IMPLICIT_EULER));
    assert_ok(pbs_integrator_create(&d, &integrator));
    const pbs_body body = pbs_world_body_at(world, 0);
    assert_status(pbs_world_step(world, -2.0), PBS_ERROR_ARGUMENT);
    assert_true(pbs_world_time(world) == 0.0 && pbs_world_hash(world) != 0);
    assert_true(pbs_body_is_valid(world, body) && pbs_body_positions(world, body) != NULL);
    assert_int_equal(pbs_world_body_count(world), 1);
    pbs_integrator_destroy(integrator);
    pbs_integrator_destroy(NULL);
    pbs_world_destroy(world);
    pbs_world_destroy(NULL);
    assert_message("is -2");
}

/// A host reads the message after it has asked for statistics, and after whatever else succeeds.
static void calls_that_succeed_leave_the_message(void **state) {
    (void)state;
    pbs_world *world = new_world();
    assert_ok(scene_fill(world, 0));
    const pbs_body body = pbs_world_body_at(world, 0);
    const pbs_collider collider = pbs_world_collider_at(world, 0);
    pbs_stats stats = {.struct_size = sizeof stats};
    pbs_energy energy = {.struct_size = sizeof energy};
    pbs_contact_force load = {.struct_size = sizeof load};
    const uint32_t *indices;
    size_t count = 0, size = 0;
    double vector[4];
    const size_t vertices = pbs_body_vertex_count(world, body);
    const size_t tets = pbs_body_tet_count(world, body);
    float *const floats = calloc(3 * vertices, sizeof *floats);
    double *const stresses = calloc(9 * tets, sizeof *stresses);
    assert_true(floats != NULL && stresses != NULL);
    pbs_solid_desc solid;
    pbs_world_desc desc;
    pbs_world *other = NULL;
    void *saved = NULL;
    assert_status(pbs_world_step(world, -2.0), PBS_ERROR_ARGUMENT);
    for (int call = 0; call < 14; call++) {
        switch (call) {
        case 0: assert_ok(pbs_world_stats(world, &stats)); break;
        case 1: assert_ok(pbs_world_energy(world, &energy)); break;
        case 2: assert_ok(pbs_world_save(world, NULL, &size)); break;
        case 3: assert_ok(pbs_body_surface(world, body, &indices, &count)); break;
        case 4:
            assert_ok(pbs_body_read_f32(world, body, PBS_CHANNEL_NORMAL, floats, 12, vertices));
            break;
        case 5: assert_ok(pbs_body_element_stress(world, body, stresses, tets)); break;
        case 6: assert_ok(pbs_collider_pose(world, collider, vector, NULL)); break;
        case 7: assert_ok(pbs_collider_contact_force(world, collider, NULL, &load)); break;
        case 8: assert_ok(pbs_solid_desc_init(&solid, sizeof solid)); break;
        case 9: assert_ok(pbs_world_desc_init(&desc, sizeof desc)); break;
        case 10: assert_ok(pbs_world_create(&desc, &other)); break;
        case 11: assert_ok(pbs_world_step(world, 0.01)); break;
        case 12: assert_ok(pbs_world_advance(world, 0.02)); break;
        default:
            saved = malloc(size);
            assert_ok(pbs_world_save(world, saved, &size));
            assert_ok(pbs_world_restore(other, saved, size));
            break;
        }
        assert_message("is -2");
    }
    free(floats);
    free(stresses);
    free(saved);
    pbs_world_destroy(other);
    pbs_world_destroy(world);
}

// --- handles ---

static void old_ids_are_recognised(void **state) {
    (void)state;
    pbs_world *world = new_world(), *other = new_world();
    assert_ok(scene_fill(world, 2));
    assert_ok(scene_fill(other, 2));
    const pbs_body first = pbs_world_body_at(world, 0), second = pbs_world_body_at(world, 1);
    const pbs_collider bowl = pbs_world_collider_at(world, 0);
    double force[3];
    assert_true(first.id != 0 && first.id != second.id);
    assert_ok(pbs_world_step(world, 0.01));
    const double y = pbs_body_positions(world, second)[1];

    assert_false(pbs_body_is_valid(other, first));
    assert_status(pbs_body_destroy(other, first), PBS_ERROR_HANDLE);
    assert_message("belongs to another world");
    assert_status(pbs_collider_pose(world, (pbs_collider){first.id}, force, NULL),
                  PBS_ERROR_HANDLE);
    assert_message("names a body");
    assert_status(pbs_body_destroy(world, (pbs_body){bowl.id}), PBS_ERROR_HANDLE);
    assert_message("names a collider");
    assert_status(pbs_body_pin(world, (pbs_body){0}, NULL, 0, 1), PBS_ERROR_HANDLE);
    assert_message("is null");
    assert_status(pbs_body_destroy(world, (pbs_body){first.id + 5}), PBS_ERROR_HANDLE);
    assert_message("never created");

    assert_ok(pbs_body_destroy(world, first));
    assert_status(pbs_body_destroy(world, first), PBS_ERROR_HANDLE);
    assert_message("was destroyed");
    assert_null(pbs_body_positions(world, first));
    assert_int_equal(pbs_world_body_count(world), 1);
    assert_true(pbs_world_body_at(world, 0).id == second.id);
    assert_true(pbs_body_positions(world, second)[1] == y);

    // The slot is used again, the id is not.
    assert_ok(scene_fill(world, 0));
    const pbs_body again = pbs_world_body_at(world, 1);
    assert_true(again.id != first.id && pbs_body_is_valid(world, again));
    assert_false(pbs_body_is_valid(world, first));
    assert_ok(pbs_world_step(world, 0.01));

    assert_ok(pbs_collider_destroy(world, bowl));
    assert_status(pbs_collider_pose(world, bowl, NULL, NULL), PBS_ERROR_HANDLE);
    assert_ok(pbs_body_destroy(world, (pbs_body){0}));
    assert_ok(pbs_collider_destroy(world, (pbs_collider){0}));
    assert_ok(pbs_world_step(world, 0.01));
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

// --- integrators ---

static void worlds_keep_a_copy_of_their_integrator(void **state) {
    (void)state;
    pbs_integrator_desc d;
    assert_status(pbs_integrator_desc_init(&d, sizeof d, 999), PBS_ERROR_ARGUMENT);
    assert_message("scheme is 999");
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_IMPLICIT_EULER));
    pbs_integrator *integrator = NULL;
    assert_status(pbs_integrator_create(&d, NULL), PBS_ERROR_ARGUMENT);
    d.scheme = -4;
    assert_status(pbs_integrator_create(&d, &integrator), PBS_ERROR_ARGUMENT);
    d.scheme = PBS_SCHEME_IMPLICIT_EULER;
    assert_ok(pbs_integrator_create(&d, &integrator));
    pbs_world *world = new_world();
    assert_ok(scene_fill(world, 0));
    assert_ok(pbs_world_set_integrator(world, integrator));
    pbs_integrator_destroy(integrator);
    assert_ok(pbs_world_step(world, 0.01));
    pbs_world_destroy(world);
}

// --- the host's own numbers ---

/// METIS seeds and draws from rand() when a world is built; a host that plays by it must not
/// notice.
static void the_hosts_random_numbers_go_on(void **state) {
    (void)state;
    int with[8], without[8];
    for (int order = PBS_ORDER_NATURAL; order <= PBS_ORDER_NESTED_DISSECTION; order++) {
        pbs_world_desc d;
        pbs_expert_desc expert;
        scene_settings(&d);
        expert_settings(&expert, &d);
        expert.preconditioner_order = order;
        pbs_world *world = new_world_from(&d);
        add_cube(world, 10, 1.0, origin, NULL); // enough for several domains
        srand(5);
        for (int i = 0; i < 8; i++) {
            without[i] = rand();
        }
        srand(5);
        for (int i = 0; i < 8; i++) {
            if (i == 3) {
                assert_ok(pbs_world_step(world, 0.01));
            }
            with[i] = rand();
        }
        assert_memory_equal(with, without, sizeof with);
        pbs_world_destroy(world);
    }
}

// --- energies and statistics ---

/// Free fall by y: gravity's energy is m g y, kinetic energy m v^2 / 2 with v = g n h.
static void energies_of_free_fall(void **state) {
    (void)state;
    pbs_world *world = new_world();
    assert_ok(scene_fill(world, 2));
    assert_ok(pbs_collider_destroy(world, pbs_world_collider_at(world, 0)));
    assert_ok(pbs_body_destroy(world, pbs_world_body_at(world, 1)));
    assert_small(fabs(energy_of(world).total), 1e-12,
                 "energy at rest, to rounding of E V = 6400 J");
    assert_ok(scene_step(world, 3));
    const double h = 1.0 / 60.0, mass = 1000.0 * 0.4 * 0.4 * 0.4, v = 9.81 * 3 * h;
    const pbs_energy energy = energy_of(world);
    assert_near(energy.kinetic, 0.5 * mass * v * v, 1e-9, "kinetic energy");
    assert_near(energy.gravity, -mass * 9.81 * 6 * 9.81 * h * h, 1e-9, "gravity's energy");
    assert_small(fabs(energy.elastic), 1e-12, "elastic energy");
    assert_true(energy.contact == 0.0 && energy.host == 0.0);
    assert_near(energy.total, energy.kinetic + energy.gravity, 1e-12, "total");
    pbs_world_destroy(world);
}

static void scale_body(pbs_world *world, pbs_body body, double factor) {
    double x[24];
    memcpy(x, pbs_body_positions(world, body), sizeof x);
    for (int i = 0; i < 24; i++) {
        x[i] *= factor;
    }
    assert_ok(pbs_body_set_positions(world, body, x, 8));
}

/// Where an energy cannot be had, because elements are inverted or numbers overflow, it is infinite
/// and never half a number. What overflows within the limits of values and coordinates is the
/// square of the volume, that of a cube of 1e-36 m over its own: 1e198 squared.
static void energies_that_cannot_be_had_are_infinite(void **state) {
    (void)state;
    for (int32_t m = PBS_MATERIAL_FIXED_COROTATED; m <= PBS_MATERIAL_ST_VENANT_KIRCHHOFF; m++) {
        pbs_world *world = new_world();
        pbs_solid_desc solid;
        assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
        solid.material = m;
        const pbs_body body = add_cube(world, 1, 1e-36, origin, &solid);
        scale_body(world, body, -1.0);
        assert_true(isinf(energy_of(world).elastic) == (m == PBS_MATERIAL_NEO_HOOKEAN));
        scale_body(world, body, -1e66);
        const pbs_energy energy = energy_of(world);
        const bool squares = m == PBS_MATERIAL_FIXED_COROTATED ||
                             m == PBS_MATERIAL_STABLE_NEO_HOOKEAN;
        assert_true(isinf(energy.elastic) == squares && isinf(energy.total) == squares);
        assert_true(energy.elastic > 0.0 && energy.total > 0.0);
        pbs_world_destroy(world);
    }
}

static void statistics_count(void **state) {
    (void)state;
    pbs_world *world = new_world();
    assert_ok(scene_fill(world, 0));
    assert_int_equal(stats_of(world).scene.elements, 384);
    assert_int_equal(stats_of(world).total.steps, 0);
    assert_ok(scene_step(world, 40));
    const pbs_stats stats = stats_of(world);
    assert_int_equal(stats.total.steps, 40);
    assert_int_equal(stats.scene.nodes, 125);
    assert_true(stats.scene.blocks > 125 && stats.total.newton_iterations >= 40 &&
                stats.total.linear_iterations > 0);
    assert_true(stats.status == PBS_OK && stats.newton.stages == 1 &&
                stats.step.length == 1.0 / 60.0);
    assert_true(stats.newton.gradient_norm < stats.newton.tolerance &&
                stats.newton.reference_force > 0.0);
    assert_near(stats.newton.tolerance, 1e-6 * stats.newton.reference_force,
                1e-14 * stats.newton.tolerance, "tolerance");
    assert_int_equal(stats.contact.active, 25);
    assert_true(stats.time.total > 0.0);
    // 64 kg on a slope of 0.1 rad that it slides down: the normal force is m g cos(0.1).
    const pbs_contact_force felt = contact_force_on(world, pbs_world_collider_at(world, 0));
    const double normal = -sqrt(felt.force[0] * felt.force[0] + felt.force[1] * felt.force[1]);
    assert_near(normal, -64.0 * 9.81 * cos(0.1), 64.0, "normal force");
    assert_true(felt.force[1] < 0.0);
    pbs_world_destroy(world);
}

// --- steps that fail ---

static int32_t moody_energy(void *user, size_t stencil, const double *x, int32_t project,
                            double *value, double *gradient, double *hessian) {
    const int32_t mood = *(const int32_t *)user;
    return mood != 0 ? mood : spring_energy(NULL, stencil, x, project, value, gradient, hessian);
}

static pbs_world *moody_world(int32_t *mood, uint32_t divisions, int32_t allow) {
    const double positions[9] = {0.0, 0.0, 0.0, 0.3, 0.0, 0.0, 0.2, 0.3, 0.1};
    const double velocities[9] = {0.0, 5.0, 1.0, 0.0, -5.0, 2.0, 1.0, 0.0, 0.0};
    const double masses[3] = {1.0, 1.0, 2.0};
    const uint32_t stencils[4] = {0, 1, 1, 2};
    pbs_world_desc d;
    pbs_expert_desc expert;
    scene_settings(&d);
    expert_settings(&expert, &d);
    d.divisions = divisions;
    expert.allow_unconverged = allow;
    d.newton_limit = 2;
    expert.initial_guess = PBS_GUESS_INERTIAL;
    pbs_world *world = new_world_from(&d);
    pbs_custom_desc custom;
    springs_describe(&custom, 3, positions, masses, 2, stencils);
    custom.velocities = velocities;
    custom.evaluate = moody_energy;
    custom.user = mood;
    custom.tag = 5;
    pbs_body body;
    assert_ok(pbs_body_create_custom(world, &custom, &body));
    return world;
}

static void a_failed_step_changes_nothing(void **state) {
    (void)state;
    int32_t mood = 0;
    pbs_world *world = moody_world(&mood, 3, 0);
    assert_ok(pbs_world_step(world, 1e-3));
    const uint64_t before = pbs_world_hash(world);
    mood = -1;
    assert_status(pbs_world_step(world, 1e-3), PBS_ERROR_HOST);
    assert_true(strlen(pbs_last_error()) > 0);
    assert_int_equal(stats_of(world).step.divisions, 0);
    pbs_energy energy = {.struct_size = sizeof energy};
    assert_status(pbs_world_energy(world, &energy), PBS_ERROR_HOST);
    mood = 1;
    assert_status(pbs_world_step(world, 1e-3), PBS_ERROR_INADMISSIBLE);
    assert_int_equal(stats_of(world).status, PBS_ERROR_INADMISSIBLE);
    assert_int_equal(stats_of(world).step.divisions, 3);
    assert_int_equal(stats_of(world).total.failed_steps, 2);
    assert_true(pbs_world_hash(world) == before);
    mood = 0;
    assert_ok(pbs_world_step(world, 1e-3));
    assert_true(pbs_world_hash(world) != before);
    pbs_world_destroy(world);
}

/// The hash is of the state: 0 and -0 are the same one. A quaternion that is a unit one but for
/// rounding of a float is made one.
static void equal_states_look_equal(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body body = add_cube(world, 1, 1.0, origin, NULL);
    const uint64_t before = pbs_world_hash(world);
    double velocities[24];
    for (int i = 0; i < 24; i++) {
        velocities[i] = -0.0;
    }
    assert_ok(pbs_body_set_velocities(world, body, velocities, 8));
    assert_true(pbs_world_hash(world) == before);
    velocities[3] = 1e-300;
    assert_ok(pbs_body_set_velocities(world, body, velocities, 8));
    assert_true(pbs_world_hash(world) != before);
    pbs_collider_desc d;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.orientation[0] = 0.6 * (1.0 + 5e-7);
    d.orientation[3] = 0.8 * (1.0 + 5e-7);
    pbs_collider collider;
    assert_ok(pbs_collider_create(world, &d, &collider));
    double q[4];
    assert_ok(pbs_collider_pose(world, collider, NULL, q));
    assert_near(q[0], 0.6, 2e-16, "sine");
    assert_near(q[3], 0.8, 2e-16, "cosine");
    pbs_world_destroy(world);
}

/// Two Newton iterations do not solve a step of 0.25 s of two whirling springs stretched threefold,
/// but they solve small ones. A divided step ends at the same time as a whole one.
static void hard_steps_are_divided(void **state) {
    (void)state;
    int32_t mood = 0;
    pbs_world *strict = moody_world(&mood, 0, 0);
    assert_status(pbs_world_step(strict, 0.25), PBS_ERROR_CONVERGENCE);
    assert_true(pbs_world_time(strict) == 0.0);
    static const uint32_t limits[] = {20, (uint32_t)PBS_AUTOMATIC};
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        pbs_world *divided = moody_world(&mood, limits[i], 0);
        assert_status(pbs_world_step(divided, 0.25), PBS_DIVIDED);
        assert_message("halvings");
        const pbs_stats stats = stats_of(divided);
        assert_true(stats.step.divisions > 0 && stats.newton.stages > stats.step.divisions);
        assert_true(stats.total.steps == 1 && stats.total.failed_steps == 0);
        assert_true(pbs_world_time(divided) == 0.25);
        pbs_world_destroy(divided);
    }
    pbs_world *lenient = moody_world(&mood, 0, 1);
    assert_status(pbs_world_step(lenient, 0.25), PBS_NOT_CONVERGED);
    assert_int_equal(stats_of(lenient).status, PBS_NOT_CONVERGED);
    assert_true(pbs_world_time(lenient) == 0.25);
    pbs_world_destroy(strict);
    pbs_world_destroy(lenient);
}

/// Pulls its second vertex to the right while it says that it does not, until it has seen the first
/// one first half way to 1 and then there.
static int32_t half_honest_energy(void *user, size_t stencil, const double *x, int32_t project,
                                  double *value, double *gradient, double *hessian) {
    bool *const seen_half = user;
    (void)stencil;
    (void)project;
    *seen_half = *seen_half || x[0] == 0.5;
    const bool honest = *seen_half && x[0] > 0.75;
    if (value != NULL) {
        *value = 0.0;
    }
    for (int i = 0; i < 6 && gradient != NULL; i++) {
        gradient[i] = i == 3 && !honest ? 1e3 : 0.0;
    }
    for (int i = 0; i < 36 && hessian != NULL; i++) {
        hessian[i] = 0.0;
    }
    return 0;
}

/// The first half of a divided step lands unconverged, the second converges: the whole one did not.
/// Contacts are those at its end: of three vertices on the ground one is held.
static void an_unconverged_half_is_not_forgotten(void **state) {
    (void)state;
    pbs_world_desc d;
    pbs_expert_desc expert;
    scene_settings(&d);
    expert_settings(&expert, &d);
    d.divisions = 1;
    expert.allow_unconverged = 1;
    pbs_world *world = new_world_from(&d);
    add_ground(world);
    const double positions[9] = {0.0, 0.0, 0.0, 0.3, 0.0, 0.0, 0.6, 0.0, 0.0};
    const double masses[3] = {1.0, 1.0, 1.0}, target[3] = {1.0, 0.0, 0.0};
    const uint32_t stencil[2] = {0, 1};
    bool seen_half = false;
    pbs_custom_desc custom;
    springs_describe(&custom, 3, positions, masses, 1, stencil);
    custom.evaluate = half_honest_energy;
    custom.user = &seen_half;
    pbs_body body;
    assert_ok(pbs_body_create_custom(world, &custom, &body));
    assert_ok(pbs_body_set_targets(world, body, stencil, 1, target));
    assert_status(pbs_world_step(world, 0.01), PBS_NOT_CONVERGED);
    const pbs_stats stats = stats_of(world);
    assert_true(seen_half && stats.step.divisions == 1 &&
                stats.newton.gradient_norm < stats.newton.tolerance);
    assert_int_equal(stats.contact.active, 2);
    pbs_world_destroy(world);
}

/// Solids crumpled to next to nothing unfold on a tilted plane in a few steps: lengths that the
/// solver measures by are those of the rest shape too.
static void crumpled_solids_unfold(void **state) {
    (void)state;
    const double sizes[] = {0.0, 1e-15, 1e-12, 1e-9, 1e-6};
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        pbs_world *world = new_world();
        pbs_collider_desc c;
        assert_ok(pbs_collider_desc_init(&c, sizeof c));
        c.orientation[2] = sin(0.15);
        c.orientation[3] = cos(0.15);
        pbs_collider plane;
        assert_ok(pbs_collider_create(world, &c, &plane));
        double crumpled[3 * 64];
        struct random random = random_seed(3);
        for (size_t k = 0; k < COUNT_OF(crumpled); k++) {
            crumpled[k] = sizes[s] * random_uniform(&random, -1.0, 1.0);
        }
        pbs_solid_desc solid;
        assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
        solid.material = PBS_MATERIAL_FIXED_COROTATED;
        solid.initial_positions = crumpled;
        const pbs_body body = add_cube(world, 3, 1.0, origin, &solid);
        for (int i = 0; i < 5; i++) {
            assert_ok(pbs_world_step(world, 1.0 / 24.0));
            assert_int_equal(stats_of(world).newton.shortened_steps, 0);
        }
        const double *x = pbs_body_positions(world, body);
        double low = INFINITY, high = -INFINITY, deepest = INFINITY;
        for (size_t i = 0; i < COUNT_OF(crumpled) / 3; i++) {
            low = fmin(low, x[3 * i + 2]);
            high = fmax(high, x[3 * i + 2]);
            deepest = fmin(deepest, cos(0.3) * x[3 * i + 1] - sin(0.3) * x[3 * i]);
        }
        assert_true(high - low > 0.5);
        assert_true(deepest >= -1e-12);
        pbs_world_destroy(world);
    }
}

/// Pins and targets win over colliders, and the statistics say where they do: of a cube's eight
/// corners four are pinned, first above the ground, then scripted into it, then out again.
static void held_vertices_inside_colliders_are_counted(void **state) {
    (void)state;
    pbs_world *world = new_world();
    add_ground(world);
    const pbs_body body = add_cube(world, 1, 1.0, origin, NULL);
    const double *const x = pbs_body_positions(world, body);
    // Held across only, a vertex can still leave the ground.
    uint32_t bottom[4], count = 0;
    double targets[12];
    for (uint32_t i = 0; i < 8; i++) {
        if (x[3 * i + 1] == 0.0) {
            memcpy(targets + 3 * count, x + 3 * i, 3 * sizeof *targets);
            bottom[count++] = i;
        }
    }
    assert_int_equal(count, 4);
    assert_ok(pbs_body_pin(world, body, bottom, 3, PBS_AXIS_ALL));
    assert_ok(pbs_body_pin(world, body, bottom + 3, 1, PBS_AXIS_X | PBS_AXIS_Z));
    const double heights[] = {0.0, -0.01, 0.02};
    const size_t inside[] = {0, 3, 0};
    for (size_t i = 0; i < COUNT_OF(heights); i++) {
        for (size_t k = 0; k < 4; k++) {
            targets[3 * k + 1] = heights[i];
        }
        assert_ok(pbs_body_set_targets(world, body, bottom, 4, targets));
        assert_ok(pbs_world_step(world, 0.01));
        assert_int_equal(stats_of(world).contact.constrained_inside, inside[i]);
    }
    pbs_world_destroy(world);
}

/// Forces whose squares overflow would make every tolerance infinite, and every guess a solution.
/// Moduli have limits, gravity has none.
static void infinite_tolerances_are_refused(void **state) {
    (void)state;
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -1e160;
    pbs_world *world = new_world_from(&d);
    (void)add_cube(world, 1, 1.0, origin, NULL);
    const uint64_t before = pbs_world_hash(world);
    assert_status(pbs_world_step(world, 0.01), PBS_ERROR_INADMISSIBLE);
    assert_message("reference force");
    assert_true(pbs_world_hash(world) == before);
    pbs_world_destroy(world);
}

static void moduli_have_a_limit(void **state) {
    (void)state;
    pbs_world *world = new_world();
    struct cube_mesh mesh;
    assert_true(cube_mesh_make(&mesh, 1, 1.0, origin));
    pbs_solid_desc solid;
    cube_mesh_describe(&mesh, &solid);
    pbs_body body;
    solid.young = 1.001e30;
    assert_status(pbs_body_create_solid(world, &solid, &body), PBS_ERROR_ARGUMENT);
    assert_message("young");
    solid.young = 1e30;
    assert_ok(pbs_body_create_solid(world, &solid, &body));
    cube_mesh_free(&mesh);
    pbs_world_destroy(world);
}

/// The force of the last step is none where that step had no bodies any more.
static void colliders_without_bodies_feel_nothing(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_collider ground = add_ground(world);
    const pbs_body body = add_cube(world, 1, 1.0, origin, NULL);
    assert_ok(pbs_world_step(world, 0.01));
    assert_true(contact_force_on(world, ground).force[1] < 0.0);
    assert_ok(pbs_body_destroy(world, body));
    assert_ok(pbs_world_step(world, 0.01));
    assert_true(contact_force_on(world, ground).force[1] == 0.0);
    pbs_world_destroy(world);
}

static void an_empty_world_has_time(void **state) {
    (void)state;
    pbs_world *world = new_world();
    assert_ok(pbs_world_step(world, 0.25));
    assert_ok(pbs_world_advance(world, 0.5));
    assert_true(pbs_world_time(world) == 0.75);
    assert_true(energy_of(world).total == 0.0);
    pbs_world_destroy(world);
}

// --- log ---

struct journal {
    int counts[4];
    char last[512];
};

static void write_journal(void *user, int32_t level, const char *message) {
    struct journal *journal = user;
    journal->counts[level]++;
    snprintf(journal->last, sizeof journal->last, "%s", message);
}

static void the_log_tells_of_the_solver_and_trouble(void **state) {
    (void)state;
    struct journal journal = {0};
    pbs_world_desc d;
    pbs_expert_desc expert;
    scene_settings(&d);
    expert_settings(&expert, &d);
    d.log = (pbs_log){write_journal, &journal};
    d.newton_limit = 1;
    d.divisions = 1;
    expert.allow_unconverged = 1;
    expert.initial_guess = PBS_GUESS_INERTIAL;
    pbs_world *world = new_world_from(&d);
    assert_ok(scene_fill(world, 1));
    assert_status(pbs_world_step(world, 0.1), PBS_NOT_CONVERGED);
    assert_int_equal(journal.counts[PBS_LOG_INFO], 1);
    assert_int_equal(journal.counts[PBS_LOG_WARNING], 2);
    assert_non_null(strstr(journal.last, "did not converge"));
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_refuse_bad_settings),
        cmocka_unit_test(worlds_refuse_bad_expert_settings),
        cmocka_unit_test(structs_may_grow),
        cmocka_unit_test(results_may_grow),
        cmocka_unit_test(null_is_an_answer_everywhere),
        cmocka_unit_test(null_arguments_are_named),
        cmocka_unit_test(messages_outlive_the_cleanup),
        cmocka_unit_test(calls_that_succeed_leave_the_message),
        cmocka_unit_test(old_ids_are_recognised),
        cmocka_unit_test(worlds_keep_a_copy_of_their_integrator),
        cmocka_unit_test(the_hosts_random_numbers_go_on),
        cmocka_unit_test(energies_of_free_fall),
        cmocka_unit_test(energies_that_cannot_be_had_are_infinite),
        cmocka_unit_test(statistics_count),
        cmocka_unit_test(equal_states_look_equal),
        cmocka_unit_test(a_failed_step_changes_nothing),
        cmocka_unit_test(hard_steps_are_divided),
        cmocka_unit_test(an_unconverged_half_is_not_forgotten),
        cmocka_unit_test(crumpled_solids_unfold),
        cmocka_unit_test(held_vertices_inside_colliders_are_counted),
        cmocka_unit_test(infinite_tolerances_are_refused),
        cmocka_unit_test(moduli_have_a_limit),
        cmocka_unit_test(colliders_without_bodies_feel_nothing),
        cmocka_unit_test(an_empty_world_has_time),
        cmocka_unit_test(the_log_tells_of_the_solver_and_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
