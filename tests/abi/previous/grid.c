// A mesh as an obstacle: a ring of triangles becomes signed distances on a grid, and a cloth that
// falls on it is kept out by a penalty. Prints where the cloth is, and how deep in the ring.
//     cc grid.c $(pkg-config --cflags --libs pbs) -lm
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pbs/pbs.h>

enum { AROUND = 48, ACROSS = 24, CLOTH = 17 };

static int fail(void) {
    fprintf(stderr, "%s\n", pbs_last_error());
    return 1;
}

static void print_line(void *user, int32_t level, const char *message) {
    (void)user;
    if (level <= PBS_LOG_INFO) {
        printf("%s\n", message);
    }
}

/// Two triangles for each cell of a net of rows that closes around both ways, or neither.
static void fill_triangles(uint32_t rows, uint32_t columns, int closes, uint32_t *triangles) {
    for (uint32_t i = 0; i < rows - (closes ? 0 : 1); i++) {
        for (uint32_t j = 0; j < columns - (closes ? 0 : 1); j++) {
            const uint32_t below = columns * i;
            const uint32_t above = columns * ((i + 1) % rows);
            const uint32_t next = (j + 1) % columns;
            const uint32_t own[6] = {below + j, below + next, above + j,
                                     above + j, below + next, above + next};
            memcpy(triangles, own, sizeof own);
            triangles += 6;
        }
    }
}

/// The samples of a grid around a ring of radius 0.3 m, its tube 0.1 m; null: the message says why.
static float *make_ring(pbs_collider_desc *collider) {
    static double vertices[3 * AROUND * ACROSS];
    static uint32_t triangles[6 * AROUND * ACROSS];
    for (int i = 0; i < AROUND * ACROSS; i++) {
        const int side = i / ACROSS;
        const double angle = 6.283185307179586 * side / AROUND;
        const double up = 6.283185307179586 * (i % ACROSS) / ACROSS;
        vertices[3 * i] = (0.3 + 0.1 * cos(up)) * cos(angle);
        vertices[3 * i + 1] = 0.1 * sin(up);
        vertices[3 * i + 2] = (0.3 + 0.1 * cos(up)) * sin(angle);
    }
    fill_triangles(AROUND, ACROSS, 1, triangles);
    pbs_grid_desc d;
    pbs_grid grid = {.struct_size = sizeof grid};
    pbs_grid_desc_init(&d, sizeof d);
    d.vertex_count = AROUND * ACROSS;
    d.vertices = vertices;
    d.triangle_count = 2 * AROUND * ACROSS;
    d.triangles = triangles;
    d.resolution = 40;
    d.log.write = print_line;
    if (pbs_grid_from_mesh(&d, NULL, 0, &grid) < 0) {
        return NULL;
    }
    float *samples = malloc(grid.sample_count * sizeof *samples);
    if (samples == NULL || pbs_grid_from_mesh(&d, samples, grid.sample_count, &grid) < 0) {
        free(samples);
        return NULL;
    }
    collider->shape = PBS_SHAPE_GRID;
    collider->grid_cell = grid.cell;
    collider->grid_samples = samples;
    memcpy(collider->grid_origin, grid.origin, sizeof grid.origin);
    memcpy(collider->grid_counts, grid.counts, sizeof grid.counts);
    return samples;
}

static pbs_status add_cloth(pbs_world *world, pbs_body *out) {
    static double vertices[3 * CLOTH * CLOTH];
    static uint32_t triangles[6 * (CLOTH - 1) * (CLOTH - 1)];
    for (int i = 0; i < CLOTH * CLOTH; i++) {
        const int row = i / CLOTH;
        vertices[3 * i] = 0.06 * (i % CLOTH) - 0.48;
        vertices[3 * i + 1] = 0.2;
        vertices[3 * i + 2] = 0.06 * row - 0.48;
    }
    fill_triangles(CLOTH, CLOTH, 0, triangles);
    pbs_shell_desc d;
    pbs_shell_desc_init(&d, sizeof d);
    d.vertex_count = CLOTH * CLOTH;
    d.positions = vertices;
    d.triangle_count = 2 * (CLOTH - 1) * (CLOTH - 1);
    d.triangles = triangles;
    return pbs_body_create_shell(world, &d, out);
}

int main(void) {
    pbs_world_desc d;
    pbs_world *world = NULL;
    pbs_collider_desc ring;
    pbs_collider collider;
    pbs_body cloth;
    pbs_collider_desc_init(&ring, sizeof ring);
    float *samples = make_ring(&ring);
    ring.friction = 0.5;
    pbs_world_desc_init(&d, sizeof d);
    d.gravity[1] = -9.81;
    d.contact = PBS_CONTACT_PROJECTION;
    if (samples == NULL || pbs_world_create(&d, &world) < 0 ||
        pbs_collider_create(world, &ring, &collider) < 0 || add_cloth(world, &cloth) < 0) {
        return fail();
    }
    free(samples);
    for (int step = 1; step <= 60; step++) {
        pbs_stats stats = {.struct_size = sizeof stats};
        if (pbs_world_step(world, 1.0 / 60.0) < 0 || pbs_world_stats(world, &stats) < 0) {
            return fail();
        }
        if (step % 10 == 0) {
            const double *x = pbs_body_positions(world, cloth);
            printf("%.2f s: middle at %6.3f m, corner at %6.3f m, %u contacts, %.4f m deep\n",
                   step / 60.0, x[3 * (CLOTH * CLOTH / 2) + 1], x[1], stats.active_contacts,
                   stats.deepest_penetration);
        }
    }
    pbs_world_destroy(world);
    return 0;
}
