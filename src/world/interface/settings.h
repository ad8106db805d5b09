// The struct_size rule of all settings and results structs, in one place: min(size) is copied over
// the library's own defaults; bytes that this library does not know must be zero; results are
// filled as far as the caller's struct reaches.
#ifndef PBS_WORLD_INTERFACE_SETTINGS_H
#define PBS_WORLD_INTERFACE_SETTINGS_H

#include "base/runtime/status.h"

/// A struct of the public API. All begin with uint32_t struct_size.
struct settings_kind {
    const char *name;  ///< "pbs_world_desc"
    size_t size;       ///< what this library knows
    size_t first_size; ///< what the first release had: no caller has less
};

/// Fills a host's struct of struct_size bytes with defaults (a struct of kind->size).
pbs_status settings_init(const struct settings_kind *kind, void *host, size_t struct_size,
                         const void *defaults);

/// Copies a host's settings over `own`, which holds defaults. own's struct_size stays kind->size.
pbs_status settings_read(const struct settings_kind *kind, const void *host, void *own);

/// Whether a host's results struct can be written; for use before long work.
pbs_status results_check(const struct settings_kind *kind, const void *host);

/// Copies results to the host's struct, whose struct_size it has set; what this library does not
/// know becomes zero.
pbs_status results_write(const struct settings_kind *kind, const void *own, void *host);

/// Arrays of a kind without struct_size, as a call's own parameter says how large a row is.
pbs_status row_size_check(const struct settings_kind *kind, size_t row_size);
/// Rows that a host asks for: *count, the room that it has, becomes how many there are.
/// PBS_ERROR_CAPACITY, with the word for them, where dst is too short; where it is null none are to
/// be written.
pbs_status rows_begin(const struct settings_kind *kind, size_t row_size, const void *dst,
                      size_t *count, size_t there_are, const char *things);
/// Copies a row, after such a check; what this library does not know becomes zero.
void row_write(const struct settings_kind *kind, const void *own, size_t row_size, void *host);

extern const struct settings_kind settings_world, settings_expert, settings_solid, settings_shell,
    settings_springs, settings_affine, settings_bonded, settings_peridynamic, settings_bond_load,
    settings_broken_bond, settings_fragment, settings_fracture_surface, settings_custom,
    settings_collider, settings_integrator, settings_system, settings_energy, settings_stats,
    settings_dense_stats, settings_linear_solver, settings_contact, settings_ray, settings_closest,
    settings_surface_point, settings_contact_force, settings_contact_row, settings_overlap,
    settings_overlap_row, settings_separate, settings_separation, settings_grid_desc, settings_grid,
    settings_point, settings_joint, settings_joint_state, settings_broken_joint;

#endif
