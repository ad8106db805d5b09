// Small letters for pictures: digits, lower-case letters and a few signs, five by seven dots.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_LABEL_H
#define PBS_COMMON_LABEL_H

#include "common/images/png.h"

/// Writes at (x, y), the upper left corner, each dot `scale` pixels wide. Other characters are
/// blanks.
void label_draw(struct image *image, size_t x, size_t y, size_t scale, const unsigned char color[3],
                const char *text);
/// Width in pixels.
size_t label_width(const char *text, size_t scale);

#endif
