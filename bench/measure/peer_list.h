// The peers, solvers of other libraries, that were built along with the benchmarks.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_PEER_LIST_H
#define PBS_BENCH_PEER_LIST_H

#include "peers/peer.h"

enum { PEER_LIMIT = 32 };

struct peer_list {
    size_t count;
    const struct peer_table *table[PEER_LIMIT];
};

/// Loads the peers. Prints for each, in a line that begins with `prefix`, whether it is present.
/// Peers stay loaded until the program ends.
void peer_list_open(const char *prefix, struct peer_list *out);

#endif
