// Plain meshes: bounds, moves, volume and the boundary of tetrahedra (faces that occur once, found
// by sorting).
// SPDX-License-Identifier: MIT

#include "common/meshes/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void tet_mesh_free(struct tet_mesh *mesh) {
    free(mesh->positions);
    free(mesh->tets);
    *mesh = (struct tet_mesh){0};
}

void surface_mesh_free(struct surface_mesh *mesh) {
    free(mesh->positions);
    free(mesh->triangles);
    free(mesh->segments);
    *mesh = (struct surface_mesh){0};
}

void positions_bounds(const double *positions, size_t vertex_count, double lower[3],
                      double upper[3]) {
    for (int axis = 0; axis < 3; axis++) {
        lower[axis] = upper[axis] = vertex_count > 0 ? positions[axis] : 0.0;
    }
    for (size_t i = 0; i < 3 * vertex_count; i++) {
        lower[i % 3] = fmin(lower[i % 3], positions[i]);
        upper[i % 3] = fmax(upper[i % 3], positions[i]);
    }
}

double positions_diagonal(const double *positions, size_t vertex_count) {
    double lower[3];
    double upper[3];
    positions_bounds(positions, vertex_count, lower, upper);
    return hypot(hypot(upper[0] - lower[0], upper[1] - lower[1]), upper[2] - lower[2]);
}

void positions_translate(double *positions, size_t vertex_count, double x, double y, double z) {
    for (size_t v = 0; v < vertex_count; v++) {
        positions[3 * v] += x;
        positions[3 * v + 1] += y;
        positions[3 * v + 2] += z;
    }
}

void positions_scale(double *positions, size_t vertex_count, double factor) {
    for (size_t i = 0; i < 3 * vertex_count; i++) {
        positions[i] *= factor;
    }
}

void positions_rotate(double *positions, size_t vertex_count, const double axis[3], double angle) {
    double length = hypot(hypot(axis[0], axis[1]), axis[2]);
    double u[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
    double c = cos(angle);
    double s = sin(angle);
    // Rodrigues' formula: p cos + (u x p) sin + u (u.p)(1 - cos).
    for (size_t v = 0; v < vertex_count; v++) {
        double *p = positions + 3 * v;
        double along = (u[0] * p[0] + u[1] * p[1] + u[2] * p[2]) * (1.0 - c);
        double cross[3] = {u[1] * p[2] - u[2] * p[1], u[2] * p[0] - u[0] * p[2],
                           u[0] * p[1] - u[1] * p[0]};
        for (int i = 0; i < 3; i++) {
            p[i] = c * p[i] + s * cross[i] + along * u[i];
        }
    }
}

double tet_volume(const struct tet_mesh *mesh, size_t tet) {
    const uint32_t *corner = mesh->tets + 4 * tet;
    const double *origin = mesh->positions + 3 * (size_t)corner[0];
    double e[3][3];
    for (int i = 0; i < 3; i++) {
        for (int axis = 0; axis < 3; axis++) {
            e[i][axis] = mesh->positions[3 * (size_t)corner[i + 1] + (size_t)axis] - origin[axis];
        }
    }
    double determinant = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                         e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    return determinant / 6.0;
}

double tet_mesh_volume(const struct tet_mesh *mesh) {
    double sum = 0.0;
    for (size_t t = 0; t < mesh->tet_count; t++) {
        sum += tet_volume(mesh, t);
    }
    return sum;
}

// A face by its sorted corners; `order` keeps it as the tetrahedron turns it outward.
struct face {
    uint32_t key[3];
    uint32_t order[3];
    size_t tet;
};

static void swap_if_greater(uint32_t *a, uint32_t *b) {
    if (*a > *b) {
        uint32_t keep = *a;
        *a = *b;
        *b = keep;
    }
}

static int compare_keys(const void *left, const void *right) {
    const struct face *a = left;
    const struct face *b = right;
    for (int i = 0; i < 3; i++) {
        if (a->key[i] != b->key[i]) {
            return a->key[i] < b->key[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_tets(const void *left, const void *right) {
    const struct face *a = left;
    const struct face *b = right;
    if (a->tet != b->tet) {
        return a->tet < b->tet ? -1 : 1;
    }
    return compare_keys(left, right);
}

static void list_faces(const struct tet_mesh *mesh, struct face *faces) {
    // The face opposite each corner, outward for a tetrahedron of positive volume.
    static const int corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (size_t f = 0; f < 4 * mesh->tet_count; f++) {
        const uint32_t *tet = mesh->tets + 4 * (f / 4);
        for (int i = 0; i < 3; i++) {
            faces[f].order[i] = faces[f].key[i] = tet[corners[f % 4][i]];
        }
        faces[f].tet = f / 4;
        swap_if_greater(&faces[f].key[0], &faces[f].key[1]);
        swap_if_greater(&faces[f].key[1], &faces[f].key[2]);
        swap_if_greater(&faces[f].key[0], &faces[f].key[1]);
    }
}

static size_t keep_single_faces(struct face *faces, size_t count) {
    size_t kept = 0;
    size_t next = 0;
    for (size_t f = 0; f < count; f = next) {
        next = f + 1;
        while (next < count && compare_keys(&faces[f], &faces[next]) == 0) {
            next++;
        }
        if (next == f + 1) {
            faces[kept++] = faces[f];
        }
    }
    return kept;
}

bool tet_mesh_boundary(const struct tet_mesh *mesh, uint32_t **triangles, size_t *triangle_count) {
    *triangles = NULL;
    *triangle_count = 0;
    size_t face_count = 4 * mesh->tet_count;
    struct face *faces = malloc((face_count + 1) * sizeof *faces);
    if (faces == NULL) {
        return false;
    }
    list_faces(mesh, faces);
    qsort(faces, face_count, sizeof *faces, compare_keys);
    size_t kept = keep_single_faces(faces, face_count);
    // In the order of the tetrahedra, so that neighbours in the list are neighbours in space.
    qsort(faces, kept, sizeof *faces, compare_tets);
    uint32_t *out = malloc((3 * kept + 1) * sizeof *out);
    if (out != NULL) {
        for (size_t f = 0; f < kept; f++) {
            memcpy(out + 3 * f, faces[f].order, sizeof faces[f].order);
        }
        *triangles = out;
        *triangle_count = kept;
    }
    free(faces);
    return out != NULL;
}

// Grows an array and adds `count` numbers at its end. An index array gets `shift` added to what is
// new.
static bool append_numbers(double **array, size_t length, const double *more, size_t count) {
    if (count == 0) {
        return true;
    }
    double *grown = realloc(*array, (length + count) * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    memcpy(grown + length, more, count * sizeof *more);
    *array = grown;
    return true;
}

static bool append_indices(uint32_t **array, size_t length, const uint32_t *more, size_t count,
                           size_t shift) {
    if (count == 0) {
        return true;
    }
    uint32_t *grown = realloc(*array, (length + count) * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        grown[length + i] = (uint32_t)(more[i] + shift);
    }
    *array = grown;
    return true;
}

bool surface_mesh_append(struct surface_mesh *mesh, const struct surface_mesh *more) {
    size_t shift = mesh->vertex_count;
    if (!append_numbers(&mesh->positions, 3 * shift, more->positions, 3 * more->vertex_count) ||
        !append_indices(&mesh->triangles, 3 * mesh->triangle_count, more->triangles,
                        3 * more->triangle_count, shift) ||
        !append_indices(&mesh->segments, 2 * mesh->segment_count, more->segments,
                        2 * more->segment_count, shift)) {
        return false;
    }
    mesh->vertex_count += more->vertex_count;
    mesh->triangle_count += more->triangle_count;
    mesh->segment_count += more->segment_count;
    return true;
}

bool tet_mesh_append(struct tet_mesh *mesh, const struct tet_mesh *more) {
    size_t shift = mesh->vertex_count;
    if (!append_numbers(&mesh->positions, 3 * shift, more->positions, 3 * more->vertex_count) ||
        !append_indices(&mesh->tets, 4 * mesh->tet_count, more->tets, 4 * more->tet_count, shift)) {
        return false;
    }
    mesh->vertex_count += more->vertex_count;
    mesh->tet_count += more->tet_count;
    return true;
}
