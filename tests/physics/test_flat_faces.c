// Stiff bodies and colliders whose flat faces are divided: what lies inside a face touches nothing
// by itself (docs/theory/contact.md section 2.6), and yet nothing goes through.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "support/world_testing.h"

enum { CELLS = 3, SIDE = CELLS + 1, POINTS = SIDE * SIDE * SIDE, TRIANGLES = 12 * CELLS * CELLS };

/// The surface of a cube of 1 m, its faces divided.
struct divided_cube {
    size_t point_count;
    double points[3 * POINTS];
    uint32_t triangles[3 * TRIANGLES];
};

static uint32_t point_at(struct divided_cube *cube, const int cell[3]) {
    const double place[3] = {(double)cell[0] / CELLS - 0.5, (double)cell[1] / CELLS - 0.5,
                             (double)cell[2] / CELLS - 0.5};
    size_t i = 0;
    while (i < cube->point_count && memcmp(cube->points + 3 * i, place, sizeof place) != 0) {
        i++;
    }
    memcpy(cube->points + 3 * i, place, sizeof place);
    cube->point_count += i == cube->point_count;
    return (uint32_t)i;
}

static void divide_cube(struct divided_cube *cube) {
    size_t k = 0;
    cube->point_count = 0;
    for (int i = 0; i < 6 * CELLS * CELLS; i++) {
        const int axis = i % 3, side = i / 3 % 2, across = i / 6 % CELLS, along = i / 6 / CELLS;
        uint32_t corner[4];
        for (int c = 0; c < 4; c++) {
            int cell[3];
            cell[axis] = side * CELLS;
            cell[(axis + 1) % 3] = across + (c == 1 || c == 2);
            cell[(axis + 2) % 3] = along + (c >= 2);
            corner[c] = point_at(cube, cell);
        }
        const uint32_t up[6] = {corner[0], corner[1], corner[2], corner[0], corner[2], corner[3]};
        for (int c = 0; c < 6; c++) {
            cube->triangles[k++] = up[side == 1 ? c : 5 - c];
        }
    }
}

static pbs_body add_divided(pbs_world *world, const struct divided_cube *cube,
                            struct random *numbers, const double place[3], double speed) {
    pbs_affine_desc d;
    pbs_body body;
    assert_ok(pbs_affine_desc_init(&d, sizeof d));
    d.vertex_count = cube->point_count;
    d.positions = cube->points;
    d.triangle_count = TRIANGLES;
    d.triangles = cube->triangles;
    d.density = 1000.0;
    double norm = 0.0;
    for (int k = 0; k < 4; k++) {
        d.orientation[k] = random_uniform(numbers, -1.0, 1.0);
        norm += d.orientation[k] * d.orientation[k];
    }
    for (int k = 0; k < 4; k++) {
        d.orientation[k] /= sqrt(norm);
    }
    memcpy(d.position, place, sizeof d.position);
    random_fill(numbers, -speed, speed, d.velocity, 3);
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

static void add_plate(pbs_world *world, struct divided_cube *cube) {
    pbs_collider_desc d;
    pbs_collider plate;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.shape = PBS_SHAPE_MESH;
    d.vertex_count = cube->point_count;
    d.vertices = cube->points;
    d.triangle_count = TRIANGLES;
    d.triangles = cube->triangles;
    d.position[1] = -1.2;
    assert_ok(pbs_collider_create(world, &d, &plate));
}

/// The first step of a restored world tests all edges against all triangles, exactly.
static void assert_apart(const pbs_world *world) {
    struct saved_world saved = save_world(world);
    pbs_world *const again = new_world();
    assert_ok(pbs_world_restore(again, saved.data, saved.size));
    assert_ok(pbs_world_step(again, 1e-6));
    pbs_world_destroy(again);
    free(saved.data);
}

/// Boxes of 27 cells that fall at random on each other and on the edges of one that is a collider,
/// under gravity of 1 g and 20 g: every step lands, and no surfaces cross.
static void divided_boxes_do_not_cross(void **state) {
    (void)state;
    struct random numbers = random_seed(11);
    struct divided_cube cube;
    divide_cube(&cube);
    const int rounds = testing_rounds(9);
    int touching = 0;
    for (int i = 0; i < rounds; i++) {
        pbs_world_desc d;
        assert_ok(pbs_world_desc_init(&d, sizeof d));
        d.contact = PBS_CONTACT_BARRIER;
        d.gravity[1] = i % 3 == 2 ? -196.0 : -9.8;
        pbs_world *const world = new_world_from(&d);
        add_plate(world, &cube);
        for (int b = 0; b < 2; b++) {
            const double place[3] = {random_uniform(&numbers, -0.6, 0.6), 0.3 + 1.8 * b,
                                     random_uniform(&numbers, -0.6, 0.6)};
            add_divided(world, &cube, &numbers, place, 1.0);
        }
        for (int k = 0; k < 60; k++) {
            const pbs_status status = pbs_world_step(world, i % 3 == 2 ? 1.0 / 240.0 : 1.0 / 60.0);
            assert_true(status >= 0);
            touching += stats_of(world).contact.active > 0;
            if (k % 6 == 5) {
                assert_apart(world);
            }
        }
        pbs_world_destroy(world);
    }
    assert_true(touching > 10 * rounds);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(divided_boxes_do_not_cross)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
