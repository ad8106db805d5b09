// The data that steps compute with and that can be rebuilt from a scene: terms, assembly,
// minimiser, buffers. They are built at the first step after bodies have changed. Pointers into the
// scene's nodes stay valid until bodies change.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_MODEL_SOLVER_H
#define PBS_WORLD_MODEL_SOLVER_H

#include "pbs/joint.h"
#include "contact/barrier/barrier_contact.h"
#include "contact/stiffness/part_loads.h"
#include "contact/penetration/penetration.h"
#include "contact/penalty/penalty_contact.h"
#include "energy/node_terms/dead_loads.h"
#include "energy/evaluate.h"
#include "energy/node_terms/gravity.h"
#include "energy/node_terms/mass_drag.h"
#include "energy/node_terms/precomputed_forces.h"
#include "energy/damping/rayleigh_damping.h"
#include "integrate/stepping/momentum.h"
#include "world/contact_scenes/contact_scale.h"
#include "world/model/bond_breaks.h"
#include "world/objects/body_terms.h"
#include "world/objects/scene.h"

/// The energies of a scene, and the assembly of their derivatives.
struct model {
    struct gravity gravity;
    struct dead_loads loads;
    void *features[FEATURE_COUNT]; ///< what the rows keep of their terms; null: there are none
    struct mass_drag drag;
    double *gravity_mass;   ///< per node, kg; null: gravity acts on all nodes with their masses
    double *gravity_weight; ///< per node, 3, N: of gravity that bodies have besides; null: none
    double *drag_rate;      ///< per node, 1/s; null: no body has drag
    size_t term_count, conservative_count; ///< conservative terms come first, then
                                           ///< those that are lagged, as wind
    struct term *terms;                    ///< the model owns those with a destroy function
    struct assembly assembly;
    bool has_assembly;
    bool has_damping;              ///< some element has a Rayleigh time
    struct free_body *free_bodies; ///< bodies whose energy is invariant under translation
    size_t free_body_count;
    struct rest_shape *rest_shapes; ///< of bodies whose nodes all have rest positions
    size_t rest_shape_count;
    size_t element_count;
    struct penalty_contact penalty; ///< empty with other kinds of contact
    struct precomputed_forces penalty_forces;
    struct bond_term bond_terms[BOND_TERM_LIMIT];
    size_t bond_term_count;
    struct history_term histories[HISTORY_TERM_LIMIT];
    size_t history_count;
    struct bond_damping bond_damping[BOND_KIND_LIMIT]; ///< of bonds with damping
    size_t bond_damping_count;
    struct rotation_arrays rotation_arrays;
    struct rotations rotations; ///< of bonded bodies; steps compute with these copies of the
                                ///< orientations
};

/// A joint that the present call has broken so far.
struct joint_break {
    struct world_joint *joint;
    size_t index;         ///< in solver.joints
    pbs_broken_joint row; ///< what the host reads when the call lands
    double energy;        ///< J, of its spring
};

/// All of them, in the order in which they broke. The joints of the scene learn of it when the call
/// lands; a call that fails makes the joints whole again.
struct joint_breaks {
    struct joint_break *rows;
    size_t count, capacity;
    size_t kept_count; ///< at breaks_save
};

/// Parts of contact whose last joint has broken and that the present call lets collide.
struct joint_releases {
    uint32_t *rows; ///< indices in the mesh's list of joined parts
    size_t count, capacity;
    size_t kept_count; ///< at breaks_save
    double *points;    ///< scratch: positions of the mesh's points
    size_t point_capacity;
};

/// A zero-initialised struct is empty and valid.
struct solver {
    bool is_current; ///< false: bodies changed since it was built
    struct model model;
    struct newton *newton;
    struct step_workspace workspace;
    struct terms_scratch scratch;
    struct rayleigh rayleigh;
    struct projection projection;
    double *prescribed_targets;  ///< node_count x 3
    double *prescribed_velocity; ///< node_count x 3
    struct barrier_contact contact;
    struct penetration penetration;
    struct contact_scale contact_scale; ///< the scale that `contact` was built with
    struct part_load *loads;            ///< scratch, one per part of `contact`
    struct part_motion *part_motions;   ///< likewise
    size_t load_capacity, part_motion_capacity;
    bool contact_is_current; ///< false: bodies or colliders changed since it was built
    bool close_pairs_meet;   ///< the next step begins with new close pairs that meet in it
    bool contact_is_checked; ///< false: the host may have made bodies overlap since the last step
    double contact_energy;   ///< J, at the end of the last step; NaN: unknown
    struct obstacle *obstacles, *obstacles_now;
    size_t obstacle_capacity, obstacle_now_capacity;
    struct contact_set contacts; ///< the contacts of the world's contact kind
    struct contact_coupling coupling;
    struct joint_set joints;            ///< those that are not broken, in order of creation
    struct constraint_set constraints;  ///< of `joints` and of the model's held volumes
    double *constraint_stiffness;       ///< node_count, N/m: see struct stage_nodes; null without
                                        ///< constraints
    bool joints_are_current;            ///< false: joints came, went or changed since `joints` and
                                        ///< `constraints` were built
    struct contact_report report;       ///< of the current step; parts are bodies, then colliders
    uint32_t *node_parts;               ///< node_count: body index of each node
    double *nominal_force, *host_force; ///< N, per body: see reference_body_forces
    double *balance; ///< buffers for the forces that determine an adaptive stiffness
    size_t balance_capacity;
    bool has_step_loads; ///< in the present run loads are step_loads, not the nodes' forces
    double *step_loads;  ///< node_count x 3, N: all of the host's forces in the present step
    size_t step_load_capacity;
    struct bond_breaks breaks;
    struct joint_breaks joint_breaks;
    struct joint_releases joint_releases;
    double *saved_states; ///< states that step doubling restores and compares
    size_t saved_state_capacity;
};

/// Builds terms and assembly. On failure *model is empty.
pbs_status model_build(const struct scene *scene, struct memory *memory, struct model *model);
void model_free(struct model *model, struct memory *memory);
/// A body's gravity has another scale, or another acceleration besides; *gravity is written to the
/// body. On failure nothing has changed.
pbs_status model_set_gravity(struct model *model, const struct scene *scene, struct memory *memory,
                             struct body *body, const struct body_gravity *gravity);

/// Writes a body's gravity and drag: by node, or what momentum wants of it; both.
void model_write_gravity(struct model *model, const struct nodes *nodes, const struct body *body);
void model_copy_free_fall(const struct body *body, struct free_body *out);
void model_write_free_fall(struct model *model, const struct nodes *nodes, const struct body *body);

/// Writes what a host has changed of a body into the terms that were made of it: the same numbers
/// as in a model that is built anew, as long as that has the same elements.
void model_write_values(struct model *model, const struct nodes *nodes, const struct body *body);

/// Rebuilds everything; on failure the solver is empty and not current.
/// host_solver: the host's; null: none.
pbs_status solver_build(struct solver *solver, const struct scene *scene,
                        const pbs_linear_solver *host_solver, struct memory *memory);
void solver_free(struct solver *solver, struct memory *memory);

#endif
