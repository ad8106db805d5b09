// Memory of the list of broken bonds; see bond_breaks.h.
// SPDX-License-Identifier: MIT
#include "world/model/bond_breaks.h"

// Bonds beyond it break in the next call.
enum { BREAK_LIMIT = 1 << 20 };

pbs_status breaks_reserve(struct bond_breaks *breaks, struct memory *memory,
                          const struct scene *scene) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        count += body->bonds.breaks ? body->bonds.count : 0;
    }
    count = count < BREAK_LIMIT ? count : BREAK_LIMIT;
    breaks->limit = count;
    RETURN_IF_FAILED(memory_reserve(memory, &breaks->releases, &breaks->release_capacity, count,
                                    sizeof *breaks->releases));
    RETURN_IF_FAILED(memory_reserve(memory, &breaks->orientations, &breaks->orientation_capacity,
                                    count > 0 ? scene->nodes.count : 0, 2 * sizeof(double)));
    return memory_reserve(memory, &breaks->rows, &breaks->capacity, count, sizeof *breaks->rows);
}

void breaks_free(struct bond_breaks *breaks, struct memory *memory) {
    memory_release(memory, breaks->rows);
    memory_release(memory, breaks->releases);
    memory_release(memory, breaks->orientations);
}
