// Bonds that break (docs/theory/bonds.md section 4): compared with their strengths in accepted
// states only, all before any breaks, in the order of bodies and bonds; whole again where the step
// is undone.
// SPDX-License-Identifier: MIT
#include "world/breaking/breaking.h"

#include <string.h>

#include "integrate/stepping/explicit.h"
#include "world/breaking/bond_place.h"
#include "world/breaking/histories.h"
#include "world/breaking/joint_breaking.h"
#include "world/breaking/joint_contact.h"
#include "world/objects/body_table.h"
#include "world/particles/body_bonds.h"

// --- a step ---

/// A state of all particles: node positions, and a quaternion for each rotation.
struct particles {
    const double *x, *orientations;
};

/// One comparison of all bonds with their strengths.
struct comparison {
    struct particles at;       ///< stresses are compared at this state
    struct particles released; ///< a bond that breaks releases its energy at this state
    const double *from; ///< node positions from which particles of broken bonds begin to touch
    double time;        ///< s, recorded with each break
    bool is_ahead;      ///< the state is not accepted yet
};

static struct particle_view view_of(const struct particles *particles, const struct body *body,
                                    const struct bond_place *place) {
    const bool turns = body_has_orientations(body);
    return (struct particle_view){particles->x + 3 * body->node_start,
                                  turns ? particles->orientations + 4 * place->first_rotation
                                        : NULL};
}

/// Appends rows for those of a body's `some` bonds from `first` on that are above their strengths.
static void list_broken(pbs_world *w, size_t index, const struct bond_place *place,
                        const uint8_t *strained, size_t first, size_t some,
                        const struct comparison *comparison) {
    const struct body *body = scene_body(&w->scene, index);
    struct bond_breaks *breaks = &w->solver.breaks;
    const struct particle_view at = view_of(&comparison->at, body, place);
    const struct particle_view released = view_of(&comparison->released, body, place);
    const pbs_body name = {handle_id(&w->scene.bodies, body->slot, HANDLE_BODY, w->scene.stamp)};
    pbs_bond_load loads[BOND_BATCH];
    double energies[BOND_BATCH];
    body->table->read_loads(body, &released, first, some, loads, energies);
    if (comparison->at.x != comparison->released.x) {
        double ignored[BOND_BATCH];
        body->table->read_loads(body, &at, first, some, loads, ignored);
    }
    for (size_t k = 0; k < some && breaks->count < breaks->limit; k++) {
        const size_t i = first + k;
        const struct bond_excess excess = body->table->measure_excess(body, i, &loads[k]);
        if (strained[i] != 0 && excess.over && !bond_is_broken(place, i)) {
            breaks->releases[breaks->count].ratio = excess.ratio;
            breaks->rows[breaks->count++] = (pbs_broken_bond){
                .body = name,
                .bond = (uint32_t)i,
                .time = comparison->time,
                .normal_stress = loads[k].normal_stress,
                .shear_stress = loads[k].shear_stress,
                .energy = energies[k],
                .stretch = loads[k].stretch};
        }
    }
}

/// By term, the marks of bonds that may be above their strengths; null: none of the term's are.
struct strained {
    const uint8_t *bonds[BOND_TERM_LIMIT];
};

static void compare_body(pbs_world *w, size_t index, const struct strained *strained,
                         const struct comparison *comparison) {
    const struct body *body = scene_body(&w->scene, index);
    const struct bond_term *term = bond_term_of(&w->solver.model, body);
    const uint8_t *all = term != NULL ? strained->bonds[term - w->solver.model.bond_terms] : NULL;
    if (all == NULL) {
        return;
    }
    const struct bond_place place = bond_place_of(w, index);
    const uint8_t *marks = all + place.first_bond;
    size_t i = 0;
    while (i < body->bonds.count) {
        const uint8_t *next = memchr(marks + i, 1, body->bonds.count - i);
        if (next == NULL) {
            return;
        }
        i = (size_t)(next - marks);
        // Measures a batch up to its last marked bond.
        size_t some = 1;
        for (size_t k = 1; k < BOND_BATCH && i + k < body->bonds.count; k++) {
            some = marks[i + k] != 0 ? k + 1 : some;
        }
        list_broken(w, index, &place, marks, i, some, comparison);
        i += some;
    }
}

/// Breaks the bond of one row of the index-th body; from null: makes it intact again.
static void set_row(pbs_world *w, size_t index, const struct bond_place *place, size_t row,
                    const double *from) {
    const struct bond_breaks *breaks = &w->solver.breaks;
    const struct body *body = scene_body(&w->scene, index);
    const uint32_t bond = breaks->rows[row].bond;
    bond_mark_broken(place, bond, from != NULL);
    if (w->solver.workspace.energy.is_torn != NULL) {
        w->solver.workspace.energy.is_torn[index] = true;
    }
    if (from != NULL) {
        breaks->releases[row] = bond_let_touch(w, index, bond, from + 3 * body->node_start,
                                               bond_contact_reach(w, index));
    } else {
        bond_keep_apart(w, index, bond, &breaks->releases[row]);
    }
}

/// Breaks the bonds of the rows from `first` on. from null: undoes that, in the opposite order.
static void set_broken(pbs_world *w, size_t first, const double *from) {
    const struct bond_breaks *breaks = &w->solver.breaks;
    size_t at = first;
    for (size_t index = 0; index < w->scene.bodies.count && at < breaks->count; index++) {
        const struct body *body = scene_body(&w->scene, index);
        if (!body->bonds.breaks) {
            continue;
        }
        const struct bond_place place = bond_place_of(w, index);
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

// --- fracture_limit ---

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

// --- comparison ---

static struct strained find_strained(pbs_world *w, const struct comparison *comparison,
                                     bool is_marked) {
    const struct model *model = &w->solver.model;
    const size_t domains = model->assembly.layout.domain_count;
    struct strained strained = {{NULL}};
    for (size_t i = 0; i < model->bond_term_count; i++) {
        const struct bond_term_table *table = model->bond_terms[i].table;
        void *self = model->bond_terms[i].self;
        // A softening bond carries no load when it breaks, so no step is repeated for it.
        if ((comparison->is_ahead && table->softens) || !table->has_limits(self)) {
            continue;
        }
        if (!is_marked) {
            table->mark_overloaded(self, w->tasks, domains, comparison->at.x,
                                   comparison->at.orientations);
        }
        strained.bonds[i] = table->overloaded(self);
    }
    return strained;
}

static bool compare(pbs_world *w, const struct comparison *comparison, bool is_marked) {
    struct bond_breaks *breaks = &w->solver.breaks;
    const size_t before = breaks->count;
    if (breaks->limit == 0) {
        return false;
    }
    const struct strained strained = find_strained(w, comparison, is_marked);
    for (size_t i = 0; i < w->scene.bodies.count; i++) {
        if (scene_body(&w->scene, i)->bonds.breaks) {
            compare_body(w, i, &strained, comparison);
        }
    }
    keep_largest(breaks, before, w->scene.settings.fracture_limit);
    set_broken(w, before, comparison->from);
    return breaks->count > before;
}

bool breaks_update(pbs_world *w, double time, double h, bool is_marked) {
    const struct particles now = {w->solver.workspace.now.x, w->solver.model.rotations.orientation};
    // Histories come first: bonds that soften lose their strength before they break.
    w->solver.breaks.forces_changed = histories_update(w, now.x, h);
    const bool broke = compare(w, &(struct comparison){now, now, now.x, time, false}, is_marked);
    return broke || w->solver.breaks.forces_changed;
}

bool breaks_update_next(pbs_world *w, double time, bool goes_on) {
    const struct rotations *rotations = &w->solver.model.rotations;
    double *turned = w->solver.breaks.orientations;
    if (w->solver.breaks.limit == 0) {
        return false;
    }
    for (size_t i = 0; i < rotations->count; i++) {
        rotations_at(rotations, i, w->solver.workspace.next.x, turned + 4 * i);
    }
    const struct particles now = {w->solver.workspace.now.x, rotations->orientation};
    const struct particles next = {w->solver.workspace.next.x, turned};
    const struct particles start = goes_on ? next : now;
    return compare(w, &(struct comparison){next, start, start.x, time, true}, false);
}

struct break_mark breaks_mark(const pbs_world *w) {
    return (struct break_mark){w->solver.breaks.count, w->solver.joint_breaks.count,
                               w->solver.joint_releases.count};
}

static void undo_bonds(pbs_world *w, size_t count) {
    set_broken(w, count, NULL);
    w->solver.breaks.count = count;
}

void breaks_undo(pbs_world *w, struct break_mark mark) {
    undo_bonds(w, mark.bonds);
    joint_contact_hold(w, mark.releases);
    joint_breaks_undo(w, mark.joints);
}

void breaks_save(pbs_world *w) {
    struct bond_breaks *breaks = &w->solver.breaks;
    joint_breaks_save(w);
    breaks->saved_count = breaks->count;
    histories_save(w);
}

void breaks_restore_saved(pbs_world *w) {
    struct bond_breaks *breaks = &w->solver.breaks;
    joint_breaks_restore_saved(w);
    undo_bonds(w, breaks->saved_count);
    histories_restore_saved(w);
}

void breaks_undo_all(pbs_world *w) {
    breaks_undo(w, (struct break_mark){0});
    histories_undo(w);
}

/// Subtracts the forces of the index-th body's rows from `first` on.
static bool remove_body_forces(pbs_world *w, size_t index, size_t first) {
    const struct bond_breaks *breaks = &w->solver.breaks;
    const struct body *body = scene_body(&w->scene, index);
    const struct bond_place place = bond_place_of(w, index);
    const uint64_t name = handle_id(&w->scene.bodies, body->slot, HANDLE_BODY, w->scene.stamp);
    struct step_workspace *workspace = &w->solver.workspace;
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

bool breaks_remove_forces(pbs_world *w, size_t first) {
    bool is_known = !w->solver.breaks.forces_changed;
    for (size_t i = 0; i < w->scene.bodies.count && is_known; i++) {
        if (scene_body(&w->scene, i)->bonds.breaks) {
            is_known = remove_body_forces(w, i, first);
        }
    }
    return is_known;
}

double breaks_commit(pbs_world *w) {
    struct bond_breaks *breaks = &w->solver.breaks;
    double energy = histories_commit(w) + joint_breaks_commit(w);
    for (size_t i = 0; i < breaks->count; i++) {
        struct body *body = world_body(w, breaks->rows[i].body);
        body->bonds.broken[breaks->rows[i].bond] = BOND_BROKE;
        body->bonds.fragments_outdated = true;
        body->bonds.release[breaks->rows[i].bond] = breaks->releases[i].distance;
        energy += breaks->rows[i].energy;
    }
    for (size_t i = 0; i < w->scene.bodies.count; i++) {
        body_update_fragments(scene_body(&w->scene, i));
    }
    if (breaks->count > 0) {
        memcpy(w->broken.rows, breaks->rows, breaks->count * sizeof *breaks->rows);
    }
    w->broken.count = breaks->count;
    breaks->count = 0;
    return energy;
}
