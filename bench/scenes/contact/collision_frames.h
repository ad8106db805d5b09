// Moving surfaces of whole simulation steps, as a benchmark of broad phase and step bound together.
// The frames are in the folder ccd/frames of the shared data (PBS_SHARED_DATA), whose README has
// the sources. For tests and benches.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_COLLISION_FRAMES_H
#define PBS_BENCH_COLLISION_FRAMES_H

#include "base/runtime/memory.h"
#include "common/program/text.h"
#include "geometry/distances/continuous_collision.h"
#include "scenes/contact/moving_surface.h"

enum { COLLISION_FRAMES = 4 };
extern const char *const collision_frame_names[COLLISION_FRAMES];

/// Reads the surface that moves from folder/NAME_t0.ply to folder/NAME_t1.ply.
bool collision_frame_read(const char *folder, const char *name, struct moving_surface *out,
                          struct message *message);

struct collision_step {
    double time;  ///< largest step, at most 1, up to which no pair collides
    size_t pairs; ///< number of pairs whose swept boxes overlap
    struct collision_statistics statistics;
    double broad_seconds, narrow_seconds; ///< processor time; includes building the trees
};

/// Bounds the step. Exits with a message if memory is short.
struct collision_step collision_frame_bound(struct memory *memory,
                                            const struct moving_surface *surface);

#endif
