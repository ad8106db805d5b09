// Barrier contact of all that can touch: the gradient beside differences of the energy, the Hessian
// beside dense projections of each contact's, forces that balance, friction that takes out, and
// that neither the list of candidates that happens to be there nor threads change a bit.
// SPDX-License-Identifier: MIT
#include "contact/barrier/barrier_report.h"
#include "contact/barrier/lagged_friction.h"
#include "contact/barrier/edge_factor.h"

#include "support/host/allocator.h"
#include "support/numerics/derivatives.h"
#include "support/host/refusals.h"
#include "contact/touching_scene.h"

static const int32_t wall_kinds[] = {PBS_SHAPE_HALF_SPACE, PBS_SHAPE_SPHERE, PBS_SHAPE_BOX,
                                     PBS_SHAPE_CAPSULE, PBS_SHAPE_CYLINDER};

static struct memory memory;
static struct random numbers;

static int setup(void **state) {
    (void)state;
    memory_init(&memory, NULL);
    numbers = random_seed(5);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    assert_int_equal(memory.bytes_in_use, 0);
    return 0;
}

// --- scenes where much is within reach ---

static const double REACH = 0.3;
// Beside it, steps of differences are short.
static const double LEAST_GAP = 2e-3;
static const double STEP = 2e-6;

static void scatter_obstacles(struct touching_scene *s, bool is_moving) {
    for (int i = 0; i < WALL_OBSTACLE; i++) {
        double r[9];
        random_rotation(&numbers, r);
        random_fill(&numbers, -0.6, 0.6, s->now[i].pose.translation, 3);
        memcpy(s->now[i].pose.rotation, r, sizeof r);
    }
    memcpy(s->target, s->now, sizeof s->target);
    for (int i = 0; is_moving && i < SCENE_OBSTACLES; i++) {
        double r[9];
        random_rotation(&numbers, r);
        turn_pose(&s->target[i].pose, r);
        for (int k = 0; k < 3; k++) {
            s->target[i].pose.translation[k] += random_uniform(&numbers, -1.0, 1.0);
            s->target[i].velocity[k] = random_uniform(&numbers, -1.0, 1.0);
            s->target[i].angular_velocity[k] = random_uniform(&numbers, -1.0, 1.0);
        }
    }
    place_scene(s);
}

/// Parts in one another's reach, and through one another, elements of any shape; or nearly as they
/// are at rest, so that many edges are nearly parallel.
static void scatter_nodes(struct touching_scene *s, bool is_aligned) {
    const double noise = is_aligned ? 3e-3 : 0.15;
    double shift[3] = {0.0, 0.0, 0.0};
    double turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double centre[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < SCENE_NODES; i++) {
        const double *rest = s->rest + 3 * (size_t)i;
        double *x = s->x + 3 * (size_t)i;
        const bool is_handle = i > AFFINE_FIRST && i < CHAIN_FIRST;
        if (i == 0 || i == SOLID_NODES || i == AFFINE_FIRST || i == CHAIN_FIRST) {
            random_fill(&numbers, -0.5, 0.5, shift, 3);
            const double middle[3] = {i == SOLID_NODES || i == CHAIN_FIRST ? 1.0 : 0.0,
                                      i >= AFFINE_FIRST ? 1.0 : 0.0, 0.0};
            copy3(middle, centre);
            if (!is_aligned) {
                random_rotation(&numbers, turn);
            }
        }
        double arm[3];
        subtract3(rest, is_handle ? (double[3]){0.0} : centre, arm);
        multiply3(turn, arm, x);
        add3(x, is_handle ? (double[3]){0.0} : shift, x);
        for (int k = 0; k < 3; k++) {
            x[k] += random_uniform(&numbers, -noise, noise) * (is_handle ? 0.3 : 1.0);
        }
    }
}

static size_t count_mollified(const struct barrier_contact *c) {
    size_t count = 0;
    for (size_t i = 0; i < c->contact_count; i++) {
        count += c->contacts[i].factor < 1.0;
    }
    return count;
}

/// Moves the walls' obstacle so that points come within reach of walls.
static void narrow_walls(struct touching_scene *s, double size) {
    struct obstacle *o = &s->now[WALL_OBSTACLE];
    for (int k = 0; k < 3; k++) {
        o->shape.size[k] = size;
    }
    o->pose.translation[1] = o->shape.kind == PBS_SHAPE_HALF_SPACE ? -size : 0.0;
    double r[9];
    random_rotation(&numbers, r);
    if (o->shape.kind != PBS_SHAPE_HALF_SPACE) {
        turn_pose(&o->pose, r);
    }
    s->target[WALL_OBSTACLE] = *o;
    place_scene(s);
}

static size_t count_at_walls(const struct barrier_contact *c) {
    size_t count = 0;
    for (size_t i = 0; i < c->contact_count; i++) {
        count += c->contacts[i].wall != CONTACT_NO_WALL;
    }
    return count;
}

/// A scene with contacts of all kinds, none closer than LEAST_GAP.
static void crowd(struct touching_scene *s, int32_t wall, bool is_aligned, bool is_moving) {
    touching_scene_make(&memory, s, wall, REACH);
    for (int i = 0;; i++) {
        assert_true(i < 20000);
        narrow_walls(s, 1.05);
        scatter_obstacles(s, is_moving);
        scatter_nodes(s, is_aligned);
        if (isfinite(scene_energy(s, s->x, false, NULL)) &&
            barrier_contact_least_gap(&s->contact) > LEAST_GAP && count_at_walls(&s->contact) > 0) {
            return;
        }
    }
}

static size_t count_of_kind(const struct barrier_contact *c, enum pair_kind kind) {
    size_t count = 0;
    for (size_t i = 0; i < c->contact_count; i++) {
        count += c->contacts[i].kind == kind && c->contacts[i].wall == CONTACT_NO_WALL;
    }
    return count;
}

/// Friction of the state, slipping by random amounts about the width.
static void begin_friction(struct touching_scene *s) {
    double origin[SCENE_COORDINATES];
    assert_ok(barrier_contact_lag_friction(&s->contact, NULL, s->x, false));
    for (int k = 0; k < SCENE_COORDINATES; k++) {
        origin[k] = s->x[k] + random_uniform(&numbers, -0.05, 0.05);
    }
    barrier_contact_begin_stage(&s->contact, origin, 0.5);
}

// --- gradient ---

struct function {
    struct touching_scene *scene;
    bool with_friction;
};

static double value_at(void *context, const double *x) {
    const struct function *f = context;
    return scene_energy(f->scene, x, f->with_friction, NULL);
}

static void gradient_at(void *context, const double *x, double *gradient) {
    const struct function *f = context;
    memset(gradient, 0, SCENE_COORDINATES * sizeof *gradient);
    scene_energy(f->scene, x, f->with_friction, gradient);
}

/// With gaps of LEAST_GAP the error of the differences is of the order of (STEP / LEAST_GAP)^4 =
/// 1e-12 of the largest force; rounding adds 1e-16 E / STEP, with E below 100 J 5e-9. Where the
/// closest features change between the points, second derivatives jump: such states are rare, and a
/// quarter of the step keeps to one side of them.
static void the_gradient_is_that_of_the_energy(void **state) {
    (void)state;
    size_t kinds[PAIR_KINDS] = {0};
    size_t mollified = 0;
    size_t walls = 0;
    for (int i = 0; i < 20; i++) {
        struct touching_scene s;
        crowd(&s, wall_kinds[i % 5], i / 5 % 2 == 1, true);
        struct barrier *barrier = &s.contact.settings.barrier;
        barrier->form = i < 10 ? BARRIER_DISTANCE : BARRIER_SQUARED;
        barrier->stiffness = i < 10 ? 1.0 : 10.0;
        begin_friction(&s);
        struct function f = {&s, i % 3 != 0};
        const struct derivatives_function check = {
            .count = SCENE_COORDINATES, .value = value_at, .gradient = gradient_at, .context = &f};
        const double errors[2] = {derivatives_gradient_error(&check, s.x, STEP),
                                  derivatives_gradient_error(&check, s.x, 0.25 * STEP)};
        assert_small(fmin(errors[0], errors[1]), 1e-7, "gradient");
        scene_energy(&s, s.x, false, NULL);
        for (int k = 0; k < PAIR_KINDS; k++) {
            kinds[k] += count_of_kind(&s.contact, (enum pair_kind)k);
        }
        mollified += count_mollified(&s.contact);
        walls += count_at_walls(&s.contact);
        barrier_contact_free(&s.contact);
    }
    for (int k = 0; k < PAIR_KINDS; k++) {
        assert_true(kinds[k] > 5);
    }
    assert_true(mollified > 50);
    assert_true(walls > 40);
}

/// Bodies and obstacles together feel nothing, and are not turned, but by friction between bodies;
/// nodes feel minus the gradient; contacts, each listed once though two states have it, add up to
/// what their parts feel. To rounding of sums of a thousand terms.
static void forces_are_equal_and_opposite(void **state) {
    (void)state;
    struct contact_report report = {0};
    for (int i = 0; i < testing_rounds(10); i++) {
        struct touching_scene s;
        const bool rubs = i % 2 == 0;
        crowd(&s, wall_kinds[i % 5], i >= 5, true);
        if (rubs) {
            begin_friction(&s);
        }
        const struct collision_mesh *mesh = &s.contact.mesh;
        const struct contact_report_size size = {.parts = mesh->part_count,
                                                 .points = mesh->point_count};
        assert_ok(contact_report_start(&memory, &size, &report));
        const struct contact_stage solution = {
            .impulse_fraction = 0.5, .memory = &memory, .report = &report};
        double gradient[SCENE_COORDINATES] = {0.0};
        double forces[SCENE_COORDINATES] = {0.0};
        scene_energy(&s, s.x, false, gradient);
        assert_ok(barrier_report_add(&s.contact, &solution));
        contact_report_add_node_forces(&s.contact.mesh, &report, forces);
        double scale = 0.0;
        for (int k = 0; k < SCENE_COORDINATES; k++) {
            scale = fmax(scale, fabs(gradient[k]));
        }
        const double rounding = 1000.0 * 0x1p-52 * scale;
        assert_true(scale > 0.0);
        for (int k = 0; k < SCENE_COORDINATES; k++) {
            assert_near(forces[k], -0.5 * gradient[k], rounding, "force on a node");
        }
        // A second state, whose contacts are partly the same.
        const size_t first_count = report.record_count;
        for (int k = 0; k < SCENE_COORDINATES; k++) {
            s.x[k] += random_uniform(&numbers, -5e-4, 5e-4);
        }
        scene_energy(&s, s.x, false, NULL);
        assert_ok(barrier_report_add(&s.contact, &solution));
        assert_true(report.record_count < first_count + s.contact.contact_count);

        double sums[3][3] = {{0.0}};
        double by_part[SCENE_PARTS][3] = {{0.0}};
        for (size_t p = 0; p < SCENE_PARTS; p++) {
            add3(sums[0], report.loads[p].force, sums[0]);
            add3(sums[1], report.loads[p].friction, sums[1]);
            add3(sums[2], report.loads[p].torque, sums[2]);
        }
        double rubbed = 0.0;
        for (size_t r = 0; r < report.record_count; r++) {
            struct contact_geometry shape;
            double both[3];
            barrier_report_geometry(&s.contact, &report.records[r], &shape);
            add3(report.records[r].force, report.records[r].friction, both);
            add3(by_part[shape.part[0]], both, by_part[shape.part[0]]);
            subtract3(by_part[shape.part[1]], both, by_part[shape.part[1]]);
            rubbed += norm3(report.records[r].friction);
        }
        assert_true((rubbed > 0.0) == rubs);
        assert_small(norm3(sums[0]), rounding, "sum of all forces");
        assert_small(norm3(sums[1]), rounding, "sum of all friction");
        for (size_t p = 0; p < SCENE_PARTS; p++) {
            double both[3];
            add3(report.loads[p].force, report.loads[p].friction, both);
            assert_small(testing_max_difference(both, by_part[p], 3), rounding, "sum of contacts");
        }
        // Nothing is farther than 4 m from the origin.
        assert_small(rubs ? 0.0 : norm3(sums[2]), 4.0 * rounding, "sum of all torques");
        barrier_contact_free(&s.contact);
    }
    contact_report_free(&memory, &report);
}

// --- Hessian ---

/// Rows in an order of their own.
struct own_layout {
    struct layout layout;
    uint32_t row[SCENE_NODES], node[SCENE_NODES], starts[3];
};

static void make_layout(struct own_layout *own) {
    size_t order[SCENE_NODES];
    random_permutation(&numbers, order, SCENE_NODES);
    for (uint32_t i = 0; i < SCENE_NODES; i++) {
        own->row[i] = (uint32_t)order[i];
        own->node[order[i]] = i;
    }
    own->starts[0] = 0;
    own->starts[1] = SCENE_NODES / 2;
    own->starts[2] = SCENE_NODES;
    own->layout = (struct layout){.node_count = SCENE_NODES,
                                  .domain_count = 2,
                                  .row = own->row,
                                  .node = own->node,
                                  .domain_start = own->starts};
}

/// The matrix in node order.
static void densify(const struct contact_matrix *c, const struct own_layout *own, double *dense) {
    memset(dense, 0, SCENE_COORDINATES * SCENE_COORDINATES * sizeof *dense);
    for (uint32_t r = 0; r < c->row_count; r++) {
        for (uint32_t b = c->start[r]; b < c->start[r + 1]; b++) {
            const size_t i = 3 * (size_t)own->node[c->row[r]];
            const size_t j = 3 * (size_t)own->node[c->column[b]];
            for (size_t k = 0; k < 9; k++) {
                dense[(i + k / 3) * SCENE_COORDINATES + j + k % 3] = c->values[9 * b + k];
            }
        }
    }
}

/// The Hessian of the last linearize.
static void densify_contact(const struct barrier_contact *contact, const struct own_layout *own,
                            double *dense) {
    struct contact_matrix c = {0};
    assert_ok(contact_matrix_build(contact->memory, &own->layout, contact->blocks.sets,
                                   CONTACT_STENCIL_LIMIT, &c));
    densify(&c, own, dense);
    contact_matrix_free(contact->memory, &c);
}

/// a = V diag(w) V^T by Jacobi's rotations; a: size x size, destroyed.
static void eigen_dense(size_t size, double *a, double *vectors) {
    for (size_t k = 0; k < size * size; k++) {
        vectors[k] = k % (size + 1) == 0 ? 1.0 : 0.0;
    }
    for (int sweep = 0; sweep < 30; sweep++) {
        for (size_t p = 0; p < size; p++) {
            for (size_t q = p + 1; q < size; q++) {
                if (a[p * size + q] == 0.0) {
                    continue;
                }
                const double theta = 0.5 * atan2(2.0 * a[p * size + q],
                                                 a[q * size + q] - a[p * size + p]);
                const double c = cos(theta);
                const double s = sin(theta);
                for (size_t k = 0; k < size; k++) {
                    const double u = a[k * size + p];
                    const double v = a[k * size + q];
                    a[k * size + p] = c * u - s * v;
                    a[k * size + q] = s * u + c * v;
                }
                for (size_t k = 0; k < size; k++) {
                    const double u = a[p * size + k];
                    const double v = a[q * size + k];
                    a[p * size + k] = c * u - s * v;
                    a[q * size + k] = s * u + c * v;
                    const double x = vectors[k * size + p];
                    const double y = vectors[k * size + q];
                    vectors[k * size + p] = c * x - s * y;
                    vectors[k * size + q] = s * x + c * y;
                }
            }
        }
    }
}

/// b'' g g^T + (b' hess d)^+ of a pair, with g = grad d and hess d = (hess d^2 / 2 - g g^T) / d. Of
/// nearly parallel edges the first part is as test_edge_factor.c has it.
static void project_pair(const struct barrier_contact *c, const struct active_contact *contact,
                         size_t size, double *out) {
    const double *x[PAIR_NODES] = {NULL};
    for (int k = 0; k < contact->point_count; k++) {
        x[k] = c->points + 3 * (size_t)contact->points[k];
    }
    const struct closest closest = closest_points(contact->kind, x);
    double g[12];
    double hessian[144];
    double vectors[144];
    closest_hessian(contact->kind, x, &closest, hessian);
    for (size_t i = 0; i < size; i++) {
        g[i] = closest.weight[i / 3] * closest.r[i % 3] / contact->distance;
    }
    for (size_t k = 0; k < size * size; k++) {
        hessian[k] = contact->barrier.first * (0.5 * hessian[k] - g[k / size] * g[k % size]) /
                     contact->distance;
        out[k] = contact->factor < 1.0 ? 0.0 : contact->barrier.second * g[k / size] * g[k % size];
    }
    eigen_dense(size, hessian, vectors);
    for (size_t k = 0; k < size * size; k++) {
        for (size_t e = 0; e < size; e++) {
            out[k] += fmax(0.0, hessian[e * size + e]) * vectors[k / size * size + e] *
                      vectors[k % size * size + e];
        }
        out[k] *= contact->factor;
    }
    struct contact_hessian rank = {0};
    if (contact->factor < 1.0) {
        edge_factor_hessian(contact, x, &rank);
    }
    for (int r = 0; r < rank.count; r++) {
        const double *const vector = rank.vector[r][0];
        for (size_t k = 0; k < size * size; k++) {
            out[k] += rank.coefficient[r] * vector[k / size] * vector[k % size];
        }
    }
}

/// Adds a block over points to the matrix over nodes, without held axes.
static void fold_dense(const struct collision_mesh *mesh, const uint32_t *points, size_t size,
                       const double *block, const uint8_t *held, double *dense) {
    for (size_t k = 0; k < size * size; k++) {
        uint32_t a[4], b[4];
        double wa[4], wb[4];
        const size_t i = k / size;
        const size_t j = k % size;
        const int count_a = collision_mesh_nodes(mesh, points[i / 3], a, wa);
        const int count_b = collision_mesh_nodes(mesh, points[j / 3], b, wb);
        for (int p = 0; p < count_a; p++) {
            for (int q = 0; q < count_b; q++) {
                if ((held[a[p]] >> i % 3 & 1) == 0 && (held[b[q]] >> j % 3 & 1) == 0) {
                    dense[(3 * a[p] + i % 3) * SCENE_COORDINATES + 3 * b[q] + j % 3] += wa[p] *
                                                                                        wb[q] *
                                                                                        block[k];
                }
            }
        }
    }
}

static double largest(const double *a, size_t count) {
    double most = 0.0;
    for (size_t k = 0; k < count; k++) {
        most = fmax(most, fabs(a[k]));
    }
    return most;
}

static void assert_symmetric(const double *dense) {
    for (size_t k = 0; k < SCENE_COORDINATES * SCENE_COORDINATES; k++) {
        const size_t i = k / SCENE_COORDINATES;
        const size_t j = k % SCENE_COORDINATES;
        assert_true(dense[k] == dense[j * SCENE_COORDINATES + i]);
    }
}

/// Pairs: each contact's part is what a dense projection leaves of it, folded to its nodes, without
/// held axes; the sum is symmetric to the bit. hess d by differences of terms as large as 1 / d
/// loses 1 / LEAST_GAP of 16 digits, squared in the barrier's first derivative: 1e-10.
static void the_hessian_is_the_projected_one(void **state) {
    (void)state;
    enum { COUNT = SCENE_COORDINATES * SCENE_COORDINATES };
    double *const found = malloc(COUNT * sizeof *found);
    double *const expected = malloc(COUNT * sizeof *expected);
    for (int i = 0; i < testing_rounds(12); i++) {
        struct touching_scene s;
        struct own_layout own;
        uint8_t held[SCENE_NODES] = {0};
        crowd(&s, PBS_SHAPE_SPHERE, i % 2 == 1, false);
        s.contact.wall_count = 0;
        assert_ok(barrier_contact_search(&s.contact, NULL, NULL));
        make_layout(&own);
        for (int k = 0; i % 3 > 0 && k < SCENE_NODES; k++) {
            held[k] = (uint8_t)random_index(&numbers, 8);
        }
        assert_ok(barrier_contact_linearize(&s.contact, NULL, &own.layout, i % 3 > 0 ? held : NULL,
                                            s.x, false));
        densify_contact(&s.contact, &own, found);
        memset(expected, 0, COUNT * sizeof *expected);
        for (size_t k = 0; k < s.contact.contact_count; k++) {
            const struct active_contact *contact = &s.contact.contacts[k];
            const size_t size = 3 * (size_t)contact->point_count;
            double block[144];
            project_pair(&s.contact, contact, size, block);
            fold_dense(&s.contact.mesh, contact->points, size, block, held, expected);
        }
        assert_symmetric(found);
        assert_true(s.contact.contact_count > 20);
        assert_small(testing_max_difference(found, expected, COUNT) / largest(expected, COUNT),
                     1e-10, "projected Hessian");
        barrier_contact_free(&s.contact);
    }
    free(found);
    free(expected);
}

/// Walls and friction have nothing to be projected: their Hessian is the derivative of the
/// gradient. Only walls and friction are there: no pair may touch.
static void walls_and_friction_have_their_exact_hessian(void **state) {
    (void)state;
    enum { COUNT = SCENE_COORDINATES * SCENE_COORDINATES };
    double *const found = malloc(COUNT * sizeof *found);
    for (int i = 0; i < testing_rounds(10); i++) {
        struct touching_scene s;
        struct own_layout own;
        crowd(&s, wall_kinds[i % 5], false, true);
        if (i >= 5) {
            begin_friction(&s);
        }
        for (uint32_t p = 0; p < PART_WALLS; p++) {
            s.contact.mesh.parts[p].mask = UINT32_MAX ^ 1u;
            s.contact.mesh.parts[p].group = 1u;
            s.contact.mesh.parts[p].touches_itself = false;
        }
        s.contact.mesh.parts[PART_WALLS].mask = 1u;
        s.contact.mesh.parts[PART_WALLS].group = 2u;
        assert_ok(barrier_contact_search(&s.contact, NULL, NULL));
        make_layout(&own);
        assert_ok(barrier_contact_linearize(&s.contact, NULL, &own.layout, NULL, s.x, true));
        assert_true(count_at_walls(&s.contact) == s.contact.contact_count);
        assert_true(s.contact.contact_count > 0 && (i < 5 || s.contact.friction_count > 0));
        densify_contact(&s.contact, &own, found);
        const double scale = fmax(1.0, largest(found, COUNT));
        struct function f = {&s, true};
        for (size_t k = 0; k < SCENE_COORDINATES; k++) {
            double up[SCENE_COORDINATES], down[SCENE_COORDINATES];
            const double x = s.x[k];
            s.x[k] = x + STEP;
            gradient_at(&f, s.x, up);
            s.x[k] = x - STEP;
            gradient_at(&f, s.x, down);
            s.x[k] = x;
            for (size_t j = 0; j < SCENE_COORDINATES; j++) {
                // Third derivatives are up to 2 / LEAST_GAP of the second ones: STEP / LEAST_GAP
                // where they jump, its square elsewhere.
                assert_near((up[j] - down[j]) / (2.0 * STEP), found[k * SCENE_COORDINATES + j],
                            1e-5 * scale, "Hessian of walls and friction");
            }
        }
        barrier_contact_free(&s.contact);
    }
    free(found);
}

/// What the motion of walls and points changes in the gradient, against differences of gradients
/// with everything moved: no pair may touch, so nothing is projected.
static void walls_that_move_change_the_gradient(void **state) {
    (void)state;
    for (int i = 0; i < testing_rounds(10); i++) {
        struct touching_scene s;
        crowd(&s, wall_kinds[i % 5], false, true);
        for (uint32_t p = 0; p < PART_WALLS; p++) {
            s.contact.mesh.parts[p].mask = UINT32_MAX ^ 1u;
            s.contact.mesh.parts[p].group = 1u;
            s.contact.mesh.parts[p].touches_itself = false;
        }
        s.contact.mesh.parts[PART_WALLS].mask = 1u;
        s.contact.mesh.parts[PART_WALLS].group = 2u;
        assert_ok(barrier_contact_search(&s.contact, NULL, NULL));
        struct own_layout own;
        make_layout(&own);
        assert_ok(barrier_contact_linearize(&s.contact, NULL, &own.layout, NULL, s.x, false));
        double motion[SCENE_COORDINATES];
        double found[SCENE_COORDINATES] = {0.0};
        random_fill(&numbers, -1.0, 1.0, motion, SCENE_COORDINATES);
        barrier_contact_add_motion(&s.contact, NULL, motion, found);
        double ends[2][SCENE_COORDINATES];
        for (int side = 0; side < 2; side++) {
            const double step = side == 0 ? -STEP : STEP;
            double x[SCENE_COORDINATES];
            place_scene(&s);
            barrier_contact_advance_motion(&s.contact, step);
            for (int k = 0; k < SCENE_COORDINATES; k++) {
                x[k] = s.x[k] + step * motion[k];
            }
            struct function f = {&s, false};
            gradient_at(&f, x, ends[side]);
        }
        const double scale = fmax(1.0, largest(found, SCENE_COORDINATES));
        assert_true(s.contact.contact_count > 0);
        for (int k = 0; k < SCENE_COORDINATES; k++) {
            assert_near((ends[1][k] - ends[0][k]) / (2.0 * STEP), found[k], 1e-5 * scale,
                        "gradient changed by a moving wall");
        }
        barrier_contact_free(&s.contact);
    }
}

/// With obstacles at rest the product with a motion is that of the matrix; with nodes at rest and
/// obstacles moving on, each pair's part is its projected Hessian times their way. Friction does
/// not know where on their way obstacles are.
static void motions_are_multiplied_by_the_hessian(void **state) {
    (void)state;
    enum { COUNT = SCENE_COORDINATES * SCENE_COORDINATES };
    double *const dense = malloc(COUNT * sizeof *dense);
    for (int i = 0; i < 6; i++) {
        struct touching_scene s;
        struct own_layout own;
        const bool obstacles_move = i % 2 == 1;
        crowd(&s, PBS_SHAPE_SPHERE, i >= 4, obstacles_move);
        s.contact.wall_count = 0;
        assert_ok(barrier_contact_search(&s.contact, NULL, NULL));
        begin_friction(&s);
        make_layout(&own);
        assert_ok(barrier_contact_linearize(&s.contact, NULL, &own.layout, NULL, s.x, true));
        densify_contact(&s.contact, &own, dense);
        double motion[SCENE_COORDINATES];
        double found[SCENE_COORDINATES] = {0.0};
        double expected[SCENE_COORDINATES] = {0.0};
        random_fill(&numbers, -1.0, 1.0, motion, SCENE_COORDINATES);
        barrier_contact_add_motion(&s.contact, NULL, motion, found);
        for (size_t k = 0; k < COUNT; k++) {
            expected[k / SCENE_COORDINATES] += dense[k] * motion[k % SCENE_COORDINATES];
        }
        for (size_t n = 0; n < s.contact.contact_count; n++) {
            const struct active_contact *contact = &s.contact.contacts[n];
            const size_t size = 3 * (size_t)contact->point_count;
            double block[144];
            project_pair(&s.contact, contact, size, block);
            for (size_t k = 0; k < size * size; k++) {
                const uint32_t from = contact->points[k % size / 3];
                uint32_t nodes[4];
                double weights[4];
                const int count = collision_mesh_nodes(
                    &s.contact.mesh, contact->points[k / size / 3], nodes, weights);
                if (s.contact.mesh.kind[from] == POINT_OBSTACLE) {
                    for (int p = 0; p < count; p++) {
                        expected[3 * nodes[p] + k / size % 3] += weights[p] * block[k] *
                                                                 s.contact.motion[3 * from +
                                                                                  k % size % 3];
                    }
                }
            }
        }
        assert_near(testing_max_difference(found, expected, SCENE_COORDINATES), 0.0,
                    1e-10 * largest(dense, COUNT) * SCENE_COORDINATES, "Hessian times motion");
        assert_true(s.contact.friction_count > 0);
        barrier_contact_free(&s.contact);
    }
    free(dense);
}

// --- friction ---

/// A particle over a moving obstacle's sphere, and one over a moving wall: friction is opposite to
/// the slip, relative to what the obstacle's surface does in the stage, never more than Coulomb's
/// and exactly that beyond the width; its power is force times speed of slip.
static void friction_opposes_slip(void **state) {
    (void)state;
    for (int i = 0; i < testing_rounds(40); i++) {
        struct touching_scene s;
        touching_scene_make(&memory, &s, PBS_SHAPE_HALF_SPACE, 0.1);
        const bool at_wall = i % 2 == 0;
        const double length = 0.01;
        const size_t node = CHAIN_FIRST + 4;
        double *x = s.x + 3 * node;
        struct obstacle *o = &s.target[at_wall ? WALL_OBSTACLE : 1];
        random_fill(&numbers, -1.0, 1.0, o->velocity, 3);
        random_fill(&numbers, -1.0, 1.0, o->angular_velocity, 3);
        place_scene(&s);
        s.contact.mesh.parts[PART_CHAIN].surface.friction = 0.6;
        double n[3] = {0.0, 1.0, 0.0};
        if (at_wall) {
            add_scaled3((const double[3]){-0.7, -WALL_SIZE, 0.4}, 0.03, n, x);
        } else {
            random_unit(&numbers, n);
            add_scaled3(s.now[1].pose.translation, SPHERE_OFFSET + 0.03, n, x);
        }
        assert_ok(barrier_contact_lag_friction(&s.contact, NULL, s.x, false));
        assert_int_equal(s.contact.contact_count, 1);
        assert_int_equal(s.contact.friction_count, 1);
        const double normal_force = -s.contact.contacts[0].barrier.first;
        double slip[3], carried[3];
        random_unit(&numbers, slip);
        add_scaled3(slip, -dot3(slip, n), n, slip);
        const double speed = exp(random_uniform(&numbers, -5.0, 2.0));
        scale3(speed / norm3(slip), slip, slip);
        obstacle_velocity(o, at_wall ? x : s.now[1].pose.translation, carried);
        // x = origin + length (carried + slip), up to a part along the normal.
        double origin[SCENE_COORDINATES];
        memcpy(origin, s.x, sizeof origin);
        add_scaled3(origin + 3 * node, -length, slip, origin + 3 * node);
        add_scaled3(origin + 3 * node, -length, carried, origin + 3 * node);
        barrier_contact_begin_stage(&s.contact, origin, length);
        double with[SCENE_COORDINATES] = {0.0}, without[SCENE_COORDINATES] = {0.0};
        scene_energy(&s, s.x, true, with);
        scene_energy(&s, s.x, false, without);
        double force[3];
        subtract3(without + 3 * node, with + 3 * node, force);
        const double y = fmin(1.0, speed / s.contact.settings.slip_velocity);
        // At the wall the obstacle's 0.4 is less than the particle's own.
        const double expected = 0.6 * normal_force * (2.0 * y - y * y);
        const double rounding = 1e-9 * normal_force;
        for (int k = 0; k < 3; k++) {
            assert_near(force[k], -expected * slip[k] / speed, rounding, "friction");
        }
        assert_near(barrier_contact_friction_power(&s.contact, NULL, s.x, length), expected * speed,
                    rounding * fmax(1.0, speed), "power of friction");
        double work = 0.0;
        for (size_t f = 0; f < s.contact.friction_count; f++) {
            double on_first[3];
            lagged_friction_force(&s.contact, &s.contact.frictions[f], on_first);
            work += lagged_friction_obstacle_power(&s.contact, &s.contact.frictions[f], on_first);
        }
        // The force on the particle times the velocity of what carries it.
        assert_near(work, dot3(force, carried), 4.0 * rounding, "work of obstacles by friction");
        barrier_contact_free(&s.contact);
    }
}

/// Obstacles' power is what moves the energy when nodes stay: d/dt of the potential with the
/// obstacles on their way; by central differences over small rigid motions.
static void obstacles_put_in_what_their_motion_adds(void **state) {
    (void)state;
    for (int i = 0; i < testing_rounds(10); i++) {
        struct touching_scene s;
        crowd(&s, wall_kinds[i % 5], i >= 5, false);
        const double dt = 1e-5;
        double energies[2];
        struct obstacle now[SCENE_OBSTACLES];
        memcpy(now, s.now, sizeof now);
        for (int o = 0; o < SCENE_OBSTACLES; o++) {
            random_fill(&numbers, -0.5, 0.5, s.target[o].velocity, 3);
            random_fill(&numbers, -0.5, 0.5, s.target[o].angular_velocity, 3);
        }
        place_scene(&s);
        scene_energy(&s, s.x, false, NULL);
        double power = 0.0;
        for (size_t c = 0; c < s.contact.contact_count; c++) {
            power += barrier_contact_obstacle_power(&s.contact, &s.contact.contacts[c]);
        }
        for (int side = 0; side < 2; side++) {
            const double t = side == 0 ? -dt : dt;
            for (int o = 0; o < SCENE_OBSTACLES; o++) {
                // 1 + t [w]x is a rotation to second order, whose error cancels in the difference.
                const double *w = s.target[o].angular_velocity;
                const double r[9] = {1.0,       -t * w[2], t * w[1], t * w[2], 1.0,
                                     -t * w[0], -t * w[1], t * w[0], 1.0};
                s.now[o] = now[o];
                turn_pose(&s.now[o].pose, r);
                add_scaled3(now[o].pose.translation, t, s.target[o].velocity,
                            s.now[o].pose.translation);
            }
            place_scene(&s);
            energies[side] = scene_energy(&s, s.x, false, NULL);
        }
        const double found = (energies[1] - energies[0]) / (2.0 * dt);
        // Error (dt / LEAST_GAP)^2 of forces of some newtons times speeds of a metre per second.
        assert_near(power, found, 1e-4 * fmax(1.0, fabs(found)), "power of obstacles");
        barrier_contact_free(&s.contact);
    }
}

// --- lists, threads, memory ---

/// A walk near and far: the energy and the gradient of each state are those of an object that has
/// never seen another state, to the bit.
static void the_state_alone_matters(void **state) {
    (void)state;
    struct touching_scene walker;
    crowd(&walker, PBS_SHAPE_BOX, false, false);
    double x[SCENE_COORDINATES];
    memcpy(x, walker.x, sizeof x);
    for (int i = 0; i < testing_rounds(120); i++) {
        const double stride = exp(random_uniform(&numbers, log(1e-4), log(0.5)));
        for (int k = 0; k < SCENE_COORDINATES; k++) {
            x[k] += random_uniform(&numbers, -stride, stride);
            x[k] = i % 10 == 9 ? walker.x[k] : x[k];
        }
        if (i % 7 == 3) {
            double direction[SCENE_COORDINATES];
            double step = 0.0;
            random_fill(&numbers, -0.3, 0.3, direction, SCENE_COORDINATES);
            assert_ok(
                barrier_contact_sweep(&walker.contact, NULL, walker.x, direction, 1.0, &step));
        }
        struct touching_scene fresh;
        touching_scene_make(&memory, &fresh, PBS_SHAPE_BOX, REACH);
        memcpy(fresh.now, walker.now, sizeof fresh.now);
        memcpy(fresh.target, walker.target, sizeof fresh.target);
        place_scene(&fresh);
        double a[SCENE_COORDINATES] = {0.0}, b[SCENE_COORDINATES] = {0.0};
        const double energy = scene_energy(&walker, x, false, a);
        const double alone = scene_energy(&fresh, x, false, b);
        assert_true(energy == alone);
        assert_same_bits(a, b, SCENE_COORDINATES);
        barrier_contact_free(&fresh.contact);
    }
    barrier_contact_free(&walker.contact);
}

/// Contacts are not looked for twice in a state, and are those of an object that sees it for the
/// first time once the barrier, the walls or an obstacle is another: to the bit.
static void what_changes_beside_the_state_is_seen(void **state) {
    (void)state;
    struct touching_scene s;
    crowd(&s, PBS_SHAPE_BOX, false, true);
    double energy = scene_energy(&s, s.x, false, NULL);
    for (int i = 0; i < 7; i++) {
        if (i == 0) {
            s.contact.settings.barrier.stiffness *= 2.0;
        } else if (i == 1) {
            s.contact.settings.barrier.form = BARRIER_SQUARED;
        } else if (i == 2) {
            s.contact.settings.barrier.reach *= 1.25;
        } else if (i == 3) {
            barrier_contact_advance_motion(&s.contact, 1e-4);
        } else if (i < 6) {
            // The first time the other obstacles go back to where they were before they advanced.
            s.now[WALL_OBSTACLE].pose.translation[0] += 1e-3;
            place_scene(&s);
        } else {
            s.x[0] += 1e-3;
        }
        double a[SCENE_COORDINATES] = {0.0}, b[SCENE_COORDINATES] = {0.0};
        const double now = scene_energy(&s, s.x, false, a);
        assert_true(now != energy);
        assert_true(scene_energy(&s, s.x, false, b) == now);
        assert_same_bits(a, b, SCENE_COORDINATES);
        assert_ok(barrier_contact_search(&s.contact, NULL, NULL));
        memset(b, 0, sizeof b);
        assert_true(scene_energy(&s, s.x, false, b) == now);
        assert_same_bits(a, b, SCENE_COORDINATES);
        energy = now;
    }
    barrier_contact_free(&s.contact);
}

enum { GRID = 40, LAYERS = 3 };

static uint32_t grid_nodes(void) {
    return (uint32_t)((testing_is_small() ? 1 : LAYERS) * GRID * GRID);
}

/// Layers of particles, each within reach of some dozen others.
static void make_grid(struct barrier_contact *c, double *x) {
    const uint32_t count = grid_nodes();
    uint32_t *nodes = malloc(count * sizeof *nodes);
    *c = (struct barrier_contact){.memory = &memory};
    c->settings.barrier = (struct barrier){.stiffness = 1.0, .reach = 0.15};
    c->settings.slip_velocity = 0.1;
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = i;
        x[3 * i] = 0.1 * (i % GRID) + random_uniform(&numbers, -0.03, 0.03);
        x[3 * i + 1] = 0.1 * (i / GRID % GRID) + random_uniform(&numbers, -0.03, 0.03);
        x[3 * i + 2] = 0.1 * (i / (GRID * GRID)) + random_uniform(&numbers, -0.03, 0.03);
    }
    const struct collision_part_input input = {
        .part = {.surface.friction = 0.3, .group = 1, .mask = 1, .touches_itself = true},
        .point_count = count,
        .nodes = nodes,
        .rest = x};
    assert_ok(collision_mesh_add(&memory, &input, &c->mesh));
    assert_ok(barrier_contact_reset(c));
    free(nodes);
}

/// The candidates of a long motion, which cover the state that it began at too, begin the next
/// step, but not the one after it; those of a state at rest begin all others.
static void candidates_of_a_way_begin_one_step(void **state) {
    (void)state;
    struct touching_scene s;
    touching_scene_make(&memory, &s, PBS_SHAPE_BOX, REACH);
    assert_ok(barrier_contact_lag_friction(&s.contact, NULL, s.x, false));
    const size_t own = candidates_count(&s.contact.candidates);
    double motion[3 * 64];
    random_fill(&numbers, -3.0, 3.0, motion, 3 * (size_t)s.contact.mesh.point_count);
    assert_ok(barrier_contact_search(&s.contact, NULL, motion));
    const size_t many = candidates_count(&s.contact.candidates);
    assert_true(many > own);
    for (int i = 0; i < 10; i++) {
        barrier_contact_begin_step(&s.contact);
        assert_ok(barrier_contact_lag_friction(&s.contact, NULL, s.x, false));
        assert_int_equal(candidates_count(&s.contact.candidates), i == 0 ? many : own);
    }
    barrier_contact_free(&s.contact);
}

static void threads_do_not_change_a_bit(void **state) {
    (void)state;
    struct barrier_contact c;
    double *x = malloc(3 * (size_t)grid_nodes() * sizeof *x);
    double *motion = malloc(3 * (size_t)grid_nodes() * sizeof *x);
    double *gradients[3];
    double energies[3], steps[3];
    struct layout layout;
    make_grid(&c, x);
    random_fill(&numbers, -0.2, 0.2, motion, 3 * (size_t)grid_nodes());
    assert_ok(layout_build(&memory, grid_nodes(), 4, NULL, 0, &layout));
    double *values = NULL;
    size_t value_count = 0;
    for (int t = 0; t < 3; t++) {
        struct tasks *tasks = NULL;
        assert_ok(tasks_create(&memory, NULL, t + 1, &tasks));
        gradients[t] = calloc(3 * (size_t)grid_nodes(), sizeof *x);
        struct contact_energy energy;
        assert_ok(barrier_contact_search(&c, tasks, motion));
        assert_ok(barrier_contact_lag_friction(&c, tasks, x, false));
        barrier_contact_begin_stage(&c, motion, 0.1);
        assert_ok(barrier_contact_evaluate(&c, tasks, x, true, gradients[t], &energy));
        assert_ok(barrier_contact_linearize(&c, tasks, &layout, NULL, x, true));
        struct contact_matrix matrix = {0};
        assert_ok(
            contact_matrix_build(&memory, &layout, c.blocks.sets, CONTACT_STENCIL_LIMIT, &matrix));
        const size_t blocks = matrix.start[matrix.row_count];
        if (t == 0) {
            value_count = 9 * blocks;
            values = malloc(value_count * sizeof *values);
            memcpy(values, matrix.values, value_count * sizeof *values);
        }
        assert_int_equal(9 * blocks, value_count);
        assert_same_bits(values, matrix.values, value_count);
        contact_matrix_free(&memory, &matrix);
        assert_ok(barrier_contact_sweep(&c, tasks, x, motion, 1.0, &steps[t]));
        energies[t] = energy.potential + energy.friction;
        tasks_destroy(&memory, tasks);
        assert_true(energies[t] == energies[0] && steps[t] == steps[0]);
        assert_same_bits(gradients[0], gradients[t], 3 * (size_t)grid_nodes());
    }
    assert_true(energies[0] > 0.0 && steps[0] > 0.0 && steps[0] < 1.0);
    assert_true(c.contact_count > grid_nodes());
    for (int t = 0; t < 3; t++) {
        free(gradients[t]);
    }
    free(values);
    free(motion);
    free(x);
    layout_free(&memory, &layout);
    barrier_contact_free(&c);
}

/// Everything that a stage does, at x.
static pbs_status do_all(struct touching_scene *s, const struct own_layout *own, const double *x) {
    double gradient[SCENE_COORDINATES] = {0.0};
    struct contact_energy energy;
    double step = 0.0;
    RETURN_IF_FAILED(barrier_contact_lag_friction(&s->contact, NULL, x, false));
    barrier_contact_begin_stage(&s->contact, x, 1.0);
    RETURN_IF_FAILED(barrier_contact_evaluate(&s->contact, NULL, x, true, gradient, &energy));
    RETURN_IF_FAILED(barrier_contact_linearize(&s->contact, NULL, &own->layout, NULL, x, true));
    return barrier_contact_sweep(&s->contact, NULL, x, gradient, 1.0, &step);
}

static void what_was_done_before_allocates_nothing(void **state) {
    (void)state;
    struct touching_scene s;
    struct own_layout own;
    crowd(&s, PBS_SHAPE_CYLINDER, false, true);
    make_layout(&own);
    assert_ok(do_all(&s, &own, s.x));
    assert_ok(do_all(&s, &own, s.rest));
    const uint64_t calls = memory.call_count;
    for (int i = 0; i < 3; i++) {
        assert_ok(do_all(&s, &own, s.x));
        assert_ok(do_all(&s, &own, s.rest));
    }
    assert_true(memory.call_count == calls);
    barrier_contact_free(&s.contact);
}

static const struct own_layout *refusal_layout;

static pbs_status make_and_do_all(struct memory *own_memory, const void *context) {
    struct touching_scene s;
    pbs_status status = touching_scene_try(own_memory, &s, PBS_SHAPE_BOX, 2.0);
    if (status >= 0) {
        status = do_all(&s, refusal_layout, context);
    }
    barrier_contact_free(&s.contact);
    return status;
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct touching_scene s;
    struct own_layout own;
    touching_scene_make(&memory, &s, PBS_SHAPE_BOX, 2.0);
    make_layout(&own);
    refusal_layout = &own;
    assert_refusals_are_statuses(make_and_do_all, s.x, 1000);
    barrier_contact_free(&s.contact);
}

// --- pairs with the same nearest points ---

enum { BRICK_NODES = 8, BRICK_TRIANGLES = 12, BRICK_COORDINATES = 2 * 3 * BRICK_NODES };

struct two_bricks {
    struct barrier_contact contact;
    double x[BRICK_COORDINATES]; ///< m: of the lower one, then of the upper one
};

static void make_two_bricks(struct two_bricks *s) {
    static uint32_t nodes[2][BRICK_NODES];
    double rest[BRICK_COORDINATES / 2];
    *s = (struct two_bricks){.contact = {.memory = &memory,
                                         .settings = {.barrier = {.stiffness = 1.0, .reach = 0.1},
                                                      .slip_velocity = 0.1}}};
    brick_corners(0.5, rest);
    for (uint32_t side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < BRICK_NODES; i++) {
            nodes[side][i] = side * BRICK_NODES + i;
        }
        const struct collision_part_input input = {.part = {.group = ~0u, .mask = ~0u},
                                                   .point_count = BRICK_NODES,
                                                   .nodes = nodes[side],
                                                   .rest = rest,
                                                   .triangle_count = BRICK_TRIANGLES,
                                                   .triangles = brick_triangles};
        assert_ok(collision_mesh_add(&memory, &input, &s->contact.mesh));
    }
    assert_ok(barrier_contact_reset(&s->contact));
}

/// The upper one is `shift` from where its bottom is the lower one's top.
static void put_above(struct two_bricks *s, const double shift[3]) {
    for (int i = 0; i < 2; i++) {
        double *const x = s->x + 3 * BRICK_NODES * i;
        brick_corners(0.5, x);
        for (int k = 0; k < BRICK_NODES && i == 1; k++) {
            add3(x + 3 * k, shift, x + 3 * k);
            x[3 * k + 2] += 1.0;
        }
    }
}

/// Adds what the barrier of every pair of a point of one and a triangle of the other says. Returns
/// how many are within reach.
static size_t add_all_pairs(const struct two_bricks *s, double *energy, double *gradient) {
    const struct barrier *const barrier = &s->contact.settings.barrier;
    size_t count = 0;
    for (size_t i = 0; i < 2 * BRICK_NODES; i++) {
        for (int t = 0; t < BRICK_TRIANGLES; t++) {
            const size_t other = i < BRICK_NODES ? BRICK_NODES : 0;
            size_t at[PAIR_NODES] = {3 * i};
            const double *x[PAIR_NODES] = {s->x + 3 * i};
            for (int k = 1; k < PAIR_NODES; k++) {
                at[k] = 3 * (other + brick_triangles[3 * t + k - 1]);
                x[k] = s->x + at[k];
            }
            const struct closest closest = closest_points(PAIR_POINT_TRIANGLE, x);
            const double distance = sqrt(closest.squared);
            if (distance >= barrier->reach) {
                continue;
            }
            const struct barrier_value b = barrier_evaluate(barrier, distance, 0.0);
            *energy += b.value;
            for (int k = 0; k < PAIR_NODES; k++) {
                add_scaled3(gradient + at[k], b.first * closest.weight[k] / distance, closest.r,
                            gradient + at[k]);
            }
            count++;
        }
    }
    return count;
}

/// Takes what pairs of edges say away from the energy and the gradient. Returns how many pairs of
/// points and triangles the other contacts stand for.
static double without_edges(const struct barrier_contact *c, double *energy, double *gradient,
                            size_t *contacts) {
    double pairs = 0.0;
    *contacts = 0;
    for (size_t i = 0; i < c->contact_count; i++) {
        const struct active_contact *const contact = &c->contacts[i];
        if (contact->kind == PAIR_POINT_TRIANGLE) {
            pairs += contact->factor;
            (*contacts)++;
            continue;
        }
        double forces[CONTACT_POINTS][3];
        barrier_contact_forces(c, contact, forces);
        *energy -= barrier_contact_energy(contact);
        for (int k = 0; k < contact->point_count; k++) {
            double *const to = gradient + 3 * (size_t)contact->points[k];
            add3(to, forces[k], to);
        }
    }
    return pairs;
}

/// Two bricks whose corners, edges or faces lie above each other, or 1e-12 to 1e-4 beside that. A
/// contact that stands for several pairs says what all of them say: nearest points that are off by
/// 1e-9 of the gap turn their forces by 1e-9 at most, and change the distance by the square of it.
/// A force is at most 1.3 N here, and at most twelve of them are at one point.
static void pairs_with_the_same_nearest_points_are_one(void **state) {
    (void)state;
    struct two_bricks s;
    size_t fewer = 0;
    make_two_bricks(&s);
    for (int i = 0; i < 2000; i++) {
        double shift[3], energy = 0.0, gradient[BRICK_COORDINATES] = {0.0};
        double expected_energy = 0.0, expected[BRICK_COORDINATES] = {0.0};
        size_t contacts = 0;
        struct contact_energy all;
        for (int k = 0; k < 2; k++) {
            const double beside = pow(10.0, random_uniform(&numbers, -12.0, -4.0));
            const double places[4] = {0.0, beside, 0.3, random_uniform(&numbers, -1.0, 1.0)};
            shift[k] = places[random_index(&numbers, 4)];
        }
        shift[2] = random_uniform(&numbers, 0.01, 0.099);
        put_above(&s, shift);
        // Of one in ten two triangles of the upper one, without a common corner, are points that
        // are close to each other.
        const bool is_whole = i % 10 != 0;
        double *const upper = s.x + 3 * BRICK_NODES;
        const double *const first = upper + 3 * brick_triangles[0];
        for (int k = 0; k < 3 && !is_whole; k++) {
            copy3(first, upper + 3 * brick_triangles[k]);
            copy3(first, upper + 3 * brick_triangles[9 + k]);
            upper[3 * brick_triangles[9 + k]] += 0.02;
        }
        assert_ok(barrier_contact_evaluate(&s.contact, NULL, s.x, false, gradient, &all));
        energy = all.potential;
        const double pairs = without_edges(&s.contact, &energy, gradient, &contacts);
        const size_t expected_pairs = add_all_pairs(&s, &expected_energy, expected);
        assert_true(pairs == (double)expected_pairs);
        assert_near(energy, expected_energy, 1e-12 * (1.0 + all.potential), "energy, J");
        for (int k = 0; k < BRICK_COORDINATES; k++) {
            assert_near(gradient[k], expected[k], 12 * 1.3e-9, "gradient, N");
        }
        fewer += contacts < expected_pairs;
        if (shift[0] == 0.0 && shift[1] == 0.0 && is_whole) {
            assert_int_equal(contacts, 4);
        }
    }
    assert_true(fewer > 1000);
    barrier_contact_free(&s.contact);
}

/// The taper towards an end x of an edge that is at d from the line through a and b: y^2 (3 - 2 y)
/// of y = q / REACH, q^2 + d^2 the square of the distance of x from that line.
static double taper_at(const double x[3], const double a[3], const double b[3], double d) {
    double v[3], arm[3], across[3];
    subtract3(b, a, v);
    subtract3(x, a, arm);
    cross3(arm, v, across);
    const double y = sqrt(fmax(dot3(across, across) / dot3(v, v) - d * d, 0.0)) / REACH;
    return y < 1.0 ? y * y * (3.0 - 2.0 * y) : 1.0;
}

/// IPC's mollifier (Li et al. 2020, section 4.4): with the squared sine of the edges as they are,
/// and a thousandth of the product of their squared lengths at rest, c (2 - c) of the ratio c
/// below 1. Times the tapers at all four ends if both edges have triangles, as all but those of the
/// chain have: q is the root of a difference of what is as large as 1 and known to 1e-16, 1e-8,
/// and its taper's slope at most 1.5 / REACH.
static void edges_have_the_factor_of_theory(void **state) {
    size_t tapered = 0;
    size_t whole = 0;
    size_t alone = 0;
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        struct touching_scene s;
        crowd(&s, wall_kinds[trial % 5], true, false);
        const struct barrier_contact *c = &s.contact;
        for (size_t i = 0; i < c->contact_count; i++) {
            const struct active_contact *contact = &c->contacts[i];
            if (contact->kind != PAIR_EDGE_EDGE || contact->wall != CONTACT_NO_WALL) {
                continue;
            }
            double u[3], v[3], cross[3];
            const uint32_t *p = contact->points;
            subtract3(c->points + 3 * (size_t)p[1], c->points + 3 * (size_t)p[0], u);
            subtract3(c->points + 3 * (size_t)p[3], c->points + 3 * (size_t)p[2], v);
            cross3(u, v, cross);
            const double rest = c->mesh.edge_squares[contact->first] *
                                c->mesh.edge_squares[contact->second];
            const double ratio = dot3(cross, cross) / (1e-3 * rest);
            double expected = ratio < 1.0 ? ratio * (2.0 - ratio) : 1.0;
            if (c->mesh.edge_triangles[contact->first] == 0 ||
                c->mesh.edge_triangles[contact->second] == 0) {
                assert_near(contact->factor, expected, 1e-9, "mollifier");
                alone++;
            }
            for (int end = 0; end < 4 && contact->taper_width > 0.0; end++) {
                const double *const other[2] = {c->points + 3 * (size_t)p[2 - end / 2 * 2],
                                                c->points + 3 * (size_t)p[3 - end / 2 * 2]};
                expected *= taper_at(c->points + 3 * (size_t)p[end], other[0], other[1],
                                     contact->distance);
            }
            assert_near(contact->factor, expected, 4.0 * 1.5e-8 / REACH, "factor");
            tapered += contact->factor < 0.9 && contact->taper_width > 0.0;
            whole += contact->factor == 1.0;
        }
        barrier_contact_free(&s.contact);
    }
    assert_true(tapered > 10 && whole > 10 && alone > 10);
}

/// The corner of a border's triangle goes to the border, in the plane of the sheet. No point and
/// triangle say that: it is a corner of the only one there. The barrier between the two edges grows
/// without bound, as a logarithm: by as much for each factor of 1000.
static void corners_stay_away_from_their_border(void **state) {
    (void)state;
    enum { SIDE = 4, POINTS = SIDE * SIDE, CELLS = (SIDE - 1) * (SIDE - 1) };
    double rest[3 * POINTS] = {0.0};
    uint32_t nodes[POINTS];
    uint32_t triangles[6 * CELLS];
    size_t count = 0;
    for (uint32_t i = 0; i < POINTS; i++) {
        nodes[i] = i;
        rest[3 * i] = 0.3 * (i % SIDE);
        rest[3 * i + 1] = 0.3 * (i / SIDE);
        if (i % SIDE < SIDE - 1 && i / SIDE < SIDE - 1) {
            const uint32_t corners[6] = {i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE};
            memcpy(triangles + count, corners, sizeof corners);
            count += 6;
        }
    }
    const struct collision_part_input input = {
        .part = {.touches_itself = true, .group = ~0u, .mask = ~0u},
        .point_count = POINTS,
        .nodes = nodes,
        .rest = rest,
        .triangle_count = 2 * CELLS,
        .triangles = triangles};
    struct barrier_contact c = {
        .memory = &memory,
        .settings = {.barrier = {.stiffness = 1.0, .reach = 0.01}, .slip_velocity = 0.1}};
    assert_ok(collision_mesh_add(&memory, &input, &c.mesh));
    assert_ok(barrier_contact_reset(&c));
    double before = 0.0;
    double growth = 0.0;
    for (int i = 0; i < 4; i++) {
        struct contact_energy energy;
        double gradient[3 * POINTS] = {0.0};
        double x[3 * POINTS];
        memcpy(x, rest, sizeof x);
        x[3 * (SIDE + 1)] = 0.45;
        x[3 * (SIDE + 1) + 1] = 1e-5 * pow(1e-3, i);
        assert_ok(barrier_contact_evaluate(&c, NULL, x, false, gradient, &energy));
        assert_true(c.contact_count > 0 && gradient[3 * (SIDE + 1) + 1] < 0.0);
        if (i > 1) {
            assert_near((energy.potential - before) / growth, 1.0, 0.01, "growth");
        }
        growth = energy.potential - before;
        before = energy.potential;
    }
    barrier_contact_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_gradient_is_that_of_the_energy, setup, teardown),
        cmocka_unit_test_setup_teardown(forces_are_equal_and_opposite, setup, teardown),
        cmocka_unit_test_setup_teardown(pairs_with_the_same_nearest_points_are_one, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(edges_have_the_factor_of_theory, setup, teardown),
        cmocka_unit_test_setup_teardown(corners_stay_away_from_their_border, setup, teardown),
        cmocka_unit_test_setup_teardown(the_hessian_is_the_projected_one, setup, teardown),
        cmocka_unit_test_setup_teardown(walls_and_friction_have_their_exact_hessian, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(walls_that_move_change_the_gradient, setup, teardown),
        cmocka_unit_test_setup_teardown(motions_are_multiplied_by_the_hessian, setup, teardown),
        cmocka_unit_test_setup_teardown(friction_opposes_slip, setup, teardown),
        cmocka_unit_test_setup_teardown(obstacles_put_in_what_their_motion_adds, setup, teardown),
        cmocka_unit_test_setup_teardown(the_state_alone_matters, setup, teardown),
        cmocka_unit_test_setup_teardown(what_changes_beside_the_state_is_seen, setup, teardown),
        cmocka_unit_test_setup_teardown(candidates_of_a_way_begin_one_step, setup, teardown),
        cmocka_unit_test_setup_teardown(threads_do_not_change_a_bit, setup, teardown),
        cmocka_unit_test_setup_teardown(what_was_done_before_allocates_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(refused_memory_is_a_status, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
