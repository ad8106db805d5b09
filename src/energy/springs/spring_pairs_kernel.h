// The loop over springs for vectors of LANES (four or two) doubles, each compiled in its own source
// file (base/matrix3/matrix3_widths.h explains why). Both give the same bits.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SPRINGS_SPRING_PAIRS_KERNEL_H
#define PBS_ENERGY_SPRINGS_SPRING_PAIRS_KERNEL_H

#include "energy/springs/spring_pairs_widths.h"

#include "base/lanes/lanes.h"

enum { PARTS = PAIR_LANES / LANES };

/// The outputs that a pass computes besides the value.
struct pass_outputs {
    bool gradient, limits;
};

/// Positions of a slice's nodes, and the sums over its springs.
struct slice_sums {
    lanes8 x[PARTS][3], gradient[PARTS][3];
    mask8 over[PARTS];
};

ALWAYS_INLINE lanes8 round_to_quantum(lanes8 a, double rounder) {
    return (a + rounder) - rounder;
}

/// Evaluates LANES springs: the given part of a group. d: vectors from the slice's nodes to their
/// partners. pull: derivative of the energy with respect to the partners' positions.
ALWAYS_INLINE void stretch(const struct spring_pairs *p, size_t group, int part,
                           struct pass_outputs outputs, const lanes8 d[3], struct slice_sums *s,
                           lanes8 *value, lanes8 pull[3]) {
    const size_t lane = group * PAIR_LANES + (size_t)part * LANES;
    const lanes8 rest = lanes_load(p->rest + lane);
    // 1e-300 avoids 0 / 0 for two coincident nodes, whose force is then 0.
    const lanes8 length = lanes_sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 1e-300);
    const lanes8 extension = length - rest;
    const lanes8 force = lanes_load(p->stiffness + lane) * extension;
    *value += force * extension;
    if (outputs.limits) {
        s->over[part] |= extension > p->least[group] * rest;
    }
    for (int k = 0; k < 3; k++) {
        pull[k] = round_to_quantum(force / length * d[k], p->rounder);
        s->gradient[part][k] -= pull[k];
    }
}

/// Evaluates a group whose partners are consecutive.
ALWAYS_INLINE void add_run(const struct spring_pairs *p, size_t group, struct pass_outputs outputs,
                           struct slice_sums *s, lanes8 value[PARTS]) {
    const size_t stride = p->layout.stride;
    for (int part = 0; part < PARTS; part++) {
        const size_t first = p->layout.first[group] + (size_t)part * LANES;
        lanes8 d[3];
        lanes8 pull[3];
        for (size_t k = 0; k < 3; k++) {
            d[k] = lanes_load(p->x + k * stride + first) - s->x[part][k];
        }
        stretch(p, group, part, outputs, d, s, &value[part], pull);
        for (size_t k = 0; k < 3 && outputs.gradient; k++) {
            double *at = p->gradient + k * stride + first;
            lanes_store(at, lanes_load(at) + pull[k]);
        }
    }
}

/// Evaluates a group with arbitrary partners.
ALWAYS_INLINE void add_scattered(const struct spring_pairs *p, size_t group,
                                 struct pass_outputs outputs, struct slice_sums *s,
                                 lanes8 value[PARTS]) {
    const size_t stride = p->layout.stride;
    const uint32_t *partner = p->layout.partner + p->layout.first[group];
    for (int part = 0; part < PARTS; part++, partner += LANES) {
        lanes8 d[3];
        lanes8 pull[3];
        for (size_t k = 0; k < 3; k++) {
            lanes8 x = lanes_set(0.0);
            for (int l = 0; l < LANES; l++) {
                x[l] = p->x[k * stride + partner[l]];
            }
            d[k] = x - s->x[part][k];
        }
        stretch(p, group, part, outputs, d, s, &value[part], pull);
        for (size_t k = 0; k < 3 && outputs.gradient; k++) {
            for (int l = 0; l < LANES; l++) {
                p->gradient[k * stride + partner[l]] += pull[k][l];
            }
        }
    }
}

ALWAYS_INLINE void begin_slice(const struct spring_pairs *p, size_t slice, struct slice_sums *s) {
    for (int part = 0; part < PARTS; part++) {
        const size_t node = slice * PAIR_LANES + (size_t)part * LANES;
        for (size_t k = 0; k < 3; k++) {
            s->x[part][k] = lanes_load(p->x + k * p->layout.stride + node);
            s->gradient[part][k] = lanes_set(0.0);
        }
        s->over[part] = (mask8){0};
    }
}

/// Writes the slice's gradient. Returns whether a lane may be above its limit.
ALWAYS_INLINE bool end_slice(const struct spring_pairs *p, size_t slice,
                             struct pass_outputs outputs, const struct slice_sums *s) {
    bool over = false;
    for (int part = 0; part < PARTS; part++) {
        const size_t node = slice * PAIR_LANES + (size_t)part * LANES;
        for (size_t k = 0; k < 3 && outputs.gradient; k++) {
            double *at = p->gradient + k * p->layout.stride + node;
            lanes_store(at, lanes_load(at) + s->gradient[part][k]);
        }
        over |= lanes_any(s->over[part]);
    }
    return over;
}

ALWAYS_INLINE void run_slab(const struct spring_pairs *springs, size_t slab,
                            struct pass_outputs outputs) {
    // A local copy, so that the compiler knows that stores do not change it.
    const struct spring_pairs copy = *springs;
    const struct spring_pairs *p = &copy;
    const struct pair_layout *layout = &p->layout;
    lanes8 value[PARTS];
    double by_lane[PAIR_LANES];
    for (int part = 0; part < PARTS; part++) {
        value[part] = lanes_set(0.0);
    }
    for (size_t slice = layout->slab_slice[slab]; slice < layout->slab_slice[slab + 1]; slice++) {
        const size_t scattered = layout->slice_scattered[slice];
        const size_t end = layout->slice_group[slice + 1];
        struct slice_sums s;
        begin_slice(p, slice, &s);
        for (size_t group = layout->slice_group[slice]; group < scattered; group++) {
            add_run(p, group, outputs, &s, value);
        }
        for (size_t group = scattered; group < end; group++) {
            add_scattered(p, group, outputs, &s, value);
        }
        const bool over = end_slice(p, slice, outputs, &s);
        if (outputs.limits) {
            p->suspected[slice] = over;
        }
    }
    for (int part = 0; part < PARTS; part++) {
        lanes_store(by_lane + (size_t)part * LANES, value[part]);
    }
    p->values[slab] = 0.5 * ((by_lane[0] + by_lane[1]) + (by_lane[2] + by_lane[3]));
}

/// Calls the pass that is specialised for the requested outputs.
ALWAYS_INLINE void run_specialised(const struct spring_pairs *springs, size_t slab,
                                   bool with_gradient, bool with_limits) {
    if (with_gradient && with_limits) {
        run_slab(springs, slab, (struct pass_outputs){.gradient = true, .limits = true});
    } else if (with_gradient) {
        run_slab(springs, slab, (struct pass_outputs){.gradient = true});
    } else if (with_limits) {
        run_slab(springs, slab, (struct pass_outputs){.limits = true});
    } else {
        run_slab(springs, slab, (struct pass_outputs){.gradient = false});
    }
}

#endif
