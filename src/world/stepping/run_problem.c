// See run_problem.h.
// SPDX-License-Identifier: MIT
#include "world/stepping/run_problem.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/contact_scenes/contact_scale.h"
#include "world/model/joint_scene.h"
#include "world/objects/motion.h"
#include "world/stepping/contact_run.h"

// Before any iteration the residual of a body may be this fraction of the force that acts on it.
// What is left without an iteration is left in the same direction in every step: at 1e-3 of the
// force damped two-step schemes gain energy, at 1e-5 they do not. One iteration leaves a thousandth
// of what there was, and may leave SOLVED_SHARE: with 1e-3 a slender bonded beam that TR-BDF2 lets
// vibrate gains. Control of the energy takes that back.
static const double FIRST_SHARE = 1e-6;
static const double SOLVED_SHARE = 1e-4;
static const double SOLVED_SHARE_WITH_CONTROL = 1e-3;

// --- prescribed motion ---

/// A rotation is prescribed about a fixed axis. Its target in the current chart, which began at the
/// fraction rotations.begin of the step, is the rest of the rotation.
static void set_rotation_target(const struct run *run, size_t node, double fraction) {
    const double left = fraction - run->w->solver.model.rotations.begin;
    const double *target = run->w->scene.nodes.target + 3 * node;
    scale3(left, target, run->w->solver.prescribed_targets + 3 * node);
}

struct target_pass {
    const struct run *run;
    double fraction;
};

enum { TARGET_CHUNK = 2048 }; // nodes

static void set_chunk_targets(void *context, size_t index) {
    const struct target_pass *pass = context;
    const struct nodes *nodes = &pass->run->w->scene.nodes;
    const double fraction = pass->fraction;
    double *targets = pass->run->w->solver.prescribed_targets;
    const size_t end = (index + 1) * TARGET_CHUNK;
    for (size_t i = index * TARGET_CHUNK; i < end && i < nodes->count; i++) {
        if (nodes->kind[i] == NODE_ROTATION) {
            set_rotation_target(pass->run, i, fraction);
            continue;
        }
        for (size_t k = 3 * i; nodes->constrained_axes[i] != 0 && k < 3 * i + 3; k++) {
            targets[k] = fraction == 1.0
                             ? nodes->target[k]
                             : nodes->x[k] + fraction * (nodes->target[k] - nodes->x[k]);
        }
    }
}

static void set_prescribed_targets(void *self, double fraction) {
    const struct run *run = self;
    const pbs_world *w = run->w;
    struct target_pass pass = {run, fraction};
    tasks_for(w->tasks, (w->scene.nodes.count + TARGET_CHUNK - 1) / TARGET_CHUNK, set_chunk_targets,
              &pass);
    joint_scene_place(&w->solver, &w->scene, fraction, run->h);
}

static void set_contact_obstacles(void *self, double now, double target) {
    contact_run_set_obstacles(self, now, target);
}

static pbs_status set_obstacles(void *self, double fraction) {
    const struct run *run = self;
    pbs_world *w = run->w;
    struct solver *t = &w->solver;
    for (size_t i = 0; i < w->scene.colliders.count; i++) {
        motion_obstacle_at(scene_collider(&w->scene, i), fraction, run->h, &t->obstacles[i]);
    }
    const bool projected = contact_kind_of(&w->scene)->has_constraints;
    const struct projection_scene scene = {.obstacle_count = projected ? w->scene.colliders.count
                                                                       : 0,
                                           .obstacles = t->obstacles,
                                           .node_count = w->scene.nodes.count,
                                           .colliding = w->scene.nodes.colliding,
                                           .constrained_axes = w->scene.nodes.constrained_axes,
                                           .targets = t->prescribed_targets,
                                           .scale = run->lengths.scale};
    return projection_begin(&w->memory, &scene, &t->projection);
}

// --- the problem ---

/// Whether some row acts or does not, as a limit, or changes its force at one point, as a motor.
static bool has_changing_rows(const struct joint_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        const struct joint *const joint = &set->joints[i];
        for (uint32_t r = 0; r < joint->row_count; r++) {
            const enum joint_use use = joint->rows[r].use;
            if (use == JOINT_AT_MOST || use == JOINT_LIMITED) {
                return true;
            }
        }
    }
    return false;
}

// The velocity tolerance of worlds with limits or motors and without barriers, as a share of that
// with barriers. Forces of motors and limits are right to about as much.
static const double OF_JOINTS = 0.01;

static double velocity_tolerance(const struct run *run) {
    const struct scene *scene = &run->w->scene;
    const struct contact_run *contact = contact_run_of(scene);
    if (contact->velocity_tolerance != NULL) {
        return contact->velocity_tolerance(run->w);
    }
    // Without this a motor that presses against its own limit goes on until rounding.
    if (has_changing_rows(&run->w->solver.joints)) {
        const struct contact_scale scale = contact_scale_of(scene);
        const bool is_automatic = scene->settings.velocity_tolerance < 0.0;
        return (is_automatic ? OF_JOINTS : 1.0) * contact_scale_velocity_tolerance(scene, &scale);
    }
    return fmax(0.0, scene->settings.velocity_tolerance);
}

static struct newton_options newton_options(struct run *run, double reference) {
    const pbs_world_desc *s = &run->w->scene.settings;
    const pbs_expert_desc *expert = &run->w->scene.expert;
    return (struct newton_options){
        .method = expert->method,
        .line_search = expert->line_search,
        .initial_guess = expert->initial_guess,
        .aligns = expert->alignment == PBS_ALIGNMENT_FREE_BODIES,
        .newton_limit = s->newton_limit,
        .iterations_left = s->call_limit > 0 ? &run->iterations_left : NULL,
        .linear_limit = expert->linear_limit,
        .tolerance = s->tolerance,
        .relative_tolerance = s->relative_tolerance,
        .first_share = fmin(FIRST_SHARE, s->relative_tolerance),
        .solved_share = run->problem.scheme->control == CONTROL_NONE ? SOLVED_SHARE
                                                                     : SOLVED_SHARE_WITH_CONTROL,
        .nominal_force = run->w->solver.nominal_force,
        .host_force = run->w->solver.host_force,
        .least_residual = s->tolerance > 0.0 ? s->tolerance : s->relative_tolerance * reference,
        .velocity_tolerance = velocity_tolerance(run),
        .velocity_rule = expert->velocity_rule,
        .forcing = expert->forcing > 0.0 ? expert->forcing : 1.0 / sqrt(reference),
        .step_length_limit = expert->step_length_limit > 0.0 ? expert->step_length_limit
                                                             : 1e3 * run->lengths.diagonal,
    };
}

static double least_mass(const struct nodes *nodes) {
    double least = INFINITY;
    for (size_t i = 0; i < nodes->count; i++) {
        least = fmin(least, nodes->mass[i]);
    }
    return least;
}

static struct energy_settings energy_settings(const pbs_energy_control *c) {
    return (struct energy_settings){.choice = c->alpha_choice,
                                    .alpha = c->alpha,
                                    .alpha_min = c->alpha_min,
                                    .alpha_max = c->alpha_max,
                                    .fraction = c->fraction,
                                    .ground = c->ground,
                                    .decay_time = c->decay_time};
}

/// Positive semidefinite Hessians cost no iterations when solids are in contact, and halve the
/// iterations when shells and solids are.
static bool projects_all(const struct scene *scene) {
    const int32_t choice = scene->expert.project_hessian;
    return choice == PBS_HESSIAN_SEMIDEFINITE ||
           (choice == PBS_HESSIAN_AUTOMATIC && contact_kind_of(scene)->semidefinite &&
            scene->integrator.settings.linearized == 0);
}

/// Cloth has many compressed triangles and bent hinges. With their exact Hessians most linear
/// systems are indefinite, and twice as many Newton iterations are needed.
static bool projects_shells(const struct scene *scene) {
    return scene->expert.project_hessian == PBS_HESSIAN_AUTOMATIC &&
           scene->expert.method != PBS_METHOD_PLAIN_NEWTON &&
           scene->integrator.settings.linearized == 0;
}

static bool projects_on_demand(const struct scene *scene) {
    return scene->expert.project_hessian == PBS_HESSIAN_AUTOMATIC &&
           scene->expert.method != PBS_METHOD_PLAIN_NEWTON &&
           scene->integrator.settings.linearized == 0;
}

static double least_stiffness(const struct scene *scene) {
    double least = INFINITY;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const double own = scene_body(scene, i)->least_stiffness;
        least = own > 0.0 ? fmin(least, own) : least;
    }
    return isfinite(least) ? least : 0.0;
}

pbs_status run_fill_problem(struct run *run) {
    pbs_world *w = run->w;
    struct solver *t = &w->solver;
    run->lengths = reference_lengths(&w->scene);
    struct step_problem *p = &run->problem;
    *p = (struct step_problem){
        .scheme = w->scene.integrator.scheme,
        .parameters = w->scene.integrator.settings.parameters,
        .start = w->scene.integrator.settings.start,
        .linearized = w->scene.integrator.settings.linearized != 0,
        .linear_accuracy = run->linear_accuracy,
        .least_mass = run->linear_accuracy > 0.0 ? least_mass(&w->scene.nodes) : 0.0,
        .energy = energy_settings(&w->scene.integrator.settings.energy_control),
        .extent = run->lengths.diagonal,
        .friction_iterations = w->scene.settings.friction_iterations,
        .objective = {.tasks = w->tasks,
                      .assembly = &t->model.assembly,
                      .terms = t->model.terms,
                      .term_count = t->model.term_count,
                      .mass = w->scene.nodes.mass,
                      .contacts = t->contacts,
                      .constraints = constraint_set_is_empty(&t->constraints) ? NULL
                                                                              : &t->constraints,
                      .coupling = &t->coupling,
                      .rest_shapes = t->model.rest_shapes,
                      .rest_shape_count = t->model.rest_shape_count,
                      .node_parts = t->node_parts,
                      .constrained_axes = w->scene.nodes.constrained_axes,
                      .project_hessian = projects_all(&w->scene),
                      .project_shells = projects_shells(&w->scene),
                      // Exact Hessians of bonds are indefinite under large shear; otherwise they
                      // converge faster: docs/theory/bonds.md section 1.3.
                      .bonds_on_demand = projects_on_demand(&w->scene),
                      .least_stiffness = projects_on_demand(&w->scene) ? least_stiffness(&w->scene)
                                                                       : 0.0,
                      .scratch = &t->scratch},
        .conservative_count = t->model.conservative_count,
        .wind = t->model.features[FEATURE_WIND],
        .host_force = t->host_force,
        .bodies = t->model.free_bodies,
        .body_count = t->model.free_body_count,
        .gravity = w->scene.settings.gravity,
        .force = t->model.loads.force,
        .constraint_stiffness = t->constraint_stiffness,
        .damping = t->model.has_damping ? &t->rayleigh : NULL,
        .newton = t->newton,
        .projection = &t->projection,
        .memory = &w->memory,
        .report = &t->report,
        .scripts = {.set_prescribed_targets = set_prescribed_targets,
                    .set_obstacles = set_obstacles,
                    .set_contact_obstacles = set_contact_obstacles,
                    .self = run,
                    .constrained_axes = w->scene.nodes.constrained_axes,
                    .targets = t->prescribed_targets,
                    .velocity = t->prescribed_velocity},
    };
    double reference = 0.0;
    run->free_reference = w->scene.free_reference;
    run->first_step = run->control.max > 0.0 ? fmin(run->h, run->control.max) : run->h;
    RETURN_IF_FAILED(
        reference_force(w, &p->objective, run->first_step, &run->free_reference, &reference));
    reference_body_forces(&w->scene, t, t->nominal_force, t->host_force);
    p->options = newton_options(run, reference);
    if (p->scheme->is_static) {
        // Stiffness, compared with which the acting forces may be negligible, does not count.
        p->options.nominal_force = NULL;
        p->options.least_residual = p->options.tolerance;
        p->options.first_share = p->options.solved_share = p->options.relative_tolerance;
    }
    w->stats.newton.reference_force = reference;
    return PBS_OK;
}
