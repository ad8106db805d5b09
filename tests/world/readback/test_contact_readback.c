// Read-back of contact in a step: contacts, their forces and friction, and sums by body and
// collider. Values that describe the same thing must agree: contacts and sums, sums and momentum,
// sums and vertices, both sides of a contact.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "support/world_testing.h"

static const double GRAVITY = 9.8;
static const double ROUNDING = 0x1p-52;

static pbs_world_desc barrier_settings(void) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -GRAVITY;
    fixed_barrier(&d);
    return d;
}

// --- a yard where every kind of body touches every kind of collider ---

static void set_contact(pbs_world *world, pbs_body body, double friction, double offset) {
    pbs_contact_desc contact;
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.friction = friction;
    contact.offset = offset;
    assert_ok(pbs_body_set_contact(world, body, &contact));
}

static pbs_body add_box(pbs_world *world, const double sides[3], const double position[3],
                        const double velocity[3], const double spin[3]) {
    struct box_surface box;
    box_surface_make(&box, sides);
    pbs_affine_desc d;
    box_surface_describe(&box, &d);
    copy3(position, d.position);
    copy3(velocity, d.velocity);
    copy3(spin, d.angular_velocity);
    pbs_body body;
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

static void add_collider(pbs_world *world, int32_t shape, const double size[3],
                         const double position[3]) {
    static const double vertices[12] = {-0.2, 0.0, -0.2, 0.2,  0.0, -0.2,
                                        0.2,  0.0, 0.2,  -0.2, 0.0, 0.2};
    static const uint32_t triangles[6] = {0, 2, 1, 0, 3, 2};
    pbs_collider_desc d;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.shape = shape;
    copy3(size, d.size);
    copy3(position, d.position);
    if (shape == PBS_SHAPE_MESH) {
        d.vertex_count = 4;
        d.vertices = vertices;
        d.triangle_count = 2;
        d.triangles = triangles;
    }
    pbs_collider collider;
    assert_ok(pbs_collider_create(world, &d, &collider));
}

static void set_velocity(pbs_world *world, pbs_body body, const double velocity[3]) {
    const size_t count = pbs_body_vertex_count(world, body);
    double *v = malloc(3 * count * sizeof *v);
    for (size_t k = 0; k < 3 * count; k++) {
        v[k] = velocity[k % 3];
    }
    assert_ok(pbs_body_set_velocities(world, body, v, count));
    free(v);
}

/// Bodies a few steps before they land: a cube and a box on it, over the ground; a box over a box
/// and a mesh; a sheet with an offset over a ball; a cube in a bowl.
static pbs_world *make_yard(const pbs_world_desc *d, double friction) {
    pbs_world *world = new_world_from(d);
    add_ground(world);
    add_collider(world, PBS_SHAPE_BOX, (double[3]){0.1, 0.05, 0.1}, (double[3]){0.5, 0.06, 0.0});
    add_collider(world, PBS_SHAPE_MESH, (double[3]){0.0}, (double[3]){0.75, 0.11, 0.0});
    add_collider(world, PBS_SHAPE_SPHERE, (double[3]){0.08}, (double[3]){-0.5, 0.09, 0.0});
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.material = PBS_MATERIAL_NEO_HOOKEAN;
    solid.young = 2e5;
    const pbs_body cube = add_cube(world, 2, 0.1, (double[3]){0.0, 0.004, 0.0}, &solid);
    set_velocity(world, cube, (double[3]){0.3, -0.3, 0.1});
    const pbs_body top = add_box(world, (double[3]){0.06, 0.04, 0.06},
                                 (double[3]){0.05, 0.127, 0.05}, (double[3]){0.0, -0.2, 0.0},
                                 (double[3]){0.4, 0.0, 0.3});
    const pbs_body bridge = add_box(world, (double[3]){0.3, 0.04, 0.05},
                                    (double[3]){0.65, 0.134, 0.01}, (double[3]){0.2, -0.2, 0.0},
                                    (double[3]){0.0, 0.5, 0.0});
    pbs_shell_desc shell;
    assert_ok(pbs_shell_desc_init(&shell, sizeof shell));
    shell.young = 1e5;
    shell.thickness = 2e-3;
    const pbs_body sheet = add_sheet(world, 3, 0.15, (double[3]){-0.57, 0.174, -0.07}, &shell);
    set_velocity(world, sheet, (double[3]){0.1, -0.2, 0.0});
    set_contact(world, cube, friction, 0.0);
    set_contact(world, top, friction, 0.0);
    set_contact(world, bridge, friction, 0.0);
    set_contact(world, sheet, friction, 1e-3);
    return world;
}

static pbs_contact *contacts_of(const pbs_world *world, size_t *count) {
    assert_ok(pbs_world_contacts(world, NULL, sizeof(pbs_contact), count));
    pbs_contact *contacts = malloc((*count + 1) * sizeof *contacts);
    assert_ok(pbs_world_contacts(world, contacts, sizeof *contacts, count));
    return contacts;
}

static pbs_contact_force load_of(const pbs_world *world, size_t part, const double about[3]) {
    pbs_contact_force out = {.struct_size = sizeof out};
    const size_t bodies = pbs_world_body_count(world);
    if (part < bodies) {
        assert_ok(pbs_body_contact_force(world, pbs_world_body_at(world, part), about, &out));
    } else {
        assert_ok(pbs_collider_contact_force(world, pbs_world_collider_at(world, part - bodies),
                                             about, &out));
    }
    return out;
}

static size_t part_count(const pbs_world *world) {
    return pbs_world_body_count(world) + pbs_world_collider_count(world);
}

static size_t part_of(const pbs_world *world, const pbs_contact_side *side) {
    for (size_t i = 0; i < pbs_world_body_count(world); i++) {
        if (side->body.id == pbs_world_body_at(world, i).id) {
            assert_true(side->collider.id == 0);
            return i;
        }
    }
    for (size_t i = 0; i < pbs_world_collider_count(world); i++) {
        if (side->collider.id == pbs_world_collider_at(world, i).id) {
            assert_true(side->body.id == 0);
            return pbs_world_body_count(world) + i;
        }
    }
    fail_msg("a contact of nobody");
    return 0;
}

static void add_to(const double a[3], double s, double sum[3]) {
    add_scaled3(sum, s, a, sum);
}

/// All that is said of a step's contacts agrees. Returns the sum of all lengths of forces.
/// Rounding: sums of `count` terms that large.
static double assert_consistent(const pbs_world *world, bool rubs) {
    enum { PARTS = 16 };
    size_t count = 0;
    pbs_contact *contacts = contacts_of(world, &count);
    double force[PARTS][3] = {{0.0}};
    double friction[PARTS][3] = {{0.0}};
    double whole = 0.0;
    double between_bodies = 0.0; // of friction
    double least = INFINITY;
    assert_true(part_count(world) <= PARTS);
    for (size_t i = 0; i < count; i++) {
        const pbs_contact *c = &contacts[i];
        const size_t a = part_of(world, &c->first);
        const size_t b = part_of(world, &c->second);
        add_to(c->force, 1.0, force[a]);
        add_to(c->friction, 1.0, friction[a]);
        add_to(c->force, -1.0, force[b]);
        add_to(c->friction, -1.0, friction[b]);
        whole += norm3(c->force) + norm3(c->friction);
        between_bodies += c->first.body.id != 0 && c->second.body.id != 0 ? norm3(c->friction)
                                                                          : 0.0;
        least = fmin(least, c->gap);
        assert_true(c->gap > 0.0);
        assert_near(norm3(c->normal), 1.0, 8.0 * ROUNDING, "a normal's length");
    }
    const double rounding = 16.0 * ((double)count + 16.0) * ROUNDING * whole;
    double sums[2][3] = {{0.0}};
    double torque[3] = {0.0};
    for (size_t p = 0; p < part_count(world); p++) {
        const pbs_contact_force load = load_of(world, p, (double[3]){0.0, 0.0, 0.0});
        for (int k = 0; k < 3; k++) {
            assert_near(load.force[k], force[p][k] + friction[p][k], rounding, "sum of contacts");
            assert_near(load.friction[k], friction[p][k], rounding, "sum of friction");
        }
        add_to(load.force, 1.0, sums[0]);
        add_to(load.friction, 1.0, sums[1]);
        add_to(load.torque, 1.0, torque);
    }
    assert_small(norm3(sums[0]), rounding, "sum of all forces, N");
    assert_small(norm3(sums[1]), rounding, "sum of all friction, N");
    // Nothing is farther than a metre from the origin. Friction between bodies acts at points as
    // far apart as the contact distance, and a little more where they have come apart in the step.
    assert_small(norm3(torque), rounding + (rubs ? 2.0 * 1e-3 * between_bodies : 0.0),
                 "sum of all torques, N m");
    const double gap = stats_of(world).contact.least_gap;
    assert_true(isinf(gap) || (least <= gap * (1.0 + 1e-9)));
    free(contacts);
    return whole;
}

/// Momentum of every body changes by gravity and by the impulse of its contacts, as implicit Euler
/// has it, but for what the solver left: |gradient| newtons over all nodes, of which a sum over n
/// nodes is at most sqrt(n) times that.
struct momenta {
    double of[8][3];
    double mass[8];
    double v[8][3 * 32]; // of the vertices
};

static struct momenta momenta_of(const pbs_world *world) {
    struct momenta out = {.mass = {0.0}};
    for (size_t b = 0; b < pbs_world_body_count(world); b++) {
        const pbs_body body = pbs_world_body_at(world, b);
        const double *m = pbs_body_masses(world, body);
        const double *v = pbs_body_velocities(world, body);
        const size_t count = pbs_body_vertex_count(world, body);
        double mean[3] = {0.0};
        assert_true(count <= 32);
        memcpy(out.v[b], v, 3 * count * sizeof *v);
        for (size_t i = 0; i < count; i++) {
            out.mass[b] += m[i];
            add_to(v + 3 * i, m[i], out.of[b]);
            add_to(v + 3 * i, 1.0 / (double)count, mean);
        }
        // Of a box, whose vertices' shares of the mass do not have its centre: that is their mean.
        double matrix[9];
        if (pbs_body_transform(world, body, NULL, matrix) >= 0) {
            scale3(out.mass[b], mean, out.of[b]);
        }
    }
    return out;
}

static void assert_impulses(const pbs_world *world, const struct momenta *before, double duration,
                            double allowed) {
    const struct momenta after = momenta_of(world);
    for (size_t b = 0; b < pbs_world_body_count(world); b++) {
        const pbs_contact_force load = load_of(world, b, NULL);
        for (int k = 0; k < 3; k++) {
            const double weight = k == 1 ? -after.mass[b] * GRAVITY : 0.0;
            assert_near(after.of[b][k] - before->of[b][k], load.impulse[k] + weight * duration,
                        allowed, "change of momentum, N s");
        }
    }
}

/// Of bodies whose vertices are nodes, the torque of every node's change of momentum about the
/// origin, from which nothing is farther than a metre, is the contacts' and gravity's: elasticity
/// turns nothing.
static void assert_turns(const pbs_world *world, const struct momenta *before, double h,
                         double allowed) {
    for (size_t b = 0; b < pbs_world_body_count(world); b += 3) {
        const pbs_body body = pbs_world_body_at(world, b);
        const double *m = pbs_body_masses(world, body);
        const double *x = pbs_body_positions(world, body);
        const double *v = pbs_body_velocities(world, body);
        double sum[3] = {0.0};
        for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
            double change[3];
            double turning[3];
            subtract3(v + 3 * i, before->v[b] + 3 * i, change);
            change[1] += GRAVITY * h;
            cross3(x + 3 * i, change, turning);
            add_to(turning, m[i], sum);
        }
        const pbs_contact_force load = load_of(world, b, (double[3]){0.0, 0.0, 0.0});
        assert_small(testing_max_difference(sum, load.angular_impulse, 3), allowed,
                     "change of angular momentum, N m s");
    }
}

static double allowed_impulse(const pbs_world *world, double h) {
    const pbs_stats stats = stats_of(world);
    return h * sqrt((double)stats.scene.nodes) *
               fmax(stats.newton.tolerance, stats.newton.gradient_norm) +
           1e-13;
}

/// In every step of a yard, with friction and without.
static void all_sums_agree(void **state) {
    (void)state;
    const double h = 1.0 / 100.0;
    for (int rubs = 0; rubs < 2; rubs++) {
        const pbs_world_desc d = barrier_settings();
        pbs_world *world = make_yard(&d, rubs == 1 ? 0.4 : 0.0);
        double most = 0.0;
        for (int s = 0; s < (testing_is_small() ? 8 : 25); s++) {
            const struct momenta before = momenta_of(world);
            assert_ok(pbs_world_step(world, h));
            most = fmax(most, assert_consistent(world, rubs == 1));
            assert_impulses(world, &before, h, allowed_impulse(world, h));
            assert_turns(world, &before, h, allowed_impulse(world, h));
        }
        // The bodies weigh 15 N.
        assert_true(most > 15.0);
        pbs_world_destroy(world);
    }
}

/// Means over the stages of schemes that have several, or end elsewhere than at one, or remember.
static void sums_agree_for_every_scheme(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_SDIRK2, PBS_SCHEME_BDF2, PBS_SCHEME_TRAPEZOIDAL,
                               PBS_SCHEME_A_SEARCH};
    for (size_t i = 0; i < COUNT_OF(schemes); i++) {
        const pbs_world_desc d = barrier_settings();
        pbs_world *world = make_yard(&d, 0.0);
        use_scheme(world, schemes[i]);
        double most = 0.0;
        for (int s = 0; s < (testing_is_small() ? 3 : 8); s++) {
            assert_ok(pbs_world_step(world, 1.0 / 200.0));
            most = fmax(most, assert_consistent(world, false));
        }
        assert_true(most > 1.0);
        pbs_world_destroy(world);
    }
}

/// A quaternion that turns about z.
static void turn_about_z(double angle, double orientation[4]) {
    orientation[0] = orientation[1] = 0.0;
    orientation[2] = sin(0.5 * angle);
    orientation[3] = cos(0.5 * angle);
}

/// A box of 0.45 kg on a slope whose angle is below that of friction creeps, as smoothed friction
/// has it, at a constant speed: then what carries it is m g cos, and friction m g sin. Both are
/// known to what the solver leaves, and to what its momentum still changes by.
static void a_slope_carries_by_friction(void **state) {
    (void)state;
    const double angle = 0.3;
    const double h = 1.0 / 50.0;
    const pbs_world_desc d = barrier_settings();
    pbs_world *world = new_world_from(&d);
    pbs_collider_desc slope;
    pbs_collider ground;
    assert_ok(pbs_collider_desc_init(&slope, sizeof slope));
    turn_about_z(angle, slope.orientation);
    slope.friction = 0.5;
    assert_ok(pbs_collider_create(world, &slope, &ground));
    const double up[3] = {-sin(angle), cos(angle), 0.0};
    const double down[3] = {-cos(angle), -sin(angle), 0.0};
    double position[3];
    double orientation[4];
    scale3(0.0255, up, position);
    turn_about_z(angle, orientation);
    const pbs_body box = add_box(world, (double[3]){0.1, 0.05, 0.09}, position, (double[3]){0.0},
                                 (double[3]){0.0});
    assert_ok(pbs_body_set_pose(world, box, position, orientation));
    struct momenta before = momenta_of(world);
    for (int s = 0; s < 60; s++) {
        before = momenta_of(world);
        assert_ok(pbs_world_step(world, h));
    }
    const struct momenta after = momenta_of(world);
    double changed[3];
    subtract3(after.of[0], before.of[0], changed);
    const double mass = 0.45;
    const double allowed = allowed_impulse(world, h) / h + norm3(changed) / h;
    assert_small(allowed, 1e-3 * mass * GRAVITY, "what is left of motion, N");
    const pbs_contact_force on_box = load_of(world, 0, NULL);
    const pbs_contact_force on_slope = load_of(world, 1, NULL);
    assert_near(dot3(on_box.force, up), mass * GRAVITY * cos(angle), allowed, "normal force, N");
    assert_near(dot3(on_box.friction, down), -mass * GRAVITY * sin(angle), allowed, "friction, N");
    assert_near(dot3(on_box.friction, up), 0.0, 1e-12, "friction along the normal, N");
    // The box does not turn, so what turns it is nothing: friction below its centre and a normal
    // force that is off to the side. 0.1 m is its arm at most.
    assert_near(on_box.torque[2], 0.0, 0.1 * allowed, "torque about the centre, N m");
    for (int k = 0; k < 3; k++) {
        assert_near(on_slope.force[k], -on_box.force[k], 1e-12, "the ground's side, N");
    }
    pbs_world_destroy(world);
}

/// What a restored world says of the step before the save.
static void assert_saved(const pbs_world *world) {
    struct saved_world saved = save_world(world);
    pbs_world *other = new_world();
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    free(saved.data);
    for (size_t p = 0; p < part_count(world); p++) {
        const pbs_contact_force a = load_of(world, p, (double[3]){0.0});
        const pbs_contact_force b = load_of(other, p, (double[3]){0.0});
        assert_memory_equal(&a, &b, sizeof a);
    }
    for (size_t b = 0; b < pbs_world_body_count(world); b++) {
        float forces[2][3 * 32];
        const pbs_body body = pbs_world_body_at(world, b);
        const size_t count = pbs_body_vertex_count(world, body);
        assert_ok(pbs_body_read_f32(world, body, PBS_CHANNEL_CONTACT_FORCE, forces[0], 12, 32));
        assert_ok(pbs_body_read_f32(other, body, PBS_CHANNEL_CONTACT_FORCE, forces[1], 12, 32));
        assert_memory_equal(forces[0], forces[1], 3 * count * sizeof forces[0][0]);
    }
    pbs_world_destroy(other);
}

/// Forces of vertices, of a solid and of affine bodies, which have fewer nodes than vertices, add
/// up to the body's, in single precision. Both are saved.
static void vertices_bear_the_bodys_force(void **state) {
    (void)state;
    const pbs_world_desc d = barrier_settings();
    pbs_world *world = make_yard(&d, 0.4);
    for (int s = 0; s < 8; s++) {
        assert_ok(pbs_world_step(world, 1.0 / 100.0));
    }
    for (size_t b = 0; b < pbs_world_body_count(world); b++) {
        const pbs_body body = pbs_world_body_at(world, b);
        const pbs_contact_force load = load_of(world, b, NULL);
        const size_t count = pbs_body_vertex_count(world, body);
        float *forces = malloc(3 * count * sizeof *forces);
        assert_ok(pbs_body_read_f32(world, body, PBS_CHANNEL_CONTACT_FORCE, forces, 12, count));
        double sum[3] = {0.0};
        double whole = 0.0;
        for (size_t k = 0; k < 3 * count; k++) {
            sum[k % 3] += (double)forces[k];
            whole += fabs((double)forces[k]);
        }
        assert_true(whole > 0.1);
        for (int k = 0; k < 3; k++) {
            assert_near(sum[k], load.force[k] - load.friction[k], 0x1p-24 * whole,
                        "sum over vertices, N");
        }
        free(forces);
    }
    assert_saved(world);
    pbs_world_destroy(world);
}

/// A side's point is the weighted mean of its vertices, an offset away along the normal.
static void assert_side(const pbs_world *world, const pbs_contact_side *side,
                        const double normal[3], double offset) {
    const double *x = pbs_body_positions(world, side->body);
    double point[3] = {0.0};
    double sum = 0.0;
    for (uint32_t k = 0; k < side->vertex_count; k++) {
        assert_true(side->vertices[k] < pbs_body_vertex_count(world, side->body));
        assert_true(side->weights[k] >= 0.0);
        sum += side->weights[k];
        add_to(x + 3 * (size_t)side->vertices[k], side->weights[k], point);
    }
    add_to(normal, offset, point);
    assert_true(side->vertex_count >= 1 && side->vertex_count <= 3);
    assert_near(sum, 1.0, 8.0 * ROUNDING, "weights of a side");
    assert_small(testing_max_difference(point, side->point, 3), 16.0 * ROUNDING,
                 "a side's point, m");
}

/// Places, weights and gaps of contacts at the end of every step; friction opposes nothing that is
/// normal and is never larger than the coefficient times what the pair was pressed by before.
static void contacts_are_where_they_are_said_to_be(void **state) {
    (void)state;
    const pbs_world_desc d = barrier_settings();
    pbs_world *world = make_yard(&d, 0.4);
    size_t seen[3] = {0, 0, 0};
    for (int s = 0; s < 10; s++) {
        assert_ok(pbs_world_step(world, 1.0 / 100.0));
        size_t count = 0;
        pbs_contact *contacts = contacts_of(world, &count);
        const pbs_body sheet = pbs_world_body_at(world, 3);
        for (size_t i = 0; i < count; i++) {
            const pbs_contact *c = &contacts[i];
            double between[3];
            subtract3(c->first.point, c->second.point, between);
            add_to(c->normal, -c->gap, between);
            assert_small(norm3(between), 16.0 * ROUNDING, "from one point to the other, m");
            assert_near(c->normal_force, dot3(c->force, c->normal), 0.0, "normal force, N");
            if (c->first.body.id != 0) {
                assert_side(world, &c->first, c->normal,
                            c->first.body.id == sheet.id ? -1e-3 : 0.0);
            }
            if (c->second.body.id != 0) {
                assert_side(world, &c->second, c->normal,
                            c->second.body.id == sheet.id ? 1e-3 : 0.0);
            }
            seen[0] += c->first.vertex_count == 2;
            seen[1] += c->second.vertex_count == 3 && c->second.collider.id != 0;
            seen[2] += c->second.vertex_count == 0;
        }
        free(contacts);
    }
    for (int k = 0; k < 3; k++) {
        assert_true(seen[k] > 0); // edges; triangles of a mesh; colliders without vertices
    }
    pbs_world_destroy(world);
}

/// Impulses count each step that was kept once, and none that was not: halves, doubled steps, steps
/// too long for the control. Momentum knows.
static void impulses_add_up_over_an_advance(void **state) {
    (void)state;
    for (int control = 0; control < 3; control++) {
        pbs_world_desc d = barrier_settings();
        d.divisions = control == 0 ? 4 : 0;
        d.newton_limit = control == 0 ? 10 : d.newton_limit;
        pbs_world *world = make_yard(&d, 0.4);
        pbs_integrator_desc choice;
        assert_ok(pbs_integrator_desc_init(&choice, sizeof choice, PBS_SCHEME_IMPLICIT_EULER));
        if (control == 1) {
            choice.step_control.kind = PBS_STEP_DOUBLING;
            choice.step_control.tolerance = 1e-4;
        } else if (control == 2) {
            choice.step_control.kind = PBS_STEP_SPEED_LIMIT;
            choice.step_control.tolerance = 2e-3;
        }
        choice.step_control.min = control == 0 ? choice.step_control.min : 1e-4;
        choice.step_control.max = control == 0 ? choice.step_control.max : 1e-2;
        use_integrator(world, &choice);
        uint32_t tries = 0;
        for (int s = 0; s < (testing_is_small() ? 2 : 5); s++) {
            const struct momenta before = momenta_of(world);
            const double duration = 1.0 / 50.0;
            const pbs_status status = control == 0 ? pbs_world_step(world, duration)
                                                   : pbs_world_advance(world, duration);
            assert_true(status == PBS_OK || status == PBS_DIVIDED);
            tries += control == 0 ? stats_of(world).step.divisions
                                  : stats_of(world).step_control.rejected;
            assert_impulses(world, &before, duration, allowed_impulse(world, duration));
        }
        assert_true(tries > 0 || control == 2);
        pbs_world_destroy(world);
    }
}

static void assert_same_contacts(const pbs_world *a, const pbs_world *b) {
    size_t count = 0;
    size_t other_count = 0;
    pbs_contact *contacts = contacts_of(a, &count);
    pbs_contact *others = contacts_of(b, &other_count);
    assert_int_equal(count, other_count);
    for (size_t i = 0; i < count; i++) {
        // Ids are the worlds' own.
        others[i].first.body = contacts[i].first.body;
        others[i].first.collider = contacts[i].first.collider;
        others[i].second.body = contacts[i].second.body;
        others[i].second.collider = contacts[i].second.collider;
    }
    assert_memory_equal(contacts, others, count * sizeof *contacts);
    free(contacts);
    free(others);
}

static void threads_do_not_change_a_bit(void **state) {
    (void)state;
    pbs_world_desc d = barrier_settings();
    pbs_world *one = make_yard(&d, 0.4);
    d.threads = 3;
    pbs_world *three = make_yard(&d, 0.4);
    for (int s = 0; s < 8; s++) {
        assert_ok(pbs_world_step(one, 1.0 / 100.0));
        assert_ok(pbs_world_step(three, 1.0 / 100.0));
        assert_same_contacts(one, three);
    }
    pbs_world_destroy(one);
    pbs_world_destroy(three);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sums_agree),
        cmocka_unit_test(sums_agree_for_every_scheme),
        cmocka_unit_test(a_slope_carries_by_friction),
        cmocka_unit_test(vertices_bear_the_bodys_force),
        cmocka_unit_test(contacts_are_where_they_are_said_to_be),
        cmocka_unit_test(impulses_add_up_over_an_advance),
        cmocka_unit_test(threads_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
