// Prints a hash of the state after a few steps of each scene (hashes/lines.h):
//     hash scene=torture/rollers steps=6 time=0.06 hash=0123456789abcdef
// To verify that a change alters no bit of any result, run `make hashes` with both builds, by the
// same compiler on the same processor, and compare the output. No hashes are recorded in the tree,
// because they depend on the processor and the C library. The scenes are those of bench/scenes and
// examples/common that have a world, and small worlds for every body, shape, scheme and setting.
// --meshes adds scenes whose meshes are files.
// SPDX-License-Identifier: MIT
#include "common/program/command_line.h"
#include "hashes/scenes.h"
#include "hashes/settings.h"
#include "hashes/shapes.h"
#include "hashes/systems.h"

int main(int argc, char **argv) {
    struct hash_lines lines = {.prefix = ""};
    const char *meshes = NULL;
    const struct command_option options[] = {
        {"scene", COMMAND_TEXT, &lines.prefix, "NAME", "one scene, or all whose name begins so"},
        {"list", COMMAND_FLAG, &lines.only_names, NULL, "names alone"},
        {"meshes", COMMAND_TEXT, &meshes, "FOLDER", "where meshes are; without, other shapes"},
    };
    int status = 0;
    if (!command_line_or_exit(argc, argv, "What a few steps of every scene lead to, to the bit.",
                              options, sizeof options / sizeof *options, &status)) {
        return status;
    }
    hash_scenes(&lines, meshes);
    hash_settings(&lines);
    hash_shapes(&lines);
    hash_systems(&lines);
    return lines.failed ? 1 : 0;
}
