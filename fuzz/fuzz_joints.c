// Sequences of calls about joints, read from the input: every kind between points good and bad of a
// soft, an affine and a springy body, settings that change, bodies that go, memory that runs out. A
// call that fails must leave its world as it was, a restored world must go on to the same bits, and
// at the end all memory is back.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "choices.h"
#include "support/host/allocator.h"
#include "support/scenes/world_scenes.h"
#include "target.h"

enum { BODIES = 4, IDS = 6, CALL_LIMIT = 40, STEP_LIMIT = 24 };

struct session {
    struct choices in;
    struct test_allocator allocator;
    pbs_world *world, *other; ///< the second is restored from the first
    pbs_body bodies[BODIES];
    pbs_joint joints[IDS];
    int steps_left;
};

static void add_bodies(struct session *s) {
    static const double corner[3] = {0.0, 0.0, 0.0}, sides[3] = {0.3, 0.2, 0.1};
    struct cube_mesh cube;
    pbs_solid_desc solid;
    require(cube_mesh_make(&cube, 1, 0.4, corner));
    cube_mesh_describe(&cube, &solid);
    require(pbs_body_create_solid(s->world, &solid, &s->bodies[0]) == PBS_OK);
    cube_mesh_free(&cube);
    for (int i = 1; i < 3; i++) {
        struct box_surface box;
        pbs_affine_desc affine;
        box_surface_make(&box, sides);
        box_surface_describe(&box, &affine);
        affine.position[0] = i;
        affine.position[1] = 0.5;
        require(pbs_body_create_affine(s->world, &affine, &s->bodies[i]) == PBS_OK);
    }
    static const double positions[6] = {-1.0, 0.0, 0.0, -1.0, 0.3, 0.0}, masses[2] = {0.1, 0.2};
    static const uint32_t spring[2] = {0, 1};
    pbs_springs_desc springs;
    pbs_springs_desc_init(&springs, sizeof springs);
    springs.vertex_count = 2;
    springs.positions = positions;
    springs.masses = masses;
    springs.spring_count = 1;
    springs.springs = spring;
    require(pbs_body_create_springs(s->world, &springs, &s->bodies[3]) == PBS_OK);
}

static pbs_point take_point(struct session *s) {
    pbs_point point = {.struct_size = sizeof point};
    const uint8_t byte = take(&s->in);
    point.kind = byte % 6;
    point.body = byte >= 250 ? (pbs_body){s->joints[0].id} : s->bodies[byte / 8 % BODIES];
    point.index = byte >= 240 ? UINT32_MAX : take(&s->in) % 8;
    for (int k = 0; k < 4; k++) {
        point.weights[k] = k == 0 ? 1.0 : 0.0;
    }
    if (take(&s->in) % 2 == 0) {
        const double share = take_number(&s->in);
        point.weights[0] -= share;
        point.weights[1] += share;
        take_numbers(&s->in, point.place, 3);
    }
    return point;
}

/// Changes what joints allow to change.
static void take_settings(struct session *s, pbs_joint_desc *d) {
    const uint8_t change = take(&s->in);
    if (change & 1) {
        d->lower = take_number(&s->in);
        d->upper = take_number(&s->in);
    }
    if (change & 2) {
        d->motor_velocity = take_number(&s->in);
        d->motor_force = take_number(&s->in);
    }
    if (change & 4) {
        d->spring_stiffness = take_number(&s->in);
        d->spring_damping = take_number(&s->in);
        d->spring_target = take_number(&s->in);
    }
    if (change & 8) {
        d->break_force = take_number(&s->in);
        d->break_torque = take_number(&s->in);
    }
    if (change & 16) {
        d->tolerance = take_number(&s->in);
        d->touching = take(&s->in) % 3;
    }
    if (change & 32) {
        d->swing_limit = take_number(&s->in);
    }
    if (change & 64) {
        d->twist_lower = take_number(&s->in);
        d->twist_upper = take_number(&s->in);
    }
}

static pbs_joint *take_joint(struct session *s) {
    return &s->joints[take(&s->in) % IDS];
}

static pbs_status create(struct session *s) {
    pbs_joint_desc d;
    pbs_joint_desc_init(&d, sizeof d);
    d.kind = take(&s->in) % (PBS_JOINT_DISTANCE + 2);
    d.a = take_point(s);
    d.b = take_point(s);
    if (take(&s->in) % 2 == 0) {
        take_numbers(&s->in, d.axis, 3);
    }
    take_settings(s, &d);
    return pbs_joint_create(s->world, &d, take_joint(s));
}

static pbs_status change(struct session *s) {
    const pbs_joint *joint = take_joint(s);
    pbs_joint_desc d = {.struct_size = sizeof d};
    const pbs_status status = pbs_joint_settings(s->world, *joint, &d);
    if (status < 0) {
        return status;
    }
    take_settings(s, &d);
    return pbs_joint_set_settings(s->world, *joint, &d);
}

static pbs_status move(struct session *s) {
    double place[3];
    take_numbers(&s->in, place, 3);
    return pbs_joint_set_target(s->world, *take_joint(s), place);
}

static pbs_status read_back(struct session *s) {
    pbs_joint_state state = {.struct_size = sizeof state};
    pbs_broken_joint rows[IDS];
    size_t count = IDS;
    const pbs_status status = pbs_joint_get_state(s->world, *take_joint(s), &state);
    (void)pbs_world_broken_joints(s->world, rows, sizeof rows[0], &count);
    return status;
}

static pbs_status step(struct session *s) {
    if (s->steps_left <= 0) {
        return PBS_OK;
    }
    s->steps_left--;
    return pbs_world_step(s->world, 1.0 / (8 + take(&s->in)));
}

/// The copy takes the same step to the same bits. Memory is not scarce here.
static pbs_status restore(struct session *s) {
    size_t size = 0;
    test_allocator_fail_after(&s->allocator, ALLOCATOR_NEVER);
    require(pbs_world_save(s->world, NULL, &size) == PBS_OK);
    uint8_t *saved = malloc(size);
    require(saved != NULL && pbs_world_save(s->world, saved, &size) == PBS_OK);
    require(pbs_world_restore(s->other, saved, size) == PBS_OK);
    free(saved);
    require(pbs_world_joint_count(s->other) == pbs_world_joint_count(s->world));
    if (s->steps_left > 0) {
        s->steps_left--;
        const pbs_status here = pbs_world_step(s->world, 0.01);
        require(pbs_world_step(s->other, 0.01) == here);
        require(pbs_world_hash(s->other) == pbs_world_hash(s->world));
    }
    return PBS_OK;
}

static pbs_status use_scheme(struct session *s) {
    return pbs_world_set_scheme(s->world, take(&s->in) % (PBS_SCHEME_QUASI_STATIC + 1));
}

/// In one call; of the highest choices, to space.
static pbs_status create_simple(struct session *s) {
    const uint8_t choice = take(&s->in);
    const pbs_body a = s->bodies[choice / 8 % BODIES];
    const pbs_body b = choice >= 224 ? (pbs_body){0} : s->bodies[choice / 32 % BODIES];
    double anchor[3], axis[3];
    take_numbers(&s->in, anchor, 3);
    take_numbers(&s->in, axis, 3);
    pbs_joint *out = take_joint(s);
    switch (choice % 5) {
    case 0: return pbs_joint_create_ball(s->world, a, b, anchor, out);
    case 1: return pbs_joint_create_weld(s->world, a, b, anchor, out);
    case 2: return pbs_joint_create_hinge(s->world, a, b, anchor, axis, out);
    case 3: return pbs_joint_create_slider(s->world, a, b, anchor, axis, out);
    default: return pbs_joint_create_rope(s->world, a, b, anchor, axis, out);
    }
}

static pbs_status call(struct session *s) {
    switch (take(&s->in) % 12) {
    case 0:
    case 1:
    case 2: return create(s);
    case 3: return change(s);
    case 4: return move(s);
    case 5: return read_back(s);
    case 6: return pbs_joint_destroy(s->world, *take_joint(s));
    case 7: return restore(s);
    case 8: return use_scheme(s);
    case 9:
        return take(&s->in) < 64 ? pbs_body_destroy(s->world, s->bodies[take(&s->in) % BODIES])
                                 : create_simple(s);
    default: return step(s);
    }
}

static void begin(struct session *s) {
    test_allocator_init(&s->allocator);
    for (int i = 0; i < 2; i++) {
        pbs_world_desc d;
        pbs_expert_desc expert;
        scene_settings(&d);
        expert_settings(&expert, &d);
        d.allocator = test_allocator_hooks(&s->allocator);
        d.newton_limit = 6;
        d.divisions = 1;
        expert.linear_limit = 40;
        expert.allow_unconverged = 1;
        require(pbs_world_create(&d, i == 0 ? &s->world : &s->other) == PBS_OK);
    }
    add_bodies(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct session s = {.in = {.data = data, .size = size}, .steps_left = STEP_LIMIT};
    begin(&s);
    for (int i = 0; i < CALL_LIMIT && s.in.position < s.in.size; i++) {
        const uint8_t scarce = take(&s.in);
        if (scarce >= 240) {
            test_allocator_fail_after(&s.allocator, take(&s.in));
        }
        const uint64_t hash = pbs_world_hash(s.world);
        const size_t joints = pbs_world_joint_count(s.world);
        const pbs_status status = call(&s);
        if (status < 0) {
            require(pbs_last_error()[0] != '\0');
            require(pbs_world_hash(s.world) == hash && pbs_world_joint_count(s.world) == joints);
        }
        test_allocator_fail_after(&s.allocator, ALLOCATOR_NEVER);
    }
    pbs_world_destroy(s.world);
    pbs_world_destroy(s.other);
    require(s.allocator.blocks_in_use == 0 && !s.allocator.was_misused);
    return 0;
}
