// The supernodal factorisation in single precision.
// SPDX-License-Identifier: MIT
#include <float.h>
#include <math.h>

#define REAL         float
#define REAL_MAX     FLT_MAX
#define REAL_EPSILON FLT_EPSILON
#define SQUARE_ROOT  sqrtf
#define REAL_FLUSHES true // flush denormal numbers to zero
#define NAME(x)      x##_float

#include "linear/supernodal/supernodal_numeric.h"
#include "linear/supernodal/supernodal_solve.h"
