// A table with one struct per kind of contact (PBS_CONTACT_*): defaults, what the kind permits for
// bodies, colliders and schemes, and functions used between steps. Code calls these functions
// instead of comparing ids. Functions used within a step are in struct contact_table
// (src/contact).
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_CONTACT_SCENES_CONTACT_KIND_H
#define PBS_WORLD_CONTACT_SCENES_CONTACT_KIND_H

#include "contact/barrier/barrier_contact.h"
#include "contact/contact_table.h"
#include "contact/penalty/penalty_contact.h"
#include "world/objects/scene.h"

/// What pbs_world_step and pbs_world_advance do for contact: src/world/stepping/contact_run.h.
/// Runs lie above scenes, so that scenes only pass the pointer on.
struct contact_run;

/// Functions may be null where there is nothing to do.
struct contact_kind {
    int32_t id; ///< PBS_CONTACT_*
    const struct contact_run *run;
    int32_t scheme;         ///< PBS_SCHEME_* of a new world
    bool divides_early;     ///< a step that takes many iterations is not worth going on with
    bool semidefinite;      ///< PBS_HESSIAN_AUTOMATIC projects Hessians to semidefinite
    bool needs_line_search; ///< full steps may lead where no state may be
    bool has_constraints;   ///< obstacles are constraints on nodes (src/contact/projection)
    bool has_distance;      ///< contact acts at a distance > 0, before bodies overlap
    bool has_bodies;        ///< bodies touch each other without being asked to
    bool takes_meshes;      ///< colliders may be meshes
    bool takes_penalties;   ///< collider and body contact may use penalty forces
    /// PBS_ERROR_ARGUMENT with the reason where a scheme cannot move a world with this contact.
    pbs_status (*check_scheme)(const struct scene *scene, const struct scheme_table *scheme);
    /// Whether a body may touch anything; null: all may.
    bool (*touches)(const struct scene *scene, const struct body *body);
    /// Evaluates the contact potential without friction at the current state, and adds its gradient
    /// (node order) if gradient is not null. Builds a temporary contact object. Called only if the
    /// scene has nodes.
    pbs_status (*evaluate)(const struct scene *scene, struct memory *memory, double *gradient,
                           struct contact_energy *out);
    /// Gives a part another friction and material; parts are bodies, then colliders. Null: that
    /// takes contact built anew.
    void (*set_surface)(struct barrier_contact *contact, size_t part,
                        const struct surface *surface);
    // Of contact whose forces are a term of explicit steps:
    pbs_status (*build_term)(const struct scene *scene, struct memory *memory,
                             struct penalty_contact *out);
    /// Evaluates the potential (J) of that term at the current state, with a temporary contact
    /// object.
    pbs_status (*evaluate_term)(const struct scene *scene, struct memory *memory, double *out);
};

extern const struct contact_kind contact_kind_projection, contact_kind_barrier,
    contact_kind_penalty;
extern const struct contact_run contact_run_projection, contact_run_barrier, contact_run_penalty;

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

/// Call the kind's function of the same name. The result is 0 if the kind has no such function or
/// the scene has no nodes.
pbs_status contact_kind_evaluate(const struct scene *scene, struct memory *memory, double *gradient,
                                 struct contact_energy *out);
pbs_status contact_kind_evaluate_term(const struct scene *scene, struct memory *memory,
                                      double *out);

#endif
