// Queries of continuous collision detection with exact answers, and the evaluation of the library's
// answers. The text files are in the folder ccd of the shared data (PBS_SHARED_DATA), whose README
// has the format and the source (Wang et al. 2021, "A large-scale benchmark and an inclusion-based
// algorithm for continuous collision detection"). For tests and benches.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_COLLISION_QUERIES_H
#define PBS_BENCH_COLLISION_QUERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/program/text.h"
#include "geometry/distances/continuous_collision.h"

struct collision_query {
    enum pair_kind kind;
    bool hit;
    double toi; ///< earliest time of impact in [0, 1]; NaN if there is none, or if the pair stays
                ///< coplanar
    double x[4][3], dx[4][3];
};

struct collision_queries {
    size_t count;
    struct collision_query *query;
};

bool collision_queries_read(const char *path, struct collision_queries *out,
                            struct message *message);
void collision_queries_free(struct collision_queries *queries);

/// Returns the result of collision_free_time for a query, with separation 0 and limit 1.
double collision_query_answer(const struct collision_query *query,
                              struct collision_statistics *statistics);

struct collision_score {
    size_t hits, timed;  ///< queries with an impact; those with an impact after time 0
    size_t missed, late; ///< hits reported as free; answers later than the impact: both must be 0
    size_t false_positives; ///< free queries reported as hits
    size_t too_close; ///< answers at which less than 0.1 of the initial gap is left: must be 0
    double ratio;     ///< mean of answer / impact over the timed queries
    struct collision_statistics statistics;
};

struct collision_score collision_queries_score(const struct collision_queries *queries);

/// The files, and the mean of answer / impact that the reference reports for them
/// (docs/theory/contact.md section 3.1). For files of which the folder holds a part, the value is
/// that of the whole file.
struct collision_query_file {
    const char *name;
    double published_ratio;
    size_t queries, hits;
};

enum { COLLISION_QUERY_FILES = 6 };
extern const struct collision_query_file collision_query_files[COLLISION_QUERY_FILES];

#endif
