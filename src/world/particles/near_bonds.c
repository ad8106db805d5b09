// Near bonds are shorter than NEAR spacings. The factor depends on rest lengths only, not on broken
// bonds, so that a restored world has the same factor.
// SPDX-License-Identifier: MIT
#include "world/particles/near_bonds.h"

#include <math.h>

#include "world/particles/peridynamic.h"
#include "world/objects/body_table.h"

/// With at least this many bonds, solves with matrix-free products take less time, including
/// preconditioners.
static const size_t MANY_BONDS = 300000;
static const double NEAR = 1.8;

bool near_bonds_are_enabled(const struct scene *scene) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (body->table == &body_table_peridynamic) {
            // Bodies with dashpots or softening bonds are always assembled.
            const bool whole = body->damping > 0.0 || peridynamic_softens(body);
            count += whole ? 0 : body->bonds.count;
        }
    }
    return scene->expert.assembly == PBS_ASSEMBLY_MATRIX_FREE ||
           (scene->expert.assembly == PBS_ASSEMBLY_AUTOMATIC && count >= MANY_BONDS);
}

/// Returns the factor by which near bonds must be stiffer to be as stiff as all bonds for long
/// waves; 0: there are no near bonds.
static double measure_factor(const struct body *body, double near_length) {
    const struct peridynamic_body *own = &body->peridynamic;
    double all = 0.0;
    double near = 0.0;
    for (size_t b = 0; b < body->bonds.count; b++) {
        const double stiffness = own->stiffness[b] * own->lengths[b] * own->lengths[b];
        all += stiffness;
        near += own->lengths[b] < near_length ? stiffness : 0.0;
    }
    return near > 0.0 ? all / near : 0.0;
}

void near_bonds_measure(const struct scene *scene, double *near_length, double *factor) {
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (body->table != &body_table_peridynamic) {
            continue;
        }
        const double near = NEAR * body->peridynamic.spacing;
        const double found = measure_factor(body, near);
        for (size_t k = 0; k < body->node_count; k++) {
            near_length[body->node_start + k] = found > 0.0 ? near : INFINITY;
            factor[body->node_start + k] = found > 0.0 ? found : 1.0;
        }
    }
}
