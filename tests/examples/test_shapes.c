// Shapes made in code: volumes, closed boundaries, and the dihedral angles that isosurface stuffing
// promises.
// SPDX-License-Identifier: MIT

#include "common/meshes/shapes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

static void subtract(const double *a, const double *b, double out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = a[i] - b[i];
    }
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

struct edge {
    uint32_t from, to;
};

static int compare_edges(const void *left, const void *right) {
    const struct edge *a = left;
    const struct edge *b = right;
    return a->from != b->from ? (a->from < b->from ? -1 : 1) : (a->to > b->to) - (a->to < b->to);
}

static bool has_edge(const struct edge *edges, size_t count, struct edge wanted) {
    return bsearch(&wanted, edges, count, sizeof *edges, compare_edges) != NULL;
}

// Closed, manifold along edges and consistently turned: every directed edge occurs once, and so
// does its reverse. Returns the Euler number.
static long check_closed(const uint32_t *triangles, size_t triangle_count, size_t vertex_count) {
    size_t count = 3 * triangle_count;
    struct edge *edges = malloc(count * sizeof *edges);
    bool *used = calloc(vertex_count, sizeof *used);
    long vertices = 0;
    for (size_t i = 0; i < count; i++) {
        edges[i] = (struct edge){triangles[i], triangles[i % 3 == 2 ? i - 2 : i + 1]};
        used[triangles[i]] = true;
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || compare_edges(&edges[i - 1], &edges[i]) < 0);
        assert_true(has_edge(edges, count, (struct edge){edges[i].to, edges[i].from}));
    }
    for (size_t v = 0; v < vertex_count; v++) {
        vertices += used[v] ? 1 : 0;
    }
    free(edges);
    free(used);
    return vertices - (long)(count / 2) + (long)triangle_count;
}

// Volume inside of a closed surface, positive when it faces outward.
static double enclosed_volume(const double *positions, const uint32_t *triangles, size_t count) {
    double sum = 0.0;
    for (size_t t = 0; t < count; t++) {
        double normal[3];
        const double *p[3];
        for (int c = 0; c < 3; c++) {
            p[c] = positions + 3 * (size_t)triangles[3 * t + (size_t)c];
        }
        cross(p[1], p[2], normal);
        sum += dot(p[0], normal) / 6.0;
    }
    return sum;
}

static void widen_dihedrals(const struct tet_mesh *mesh, size_t tet, double *least, double *most) {
    static const int edges[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                    {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    for (int e = 0; e < 6; e++) {
        const double *p[4];
        double along[3], a[3], b[3], na[3], nb[3], between[3];
        for (int c = 0; c < 4; c++) {
            p[c] = mesh->positions + 3 * (size_t)mesh->tets[4 * tet + (size_t)edges[e][c]];
        }
        subtract(p[1], p[0], along);
        subtract(p[2], p[0], a);
        subtract(p[3], p[0], b);
        cross(along, a, na);
        cross(along, b, nb);
        cross(na, nb, between);
        double angle = atan2(sqrt(dot(between, between)), dot(na, nb)) * 180.0 / PI;
        *least = fmin(*least, angle);
        *most = fmax(*most, angle);
    }
}

// Everything that must hold for a stuffed shape; frees the mesh.
static void check_stuffed(struct tet_mesh *mesh, long euler, double volume, double tolerance) {
    double least = 180.0;
    double most = 0.0;
    uint32_t *boundary = NULL;
    size_t count = 0;
    bool *used = calloc(mesh->vertex_count, sizeof *used);
    for (size_t t = 0; t < mesh->tet_count; t++) {
        assert_true(tet_volume(mesh, t) > 0.0);
        widen_dihedrals(mesh, t, &least, &most);
    }
    for (size_t i = 0; i < 4 * mesh->tet_count; i++) {
        used[mesh->tets[i]] = true;
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        assert_true(used[v]);
    }
    // The paper proves 10.7 to 164.8 degrees with the same parameters.
    assert_true(least > 10.7 && most < 164.8);
    assert_true(tet_mesh_boundary(mesh, &boundary, &count));
    assert_int_equal(check_closed(boundary, count, mesh->vertex_count), euler);
    assert_true(fabs(tet_mesh_volume(mesh) - volume) < tolerance * volume);
    assert_true(fabs(enclosed_volume(mesh->positions, boundary, count) - tet_mesh_volume(mesh)) <
                1e-12 * volume);
    free(boundary);
    free(used);
    tet_mesh_free(mesh);
}

static void the_box_is_cut_as_kuhn_does(void **state) {
    (void)state;
    struct tet_mesh mesh;
    uint32_t *boundary = NULL;
    size_t count = 0;
    assert_true(shape_cube_grid(10, &mesh));
    assert_int_equal(mesh.vertex_count, 1331);
    assert_int_equal(mesh.tet_count, 6000);
    for (size_t t = 0; t < mesh.tet_count; t++) {
        // Coordinates are rounded to half a unit in the last place of 1, edges are 0.1 long.
        assert_true(fabs(tet_volume(&mesh, t) * 6000.0 - 1.0) < 1e-13);
    }
    assert_true(fabs(tet_mesh_volume(&mesh) - 1.0) < 1e-12);
    const size_t vertex = 3 + 11 * (4 + 11 * 5);
    assert_true(mesh.positions[3 * vertex] == 3.0 / 10.0);
    assert_true(mesh.positions[3 * vertex + 1] == 4.0 / 10.0);
    assert_true(mesh.positions[3 * vertex + 2] == 5.0 / 10.0);
    assert_true(tet_mesh_boundary(&mesh, &boundary, &count));
    assert_int_equal(count, 6 * 10 * 10 * 2);
    assert_int_equal(check_closed(boundary, count, mesh.vertex_count), 2);
    assert_true(fabs(enclosed_volume(mesh.positions, boundary, count) - 1.0) < 1e-12);
    free(boundary);
    tet_mesh_free(&mesh);
}

static void one_cell_has_six_tets_of_the_diagonal(void **state) {
    (void)state;
    struct tet_mesh mesh;
    assert_true(shape_box_grid(1, 1, 1, 2.0, 3.0, 4.0, &mesh));
    assert_int_equal(mesh.tet_count, 6);
    for (size_t t = 0; t < 6; t++) {
        const uint32_t *tet = mesh.tets + 4 * t;
        assert_int_equal(tet[0], 0);
        assert_true(tet[2] == 7 || tet[3] == 7);
        assert_true(fabs(tet_volume(&mesh, t) - 4.0) < 1e-14);
    }
    tet_mesh_free(&mesh);
    assert_false(shape_box_grid(0, 1, 1, 1.0, 1.0, 1.0, &mesh));
    assert_false(shape_box_grid(1, 1, 1, 1.0, -1.0, 1.0, &mesh));
}

static void boxes_of_a_lattice_are_closed_and_fill_their_volume(void **state) {
    (void)state;
    static const size_t cells[3] = {4, 3, 2};
    for (int i = 0; i < 2; i++) {
        struct tet_mesh mesh;
        uint32_t *boundary = NULL;
        size_t count = 0;
        assert_true(shape_box_lattice(cells, 0.5, i == 0 ? 0.0 : 0.2, 3, &mesh));
        assert_int_equal(mesh.tet_count, 12 * 24);
        for (size_t t = 0; t < mesh.tet_count; t++) {
            assert_true(tet_volume(&mesh, t) > (i == 0 ? 0.0104 : 0.001));
        }
        assert_true(fabs(tet_mesh_volume(&mesh) - 3.0) < 1e-13);
        assert_true(tet_mesh_boundary(&mesh, &boundary, &count));
        // Two to each outer side of a cell.
        assert_int_equal(count, 2 * 2 * (12 + 8 + 6));
        assert_int_equal(check_closed(boundary, count, mesh.vertex_count), 2);
        free(boundary);
        tet_mesh_free(&mesh);
    }
}

/// The same for the same seed; the boundary and so the volume stay, and no tetrahedron is flat.
static void jitter_moves_what_is_inside(void **state) {
    (void)state;
    struct tet_mesh mesh[3];
    size_t moved = 0, differ = 0;
    for (uint64_t i = 0; i < 3; i++) {
        assert_true(shape_ball(1.0, 0.3, &mesh[i]));
        assert_true(i == 0 || tet_mesh_jitter(&mesh[i], 0.2, i));
    }
    const double volume = tet_mesh_volume(&mesh[0]);
    assert_true(fabs(tet_mesh_volume(&mesh[1]) - volume) < 1e-12 * volume);
    for (size_t t = 0; t < mesh[0].tet_count; t++) {
        assert_true(tet_volume(&mesh[1], t) > 0.0);
    }
    for (size_t v = 0; v < mesh[0].vertex_count; v++) {
        moved += mesh[0].positions[3 * v] != mesh[1].positions[3 * v];
        differ += mesh[2].positions[3 * v] != mesh[1].positions[3 * v];
    }
    assert_true(moved > mesh[0].vertex_count / 4 && differ > moved / 2);
    struct tet_mesh again;
    assert_true(shape_ball(1.0, 0.3, &again) && tet_mesh_jitter(&again, 0.2, 1));
    assert_memory_equal(again.positions, mesh[1].positions, 24 * again.vertex_count);
    tet_mesh_free(&again);
    for (size_t i = 0; i < 3; i++) {
        tet_mesh_free(&mesh[i]);
    }
}

/// A ball and a box of triangles come out as solids of their volume, and two that overlap as both.
static void closed_surfaces_are_filled(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct surface_mesh surface, more;
        struct tet_mesh mesh;
        assert_true(i == 0 ? surface_ball(1.0, 48, &surface)
                           : surface_box(2.0, 1.0, 1.5, &surface));
        const double volume = i == 0 ? 4.0 / 3.0 * PI : i == 1 ? 3.0 : 4.5;
        if (i == 2) {
            assert_true(surface_box(2.0, 1.0, 1.5, &more));
            positions_translate(more.positions, more.vertex_count, 1.0, 0.0, 0.0);
            assert_true(surface_mesh_append(&surface, &more));
            surface_mesh_free(&more);
        }
        assert_true(shape_fill(&surface, 0.12, &mesh));
        for (size_t t = 0; t < mesh.tet_count; t++) {
            assert_true(tet_volume(&mesh, t) > 0.0);
        }
        // Edges and corners are cut by up to half a spacing: of 20 m of edges, a triangle of that.
        assert_true(fabs(tet_mesh_volume(&mesh) - volume) < 20.0 * 0.5 * 0.06 * 0.06 + 0.02);
        surface_mesh_free(&surface);
        tet_mesh_free(&mesh);
    }
}

static void stuffed_shapes_are_closed_and_well_shaped(void **state) {
    (void)state;
    const double spacings[] = {0.3, 0.21, 0.13, 0.1};
    for (size_t i = 0; i < sizeof spacings / sizeof spacings[0]; i++) {
        double h = spacings[i];
        struct tet_mesh mesh;
        // A chord of length up to h bulges by at most h^2 / 8 over its part of the surface.
        assert_true(shape_ball(1.0, h, &mesh));
        check_stuffed(&mesh, 2, 4.0 / 3.0 * PI, 3.0 * h * h);
        assert_true(shape_torus(1.0, 0.4, h, &mesh));
        check_stuffed(&mesh, 0, 2.0 * PI * PI * 0.16, 3.0 * h * h / 0.16);
        assert_true(shape_chain_link(0.9, 1.1, 0.35, h, &mesh));
        check_stuffed(&mesh, 0, PI * 0.35 * 0.35 * (2.0 * PI * 0.9 + 2.2), 3.0 * h * h / 0.12);
        assert_true(shape_cylinder(0.7, 1.3, h, &mesh));
        check_stuffed(&mesh, 2, PI * 0.49 * 1.3, 3.0 * h);
    }
}

// A lumpy body without any symmetry: the bounds may not depend on how the surface meets the
// lattice.
static double lumpy(const void *user, const double p[3]) {
    const double *phase = user;
    double radius = sqrt(dot(p, p));
    return radius - 0.8 -
           0.12 * sin(3.0 * p[0] + *phase) * sin(2.5 * p[1] + 2.0 * *phase) * sin(2.0 * p[2] + 0.5);
}

static void any_smooth_shape_is_stuffed_well(void **state) {
    (void)state;
    const double lower[3] = {-1.0, -1.0, -1.0};
    const double upper[3] = {1.0, 1.0, 1.0};
    for (int i = 0; i < 12; i++) {
        double phase = 0.37 * (double)i;
        struct tet_mesh mesh;
        assert_true(shape_stuff(lumpy, &phase, lower, upper, 0.11 + 0.007 * (double)i, &mesh));
        check_stuffed(&mesh, 2, tet_mesh_volume(&mesh), 1e-9);
    }
}

/// holes: of a ring there is one.
static void check_surface_with(struct surface_mesh *mesh, double volume, double tolerance,
                               int holes) {
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        assert_true(mesh->triangles[i] < mesh->vertex_count);
    }
    assert_int_equal(check_closed(mesh->triangles, mesh->triangle_count, mesh->vertex_count),
                     2 - 2 * holes);
    double enclosed = enclosed_volume(mesh->positions, mesh->triangles, mesh->triangle_count);
    assert_true(fabs(enclosed - volume) < tolerance * volume);
    surface_mesh_free(mesh);
}

static void check_surface(struct surface_mesh *mesh, double volume, double tolerance) {
    check_surface_with(mesh, volume, tolerance, 0);
}

static void closed_surfaces_face_outward(void **state) {
    (void)state;
    struct surface_mesh mesh;
    // A polygon of n corners has sin(2 pi / n) / (2 pi / n) of its circle: 1 - 7e-3 for n = 64
    // twice over.
    assert_true(surface_box(1.0, 2.0, 3.0, &mesh));
    check_surface(&mesh, 6.0, 1e-14);
    assert_true(surface_ball(2.0, 64, &mesh));
    check_surface(&mesh, 4.0 / 3.0 * PI * 8.0, 1e-2);
    assert_true(surface_capsule(0.5, 2.0, 64, &mesh));
    check_surface(&mesh, PI * 0.25 * 2.0 + 4.0 / 3.0 * PI * 0.125, 1e-2);
    assert_true(surface_cylinder(0.5, 2.0, 64, &mesh));
    check_surface(&mesh, PI * 0.25 * 2.0, 1e-2);
    assert_true(surface_torus(1.0, 0.4, 64, &mesh));
    check_surface_with(&mesh, 2.0 * PI * PI * 0.16, 1e-2, 1);
    assert_false(surface_torus(0.4, 0.4, 64, &mesh));
    assert_true(surface_bowl(1.0, 0.1, 0.0, 64, &mesh));
    check_surface(&mesh, 2.0 / 3.0 * PI * (1.331 - 1.0), 1e-2);
    assert_true(surface_stairs(5, 0.2, 0.3, 1.5, &mesh));
    check_surface(&mesh, 0.2 * 0.3 * 1.5 * (1 + 2 + 3 + 4 + 5), 1e-13);
    assert_true(surface_stairs(1, 0.2, 0.3, 1.5, &mesh));
    check_surface(&mesh, 0.2 * 0.3 * 1.5, 1e-13);
}

static void flat_surfaces_face_up(void **state) {
    (void)state;
    struct surface_mesh sheet;
    struct surface_mesh disc;
    assert_true(surface_sheet(4, 3, 2.0, 1.0, &sheet));
    assert_true(surface_disc(1.0, 4, &disc));
    assert_int_equal(sheet.triangle_count, 24);
    assert_true(surface_mesh_append(&sheet, &disc));
    for (size_t t = 0; t < sheet.triangle_count; t++) {
        double a[3], b[3], normal[3];
        const uint32_t *c = sheet.triangles + 3 * t;
        subtract(sheet.positions + 3 * (size_t)c[1], sheet.positions + 3 * (size_t)c[0], a);
        subtract(sheet.positions + 3 * (size_t)c[2], sheet.positions + 3 * (size_t)c[0], b);
        cross(a, b, normal);
        assert_true(normal[1] > 0.0);
    }
    surface_mesh_free(&sheet);
    surface_mesh_free(&disc);
}

static void points_move_as_told(void **state) {
    (void)state;
    double p[6] = {1.0, 0.0, 0.0, 0.0, 2.0, 0.0};
    const double axis[3] = {0.0, 0.0, 3.0};
    double lower[3];
    double upper[3];
    positions_rotate(p, 2, axis, PI / 2.0);
    assert_true(fabs(p[0]) < 1e-15 && fabs(p[1] - 1.0) < 1e-15 && fabs(p[3] + 2.0) < 1e-15);
    positions_translate(p, 2, 1.0, 2.0, 3.0);
    positions_scale(p, 2, 2.0);
    positions_bounds(p, 2, lower, upper);
    assert_true(fabs(lower[0] + 2.0) < 1e-14 && fabs(upper[1] - 6.0) < 1e-14 && upper[2] == 6.0);
    assert_true(fabs(positions_diagonal(p, 2) - 2.0 * sqrt(5.0)) < 1e-14);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_box_is_cut_as_kuhn_does),
        cmocka_unit_test(one_cell_has_six_tets_of_the_diagonal),
        cmocka_unit_test(boxes_of_a_lattice_are_closed_and_fill_their_volume),
        cmocka_unit_test(jitter_moves_what_is_inside),
        cmocka_unit_test(closed_surfaces_are_filled),
        cmocka_unit_test(stuffed_shapes_are_closed_and_well_shaped),
        cmocka_unit_test(any_smooth_shape_is_stuffed_well),
        cmocka_unit_test(closed_surfaces_face_outward),
        cmocka_unit_test(flat_surfaces_face_up),
        cmocka_unit_test(points_move_as_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
