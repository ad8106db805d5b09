// A small software renderer: z-buffer, 3x3 samples a pixel, two lights, a floor with a metric grid
// and a soft shadow. It makes the still and the contact sheet where there is no graphics card.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_RENDER_H
#define PBS_COMMON_RENDER_H

#include "common/images/png.h"
#include "common/pictures/scene_picture.h"

/// Draws one frame into an image that it creates.
bool render_frame(const struct scene_picture *scene, size_t frame, size_t width, size_t height,
                  struct image *out, struct message *message);
/// Twelve frames, evenly chosen, four in a row, with their times written below.
bool render_contact_sheet(const struct scene_picture *scene, struct image *out,
                          struct message *message);

#endif
