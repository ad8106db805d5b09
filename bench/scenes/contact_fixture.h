// Synthetic contacts on the surface of a matrix fixture: rank-1 terms k (w x n)(w x n)^T of a point
// against a triangle, as an implicit Newton step adds them to H0.
#ifndef PBS_BENCH_CONTACT_FIXTURE_H
#define PBS_BENCH_CONTACT_FIXTURE_H

#include "scenes/matrix_fixture.h"

struct contact_fixture_desc {
    double density; ///< stencils over nodes: 0.02
    double least;   ///< stiffness in mean diagonal entries, spread evenly over its logarithm
    double most;
};

struct contact_fixture {
    size_t count;
    uint32_t *rows;               ///< count x 4: the point, then the triangle; none is held, and no
                                  ///< corner of the triangle is beside the point
    double *blocks;               ///< count x 12 x 12
    struct contact_stencils set;  ///< the two as contact_matrix_build takes them
    struct contact_matrix matrix; ///< of them
};

/// Points are drawn from the surface, triangles a short walk over it away. The same fixture and
/// description give the same contacts. PBS_ERROR_ARGUMENT where the surface has no room for any.
pbs_status contact_fixture_build(struct memory *memory, const struct fixture *fixture,
                                 const struct contact_fixture_desc *desc,
                                 struct contact_fixture *out);
void contact_fixture_free(struct memory *memory, struct contact_fixture *contacts);

#endif
