// Synthetic point-triangle contacts on the surface of a matrix fixture: rank-1 blocks k (w x n)(w x
// n)^T, as an implicit Newton step adds them to H0.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_CONTACT_FIXTURE_H
#define PBS_BENCH_CONTACT_FIXTURE_H

#include "scenes/linear/matrix_fixture.h"

struct contact_fixture_desc {
    double density; ///< number of contacts over number of nodes, e.g. 0.02
    double least;   ///< range of the stiffness, relative to the mean diagonal entry; log-uniformly
                    ///< distributed
    double most;
};

struct contact_fixture {
    size_t count;
    uint32_t *rows; ///< count x 4: the point, then the triangle; none is constrained, and the
                    ///< triangle's corners are not neighbours of the point
    double *blocks; ///< count x 12 x 12
    struct contact_stencils set;  ///< rows and blocks as the input of contact_matrix_build
    struct contact_matrix matrix; ///< the contact matrix
};

/// Draws random points of the surface, and for each a triangle at the end of a short random walk.
/// The same fixture and description give the same contacts. Returns PBS_ERROR_ARGUMENT if the
/// surface allows no contact.
pbs_status contact_fixture_build(struct memory *memory, const struct fixture *fixture,
                                 const struct contact_fixture_desc *desc,
                                 struct contact_fixture *out);
void contact_fixture_free(struct memory *memory, struct contact_fixture *contacts);

#endif
