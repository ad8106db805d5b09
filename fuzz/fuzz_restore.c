// Any bytes as a saved world: as they are, and with a header that fits them, so that the checksum
// does not keep the fuzzer from what lies behind it. What is refused must leave the world as it
// was; what is restored must save to what it was restored from, and must step and advance or say
// why not.
// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "choices.h"
#include "forge.h"
#include "support/scenes/world_scenes.h"
#include "target.h"
#include "world/integrators/integrator.h"

static pbs_world *new_world(void) {
    pbs_world_desc d;
    pbs_world_desc_init(&d, sizeof d);
    pbs_world *world = NULL;
    require(pbs_world_create(&d, &world) == PBS_OK);
    require(pbs_world_register_callback(world, SPRING_TAG, spring_energy, NULL) == PBS_OK);
    return world;
}

static size_t size_of(const struct field *field) {
    const bool is_long = field->type == FIELD_UINT64 || field->type == FIELD_SIZE ||
                         field->type == FIELD_DOUBLE;
    return field->width * (is_long ? 8 : 4);
}

/// Bytes of a list without arrays before a member, or of all of it.
static size_t place_in(const struct field_list *list, const char *name) {
    size_t place = 0;
    for (size_t i = 0; i < list->field_count; i++) {
        if (name != NULL && strcmp(list->fields[i].name, name) == 0) {
            return place;
        }
        place += size_of(&list->fields[i]);
    }
    require(name == NULL);
    return place;
}

/// Where a snapshot has what bounds the work: in the settings of the world, the expert's and the
/// integrator's, with which it begins.
static size_t place_of(int list, const char *name) {
    static const struct field_list *const lists[] = {&world_fields, &expert_fields,
                                                     &integrator_fields};
    size_t place = sizeof(struct snapshot_header);
    for (int i = 0; i < list; i++) {
        place += place_in(lists[i], NULL);
    }
    return place + place_in(lists[list], name);
}

static void limit_work(uint8_t *bytes, size_t size) {
    static const struct {
        int list;
        const char *name;
        uint32_t most;
    } limits[] = {{0, "newton_limit", 4},
                  {1, "linear_limit", 20},
                  {0, "divisions", 2},
                  {0, "friction_iterations", 3},
                  {0, "impact_steps", 1}};
    const size_t steps_at = place_of(2, "step_control.min");
    double steps[2];
    if (size < steps_at + sizeof steps) {
        return;
    }
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        uint32_t limit = 0;
        uint8_t *const at = bytes + place_of(limits[i].list, limits[i].name);
        memcpy(&limit, at, sizeof limit);
        limit = limit > limits[i].most ? limits[i].most : limit;
        memcpy(at, &limit, sizeof limit);
    }
    memcpy(steps, bytes + steps_at, sizeof steps);
    bound_steps(&steps[0], &steps[1]);
    memcpy(bytes + steps_at, steps, sizeof steps);
}

static void save_again(const pbs_world *world, const uint8_t *bytes, size_t size) {
    size_t saved = 0;
    require(pbs_world_save(world, NULL, &saved) == PBS_OK && saved == size);
    uint8_t *copy = malloc(size);
    if (copy != NULL) {
        require(pbs_world_save(world, copy, &saved) == PBS_OK);
        require(memcmp(copy, bytes, size) == 0);
        free(copy);
    }
}

/// Steps, goes back into what is still the same world, and steps again.
static void use(pbs_world *world, const uint8_t *bytes, size_t size) {
    pbs_energy energy = {.struct_size = sizeof energy};
    pbs_stats stats = {.struct_size = sizeof stats};
    pbs_world_energy(world, &energy);
    for (int i = 0; i < 3; i++) {
        const double wish = i == 1 ? 2.5 * SHORTEST_STEP : 1.0 / 60.0;
        const double h = is_explicit(world) ? bound_explicit(world, wish) : wish;
        const uint64_t hash = pbs_world_hash(world);
        const pbs_status status = i == 1 ? pbs_world_advance(world, h) : pbs_world_step(world, h);
        if (status < 0) {
            require(pbs_world_hash(world) == hash);
        }
    }
    require(pbs_world_stats(world, &stats) == PBS_OK);
    require(pbs_world_restore(world, bytes, size) == PBS_OK);
    save_again(world, bytes, size);
    (void)pbs_world_step(world, SHORTEST_STEP);
    for (size_t i = 0; i < pbs_world_body_count(world); i++) {
        require(pbs_body_is_valid(world, pbs_world_body_at(world, i)));
    }
    while (pbs_world_body_count(world) > 0) {
        require(pbs_body_destroy(world, pbs_world_body_at(world, 0)) == PBS_OK);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    pbs_world *world = new_world();
    scene_fill(world, 1);
    const uint64_t before = pbs_world_hash(world);
    if (pbs_world_restore(world, data, size) < 0) {
        require(pbs_world_hash(world) == before);
    }
    uint8_t *forged = size > sizeof(struct snapshot_header) ? malloc(size) : NULL;
    if (forged != NULL) {
        memcpy(forged, data, size);
        limit_work(forged, size);
        forge_header(forged, size, SNAPSHOT_MAGIC);
        const uint64_t hash = pbs_world_hash(world);
        if (pbs_world_restore(world, forged, size) < 0) {
            require(pbs_world_hash(world) == hash);
        } else {
            save_again(world, forged, size);
            use(world, forged, size);
        }
        free(forged);
    }
    pbs_world_destroy(world);
    return 0;
}
