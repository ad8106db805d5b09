// libpbs: implicit physics-based simulation of soft, thin, stiff and breaking things. Includes
// every public header. SI units, right-handed axes, double inside. No global state; nothing is
// printed; errors are statuses and a sentence. SPDX-License-Identifier: MIT
#ifndef PBS_PBS_H
#define PBS_PBS_H

#include "base.h"
#include "body.h"
#include "collider.h"
#include "integrator.h"
#include "world.h"

#endif
