// The contact scenes of ECI section 5, with the settings of docs/theory/scenes.md section 4: balls,
// dice, a bunny on stairs, an armadillo on a trampoline, a net of rings, a bunny among cubes, a
// membrane. Shared by tests, benches and examples; uses the public API only.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_ECI_CONTACT_H
#define PBS_BENCH_ECI_CONTACT_H

#include <pbs/pbs.h>

#include "common/meshes/mesh.h"

enum eci_contact_kind {
    ECI_BALL_SOFT,   ///< 10 cm, 1e5 Pa, falls 1 m onto the ground
    ECI_BALL_MEDIUM, ///< 1e6 Pa
    ECI_BALL_STIFF,  ///< 1e7 Pa
    ECI_BALL_AFFINE,
    ECI_DICE,       ///< sliding dice with friction coefficients from 0 to 1
    ECI_STAIRS,     ///< a bunny falls down stairs
    ECI_TRAMPOLINE, ///< an armadillo falls on a sheet that is pinned at eight points
    ECI_CHAIN,      ///< a ball falls on a net of linked rings, all affine
    ECI_SPLASH,     ///< a heavy bunny falls among soft cubes
    ECI_MEMBRANE,   ///< a stretched disc oscillates, without contact
    ECI_CONTACT_KINDS
};

struct eci_contact_options {
    const char *meshes; ///< folder of meshes; generated shapes replace files that are missing, or
                        ///< all if null
    bool full; ///< size of the paper; otherwise the small size of docs/theory/scenes.md section 4.1
    int32_t scheme; ///< PBS_SCHEME_*
    double step;    ///< s; 0: 1/120
    double decay;   ///< s, decay time of the energy from the start; 0: as defined by the scene
    pbs_world_desc world;   ///< solver settings; the scene sets gravity and contact
    pbs_expert_desc expert; ///< in place of what `world` points to
};

/// Sets solver and step of ECI, small size, A-search, no meshes.
void eci_contact_options_init(struct eci_contact_options *options);

/// A simulated body, with its rest mesh.
struct eci_contact_body {
    pbs_body id;
    struct tet_mesh rest; ///< empty for a shell
    double *masses;       ///< one per vertex: lumped masses of the rest shape
    double *initial;      ///< 3 per vertex, m: initial positions
    size_t vertex_count;
};

enum { ECI_CONTACT_PHASES = 2 };

struct eci_contact {
    pbs_world *world;
    double step;     ///< s
    double duration; ///< s, duration at the selected size
    bool generated;  ///< a mesh file was missing, so results cannot be compared with the reference
    bool ground;     ///< there is a half-space obstacle below y = 0
    double height_energy;         ///< J, initial potential energy of gravity relative to y = 0
    double contact_distance;      ///< m
    struct surface_mesh obstacle; ///< mesh of the stairs; empty in other scenes
    size_t body_count;
    struct eci_contact_body *bodies;
    pbs_integrator_desc integrator;
    struct {
        double begin, decay;      ///< s
    } phases[ECI_CONTACT_PHASES]; ///< times at which the decay time of the energy changes
    size_t phase_count, phase;
};

const char *eci_contact_name(enum eci_contact_kind kind);
/// Returns false if no scene has this name.
bool eci_contact_find(const char *name, enum eci_contact_kind *kind);

/// Creates a scene. *out must be freed, also after a failure.
pbs_status eci_contact_create(enum eci_contact_kind kind, const struct eci_contact_options *options,
                              struct eci_contact *out);
void eci_contact_free(struct eci_contact *scene);

/// Takes one step, with the decay time of the present phase.
pbs_status eci_contact_step(struct eci_contact *scene);

/// Returns the sum of kinetic, elastic, gravity (zero at y = 0) and contact energy, J.
double eci_contact_energy(const struct eci_contact *scene);

/// Compute mass-weighted means of positions and velocities over a body's vertices.
void eci_contact_center(const struct eci_contact *scene, size_t body, double out[3]);
void eci_contact_velocity(const struct eci_contact *scene, size_t body, double out[3]);

double eci_contact_lowest(const struct eci_contact *scene, size_t body);

/// Returns the smallest det F of all tetrahedra; 1 without any.
double eci_contact_least_jacobian(const struct eci_contact *scene);

/// Returns the amplitude of the membrane's mode J2(j21 r / R) cos 2 phi (the first with two nodal
/// diameters, normalised to maximum 1) in the vertical component of a field of positions, m, or
/// velocities, m/s.
double eci_membrane_mode(const struct eci_contact *scene, const double *xyz);

#endif
