// A tent: a sheet over two poles, held by ropes to pegs in the ground. The ropes are drawn in
// during the first second, and then wind blows. Each rope is a joint of a vertex of the sheet and a
// point of space that has an upper limit and nothing else. Writes NAME.html, NAME.png,
// NAME_sheet.png, NAME.glb and NAME_energy.csv.
// SPDX-License-Identifier: MIT
#include <pbs/pbs.h>

#include <math.h>
#include <stdio.h>

#include "common/assembly/play.h"
#include "common/meshes/shapes.h"

// m: the sheet along the ridge (z) and across it, the poles under its ends, and how high they are.
static const double LONG = 2.4, WIDE = 2.8, RIDGE = 1.2, POLE_RADIUS = 0.03;
static const double SLACK = 0.02;                      // m: by that much ropes are drawn in
static const double DRAWN_IN = 1.0, WIND_BEGINS = 1.5; // s

enum { WEIGHED = 10 }; // steps at the end
enum { POLES = 2, SIDE_ROPES = 5, ROPES = 2 * SIDE_ROPES + 2, ROPE_CORNERS = 8 };

struct settings {
    struct play play;
    int64_t cells; // of the sheet across the ridge
    double wind;   // m/s, along x
};

struct rope {
    pbs_joint joint;
    pbs_point end; // on the sheet
    double peg[3];
    double length;                    // m, before it is drawn in
    double corners[3 * ROPE_CORNERS]; // as drawn
};

struct tent {
    const struct settings *settings;
    pbs_body sheet, poles[POLES];
    pbs_joint feet[POLES];
    struct rope ropes[ROPES];
    size_t columns, rows; // of vertices, across the ridge and along it
    double weight;        // N, of all
    bool blows;
    double wind[3];     // N, on the sheet
    double ridge;       // m: the height of the middle of the ridge
    double momentum[3]; // kg m/s, of all
    double ground[3];   // N: what ropes and feet bear, on the tent
    double unbalanced;  // N: what is left of all forces and inertia
};

static bool read_settings(int argc, char **argv, struct settings *s, int *exit_status) {
    struct command_option options[PLAY_OPTIONS + 2];
    const struct command_option own[2] = {
        {"cells", COMMAND_COUNT, &s->cells, "N", "across the sheet, a multiple of 4"},
        {"wind", COMMAND_NUMBER, &s->wind, "U", "speed of the wind after 1.5 s, m/s"},
    };
    play_options(&s->play, options);
    options[PLAY_OPTIONS] = own[0];
    options[PLAY_OPTIONS + 1] = own[1];
    return command_line_or_exit(argc, argv, "A tent of a sheet, two poles and twelve ropes.",
                                options, PLAY_OPTIONS + 2, exit_status);
}

// The scene
// ----------------------------------------------------------------------------------------------

/// The sheet as it is cut: flat on both sides of the ridge, 35 degrees below the horizontal.
static void add_sheet(struct assembly *a, struct tent *tent) {
    static const struct matter canvas = {.density = 500.0, .young = 5e6, .friction = 0.3};
    const size_t across = (size_t)tent->settings->cells, along = across * 3 / 4;
    const double slope = 35.0 * 3.14159265358979 / 180.0;
    struct surface_mesh mesh = {0};
    surface_sheet(across, along, WIDE, LONG, &mesh);
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        double *x = mesh.positions + 3 * v;
        x[1] = RIDGE - fabs(x[0]) * sin(slope);
        x[0] *= cos(slope);
    }
    tent->columns = across + 1;
    tent->rows = along + 1;
    tent->sheet = assembly_add_cloth(a, &mesh, &canvas, 5e-4);
    tent->weight += 9.81 * assembly_mass(a, tent->sheet);
}

static uint32_t vertex_at(const struct tent *tent, size_t column, size_t row) {
    return (uint32_t)(column + row * tent->columns);
}

/// A pole stands on a ball joint, and its head carries an end of the ridge.
static void add_pole(struct assembly *a, struct tent *tent, size_t i) {
    static const struct matter wood = {.density = 600.0, .friction = 0.3};
    const pbs_body space = {0};
    const uint32_t head = vertex_at(tent, tent->columns / 2, i == 0 ? 0 : tent->rows - 1);
    const double z = i == 0 ? -0.5 * LONG : 0.5 * LONG;
    const double foot[3] = {0.0, 0.02, z}, top[3] = {0.0, RIDGE, z};
    const double middle[3] = {0.0, 0.5 * (foot[1] + RIDGE), z};
    struct surface_mesh mesh = {0};
    surface_cylinder(POLE_RADIUS, RIDGE - foot[1] - 0.02, 16, &mesh);
    const pbs_body pole = assembly_add_stiff(a, &mesh, &wood, middle);
    pbs_joint_desc d = assembly_joint_at(a, PBS_JOINT_BALL, space, pole, foot);
    tent->feet[i] = assembly_join(a, &d);
    d = joint_between(PBS_JOINT_BALL, assembly_point(a, pole, top),
                      assembly_vertex(tent->sheet, head));
    assembly_join(a, &d);
    tent->weight += 9.81 * assembly_mass(a, pole);
    tent->poles[i] = pole;
}

/// A rope as a prism between the peg and its end.
static void draw_rope(struct assembly *a, struct rope *rope) {
    double end[3];
    assembly_place(a, rope->end, end);
    for (int i = 0; i < ROPE_CORNERS; i++) {
        double *x = rope->corners + 3 * (size_t)i;
        for (int k = 0; k < 3; k++) {
            x[k] = i < 4 ? rope->peg[k] : end[k];
        }
        x[1] += i % 4 < 2 ? 0.006 : -0.006;
        x[i % 2 == 0 ? 0 : 2] += i % 4 == 0 || i % 4 == 3 ? 0.006 : -0.006;
    }
}

static void add_rope(struct assembly *a, struct rope *rope, pbs_body sheet, uint32_t vertex,
                     double x, double z) {
    static const uint32_t triangles[24] = {0, 4, 1, 1, 4, 5, 1, 5, 2, 2, 5, 6,
                                           2, 6, 3, 3, 6, 7, 3, 7, 0, 0, 7, 4};
    const double peg[3] = {x, 0.0, z};
    struct message why = {{0}};
    rope->end = assembly_vertex(sheet, vertex);
    for (int k = 0; k < 3; k++) {
        rope->peg[k] = peg[k];
    }
    pbs_joint_desc d = joint_between(PBS_JOINT_DISTANCE, assembly_point(a, (pbs_body){0}, peg),
                                     rope->end);
    double end[3] = {0.0};
    assembly_place(a, rope->end, end);
    rope->length = sqrt(pow(end[0] - peg[0], 2.0) + pow(end[1], 2.0) + pow(end[2] - peg[2], 2.0));
    d.upper = rope->length;
    rope->joint = assembly_join(a, &d);
    draw_rope(a, rope);
    if (!a->failed) {
        assembly_require(
            a, stage_add_scripted(&a->stage, ROPE_CORNERS, rope->corners, 8, triangles, &why),
            why.text);
    }
}

/// Ropes along both eaves, and one from each end of the ridge.
static void add_ropes(struct assembly *a, struct tent *tent) {
    const size_t middle = tent->columns / 2, last = tent->columns - 1;
    struct rope *rope = tent->ropes;
    for (size_t i = 0; i < SIDE_ROPES; i++) {
        const size_t row = (tent->rows - 1) * i / (SIDE_ROPES - 1);
        const double z = LONG * ((double)row / (double)(tent->rows - 1) - 0.5);
        add_rope(a, rope++, tent->sheet, vertex_at(tent, 0, row), -1.7, z * 1.1);
        add_rope(a, rope++, tent->sheet, vertex_at(tent, last, row), 1.7, z * 1.1);
    }
    add_rope(a, rope++, tent->sheet, vertex_at(tent, middle, 0), 0.0, -0.5 * LONG - 1.0);
    add_rope(a, rope++, tent->sheet, vertex_at(tent, middle, tent->rows - 1), 0.0,
             0.5 * LONG + 1.0);
}

// What happens
// ----------------------------------------------------------------------------------------------

static void draw_in(struct assembly *a, struct tent *tent, double share) {
    for (size_t i = 0; i < ROPES; i++) {
        pbs_joint_desc d = {.struct_size = sizeof d};
        assembly_check(a, pbs_joint_settings(a->world, tent->ropes[i].joint, &d));
        d.upper = tent->ropes[i].length - share * SLACK;
        assembly_check(a, pbs_joint_set_settings(a->world, tent->ropes[i].joint, &d));
    }
}

/// The wind blows along +x: it pushes the side at x < 0 and draws at the other.
static void blow(struct assembly *a, struct tent *tent) {
    pbs_wind_desc d;
    assembly_check(a, pbs_wind_desc_init(&d, sizeof d));
    d.velocity[0] = tent->settings->wind;
    assembly_check(a, pbs_body_set_wind(a->world, tent->sheet, &d));
}

/// Adds up all forces on the tent, which are to change its momentum as it has changed in the step.
/// Of the wind that is the force at the step's end, whose normals are not yet those of the step.
static void balance(struct assembly *a, struct tent *tent, double h) {
    double momentum[3] = {0.0}, left[3] = {0.0, -tent->weight, 0.0};
    assembly_add_momentum(a, tent->sheet, momentum);
    for (size_t i = 0; i < POLES; i++) {
        assembly_add_momentum(a, tent->poles[i], momentum);
    }
    for (int k = 0; k < 3; k++) {
        tent->ground[k] = 0.0;
    }
    for (size_t i = 0; i < ROPES + POLES; i++) {
        const pbs_joint joint = i < ROPES ? tent->ropes[i].joint : tent->feet[i - ROPES];
        const pbs_joint_state state = assembly_state(a, joint);
        for (int k = 0; k < 3; k++) {
            tent->ground[k] += state.force[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        left[k] += tent->wind[k] + tent->ground[k] - (momentum[k] - tent->momentum[k]) / h;
        tent->momentum[k] = momentum[k];
    }
    tent->unbalanced = sqrt(left[0] * left[0] + left[1] * left[1] + left[2] * left[2]);
}

static void after_step(void *user, struct assembly *a, int64_t step) {
    struct tent *tent = user;
    const struct play *play = &tent->settings->play;
    const double time = pbs_world_time(a->world), h = PLAY_FRAME / (double)play->steps;
    const uint32_t middle = vertex_at(tent, tent->columns / 2, tent->rows / 2);
    double place[3] = {0.0};
    if (tent->blows) {
        assembly_check(a, pbs_body_wind(a->world, tent->sheet, NULL, tent->wind));
    }
    balance(a, tent, h);
    if (time < DRAWN_IN) {
        draw_in(a, tent, fmin(1.0, (time + h) / DRAWN_IN));
    }
    if (!tent->blows && time >= WIND_BEGINS) {
        blow(a, tent);
        tent->blows = true;
    }
    if (step == play->frames * play->steps - WEIGHED) {
        assembly_solve_exactly(a);
    }
    for (size_t i = 0; i < ROPES; i++) {
        draw_rope(a, &tent->ropes[i]);
    }
    assembly_place(a, assembly_vertex(tent->sheet, middle), place);
    tent->ridge = place[1];
}

// What is said
// ----------------------------------------------------------------------------------------------

static void print_forces(const struct tent *tent) {
    printf("weight %.6f\n", tent->weight);
    printf("wind_x %.6f\nwind_y %.6f\nwind_z %.6f\n", tent->wind[0], tent->wind[1], tent->wind[2]);
    printf("ground_x %.6f\nground_y %.6f\nground_z %.6f\nunbalanced %.6f\n", tent->ground[0],
           tent->ground[1], tent->ground[2], tent->unbalanced);
    printf("ridge %.4f\n", tent->ridge);
}

/// The least and most that a rope pulls towards its peg, what it exerts across itself, and how much
/// longer it is than it may be.
static void print_ropes(struct assembly *a, const struct tent *tent) {
    double least = INFINITY, most = 0.0, across = 0.0, longer = 0.0;
    for (size_t i = 0; i < ROPES; i++) {
        const struct rope *rope = &tent->ropes[i];
        const pbs_joint_state state = assembly_state(a, rope->joint);
        const double *f = state.force;
        double end[3] = {0.0}, pull = 0.0;
        assembly_place(a, rope->end, end);
        for (int k = 0; k < 3; k++) {
            pull += f[k] * (rope->peg[k] - end[k]) / state.coordinate;
        }
        const double square = f[0] * f[0] + f[1] * f[1] + f[2] * f[2] - pull * pull;
        least = fmin(least, pull);
        most = fmax(most, pull);
        across = fmax(across, sqrt(fmax(0.0, square)));
        longer = fmax(longer, state.coordinate - (rope->length - SLACK));
    }
    printf("rope_least %.4f\nrope_most %.4f\nrope_across %.2e\nrope_longer %.2e\n", least, most,
           across, longer);
}

int main(int argc, char **argv) {
    struct settings s = {.play = {.out = "demo", .name = "tent", .frames = 240, .steps = 1},
                         .cells = 24,
                         .wind = 10.0};
    int exit_status = 0;
    if (!read_settings(argc, argv, &s, &exit_status)) {
        return exit_status;
    }
    struct assembly a;
    struct tent tent = {.settings = &s};
    struct play_tally tally;
    assembly_begin(&a, s.play.threads);
    assembly_require(&a, s.cells >= 4 && s.cells <= 400 && s.cells % 4 == 0,
                     "--cells must be a multiple of 4, 400 at most");
    assembly_add_ground(&a, 0.5);
    if (!a.failed) {
        add_sheet(&a, &tent);
        for (size_t i = 0; i < POLES; i++) {
            add_pole(&a, &tent, i);
        }
        add_ropes(&a, &tent);
    }
    const bool done = play_run(&s.play, &a, after_step, &tent, &tally);
    if (done) {
        print_forces(&tent);
        print_ropes(&a, &tent);
        play_print(&s.play, &tally);
    } else {
        fprintf(stderr, "tent: %s\n", a.message.text);
    }
    assembly_end(&a);
    return done ? 0 : 1;
}
