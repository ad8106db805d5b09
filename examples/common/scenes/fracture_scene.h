// Scenes of bonded bodies with the names of BDEM's table 1, and a user's mesh that drops and
// breaks. Boxes consist of jittered tetrahedra, with one particle each.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_FRACTURE_SCENE_H
#define PBS_COMMON_FRACTURE_SCENE_H

#include <pbs/pbs.h>

#include "common/meshes/mesh.h"
#include "common/program/text.h"

/// Zero means the scene's default, unless noted otherwise.
struct fracture_setup {
    const char *scene;           ///< one of fracture_scene_name
    const struct tet_mesh *mesh; ///< for "drop": the mesh that drops
    double detail;               ///< particles relative to table 1
    double size; ///< metres: largest side; < 0: chosen so that the stable step of explicit steps is
                 ///< that of table 1
    double young;    ///< Pa
    double strength; ///< Pa, of all bonds in tension and in shear; < 0: never
    double speed;    ///< m/s, at which it falls or is hit
    double step;     ///< s
    int32_t scheme;  ///< PBS_SCHEME_*; 0 is implicit Euler, as in the paper
    int32_t threads; ///< 0: one a processor
    uint64_t seed;   ///< of the jitter and of the strengths' scatter
};

struct fracture_scene {
    const struct fracture_row *row; ///< row of the table of scenes
    struct tet_mesh mesh;           ///< initial mesh
    pbs_world *world;
    pbs_body body;
    pbs_body ball; ///< id 0: none
    bool has_ground;
    double size, step, young;
    size_t end_count[2];
    uint32_t *ends[2]; ///< particles with prescribed motion, at both ends of a beam
    double *rest;      ///< particle_count x 3
    double middle;     ///< height of a beam's axis
};

/// Return the name and a description; null after the last scene.
const char *fracture_scene_name(size_t index);
const char *fracture_scene_purpose(size_t index);

/// Creates a scene. *out must be freed, also after a failure.
bool fracture_scene_make(const struct fracture_setup *setup, struct fracture_scene *out,
                         struct message *message);
void fracture_scene_free(struct fracture_scene *scene);

/// Sets the prescribed positions at the end of the next step, and takes the step.
pbs_status fracture_scene_step(struct fracture_scene *scene);

#endif
