// A particle that is drawn to a point in a solid by a spring and pushed out by a penalty
// (src/contact/penetration/level_set_penalty.h): Newton's method on 1/2 K |x - a|^2 + P(x), as for
// one vertex of an implicit step. The solid is a ball of radius 1 m, or all that is outside of one:
// a bowl. Its distance is interpolated on a grid.
#ifndef PBS_BENCH_PARTICLE_IN_BOWL_H
#define PBS_BENCH_PARTICLE_IN_BOWL_H

#include <stdbool.h>
#include <stddef.h>

struct bowl_trial {
    bool is_bowl;
    bool is_linear;      ///< the interpolation, by straight lines
    double radius_cells; ///< of the ball, in cells of the grid
    size_t targets;      ///< points a, up to 0.3 m deep, in all directions
};

enum { BOWL_ITERATIONS = 200 }; ///< and no more

struct bowl_result {
    double mean_iterations;
    int most_iterations;
    size_t failures; ///< targets from which |gradient| did not come below 1e-6 K m in that many
    double largest;  ///< |gradient| in parts of K m, where it ended
};

/// False without memory.
bool particle_in_bowl(const struct bowl_trial *trial, struct bowl_result *out);

#endif
