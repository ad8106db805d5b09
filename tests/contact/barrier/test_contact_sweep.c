// Sweeps and the ways of obstacles: nothing passes through anything on the way that a sweep allows,
// gaps keep what they are to keep, no sweep is shorter than it must be, and obstacles go where
// their script says, in whatever parts.
// SPDX-License-Identifier: MIT
#include "contact/barrier/barrier_contact.h"

#include "contact/touching_scene.h"

static const int32_t wall_kinds[] = {PBS_SHAPE_HALF_SPACE, PBS_SHAPE_SPHERE, PBS_SHAPE_BOX,
                                     PBS_SHAPE_CAPSULE, PBS_SHAPE_CYLINDER};

// Of the barrier in most of these scenes, m.
static const double REACH = 0.05;

static struct memory memory;
static struct random numbers;

static int setup(void **state) {
    (void)state;
    memory_init(&memory, NULL);
    numbers = random_seed(11);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    assert_int_equal(memory.bytes_in_use, 0);
    return 0;
}

// --- what is true of a state, pair by pair ---

static bool anything_meets(const struct barrier_contact *c) {
    const struct collision_mesh *m = &c->mesh;
    for (size_t e = 0; e < m->edge_count; e++) {
        const uint32_t *edge = m->edges + 2 * e;
        for (size_t t = 0; t < m->triangle_count; t++) {
            const uint32_t *triangle = m->triangles + 3 * t;
            bool shared = false;
            const double *corners[3];
            for (int k = 0; k < 3; k++) {
                shared = shared || triangle[k] == edge[0] || triangle[k] == edge[1];
                corners[k] = c->points + 3 * (size_t)triangle[k];
            }
            if (!shared && collision_mesh_may_touch(m, edge[0], triangle[0]) &&
                segment_intersects_triangle(c->points + 3 * (size_t)edge[0],
                                            c->points + 3 * (size_t)edge[1], corners)) {
                return true;
            }
        }
    }
    return false;
}

static double offset_at(const struct collision_mesh *mesh, uint32_t point) {
    return mesh->parts[mesh->part[point]].offset;
}

/// The gaps of all pairs of the list, then of all points and walls.
static size_t measure_gaps(const struct barrier_contact *c, const struct candidates *all,
                           double *gaps) {
    const size_t pairs = candidates_count(all);
    for (size_t i = 0; gaps != NULL && i < pairs; i++) {
        const struct candidate pair = candidates_at(all, &c->mesh, i);
        const double *x[PAIR_NODES] = {NULL};
        for (int k = 0; k < pair.point_count; k++) {
            x[k] = c->points + 3 * (size_t)pair.points[k];
        }
        const uint32_t other = pair.points[pair.kind == PAIR_EDGE_EDGE ? 2 : 1];
        gaps[i] = sqrt(closest_squared(pair.kind, x)) - offset_at(&c->mesh, pair.points[0]) -
                  offset_at(&c->mesh, other);
    }
    const size_t points = c->mesh.point_count;
    for (size_t i = 0; gaps != NULL && i < points * c->wall_count; i++) {
        const struct contact_surface *surface = &c->walls[i / points].surface;
        const uint32_t point = (uint32_t)(i % points);
        // Walls do not touch obstacles.
        gaps[pairs + i] = c->mesh.kind[point] == POINT_OBSTACLE
                              ? 1.0
                              : shape_distance(&surface->shape, &surface->pose,
                                               c->points + 3 * (size_t)point, NULL, NULL) -
                                    offset_at(&c->mesh, point);
    }
    return pairs + points * c->wall_count;
}

/// The state after a part of the sweep, obstacles included.
static void go_to(struct touching_scene *s, const double *direction, double time) {
    double x[SCENE_COORDINATES];
    for (int k = 0; k < SCENE_COORDINATES; k++) {
        x[k] = s->x[k] + time * direction[k];
    }
    place_scene(s);
    barrier_contact_advance_motion(&s->contact, time);
    barrier_contact_locate(&s->contact, NULL, x);
}

// --- motions ---

/// Every body flies its own way, shrinking and shaking; obstacles move and turn.
static void random_motion(struct touching_scene *s, double size, double *direction) {
    double flight[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < SCENE_NODES; i++) {
        const bool is_handle = i > AFFINE_FIRST && i < CHAIN_FIRST;
        if (i == 0 || i == SOLID_NODES || i == AFFINE_FIRST || i >= CHAIN_FIRST) {
            random_fill(&numbers, -size, size, flight, 3);
        }
        for (int k = 0; k < 3; k++) {
            const double shake = random_uniform(&numbers, -0.2, 0.2) * size;
            direction[3 * i + k] = shake * (is_handle ? 0.3 : 1.0) + (is_handle ? 0.0 : flight[k]);
        }
    }
    memcpy(s->target, s->now, sizeof s->target);
    for (int i = 0; i < SCENE_OBSTACLES; i++) {
        const size_t kind = random_index(&numbers, 4);
        double r[9];
        random_rotation(&numbers, r);
        if (kind & 1) {
            turn_pose(&s->target[i].pose, r);
        }
        for (int k = 0; k < 3 && (kind & 2); k++) {
            s->target[i].pose.translation[k] += random_uniform(&numbers, -0.5, 0.5) * size;
        }
    }
    place_scene(s);
}

/// What a sweep has to leave of a gap.
static double kept_of(double gap, double fraction) {
    return fmin(fraction * gap, 0.5 * REACH);
}

/// Whatever moves how far, at 25 times on the way that the sweep allows nothing meets and every gap
/// is positive; within a leg every gap keeps a tenth of itself (or what it was told to keep) or
/// half the reach, to rounding of distances, and a sweep that ends early does so because some gap
/// came down to 1.1 times that.
static void nothing_passes_through(void **state) {
    (void)state;
    int shortened = 0;
    int by_wall = 0;
    const int rounds = testing_rounds(150);
    for (int i = 0; i < rounds; i++) {
        struct touching_scene s;
        touching_scene_make(&memory, &s, wall_kinds[i % 5], REACH);
        struct candidates all = {0};
        barrier_contact_locate(&s.contact, NULL, s.x);
        assert_ok(candidates_begin(&memory, &s.contact.mesh, &all));
        assert_ok(candidates_gather(&memory, NULL, &s.contact.mesh, s.contact.points, NULL, 1e3,
                                    0.0, &all));
        const bool one_leg = i % 2 == 0;
        s.contact.mean_edge = one_leg ? INFINITY : s.contact.mean_edge;
        const size_t count = measure_gaps(&s.contact, &all, NULL);
        double *first = malloc(count * sizeof *first);
        double *gaps = malloc(count * sizeof *gaps);
        double direction[SCENE_COORDINATES];
        random_motion(&s, exp(random_uniform(&numbers, -1.0, 2.5)), direction);
        measure_gaps(&s.contact, &all, first);
        const double limit = i % 3 == 0 ? 1.0 : random_uniform(&numbers, 0.1, 1.0);
        const double kept = i % 7 < 3 ? 0.4 : 0.1;
        barrier_contact_leave_gaps(&s.contact, i % 7 < 3 ? kept : 0.0);
        double step = -1.0;
        assert_ok(barrier_contact_sweep(&s.contact, NULL, s.x, direction, limit, &step));
        assert_true(step > 0.0 && step <= limit);
        double least = INFINITY;
        size_t closest = 0;
        for (int t = 0; t <= 25; t++) {
            go_to(&s, direction, step * t / 25.0);
            measure_gaps(&s.contact, &all, gaps);
            assert_false(anything_meets(&s.contact));
            for (size_t k = 0; k < count; k++) {
                assert_true(gaps[k] > (one_leg ? kept_of(first[k], kept) - 1e-14 : 0.0));
                if (gaps[k] / kept_of(first[k], kept) < least) {
                    least = gaps[k] / kept_of(first[k], kept);
                    closest = k;
                }
            }
        }
        if (one_leg && step < limit) {
            assert_true(least < 1.1 + 1e-12);
            shortened++;
            by_wall += closest >= candidates_count(&all);
        }
        free(first);
        free(gaps);
        candidates_free(&memory, &all);
        barrier_contact_free(&s.contact);
    }
    assert_true(shortened > rounds / 5);
    assert_true(by_wall > rounds / 50);
}

/// Whether a list was made for the way or lists everything, the step is the same to the bit: lists
/// may be of any age.
static void the_way_alone_matters(void **state) {
    (void)state;
    int shortened = 0;
    const int rounds = testing_rounds(300);
    for (int i = 0; i < rounds; i++) {
        struct touching_scene s;
        touching_scene_make(&memory, &s, wall_kinds[i % 5], REACH);
        struct barrier_contact *const c = &s.contact;
        double direction[SCENE_COORDINATES];
        double steps[2] = {-1.0, -2.0};
        random_motion(&s, exp(random_uniform(&numbers, -1.0, 2.5)), direction);
        assert_ok(barrier_contact_sweep(c, NULL, s.x, direction, 1.0, &steps[0]));
        barrier_contact_locate(c, NULL, s.x);
        assert_ok(
            candidates_gather(&memory, NULL, &c->mesh, c->points, NULL, 0.0, 1e3, &c->candidates));
        const uint32_t searches = c->counters.searches;
        assert_ok(barrier_contact_sweep(c, NULL, s.x, direction, 1.0, &steps[1]));
        assert_int_equal(c->counters.searches, searches);
        assert_same_bits(&steps[0], &steps[1], 1);
        shortened += steps[0] < 1.0;
        barrier_contact_free(c);
    }
    assert_true(shortened > rounds / 3);
}

/// What moves together, obstacles and walls with it, or apart far from walls, or not at all, goes
/// the whole way, to the last bit, in one leg or in a hundred.
static void what_is_free_goes_the_whole_way(void **state) {
    (void)state;
    for (int i = 0; i < testing_rounds(40); i++) {
        struct touching_scene s;
        touching_scene_make(&memory, &s, wall_kinds[i % 5], REACH);
        double direction[SCENE_COORDINATES] = {0.0};
        double flight[3];
        random_fill(&numbers, -20.0, 20.0, flight, 3);
        const bool together = i % 2 == 0;
        for (int n = 0; n < SCENE_NODES && i > 1; n++) {
            const bool is_handle = n > AFFINE_FIRST && n < CHAIN_FIRST;
            for (int k = 0; k < 3; k++) {
                // Away: the picture grows.
                direction[3 * n + k] = together ? (is_handle ? 0.0 : flight[k])
                                                : 0.15 * s.x[3 * n + k];
            }
        }
        for (int o = 0; o < SCENE_OBSTACLES && i > 1; o++) {
            double *to = s.target[o].pose.translation;
            if (together) {
                add3(to, flight, to);
            } else if (o != WALL_OBSTACLE) {
                scale3(1.15, to, to);
            }
        }
        place_scene(&s);
        const double limit = i % 4 < 2 ? 1.0 : random_uniform(&numbers, 0.01, 1.0);
        double step = -1.0;
        assert_ok(barrier_contact_sweep(&s.contact, NULL, s.x, direction, limit, &step));
        assert_true(step == limit);
        barrier_contact_free(&s.contact);
    }
}

/// A particle flies straight at a face of the box, or at a wall: in one leg it keeps 1 to 1.1 times
/// half the reach, as a tenth of the way is more, and in legs of a mean edge no more.
static void a_long_flight_ends_at_the_same_place(void **state) {
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct touching_scene s;
        touching_scene_make(&memory, &s, PBS_SHAPE_BOX, REACH);
        const bool at_wall = i % 2 == 1;
        double direction[SCENE_COORDINATES] = {0.0};
        double *x = s.x + 3 * (CHAIN_FIRST + 4);
        const double way = 1.9;
        // In +z at the wall, or in -x at the face of the box at z = 1.
        x[0] = at_wall ? 2.0 : BOX_HALF + way;
        x[1] = random_uniform(&numbers, -0.2, 0.2);
        x[2] = at_wall ? WALL_SIZE - way : 1.0 + random_uniform(&numbers, -0.2, 0.2);
        // Nothing else is on the way.
        s.now[1].pose.translation[1] = s.target[1].pose.translation[1] = -1.0;
        const double speed = exp(random_uniform(&numbers, 0.8, 4.0));
        direction[3 * (CHAIN_FIRST + 4) + (at_wall ? 2 : 0)] = at_wall ? speed : -speed;
        place_scene(&s);
        double steps[2];
        const double leg = s.contact.mean_edge;
        for (int legs = 0; legs < 2; legs++) {
            s.contact.mean_edge = legs ? leg : INFINITY;
            assert_ok(barrier_contact_sweep(&s.contact, NULL, s.x, direction, 1.0, &steps[legs]));
        }
        const double one = way - steps[0] * speed;
        const double many = way - steps[1] * speed;
        assert_true(one >= 0.5 * REACH - 1e-12 && one <= 1.1 * 0.5 * REACH + 1e-12);
        assert_true(many > 0.0 && many <= 1.1 * 0.5 * REACH + 1e-12);
        barrier_contact_free(&s.contact);
    }
}

/// However far something flies in one step, the sweep takes 1024 legs at most, and a search each.
static void the_longest_flight_ends(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct touching_scene s;
        touching_scene_make(&memory, &s, PBS_SHAPE_HALF_SPACE, REACH);
        double direction[SCENE_COORDINATES] = {0.0};
        direction[3 * (CHAIN_FIRST + 4) + 1] = (i == 0 ? 1e5 : 1e300) * s.contact.mean_edge;
        double step = 0.0;
        assert_ok(barrier_contact_sweep(&s.contact, NULL, s.x, direction, 1.0, &step));
        assert_true(s.contact.counters.searches <= 1025);
        assert_true(i == 1 || step == 1.0);
        barrier_contact_free(&s.contact);
    }
}

/// A particle a micrometre from a wall slides along it for metres, the wall moving or not, in one
/// step: along the cylinder and the capsule, and between any two points of the others.
static void sliding_along_a_wall_is_free(void **state) {
    (void)state;
    for (int i = 0; i < testing_rounds(100); i++) {
        struct touching_scene s;
        const int32_t kind = wall_kinds[i % 5];
        touching_scene_make(&memory, &s, kind, 1e-3);
        s.contact.mean_edge = INFINITY;
        // Nothing but walls is in the way.
        for (int p = 0; p < PART_WALLS; p++) {
            s.contact.mesh.parts[p].group = 1;
        }
        s.contact.mesh.parts[PART_CHAIN].mask = 2;
        s.contact.mesh.parts[PART_CHAIN].touches_itself = false;
        double *x = s.x + 3 * (CHAIN_FIRST + 4);
        double direction[SCENE_COORDINATES] = {0.0};
        double *way = direction + 3 * (CHAIN_FIRST + 4);
        const double gap = exp(random_uniform(&numbers, log(1e-6), log(1e-3)));
        const double from = WALL_SIZE - gap;
        if (kind == PBS_SHAPE_SPHERE) {
            // A chord, which ends as close to the wall as it began.
            double end[3];
            random_unit(&numbers, x);
            random_unit(&numbers, end);
            scale3(from, x, x);
            add_scaled3(x, -from, end, way);
            scale3(-1.0, way, way);
        } else {
            x[0] = kind == PBS_SHAPE_HALF_SPACE ? 0.7 : from;
            x[1] = kind == PBS_SHAPE_HALF_SPACE ? -from : -1.0;
            x[2] = kind == PBS_SHAPE_HALF_SPACE ? -1.0 : 0.0;
            way[kind == PBS_SHAPE_HALF_SPACE ? 2 : 1] = 2.0;
        }
        double shift[3];
        random_fill(&numbers, -0.1, 0.1, shift, 3);
        for (int n = 0; i % 2 == 1 && n < SCENE_NODES; n++) {
            const bool is_handle = n > AFFINE_FIRST && n < CHAIN_FIRST;
            add_scaled3(direction + 3 * (size_t)n, is_handle ? 0.0 : 1.0, shift,
                        direction + 3 * (size_t)n);
        }
        for (int o = 0; i % 2 == 1 && o < SCENE_OBSTACLES; o++) {
            add3(s.target[o].pose.translation, shift, s.target[o].pose.translation);
        }
        place_scene(&s);
        double step = -1.0;
        assert_ok(barrier_contact_sweep(&s.contact, NULL, s.x, direction, 1.0, &step));
        assert_true(step == 1.0);
        barrier_contact_free(&s.contact);
    }
}

/// An obstacle, or a wall, on its way to a particle that rests: halted, it bounds no sweep.
static void what_is_halted_bounds_nothing(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct touching_scene s;
        touching_scene_make(&memory, &s, PBS_SHAPE_HALF_SPACE, REACH);
        const double direction[SCENE_COORDINATES] = {0.0};
        double *x = s.x + 3 * (CHAIN_FIRST + 4);
        double *to = s.target[i == 0 ? WALL_OBSTACLE : 1].pose.translation;
        copy3(to, x);
        if (i == 0) {
            x[1] = -WALL_SIZE + 1.0;
            to[1] += 2.0;
        } else {
            x[0] += 0.5;
            to[0] += 1.0;
        }
        double steps[2];
        for (int halted = 0; halted < 2; halted++) {
            place_scene(&s);
            barrier_contact_halt_motion(&s.contact, halted == 1);
            assert_ok(barrier_contact_sweep(&s.contact, NULL, s.x, direction, 1.0, &steps[halted]));
        }
        assert_true(steps[0] > 0.0 && steps[0] < 0.5);
        assert_true(steps[1] == 1.0);
        barrier_contact_free(&s.contact);
    }
}

/// Points and a wall that touch already do not move at all.
static void what_touches_stays(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct touching_scene s;
        touching_scene_make(&memory, &s, PBS_SHAPE_HALF_SPACE, 0.05);
        double direction[SCENE_COORDINATES] = {0.0};
        double *x = s.x + 3 * (CHAIN_FIRST + 4);
        if (i == 0) {
            x[1] = -WALL_SIZE;
        } else {
            copy3(s.now[1].pose.translation, x);
            x[0] += 0.99 * SPHERE_OFFSET;
        }
        direction[3 * (CHAIN_FIRST + 4)] = 1.0;
        direction[3 * (CHAIN_FIRST + 4) + 1] = -1.0;
        double step = -1.0;
        assert_ok(barrier_contact_sweep(&s.contact, NULL, s.x, direction, 1.0, &step));
        assert_true(step == 0.0);
        barrier_contact_free(&s.contact);
    }
}

// --- ways of obstacles ---

static void axis_rotation(const double axis[3], double angle, double r[9]) {
    const double s = sin(angle);
    const double c = 1.0 - cos(angle);
    const double cross[9] = {0, -axis[2], axis[1], axis[2], 0, -axis[0], -axis[1], axis[0], 0};
    double square[9];
    multiply33(cross, cross, square);
    for (int k = 0; k < 9; k++) {
        r[k] = (k % 4 == 0) + s * cross[k] + c * square[k];
    }
}

static double pose_difference(const struct pose *a, const struct pose *b) {
    return fmax(testing_max_difference(a->rotation, b->rotation, 9),
                testing_max_difference(a->translation, b->translation, 3));
}

static const double turns[] = {0.0,
                               1e-300,
                               1e-12,
                               1e-9,
                               1e-5,
                               1.0,
                               3.0,
                               3.1415,
                               3.14159265,
                               3.1415926535897,
                               3.14159265358979323846};

/// Whatever the axis and the angle, half turns included, advancing in parts ends at the target, and
/// on the way walls are turned by that part of the angle about the obstacle's own way, while points
/// go straight. A dozen operations on numbers below 4 round by less than 1e-14.
static void obstacles_follow_their_way(void **state) {
    (void)state;
    const double axes[][3] = {{1, 0, 0},      {0, 1, 0},      {0, 0, 1},
                              {0, 0.6, -0.8}, {0.6, -0.8, 0}, {-0.6, 0, 0.8}};
    for (int i = 0; i < testing_rounds(600); i++) {
        struct touching_scene s;
        touching_scene_make(&memory, &s, wall_kinds[i % 5], REACH);
        double axis[3];
        double r[9];
        random_unit(&numbers, axis);
        if (i % 3 == 0) {
            copy3(axes[random_index(&numbers, COUNT_OF(axes))], axis);
        }
        const double angle = turns[random_index(&numbers, COUNT_OF(turns))];
        struct obstacle *wall = &s.now[WALL_OBSTACLE];
        random_rotation(&numbers, r);
        turn_pose(&wall->pose, r);
        s.target[WALL_OBSTACLE] = *wall;
        axis_rotation(axis, angle, r);
        turn_pose(&s.target[WALL_OBSTACLE].pose, r);
        turn_pose(&s.target[0].pose, r);
        double path[3];
        random_fill(&numbers, -1.0, 1.0, path, 3);
        add3(wall->pose.translation, path, s.target[WALL_OBSTACLE].pose.translation);
        add3(s.target[0].pose.translation, path, s.target[0].pose.translation);
        place_scene(&s);
        assert_true(barrier_contact_has_motion(&s.contact));

        const double share = random_uniform(&numbers, 0.0, 0.9);
        barrier_contact_advance_motion(&s.contact, share);
        // The wall's obstacle as it should be now; of half a turn both senses would do.
        double best = INFINITY;
        for (int sense = 0; sense < 2; sense++) {
            struct obstacle there = *wall;
            axis_rotation(axis, sense == 0 ? share * angle : -share * angle, r);
            turn_pose(&there.pose, r);
            add_scaled3(there.pose.translation, share, path, there.pose.translation);
            struct contact_surface surfaces[6];
            double worst = 0.0;
            for (size_t k = 0; k < obstacle_surfaces(&there, surfaces); k++) {
                worst = fmax(worst,
                             pose_difference(&surfaces[k].pose, &s.contact.walls[k].surface.pose));
            }
            best = sense == 0 || angle > 3.14159265358 ? fmin(best, worst) : best;
        }
        assert_small(best, 1e-14, "wall on its way");
        for (uint32_t p = 0; p < 8; p++) {
            const uint32_t point = s.contact.mesh.point_count - 11 + p;
            double local[3], a[3], b[3];
            assert_int_equal(s.contact.mesh.part[point], PART_BOX);
            copy3(s.contact.mesh.local + 3 * (size_t)point, local);
            multiply3(s.now[0].pose.rotation, local, a);
            add3(a, s.now[0].pose.translation, a);
            multiply3(s.target[0].pose.rotation, local, b);
            add3(b, s.target[0].pose.translation, b);
            for (int k = 0; k < 3; k++) {
                assert_near(s.contact.obstacle_points[3 * point + (uint32_t)k],
                            (1.0 - share) * a[k] + share * b[k], 1e-14, "point on its way");
            }
        }

        barrier_contact_advance_motion(&s.contact, 0.5);
        barrier_contact_advance_motion(&s.contact, 1.0);
        struct contact_surface surfaces[6];
        const size_t count = obstacle_surfaces(&s.target[WALL_OBSTACLE], surfaces);
        assert_int_equal(count, s.contact.wall_count);
        for (size_t k = 0; k < count; k++) {
            assert_small(pose_difference(&surfaces[k].pose, &s.contact.walls[k].surface.pose),
                         1e-14, "wall at its target");
        }
        assert_false(barrier_contact_has_motion(&s.contact));
        barrier_contact_free(&s.contact);
    }
}

/// What moves has motion left until it has gone all the way.
static void obstacles_move_until_they_arrive(void **state) {
    (void)state;
    for (int i = 0; i < testing_rounds(50); i++) {
        struct touching_scene s;
        touching_scene_make(&memory, &s, wall_kinds[i % 5], REACH);
        const int moving = i % 2 == 0 ? (int)random_index(&numbers, WALL_OBSTACLE) : WALL_OBSTACLE;
        double path[3];
        random_fill(&numbers, -1.0, 1.0, path, 3);
        add3(s.target[moving].pose.translation, path, s.target[moving].pose.translation);
        place_scene(&s);
        barrier_contact_locate(&s.contact, NULL, s.x);
        assert_true(barrier_contact_has_motion(&s.contact));
        barrier_contact_advance_motion(&s.contact, 0.5);
        assert_true(barrier_contact_has_motion(&s.contact));
        barrier_contact_advance_motion(&s.contact, 1.0);
        assert_false(barrier_contact_has_motion(&s.contact));
        barrier_contact_free(&s.contact);
    }
}

/// Obstacles that stay, turned as they may be, are not said to move.
static void obstacles_at_rest_do_not_move(void **state) {
    (void)state;
    for (int i = 0; i < testing_rounds(50); i++) {
        struct touching_scene s;
        touching_scene_make(&memory, &s, wall_kinds[i % 5], REACH);
        for (int o = 0; o < SCENE_OBSTACLES; o++) {
            double r[9];
            random_rotation(&numbers, r);
            turn_pose(&s.now[o].pose, r);
        }
        memcpy(s.target, s.now, sizeof s.target);
        place_scene(&s);
        assert_false(barrier_contact_has_motion(&s.contact));
        barrier_contact_free(&s.contact);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_passes_through, setup, teardown),
        cmocka_unit_test_setup_teardown(the_way_alone_matters, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_free_goes_the_whole_way, setup, teardown),
        cmocka_unit_test_setup_teardown(a_long_flight_ends_at_the_same_place, setup, teardown),
        cmocka_unit_test_setup_teardown(the_longest_flight_ends, setup, teardown),
        cmocka_unit_test_setup_teardown(sliding_along_a_wall_is_free, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_halted_bounds_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(what_touches_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(obstacles_follow_their_way, setup, teardown),
        cmocka_unit_test_setup_teardown(obstacles_move_until_they_arrive, setup, teardown),
        cmocka_unit_test_setup_teardown(obstacles_at_rest_do_not_move, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
