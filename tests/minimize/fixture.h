// A minimisation problem made of a host's energy (custom term), held axes and obstacles, with
// everything below the minimiser set up.
// SPDX-License-Identifier: MIT
#ifndef PBS_TESTS_MINIMIZE_FIXTURE_H
#define PBS_TESTS_MINIMIZE_FIXTURE_H

#include "energy/custom/custom.h"
#include "minimize/newton/newton.h"
#include "pbs/collider.h"
#include "pbs/world.h"
#include "support/testing.h"

struct fixture {
    struct memory memory;
    struct tasks *tasks;
    struct custom *custom;
    struct term term;
    struct assembly assembly;
    struct terms_scratch scratch;
    struct newton *newton;
    struct projection projection;
    struct projection_scene scene;
    struct objective objective;
    struct newton_options options;
    size_t node_count;
    double *mass, *predictor; ///< 1 kg and 0 at first
};

struct fixture_input {
    uint32_t node_count, width;
    size_t stencil_count;
    const uint32_t *stencils;
    pbs_custom_fn evaluate;
    void *user;
    int32_t threads;        ///< 0: one
    uint32_t domains;       ///< 0: the library's choice
    int32_t preconditioner; ///< PBS_PRECONDITIONER_*
};

static inline void fixture_create(struct fixture *f, const struct fixture_input *input) {
    *f = (struct fixture){.node_count = input->node_count};
    memory_init(&f->memory, &(pbs_allocator){0});
    assert_ok(tasks_create(&f->memory, NULL, input->threads > 0 ? input->threads : 1, &f->tasks));
    const struct custom_input custom = {.width = input->width,
                                        .stencil_count = input->stencil_count,
                                        .nodes = input->stencils,
                                        .evaluate = input->evaluate,
                                        .user = input->user,
                                        .is_concurrent = true};
    assert_ok(custom_create(&f->memory, &custom, &f->custom));
    f->term = custom_term(f->custom);
    assert_ok(assembly_build(&f->memory, input->node_count, input->domains, &f->term.stencils, 1,
                             &f->assembly));
    assert_ok(terms_reserve(&f->memory, &f->assembly, &f->scratch));
    assert_ok(newton_create(&f->memory, &f->assembly, NULL, input->preconditioner, ORDER_NATURAL,
                            &f->newton));
    f->mass = memory_allocate(&f->memory, f->node_count, sizeof *f->mass);
    f->predictor = memory_allocate(&f->memory, 3 * f->node_count, sizeof *f->predictor);
    for (size_t i = 0; i < f->node_count; i++) {
        f->mass[i] = 1.0;
    }
    f->objective = (struct objective){.tasks = f->tasks,
                                      .assembly = &f->assembly,
                                      .terms = &f->term,
                                      .term_count = 1,
                                      .mass = f->mass,
                                      .predictor = f->predictor,
                                      .weight = 1.0,
                                      .stage = {.origin = f->predictor, .length = 1.0},
                                      .scratch = &f->scratch};
    f->options = (struct newton_options){.newton_limit = 500,
                                         .linear_limit = 10000,
                                         .tolerance = 1e-8,
                                         .least_residual = 1e-8,
                                         .forcing = 1.0,
                                         .step_length_limit = 1e3};
    f->scene = (struct projection_scene){.node_count = f->node_count, .scale = 1.0};
}

static inline struct newton_result fixture_minimize(struct fixture *f, double *x) {
    assert_ok(projection_begin(&f->memory, &f->scene, &f->projection));
    return newton_minimize(f->newton, &f->objective, &f->projection, &f->options, x);
}

static inline void fixture_destroy(struct fixture *f) {
    memory_release(&f->memory, f->predictor);
    memory_release(&f->memory, f->mass);
    projection_free(&f->memory, &f->projection);
    newton_destroy(f->newton, &f->memory);
    terms_release(&f->memory, &f->scratch);
    assembly_free(&f->memory, &f->assembly);
    custom_destroy(f->custom, &f->memory);
    tasks_destroy(&f->memory, f->tasks);
    assert_int_equal(f->memory.bytes_in_use, 0);
}

#endif
