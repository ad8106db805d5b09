// Sequences of calls into the API, read from the input: two worlds, ids old and foreign, numbers
// good and bad, memory that runs out. A call that fails must leave its world as it was; at the end
// all memory is back.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/allocator.h"
#include "support/world_scenes.h"
#include "target.h"

enum { WORLDS = 2, IDS = 8, CALL_LIMIT = 48, BODY_LIMIT = 4 };

struct session {
    const uint8_t *data;
    size_t size, position;
    struct test_allocator allocator;
    pbs_world *worlds[WORLDS];
    pbs_body bodies[IDS];
    pbs_collider colliders[IDS];
    uint8_t *saved;
    size_t saved_size;
};

// --- the input ---

static uint8_t take(struct session *s) {
    return s->position < s->size ? s->data[s->position++] : 0;
}

/// Mostly small numbers, sometimes the ends of what doubles are.
static double take_number(struct session *s) {
    static const double odd[] = {0.0,    -0.0, NAN,    INFINITY, -INFINITY, 1e308,
                                 1e-308, -1.0, 1e-320, 1e16,     -1e30,     1e-12};
    const uint8_t byte = take(s);
    return byte >= 244 ? odd[byte - 244] : (byte - 100) / 64.0;
}

static void take_numbers(struct session *s, double *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        out[i] = take_number(s);
    }
}

static pbs_world *take_world(struct session *s) {
    const uint8_t byte = take(s);
    return byte == 255 ? NULL : s->worlds[byte % WORLDS];
}

static pbs_body take_body(struct session *s) {
    const uint8_t byte = take(s);
    return byte == 255 ? (pbs_body){UINT64_C(0x123456789abcdef)} : s->bodies[byte % IDS];
}

static pbs_collider take_collider(struct session *s) {
    const uint8_t byte = take(s);
    return byte == 255 ? (pbs_collider){s->bodies[0].id} : s->colliders[byte % IDS];
}

// --- calls ---

static pbs_status make_solid(struct session *s, pbs_world *world) {
    double corner[3];
    take_numbers(s, corner, 3);
    struct cube_mesh mesh;
    if (pbs_world_body_count(world) >= BODY_LIMIT ||
        !cube_mesh_make(&mesh, 1 + take(s) % 2, 0.4, corner)) {
        return PBS_OK;
    }
    pbs_solid_desc d;
    cube_mesh_describe(&mesh, &d);
    const uint8_t spoil = take(s);
    if (spoil & 1) {
        mesh.positions[take(s) % (3 * mesh.vertex_count)] = take_number(s);
    }
    if (spoil & 2) {
        mesh.tets[take(s) % (4 * mesh.tet_count)] = take(s);
    }
    if (spoil & 4) {
        d.density = take_number(s);
        d.young = take_number(s);
        d.poisson = take_number(s);
        d.damping = take_number(s);
        d.drag = take_number(s);
    }
    d.material = take(s) % 5;
    d.tet_young = spoil & 8 ? mesh.positions : NULL;
    d.initial_velocities = spoil & 16 ? mesh.positions : NULL;
    const pbs_status status = pbs_body_create_solid(world, spoil & 32 ? NULL : &d,
                                                    &s->bodies[take(s) % IDS]);
    cube_mesh_free(&mesh);
    return status;
}

static pbs_status make_custom(struct session *s, pbs_world *world) {
    double positions[9], masses[3];
    uint32_t stencils[4];
    if (pbs_world_body_count(world) >= BODY_LIMIT) {
        return PBS_OK;
    }
    take_numbers(s, positions, 9);
    take_numbers(s, masses, 3);
    for (int i = 0; i < 4; i++) {
        stencils[i] = take(s) % 4;
    }
    pbs_custom_desc d;
    springs_describe(&d, 3, positions, masses, 2, stencils);
    d.no_gravity = take(s) % 3;
    d.tag = take(s) % 8 == 0 ? 0 : SPRING_TAG;
    return pbs_body_create_custom(world, &d, &s->bodies[take(s) % IDS]);
}

static pbs_status make_collider(struct session *s, pbs_world *world) {
    pbs_collider_desc d;
    if (pbs_world_collider_count(world) >= BODY_LIMIT) {
        return PBS_OK;
    }
    pbs_collider_desc_init(&d, sizeof d);
    d.shape = take(s) % 6;
    d.hollow = take(s) % 4 == 0;
    take_numbers(s, d.size, 3);
    take_numbers(s, d.position, 3);
    if (take(s) % 4 == 0) {
        take_numbers(s, d.orientation, 4);
    }
    d.friction = take_number(s);
    return pbs_collider_create(world, &d, &s->colliders[take(s) % IDS]);
}

static pbs_status change_state(struct session *s, pbs_world *world) {
    const pbs_body body = take_body(s);
    double xyz[81];
    const size_t count = pbs_body_vertex_count(world, body);
    for (size_t i = 0; i < 81; i++) {
        xyz[i] = i < 12 ? take_number(s) : sin((double)i);
    }
    const uint8_t choice = take(s);
    const size_t claimed = choice >= 250 ? choice : count <= 27 ? count : 0;
    return choice & 1 ? pbs_body_set_positions(world, body, xyz, claimed > 27 ? 0 : claimed)
                      : pbs_body_set_velocities(world, body, xyz, claimed > 27 ? 0 : claimed);
}

static pbs_status hold(struct session *s, pbs_world *world) {
    const pbs_body body = take_body(s);
    const uint32_t vertices[3] = {take(s) % 9, take(s) % 9, take(s) % 30};
    const size_t count = take(s) % 4;
    double targets[9];
    take_numbers(s, targets, 9);
    const uint32_t axes = take(s) % 10;
    switch (take(s) % 3) {
    case 0: return pbs_body_pin(world, body, vertices, count, axes);
    case 1: return pbs_body_unpin(world, body, vertices, count, axes);
    default: return pbs_body_set_targets(world, body, vertices, count, targets);
    }
}

static pbs_status move_collider(struct session *s, pbs_world *world) {
    double position[3], orientation[4] = {0.0, 0.0, 0.0, 1.0};
    const pbs_collider collider = take_collider(s);
    take_numbers(s, position, 3);
    if (take(s) % 4 == 0) {
        take_numbers(s, orientation, 4);
    }
    return pbs_collider_set_motion(world, collider, position, orientation);
}

static pbs_status read_back(struct session *s, const pbs_world *world) {
    const pbs_body body = take_body(s);
    float buffer[128];
    double stress[54]; // of one cell
    double force[3], pose[4];
    const uint32_t *indices = NULL;
    size_t count = 0;
    pbs_energy energy = {.struct_size = sizeof energy};
    pbs_stats stats = {.struct_size = sizeof stats};
    if (take(s) % 4 == 0) {
        stats.struct_size = take(s) % sizeof stats; // never more than there is
    }
    pbs_world_energy(world, &energy);
    pbs_world_stats(world, &stats);
    pbs_collider_force(world, take_collider(s), force);
    pbs_collider_pose(world, take_collider(s), force, pose);
    pbs_body_surface(world, body, &indices, &count);
    pbs_body_element_stress(world, body, stress, 6);
    const double *x = pbs_body_positions(world, body);
    require((x != NULL) == pbs_body_is_valid(world, body));
    return pbs_body_read_f32(world, body, take(s) % 5, buffer, 8 + take(s) % 9, take(s) % 32);
}

static pbs_status save(struct session *s, const pbs_world *world) {
    size_t size = 0;
    const pbs_status status = pbs_world_save(world, NULL, &size);
    uint8_t *bytes = status < 0 ? NULL : malloc(size);
    if (bytes == NULL) {
        return status;
    }
    require(pbs_world_save(world, bytes, &size) == PBS_OK);
    free(s->saved);
    s->saved = bytes;
    s->saved_size = size;
    return PBS_OK;
}

static pbs_status restore(struct session *s, pbs_world *world) {
    return pbs_world_restore(world, s->saved, s->saved_size);
}

static pbs_status destroy(struct session *s, pbs_world *world) {
    return take(s) % 2 == 0 ? pbs_body_destroy(world, take_body(s))
                            : pbs_collider_destroy(world, take_collider(s));
}

static pbs_status set_gravity(struct session *s, pbs_world *world) {
    double gravity[3];
    take_numbers(s, gravity, 3);
    return pbs_world_set_gravity(world, gravity);
}

static pbs_status call(struct session *s, pbs_world *world) {
    switch (take(s) % 14) {
    case 0: return make_solid(s, world);
    case 1: return make_custom(s, world);
    case 2: return make_collider(s, world);
    case 3: return change_state(s, world);
    case 4: return hold(s, world);
    case 5: return move_collider(s, world);
    case 6: return read_back(s, world);
    case 7: return save(s, world);
    case 8: return restore(s, world);
    case 9: return destroy(s, world);
    case 10: return set_gravity(s, world);
    case 11: return pbs_world_advance(world, take_number(s));
    default: return pbs_world_step(world, 1.0 / (1 + take(s)));
    }
}

// --- a session ---

static void begin(struct session *s) {
    test_allocator_init(&s->allocator);
    for (int i = 0; i < WORLDS; i++) {
        pbs_world_desc d;
        scene_settings(&d);
        d.allocator = test_allocator_hooks(&s->allocator);
        d.newton_limit = 4;
        d.linear_limit = 20;
        d.divisions = take(s) % 3;
        d.allow_unconverged = take(s) % 2;
        d.method = take(s) % 2;
        d.preconditioner = take(s) % 3;
        require(pbs_world_create(&d, &s->worlds[i]) == PBS_OK);
        require(pbs_world_register_callback(s->worlds[i], SPRING_TAG, spring_energy, NULL) ==
                PBS_OK);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct session s = {.data = data, .size = size};
    begin(&s);
    for (int i = 0; i < CALL_LIMIT && s.position < s.size; i++) {
        pbs_world *world = take_world(&s);
        const uint8_t scarce = take(&s);
        if (scarce >= 240) {
            test_allocator_fail_after(&s.allocator, take(&s));
        }
        const uint64_t hash = pbs_world_hash(world);
        const size_t bodies = pbs_world_body_count(world);
        const pbs_status status = call(&s, world);
        if (status < 0) {
            require(pbs_last_error()[0] != '\0');
            require(pbs_world_hash(world) == hash && pbs_world_body_count(world) == bodies);
        }
        test_allocator_fail_after(&s.allocator, ALLOCATOR_NEVER);
    }
    for (int i = 0; i < WORLDS; i++) {
        pbs_world_destroy(s.worlds[i]);
    }
    free(s.saved);
    require(s.allocator.blocks_in_use == 0 && !s.allocator.was_misused);
    return 0;
}
