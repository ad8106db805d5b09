// One self-contained page: a WebGL2 viewer (play, scrub, orbit, wireframe, soft shadow, energy
// chart) with the frames as 16-bit positions, differenced, deflated and in base64. Where WebGL is
// missing it shows the contact sheet.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_HTML_WRITER_H
#define PBS_COMMON_HTML_WRITER_H

#include "common/images/png.h"
#include "common/pictures/scene_picture.h"
#include "common/program/text.h"

/// `sheet` is the fallback picture.
bool html_write(const char *path, const struct scene_picture *scene, const struct image *sheet,
                struct message *message);

#endif
