// The linear systems that solvers are compared on, by name: materials and time steps from easy
// (mass prevails) to hard (almost static, almost incompressible), the host's numbering natural or
// random, with and without contacts, cubes and real meshes.
#ifndef PBS_BENCH_LINEAR_SCENE_H
#define PBS_BENCH_LINEAR_SCENE_H

#include "scenes/contact_fixture.h"

struct linear_case {
    const char *name; ///< "hard-contact-2"
    double young, poisson, dt;
    bool shuffled;
    struct contact_fixture_desc contacts; ///< density 0: none
    const char *mesh;                     ///< file in the folder of meshes; null: the cube
};

/// All of them, ended by one without a name.
extern const struct linear_case linear_cases[];
/// Null where there is none of that name.
const struct linear_case *linear_case_find(const char *name);

struct linear_scene {
    struct fixture fixture;
    struct contact_fixture contacts;
    struct row_restriction *restrictions;
    struct linear_problem problem; ///< of the above; its right-hand side is the fixture's
};

/// cells: of the cube. mesh_folder: where meshes are. PBS_ERROR_ARGUMENT where a mesh cannot be
/// read.
pbs_status linear_scene_build(struct memory *memory, const struct linear_case *what, uint32_t cells,
                              const char *mesh_folder, struct linear_scene *out);
void linear_scene_free(struct memory *memory, struct linear_scene *scene);

#endif
