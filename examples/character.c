// A character whose fine mesh a coarse soft body carries: it drops onto a ledge, tumbles down and
// lies on the ground. The body is simulated, the mesh is what is drawn: pbs_embedding_update after
// each step, and a read for each frame. Ears are thinner than the body's tetrahedra, and stick out
// of it. Writes NAME.html, NAME.png, NAME_sheet.png, NAME.glb and NAME_energy.csv.
// SPDX-License-Identifier: MIT
#include <pbs/pbs.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/assembly/play.h"
#include "common/meshes/shapes.h"

enum { PARTS = 11 };

/// A part of the character: a capsule between two points, m; y is up, it looks along +x.
struct part {
    double from[3], to[3], radius;
};

static const struct part parts[PARTS] = {
    {{0.00, 0.42, 0.00}, {0.00, 0.60, 0.00}, 0.17},  // belly
    {{0.02, 0.90, 0.00}, {0.02, 0.95, 0.00}, 0.16},  // head
    {{0.00, 0.60, 0.00}, {0.00, 0.90, 0.00}, 0.08},  // neck
    {{0.00, 0.66, 0.10}, {0.06, 0.52, 0.34}, 0.065}, // arms
    {{0.00, 0.66, -0.10}, {0.06, 0.52, -0.34}, 0.065},
    {{0.00, 0.36, 0.09}, {0.00, 0.09, 0.11}, 0.08}, // legs
    {{0.00, 0.36, -0.09}, {0.00, 0.09, -0.11}, 0.08},
    {{0.00, 0.07, 0.11}, {0.12, 0.07, 0.12}, 0.07}, // feet
    {{0.00, 0.07, -0.11}, {0.12, 0.07, -0.12}, 0.07},
    {{0.00, 1.02, 0.09}, {0.00, 1.14, 0.13}, 0.035}, // ears
    {{0.00, 1.02, -0.09}, {0.00, 1.14, -0.13}, 0.035},
};

static const double START[3] = {0.0, 0.55, 0.0}; // m
static const double LEAN = 0.25;                 // rad, forward

struct settings {
    struct play play;
    double spacing;   // m, of the body's vertices
    int64_t segments; // around a part of the drawn mesh
    double young;     // Pa
};

struct character {
    const struct settings *settings;
    struct surface_mesh mesh; // at rest, then of each frame
    struct tet_mesh rest;     // of the body
    pbs_body body;
    pbs_embedding *embedding;
    double *before, *between; // [mesh.vertex_count * 3]: frames to compare with
    float *single;            // likewise
    double *offsets;          // [mesh.vertex_count] m: how far a point is out of the body at rest
    // What is measured:
    double rest_error;      // m: of the mesh where it begins
    double halfway;         // m: how far a frame between two steps is from their mean
    double rounding;        // the most that single precision differs, in roundings of 1 m
    double offset, longest; // m: the largest offset at rest, and of all
    double stretched;       // the most that an offset became longer, as a factor
    double stretch;         // what no line in the body did beyond
    double through;         // m: how far the mesh was below the ground at most
    double least, top;      // m: the lowest and the highest point at last
};

static bool read_settings(int argc, char **argv, struct settings *s, int *exit_status) {
    struct command_option options[PLAY_OPTIONS + 3];
    const struct command_option own[3] = {
        {"spacing", COMMAND_NUMBER, &s->spacing, "S", "of the coarse body's vertices, m"},
        {"segments", COMMAND_COUNT, &s->segments, "N", "around each part of the mesh, 8 to 400"},
        {"young", COMMAND_NUMBER, &s->young, "E", "Young's modulus, Pa"},
    };
    play_options(&s->play, options);
    for (int i = 0; i < 3; i++) {
        options[PLAY_OPTIONS + i] = own[i];
    }
    return command_line_or_exit(argc, argv, "A fine character in a coarse soft body.", options,
                                PLAY_OPTIONS + 3, exit_status);
}

// Meshes
// ----------------------------------------------------------------------------------------------

/// Turns positions from the y axis to the line between two points, and puts their middle there.
static void lay_along(double *positions, size_t count, const struct part *part) {
    const double d[3] = {part->to[0] - part->from[0], part->to[1] - part->from[1],
                         part->to[2] - part->from[2]};
    const double axis[3] = {d[2], 0.0, -d[0]};
    if (hypot(axis[0], axis[2]) > 0.0) {
        positions_rotate(positions, count, axis, atan2(hypot(d[0], d[2]), d[1]));
    }
    positions_translate(positions, count, part->from[0] + 0.5 * d[0], part->from[1] + 0.5 * d[1],
                        part->from[2] + 0.5 * d[2]);
}

/// All parts, which overlap.
static bool make_render_mesh(size_t segments, struct surface_mesh *out) {
    bool done = true;
    for (int i = 0; i < PARTS && done; i++) {
        const struct part *part = &parts[i];
        const double length = sqrt(pow(part->to[0] - part->from[0], 2.0) +
                                   pow(part->to[1] - part->from[1], 2.0) +
                                   pow(part->to[2] - part->from[2], 2.0));
        struct surface_mesh capsule = {0};
        done = surface_capsule(part->radius, length, segments, &capsule);
        lay_along(capsule.positions, capsule.vertex_count, part);
        done = done && surface_mesh_append(out, &capsule);
        surface_mesh_free(&capsule);
    }
    return done;
}

/// Where the character begins: the rest shape, turned and lifted.
static void place(double *positions, size_t count) {
    static const double z_axis[3] = {0.0, 0.0, 1.0};
    positions_rotate(positions, count, z_axis, -LEAN);
    positions_translate(positions, count, START[0], START[1], START[2]);
}

// The scene
// ----------------------------------------------------------------------------------------------

static void *allocate(struct assembly *a, size_t count, size_t size) {
    void *out = calloc(count + 1, size);
    assembly_require(a, out != NULL, "out of memory");
    return out;
}

/// The mesh, and memory for what is read of it.
static void make_character(struct assembly *a, struct character *c) {
    assembly_require(a, make_render_mesh((size_t)c->settings->segments, &c->mesh), "out of memory");
    const size_t count = c->mesh.vertex_count;
    c->before = allocate(a, 3 * count, sizeof *c->before);
    c->between = allocate(a, 3 * count, sizeof *c->between);
    c->single = allocate(a, 3 * count, sizeof *c->single);
    c->offsets = allocate(a, count, sizeof *c->offsets);
}

static void free_character(struct character *c) {
    pbs_embedding_destroy(c->embedding);
    surface_mesh_free(&c->mesh);
    tet_mesh_free(&c->rest);
    free(c->before);
    free(c->between);
    free(c->single);
    free(c->offsets);
}

/// A body of about the mesh's shape, whose own coordinates are those of the mesh. It begins where
/// the character does.
static void add_body(struct assembly *a, struct character *c) {
    const struct matter rubber = {.density = 1000.0,
                                  .young = c->settings->young,
                                  .damping = 0.01,
                                  .friction = 0.5,
                                  .hidden = true};
    struct tet_mesh mesh = {0};
    assembly_require(a, shape_fill(&c->mesh, c->settings->spacing, &c->rest), "out of memory");
    assembly_require(a, tet_mesh_append(&mesh, &c->rest), "out of memory");
    c->body = assembly_add_soft(a, &mesh, &rubber);
    double *moved = allocate(a, 3 * c->rest.vertex_count, sizeof *moved);
    if (!a->failed && c->rest.positions != NULL) {
        memcpy(moved, c->rest.positions, 3 * c->rest.vertex_count * sizeof *moved);
        place(moved, c->rest.vertex_count);
        assembly_check(a, pbs_body_set_positions(a->world, c->body, moved, c->rest.vertex_count));
    }
    free(moved);
}

/// Binds the mesh in the coordinates of the rest shape, wherever the body is.
static void bind_render_mesh(struct assembly *a, struct character *c) {
    const struct surface_mesh *const mesh = &c->mesh;
    pbs_embedding_desc d;
    struct message why = {{0}};
    if (!a->failed && assembly_check(a, pbs_embedding_desc_init(&d, sizeof d))) {
        d.body = c->body;
        d.point_count = mesh->vertex_count;
        d.positions = mesh->positions;
        d.triangle_count = mesh->triangle_count;
        d.triangles = mesh->triangles;
        assembly_check(a, pbs_embedding_create(a->world, &d, &c->embedding));
        assembly_require(a,
                         stage_add_scripted(&a->stage, mesh->vertex_count, mesh->positions,
                                            mesh->triangle_count, mesh->triangles, &why),
                         why.text);
    }
}

static void add_ledge(struct assembly *a) {
    struct surface_mesh ledge = {0};
    if (assembly_require(a, surface_box(0.5, 0.5, 1.2, &ledge), "out of memory")) {
        positions_translate(ledge.positions, ledge.vertex_count, 0.0, 0.25, 0.0);
        assembly_add_obstacle(a, &ledge, 0.5);
    }
    surface_mesh_free(&ledge);
}

// What is drawn and measured
// ----------------------------------------------------------------------------------------------

static void read_render_mesh(struct assembly *a, struct character *c, double fraction,
                             double *out) {
    assembly_check(a, pbs_embedding_read_f64(c->embedding, PBS_CHANNEL_POSITION, fraction, 0,
                                             c->mesh.vertex_count, out, 3 * sizeof *out));
}

/// At the start the body is where a rigid motion has put its rest shape, and so is the mesh.
static void compare_at_rest(struct character *c, double *at_rest) {
    place(at_rest, c->mesh.vertex_count);
    for (size_t i = 0; i < 3 * c->mesh.vertex_count; i++) {
        c->rest_error = fmax(c->rest_error, fabs(c->mesh.positions[i] - at_rest[i]));
    }
}

/// What a renderer takes: frames between two steps, and single precision.
static void compare_frames(struct assembly *a, struct character *c) {
    read_render_mesh(a, c, 0.0, c->before);
    read_render_mesh(a, c, 0.5, c->between);
    assembly_check(a,
                   pbs_embedding_read_f32(c->embedding, PBS_CHANNEL_POSITION, 1.0, 0,
                                          c->mesh.vertex_count, c->single, 3 * sizeof *c->single));
    for (size_t i = 0; i < 3 * c->mesh.vertex_count; i++) {
        const double x = c->mesh.positions[i];
        const double off = fabs((double)c->single[i] - x) / fmax(fabs(x), 1.0);
        c->halfway = fmax(c->halfway, fabs(c->between[i] - 0.5 * (c->before[i] + x)));
        c->rounding = fmax(c->rounding, off / (0.5 * FLT_EPSILON));
    }
}

/// Points outside keep their offset from the place that carries them, deformed as the body there.
static void measure_offsets(struct assembly *a, struct character *c, bool is_first) {
    for (size_t i = 0; i < c->mesh.vertex_count && !a->failed; i++) {
        const double *const x = c->mesh.positions + 3 * i;
        pbs_point point = {.struct_size = sizeof point};
        double from[3] = {0.0};
        assembly_check(a, pbs_embedding_point(c->embedding, i, &point));
        assembly_place(a, point, from);
        const double length = hypot(hypot(x[0] - from[0], x[1] - from[1]), x[2] - from[2]);
        c->offsets[i] = is_first ? length : c->offsets[i];
        c->offset = fmax(c->offset, c->offsets[i]);
        c->longest = fmax(c->longest, length);
        if (c->offsets[i] > 1e-6) {
            c->stretched = fmax(c->stretched, length / c->offsets[i]);
        }
    }
}

/// The three edges from a tetrahedron's first corner.
static void edges_of(const uint32_t tet[4], const double *positions, double out[3][3]) {
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) {
            out[i][k] = positions[3 * tet[i + 1] + k] - positions[3 * tet[0] + k];
        }
    }
}

/// The deformation gradient, edges now times the inverse of edges at rest, whose rows are cross
/// products of two edges over the volume.
static void gradient_of(const uint32_t tet[4], const double *rest, const double *now,
                        double f[3][3]) {
    double at_rest[3][3], edges[3][3];
    edges_of(tet, rest, at_rest);
    edges_of(tet, now, edges);
    memset(f, 0, 9 * sizeof(double));
    for (int i = 0; i < 3; i++) {
        const double *const p = at_rest[(i + 1) % 3], *const q = at_rest[(i + 2) % 3];
        const double cross[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2],
                                 p[0] * q[1] - p[1] * q[0]};
        const double volume = cross[0] * at_rest[i][0] + cross[1] * at_rest[i][1] +
                              cross[2] * at_rest[i][2];
        for (int k = 0; k < 9; k++) {
            f[k / 3][k % 3] += edges[i][k / 3] * cross[k % 3] / volume;
        }
    }
}

/// No line becomes longer by more than the square root of the largest sum of absolute values in a
/// row of F^T F.
static double stretch_of(double f[3][3]) {
    double most = 0.0;
    for (int i = 0; i < 3; i++) {
        double sum = 0.0;
        for (int j = 0; j < 3; j++) {
            sum += fabs(f[0][i] * f[0][j] + f[1][i] * f[1][j] + f[2][i] * f[2][j]);
        }
        most = fmax(most, sum);
    }
    return sqrt(most);
}

static void measure_body(struct assembly *a, struct character *c) {
    const double *const now = pbs_body_positions(a->world, c->body);
    for (size_t t = 0; t < c->rest.tet_count; t++) {
        double f[3][3];
        gradient_of(c->rest.tets + 4 * t, c->rest.positions, now, f);
        c->stretch = fmax(c->stretch, stretch_of(f));
    }
}

static void after_step(void *user, struct assembly *a, int64_t step) {
    struct character *c = user;
    double lower[3], upper[3];
    if (a->failed || !assembly_check(a, pbs_embedding_update(c->embedding, a->world))) {
        return;
    }
    memcpy(c->before, c->mesh.positions, 3 * c->mesh.vertex_count * sizeof *c->before);
    read_render_mesh(a, c, 1.0, c->mesh.positions);
    if (step == 0) {
        compare_at_rest(c, c->before);
    } else {
        compare_frames(a, c);
    }
    measure_offsets(a, c, step == 0);
    measure_body(a, c);
    positions_bounds(c->mesh.positions, c->mesh.vertex_count, lower, upper);
    c->through = fmax(c->through, -lower[1]);
    c->least = lower[1];
    c->top = upper[1];
}

static void print_facts(const struct character *c) {
    printf("points %zu\ntriangles %zu\ntets %zu\n", c->mesh.vertex_count, c->mesh.triangle_count,
           c->rest.tet_count);
    printf("rest_error %.3e\nhalfway %.3e\nrounding %.6f\n", c->rest_error, c->halfway,
           c->rounding);
    printf("offset %.5f\nlongest %.5f\n", c->offset, c->longest);
    printf("stretched %.5f\nstretch %.5f\n", c->stretched, c->stretch);
    printf("through %.5f\nleast %.5f\ntop %.5f\n", c->through, c->least, c->top);
}

int main(int argc, char **argv) {
    struct settings s = {.play = {.out = "demo", .name = "character", .frames = 120, .steps = 1},
                         .spacing = 0.09,
                         .segments = 48,
                         .young = 6e4};
    int exit_status = 0;
    if (!read_settings(argc, argv, &s, &exit_status)) {
        return exit_status;
    }
    struct assembly a;
    struct character c = {.settings = &s};
    struct play_tally tally;
    assembly_begin(&a, s.play.threads);
    assembly_require(&a,
                     s.spacing >= 0.03 && s.spacing <= 0.12 && s.segments >= 8 && s.segments <= 400,
                     "--spacing must be 0.03 to 0.12, --segments 8 to 400");
    if (!a.failed) {
        make_character(&a, &c);
        assembly_add_ground(&a, 0.5);
        add_ledge(&a);
        add_body(&a, &c);
        bind_render_mesh(&a, &c);
    }
    const bool done = play_run(&s.play, &a, after_step, &c, &tally);
    if (done) {
        print_facts(&c);
        play_print(&s.play, &tally);
    } else {
        fprintf(stderr, "character: %s\n", a.message.text);
    }
    free_character(&c);
    assembly_end(&a);
    return done ? 0 : 1;
}
