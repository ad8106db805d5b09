// The seam of all kinds of body: a kind is a table of functions, and nobody outside asks which kind
// a body is. A new kind is one file in src/world/bodies (or a room of its own) with a table, a line
// in body_table.c, and a constant here.
#ifndef PBS_WORLD_OBJECTS_BODY_TABLE_H
#define PBS_WORLD_OBJECTS_BODY_TABLE_H

#include "world/interface/byte_stream.h"
#include "world/interface/settings.h"
#include "world/objects/body.h"
#include "world/objects/nodes.h"

struct scene;
struct scheme_table;
struct body_terms;
struct damped_elements;

enum { SAVED_VALUES = 5 };

/// Arrays of one body as they come from the bytes; released when its description has been copied.
struct saved_arrays {
    double *positions, *masses, *radii, *contact_radii, *vertices, *values[SAVED_VALUES];
    uint32_t *indices, *edges, *tets;
};

/// Triangles or tetrahedra of a body, its own vertex indices.
struct body_simplices {
    int width; ///< 3 or 4
    size_t count;
    const uint32_t *corners; ///< count x width
};

/// A body's particles in some state.
struct particle_view {
    const double *positions;    ///< x 3
    const double *orientations; ///< x 4; null of those that do not turn
};

enum { BONDS_AT_ONCE = 64 };

/// How far a bond is beyond what it bears.
struct bond_excess {
    bool over;
    double ratio; ///< of the largest to what it bears
};

/// Functions may be null where there is nothing to do.
struct body_table {
    uint32_t id;                          ///< BODY_*
    const struct settings_kind *settings; ///< the struct that describes one
    // --- life ---
    /// d: of that struct. Checks everything, makes the body and appends its nodes; the caller gives
    /// it a slot. On failure the scene is as it was.
    pbs_status (*create)(struct scene *scene, struct memory *memory, const void *d,
                         struct body **out);
    /// PBS_WEAK_BONDS and the like: what is to be said of a body that has been made.
    pbs_status (*warn)(const struct scene *scene, const struct body *body);
    /// What this kind alone allocates.
    void (*free)(struct body *body, struct memory *memory);
    /// PBS_ERROR_ARGUMENT with the reason where a scheme moves no such bodies.
    pbs_status (*check_scheme)(const struct scheme_table *scheme);
    // --- what it is ---
    bool encloses_volume;      ///< its surface is closed, and what is inside belongs to it
    bool has_rayleigh_damping; ///< damping is of forces' derivatives, not of the rate of strain
    bool calls_host;           ///< its energy is a host's callback: nothing is known of it
    // --- terms ---
    /// Of all bodies of the kind; the order of kinds, of terms and of bodies in them decides bits.
    pbs_status (*add_terms)(const struct scene *scene, struct memory *memory,
                            struct body_terms *out);
    const struct damped_elements *damped; ///< what damping by the rate of strain acts on
    // --- what it is made of ---
    double (*stiffest)(const struct body *body);        ///< Pa: the largest modulus
    double (*least_stiffness)(const struct body *body); ///< 1/s^2: see struct objective
    size_t (*count_elements)(const struct body *body);
    /// Elements that must not be inverted or flat.
    struct body_simplices (*list_simplices)(const struct body *body);
    /// All its tetrahedra, in which it has points. Null: it has none.
    struct body_simplices (*list_tets)(const struct body *body);
    /// A place in the body's own coordinates, m, as a sum of its nodes. Null: it has no such
    /// coordinates.
    struct point (*locate)(const struct body *body, const double place[3]);
    // --- bonds between particles ---
    int32_t (*bond_form)(const struct body *body); ///< of struct bond_term; null: always 0
    double (*bond_young)(const struct body *body, size_t bond); ///< Pa
    /// What up to BONDS_AT_ONCE bonds from `first` on bear, as if none of them were broken, and
    /// their energies, J.
    void (*read_loads)(const struct body *body, const struct particle_view *view, size_t first,
                       size_t count, pbs_bond_load *loads, double *energies);
    struct bond_excess (*measure_excess)(const struct body *body, size_t bond,
                                         const pbs_bond_load *load);
    /// s: in which a crack goes from bond to bond (docs/theory/step_control.md section 4); 0:
    /// never.
    double (*crack_step)(const struct nodes *nodes, const struct body *body);
    // --- saving ---
    /// The description, from which `read` makes the body again through the same checks, and what
    /// `resume` wants.
    void (*write)(struct byte_writer *out, const struct body *body, const struct nodes *nodes);
    pbs_status (*read)(struct byte_reader *in, struct memory *memory, struct scene *scene,
                       struct saved_arrays *arrays, struct body **out);
    /// What the body has besides a description, and its nodes.
    pbs_status (*resume)(struct byte_reader *in, struct memory *memory, struct body *body);
};

extern const struct body_table body_table_solid, body_table_custom, body_table_shell,
    body_table_springs, body_table_affine, body_table_bonded, body_table_peridynamic;

/// In the order in which their terms are added; ended by null.
extern const struct body_table *const body_tables[];

/// Null where there is none.
const struct body_table *body_table_find(uint32_t id);

/// A body that is zero but for these; null: no memory. For the `create` of a kind.
struct body *body_allocate(const struct body_table *table, struct memory *memory, size_t node_count,
                           size_t vertex_count);
/// Returns the status of what filled the body: *out = the body, or, if that failed, frees it.
pbs_status body_finish(struct body *body, struct memory *memory, pbs_status status,
                       struct body **out);

/// The body's memory; its nodes are the scene's.
void body_free(struct body *body, struct memory *memory);

#endif
