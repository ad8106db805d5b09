// Worlds that are drawn from a seed: 2 to 8 bodies of all kinds, of 1 mm to 10 m and 1e3 to 1e9 Pa,
// light beside heavy, with joints, pressure, held volumes, pins and colliders that rest or move, at
// steps of 1/24 to 1/240 s. Everything else is a default of the library, but for gravity. No two
// surfaces overlap at first; some are closer than contact reaches, some rest, some are thrown at up
// to 2 sqrt(g size). Uses the public API only. league_check.h looks for crossings, league_balance.h
// balances momentum and energy, league_run.h steps a world and tells what it did.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_LEAGUE_H
#define PBS_BENCH_LEAGUE_H

#include <pbs/pbs.h>

#include "common/meshes/mesh.h"

enum { LEAGUE_BODIES = 8, LEAGUE_COLLIDERS = 5, LEAGUE_JOINTS = 8 };

struct league_options {
    bool small;       ///< meshes as coarse as they can be, for tests
    double tolerance; ///< relative_tolerance of the world, the gradient alone deciding; 0:
                      ///< defaults. Tells errors of tolerances from others
};

/// Springs of a custom body, which its callback reads.
struct league_springs {
    double stiffness;     ///< N/m
    double *rest_lengths; ///< m, one a stencil
};

struct league_body {
    pbs_body id;
    int32_t kind;              ///< pbs_body_kind
    char letter;               ///< in the list of kinds: see league_describe
    double size;               ///< m
    double mass;               ///< kg
    double young;              ///< Pa, of what deforms; 0: chosen by the library
    double lower[3], upper[3]; ///< m, box at first, contact offset included
    bool closed;               ///< its surface encloses a volume
    bool pinned, pressed;      ///< vertices are pinned; it has a pressure or a held volume
    bool moves;                ///< it starts with a velocity
    struct league_springs springs;
};

struct league_collider {
    pbs_collider id;
    int32_t shape;               ///< pbs_shape
    struct surface_mesh surface; ///< of PBS_SHAPE_MESH, in its own frame
    double lower[3], upper[3];   ///< m
    double place[3], orientation[4];
    bool scripted;
    double travel[3]; ///< m, amplitude of its motion
    double rate;      ///< rad/s, of that motion
    double turn;      ///< rad/s, about y
};

struct league_joint {
    pbs_joint id;
    int32_t kind;    ///< pbs_joint_kind
    int32_t body[2]; ///< index of each side's body; -1: space
    bool touching;   ///< the joined bodies touch each other
    bool driven;     ///< has a motor, a spring or a damper
};

struct league {
    uint64_t seed;
    struct league_options options;
    pbs_world *world;
    pbs_status status; ///< the first failure while it was made
    int32_t contact;   ///< pbs_contact_kind
    double step;       ///< s
    double size;       ///< m, of the largest bodies
    double distance;   ///< m, about what contact reaches at defaults: of the smallest body
    size_t body_count, collider_count, joint_count;
    struct league_body bodies[LEAGUE_BODIES];
    struct league_collider colliders[LEAGUE_COLLIDERS];
    struct league_joint joints[LEAGUE_JOINTS];
};

/// Makes the world of a seed. *out must be freed, also after a failure.
pbs_status league_create(uint64_t seed, const struct league_options *options, struct league *out);
void league_free(struct league *league);

/// Tells moving colliders where to go, and takes one step.
pbs_status league_step(struct league *league);

/// Goes on from a state of the same world that pbs_world_save has written.
pbs_status league_restore(struct league *league, const void *bytes, size_t size);

/// Writes what the world holds as `key=value` without blanks in values: kinds, a letter a body (S
/// solid, H shell, O closed shell, A affine, P springs, B bonded, D peridynamic, C custom);
/// colliders, a letter each (f half-space, s sphere, b box, c capsule, y cylinder, m mesh, g grid;
/// large: scripted); joints; features (pins, pressure, held).
void league_describe(const struct league *league, char *text, size_t size);

#endif
