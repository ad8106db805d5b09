// The terms that bodies add to a model, and lists of those of their parts that are used outside the
// terms: bonds that may break, and rotations. Kinds of body fill these lists (struct body_table).
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_OBJECTS_BODY_TERMS_H
#define PBS_WORLD_OBJECTS_BODY_TERMS_H

#include "base/runtime/tasks.h"
#include "energy/damping/spring_damping.h"
#include "energy/damping/strain_damping.h"
#include "energy/term.h"
#include "integrate/states/rotations.h"
#include "world/objects/scene.h"

/// Functions of a term of bonds for the code that breaks them (src/world/breaking). Bonds are
/// numbered from 0 in each term, body by body in order of creation.
struct bond_term_table {
    bool (*has_limits)(const void *self);
    /// Marks every bond that may be above its strength at x. An evaluation of the term at x has the
    /// same effect.
    void (*mark_overloaded)(void *self, struct tasks *tasks, size_t domain_count, const double *x,
                            const double *orientations);
    const uint8_t *(*overloaded)(void *self); ///< per bond, 1 if it was marked; null: none
    bool (*is_broken)(const void *self, size_t bond);
    void (*set_broken)(void *self, size_t bond, bool broken);
    /// Subtracts the forces of a broken bond from a gradient at x. Returns false if they are
    /// unknown; null: always unknown.
    bool (*remove_gradient)(const void *self, size_t bond, const uint32_t nodes[2], const double *x,
                            double *gradient);
    bool softens; ///< the bonds have a history (struct history_table)
};

struct bond_term {
    const struct bond_term_table *table;
    void *self; ///< owned by a term
    const struct body_table *kind;
    int32_t form; ///< the term has the bonds of bodies of `kind` whose bond_form is this
};

enum { BOND_TERM_LIMIT = 4, BOND_KIND_LIMIT = 2 };

/// Functions of a term whose elements have a history: values that change only when a state is
/// accepted, such as the remaining stiffness of bonds that soften, or the plastic strain of
/// tetrahedra. During a call the term has them, between calls the bodies.
struct history_table {
    /// The number of the body's elements in the term. They follow those of the bodies before it.
    size_t (*count)(const void *self, const struct body *body);
    /// Updates the histories for the state x, accepted at the end of a step of h seconds. Returns
    /// the energy that this dissipates, J.
    double (*update)(void *self, struct tasks *tasks, size_t domain_count, const double *x,
                     double h);
    /// Copy the histories of the body's elements, which begin at `first`, to the body or from it.
    void (*read)(const void *self, size_t first, struct body *body);
    void (*write)(void *self, size_t first, const struct body *body);
    /// Save a copy of all histories, for a step that may be undone; return to it.
    void (*save)(void *self);
    void (*restore)(void *self);
    bool changes_forces; ///< an update that dissipates energy changes the forces at x
};

struct history_term {
    const struct history_table *table;
    void *self; ///< owned by a term
};

enum { HISTORY_TERM_LIMIT = 8 };

/// Arrays for the rotations of all bodies in order: node, radius, and the orientation, which is
/// loaded from the bodies. To be released.
struct rotation_arrays {
    uint32_t *node;
    double *radius, *orientation;
};

/// The elements that a body has in a term.
struct term_part {
    const struct term *term;
    const struct stencil_groups *groups;
    size_t first, count;
};

/// The dashpots along bonds of the damped bodies of one kind.
struct bond_damping {
    const struct body_table *kind; ///< null: there are none
    struct spring_damping *self;   ///< owned by a term
};

struct body_terms {
    struct memory *memory;
    struct term *terms;
    size_t count, capacity;
    size_t element_count;
    struct bond_term bonds[BOND_TERM_LIMIT];
    size_t bond_count;
    struct history_term histories[HISTORY_TERM_LIMIT];
    size_t history_count;
    struct bond_damping bond_damping[BOND_KIND_LIMIT];
    size_t bond_damping_count;
    struct rotation_arrays rotation_arrays;
    struct rotations rotations;
};

/// Adds a term, which the list then owns. On failure the term is destroyed.
pbs_status body_terms_add(struct body_terms *out, struct term term);

/// Allocates positions at rest in node order, 0 for nodes without one; to be released.
/// PBS_ERROR_MEMORY.
pbs_status body_terms_rest(const struct scene *scene, struct memory *memory, double **out);

// --- damping by the rate of strain ---

/// A shape in addition to STRAIN_*: a dashpot along a line.
enum { STRAIN_LINE = STRAIN_HANDLES + 1, STRAIN_SHAPES };

/// Damped elements of one shape, in the order of bodies.
struct damped {
    uint32_t width; ///< nodes per element
    uint32_t *nodes;
    double *gradients;
    double *mu, *lambda; ///< J s; for lines mu is in N s/m
    uint8_t *broken;
};

/// The damped elements of a kind of body.
struct damped_elements {
    int32_t shape; ///< STRAIN_*
    uint32_t width;
    size_t (*count)(const struct body *body);
    /// Writes element k of the body as element `at` of all.
    void (*gather)(const struct body *body, size_t k, size_t at, const struct damped *out);
};

/// Writes the nodes of element `at`. own: `width` node indices within the body.
void damped_put_nodes(const struct body *body, const uint32_t *own, size_t at,
                      const struct damped *out);

#endif
