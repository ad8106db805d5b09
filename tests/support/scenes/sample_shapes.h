// One size of each shape that is a formula, about half a metre. Tests that walk over the table of
// shapes find its rows' sizes here, and fail where a row has none.
// SPDX-License-Identifier: MIT
#ifndef PBS_SUPPORT_SAMPLE_SHAPES_H
#define PBS_SUPPORT_SAMPLE_SHAPES_H

#include "geometry/shape.h"

extern const struct shape sample_shapes[];
extern const int sample_shape_count;

/// The solid of that kind; null: none is listed.
const struct shape *sample_shape_of(int32_t kind);

#endif
