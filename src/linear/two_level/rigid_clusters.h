// Clusters of neighbouring rows whose rigid motions make the coarse space of the two-level
// preconditioner: what depends on the pattern alone.
#ifndef PBS_LINEAR_TWO_LEVEL_RIGID_CLUSTERS_H
#define PBS_LINEAR_TWO_LEVEL_RIGID_CLUSTERS_H

#include "sparse/matrices/block_columns.h"
#include "sparse/ordering/minimum_degree.h"

/// Every cluster lies within one domain; a domain's clusters are numbered one after the other. An
/// entry is a row that couples to a cluster, its own rows included.
struct rigid_clusters {
    uint32_t count;
    uint32_t *of_row;       ///< row -> cluster
    uint32_t *domain_start; ///< domain_count + 1 clusters
    uint32_t *member_start; ///< count + 1
    uint32_t *member;       ///< a cluster's rows, ascending
    uint32_t *entry_start;  ///< count + 1
    uint32_t *entry_row;
    uint32_t *entry_neighbor; ///< which of the cluster's neighbours the row belongs to
    uint32_t *neighbor_start; ///< count + 1
    uint32_t *neighbor;       ///< clusters that have entries, the cluster itself first
    uint32_t *order;          ///< elimination order of the clusters with little fill
    struct block_columns columns;
    uint32_t *slot_start; ///< row_count + 1
    uint32_t *slot; ///< for a row's own blocks, then those of its column: which entry of the row's
                    ///< cluster the block's other row is
    uint32_t most_entries, most_neighbors;
};

/// size: about how many rows a cluster is to have.
pbs_status rigid_clusters_build(struct memory *memory, const struct bsr *pattern, uint32_t size,
                                struct rigid_clusters *out);
/// What is left of clusters where not all blocks couple: each falls into the pieces that hang
/// together, a place with all that belongs to it; a piece of one or two joins another cluster of
/// the domain that it couples to, if any. coupled: per block. No METIS.
pbs_status rigid_clusters_split(struct memory *memory, const struct bsr *pattern,
                                const struct rigid_clusters *whole, const uint8_t *coupled,
                                struct rigid_clusters *out);
void rigid_clusters_free(struct memory *memory, struct rigid_clusters *clusters);

#endif
