// What the parts of pressure share: the surfaces with their volumes and derivatives.
#ifndef PBS_ENERGY_PRESSURE_PRESSURE_SURFACES_H
#define PBS_ENERGY_PRESSURE_PRESSURE_SURFACES_H

#include "energy/pressure/pressure.h"
#include "linear/problem.h"

#define NO_MEMBER UINT32_MAX

/// What keeps a held volume, see held_volumes.h.
struct held_volume {
    double target;         ///< m^3, where calls end
    double end;            ///< m^3, where the step ends
    double start;          ///< m^3, at the start of the step
    double length;         ///< s, of the step
    double row_scale;      ///< 1/m^2, of held_volumes_write_rows
    double resistance;     ///< Pa/m^3, of the nodes against a change of the volume; 0: none is free
    double relieved;       ///< u . w
    double removed;        ///< of the latest residual that was deflated: its part along u
    double saved_pressure; ///< Pa, at the start of the step
    double kept_pressure;  ///< Pa, at held_volumes_keep
};

struct pressure {
    size_t triangle_count, surface_count, node_count;
    uint32_t *triangles;        ///< triangle_count x 3
    uint32_t *surface;          ///< triangle_count
    size_t *triangle_start;     ///< surface_count + 1
    struct pressure_law *laws;  ///< surface_count
    struct pressure_state *now; ///< surface_count: at the x of the last prepare
    size_t held_count;
    struct held_volume *held; ///< surface_count; used where the law is PRESSURE_HELD
    // Where volumes are held:
    double *row_entries;   ///< 3 a member of `nodes`: of held_volumes_write_rows
    double *held_gradient; ///< node_count x 3, by node, m^2: scratch
    double *free_gradient; ///< likewise: u of struct product_deflation
    double *relief;        ///< likewise: w
    // For products, with rows of the assembly's layout:
    const struct layout *layout;
    struct product_operator table;
    double *gradient;   ///< node_count x 3, by node, m^2: of its surface's volume; 0 elsewhere
    uint32_t *member;   ///< node_count: the node's surface; NO_MEMBER: none
    uint32_t *nodes;    ///< those of the surfaces, surface after surface
    size_t *node_start; ///< surface_count + 1
    double *scale;      ///< surface_count, N/m^3 times m^3: of the last product
};

/// m^3: the volume in a surface at x.
double pressure_surface_volume(const struct pressure *pressure, size_t surface, const double *x);

/// The gradient of a surface's volume at x, m^2: writes 3 for each of its nodes, by node.
void pressure_differentiate(const struct pressure *pressure, size_t surface, const double *x,
                            double *gradient);

/// The deflation of the operator of held volumes, of which self is the pressure.
extern const struct product_deflation held_volumes_deflation;

#endif
