// What bends a path so that a closed surface keeps its volume along it.
// SPDX-License-Identifier: MIT
#include "minimize/constraints/constraint_set.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "support/random.h"
#include "support/testing.h"

enum { NODES = 6, SIZE = 3 * NODES };

static const uint32_t octahedron[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                        2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
static const size_t triangle_start[2] = {0, 8};

static struct memory memory;

struct fixture {
    double x[SIZE], mass[NODES], stiffness[NODES];
    uint8_t axes[NODES];
    struct stage_nodes nodes;
    struct pressure *pressure;
    struct constraint_set set;
};

static void setup(struct fixture *f) {
    const struct pressure_law law = {.kind = PRESSURE_HELD, .pressure = 3.0, .volume = 1.1};
    const struct pressure_input input = {.node_count = NODES,
                                         .triangle_count = 8,
                                         .triangles = octahedron,
                                         .surface_count = 1,
                                         .triangle_start = triangle_start,
                                         .laws = &law};
    struct random random = random_seed(3);
    *f = (struct fixture){0};
    random_fill(&random, -0.1, 0.1, f->x, SIZE);
    random_fill(&random, 0.5, 2.0, f->mass, NODES);
    random_fill(&random, 1.0, 9.0, f->stiffness, NODES);
    for (size_t i = 0; i < NODES; i++) {
        f->x[3 * i + i / 2] += i % 2 == 0 ? 1.0 : -1.0;
    }
    f->nodes = (struct stage_nodes){.mass = f->mass,
                                    .stiffness = f->stiffness,
                                    .weight = 0.01,
                                    .constrained_axes = f->axes,
                                    .x = f->x};
    assert_ok(pressure_create(&memory, &input, &f->pressure));
    assert_ok(constraint_set_build(&memory, NODES, NULL, f->pressure, &f->set));
    constraint_set_begin_step(&f->set, f->x, 1.0, 1.0);
    constraint_set_begin_stage(&f->set, &f->nodes, 1.0);
}

static void teardown(struct fixture *f) {
    const struct term term = pressure_term(f->pressure);
    constraint_set_free(&memory, &f->set);
    term.table->destroy(term.self, &memory);
}

/// The velocities of the nodes as they turn by w, and at_start, their accelerations.
static void turn_all(const struct fixture *f, const double w[3], double *v, double *at_start) {
    for (size_t i = 0; i < NODES; i++) {
        cross3(w, f->x + 3 * i, v + 3 * i);
        cross3(w, v + 3 * i, at_start + 3 * i);
    }
}

/// A turn keeps the volume by itself, whatever the accelerations in its further course are.
static void turns_are_not_bent(void **state) {
    (void)state;
    static const double w[3] = {2.0, -1.0, 4.0};
    struct fixture f;
    double v[SIZE], first[SIZE], mean[SIZE], bend[SIZE] = {0.0};
    setup(&f);
    turn_all(&f, w, v, first);
    for (size_t k = 0; k < SIZE; k++) {
        mean[k] = 0.5 * first[k];
    }
    constraint_set_bend(&f.set, &f.nodes, v, &(struct path_acceleration){first, mean}, bend);
    // Relative to the accelerations, of up to |w|^2: rounding of some ten operations.
    for (size_t k = 0; k < SIZE; k++) {
        assert_small(bend[k], 100.0 * 2.2e-16 * dot3(w, w), "bend");
    }
    teardown(&f);
}

/// V at x + a v + a^2 / 2 bend less what is linear in a.
static double deviation(const struct fixture *f, const double *v, const double *bend, double a) {
    double place[SIZE], back[SIZE];
    for (size_t k = 0; k < SIZE; k++) {
        place[k] = f->x[k] + a * v[k] + 0.5 * a * a * bend[k];
        back[k] = f->x[k] - a * v[k] + 0.5 * a * a * bend[k];
    }
    // What is odd in a cancels: of a cubic the square is left.
    return 0.5 * (pressure_volume(octahedron, 8, 0, place) +
                  pressure_volume(octahedron, 8, 0, back)) -
           pressure_volume(octahedron, 8, 0, f->x);
}

/// Any other motion is bent until the volume is linear to second order: what is left grows with the
/// fourth power, the next that is even.
static void volumes_along_bent_paths_are_linear(void **state) {
    (void)state;
    struct fixture f;
    double v[SIZE], still[SIZE] = {0.0}, bend[SIZE] = {0.0};
    struct random random = random_seed(8);
    setup(&f);
    random_fill(&random, -1.0, 1.0, v, SIZE);
    const double before = deviation(&f, v, bend, 0.01);
    constraint_set_bend(&f.set, &f.nodes, v, &(struct path_acceleration){still, still}, bend);
    const double after = deviation(&f, v, bend, 0.01);
    assert_true(fabs(before) > 1e-5);
    assert_near(deviation(&f, v, bend, 0.02) / after, 16.0, 0.1, "fourth power");
    teardown(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_are_not_bent),
        cmocka_unit_test(volumes_along_bent_paths_are_linear),
    };
    memory_init(&memory, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
