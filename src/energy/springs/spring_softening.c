// Manages memory and lane arrays of softening springs.
// SPDX-License-Identifier: MIT
#include "energy/springs/spring_softening.h"

struct spring_softening *spring_softening_create(struct memory *memory, size_t count,
                                                 const struct softening_law *laws,
                                                 const double *remaining) {
    struct spring_softening *softening = memory_allocate(memory, 1, sizeof *softening);
    if (softening == NULL) {
        return NULL;
    }
    softening->laws = memory_copy(memory, laws, count, sizeof *laws);
    softening->remaining = memory_copy(memory, remaining, count, sizeof *remaining);
    if (softening->laws == NULL || softening->remaining == NULL) {
        spring_softening_free(softening, memory);
        return NULL;
    }
    return softening;
}

void spring_softening_free(struct spring_softening *softening, struct memory *memory) {
    if (softening == NULL) {
        return;
    }
    memory_release(memory, softening->laws);
    memory_release(memory, softening->remaining);
    memory_release(memory, softening->lanes);
    memory_release(memory, softening->dissipated);
    memory_release(memory, softening);
}

pbs_status spring_softening_reserve(struct spring_softening *softening, struct memory *memory,
                                    size_t lane_count) {
    RETURN_IF_FAILED(memory_reserve(memory, &softening->lanes, &softening->lanes_capacity,
                                    SOFTENING_VALUES * lane_count, sizeof(double)));
    softening->lane_count = lane_count;
    return memory_reserve(memory, &softening->dissipated, &softening->dissipated_capacity,
                          lane_count / LANES, sizeof(double));
}

void spring_softening_fill(struct spring_softening *softening, size_t lane, size_t spring) {
    static const struct softening_shape shape = {0.5, 0.5};
    const struct softening_law none = softening_law_of(&shape, 0.0, INFINITY);
    const struct softening_law *law = spring == SIZE_MAX ? &none : &softening->laws[spring];
    const double remaining = spring == SIZE_MAX ? 1.0 : softening->remaining[spring];
    softening_lanes(softening, SOFTENING_FIRST)[lane] = law->first[0];
    softening_lanes(softening, SOFTENING_FIRST_SLOPE)[lane] = law->first[1];
    softening_lanes(softening, SOFTENING_SECOND)[lane] = law->second[0];
    softening_lanes(softening, SOFTENING_SECOND_SLOPE)[lane] = law->second[1];
    softening_lanes(softening, SOFTENING_REMAINING)[lane] = remaining;
    softening_lanes(softening, SOFTENING_SAVED)[lane] = remaining;
}

static void copy(struct spring_softening *softening, enum softening_value from,
                 enum softening_value to) {
    memcpy(softening_lanes(softening, to), softening_lanes(softening, from),
           softening->lane_count * sizeof(double));
}

void spring_softening_save(struct spring_softening *softening) {
    copy(softening, SOFTENING_REMAINING, SOFTENING_SAVED);
}

void spring_softening_restore(struct spring_softening *softening) {
    copy(softening, SOFTENING_SAVED, SOFTENING_REMAINING);
}
