// A particle that a spring pulls to a point inside a solid and a penalty pushes out
// (src/contact/penetration/level_set_penalty.h): Newton's method on 1/2 K |x - a|^2 + P(x), as for
// one vertex of an implicit step. The solid is a ball of radius 1 m, or the complement of the ball:
// a bowl. Its distance is interpolated on a grid.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_PARTICLE_IN_BOWL_H
#define PBS_BENCH_PARTICLE_IN_BOWL_H

#include <stdbool.h>
#include <stddef.h>

struct bowl_trial {
    bool is_bowl;
    bool is_linear;      ///< trilinear instead of cubic interpolation
    double radius_cells; ///< radius of the ball in grid cells
    size_t targets;      ///< number of points a, up to 0.3 m deep, in all directions
};

enum { BOWL_ITERATIONS = 200 }; ///< iteration limit

struct bowl_result {
    double mean_iterations;
    int most_iterations;
    size_t failures; ///< targets for which |gradient| was not below 1e-6 K m after BOWL_ITERATIONS
    double largest;  ///< largest final |gradient|, in units of K m
};

/// Runs all targets. Returns false if memory is short.
bool particle_in_bowl(const struct bowl_trial *trial, struct bowl_result *out);

#endif
