// Worlds as tests want them: each of these fails the test where the library answers otherwise.
// SPDX-License-Identifier: MIT
#ifndef PBS_SUPPORT_WORLD_TESTING_H
#define PBS_SUPPORT_WORLD_TESTING_H

#include "support/host/allocator.h"
#include "support/scenes/world_scenes.h"
#include "support/testing.h"

/// An empty world with the scenes' settings; with an allocator of a test; as described.
pbs_world *new_world(void);
pbs_world *new_world_with(struct test_allocator *allocator);
pbs_world *new_world_from(const pbs_world_desc *d);
/// With the settings of scene_settings. *built counts how often what steps need is built anew; it
/// lives at least as long as the world.
pbs_world *new_counting_world(int32_t contact, int *built);

/// An integrator as described, or of that scheme with its defaults.
void use_integrator(pbs_world *world, const pbs_integrator_desc *d);
void use_scheme(pbs_world *world, int32_t scheme);

/// See cube_create.
pbs_body add_cube(pbs_world *world, size_t cells, double size, const double corner[3],
                  const pbs_solid_desc *like);

/// See sheet_create.
pbs_body add_sheet(pbs_world *world, size_t cells, double size, const double corner[3],
                   const pbs_shell_desc *like);

/// One particle of `mass` kg at x, with the velocity v (null: at rest), without a force of its own.
pbs_body add_free_particle(pbs_world *world, double mass, const double x[3], const double v[3]);
/// The half-space below y = 0.
pbs_collider add_ground(pbs_world *world);

/// Settings as the world has them, the expert ones too, which the former do not point to.
pbs_world_desc settings_of(const pbs_world *world);
pbs_expert_desc expert_settings_of(const pbs_world *world);

/// What contacts do to a collider.
pbs_contact_force contact_force_on(const pbs_world *world, pbs_collider collider);

pbs_stats stats_of(const pbs_world *world);
pbs_energy energy_of(const pbs_world *world);

struct saved_world {
    unsigned char *data; ///< to be freed
    size_t size;
};

struct saved_world save_world(const pbs_world *world);

/// A particle without forces whose evaluations are counted down: the one that takes *evaluations to
/// 0, and all after it, stop what the world does with PBS_ERROR_HOST. *evaluations stays the
/// caller's, as long as the world.
void add_stopping_particle(pbs_world *world, int *evaluations);

/// Makes a call with its first, second, ... allocation refused until none of them is; the answer to
/// that call, and how many were refused, where `refused` is not null. Every refusal must be
/// PBS_ERROR_MEMORY and leave the world as it was.
pbs_status refuse_until_success(struct test_allocator *allocator, pbs_world *world,
                                pbs_status (*call)(pbs_world *world, void *context), void *context,
                                uint64_t *refused);

#endif
