// Particles of bonded bodies in contact as spheres: what they touch, at which distance, and how
// bonds and their breaking change that (docs/theory/bonds.md section 6).
// SPDX-License-Identifier: MIT
#include "support/scenes/bonded_bodies.h"

#include "base/matrix3/math3.h"
#include "world/refusal.h"

static const double NONE[3] = {0.0, 0.0, 0.0};

static pbs_world *contact_world(int32_t scheme, double distance, uint32_t threads) {
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.contact_distance = distance;
    settings.relative_tolerance = 1e-10;
    settings.velocity_tolerance = 0.0;
    settings.threads = (int32_t)threads;
    pbs_world *world = new_world_from(&settings);
    use_scheme_of(world, scheme);
    return world;
}

static size_t contacts_of(const pbs_world *world, pbs_contact *rows, size_t room) {
    size_t count = room;
    assert_ok(pbs_world_contacts(world, rows, sizeof *rows, &count));
    return count;
}

/// Free spheres in a row along x, so far apart from centre to centre.
static void row_of_spheres(struct bonded_parts *p, size_t count, double spacing, double radius) {
    *p = (struct bonded_parts){0};
    assert_ok(pbs_bonded_desc_init(&p->d, sizeof p->d));
    for (size_t i = 0; i < count; i++) {
        p->positions[3 * i] = spacing * (double)i;
        p->radii[i] = radius;
    }
    bonded_point(p);
    p->d.particle_count = count;
}

static double distance_of(const pbs_world *world, pbs_body body, size_t a, size_t b) {
    const double *x = pbs_body_positions(world, body);
    double way[3];
    subtract3(x + 3 * b, x + 3 * a, way);
    return norm3(way);
}

// --- spheres ---

/// Of different radii, one into the other: they keep their radii apart, and the contact lies on
/// both surfaces.
static void spheres_meet_at_their_surfaces(void **state) {
    (void)state;
    static struct bonded_parts p;
    pbs_body body;
    pbs_world *world = contact_world(PBS_SCHEME_IMPLICIT_EULER, 0.01, 1);
    row_of_spheres(&p, 2, 0.4, 0.05);
    p.radii[1] = 0.2;
    p.velocities[0] = 1.0;
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    size_t touched = 0;
    for (int n = 0; n < 40; n++) {
        pbs_contact contact;
        assert_ok(pbs_world_step(world, 0.01));
        const double distance = distance_of(world, body, 0, 1);
        assert_true(distance > 0.25);
        const size_t count = contacts_of(world, &contact, 1);
        touched += count;
        if (count == 1) {
            assert_near(contact.gap, distance - 0.25, 1e-14, "gap");
            const double *x = pbs_body_positions(world, body);
            const uint32_t first = contact.first.vertices[0];
            assert_near(contact.first.point[0] - x[3 * (size_t)first], first == 0 ? 0.05 : -0.2,
                        1e-14, "on the first surface");
            assert_near(contact.second.point[0] - x[3 * (size_t)(1 - first)],
                        first == 0 ? -0.2 : 0.05, 1e-14, "on the second surface");
        }
    }
    assert_true(touched > 0);
    const double *v = pbs_body_velocities(world, body);
    const double *m = pbs_body_masses(world, body);
    assert_near(m[0] * v[0] + m[1] * v[3], m[0], 1e-12 * m[0], "momentum");
    pbs_world_destroy(world);
}

enum touched { GROUND, BOX, AFFINE, SOLID, BALL, TOUCHED };

static void add_touched(pbs_world *world, enum touched kind) {
    static const double size[3] = {0.5, 0.5, 0.5};
    static const double below[3] = {-0.5, -1.0, -0.5};
    pbs_body body;
    if (kind == GROUND) {
        add_ground(world);
    } else if (kind == SOLID) {
        body = add_cube(world, 2, 1.0, below, NULL);
        assert_ok(pbs_body_pin_all(world, body));
    } else if (kind == AFFINE) {
        double corners[24];
        static const uint32_t triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6,
                                               0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7,
                                               0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
        pbs_affine_desc d;
        for (int i = 0; i < 24; i++) {
            corners[i] = below[i % 3] + ((i / 3 >> i % 3 & 1) != 0 ? 1.0 : 0.0);
        }
        assert_ok(pbs_affine_desc_init(&d, sizeof d));
        d.vertex_count = 8;
        d.positions = corners;
        d.triangle_count = 12;
        d.triangles = triangles;
        assert_ok(pbs_body_create_affine(world, &d, &body));
        assert_ok(pbs_body_pin_all(world, body));
    } else {
        pbs_collider_desc d;
        pbs_collider collider;
        assert_ok(pbs_collider_desc_init(&d, sizeof d));
        d.shape = kind == BOX ? PBS_SHAPE_BOX : PBS_SHAPE_SPHERE;
        memcpy(d.size, size, sizeof size);
        d.position[1] = -0.5;
        assert_ok(pbs_collider_create(world, &d, &collider));
    }
}

/// On whatever it falls, a sphere comes to rest its radius above it, within the contact distance.
static void spheres_rest_on_everything(void **state) {
    (void)state;
    for (int kind = 0; kind < TOUCHED; kind++) {
        static struct bonded_parts p;
        pbs_body body;
        const double down[3] = {0.0, -9.81, 0.0};
        pbs_world *world = contact_world(PBS_SCHEME_IMPLICIT_EULER, 0.002, 1);
        assert_ok(pbs_world_set_gravity(world, down));
        add_touched(world, (enum touched)kind);
        row_of_spheres(&p, 1, 0.0, 0.05);
        p.positions[1] = 0.06;
        assert_ok(pbs_body_create_bonded(world, &p.d, &body));
        for (int n = 0; n < 60; n++) {
            assert_ok(pbs_world_step(world, 0.01));
        }
        const double height = pbs_body_positions(world, body)[1];
        assert_true(height > 0.05 && height < 0.052);
        pbs_contact contact[8];
        assert_true(contacts_of(world, contact, 8) >= 1);
        assert_near(contact[0].gap, height - 0.05, 1e-12, "gap");
        pbs_world_destroy(world);
    }
}

// --- radii ---

/// Of a particle, read from the gap to a point 7 cm above it.
static double contact_radius(const pbs_bonded_desc *d, uint32_t particle) {
    pbs_body body;
    pbs_world *world = contact_world(PBS_SCHEME_IMPLICIT_EULER, 0.01, 1);
    assert_ok(pbs_body_create_bonded(world, d, &body));
    double above[3];
    copy3(pbs_body_positions(world, body) + 3 * (size_t)particle, above);
    above[1] += 0.07;
    pbs_overlap_desc query;
    pbs_overlap row;
    size_t count = 1;
    assert_ok(pbs_overlap_desc_init(&query, sizeof query));
    query.distance = 1.0;
    query.vertex_count = 1;
    query.positions = above;
    assert_ok(pbs_world_overlaps(world, &query, &row, sizeof row, &count));
    assert_int_equal(count, 1);
    pbs_world_destroy(world);
    return 0.07 - row.gap;
}

/// A given radius, 0.45 of the way to what one bond or two away, or what the host says.
static void contact_radii_follow_their_rules(void **state) {
    (void)state;
    static struct bonded_parts p;
    static const uint32_t bonds[4] = {0, 1, 1, 2};
    static const double own[4] = {0.01, 0.0, 0.02, 0.03};
    row_of_spheres(&p, 4, 0.1, 0.06);
    // The third is near the first, by way of the second; the fourth is nobody's.
    p.positions[6] = 0.04;
    p.positions[8] = 0.03;
    p.positions[9] = 1.0;
    memcpy(p.bonds, bonds, sizeof bonds);
    p.d.bond_count = 2;
    p.d.bond_radius = 0.02;
    const double apart[3] = {0.45 * 0.05, 0.45 * sqrt(0.06 * 0.06 + 0.03 * 0.03), 0.45 * 0.05};
    for (uint32_t i = 0; i < 4; i++) {
        const double expected = i < 3 ? apart[i] : 0.06;
        assert_near(contact_radius(&p.d, i), expected, 1e-15, "automatic");
    }
    p.d.contact_scale = 0.5;
    for (uint32_t i = 0; i < 4; i++) {
        assert_near(contact_radius(&p.d, i), 0.03, 1e-15, "by the host's factor");
    }
    p.d.contact_radii = own;
    for (uint32_t i = 0; i < 4; i++) {
        assert_near(contact_radius(&p.d, i), own[i], 1e-15, "by the host");
    }
}

/// 0.9 of the distance of the centroid to the nearest face: of a corner cut from a cube of edge a
/// that is the slanted one, a / (4 sqrt 3) away.
static void tetrahedra_hold_their_spheres(void **state) {
    (void)state;
    static const double x[12] = {0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1};
    static const uint32_t tets[4] = {0, 1, 2, 3};
    pbs_bonded_desc d;
    assert_ok(pbs_bonded_desc_init(&d, sizeof d));
    d.vertex_count = 4;
    d.vertices = x;
    d.tet_count = 1;
    d.tets = tets;
    const double inner = 0.1 / (4.0 * sqrt(3.0));
    assert_near(contact_radius(&d, 0), 0.9 * inner, 1e-15, "automatic");
    d.contact_scale = 0.75;
    const double equal = 0.1 * cbrt(0.75 / 6.0 / 3.14159265358979323846);
    assert_near(contact_radius(&d, 0), 0.75 * equal, 1e-15, "over the sphere's");
}

/// Spheres inside of tetrahedra do not overlap, so a mesh of them steps at rest, with contact
/// energy of nothing.
static void meshes_are_at_rest_with_their_spheres(void **state) {
    (void)state;
    struct cubic_tets mesh;
    const size_t cells[3] = {2, 2, 3};
    assert_true(cubic_tets_make(&mesh, cells, 0.1, 0.2));
    pbs_bonded_desc d;
    pbs_body body;
    bonded_describe_tets(&mesh, &d);
    pbs_world *world = contact_world(PBS_SCHEME_IMPLICIT_EULER, 0.0, 1);
    assert_ok(pbs_body_create_bonded(world, &d, &body));
    assert_ok(pbs_world_step(world, 0.01));
    assert_near(energy_of(world).contact, 0.0, 0.0, "contact");
    assert_int_equal(contacts_of(world, NULL, 0), 0);
    pbs_world_destroy(world);
    cubic_tets_free(&mesh);
}

// --- bonds ---

/// Bonded spheres that overlap feel nothing of it; once their bond breaks they touch from where
/// they are, and nothing jumps.
static void what_is_bonded_touches_once_it_breaks(void **state) {
    (void)state;
    for (int by_host = 0; by_host < 2; by_host++) {
        static struct bonded_parts p;
        static const uint32_t bond[2] = {0, 1};
        static const double radii[2] = {0.06, 0.06};
        const uint32_t both[2] = {0, 1};
        pbs_body body;
        pbs_world *world = contact_world(PBS_SCHEME_IMPLICIT_EULER, 0.005, 1);
        row_of_spheres(&p, 2, 0.1, 0.05);
        memcpy(p.bonds, bond, sizeof bond);
        p.d.bond_count = 1;
        p.d.bond_radius = 0.02;
        p.d.contact_radii = radii;
        p.d.shear_strength = by_host != 0 ? 0.0 : 1e5;
        assert_ok(pbs_body_create_bonded(world, &p.d, &body));
        assert_ok(pbs_body_pin(world, body, both, 2, PBS_AXIS_ALL));
        assert_ok(pbs_body_pin_orientations(world, body, both, 2));
        // Pressed together and sheared, which breaks at 0.025 rad.
        for (int n = 1; n <= 4; n++) {
            const double target[3] = {0.1 - 0.002 * n, 0.0007 * n, 0.0};
            assert_int_equal(pbs_body_broken(world, body)[0], 0);
            assert_near(energy_of(world).contact, 0.0, 0.0, "no contact of what is bonded");
            assert_int_equal(contacts_of(world, NULL, 0), 0);
            assert_ok(pbs_body_set_targets(world, body, both + 1, 1, target));
            assert_ok(pbs_world_step(world, 0.001));
        }
        assert_ok(pbs_body_unpin(world, body, both, 2, PBS_AXIS_ALL));
        assert_ok(pbs_body_unpin_orientations(world, body, both, 2));
        if (by_host != 0) {
            assert_ok(pbs_body_break_bonds(world, body, both, 1));
        }
        assert_true(pbs_body_broken(world, body)[0] != 0);
        const double broke_at = distance_of(world, body, 0, 1);
        assert_near(broke_at, 0.092, 1e-4, "pressed together");
        const double against[6] = {1.0, 0.0, 0.0, -1.0, 0.0, 0.0};
        assert_ok(pbs_body_set_velocities(world, body, against, 2));
        const double before = energy_of(world).kinetic;
        for (int n = 0; n < 100; n++) {
            assert_ok(pbs_world_step(world, 0.001));
            assert_true(distance_of(world, body, 0, 1) > broke_at - 0.005);
            assert_true(energy_of(world).kinetic < before + 1e-12);
        }
        pbs_world_destroy(world);
    }
}

/// Two bonds between the same particles: they touch when both are broken.
static void both_bonds_of_a_pair_must_break(void **state) {
    (void)state;
    static struct bonded_parts p;
    static const uint32_t bonds[4] = {0, 1, 1, 0};
    static const double radii[2] = {0.048, 0.048};
    pbs_body body;
    pbs_world *world = contact_world(PBS_SCHEME_IMPLICIT_EULER, 0.01, 1);
    row_of_spheres(&p, 2, 0.1, 0.05);
    memcpy(p.bonds, bonds, sizeof bonds);
    p.d.bond_count = 2;
    p.d.bond_radius = 0.02;
    p.d.contact_radii = radii;
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    for (uint32_t i = 0; i < 2; i++) {
        assert_ok(pbs_world_step(world, 0.001));
        assert_int_equal(contacts_of(world, NULL, 0), 0);
        assert_ok(pbs_body_break_bonds(world, body, &i, 1));
    }
    // From where they are, so that they are just not within reach; then within, and so little
    // closer that what was listed before they broke would still do.
    assert_ok(pbs_world_step(world, 0.001));
    assert_near(energy_of(world).contact, 0.0, 1e-20, "nothing jumps");
    const double moved[6] = {0.0, 0.0, 0.0, 0.0985, 0.0, 0.0};
    assert_ok(pbs_body_set_positions(world, body, moved, 2));
    assert_ok(pbs_world_step(world, 1e-6));
    assert_int_equal(contacts_of(world, NULL, 0), 1);
    pbs_world_destroy(world);
}

/// Spheres that overlap and that no bond joins cannot begin: the message names both.
static void overlapping_spheres_are_named(void **state) {
    (void)state;
    static struct bonded_parts p;
    pbs_body body;
    pbs_world *world = contact_world(PBS_SCHEME_IMPLICIT_EULER, 0.001, 1);
    row_of_spheres(&p, 4, 0.11, 0.05);
    p.positions[9] = 0.3;
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    assert_status(pbs_world_step(world, 0.01), PBS_ERROR_INADMISSIBLE);
    assert_message("vertex 2");
    assert_message("vertex 3");
    const pbs_stats stats = stats_of(world);
    assert_int_equal(stats.failure.kind, PBS_FAILURE_OVERLAP);
    pbs_world_destroy(world);
}

SPOIL(scale_negative, pbs_bonded_desc *d, d->contact_scale = -1.0)
SPOIL(scale_nan, pbs_bonded_desc *d, d->contact_scale = (double)NAN)
SPOIL(scale_huge, pbs_bonded_desc *d, d->contact_scale = 1e300)

static void radius_negative(void *description) {
    static const double radii[2] = {0.1, -0.1};
    ((pbs_bonded_desc *)description)->contact_radii = radii;
}

static void radius_infinite(void *description) {
    static const double radii[2] = {0.1, (double)INFINITY};
    ((pbs_bonded_desc *)description)->contact_radii = radii;
}

static void wrong_radii_are_refused_in_words(void **state) {
    (void)state;
    static const struct refusal rows[] = {
        {scale_negative, PBS_ERROR_ARGUMENT, "contact_scale"},
        {scale_nan, PBS_ERROR_ARGUMENT, "contact_scale"},
        {scale_huge, PBS_ERROR_ARGUMENT, "contact radius of particle 0"},
        {radius_negative, PBS_ERROR_ARGUMENT, "contact radius of particle 1"},
        {radius_infinite, PBS_ERROR_ARGUMENT, "contact radius of particle 1"},
    };
    pbs_world *world = contact_world(PBS_SCHEME_IMPLICIT_EULER, 0.001, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct bonded_parts p;
        pbs_body body;
        row_of_spheres(&p, 2, 1.0, 0.1);
        rows[i].spoil(&p.d);
        assert_status(pbs_body_create_bonded(world, &p.d, &body), rows[i].status);
        assert_message(rows[i].words);
    }
    pbs_world_destroy(world);
}

// --- as part of steps ---

/// A block that a heavy ball breaks, above the ground, with friction of all kinds.
static pbs_body add_hit_block(pbs_world *world) {
    static struct bonded_parts p;
    static struct bonded_parts ball;
    const double down[3] = {0.0, -9.81, 0.0};
    pbs_body body;
    pbs_body hitting;
    bonded_block(&p, 4, 3, 3, NONE);
    for (size_t i = 0; i < p.d.particle_count; i++) {
        p.positions[3 * i + 1] += 0.16;
    }
    p.d.tensile_strength = 1e5;
    p.d.shear_strength = 1e5;
    row_of_spheres(&ball, 1, 0.0, 0.15);
    ball.positions[0] = -0.4;
    ball.positions[1] = 0.16;
    ball.velocities[0] = 12.0;
    assert_ok(pbs_world_set_gravity(world, down));
    add_ground(world);
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    assert_ok(pbs_body_create_bonded(world, &ball.d, &hitting));
    pbs_contact_desc contact;
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.friction = 0.5;
    contact.rolling_friction = 0.05;
    contact.spinning_friction = 0.02;
    assert_ok(pbs_body_set_contact(world, body, &contact));
    return body;
}

static void same_state(const pbs_world *a, const pbs_world *b) {
    for (size_t i = 0; i < pbs_world_body_count(a); i++) {
        const pbs_body first = pbs_world_body_at(a, i);
        const pbs_body second = pbs_world_body_at(b, i);
        const size_t count = pbs_body_vertex_count(a, first);
        if (pbs_body_orientations(a, first) == NULL) {
            continue;
        }
        assert_same_bits(pbs_body_positions(a, first), pbs_body_positions(b, second), 3 * count);
        assert_same_bits(pbs_body_velocities(a, first), pbs_body_velocities(b, second), 3 * count);
        assert_same_bits(pbs_body_orientations(a, first), pbs_body_orientations(b, second),
                         4 * count);
        assert_same_bits(pbs_body_angular_velocities(a, first),
                         pbs_body_angular_velocities(b, second), 3 * count);
    }
}

/// One to four threads, and a world that is saved between pieces that touch and restored.
static void pieces_touch_to_the_bit(void **state) {
    (void)state;
    pbs_world *world = contact_world(PBS_SCHEME_BDF2, 0.0, 1);
    pbs_world *others[3];
    const pbs_body body = add_hit_block(world);
    for (uint32_t i = 0; i < 2; i++) {
        others[i] = contact_world(PBS_SCHEME_BDF2, 0.0, 2 + 2 * i);
        add_hit_block(others[i]);
    }
    others[2] = contact_world(PBS_SCHEME_BDF2, 0.0, 3);
    size_t between = 0;
    for (int n = 0; n < 40; n++) {
        assert_true(pbs_world_step(world, 0.004) >= 0);
        for (size_t i = 0; i < 3; i++) {
            if (i < 2 || n > 20) {
                assert_true(pbs_world_step(others[i], 0.004) >= 0);
                same_state(world, others[i]);
            }
        }
        if (n == 20) {
            struct saved_world saved = save_world(world);
            assert_true(bonded_count_broken(world, body) > 0);
            assert_ok(pbs_world_restore(others[2], saved.data, saved.size));
            free(saved.data);
        }
        static pbs_contact rows[512];
        const size_t count = contacts_of(world, rows, 512);
        for (size_t i = 0; i < count; i++) {
            between += rows[i].first.body.id == body.id && rows[i].second.body.id == body.id;
            assert_true(rows[i].gap > 0.0);
        }
    }
    print_message("between %zu broken %zu\n", between, bonded_count_broken(world, body));
    assert_true(between > 0);
    pbs_world_destroy(world);
    for (int i = 0; i < 3; i++) {
        pbs_world_destroy(others[i]);
    }
}

/// An advance that broke bonds and then failed leaves those pairs apart: what follows is as if it
/// had not been.
static void failed_advances_release_nothing(void **state) {
    (void)state;
    enum { MANY = 1000000 };
    pbs_world *worlds[2];
    pbs_body bodies[2];
    int left[2] = {MANY, MANY};
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_BDF2));
    d.step_control.max = 0.004;
    assert_ok(pbs_integrator_create(&d, &integrator));
    for (int i = 0; i < 2; i++) {
        worlds[i] = contact_world(PBS_SCHEME_BDF2, 0.0, 1);
        assert_ok(pbs_world_set_integrator(worlds[i], integrator));
        bodies[i] = add_hit_block(worlds[i]);
        add_stopping_particle(worlds[i], &left[i]);
    }
    pbs_integrator_destroy(integrator);
    // How many calls fifteen steps take, so that the other world is stopped in the last of them.
    assert_true(pbs_world_advance(worlds[1], 0.06) >= 0);
    assert_true(bonded_count_broken(worlds[1], bodies[1]) > 0);
    left[0] = MANY - left[1] - 3;
    assert_status(pbs_world_advance(worlds[0], 0.06), PBS_ERROR_HOST);
    assert_int_equal(bonded_count_broken(worlds[0], bodies[0]), 0);
    left[0] = MANY;
    assert_true(pbs_world_advance(worlds[0], 0.06) >= 0);
    for (int i = 0; i < 2; i++) {
        assert_true(pbs_world_advance(worlds[i], 0.1) >= 0);
    }
    same_state(worlds[0], worlds[1]);
    for (int i = 0; i < 2; i++) {
        pbs_world_destroy(worlds[i]);
    }
}

// --- memory ---

static pbs_status step_once(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, 0.004);
}

/// Every refusal of a first step with spheres, bonds and friction of all kinds leaves the world as
/// it was. Pieces that have come to rest then touch without a call to the allocator.
static void memory_is_refused_and_then_enough(void **state) {
    (void)state;
    struct test_allocator allocator;
    uint64_t refused = 0;
    pbs_world_desc settings;
    test_allocator_init(&allocator);
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.allocator = test_allocator_hooks(&allocator);
    pbs_world *world = new_world_from(&settings);
    use_scheme_of(world, PBS_SCHEME_BDF2);
    const pbs_body body = add_hit_block(world);
    assert_true(refuse_until_success(&allocator, world, step_once, NULL, &refused) >= 0);
    assert_true(refused > 50);
    for (int n = 0; n < 250; n++) {
        assert_true(pbs_world_step(world, 0.004) >= 0);
    }
    assert_true(bonded_count_broken(world, body) > 0);
    const uint64_t before = allocator.allocate_count;
    size_t touched = 0;
    for (int n = 0; n < 20; n++) {
        assert_true(pbs_world_step(world, 0.004) >= 0);
        touched += stats_of(world).contact.active;
    }
    assert_true(touched > 20);
    assert_true(allocator.allocate_count == before);
    pbs_world_destroy(world);
    assert_int_equal(allocator.blocks_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_meet_at_their_surfaces),
        cmocka_unit_test(spheres_rest_on_everything),
        cmocka_unit_test(contact_radii_follow_their_rules),
        cmocka_unit_test(tetrahedra_hold_their_spheres),
        cmocka_unit_test(meshes_are_at_rest_with_their_spheres),
        cmocka_unit_test(what_is_bonded_touches_once_it_breaks),
        cmocka_unit_test(both_bonds_of_a_pair_must_break),
        cmocka_unit_test(overlapping_spheres_are_named),
        cmocka_unit_test(wrong_radii_are_refused_in_words),
        cmocka_unit_test(pieces_touch_to_the_bit),
        cmocka_unit_test(failed_advances_release_nothing),
        cmocka_unit_test(memory_is_refused_and_then_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
