// Energy control (docs/theory/schemes.md section 4 and docs/integrators.md, "Energy control"):
// targets that are kept, decay, lose and gain work; alphas; islands; frames of reference.
// SPDX-License-Identifier: MIT
#include "integrate/oscillator.h"

#include "base/matrix3/math3.h"

static const double origin[3] = {0.0, 0.0, 0.0}, downward[3] = {0.0, -9.81, 0.0};

static pbs_integrator_desc describe(int32_t scheme) {
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme));
    return d;
}

static pbs_world *world_of(const pbs_integrator_desc *d, struct oscillation *o) {
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_create(d, &integrator));
    pbs_world *world = oscillator_world(integrator, o);
    pbs_integrator_destroy(integrator);
    return world;
}

// --- targets that are constant ---

/// Least and largest (H - H_0) / H_0 over 50 s.
static void range_of(const pbs_integrator_desc *d, enum oscillator problem, double h,
                     double range[2]) {
    struct oscillation o = oscillation_of(problem);
    pbs_world *world = world_of(d, &o);
    const double first = energy_of(world).total;
    range[0] = range[1] = 0.0;
    for (int i = 0; i < (int)lround(50.0 / h); i++) {
        assert_ok(pbs_world_step(world, h));
        const pbs_stats stats = stats_of(world);
        const double error = energy_of(world).total / first - 1.0;
        range[0] = fmin(range[0], error);
        range[1] = fmax(range[1], error);
        if (d->scheme == PBS_SCHEME_A_SEARCH) {
            assert_near(stats.energy_control.target, first, 1e-15, "target");
            assert_near(stats.energy_control.reached, energy_of(world).total, 1e-14, "energy");
            assert_true(stats.energy_control.alpha_low >= 0.0 &&
                        stats.energy_control.alpha_high <= 1.1);
        }
    }
    pbs_world_destroy(world);
}

/// The reference's invariant, and how far below the target searches fall (print: 4 digits).
static void searches_never_exceed_their_target(void **state) {
    (void)state;
    static const double steps[] = {0.02, 0.1, 0.3}, dips[] = {-0.0188, -0.0905, -0.250};
    const pbs_integrator_desc search = describe(PBS_SCHEME_A_SEARCH);
    double range[2];
    for (int p = 0; p < OSCILLATOR_COUNT; p++) {
        for (size_t i = 0; i < COUNT_OF(steps); i++) {
            range_of(&search, (enum oscillator)p, steps[i], range);
            assert_small(range[1], 1e-10, "energy above the target");
            if (p == OSCILLATOR_LINEAR) {
                assert_near(range[0], dips[i], 0.005 * -dips[i], "dip");
            }
        }
    }
    const pbs_integrator_desc a_1 = describe(PBS_SCHEME_A_1);
    range_of(&a_1, OSCILLATOR_LINEAR, 0.1, range);
    assert_near(range[0], -0.0697, 1e-4, "A-1, least");
    assert_near(range[1], 0.0282, 1e-4, "A-1, largest");
}

/// Blending keeps the target wherever it lies between the two methods' energies.
static void blending_keeps_its_target(void **state) {
    (void)state;
    const pbs_integrator_desc d = describe(PBS_SCHEME_ENERGY_BLENDING);
    for (int p = 0; p < OSCILLATOR_COUNT; p++) {
        double range[2];
        range_of(&d, (enum oscillator)p, 0.1, range);
        assert_small(range[1], 1e-10, "blending, above");
        assert_small(-range[0], 5e-3, "blending, below");
    }
}

// --- targets that move ---

/// A decay slower than implicit Euler's is followed; the target is on its curve.
static void decay_follows_its_curve(void **state) {
    (void)state;
    const double h = 0.1, tau = 50.0, ground = -0.1;
    struct oscillation o = oscillation_of(OSCILLATOR_CUBIC);
    pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH);
    d.energy_control.ground = ground;
    d.energy_control.decay_time = tau;
    d.energy_control.fraction = 0.95;
    pbs_world *world = world_of(&d, &o);
    const double start = 0.95 * (energy_of(world).total - ground);
    for (int i = 1; i <= 500; i++) {
        assert_ok(pbs_world_step(world, h));
        const double curve = ground + start * exp(-i * h / tau);
        assert_near(stats_of(world).energy_control.target, curve, 1e-13, "target");
        assert_small(energy_of(world).total - curve, i > 20 ? 1e-12 : 0.06, "above the curve");
        assert_small(curve - energy_of(world).total, 0.25 * (curve - ground), "below the curve");
    }
    pbs_world_destroy(world);
}

/// Steps that a step control takes back take their decay back.
static void rejected_steps_leave_the_target(void **state) {
    (void)state;
    const int32_t controls[] = {PBS_STEP_DOUBLING, PBS_STEP_ALPHA};
    const double tolerances[] = {1e-3, 1e-3};
    for (size_t i = 0; i < COUNT_OF(controls); i++) {
        struct oscillation o = oscillation_of(OSCILLATOR_CUBIC);
        pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH);
        d.energy_control.decay_time = 50.0;
        d.step_control.kind = controls[i];
        d.step_control.tolerance = tolerances[i];
        d.step_control.max = 0.3;
        d.step_control.initial = 0.3;
        d.step_control.min = 0.02;
        pbs_world *world = world_of(&d, &o);
        const double start = energy_of(world).total;
        assert_ok(pbs_world_advance(world, 5.0));
        const pbs_stats stats = stats_of(world);
        assert_true(stats.step_control.rejected > 0 && stats.step_control.accepted > 20);
        assert_near(stats.energy_control.target, start * exp(-5.0 / 50.0), 1e-12, "target");
        assert_near(stats.energy_control.reached, energy_of(world).total, 1e-13, "energy");
        pbs_world_destroy(world);
    }
}

/// Refuses as often as it is told, then is an oscillator.
struct refusing {
    enum oscillator problem;
    double here; ///< x at the start of the step, which is not refused
    int left;
};

static int32_t refuse_first(void *user, size_t stencil, const double *x, int32_t project,
                            double *value, double *gradient, double *hessian) {
    struct refusing *r = user;
    if (r->left > 0 && x[0] != r->here) {
        r->left--;
        return 1;
    }
    return oscillator_evaluate(&r->problem, stencil, x, project, value, gradient, hessian);
}

/// A step that fails is divided; its halves carry the target on.
static void divided_steps_carry_the_target(void **state) {
    (void)state;
    for (int32_t scheme = PBS_SCHEME_A_1; scheme <= PBS_SCHEME_ENERGY_BLENDING; scheme++) {
        const double position[3] = {1.0, 0.0, 0.0}, mass = 1.0;
        const uint32_t stencil = 0;
        struct refusing refusing = {.problem = OSCILLATOR_CUBIC};
        pbs_world_desc w;
        assert_ok(pbs_world_desc_init(&w, sizeof w));
        w.contact = PBS_CONTACT_PROJECTION;
        w.tolerance = 1e-9;
        w.divisions = 8;
        pbs_world *world = new_world_from(&w);
        pbs_integrator_desc d = describe(scheme);
        d.energy_control.decay_time = 50.0;
        use_integrator(world, &d);
        pbs_custom_desc c;
        springs_describe(&c, 1, position, &mass, 1, &stencil);
        c.width = 1;
        c.evaluate = refuse_first;
        c.user = &refusing;
        pbs_body body;
        assert_ok(pbs_body_create_custom(world, &c, &body));
        const double start = energy_of(world).total;
        for (int i = 1; i <= 6; i++) {
            refusing.left = i % 2 == 0 ? 200 : 0;
            refusing.here = pbs_body_positions(world, body)[0];
            assert_status(pbs_world_step(world, 0.1), i % 2 == 0 ? PBS_DIVIDED : PBS_OK);
            assert_near(stats_of(world).energy_control.target, start * exp(-0.1 * i / 50.0), 1e-12,
                        "target");
        }
        pbs_world_destroy(world);
    }
}

/// J: what the energy control of schemes over implicit Euler adds to the energy of a body under
/// gravity, h/2 sum m g.v.
static double shift_of(pbs_world *world, pbs_body body, double h, const double gravity[3]) {
    const double *v = pbs_body_velocities(world, body), *mass = pbs_body_masses(world, body);
    double power = 0.0;
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        power += mass[i] * dot3(gravity, v + 3 * i);
    }
    return 0.5 * h * power;
}

/// A body that slides and stops: what friction takes is off the target, step by step.
static void friction_is_off_the_target(void **state) {
    (void)state;
    for (int moving = 0; moving < 2; moving++) {
        pbs_world *world = new_world();
        const pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH);
        use_integrator(world, &d);
        pbs_collider_desc c;
        assert_ok(pbs_collider_desc_init(&c, sizeof c));
        c.friction = 0.3;
        pbs_collider ground;
        assert_ok(pbs_collider_create(world, &c, &ground));
        double velocities[24] = {0.0};
        for (int i = 0; i < 8; i++) {
            velocities[3 * i] = moving ? 0.0 : -1.0;
        }
        pbs_solid_desc solid;
        assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
        solid.young = 1e6; // settling by its weight stores 1e-3 J
        solid.initial_velocities = velocities;
        const pbs_body cube = add_cube(world, 1, 0.1, origin, &solid);
        const double first = energy_of(world).total;
        double lost = 0.0, work = 0.0;
        for (int i = 1; i <= 100; i++) {
            // A belt at 1 m/s brings the cube along, as it would stop on a still floor.
            const double position[3] = {moving ? 0.01 * i : 0.0, 0.0, 0.0};
            const double upright[4] = {0.0, 0.0, 0.0, 1.0};
            assert_ok(pbs_collider_set_motion(world, ground, position, upright));
            assert_ok(pbs_world_step(world, 0.01));
            const pbs_stats stats = stats_of(world);
            lost += stats.step.dissipated;
            work += stats.energy_control.work;
            const double shift = shift_of(world, cube, 0.01, downward);
            assert_near(stats.energy_control.target + shift, first - lost + work, 1e-12, "balance");
        }
        // 1 kg: 1/2 J of heat in either frame; the belt's work is that and the cube's energy.
        assert_near(energy_of(world).dissipated, lost, 1e-14, "heat");
        assert_near(lost, 0.5, 0.01, "heat");
        assert_near(work, moving ? 1.0 : 0.0, moving ? 0.02 : 1e-15, "work");
        assert_near(pbs_body_velocities(world, cube)[0], moving ? 1.0 : 0.0, 1e-3, "velocity");
        pbs_world_destroy(world);
    }
}

/// Gravity that the host changes raises or lowers what is there; that is work.
static void changes_of_gravity_are_work(void **state) {
    (void)state;
    const double upward[3] = {0.0, 3.0, 0.0};
    pbs_world *world = new_world();
    const pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH);
    use_integrator(world, &d);
    const pbs_body cube = add_cube(world, 1, 0.1, origin, NULL);
    assert_ok(scene_step(world, 10));
    const double before = energy_of(world).total, h = 1.0 / 60.0;
    const double first = stats_of(world).energy_control.target + shift_of(world, cube, h, downward);
    assert_ok(pbs_world_set_gravity(world, upward));
    const double change = energy_of(world).total - before + shift_of(world, cube, h, upward) -
                          shift_of(world, cube, h, downward);
    assert_true(fabs(change) > 0.1);
    assert_ok(scene_step(world, 1));
    assert_near(stats_of(world).energy_control.work, change, 1e-13, "work");
    const double target = stats_of(world).energy_control.target + shift_of(world, cube, h, upward);
    assert_near(target, first + change, 1e-13, "target");
    pbs_world_destroy(world);
}

/// A floor that lifts a cube by 0.1 m in a second, from rest to rest: its work is force times way,
/// whatever kind of contact carries the cube, and becomes the cube's energy. P(x_n) must be that of
/// the floor's place at the start: at the end of its way the same work is in P(x_n) too.
static void lifts_do_the_work_of_their_force(void **state) {
    (void)state;
    enum { STEPS = 400 };
    static const struct {
        int32_t contact, collision;
    } kinds[] = {{PBS_CONTACT_BARRIER, PBS_COLLISION_CONSTRAINT},
                 {PBS_CONTACT_PROJECTION, PBS_COLLISION_CONSTRAINT},
                 {PBS_CONTACT_PROJECTION, PBS_COLLISION_PENALTY}};
    const double h = 1.0 / STEPS, height = 0.1, upright[4] = {0.0, 0.0, 0.0, 1.0};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        pbs_world_desc settings;
        pbs_collider_desc floor;
        pbs_collider ground;
        assert_ok(pbs_world_desc_init(&settings, sizeof settings));
        settings.contact = kinds[k].contact;
        settings.gravity[1] = -9.81;
        pbs_world *world = new_world_from(&settings);
        const pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH);
        use_integrator(world, &d);
        assert_ok(pbs_collider_desc_init(&floor, sizeof floor));
        floor.collision = kinds[k].collision;
        assert_ok(pbs_collider_create(world, &floor, &ground));
        pbs_solid_desc solid;
        assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
        solid.young = 1e6;
        solid.density = 125.0;
        add_cube(world, 2, 0.2, (double[]){0.0, 1.1e-3, 0.0}, &solid);
        const double first = energy_of(world).total;
        double work = 0.0, force_times_way = 0.0, before = 0.0, reached = 0.0;
        for (int i = 1; i <= STEPS; i++) {
            const double time = i * h, pi = acos(-1.0);
            const double y = height * (time - sin(2.0 * pi * time) / (2.0 * pi));
            const double speed = (y - reached) / h;
            assert_ok(pbs_collider_set_motion(world, ground, (double[]){0.0, y, 0.0}, upright));
            assert_ok(pbs_world_step(world, h));
            pbs_contact_force sums = {.struct_size = sizeof sums};
            assert_ok(pbs_collider_contact_force(world, ground, NULL, &sums));
            work += stats_of(world).energy_control.work;
            force_times_way -= 0.5 * (before + speed) * sums.impulse[1];
            before = speed;
            reached = y;
        }
        // The cube falls by 0.2 mm first, and trembles; the work that its impulses do in two ways
        // of summing them differs by that.
        const double lifted = 1.0 * 9.81 * height;
        if (k != 1) { // the correction's impulse on a constraint is no force
            assert_near(work, force_times_way, 0.02 * lifted, "work");
        }
        assert_near(work, lifted, 0.05 * lifted, "weight times height");
        assert_near(energy_of(world).total - first, work, 0.02 * lifted, "energy");
        pbs_world_destroy(world);
    }
}

/// The same of a particle that hangs on a point in space, by a spring or a rod.
static void points_in_space_do_the_work_of_their_force(void **state) {
    (void)state;
    enum { STEPS = 400 };
    static const int32_t schemes[] = {PBS_SCHEME_A_SEARCH, PBS_SCHEME_DECOUPLED_SDIRK2};
    const double h = 1.0 / STEPS, height = 0.1, weight = 9.81, stiffness = 300.0, mass = 1.0;
    for (size_t k = 0; k < 4; k++) {
        const bool is_rod = k % 2 != 0;
        const double place[3] = {0.0, is_rod ? -1.0 : -1.0 - weight / stiffness, 0.0};
        pbs_world *world = new_world();
        const pbs_integrator_desc d = describe(schemes[k / 2]);
        use_integrator(world, &d);
        assert_ok(pbs_world_set_gravity(world, downward));
        pbs_joint_desc joint;
        pbs_joint hanger;
        const pbs_body body = add_free_particle(world, mass, place, NULL);
        assert_ok(pbs_joint_desc_init(&joint, sizeof joint));
        joint.kind = PBS_JOINT_DISTANCE;
        joint.a = (pbs_point){.struct_size = sizeof joint.a};
        joint.b = (pbs_point){
            .struct_size = sizeof joint.b, .kind = PBS_POINT_VERTEX, .body = body};
        if (is_rod) {
            joint.lower = joint.upper = 1.0;
        } else {
            joint.spring_stiffness = stiffness;
            joint.spring_target = 1.0;
        }
        assert_ok(pbs_joint_create(world, &joint, &hanger));
        double work = 0.0;
        for (int i = 1; i <= STEPS; i++) {
            const double time = i * h, pi = acos(-1.0);
            const double y = height * (time - sin(2.0 * pi * time) / (2.0 * pi));
            assert_ok(pbs_joint_set_target(world, hanger, (double[]){0.0, y, 0.0}));
            assert_ok(pbs_world_step(world, h));
            work += stats_of(world).energy_control.work;
        }
        // Counted with the force where steps end: off by half of a step's change of it.
        const double lifted = mass * weight * height;
        assert_near(work, lifted, 0.01 * lifted, "work");
        pbs_world_destroy(world);
    }
}

// --- scripts, in two frames of reference ---

/// Two springs in a row, the first node held; its script moves at `speed`, the others begin at
/// `start`, all along x.
static pbs_world *row_of_springs(double start, pbs_body *body) {
    const double positions[9] = {0.0, 0.0, 0.0, 0.11, 0.0, 0.0, 0.2, 0.0, 0.0};
    const double velocities[9] = {start, 0.0, 0.0, start, 0.0, 0.0, start, 0.0, 0.0};
    const double masses[3] = {1.0, 0.5, 0.7};
    const uint32_t stencils[4] = {0, 1, 1, 2}, held = 0;
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PROJECTION;
    d.tolerance = 1e-10;
    pbs_world *world = new_world_from(&d);
    pbs_custom_desc c;
    springs_describe(&c, 3, positions, masses, 2, stencils);
    c.velocities = velocities;
    assert_ok(pbs_body_create_custom(world, &c, body));
    assert_ok(pbs_body_pin(world, *body, &held, 1, PBS_AXIS_ALL));
    return world;
}

/// Steps with the held node at speed * time.
static void pull(pbs_world *world, pbs_body body, double speed, double h, int step) {
    const double target[3] = {speed * h * step, 0.0, 0.0};
    const uint32_t held = 0;
    assert_ok(pbs_body_set_targets(world, body, &held, 1, target));
    assert_ok(pbs_world_step(world, h));
}

/// A chain that is carried along behaves as one at rest: the script's work is what the other frame
/// calls momentum. Alphas and all that follows from them agree.
static void frames_agree_on_scripts(void **state) {
    (void)state;
    const double speed = 20.0, h = 0.02;
    const int32_t schemes[] = {PBS_SCHEME_A_1, PBS_SCHEME_A_SEARCH, PBS_SCHEME_SPARSE_A_SEARCH};
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        const pbs_integrator_desc d = describe(schemes[s]);
        pbs_body bodies[2];
        pbs_world *still = row_of_springs(0.0, &bodies[0]);
        pbs_world *carried = row_of_springs(speed, &bodies[1]);
        use_integrator(still, &d);
        use_integrator(carried, &d);
        double least = 2.0;
        for (int i = 1; i <= 40; i++) {
            pull(still, bodies[0], 0.0, h, i);
            pull(carried, bodies[1], speed, h, i);
            const double *x = pbs_body_positions(still, bodies[0]);
            const double *y = pbs_body_positions(carried, bodies[1]);
            least = fmin(least, stats_of(still).energy_control.alpha_low);
            for (int k = 0; k < 9; k += 3) {
                assert_near(y[k] - speed * h * i, x[k], 1e-7, "positions in two frames");
            }
        }
        assert_true(least < 0.99 || schemes[s] == PBS_SCHEME_A_1);
        assert_near(stats_of(still).energy_control.work, 0.0, 0.0, "work of a pin");
        pbs_world_destroy(still);
        pbs_world_destroy(carried);
    }
}

/// A spring stretched between two scripts: the work done is what it stores once they rest, however
/// coarse the steps. (The trapezoidal rule is exact for its linear force.)
static void scripts_store_their_work(void **state) {
    (void)state;
    const double positions[6] = {0.0, 0.0, 0.0, 0.1, 0.0, 0.0}, masses[2] = {1.0, 1.0};
    const uint32_t stencil[2] = {0, 1}, held[2] = {0, 1};
    for (int32_t scheme = PBS_SCHEME_A_1; scheme <= PBS_SCHEME_ENERGY_BLENDING; scheme++) {
        pbs_world *world = new_world();
        const pbs_integrator_desc d = describe(scheme);
        use_integrator(world, &d);
        pbs_custom_desc c;
        springs_describe(&c, 2, positions, masses, 1, stencil);
        c.no_gravity = 1;
        pbs_body body;
        assert_ok(pbs_body_create_custom(world, &c, &body));
        assert_ok(pbs_body_pin(world, body, held, 2, PBS_AXIS_ALL));
        for (int i = 1; i <= 7; i++) {
            const double targets[6] = {-0.01 * fmin(i, 5),       0.0, 0.0,
                                       0.1 + 0.002 * fmin(i, 5), 0.0, 0.0};
            assert_ok(pbs_body_set_targets(world, body, held, 2, targets));
            assert_ok(pbs_world_step(world, 0.05));
        }
        const double stored = 0.5 * 400.0 * 0.06 * 0.06;
        assert_near(energy_of(world).total, stored, 1e-13, "stored");
        assert_near(stats_of(world).energy_control.target, stored, 1e-12, "target");
        pbs_world_destroy(world);
    }
}

/// A soft cube meets a wall: one of the two moves.
static pbs_world *cube_and_wall(double cube_speed, pbs_body *cube, pbs_collider *wall) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PROJECTION;
    d.tolerance = 1e-9;
    pbs_world *world = new_world_from(&d);
    double velocities[81] = {0.0};
    for (int i = 0; i < 27; i++) {
        velocities[3 * i + 1] = cube_speed;
    }
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.young = 2e4;
    solid.initial_velocities = velocities;
    const double corner[3] = {0.0, 0.025, 0.0};
    *cube = add_cube(world, 2, 0.2, corner, &solid);
    *wall = add_ground(world);
    return world;
}

/// What bounces off a still wall bounces off a moving one as seen from there.
static void frames_agree_on_walls(void **state) {
    (void)state;
    const double speed = 1.0, h = 0.01;
    const pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH);
    pbs_body cubes[2];
    pbs_collider walls[2];
    pbs_world *still = cube_and_wall(-speed, &cubes[0], &walls[0]);
    pbs_world *pushed = cube_and_wall(0.0, &cubes[1], &walls[1]);
    use_integrator(still, &d);
    use_integrator(pushed, &d);
    uint32_t contacts = 0;
    for (int i = 1; i <= 30; i++) {
        const double position[3] = {0.0, speed * h * i, 0.0}, upright[4] = {0.0, 0.0, 0.0, 1.0};
        assert_ok(pbs_collider_set_motion(pushed, walls[1], position, upright));
        assert_ok(pbs_world_step(still, h));
        assert_ok(pbs_world_step(pushed, h));
        contacts += stats_of(still).contact.active;
        assert_near(stats_of(pushed).energy_control.alpha_low,
                    stats_of(still).energy_control.alpha_low, 1e-5, "alpha");
        const double *x = pbs_body_positions(still, cubes[0]);
        const double *y = pbs_body_positions(pushed, cubes[1]);
        for (int k = 1; k < 81; k += 3) {
            assert_near(y[k] - position[1], x[k], 1e-6, "positions in two frames");
        }
    }
    assert_true(contacts > 0);
    pbs_world_destroy(still);
    pbs_world_destroy(pushed);
}

/// A cube that falls on the ground comes back with the energy it had: implicit Euler's does not.
static void a_bounce_returns_the_energy(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_A_SEARCH, PBS_SCHEME_IMPLICIT_EULER};
    for (int s = 0; s < 2; s++) {
        pbs_body cube;
        pbs_collider wall;
        pbs_world *world = cube_and_wall(-1.0, &cube, &wall);
        const pbs_integrator_desc d = describe(schemes[s]);
        use_integrator(world, &d);
        const double first = energy_of(world).total;
        uint32_t touched = 0;
        for (int i = 0; i < 40; i++) {
            assert_ok(pbs_world_step(world, 0.01));
            touched += stats_of(world).contact.active;
        }
        assert_true(touched > 0 && stats_of(world).contact.active == 0);
        const double kept = energy_of(world).total / first;
        assert_true(s == 0 ? kept > 0.99 && kept < 1.0 + 1e-9 : kept < 0.6);
        pbs_world_destroy(world);
    }
}

// --- alphas ---

/// alpha = 0 is the scheme below; sparse searches leave two alphas of 1 after each other one that
/// reached the target, so that it lies between the bounds.
static void alphas_are_as_they_were_chosen(void **state) {
    (void)state;
    const int32_t pairs[][2] = {{PBS_SCHEME_A_1, PBS_SCHEME_IMPLICIT_EULER},
                                {PBS_SCHEME_DECOUPLED_SDIRK2, PBS_SCHEME_SDIRK2}};
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        struct oscillation o = oscillation_of(OSCILLATOR_CUBIC);
        pbs_integrator_desc d = describe(pairs[i][0]);
        const pbs_integrator_desc base = describe(pairs[i][1]);
        d.energy_control.alpha_choice = PBS_ALPHA_FIXED;
        d.energy_control.alpha = 0.0;
        pbs_world *worlds[2] = {world_of(&d, &o), world_of(&base, &o)};
        double states[2][2];
        for (int step = 0; step < 20; step++) {
            for (int k = 0; k < 2; k++) {
                assert_ok(pbs_world_step(worlds[k], 0.1));
                oscillator_state(worlds[k], states[k]);
            }
            assert_near(states[0][0], states[1][0], 1e-9, "position");
            assert_near(states[0][1], states[1][1], 1e-9, "velocity");
        }
        assert_near(stats_of(worlds[0]).energy_control.alpha_high, 0.0, 0.0, "alpha");
        pbs_world_destroy(worlds[0]);
        pbs_world_destroy(worlds[1]);
    }
    struct oscillation o = oscillation_of(OSCILLATOR_PENDULUM);
    const pbs_integrator_desc sparse = describe(PBS_SCHEME_SPARSE_A_SEARCH);
    pbs_world *world = world_of(&sparse, &o);
    int since = 2, corrections = 0;
    for (int step = 0; step < 300; step++) {
        assert_ok(pbs_world_step(world, 0.1));
        const double alpha = stats_of(world).energy_control.alpha_low;
        const bool corrected = alpha != 1.0;
        assert_true(!corrected || since >= 2);
        since = !corrected ? since + 1 : alpha > 0.0 && alpha < 1.1 ? 0 : 2;
        corrections += corrected;
    }
    assert_true(corrections > 10);
    pbs_world_destroy(world);
}

/// Trace and determinant of one step of x'' = -x.
static void spectrum(const pbs_integrator_desc *d, double h, double *trace, double *determinant) {
    double q[2][2];
    for (int column = 0; column < 2; column++) {
        struct oscillation o = oscillation_of(OSCILLATOR_LINEAR);
        o.x = column == 0;
        o.v = column == 1;
        o.tolerance = 1e-13 / h; // moves x by less than 1e-13 h, or 1e-13 / h where that is less
        pbs_world *world = world_of(d, &o);
        assert_ok(pbs_world_step(world, h));
        double end[2];
        oscillator_state(world, end);
        q[0][column] = end[0];
        q[1][column] = end[1];
        pbs_world_destroy(world);
    }
    *trace = q[0][0] + q[1][1];
    *determinant = q[0][0] * q[1][1] - q[0][1] * q[1][0];
}

/// Section 1.4. alpha next to 1 stands for 1, with which a correction that gains energy is searched
/// for (section 2 of docs/theory/energy_control.md).
static void spectra_are_those_of_the_formulas(void **state) {
    (void)state;
    static const double alphas[] = {0.0, 0.5, 1.0 + 1e-15, 1.1, 2.0};
    double trace, determinant;
    pbs_integrator_desc d = describe(PBS_SCHEME_A_1);
    for (size_t i = 0; i < COUNT_OF(alphas); i++) {
        for (double h = 0.01; h < 2e4; h *= 10.0) {
            const double hbar = h * h;
            d.energy_control.alpha = alphas[i];
            spectrum(&d, h, &trace, &determinant);
            assert_near(trace, (2.0 + d.energy_control.alpha * hbar) / (1.0 + hbar), 1e-12,
                        "trace");
            assert_near(determinant, 1.0 + (d.energy_control.alpha - 1.0) * hbar / (1.0 + hbar),
                        1e-12, "determinant");
        }
    }
    d = describe(PBS_SCHEME_DECOUPLED_SDIRK2);
    d.energy_control.alpha_choice = PBS_ALPHA_FIXED;
    d.energy_control.alpha = 1.0 + 1e-15;
    // Least at hbar = 44.28; below -2 between 19.496 and 280.34.
    static const struct {
        double hbar, low, high;
    } traces[] = {{44.28, -2.16345, -2.16335},
                  {19.49, -2.0, -1.99},
                  {19.50, -2.01, -2.0},
                  {280.3, -2.01, -2.0},
                  {280.4, -2.0, -1.99}};
    for (size_t i = 0; i < COUNT_OF(traces); i++) {
        spectrum(&d, sqrt(traces[i].hbar), &trace, &determinant);
        assert_near(determinant, 1.0, 1e-12, "determinant of decoupled SDIRK2");
        assert_true(trace > traces[i].low && trace < traces[i].high);
    }
    spectrum(&d, 1e7, &trace, &determinant);
    assert_near(trace, -sqrt(2.0) - 0.5, 1e-12, "trace of decoupled SDIRK2");
}

// --- islands ---

/// Two particles of different energies in one world, or each in a world of its own.
static void run_pair(pbs_world *world, int bodies, int first, double energies[2], int steps) {
    static enum oscillator problems[2] = {OSCILLATOR_LINEAR, OSCILLATOR_CUBIC};
    const double mass = 1.0;
    const uint32_t stencil = 0;
    pbs_body body[2];
    for (int b = 0; b < bodies; b++) {
        const int which = first + b;
        const double position[3] = {which == 0 ? 1.0 : 3.0, 0.0, 0.0};
        pbs_custom_desc c;
        springs_describe(&c, 1, position, &mass, 1, &stencil);
        c.width = 1;
        c.evaluate = oscillator_evaluate;
        c.user = &problems[which];
        assert_ok(pbs_body_create_custom(world, &c, &body[b]));
    }
    for (int i = 0; i < steps; i++) {
        assert_ok(pbs_world_step(world, 0.1));
    }
    for (int b = 0; b < bodies; b++) {
        const double x = pbs_body_positions(world, body[b])[0];
        const double v = pbs_body_velocities(world, body[b])[0];
        energies[first + b] = 0.5 * v * v + oscillator_potential(problems[first + b], x);
    }
}

static pbs_world *tight_world(const pbs_integrator_desc *d) {
    pbs_world_desc w;
    assert_ok(pbs_world_desc_init(&w, sizeof w));
    w.contact = PBS_CONTACT_PROJECTION;
    w.tolerance = 1e-10;
    pbs_world *world = new_world_from(&w);
    use_integrator(world, d);
    return world;
}

/// By island each body ends as if it were alone, and none has more than it had; with one alpha for
/// all, energy goes from one to the other.
static void islands_do_not_exchange_energy(void **state) {
    (void)state;
    const int32_t schemes[] = {PBS_SCHEME_A_SEARCH, PBS_SCHEME_SPARSE_A_SEARCH,
                               PBS_SCHEME_DECOUPLED_SDIRK2, PBS_SCHEME_ENERGY_BLENDING};
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        pbs_integrator_desc d = describe(schemes[s]);
        double alone[2], together[2], mixed[2];
        for (int b = 0; b < 2; b++) {
            pbs_world *world = tight_world(&d);
            run_pair(world, 1, b, alone, 60);
            pbs_world_destroy(world);
        }
        pbs_world *whole = tight_world(&d);
        run_pair(whole, 2, 0, mixed, 60);
        d.energy_control.by_island = 1;
        pbs_world *islands = tight_world(&d);
        run_pair(islands, 2, 0, together, 60);
        assert_near(together[0], alone[0], 1e-7, "energy of the first");
        assert_near(together[1], alone[1], 1e-5, "energy of the second");
        // Of one alpha, the first body gains what the second one loses.
        assert_true(mixed[0] > 0.5 || s > 1);
        const pbs_stats stats = stats_of(islands);
        assert_near(stats.energy_control.target, 0.5 + 4.5 + 20.25, 1e-12, "sum of the targets");
        assert_near(stats.energy_control.reached, together[0] + together[1], 1e-12,
                    "sum of energies");
        pbs_world_destroy(whole);
        pbs_world_destroy(islands);
    }
}

enum { MEETING_STEPS = 120 };

/// A brick that turns flies at a cube that vibrates, 6 cm away, with barriers; either may be
/// missing. 1.2 and 1 kg.
static pbs_world *meeting(bool brick, bool cube, double gravity, int32_t threads) {
    const double corner[3] = {0.16, -0.05, -0.05}, sides[3] = {0.2, 0.1, 0.06};
    pbs_world_desc w;
    assert_ok(pbs_world_desc_init(&w, sizeof w));
    w.gravity[1] = -gravity;
    w.relative_tolerance = 1e-10;
    w.contact = PBS_CONTACT_BARRIER;
    w.velocity_tolerance = 0.0;
    w.contact_distance = 1e-3;
    w.contact_stiffness = 1e5;
    w.threads = threads;
    pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH);
    d.energy_control.by_island = 1;
    pbs_world *world = new_world_from(&w);
    use_integrator(world, &d);
    if (brick) {
        struct box_surface box;
        pbs_affine_desc affine;
        pbs_body body;
        box_surface_make(&box, sides);
        box_surface_describe(&box, &affine);
        affine.density = 1000.0;
        affine.stiffness = 1e7;
        affine.velocity[0] = 0.5;
        affine.angular_velocity[0] = 15.0;
        assert_ok(pbs_body_create_affine(world, &affine, &body));
    }
    if (cube) {
        double velocities[81] = {0.0};
        for (int i = 0; i < 27; i++) {
            velocities[3 * i + 1] = 0.2 * (i % 3 - 1);
        }
        pbs_solid_desc solid;
        assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
        solid.density = 1000.0;
        solid.young = 1e5;
        solid.initial_velocities = velocities;
        add_cube(world, 2, 0.1, corner, &solid);
    }
    return world;
}

/// With barriers too: two bodies are alone until they touch, are one island while they do, and two
/// again afterwards; nothing of their targets is lost on the way, and threads change no bit. In a
/// fall as well, where positions of implicit Euler lose g^2 h^2 / 2 per kg and step.
static void meet(double gravity) {
    const double h = 1.0 / 120.0;
    pbs_world *both = meeting(true, true, gravity, 1), *threaded = meeting(true, true, gravity, 3);
    pbs_world *first = meeting(true, false, gravity, 1);
    pbs_world *second = meeting(false, true, gravity, 1);
    const double start = energy_of(both).total;
    const double size = fabs(start) + 2.2 * gravity * gravity; // of what falls for a second
    int before = 0, during = 0, after = 0, apart = 0;
    double closest = INFINITY;
    for (int i = 0; i < MEETING_STEPS; i++) {
        assert_ok(pbs_world_step(both, h));
        assert_ok(pbs_world_step(threaded, h));
        const pbs_stats stats = stats_of(both);
        const double energy = start - 0.5 * 2.2 * gravity * gravity * h * h * (i + 1);
        assert_true(pbs_world_hash(both) == pbs_world_hash(threaded));
        assert_near(stats.energy_control.target, energy, 1e-12 * size, "sum of the targets");
        // Not 0: elastic energy is not convex.
        assert_small(stats.energy_control.reached - energy, 5e-3 * start, "above the targets");
        if (i >= MEETING_STEPS / 2) {
            closest = fmin(closest, fabs(stats.energy_control.reached - energy));
        }
        if (stats.contact.active > 0) {
            during++;
            assert_near(stats.energy_control.alpha_low, stats.energy_control.alpha_high, 0.0,
                        "one alpha");
        } else if (during == 0) {
            before++;
            assert_ok(pbs_world_step(first, h));
            assert_ok(pbs_world_step(second, h));
            const double alone = energy_of(first).total + energy_of(second).total;
            // 1e-10 of a reference force of 4e5 N at .5 m/s may leave 1.7e-7 J of .31 a step.
            assert_near(energy_of(both).total, alone, 1e-8 * start, "as alone");
        } else {
            after++;
            apart += stats.energy_control.alpha_low != stats.energy_control.alpha_high;
        }
    }
    assert_true(before > 3 && during > 0 && after > 20 && apart > after / 2);
    // It dips and comes back long after they have met.
    assert_small(closest, 1e-3 * start, "beside the targets");
    pbs_world_destroy(both);
    pbs_world_destroy(threaded);
    pbs_world_destroy(first);
    pbs_world_destroy(second);
}

static void bodies_that_meet_are_one_island(void **state) {
    (void)state;
    meet(0.0);
    meet(9.81);
}

/// The host sets one body's velocities: its target starts anew, the other's stays.
static void setting_a_body_restarts_its_target(void **state) {
    (void)state;
    pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH);
    d.energy_control.by_island = 1;
    d.energy_control.alpha_choice = PBS_ALPHA_FIXED;
    d.energy_control.alpha = 0.0; // loses energy, so that targets and energies differ
    pbs_world *world = tight_world(&d);
    double energies[2];
    run_pair(world, 2, 0, energies, 20);
    assert_near(stats_of(world).energy_control.target, 25.25, 1e-12, "targets");
    const double velocity[3] = {0.5, 0.0, 0.0};
    const pbs_body first = pbs_world_body_at(world, 0);
    assert_ok(pbs_body_set_velocities(world, first, velocity, 1));
    const double x = pbs_body_positions(world, first)[0];
    assert_ok(pbs_world_step(world, 0.1));
    assert_near(stats_of(world).energy_control.target, 24.75 + 0.5 * x * x + 0.125, 1e-12,
                "one target");
    // Another body has a target of its own; those of the others stay.
    double third[2];
    const double before = stats_of(world).energy_control.target;
    run_pair(world, 1, 0, third, 1);
    assert_near(stats_of(world).energy_control.target, before + 0.5, 1e-12, "all targets");
    pbs_world_destroy(world);
}

/// One target for all starts anew whichever body's velocities the host sets: nothing of the old
/// one, which was of all, is left beside what there is.
static void setting_any_body_restarts_the_target_of_all(void **state) {
    (void)state;
    for (size_t b = 0; b < 2; b++) {
        pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH);
        d.energy_control.alpha_choice = PBS_ALPHA_FIXED;
        d.energy_control.alpha = 0.0; // loses energy, so that target and energy differ
        pbs_world *world = tight_world(&d);
        double energies[2];
        run_pair(world, 2, 0, energies, 20);
        assert_near(stats_of(world).energy_control.target, 25.25, 1e-12, "target");
        assert_true(energy_of(world).total < 25.0);
        const double velocity[3] = {0.5, 0.0, 0.0};
        assert_ok(pbs_body_set_velocities(world, pbs_world_body_at(world, b), velocity, 1));
        const double energy = energy_of(world).total;
        assert_ok(pbs_world_step(world, 0.1));
        assert_near(stats_of(world).energy_control.target, energy, 1e-12 * 25.25, "target");
        pbs_world_destroy(world);
    }
}

/// A body that nothing acts on keeps its velocity to rounding.
static void free_flight_stays_free(void **state) {
    (void)state;
    for (int32_t scheme = PBS_SCHEME_A_1; scheme <= PBS_SCHEME_ENERGY_BLENDING; scheme++) {
        pbs_body cube;
        pbs_collider wall;
        pbs_world *world = cube_and_wall(2.0, &cube, &wall);
        const pbs_integrator_desc d = describe(scheme);
        use_integrator(world, &d);
        for (int i = 0; i < 50; i++) {
            assert_ok(pbs_world_step(world, 0.02));
        }
        const double *v = pbs_body_velocities(world, cube);
        for (int i = 0; i < 81; i++) {
            assert_near(v[i], i % 3 == 1 ? 2.0 : 0.0, 1e-9, "velocity in free flight");
        }
        pbs_world_destroy(world);
    }
}

/// A target goes with its world through save and restore, so that what follows has the same bits.
static void targets_are_saved(void **state) {
    (void)state;
    for (int32_t scheme = PBS_SCHEME_A_SEARCH; scheme <= PBS_SCHEME_ENERGY_BLENDING; scheme++) {
        struct oscillation o = oscillation_of(OSCILLATOR_CUBIC);
        pbs_integrator_desc d = describe(scheme);
        d.energy_control.decay_time = 30.0;
        d.energy_control.fraction = 0.9;
        pbs_world *world = world_of(&d, &o);
        for (int i = 0; i < 11; i++) {
            assert_ok(pbs_world_step(world, 0.1));
        }
        struct saved_world saved = save_world(world);
        pbs_world *other = new_world();
        assert_ok(pbs_world_register_callback(other, SPRING_TAG, oscillator_evaluate, &o.problem));
        assert_ok(pbs_world_restore(other, saved.data, saved.size));
        for (int i = 0; i < 5; i++) {
            assert_ok(pbs_world_step(world, 0.1));
            assert_ok(pbs_world_step(other, 0.1));
            assert_true(pbs_world_hash(world) == pbs_world_hash(other));
            const double targets[2] = {stats_of(world).energy_control.target,
                                       stats_of(other).energy_control.target};
            assert_same_bits(&targets[0], &targets[1], 1);
        }
        free(saved.data);
        pbs_world_destroy(world);
        pbs_world_destroy(other);
    }
}

static void bad_settings_are_refused(void **state) {
    (void)state;
    static const struct {
        size_t at;
        double value;
        const char *words;
    } rows[] = {
        {offsetof(pbs_integrator_desc, energy_control.alpha), -0.1,
         "energy_control.alpha is -0.1, must be 0 to 4"},
        {offsetof(pbs_integrator_desc, energy_control.alpha), 4.1, "alpha is 4.1, must be 0 to 4"},
        {offsetof(pbs_integrator_desc, energy_control.alpha_min), 1.2,
         "alpha_max is 1.1, must be 1.2 to 4"},
        {offsetof(pbs_integrator_desc, energy_control.alpha_max), NAN, "energy_control.alpha_max"},
        {offsetof(pbs_integrator_desc, energy_control.fraction), -1.0, "energy_control.fraction"},
        {offsetof(pbs_integrator_desc, energy_control.ground), INFINITY, "energy_control.ground"},
        {offsetof(pbs_integrator_desc, energy_control.decay_time), -1.0,
         "energy_control.decay_time"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH);
        memcpy((char *)&d + rows[i].at, &rows[i].value, sizeof rows[i].value);
        pbs_integrator *integrator = NULL;
        assert_status(pbs_integrator_create(&d, &integrator), PBS_ERROR_ARGUMENT);
        assert_message(rows[i].words);
        assert_null(integrator);
    }
    pbs_integrator_desc d = describe(PBS_SCHEME_A_SEARCH);
    pbs_integrator *integrator = NULL;
    d.energy_control.alpha_choice = 3;
    assert_status(pbs_integrator_create(&d, &integrator), PBS_ERROR_ARGUMENT);
    assert_message("alpha_choice");
    d.energy_control.alpha_choice = PBS_ALPHA_SEARCH;
    d.energy_control.by_island = 2;
    assert_status(pbs_integrator_create(&d, &integrator), PBS_ERROR_ARGUMENT);
    assert_message("energy_control.by_island");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_never_exceed_their_target),
        cmocka_unit_test(blending_keeps_its_target),
        cmocka_unit_test(decay_follows_its_curve),
        cmocka_unit_test(rejected_steps_leave_the_target),
        cmocka_unit_test(divided_steps_carry_the_target),
        cmocka_unit_test(friction_is_off_the_target),
        cmocka_unit_test(bad_settings_are_refused),
        cmocka_unit_test(changes_of_gravity_are_work),
        cmocka_unit_test(lifts_do_the_work_of_their_force),
        cmocka_unit_test(points_in_space_do_the_work_of_their_force),
        cmocka_unit_test(frames_agree_on_scripts),
        cmocka_unit_test(scripts_store_their_work),
        cmocka_unit_test(frames_agree_on_walls),
        cmocka_unit_test(a_bounce_returns_the_energy),
        cmocka_unit_test(alphas_are_as_they_were_chosen),
        cmocka_unit_test(spectra_are_those_of_the_formulas),
        cmocka_unit_test(islands_do_not_exchange_energy),
        cmocka_unit_test(bodies_that_meet_are_one_island),
        cmocka_unit_test(setting_a_body_restarts_its_target),
        cmocka_unit_test(setting_any_body_restarts_the_target_of_all),
        cmocka_unit_test(free_flight_stays_free),
        cmocka_unit_test(targets_are_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
