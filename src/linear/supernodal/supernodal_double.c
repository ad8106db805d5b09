// The supernodal factorisation in double precision.
// SPDX-License-Identifier: MIT
#include <float.h>
#include <math.h>

#define REAL         double
#define REAL_MAX     DBL_MAX
#define REAL_EPSILON DBL_EPSILON
#define SQUARE_ROOT  sqrt
#define REAL_FLUSHES false // flush denormal numbers to zero
#define NAME(x)      x##_double

#include "linear/supernodal/supernodal_numeric.h"
#include "linear/supernodal/supernodal_solve.h"
