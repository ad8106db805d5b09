// The supernodal factorisation in double precision.
#include <cblas.h>
#include <float.h>
#include <lapacke.h>

#define REAL         double
#define REAL_MAX     DBL_MAX
#define REAL_EPSILON DBL_EPSILON
#define NAME(x)      x##_double
#define POTRF        LAPACKE_dpotrf_work
#define TRSM         cblas_dtrsm
#define SYRK         cblas_dsyrk
#define GEMM         cblas_dgemm

#include "linear/supernodal_numeric.h"
#include "linear/supernodal_solve.h"
