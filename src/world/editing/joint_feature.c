// What happens to joints in the life of a world: saving, steps, drawing.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "world/features/feature.h"
#include "world/interface/saved_handles.h"
#include "world/joints/joint.h"
#include "world/joints/saved_joint.h"
#include "world/model/joint_scene.h"
#include "world/readback/debug_lines.h"
#include "world/world.h"

// --- saving ---

static void write(struct byte_writer *out, const struct scene *scene) {
    saved_handles_write(out, &scene->joints);
    for (size_t i = 0; i < scene->joints.count; i++) {
        write_u32(out, scene_joint(scene, i)->slot);
        saved_joint_write(out, scene_joint(scene, i));
    }
}

static pbs_status read(struct byte_reader *in, struct memory *memory, struct scene *scene) {
    size_t count = 0;
    RETURN_IF_FAILED(saved_handles_read(in, memory, &scene->joints, "joint slots", &count));
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = 0;
        RETURN_IF_FAILED(saved_handles_read_slot(in, &scene->joints, &slot));
        struct world_joint *joint = memory_allocate(memory, 1, sizeof *joint);
        if (joint == NULL) {
            return PBS_ERROR_MEMORY;
        }
        joint->slot = slot;
        handle_insert_at(&scene->joints, slot, joint);
        RETURN_IF_FAILED(saved_as_format(saved_joint_read(in, scene, joint), "joint", i));
        for (int s = 0; s < 2; s++) {
            if (joint->sides[s].body != NULL) {
                joint->sides[s].body->joint_count++;
            }
        }
    }
    if (count > 0) {
        RETURN_IF_FAILED(
            saved_as_format(world_joint_check_scheme(scene->integrator.scheme), "joint", 0));
    }
    return PBS_OK;
}

static void write_state(struct byte_writer *out, const struct scene *scene) {
    for (size_t i = 0; i < scene->joints.count; i++) {
        saved_joint_write_state(out, scene_joint(scene, i));
    }
}

static pbs_status read_state(struct byte_reader *in, struct memory *memory, struct scene *scene) {
    (void)memory;
    for (size_t i = 0; i < scene->joints.count; i++) {
        RETURN_IF_FAILED(
            saved_as_format(saved_joint_read_state(in, scene_joint(scene, i)), "joint", i));
    }
    return PBS_OK;
}

static void forget(pbs_world *w) {
    w->solver.joints_are_current = false;
    w->broken_joints.count = 0;
}

// --- bodies ---

static void body_destroyed(pbs_world *w, const struct body *body) {
    for (size_t i = w->scene.joints.count; i-- > 0 && body->joint_count > 0;) {
        struct world_joint *joint = scene_joint(&w->scene, i);
        if (world_joint_has(joint, body)) {
            world_destroy_joint(w, joint);
        }
    }
}

/// No scheme that the world has is asked where a body has no joint.
static pbs_status check_scheme(const struct body *body, const struct scheme_table *scheme) {
    return body->joint_count > 0 ? world_joint_check_scheme(scheme) : PBS_OK;
}

// --- steps ---

static pbs_status prepare(pbs_world *w) {
    struct solver *const t = &w->solver;
    if (!t->joints_are_current) {
        RETURN_IF_FAILED(joint_scene_build(t, &w->scene, &w->memory));
    }
    return memory_reserve(&w->memory, &w->broken_joints.rows, &w->broken_joints.capacity,
                          t->joints.count, sizeof *w->broken_joints.rows);
}

static void begin(pbs_world *w) {
    joint_scene_load(&w->solver, &w->scene);
}

/// The breaks are handed to the host's list with those of bonds (breaks_commit). In a world without
/// bodies there are none, and nothing was built.
static void commit(pbs_world *w) {
    if (w->scene.nodes.count > 0) {
        joint_scene_land(&w->solver, &w->scene);
    } else {
        w->broken_joints.count = 0;
    }
}

// --- drawing ---

/// A vector that is linear in the nodes of a side's body.
static void side_vector(const struct scene *scene, const struct joint_side *side,
                        const double *weights, double out[3]) {
    scale3(0.0, side->place, out);
    for (uint32_t k = 0; k < side->count; k++) {
        const size_t node = side->body->node_start + side->node[k];
        add_scaled3(out, weights[k], scene->nodes.x + 3 * node, out);
    }
}

static void side_point(const struct scene *scene, const struct joint_side *side, double out[3]) {
    if (side->body == NULL) {
        copy3(side->place, out);
    } else {
        side_vector(scene, side, side->weight, out);
    }
}

/// Axes of a side without axes are zero, and not drawn.
static void add_axes(struct debug_lines *lines, const struct joint_side *side, const double at[3]) {
    static const uint8_t colors[JOINT_AXES][3] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}};
    for (int a = 0; a < JOINT_AXES; a++) {
        double axis[3];
        if (side->body == NULL) {
            copy3(side->axis[a], axis);
        } else {
            side_vector(&lines->world->scene, side, side->axis_weight[a], axis);
        }
        if (norm3(axis) > 0.0) {
            debug_lines_color(lines, colors[a][0], colors[a][1], colors[a][2]);
            debug_lines_add_arrow(lines, at, axis);
        }
    }
}

static void draw(struct debug_lines *lines) {
    const struct scene *scene = &lines->world->scene;
    for (size_t i = 0; i < scene->joints.count; i++) {
        const struct world_joint *joint = scene_joint(scene, i);
        double points[2][3];
        if (joint->broken) {
            continue;
        }
        side_point(scene, &joint->sides[0], points[0]);
        side_point(scene, &joint->sides[1], points[1]);
        debug_lines_color(lines, 255, 0, 255);
        debug_lines_add(lines, points[0], points[1]);
        if (world_joint_uses_axes(joint)) {
            add_axes(lines, &joint->sides[0], points[0]);
        }
    }
}

// --- all together ---

const struct feature feature_joints = {
    .lists = saved_joint_lists,
    .write = write,
    .read = read,
    .write_state = write_state,
    .read_state = read_state,
    .forget = forget,
    .body_destroyed = body_destroyed,
    .check_scheme = check_scheme,
    .prepare = prepare,
    .begin = begin,
    .commit = commit,
    .debug_flag = PBS_DEBUG_JOINTS,
    .draw = draw,
};
