// A crank, a coupler and a rocker, driven by a motor, press a paddle into soft clay, which keeps
// the dent. Elastic clay (--yield 0) comes back. The motor turns at its speed as long as its torque
// suffices; with --torque 5 one sees it stall. Writes NAME.html, NAME.png, NAME_sheet.png, NAME.glb
// and NAME_energy.csv.
// SPDX-License-Identifier: MIT
#include <pbs/pbs.h>

#include <math.h>
#include <stdio.h>

#include "common/assembly/play.h"
#include "common/meshes/shapes.h"

// m: pivots of crank and rocker, in the plane z = 0, and how long the bars are.
static const double CRANK_PIVOT[2] = {0.0, 0.4}, ROCKER_PIVOT[2] = {0.4, 0.4};
static const double CRANK = 0.08, COUPLER = 0.4, ROCKER = 0.22, BAR = 0.03;
// m: the paddle, which hangs from the middle of the coupler, and the clay.
static const double PADDLE[3] = {0.03, 0.36, 0.12}, CLAY[3] = {0.6, 0.15, 0.24};
static const double LIFT = 2e-3;      // m: of the clay above the ground
static const double TOLERANCE = 1e-9; // m, of hinges

enum { HINGES = 4 };

struct settings {
    struct play play;
    int64_t cells;        // of the clay across
    double speed, torque; // rad/s, N m, of the motor
    double young, yield;  // Pa, of the clay
};

struct linkage {
    const struct settings *settings;
    pbs_body crank, coupler, rocker, paddle, clay;
    pbs_joint hinges[HINGES]; // the first has the motor
    size_t cells[3];
    // What is measured:
    double angle, lag;   // rad: of the crank, and how far it is behind the motor
    double stretch;      // of coupler and rocker, the most by which their lengths differ
    double least, most;  // N m, of the motor
    double bearing, gap; // N, m: the most of a hinge
    double work, stored, dissipated; // J
    double pressed, felt;            // N, of the clay on the paddle, at most and at last
    double before;                   // m: the lowest of the clay's upper face before it is touched
    double total;                    // J, at first
    double deepest, dent;            // m: of the clay, at most and at last
};

static bool read_settings(int argc, char **argv, struct settings *s, int *exit_status) {
    struct command_option options[PLAY_OPTIONS + 5];
    const struct command_option own[5] = {
        {"cells", COMMAND_COUNT, &s->cells, "N", "across the clay, 4 to 40"},
        {"speed", COMMAND_NUMBER, &s->speed, "W", "of the motor, rad/s"},
        {"torque", COMMAND_NUMBER, &s->torque, "M", "the most that the motor exerts, N m"},
        {"young", COMMAND_NUMBER, &s->young, "E", "Young's modulus of the clay, Pa"},
        {"yield", COMMAND_NUMBER, &s->yield, "Y", "stress at which it flows, Pa; 0: never"},
    };
    play_options(&s->play, options);
    for (int i = 0; i < 5; i++) {
        options[PLAY_OPTIONS + i] = own[i];
    }
    return command_line_or_exit(argc, argv, "A motor-driven linkage kneads clay.", options,
                                PLAY_OPTIONS + 5, exit_status);
}

// Geometry
// ----------------------------------------------------------------------------------------------

/// Where two circles of a plane meet, on the left of the way from a to b.
static void meet(const double a[2], double radius_a, const double b[2], double radius_b,
                 double out[2]) {
    const double dx = b[0] - a[0], dy = b[1] - a[1], d = hypot(dx, dy);
    const double along = (radius_a * radius_a - radius_b * radius_b + d * d) / (2.0 * d);
    const double across = sqrt(radius_a * radius_a - along * along);
    out[0] = a[0] + (along * dx - across * dy) / d;
    out[1] = a[1] + (along * dy + across * dx) / d;
}

// The scene
// ----------------------------------------------------------------------------------------------

static const struct matter steel = {.density = 7800.0, .friction = 0.3};

/// A box of these sides that is turned about z to lie along a line of the plane z = 0.
static pbs_body add_box(struct assembly *a, const double sides[3], const double middle[2],
                        double turn) {
    static const double z_axis[3] = {0.0, 0.0, 1.0};
    const double at[3] = {middle[0], middle[1], 0.0};
    struct surface_mesh mesh = {0};
    surface_box(sides[0], sides[1], sides[2], &mesh);
    positions_rotate(mesh.positions, mesh.vertex_count, z_axis, turn);
    return assembly_add_stiff(a, &mesh, &steel, at);
}

static pbs_body add_bar(struct assembly *a, const double from[2], const double to[2]) {
    const double sides[3] = {hypot(to[0] - from[0], to[1] - from[1]), BAR, BAR};
    const double middle[2] = {0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1])};
    return add_box(a, sides, middle, atan2(to[1] - from[1], to[0] - from[0]));
}

static pbs_joint add_hinge(struct assembly *a, pbs_body first, pbs_body second, const double at[2],
                           double speed, double torque) {
    const double place[3] = {at[0], at[1], 0.0};
    pbs_joint_desc d = assembly_joint_at(a, PBS_JOINT_HINGE, first, second, place);
    d.motor_velocity = speed;
    d.motor_force = torque;
    d.tolerance = TOLERANCE;
    return assembly_join(a, &d);
}

static void add_linkage(struct assembly *a, struct linkage *l) {
    const pbs_body space = {0};
    const struct settings *s = l->settings;
    const double elbow[2] = {CRANK_PIVOT[0], CRANK_PIVOT[1] + CRANK};
    double knee[2];
    meet(elbow, COUPLER, ROCKER_PIVOT, ROCKER, knee);
    l->crank = add_bar(a, CRANK_PIVOT, elbow);
    l->coupler = add_bar(a, elbow, knee);
    l->rocker = add_bar(a, knee, ROCKER_PIVOT);
    l->hinges[0] = add_hinge(a, space, l->crank, CRANK_PIVOT, s->speed, s->torque);
    l->hinges[1] = add_hinge(a, l->crank, l->coupler, elbow, 0.0, 0.0);
    l->hinges[2] = add_hinge(a, l->coupler, l->rocker, knee, 0.0, 0.0);
    l->hinges[3] = add_hinge(a, l->rocker, space, ROCKER_PIVOT, 0.0, 0.0);
    const double grip[3] = {0.5 * (elbow[0] + knee[0]), 0.5 * (elbow[1] + knee[1]), 0.0};
    const double middle[2] = {grip[0], grip[1] - 0.5 * PADDLE[1]};
    l->paddle = add_box(a, PADDLE, middle, 0.0);
    const pbs_joint_desc d = assembly_joint_at(a, PBS_JOINT_WELD, l->coupler, l->paddle, grip);
    assembly_join(a, &d);
}

/// A slab that lies on the ground, below the paddle where it begins.
static void add_clay(struct assembly *a, struct linkage *l) {
    const struct matter clay = {.density = 1700.0,
                                .young = l->settings->young,
                                .yield = l->settings->yield,
                                .damping = 5e-3,
                                .friction = 0.8};
    const size_t across = (size_t)l->settings->cells;
    struct tet_mesh mesh = {0};
    l->cells[0] = across;
    l->cells[1] = (across + 3) / 4;
    l->cells[2] = (across + 1) / 2;
    shape_box_grid(l->cells[0], l->cells[1], l->cells[2], CLAY[0], CLAY[1], CLAY[2], &mesh);
    positions_translate(mesh.positions, mesh.vertex_count, 0.2 - 0.5 * CLAY[0], LIFT,
                        -0.5 * CLAY[2]);
    l->clay = assembly_add_soft(a, &mesh, &clay);
}

// What is measured
// ----------------------------------------------------------------------------------------------

static double length_of(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void measure_motor(struct assembly *a, struct linkage *l) {
    const pbs_joint_state motor = assembly_state(a, l->hinges[0]);
    pbs_energy energy = {.struct_size = sizeof energy};
    assembly_check(a, pbs_world_energy(a->world, &energy));
    // The torque is that on the crank about its pivot, of which the motor exerts what is along the
    // axis.
    l->least = fmin(l->least, motor.torque[2]);
    l->most = fmax(l->most, motor.torque[2]);
    l->work += motor.torque[2] * (motor.coordinate - l->angle);
    l->angle = motor.coordinate;
    l->lag = l->settings->speed * pbs_world_time(a->world) - l->angle;
    l->dissipated = energy.dissipated;
    l->stored = energy.total - l->total;
}

/// The distance between two hinges, on the bar between them, over its first length, less 1.
static double stretch_of(struct assembly *a, pbs_joint from, pbs_joint to, double length) {
    pbs_joint_desc begin = {.struct_size = sizeof begin}, end = {.struct_size = sizeof end};
    double p[3] = {0.0}, q[3] = {0.0};
    assembly_check(a, pbs_joint_settings(a->world, from, &begin));
    assembly_check(a, pbs_joint_settings(a->world, to, &end));
    assembly_place(a, begin.b, p);
    assembly_place(a, end.a, q);
    return length_of((const double[3]){q[0] - p[0], q[1] - p[1], q[2] - p[2]}) / length - 1.0;
}

static void measure_hinges(struct assembly *a, struct linkage *l) {
    for (int i = 0; i < HINGES; i++) {
        const pbs_joint_state state = assembly_state(a, l->hinges[i]);
        l->bearing = fmax(l->bearing, length_of(state.force));
        l->gap = fmax(l->gap, state.gap);
    }
    l->stretch = fmax(l->stretch, fabs(stretch_of(a, l->hinges[1], l->hinges[2], COUPLER)));
    l->stretch = fmax(l->stretch, fabs(stretch_of(a, l->hinges[2], l->hinges[3], ROCKER)));
}

/// The height of the lowest vertex of the clay's upper face.
static double lowest_of_top(struct assembly *a, const struct linkage *l) {
    const size_t nx = l->cells[0] + 1, ny = l->cells[1] + 1, nz = l->cells[2] + 1;
    const double *positions = pbs_body_positions(a->world, l->clay);
    double lowest = INFINITY;
    for (size_t i = 0; i < nx * nz; i++) {
        const size_t vertex = i % nx + nx * (ny - 1 + ny * (i / nx));
        lowest = fmin(lowest, positions[3 * vertex + 1]);
    }
    return lowest;
}

/// How deep the clay is dented, below where its own weight has brought it.
static void measure_clay(struct assembly *a, struct linkage *l) {
    pbs_contact_force felt = {.struct_size = sizeof felt};
    assembly_check(a, pbs_body_contact_force(a->world, l->paddle, NULL, &felt));
    const double lowest = lowest_of_top(a, l);
    l->felt = length_of(felt.force);
    l->pressed = fmax(l->pressed, l->felt);
    l->before = l->pressed > 0.0 ? l->before : lowest;
    l->dent = l->before - lowest;
    l->deepest = fmax(l->deepest, l->dent);
}

static void measure(void *user, struct assembly *a, int64_t step) {
    struct linkage *l = user;
    if (step == 0) {
        pbs_energy energy = {.struct_size = sizeof energy};
        assembly_check(a, pbs_world_energy(a->world, &energy));
        l->total = energy.total;
    } else if (!a->failed) {
        measure_motor(a, l);
        measure_hinges(a, l);
        measure_clay(a, l);
    }
}

static void print_facts(const struct linkage *l) {
    printf("angle %.9f\nlag %.3e\n", l->angle, l->lag);
    printf("hinge_gap %.3e\nbearing %.4f\nstretch %.3e\n", l->gap, l->bearing, l->stretch);
    printf("torque_least %.6f\ntorque_most %.6f\n", l->least, l->most);
    printf("work %.4f\nstored %.4f\ndissipated %.4f\n", l->work, l->stored, l->dissipated);
    printf("pressed %.2f\nfelt %.2f\n", l->pressed, l->felt);
    printf("deepest %.6f\ndent %.6f\n", l->deepest, l->dent);
}

int main(int argc, char **argv) {
    struct settings s = {.play = {.out = "demo", .name = "linkage", .frames = 180, .steps = 1},
                         .cells = 16,
                         .speed = 4.0,
                         .torque = 80.0,
                         .young = 1e5,
                         .yield = 4e3};
    int exit_status = 0;
    if (!read_settings(argc, argv, &s, &exit_status)) {
        return exit_status;
    }
    struct assembly a;
    struct linkage l = {.settings = &s};
    struct play_tally tally;
    assembly_begin(&a, s.play.threads);
    assembly_require(&a, s.cells >= 4 && s.cells <= 40, "--cells must be 4 to 40");
    if (!a.failed) {
        assembly_add_ground(&a, 0.8);
        add_clay(&a, &l);
        add_linkage(&a, &l);
    }
    const bool done = play_run(&s.play, &a, measure, &l, &tally);
    if (done) {
        print_facts(&l);
        play_print(&s.play, &tally);
    } else {
        fprintf(stderr, "linkage: %s\n", a.message.text);
    }
    assembly_end(&a);
    return done ? 0 : 1;
}
