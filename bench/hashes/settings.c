// See settings.h. Only apply_setting and make_empty write members of pbs_world_desc.
// SPDX-License-Identifier: MIT
#include "hashes/settings.h"

#include <stdlib.h>

#include "hashes/bodies.h"
#include "hashes/integrators.h"
#include "hashes/told.h"
#include "support/scenes/world_scenes.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

// --- settings of worlds ---

enum setting {
    SETTING_NONE,
    SETTING_PLAIN_NEWTON,
    SETTING_BACKTRACKING,
    SETTING_HESSIAN_EXACT,
    SETTING_HESSIAN_SEMIDEFINITE,
    SETTING_GUESS_INERTIAL,
    SETTING_GUESS_EXPLICIT,
    SETTING_GUESS_OPT,
    SETTING_ALIGNMENT_NEVER,
    SETTING_NESTED_DISSECTION,
    SETTING_TIGHT,
    SETTING_UNCONVERGED,
    SETTING_DIVISIONS,
    SETTING_PROCESSOR_INDEPENDENT,
    SETTING_THREADS,
    SETTING_BODY_PENALTY,
    SETTING_MATRIX_FREE,
    SETTING_FRACTURE_PASSES,
    SETTING_FRACTURE_LIMIT,
    // Of barriers:
    SETTING_FIXED_BARRIER,
    SETTING_SQUARED_BARRIER,
    SETTING_VELOCITY_STEP,
    SETTING_FRICTION_ITERATIONS,
    SETTING_ADAPTIVE_STIFFNESS,
    SETTING_COUNT
};

static const char *const setting_names[SETTING_COUNT] = {
    [SETTING_PLAIN_NEWTON] = "plain-newton",
    [SETTING_BACKTRACKING] = "backtracking",
    [SETTING_HESSIAN_EXACT] = "hessian-exact",
    [SETTING_HESSIAN_SEMIDEFINITE] = "hessian-semidefinite",
    [SETTING_GUESS_INERTIAL] = "guess-inertial",
    [SETTING_GUESS_EXPLICIT] = "guess-explicit",
    [SETTING_GUESS_OPT] = "guess-opt",
    [SETTING_ALIGNMENT_NEVER] = "alignment-never",
    [SETTING_NESTED_DISSECTION] = "nested-dissection",
    [SETTING_TIGHT] = "tight",
    [SETTING_UNCONVERGED] = "unconverged",
    [SETTING_DIVISIONS] = "divisions",
    [SETTING_PROCESSOR_INDEPENDENT] = "processor-independent",
    [SETTING_THREADS] = "threads",
    [SETTING_BODY_PENALTY] = "body-penalty",
    [SETTING_MATRIX_FREE] = "matrix-free",
    [SETTING_FRACTURE_PASSES] = "fracture-passes",
    [SETTING_FRACTURE_LIMIT] = "fracture-limit",
    [SETTING_FIXED_BARRIER] = "fixed-barrier",
    [SETTING_SQUARED_BARRIER] = "squared-barrier",
    [SETTING_VELOCITY_STEP] = "velocity-step",
    [SETTING_FRICTION_ITERATIONS] = "friction-iterations",
    [SETTING_ADAPTIVE_STIFFNESS] = "adaptive-stiffness"};

static void apply_setting(enum setting setting, pbs_world_desc *d, pbs_expert_desc *expert) {
    switch (setting) {
    case SETTING_PLAIN_NEWTON: expert->method = PBS_METHOD_PLAIN_NEWTON; break;
    case SETTING_BACKTRACKING: expert->line_search = PBS_LINE_SEARCH_BACKTRACKING; break;
    case SETTING_HESSIAN_EXACT: expert->project_hessian = PBS_HESSIAN_EXACT; break;
    case SETTING_HESSIAN_SEMIDEFINITE: expert->project_hessian = PBS_HESSIAN_SEMIDEFINITE; break;
    case SETTING_GUESS_INERTIAL: expert->initial_guess = PBS_GUESS_INERTIAL; break;
    case SETTING_GUESS_EXPLICIT: expert->initial_guess = PBS_GUESS_EXPLICIT; break;
    case SETTING_GUESS_OPT: expert->initial_guess = PBS_GUESS_OPT; break;
    case SETTING_ALIGNMENT_NEVER: expert->alignment = PBS_ALIGNMENT_NEVER; break;
    case SETTING_NESTED_DISSECTION:
        expert->preconditioner = PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY;
        expert->preconditioner_order = PBS_ORDER_NESTED_DISSECTION;
        break;
    case SETTING_TIGHT: d->relative_tolerance = 1e-10; break;
    case SETTING_UNCONVERGED:
        d->newton_limit = 2;
        expert->allow_unconverged = 1;
        break;
    case SETTING_DIVISIONS:
        d->newton_limit = 5;
        d->divisions = 6;
        break;
    case SETTING_PROCESSOR_INDEPENDENT: d->processor_independent = 1; break;
    case SETTING_THREADS: d->threads = 2; break;
    case SETTING_BODY_PENALTY: d->body_contact = PBS_BODY_CONTACT_PENALTY; break;
    case SETTING_MATRIX_FREE: expert->assembly = PBS_ASSEMBLY_MATRIX_FREE; break;
    case SETTING_FRACTURE_PASSES: d->fracture_passes = 4; break;
    case SETTING_FRACTURE_LIMIT:
        d->fracture_passes = 4;
        d->fracture_limit = 3;
        break;
    case SETTING_FIXED_BARRIER: fixed_barrier(d); break;
    case SETTING_SQUARED_BARRIER:
        fixed_barrier(d);
        expert->barrier = PBS_BARRIER_SQUARED;
        d->contact_stiffness = 1e11;
        break;
    case SETTING_VELOCITY_STEP: expert->velocity_rule = PBS_VELOCITY_STEP; break;
    case SETTING_FRICTION_ITERATIONS: d->friction_iterations = 5; break;
    case SETTING_ADAPTIVE_STIFFNESS:
        d->contact_stiffness = 1e3;
        expert->adaptive_stiffness = 1;
        break;
    default: break;
    }
}

// --- one world ---

struct choice {
    enum hash_bodies bodies;
    int32_t scheme;
    enum hash_control control;
    enum setting setting;
    int32_t preconditioner; ///< PBS_AUTOMATIC: the library's default
    double h;               ///< s; 0: 1/60
    int steps;
};

static pbs_status make_empty(const struct choice *choice, pbs_world **world) {
    pbs_world_desc d;
    pbs_expert_desc expert;
    pbs_status status = pbs_world_desc_init(&d, sizeof d);
    pbs_expert_desc_init(&expert, sizeof expert);
    d.expert = &expert;
    d.contact = hash_bodies_contact(choice->bodies);
    d.gravity[1] = -9.81;
    expert.preconditioner = choice->preconditioner >= 0 ? choice->preconditioner
                                                        : expert.preconditioner;
    apply_setting(choice->setting, &d, &expert);
    return status < 0 ? status : pbs_world_create(&d, world);
}

/// Bodies come last, so that a scheme which cannot move one of them is refused there.
static pbs_status make(const struct choice *choice, pbs_world **world) {
    pbs_status status = make_empty(choice, world);
    status = status < 0 ? status : hash_use_integrator(*world, choice->scheme, choice->control);
    return status < 0 ? status : hash_bodies_fill(choice->bodies, *world);
}

static void run(struct hash_lines *lines, const struct choice *choice) {
    pbs_world *world = NULL;
    const double h = choice->h > 0.0 ? choice->h : 1.0 / 60.0;
    const pbs_status made = make(choice, &world);
    if (hash_control_advances(choice->control)) {
        hash_advances(lines, made, world, h, choice->steps);
    } else {
        hash_steps(lines, made, world, h, choice->steps);
    }
    pbs_world_destroy(world);
}

// --- a host's linear solver: the inverse of the diagonal ---

struct diagonal {
    size_t count;
    double *inverse;
};

static int32_t host_factor(void *user, const pbs_matrix *matrix) {
    struct diagonal *d = user;
    free(d->inverse);
    d->count = (size_t)matrix->row_count;
    d->inverse = calloc(d->count + 1, sizeof *d->inverse);
    for (size_t i = 0; i < d->count && d->inverse != NULL; i++) {
        // Of the upper triangle a row's diagonal entry comes first.
        d->inverse[i] = 1.0 / matrix->values[matrix->row_start[i]];
    }
    return d->inverse == NULL ? -1 : 0;
}

static int32_t host_solve(void *user, const double *b, double *x, double relative_tolerance) {
    const struct diagonal *d = user;
    (void)relative_tolerance;
    for (size_t i = 0; i < d->count; i++) {
        x[i] = d->inverse[i] * b[i];
    }
    return 0;
}

// --- tables of worlds ---

/// All bodies by themselves.
static void hash_each_body(struct hash_lines *lines) {
    for (int b = 0; b < HASH_BODIES_COUNT; b++) {
        const struct choice choice = {.bodies = (enum hash_bodies)b,
                                      .scheme = hash_bodies_scheme((enum hash_bodies)b),
                                      .preconditioner = PBS_AUTOMATIC,
                                      .steps = 20};
        if (hash_begin(lines, "bodies/%s", hash_bodies_name(choice.bodies))) {
            run(lines, &choice);
        }
    }
}

/// Symplectic Euler's steps must be short where something is stiff.
static double step_of(int32_t scheme, enum hash_bodies bodies) {
    const bool is_stiff = bodies == HASH_STIFF || bodies == HASH_BONDED;
    return scheme == PBS_SCHEME_SYMPLECTIC_EULER ? is_stiff ? 5e-6 : 5e-4 : 0.0;
}

/// Whether the scheme moves them: velocity Verlet wants no barriers, blending no rotations, and
/// statics all to be held.
static bool can_move(int32_t scheme, enum hash_bodies bodies) {
    return scheme == PBS_SCHEME_QUASI_STATIC      ? bodies == HASH_CLAMPED
           : scheme == PBS_SCHEME_VELOCITY_VERLET ? bodies != HASH_PILE
           : scheme == PBS_SCHEME_ENERGY_BLENDING ? bodies != HASH_BONDED
                                                  : true;
}

static void hash_schemes(struct hash_lines *lines) {
    static const enum hash_bodies bodies[] = {HASH_SPRINGS, HASH_BOWL,   HASH_SHEET,  HASH_STIFF,
                                              HASH_PILE,    HASH_BONDED, HASH_CLAMPED};
    for (size_t i = 0; i < HASH_SCHEMES * COUNT_OF(bodies); i++) {
        const int32_t scheme = (int32_t)(i / COUNT_OF(bodies));
        const enum hash_bodies b = bodies[i % COUNT_OF(bodies)];
        // Thousands of explicit steps each.
        const bool is_long = scheme == PBS_SCHEME_VELOCITY_VERLET && b == HASH_STIFF;
        const struct choice choice = {.bodies = b,
                                      .scheme = scheme,
                                      .preconditioner = PBS_AUTOMATIC,
                                      .h = step_of(scheme, b),
                                      .steps = is_long ? 1 : 8};
        if (can_move(scheme, b) &&
            hash_begin(lines, "scheme/%s/%s", hash_scheme_name(scheme), hash_bodies_name(b))) {
            run(lines, &choice);
        }
    }
}

static void hash_controls(struct hash_lines *lines) {
    static const struct {
        int32_t scheme;
        enum hash_control control;
    } rows[] = {{PBS_SCHEME_INNER_THETA, HASH_PARAMETERS},
                {PBS_SCHEME_OUTER_THETA, HASH_PARAMETERS},
                {PBS_SCHEME_FIRST_ORDER_THETA, HASH_PARAMETERS},
                {PBS_SCHEME_SECOND_ORDER_THETA, HASH_PARAMETERS},
                {PBS_SCHEME_NEWMARK, HASH_PARAMETERS},
                {PBS_SCHEME_GENERALIZED_ALPHA, HASH_PARAMETERS},
                {PBS_SCHEME_VELOCITY_VERLET, HASH_PARAMETERS},
                {PBS_SCHEME_BDF2, HASH_START_TRAPEZOIDAL},
                {PBS_SCHEME_BDF2, HASH_START_THETA},
                {PBS_SCHEME_SECOND_ORDER_THETA, HASH_START_EULER},
                {PBS_SCHEME_A_1, HASH_ALPHA_FIXED},
                {PBS_SCHEME_A_1, HASH_ALPHA_SEARCH},
                {PBS_SCHEME_DECOUPLED_SDIRK2, HASH_ALPHA_FIXED},
                {PBS_SCHEME_DECOUPLED_SDIRK2, HASH_ALPHA_SPARSE},
                {PBS_SCHEME_A_SEARCH, HASH_ENERGY_BY_ISLAND},
                {PBS_SCHEME_DECOUPLED_SDIRK2, HASH_ENERGY_BY_ISLAND},
                {PBS_SCHEME_ENERGY_BLENDING, HASH_ENERGY_BY_ISLAND},
                {PBS_SCHEME_A_SEARCH, HASH_ENERGY_FRACTION},
                {PBS_SCHEME_A_SEARCH, HASH_ENERGY_DECAY},
                {PBS_SCHEME_ENERGY_BLENDING, HASH_ENERGY_DECAY},
                {PBS_SCHEME_IMPLICIT_EULER, HASH_LINEARIZED},
                {PBS_SCHEME_TRAPEZOIDAL, HASH_LINEARIZED},
                {PBS_SCHEME_NEWMARK, HASH_LINEARIZED},
                {PBS_SCHEME_IMPLICIT_EULER, HASH_EQUAL_STEPS},
                {PBS_SCHEME_VELOCITY_VERLET, HASH_EQUAL_STEPS},
                {PBS_SCHEME_IMPLICIT_EULER, HASH_FORCE_ERROR},
                {PBS_SCHEME_TRAPEZOIDAL, HASH_FORCE_ERROR},
                {PBS_SCHEME_IMPLICIT_EULER, HASH_SPEED_LIMIT},
                {PBS_SCHEME_BDF2, HASH_SPEED_LIMIT},
                {PBS_SCHEME_IMPLICIT_EULER, HASH_STRETCH_LIMIT},
                {PBS_SCHEME_TR_BDF2, HASH_STRETCH_LIMIT},
                {PBS_SCHEME_IMPLICIT_EULER, HASH_DOUBLING},
                {PBS_SCHEME_SECOND_ORDER_THETA, HASH_DOUBLING},
                {PBS_SCHEME_BDF2, HASH_DOUBLING_PROPORTIONAL},
                {PBS_SCHEME_A_SEARCH, HASH_ALPHA_STEPS}};
    static const enum hash_bodies bodies[] = {HASH_BOWL, HASH_STIFF, HASH_PILE};
    for (size_t i = 0; i < COUNT_OF(rows) * COUNT_OF(bodies); i++) {
        const int32_t scheme = rows[i / COUNT_OF(bodies)].scheme;
        const enum hash_control control = rows[i / COUNT_OF(bodies)].control;
        const enum hash_bodies b = bodies[i % COUNT_OF(bodies)];
        const bool is_short = control == HASH_LINEARIZED || scheme == PBS_SCHEME_VELOCITY_VERLET;
        const struct choice choice = {.bodies = b,
                                      .scheme = scheme,
                                      .control = control,
                                      .preconditioner = PBS_AUTOMATIC,
                                      .h = is_short ? 1.0 / 480.0 : 0.0,
                                      .steps = 6};
        if (can_move(scheme, b) && hash_begin(lines, "control/%s/%s/%s", hash_control_name(control),
                                              hash_scheme_name(scheme), hash_bodies_name(b))) {
            run(lines, &choice);
        }
    }
}

static void hash_preconditioners(struct hash_lines *lines) {
    static const char *const names[] = {
        [PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY] = "incomplete-cholesky",
        [PBS_PRECONDITIONER_BLOCK_JACOBI] = "block-jacobi",
        [PBS_PRECONDITIONER_NONE] = "none",
        [PBS_PRECONDITIONER_TWO_LEVEL] = "two-level",
        [PBS_PRECONDITIONER_MULTIGRID] = "multigrid",
        [PBS_PRECONDITIONER_CHOLESKY] = "cholesky",
        [PBS_PRECONDITIONER_AUTOMATIC] = "automatic",
        [PBS_PRECONDITIONER_CHOLESKY_FLOAT] = "cholesky-float"};
    static const enum hash_bodies bodies[] = {HASH_CANTILEVER, HASH_PILE, HASH_BONDED,
                                              HASH_PERIDYNAMIC};
    for (size_t i = 0; i < COUNT_OF(names) * COUNT_OF(bodies); i++) {
        const struct choice choice = {.bodies = bodies[i % COUNT_OF(bodies)],
                                      .preconditioner = (int32_t)(i / COUNT_OF(bodies)),
                                      .steps = 4};
        if (hash_begin(lines, "preconditioner/%s/%s", names[choice.preconditioner],
                       hash_bodies_name(choice.bodies))) {
            run(lines, &choice);
        }
    }
}

static void hash_host_solver(struct hash_lines *lines) {
    static const enum hash_bodies bodies[] = {HASH_CANTILEVER, HASH_PILE};
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        const struct choice choice = {.bodies = bodies[i], .preconditioner = PBS_AUTOMATIC};
        struct diagonal diagonal = {0};
        pbs_linear_solver solver;
        pbs_world *world = NULL;
        if (hash_begin(lines, "preconditioner/host/%s", hash_bodies_name(bodies[i]))) {
            pbs_status made = make(&choice, &world);
            made = made < 0 ? made : pbs_linear_solver_init(&solver, sizeof solver);
            solver.triangle = PBS_TRIANGLE_UPPER;
            solver.user = &diagonal;
            solver.factor = host_factor;
            solver.solve = host_solve;
            made = made < 0 ? made : pbs_world_set_linear_solver(world, &solver);
            hash_steps(lines, made, world, 1.0 / 60.0, 4);
            pbs_world_destroy(world);
            free(diagonal.inverse);
        }
    }
}

/// Whether a world of these bodies takes the setting. Plain Newton steps end nowhere where bonds
/// are pressed.
static bool can_set(enum setting setting, enum hash_bodies bodies) {
    const bool has_barriers = hash_bodies_contact(bodies) == PBS_CONTACT_BARRIER;
    return setting == SETTING_PLAIN_NEWTON    ? !has_barriers && bodies != HASH_PERIDYNAMIC
           : setting == SETTING_BODY_PENALTY  ? !has_barriers
           : setting >= SETTING_FIXED_BARRIER ? has_barriers
                                              : true;
}

static void hash_world_settings(struct hash_lines *lines) {
    static const enum hash_bodies bodies[] = {HASH_BOWL, HASH_MATERIALS,   HASH_STIFF,
                                              HASH_PILE, HASH_PERIDYNAMIC, HASH_FALLING};
    for (int setting = SETTING_NONE + 1; setting < SETTING_COUNT; setting++) {
        for (size_t b = 0; b < COUNT_OF(bodies); b++) {
            const struct choice choice = {.bodies = bodies[b],
                                          .setting = (enum setting)setting,
                                          .preconditioner = PBS_AUTOMATIC,
                                          .steps = 8};
            if (can_set(choice.setting, bodies[b]) &&
                hash_begin(lines, "setting/%s/%s", setting_names[setting],
                           hash_bodies_name(bodies[b]))) {
                run(lines, &choice);
            }
        }
    }
}

static void hash_fracture_steps(struct hash_lines *lines) {
    const struct choice choice = {.bodies = HASH_FALLING,
                                  .control = HASH_FRACTURE_STEPS,
                                  .preconditioner = PBS_AUTOMATIC,
                                  .steps = 6};
    if (hash_begin(lines, "control/%s/%s", hash_control_name(choice.control),
                   hash_bodies_name(choice.bodies))) {
        run(lines, &choice);
    }
}

// --- on its way ---

static pbs_status restore(pbs_world *from, pbs_world *into) {
    size_t size = 0;
    pbs_status status = pbs_world_save(from, NULL, &size);
    void *buffer = malloc(size + 1);
    status = buffer == NULL ? PBS_ERROR_MEMORY : status;
    status = status < 0 ? status : pbs_world_save(from, buffer, &size);
    status = status < 0 ? status
                        : pbs_world_register_callback(into, SPRING_TAG, spring_energy, NULL);
    status = status < 0 ? status : pbs_world_restore(into, buffer, size);
    free(buffer);
    return status;
}

/// Two-step schemes and energy control have a past that is saved too.
static void hash_restored(struct hash_lines *lines) {
    static const int32_t schemes[] = {PBS_SCHEME_BDF2, PBS_SCHEME_A_SEARCH};
    for (size_t i = 0; i < COUNT_OF(schemes) * HASH_BODIES_COUNT; i++) {
        const struct choice choice = {.bodies = (enum hash_bodies)(i % HASH_BODIES_COUNT),
                                      .scheme = schemes[i / HASH_BODIES_COUNT],
                                      .preconditioner = PBS_AUTOMATIC};
        pbs_world *first = NULL, *second = NULL;
        if (hash_bodies_scheme(choice.bodies) != PBS_SCHEME_IMPLICIT_EULER ||
            !hash_begin(lines, "restored/%s/%s", hash_scheme_name(choice.scheme),
                        hash_bodies_name(choice.bodies))) {
            continue;
        }
        pbs_status made = make(&choice, &first);
        made = made < 0 ? made : scene_step(first, 5);
        made = made < 0 ? made : make_empty(&choice, &second);
        made = made < 0 ? made : restore(first, second);
        hash_steps(lines, made, second, 1.0 / 60.0, 5);
        pbs_world_destroy(first);
        pbs_world_destroy(second);
    }
}

/// Bodies that overlap are pushed apart and fall.
static void hash_separated(struct hash_lines *lines) {
    const struct choice choice = {.bodies = HASH_PILE, .preconditioner = PBS_AUTOMATIC};
    pbs_world *world = NULL;
    if (hash_begin(lines, "separated/%s", hash_bodies_name(choice.bodies))) {
        pbs_status made = make(&choice, &world);
        // The second box into the first.
        static const double place[3] = {0.02, 0.13, 0.01}, orientation[4] = {0.0, 0.6, 0.0, 0.8};
        const pbs_body box = pbs_world_body_at(world, 1);
        made = made < 0 ? made : pbs_body_set_pose(world, box, place, orientation);
        made = made < 0 ? made : pbs_world_separate(world, NULL, NULL);
        hash_steps(lines, made, world, 1.0 / 60.0, 6);
        pbs_world_destroy(world);
    }
}

static void hash_told_by_each(struct hash_lines *lines) {
    for (int b = 0; b < HASH_BODIES_COUNT; b++) {
        const struct choice choice = {.bodies = (enum hash_bodies)b,
                                      .scheme = hash_bodies_scheme((enum hash_bodies)b),
                                      .preconditioner = PBS_AUTOMATIC};
        pbs_world *world = NULL;
        if (hash_begin(lines, "told/%s", hash_bodies_name(choice.bodies))) {
            pbs_status status = make(&choice, &world);
            for (int i = 0; i < 6 && status >= 0; i++) {
                status = pbs_world_step(world, 1.0 / 60.0);
                hash_world(lines, world);
                status = status < 0 ? status : hash_told(lines, world);
            }
            hash_end(lines, pbs_world_time(world), status);
            pbs_world_destroy(world);
        }
    }
}

void hash_settings(struct hash_lines *lines) {
    hash_each_body(lines);
    hash_schemes(lines);
    hash_controls(lines);
    hash_fracture_steps(lines);
    hash_preconditioners(lines);
    hash_host_solver(lines);
    hash_world_settings(lines);
    hash_restored(lines);
    hash_separated(lines);
    hash_told_by_each(lines);
}
