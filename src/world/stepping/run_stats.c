// See run_stats.h.
// SPDX-License-Identifier: MIT
#include "world/stepping/run_stats.h"

#include "world/breaking/impact.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/stepping/contact_run.h"
#include "world/stepping/failure.h"

static void write_energy_stats(const struct step_result *sum, pbs_stats *stats) {
    stats->energy_control.alpha_low = sum->energy.alpha_low;
    stats->energy_control.alpha_high = sum->energy.alpha_high;
    stats->energy_control.target = sum->energy.target;
    stats->energy_control.reached = sum->energy.energy;
    stats->step.dissipated = sum->dissipated;
    stats->energy_control.work = sum->energy.work;
}

static void write_solver_stats(const struct preconditioner_report *report, pbs_stats *stats) {
    stats->linear.preconditioner = report->used;
    stats->linear.reason = report->reason;
    stats->linear.coarse_unknowns = report->coarse_unknowns;
    stats->linear.predicted_iterations = report->expected_iterations;
    stats->linear.block_jacobi_work = report->work[SOLVER_KIND_BLOCK_JACOBI];
    stats->linear.factor_work = report->work[SOLVER_KIND_FACTOR];
    stats->linear.two_level_work = report->work[SOLVER_KIND_TWO_LEVEL];
}

void run_write_stats(struct run *run, pbs_status status) {
    pbs_world *w = run->w;
    pbs_stats *stats = &w->stats;
    const struct newton_result *n = &run->sum.newton;
    stats->status = status;
    stats->newton.stages = run->sum.stages;
    stats->step.explicit_steps = run->explicit_steps;
    stats->step.stable_step = w->scene.integrator.scheme->kicks
                                  ? w->solver.workspace.memory.stable_step
                                  : 0.0;
    stats->step.divisions = run->divisions;
    stats->newton.iterations = n->newton_iterations;
    stats->linear.solves = n->linear_solves;
    stats->linear.iterations = n->linear_iterations;
    stats->newton.evaluations = n->evaluations;
    stats->linear.indefinite_solves = n->indefinite_solves;
    stats->newton.gradient_directions = n->gradient_directions;
    stats->newton.shortened_steps = n->clamped_steps;
    stats->newton.roundoff_accepts = n->roundoff_accepts;
    stats->linear.shifted_factors = n->shifted_factors;
    stats->contact.active = run->sum.active_contacts;
    stats->contact.constrained_inside = (uint32_t)run->sum.constrained_inside;
    stats->scene.bodies_without_contact = contact_kind_count_untouchable(&w->scene);
    if (status >= 0) {
        impact_write_stats(&w->scene, &stats->step);
        write_energy_stats(&run->sum, stats);
    }
    stats->newton.gradient_norm = n->gradient_norm;
    stats->newton.tolerance = n->tolerance;
    stats->linear.largest_shift = n->preconditioner_shift;
    write_solver_stats(&n->preconditioner, stats);
    stats->linear.switched_solves = n->switched_solves;
    contact_run_write_stats(run, stats);
    failure_write_stats(run, stats);
    stats->step.length = run->h;
    stats->step_control.accepted = run->counts.accepted;
    stats->step_control.rejected = run->counts.rejected;
    stats->step_control.above_tolerance = run->counts.forced;
    stats->step_control.shortest = run->counts.shortest;
    stats->step_control.longest = run->counts.longest;
    stats->step_control.error = run->counts.measured;
    stats->step_control.fracture_limited = run->counts.cracked;
    stats->step_control.fracture_step = run->counts.crack;
    stats->time.guess = n->time_evaluate;
    stats->time.hessian = n->time_hessian;
    stats->time.factor = n->time_factor;
    stats->time.solve = n->time_solve;
    stats->time.search = n->time_search;
    if (w->solver.newton != NULL) {
        const struct host_solver_counts host = newton_drain_host_counts(w->solver.newton);
        stats->linear.host_solves = host.solves;
        stats->linear.host_fallbacks = host.refusals;
    }
    struct counters *counters = &w->scene.counters;
    counters->step_count += status >= 0 ? run->counts.accepted : 0;
    counters->failed_step_count += status < 0;
    counters->newton_total += n->newton_iterations;
    counters->linear_total += n->linear_iterations;
}
