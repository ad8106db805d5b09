// The energy of thin sheets against bending, hinge by hinge: two triangles on a common edge, k
// (theta - theta0)^2 with theta the angle between their normals (Grinspun et al. 2003, "Discrete
// shells") and
//
//     k = 1/2 D l^2 / (A1 + A2),  D = E h^3 / (12 (1 - nu^2)),
//
// l the rest length of the edge and A1, A2 the rest areas, with which a sheet of equilateral
// triangles bends into a cylinder as a plate does. The difference of angles is taken in (-pi, pi].
// Infinite where one of the triangles is degenerate; it gives no largest step, as the membrane of
// the same triangles does.
#ifndef PBS_ENERGY_SHELLS_BENDING_H
#define PBS_ENERGY_SHELLS_BENDING_H

#include "base/runtime/memory.h"
#include "energy/term.h"

/// What bending_create copies and arranges in lanes.
struct bending_input {
    size_t hinge_count;
    const uint32_t *hinges; ///< hinge_count x 4 node indices: the edge, the vertex to its left, the
                            ///< one to its right; triangles (0 1 2) and (1 0 3)
    const double *rest;     ///< rest positions by node, 3 each
    const double *rigidity; ///< hinge_count, D, N m
    const double *damping;  ///< hinge_count, s
    const double *rest_angles; ///< hinge_count, rad; NaN: that of the rest positions
};

struct bending; ///< self of the term

/// The term of these hinges; its element arrays are made by bending_bind once the assembly (built
/// from term.stencils) is there.
pbs_status bending_create(struct memory *memory, const struct bending_input *input,
                          struct bending **out);
pbs_status bending_bind(struct bending *bending, struct memory *memory,
                        const struct stencil_groups *groups);
struct term bending_term(struct bending *bending);
void bending_destroy(struct bending *bending, struct memory *memory);

/// The angle of one hinge at x (4 x 3), in [-pi, pi], zero where it is flat, and its gradient (4 x
/// 3; may be null).
double bending_angle(const double x[12], double gradient[12]);

#endif
