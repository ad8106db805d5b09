// A host's own energy: stencils of up to eight nodes, each evaluated by the host's callback
// (pbs_custom_fn).
#ifndef PBS_ENERGY_CUSTOM_CUSTOM_H
#define PBS_ENERGY_CUSTOM_CUSTOM_H

#include "energy/term.h"
#include "pbs/body.h"

/// What custom_create copies.
struct custom_input {
    uint32_t width; ///< nodes per stencil, 1 to 8
    size_t stencil_count;
    const uint32_t *nodes; ///< stencil_count x width node indices
    pbs_custom_fn evaluate;
    void *user;
    bool is_concurrent; ///< the callback may run on any thread, at the same time as itself
    bool is_linear;     ///< in x
    double damping;     ///< s, of Rayleigh damping
};

struct custom; ///< self of the term

pbs_status custom_create(struct memory *memory, const struct custom_input *input,
                         struct custom **out);
struct term custom_term(struct custom *custom);
/// The least stencil whose callback has asked to stop since the last call, in *stencil. False where
/// none has.
bool custom_fetch_stop(const struct custom *custom, uint32_t *stencil);
void custom_destroy(struct custom *custom, struct memory *memory);

#endif
