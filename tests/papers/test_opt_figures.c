// OPT's figures 1, 3, 4, 6, 7, 10, 12, 13 and 14 at the size of tests: every step converges at the
// paper's number of steps a frame, and what each figure shows is there (bench/scenes/opt/opt_rows.c
// says what). bench/opt_table runs them at the paper's sizes.
// SPDX-License-Identifier: MIT
#include <unistd.h>

#include "scenes/opt/opt_figures.h"
#include "support/testing.h"

/// Where smaller problems are asked for, the first frames alone, which need only land.
enum { FEW_FRAMES = 6 };

static void run_row(const char *name, const struct opt_options *options) {
    const struct opt_row *row = NULL;
    const char *reason = "";
    struct opt_scene scene;
    struct opt_options own = *options;
    own.frames = testing_is_small() ? FEW_FRAMES : 0;
    assert_true(opt_find(name, &row));
    assert_ok(opt_create(row, &own, &scene));
    assert_ok(opt_run(&scene));
    const bool shows = testing_is_small() || row->judge(&scene, &reason);
    if (!shows) {
        print_error("figure %s: %s\n", name, reason);
    }
    assert_true(shows);
    assert_true(scene.measures.steps > 0);
    opt_free(&scene);
}

static void figure(const char *name) {
    struct opt_options options;
    opt_options_init(&options);
    run_row(name, &options);
}

static void tori_fall_into_a_bowl(void **state) {
    (void)state;
    figure("1");
}

static void cube_is_stretched(void **state) {
    (void)state;
    figure("3");
}

static void cube_is_pressed(void **state) {
    (void)state;
    figure("4");
}

static void torus_touches_itself(void **state) {
    (void)state;
    figure("6");
}

static void balls_collide(void **state) {
    (void)state;
    figure("7");
}

/// As a constraint, and as a penalty; what is moved out after steps is turned inside out.
static void ball_hits_the_ground(void **state) {
    (void)state;
    struct opt_options options;
    opt_options_init(&options);
    run_row("10", &options);
    options.penalty = true;
    run_row("10", &options);
    options.penalty = false;
    options.post_step = true;
    run_row("10", &options);
}

static void torus_is_pushed_through_a_hole(void **state) {
    (void)state;
    figure("12");
}

static void torus_is_squeezed_by_cubes(void **state) {
    (void)state;
    figure("13");
}

static void stack_is_struck(void **state) {
    (void)state;
    figure("14");
}

static struct opt_measures measures_after(const struct opt_row *row,
                                          const struct opt_options *options, int frames) {
    struct opt_scene scene;
    struct opt_options own = *options;
    own.frames = frames;
    assert_ok(opt_create(row, &own, &scene));
    assert_ok(opt_run(&scene));
    const struct opt_measures measures = scene.measures;
    opt_free(&scene);
    return measures;
}

/// A run that stops after a frame and goes on from its file is one run, to the bit. Of
/// figure 13, where a script moves cubes until they touch a torus.
static void runs_go_on_from_their_files(void **state) {
    (void)state;
    const struct opt_row *row = NULL;
    struct opt_options options;
    opt_options_init(&options);
    assert_true(opt_find("13", &row));
    const struct opt_measures whole = measures_after(row, &options, 48);
    options.checkpoint = testing_create_file();
    unlink(options.checkpoint);
    struct opt_measures parts = {0};
    for (int frames = 16; frames <= 48; frames += 16) {
        parts = measures_after(row, &options, frames);
        assert_int_equal(parts.steps, frames);
    }
    assert_true(whole.solves > 48); // they touch
    assert_int_equal(parts.solves, whole.solves);
    assert_true(parts.kinetic == whole.kinetic && whole.kinetic > 0.0);
    assert_true(parts.most_kinetic == whole.most_kinetic);
    assert_true(parts.edge_strain == whole.edge_strain);
    assert_true(parts.least_distance == whole.least_distance);
    unlink(options.checkpoint);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tori_fall_into_a_bowl),
        cmocka_unit_test(cube_is_stretched),
        cmocka_unit_test(cube_is_pressed),
        cmocka_unit_test(torus_touches_itself),
        cmocka_unit_test(balls_collide),
        cmocka_unit_test(ball_hits_the_ground),
        cmocka_unit_test(torus_is_pushed_through_a_hole),
        cmocka_unit_test(torus_is_squeezed_by_cubes),
        cmocka_unit_test(stack_is_struck),
        cmocka_unit_test(runs_go_on_from_their_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
