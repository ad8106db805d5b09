// Implements the struct_size rule of all settings and results structs. Settings: the host's bytes
// are copied over the library's defaults, and bytes that this library does not know must be zero.
// Results: the host's struct is filled as far as it reaches.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_INTERFACE_SETTINGS_H
#define PBS_WORLD_INTERFACE_SETTINGS_H

#include "base/runtime/status.h"

/// A struct of the public interface. All begin with uint32_t struct_size.
struct settings_kind {
    const char *name;  ///< "pbs_world_desc"
    size_t size;       ///< bytes in this library
    size_t first_size; ///< bytes in the first release; no caller's struct is smaller
};

/// Fills a host's struct of struct_size bytes with defaults (a struct of kind->size).
pbs_status settings_init(const struct settings_kind *kind, void *host, size_t struct_size,
                         const void *defaults);

/// Copies a host's settings over `own`, which contains the defaults. The struct_size of own stays
/// kind->size.
pbs_status settings_read(const struct settings_kind *kind, const void *host, void *own);

/// Checks that a host's results struct can be written; to be called before long computations.
pbs_status results_check(const struct settings_kind *kind, const void *host);

/// Copies results to the host's struct, whose struct_size the host has set. Members that this
/// library does not know become zero.
pbs_status results_write(const struct settings_kind *kind, const void *own, void *host);

/// Checks the size of rows in a host's array. Rows have no struct_size; a parameter of the call
/// gives their size.
pbs_status row_size_check(const struct settings_kind *kind, size_t row_size);
/// Starts to return rows to a host. *count is the capacity of dst on entry, and becomes there_are,
/// the number of rows. PBS_ERROR_CAPACITY, with the word `things` for rows in the message, if dst
/// is too short. If dst is null no rows are to be written.
pbs_status rows_begin(const struct settings_kind *kind, size_t row_size, const void *dst,
                      size_t *count, size_t there_are, const char *things);
/// Copies a row after row_size_check. Members that this library does not know become zero.
void row_write(const struct settings_kind *kind, const void *own, size_t row_size, void *host);

extern const struct settings_kind settings_world, settings_expert, settings_solid, settings_shell,
    settings_springs, settings_affine, settings_bonded, settings_peridynamic, settings_bond_load,
    settings_broken_bond, settings_fragment, settings_fracture_surface, settings_custom,
    settings_collider, settings_integrator, settings_system, settings_energy, settings_stats,
    settings_dense_stats, settings_linear_solver, settings_contact, settings_ray, settings_closest,
    settings_surface_point, settings_contact_force, settings_contact_row, settings_overlap,
    settings_overlap_row, settings_separate, settings_separation, settings_grid_desc, settings_grid,
    settings_point, settings_joint, settings_joint_state, settings_broken_joint, settings_embedding,
    settings_motion, settings_pressure, settings_contact_event, settings_cast, settings_region,
    settings_region_row, settings_sensor_event, settings_debug, settings_debug_point, settings_weld,
    settings_wind, settings_mesh;

#endif
