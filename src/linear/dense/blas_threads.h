// OpenBLAS has one number of threads for the whole process, and it belongs to the host. Between
// enter and leave it is one, as threads inside our own pieces would only wait for each other, and
// other numbers of threads give other bits; afterwards it is what the host had set.
#ifndef PBS_LINEAR_DENSE_BLAS_THREADS_H
#define PBS_LINEAR_DENSE_BLAS_THREADS_H

/// Several threads (worlds) may be inside at the same time; the last to leave puts the host's
/// setting back.
void blas_threads_limit(void);
void blas_threads_restore(void);

#endif
