// The interface of all kinds of body: each kind is a table of functions, and code outside calls the
// table instead of comparing kinds. A new kind is one file in src/world/bodies (or a folder of its
// own) with a table, a line in body_table.c, and a constant of body_kind in body.h.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_OBJECTS_BODY_TABLE_H
#define PBS_WORLD_OBJECTS_BODY_TABLE_H

#include "pbs/properties.h"
#include "world/interface/fields.h"
#include "world/interface/settings.h"
#include "world/objects/body.h"
#include "world/nodes/nodes.h"

struct scene;
struct scheme_table;
struct body_terms;
struct term_part;
struct element_stress;
struct damped_elements;

/// Triangles or tetrahedra of a body, as vertex indices within the body.
struct body_simplices {
    int width; ///< 3 or 4
    size_t count;
    const uint32_t *corners; ///< count x width
};

/// The particles of a body in a given state.
struct particle_view {
    const double *positions;    ///< x 3
    const double *orientations; ///< x 4; null: the particles have no orientations
};

/// Springs between vertices of a body.
struct body_springs {
    size_t count;
    const uint32_t *ends;       ///< count x 2, the body's own vertex indices
    const double *rest_lengths; ///< count, m
};

// --- values that a host changes ---

enum parameter_range {
    // As check_value and its relatives (world/interface/check.h) permit descriptions of new bodies.
    RANGE_POSITIVE,       ///< and at most VALUE_LIMIT
    RANGE_NORMAL,         ///< likewise, and a normal floating-point number
    RANGE_NOT_NEGATIVE,   ///< and at most VALUE_LIMIT
    RANGE_POISSON,        ///< of solids: above -1 and below 0.5
    RANGE_POISSON_FROM_0, ///< likewise, and not negative
    RANGE_POISSON_SHELL,  ///< 0 to 0.5
    RANGE_STRETCH_LIMIT   ///< 0, or above 1 and at most VALUE_LIMIT
};

/// Where a body keeps the values of one PBS_PARAMETER_*, and what they may be.
struct body_parameter {
    const char *name;
    enum parameter_range range;
    size_t count;   ///< number of elements with a value each; 1: the body has one value
    double *value;  ///< the value of all elements if `values` is null; null: `values` never is
    double *values; ///< count; null: all elements have the same value
    const double *in_use; ///< what a host reads in place of `value`; null: that
    double **made; ///< where to put an array that the body has not got; null: it has one or none
};

static inline double parameter_at(const struct body_parameter *parameter, size_t element) {
    return parameter->values != NULL ? parameter->values[element] : *parameter->value;
}

/// What a host reads of it.
static inline double parameter_in_use(const struct body_parameter *parameter, size_t element) {
    return parameter->in_use != NULL ? *parameter->in_use : parameter_at(parameter, element);
}

enum { BOND_BATCH = 64 };

/// The load of a bond compared with its strength.
struct bond_excess {
    bool over;
    double ratio; ///< largest ratio of a stress or strain to its limit
};

/// Functions may be null if there is nothing to do.
struct body_table {
    uint32_t id;                          ///< BODY_*
    const struct settings_kind *settings; ///< kind of the struct that describes such a body
    // --- creation ---
    /// d: the struct of `settings`. Checks everything, makes the body and appends its nodes; the
    /// caller gives it a slot. On failure the scene is unchanged.
    pbs_status (*create)(struct scene *scene, struct memory *memory, const void *d,
                         struct body **out);
    /// The description that makes the body again, a struct of `settings`. Its arrays are the body's
    /// and the nodes'. Null: particles that hosts have made in several ways.
    void (*describe)(const struct body *body, const struct nodes *nodes, void *out);
    /// Returns a warning about a body that has been made, such as PBS_WEAK_BONDS.
    pbs_status (*warn)(const struct scene *scene, const struct body *body);
    /// Frees what only this kind allocates.
    void (*free)(struct body *body, struct memory *memory);
    /// PBS_ERROR_ARGUMENT with the reason if the scheme cannot move such bodies.
    pbs_status (*check_scheme)(const struct scheme_table *scheme);
    // --- properties ---
    int32_t kind;              ///< PBS_BODY_*
    bool encloses_volume;      ///< its surface is closed and bounds its volume
    bool has_rayleigh_damping; ///< damping is Rayleigh's, not by the rate of strain
    bool calls_host;           ///< its energy is a callback of the host
    // --- terms ---
    /// Adds the terms of all bodies of the kind. Results depend, in the last bits, on the order of
    /// kinds, of terms, and of bodies in a term.
    pbs_status (*add_terms)(const struct scene *scene, struct memory *memory,
                            struct body_terms *out);
    const struct damped_elements *damped; ///< elements that are damped by the rate of strain
    // --- values that a host changes ---
    /// Finds a parameter. Returns false if bodies of this kind have no such PBS_PARAMETER_*.
    bool (*find_parameter)(struct body *body, struct nodes *nodes, int32_t id,
                           struct body_parameter *out);
    /// Computes the masses and the force scales of the nodes, and whatever else depends on the
    /// body's parameters, as `create` does. scratch: node_count. PBS_ERROR_ARGUMENT if they are not
    /// positive and finite. Null: nothing depends on them.
    pbs_status (*measure)(struct body *body, struct nodes *nodes, double *scratch);
    /// Writes the body's parameters into its elements of a conservative term that `add_terms` has
    /// added. Null: no such term depends on them.
    void (*write_values)(const struct body *body, const struct term_part *part);
    /// Changes what the body's parameters leave to gravity, m/s^2, and to the forces on it, after
    /// `seconds` of its motion. Returns whether anything changed, which `write_values` is to write
    /// then. x: of the world's nodes. Null: nothing follows forces.
    bool (*follow_forces)(struct body *body, const double *x, const double gravity[3],
                          double seconds);
    /// Changes the same where a step from `start` that ended or failed at `end` has to be repeated.
    /// Null, like the next: nothing ever does.
    bool (*relieve)(struct body *body, const double *start, const double *end);
    /// When the run ends: where it has failed, as it was before. Returns whether anything changed.
    bool (*end_relief)(struct body *body, bool has_failed);
    /// Measures the waves of its material, as means over its elements. Null: it is no material,
    /// and hits as a rigid body does.
    struct body_waves (*measure_waves)(const struct nodes *nodes, const struct body *body);
    // --- elements ---
    /// Refuses positions of the nodes at which the body's energy is infinite by a limit that the
    /// host has set: PBS_ERROR_INADMISSIBLE, with the element. x: node_count x 3. Null: no limits.
    pbs_status (*check_positions)(const struct body *body, const double *x);
    double (*stiffest)(const struct body *body); ///< Pa: the largest modulus
    size_t (*count_elements)(const struct body *body);
    /// Lists the elements that must not be inverted or flat.
    struct body_simplices (*list_simplices)(const struct body *body);
    /// Lists all tetrahedra, in which points can lie (PBS_POINT_TET). Null: there are none.
    struct body_simplices (*list_tets)(const struct body *body);
    struct body_springs (*list_springs)(const struct body *body); ///< null: there are none
    const struct element_stress *stress;                          ///< null: no element has a stress
    /// Returns a point at a position in the body's own coordinates, m. Null: the body has no such
    /// coordinates.
    struct point (*locate)(const struct body *body, const double place[3]);
    // --- bonds between particles ---
    int32_t (*bond_form)(const struct body *body); ///< `form` of struct bond_term; null: always 0
    double (*bond_young)(const struct body *body, size_t bond); ///< Pa
    /// Computes the loads and the energies, J, of up to BOND_BATCH bonds from `first` on, as if
    /// none of them were broken.
    void (*read_loads)(const struct body *body, const struct particle_view *view, size_t first,
                       size_t count, pbs_bond_load *loads, double *energies);
    struct bond_excess (*measure_excess)(const struct body *body, size_t bond,
                                         const pbs_bond_load *load);
    /// s: time in which a crack advances from one bond to the next (docs/theory/step_control.md
    /// section 4); 0: no bond can break.
    double (*crack_step)(const struct nodes *nodes, const struct body *body);
    // --- saving ---
    /// Writes the description, from which `read` makes the body again with the same checks.
    void (*write)(struct byte_writer *out, const struct body *body, const struct nodes *nodes);
    pbs_status (*read)(struct byte_reader *in, struct memory *memory, struct scene *scene,
                       struct body **out);
    const struct field_list *description; ///< what `write` writes, of any struct
    /// The state that is neither in the description nor in the nodes, as a list of struct body.
    /// Null: there is none.
    const struct field_list *state;
    /// Writes what else belongs to the state. Null: nothing does.
    void (*write_more)(struct byte_writer *out, const struct body *body);
    /// Checks the state that was read by `state`, and reads what `write_more` has written. Null:
    /// there is nothing to do.
    pbs_status (*resume)(struct byte_reader *in, struct memory *memory, struct body *body);
    /// The state may be read into a body whose terms were added: `write_values` is then all that
    /// they need.
    bool resumes_in_place;
};

extern const struct body_table body_table_solid, body_table_custom, body_table_shell,
    body_table_springs, body_table_affine, body_table_bonded, body_table_peridynamic;

/// The tables in the order in which their terms are added; the last entry is null.
extern const struct body_table *const body_tables[];

/// Returns null if there is no such table.
const struct body_table *body_table_find(uint32_t id);

/// Find the damping time, the drag and the masses of nodes. Return false for other parameters.
bool body_find_damping(struct body *body, int32_t id, struct body_parameter *out);
bool body_find_drag(struct body *body, int32_t id, struct body_parameter *out);
bool body_find_mass(const struct body *body, struct nodes *nodes, int32_t id,
                    struct body_parameter *out);

/// Allocates a body in which all but these members are zero; for `create` of a table. Returns null
/// if there is no memory.
struct body *body_allocate(const struct body_table *table, struct memory *memory, size_t node_count,
                           size_t vertex_count);
/// The last call of `create`: status is that of the function that filled the body. Sets *out to the
/// body, or frees the body if status is an error. Returns status.
pbs_status body_finish(struct body *body, struct memory *memory, pbs_status status,
                       struct body **out);

/// Writes the state of the body's kind, and reads it into a body that was made from its
/// description.
void body_write_state(struct byte_writer *out, const struct body *body);
pbs_status body_read_state(struct byte_reader *in, struct memory *memory, struct body *body);

/// Frees the body's memory; the scene owns its nodes.
void body_free(struct body *body, struct memory *memory);

#endif
