// The k-th allocation fails, for k = 0, 1, 2, ... until a call succeeds.
// SPDX-License-Identifier: MIT
#ifndef PBS_SUPPORT_REFUSALS_H
#define PBS_SUPPORT_REFUSALS_H

#include "base/runtime/memory.h"

/// Makes a call, which must release what it has made, with fresh memory each time. Each refusal
/// must be PBS_ERROR_MEMORY, nothing may be left, and before `limit` refusals the call must
/// succeed.
void assert_refusals_are_statuses(pbs_status (*call)(struct memory *memory, const void *context),
                                  const void *context, uint64_t limit);

#endif
