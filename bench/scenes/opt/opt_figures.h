// The scenes of OPT's figures 1, 3, 4, 6, 7, 10, 12, 13 and 14, which the paper's figure 11
// tabulates (figures 8 and 9 are in opt_cubes.h). There is one row per scene, in full size and a
// small size for tests. Parameters that the paper does not give are chosen here. Uses the public
// API only.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_OPT_FIGURES_H
#define PBS_BENCH_OPT_FIGURES_H

#include <pbs/pbs.h>

#include "common/meshes/mesh.h"

struct opt_scene;

/// Values of the paper's figure 11; 0: not given.
struct opt_published {
    double seconds_per_frame;
    double unknowns; ///< degrees of freedom
    double solves_per_step;
};

struct opt_row {
    const char *name;
    struct opt_published published;
    int steps_per_frame;      ///< a frame is 1/24 s
    int frames, small_frames; ///< number of frames at full size and at the tests' size
    double most_solves;       ///< largest accepted mean of solves per step at full size: twice the
                              ///< paper's
    void (*fill)(struct opt_scene *scene); ///< builds the scene; stores the first failure in
                                           ///< scene->status
    /// Sets the prescribed motion of the step that ends at `time`, s; null: no prescribed motion.
    void (*script)(struct opt_scene *scene, double time);
    /// Called after each step; may be null.
    void (*after)(struct opt_scene *scene);
    /// Returns whether the measurements reproduce what the figure shows; if not, sets *reason.
    bool (*judge)(const struct opt_scene *scene, const char **reason);
    bool touches;  ///< bodies collide with each other and themselves, by penalties
    bool has_mesh; ///< the full size uses a mesh file
};

extern const struct opt_row opt_rows[];
extern const size_t opt_row_count;

struct opt_options {
    bool full;
    const char *meshes;  ///< folder of meshes; null: a torus replaces a mesh
    int32_t method;      ///< PBS_METHOD_*
    int steps_per_frame; ///< 0: as defined by the row
    int frames;          ///< 0: as defined by the row
    int32_t threads;
    bool without_self; ///< disables contact between bodies (PBS_BODY_CONTACT_NONE)
    bool penalty;      ///< colliders use penalties too, if the row allows it
    bool post_step;    ///< no colliders: vertices are moved out of obstacles after each step
    double seconds;    ///< limit of the time spent in steps; no frame starts later. 0: no limit
    bool progress;     ///< print a line to standard error for each frame
    const char *checkpoint; ///< continue from this file if it is there, replace it after each
                            ///< frame; null: neither
};

struct opt_body {
    pbs_body id;
    struct tet_mesh rest;
    double young;
};

struct opt_obstacle {
    pbs_collider id;
    pbs_collider_desc desc; ///< initial settings
    double position[3], orientation[4];
    struct surface_mesh surface; ///< of a grid: the mesh from which it was built
};

enum { OPT_OBSTACLES = 40 };

/// Measurements: sums over steps, and extremes over the states after steps.
struct opt_measures {
    int steps;
    uint32_t solves;                ///< Newton iterations
    double seconds;                 ///< time spent in steps
    double deepest;                 ///< m: deepest penetration of penalty contact
    double deepest_in_collider;     ///< m: the same, into colliders alone
    double least_distance;          ///< m: smallest distance of a vertex from an obstacle that is a
                                    ///< constraint
    double most_kinetic, kinetic;   ///< J: largest and last kinetic energy
    size_t inverted, most_inverted; ///< inverted tetrahedra: at the end, and the maximum
    double edge_strain;             ///< largest |length / rest length - 1| at the end
};

struct opt_scene {
    const struct opt_row *row;
    struct opt_options options;
    int steps_per_frame;
    pbs_world *world;
    pbs_status status;
    double time; ///< s
    size_t body_count;
    struct opt_body *bodies;
    size_t obstacle_count;
    struct opt_obstacle obstacles[OPT_OBSTACLES];
    size_t unknowns;
    size_t held_count; ///< number of prescribed vertices of the first body
    uint32_t *held;
    double *targets;
    size_t contact_capacity;
    pbs_contact *contacts; ///< scratch
    struct opt_measures measures;
};

/// Returns false if no row has this name.
bool opt_find(const char *name, const struct opt_row **row);

void opt_options_init(struct opt_options *options);

/// Creates a scene. *out must be freed, also after a failure.
pbs_status opt_create(const struct opt_row *row, const struct opt_options *options,
                      struct opt_scene *out);
void opt_free(struct opt_scene *scene);

/// Takes and measures one step.
pbs_status opt_step(struct opt_scene *scene);
/// Runs all frames or up to the first failure, then measures the final state. A run that continues
/// from a checkpoint counts the frames, steps and seconds before it too.
pbs_status opt_run(struct opt_scene *scene);

#endif
