// See held_volumes.h. Sums run over surfaces in order, so that their bits do not depend on threads.
// SPDX-License-Identifier: MIT
#include "energy/pressure/held_volumes.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "energy/pressure/pressure_surfaces.h"

// rho over the stiffness of the nodes against a change of the volume, as that of joints.
static const double PENALTY = 1e4;
// Of V0.
static const double TOLERANCE = 1e-10;
// A Newton step has missed a volume if it leaves more than this of V0, and more than MISSED_SHARE
// of what there was.
static const double MISSED = 1e-4;
static const double MISSED_SHARE = 0.5;

size_t held_volumes_count(const struct pressure *pressure) {
    return pressure != NULL ? pressure->held_count : 0;
}

size_t held_volumes_next(const struct pressure *p, size_t surface) {
    const size_t end = p != NULL && p->held_count > 0 ? p->surface_count : 0;
    while (surface < end && p->laws[surface].kind != PRESSURE_HELD) {
        surface++;
    }
    return surface < end ? surface : SIZE_MAX;
}

#define FOR_EACH_HELD(p, s)                                                                        \
    for (size_t s = held_volumes_next((p), 0); s != SIZE_MAX; s = held_volumes_next((p), s + 1))

// --- the start of a step and of a stage ---

void held_volumes_begin_step(struct pressure *pressure, const double *x, double h, double share) {
    FOR_EACH_HELD(pressure, s) {
        struct held_volume *const held = &pressure->held[s];
        held->saved_pressure = pressure->laws[s].pressure;
        held->start = pressure_surface_volume(pressure, s, x);
        held->end = share < 1.0 ? held->start + share * (held->target - held->start) : held->target;
        held->length = h;
    }
}

static size_t member_count(const struct pressure *p, size_t surface) {
    return p->node_start[surface + 1] - p->node_start[surface];
}

/// Writes the gradient of a surface's volume at x in the order of its nodes, and returns it.
static double *write_entries(struct pressure *p, size_t surface, const double *x) {
    double *const entries = p->row_entries + 3 * p->node_start[surface];
    pressure_differentiate(p, surface, x, p->held_gradient);
    for (size_t k = 0; k < member_count(p, surface); k++) {
        copy3(p->held_gradient + 3 * (size_t)p->nodes[p->node_start[surface] + k], entries + 3 * k);
    }
    return entries;
}

void held_volumes_begin_stage(struct pressure *pressure, const struct stage_nodes *nodes,
                              double time) {
    FOR_EACH_HELD(pressure, s) {
        struct pressure_law *const law = &pressure->laws[s];
        struct held_volume *const held = &pressure->held[s];
        const double share = time < held->length ? time / held->length : 1.0;
        const double compliance = stage_nodes_compliance(nodes, member_count(pressure, s),
                                                         pressure->nodes + pressure->node_start[s],
                                                         write_entries(pressure, s, nodes->x));
        law->volume = share < 1.0 ? held->start + share * (held->end - held->start) : held->end;
        held->resistance = compliance > 0.0 ? 1.0 / compliance : 0.0;
        law->penalty = PENALTY * held->resistance;
    }
}

// --- multipliers ---

/// C at x, or at the end of a Newton step from there as it reckons, where V is linear.
static double constraint(struct pressure *p, size_t surface, const double *x,
                         const double *direction) {
    double c = pressure_surface_volume(p, surface, x) - p->laws[surface].volume;
    if (direction != NULL) {
        const double *const entries = write_entries(p, surface, x);
        for (size_t k = 0; k < member_count(p, surface); k++) {
            const size_t node = p->nodes[p->node_start[surface] + k];
            c += dot3(entries + 3 * k, direction + 3 * node);
        }
    }
    return c;
}

static double gap_of(struct pressure *p, size_t surface, const double *x) {
    return p->held[surface].resistance > 0.0
               ? fabs(constraint(p, surface, x, NULL)) / (TOLERANCE * p->held[surface].target)
               : 0.0;
}

double held_volumes_gap(struct pressure *pressure, const double *x) {
    return held_volumes_widest(pressure, x).share;
}

struct held_volume_miss held_volumes_widest(struct pressure *pressure, const double *x) {
    struct held_volume_miss most = {0};
    FOR_EACH_HELD(pressure, s) {
        const double share = gap_of(pressure, s, x);
        if (share > most.share) {
            most = (struct held_volume_miss){.node = pressure->nodes[pressure->node_start[s]],
                                             .gap = share * TOLERANCE * pressure->held[s].target,
                                             .share = share};
        }
    }
    return most;
}

static void add_gradient(struct pressure *p, size_t surface, const double *x, double excess,
                         double *gradient) {
    pressure_differentiate(p, surface, x, p->held_gradient);
    for (size_t k = p->node_start[surface]; k < p->node_start[surface + 1]; k++) {
        double *const to = gradient + 3 * (size_t)p->nodes[k];
        add_scaled3(to, -excess, p->held_gradient + 3 * (size_t)p->nodes[k], to);
    }
}

/// Whether the step from `from` to x has missed the volume, along a path on which it is far from
/// linear. The pressure that the step reckoned with is of no use then.
static bool has_missed(struct pressure *p, size_t surface, const double *from, const double *x) {
    const double left = gap_of(p, surface, x) * TOLERANCE;
    return left > MISSED && left > MISSED_SHARE * gap_of(p, surface, from) * TOLERANCE;
}

double held_volumes_update(struct pressure *pressure, const double *from, const double *direction,
                           const double *x, double *gradient) {
    double sum = 0.0;
    FOR_EACH_HELD(pressure, s) {
        struct pressure_law *const law = &pressure->laws[s];
        if (direction != NULL && gradient != NULL && has_missed(pressure, s, from, x)) {
            continue;
        }
        const double change = -law->penalty *
                              constraint(pressure, s, direction != NULL ? from : x, direction);
        law->pressure += change;
        sum -= change * constraint(pressure, s, x, NULL);
        if (gradient != NULL) {
            add_gradient(pressure, s, x, change, gradient);
        }
    }
    return sum;
}

void held_volumes_remove_penalties(struct pressure *pressure, const double *x, double *gradient) {
    FOR_EACH_HELD(pressure, s) {
        add_gradient(pressure, s, x, pressure->laws[s].penalty * constraint(pressure, s, x, NULL),
                     gradient);
    }
}

double held_volumes_miss(struct pressure *pressure, const double *x) {
    double most = 0.0;
    FOR_EACH_HELD(pressure, s) {
        const double area = pressure_surface_area(pressure, s, x);
        const double miss = fabs(constraint(pressure, s, x, NULL));
        most = fmax(most, pressure->held[s].resistance > 0.0 && area > 0.0 ? miss / area : 0.0);
    }
    return most;
}

void held_volumes_restore(struct pressure *pressure) {
    FOR_EACH_HELD(pressure, s) {
        pressure->laws[s].pressure = pressure->held[s].saved_pressure;
    }
}

void held_volumes_keep(struct pressure *pressure) {
    FOR_EACH_HELD(pressure, s) {
        pressure->held[s].kept_pressure = pressure->laws[s].pressure;
    }
}

void held_volumes_bring_back(struct pressure *pressure) {
    FOR_EACH_HELD(pressure, s) {
        pressure->laws[s].pressure = pressure->held[s].kept_pressure;
    }
}

// --- what held volumes do ---

void held_volumes_add_start_forces(struct pressure *pressure, const double *x, double *gradient) {
    FOR_EACH_HELD(pressure, s) {
        add_gradient(pressure, s, x, pressure->held[s].saved_pressure - pressure->laws[s].outside,
                     gradient);
    }
}

size_t held_volumes_write_rows(struct pressure *pressure, const struct stage_nodes *nodes,
                               struct node_row *rows) {
    size_t count = 0;
    FOR_EACH_HELD(pressure, s) {
        double *const entries = write_entries(pressure, s, nodes->x);
        const uint32_t *const members = pressure->nodes + pressure->node_start[s];
        double square = 0.0;
        for (size_t k = 0; k < 3 * member_count(pressure, s); k++) {
            entries[k] = stage_nodes_hold(nodes, members[k / 3], k % 3) ? 0.0 : entries[k];
            square += entries[k] * entries[k];
        }
        // Of unit length, as the rows of joints nearly are.
        pressure->held[s].row_scale = square > 0.0 ? 1.0 / sqrt(square) : 0.0;
        for (size_t k = 0; k < 3 * member_count(pressure, s); k++) {
            entries[k] *= pressure->held[s].row_scale;
        }
        rows[count++] = (struct node_row){member_count(pressure, s), members, entries};
    }
    return count;
}

static double triple(const double a[3], const double b[3], const double c[3]) {
    double area[3];
    cross3(b, c, area);
    return dot3(a, area);
}

/// Returns 6 times the second derivative with respect to time of the volume a.(b x c) / 6 under a
/// triangle whose corners have constant velocities v.
static double velocity_term_of(const double *x[3], const double *v[3], const double *origin) {
    double a[3], b[3], c[3];
    subtract3(x[0], origin, a);
    subtract3(x[1], origin, b);
    subtract3(x[2], origin, c);
    return 2.0 * (triple(a, v[1], v[2]) + triple(v[0], b, v[2]) + triple(v[0], v[1], c));
}

void held_volumes_add_velocity_terms(const struct pressure *pressure, const double *v,
                                     const double *x, double *out) {
    size_t row = 0;
    FOR_EACH_HELD(pressure, s) {
        const double *const origin = x + 3 * (size_t)pressure->nodes[pressure->node_start[s]];
        double sum = 0.0;
        for (size_t t = pressure->triangle_start[s]; t < pressure->triangle_start[s + 1]; t++) {
            const double *places[3], *speeds[3];
            for (size_t a = 0; a < 3; a++) {
                places[a] = x + 3 * (size_t)pressure->triangles[3 * t + a];
                speeds[a] = v + 3 * (size_t)pressure->triangles[3 * t + a];
            }
            sum += velocity_term_of(places, speeds, origin);
        }
        out[row++] += pressure->held[s].row_scale * sum / 6.0;
    }
}

struct held_volume_power held_volumes_power(const struct pressure *pressure, size_t surface) {
    const struct pressure_law *const law = &pressure->laws[surface];
    const struct held_volume *const held = &pressure->held[surface];
    const bool moves = held->length > 0.0 && held->resistance > 0.0;
    const double rate = moves ? (held->end - held->start) / held->length : 0.0;
    return (struct held_volume_power){.node = pressure->nodes[pressure->node_start[surface]],
                                      .supplied = (law->pressure - law->outside) * rate};
}

// --- preconditioning ---

/// u is the volume's gradient, and w what a pressure moves where each node resists with the mean of
/// its own stiffness.
static void begin_deflation(void *self, const struct linear_problem *problem) {
    struct pressure *const p = self;
    const struct bsr *const a = problem->a;
    FOR_EACH_HELD(p, s) {
        for (size_t k = p->node_start[s]; k < p->node_start[s + 1]; k++) {
            const size_t node = p->nodes[k];
            const double *block = a->values + 9 * (size_t)a->row_start[p->layout->row[node]];
            const double trace = block[0] + block[4] + block[8];
            copy3(p->gradient + 3 * node, p->free_gradient + 3 * node);
            scale3(trace > 0.0 ? 3.0 / trace : 0.0, p->gradient + 3 * node, p->relief + 3 * node);
        }
    }
    for (size_t i = 0; i < problem->restriction_count; i++) {
        const struct row_restriction *const restriction = &problem->restrictions[i];
        const size_t node = p->layout->node[restriction->row];
        if (p->member[node] != NO_MEMBER && p->laws[p->member[node]].kind == PRESSURE_HELD) {
            double free[3];
            multiply3(restriction->tangent, p->free_gradient + 3 * node, free);
            copy3(free, p->free_gradient + 3 * node);
            multiply3(restriction->tangent, p->relief + 3 * node, free);
            copy3(free, p->relief + 3 * node);
        }
    }
    FOR_EACH_HELD(p, s) {
        double sum = 0.0;
        for (size_t k = p->node_start[s]; k < p->node_start[s + 1]; k++) {
            sum += dot3(p->free_gradient + 3 * (size_t)p->nodes[k],
                        p->relief + 3 * (size_t)p->nodes[k]);
        }
        p->held[s].relieved = sum;
    }
}

static double dot_rows(const struct pressure *p, size_t surface, const double *by_node,
                       const double *rows) {
    double sum = 0.0;
    for (size_t k = p->node_start[surface]; k < p->node_start[surface + 1]; k++) {
        const size_t node = p->nodes[k];
        sum += dot3(by_node + 3 * node, rows + 3 * (size_t)p->layout->row[node]);
    }
    return sum;
}

static void add_rows(const struct pressure *p, size_t surface, double factor, const double *by_node,
                     double *rows) {
    for (size_t k = p->node_start[surface]; k < p->node_start[surface + 1]; k++) {
        const size_t node = p->nodes[k];
        double *const to = rows + 3 * (size_t)p->layout->row[node];
        add_scaled3(to, factor, by_node + 3 * node, to);
    }
}

static void deflate(void *self, double *r) {
    struct pressure *const p = self;
    FOR_EACH_HELD(p, s) {
        struct held_volume *const held = &p->held[s];
        held->removed = held->relieved > 0.0 ? dot_rows(p, s, p->relief, r) / held->relieved : 0.0;
        add_rows(p, s, -held->removed, p->free_gradient, r);
    }
}

static void inflate(void *self, double *r) {
    const struct pressure *const p = self;
    FOR_EACH_HELD(p, s) {
        add_rows(p, s, p->held[s].removed, p->free_gradient, r);
    }
}

static void correct(void *self, double *z) {
    const struct pressure *const p = self;
    FOR_EACH_HELD(p, s) {
        const struct held_volume *const held = &p->held[s];
        if (held->relieved > 0.0) {
            const double along = dot_rows(p, s, p->free_gradient, z) / held->relieved;
            const double share = 1.0 + p->now[s].stiffness * held->relieved;
            add_rows(p, s, held->removed / share - along, p->relief, z);
        }
    }
}

const struct product_deflation held_volumes_deflation = {
    .begin = begin_deflation, .deflate = deflate, .inflate = inflate, .correct = correct};
