// The peers that were built beside the bench.
#ifndef PBS_BENCH_PEER_LIST_H
#define PBS_BENCH_PEER_LIST_H

#include "peers/peer.h"

enum { PEER_LIMIT = 32 };

struct peer_list {
    size_t count;
    const struct peer_table *table[PEER_LIMIT];
};

/// Opens them and says on standard output which are there, in lines that begin with `prefix`. They
/// stay open until the program ends.
void peer_list_open(const char *prefix, struct peer_list *out);

#endif
