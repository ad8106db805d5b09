// Draws a fine mesh that a coarse soft body carries: a ball of 20 tetrahedra falls on the ground,
// and takes along a sphere of 9000 triangles. The simulation takes 60 steps a second; 144 frames a
// second are drawn in between. With a file name, the last frame is written as an OBJ file.
//     cc embedding.c $(pkg-config --cflags --libs pbs) -lm
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include <pbs/pbs.h>

enum { RINGS = 48, SIDES = 96, POINTS = (RINGS + 1) * SIDES, TRIANGLES = 2 * RINGS * SIDES };

static const double STEP = 1.0 / 60.0, FRAME = 1.0 / 144.0, RADIUS = 0.1, TURN = 6.283185307179586;

/// A vertex as a graphics library wants it.
struct vertex {
    float position[3], normal[3];
};

static struct vertex vertices[POINTS]; // of the sphere at rest, then of each frame
static uint32_t triangles[3 * TRIANGLES];

static int fail(void) {
    fprintf(stderr, "%s\n", pbs_last_error());
    return 1;
}

static void make_sphere(void) {
    for (uint32_t i = 0; i < POINTS; i++) {
        const double down = 0.5 * TURN * (i / SIDES) / RINGS, around = TURN * (i % SIDES) / SIDES;
        const double unit[3] = {sin(down) * cos(around), cos(down), -sin(down) * sin(around)};
        for (int k = 0; k < 3; k++) {
            vertices[i].position[k] = (float)(RADIUS * unit[k]);
            vertices[i].normal[k] = (float)unit[k];
        }
    }
    for (uint32_t q = 0; q < RINGS * SIDES; q++) {
        const uint32_t right = q / SIDES * SIDES + (q + 1) % SIDES;
        const uint32_t corners[6] = {q, q + SIDES, right, right, q + SIDES, right + SIDES};
        for (int k = 0; k < 6; k++) {
            triangles[6 * q + (uint32_t)k] = corners[k];
        }
    }
}

/// An icosahedron, each face with the centre a tetrahedron; its lowest corner 20 cm above ground.
static pbs_status add_ball(pbs_world *world, pbs_body *ball) {
    static const uint32_t faces[60] = {0, 1, 2,  0, 2,  3, 0, 3,  4,  0, 4,  5,  0, 5,  1,
                                       6, 8, 7,  6, 9,  8, 6, 10, 9,  6, 11, 10, 6, 7,  11,
                                       1, 7, 2,  2, 7,  8, 2, 8,  3,  3, 8,  9,  3, 9,  4,
                                       4, 9, 10, 4, 10, 5, 5, 10, 11, 5, 11, 1,  1, 11, 7};
    double rest[39] = {0.0}, initial[39];
    uint32_t tets[80];
    for (int i = 0; i < 12; i++) {
        const int ring = i % 6;
        const double side = i < 6 ? 1.0 : -1.0, turn = TURN / 10.0 * (2 * ring + (i < 6 ? 0 : 1));
        const double out = ring == 0 ? 0.0 : 2.0 / sqrt(5.0);
        rest[3 * i] = RADIUS * out * cos(turn);
        rest[3 * i + 1] = RADIUS * side * (ring == 0 ? 1.0 : 1.0 / sqrt(5.0));
        rest[3 * i + 2] = -RADIUS * out * sin(turn);
    }
    for (int i = 0; i < 39; i++) {
        initial[i] = rest[i] + (i % 3 == 1 ? 0.3 : 0.0);
    }
    for (int i = 0; i < 80; i++) {
        tets[i] = i % 4 == 0 ? 12 : faces[i / 4 * 3 + i % 4 - 1];
    }
    pbs_solid_desc d;
    pbs_solid_desc_init(&d, sizeof d);
    d.vertex_count = 13;
    d.positions = rest;
    d.initial_positions = initial;
    d.tet_count = 20;
    d.tets = tets;
    d.young = 3e4;
    return pbs_body_create_solid(world, &d, ball);
}

static pbs_status bind_sphere(const pbs_world *world, pbs_body ball, pbs_embedding **sphere) {
    pbs_embedding_desc d;
    pbs_embedding_desc_init(&d, sizeof d);
    d.body = ball;
    d.point_count = POINTS;
    d.positions_f32 = vertices[0].position;
    d.normals_f32 = vertices[0].normal;
    d.position_stride = d.normal_stride = sizeof *vertices;
    return pbs_embedding_create(world, &d, sphere);
}

/// Where a graphics library would draw; here it says how high and how wide the sphere is.
static pbs_status draw(const pbs_embedding *sphere, double time, double fraction, int say) {
    double low = 1e9, high = -1e9, wide = 0.0;
    const pbs_status status = pbs_embedding_read_f32(
        sphere, PBS_CHANNEL_POSITION, fraction, 0, POINTS, vertices[0].position, sizeof *vertices);
    if (status < 0) {
        return status;
    }
    for (int i = 0; i < POINTS; i++) {
        const float *x = vertices[i].position;
        low = fmin(low, x[1]);
        high = fmax(high, x[1]);
        wide = fmax(wide, 2.0 * hypot((double)x[0], (double)x[2]));
    }
    if (say) {
        printf("%8.3f %9.2f %9.1f %9.1f %9.1f\n", time, fraction, 1e3 * low, 1e3 * high,
               1e3 * wide);
    }
    return pbs_embedding_read_f32(sphere, PBS_CHANNEL_NORMAL, fraction, 0, POINTS,
                                  vertices[0].normal, sizeof *vertices);
}

static int write_obj(const char *name) {
    FILE *file = fopen(name, "w");
    if (file == NULL) {
        return 1;
    }
    for (int i = 0; i < POINTS; i++) {
        const float *x = vertices[i].position, *n = vertices[i].normal;
        fprintf(file, "v %g %g %g\nvn %g %g %g\n", x[0], x[1], x[2], n[0], n[1], n[2]);
    }
    for (int t = 0; t < TRIANGLES; t++) {
        const unsigned a = triangles[3 * t] + 1, b = triangles[3 * t + 1] + 1,
                       c = triangles[3 * t + 2] + 1;
        fprintf(file, "f %u//%u %u//%u %u//%u\n", a, a, b, b, c, c);
    }
    return fclose(file) != 0;
}

int main(int argc, char **argv) {
    pbs_world_desc wd;
    pbs_collider_desc cd;
    pbs_world *world = NULL;
    pbs_collider ground;
    pbs_body ball;
    pbs_embedding *sphere = NULL;
    make_sphere();
    pbs_world_desc_init(&wd, sizeof wd);
    pbs_collider_desc_init(&cd, sizeof cd); // the half-space below y = 0
    wd.gravity[1] = -9.81;
    if (pbs_world_create(&wd, &world) < 0 || pbs_collider_create(world, &cd, &ground) < 0 ||
        add_ball(world, &ball) < 0 || bind_sphere(world, ball, &sphere) < 0) {
        return fail();
    }
    printf("  time s  fraction    low mm   high mm   wide mm\n");
    for (int frame = 0; frame <= 144; frame++) {
        // What is drawn lies between the last two states, so up to a step behind the simulation.
        const double time = frame * FRAME;
        while (pbs_world_time(world) < time) {
            if (pbs_world_step(world, STEP) < 0 || pbs_embedding_update(sphere, world) < 0) {
                return fail();
            }
        }
        const double left = (pbs_world_time(world) - time) / STEP;
        const double fraction = fmin(1.0, fmax(0.0, 1.0 - left));
        if (draw(sphere, time, fraction, frame % 9 == 0) < 0) {
            return fail();
        }
    }
    pbs_embedding_destroy(sphere);
    pbs_world_destroy(world);
    return argc > 1 ? write_obj(argv[1]) : 0;
}
