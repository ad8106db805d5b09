// The thread count of OpenBLAS is global to the process, so the nesting depth must be too.
// SPDX-License-Identifier: MIT
#include "linear/dense/blas_threads.h"

#include <pthread.h>

// Declared in OpenBLAS's cblas.h, whose path on Debian depends on the architecture.
int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);

static pthread_mutex_t thread_limit_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned thread_limit_depth;
static int host_threads;

void blas_threads_limit(void) {
    pthread_mutex_lock(&thread_limit_lock);
    if (thread_limit_depth++ == 0) {
        host_threads = openblas_get_num_threads();
        openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&thread_limit_lock);
}

void blas_threads_restore(void) {
    pthread_mutex_lock(&thread_limit_lock);
    if (--thread_limit_depth == 0) {
        openblas_set_num_threads(host_threads);
    }
    pthread_mutex_unlock(&thread_limit_lock);
}
