// A wall of bricks that are welded to each other, and break apart where a heavy ball hits it. A
// weld bears as much as mortar of its area does. Writes NAME.html, NAME.png, NAME_sheet.png,
// NAME.glb and NAME_energy.csv.
// SPDX-License-Identifier: MIT
#include <pbs/pbs.h>

#include <math.h>
#include <stdio.h>

#include "common/assembly/play.h"
#include "common/meshes/shapes.h"

// m: a brick, along the wall, up and through it, and the mortar between bricks.
static const double LENGTH = 0.2, HEIGHT = 0.1, DEPTH = 0.1, MORTAR = 2e-3;
static const double RADIUS = 0.12; // m, of the ball

enum { COURSES_LIMIT = 20, BRICKS_LIMIT = 20, WELDS_LIMIT = 2000 };

struct settings {
    struct play play;
    int64_t courses, bricks; // high and wide
    double strength;         // Pa, of mortar
    double speed;            // m/s, of the ball
};

/// A brick where it was laid: its centre, and half of its length.
struct brick {
    pbs_body body;
    double x, y, half;
};

struct weld {
    pbs_joint joint;
    double strength; // N
    bool is_foundation;
};

struct wall {
    const struct settings *settings;
    pbs_body ball;
    size_t brick_count, weld_count;
    struct brick bricks[COURSES_LIMIT * BRICKS_LIMIT];
    struct weld welds[WELDS_LIMIT];
    double weight; // N
    // What is measured:
    double foundation;       // N: what the foundation bears when the wall stands alone
    size_t broken_too_early; // welds that broke below their strength
    size_t held_too_long;    // welds that bore more than their strength and did not break
    size_t broken;
    double first_broken; // s
};

static bool read_settings(int argc, char **argv, struct settings *s, int *exit_status) {
    struct command_option options[PLAY_OPTIONS + 4];
    const struct command_option own[4] = {
        {"courses", COMMAND_COUNT, &s->courses, "N", "bricks on top of each other, 20 at most"},
        {"bricks", COMMAND_COUNT, &s->bricks, "N", "bricks side by side, 19 at most"},
        {"strength", COMMAND_NUMBER, &s->strength, "PA", "of mortar"},
        {"speed", COMMAND_NUMBER, &s->speed, "V", "of the ball, m/s"},
    };
    play_options(&s->play, options);
    for (int i = 0; i < 4; i++) {
        options[PLAY_OPTIONS + i] = own[i];
    }
    return command_line_or_exit(argc, argv, "A ball hits a wall of welded bricks.", options,
                                PLAY_OPTIONS + 4, exit_status);
}

// Bricks
// ----------------------------------------------------------------------------------------------

static void lay(struct assembly *a, struct wall *wall, double x, double y, double half) {
    static const struct matter brick = {.density = 1800.0, .friction = 0.6};
    struct surface_mesh mesh = {0};
    const double at[3] = {x, y, 0.0};
    surface_box(2.0 * half, HEIGHT, DEPTH, &mesh);
    wall->bricks[wall->brick_count++] = (struct brick){
        .body = assembly_add_stiff(a, &mesh, &brick, at), .x = x, .y = y, .half = half};
}

/// A course from one end to the other; every other one begins and ends with half a brick.
static void lay_course(struct assembly *a, struct wall *wall, int64_t course) {
    const int64_t bricks = wall->settings->bricks;
    const bool is_shifted = course % 2 == 1;
    const double y = MORTAR + 0.5 * HEIGHT + (double)course * (HEIGHT + MORTAR);
    const double pitch = LENGTH + MORTAR, left = -0.5 * pitch * (double)bricks;
    const double half = 0.5 * (0.5 * LENGTH - 0.5 * MORTAR); // of half a brick
    for (int64_t i = is_shifted ? 1 : 0; i < bricks; i++) {
        const double shift = is_shifted ? 0.0 : 0.5 * pitch;
        lay(a, wall, left + shift + pitch * (double)i, y, 0.5 * LENGTH);
    }
    if (is_shifted) {
        lay(a, wall, left + 0.5 * MORTAR + half, y, half);
        lay(a, wall, -left - 0.5 * MORTAR - half, y, half);
    }
}

// Mortar
// ----------------------------------------------------------------------------------------------

/// Mortar bears `strength` times its area, and the moment at which its rim bears it.
static void weld(struct assembly *a, struct wall *wall, pbs_body first, pbs_body second,
                 const double at[3], double side) {
    const double area = side * DEPTH;
    pbs_joint_desc d = assembly_joint_at(a, PBS_JOINT_WELD, first, second, at);
    d.break_force = wall->settings->strength * area;
    d.break_torque = wall->settings->strength * area * fmin(side, DEPTH) / 6.0;
    d.touching = 1; // the bricks lie on each other where the mortar broke
    if (assembly_require(a, wall->weld_count < WELDS_LIMIT, "too many welds")) {
        wall->welds[wall->weld_count++] = (struct weld){
            .joint = assembly_join(a, &d), .strength = d.break_force, .is_foundation = !first.id};
    }
}

/// Welds two bricks where one lies on the other, or stands beside it.
static void weld_neighbours(struct assembly *a, struct wall *wall, const struct brick *p,
                            const struct brick *q) {
    const double left = fmax(p->x - p->half, q->x - q->half);
    const double right = fmin(p->x + p->half, q->x + q->half);
    const double rise = q->y - p->y;
    if (rise > 0.5 * HEIGHT && rise < 1.5 * HEIGHT && right - left > MORTAR) {
        const double at[3] = {0.5 * (left + right), 0.5 * (p->y + q->y), 0.0};
        weld(a, wall, p->body, q->body, at, right - left);
    } else if (rise == 0.0 && left - right > 0.0 && left - right < 2.0 * MORTAR) {
        const double at[3] = {0.5 * (left + right), p->y, 0.0};
        weld(a, wall, p->body, q->body, at, HEIGHT);
    }
}

static void build_wall(struct assembly *a, struct wall *wall) {
    static const pbs_body space = {0};
    for (int64_t course = 0; course < wall->settings->courses; course++) {
        lay_course(a, wall, course);
    }
    for (size_t i = 0; i < wall->brick_count && !a->failed; i++) {
        const struct brick *brick = &wall->bricks[i];
        const double foot[3] = {brick->x, brick->y - 0.5 * HEIGHT, 0.0};
        wall->weight += 9.81 * assembly_mass(a, brick->body);
        if (foot[1] < 0.5 * HEIGHT) {
            weld(a, wall, space, brick->body, foot, 2.0 * brick->half);
        }
        for (size_t k = i + 1; k < wall->brick_count; k++) {
            weld_neighbours(a, wall, brick, &wall->bricks[k]);
        }
    }
}

/// A ball of iron before the middle of the wall, which it reaches after 0.15 s.
static void throw_ball(struct assembly *a, struct wall *wall) {
    static const struct matter iron = {.density = 7800.0, .friction = 0.3};
    const double speed = wall->settings->speed, flight = 0.15;
    const double height = 0.6 * (double)wall->settings->courses * HEIGHT;
    const double at[3] = {0.03, height, 0.5 * DEPTH + RADIUS + flight * speed};
    struct surface_mesh mesh = {0};
    surface_ball(RADIUS, 24, &mesh);
    wall->ball = assembly_add_stiff(a, &mesh, &iron, at);
    const size_t count = a->failed ? 0 : pbs_body_vertex_count(a->world, wall->ball);
    double velocities[3 * 1000] = {0.0};
    if (assembly_require(a, count <= 1000, "a ball of too many vertices") && !a->failed) {
        for (size_t v = 0; v < count; v++) {
            velocities[3 * v + 1] = 0.5 * 9.81 * flight;
            velocities[3 * v + 2] = -speed;
        }
        assembly_check(a, pbs_body_set_velocities(a->world, wall->ball, velocities, count));
    }
}

// What is measured
// ----------------------------------------------------------------------------------------------

static void count_broken(struct assembly *a, struct wall *wall) {
    pbs_broken_joint rows[WELDS_LIMIT];
    size_t count = WELDS_LIMIT;
    assembly_check(a, pbs_world_broken_joints(a->world, rows, sizeof *rows, &count));
    for (size_t i = 0; i < count && !a->failed; i++) {
        pbs_joint_desc d = {.struct_size = sizeof d};
        assembly_check(a, pbs_joint_settings(a->world, rows[i].joint, &d));
        wall->broken_too_early += rows[i].force <= d.break_force &&
                                  rows[i].torque <= d.break_torque;
        wall->first_broken = wall->broken == 0 ? rows[i].time : wall->first_broken;
        wall->broken++;
    }
}

static void measure(void *user, struct assembly *a, int64_t step) {
    struct wall *wall = user;
    wall->foundation = step > 30 ? wall->foundation : 0.0;
    for (size_t i = 0; i < wall->weld_count; i++) {
        const pbs_joint_state state = assembly_state(a, wall->welds[i].joint);
        const double *f = state.force;
        const double force = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
        wall->held_too_long += !state.broken && force > wall->welds[i].strength;
        if (step <= 30 && wall->welds[i].is_foundation) {
            wall->foundation += f[1];
        }
    }
    if (step > 0) {
        count_broken(a, wall);
    }
}

int main(int argc, char **argv) {
    struct settings s = {.play = {.out = "demo", .name = "wall", .frames = 75, .steps = 4},
                         .courses = 8,
                         .bricks = 6,
                         .strength = 1.5e6,
                         .speed = 15.0};
    int exit_status = 0;
    if (!read_settings(argc, argv, &s, &exit_status)) {
        return exit_status;
    }
    static struct wall wall;
    struct assembly a;
    struct play_tally tally;
    wall.settings = &s;
    assembly_begin(&a, s.play.threads);
    assembly_require(&a, s.courses <= COURSES_LIMIT && s.bricks > 0 && s.bricks < BRICKS_LIMIT,
                     "--courses is 20 at most, --bricks 1 to 19");
    if (!a.failed) {
        assembly_add_ground(&a, 0.6);
        build_wall(&a, &wall);
        throw_ball(&a, &wall);
    }
    const bool done = play_run(&s.play, &a, measure, &wall, &tally);
    if (done) {
        printf("bricks %zu\nwelds %zu\nweight %.6f\nfoundation %.6f\n", wall.brick_count,
               wall.weld_count, wall.weight, wall.foundation);
        printf("broken %zu\nfirst_broken %.4f\nbroken_too_early %zu\nheld_too_long %zu\n",
               wall.broken, wall.first_broken, wall.broken_too_early, wall.held_too_long);
        play_print(&s.play, &tally);
    } else {
        fprintf(stderr, "wall: %s\n", a.message.text);
    }
    assembly_end(&a);
    return done ? 0 : 1;
}
