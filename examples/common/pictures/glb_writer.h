// Binary glTF 2.0 with one morph target per frame: loads in Blender, Godot and three.js. At most
// 250 frames go in; a longer run is thinned evenly. No normals: readers then shade flat, which is
// right for every target.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_GLB_WRITER_H
#define PBS_COMMON_GLB_WRITER_H

#include "common/pictures/scene_picture.h"
#include "common/program/text.h"

enum { GLB_MAX_FRAMES = 250 };

/// The bytes of the file.
bool glb_encode(const struct scene_picture *scene, struct text_buffer *out,
                struct message *message);
bool glb_write(const char *path, const struct scene_picture *scene, struct message *message);

#endif
