// libpbs: implicit simulation of soft, thin, stiff and breaking bodies at large time steps.
// Includes every public header. SI units, right-handed axes, double inside. No global state;
// nothing is printed; errors are statuses and a sentence (pbs_last_error).
//
// A host begins with world.h, body.h and collider.h, and a scheme of integrator.h.
//
// Papers in comments (docs/theory/bibliography.md): OPT, Gast and Schroeder 2014, "Optimization
// Integrator for Large Time Steps"; ECI, You et al., "Energy-Controllable Time Integration for
// Elastodynamic Contact"; IPC, Li et al. 2020, "Incremental Potential Contact"; ATS, "Adaptive
// Time-Stepping with Linearized Force Error Estimation"; GAT, Wu 2018, "Analysis of
// Generalized-alpha vs. theta-methods"; BDEM, Lu et al., "Variational Bonded Discrete Element
// Method with Manifold Optimization".
//
// SPDX-License-Identifier: MIT
#ifndef PBS_PBS_H
#define PBS_PBS_H

#include "base.h"
#include "body.h"
#include "bonded.h"
#include "collider.h"
#include "embedding.h"
#include "expert.h"
#include "force.h"
#include "grid.h"
#include "integrator.h"
#include "joint.h"
#include "mesh.h"
#include "peridynamic.h"
#include "point.h"
#include "properties.h"
#include "query.h"
#include "readback.h"
#include "solver.h"
#include "stats.h"
#include "system.h"
#include "world.h"

#endif
