// Which pairs of objects touch: a sorted list of ids, which is compared with that of the step
// before.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_OBJECTS_PAIR_LIST_H
#define PBS_WORLD_OBJECTS_PAIR_LIST_H

#include "world/interface/byte_stream.h"

/// Two public ids. Pairs are sorted by the first one, then by the second one.
struct id_pair {
    uint64_t first, second;
};

/// A zero-initialised list is empty and valid. Its buffer grows and never shrinks.
struct pair_list {
    struct id_pair *pairs;
    size_t count, capacity;
};

pbs_status pair_list_reserve(struct memory *memory, size_t count, struct pair_list *list);
void pair_list_free(struct memory *memory, struct pair_list *list);

/// Sorts the pairs and removes duplicates. Allocates nothing.
void pair_list_sort(struct pair_list *list);

/// Whether the pairs are sorted without duplicates, as those of a saved world must be.
bool pair_list_is_sorted(const struct pair_list *list);

void pair_list_write(struct byte_writer *out, const struct pair_list *list);
/// PBS_ERROR_FORMAT, PBS_ERROR_MEMORY.
pbs_status pair_list_read(struct byte_reader *in, struct memory *memory, struct pair_list *list);

/// Pairs that began or ended to touch in the last step.
struct pair_event {
    struct id_pair pair;
    int32_t kind; ///< PBS_PAIR_*
};

/// A zero-initialised struct is empty and valid.
struct pair_events {
    struct pair_list next; ///< the pairs of the step that is being taken
    struct pair_event *rows;
    size_t count, capacity;
};

void pair_events_free(struct memory *memory, struct pair_events *events);

/// Reserves memory for two lists of up to `count` pairs, and for what may differ between them.
/// Afterwards no step with at most as many pairs allocates.
pbs_status pair_events_reserve(struct memory *memory, size_t count, struct pair_list *before,
                               struct pair_events *events);

/// Sorts events->next, writes the differences between the two lists to the rows, sorted by pair,
/// and exchanges the lists. Cannot fail after pair_events_reserve.
void pair_events_commit(struct pair_list *before, struct pair_events *events);

#endif
