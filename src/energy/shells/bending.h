// The bending energy of thin sheets as a sum over hinges. A hinge is two triangles on a common
// edge; its energy is k (theta - theta0)^2 with the angle theta between their normals (Grinspun et
// al. 2003, "Discrete shells") and
//
//     k = 1/2 D l^2 / (A1 + A2),  D = E h^3 / (12 (1 - nu^2)),
//
// where l is the rest length of the edge, and A1, A2 are the rest areas. With this k a sheet of
// equilateral triangles has the stiffness of a plate when it is bent into a cylinder. The moment
// per length of the edge is D times the curvature (theta - theta0) l / (A1 + A2). theta and theta0
// are in [-pi, pi]; hinges that are nearly closed: hinge_functions.h. The energy is infinite if one
// of the triangles is degenerate. This term does not bound the step; the membrane of the same
// triangles does.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SHELLS_BENDING_H
#define PBS_ENERGY_SHELLS_BENDING_H

#include "base/runtime/memory.h"
#include "energy/shells/hinge_creases.h"
#include "energy/term.h"

/// Input of bending_create, which copies it.
struct bending_input {
    size_t hinge_count;
    const uint32_t *hinges; ///< hinge_count x 4 node indices: the edge, the vertex on its left, the
                            ///< vertex on its right; the triangles are (0 1 2) and (1 0 3)
    const double *rest;     ///< rest positions, 3 per node
    const double *rigidity; ///< hinge_count, D, N m
    const double *damping;  ///< hinge_count, s
    const double *rest_angles;      ///< hinge_count, rad; NaN: the angle of the rest positions
    const double *yield_curvatures; ///< hinge_count, 1/m; infinite: elastic, others have a rest
                                    ///< angle that is given. Null: all are elastic
};

struct bending; ///< self of the term

/// Creates the term of these hinges. Its element arrays are built by bending_bind, after the
/// assembly has been built from term.stencils.
/// @return PBS_ERROR_MESH (index in the message) if a rest area is not positive; PBS_ERROR_MEMORY
pbs_status bending_create(struct memory *memory, const struct bending_input *input,
                          struct bending **out);
pbs_status bending_bind(struct bending *bending, struct memory *memory,
                        const struct stencil_groups *groups);
struct term bending_term(struct bending *bending);
/// Sets rigidity and damping time of a hinge. rest: the rest positions of its nodes, 4 x 3. groups:
/// those that the term is bound to.
void bending_set_values(struct bending *bending, const struct stencil_groups *groups, size_t hinge,
                        const double rest[12], double rigidity, double damping);
/// The self of a term of hinges; null of other terms.
struct bending *bending_of(const struct term *term);
void bending_destroy(struct bending *bending, struct memory *memory);

/// Returns null if no hinge creases.
struct hinge_creases *bending_creases(const struct bending *bending);

/// Returns the angle of one hinge at x (4 x 3), in [-pi, pi], zero if flat, and computes its
/// gradient (4 x 3; may be null).
double bending_angle(const double x[12], double gradient[12]);

#endif
