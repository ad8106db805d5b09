// Bodies whose stiffness the library has chosen are made stiffer where a step strains them too
// much; see run.h.
// SPDX-License-Identifier: MIT
#include "minimize/newton/newton.h"
#include "world/objects/body_table.h"
#include "world/stepping/run.h"

bool strain_relief_raise(struct run *run, bool has_landed) {
    pbs_world *const w = run->w;
    const struct step_workspace *const workspace = &w->solver.workspace;
    const double *const end = has_landed ? workspace->next.x : newton_last_state(w->solver.newton);
    bool any = false;
    for (size_t i = 0; i < w->scene.bodies.count; i++) {
        struct body *const body = scene_body(&w->scene, i);
        if (body->table->relieve != NULL && body->table->relieve(body, workspace->now.x, end)) {
            world_followed_forces(w, body);
            any = true;
        }
    }
    return any;
}

void strain_relief_end(pbs_world *w, bool has_failed) {
    for (size_t i = 0; i < w->scene.bodies.count; i++) {
        struct body *const body = scene_body(&w->scene, i);
        if (body->table->end_relief != NULL && body->table->end_relief(body, has_failed)) {
            world_followed_forces(w, body);
        }
    }
}
