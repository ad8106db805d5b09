// Every file of tests/data/reader_cases behaves as the README beside it says, and the large meshes
// have the counts of their manifest where they are at hand.
// SPDX-License-Identifier: MIT

#include "comma_locale.h"
#include "common/mesh_files/mesh_reader.h"
#include "common/program/text.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define CASES "tests/data/reader_cases/"

static const struct mesh_read_options strict = {0};

// Two tetrahedra of five vertices, the first with volume 1/6, the second 1/3 in most files.
static void check_two_tets(const char *name, struct mesh_report *report) {
    char path[256];
    struct tet_mesh mesh;
    snprintf(path, sizeof path, CASES "%s", name);
    if (!mesh_read_tets(path, &strict, &mesh, report)) {
        fail_msg("%s", report->error);
    }
    assert_int_equal(mesh.vertex_count, 5);
    assert_int_equal(mesh.tet_count, 2);
    const uint32_t expected[8] = {0, 1, 2, 3, 1, 2, 3, 4};
    for (size_t t = 0; t < 2; t++) {
        assert_true(tet_volume(&mesh, t) > 0.0);
    }
    if (strcmp(name, "gmsh41_blocks.msh") != 0) {
        assert_memory_equal(mesh.tets, expected, sizeof expected);
    }
    tet_mesh_free(&mesh);
}

static void plain_tets_in_every_dress(void **state) {
    (void)state;
    const char *const names[] = {"gmsh22_plain.msh",
                                 "gmsh22_crlf.msh",
                                 "gmsh22_notags.msh",
                                 "gmsh22_sparse_ids.msh",
                                 "gmsh22_zero_based.msh",
                                 "gmsh22_mixed_types.msh",
                                 "gmsh22_elementdata.msh",
                                 "gmsh22_physical_names.msh",
                                 "gmsh22_comma_locale.msh",
                                 "gmsh22_binary_le.msh",
                                 "gmsh22_binary_be.msh",
                                 "gmsh41_ascii.msh",
                                 "gmsh41_blocks.msh",
                                 "gmsh41_ipc_surface.msh",
                                 "gmsh40_ascii.msh",
                                 "gmsh10_nod.msh",
                                 "gmsh22_fortran_exp.msh",
                                 "vtk_legacy.vtk",
                                 "tetgen0.node",
                                 "tetgen1.node",
                                 "tetgen0.ele",
                                 "tetgen1.ele",
                                 "medit.mesh",
                                 "gmsh22_no_endelements.msh"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct mesh_report report;
        check_two_tets(names[i], &report);
        for (int kind = 0; kind < MESH_FINDING_KINDS; kind++) {
            assert_int_equal(report.findings[kind].count, 0);
        }
        bool unended = strstr(names[i], "no_end") != NULL;
        assert_int_equal(report.warning[0] != 0, unended);
        if (strstr(names[i], "mixed_types") != NULL) {
            assert_int_equal(report.ignored_elements, 3);
        }
    }
}

static void the_host_may_write_commas(void **state) {
    (void)state;
    if (!enter_comma_locale()) {
        skip();
    }
    struct mesh_report report;
    struct tet_mesh mesh;
    bool read = mesh_read_tets(CASES "gmsh22_comma_locale.msh", &strict, &mesh, &report);
    leave_comma_locale();
    assert_true(read);
    assert_true(mesh.positions[11] == 0.5);
    tet_mesh_free(&mesh);
}

static void refused(const char *name, size_t line, const char *words) {
    char path[256];
    struct tet_mesh mesh;
    struct mesh_report report;
    snprintf(path, sizeof path, CASES "%s", name);
    assert_false(mesh_read_tets(path, &strict, &mesh, &report));
    assert_null(mesh.positions);
    assert_null(mesh.tets);
    if (strstr(report.error, words) == NULL || strstr(report.error, name) == NULL) {
        fail_msg("'%s' in place of '%s'", report.error, words);
    }
    assert_int_equal(report.line, line);
}

static void what_is_wrong_is_named(void **state) {
    (void)state;
    refused("gmsh22_tagcount_lies.msh", 14, "has 7 numbers in its line, expected 9");
    refused("gmsh22_degenerate.msh", 0, "element 1 has no volume");
    refused("gmsh22_bad_index.msh", 14, "names vertex 99, which does not exist");
    refused("gmsh22_truncated.msh", 14, "element 1 has 5 numbers");
    refused("gmsh22_huge_count.msh", 13,
            "2000000000 elements are declared, but only 50 bytes follow");
    refused("gmsh22_nan.msh", 9, "coordinate z of node 4, a finite number, found 'nan'");
    refused("gmsh22_tet10.msh", 19, "type 11 (10-node tet) not supported");
    refused("not_gmsh.msh", 1, "binary data of no mesh format known here");
    refused("obj_plain.obj", 1, "a surface, expected tetrahedra");
    refused("missing.msh", 0, "cannot be opened");
}

static void lenient_accepts_missing_tags(void **state) {
    (void)state;
    const struct mesh_read_options lenient = {.lenient = true};
    struct tet_mesh mesh;
    struct mesh_report report;
    assert_true(mesh_read_tets(CASES "gmsh22_tagcount_lies.msh", &lenient, &mesh, &report));
    assert_int_equal(mesh.tet_count, 2);
    assert_non_null(strstr(report.warning, "declares 2 tags and has none"));
    tet_mesh_free(&mesh);
}

static void inverted_tets_are_reported_and_flipped_on_request(void **state) {
    (void)state;
    const struct mesh_read_options flip = {.flip_inverted = true};
    struct tet_mesh mesh;
    struct mesh_report report;
    assert_true(mesh_read_tets(CASES "gmsh22_inverted.msh", &strict, &mesh, &report));
    assert_int_equal(report.findings[MESH_INVERTED_TET].count, 1);
    assert_int_equal(report.findings[MESH_INVERTED_TET].first[0], 2);
    assert_true(tet_volume(&mesh, 1) < 0.0);
    tet_mesh_free(&mesh);
    assert_true(mesh_read_tets(CASES "gmsh22_inverted.msh", &flip, &mesh, &report));
    assert_int_equal(report.findings[MESH_INVERTED_TET].count, 1);
    assert_true(tet_volume(&mesh, 0) > 0.0 && tet_volume(&mesh, 1) > 0.0);
    tet_mesh_free(&mesh);
}

static void unused_vertices_are_reported_and_dropped_on_request(void **state) {
    (void)state;
    const struct mesh_read_options drop = {.drop_unused = true};
    struct tet_mesh mesh;
    struct mesh_report report;
    char text[200];
    assert_true(mesh_read_tets(CASES "gmsh22_unused_node.msh", &strict, &mesh, &report));
    assert_int_equal(mesh.vertex_count, 6);
    mesh_report_sentence(&report, MESH_UNUSED_VERTEX, text, sizeof text);
    assert_string_equal(text, "unused vertices, 1: 6");
    tet_mesh_free(&mesh);
    assert_true(mesh_read_tets(CASES "gmsh22_unused_node.msh", &drop, &mesh, &report));
    assert_int_equal(mesh.vertex_count, 5);
    tet_mesh_free(&mesh);
}

static void duplicate_vertices_are_reported_and_merged_on_request(void **state) {
    (void)state;
    const struct mesh_read_options merge = {.merge_duplicates = true};
    struct tet_mesh mesh;
    struct mesh_report report;
    assert_true(mesh_read_tets(CASES "gmsh22_dup_node.msh", &strict, &mesh, &report));
    assert_int_equal(mesh.vertex_count, 6);
    assert_int_equal(report.findings[MESH_DUPLICATE_VERTEX].count, 1);
    assert_int_equal(report.findings[MESH_DUPLICATE_VERTEX].first[0], 6);
    assert_int_equal(report.findings[MESH_DUPLICATE_VERTEX].second[0], 2);
    tet_mesh_free(&mesh);
    assert_true(mesh_read_tets(CASES "gmsh22_dup_node.msh", &merge, &mesh, &report));
    const uint32_t expected[8] = {0, 1, 2, 3, 1, 2, 3, 4};
    assert_int_equal(mesh.vertex_count, 5);
    assert_memory_equal(mesh.tets, expected, sizeof expected);
    tet_mesh_free(&mesh);
}

static void flat_tets_pass_on_request(void **state) {
    (void)state;
    const struct mesh_read_options allow = {.allow_flat = true};
    struct tet_mesh mesh;
    struct mesh_report report;
    assert_true(mesh_read_tets(CASES "gmsh22_degenerate.msh", &allow, &mesh, &report));
    assert_int_equal(report.findings[MESH_FLAT_TET].count, 1);
    assert_int_equal(report.findings[MESH_FLAT_TET].first[0], 1);
    tet_mesh_free(&mesh);
}

// --- Surfaces ---

static void read_obj_case(const char *name, size_t vertices, size_t triangles, size_t segments,
                          struct mesh_report *report) {
    char path[256];
    struct surface_mesh mesh;
    snprintf(path, sizeof path, CASES "%s", name);
    if (!mesh_read_surface(path, &strict, &mesh, report)) {
        fail_msg("%s", report->error);
    }
    assert_int_equal(mesh.vertex_count, vertices);
    assert_int_equal(mesh.triangle_count, triangles);
    assert_int_equal(mesh.segment_count, segments);
    surface_mesh_free(&mesh);
}

static void surfaces_in_every_dress(void **state) {
    (void)state;
    struct mesh_report report;
    read_obj_case("obj_plain.obj", 4, 2, 0, &report);
    read_obj_case("obj_quad.obj", 4, 2, 0, &report);
    read_obj_case("obj_negative.obj", 4, 2, 0, &report);
    read_obj_case("obj_rgb.obj", 3, 1, 0, &report);
    read_obj_case("obj_lines.obj", 3, 0, 2, &report);
    read_obj_case("obj_points.obj", 1, 0, 0, &report);
    read_obj_case("obj_crlf_tabs.obj", 3, 1, 0, &report);
    read_obj_case("obj_continuation.obj", 4, 1, 0, &report);
    read_obj_case("obj_no_final_newline.obj", 4, 1, 0, &report);
    read_obj_case("obj_vtn.obj", 4, 3, 0, &report);
    assert_int_equal(report.findings[MESH_DUPLICATE_ELEMENT].count, 1);
    assert_int_equal(report.findings[MESH_DUPLICATE_ELEMENT].first[0], 3);
    assert_int_equal(report.findings[MESH_NON_MANIFOLD_EDGE].count, 0);
}

static void odd_edges_are_named(void **state) {
    (void)state;
    struct mesh_report report;
    read_obj_case("obj_nonmanifold.obj", 5, 3, 0, &report);
    assert_int_equal(report.findings[MESH_NON_MANIFOLD_EDGE].count, 1);
    assert_int_equal(report.findings[MESH_NON_MANIFOLD_EDGE].first[0], 1);
    assert_int_equal(report.findings[MESH_NON_MANIFOLD_EDGE].second[0], 2);
    read_obj_case("obj_inconsistent.obj", 4, 2, 0, &report);
    assert_int_equal(report.findings[MESH_INCONSISTENT_EDGE].count, 1);
    assert_int_equal(report.findings[MESH_INCONSISTENT_EDGE].first[0], 1);
    assert_int_equal(report.findings[MESH_INCONSISTENT_EDGE].second[0], 3);
}

static void wrong_surfaces_are_refused(void **state) {
    (void)state;
    struct surface_mesh mesh;
    struct mesh_report report;
    assert_false(mesh_read_surface(CASES "obj_bad_index.obj", &strict, &mesh, &report));
    assert_int_equal(report.line, 5);
    assert_non_null(strstr(report.error, "vertex 9 does not exist"));
    assert_false(mesh_read_surface(CASES "empty.obj", &strict, &mesh, &report));
    assert_non_null(strstr(report.error, "0 vertices"));
    const char no_vertex[] = "o thing\nf 1 2 3\n";
    assert_false(
        mesh_read_surface_from_memory(no_vertex, sizeof no_vertex - 1, NULL, &mesh, &report));
    assert_null(mesh.positions);
}

static void a_solid_gives_its_boundary(void **state) {
    (void)state;
    struct surface_mesh mesh;
    struct mesh_report report;
    assert_true(mesh_read_surface(CASES "gmsh22_unused_node.msh", &strict, &mesh, &report));
    assert_int_equal(mesh.vertex_count, 5);
    assert_int_equal(mesh.triangle_count, 6);
    surface_mesh_free(&mesh);
}

// --- Hostile bytes ---

struct bytes {
    char *data;
    size_t size;
};

static struct bytes load(const char *name) {
    char path[256];
    struct bytes file = {malloc(4096), 0};
    snprintf(path, sizeof path, CASES "%s", name);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    file.size = fread(file.data, 1, 4096, stream);
    fclose(stream);
    return file;
}

// Cut anywhere, a file is refused with its line, or reads the same where only the end marker is
// lost.
static void every_truncation_is_an_error(void **state) {
    (void)state;
    const char *const names[] = {"gmsh22_plain.msh", "gmsh41_blocks.msh",    "gmsh40_ascii.msh",
                                 "gmsh10_nod.msh",   "gmsh22_binary_be.msh", "vtk_legacy.vtk",
                                 "medit.mesh"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct bytes file = load(names[i]);
        size_t accepted = 0;
        for (size_t size = 0; size < file.size; size++) {
            // A copy of exactly this size, so that a sanitizer sees each byte read too far.
            char *cut = malloc(size + 1);
            struct tet_mesh mesh;
            struct mesh_report report;
            memcpy(cut, file.data, size);
            bool read = mesh_read_tets_from_memory(cut, size, NULL, 0, NULL, &mesh, &report);
            assert_true(read == (report.error[0] == 0));
            if (read) {
                assert_int_equal(mesh.tet_count, 2);
                accepted++;
                tet_mesh_free(&mesh);
            }
            free(cut);
        }
        assert_in_range(accepted, 0, 20);
        free(file.data);
    }
}

static void lying_counts_allocate_nothing_large(void **state) {
    (void)state;
    const char *const lies[] = {
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4000000000\n1 0 0 0\n",
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4000000000 1 2\n3 1 0 4000000000\n1\n",
        "MeshVersionFormatted 1\nDimension 3\nVertices\n-5\n",
        "# vtk DataFile Version 2.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 99999999999 "
        "float\n0 0 0\n",
        "# vtk DataFile Version 2.0\nx\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 float\n0 0 0   "
        "    CELLS 1 99999999\n",
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        struct tet_mesh mesh;
        struct mesh_report report;
        assert_false(
            mesh_read_tets_from_memory(lies[i], strlen(lies[i]), NULL, 0, NULL, &mesh, &report));
        assert_true(strstr(report.error, "declared") != NULL ||
                    strstr(report.error, "no possible number") != NULL);
    }
}

static void vtk_five_splits_offsets(void **state) {
    (void)state;
    const char text
        [] = "# vtk DataFile Version 5.1\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n"
             "0 0 0 1 0 0 0 1 0\n0 0 1 1 1 1\nMETADATA\nINFORMATION 0\n\nCELLS 3 8\n"
             "OFFSETS vtktypeint64\n0 4 8\nCONNECTIVITY vtktypeint64\n0 1 2 3 1 2 3 4\n"
             "CELL_TYPES 2\n10\n10\nCELL_DATA 2\nSCALARS a double\n";
    struct tet_mesh mesh;
    struct mesh_report report;
    assert_true(mesh_read_tets_from_memory(text, sizeof text - 1, NULL, 0, NULL, &mesh, &report));
    assert_int_equal(mesh.tet_count, 2);
    tet_mesh_free(&mesh);
}

static void tetgen_needs_both_halves(void **state) {
    (void)state;
    struct bytes node = load("tetgen0.node");
    struct bytes ele = load("tetgen0.ele");
    struct tet_mesh mesh;
    struct mesh_report report;
    assert_false(mesh_read_tets_from_memory(node.data, node.size, NULL, 0, NULL, &mesh, &report));
    assert_non_null(strstr(report.error, ".ele file is missing"));
    assert_true(
        mesh_read_tets_from_memory(ele.data, ele.size, node.data, node.size, NULL, &mesh, &report));
    tet_mesh_free(&mesh);
    assert_false(mesh_read_tets_from_memory(node.data, node.size, ele.data, ele.size - 5, NULL,
                                            &mesh, &report));
    assert_non_null(strstr(report.error, ".ele file, line"));
    free(node.data);
    free(ele.data);
}

// --- The large meshes ---

// A row of the manifest begins "| NAME.msh | nodes | tets | surface triangles |".
static bool manifest_row(const char *line, char name[128], unsigned long counts[3]) {
    return sscanf(line, "| %127s | %lu | %lu | %lu |", name, &counts[0], &counts[1], &counts[2]) ==
           4;
}

static void check_mesh(const char *folder, const char *name, const unsigned long counts[3]) {
    char path[1024];
    struct mesh_report report;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (strstr(name, ".obj") != NULL) {
        struct surface_mesh mesh;
        if (!mesh_read_surface(path, NULL, &mesh, &report)) {
            fail_msg("%s", report.error);
        }
        assert_int_equal(mesh.vertex_count, counts[0]);
        assert_int_equal(mesh.triangle_count, counts[2]);
        surface_mesh_free(&mesh);
        return;
    }
    struct tet_mesh mesh;
    uint32_t *boundary = NULL;
    size_t triangles = 0;
    if (!mesh_read_tets(path, NULL, &mesh, &report)) {
        fail_msg("%s", report.error);
    }
    assert_int_equal(mesh.vertex_count, counts[0]);
    assert_int_equal(mesh.tet_count, counts[1]);
    assert_true(tet_mesh_boundary(&mesh, &boundary, &triangles));
    assert_int_equal(triangles, counts[2]);
    for (int kind = 0; kind < MESH_FINDING_KINDS; kind++) {
        assert_int_equal(report.findings[kind].count, 0);
    }
    free(boundary);
    tet_mesh_free(&mesh);
}

static void large_meshes_have_the_counts_of_their_manifest(void **state) {
    (void)state;
    char folder[512];
    char path[600];
    char line[4096];
    size_t solids = 0;
    // Slow checkers leave out what would take them minutes.
    const char *scale = getenv("PBS_TEST_SCALE");
    unsigned long most = scale != NULL && strcmp(scale, "small") == 0 ? 15000 : ULONG_MAX;
    const char *shared = getenv("PBS_SHARED_DATA");
    snprintf(folder, sizeof folder, "%s/meshes", shared != NULL ? shared : "../shared/data");
    snprintf(path, sizeof path, "%s/MANIFEST.md", folder);
    FILE *manifest = fopen(path, "r");
    if (manifest == NULL) {
        printf("skipped: %s is not here (PBS_SHARED_DATA names the folder above it)\n", path);
        skip();
    }
    while (fgets(line, sizeof line, manifest) != NULL) {
        char name[128];
        unsigned long counts[3];
        if (manifest_row(line, name, counts)) {
            if (counts[1] <= most) {
                check_mesh(folder, name, counts);
            }
            solids += strstr(name, ".msh") != NULL ? 1 : 0;
        }
    }
    fclose(manifest);
    assert_int_equal(solids, 43);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_tets_in_every_dress),
        cmocka_unit_test(the_host_may_write_commas),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(lenient_accepts_missing_tags),
        cmocka_unit_test(inverted_tets_are_reported_and_flipped_on_request),
        cmocka_unit_test(unused_vertices_are_reported_and_dropped_on_request),
        cmocka_unit_test(duplicate_vertices_are_reported_and_merged_on_request),
        cmocka_unit_test(flat_tets_pass_on_request),
        cmocka_unit_test(surfaces_in_every_dress),
        cmocka_unit_test(odd_edges_are_named),
        cmocka_unit_test(wrong_surfaces_are_refused),
        cmocka_unit_test(a_solid_gives_its_boundary),
        cmocka_unit_test(every_truncation_is_an_error),
        cmocka_unit_test(lying_counts_allocate_nothing_large),
        cmocka_unit_test(vtk_five_splits_offsets),
        cmocka_unit_test(tetgen_needs_both_halves),
        cmocka_unit_test(large_meshes_have_the_counts_of_their_manifest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
