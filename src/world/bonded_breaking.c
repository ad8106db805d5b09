// Bonds that break (docs/theory/bonds.md section 4): looked at in accepted states only, all before
// any breaks, in the order of bodies and bonds; and taken back with the step.
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "world/bonded.h"
#include "world/check.h"
#include "world/settings.h"
#include "world/world.h"

pbs_status breaks_reserve(struct bond_breaks *breaks, struct memory *memory,
                          const struct scene *scene) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        count += body->kind == BODY_BONDED && body->bonded.breaks ? body->bonded.bond_count : 0;
    }
    return memory_reserve(memory, &breaks->rows, &breaks->capacity, count, sizeof *breaks->rows);
}

/// Where a body's bonds and rotations begin among those of all.
struct bonded_place {
    struct bonds *bonds;
    size_t first_bond, first_rotation;
};

/// Of the index-th body, which is bonded.
static struct bonded_place place_of(const pbs_world *w, size_t index) {
    const int32_t shear = scene_body(&w->scene, index)->bonded.shear;
    struct bonded_place place = {.bonds = w->topology.model.bonds[shear]};
    for (size_t i = 0; i < index; i++) {
        const struct body *body = scene_body(&w->scene, i);
        if (body->kind == BODY_BONDED) {
            place.first_bond += body->bonded.shear == shear ? body->bonded.bond_count : 0;
            place.first_rotation += body->vertex_count;
        }
    }
    return place;
}

// --- a step ---

static void look_at(pbs_world *w, size_t index, double time) {
    const struct body *body = scene_body(&w->scene, index);
    const struct bonded_body *own = &body->bonded;
    const struct bonded_place place = place_of(w, index);
    struct bond_breaks *breaks = &w->topology.breaks;
    const struct bonded_view view = {w->topology.workspace.now.x + 3 * body->node_start,
                                     w->topology.model.rotations.orientation +
                                         4 * place.first_rotation};
    const pbs_body name = {handle_id(&w->scene.bodies, body->slot, HANDLE_BODY, w->scene.stamp)};
    for (size_t i = 0; i < own->bond_count; i += BONDED_SOME) {
        pbs_bond_load loads[BONDED_SOME];
        double energies[BONDED_SOME];
        const size_t some = own->bond_count - i < BONDED_SOME ? own->bond_count - i : BONDED_SOME;
        bonded_read_loads(body, &view, i, some, loads, energies);
        for (size_t k = 0; k < some; k++) {
            const bool over = loads[k].normal_stress > own->tensile[i + k] ||
                              loads[k].shear_stress > own->shearing[i + k];
            if (over && !bonds_is_broken(place.bonds, place.first_bond + i + k)) {
                breaks->rows[breaks->count++] = (pbs_broken_bond){
                    .body = name,
                    .bond = (uint32_t)(i + k),
                    .time = time,
                    .normal_stress = loads[k].normal_stress,
                    .shear_stress = loads[k].shear_stress,
                    .energy = energies[k]};
            }
        }
    }
}

/// Rows from `first` on.
static void set_broken(pbs_world *w, size_t first, bool broken) {
    const struct bond_breaks *breaks = &w->topology.breaks;
    size_t at = first;
    for (size_t index = 0; index < w->scene.bodies.count && at < breaks->count; index++) {
        const struct body *body = scene_body(&w->scene, index);
        if (body->kind != BODY_BONDED || !body->bonded.breaks) {
            continue;
        }
        const struct bonded_place place = place_of(w, index);
        const uint64_t name = handle_id(&w->scene.bodies, body->slot, HANDLE_BODY, w->scene.stamp);
        // Rows of several steps have the bodies several times.
        for (size_t row = first; row < breaks->count; row++) {
            if (breaks->rows[row].body.id == name) {
                bonds_set_broken(place.bonds, place.first_bond + breaks->rows[row].bond, broken);
                at++;
            }
        }
    }
}

bool breaks_look(pbs_world *w, double time) {
    struct bond_breaks *breaks = &w->topology.breaks;
    const size_t before = breaks->count;
    for (size_t i = 0; i < w->scene.bodies.count && breaks->capacity > 0; i++) {
        const struct body *body = scene_body(&w->scene, i);
        if (body->kind == BODY_BONDED && body->bonded.breaks) {
            look_at(w, i, time);
        }
    }
    set_broken(w, before, true);
    return breaks->count > before;
}

void breaks_take_back(pbs_world *w, size_t count) {
    set_broken(w, count, false);
    w->topology.breaks.count = count;
}

double breaks_land(pbs_world *w) {
    struct bond_breaks *breaks = &w->topology.breaks;
    double energy = 0.0;
    for (size_t i = 0; i < breaks->count; i++) {
        world_body(w, breaks->rows[i].body)->bonded.broken[breaks->rows[i].bond] = 1;
        energy += breaks->rows[i].energy;
    }
    if (breaks->count > 0) {
        memcpy(w->broken.rows, breaks->rows, breaks->count * sizeof *breaks->rows);
    }
    w->broken.count = breaks->count;
    breaks->count = 0;
    return energy;
}

// --- the host ---

static struct body *enter_bonded(const pbs_world *w, pbs_body b, pbs_status *status) {
    struct body *body = world_enter_body(w, b, status);
    if (*status >= 0 && body->kind != BODY_BONDED) {
        *status = status_fail(PBS_ERROR_ARGUMENT, "the body is not bonded: nothing of it breaks");
    }
    return body;
}

const uint8_t *pbs_body_broken(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL && body->bonded.bond_count > 0 ? body->bonded.broken : NULL;
}

static size_t index_of(const struct scene *scene, const struct body *body) {
    size_t index = 0;
    while (scene_body(scene, index) != body) {
        index++;
    }
    return index;
}

pbs_status pbs_body_break_bonds(pbs_world *w, pbs_body b, const uint32_t *bonds, size_t count) {
    pbs_status status = PBS_OK;
    struct body *body = enter_bonded(w, b, &status);
    RETURN_IF_FAILED(status);
    if (count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(check_pointer(bonds, "bonds"));
    for (size_t i = 0; i < count; i++) {
        if (bonds[i] >= body->bonded.bond_count) {
            return status_fail(PBS_ERROR_ARGUMENT, "bonds[%zu] is %u, but the body has %zu bonds",
                               i, (unsigned)bonds[i], body->bonded.bond_count);
        }
    }
    const bool bound = w->topology.is_current;
    const struct bonded_place place = bound ? place_of(w, index_of(&w->scene, body))
                                            : (struct bonded_place){0};
    for (size_t i = 0; i < count; i++) {
        body->bonded.broken[bonds[i]] = 1;
        if (bound) {
            bonds_set_broken(place.bonds, place.first_bond + bonds[i], true);
        }
    }
    // A kept acceleration is that of forces which are no more; states before stay of use.
    w->scene.history.memory.has_acceleration = false;
    return PBS_OK;
}

pbs_status pbs_world_broken_bonds(const pbs_world *w, pbs_broken_bond *dst, size_t struct_size,
                                  size_t *count) {
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_pointer(count, "count"));
    RETURN_IF_FAILED(row_size_check(&settings_broken_bond, struct_size));
    const size_t room = *count;
    *count = w->broken.count;
    if (dst == NULL) {
        return PBS_OK;
    }
    if (room < w->broken.count) {
        return status_fail(PBS_ERROR_CAPACITY, "room for %zu bonds, but %zu broke", room,
                           w->broken.count);
    }
    for (size_t i = 0; i < w->broken.count; i++) {
        row_write(&settings_broken_bond, &w->broken.rows[i], struct_size,
                  (char *)dst + i * struct_size);
    }
    return PBS_OK;
}
