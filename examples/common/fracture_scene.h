// Scenes of bonded bodies, by the names that BDEM gives them (its table 1), and a mesh of the
// user's own that drops and breaks. Boxes are of jittered tetrahedra, a particle each.

#ifndef PBS_COMMON_FRACTURE_SCENE_H
#define PBS_COMMON_FRACTURE_SCENE_H

#include <pbs/pbs.h>

#include "mesh.h"
#include "text.h"

/// Zero means the scene's own, except where said.
struct fracture_setup {
    const char *scene;           ///< one of fracture_scene_name
    const struct tet_mesh *mesh; ///< for "drop": what drops
    double detail;               ///< particles relative to table 1
    double size;                 ///< metres: of the largest side; < 0: such that the stable step
                                 ///< of explicit steps is that of table 1
    double young;                ///< Pa
    double strength;             ///< Pa, of all bonds in tension and in shear; < 0: never
    double speed;                ///< m/s, at which it falls or is hit
    double step;                 ///< s
    int32_t scheme;              ///< PBS_SCHEME_*; 0 is implicit Euler, as in the paper
    int32_t threads;             ///< 0: one a processor
    uint64_t seed;               ///< of the jitter and of the strengths' scatter
};

struct fracture_scene {
    const struct fracture_row *row; ///< of the table of scenes
    struct tet_mesh mesh;           ///< where it was at first
    pbs_world *world;
    pbs_body body;
    pbs_body ball; ///< id 0: none
    bool has_ground;
    double size, step, young;
    size_t end_count[2];
    uint32_t *ends[2]; ///< particles that are held, at both ends of a beam
    double *rest;      ///< particle_count x 3
    double middle;     ///< height of a beam's axis
};

/// The name and what it shows; null past the last one.
const char *fracture_scene_name(size_t index);
const char *fracture_scene_purpose(size_t index);

/// To be freed, also after a failure.
bool fracture_scene_make(const struct fracture_setup *setup, struct fracture_scene *out,
                         struct message *message);
void fracture_scene_free(struct fracture_scene *scene);

/// Moves what is held to where it is to be at the end of the next step, and takes it.
pbs_status fracture_scene_step(struct fracture_scene *scene);

#endif
