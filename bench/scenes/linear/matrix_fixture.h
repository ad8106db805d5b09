// Matrices H = M + dt^2 K like those of a Newton step, for tests and benches of `sparse` and
// `linear`. The body is a unit cube of cells^3 x 6 Kuhn tetrahedra with jittered nodes, or a mesh
// scaled to the size of that cube. Masses are lumped, and the face z = 0 is fixed.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_MATRIX_FIXTURE_H
#define PBS_BENCH_MATRIX_FIXTURE_H

#include "common/meshes/mesh.h"
#include "linear/problem.h"
#include "sparse/assembly.h"

/// A linear_problem that consists of H0 only.
#define PROBLEM(matrix) (&(struct linear_problem){.a = (matrix)})

struct fixture_desc {
    uint32_t cells;        ///< number along an edge: (cells + 1)^3 nodes
    double young, poisson; ///< Pa
    double density;        ///< kg / m^3
    double dt;             ///< s
    double jitter;         ///< random offset of nodes, in cells
    bool deformed;   ///< true: twisted, bent and noisy, compressible neo-Hookean, projected element
                     ///< Hessians; false: linear elasticity at rest
    bool indefinite; ///< if deformed: do not project the element Hessians
    bool shuffled;   ///< number the nodes at random
    uint32_t domain_count;       ///< 0: the library's choice
    const struct tet_mesh *mesh; ///< null: the cube; otherwise `cells` and `jitter` are unused, and
                                 ///< the lowest 5 % of the height is fixed
};

struct fixture {
    struct assembly assembly;
    struct bsr matrix; ///< the assembly's pattern with values
    double *values;
    double *rhs;          ///< row order: sum of normalised elastic force and normalised gravity
    double *positions;    ///< row_count x 3, row order, node positions
    bool *held;           ///< row_count: the node is fixed
    size_t surface_count; ///< number of boundary triangles
    uint32_t *surface;    ///< surface_count x 3 rows
    size_t tet_count;
};

/// Returns the hard case: Young's modulus 1e7, Poisson's ratio 0.45, density 1000, dt 1/30, jitter
/// 0.15, deformed.
struct fixture_desc fixture_hard(uint32_t cells);

pbs_status fixture_build(struct memory *memory, const struct fixture_desc *desc,
                         struct fixture *out);
void fixture_free(struct memory *memory, struct fixture *fixture);

/// y = A x by a plain loop over blocks: the reference product.
void fixture_multiply(const struct bsr *a, const double *x, double *y);

#endif
