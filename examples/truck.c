// A truck on soft tyres drives over a ramp. Each wheel is a stiff hub in a soft tyre, attached
// vertex by vertex, and turns on a hinge at the end of an arm, which a spring holds away from the
// chassis. Motors drive the hind wheels. Writes NAME.html, NAME.png, NAME_sheet.png, NAME.glb and
// NAME_energy.csv.
// SPDX-License-Identifier: MIT
#include <pbs/pbs.h>

#include <math.h>
#include <stdio.h>

#include "common/assembly/play.h"
#include "common/meshes/shapes.h"

// m: the tyre's ring and tube, the hub in it, and where the wheels are about the chassis.
static const double RING = 0.26, TUBE = 0.12, HUB = 0.17, TREAD = 0.38;
static const double BASE = 1.9, TRACK = 1.3, ARM = 0.45;
static const double FLOOR_GAP = 2e-3;                // m, below the tyres
static const double SPRING = 4000.0, DAMPER = 300.0; // N m/rad, N m s/rad, of the arms
static const double LIFT = 0.17;  // rad: of the arms without load, about what the weight takes back
static const double STARTS = 0.2; // s: motors begin to turn
static const double RAMP_AT = 3.2, RAMP[3] = {1.2, 0.15, 2.4}; // m: its middle, and its size

enum { WHEELS = 4, HIND = 2, BODIES = 2 + 3 * WHEELS };
enum { STEADY = 75 };  // frames, after which the motors are at speed
enum { WEIGHED = 10 }; // steps at the end

struct settings {
    struct play play;
    double spacing;       // m, of the tyres' vertices
    double speed, torque; // rad/s, N m, of the motors
    double young;         // Pa, of rubber
    bool flat;            // without the ramp
};

struct wheel {
    pbs_body hub, tyre, arm;
    pbs_joint axle, shock;
    double axis[3]; // m: its centre at first
};

/// Where the truck is, or how it went.
struct journey {
    double turned, rolled; // rad: motors, and the driven wheels in space
    double distance;       // m: of axles along x
    double height;         // m: of hubs; its mean
    double torque;         // N m: of a motor; the most
};

struct truck {
    const struct settings *settings;
    pbs_collider grounds[2]; // the floor and the ramp
    size_t ground_count;
    pbs_body bodies[BODIES], chassis;
    size_t body_count;
    struct wheel wheels[WHEELS];
    size_t attached; // vertices
    // What is measured:
    double weight;                 // N
    struct journey start, journey; // when motors were at speed, and since then
    double rise;                   // m, the most of the chassis
    double momentum[3];            // kg m/s, WEIGHED steps before the end
    double carried, unbalanced;    // N s, by the ground since then; and what it does not explain
};

static bool read_settings(int argc, char **argv, struct settings *s, int *exit_status) {
    struct command_option options[PLAY_OPTIONS + 5];
    const struct command_option own[5] = {
        {"spacing", COMMAND_NUMBER, &s->spacing, "S", "of the vertices of tyres, m"},
        {"speed", COMMAND_NUMBER, &s->speed, "W", "of the motors, rad/s"},
        {"torque", COMMAND_NUMBER, &s->torque, "M", "the most that a motor exerts, N m"},
        {"young", COMMAND_NUMBER, &s->young, "E", "Young's modulus of the tyres, Pa"},
        {"flat", COMMAND_FLAG, &s->flat, NULL, "no ramp"},
    };
    play_options(&s->play, options);
    for (int i = 0; i < 5; i++) {
        options[PLAY_OPTIONS + i] = own[i];
    }
    return command_line_or_exit(argc, argv, "A truck on soft tyres.", options, PLAY_OPTIONS + 5,
                                exit_status);
}

// Wheels
// ----------------------------------------------------------------------------------------------

static const double z_axis[3] = {0.0, 0.0, 1.0}, x_axis[3] = {1.0, 0.0, 0.0};
static const double QUARTER_TURN = 1.57079632679489661923;

static void note_body(struct assembly *a, struct truck *truck, pbs_body body) {
    truck->bodies[truck->body_count++] = body;
    truck->weight += 9.81 * assembly_mass(a, body);
}

static bool is_near_hub(const void *user, const double place[3]) {
    const double *centre = user;
    return hypot(place[0] - centre[0], place[1] - centre[1]) < HUB + 0.02;
}

/// The tyre is a ring about the z axis; its vertices at the hub are attached to that.
static void add_wheel(struct assembly *a, struct truck *truck, struct wheel *wheel) {
    const struct settings *s = truck->settings;
    const struct matter rubber = {
        .density = 1100.0, .young = s->young, .damping = 5e-3, .friction = 0.9};
    static const struct matter steel = {.density = 2500.0, .friction = 0.3};
    struct tet_mesh ring = {0};
    struct surface_mesh drum = {0};
    shape_torus(RING, TUBE, s->spacing, &ring);
    positions_rotate(ring.positions, ring.vertex_count, x_axis, QUARTER_TURN);
    positions_translate(ring.positions, ring.vertex_count, wheel->axis[0], wheel->axis[1],
                        wheel->axis[2]);
    surface_cylinder(HUB, 0.12, 24, &drum);
    positions_rotate(drum.positions, drum.vertex_count, x_axis, QUARTER_TURN);
    wheel->tyre = assembly_add_soft(a, &ring, &rubber);
    wheel->hub = assembly_add_stiff(a, &drum, &steel, wheel->axis);
    truck->attached += assembly_attach(a, wheel->tyre, wheel->hub, is_near_hub, wheel->axis);
    note_body(a, truck, wheel->tyre);
    note_body(a, truck, wheel->hub);
}

/// An arm trails behind its pivot at the chassis; at its end is the axle.
static void add_arm(struct assembly *a, struct truck *truck, struct wheel *wheel, bool is_driven) {
    static const struct matter steel = {.density = 5000.0, .untouched = true};
    const struct settings *s = truck->settings;
    const double inwards = wheel->axis[2] > 0.0 ? -0.16 : 0.16;
    const double end[3] = {wheel->axis[0], wheel->axis[1], wheel->axis[2] + inwards};
    const double pivot[3] = {end[0] + ARM, end[1] + 0.1, end[2]};
    const double middle[3] = {0.5 * (end[0] + pivot[0]), 0.5 * (end[1] + pivot[1]), end[2]};
    struct surface_mesh bar = {0};
    surface_box(ARM, 0.08, 0.06, &bar);
    positions_rotate(bar.positions, bar.vertex_count, z_axis, atan2(0.1, ARM));
    wheel->arm = assembly_add_stiff(a, &bar, &steel, middle);
    pbs_joint_desc d = assembly_joint_at(a, PBS_JOINT_HINGE, truck->chassis, wheel->arm, pivot);
    d.spring_stiffness = SPRING;
    d.spring_damping = DAMPER;
    d.spring_target = LIFT;
    d.lower = -0.5;
    d.upper = 0.5;
    wheel->shock = assembly_join(a, &d);
    d = assembly_joint_at(a, PBS_JOINT_HINGE, wheel->arm, wheel->hub, wheel->axis);
    d.motor_force = is_driven ? s->torque : 0.0;
    wheel->axle = assembly_join(a, &d);
    note_body(a, truck, wheel->arm);
}

// The scene
// ----------------------------------------------------------------------------------------------

static void add_chassis(struct assembly *a, struct truck *truck) {
    static const struct matter body = {.density = 350.0, .friction = 0.4};
    const double at[3] = {0.0, TREAD + FLOOR_GAP + 0.28, 0.0};
    struct surface_mesh bed = {0}, cabin = {0};
    surface_box(2.9, 0.25, 0.75, &bed);
    truck->chassis = assembly_add_stiff(a, &bed, &body, at);
    const double seat[3] = {0.75, at[1] + 0.4, 0.0}, bolt[3] = {0.75, at[1] + 0.13, 0.0};
    static const struct matter sheet_metal = {.density = 120.0, .friction = 0.4};
    surface_box(0.9, 0.5, 0.75, &cabin);
    const pbs_body cab = assembly_add_stiff(a, &cabin, &sheet_metal, seat);
    const pbs_joint_desc d = assembly_joint_at(a, PBS_JOINT_WELD, truck->chassis, cab, bolt);
    assembly_join(a, &d);
    note_body(a, truck, truck->chassis);
    note_body(a, truck, cab);
}

/// Up one side and down the other.
static pbs_collider add_ramp(struct assembly *a) {
    uint32_t triangles[24] = {0, 1, 4, 1, 5, 4, 1, 2, 5, 2, 6, 5,
                              2, 3, 6, 3, 7, 6, 0, 2, 1, 0, 3, 2};
    static const double outline[4][2] = {{-1.0, 0.0}, {-0.3, 1.0}, {0.3, 1.0}, {1.0, 0.0}};
    double positions[24];
    for (size_t i = 0; i < 8; i++) {
        positions[3 * i] = RAMP_AT + RAMP[0] * outline[i % 4][0];
        positions[3 * i + 1] = RAMP[1] * outline[i % 4][1];
        positions[3 * i + 2] = i < 4 ? 0.5 * RAMP[2] : -0.5 * RAMP[2];
    }
    const struct surface_mesh mesh = {
        .vertex_count = 8, .positions = positions, .triangle_count = 6, .triangles = triangles};
    return assembly_add_obstacle(a, &mesh, 0.9);
}

static void add_truck(struct assembly *a, struct truck *truck) {
    add_chassis(a, truck);
    for (int i = 0; i < WHEELS && !a->failed; i++) {
        struct wheel *wheel = &truck->wheels[i];
        const bool is_hind = i < HIND;
        wheel->axis[0] = is_hind ? -0.5 * BASE : 0.5 * BASE;
        wheel->axis[1] = TREAD + FLOOR_GAP;
        wheel->axis[2] = i % 2 == 0 ? 0.5 * TRACK : -0.5 * TRACK;
        add_wheel(a, truck, wheel);
        add_arm(a, truck, wheel, is_hind);
    }
}

// What happens
// ----------------------------------------------------------------------------------------------

/// Brings the motors up to speed within a second. Seen from +z a wheel that rolls along +x turns
/// clockwise.
static void drive(struct assembly *a, struct truck *truck, double time) {
    const double share = fmin(1.0, fmax(0.0, time - STARTS));
    for (int i = 0; i < HIND; i++) {
        pbs_joint_desc d = {.struct_size = sizeof d};
        assembly_check(a, pbs_joint_settings(a->world, truck->wheels[i].axle, &d));
        d.motor_velocity = -share * truck->settings->speed;
        assembly_check(a, pbs_joint_set_settings(a->world, truck->wheels[i].axle, &d));
    }
}

/// rad: how far a body has turned about z against its description, less than half a turn.
static double pitch_of(struct assembly *a, pbs_body body) {
    double q[4] = {0.0, 0.0, 0.0, 1.0};
    assembly_check(a, pbs_body_pose(a->world, body, NULL, q));
    return 2.0 * atan2(q[2], q[3]);
}

/// How far motors and wheels have turned, and where the axles are. A wheel turns by its axle, with
/// the arm about the chassis, and with the chassis.
static struct journey look_at_wheels(struct assembly *a, const struct truck *truck) {
    struct journey now = {.rolled = -pitch_of(a, truck->chassis)};
    for (int i = 0; i < WHEELS; i++) {
        double centre[3] = {0.0};
        assembly_check(a, pbs_body_pose(a->world, truck->wheels[i].hub, centre, NULL));
        now.distance += centre[0] / WHEELS;
        now.height += centre[1] / WHEELS;
    }
    for (int i = 0; i < HIND; i++) {
        const pbs_joint_state motor = assembly_state(a, truck->wheels[i].axle);
        const pbs_joint_state shock = assembly_state(a, truck->wheels[i].shock);
        now.turned -= motor.coordinate / HIND;
        now.rolled -= (motor.coordinate + shock.coordinate) / HIND;
        now.torque = fmax(now.torque, fabs(motor.torque[2]));
    }
    return now;
}

/// `steady`: steps since the motors are at speed.
static void measure(struct assembly *a, struct truck *truck, int64_t steady) {
    const struct journey now = look_at_wheels(a, truck);
    struct journey *const sum = &truck->journey;
    sum->torque = fmax(sum->torque, now.torque);
    if (steady <= 0) {
        truck->start = now;
        return;
    }
    sum->turned = now.turned - truck->start.turned;
    sum->rolled = now.rolled - truck->start.rolled;
    sum->distance = now.distance - truck->start.distance;
    sum->height += (now.height - sum->height) / (double)steady;
}

/// What the ground exerts on the truck is to carry its weight and change its momentum.
static void weigh(struct assembly *a, struct truck *truck, int64_t steps) {
    double momentum[3] = {0.0};
    for (size_t i = 0; i < truck->body_count; i++) {
        assembly_add_momentum(a, truck->bodies[i], momentum);
    }
    if (steps == 0) {
        assembly_solve_exactly(a);
        truck->momentum[1] = momentum[1];
        return;
    }
    const double seconds = (double)steps * PLAY_FRAME / (double)truck->settings->play.steps;
    for (size_t i = 0; i < truck->ground_count; i++) {
        pbs_contact_force felt = {.struct_size = sizeof felt};
        assembly_check(a, pbs_collider_contact_force(a->world, truck->grounds[i], NULL, &felt));
        truck->carried -= felt.impulse[1];
    }
    truck->unbalanced = truck->carried - truck->weight * seconds -
                        (momentum[1] - truck->momentum[1]);
}

static void after_step(void *user, struct assembly *a, int64_t step) {
    struct truck *truck = user;
    const struct play *play = &truck->settings->play;
    const int64_t weighed = step - (play->frames * play->steps - WEIGHED);
    const double time = pbs_world_time(a->world);
    double place[3] = {0.0};
    if (a->failed) {
        return;
    }
    drive(a, truck, time);
    measure(a, truck, step - STEADY * play->steps);
    if (weighed >= 0) {
        weigh(a, truck, weighed);
    }
    assembly_check(a, pbs_body_pose(a->world, truck->chassis, place, NULL));
    truck->rise = fmax(truck->rise, place[1]);
}

static void print_facts(const struct truck *truck) {
    const double seconds = WEIGHED * PLAY_FRAME / (double)truck->settings->play.steps;
    const struct journey *const j = &truck->journey;
    printf("attached %zu\nturned %.6f\nrolled %.6f\ndistance %.6f\n", truck->attached, j->turned,
           j->rolled, j->distance);
    printf("rolling_radius %.6f\nhub_height %.6f\n",
           j->rolled > 0.0 ? j->distance / j->rolled : 0.0, j->height);
    printf("motor_torque %.4f\nrise %.4f\n", j->torque, truck->rise);
    printf("weight %.4f\ncarried %.4f\nunbalanced %.6f\n", truck->weight, truck->carried / seconds,
           truck->unbalanced / seconds);
}

int main(int argc, char **argv) {
    struct settings s = {.play = {.out = "demo", .name = "truck", .frames = 210, .steps = 1},
                         .spacing = 0.1,
                         .speed = 5.0,
                         .torque = 400.0,
                         .young = 1e6};
    int exit_status = 0;
    if (!read_settings(argc, argv, &s, &exit_status)) {
        return exit_status;
    }
    struct assembly a;
    struct truck truck = {.settings = &s};
    struct play_tally tally;
    assembly_begin(&a, s.play.threads);
    assembly_require(&a, s.spacing >= 0.03 && s.spacing <= 0.1, "--spacing must be 0.03 to 0.1");
    truck.grounds[truck.ground_count++] = assembly_add_ground(&a, 0.9);
    if (!a.failed) {
        if (!s.flat) {
            truck.grounds[truck.ground_count++] = add_ramp(&a);
        }
        add_truck(&a, &truck);
    }
    const bool done = play_run(&s.play, &a, after_step, &truck, &tally);
    if (done) {
        print_facts(&truck);
        play_print(&s.play, &tally);
    } else {
        fprintf(stderr, "truck: %s\n", a.message.text);
    }
    assembly_end(&a);
    return done ? 0 : 1;
}
