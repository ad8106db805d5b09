// A scene in one text file: components of nodes and tetrahedra with their materials, obstacles,
// scripted nodes, contact and the step. One statement a line, '#' hides the rest of its line:
//
//     name S                           energy NH | FCR            integrator BE | NM beta gamma
//     dt h                             steps_total n              gravity gx gy gz
//     bbox_diag D                      dhat d                     eps_v v
//     self_friction mu                 friction_iterations n      newton_tol t
//     kappa_suggested k
//     halfspace x y z nx ny nz friction mu
//     meshobstacle nv nf friction mu   of the static_mesh that follows
//     static_mesh nv nf                and lines: vertices, triangles
//     components n                     and lines: node_begin node_end tet_begin tet_end codimension
//                                      density young poisson
//     nodes n                          and lines: rest x y z, initial x y z
//     tets n, surface_tris n, segments n    and lines of node indices from 0
//     dirichlet n                      and node indices
//     motions n                        and for each: rotate | translate | fixed, vx vy vz omega
//                                      cx cy cz n, and node indices
//     velocity n                       and lines: one for each node
//
// dt, components and nodes must be there, tets where components have any, surface_tris where they
// are obstacles of triangles, and steps_total where nobody else says how long to go on. Without the
// rest there is no gravity, friction, obstacle or motion, everything is Neo-Hookean, moves by
// implicit Euler and begins at rest, and contact and tolerances are the library's own. Statements
// may come in any order, but lists of indices come after the nodes that they name.
// What follows on a line after that is passed over, as are the statements avg_node_mass and script.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_SCENE_FILE_H
#define PBS_COMMON_SCENE_FILE_H

#include "common/program/text.h"

enum scene_material { SCENE_NEO_HOOKEAN, SCENE_FIXED_COROTATED };
enum scene_integrator { SCENE_IMPLICIT_EULER, SCENE_NEWMARK };

struct scene_half_space {
    double origin[3];
    double normal[3]; ///< not zero, of any length
    double friction;
};

/// An obstacle that does not move, in world coordinates.
struct scene_mesh {
    size_t vertex_count, triangle_count;
    double *vertices;    ///< vertex_count x 3, metres
    uint32_t *triangles; ///< triangle_count x 3
    double friction;
};

/// Nodes [node_begin, node_end) and tetrahedra [tet_begin, tet_end) of one thing.
struct scene_component {
    size_t node_begin, node_end;
    size_t tet_begin, tet_end;
    int codimension; ///< 3: elastic; 2, 1, 0: an obstacle of triangles, segments or points
    double density, young, poisson;
};

enum scene_motion_kind { SCENE_FIXED, SCENE_TRANSLATE, SCENE_ROTATE };

/// Where nodes go in each step, from where they are.
struct scene_motion {
    enum scene_motion_kind kind;
    double vector[3]; ///< m/s; of a rotation its axis, not zero
    double omega;     ///< 1/s, of a rotation
    double centre[3]; ///< metres, of a rotation
    size_t node_count;
    uint32_t *nodes;
};

struct scene_file {
    char name[64];
    enum scene_material material;
    enum scene_integrator integrator;
    double newmark[2]; ///< beta, gamma
    double step;       ///< s
    size_t step_count;
    double gravity[3];          ///< m/s^2
    double diagonal;            ///< m, of the rest shape
    double contact_distance;    ///< m
    double slip_velocity;       ///< m/s
    double friction;            ///< between components
    size_t friction_iterations; ///< per step
    double newton_tolerance;    ///< m, of the largest component of a Newton step
    double contact_stiffness;   ///< J s^2 / m^4: kappa of kappa b(d^2) in the energy times h^2

    size_t half_space_count, mesh_count, component_count, motion_count;
    struct scene_half_space *half_spaces;
    struct scene_mesh *meshes;
    struct scene_component *components;
    struct scene_motion *motions;

    size_t node_count, tet_count, triangle_count, segment_count, dirichlet_count;
    double *rest;        ///< node_count x 3, metres
    double *initial;     ///< node_count x 3, metres
    double *velocities;  ///< null (at rest), or node_count x 3, m/s
    uint32_t *tets;      ///< tet_count x 4
    uint32_t *triangles; ///< triangle_count x 3: the surface, and obstacles
    uint32_t *segments;  ///< segment_count x 2
    uint32_t *dirichlet; ///< nodes that do not move freely
};

/// On failure `out` is empty and the message names line and reason.
bool scene_file_read(const char *path, struct scene_file *out, struct message *message);
bool scene_file_read_from_memory(const void *data, size_t size, struct scene_file *out,
                                 struct message *message);
void scene_file_free(struct scene_file *scene);

/// Positions of a motion's nodes `step` seconds later, from x to x (node_count of the scene x 3).
void scene_motion_apply(const struct scene_motion *motion, double step, double *x);

#endif
