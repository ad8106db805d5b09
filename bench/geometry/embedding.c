// What render meshes cost: binding, taking a state, and reading positions and normals of a closed
// mesh of 100 thousand triangles that a solid of five thousand tetrahedra carries. Prints lines
//     bench embedding where=inside points=... bind_ms=... update_ms=...
//     bench embedding where=inside channel=position fraction=1 ms_per_100k_triangles=... ns=...
//     gather_ratio=... triad_ratio=...
// where: all points inside, or all outside of the tetrahedra. ns: per point, the least of the
// rounds, one thread. gather_ratio: time over that of a plain loop that gathers four places a
// point from floats and adds them up. triad_ratio: time over what the triad a = b + s c, on arrays
// of that size, takes for the bytes that must be moved: bindings, offsets, rest normals and what is
// written.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/runtime/clock.h"
#include "measure/bandwidth.h"
#include "pbs/pbs.h"
#include "scenes/bonds/cubic_tets.h"

enum { ROUNDS = 200, RINGS = 224, SIDES = 224 };

static void ensure(pbs_status status) {
    if (status < 0) {
        fprintf(stderr, "%s\n", pbs_last_error());
        exit(1);
    }
}

static void *allocate(size_t count, size_t size) {
    void *block = calloc(count, size);
    if (block == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return block;
}

struct render_mesh {
    size_t point_count, triangle_count;
    float *positions;
    uint32_t *triangles;
};

/// A torus of RINGS x SIDES quadrilaterals around a place.
static void make_torus(struct render_mesh *mesh, const double centre[3], double radius,
                       double thickness) {
    mesh->point_count = (size_t)RINGS * SIDES;
    mesh->triangle_count = 2 * mesh->point_count;
    mesh->positions = allocate(mesh->point_count, 3 * sizeof *mesh->positions);
    mesh->triangles = allocate(mesh->triangle_count, 3 * sizeof *mesh->triangles);
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        const uint32_t ring = i / SIDES;
        const uint32_t side = i % SIDES;
        const uint32_t next_ring = (ring + 1) % RINGS * SIDES;
        const uint32_t next_side = (side + 1) % SIDES;
        const double a = 2.0 * M_PI * ring / RINGS;
        const double b = 2.0 * M_PI * side / SIDES;
        const double out = radius + thickness * cos(b);
        const double place[3] = {out * cos(a), thickness * sin(b), out * sin(a)};
        const uint32_t corners[6] = {i,
                                     ring * SIDES + next_side,
                                     next_ring + side,
                                     next_ring + side,
                                     ring * SIDES + next_side,
                                     next_ring + next_side};
        for (int k = 0; k < 3; k++) {
            mesh->positions[3 * i + (uint32_t)k] = (float)(centre[k] + place[k]);
        }
        for (uint32_t k = 0; k < 6; k++) {
            mesh->triangles[6 * i + k] = corners[k];
        }
    }
}

struct bench {
    pbs_world *world;
    pbs_body body;
    struct cubic_tets solid;
    struct render_mesh mesh;
    pbs_embedding *embedding;
    float *out;
    // Of the plain loop:
    float *weights, *places;
    uint32_t *corners;
    struct triad triad;
    double triad_rate; ///< bytes a second
};

static void make_body(struct bench *b) {
    pbs_world_desc wd;
    pbs_solid_desc d;
    const size_t cells[3] = {8, 7, 8};
    if (!cubic_tets_make(&b->solid, cells, 0.125, 0.2)) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    ensure(pbs_world_desc_init(&wd, sizeof wd));
    ensure(pbs_world_create(&wd, &b->world));
    ensure(pbs_solid_desc_init(&d, sizeof d));
    d.vertex_count = b->solid.vertex_count;
    d.positions = b->solid.vertices;
    d.tet_count = b->solid.tet_count;
    d.tets = b->solid.tets;
    ensure(pbs_body_create_solid(b->world, &d, &b->body));
    printf("bench embedding tets=%zu vertices=%zu triangles=%zu points=%zu\n", d.tet_count,
           d.vertex_count, b->mesh.triangle_count, b->mesh.point_count);
}

/// Turned and bent, so that nothing is zero or one.
static void deform(struct bench *b) {
    const size_t count = pbs_body_vertex_count(b->world, b->body);
    double *x = allocate(count, 3 * sizeof *x);
    for (size_t i = 0; i < count; i++) {
        const double *from = pbs_body_positions(b->world, b->body) + 3 * i;
        const double angle = 0.3 + from[0];
        x[3 * i] = from[0] + 0.1 * from[1];
        x[3 * i + 1] = cos(angle) * from[1] - sin(angle) * from[2];
        x[3 * i + 2] = sin(angle) * from[1] + cos(angle) * from[2];
    }
    ensure(pbs_body_set_positions(b->world, b->body, x, count));
    free(x);
}

static double bind(struct bench *b) {
    pbs_embedding_desc d;
    ensure(pbs_embedding_desc_init(&d, sizeof d));
    d.body = b->body;
    d.point_count = b->mesh.point_count;
    d.positions_f32 = b->mesh.positions;
    d.triangle_count = b->mesh.triangle_count;
    d.triangles = b->mesh.triangles;
    const double start = clock_seconds();
    ensure(pbs_embedding_create(b->world, &d, &b->embedding));
    return clock_seconds() - start;
}

static void copy_bindings(struct bench *b) {
    const double *x = pbs_body_positions(b->world, b->body);
    b->weights = allocate(b->mesh.point_count, 4 * sizeof *b->weights);
    b->corners = allocate(b->mesh.point_count, 4 * sizeof *b->corners);
    b->places = allocate(pbs_body_vertex_count(b->world, b->body), 3 * sizeof *b->places);
    for (size_t i = 0; i < 3 * pbs_body_vertex_count(b->world, b->body); i++) {
        b->places[i] = (float)x[i];
    }
    for (size_t i = 0; i < b->mesh.point_count; i++) {
        pbs_point point = {.struct_size = sizeof point};
        ensure(pbs_embedding_point(b->embedding, i, &point));
        for (size_t k = 0; k < 4; k++) {
            b->weights[4 * i + k] = (float)point.weights[k];
            b->corners[4 * i + k] = b->solid.tets[4 * (size_t)point.index + k];
        }
    }
}

static void gather(struct bench *b) {
    for (size_t i = 0; i < b->mesh.point_count; i++) {
        float sum[3] = {0.0F, 0.0F, 0.0F};
        for (size_t k = 0; k < 4; k++) {
            const float *place = b->places + 3 * (size_t)b->corners[4 * i + k];
            for (int j = 0; j < 3; j++) {
                sum[j] += b->weights[4 * i + k] * place[j];
            }
        }
        for (size_t j = 0; j < 3; j++) {
            b->out[3 * i + j] = sum[j];
        }
    }
}

static double least_seconds(void (*work)(struct bench *b), struct bench *b) {
    double least = (double)INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        const double start = clock_seconds();
        work(b);
        least = fmin(least, clock_seconds() - start);
    }
    return least;
}

static int32_t channel;
static double fraction;

static void read_channel(struct bench *b) {
    ensure(pbs_embedding_read_f32(b->embedding, channel, fraction, 0, b->mesh.point_count, b->out,
                                  3 * sizeof *b->out));
}

static void update(struct bench *b) {
    ensure(pbs_embedding_update(b->embedding, b->world));
}

static void run_triad(struct bench *b) {
    triad_run(NULL, &b->triad);
}

/// Of a point: its binding, its offset or rest normal, and three floats out.
static double bytes_of(bool is_outside) {
    const double binding = 4.0 * sizeof(double) + 4.0 * sizeof(uint32_t);
    const double more = channel == PBS_CHANNEL_NORMAL ? 3.0 * sizeof(float)
                        : is_outside                  ? 3.0 * sizeof(double)
                                                      : 0.0;
    return binding + more + 3.0 * sizeof(float);
}

static void measure(struct bench *b, const char *where, bool is_outside) {
    const double bound = bind(b);
    const double updated = least_seconds(update, b);
    printf("bench embedding where=%s bind_ms=%.1f update_ms=%.3f\n", where, 1e3 * bound,
           1e3 * updated);
    copy_bindings(b);
    for (int i = 0; i < 4; i++) {
        channel = i / 2 == 0 ? PBS_CHANNEL_POSITION : PBS_CHANNEL_NORMAL;
        fraction = i % 2 == 0 ? 1.0 : 0.5;
        const double seconds = least_seconds(read_channel, b);
        const double gathered = least_seconds(gather, b);
        const double count = (double)b->mesh.point_count;
        printf("bench embedding where=%s channel=%s fraction=%g ms_per_100k_triangles=%.3f "
               "ns=%.1f gather_ratio=%.2f triad_ratio=%.2f\n",
               where, i / 2 == 0 ? "position" : "normal", fraction,
               1e3 * seconds * 1e5 / (double)b->mesh.triangle_count, 1e9 * seconds / count,
               seconds / gathered, seconds * b->triad_rate / (count * bytes_of(is_outside)));
    }
    pbs_embedding_destroy(b->embedding);
    free(b->weights);
    free(b->corners);
    free(b->places);
}

int main(void) {
    static const double centre[3] = {0.5, 0.4375, 0.5};
    struct bench b = {0};
    struct memory memory;
    memory_init(&memory, NULL);
    make_torus(&b.mesh, centre, 0.3, 0.15);
    make_body(&b);
    b.out = allocate(b.mesh.point_count, 3 * sizeof *b.out);
    ensure(triad_create(&memory, 3 * b.mesh.point_count, &b.triad));
    b.triad_rate = triad_bytes(&b.triad) / least_seconds(run_triad, &b);
    printf("bench embedding triad_gbps=%.1f\n", 1e-9 * b.triad_rate);
    deform(&b);
    measure(&b, "inside", false);
    // A larger one goes around the solid.
    free(b.mesh.positions);
    free(b.mesh.triangles);
    make_torus(&b.mesh, centre, 1.2, 0.3);
    measure(&b, "outside", true);
    triad_free(&memory, &b.triad);
    free(b.mesh.positions);
    free(b.mesh.triangles);
    free(b.out);
    cubic_tets_free(&b.solid);
    pbs_world_destroy(b.world);
    return 0;
}
