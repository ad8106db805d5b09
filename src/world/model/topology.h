// What a scene needs to be stepped and can be made again from it: terms, assembly, minimiser,
// buffers. Built at the first step after bodies changed. Pointers into the scene's nodes stay valid
// until then.
#ifndef PBS_WORLD_MODEL_TOPOLOGY_H
#define PBS_WORLD_MODEL_TOPOLOGY_H

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

/// The energies of a scene and where their derivatives go.
struct model {
    struct gravity gravity;
    struct dead_loads loads;
    struct mass_drag drag;
    double *gravity_mass; ///< per node, kg; null where no body opts out: the nodes' own masses
                          ///< serve
    double *drag_rate;    ///< per node, 1/s; null where no body has drag
    size_t term_count, conservative_count; ///< conservative terms come first
    struct term *terms;                    ///< those with a destroy are the model's own
    struct assembly assembly;
    bool has_assembly;
    bool has_damping;              ///< some element has a Rayleigh time
    struct free_body *free_bodies; ///< those whose energy translations do not change
    size_t free_body_count;
    struct rest_shape *rest_shapes; ///< of bodies that have one in their nodes' own places
    size_t rest_shape_count;
    double least_stiffness; ///< 1/s^2: of solids, see struct objective; 0 where there are none
    size_t element_count;
    struct penalty_contact penalty; ///< empty with other contact
    struct precomputed_forces penalty_forces;
    struct bond_term bond_terms[BOND_TERM_LIMIT];
    size_t bond_term_count;
    struct spring_damping *bond_damping; ///< of bonds with damping; a term owns it; null: none
    struct rotation_arrays rotation_arrays;
    struct rotations rotations; ///< of bonded bodies; the present orientations but during a step,
                                ///< which works on them
};

/// All zero is a valid empty one.
struct topology {
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
    struct contact_scale contact_scale; ///< with which `contact` was built
    struct part_load *loads;            ///< scratch, one for each of its parts
    struct part_motion *part_motions;   ///< likewise
    size_t load_capacity, part_motion_capacity;
    bool contact_is_current; ///< false: bodies or colliders changed since it was built
    bool contact_is_checked; ///< false: since the last step the host may have made things touch
    double contact_energy;   ///< J, where the last step ended
    struct obstacle *obstacles, *obstacles_now;
    size_t obstacle_capacity, obstacle_now_capacity;
    struct contact_set contacts; ///< those of the world's kind
    struct contact_coupling coupling;
    struct joint_set joints;      ///< those that are not broken, in order of creation
    double *joint_stiffness;      ///< node_count, N/m: see struct joint_stage; null without joints
    bool joints_are_current;      ///< false: joints came, went or changed since `joints` was built
    struct contact_report report; ///< of the step that is taken; parts are bodies, then colliders
    uint32_t *node_parts;         ///< node_count: the body of each node
    double *balance;              ///< the forces by which an adaptive stiffness is chosen
    size_t balance_capacity;
    struct bond_breaks breaks;
    double *saved_states; ///< states that step doubling goes back to and compares
    size_t saved_state_capacity;
};

/// Terms and assembly. On failure *model is empty.
pbs_status model_build(const struct scene *scene, struct memory *memory, struct model *model);
void model_free(struct model *model, struct memory *memory);

/// Replaces everything; on failure the topology is empty and not current.
/// solver: the host's; null: none.
pbs_status topology_build(struct topology *topology, const struct scene *scene,
                          const pbs_linear_solver *solver, struct memory *memory);
void topology_free(struct topology *topology, struct memory *memory);

#endif
