// See integrators.h.
// SPDX-License-Identifier: MIT
#include "hashes/integrators.h"

static const char *const scheme_names[] = {
    [PBS_SCHEME_IMPLICIT_EULER] = "implicit-euler",
    [PBS_SCHEME_TRAPEZOIDAL] = "trapezoidal",
    [PBS_SCHEME_IMPLICIT_MIDPOINT] = "implicit-midpoint",
    [PBS_SCHEME_INNER_THETA] = "inner-theta",
    [PBS_SCHEME_OUTER_THETA] = "outer-theta",
    [PBS_SCHEME_FIRST_ORDER_THETA] = "first-order-theta",
    [PBS_SCHEME_SECOND_ORDER_THETA] = "second-order-theta",
    [PBS_SCHEME_BDF2] = "bdf2",
    [PBS_SCHEME_NEWMARK] = "newmark",
    [PBS_SCHEME_GENERALIZED_ALPHA] = "generalized-alpha",
    [PBS_SCHEME_SDIRK2] = "sdirk2",
    [PBS_SCHEME_TR_BDF2] = "tr-bdf2",
    [PBS_SCHEME_SYMPLECTIC_EULER] = "symplectic-euler",
    [PBS_SCHEME_VARIATIONAL_MIDPOINT] = "variational-midpoint",
    [PBS_SCHEME_VARIATIONAL_RIGHT_POINT] = "variational-right-point",
    [PBS_SCHEME_A_1] = "a-1",
    [PBS_SCHEME_A_SEARCH] = "a-search",
    [PBS_SCHEME_SPARSE_A_SEARCH] = "sparse-a-search",
    [PBS_SCHEME_DECOUPLED_SDIRK2] = "decoupled-sdirk2",
    [PBS_SCHEME_ENERGY_BLENDING] = "energy-blending",
    [PBS_SCHEME_VELOCITY_VERLET] = "velocity-verlet",
    [PBS_SCHEME_QUASI_STATIC] = "quasi-static"};

static const char *const control_names[HASH_CONTROL_COUNT] = {
    [HASH_PARAMETERS] = "parameters",
    [HASH_START_EULER] = "start-implicit-euler",
    [HASH_START_TRAPEZOIDAL] = "start-trapezoidal",
    [HASH_START_THETA] = "start-first-order-theta",
    [HASH_ALPHA_FIXED] = "alpha-fixed",
    [HASH_ALPHA_SEARCH] = "alpha-search",
    [HASH_ALPHA_SPARSE] = "alpha-sparse-search",
    [HASH_ENERGY_BY_ISLAND] = "energy-by-island",
    [HASH_ENERGY_FRACTION] = "energy-fraction",
    [HASH_ENERGY_DECAY] = "energy-decay",
    [HASH_LINEARIZED] = "linearized",
    [HASH_EQUAL_STEPS] = "equal-steps",
    [HASH_FORCE_ERROR] = "force-error",
    [HASH_SPEED_LIMIT] = "speed-limit",
    [HASH_STRETCH_LIMIT] = "stretch-limit",
    [HASH_DOUBLING] = "doubling",
    [HASH_DOUBLING_PROPORTIONAL] = "doubling-proportional",
    [HASH_ALPHA_STEPS] = "alpha-steps",
    [HASH_FRACTURE_STEPS] = "fracture-steps"};

static void control_steps(pbs_integrator_desc *d, int32_t control, double tolerance) {
    d->step_control.kind = control;
    d->step_control.tolerance = tolerance;
    d->step_control.max = 1.0 / 30.0;
}

static void apply_control(enum hash_control control, pbs_integrator_desc *d) {
    switch (control) {
    case HASH_PARAMETERS:
        d->parameters[0] = d->scheme == PBS_SCHEME_NEWMARK ? 0.3025 : 0.9;
        d->parameters[1] = 0.6;
        break;
    case HASH_START_EULER: d->start = PBS_START_IMPLICIT_EULER; break;
    case HASH_START_TRAPEZOIDAL: d->start = PBS_START_TRAPEZOIDAL; break;
    case HASH_START_THETA: d->start = PBS_START_FIRST_ORDER_THETA; break;
    case HASH_ALPHA_FIXED:
        d->energy_control.alpha_choice = PBS_ALPHA_FIXED;
        d->energy_control.alpha = 0.5;
        break;
    case HASH_ALPHA_SEARCH: d->energy_control.alpha_choice = PBS_ALPHA_SEARCH; break;
    case HASH_ALPHA_SPARSE: d->energy_control.alpha_choice = PBS_ALPHA_SPARSE_SEARCH; break;
    case HASH_ENERGY_BY_ISLAND: d->energy_control.by_island = 1; break;
    case HASH_ENERGY_FRACTION: d->energy_control.fraction = 0.8; break;
    case HASH_ENERGY_DECAY: d->energy_control.decay_time = 0.1; break;
    case HASH_LINEARIZED: d->linearized = 1; break;
    case HASH_EQUAL_STEPS: d->step_control.max = 1.0 / 150.0; break;
    case HASH_FORCE_ERROR:
        d->linearized = 1;
        control_steps(d, PBS_STEP_FORCE_ERROR, 1e-4);
        break;
    case HASH_SPEED_LIMIT: control_steps(d, PBS_STEP_SPEED_LIMIT, 5e-3); break;
    case HASH_STRETCH_LIMIT: control_steps(d, PBS_STEP_STRETCH_LIMIT, 1e-3); break;
    case HASH_DOUBLING: control_steps(d, PBS_STEP_DOUBLING, 1e-4); break;
    case HASH_DOUBLING_PROPORTIONAL:
        control_steps(d, PBS_STEP_DOUBLING, 1e-4);
        d->step_control.rule = PBS_STEP_RULE_PROPORTIONAL;
        break;
    case HASH_ALPHA_STEPS: control_steps(d, PBS_STEP_ALPHA, 1e-3); break;
    case HASH_FRACTURE_STEPS:
        control_steps(d, PBS_STEP_STRETCH_LIMIT, 1e-3);
        d->step_control.fracture_quiet_steps = 3;
        break;
    default: break;
    }
}

const char *hash_scheme_name(int32_t scheme) {
    return scheme_names[scheme];
}

const char *hash_control_name(enum hash_control control) {
    return control_names[control];
}

bool hash_control_advances(enum hash_control control) {
    return control >= HASH_EQUAL_STEPS;
}

pbs_status hash_integrator(int32_t scheme, enum hash_control control, pbs_integrator **out) {
    pbs_integrator_desc d;
    const pbs_status status = pbs_integrator_desc_init(&d, sizeof d, scheme);
    apply_control(control, &d);
    return status < 0 ? status : pbs_integrator_create(&d, out);
}

pbs_status hash_use_integrator(pbs_world *world, int32_t scheme, enum hash_control control) {
    pbs_integrator *integrator = NULL;
    pbs_status status = hash_integrator(scheme, control, &integrator);
    status = status < 0 ? status : pbs_world_set_integrator(world, integrator);
    pbs_integrator_destroy(integrator);
    return status;
}
