// Facts of thin sheets through the public API: clamped plates and a cantilever beside plate theory,
// the modes of a drum, a hanging cloth. Statics is implicit Euler with steps so long that inertia
// vanishes.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

static const double PI = 3.14159265358979323846;

struct mesh {
    size_t vertex_count, triangle_count;
    double *positions;
    uint32_t *triangles;
};

static void mesh_allocate(struct mesh *mesh, size_t vertex_count, size_t triangle_count) {
    *mesh = (struct mesh){.vertex_count = vertex_count};
    mesh->positions = calloc(vertex_count, 3 * sizeof *mesh->positions);
    mesh->triangles = calloc(triangle_count, 3 * sizeof *mesh->triangles);
    assert_true(mesh->positions != NULL && mesh->triangles != NULL);
}

static void mesh_free(struct mesh *mesh) {
    free(mesh->positions);
    free(mesh->triangles);
}

static void add_triangle(struct mesh *mesh, size_t a, size_t b, size_t c) {
    const uint32_t triangle[3] = {(uint32_t)a, (uint32_t)b, (uint32_t)c};
    memcpy(mesh->triangles + 3 * mesh->triangle_count, triangle, sizeof triangle);
    mesh->triangle_count++;
}

/// Vertex k of ring r, which has 6 r of them.
static size_t ring_vertex(size_t r, size_t k) {
    return r == 0 ? 0 : 1 + 3 * r * (r - 1) + k % (6 * r);
}

/// A disc of concentric rings in the plane z = 0.
static void make_disc(struct mesh *mesh, size_t rings, double spacing) {
    mesh_allocate(mesh, 1 + 3 * rings * (rings + 1), 6 * rings * rings);
    for (size_t r = 1; r <= rings; r++) {
        for (size_t k = 0; k < 6 * r; k++) {
            double *x = mesh->positions + 3 * ring_vertex(r, k);
            const double angle = 2.0 * PI * (double)k / (double)(6 * r);
            x[0] = spacing * (double)r * cos(angle);
            x[1] = spacing * (double)r * sin(angle);
        }
        // Sectors of 60 degrees: r triangles with their base outside, r - 1 inside.
        for (size_t sector = 0; sector < 6; sector++) {
            const size_t in = sector * (r - 1);
            const size_t out = sector * r;
            for (size_t k = 0; k < r; k++) {
                add_triangle(mesh, ring_vertex(r - 1, in + k), ring_vertex(r, out + k),
                             ring_vertex(r, out + k + 1));
                if (k + 1 < r) {
                    add_triangle(mesh, ring_vertex(r - 1, in + k), ring_vertex(r, out + k + 1),
                                 ring_vertex(r - 1, in + k + 1));
                }
            }
        }
    }
}

static void describe(const struct mesh *mesh, pbs_shell_desc *d) {
    assert_ok(pbs_shell_desc_init(d, sizeof *d));
    d->vertex_count = mesh->vertex_count;
    d->positions = mesh->positions;
    d->triangle_count = mesh->triangle_count;
    d->triangles = mesh->triangles;
}

static double rigidity(const pbs_shell_desc *d) {
    return d->young * pow(d->thickness, 3.0) / (12.0 * (1.0 - d->poisson * d->poisson));
}

// --- statics ---

/// A world with gravity `load` (N/m^2 over rho h) along -z; forces are balanced to 1e-9 of what the
/// load adds up to.
static pbs_world *loaded_world(const pbs_shell_desc *d, double load, double area) {
    pbs_world_desc settings;
    scene_settings(&settings);
    settings.gravity[1] = 0.0;
    settings.gravity[2] = -load / (d->density * d->thickness);
    settings.tolerance = 1e-6 * load * area;
    return new_world_from(&settings);
}

/// The edges of the outermost ring, and the directions away from the centre across them.
struct rim {
    uint32_t edges[256];
    double directions[384];
};

static void clamp_rim(const struct mesh *mesh, size_t rings, struct rim *rim, pbs_shell_desc *d) {
    for (size_t k = 0; k < 6 * rings; k++) {
        for (size_t end = 0; end < 2; end++) {
            const size_t vertex = ring_vertex(rings, k + end);
            rim->edges[2 * k + end] = (uint32_t)vertex;
            for (size_t i = 0; i < 2; i++) {
                rim->directions[3 * k + i] += mesh->positions[3 * vertex + i];
            }
        }
    }
    d->clamped_edge_count = 6 * rings;
    d->clamped_edges = rim->edges;
    d->clamped_directions = rim->directions;
}

/// How the rim of a disc is clamped: a further ring is held, as is the rim, this part of the
/// others' distance away from it; 0: by its edges.
static const double NARROW = 0.1, WIDE = 1.0, EDGES = 0.0;

/// The centre of a clamped disc of radius R sinks by p R^4 / (64 D); returns the ratio to that.
static double clamped_disc(size_t rings, double gap, int32_t bending) {
    struct mesh mesh;
    pbs_shell_desc d;
    pbs_body body;
    make_disc(&mesh, gap > 0.0 ? rings + 1 : rings, 1.0 / (double)rings);
    for (size_t i = ring_vertex(rings + 1, 0); i < mesh.vertex_count; i++) {
        const double scale = (1.0 + gap / (double)rings) / (1.0 + 1.0 / (double)rings);
        mesh.positions[3 * i] *= scale;
        mesh.positions[3 * i + 1] *= scale;
    }
    describe(&mesh, &d);
    d.thickness = 0.1;
    d.young = 1e6;
    d.bending = bending;
    struct rim rim = {0};
    if (gap == EDGES) {
        clamp_rim(&mesh, rings, &rim, &d);
    }
    const double expected = 1e-3 * d.thickness;
    const double load = 64.0 * rigidity(&d) * expected;
    pbs_world *world = loaded_world(&d, load, PI);
    assert_ok(pbs_body_create_shell(world, &d, &body));
    for (size_t i = ring_vertex(rings, 0); i < mesh.vertex_count; i++) {
        const uint32_t vertex = (uint32_t)i;
        assert_ok(pbs_body_pin(world, body, &vertex, 1, PBS_AXIS_ALL));
    }
    assert_ok(pbs_world_step(world, 1e4));
    const double sunk = -pbs_body_positions(world, body)[2];
    pbs_world_destroy(world);
    mesh_free(&mesh);
    return sunk / expected;
}

/// A strip of equilateral triangles of edge 1, rows along x, columns -1 to `columns`, of which the
/// first two are held, so that it is clamped near x = 0.
static void make_strip(struct mesh *mesh, size_t columns, size_t rows) {
    const size_t side = columns + 2;
    mesh_allocate(mesh, side * (rows + 1), 2 * (side - 1) * rows);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const size_t row = i / side;
        mesh->positions[3 * i] = (double)(i % side) - 1.0 + 0.5 * (double)(row % 2);
        mesh->positions[3 * i + 1] = 0.5 * sqrt(3.0) * (double)row;
    }
    for (size_t cell = 0; cell < (side - 1) * rows; cell++) {
        const size_t i = cell / (side - 1) * side + cell % (side - 1);
        if (cell / (side - 1) % 2 == 0) {
            add_triangle(mesh, i, i + 1, i + side);
            add_triangle(mesh, i + 1, i + side + 1, i + side);
        } else {
            add_triangle(mesh, i, i + 1, i + side + 1);
            add_triangle(mesh, i, i + side + 1, i + side);
        }
    }
}

/// The tip sinks by q L^4 / (8 D) times what the Poisson ratio of bending makes of a narrow strip,
/// whose sides are free: 1 / (1 - 0.3^2) of a plate, and 9/8 of hinges of equilateral triangles, of
/// which it is -1/3. Returns the ratio to the former.
static double cantilever(size_t columns, size_t rows, int32_t bending) {
    struct mesh mesh;
    pbs_shell_desc d;
    pbs_body body;
    make_strip(&mesh, columns, rows);
    describe(&mesh, &d);
    d.thickness = 1.0;
    d.young = 1e6;
    d.bending = bending;
    const double length = (double)columns;
    const double expected = 0.1;
    const double load = 8.0 * rigidity(&d) * expected / pow(length, 4.0);
    pbs_world *world = loaded_world(&d, load, length * (double)rows);
    assert_ok(pbs_body_create_shell(world, &d, &body));
    for (size_t row = 0; row <= rows; row++) {
        const uint32_t held[2] = {(uint32_t)(row * (columns + 2)),
                                  (uint32_t)(row * (columns + 2) + 1)};
        assert_ok(pbs_body_pin(world, body, held, 2, PBS_AXIS_ALL));
    }
    assert_ok(pbs_world_step(world, 1e5));
    const size_t tip = (rows / 2 + 1) * (columns + 2) - 1;
    const double sunk = -pbs_body_positions(world, body)[3 * tip + 2];
    pbs_world_destroy(world);
    mesh_free(&mesh);
    return sunk / expected;
}

/// Across a narrow ring the angle at the rim is held to its tenth; across a wide one, the clamp
/// lies between the rings, and what is missing falls as their number grows. The values that these
/// are near to, 1.230 and 1.107, are those of another program.
static void clamped_discs_sink_as_plates(void **state) {
    (void)state;
    assert_near(clamped_disc(10, NARROW, PBS_BENDING_PLATE), 1.0, 0.05, "10 rings");
    assert_near(clamped_disc(20, NARROW, PBS_BENDING_PLATE), 1.0, 0.02, "20 rings");
    assert_near(clamped_disc(20, WIDE, PBS_BENDING_PLATE), 1.107, 0.01, "20 rings, wide");
    assert_near(clamped_disc(10, EDGES, PBS_BENDING_PLATE), 1.0, 0.03, "10 rings, by edges");
    assert_near(clamped_disc(20, EDGES, PBS_BENDING_PLATE), 1.0, 0.01, "20 rings, by edges");
}

/// The reference ratios are of another discretisation of the clamp, hence the tenth; they fall
/// towards that of an ideal plate as the rim's share falls with the number of rings, and stay some
/// percent above it as hinges are not isotropic.
static void clamped_discs_of_hinges_are_weaker(void **state) {
    (void)state;
    static const double references[] = {1.136, 1.101};
    const double coarse = clamped_disc(10, NARROW, PBS_BENDING_HINGE);
    const double fine = clamped_disc(20, NARROW, PBS_BENDING_HINGE);
    assert_near(coarse, references[0], 0.1 * references[0], "disc of 10 rings");
    assert_near(fine, references[1], 0.1 * references[1], "disc of 20 rings");
    assert_true(coarse > fine && fine > 1.05);
}

static void cantilevers_sink_as_plates(void **state) {
    (void)state;
    const double limit = 1.0 / (1.0 - 0.09);
    assert_near(cantilever(20, 4, PBS_BENDING_PLATE), limit, 0.02, "strip of 20 by 4");
    assert_near(cantilever(40, 4, PBS_BENDING_PLATE), limit, 0.01, "strip of 40 by 4");
    assert_near(cantilever(20, 4, PBS_BENDING_HINGE), 1.13, 0.03, "strip of 20 by 4, hinges");
    assert_near(cantilever(40, 4, PBS_BENDING_HINGE), 1.13, 0.03, "strip of 40 by 4, hinges");
}

// --- a drum ---

enum { RINGS = 16 };

struct mode {
    int order; ///< of the Bessel function, and of the angle
    double root;
    double frequency; ///< Hz
};

/// 10 cm at rest, 400 g/m^2, E h = 40 N/m, stretched by 1 %: f = j / (2 pi R) sqrt(N / rho_A), N =
/// 0.5604 N/m.
static const struct mode modes[] = {
    {0, 2.404826, 4.5302}, {1, 3.831706, 7.2182}, {2, 5.135622, 9.6745}, {0, 5.520078, 10.3988}};

struct drum {
    struct mesh mesh;
    double *shape; ///< by vertex: the mode, of largest value 1
    pbs_world *world;
    pbs_body body;
};

/// Without gravity; the rim held; moving in this mode at `speed`.
static struct drum new_drum(const struct mode *mode, double speed, int32_t scheme) {
    struct drum drum = {0};
    pbs_shell_desc d;
    make_disc(&drum.mesh, RINGS, 0.1 / RINGS);
    const size_t count = drum.mesh.vertex_count;
    double *stretched = calloc(count, 3 * sizeof *stretched);
    double *velocities = calloc(count, 3 * sizeof *velocities);
    drum.shape = calloc(count, sizeof *drum.shape);
    double largest = 0.0;
    for (size_t i = 0; i < ring_vertex(RINGS, 0); i++) {
        const double *x = drum.mesh.positions + 3 * i;
        drum.shape[i] = jn(mode->order, mode->root * sqrt(x[0] * x[0] + x[1] * x[1]) / 0.1) *
                        cos(mode->order * atan2(x[1], x[0]));
        largest = fmax(largest, fabs(drum.shape[i]));
    }
    for (size_t i = 0; i < count; i++) {
        drum.shape[i] /= largest;
        velocities[3 * i + 2] = speed * drum.shape[i];
        for (size_t k = 0; k < 3; k++) {
            stretched[3 * i + k] = 1.01 * drum.mesh.positions[3 * i + k];
        }
    }
    describe(&drum.mesh, &d);
    d.thickness = 4e-4;
    d.young = 1e5;
    d.initial_positions = stretched;
    d.initial_velocities = velocities;
    pbs_world_desc settings;
    scene_settings(&settings);
    settings.gravity[1] = 0.0;
    drum.world = new_world_from(&settings);
    assert_ok(pbs_body_create_shell(drum.world, &d, &drum.body));
    for (size_t i = ring_vertex(RINGS, 0); i < count; i++) {
        const uint32_t vertex = (uint32_t)i;
        assert_ok(pbs_body_pin(drum.world, drum.body, &vertex, 1, PBS_AXIS_ALL));
    }
    use_scheme(drum.world, scheme);
    free(stretched);
    free(velocities);
    return drum;
}

static void drum_free(struct drum *drum) {
    pbs_world_destroy(drum->world);
    mesh_free(&drum->mesh);
    free(drum->shape);
}

/// The height in the mode, by masses.
static double amplitude(const struct drum *drum) {
    const double *x = pbs_body_positions(drum->world, drum->body);
    const double *mass = pbs_body_masses(drum->world, drum->body);
    double sum = 0.0;
    double norm = 0.0;
    for (size_t i = 0; i < drum->mesh.vertex_count; i++) {
        sum += mass[i] * drum->shape[i] * x[3 * i + 2];
        norm += mass[i] * drum->shape[i] * drum->shape[i];
    }
    return sum / norm;
}

/// When the amplitude first comes back to zero, by linear interpolation; *largest: what it reached.
static double first_return(const struct drum *drum, double h, double *largest) {
    double before = 0.0;
    *largest = 0.0;
    for (int n = 0; n < 1000; n++) {
        assert_ok(pbs_world_step(drum->world, h));
        const double now = amplitude(drum);
        *largest = fmax(*largest, now);
        if (n > 0 && now <= 0.0) {
            return h * (n + before / (before - now));
        }
        before = now;
    }
    return INFINITY;
}

/// So slow that it stays linear: the amplitude is 1e-4 of the radius, its square beside the stretch
/// 1e-6.
static void drums_have_the_modes_of_a_membrane(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT_OF(modes); k++) {
        struct drum drum = new_drum(&modes[k], 1e-5 * 2.0 * PI * modes[k].frequency,
                                    PBS_SCHEME_TRAPEZOIDAL);
        double largest = 0.0;
        const double half = first_return(&drum, 1e-3, &largest);
        assert_near(0.5 / half, modes[k].frequency, 0.02 * modes[k].frequency, "frequency");
        assert_near(largest, 1e-5, 2e-7, "amplitude");
        drum_free(&drum);
    }
}

/// At 1 m/s the amplitude stretches the drum ten times as much as its rim does: it swings back
/// after a third of the linear half period. Reference: explicit steps of 1e-5 s.
static void hit_drums_are_stiffer(void **state) {
    (void)state;
    struct drum drum = new_drum(&modes[2], 1.0, PBS_SCHEME_TRAPEZOIDAL);
    double largest = 0.0;
    const double half = first_return(&drum, 5e-4, &largest);
    assert_near(half, 30.5e-3, 1.5e-3, "half a period");
    assert_near(largest, 10.9e-3, 0.7e-3, "amplitude");
    drum_free(&drum);
}

/// What is left after 0.25 s, seven steps a period, of the energy above that of the stretched drum
/// at rest. Wherever the search found an alpha within its range, all of it must be there.
static double energy_left(int32_t scheme) {
    struct drum drum = new_drum(&modes[2], 1.0, scheme);
    const pbs_energy start = energy_of(drum.world);
    double left = 0.0;
    int found = 0;
    for (int n = 0; n < 30; n++) {
        assert_ok(pbs_world_step(drum.world, 1.0 / 120.0));
        const pbs_energy now = energy_of(drum.world);
        const double alpha = stats_of(drum.world).energy_control.alpha_high;
        left = (now.kinetic + now.elastic - start.elastic) / start.kinetic;
        if (scheme == PBS_SCHEME_A_SEARCH && alpha > 0.0 && alpha < 1.1) {
            assert_near(left, 1.0, 1e-4, "energy on its target");
            found++;
        }
    }
    assert_true(found > 3 || scheme != PBS_SCHEME_A_SEARCH);
    drum_free(&drum);
    return left;
}

static void energy_control_keeps_drums_swinging(void **state) {
    (void)state;
    assert_true(energy_left(PBS_SCHEME_A_SEARCH) > 2.0 * energy_left(PBS_SCHEME_BDF2));
}

// --- cloth ---

/// A square of cloth let go horizontally, held at two corners, comes to rest hanging down between
/// them, left as right and hardly stretched.
static void cloth_comes_to_rest(void **state) {
    (void)state;
    enum { CELLS = 16, SIDE = CELLS + 1 };
    const double corner[3] = {0.0, 0.0, 0.0};
    const uint32_t held[2] = {0, CELLS};
    pbs_world *world = new_world();
    pbs_shell_desc d;
    assert_ok(pbs_shell_desc_init(&d, sizeof d));
    d.density = 300.0;
    d.young = 1e6;
    d.drag = 2.0;
    const pbs_body body = add_sheet(world, CELLS, 1.0, corner, &d);
    assert_ok(pbs_body_pin(world, body, held, 2, PBS_AXIS_ALL));
    for (int n = 0; n < 300; n++) {
        assert_ok(pbs_world_step(world, 1.0 / 30.0));
    }
    const double *x = pbs_body_positions(world, body);
    double lowest = 0.0;
    double difference = 0.0;
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        const double *left = x + 3 * i;
        const double *right = x + 3 * (i / SIDE * SIDE + CELLS - i % SIDE);
        lowest = fmin(lowest, left[1]);
        difference = fmax(difference, fabs(left[0] + right[0] - 1.0));
        difference = fmax(difference, fabs(left[1] - right[1]));
        difference = fmax(difference, fabs(left[2] - right[2]));
    }
    assert_small(difference, 1e-6, "left beside right");
    assert_small(energy_of(world).kinetic, 1e-9, "kinetic energy");
    assert_true(lowest < -0.98 && lowest > -1.02);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clamped_discs_sink_as_plates),
        cmocka_unit_test(clamped_discs_of_hinges_are_weaker),
        cmocka_unit_test(cantilevers_sink_as_plates),
        cmocka_unit_test(drums_have_the_modes_of_a_membrane),
        cmocka_unit_test(hit_drums_are_stiffer),
        cmocka_unit_test(energy_control_keeps_drums_swinging),
        cmocka_unit_test(cloth_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
