// Compares all schemes on one particle: spectral radius over h omega, energy of a pendulum over
// time, and error over step size. docs/integrators.md shows the plots.
//     bench integrators scheme=7 name="BDF2" order=2.00 radius_at_10=0.3182 energy_after_50s=0.87
// Writes DIR/spectral_radius.csv, DIR/pendulum_energy.csv and DIR/convergence.csv.
// Argument: directory (build/bench).
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <pbs/pbs.h>

#include "common/program/csv.h"
#include "integrate/scheme.h"

struct scheme {
    const char *name;
    int32_t id;
    double parameter; ///< first parameter of the scheme; negative: its default
};

static const struct scheme schemes[] = {
    {"implicit Euler", PBS_SCHEME_IMPLICIT_EULER, -1.0},
    {"outer theta 0.6", PBS_SCHEME_OUTER_THETA, 0.6},
    {"trapezoidal", PBS_SCHEME_TRAPEZOIDAL, -1.0},
    {"implicit midpoint", PBS_SCHEME_IMPLICIT_MIDPOINT, -1.0},
    {"generalised-alpha 0.6", PBS_SCHEME_GENERALIZED_ALPHA, 0.6},
    {"theta2 0.07", PBS_SCHEME_SECOND_ORDER_THETA, 0.07},
    {"theta2 0.45", PBS_SCHEME_SECOND_ORDER_THETA, 0.45},
    {"BDF2", PBS_SCHEME_BDF2, -1.0},
    {"SDIRK2", PBS_SCHEME_SDIRK2, -1.0},
    {"TR-BDF2", PBS_SCHEME_TR_BDF2, -1.0},
    {"A-1", PBS_SCHEME_A_1, -1.0},
    {"A-search", PBS_SCHEME_A_SEARCH, -1.0},
    {"energy blending", PBS_SCHEME_ENERGY_BLENDING, -1.0},
    {"symplectic Euler", PBS_SCHEME_SYMPLECTIC_EULER, -1.0},
};

enum { SCHEME_COUNT = sizeof schemes / sizeof *schemes };

/// A particle of 1 kg that moves along x, with P = omega^2 (1 - cos x) or omega^2 x^2 / 2.
struct problem {
    bool is_pendulum;
    double omega;
};

static int32_t potential(void *user, size_t stencil, const double *x, int32_t project,
                         double *value, double *gradient, double *hessian) {
    const struct problem *p = user;
    const double stiffness = p->omega * p->omega;
    (void)stencil;
    (void)project;
    if (value != NULL) {
        *value = stiffness * (p->is_pendulum ? 1.0 - cos(x[0]) : 0.5 * x[0] * x[0]);
    }
    if (gradient != NULL) {
        gradient[0] = stiffness * (p->is_pendulum ? sin(x[0]) : x[0]);
        gradient[1] = gradient[2] = 0.0;
    }
    for (int i = 0; i < 9 && hessian != NULL; i++) {
        hessian[i] = i == 0 ? stiffness * (p->is_pendulum ? cos(x[0]) : 1.0) : 0.0;
    }
    return 0;
}

static void require(pbs_status status) {
    if (status < 0) {
        fprintf(stderr, "%s\n", pbs_last_error());
        exit(EXIT_FAILURE);
    }
}

static void set_scheme(const struct scheme *scheme, pbs_world *world) {
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    require(pbs_integrator_desc_init(&d, sizeof d, scheme->id));
    if (scheme->parameter >= 0.0) {
        d.parameters[0] = scheme->parameter;
    }
    require(pbs_integrator_create(&d, &integrator));
    require(pbs_world_set_integrator(world, integrator));
    pbs_integrator_destroy(integrator);
}

static pbs_world *create_world(const struct scheme *scheme, struct problem *problem, double x,
                               double v, pbs_body *body) {
    const double position[3] = {x, 0.0, 0.0}, velocity[3] = {v, 0.0, 0.0}, mass = 1.0;
    const uint32_t stencil = 0;
    pbs_world_desc d;
    pbs_world *world = NULL;
    require(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PROJECTION;
    d.tolerance = 1e-10 * problem->omega * problem->omega;
    d.threads = 1;
    require(pbs_world_create(&d, &world));
    set_scheme(scheme, world);
    pbs_custom_desc c;
    require(pbs_custom_desc_init(&c, sizeof c));
    c.width = 1;
    c.vertex_count = 1;
    c.positions = position;
    c.velocities = velocity;
    c.masses = &mass;
    c.stencil_count = 1;
    c.stencils = &stencil;
    c.evaluate = potential;
    c.user = problem;
    c.tag = 1;
    require(pbs_body_create_custom(world, &c, body));
    return world;
}

// --- spectral radius: the recipes themselves on x'' = -omega^2 x with steps of 1 s ---

struct point {
    double x, v, a;
};

struct linear {
    const struct scheme_table *scheme;
    struct step_view view;
    double stiffness;
    struct point states[STATE_COUNT];
};

static double combine(const struct linear *l, const struct combination *c) {
    double sum = 0.0;
    for (int s = 0; s < STATE_COUNT; s++) {
        sum += c->x[s] * l->states[s].x + c->v[s] * l->states[s].v + c->a[s] * l->states[s].a;
    }
    return sum;
}

/// Solves a stage: x = x~ / (1 + c k) minimises |x - x~|^2 / 2 + c k x^2 / 2.
static void take_stage(struct linear *l, uint32_t index) {
    struct stage_recipe recipe = {0};
    l->scheme->stage(&l->view, index, &recipe);
    const double history = combine(l, &recipe.position_history);
    const double predictor = history + recipe.length * combine(l, &recipe.velocity_history);
    const double x = predictor / (1.0 + recipe.weight * l->stiffness);
    l->states[STATE_STAGE_1 + index] = (struct point){x, (x - history) / recipe.length,
                                                      (x - predictor) / recipe.weight};
}

static void take_step(struct linear *l) {
    struct point *now = &l->states[STATE_NOW];
    if (l->view.known == 1 || !scheme_stores_acceleration(l->scheme)) {
        now->a = -l->stiffness * now->x;
    }
    const uint32_t count = l->scheme->stage_count(&l->view);
    for (uint32_t i = 0; i < count; i++) {
        take_stage(l, i);
    }
    struct state_recipe end = {0};
    l->scheme->finish(&l->view, &end);
    struct point next = {combine(l, &end.position), combine(l, &end.velocity),
                         combine(l, &end.acceleration)};
    if (l->scheme->control != CONTROL_NONE) {
        next.v -= combine(l, &end.correction) +
                  l->stiffness * (end.gradient_now * now->x + end.gradient_next * next.x);
    }
    l->states[STATE_BEFORE] = *now;
    *now = next;
    l->view.known = 2;
    l->view.h_before = 1.0;
}

/// Divides both states by their norm, and returns the norm.
static double normalise(struct linear *l, double omega) {
    double size = 0.0;
    for (int s = STATE_NOW; s <= STATE_BEFORE; s++) {
        size = fmax(size, fmax(omega * fabs(l->states[s].x), fabs(l->states[s].v)));
    }
    for (int s = STATE_NOW; s <= STATE_BEFORE && size > 0.0; s++) {
        l->states[s].x /= size;
        l->states[s].v /= size;
        l->states[s].a /= size;
    }
    return size;
}

/// Returns the spectral radius, from the mean growth of the logarithm of the norm over many steps.
static double spectral_radius(const struct scheme *scheme, double omega) {
    enum { WARM = 300, STEPS = 4000 };
    const struct scheme_table *table = scheme_find(scheme->id);
    double parameters[SCHEME_PARAMETERS];
    for (int k = 0; k < SCHEME_PARAMETERS; k++) {
        parameters[k] = table->parameters[k].value;
    }
    parameters[0] = scheme->parameter >= 0.0 ? scheme->parameter : parameters[0];
    struct linear l = {
        .scheme = table,
        .view = {.h = 1.0, .known = 1, .parameters = parameters, .start = table->start},
        .stiffness = omega * omega};
    l.states[STATE_NOW] = (struct point){1.0, 0.3 * omega, 0.0};
    double sum = 0.0;
    for (int i = 0; i < WARM + STEPS; i++) {
        take_step(&l);
        const double size = normalise(&l, omega);
        sum += i >= WARM && size > 0.0 ? log(size) : 0.0;
    }
    return exp(sum / STEPS);
}

static bool is_linear(const struct scheme *scheme) {
    return scheme->id != PBS_SCHEME_ENERGY_BLENDING && scheme->id != PBS_SCHEME_A_SEARCH;
}

// --- tables ---

enum { RADIUS_ROWS = 121, ENERGY_ROWS = 501, CONVERGENCE_ROWS = 8 };

/// values: rows x (SCHEME_COUNT + 1), including the first column.
static void write_table(const char *directory, const char *name, const char *first,
                        const double *values, size_t rows) {
    const char *names[SCHEME_COUNT + 1] = {first};
    for (size_t s = 0; s < SCHEME_COUNT; s++) {
        names[s + 1] = schemes[s].name;
    }
    char path[512];
    snprintf(path, sizeof path, "%s/%s.csv", directory, name);
    struct message message = {{0}};
    if (!csv_write(path, names, SCHEME_COUNT + 1, values, rows, &message)) {
        fprintf(stderr, "%s\n", message.text);
        exit(EXIT_FAILURE);
    }
}

static void tabulate_radius(const char *directory) {
    static double values[RADIUS_ROWS][SCHEME_COUNT + 1];
    for (int i = 0; i < RADIUS_ROWS; i++) {
        const double omega = pow(10.0, -1.0 + 4.0 * i / (RADIUS_ROWS - 1));
        values[i][0] = omega;
        for (int s = 0; s < SCHEME_COUNT; s++) {
            values[i][s + 1] = is_linear(&schemes[s]) ? spectral_radius(&schemes[s], omega) : NAN;
        }
    }
    write_table(directory, "spectral_radius", "h omega", &values[0][0], RADIUS_ROWS);
}

static double energy_of(const pbs_world *world) {
    pbs_energy energy = {.struct_size = sizeof energy};
    require(pbs_world_energy(world, &energy));
    return energy.total;
}

/// Tabulates the energy of a pendulum of period 6.7 s and amplitude 1 rad, at steps of 0.1 s.
static void tabulate_energy(const char *directory, double last[SCHEME_COUNT]) {
    static double values[ENERGY_ROWS][SCHEME_COUNT + 1];
    for (int s = 0; s < SCHEME_COUNT; s++) {
        struct problem problem = {true, 1.0};
        pbs_body body;
        pbs_world *world = create_world(&schemes[s], &problem, 1.0, 0.0, &body);
        const double start = energy_of(world);
        for (int i = 0; i < ENERGY_ROWS; i++) {
            values[i][0] = 0.1 * i;
            values[i][s + 1] = energy_of(world) / start;
            require(pbs_world_step(world, 0.1));
        }
        last[s] = values[ENERGY_ROWS - 1][s + 1];
        pbs_world_destroy(world);
    }
    write_table(directory, "pendulum_energy", "time", &values[0][0], ENERGY_ROWS);
}

/// Returns the position at t = 5 s of the pendulum that starts with x = 1, v = 0.3.
static double end_of(const struct scheme *scheme, int steps) {
    struct problem problem = {true, 1.0};
    pbs_body body;
    pbs_world *world = create_world(scheme, &problem, 1.0, 0.3, &body);
    for (int i = 0; i < steps; i++) {
        require(pbs_world_step(world, 5.0 / steps));
    }
    const double x = pbs_body_positions(world, body)[0];
    pbs_world_destroy(world);
    return x;
}

static void tabulate_convergence(const char *directory, double order[SCHEME_COUNT]) {
    static const double EXACT = -0.400573469282;
    static double values[CONVERGENCE_ROWS][SCHEME_COUNT + 1];
    for (int i = 0; i < CONVERGENCE_ROWS; i++) {
        const int steps = 10 << i;
        values[i][0] = 5.0 / steps;
        for (int s = 0; s < SCHEME_COUNT; s++) {
            values[i][s + 1] = fabs(end_of(&schemes[s], steps) - EXACT);
        }
    }
    for (int s = 0; s < SCHEME_COUNT; s++) {
        order[s] = log2(values[CONVERGENCE_ROWS - 2][s + 1] / values[CONVERGENCE_ROWS - 1][s + 1]);
    }
    write_table(directory, "convergence", "step", &values[0][0], CONVERGENCE_ROWS);
}

int main(int argc, char **argv) {
    const char *const directory = argc > 1 ? argv[1] : "build/bench";
    double energy[SCHEME_COUNT], order[SCHEME_COUNT];
    tabulate_radius(directory);
    tabulate_energy(directory, energy);
    tabulate_convergence(directory, order);
    for (int s = 0; s < SCHEME_COUNT; s++) {
        printf("bench integrators scheme=%d name=\"%s\" order=%.2f radius_at_10=%.4f "
               "energy_after_50s=%.4f\n",
               (int)schemes[s].id, schemes[s].name, order[s],
               is_linear(&schemes[s]) ? spectral_radius(&schemes[s], 10.0) : NAN, energy[s]);
    }
    return EXIT_SUCCESS;
}
