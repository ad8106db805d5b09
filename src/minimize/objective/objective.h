// The objective of one stage, docs/theory/equation.md section 1. It is divided by the weight c, so
// that energies are joules and gradients newtons:
//     E'(x) = |x - predictor|_M^2 / (2 c) + sum_k P_k(x),
// its gradient (node order) and Hessian (row order), without constraints. Allocates nothing.
// SPDX-License-Identifier: MIT
#ifndef PBS_MINIMIZE_OBJECTIVE_OBJECTIVE_H
#define PBS_MINIMIZE_OBJECTIVE_OBJECTIVE_H

#include "contact/contact_table.h"
#include "energy/damping/rayleigh_damping.h"
#include "minimize/constraints/constraint_set.h"
#include "minimize/objective/body_forces.h"
#include "minimize/objective/rigid_fit.h"

/// The function to minimise. All pointers belong to the caller.
struct objective {
    struct tasks *tasks;
    const struct assembly *assembly;
    const struct term *terms;
    size_t term_count;
    const struct rayleigh *damping; ///< null: none
    struct contact_set contacts;
    struct constraint_set *constraints; ///< null: none
    bool without_constraints; ///< of joints only springs are evaluated, and nothing of held volumes
    struct contact_coupling *coupling; ///< for the Hessian; null: neither contacts nor joints have
                                       ///< one
    const struct rest_shape *rest_shapes; ///< of bodies that may be moved rigidly
    size_t rest_shape_count;
    const uint32_t *node_parts;      ///< per node: its body; null: bodies are not told apart
    bool with_friction;              ///< contact includes friction
    const uint8_t *constrained_axes; ///< per node, PBS_AXIS_* bits; for the contact Hessian
    const double *mass;              ///< per node, kg
    const double *predictor;         ///< node order
    double weight;                   ///< c, s^2; infinity: no inertia
    struct stage_view stage;
    bool project_hessian;
    bool project_shells;    ///< project only the Hessians of shells
    bool project_bonds;     ///< project only the Hessians of bonds
    bool bonds_on_demand;   ///< the same, after the minimisation has found negative curvature
    double least_stiffness; ///< 1/s^2, E / (density length^2) of the softest element; if it is
                            ///< large times the weight, all Hessians are projected on demand; 0:
                            ///< never
    bool flat_contact;      ///< contact's Hessian leaves out how distances curve
    bool dissipative_only;  ///< evaluate only dissipative terms
    struct terms_scratch *scratch; ///< allocated for this assembly
};

struct objective_result {
    double value;                      ///< J
    double by_kind[ENERGY_KIND_COUNT]; ///< J, without inertia
    double contact;                    ///< J, the potential of contact alone, without joints
    int answer;                        ///< EVALUATE_*
    bool is_partial; ///< contact is left out: value is a lower bound, the gradient is incomplete
    const struct contact_matrix *matrix; ///< C, the contact Hessian; null: none
    pbs_status status; ///< PBS_OK, or why the library stopped, with the thread's message set
};

/// Evaluates the requested outputs: value, gradient (vector_slot_count x 3, nodes first), blocks
/// (block_slot_count x 9). With blocks, the result's matrix is the contact part of the Hessian.
/// Null: not requested.
struct objective_result objective_evaluate(const struct objective *objective, const double *x,
                                           bool value, double *gradient, double *blocks);

/// The same for value and gradient, where only values up to `ceiling` matter. Contact's potentials
/// are never negative. If everything else exceeds the ceiling, they are left out, and nothing is
/// searched for them (OPT section 3.3). forces: what acts on each body at x, complete unless the
/// result is partial; null: not requested.
struct objective_result objective_evaluate_below(const struct objective *objective, const double *x,
                                                 double ceiling, double *gradient,
                                                 const struct body_forces_output *forces);

/// Returns whether contact has to be searched for at every state: penalties. Where contact bounds
/// steps, its pairs are known, and evaluating them costs little.
bool objective_searches_contact(const struct objective *objective);

/// Returns the operator for the part of the Hessian at x that is not in blocks, after blocks were
/// evaluated at x. Valid until the next call. Null: there is none.
const struct product_operator *objective_products(const struct objective *objective,
                                                  const double *x);

/// Returns whether all Hessians are projected on demand, not only those of bonds: elasticity is
/// much stiffer than inertia.
bool objective_projects_on_demand(const struct objective *objective);

/// Returns the objective with the projections that are on demand.
struct objective objective_on_demand(const struct objective *objective);

/// Returns the sum of the magnitudes of E's parts, to which rounding errors of E are relative.
double objective_magnitude(const struct objective_result *result);

/// Returns the largest step in (0, limit] along direction for which all terms are finite.
double objective_max_step(const struct objective *objective, const double *x,
                          const double *direction, double limit);

/// Returns whether a term has a limit that the host has set (is_limit of struct term_table).
bool objective_has_limits(const struct objective *objective);

/// *step = the largest step in [0, limit] along direction from x without collision, with the
/// obstacles moving along. limit if no contact bounds it.
pbs_status objective_sweep(const struct objective *objective, const double *x,
                           const double *direction, double limit, double *step);

#endif
