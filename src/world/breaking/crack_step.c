// How long steps may be while bonds break (docs/theory/step_control.md section 4): a crack runs no
// faster than Rayleigh's wave, and goes no farther than from bond to bond.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "world/breaking/breaking.h"
#include "world/world.h"
#include "world/objects/body_table.h"

double breaks_crack_step(const pbs_world *w, size_t first) {
    const struct bond_breaks *breaks = &w->solver.breaks;
    double least = 0.0;
    uint64_t last = 0;
    for (size_t i = first; i < breaks->count; i++) {
        // Rows of one body follow one another.
        if (breaks->rows[i].body.id == last) {
            continue;
        }
        last = breaks->rows[i].body.id;
        const struct body *body = world_body(w, breaks->rows[i].body);
        const double own = body->table->crack_step(&w->scene.nodes, body);
        if (own > 0.0 && isfinite(own)) {
            least = least > 0.0 ? fmin(least, own) : own;
        }
    }
    return least;
}
