// Saves a world: the descriptions as the host gave them, and then the state (saved_state.c). Data
// that follow from these (masses, surfaces, matrices) are computed again by the restore.
#include "world/snapshots/saved_collider.h"
#include "world/snapshots/saved_joint.h"
#include "world/snapshots/saved_state.h"
#include "world/snapshots/snapshot.h"

#include <string.h>

#include "world/interface/byte_stream.h"
#include "world/interface/check.h"
#include "world/objects/body_table.h"
#include "world/objects/collider.h"
#include "world/regions/sensor.h"
#include "world/world.h"

static void write_settings(struct byte_writer *out, const pbs_world_desc *d,
                           const pbs_expert_desc *expert) {
    write_doubles(out, d->gravity, 3);
    const int32_t choices[] = {expert->method,
                               expert->line_search,
                               expert->project_hessian,
                               expert->initial_guess,
                               expert->preconditioner,
                               expert->preconditioner_order,
                               expert->allow_unconverged,
                               d->contact,
                               expert->barrier,
                               expert->velocity_rule,
                               expert->adaptive_stiffness,
                               d->processor_independent,
                               expert->assembly,
                               expert->alignment,
                               d->body_contact};
    write_bytes(out, choices, sizeof choices);
    write_u32(out, d->newton_limit);
    write_u32(out, expert->linear_limit);
    write_u32(out, d->divisions);
    write_u32(out, d->friction_iterations);
    write_u32(out, d->fracture_passes);
    write_u32(out, d->fracture_limit);
    write_u32(out, d->impact_steps);
    write_f64(out, d->tolerance);
    write_f64(out, d->relative_tolerance);
    write_f64(out, expert->forcing);
    write_f64(out, expert->step_length_limit);
    write_f64(out, d->contact_distance);
    write_f64(out, d->contact_stiffness);
    write_f64(out, d->slip_velocity);
    write_f64(out, d->velocity_tolerance);
}

static void write_integrator(struct byte_writer *out, const pbs_integrator_desc *d) {
    const int32_t choices[] = {d->scheme,
                               d->start,
                               d->energy_control.alpha_choice,
                               d->energy_control.by_island,
                               d->linearized,
                               d->step_control.kind,
                               d->step_control.rule};
    const double numbers[] = {
        d->energy_control.alpha,    d->energy_control.alpha_min,  d->energy_control.alpha_max,
        d->energy_control.fraction, d->energy_control.ground,     d->energy_control.decay_time,
        d->step_control.tolerance,  d->step_control.initial,      d->step_control.min,
        d->step_control.max,        d->step_control.exponent,     d->step_control.safety,
        d->step_control.growth,     d->step_control.fracture_step};
    write_bytes(out, choices, sizeof choices);
    write_doubles(out, d->parameters, SCHEME_PARAMETERS);
    write_doubles(out, numbers, sizeof numbers / sizeof numbers[0]);
    write_u32(out, d->step_control.fracture_quiet_steps);
}

static void write_slots(struct byte_writer *out, const struct handle_table *table) {
    write_u64(out, table->slot_count);
    for (size_t i = 0; i < table->slot_count; i++) {
        write_u32(out, table->slots[i].generation);
    }
    write_u64(out, table->count);
}

static void write_contact(struct byte_writer *out, const pbs_contact_desc *d) {
    write_u32(out, (uint32_t)d->touches_itself);
    write_f64(out, d->friction);
    write_f64(out, d->offset);
    write_u32(out, d->surface_material);
    write_u32(out, d->group);
    write_u32(out, d->mask);
    write_f64(out, d->rolling_friction);
    write_f64(out, d->spinning_friction);
    write_f64(out, d->penalty_stiffness);
}

static void write_pressure(struct byte_writer *out, const struct body *body) {
    const struct pressure_law *law = &body->pressure;
    write_u32(out, body->has_pressure);
    write_u32(out, (uint32_t)law->kind);
    write_f64(out, law->pressure);
    write_f64(out, law->outside);
    write_f64(out, law->exponent);
    write_f64(out, law->volume);
}

static void write_wind(struct byte_writer *out, const struct body *body) {
    const pbs_wind_desc *d = &body->wind;
    write_u32(out, body->has_wind);
    write_u32(out, (uint32_t)d->sides);
    write_doubles(out, d->velocity, 3);
    write_f64(out, d->density);
    write_f64(out, d->normal_coefficient);
    write_f64(out, d->tangential_coefficient);
}

static void write_bodies(struct byte_writer *out, const struct scene *scene) {
    write_slots(out, &scene->bodies);
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        write_u32(out, body->slot);
        write_u32(out, body->table->id);
        write_contact(out, &body->contact);
        write_f64(out, body->contact_inset);
        write_pressure(out, body);
        write_wind(out, body);
        write_f64(out, body->gravity.scale);
        write_doubles(out, body->gravity.added, 3);
        body->table->write(out, body, &scene->nodes);
    }
}

static void write_joints(struct byte_writer *out, const struct scene *scene) {
    write_slots(out, &scene->joints);
    for (size_t i = 0; i < scene->joints.count; i++) {
        write_u32(out, scene_joint(scene, i)->slot);
        saved_joint_write(out, scene_joint(scene, i));
    }
}

/// Writes the coefficients that the host has set.
static void write_frictions(struct byte_writer *out, const struct friction_table *table) {
    for (uint32_t a = 0; a < PBS_SURFACE_MATERIALS; a++) {
        for (uint32_t b = a; b < PBS_SURFACE_MATERIALS; b++) {
            if (table->is_set[a][b]) {
                write_u32(out, a);
                write_u32(out, b);
                write_f64(out, table->friction[a][b]);
            }
        }
    }
    write_u32(out, PBS_SURFACE_MATERIALS);
}

static void write_sensors(struct byte_writer *out, const struct scene *scene) {
    write_slots(out, &scene->sensors);
    for (size_t i = 0; i < scene->sensors.count; i++) {
        const struct sensor *sensor = scene_sensor(scene, i);
        const pbs_region_desc *d = &sensor->desc;
        write_u32(out, sensor->slot);
        write_u32(out, (uint32_t)d->shape);
        write_doubles(out, d->size, 3);
        write_doubles(out, d->position, 3);
        write_doubles(out, d->orientation, 4);
        write_u32(out, d->group);
        write_u32(out, d->mask);
    }
}

void snapshot_write_descriptions(struct byte_writer *out, const struct scene *scene) {
    write_settings(out, &scene->settings, &scene->expert);
    write_integrator(out, &scene->integrator.settings);
    write_u32(out, scene->stamp);
    write_frictions(out, &scene->frictions);
    write_slots(out, &scene->colliders);
    for (size_t i = 0; i < scene->colliders.count; i++) {
        saved_collider_write(out, scene_collider(scene, i));
    }
    write_bodies(out, scene);
    write_joints(out, scene);
    write_sensors(out, scene);
}

static void write_scene(struct byte_writer *out, const void *saved) {
    snapshot_write_descriptions(out, saved);
    saved_state_write(out, saved);
}

pbs_status pbs_world_save(const pbs_world *w, void *buffer, size_t *size) {
    RETURN_IF_FAILED(world_enter(w));
    world_compact_nodes(w);
    return snapshot_save(write_scene, &w->scene, SNAPSHOT_MAGIC, buffer, size);
}
