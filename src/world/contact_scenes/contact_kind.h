// Kinds of contact that a world may have (PBS_CONTACT_*), as rows: what follows from the choice for
// its settings, bodies, colliders and schemes, and what contact does between steps. What contact
// does in a step is struct contact_table's (src/contact), and what a call that moves the world does
// about it is struct run_contact's (src/world/stepping). Nobody asks which kind it is.
#ifndef PBS_WORLD_CONTACT_SCENES_CONTACT_KIND_H
#define PBS_WORLD_CONTACT_SCENES_CONTACT_KIND_H

#include "contact/contact_table.h"
#include "contact/penalty/penalty_contact.h"
#include "world/objects/scene.h"

/// Functions may be null where there is nothing to do.
struct contact_kind {
    int32_t id;             ///< PBS_CONTACT_*
    int32_t scheme;         ///< PBS_SCHEME_* of a new world
    uint32_t divisions;     ///< halvings of a failed step where the host leaves that to the library
    bool semidefinite;      ///< as Hessians are where the host leaves that to the library
    bool needs_line_search; ///< full steps may lead where no state may be
    bool has_constraints;   ///< obstacles are constraints on nodes (src/contact/projection)
    bool has_distance;      ///< bodies touch from a distance on
    bool has_bodies;        ///< bodies touch each other without being asked to
    bool takes_meshes;      ///< colliders may be meshes
    bool takes_penalties;   ///< colliders, and bodies among each other, may be penalties
    /// PBS_ERROR_ARGUMENT with the reason where a scheme cannot move a world with this contact.
    pbs_status (*check_scheme)(const struct scene *scene, const struct scheme_table *scheme);
    /// Whether a body may touch anything; null: all may.
    bool (*touches)(const struct body *body);
    /// Potential and, where it is not null, gradient (node order; added to) at the present state,
    /// without friction, by a contact made for the moment. There are nodes.
    pbs_status (*evaluate)(const struct scene *scene, struct memory *memory, double *gradient,
                           struct contact_energy *out);
    // Of contact whose forces are a term of explicit steps:
    pbs_status (*build_term)(const struct scene *scene, struct memory *memory,
                             struct penalty_contact *out);
    /// J: its potential at the present state, likewise.
    pbs_status (*evaluate_term)(const struct scene *scene, struct memory *memory, double *out);
};

extern const struct contact_kind contact_kind_projection, contact_kind_barrier,
    contact_kind_penalty;

/// Null where there is none.
const struct contact_kind *contact_kind_find(int32_t id);
const struct contact_kind *contact_kind_of(const struct scene *scene);

/// PBS_ERROR_ARGUMENT with the reason where the world's contact does not allow it.
pbs_status contact_kind_check_settings(const pbs_world_desc *d);
/// The same of a PBS_METHOD_*, for settings that contact_kind_check_settings has passed.
pbs_status contact_kind_check_method(const pbs_world_desc *d, int32_t method);
pbs_status contact_kind_check_collider(const pbs_world_desc *world, const pbs_collider_desc *d);
pbs_status contact_kind_check_scheme(const struct scene *scene, const struct scheme_table *scheme);

/// How many bodies touch nothing.
uint32_t contact_kind_count_untouchable(const struct scene *scene);

/// As the row has them; 0 where it has none, or there are no nodes.
pbs_status contact_kind_evaluate(const struct scene *scene, struct memory *memory, double *gradient,
                                 struct contact_energy *out);
pbs_status contact_kind_evaluate_term(const struct scene *scene, struct memory *memory,
                                      double *out);

#endif
