// The contact_table of barrier contact, through which steps and the minimiser use it.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "contact/barrier/contact_pair.h"
#include "contact/barrier/barrier_report.h"
#include "contact/barrier/lagged_friction.h"
#include "contact/barrier/rolling_resistance.h"

static void begin_step(void *self) {
    barrier_contact_begin_step(self);
}

static pbs_status lag_friction(void *self, struct tasks *tasks, const double *x, bool is_start,
                               size_t *count) {
    const struct barrier_contact *c = self;
    RETURN_IF_FAILED(barrier_contact_lag_friction(self, tasks, x, is_start));
    *count += c->friction_count + c->rolling_count;
    return PBS_OK;
}

static void restore_friction(void *self) {
    barrier_contact_restore_friction(self);
}

static void begin_motion(void *self, const struct obstacle *now, const struct obstacle *target) {
    barrier_contact_begin_motion(self, now, target);
}

static void begin_stage(void *self, const double *origin, double length) {
    barrier_contact_begin_stage(self, origin, length);
}

static pbs_status evaluate(void *self, struct tasks *tasks, const double *x, bool with_friction,
                           double *gradient, struct contact_energy *out) {
    return barrier_contact_evaluate(self, tasks, x, with_friction, gradient, out);
}

/// The Hessian of barriers is always made semidefinite, whatever the options say.
static pbs_status linearize(void *self, struct tasks *tasks,
                            const struct contact_linearization *options, const double *x,
                            const struct contact_blocks **blocks) {
    struct barrier_contact *c = self;
    *blocks = &c->blocks;
    c->is_flat = options->flat;
    return barrier_contact_linearize(c, tasks, options->layout, options->constrained_axes, x,
                                     options->with_friction);
}

static void add_motion(void *self, struct tasks *tasks, const double *motion, double *gradient) {
    barrier_contact_add_motion(self, tasks, motion, gradient);
}

static void follow(void *self, const double *direction) {
    barrier_contact_follow(self, direction);
}

static bool is_settled(const void *self) {
    return barrier_contact_is_settled(self);
}

static pbs_status bound(void *self, struct tasks *tasks, const double *x, const double *direction,
                        double limit, double *step) {
    return barrier_contact_sweep(self, tasks, x, direction, limit, step);
}

static double reach(const void *self) {
    const struct barrier_contact *c = self;
    return barrier_contact_least_reach(c);
}

static bool has_motion(const void *self) {
    return barrier_contact_has_motion(self);
}

static void advance_motion(void *self, double step) {
    barrier_contact_advance_motion(self, step);
}

static void halt_motion(void *self, bool halted) {
    barrier_contact_halt_motion(self, halted);
}

static void leave_gaps(void *self, double fraction) {
    barrier_contact_leave_gaps(self, fraction);
}

// --- at a stage's solution ---

static pbs_status report(void *self, struct tasks *tasks, const struct contact_stage *stage) {
    struct contact_energy energy;
    RETURN_IF_FAILED(barrier_contact_evaluate(self, tasks, stage->x, false, NULL, &energy));
    return barrier_report_add(self, stage);
}

static size_t count(const void *self) {
    const struct barrier_contact *c = self;
    return c->contact_count;
}

static const struct collision_mesh *mesh_of(const void *self) {
    const struct barrier_contact *c = self;
    return &c->mesh;
}

static void geometry(const void *self, const struct contact_report *r,
                     const struct contact_record *record, const double *x,
                     struct contact_geometry *out) {
    (void)r;
    (void)x;
    barrier_report_geometry(self, record, out);
}

static double friction_power(void *self, struct tasks *tasks, const double *x, double length) {
    return barrier_contact_friction_power(self, tasks, x, length);
}

static void end_step(const void *self, const struct contact_report *r, double *node_forces) {
    const struct barrier_contact *c = self;
    contact_report_add_node_forces(&c->mesh, r, node_forces);
}

// --- power ---

/// Returns a contact_power with the nodes of both sides and zeros.
static struct contact_power contact_power_between(const struct barrier_contact *c, uint32_t wall,
                                                  enum pair_kind kind, const uint32_t *points) {
    struct contact_power power = {.potential = 0.0};
    barrier_contact_nodes(c, wall, kind, points, power.nodes);
    return power;
}

static double velocity_met(const struct contact_motion *motion, size_t at) {
    return motion->v_now != NULL ? 0.5 * (motion->v_now[at] + motion->v[at]) : motion->v[at];
}

/// Returns the power that friction extracts from the nodes it acts on, W.
static double power_from_nodes(const struct barrier_contact *c,
                               const struct lagged_friction *friction,
                               const struct contact_motion *motion, const double force[3]) {
    const struct collision_mesh *const mesh = &c->mesh;
    double power = 0.0;
    for (int k = 0; k < friction->point_count; k++) {
        uint32_t nodes[4];
        double weights[4];
        const uint32_t point = friction->points[k];
        const int node_count = mesh->kind[point] == POINT_OBSTACLE
                                   ? 0
                                   : collision_mesh_nodes(mesh, point, nodes, weights);
        for (int n = 0; n < node_count; n++) {
            for (size_t axis = 0; axis < 3; axis++) {
                power -= friction->weight[k] * weights[n] * force[axis] *
                         velocity_met(motion, 3 * (size_t)nodes[n] + axis);
            }
        }
    }
    for (int side = 0; side < 2; side++) {
        if (friction->rotation[side] != COLLISION_NO_ROTATION) {
            const size_t node = mesh->rotation_node[friction->rotation[side]];
            double moment[3];
            cross3(friction->lever[side], force, moment);
            for (size_t axis = 0; axis < 3; axis++) {
                power -= moment[axis] * velocity_met(motion, 3 * node + axis);
            }
        }
    }
    return power;
}

/// Returns the rate of a row at the velocity that velocity_met gives.
static double rate_met(const struct barrier_contact *c, const struct lagged_rolling *rolling,
                       int row, const struct contact_motion *motion) {
    const double rate = rolling_resistance_rate(c, rolling, row, motion->v);
    return motion->v_now != NULL
               ? 0.5 * (rate + rolling_resistance_rate(c, rolling, row, motion->v_now))
               : rate;
}

/// Visits frictions. The dissipation is the power supplied by obstacles plus the power extracted
/// from nodes.
static void visit_friction(const struct barrier_contact *c, const struct contact_motion *motion,
                           const struct contact_visitor *visitor) {
    for (size_t i = 0; i < c->friction_count; i++) {
        const struct lagged_friction *f = &c->frictions[i];
        struct contact_power power = contact_power_between(c, f->wall, f->kind, f->points);
        double force[3];
        lagged_friction_force(c, f, force);
        power.obstacle_power = lagged_friction_obstacle_power(c, f, force);
        power.dissipation = power_from_nodes(c, f, motion, force) + power.obstacle_power;
        visitor->visit(visitor->context, &power);
    }
}

/// Visits rolling and spinning resistance, as visit_friction does.
static void visit_rolling(const struct barrier_contact *c, const struct contact_motion *motion,
                          const struct contact_visitor *visitor) {
    for (size_t i = 0; i < c->rolling_count; i++) {
        const struct lagged_rolling *r = &c->rollings[i];
        struct contact_power power = contact_power_between(c, r->wall, r->kind, r->points);
        struct rolling_load load;
        double nodal_power = 0.0;
        rolling_resistance_load(c, r, &load);
        for (int row = 0; row < LAGGED_ROLLING_ROWS; row++) {
            nodal_power -= load.along[row] * rate_met(c, r, row, motion);
        }
        power.obstacle_power = load.obstacle_power;
        power.dissipation = nodal_power + load.obstacle_power;
        visitor->visit(visitor->context, &power);
    }
}

static void visit(const void *self, const struct contact_motion *motion,
                  const struct contact_visitor *visitor) {
    const struct barrier_contact *c = self;
    for (size_t i = 0; i < c->contact_count; i++) {
        const struct active_contact *active = &c->contacts[i];
        struct contact_power power = contact_power_between(c, active->wall, active->kind,
                                                           active->points);
        power.potential = barrier_contact_energy(active);
        power.obstacle_power = motion != NULL ? barrier_contact_obstacle_power(c, active) : 0.0;
        visitor->visit(visitor->context, &power);
    }
    if (motion != NULL) {
        visit_friction(c, motion, visitor);
        visit_rolling(c, motion, visitor);
    }
}

// --- when bonds break ---

static double release(void *self, const struct contact_bond *bond, double distance) {
    struct barrier_contact *c = self;
    const uint32_t first = c->mesh.parts[bond->part].first_point;
    barrier_contact_forget_pairs(c);
    return collision_mesh_release_exclusion(&c->mesh, first + bond->end[0], first + bond->end[1],
                                            distance);
}

static void hold(void *self, const struct contact_bond *bond, double before) {
    struct barrier_contact *c = self;
    const uint32_t first = c->mesh.parts[bond->part].first_point;
    barrier_contact_forget_pairs(c);
    collision_mesh_restore_exclusion(&c->mesh, first + bond->end[0], first + bond->end[1], before);
}

// --- after a failure ---

/// Finds no pair if memory for the search runs out.
static void find_failed_pair(void *self, struct tasks *tasks, const double *x,
                             const struct contact_pair_query *query, struct contact_pair *out) {
    if (barrier_contact_find(self, tasks, x) >= 0) {
        *out = query->is_blocked ? contact_pair_at_prescribed(self, query->constrained_axes)
                                 : contact_pair_at_node(self, query->node, query->parts);
    }
}

const struct contact_table barrier_contact_table = {
    .name = "barrier",
    .begin_step = begin_step,
    .lag_friction = lag_friction,
    .restore_friction = restore_friction,
    .begin_motion = begin_motion,
    .begin_stage = begin_stage,
    .evaluate = evaluate,
    .linearize = linearize,
    .add_motion = add_motion,
    .follow = follow,
    .is_settled = is_settled,
    .bound = bound,
    .reach = reach,
    .has_motion = has_motion,
    .advance_motion = advance_motion,
    .halt_motion = halt_motion,
    .leave_gaps = leave_gaps,
    .report = report,
    .count = count,
    .mesh = mesh_of,
    .geometry = geometry,
    .friction_power = friction_power,
    .visit = visit,
    .end_step = end_step,
    .release = release,
    .hold = hold,
    .find_failed_pair = find_failed_pair,
};
