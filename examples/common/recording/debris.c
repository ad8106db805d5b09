// See debris.h. A vertex of the surface is the mean of where the tetrahedra about it that are drawn
// have it, each moved with its particle.
// SPDX-License-Identifier: MIT

#include "common/recording/debris.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const column_names[] = {"kinetic",    "elastic", "gravity",      "contact",
                                           "dissipated", "total",   "broken bonds", "fragments"};

enum { COLUMNS = sizeof column_names / sizeof *column_names, COUNTS = 2 };

struct debris_frame {
    double *positions, *orientations; ///< particle_count x 3, x 4
    double *other;                    ///< of the other body's vertices
    double columns[COLUMNS];
};

struct debris {
    struct debris_bodies bodies;
    size_t particle_count, other_count, frame_count;
    double *rest; ///< particle_count x 3
    struct debris_frame *frames;
};

// --- frames ---

static void *copy_of(const void *source, size_t bytes) {
    void *copy = malloc(bytes + 1);
    if (copy != NULL && bytes > 0) {
        memcpy(copy, source, bytes);
    }
    return copy;
}

static void read_columns(const struct debris *d, double columns[COLUMNS]) {
    pbs_energy energy = {.struct_size = sizeof energy};
    const uint8_t *broken = pbs_body_broken(d->bodies.world, d->bodies.bonded);
    const uint32_t *pairs = NULL;
    size_t bonds = 0, count = 0, fragments = 0;
    pbs_world_energy(d->bodies.world, &energy);
    pbs_body_bonds(d->bodies.world, d->bodies.bonded, &pairs, &bonds);
    pbs_body_fragments(d->bodies.world, d->bodies.bonded, NULL, sizeof(pbs_fragment), &fragments);
    for (size_t i = 0; i < bonds; i++) {
        count += broken[i] != 0;
    }
    const double values[COLUMNS] = {energy.kinetic, energy.elastic,    energy.gravity,
                                    energy.contact, energy.dissipated, energy.total,
                                    (double)count,  (double)fragments};
    memcpy(columns, values, sizeof values);
}

bool debris_add_frame(struct debris *d, struct message *message) {
    const pbs_world *world = d->bodies.world;
    struct debris_frame *frames = realloc(d->frames, (d->frame_count + 1) * sizeof *frames);
    if (frames == NULL) {
        return message_fail(message, "out of memory");
    }
    d->frames = frames;
    struct debris_frame *frame = &frames[d->frame_count++];
    *frame = (struct debris_frame){
        .positions = copy_of(pbs_body_positions(world, d->bodies.bonded),
                             3 * d->particle_count * sizeof(double)),
        .orientations = copy_of(pbs_body_orientations(world, d->bodies.bonded),
                                4 * d->particle_count * sizeof(double)),
        .other = copy_of(d->other_count > 0 ? pbs_body_positions(world, d->bodies.other) : NULL,
                         3 * d->other_count * sizeof(double))};
    if (frame->positions == NULL || frame->orientations == NULL || frame->other == NULL) {
        return message_fail(message, "out of memory");
    }
    read_columns(d, frame->columns);
    return true;
}

struct debris *debris_create(const struct debris_bodies *bodies, struct message *message) {
    struct debris *d = calloc(1, sizeof *d);
    if (d == NULL) {
        message_fail(message, "out of memory");
        return NULL;
    }
    d->bodies = *bodies;
    d->particle_count = pbs_body_vertex_count(bodies->world, bodies->bonded);
    d->other_count = pbs_body_vertex_count(bodies->world, bodies->other);
    d->rest = copy_of(pbs_body_positions(bodies->world, bodies->bonded),
                      3 * d->particle_count * sizeof(double));
    if (d->rest == NULL || !debris_add_frame(d, message)) {
        message_fail(message, "out of memory");
        debris_destroy(d);
        return NULL;
    }
    return d;
}

void debris_destroy(struct debris *d) {
    for (size_t i = 0; d != NULL && i < d->frame_count; i++) {
        free(d->frames[i].positions);
        free(d->frames[i].orientations);
        free(d->frames[i].other);
    }
    if (d != NULL) {
        free(d->frames);
        free(d->rest);
    }
    free(d);
}

size_t debris_broken(const struct debris *d) {
    return (size_t)d->frames[d->frame_count - 1].columns[COLUMNS - COUNTS];
}

size_t debris_fragments(const struct debris *d) {
    return (size_t)d->frames[d->frame_count - 1].columns[COLUMNS - 1];
}

// --- the picture ---

/// Triangles by colour: the outside and the cracks of each fragment, then the other body.
struct debris_picture {
    pbs_fracture_surface surface;
    size_t vertex_count, triangle_count, part_count;
    uint32_t *triangles; ///< of all
    struct picture_part *parts;
    uint32_t *rank;    ///< of each particle's fragment by size; MOST_COLORED: rubble
    size_t *share;     ///< surface.vertex_count: how many corners each vertex has
    double *positions; ///< vertex_count x 3
};

static void picture_free(struct debris_picture *p) {
    free(p->triangles);
    free(p->parts);
    free(p->share);
    free(p->rank);
    free(p->positions);
}

/// Hues a golden section apart, so that neighbours in number differ; cracks are paler.
static void color_of(uint32_t rank, bool cracked, float color[3]) {
    const double turns = (double)rank * 0.6180339887 + 0.05;
    const float hue = (float)(turns - floor(turns));
    for (int k = 0; k < 3; k++) {
        float at = hue * 6.0F - 2.0F * (float)k;
        at = at < 0.0F ? at + 6.0F : at;
        // A tent of each channel around its own third of the circle.
        const float near = at > 3.0F ? 6.0F - at : at;
        const float pure = near < 1.0F ? 1.0F : near < 2.0F ? 2.0F - near : 0.0F;
        color[k] = cracked ? 0.55F + 0.3F * pure : 0.12F + 0.6F * pure;
    }
}

enum { MOST_COLORED = 60 };

/// Fragments by size.
struct ranked {
    size_t particle_count;
    uint32_t fragment;
};

static int compare_ranked(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    return a->particle_count != b->particle_count
               ? (a->particle_count < b->particle_count ? 1 : -1)
               : (a->fragment > b->fragment) - (a->fragment < b->fragment);
}

/// A colour for each of the largest, rubble for the others: 0 is the largest.
static bool rank_fragments(const struct debris *d, const uint32_t *fragments, uint32_t *rank) {
    const size_t count = debris_fragments(d);
    struct ranked *ranked = calloc(count + 1, sizeof *ranked);
    uint32_t *of_fragment = malloc((count + 1) * sizeof *of_fragment);
    const bool made = ranked != NULL && of_fragment != NULL;
    for (uint32_t f = 0; made && f < count; f++) {
        ranked[f].fragment = f;
    }
    for (size_t i = 0; made && i < d->particle_count; i++) {
        ranked[fragments[i]].particle_count++;
    }
    if (made) {
        qsort(ranked, count, sizeof *ranked, compare_ranked);
    }
    for (size_t i = 0; made && i < count; i++) {
        const bool colored = i < MOST_COLORED && (ranked[i].particle_count > 4 || i == 0);
        of_fragment[ranked[i].fragment] = colored ? (uint32_t)i : MOST_COLORED;
    }
    for (size_t i = 0; made && i < d->particle_count; i++) {
        rank[i] = of_fragment[fragments[i]];
    }
    free(ranked);
    free(of_fragment);
    return made;
}

/// The outside or the cracks of all fragments of a rank.
static void add_part(struct debris_picture *p, uint32_t rank, bool cracked) {
    static const float rubble[2][3] = {{0.30F, 0.27F, 0.24F}, {0.55F, 0.52F, 0.48F}};
    struct picture_part *part = &p->parts[p->part_count];
    *part = (struct picture_part){.first_triangle = p->triangle_count};
    for (size_t t = 0; t < p->surface.triangle_count; t++) {
        if (p->rank[p->surface.particles[t]] == rank && (p->surface.cracked[t] != 0) == cracked) {
            memcpy(p->triangles + 3 * p->triangle_count++, p->surface.triangles + 3 * t,
                   3 * sizeof *p->triangles);
        }
    }
    part->triangle_count = p->triangle_count - part->first_triangle;
    memcpy(part->color, rubble[cracked], sizeof part->color);
    if (rank < MOST_COLORED) {
        color_of(rank, cracked, part->color);
    }
    p->part_count += part->triangle_count > 0;
}

static void add_other(const struct debris *d, struct debris_picture *p) {
    const uint32_t *triangles = NULL;
    size_t count = 0;
    if (d->other_count == 0 ||
        pbs_body_surface(d->bodies.world, d->bodies.other, &triangles, &count) < 0) {
        return;
    }
    p->parts[p->part_count++] = (struct picture_part){
        .first_triangle = p->triangle_count, .triangle_count = count, .color = {0.1F, 0.1F, 0.12F}};
    for (size_t i = 0; i < 3 * count; i++) {
        p->triangles[3 * p->triangle_count + i] = triangles[i] + (uint32_t)p->surface.vertex_count;
    }
    p->triangle_count += count;
}

static bool picture_make(const struct debris *d, struct debris_picture *p) {
    const uint32_t *other = NULL;
    size_t other_count = 0;
    const uint32_t *fragments = pbs_body_particle_fragments(d->bodies.world, d->bodies.bonded);
    p->surface.struct_size = sizeof p->surface;
    if (pbs_body_fracture_surface(d->bodies.world, d->bodies.bonded, &p->surface) < 0) {
        return false;
    }
    if (d->other_count > 0) {
        pbs_body_surface(d->bodies.world, d->bodies.other, &other, &other_count);
    }
    p->vertex_count = p->surface.vertex_count + d->other_count;
    p->triangles = malloc((3 * (p->surface.triangle_count + other_count) + 1) *
                          sizeof *p->triangles);
    p->rank = malloc((d->particle_count + 1) * sizeof *p->rank);
    p->parts = calloc(2 * MOST_COLORED + 3, sizeof *p->parts);
    p->share = calloc(p->surface.vertex_count + 1, sizeof *p->share);
    p->positions = malloc((3 * p->vertex_count + 1) * sizeof *p->positions);
    if (p->triangles == NULL || p->parts == NULL || p->share == NULL || p->positions == NULL ||
        p->rank == NULL || !rank_fragments(d, fragments, p->rank)) {
        return false;
    }
    for (size_t i = 0; i < 3 * p->surface.triangle_count; i++) {
        p->share[p->surface.triangles[i]]++;
    }
    for (uint32_t rank = 0; rank <= MOST_COLORED; rank++) {
        add_part(p, rank, false);
        add_part(p, rank, true);
    }
    add_other(d, p);
    return true;
}

/// q v conj(q) for a unit quaternion.
static void turn(const double q[4], const double v[3], double out[3]) {
    const double a[3] = {q[1] * v[2] - q[2] * v[1] + q[3] * v[0],
                         q[2] * v[0] - q[0] * v[2] + q[3] * v[1],
                         q[0] * v[1] - q[1] * v[0] + q[3] * v[2]};
    out[0] = v[0] + 2.0 * (q[1] * a[2] - q[2] * a[1]);
    out[1] = v[1] + 2.0 * (q[2] * a[0] - q[0] * a[2]);
    out[2] = v[2] + 2.0 * (q[0] * a[1] - q[1] * a[0]);
}

static void place_frame(const struct debris *d, const struct debris_frame *frame,
                        struct debris_picture *p) {
    const double *vertices = d->bodies.mesh->positions;
    memset(p->positions, 0, 3 * p->surface.vertex_count * sizeof *p->positions);
    for (size_t i = 0; i < 3 * p->surface.triangle_count; i++) {
        const size_t particle = p->surface.particles[i / 3], vertex = p->surface.triangles[i];
        const double *origin = vertices + 3 * (size_t)p->surface.origins[i];
        const double *rest = d->rest + 3 * particle;
        const double arm[3] = {origin[0] - rest[0], origin[1] - rest[1], origin[2] - rest[2]};
        double turned[3];
        turn(frame->orientations + 4 * particle, arm, turned);
        for (size_t k = 0; k < 3; k++) {
            p->positions[3 * vertex + k] += (frame->positions[3 * particle + k] + turned[k]) /
                                            (double)p->share[vertex];
        }
    }
    memcpy(p->positions + 3 * p->surface.vertex_count, frame->other,
           3 * d->other_count * sizeof(double));
}

static bool record(const struct debris *d, struct debris_picture *p, double frame_rate,
                   const char *directory, const char *name, struct message *message) {
    const struct recording_desc desc = {.title = name,
                                        .frame_rate = frame_rate,
                                        .vertex_count = p->vertex_count,
                                        .triangles = p->triangles,
                                        .triangle_count = p->triangle_count,
                                        .parts = p->parts,
                                        .part_count = p->part_count,
                                        .has_ground = d->bodies.has_ground,
                                        .energy_names = column_names,
                                        .energy_count = COLUMNS,
                                        .count_columns = COUNTS};
    struct recording *recording = recording_create(&desc, message);
    bool done = recording != NULL;
    for (size_t i = 0; i < d->frame_count && done; i++) {
        place_frame(d, &d->frames[i], p);
        const struct recording_frame frame = {.positions = p->positions,
                                              .energies = d->frames[i].columns};
        done = recording_add_frame(recording, &frame, message);
    }
    done = done && recording_write(recording, directory, name, message);
    recording_destroy(recording);
    return done;
}

bool debris_write(const struct debris *d, double frame_rate, const char *directory,
                  const char *name, struct message *message) {
    struct debris_picture picture = {.vertex_count = 0};
    const bool made = picture_make(d, &picture) || message_fail(message, "out of memory");
    const bool done = made && record(d, &picture, frame_rate, directory, name, message);
    picture_free(&picture);
    return done;
}
