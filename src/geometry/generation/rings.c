// See rings.h.
// SPDX-License-Identifier: MIT
#include "geometry/generation/rings.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

size_t rings_count(size_t rings) {
    return 1 + RING_SECTORS / 2 * rings * (rings + 1);
}

size_t ring_size(size_t ring) {
    return ring > 0 ? RING_SECTORS * ring : 1;
}

size_t ring_vertex(size_t ring, size_t j) {
    return ring > 0 ? rings_count(ring - 1) + j % ring_size(ring) : 0;
}

static uint32_t *put_triangle(size_t a, size_t b, size_t c, uint32_t *triangles) {
    triangles[0] = (uint32_t)a;
    triangles[1] = (uint32_t)b;
    triangles[2] = (uint32_t)c;
    return triangles + 3;
}

/// Those between ring - 1 and ring in one of the six sectors.
static uint32_t *put_strip(size_t ring, size_t sector, uint32_t *triangles) {
    const size_t inner = sector * (ring - 1), outer = sector * ring;
    for (size_t i = 0; i < ring; i++) {
        const size_t tip = ring_vertex(ring - 1, inner + i);
        const size_t next = ring_vertex(ring, outer + i + 1);
        triangles = put_triangle(tip, ring_vertex(ring, outer + i), next, triangles);
        if (i + 1 < ring) {
            triangles = put_triangle(tip, next, ring_vertex(ring - 1, inner + i + 1), triangles);
        }
    }
    return triangles;
}

uint32_t *rings_triangles(size_t rings, uint32_t *triangles) {
    for (size_t ring = 1; ring <= rings; ring++) {
        for (size_t sector = 0; sector < RING_SECTORS; sector++) {
            triangles = put_strip(ring, sector, triangles);
        }
    }
    return triangles;
}

void ring_place(size_t ring, size_t j, double radius, double height, double place[3]) {
    const double angle = 2.0 * PI * (double)j / (double)ring_size(ring);
    place[0] = ring > 0 ? radius * cos(angle) : 0.0;
    place[1] = height;
    place[2] = ring > 0 ? -radius * sin(angle) : 0.0;
}

void ring_place_on_ball(size_t rings, size_t ring, size_t j, double radius, double side,
                        double height, double place[3]) {
    const double polar = 0.5 * PI * (double)ring / (double)rings;
    if (ring == rings) {
        ring_place(ring, j, radius, height, place);
    } else {
        ring_place(ring, j, radius * sin(polar), height + side * radius * cos(polar), place);
    }
}
