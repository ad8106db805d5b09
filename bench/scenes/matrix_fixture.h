// Matrices as a Newton step meets them, for tests and benches of the floors `sparse` and `linear`:
// a unit cube of cells^3 x 6 Kuhn tetrahedra with jittered nodes, or any mesh scaled to the size of
// that cube; lumped mass, the face z = 0 held. H = M + dt^2 K.
#ifndef PBS_BENCH_MATRIX_FIXTURE_H
#define PBS_BENCH_MATRIX_FIXTURE_H

#include "linear/problem.h"
#include "mesh.h"
#include "sparse/assembly.h"

/// H0 alone.
#define PROBLEM(matrix) (&(struct linear_problem){.a = (matrix)})

struct fixture_desc {
    uint32_t cells;        ///< along an edge: (cells + 1)^3 nodes
    double young, poisson; ///< Pa
    double density;        ///< kg / m^3
    double dt;             ///< s
    double jitter;         ///< of the nodes, in cells
    bool deformed;         ///< twisted, bent and noisy, compressible neo-Hookean, element Hessians
                           ///< projected; else linear elasticity at rest
    bool indefinite;       ///< when deformed: leave the Hessians as they are
    bool shuffled;         ///< number the nodes at random
    uint32_t domain_count; ///< 0: what the library chooses
    const struct tet_mesh *mesh; ///< null: the cube; else `cells` and `jitter` do not matter, and
                                 ///< the lowest twentieth is held
};

struct fixture {
    struct assembly assembly;
    struct bsr matrix; ///< the assembly's pattern with values
    double *values;
    double *rhs;          ///< row order: normalised elastic force plus normalised gravity
    double *positions;    ///< row_count x 3, row order, where the nodes are
    bool *held;           ///< row_count
    size_t surface_count; ///< triangles of the boundary
    uint32_t *surface;    ///< surface_count x 3 rows
    size_t tet_count;
};

/// Young 1e7, Poisson 0.45, density 1000, dt 1/30, jitter 0.15, deformed: the hard case.
struct fixture_desc fixture_hard(uint32_t cells);

pbs_status fixture_build(struct memory *memory, const struct fixture_desc *desc,
                         struct fixture *out);
void fixture_free(struct memory *memory, struct fixture *fixture);

/// y = A x, one block after the other: the slow and certain product.
void fixture_multiply(const struct bsr *a, const double *x, double *y);

#endif
