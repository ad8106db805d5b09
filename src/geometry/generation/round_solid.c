// Solid balls, capsules and cylinders. The cylinder is a stack of discs of triangles, whose prisms
// are cut into three tetrahedra each. A half-ball is six tetrahedra, each with the centre, the pole
// and an edge of a hexagon on the equator, that are subdivided regularly (H. Freudenthal,
// "Simplizialzerlegungen von beschraenkter Flachheit", 1942) and bent such that the points at one
// distance from the centre in steps lie on a sphere, its shell. The flat face of a half-ball is the
// disc at the end of the cylinder. First come the vertices of the discs from the lowest to the
// highest, then those of the upper half-ball from its inner to its outer shell, without their
// equators, then those of the lower one.
// SPDX-License-Identifier: MIT
#include "geometry/generation/rings.h"
#include "geometry/generation/round_meshes.h"

/// Vertices of one half-ball above its flat face: of shell k, rings_count(k - 1) of them, and the
/// sum over shells is a cube.
static size_t half_ball_count(const struct round_shape *shape) {
    return shape->has_caps ? shape->rings * shape->rings * shape->rings : 0;
}

size_t round_solid_vertex_count(const struct round_shape *shape) {
    return (shape->layers + 1) * rings_count(shape->rings) + 2 * half_ball_count(shape);
}

size_t round_solid_tet_count(const struct round_shape *shape) {
    const size_t disc = RING_SECTORS * shape->rings * shape->rings;
    return 3 * disc * shape->layers + 2 * RING_SECTORS * half_ball_count(shape);
}

// --- places ---

static double *place_disc(const struct round_shape *shape, size_t layer, double *place) {
    const double layers = (double)shape->layers;
    const double part = layers > 0.0 ? (2.0 * (double)layer - layers) / (2.0 * layers) : 0.0;
    for (size_t ring = 0; ring <= shape->rings; ring++) {
        const double radius = (double)ring / (double)shape->rings * shape->radius;
        for (size_t j = 0; j < ring_size(ring); j++, place += 3) {
            ring_place(ring, j, radius, part * shape->height, place);
        }
    }
    return place;
}

static double *place_half_ball(const struct round_shape *shape, double side, double *place) {
    for (size_t shell = 1; shell <= shape->rings; shell++) {
        const double radius = (double)shell / (double)shape->rings * shape->radius;
        for (size_t ring = 0; ring < shell; ring++) {
            for (size_t j = 0; j < ring_size(ring); j++, place += 3) {
                ring_place_on_ball(shell, ring, j, radius, side, 0.5 * side * shape->height, place);
            }
        }
    }
    return place;
}

static void place_solid(const struct round_shape *shape, double *place) {
    for (size_t layer = 0; layer <= shape->layers; layer++) {
        place = place_disc(shape, layer, place);
    }
    if (shape->has_caps) {
        place = place_half_ball(shape, 1.0, place);
        place_half_ball(shape, -1.0, place);
    }
}

// --- tetrahedra ---

/// Exchanges two corners where that makes the volume positive.
static uint32_t *put_tet(const size_t corner[4], bool is_inverted, uint32_t *tets) {
    tets[0] = (uint32_t)corner[0];
    tets[1] = (uint32_t)corner[1];
    tets[2] = (uint32_t)corner[is_inverted ? 3 : 2];
    tets[3] = (uint32_t)corner[is_inverted ? 2 : 3];
    return tets + 4;
}

/// Sorts a triangle; returns whether that turns it over.
static bool sort_triangle(uint32_t t[3]) {
    bool is_odd = false;
    for (int pass = 0; pass < 3; pass++) {
        const int i = pass % 2;
        if (t[i] > t[i + 1]) {
            const uint32_t greater = t[i];
            t[i] = t[i + 1];
            t[i + 1] = greater;
            is_odd = !is_odd;
        }
    }
    return is_odd;
}

/// The prism over a triangle of a disc. Each tetrahedron goes along its corners in ascending order
/// and takes one step up, so that the diagonals of its sides depend on the numbers of their corners
/// alone and are those of its neighbours.
static uint32_t *divide_prism(const uint32_t triangle[3], size_t lower, size_t upper,
                              uint32_t *tets) {
    uint32_t t[3] = {triangle[0], triangle[1], triangle[2]};
    const bool is_odd = sort_triangle(t);
    const size_t low[3] = {lower + t[0], lower + t[1], lower + t[2]};
    const size_t high[3] = {upper + t[0], upper + t[1], upper + t[2]};
    tets = put_tet((size_t[4]){low[0], low[1], low[2], high[2]}, is_odd, tets);
    tets = put_tet((size_t[4]){low[0], low[1], high[1], high[2]}, !is_odd, tets);
    return put_tet((size_t[4]){low[0], high[0], high[1], high[2]}, is_odd, tets);
}

/// `disc`: scratch of 18 rings^2 indices.
static uint32_t *divide_cylinder(const struct round_shape *shape, uint32_t *disc, uint32_t *tets) {
    const uint32_t *const end = rings_triangles(shape->rings, disc);
    const size_t count = rings_count(shape->rings);
    for (size_t layer = 0; layer < shape->layers; layer++) {
        for (const uint32_t *t = disc; t < end; t += 3) {
            tets = divide_prism(t, layer * count, (layer + 1) * count, tets);
        }
    }
    return tets;
}

/// A half-ball's place among the vertices.
struct half_ball {
    size_t disc;  ///< first vertex of its flat face
    size_t first; ///< of the others
    bool is_lower;
};

/// The vertex at steps[0] >= steps[1] >= steps[2] of a sector: its shell, its ring on the shell,
/// and how far along the ring it is.
static size_t sector_vertex(const struct half_ball *half, size_t sector, const size_t steps[3]) {
    const size_t shell = steps[0], ring = steps[1];
    const size_t vertex = ring_vertex(ring, sector * ring + steps[2]);
    if (ring == shell) {
        return half->disc + vertex;
    }
    return half->first + (shell - 1) * (shell - 1) * (shell - 1) + vertex;
}

/// The tetrahedra that go from `at` along the three axes of steps, in each order; those that leave
/// the sector are another's.
static uint32_t *divide_steps(const struct half_ball *half, size_t sector, const size_t at[3],
                              uint32_t *tets) {
    static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const bool is_odd[6] = {false, true, true, false, false, true};
    for (int p = 0; p < 6; p++) {
        size_t steps[3] = {at[0], at[1], at[2]}, corner[4];
        bool is_inside = true;
        corner[0] = sector_vertex(half, sector, steps);
        for (int i = 0; i < 3; i++) {
            steps[orders[p][i]]++;
            is_inside = is_inside && steps[0] >= steps[1] && steps[1] >= steps[2];
            corner[i + 1] = is_inside ? sector_vertex(half, sector, steps) : 0;
        }
        if (is_inside) {
            tets = put_tet(corner, is_odd[p] != half->is_lower, tets);
        }
    }
    return tets;
}

static uint32_t *divide_half_ball(const struct round_shape *shape, const struct half_ball *half,
                                  uint32_t *tets) {
    for (size_t sector = 0; sector < RING_SECTORS; sector++) {
        for (size_t shell = 0; shell < shape->rings; shell++) {
            for (size_t ring = 0; ring <= shell; ring++) {
                for (size_t along = 0; along <= ring; along++) {
                    tets = divide_steps(half, sector, (size_t[3]){shell, ring, along}, tets);
                }
            }
        }
    }
    return tets;
}

static void divide_caps(const struct round_shape *shape, uint32_t *tets) {
    const size_t disc = rings_count(shape->rings), discs = (shape->layers + 1) * disc;
    const struct half_ball upper = {shape->layers * disc, discs, false};
    const struct half_ball lower = {0, discs + half_ball_count(shape), true};
    tets = divide_half_ball(shape, &upper, tets);
    divide_half_ball(shape, &lower, tets);
}

pbs_status round_solid(struct memory *memory, const struct round_shape *shape, pbs_mesh *out) {
    RETURN_IF_FAILED(generated_mesh_allocate(memory, round_solid_vertex_count(shape), 0,
                                             round_solid_tet_count(shape), 0, out));
    uint32_t *disc = memory_allocate(memory, shape->rings * shape->rings,
                                     3 * RING_SECTORS * sizeof *disc);
    if (disc == NULL) {
        generated_mesh_free(memory, out);
        return PBS_ERROR_MEMORY;
    }
    place_solid(shape, out->positions);
    uint32_t *const tets = divide_cylinder(shape, disc, out->tets);
    if (shape->has_caps) {
        divide_caps(shape, tets);
    }
    memory_release(memory, disc);
    return generated_mesh_add_boundary(memory, out);
}
