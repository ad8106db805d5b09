// Prints lines `hash scene=NAME steps=N time=T hash=H`. H is a hash of all bits of the states after
// all steps, so it also shows a difference that later steps remove. T is the time of the world, s.
// A step that fails ends its scene. If the last status is not PBS_OK, the line names it.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_HASHES_LINES_H
#define PBS_BENCH_HASHES_LINES_H

#include <pbs/pbs.h>

enum { HASH_NAME = 96 };

struct hash_lines {
    const char *prefix; ///< scenes whose names begin with this are run
    bool only_names;    ///< only names are printed; nothing is run
    bool failed;        ///< a scene could not be made
    // Of the scene that runs:
    char name[HASH_NAME];
    size_t steps;
    uint64_t hash;
};

/// Begins a scene. False where it is not to be run.
bool hash_begin(struct hash_lines *lines, const char *format, ...);

/// What has come out of a step: the world's hash, or any numbers.
void hash_world(struct hash_lines *lines, const pbs_world *world);
void hash_numbers(struct hash_lines *lines, const double *numbers, size_t count);
/// Numbers that belong to the step before.
void hash_more(struct hash_lines *lines, const double *numbers, size_t count);

/// Ends the scene and prints its line.
/// @param status  of the last step; below 0 before the first step: it could not be made
void hash_end(struct hash_lines *lines, double time, pbs_status status);

/// One step of a scene.
typedef pbs_status (*hash_step_fn)(void *scene);

/// Steps a scene whose world this is, and ends it.
/// @param made  the status of making it; below 0: nothing is stepped
void hash_scene(struct hash_lines *lines, pbs_status made, const pbs_world *world,
                hash_step_fn step, void *scene, int steps);
/// The same by pbs_world_step(world, h).
void hash_steps(struct hash_lines *lines, pbs_status made, pbs_world *world, double h, int steps);
/// The same by pbs_world_advance(world, h).
void hash_advances(struct hash_lines *lines, pbs_status made, pbs_world *world, double h,
                   int steps);

#endif
