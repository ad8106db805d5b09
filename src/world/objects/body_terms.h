// Terms that bodies add to a model, and what is kept of them beside the list: bonds that may break,
// and rotations. Kinds of body fill this (struct body_table).
#ifndef PBS_WORLD_OBJECTS_BODY_TERMS_H
#define PBS_WORLD_OBJECTS_BODY_TERMS_H

#include "base/runtime/tasks.h"
#include "energy/damping/spring_damping.h"
#include "energy/damping/strain_damping.h"
#include "energy/term.h"
#include "integrate/states/rotations.h"
#include "world/objects/scene.h"

/// What a term of bonds answers whoever breaks them. Bonds count from 0 in each term, body by body
/// in order of creation.
struct bond_term_table {
    bool (*has_limits)(const void *self);
    /// Marks every bond that may bear too much at x; terms that have been evaluated there have done
    /// so.
    void (*mark_overloaded)(void *self, struct tasks *tasks, size_t domain_count, const double *x,
                            const double *orientations);
    const uint8_t *(*overloaded)(void *self); ///< by bond, 1 where it was marked; null: none
    bool (*is_broken)(const void *self, size_t bond);
    void (*set_broken)(void *self, size_t bond, bool broken);
    /// Takes the forces of a bond that broke off a gradient at x; false, or null: unknown.
    bool (*remove_gradient)(const void *self, size_t bond, const uint32_t nodes[2], const double *x,
                            double *gradient);
    // Of bonds that soften; null of others:
    /// The state x is accepted; returns what that takes out, J.
    double (*update_history)(void *self, struct tasks *tasks, size_t domain_count, const double *x);
    /// What remains of the bonds from `first` on is the body's, or becomes it.
    void (*read_remaining)(void *self, size_t first, struct body *body);
    void (*write_remaining)(void *self, size_t first, const struct body *body);
    void (*save_history)(void *self);
    void (*restore_history)(void *self);
};

struct bond_term {
    const struct bond_term_table *table;
    void *self; ///< a term owns it
    const struct body_table *kind;
    int32_t form; ///< bodies of that kind whose bonds are of that form
};

enum { BOND_TERM_LIMIT = 4 };

/// The rotations of all bodies in their order: room for them, and what they are. The arrays are to
/// be released; orientations are loaded.
struct rotation_arrays {
    uint32_t *node;
    double *radius, *orientation;
};

struct body_terms {
    struct memory *memory;
    struct term *terms;
    size_t count, capacity;
    size_t element_count;
    struct bond_term bonds[BOND_TERM_LIMIT];
    size_t bond_count;
    struct spring_damping *bond_damping; ///< of bonds with damping; null: none
    struct rotation_arrays rotation_arrays;
    struct rotations rotations;
};

/// Becomes the list's; on failure it is destroyed.
pbs_status body_terms_add(struct body_terms *out, struct term term);

/// Positions at rest in node order, to be released; 0 of nodes without. PBS_ERROR_MEMORY.
pbs_status body_terms_rest(const struct scene *scene, struct memory *memory, double **out);

// --- damping by the rate of strain ---

/// Beside STRAIN_*: a dashpot along a line.
enum { STRAIN_LINE = STRAIN_HANDLES + 1, STRAIN_SHAPES };

/// Arrays of elements of one shape, in the order of bodies.
struct damped {
    uint32_t width; ///< nodes of an element
    uint32_t *nodes;
    double *gradients;
    double *mu, *lambda; ///< J s; of springs mu is N s/m
    uint8_t *broken;
};

/// Elements of a kind of body that its damping acts on.
struct damped_elements {
    int32_t shape; ///< STRAIN_*
    uint32_t width;
    size_t (*count)(const struct body *body);
    /// Writes element k as the at-th of all.
    void (*gather)(const struct body *body, size_t k, size_t at, const struct damped *out);
};

/// own: nodes of the body, `width` of them.
void damped_put_nodes(const struct body *body, const uint32_t *own, size_t at,
                      const struct damped *out);

#endif
