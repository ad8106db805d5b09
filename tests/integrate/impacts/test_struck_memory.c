// What bodies that were struck would gain, and the past that they take, apart from any scheme.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "pbs/body.h"

#include "base/node_kind.h"
#include "support/host/refusals.h"
#include "support/schemes/struck_fixture.h"

/// Motion of all nodes along x at three states, 0.1 s apart. What BDF2 promises.
struct motion {
    double x[3][COUNT], v[3][COUNT], a[3][COUNT], promised[COUNT], promised_now[COUNT];
    struct kinematics before, now, next;
    struct struck_motion motion;
};

static const double STEP = 0.1;

static void promise(struct motion *m, size_t first, size_t last, const double speeds[3]) {
    for (size_t i = first; i < last; i++) {
        for (int k = 0; k < 3; k++) {
            m->v[k][3 * i] = speeds[k];
            m->x[k][3 * i] = STEP * k;
        }
        m->promised[3 * i] = 1.5 * speeds[2] - 0.5 * speeds[1];
        m->promised_now[3 * i] = 1.5 * speeds[1] - 0.5 * speeds[0];
    }
}

static void begin_motion(struct motion *m, const struct fixture *f, double before, double now,
                         double next) {
    *m = (struct motion){.before = {m->x[0], m->v[0], m->a[0]},
                         .now = {m->x[1], m->v[1], m->a[1]},
                         .next = {m->x[2], m->v[2], m->a[2]}};
    promise(m, 0, NODES, (const double[3]){before, now, next});
    for (size_t i = 0; i < NODES; i++) {
        // Contact is all that acts.
        m->a[1][3 * i] = f->before[3 * i] / masses[i];
        m->a[2][3 * i] = f->after[3 * i] / masses[i];
    }
    m->motion = (struct struck_motion){.next = &m->next,
                                       .now = &m->now,
                                       .before = &m->before,
                                       .promised = m->promised,
                                       .promised_now = m->promised_now,
                                       .contact_force = f->after,
                                       .contact_force_now = f->before,
                                       .since = STEP,
                                       .since_before = STEP,
                                       .length = 2.0 / 3.0 * STEP};
}

// --- who need not forget ---

static bool is_spared(struct fixture *f, const struct motion *m) {
    find(f);
    assert_true(f->struck.is_struck[0]);
    struck_memory_spare(&f->remembered, &f->struck, &f->objective, &m->motion);
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
    m.motion.before = NULL;
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
    m.motion.before = NULL;
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
    m.motion.before = NULL;
    for (size_t i = 0; i < 2; i++) {
        m.a[1][3 * i] += 2.0; // N/kg
        m.a[2][3 * i] += 6.0;
    }
    assert_false(is_spared(&f, &m)); // .1 m by 2 kg (2 + 6) / 2 N/kg: .8 J
    for (size_t i = 0; i < 2; i++) {
        m.a[2][3 * i] += 4.1; // 1.21 J
    }
    assert_true(is_spared(&f, &m));
    m.motion.contact_force_now = NULL; // 2.02 J by the last force alone
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
    begin_motion(&m, &f, 0.0, 0.0, 0.3);                 // of the first, 2 kg
    promise(&m, 2, 4, (const double[3]){0.4, 0.4, 0.2}); // the second, 8 kg
    assert_true(is_spared(&f, &m));
    joint.row_count = 0;
    assert_false(is_spared(&f, &m));
    end(&f);
}

// --- the past that they take ---

/// Two bodies of 2 and 8 kg that are joined, of which something outside pushes the second, beside
/// one that nothing strikes. What they remember of other forces is (2 kg .3 m/s + 8 kg .25 m/s) /
/// 10 kg: the second changed by .75 m/s, .5 of it by the push.
static void they_remember_all_but_the_hit(void **state) {
    (void)state;
    struct joint joint = {.node_count = 2, .node = {2, 0}, .row_count = 3};
    struct joint_set joints = {.joints = &joint, .count = 1};
    struct constraint_set constraints = {.joints = &joints};
    struct fixture f;
    struct motion m;
    begin(&f);
    f.objective.constraints = &constraints;
    for (size_t i = 2; i < 4; i++) {
        f.after[3 * i] = 4.0 * 0.5 / (2.0 / 3.0 * STEP);
    }
    begin_motion(&m, &f, 0.0, 1.0, 1.3);
    promise(&m, 2, 4, (const double[3]){0.0, -0.5, 0.25});
    find(&f);
    assert_true(f.struck.is_struck[0] && f.struck.is_struck[2] && !f.struck.is_struck[4]);
    struck_memory_replace(&f.remembered, &f.struck, &f.objective, &m.motion);
    const struct kinematics *const past = &f.remembered.past;
    const double change = 0.26, speeds[2] = {1.3, 0.25};
    for (size_t i = 0; i < 4; i++) {
        const double v = speeds[i / 2];
        assert_near(past->v[3 * i], v - change, 1e-15, "speed");
        assert_near(past->x[3 * i], 2.0 * STEP - STEP * v + 0.5 * STEP * change, 1e-15, "place");
        assert_near(past->a[3 * i], change / STEP, 1e-14, "acceleration");
    }
    assert_true(past->x[12] == m.x[1][12] && past->v[12] == m.v[1][12] &&
                past->a[12] == m.a[2][12]);
    end(&f);
}

/// Handles and rotations go on as they do, and have no part in what an island remembers.
static void only_positions_translate(void **state) {
    (void)state;
    struct fixture f;
    struct motion m;
    begin(&f);
    f.kinds[1] = NODE_HANDLE;
    f.after[0] = 0.6 / (2.0 / 3.0 * STEP);
    begin_motion(&m, &f, 0.0, 1.0, 2.0);
    m.v[1][3] = 7.0;
    find(&f);
    struck_memory_replace(&f.remembered, &f.struck, &f.objective, &m.motion);
    assert_near(f.remembered.past.v[0], 2.0 - 0.4, 1e-15, "speed of the centre");
    assert_near(f.remembered.past.v[3], 2.0, 0.0, "speed of the handle");
    end(&f);
}

/// Two-step schemes take it for the state before. Rotations are in the chart of z_n by then, whose
/// origin it is.
static void it_becomes_the_state_before(void **state) {
    (void)state;
    double x[COUNT], v[COUNT], x_now[COUNT] = {0.0}, v_now[COUNT];
    const uint32_t node = 1;
    const struct rotations rotations = {.count = 1, .node = &node};
    struct fixture f;
    begin(&f);
    for (int k = 0; k < COUNT; k++) {
        f.remembered.past.x[k] = k;
        f.remembered.past.v[k] = 0.5 * k;
        v_now[k] = 2.0;
        x[k] = v[k] = -1.0;
    }
    const struct kinematics before = {.x = x, .v = v}, now = {.x = x_now, .v = v_now};
    struck_memory_accept(&f.remembered, &f.struck, &rotations, &now, 0.25, &before);
    assert_true(x[3] == -1.0 && v[3] == -1.0);
    f.after[0] = 1.0;
    find(&f);
    struck_memory_accept(&f.remembered, &f.struck, &rotations, &now, 0.25, &before);
    for (int k = 0; k < COUNT; k++) {
        const bool turns = k / 3 == 1;
        assert_true(x[k] == (turns ? -0.5 : k < 3 ? k : -1.0));
        assert_true(v[k] == (turns ? 2.0 : k < 3 ? 0.5 * k : -1.0));
    }
    end(&f);
}

static pbs_status reserve_and_free(struct memory *memory, const void *context) {
    (void)context;
    struct struck_memory remembered = {0};
    const pbs_status status = struck_memory_reserve(&remembered, memory, NODES);
    struck_memory_free(&remembered, memory);
    return status;
}

static void memory_is_refused(void **state) {
    (void)state;
    assert_refusals_are_statuses(reserve_and_free, NULL, 20);
}

/// Axes that are prescribed have no part in it, and are where uniform motion was.
static void prescribed_axes_remember_nothing(void **state) {
    (void)state;
    struct fixture f;
    struct motion m;
    begin(&f);
    f.constrained_axes[1] = PBS_AXIS_X;
    f.after[0] = 0.6 / (2.0 / 3.0 * STEP);
    begin_motion(&m, &f, 0.0, 1.0, 2.0);
    m.v[1][3] = 7.0;
    m.v[2][1] = m.v[2][4] = 0.5; // y: both by .5
    find(&f);
    struck_memory_replace(&f.remembered, &f.struck, &f.objective, &m.motion);
    const struct kinematics *const past = &f.remembered.past;
    assert_near(past->v[0], 2.0 - 0.4, 1e-15, "speed of the one that moves");
    assert_near(past->v[3], 2.0, 0.0, "speed of the pinned one");
    assert_near(past->x[3], 2.0 * STEP - STEP * 2.0, 1e-15, "its place");
    assert_near(past->v[1], 0.0, 1e-15, "along the other axis");
    assert_near(past->v[4], 0.0, 1e-15, "along the other axis");
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_that_would_lose_go_on),
        cmocka_unit_test(what_a_hit_took_the_step_before_is_not_gained),
        cmocka_unit_test(what_was_stored_is_not_gained),
        cmocka_unit_test(islands_gain_as_one),
        cmocka_unit_test(they_remember_all_but_the_hit),
        cmocka_unit_test(only_positions_translate),
        cmocka_unit_test(it_becomes_the_state_before),
        cmocka_unit_test(prescribed_axes_remember_nothing),
        cmocka_unit_test(memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
