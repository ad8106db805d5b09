// A ragdoll of soft limbs falls down stairs. Inside each limb is a stiff bone, to which vertices of
// the flesh are attached. Bones are joined by hinges (elbows, knees, waist) and by balls (neck,
// shoulders, hips), all with limits: of the angle, or of swing and twist. Writes NAME.html,
// NAME.png, NAME_sheet.png, NAME.glb and NAME_energy.csv.
// SPDX-License-Identifier: MIT
#include <pbs/pbs.h>

#include <math.h>
#include <stdio.h>

#include "common/assembly/play.h"
#include "common/meshes/shapes.h"

enum { LIMBS = 11, NO_LIMB = -1 };
enum { BALL = PBS_JOINT_BALL, HINGE = PBS_JOINT_HINGE };

/// A limb at rest, from the joint with the limb that carries it to its other end, m.
struct limb {
    int32_t carrier;
    int32_t kind; ///< of the joint at `from`
    double from[3], to[3];
    double radius;       ///< m, of the flesh
    double spare;        ///< m: flesh begins and ends so far from the ends of the bone
    double axis[3];      ///< of a hinge; that of a ball is the limb's own
    double lower, upper; ///< rad: of the angle of a hinge, of the twist of a ball
    double swing;        ///< rad: of a ball
};

// y is up, the ragdoll looks along +x, and its arms are along z.
static const struct limb limbs[LIMBS] = {
    {NO_LIMB, BALL, {0, 0.92, 0}, {0, 1.08, 0}, 0.13, 0.06, {0}, 0, 0, 0},        // hip
    {0, HINGE, {0, 1.10, 0}, {0, 1.40, 0}, 0.14, 0.05, {0, 0, 1}, -0.9, 0.3, 0},  // chest
    {1, BALL, {0, 1.46, 0}, {0, 1.70, 0}, 0.10, 0.06, {0}, -0.8, 0.8, 0.5},       // head
    {1, BALL, {0, 1.40, 0.19}, {0, 1.40, 0.47}, 0.05, 0.03, {0}, -0.8, 0.8, 1.2}, // arms
    {3, HINGE, {0, 1.40, 0.48}, {0, 1.40, 0.76}, 0.045, 0.02, {0, 1, 0}, 0, 2.2, 0},
    {1, BALL, {0, 1.40, -0.19}, {0, 1.40, -0.47}, 0.05, 0.03, {0}, -0.8, 0.8, 1.2},
    {5, HINGE, {0, 1.40, -0.48}, {0, 1.40, -0.76}, 0.045, 0.02, {0, -1, 0}, 0, 2.2, 0},
    {0, BALL, {0, 0.88, 0.10}, {0, 0.50, 0.10}, 0.075, 0.04, {0}, -0.5, 0.5, 0.9}, // legs
    {7, HINGE, {0, 0.48, 0.10}, {0, 0.08, 0.10}, 0.06, 0.02, {0, 0, 1}, -2.2, 0, 0},
    {0, BALL, {0, 0.88, -0.10}, {0, 0.50, -0.10}, 0.075, 0.04, {0}, -0.5, 0.5, 0.9},
    {9, HINGE, {0, 0.48, -0.10}, {0, 0.08, -0.10}, 0.06, 0.02, {0, 0, 1}, -2.2, 0, 0},
};

static const double BONE = 0.015; // m: its radius

struct settings {
    struct play play;
    double spacing; // m, of vertices of the flesh
    double young;   // Pa
    int64_t stairs;
};

struct ragdoll {
    const struct settings *settings;
    pbs_body bones[LIMBS], flesh[LIMBS];
    pbs_joint hinges[LIMBS]; // null where the joint is a ball
    size_t attached;
    double mass; // kg
    // What is measured:
    double beyond;        // rad: the most that a hinge was beyond its limits
    double swing;         // rad: likewise of a ball's swing
    double energy, rise;  // J: of all, and the most by which it rose in a step
    double lost;          // J, since the beginning
    double first, hip;    // m: the height of the hip, at first and at last
    double kinetic, most; // J, at last and at most
};

static bool read_settings(int argc, char **argv, struct settings *s, int *exit_status) {
    struct command_option options[PLAY_OPTIONS + 3];
    const struct command_option own[3] = {
        {"spacing", COMMAND_NUMBER, &s->spacing, "S", "of vertices of the flesh, m"},
        {"young", COMMAND_NUMBER, &s->young, "E", "Young's modulus of the flesh, Pa"},
        {"stairs", COMMAND_COUNT, &s->stairs, "N", "how many steps; 0: level ground"},
    };
    play_options(&s->play, options);
    for (int i = 0; i < 3; i++) {
        options[PLAY_OPTIONS + i] = own[i];
    }
    return command_line_or_exit(argc, argv, "A ragdoll of soft limbs falls down stairs.", options,
                                PLAY_OPTIONS + 3, exit_status);
}

// Limbs
// ----------------------------------------------------------------------------------------------

/// Where the ragdoll is at first: above the stairs, leaning forward.
static void stand(const struct settings *s, const double at_rest[3], double out[3]) {
    const double lean = 0.35, top = s->stairs > 0 ? 0.18 * (double)s->stairs : 0.0;
    out[0] = cos(lean) * at_rest[0] + sin(lean) * at_rest[1] - 0.05;
    out[1] = cos(lean) * at_rest[1] - sin(lean) * at_rest[0] + top + 0.1;
    out[2] = at_rest[2];
}

static double length_of(const double from[3], const double to[3]) {
    return sqrt(pow(to[0] - from[0], 2.0) + pow(to[1] - from[1], 2.0) + pow(to[2] - from[2], 2.0));
}

/// Turns positions from the y axis to the line between two points, and puts their middle there.
static void lay_along(double *positions, size_t count, const double from[3], const double to[3]) {
    const double length = length_of(from, to);
    const double d[3] = {(to[0] - from[0]) / length, (to[1] - from[1]) / length,
                         (to[2] - from[2]) / length};
    const double axis[3] = {d[2], 0.0, -d[0]};
    if (hypot(axis[0], axis[2]) > 0.0) {
        positions_rotate(positions, count, axis, acos(d[1]));
    }
    positions_translate(positions, count, 0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1]),
                        0.5 * (from[2] + to[2]));
}

struct core {
    const double *from, *to;
    double radius;
};

static bool is_in_core(const void *user, const double place[3]) {
    const struct core *core = user;
    double along = 0.0, square = 0.0;
    const double length = length_of(core->from, core->to);
    for (int k = 0; k < 3; k++) {
        along += (place[k] - core->from[k]) * (core->to[k] - core->from[k]) / length;
    }
    for (int k = 0; k < 3; k++) {
        const double off = place[k] - core->from[k] -
                           along * (core->to[k] - core->from[k]) / length;
        square += off * off;
    }
    return along > 0.0 && along < length && square < core->radius * core->radius;
}

/// The flesh of neighbours, and of limbs that the same one carries, does not touch, as it lies
/// together at every joint: each limb is a group of its own.
static uint32_t mask_of(int limb) {
    uint32_t mask = UINT32_MAX;
    for (int i = 0; i < LIMBS; i++) {
        const bool are_neighbours = limbs[i].carrier == limb || limbs[limb].carrier == i ||
                                    (limbs[i].carrier == limbs[limb].carrier && i != limb);
        mask &= are_neighbours ? ~(UINT32_C(1) << i) : UINT32_MAX;
    }
    return mask;
}

static void add_limb(struct assembly *a, struct ragdoll *r, int i) {
    const struct limb *limb = &limbs[i];
    const struct settings *s = r->settings;
    const struct matter bone = {.density = 2000.0, .untouched = true, .hidden = true};
    const struct matter flesh = {.density = 1000.0,
                                 .young = s->young,
                                 .damping = 0.01,
                                 .friction = 0.5,
                                 .group = UINT32_C(1) << i,
                                 .mask = mask_of(i)};
    struct surface_mesh rod = {0}, skin = {0};
    struct tet_mesh mesh = {0};
    double from[3], to[3];
    stand(s, limb->from, from);
    stand(s, limb->to, to);
    const double length = length_of(from, to);
    const double straight = fmax(0.0, length - 2.0 * limb->spare);
    surface_capsule(BONE, length - 2.0 * BONE, 12, &rod);
    lay_along(rod.positions, rod.vertex_count, from, to);
    r->bones[i] = assembly_add_stiff(a, &rod, &bone, NULL);
    if (surface_capsule(limb->radius, straight, 32, &skin)) {
        shape_fill(&skin, s->spacing * fmax(1.0, limb->radius / 0.08), &mesh);
    }
    surface_mesh_free(&skin);
    lay_along(mesh.positions, mesh.vertex_count, from, to);
    r->flesh[i] = assembly_add_soft(a, &mesh, &flesh);
    const struct core core = {.from = from, .to = to, .radius = 0.5 * limb->radius};
    r->attached += assembly_attach(a, r->flesh[i], r->bones[i], is_in_core, &core);
    r->mass += assembly_mass(a, r->bones[i]) + assembly_mass(a, r->flesh[i]);
}

// Joints
// ----------------------------------------------------------------------------------------------

/// The direction of one place from another, as the ragdoll stands at first.
static void direction_between(const struct settings *s, const double from[3], const double to[3],
                              double out[3]) {
    double a[3], b[3];
    stand(s, from, a);
    stand(s, to, b);
    for (int k = 0; k < 3; k++) {
        out[k] = (b[k] - a[k]) / length_of(a, b);
    }
}

static void join_limb(struct assembly *a, struct ragdoll *r, int i) {
    const struct limb *limb = &limbs[i];
    const double origin[3] = {0.0};
    double at[3];
    stand(r->settings, limb->from, at);
    pbs_joint_desc d = assembly_joint_at(a, limb->kind, r->bones[limb->carrier], r->bones[i], at);
    if (limb->kind == HINGE) {
        direction_between(r->settings, origin, limb->axis, d.axis);
        d.lower = limb->lower;
        d.upper = limb->upper;
        r->hinges[i] = assembly_join(a, &d);
    } else {
        direction_between(r->settings, limb->from, limb->to, d.axis);
        d.swing_limit = limb->swing;
        d.twist_lower = limb->lower;
        d.twist_upper = limb->upper;
        assembly_join(a, &d);
    }
}

/// Stairs that go down along +x, as triangles; the ground is below them.
static void add_stairs(struct assembly *a, struct ragdoll *r) {
    struct surface_mesh stairs = {0};
    const double run = 0.28, rise = 0.18;
    if (r->settings->stairs > 0 &&
        assembly_require(a, surface_stairs((size_t)r->settings->stairs, rise, run, 2.0, &stairs),
                         "out of memory")) {
        // A landing of 0.7 m, which ends in front of the feet.
        for (size_t v = 0; v < stairs.vertex_count; v++) {
            stairs.positions[3 * v] -= stairs.positions[3 * v] == 0.0 ? 1.0 : run;
            stairs.positions[3 * v] += 0.1;
        }
        assembly_add_obstacle(a, &stairs, 0.5);
    }
    surface_mesh_free(&stairs);
}

// What is measured
// ----------------------------------------------------------------------------------------------

/// Where a direction of a bone at first points now.
static void turn_with(struct assembly *a, pbs_body bone, const double at_first[3], double out[3]) {
    double matrix[9] = {0.0};
    assembly_check(a, pbs_body_transform(a->world, bone, NULL, matrix));
    for (int k = 0; k < 3; k++) {
        out[k] = matrix[3 * k] * at_first[0] + matrix[3 * k + 1] * at_first[1] +
                 matrix[3 * k + 2] * at_first[2];
    }
}

/// rad: how far a limb on a ball has swung from where its carrier has turned the place it had.
static double swing_of(struct assembly *a, const struct ragdoll *r, int i) {
    double at_first[3], carried[3], own[3];
    direction_between(r->settings, limbs[i].from, limbs[i].to, at_first);
    turn_with(a, r->bones[limbs[i].carrier], at_first, carried);
    turn_with(a, r->bones[i], at_first, own);
    return 2.0 * asin(fmin(1.0, 0.5 * length_of(carried, own)));
}

static void measure_limits(struct assembly *a, struct ragdoll *r) {
    for (int i = 1; i < LIMBS; i++) {
        if (limbs[i].kind == HINGE) {
            const double q = assembly_state(a, r->hinges[i]).coordinate;
            r->beyond = fmax(r->beyond, fmax(limbs[i].lower - q, q - limbs[i].upper));
        } else {
            r->swing = fmax(r->swing, swing_of(a, r, i) - limbs[i].swing);
        }
    }
}

static void measure_energy(struct assembly *a, struct ragdoll *r, int64_t step) {
    pbs_energy energy = {.struct_size = sizeof energy};
    assembly_check(a, pbs_world_energy(a->world, &energy));
    if (step > 0) {
        r->rise = fmax(r->rise, energy.total - r->energy);
        r->lost += r->energy - energy.total;
    }
    r->energy = energy.total;
    r->kinetic = energy.kinetic;
    r->most = fmax(r->most, energy.kinetic);
}

static void measure_fall(struct assembly *a, struct ragdoll *r, int64_t step) {
    pbs_motion hip = {.struct_size = sizeof hip};
    assembly_check(a, pbs_body_motion(a->world, r->bones[0], &hip));
    r->first = step == 0 ? hip.center[1] : r->first;
    r->hip = hip.center[1];
}

static void measure(void *user, struct assembly *a, int64_t step) {
    if (!a->failed) {
        measure_limits(a, user);
        measure_energy(a, user, step);
        measure_fall(a, user, step);
    }
}

int main(int argc, char **argv) {
    struct settings s = {.play = {.out = "demo", .name = "ragdoll", .frames = 150, .steps = 1},
                         .spacing = 0.05,
                         .young = 5e4,
                         .stairs = 6};
    int exit_status = 0;
    if (!read_settings(argc, argv, &s, &exit_status)) {
        return exit_status;
    }
    struct assembly a;
    struct ragdoll r = {.settings = &s};
    struct play_tally tally;
    assembly_begin(&a, s.play.threads);
    assembly_require(&a, s.spacing >= 0.02 && s.spacing <= 0.06 && s.stairs <= 20,
                     "--spacing must be 0.02 to 0.06, --stairs 20 at most");
    if (!a.failed) {
        assembly_add_ground(&a, 0.5);
        add_stairs(&a, &r);
        for (int i = 0; i < LIMBS && !a.failed; i++) {
            add_limb(&a, &r, i);
        }
        for (int i = 1; i < LIMBS && !a.failed; i++) {
            join_limb(&a, &r, i);
        }
    }
    const bool done = play_run(&s.play, &a, measure, &r, &tally);
    if (done) {
        printf("mass %.3f\nattached %zu\njoints %zu\n", r.mass, r.attached,
               pbs_world_joint_count(a.world));
        printf("beyond_limits %.3e\nbeyond_swing %.3e\n", r.beyond, r.swing);
        printf("fell %.4f\nhip %.4f\n", r.first - r.hip, r.hip);
        printf("energy_rise %.3e\nlost %.4f\n", r.rise, r.lost);
        printf("kinetic %.4f\nkinetic_most %.4f\n", r.kinetic, r.most);
        play_print(&s.play, &tally);
    } else {
        fprintf(stderr, "ragdoll: %s\n", a.message.text);
    }
    assembly_end(&a);
    return done ? 0 : 1;
}
