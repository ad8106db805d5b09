// What a few steps of every scene lead to, as one number each (hashes/lines.h):
//     hash scene=torture/rollers steps=6 time=0.06 hash=0123456789abcdef
// A change that is to change no bit of any result prints the lines of the build before it, by the
// same compiler on the same processor: `make hashes` in both, then diff. No lines are recorded in
// the tree, as another processor or C library has other bits. Scenes are those of bench/scenes and
// examples/common that have a world, and small worlds for every body, shape, scheme and setting.
// --meshes adds those whose meshes come from files.
#include "command_line.h"
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
