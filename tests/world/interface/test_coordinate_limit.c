// Coordinates at COORDINATE_LIMIT and beyond, in every call that takes coordinates. At the limit
// they are accepted. The next larger double is refused with the index and the value, and nothing
// changes. A step that would end beyond the limit fails.
// SPDX-License-Identifier: MIT
#include "base/config.h"
#include "support/world_testing.h"
#include "world/interface/byte_stream.h"
#include "world/snapshots/snapshot.h"

static const double limit = COORDINATE_LIMIT;
static const double beyond[] = {1.0000000000000002e30, -1.0000000000000002e30, 1e170, -1e300};
static const double origin[3] = {0.0, 0.0, 0.0};
static const double upright[4] = {0.0, 0.0, 0.0, 1.0};

/// Asserts that the message of the last error names the place and the value.
static void assert_names(const char *place, double value) {
    char words[192];
    snprintf(words, sizeof words, "%s is %g m", place, value);
    assert_message(words);
}

static pbs_world *barrier_world(void) {
    pbs_world_desc d;
    scene_settings(&d);
    d.contact = PBS_CONTACT_BARRIER;
    return new_world_from(&d);
}

// --- bodies ---

/// Creates a body of one kind whose vertex 1 has the coordinates.
typedef pbs_status create_fn(pbs_world *world, const double place[3], pbs_body *out);

static pbs_status create_solid(pbs_world *world, const double place[3], pbs_body *out) {
    const double size = fabs(place[0]);
    double x[12] = {0, 0, 0, 0, 0, 0, 0, size, 0, 0, 0, size};
    static const uint32_t tets[4] = {0, 1, 2, 3};
    memcpy(x + 3, place, 3 * sizeof *x);
    pbs_solid_desc d;
    assert_ok(pbs_solid_desc_init(&d, sizeof d));
    d.vertex_count = 4;
    d.positions = x;
    d.tet_count = 1;
    d.tets = tets;
    return pbs_body_create_solid(world, &d, out);
}

static pbs_status create_solid_elsewhere(pbs_world *world, const double place[3], pbs_body *out) {
    const double rest[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t tets[4] = {0, 1, 2, 3};
    memcpy(x + 3, place, 3 * sizeof *x);
    pbs_solid_desc d;
    assert_ok(pbs_solid_desc_init(&d, sizeof d));
    d.vertex_count = 4;
    d.positions = rest;
    d.initial_positions = x;
    d.tet_count = 1;
    d.tets = tets;
    return pbs_body_create_solid(world, &d, out);
}

static pbs_status create_shell(pbs_world *world, const double place[3], pbs_body *out) {
    double x[9] = {0, 0, 0, 0, 0, 0, 0, 0, fabs(place[0])};
    static const uint32_t triangles[3] = {0, 2, 1};
    memcpy(x + 3, place, 3 * sizeof *x);
    pbs_shell_desc d;
    assert_ok(pbs_shell_desc_init(&d, sizeof d));
    d.vertex_count = 3;
    d.positions = x;
    d.triangle_count = 1;
    d.triangles = triangles;
    return pbs_body_create_shell(world, &d, out);
}

static pbs_status create_springs(pbs_world *world, const double place[3], pbs_body *out) {
    double x[6] = {0.0};
    static const double masses[2] = {1.0, 1.0};
    memcpy(x + 3, place, 3 * sizeof *x);
    pbs_springs_desc d;
    assert_ok(pbs_springs_desc_init(&d, sizeof d));
    d.vertex_count = 2;
    d.positions = x;
    d.masses = masses;
    return pbs_body_create_springs(world, &d, out);
}

static pbs_status create_custom(pbs_world *world, const double place[3], pbs_body *out) {
    double x[6] = {0.0};
    static const double masses[2] = {1.0, 1.0};
    memcpy(x + 3, place, 3 * sizeof *x);
    pbs_custom_desc d;
    springs_describe(&d, 2, x, masses, 0, NULL);
    return pbs_body_create_custom(world, &d, out);
}

struct row {
    create_fn *create;
    const char *name;
};

static const struct row bodies[] = {
    {create_solid, "positions of vertex 1"},
    {create_solid_elsewhere, "initial_positions of vertex 1"},
    {create_shell, "positions of vertex 1"},
    {create_springs, "positions of vertex 1"},
    {create_custom, "positions of vertex 1"},
};

static void bodies_are_made_within_the_limit(void **state) {
    (void)state;
    pbs_world *world = new_world();
    for (size_t r = 0; r < COUNT_OF(bodies); r++) {
        for (size_t i = 0; i < 3 * COUNT_OF(beyond); i++) {
            double place[3] = {0.5, 0.0, 0.0};
            char words[128];
            pbs_body body = {0};
            const double value = beyond[i / 3];
            place[i % 3] = value;
            snprintf(words, sizeof words, "%s: %c", bodies[r].name, "xyz"[i % 3]);
            assert_status(bodies[r].create(world, place, &body), PBS_ERROR_ARGUMENT);
            assert_names(words, value);
            assert_true(body.id == 0);
        }
        assert_int_equal(pbs_world_body_count(world), r);
        // Elements are as tall as they are long.
        const double place[3] = {limit, limit, limit};
        pbs_body body;
        assert_ok(bodies[r].create(world, place, &body));
        assert_true(pbs_body_positions(world, body)[3] == limit);
    }
    pbs_world_destroy(world);
}

static void affine_bodies_are_made_within_the_limit(void **state) {
    (void)state;
    pbs_world *world = barrier_world();
    const double sides[3] = {1.0, 1.0, 1.0};
    struct box_surface box;
    pbs_affine_desc d;
    pbs_body body = {0};
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    for (size_t i = 0; i < 3 * COUNT_OF(beyond); i++) {
        const double value = beyond[i / 3];
        char words[128];
        d.position[i % 3] = value;
        snprintf(words, sizeof words, "position[%zu]", i % 3);
        assert_status(pbs_body_create_affine(world, &d, &body), PBS_ERROR_ARGUMENT);
        assert_names(words, value);
        d.position[i % 3] = 0.0;
    }
    // Centre and vertex are within the limit, and their sum is not.
    for (int i = 0; i < 24; i++) {
        box.positions[i] += 1e30 - 1e15;
    }
    d.position[1] = limit;
    assert_true(pbs_body_create_affine(world, &d, &body) < 0);
    box_surface_make(&box, sides);
    assert_ok(pbs_body_create_affine(world, &d, &body));
    for (size_t i = 0; i < COUNT_OF(beyond); i++) {
        const double place[3] = {0.0, 0.0, beyond[i]};
        assert_status(pbs_body_set_pose(world, body, place, upright), PBS_ERROR_ARGUMENT);
        assert_names("position[2]", beyond[i]);
        assert_status(pbs_body_set_target_pose(world, body, place, upright), PBS_ERROR_ARGUMENT);
        assert_names("position[2]", beyond[i]);
    }
    const double place[3] = {limit, -limit, limit};
    assert_ok(pbs_body_set_pose(world, body, place, upright));
    assert_ok(pbs_body_set_target_pose(world, body, place, upright));
    pbs_world_destroy(world);
}

static void bodies_are_put_within_the_limit(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body body = add_cube(world, 1, 1.0, origin, NULL);
    const uint64_t hash = pbs_world_hash(world);
    static const uint32_t vertices[2] = {6, 3};
    double x[24], targets[6] = {0.0};
    memcpy(x, pbs_body_positions(world, body), sizeof x);
    for (size_t i = 0; i < COUNT_OF(beyond); i++) {
        x[16] = targets[4] = beyond[i];
        assert_status(pbs_body_set_positions(world, body, x, 8), PBS_ERROR_ARGUMENT);
        assert_names("positions of vertex 5: y", beyond[i]);
        assert_status(pbs_body_set_targets(world, body, vertices, 2, targets), PBS_ERROR_ARGUMENT);
        assert_names("targets[1], of vertex 3: y", beyond[i]);
    }
    assert_true(pbs_world_hash(world) == hash);
    x[16] = targets[4] = -limit;
    assert_ok(pbs_body_set_targets(world, body, vertices, 2, targets));
    assert_ok(pbs_body_set_positions(world, body, x, 8));
    assert_true(pbs_body_positions(world, body)[16] == -limit);
    pbs_world_destroy(world);
}

// --- colliders, contact, queries ---

static void colliders_lie_within_the_limit(void **state) {
    (void)state;
    pbs_world *world = barrier_world();
    pbs_collider_desc d;
    pbs_collider collider;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.shape = PBS_SHAPE_BOX;
    d.size[0] = d.size[1] = d.size[2] = limit;
    d.position[0] = limit;
    assert_ok(pbs_collider_create(world, &d, &collider));
    for (size_t i = 0; i < COUNT_OF(beyond); i++) {
        const double place[3] = {0.0, beyond[i], 0.0};
        d.position[2] = beyond[i];
        assert_status(pbs_collider_create(world, &d, &collider), PBS_ERROR_ARGUMENT);
        assert_names("position[2]", beyond[i]);
        d.position[2] = 0.0;
        d.size[1] = fabs(beyond[i]);
        assert_status(pbs_collider_create(world, &d, &collider), PBS_ERROR_ARGUMENT);
        assert_names("box: size[1]", fabs(beyond[i]));
        d.size[1] = 1.0;
        assert_status(pbs_collider_set_motion(world, collider, place, upright), PBS_ERROR_ARGUMENT);
        assert_names("position[1]", beyond[i]);
    }
    const double place[3] = {limit, limit, limit};
    assert_ok(pbs_collider_set_motion(world, collider, place, upright));
    assert_int_equal(pbs_world_collider_count(world), 1);
    pbs_world_destroy(world);
}

static pbs_status create_triangle(pbs_world *world, const double x[9]) {
    static const uint32_t triangle[3] = {0, 1, 2};
    pbs_collider_desc d;
    pbs_collider collider;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.shape = PBS_SHAPE_MESH;
    d.vertex_count = 3;
    d.vertices = x;
    d.triangle_count = 1;
    d.triangles = triangle;
    return pbs_collider_create(world, &d, &collider);
}

/// Triangles that reach as far as they may, and a body between them: a step answers, whatever it
/// says.
static void far_triangles_do_no_harm(void **state) {
    (void)state;
    for (int n = 0; n < 20; n++) {
        pbs_world *world = barrier_world();
        add_cube(world, 1, 0.3, origin, NULL);
        double x[9];
        for (int i = 0; i < 9; i++) {
            x[i] = limit * sin(12.0 * n + 5.0 * i * i);
        }
        assert_ok(create_triangle(world, x));
        pbs_world_step(world, 0.01);
        x[7] = beyond[(size_t)n % COUNT_OF(beyond)];
        assert_status(create_triangle(world, x), PBS_ERROR_ARGUMENT);
        assert_names("vertices: position of vertex 2: y", x[7]);
        pbs_world_destroy(world);
    }
}

static void contact_distances_have_the_limit(void **state) {
    (void)state;
    pbs_world_desc d;
    pbs_world *world = NULL;
    scene_settings(&d);
    d.contact_distance = beyond[0];
    assert_status(pbs_world_create(&d, &world), PBS_ERROR_ARGUMENT);
    assert_names("contact_distance", beyond[0]);
    d.contact_distance = limit;
    assert_ok(pbs_world_create(&d, &world));
    const pbs_body body = add_cube(world, 1, 1.0, origin, NULL);
    pbs_contact_desc contact;
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.offset = beyond[0];
    assert_status(pbs_body_set_contact(world, body, &contact), PBS_ERROR_ARGUMENT);
    assert_names("offset", beyond[0]);
    contact.offset = limit;
    assert_ok(pbs_body_set_contact(world, body, &contact));
    pbs_world_destroy(world);
}

static void queries_start_within_the_limit(void **state) {
    (void)state;
    pbs_world *world = new_world();
    add_ground(world);
    add_cube(world, 1, 1.0, origin, NULL);
    pbs_ray_desc ray;
    pbs_closest_desc near;
    pbs_surface_point out = {.struct_size = sizeof out, .distance = 77.0};
    assert_ok(pbs_ray_desc_init(&ray, sizeof ray));
    assert_ok(pbs_closest_desc_init(&near, sizeof near));
    for (size_t i = 0; i < COUNT_OF(beyond); i++) {
        ray.origin[1] = near.point[1] = beyond[i];
        assert_status(pbs_world_ray(world, &ray, &out), PBS_ERROR_ARGUMENT);
        assert_names("origin[1]", beyond[i]);
        assert_status(pbs_world_closest(world, &near, &out), PBS_ERROR_ARGUMENT);
        assert_names("point[1]", beyond[i]);
    }
    assert_true(out.distance == 77.0);
    ray.origin[0] = near.point[0] = limit;
    ray.origin[1] = near.point[1] = limit;
    assert_ok(pbs_world_ray(world, &ray, &out));
    assert_near(out.distance, limit, 1e16, "m down to the ground");
    assert_ok(pbs_world_closest(world, &near, &out));
    assert_near(out.distance, limit, 1e16, "m to the ground");
    pbs_world_destroy(world);
}

// --- saved worlds ---

/// A world whose saved bytes hold `mark` exactly once must not be restored with another number
/// there.
static void refuse_mark(pbs_world *world, double mark, const char *words) {
    const struct saved_world bytes = save_world(world);
    pbs_world *other = barrier_world();
    for (size_t i = 0; i < COUNT_OF(beyond); i++) {
        int found = 0;
        unsigned char *forged = malloc(bytes.size);
        memcpy(forged, bytes.data, bytes.size);
        for (size_t at = sizeof(struct snapshot_header); at + sizeof mark <= bytes.size; at += 4) {
            if (memcmp(forged + at, &mark, sizeof mark) == 0) {
                memcpy(forged + at, &beyond[i], sizeof mark);
                found++;
            }
        }
        assert_true(found > 0);
        struct snapshot_header header;
        memcpy(&header, forged, sizeof header);
        header.checksum = checksum(forged + sizeof header, bytes.size - sizeof header);
        memcpy(forged, &header, sizeof header);
        assert_status(pbs_world_restore(other, forged, bytes.size), PBS_ERROR_FORMAT);
        assert_message(words);
        free(forged);
    }
    assert_int_equal(pbs_world_body_count(other), 0);
    free(bytes.data);
    pbs_world_destroy(other);
}

/// Each number of a saved world that is a coordinate.
static void saved_worlds_lie_within_the_limit(void **state) {
    (void)state;
    static const uint32_t vertex = 3;
    const double mark = 0.7182818284590452;
    double x[24];
    for (int kind = 0; kind < 5; kind++) {
        pbs_world *world = barrier_world();
        const double corner[3] = {kind == 0 ? mark : 0.0, 0.0, 0.0};
        const pbs_body body = add_cube(world, 1, 1.0, corner, NULL);
        memcpy(x, pbs_body_positions(world, body), sizeof x);
        const double place[3] = {mark, 0.0, 5.0};
        pbs_collider_desc d;
        pbs_collider collider;
        assert_ok(pbs_collider_desc_init(&d, sizeof d));
        d.shape = PBS_SHAPE_SPHERE;
        d.size[0] = kind == 4 ? mark : 0.1;
        d.position[0] = kind == 3 ? mark : 10.0;
        assert_ok(pbs_collider_create(world, &d, &collider));
        x[9] = mark;
        if (kind == 1) {
            assert_ok(pbs_body_set_positions(world, body, x, 8));
        } else if (kind == 2) {
            assert_ok(pbs_collider_set_motion(world, collider, place, upright));
        }
        static const char *const words[] = {"positions of vertex", "position of vertex 3",
                                            "target position[0]", "position[0]", "size[0]"};
        refuse_mark(world, mark, words[kind]);
        pbs_world_destroy(world);
    }
    pbs_world *world = barrier_world();
    const pbs_body body = add_cube(world, 1, 1.0, origin, NULL);
    const double target[3] = {0.0, mark, 0.0};
    assert_ok(pbs_body_set_targets(world, body, &vertex, 1, target));
    refuse_mark(world, mark, "target of vertex 3: y");
    pbs_world_destroy(world);
}

// --- steps ---

/// Two particles, of which the second gets the speed.
static void add_particles(pbs_world *world) {
    static const double positions[6] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0};
    static const double masses[2] = {1.0, 1.0};
    pbs_springs_desc d;
    pbs_body body;
    assert_ok(pbs_springs_desc_init(&d, sizeof d));
    d.vertex_count = 2;
    d.positions = positions;
    d.masses = masses;
    assert_ok(pbs_body_create_springs(world, &d, &body));
}

static void throw_up(pbs_world *world, double speed) {
    const double v[6] = {0.0, 0.0, 0.0, 0.0, speed, 0.0};
    assert_ok(pbs_body_set_velocities(world, pbs_world_body_at(world, 1), v, 2));
}

/// With and without divisions, in a step and in an advance that controls its steps.
static void steps_end_within_the_limit(void **state) {
    (void)state;
    for (int n = 0; n < 4; n++) {
        pbs_world_desc d;
        assert_ok(pbs_world_desc_init(&d, sizeof d));
        d.contact = PBS_CONTACT_PROJECTION;
        d.divisions = n % 2 == 0 ? 0 : 3;
        pbs_world *world = new_world_from(&d);
        pbs_integrator_desc scheme;
        assert_ok(pbs_integrator_desc_init(&scheme, sizeof scheme, PBS_SCHEME_IMPLICIT_EULER));
        scheme.step_control.kind = n < 2 ? PBS_STEP_FIXED : PBS_STEP_DOUBLING;
        scheme.step_control.tolerance = 1e-3;
        scheme.step_control.max = 1.0;
        scheme.step_control.min = 1e-3;
        use_integrator(world, &scheme);
        add_particles(world);
        add_particles(world);
        throw_up(world, 0.5e30);
        assert_ok(pbs_world_step(world, 1.0));
        throw_up(world, 1e30);
        const uint64_t hash = pbs_world_hash(world);
        assert_status(pbs_world_step(world, 1.0), PBS_ERROR_INADMISSIBLE);
        assert_message("end with body 1, node 1 at y = ");
        assert_status(pbs_world_advance(world, 1.0), PBS_ERROR_INADMISSIBLE);
        assert_message("must be between -1e+30 and 1e+30");
        assert_true(pbs_world_hash(world) == hash);
        throw_up(world, 0.4e30);
        assert_ok(pbs_world_step(world, 1.0));
        pbs_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_made_within_the_limit),
        cmocka_unit_test(affine_bodies_are_made_within_the_limit),
        cmocka_unit_test(bodies_are_put_within_the_limit),
        cmocka_unit_test(colliders_lie_within_the_limit),
        cmocka_unit_test(far_triangles_do_no_harm),
        cmocka_unit_test(contact_distances_have_the_limit),
        cmocka_unit_test(queries_start_within_the_limit),
        cmocka_unit_test(saved_worlds_lie_within_the_limit),
        cmocka_unit_test(steps_end_within_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
