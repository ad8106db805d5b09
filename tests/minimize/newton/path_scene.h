// A state and a direction, both random, from which line searches go, for tests of their paths.
// SPDX-License-Identifier: MIT
#ifndef PBS_TESTS_MINIMIZE_NEWTON_PATH_SCENE_H
#define PBS_TESTS_MINIMIZE_NEWTON_PATH_SCENE_H

#include "minimize/fixture.h"
#include "minimize/newton/state.h"
#include "minimize/springs.h"
#include "support/random.h"

enum { PATH_NODES = 6, PATH_COUNT = 3 * PATH_NODES };

/// One body: nodes with random masses in a row of springs.
struct path_scene {
    struct fixture f;
    struct springs springs;
    uint32_t stencils[2 * (PATH_NODES - 1)];
    struct minimization m;
    double place[PATH_COUNT], tangent[PATH_COUNT]; ///< for results
};

/// Ends with fixture_destroy(&s->f). random: goes on to be used by the caller.
static inline void path_scene_make(struct path_scene *s, struct random *random) {
    *s = (struct path_scene){.springs = {.stiffness = 1.0, .rest = 1.0}};
    for (uint32_t i = 0; i + 1 < PATH_NODES; i++) {
        s->stencils[2 * (size_t)i] = i;
        s->stencils[2 * (size_t)i + 1] = i + 1;
    }
    fixture_create(&s->f,
                   &(struct fixture_input){.node_count = PATH_NODES,
                                           .width = 2,
                                           .stencil_count = PATH_NODES - 1,
                                           .stencils = s->stencils,
                                           .evaluate = springs_evaluate,
                                           .user = &s->springs,
                                           .preconditioner = PBS_PRECONDITIONER_BLOCK_JACOBI});
    random_fill(random, 0.1, 2.0, s->f.mass, PATH_NODES);
    random_fill(random, -1.0, 1.0, s->f.newton->current.x, PATH_COUNT);
    random_fill(random, -1.0, 1.0, s->f.newton->direction, PATH_COUNT);
    s->m = (struct minimization){.newton = s->f.newton, .objective = &s->f.objective};
}

#endif
