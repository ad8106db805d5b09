// Groups of stencils that couple the same nodes, such as those of all contacts and frictions of two
// stiff bodies: they share one block of the contact matrix (docs/theory/contact.md section 2.3).
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_CONTACT_GROUPS_H
#define PBS_CONTACT_CONTACT_GROUPS_H

#include "contact/contact_blocks.h"

/// A zero-initialised one is empty and valid. Buffers grow and never shrink.
struct contact_groups {
    size_t item_count; ///< items that have been added
    size_t count;      ///< groups
    size_t slot_count; ///< a power of two
    uint32_t *start;   ///< count + 1: of the items of each group
    uint32_t *items;   ///< by group, ascending; groups in the order of their first items
    uint32_t *group;   ///< per item
    uint32_t *width;   ///< per group: number of its nodes
    uint32_t *nodes;   ///< per group: CONTACT_STENCIL_LIMIT of them
    uint32_t *slots;   ///< slot_count, scratch: a hash table of groups
    size_t start_capacity, item_capacity, group_capacity, width_capacity, node_capacity,
        slot_capacity;
};

/// Empties the groups, with memory for `item_count` items.
pbs_status contact_groups_begin(struct memory *memory, size_t item_count,
                                struct contact_groups *groups);
/// Adds the next item. Its nodes are ascending.
void contact_groups_add(struct contact_groups *groups, const struct contact_nodes *nodes);
/// Lists the items of each group, after all have been added.
void contact_groups_finish(struct contact_groups *groups);
void contact_groups_free(struct memory *memory, struct contact_groups *groups);

#endif
