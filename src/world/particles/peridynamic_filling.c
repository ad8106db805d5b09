// Fills a box or tetrahedra with particles: the points of a cubic lattice that lie inside.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "geometry/exact/orientation.h"
#include "geometry/meshes/tet_mesh.h"
#include "world/interface/check.h"
#include "world/particles/peridynamic.h"

/// The points are origin + (i + 1/2) spacing, i below the counts. Planes and bars have one point,
/// at the origin, along the remaining axes.
struct lattice {
    double origin[3], spacing;
    size_t counts[3];
    int axes; ///< number of axes along which the lattice extends
};

static double coordinate(const struct lattice *lattice, int axis, size_t index) {
    const double at = axis < lattice->axes ? ((double)index + 0.5) * lattice->spacing : 0.0;
    return lattice->origin[axis] + at;
}

static int count_axes(int32_t dimension) {
    return dimension == PBS_PERIDYNAMIC_SOLID ? 3 : dimension == PBS_PERIDYNAMIC_BAR ? 1 : 2;
}

/// Makes the lattice with as many points as the box has space for cubes. Quotients are rounded up
/// if they are integers except for rounding errors.
static pbs_status make_lattice(const double low[3], const double high[3],
                               const pbs_peridynamic_desc *d, struct lattice *out) {
    double points = 1.0;
    *out = (struct lattice){
        .spacing = d->spacing, .counts = {1, 1, 1}, .axes = count_axes(d->dimension)};
    memcpy(out->origin, low, sizeof out->origin);
    for (int axis = 0; axis < 3 && axis < out->axes; axis++) {
        const double room = floor((high[axis] - low[axis]) / d->spacing * (1.0 + 1e-9) + 1e-9);
        if (!(room >= 1.0)) {
            return status_fail(PBS_ERROR_MESH, "no particle of spacing %g m fits into the box",
                               d->spacing);
        }
        points *= room;
        if (points > (double)CHECK_COUNT_LIMIT) {
            return status_fail(
                PBS_ERROR_ARGUMENT,
                "a lattice of spacing %g m has more than %zu points between %g m and "
                "%g m along %c",
                d->spacing, CHECK_COUNT_LIMIT, low[axis], high[axis], "xyz"[axis]);
        }
        out->counts[axis] = (size_t)room;
    }
    return PBS_OK;
}

static size_t count_points(const struct lattice *lattice) {
    return lattice->counts[0] * lattice->counts[1] * lattice->counts[2];
}

static void position_of(const struct lattice *lattice, size_t point, double x[3]) {
    x[0] = coordinate(lattice, 0, point % lattice->counts[0]);
    x[1] = coordinate(lattice, 1, point / lattice->counts[0] % lattice->counts[1]);
    x[2] = coordinate(lattice, 2, point / (lattice->counts[0] * lattice->counts[1]));
}

// --- a box ---

static pbs_status check_box(const pbs_peridynamic_desc *d) {
    RETURN_IF_FAILED(check_coordinates(d->box, 6, "box"));
    for (int axis = count_axes(d->dimension); axis < 3; axis++) {
        if (d->box[axis] != d->box[3 + axis]) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "box: %c is %g m and %g m, must be equal in this dimension",
                               "xyz"[axis], d -> box[axis], d -> box[3 + axis]);
        }
    }
    return PBS_OK;
}

static pbs_status fill_box(struct memory *memory, const pbs_peridynamic_desc *d,
                           struct peridynamic_filling *out) {
    struct lattice lattice;
    RETURN_IF_FAILED(check_box(d));
    RETURN_IF_FAILED(make_lattice(d->box, d->box + 3, d, &lattice));
    const size_t count = count_points(&lattice);
    out->positions = memory_allocate(memory, count, 3 * sizeof(double));
    if (out->positions == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        position_of(&lattice, i, out->positions + 3 * i);
    }
    out->particle_count = count;
    return PBS_OK;
}

// --- tetrahedra ---

static bool is_inside(const double *const corner[4], const double x[3]) {
    return orientation_of_four(x, corner[1], corner[2], corner[3]) >= 0 &&
           orientation_of_four(corner[0], x, corner[2], corner[3]) >= 0 &&
           orientation_of_four(corner[0], corner[1], x, corner[3]) >= 0 &&
           orientation_of_four(corner[0], corner[1], corner[2], x) >= 0;
}

/// Returns the range of lattice indices that may lie between two coordinates, extended by one on
/// both sides.
static void find_range(const struct lattice *lattice, int axis, double low, double high,
                       size_t range[2]) {
    const double count = (double)lattice->counts[axis];
    const double first = floor((low - lattice->origin[axis]) / lattice->spacing - 1.5);
    const double last = ceil((high - lattice->origin[axis]) / lattice->spacing + 1.5);
    range[0] = (size_t)fmin(fmax(first, 0.0), count);
    range[1] = (size_t)fmin(fmax(last, 0.0), count);
}

/// Sets `inside` to 1 for every point in the tetrahedron or on its faces.
static void mark_points(const struct lattice *lattice, const double *const corner[4],
                        uint8_t *inside) {
    size_t range[3][2];
    for (int axis = 0; axis < 3; axis++) {
        double low = corner[0][axis];
        double high = low;
        for (int i = 1; i < 4; i++) {
            low = fmin(low, corner[i][axis]);
            high = fmax(high, corner[i][axis]);
        }
        find_range(lattice, axis, low, high, range[axis]);
    }
    for (size_t k = range[2][0]; k < range[2][1]; k++) {
        for (size_t j = range[1][0]; j < range[1][1]; j++) {
            for (size_t i = range[0][0]; i < range[0][1]; i++) {
                const size_t point = (k * lattice->counts[1] + j) * lattice->counts[0] + i;
                double x[3];
                position_of(lattice, point, x);
                inside[point] |= is_inside(corner, x);
            }
        }
    }
}

static pbs_status store_marked(struct memory *memory, const struct lattice *lattice,
                               const uint8_t *inside, struct peridynamic_filling *out) {
    const size_t count = count_points(lattice);
    for (size_t i = 0; i < count; i++) {
        out->particle_count += inside[i];
    }
    if (out->particle_count == 0) {
        return status_fail(PBS_ERROR_MESH,
                           "no point of a lattice of spacing %g m lies in the tetrahedra",
                           lattice->spacing);
    }
    out->positions = memory_allocate(memory, out->particle_count, 3 * sizeof(double));
    if (out->positions == NULL) {
        return PBS_ERROR_MEMORY;
    }
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (inside[i] != 0) {
            position_of(lattice, i, out->positions + 3 * at++);
        }
    }
    return PBS_OK;
}

static pbs_status fill_tets(struct memory *memory, const pbs_peridynamic_desc *d,
                            struct peridynamic_filling *out) {
    const struct tet_mesh_view mesh = {d->vertex_count, d->vertices, d->tet_count, d->tets};
    double low[3] = {INFINITY, INFINITY, INFINITY};
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    struct lattice lattice;
    RETURN_IF_FAILED(check_count(d->vertex_count, "vertex_count"));
    RETURN_IF_FAILED(check_points(d->vertices, d->vertex_count, "vertices"));
    RETURN_IF_FAILED(check_count(d->tet_count, "tet_count"));
    RETURN_IF_FAILED(tet_mesh_check(&mesh, memory));
    for (size_t i = 0; i < 3 * d->vertex_count; i++) {
        low[i % 3] = fmin(low[i % 3], d->vertices[i]);
        high[i % 3] = fmax(high[i % 3], d->vertices[i]);
    }
    RETURN_IF_FAILED(make_lattice(low, high, d, &lattice));
    uint8_t *inside = memory_allocate(memory, count_points(&lattice), sizeof *inside);
    if (inside == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t t = 0; t < d->tet_count; t++) {
        const double *corner[4];
        for (size_t i = 0; i < 4; i++) {
            corner[i] = d->vertices + 3 * (size_t)d->tets[4 * t + i];
        }
        mark_points(&lattice, corner, inside);
    }
    const pbs_status status = store_marked(memory, &lattice, inside, out);
    memory_release(memory, inside);
    return status;
}

pbs_status peridynamic_fill(struct memory *memory, const pbs_peridynamic_desc *d,
                            struct peridynamic_filling *out) {
    *out = (struct peridynamic_filling){0};
    return d->tets != NULL ? fill_tets(memory, d, out) : fill_box(memory, d, out);
}
