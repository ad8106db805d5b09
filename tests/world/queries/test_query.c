// Rays and closest points of a world, compared with a search over every triangle and every shape
// through public calls. Searches are repeated after everything that moves, creates or destroys
// objects. Also filters, refusals and memory.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "geometry/distances/distance.h"
#include "geometry/ray.h"
#include "base/config.h"
#include "support/random.h"
#include "support/world_testing.h"

enum { COLLIDERS = 8 };

/// A world of everything that has a surface, and what colliders were made of.
struct yard {
    pbs_world *world;
    pbs_body cube, sheet, box;
    pbs_collider colliders[COLLIDERS];
    pbs_collider_desc descs[COLLIDERS];
};

static const double fin_vertices[15] = {0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.4,
                                        0.0, 0.1, 0.1, 0.5, 2.0, 2.0, 2.0};
static const uint32_t fin_triangles[12] = {0, 1, 2, 0, 1, 3, 1, 2, 3, 2, 0, 3};

static pbs_collider_desc collider_desc(int32_t shape, const double size[3],
                                       const double position[3], struct random *random) {
    pbs_collider_desc d;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.shape = shape;
    copy3(size, d.size);
    copy3(position, d.position);
    double norm = 0.0;
    for (int k = 0; k < 4; k++) {
        d.orientation[k] = random_normal(random);
        norm += d.orientation[k] * d.orientation[k];
    }
    for (int k = 0; k < 4; k++) {
        d.orientation[k] /= sqrt(norm);
    }
    return d;
}

static void make_yard(struct yard *y, struct test_allocator *allocator, bool has_barrier) {
    struct random random = random_seed(21);
    pbs_world_desc d;
    pbs_expert_desc expert;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    fixed_barrier(&d);
    expert_settings(&expert, &d);
    d.contact = has_barrier ? PBS_CONTACT_BARRIER : PBS_CONTACT_PROJECTION;
    expert.project_hessian = has_barrier;
    if (allocator != NULL) {
        d.allocator = test_allocator_hooks(allocator);
    }
    *y = (struct yard){.world = new_world_from(&d)};
    const double size[3] = {0.3, 0.2, 0.25};
    y->descs[0] = collider_desc(PBS_SHAPE_HALF_SPACE, size, (double[3]){0.0, -3.0, 0.0}, &random);
    y->descs[0].orientation[0] = y->descs[0].orientation[1] = y->descs[0].orientation[2] = 0.0;
    y->descs[0].orientation[3] = 1.0;
    y->descs[1] = collider_desc(PBS_SHAPE_SPHERE, size, (double[3]){1.5, 0.0, 0.0}, &random);
    y->descs[2] = collider_desc(PBS_SHAPE_BOX, size, (double[3]){-1.5, 0.0, 0.0}, &random);
    y->descs[3] = collider_desc(PBS_SHAPE_CAPSULE, size, (double[3]){0.0, 1.5, 0.0}, &random);
    y->descs[4] = collider_desc(PBS_SHAPE_CYLINDER, size, (double[3]){0.0, -1.5, 0.0}, &random);
    y->descs[5] = collider_desc(PBS_SHAPE_BOX, (double[3]){5.0, 5.0, 5.0}, (double[3]){0.0},
                                &random);
    y->descs[5].hollow = 1;
    y->descs[6] = collider_desc(PBS_SHAPE_SPHERE, (double[3]){0.1, 0.1, 0.1},
                                (double[3]){0.0, 0.0, 1.2}, &random);
    y->descs[7] = collider_desc(PBS_SHAPE_TORUS, size, (double[3]){1.2, 1.2, -1.2}, &random);
    if (has_barrier) {
        y->descs[6] = collider_desc(PBS_SHAPE_MESH, size, (double[3]){0.0, 0.0, 1.2}, &random);
        y->descs[6].vertex_count = 5;
        y->descs[6].vertices = fin_vertices;
        y->descs[6].triangle_count = 4;
        y->descs[6].triangles = fin_triangles;
    }
    for (int i = 0; i < COLLIDERS; i++) {
        assert_ok(pbs_collider_create(y->world, &y->descs[i], &y->colliders[i]));
    }
    y->cube = add_cube(y->world, 3, 0.4, (double[3]){-0.2, -0.2, -0.2}, NULL);
    y->sheet = add_sheet(y->world, 5, 0.8, (double[3]){-0.4, 0.8, -0.4}, NULL);
    struct box_surface surface;
    pbs_affine_desc affine;
    box_surface_make(&surface, (double[3]){0.3, 0.4, 0.2});
    box_surface_describe(&surface, &affine);
    affine.position[2] = -1.2;
    assert_ok(pbs_body_create_affine(y->world, &affine, &y->box));
    // Without a surface: nobody sees it.
    const double points[6] = {0.0, 0.5, 0.0, 0.1, 0.5, 0.0};
    const double masses[2] = {1.0, 1.0};
    const uint32_t springs[2] = {0, 1};
    pbs_springs_desc chain;
    pbs_body body;
    assert_ok(pbs_springs_desc_init(&chain, sizeof chain));
    chain.vertex_count = 2;
    chain.positions = points;
    chain.masses = masses;
    chain.spring_count = 1;
    chain.springs = springs;
    assert_ok(pbs_body_create_springs(y->world, &chain, &body));
}

// --- looking at everything ---

struct seen {
    double distance;
    pbs_body body;
    pbs_collider collider;
    uint32_t triangle;
    double normal[3];
};

struct question {
    bool is_ray;
    struct ray ray;
    double point[3];
    double limit;
};

static void look_at_triangle(const struct question *q, const double *const corners[3],
                             const struct seen *who, struct seen *best) {
    double distance = 0.0;
    double weights[3];
    if (q->is_ray) {
        if (!ray_hits_triangle(&q->ray, corners, q->limit, &distance, weights)) {
            return;
        }
    } else {
        const double *const nodes[4] = {q->point, corners[0], corners[1], corners[2]};
        distance = sqrt(closest_squared(PAIR_POINT_TRIANGLE, nodes));
    }
    if (distance <= q->limit && distance < best->distance) {
        double a[3];
        double b[3];
        *best = *who;
        best->distance = distance;
        subtract3(corners[1], corners[0], a);
        subtract3(corners[2], corners[0], b);
        cross3(a, b, best->normal);
        scale3(1.0 / norm3(best->normal), best->normal, best->normal);
    }
}

static void pose_of(const pbs_world *world, pbs_collider collider, struct pose *out) {
    double q[4];
    assert_ok(pbs_collider_pose(world, collider, out->translation, q));
    // Columns of the rotation: what the quaternion makes of the axes.
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {k == 0, k == 1, k == 2};
        double turned[3];
        double again[3];
        cross3(q, axis, turned);
        add_scaled3(turned, q[3], axis, turned);
        cross3(q, turned, again);
        for (int i = 0; i < 3; i++) {
            out->rotation[3 * i + k] = axis[i] + 2.0 * again[i];
        }
    }
}

static void look_at_collider(const struct yard *y, const struct question *q, int index,
                             struct seen *best) {
    const pbs_collider_desc *d = &y->descs[index];
    struct seen who = {.collider = y->colliders[index], .triangle = UINT32_MAX};
    struct pose pose;
    pose_of(y->world, who.collider, &pose);
    if (d->shape == PBS_SHAPE_MESH) {
        for (who.triangle = 0; who.triangle < 4; who.triangle++) {
            double x[3][3];
            for (int k = 0; k < 3; k++) {
                multiply3(pose.rotation,
                          fin_vertices + 3 * (size_t)fin_triangles[3 * who.triangle + (uint32_t)k],
                          x[k]);
                add3(x[k], pose.translation, x[k]);
            }
            look_at_triangle(q, (const double *[3]){x[0], x[1], x[2]}, &who, best);
        }
        return;
    }
    struct shape shape = {.kind = d->shape, .hollow = d->hollow != 0};
    copy3(d->size, shape.size);
    double distance = 0.0;
    bool found = true;
    if (q->is_ray) {
        found = ray_hits_shape(&q->ray, &shape, &pose, q->limit, &distance, who.normal);
    } else {
        distance = fabs(shape_distance(&shape, &pose, q->point, who.normal, NULL));
    }
    if (found && distance <= q->limit && distance < best->distance) {
        *best = who;
        best->distance = distance;
    }
}

static struct seen look_at_all(const struct yard *y, const struct question *q) {
    struct seen best = {.distance = INFINITY};
    for (size_t b = 0; b < pbs_world_body_count(y->world); b++) {
        struct seen who = {.body = pbs_world_body_at(y->world, b)};
        const double *x = pbs_body_positions(y->world, who.body);
        const uint32_t *triangles = NULL;
        size_t count = 0;
        assert_ok(pbs_body_surface(y->world, who.body, &triangles, &count));
        for (; who.triangle < count; who.triangle++) {
            const uint32_t *own = triangles + 3 * (size_t)who.triangle;
            const double *const corners[3] = {x + 3 * (size_t)own[0], x + 3 * (size_t)own[1],
                                              x + 3 * (size_t)own[2]};
            look_at_triangle(q, corners, &who, &best);
        }
    }
    for (int i = 0; i < COLLIDERS; i++) {
        if (pbs_collider_is_valid(y->world, y->colliders[i])) {
            look_at_collider(y, q, i, &best);
        }
    }
    return best;
}

// --- asking ---

static pbs_ray_desc new_ray(void) {
    pbs_ray_desc d;
    assert_ok(pbs_ray_desc_init(&d, sizeof d));
    return d;
}

static pbs_closest_desc new_closest(void) {
    pbs_closest_desc d;
    assert_ok(pbs_closest_desc_init(&d, sizeof d));
    return d;
}

static pbs_surface_point cast(const pbs_world *world, const pbs_ray_desc *d) {
    pbs_surface_point out = {.struct_size = sizeof out};
    assert_ok(pbs_world_ray(world, d, &out));
    return out;
}

static pbs_surface_point closest(const pbs_world *world, const pbs_closest_desc *d) {
    pbs_surface_point out = {.struct_size = sizeof out};
    assert_ok(pbs_world_closest(world, d, &out));
    return out;
}

/// Poses are turned into matrices once more here, so that places differ by some rounding; scenes
/// are metres.
static const double ROUNDING = 1e-12;

static void assert_seen(const struct yard *y, const pbs_surface_point *p, const struct question *q,
                        const struct seen *expected) {
    if (isinf(expected->distance)) {
        assert_true(isinf(p->distance) && p->body.id == 0 && p->collider.id == 0);
        return;
    }
    assert_near(p->distance, expected->distance, ROUNDING, "distance, m");
    if (q->is_ray) {
        double at[3];
        add_scaled3(q->ray.origin, p->distance, q->ray.direction, at);
        assert_small(testing_max_difference(at, p->point, 3), ROUNDING, "place on the ray, m");
    } else {
        double way[3];
        subtract3(q->point, p->point, way);
        assert_near(norm3(way), p->distance, ROUNDING, "way to the place, m");
    }
    assert_near(norm3(p->normal), 1.0, 1e-14, "a normal's length");
    // Rays to corners meet several triangles at the same distance: the first is to be given. Where
    // poses are rounded, or squares compared, rounding may choose.
    if (q->is_ray && expected->body.id != 0) {
        assert_true(p->distance == expected->distance && p->triangle == expected->triangle);
    }
    const bool is_same = p->body.id == expected->body.id &&
                         p->collider.id == expected->collider.id &&
                         p->triangle == expected->triangle;
    if (is_same) {
        assert_small(testing_max_difference(p->normal, expected->normal, 3), 1e-9, "normal");
    }
    if (p->body.id != 0) {
        const double *x = pbs_body_positions(y->world, p->body);
        double at[3] = {0.0};
        for (int k = 0; k < 3; k++) {
            assert_true(p->weights[k] >= 0.0);
            add_scaled3(at, p->weights[k], x + 3 * (size_t)p->vertices[k], at);
        }
        assert_small(testing_max_difference(at, p->point, 3), ROUNDING, "weighted vertices, m");
        const uint32_t *triangles = NULL;
        size_t count = 0;
        assert_ok(pbs_body_surface(y->world, p->body, &triangles, &count));
        assert_memory_equal(triangles + 3 * (size_t)p->triangle, p->vertices, sizeof p->vertices);
    }
}

/// Rays and points anywhere; at corners too. Returns how many different things were seen.
static size_t compare(const struct yard *y, uint64_t seed, int count) {
    struct random random = random_seed(seed);
    uint64_t ids[16];
    size_t id_count = 0;
    for (int n = 0; n < count; n++) {
        pbs_ray_desc ray = new_ray();
        pbs_closest_desc near = new_closest();
        struct question q = {.is_ray = true, .limit = n % 3 == 0 ? INFINITY : 1.0};
        random_fill(&random, -2.0, 2.0, ray.origin, 3);
        random_unit(&random, ray.direction);
        if (n % 4 == 0) {
            const double *x = pbs_body_positions(y->world, y->sheet);
            subtract3(x + 3 * random_index(&random, 36), ray.origin, ray.direction);
        }
        copy3(ray.origin, near.point);
        copy3(ray.origin, q.point);
        ray.distance = near.distance = q.limit;
        ray_make(ray.origin, ray.direction, &q.ray);
        for (int kind = 0; kind < 2; kind++) {
            q.is_ray = kind == 0;
            const struct seen expected = look_at_all(y, &q);
            const pbs_surface_point p = q.is_ray ? cast(y->world, &ray) : closest(y->world, &near);
            assert_seen(y, &p, &q, &expected);
            const uint64_t id = p.body.id + p.collider.id;
            bool known = id == 0;
            for (size_t i = 0; i < id_count; i++) {
                known = known || ids[i] == id;
            }
            if (!known) {
                ids[id_count++] = id;
            }
        }
    }
    return id_count;
}

static int how_many(void) {
    return testing_is_small() ? 60 : 400;
}

static void queries_see_what_is_nearest(void **state) {
    (void)state;
    for (int has_barrier = 0; has_barrier < 2; has_barrier++) {
        struct yard y;
        make_yard(&y, NULL, has_barrier == 1);
        assert_int_equal(compare(&y, 1, 3 * how_many()), 3 + COLLIDERS);
        pbs_world_destroy(y.world);
    }
}

/// Steps, bodies and colliders put or moved elsewhere, others that come and go, a restore.
static void queries_see_the_present(void **state) {
    (void)state;
    struct yard y;
    make_yard(&y, NULL, true);
    compare(&y, 2, 20);
    double v[3 * 64];
    for (size_t k = 0; k < 3 * 64; k++) {
        v[k] = k % 3 == 0 ? 2.0 : 0.0;
    }
    assert_ok(pbs_body_set_velocities(y.world, y.cube, v, 64));
    for (int s = 0; s < 5; s++) {
        assert_ok(pbs_collider_set_motion(y.world, y.colliders[6], (double[3]){0.0, 0.1 * s, 1.2},
                                          y.descs[6].orientation));
        assert_ok(pbs_world_step(y.world, 0.02));
        compare(&y, 3 + (uint64_t)s, how_many() / 4);
    }
    struct saved_world saved = save_world(y.world);
    double x[3 * 64];
    memcpy(x, pbs_body_positions(y.world, y.cube), sizeof x);
    for (size_t k = 0; k < 3 * 64; k++) {
        x[k] += k % 3 == 1 ? 0.4 : 0.0;
    }
    assert_ok(pbs_body_set_positions(y.world, y.cube, x, 64));
    compare(&y, 10, how_many() / 4);
    assert_ok(pbs_body_set_pose(y.world, y.box, (double[3]){0.5, 0.0, -1.0},
                                (double[4]){0.6, 0.0, 0.0, 0.8}));
    compare(&y, 11, how_many() / 4);
    assert_ok(pbs_collider_destroy(y.world, y.colliders[1]));
    assert_ok(pbs_body_destroy(y.world, y.cube));
    compare(&y, 12, how_many() / 4);
    add_cube(y.world, 2, 0.3, (double[3]){1.0, 1.0, 1.0}, NULL);
    compare(&y, 13, how_many() / 4);
    assert_ok(pbs_world_restore(y.world, saved.data, saved.size));
    compare(&y, 14, how_many() / 4);
    free(saved.data);
    pbs_world_destroy(y.world);
}

/// Both sides must agree, as for contact; what is not seen hides nothing.
static void filters_are_heeded(void **state) {
    (void)state;
    struct yard y;
    make_yard(&y, NULL, true);
    pbs_contact_desc contact;
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.group = 2;
    contact.mask = 4;
    assert_ok(pbs_body_set_contact(y.world, y.sheet, &contact));
    pbs_ray_desc ray = new_ray();
    ray.origin[1] = 1.0; // above the sheet at 0.8 and the cube, whose top is at 0.2
    pbs_closest_desc near = new_closest();
    copy3((double[3]){0.05, 0.75, 0.0}, near.point);
    assert_true(cast(y.world, &ray).body.id == y.sheet.id);
    assert_true(closest(y.world, &near).body.id == y.sheet.id);
    ray.mask = near.mask = 1; // what the sheet is not
    assert_true(cast(y.world, &ray).body.id == y.cube.id);
    assert_true(closest(y.world, &near).body.id != y.sheet.id);
    ray.mask = near.mask = UINT32_MAX;
    ray.group = near.group = 1; // whom the sheet does not see
    assert_true(cast(y.world, &ray).body.id == y.cube.id);
    ray.group = near.group = 5;
    assert_true(cast(y.world, &ray).body.id == y.sheet.id);
    assert_true(closest(y.world, &near).body.id == y.sheet.id);
    ray.mask = near.mask = 0;
    assert_true(isinf(cast(y.world, &ray).distance));
    assert_true(isinf(closest(y.world, &near).distance));
    ray.mask = UINT32_MAX;
    ray.distance = 0.19;
    assert_true(isinf(cast(y.world, &ray).distance));
    pbs_world_destroy(y.world);
}

static void wrong_questions_are_refused(void **state) {
    (void)state;
    struct yard y;
    make_yard(&y, NULL, false);
    pbs_surface_point out = {.struct_size = sizeof out, .distance = 77.0};
    for (int i = 0; i < 8; i++) {
        pbs_ray_desc ray = new_ray();
        pbs_closest_desc near = new_closest();
        const double spoilt = i % 2 == 0 ? NAN : INFINITY;
        ray.origin[1] = near.point[2] = i < 2 ? spoilt : 0.0;
        ray.direction[0] = i == 2 || i == 3 ? spoilt : 0.0;
        ray.distance = near.distance = i == 4 ? -1.0 : i == 5 ? NAN : 1.0;
        ray.reserved = near.reserved = i == 6;
        if (i == 7) {
            ray.direction[1] = 0.0;
        }
        assert_status(pbs_world_ray(y.world, &ray, &out), PBS_ERROR_ARGUMENT);
        if (i != 2 && i != 3 && i != 7) {
            assert_status(pbs_world_closest(y.world, &near, &out), PBS_ERROR_ARGUMENT);
        }
    }
    pbs_ray_desc ray = new_ray();
    pbs_closest_desc near = new_closest();
    assert_status(pbs_world_ray(NULL, &ray, &out), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_ray(y.world, NULL, &out), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_ray(y.world, &ray, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_closest(NULL, &near, &out), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_closest(y.world, NULL, &out), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_closest(y.world, &near, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_ray_desc_init(NULL, sizeof ray), PBS_ERROR_ARGUMENT);
    assert_status(pbs_closest_desc_init(NULL, sizeof near), PBS_ERROR_ARGUMENT);
    assert_status(pbs_ray_desc_init(&ray, 4), PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_closest_desc_init(&near, 4), PBS_ERROR_STRUCT_SIZE);
    ray.struct_size = near.struct_size = 4;
    assert_status(pbs_world_ray(y.world, &ray, &out), PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_world_closest(y.world, &near, &out), PBS_ERROR_STRUCT_SIZE);
    assert_true(out.distance == 77.0);
    ray = new_ray();
    near = new_closest();
    out.struct_size = 4;
    assert_status(pbs_world_ray(y.world, &ray, &out), PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_world_closest(y.world, &near, &out), PBS_ERROR_STRUCT_SIZE);
    // As far as coordinates go, and in a world of nothing.
    ray.origin[0] = near.point[0] = COORDINATE_LIMIT;
    cast(y.world, &ray);
    closest(y.world, &near);
    pbs_world_destroy(y.world);
    pbs_world *empty = new_world();
    assert_true(isinf(cast(empty, &ray).distance) && isinf(closest(empty, &near).distance));
    pbs_world_destroy(empty);
}

// --- memory ---

static pbs_status ask(pbs_world *world, void *context) {
    (void)context;
    const pbs_ray_desc ray = new_ray();
    pbs_surface_point out = {.struct_size = sizeof out};
    return pbs_world_ray(world, &ray, &out);
}

/// Each allocation of the first query is refused once, in a world of its own, as what was taken
/// before a refusal stays for the next try.
static void refused_memory_is_a_status(void **state) {
    (void)state;
    bool failed = true;
    uint64_t refused = 0;
    for (; failed; refused++) {
        struct test_allocator allocator;
        struct yard y;
        test_allocator_init(&allocator);
        make_yard(&y, &allocator, true);
        const uint64_t hash = pbs_world_hash(y.world);
        test_allocator_fail_after(&allocator, refused);
        const pbs_status status = ask(y.world, NULL);
        failed = test_allocator_has_failed(&allocator);
        test_allocator_fail_after(&allocator, ALLOCATOR_NEVER);
        assert_status(status, failed ? PBS_ERROR_MEMORY : PBS_OK);
        assert_true(pbs_world_hash(y.world) == hash);
        compare(&y, 5, 5);
        pbs_world_destroy(y.world);
        assert_int_equal(allocator.blocks_in_use, 0);
        assert_false(allocator.was_misused);
    }
    assert_true(refused > 10);
}

/// Only the first query after something came or went takes memory.
static void memory_is_taken_once(void **state) {
    (void)state;
    struct test_allocator allocator;
    struct yard y;
    test_allocator_init(&allocator);
    make_yard(&y, &allocator, true);
    compare(&y, 5, 20);
    assert_ok(pbs_world_step(y.world, 0.01));
    assert_ok(pbs_world_step(y.world, 0.01));
    const uint64_t before = allocator.allocate_count + allocator.release_count;
    assert_true(stats_of(y.world).memory.allocator_calls == before);
    for (int s = 0; s < 5; s++) {
        assert_ok(pbs_world_step(y.world, 0.01));
        compare(&y, 6, 20);
    }
    assert_true(allocator.allocate_count + allocator.release_count == before);
    pbs_world_destroy(y.world);
    assert_int_equal(allocator.blocks_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_see_what_is_nearest),
        cmocka_unit_test(queries_see_the_present),
        cmocka_unit_test(filters_are_heeded),
        cmocka_unit_test(wrong_questions_are_refused),
        cmocka_unit_test(refused_memory_is_a_status),
        cmocka_unit_test(memory_is_taken_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
