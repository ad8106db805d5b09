// Facts about the recipes of docs/hosts.md, which stand before this in one file (test_recipes.sh).
// SPDX-License-Identifier: MIT
#include <math.h>

static int failures;

static void expect(int holds, const char *what) {
    if (!holds) {
        printf("not so: %s (%s)\n", what, pbs_last_error());
        failures++;
    }
}

static pbs_world *new_world(pbs_collider *ground) {
    pbs_world_desc settings;
    pbs_world *world = NULL;
    pbs_world_desc_init(&settings, sizeof settings);
    settings.gravity[1] = -9.81;
    expect(pbs_world_create(&settings, &world) >= 0, "a world");
    expect(pbs_collider_create_ground(world, 0, ground) >= 0, "ground");
    return world;
}

static pbs_body new_box(pbs_world *world, double height, double young) {
    const double size[3] = {1, 1, 1}, place[3] = {0, height, 0};
    pbs_body box = {0};
    expect(pbs_body_create_box(world, size, place, 1000, young, &box) >= 0, "a box");
    return box;
}

// Frames of 1/144 s and of 1/25 s come to the same states, and a frame that hung to 0.1 s.
static void frames_take_their_time(void) {
    pbs_collider ground;
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        pbs_world *world = new_world(&ground);
        double left = 0;
        new_box(world, 2, 0);
        for (int frame = 0; frame < (i == 0 ? 145 : 26); frame++) {
            const double place = run_frame(world, i == 0 ? 1.0 / 144 : 1.0 / 25, &left);
            expect(place >= 0 && place < 1, "the picture is between two states");
        }
        while (pbs_world_time(world) < 1.03) {
            run_frame(world, 1.0 / 120, &left);
        }
        hashes[i] = pbs_world_hash(world);
        const double before = pbs_world_time(world);
        run_frame(world, 5, &left);
        expect(fabs(pbs_world_time(world) - before - 0.1) < 0.02, "a hung frame is cut short");
        pbs_world_destroy(world);
    }
    expect(hashes[0] == hashes[1], "the length of frames is of no importance");
}

static void failed_steps_go_on(void) {
    pbs_collider ground;
    pbs_world *world = new_world(&ground);
    new_box(world, 0.51, 0);
    new_box(world, 1.0, 0); // half inside the other one
    expect(pbs_world_step(world, 0.01) < 0, "overlaps are refused");
    expect(step_somehow(world, 0.01) >= 0, "and pushed apart");
    pbs_world_destroy(world);

    // A plate that is to leave no room at all for the box between it and the ground.
    world = new_world(&ground);
    new_box(world, 0.51, 0);
    pbs_collider_desc plate;
    pbs_collider collider;
    pbs_collider_desc_init(&plate, sizeof plate);
    plate.shape = PBS_SHAPE_BOX;
    plate.size[0] = plate.size[2] = 2;
    plate.size[1] = 0.1;
    plate.position[1] = 1.2;
    expect(pbs_collider_create(world, &plate, &collider) >= 0, "a plate");
    const double down[3] = {0, -120, 0}; // to the ground in a step
    expect(drive(world, collider, down, 0.01) >= 0 && step_somehow(world, 0.01) >= 0,
           "what cannot go on stays");
    double place[3], turn[4];
    expect(pbs_collider_pose(world, collider, place, turn) >= 0 && place[1] > 1.09,
           "it has not gone through");
    pbs_world_destroy(world);
}

static void boxes_appear_where_there_is_room(void) {
    pbs_collider ground;
    pbs_world *world = new_world(&ground);
    const double size[3] = {1, 1, 1}, place[3] = {0, 0.51, 0};
    const pbs_body first = spawn_box(world, size, place, 3),
                   second = spawn_box(world, size, place, 3);
    expect(pbs_body_is_valid(world, first) && pbs_body_is_valid(world, second), "two boxes");
    expect(pbs_body_positions(world, second)[1] > 1, "one on the other");
    expect(!pbs_body_is_valid(world, spawn_box(world, size, place, 2)), "and no third one");
    expect(pbs_world_body_count(world) == 2 && pbs_world_step(world, 0.01) >= 0, "they step");
    pbs_world_destroy(world);
}

static void frames_come_back(void) {
    static struct history history;
    pbs_collider ground;
    pbs_world *world = new_world(&ground);
    uint64_t then = 0;
    new_box(world, 0.8, 1e5);
    for (size_t frame = 0; frame < 20; frame++) {
        then = frame == 14 ? pbs_world_hash(world) : then;
        expect(keep_frame(&history, world, frame), "a frame is kept");
        pbs_world_step(world, 1.0 / 60);
    }
    const uint64_t now = pbs_world_hash(world);
    expect(go_back(&history, world, 14) >= 0 && pbs_world_hash(world) == then, "the frame is back");
    for (int frame = 14; frame < 20; frame++) {
        pbs_world_step(world, 1.0 / 60);
    }
    expect(pbs_world_hash(world) == now, "and goes on to the same bits");
    pbs_world_destroy(world);
    for (int i = 0; i < FRAMES; i++) {
        free(history.bytes[i]);
    }
}

static void left_handed_hosts_see_a_mirror(void) {
    pbs_collider ground;
    pbs_world *world = new_world(&ground);
    const pbs_body box = new_box(world, 1, 0);
    static struct vertex vertices[8];
    expect(pbs_body_vertex_count(world, box) == 8 && read_vertices(world, box, vertices, 8) >= 0,
           "eight vertices");
    for (int i = 0; i < 8; i++) {
        expect(vertices[i].position[2] == -(float)pbs_body_positions(world, box)[3 * i + 2],
               "places are mirrored");
        expect(vertices[i].position[2] * vertices[i].normal[2] > 0, "normals point outward");
    }
    // A quarter turn about y takes x to -z, and so x to z in the mirror.
    const double quarter[4] = {0, sqrt(0.5), 0, sqrt(0.5)};
    double seen[4];
    mirror_orientation(quarter, seen);
    const double x_to_z = 2 * (seen[0] * seen[2] - seen[3] * seen[1]);
    expect(fabs(x_to_z - 1) < 1e-15, "turns are mirrored");
    pbs_world_destroy(world);
}

int main(void) {
    frames_take_their_time();
    failed_steps_go_on();
    boxes_appear_where_there_is_room();
    frames_come_back();
    left_handed_hosts_see_a_mirror();
    return failures > 0;
}
