// A closed surface moved inward along its normals, by a distance that is small beside its
// thickness.
// Theory: docs/theory/joints.md section 6.2.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_MESHES_INSET_SURFACE_H
#define PBS_GEOMETRY_MESHES_INSET_SURFACE_H

#include "geometry/meshes/mass_properties.h"

/// Fills moved, vertex_count x 3, m. *possible becomes false, and moved is not to be used, where
/// the surface is too thin for the distance, or no direction at a vertex leads inside of all
/// triangles around it. PBS_ERROR_MEMORY.
pbs_status inset_surface(struct memory *memory, const struct surface_view *surface, double distance,
                         double *moved, bool *possible);

#endif
