// Linear systems for the comparison of solvers, by name: materials and time steps from easy (mass
// dominates) to hard (almost static, almost incompressible), with natural or random node numbering,
// with and without contacts, of cubes and real meshes.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_LINEAR_SCENE_H
#define PBS_BENCH_LINEAR_SCENE_H

#include "scenes/linear/contact_fixture.h"

struct linear_case {
    const char *name; ///< "hard-contact-2"
    double young, poisson, dt;
    bool shuffled;
    struct contact_fixture_desc contacts; ///< density 0: no contacts
    const char *mesh;                     ///< file in the mesh folder; null: the cube
};

/// All systems; the last entry has no name.
extern const struct linear_case linear_cases[];
/// Returns null if there is no system of that name.
const struct linear_case *linear_case_find(const char *name);

struct linear_scene {
    struct fixture fixture;
    struct contact_fixture contacts;
    struct row_restriction *restrictions;
    struct linear_problem problem; ///< problem built from the above; its right-hand side is the
                                   ///< fixture's
};

/// Builds a system. cells: along the cube's edge. mesh_folder: folder of mesh files. Returns
/// PBS_ERROR_ARGUMENT if a mesh cannot be read.
pbs_status linear_scene_build(struct memory *memory, const struct linear_case *what, uint32_t cells,
                              const char *mesh_folder, struct linear_scene *out);
void linear_scene_free(struct memory *memory, struct linear_scene *scene);

#endif
