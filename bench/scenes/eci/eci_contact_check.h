// Checks the state after a step of one of ECI's scenes without using the contact code.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_ECI_CONTACT_CHECK_H
#define PBS_BENCH_ECI_CONTACT_CHECK_H

#include "scenes/contact/surface_check.h"
#include "scenes/eci/eci_contact.h"

/// Counts the edges that intersect triangles, by exact tests, plus the bodies that reach below the
/// ground.
pbs_status eci_contact_check(const struct eci_contact *scene, struct surface_check *check,
                             size_t *count);

#endif
