// Effect of the interpolation of a distance grid on Newton's method (OPT section 5.2): a particle
// is pulled into a ball, or into the wall of a bowl (scenes/contact/particle_in_bowl.h). Prints
// lines
//     bench particle_in_bowl solid=ball|bowl interpolation=linear|cubic radius_cells=...
//     targets=... mean_iterations=... most_iterations=... failures=... largest_gradient=...
// for 500 targets. A failure is a target for which |gradient| / K is not below 1e-6 m after 200
// iterations.
// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "scenes/contact/particle_in_bowl.h"

int main(void) {
    static const double sizes[] = {2.7, 5.3, 10.7};
    for (int kind = 0; kind < 4; kind++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const struct bowl_trial trial = {.is_bowl = kind / 2 == 1,
                                             .is_linear = kind % 2 == 0,
                                             .radius_cells = sizes[i],
                                             .targets = 500};
            struct bowl_result r;
            if (!particle_in_bowl(&trial, &r)) {
                return 1;
            }
            printf("bench particle_in_bowl solid=%s interpolation=%s radius_cells=%g targets=%zu "
                   "mean_iterations=%.1f most_iterations=%d failures=%zu largest_gradient=%.1e\n",
                   trial.is_bowl ? "bowl" : "ball", trial.is_linear ? "linear" : "cubic",
                   trial.radius_cells, trial.targets, r.mean_iterations, r.most_iterations,
                   r.failures, r.largest);
        }
    }
    return 0;
}
