// The objective of one stage, docs/theory/equation.md section 1: divided by the weight c, so that
// energies are joules and gradients newtons:
//     E'(x) = |x - predictor|_M^2 / (2 c) + sum_k P_k(x),
// its gradient (node order) and Hessian (row order), without constraints. Allocates nothing.
#ifndef PBS_MINIMIZE_OBJECTIVE_OBJECTIVE_H
#define PBS_MINIMIZE_OBJECTIVE_OBJECTIVE_H

#include "contact/contact_table.h"
#include "energy/damping/rayleigh_damping.h"
#include "minimize/objective/rigid_fit.h"

/// What is minimised. All pointers belong to the caller.
struct objective {
    struct tasks *tasks;
    const struct assembly *assembly;
    const struct term *terms;
    size_t term_count;
    const struct rayleigh *damping; ///< null: none
    struct contact_set contacts;
    const struct rest_shape *rest_shapes; ///< of bodies that may move as if rigid
    size_t rest_shape_count;
    const uint32_t *node_parts;      ///< per node: its body, for messages; null: none is named
    bool with_friction;              ///< of the contacts
    const uint8_t *constrained_axes; ///< per node, PBS_AXIS_* bits; for their Hessian
    const double *mass;              ///< per node, kg
    const double *predictor;         ///< node order
    double weight;                   ///< c, s^2; infinity leaves inertia out
    struct stage_view stage;
    bool project_hessian;
    bool project_shells;    ///< their Hessians alone
    bool project_bonds;     ///< likewise
    bool bonds_on_demand;   ///< likewise, where the minimisation met negative curvature
    double least_stiffness; ///< 1/s^2: E / (density length^2) of the softest element; where the
                            ///< weight times that is large, all are projected on demand; 0: never
    bool dissipative_only;  ///< of the terms
    struct terms_scratch *scratch; ///< reserved for this assembly
};

struct objective_result {
    double value;                        ///< J
    double by_kind[ENERGY_KIND_COUNT];   ///< J, without inertia
    int answer;                          ///< EVALUATE_*
    const struct contact_matrix *matrix; ///< C, of the Hessian of contact; null: it has none
    pbs_status status; ///< why the library itself stopped, with the thread's message set; or PBS_OK
};

/// Evaluates what is not null: gradient (vector_slot_count x 3, first the nodes), blocks
/// (block_slot_count x 9); with these, the result's matrix is what contact adds to them.
struct objective_result objective_evaluate(const struct objective *objective, const double *x,
                                           bool value, double *gradient, double *blocks);

/// Products with what of the Hessian at x is in no block, as blocks evaluated there; until the next
/// call. Null: there is nothing.
const struct product_operator *objective_products(const struct objective *objective,
                                                  const double *x);

/// Whether all Hessians are projected on demand, not those of bonds alone: where elasticity is far
/// stiffer than inertia.
bool objective_projects_on_demand(const struct objective *objective);

/// What is on demand projected.
struct objective objective_on_demand(const struct objective *objective);

/// The sum of the parts of E without their signs: what rounding errors of E are relative to.
double objective_magnitude(const struct objective_result *result);

/// The largest step in (0, limit] along direction that keeps the objective finite, as its terms
/// say.
double objective_max_step(const struct objective *objective, const double *x,
                          const double *direction, double limit);

/// The largest step in [0, limit] along direction from x on whose way nothing touches, obstacles
/// moving along; limit where no contact bounds it.
pbs_status objective_sweep(const struct objective *objective, const double *x,
                           const double *direction, double limit, double *step);

#endif
