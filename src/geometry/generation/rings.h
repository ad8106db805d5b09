// Discs and half-balls of rings about the y axis: ring 0 is the centre, ring k has 6 k vertices,
// counterclockwise seen from above. Discs, caps and the shells of balls are all numbered in this
// way, so that they fit together.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_GENERATION_RINGS_H
#define PBS_GEOMETRY_GENERATION_RINGS_H

#include <stddef.h>
#include <stdint.h>

enum { RING_SECTORS = 6 };

/// Number of vertices of rings 0 to `rings`.
size_t rings_count(size_t rings);

/// Number of vertices of one ring.
size_t ring_size(size_t ring);

/// Index of vertex j of a ring; j may be the ring's size, which is vertex 0.
size_t ring_vertex(size_t ring, size_t j);

/// Writes the 6 rings^2 triangles of a disc, seen from above counterclockwise. Returns the end.
uint32_t *rings_triangles(size_t rings, uint32_t *triangles);

/// Writes the place of vertex j of a ring at a distance from the axis, and at a height.
void ring_place(size_t ring, size_t j, double radius, double height, double place[3]);

/// Writes the place of vertex j of a ring on the half-ball of `rings` rings and that radius, the
/// upper one (+1) or the lower one (-1), whose equator is at `height`.
void ring_place_on_ball(size_t rings, size_t ring, size_t j, double radius, double side,
                        double height, double place[3]);

#endif
