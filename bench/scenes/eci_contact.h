// The scenes of ECI's section 5 that touch, as docs/theory/scenes.md section 4 found their
// settings: balls, dice, a bunny on stairs, an armadillo on a trampoline, a net of rings, a bunny
// among cubes, a membrane. One definition for tests, benches and examples; uses the public API
// alone.
#ifndef PBS_BENCH_ECI_CONTACT_H
#define PBS_BENCH_ECI_CONTACT_H

#include <pbs/pbs.h>

#include "mesh.h"

enum eci_contact_kind {
    ECI_BALL_SOFT,   ///< 10 cm, 1e5 Pa, falls 1 m onto the ground
    ECI_BALL_MEDIUM, ///< 1e6 Pa
    ECI_BALL_STIFF,  ///< 1e7 Pa
    ECI_BALL_AFFINE,
    ECI_DICE,       ///< friction from 0 to 1
    ECI_STAIRS,     ///< a bunny falls down stairs
    ECI_TRAMPOLINE, ///< an armadillo on a sheet that is held at eight points
    ECI_CHAIN,      ///< a ball on a net of linked rings, all affine
    ECI_SPLASH,     ///< a heavy bunny among soft cubes
    ECI_MEMBRANE,   ///< a stretched disc oscillates; nothing touches
    ECI_CONTACT_KINDS
};

struct eci_contact_options {
    const char *meshes; ///< a folder; null, or what is not in it: other shapes take their place
    bool full;      ///< the paper's size; else the small one of docs/theory/scenes.md section 4.1
    int32_t scheme; ///< PBS_SCHEME_*
    double step;    ///< s; 0: 1/120
    double decay;   ///< s, of the energy from the start on; 0: as the scene has it
    pbs_world_desc world; ///< how to compute; gravity, contact and what belongs to it are set here
};

/// Solver and step as ECI has them, small, A-search, no meshes.
void eci_contact_options_init(struct eci_contact_options *options);

/// What is simulated, with its mesh at rest.
struct eci_contact_body {
    pbs_body id;
    struct tet_mesh rest; ///< empty for a shell
    double *masses;       ///< one for each vertex: the rest shape's, lumped
    double *initial;      ///< 3 for each vertex, m: where they were at the start
    size_t vertex_count;
};

enum { ECI_CONTACT_PHASES = 2 };

struct eci_contact {
    pbs_world *world;
    double step;                  ///< s
    double duration;              ///< s, of the full scene or the small one
    bool generated;               ///< a mesh was not there: numbers of the reference do not hold
    bool ground;                  ///< the half-space below y = 0 is solid
    double height_energy;         ///< J, what gravity would be at the start with its zero at y = 0
    double contact_distance;      ///< m
    struct surface_mesh obstacle; ///< the stairs; empty in other scenes
    size_t body_count;
    struct eci_contact_body *bodies;
    pbs_integrator_desc integrator;
    struct {
        double begin, decay;      ///< s
    } phases[ECI_CONTACT_PHASES]; ///< from when on the energy decays in another time
    size_t phase_count, phase;
};

const char *eci_contact_name(enum eci_contact_kind kind);
/// False where no scene has this name.
bool eci_contact_find(const char *name, enum eci_contact_kind *kind);

/// *out is to be freed, also where this failed.
pbs_status eci_contact_create(enum eci_contact_kind kind, const struct eci_contact_options *options,
                              struct eci_contact *out);
void eci_contact_free(struct eci_contact *scene);

/// One step, with the decay that the scene has by then.
pbs_status eci_contact_step(struct eci_contact *scene);

/// Kinetic, elastic, gravity (zero at y = 0) and contact, J.
double eci_contact_energy(const struct eci_contact *scene);

/// Mass-weighted means over a body's vertices.
void eci_contact_center(const struct eci_contact *scene, size_t body, double out[3]);
void eci_contact_velocity(const struct eci_contact *scene, size_t body, double out[3]);

double eci_contact_lowest(const struct eci_contact *scene, size_t body);

/// The least det F over all tetrahedra; 1 without any.
double eci_contact_least_jacobian(const struct eci_contact *scene);

/// Of the membrane: the part of a vertical field in its first mode with two nodal diameters, J2(j21
/// r / R) cos 2 phi, which is 1 at its highest: of positions, m, or velocities, m/s.
double eci_membrane_mode(const struct eci_contact *scene, const double *xyz);

#endif
