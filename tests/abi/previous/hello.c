// The smallest program: two tetrahedra fall onto a floor. Uses installed headers only.
//     cc hello.c $(pkg-config --cflags --libs pbs)
// SPDX-License-Identifier: MIT
#include <pbs/pbs.h>
#include <stdio.h>

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, pbs_last_error());
    return 1;
}

int main(void) {
    static const double positions[] = {0, 0.5, 0, 1, 0.5, 0, 0, 0.5, -1, 0, 1.5, 0, 1, 1.5, -1};
    static const uint32_t tets[] = {0, 1, 2, 3, 1, 4, 2, 3};

    pbs_world_desc world_desc;
    pbs_world_desc_init(&world_desc, sizeof world_desc);
    world_desc.gravity[1] = -9.81;
    pbs_world *world = NULL;
    if (pbs_world_create(&world_desc, &world) < 0) {
        return fail("world");
    }

    pbs_collider_desc floor_desc; // a half-space below y = 0
    pbs_collider_desc_init(&floor_desc, sizeof floor_desc);
    floor_desc.friction = 0.5;
    pbs_collider ground;
    if (pbs_collider_create(world, &floor_desc, &ground) < 0) {
        return fail("floor");
    }

    pbs_solid_desc solid_desc;
    pbs_solid_desc_init(&solid_desc, sizeof solid_desc);
    solid_desc.vertex_count = 5;
    solid_desc.positions = positions;
    solid_desc.tet_count = 2;
    solid_desc.tets = tets;
    solid_desc.young = 1e5;
    pbs_body body;
    if (pbs_body_create_solid(world, &solid_desc, &body) < 0) {
        return fail("solid");
    }

    for (int frame = 0; frame < 24; frame++) {
        if (pbs_world_step(world, 1.0 / 24.0) < 0) {
            return fail("step");
        }
        printf("t = %.3f s, first vertex at y = %.4f m\n", pbs_world_time(world),
               pbs_body_positions(world, body)[1]);
    }
    pbs_world_destroy(world);
    return 0;
}
