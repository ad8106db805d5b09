// Triangle sheets: error messages, and hinges of open and closed sheets.
// SPDX-License-Identifier: MIT
#include "geometry/meshes/sheet.h"
#include "support/host/refusals.h"
#include "support/testing.h"

/// A square of two triangles, one more vertex above it, and space for two more triangles.
struct patch {
    double positions[15];
    uint32_t triangles[12];
    struct surface_view view;
};

static void make_patch(struct patch *p) {
    *p = (struct patch){.positions = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0.5, 0.5, 1},
                        .triangles = {0, 1, 2, 0, 2, 3}};
    p->view = (struct surface_view){4, p->positions, 2, p->triangles};
}

static pbs_status check(const struct surface_view *view) {
    struct memory memory;
    uint32_t *sides = NULL;
    size_t count = 0;
    memory_init(&memory, NULL);
    pbs_status status = sheet_check(view, &memory);
    if (status == PBS_OK) {
        status = sheet_inner_edges(view, &memory, &sides, &count);
        memory_release(&memory, sides);
    }
    assert_int_equal(memory.bytes_in_use, 0);
    return status;
}

static void assert_refused(const struct patch *p, const char *sentence) {
    assert_status(check(&p->view), PBS_ERROR_MESH);
    assert_message(sentence);
}

static void refuses_broken_triangles(void **state) {
    (void)state;
    struct patch p;
    make_patch(&p);
    assert_ok(check(&p.view));
    p.view.triangle_count = 0;
    assert_refused(&p, "0 triangles is empty");
    make_patch(&p);
    p.view.triangle_count = (size_t)UINT32_MAX;
    assert_refused(&p, "must be at most");
    make_patch(&p);
    p.triangles[4] = 4;
    assert_refused(&p, "triangle 1: vertex index 4, must be below 4");
    make_patch(&p);
    p.triangles[1] = 0;
    assert_refused(&p, "triangle 0: vertex 0 twice");
    make_patch(&p);
    p.positions[7] = NAN;
    assert_refused(&p, "vertex 2: position (1, nan, 0), must be finite");
    make_patch(&p);
    p.positions[9] = 0.5;
    p.positions[10] = 0.5 + 1e-9;
    assert_refused(&p, "triangle 1: rest area 5e-10 m^2 is degenerate");
    make_patch(&p);
    p.positions[10] = 1e200;
    assert_refused(&p, "triangle 1: rest area inf m^2 is degenerate");
    make_patch(&p);
    p.view.vertex_count = 5;
    assert_refused(&p, "vertex 4: in no triangle");
}

static void refuses_edges_that_are_no_sheet(void **state) {
    (void)state;
    struct patch p;
    make_patch(&p);
    p.view.vertex_count = 5;
    p.view.triangle_count = 3;
    const uint32_t third[3] = {2, 0, 4};
    memcpy(p.triangles + 6, third, sizeof third);
    assert_refused(&p, "edge of vertices 2 and 0: in triangles 0, 1 and 2, must be in at most two");
    make_patch(&p);
    p.triangles[4] = 3;
    p.triangles[5] = 2;
    assert_refused(&p, "triangles 0 and 1 both have the edge from vertex 2 to 0, neighbours must "
                       "have it in opposite senses");
    make_patch(&p);
    p.view.vertex_count = 3;
    p.triangles[4] = 2;
    p.triangles[5] = 1;
    assert_refused(&p, "triangles 0 and 1 have the same vertices");
}

/// The triangles (0 1 2) and (1 0 3) of every hinge are in the mesh, up to a cyclic permutation.
static bool has_triangle(const struct surface_view *view, uint32_t a, uint32_t b, uint32_t c) {
    for (size_t i = 0; i < 3 * view->triangle_count; i++) {
        const uint32_t *v = view->triangles + i / 3 * 3;
        if (v[i % 3] == a && v[(i + 1) % 3] == b && v[(i + 2) % 3] == c) {
            return true;
        }
    }
    return false;
}

static void assert_hinges(const struct surface_view *view, size_t expected) {
    struct memory memory;
    uint32_t *sides = NULL;
    size_t count = 0;
    memory_init(&memory, NULL);
    assert_ok(sheet_inner_edges(view, &memory, &sides, &count));
    assert_int_equal(count, expected);
    for (size_t h = 0; h < count; h++) {
        uint32_t v[4];
        sheet_hinge(view->triangles, sides + 2 * h, v);
        assert_true(has_triangle(view, v[0], v[1], v[2]) && has_triangle(view, v[1], v[0], v[3]));
        for (size_t k = 0; k < h; k++) {
            uint32_t w[4];
            sheet_hinge(view->triangles, sides + 2 * k, w);
            assert_false((w[0] == v[0] && w[1] == v[1]) || (w[0] == v[1] && w[1] == v[0]));
        }
    }
    memory_release(&memory, sides);
    assert_int_equal(memory.bytes_in_use, 0);
}

/// One hinge in a square, six in a tetrahedron, none in a triangle.
static void hinges_are_the_inner_edges(void **state) {
    (void)state;
    struct patch p;
    make_patch(&p);
    assert_hinges(&p.view, 1);
    p.view.triangle_count = 1;
    p.view.vertex_count = 3;
    assert_hinges(&p.view, 0);
    const uint32_t closed[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    memcpy(p.triangles, closed, sizeof closed);
    p.view.triangle_count = 4;
    p.view.vertex_count = 4;
    assert_hinges(&p.view, 6);
}

static pbs_status list(struct memory *memory, const void *context) {
    uint32_t *sides = NULL;
    size_t count = 0;
    RETURN_IF_FAILED(sheet_check(context, memory));
    const pbs_status status = sheet_inner_edges(context, memory, &sides, &count);
    memory_release(memory, sides);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    struct patch p;
    make_patch(&p);
    assert_refusals_are_statuses(list, &p.view, 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_broken_triangles),
        cmocka_unit_test(refuses_edges_that_are_no_sheet),
        cmocka_unit_test(hinges_are_the_inner_edges),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
