// Places boxes in a world: before a box is created, a query tells what it would touch. The last
// five boxes are created overlapping, and are pushed apart before the next step.
//     cc placement.c $(pkg-config --cflags --libs pbs)
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include <pbs/pbs.h>

static const uint32_t TRIANGLES[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
static double corners[24]; // corners of a cube of 10 cm, m

static int fail(void) {
    fprintf(stderr, "%s\n", pbs_last_error());
    return 1;
}

static pbs_status add_box(pbs_world *world, double x, double y, double z) {
    pbs_affine_desc d;
    pbs_body body;
    pbs_affine_desc_init(&d, sizeof d);
    d.vertex_count = 8;
    d.positions = corners;
    d.triangle_count = 12;
    d.triangles = TRIANGLES;
    memcpy(d.position, (double[3]){x, y, z}, sizeof d.position);
    return pbs_body_create_affine(world, &d, &body);
}

/// Returns the number of bodies and colliders closer than 1 cm to a box at (x, y).
static size_t count_neighbours(const pbs_world *world, double x, double y) {
    pbs_overlap_desc d;
    size_t count = 0;
    pbs_overlap_desc_init(&d, sizeof d);
    d.distance = 0.01;
    d.vertex_count = 8;
    d.positions = corners;
    d.triangle_count = 12;
    d.triangles = TRIANGLES;
    memcpy(d.position, (double[3]){x, y, 0.0}, sizeof d.position);
    return pbs_world_overlaps(world, &d, NULL, sizeof(pbs_overlap), &count) < 0 ? 0 : count;
}

int main(void) {
    pbs_world_desc d;
    pbs_world *world = NULL;
    pbs_collider_desc ground;
    pbs_collider collider;
    for (int i = 0; i < 24; i++) {
        corners[i] = (i / 3 >> i % 3 & 1) != 0 ? 0.05 : -0.05;
    }
    pbs_world_desc_init(&d, sizeof d);
    d.contact = PBS_CONTACT_BARRIER;
    pbs_collider_desc_init(&ground, sizeof ground);
    if (pbs_world_create(&d, &world) < 0 || pbs_collider_create(world, &ground, &collider) < 0) {
        return fail();
    }
    for (int i = 0; i < 10; i++) {
        double x = i < 5 ? 0.06 * i : 0.9 + 0.02 * i, y = 0.07;
        while (i < 5 && count_neighbours(world, x, y) > 0) {
            y += 0.02;
        }
        printf("box %d is put at a height of %.2f m\n", i, y);
        if (add_box(world, x, y, i < 5 ? 0.0 : 0.01 * i) < 0) {
            return fail();
        }
    }
    pbs_separation done = {.struct_size = sizeof done};
    if (pbs_world_step(world, 0.01) != PBS_ERROR_INADMISSIBLE ||
        pbs_world_separate(world, NULL, &done) < 0 || pbs_world_step(world, 0.01) < 0) {
        return fail();
    }
    printf("at first, as expected: %s\n", pbs_last_error());
    printf("%zu boxes were pushed, %.3f m at most\n", done.moved_count, done.longest_move);
    pbs_world_destroy(world);
    return 0;
}
