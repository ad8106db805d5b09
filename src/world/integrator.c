// Integrators as the public API has them: a scheme of src/integrate with its parameters,
// independent of any world.
#include "pbs/integrator.h"

#include <string.h>

#include "world/check.h"
#include "world/scene.h"
#include "world/settings.h"

static pbs_status check_scheme(int32_t scheme) {
    return scheme_find(scheme) != NULL
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "scheme is %d, which is no PBS_SCHEME_*",
                             (int)scheme);
}

pbs_status pbs_integrator_desc_init(pbs_integrator_desc *d, size_t struct_size, int32_t scheme) {
    status_clear();
    RETURN_IF_FAILED(check_scheme(scheme));
    const pbs_integrator_desc defaults = {.scheme = scheme};
    return settings_init(&settings_integrator, d, struct_size, &defaults);
}

pbs_status pbs_integrator_create(const pbs_integrator_desc *d, pbs_integrator **out) {
    status_clear();
    RETURN_IF_FAILED(check_pointer(out, "out"));
    pbs_integrator_desc settings = {0};
    RETURN_IF_FAILED(settings_read(&settings_integrator, d, &settings));
    RETURN_IF_FAILED(check_scheme(settings.scheme));
    RETURN_IF_FAILED(check_allocator(&settings.allocator));
    struct memory memory;
    memory_init(&memory, &settings.allocator);
    pbs_integrator *i = memory_allocate(&memory, 1, sizeof *i);
    if (i == NULL) {
        return PBS_ERROR_MEMORY;
    }
    i->memory = memory;
    i->choice.scheme = scheme_find(settings.scheme);
    memcpy(i->choice.parameters, i->choice.scheme->parameters, sizeof i->choice.parameters);
    *out = i;
    return PBS_OK;
}

void pbs_integrator_destroy(pbs_integrator *i) {
    if (i != NULL) {
        struct memory memory = i->memory;
        memory_release(&memory, i);
    }
}
