// Sets or removes the host's linear solver of a world.
// SPDX-License-Identifier: MIT
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/world.h"

pbs_status pbs_linear_solver_init(pbs_linear_solver *s, size_t struct_size) {
    const pbs_linear_solver defaults = {.form = PBS_MATRIX_CSR, .triangle = PBS_TRIANGLE_BOTH};
    return settings_init(&settings_linear_solver, s, struct_size, &defaults);
}

static pbs_status check_solver(const pbs_linear_solver *s) {
    RETURN_IF_FAILED(check_choice(s->form, PBS_MATRIX_CSR, PBS_MATRIX_BLOCK_CSR, "form"));
    RETURN_IF_FAILED(check_choice(s->triangle, PBS_TRIANGLE_BOTH, PBS_TRIANGLE_LOWER, "triangle"));
    RETURN_IF_FAILED(check_choice(s->reserved, 0, 0, "reserved"));
    if (s->factor == NULL || s->solve == NULL) {
        return status_fail(PBS_ERROR_ARGUMENT, "%s of the linear solver is null",
                           s->factor == NULL ? "factor" : "solve");
    }
    return PBS_OK;
}

pbs_status pbs_world_set_linear_solver(pbs_world *w, const pbs_linear_solver *s) {
    RETURN_IF_FAILED(world_enter(w));
    pbs_linear_solver own = {0};
    if (s != NULL) {
        RETURN_IF_FAILED(settings_read(&settings_linear_solver, s, &own));
        RETURN_IF_FAILED(check_solver(&own));
    }
    w->host_solver = own;
    w->solver.is_current = false;
    return PBS_OK;
}

pbs_status pbs_world_linear_solver(const pbs_world *w, pbs_linear_solver *out) {
    RETURN_IF_FAILED(world_enter(w));
    return results_write(&settings_linear_solver, &w->host_solver, out);
}
