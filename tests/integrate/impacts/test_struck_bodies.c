// Who is struck, apart from any scheme: forces on three bodies of two nodes each, whose masses
// differ.
#include "integrate/impacts/struck_bodies.h"

#include <string.h>

#include "pbs/body.h"

#include "support/host/allocator.h"
#include "support/testing.h"

enum { NODES = 6, COUNT = 3 * NODES };

static const uint32_t parts[NODES] = {0, 0, 1, 1, 2, 2};
static const double masses[NODES] = {1.0, 1.0, 4.0, 4.0, 100.0, 100.0};

struct fixture {
    struct memory memory;
    struct struck_bodies struck;
    uint8_t constrained_axes[NODES];
    struct objective objective;
    double before[COUNT], after[COUNT];
};

static void begin(struct fixture *f) {
    *f = (struct fixture){.before = {0.0}};
    memory_init(&f->memory, NULL);
    assert_ok(struck_bodies_reserve(&f->struck, &f->memory, NODES));
    f->objective = (struct objective){
        .node_parts = parts, .mass = masses, .constrained_axes = f->constrained_axes};
}

static void end(struct fixture *f) {
    struck_bodies_free(&f->struck, &f->memory);
}

static void find(struct fixture *f) {
    struck_bodies_find(&f->struck, &f->objective, f->before, f->after);
}

static void assert_struck(const struct fixture *f, bool first, bool second, bool third) {
    const bool expected[3] = {first, second, third};
    for (size_t i = 0; i < NODES; i++) {
        assert_int_equal(f->struck.is_struck[i], expected[parts[i]]);
    }
    assert_int_equal(f->struck.any_struck, first || second || third);
}

/// A force that doubles or halves is not quite sudden; one that does a little more is, and one that
/// turns.
static void a_change_of_half_is_sudden(void **state) {
    (void)state;
    static const struct {
        double before[2], after[2];
        bool is_sudden;
    } rows[] = {{{0.0, 10.0}, {0.0, 10.0}, false}, {{0.0, 10.0}, {0.0, 20.0}, false},
                {{0.0, 10.0}, {0.0, 20.1}, true},  {{0.0, 10.0}, {0.0, 4.9}, true},
                {{0.0, 10.0}, {0.0, 5.1}, false},  {{0.0, 10.0}, {10.0, 0.0}, true},
                {{0.0, 0.0}, {0.0, 1e-9}, true},   {{0.0, 1e-9}, {0.0, 0.0}, true},
                {{0.0, 0.0}, {0.0, 0.0}, false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct fixture f;
        begin(&f);
        memcpy(f.before + 6, rows[i].before, sizeof rows[i].before);
        memcpy(f.after + 6, rows[i].after, sizeof rows[i].after);
        find(&f);
        assert_struck(&f, false, rows[i].is_sudden, false);
        end(&f);
    }
}

/// What strikes a light node is more than the same force on a heavy one of the same body.
static void light_nodes_count_for_more(void **state) {
    (void)state;
    static const uint32_t one_body[NODES] = {0};
    struct fixture f;
    begin(&f);
    f.objective.node_parts = one_body;
    f.before[3 * 4] = f.after[3 * 4] = 10.0; // 1 N^2/kg
    f.after[0] = 0.5;                        // 0.25 N^2/kg of 1.25
    find(&f);
    assert_struck(&f, false, false, false);
    f.after[0] = 1.0; // 1 of 2
    find(&f);
    assert_true(f.struck.any_struck && f.struck.is_struck[5]);
    end(&f);
}

/// Forces on nodes that do not move say nothing.
static void constrained_nodes_are_not_struck(void **state) {
    (void)state;
    struct fixture f;
    begin(&f);
    f.after[0] = 7.0;
    f.constrained_axes[0] = PBS_AXIS_Y;
    find(&f);
    assert_struck(&f, false, false, false);
    end(&f);
}

/// Joined bodies are struck together; a joint that has broken joins nothing.
static void joined_bodies_are_struck_together(void **state) {
    (void)state;
    struct joint joint = {.node_count = 2, .node = {4, 0}, .row_count = 3};
    struct joint_set joints = {.joints = &joint, .count = 1};
    struct constraint_set constraints = {.joints = &joints};
    struct fixture f;
    begin(&f);
    f.objective.constraints = &constraints;
    f.after[3 * 5 + 1] = 1.0;
    find(&f);
    assert_struck(&f, true, false, true);
    joint.row_count = 0;
    find(&f);
    assert_struck(&f, false, false, true);
    end(&f);
}

/// Contacts of the first body with the third, and of the second with an obstacle.
static void visit_two(const void *self, const struct contact_motion *motion,
                      const struct contact_visitor *visitor) {
    const struct contact_power between = {.nodes = {5, 0}},
                               obstacle = {.nodes = {2, CONTACT_NO_NODE}};
    (void)self;
    (void)motion;
    visitor->visit(visitor->context, &between);
    visitor->visit(visitor->context, &obstacle);
}

/// Bodies that touch are struck together, whatever else presses the one that it hardly matters to:
/// both sides of a contact have to make the same of its force.
static void touching_bodies_are_struck_together(void **state) {
    (void)state;
    const struct contact_table table = {.visit = visit_two};
    struct fixture f;
    begin(&f);
    contact_set_add(&f.objective.contacts, &table, NULL);
    f.before[3 * 5] = 100.0;
    f.after[3 * 5] = 101.0;
    f.after[0] = -1.0;
    find(&f);
    assert_struck(&f, true, false, true);
    end(&f);
}

/// They forget in the next stage, and in those after it; in the next step again, where the scheme
/// goes back beyond its start.
static void the_struck_forget(void **state) {
    (void)state;
    double x[COUNT], v[COUNT], x_before[COUNT], v_before[COUNT];
    struct fixture f;
    begin(&f);
    for (int k = 0; k < COUNT; k++) {
        x[k] = k;
        v[k] = 0.5 * k;
        x_before[k] = v_before[k] = -1.0;
    }
    const struct kinematics now = {.x = x, .v = v}, before = {.x = x_before, .v = v_before};
    f.after[0] = 1.0;
    struck_bodies_begin_step(&f.struck, true);
    assert_false(f.struck.any_forgets);
    find(&f);
    assert_true(struck_bodies_are_new(&f.struck));
    struck_bodies_begin_stage(&f.struck);
    assert_true(f.struck.any_forgets && f.struck.forgets[0] && f.struck.forgets[1]);
    assert_false(f.struck.any_struck || f.struck.forgets[2]);
    find(&f);
    assert_false(struck_bodies_are_new(&f.struck));
    struck_bodies_accept(&f.struck, &now, 0.25, &before);
    for (int k = 0; k < COUNT; k++) {
        assert_true(x_before[k] == (k < 6 ? x[k] - 0.25 * v[k] : -1.0));
        assert_true(v_before[k] == (k < 6 ? v[k] : -1.0));
    }
    struck_bodies_save(&f.struck);
    struck_bodies_begin_step(&f.struck, true);
    assert_true(f.struck.any_forgets && f.struck.forgets[1] && !f.struck.forgets[2]);
    struck_bodies_accept(&f.struck, &now, 0.25, &before);
    struck_bodies_begin_step(&f.struck, true);
    assert_false(f.struck.any_forgets);
    struck_bodies_restore(&f.struck);
    struck_bodies_begin_step(&f.struck, false);
    assert_false(f.struck.any_forgets);
    struck_bodies_begin_step(&f.struck, true);
    assert_true(f.struck.any_forgets && f.struck.forgets[1] && !f.struck.forgets[2]);
    end(&f);
}

// --- who need not forget ---

/// Motion of all nodes along x at three states, 0.1 s apart.
struct motion {
    double x[3][COUNT], v[3][COUNT], a[3][COUNT], velocity_history[COUNT];
    struct kinematics before, now, next;
    struct struck_memory memory;
};

static void begin_motion(struct motion *m, const struct fixture *f, double before, double now,
                         double next) {
    const double speeds[3] = {before, now, next};
    *m = (struct motion){.before = {m->x[0], m->v[0], m->a[0]},
                         .now = {m->x[1], m->v[1], m->a[1]},
                         .next = {m->x[2], m->v[2], m->a[2]}};
    for (size_t i = 0; i < NODES; i++) {
        for (int k = 0; k < 3; k++) {
            m->v[k][3 * i] = speeds[k];
            m->x[k][3 * i] = 0.1 * k;
        }
        m->velocity_history[3 * i] = now + (now - before) / 3.0;
        // Contact is all that acts.
        m->a[1][3 * i] = f->before[3 * i] / masses[i];
        m->a[2][3 * i] = f->after[3 * i] / masses[i];
    }
    m->memory = (struct struck_memory){.next = &m->next,
                                       .now = &m->now,
                                       .before = &m->before,
                                       .velocity_history = m->velocity_history,
                                       .contact_force = f->after,
                                       .contact_force_now = f->before};
}

static bool is_spared(struct fixture *f, const struct motion *m) {
    find(f);
    assert_true(f->struck.is_struck[0]);
    struck_bodies_spare(&f->struck, &f->objective, &m->memory);
    assert_int_equal(f->struck.is_struck[0], f->struck.is_struck[1]);
    return !f->struck.is_struck[0];
}

/// A body that comes with 1 m/s and is turned round to w goes off with (3 w + 1) / 2, which is 1
/// for w = 1/3.
static void those_that_would_lose_go_on(void **state) {
    (void)state;
    struct fixture f;
    struct motion m;
    begin(&f);
    f.after[0] = 1.0;
    begin_motion(&m, &f, -1.0, -1.0, 0.333);
    assert_true(is_spared(&f, &m));
    assert_false(f.struck.any_struck);
    begin_motion(&m, &f, -1.0, -1.0, 0.334);
    assert_false(is_spared(&f, &m));
    assert_true(f.struck.any_struck);
    // From rest, whether or not it knows a state before.
    begin_motion(&m, &f, 0.0, 0.0, 0.1);
    assert_false(is_spared(&f, &m));
    m.memory.before = NULL;
    assert_false(is_spared(&f, &m));
    end(&f);
}

/// The state before counts too: a body that came with 1 m/s, has .1 m/s left and goes off with .8
/// m/s has lost in all, if it had no other velocity then.
static void what_a_hit_took_the_step_before_is_not_gained(void **state) {
    (void)state;
    struct fixture f;
    struct motion m;
    begin(&f);
    f.after[0] = 1.0;
    begin_motion(&m, &f, -1.0, -0.1, 0.5); // to .8, .35 was promised
    assert_true(is_spared(&f, &m));
    m.memory.before = NULL;
    assert_false(is_spared(&f, &m));
    begin_motion(&m, &f, -0.7, -0.1, 0.5);
    assert_false(is_spared(&f, &m));
    end(&f);
}

/// What springs give back is no gain: a force by which two kilograms got .5 J on the way, half of
/// what they have now.
static void what_was_stored_is_not_gained(void **state) {
    (void)state;
    struct fixture f;
    struct motion m;
    begin(&f);
    f.after[0] = 1.0;
    begin_motion(&m, &f, 0.0, 0.0, 2.0 / 3.0); // promises 1 m/s: 1 J
    m.memory.before = NULL;
    for (size_t i = 0; i < 2; i++) {
        m.a[1][3 * i] += 2.0; // N/kg
        m.a[2][3 * i] += 6.0;
    }
    assert_false(is_spared(&f, &m)); // .1 m by 2 kg (2 + 6) / 2 N/kg: .8 J
    for (size_t i = 0; i < 2; i++) {
        m.a[2][3 * i] += 4.1; // 1.21 J
    }
    assert_true(is_spared(&f, &m));
    m.memory.contact_force_now = NULL; // 2.02 J by the last force alone
    m.a[1][0] = -1e9;
    assert_true(is_spared(&f, &m));
    end(&f);
}

/// What one of two loses the other may have.
static void islands_gain_as_one(void **state) {
    (void)state;
    struct joint joint = {.node_count = 2, .node = {2, 0}, .row_count = 3};
    struct joint_set joints = {.joints = &joint, .count = 1};
    struct constraint_set constraints = {.joints = &joints};
    struct fixture f;
    struct motion m;
    begin(&f);
    f.objective.constraints = &constraints;
    f.after[0] = 1.0;
    begin_motion(&m, &f, 0.0, 0.0, 0.3); // of the first, 2 kg
    for (size_t i = 2; i < 4; i++) {     // the second, 8 kg, stops
        m.v[0][3 * i] = m.v[1][3 * i] = m.velocity_history[3 * i] = 0.4;
        m.v[2][3 * i] = 0.2;
    }
    assert_true(is_spared(&f, &m));
    joint.row_count = 0;
    assert_false(is_spared(&f, &m));
    end(&f);
}

static void each_has_its_part_of_the_impulse(void **state) {
    (void)state;
    const struct impulse_fractions fractions = {.others = 0.3, .struck = 0.5, .forgets = 0.7};
    struct fixture f;
    begin(&f);
    assert_null(struck_bodies_fractions(&f.struck, &fractions));
    f.after[0] = 1.0;
    find(&f);
    struck_bodies_begin_stage(&f.struck);
    f.after[6] = 1.0;
    find(&f);
    const double *const found = struck_bodies_fractions(&f.struck, &fractions);
    assert_true(found[1] == 0.7 && found[2] == 0.5 && found[5] == 0.3);
    end(&f);
}

static void memory_is_refused(void **state) {
    (void)state;
    struct test_allocator allocator;
    uint64_t refused = 0;
    pbs_status status = PBS_ERROR_MEMORY;
    for (; status != PBS_OK; refused++) {
        struct struck_bodies struck = {0};
        struct memory memory;
        test_allocator_init(&allocator);
        const pbs_allocator hooks = test_allocator_hooks(&allocator);
        memory_init(&memory, &hooks);
        test_allocator_fail_after(&allocator, refused);
        status = struck_bodies_reserve(&struck, &memory, NODES);
        assert_true(status == PBS_ERROR_MEMORY || refused > 0);
        assert_true(status == PBS_OK || (struck.node_count == 0 && struck.mass == NULL));
        struck_bodies_free(&struck, &memory);
        assert_true(allocator.bytes_in_use == 0 && !allocator.was_misused);
    }
    assert_true(refused > 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_of_half_is_sudden),
        cmocka_unit_test(light_nodes_count_for_more),
        cmocka_unit_test(constrained_nodes_are_not_struck),
        cmocka_unit_test(joined_bodies_are_struck_together),
        cmocka_unit_test(touching_bodies_are_struck_together),
        cmocka_unit_test(the_struck_forget),
        cmocka_unit_test(those_that_would_lose_go_on),
        cmocka_unit_test(what_a_hit_took_the_step_before_is_not_gained),
        cmocka_unit_test(what_was_stored_is_not_gained),
        cmocka_unit_test(islands_gain_as_one),
        cmocka_unit_test(each_has_its_part_of_the_impulse),
        cmocka_unit_test(memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
