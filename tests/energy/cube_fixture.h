// A cube of n^3 cells, six tetrahedra each, with its assembly: what the tests of element terms
// evaluate on.
// SPDX-License-Identifier: MIT
#ifndef PBS_TESTS_ENERGY_CUBE_FIXTURE_H
#define PBS_TESTS_ENERGY_CUBE_FIXTURE_H

#include "support/testing.h"

#include "common/meshes/shapes.h"
#include "energy/evaluate.h"
#include "energy/materials/solid.h"
#include "support/numerics/derivatives.h"
#include "support/random.h"

struct cube {
    struct memory memory;
    size_t node_count, tet_count;
    double *rest;
    uint32_t *tets;
    double *young, *poisson, *damping; ///< by tetrahedron, varied
    struct assembly assembly;
    struct terms_scratch scratch;
    struct terms_result result;
};

static inline void cube_make_mesh(struct cube *cube, uint32_t n) {
    struct tet_mesh mesh = {0};
    assert_true(shape_cube_grid(n, &mesh));
    cube->node_count = mesh.vertex_count;
    cube->tet_count = mesh.tet_count;
    cube->rest = memory_allocate(&cube->memory, mesh.vertex_count, 3 * sizeof(double));
    cube->tets = memory_allocate(&cube->memory, mesh.tet_count, 4 * sizeof(uint32_t));
    memcpy(cube->rest, mesh.positions, 3 * mesh.vertex_count * sizeof(double));
    memcpy(cube->tets, mesh.tets, 4 * mesh.tet_count * sizeof(uint32_t));
    tet_mesh_free(&mesh);
}

static inline struct solid_input cube_solid_input(const struct cube *cube,
                                                  const struct material_table *material) {
    return (struct solid_input){.material = material,
                                .tet_count = cube->tet_count,
                                .tets = cube->tets,
                                .rest = cube->rest,
                                .young = cube->young,
                                .poisson = cube->poisson,
                                .damping = cube->damping};
}

/// Builds the assembly of these terms' stencils and all arrays of an evaluation.
static inline void cube_assemble(struct cube *cube, const struct term *terms, size_t count,
                                 uint32_t domain_count) {
    struct stencils sets[8];
    size_t set_count = 0;
    for (size_t k = 0; k < count; k++) {
        if (terms[k].has_stencils) {
            sets[set_count++] = terms[k].stencils;
        }
    }
    assert_ok(assembly_build(&cube->memory, (uint32_t)cube->node_count, domain_count, sets,
                             set_count, &cube->assembly));
    assert_ok(terms_reserve(&cube->memory, &cube->assembly, &cube->scratch));
    cube->result.scratch = &cube->scratch;
    cube->result.gradient = memory_allocate(&cube->memory, cube->assembly.vector_slot_count,
                                            3 * sizeof(double));
    cube->result.blocks = memory_allocate(&cube->memory, cube->assembly.block_slot_count,
                                          9 * sizeof(double));
}

static inline void cube_make(struct cube *cube, uint32_t n) {
    struct random random = random_seed(n);
    *cube = (struct cube){0};
    memory_init(&cube->memory, NULL);
    cube_make_mesh(cube, n);
    cube->young = memory_allocate(&cube->memory, cube->tet_count, sizeof(double));
    cube->poisson = memory_allocate(&cube->memory, cube->tet_count, sizeof(double));
    cube->damping = memory_allocate(&cube->memory, cube->tet_count, sizeof(double));
    random_fill(&random, 1.0, 3.0, cube->young, cube->tet_count);
    random_fill(&random, 0.0, 0.45, cube->poisson, cube->tet_count);
    random_fill(&random, 0.0, 0.1, cube->damping, cube->tet_count);
}

static inline void cube_free(struct cube *cube) {
    memory_release(&cube->memory, cube->result.gradient);
    memory_release(&cube->memory, cube->result.blocks);
    terms_release(&cube->memory, &cube->scratch);
    assembly_free(&cube->memory, &cube->assembly);
    memory_release(&cube->memory, cube->rest);
    memory_release(&cube->memory, cube->tets);
    memory_release(&cube->memory, cube->young);
    memory_release(&cube->memory, cube->poisson);
    memory_release(&cube->memory, cube->damping);
    assert_int_equal(cube->memory.bytes_in_use, 0);
}

/// x = rest, each coordinate moved by up to `amount`.
static inline void cube_positions(const struct cube *cube, struct random *random, double amount,
                                  double *x) {
    for (size_t i = 0; i < 3 * cube->node_count; i++) {
        x[i] = cube->rest[i] + random_uniform(random, -amount, amount);
    }
}

/// Nodes without a mesh, for terms that bring their own stencils.
static inline void cube_make_nodes(struct cube *cube, size_t node_count) {
    *cube = (struct cube){.node_count = node_count};
    memory_init(&cube->memory, NULL);
}

/// Assembles and binds these terms.
static inline void cube_bind(struct cube *cube, const struct term *terms, size_t count,
                             uint32_t domain_count) {
    cube_assemble(cube, terms, count, domain_count);
    const struct stencil_groups *groups = cube->assembly.terms;
    for (size_t k = 0; k < count; k++) {
        const struct stencil_groups *own = terms[k].has_stencils ? groups++ : NULL;
        if (terms[k].table->bind != NULL) {
            assert_ok(terms[k].table->bind(terms[k].self, &cube->memory, own));
        }
    }
}

static inline int cube_evaluate(struct cube *cube, const struct term *terms, size_t count,
                                const struct evaluation *evaluation) {
    return terms_evaluate(NULL, &cube->assembly, terms, count, evaluation, &cube->result);
}

/// A term over the cube's nodes as a function of all coordinates.
struct cube_function {
    struct cube *cube;
    const struct term *term;
    bool project, project_shells, damping_weights;
    struct stage_view stage; ///< of dissipative terms
};

static inline void cube_function_evaluate(const struct cube_function *f, uint32_t what,
                                          const double *x) {
    const struct evaluation evaluation = {.what = what,
                                          .x = x,
                                          .stage = f->stage,
                                          .project = f->project,
                                          .project_shells = f->project_shells,
                                          .damping_weights = f->damping_weights};
    assert_int_equal(cube_evaluate(f->cube, f->term, 1, &evaluation), EVALUATE_OK);
}

static inline double cube_function_value(void *context, const double *x) {
    const struct cube_function *f = context;
    cube_function_evaluate(f, EVALUATE_VALUE, x);
    return f->cube->result.value;
}

static inline void cube_function_gradient(void *context, const double *x, double *gradient) {
    const struct cube_function *f = context;
    cube_function_evaluate(f, EVALUATE_GRADIENT, x);
    memcpy(gradient, f->cube->result.gradient, 3 * f->cube->node_count * sizeof *gradient);
}

/// Dense, row-major.
static inline void cube_function_hessian(void *context, const double *x, double *hessian) {
    const struct cube_function *f = context;
    const struct assembly *assembly = &f->cube->assembly;
    const size_t size = 3 * f->cube->node_count;
    cube_function_evaluate(f, EVALUATE_HESSIAN, x);
    for (size_t i = 0; i < f->cube->node_count; i++) {
        for (size_t j = 0; j < f->cube->node_count; j++) {
            const uint32_t row = assembly->layout.row[i];
            const uint32_t column = assembly->layout.row[j];
            const size_t block = row <= column ? bsr_find(&assembly->pattern, row, column)
                                               : bsr_find(&assembly->pattern, column, row);
            for (size_t k = 0; k < 9; k++) {
                const size_t entry = row <= column ? k : 3 * (k % 3) + k / 3;
                hessian[size * (3 * i + k / 3) + 3 * j +
                        k % 3] = block == SIZE_MAX ? 0.0
                                                   : f->cube->result.blocks[9 * block + entry];
            }
        }
    }
}

static inline struct derivatives_function cube_derivatives(struct cube_function *f) {
    return (struct derivatives_function){.count = 3 * f->cube->node_count,
                                         .value = cube_function_value,
                                         .gradient = cube_function_gradient,
                                         .hessian = cube_function_hessian,
                                         .context = f};
}

#endif
