// The data that pressure.c and held_volumes.c share: the surfaces with their volumes and
// derivatives.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_PRESSURE_PRESSURE_SURFACES_H
#define PBS_ENERGY_PRESSURE_PRESSURE_SURFACES_H

#include "energy/pressure/pressure.h"
#include "linear/problem.h"

#define NO_MEMBER UINT32_MAX

/// State of a prescribed volume, see held_volumes.h.
struct held_volume {
    double target;     ///< m^3: V0 at the end of the host's call
    double end;        ///< m^3: V0 at the end of the step
    double start;      ///< m^3: V at the start of the step
    double length;     ///< s, of the step
    double row_scale;  ///< 1/m^2: scale of the row of held_volumes_write_rows
    double resistance; ///< Pa/m^3: stiffness of the free nodes against a change of V; 0: no node is
                       ///< free
    double relieved;   ///< u . w of struct product_deflation
    double removed;    ///< component along u that was removed from the latest residual
    double saved_pressure; ///< Pa, at the start of the step
    double kept_pressure;  ///< Pa, at held_volumes_keep
};

struct pressure {
    size_t triangle_count, surface_count, node_count;
    uint32_t *triangles;        ///< triangle_count x 3
    uint32_t *surface;          ///< triangle_count: surface of each triangle
    size_t *triangle_start;     ///< surface_count + 1
    struct pressure_law *laws;  ///< surface_count
    struct pressure_state *now; ///< surface_count: at the x of the last preparation of the term
    size_t held_count;
    struct held_volume *held; ///< surface_count; used only where the law is PRESSURE_HELD
    // Where volumes are held:
    double *row_entries;   ///< 3 per entry of `nodes`: rows of held_volumes_write_rows
    double *held_gradient; ///< node_count x 3, by node, m^2: scratch
    double *free_gradient; ///< likewise: u of struct product_deflation
    double *relief;        ///< likewise: w of struct product_deflation
    // For the operator of rank one, whose products are in the rows of the assembly's layout:
    const struct layout *layout;
    struct product_operator table;
    double *gradient;   ///< node_count x 3, by node, m^2: gradient of the volume of the node's
                        ///< surface; 0 at nodes of no surface
    uint32_t *member;   ///< node_count: the node's surface; NO_MEMBER: none
    uint32_t *nodes;    ///< the nodes of all surfaces, surface after surface
    size_t *node_start; ///< surface_count + 1
    double *scale;      ///< surface_count, Pa: change of the pressure in the last product
};

/// Returns the volume in a surface at x, m^3.
double pressure_surface_volume(const struct pressure *pressure, size_t surface, const double *x);

/// Returns the area of a surface at x, m^2.
double pressure_surface_area(const struct pressure *pressure, size_t surface, const double *x);

/// Computes the gradient of a surface's volume at x, m^2. Writes the 3 entries of each of its nodes
/// to `gradient`, which is by node.
void pressure_differentiate(const struct pressure *pressure, size_t surface, const double *x,
                            double *gradient);

/// The deflation of the operator for prescribed volumes. Its self is the struct pressure.
extern const struct product_deflation held_volumes_deflation;

#endif
