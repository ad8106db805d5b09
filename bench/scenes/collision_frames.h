// Whole steps of simulations as surfaces that move: the frames of ../shared/data/ccd/frames (its
// README has the sources), for broad phase and step bound together. For tests and benches.
#ifndef PBS_BENCH_COLLISION_FRAMES_H
#define PBS_BENCH_COLLISION_FRAMES_H

#include "base/runtime/memory.h"
#include "geometry/distances/continuous_collision.h"
#include "scenes/moving_surface.h"
#include "text.h"

enum { COLLISION_FRAMES = 4 };
extern const char *const collision_frame_names[COLLISION_FRAMES];

/// folder/NAME_t0.ply moving to folder/NAME_t1.ply.
bool collision_frame_read(const char *folder, const char *name, struct moving_surface *out,
                          struct message *message);

struct collision_step {
    double time;  ///< up to which all pairs are free, at most 1
    size_t pairs; ///< whose swept boxes meet
    struct collision_statistics statistics;
    double broad_seconds, narrow_seconds; ///< of the processor; trees are built anew
};

/// Ends the program with a message where memory is short.
struct collision_step collision_frame_bound(struct memory *memory,
                                            const struct moving_surface *surface);

#endif
