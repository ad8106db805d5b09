// ECI section 5.1 without contact: a soft and a stiff cube that turn about a held edge under
// gravity, and a bar that was twisted and bent, held at one end (sizes of ECI appendix A). One
// definition for tests, benches and examples; uses the public API alone.
#ifndef PBS_BENCH_ELASTIC_MOTION_H
#define PBS_BENCH_ELASTIC_MOTION_H

#include <pbs/pbs.h>

#include "mesh.h"

enum elastic_motion_kind { MOTION_SOFT_CUBE, MOTION_STIFF_CUBE, MOTION_TWISTED_BAR, MOTION_COUNT };

/// "soft-cube", "stiff-cube", "twisted-bar"
extern const char *const elastic_motion_names[MOTION_COUNT];

/// All zero is a valid empty one.
struct elastic_motion {
    pbs_world *world;
    pbs_body body;
    struct tet_mesh mesh;
};

/// cells: along the cube's edge, or the bar's shortest one; ECI's meshes are about 10 and 8. The
/// cube (10 cm, 5e4 or 1e6 Pa, 15 rad/s about the z axis through the origin) and the bar (20 x 10 x
/// 5 cm, 1e5 Pa, its free end turned by 0.8 rad and bent by 0.5) are fixed corotated, 1000 kg/m^3,
/// Poisson's ratio 0.3, gravity 9.8 m/s^2.
/// integrator: copied.
pbs_status elastic_motion_create(enum elastic_motion_kind kind, size_t cells, int32_t threads,
                                 pbs_integrator *integrator, struct elastic_motion *out);
void elastic_motion_free(struct elastic_motion *motion);

/// About the z axis through the origin, kg m^2/s; for the bar about its own axis, the x axis.
double elastic_motion_angular_momentum(const struct elastic_motion *motion,
                                       enum elastic_motion_kind kind);

/// Kinetic, elastic and gravity, from the initial positions up, J.
double elastic_motion_energy(const struct elastic_motion *motion);

/// Energy and angular momentum at frames of 1/30 s, the start first.
struct motion_series {
    size_t frames; ///< that landed; fewer than asked for where a step failed
    double *energy, *momentum;
    double newton_iterations;
    pbs_status status; ///< of the last step
};

enum { MOTION_FRAME_RATE = 30 };

/// Runs the scene; d: the integrator's settings. A step that fails ends the series and is no
/// failure of this call.
pbs_status motion_series_run(enum elastic_motion_kind kind, size_t cells, int32_t threads,
                             const pbs_integrator_desc *d, int steps_per_frame, size_t frames,
                             struct motion_series *out);
void motion_series_free(struct motion_series *series);

/// Root mean square of the momenta's difference over that of b's, of the frames that both have.
double motion_series_distance(const struct motion_series *a, const struct motion_series *b);

#endif
