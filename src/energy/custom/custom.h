// An energy defined by the host: stencils of up to eight nodes, each evaluated by the host's
// callback (pbs_custom_fn).
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_CUSTOM_CUSTOM_H
#define PBS_ENERGY_CUSTOM_CUSTOM_H

#include "energy/term.h"
#include "pbs/body.h"

/// Input of custom_create, which copies the nodes.
struct custom_input {
    uint32_t width; ///< nodes per stencil, 1 to 8
    size_t stencil_count;
    const uint32_t *nodes; ///< stencil_count x width node indices
    pbs_custom_fn evaluate;
    void *user;
    bool is_concurrent; ///< the callback may run on several threads at the same time
    bool is_linear;     ///< the energy is linear in x
    double damping;     ///< s, Rayleigh damping time
};

struct custom; ///< self of the term

pbs_status custom_create(struct memory *memory, const struct custom_input *input,
                         struct custom **out);
struct term custom_term(struct custom *custom);
void custom_set_damping(struct custom *custom, double damping);
/// Gets the lowest index of a stencil whose callback has returned a negative value since the last
/// call of this function, and clears it. Returns false if there is none.
bool custom_fetch_stop(const struct custom *custom, uint32_t *stencil);
void custom_destroy(struct custom *custom, struct memory *memory);

#endif
