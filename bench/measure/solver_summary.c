// See solver_summary.h. Targets are printed next to measured values. Missing one is no failure,
// because a busy machine can spoil a ratio of times.
// SPDX-License-Identifier: MIT
#include "measure/solver_summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/own_direct.h"

struct solver_summary *solver_summaries_add(struct memory *memory, struct solver_summaries *all,
                                            const struct solver_summary *summary) {
    if (memory_reserve(memory, &all->list, &all->capacity, all->count + 1, sizeof *all->list) !=
        PBS_OK) {
        return NULL;
    }
    all->list[all->count] = *summary;
    return all->list + all->count++;
}

void solver_summaries_free(struct memory *memory, struct solver_summaries *all) {
    memory_release(memory, all->list);
    *all = (struct solver_summaries){0};
}

static double solve_from_numeric(const struct solver_summary *s) {
    return s->run.has_converged[RUN_FINE] ? s->run.numeric_seconds + s->run.solve_seconds[RUN_FINE]
                                          : INFINITY;
}

static double solve_from_nothing(const struct solver_summary *s) {
    return s->run.symbolic_seconds + solve_from_numeric(s);
}

typedef double (*cost_fn)(const struct solver_summary *s);

/// Of one system and one thread: libpbs's default, or the cheapest peer; null: not measured.
static const struct solver_summary *find_best(const struct solver_summaries *all,
                                              const struct linear_case *what, uint32_t cells,
                                              bool of_peers, cost_fn cost) {
    const struct solver_summary *best = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const struct solver_summary *s = all->list + i;
        const bool is_wanted = of_peers ? !s->is_own : s->is_default;
        if (s->what == what && s->cells == cells && s->threads == 1 && is_wanted &&
            (!best || cost(s) < cost(best))) {
            best = s;
        }
    }
    return best;
}

/// At 105k degrees of freedom and above: ahead by 1.2 without contact, by 5 with it.
static void print_ratio(const struct solver_summaries *all, const struct linear_case *what,
                        uint32_t cells, const char *of, cost_fn cost, bool is_aim) {
    const struct solver_summary *own = find_best(all, what, cells, false, cost);
    const struct solver_summary *peer = find_best(all, what, cells, true, cost);
    if (!own || !peer) {
        return;
    }
    const double ratio = own->run.has_converged[RUN_FINE] ? cost(peer) / cost(own) : 0.0;
    printf("bench linear ratio case=%s cells=%u dofs=%.0f of=%s default=%s default_s=%.5f peer=%s "
           "peer_s=%.5f ratio=%.3f",
           what->name, cells, own->dofs, of, own->solver, cost(own), peer->solver, cost(peer),
           ratio);
    if (is_aim && own->dofs > 1e5) {
        const double aim = what->contacts.density > 0.0 ? 5.0 : 1.2;
        printf(" aim=%.1f met=%d", aim, ratio >= aim);
    }
    printf("\n");
    fflush(stdout);
}

void solver_summaries_print_ratio(const struct solver_summaries *all,
                                  const struct linear_case *what, uint32_t cells) {
    print_ratio(all, what, cells, "numeric+solve", solve_from_numeric, true);
    print_ratio(all, what, cells, "symbolic+numeric+solve", solve_from_nothing, false);
}

/// Null where it was not measured.
static const struct solver_summary *find(const struct solver_summaries *all, const char *name,
                                         uint32_t cells, int threads, const char *solver) {
    for (size_t i = 0; i < all->count; i++) {
        const struct solver_summary *s = all->list + i;
        const bool is_solver = solver ? strcmp(s->solver, solver) == 0 : s->is_default;
        if (is_solver && s->cells == cells && s->threads == threads &&
            strcmp(s->what->name, name) == 0) {
            return s;
        }
    }
    return NULL;
}

static void print_aim(const char *what, const struct solver_summary *s, double value, double aim,
                      bool at_most) {
    printf("bench linear aim of=%s case=%s cells=%u solver=%s value=%.4g %s=%.4g met=%d\n", what,
           s->what->name, s->cells, s->solver, value, at_most ? "most" : "least", aim,
           at_most ? value <= aim : value >= aim);
}

/// A solver that did not converge met no aim of iterations.
static double iterations_of(const struct solver_summary *s) {
    return s->run.has_converged[RUN_FINE] ? s->run.iterations[RUN_FINE] : (double)INFINITY;
}

static void print_iteration_aims(const struct solver_summaries *all) {
    static const struct {
        const char *name;
        uint32_t cells;
        double most;
    } aims[] = {{"hard", 32, 45}, {"hard", 51, 55}, {"hard", 69, 65}, {"hard-contact-2", 32, 55}};
    for (size_t i = 0; i < sizeof aims / sizeof *aims; i++) {
        const struct solver_summary *s = find(all, aims[i].name, aims[i].cells, 1, NULL);
        if (s) {
            print_aim("iterations-1e-6", s, iterations_of(s), aims[i].most, true);
        }
    }
}

static void print_own_aims(const struct solver_summaries *all, const struct solver_summary *s) {
    const char *name = s->what->name;
    if (s->is_default && s->threads == 1 && s->dofs > 1e5) {
        const struct solver_summary *two = find(all, name, s->cells, 2, NULL);
        if (two && !all->by_cpu) {
            print_aim("two-threads", s, solve_from_numeric(s) / solve_from_numeric(two), 1.6,
                      false);
        }
        print_aim("bytes-per-dof", s, s->bytes_per_dof, 1200, true);
    }
    if (s->is_default && s->threads == 1 && strcmp(name, "hard-random") == 0) {
        const struct solver_summary *natural = find(all, "hard", s->cells, 1, NULL);
        if (natural) {
            print_aim("random-over-natural", s, iterations_of(s) / iterations_of(natural), 1.4,
                      true);
        }
    }
    if (strcmp(s->solver, "multigrid") == 0 && s->threads == 1) {
        if (!(s->what->contacts.density > 0.0) && s->what->poisson <= 0.45) {
            print_aim("multigrid-iterations", s, iterations_of(s), 30, true);
        }
        print_aim("multigrid-converged", s, s->run.has_converged[RUN_FINE], 1, false);
    }
}

static void print_cholesky_aims(const struct solver_summaries *all,
                                const struct solver_summary *s) {
    const struct solver_summary *peer = find(all, s->what->name, s->cells, 1,
                                             "cholmod-supernodal-metis");
    const struct solver_summary *two = find(all, s->what->name, s->cells, 2, s->solver);
    print_aim("cholesky-residual", s, s->run.residual[RUN_FINE], 1e-12, true);
    if (peer) {
        print_aim("cholesky-speed", s, peer->run.numeric_seconds / s->run.numeric_seconds, 0.8,
                  false);
        if (s->run.entries > 0.0) {
            print_aim("cholesky-fill", s, s->run.entries / peer->run.entries, 1.1, true);
        }
    }
    if (two && !all->by_cpu) {
        print_aim("cholesky-two-threads", s, s->run.numeric_seconds / two->run.numeric_seconds, 1.5,
                  false);
    }
}

void solver_summaries_print_aims(const struct solver_summaries *all) {
    print_iteration_aims(all);
    for (size_t i = 0; i < all->count; i++) {
        const struct solver_summary *s = all->list + i;
        if (s->is_own) {
            print_own_aims(all, s);
        }
        if (s->is_own && s->threads == 1 && strcmp(s->solver, own_direct.name) == 0) {
            print_cholesky_aims(all, s);
        }
    }
}
