// Screw paths of affine bodies (docs/theory/minimization.md section 1). A straight path stretches
// a body that turns by half the square of its angle, which a stiff body bears for a few hundredths
// of a radian. Here the body turns while it moves: the path is tangent to a direction of its four
// nodes, and its only strain is the direction's own.
#ifndef PBS_MINIMIZE_SEARCH_SCREW_H
#define PBS_MINIMIZE_SEARCH_SCREW_H

#include <stdbool.h>
#include <stdint.h>

struct screw {
    uint32_t node;       ///< the body's centre; its three handles follow
    bool is_held;        ///< by axes or joints: it always moves straight
    bool turns;          ///< false: the body moves straight
    double turn[3];      ///< rad, the rotation vector of the whole direction
    double strain[3][3]; ///< m: of each handle, the part of the direction that is no rotation
};

/// Splits the direction of a body at x (node order). Returns the angle, rad; 0 where the handles
/// have no rotation. The flags are not written.
double screw_split(struct screw *screw, const double *x, const double *direction);

/// y = the place of the body's nodes at `step` of the path from x along the direction (node order).
/// |step turn| must be below 6 rad.
void screw_move(const struct screw *screw, const double *x, const double *direction, double step,
                double *y);

/// Returns the derivative by the step of a function of the body's nodes. y: what screw_move wrote.
/// gradient: of the function there (node order).
double screw_slope(const struct screw *screw, const double *direction, double step, const double *y,
                   const double *gradient);

#endif
