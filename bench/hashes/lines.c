// See lines.h.
// SPDX-License-Identifier: MIT
#include "hashes/lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/program/text.h"

// --- one scene ---

/// FNV-1a by words. With one argument fixed it is a bijection of the other, so sequences that
/// differ in one word get different hashes.
static void mix(struct hash_lines *lines, uint64_t word) {
    lines->hash = (lines->hash ^ word) * UINT64_C(0x100000001b3);
}

bool hash_begin(struct hash_lines *lines, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_vprint(lines->name, sizeof lines->name, format, arguments);
    va_end(arguments);
    lines->steps = 0;
    lines->hash = UINT64_C(0xcbf29ce484222325);
    if (strncmp(lines->name, lines->prefix, strlen(lines->prefix)) != 0) {
        return false;
    }
    if (lines->only_names) {
        printf("%s\n", lines->name);
    }
    return !lines->only_names;
}

void hash_world(struct hash_lines *lines, const pbs_world *world) {
    mix(lines, pbs_world_hash(world));
    lines->steps++;
}

void hash_more(struct hash_lines *lines, const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, &numbers[i], sizeof word);
        mix(lines, word);
    }
}

void hash_numbers(struct hash_lines *lines, const double *numbers, size_t count) {
    hash_more(lines, numbers, count);
    lines->steps++;
}

void hash_end(struct hash_lines *lines, double time, pbs_status status) {
    char number[32];
    text_print(number, sizeof number, "%.17g", time);
    printf("hash scene=%s steps=%zu time=%s hash=%016" PRIx64, lines->name, lines->steps, number,
           lines->hash);
    if (status != PBS_OK) {
        printf(" status=%s", pbs_status_name(status));
    }
    printf("\n");
    fflush(stdout);
    if (status < 0 && lines->steps == 0) {
        fprintf(stderr, "hashes: %s: %s\n", lines->name, pbs_last_error());
        lines->failed = true;
    }
}

// --- steps ---

void hash_scene(struct hash_lines *lines, pbs_status made, const pbs_world *world,
                hash_step_fn step, void *scene, int steps) {
    pbs_status status = made;
    for (int i = 0; i < steps && status >= 0; i++) {
        status = step(scene);
        hash_world(lines, world);
    }
    hash_end(lines, pbs_world_time(world), status);
}

struct stepped {
    pbs_world *world;
    double h;
};

static pbs_status step(void *scene) {
    const struct stepped *s = scene;
    return pbs_world_step(s->world, s->h);
}

static pbs_status advance(void *scene) {
    const struct stepped *s = scene;
    return pbs_world_advance(s->world, s->h);
}

void hash_steps(struct hash_lines *lines, pbs_status made, pbs_world *world, double h, int steps) {
    struct stepped stepped = {world, h};
    hash_scene(lines, made, world, step, &stepped, steps);
}

void hash_advances(struct hash_lines *lines, pbs_status made, pbs_world *world, double h,
                   int steps) {
    struct stepped stepped = {world, h};
    hash_scene(lines, made, world, advance, &stepped, steps);
}
