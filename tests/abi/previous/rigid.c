// A host's own rigid body that soft ones push: a plate of 20 kg on a spring and a damper, which the
// host integrates itself. The library moves it as a scripted collider and answers with the impulse
// of all contacts; where a ray from above meets the cube says when it has come to rest.
//     cc rigid.c $(pkg-config --cflags --libs pbs)
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>

#include <pbs/pbs.h>

static const double H = 1.0 / 100.0, GRAVITY = 9.81;
static const double PLATE_MASS = 20.0, SPRING = 2000.0, DAMPER = 200.0; // kg, N/m, N s/m

static int fail(void) {
    fprintf(stderr, "%s\n", pbs_last_error());
    return 1;
}

/// A cube of 10 cm and 1 kg in five tetrahedra, 1 cm over the plate.
static pbs_status add_cube(pbs_world *world, pbs_body *cube) {
    static const uint32_t tets[20] = {0, 1, 2, 4, 3, 2, 1, 7, 5, 4, 7, 1, 6, 7, 4, 2, 1, 7, 2, 4};
    double x[24];
    for (int i = 0; i < 24; i++) {
        x[i] = (i / 3 >> i % 3 & 1) != 0 ? 0.05 : -0.05;
        x[i] += i % 3 == 1 ? 0.11 : 0.0;
    }
    pbs_solid_desc d;
    pbs_solid_desc_init(&d, sizeof d);
    d.material = PBS_MATERIAL_NEO_HOOKEAN;
    d.vertex_count = 8;
    d.positions = x;
    d.tet_count = 5;
    d.tets = tets;
    return pbs_body_create_solid(world, &d, cube);
}

static pbs_status add_plate(pbs_world *world, pbs_collider *plate) {
    pbs_collider_desc d;
    pbs_collider_desc_init(&d, sizeof d);
    d.shape = PBS_SHAPE_BOX;
    d.size[0] = d.size[2] = 0.2;
    d.size[1] = 0.05;
    d.friction = 0.5;
    return pbs_collider_create(world, &d, plate);
}

/// One step of the plate, y being how far it is from where its own weight leaves it; its spring and
/// damper are implicit, the impulse of the contacts is what they have just done.
static double plate_velocity(double y, double v, double impulse) {
    return (PLATE_MASS * v + impulse - H * SPRING * y) / (PLATE_MASS + H * DAMPER + H * H * SPRING);
}

int main(void) {
    pbs_world_desc d;
    pbs_world *world = NULL;
    pbs_body cube;
    pbs_collider plate;
    pbs_ray_desc ray;
    pbs_surface_point top = {.struct_size = sizeof top};
    pbs_contact_force felt = {.struct_size = sizeof felt};
    pbs_world_desc_init(&d, sizeof d);
    d.gravity[1] = -GRAVITY;
    d.contact = PBS_CONTACT_BARRIER;
    if (pbs_world_create(&d, &world) < 0 || add_plate(world, &plate) < 0 ||
        add_cube(world, &cube) < 0 || pbs_ray_desc_init(&ray, sizeof ray) < 0) {
        return fail();
    }
    ray.origin[1] = 1.0;
    double y = 0.0, v = 0.0;
    printf("  time s   plate mm   cube's top mm   contacts   force N\n");
    for (int step = 1; step <= 300; step++) {
        v = plate_velocity(y, v, felt.impulse[1]);
        y += H * v;
        const double position[3] = {0.0, y, 0.0}, upright[4] = {0.0, 0.0, 0.0, 1.0};
        if (pbs_collider_set_motion(world, plate, position, upright) < 0 ||
            pbs_world_step(world, H) < 0 ||
            pbs_collider_contact_force(world, plate, NULL, &felt) < 0) {
            return fail();
        }
        size_t contacts = 0;
        if (pbs_world_contacts(world, NULL, sizeof(pbs_contact), &contacts) < 0 ||
            pbs_world_ray(world, &ray, &top) < 0) {
            return fail();
        }
        if (step % 20 == 0) {
            printf("%8.2f %10.3f %15.3f %10zu %9.3f\n", step * H, 1e3 * y, 1e3 * top.point[1],
                   contacts, felt.force[1]);
        }
    }
    pbs_world_destroy(world);
    // The cube's kilogram stretches the spring by its weight.
    const double expected = -1.0 * GRAVITY / SPRING;
    printf("the plate rests %.3f mm lower; by the cube's weight it should be %.3f mm\n", -1e3 * y,
           -1e3 * expected);
    return fabs(y - expected) < 0.01 * fabs(expected) ? 0 : 1;
}
