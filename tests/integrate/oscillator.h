// A world of one particle on an oscillator of support/schemes/scheme_rows.h, along x.
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_OSCILLATOR_H
#define PBS_INTEGRATE_OSCILLATOR_H

#include "integrate/scheme.h"
#include "support/schemes/scheme_rows.h"
#include "support/world_testing.h"

struct oscillation {
    enum oscillator problem;
    double x, v;           ///< at t = 0
    double damping;        ///< s
    double tolerance;      ///< N
    uint32_t newton_limit; ///< 0: the default, to be met; otherwise stages may end there
    uint32_t divisions;
};

/// From x = 1, v = 0.3 with a tolerance that moves x by less than h^2 1e-9 a step.
static inline struct oscillation oscillation_of(enum oscillator problem) {
    return (struct oscillation){.problem = problem, .x = 1.0, .v = 0.3, .tolerance = 1e-9};
}

static inline int32_t oscillator_evaluate(void *user, size_t stencil, const double *x,
                                          int32_t project, double *value, double *gradient,
                                          double *hessian) {
    const enum oscillator problem = *(const enum oscillator *)user;
    (void)stencil;
    (void)project;
    if (value != NULL) {
        *value = oscillator_potential(problem, x[0]);
    }
    if (gradient != NULL) {
        gradient[0] = -oscillator_force(problem, x[0]);
        gradient[1] = gradient[2] = 0.0;
    }
    for (int i = 0; i < 9 && hessian != NULL; i++) {
        hessian[i] = i == 0 ? -oscillator_slope(problem, x[0]) : 0.0;
    }
    return 0;
}

/// o must outlive the world.
static inline pbs_world *oscillator_world(pbs_integrator *integrator, struct oscillation *o) {
    const double position[3] = {o->x, 0.0, 0.0}, velocity[3] = {o->v, 0.0, 0.0};
    pbs_world_desc d;
    pbs_expert_desc expert;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    expert_settings(&expert, &d);
    d.contact = PBS_CONTACT_PROJECTION;
    d.tolerance = o->tolerance;
    d.newton_limit = o->newton_limit > 0 ? o->newton_limit : d.newton_limit;
    d.divisions = o->divisions;
    expert.allow_unconverged = o->newton_limit > 0;
    pbs_world *world = new_world_from(&d);
    assert_ok(pbs_world_set_integrator(world, integrator));
    pbs_custom_desc c;
    point_describe(&c, position, oscillator_evaluate, &o->problem);
    c.velocities = velocity;
    c.damping = o->damping;
    pbs_body body;
    assert_ok(pbs_body_create_custom(world, &c, &body));
    return world;
}

/// x and v of the world's particle.
static inline void oscillator_state(const pbs_world *world, double state[2]) {
    const pbs_body body = pbs_world_body_at(world, 0);
    state[0] = pbs_body_positions(world, body)[0];
    state[1] = pbs_body_velocities(world, body)[0];
}

/// max(|dx|, |dv|).
static inline double oscillator_error(const pbs_world *world, const double exact[2]) {
    double state[2];
    oscillator_state(world, state);
    return fmax(fabs(state[0] - exact[0]), fabs(state[1] - exact[1]));
}

/// The scheme with its defaults.
static inline pbs_integrator *scheme_integrator(int32_t scheme) {
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme));
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_create(&d, &integrator));
    return integrator;
}

#endif
