// Clusters of neighbouring rows, whose rigid motions span the coarse space of the two-level
// preconditioner. Depends on the pattern only.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_TWO_LEVEL_RIGID_CLUSTERS_H
#define PBS_LINEAR_TWO_LEVEL_RIGID_CLUSTERS_H

#include "sparse/matrices/block_columns.h"
#include "sparse/ordering/minimum_degree.h"

/// Every cluster lies in one domain; the clusters of a domain are numbered consecutively. An entry
/// of a cluster is a row that couples to it, its own rows included.
struct rigid_clusters {
    uint32_t count;
    uint32_t *of_row;       ///< row -> cluster
    uint32_t *domain_start; ///< domain_count + 1 clusters
    uint32_t *member_start; ///< count + 1
    uint32_t *member;       ///< a cluster's rows, ascending
    uint32_t *entry_start;  ///< count + 1
    uint32_t *entry_row;
    uint32_t *entry_neighbor; ///< index of the row's cluster among the cluster's neighbours
    uint32_t *neighbor_start; ///< count + 1
    uint32_t *neighbor;       ///< clusters of the entries, the cluster itself first
    uint32_t *order;          ///< fill-reducing elimination order of the clusters
    struct block_columns columns;
    uint32_t *slot_start; ///< row_count + 1
    uint32_t *slot;       ///< for a row's own blocks, then those of its column: entry index of the
                          ///< block's other row in the row's cluster
    uint32_t most_entries, most_neighbors;
};

/// size: desired number of rows per cluster.
pbs_status rigid_clusters_build(struct memory *memory, const struct bsr *pattern, uint32_t size,
                                struct rigid_clusters *out);
/// Splits clusters where blocks do not couple: each becomes its connected pieces. Rows that are not
/// positions stay with their position. A piece with one or two positions joins another piece of its
/// domain that it couples to, if there is one. coupled: per block. Does not use METIS.
pbs_status rigid_clusters_split(struct memory *memory, const struct bsr *pattern,
                                const struct rigid_clusters *whole, const uint8_t *coupled,
                                struct rigid_clusters *out);
void rigid_clusters_free(struct memory *memory, struct rigid_clusters *clusters);

#endif
