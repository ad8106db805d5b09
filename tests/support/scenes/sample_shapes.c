// See sample_shapes.h.
// SPDX-License-Identifier: MIT
#include "support/scenes/sample_shapes.h"

#include "pbs/collider.h"

const struct shape sample_shapes[] = {
    {.kind = PBS_SHAPE_HALF_SPACE, .size = {0.0, 0.0, 0.0}},
    {.kind = PBS_SHAPE_SPHERE, .size = {0.7, 0.0, 0.0}},
    {.kind = PBS_SHAPE_BOX, .size = {0.5, 0.3, 0.8}},
    {.kind = PBS_SHAPE_CAPSULE, .size = {0.4, 0.6, 0.0}},
    {.kind = PBS_SHAPE_CYLINDER, .size = {0.5, 0.4, 0.0}},
    {.kind = PBS_SHAPE_TORUS, .size = {0.6, 0.25, 0.0}},
};
const int sample_shape_count = sizeof sample_shapes / sizeof sample_shapes[0];

const struct shape *sample_shape_of(int32_t kind) {
    for (int i = 0; i < sample_shape_count; i++) {
        if (sample_shapes[i].kind == kind) {
            return &sample_shapes[i];
        }
    }
    return NULL;
}
