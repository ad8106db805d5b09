// Who is struck, apart from any scheme.
// SPDX-License-Identifier: MIT
#include <string.h>

#include "pbs/body.h"

#include "support/host/refusals.h"
#include "support/schemes/struck_fixture.h"

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

/// Forces along axes that are prescribed say nothing.
static void prescribed_axes_are_not_struck(void **state) {
    (void)state;
    struct fixture f;
    begin(&f);
    f.after[0] = 7.0;
    f.constrained_axes[0] = PBS_AXIS_X;
    find(&f);
    assert_struck(&f, false, false, false);
    f.constrained_axes[0] = PBS_AXIS_Y | PBS_AXIS_Z;
    find(&f);
    assert_struck(&f, true, false, false);
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

/// What lies on a table that is pinned has nothing to do with what hits it elsewhere. The table's
/// contacts count as those of the other side.
static void pinned_bodies_join_nothing(void **state) {
    (void)state;
    const struct contact_table table = {.visit = visit_two};
    struct joint joint = {.node_count = 2, .node = {2, 4}, .row_count = 3};
    struct joint_set joints = {.joints = &joint, .count = 1};
    struct constraint_set constraints = {.joints = &joints};
    struct fixture f;
    begin(&f);
    contact_set_add(&f.objective.contacts, &table, NULL);
    f.objective.constraints = &constraints;
    f.after[0] = 1.0;
    f.constrained_axes[4] = PBS_AXIS_X | PBS_AXIS_Y | PBS_AXIS_Z;
    find(&f);
    assert_struck(&f, true, true, true);
    f.constrained_axes[5] = PBS_AXIS_X | PBS_AXIS_Y | PBS_AXIS_Z;
    find(&f);
    assert_struck(&f, true, false, false);
    const double *const found = struck_bodies_fractions(&f.struck, &f.objective, 0.3, 0.5);
    assert_true(contact_pair_fraction(found, 0.3, 5, 0) == 0.5);
    assert_true(contact_pair_fraction(found, 0.3, 0, 5) == 0.5);
    assert_true(contact_pair_fraction(found, 0.3, 5, CONTACT_NO_NODE) == 0.3);
    assert_true(contact_pair_fraction(found, 0.1, CONTACT_NO_NODE, 2) == 0.3);
    assert_true(contact_pair_fraction(NULL, 0.1, 0, 5) == 0.1);
    end(&f);
}

/// Bodies that touch one that is struck are added where they are not struck themselves.
static void spreading_adds_what_touches(void **state) {
    (void)state;
    const struct contact_table table = {.visit = visit_two};
    struct fixture f;
    begin(&f);
    f.after[0] = 1.0;
    find(&f);
    assert_struck(&f, true, false, false);
    contact_set_add(&f.objective.contacts, &table, NULL);
    struck_bodies_spread(&f.struck, &f.objective);
    assert_struck(&f, true, false, true);
    end(&f);
}

/// They forget in the next stage; a step begins without. Two-step schemes know who it was in the
/// next step.
static void the_struck_forget(void **state) {
    (void)state;
    struct fixture f;
    begin(&f);
    f.after[0] = 1.0;
    struck_bodies_begin_step(&f.struck);
    struck_bodies_begin_stage(&f.struck);
    assert_false(f.struck.any_forgets);
    find(&f);
    struck_bodies_begin_stage(&f.struck);
    assert_true(f.struck.any_forgets && f.struck.forgets[0] && f.struck.forgets[1]);
    assert_false(f.struck.any_struck || f.struck.forgets[2]);
    find(&f);
    struck_bodies_accept(&f.struck);
    struck_bodies_save(&f.struck);
    struck_bodies_begin_step(&f.struck);
    assert_false(f.struck.any_forgets || f.struck.any_struck);
    struck_bodies_accept(&f.struck);
    assert_false(f.struck.before[0]);
    struck_bodies_restore(&f.struck);
    assert_true(f.struck.before[0] && f.struck.before[1] && !f.struck.before[2]);
    end(&f);
}

static void each_has_its_part_of_the_impulse(void **state) {
    (void)state;
    struct fixture f;
    begin(&f);
    assert_null(struck_bodies_fractions(&f.struck, &f.objective, 0.3, 0.5));
    f.after[6] = 1.0;
    find(&f);
    const double *const found = struck_bodies_fractions(&f.struck, &f.objective, 0.3, 0.5);
    assert_true(found[1] == 0.3 && found[2] == 0.5 && found[5] == 0.3);
    end(&f);
}

static pbs_status reserve_and_free(struct memory *memory, const void *context) {
    (void)context;
    struct struck_bodies struck = {0};
    const pbs_status status = struck_bodies_reserve(&struck, memory, NODES);
    assert_true(status == PBS_OK || (struck.node_count == 0 && struck.mass == NULL));
    struck_bodies_free(&struck, memory);
    return status;
}

static void memory_is_refused(void **state) {
    (void)state;
    assert_refusals_are_statuses(reserve_and_free, NULL, 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_of_half_is_sudden),
        cmocka_unit_test(light_nodes_count_for_more),
        cmocka_unit_test(prescribed_axes_are_not_struck),
        cmocka_unit_test(joined_bodies_are_struck_together),
        cmocka_unit_test(touching_bodies_are_struck_together),
        cmocka_unit_test(pinned_bodies_join_nothing),
        cmocka_unit_test(spreading_adds_what_touches),
        cmocka_unit_test(the_struck_forget),
        cmocka_unit_test(each_has_its_part_of_the_impulse),
        cmocka_unit_test(memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
