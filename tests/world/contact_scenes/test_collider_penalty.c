// Colliders as penalties (OPT section 5.2; docs/theory/contact.md section 7): every shape, grids
// made of meshes, penetration depths, friction, motion, reports, queries, saved worlds and
// refusals.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "common/meshes/shapes.h"
#include "geometry/shape.h"
#include "support/world_testing.h"

static const double K = 2e5; // Pa
static const double GRAVITY = 9.81;

static pbs_world_desc settings(void) {
    pbs_world_desc d;
    scene_settings(&d);
    d.contact = PBS_CONTACT_PROJECTION;
    d.relative_tolerance = 1e-9;
    return d;
}

static pbs_collider_desc new_penalty(int32_t shape) {
    pbs_collider_desc d;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.shape = shape;
    d.collision = PBS_COLLISION_PENALTY;
    d.penalty_stiffness = K;
    return d;
}

static pbs_collider add(pbs_world *world, const pbs_collider_desc *d) {
    pbs_collider collider;
    assert_ok(pbs_collider_create(world, d, &collider));
    return collider;
}

// --- grids ---

/// A grid of a mesh, as a collider's; samples are the caller's to free.
static pbs_collider_desc new_grid(const struct surface_mesh *mesh, uint32_t resolution,
                                  float **samples) {
    pbs_grid_desc d;
    pbs_grid grid = {.struct_size = sizeof grid};
    assert_ok(pbs_grid_desc_init(&d, sizeof d));
    d.vertex_count = mesh->vertex_count;
    d.vertices = mesh->positions;
    d.triangle_count = mesh->triangle_count;
    d.triangles = mesh->triangles;
    d.resolution = resolution;
    assert_ok(pbs_grid_from_mesh(&d, NULL, 0, &grid));
    *samples = malloc(grid.sample_count * sizeof **samples);
    assert_non_null(*samples);
    assert_ok(pbs_grid_from_mesh(&d, *samples, grid.sample_count, &grid));
    pbs_collider_desc c = new_penalty(PBS_SHAPE_GRID);
    // What a grid does in any case.
    c.collision = PBS_COLLISION_CONSTRAINT;
    memcpy(c.grid_counts, grid.counts, sizeof c.grid_counts);
    copy3(grid.origin, c.grid_origin);
    c.grid_cell = grid.cell;
    c.grid_samples = *samples;
    return c;
}

/// A slab, 1 m square and 0.4 m high, its top at y = 0.
static pbs_collider_desc new_slab(float **samples) {
    struct surface_mesh mesh;
    assert_true(surface_box(1.0, 0.4, 1.0, &mesh));
    pbs_collider_desc c = new_grid(&mesh, 20, samples);
    surface_mesh_free(&mesh);
    c.position[1] = -0.2;
    return c;
}

// --- how deep ---

/// A particle of 0.3 kg on the top of each shape, solid and hollow, goes sqrt(m g / (3 k)) deep,
/// and the collider bears its weight. All have a horizontal surface through the origin, below it
/// what is solid.
static void loads_go_in_by_the_square_root(void **state) {
    (void)state;
    const double quarter = sqrt(0.5);
    float *samples = NULL;
    const pbs_collider_desc slab = new_slab(&samples);
    static const struct {
        int32_t shape, hollow;
        double size[3], position[3];
        bool lies;
    } rows[] = {{PBS_SHAPE_HALF_SPACE, 0, {0}, {0, 0, 0}, false},
                {PBS_SHAPE_SPHERE, 0, {0.5}, {0, -0.5, 0}, false},
                {PBS_SHAPE_SPHERE, 1, {0.5}, {0, 0.5, 0}, false},
                {PBS_SHAPE_BOX, 0, {0.5, 0.3, 0.4}, {0.1, -0.3, 0.1}, false},
                {PBS_SHAPE_BOX, 1, {0.5, 0.3, 0.4}, {0.1, 0.3, 0.1}, false},
                {PBS_SHAPE_CAPSULE, 0, {0.2, 0.5}, {0.1, -0.2, 0}, true},
                {PBS_SHAPE_CYLINDER, 0, {0.2, 0.5}, {0, -0.2, 0}, true},
                {PBS_SHAPE_CYLINDER, 0, {0.2, 0.5}, {0.02, -0.5, 0}, false},
                {PBS_SHAPE_TORUS, 0, {0.5, 0.2}, {-0.5, -0.2, 0}, false},
                {PBS_SHAPE_TORUS, 1, {0.5, 0.2}, {-0.5, 0.2, 0}, false},
                {PBS_SHAPE_GRID, 0, {0}, {0, -0.2, 0}, false}};
    const double mass = 0.3;
    const double depth = sqrt(mass * GRAVITY / (3.0 * K));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const pbs_world_desc d = settings();
        pbs_world *world = new_world_from(&d);
        assert_ok(pbs_world_set_gravity(world, (double[3]){0.0, -GRAVITY, 0.0}));
        pbs_collider_desc c = rows[i].shape == PBS_SHAPE_GRID ? slab : new_penalty(rows[i].shape);
        c.hollow = rows[i].hollow;
        memcpy(c.size, rows[i].size, sizeof c.size);
        copy3(rows[i].position, c.position);
        if (rows[i].lies) {
            c.orientation[2] = c.orientation[3] = quarter;
        }
        const pbs_collider collider = add(world, &c);
        const pbs_body body = add_free_particle(world, mass, (double[3]){0.0, 1e-4, 0.0},
                                                (double[3]){0.0});
        for (int step = 0; step < 100; step++) {
            assert_ok(pbs_world_step(world, 1.0 / 60.0));
        }
        // Of a grid the slope and the place of the surface are those of floats.
        const double tolerance = rows[i].shape == PBS_SHAPE_GRID ? 1e-6 : 1e-9;
        const double *x = pbs_body_positions(world, body);
        assert_near(x[1], -depth, tolerance, "height, m");
        assert_near(stats_of(world).contact.deepest_penetration, depth, tolerance, "depth, m");
        assert_int_equal(stats_of(world).contact.active, 1);
        const pbs_contact_force felt = contact_force_on(world, collider);
        assert_near(felt.force[1], -mass * GRAVITY, 1e-6, "weight, N");
        assert_near(energy_of(world).contact, K * depth * depth * depth,
                    4.0 * K * depth * depth * tolerance, "J");
        pbs_world_destroy(world);
    }
    free(samples);
}

/// A particle that goes into a plate 1 mm thick at 1 m/s: every guess goes through it. What the
/// next step starts from is a matter of the state alone, so that a restored world goes on alike.
static void guesses_depend_on_the_state_alone(void **state) {
    (void)state;
    static const double rest[12] = {5, 5, 0, 5.5, 5, 0, 5, 5.5, 0, 5, 5, 0.5};
    static const double strained[12] = {5, 5, 0, 5.75, 5, 0, 5, 5.7, 0, 5, 5, 0.5};
    static const double above[3] = {0.0, 0.02, 0.0}, inside[3] = {0.0, -1e-7, 0.0};
    static const double down[3] = {0.0, -1.0, 0.0}, still[12] = {0.0};
    static const uint32_t tet[4] = {0, 1, 2, 3};
    const pbs_world_desc d = settings();
    pbs_world *world = new_world_from(&d);
    pbs_collider_desc plate = new_penalty(PBS_SHAPE_BOX);
    plate.size[0] = plate.size[2] = 1.0;
    plate.size[1] = 5e-4;
    plate.position[1] = -5e-4;
    plate.penalty_stiffness = 1e8;
    add(world, &plate);
    const pbs_body particle = add_free_particle(world, 1e-3, above, still);
    pbs_solid_desc solid;
    pbs_body body;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.vertex_count = 4;
    solid.positions = rest;
    solid.initial_positions = strained;
    solid.tet_count = 1;
    solid.tets = tet;
    assert_ok(pbs_body_create_solid(world, &solid, &body));
    assert_ok(pbs_world_set_gravity(world, (double[3]){0.0, -GRAVITY, 0.0}));
    assert_ok(pbs_world_step(world, 1.0 / 60.0));
    assert_ok(pbs_body_set_positions(world, particle, inside, 1));
    assert_ok(pbs_body_set_velocities(world, particle, down, 1));
    assert_ok(pbs_body_set_positions(world, body, rest, 4));
    assert_ok(pbs_body_set_velocities(world, body, still, 4));
    const struct saved_world saved = save_world(world);
    pbs_world *restored = new_world_from(&d);
    assert_ok(pbs_world_restore(restored, saved.data, saved.size));
    for (int step = 0; step < 5; step++) {
        assert_ok(pbs_world_step(world, 1.0 / 60.0));
        assert_ok(pbs_world_step(restored, 1.0 / 60.0));
        for (size_t b = 0; b < 2; b++) {
            assert_same_bits(pbs_body_positions(world, pbs_world_body_at(world, b)),
                             pbs_body_positions(restored, pbs_world_body_at(restored, b)),
                             b == 0 ? 3 : 12);
        }
    }
    free(saved.data);
    pbs_world_destroy(restored);
    pbs_world_destroy(world);
}

/// A particle without springs, and two on a spring of no length, have no stiffness that a penalty
/// could take: they go through and are counted, unless body or collider says how stiff.
static void bodies_without_stiffness_are_counted(void **state) {
    (void)state;
    const double below[6] = {0.0, -0.1, 0.0, 0.0, -0.1, 0.0}, masses[2] = {1.0, 1.0}, none = 0.0;
    const uint32_t ends[2] = {0, 1};
    for (uint32_t springs = 0; springs < 2; springs++) {
        pbs_world_desc d = settings();
        memset(d.gravity, 0, sizeof d.gravity);
        pbs_world *world = new_world_from(&d);
        pbs_collider_desc floor = new_penalty(PBS_SHAPE_HALF_SPACE);
        floor.penalty_stiffness = 0.0;
        const pbs_collider collider = add(world, &floor);
        pbs_springs_desc row;
        pbs_body body;
        assert_ok(pbs_springs_desc_init(&row, sizeof row));
        row.vertex_count = 1 + springs;
        row.positions = below;
        row.masses = masses;
        row.spring_count = springs;
        row.springs = ends;
        row.rest_lengths = springs > 0 ? &none : NULL;
        assert_ok(pbs_body_create_springs(world, &row, &body));
        assert_ok(pbs_world_step(world, 0.01));
        assert_int_equal(stats_of(world).scene.bodies_without_contact, 1);
        assert_true(pbs_body_positions(world, body)[1] == -0.1);
        pbs_contact_desc contact;
        assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
        contact.penalty_stiffness = K;
        assert_ok(pbs_body_set_contact(world, body, &contact));
        assert_ok(pbs_world_step(world, 0.01));
        assert_int_equal(stats_of(world).scene.bodies_without_contact, 0);
        assert_true(pbs_body_positions(world, body)[1] > -0.1);
        contact.penalty_stiffness = 0.0;
        floor.penalty_stiffness = K;
        assert_ok(pbs_body_set_contact(world, body, &contact));
        assert_ok(pbs_collider_set_description(world, collider, &floor));
        assert_ok(pbs_world_step(world, 0.01));
        assert_int_equal(stats_of(world).scene.bodies_without_contact, 0);
        pbs_world_destroy(world);
    }
}

/// A particle at rest on a plate thinner than g h^2 stays where it is. Free fall, the guess of
/// least energy, would take it below the plate in one step.
static void thin_plates_hold_what_lies_on_them(void **state) {
    (void)state;
    const double thickness = 1e-3, mass = 1e-3, stiffness = 1e8;
    const double depth = sqrt(mass * GRAVITY / (3.0 * stiffness));
    static const double steps[] = {1.0 / 60.0, 1.0 / 24.0, 1.0};
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        pbs_world_desc d = settings();
        d.gravity[1] = -GRAVITY;
        pbs_world *world = new_world_from(&d);
        pbs_collider_desc c = new_penalty(PBS_SHAPE_BOX);
        c.size[0] = c.size[2] = 1.0;
        c.size[1] = 0.5 * thickness;
        c.position[1] = -0.5 * thickness;
        c.penalty_stiffness = stiffness;
        add(world, &c);
        const pbs_body body = add_free_particle(world, mass, (double[3]){0.0, -depth, 0.0},
                                                (double[3]){0.0});
        for (int step = 0; step < 20; step++) {
            assert_ok(pbs_world_step(world, steps[i]));
        }
        assert_near(pbs_body_positions(world, body)[1], -depth, 1e-9, "height, m");
        pbs_world_destroy(world);
    }
}

/// By every scheme that has a Hessian: a particle of 0.3 kg that falls 5 cm on a penalty goes in by
/// d = cbrt(m g (h + d) / k) = 9.5 mm or, where steps of a millisecond damp, up to a tenth less,
/// and does not come up higher than it was. One without inertia is at rest there at once. Explicit
/// steps are refused, whatever comes first.
static void every_scheme_feels_penalties(void **state) {
    (void)state;
    for (int32_t i = PBS_SCHEME_IMPLICIT_EULER; i <= PBS_SCHEME_QUASI_STATIC; i++) {
        const pbs_world_desc d = settings();
        pbs_world *world = new_world_from(&d);
        pbs_integrator_desc scheme;
        pbs_integrator *integrator = NULL;
        pbs_collider collider;
        const pbs_collider_desc c = new_penalty(PBS_SHAPE_HALF_SPACE);
        assert_ok(pbs_integrator_desc_init(&scheme, sizeof scheme, i));
        assert_ok(pbs_integrator_create(&scheme, &integrator));
        if (i == PBS_SCHEME_VELOCITY_VERLET) {
            const pbs_collider first = add(world, &c);
            assert_status(pbs_world_set_integrator(world, integrator), PBS_ERROR_ARGUMENT);
            assert_message("from which a stable step could follow");
            assert_ok(pbs_collider_destroy(world, first));
            assert_ok(pbs_world_set_integrator(world, integrator));
            assert_status(pbs_collider_create(world, &c, &collider), PBS_ERROR_ARGUMENT);
            assert_message("from which a stable step could follow");
        } else {
            assert_ok(pbs_world_set_integrator(world, integrator));
            add(world, &c);
            const double height = 0.05, mass = 0.3;
            const pbs_body body = add_free_particle(world, mass, (double[3]){0.0, height, 0.0},
                                                    (double[3]){0.0});
            double lowest = 0.0;
            double highest = -1.0;
            for (int step = 0; step < 300; step++) {
                assert_ok(pbs_world_step(world, 1e-3));
                const double y = pbs_body_positions(world, body)[1];
                lowest = fmin(lowest, y);
                highest = lowest < 0.0 ? fmax(highest, y) : highest;
            }
            const bool is_static = i == PBS_SCHEME_QUASI_STATIC;
            const double deep = is_static ? sqrt(mass * GRAVITY / (3.0 * K))
                                          : cbrt(mass * GRAVITY * (height + 9.5e-3) / K);
            assert_true(lowest < -0.9 * deep && lowest > -1.01 * deep);
            assert_true(highest < 1.01 * height);
        }
        pbs_integrator_destroy(integrator);
        pbs_world_destroy(world);
    }
}

/// At 2 m/s, in steps of a ten-thousandth of a second that keep the energy to second order: as deep
/// as cbrt(m v^2 / (2 k)), to a step's way, and back at the same speed.
static void impacts_go_in_by_the_cube_root(void **state) {
    (void)state;
    const pbs_world_desc d = settings();
    pbs_world *world = new_world_from(&d);
    use_scheme(world, PBS_SCHEME_TRAPEZOIDAL);
    assert_ok(pbs_world_set_gravity(world, (double[3]){0.0}));
    const pbs_collider_desc c = new_penalty(PBS_SHAPE_HALF_SPACE);
    add(world, &c);
    const double mass = 0.3, speed = 2.0, h = 1e-4;
    const pbs_body body = add_free_particle(world, mass, (double[3]){0.0, 1e-3, 0.0},
                                            (double[3]){0.0, -speed, 0.0});
    double lowest = 0.0;
    for (int step = 0; step < 600; step++) {
        assert_ok(pbs_world_step(world, h));
        lowest = fmin(lowest, pbs_body_positions(world, body)[1]);
    }
    const double depth = cbrt(mass * speed * speed / (2.0 * K));
    assert_near(lowest, -depth, 1e-3 * depth, "m");
    assert_near(pbs_body_velocities(world, body)[1], speed, 1e-3 * speed, "m/s");
    pbs_world_destroy(world);
}

/// Without a stiffness of its own a collider takes that of the body.
static void stiffness_follows_the_body(void **state) {
    (void)state;
    double depths[3];
    for (int i = 0; i < 3; i++) {
        const pbs_world_desc d = settings();
        pbs_world *world = new_world_from(&d);
        pbs_collider_desc c = new_penalty(PBS_SHAPE_HALF_SPACE);
        c.penalty_stiffness = i == 1 ? 4e5 : 0.0;
        add(world, &c);
        pbs_solid_desc solid;
        assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
        solid.young = i == 2 ? 4e5 : 1e5;
        add_cube(world, 1, 0.1, (double[3]){0.0, 0.0, 0.0}, &solid);
        for (int step = 0; step < 300; step++) {
            assert_ok(pbs_world_step(world, 1.0 / 60.0));
        }
        depths[i] = stats_of(world).contact.deepest_penetration;
        pbs_world_destroy(world);
    }
    // Four times as stiff, half as deep; the body's own bending shares the load a little otherwise.
    assert_near(depths[1], 0.5 * depths[0], 0.05 * depths[0], "depth, m");
    assert_near(depths[2], 0.5 * depths[0], 0.05 * depths[0], "depth, m");
}

// --- a bowl that was a mesh ---

static double highest(const pbs_world *world, pbs_body body, double *lowest) {
    const double *x = pbs_body_positions(world, body);
    double most = -INFINITY;
    *lowest = INFINITY;
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        most = fmax(most, x[3 * i + 1]);
        *lowest = fmin(*lowest, x[3 * i + 1]);
    }
    return most;
}

static pbs_world *new_bowl(struct test_allocator *allocator, int32_t threads, int32_t interpolation,
                           pbs_body *ball) {
    struct surface_mesh mesh;
    struct tet_mesh tets;
    float *samples = NULL;
    pbs_world_desc d = settings();
    d.threads = threads;
    d.relative_tolerance = 1e-6;
    d.divisions = 0;
    if (allocator != NULL) {
        d.allocator = test_allocator_hooks(allocator);
    }
    pbs_world *world = new_world_from(&d);
    assert_true(surface_bowl(0.5, 0.15, 0.0, 48, &mesh));
    pbs_collider_desc c = new_grid(&mesh, 40, &samples);
    surface_mesh_free(&mesh);
    c.penalty_stiffness = 0.0;
    c.friction = 0.3;
    c.grid_interpolation = interpolation;
    add(world, &c);
    // Samples were copied.
    free(samples);
    assert_true(shape_ball(0.2, 0.1, &tets));
    for (size_t i = 0; i < tets.vertex_count; i++) {
        tets.positions[3 * i] += 0.1;
        tets.positions[3 * i + 1] += 0.1;
    }
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.vertex_count = tets.vertex_count;
    solid.positions = tets.positions;
    solid.tet_count = tets.tet_count;
    solid.tets = tets.tets;
    solid.young = 2e5;
    solid.damping = 0.01;
    assert_ok(pbs_body_create_solid(world, &solid, ball));
    tet_mesh_free(&tets);
    return world;
}

/// A bowl of radius 0.5 m made into a grid holds a ball that is dropped into it: it stays in it at
/// any time, no deeper in its wall than a fifth of that, and comes to rest at the bottom.
static void a_mesh_holds_a_ball(void **state) {
    (void)state;
    pbs_body ball;
    pbs_world *world = new_bowl(NULL, 1, PBS_GRID_CUBIC, &ball);
    double lowest = 0.0;
    for (int step = 0; step < 200; step++) {
        assert_ok(pbs_world_step(world, 1.0 / 60.0));
        assert_true(stats_of(world).contact.deepest_penetration < 0.03);
        assert_true(highest(world, ball, &lowest) < 0.4 && lowest > -0.53);
    }
    assert_true(lowest < -0.49);
    assert_true(energy_of(world).kinetic < 1e-2 * 33.5 * GRAVITY * 0.1);
    assert_true(stats_of(world).contact.active > 0);
    pbs_world_destroy(world);
}

/// By straight lines the penalty of the same bowl has kinks: sooner or later Newton's method is at
/// the bottom of a valley whose slope is not zero. Such a step says so, and changes nothing. On a
/// slab a particle comes to rest.
static void straight_lines_hold_what_is_convex(void **state) {
    (void)state;
    pbs_body ball;
    pbs_world *world = new_bowl(NULL, 1, PBS_GRID_LINEAR, &ball);
    pbs_status status = PBS_OK;
    uint64_t before = 0;
    for (int step = 0; step < 200 && status == PBS_OK; step++) {
        before = pbs_world_hash(world);
        status = pbs_world_step(world, 1.0 / 60.0);
    }
    assert_status(status, PBS_ERROR_CONVERGENCE);
    assert_message("no lower energy found");
    assert_true(pbs_world_hash(world) == before);
    pbs_world_destroy(world);

    float *samples = NULL;
    const pbs_world_desc d = settings();
    world = new_world_from(&d);
    pbs_collider_desc c = new_slab(&samples);
    c.grid_interpolation = PBS_GRID_LINEAR;
    add(world, &c);
    free(samples);
    const pbs_body body = add_free_particle(world, 1.0, (double[3]){0.1, 0.05, 0.1},
                                            (double[3]){0.0});
    for (int step = 0; step < 100; step++) {
        assert_ok(pbs_world_step(world, 1.0 / 60.0));
    }
    assert_near(pbs_body_positions(world, body)[1], -sqrt(GRAVITY / (3.0 * K)), 1e-6, "m");
    pbs_world_destroy(world);
}

/// The same bits on four threads, and after a restore in the middle; and a warm world asks for no
/// memory.
static void bits_and_memory(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_body ball;
    pbs_world *worlds[3] = {new_bowl(&allocator, 1, PBS_GRID_CUBIC, &ball),
                            new_bowl(NULL, 4, PBS_GRID_CUBIC, &ball), NULL};
    for (int step = 0; step < 30; step++) {
        assert_ok(pbs_world_step(worlds[0], 1.0 / 60.0));
        assert_ok(pbs_world_step(worlds[1], 1.0 / 60.0));
        assert_true(pbs_world_hash(worlds[0]) == pbs_world_hash(worlds[1]));
    }
    const pbs_world_desc d = settings();
    worlds[2] = new_world_from(&d);
    const struct saved_world bytes = save_world(worlds[0]);
    assert_ok(pbs_world_restore(worlds[2], bytes.data, bytes.size));
    const struct saved_world again = save_world(worlds[2]);
    assert_int_equal(bytes.size, again.size);
    assert_memory_equal(bytes.data, again.data, bytes.size);
    for (int step = 0; step < 10; step++) {
        assert_ok(pbs_world_step(worlds[0], 1.0 / 60.0));
        assert_ok(pbs_world_step(worlds[2], 1.0 / 60.0));
        assert_true(pbs_world_hash(worlds[0]) == pbs_world_hash(worlds[2]));
    }
    free(bytes.data);
    free(again.data);
    for (int step = 0; step < 100; step++) {
        assert_ok(pbs_world_step(worlds[0], 1.0 / 60.0));
    }
    const uint64_t calls = allocator.allocate_count;
    for (int step = 0; step < 20; step++) {
        assert_ok(pbs_world_step(worlds[0], 1.0 / 60.0));
    }
    assert_true(allocator.allocate_count == calls);
    for (int i = 0; i < 3; i++) {
        pbs_world_destroy(worlds[i]);
    }
    assert_int_equal(allocator.blocks_in_use, 0);
    assert_false(allocator.was_misused);
}

// --- friction ---

/// A flat block of 2 kg slides down 20 degrees at 1.5 m/s with a coefficient of 0.5 and is down to
/// a tenth of that after 0.9 v / (g (mu cos - sin)) = 1.08 s, to 2 %; its speed never grows. At
/// rest it creeps: friction acts on velocities at the bottom, after gravity has moved all of it, by
/// three times g sin h a step here.
static void blocks_stop_on_a_slope(void **state) {
    (void)state;
    const double angle = 20.0 * 3.14159265358979323846 / 180.0, mu = 0.5, v = 1.5, h = 1.0 / 120.0;
    const pbs_world_desc d = settings();
    pbs_world *world = new_world_from(&d);
    // The slope is level, and gravity tilted.
    assert_ok(pbs_world_set_gravity(world,
                                    (double[3]){GRAVITY * sin(angle), -GRAVITY * cos(angle), 0.0}));
    pbs_collider_desc c = new_penalty(PBS_SHAPE_HALF_SPACE);
    c.friction = mu;
    const pbs_collider slope = add(world, &c);
    pbs_affine_desc block;
    struct box_surface surface;
    pbs_body body;
    box_surface_make(&surface, (double[3]){0.4, 0.05, 0.4});
    box_surface_describe(&surface, &block);
    block.density = 2.0 / (0.4 * 0.05 * 0.4);
    block.position[1] = 0.025 - sqrt(2.0 * GRAVITY * cos(angle) / 4.0 / (3.0 * K));
    block.velocity[0] = v;
    assert_ok(pbs_body_create_affine(world, &block, &body));
    pbs_contact_desc contact;
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    assert_ok(pbs_body_set_contact(world, body, &contact));
    const double expected = 0.9 * v / (GRAVITY * (mu * cos(angle) - sin(angle)));
    double stopped = 0.0, last = INFINITY;
    for (int step = 1; step <= 240; step++) {
        assert_ok(pbs_world_step(world, h));
        const double *velocities = pbs_body_velocities(world, body);
        double mean = 0.0;
        for (size_t i = 0; i < 8; i++) {
            mean += velocities[3 * i] / 8.0;
        }
        assert_true(mean <= last + 1e-3);
        last = mean;
        if (stopped == 0.0 && mean < 0.1 * v) {
            stopped = h * step;
        }
    }
    assert_near(stopped, expected, 0.02 * expected, "time until it nearly stops, s");
    assert_small(fabs(last), 3.0 * GRAVITY * sin(angle) * h, "speed at rest, m/s");
    assert_true(energy_of(world).dissipated > 0.5 * 2.0 * v * v);
    pbs_contact_force load = {.struct_size = sizeof load};
    assert_ok(pbs_collider_contact_force(world, slope, NULL, &load));
    assert_near(load.force[1], -2.0 * GRAVITY * cos(angle), 0.02 * 2.0 * GRAVITY, "N");
    assert_near(load.friction[0], 2.0 * GRAVITY * sin(angle), 0.02 * 2.0 * GRAVITY, "N");
    pbs_world_destroy(world);
}

// --- beside constraints, and moving ---

/// Two particles on the same height: one over a constraint, one over a penalty. The constraint
/// keeps its own out exactly, and the penalty lets its own in.
static void constraints_stay_what_they_are(void **state) {
    (void)state;
    const pbs_world_desc d = settings();
    pbs_world *world = new_world_from(&d);
    pbs_collider_desc c = new_penalty(PBS_SHAPE_BOX);
    c.size[0] = c.size[1] = c.size[2] = 0.5;
    c.position[1] = -0.5;
    add(world, &c);
    c.collision = PBS_COLLISION_CONSTRAINT;
    c.position[0] = 2.0;
    add(world, &c);
    const pbs_body soft = add_free_particle(world, 1.0, (double[3]){0.0, 0.1, 0.0},
                                            (double[3]){0.0});
    const pbs_body hard = add_free_particle(world, 1.0, (double[3]){2.0, 0.1, 0.0},
                                            (double[3]){0.0});
    for (int step = 0; step < 100; step++) {
        assert_ok(pbs_world_step(world, 1.0 / 60.0));
        assert_true(pbs_body_positions(world, hard)[1] >= -1e-12);
    }
    assert_near(pbs_body_positions(world, hard)[1], 0.0, 1e-12, "m");
    assert_near(pbs_body_positions(world, soft)[1], -sqrt(GRAVITY / (3.0 * K)), 1e-9, "m");
    size_t count = 0;
    assert_ok(pbs_world_contacts(world, NULL, sizeof(pbs_contact), &count));
    assert_int_equal(count, 2);
    pbs_contact rows[2];
    assert_ok(pbs_world_contacts(world, rows, sizeof rows[0], &count));
    for (int i = 0; i < 2; i++) {
        assert_near(rows[i].normal_force, GRAVITY, 1e-6, "N");
        assert_near(rows[i].normal[1], 1.0, 1e-12, "normal");
    }
    assert_near(fmin(rows[0].gap, rows[1].gap), -sqrt(GRAVITY / (3.0 * K)), 1e-9, "gap, m");
    pbs_world_destroy(world);
}

/// A grid that moves takes along what it pushes, and its work is what the particle gets.
static void moving_grids_push(void **state) {
    (void)state;
    float *samples = NULL;
    const pbs_world_desc d = settings();
    pbs_world *world = new_world_from(&d);
    assert_ok(pbs_world_set_gravity(world, (double[3]){0.0}));
    const pbs_collider_desc c = new_slab(&samples);
    const pbs_collider slab = add(world, &c);
    free(samples);
    const pbs_body body = add_free_particle(world, 1.0, (double[3]){0.1, 0.01, 0.1},
                                            (double[3]){0.0});
    const double level[4] = {0.0, 0.0, 0.0, 1.0};
    for (int step = 1; step <= 60; step++) {
        assert_ok(
            pbs_collider_set_motion(world, slab, (double[3]){0.0, -0.2 + step / 60.0, 0.0}, level));
        assert_ok(pbs_world_step(world, 1.0 / 60.0));
    }
    assert_true(pbs_body_positions(world, body)[1] > 0.99);
    assert_true(pbs_body_velocities(world, body)[1] > 0.9);
    pbs_world_destroy(world);
}

/// A grid comes while a particle falls, another kind of penalty goes, and the grid goes while the
/// particle is in it: what is read afterwards is of the world as it is.
static void colliders_come_and_go(void **state) {
    (void)state;
    float *samples = NULL;
    const pbs_world_desc d = settings();
    pbs_world *world = new_world_from(&d);
    pbs_collider_desc c = new_penalty(PBS_SHAPE_SPHERE);
    c.size[0] = 0.5;
    c.position[0] = 5.0;
    const pbs_collider ball = add(world, &c);
    const pbs_body body = add_free_particle(world, 1.0, (double[3]){0.1, 0.02, 0.1},
                                            (double[3]){0.0});
    assert_ok(pbs_world_step(world, 1.0 / 60.0));
    c = new_slab(&samples);
    const pbs_collider slab = add(world, &c);
    free(samples);
    assert_ok(pbs_collider_destroy(world, ball));
    for (int step = 0; step < 60; step++) {
        assert_ok(pbs_world_step(world, 1.0 / 60.0));
    }
    assert_true(stats_of(world).contact.deepest_penetration > 1e-3);
    assert_true(energy_of(world).contact > 0.0);
    assert_ok(pbs_collider_destroy(world, slab));
    assert_true(energy_of(world).contact == 0.0);
    pbs_closest_desc closest;
    pbs_surface_point out = {.struct_size = sizeof out};
    assert_ok(pbs_closest_desc_init(&closest, sizeof closest));
    assert_ok(pbs_world_closest(world, &closest, &out));
    assert_true(out.collider.id == 0);
    const double before = pbs_body_positions(world, body)[1];
    assert_ok(pbs_world_step(world, 1.0 / 60.0));
    assert_true(pbs_body_positions(world, body)[1] < before - 1e-4);
    assert_true(stats_of(world).contact.deepest_penetration == 0.0);
    pbs_world_destroy(world);
}

// --- queries ---

static void queries_see_grids(void **state) {
    (void)state;
    float *samples = NULL;
    const pbs_world_desc d = settings();
    pbs_world *world = new_world_from(&d);
    struct surface_mesh mesh;
    assert_true(surface_ball(0.5, 64, &mesh));
    pbs_collider_desc c = new_grid(&mesh, 30, &samples);
    surface_mesh_free(&mesh);
    c.position[0] = 3.0;
    const pbs_collider ball = add(world, &c);
    free(samples);
    pbs_surface_point out = {.struct_size = sizeof out};
    pbs_ray_desc ray;
    assert_ok(pbs_ray_desc_init(&ray, sizeof ray));
    ray.direction[0] = 1.0;
    ray.direction[1] = 0.0;
    assert_ok(pbs_world_ray(world, &ray, &out));
    assert_true(out.collider.id == ball.id);
    // Chords of 64 segments are 1.2e-3 of the radius below it, both ways around.
    assert_near(out.distance, 2.5, 2e-3, "m");
    assert_near(out.normal[0], -1.0, 1e-2, "normal");
    pbs_closest_desc closest;
    assert_ok(pbs_closest_desc_init(&closest, sizeof closest));
    closest.point[0] = 3.0;
    closest.point[1] = 4.0;
    assert_ok(pbs_world_closest(world, &closest, &out));
    assert_near(out.distance, 3.5, 2e-3, "m");
    assert_near(out.point[1], 0.5, 2e-3, "m");
    assert_near(out.normal[1], 1.0, 1e-2, "normal");
    closest.point[1] = 0.3;
    assert_ok(pbs_world_closest(world, &closest, &out));
    assert_near(out.distance, 0.2, 2e-3, "m");
    closest.distance = 0.1;
    assert_ok(pbs_world_closest(world, &closest, &out));
    assert_true(out.collider.id == 0);
    // Searches for overlaps do not know of it.
    size_t count = 0;
    pbs_overlap_desc overlap;
    assert_ok(pbs_overlap_desc_init(&overlap, sizeof overlap));
    const double inside[9] = {3.0, 0.0, 0.0, 3.1, 0.0, 0.0, 3.0, 0.1, 0.0};
    const uint32_t triangle[3] = {0, 1, 2};
    overlap.vertex_count = 3;
    overlap.positions = inside;
    overlap.triangle_count = 1;
    overlap.triangles = triangle;
    assert_ok(pbs_world_overlaps(world, &overlap, NULL, sizeof(pbs_overlap), &count));
    assert_int_equal(count, 0);
    pbs_world_destroy(world);
}

// --- refusals ---

static void impossible_colliders_are_refused(void **state) {
    (void)state;
    float *samples = NULL;
    const pbs_world_desc d = settings();
    pbs_world *world = new_world_from(&d);
    const pbs_collider_desc good = new_slab(&samples);
    pbs_collider collider = {77};
    pbs_collider_desc c = new_penalty(PBS_SHAPE_SPHERE);
    c.size[0] = 1.0;
    c.collision = 2;
    assert_status(pbs_collider_create(world, &c, &collider), PBS_ERROR_ARGUMENT);
    assert_message("collision");
    c.collision = PBS_COLLISION_PENALTY;
    const double stiffness[] = {-1.0, NAN, INFINITY};
    for (size_t i = 0; i < COUNT_OF(stiffness); i++) {
        c.penalty_stiffness = stiffness[i];
        assert_status(pbs_collider_create(world, &c, &collider), PBS_ERROR_ARGUMENT);
        assert_message("penalty_stiffness");
    }
    c.penalty_stiffness = 0.0;
    c.reserved = 1;
    assert_status(pbs_collider_create(world, &c, &collider), PBS_ERROR_ARGUMENT);
    c = good;
    c.grid_interpolation = 2;
    assert_status(pbs_collider_create(world, &c, &collider), PBS_ERROR_ARGUMENT);
    assert_message("grid_interpolation");
    c = good;
    c.grid_samples = NULL;
    assert_status(pbs_collider_create(world, &c, &collider), PBS_ERROR_ARGUMENT);
    assert_message("grid_samples");
    c = good;
    c.grid_counts[1] = 0;
    assert_status(pbs_collider_create(world, &c, &collider), PBS_ERROR_ARGUMENT);
    assert_message("must be 4 at least");
    c.grid_counts[1] = UINT32_MAX;
    assert_status(pbs_collider_create(world, &c, &collider), PBS_ERROR_ARGUMENT);
    assert_message("samples, must be 268435456 in all at most");
    c = good;
    c.grid_cell = 0.0;
    assert_status(pbs_collider_create(world, &c, &collider), PBS_ERROR_ARGUMENT);
    assert_message("cell is 0 m");
    c = good;
    c.grid_origin[2] = NAN;
    assert_status(pbs_collider_create(world, &c, &collider), PBS_ERROR_ARGUMENT);
    assert_message("grid_origin");
    c = good;
    const float kept = samples[5];
    samples[5] = -1.0F;
    assert_status(pbs_collider_create(world, &c, &collider), PBS_ERROR_MESH);
    assert_message("too close to the border");
    samples[5] = (float)NAN;
    assert_status(pbs_collider_create(world, &c, &collider), PBS_ERROR_ARGUMENT);
    assert_message("must be finite");
    samples[5] = kept;
    assert_true(collider.id == 77);
    assert_ok(pbs_collider_create(world, &c, &collider));
    assert_ok(pbs_collider_destroy(world, collider));
    pbs_world_destroy(world);

    for (int kind = 0; kind < 2; kind++) {
        pbs_world_desc other = settings();
        other.contact = kind == 0 ? PBS_CONTACT_BARRIER : PBS_CONTACT_PENALTY;
        world = new_world_from(&other);
        assert_status(pbs_collider_create(world, &good, &collider), PBS_ERROR_ARGUMENT);
        assert_message("grids are for worlds with PBS_CONTACT_PROJECTION");
        c = new_penalty(PBS_SHAPE_HALF_SPACE);
        assert_status(pbs_collider_create(world, &c, &collider), PBS_ERROR_ARGUMENT);
        assert_message("penalties of colliders are for worlds with PBS_CONTACT_PROJECTION");
        pbs_world_destroy(world);
    }
    free(samples);
}

static pbs_status create_grid(pbs_world *world, void *context) {
    pbs_collider collider;
    return pbs_collider_create(world, context, &collider);
}

static void refused_memory_changes_nothing(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world_desc d = settings();
    d.allocator = test_allocator_hooks(&allocator);
    pbs_world *world = new_world_from(&d);
    float *samples = NULL;
    pbs_collider_desc slab = new_slab(&samples);
    uint64_t refused = 0;
    assert_ok(refuse_until_success(&allocator, world, create_grid, &slab, &refused));
    assert_true(refused >= 2);
    free(samples);
    pbs_world_destroy(world);
    assert_int_equal(allocator.blocks_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_go_in_by_the_square_root),
        cmocka_unit_test(guesses_depend_on_the_state_alone),
        cmocka_unit_test(bodies_without_stiffness_are_counted),
        cmocka_unit_test(thin_plates_hold_what_lies_on_them),
        cmocka_unit_test(every_scheme_feels_penalties),
        cmocka_unit_test(impacts_go_in_by_the_cube_root),
        cmocka_unit_test(stiffness_follows_the_body),
        cmocka_unit_test(a_mesh_holds_a_ball),
        cmocka_unit_test(straight_lines_hold_what_is_convex),
        cmocka_unit_test(bits_and_memory),
        cmocka_unit_test(blocks_stop_on_a_slope),
        cmocka_unit_test(constraints_stay_what_they_are),
        cmocka_unit_test(moving_grids_push),
        cmocka_unit_test(colliders_come_and_go),
        cmocka_unit_test(queries_see_grids),
        cmocka_unit_test(impossible_colliders_are_refused),
        cmocka_unit_test(refused_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
