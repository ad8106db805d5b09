// See failure.h. A message has up to three parts: what went wrong, as the minimiser reported it;
// where; what to change. Each part may be missing.
// SPDX-License-Identifier: MIT
#include "world/stepping/failure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "base/lanes/vector.h"
#include "world/contact_scenes/contact_names.h"
#include "world/contact_scenes/contact_scene.h"
#include "world/objects/body_table.h"
#include "energy/custom/custom.h"

// A gap below this fraction of the contact distance means that the barrier is too soft for the
// load.
static const double DEEP = 0.01;

enum { WORDS = 400 };

// --- where ---

static void store_pair(struct run *run, const struct contact_pair *pair,
                       char words[2][CONTACT_WORDS]) {
    pbs_world *const w = run->w;
    struct failure *const f = &run->failure;
    const uint32_t *points = pair->points;
    for (int s = 0; s < 2; s++) {
        pbs_contact_side side = {.vertex_count = 0};
        contact_name_side(&w->scene, contact_set_mesh(&w->solver.contacts), pair->part[s],
                          pair->count[s], points, &side);
        contact_side_words(&w->scene, pair->part[s], &side, words[s]);
        f->sides[s] = side;
        points += pair->count[s];
    }
    f->gap = pair->gap;
    f->stiffness = pair->stiffness;
    f->force = pair->force;
}

static void store_body(struct run *run, size_t body, uint32_t vertex) {
    run->failure.body = pbs_world_body_at(run->w, body);
    run->failure.vertex = vertex;
}

/// Returns the vertex of the body that is among the pair's points; UINT32_MAX: none.
static uint32_t vertex_in_pair(const struct run *run, size_t body,
                               const struct contact_pair *pair) {
    const struct collision_mesh *const mesh = &run->w->solver.contact.mesh;
    for (int k = 0; pair->is_known && k < pair->count[0] + pair->count[1]; k++) {
        if (mesh->part[pair->points[k]] == body) {
            return mesh->vertex[pair->points[k]];
        }
    }
    return UINT32_MAX;
}

/// Describes body and vertex of the node with the largest residual.
static void locate_residual(struct run *run, const struct newton_failure *newton,
                            char words[WORDS]) {
    const pbs_world *const w = run->w;
    if (newton->node == UINT32_MAX) {
        return;
    }
    const uint32_t index = w->solver.node_parts[newton->node];
    const struct body *const body = scene_body(&w->scene, index);
    const uint32_t own = newton->node - (uint32_t)body->node_start;
    run->failure.residual = newton->residual;
    if (vertices_are_nodes(body)) {
        // The rotations of bonded particles follow their positions.
        const uint32_t vertex = own % (uint32_t)body->vertex_count;
        store_body(run, index, vertex);
        snprintf(words, WORDS, "; the residual is largest, %.3g N, at vertex %u of body %u",
                 newton->residual, vertex, index);
    } else {
        store_body(run, index, vertex_in_pair(run, index, &newton->pair));
        snprintf(words, WORDS, "; the residual is largest, %.3g N, at the %s of body %u",
                 newton->residual, own == 0 ? "centre" : "axes", index);
    }
}

static void locate_pair(struct run *run, const struct newton_failure *newton, char words[WORDS]) {
    char sides[2][CONTACT_WORDS];
    if (newton->pair.is_known) {
        store_pair(run, &newton->pair, sides);
        snprintf(words, WORDS,
                 ", where %s and %s have a gap of %.3g m and push with %.3g N (contact distance "
                 "%.3g m, stiffness %.3g)",
                 sides[0], sides[1], newton->pair.gap, newton->pair.force, newton->pair.reach,
                 newton->pair.stiffness);
    }
}

/// Whether a joint is open by more than its tolerance. Others are closed as well as they need be
/// wherever a minimisation ends.
static bool is_open(const struct joint_miss *joint) {
    return joint->share > 1.0;
}

static void store_joint(struct run *run, const struct joint_miss *joint) {
    if (is_open(joint)) {
        run->failure.joint = pbs_world_joint_at(run->w, joint->number);
        run->failure.joint_gap = joint->gap;
    }
}

static void locate_joint(struct run *run, const struct joint_miss *joint, char words[WORDS]) {
    store_joint(run, joint);
    if (is_open(joint)) {
        snprintf(words, WORDS,
                 "; of all joints, joint %u (of pbs_world_joint_at) has the largest gap, %.3g m, "
                 "%.3g times its tolerance",
                 (unsigned)joint->number, joint->gap, joint->share);
    }
}

// --- what to change ---

static const char *advice_on_contact(const struct contact_pair *pair) {
    return pair->is_known && pair->gap < DEEP * pair->reach
               ? "raise contact_stiffness, which is low for these forces, or newton_limit, or take "
                 "shorter steps (divisions)"
               : "raise newton_limit or take shorter steps (divisions)";
}

static const char *advice_on(const struct newton_failure *newton) {
    const bool is_search = newton->kind == PBS_FAILURE_RESIDUAL ||
                           newton->kind == PBS_FAILURE_NO_DESCENT;
    if (is_search && is_open(&newton->joint)) {
        return "see what keeps the joint open (pins, other joints, its limits, a surface in its "
               "way) and free it of that, let it close over several steps, or raise newton_limit";
    }
    switch (newton->kind) {
    case PBS_FAILURE_RESIDUAL: return advice_on_contact(&newton->pair);
    case PBS_FAILURE_NO_DESCENT:
        return "raise relative_tolerance or velocity_tolerance, which may be below what rounding "
               "leaves, or take shorter steps (divisions)";
    case PBS_FAILURE_UNCONSTRAINED:
        return "the body is not constrained there, or no longer: pin it, remove its load, or "
               "accept a step out of equilibrium (allow_unconverged of pbs_expert_desc)";
    default:
        return "move the targets of scripted vertices and colliders less, unpin the bodies that "
               "they press on, or take shorter steps";
    }
}

// --- elements ---

/// Returns a node's position with its constrained axes at their targets, at which minimisation
/// starts without contact.
static void position_with_targets(const pbs_world *w, uint32_t node, double x[3]) {
    const struct solver *const t = &w->solver;
    copy3(t->workspace.now.x + 3 * (size_t)node, x);
    for (uint32_t axis = 0; axis < 3; axis++) {
        if ((w->scene.nodes.constrained_axes[node] >> axis & 1u) != 0) {
            x[axis] = t->prescribed_targets[3 * (size_t)node + axis];
        }
    }
}

/// Returns twice the area or six times the signed volume of a simplex. corners: relative to node
/// `first`.
static double measure_of(const pbs_world *w, size_t first, const uint32_t *corners, int count) {
    double x[4][3], side[3][3] = {{0.0}}, cross[3];
    for (int k = 0; k < count; k++) {
        position_with_targets(w, (uint32_t)first + corners[k], x[k]);
        if (k > 0) {
            subtract3(x[k], x[0], side[k - 1]);
        }
    }
    cross3(side[0], side[1], cross);
    return count == 4 ? dot3(cross, side[2]) : norm3(cross);
}

/// Finds the first inverted or flat element. Returns false if there is none.
static bool find_element(const pbs_world *w, const struct body *body,
                         const struct body_simplices *all, size_t *element, double *measure) {
    for (*element = 0; *element < all->count; ++*element) {
        *measure = measure_of(w, body->node_start, all->corners + (size_t)all->width * *element,
                              all->width);
        if (!(*measure > 0.0)) {
            return true;
        }
    }
    return false;
}

/// Finds the first stencil of a custom body whose evaluation by the host's callback fails;
/// stencil_count: none.
static size_t find_stencil(const pbs_world *w, const struct body *body) {
    const struct custom_body *const own = &body->custom;
    for (size_t i = 0; i < own->stencil_count; i++) {
        double x[24] = {0.0};
        double value = 0.0;
        for (uint32_t k = 0; k < own->width; k++) {
            position_with_targets(w, (uint32_t)body->node_start + own->stencils[i * own->width + k],
                                  x + 3 * (size_t)k);
        }
        if (own->evaluate(own->user, i, x, 0, &value, NULL, NULL) != 0 || !isfinite(value)) {
            return i;
        }
    }
    return own->stencil_count;
}

static bool locate_simplex(struct run *run, size_t index, char words[WORDS]) {
    const pbs_world *const w = run->w;
    const struct body *const body = scene_body(&w->scene, index);
    if (body->table->list_simplices == NULL) {
        return false;
    }
    const struct body_simplices all = body->table->list_simplices(body);
    size_t element = 0;
    double measure = 0.0;
    if (!find_element(w, body, &all, &element, &measure)) {
        return false;
    }
    run->failure.kind = PBS_FAILURE_ELEMENT;
    store_body(run, index, all.corners[(size_t)all.width * element]);
    snprintf(words, WORDS,
             "; %s %zu of body %zu, with vertex %u, is %s there (its %s is %.3g, must be "
             "positive); move its vertices or their targets",
             all.width == 4 ? "tetrahedron" : "triangle", element, index, run->failure.vertex,
             measure < 0.0 ? "inverted" : "flat", all.width == 4 ? "volume" : "area",
             measure / (all.width == 4 ? 6.0 : 2.0));
    return true;
}

static bool locate_element(struct run *run, size_t index, char words[WORDS]) {
    const pbs_world *const w = run->w;
    const struct body *const body = scene_body(&w->scene, index);
    if (locate_simplex(run, index, words)) {
        return true;
    }
    if (!body->table->calls_host || find_stencil(w, body) == body->custom.stencil_count) {
        return false;
    }
    const size_t element = find_stencil(w, body);
    run->failure.kind = PBS_FAILURE_HOST;
    store_body(run, index, body->custom.stencils[element * body->custom.width]);
    snprintf(words, WORDS, "; the callback of body %zu refuses stencil %zu there", index, element);
    return true;
}

static void locate_elements(struct run *run, char words[WORDS]) {
    for (size_t i = 0; i < run->w->scene.bodies.count; i++) {
        if (locate_element(run, i, words)) {
            return;
        }
    }
}

// --- callbacks ---

static bool has_callbacks(const struct model *model) {
    for (size_t i = 0; i < model->term_count; i++) {
        if (model->terms[i].table->kind == ENERGY_HOST) {
            return true;
        }
    }
    return false;
}

/// Finds the custom body whose callback asked to stop, and clears all such requests. The terms of
/// custom bodies are in the order of the bodies.
static void locate_stop(struct run *run, char words[WORDS]) {
    const pbs_world *const w = run->w;
    const struct model *const model = &w->solver.model;
    size_t term = 0;
    bool found = false;
    const size_t count = has_callbacks(model) ? w->scene.bodies.count : 0;
    for (size_t i = 0; i < count; i++) {
        const struct body *const body = scene_body(&w->scene, i);
        uint32_t stencil = 0;
        if (!body->table->calls_host || body->custom.stencil_count == 0) {
            continue;
        }
        while (model->terms[term].table->kind != ENERGY_HOST) {
            term++;
        }
        if (custom_fetch_stop(model->terms[term].self, &stencil) && !found) {
            found = true;
            run->failure.kind = PBS_FAILURE_HOST;
            store_body(run, i, body->custom.stencils[(size_t)stencil * body->custom.width]);
            snprintf(words, WORDS, "; it was that of body %zu, at stencil %u", i, stencil);
        }
        term++;
    }
}

// --- messages ---

static void clear(struct run *run, int32_t kind) {
    run->failure = (struct failure){.kind = kind, .vertex = UINT32_MAX};
}

void failure_begin(struct run *run) {
    char words[WORDS];
    if (run->w->solver.is_current) {
        locate_stop(run, words);
    }
    clear(run, PBS_FAILURE_NONE);
}

void failure_clear(struct run *run) {
    clear(run, PBS_FAILURE_NONE);
}

void failure_other(struct run *run) {
    clear(run, PBS_FAILURE_OTHER);
}

static void explain_newton(struct run *run, const struct newton_failure *newton,
                           pbs_status status) {
    char where[WORDS] = "", pair[WORDS] = "", joint[WORDS] = "";
    clear(run, newton->kind);
    locate_residual(run, newton, where);
    locate_pair(run, newton, pair);
    locate_joint(run, &newton->joint, joint);
    const char *const advice = run_is_spent(run)
                                   ? "the call has made as many Newton iterations as call_limit "
                                     "allows: raise it, take shorter steps, or let steps land as "
                                     "they are (allow_unconverged of pbs_expert_desc)"
                                   : advice_on(newton);
    status_fail(status, "%s%s%s%s; %s", pbs_last_error(), where, pair, joint, advice);
}

static void explain(struct run *run, const struct step_result *part) {
    const struct newton_failure *const newton = &part->newton.failure;
    char words[WORDS] = "";
    if (newton->kind != PBS_FAILURE_NONE &&
        (part->status == PBS_NOT_CONVERGED || part->status == PBS_ERROR_CONVERGENCE)) {
        explain_newton(run, newton, part->status);
        return;
    }
    failure_other(run);
    if (part->status == PBS_NOT_CONVERGED) {
        store_joint(run, &newton->joint);
    }
    if (part->status == PBS_ERROR_INADMISSIBLE) {
        locate_elements(run, words);
    } else if (part->status == PBS_ERROR_HOST) {
        locate_stop(run, words);
    }
    status_fail(part->status, "%s%s", pbs_last_error(), words);
}

void failure_explain(struct run *run, const struct step_result *part) {
    if (part->status == PBS_NOT_CONVERGED) {
        status_restore(&part->unconverged);
    }
    explain(run, part);
    if (part->status == PBS_NOT_CONVERGED) {
        status_save(&run->unconverged);
    }
}

/// Returns how the host has moved a part since the last step, in words.
static const char *cause_of(const pbs_world *w, uint32_t part) {
    const size_t bodies = w->scene.bodies.count;
    const char *const cause = part < bodies ? scene_body(&w->scene, part)->moved_by
                                            : scene_collider(&w->scene, part - bodies)->moved_by;
    return cause != NULL ? cause : "";
}

/// Writes words such as "; the second was placed by pbs_body_set_pose".
static void describe_causes(const pbs_world *w, const struct contact_pair *pair,
                            char words[WORDS]) {
    const char *const first = cause_of(w, pair->part[0]);
    const char *const second = cause_of(w, pair->part[1]);
    if (strcmp(first, second) == 0) {
        snprintf(words, WORDS, "%s%s", first[0] != '\0' ? "; both were " : "", first);
    } else if (first[0] != '\0' && second[0] != '\0') {
        snprintf(words, WORDS, "; the first was %s, the second %s", first, second);
    } else {
        snprintf(words, WORDS, "; the %s was %s", first[0] != '\0' ? "first" : "second",
                 first[0] != '\0' ? first : second);
    }
}

pbs_status failure_overlap(struct run *run, const struct contact_pair *pair) {
    char sides[2][CONTACT_WORDS];
    char gap[64] = "", causes[WORDS] = "";
    clear(run, PBS_FAILURE_OVERLAP);
    store_pair(run, pair, sides);
    describe_causes(run->w, pair, causes);
    if (!pair->intersects) {
        snprintf(gap, sizeof gap, ": it is %.3g m", pair->gap);
    }
    return status_fail(PBS_ERROR_INADMISSIBLE,
                       "before the step, %s and %s have %s%s%s (bodies and colliders in order of "
                       "creation); pbs_world_overlaps lists all such pairs, pbs_world_separate "
                       "pushes them apart",
                       sides[0], sides[1],
                       pair->intersects ? "an intersection: the edge goes through the triangle"
                                        : "no gap",
                       gap, causes);
}

void failure_write_stats(const struct run *run, pbs_stats *stats) {
    const struct failure *const f = &run->failure;
    stats->failure.kind = f->kind;
    stats->failure.vertex = f->vertex;
    stats->failure.body = f->body;
    stats->failure.residual = f->residual;
    for (int s = 0; s < 2; s++) {
        stats->failure.pair_bodies[s] = f->sides[s].body;
        stats->failure.pair_colliders[s] = f->sides[s].collider;
        stats->failure.pair_vertex_counts[s] = f->sides[s].vertex_count;
        memcpy(stats->failure.pair_vertices + 3 * s, f->sides[s].vertices,
               sizeof f->sides[s].vertices);
    }
    stats->failure.pair_gap = f->gap;
    stats->failure.pair_stiffness = f->stiffness;
    stats->failure.pair_force = f->force;
    stats->failure.joint = f->joint;
    stats->failure.joint_gap = f->joint_gap;
}
