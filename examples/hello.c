// A minimal program: a soft cube falls on the ground, and a nearly rigid block on the cube. Uses
// installed headers only.
//     cc hello.c $(pkg-config --cflags --libs pbs)
// SPDX-License-Identifier: MIT
#include <pbs/pbs.h>
#include <stdio.h>

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, pbs_last_error());
    return 1;
}

int main(void) {
    static const double cube_size[3] = {1.0, 1.0, 1.0}, block_size[3] = {0.4, 0.3, 0.4}; // m
    static const double cube_at[3] = {0.0, 1.5, 0.0}, block_at[3] = {0.1, 3.0, 0.0};

    pbs_world_desc settings;
    pbs_world_desc_init(&settings, sizeof settings);
    settings.gravity[1] = -9.81; // m/s^2
    pbs_world *world = NULL;
    if (pbs_world_create(&settings, &world) < 0) {
        return fail("world");
    }

    // The ground is level: its normal is opposite to gravity. It and the bodies have friction 0.5.
    pbs_collider ground;
    if (pbs_collider_create_ground(world, 0.0, &ground) < 0) {
        return fail("ground");
    }

    // Density and Young's modulus: a soft cube. Without a modulus a body is nearly rigid.
    pbs_body cube, block;
    if (pbs_body_create_box(world, cube_size, cube_at, 1000.0, 1e5, &cube) < 0) {
        return fail("cube");
    }
    if (pbs_body_create_box(world, block_size, block_at, 500.0, 0.0, &block) < 0) {
        return fail("block");
    }

    for (int frame = 0; frame < 48; frame++) {
        if (pbs_world_step(world, 1.0 / 24.0) < 0) {
            return fail("step");
        }
        double centre[3];
        pbs_body_pose(world, block, centre, NULL);
        printf("t = %.3f s, a lower corner of the cube at y = %.4f m, the block at %.4f m\n",
               pbs_world_time(world), pbs_body_positions(world, cube)[1], centre[1]);
    }
    pbs_world_destroy(world);
    return 0;
}
