// Quasi-static steps: equilibrium at the end of each, whatever the body, contact and friction
// included; what no equilibrium holds; where bonds break on the way.
// SPDX-License-Identifier: MIT
#include "common/meshes/shapes.h"
#include "support/scenes/bonded_bodies.h"

static void use_statics(pbs_world *world) {
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_QUASI_STATIC));
    assert_ok(pbs_integrator_create(&d, &integrator));
    assert_ok(pbs_world_set_integrator(world, integrator));
    pbs_integrator_destroy(integrator);
}

static pbs_world *static_world(int32_t contact, const double gravity[3]) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = contact;
    memcpy(d.gravity, gravity, sizeof d.gravity);
    pbs_world *world = new_world_from(&d);
    use_statics(world);
    return world;
}

static const double weightless[3] = {0.0, 0.0, 0.0};
static const double down[3] = {0.0, -9.81, 0.0};

static void set_gravity(pbs_world *world, double y) {
    const double g[3] = {0.0, y, 0.0};
    assert_ok(pbs_world_set_gravity(world, g));
}

/// Vertices at that place along x, to be freed.
static uint32_t *vertices_at(const double *positions, size_t count, double x, size_t *found) {
    uint32_t *out = calloc(count, sizeof *out);
    assert_non_null(out);
    *found = 0;
    for (size_t v = 0; v < count; v++) {
        if (positions[3 * v] == x) {
            out[(*found)++] = (uint32_t)v;
        }
    }
    return out;
}

/// Scripts vertices to where they are, moved by `way` along an axis.
static void script_by(pbs_world *world, pbs_body body, const uint32_t *vertices, size_t count,
                      int axis, double way) {
    double *targets = calloc(3 * count, sizeof *targets);
    assert_non_null(targets);
    for (size_t i = 0; i < count; i++) {
        memcpy(targets + 3 * i, pbs_body_positions(world, body) + 3 * (size_t)vertices[i],
               3 * sizeof *targets);
        targets[3 * i + (size_t)axis] += way;
    }
    assert_ok(pbs_body_set_targets(world, body, vertices, count, targets));
    free(targets);
}

/// The sum of what holds these vertices along an axis, N.
static double held_force(const pbs_world *world, pbs_body body, const uint32_t *vertices,
                         size_t count, int axis) {
    const size_t all = pbs_body_vertex_count(world, body);
    double *forces = calloc(3 * all, sizeof *forces);
    double sum = 0.0;
    assert_non_null(forces);
    assert_ok(pbs_body_constraint_forces(world, body, forces, NULL, all));
    for (size_t i = 0; i < count; i++) {
        sum += forces[3 * (size_t)vertices[i] + (size_t)axis];
    }
    free(forces);
    return sum;
}

// --- bars and beams ---

static pbs_body add_bar(pbs_world *world, const struct tet_mesh *mesh) {
    pbs_solid_desc d;
    pbs_body body;
    assert_ok(pbs_solid_desc_init(&d, sizeof d));
    d.material = PBS_MATERIAL_FIXED_COROTATED;
    d.vertex_count = mesh->vertex_count;
    d.positions = mesh->positions;
    d.tet_count = mesh->tet_count;
    d.tets = mesh->tets;
    d.young = 1e7;
    d.poisson = 0.0;
    assert_ok(pbs_body_create_solid(world, &d, &body));
    return body;
}

/// A bar of 4 x 1 x 1 m without lateral contraction: with fixed corotated material P = E (l - 1),
/// of any stretch. Both ends hold it with that times the section, and nothing is left over for
/// others.
static void a_stretched_bar_carries_its_modulus_times_strain(void **state) {
    (void)state;
    struct tet_mesh mesh = {0};
    size_t left_count = 0, right_count = 0;
    assert_true(shape_box_grid(8, 2, 2, 4.0, 1.0, 1.0, &mesh));
    pbs_world *world = static_world(PBS_CONTACT_BARRIER, weightless);
    const pbs_body body = add_bar(world, &mesh);
    uint32_t *left = vertices_at(mesh.positions, mesh.vertex_count, 0.0, &left_count);
    uint32_t *right = vertices_at(mesh.positions, mesh.vertex_count, 4.0, &right_count);
    assert_ok(pbs_body_pin(world, body, left, left_count, PBS_AXIS_ALL));
    double work = 0.0, before = 0.0;
    for (int k = 1; k <= 5; k++) {
        const double strain = 0.02 * k, force = 1e7 * strain;
        script_by(world, body, right, right_count, 0, 0.08);
        assert_ok(pbs_world_step(world, 0.5));
        // A millionth of the forces is the tolerance.
        assert_near(held_force(world, body, right, right_count, 0) / force, 1.0, 2e-6, "pulled");
        assert_near(held_force(world, body, left, left_count, 0) / force, -1.0, 2e-6, "held");
        assert_near(held_force(world, body, left, left_count, 1) / force, 0.0, 2e-6, "across");
        assert_near(energy_of(world).elastic / (0.5 * force * strain * 4.0), 1.0, 1e-9, "energy");
        // The force grows in proportion, so that the mean of both ends is exact.
        work += 0.08 * 0.5 * (before + force);
        before = force;
        assert_near(energy_of(world).total / work, 1.0, 1e-9, "work");
        assert_true(energy_of(world).kinetic == 0.0);
        assert_small(stats_of(world).newton.gradient_norm, stats_of(world).newton.tolerance,
                     "residual");
    }
    assert_small(energy_of(world).dissipated / work, 1e-9, "dissipated");
    assert_near(pbs_world_time(world), 2.5, 0.0, "time");
    free(left);
    free(right);
    pbs_world_destroy(world);
    tet_mesh_free(&mesh);
}

/// Load steps by a control: a bar of fixed corotated material that is stretched by a tenth over a
/// second ends where one step would, whoever chose the steps. With a limit of 4 mm on how much the
/// edges along it, of half a metre, change in a step, 50 mm of which each takes its part, no step
/// takes more than 4 / 50 of the second; where a step and two half ones agree, as for a linear path
/// they do, doubling grows to the longest that is allowed.
static void controls_choose_load_steps(void **state) {
    (void)state;
    const int32_t controls[] = {PBS_STEP_STRETCH_LIMIT, PBS_STEP_DOUBLING};
    const double tolerances[] = {4e-3, 1e-6};
    for (size_t i = 0; i < COUNT_OF(controls); i++) {
        struct tet_mesh mesh = {0};
        size_t left_count = 0, right_count = 0;
        pbs_integrator_desc d;
        pbs_integrator *integrator = NULL;
        assert_true(shape_box_grid(8, 2, 2, 4.0, 1.0, 1.0, &mesh));
        pbs_world *world = static_world(PBS_CONTACT_BARRIER, weightless);
        assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_QUASI_STATIC));
        d.step_control.kind = controls[i];
        d.step_control.tolerance = tolerances[i];
        d.step_control.initial = 0.05;
        d.step_control.max = 0.25;
        assert_ok(pbs_integrator_create(&d, &integrator));
        assert_ok(pbs_world_set_integrator(world, integrator));
        pbs_integrator_destroy(integrator);
        const pbs_body body = add_bar(world, &mesh);
        uint32_t *left = vertices_at(mesh.positions, mesh.vertex_count, 0.0, &left_count);
        uint32_t *right = vertices_at(mesh.positions, mesh.vertex_count, 4.0, &right_count);
        assert_ok(pbs_body_pin(world, body, left, left_count, PBS_AXIS_ALL));
        script_by(world, body, right, right_count, 0, 0.4);
        assert_ok(pbs_world_advance(world, 1.0));
        const double force = held_force(world, body, right, right_count, 0);
        assert_near(force / 1e6, 1.0, 2e-6, "force");
        const pbs_stats stats = stats_of(world);
        if (controls[i] == PBS_STEP_STRETCH_LIMIT) {
            assert_true(stats.step_control.accepted >= 13);
            assert_true(stats.step_control.longest <= 4.0 / 50.0 * (1.0 + 1e-6));
        } else {
            assert_near(stats.step_control.longest, 0.25, 1e-12, "longest step");
        }
        free(left);
        free(right);
        pbs_world_destroy(world);
        tet_mesh_free(&mesh);
    }
}

/// Kinds of bodies that hang from one end.
enum hanging { SOLID, SHELL, BONDED, SPRINGS, HANGING };

static pbs_body hang(pbs_world *world, enum hanging kind) {
    const double corner[3] = {0.0, 0.0, 0.0}, along[3] = {1.0, 0.0, 0.0};
    static struct bonded_parts parts;
    pbs_body body = {0};
    if (kind == SOLID) {
        struct tet_mesh mesh = {0};
        pbs_solid_desc d;
        assert_true(shape_box_grid(8, 2, 2, 1.0, 0.2, 0.2, &mesh));
        assert_ok(pbs_solid_desc_init(&d, sizeof d));
        d.vertex_count = mesh.vertex_count;
        d.positions = mesh.positions;
        d.tet_count = mesh.tet_count;
        d.tets = mesh.tets;
        d.young = 1e6;
        d.damping = 0.2;
        assert_ok(pbs_body_create_solid(world, &d, &body));
        tet_mesh_free(&mesh);
    } else if (kind == SHELL) {
        pbs_shell_desc d;
        assert_ok(pbs_shell_desc_init(&d, sizeof d));
        d.young = 1e7;
        d.thickness = 0.02;
        d.damping = 0.2;
        body = add_sheet(world, 6, 1.0, corner, &d);
    } else if (kind == BONDED) {
        bonded_beam(&parts, 20, along);
        parts.d.young = 1e7;
        assert_ok(pbs_body_create_bonded(world, &parts.d, &body));
    } else {
        static const double x[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.5, 0.0};
        static const double masses[3] = {1.0, 1.0, 2.0};
        static const uint32_t springs[4] = {0, 1, 1, 2};
        pbs_springs_desc d;
        assert_ok(pbs_springs_desc_init(&d, sizeof d));
        d.vertex_count = 3;
        d.positions = x;
        d.masses = masses;
        d.spring_count = 2;
        d.springs = springs;
        d.stiffness = 2e3;
        d.damping = 0.2;
        assert_ok(pbs_body_create_springs(world, &d, &body));
    }
    const size_t count = pbs_body_vertex_count(world, body);
    size_t held = 0;
    uint32_t *end = vertices_at(pbs_body_positions(world, body), count, 0.0, &held);
    assert_ok(pbs_body_pin(world, body, end, held, PBS_AXIS_ALL));
    if (kind == BONDED) {
        assert_ok(pbs_body_pin_orientations(world, body, end, held));
    }
    free(end);
    return body;
}

/// One step ends where a damped motion does: implicit Euler with steps that grow until nothing is
/// left of inertia. What holds them is their weight.
static void whatever_hangs_ends_where_damped_motion_does(void **state) {
    (void)state;
    for (enum hanging kind = SOLID; kind < HANGING; kind++) {
        pbs_world_desc d;
        assert_ok(pbs_world_desc_init(&d, sizeof d));
        d.contact = PBS_CONTACT_PROJECTION;
        d.gravity[1] = -9.81;
        d.relative_tolerance = 1e-10;
        pbs_world *still = new_world_from(&d), *moving = new_world_from(&d);
        use_statics(still);
        const pbs_body a = hang(still, kind), b = hang(moving, kind);
        const size_t count = pbs_body_vertex_count(still, a);
        assert_ok(pbs_world_step(still, 1.0));
        for (double h = 0.01; h < 1e7; h *= 1.5) {
            assert_ok(pbs_world_step(moving, h));
        }
        assert_small(testing_max_difference(pbs_body_positions(still, a),
                                            pbs_body_positions(moving, b), 3 * count),
                     1e-7, "distance from the end of the motion");
        double weight = 0.0, held = 0.0;
        double *forces = calloc(6 * count, sizeof *forces);
        assert_non_null(forces);
        assert_ok(pbs_body_constraint_forces(still, a, forces, forces + 3 * count, count));
        for (size_t v = 0; v < count; v++) {
            weight += 9.81 * pbs_body_masses(still, a)[v];
            held += forces[3 * v + 1];
        }
        assert_near(held / weight, 1.0, 1e-8, "what holds over the weight");
        if (kind == BONDED) {
            double moment = 0.0;
            for (size_t v = 0; v < count; v++) {
                moment += 9.81 * pbs_body_masses(still, a)[v] * pbs_body_positions(still, a)[3 * v];
            }
            assert_near(forces[3 * count + 2] / moment, 1.0, 1e-6, "moment of the weight");
        }
        free(forces);
        pbs_world_destroy(still);
        pbs_world_destroy(moving);
    }
}

/// A slender column of bonds, clamped at its foot and bent by 1/1000 of its length, under a load at
/// its top that is free to move aside. By Euler the deflection is e / (P_c / P - 1), P_c = pi^2 E I
/// / (4 L^2): so deflection over load against deflection is a line, of slope 1 / P_c (Southwell).
static void a_column_buckles_as_euler_says(void **state) {
    (void)state;
    static struct bonded_parts parts;
    enum { BONDS = 40 };
    const double up[3] = {0.0, 1.0, 0.0}, young = 1e9;
    bonded_beam(&parts, BONDS, up);
    for (size_t i = 0; i <= BONDS; i++) {
        parts.positions[3 * i] = 1e-3 * (1.0 - cos(0.5 * M_PI * (double)i / BONDS));
    }
    parts.d.young = young;
    parts.d.shear_modulus = 0.4 * young;
    const uint32_t foot = 0, top = BONDS;
    pbs_world *world = static_world(PBS_CONTACT_PROJECTION, weightless);
    pbs_body body;
    assert_ok(pbs_body_create_bonded(world, &parts.d, &body));
    assert_ok(pbs_body_pin(world, body, &foot, 1, PBS_AXIS_ALL));
    assert_ok(pbs_body_pin_orientations(world, body, &foot, 1));
    assert_ok(pbs_body_pin(world, body, &top, 1, PBS_AXIS_Y));
    const double inertia = M_PI * pow(0.02, 4.0) / 4.0;
    const double critical = M_PI * M_PI * young * inertia / 4.0;
    double last[2] = {0.0, 0.0}, slope = 0.0, load = 0.0;
    for (int k = 1; k <= 8; k++) {
        script_by(world, body, &top, 1, 1, -3e-5);
        assert_ok(pbs_world_step(world, 1.0));
        load = -held_force(world, body, &top, 1, 1);
        const double aside = pbs_body_positions(world, body)[3 * (size_t)top] - 1e-3;
        slope = (aside / load - last[1]) / (aside - last[0]);
        last[0] = aside;
        last[1] = aside / load;
    }
    assert_true(load > 0.8 * critical && load < critical);
    // Bonds as long as 1/40 of the column and shear, of which Euler knows nothing, take 0.3 %.
    assert_near(1.0 / (slope * critical), 1.0, 0.01, "Southwell's load over Euler's");
    pbs_world_destroy(world);
}

// --- snapping through ---

enum { HALF_SPAN = 1 };
static const double RISE = 0.3, TRUSS_STIFFNESS = 1000.0;

static pbs_body add_truss(pbs_world *world) {
    static const double x[9] = {-HALF_SPAN, 0.0, 0.0, 0.0, 0.3, 0.0, HALF_SPAN, 0.0, 0.0};
    static const double masses[3] = {1.0, 1.0, 1.0};
    static const uint32_t springs[4] = {0, 1, 1, 2}, ends[2] = {0, 2}, apex = 1;
    pbs_springs_desc d;
    pbs_body body;
    assert_ok(pbs_springs_desc_init(&d, sizeof d));
    d.vertex_count = 3;
    d.positions = x;
    d.masses = masses;
    d.spring_count = 2;
    d.springs = springs;
    d.stiffness = TRUSS_STIFFNESS;
    assert_ok(pbs_body_create_springs(world, &d, &body));
    assert_ok(pbs_body_pin(world, body, ends, 2, PBS_AXIS_ALL));
    assert_ok(pbs_body_pin(world, body, &apex, 1, PBS_AXIS_Z));
    return body;
}

/// N: what holds up the apex at a height.
static double truss_load(double y) {
    const double length = sqrt(1.0 + y * y), rest = sqrt(1.0 + RISE * RISE);
    return 2.0 * TRUSS_STIFFNESS * (rest - length) * y / length;
}

/// The load on a flat truss of von Mises rises to a limit at y^2 = (1 + rise^2)^(1/3) - 1; up to it
/// the apex is where theory has it, beyond it on the other branch, below its supports.
static void a_flat_truss_snaps_through_at_its_limit_load(void **state) {
    (void)state;
    pbs_world *world = static_world(PBS_CONTACT_PROJECTION, weightless);
    const pbs_body body = add_truss(world);
    const double limit = truss_load(sqrt(cbrt(1.0 + RISE * RISE) - 1.0));
    for (int k = 1; k <= 13; k++) {
        const double load = k == 11 ? 1.001 * limit : 0.1 * k * limit;
        if (k == 10) {
            continue; // the limit itself
        }
        set_gravity(world, -load);
        assert_ok(pbs_world_step(world, 1.0));
        const double *apex = pbs_body_positions(world, body) + 3;
        assert_true(k < 10 ? apex[1] > 0.17 : apex[1] < -RISE);
        assert_near(truss_load(apex[1]) / load, 1.0, 1e-5, "load of the place over the load");
        assert_small(fabs(apex[0]), 1e-12, "aside");
    }
    pbs_world_destroy(world);
}

/// Pushed down instead it follows all of the path, the falling part too, and what pushes takes back
/// what it gave.
static void a_pushed_truss_follows_the_whole_path(void **state) {
    (void)state;
    for (int steps = 60; steps <= 120; steps *= 2) {
        pbs_world *world = static_world(PBS_CONTACT_PROJECTION, weightless);
        const pbs_body body = add_truss(world);
        const uint32_t apex = 1;
        double work = 0.0, before = 0.0;
        assert_ok(pbs_body_pin(world, body, &apex, 1, PBS_AXIS_ALL));
        for (int k = 0; k < steps; k++) {
            script_by(world, body, &apex, 1, 1, -2.0 * RISE / steps);
            assert_ok(pbs_world_step(world, 1.0));
            const double y = pbs_body_positions(world, body)[4];
            const double force = held_force(world, body, &apex, 1, 1);
            assert_near(force, -truss_load(y), 1e-9, "load");
            work -= 2.0 * RISE / steps * 0.5 * (before + force);
            before = force;
        }
        assert_small(fabs(work), 1e-9, "work");
        assert_small(energy_of(world).dissipated, 1e-9, "dissipated");
        pbs_world_destroy(world);
    }
}

// --- contact ---

static pbs_body add_block(pbs_world *world, bool affine, double friction) {
    const double corner[3] = {-0.1, 0.05, -0.1}, sides[3] = {0.2, 0.2, 0.2};
    struct box_surface box;
    pbs_contact_desc contact;
    pbs_body body;
    if (affine) {
        pbs_affine_desc d;
        box_surface_make(&box, sides);
        box_surface_describe(&box, &d);
        d.position[1] = 0.15;
        assert_ok(pbs_body_create_affine(world, &d, &body));
    } else {
        body = add_cube(world, 2, 0.2, corner, NULL);
    }
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.friction = friction;
    assert_ok(pbs_body_set_contact(world, body, &contact));
    return body;
}

static double weight_of(const pbs_world *world, pbs_body body) {
    double mass = 0.0;
    for (size_t v = 0; v < pbs_body_vertex_count(world, body); v++) {
        mass += pbs_body_masses(world, body)[v];
    }
    return 9.81 * mass;
}

/// A block above a plane that is inclined by an angle sinks onto it and rests: contact carries its
/// weight, friction what of it is along the plane.
static void what_rests_presses_with_its_weight(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double angle = k / 2 * 0.4, g[3] = {9.81 * sin(angle), -9.81 * cos(angle), 0.0};
        pbs_world *world = static_world(PBS_CONTACT_BARRIER, g);
        const pbs_body body = add_block(world, k % 2 != 0, 0.5);
        add_ground(world);
        double before = 0.0;
        for (int n = 0; n < 3; n++) {
            pbs_contact_force force = {.struct_size = sizeof force};
            assert_ok(pbs_world_step(world, 1.0));
            assert_ok(pbs_body_contact_force(world, body, NULL, &force));
            const double weight = weight_of(world, body);
            assert_near(force.force[1] / weight, cos(angle), 2e-6, "pressed");
            assert_near(force.force[0] / weight, -sin(angle), 2e-6, "rubbed");
            const double along = pbs_body_positions(world, body)[0];
            // Friction that holds creeps by no more than a ten thousandth of the size a step.
            assert_true(n == 0 || fabs(along - before) <= 2e-5);
            before = along;
            // All that it has fallen is lost.
            const pbs_energy energy = energy_of(world);
            assert_near(energy.dissipated, -energy.total, 1e-3, "dissipated");
        }
        pbs_world_destroy(world);
    }
}

/// Two opposite forces at corners of a block of peridynamics that nothing holds or touches turn it
/// until they pull along one line. That takes a pass in which Newton's method fails, and shorter
/// ones after it.
static void a_pair_of_forces_turns_what_is_free(void **state) {
    (void)state;
    const double box[6] = {0.0, 0.0, 0.0, 0.3, 0.5, 0.3};
    enum { COUNT = 45 };
    double forces[3 * COUNT] = {5.0, 1.0, 0.0};
    pbs_world *world = static_world(PBS_CONTACT_PROJECTION, weightless);
    pbs_peridynamic_desc d;
    pbs_body body;
    assert_ok(pbs_peridynamic_desc_init(&d, sizeof d));
    d.box = box;
    d.spacing = 0.1;
    d.young = 1e7;
    assert_ok(pbs_body_create_peridynamic(world, &d, &body));
    assert_int_equal(pbs_body_vertex_count(world, body), COUNT);
    for (size_t k = 0; k < 3; k++) {
        forces[3 * COUNT - 3 + k] = -forces[k];
    }
    assert_ok(pbs_body_set_forces(world, body, forces, COUNT));
    assert_ok(pbs_world_step(world, 1.0));
    const double *x = pbs_body_positions(world, body);
    double along = 0.0, square = 0.0;
    for (size_t k = 0; k < 3; k++) {
        const double way = x[k] - x[3 * COUNT - 3 + k];
        along += way * forces[k] / sqrt(26.0);
        square += way * way;
    }
    // A tolerance of 1e-5 N beside 5 N is an angle of 3e-6, a cosine of 1 - 4e-12.
    assert_near(along / sqrt(square), 1.0, 1e-9, "cosine");
    pbs_world_destroy(world);
}

/// On a slope of more than the angle of friction, tan 0.55 = 0.61 > 0.5, there is no equilibrium.
static void what_slides_has_no_equilibrium(void **state) {
    (void)state;
    const double g[3] = {9.81 * sin(0.55), -9.81 * cos(0.55), 0.0};
    pbs_world *world = static_world(PBS_CONTACT_BARRIER, g);
    const pbs_body body = add_block(world, true, 0.5);
    add_ground(world);
    const uint64_t hash = pbs_world_hash(world);
    assert_status(pbs_world_step(world, 1.0), PBS_ERROR_CONVERGENCE);
    assert_message("no equilibrium: a vertex has moved by");
    assert_message("of body 0; the body is not constrained there");
    assert_int_equal(stats_of(world).failure.kind, PBS_FAILURE_UNCONSTRAINED);
    assert_true(stats_of(world).failure.body.id == body.id);
    // What is left of the weight when friction has done all it can.
    const double left = weight_of(world, body) * (sin(0.55) - 0.5 * cos(0.55));
    assert_near(stats_of(world).newton.gradient_norm / left, 1.0, 1e-3, "what is left");
    assert_true(pbs_world_hash(world) == hash);
    pbs_world_destroy(world);
}

/// The mean height of a face of a cube about the y axis whose vertices were at y, m: those on its
/// edges and corners belong to a half and a quarter of a cell.
static double mean_height(const pbs_world *world, pbs_body body, const double *rest, double y) {
    double sum = 0.0, count = 0.0;
    for (size_t v = 0; v < pbs_body_vertex_count(world, body); v++) {
        if (fabs(rest[3 * v + 1] - y) < 1e-9) {
            const double share = (fabs(rest[3 * v]) > 0.09 ? 0.5 : 1.0) *
                                 (fabs(rest[3 * v + 2]) > 0.09 ? 0.5 : 1.0);
            sum += share * pbs_body_positions(world, body)[3 * v + 1];
            count += share;
        }
    }
    return sum / count;
}

/// A block on a floor, and a plate that comes down on it, without gravity: both bear the same
/// force, of which the block's height tells the stress, E A times the strain. (Its faces are not
/// pressed evenly, as the barriers at its edges and corners, which carry less, leave larger gaps.)
static void a_plate_presses_a_block(void **state) {
    (void)state;
    pbs_world *world = static_world(PBS_CONTACT_BARRIER, weightless);
    const pbs_collider ground = add_ground(world);
    const double upside[4] = {1.0, 0.0, 0.0, 0.0}, corner[3] = {-0.1, 0.002, -0.1};
    pbs_solid_desc like;
    pbs_collider_desc d;
    pbs_collider plate;
    assert_ok(pbs_solid_desc_init(&like, sizeof like));
    like.young = 1e6;
    like.poisson = 0.0;
    like.material = PBS_MATERIAL_FIXED_COROTATED;
    const pbs_body block = add_cube(world, 2, 0.2, corner, &like);
    double rest[3 * 27];
    memcpy(rest, pbs_body_positions(world, block), sizeof rest);
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.position[1] = 0.204;
    memcpy(d.orientation, upside, sizeof upside);
    assert_ok(pbs_collider_create(world, &d, &plate));
    for (int k = 1; k <= 8; k++) {
        const double place[3] = {0.0, 0.204 - 0.002 * k, 0.0};
        assert_ok(pbs_collider_set_motion(world, plate, place, upside));
        assert_ok(pbs_world_step(world, 1.0));
        pbs_contact_force above = {.struct_size = sizeof above};
        pbs_contact_force below = {.struct_size = sizeof below};
        assert_ok(pbs_collider_contact_force(world, plate, NULL, &above));
        assert_ok(pbs_collider_contact_force(world, ground, NULL, &below));
        const double force = above.force[1];
        const double height = mean_height(world, block, rest, 0.202) -
                              mean_height(world, block, rest, 0.002);
        assert_near(below.force[1], -force, 1e-5 * (force + 1.0), "both plates");
        assert_near(force, 1e6 * 0.04 * (1.0 - height / 0.2), 0.02 * force + 1e-3, "stress");
        assert_true(k < 3 || force > 1e6 * 0.04 * (0.2 - place[1]) / 0.2);
    }
    pbs_world_destroy(world);
}

// --- what nothing holds ---

static void what_falls_is_named_and_nothing_changes(void **state) {
    (void)state;
    pbs_world *world = static_world(PBS_CONTACT_BARRIER, down);
    add_ground(world);
    const pbs_body lies = add_block(world, false, 0.5);
    const double corner[3] = {1.0, 0.05, 0.0};
    pbs_body falls = add_cube(world, 1, 0.2, corner, NULL);
    pbs_contact_desc contact;
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.mask = 0; // touches nothing
    assert_ok(pbs_body_set_contact(world, falls, &contact));
    const uint64_t hash = pbs_world_hash(world);
    assert_status(pbs_world_step(world, 1.0), PBS_ERROR_CONVERGENCE);
    assert_message("no equilibrium: a vertex has moved by");
    assert_message("of body 1; the body is not constrained there");
    assert_true(stats_of(world).failure.body.id == falls.id);
    assert_int_equal(stats_of(world).step.divisions, 0); // shorter steps would not hold it either
    assert_true(pbs_world_hash(world) == hash);
    // Let go it moves on by about its size, and the other lies where it would have without it.
    pbs_world_desc settings = {.struct_size = sizeof settings};
    pbs_expert_desc expert = expert_settings_of(world);
    assert_ok(pbs_world_settings(world, &settings));
    settings.expert = &expert;
    expert.allow_unconverged = 1;
    assert_ok(pbs_world_set_settings(world, &settings));
    assert_status(pbs_world_step(world, 1.0), PBS_NOT_CONVERGED);
    assert_message("the body is not constrained there");
    const double fallen = 0.05 - pbs_body_positions(world, falls)[1];
    assert_true(fallen > 0.2 && fallen < 100.0);
    assert_true(pbs_body_positions(world, lies)[1] > 0.0);
    assert_true(energy_of(world).kinetic == 0.0);
    // Held, or gone, it is no matter any more.
    assert_ok(pbs_body_destroy(world, falls));
    expert.allow_unconverged = 0;
    assert_ok(pbs_world_set_settings(world, &settings));
    assert_ok(pbs_world_step(world, 1.0));
    pbs_world_destroy(world);
}

/// Without a load nothing moves, held or not, whatever its velocity was.
static void what_bears_nothing_stays(void **state) {
    (void)state;
    const double corner[3] = {0.0, 0.0, 0.0};
    pbs_world *world = static_world(PBS_CONTACT_BARRIER, weightless);
    const pbs_body body = add_cube(world, 2, 1.0, corner, NULL);
    const size_t count = 3 * pbs_body_vertex_count(world, body);
    double *before = calloc(2 * count, sizeof *before);
    assert_non_null(before);
    memcpy(before, pbs_body_positions(world, body), count * sizeof *before);
    for (size_t k = 0; k < count; k++) {
        before[count + k] = 3.0;
    }
    assert_ok(pbs_body_set_velocities(world, body, before + count, count / 3));
    assert_ok(pbs_world_step(world, 1.0));
    assert_same_bits(pbs_body_positions(world, body), before, count);
    assert_true(energy_of(world).kinetic == 0.0);
    free(before);
    pbs_world_destroy(world);
}

// --- breaking ---

/// A row of twenty bonds of which one is half as strong is pulled in steps of 100 kPa. It breaks in
/// the step that takes it beyond its strength, and nothing is pulled any more. All that was stored
/// is dissipated.
static void the_weakest_bond_of_a_row_breaks(void **state) {
    (void)state;
    static struct bonded_parts parts;
    static double strengths[20];
    const double along[3] = {1.0, 0.0, 0.0}, young = 1e9, area = M_PI * 0.02 * 0.02;
    const uint32_t first = 0, last = 20;
    for (int i = 0; i < 20; i++) {
        strengths[i] = i == 7 ? 4.5e5 : 9e5;
    }
    bonded_beam(&parts, 20, along);
    parts.d.young = young;
    parts.d.bond_tensile_strengths = strengths;
    pbs_world *world = static_world(PBS_CONTACT_PROJECTION, weightless);
    pbs_body body;
    assert_ok(pbs_body_create_bonded(world, &parts.d, &body));
    assert_ok(pbs_body_pin(world, body, &first, 1, PBS_AXIS_ALL));
    for (int k = 1; k <= 6; k++) {
        pbs_broken_bond row;
        size_t count = 1;
        script_by(world, body, &last, 1, 0, 1e-4);
        assert_ok(pbs_world_step(world, 1.0));
        assert_ok(pbs_world_broken_bonds(world, &row, sizeof row, &count));
        const double force = held_force(world, body, &last, 1, 0);
        assert_int_equal(count, k == 5);
        assert_near(force, k < 5 ? 1e5 * k * area : 0.0, 1e-2, "force");
        if (k == 5) {
            assert_int_equal(row.bond, 7);
            assert_near(row.normal_stress / 5e5, 1.0, 1e-6, "stress");
            // Of the bond's share of the length.
            assert_near(row.energy / (0.5 * 5e5 * 5e5 / young * area / 20.0), 1.0, 1e-5, "energy");
            assert_near(energy_of(world).dissipated / (0.5 * 5e5 * 5e5 / young * area), 1.0, 1e-5,
                        "dissipated");
        }
    }
    pbs_world_destroy(world);
}

enum { ROWS = 6 };

/// A row of spheres that hangs on a row above by bonds of which each bears as much as the others
/// until one breaks: then all do, in the passes of one step, as no state that lands bears more than
/// its strength. The rest of it falls.
static void breaking_goes_on_until_nothing_breaks(void **state) {
    (void)state;
    static struct bonded_parts p;
    static double strengths[2 * 3 * ROWS];
    uint32_t held[ROWS];
    for (int limit = 0; limit <= 1; limit++) {
        pbs_world *world = static_world(PBS_CONTACT_PROJECTION, weightless);
        pbs_world_desc settings = {.struct_size = sizeof settings};
        pbs_expert_desc expert = expert_settings_of(world);
        assert_ok(pbs_world_settings(world, &settings));
        settings.expert = &expert;
        settings.fracture_limit = (uint32_t)limit;
        settings.gravity[1] = -9.81;
        assert_ok(pbs_world_set_settings(world, &settings));
        bonded_block(&p, ROWS, 2, 1, weightless);
        p.d.young = 1e7;
        p.d.density = 1000.0;
        p.d.bond_tensile_strengths = strengths;
        for (uint32_t b = 0; b < p.d.bond_count; b++) {
            const uint32_t low = p.bonds[2 * (size_t)b];
            const bool hangs = p.bonds[2 * (size_t)b + 1] == low + ROWS;
            strengths[b] = hangs ? (low == 0 ? 500.0 : 1100.0 + 10.0 * low) : 0.0;
        }
        for (uint32_t i = 0; i < ROWS; i++) {
            held[i] = ROWS + i;
        }
        pbs_body body;
        assert_ok(pbs_body_create_bonded(world, &p.d, &body));
        assert_ok(pbs_body_pin(world, body, held, ROWS, PBS_AXIS_ALL));
        assert_ok(pbs_body_pin_orientations(world, body, held, ROWS));
        const uint64_t hash = pbs_world_hash(world);
        assert_status(pbs_world_step(world, 1.0), PBS_ERROR_CONVERGENCE);
        assert_int_equal(stats_of(world).failure.kind, PBS_FAILURE_UNCONSTRAINED);
        assert_int_equal(bonded_count_broken(world, body), 0);
        assert_true(pbs_world_hash(world) == hash);
        expert.allow_unconverged = 1;
        assert_ok(pbs_world_set_settings(world, &settings));
        assert_status(pbs_world_step(world, 1.0), PBS_NOT_CONVERGED);
        assert_int_equal(bonded_count_broken(world, body), ROWS);
        pbs_world_destroy(world);
    }
}

// --- notches ---

enum { STRIP_BEAMS = 1, STRIP_SPRINGS = 2, STRIP_WIDE = 20, STRIP_HIGH = 6 };

/// A strip of 2 x 0.6 m with a notch from above to its middle, of spheres and bonds or of
/// peridynamics.
struct strip {
    pbs_body body;
    uint32_t ends[2][3 * STRIP_HIGH];
    size_t end_count;
};

static void cut_strip(pbs_world *world, struct strip *s) {
    const double notch[18] = {0.0, 0.0, -1.0, 0.0, 9.0, -1.0, 0.0, 9.0, 1.0,
                              0.0, 0.0, -1.0, 0.0, 9.0, 1.0,  0.0, 0.0, 1.0};
    size_t cut = 0;
    assert_ok(pbs_body_cut_triangles(world, s->body, notch, 2, &cut));
    assert_true(cut > 0);
    const double *x = pbs_body_positions(world, s->body);
    for (int end = 0; end < 2; end++) {
        s->end_count = 0;
        for (uint32_t i = 0; i < STRIP_WIDE * STRIP_HIGH; i++) {
            if (x[3 * (size_t)i] * (end == 0 ? -1.0 : 1.0) > 0.7) {
                s->ends[end][s->end_count++] = i;
            }
        }
        assert_ok(pbs_body_pin(world, s->body, s->ends[end], s->end_count, PBS_AXIS_ALL));
    }
}

static void add_beams(pbs_world *world, struct strip *s) {
    static struct bonded_parts p;
    bonded_block(&p, STRIP_WIDE, STRIP_HIGH, 1, weightless);
    p.d.young = 1e9;
    p.d.tensile_strength = 1e6;
    *s = (struct strip){.end_count = 0};
    assert_ok(pbs_body_create_bonded(world, &p.d, &s->body));
    cut_strip(world, s);
}

static void add_peridynamic(pbs_world *world, struct strip *s) {
    const double box[6] = {-1.0, -0.3, 0.0, 1.0, 0.3, 0.0};
    pbs_peridynamic_desc d;
    assert_ok(pbs_peridynamic_desc_init(&d, sizeof d));
    d.dimension = PBS_PERIDYNAMIC_PLANE_STRESS;
    d.box = box;
    d.spacing = 0.1;
    d.section = 0.1;
    d.young = 1e9;
    d.critical_stretch = 1e-3;
    *s = (struct strip){.end_count = 0};
    assert_ok(pbs_body_create_peridynamic(world, &d, &s->body));
    cut_strip(world, s);
}

static void pull_strip(pbs_world *world, const struct strip *s, double way) {
    script_by(world, s->body, s->ends[0], s->end_count, 0, -0.5 * way);
    script_by(world, s->body, s->ends[1], s->end_count, 0, 0.5 * way);
}

/// Both ends are pulled alike, and nothing that landed bears more than it can. Returns the load, N.
static double check_strip(const pbs_world *world, const struct strip *s, bool beams) {
    static pbs_bond_load loads[40 * STRIP_WIDE * STRIP_HIGH];
    size_t count = COUNT_OF(loads);
    assert_ok(pbs_body_bond_loads(world, s->body, loads, sizeof *loads, &count));
    for (size_t i = 0; i < count; i++) {
        assert_true(beams ? loads[i].normal_stress <= 1e6 : loads[i].stretch <= 1e-3);
    }
    const double load = held_force(world, s->body, s->ends[1], s->end_count, 0);
    assert_near(held_force(world, s->body, s->ends[0], s->end_count, 0), -load, 1.0, "balance");
    return load;
}

/// All that broke is below the notch, between so many columns on both sides of it.
static void check_crack(const pbs_world *world, const struct strip *s, uint32_t columns) {
    const uint32_t *pairs = NULL;
    size_t count = 0;
    assert_ok(pbs_body_bonds(world, s->body, &pairs, &count));
    assert_true(bonded_count_broken(world, s->body) > 0);
    for (size_t i = 0; i < 2 * count; i++) {
        const uint32_t column = pairs[i] % STRIP_WIDE;
        const bool near = column >= STRIP_WIDE / 2 - columns && column < STRIP_WIDE / 2 + columns;
        assert_true(near || pbs_body_broken(world, s->body)[i / 2] == 0);
    }
}

enum { PULLS = 12 };

/// Pulled in steps until both halves are apart: loads after each, N.
static void break_strips(int kinds, int32_t matrix, double loads[2][PULLS]) {
    struct strip strips[2];
    pbs_world *world = static_world(PBS_CONTACT_PROJECTION, weightless);
    pbs_world_desc settings = {.struct_size = sizeof settings};
    pbs_expert_desc expert = expert_settings_of(world);
    assert_ok(pbs_world_settings(world, &settings));
    settings.expert = &expert;
    settings.fracture_limit = 1;
    expert.assembly = matrix;
    settings.relative_tolerance = 1e-8;
    assert_ok(pbs_world_set_settings(world, &settings));
    if ((kinds & STRIP_BEAMS) != 0) {
        add_beams(world, &strips[0]);
    }
    if ((kinds & STRIP_SPRINGS) != 0) {
        add_peridynamic(world, &strips[1]);
    }
    for (int n = 0; n < PULLS; n++) {
        for (int k = 0; k < 2; k++) {
            if ((kinds >> k & 1) != 0) {
                pull_strip(world, &strips[k], 1.5e-4);
            }
        }
        assert_ok(pbs_world_step(world, 1.0));
        for (int k = 0; k < 2; k++) {
            loads[k][n] = (kinds >> k & 1) != 0 ? check_strip(world, &strips[k], k == 0) : 0.0;
        }
    }
    for (int k = 0; k < 2; k++) {
        if ((kinds >> k & 1) != 0) {
            check_crack(world, &strips[k], k == 0 ? 1 : 4);
        }
    }
    pbs_world_destroy(world);
}

/// Loads rise in proportion to the way until bonds at the notch break, one by one, and then hardly
/// anything is borne: by beams nothing, by springs what turns about its last bonds. Without its
/// matrix it is the same, and beside another strip.
static void notched_strips_come_apart_at_their_notches(void **state) {
    (void)state;
    double beams[2][PULLS], springs[2][PULLS], free[2][PULLS], both[2][PULLS];
    const double *const alone[2] = {beams[0], springs[1]};
    break_strips(STRIP_BEAMS, PBS_ASSEMBLY_AUTOMATIC, beams);
    break_strips(STRIP_SPRINGS, PBS_ASSEMBLY_FULL, springs);
    break_strips(STRIP_SPRINGS, PBS_ASSEMBLY_MATRIX_FREE, free);
    break_strips(STRIP_BEAMS | STRIP_SPRINGS, PBS_ASSEMBLY_MATRIX_FREE, both);
    for (int k = 0; k < 2; k++) {
        double peak = 0.0;
        for (int n = 0; n < PULLS; n++) {
            peak = fmax(peak, alone[k][n]);
            assert_near(both[k][n], alone[k][n], 1e-5 * peak, "beside the other");
            assert_near(k == 1 ? free[k][n] : alone[k][n], alone[k][n], 1e-5 * peak, "free");
        }
        for (int n = 0; n < 5; n++) {
            assert_near(alone[k][n] / (alone[k][0] * (n + 1)), 1.0, 1e-3, "proportion");
        }
        assert_small(fabs(alone[k][PULLS - 1]), 1e-4 * peak, "apart");
    }
}

// --- as everywhere ---

static pbs_status step_once(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, 1.0);
}

/// With a matrix and without, up to a step in which bonds break in many passes.
static void every_allocation_may_fail(void **state) {
    (void)state;
    for (int32_t matrix = PBS_ASSEMBLY_FULL; matrix <= PBS_ASSEMBLY_MATRIX_FREE; matrix++) {
        struct test_allocator allocator;
        struct strip strip;
        uint64_t refused = 0;
        pbs_world_desc d;
        pbs_expert_desc expert;
        test_allocator_init(&allocator);
        assert_ok(pbs_world_desc_init(&d, sizeof d));
        expert_settings(&expert, &d);
        d.allocator = test_allocator_hooks(&allocator);
        d.contact = PBS_CONTACT_PROJECTION;
        expert.assembly = matrix;
        memset(d.gravity, 0, sizeof d.gravity);
        pbs_world *world = new_world_from(&d);
        use_statics(world);
        add_peridynamic(world, &strip);
        for (int n = 0; n < 3; n++) {
            pull_strip(world, &strip, 4e-4);
            assert_ok(refuse_until_success(&allocator, world, step_once, NULL, &refused));
            assert_true(n > 0 || refused > 50);
        }
        assert_true(bonded_count_broken(world, strip.body) > 50);
        // Of 20 kN before.
        assert_true(fabs(check_strip(world, &strip, false)) < 5000.0);
        pbs_world_destroy(world);
        assert_int_equal(allocator.blocks_in_use, 0);
    }
}

static void load(pbs_world *world, pbs_body body, int k) {
    const size_t count = pbs_body_vertex_count(world, body);
    const uint32_t last = (uint32_t)count - 1;
    double target[3] = {0.2, 0.02 + 0.01 * k, 0.2};
    assert_ok(pbs_body_set_targets(world, body, &last, 1, target));
    const pbs_status status = pbs_world_step(world, 1.0);
    assert_true(status == PBS_OK || status == PBS_DIVIDED);
}

static pbs_world *loaded_world(int32_t threads, pbs_body *body) {
    pbs_world_desc d;
    const double corner[3] = {-0.1, 0.01, -0.1};
    pbs_contact_desc contact;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -9.81;
    d.threads = threads;
    pbs_world *world = new_world_from(&d);
    use_statics(world);
    add_ground(world);
    *body = add_cube(world, 4, 0.3, corner, NULL);
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.friction = 0.4;
    assert_ok(pbs_body_set_contact(world, *body, &contact));
    return world;
}

static void threads_and_restores_change_nothing(void **state) {
    (void)state;
    pbs_body one, three;
    pbs_world *a = loaded_world(1, &one), *b = loaded_world(3, &three);
    for (int k = 0; k < 2; k++) {
        load(a, one, k);
        load(b, three, k);
        assert_true(pbs_world_hash(a) == pbs_world_hash(b));
    }
    struct saved_world saved = save_world(a);
    pbs_world *c = new_world();
    assert_ok(pbs_world_restore(c, saved.data, saved.size));
    load(a, one, 2);
    load(c, pbs_world_body_at(c, 0), 2);
    assert_true(pbs_world_hash(a) == pbs_world_hash(c));
    free(saved.data);
    pbs_world_destroy(a);
    pbs_world_destroy(b);
    pbs_world_destroy(c);
}

static void what_makes_no_sense_is_refused(void **state) {
    (void)state;
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_QUASI_STATIC));
    d.linearized = 1;
    assert_status(pbs_integrator_create(&d, &integrator), PBS_ERROR_ARGUMENT);
    d.linearized = 0;
    d.step_control.kind = PBS_STEP_SPEED_LIMIT;
    d.step_control.max = d.step_control.tolerance = 1.0;
    assert_status(pbs_integrator_create(&d, &integrator), PBS_ERROR_ARGUMENT);
    assert_message("step_control.kind is PBS_STEP_SPEED_LIMIT, but quasi-static ends at rest");
    d.step_control.kind = PBS_STEP_STRETCH_LIMIT;
    assert_ok(pbs_integrator_create(&d, &integrator));
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.contact = PBS_CONTACT_PENALTY;
    pbs_world *world = new_world_from(&settings);
    assert_status(pbs_world_set_integrator(world, integrator), PBS_ERROR_ARGUMENT);
    pbs_integrator_destroy(integrator);
    pbs_world_destroy(world);
    // Held forces.
    const double corner[3] = {0.0, 0.0, 0.0}, sides[3] = {1.0, 1.0, 1.0};
    double forces[3 * 27];
    world = new_world();
    const pbs_body cube = add_cube(world, 1, 1.0, corner, NULL);
    struct box_surface box;
    pbs_affine_desc a;
    pbs_body affine;
    box_surface_make(&box, sides);
    box_surface_describe(&box, &a);
    a.position[0] = 5.0;
    assert_ok(pbs_body_create_affine(world, &a, &affine));
    assert_status(pbs_body_constraint_forces(world, cube, NULL, NULL, 8), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_constraint_forces(NULL, cube, forces, NULL, 8), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_constraint_forces(world, cube, forces, NULL, 7), PBS_ERROR_CAPACITY);
    assert_message("capacity is 7 vertices, but the body has 8");
    assert_status(pbs_body_constraint_forces(world, affine, forces, NULL, 8), PBS_ERROR_ARGUMENT);
    assert_message("affine");
    // Before a step, nothing presses and nothing is held.
    assert_ok(pbs_body_constraint_forces(world, cube, forces, forces + 24, 8));
    for (int k = 0; k < 48; k++) {
        assert_true(forces[k] == 0.0);
    }
    assert_ok(pbs_body_destroy(world, cube));
    assert_status(pbs_body_constraint_forces(world, cube, forces, NULL, 8), PBS_ERROR_HANDLE);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stretched_bar_carries_its_modulus_times_strain),
        cmocka_unit_test(controls_choose_load_steps),
        cmocka_unit_test(whatever_hangs_ends_where_damped_motion_does),
        cmocka_unit_test(a_column_buckles_as_euler_says),
        cmocka_unit_test(a_flat_truss_snaps_through_at_its_limit_load),
        cmocka_unit_test(a_pushed_truss_follows_the_whole_path),
        cmocka_unit_test(what_rests_presses_with_its_weight),
        cmocka_unit_test(a_pair_of_forces_turns_what_is_free),
        cmocka_unit_test(what_slides_has_no_equilibrium),
        cmocka_unit_test(a_plate_presses_a_block),
        cmocka_unit_test(what_falls_is_named_and_nothing_changes),
        cmocka_unit_test(what_bears_nothing_stays),
        cmocka_unit_test(the_weakest_bond_of_a_row_breaks),
        cmocka_unit_test(breaking_goes_on_until_nothing_breaks),
        cmocka_unit_test(notched_strips_come_apart_at_their_notches),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(threads_and_restores_change_nothing),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
