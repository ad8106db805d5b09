// Vertices inside solids beside a search of everything for each of them: overlapping cubes, a torus
// that goes through itself, tetrahedra that are turned inside out, points where several are equal;
// where the energy of what is found jumps, and its derivative; which bodies touch; threads, memory.
// SPDX-License-Identifier: MIT
#include "contact/penetration/solid_inclusion.h"

#include "base/matrix3/math3.h"
#include "common/meshes/shapes.h"
#include "contact/penetration/inclusion_penalty.h"
#include "geometry/meshes/tet_inclusion.h"
#include "support/host/allocator.h"
#include "support/random.h"
#include "support/testing.h"

enum { BODIES = 4 };

/// A body as the module has it, for the search of everything.
struct body {
    uint32_t group, mask;
    bool touches_itself;
    struct tet_mesh mesh;
    size_t triangle_count, first_point, first_tet, first_triangle;
    uint32_t *triangles;
    size_t vertex_count;
    uint32_t *vertices; ///< of its surface
};

struct scene {
    struct memory memory;
    size_t body_count, point_count;
    struct body bodies[BODIES];
    double *x;
    struct solid_inclusion found;
};

static void scene_init(struct scene *s) {
    *s = (struct scene){.point_count = 0};
    memory_init(&s->memory, NULL);
}

/// Vertices of triangles; all, where there are none.
static void list_vertices(struct body *b) {
    b->vertices = calloc(b->mesh.vertex_count + 1, sizeof *b->vertices);
    bool *named = calloc(b->mesh.vertex_count + 1, sizeof *named);
    assert_true(b->vertices != NULL && named != NULL);
    for (size_t k = 0; k < 3 * b->triangle_count; k++) {
        named[b->triangles[k]] = true;
    }
    for (size_t v = 0; v < b->mesh.vertex_count; v++) {
        if (named[v] || b->triangle_count == 0) {
            b->vertices[b->vertex_count++] = (uint32_t)v;
        }
    }
    free(named);
}

/// Takes the mesh.
static void add_body(struct scene *s, struct tet_mesh mesh, bool touches_itself) {
    struct body *b = &s->bodies[s->body_count++];
    *b = (struct body){1, 1, touches_itself, .mesh = mesh, .first_point = s->point_count};
    assert_true(tet_mesh_boundary(&mesh, &b->triangles, &b->triangle_count));
    list_vertices(b);
    s->point_count += mesh.vertex_count;
    s->x = realloc(s->x, 3 * s->point_count * sizeof *s->x);
    assert_non_null(s->x);
    memcpy(s->x + 3 * b->first_point, mesh.positions, 3 * mesh.vertex_count * sizeof *s->x);
}

static pbs_status try_to_list(struct scene *s) {
    solid_inclusion_clear(&s->found);
    pbs_status status = PBS_OK;
    for (size_t i = 0; i < s->body_count && status == PBS_OK; i++) {
        struct body *b = &s->bodies[i];
        const size_t tets = b->mesh.tet_count;
        uint32_t *points = malloc((b->mesh.vertex_count + 4 * tets + 3 * b->triangle_count + 1) *
                                  sizeof *points);
        assert_non_null(points);
        uint32_t *own = points + b->mesh.vertex_count, *surface = own + 4 * tets;
        const uint32_t first = (uint32_t)b->first_point;
        for (size_t k = 0; k < b->vertex_count; k++) {
            points[k] = first + b->vertices[k];
        }
        for (size_t k = 0; k < 4 * tets; k++) {
            own[k] = first + b->mesh.tets[k];
        }
        for (size_t k = 0; k < 3 * b->triangle_count; k++) {
            surface[k] = first + b->triangles[k];
        }
        const struct inclusion_input input = {.group = b->group,
                                              .mask = b->mask,
                                              .touches_itself = b->touches_itself,
                                              .vertex_count = b->vertex_count,
                                              .vertices = points,
                                              .tet_count = tets,
                                              .tets = own,
                                              .triangle_count = b->triangle_count,
                                              .triangles = surface};
        b->first_tet = s->found.tet_count;
        b->first_triangle = s->found.triangle_count;
        status = solid_inclusion_add(&s->memory, &input, &s->found);
        free(points);
    }
    return status;
}

static void list(struct scene *s) {
    assert_ok(try_to_list(s));
}

static void find(struct scene *s) {
    assert_ok(solid_inclusion_find(&s->memory, NULL, s->x, s->point_count, &s->found));
}

static void scene_free(struct scene *s) {
    for (size_t i = 0; i < s->body_count; i++) {
        tet_mesh_free(&s->bodies[i].mesh);
        free(s->bodies[i].triangles);
        free(s->bodies[i].vertices);
    }
    free(s->x);
    solid_inclusion_free(&s->memory, &s->found);
    assert_int_equal(s->memory.bytes_in_use, 0);
}

static struct tet_mesh cube(size_t cells, double size, double x, double y, double z) {
    struct tet_mesh mesh = {0};
    assert_true(shape_cube_grid(cells, &mesh));
    positions_scale(mesh.positions, mesh.vertex_count, size);
    positions_translate(mesh.positions, mesh.vertex_count, x, y, z);
    return mesh;
}

static double *points_of(const struct scene *s, size_t body) {
    return s->x + 3 * s->bodies[body].first_point;
}

// --- a search of everything ---

static bool bodies_touch(const struct body *a, const struct body *b) {
    return a == b ? a->touches_itself : (a->group & b->mask) != 0 && (b->group & a->mask) != 0;
}

static bool names(const uint32_t *corners, int count, size_t vertex) {
    for (int k = 0; k < count; k++) {
        if (corners[k] == vertex) {
            return true;
        }
    }
    return false;
}

/// Points that are in a tetrahedron with a vertex.
static bool *ring_of(const struct body *b, size_t vertex) {
    bool *ring = calloc(b->mesh.vertex_count, sizeof *ring);
    assert_non_null(ring);
    for (size_t t = 0; t < b->mesh.tet_count; t++) {
        if (names(b->mesh.tets + 4 * t, 4, vertex)) {
            for (size_t k = 0; k < 4; k++) {
                ring[b->mesh.tets[4 * t + k]] = true;
            }
        }
    }
    return ring;
}

static int count_in(const bool *ring, const uint32_t *corners, int count) {
    int sum = 0;
    for (int k = 0; ring != NULL && k < count; k++) {
        sum += ring[corners[k]];
    }
    return sum;
}

/// The tetrahedron of a body that a point is deepest in, without those at the ring (null: none).
/// False: none.
static bool search_tets(const struct scene *s, size_t body, const double *p, const bool *ring,
                        struct solid_contact *out) {
    const struct body *b = &s->bodies[body];
    double most = -1.0;
    for (size_t t = 0; t < b->mesh.tet_count; t++) {
        const uint32_t *corner = b->mesh.tets + 4 * t;
        const double *x[4];
        double w[4];
        for (size_t k = 0; k < 4; k++) {
            x[k] = points_of(s, body) + 3 * (size_t)corner[k];
        }
        if (count_in(ring, corner, 4) > 0 || !tet_contains(x, p, w)) {
            continue;
        }
        const double depth = fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
        if (depth > most) {
            most = depth;
            out->tet = (uint32_t)(b->first_tet + t);
        }
    }
    return most >= 0.0;
}

static double squared_to(const double *points, const double *p, const uint32_t corner[3]) {
    const double *const x[4] = {p, points + 3 * (size_t)corner[0], points + 3 * (size_t)corner[1],
                                points + 3 * (size_t)corner[2]};
    return closest_squared(PAIR_POINT_TRIANGLE, x);
}

/// Of the surface, and of the faces where what is at the ring ends.
static void search_faces(const struct scene *s, size_t body, const double *p, const bool *ring,
                         struct solid_contact *out) {
    const struct body *b = &s->bodies[body];
    double least = INFINITY;
    for (size_t t = 0; t < b->triangle_count; t++) {
        const double squared = squared_to(points_of(s, body), p, b->triangles + 3 * t);
        if (count_in(ring, b->triangles + 3 * t, 3) == 0 && squared < least) {
            least = squared;
            out->triangle = (uint32_t)(b->first_triangle + t);
        }
    }
    for (size_t t = 0; ring != NULL && t < b->mesh.tet_count; t++) {
        const uint32_t *corner = b->mesh.tets + 4 * t;
        uint32_t face[3], count = 0;
        for (size_t k = 0; k < 4 && count_in(ring, corner, 4) == 1; k++) {
            if (!ring[corner[k]]) {
                face[count++] = corner[k];
            }
        }
        // Corners in another order give the same up to rounding.
        if (count == 3 && squared_to(points_of(s, body), p, face) < least * (1.0 - 1e-12)) {
            least = squared_to(points_of(s, body), p, face);
            out->triangle = SOLID_INNER_FACE;
        }
    }
    out->distance = sqrt(least);
}

/// What is said of a contact is so: places, weights, r, and that it leads out of the solid.
static void assert_described(const struct scene *s, const struct solid_contact *c) {
    const bool is_inner = c->triangle == SOLID_INNER_FACE;
    const uint32_t *corner = s->found.triangles + (is_inner ? 0 : 3 * (size_t)c->triangle);
    double r[3] = {0.0, 0.0, 0.0}, sum = 0.0;
    assert_int_equal(c->point_count, pair_node_count(c->kind));
    assert_int_equal(c->points[0], s->found.vertices[c->vertex]);
    for (int k = 0; k < c->point_count; k++) {
        assert_true(k == 0 || is_inner || names(corner, 3, c->points[k]));
        add_scaled3(r, c->closest.weight[k], s->x + 3 * (size_t)c->points[k], r);
        sum += c->closest.weight[k];
    }
    assert_small(fabs(sum), 1e-15, "sum of the weights");
    assert_small(testing_max_difference(r, c->closest.r, 3), 1e-14, "r");
    assert_near(norm3(c->closest.r), c->distance, 1e-15, "distance");
    for (int k = 0; k < 3; k++) {
        assert_near(c->normal[k] * c->distance, r[k], 1e-14, "normal");
    }
}

static void assert_contact(const struct scene *s, const struct solid_contact *c,
                           const struct solid_contact *expected) {
    assert_int_equal(c->vertex, expected->vertex);
    assert_int_equal(c->part[0], expected->part[0]);
    assert_int_equal(c->part[1], expected->part[1]);
    assert_int_equal(c->tet, expected->tet);
    assert_int_equal(c->triangle, expected->triangle);
    if (c->triangle == SOLID_INNER_FACE) {
        assert_near(c->distance, expected->distance, 1e-15, "distance");
    } else {
        assert_true(c->distance == expected->distance);
    }
    assert_described(s, c);
}

/// The list is what the search of everything finds, in order. Returns how many there are.
static size_t compare(const struct scene *s) {
    size_t count = 0, vertex = 0;
    for (size_t i = 0; i < s->body_count; i++) {
        for (size_t k = 0; k < s->bodies[i].vertex_count; k++, vertex++) {
            const size_t v = s->bodies[i].vertices[k];
            const double *p = points_of(s, i) + 3 * v;
            for (size_t j = 0; j < s->body_count; j++) {
                struct solid_contact expected = {.vertex = (uint32_t)vertex,
                                                 .part = {(uint32_t)i, (uint32_t)j},
                                                 .triangle = SOLID_INNER_FACE};
                bool *ring = i == j ? ring_of(&s->bodies[i], v) : NULL;
                if (bodies_touch(&s->bodies[i], &s->bodies[j]) &&
                    search_tets(s, j, p, ring, &expected)) {
                    search_faces(s, j, p, ring, &expected);
                    if (expected.distance > 0.0 && isfinite(expected.distance)) {
                        assert_true(count < s->found.contact_count);
                        assert_contact(s, &s->found.contacts[count++], &expected);
                    }
                }
                free(ring);
            }
        }
    }
    assert_int_equal(count, s->found.contact_count);
    return count;
}

// --- beside the search of everything ---

/// Two cubes on grids, corners inside one another and equal distances everywhere; then bent and
/// shaken, whatever trees are left from before.
static void cubes_are_as_searched(void **state) {
    (void)state;
    struct random random = random_seed(1);
    struct scene s;
    scene_init(&s);
    add_body(&s, cube(3, 1.0, 0.0, 0.0, 0.0), false);
    add_body(&s, cube(2, 1.0, 0.5, 0.25, 0.25), false);
    list(&s);
    find(&s);
    assert_true(compare(&s) > 10);
    int types[4] = {0};
    for (int n = 0; n < testing_rounds(300); n++) {
        const double size = random_uniform(&random, 0.0, 0.3);
        for (size_t i = 0; i < s.body_count; i++) {
            const struct body *b = &s.bodies[i];
            double rotation[9], way[3];
            random_rotation(&random, rotation);
            random_fill(&random, -0.3, 0.3, way, 3);
            for (size_t v = 0; v < b->mesh.vertex_count; v++) {
                static const double middle[3] = {0.5, 0.5, 0.5};
                double place[3], jitter[3];
                random_fill(&random, -size, size, jitter, 3);
                add3(jitter, b->mesh.positions + 3 * v, jitter);
                subtract3(jitter, middle, jitter);
                multiply3(rotation, jitter, place);
                add3(place, way, points_of(&s, i) + 3 * v);
            }
        }
        s.bodies[0].touches_itself = n % 3 == 0;
        list(&s);
        find(&s);
        compare(&s);
        for (size_t k = 0; k < s.found.contact_count; k++) {
            types[s.found.contacts[k].kind]++;
        }
    }
    assert_true(types[PAIR_POINT_TRIANGLE] > 0 && types[PAIR_POINT_EDGE] > 0 &&
                types[PAIR_POINT_POINT] > 0);
    scene_free(&s);
}

/// A torus whose hole is pinched until both sides of its tube are in one another.
static void make_pinched_torus(struct scene *s, double spacing, double pinch) {
    struct tet_mesh torus = {0};
    scene_init(s);
    assert_true(shape_torus(0.3, 0.12, spacing, &torus));
    add_body(s, torus, true);
    for (size_t v = 0; v < torus.vertex_count; v++) {
        double *x = points_of(s, 0) + 3 * v;
        // At the middle of both sides by all of it; where they meet, at |z| >= 0.18, by e^-8.
        x[0] -= copysign(pinch * exp(-x[2] * x[2] / 0.004), x[0]);
    }
    list(s);
}

// Vertices are in tetrahedra of their own body, and their way out is through the other side: none
// is drawn to triangles of its own side, which are as close as two edges. Deeper than that it is
// drawn to the faces by which its own neighbourhood ends.
static void torus_goes_through_itself(void **state) {
    (void)state;
    for (int n = 0; n < 4; n++) {
        struct scene s;
        const double pinch = n % 2 == 0 ? 0.2 : 0.24;
        // The inner sides, at 0.18 m, go through the middle.
        const double overlap = 2.0 * (pinch - 0.18), spacing = n < 2 ? 0.05 : 0.03;
        make_pinched_torus(&s, spacing, pinch);
        find(&s);
        const size_t count = s.found.contact_count;
        assert_true(count > 4);
        assert_true(n > 1 || compare(&s) == count);
        double deepest = 0.0;
        size_t through = 0;
        for (size_t i = 0; i < count; i++) {
            const struct solid_contact *c = &s.found.contacts[i];
            const double *rest = s.bodies[0].mesh.positions;
            assert_true(c->part[0] == 0 && c->part[1] == 0);
            const bool leads_through = rest[3 * (size_t)c->points[0]] *
                                           rest[3 * (size_t)c->points[1]] <
                                       0.0;
            assert_true(leads_through || c->distance > 0.5 * spacing);
            through += leads_through;
            deepest = fmax(deepest, c->distance);
        }
        assert_true(deepest > 0.25 * overlap && deepest < overlap);
        assert_true(10 * through > 6 * count);
        s.bodies[0].touches_itself = false;
        list(&s);
        find(&s);
        assert_int_equal(s.found.contact_count, 0);
        scene_free(&s);
    }
}

// A vertex of a surface pushed straight in turns elements inside out and is in its neighbourhood:
// that is for elasticity to put right. Pushed on, it is listed, and its way out leads back into the
// neighbourhood, or through what is not its own.
static void neighbours_do_not_touch(void **state) {
    (void)state;
    struct scene s;
    scene_init(&s);
    add_body(&s, cube(8, 1.0, 0.0, 0.0, 0.0), true);
    list(&s);
    // In the middle of the upper side; vertices are i + 9 (j + 9 k).
    double *x = points_of(&s, 0) + 3 * (size_t)(4 + 9 * (4 + 9 * 8));
    for (double depth = 0.0; depth < 0.22; depth += 0.02) {
        const double below[3] = {0.51, 0.52, 1.0 - depth};
        copy3(below, x);
        find(&s);
        assert_int_equal(compare(&s), 0);
    }
    const double deeper[3] = {0.51, 0.52, 0.7}, aside[3] = {0.9, 0.52, 0.4};
    copy3(deeper, x);
    find(&s);
    assert_int_equal(compare(&s), 1);
    assert_true(s.found.contacts[0].triangle == SOLID_INNER_FACE);
    assert_true(s.found.contacts[0].distance < 0.06 && s.found.contacts[0].normal[2] < -0.9);
    copy3(aside, x);
    find(&s);
    assert_int_equal(compare(&s), 1);
    assert_near(s.found.contacts[0].distance, 0.1, 1e-15, "distance");
    assert_near(s.found.contacts[0].normal[0], -1.0, 1e-14, "direction");
    scene_free(&s);
}

// --- degenerate states ---

/// A single vertex (its body has no tetrahedra) and a cube.
static void make_vertex_and_cube(struct scene *s, size_t cells) {
    scene_init(s);
    struct tet_mesh vertex = {.vertex_count = 1, .positions = calloc(3, sizeof(double))};
    assert_non_null(vertex.positions);
    vertex.tets = calloc(4, sizeof *vertex.tets);
    add_body(s, cube(cells, 1.0, 0.0, 0.0, 0.0), true);
    s->bodies[1] = (struct body){1, 1, false, .mesh = vertex, .first_point = s->point_count};
    list_vertices(&s->bodies[1]);
    s->body_count = 2;
    s->point_count++;
    s->x = realloc(s->x, 3 * s->point_count * sizeof *s->x);
    assert_non_null(s->x);
    list(s);
}

static void put_vertex(struct scene *s, double x, double y, double z) {
    const double p[3] = {x, y, z};
    copy3(p, points_of(s, 1));
}

static void equal_places_have_the_lowest_triangle(void **state) {
    (void)state;
    struct scene s;
    make_vertex_and_cube(&s, 2);
    // In the middle, at a corner of eight cells; on faces and edges between tetrahedra; on the
    // surface, its edge and its corner; and where another vertex is.
    static const double places[][4] = {
        {0.5, 0.5, 0.5, 0.5},     {0.25, 0.25, 0.25, 0.25}, {0.5, 0.25, 0.25, 0.25},
        {0.5, 0.5, 0.125, 0.125}, {0.375, 0.25, 0.5, 0.25}, {0.0, 0.3, 0.4, 0.0},
        {0.0, 0.0, 0.4, 0.0},     {1.0, 1.0, 1.0, 0.0},     {1.5, 0.5, 0.5, 0.0}};
    for (size_t n = 0; n < COUNT_OF(places); n++) {
        put_vertex(&s, places[n][0], places[n][1], places[n][2]);
        find(&s);
        assert_int_equal(compare(&s), places[n][3] > 0.0);
        if (places[n][3] > 0.0) {
            assert_near(s.found.contacts[0].distance, places[n][3], 1e-16, "distance");
        }
    }
    scene_free(&s);
}

/// Triangles without area, tetrahedra without volume or turned inside out, all nodes in one place,
/// and places that are no numbers.
static void degenerate_states_are_found_nothing_in(void **state) {
    (void)state;
    struct scene s;
    make_vertex_and_cube(&s, 2);
    // A corner of the surface on its neighbour: two triangles lose their area.
    put_vertex(&s, 0.3, 0.3, 0.3);
    copy3(points_of(&s, 0) + 3, points_of(&s, 0));
    find(&s);
    assert_int_equal(compare(&s), 1);
    for (int inverted = 0; inverted < 2; inverted++) {
        for (size_t v = 0; v < s.bodies[0].mesh.vertex_count; v++) {
            const double *rest = s.bodies[0].mesh.positions + 3 * v;
            const double mirrored[3] = {rest[0], rest[1], inverted ? 1.0 - rest[2] : 0.3};
            copy3(mirrored, points_of(&s, 0) + 3 * v);
        }
        find(&s);
        assert_int_equal(compare(&s), 0);
    }
    for (size_t v = 0; v < s.bodies[0].mesh.vertex_count; v++) {
        copy3(points_of(&s, 1), points_of(&s, 0) + 3 * v);
    }
    find(&s);
    assert_int_equal(compare(&s), 0);
    static const double wrong[] = {NAN, INFINITY, -INFINITY, 1e300};
    for (size_t n = 0; n < COUNT_OF(wrong); n++) {
        memcpy(s.x, s.bodies[0].mesh.positions, 3 * s.bodies[0].mesh.vertex_count * sizeof *s.x);
        put_vertex(&s, 0.3, wrong[n], 0.3);
        find(&s);
        assert_int_equal(s.found.contact_count, 0);
        put_vertex(&s, 0.3, 0.3, 0.3);
        s.x[3 * 13 + 1] = wrong[n];
        find(&s);
        for (size_t i = 0; i < s.found.contact_count; i++) {
            assert_true(isfinite(s.found.contacts[i].distance));
        }
        for (size_t k = 0; k < 3 * s.point_count; k++) {
            s.x[k] = wrong[n];
        }
        find(&s);
        assert_int_equal(s.found.contact_count, 0);
    }
    scene_free(&s);
}

// --- where the energy jumps ---

static double energy(const struct scene *s) {
    double sum = 0.0;
    for (size_t i = 0; i < s->found.contact_count; i++) {
        sum += inclusion_penalty_energy(1.0, &s->found.contacts[i].closest);
    }
    return sum;
}

struct segment {
    double *from, *to;
};

static double energy_along(struct scene *s, const struct segment *way, double t) {
    for (size_t k = 0; k < 3 * s->point_count; k++) {
        s->x[k] = way->from[k] + t * (way->to[k] - way->from[k]);
    }
    find(s);
    return energy(s);
}

/// The largest change of the energy over 2^-40 of a piece of the way, as far as halving finds it
/// from the piece with the largest.
static double largest_jump(struct scene *s, const struct segment *way, int pieces) {
    double low = 0.0, high = 0.0, low_energy = 0.0, high_energy = 0.0, most = -1.0;
    double before = energy_along(s, way, 0.0);
    for (int i = 1; i <= pieces; i++) {
        const double t = (double)i / pieces;
        const double value = energy_along(s, way, t);
        if (fabs(value - before) > most) {
            most = fabs(value - before);
            low = (double)(i - 1) / pieces;
            high = t;
            low_energy = before;
            high_energy = value;
        }
        before = value;
    }
    for (int k = 0; k < 40; k++) {
        const double middle = 0.5 * (low + high);
        const double value = energy_along(s, way, middle);
        if (fabs(value - low_energy) > fabs(high_energy - value)) {
            high = middle;
            high_energy = value;
        } else {
            low = middle;
            low_energy = value;
        }
    }
    return fabs(high_energy - low_energy);
}

/// Bodies turned by a little and shifted at random from their places at rest.
static void scatter(struct scene *s, struct random *random, double reach, double *out) {
    for (size_t i = 0; i < s->body_count; i++) {
        const struct body *b = &s->bodies[i];
        double axis[3], way[3];
        random_unit(random, axis);
        random_fill(random, -reach, reach, way, 3);
        double *x = out + 3 * b->first_point;
        memcpy(x, b->mesh.positions, 3 * b->mesh.vertex_count * sizeof *x);
        positions_rotate(x, b->mesh.vertex_count, axis, random_uniform(random, -0.5, 0.5));
        positions_translate(x, b->mesh.vertex_count, way[0], way[1], way[2]);
    }
}

// Vertices leave another body through its surface alone, where r is 0, and bodies add up: nothing
// jumps, also where a vertex is in two of them. Over 2^-40 of a way of 2 m the energy of 43
// vertices, each in two bodies at most, changes by less than their forces, 3 r^2 with r <= 0.5 m,
// times that: 2e-10 J.
static void energy_of_bodies_has_no_jumps(void **state) {
    (void)state;
    struct random random = random_seed(3);
    for (size_t bodies = 2; bodies <= 3; bodies++) {
        struct scene s;
        scene_init(&s);
        add_body(&s, cube(2, 1.0, 0.0, 0.0, 0.0), false);
        add_body(&s, cube(1, 0.8, 0.4, 0.3, 0.2), false);
        if (bodies == 3) {
            add_body(&s, cube(1, 0.9, 0.2, -0.3, 0.5), false);
        }
        list(&s);
        struct segment way = {malloc(3 * s.point_count * sizeof(double)),
                              malloc(3 * s.point_count * sizeof(double))};
        const int rounds = testing_rounds(bodies == 2 ? 10000 : 2000);
        for (int n = 0; n < rounds; n++) {
            scatter(&s, &random, 0.6, way.from);
            scatter(&s, &random, 0.6, way.to);
            assert_small(largest_jump(&s, &way, 8), 1e-9, "change of the energy");
        }
        free(way.from);
        free(way.to);
        scene_free(&s);
    }
}

// Nor of one body that goes into itself without turning elements inside out: a bar of 10 cells bent
// around until its ends overlap, further or back, at random. Over 2^-40 of a way of 0.5 m, 300
// vertices, r <= 0.2 m: 2e-11 J.
static void energy_of_one_body_has_no_jumps(void **state) {
    (void)state;
    struct random random = random_seed(6);
    struct scene s;
    struct tet_mesh bar = {0};
    scene_init(&s);
    assert_true(shape_box_grid(24, 2, 2, 6.0, 0.5, 0.5, &bar));
    const size_t bytes = 3 * bar.vertex_count * sizeof *bar.positions;
    add_body(&s, bar, true);
    list(&s);
    struct segment way = {malloc(bytes), malloc(bytes)};
    double largest = 0.0;
    for (int n = 0; n < testing_rounds(400); n++) {
        for (int end = 0; end < 2; end++) {
            // A helix of one turn and some more, its pitch less than its thickness.
            const double radius = random_uniform(&random, 0.5, 0.62);
            const double pitch = random_uniform(&random, 0.0, 0.6);
            for (size_t v = 0; v < bar.vertex_count; v++) {
                const double *rest = bar.positions + 3 * v;
                double *x = (end == 0 ? way.from : way.to) + 3 * v;
                const double angle = rest[0] / (radius + 0.25);
                x[0] = (radius + rest[1]) * cos(angle);
                x[1] = -(radius + rest[1]) * sin(angle);
                x[2] = rest[2] + pitch * angle / 6.2832;
            }
        }
        for (double t = 0.0; t <= 1.0; t += 0.125) {
            energy_along(&s, &way, t);
            struct tet_mesh now = bar;
            now.positions = s.x;
            for (size_t k = 0; k < bar.tet_count; k++) {
                assert_true(tet_volume(&now, k) > 0.0);
            }
        }
        assert_small(largest_jump(&s, &way, 8), 1e-9, "change of the energy");
        largest = fmax(largest, energy(&s));
    }
    assert_true(largest > 1e-3);
    free(way.from);
    free(way.to);
    scene_free(&s);
}

/// The derivative of the energy along a way by the forces of what is found.
static double slope(const struct scene *s, const struct segment *way) {
    double sum = 0.0;
    for (size_t i = 0; i < s->found.contact_count; i++) {
        const struct solid_contact *c = &s->found.contacts[i];
        double gradient[3];
        inclusion_penalty_gradient(1.0, &c->closest, gradient);
        for (int p = 0; p < c->point_count; p++) {
            const size_t at = 3 * (size_t)c->points[p];
            double motion[3];
            subtract3(way->to + at, way->from + at, motion);
            sum += c->closest.weight[p] * dot3(gradient, motion);
        }
    }
    return sum;
}

// Which triangle is closest, and where on it, changes along the way; the gradient needs none of
// that. Where its own derivative jumps, differences over 1e-6 of a way of 2 m are off by that times
// the jump, at most 6 r |w|^2 per contact, times the square of the way: 27 contacts, r <= 0.5 m.
static void gradient_is_the_derivative_of_the_energy(void **state) {
    (void)state;
    struct random random = random_seed(5);
    const double step = 1e-6;
    struct scene s;
    scene_init(&s);
    add_body(&s, cube(2, 1.0, 0.0, 0.0, 0.0), false);
    add_body(&s, cube(2, 0.8, 0.4, 0.3, 0.2), false);
    list(&s);
    struct segment way = {malloc(3 * s.point_count * sizeof(double)),
                          malloc(3 * s.point_count * sizeof(double))};
    double largest = 0.0;
    for (int n = 0; n < testing_rounds(500); n++) {
        scatter(&s, &random, 0.4, way.from);
        scatter(&s, &random, 0.4, way.to);
        const double t = random_uniform(&random, 0.1, 0.9);
        const double high = energy_along(&s, &way, t + step);
        const double low = energy_along(&s, &way, t - step);
        energy_along(&s, &way, t);
        const double expected = slope(&s, &way);
        assert_near((high - low) / (2.0 * step), expected, 27.0 * 12.0 * step, "derivative");
        largest = fmax(largest, fabs(expected));
    }
    assert_true(largest > 0.1);
    free(way.from);
    free(way.to);
    scene_free(&s);
}

// --- bodies, threads, memory ---

static void bodies_touch_as_they_say(void **state) {
    (void)state;
    struct scene s;
    scene_init(&s);
    for (int i = 0; i < 3; i++) {
        add_body(&s, cube(2, 1.0, 0.3 * i, 0.2 * i, 0.1 * i), false);
        s.bodies[i].group = 1u << i;
    }
    for (uint32_t masks = 0; masks < 1u << 6; masks++) {
        // Every pair of bodies: both sides must agree.
        s.bodies[0].mask = (masks & 1u) << 1 | (masks >> 1 & 1u) << 2;
        s.bodies[1].mask = (masks >> 2 & 1u) | (masks >> 3 & 1u) << 2;
        s.bodies[2].mask = (masks >> 4 & 1u) | (masks >> 5 & 1u) << 1;
        list(&s);
        find(&s);
        const bool first = (masks & 1u) && (masks >> 2 & 1u);
        const bool second = (masks >> 1 & 1u) && (masks >> 4 & 1u);
        const bool third = (masks >> 3 & 1u) && (masks >> 5 & 1u);
        assert_true((compare(&s) > 0) == (first || second || third));
    }
    scene_free(&s);
}

static void make_pile(struct scene *s) {
    scene_init(s);
    for (int i = 0; i < BODIES; i++) {
        struct tet_mesh mesh = cube(6, 1.0, 0.4 * i, 0.1 * i, 0.2 * i);
        const double axis[3] = {1.0, 2.0, i};
        positions_rotate(mesh.positions, mesh.vertex_count, axis, 0.1 * i);
        add_body(s, mesh, true);
    }
    list(s);
}

static void threads_do_not_change_a_bit(void **state) {
    (void)state;
    struct scene s;
    make_pile(&s);
    find(&s);
    const size_t count = s.found.contact_count;
    assert_true(count > 200);
    struct solid_contact *alone = malloc(count * sizeof *alone);
    assert_non_null(alone);
    memcpy(alone, s.found.contacts, count * sizeof *alone);
    for (int32_t threads = 2; threads <= 5; threads++) {
        struct tasks *tasks = NULL;
        assert_ok(tasks_create(&s.memory, NULL, threads, &tasks));
        assert_ok(solid_inclusion_find(&s.memory, tasks, s.x, s.point_count, &s.found));
        assert_int_equal(s.found.contact_count, count);
        for (size_t i = 0; i < count; i++) {
            const struct solid_contact *a = &alone[i], *b = &s.found.contacts[i];
            assert_true(a->vertex == b->vertex && a->tet == b->tet && a->triangle == b->triangle);
            assert_true(a->part[0] == b->part[0] && a->part[1] == b->part[1]);
            assert_true(a->kind == b->kind && a->closest.support == b->closest.support);
            assert_memory_equal(a->points, b->points, sizeof a->points);
            assert_same_bits(a->closest.weight, b->closest.weight, PAIR_NODES);
            assert_same_bits(a->closest.r, b->closest.r, 3);
            assert_same_bits(a->normal, b->normal, 3);
            assert_same_bits(&a->distance, &b->distance, 1);
        }
        tasks_destroy(&s.memory, tasks);
    }
    free(alone);
    scene_free(&s);
}

static void warm_searches_allocate_nothing(void **state) {
    (void)state;
    struct random random = random_seed(4);
    struct scene s;
    uint64_t calls = 0;
    make_pile(&s);
    for (int n = 0; n < 40; n++) {
        calls = n < 20 ? s.memory.call_count : calls;
        for (size_t k = 0; k < 3 * s.point_count; k++) {
            s.x[k] += random_uniform(&random, -1e-3, 1e-3);
        }
        find(&s);
        assert_true(s.found.contact_count > 100);
    }
    list(&s);
    find(&s);
    assert_int_equal(s.memory.call_count, calls);
    scene_free(&s);
}

/// Without memory: the status, no contacts, and nothing that a next try would stumble over.
static void memory_runs_out_anywhere(void **state) {
    (void)state;
    uint64_t refused = 0;
    for (bool done = false; !done; refused++) {
        struct test_allocator allocator;
        struct scene s;
        make_pile(&s);
        solid_inclusion_free(&s.memory, &s.found);
        test_allocator_init(&allocator);
        const pbs_allocator hooks = test_allocator_hooks(&allocator);
        memory_init(&s.memory, &hooks);
        test_allocator_fail_after(&allocator, refused);
        pbs_status status = try_to_list(&s);
        if (status == PBS_OK) {
            status = solid_inclusion_find(&s.memory, NULL, s.x, s.point_count, &s.found);
        }
        done = !test_allocator_has_failed(&allocator);
        assert_status(status, done ? PBS_OK : PBS_ERROR_MEMORY);
        assert_true(done || s.found.contact_count == 0);
        allocator.fail_at = ALLOCATOR_NEVER;
        list(&s);
        find(&s);
        assert_true(s.found.contact_count > 200);
        solid_inclusion_free(&s.memory, &s.found);
        assert_false(allocator.was_misused);
        assert_int_equal(allocator.blocks_in_use, 0);
        scene_free(&s);
    }
    assert_true(refused > 20);
}

static void nothing_has_no_contacts(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    struct solid_inclusion s = {0};
    assert_ok(solid_inclusion_find(&memory, NULL, NULL, 0, &s));
    assert_int_equal(s.contact_count, 0);
    const struct inclusion_input empty = {.group = 1, .mask = 1};
    assert_ok(solid_inclusion_add(&memory, &empty, &s));
    assert_ok(solid_inclusion_find(&memory, NULL, NULL, 0, &s));
    const struct inclusion_input many = {.vertex_count = (size_t)1 << 31};
    assert_status(solid_inclusion_add(&memory, &many, &s), PBS_ERROR_ARGUMENT);
    assert_message("the limit is 2147483647 each");
    assert_int_equal(s.part_count, 1);
    solid_inclusion_free(&memory, &s);
    assert_int_equal(memory.bytes_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubes_are_as_searched),
        cmocka_unit_test(torus_goes_through_itself),
        cmocka_unit_test(neighbours_do_not_touch),
        cmocka_unit_test(equal_places_have_the_lowest_triangle),
        cmocka_unit_test(degenerate_states_are_found_nothing_in),
        cmocka_unit_test(energy_of_bodies_has_no_jumps),
        cmocka_unit_test(energy_of_one_body_has_no_jumps),
        cmocka_unit_test(gradient_is_the_derivative_of_the_energy),
        cmocka_unit_test(bodies_touch_as_they_say),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(warm_searches_allocate_nothing),
        cmocka_unit_test(memory_runs_out_anywhere),
        cmocka_unit_test(nothing_has_no_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
