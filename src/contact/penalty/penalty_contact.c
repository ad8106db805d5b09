// See penalty_contact.h. The broad phase and the list of touches.
// SPDX-License-Identifier: MIT
#include "contact/penalty/penalty_contact.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"

// Spheres or candidates in one piece of a parallel loop.
enum { CHUNK = 4096 };
// Relative to the mean radius. A larger margin gives more pairs, a smaller one more searches.
#define MARGIN_OVER_RADIUS 0.5
// Neighbours assumed by penalty_contact_squared_frequency.
#define NEIGHBOURS 6.0

/// The result of one piece of a parallel loop.
struct penalty_chunk {
    double low[2][3], high[2][3]; ///< m: bounds of the displacements since the two searches
    size_t hits;
};

// --- memory ---

pbs_status penalty_contact_create(struct memory *memory, const struct penalty_size *size,
                                  struct penalty_contact *c) {
    const size_t spheres = size->spheres;
    *c = (struct penalty_contact){.memory = memory,
                                  .sphere_count = spheres,
                                  .part_count = size->parts,
                                  .bond_count = size->bonds,
                                  .node_count = size->nodes};
    c->node = memory_allocate(memory, spheres, sizeof *c->node);
    c->rotation = memory_allocate(memory, spheres, sizeof *c->rotation);
    c->part = memory_allocate(memory, spheres, sizeof *c->part);
    c->radius = memory_allocate(memory, spheres, sizeof *c->radius);
    c->length = memory_allocate(memory, spheres, sizeof *c->length);
    c->parts = memory_allocate(memory, size->parts, sizeof *c->parts);
    c->bonds = memory_allocate(memory, 2 * size->bonds, sizeof *c->bonds);
    c->release = memory_allocate(memory, size->bonds, sizeof *c->release);
    c->joined_start = memory_allocate(memory, spheres + 2, sizeof *c->joined_start);
    c->joined = memory_allocate(memory, 2 * size->bonds, sizeof *c->joined);
    c->points = memory_allocate(memory, 3 * spheres, sizeof *c->points);
    c->listed[0] = memory_allocate(memory, 3 * spheres, sizeof(double));
    c->listed[1] = memory_allocate(memory, 3 * spheres, sizeof(double));
    c->boxes = memory_allocate(memory, spheres, sizeof *c->boxes);
    c->force = memory_allocate(memory, 3 * size->nodes, sizeof *c->force);
    const bool all = c->node != NULL && c->rotation != NULL && c->part != NULL &&
                     c->radius != NULL && c->length != NULL && c->parts != NULL &&
                     c->bonds != NULL && c->release != NULL && c->joined_start != NULL &&
                     c->joined != NULL && c->points != NULL && c->listed[0] != NULL &&
                     c->listed[1] != NULL && c->boxes != NULL && c->force != NULL;
    if (!all) {
        penalty_contact_free(c);
        return PBS_ERROR_MEMORY;
    }
    return PBS_OK;
}

void penalty_contact_free(struct penalty_contact *c) {
    struct memory *memory = c->memory;
    if (memory == NULL) {
        return;
    }
    void *const own[] = {c->node,      c->rotation,  c->part,        c->radius,       c->length,
                         c->parts,     c->bonds,     c->release,     c->joined_start, c->joined,
                         c->points,    c->listed[0], c->listed[1],   c->boxes,        c->force,
                         c->obstacles, c->walls,     c->candidates,  c->near_walls,   c->hits,
                         c->chunks,    c->touches,   c->listed_poses};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        memory_release(memory, own[i]);
    }
    bounding_tree_free(memory, &c->tree);
    box_pairs_free(memory, &c->found);
    *c = (struct penalty_contact){0};
}

void penalty_contact_join(struct penalty_contact *c) {
    uint32_t *start = c->joined_start;
    memset(start, 0, (c->sphere_count + 2) * sizeof *start);
    for (size_t k = 0; k < 2 * c->bond_count; k++) {
        start[c->bonds[k] + 2]++;
    }
    for (size_t i = 2; i < c->sphere_count + 2; i++) {
        start[i] += start[i - 1];
    }
    for (size_t k = 0; k < 2 * c->bond_count; k++) {
        c->joined[start[c->bonds[k] + 1]++] = (uint32_t)(k / 2);
    }
    double sum = 0.0;
    for (size_t i = 0; i < c->sphere_count; i++) {
        sum += c->radius[i];
    }
    c->margin = c->sphere_count > 0 ? MARGIN_OVER_RADIUS * sum / (double)c->sphere_count : 0.0;
    c->is_listed = false;
    c->releases_are_listed = false;
}

pbs_status penalty_contact_reserve_obstacles(struct penalty_contact *c, size_t count) {
    if (count != c->obstacle_count) {
        c->is_listed = false;
    }
    c->obstacle_count = 0;
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->obstacles, &c->obstacle_capacity, count,
                                    sizeof *c->obstacles));
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->listed_poses, &c->pose_capacity, count,
                                    sizeof *c->listed_poses));
    RETURN_IF_FAILED(
        memory_reserve(c->memory, &c->walls, &c->wall_capacity, 6 * count, sizeof *c->walls));
    c->obstacle_count = count;
    return PBS_OK;
}

void penalty_contact_update_obstacles(struct penalty_contact *c) {
    c->wall_count = 0;
    for (size_t i = 0; i < c->obstacle_count; i++) {
        struct contact_surface *walls = c->walls + c->wall_count;
        const size_t count = obstacle_surfaces(&c->obstacles[i].obstacle, walls);
        for (size_t k = 0; k < count; k++) {
            walls[k].obstacle = (uint32_t)i;
        }
        c->wall_count += count;
    }
}

void penalty_contact_release(struct penalty_contact *c, size_t bond, double distance) {
    c->release[bond] = distance;
    c->releases_are_listed = false;
}

// --- searches ---

static bool masks_agree(uint32_t group, uint32_t mask, uint32_t other_group, uint32_t other_mask) {
    return (group & other_mask) != 0 && (other_group & mask) != 0;
}

static bool are_joined(const struct penalty_contact *c, uint32_t i, uint32_t j) {
    for (uint32_t k = c->joined_start[i]; k < c->joined_start[i + 1]; k++) {
        const uint32_t *end = c->bonds + 2 * (size_t)c->joined[k];
        if (end[0] == j || end[1] == j) {
            return true;
        }
    }
    return false;
}

/// Whether two spheres may be a pair of the broad phase. Spheres that a bond joins or has joined
/// are listed with the broken bonds instead.
static bool may_touch(const struct penalty_contact *c, uint32_t i, uint32_t j) {
    const struct penalty_part *a = &c->parts[c->part[i]];
    const struct penalty_part *b = &c->parts[c->part[j]];
    return a == b ? a->touches_itself && !are_joined(c, i, j)
                  : masks_agree(a->group, a->mask, b->group, b->mask);
}

static uint32_t filter(const void *context, const struct box_pair *pairs, size_t count) {
    uint32_t bits = 0;
    for (size_t i = 0; i < count; i++) {
        bits |= (uint32_t)may_touch(context, pairs[i].query, pairs[i].primitive) << i;
    }
    return bits;
}

static const double *rest_of(const struct penalty_contact *c, uint32_t sphere) {
    const struct penalty_part *part = &c->parts[c->part[sphere]];
    return part->rest + 3 * (sphere - part->first_sphere);
}

/// Returns the distance below which two spheres touch. For spheres of one body it is at most their
/// distance at rest.
static double reach_of(const struct penalty_contact *c, uint32_t i, uint32_t j) {
    const double sum = c->radius[i] + c->radius[j];
    if (c->part[i] != c->part[j]) {
        return sum;
    }
    double offset[3];
    subtract3(rest_of(c, j), rest_of(c, i), offset);
    return fmin(sum, norm3(offset));
}

static pbs_status search_pairs(struct penalty_contact *c, struct tasks *tasks) {
    const struct point_sweep sweep = {.count = c->sphere_count,
                                      .x = c->points,
                                      .inflation = 0.5 * c->margin,
                                      .radius = c->radius};
    boxes_of_points(tasks, &sweep, c->boxes);
    RETURN_IF_FAILED(
        bounding_tree_update(c->memory, tasks, c->boxes, c->sphere_count, NULL, 0, &c->tree));
    const struct box_pair_query query = {.tree = &c->tree,
                                         .boxes = c->boxes,
                                         .count = c->sphere_count,
                                         .order = &c->tree,
                                         .is_self = true,
                                         .filter = filter,
                                         .context = c};
    RETURN_IF_FAILED(box_pairs_find(c->memory, tasks, &query, &c->found));
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->candidates, &c->candidate_capacity,
                                    c->found.count + c->bond_count + c->near_wall_count,
                                    sizeof *c->candidates));
    c->pair_count = 0;
    for (size_t k = 0; k < c->found.count; k++) {
        const uint32_t i = c->found.pairs[k].query;
        const uint32_t j = c->found.pairs[k].primitive;
        const double reach = reach_of(c, i, j);
        double offset[3];
        subtract3(c->points + 3 * (size_t)i, c->points + 3 * (size_t)j, offset);
        if (dot3(offset, offset) <= (reach + c->margin) * (reach + c->margin)) {
            c->candidates[c->pair_count++] = (struct penalty_candidate){i, j, reach};
        }
    }
    memcpy(c->listed[0], c->points, 3 * c->sphere_count * sizeof(double));
    return PBS_OK;
}

static bool meets_obstacle(const struct penalty_contact *c, uint32_t sphere,
                           const struct penalty_obstacle *obstacle) {
    const struct penalty_part *part = &c->parts[c->part[sphere]];
    return masks_agree(part->group, part->mask, obstacle->group, obstacle->mask);
}

static pbs_status search_walls(struct penalty_contact *c) {
    size_t count = 0;
    for (uint32_t i = 0; i < c->sphere_count; i++) {
        for (uint32_t k = 0; k < c->wall_count; k++) {
            const struct contact_surface *wall = &c->walls[k];
            if (!meets_obstacle(c, i, &c->obstacles[wall->obstacle]) ||
                !(shape_distance(&wall->shape, &wall->pose, c->points + 3 * (size_t)i, NULL,
                                 NULL) <= c->radius[i] + c->margin)) {
                continue;
            }
            if (count == c->near_wall_capacity) {
                RETURN_IF_FAILED(memory_reserve(c->memory, &c->near_walls, &c->near_wall_capacity,
                                                2 * count + 64, sizeof *c->near_walls));
            }
            c->near_walls[count++] = (struct penalty_candidate){i, k, c->radius[i]};
        }
    }
    c->near_wall_count = count;
    for (size_t i = 0; i < c->obstacle_count; i++) {
        c->listed_poses[i] = c->obstacles[i].obstacle.pose;
    }
    memcpy(c->listed[1], c->points, 3 * c->sphere_count * sizeof(double));
    return PBS_OK;
}

/// Whether a broken bond determines the distance at which its two spheres touch: no intact bond
/// joins them, and no other broken bond has a smaller distance (the first one, if several are
/// equal).
static bool decides(const struct penalty_contact *c, size_t bond) {
    const uint32_t a = c->bonds[2 * bond];
    const uint32_t b = c->bonds[2 * bond + 1];
    for (uint32_t k = c->joined_start[a]; k < c->joined_start[a + 1]; k++) {
        const size_t other = c->joined[k];
        const uint32_t *end = c->bonds + 2 * other;
        const bool same = other != bond && (end[0] == b || end[1] == b);
        const double distance = c->release[other];
        if (same &&
            (distance < c->release[bond] || (distance == c->release[bond] && other < bond))) {
            return false;
        }
    }
    return true;
}

/// Appends the spheres of broken bonds and the walls to the candidates.
static pbs_status list_others(struct penalty_contact *c) {
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->candidates, &c->candidate_capacity,
                                    c->pair_count + c->bond_count + c->near_wall_count,
                                    sizeof *c->candidates));
    struct penalty_candidate *out = c->candidates + c->pair_count;
    for (size_t i = 0; i < c->bond_count; i++) {
        const uint32_t a = c->bonds[2 * i];
        const uint32_t b = c->bonds[2 * i + 1];
        if (c->release[i] >= 0.0 && c->parts[c->part[a]].touches_itself && decides(c, i)) {
            *out++ = (struct penalty_candidate){a, b,
                                                fmin(c->release[i], c->radius[a] + c->radius[b])};
        }
    }
    c->release_count = (size_t)(out - c->candidates) - c->pair_count;
    if (c->near_wall_count > 0) {
        memcpy(out, c->near_walls, c->near_wall_count * sizeof *out);
    }
    c->wall_candidate_count = c->near_wall_count;
    c->releases_are_listed = true;
    return PBS_OK;
}

struct find_pass {
    struct penalty_contact *c;
    const double *x;
};

/// Copies the positions of the spheres, and bounds their displacements since the searches.
static void pack_chunk(void *context, size_t index) {
    const struct find_pass *pass = context;
    struct penalty_contact *c = pass->c;
    struct penalty_chunk *chunk = &c->chunks[index];
    const size_t begin = index * CHUNK;
    const size_t end = begin + CHUNK < c->sphere_count ? begin + CHUNK : c->sphere_count;
    for (int list = 0; list < 2; list++) {
        for (int k = 0; k < 3; k++) {
            chunk->low[list][k] = INFINITY;
            chunk->high[list][k] = -INFINITY;
        }
    }
    for (size_t i = begin; i < end; i++) {
        const double *from = pass->x + 3 * (size_t)c->node[i];
        for (size_t k = 0; k < 3; k++) {
            c->points[3 * i + k] = from[k];
            for (int list = 0; list < 2; list++) {
                const double offset = from[k] - c->listed[list][3 * i + k];
                chunk->low[list][k] = offset < chunk->low[list][k] ? offset : chunk->low[list][k];
                chunk->high[list][k] = offset > chunk->high[list][k] ? offset
                                                                     : chunk->high[list][k];
            }
        }
    }
}

static size_t chunk_count(size_t count) {
    return (count + CHUNK - 1) / CHUNK;
}

/// Returns a bound, m, of how much closer two spheres may have come since the search for pairs
/// (list 0), in which a common translation does not count; or a sphere and a wall since the search
/// for walls (list 1).
static double relative_motion(const struct penalty_contact *c, int list) {
    double low[3] = {INFINITY, INFINITY, INFINITY};
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < chunk_count(c->sphere_count); i++) {
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], c->chunks[i].low[list][k]);
            high[k] = fmax(high[k], c->chunks[i].high[list][k]);
        }
    }
    double offset[3];
    for (int k = 0; k < 3; k++) {
        offset[k] = list == 0 ? high[k] - low[k] : fmax(fabs(low[k]), fabs(high[k]));
    }
    return norm3(offset);
}

static bool is_elsewhere(const struct pose *a, const struct pose *b) {
    bool differs = false;
    for (int k = 0; k < 9; k++) {
        differs = differs || a->rotation[k] != b->rotation[k];
    }
    for (int k = 0; k < 3; k++) {
        differs = differs || a->translation[k] != b->translation[k];
    }
    return differs;
}

static bool walls_have_moved(const struct penalty_contact *c) {
    bool relative_motion = false;
    for (size_t i = 0; i < c->obstacle_count; i++) {
        relative_motion = relative_motion ||
                          is_elsewhere(&c->listed_poses[i], &c->obstacles[i].obstacle.pose);
    }
    return relative_motion;
}

/// Whether candidates are still valid. The rest of the margin covers rounding errors.
static bool is_within(const struct penalty_contact *c, double offset) {
    return offset <= 0.99 * c->margin;
}

static pbs_status update_candidates(struct penalty_contact *c, struct tasks *tasks) {
    const bool pairs = !c->is_listed || !is_within(c, relative_motion(c, 0));
    const bool walls = !c->is_listed ||
                       (c->obstacle_count > 0 &&
                        (!is_within(c, relative_motion(c, 1)) || walls_have_moved(c)));
    c->is_listed = false;
    if (walls) {
        RETURN_IF_FAILED(search_walls(c));
    }
    if (pairs) {
        RETURN_IF_FAILED(search_pairs(c, tasks));
    }
    if (pairs || walls || !c->releases_are_listed) {
        RETURN_IF_FAILED(list_others(c));
    }
    c->is_listed = true;
    return PBS_OK;
}

// --- touches ---

static size_t candidate_count(const struct penalty_contact *c) {
    return c->pair_count + c->release_count + c->wall_candidate_count;
}

static bool is_wall(const struct penalty_contact *c, size_t index) {
    return index >= c->pair_count + c->release_count;
}

static bool touches(const struct penalty_contact *c, size_t index) {
    const struct penalty_candidate *candidate = &c->candidates[index];
    const double *a = c->points + 3 * (size_t)candidate->first;
    if (is_wall(c, index)) {
        const struct contact_surface *wall = &c->walls[candidate->second];
        return shape_distance(&wall->shape, &wall->pose, a, NULL, NULL) < candidate->reach;
    }
    double offset[3];
    subtract3(a, c->points + 3 * (size_t)candidate->second, offset);
    return dot3(offset, offset) < candidate->reach * candidate->reach;
}

static void hit_chunk(void *context, size_t index) {
    const struct find_pass *pass = context;
    struct penalty_contact *c = pass->c;
    const size_t count = candidate_count(c);
    const size_t begin = index * CHUNK;
    const size_t end = begin + CHUNK < count ? begin + CHUNK : count;
    size_t hits = 0;
    for (size_t i = begin; i < end; i++) {
        if (touches(c, i)) {
            c->hits[begin + hits++] = (uint32_t)i;
        }
    }
    c->chunks[index].hits = hits;
}

static struct penalty_touch touch_of_pair(const struct penalty_contact *c,
                                          const struct penalty_candidate *candidate) {
    const uint32_t i = candidate->first;
    const uint32_t j = candidate->second;
    struct penalty_touch out = {.first = i, .second = j};
    subtract3(c->points + 3 * (size_t)i, c->points + 3 * (size_t)j, out.normal);
    const double distance = norm3(out.normal);
    if (distance > 0.0) {
        scale3(1.0 / distance, out.normal, out.normal);
    }
    const double fraction = c->radius[i] / (c->radius[i] + c->radius[j]);
    out.depth = candidate->reach - distance;
    out.force = out.depth * fmin(c->parts[c->part[i]].stiffness, c->parts[c->part[j]].stiffness);
    out.arm[0] = fraction * distance;
    out.arm[1] = distance - out.arm[0];
    out.radius = fraction * c->radius[j];
    return out;
}

static struct penalty_touch touch_of_wall(const struct penalty_contact *c,
                                          const struct penalty_candidate *candidate) {
    const uint32_t i = candidate->first;
    const struct contact_surface *wall = &c->walls[candidate->second];
    struct penalty_touch out = {
        .first = i, .second = candidate->second, .is_wall = true, .radius = c->radius[i]};
    const double distance = shape_distance(&wall->shape, &wall->pose, c->points + 3 * (size_t)i,
                                           out.normal, NULL);
    out.depth = candidate->reach - distance;
    out.force = out.depth * c->parts[c->part[i]].stiffness;
    out.arm[0] = distance;
    return out;
}

static void clear_forces(struct penalty_contact *c) {
    static const double zero[3] = {0.0, 0.0, 0.0};
    for (size_t t = 0; t < c->touch_count; t++) {
        const struct penalty_touch *touch = &c->touches[t];
        copy3(zero, c->force + 3 * (size_t)c->node[touch->first]);
        if (!touch->is_wall) {
            copy3(zero, c->force + 3 * (size_t)c->node[touch->second]);
        }
    }
    c->touch_count = 0;
    c->value = 0.0;
}

static void add_touch(struct penalty_contact *c, size_t index) {
    const struct penalty_touch touch = is_wall(c, index) ? touch_of_wall(c, &c->candidates[index])
                                                         : touch_of_pair(c, &c->candidates[index]);
    double *first = c->force + 3 * (size_t)c->node[touch.first];
    add_scaled3(first, touch.force, touch.normal, first);
    if (!touch.is_wall) {
        double *second = c->force + 3 * (size_t)c->node[touch.second];
        add_scaled3(second, -touch.force, touch.normal, second);
    }
    c->value += 0.5 * touch.force * touch.depth;
    c->touches[c->touch_count++] = touch;
}

static pbs_status list_touches(struct penalty_contact *c) {
    const size_t chunks = chunk_count(candidate_count(c));
    size_t hits = 0;
    for (size_t i = 0; i < chunks; i++) {
        hits += c->chunks[i].hits;
    }
    clear_forces(c);
    if (hits > c->touch_capacity) {
        RETURN_IF_FAILED(memory_reserve(c->memory, &c->touches, &c->touch_capacity, 2 * hits,
                                        sizeof *c->touches));
    }
    for (size_t i = 0; i < chunks; i++) {
        for (size_t k = 0; k < c->chunks[i].hits; k++) {
            add_touch(c, c->hits[i * CHUNK + k]);
        }
    }
    return PBS_OK;
}

pbs_status penalty_contact_find_touches(struct penalty_contact *c, struct tasks *tasks,
                                        const double *x) {
    struct find_pass pass = {.c = c, .x = x};
    if (c->sphere_count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->chunks, &c->chunk_capacity,
                                    chunk_count(c->sphere_count), sizeof *c->chunks));
    tasks_for(tasks, chunk_count(c->sphere_count), pack_chunk, &pass);
    RETURN_IF_FAILED(update_candidates(c, tasks));
    const size_t count = candidate_count(c);
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->chunks, &c->chunk_capacity, chunk_count(count),
                                    sizeof *c->chunks));
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->hits, &c->hit_capacity, count, sizeof *c->hits));
    tasks_for(tasks, chunk_count(count), hit_chunk, &pass);
    return list_touches(c);
}

double penalty_contact_squared_frequency(const struct penalty_contact *c, const double *mass) {
    double rate = 0.0;
    for (size_t i = 0; i < c->sphere_count; i++) {
        const struct penalty_part *part = &c->parts[c->part[i]];
        rate = fmax(rate, 2.0 * NEIGHBOURS * part->stiffness / mass[c->node[i]]);
    }
    return rate;
}
