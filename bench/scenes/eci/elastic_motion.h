// The scenes of ECI section 5.1 without contact: a soft and a stiff cube that rotate about a fixed
// edge under gravity, and a bar fixed at one end that starts twisted and bent (sizes of ECI
// appendix A). Shared by tests, benches and examples; uses the public API only.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_ELASTIC_MOTION_H
#define PBS_BENCH_ELASTIC_MOTION_H

#include <pbs/pbs.h>

#include "common/meshes/mesh.h"

enum elastic_motion_kind { MOTION_SOFT_CUBE, MOTION_STIFF_CUBE, MOTION_TWISTED_BAR, MOTION_COUNT };

/// "soft-cube", "stiff-cube", "twisted-bar"
extern const char *const elastic_motion_names[MOTION_COUNT];

/// A zero-initialised struct is a valid empty one.
struct elastic_motion {
    pbs_world *world;
    pbs_body body;
    struct tet_mesh mesh;
};

/// Creates a scene. The cube is 10 cm, 5e4 or 1e6 Pa, and rotates at 15 rad/s about the z axis
/// through the origin. The bar is 20 x 10 x 5 cm, 1e5 Pa; its free end is twisted by 0.8 rad and
/// bent by 0.5 rad. Both are fixed corotated, 1000 kg/m^3, Poisson's ratio 0.3, gravity 9.8 m/s^2.
/// @param cells  number along the cube's edge, or the bar's shortest one; about 10 and 8 in ECI
/// @param integrator  copied
pbs_status elastic_motion_create(enum elastic_motion_kind kind, size_t cells, int32_t threads,
                                 pbs_integrator *integrator, struct elastic_motion *out);
void elastic_motion_free(struct elastic_motion *motion);

/// Returns the angular momentum about the z axis through the origin, kg m^2/s; for the bar about
/// its own axis, the x axis.
double elastic_motion_angular_momentum(const struct elastic_motion *motion,
                                       enum elastic_motion_kind kind);

/// Returns the sum of kinetic, elastic and gravity energy, J; gravity is zero at the initial
/// positions.
double elastic_motion_energy(const struct elastic_motion *motion);

/// Energy and angular momentum at frames of 1/30 s, starting with the initial state.
struct motion_series {
    size_t frames; ///< number of completed frames; fewer than requested if a step failed
    double *energy, *momentum;
    double newton_iterations;
    pbs_status status; ///< of the last step
};

enum { MOTION_FRAME_RATE = 30 };

/// Runs the scene with the integrator settings d. A failed step ends the series, but is not a
/// failure of this call.
pbs_status motion_series_run(enum elastic_motion_kind kind, size_t cells, int32_t threads,
                             const pbs_integrator_desc *d, int steps_per_frame, size_t frames,
                             struct motion_series *out);
void motion_series_free(struct motion_series *series);

/// Returns the root mean square of the difference of the momenta divided by that of b's, over the
/// frames that both have.
double motion_series_distance(const struct motion_series *a, const struct motion_series *b);

#endif
