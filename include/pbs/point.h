// libpbs: points of bodies, which joints and forces act on and meshes hang on. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_POINT_H
#define PBS_POINT_H

#include "body.h"
#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Values of pbs_point.kind: where a point is. A point moves as a weighted sum of at most four
/// vertices or handles of its body.
typedef enum pbs_point_kind {
    PBS_POINT_WORLD,    ///< at `place` in space, and of no body
    PBS_POINT_VERTEX,   ///< vertex `index` of any body
    PBS_POINT_TET,      ///< in tetrahedron `index` of a solid, at the barycentric `weights`
    PBS_POINT_TRIANGLE, ///< on triangle `index` of pbs_body_surface, at the first three `weights`
    PBS_POINT_LOCAL ///< at `place` in an affine body's own coordinates, those of the positions it
                    ///< was made of
} pbs_point_kind;

/// A point of a body or of space. The caller sets struct_size = sizeof(pbs_point), kind, and what
/// the kind asks for; everything else is 0 (a struct of zeros with struct_size set is the origin of
/// space).
typedef struct pbs_point {
    uint32_t struct_size; ///< set by the caller
    int32_t kind;         ///< PBS_POINT_*
    pbs_body body;        ///< null for PBS_POINT_WORLD
    uint32_t index;       ///< vertex, tetrahedron or triangle
    uint32_t reserved;    ///< must be 0
    double weights[4];    ///< of the corners in order: their sum is 1 within 1e-9, each of any sign
                          ///< (outside of the element the point is extrapolated); magnitudes up to
                          ///< 1000
    double place[3];      ///< m: in space, or in the body's own coordinates
} pbs_point;

/// Where a point is now.
/// @param out  3, m
/// @return PBS_ERROR_ARGUMENT (a null pointer, a kind that the body has not, an index beyond the
/// body's, weights whose sum is not 1, a number that is not finite), PBS_ERROR_HANDLE,
/// PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_world_point_position(const pbs_world *w, const pbs_point *point,
                                            double *out);

/// How fast a point moves; 0 of a point of space.
/// @param out  3, m/s
/// @return as pbs_world_point_position
PBS_API pbs_status pbs_world_point_velocity(const pbs_world *w, const pbs_point *point,
                                            double *out);

/// Points of a body at, or nearest to, places in space, as the body is now: in the tetrahedron of a
/// solid that a place lies in, or else on the nearest face; on the nearest triangle of the surface
/// of other bodies; of bodies without a surface, such as bonded ones, the nearest vertex
/// (particle). The own coordinates of an affine body reach everywhere: its points are exactly at
/// the places, inside or outside. Of equally near ones, the lowest index. One call builds a tree
/// over the body, so that many places at once cost much less than one by one. Threads may call it
/// at the same time, as pbs_world_overlaps.
/// @param places  count x 3, m; read during the call only
/// @param count  0: nothing is written
/// @param dst  becomes count points: point i starts struct_size * i bytes after dst
/// @param struct_size  sizeof(pbs_point) as the caller was compiled
/// @param distances  null; or becomes count distances, m, from the places to the points: 0 inside
/// of a solid, and of affine bodies
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite), PBS_ERROR_HANDLE,
/// PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
PBS_API pbs_status pbs_world_locate(const pbs_world *w, pbs_body body, const double *places,
                                    size_t count, pbs_point *dst, size_t struct_size,
                                    double *distances);

#ifdef __cplusplus
}
#endif

#endif
