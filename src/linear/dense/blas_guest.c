// The setting is the process's, so who counts the guests must be too.
#include "linear/dense/blas_guest.h"

#include <pthread.h>

// From OpenBLAS's cblas.h, which Debian keeps for each processor apart.
int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);

static pthread_mutex_t guest_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned guest_count;
static int host_threads;

void blas_guest_enter(void) {
    pthread_mutex_lock(&guest_lock);
    if (guest_count++ == 0) {
        host_threads = openblas_get_num_threads();
        openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&guest_lock);
}

void blas_guest_leave(void) {
    pthread_mutex_lock(&guest_lock);
    if (--guest_count == 0) {
        openblas_set_num_threads(host_threads);
    }
    pthread_mutex_unlock(&guest_lock);
}
