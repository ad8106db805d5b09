// The setting is the process's, so who counts the guests must be too.
#include "linear/dense/blas_threads.h"

#include <pthread.h>

// From OpenBLAS's cblas.h, which Debian keeps for each processor apart.
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
