// Cost of elements: value, gradient, exact and projected Hessian with assembly, in nanoseconds per
// tetrahedron and relative to a product with the assembled matrix. Uses one thread, and a cube of
// about 100 000 tetrahedra.
//
//     energy [CELLS]      CELLS along an edge of the cube, default 26
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/runtime/clock.h"
#include "common/meshes/shapes.h"
#include "energy/evaluate.h"
#include "energy/materials/solid.h"

static void *allocate(size_t count, size_t size) {
    void *block = calloc(count, size);
    if (block == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return block;
}

static void require(pbs_status status) {
    if (status < 0) {
        fprintf(stderr, "%s\n", pbs_last_error());
        exit(1);
    }
}

struct bench {
    struct memory memory;
    struct tet_mesh mesh;
    struct assembly assembly;
    struct terms_scratch scratch;
    struct terms_result result;
    double *x, *y, *product;
};

/// Seconds of the fastest of several runs of an evaluation, and of a product timed alternately with
/// it.
struct timing {
    double evaluation, product;
};

static double since(double start) {
    return clock_seconds() - start;
}

/// Times an evaluation; if it is null, times max_step along a direction without inversion.
static struct timing time_term(struct bench *bench, const struct term *term,
                               const struct evaluation *evaluation) {
    struct bsr matrix = bench->assembly.pattern;
    struct timing best = {1e30, 1e30};
    matrix.values = bench->result.blocks;
    for (int run = 0; run < 40; run++) {
        const double start = clock_seconds();
        if (evaluation != NULL) {
            terms_evaluate(NULL, &bench->assembly, term, 1, evaluation, &bench->result);
        } else {
            terms_max_step(NULL, &bench->assembly, term, 1, bench->x, bench->y, 1e-3,
                           &bench->scratch);
        }
        best.evaluation = fmin(best.evaluation, since(start));
        const double middle = clock_seconds();
        bsr_multiply(NULL, &matrix, bench->y, bench->product);
        best.product = fmin(best.product, since(middle));
    }
    return best;
}

static struct solid *make_solid(struct bench *bench, const struct material_table *material) {
    double *constants = allocate(3 * bench->mesh.tet_count, sizeof(double));
    for (size_t t = 0; t < bench->mesh.tet_count; t++) {
        constants[t] = 1e5;
        constants[bench->mesh.tet_count + t] = 0.3;
    }
    const struct solid_input input = {
        .material = material,
        .tet_count = bench->mesh.tet_count,
        .tets = bench->mesh.tets,
        .rest = bench->mesh.positions,
        .young = constants,
        .poisson = constants + bench->mesh.tet_count,
        .damping = constants + 2 * bench->mesh.tet_count,
    };
    struct solid *solid = NULL;
    require(solid_create(&bench->memory, &input, &solid));
    free(constants);
    return solid;
}

static void report(const struct bench *bench, const char *material, const char *what,
                   struct timing best) {
    printf("energy material=%s what=%s tets=%zu ns_per_tet=%.2f product_ms=%.3f products=%.2f\n",
           material, what, bench->mesh.tet_count,
           1e9 * best.evaluation / (double)bench->mesh.tet_count, 1e3 * best.product,
           best.evaluation / best.product);
}

static void run_material(struct bench *bench, const struct material_table *material) {
    static const struct {
        const char *name;
        uint32_t what;
        bool project;
    } kinds[] = {{"value", EVALUATE_VALUE, false},
                 {"gradient", EVALUATE_GRADIENT, false},
                 {"value+gradient", EVALUATE_VALUE | EVALUATE_GRADIENT, false},
                 {"hessian", EVALUATE_HESSIAN, false},
                 {"hessian-projected", EVALUATE_HESSIAN, true}};
    struct solid *solid = make_solid(bench, material);
    const struct term term = solid_term(solid);
    require(solid_bind(solid, &bench->memory, &bench->assembly.terms[0]));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const struct evaluation evaluation = {
            .what = kinds[k].what, .x = bench->x, .project = kinds[k].project};
        report(bench, material->name, kinds[k].name, time_term(bench, &term, &evaluation));
    }
    if (term.table->max_step != NULL) {
        report(bench, material->name, "max-step", time_term(bench, &term, NULL));
    }
    solid_destroy(solid, &bench->memory);
}

static void set_up(struct bench *bench, uint32_t cells) {
    memory_init(&bench->memory, NULL);
    if (!shape_cube_grid(cells, &bench->mesh)) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    struct solid *solid = make_solid(bench, material_tables[0]);
    const struct stencils stencils = solid_term(solid).stencils;
    require(assembly_build(&bench->memory, (uint32_t)bench->mesh.vertex_count, 0, &stencils, 1,
                           &bench->assembly));
    solid_destroy(solid, &bench->memory);
    require(terms_reserve(&bench->memory, &bench->assembly, &bench->scratch));
    const size_t count = 3 * bench->mesh.vertex_count;
    bench->x = allocate(count, sizeof(double));
    bench->y = allocate(count, sizeof(double));
    bench->product = allocate(count, sizeof(double));
    uint64_t random = 1;
    for (size_t i = 0; i < count; i++) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        bench->y[i] = (double)(random >> 11) / 9007199254740992.0 - 0.5;
        bench->x[i] = bench->mesh.positions[i] + 0.05 / cells * bench->y[i];
    }
    bench->result.scratch = &bench->scratch;
    bench->result.gradient = memory_allocate(&bench->memory, bench->assembly.vector_slot_count,
                                             3 * sizeof(double));
    bench->result.blocks = memory_allocate(&bench->memory, bench->assembly.block_slot_count,
                                           9 * sizeof(double));
}

static void tear_down(struct bench *bench) {
    memory_release(&bench->memory, bench->result.gradient);
    memory_release(&bench->memory, bench->result.blocks);
    terms_release(&bench->memory, &bench->scratch);
    assembly_free(&bench->memory, &bench->assembly);
    tet_mesh_free(&bench->mesh);
    free(bench->x);
    free(bench->y);
    free(bench->product);
}

int main(int argc, char **argv) {
    struct bench bench = {0};
    set_up(&bench, argc > 1 ? (uint32_t)atoi(argv[1]) : 26);
    printf("energy nodes=%zu tets=%zu blocks=%zu domains=%u\n", bench.mesh.vertex_count,
           bench.mesh.tet_count, (size_t)bench.assembly.pattern.block_count,
           bench.assembly.layout.domain_count);
    for (size_t k = 0; material_tables[k] != NULL; k++) {
        run_material(&bench, material_tables[k]);
    }
    tear_down(&bench);
    return 0;
}
