// Any bytes as a scene file: refused with a message or read, never more. What was read is whole:
// its motions can be applied.
// SPDX-License-Identifier: MIT

#include "common/scenes/scene_file.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct scene_file scene;
    struct message message = {""};
    if (!scene_file_read_from_memory(data, size, &scene, &message)) {
        require(message.text[0] != 0);
        return 0;
    }
    for (size_t i = 0; i < scene.motion_count; i++) {
        scene_motion_apply(&scene.motions[i], scene.step, scene.initial);
    }
    scene_file_free(&scene);
    return 0;
}
