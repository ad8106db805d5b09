// pbs_world_separate: translates whole bodies until none overlap. Each round finds the pairs that
// are too close, with a direction and a depth for each. It then satisfies all of them by
// projections onto their half-spaces, one after the other (Gauss-Seidel, as in position-based
// dynamics: Mueller et al. 2007, section 3.3), weighted by inverse masses. The world changes only
// after all pairs are separated.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "world/interface/check.h"
#include "world/contact_scenes/contact_names.h"
#include "world/queries/overlaps.h"
#include "world/interface/settings.h"

// Pushes go beyond the distance by this fraction of it, so that the iteration ends.
static const double SLACK = 0.01;

enum { SWEEPS = 64, LOCAL_ROUNDS = 6 };

/// The motion of a body.
struct pushed {
    double move[3];      ///< m, in all rounds
    double round[3];     ///< m, in this round
    double inverse_mass; ///< 1/kg; 0: the body does not move
    double limit;        ///< m
};

/// The number of rounds in which two parts overlapped.
struct pair_rounds {
    uint32_t part[2];
    uint32_t rounds;
};

struct separate {
    pbs_world *world;
    pbs_separate_desc desc;
    double distance;
    struct overlap_scene scene;
    double *x; ///< node_count x 3
    struct pushed *bodies;
    struct overlap_push *pushes; ///< one for each row
    size_t push_capacity;
    struct pair_rounds *pair_rounds; ///< in the order of first occurrence
    size_t pair_count, pair_capacity;
    pbs_separation result;
};

pbs_status pbs_separate_desc_init(pbs_separate_desc *d, size_t struct_size) {
    const pbs_separate_desc defaults = {.iteration_limit = 200};
    return settings_init(&settings_separate, d, struct_size, &defaults);
}

// --- bodies ---

static bool stays(const struct nodes *nodes, const struct body *body) {
    for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
        if (nodes->constrained_axes[i] != 0) {
            return true;
        }
    }
    return false;
}

static void list_bodies(struct separate *s) {
    const struct scene *scene = &s->world->scene;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        const double size = body_extent(body->vertex_count,
                                        vertices_positions(&scene->nodes, body));
        s->bodies[i] = (struct pushed){
            .inverse_mass = stays(&scene->nodes, body) ? 0.0 : 1.0 / body_mass(&scene->nodes, body),
            .limit = s->desc.move_limit > 0.0 ? s->desc.move_limit : 2.0 * fmax(size, s->distance)};
    }
}

/// The number of the body's nodes that a translation moves.
static size_t moving_nodes(const struct nodes *nodes, const struct body *body) {
    return nodes_count_positions(nodes, body->node_start, body->node_count);
}

static void set_positions(struct separate *s) {
    const struct scene *scene = &s->world->scene;
    memcpy(s->x, scene->nodes.x, 3 * scene->nodes.count * sizeof *s->x);
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        const size_t count = moving_nodes(&scene->nodes, body);
        for (size_t k = 0; k < count; k++) {
            double *x = s->x + 3 * (body->node_start + k);
            add3(x, s->bodies[i].move, x);
        }
    }
}

// --- a round ---

static double inverse_mass(const struct separate *s, uint32_t part) {
    return part < s->world->scene.bodies.count ? s->bodies[part].inverse_mass : 0.0;
}

/// Whether a row has to be separated: all rows except gaps of a body to itself.
static bool counts(const struct overlap *row) {
    return row->pair.part[0] != row->pair.part[1] || row->kind != PBS_OVERLAP_CLOSE;
}

static pbs_status fail_at(struct separate *s, const struct overlap *row, const char *why) {
    const pbs_world *w = s->world;
    char words[2][CONTACT_WORDS];
    const uint32_t *points = row->pair.points;
    for (int k = 0; k < 2; k++) {
        pbs_contact_side side = {.vertex_count = 0};
        contact_name_side(&w->scene, &s->scene.contact.mesh, row->pair.part[k], row->pair.count[k],
                          points, &side);
        contact_side_words(&w->scene, row->pair.part[k], &side, words[k]);
        points += row->pair.count[k];
    }
    overlap_describe(w, &s->scene, row, &s->result.overlap);
    return status_fail(PBS_ERROR_INADMISSIBLE,
                       "%s and %s cannot be pushed apart: %s (bodies and colliders in order of "
                       "creation)",
                       words[0], words[1], why);
}

/// Counts the rounds in which this pair overlapped, including this one.
static pbs_status count_round(struct separate *s, const struct overlap *row, uint32_t *rounds) {
    const uint32_t *part = row->pair.part;
    const uint32_t a = part[0] < part[1] ? part[0] : part[1];
    const uint32_t b = part[0] < part[1] ? part[1] : part[0];
    for (size_t i = 0; i < s->pair_count; i++) {
        if (s->pair_rounds[i].part[0] == a && s->pair_rounds[i].part[1] == b) {
            *rounds = ++s->pair_rounds[i].rounds;
            return PBS_OK;
        }
    }
    RETURN_IF_FAILED(memory_reserve(&s->world->memory, &s->pair_rounds, &s->pair_capacity,
                                    s->pair_count + 1, sizeof *s->pair_rounds));
    s->pair_rounds[s->pair_count++] = (struct pair_rounds){{a, b}, 1};
    *rounds = 1;
    return PBS_OK;
}

/// Computes a direction and a depth for each row.
static pbs_status find_pushes(struct separate *s) {
    const struct overlaps *found = &s->scene.overlaps;
    RETURN_IF_FAILED(memory_reserve(&s->world->memory, &s->pushes, &s->push_capacity, found->count,
                                    sizeof *s->pushes));
    for (size_t i = 0; i < found->count; i++) {
        const struct overlap *row = &found->rows[i];
        s->pushes[i] = (struct overlap_push){.depth = 0.0};
        if (!counts(row)) {
            continue;
        }
        if (row->pair.part[0] == row->pair.part[1]) {
            return fail_at(s, row, "the body intersects itself, which moving it cannot change");
        }
        if (inverse_mass(s, row->pair.part[0]) + inverse_mass(s, row->pair.part[1]) == 0.0) {
            return fail_at(s, row, "neither of them can be moved");
        }
        uint32_t rounds = 0;
        if (row->kind != PBS_OVERLAP_CLOSE) {
            RETURN_IF_FAILED(count_round(s, row, &rounds));
        }
        s->pushes[i] = overlaps_push(&s->scene.contact, &s->scene.overlaps, row, s->distance,
                                     rounds > LOCAL_ROUNDS);
        if (!isfinite(s->pushes[i].depth)) {
            return fail_at(s, row, "no direction of separation was found");
        }
    }
    return PBS_OK;
}

/// Moves both bodies so that the push is satisfied. Returns the depth that was left before, m.
static double project(struct separate *s, const struct overlap *row,
                      const struct overlap_push *push) {
    const double share[2] = {inverse_mass(s, row->pair.part[0]),
                             inverse_mass(s, row->pair.part[1])};
    double left = push->depth + SLACK * s->distance;
    for (int k = 0; k < 2; k++) {
        if (share[k] > 0.0) {
            left -= (k == 0 ? 1.0 : -1.0) * dot3(push->normal, s->bodies[row->pair.part[k]].round);
        }
    }
    for (int k = 0; k < 2 && left > 0.0; k++) {
        if (share[k] > 0.0) {
            double *round = s->bodies[row->pair.part[k]].round;
            const double part = left * share[k] / (share[0] + share[1]);
            add_scaled3(round, k == 0 ? part : -part, push->normal, round);
        }
    }
    return left;
}

static void sweep_pushes(struct separate *s) {
    const struct overlaps *found = &s->scene.overlaps;
    for (size_t i = 0; i < s->world->scene.bodies.count; i++) {
        scale3(0.0, s->bodies[i].round, s->bodies[i].round);
    }
    double most = INFINITY;
    for (int sweep = 0; sweep < SWEEPS && most > 0.1 * SLACK * s->distance; sweep++) {
        most = 0.0;
        for (size_t i = 0; i < found->count; i++) {
            if (counts(&found->rows[i])) {
                most = fmax(most, project(s, &found->rows[i], &s->pushes[i]));
            }
        }
    }
    for (size_t i = 0; i < s->world->scene.bodies.count; i++) {
        add3(s->bodies[i].move, s->bodies[i].round, s->bodies[i].move);
    }
}

/// Returns a row of a body that would move beyond its limit; null: none.
static const struct overlap *find_runaway(const struct separate *s) {
    const struct overlaps *found = &s->scene.overlaps;
    for (size_t i = 0; i < found->count; i++) {
        for (int k = 0; k < 2; k++) {
            const uint32_t part = found->rows[i].pair.part[k];
            if (counts(&found->rows[i]) && part < s->world->scene.bodies.count &&
                norm3(s->bodies[part].move) > s->bodies[part].limit) {
                return &found->rows[i];
            }
        }
    }
    return NULL;
}

static const struct overlap *first_that_counts(const struct separate *s) {
    const struct overlaps *found = &s->scene.overlaps;
    for (size_t i = 0; i < found->count; i++) {
        if (counts(&found->rows[i])) {
            return &found->rows[i];
        }
    }
    return NULL;
}

static pbs_status run_rounds(struct separate *s) {
    for (;;) {
        set_positions(s);
        RETURN_IF_FAILED(overlaps_find(&s->scene.contact, s->world->tasks, s->x, s->distance,
                                       UINT32_MAX, &s->scene.overlaps));
        s->result.iterations++;
        const struct overlap *row = first_that_counts(s);
        if (row == NULL) {
            return PBS_OK;
        }
        if (s->result.iterations >= s->desc.iteration_limit) {
            return fail_at(s, row,
                           "iteration_limit was reached; they may be interlocked, or the space "
                           "between other bodies is too small");
        }
        RETURN_IF_FAILED(find_pushes(s));
        sweep_pushes(s);
        row = find_runaway(s);
        if (row != NULL) {
            return fail_at(s, row, "one of them would move farther than move_limit");
        }
    }
}

// --- commit ---

static void commit(struct separate *s) {
    struct scene *scene = &s->world->scene;
    struct nodes *nodes = &scene->nodes;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        struct body *body = scene_body(scene, i);
        const double far = norm3(s->bodies[i].move);
        if (far == 0.0) {
            continue;
        }
        const size_t count = 3 * moving_nodes(&scene->nodes, body);
        for (size_t k = 0; k < count; k++) {
            const size_t at = 3 * body->node_start + k;
            nodes->x[at] = s->x[at];
            nodes->target[at] = s->x[at];
        }
        vertices_update(nodes, body);
        world_moved_body(s->world, body, "pushed by pbs_world_separate");
        s->result.moved_count++;
        s->result.longest_move = fmax(s->result.longest_move, far);
    }
}

static pbs_status prepare(struct separate *s) {
    const struct scene *scene = &s->world->scene;
    struct memory *memory = &s->world->memory;
    s->x = memory_allocate(memory, 3 * scene->nodes.count, sizeof *s->x);
    s->bodies = memory_allocate(memory, scene->bodies.count, sizeof *s->bodies);
    if (s->x == NULL || s->bodies == NULL) {
        return PBS_ERROR_MEMORY;
    }
    RETURN_IF_FAILED(overlap_scene_build(s->world, memory, NULL, &s->scene));
    s->distance = s->desc.distance > 0.0 ? s->desc.distance : s->scene.contact_distance;
    list_bodies(s);
    return PBS_OK;
}

static void clean_up(struct separate *s) {
    struct memory *memory = &s->world->memory;
    s->scene.memory = memory;
    overlap_scene_free(&s->scene);
    memory_release(memory, s->pair_rounds);
    memory_release(memory, s->pushes);
    memory_release(memory, s->bodies);
    memory_release(memory, s->x);
}

static pbs_status read_desc(const pbs_separate_desc *d, pbs_separate_desc *own) {
    RETURN_IF_FAILED(pbs_separate_desc_init(own, sizeof *own));
    if (d != NULL) {
        RETURN_IF_FAILED(settings_read(&settings_separate, d, own));
    }
    RETURN_IF_FAILED(check_choice(own->iteration_limit, 1, 1000000, "iteration_limit"));
    RETURN_IF_FAILED(check_not_negative(own->distance, "distance"));
    return check_not_negative(own->move_limit, "move_limit");
}

pbs_status pbs_world_separate(pbs_world *w, const pbs_separate_desc *d, pbs_separation *out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    scene_compact_nodes(&w->scene);
    struct separate s = {.world = w, .result = {.struct_size = sizeof s.result}};
    RETURN_IF_FAILED(read_desc(d, &s.desc));
    if (out != NULL) {
        RETURN_IF_FAILED(results_check(&settings_separation, out));
    }
    pbs_status status = w->scene.nodes.count > 0 ? prepare(&s) : PBS_OK;
    if (status >= 0 && w->scene.nodes.count > 0) {
        status = run_rounds(&s);
    }
    if (status >= 0 && w->scene.nodes.count > 0) {
        status = check_coordinates(s.x, 3 * w->scene.nodes.count, "where bodies are pushed to");
    }
    if (status >= 0 && w->scene.nodes.count > 0) {
        commit(&s);
    }
    clean_up(&s);
    if (out != NULL && (status >= 0 || status == PBS_ERROR_INADMISSIBLE)) {
        RETURN_IF_FAILED(results_write(&settings_separation, &s.result, out));
    }
    return status;
}
