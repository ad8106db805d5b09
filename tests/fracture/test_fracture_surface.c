// Surfaces of breaking tetrahedra: the mesh's own boundary at first, closed around every fragment
// whatever breaks, moved as rigid bodies where fragments are, and the two sides of each crack.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "base/matrix3/quaternion.h"
#include "fracture/fracture_surface.h"
#include "scenes/bonds/cubic_tets.h"
#include "support/random.h"
#include "support/testing.h"

enum { TETS = 12 * 3 * 2 * 2, BONDS = 2 * TETS, TRIANGLES = 4 * TETS };

struct broken_mesh {
    struct memory memory;
    struct cubic_tets tets;
    struct tet_mesh_view view;
    uint32_t pairs[2 * BONDS];
    uint8_t broken[BONDS];
    struct bond_list bonds;
    struct fracture_surface surface;
    struct fragments fragments;
    double centroids[3 * TETS], positions[3 * TETS], orientations[4 * TETS];
    struct particle_frames frames;
};

static void find_bonds(struct broken_mesh *m) {
    struct tet_inner_face *faces = NULL;
    size_t count = 0;
    assert_ok(tet_inner_faces(&m->view, &m->memory, &faces, &count));
    assert_true(count <= BONDS);
    for (size_t b = 0; b < count; b++) {
        m->pairs[2 * b] = faces[b].tets[0];
        m->pairs[2 * b + 1] = faces[b].tets[1];
    }
    m->bonds = (struct bond_list){.count = count, .pairs = m->pairs, .broken = m->broken};
    memory_release(&m->memory, faces);
}

static void find_centroids(struct broken_mesh *m) {
    for (size_t i = 0; i < 4 * TETS; i++) {
        const double *corner = m->view.positions + 3 * (size_t)m->view.tets[i];
        add_scaled3(m->centroids + 3 * (i / 4), 0.25, corner, m->centroids + 3 * (i / 4));
        m->orientations[i] = i % 4 == 3;
    }
    memcpy(m->positions, m->centroids, sizeof m->positions);
    m->frames = (struct particle_frames){m->centroids, m->positions, m->orientations};
}

static struct broken_mesh *begin(void) {
    static struct broken_mesh m;
    const size_t cells[3] = {3, 2, 2};
    memset(&m, 0, sizeof m);
    memory_init(&m.memory, NULL);
    assert_true(cubic_tets_make(&m.tets, cells, 0.5, 0.1));
    m.view = (struct tet_mesh_view){m.tets.vertex_count, m.tets.vertices, m.tets.tet_count,
                                    m.tets.tets};
    assert_int_equal(m.view.tet_count, TETS);
    find_bonds(&m);
    find_centroids(&m);
    assert_ok(fracture_surface_begin(&m.surface, &m.memory, &m.view, &m.bonds));
    assert_ok(fragments_begin(&m.fragments, &m.memory, TETS, &m.bonds));
    return &m;
}

static void end(struct broken_mesh *m) {
    fracture_surface_free(&m->surface, &m->memory);
    fragments_free(&m->fragments, &m->memory);
    cubic_tets_free(&m->tets);
}

static void update(struct broken_mesh *m) {
    fracture_surface_update(&m->surface, &m->bonds);
    fragments_update(&m->fragments, &m->bonds);
}

static void break_some(struct broken_mesh *m, double fraction, uint64_t seed) {
    struct random random = random_seed(seed);
    for (size_t b = 0; b < m->bonds.count; b++) {
        m->broken[b] |= random_uniform(&random, 0.0, 1.0) < fraction;
    }
    update(m);
}

static uint32_t fragment_of(const struct broken_mesh *m, size_t triangle) {
    return m->fragments.fragment[m->surface.tets[triangle]];
}

/// Six times the volume that a fragment's triangles enclose.
static double enclosed(const struct broken_mesh *m, uint32_t fragment) {
    double sum = 0.0;
    for (size_t t = 0; t < m->surface.triangle_count; t++) {
        double x[3][3];
        double cross[3];
        for (int i = 0; i < 3; i++) {
            fracture_surface_position(&m->surface, &m->frames,
                                      m->surface.triangles[3 * t + (size_t)i], x[i]);
        }
        cross3(x[0], x[1], cross);
        sum += fragment_of(m, t) == fragment ? dot3(cross, x[2]) : 0.0;
    }
    return sum;
}

static double volume_of(const struct broken_mesh *m, uint32_t fragment) {
    double sum = 0.0;
    for (size_t t = 0; t < TETS; t++) {
        sum += m->fragments.fragment[t] == fragment ? tet_signed_volume(&m->view, t) : 0.0;
    }
    return sum;
}

/// How often a directed edge is there, by counting over all triangles.
static int count_edges(const struct fracture_surface *s, uint32_t from, uint32_t to) {
    int count = 0;
    for (size_t t = 0; t < s->triangle_count; t++) {
        for (size_t i = 0; i < 3; i++) {
            count += s->triangles[3 * t + i] == from && s->triangles[3 * t + (i + 1) % 3] == to;
        }
    }
    return count;
}

/// Every edge is as often there in one direction as in the other.
static void assert_closed(const struct fracture_surface *s) {
    for (size_t t = 0; t < s->triangle_count; t++) {
        const uint32_t *v = s->triangles + 3 * t;
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(count_edges(s, v[i], v[(i + 1) % 3]),
                             count_edges(s, v[(i + 1) % 3], v[i]));
        }
    }
}

static void a_sound_body_has_the_boundary_of_its_mesh(void **state) {
    (void)state;
    struct broken_mesh *m = begin();
    uint32_t *boundary = NULL;
    size_t count = 0;
    assert_ok(tet_boundary(&m->view, &m->memory, &boundary, &count));
    assert_int_equal(m->surface.triangle_count, count);
    for (size_t t = 0; t < count; t++) {
        assert_int_equal(m->surface.cracked[t], 0);
        for (size_t i = 0; i < 3; i++) {
            double x[3];
            fracture_surface_position(&m->surface, &m->frames, m->surface.triangles[3 * t + i], x);
            // Centroid and arm to it are each rounded, and so is the mean.
            assert_small(
                testing_max_difference(x, m->view.positions + 3 * (size_t)boundary[3 * t + i], 3),
                2e-15, "vertex");
        }
    }
    memory_release(&m->memory, boundary);
    end(m);
}

/// By the divergence theorem, of each fragment.
static void fragments_are_closed_and_enclose_their_volume(void **state) {
    (void)state;
    for (int n = 0; n < 4; n++) {
        struct broken_mesh *m = begin();
        break_some(m, 0.2 * n, 11);
        assert_closed(&m->surface);
        for (uint32_t f = 0; f < m->fragments.count; f++) {
            assert_near(enclosed(m, f) / 6.0, volume_of(m, f), 1e-14, "volume");
        }
        assert_true(n < 3 || m->fragments.count > 10);
        end(m);
    }
}

/// Both sides of each broken bond, and nothing else, are cracks.
static void a_crack_has_two_sides(void **state) {
    (void)state;
    struct broken_mesh *m = begin();
    const size_t sound = m->surface.triangle_count;
    break_some(m, 0.1, 12);
    size_t broken = 0;
    size_t cracked = 0;
    for (size_t b = 0; b < m->bonds.count; b++) {
        broken += m->broken[b];
    }
    for (size_t t = 0; t < m->surface.triangle_count; t++) {
        cracked += m->surface.cracked[t];
    }
    assert_true(broken > 0);
    assert_int_equal(cracked, 2 * broken);
    assert_int_equal(m->surface.triangle_count, sound + 2 * broken);
    end(m);
}

/// No vertex belongs to two fragments, so they move apart, each as a rigid body.
static void fragments_move_apart(void **state) {
    (void)state;
    struct broken_mesh *m = begin();
    for (size_t b = 0; b < m->bonds.count; b++) {
        m->broken[b] = (m->centroids[3 * m->pairs[2 * b]] < 0.75) !=
                       (m->centroids[3 * m->pairs[2 * b + 1]] < 0.75);
    }
    update(m);
    assert_int_equal(m->fragments.count, 2);
    const uint32_t turned = m->fragments.fragment[TETS - 1];
    const double vector[3] = {0.3, -0.7, 1.1};
    const double shift[3] = {2.0, 1.0, -3.0};
    double before[3 * TRIANGLES];
    double rotation[9];
    double q[4];
    rotate_by(vector, 1.0, (const double[4]){0.0, 0.0, 0.0, 1.0}, q);
    rotation_of(q, rotation);
    for (size_t v = 0; v < m->surface.vertex_count; v++) {
        fracture_surface_position(&m->surface, &m->frames, v, before + 3 * v);
    }
    for (size_t t = 0; t < TETS; t++) {
        if (m->fragments.fragment[t] == turned) {
            multiply3(rotation, m->centroids + 3 * t, m->positions + 3 * t);
            add_scaled3(m->positions + 3 * t, 1.0, shift, m->positions + 3 * t);
            memcpy(m->orientations + 4 * t, q, sizeof q);
        }
    }
    for (size_t i = 0; i < 3 * m->surface.triangle_count; i++) {
        const size_t v = m->surface.triangles[i];
        double expected[3];
        double x[3];
        memcpy(expected, before + 3 * v, sizeof expected);
        if (fragment_of(m, i / 3) == turned) {
            multiply3(rotation, before + 3 * v, expected);
            add_scaled3(expected, 1.0, shift, expected);
        }
        fracture_surface_position(&m->surface, &m->frames, v, x);
        assert_small(testing_max_difference(x, expected, 3), 1e-14, "vertex");
    }
    end(m);
}

static void bonds_must_be_faces(void **state) {
    (void)state;
    struct broken_mesh *m = begin();
    struct fracture_surface other;
    m->pairs[1] = m->pairs[0] == TETS - 1 ? 0 : TETS - 1;
    assert_status(fracture_surface_begin(&other, &m->memory, &m->view, &m->bonds), PBS_ERROR_MESH);
    assert_message("have no face in common");
    m->pairs[1] = TETS;
    assert_status(fracture_surface_begin(&other, &m->memory, &m->view, &m->bonds), PBS_ERROR_MESH);
    fracture_surface_free(&other, &m->memory);
    end(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_body_has_the_boundary_of_its_mesh),
        cmocka_unit_test(fragments_are_closed_and_enclose_their_volume),
        cmocka_unit_test(a_crack_has_two_sides),
        cmocka_unit_test(fragments_move_apart),
        cmocka_unit_test(bonds_must_be_faces),
    };
    return cmocka_run_group_tests_name("fracture/fracture_surface", tests, NULL, NULL);
}
