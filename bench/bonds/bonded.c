// Bonded bodies of tetrahedra: cost of evaluating their energy, and frames of a twisted beam (the
// 17 thousand tetrahedra of BDEM's table 1, whose implicit method takes 16.4 s per frame). Prints
// lines
//     bench bonded kernel=gradient bonds=... mbonds_per_s=...
//     bench bonded scene=twist hessian=... tets=... cell=... turn=... frames=...
//     seconds_per_frame=... newton=... linear=... indefinite=...
//     bench bonded solve=multigrid tets=... young=... cell=... cut=... broken=... its_1e2=...
//     its_1e4=... its_1e8=... setup_s=... solve_s=...
// Uses one thread. Kernel times are the best of several rounds. A frame is one implicit Euler step
// of 16 ms in which the ends are twisted by 0.05 rad against each other, with cells of 62.5 mm and
// of 1 mm.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/runtime/clock.h"
#include "energy/bonds/bonds.h"
#include "energy/evaluate.h"
#include "pbs/pbs.h"
#include "linear/krylov/pcg.h"
#include "scenes/linear/bonded_system.h"
#include "scenes/bonds/cubic_tets.h"

#define FRAME 0.016
static const double YOUNG = 1e7, TURN = 0.05;

static void require(pbs_status status) {
    if (status < 0) {
        fprintf(stderr, "%s\n", pbs_last_error());
        exit(1);
    }
}

static void *allocate(size_t count, size_t size) {
    void *block = calloc(count, size);
    if (block == NULL) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return block;
}

// --- kernels ---

enum { ROUNDS = 20 };

struct kernel_scene {
    size_t particles, bonds;
    uint32_t *nodes, *rotations;
    double *radii, *rest, *damping, *orientations, *x;
    struct bond_stiffness *stiffness;
};

/// Creates a grid of particles with small random offsets, and bonds between neighbours.
static void make_grid(struct kernel_scene *s, size_t n) {
    const size_t stride[3] = {1, n, n * n};
    s->particles = n * n * n;
    s->nodes = allocate(12 * s->particles, sizeof *s->nodes);
    s->rotations = allocate(6 * s->particles, sizeof *s->rotations);
    s->radii = allocate(6 * s->particles, sizeof(double));
    s->rest = allocate(9 * s->particles, sizeof(double));
    s->damping = allocate(3 * s->particles, sizeof(double));
    s->stiffness = allocate(3 * s->particles, sizeof *s->stiffness);
    s->orientations = allocate(4 * s->particles, sizeof(double));
    s->x = allocate(6 * s->particles, sizeof(double));
    for (size_t i = 0; i < s->particles; i++) {
        s->orientations[4 * i + 3] = 1.0;
        for (size_t k = 0; k < 3; k++) {
            const size_t at = i / stride[k] % n;
            s->x[6 * i + k] = 0.1 * (double)at + 0.003 * sin((double)(3 * i + k));
            s->x[6 * i + 3 + k] = 0.003 * cos((double)(3 * i + k));
            if (at + 1 == n) {
                continue;
            }
            const size_t b = s->bonds++;
            const size_t ends[2] = {i, i + stride[k]};
            for (size_t end = 0; end < 2; end++) {
                s->nodes[4 * b + 2 * end] = (uint32_t)(2 * ends[end]);
                s->nodes[4 * b + 2 * end + 1] = (uint32_t)(2 * ends[end] + 1);
                s->rotations[2 * b + end] = (uint32_t)ends[end];
                s->radii[2 * b + end] = 0.03;
            }
            s->rest[3 * b + k] = 0.1;
            s->stiffness[b] = bond_stiffness_of_beam(YOUNG, 0.4 * YOUNG, 1.0, 0.05, 0.1);
        }
    }
}

static void free_grid(struct kernel_scene *s) {
    free(s->nodes);
    free(s->rotations);
    free(s->radii);
    free(s->rest);
    free(s->damping);
    free(s->stiffness);
    free(s->orientations);
    free(s->x);
}

static void time_kernels(size_t n) {
    static const struct {
        const char *name;
        uint32_t what;
        bool project;
    } kernels[] = {{"value", EVALUATE_VALUE, false},
                   {"gradient", EVALUATE_VALUE | EVALUATE_GRADIENT, false},
                   {"hessian", EVALUATE_HESSIAN, false},
                   {"semidefinite", EVALUATE_HESSIAN, true}};
    struct kernel_scene s = {0};
    struct memory memory;
    struct assembly assembly;
    struct terms_scratch scratch = {0};
    struct bonds *bonds = NULL;
    make_grid(&s, n);
    memory_init(&memory, NULL);
    const struct bonds_input input = {.count = s.bonds,
                                      .nodes = s.nodes,
                                      .rotations = s.rotations,
                                      .radii = s.radii,
                                      .rest = s.rest,
                                      .stiffness = s.stiffness,
                                      .damping = s.damping,
                                      .orientations = s.orientations};
    require(bonds_create(&memory, &input, &bonds));
    const struct term term = bonds_term(bonds);
    require(assembly_build(&memory, (uint32_t)(2 * s.particles), 0, &term.stencils, 1, &assembly));
    require(term.table->bind(term.self, &memory, &assembly.terms[0]));
    require(terms_reserve(&memory, &assembly, &scratch));
    struct terms_result result = {.gradient = allocate(assembly.vector_slot_count, 24),
                                  .blocks = allocate(assembly.block_slot_count, 72),
                                  .scratch = &scratch};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        const struct evaluation evaluation = {
            .what = kernels[k].what, .x = s.x, .project = kernels[k].project};
        double best = INFINITY;
        for (int round = 0; round < ROUNDS; round++) {
            const double start = clock_seconds();
            terms_evaluate(NULL, &assembly, &term, 1, &evaluation, &result);
            best = fmin(best, clock_seconds() - start);
        }
        printf("bench bonded kernel=%s bonds=%zu mbonds_per_s=%.2f\n", kernels[k].name, s.bonds,
               1e-6 * (double)s.bonds / best);
    }
    free(result.gradient);
    free(result.blocks);
    terms_release(&memory, &scratch);
    term.table->destroy(term.self, &memory);
    assembly_free(&memory, &assembly);
    free_grid(&s);
}

// --- frames ---

/// Prescribes the rotation about the beam's axis of one end by -angle, or of both by -angle and
/// angle. An end is half a cell thick.
static void script_ends(pbs_world *world, pbs_body body, const double *rest, double middle,
                        double cell, double top, double angle, bool both) {
    const size_t count = pbs_body_vertex_count(world, body);
    for (uint32_t i = 0; i < count; i++) {
        const double *p = rest + 3 * (size_t)i;
        if (p[2] > 0.6 * cell && (!both || p[2] < top - 0.6 * cell)) {
            continue;
        }
        const double own = p[2] < 0.5 * top ? -angle : angle;
        const double x = p[0] - middle;
        const double y = p[1] - middle;
        const double place[3] = {middle + cos(own) * x - sin(own) * y,
                                 middle + sin(own) * x + cos(own) * y, p[2]};
        const double turn[4] = {0.0, 0.0, sin(0.5 * own), cos(0.5 * own)};
        require(pbs_body_set_targets(world, body, &i, 1, place));
        require(pbs_body_set_target_orientations(world, body, &i, 1, turn));
    }
}

static pbs_world *new_world(int32_t hessian, double tolerance, int32_t solver, double gravity) {
    pbs_world_desc d;
    pbs_expert_desc expert;
    pbs_world *world = NULL;
    require(pbs_world_desc_init(&d, sizeof d));
    pbs_expert_desc_init(&expert, sizeof expert);
    d.expert = &expert;
    d.threads = 1;
    d.contact = PBS_CONTACT_PROJECTION;
    memset(d.gravity, 0, sizeof d.gravity);
    d.gravity[0] = gravity;
    expert.project_hessian = hessian;
    expert.preconditioner = solver;
    if (tolerance > 0.0) {
        d.relative_tolerance = tolerance;
    }
    require(pbs_world_create(&d, &world));
    return world;
}

struct twist {
    const char *name, *hessian;
    size_t across, along; ///< cells
    double cell, turn, step;
    int frames;
    int32_t choice;
    double tolerance; ///< 0: the world's default
    double young;
    int32_t solver;
    double gravity; ///< across the beam, m/s^2; if not 0, one end is fixed and the other free
};

static void twist(const struct twist *t) {
    const size_t cells[3] = {t->across, t->across, t->along};
    const double cell = t->cell;
    const int frames = t->frames;
    const double middle = 0.5 * (double)t->across * cell;
    const double top = (double)t->along * cell;
    struct cubic_tets mesh;
    pbs_bonded_desc d;
    pbs_body body;
    if (!cubic_tets_make(&mesh, cells, cell, 0.1)) {
        exit(1);
    }
    require(pbs_bonded_desc_init(&d, sizeof d));
    d.vertex_count = mesh.vertex_count;
    d.vertices = mesh.vertices;
    d.tet_count = mesh.tet_count;
    d.tets = mesh.tets;
    d.young = t->young;
    d.shear_modulus = 0.4 * t->young;
    pbs_world *world = new_world(t->choice, t->tolerance, t->solver, t->gravity);
    require(pbs_body_create_bonded(world, &d, &body));
    const size_t bytes = 3 * mesh.tet_count * sizeof(double);
    double *rest = allocate(1, bytes);
    memcpy(rest, pbs_body_positions(world, body), bytes);
    uint64_t newton = 0;
    uint64_t linear = 0;
    uint64_t indefinite = 0;
    double seconds = 0.0;
    for (int frame = 1; frame <= frames; frame++) {
        pbs_stats stats = {.struct_size = sizeof stats};
        script_ends(world, body, rest, middle, cell, top, 0.5 * t->turn * frame, t->gravity == 0.0);
        const double start = clock_seconds();
        require(pbs_world_step(world, t->step));
        seconds += clock_seconds() - start;
        require(pbs_world_stats(world, &stats));
        newton += stats.newton.iterations;
        linear += stats.linear.iterations;
        indefinite += stats.linear.indefinite_solves;
    }
    printf("bench bonded scene=%s hessian=%s solver=%s young=%g tets=%zu cell=%g turn=%g frames=%d "
           "seconds_per_frame=%.3f newton=%llu linear=%llu indefinite=%llu\n",
           t->name, t->hessian, preconditioner_find(t->solver)->name, t->young, mesh.tet_count,
           cell, t->turn, frames, seconds / frames, (unsigned long long)newton,
           (unsigned long long)linear, (unsigned long long)indefinite);
    free(rest);
    pbs_world_destroy(world);
    cubic_tets_free(&mesh);
}

/// Runs the frames, and one step by large angles to eight digits, with each kind of Hessian.
static void twist_all(void) {
    static const struct {
        const char *name;
        int32_t choice;
    } hessians[] = {{"exact", PBS_HESSIAN_EXACT},
                    {"semidefinite", PBS_HESSIAN_SEMIDEFINITE},
                    {"automatic", PBS_HESSIAN_AUTOMATIC}};
    static const double turns[] = {0.05, 0.5, 1.5, 2.5};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        for (size_t k = 0; k < sizeof hessians / sizeof *hessians; k++) {
            twist(&(struct twist){"turn", hessians[k].name, 2, 8, 0.0625, turns[i], FRAME, 1,
                                  hessians[k].choice, 1e-8, YOUNG, PBS_PRECONDITIONER_AUTOMATIC,
                                  0.0});
        }
    }
    static const int32_t solvers[] = {PBS_PRECONDITIONER_AUTOMATIC, PBS_PRECONDITIONER_BLOCK_JACOBI,
                                      PBS_PRECONDITIONER_TWO_LEVEL, PBS_PRECONDITIONER_MULTIGRID,
                                      PBS_PRECONDITIONER_CHOLESKY_FLOAT};
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
        twist(&(struct twist){"twist", "automatic", 9, 18, 0.0625, TURN, FRAME, 40,
                              PBS_HESSIAN_AUTOMATIC, 0.0, YOUNG, solvers[k], 0.0});
        twist(&(struct twist){"twist", "automatic", 9, 18, 0.001, TURN, FRAME, 40,
                              PBS_HESSIAN_AUTOMATIC, 0.0, YOUNG, solvers[k], 0.0});
        twist(&(struct twist){"drape", "automatic", 9, 18, 0.05, 0.0, FRAME, 40,
                              PBS_HESSIAN_AUTOMATIC, 0.0, 1e9, solvers[k], -9.81});
    }
}

// --- the linear system of a frame ---

enum { MOST_ITERATIONS = 3000 };

/// Returns the iterations to a relative residual; adds the time to *seconds.
static uint32_t iterations_to(const struct bonded_system *s, const struct preconditioner *m,
                              double tolerance, struct pcg_workspace *work, double *x,
                              double *seconds) {
    const struct pcg_options options = {.relative_tolerance = tolerance,
                                        .iteration_limit = MOST_ITERATIONS};
    const double start = clock_seconds();
    const struct pcg_result result = pcg_solve(NULL, &s->problem, m, s->b, &options, work, x);
    *seconds = clock_seconds() - start;
    return result.outcome == PCG_CONVERGED ? result.iterations : MOST_ITERATIONS;
}

static void solve(const struct bonded_system_desc *d) {
    static const int32_t ids[] = {PBS_PRECONDITIONER_BLOCK_JACOBI, PBS_PRECONDITIONER_TWO_LEVEL,
                                  PBS_PRECONDITIONER_MULTIGRID};
    struct bonded_system s;
    struct pcg_workspace work = {0};
    require(bonded_system_make(d, &s));
    struct memory *memory = &s.world->memory;
    require(pcg_reserve(memory, &work, s.a.row_count));
    double *x = allocate(3 * (size_t)s.a.row_count, sizeof *x);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct preconditioner m;
        double seconds = 0.0;
        double start = clock_seconds();
        require(preconditioner_create(memory, ids[i], &s.a, ORDER_NATURAL, &m));
        const double analysis = clock_seconds() - start;
        start = clock_seconds();
        require(m.table->factor(m.state, NULL, &s.problem));
        const double setup = clock_seconds() - start;
        printf("bench bonded solve=%s tets=%zu young=%g cell=%g cut=%d broken=%g its_1e2=%u ",
               m.table->name, s.particles, d->young, d->side, d->is_cut, d->broken,
               iterations_to(&s, &m, 1e-2, &work, x, &seconds));
        printf("its_1e4=%u ", iterations_to(&s, &m, 1e-4, &work, x, &seconds));
        const double to_four = seconds;
        printf("its_1e8=%u analysis_s=%.4f setup_s=%.4f solve_s=%.4f\n",
               iterations_to(&s, &m, 1e-8, &work, x, &seconds), analysis, setup, to_four);
        preconditioner_destroy(memory, &m);
    }
    free(x);
    pcg_free(memory, &work);
    bonded_system_free(&s);
}

static void solve_all(void) {
    static const struct bonded_system_desc cases[] = {
        {{6, 6, 7}, 0.0625, 1e7, FRAME, false, 0.0},
        {{12, 12, 14}, 0.03125, 1e7, FRAME, false, 0.0},
        {{9, 9, 18}, 0.05, 1e9, FRAME, false, 0.0},
        {{12, 12, 14}, 0.001, 1e7, FRAME, false, 0.0},
        {{20, 20, 25}, 0.03125, 1e7, FRAME, false, 0.0},
        {{9, 9, 11}, 0.03125, 1e7, FRAME, true, 0.0},
        {{9, 9, 11}, 0.03125, 1e7, FRAME, true, 0.1},
        {{9, 9, 11}, 0.03125, 1e7, FRAME, false, 0.2},
        {{9, 9, 11}, 0.03125, 1e7, FRAME, false, 0.3},
        {{9, 9, 11}, 0.03125, 1e7, FRAME, false, 0.6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        solve(&cases[i]);
    }
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "solve") == 0) {
        solve_all();
        return 0;
    }
    if (count == 2 && strcmp(arguments[1], "twist") == 0) {
        twist_all();
        return 0;
    }
    time_kernels(27);
    twist_all();
    solve_all();
    return 0;
}
