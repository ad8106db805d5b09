// A host changes values of a body's description. They are checked, written into the body, and from
// there into the terms that were made of it, so that nothing is built anew.
// SPDX-License-Identifier: MIT
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/interface/check.h"
#include "world/model/joint_scene.h"
#include "world/objects/body_table.h"
#include "world/joints/joint.h"
#include "world/world.h"

// --- which one ---

static bool find(struct body *body, struct nodes *nodes, int32_t id, struct body_parameter *out) {
    return body->table->find_parameter != NULL && body->table->find_parameter(body, nodes, id, out);
}

/// PBS_ERROR_ARGUMENT where the body has it not.
static pbs_status enter(struct scene *scene, struct body *body, int32_t id, const double *values,
                        struct body_parameter *out) {
    RETURN_IF_FAILED(
        check_choice(id, PBS_PARAMETER_DAMPING, PBS_PARAMETER_STRETCH_LIMIT, "parameter"));
    RETURN_IF_FAILED(check_pointer(values, "values"));
    if (!find(body, &scene->nodes, id, out) || (out->value == NULL && out->values == NULL)) {
        (void)status_fail(PBS_ERROR_ARGUMENT,
                          "the body has no parameter %d: bodies of another kind have it", (int)id);
        return PBS_ERROR_ARGUMENT;
    }
    return PBS_OK;
}

// --- what it may be ---

struct limits {
    double low, high;
    bool includes_low, includes_high;
    const char *words;
};

static const struct limits limits_of[] = {
    [RANGE_POSITIVE] = {0.0, VALUE_LIMIT, false, true, "positive and finite, at most 1e30"},
    [RANGE_NORMAL] = {DBL_MIN, VALUE_LIMIT, true, true, "positive and finite, at most 1e30"},
    [RANGE_NOT_NEGATIVE] = {0.0, VALUE_LIMIT, true, true,
                            "zero or positive, and finite, at most 1e30"},
    [RANGE_POISSON] = {-1.0, 0.5, false, false, "above -1 and below 0.5"},
    [RANGE_POISSON_FROM_0] = {0.0, 0.5, true, false,
                              "0 or more, and below 0.5: the energy of this material would have "
                              "no lower bound otherwise"},
    [RANGE_POISSON_SHELL] = {0.0, 0.5, true, true, "0 to 0.5"},
    [RANGE_STRETCH_LIMIT] = {1.0, VALUE_LIMIT, false, true,
                             "0 for none, or above 1 and finite, at most 1e30"},
};

static pbs_status check_values(const struct body_parameter *parameter, const double *values,
                               size_t count) {
    const struct limits *limits = &limits_of[parameter->range];
    for (size_t i = 0; i < count; i++) {
        const double value = values[i];
        const bool is_above = value > limits->low || (limits->includes_low && value == limits->low);
        const bool is_below = value < limits->high ||
                              (limits->includes_high && value == limits->high);
        const bool is_none = parameter->range == RANGE_STRETCH_LIMIT && value == 0.0;
        if (!is_none && (!is_above || !is_below)) {
            return status_fail(PBS_ERROR_ARGUMENT, "%s: values[%zu] is %g, must be %s",
                               parameter->name, i, value, limits->words);
        }
    }
    return PBS_OK;
}

// --- into the body ---

/// The values of a body before a change, to undo it.
struct former {
    double value;
    double *values; ///< count, in scratch; null: the body had no array
    double *made;   ///< an array that the change has allocated for the body; null: none
};

/// Room for former values and for what measuring wants.
static pbs_status reserve_scratch(pbs_world *w, const struct body *body,
                                  const struct body_parameter *parameter) {
    const size_t count = parameter->count + body->node_count;
    return memory_reserve(&w->memory, &w->scratch, &w->scratch_capacity, count, sizeof *w->scratch);
}

static void remember(const struct body_parameter *parameter, double *scratch,
                     struct former *former) {
    *former = (struct former){.value = parameter->value != NULL ? *parameter->value : 0.0};
    if (parameter->values != NULL) {
        former->values = scratch;
        memcpy(scratch, parameter->values, parameter->count * sizeof *scratch);
    }
}

static pbs_status make_array(struct memory *memory, struct body_parameter *parameter,
                             struct former *former) {
    former->made = memory_allocate(memory, parameter->count, sizeof(double));
    if (former->made == NULL) {
        return PBS_ERROR_MEMORY;
    }
    parameter->values = *parameter->made = former->made;
    return PBS_OK;
}

static void assign(const struct body_parameter *parameter, const double *values, size_t count) {
    for (size_t i = 0; i < parameter->count && parameter->values != NULL; i++) {
        parameter->values[i] = values[count == 1 ? 0 : i];
    }
    if (parameter->value != NULL && count == 1) {
        *parameter->value = values[0];
    }
}

static void put_back(struct memory *memory, const struct body_parameter *parameter,
                     const struct former *former) {
    if (parameter->value != NULL) {
        *parameter->value = former->value;
    }
    if (former->values != NULL) {
        memcpy(parameter->values, former->values, parameter->count * sizeof *former->values);
    }
    if (former->made != NULL) {
        *parameter->made = NULL;
        memory_release(memory, former->made);
    }
}

static pbs_status measure(pbs_world *w, struct body *body, const struct body_parameter *parameter) {
    return body->table->measure != NULL
               ? body->table->measure(body, &w->scene.nodes, w->scratch + parameter->count)
               : PBS_OK;
}

/// Where the host lowers a limit, the body may be beyond it.
static pbs_status measure_and_check(pbs_world *w, struct body *body,
                                    const struct body_parameter *parameter) {
    const double *x = w->scene.nodes.x + 3 * body->node_start;
    RETURN_IF_FAILED(measure(w, body, parameter));
    return parameter->range == RANGE_STRETCH_LIMIT ? body->table->check_positions(body, x) : PBS_OK;
}

/// Nothing else of a body follows from these.
static bool is_damping(int32_t id) {
    return id == PBS_PARAMETER_DAMPING || id == PBS_PARAMETER_DRAG;
}

static pbs_status change(pbs_world *w, struct body *body, int32_t id,
                         struct body_parameter *parameter, const double *values, size_t count) {
    struct former former;
    if (is_damping(id)) {
        assign(parameter, values, count);
        return PBS_OK;
    }
    RETURN_IF_FAILED(reserve_scratch(w, body, parameter));
    remember(parameter, w->scratch, &former);
    if (count > 1 && parameter->values == NULL) {
        RETURN_IF_FAILED(make_array(&w->memory, parameter, &former));
    }
    assign(parameter, values, count);
    const pbs_status status = measure_and_check(w, body, parameter);
    if (status < 0) {
        put_back(&w->memory, parameter, &former);
        (void)measure(w, body, parameter);
    }
    return status;
}

// --- into what was built ---

/// Terms of damping, drag and limits have no elements of bodies without.
static bool changes_elements(int32_t id, double before, double now) {
    return (is_damping(id) || id == PBS_PARAMETER_STRETCH_LIMIT) && (before > 0.0) != (now > 0.0);
}

static bool changes_mass(int32_t id) {
    return id == PBS_PARAMETER_DENSITY || id == PBS_PARAMETER_MASS || id == PBS_PARAMETER_THICKNESS;
}

/// Penalties are as stiff as what touches; distances of contact follow the longest spring.
static bool changes_contact(const struct scene *scene, int32_t id) {
    const bool is_stiffness = id == PBS_PARAMETER_YOUNG || id == PBS_PARAMETER_STIFFNESS;
    return id == PBS_PARAMETER_REST_LENGTH ||
           (is_stiffness && scene->settings.contact == PBS_CONTACT_PROJECTION);
}

/// Arms of joints follow the extents of bodies, and these the longest spring.
static void measure_joints(pbs_world *w, const struct body *body) {
    for (size_t i = 0; i < w->scene.joints.count && body->joint_count > 0; i++) {
        struct world_joint *joint = scene_joint(&w->scene, i);
        if (world_joint_has(joint, body)) {
            world_joint_measure(joint);
            w->solver.joints_are_current = false;
        }
    }
}

static void follow(pbs_world *w, struct body *body, int32_t id) {
    struct scene *scene = &w->scene;
    (void)world_follow_forces(w, body, 0.0);
    if (w->solver.is_current) {
        model_write_values(&w->solver.model, &scene->nodes, body);
        joint_scene_write_stiffness(&w->solver, scene, body);
    }
    if (id == PBS_PARAMETER_REST_LENGTH) {
        measure_joints(w, body);
    }
    if (changes_contact(scene, id)) {
        w->solver.contact_is_current = false;
    }
    scene->history.memory.has_acceleration = false;
    scene->history.memory.stable_step = 0.0;
    if (changes_mass(id)) {
        scene->free_reference = 0.0;
        scene_forget_body(scene, body);
    }
}

// --- calls ---

pbs_status pbs_body_set_parameter(pbs_world *w, pbs_body b, int32_t parameter, const double *values,
                                  size_t count) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    struct body_parameter own = {0};
    RETURN_IF_FAILED(enter(&w->scene, body, parameter, values, &own));
    if (count != 1 && count != own.count) {
        return status_fail(PBS_ERROR_ARGUMENT, "count is %zu, must be 1 or %zu", count, own.count);
    }
    RETURN_IF_FAILED(check_values(&own, values, count));
    const double before = parameter_at(&own, 0);
    RETURN_IF_FAILED(change(w, body, parameter, &own, values, count));
    if (changes_elements(parameter, before, values[0])) {
        w->solver.is_current = false;
    }
    follow(w, body, parameter);
    return PBS_OK;
}

pbs_status pbs_body_parameter(const pbs_world *w, pbs_body b, int32_t parameter, double *values,
                              size_t capacity) {
    pbs_status status = PBS_OK;
    struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    // No world is constant: they all come from pbs_world_create. Nothing is changed here.
    pbs_world *const own_world = (pbs_world *)w;
    struct body_parameter own = {0};
    RETURN_IF_FAILED(enter(&own_world->scene, body, parameter, values, &own));
    if (capacity < own.count) {
        return status_fail(PBS_ERROR_CAPACITY, "capacity is %zu numbers, but there are %zu",
                           capacity, own.count);
    }
    for (size_t i = 0; i < own.count; i++) {
        values[i] = parameter_in_use(&own, i);
    }
    return PBS_OK;
}

size_t pbs_body_parameter_count(const pbs_world *w, pbs_body b, int32_t parameter) {
    struct body *body = world_body(w, b);
    pbs_world *const own_world = (pbs_world *)w;
    struct body_parameter own = {0};
    return body != NULL && find(body, &own_world->scene.nodes, parameter, &own) ? own.count : 0;
}
