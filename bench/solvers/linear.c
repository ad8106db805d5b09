// Compares linear solvers, those of the library and those of other installed libraries, on the same
// systems. Prints a line for each solver and system, with median times:
//     bench linear solver case=hard cells=32 dofs=104544 solver=libpbs-... threads=1 ...
// and a line for each system that compares the best other solver with libpbs's default; at the end
// a summary of targets and results. The other solvers get H0 + C as a scalar matrix in the host's
// numbering; they are timed after conversion to their format, and run on one thread. symbolic_s
// includes the renumbering for libpbs, and the ordering for the others. A solver that fails is
// reported with converged=0 and the place of failure.
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cblas.h>

#include "base/runtime/clock.h"
#include "common/program/command_line.h"
#include "measure/bandwidth.h"
#include "measure/own_direct.h"
#include "measure/peer_list.h"
#include "measure/solver_summary.h"
#include "pbs/world.h"
#include "scenes/linear/linear_scene.h"

enum { ROUNDS = 20 };

struct bench {
    struct memory memory;
    const char *sizes, *cases, *solvers, *threads, *meshes;
    struct solver_limits limits;
    pbs_world_desc defaults;
    pbs_expert_desc expert; ///< defaults too
    struct peer_list peers;
    struct solver_summaries summaries;
};

/// One system and its measurements.
struct row {
    struct bench *bench;
    const struct linear_case *what;
    uint32_t cells;
    struct linear_scene scene;
    struct scalar_csr csr;
    double layout_seconds;
    double product_seconds;
    double *x;
};

static void must(bool done) {
    if (!done) {
        fprintf(stderr, "%s\n", pbs_last_error());
        exit(1);
    }
}

/// Returns the next word of a list separated by blanks or commas; null at its end.
static const char *next_word(const char *text, size_t *length) {
    text += strspn(text, " ,");
    *length = strcspn(text, " ,");
    return *length > 0 ? text : NULL;
}

static bool is_chosen(const char *list, const char *name, bool by_part) {
    size_t length = 0;
    bool is_any = false;
    for (const char *word = list; (word = next_word(word, &length)); word += length) {
        char text[128];
        snprintf(text, sizeof text, "%.*s", (int)length, word);
        is_any = true;
        if (by_part ? strstr(name, text) != NULL : strcmp(name, text) == 0) {
            return true;
        }
    }
    return !is_any;
}

static double load_average(void) {
    double load = 0.0;
    return getloadavg(&load, 1) == 1 ? load : -1.0;
}

static double least(double a, double b) {
    return a < b ? a : b;
}

// --- one system ---

static double dofs_of(const struct row *row) {
    return row->csr.matrix.size;
}

static void print_key(const struct row *row, const char *kind) {
    printf("bench linear %s case=%s cells=%u dofs=%.0f", kind, row->what->name, row->cells,
           dofs_of(row));
}

/// Times the renumbering, which is done once per topology for every solver.
static double time_layout(struct row *row) {
    const struct bsr *a = &row->scene.fixture.matrix;
    struct memory *memory = &row->bench->memory;
    uint32_t *pairs = memory_allocate(memory, 2 * a->block_count, sizeof *pairs);
    must(pairs);
    size_t count = 0;
    for (uint32_t i = 0; i < a->row_count; i++) {
        for (uint32_t k = a->row_start[i] + 1; k < a->row_start[i + 1]; k++) {
            pairs[2 * count] = a->layout->node[i];
            pairs[2 * count++ + 1] = a->layout->node[a->column[k]];
        }
    }
    const struct stencils set = {count, 2, pairs};
    struct graph graph;
    struct layout layout;
    must(graph_build(memory, a->row_count, &set, 1, &graph) == PBS_OK);
    const double start = clock_seconds();
    must(layout_from_graph(memory, &graph, NULL, 0, &layout) == PBS_OK);
    const double seconds = clock_seconds() - start;
    layout_free(memory, &layout);
    graph_free(memory, &graph);
    memory_release(memory, pairs);
    return seconds;
}

/// Times the construction of the contact matrix.
static double time_contacts(struct row *row) {
    struct contact_fixture *contacts = &row->scene.contacts;
    double best = 1e30;
    for (int i = 0; i < 3 && row->scene.problem.c; i++) {
        const double start = clock_seconds();
        must(contact_matrix_build(&row->bench->memory, row->scene.fixture.matrix.layout,
                                  &contacts->set, 1, &contacts->matrix) == PBS_OK);
        best = least(best, clock_seconds() - start);
    }
    return row->scene.problem.c ? best : 0.0;
}

/// Times the matrix product and the triad alternately.
static void print_bandwidth(struct row *row, int threads, struct tasks *tasks) {
    struct memory *memory = &row->bench->memory;
    const struct bsr *a = &row->scene.fixture.matrix;
    struct triad triad;
    double *y = memory_allocate(memory, 3 * (size_t)a->row_count, sizeof *y);
    must(y && triad_create(memory, 3 * a->block_count, &triad) == PBS_OK);
    double product = 1e30;
    double stream = 1e30;
    for (int i = 0; i < ROUNDS; i++) {
        const double start = clock_seconds();
        problem_multiply(tasks, &row->scene.problem, row->scene.fixture.rhs, y);
        const double middle = clock_seconds();
        triad_run(tasks, &triad);
        product = least(product, middle - start);
        stream = least(stream, clock_seconds() - middle);
    }
    row->product_seconds = product;
    print_key(row, "product");
    printf(" nodes=%u blocks=%zu domains=%u threads=%d ms=%.3f gbps=%.2f triad_gbps=%.2f",
           a->row_count, a->block_count, a->layout->domain_count, threads, 1e3 * product,
           1e-9 * product_bytes(a) / product, 1e-9 * triad_bytes(&triad) / stream);
    printf(" layout_s=%.4f contacts=%zu contacts_ms=%.3f load=%.1f\n", row->layout_seconds,
           row->scene.contacts.count, 1e3 * time_contacts(row), load_average());
    triad_free(memory, &triad);
    memory_release(memory, y);
}

/// Returns the bytes of H0, C and the row order.
static double matrix_bytes(const struct linear_scene *scene) {
    const struct bsr *a = &scene->fixture.matrix;
    const double rows = a->row_count;
    const double outer = a->incoming_start[a->row_count];
    double bytes = 76.0 * (double)a->block_count + (12.0 + 8.0) * rows + 8.0 * outer;
    if (scene->problem.c) {
        const struct contact_matrix *c = scene->problem.c;
        bytes += 76.0 * c->start[c->row_count] + 8.0 * c->row_count;
    }
    return bytes;
}

static struct solver_summary *print_run(struct row *row, const char *family, const char *name,
                                        int threads, const struct solver_run *run) {
    struct bench *bench = row->bench;
    struct solver_summary *out = solver_summaries_add(
        &bench->memory, &bench->summaries,
        &(struct solver_summary){.what = row->what,
                                 .cells = row->cells,
                                 .threads = threads,
                                 .dofs = dofs_of(row),
                                 .solver = name,
                                 .bytes_per_dof = run->bytes / dofs_of(row),
                                 .run = *run});
    must(out);
    print_key(row, "solver");
    printf(" solver=%s%s threads=%d n=%d symbolic_s=%.5f numeric_s=%.5f iterations_1e-3=%u "
           "seconds_1e-3=%.5f iterations_1e-6=%u seconds_1e-6=%.5f residual_1e-3=%.2e "
           "residual_1e-6=%.2e rounding_1e-6=%.2e converged=%d failed=%s bytes=%.0f "
           "bytes_per_dof=%.1f entries=%.0f "
           "gflops=%.1f",
           family, name, threads, run->repetitions, run->symbolic_seconds, run->numeric_seconds,
           run->iterations[RUN_COARSE], run->solve_seconds[RUN_COARSE], run->iterations[RUN_FINE],
           run->solve_seconds[RUN_FINE], run->residual[RUN_COARSE], run->residual[RUN_FINE],
           run->rounding[RUN_FINE], run->has_converged[RUN_FINE], run->failed ? run->failed : "no",
           run->bytes, out->bytes_per_dof, run->entries,
           1e-9 * run->flops / (run->numeric_seconds > 0.0 ? run->numeric_seconds : 1.0));
    return out;
}

static void print_failure(const struct solver_run *run) {
    if (run->failed && *pbs_last_error()) {
        printf(" message=\"%s\"", pbs_last_error());
    }
}

static void measure_own(struct row *row, const struct preconditioner_table *table,
                        const struct own_setting *setting, int threads) {
    struct bench *bench = row->bench;
    char name[64];
    snprintf(name, sizeof name, "libpbs-%s", table->name);
    if (!is_chosen(bench->solvers, name, true)) {
        return;
    }
    const struct solver_source source = {&own_solver, own_solver_create, setting};
    void *state = NULL;
    struct solver_run run = solver_run(&source, &row->csr, &bench->limits, row->x, &state);
    run.symbolic_seconds += row->layout_seconds;
    struct solver_summary *summary = print_run(row, "libpbs-", table->name, threads, &run);
    summary->is_own = true;
    summary->is_default = table->id == bench->expert.preconditioner;
    summary->bytes_per_dof += matrix_bytes(&row->scene) / dofs_of(row);
    printf(" bytes_with_matrix_per_dof=%.1f shift=%g outcome=%s numeric_products=%.1f "
           "iteration_products=%.2f default=%d",
           summary->bytes_per_dof, state ? own_solver_shift(state) : 0.0,
           state ? own_solver_outcome(state) : "none", run.numeric_seconds / row->product_seconds,
           run.iterations[RUN_FINE] == 0
               ? 0.0
               : run.solve_seconds[RUN_FINE] / row->product_seconds / run.iterations[RUN_FINE],
           summary->is_default);
    print_failure(&run);
    printf("\n");
    fflush(stdout);
    if (state) {
        own_solver.release(state);
    }
}

static void measure_direct(struct row *row, const struct own_setting *setting, int threads) {
    struct bench *bench = row->bench;
    if (!is_chosen(bench->solvers, own_direct.name, true) ||
        row->csr.matrix.size > own_direct.size_limit) {
        return;
    }
    const struct solver_source source = {&own_direct, own_direct_create, setting};
    void *state = NULL;
    const struct solver_run run = solver_run(&source, &row->csr, &bench->limits, row->x, &state);
    print_run(row, "", own_direct.name, threads, &run)->is_own = true;
    print_failure(&run);
    printf("\n");
    fflush(stdout);
    if (state) {
        own_direct.release(state);
    }
}

static void measure_peer(struct row *row, const struct peer_table *table) {
    struct bench *bench = row->bench;
    if (!is_chosen(bench->solvers, table->name, true)) {
        return;
    }
    if (row->csr.matrix.size > table->size_limit) {
        print_key(row, "skipped");
        printf(" solver=%s size_limit=%d\n", table->name, table->size_limit);
        return;
    }
    const struct solver_source source = {.table = table};
    void *state = NULL;
    const struct solver_run run = solver_run(&source, &row->csr, &bench->limits, row->x, &state);
    print_run(row, "", table->name, 1, &run);
    printf("\n");
    fflush(stdout);
    if (state) {
        table->release(state);
    }
}

static void measure_ours(struct row *row, int threads) {
    struct bench *bench = row->bench;
    struct tasks *tasks = NULL;
    must(tasks_create(&bench->memory, NULL, threads, &tasks) == PBS_OK);
    print_bandwidth(row, threads, tasks);
    struct own_setting setting = {
        .memory = &bench->memory,
        .tasks = tasks,
        .problem = &row->scene.problem,
        .csr = &row->csr,
        .order = bench->expert.preconditioner_order == PBS_ORDER_NATURAL ? ORDER_NATURAL
                                                                         : ORDER_NESTED_DISSECTION,
    };
    for (size_t i = 0; preconditioner_tables[i]; i++) {
        // Unpreconditioned conjugate gradients are omitted, as they take minutes.
        if (preconditioner_tables[i]->id != PBS_PRECONDITIONER_NONE) {
            setting.preconditioner = preconditioner_tables[i]->id;
            measure_own(row, preconditioner_tables[i], &setting, threads);
        }
    }
    measure_direct(row, &setting, threads);
    tasks_destroy(&bench->memory, tasks);
}

static void measure_row(struct bench *bench, const struct linear_case *what, uint32_t cells) {
    struct memory *memory = &bench->memory;
    struct row row = {.bench = bench, .what = what, .cells = cells};
    if (linear_scene_build(memory, what, cells, bench->meshes, &row.scene) != PBS_OK) {
        printf("bench linear skipped case=%s cells=%u message=\"%s\"\n", what->name, cells,
               pbs_last_error());
        return;
    }
    must(scalar_csr_build(memory, &row.scene.fixture, row.scene.problem.c, &row.csr) == PBS_OK);
    row.x = memory_allocate(memory, (size_t)row.csr.matrix.size, sizeof *row.x);
    must(row.x);
    row.layout_seconds = time_layout(&row);
    size_t length = 0;
    for (const char *word = bench->threads; (word = next_word(word, &length)); word += length) {
        measure_ours(&row, atoi(word));
    }
    for (size_t i = 0; i < bench->peers.count; i++) {
        measure_peer(&row, bench->peers.table[i]);
    }
    solver_summaries_print_ratio(&bench->summaries, what, cells);
    memory_release(memory, row.x);
    scalar_csr_free(memory, &row.csr);
    linear_scene_free(memory, &row.scene);
}

// --- all systems ---

static void measure_all(struct bench *bench) {
    size_t length = 0;
    for (const char *word = bench->sizes; (word = next_word(word, &length)); word += length) {
        for (const struct linear_case *c = linear_cases; c->name; c++) {
            if (!c->mesh && is_chosen(bench->cases, c->name, false)) {
                measure_row(bench, c, (uint32_t)strtoul(word, NULL, 10));
            }
        }
    }
    for (const struct linear_case *c = linear_cases; c->name; c++) {
        if (c->mesh && is_chosen(bench->cases, c->name, false)) {
            measure_row(bench, c, 0);
        }
    }
}

/// OpenBLAS chooses its kernels when it is loaded, and very slow ones for a processor newer than
/// itself. For a fair comparison the bench restarts itself with suitable kernels.
static void choose_blas_kernels(char **argv) {
#if defined(__x86_64__)
    static const char *const wide[] = {"SkylakeX", "Cooperlake", "SapphireRapids"};
    static const char *const narrow[] = {"Haswell", "Zen"};
    const bool is_wide = __builtin_cpu_supports("avx512f");
    const char *const *fit = is_wide ? wide : narrow;
    const size_t count = is_wide ? sizeof wide / sizeof *wide : sizeof narrow / sizeof *narrow;
    bool is_fit = getenv("OPENBLAS_CORETYPE") || !__builtin_cpu_supports("avx2");
    for (size_t i = 0; i < count; i++) {
        is_fit = is_fit || strcmp(openblas_get_corename(), fit[i]) == 0;
    }
    if (!is_fit) {
        setenv("OPENBLAS_CORETYPE", fit[0], 1);
        execv("/proc/self/exe", argv);
    }
#else
    (void)argv;
#endif
}

int main(int argc, char **argv) {
    choose_blas_kernels(argv);
    struct bench bench = {.sizes = "14 32",
                          .cases = "",
                          .solvers = "",
                          .threads = "1 2",
                          .meshes = "../shared/data/meshes",
                          .limits = {.repetitions = 0, .seconds = 10.0}};
    int64_t repeat = 0;
    const struct command_option options[] = {
        {"sizes", COMMAND_TEXT, &bench.sizes, "CELLS",
         "cells along an edge: 14, 32, 51 and 69 are 9.5k, 105k, 414k and 1.01M unknowns"},
        {"cases", COMMAND_TEXT, &bench.cases, "NAMES", "the systems (all)"},
        {"solvers", COMMAND_TEXT, &bench.solvers, "PARTS",
         "solvers whose names hold one of these (all)"},
        {"threads", COMMAND_TEXT, &bench.threads, "COUNTS", "of our solvers; peers have one"},
        {"repeat", COMMAND_COUNT, &repeat, "N", "repetitions (0: 5, 3 or 1 by size)"},
        {"seconds", COMMAND_NUMBER, &bench.limits.seconds, "S",
         "after which a solver is not repeated"},
        {"cpu", COMMAND_FLAG, &bench.limits.by_cpu, NULL,
         "seconds are the processor's, all threads together: for busy machines and one thread"},
        {"meshes", COMMAND_TEXT, &bench.meshes, "FOLDER", "where the real meshes are"},
    };
    int status = 0;
    if (!command_line_or_exit(argc, argv, "compares linear solvers", options,
                              sizeof options / sizeof *options, &status)) {
        return status;
    }
    bench.limits.repetitions = (int)repeat;
    bench.summaries.by_cpu = bench.limits.by_cpu;
    // Other solvers use one thread inside BLAS and OpenMP.
    setenv("OMP_NUM_THREADS", "1", 1);
    openblas_set_num_threads(1);
    memory_init(&bench.memory, NULL);
    pbs_world_desc_init(&bench.defaults, sizeof bench.defaults);
    pbs_expert_desc_init(&bench.expert, sizeof bench.expert);
    bench.defaults.contact = PBS_CONTACT_PROJECTION;
    // The speed of direct solvers depends on the kernels that OpenBLAS has chosen.
    printf("bench linear blas core=%s\n", openblas_get_corename());
    peer_list_open("bench linear", &bench.peers);
    measure_all(&bench);
    solver_summaries_print_aims(&bench.summaries);
    solver_summaries_free(&bench.memory, &bench.summaries);
    return 0;
}
