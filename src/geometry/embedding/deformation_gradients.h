// Deformation gradients at the vertices of a mesh: those of its elements, weighted by rest volume
// (area). A point that is carried along beside an element follows them, and so do normals
// (docs/theory/embedding.md sections 1 and 2).
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_EMBEDDING_DEFORMATION_GRADIENTS_H
#define PBS_GEOMETRY_EMBEDDING_DEFORMATION_GRADIENTS_H

#include "geometry/embedding/simplex_search.h"

/// Rows of four doubles: a place has one, the last number 0; a gradient three, its columns.
enum { PLACE_ROW = 4, GRADIENT_ROW = 12 };

/// All zero is a valid one without elements.
struct deformation_gradients {
    int width; ///< 3 or 4
    size_t element_count, vertex_count;
    uint32_t *corners; ///< element_count x width
    double *inverse;   ///< element_count x 9: of the matrix of rest edges, row-major
    double *elements;  ///< element_count x GRADIENT_ROW: scratch
    uint32_t *start;   ///< vertex_count + 1: of each vertex's elements
    uint32_t *around;  ///< width x element_count: the elements
    double *shares;    ///< width x element_count: of each in its vertex's gradient, sum 1
};

/// rest: triangles or tetrahedra at rest; copied. PBS_ERROR_MEMORY, with nothing to be freed.
pbs_status deformation_gradients_begin(struct memory *memory, const struct simplex_mesh *rest,
                                       struct deformation_gradients *out);
void deformation_gradients_free(struct memory *memory, struct deformation_gradients *gradients);

/// places: vertex_count x PLACE_ROW; gradients: vertex_count x GRADIENT_ROW. The third edge of a
/// triangle is its unit normal: sheets do not become thicker or thinner. Zero at vertices of no
/// element.
void deformation_gradients_update(struct deformation_gradients *gradients, const double *places,
                                  double *out);

#endif
