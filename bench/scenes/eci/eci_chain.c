// Runs the chain of eci_chain.h.
// SPDX-License-Identifier: MIT
#include "scenes/eci/eci_chain.h"

#include <math.h>

enum { NODES = 31, ELEMENTS = 30 };

static const double rest_length = 1.0 / 30.0;   // m
static const double element_mass = 10.0 / 30.0; // kg
static const double barrier_stiffness = 1e6;    // N/m
static const double barrier_reach = 0.01;       // m

// --- energy ---

struct law {
    double modulus; ///< E, N
    enum eci_damping damping_kind;
};

/// Computes b(d) = -kappa (d - reach)^2 ln(d / reach) and its first two derivatives.
static void barrier(double d, double out[3]) {
    const double u = d - barrier_reach;
    const double logarithm = log(d / barrier_reach);
    out[0] = -barrier_stiffness * u * u * logarithm;
    out[1] = -barrier_stiffness * (2.0 * u * logarithm + u * u / d);
    out[2] = -barrier_stiffness * (2.0 * logarithm + 4.0 * u / d - u * u / (d * d));
}

/// Evaluates an element, Psi(F) = E / 2 ((F^2 - 1) / 2 - ln F) per length, and the barrier of its
/// first node; for the last element the barriers of both nodes.
static int32_t element(void *user, size_t stencil, const double *x, int32_t project, double *value,
                       double *gradient, double *hessian) {
    const struct law *law = user;
    const double e = (x[3] - x[0] - rest_length) / rest_length; // F - 1, from which ln F is
                                                                // computed without cancellation
    const int barriers = stencil + 1 == ELEMENTS ? 2 : 1;
    double walls[2][3] = {{0.0}};
    if (!(e > -1.0)) {
        return 1;
    }
    for (int a = 0; a < barriers; a++) {
        if (!(x[3 * a] > 0.0)) {
            return 1;
        }
        if (x[3 * a] < barrier_reach) {
            barrier(x[3 * a], walls[a]);
        }
    }
    if (value != NULL) {
        *value = 0.5 * law->modulus * rest_length * (e + 0.5 * e * e - log1p(e)) + walls[0][0] +
                 walls[1][0];
    }
    for (int i = 0; gradient != NULL && i < 6; i++) {
        const double tension = 0.5 * law->modulus * e * (2.0 + e) / (1.0 + e);
        gradient[i] = i == 0 ? walls[0][1] - tension : i == 3 ? walls[1][1] + tension : 0.0;
    }
    for (int i = 0; hessian != NULL && i < 36; i++) {
        hessian[i] = 0.0;
    }
    if (hessian != NULL) {
        const double stiffness = 0.5 * law->modulus * (1.0 + 1.0 / ((1.0 + e) * (1.0 + e))) /
                                 rest_length;
        hessian[0] = stiffness + walls[0][2];
        hessian[21] = stiffness + walls[1][2];
        hessian[3] = hessian[18] = -stiffness;
        // Only damping requests a positive semidefinite Hessian.
        if (project && law->damping_kind == ECI_DAMPING_DIAGONAL) {
            hessian[3] = hessian[18] = 0.0;
        } else if (project) {
            hessian[0] = hessian[21] = stiffness;
        }
    }
    return 0;
}

// --- running ---

static double node_mass(size_t node) {
    return node == 0 || node + 1 == NODES ? 0.5 * element_mass : element_mass;
}

static pbs_status make_world(const struct eci_chain *chain, pbs_world **out) {
    pbs_world_desc d;
    pbs_status status = pbs_world_desc_init(&d, sizeof d);
    d.contact = PBS_CONTACT_PROJECTION;
    d.divisions = 0;
    // A Newton step p changes the gradient by more than m p / h^2. Stiff elements change it much
    // more, and have larger rounding errors, so the tolerance grows with their stiffness.
    const double stiffness = 20.0 * chain->sound * chain->sound / rest_length;
    d.tolerance = chain->tolerance * (0.5 * element_mass / chain->h + stiffness * chain->h);
    if (status >= 0) {
        status = pbs_world_create(&d, out);
    }
    pbs_integrator *integrator = NULL;
    if (status >= 0) {
        status = pbs_integrator_create(&chain->integrator, &integrator);
    }
    if (status >= 0) {
        status = pbs_world_set_integrator(*out, integrator);
    }
    pbs_integrator_destroy(integrator);
    return status;
}

static pbs_status add_chain(const struct eci_chain *chain, pbs_world *world, struct law *law,
                            pbs_body *out) {
    double positions[3 * NODES] = {0.0}, velocities[3 * NODES] = {0.0}, masses[NODES];
    uint32_t stencils[2 * ELEMENTS];
    for (size_t i = 0; i < NODES; i++) {
        positions[3 * i] = chain->gap + rest_length * (double)i;
        velocities[3 * i] = -1.0;
        masses[i] = node_mass(i);
    }
    for (uint32_t e = 0; e < ELEMENTS; e++) {
        stencils[2 * e] = e;
        stencils[2 * e + 1] = e + 1;
    }
    law->modulus = 10.0 * chain->sound * chain->sound;
    law->damping_kind = chain->damping_kind;
    pbs_custom_desc d;
    const pbs_status status = pbs_custom_desc_init(&d, sizeof d);
    d.width = 2;
    d.vertex_count = NODES;
    d.positions = positions;
    d.velocities = velocities;
    d.masses = masses;
    d.stencil_count = ELEMENTS;
    d.stencils = stencils;
    d.evaluate = element;
    d.user = law;
    d.tag = 1;
    d.damping = chain->damping;
    return status < 0 ? status : pbs_body_create_custom(world, &d, out);
}

static double mean_velocity(const double *v) {
    double momentum = 0.0;
    for (size_t i = 0; i < NODES; i++) {
        momentum += node_mass(i) * v[3 * i];
    }
    return momentum / (ELEMENTS * element_mass);
}

static pbs_status take_steps(pbs_world *world, double h, int count, double energy_limit,
                             struct eci_chain_result *out) {
    for (int i = 0; i < count && out->most < energy_limit; i++) {
        const pbs_status status = pbs_world_step(world, h);
        if (status < 0) {
            return status;
        }
        pbs_energy energy = {.struct_size = sizeof energy};
        pbs_stats stats = {.struct_size = sizeof stats};
        (void)pbs_world_energy(world, &energy);
        (void)pbs_world_stats(world, &stats);
        out->energy = energy.total;
        out->least = fmin(out->least, energy.total);
        out->most = fmax(out->most, energy.total);
        if (stats.energy_control.target != 0.0) {
            out->target_excess = fmax(out->target_excess,
                                      energy.total - stats.energy_control.target);
        }
        out->steps++;
    }
    return PBS_OK;
}

struct eci_chain_result eci_chain_run(const struct eci_chain *chain, double time,
                                      double energy_limit) {
    struct eci_chain_result result = {
        .least = INFINITY, .most = -INFINITY, .target_excess = -INFINITY};
    struct law law;
    pbs_world *world = NULL;
    pbs_body body = {0};
    result.status = make_world(chain, &world);
    if (result.status >= 0) {
        result.status = add_chain(chain, world, &law, &body);
    }
    if (result.status >= 0) {
        result.status = take_steps(world, chain->h, (int)lround(time / chain->h), energy_limit,
                                   &result);
        result.velocity = mean_velocity(pbs_body_velocities(world, body));
    }
    pbs_world_destroy(world);
    return result;
}

// --- table 2 ---

const struct eci_table_row eci_table[ECI_TABLE_ROWS] = {
    {30, 1, PBS_SCHEME_BDF2, false, 0.776, 0.7767},
    {30, 1, PBS_SCHEME_A_1, false, 0.810, 0.8105},
    {30, 1, PBS_SCHEME_A_SEARCH, false, 0.819, 0.8189},
    {30, 10, PBS_SCHEME_BDF2, false, 0.742, 0.7424},
    {30, 10, PBS_SCHEME_A_1, false, 0.643, 0.6433},
    {30, 10, PBS_SCHEME_A_SEARCH, false, 0.632, 0.6316},
    {30, 100, PBS_SCHEME_BDF2, false, 0.795, 0.7955},
    {30, 100, PBS_SCHEME_A_1, false, 0.978, 0.9767},
    {30, 100, PBS_SCHEME_A_SEARCH, false, 0.999, 1.0000},
    {300, 1, PBS_SCHEME_BDF2, false, 0.760, 0.7601},
    {300, 1, PBS_SCHEME_A_1, false, 0.831, 0.8372},
    {300, 1, PBS_SCHEME_A_SEARCH, false, 0.816, 0.8164},
    {300, 10, PBS_SCHEME_BDF2, false, 0.937, 0.9368},
    {300, 10, PBS_SCHEME_A_1, false, 0.934, 0.9344},
    {300, 10, PBS_SCHEME_A_SEARCH, false, 0.931, 0.9315},
    {300, 100, PBS_SCHEME_BDF2, false, 0.842, 0.8425},
    {300, 100, PBS_SCHEME_A_1, false, 0.782, 0.7819},
    {300, 100, PBS_SCHEME_A_SEARCH, false, 0.788, 0.7785},
    {3000, 1, PBS_SCHEME_BDF2, false, 0.849, 0.8494},
    {3000, 1, PBS_SCHEME_A_1, false, 0.849, 0.8500},
    {3000, 1, PBS_SCHEME_A_SEARCH, false, 0.862, 0.8614},
    {3000, 10, PBS_SCHEME_BDF2, false, 0.965, 0.9652},
    {3000, 10, PBS_SCHEME_A_1, false, 0.971, 0.9710},
    {3000, 10, PBS_SCHEME_A_SEARCH, false, 0.972, 0.9724},
    {3000, 100, PBS_SCHEME_BDF2, false, 0.993, 0.9931},
    {3000, 100, PBS_SCHEME_A_1, false, 0.992, 0.9926},
    {3000, 100, PBS_SCHEME_A_SEARCH, false, 0.992, 0.9922},
    {30000, 1, PBS_SCHEME_BDF2, false, 0.864, 0.8655},
    {30000, 1, PBS_SCHEME_A_1, false, 0.866, 0.8665},
    {30000, 1, PBS_SCHEME_A_SEARCH, false, 0.856, 0.8564},
    {30000, 10, PBS_SCHEME_BDF2, false, 0.977, 0.9774},
    {30000, 10, PBS_SCHEME_A_1, false, 0.977, 0.9775},
    {30000, 10, PBS_SCHEME_A_SEARCH, false, 0.972, 0.9711},
    {30000, 100, PBS_SCHEME_BDF2, false, 0.999, 0.9993},
    {30000, 100, PBS_SCHEME_A_1, false, 0.999, 0.9994},
    {30000, 100, PBS_SCHEME_A_SEARCH, false, 0.999, 0.9994},
    {30, 1, PBS_SCHEME_BDF2, true, 0.641, 0.6395},
    {30, 1, PBS_SCHEME_A_1, true, 0.661, 0.6591},
    {30, 1, PBS_SCHEME_A_SEARCH, true, 0.667, 0.6650},
    {300, 1, PBS_SCHEME_BDF2, true, 0.624, 0.6248},
    {300, 1, PBS_SCHEME_A_1, true, 0.634, 0.6336},
    {300, 1, PBS_SCHEME_A_SEARCH, true, 0.636, 0.6433},
    {3000, 1, PBS_SCHEME_BDF2, true, 0.639, 0.6529},
    {3000, 1, PBS_SCHEME_A_1, true, 0.629, 0.6453},
    {3000, 1, PBS_SCHEME_A_SEARCH, true, 0.641, 0.6436},
    {30000, 1, PBS_SCHEME_BDF2, true, 0.643, 0.6469},
    {30000, 1, PBS_SCHEME_A_1, true, 0.641, 0.6469},
    {30000, 1, PBS_SCHEME_A_SEARCH, true, 0.643, 0.6470},
};

pbs_status eci_table_chain(const struct eci_table_row *row, struct eci_chain *out) {
    *out = (struct eci_chain){
        .sound = row->sound,
        .gap = row->damped ? 1.6 : 0.1,
        .damping = row->damped ? 0.05 / 1800.0 : 0.0, // 0.05/s on K_ii / m_i = 1800/s^2
        .h = 1.0 / row->steps_per_second,
        .tolerance = 1e-8,
    };
    const pbs_status status = pbs_integrator_desc_init(&out->integrator, sizeof out->integrator,
                                                       row->scheme);
    out->integrator.start = PBS_START_IMPLICIT_EULER;
    return status;
}
