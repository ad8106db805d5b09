// Barriers whose stiffness is chosen part by part, what their contacts come to, and how fast parts
// are about to fly through each other.
// SPDX-License-Identifier: MIT
#include "contact/stiffness/part_loads.h"

#include <math.h>

#include "contact/barrier/contact_pair.h"
#include "contact/touching_scene.h"

static const double REACH = 1.3;

/// Stiffnesses of bodies that differ, walls and obstacles that take the bodies'.
static void make_uneven(struct memory *memory, struct touching_scene *s) {
    static const double stiffness[] = {3.0, 0.5, 7.0, 2.0};
    touching_scene_make(memory, s, PBS_SHAPE_BOX, REACH);
    s->contact.settings.barrier.stiffness = 0.0;
    for (uint32_t i = 0; i < SCENE_PARTS; i++) {
        barrier_contact_set_stiffness(&s->contact, i, i < 4 ? stiffness[i] : INFINITY, 0.0);
    }
}

static void free_scene(struct touching_scene *s) {
    barrier_contact_free(&s->contact);
}

/// With one for all parts the same bits come out as with one for all pairs, in both forms.
static void one_for_all_parts_is_one_for_all_pairs(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    for (int form = 0; form < BARRIER_FORMS; form++) {
        struct touching_scene s;
        touching_scene_make(&memory, &s, PBS_SHAPE_BOX, REACH);
        struct barrier *barrier = &s.contact.settings.barrier;
        barrier->form = (enum barrier_form)form;
        barrier->stiffness = form == BARRIER_DISTANCE ? 5.0 : 0.0;
        const double together = scene_energy(&s, s.x, false, NULL);
        barrier->stiffness = 0.0;
        for (uint32_t i = 0; i < SCENE_PARTS; i++) {
            barrier_contact_set_stiffness(&s.contact, i, 5.0, 0.0);
        }
        const double apart = scene_energy(&s, s.x, false, NULL);
        assert_true(s.contact.contact_count > 4);
        assert_true(form == BARRIER_SQUARED ? apart > 0.0 : apart == together);
        free_scene(&s);
    }
}

/// Of each pair the lesser reach counts, or that of the pair if it is close: what is found is what
/// the whole reach finds, without the pairs that are farther apart than theirs.
static void the_lesser_reach_counts(void **state) {
    (void)state;
    static const double reaches[SCENE_PARTS] = {0.3 * 1.3, 0.0, 0.7 * 1.3, 2.0 * 1.3};
    struct memory memory;
    memory_init(&memory, NULL);
    for (int close = 0; close < 2; close++) {
        struct touching_scene s;
        make_uneven(&memory, &s);
        struct collision_mesh *mesh = &s.contact.mesh;
        size_t expected = 0, all = 0;
        const double closest = 0.1 * REACH;
        scene_energy(&s, s.x, false, NULL);
        all = s.contact.contact_count;
        for (size_t i = 0; i < all; i++) {
            const struct contact_pair pair = contact_pair_of(&s.contact, &s.contact.contacts[i]);
            const uint32_t a = pair.part[0], b = pair.part[1];
            double reach = REACH;
            reach = reaches[a] > 0.0 ? fmin(reach, reaches[a]) : reach;
            reach = reaches[b] > 0.0 ? fmin(reach, reaches[b]) : reach;
            const bool is_close = close != 0 && a + b == PART_SHEET + PART_AFFINE && a * b != 0;
            expected += pair.gap < (is_close ? fmin(closest, reach) : reach);
        }
        for (uint32_t i = 0; i < SCENE_PARTS; i++) {
            mesh->parts[i].reach = reaches[i];
        }
        if (close != 0) {
            // Of several entries the least counts.
            assert_ok(collision_mesh_add_close(&memory, mesh, PART_AFFINE, PART_SHEET, REACH));
            assert_ok(collision_mesh_add_close(&memory, mesh, PART_SHEET, PART_AFFINE, closest));
        }
        barrier_contact_forget_reaches(&s.contact);
        barrier_contact_forget_pairs(&s.contact);
        assert_int_equal(mesh->close_count, close);
        scene_energy(&s, s.x, false, NULL);
        assert_int_equal(s.contact.contact_count, expected);
        assert_true(expected > 0 && expected < all);
        free_scene(&s);
    }
}

/// Of each pair the softer side counts: contacts come out in proportion to that.
static void the_softer_part_counts(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    struct touching_scene s;
    make_uneven(&memory, &s);
    scene_energy(&s, s.x, false, NULL);
    const struct barrier unit = {.stiffness = 1.0, .reach = REACH};
    size_t uneven = 0;
    for (size_t i = 0; i < s.contact.contact_count; i++) {
        const struct active_contact *contact = &s.contact.contacts[i];
        const uint32_t a = s.contact.mesh.part[contact->points[0]];
        const uint32_t b = contact->wall == CONTACT_NO_WALL
                               ? s.contact.mesh
                                     .part[contact->points[pair_first_count(contact->kind)]]
                               : PART_WALLS;
        const double k = fmin(s.contact.mesh.parts[a].stiffness, s.contact.mesh.parts[b].stiffness);
        const double gap = barrier_contact_gap(&s.contact, contact);
        const double expected = k * barrier_evaluate(&unit, gap, 0.0).value;
        assert_near(contact->barrier.value, expected, 1e-12 * expected, "energy, J");
        uneven += a != b;
    }
    assert_true(uneven > 4);
    free_scene(&s);
}

/// What is found already is found anew once a stiffness has changed.
static void a_change_is_seen(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    struct touching_scene s;
    make_uneven(&memory, &s);
    const double before = scene_energy(&s, s.x, false, NULL);
    for (uint32_t i = 0; i < 4; i++) {
        barrier_contact_set_stiffness(&s.contact, i, 2.0 * s.contact.mesh.parts[i].stiffness, 0.0);
    }
    const double after = scene_energy(&s, s.x, false, NULL);
    assert_near(after, 2.0 * before, 1e-14 * before, "energy, J");
    free_scene(&s);
}

/// The gradient is that of the energy: central differences of 1e-6 m are off by their third
/// derivatives, some 1e-12 / gap^2 of forces, and by the rounding of energies over 1e-6.
static void gradients_are_those_of_the_energy(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    struct touching_scene s;
    make_uneven(&memory, &s);
    for (int form = 0; form < BARRIER_FORMS; form++) {
        s.contact.settings.barrier.form = (enum barrier_form)form;
        double gradient[SCENE_COORDINATES] = {0.0};
        const double scale = scene_energy(&s, s.x, false, gradient) / REACH;
        for (size_t k = 0; k < SCENE_COORDINATES; k++) {
            const double at = s.x[k], d = 1e-6;
            s.x[k] = at + d;
            const double high = scene_energy(&s, s.x, false, NULL);
            s.x[k] = at - d;
            const double low = scene_energy(&s, s.x, false, NULL);
            s.x[k] = at;
            assert_near(gradient[k], (high - low) / (2.0 * d), 1e-6 * scale, "gradient, N");
        }
    }
    free_scene(&s);
}

/// The largest force and the smallest gap of each part, obstacles and walls among them.
static void loads_are_the_extremes(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    struct touching_scene s;
    make_uneven(&memory, &s);
    scene_energy(&s, s.x, false, NULL);
    struct part_load loads[SCENE_PARTS];
    part_loads_measure(&s.contact, loads);
    double most = 0.0, least = INFINITY;
    for (size_t i = 0; i < s.contact.contact_count; i++) {
        const struct active_contact *contact = &s.contact.contacts[i];
        // Of one of the pairs that it stands for, of which each has a barrier.
        const double force = -fmin(contact->factor, 1.0) * contact->barrier.first;
        const struct part_load *load = &loads[s.contact.mesh.part[contact->points[0]]];
        const double gap = barrier_contact_gap(&s.contact, contact) / REACH;
        assert_true(load->force >= force && load->gap <= gap);
        most = fmax(most, force);
        least = fmin(least, gap);
    }
    double found = 0.0, closest = INFINITY;
    for (size_t i = 0; i < SCENE_PARTS; i++) {
        found = fmax(found, loads[i].force);
        closest = fmin(closest, loads[i].gap);
    }
    assert_true(found == most && closest == least && loads[PART_WALLS].force > 0.0);
    free_scene(&s);
}

/// Fills loads with forces `factor` times what each part's contacts push with now.
static void ask_for(const struct part_load *now, double factor, struct part_load *loads) {
    for (size_t i = 0; i < SCENE_PARTS; i++) {
        assert_true(now[i].force > 0.0);
        loads[i] = (struct part_load){.force = now[i].force * factor};
    }
}

/// Returns the largest load at which no pair of a part pushes with more than `force`.
static double load_within(const struct barrier_contact *contact, uint32_t part, double force) {
    double load = INFINITY;
    for (size_t i = 0; i < contact->contact_count; i++) {
        const struct contact_pair pair = contact_pair_of(contact, &contact->contacts[i]);
        const double one = pair.stiffness * pair.reach;
        const bool pushes = pair.one_force > 0.0 && (pair.part[0] == part || pair.part[1] == part);
        load = pushes ? fmin(load, one * force / pair.one_force) : load;
    }
    return load;
}

/// Loads rise to the forces that are asked for, or until a contact that is pressed already would
/// push with the share of them: forces are proportional to stiffness. Those that would have to fall
/// stay.
static void loads_rise_until_what_is_pressed_pushes_as_much(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    struct touching_scene s;
    make_uneven(&memory, &s);
    scene_energy(&s, s.x, false, NULL);
    struct part_load now[SCENE_PARTS], loads[SCENE_PARTS];
    part_loads_measure(&s.contact, now);
    static const double shares[] = {0.03, 1e6};
    for (int i = 0; i < 2; i++) {
        ask_for(now, 1e4, loads);
        const double asked = loads[PART_SOLID].force;
        const double most = load_within(&s.contact, PART_SOLID, shares[i] * asked);
        assert_true(i == 0 ? most < asked : most > asked);
        assert_true(part_loads_raise(&s.contact, shares[i], loads));
        assert_near(loads[PART_SOLID].raised, fmin(most, asked), 1e-12 * asked, "load, N");
        assert_true(loads[PART_WALLS].raised == 0.0);
    }
    for (uint32_t i = 0; i < SCENE_PARTS; i++) {
        barrier_contact_set_stiffness(&s.contact, i, i < 4 ? 1.0 : INFINITY, 1e9);
    }
    ask_for(now, 1e3, loads);
    assert_false(part_loads_raise(&s.contact, 0.03, loads));
    assert_true(loads[PART_SOLID].raised == 0.0);
    free_scene(&s);
}

/// What acts on parts that touch each other, with others between them, limits the forces of each;
/// obstacles do not connect what stands on them.
static void forces_are_limited_by_what_acts_on_all_that_touch(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    struct touching_scene s;
    make_uneven(&memory, &s);
    scene_energy(&s, s.x, false, NULL);
    struct part_load loads[SCENE_PARTS] = {{0}};
    bool touches[SCENE_PARTS][SCENE_PARTS] = {{false}};
    for (size_t i = 0; i < s.contact.contact_count; i++) {
        const struct contact_pair pair = contact_pair_of(&s.contact, &s.contact.contacts[i]);
        const uint32_t a = pair.part[0], b = pair.part[1];
        const struct collision_part *const parts = s.contact.mesh.parts;
        touches[a][b] = touches[b][a] = !parts[a].is_obstacle && !parts[b].is_obstacle;
    }
    // Reaches over any number of parts in between.
    for (size_t k = 0; k < SCENE_PARTS; k++) {
        for (size_t i = 0; i < SCENE_PARTS; i++) {
            for (size_t j = 0; j < SCENE_PARTS; j++) {
                touches[i][j] = touches[i][j] || (touches[i][k] && touches[k][j]);
            }
        }
    }
    double expected[SCENE_PARTS];
    size_t apart = 0, together = 0;
    for (size_t i = 0; i < SCENE_PARTS; i++) {
        loads[i].force = 1e9;
        loads[i].acting = expected[i] = exp2((double)i);
    }
    for (size_t i = 0; i < SCENE_PARTS; i++) {
        for (size_t j = 0; j < SCENE_PARTS; j++) {
            expected[i] += i != j && touches[i][j] ? exp2((double)j) : 0.0;
            together += i != j && touches[i][j];
            apart += i != j && !touches[i][j];
        }
    }
    assert_true(together > 0 && apart > 0);
    loads[PART_SOLID].force = 0.25;
    part_loads_limit(&s.contact, loads);
    for (size_t i = 0; i < SCENE_PARTS; i++) {
        assert_true(loads[i].force == (i == PART_SOLID ? 0.25 : expected[i]));
    }
    free_scene(&s);
}

/// Where something else acts that is not known, all that touch may rise by 1e4 at once: by the load
/// of 3 N that the first carries, or by stiffness times reach of one that carries none.
static void unknown_forces_let_loads_grow_step_by_step(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    struct touching_scene s;
    make_uneven(&memory, &s);
    barrier_contact_set_stiffness(&s.contact, PART_SOLID, 0.5, 3.0);
    scene_energy(&s, s.x, false, NULL);
    for (int raised = 0; raised < 2; raised++) {
        struct part_load loads[SCENE_PARTS] = {{0}};
        for (size_t i = 0; i < SCENE_PARTS; i++) {
            loads[i].force = 1e9;
            loads[i].acting = INFINITY;
        }
        loads[PART_SOLID].raised = raised == 1 ? 70.0 : 0.0;
        part_loads_limit(&s.contact, loads);
        assert_near(loads[PART_SOLID].force, raised == 1 ? 7e5 : 3e4, 1e-6, "force, N");
        assert_near(loads[PART_SHEET].force, 1e4 * 0.5 * REACH, 1e-6, "force, N");
    }
    free_scene(&s);
}

/// The affine body, 0.4 m wide and a metre above the solid of 0.6 m, falls onto it.
static void flights_are_relative_to_sizes(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    struct touching_scene s;
    touching_scene_make(&memory, &s, PBS_SHAPE_BOX, 0.01);
    struct part_motion motions[SCENE_PARTS];
    double v[SCENE_COORDINATES] = {0.0};
    double *fall = v + 3 * AFFINE_FIRST;
    fall[1] = -10.0;
    // 2 m a step, beside 0.6 m: what is small is stopped by what is large in one step.
    assert_near(part_loads_relative_motion(&s.contact, NULL, s.x, v, 0.2, 0.5, motions), 2.0 / 0.6,
                1e-12, "flight");
    // Too short a way to meet; as far, but that is enough; nothing else falls behind.
    assert_true(part_loads_relative_motion(&s.contact, NULL, s.x, v, 0.03, 0.5, motions) == 0.0);
    assert_true(part_loads_relative_motion(&s.contact, NULL, s.x, v, 0.2, 3.5, motions) == 0.0);
    for (int i = 0; i < SOLID_NODES; i++) {
        v[3 * i + 1] = -10.0;
    }
    assert_true(part_loads_relative_motion(&s.contact, NULL, s.x, v, 0.2, 0.5, motions) == 0.0);
    // What may not touch does not meet.
    for (int i = 0; i < SOLID_NODES; i++) {
        v[3 * i + 1] = 0.0;
    }
    s.contact.mesh.parts[PART_AFFINE].mask = 0;
    assert_true(part_loads_relative_motion(&s.contact, NULL, s.x, v, 0.2, 0.5, motions) == 0.0);
    free_scene(&s);
}

/// Parts that are ten metres apart along x do not meet, whichever of them is listed first, however
/// fast they pass: the solid, first of all, goes by on either side of the others.
static void flights_beside_each_other_do_not_meet(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    for (int side = -1; side <= 1; side++) {
        struct touching_scene s;
        touching_scene_make(&memory, &s, PBS_SHAPE_BOX, 0.01);
        struct part_motion motions[SCENE_PARTS];
        double v[SCENE_COORDINATES] = {0.0};
        for (int i = 0; i < SOLID_NODES; i++) {
            s.x[3 * i] += 10.0 * side;
            v[3 * i + 1] = 10.0;
        }
        // 2 m a step, beside 0.6 m: where nothing is beside, it goes through the affine body.
        const double flight = part_loads_relative_motion(&s.contact, NULL, s.x, v, 0.2, 0.5,
                                                         motions);
        assert_near(flight, side == 0 ? 2.0 / 0.6 : 0.0, 1e-12, "flight");
        free_scene(&s);
    }
}

/// The affine body flies two metres through where the box stands, and no other: a motion through an
/// obstacle is the barrier's to stop, not the step's.
static void obstacles_do_not_fly(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    struct touching_scene s;
    touching_scene_make(&memory, &s, PBS_SHAPE_BOX, 0.01);
    struct part_motion motions[SCENE_PARTS];
    double v[SCENE_COORDINATES] = {0.0};
    double *const centre = s.x + 3 * AFFINE_FIRST;
    centre[1] = 0.0;
    centre[2] = 3.0;
    v[3 * AFFINE_FIRST + 2] = -10.0;
    assert_true(part_loads_relative_motion(&s.contact, NULL, s.x, v, 0.2, 0.5, motions) == 0.0);
    // The solid is a metre behind the box.
    assert_near(part_loads_relative_motion(&s.contact, NULL, s.x, v, 0.3, 0.5, motions), 3.0 / 0.6,
                1e-12, "flight");
    free_scene(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_for_all_parts_is_one_for_all_pairs),
        cmocka_unit_test(the_lesser_reach_counts),
        cmocka_unit_test(the_softer_part_counts),
        cmocka_unit_test(a_change_is_seen),
        cmocka_unit_test(gradients_are_those_of_the_energy),
        cmocka_unit_test(loads_are_the_extremes),
        cmocka_unit_test(loads_rise_until_what_is_pressed_pushes_as_much),
        cmocka_unit_test(forces_are_limited_by_what_acts_on_all_that_touch),
        cmocka_unit_test(unknown_forces_let_loads_grow_step_by_step),
        cmocka_unit_test(flights_are_relative_to_sizes),
        cmocka_unit_test(flights_beside_each_other_do_not_meet),
        cmocka_unit_test(obstacles_do_not_fly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
