// METIS changes global state of the process, which is saved and restored around each call.
//
// Random numbers: METIS uses the C library's rand(), reseeded by every call. The host's sequence
// continues afterwards as if METIS had not been called.
//
// Signals: METIS catches SIGABRT and SIGTERM, and restores the handlers through signal(), which
// loses their flags, masks and stacks. So they are saved here. SIGTERM is blocked on the calling
// thread until METIS returns, so that the host's handler receives it. SIGABRT cannot be blocked,
// because METIS raises it to leave when memory runs out. A SIGTERM that is delivered to another
// thread meanwhile still runs METIS's handler.
//
// Memory: METIS allocates its workspace with malloc. It is the only memory that does not come from
// the host's allocator.
//
// The lock serialises the calls of worlds that are built at the same time.
// SPDX-License-Identifier: MIT
#include "sparse/ordering/metis_bridge.h"

#include <metis.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t metis_lock = PTHREAD_MUTEX_INITIALIZER;

/// The saved process state: signal handlers and random numbers.
struct process_state {
    struct sigaction abort, terminate;
    sigset_t blocked; ///< the calling thread's signal mask
    char own[128]; ///< random number state of the same size as the C library's default, so that the
                   ///< numbers are the same
    char *host;
};

static void save_process_state(struct process_state *saved) {
    pthread_mutex_lock(&metis_lock);
    sigset_t blocked_now;
    sigemptyset(&blocked_now);
    sigaddset(&blocked_now, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &blocked_now, &saved->blocked);
    sigaction(SIGABRT, NULL, &saved->abort);
    sigaction(SIGTERM, NULL, &saved->terminate);
    saved->host = initstate(1, saved->own, sizeof saved->own);
}

static void restore_process_state(const struct process_state *saved) {
    if (saved->host != NULL) {
        setstate(saved->host);
    }
    sigaction(SIGTERM, &saved->terminate, NULL);
    sigaction(SIGABRT, &saved->abort, NULL);
    pthread_sigmask(SIG_SETMASK, &saved->blocked, NULL);
    pthread_mutex_unlock(&metis_lock);
}

struct metis_graph {
    idx_t node_count;
    idx_t *start;
    idx_t *neighbor;
    idx_t *result;  ///< node_count
    idx_t *inverse; ///< node_count
};

static pbs_status convert(struct memory *memory, const struct graph *graph,
                          struct metis_graph *out) {
    const size_t n = graph->node_count;
    const size_t edge_count = graph->start[n];
    if (edge_count > (size_t)IDX_MAX || n >= (size_t)IDX_MAX) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "%zu couplings between %zu nodes, the limit of METIS is %lld",
                           edge_count, n, (long long)IDX_MAX);
    }
    out->node_count = (idx_t)n;
    out->start = memory_allocate(memory, n + 1, sizeof(idx_t));
    out->neighbor = memory_allocate(memory, edge_count, sizeof(idx_t));
    out->result = memory_allocate(memory, n, sizeof(idx_t));
    out->inverse = memory_allocate(memory, n, sizeof(idx_t));
    if (!out->start || !out->neighbor || !out->result || !out->inverse) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i <= n; i++) {
        out->start[i] = (idx_t)graph->start[i];
    }
    for (size_t k = 0; k < edge_count; k++) {
        out->neighbor[k] = (idx_t)graph->neighbor[k];
    }
    return PBS_OK;
}

static void release(struct memory *memory, struct metis_graph *g) {
    memory_release(memory, g->start);
    memory_release(memory, g->neighbor);
    memory_release(memory, g->result);
    memory_release(memory, g->inverse);
}

static pbs_status status_of(int code) {
    if (code == METIS_OK) {
        return PBS_OK;
    }
    return status_fail(PBS_ERROR_MEMORY, code == METIS_ERROR_MEMORY
                                             ? "METIS ran out of memory"
                                             : "METIS failed, most likely for lack of memory");
}

/// Returns whether the graph is connected. seen, queue: node_count, overwritten.
static bool is_connected(const struct metis_graph *g, idx_t *seen, idx_t *queue) {
    memset(seen, 0, (size_t)g->node_count * sizeof *seen);
    idx_t found = 1;
    queue[0] = 0;
    seen[0] = 1;
    for (idx_t next = 0; next < found; next++) {
        const idx_t node = queue[next];
        for (idx_t k = g->start[node]; k < g->start[node + 1]; k++) {
            if (!seen[g->neighbor[k]]) {
                seen[g->neighbor[k]] = 1;
                queue[found++] = g->neighbor[k];
            }
        }
    }
    return found == g->node_count;
}

static int partition(struct metis_graph *g, idx_t count) {
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    // METIS rejects the option of contiguous parts if the graph itself is disconnected.
    options[METIS_OPTION_CONTIG] = is_connected(g, g->result, g->inverse) ? 1 : 0;
    idx_t constraints = 1;
    idx_t cut = 0;
    struct process_state saved;
    save_process_state(&saved);
    const int code = METIS_PartGraphKway(&g->node_count, &constraints, g->start, g->neighbor, NULL,
                                         NULL, NULL, &count, NULL, NULL, options, &cut, g->result);
    restore_process_state(&saved);
    return code;
}

static int dissect(struct metis_graph *g) {
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    struct process_state saved;
    save_process_state(&saved);
    const int code = METIS_NodeND(&g->node_count, g->start, g->neighbor, NULL, options, g->inverse,
                                  g->result);
    restore_process_state(&saved);
    return code;
}

pbs_status metis_partition(struct memory *memory, const struct graph *graph, uint32_t count,
                           uint32_t *part) {
    const size_t n = graph->node_count;
    if (count == 1 || n <= count || graph->start[n] == 0) {
        for (size_t i = 0; i < n; i++) {
            part[i] = (uint32_t)(i * count / n);
        }
        return PBS_OK;
    }
    struct metis_graph g = {0};
    pbs_status status = convert(memory, graph, &g);
    if (status == PBS_OK) {
        status = status_of(partition(&g, (idx_t)count));
    }
    for (size_t i = 0; i < n && status == PBS_OK; i++) {
        part[i] = (uint32_t)g.result[i];
    }
    release(memory, &g);
    return status;
}

pbs_status metis_dissect(struct memory *memory, const struct graph *graph, uint32_t *order) {
    const size_t n = graph->node_count;
    if (n < 2 || graph->start[n] == 0) {
        for (size_t i = 0; i < n; i++) {
            order[i] = (uint32_t)i;
        }
        return PBS_OK;
    }
    struct metis_graph g = {0};
    pbs_status status = convert(memory, graph, &g);
    if (status == PBS_OK) {
        status = status_of(dissect(&g));
    }
    // METIS calls the list of nodes in their new order "perm" and the new index of each node
    // "iperm".
    for (size_t i = 0; i < n && status == PBS_OK; i++) {
        order[g.result[i]] = (uint32_t)i;
    }
    release(memory, &g);
    return status;
}
