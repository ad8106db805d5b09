// libpbs: implicit simulation of soft solids at the time step that the host wants. Includes every
// public header. SI units, right-handed axes, double inside. No global state; nothing is printed;
// errors are statuses and a sentence.
//
// OPT in comments: Gast and Schroeder 2014, "Optimization integrator for large time steps".
//
// SPDX-License-Identifier: MIT
#ifndef PBS_PBS_H
#define PBS_PBS_H

#include "base.h"
#include "body.h"
#include "bonded.h"
#include "collider.h"
#include "expert.h"
#include "grid.h"
#include "integrator.h"
#include "peridynamic.h"
#include "query.h"
#include "readback.h"
#include "solver.h"
#include "stats.h"
#include "system.h"
#include "world.h"

#endif
