// Walks over the rows of the table of shapes as colliders: whatever its shape is, a solid or hollow
// collider stops a particle in each kind of contact, and is drawn, found by queries and saved.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "geometry/region.h"
#include "geometry/shape_table.h"
#include "support/scenes/sample_shapes.h"
#include "support/world_testing.h"

enum { KINDS = 64, MODES = 3 };

static const double GAP = 0.05;  ///< m, between particle and surface
static const double SPEED = 1.0; ///< m/s, towards it

static const struct pose at_origin = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};

/// A collider at the origin, and a particle on its way to it.
struct scene_of_shape {
    pbs_world *world;
    struct shape shape;
    pbs_collider collider;
    pbs_body particle;
    double start[3], velocity[3];
};

/// Barriers, constraints, penalties.
static pbs_world *new_world_of(int mode) {
    pbs_world_desc d;
    scene_settings(&d);
    d.contact = mode == 0 ? PBS_CONTACT_BARRIER : PBS_CONTACT_PROJECTION;
    memset(d.gravity, 0, sizeof d.gravity);
    return new_world_from(&d);
}

static struct scene_of_shape begin(const struct shape *shape, int mode) {
    struct scene_of_shape s = {.world = new_world_of(mode), .shape = *shape};
    pbs_collider_desc d;
    double surface[3], distance, normal[3];
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.shape = shape->kind;
    d.hollow = shape->hollow;
    copy3(shape->size, d.size);
    d.collision = mode == 2 ? PBS_COLLISION_PENALTY : PBS_COLLISION_CONSTRAINT;
    d.penalty_stiffness = 1e7;
    assert_ok(pbs_collider_create(s.world, &d, &s.collider));
    assert_true(shape_closest(shape, &at_origin, (const double[3]){1.0, 0.1, 0.3}, surface,
                              &distance, normal));
    add_scaled3(surface, GAP, normal, s.start);
    scale3(-SPEED, normal, s.velocity);
    s.particle = add_free_particle(s.world, 1.0, s.start, s.velocity);
    return s;
}

static double distance_of(const struct scene_of_shape *s) {
    return shape_distance(&s->shape, &at_origin, pbs_body_positions(s->world, s->particle), NULL,
                          NULL);
}

static void count_lines(const struct scene_of_shape *s) {
    pbs_debug_desc d;
    size_t count = 0;
    assert_ok(pbs_debug_desc_init(&d, sizeof d));
    d.flags = PBS_DEBUG_COLLIDERS;
    assert_ok(pbs_world_debug_lines(s->world, &d, NULL, sizeof(pbs_debug_point), &count));
    assert_true(count >= 8);
}

/// Both see the surface at the gap from where the particle starts.
static void query(const struct scene_of_shape *s) {
    pbs_ray_desc ray;
    pbs_closest_desc near;
    pbs_surface_point hit = {.struct_size = sizeof hit};
    assert_ok(pbs_ray_desc_init(&ray, sizeof ray));
    copy3(s->start, ray.origin);
    copy3(s->velocity, ray.direction);
    assert_ok(pbs_world_ray(s->world, &ray, &hit));
    assert_true(hit.collider.id == s->collider.id);
    assert_near(hit.distance, GAP, 1e-12, "distance along a ray, m");
    assert_ok(pbs_closest_desc_init(&near, sizeof near));
    copy3(s->start, near.point);
    assert_ok(pbs_world_closest(s->world, &near, &hit));
    assert_true(hit.collider.id == s->collider.id);
    assert_near(hit.distance, GAP, 1e-12, "distance, m");
}

/// Without the collider the particle would be 0.15 m inside. Prisms and meshes of round shapes lie
/// some millimetres inside of these.
static void stop(const struct scene_of_shape *s) {
    for (int i = 0; i < 20; i++) {
        assert_ok(pbs_world_step(s->world, 0.01));
    }
    assert_true(distance_of(s) > -0.005 && distance_of(s) < GAP);
}

static void restore(const struct scene_of_shape *s) {
    const struct saved_world saved = save_world(s->world);
    pbs_world *other = new_world();
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    assert_ok(pbs_world_step(s->world, 0.01));
    assert_ok(pbs_world_step(other, 0.01));
    assert_true(pbs_world_hash(s->world) == pbs_world_hash(other));
    pbs_world_destroy(other);
    free(saved.data);
}

static void every_shape_stops_particles(void **state) {
    (void)state;
    for (int k = 0; k < 2 * MODES * KINDS; k++) {
        const struct shape *sample = sample_shape_of(k / 2 / MODES);
        // Grids are formulas of samples; tests/geometry/test_shape_table.c asks for all others.
        if (sample == NULL) {
            continue;
        }
        struct shape shape = *sample;
        shape.hollow = k % 2 == 1;
        struct scene_of_shape s = begin(&shape, k / 2 % MODES);
        count_lines(&s);
        query(&s);
        stop(&s);
        restore(&s);
        pbs_world_destroy(s.world);
    }
}

/// A region that is not convex and bounded is refused; in all others the origin is.
static void every_convex_shape_is_a_region(void **state) {
    (void)state;
    int regions = 0;
    for (int i = 0; i < sample_shape_count; i++) {
        const struct shape *shape = &sample_shapes[i];
        pbs_world *world = new_world_of(0);
        pbs_region_desc d;
        pbs_sensor sensor;
        size_t count = 0;
        assert_ok(pbs_region_desc_init(&d, sizeof d));
        d.shape = shape->kind;
        copy3(shape->size, d.size);
        add_free_particle(world, 1.0, (const double[3]){0.0, 0.0, 0.0}, NULL);
        add_free_particle(world, 1.0, (const double[3]){0.0, 3.0, 0.0}, NULL);
        if (region_takes(shape->kind)) {
            assert_ok(pbs_sensor_create(world, &d, &sensor));
            assert_ok(pbs_world_region(world, &d, PBS_REGION_OBJECTS, NULL, sizeof(pbs_region_row),
                                       &count));
            assert_int_equal(count, 1);
            regions++;
        } else {
            assert_status(pbs_sensor_create(world, &d, &sensor), PBS_ERROR_ARGUMENT);
            assert_message("must be one that is convex and bounded");
        }
        pbs_world_destroy(world);
    }
    assert_true(regions >= 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_stops_particles),
        cmocka_unit_test(every_convex_shape_is_a_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
