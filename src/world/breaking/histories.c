// See histories.h.
// SPDX-License-Identifier: MIT
#include "world/breaking/histories.h"

bool histories_update(pbs_world *w, const double *x, double h) {
    const struct model *model = &w->solver.model;
    bool changed = false;
    for (size_t i = 0; i < model->history_count; i++) {
        const struct history_term *term = &model->histories[i];
        const double dissipated = term->table->update(term->self, w->tasks,
                                                      model->assembly.layout.domain_count, x, h);
        w->solver.breaks.dissipated += dissipated;
        changed = changed || (term->table->changes_forces && dissipated != 0.0);
    }
    return changed;
}

void histories_save(pbs_world *w) {
    const struct model *model = &w->solver.model;
    for (size_t i = 0; i < model->history_count; i++) {
        model->histories[i].table->save(model->histories[i].self);
    }
    w->solver.breaks.saved_dissipated = w->solver.breaks.dissipated;
}

void histories_restore_saved(pbs_world *w) {
    const struct model *model = &w->solver.model;
    for (size_t i = 0; i < model->history_count; i++) {
        model->histories[i].table->restore(model->histories[i].self);
    }
    w->solver.breaks.dissipated = w->solver.breaks.saved_dissipated;
}

/// Copies one term's histories to the bodies, or from them.
static void copy(pbs_world *w, const struct history_term *term, bool to_bodies) {
    size_t first = 0;
    for (size_t i = 0; i < w->scene.bodies.count; i++) {
        struct body *body = scene_body(&w->scene, i);
        const size_t count = term->table->count(term->self, body);
        if (count > 0 && to_bodies) {
            term->table->read(term->self, first, body);
        } else if (count > 0) {
            term->table->write(term->self, first, body);
        }
        first += count;
    }
}

static void copy_all(pbs_world *w, bool to_bodies) {
    const struct model *model = &w->solver.model;
    for (size_t i = 0; i < model->history_count; i++) {
        copy(w, &model->histories[i], to_bodies);
    }
}

void histories_undo(pbs_world *w) {
    copy_all(w, false);
    w->solver.breaks.dissipated = 0.0;
}

double histories_commit(pbs_world *w) {
    const double dissipated = w->solver.breaks.dissipated;
    copy_all(w, true);
    w->solver.breaks.dissipated = 0.0;
    return dissipated;
}
