// The potential of pressure in closed surfaces, a function of their volumes. Its gradient is a sum
// over triangles. So is the part of its Hessian that has the second derivatives of the volumes. The
// other part, of a gas or a prescribed volume, couples all nodes of a surface because the pressure
// changes with the volume. It has rank one and is not assembled, but applied as an operator.
// Theory: docs/theory/materials.md section 7.1.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_PRESSURE_PRESSURE_H
#define PBS_ENERGY_PRESSURE_PRESSURE_H

#include "energy/pressure/pressure_law.h"
#include "energy/term.h"

/// Input of pressure_create, which copies it.
struct pressure_input {
    size_t node_count; ///< of the world
    size_t triangle_count;
    const uint32_t *triangles; ///< triangle_count x 3 nodes, outward, surface after surface; each
                               ///< surface is closed, and no two have a node in common
    size_t surface_count;
    const size_t *triangle_start;    ///< surface_count + 1
    const struct pressure_law *laws; ///< surface_count
};

struct pressure; ///< self of the term

pbs_status pressure_create(struct memory *memory, const struct pressure_input *input,
                           struct pressure **out);
struct term pressure_term(struct pressure *pressure);
void pressure_destroy(struct pressure *pressure, struct memory *memory);

/// Replaces the law of one surface from the next evaluation on. The kind must not change from or to
/// PRESSURE_HELD.
void pressure_set_law(struct pressure *pressure, size_t surface, const struct pressure_law *law);
/// Returns the law of a surface. If its volume is prescribed, `pressure` is the present value of
/// the multiplier.
struct pressure_law pressure_law_of(const struct pressure *pressure, size_t surface);

/// Norms of the forces at the corners of all triangles of a surface, N.
struct pressure_forces {
    uint32_t node; ///< one of the surface's
    double excess; ///< under the pressure |p - p_e|
    double scale;  ///< under a pressure as large as the bulk modulus of what the surface contains:
                   ///< gamma p of a gas, but never less than |p - p_e|
};

size_t pressure_surface_count(const struct pressure *pressure);
struct pressure_forces pressure_forces_of(const struct pressure *pressure, size_t surface,
                                          const double *x);

/// Returns the volume in a closed surface, m^3, computed relative to its first corner. offset:
/// added to the indices.
double pressure_volume(const uint32_t *triangles, size_t count, size_t offset, const double *x);

/// out = -excess times the part of the Hessian of the volume that belongs to one triangle
/// (docs/theory/materials.md section 7.1), 9 x 9, row-major.
void pressure_triangle_hessian(const double x[9], double excess, double out[81]);

#endif
