// Invalid ids, in every call that takes an id: null, never issued, destroyed, of another world, of
// the other kind of object.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"
#include "world/world.h"

static pbs_world *filled_world(void) {
    pbs_world *world = new_world();
    assert_ok(scene_fill(world, 2));
    return world;
}

/// An invalid id, and the words of the message that say why.
struct bad_id {
    uint64_t id;
    const char *words;
};

enum { BAD_IDS = 5 };

// --- bodies ---

static const double numbers[12] = {0.0};
static const uint32_t vertices[1] = {0};

static pbs_status destroy(pbs_world *w, pbs_body b) {
    return pbs_body_destroy(w, b);
}

static pbs_status surface(pbs_world *w, pbs_body b) {
    const uint32_t *indices;
    size_t count;
    return pbs_body_surface(w, b, &indices, &count);
}

static pbs_status set_positions(pbs_world *w, pbs_body b) {
    return pbs_body_set_positions(w, b, numbers, 4);
}

static pbs_status set_velocities(pbs_world *w, pbs_body b) {
    return pbs_body_set_velocities(w, b, numbers, 4);
}

static pbs_status pin(pbs_world *w, pbs_body b) {
    return pbs_body_pin(w, b, vertices, 1, PBS_AXIS_ALL);
}

static pbs_status unpin(pbs_world *w, pbs_body b) {
    return pbs_body_unpin(w, b, vertices, 1, PBS_AXIS_ALL);
}

static pbs_status set_targets(pbs_world *w, pbs_body b) {
    return pbs_body_set_targets(w, b, vertices, 1, numbers);
}

static pbs_status read_f32(pbs_world *w, pbs_body b) {
    float buffer[3];
    return pbs_body_read_f32(w, b, PBS_CHANNEL_POSITION, buffer, 12, 1);
}

static pbs_status read_positions(pbs_world *w, pbs_body b) {
    double buffer[3];
    return pbs_body_read_f64(w, b, PBS_CHANNEL_POSITION, buffer, 24, 1);
}

static pbs_status channel(pbs_world *w, pbs_body b) {
    int32_t item;
    size_t width, count;
    return pbs_body_channel(w, b, PBS_CHANNEL_POSITION, &item, &width, &count);
}

static pbs_status element_stress(pbs_world *w, pbs_body b) {
    double stress[9];
    return pbs_body_element_stress(w, b, stress, 1);
}

static pbs_status (*const body_calls[])(pbs_world *, pbs_body) = {
    destroy,  surface,        set_positions, set_velocities, pin, unpin, set_targets,
    read_f32, read_positions, channel,       element_stress,
};

static void bodies_that_are_not_there(void **state) {
    (void)state;
    pbs_world *world = filled_world(), *other = filled_world();
    const pbs_body gone = pbs_world_body_at(world, 1);
    assert_ok(pbs_body_destroy(world, gone));
    const struct bad_id bad[BAD_IDS] = {
        {0, "is null"},
        {pbs_world_body_at(world, 0).id + 9, "was never created by this world"},
        {gone.id, "was destroyed"},
        {pbs_world_body_at(other, 0).id, "belongs to another world"},
        {pbs_world_collider_at(world, 0).id, "names a collider"},
    };
    const uint64_t hash = pbs_world_hash(world);
    for (size_t i = 0; i < BAD_IDS; i++) {
        const pbs_body b = {bad[i].id};
        for (size_t k = 0; k < COUNT_OF(body_calls); k++) {
            if (body_calls[k] == destroy && b.id == 0) {
                assert_ok(pbs_body_destroy(world, b));
                continue;
            }
            assert_status(body_calls[k](world, b), PBS_ERROR_HANDLE);
            assert_message(bad[i].words);
        }
        assert_false(pbs_body_is_valid(world, b));
        assert_int_equal(pbs_body_vertex_count(world, b), 0);
        assert_int_equal(pbs_body_tet_count(world, b), 0);
        assert_null(pbs_body_positions(world, b));
        assert_null(pbs_body_velocities(world, b));
        assert_null(pbs_body_masses(world, b));
    }
    assert_true(pbs_world_hash(world) == hash);
    assert_ok(pbs_world_step(world, 0.01));
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

// --- colliders ---

static pbs_status destroy_collider(pbs_world *w, pbs_collider c) {
    return pbs_collider_destroy(w, c);
}

static pbs_status set_motion(pbs_world *w, pbs_collider c) {
    static const double unit[4] = {0.0, 0.0, 0.0, 1.0};
    return pbs_collider_set_motion(w, c, numbers, unit);
}

static pbs_status pose(pbs_world *w, pbs_collider c) {
    return pbs_collider_pose(w, c, NULL, NULL);
}

static pbs_status force(pbs_world *w, pbs_collider c) {
    pbs_contact_force sum = {.struct_size = sizeof sum};
    return pbs_collider_contact_force(w, c, NULL, &sum);
}

static pbs_status (*const collider_calls[])(pbs_world *, pbs_collider) = {
    destroy_collider,
    set_motion,
    pose,
    force,
};

static void colliders_that_are_not_there(void **state) {
    (void)state;
    pbs_world *world = filled_world(), *other = filled_world();
    assert_ok(scene_fill(world, 0));
    const pbs_collider gone = pbs_world_collider_at(world, 1);
    assert_ok(pbs_collider_destroy(world, gone));
    const struct bad_id bad[BAD_IDS] = {
        {0, "is null"},
        {pbs_world_collider_at(world, 0).id + 9, "was never created by this world"},
        {gone.id, "was destroyed"},
        {pbs_world_collider_at(other, 0).id, "belongs to another world"},
        {pbs_world_body_at(world, 0).id, "names a body"},
    };
    for (size_t i = 0; i < BAD_IDS; i++) {
        const pbs_collider c = {bad[i].id};
        for (size_t k = 0; k < COUNT_OF(collider_calls); k++) {
            if (collider_calls[k] == destroy_collider && c.id == 0) {
                assert_ok(pbs_collider_destroy(world, c));
                continue;
            }
            assert_status(collider_calls[k](world, c), PBS_ERROR_HANDLE);
            assert_message(bad[i].words);
        }
        assert_false(pbs_collider_is_valid(world, c));
    }
    assert_int_equal(pbs_world_collider_count(world), 1);
    assert_ok(pbs_world_step(world, 0.01));
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

/// The words name the id, so that a host's log can be searched for it.
static void messages_hold_the_id(void **state) {
    (void)state;
    pbs_world *world = filled_world();
    const pbs_body body = pbs_world_body_at(world, 0);
    char words[64];
    snprintf(words, sizeof words, "body id %#llx", (unsigned long long)body.id);
    assert_ok(pbs_body_destroy(world, body));
    assert_status(pbs_body_destroy(world, body), PBS_ERROR_HANDLE);
    assert_message(words);
    pbs_world_destroy(world);
}

/// A slot whose generations are used up is left empty: its next object would have an old id.
static void used_up_slots_are_not_filled_again(void **state) {
    (void)state;
    pbs_world *world = filled_world();
    const pbs_body first = pbs_world_body_at(world, 0);
    struct handle_slot *const slot = &world->scene.bodies.slots[0];
    slot->generation = HANDLE_GENERATION_LAST - 1;
    const pbs_body last = pbs_world_body_at(world, 0);
    assert_true(last.id != first.id);
    assert_ok(pbs_body_destroy(world, last));
    assert_ok(scene_fill(world, 2));
    assert_null(world->scene.bodies.slots[0].object);
    for (size_t i = 0; i < pbs_world_body_count(world); i++) {
        const pbs_body body = pbs_world_body_at(world, i);
        assert_true(pbs_body_is_valid(world, body) && body.id != first.id && body.id != last.id);
    }
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_that_are_not_there),
        cmocka_unit_test(colliders_that_are_not_there),
        cmocka_unit_test(messages_hold_the_id),
        cmocka_unit_test(used_up_slots_are_not_filled_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
