// A hash of the state. It uses the bits of numbers, so that states that differ in the last bit have
// different hashes. -0 is hashed as 0, because both are the same state.
// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "world/objects/body_table.h"
#include "world/world.h"

/// Mixes by multiplications and shifts, after the finaliser of SplitMix (Steele, Lea and Flood).
static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 29) * UINT64_C(0x94d049bb133111eb);
    return hash ^ hash >> 32;
}

static uint64_t mix_number(uint64_t hash, double value) {
    uint64_t bits;
    value = value == 0.0 ? 0.0 : value;
    memcpy(&bits, &value, sizeof bits);
    return mix(hash, bits);
}

static void mix_in(void *hash, double value) {
    uint64_t *const own = hash;
    *own = mix_number(*own, value);
}

uint64_t pbs_world_hash(const pbs_world *w) {
    if (w == NULL) {
        return 0;
    }
    ARITHMETIC_SCOPE();
    world_compact_nodes(w);
    const struct nodes *nodes = &w->scene.nodes;
    uint64_t hash = mix(UINT64_C(0x9e3779b97f4a7c15), nodes->count);
    hash = mix_number(hash, w->scene.time);
    for (size_t i = 0; i < 3 * nodes->count; i++) {
        hash = mix_number(hash, nodes->x[i]);
        hash = mix_number(hash, nodes->v[i]);
    }
    for (size_t b = 0; b < w->scene.bodies.count; b++) {
        const struct body *body = scene_body(&w->scene, b);
        if (body->table->state != NULL) {
            fields_visit(body->table->state, FIELD_HASHED, body, mix_in, &hash);
        }
    }
    return hash;
}
