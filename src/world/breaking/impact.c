// See impact.h.
// SPDX-License-Identifier: MIT
#include "world/breaking/impact.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "contact/surfaces/obstacle.h"
#include "world/objects/body_table.h"

// --- a body ---

/// m: the least side of the box of the body at rest that is not zero, as planes and bars have
/// zero ones; 0: unknown.
static double thickness_of(const struct body *body) {
    double least = 0.0;
    for (size_t k = 0; k < 3 && body->rest != NULL; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < body->vertex_count; i++) {
            low = fmin(low, body->rest[3 * i + k]);
            high = fmax(high, body->rest[3 * i + k]);
        }
        const double side = high - low;
        if (side > 1e-6 * body->extent && (least == 0.0 || side < least)) {
            least = side;
        }
    }
    return least;
}

static bool can_break(const struct body *body) {
    return body->bonds.breaks && body->table->measure_waves != NULL;
}

/// Measured once in a call.
static void measure(const struct scene *scene, struct body *body) {
    struct body_impact *impact = &body->impact;
    if (!impact->is_measured) {
        impact->waves = body->table->measure_waves(&scene->nodes, body);
        impact->wave_time = thickness_of(body) / impact->waves.speed;
        impact->is_measured = true;
    }
}

/// kg/(m^2 s): of what a contact's side is. What is not a material is rigid.
static double impedance_of(const struct scene *scene, uint32_t part) {
    if (part >= scene->bodies.count) {
        return INFINITY;
    }
    struct body *body = scene_body(scene, part);
    if (body->table->measure_waves == NULL) {
        return INFINITY;
    }
    measure(scene, body);
    return body->impact.waves.impedance;
}

// --- a contact ---

static void add_vertex_velocity(const pbs_world *w, const struct contact_geometry *shape,
                                uint32_t part, int point, double out[3]) {
    const double *v = w->solver.workspace.now.v;
    if (shape->has_nodes) {
        add_scaled3(out, shape->weight[point], v + 3 * (size_t)shape->vertex[point], out);
        return;
    }
    const struct point at = vertices_at(scene_body(&w->scene, part), shape->vertex[point]);
    for (uint32_t k = 0; k < at.count; k++) {
        add_scaled3(out, shape->weight[point] * at.weight[k], v + 3 * (size_t)at.node[k], out);
    }
}

/// m/s: at which both sides come closer where the step begins.
static double closing_speed(const pbs_world *w, const struct contact_geometry *shape) {
    double v[2][3] = {{0.0}};
    int point = 0;
    for (int s = 0; s < 2; s++) {
        const uint32_t part = shape->part[s];
        if (part >= w->scene.bodies.count) {
            obstacle_velocity(&w->solver.obstacles[part - w->scene.bodies.count], shape->point[s],
                              v[s]);
            point += shape->count[s];
            continue;
        }
        for (int k = 0; k < shape->count[s]; k++, point++) {
            add_vertex_velocity(w, shape, part, point, v[s]);
        }
    }
    return dot3(v[1], shape->normal) - dot3(v[0], shape->normal);
}

/// A hit on one body.
struct hit {
    struct body *body;
    double speed, stress;
};

static void note(struct hit hit, double h, uint32_t steps, bool is_accepted, struct impact *out) {
    struct body_impact *impact = &hit.body->impact;
    const double wave = impact->wave_time;
    if (!(hit.stress > impact->waves.strength) || !(wave > 0.0)) {
        return;
    }
    const double longest = steps > 1 ? wave / steps : wave;
    out->wave = out->wave > 0.0 ? fmin(out->wave, wave) : wave;
    if (h > longest * (1.0 + 1e-9)) {
        out->unseen = true;
        if (is_accepted && hit.stress > impact->stress) {
            impact->stress = hit.stress;
            impact->speed = hit.speed;
            impact->step = h;
        }
    }
}

/// The stress between two half-spaces that meet with a speed is that times z1 z2 / (z1 + z2).
static void look_at(pbs_world *w, const struct contact_record *record, double h, uint32_t steps,
                    bool is_accepted, struct impact *out) {
    struct contact_geometry shape;
    contact_set_geometry(&w->solver.contacts, &w->solver.report, record, w->solver.workspace.next.x,
                         &shape);
    const double speed = closing_speed(w, &shape);
    if (!(speed > 0.0)) {
        return;
    }
    const double resistance = 1.0 / impedance_of(&w->scene, shape.part[0]) +
                              1.0 / impedance_of(&w->scene, shape.part[1]);
    for (int s = 0; s < 2; s++) {
        if (shape.part[s] < w->scene.bodies.count) {
            struct body *body = scene_body(&w->scene, shape.part[s]);
            if (can_break(body)) {
                note((struct hit){body, speed, speed / resistance}, h, steps, is_accepted, out);
            }
        }
    }
}

// --- a call ---

/// Nothing has been hit in the call yet.
static void begin(pbs_world *w) {
    for (size_t i = 0; i < w->scene.bodies.count; i++) {
        struct body_impact *impact = &scene_body(&w->scene, i)->impact;
        *impact = (struct body_impact){.is_told = impact->is_told};
    }
}

static bool something_can_break(const struct scene *scene) {
    for (size_t i = 0; i < scene->bodies.count; i++) {
        if (can_break(scene_body(scene, i))) {
            return true;
        }
    }
    return false;
}

struct impact impact_find(pbs_world *w, double h, uint32_t steps, bool is_accepted) {
    struct impact found = {0.0, false};
    const struct scheme_table *scheme = w->scene.integrator.scheme;
    if (scheme->kicks || scheme->is_static || !something_can_break(&w->scene)) {
        return found;
    }
    const struct contact_report *report = &w->solver.report;
    for (size_t i = 0; i < report->record_count; i++) {
        look_at(w, &report->records[i], h, steps, is_accepted, &found);
    }
    return found;
}

/// Logs the hits that were not resolved, of each body once until a call lands without one.
static void landed(pbs_world *w) {
    for (size_t i = 0; i < w->scene.bodies.count; i++) {
        const struct body *body = scene_body(&w->scene, i);
        struct body_impact *impact = &scene_body(&w->scene, i)->impact;
        const bool is_hit = impact->stress > 0.0;
        if (is_hit && !impact->is_told) {
            world_log(w, PBS_LOG_WARNING,
                      "body %u is hit at %.3g m/s, a stress of %.3g Pa above its strength of %.3g "
                      "Pa, at %g s, but a step of %.3g s does not see it: the wave takes %.3g s "
                      "through the body; take steps as short or set impact_steps",
                      (unsigned)body->slot, impact->speed, impact->stress, impact->waves.strength,
                      w->scene.time, impact->step, impact->wave_time);
        }
        impact->is_told = is_hit;
    }
}

void impact_write_stats(const struct scene *scene, pbs_step_stats *stats) {
    double worst = 0.0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body_impact *impact = &scene_body(scene, i)->impact;
        if (impact->stress > 0.0) {
            stats->unseen_impacts++;
            const double ratio = impact->stress / impact->waves.strength;
            if (ratio > worst) {
                worst = ratio;
                stats->impact_stress = impact->stress;
                stats->impact_strength = impact->waves.strength;
            }
        }
    }
}

const struct feature feature_impacts = {.begin = begin, .landed = landed};
