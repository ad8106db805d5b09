// Tetrahedra of a signed distance: F. Labelle and J. R. Shewchuk, "Isosurface Stuffing: Fast
// Tetrahedral Meshes with Good Dihedral Angles", SIGGRAPH 2007. A body-centred cubic lattice is cut
// by the surface; lattice points close to a cut are moved onto it; what is left of each tetrahedron
// inside becomes one to three tetrahedra of known shapes.
// SPDX-License-Identifier: MIT

#include "common/meshes/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A lattice point is moved when a cut lies within this part of an edge from it (the paper's safe
// values).
#define ALPHA_LONG  0.24999
#define ALPHA_SHORT 0.41189

enum { NO_VERTEX = -1 };

// Corners (i, j, k) * spacing come first, then the centres of the cells, one grid larger on each
// side than the box.
struct lattice {
    shape_distance_fn distance;
    const void *user;
    double origin[3];
    double spacing;
    size_t cells[3];
    size_t corner_count;
    size_t point_count;
    double *values;    ///< signed distance; exactly 0 for points moved onto the surface
    double *positions; ///< [point_count * 3]
    int64_t *vertex;   ///< number in the output, or NO_VERTEX
};

// A cut edge and the vertex that stands on it, in an open hash table.
struct cut {
    size_t low, high; ///< lattice points, low < high; both 0 when empty
    int64_t vertex;
};

struct stuffing {
    struct lattice grid;
    struct cut *cuts;
    size_t cut_room; ///< a power of two, or 0
    size_t cut_count;
    struct tet_mesh *out;
    size_t vertex_room;
    size_t tet_room;
};

struct neighbour {
    size_t point;
    bool is_long;
};

// --- The lattice ---

static size_t corner_index(const struct lattice *grid, size_t i, size_t j, size_t k) {
    return i + (grid->cells[0] + 1) * (j + (grid->cells[1] + 1) * k);
}

static size_t centre_index(const struct lattice *grid, size_t i, size_t j, size_t k) {
    return grid->corner_count + i + grid->cells[0] * (j + grid->cells[1] * k);
}

static void place_points(struct lattice *grid) {
    for (int centre = 0; centre < 2; centre++) {
        size_t count[3];
        for (int axis = 0; axis < 3; axis++) {
            count[axis] = grid->cells[axis] + (centre == 0 ? 1 : 0);
        }
        double shift = centre == 0 ? 0.0 : 0.5;
        size_t first = centre == 0 ? 0 : grid->corner_count;
        for (size_t p = 0; p < count[0] * count[1] * count[2]; p++) {
            size_t at[3] = {p % count[0], p / count[0] % count[1], p / count[0] / count[1]};
            double *position = grid->positions + 3 * (first + p);
            for (int axis = 0; axis < 3; axis++) {
                position[axis] = grid->origin[axis] + grid->spacing * ((double)at[axis] + shift);
            }
            grid->values[first + p] = grid->distance(grid->user, position);
            grid->vertex[first + p] = NO_VERTEX;
        }
    }
}

static bool lattice_create(struct lattice *grid, const double lower[3], const double upper[3]) {
    size_t corners = 1;
    size_t centres = 1;
    for (int axis = 0; axis < 3; axis++) {
        double length = upper[axis] - lower[axis];
        if (!(length > 0.0) || !(grid->spacing > 0.0) || !(length / grid->spacing < 2000.0)) {
            return false;
        }
        grid->cells[axis] = (size_t)ceil(length / grid->spacing) + 2;
        // The same margin on both sides keeps symmetric shapes symmetric.
        double margin = (double)grid->cells[axis] * grid->spacing - length;
        grid->origin[axis] = lower[axis] - margin / 2.0;
        corners *= grid->cells[axis] + 1;
        centres *= grid->cells[axis];
    }
    grid->corner_count = corners;
    grid->point_count = corners + centres;
    if (grid->point_count > (size_t)200000000) {
        return false;
    }
    grid->values = malloc(grid->point_count * sizeof *grid->values);
    grid->positions = malloc(grid->point_count * 3 * sizeof *grid->positions);
    grid->vertex = malloc(grid->point_count * sizeof *grid->vertex);
    if (grid->values == NULL || grid->positions == NULL || grid->vertex == NULL) {
        return false;
    }
    place_points(grid);
    return true;
}

static void lattice_free(struct lattice *grid) {
    free(grid->values);
    free(grid->positions);
    free(grid->vertex);
}

// The up to 14 neighbours of a lattice point: 6 of its own kind at `spacing`, 8 of the other kind.
static int find_neighbours(const struct lattice *grid, size_t point, struct neighbour *out) {
    bool centre = point >= grid->corner_count;
    size_t count[3];
    for (int axis = 0; axis < 3; axis++) {
        count[axis] = grid->cells[axis] + (centre ? 0 : 1);
    }
    size_t p = centre ? point - grid->corner_count : point;
    size_t at[3] = {p % count[0], p / count[0] % count[1], p / count[0] / count[1]};
    int found = 0;
    for (int side = 0; side < 6; side++) {
        size_t n[3] = {at[0], at[1], at[2]};
        n[side / 2] += side % 2 == 0 ? 1 : (size_t)-1;
        if (n[side / 2] < count[side / 2]) {
            size_t index = centre ? centre_index(grid, n[0], n[1], n[2])
                                  : corner_index(grid, n[0], n[1], n[2]);
            out[found++] = (struct neighbour){index, true};
        }
    }
    for (size_t c = 0; c < 8; c++) {
        size_t shift = centre ? 0 : 1;
        size_t n[3] = {at[0] + (c & 1) - shift, at[1] + (c >> 1 & 1) - shift,
                       at[2] + (c >> 2) - shift};
        bool there = true;
        for (int axis = 0; axis < 3; axis++) {
            there = there && n[axis] < grid->cells[axis] + (centre ? 1 : 0);
        }
        if (there) {
            size_t index = centre ? corner_index(grid, n[0], n[1], n[2])
                                  : centre_index(grid, n[0], n[1], n[2]);
            out[found++] = (struct neighbour){index, false};
        }
    }
    return found;
}

// --- Cuts ---

static bool crosses(const struct lattice *grid, size_t a, size_t b) {
    double va = grid->values[a];
    double vb = grid->values[b];
    return (va < 0.0 && vb > 0.0) || (va > 0.0 && vb < 0.0);
}

// Where the distance changes its sign between two points, as a part of the way from a to b: regula
// falsi with the Illinois rule, which keeps both ends moving.
static double find_cut(const struct lattice *grid, size_t a, size_t b, double cut[3]) {
    const double *pa = grid->positions + 3 * a;
    const double *pb = grid->positions + 3 * b;
    double low = 0.0;
    double high = 1.0;
    double at_low = grid->values[a];
    double at_high = grid->values[b];
    double t = 0.5;
    for (int i = 0; i < 40 && high - low > 1e-12; i++) {
        t = low + (high - low) * at_low / (at_low - at_high);
        for (int axis = 0; axis < 3; axis++) {
            cut[axis] = pa[axis] + t * (pb[axis] - pa[axis]);
        }
        double value = grid->distance(grid->user, cut);
        if (value == 0.0) {
            break;
        }
        if ((value < 0.0) == (at_low < 0.0)) {
            low = t;
            at_low = value;
            at_high *= 0.5;
        } else {
            high = t;
            at_high = value;
            at_low *= 0.5;
        }
    }
    return t;
}

// Moves a point onto its nearest cut if that is too close. A moved point counts as surface, so the
// cuts of its other edges are gone when its neighbours are looked at: the order of the points
// matters and is fixed.
static void warp_point(struct lattice *grid, size_t point) {
    struct neighbour neighbours[14];
    int count = find_neighbours(grid, point, neighbours);
    double nearest = INFINITY;
    double target[3] = {0.0, 0.0, 0.0};
    for (int n = 0; n < count; n++) {
        if (!crosses(grid, point, neighbours[n].point)) {
            continue;
        }
        double cut[3] = {0.0, 0.0, 0.0};
        double part = find_cut(grid, point, neighbours[n].point, cut);
        // Short edges are sqrt(3)/2 of the long ones.
        double length = part * (neighbours[n].is_long ? 1.0 : 0.86602540378443865);
        if (part < (neighbours[n].is_long ? ALPHA_LONG : ALPHA_SHORT) && length < nearest) {
            nearest = length;
            memcpy(target, cut, sizeof target);
        }
    }
    if (nearest < INFINITY) {
        memcpy(grid->positions + 3 * point, target, sizeof target);
        grid->values[point] = 0.0;
    }
}

// --- Output ---

static bool add_vertex(struct stuffing *work, const double position[3], int64_t *vertex) {
    struct tet_mesh *out = work->out;
    if (out->vertex_count == work->vertex_room) {
        size_t room = 2 * work->vertex_room + 256;
        double *grown = realloc(out->positions, room * 3 * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        out->positions = grown;
        work->vertex_room = room;
    }
    memcpy(out->positions + 3 * out->vertex_count, position, 3 * sizeof *position);
    *vertex = (int64_t)out->vertex_count++;
    return true;
}

static bool vertex_of_point(struct stuffing *work, size_t point, int64_t *vertex) {
    int64_t *known = &work->grid.vertex[point];
    if (*known == NO_VERTEX && !add_vertex(work, work->grid.positions + 3 * point, known)) {
        return false;
    }
    *vertex = *known;
    return true;
}

static size_t cut_slot(const struct cut *cuts, size_t room, size_t low, size_t high) {
    uint64_t hash = (low * UINT64_C(0x9E3779B97F4A7C15)) ^ (high * UINT64_C(0xC2B2AE3D27D4EB4F));
    size_t slot = (size_t)(hash >> 20) & (room - 1);
    while (cuts[slot].high != 0 && (cuts[slot].low != low || cuts[slot].high != high)) {
        slot = (slot + 1) & (room - 1);
    }
    return slot;
}

static bool grow_cuts(struct stuffing *work) {
    size_t room = work->cut_room == 0 ? 1024 : 2 * work->cut_room;
    struct cut *grown = calloc(room, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    for (size_t i = 0; i < work->cut_room; i++) {
        if (work->cuts[i].high != 0) {
            grown[cut_slot(grown, room, work->cuts[i].low, work->cuts[i].high)] = work->cuts[i];
        }
    }
    free(work->cuts);
    work->cuts = grown;
    work->cut_room = room;
    return true;
}

static bool vertex_of_cut(struct stuffing *work, size_t a, size_t b, int64_t *vertex) {
    size_t low = a < b ? a : b;
    size_t high = a < b ? b : a;
    if (2 * work->cut_count >= work->cut_room && !grow_cuts(work)) {
        return false;
    }
    struct cut *cut = &work->cuts[cut_slot(work->cuts, work->cut_room, low, high)];
    if (cut->high == 0) {
        double position[3] = {0.0, 0.0, 0.0};
        find_cut(&work->grid, low, high, position);
        if (!add_vertex(work, position, &cut->vertex)) {
            return false;
        }
        cut->low = low;
        cut->high = high;
        work->cut_count++;
    }
    *vertex = cut->vertex;
    return true;
}

static bool add_tet(struct stuffing *work, int64_t a, int64_t b, int64_t c, int64_t d) {
    struct tet_mesh *out = work->out;
    if (out->tet_count == work->tet_room) {
        size_t room = 2 * work->tet_room + 256;
        uint32_t *grown = realloc(out->tets, room * 4 * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        out->tets = grown;
        work->tet_room = room;
    }
    uint32_t *tet = out->tets + 4 * out->tet_count;
    tet[0] = (uint32_t)a;
    tet[1] = (uint32_t)b;
    tet[2] = (uint32_t)c;
    tet[3] = (uint32_t)d;
    out->tet_count++;
    if (tet_volume(out, out->tet_count - 1) < 0.0) {
        tet[2] = (uint32_t)d;
        tet[3] = (uint32_t)c;
    }
    return true;
}

static double squared_distance(const double *p, const double *q) {
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        sum += (p[axis] - q[axis]) * (p[axis] - q[axis]);
    }
    return sum;
}

// --- Cutting one tetrahedron ---

// The corners of a lattice tetrahedron by where they lie.
struct sorted_tet {
    size_t inside[4], surface[4], outside[4];
    int inside_count, surface_count, outside_count;
};

static bool same_kind(const struct lattice *grid, size_t a, size_t b) {
    return (a < grid->corner_count) == (b < grid->corner_count);
}

// A face with a and b inside and o outside leaves the quad a, b, cut(b, o), cut(a, o). True when
// its diagonal runs from a to cut(b, o). Both tetrahedra at the face must agree, so only the face
// decides: where one cut edge is long, the diagonal ends on its cut; else it starts at the lower
// number.
static bool diagonal_from_first(const struct lattice *grid, size_t a, size_t b, size_t o) {
    bool a_long = same_kind(grid, a, o);
    bool b_long = same_kind(grid, b, o);
    return a_long != b_long ? b_long : a < b;
}

// The pyramid over quad a, b, b2, a2 (in turn) with an apex; the diagonal runs a to b2, or else b
// to a2.
static bool add_pyramid(struct stuffing *work, int64_t apex, const int64_t quad[4], bool a_to_b2) {
    if (a_to_b2) {
        return add_tet(work, apex, quad[0], quad[1], quad[2]) &&
               add_tet(work, apex, quad[0], quad[2], quad[3]);
    }
    return add_tet(work, apex, quad[1], quad[2], quad[3]) &&
           add_tet(work, apex, quad[1], quad[3], quad[0]);
}

// A prism with triangles top and bottom; diagonal[i] tells whether side (i, i+1) is cut from top i
// to bottom i+1. Not all three are equal, so some top corner meets two diagonals, and the prism
// falls into the tetrahedron of that corner with the bottom, and a pyramid.
static bool add_prism(struct stuffing *work, const int64_t top[3], const int64_t bottom[3],
                      const bool diagonal[3]) {
    int i = 0;
    while (i < 2 && !(diagonal[i] && !diagonal[(i + 2) % 3])) {
        i++;
    }
    int j = (i + 1) % 3;
    int k = (i + 2) % 3;
    const int64_t quad[4] = {top[j], top[k], bottom[k], bottom[j]};
    return add_tet(work, top[i], bottom[0], bottom[1], bottom[2]) &&
           add_pyramid(work, top[i], quad, diagonal[j]);
}

static bool cut_one_inside(struct stuffing *work, const struct sorted_tet *tet) {
    int64_t v[4] = {0}; // the point inside, and three that lie on the surface or are cut
    int count = 0;
    bool made = vertex_of_point(work, tet->inside[0], &v[count++]);
    for (int i = 0; made && i < tet->surface_count; i++) {
        made = vertex_of_point(work, tet->surface[i], &v[count++]);
    }
    for (int i = 0; made && i < tet->outside_count; i++) {
        made = vertex_of_cut(work, tet->inside[0], tet->outside[i], &v[count++]);
    }
    return made && add_tet(work, v[0], v[1], v[2], v[3]);
}

static bool cut_pyramid(struct stuffing *work, const struct sorted_tet *tet) {
    size_t a = tet->inside[0];
    size_t b = tet->inside[1];
    size_t o = tet->outside[0];
    int64_t apex = 0;
    int64_t quad[4];
    return vertex_of_point(work, tet->surface[0], &apex) && vertex_of_point(work, a, &quad[0]) &&
           vertex_of_point(work, b, &quad[1]) && vertex_of_cut(work, b, o, &quad[2]) &&
           vertex_of_cut(work, a, o, &quad[3]) &&
           add_pyramid(work, apex, quad, diagonal_from_first(&work->grid, a, b, o));
}

static bool cut_two_inside(struct stuffing *work, const struct sorted_tet *tet) {
    size_t a = tet->inside[0];
    size_t b = tet->inside[1];
    size_t c = tet->outside[0];
    size_t d = tet->outside[1];
    int64_t top[3];
    int64_t bottom[3];
    if (!vertex_of_point(work, a, &top[0]) || !vertex_of_cut(work, a, c, &top[1]) ||
        !vertex_of_cut(work, a, d, &top[2]) || !vertex_of_point(work, b, &bottom[0]) ||
        !vertex_of_cut(work, b, c, &bottom[1]) || !vertex_of_cut(work, b, d, &bottom[2])) {
        return false;
    }
    bool diagonal[3] = {diagonal_from_first(&work->grid, a, b, c), false,
                        !diagonal_from_first(&work->grid, a, b, d)};
    // The side on the surface belongs to nobody else: the shorter diagonal, unless all three would
    // turn alike.
    const double *p = work->out->positions;
    diagonal[1] = squared_distance(p + 3 * top[1], p + 3 * bottom[2]) <
                  squared_distance(p + 3 * top[2], p + 3 * bottom[1]);
    if (diagonal[0] == diagonal[1] && diagonal[1] == diagonal[2]) {
        diagonal[1] = !diagonal[1];
    }
    return add_prism(work, top, bottom, diagonal);
}

static bool cut_three_inside(struct stuffing *work, const struct sorted_tet *tet) {
    int64_t top[3];
    int64_t bottom[3];
    bool diagonal[3];
    for (int i = 0; i < 3; i++) {
        if (!vertex_of_point(work, tet->inside[i], &top[i]) ||
            !vertex_of_cut(work, tet->inside[i], tet->outside[0], &bottom[i])) {
            return false;
        }
        diagonal[i] = diagonal_from_first(&work->grid, tet->inside[i], tet->inside[(i + 1) % 3],
                                          tet->outside[0]);
    }
    return add_prism(work, top, bottom, diagonal);
}

static bool keep_whole(struct stuffing *work, const size_t points[4]) {
    int64_t v[4];
    for (int i = 0; i < 4; i++) {
        if (!vertex_of_point(work, points[i], &v[i])) {
            return false;
        }
    }
    return add_tet(work, v[0], v[1], v[2], v[3]);
}

static bool cut_tet(struct stuffing *work, const size_t points[4]) {
    struct sorted_tet tet = {.inside_count = 0};
    for (int i = 0; i < 4; i++) {
        double value = work->grid.values[points[i]];
        if (value < 0.0) {
            tet.inside[tet.inside_count++] = points[i];
        } else if (value > 0.0) {
            tet.outside[tet.outside_count++] = points[i];
        } else {
            tet.surface[tet.surface_count++] = points[i];
        }
    }
    if (tet.inside_count == 0) {
        return true;
    }
    if (tet.outside_count == 0) {
        return keep_whole(work, points);
    }
    if (tet.inside_count == 1) {
        return cut_one_inside(work, &tet);
    }
    if (tet.inside_count == 3) {
        return cut_three_inside(work, &tet);
    }
    return tet.outside_count == 2 ? cut_two_inside(work, &tet) : cut_pyramid(work, &tet);
}

// The four tetrahedra around the edge from corner `at` along `axis`: each has two centres next to
// each other.
static bool cut_around_edge(struct stuffing *work, const size_t at[3], int axis) {
    static const size_t ring[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}};
    const struct lattice *grid = &work->grid;
    int u = (axis + 1) % 3;
    int v = (axis + 2) % 3;
    size_t end[3] = {at[0], at[1], at[2]};
    size_t centres[4];
    end[axis]++;
    if (end[axis] > grid->cells[axis] || at[u] == 0 || at[v] == 0 || at[u] >= grid->cells[u] ||
        at[v] >= grid->cells[v]) {
        return true;
    }
    for (int i = 0; i < 4; i++) {
        size_t c[3] = {at[0], at[1], at[2]};
        c[u] -= ring[i][0];
        c[v] -= ring[i][1];
        centres[i] = centre_index(grid, c[0], c[1], c[2]);
    }
    bool done = true;
    for (int i = 0; done && i < 4; i++) {
        const size_t points[4] = {corner_index(grid, at[0], at[1], at[2]),
                                  corner_index(grid, end[0], end[1], end[2]), centres[i],
                                  centres[(i + 1) % 4]};
        done = cut_tet(work, points);
    }
    return done;
}

static bool stuff_lattice(struct stuffing *work) {
    struct lattice *grid = &work->grid;
    for (size_t p = 0; p < grid->point_count; p++) {
        warp_point(grid, p);
    }
    for (size_t corner = 0; corner < grid->corner_count; corner++) {
        size_t nx = grid->cells[0] + 1;
        size_t ny = grid->cells[1] + 1;
        const size_t at[3] = {corner % nx, corner / nx % ny, corner / nx / ny};
        for (int axis = 0; axis < 3; axis++) {
            if (!cut_around_edge(work, at, axis)) {
                return false;
            }
        }
    }
    return work->out->tet_count > 0;
}

bool shape_stuff(shape_distance_fn distance, const void *user, const double lower[3],
                 const double upper[3], double spacing, struct tet_mesh *out) {
    struct stuffing work = {.grid = {.distance = distance, .user = user, .spacing = spacing},
                            .out = out};
    *out = (struct tet_mesh){0};
    bool done = lattice_create(&work.grid, lower, upper) && stuff_lattice(&work);
    lattice_free(&work.grid);
    free(work.cuts);
    if (!done) {
        tet_mesh_free(out);
    }
    return done;
}
