// Scenes that have broken contact codes: twisted mats and rods, bodies forced through rings and
// between rollers, spikes, stacks, piles of rings and links, chains, cloth, and the sharp and
// degenerate meshes of Erleben 2018 as the IPC paper (Li et al. 2020, section 7.1) has them. One
// row of a table each, at any step, speed, thickness and contact distance; uses the public API
// alone. What must hold after each step is measured by torture_check.h.
#ifndef PBS_BENCH_TORTURE_H
#define PBS_BENCH_TORTURE_H

#include <pbs/pbs.h>

#include "mesh.h"

struct torture;

enum torture_kind { TORTURE_SOFT, TORTURE_AFFINE, TORTURE_SHELL };

/// A scene. What `fill` does not use may be left out.
struct torture_row {
    const char *name;
    void (*fill)(struct torture *scene);
    double seconds;         ///< how long it takes
    double speed;           ///< m/s, where the options name none
    enum torture_kind kind; ///< of what is tortured
    bool impossible;        ///< must end in a failed step: nothing is left for what is in between
    // Of the sharp ones: one mesh comes down on another.
    const char *body, *obstacle; ///< a mesh's name; null: a cube, a sheet
    double x;                    ///< of the middle of the body, in units of the meshes
    bool across;                 ///< turned by a quarter about y
    bool slides;                 ///< starts on the obstacle and goes along x
    bool loose;                  ///< the obstacle is an affine body on the ground
};

extern const struct torture_row torture_rows[];
extern const size_t torture_row_count;

struct torture_options {
    const char *meshes;   ///< a folder; null: rows with sharp meshes are left out, and other shapes
                          ///< take the place of the rest
    bool full;            ///< the size of the bench; else that of the tests
    double step;          ///< s
    double speed;         ///< m/s, of what is thrown or scripted; 0: the row's
    double thickness;     ///< m, of shells; their surfaces lie half of it off their middle
    int32_t scheme;       ///< PBS_SCHEME_*
    pbs_world_desc world; ///< gravity is set here
};

/// Implicit Euler at 1/100 s, 1 mm thick and as far away, semidefinite Hessians.
void torture_options_init(struct torture_options *options);

struct torture_body {
    pbs_body id;
    enum torture_kind kind;
    struct tet_mesh rest; ///< of soft ones; else empty
};

struct torture_obstacle {
    pbs_collider id;
    struct surface_mesh surface; ///< in its own frame; empty: the half-space below its y = 0
};

/// What is scripted: vertices of a body, a whole affine body, or a collider. At time t it is at its
/// first place, turned about `centre` and moved along.
struct torture_mover {
    pbs_body body; ///< null: a collider
    pbs_collider collider;
    size_t count;       ///< of the vertices; 0: the whole body
    uint32_t *vertices; ///< count
    double *start;      ///< count x 3, m
    double *targets;    ///< count x 3, m
    double place[3];    ///< m, of a collider or a whole body at first
    double velocity[3]; ///< m/s
    double axis[3];     ///< unit
    double rate;        ///< 1/s, about the axis
    double centre[3];   ///< m, of vertices that turn
    double end;         ///< s: stays from then on
};

struct torture {
    const struct torture_row *row;
    struct torture_options options;
    double speed; ///< m/s
    pbs_world *world;
    pbs_status status; ///< the first failure while it was made
    size_t body_count, obstacle_count, mover_count;
    struct torture_body *bodies;
    struct torture_obstacle *obstacles;
    struct torture_mover *movers;
};

/// False where no row has this name.
bool torture_find(const char *name, const struct torture_row **row);

/// Whether all that the row needs is there.
bool torture_can(const struct torture_row *row, const struct torture_options *options);

/// *out is to be freed, also where this failed.
pbs_status torture_create(const struct torture_row *row, const struct torture_options *options,
                          struct torture *out);
void torture_free(struct torture *scene);

/// Scripts what is scripted and takes one step.
pbs_status torture_step(struct torture *scene);

/// Gives all vertices of a body this velocity, m/s.
pbs_status torture_kick(struct torture *scene, size_t index, const double velocity[3]);

#endif
