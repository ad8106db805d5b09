// Generational ids. A slot's generation grows whenever its object is destroyed, so that an old id
// is recognised; the world's stamp and the kind of object are part of an id too. Objects are kept
// in order of creation.
#ifndef PBS_WORLD_INTERFACE_HANDLE_H
#define PBS_WORLD_INTERFACE_HANDLE_H

#include "base/runtime/memory.h"

// An id from its highest bit down: stamp 19, kind 2, generation 21, slot 22.
enum {
    HANDLE_SLOT_BITS = 22,
    HANDLE_GENERATION_BITS = 21,
    HANDLE_STAMP_BITS = 19,
    HANDLE_KIND_BITS = 2,
    HANDLE_GENERATION_LAST = (1 << HANDLE_GENERATION_BITS) - 1 ///< a slot that got here is never
                                                               ///< used again
};

enum handle_kind { HANDLE_BODY, HANDLE_COLLIDER, HANDLE_JOINT };

struct handle_slot {
    void *object;        ///< null: free
    uint32_t generation; ///< of the present object, or of the next one; starts at 1
    uint64_t serial;     ///< of the present object: grows with the order of creation
};

/// All zero is a valid empty one. The objects are the caller's.
struct handle_table {
    struct handle_slot *slots;
    size_t slot_count, slot_capacity;
    size_t lowest;   ///< no slot below is free
    uint32_t *order; ///< slots of the present objects in order of creation, from `first` on
    size_t first, count, order_capacity;
    uint64_t next_serial;
};

/// Makes room for one object more; handle_insert cannot fail afterwards.
pbs_status handle_reserve(struct handle_table *table, struct memory *memory);

/// Makes an empty table of so many free slots of generation 1, and room for as many objects.
pbs_status handle_reserve_slots(struct handle_table *table, struct memory *memory, size_t count);

/// Puts the object into this free slot.
void handle_insert_at(struct handle_table *table, uint32_t slot, void *object);

/// Takes the lowest free slot; returns it.
uint32_t handle_insert(struct handle_table *table, void *object);
/// Takes time for no more than half of the order, and hardly any at its ends.
void handle_remove(struct handle_table *table, uint32_t slot);
void handle_free(struct handle_table *table, struct memory *memory);

/// The slot, and the object, in order of creation.
uint32_t handle_slot_at(const struct handle_table *table, size_t index);
void *handle_at(const struct handle_table *table, size_t index);

uint64_t handle_id(const struct handle_table *table, uint32_t slot, enum handle_kind kind,
                   uint32_t stamp);

/// Null with a sentence where the id names nothing here: PBS_ERROR_HANDLE.
void *handle_find(const struct handle_table *table, uint64_t id, enum handle_kind kind,
                  uint32_t stamp);
/// As above, leaving the thread's message alone.
void *handle_peek(const struct handle_table *table, uint64_t id, enum handle_kind kind,
                  uint32_t stamp);

/// A stamp for a new world, not 0: unlike those of other worlds of this process as far as 19 bits
/// go.
uint32_t handle_new_stamp(const void *world);

#endif
