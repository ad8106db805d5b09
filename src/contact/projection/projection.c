// See projection.h: the constraint projection of OPT sections 3.2 and 5.1 over all nodes of a
// scene. closest_point.c handles the geometry of one node. Chunks of nodes have a fixed size and
// nodes are independent of each other, so the result does not depend on the number of threads.
// SPDX-License-Identifier: MIT
#include "contact/projection/projection.h"

#include <string.h>

#include "base/matrix3/math3.h"
#include "base/lanes/vector.h"
#include "pbs/body.h"

enum { CHUNK = 256, MAX_TOUCHING = 8 };

static const double touching = 1e-12, violated = 1e-13; // relative to the scale
static const double parallel = 1e-10; // as in closest_point.c: below this the free axes cannot
                                      // leave an obstacle

// --- surfaces ---

static void list_surfaces(struct projection *p) {
    const struct projection_scene *scene = &p->scene;
    struct contact_surface *out = p->surfaces;
    for (size_t b = 0; b < scene->obstacle_count; b++) {
        const size_t count = obstacle_surfaces(scene->obstacles + b, out);
        for (size_t i = 0; i < count; i++, out++) {
            out->obstacle = (uint32_t)b;
            shape_bounds(&out->shape, &out->pose, touching * scene->scale, out->low, out->high);
        }
    }
}

// --- slots: constrained nodes ---

static uint8_t constrained_axes_of(const struct projection_scene *scene, size_t node) {
    return scene->constrained_axes ? scene->constrained_axes[node] & PBS_AXIS_ALL : 0;
}

static bool collides(const struct projection_scene *scene, size_t node) {
    return scene->obstacle_count > 0 && scene->colliding && scene->colliding[node];
}

static size_t count_slots(const struct projection_scene *scene) {
    size_t count = 0;
    for (size_t i = 0; i < scene->node_count; i++) {
        count += constrained_axes_of(scene, i) != 0 || collides(scene, i);
    }
    return count;
}

static void list_slots(struct projection *p) {
    struct projection_slot *slot = p->slots;
    for (size_t i = 0; i < p->scene.node_count; i++) {
        const uint8_t constrained_axes = constrained_axes_of(&p->scene, i);
        const bool colliding = collides(&p->scene, i);
        if (constrained_axes || colliding) {
            slot->node = (uint32_t)i;
            slot->constrained_axes = constrained_axes;
            // Obstacles cannot move a node with all axes constrained.
            slot->colliding = colliding && constrained_axes != PBS_AXIS_ALL;
            slot->active_count = 0;
            slot->moved = 0;
            slot->failed = 0;
            slot++;
        }
    }
}

pbs_status projection_begin(struct memory *memory, const struct projection_scene *scene,
                            struct projection *projection) {
    struct projection *p = projection;
    if (!(scene->scale > 0.0) || isinf(scene->scale)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "scale of the scene is %g m, must be positive and finite", scene->scale);
    }
    size_t surface_count = 0;
    for (size_t b = 0; b < scene->obstacle_count; b++) {
        surface_count += obstacle_surface_count(scene->obstacles + b);
    }
    const size_t slot_count = count_slots(scene);
    RETURN_IF_FAILED(memory_reserve(memory, &p->surfaces, &p->surface_capacity, surface_count,
                                    sizeof *p->surfaces));
    RETURN_IF_FAILED(
        memory_reserve(memory, &p->slots, &p->slot_capacity, slot_count, sizeof *p->slots));
    RETURN_IF_FAILED(
        memory_reserve(memory, &p->active, &p->active_capacity, slot_count, sizeof *p->active));
    RETURN_IF_FAILED(
        memory_reserve(memory, &p->earlier, &p->earlier_capacity, slot_count, sizeof *p->earlier));
    p->scene = *scene;
    p->surface_count = surface_count;
    p->slot_count = slot_count;
    p->active_count = 0;
    list_surfaces(p);
    list_slots(p);
    return PBS_OK;
}

void projection_free(struct memory *memory, struct projection *projection) {
    memory_release(memory, projection->surfaces);
    memory_release(memory, projection->slots);
    memory_release(memory, projection->active);
    memory_release(memory, projection->earlier);
    *projection = (struct projection){0};
}

// --- loops over slots ---

struct slot_loop {
    struct projection *projection;
    void (*work)(struct projection *, struct projection_slot *, double *);
    double *vector; // 3 per node
};

static void run_slots(void *context, size_t chunk) {
    const struct slot_loop *loop = context;
    const size_t count = loop->projection->slot_count;
    const size_t end = (chunk + 1) * CHUNK < count ? (chunk + 1) * CHUNK : count;
    for (size_t i = chunk * CHUNK; i < end; i++) {
        struct projection_slot *slot = loop->projection->slots + i;
        loop->work(loop->projection, slot, loop->vector + 3 * (size_t)slot->node);
    }
}

static void for_each_slot(struct tasks *tasks, struct projection *projection, double *vector,
                          void (*work)(struct projection *, struct projection_slot *, double *)) {
    struct slot_loop loop = {projection, work, vector};
    tasks_for(tasks, (projection->slot_count + CHUNK - 1) / CHUNK, run_slots, &loop);
}

// --- the map P ---

static void apply_axis_constraints(const struct projection *p, const struct projection_slot *slot,
                                   double *x) {
    for (size_t i = 0; i < 3; i++) {
        if (slot->constrained_axes >> i & 1u) {
            x[i] = p->scene.targets[3 * (size_t)slot->node + i];
        }
    }
}

static struct closest_point closest_problem(const struct projection *p,
                                            const struct projection_slot *slot) {
    return (struct closest_point){.surfaces = p->surfaces,
                                  .surface_count = slot->colliding ? p->surface_count : 0,
                                  .scale = p->scene.scale,
                                  .tolerance = violated * p->scene.scale,
                                  .constrained_axes = slot->constrained_axes,
                                  .active_count = slot->active_count,
                                  .active = slot->active};
}

static void project_slot(struct projection *p, struct projection_slot *slot, double *x) {
    apply_axis_constraints(p, slot, x);
    const double y[3] = {x[0], x[1], x[2]};
    const struct closest_point problem = closest_problem(p, slot);
    slot->worst = (uint32_t)p->surface_count;
    slot->failed = !(isfinite(y[0]) && isfinite(y[1]) && isfinite(y[2])) ||
                   !closest_point_find(&problem, y, x, slot->jacobian, &slot->worst);
    slot->moved = slot->constrained_axes || slot->active_count > 0 || x[0] != y[0] ||
                  x[1] != y[1] || x[2] != y[2];
}

static pbs_status report_failure(const struct projection *p, const struct projection_slot *slot,
                                 const double *x) {
    x += 3 * (size_t)slot->node;
    if (slot->worst >= p->surface_count) {
        return status_fail(PBS_ERROR_INADMISSIBLE, "node %u: position (%g, %g, %g), must be finite",
                           slot->node, x[0], x[1], x[2]);
    }
    return status_fail(
        PBS_ERROR_INADMISSIBLE,
        "node %u: no point outside all obstacles found near (%g, %g, %g), inside collider %u",
        slot->node, x[0], x[1], x[2], p->surfaces[slot->worst].obstacle);
}

pbs_status projection_apply(struct tasks *tasks, struct projection *projection, const double *y,
                            double *x) {
    if (x != y) {
        vector_copy(tasks, 3 * projection->scene.node_count, y, x);
    }
    for_each_slot(tasks, projection, x, project_slot);
    for (size_t i = 0; i < projection->slot_count; i++) {
        if (projection->slots[i].failed) {
            return report_failure(projection, projection->slots + i, x);
        }
    }
    return PBS_OK;
}

static void pull_back_slot(struct projection *p, struct projection_slot *slot, double *gradient) {
    (void)p;
    if (slot->moved) {
        const double g[3] = {gradient[0], gradient[1], gradient[2]};
        multiply_transposed3(slot->jacobian, g, gradient);
    }
}

void projection_pull_back(struct tasks *tasks, struct projection *projection, double *gradient) {
    for_each_slot(tasks, projection, gradient, pull_back_slot);
}

// --- the active set ---

// The surfaces that a node touches and that may become active.
struct touch {
    size_t count;
    uint32_t surface[MAX_TOUCHING];
    double normal[MAX_TOUCHING][3]; // unit
    double across[MAX_TOUCHING][3]; // the normal without its constrained components
    double hessian[MAX_TOUCHING][9];
};

// Selects the face of a surface with the least g'.n. Returns false if x lies on several faces and
// is not pushed into one of them, since the node is then free to leave past it; also if the free
// axes cannot leave the surface at all.
static bool choose_face(const struct projection *p, const struct contact_surface *s,
                        uint32_t constrained_axes, const double x[3], const double g[3],
                        double normal[3], double across[3], double hessian[9]) {
    double normals[3][3], hessians[3][9], least = INFINITY;
    const int count = shape_faces(&s->shape, &s->pose, x, touching * p->scene.scale, normals,
                                  hessians);
    for (int i = 0; i < count; i++) {
        double n[3] = {normals[i][0], normals[i][1], normals[i][2]};
        remove_constrained(constrained_axes, n);
        if (dot3(n, n) > parallel && dot3(n, g) < least) {
            least = dot3(n, g);
            copy3(normals[i], normal);
            copy3(n, across);
            memcpy(hessian, hessians[i], sizeof hessians[i]);
        }
    }
    return isfinite(least) && (count == 1 || least >= 0.0);
}

static void find_touching(const struct projection *p, const struct projection_slot *slot,
                          const double x[3], const double g[3], struct touch *touch) {
    touch->count = 0;
    for (uint32_t b = 0; b < p->surface_count && touch->count < MAX_TOUCHING; b++) {
        const struct contact_surface *s = p->surfaces + b;
        const size_t i = touch->count;
        if (contact_surface_touches(s, x, touching * p->scene.scale) &&
            choose_face(p, s, slot->constrained_axes, x, g, touch->normal[i], touch->across[i],
                        touch->hessian[i])) {
            touch->surface[touch->count++] = b;
        }
    }
}

// A candidate for the active set: a subset of the touched surfaces, with the multipliers that best
// balance g'.
struct support {
    size_t count;
    size_t member[CLOSEST_POINT_MAX_ACTIVE]; // indices into struct touch
    double lambda[CLOSEST_POINT_MAX_ACTIVE];
    double residual; // |g' - sum lambda n|
};

// Computes the multipliers of a set. Returns false if its normals are dependent or a multiplier is
// negative.
static bool solve_support(const struct touch *touch, uint32_t constrained_axes, unsigned set,
                          const double g[3], struct support *out) {
    double normals[CLOSEST_POINT_MAX_ACTIVE][3], basis[3][3], rest[3];
    out->count = 0;
    for (size_t i = 0; i < touch->count; i++) {
        if (set >> i & 1u) {
            if (out->count == CLOSEST_POINT_MAX_ACTIVE) {
                return false;
            }
            copy3(touch->across[i], normals[out->count]);
            out->member[out->count++] = i;
        }
    }
    if (tangent_basis(constrained_axes, out->count, normals, basis) < 0) {
        return false;
    }
    normal_components(out->count, normals, g, out->lambda);
    copy3(g, rest);
    for (size_t i = 0; i < out->count; i++) {
        if (!(out->lambda[i] >= 0.0)) {
            return false;
        }
        add_scaled3(rest, -out->lambda[i], normals[i], rest);
    }
    out->residual = norm3(rest);
    return true;
}

// Finds the set with the least residual; of equal ones the largest, so that a pair with g'.n = 0 is
// active.
static void find_support(const struct touch *touch, uint32_t constrained_axes, const double g[3],
                         struct support *best) {
    const double noise = 1e-13 * norm3(g);
    *best = (struct support){.residual = norm3(g)};
    for (unsigned set = 1; set < 1u << touch->count; set++) {
        struct support s;
        if (solve_support(touch, constrained_axes, set, g, &s) &&
            (s.residual < best->residual - noise ||
             (s.residual <= best->residual + noise && s.count > best->count))) {
            *best = s;
        }
    }
}

static void store_active_set(const struct touch *touch, const struct support *support,
                             struct projection_slot *slot) {
    slot->active_count = (uint8_t)support->count;
    memset(slot->curvature, 0, sizeof slot->curvature);
    for (size_t k = 0; k < support->count; k++) {
        const size_t i = support->member[k];
        slot->active[k] = touch->surface[i];
        slot->multiplier[k] = support->lambda[k];
        copy3(touch->normal[i], slot->normal[k]);
        for (int e = 0; e < 9; e++) {
            slot->curvature[e] -= support->lambda[k] * touch->hessian[i][e];
        }
    }
}

static void activate_slot(struct projection *p, struct projection_slot *slot, double *gradient) {
    struct touch touch = {.count = 0};
    struct support support = {.count = 0};
    if (slot->colliding) {
        double g[3] = {gradient[0], gradient[1], gradient[2]};
        remove_constrained(slot->constrained_axes, g);
        find_touching(p, slot, p->x + 3 * (size_t)slot->node, g, &touch);
        find_support(&touch, slot->constrained_axes, g, &support);
    }
    store_active_set(&touch, &support, slot);
}

// Computes Q, and C = -Q (sum lambda Hess phi) Q.
static void describe_active(const struct projection_slot *slot, struct projection_active *out) {
    double normals[CLOSEST_POINT_MAX_ACTIVE][3], basis[3][3], half[9];
    for (size_t k = 0; k < slot->active_count; k++) {
        copy3(slot->normal[k], normals[k]);
        remove_constrained(slot->constrained_axes, normals[k]);
    }
    const int dimension = tangent_basis(slot->constrained_axes, slot->active_count, normals, basis);
    tangent_projector(dimension, basis, out->tangent);
    multiply33(out->tangent, slot->curvature, half);
    multiply33(half, out->tangent, out->curvature);
}

struct active_loop {
    struct projection *projection;
    double *gradient;
};

static void describe_chunk(void *context, size_t chunk) {
    const struct active_loop *loop = context;
    struct projection *p = loop->projection;
    const size_t end = (chunk + 1) * CHUNK < p->active_count ? (chunk + 1) * CHUNK
                                                             : p->active_count;
    for (size_t i = chunk * CHUNK; i < end; i++) {
        struct projection_active *active = p->active + i;
        double *gradient = loop->gradient + 3 * (size_t)active->node;
        describe_active(p->slots + active->slot, active);
        const double g[3] = {gradient[0], gradient[1], gradient[2]};
        multiply3(active->tangent, g, gradient);
    }
}

void projection_activate(struct tasks *tasks, struct projection *projection, const double *x,
                         double *gradient) {
    struct projection *p = projection;
    p->x = x;
    for_each_slot(tasks, p, gradient, activate_slot);
    p->active_count = 0;
    for (size_t i = 0; i < p->slot_count; i++) {
        const struct projection_slot *slot = p->slots + i;
        if (slot->active_count > 0 || slot->constrained_axes) {
            p->active[p->active_count].node = slot->node;
            p->active[p->active_count++].slot = (uint32_t)i;
        }
    }
    struct active_loop loop = {p, gradient};
    tasks_for(tasks, (p->active_count + CHUNK - 1) / CHUNK, describe_chunk, &loop);
    p->x = NULL;
}

// --- after the solve ---

void projection_node_forces(const struct projection *projection, double weight, double *forces) {
    const struct projection *p = projection;
    for (size_t i = 0; i < p->active_count; i++) {
        const struct projection_slot *slot = p->slots + p->active[i].slot;
        double *force = forces + 3 * (size_t)slot->node;
        for (size_t k = 0; k < slot->active_count; k++) {
            add_scaled3(force, slot->multiplier[k] / weight, slot->normal[k], force);
        }
    }
}

static bool is_inside(const struct projection *p, const double x[3]) {
    for (size_t b = 0; b < p->surface_count; b++) {
        const struct contact_surface *s = p->surfaces + b;
        bool in_box = true;
        for (int i = 0; i < 3; i++) {
            in_box = in_box && x[i] >= s->low[i] && x[i] <= s->high[i];
        }
        if (in_box &&
            shape_distance(&s->shape, &s->pose, x, NULL, NULL) < -touching * p->scene.scale) {
            return true;
        }
    }
    return false;
}

size_t projection_count_constrained_inside(const struct projection *projection, const double *x) {
    const struct projection *p = projection;
    size_t count = 0;
    for (size_t i = 0; i < p->slot_count; i++) {
        const struct projection_slot *slot = p->slots + i;
        count += slot->constrained_axes && collides(&p->scene, slot->node) &&
                 is_inside(p, x + 3 * (size_t)slot->node);
    }
    return count;
}

const struct obstacle *projection_obstacle(const struct projection *projection,
                                           const struct projection_slot *slot, size_t pair) {
    return &projection->scene.obstacles[projection->surfaces[slot->active[pair]].obstacle];
}

// Whether the node stays on its active surfaces during a step that starts with this velocity and
// acceleration.
static bool stays(const struct projection *p, const struct projection_slot *slot, const double *x,
                  const double *v, double h, const double *a) {
    for (size_t k = 0; k < slot->active_count; k++) {
        const double *n = slot->normal[k];
        double moving[3], relative[3];
        obstacle_velocity(p->scene.obstacles + p->surfaces[slot->active[k]].obstacle, x, moving);
        subtract3(v, moving, relative);
        if (dot3(relative, n) > 0.5 * h * fabs(dot3(a, n))) {
            return false;
        }
    }
    return true;
}

void projection_project_acceleration(const struct projection *projection, const double *x,
                                     const double *velocity, double h, double *acceleration) {
    const struct projection *p = projection;
    for (size_t i = 0; i < p->active_count; i++) {
        const struct projection_slot *slot = p->slots + p->active[i].slot;
        const size_t at = 3 * (size_t)p->active[i].node;
        double *const a = acceleration + at;
        if (slot->active_count > 0 && stays(p, slot, x + at, velocity + at, h, a)) {
            const double free[3] = {a[0], a[1], a[2]};
            multiply3(p->active[i].tangent, free, a);
        }
    }
}

// Reduces the tangential velocity relative to the obstacle by at most `most`. Returns half the
// decrease of its square.
static double reduce_slip(const struct obstacle *obstacle, const double tangent[9],
                          const double x[3], double most, double *velocity) {
    double moving[3], relative[3], slip[3];
    obstacle_velocity(obstacle, x, moving);
    subtract3(velocity, moving, relative);
    multiply3(tangent, relative, slip);
    const double speed = norm3(slip);
    const double left = speed > most ? speed - most : 0.0;
    if (speed == 0.0) {
        return 0.0;
    }
    add_scaled3(velocity, left / speed - 1.0, slip, velocity);
    return 0.5 * (speed * speed - left * left);
}

void projection_accumulate_impulses(struct projection *projection, double time, bool first) {
    struct projection *p = projection;
    for (size_t i = 0; i < p->slot_count; i++) {
        const struct projection_slot *slot = p->slots + i;
        struct projection_impulse *earlier = p->earlier + i;
        if (first) {
            *earlier = (struct projection_impulse){.surface = 0};
        }
        for (size_t k = 0; k < slot->active_count; k++) {
            add_scaled3(earlier->push, time * slot->multiplier[k], slot->normal[k], earlier->push);
            earlier->surface = slot->active[k];
        }
    }
    p->has_earlier = true;
}

void projection_forget_impulses(struct projection *projection) {
    projection->has_earlier = false;
}

// Applies the friction of an active node, for each surface with its multiplier.
static double friction_of_active(const struct projection *p, const struct projection_active *active,
                                 const double *x, double mass, double time, double *velocity) {
    struct projection_slot *slot = p->slots + active->slot;
    double loss = 0.0;
    for (size_t k = 0; k < slot->active_count; k++) {
        const struct obstacle *obstacle = p->scene.obstacles +
                                          p->surfaces[slot->active[k]].obstacle;
        double push = slot->multiplier[k] * time;
        if (p->has_earlier) {
            push += fmax(0.0, dot3(p->earlier[active->slot].push, slot->normal[k]));
        }
        double *const friction_velocity = slot->friction_velocity[k];
        scale3(-1.0, velocity, friction_velocity);
        loss += mass * reduce_slip(obstacle, active->tangent, x, obstacle->friction * push / mass,
                                   velocity);
        add3(velocity, friction_velocity, friction_velocity);
    }
    return loss;
}

// Applies the friction of a node that had contact in an earlier stage only.
static double friction_of_earlier_stages(const struct projection *p, size_t i, const double *x,
                                         double mass, double *velocity) {
    const struct projection_slot *slot = p->slots + i;
    struct projection_impulse *earlier = p->earlier + i;
    const double push = norm3(earlier->push);
    scale3(0.0, earlier->friction_velocity, earlier->friction_velocity);
    if (slot->active_count > 0 || push == 0.0) {
        return 0.0;
    }
    const struct obstacle *obstacle = p->scene.obstacles + p->surfaces[earlier->surface].obstacle;
    double normal[1][3], basis[3][3], tangent[9];
    scale3(1.0 / push, earlier->push, normal[0]);
    remove_constrained(slot->constrained_axes, normal[0]);
    tangent_projector(tangent_basis(slot->constrained_axes, 1, normal, basis), basis, tangent);
    scale3(-1.0, velocity, earlier->friction_velocity);
    const double loss = mass * reduce_slip(obstacle, tangent, x, obstacle->friction * push / mass,
                                           velocity);
    add3(velocity, earlier->friction_velocity, earlier->friction_velocity);
    return loss;
}

double projection_friction(const struct projection *projection, const double *x, const double *mass,
                           double weight, double h, double *velocity) {
    const struct projection *p = projection;
    double loss = 0.0;
    for (size_t i = 0; i < p->active_count; i++) {
        const size_t node = p->active[i].node;
        loss += friction_of_active(p, p->active + i, x + 3 * node, mass[node], h / weight,
                                   velocity + 3 * node);
    }
    for (size_t i = 0; i < p->slot_count && p->has_earlier; i++) {
        const size_t node = p->slots[i].node;
        loss += friction_of_earlier_stages(p, i, x + 3 * node, mass[node], velocity + 3 * node);
    }
    return loss;
}
