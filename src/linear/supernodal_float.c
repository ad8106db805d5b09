// The supernodal factorisation in single precision.
#include <cblas.h>
#include <float.h>
#include <lapacke.h>

#define REAL         float
#define REAL_MAX     FLT_MAX
#define REAL_EPSILON FLT_EPSILON
#define NAME(x)      x##_float
#define POTRF        LAPACKE_spotrf_work
#define TRSM         cblas_strsm
#define SYRK         cblas_ssyrk
#define GEMM         cblas_sgemm

#include "linear/supernodal_numeric.h"
#include "linear/supernodal_solve.h"
