// Stress tests of contact: twisted mats and rods, bodies forced through rings and between rollers,
// spikes, stacks, piles of rings and links, chains, cloth, and the sharp and degenerate meshes of
// Erleben 2018 as in the IPC paper (Li et al. 2020, section 7.1). Each scene is one row of a table,
// with any step, speed, thickness and contact distance. Uses the public API only; torture_check.h
// checks the state after each step.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_TORTURE_H
#define PBS_BENCH_TORTURE_H

#include <pbs/pbs.h>

#include "common/meshes/mesh.h"

struct torture;

enum torture_kind { TORTURE_SOFT, TORTURE_AFFINE, TORTURE_SHELL };

/// A scene. Members that `fill` does not use may be zero.
struct torture_row {
    const char *name;
    void (*fill)(struct torture *scene);
    double seconds;         ///< duration
    double speed;           ///< m/s, if the options give none
    enum torture_kind kind; ///< kind of the main body
    bool impossible;        ///< must end in a failed step, because no space is left for a body
    // For scenes with sharp meshes: one mesh is lowered onto another.
    const char *body, *obstacle; ///< mesh names; null: a cube as body, a sheet as obstacle
    double x;                    ///< x of the body's centre, in units of the meshes
    bool across;                 ///< rotated by 90 degrees about y
    bool slides;                 ///< starts on the obstacle and slides along x
    bool loose;                  ///< the obstacle is a free affine body on the ground
};

extern const struct torture_row torture_rows[];
extern const size_t torture_row_count;

struct torture_options {
    const char *meshes;   ///< folder of meshes; null: rows with sharp meshes are not available, and
                          ///< generated shapes replace other meshes
    bool full;            ///< size of the bench; otherwise of the tests
    double step;          ///< s
    double speed;         ///< m/s, of thrown or driven bodies; 0: as defined by the row
    double thickness;     ///< m, thickness of shells
    int32_t scheme;       ///< PBS_SCHEME_*
    pbs_world_desc world; ///< solver settings; the scene sets gravity
};

/// Sets implicit Euler at 1/100 s, thickness and contact distance of 1 mm, and semidefinite
/// Hessians.
void torture_options_init(struct torture_options *options);

struct torture_body {
    pbs_body id;
    enum torture_kind kind;
    struct tet_mesh rest; ///< rest mesh of soft bodies; empty for others
};

struct torture_obstacle {
    pbs_collider id;
    struct surface_mesh surface; ///< surface in the obstacle's frame; empty: the half-space y < 0
                                 ///< of that frame
};

/// A prescribed motion of vertices of a body, a whole affine body, or a collider: rotation about
/// `centre` plus translation, relative to the initial pose.
struct torture_mover {
    pbs_body body; ///< null: a collider
    pbs_collider collider;
    size_t count;       ///< number of vertices; 0: the whole body
    uint32_t *vertices; ///< count
    double *start;      ///< count x 3, m
    double *targets;    ///< count x 3, m
    double place[3];    ///< m, initial position of a collider or a whole body
    double velocity[3]; ///< m/s
    double axis[3];     ///< unit vector
    double rate;        ///< angular speed about the axis, 1/s
    double centre[3];   ///< m, centre of rotation of vertices
    double end;         ///< s: the motion stops then
};

struct torture {
    const struct torture_row *row;
    struct torture_options options;
    double speed; ///< m/s
    pbs_world *world;
    pbs_status status; ///< the first failure during creation
    size_t body_count, obstacle_count, mover_count;
    struct torture_body *bodies;
    struct torture_obstacle *obstacles;
    struct torture_mover *movers;
};

/// Returns false if no row has this name.
bool torture_find(const char *name, const struct torture_row **row);

/// Returns whether the meshes that a row needs are available.
bool torture_can(const struct torture_row *row, const struct torture_options *options);

/// Creates a scene. *out must be freed, also after a failure.
pbs_status torture_create(const struct torture_row *row, const struct torture_options *options,
                          struct torture *out);
void torture_free(struct torture *scene);

/// Sets the prescribed motions and takes one step.
pbs_status torture_step(struct torture *scene);

/// Sets the velocity of all vertices of a body, m/s.
pbs_status torture_kick(struct torture *scene, size_t index, const double velocity[3]);

#endif
