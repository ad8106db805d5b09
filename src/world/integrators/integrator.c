// Integrators of the public interface: a scheme of src/integrate with its settings, independent of
// any world.
// SPDX-License-Identifier: MIT
#include "world/integrators/integrator.h"

#include <math.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"

static const struct field FIELDS[] = {
    FIELD_VALUE(pbs_integrator_desc, scheme, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, start, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, linearized, FIELD_ANY),
    FIELD_VALUES(pbs_integrator_desc, parameters, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, energy_control.alpha_choice, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, energy_control.by_island, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, energy_control.alpha, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, energy_control.alpha_min, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, energy_control.alpha_max, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, energy_control.fraction, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, energy_control.ground, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, energy_control.decay_time, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, step_control.kind, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, step_control.rule, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, step_control.tolerance, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, step_control.initial, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, step_control.min, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, step_control.max, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, step_control.exponent, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, step_control.safety, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, step_control.growth, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, step_control.fracture_step, FIELD_ANY),
    FIELD_VALUE(pbs_integrator_desc, step_control.fracture_quiet_steps, FIELD_ANY),
};
const struct field_list integrator_fields = FIELD_LIST(pbs_integrator_desc, FIELDS);

static pbs_status check_scheme(int32_t scheme) {
    return scheme_find(scheme) != NULL
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "scheme is %d, which is no PBS_SCHEME_*",
                             (int)scheme);
}

static pbs_status check_within(double value, double low, double high, const char *name) {
    return value >= low && value <= high
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "%s is %g, must be %g to %g", name, value, low,
                             high);
}

static pbs_status check_parameters(const struct scheme_table *scheme, const double *values) {
    for (int i = 0; i < SCHEME_PARAMETERS; i++) {
        const struct scheme_parameter *p = &scheme->parameters[i];
        if (p->name != NULL) {
            RETURN_IF_FAILED(check_within(values[i], p->low, p->high, p->name));
        }
    }
    return PBS_OK;
}

static pbs_status check_reserved(const uint32_t *reserved, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++) {
        if (reserved[i] != 0) {
            return status_fail(PBS_ERROR_ARGUMENT, "%s.reserved[%zu] is %u, must be 0", name, i,
                               (unsigned)reserved[i]);
        }
    }
    return PBS_OK;
}

/// alpha bounds the growth of the squared amplitude per step (docs/theory/schemes.md section 4).
/// Above 4 eigenvalues would be real.
static pbs_status check_energy_control(const pbs_energy_control *c) {
    RETURN_IF_FAILED(check_choice(c->alpha_choice, PBS_ALPHA_FIXED, PBS_ALPHA_SPARSE_SEARCH,
                                  "energy_control.alpha_choice"));
    RETURN_IF_FAILED(check_choice(c->by_island, 0, 1, "energy_control.by_island"));
    RETURN_IF_FAILED(check_within(c->alpha, 0.0, 4.0, "energy_control.alpha"));
    RETURN_IF_FAILED(check_within(c->alpha_min, 0.0, 4.0, "energy_control.alpha_min"));
    RETURN_IF_FAILED(check_within(c->alpha_max, c->alpha_min, 4.0, "energy_control.alpha_max"));
    RETURN_IF_FAILED(check_not_negative(c->fraction, "energy_control.fraction"));
    RETURN_IF_FAILED(check_finite(c->ground, "energy_control.ground"));
    RETURN_IF_FAILED(check_not_negative(c->decay_time, "energy_control.decay_time"));
    return check_reserved(c->reserved, sizeof c->reserved / sizeof *c->reserved, "energy_control");
}

static pbs_status check_linearized(const pbs_integrator_desc *d) {
    RETURN_IF_FAILED(check_choice(d->linearized, 0, 1, "linearized"));
    if (d->linearized != 0 && !scheme_find(d->scheme)->may_be_linearized) {
        return status_fail(
            PBS_ERROR_ARGUMENT,
            "linearized is 1 with %s, must be implicit Euler, trapezoidal or Newmark",
            scheme_find(d->scheme)->name);
    }
    if (d->step_control.kind == PBS_STEP_FORCE_ERROR && d->linearized == 0) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "step_control.kind is PBS_STEP_FORCE_ERROR, which measures the error of "
                           "linearized steps only, and linearized is 0");
    }
    return PBS_OK;
}

/// growth: 0 is the default; infinity as in integrator.h.
static pbs_status check_step_growth(const pbs_integrator_desc *d) {
    const double growth = d->step_control.growth;
    const double highest = scheme_find(d->scheme)->history > 1 ? 2.0 : INFINITY;
    return growth == 0.0 ? PBS_OK : check_within(growth, 1.0, highest, "step_control.growth");
}

static pbs_status check_step_lengths(const pbs_step_control *c) {
    RETURN_IF_FAILED(check_not_negative(c->max, "step_control.max"));
    RETURN_IF_FAILED(check_within(c->min, 0.0, c->max, "step_control.min"));
    return check_within(c->initial, 0.0, c->max, "step_control.initial");
}

/// Checks that the scheme and its other settings allow the measure of the step control.
static pbs_status check_measure(const pbs_integrator_desc *d) {
    const struct scheme_table *const scheme = scheme_find(d->scheme);
    const int32_t kind = d->step_control.kind;
    if (kind == PBS_STEP_SPEED_LIMIT && scheme->is_static) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "step_control.kind is PBS_STEP_SPEED_LIMIT, but %s ends at rest",
                           scheme->name);
    }
    if (kind != PBS_STEP_ALPHA) {
        return PBS_OK;
    }
    if (scheme->control == CONTROL_NONE) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "step_control.kind is PBS_STEP_ALPHA, but %s has no energy control",
                           scheme->name);
    }
    // Energy blending always searches.
    return scheme->control == CONTROL_STATE || d->energy_control.alpha_choice != PBS_ALPHA_FIXED
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "step_control.kind is PBS_STEP_ALPHA, which needs a search, and "
                             "energy_control.alpha_choice is PBS_ALPHA_FIXED");
}

static pbs_status check_step_numbers(const pbs_step_control *c) {
    RETURN_IF_FAILED(check_choice(c->kind, PBS_STEP_FIXED, PBS_STEP_ALPHA, "step_control.kind"));
    RETURN_IF_FAILED(
        check_choice(c->rule, PBS_STEP_RULE_DEFAULT, PBS_STEP_RULE_HALVING, "step_control.rule"));
    RETURN_IF_FAILED(check_step_lengths(c));
    RETURN_IF_FAILED(check_not_negative(c->tolerance, "step_control.tolerance"));
    RETURN_IF_FAILED(check_not_negative(c->exponent, "step_control.exponent"));
    RETURN_IF_FAILED(check_within(c->safety, 0.0, 1.0, "step_control.safety"));
    RETURN_IF_FAILED(check_within(c->fracture_step, 0.0, INFINITY, "step_control.fracture_step"));
    return check_reserved(c->reserved, sizeof c->reserved / sizeof *c->reserved, "step_control");
}

static pbs_status check_step_control(const pbs_integrator_desc *d) {
    const pbs_step_control *const c = &d->step_control;
    RETURN_IF_FAILED(check_step_numbers(c));
    RETURN_IF_FAILED(check_step_growth(d));
    RETURN_IF_FAILED(check_linearized(d));
    RETURN_IF_FAILED(check_measure(d));
    if (c->kind == PBS_STEP_FIXED) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(check_positive(c->max, "step_control.max, which every step control needs,"));
    return check_positive(c->tolerance, "step_control.tolerance");
}

pbs_status integrator_check(const pbs_integrator_desc *d) {
    RETURN_IF_FAILED(check_scheme(d->scheme));
    RETURN_IF_FAILED(check_parameters(scheme_find(d->scheme), d->parameters));
    RETURN_IF_FAILED(
        check_choice(d->start, PBS_START_IMPLICIT_EULER, PBS_START_FIRST_ORDER_THETA, "start"));
    RETURN_IF_FAILED(check_energy_control(&d->energy_control));
    return check_step_control(d);
}

pbs_integrator_desc integrator_defaults(int32_t scheme) {
    const struct scheme_table *table = scheme_find(scheme);
    pbs_integrator_desc d = {
        .struct_size = sizeof d,
        .scheme = scheme,
        .start = table->start,
        .energy_control = {
            .alpha_choice = table->alpha_choice, .alpha = 1.0, .alpha_max = 1.1, .fraction = 1.0}};
    for (int i = 0; i < SCHEME_PARAMETERS; i++) {
        d.parameters[i] = table->parameters[i].value;
    }
    return d;
}

struct scheme_choice integrator_choice(const pbs_integrator_desc *d) {
    struct scheme_choice choice = {.scheme = scheme_find(d->scheme), .settings = *d};
    choice.settings.allocator = (pbs_allocator){0};
    return choice;
}

pbs_status pbs_integrator_desc_init(pbs_integrator_desc *d, size_t struct_size, int32_t scheme) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(check_scheme(scheme));
    const pbs_integrator_desc defaults = integrator_defaults(scheme);
    return settings_init(&settings_integrator, d, struct_size, &defaults);
}

pbs_status pbs_integrator_create(const pbs_integrator_desc *d, pbs_integrator **out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(check_pointer(out, "out"));
    pbs_integrator_desc settings = {0};
    RETURN_IF_FAILED(settings_read(&settings_integrator, d, &settings));
    RETURN_IF_FAILED(integrator_check(&settings));
    RETURN_IF_FAILED(check_allocator(&settings.allocator));
    struct memory memory;
    memory_init(&memory, &settings.allocator);
    pbs_integrator *i = memory_allocate(&memory, 1, sizeof *i);
    if (i == NULL) {
        return PBS_ERROR_MEMORY;
    }
    i->memory = memory;
    i->choice = integrator_choice(&settings);
    *out = i;
    return PBS_OK;
}

pbs_status pbs_integrator_settings(const pbs_integrator *i, pbs_integrator_desc *out) {
    RETURN_IF_FAILED(check_pointer(i, "the integrator"));
    return results_write(&settings_integrator, &i->choice.settings, out);
}

void pbs_integrator_destroy(pbs_integrator *i) {
    if (i != NULL) {
        struct memory memory = i->memory;
        memory_release(&memory, i);
    }
}
