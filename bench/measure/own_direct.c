// As own_solver.c, the vectors change their order inside what is timed.
#include "measure/own_direct.h"

#include <stdlib.h>

#include "linear/supernodal.h"

struct state {
    const struct own_setting *setting;
    struct supernodal *factors;
    double *x;
};

void *own_direct_create(const void *context) {
    struct state *s = calloc(1, sizeof *s);
    if (s) {
        s->setting = context;
    }
    return s;
}

static bool analyze(void *state) {
    struct state *s = state;
    const struct own_setting *setting = s->setting;
    const struct bsr *a = setting->problem->a;
    s->x = memory_allocate(setting->memory, 3 * (size_t)a->row_count, sizeof *s->x);
    return s->x && supernodal_create(setting->memory, SUPERNODAL_DOUBLE, &s->factors) == PBS_OK &&
           supernodal_analyze(s->factors, a, NULL) == PBS_OK;
}

static bool factor(void *state) {
    struct state *s = state;
    return supernodal_factor(s->factors, s->setting->tasks, s->setting->problem->a, 0.0) == PBS_OK;
}

static struct peer_result solve(void *state, const double *b, double tolerance, double *x) {
    (void)tolerance;
    struct state *s = state;
    scalar_csr_to_rows(s->setting->csr, s->setting->problem->a->row_count, b, s->x);
    supernodal_solve(s->factors, s->setting->tasks, s->x, s->x);
    scalar_csr_from_rows(s->setting->csr, s->x, x);
    return (struct peer_result){1, true};
}

static double entries(const void *state) {
    return (double)supernodal_factor_entries(((const struct state *)state)->factors);
}

static double flops(const void *state) {
    return supernodal_flops(((const struct state *)state)->factors);
}

static void release(void *state) {
    struct state *s = state;
    supernodal_destroy(s->factors);
    memory_release(s->setting->memory, s->x);
    free(s);
}

const struct peer_table own_direct = {.name = "libpbs-supernodal",
                                      .is_direct = true,
                                      .size_limit = 500000,
                                      .analyze = analyze,
                                      .factor = factor,
                                      .solve = solve,
                                      .entries = entries,
                                      .flops = flops,
                                      .release = release};
