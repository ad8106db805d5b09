// See settings.h.
// SPDX-License-Identifier: MIT
#include "world/interface/settings.h"

#include <string.h>

#include "pbs/pbs.h"

// A larger struct_size is refused as garbage, so that no memory beyond the host's struct is read.
enum { SIZE_LIMIT = 16384 };

// first_size is given if a struct has grown since its first release; so far none has.
#define KIND(type)                                                                                 \
    { #type, sizeof(type), sizeof(type) }
const struct settings_kind settings_world = KIND(pbs_world_desc);
const struct settings_kind settings_expert = KIND(pbs_expert_desc);
const struct settings_kind settings_solid = KIND(pbs_solid_desc);
const struct settings_kind settings_shell = KIND(pbs_shell_desc);
const struct settings_kind settings_springs = KIND(pbs_springs_desc);
const struct settings_kind settings_affine = KIND(pbs_affine_desc);
const struct settings_kind settings_bonded = KIND(pbs_bonded_desc);
const struct settings_kind settings_peridynamic = KIND(pbs_peridynamic_desc);
const struct settings_kind settings_bond_load = KIND(pbs_bond_load);
const struct settings_kind settings_broken_bond = KIND(pbs_broken_bond);
const struct settings_kind settings_fragment = KIND(pbs_fragment);
const struct settings_kind settings_fracture_surface = KIND(pbs_fracture_surface);
const struct settings_kind settings_custom = KIND(pbs_custom_desc);
const struct settings_kind settings_contact = KIND(pbs_contact_desc);
const struct settings_kind settings_ray = KIND(pbs_ray_desc);
const struct settings_kind settings_cast = KIND(pbs_cast_desc);
const struct settings_kind settings_closest = KIND(pbs_closest_desc);
const struct settings_kind settings_surface_point = KIND(pbs_surface_point);
const struct settings_kind settings_overlap = KIND(pbs_overlap_desc);
const struct settings_kind settings_overlap_row = KIND(pbs_overlap);
const struct settings_kind settings_separate = KIND(pbs_separate_desc);
const struct settings_kind settings_separation = KIND(pbs_separation);
const struct settings_kind settings_grid_desc = KIND(pbs_grid_desc);
const struct settings_kind settings_grid = KIND(pbs_grid);
const struct settings_kind settings_contact_row = KIND(pbs_contact);
const struct settings_kind settings_contact_force = KIND(pbs_contact_force);
const struct settings_kind settings_collider = KIND(pbs_collider_desc);
const struct settings_kind settings_integrator = KIND(pbs_integrator_desc);
const struct settings_kind settings_system = KIND(pbs_system_desc);
const struct settings_kind settings_energy = KIND(pbs_energy);
const struct settings_kind settings_stats = KIND(pbs_stats);
const struct settings_kind settings_dense_stats = KIND(pbs_dense_stats);
const struct settings_kind settings_linear_solver = KIND(pbs_linear_solver);
const struct settings_kind settings_point = KIND(pbs_point);
const struct settings_kind settings_joint = KIND(pbs_joint_desc);
const struct settings_kind settings_joint_state = KIND(pbs_joint_state);
const struct settings_kind settings_region = KIND(pbs_region_desc);
const struct settings_kind settings_region_row = KIND(pbs_region_row);
const struct settings_kind settings_sensor_event = KIND(pbs_sensor_event);
const struct settings_kind settings_debug = KIND(pbs_debug_desc);
const struct settings_kind settings_debug_point = KIND(pbs_debug_point);
const struct settings_kind settings_contact_event = KIND(pbs_contact_event);
const struct settings_kind settings_broken_joint = KIND(pbs_broken_joint);
const struct settings_kind settings_weld = KIND(pbs_weld_desc);
const struct settings_kind settings_embedding = KIND(pbs_embedding_desc);
const struct settings_kind settings_motion = KIND(pbs_motion);
const struct settings_kind settings_pressure = KIND(pbs_pressure_desc);
const struct settings_kind settings_wind = KIND(pbs_wind_desc);
const struct settings_kind settings_mesh = KIND(pbs_mesh);

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static pbs_status check_size(const struct settings_kind *kind, const void *host, size_t size) {
    if (host == NULL) {
        return status_fail(PBS_ERROR_ARGUMENT, "the pointer to %s is null", kind->name);
    }
    if (size < kind->first_size || size > SIZE_LIMIT) {
        return status_fail(PBS_ERROR_STRUCT_SIZE,
                           "%s.struct_size is %zu, must be %zu as in this library's header",
                           kind->name, size, kind->size);
    }
    return PBS_OK;
}

static uint32_t stated_size(const void *host) {
    uint32_t size = 0;
    if (host != NULL) {
        memcpy(&size, host, sizeof size);
    }
    return size;
}

pbs_status settings_init(const struct settings_kind *kind, void *host, size_t struct_size,
                         const void *defaults) {
    RETURN_IF_FAILED(check_size(kind, host, struct_size));
    if (struct_size > kind->size) {
        return status_fail(PBS_ERROR_STRUCT_SIZE,
                           "struct_size of %s is %zu, but this library knows only %zu bytes of it",
                           kind->name, struct_size, kind->size);
    }
    memcpy(host, defaults, struct_size);
    const uint32_t size = (uint32_t)struct_size;
    memcpy(host, &size, sizeof size);
    return PBS_OK;
}

pbs_status settings_read(const struct settings_kind *kind, const void *host, void *own) {
    const size_t size = stated_size(host);
    RETURN_IF_FAILED(check_size(kind, host, size));
    const unsigned char *bytes = host;
    for (size_t i = kind->size; i < size; i++) {
        if (bytes[i] != 0) {
            return status_fail(PBS_ERROR_STRUCT_SIZE,
                               "byte %zu of %s is %u, but this library knows only %zu bytes of it",
                               i, kind->name, (unsigned)bytes[i], kind->size);
        }
    }
    memcpy(own, host, smaller(size, kind->size));
    const uint32_t known = (uint32_t)kind->size;
    memcpy(own, &known, sizeof known);
    return PBS_OK;
}

pbs_status results_check(const struct settings_kind *kind, const void *host) {
    return check_size(kind, host, stated_size(host));
}

pbs_status results_write(const struct settings_kind *kind, const void *own, void *host) {
    const uint32_t size = stated_size(host);
    RETURN_IF_FAILED(check_size(kind, host, size));
    memset(host, 0, size);
    memcpy(host, own, smaller(size, kind->size));
    memcpy(host, &size, sizeof size);
    return PBS_OK;
}

pbs_status row_size_check(const struct settings_kind *kind, size_t row_size) {
    if (row_size < kind->first_size || row_size > SIZE_LIMIT) {
        return status_fail(PBS_ERROR_STRUCT_SIZE,
                           "struct_size of %s is %zu, must be %zu as in this library's header",
                           kind->name, row_size, kind->size);
    }
    return PBS_OK;
}

pbs_status rows_begin(const struct settings_kind *kind, size_t row_size, const void *dst,
                      size_t *count, size_t there_are, const char *things) {
    if (count == NULL) {
        return status_fail(PBS_ERROR_ARGUMENT, "count is null");
    }
    RETURN_IF_FAILED(row_size_check(kind, row_size));
    const size_t room = *count;
    *count = there_are;
    if (dst != NULL && room < there_are) {
        return status_fail(PBS_ERROR_CAPACITY, "count is %zu %s, but there are %zu", room, things,
                           there_are);
    }
    return PBS_OK;
}

void row_write(const struct settings_kind *kind, const void *own, size_t row_size, void *host) {
    memset(host, 0, row_size);
    memcpy(host, own, smaller(row_size, kind->size));
}
