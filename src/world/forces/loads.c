// See loads.h.
#include "world/forces/loads.h"

#include <string.h>

#include "base/lanes/vector.h"
#include "base/matrix3/eigen3.h"
#include "base/matrix3/math3.h"
#include "world/features/feature.h"
#include "world/interface/check.h"
#include "world/particles/bonded.h"

static bool has_torque(const struct body *body) {
    return norm3(body->torque) > 0.0 || norm3(body->torque_once) > 0.0;
}

// --- the forces of a torque ---

/// The state in which a torque is distributed: x + h/2 v.
struct expected {
    const struct nodes *nodes;
    const double *x, *v;
    double ahead; ///< s
};

static void expect(const struct expected *at, size_t node, double out[3]) {
    add_scaled3(at->x + 3 * node, at->ahead, at->v + 3 * node, out);
}

static void find_center(const struct expected *at, const struct body *body, double center[3]) {
    const struct nodes *nodes = at->nodes;
    double mass = 0.0;
    center[0] = center[1] = center[2] = 0.0;
    for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
        if (nodes->kind[i] == NODE_POSITION) {
            double x[3];
            expect(at, i, x);
            add_scaled3(center, nodes->mass[i], x, center);
            mass += nodes->mass[i];
        }
    }
    scale3(1.0 / mass, center, center);
}

/// The arm r with which a node turns: it moves by w x r. A handle is its own arm. Not for rotation
/// nodes.
static void find_arm(const struct expected *at, const double center[3], size_t node,
                     double arm[3]) {
    expect(at, node, arm);
    if (at->nodes->kind[node] == NODE_POSITION) {
        subtract3(arm, center, arm);
    }
}

/// m: a rotation node is this times an angle.
static double radius_of(const struct body *body, size_t node) {
    return bonded_radius_of_gyration(
        body->bonded.radii[node - body->node_start - body->vertex_count]);
}

/// Adds sum m (|r|^2 1 - r r^T), row-major; of rotation nodes sum m radius^2 1.
static void add_inertia(const struct expected *at, const struct body *body, const double center[3],
                        double inertia[9]) {
    for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
        const double m = at->nodes->mass[i];
        double arm[3] = {0.0, 0.0, 0.0}, square;
        if (at->nodes->kind[i] == NODE_ROTATION) {
            square = radius_of(body, i) * radius_of(body, i);
        } else {
            find_arm(at, center, i, arm);
            square = dot3(arm, arm);
        }
        for (int k = 0; k < 9; k++) {
            inertia[k] += m * ((k % 4 == 0 ? square : 0.0) - arm[k / 3] * arm[k % 3]);
        }
    }
}

/// out = inertia^-1 torque, without the axes about which nothing has inertia.
static void accelerate(const double inertia[9], const double torque[3], double out[3]) {
    static const double LEAST_INERTIA = 1e-12; // of the largest: rounding of a line of nodes
    double moments[3], axes[9];
    eigen3(inertia, moments, axes);
    out[0] = out[1] = out[2] = 0.0;
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {axes[k], axes[3 + k], axes[6 + k]};
        if (moments[k] > LEAST_INERTIA * moments[2]) {
            add_scaled3(out, dot3(axis, torque) / moments[k], axis, out);
        }
    }
}

/// Adds the forces m a of the angular acceleration that the torque gives a rigid body of the same
/// masses. They strain nothing, as inertia resists where they act.
static void add_torque(const struct expected *at, const struct body *body, const double torque[3],
                       double *force) {
    double center[3], inertia[9] = {0.0}, acceleration[3];
    find_center(at, body, center);
    add_inertia(at, body, center, inertia);
    accelerate(inertia, torque, acceleration);
    for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
        const double m = at->nodes->mass[i];
        if (at->nodes->kind[i] == NODE_ROTATION) {
            add_scaled3(force + 3 * i, m * radius_of(body, i), acceleration, force + 3 * i);
            continue;
        }
        double arm[3], a[3];
        find_arm(at, center, i, arm);
        cross3(acceleration, arm, a);
        add_scaled3(force + 3 * i, m, a, force + 3 * i);
    }
}

// --- the loads of a run ---

static void place(pbs_world *w, const double *x, const double *v, double ahead) {
    const struct nodes *nodes = &w->scene.nodes;
    const struct expected at = {nodes, x, v, ahead};
    double *const force = w->topology.step_loads;
    vector_combine(w->tasks, 3 * nodes->count, nodes->force, 1.0, nodes->force_once, force);
    for (size_t b = 0; b < w->scene.bodies.count; b++) {
        const struct body *body = scene_body(&w->scene, b);
        if (has_torque(body)) {
            double torque[3];
            add3(body->torque, body->torque_once, torque);
            add_torque(&at, body, torque, force);
        }
    }
}

static bool turns(const struct scene *scene) {
    bool any = false;
    for (size_t b = 0; b < scene->bodies.count; b++) {
        any = any || has_torque(scene_body(scene, b));
    }
    return any;
}

static bool has_once(const struct scene *scene) {
    bool any = false;
    for (size_t b = 0; b < scene->bodies.count; b++) {
        any = any || scene_body(scene, b)->has_forces_once;
    }
    return any;
}

static pbs_status prepare(pbs_world *w) {
    struct topology *t = &w->topology;
    if (!has_once(&w->scene) && !turns(&w->scene)) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(memory_reserve(&w->memory, &t->step_loads, &t->step_load_capacity,
                                    3 * w->scene.nodes.count, sizeof *t->step_loads));
    t->has_step_loads = true;
    t->model.loads.force = t->step_loads;
    t->model.loads.any = true;
    place(w, w->scene.nodes.x, w->scene.nodes.v, 0.0);
    return PBS_OK;
}

void loads_place(pbs_world *w, const struct scheme_table *scheme, double h) {
    struct step_workspace *workspace = &w->topology.workspace;
    if (!w->topology.has_step_loads || !turns(&w->scene)) {
        return;
    }
    place(w, workspace->now.x, workspace->now.v, 0.5 * h);
    if (!scheme->kicks) {
        // The acceleration that is kept is that of the last step's forces. The mean of both would
        // act half a step late.
        workspace->memory.has_acceleration = false;
    }
}

/// Energy control has counted the potential of forces that are gone now.
static void withdraw(pbs_world *w, const struct scheme_table *scheme,
                     struct energy_report *report) {
    const struct nodes *nodes = &w->scene.nodes;
    struct step_workspace *workspace = &w->topology.workspace;
    double *const gone = w->topology.step_loads;
    if (scene_account_count(&w->scene) == 0) {
        return;
    }
    vector_combine(w->tasks, 3 * nodes->count, gone, -1.0, nodes->force, gone);
    const struct energy_withdrawal withdrawal = {.force = gone,
                                                 .reference = nodes->initial,
                                                 .x = workspace->now.x,
                                                 .v = workspace->now.v,
                                                 .node_count = nodes->count,
                                                 .free_fall_defect = scheme->free_fall_defect};
    energy_withdraw(&workspace->energy, &withdrawal, report);
}

static void clear_once(struct scene *scene, struct body *body) {
    const size_t bytes = 3 * body->node_count * sizeof(double);
    memset(scene->nodes.force_once + 3 * body->node_start, 0, bytes);
    memset(body->torque_once, 0, sizeof body->torque_once);
    body->has_forces_once = false;
}

void loads_land(pbs_world *w, const struct scheme_table *scheme, struct energy_report *report) {
    if (!w->topology.has_step_loads) {
        return;
    }
    withdraw(w, scheme, report);
    for (size_t b = 0; b < w->scene.bodies.count; b++) {
        struct body *body = scene_body(&w->scene, b);
        if (body->has_forces_once) {
            clear_once(&w->scene, body);
            w->topology.workspace.memory.has_acceleration = false;
        }
    }
}

/// The term of dead loads reads the nodes' own forces again.
static void reload(pbs_world *w) {
    struct topology *t = &w->topology;
    t->has_step_loads = false;
    t->model.loads.force = w->scene.nodes.force;
    t->model.loads.any = nodes_are_loaded(&w->scene.nodes);
}

static const struct field FIELDS[] = {
    FIELD_VALUES(struct body, torque, FIELD_ANY),
    FIELD_VALUES(struct body, torque_once, FIELD_ANY),
    FIELD_VALUE(struct body, has_forces_once, FIELD_ANY),
};
static const struct field_list fields = FIELD_LIST(struct body, FIELDS);

static pbs_status check_restored(const struct body *body) {
    RETURN_IF_FAILED(check_vector(body->torque, "torque"));
    return check_vector(body->torque_once, "torque");
}

const struct feature feature_loads = {.body_state = &fields,
                                      .check_body_state = check_restored,
                                      .prepare = prepare,
                                      .reload = reload};
