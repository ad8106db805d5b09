// Draws the damage of a plate's particles: white without damage, through orange to dark red;
// notches are grey.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_DAMAGE_MAP_H
#define PBS_COMMON_DAMAGE_MAP_H

#include "common/images/png.h"
#include "scenes/fracture/cracked_plate.h"

/// Draws an image `width` pixels wide with the plate's aspect ratio, to be freed with image_free.
/// Returns false if memory is short.
bool damage_map_draw(const struct cracked_plate *plate, size_t width, struct image *image);

#endif
