// Limits OpenBLAS to one thread around our own calls. Its thread count is global to the process and
// belongs to the host. Inside our parallel pieces more threads would only wait for each other, and
// the result would depend on their number.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_DENSE_BLAS_THREADS_H
#define PBS_LINEAR_DENSE_BLAS_THREADS_H

/// Sets the thread count to one, and restores the host's setting. May be called concurrently; the
/// last restore counts.
void blas_threads_limit(void);
void blas_threads_restore(void);

#endif
