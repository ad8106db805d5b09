// A step of the world as a transaction: everything happens on copies in the workspace, and lands at
// the end or not at all. A part of the step that fails is halved, as often as the host allows.
#include <math.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "base/runtime/clock.h"
#include "base/matrix3/math3.h"
#include "base/lanes/vector.h"
#include "integrate/stepping/explicit.h"
#include "integrate/stepping/stable_step.h"
#include "world/bodies/affine_strain.h"
#include "world/particles/bonded.h"
#include "world/breaking/breaking.h"
#include "world/interface/check.h"
#include "world/readback/contact_readback.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/stepping/contact_run.h"
#include "world/stepping/failure.h"
#include "world/objects/motion.h"
#include "world/stepping/reference.h"
#include "world/stepping/run.h"

// Of divisions where the host leaves them to the library.
enum { ITERATIONS_BEFORE_DIVISION = 60 };
#define DIVISIONS_AUTOMATIC ((uint32_t)PBS_AUTOMATIC)

// Of the tolerance of other schemes: as small as a tolerance of statics may become where hardly any
// force acts.
static const double STATIC_SHARE = 1e-4;

// --- before ---

static void warn_of_untouchable(const pbs_world *w) {
    const uint32_t count = contact_kind_count_untouchable(&w->scene);
    const bool is_any = w->scene.colliders.count > 0 || contact_kind_of(&w->scene)->has_bodies;
    if (count > 0 && is_any) {
        world_log(
            w, PBS_LOG_WARNING,
            "%u bodies touch nothing: PBS_CONTACT_PROJECTION keeps vertices of solids, shells and "
            "springs out of colliders, but no affine bodies; PBS_CONTACT_PENALTY is for bonded "
            "and peridynamic ones; PBS_CONTACT_BARRIER keeps all apart",
            (unsigned)count);
    }
}

static pbs_status prepare_topology(pbs_world *w) {
    RETURN_IF_FAILED(world_check_callbacks(w));
    tasks_set_fusing(w->tasks, w->scene.settings.processor_independent == 0);
    struct topology *t = &w->topology;
    if (!t->is_current) {
        const pbs_linear_solver *solver = w->solver.solve != NULL ? &w->solver : NULL;
        RETURN_IF_FAILED(topology_build(t, &w->scene, solver, &w->memory));
        world_log(w, PBS_LOG_INFO,
                  "topology built: %zu bodies, %zu nodes, %zu elements, %zu blocks, %u domains",
                  w->scene.bodies.count, w->scene.nodes.count, t->model.element_count,
                  t->model.assembly.pattern.block_count,
                  (unsigned)t->model.assembly.layout.domain_count);
        warn_of_untouchable(w);
    }
    RETURN_IF_FAILED(scene_reserve_history(&w->scene, &w->memory));
    RETURN_IF_FAILED(memory_reserve(&w->memory, &w->broken.rows, &w->broken.capacity,
                                    t->breaks.capacity, sizeof *w->broken.rows));
    RETURN_IF_FAILED(memory_reserve(&w->memory, &t->obstacles_now, &t->obstacle_now_capacity,
                                    w->scene.colliders.count, sizeof *t->obstacles_now));
    RETURN_IF_FAILED(memory_reserve(&w->memory, &t->obstacles, &t->obstacle_capacity,
                                    w->scene.colliders.count, sizeof *t->obstacles));
    return run_contact_of(&w->scene)->prepare(w);
}

static uint32_t division_limit(const struct run *run) {
    const pbs_world_desc *settings = &run->w->scene.settings;
    if (settings->divisions != DIVISIONS_AUTOMATIC) {
        return settings->divisions;
    }
    // A host that takes what a limit leaves wants no more work than that.
    return run->w->scene.expert.allow_unconverged == 0 ? contact_kind_of(&run->w->scene)->divisions
                                                       : 0;
}

static void copy_array(struct tasks *tasks, size_t count, const double *source, double *out) {
    if (source != NULL && out != NULL) {
        vector_copy(tasks, count, source, out);
    }
}

static void copy_accounts(const struct energy_account *source, size_t count,
                          struct energy_account *out) {
    if (count > 0) {
        memcpy(out, source, count * sizeof *out);
    }
}

/// The scene's state and history into the workspace.
static void load_state(pbs_world *w, double h) {
    const struct nodes *nodes = &w->scene.nodes;
    const struct history *history = &w->scene.history;
    struct step_workspace *workspace = &w->topology.workspace;
    const size_t count = 3 * nodes->count;
    workspace->memory = history->memory;
    vector_copy(w->tasks, count, nodes->x, workspace->now.x);
    vector_copy(w->tasks, count, nodes->v, workspace->now.v);
    copy_array(w->tasks, count, history->acceleration, workspace->now.a);
    copy_array(w->tasks, count, history->x_before, workspace->before.x);
    copy_array(w->tasks, count, history->v_before, workspace->before.v);
    copy_accounts(history->accounts, history->account_count, workspace->energy.accounts);
    newton_set_solver_history(w->topology.newton, &w->scene.solver_memory);
    vector_combine(w->tasks, count, nodes->target, -1.0, nodes->x, w->topology.prescribed_velocity);
    vector_scale(w->tasks, count, 1.0 / h, w->topology.prescribed_velocity);
}

// --- scripts ---

/// A turn about a fixed axis: what of it is left in a chart that was laid on the way.
static void place_rotation(const struct run *run, size_t node, double fraction) {
    const double left = fraction - run->w->topology.model.rotations.begin;
    const double *target = run->w->scene.nodes.target + 3 * node;
    scale3(left, target, run->w->topology.held_targets + 3 * node);
}

struct placing {
    const struct run *run;
    double fraction;
};

enum { PLACED_AT_ONCE = 2048 }; // nodes

static void place_some(void *context, size_t index) {
    const struct placing *placing = context;
    const struct nodes *nodes = &placing->run->w->scene.nodes;
    const double fraction = placing->fraction;
    double *targets = placing->run->w->topology.held_targets;
    const size_t end = (index + 1) * PLACED_AT_ONCE;
    for (size_t i = index * PLACED_AT_ONCE; i < end && i < nodes->count; i++) {
        if (nodes->kind[i] == NODE_ROTATION) {
            place_rotation(placing->run, i, fraction);
            continue;
        }
        for (size_t k = 3 * i; nodes->held[i] != 0 && k < 3 * i + 3; k++) {
            targets[k] = fraction == 1.0
                             ? nodes->target[k]
                             : nodes->x[k] + fraction * (nodes->target[k] - nodes->x[k]);
        }
    }
}

static void set_prescribed_targets(void *self, double fraction) {
    const struct run *run = self;
    const pbs_world *w = run->w;
    struct placing placing = {run, fraction};
    tasks_for(w->tasks, (w->scene.nodes.count + PLACED_AT_ONCE - 1) / PLACED_AT_ONCE, place_some,
              &placing);
}

static void set_contact_obstacles(void *self, double now, double target) {
    run_contact_place(self, now, target);
}

static pbs_status set_obstacles(void *self, double fraction) {
    const struct run *run = self;
    pbs_world *w = run->w;
    struct topology *t = &w->topology;
    for (size_t i = 0; i < w->scene.colliders.count; i++) {
        motion_place(scene_collider(&w->scene, i), fraction, run->h, &t->obstacles[i]);
    }
    const bool projected = contact_kind_of(&w->scene)->has_constraints;
    const struct projection_scene scene = {.obstacle_count = projected ? w->scene.colliders.count
                                                                       : 0,
                                           .obstacles = t->obstacles,
                                           .node_count = w->scene.nodes.count,
                                           .colliding = w->scene.nodes.colliding,
                                           .constrained_axes = w->scene.nodes.held,
                                           .targets = t->held_targets,
                                           .scale = run->lengths.scale};
    return projection_begin(&w->memory, &scene, &t->projection);
}

// --- the problem ---

static double velocity_tolerance(const struct run *run) {
    const struct run_contact *contact = run_contact_of(&run->w->scene);
    return contact->velocity_tolerance != NULL
               ? contact->velocity_tolerance(run->w)
               : fmax(0.0, run->w->scene.settings.velocity_tolerance);
}

static struct newton_options newton_options(const struct run *run, double reference) {
    const pbs_world_desc *s = &run->w->scene.settings;
    const pbs_expert_desc *expert = &run->w->scene.expert;
    return (struct newton_options){
        .method = expert->method,
        .line_search = expert->line_search,
        .initial_guess = expert->initial_guess,
        .aligns = expert->alignment == PBS_ALIGNMENT_FREE_BODIES,
        .newton_limit = s->newton_limit,
        .linear_limit = expert->linear_limit,
        .tolerance = s->tolerance > 0.0 ? s->tolerance : s->relative_tolerance * reference,
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

/// Where bodies touch, semidefinite Hessians of solids cost nothing, and where shells and solids
/// meet they halve the iterations.
static bool projects_all(const struct scene *scene) {
    const int32_t choice = scene->expert.project_hessian;
    return choice == PBS_HESSIAN_SEMIDEFINITE ||
           (choice == PBS_HESSIAN_AUTOMATIC && contact_kind_of(scene)->semidefinite &&
            scene->integrator.settings.linearized == 0);
}

/// Compressed triangles and bent hinges are what cloth consists of: with their exact Hessians most
/// of its linear systems are indefinite, and take twice as many Newton iterations.
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

static pbs_status fill_problem(struct run *run) {
    pbs_world *w = run->w;
    struct topology *t = &w->topology;
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
        .relative_tolerance = w->scene.settings.relative_tolerance,
        .extent = run->lengths.diagonal,
        .friction_iterations = w->scene.settings.friction_iterations,
        .objective = {.tasks = w->tasks,
                      .assembly = &t->model.assembly,
                      .terms = t->model.terms,
                      .term_count = t->model.term_count,
                      .mass = w->scene.nodes.mass,
                      .contacts = t->contacts,
                      .rest_shapes = t->model.rest_shapes,
                      .rest_shape_count = t->model.rest_shape_count,
                      .node_parts = t->node_parts,
                      .constrained_axes = w->scene.nodes.held,
                      .project_hessian = projects_all(&w->scene),
                      .project_shells = projects_shells(&w->scene),
                      // Exact Hessians of bonds are indefinite where they are sheared far, and lead
                      // to the solution faster where they are not: docs/theory/bonds.md section
                      // 1.3.
                      .bonds_on_demand = projects_on_demand(&w->scene),
                      .least_stiffness = projects_on_demand(&w->scene) ? t->model.least_stiffness
                                                                       : 0.0,
                      .scratch = &t->scratch},
        .conservative_count = t->model.conservative_count,
        .bodies = t->model.free_bodies,
        .body_count = t->model.free_body_count,
        .gravity = w->scene.settings.gravity,
        .force = w->scene.nodes.force,
        .damping = t->model.has_damping ? &t->rayleigh : NULL,
        .newton = t->newton,
        .projection = &t->projection,
        .memory = &w->memory,
        .report = &t->report,
        .scripts = {.set_prescribed_targets = set_prescribed_targets,
                    .set_obstacles = set_obstacles,
                    .set_contact_obstacles = set_contact_obstacles,
                    .self = run,
                    .constrained_axes = w->scene.nodes.held,
                    .targets = t->held_targets,
                    .velocity = t->prescribed_velocity},
    };
    double reference = 0.0;
    run->free_reference = w->scene.free_reference;
    run->first_step = run->control.max > 0.0 ? fmin(run->h, run->control.max) : run->h;
    RETURN_IF_FAILED(
        reference_force(w, &p->objective, run->first_step, &run->free_reference, &reference));
    p->options = newton_options(run, reference);
    if (p->scheme->is_static) {
        // The other tolerances are of stiffness, next to which what acts may be nothing.
        p->least_tolerance = STATIC_SHARE * p->options.tolerance;
        p->options.tolerance = w->scene.settings.tolerance;
    }
    w->stats.newton.reference_force = reference;
    w->stats.newton.tolerance = p->options.tolerance;
    return PBS_OK;
}

// --- the step and its divisions ---

void run_add_work(struct run *run, const struct step_result *part) {
    newton_result_add(&run->sum.newton, &part->newton);
    run->sum.stages += part->stages;
    run->sum.tolerance = part->tolerance;
    if (part->status != PBS_OK) {
        failure_explain(run, part);
    }
}

void run_land_part(struct run *run, const struct step_result *part, double h) {
    struct step_result *const sum = &run->sum;
    energy_report_add(&sum->energy, &part->energy);
    sum->dissipated += part->dissipated;
    sum->active_contacts = part->active_contacts;
    sum->held_inside = part->held_inside;
    // PBS_NOT_CONVERGED stays once it was seen.
    sum->status = sum->status == PBS_OK ? part->status : sum->status;
    run_accept(run, h);
}

void run_accept(struct run *run, double h) {
    step_accept(&run->w->topology.workspace, run->w->tasks, h);
    contact_report_accept(&run->w->topology.report, h);
    run->elapsed += h;
    const size_t broken = run->w->topology.breaks.count;
    if (breaks_look(run->w, run->w->scene.time + run->elapsed, run->is_free) &&
        !(run->is_free && breaks_relieve(run->w, broken))) {
        // What is kept of the forces holds those of bonds that are no more.
        run->w->topology.workspace.memory.has_acceleration = false;
    }
}

bool run_may_divide(pbs_status status) {
    return status == PBS_ERROR_CONVERGENCE || status == PBS_ERROR_INADMISSIBLE;
}

pbs_status run_halves(struct run *run, const struct step_span *span, uint32_t depth) {
    world_log(run->w, PBS_LOG_WARNING, "a step failed and is divided: %s", pbs_last_error());
    run->divisions++;
    const double h = 0.5 * span->h;
    const double middle = 0.5 * (span->begin + span->end);
    const struct step_span first = {.h = h, .begin = span->begin, .end = middle};
    const struct step_span second = {.h = h, .begin = middle, .end = span->end};
    RETURN_IF_FAILED(run_part(run, &first, depth + 1));
    return run_part(run, &second, depth + 1);
}

/// PBS_ERROR_INADMISSIBLE where a coordinate is beyond COORDINATE_LIMIT, or not a number.
static pbs_status check_bounds(const struct topology *t, const struct scene *scene) {
    const double *x = t->workspace.next.x;
    for (size_t i = 0; i < 3 * scene->nodes.count; i++) {
        if (!(fabs(x[i]) <= COORDINATE_LIMIT)) {
            const size_t index = t->node_parts[i / 3];
            return status_fail(
                PBS_ERROR_INADMISSIBLE,
                "the step would end with body %zu, node %zu at %c = %g m, which must "
                "be between %g and %g",
                index, i / 3 - scene_body(scene, index)->node_start, "xyz"[i % 3], x[i],
                -COORDINATE_LIMIT, COORDINATE_LIMIT);
        }
    }
    return PBS_OK;
}

static struct step_result take_once(struct run *run, const struct step_span *span) {
    struct topology *t = &run->w->topology;
    struct step_result result = step_solve(&run->problem, span, &t->workspace);
    if (result.status >= 0) {
        const pbs_status bounds = check_bounds(t, &run->w->scene);
        result.status = bounds < 0 ? bounds : result.status;
    }
    return result;
}

/// What statics measures stiffness by, once.
static pbs_status know_fastest(struct run *run) {
    struct step_workspace *workspace = &run->w->topology.workspace;
    double *known = &workspace->memory.stable_step;
    if (!run->problem.scheme->is_static) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(*known == 0.0 ? stable_step(&run->problem, workspace, known) : PBS_OK);
    run->problem.critical_step = *known;
    return PBS_OK;
}

/// How often a step may be taken again as bonds broke in it.
static uint32_t passes_of(const struct run *run) {
    const uint32_t wanted = run->w->scene.settings.fracture_passes;
    // Explicit steps are short.
    if (run->problem.scheme->kicks) {
        return 0;
    }
    // In equilibrium nothing bears more than its strength.
    return run->problem.scheme->is_static && wanted == 0 ? UINT32_MAX : wanted;
}

struct step_result run_take(struct run *run, const struct step_span *span) {
    pbs_world *w = run->w;
    const pbs_status known = know_fastest(run);
    if (known < 0) {
        return (struct step_result){.status = known};
    }
    struct step_workspace *workspace = &w->topology.workspace;
    const struct scheme_memory memory = workspace->memory;
    const size_t broken = w->topology.breaks.count;
    const bool is_static = run->problem.scheme->is_static;
    const double end = w->scene.time + run->elapsed + span->h;
    struct step_result result = take_once(run, span);
    for (uint32_t i = passes_of(run); i > 0 && result.status >= 0; i--) {
        if (!breaks_look_ahead(w, end, is_static)) {
            break;
        }
        run_add_work(run, &result);
        workspace->memory = memory;
        // What is kept of the forces holds those of bonds that are no more.
        workspace->memory.has_acceleration = false;
        run->problem.continues = is_static;
        result = take_once(run, span);
    }
    run->problem.continues = false;
    if (result.status < 0 && w->topology.breaks.count > broken) {
        breaks_take_back(w, broken);
        workspace->memory = memory;
    }
    return result;
}

/// What is to be halved anyway should not take hundreds of iterations to fail.
static uint32_t iteration_limit(const struct run *run, uint32_t depth) {
    const pbs_world_desc *settings = &run->w->scene.settings;
    const bool early = settings->divisions == DIVISIONS_AUTOMATIC && depth < run->division_limit &&
                       !run->problem.scheme->is_static;
    return early && settings->newton_limit > ITERATIONS_BEFORE_DIVISION ? ITERATIONS_BEFORE_DIVISION
                                                                        : settings->newton_limit;
}

pbs_status run_part(struct run *run, const struct step_span *span, uint32_t depth) {
    pbs_world *w = run->w;
    run->problem.allow_unconverged = w->scene.expert.allow_unconverged != 0 &&
                                     depth == run->division_limit;
    run->problem.options.newton_limit = iteration_limit(run, depth);
    const struct step_result part = run_take(run, span);
    run_add_work(run, &part);
    if (part.status >= 0) {
        run_land_part(run, &part, span->h);
        return PBS_OK;
    }
    if (!run_may_divide(part.status) || part.is_unsupported || depth == run->division_limit) {
        return part.status;
    }
    return run_halves(run, span, depth);
}

/// Of schemes that minimise, as it is Newton's method that has to find a way through.
static uint32_t count_parts(struct run *run, double h) {
    const struct run_contact *contact = run_contact_of(&run->w->scene);
    return contact->count_parts == NULL || run->division_limit == 0 || run->problem.linearized ||
                   run->problem.scheme->stage_limit == 0 || run->problem.scheme->is_static
               ? 1
               : contact->count_parts(run, h);
}

// --- explicit steps ---

// So often the stable step is looked at again: bonds that stretch or break change it little by
// little.
enum { STABLE_STEP_LIFE = 512 };
#define EXPLICIT_STEP_LIMIT 1e8

static pbs_status renew_stable_step(struct run *run) {
    struct step_workspace *workspace = &run->w->topology.workspace;
    struct scheme_memory *memory = &workspace->memory;
    if (memory->stable_step == 0.0 || memory->steps_since >= STABLE_STEP_LIFE) {
        RETURN_IF_FAILED(stable_step(&run->problem, workspace, &memory->stable_step));
        memory->steps_since = 0;
    }
    return PBS_OK;
}

/// Equal steps to the span's end as short as the stable one wants.
static pbs_status plan_explicit(const struct run *run, double left, uint32_t *count) {
    const double stable = run->w->topology.workspace.memory.stable_step;
    const double share = run->problem.parameters[0];
    const double wanted = ceil(left / (share * stable));
    if (!(wanted <= EXPLICIT_STEP_LIMIT)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "%g s take more than %g explicit steps of %g times the stable step of "
                           "%g s",
                           left, EXPLICIT_STEP_LIMIT, share, stable);
    }
    *count = wanted > 1.0 ? (uint32_t)wanted : 1;
    return PBS_OK;
}

/// One of them; divided where it fails and no orientations have turned by then.
static pbs_status run_free(struct run *run, const struct step_span *span, bool last) {
    struct topology *t = &run->w->topology;
    struct step_result part = explicit_step(&run->problem, span, &t->workspace);
    if (part.status >= 0 && last) {
        part.status = check_bounds(t, &run->w->scene);
    }
    run_add_work(run, &part);
    if (part.status < 0) {
        const bool divides = run_may_divide(part.status) && run->division_limit > 0 &&
                             t->workspace.rotations == NULL;
        return divides ? run_halves(run, span, 0) : part.status;
    }
    run->is_free = true;
    run_land_part(run, &part, span->h);
    run->is_free = false;
    return PBS_OK;
}

static pbs_status run_explicit(struct run *run, const struct step_span *span) {
    struct step_workspace *workspace = &run->w->topology.workspace;
    struct scheme_memory *memory = &workspace->memory;
    const bool free = explicit_is_supported(&run->problem) &&
                      (run->w->scene.colliders.count == 0 ||
                       contact_set_has_forces(&run->problem.objective.contacts));
    if (free) {
        workspace->orientations_updated = false;
        explicit_begin(&run->problem, workspace);
    }
    double begin = span->begin;
    double left = span->h;
    for (uint32_t count = 1; count > 0;) {
        RETURN_IF_FAILED(renew_stable_step(run));
        RETURN_IF_FAILED(plan_explicit(run, left, &count));
        const double h = left / count;
        const double way = (span->end - begin) / count;
        uint32_t taken = 0;
        for (; taken < count && memory->steps_since < STABLE_STEP_LIFE; taken++) {
            const struct step_span part = {.h = h,
                                           .begin = begin + way * taken,
                                           .end = taken + 1 == count ? span->end
                                                                     : begin + way * (taken + 1)};
            RETURN_IF_FAILED(free ? run_free(run, &part, taken + 1 == count)
                                  : run_part(run, &part, 0));
            memory->steps_since++;
            run->explicit_steps++;
        }
        begin += way * taken;
        left -= h * taken;
        count -= taken;
    }
    return PBS_OK;
}

pbs_status run_whole(struct run *run, const struct step_span *span) {
    if (run->problem.scheme->kicks) {
        return run_explicit(run, span);
    }
    const uint32_t parts = count_parts(run, span->h);
    run->flight_parts = parts;
    for (uint32_t i = 0; i < parts; i++) {
        const double all = span->end - span->begin;
        const struct step_span part = {
            .h = span->h / parts,
            .begin = i == 0 ? span->begin : span->begin + all * i / parts,
            .end = i + 1 == parts ? span->end : span->begin + all * (i + 1) / parts};
        RETURN_IF_FAILED(run_part(run, &part, 0));
    }
    return PBS_OK;
}

// --- after ---

/// The state that was reached becomes the scene's. Cannot fail.
static void land(struct run *run) {
    pbs_world *w = run->w;
    struct scene *scene = &w->scene;
    const struct step_workspace *workspace = &w->topology.workspace;
    const size_t count = 3 * scene->nodes.count;
    vector_copy(w->tasks, count, workspace->now.x, scene->nodes.x);
    vector_copy(w->tasks, count, workspace->now.v, scene->nodes.v);
    copy_array(w->tasks, count, workspace->now.a, scene->history.acceleration);
    copy_array(w->tasks, count, workspace->before.x, scene->history.x_before);
    copy_array(w->tasks, count, workspace->before.v, scene->history.v_before);
    copy_accounts(workspace->energy.accounts, scene->history.account_count,
                  scene->history.accounts);
    bonded_land_orientations(scene, &w->topology.model.rotations);
    scene->history.memory = workspace->memory;
    scene->step_memory = run->step_memory;
    newton_get_solver_history(w->topology.newton, &scene->solver_memory);
    scene->time += run->h;
    run->sum.dissipated += breaks_land(w);
    scene->dissipated += run->sum.dissipated;
    scene->free_reference = run->free_reference;
    scene->barrier = run->barrier;
    run_contact_land(run);
    vector_copy(w->tasks, count, workspace->contact_force, scene->nodes.contact_force);
    scene_place_vertices(scene, w->tasks);
    query_index_forget_places(w->query);
    contact_readback_land(w);
    for (size_t i = 0; i < scene->colliders.count; i++) {
        struct collider *collider = scene_collider(scene, i);
        const struct obstacle *obstacle = &w->topology.obstacles[i];
        memcpy(collider->velocity, obstacle->velocity, sizeof collider->velocity);
        memcpy(collider->angular_velocity, obstacle->angular_velocity,
               sizeof collider->angular_velocity);
        motion_finish(collider);
    }
}

static void write_energy_stats(const struct step_result *sum, pbs_stats *stats) {
    stats->energy_control.alpha_low = sum->energy.alpha_low;
    stats->energy_control.alpha_high = sum->energy.alpha_high;
    stats->energy_control.target = sum->energy.target;
    stats->energy_control.reached = sum->energy.energy;
    stats->step.dissipated = sum->dissipated;
    stats->energy_control.work = sum->energy.work;
}

static void write_solver_stats(const struct preconditioner_report *report, pbs_stats *stats) {
    stats->linear.preconditioner = report->used;
    stats->linear.reason = report->reason;
    stats->linear.coarse_unknowns = report->coarse_unknowns;
    stats->linear.predicted_iterations = report->expected_iterations;
    stats->linear.block_jacobi_work = report->work[SOLVER_KIND_BLOCK_JACOBI];
    stats->linear.factor_work = report->work[SOLVER_KIND_FACTOR];
    stats->linear.two_level_work = report->work[SOLVER_KIND_TWO_LEVEL];
}

static void write_stats(struct run *run, pbs_status status) {
    pbs_world *w = run->w;
    pbs_stats *stats = &w->stats;
    const struct newton_result *n = &run->sum.newton;
    stats->status = status;
    stats->newton.stages = run->sum.stages;
    stats->step.explicit_steps = run->explicit_steps;
    stats->step.stable_step = w->scene.integrator.scheme->kicks
                                  ? w->topology.workspace.memory.stable_step
                                  : 0.0;
    stats->step.divisions = run->divisions;
    stats->newton.iterations = n->newton_iterations;
    stats->linear.solves = n->linear_solves;
    stats->linear.iterations = n->linear_iterations;
    stats->newton.evaluations = n->evaluations;
    stats->linear.indefinite_solves = n->indefinite_solves;
    stats->newton.gradient_directions = n->gradient_directions;
    stats->newton.shortened_steps = n->clamped_steps;
    stats->newton.roundoff_accepts = n->noise_accepts;
    stats->linear.shifted_factors = n->shifted_factors;
    stats->contact.active = run->sum.active_contacts;
    stats->contact.constrained_inside = (uint32_t)run->sum.held_inside;
    stats->scene.bodies_without_contact = contact_kind_count_untouchable(&w->scene);
    if (status >= 0) {
        write_energy_stats(&run->sum, stats);
    }
    stats->newton.gradient_norm = n->gradient_norm;
    if (w->scene.integrator.scheme->is_static) {
        stats->newton.tolerance = run->sum.tolerance;
    }
    stats->linear.largest_shift = n->preconditioner_shift;
    write_solver_stats(&n->preconditioner, stats);
    stats->linear.switched_solves = n->turned_solves;
    run_contact_write_stats(run, stats);
    failure_write_stats(run, stats);
    stats->step.length = run->h;
    stats->step_control.accepted = run->counts.accepted;
    stats->step_control.rejected = run->counts.rejected;
    stats->step_control.above_tolerance = run->counts.forced;
    stats->step_control.shortest = run->counts.shortest;
    stats->step_control.longest = run->counts.longest;
    stats->step_control.error = run->counts.measured;
    stats->step_control.fracture_limited = run->counts.cracked;
    stats->step_control.fracture_step = run->counts.crack;
    stats->time.guess = n->time_evaluate;
    stats->time.hessian = n->time_hessian;
    stats->time.factor = n->time_factor;
    stats->time.solve = n->time_solve;
    stats->time.search = n->time_search;
    if (w->topology.newton != NULL) {
        const struct host_solver_counts host = newton_drain_host_counts(w->topology.newton);
        stats->linear.host_solves = host.solves;
        stats->linear.host_fallbacks = host.refusals;
    }
    struct counters *counters = &w->scene.counters;
    counters->step_count += status >= 0 ? run->counts.accepted : 0;
    counters->failed_step_count += status < 0;
    counters->newton_total += n->newton_iterations;
    counters->linear_total += n->linear_iterations;
}

/// What the step answers when it landed, with a message for answers that want a look.
static pbs_status answer(const struct run *run) {
    if (run->sum.status == PBS_NOT_CONVERGED) {
        world_log(run->w, PBS_LOG_WARNING, "a step did not converge: %s", run->unconverged.text);
        return status_fail(PBS_NOT_CONVERGED, "%s", run->unconverged.text);
    }
    if (run->divisions > 0) {
        return status_fail(PBS_DIVIDED, "the step of %g s needed %u halvings", run->h,
                           (unsigned)run->divisions);
    }
    return PBS_OK;
}

/// Contact where the step ends: what can be read back until the next one.
static pbs_status measure_contact(struct run *run) {
    pbs_world *w = run->w;
    struct topology *t = &w->topology;
    struct contact_energy energy;
    run_contact_place(run, 1.0, 1.0);
    RETURN_IF_FAILED(
        contact_set_evaluate(&t->contacts, w->tasks, t->workspace.now.x, false, NULL, &energy));
    t->contact_energy = energy.potential;
    // What is listed, and has not pushed yet, is listed too.
    const struct contact_stage moment = {.x = t->workspace.now.x,
                                         .impulse_fraction = 0.0,
                                         .memory = &w->memory,
                                         .report = &t->report};
    size_t counts[CONTACT_SET_LIMIT];
    return contact_set_report(&t->contacts, w->tasks, &moment, counts);
}

/// Lands, and says so once where an affine body is squeezed beyond what stands for a rigid one.
static void land_watching_strain(struct run *run) {
    const struct scene *scene = &run->w->scene;
    const double before = affine_strain_largest(scene, NULL);
    const struct body *worst = NULL;
    land(run);
    const double strain = affine_strain_largest(scene, &worst);
    if (strain > AFFINE_STRAIN_NOTABLE && before <= AFFINE_STRAIN_NOTABLE) {
        world_log(
            run->w, PBS_LOG_WARNING,
            "affine body %u is strained by %.3g at %g s: more stiffness, or less pressed upon "
            "it, would keep it rigid",
            (unsigned)worst->slot, strain, scene->time);
    }
}

/// What damping and friction took may overflow where the state does not.
static pbs_status check_account(const struct run *run) {
    const double taken = run->sum.dissipated;
    return isfinite(run->w->scene.dissipated + taken)
               ? PBS_OK
               : status_fail(PBS_ERROR_INADMISSIBLE,
                             "the step of %g s dissipates %g J, which must be finite", run->h,
                             taken);
}

static pbs_status step(struct run *run) {
    pbs_world *w = run->w;
    const double start = clock_seconds();
    RETURN_IF_FAILED(prepare_topology(w));
    RETURN_IF_FAILED(fill_problem(run));
    run->division_limit = division_limit(run);
    RETURN_IF_FAILED(run_contact_of(&w->scene)->begin(run));
    RETURN_IF_FAILED(contact_readback_start(w));
    load_state(w, run->h);
    w->stats.time.prepare = clock_seconds() - start;
    RETURN_IF_FAILED(run->steps(run));
    RETURN_IF_FAILED(check_account(run));
    const double solved = clock_seconds();
    RETURN_IF_FAILED(measure_contact(run));
    RETURN_IF_FAILED(contact_readback_prepare(w));
    land_watching_strain(run);
    w->stats.time.finish = clock_seconds() - solved;
    return answer(run);
}

/// There is nothing to move but colliders.
static void step_empty(struct run *run) {
    struct scene *scene = &run->w->scene;
    step_counts_add(&run->counts, run->h, 0.0);
    scene->time += run->h;
    for (size_t i = 0; i < scene->colliders.count; i++) {
        struct collider *collider = scene_collider(scene, i);
        collider->load = (struct contact_load){.force = {0.0}};
        motion_finish(collider);
    }
    run->w->readback.count = 0;
    run->w->broken.count = 0;
    query_index_forget_places(run->w->query);
}

pbs_status run_world(struct run *run) {
    pbs_world *w = run->w;
    const double start = clock_seconds();
    scene_settle(&w->scene);
    struct status_message before;
    status_save(&before);
    w->stats = (pbs_stats){0};
    w->topology.contact.counters = (struct contact_counters){0};
    run->sum.energy = energy_report_empty();
    failure_begin(run);
    pbs_status status = PBS_OK;
    if (w->scene.nodes.count > 0) {
        status = step(run);
    } else {
        step_empty(run);
    }
    // A step that failed may have turned its copies, which are those of the bodies between steps.
    if (w->topology.is_current) {
        breaks_take_back_all(w);
        bonded_load_orientations(&w->scene, &w->topology.model.rotations);
    }
    if (status == PBS_OK) {
        status_restore(&before);
        failure_forget(run);
    } else if (run->failure.kind == PBS_FAILURE_NONE) {
        failure_other(run);
    }
    write_stats(run, status);
    w->stats.time.total = clock_seconds() - start;
    return status;
}

static pbs_status one_step(struct run *run) {
    RETURN_IF_FAILED(run_whole(run, &(struct step_span){.h = run->h, .begin = 0.0, .end = 1.0}));
    step_counts_add(&run->counts, run->h, 0.0);
    return PBS_OK;
}

pbs_status pbs_world_step(pbs_world *w, double h) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_duration(h, w->scene.time, "the step's length"));
    struct run run = {.w = w, .h = h, .steps = one_step, .step_memory = w->scene.step_memory};
    return run_world(&run);
}
