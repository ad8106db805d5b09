// Three bodies of two nodes each, whose masses differ, and the forces on them, for tests of who is
// struck and of what they remember.
// SPDX-License-Identifier: MIT
#ifndef PBS_SUPPORT_STRUCK_FIXTURE_H
#define PBS_SUPPORT_STRUCK_FIXTURE_H

#include "integrate/impacts/struck_memory.h"

#include "support/testing.h"

enum { NODES = 6, COUNT = 3 * NODES };

static const uint32_t parts[NODES] = {0, 0, 1, 1, 2, 2};
static const double masses[NODES] = {1.0, 1.0, 4.0, 4.0, 100.0, 100.0};
static uint32_t layout_rows[NODES] = {0, 1, 2, 3, 4, 5};

struct fixture {
    struct memory memory;
    struct struck_bodies struck;
    struct struck_memory remembered;
    uint8_t constrained_axes[NODES];
    uint8_t kinds[NODES];
    struct assembly assembly; ///< of which only the layout is read
    struct objective objective;
    double before[COUNT], after[COUNT]; ///< N
};

static inline void begin(struct fixture *f) {
    *f = (struct fixture){.before = {0.0}};
    memory_init(&f->memory, NULL);
    assert_ok(struck_bodies_reserve(&f->struck, &f->memory, NODES));
    assert_ok(struck_memory_reserve(&f->remembered, &f->memory, NODES));
    f->assembly.layout = (struct layout){.row = layout_rows, .kind = f->kinds};
    f->objective = (struct objective){.assembly = &f->assembly,
                                      .node_parts = parts,
                                      .mass = masses,
                                      .constrained_axes = f->constrained_axes};
}

static inline void end(struct fixture *f) {
    struck_bodies_free(&f->struck, &f->memory);
    struck_memory_free(&f->remembered, &f->memory);
}

static inline void find(struct fixture *f) {
    struck_bodies_find(&f->struck, &f->objective, f->before, f->after);
}

#endif
