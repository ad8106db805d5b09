// Welds where bodies touch: patches of their surfaces become joints with strengths of their size.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "fracture/scatter.h"
#include "geometry/meshes/facing_patches.h"
#include "geometry/meshes/inset_surface.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/contact_scenes/contact_scale.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/joints/joint.h"
#include "world/objects/vertices.h"
#include "world/world.h"

// Of the smaller body's extent: how far apart surfaces may be unless the host says otherwise.
static const double DISTANCE = 1e-3;
// Of its square: patches below are what rounding makes of edges.
static const double LEAST_AREA = 1e-4;
// Of the distance of contact: faces that were together are 1.1 of it apart, so that strains of
// welds bring none within.
static const double INSET = 0.55;

pbs_status pbs_weld_desc_init(pbs_weld_desc *d, size_t struct_size) {
    const pbs_weld_desc defaults = {
        .tensile_strength = INFINITY, .shear_strength = INFINITY, .inset = PBS_AUTOMATIC};
    return settings_init(&settings_weld, d, struct_size, &defaults);
}

/// One of the bodies to be welded.
struct piece {
    struct body *body;
    pbs_body id;
    struct surface_view surface;
    double low[3], high[3];
    bool is_welded;
};

/// Two pieces whose boxes meet, by their numbers.
struct pair {
    uint32_t first, second;
};

struct welding {
    pbs_world *w;
    const pbs_weld_desc *d;
    struct piece *pieces;
    uint32_t *order; ///< pieces by the lower ends of their boxes
    struct pair *pairs;
    size_t pair_count, pair_capacity;
    struct facing_patches patches;
    struct world_joint **welds; ///< not added yet
    size_t weld_count, weld_capacity;
    double *insets; ///< by piece, m
};

// --- checks ---

static pbs_status check_strength(double strength, const char *name) {
    return strength > 0.0
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "%s is %g, must be positive, or infinity for welds that never break",
                             name, strength);
}

static pbs_status check(const pbs_weld_desc *d) {
    RETURN_IF_FAILED(check_not_negative(d->distance, "distance"));
    RETURN_IF_FAILED(check_not_negative(d->least_area, "least_area"));
    RETURN_IF_FAILED(check_strength(d->tensile_strength, "tensile_strength"));
    RETURN_IF_FAILED(check_strength(d->shear_strength, "shear_strength"));
    RETURN_IF_FAILED(check_weibull_modulus(d->weibull_modulus));
    RETURN_IF_FAILED(check_not_negative(d->tolerance, "tolerance"));
    if (d->inset != PBS_AUTOMATIC) {
        RETURN_IF_FAILED(check_not_negative(d->inset, "inset"));
    }
    return d->body_count > 0 ? check_pointer(d->bodies, "bodies") : PBS_OK;
}

static bool can_be_welded(const struct body *body) {
    return body->triangle_count > 0 && (!vertices_are_nodes(body) || body->solid.tet_count > 0);
}

// --- pieces ---

static void bound(struct piece *piece) {
    for (int k = 0; k < 3; k++) {
        piece->low[k] = INFINITY;
        piece->high[k] = -INFINITY;
        for (size_t i = 0; i < piece->surface.vertex_count; i++) {
            const double x = piece->surface.positions[3 * i + (size_t)k];
            piece->low[k] = fmin(piece->low[k], x);
            piece->high[k] = fmax(piece->high[k], x);
        }
    }
}

static pbs_status read_piece(struct welding *welding, size_t index) {
    struct piece *const piece = &welding->pieces[index];
    pbs_status status = PBS_OK;
    piece->id = welding->d->bodies[index];
    piece->body = world_enter_body(welding->w, piece->id, &status);
    RETURN_IF_FAILED(status);
    if (!can_be_welded(piece->body)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "bodies[%zu] is neither affine nor of tetrahedra, so that its points "
                           "have no orientation for a weld",
                           index);
    }
    const double *positions = vertices_positions(&welding->w->scene.nodes, piece->body);
    piece->surface = (struct surface_view){piece->body->vertex_count, positions,
                                           piece->body->triangle_count, piece->body->triangles};
    bound(piece);
    return PBS_OK;
}

static int compare_slots(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/// `order` is scratch.
static pbs_status check_different(struct welding *welding) {
    const size_t count = welding->d->body_count;
    for (size_t i = 0; i < count; i++) {
        welding->order[i] = welding->pieces[i].body->slot;
    }
    qsort(welding->order, count, sizeof *welding->order, compare_slots);
    for (size_t i = 0; i + 1 < count; i++) {
        if (welding->order[i] == welding->order[i + 1]) {
            return status_fail(PBS_ERROR_ARGUMENT, "bodies names one body twice");
        }
    }
    return PBS_OK;
}

static pbs_status read_pieces(struct welding *welding) {
    const size_t count = welding->d->body_count;
    struct memory *memory = &welding->w->memory;
    welding->pieces = memory_allocate(memory, count, sizeof *welding->pieces);
    welding->order = memory_allocate(memory, count, sizeof *welding->order);
    if (welding->pieces == NULL || welding->order == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        welding->pieces[i] = (struct piece){.body = NULL};
        RETURN_IF_FAILED(read_piece(welding, i));
    }
    return check_different(welding);
}

// --- pairs ---

static double distance_of(const struct welding *welding, const struct piece *a,
                          const struct piece *b) {
    return welding->d->distance > 0.0 ? welding->d->distance
                                      : DISTANCE * fmin(a->body->extent, b->body->extent);
}

/// A piece with the key that it is sorted by.
struct lower_end {
    double low;
    uint32_t piece;
};

static int compare_ends(const void *a, const void *b) {
    const struct lower_end *x = a, *y = b;
    if (x->low != y->low) {
        return x->low < y->low ? -1 : 1;
    }
    return (x->piece > y->piece) - (x->piece < y->piece);
}

static int compare_pairs(const void *a, const void *b) {
    const struct pair *x = a, *y = b;
    if (x->first != y->first) {
        return x->first < y->first ? -1 : 1;
    }
    return (x->second > y->second) - (x->second < y->second);
}

/// The axis along which the pieces are spread farthest.
static int longest_axis(const struct welding *welding) {
    double longest = -1.0;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < welding->d->body_count; i++) {
            low = fmin(low, welding->pieces[i].low[k]);
            high = fmax(high, welding->pieces[i].high[k]);
        }
        axis = high - low > longest ? k : axis;
        longest = fmax(longest, high - low);
    }
    return axis;
}

static pbs_status sort_pieces(struct welding *welding, int axis) {
    const size_t count = welding->d->body_count;
    struct lower_end *ends = memory_allocate(&welding->w->memory, count, sizeof *ends);
    if (ends == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        ends[i] = (struct lower_end){welding->pieces[i].low[axis], (uint32_t)i};
    }
    qsort(ends, count, sizeof *ends, compare_ends);
    for (size_t i = 0; i < count; i++) {
        welding->order[i] = ends[i].piece;
    }
    memory_release(&welding->w->memory, ends);
    return PBS_OK;
}

static bool meet(const struct piece *a, const struct piece *b, double distance) {
    for (int k = 0; k < 3; k++) {
        if (a->low[k] - b->high[k] > distance || b->low[k] - a->high[k] > distance) {
            return false;
        }
    }
    return true;
}

static pbs_status add_pair(struct welding *welding, uint32_t i, uint32_t j) {
    RETURN_IF_FAILED(memory_reserve(&welding->w->memory, &welding->pairs, &welding->pair_capacity,
                                    welding->pair_count + 1, sizeof *welding->pairs));
    welding->pairs[welding->pair_count++] = (struct pair){i < j ? i : j, i < j ? j : i};
    return PBS_OK;
}

/// Boxes in the order of their lower ends along the longest axis: each meets those after it that
/// begin before it ends.
static pbs_status find_pairs(struct welding *welding) {
    const size_t count = welding->d->body_count;
    const int axis = longest_axis(welding);
    RETURN_IF_FAILED(sort_pieces(welding, axis));
    for (size_t i = 0; i < count; i++) {
        const struct piece *a = &welding->pieces[welding->order[i]];
        const double reach = welding->d->distance > 0.0 ? welding->d->distance
                                                        : DISTANCE * a->body->extent;
        for (size_t j = i + 1; j < count; j++) {
            const struct piece *b = &welding->pieces[welding->order[j]];
            if (b->low[axis] > a->high[axis] + reach) {
                break;
            }
            if (meet(a, b, distance_of(welding, a, b))) {
                RETURN_IF_FAILED(add_pair(welding, welding->order[i], welding->order[j]));
            }
        }
    }
    if (welding->pair_count > 1) {
        qsort(welding->pairs, welding->pair_count, sizeof *welding->pairs, compare_pairs);
    }
    return PBS_OK;
}

// --- welds ---

static pbs_status make_weld(struct welding *welding, const struct pair *pair,
                            const struct facing_patch *patch) {
    const pbs_weld_desc *d = welding->d;
    const double factor = scatter_factor(d->weibull_modulus, d->seed, welding->weld_count);
    pbs_joint_desc joint;
    RETURN_IF_FAILED(pbs_joint_desc_init(&joint, sizeof joint));
    joint.kind = PBS_JOINT_WELD;
    joint.tolerance = d->tolerance;
    memcpy(joint.axis, patch->normal, sizeof joint.axis);
    joint.break_tension = factor * d->tensile_strength * patch->area;
    joint.break_shear = factor * d->shear_strength * patch->area;
    joint.break_bending = factor * d->tensile_strength * patch->bending;
    joint.break_torsion = factor * d->shear_strength * patch->torsion;
    RETURN_IF_FAILED(pbs_world_locate(welding->w, welding->pieces[pair->first].id, patch->center, 1,
                                      &joint.a, sizeof joint.a, NULL));
    RETURN_IF_FAILED(pbs_world_locate(welding->w, welding->pieces[pair->second].id, patch->center,
                                      1, &joint.b, sizeof joint.b, NULL));
    RETURN_IF_FAILED(memory_reserve(&welding->w->memory, &welding->welds, &welding->weld_capacity,
                                    welding->weld_count + 1, sizeof(struct world_joint *)));
    RETURN_IF_FAILED(world_make_joint(welding->w, &joint, &welding->welds[welding->weld_count]));
    welding->weld_count++;
    welding->pieces[pair->first].is_welded = welding->pieces[pair->second].is_welded = true;
    return PBS_OK;
}

static pbs_status weld(struct welding *welding, const struct pair *pair) {
    const struct piece *a = &welding->pieces[pair->first], *b = &welding->pieces[pair->second];
    RETURN_IF_FAILED(facing_patches_find(&welding->w->memory, &a->surface, &b->surface,
                                         distance_of(welding, a, b), &welding->patches));
    const double extent = fmin(a->body->extent, b->body->extent);
    const double least = welding->d->least_area > 0.0 ? welding->d->least_area
                                                      : LEAST_AREA * extent * extent;
    for (size_t i = 0; i < welding->patches.count; i++) {
        const struct facing_patch *patch = &welding->patches.rows[i];
        if (patch->bending > 0.0 && patch->area >= least) {
            RETURN_IF_FAILED(make_weld(welding, pair, patch));
        }
    }
    return PBS_OK;
}

// --- insets ---

static pbs_status choose_inset(struct welding *welding, const struct piece *piece, double wanted,
                               double *chosen) {
    struct memory *memory = &welding->w->memory;
    bool possible = false;
    double *moved = memory_allocate(memory, 3 * piece->surface.vertex_count, sizeof *moved);
    if (moved == NULL) {
        return PBS_ERROR_MEMORY;
    }
    const pbs_status status = inset_surface(memory, &piece->surface, wanted, moved, &possible);
    memory_release(memory, moved);
    *chosen = possible ? wanted : 0.0;
    return status;
}

static pbs_status choose_insets(struct welding *welding) {
    const size_t count = welding->d->body_count;
    const struct scene *scene = &welding->w->scene;
    welding->insets = memory_allocate(&welding->w->memory, count, sizeof *welding->insets);
    if (welding->insets == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        const struct piece *piece = &welding->pieces[i];
        const double own = INSET * contact_scale_distance(scene, piece->body);
        const double wanted = welding->d->inset == PBS_AUTOMATIC ? own + piece->body->contact.offset
                                                                 : welding->d->inset;
        welding->insets[i] = piece->body->contact_inset;
        if (piece->is_welded && contact_kind_of(scene)->has_distance && wanted > 0.0 &&
            !vertices_are_nodes(piece->body) && !(welding->insets[i] > 0.0)) {
            RETURN_IF_FAILED(choose_inset(welding, piece, wanted, &welding->insets[i]));
        }
    }
    return PBS_OK;
}

// --- the call ---

/// Makes everything, and changes nothing.
static pbs_status prepare(struct welding *welding) {
    RETURN_IF_FAILED(read_pieces(welding));
    RETURN_IF_FAILED(find_pairs(welding));
    for (size_t i = 0; i < welding->pair_count; i++) {
        RETURN_IF_FAILED(weld(welding, &welding->pairs[i]));
    }
    RETURN_IF_FAILED(choose_insets(welding));
    return handle_reserve(&welding->w->scene.joints, &welding->w->memory, welding->weld_count);
}

static void commit(struct welding *welding) {
    for (size_t i = 0; i < welding->d->body_count; i++) {
        welding->pieces[i].body->contact_inset = welding->insets[i];
    }
    for (size_t i = 0; i < welding->weld_count; i++) {
        world_add_joint(welding->w, welding->welds[i]);
        welding->welds[i] = NULL;
    }
}

static void free_welding(struct welding *welding) {
    struct memory *memory = &welding->w->memory;
    for (size_t i = 0; i < welding->weld_count; i++) {
        memory_release(memory, welding->welds[i]);
    }
    memory_release(memory, welding->welds);
    memory_release(memory, welding->insets);
    memory_release(memory, welding->pieces);
    memory_release(memory, welding->order);
    memory_release(memory, welding->pairs);
    facing_patches_free(memory, &welding->patches);
}

pbs_status pbs_joint_create_welds(pbs_world *w, const pbs_weld_desc *d, size_t *count) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    pbs_weld_desc settings = {0};
    RETURN_IF_FAILED(settings_read(&settings_weld, d, &settings));
    RETURN_IF_FAILED(check(&settings));
    RETURN_IF_FAILED(world_joint_check_scheme(w->scene.integrator.scheme));
    struct welding welding = {.w = w, .d = &settings};
    const pbs_status status = settings.body_count > 0 ? prepare(&welding) : PBS_OK;
    if (status >= 0 && settings.body_count > 0) {
        commit(&welding);
    }
    if (status >= 0 && count != NULL) {
        *count = welding.weld_count;
    }
    free_welding(&welding);
    return status;
}
