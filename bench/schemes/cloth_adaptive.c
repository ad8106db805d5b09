// Measures how many linear solves ATS's step control saves. A cloth of springs falls on a sphere
// and drapes, in linearly implicit steps of equal length or controlled by the force error. Errors
// are distances from a fine reference solution of the same scheme, averaged over the vertices and
// SAMPLES times.
//     bench cloth scheme=... control=fixed|converged|force_error setting=... solves=...
//     rejected=... shortest=... longest=... error=...   (setting: step in seconds, or tolerance in
//     metres; converged: equal steps with converged Newton iterations, without linearisation error)
//     bench cloth_spread scheme=... distance=...   (of two runs of equal steps whose initial
//     positions differ by 1e-6 m) bench cloth_ratio scheme=... least=... mean=... most=... of=...
//     (solves of equal steps over solves of controlled steps at the same error, for errors that
//     both reach)
// Arguments: vertices along an edge (9), seconds (1.5), step of the reference (0.0001).
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pbs/pbs.h"

enum { SAMPLES = 10, FIXED_RUNS = 7, CONTROLLED_RUNS = 9 };

// --- the scene ---

struct spring {
    double stiffness, rest;
};

struct cloth {
    size_t vertex_count, spring_count;
    double *positions, *masses;
    uint32_t *stencils;
    struct spring *springs;
};

/// Evaluates k (l - l0)^2 / 2.
static int32_t spring_energy(void *user, size_t stencil, const double *x, int32_t project,
                             double *value, double *gradient, double *hessian) {
    const struct spring *spring = &((const struct spring *)user)[stencil];
    double d[3];
    for (int k = 0; k < 3; k++) {
        d[k] = x[k] - x[3 + k];
    }
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double stretch = length - spring->rest;
    if (!(length > 0.0)) {
        return 1;
    }
    if (value != NULL) {
        *value = 0.5 * spring->stiffness * stretch * stretch;
    }
    for (int k = 0; k < 3 && gradient != NULL; k++) {
        gradient[k] = spring->stiffness * stretch * d[k] / length;
        gradient[3 + k] = -gradient[k];
    }
    double across = stretch / length;
    across = project != 0 && across < 0.0 ? 0.0 : across;
    for (int i = 0; i < 36 && hessian != NULL; i++) {
        const int r = i / 6, c = i % 6;
        const double n = d[r % 3] * d[c % 3] / (length * length);
        const double block = spring->stiffness * (n + across * ((r % 3 == c % 3) - n));
        hessian[i] = r / 3 == c / 3 ? block : -block;
    }
    return 0;
}

static void add_spring(struct cloth *cloth, uint32_t i, uint32_t j, double stiffness) {
    const double *a = cloth->positions + 3 * i, *b = cloth->positions + 3 * j;
    cloth->springs[cloth->spring_count] = (struct spring){stiffness,
                                                          hypot(a[0] - b[0], a[2] - b[2])};
    cloth->stencils[2 * cloth->spring_count] = i;
    cloth->stencils[2 * cloth->spring_count + 1] = j;
    cloth->spring_count++;
}

/// Creates a square cloth of 1 m and 0.2 kg with springs for stretch along the threads, shear along
/// diagonals, and bending over two threads.
static void make_cloth(struct cloth *cloth, uint32_t side) {
    const size_t count = (size_t)side * side;
    *cloth = (struct cloth){.vertex_count = count};
    cloth->positions = malloc(3 * count * sizeof(double));
    cloth->masses = malloc(count * sizeof(double));
    cloth->stencils = malloc(12 * count * sizeof(uint32_t));
    cloth->springs = malloc(6 * count * sizeof(struct spring));
    if (!cloth->positions || !cloth->masses || !cloth->stencils || !cloth->springs) {
        exit(1);
    }
    for (uint32_t v = 0; v < count; v++) {
        cloth->positions[3 * v] = (double)(v % side) / (side - 1) - 0.49;
        cloth->positions[3 * v + 1] = 0.3;
        cloth->positions[3 * v + 2] = (double)(v / side) / (side - 1) - 0.51;
        cloth->masses[v] = 0.2 / (double)count;
    }
    for (uint32_t v = 0; v < count; v++) {
        const uint32_t i = v % side, j = v / side;
        if (i + 1 < side) {
            add_spring(cloth, v, v + 1, 100.0);
        }
        if (j + 1 < side) {
            add_spring(cloth, v, v + side, 100.0);
        }
        if (i + 1 < side && j + 1 < side) {
            add_spring(cloth, v, v + side + 1, 20.0);
            add_spring(cloth, v + 1, v + side, 20.0);
        }
        if (i + 2 < side) {
            add_spring(cloth, v, v + 2, 1.0);
        }
        if (j + 2 < side) {
            add_spring(cloth, v, v + 2 * side, 1.0);
        }
    }
}

static void must(pbs_status status) {
    if (status < 0) {
        fprintf(stderr, "cloth_adaptive: %s\n", pbs_last_error());
        exit(1);
    }
}

static pbs_world *make_world(const struct cloth *cloth) {
    pbs_world_desc w;
    pbs_expert_desc expert;
    must(pbs_world_desc_init(&w, sizeof w));
    pbs_expert_desc_init(&expert, sizeof expert);
    w.expert = &expert;
    w.contact = PBS_CONTACT_PROJECTION;
    w.gravity[1] = -9.81;
    expert.project_hessian = 1;
    w.divisions = 4;
    pbs_world *world = NULL;
    must(pbs_world_create(&w, &world));
    pbs_custom_desc c;
    must(pbs_custom_desc_init(&c, sizeof c));
    c.vertex_count = cloth->vertex_count;
    c.positions = cloth->positions;
    c.masses = cloth->masses;
    c.stencil_count = cloth->spring_count;
    c.stencils = cloth->stencils;
    c.evaluate = spring_energy;
    c.user = cloth->springs;
    c.tag = 1;
    c.damping = 0.01;
    pbs_body body;
    must(pbs_body_create_custom(world, &c, &body));
    pbs_collider_desc ball;
    must(pbs_collider_desc_init(&ball, sizeof ball));
    ball.shape = PBS_SHAPE_SPHERE;
    ball.size[0] = 0.25;
    ball.friction = 2.0;
    pbs_collider collider;
    must(pbs_collider_create(world, &ball, &collider));
    return world;
}

// --- runs ---

struct run {
    double setting; // step in seconds, or tolerance in metres
    double solves, rejected, shortest, longest, error;
    bool failed;
};

/// Simulates; stores positions at SAMPLES times in samples, and the work in *run.
static void simulate(const struct cloth *cloth, const pbs_integrator_desc *settings, double seconds,
                     struct run *run, double *samples) {
    pbs_world *world = make_world(cloth);
    pbs_integrator *integrator = NULL;
    must(pbs_integrator_create(settings, &integrator));
    must(pbs_world_set_integrator(world, integrator));
    pbs_integrator_destroy(integrator);
    const size_t count = 3 * cloth->vertex_count;
    for (int i = 0; i < SAMPLES && !run->failed; i++) {
        run->failed = pbs_world_advance(world, seconds / SAMPLES) < 0;
        pbs_stats stats = {.struct_size = sizeof stats};
        must(pbs_world_stats(world, &stats));
        run->solves += stats.linear.solves;
        run->rejected += stats.step_control.rejected;
        run->shortest = i == 0 ? stats.step_control.shortest
                               : fmin(run->shortest, stats.step_control.shortest);
        run->longest = fmax(run->longest, stats.step_control.longest);
        memcpy(samples + (size_t)i * count, pbs_body_positions(world, pbs_world_body_at(world, 0)),
               count * sizeof(double));
    }
    pbs_world_destroy(world);
}

static double mean_distance(const double *a, const double *b, size_t points) {
    double sum = 0.0;
    for (size_t i = 0; i < points; i++) {
        double square = 0.0;
        for (size_t k = 0; k < 3; k++) {
            square += (a[3 * i + k] - b[3 * i + k]) * (a[3 * i + k] - b[3 * i + k]);
        }
        sum += sqrt(square);
    }
    return sum / (double)points;
}

/// Returns settings for equal steps of at most h. Newmark's method has some damping, because it
/// would oscillate after each impact.
static pbs_integrator_desc equal_steps(int32_t scheme, double h) {
    pbs_integrator_desc d;
    must(pbs_integrator_desc_init(&d, sizeof d, scheme));
    if (scheme == PBS_SCHEME_NEWMARK) {
        d.parameters[0] = 0.3025;
        d.parameters[1] = 0.6;
    }
    d.linearized = 1;
    d.step_control.max = h;
    return d;
}

static pbs_integrator_desc controlled_steps(int32_t scheme, double tolerance) {
    pbs_integrator_desc d = equal_steps(scheme, 0.1);
    d.step_control.kind = PBS_STEP_FORCE_ERROR;
    d.step_control.tolerance = tolerance;
    return d;
}

// --- the comparison ---

/// Returns the solves that equal steps need for an error, interpolated between two successive runs
/// of which the first has a larger and the second a smaller error; 0 if there are none. The first
/// such pair has the fewest solves.
static double solves_for(const struct run *fixed, double error) {
    for (int i = 1; i < FIXED_RUNS; i++) {
        const struct run *a = &fixed[i - 1], *b = &fixed[i];
        if (!a->failed && !b->failed && a->error > error && b->error <= error) {
            const double s = log(a->error / error) / log(a->error / b->error);
            return a->solves * pow(b->solves / a->solves, s);
        }
    }
    return 0.0;
}

static void print_run(const char *scheme, const char *control, const struct run *run) {
    if (run->failed) {
        printf("bench cloth scheme=%s control=%s setting=%g failed=1\n", scheme, control,
               run->setting);
        return;
    }
    printf("bench cloth scheme=%s control=%s setting=%g solves=%g rejected=%g shortest=%.3g "
           "longest=%.3g error=%.4g\n",
           scheme, control, run->setting, run->solves, run->rejected, run->shortest, run->longest,
           run->error);
}

static void compare(const struct cloth *cloth, int32_t scheme, const char *name, double seconds,
                    double fine) {
    const size_t points = cloth->vertex_count * SAMPLES;
    double *reference = malloc(6 * points * sizeof *reference), *samples = reference + 3 * points;
    if (reference == NULL) {
        exit(1);
    }
    struct run truth = {0};
    const pbs_integrator_desc exact = equal_steps(scheme, fine);
    simulate(cloth, &exact, seconds, &truth, reference);
    struct run fixed[FIXED_RUNS] = {{0}};
    for (int i = 0; i < FIXED_RUNS; i++) {
        fixed[i].setting = 0.05 / (1 << i);
        const pbs_integrator_desc d = equal_steps(scheme, fixed[i].setting);
        simulate(cloth, &d, seconds, &fixed[i], samples);
        fixed[i].error = mean_distance(samples, reference, points);
        print_run(name, "fixed", &fixed[i]);
    }
    for (int i = 1; i < FIXED_RUNS; i += 2) {
        struct run run = {.setting = fixed[i].setting};
        pbs_integrator_desc d = equal_steps(scheme, run.setting);
        d.linearized = 0;
        simulate(cloth, &d, seconds, &run, samples);
        run.error = mean_distance(samples, reference, points);
        print_run(name, "converged", &run);
    }
    // The distance to which a perturbation of the size of rounding errors grows.
    struct run near = {0};
    const pbs_integrator_desc same = equal_steps(scheme, fine);
    for (size_t i = 0; i < 3 * cloth->vertex_count; i += 3) {
        cloth->positions[i] += i % 2 == 0 ? 1e-6 : 0.0;
    }
    simulate(cloth, &same, seconds, &near, samples);
    for (size_t i = 0; i < 3 * cloth->vertex_count; i += 3) {
        cloth->positions[i] -= i % 2 == 0 ? 1e-6 : 0.0;
    }
    printf("bench cloth_spread scheme=%s distance=%.4g\n", name,
           mean_distance(samples, reference, points));
    double least = INFINITY, most = 0.0, sum = 0.0, count = 0.0;
    for (int i = 0; i < CONTROLLED_RUNS; i++) {
        struct run run = {.setting = 1e-2 * pow(10.0, -0.5 * i)};
        const pbs_integrator_desc d = controlled_steps(scheme, run.setting);
        simulate(cloth, &d, seconds, &run, samples);
        run.error = mean_distance(samples, reference, points);
        print_run(name, "force_error", &run);
        const double solves = run.failed ? 0.0 : solves_for(fixed, run.error);
        if (solves > 0.0) {
            least = fmin(least, solves / run.solves);
            most = fmax(most, solves / run.solves);
            sum += log(solves / run.solves);
            count += 1.0;
        }
    }
    printf("bench cloth_ratio scheme=%s least=%.2f mean=%.2f most=%.2f of=%g\n", name, least,
           exp(sum / count), most, count);
    free(reference);
}

int main(int argc, char **argv) {
    const uint32_t side = argc > 1 ? (uint32_t)atoi(argv[1]) : 9;
    const double seconds = argc > 2 ? atof(argv[2]) : 1.5;
    const double fine = argc > 3 ? atof(argv[3]) : 1e-4;
    struct cloth cloth;
    make_cloth(&cloth, side);
    compare(&cloth, PBS_SCHEME_IMPLICIT_EULER, "implicit-euler", seconds, fine);
    compare(&cloth, PBS_SCHEME_NEWMARK, "newmark", seconds, fine);
    free(cloth.positions);
    free(cloth.masses);
    free(cloth.stencils);
    free(cloth.springs);
    return 0;
}
