// The potential of pressure in closed surfaces, a function of their volumes. Each triangle adds
// what its own motion does; the part of the Hessian that couples all nodes of a surface, of a gas
// whose pressure changes with the volume, has rank one and is not assembled. Theory:
// docs/theory/materials.md section 7.1.
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

/// Another law of one surface from the next evaluation on. Whether it is PRESSURE_HELD stays.
void pressure_set_law(struct pressure *pressure, size_t surface, const struct pressure_law *law);
/// With the pressure that holds a volume at present.
struct pressure_law pressure_law_of(const struct pressure *pressure, size_t surface);

/// N: the norm of what triangles' corners bear of a pressure as large as the surface's bulk modulus
/// (gamma p of a gas, otherwise |p - p_e|) at x, to which residuals are relative.
double pressure_reference(const struct pressure *pressure, const double *x);

/// m^3: the volume in a closed surface, about its first corner. offset: added to the indices.
double pressure_volume(const uint32_t *triangles, size_t count, size_t offset, const double *x);

/// The Hessian of the volume per triangle (docs/theory/materials.md section 7.1) times -excess, 9 x
/// 9 row-major; project: the nearest positive semidefinite matrix.
void pressure_triangle_hessian(const double x[9], double excess, bool project, double out[81]);

#endif
