// Saved worlds: everything comes back, ids included; damaged bytes are refused and change nothing.
// SPDX-License-Identifier: MIT
#include "support/random.h"
#include "support/world_testing.h"
#include "world/interface/byte_stream.h"
#include "world/snapshots/snapshot.h"

/// Creates a world without bodies or gravity. Whatever is found in it later has been restored.
static pbs_world *default_world(void) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PROJECTION;
    // Limits are the host's where those of a saved world are higher.
    d.divisions = 20;
    return new_world_from(&d);
}

/// A world with one of everything: both kinds of body, per-element values, a gap among the ids,
/// pins, pending targets, every shape, a motion under way, settings other than the defaults.
static pbs_world *full_world(void) {
    pbs_world_desc d;
    pbs_expert_desc expert;
    scene_settings(&d);
    expert_settings(&expert, &d);
    d.gravity[0] = 0.3;
    expert.project_hessian = 1;
    expert.line_search = PBS_LINE_SEARCH_BACKTRACKING;
    expert.preconditioner = PBS_PRECONDITIONER_BLOCK_JACOBI;
    d.divisions = 2;
    d.relative_tolerance = 1e-7;
    pbs_world *world = new_world_from(&d);
    assert_ok(scene_fill(world, 2));
    assert_ok(scene_fill(world, 1));
    assert_ok(pbs_body_destroy(world, pbs_world_body_at(world, 0)));

    struct cube_mesh mesh;
    const double corner[3] = {0.5, 0.7, 0.5};
    assert_true(cube_mesh_make(&mesh, 2, 0.3, corner));
    double values[3][48], state[81];
    for (int i = 0; i < 48; i++) {
        values[0][i] = 900.0 + i;
        values[1][i] = 1e4 + 100.0 * i;
        values[2][i] = 0.2 + 0.001 * i;
    }
    for (int i = 0; i < 81; i++) {
        state[i] = mesh.positions[i] * 1.05;
    }
    pbs_solid_desc solid;
    cube_mesh_describe(&mesh, &solid);
    solid.tet_density = values[0];
    solid.tet_young = values[1];
    solid.tet_poisson = values[2];
    solid.initial_positions = state;
    solid.damping = 0.003;
    pbs_body body;
    assert_ok(pbs_body_create_solid(world, &solid, &body));
    cube_mesh_free(&mesh);

    for (int32_t shape = PBS_SHAPE_HALF_SPACE; shape <= PBS_SHAPE_TORUS; shape++) {
        if (shape == PBS_SHAPE_MESH) {
            continue;
        }
        pbs_collider_desc c;
        pbs_collider collider;
        assert_ok(pbs_collider_desc_init(&c, sizeof c));
        c.shape = shape;
        c.size[0] = c.size[1] = c.size[2] = 0.3;
        c.size[1] = shape == PBS_SHAPE_TORUS ? 0.1 : 0.3;
        c.position[1] = -3.0;
        c.position[0] = shape;
        c.friction = 0.1 * shape;
        assert_ok(pbs_collider_create(world, &c, &collider));
    }
    assert_ok(pbs_collider_destroy(world, pbs_world_collider_at(world, 3)));
    assert_ok(scene_step(world, 5));
    assert_ok(pbs_world_set_friction(world, 5, 3, 0.375));
    assert_ok(pbs_world_set_friction(world, 2, 2, 0.5));
    const uint32_t vertices[2] = {3, 4};
    const double targets[6] = {0.5, 0.75, 0.9, 0.5, 0.9, 0.6};
    const double position[3] = {0.0, 0.6, 0.0}, orientation[4] = {0.6, 0.0, 0.0, 0.8};
    assert_ok(pbs_body_pin(world, body, vertices, 1, PBS_AXIS_Y));
    assert_ok(pbs_body_set_targets(world, body, vertices, 2, targets));
    assert_ok(
        pbs_collider_set_motion(world, pbs_world_collider_at(world, 0), position, orientation));
    return world;
}

static void everything_comes_back(void **state) {
    (void)state;
    pbs_world *world = full_world(), *other = default_world();
    const struct saved_world bytes = save_world(world);
    assert_ok(pbs_world_restore(other, bytes.data, bytes.size));
    // What is saved of the restored world is what was restored, to the bit.
    const struct saved_world again = save_world(other);
    assert_int_equal(again.size, bytes.size);
    assert_memory_equal(again.data, bytes.data, bytes.size);

    assert_int_equal(pbs_world_body_count(other), 3);
    assert_int_equal(pbs_world_collider_count(other), 7);
    for (size_t i = 0; i < 3; i++) {
        const pbs_body body = pbs_world_body_at(world, i);
        assert_true(pbs_world_body_at(other, i).id == body.id);
        assert_true(pbs_body_is_valid(other, body));
        const size_t count = pbs_body_vertex_count(world, body);
        assert_int_equal(pbs_body_vertex_count(other, body), count);
        assert_same_bits(pbs_body_masses(other, body), pbs_body_masses(world, body), count);
    }
    pbs_stats a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
    assert_ok(pbs_world_stats(world, &a));
    assert_ok(pbs_world_stats(other, &b));
    assert_true(a.total.steps == 5 && b.total.steps == 5 &&
                a.total.newton_iterations == b.total.newton_iterations);

    assert_ok(pbs_world_register_callback(other, SPRING_TAG, spring_energy, NULL));
    for (int i = 0; i < 5; i++) {
        assert_ok(scene_step(world, 1));
        assert_ok(scene_step(other, 1));
        assert_true(pbs_world_hash(world) == pbs_world_hash(other));
    }
    pbs_energy e = {.struct_size = sizeof e}, f = {.struct_size = sizeof f};
    assert_ok(pbs_world_energy(world, &e));
    assert_ok(pbs_world_energy(other, &f));
    assert_memory_equal(&e, &f, sizeof e);

    // New objects get the same ids in both.
    assert_ok(scene_fill(world, 0));
    assert_ok(scene_fill(other, 0));
    assert_true(pbs_world_body_at(world, 3).id == pbs_world_body_at(other, 3).id);
    assert_true(pbs_world_collider_at(world, 7).id == pbs_world_collider_at(other, 7).id);
    free(bytes.data);
    free(again.data);
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

/// Between pbs_world_set_integrator and the next step, arrays of the scheme before are still there.
static void worlds_are_saved_between_schemes(void **state) {
    (void)state;
    // What is remembered: nothing, accelerations, states, targets, accelerations and targets.
    enum { SCHEMES = 5 };
    static const int32_t schemes[SCHEMES] = {PBS_SCHEME_IMPLICIT_EULER, PBS_SCHEME_TRAPEZOIDAL,
                                             PBS_SCHEME_BDF2, PBS_SCHEME_A_SEARCH,
                                             PBS_SCHEME_DECOUPLED_SDIRK2};
    pbs_integrator *integrators[SCHEMES];
    for (int i = 0; i < SCHEMES; i++) {
        pbs_integrator_desc d;
        assert_ok(pbs_integrator_desc_init(&d, sizeof d, schemes[i]));
        assert_ok(pbs_integrator_create(&d, &integrators[i]));
    }
    pbs_world *world = default_world(), *other = default_world();
    assert_ok(scene_fill(world, 0));
    for (int i = 0; i < SCHEMES * SCHEMES; i++) {
        assert_ok(pbs_world_set_integrator(world, integrators[i / SCHEMES]));
        assert_ok(pbs_world_step(world, 1e-4));
        assert_ok(pbs_world_set_integrator(world, integrators[i % SCHEMES]));
        const struct saved_world bytes = save_world(world);
        assert_ok(pbs_world_restore(other, bytes.data, bytes.size));
        free(bytes.data);
        assert_ok(pbs_world_step(world, 1e-4));
        assert_ok(pbs_world_step(other, 1e-4));
        assert_true(pbs_world_hash(world) == pbs_world_hash(other));
    }
    for (int i = 0; i < SCHEMES; i++) {
        pbs_integrator_destroy(integrators[i]);
    }
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

/// A host may keep the bytes anywhere, such as behind a header of its own.
static void bytes_may_lie_at_any_address(void **state) {
    (void)state;
    pbs_world *world = full_world(), *other = default_world();
    const struct saved_world bytes = save_world(world);
    unsigned char *room = malloc(bytes.size + 8);
    assert_non_null(room);
    for (size_t shift = 1; shift < 8; shift += 2) {
        size_t size = bytes.size;
        assert_ok(pbs_world_save(world, room + shift, &size));
        assert_memory_equal(room + shift, bytes.data, bytes.size);
        assert_ok(pbs_world_restore(other, room + shift, size));
        assert_true(pbs_world_hash(other) == pbs_world_hash(world));
    }
    free(room);
    free(bytes.data);
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

static void callbacks_must_be_registered_again(void **state) {
    (void)state;
    pbs_world *world = full_world(), *other = default_world();
    const struct saved_world bytes = save_world(world);
    assert_ok(pbs_world_restore(other, bytes.data, bytes.size));
    pbs_energy energy = {.struct_size = sizeof energy};
    assert_status(pbs_world_step(other, 0.01), PBS_ERROR_MISSING_CALLBACK);
    assert_message("tag 77");
    assert_status(pbs_world_energy(other, &energy), PBS_ERROR_MISSING_CALLBACK);
    assert_ok(pbs_world_register_callback(other, SPRING_TAG + 1, spring_energy, NULL));
    assert_status(pbs_world_step(other, 0.01), PBS_ERROR_MISSING_CALLBACK);
    assert_ok(pbs_world_register_callback(other, SPRING_TAG, spring_energy, NULL));
    assert_ok(pbs_world_step(other, 0.01));
    free(bytes.data);
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

static void small_buffers_are_told_the_size(void **state) {
    (void)state;
    pbs_world *world = full_world();
    size_t needed = 0, size;
    assert_ok(pbs_world_save(world, NULL, &needed));
    unsigned char *buffer = malloc(needed);
    memset(buffer, 0x5a, needed);
    size = needed - 1;
    assert_status(pbs_world_save(world, buffer, &size), PBS_ERROR_CAPACITY);
    assert_int_equal(size, needed);
    assert_true(buffer[0] == 0x5a && buffer[needed - 1] == 0x5a);
    free(buffer);
    pbs_world_destroy(world);
}

/// Restores bytes that must be refused; the world must stay as it was.
static void refuse(pbs_world *world, const unsigned char *data, size_t size, const char *words) {
    const uint64_t before = pbs_world_hash(world);
    const size_t bodies = pbs_world_body_count(world);
    assert_status(pbs_world_restore(world, data, size), PBS_ERROR_FORMAT);
    assert_message(words);
    assert_true(pbs_world_hash(world) == before);
    assert_int_equal(pbs_world_body_count(world), bodies);
}

static void damaged_headers_are_refused(void **state) {
    (void)state;
    pbs_world *world = full_world();
    struct saved_world bytes = save_world(world);
    refuse(world, bytes.data, 0, "too few");
    refuse(world, bytes.data, 31, "too few");
    refuse(world, bytes.data, bytes.size - 1, "bytes were given");
    bytes.data[0] ^= 1;
    refuse(world, bytes.data, bytes.size, "begin");
    bytes.data[0] ^= 1;
    char words[64];
    (void)snprintf(words, sizeof words, "format version %u", (unsigned)(SNAPSHOT_VERSION ^ 0x40U));
    bytes.data[12] ^= 0x40;
    refuse(world, bytes.data, bytes.size, words);
    bytes.data[12] ^= 0x40;
    // As a machine of the other byte order would have written the tag.
    for (int i = 0; i < 2; i++) {
        const unsigned char swap = bytes.data[8 + i];
        bytes.data[8 + i] = bytes.data[11 - i];
        bytes.data[11 - i] = swap;
    }
    refuse(world, bytes.data, bytes.size, "byte order");
    for (int i = 0; i < 2; i++) {
        const unsigned char swap = bytes.data[8 + i];
        bytes.data[8 + i] = bytes.data[11 - i];
        bytes.data[11 - i] = swap;
    }
    bytes.data[bytes.size / 2] ^= 4;
    refuse(world, bytes.data, bytes.size, "checksum");
    bytes.data[bytes.size / 2] ^= 4;
    assert_ok(pbs_world_restore(world, bytes.data, bytes.size));
    free(bytes.data);
    pbs_world_destroy(world);
}

static void write_checksum(unsigned char *data, size_t size) {
    struct snapshot_header header;
    memcpy(&header, data, sizeof header);
    header.size = size;
    header.checksum = checksum(data + sizeof header, size - sizeof header);
    memcpy(data, &header, sizeof header);
}

/// What is longer than its contents, and a pose to come that is no rotation. And a world that was
/// restored has taken no step: its statistics are not those of the world that was there.
static void leftovers_are_refused(void **state) {
    (void)state;
    pbs_world *world = full_world();
    const struct saved_world bytes = save_world(world);
    const size_t longer = bytes.size + 8;
    unsigned char *forged = calloc(1, longer);
    memcpy(forged, bytes.data, bytes.size);
    write_checksum(forged, longer);
    refuse(world, forged, longer, "8 bytes are left over");
    const double coming[4] = {0.6, 0.0, 0.0, 0.8}, twice[4] = {1.2, 0.0, 0.0, 1.6};
    memcpy(forged, bytes.data, bytes.size);
    int found = 0;
    for (size_t at = sizeof(struct snapshot_header); at + sizeof coming <= bytes.size; at += 4) {
        if (memcmp(forged + at, coming, sizeof coming) == 0) {
            memcpy(forged + at, twice, sizeof twice);
            found++;
        }
    }
    assert_int_equal(found, 1);
    write_checksum(forged, bytes.size);
    refuse(world, forged, bytes.size, "must be a unit quaternion");
    assert_true(stats_of(world).newton.stages > 0);
    assert_ok(pbs_world_restore(world, bytes.data, bytes.size));
    assert_true(stats_of(world).newton.stages == 0 && stats_of(world).newton.iterations == 0);
    free(forged);
    free(bytes.data);
    pbs_world_destroy(world);
}

/// With the only place of `size` bytes like `set` replaced, what is saved must be refused.
static void refuse_instead(pbs_world *world, const void *set, const void *wrong, size_t size,
                           const char *words) {
    const struct saved_world bytes = save_world(world);
    int found = 0;
    for (size_t at = sizeof(struct snapshot_header); at + size <= bytes.size; at += 4) {
        if (memcmp(bytes.data + at, set, size) == 0) {
            memcpy(bytes.data + at, wrong, size);
            found++;
        }
    }
    assert_int_equal(found, 1);
    write_checksum(bytes.data, bytes.size);
    refuse(world, bytes.data, bytes.size, words);
    free(bytes.data);
}

/// A sheet that is stretched to 1.1, and is said to have a limit below that or an impossible one.
static void sheets_beyond_their_limits_are_refused(void **state) {
    (void)state;
    static const double corner[3] = {0.0, 0.0, 0.0}, set = 1.234, below = 1.05, wrong = 0.5;
    double x[27];
    pbs_shell_desc d;
    pbs_world *world = new_world();
    assert_ok(pbs_shell_desc_init(&d, sizeof d));
    d.stretch_limit = set;
    const pbs_body sheet = add_sheet(world, 2, 1.0, corner, &d);
    for (int i = 0; i < 27; i++) {
        x[i] = 1.1 * pbs_body_positions(world, sheet)[i];
    }
    assert_ok(pbs_body_set_positions(world, sheet, x, 9));
    refuse_instead(world, &set, &below, sizeof set, "triangle 0 is stretched to 1.1 times");
    refuse_instead(world, &set, &wrong, sizeof set, "stretch_limit is 0.5");
    pbs_world_destroy(world);
}

/// A pair of materials twice, of one that is none, in the wrong order, and one that is negative. As
/// saved: the smaller material, the larger one, the coefficient.
static void wrong_friction_tables_are_refused(void **state) {
    (void)state;
    pbs_world *world = full_world();
    const struct {
        uint32_t a, b;
        double friction;
    } set = {3, 5, 0.375}, wrong[] = {{2, 2, 0.375}, {3, 32, 0.375}, {5, 3, 0.375}, {3, 5, -1.0}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        refuse_instead(world, &set, &wrong[i], sizeof set, "of surface materials");
    }
    pbs_world_destroy(world);
}

/// What adaptive barriers remember: stiffness, least gap and diagonal.
static void wrong_stiffnesses_are_refused(void **state) {
    (void)state;
    pbs_world_desc d;
    pbs_expert_desc expert;
    scene_settings(&d);
    fixed_barrier(&d);
    expert_settings(&expert, &d);
    expert.adaptive_stiffness = 1;
    d.contact_stiffness = 0.7;
    pbs_world *world = new_world_from(&d);
    add_cube(world, 1, 1.0, (double[]){0.0, 1.0, 0.0}, NULL);
    assert_ok(scene_step(world, 1));
    const double set[2] = {stats_of(world).contact.stiffness, INFINITY};
    const double wrong[][2] = {
        {-1.0, INFINITY}, {NAN, INFINITY}, {INFINITY, INFINITY}, {1.0, -1.0}, {1.0, NAN}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        refuse_instead(world, set, wrong[i], sizeof set,
                       i < 3 ? "barrier.stiffness is" : "the least gap is");
    }
    const double gap_and_size[2] = {INFINITY, sqrt(3.0)};
    const double wrong_sizes[][2] = {{INFINITY, -1.0}, {INFINITY, NAN}, {INFINITY, INFINITY}};
    for (size_t i = 0; i < COUNT_OF(wrong_sizes); i++) {
        refuse_instead(world, gap_and_size, wrong_sizes[i], sizeof gap_and_size,
                       "barrier.diagonal is");
    }
    pbs_world_destroy(world);
}

/// What is remembered of linear solves: rows and blocks of the matrix come first.
static void wrong_solver_memories_are_refused(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 1, 1.0, (double[]){0.0, 1.0, 0.0}, NULL);
    assert_ok(pbs_body_pin(world, cube, (uint32_t[]){0, 1, 2}, 3, PBS_AXIS_ALL));
    assert_ok(scene_step(world, 1));
    const pbs_stats stats = stats_of(world);
    assert_true(stats.linear.solves > 0);
    const double set[2] = {(double)stats.scene.nodes, (double)stats.scene.blocks};
    const double wrong[][2] = {{NAN, set[1]}, {-1.0, set[1]}, {set[0], INFINITY}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        refuse_instead(world, set, wrong[i], sizeof set, "must be finite and not negative");
    }
    pbs_world_destroy(world);
}

/// A flag that is neither 0 nor 1 would be restored as 1 and saved as another world.
static void wrong_flags_are_refused(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 1, 1.0, (double[]){0.0, 1.0, 0.0}, NULL);
    pbs_pressure_desc pressure;
    assert_ok(pbs_pressure_desc_init(&pressure, sizeof pressure));
    pressure.kind = PBS_PRESSURE_GAS;
    pressure.pressure = 321.0;
    assert_ok(pbs_body_set_pressure(world, cube, &pressure));
    struct saved_pressure {
        uint32_t present, kind;
        double pressure;
    };
    const struct saved_pressure set = {1, 1, 321.0};
    const struct saved_pressure flag = {9, 1, 321.0}, kind = {1, 3, 321.0};
    refuse_instead(world, &set, &flag, sizeof set, "a flag is");
    refuse_instead(world, &set, &kind, sizeof set, "unknown kind 3");
    pbs_world_destroy(world);
}

/// Nor is a wind restored that no call would have set.
static void wrong_winds_are_refused(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 1, 1.0, (double[]){0.0, 1.0, 0.0}, NULL);
    pbs_wind_desc wind;
    assert_ok(pbs_wind_desc_init(&wind, sizeof wind));
    wind.velocity[0] = 321.0;
    assert_ok(pbs_body_set_wind(world, cube, &wind));
    struct saved_wind {
        uint32_t present;
        int32_t sides;
        double velocity[3], density;
    };
    const struct saved_wind set = {1, 0, {321.0, 0.0, 0.0}, 1.2};
    const struct {
        struct saved_wind wind;
        const char *words;
    } wrong[] = {{{2, 0, {321.0, 0.0, 0.0}, 1.2}, "a flag is"},
                 {{1, 3, {321.0, 0.0, 0.0}, 1.2}, "sides is 3"},
                 {{1, 0, {NAN, 0.0, 0.0}, 1.2}, "velocity is nan"},
                 {{1, 0, {321.0, 0.0, 0.0}, -1.2}, "density is -1.2"}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        refuse_instead(world, &set, &wrong[i].wind, sizeof set, wrong[i].words);
    }
    pbs_world_destroy(world);
}

/// The arm of a joint follows from its bodies.
static void wrong_arms_are_refused(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 1, 1.0, (double[]){0.0, 1.0, 0.0}, NULL);
    const pbs_point corner = {
        .struct_size = sizeof corner, .kind = PBS_POINT_VERTEX, .body = cube, .index = 0};
    pbs_joint_desc d;
    pbs_joint joint;
    assert_ok(pbs_joint_desc_init(&d, sizeof d));
    d.a.place[1] = 1.0;
    d.b = corner;
    assert_ok(pbs_joint_create(world, &d, &joint));
    // The extent of a cube is its diagonal, and the arm is followed by the angle.
    const double set[2] = {0.5 * sqrt(3.0), 0.0}, wrong[2] = {0.87, 0.0};
    refuse_instead(world, set, wrong, sizeof set, "its arm is");
    pbs_world_destroy(world);
}

/// Only surfaces of affine bodies may lie inside of their bodies.
static void insets_of_solids_are_refused(void **state) {
    (void)state;
    pbs_world *world = new_world();
    pbs_contact_desc contact;
    const pbs_body cube = add_cube(world, 1, 1.0, (double[]){0.0, 1.0, 0.0}, NULL);
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.penalty_stiffness = 3e4;
    assert_ok(pbs_body_set_contact(world, cube, &contact));
    const double set[2] = {3e4, 0.0}, wrong[2] = {3e4, 0.1};
    refuse_instead(world, set, wrong, sizeof set, "inset");
    pbs_world_destroy(world);
}

/// A world whose last body was destroyed has room for nodes and none of them, and so has one that
/// never had a body but not the room: both are saved and restored, into themselves and each other.
static void worlds_without_bodies_come_back(void **state) {
    (void)state;
    pbs_world *emptied = new_world(), *empty = new_world();
    const pbs_body cube = add_cube(emptied, 1, 1.0, (double[]){0.0, 1.0, 0.0}, NULL);
    assert_ok(scene_step(emptied, 1));
    assert_ok(pbs_body_destroy(emptied, cube));
    pbs_world *const worlds[] = {emptied, empty};
    for (int from = 0; from < 2; from++) {
        const struct saved_world bytes = save_world(worlds[from]);
        for (int to = 0; to < 2; to++) {
            assert_ok(pbs_world_restore(worlds[to], bytes.data, bytes.size));
            const struct saved_world again = save_world(worlds[to]);
            assert_int_equal(again.size, bytes.size);
            assert_memory_equal(again.data, bytes.data, bytes.size);
            free(again.data);
        }
        free(bytes.data);
        assert_ok(scene_step(worlds[from], 1));
    }
    pbs_world_destroy(emptied);
    pbs_world_destroy(empty);
}

/// Of three limits of work the world keeps its own where the bytes have more: newton_limit and
/// divisions after gravity (3 numbers) and 3 words, linear_limit after 9 numbers and 21 words.
static void assert_saves_to(const pbs_world *world, unsigned char *bytes) {
    const size_t first = sizeof(struct snapshot_header) + 3 * sizeof(double) + 3 * sizeof(uint32_t);
    const size_t linear = sizeof(struct snapshot_header) + 9 * sizeof(double) +
                          (9 + 12) * sizeof(uint32_t);
    const struct saved_world again = save_world(world);
    memcpy(bytes + first, again.data + first, 2 * sizeof(uint32_t));
    memcpy(bytes + linear, again.data + linear, sizeof(uint32_t));
    write_checksum(bytes, again.size);
    assert_memory_equal(again.data, bytes, again.size);
    free(again.data);
}

/// Bytes with a right checksum and wrong contents: cut short at every length near an interesting
/// place, and with random words replaced. Each is refused whole or gives a world that works and is
/// saved to what it was restored from.
static void forged_contents_do_no_harm(void **state) {
    (void)state;
    pbs_world *world = full_world(), *other = default_world();
    assert_ok(pbs_world_register_callback(other, SPRING_TAG, spring_energy, NULL));
    const struct saved_world bytes = save_world(world);
    unsigned char *forged = malloc(bytes.size);
    for (size_t size = sizeof(struct snapshot_header); size < bytes.size;
         size += size < 600 ? 1 : 97) {
        memcpy(forged, bytes.data, size);
        write_checksum(forged, size);
        refuse(other, forged, size, "");
    }
    struct random random = random_seed(11);
    static const uint64_t words[] = {0, 1, 7, 0xff, UINT32_MAX, UINT64_MAX, UINT64_C(1) << 40};
    int taken = 0;
    for (int trial = 0; trial < 400; trial++) {
        memcpy(forged, bytes.data, bytes.size);
        const size_t span = trial % 2 == 0 ? 1500 : bytes.size - 40;
        const size_t at = 32 + random_index(&random, span) / 4 * 4;
        const uint64_t word = trial % 3 == 0 ? random_bits(&random)
                                             : words[random_index(&random, COUNT_OF(words))];
        memcpy(forged + at, &word, at + 8 <= bytes.size ? 8 : bytes.size - at);
        write_checksum(forged, bytes.size);
        const pbs_status status = pbs_world_restore(other, forged, bytes.size);
        assert_true(status == PBS_OK || status == PBS_ERROR_FORMAT);
        taken += status == PBS_OK;
        if (status == PBS_OK) {
            assert_saves_to(other, forged);
        }
        if (status == PBS_OK && trial % 8 == 0) {
            pbs_world_step(other, 0.01);
        }
    }
    assert_true(taken > 0 && taken < 400);
    assert_ok(pbs_world_restore(other, bytes.data, bytes.size));
    assert_ok(pbs_world_step(other, 0.01));
    free(forged);
    free(bytes.data);
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_back),
        cmocka_unit_test(worlds_are_saved_between_schemes),
        cmocka_unit_test(bytes_may_lie_at_any_address),
        cmocka_unit_test(callbacks_must_be_registered_again),
        cmocka_unit_test(small_buffers_are_told_the_size),
        cmocka_unit_test(damaged_headers_are_refused),
        cmocka_unit_test(leftovers_are_refused),
        cmocka_unit_test(sheets_beyond_their_limits_are_refused),
        cmocka_unit_test(wrong_friction_tables_are_refused),
        cmocka_unit_test(wrong_stiffnesses_are_refused),
        cmocka_unit_test(wrong_solver_memories_are_refused),
        cmocka_unit_test(wrong_flags_are_refused),
        cmocka_unit_test(wrong_winds_are_refused),
        cmocka_unit_test(wrong_arms_are_refused),
        cmocka_unit_test(insets_of_solids_are_refused),
        cmocka_unit_test(worlds_without_bodies_come_back),
        cmocka_unit_test(forged_contents_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
