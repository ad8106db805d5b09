// Tables of objects with generational ids. The generation of a slot grows when its object is
// destroyed, so that ids of destroyed objects are recognised. An id also contains the stamp of its
// world and the kind of object. Tables list their objects in order of creation.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_INTERFACE_HANDLE_H
#define PBS_WORLD_INTERFACE_HANDLE_H

#include "base/runtime/memory.h"

// Bits of an id, from the highest down: stamp 19, kind 2, generation 21, slot 22.
enum {
    HANDLE_SLOT_BITS = 22,
    HANDLE_GENERATION_BITS = 21,
    HANDLE_STAMP_BITS = 19,
    HANDLE_KIND_BITS = 2,
    HANDLE_GENERATION_LAST = (1 << HANDLE_GENERATION_BITS) - 1 ///< a slot of this generation is
                                                               ///< never used again
};

enum handle_kind { HANDLE_BODY, HANDLE_COLLIDER, HANDLE_JOINT, HANDLE_SENSOR };

struct handle_slot {
    void *object;        ///< null: the slot is free
    uint32_t generation; ///< of the current object, or of the next one if the slot is free; starts
                         ///< at 1
    uint64_t serial;     ///< of the current object; grows in order of creation
};

/// A zero-initialised table is empty and valid. The caller owns the objects.
struct handle_table {
    struct handle_slot *slots;
    size_t slot_count, slot_capacity;
    size_t lowest;   ///< no slot below this index is free
    uint32_t *order; ///< slots of the current objects in order of creation; entries start at
                     ///< `first`
    size_t first, count, order_capacity;
    uint64_t next_serial;
};

/// Reserves memory for `count` more objects. handle_insert cannot fail for these.
pbs_status handle_reserve(struct handle_table *table, struct memory *memory, size_t count);

/// Makes a table of `count` free slots of generation 1, and reserves memory for as many objects.
pbs_status handle_reserve_slots(struct handle_table *table, struct memory *memory, size_t count);

/// Stores the object in the given free slot.
void handle_insert_at(struct handle_table *table, uint32_t slot, void *object);

/// Stores the object in the lowest free slot, and returns the slot.
uint32_t handle_insert(struct handle_table *table, void *object);
/// Frees the slot. Moves at most half of `order`, and almost nothing if the object is among the
/// first or last ones.
void handle_remove(struct handle_table *table, uint32_t slot);
void handle_free(struct handle_table *table, struct memory *memory);

/// Index of the slot's object in order of creation, by binary search.
size_t handle_index_of(const struct handle_table *table, uint32_t slot);
/// The slot, and the object, with the given index in order of creation.
uint32_t handle_slot_at(const struct handle_table *table, size_t index);
void *handle_at(const struct handle_table *table, size_t index);

uint64_t handle_id(const struct handle_table *table, uint32_t slot, enum handle_kind kind,
                   uint32_t stamp);

/// The kind of object that an id names.
enum handle_kind handle_kind_of(uint64_t id);

/// Returns the object; null, with the message of PBS_ERROR_HANDLE, if the id is not valid in this
/// world.
void *handle_find(const struct handle_table *table, uint64_t id, enum handle_kind kind,
                  uint32_t stamp);
/// The same without changing the thread's message.
void *handle_peek(const struct handle_table *table, uint64_t id, enum handle_kind kind,
                  uint32_t stamp);

/// Returns a stamp for a new world. It is not 0, and differs from those of other worlds of this
/// process as far as 19 bits allow.
uint32_t handle_new_stamp(const void *world);

#endif
