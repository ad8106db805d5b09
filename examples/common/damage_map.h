// Damage of a plate, particle by particle, as a picture: white where nothing broke, over orange to
// dark red, notches grey.

#ifndef PBS_COMMON_DAMAGE_MAP_H
#define PBS_COMMON_DAMAGE_MAP_H

#include "png.h"
#include "scenes/cracked_plate.h"

/// `width` pixels wide and as high as the plate is then; to be freed with image_free. False without
/// memory.
bool damage_map_draw(const struct cracked_plate *plate, size_t width, struct image *image);

#endif
