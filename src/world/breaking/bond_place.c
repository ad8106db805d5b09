// See bond_place.h.
// SPDX-License-Identifier: MIT
#include "world/breaking/bond_place.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/contact_scenes/contact_scale.h"
#include "world/objects/body_table.h"

// --- contact of what a bond joined ---

/// Particles may be closer than their spheres where a bond breaks that was pressed together: then
/// they touch from where they are, at no energy (docs/theory/bonds.md section 6.2).
static double release_distance(double reach, const double a[3], const double b[3]) {
    double offset[3];
    subtract3(b, a, offset);
    const double distance = norm3(offset);
    return fmax(distance - reach, 0.5 * distance);
}

/// Where contact does not know the bodies yet, it learns of what is broken when it does.
static bool is_listed(const pbs_world *w) {
    return w->solver.is_current && w->solver.contact_is_current;
}

double bond_contact_reach(const pbs_world *w, size_t index) {
    const uint32_t part = (uint32_t)index;
    return contact_set_bounds(&w->solver.contacts)
               ? barrier_contact_reach(&w->solver.contact, part, part)
               : 0.0;
}

double bond_contact_distance(const pbs_world *w, size_t index) {
    if (!contact_kind_of(&w->scene)->has_distance) {
        return 0.0;
    }
    const double reach = is_listed(w) ? bond_contact_reach(w, index) : 0.0;
    return reach > 0.0 ? reach : contact_scale_distance(&w->scene, scene_body(&w->scene, index));
}

static struct contact_bond name_bond(const struct body *body, size_t index, size_t bond) {
    return (struct contact_bond){
        .part = (uint32_t)index, .bond = bond, .end = body->bonds.pairs + 2 * bond};
}

struct bond_release bond_let_touch(pbs_world *w, size_t index, size_t bond, const double *x,
                                   double reach) {
    const struct contact_bond named = name_bond(scene_body(&w->scene, index), index, bond);
    struct bond_release out = {.distance = release_distance(reach, x + 3 * (size_t)named.end[0],
                                                            x + 3 * (size_t)named.end[1])};
    if (is_listed(w)) {
        out.before = contact_set_release(&w->solver.contacts, &named, out.distance);
    }
    return out;
}

void bond_keep_apart(pbs_world *w, size_t index, size_t bond, const struct bond_release *was) {
    const struct contact_bond named = name_bond(scene_body(&w->scene, index), index, bond);
    if (is_listed(w)) {
        contact_set_hold(&w->solver.contacts, &named, was->before);
    }
}

int32_t bond_form_of(const struct body *body) {
    return body->table->bond_form != NULL ? body->table->bond_form(body) : 0;
}

/// Whether two bodies' bonds are one term.
static bool share_term(const struct body *a, const struct body *b) {
    return a->table == b->table && bond_form_of(a) == bond_form_of(b);
}

const struct bond_term *bond_term_of(const struct model *model, const struct body *body) {
    for (size_t i = 0; i < model->bond_term_count; i++) {
        const struct bond_term *term = &model->bond_terms[i];
        if (term->kind == body->table && term->form == bond_form_of(body)) {
            return term;
        }
    }
    return NULL;
}

static struct spring_damping *damping_of(const struct model *model, const struct body *body) {
    for (size_t i = 0; i < model->bond_damping_count && body->damping > 0.0; i++) {
        if (model->bond_damping[i].kind == body->table) {
            return model->bond_damping[i].self;
        }
    }
    return NULL;
}

struct bond_place bond_place_of(const pbs_world *w, size_t index) {
    const struct body *own = scene_body(&w->scene, index);
    const struct model *model = &w->solver.model;
    struct bond_place place = {.term = bond_term_of(model, own), .damping = damping_of(model, own)};
    for (size_t i = 0; i < index; i++) {
        const struct body *body = scene_body(&w->scene, i);
        const bool is_same = body->table == own->table;
        place.first_bond += share_term(body, own) ? body->bonds.count : 0;
        place.first_dashpot += is_same && body->damping > 0.0 ? body->bonds.count : 0;
        place.first_rotation += body_has_orientations(body) ? body->vertex_count : 0;
    }
    return place;
}

bool bond_is_broken(const struct bond_place *place, size_t bond) {
    return place->term->table->is_broken(place->term->self, place->first_bond + bond);
}

void bond_mark_broken(const struct bond_place *place, size_t bond, bool broken) {
    if (place->term != NULL) {
        place->term->table->set_broken(place->term->self, place->first_bond + bond, broken);
    }
    if (place->damping != NULL) {
        spring_damping_set_broken(place->damping, place->first_dashpot + bond, broken);
    }
}
