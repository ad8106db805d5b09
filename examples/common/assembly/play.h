// Plays the world of an assembly, a frame a step, writes its page and pictures, and says what the
// steps cost: for examples that differ in nothing but their scenes and what they measure.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_PLAY_H
#define PBS_COMMON_PLAY_H

#include "common/assembly/assembly.h"
#include "common/program/command_line.h"

struct play {
    const char *out, *name;
    int64_t frames, threads;
    int64_t steps; ///< per frame
};

enum { PLAY_OPTIONS = 5 };

/// 60 a second.
extern const double PLAY_FRAME; // s

/// Fills the options that all these examples have; an example's own come after them.
void play_options(struct play *play, struct command_option options[PLAY_OPTIONS]);

/// What an example does after each step, such as driving motors and noting the largest forces;
/// step 0 is before the first one.
typedef void (*play_fn)(void *user, struct assembly *a, int64_t step);

/// What the steps took, and facts that hold in every scene.
struct play_tally {
    int64_t steps, divided, unconverged;
    uint64_t iterations;
    uint32_t most_iterations;
    double seconds, longest;
    double gap;      ///< m: the largest of a joint at the end of a step
    size_t overlaps; ///< pairs of surfaces, summed over steps
};

/// Plays until the last frame or an interruption; files are written even if a step fails.
bool play_run(const struct play *play, struct assembly *a, play_fn after, void *user,
              struct play_tally *tally);
void play_print(const struct play *play, const struct play_tally *tally);

#endif
