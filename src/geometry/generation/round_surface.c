// Surfaces of balls, capsules and cylinders: the outermost ring at each end of the cylinder and
// between its layers, then the vertices of the upper cap or lid, then those of the lower one.
// SPDX-License-Identifier: MIT
#include "geometry/generation/rings.h"
#include "geometry/generation/round_meshes.h"

/// Vertices of a cap without its outermost ring; of a lid, its centre.
static size_t cap_count(const struct round_shape *shape) {
    return shape->has_caps ? rings_count(shape->rings - 1) : 1;
}

static size_t side_count(const struct round_shape *shape) {
    return (shape->layers + 1) * ring_size(shape->rings);
}

size_t round_surface_vertex_count(const struct round_shape *shape) {
    return side_count(shape) + 2 * cap_count(shape);
}

size_t round_surface_triangle_count(const struct round_shape *shape) {
    const size_t size = ring_size(shape->rings);
    return 2 * size * shape->layers + 2 * size * (shape->has_caps ? shape->rings : 1);
}

// --- places ---

static double layer_height(const struct round_shape *shape, size_t layer) {
    const double layers = (double)shape->layers;
    return layers > 0.0 ? (2.0 * (double)layer - layers) / (2.0 * layers) * shape->height : 0.0;
}

static double *place_cap(const struct round_shape *shape, double side, double *place) {
    const double height = 0.5 * side * shape->height;
    for (size_t ring = 0; ring < (shape->has_caps ? shape->rings : 1); ring++) {
        for (size_t j = 0; j < ring_size(ring); j++, place += 3) {
            if (shape->has_caps) {
                ring_place_on_ball(shape->rings, ring, j, shape->radius, side, height, place);
            } else {
                ring_place(0, 0, 0.0, height, place);
            }
        }
    }
    return place;
}

static void place_surface(const struct round_shape *shape, double *place) {
    for (size_t layer = 0; layer <= shape->layers; layer++) {
        for (size_t j = 0; j < ring_size(shape->rings); j++, place += 3) {
            ring_place(shape->rings, j, shape->radius, layer_height(shape, layer), place);
        }
    }
    place = place_cap(shape, 1.0, place);
    place_cap(shape, -1.0, place);
}

// --- triangles ---

/// Two triangles between neighbouring layers and vertices j and j + 1.
static uint32_t *divide_side(size_t size, size_t layer, size_t j, uint32_t *triangles) {
    const uint32_t a = (uint32_t)(layer * size + j), b = (uint32_t)(layer * size + (j + 1) % size);
    const uint32_t c = a + (uint32_t)size, d = b + (uint32_t)size;
    const uint32_t both[6] = {a, b, d, a, d, c};
    for (int i = 0; i < 6; i++) {
        *triangles++ = both[i];
    }
    return triangles;
}

/// Turns the numbers of a disc into those of the surface: of its outermost ring, which begins at
/// `ring_first` there, and of what is inside, which begins at cap_first.
static void renumber_cap(uint32_t *triangles, const uint32_t *end, size_t inside, size_t ring_first,
                         size_t cap_first) {
    for (; triangles < end; triangles++) {
        const size_t v = *triangles;
        *triangles = (uint32_t)(v < inside ? cap_first + v : ring_first + (v - inside));
    }
}

static uint32_t *put_lid(size_t size, uint32_t *triangles) {
    for (size_t j = 0; j < size; j++) {
        *triangles++ = 0;
        *triangles++ = (uint32_t)(1 + j);
        *triangles++ = (uint32_t)(1 + (j + 1) % size);
    }
    return triangles;
}

static uint32_t *put_cap(const struct round_shape *shape, size_t ring_first, size_t cap_first,
                         uint32_t *triangles) {
    uint32_t *end = shape->has_caps ? rings_triangles(shape->rings, triangles)
                                    : put_lid(ring_size(shape->rings), triangles);
    renumber_cap(triangles, end, cap_count(shape), ring_first, cap_first);
    return end;
}

static void turn_over(uint32_t *triangles, const uint32_t *end) {
    for (; triangles < end; triangles += 3) {
        const uint32_t second = triangles[1];
        triangles[1] = triangles[2];
        triangles[2] = second;
    }
}

static void connect_surface(const struct round_shape *shape, uint32_t *triangles) {
    const size_t size = ring_size(shape->rings), caps = side_count(shape);
    for (size_t layer = 0; layer < shape->layers; layer++) {
        for (size_t j = 0; j < size; j++) {
            triangles = divide_side(size, layer, j, triangles);
        }
    }
    uint32_t *const lower = put_cap(shape, shape->layers * size, caps, triangles);
    const uint32_t *const end = put_cap(shape, 0, caps + cap_count(shape), lower);
    turn_over(lower, end);
}

pbs_status round_surface(struct memory *memory, const struct round_shape *shape, pbs_mesh *out) {
    RETURN_IF_FAILED(generated_mesh_allocate(memory, round_surface_vertex_count(shape),
                                             round_surface_triangle_count(shape), 0, 0, out));
    place_surface(shape, out->positions);
    connect_surface(shape, out->triangles);
    return PBS_OK;
}
