// See part_loads.h.
// SPDX-License-Identifier: MIT
#include "contact/stiffness/part_loads.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "contact/barrier/contact_pair.h"

// --- loads ---

static void max_load(struct part_load *load, double force, double gap) {
    load->force = fmax(load->force, force);
    load->gap = fmin(load->gap, gap);
}

void part_loads_measure(const struct barrier_contact *c, struct part_load *loads) {
    for (uint32_t i = 0; i < c->mesh.part_count; i++) {
        loads[i].force = 0.0;
        loads[i].gap = INFINITY;
    }
    for (size_t i = 0; i < c->contact_count; i++) {
        const struct contact_pair pair = contact_pair_of(c, &c->contacts[i]);
        const double gap = pair.gap / pair.reach;
        max_load(&loads[pair.part[0]], pair.one_force, gap);
        max_load(&loads[pair.part[1]], pair.one_force, gap);
    }
}

static bool is_close(const struct contact_pair *pair, double share) {
    return pair->gap < share * pair->reach;
}

bool part_loads_find_close(const struct barrier_contact *c, double share, struct part_load *loads) {
    bool any = false;
    for (uint32_t i = 0; i < c->mesh.part_count; i++) {
        loads[i].force = 0.0;
    }
    for (size_t i = 0; i < c->contact_count; i++) {
        const struct contact_pair pair = contact_pair_of(c, &c->contacts[i]);
        for (int k = 0; k < 2 && is_close(&pair, share) && isfinite(pair.one_force); k++) {
            struct part_load *load = &loads[pair.part[k]];
            load->force = fmax(load->force, pair.one_force);
            any = true;
        }
    }
    return any;
}

// Where it is not known what acts on parts, the forces of their contacts count up to this many
// times what their barriers carry.
static const double GROWTH = 1e4;

/// Returns the part that stands for those that touch `part`, and halves the way to it.
static uint32_t group_of(struct part_load *loads, uint32_t part) {
    while (loads[part].next != part) {
        loads[part].next = loads[loads[part].next].next;
        part = loads[part].next;
    }
    return part;
}

static void join(struct part_load *loads, uint32_t a, uint32_t b) {
    const uint32_t first = group_of(loads, a), second = group_of(loads, b);
    loads[first > second ? first : second].next = first > second ? second : first;
}

/// N: what the barriers of a part carry as they are.
static double carried_load(const struct barrier_contact *c, uint32_t index,
                           const struct part_load *load) {
    const struct collision_part *const part = &c->mesh.parts[index];
    const double own = part->stiffness * collision_part_reach(part, c->settings.barrier.reach);
    return fmax(fmax(part->load, load->raised), own);
}

void part_loads_limit(const struct barrier_contact *c, struct part_load *loads) {
    for (uint32_t i = 0; i < c->mesh.part_count; i++) {
        loads[i].next = i;
    }
    for (size_t i = 0; i < c->contact_count; i++) {
        const struct contact_pair pair = contact_pair_of(c, &c->contacts[i]);
        if (!c->mesh.parts[pair.part[0]].is_obstacle && !c->mesh.parts[pair.part[1]].is_obstacle) {
            join(loads, pair.part[0], pair.part[1]);
        }
    }
    // Each joins one that comes before it, which a sum from the last to the first gathers.
    for (uint32_t i = c->mesh.part_count; i-- > 0;) {
        if (loads[i].next != i) {
            loads[loads[i].next].acting += loads[i].acting;
        }
    }
    for (uint32_t i = 0; i < c->mesh.part_count; i++) {
        const double acting = loads[group_of(loads, i)].acting;
        const double most = isfinite(acting) ? acting : GROWTH * carried_load(c, i, &loads[i]);
        loads[i].force = fmin(loads[i].force, most);
    }
}

/// The load at which the barriers of a pair, which are pressed now, push with `force`.
static double load_at(const struct contact_pair *pair, double force) {
    return pair->one_force > 0.0 ? pair->stiffness * pair->reach * force / pair->one_force
                                 : INFINITY;
}

bool part_loads_raise(const struct barrier_contact *c, double share, struct part_load *loads) {
    bool any = false;
    for (uint32_t i = 0; i < c->mesh.part_count; i++) {
        loads[i].asked = loads[i].force;
    }
    for (size_t i = 0; i < c->contact_count; i++) {
        const struct contact_pair pair = contact_pair_of(c, &c->contacts[i]);
        for (int k = 0; k < 2; k++) {
            struct part_load *load = &loads[pair.part[k]];
            load->force = fmin(load->force, load_at(&pair, share * load->asked));
        }
    }
    for (uint32_t i = 0; i < c->mesh.part_count; i++) {
        const struct collision_part *part = &c->mesh.parts[i];
        if (!part->is_obstacle && loads[i].force > fmax(loads[i].raised, part->load)) {
            loads[i].raised = loads[i].force;
            any = true;
        }
    }
    return any;
}

// --- motions ---

static void begin_motion_bounds(uint32_t part, struct part_motion *motion) {
    *motion = (struct part_motion){.part = part};
    for (int k = 0; k < 3; k++) {
        motion->low[k] = motion->slowest[k] = INFINITY;
        motion->high[k] = motion->fastest[k] = -INFINITY;
    }
}

static void add_point(const double x[3], const double v[3], struct part_motion *motion) {
    for (int k = 0; k < 3; k++) {
        motion->low[k] = fmin(motion->low[k], x[k]);
        motion->high[k] = fmax(motion->high[k], x[k]);
        motion->slowest[k] = fmin(motion->slowest[k], v[k]);
        motion->fastest[k] = fmax(motion->fastest[k], v[k]);
    }
}

/// Extends a part's box to the positions that it can reach in h seconds.
static void finish_motion_bounds(double h, struct part_motion *motion) {
    double diagonal[3];
    subtract3(motion->high, motion->low, diagonal);
    motion->size = norm3(diagonal) / sqrt(3.0);
    for (int k = 0; k < 3; k++) {
        motion->low[k] += h * fmin(0.0, motion->slowest[k]);
        motion->high[k] += h * fmax(0.0, motion->fastest[k]);
    }
}

/// Sorts by the lower ends of the boxes along x. Uses Shell's sort, as the C library's may allocate
/// memory.
static void sort_motions(size_t count, struct part_motion *motions) {
    for (size_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (size_t i = gap; i < count; i++) {
            const struct part_motion motion = motions[i];
            size_t at = i;
            for (; at >= gap && motions[at - gap].low[0] > motion.low[0]; at -= gap) {
                motions[at] = motions[at - gap];
            }
            motions[at] = motion;
        }
    }
}

/// Lists the motions of all parts that are not obstacles and have points. Returns how many there
/// are.
static size_t list_motions(struct barrier_contact *c, struct tasks *tasks, const double *x,
                           const double *v, double h, struct part_motion *motions) {
    const struct collision_mesh *mesh = &c->mesh;
    barrier_contact_locate(c, tasks, x);
    collision_mesh_compute_points(tasks, mesh, v, c->leg);
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        begin_motion_bounds(i, &motions[i]);
    }
    for (size_t i = 0; i < mesh->point_count; i++) {
        if (mesh->kind[i] != POINT_OBSTACLE) {
            add_point(c->points + 3 * i, c->leg + 3 * i, &motions[mesh->part[i]]);
        }
    }
    size_t count = 0;
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        if (motions[i].low[0] <= motions[i].high[0]) {
            motions[count++] = motions[i];
            finish_motion_bounds(h, &motions[count - 1]);
        }
    }
    return count;
}

static bool motions_meet(const struct collision_mesh *mesh, const struct part_motion *a,
                         const struct part_motion *b) {
    const struct collision_part *p = &mesh->parts[a->part];
    const struct collision_part *q = &mesh->parts[b->part];
    return (p->group & q->mask) != 0 && (q->group & p->mask) != 0 && a->low[1] <= b->high[1] &&
           b->low[1] <= a->high[1] && a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

/// Returns a bound of the relative speed of any point of one part and any point of the other.
static double relative_speed(const struct part_motion *a, const struct part_motion *b) {
    double most[3];
    for (int k = 0; k < 3; k++) {
        most[k] = fmax(a->fastest[k] - b->slowest[k], b->fastest[k] - a->slowest[k]);
    }
    return norm3(most);
}

/// Returns an upper bound for all pairs of parts.
static double relative_motion_bound(size_t count, const struct part_motion *motions, double h) {
    struct part_motion all;
    double smallest = INFINITY;
    begin_motion_bounds(0, &all);
    for (size_t i = 0; i < count; i++) {
        add_point(motions[i].low, motions[i].slowest, &all);
        add_point(motions[i].high, motions[i].fastest, &all);
        smallest = motions[i].size > 0.0 ? fmin(smallest, motions[i].size) : smallest;
    }
    return count > 1 ? h * relative_speed(&all, &all) / smallest : 0.0;
}

double part_loads_relative_motion(struct barrier_contact *c, struct tasks *tasks, const double *x,
                                  const double *v, double h, double enough,
                                  struct part_motion *motions) {
    const size_t count = list_motions(c, tasks, x, v, h, motions);
    if (!(relative_motion_bound(count, motions, h) > enough)) {
        return 0.0;
    }
    sort_motions(count, motions);
    double most = 0.0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count && motions[j].low[0] <= motions[i].high[0]; j++) {
            const double size = fmax(motions[i].size, motions[j].size);
            if (fmin(motions[i].size, motions[j].size) > 0.0 &&
                motions_meet(&c->mesh, &motions[i], &motions[j])) {
                most = fmax(most, h * relative_speed(&motions[i], &motions[j]) / size);
            }
        }
    }
    return most > enough ? most : 0.0;
}
