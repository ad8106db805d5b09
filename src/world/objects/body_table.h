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

enum { SAVED_VALUES = 5 };

/// Arrays of one body as they come from the bytes; released when its description has been copied.
struct saved_arrays {
    double *positions, *masses, *radii, *contact_radii, *vertices, *values[SAVED_VALUES];
    uint32_t *indices, *edges, *tets;
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

/// The body's memory; its nodes are the scene's.
void body_free(struct body *body, struct memory *memory);

#endif
