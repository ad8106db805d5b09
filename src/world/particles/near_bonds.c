// Near is what is closer than 1.8 spacings; the factor goes by lengths at rest alone, not by what
// is broken, so that a restored world has the same.
#include "world/particles/near_bonds.h"

#include <math.h>

#include "world/particles/peridynamic.h"
#include "world/objects/body_table.h"

/// From there on products without a matrix take less time than with it, preconditioners included.
static const size_t MANY_BONDS = 300000;
static const double NEAR = 1.8;

bool near_bonds_are_enabled(const struct scene *scene) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (body->table == &body_table_peridynamic) {
            // Dashpots are assembled, bond by bond, and so are bonds that soften.
            const bool whole = body->damping > 0.0 || peridynamic_softens(body);
            count += whole ? 0 : body->bonds.count;
        }
    }
    return scene->expert.assembly == PBS_ASSEMBLY_MATRIX_FREE ||
           (scene->expert.assembly == PBS_ASSEMBLY_AUTOMATIC && count >= MANY_BONDS);
}

/// How much stiffer near bonds have to be to be as stiff as all in long waves; 0: there are none.
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
