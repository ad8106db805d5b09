// ECI's scenes that touch, step by step, with what every one of them must keep:
// docs/theory/scenes.md section 4.1's asserts a to c.
// SPDX-License-Identifier: MIT
#ifndef PBS_SUPPORT_ECI_TESTING_H
#define PBS_SUPPORT_ECI_TESTING_H

#include "scenes/eci/eci_contact.h"
#include "support/world_testing.h"

/// The scene at its small size, with the meshes of ../shared/data or of the folder that
/// PBS_SHARED_DATA names; tells where they are missing.
struct eci_contact eci_create(enum eci_contact_kind kind, int32_t scheme, double step);

int eci_step_count(const struct eci_contact *scene);

struct eci_progress {
    int step;
    uint64_t newton;
    double least_gap; ///< m
    bool touched;
    bool arrived;     ///< the energy has been at its target
    int low_steps;    ///< the last ones, without contact and more than 2 % below the target
    int low_contacts; ///< the same, with contact
};

struct eci_progress eci_begin(void);

/// One step that lands and converges; after it nothing meets: no edge passes through a triangle
/// that is not its own, exactly, and nothing is below the ground.
pbs_stats eci_advance(struct eci_contact *scene, struct eci_progress *progress);

/// docs/theory/scenes.md section 4.1 c: without contact and with an alpha inside its range the
/// energy is the target to 1e-4; otherwise never more than 0.1 % above it. In rigid flight, where
/// no difference of forces is there to correct with, alpha is 1 exactly. At first only the fall is
/// lost; after the first touch it is no more than 2 % below, but for single steps at the limit of
/// alpha in which a body that has just let go springs back. A scene whose target begins below its
/// energy comes down to it when something touches, and never rises above where it began.
void assert_on_target(const struct eci_contact *scene, const pbs_stats *stats, double scale,
                      struct eci_progress *progress);

void eci_tell(const struct eci_contact *scene, enum eci_contact_kind kind,
              const struct eci_progress *progress);

#endif
