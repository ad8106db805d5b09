// OPT's scenes that are not cubes from random places (opt_cubes.h has those): figures 1, 3, 4, 6,
// 7, 10, 12, 13 and 14, whose table is the paper's figure 11. One row each; what the paper does not
// say is ours. Full size, and a small one for tests. Uses the public API alone.
#ifndef PBS_BENCH_OPT_FIGURES_H
#define PBS_BENCH_OPT_FIGURES_H

#include <pbs/pbs.h>

#include "mesh.h"

struct opt_scene;

/// What figure 11 of the paper says; 0: nothing.
struct opt_published {
    double seconds_per_frame;
    double unknowns; ///< degrees of freedom
    double solves_per_step;
};

struct opt_row {
    const char *name;
    struct opt_published published;
    int steps_per_frame;                   ///< of 1/24 s
    int frames, small_frames;              ///< at full size; at the tests' size
    double most_solves;                    ///< a step, of ours at full size: twice the paper's
    void (*fill)(struct opt_scene *scene); ///< leaves the first failure in scene->status
    /// Targets of the step that ends then, s; null: nothing is scripted.
    void (*script)(struct opt_scene *scene, double time);
    /// After each step; null: nothing is done.
    void (*after)(struct opt_scene *scene);
    /// Whether what the figure shows is there, in what was measured; the reason to `reason`.
    bool (*judge)(const struct opt_scene *scene, const char **reason);
    bool touches;  ///< bodies touch each other and themselves, by penalties
    bool has_mesh; ///< full size wants a mesh from a file
};

extern const struct opt_row opt_rows[];
extern const size_t opt_row_count;

struct opt_options {
    bool full;
    const char *meshes;  ///< a folder; null: rows that want one take a torus instead
    int32_t method;      ///< PBS_METHOD_*
    int steps_per_frame; ///< 0: the row's
    int frames;          ///< 0: the row's
    int32_t threads;
    bool without_self; ///< PBS_BODY_CONTACT_NONE
    bool penalty;      ///< colliders are penalties too where the row may choose
    bool post_step;    ///< no colliders: vertices are moved out of them after each step
    double seconds;    ///< of stepping, after which no frame is begun; 0: no limit
    bool progress;     ///< a line of standard error for each frame
};

struct opt_body {
    pbs_body id;
    struct tet_mesh rest;
    double young;
};

struct opt_obstacle {
    pbs_collider id;
    pbs_collider_desc desc; ///< as it was made
    double position[3], orientation[4];
    struct surface_mesh surface; ///< of a grid: what it was made of
};

enum { OPT_OBSTACLES = 40 };

/// What was measured; sums over steps, extremes over their ends.
struct opt_measures {
    int steps;
    uint32_t solves;       ///< Newton iterations
    double seconds;        ///< in steps alone
    double deepest;        ///< m: of penalties
    double least_distance; ///< m: of a vertex from the surface of an obstacle that is a constraint
    double most_kinetic, kinetic;   ///< J: the last one
    size_t inverted, most_inverted; ///< tetrahedra: at the end, and ever
    double edge_strain;             ///< largest |length / rest length - 1|, at the end
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
    size_t held_count; ///< of the first body
    uint32_t *held;
    double *targets;
    struct opt_measures measures;
};

/// False where no row has this name.
bool opt_find(const char *name, const struct opt_row **row);

void opt_options_init(struct opt_options *options);

/// *out is to be freed, also where this failed.
pbs_status opt_create(const struct opt_row *row, const struct opt_options *options,
                      struct opt_scene *out);
void opt_free(struct opt_scene *scene);

/// One step, measured.
pbs_status opt_step(struct opt_scene *scene);
/// All frames, to the first failure; then the ends are measured.
pbs_status opt_run(struct opt_scene *scene);

#endif
