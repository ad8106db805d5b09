// Wind on the triangles of bodies. In a stage normals and areas are those of a known state, so that
// the force has a potential: b psi(u) of the relative velocity u = wind - (x - p) / b of a
// triangle's centre, with the stage's length b and history p. It is convex, whatever the normals
// are. Supplies energy and dissipates, so that it is none of the terms whose energy is kept.
// Theory: docs/theory/materials.md section 7.2.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_WIND_WIND_H
#define PBS_ENERGY_WIND_WIND_H

#include "energy/term.h"
#include "energy/wind/wind_law.h"

/// Triangles whose corners are nodes (width 3), or sums of four nodes (width 4).
struct wind_triangles {
    size_t count;
    const uint32_t *nodes;   ///< count x width
    const double *weights;   ///< width 4: count x 3 x 4, of the corners; width 3: null
    const uint32_t *surface; ///< count, ascending
};

enum { WIND_PARTS = 2 }; // by width: 3 and 4

/// Input of wind_create, which copies it.
struct wind_input {
    struct wind_triangles parts[WIND_PARTS]; ///< a surface has triangles of one part only
    size_t surface_count;
    const struct wind_law *laws; ///< surface_count
};

/// What the force does in a stage.
enum wind_mode {
    WIND_EXACT,  ///< the law at the stage's velocity
    WIND_LINEAR, ///< its tangent at a known velocity, for stages of a single Newton step
    WIND_AT_REST ///< the force on what does not move, for statics
};

/// W: of one surface, at the last wind_measure.
struct wind_power {
    double dissipated; ///< force times relative velocity
    double supplied;   ///< force times the air's velocity
};

struct wind;

pbs_status wind_create(struct memory *memory, const struct wind_input *input, struct wind **out);
void wind_destroy(struct wind *wind, struct memory *memory);

/// Writes one term for each part that has triangles, and returns how many. They do not own the
/// object.
size_t wind_terms(struct wind *wind, struct term out[WIND_PARTS]);
size_t wind_term_count(const struct wind *wind);

/// Another law of one surface from the next evaluation on.
void wind_set_law(struct wind *wind, size_t surface, const struct wind_law *law);

/// Takes normals and areas at x; v: the known velocity, only of WIND_LINEAR. Per node, 3.
void wind_begin(struct wind *wind, struct tasks *tasks, enum wind_mode mode, const double *x,
                const double *v);

/// Measures the power of each surface at x; the result is valid until the next call.
const struct wind_power *wind_measure(struct wind *wind, struct tasks *tasks, const double *x,
                                      const struct stage_view *stage);
size_t wind_surface_count(const struct wind *wind);
/// A node of the surface.
uint32_t wind_surface_node(const struct wind *wind, size_t surface);

/// N: the norm of what corners bear at x and v, to which residuals are relative.
double wind_reference(const struct wind *wind, const double *x, const double *v);

#endif
