// Bonds that break (docs/theory/bonds.md section 4): compared with their strengths in accepted
// states only, all before any breaks, in the order of bodies and bonds; whole again where the step
// is undone.
#include <math.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "geometry/exact/intersection.h"
#include "integrate/stepping/explicit.h"
#include "world/particles/body_bonds.h"
#include "world/breaking/breaking.h"
#include "world/interface/check.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/contact_scenes/contact_scale.h"
#include "world/interface/settings.h"
#include "world/world.h"
#include "world/objects/body_table.h"

// --- contact of what a bond joined ---

/// Particles may be closer than their spheres where a bond breaks that was pressed together: then
/// they touch from where they are, at no energy (docs/theory/bonds.md section 6.2).
static double release_distance(double reach, const double a[3], const double b[3]) {
    double way[3];
    subtract3(b, a, way);
    const double distance = norm3(way);
    return fmax(distance - reach, 0.5 * distance);
}

/// m: from how far apart on bodies touch.
static double contact_distance(const pbs_world *w) {
    if (!contact_kind_of(&w->scene)->has_distance) {
        return 0.0;
    }
    const struct topology *t = &w->topology;
    const double reach = t->contact_is_current ? contact_set_reach(&t->contacts) : 0.0;
    return reach > 0.0 ? reach : contact_scale_of(&w->scene).distance;
}

/// Where contact does not know the bodies yet, it learns of what is broken when it does.
static bool is_listed(const pbs_world *w) {
    return w->topology.is_current && w->topology.contact_is_current;
}

static struct contact_bond name_bond(const struct body *body, size_t index, size_t bond) {
    return (struct contact_bond){
        .part = (uint32_t)index, .bond = bond, .end = body->bonds.pairs + 2 * bond};
}

/// The index-th body's particles of a bond begin to touch. x: the body's positions.
static struct bond_release let_touch(pbs_world *w, size_t index, size_t bond, const double *x,
                                     double reach) {
    const struct contact_bond named = name_bond(scene_body(&w->scene, index), index, bond);
    struct bond_release out = {.distance = release_distance(reach, x + 3 * (size_t)named.end[0],
                                                            x + 3 * (size_t)named.end[1])};
    if (is_listed(w)) {
        out.before = contact_set_release(&w->topology.contacts, &named, out.distance);
    }
    return out;
}

static void keep_apart(pbs_world *w, size_t index, size_t bond, const struct bond_release *was) {
    const struct contact_bond named = name_bond(scene_body(&w->scene, index), index, bond);
    if (is_listed(w)) {
        contact_set_hold(&w->topology.contacts, &named, was->before);
    }
}

/// Where a body's bonds, dashpots and rotations begin among those of all.
struct bond_place {
    const struct bond_term *term;   ///< null: none
    struct spring_damping *damping; ///< of the bonds; null: none
    size_t first_bond, first_rotation, first_dashpot;
};

static int32_t form_of(const struct body *body) {
    return body->table->bond_form != NULL ? body->table->bond_form(body) : 0;
}

/// Whether two bodies' bonds are one term.
static bool share_term(const struct body *a, const struct body *b) {
    return a->table == b->table && form_of(a) == form_of(b);
}

static const struct bond_term *term_of(const struct model *model, const struct body *body) {
    for (size_t i = 0; i < model->bond_term_count; i++) {
        const struct bond_term *term = &model->bond_terms[i];
        if (term->kind == body->table && term->form == form_of(body)) {
            return term;
        }
    }
    return NULL;
}

/// Of the index-th body, which has bonds.
static struct bond_place place_of(const pbs_world *w, size_t index) {
    const struct body *own = scene_body(&w->scene, index);
    const struct model *model = &w->topology.model;
    struct bond_place place = {.term = term_of(model, own),
                               .damping = own->damping > 0.0 ? model->bond_damping : NULL};
    for (size_t i = 0; i < index; i++) {
        const struct body *body = scene_body(&w->scene, i);
        const bool is_same = body->table == own->table;
        place.first_bond += share_term(body, own) ? body->bonds.count : 0;
        place.first_dashpot += is_same && body->damping > 0.0 ? body->bonds.count : 0;
        place.first_rotation += body_turns(body) ? body->vertex_count : 0;
    }
    return place;
}

static bool is_broken(const struct bond_place *place, size_t bond) {
    return place->term->table->is_broken(place->term->self, place->first_bond + bond);
}

static void mark_broken(const struct bond_place *place, size_t bond, bool broken) {
    if (place->term != NULL) {
        place->term->table->set_broken(place->term->self, place->first_bond + bond, broken);
    }
    if (place->damping != NULL) {
        spring_damping_set_broken(place->damping, place->first_dashpot + bond, broken);
    }
}

// --- a step ---

/// A state of all particles: nodes' places, and 4 for each rotation.
struct particles {
    const double *x, *orientations;
};

/// Bonds that are looked at; those that break there give up the energy that they have at `losing`.
struct look {
    struct particles at, losing;
    const double *from; ///< nodes' places where particles that were bonded begin to touch: what is
                        ///< taken again starts from there, and what is over ends there
    double time;
    bool is_ahead; ///< the state is not accepted yet
};

static struct particle_view view_of(const struct particles *particles, const struct body *body,
                                    const struct bond_place *place) {
    const bool turns = body_turns(body);
    return (struct particle_view){particles->x + 3 * body->node_start,
                                  turns ? particles->orientations + 4 * place->first_rotation
                                        : NULL};
}

/// Which of a body's bonds from `first` on, some of them, bear too much.
static void list_broken(pbs_world *w, size_t index, const struct bond_place *place,
                        const uint8_t *strained, size_t first, size_t some,
                        const struct look *look) {
    const struct body *body = scene_body(&w->scene, index);
    struct bond_breaks *breaks = &w->topology.breaks;
    const struct particle_view at = view_of(&look->at, body, place);
    const struct particle_view losing = view_of(&look->losing, body, place);
    const pbs_body name = {handle_id(&w->scene.bodies, body->slot, HANDLE_BODY, w->scene.stamp)};
    pbs_bond_load loads[BONDS_AT_ONCE];
    double energies[BONDS_AT_ONCE];
    body->table->read_loads(body, &losing, first, some, loads, energies);
    if (look->at.x != look->losing.x) {
        double ignored[BONDS_AT_ONCE];
        body->table->read_loads(body, &at, first, some, loads, ignored);
    }
    for (size_t k = 0; k < some && breaks->count < breaks->capacity; k++) {
        const size_t i = first + k;
        const struct bond_excess excess = body->table->measure_excess(body, i, &loads[k]);
        if (strained[i] != 0 && excess.over && !is_broken(place, i)) {
            breaks->releases[breaks->count].ratio = excess.ratio;
            breaks->rows[breaks->count++] = (pbs_broken_bond){
                .body = name,
                .bond = (uint32_t)i,
                .time = look->time,
                .normal_stress = loads[k].normal_stress,
                .shear_stress = loads[k].shear_stress,
                .energy = energies[k],
                .stretch = loads[k].stretch};
        }
    }
}

/// Which bonds may bear too much, term by term; what is not marked holds. Null: none of them.
struct strained {
    const uint8_t *bonds[BOND_TERM_LIMIT];
};

static void look_at(pbs_world *w, size_t index, const struct strained *strained,
                    const struct look *look) {
    const struct body *body = scene_body(&w->scene, index);
    const struct bond_term *term = term_of(&w->topology.model, body);
    const uint8_t *all = term != NULL ? strained->bonds[term - w->topology.model.bond_terms] : NULL;
    if (all == NULL) {
        return;
    }
    const struct bond_place place = place_of(w, index);
    const uint8_t *marks = all + place.first_bond;
    size_t i = 0;
    while (i < body->bonds.count) {
        const uint8_t *next = memchr(marks + i, 1, body->bonds.count - i);
        if (next == NULL) {
            return;
        }
        i = (size_t)(next - marks);
        // As many as the next marks are near.
        size_t some = 1;
        for (size_t k = 1; k < BONDS_AT_ONCE && i + k < body->bonds.count; k++) {
            some = marks[i + k] != 0 ? k + 1 : some;
        }
        list_broken(w, index, &place, marks, i, some, look);
        i += some;
    }
}

/// One row of the index-th body's.
/// from: null where it becomes whole again.
static void set_row(pbs_world *w, size_t index, const struct bond_place *place, size_t row,
                    const double *from) {
    const struct bond_breaks *breaks = &w->topology.breaks;
    const struct body *body = scene_body(&w->scene, index);
    const uint32_t bond = breaks->rows[row].bond;
    mark_broken(place, bond, from != NULL);
    if (from != NULL) {
        breaks->releases[row] = let_touch(w, index, bond, from + 3 * body->node_start,
                                          contact_set_reach(&w->topology.contacts));
    } else {
        keep_apart(w, index, bond, &breaks->releases[row]);
    }
}

/// Rows from `first` on; those that are taken back in the opposite order.
static void set_broken(pbs_world *w, size_t first, const double *from) {
    const struct bond_breaks *breaks = &w->topology.breaks;
    size_t at = first;
    for (size_t index = 0; index < w->scene.bodies.count && at < breaks->count; index++) {
        const struct body *body = scene_body(&w->scene, index);
        if (!body->bonds.breaks) {
            continue;
        }
        const struct bond_place place = place_of(w, index);
        const uint64_t name = handle_id(&w->scene.bodies, body->slot, HANDLE_BODY, w->scene.stamp);
        // Rows of several steps have the bodies several times.
        for (size_t i = first; i < breaks->count; i++) {
            const size_t row = from != NULL ? i : first + breaks->count - 1 - i;
            if (breaks->rows[row].body.id == name) {
                set_row(w, index, &place, row, from);
                at++;
            }
        }
    }
}

// --- no more than so many at once ---

/// Positive doubles are in the order of their bits.
static uint64_t bits_of(double ratio) {
    uint64_t bits = 0;
    memcpy(&bits, &ratio, sizeof bits);
    return bits;
}

static size_t count_above(const struct bond_breaks *breaks, size_t first, uint64_t bits) {
    size_t count = 0;
    for (size_t i = first; i < breaks->count; i++) {
        count += bits_of(breaks->releases[i].ratio) > bits;
    }
    return count;
}

/// Keeps those rows from `first` on that are farthest above their strengths, of equal ones the
/// first, in their order.
static void keep_largest(struct bond_breaks *breaks, size_t first, size_t limit) {
    if (limit == 0 || breaks->count - first <= limit) {
        return;
    }
    // The lowest that no more than the limit are above, by bisection.
    uint64_t low = 0;
    uint64_t high = UINT64_MAX;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (count_above(breaks, first, middle) <= limit) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    size_t equal = limit - count_above(breaks, first, low);
    size_t kept = first;
    for (size_t i = first; i < breaks->count; i++) {
        const uint64_t bits = bits_of(breaks->releases[i].ratio);
        const bool keep = bits > low || (bits == low && equal > 0);
        equal -= keep && bits == low;
        if (keep) {
            breaks->rows[kept++] = breaks->rows[i];
        }
    }
    breaks->count = kept;
}

// --- looking ---

static struct strained find_strained(pbs_world *w, const struct look *look, bool is_marked) {
    const struct model *model = &w->topology.model;
    const size_t domains = model->assembly.layout.domain_count;
    struct strained strained = {{NULL}};
    for (size_t i = 0; i < model->bond_term_count; i++) {
        const struct bond_term_table *table = model->bond_terms[i].table;
        void *self = model->bond_terms[i].self;
        // What softens bears nothing any more where it breaks, so that no step is taken again.
        if ((look->is_ahead && table->update_history != NULL) || !table->has_limits(self)) {
            continue;
        }
        if (!is_marked) {
            table->mark_overloaded(self, w->tasks, domains, look->at.x, look->at.orientations);
        }
        strained.bonds[i] = table->overloaded(self);
    }
    return strained;
}

// --- what softens ---

/// A state that was accepted is remembered.
static void remember(pbs_world *w, const double *x) {
    const struct model *model = &w->topology.model;
    for (size_t i = 0; i < model->bond_term_count; i++) {
        const struct bond_term *term = &model->bond_terms[i];
        if (term->table->update_history != NULL) {
            w->topology.breaks.softened += term->table->update_history(
                term->self, w->tasks, model->assembly.layout.domain_count, x);
        }
    }
}

static void copy_remaining_of(pbs_world *w, const struct bond_term *term, bool lands) {
    size_t at = 0;
    for (size_t i = 0; i < w->scene.bodies.count; i++) {
        struct body *body = scene_body(&w->scene, i);
        if (body->table != term->kind || form_of(body) != term->form) {
            continue;
        }
        if (lands) {
            term->table->read_remaining(term->self, at, body);
        } else {
            term->table->write_remaining(term->self, at, body);
        }
        at += body->bonds.count;
    }
}

/// Between the bodies, which know of the last state that landed, and the terms.
static void copy_remaining(pbs_world *w, bool lands) {
    const struct model *model = &w->topology.model;
    for (size_t i = 0; i < model->bond_term_count; i++) {
        if (model->bond_terms[i].table->read_remaining != NULL) {
            copy_remaining_of(w, &model->bond_terms[i], lands);
        }
    }
}

static bool look(pbs_world *w, const struct look *look, bool is_marked) {
    struct bond_breaks *breaks = &w->topology.breaks;
    const size_t before = breaks->count;
    if (breaks->capacity == 0) {
        return false;
    }
    if (!look->is_ahead) {
        remember(w, look->at.x);
    }
    const struct strained strained = find_strained(w, look, is_marked);
    for (size_t i = 0; i < w->scene.bodies.count; i++) {
        if (scene_body(&w->scene, i)->bonds.breaks) {
            look_at(w, i, &strained, look);
        }
    }
    keep_largest(breaks, before, w->scene.settings.fracture_limit);
    set_broken(w, before, look->from);
    return breaks->count > before;
}

bool breaks_look(pbs_world *w, double time, bool is_marked) {
    const struct particles now = {w->topology.workspace.now.x,
                                  w->topology.model.rotations.orientation};
    return look(w, &(struct look){now, now, now.x, time, false}, is_marked);
}

bool breaks_look_ahead(pbs_world *w, double time, bool goes_on) {
    const struct rotations *rotations = &w->topology.model.rotations;
    double *turned = w->topology.breaks.orientations;
    if (w->topology.breaks.capacity == 0) {
        return false;
    }
    for (size_t i = 0; i < rotations->count; i++) {
        rotations_at(rotations, i, w->topology.workspace.next.x, turned + 4 * i);
    }
    const struct particles now = {w->topology.workspace.now.x, rotations->orientation};
    const struct particles next = {w->topology.workspace.next.x, turned};
    const struct particles start = goes_on ? next : now;
    return look(w, &(struct look){next, start, start.x, time, true}, false);
}

void breaks_put_aside(pbs_world *w) {
    struct bond_breaks *breaks = &w->topology.breaks;
    breaks->aside = breaks->count;
    breaks->softened_aside = breaks->softened;
    for (size_t i = 0; i < w->topology.model.bond_term_count; i++) {
        const struct bond_term *term = &w->topology.model.bond_terms[i];
        if (term->table->save_history != NULL) {
            term->table->save_history(term->self);
        }
    }
}

void breaks_take_back_aside(pbs_world *w) {
    struct bond_breaks *breaks = &w->topology.breaks;
    breaks_take_back(w, breaks->aside);
    breaks->softened = breaks->softened_aside;
    for (size_t i = 0; i < w->topology.model.bond_term_count; i++) {
        const struct bond_term *term = &w->topology.model.bond_terms[i];
        if (term->table->restore_history != NULL) {
            term->table->restore_history(term->self);
        }
    }
}

void breaks_take_back_all(pbs_world *w) {
    breaks_take_back(w, 0);
    copy_remaining(w, false);
    w->topology.breaks.softened = 0.0;
}

/// Of the index-th body's rows.
static bool relieve_body(pbs_world *w, size_t index, size_t first) {
    const struct bond_breaks *breaks = &w->topology.breaks;
    const struct body *body = scene_body(&w->scene, index);
    const struct bond_place place = place_of(w, index);
    const uint64_t name = handle_id(&w->scene.bodies, body->slot, HANDLE_BODY, w->scene.stamp);
    struct step_workspace *workspace = &w->topology.workspace;
    bool is_known = true;
    for (size_t row = first; row < breaks->count && is_known; row++) {
        if (breaks->rows[row].body.id != name) {
            continue;
        }
        const size_t bond = breaks->rows[row].bond;
        const uint32_t *end = body->bonds.pairs + 2 * bond;
        const uint32_t nodes[2] = {(uint32_t)body->node_start + end[0],
                                   (uint32_t)body->node_start + end[1]};
        is_known = place.term->table->remove_gradient != NULL &&
                   place.term->table->remove_gradient(place.term->self, place.first_bond + bond,
                                                      nodes, workspace->now.x,
                                                      workspace->gradient_now);
        explicit_update_acceleration(workspace, nodes[0]);
        explicit_update_acceleration(workspace, nodes[1]);
    }
    return is_known;
}

bool breaks_relieve(pbs_world *w, size_t first) {
    bool is_known = true;
    for (size_t i = 0; i < w->scene.bodies.count && is_known; i++) {
        if (scene_body(&w->scene, i)->bonds.breaks) {
            is_known = relieve_body(w, i, first);
        }
    }
    return is_known;
}

void breaks_take_back(pbs_world *w, size_t count) {
    set_broken(w, count, NULL);
    w->topology.breaks.count = count;
}

double breaks_land(pbs_world *w) {
    struct bond_breaks *breaks = &w->topology.breaks;
    double energy = breaks->softened;
    copy_remaining(w, true);
    breaks->softened = 0.0;
    for (size_t i = 0; i < breaks->count; i++) {
        struct body *body = world_body(w, breaks->rows[i].body);
        body->bonds.broken[breaks->rows[i].bond] = BOND_BROKE;
        body->bonds.came_apart = true;
        body->bonds.release[breaks->rows[i].bond] = breaks->releases[i].distance;
        energy += breaks->rows[i].energy;
    }
    for (size_t i = 0; i < w->scene.bodies.count; i++) {
        body_come_apart(scene_body(&w->scene, i));
    }
    if (breaks->count > 0) {
        memcpy(w->broken.rows, breaks->rows, breaks->count * sizeof *breaks->rows);
    }
    w->broken.count = breaks->count;
    breaks->count = 0;
    return energy;
}

// --- the host ---

struct body *breaking_enter(const pbs_world *w, pbs_body b, const char *lack, pbs_status *status) {
    struct body *body = world_enter_body(w, b, status);
    if (*status >= 0 && body->bonds.fragments.fragment == NULL) {
        *status = status_fail(PBS_ERROR_ARGUMENT, "the body has no bonds: %s", lack);
    }
    return body;
}

const double *pbs_body_tensile_strengths(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL && body->bonds.count > 0 ? body->bonded.tensile : NULL;
}

const double *pbs_body_shear_strengths(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL && body->bonds.count > 0 ? body->bonded.shearing : NULL;
}

const uint8_t *pbs_body_broken(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL && body->bonds.count > 0 ? body->bonds.broken : NULL;
}

static size_t index_of(const struct scene *scene, const struct body *body) {
    size_t index = 0;
    while (scene_body(scene, index) != body) {
        index++;
    }
    return index;
}

/// The bonds of a body that the host breaks one by one.
struct cut {
    pbs_world *world;
    struct body *body;
    struct bond_place place; ///< where the world's terms know them already
    size_t index;            ///< of the body
    const double *x;         ///< of its particles
    double reach;            ///< m: the contact distance
    size_t count;
};

static struct cut begin_cut(pbs_world *w, struct body *body) {
    struct cut cut = {.world = w,
                      .body = body,
                      .index = index_of(&w->scene, body),
                      .x = w->scene.nodes.x + 3 * body->node_start,
                      .reach = contact_distance(w)};
    if (w->topology.is_current) {
        cut.place = place_of(w, cut.index);
    }
    return cut;
}

static void cut_bond(struct cut *cut, size_t bond) {
    if (cut->body->bonds.broken[bond] != BOND_INTACT) {
        return;
    }
    cut->body->bonds.broken[bond] = BOND_CUT;
    cut->body->bonds.release[bond] = let_touch(cut->world, cut->index, bond, cut->x, cut->reach)
                                         .distance;
    cut->body->bonds.came_apart = true;
    cut->count++;
    mark_broken(&cut->place, bond, true);
}

static void end_cut(struct cut *cut, size_t *count) {
    body_come_apart(cut->body);
    if (cut->count > 0) {
        // A kept acceleration is that of forces which are no more; states before stay of use.
        cut->world->scene.history.memory.has_acceleration = false;
    }
    if (count != NULL) {
        *count = cut->count;
    }
}

pbs_status pbs_body_break_bonds(pbs_world *w, pbs_body b, const uint32_t *bonds, size_t count) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct body *body = breaking_enter(w, b, "nothing of it breaks", &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_indices(bonds, count, body->bonds.count, "bonds", "bonds"));
    struct cut cut = begin_cut(w, body);
    for (size_t i = 0; i < count; i++) {
        cut_bond(&cut, bonds[i]);
    }
    end_cut(&cut, NULL);
    return PBS_OK;
}

pbs_status pbs_body_cut_plane(pbs_world *w, pbs_body b, const double point[3],
                              const double normal[3], size_t *count) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct body *body = breaking_enter(w, b, "nothing of it breaks", &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(point, "point"));
    RETURN_IF_FAILED(check_pointer(normal, "normal"));
    RETURN_IF_FAILED(check_vectors(point, 1, "point"));
    RETURN_IF_FAILED(check_vectors(normal, 1, "normal"));
    const double scale = fmax(fabs(normal[0]), fmax(fabs(normal[1]), fabs(normal[2])));
    if (scale == 0.0) {
        return status_fail(PBS_ERROR_ARGUMENT, "normal is zero, so the plane has no direction");
    }
    const double *x = vertices_positions(&w->scene.nodes, body);
    struct cut cut = begin_cut(w, body);
    for (size_t i = 0; i < body->bonds.count; i++) {
        bool above[2];
        for (size_t end = 0; end < 2; end++) {
            double way[3];
            subtract3(x + 3 * (size_t)body->bonds.pairs[2 * i + end], point, way);
            above[end] = (normal[0] / scale) * way[0] + (normal[1] / scale) * way[1] +
                             (normal[2] / scale) * way[2] >=
                         0.0;
        }
        if (above[0] != above[1]) {
            cut_bond(&cut, i);
        }
    }
    end_cut(&cut, count);
    return PBS_OK;
}

/// Whether a bond's way may meet a triangle: whether their boxes do.
static bool boxes_meet(const double *a, const double *b, const double *corners) {
    bool meet = true;
    for (size_t k = 0; k < 3; k++) {
        const double low = fmin(corners[k], fmin(corners[3 + k], corners[6 + k]));
        const double high = fmax(corners[k], fmax(corners[3 + k], corners[6 + k]));
        meet = meet && fmin(a[k], b[k]) <= high && low <= fmax(a[k], b[k]);
    }
    return meet;
}

pbs_status pbs_body_cut_triangles(pbs_world *w, pbs_body b, const double *corners,
                                  size_t triangle_count, size_t *count) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct body *body = breaking_enter(w, b, "nothing of it breaks", &status);
    RETURN_IF_FAILED(status);
    if (triangle_count > 0) {
        RETURN_IF_FAILED(check_pointer(corners, "corners"));
        RETURN_IF_FAILED(check_vectors(corners, 3 * triangle_count, "corners"));
    }
    const double *x = vertices_positions(&w->scene.nodes, body);
    struct cut cut = begin_cut(w, body);
    for (size_t i = 0; i < body->bonds.count; i++) {
        const double *start = x + 3 * (size_t)body->bonds.pairs[2 * i];
        const double *end = x + 3 * (size_t)body->bonds.pairs[2 * i + 1];
        bool meets = false;
        for (size_t t = 0; t < triangle_count && !meets; t++) {
            const double *c = corners + 9 * t;
            const double *const triangle[3] = {c, c + 3, c + 6};
            meets = boxes_meet(start, end, c) && segment_intersects_triangle(start, end, triangle);
        }
        if (meets) {
            cut_bond(&cut, i);
        }
    }
    end_cut(&cut, count);
    return PBS_OK;
}

pbs_status pbs_world_broken_bonds(const pbs_world *w, pbs_broken_bond *dst, size_t struct_size,
                                  size_t *count) {
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(rows_begin(&settings_broken_bond, struct_size, dst, count, w->broken.count,
                                "broken bonds"));
    for (size_t i = 0; dst != NULL && i < w->broken.count; i++) {
        row_write(&settings_broken_bond, &w->broken.rows[i], struct_size,
                  (char *)dst + i * struct_size);
    }
    return PBS_OK;
}
