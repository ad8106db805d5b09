// The softening curve in terms of the opening e - p(e). With the force f at the onset, the curve
// runs from (0, f) to the knee (b c, r f) and to (c, 0), so the fracture energy is w = f c (b + r)
// / 2. The first line, extended, reaches zero force at the opening b c / (1 - r).
// SPDX-License-Identifier: MIT
#include "energy/springs/softening_law.h"

/// Offset of the line of a bond that never softens, in metres: larger than any extension.
static const double FAR = 1e300;

struct softening_shape softening_shape_of(double stress, double initial) {
    const double drop = 1.0 - stress;
    return (struct softening_shape){stress, initial * stress * drop / (1.0 - initial * drop)};
}

double softening_critical(const struct softening_shape *shape, double onset, double brittle) {
    return brittle / onset * brittle / (shape->opening + shape->stress);
}

bool softening_is_gradual(const struct softening_shape *shape, double onset, double critical) {
    return onset > 0.0 && shape->opening * critical > (1.0 - shape->stress) * onset;
}

double softening_onset_limit(const struct softening_shape *shape, double brittle) {
    return brittle *
           sqrt(shape->opening / ((1.0 - shape->stress) * (shape->opening + shape->stress)));
}

struct softening_law softening_law_of(const struct softening_shape *shape, double onset,
                                      double critical) {
    if (isinf(critical)) {
        return (struct softening_law){{FAR, 2.0}, {0.0, 1.0}};
    }
    const double knee_force = shape->stress * onset;
    const double knee = shape->opening * critical + knee_force;
    const double first = (onset - knee_force) / (knee - onset);
    const double second = knee_force / (critical - knee);
    return (struct softening_law){{onset + first * onset, first}, {second * critical, second}};
}
