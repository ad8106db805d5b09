// See penetration.h. Lists and sums have a fixed order, solids first, so that no bit depends on
// threads.
// SPDX-License-Identifier: MIT
#include "contact/penetration/penetration.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/eigen3.h"
#include "base/matrix3/math3.h"
#include "contact/contact_report.h"
#include "contact/penetration/inclusion_penalty.h"
#include "contact/penetration/level_set_penalty.h"

enum { POINTS_PER_PIECE = 1024, CONTACTS_PER_PIECE = 256 };

// --- memory ---

void penetration_free(struct penetration *p) {
    collision_mesh_free(p->memory, &p->mesh);
    solid_inclusion_free(p->memory, &p->solids);
    memory_release(p->memory, p->stiffness);
    memory_release(p->memory, p->obstacles);
    memory_release(p->memory, p->points);
    memory_release(p->memory, p->found);
    memory_release(p->memory, p->motion);
    memory_release(p->memory, p->energies);
    memory_release(p->memory, p->contacts);
    memory_release(p->memory, p->friction_candidates);
    memory_release(p->memory, p->frictions);
    memory_release(p->memory, p->block_indices);
    contact_blocks_free(p->memory, &p->blocks);
    *p = (struct penetration){.memory = p->memory};
}

void penetration_clear(struct penetration *p) {
    collision_mesh_clear(&p->mesh);
    solid_inclusion_clear(&p->solids);
    p->obstacle_count = 0;
    p->contact_count = 0;
    p->friction_candidate_count = p->committed_count = 0;
    p->is_found = false;
}

pbs_status penetration_reserve(struct penetration *p, size_t parts, size_t obstacles) {
    const size_t points = p->mesh.point_count;
    p->is_found = false;
    RETURN_IF_FAILED(memory_reserve(p->memory, &p->stiffness, &p->stiffness_capacity, parts,
                                    sizeof *p->stiffness));
    RETURN_IF_FAILED(memory_reserve(p->memory, &p->obstacles, &p->obstacle_capacity, obstacles,
                                    sizeof *p->obstacles));
    RETURN_IF_FAILED(
        memory_reserve(p->memory, &p->points, &p->point_capacity, 3 * points, sizeof *p->points));
    RETURN_IF_FAILED(
        memory_reserve(p->memory, &p->found, &p->found_capacity, 3 * points, sizeof *p->found));
    RETURN_IF_FAILED(
        memory_reserve(p->memory, &p->motion, &p->motion_capacity, 3 * points, sizeof *p->motion));
    return memory_reserve(p->memory, &p->energies, &p->energy_capacity, points,
                          sizeof *p->energies);
}

// --- points inside obstacles ---

struct obstacle_pass {
    struct penetration *p;
    const struct penetration_obstacle *obstacle;
    double low[3], high[3]; ///< m: bounding box of the obstacle's solid side
};

static bool may_touch(const struct penetration *p, const struct penetration_obstacle *o,
                      uint32_t point) {
    const struct collision_part *part = &p->mesh.parts[p->mesh.part[point]];
    return (part->group & o->mask) != 0 && (o->group & part->mask) != 0;
}

static double stiffness_at(const struct penetration *p, const struct penetration_obstacle *o,
                           uint32_t point) {
    return o->stiffness > 0.0 ? o->stiffness : p->stiffness[p->mesh.part[point]];
}

static bool is_within(const struct obstacle_pass *pass, const double x[3]) {
    for (int k = 0; k < 3; k++) {
        if (!(x[k] >= pass->low[k] && x[k] <= pass->high[k])) {
            return false;
        }
    }
    return true;
}

static void measure_piece(void *context, size_t piece) {
    const struct obstacle_pass *pass = context;
    struct penetration *const p = pass->p;
    const size_t end = (piece + 1) * POINTS_PER_PIECE;
    for (size_t i = piece * POINTS_PER_PIECE; i < end && i < p->mesh.point_count; i++) {
        const uint32_t point = (uint32_t)i;
        const double *x = p->points + 3 * i;
        p->energies[i] = is_within(pass, x) && may_touch(p, pass->obstacle, point)
                             ? level_set_penalty(&pass->obstacle->target,
                                                 stiffness_at(p, pass->obstacle, point), false, x,
                                                 NULL, NULL)
                             : 0.0;
    }
}

static pbs_status add_contacts(struct penetration *p, size_t count,
                               struct penetration_contact **out) {
    // Capacity is doubled, so that a steady state soon needs no further allocation.
    const size_t needed = p->contact_count + count;
    RETURN_IF_FAILED(memory_reserve(p->memory, &p->contacts, &p->contact_capacity,
                                    needed > p->contact_capacity ? 2 * needed : needed,
                                    sizeof *p->contacts));
    *out = p->contacts + p->contact_count;
    p->contact_count = needed;
    return PBS_OK;
}

static void fill_obstacle_contact(const struct penetration *p, uint32_t index, uint32_t point,
                                  struct penetration_contact *out) {
    const struct penetration_obstacle *const o = &p->obstacles[index];
    const double *const x = p->points + 3 * (size_t)point;
    *out = (struct penetration_contact){.obstacle = index,
                                        .kind = PAIR_POINT_POINT,
                                        .point_count = 1,
                                        .points = {point},
                                        .closest = {.weight = {1.0}},
                                        .stiffness = stiffness_at(p, o, point)};
    out->energy = level_set_penalty(&o->target, out->stiffness, false, x, out->gradient,
                                    out->hessian);
    (void)level_set_penalty_force(&o->target, out->stiffness, x, out->normal);
}

static pbs_status find_in_obstacle(struct penetration *p, struct tasks *tasks, uint32_t index) {
    const size_t count = p->mesh.point_count;
    struct obstacle_pass pass = {.p = p, .obstacle = &p->obstacles[index]};
    shape_bounds(&pass.obstacle->target.shape, &pass.obstacle->target.pose, 0.0, pass.low,
                 pass.high);
    tasks_for(tasks, (count + POINTS_PER_PIECE - 1) / POINTS_PER_PIECE, measure_piece, &pass);
    size_t inside = 0;
    for (size_t i = 0; i < count; i++) {
        inside += p->energies[i] > 0.0;
    }
    struct penetration_contact *out = NULL;
    RETURN_IF_FAILED(add_contacts(p, inside, &out));
    for (size_t i = 0; i < count; i++) {
        if (p->energies[i] > 0.0) {
            fill_obstacle_contact(p, index, (uint32_t)i, out++);
        }
    }
    return PBS_OK;
}

// --- points inside solids ---

static void fill_solid_contact(const struct penetration *p, const struct solid_contact *c,
                               struct penetration_contact *out) {
    *out = (struct penetration_contact){.obstacle = CONTACT_NO_WALL,
                                        .kind = c->kind,
                                        .point_count = c->point_count,
                                        .closest = c->closest,
                                        .stiffness = inclusion_penalty_stiffness(
                                            p->stiffness[c->part[0]], p->stiffness[c->part[1]])};
    memcpy(out->points, c->points, sizeof out->points);
    // The normal of solid_contact points inward.
    scale3(-1.0, c->normal, out->normal);
    out->energy = inclusion_penalty_energy(out->stiffness, &c->closest);
    inclusion_penalty_gradient(out->stiffness, &c->closest, out->gradient);
}

static pbs_status find_in_solids(struct penetration *p, struct tasks *tasks) {
    RETURN_IF_FAILED(
        solid_inclusion_find(p->memory, tasks, p->points, p->mesh.point_count, &p->solids));
    struct penetration_contact *out = NULL;
    RETURN_IF_FAILED(add_contacts(p, p->solids.contact_count, &out));
    for (size_t i = 0; i < p->solids.contact_count; i++) {
        fill_solid_contact(p, &p->solids.contacts[i], out++);
    }
    return PBS_OK;
}

pbs_status penetration_find(struct penetration *p, struct tasks *tasks, const double *x) {
    const size_t size = 3 * (size_t)p->mesh.point_count * sizeof *p->points;
    collision_mesh_compute_points(tasks, &p->mesh, x, p->points);
    if (size == 0 || (p->is_found && memcmp(p->points, p->found, size) == 0)) {
        return PBS_OK;
    }
    p->is_found = false;
    p->contact_count = 0;
    if (p->has_solids) {
        RETURN_IF_FAILED(find_in_solids(p, tasks));
    }
    for (size_t i = 0; i < p->obstacle_count; i++) {
        RETURN_IF_FAILED(find_in_obstacle(p, tasks, (uint32_t)i));
    }
    memcpy(p->found, p->points, size);
    p->is_found = true;
    return PBS_OK;
}

double penetration_depth(const struct penetration *p, const struct penetration_contact *contact) {
    if (contact->obstacle == CONTACT_NO_WALL) {
        return sqrt(contact->closest.squared);
    }
    const struct obstacle *o = &p->obstacles[contact->obstacle].target;
    return -shape_distance(&o->shape, &o->pose, p->points + 3 * (size_t)contact->points[0], NULL,
                           NULL);
}

double penetration_deepest(const struct penetration *p) {
    double deepest = 0.0;
    for (size_t i = 0; i < p->contact_count; i++) {
        deepest = fmax(deepest, penetration_depth(p, &p->contacts[i]));
    }
    return deepest;
}

// --- energy ---

static void begin_motion(void *self, const struct obstacle *now, const struct obstacle *target) {
    struct penetration *p = self;
    (void)now;
    for (size_t i = 0; i < p->obstacle_count; i++) {
        p->obstacles[i].target = target[p->obstacles[i].obstacle];
    }
    p->is_found = p->is_found && p->obstacle_count == 0;
}

static void add_gradient(const struct penetration *p, const struct penetration_contact *c,
                         double *gradient) {
    for (int k = 0; k < c->point_count; k++) {
        collision_mesh_add_to_nodes(&p->mesh, c->points[k], c->closest.weight[k], c->gradient,
                                    gradient);
    }
}

static pbs_status evaluate(void *self, struct tasks *tasks, const double *x, bool with_friction,
                           double *gradient, struct contact_energy *out) {
    struct penetration *p = self;
    (void)with_friction;
    *out = (struct contact_energy){0.0, 0.0};
    RETURN_IF_FAILED(penetration_find(p, tasks, x));
    for (size_t i = 0; i < p->contact_count; i++) {
        out->potential += p->contacts[i].energy;
        if (gradient != NULL) {
            add_gradient(p, &p->contacts[i], gradient);
        }
    }
    return PBS_OK;
}

/// Writes the Hessian of a contact with an obstacle, by the eigenvectors of its block.
static void hessian_of_block(const double block[9], bool semidefinite,
                             struct contact_hessian *hessian) {
    double lambda[3], q[9];
    eigen3(block, lambda, q);
    hessian->count = 0;
    for (int k = 0; k < 3; k++) {
        if (lambda[k] > 0.0 || (lambda[k] < 0.0 && !semidefinite)) {
            for (int row = 0; row < 3; row++) {
                hessian->vector[hessian->count][0][row] = q[3 * row + k];
            }
            contact_hessian_add(hessian, lambda[k]);
        }
    }
}

static void hessian_of(const struct penetration *p, const struct penetration_contact *c,
                       struct contact_hessian *hessian) {
    const double *x[PAIR_NODES] = {NULL};
    memset(hessian->vector, 0, sizeof hessian->vector);
    if (c->obstacle != CONTACT_NO_WALL) {
        hessian_of_block(c->hessian, p->is_semidefinite, hessian);
        return;
    }
    for (int k = 0; k < c->point_count; k++) {
        x[k] = p->points + 3 * (size_t)c->points[k];
    }
    inclusion_penalty_hessian(c->stiffness, c->kind, x, &c->closest, p->is_semidefinite, hessian);
}

struct block_pass {
    struct penetration *p;
    const struct contact_blocks_scene *scene;
};

static void write_piece(void *context, size_t piece) {
    const struct block_pass *pass = context;
    struct penetration *p = pass->p;
    const size_t end = (piece + 1) * CONTACTS_PER_PIECE;
    for (size_t i = piece * CONTACTS_PER_PIECE; i < end && i < p->contact_count; i++) {
        const struct penetration_contact *c = &p->contacts[i];
        struct contact_hessian hessian;
        struct contact_nodes stencil;
        hessian_of(p, c, &hessian);
        contact_nodes_of_points(pass->scene, c->points, c->point_count, &stencil);
        contact_blocks_write(pass->scene, &stencil, &hessian, NULL, p->block_indices[i],
                             &p->blocks);
    }
}

static pbs_status linearize(void *self, struct tasks *tasks,
                            const struct contact_linearization *options, const double *x,
                            const struct contact_blocks **blocks) {
    struct penetration *p = self;
    *blocks = &p->blocks;
    RETURN_IF_FAILED(penetration_find(p, tasks, x));
    p->is_semidefinite = options->semidefinite;
    const struct contact_blocks_scene scene = {
        .mesh = &p->mesh, .layout = options->layout, .constrained_axes = options->constrained_axes};
    RETURN_IF_FAILED(memory_reserve(p->memory, &p->block_indices, &p->block_index_capacity,
                                    p->contact_capacity, sizeof *p->block_indices));
    contact_blocks_clear(&p->blocks);
    for (size_t i = 0; i < p->contact_count; i++) {
        struct contact_nodes stencil;
        contact_nodes_of_points(&scene, p->contacts[i].points, p->contacts[i].point_count,
                                &stencil);
        p->block_indices[i] = contact_blocks_count(&p->blocks, stencil.node_count);
    }
    RETURN_IF_FAILED(contact_blocks_reserve(p->memory, NULL, &p->blocks));
    struct block_pass pass = {p, &scene};
    tasks_for(tasks, (p->contact_count + CONTACTS_PER_PIECE - 1) / CONTACTS_PER_PIECE, write_piece,
              &pass);
    return PBS_OK;
}

/// Obstacles are at the end of the stage throughout, so they have no remaining motion.
static void add_motion(void *self, struct tasks *tasks, const double *motion, double *gradient) {
    struct penetration *p = self;
    collision_mesh_compute_points(tasks, &p->mesh, motion, p->motion);
    for (size_t i = 0; i < p->contact_count; i++) {
        const struct penetration_contact *c = &p->contacts[i];
        struct contact_hessian hessian;
        hessian_of(p, c, &hessian);
        for (int k = 0; k < hessian.count; k++) {
            double along = 0.0;
            for (int n = 0; n < c->point_count; n++) {
                along += dot3(hessian.vector[k][n], p->motion + 3 * (size_t)c->points[n]);
            }
            for (int n = 0; n < c->point_count; n++) {
                collision_mesh_add_to_nodes(&p->mesh, c->points[n], hessian.coefficient[k] * along,
                                            hessian.vector[k][n], gradient);
            }
        }
    }
}

// --- reports ---

static uint32_t part_of_second(const struct penetration *p, const struct contact_record *record) {
    return record->wall != CONTACT_NO_WALL ? p->obstacles[record->wall].part
                                           : p->mesh.part[record->points[1]];
}

/// Adds the forces of one contact to parts and points, and the force on the first side to the
/// record.
static void add_forces(const struct penetration *p, const struct penetration_contact *c,
                       const struct contact_stage *stage, struct contact_record *record) {
    struct contact_report *const r = stage->report;
    for (int k = 0; k < c->point_count; k++) {
        const size_t point = c->points[k];
        struct contact_load *load = &r->loads[p->mesh.part[point]];
        double force[3];
        scale3(-stage->impulse_fraction * c->closest.weight[k], c->gradient, force);
        contact_load_add(load, load->force, p->points + 3 * point, force);
        add3(r->point_forces + 3 * point, force, r->point_forces + 3 * point);
    }
    scale3(-stage->impulse_fraction, c->gradient, record->force);
    if (c->obstacle != CONTACT_NO_WALL) {
        struct contact_load *load = &r->loads[p->obstacles[c->obstacle].part];
        double opposite[3];
        scale3(stage->impulse_fraction, c->gradient, opposite);
        contact_load_add(load, load->force, p->points + 3 * (size_t)c->points[0], opposite);
    }
}

/// Returns the record of a contact: one for each point and the body or obstacle around it, in the
/// order of the contacts.
static struct contact_record record_of(const struct penetration *p,
                                       const struct penetration_contact *c, uint32_t owner) {
    const bool is_obstacle = c->obstacle != CONTACT_NO_WALL;
    struct contact_record record = {.contact = owner,
                                    .kind = PAIR_POINT_POINT,
                                    .point_count = c->point_count,
                                    .wall = c->obstacle,
                                    .first = is_obstacle ? c->obstacle : c->points[0],
                                    .second = is_obstacle ? c->points[0]
                                                          : p->mesh.part[c->points[1]]};
    memcpy(record.points, c->points, sizeof record.points);
    return record;
}

// --- friction ---

static double friction_of(const struct penetration *p, const struct penetration_contact *c) {
    const struct collision_part *const parts = p->mesh.parts;
    const struct surface *const first = &parts[p->mesh.part[c->points[0]]].surface;
    return friction_between(p->friction_table, first,
                            c->obstacle != CONTACT_NO_WALL
                                ? &p->obstacles[c->obstacle].surface
                                : &parts[p->mesh.part[c->points[1]]].surface);
}

static void fill_friction(const struct penetration *p, const struct penetration_contact *c,
                          double impulse_fraction, struct friction_candidate *candidate,
                          struct friction_contact *friction) {
    *candidate = (struct friction_candidate){.obstacle = c->obstacle,
                                             .point_count = c->point_count};
    *friction = (struct friction_contact){.force = impulse_fraction * norm3(c->gradient),
                                          .friction = friction_of(p, c)};
    memcpy(candidate->points, c->points, sizeof candidate->points);
    memcpy(candidate->weight, c->closest.weight, sizeof candidate->weight);
    copy3(c->normal, friction->normal);
    for (int k = 0; k < c->point_count; k++) {
        copy3(p->points + 3 * (size_t)c->points[k], candidate->positions[k]);
    }
    friction_contact_set_nodes(&p->mesh, candidate->points, candidate->weight,
                               candidate->point_count, friction);
    if (c->obstacle != CONTACT_NO_WALL) {
        obstacle_velocity(&p->obstacles[c->obstacle].target, candidate->positions[0],
                          friction->moving);
    }
}

/// Lists the friction candidates of a stage. Replaces those of an earlier report of the same stage.
static pbs_status list_frictions(struct penetration *p, double impulse_fraction) {
    const size_t most = p->committed_count + p->contact_capacity;
    p->friction_candidate_count = p->committed_count;
    RETURN_IF_FAILED(memory_reserve(p->memory, &p->friction_candidates,
                                    &p->friction_candidate_capacity, most,
                                    sizeof *p->friction_candidates));
    RETURN_IF_FAILED(memory_reserve(p->memory, &p->frictions, &p->friction_capacity, most,
                                    sizeof *p->frictions));
    for (size_t i = 0; i < p->contact_count; i++) {
        if (friction_of(p, &p->contacts[i]) > 0.0) {
            fill_friction(p, &p->contacts[i], impulse_fraction,
                          &p->friction_candidates[p->friction_candidate_count],
                          &p->frictions[p->friction_candidate_count]);
            p->friction_candidate_count++;
        }
    }
    return PBS_OK;
}

static void begin_step(void *self) {
    struct penetration *p = self;
    p->friction_candidate_count = p->committed_count = 0;
}

/// Forces are weighted by the stages' fractions of the step's impulse, so that all of them act for
/// the same time.
static void accumulate_impulses(void *self, double time, bool first) {
    struct penetration *p = self;
    (void)time;
    (void)first;
    p->committed_count = p->friction_candidate_count;
}

static struct contact_record record_of_friction_candidate(
    const struct penetration *p, const struct friction_candidate *candidate, uint32_t owner) {
    const bool is_obstacle = candidate->obstacle != CONTACT_NO_WALL;
    return (struct contact_record){
        .contact = owner,
        .kind = PAIR_POINT_POINT,
        .wall = candidate->obstacle,
        .first = is_obstacle ? candidate->obstacle : candidate->points[0],
        .second = is_obstacle ? candidate->points[0] : p->mesh.part[candidate->points[1]]};
}

/// Adds the friction impulse to the loads of parts and to the record that the stage has reported.
static void report_friction(const struct penetration *p, size_t index,
                            const struct friction_input *input, size_t *at) {
    const struct friction_candidate *const candidate = &p->friction_candidates[index];
    struct contact_report *const r = input->report;
    const struct contact_record key = record_of_friction_candidate(p, candidate, input->contact);
    struct contact_record *record = contact_report_find(r, &key, at);
    double force[3];
    if (record == NULL) { // records of the next stage: search from the start
        *at = 0;
        record = contact_report_find(r, &key, at);
    }
    scale3(1.0 / input->time, p->frictions[index].impulse, force);
    if (record != NULL) {
        add3(record->friction, force, record->friction);
    }
    for (int k = 0; k < candidate->point_count; k++) {
        struct contact_load *load = &r->loads[p->mesh.part[candidate->points[k]]];
        double own[3];
        scale3(candidate->weight[k], force, own);
        contact_load_add(load, load->friction, candidate->positions[k], own);
    }
    if (candidate->obstacle != CONTACT_NO_WALL) {
        struct contact_load *load = &r->loads[p->obstacles[candidate->obstacle].part];
        scale3(-1.0, force, force);
        contact_load_add(load, load->friction, candidate->positions[0], force);
    }
}

static double apply_friction(void *self, const struct friction_input *input) {
    struct penetration *p = self;
    const struct friction_motion motion = {.mass = input->mass,
                                           .constrained_axes = input->constrained_axes,
                                           .h = input->time,
                                           .velocity = input->velocity};
    const double loss = impulse_friction(&motion, p->frictions, p->friction_candidate_count);
    size_t at = 0;
    for (size_t i = 0; i < p->friction_candidate_count; i++) {
        report_friction(p, i, input, &at);
    }
    p->friction_candidate_count = p->committed_count = 0;
    return loss * input->h / input->time;
}

// --- report ---

static pbs_status report(void *self, struct tasks *tasks, const struct contact_stage *stage) {
    struct penetration *p = self;
    struct contact_merging merging;
    RETURN_IF_FAILED(penetration_find(p, tasks, stage->x));
    RETURN_IF_FAILED(contact_merge_begin(stage->memory, p->contact_count, stage->report, &merging));
    for (size_t i = 0; i < p->contact_count; i++) {
        struct contact_record record = record_of(p, &p->contacts[i], stage->contact);
        if (stage->impulse_fraction != 0.0) {
            add_forces(p, &p->contacts[i], stage, &record);
        }
        contact_merge_next(&merging, &record);
    }
    contact_merge_end(&merging);
    return stage->impulse_fraction != 0.0 ? list_frictions(p, stage->impulse_fraction) : PBS_OK;
}

static size_t count(const void *self) {
    const struct penetration *p = self;
    return p->contact_count;
}

static const struct collision_mesh *mesh_of(const void *self) {
    const struct penetration *p = self;
    return &p->mesh;
}

static void geometry_of_obstacle(const struct penetration *p, const struct contact_record *record,
                                 struct contact_geometry *out) {
    const struct obstacle *o = &p->obstacles[record->wall].target;
    const double *const x = p->points + 3 * (size_t)record->points[0];
    out->gap = shape_distance(&o->shape, &o->pose, x, out->normal, NULL);
    const double slope = norm3(out->normal);
    scale3(slope > 0.0 ? 1.0 / slope : 0.0, out->normal, out->normal);
}

static void geometry_of_pair(const struct penetration *p, const struct contact_record *record,
                             struct contact_geometry *out) {
    const enum pair_kind kind = record->point_count == 4   ? PAIR_POINT_TRIANGLE
                                : record->point_count == 3 ? PAIR_POINT_EDGE
                                                           : PAIR_POINT_POINT;
    const double *x[PAIR_NODES] = {NULL};
    for (int k = 0; k < record->point_count; k++) {
        x[k] = p->points + 3 * (size_t)record->points[k];
    }
    const struct closest closest = closest_points(kind, x);
    const double depth = sqrt(closest.squared);
    out->gap = -depth;
    scale3(depth > 0.0 ? -1.0 / depth : 0.0, closest.r, out->normal);
    for (int k = 0; k < record->point_count; k++) {
        out->weight[k] = fabs(closest.weight[k]);
    }
}

static void geometry(const void *self, const struct contact_report *r,
                     const struct contact_record *record, const double *x,
                     struct contact_geometry *out) {
    const struct penetration *p = self;
    (void)r;
    (void)x;
    *out = (struct contact_geometry){
        .part = {p->mesh.part[record->points[0]], part_of_second(p, record)},
        .count = {1, record->point_count - 1},
        .weight = {1.0}};
    for (int k = 0; k < record->point_count; k++) {
        out->vertex[k] = p->mesh.vertex[record->points[k]];
    }
    if (record->wall != CONTACT_NO_WALL) {
        geometry_of_obstacle(p, record, out);
    } else {
        geometry_of_pair(p, record, out);
    }
    copy3(p->points + 3 * (size_t)record->points[0], out->point[0]);
    add_scaled3(out->point[0], -out->gap, out->normal, out->point[1]);
}

static void end_step(const void *self, const struct contact_report *r, double *node_forces) {
    const struct penetration *p = self;
    contact_report_add_node_forces(&p->mesh, r, node_forces);
}

// --- power ---

static uint32_t node_of(const struct penetration *p, uint32_t point) {
    return p->mesh.node[point];
}

/// Returns the power that a moving obstacle supplies, W.
static double obstacle_power(const struct penetration *p, const struct penetration_contact *c,
                             bool is_continued) {
    double v[3];
    obstacle_mean_velocity(&p->obstacles[c->obstacle].target, is_continued,
                           p->points + 3 * (size_t)c->points[0], v);
    return -dot3(c->gradient, v);
}

static void visit(const void *self, const struct contact_motion *motion,
                  const struct contact_visitor *visitor) {
    const struct penetration *p = self;
    for (size_t i = 0; i < p->contact_count; i++) {
        const struct penetration_contact *c = &p->contacts[i];
        const bool is_obstacle = c->obstacle != CONTACT_NO_WALL;
        const struct contact_power power = {
            .nodes = {node_of(p, c->points[0]),
                      is_obstacle ? CONTACT_NO_NODE : node_of(p, c->points[1])},
            .potential = c->energy,
            .obstacle_power = is_obstacle && motion != NULL
                                  ? obstacle_power(p, c, motion->is_continued)
                                  : 0.0};
        visitor->visit(visitor->context, &power);
    }
}

const struct contact_table penetration_table = {
    .name = "penetration",
    .begin_step = begin_step,
    .begin_motion = begin_motion,
    .evaluate = evaluate,
    .linearize = linearize,
    .add_motion = add_motion,
    .report = report,
    .count = count,
    .mesh = mesh_of,
    .geometry = geometry,
    .visit = visit,
    .accumulate_impulses = accumulate_impulses,
    .apply_friction = apply_friction,
    .end_step = end_step,
};
