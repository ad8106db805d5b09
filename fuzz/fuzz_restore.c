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

static pbs_world *new_world(void) {
    pbs_world_desc d;
    pbs_world_desc_init(&d, sizeof d);
    pbs_world *world = NULL;
    require(pbs_world_create(&d, &world) == PBS_OK);
    require(pbs_world_register_callback(world, SPRING_TAG, spring_energy, NULL) == PBS_OK);
    return world;
}

/// Where a snapshot has what bounds the work: gravity (3 numbers) and the choices (15 words)
/// come before the limits (7 words); 8 numbers, the integrator's choices (7 words) and parameters,
/// and 8 numbers before its shortest and longest step.
enum {
    LIMITS_AT = sizeof(struct snapshot_header) + 3 * sizeof(double) + 15 * sizeof(uint32_t),
    STEPS_AT = LIMITS_AT + 7 * sizeof(uint32_t) + 8 * sizeof(double) + 7 * sizeof(uint32_t) +
               PBS_INTEGRATOR_PARAMETERS * sizeof(double) + 8 * sizeof(double)
};

/// So that a format that has grown is seen.
static void check_places(void) {
    pbs_world_desc d;
    pbs_expert_desc expert;
    pbs_integrator_desc numbers;
    pbs_integrator *integrator = NULL;
    pbs_world *world = NULL;
    uint8_t bytes[4096];
    uint32_t limits[2];
    double steps[2];
    size_t size = sizeof bytes;
    pbs_world_desc_init(&d, sizeof d);
    expert_settings(&expert, &d);
    d.newton_limit = 1234;
    expert.linear_limit = 5678;
    require(pbs_world_create(&d, &world) == PBS_OK);
    pbs_integrator_desc_init(&numbers, sizeof numbers, PBS_SCHEME_IMPLICIT_EULER);
    numbers.step_control.kind = PBS_STEP_DOUBLING;
    numbers.step_control.tolerance = 1.0;
    numbers.step_control.min = 0.125;
    numbers.step_control.max = 0.375;
    require(pbs_integrator_create(&numbers, &integrator) == PBS_OK);
    require(pbs_world_set_integrator(world, integrator) == PBS_OK);
    pbs_integrator_destroy(integrator);
    require(pbs_world_save(world, bytes, &size) == PBS_OK && size >= STEPS_AT + sizeof steps);
    pbs_world_destroy(world);
    memcpy(limits, bytes + LIMITS_AT, sizeof limits);
    memcpy(steps, bytes + STEPS_AT, sizeof steps);
    require(limits[0] == d.newton_limit && limits[1] == expert.linear_limit);
    require(steps[0] == numbers.step_control.min && steps[1] == numbers.step_control.max);
}

static void limit_work(uint8_t *bytes, size_t size) {
    // Newton's and linear iterations, divisions, friction, passes and bonds of breaking, and
    // impact.
    static const uint32_t most[7] = {4, 20, 2, 3, UINT32_MAX, UINT32_MAX, 1};
    uint32_t limits[7];
    double steps[2];
    if (size < STEPS_AT + sizeof steps) {
        return;
    }
    memcpy(limits, bytes + LIMITS_AT, sizeof limits);
    for (size_t i = 0; i < 7; i++) {
        limits[i] = limits[i] > most[i] ? most[i] : limits[i];
    }
    memcpy(bytes + LIMITS_AT, limits, sizeof limits);
    memcpy(steps, bytes + STEPS_AT, sizeof steps);
    bound_steps(&steps[0], &steps[1]);
    memcpy(bytes + STEPS_AT, steps, sizeof steps);
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
    static bool is_checked;
    if (!is_checked) {
        check_places();
        is_checked = true;
    }
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
