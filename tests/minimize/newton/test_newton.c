// The stabilised minimiser, and plain Newton beside it, on energies whose minima are known.
// SPDX-License-Identifier: MIT
#include "minimize/fixture.h"
#include "minimize/springs.h"
#include "pbs/stats.h"
#include "support/random.h"
#include "support/testing.h"

// --- energies, as a host writes them ---

enum { ALL = 3 };

/// One node in a separable potential; derivative and curvature of one coordinate come from a
/// function.
typedef double (*coordinate_fn)(double x, double *slope, double *curvature);

static int32_t evaluate_separable(coordinate_fn function, const double *x, double *value,
                                  double *gradient, double *hessian) {
    double sum = 0.0;
    for (int k = 0; k < ALL; k++) {
        double slope = 0.0;
        double curvature = 0.0;
        sum += function(x[k], &slope, &curvature);
        if (!isfinite(sum)) {
            return 1;
        }
        if (gradient != NULL) {
            gradient[k] = slope;
        }
        if (hessian != NULL) {
            for (int j = 0; j < ALL; j++) {
                hessian[ALL * k + j] = j == k ? curvature : 0.0;
            }
        }
    }
    if (value != NULL) {
        *value = sum;
    }
    return 0;
}

static int32_t separable(void *user, size_t stencil, const double *x, int32_t project,
                         double *value, double *gradient, double *hessian) {
    (void)stencil;
    (void)project;
    return evaluate_separable(*(coordinate_fn *)user, x, value, gradient, hessian);
}

static double double_well(double x, double *slope, double *curvature) {
    *slope = x * x * x - x;
    *curvature = 3.0 * x * x - 1.0;
    return 0.25 * x * x * x * x - 0.5 * x * x;
}

/// x - log(x): infinite for x <= 0, least at 1.
static double barrier(double x, double *slope, double *curvature) {
    if (!(x > 0.0)) {
        return INFINITY;
    }
    *slope = 1.0 - 1.0 / x;
    *curvature = 1.0 / (x * x);
    return x - log(x);
}

static double falling(double x, double *slope, double *curvature) {
    *slope = 9.81;
    *curvature = 0.0;
    return 9.81 * x;
}

/// Least at 0.1, on top of a constant that hides its changes.
static double drowned(double x, double *slope, double *curvature) {
    *slope = 1e4 * sinh(x - 0.1);
    *curvature = 1e4 * cosh(x - 0.1);
    return 1e14 + 1e4 * cosh(x - 0.1);
}

static const uint32_t single[] = {0};

static void create_single(struct fixture *f, coordinate_fn *function) {
    fixture_create(f, &(struct fixture_input){.node_count = 1,
                                              .width = 1,
                                              .stencil_count = 1,
                                              .stencils = single,
                                              .evaluate = separable,
                                              .user = function});
    f->objective.weight = INFINITY;
}

/// Two nodes: stiffness / 2 |b - a - rest|^2, rest = (1, 0, 0).
static int32_t linear_spring(void *user, size_t stencil, const double *x, int32_t project,
                             double *value, double *gradient, double *hessian) {
    (void)project;
    const double stiffness = *(const double *)user * (1.0 + (double)(stencil % 3));
    double sum = 0.0;
    for (int k = 0; k < ALL; k++) {
        const double stretch = x[3 + k] - x[k] - (k == 0 ? 1.0 : 0.0);
        sum += 0.5 * stiffness * stretch * stretch;
        if (gradient != NULL) {
            gradient[k] = -stiffness * stretch;
            gradient[3 + k] = stiffness * stretch;
        }
    }
    if (value != NULL) {
        *value = sum;
    }
    if (hessian != NULL) {
        memset(hessian, 0, 36 * sizeof *hessian);
        for (int k = 0; k < 6; k++) {
            hessian[7 * k] = stiffness;
            hessian[6 * k + (k + 3) % 6] = -stiffness;
        }
    }
    return 0;
}

/// Rosenbrock's valley between two nodes, in every coordinate: 100 (b - a^2)^2 + (1 - a)^2.
static int32_t rosenbrock(void *user, size_t stencil, const double *x, int32_t project,
                          double *value, double *gradient, double *hessian) {
    (void)user;
    (void)stencil;
    (void)project;
    double sum = 0.0;
    if (hessian != NULL) {
        memset(hessian, 0, 36 * sizeof *hessian);
    }
    for (int k = 0; k < ALL; k++) {
        const double a = x[k];
        const double off = x[3 + k] - a * a;
        sum += 100.0 * off * off + (1.0 - a) * (1.0 - a);
        if (gradient != NULL) {
            gradient[k] = -400.0 * a * off - 2.0 * (1.0 - a);
            gradient[3 + k] = 200.0 * off;
        }
        if (hessian != NULL) {
            hessian[7 * k] = -400.0 * off + 800.0 * a * a + 2.0;
            hessian[6 * k + 3 + k] = hessian[6 * (3 + k) + k] = -400.0 * a;
            hessian[7 * (3 + k)] = 200.0;
        }
    }
    if (value != NULL) {
        *value = sum;
    }
    return 0;
}

static void fill_chain(uint32_t count, uint32_t *stencils) {
    for (uint32_t i = 0; i + 1 < count; i++) {
        stencils[2 * i] = i;
        stencils[2 * i + 1] = i + 1;
    }
}

enum { CHAIN = 12 };

static void create_chain(struct fixture *f, pbs_custom_fn evaluate, double *stiffness) {
    uint32_t stencils[2 * CHAIN];
    fill_chain(CHAIN, stencils);
    fixture_create(f, &(struct fixture_input){.node_count = CHAIN,
                                              .width = 2,
                                              .stencil_count = CHAIN - 1,
                                              .stencils = stencils,
                                              .evaluate = evaluate,
                                              .user = stiffness});
}

// --- unconstrained ---

static void test_quadratic_takes_one_iteration(void **state) {
    (void)state;
    double stiffness = 100.0;
    struct random random = random_seed(1);
    for (int32_t method = 0; method < 2; method++) {
        struct fixture f;
        create_chain(&f, linear_spring, &stiffness);
        double x[3 * CHAIN];
        random_fill(&random, -1.0, 1.0, x, COUNT_OF(x));
        memcpy(f.predictor, x, sizeof x);
        f.options.forcing = 1e-12;
        f.options.method = method;
        const struct newton_result result = fixture_minimize(&f, x);
        assert_ok(result.status);
        assert_int_equal(result.newton_iterations, 1);
        assert_int_equal(result.linear_solves, 1);
        assert_true(result.gradient_norm < f.options.tolerance);
        fixture_destroy(&f);
    }
}

static void test_valleys_are_followed_to_their_end(void **state) {
    (void)state;
    for (int32_t line_search = 0; line_search < 2; line_search++) {
        struct fixture f;
        create_chain(&f, rosenbrock, NULL);
        f.objective.weight = INFINITY;
        f.options.line_search = line_search;
        f.options.tolerance = 1e-7;
        double x[3 * CHAIN];
        for (size_t k = 0; k < COUNT_OF(x); k++) {
            x[k] = f.predictor[k] = k % 2 == 0 ? -0.5 : 0.5;
        }
        const struct newton_result result = fixture_minimize(&f, x);
        assert_ok(result.status);
        // Rosenbrock chains longer than three have a second minimum; either has a gradient of zero
        // and positive curvature.
        assert_true(result.gradient_norm < 1e-7);
        assert_true(result.newton_iterations < 200);
        fixture_destroy(&f);
    }
}

static void test_negative_curvature_is_left(void **state) {
    (void)state;
    struct fixture f;
    coordinate_fn function = double_well;
    create_single(&f, &function);
    double x[3] = {1e-3, -1e-3, 0.2};
    memcpy(f.predictor, x, sizeof x);
    const struct newton_result result = fixture_minimize(&f, x);
    assert_ok(result.status);
    assert_true(result.indefinite_solves > 0);
    // The slope is at least 1.9 (x - 1) near +-1.
    assert_near(x[0], 1.0, f.options.tolerance, "right well");
    assert_near(x[1], -1.0, f.options.tolerance, "left well");
    fixture_destroy(&f);
}

struct demand {
    uint32_t exact, projected; ///< Hessians that were asked for
    bool was_projected;        ///< the last of them
};

/// Double wells in all coordinates, with Hessians that are made positive semidefinite on request.
static int32_t demanding(void *user, size_t stencil, const double *x, int32_t project,
                         double *value, double *gradient, double *hessian) {
    (void)stencil;
    struct demand *const demand = user;
    const int32_t answer = evaluate_separable(double_well, x, value, gradient, hessian);
    if (hessian != NULL) {
        demand->exact += project == 0;
        demand->projected += project != 0;
        demand->was_projected = project != 0;
        for (int k = 0; k < ALL * ALL && project != 0; k++) {
            hessian[k] = fmax(hessian[k], 0.0);
        }
    }
    return answer;
}

/// Where elasticity is stiffer than inertia, Hessians are projected as soon as one is indefinite,
/// and no more where they lead on. Otherwise they never are.
static void test_hessians_are_projected_on_demand(void **state) {
    (void)state;
    static const struct {
        double weight, stiffness;
        bool project, expected;
    } rows[] = {{1e3, 1.0, false, true},
                {1e3, 0.0, false, false},
                {1e3, 5e-3, false, false},
                {INFINITY, 1.0, false, true},
                {1e3, 1.0, true, true}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct demand demand = {0};
        struct fixture f;
        fixture_create(&f, &(struct fixture_input){.node_count = 1,
                                                   .width = 1,
                                                   .stencil_count = 1,
                                                   .stencils = single,
                                                   .evaluate = demanding,
                                                   .user = &demand});
        f.objective.weight = rows[i].weight;
        f.objective.least_stiffness = rows[i].stiffness;
        f.objective.project_hessian = rows[i].project;
        f.options.initial_guess = NEWTON_GUESS_GIVEN;
        double x[ALL] = {0.1, 0.2, -0.15};
        const struct newton_result result = fixture_minimize(&f, x);
        assert_ok(result.status);
        for (int k = 0; k < ALL; k++) {
            // x^3 - x + x / weight = 0, as the predictor is 0.
            const double inertia = 1.0 / rows[i].weight;
            assert_near(fabs(x[k]), sqrt(1.0 - inertia), 1e-8, "minimum");
        }
        assert_true((demand.projected > 0) == rows[i].expected);
        assert_true((demand.exact > 0) == !rows[i].project);
        // Near the minimum exact Hessians lead on.
        assert_true(demand.was_projected == rows[i].project);
        // A solve that was begun again counts once.
        assert_int_equal(result.linear_solves, result.newton_iterations);
        fixture_destroy(&f);
    }
}

static void test_infinite_walls_are_respected(void **state) {
    (void)state;
    struct fixture f;
    coordinate_fn function = barrier;
    create_single(&f, &function);
    // The predictor is behind the wall, so the guess must be pulled back towards x.
    double x[3] = {1e-6, 3.0, 1e5};
    for (int k = 0; k < ALL; k++) {
        f.predictor[k] = -7.0;
    }
    const struct newton_result result = fixture_minimize(&f, x);
    assert_ok(result.status);
    for (int k = 0; k < ALL; k++) {
        assert_near(x[k], 1.0, 2.0 * f.options.tolerance, "minimum of x - log x");
    }
    fixture_destroy(&f);
}

static void test_no_admissible_start_is_said(void **state) {
    (void)state;
    struct fixture f;
    coordinate_fn function = barrier;
    create_single(&f, &function);
    double x[3] = {-1.0, -1.0, -1.0};
    memcpy(f.predictor, x, sizeof x);
    assert_status(fixture_minimize(&f, x).status, PBS_ERROR_INADMISSIBLE);
    assert_message("infinite");
    fixture_destroy(&f);
}

static void test_energy_below_its_own_rounding_still_ends(void **state) {
    (void)state;
    struct fixture f;
    coordinate_fn function = drowned;
    create_single(&f, &function);
    // E resolves changes of 3e14 epsilon = 0.07, that is gradients of sqrt(2e4 * 0.07) = 37; the
    // tolerance is far below.
    f.options.tolerance = 1e-6;
    double x[3] = {0.11, 0.1001, 0.2};
    memcpy(f.predictor, x, sizeof x);
    const struct newton_result result = fixture_minimize(&f, x);
    assert_ok(result.status);
    assert_true(result.roundoff_accepts > 0);
    assert_true(result.gradient_norm < 1e-6);
    fixture_destroy(&f);
}

static void test_free_fall_needs_no_solve(void **state) {
    (void)state;
    struct fixture f;
    coordinate_fn function = falling;
    create_single(&f, &function);
    const double h = 1.0 / 24.0;
    f.objective.weight = h * h;
    double x[3] = {1.0, 2.0, 3.0};
    for (int k = 0; k < ALL; k++) {
        f.predictor[k] = x[k] + 0.3 * h;
    }
    const struct newton_result result = fixture_minimize(&f, x);
    assert_ok(result.status);
    assert_int_equal(result.newton_iterations, 0);
    assert_int_equal(result.linear_solves, 0);
    for (int k = 0; k < ALL; k++) {
        assert_near(x[k], f.predictor[k] - 9.81 * h * h, 4e-16 * 3.0, "x + h v + h^2 g");
    }
    fixture_destroy(&f);
}

static void test_forces_below_the_tolerance_are_not_forgotten(void **state) {
    (void)state;
    struct fixture f;
    coordinate_fn function = falling;
    create_single(&f, &function);
    f.objective.weight = 1e-4;
    f.options.tolerance = 100.0; // above the weight of the body
    f.options.initial_guess = PBS_GUESS_INERTIAL;
    double x[3] = {0.0, 0.0, 0.0};
    const struct newton_result result = fixture_minimize(&f, x);
    assert_ok(result.status);
    assert_int_equal(result.newton_iterations, 1);
    assert_near(x[0], -9.81e-4, 1e-12, "one iteration from the naive guess");
    fixture_destroy(&f);
}

// --- constrained ---

static const struct pose at_origin = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static const uint8_t colliding[CHAIN] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/// Solves the dense system a x = b of n rows by elimination with pivots.
static void solve_dense(size_t n, double *a, double *b) {
    for (size_t c = 0; c < n; c++) {
        size_t pivot = c;
        for (size_t r = c + 1; r < n; r++) {
            pivot = fabs(a[r * n + c]) > fabs(a[pivot * n + c]) ? r : pivot;
        }
        for (size_t k = 0; k < n; k++) {
            const double t = a[c * n + k];
            a[c * n + k] = a[pivot * n + k];
            a[pivot * n + k] = t;
        }
        const double t = b[c];
        b[c] = b[pivot];
        b[pivot] = t;
        for (size_t r = 0; r < n; r++) {
            const double factor = r == c ? 0.0 : a[r * n + c] / a[c * n + c];
            for (size_t k = c; k < n; k++) {
                a[r * n + k] -= factor * a[c * n + k];
            }
            b[r] -= factor * b[c];
        }
    }
    for (size_t c = 0; c < n; c++) {
        b[c] /= a[c * n + c];
    }
}

enum { FEW = 4 };

/// Heights of FEW nodes above y = 0 that minimise |y - target|^2 / 2 + springs, by trying every set
/// of touching nodes.
static void solve_by_enumeration(double stiffness, const double target[FEW], double best[FEW]) {
    for (unsigned set = 0; set < 1U << FEW; set++) {
        double a[FEW * FEW] = {0};
        double b[FEW];
        for (size_t i = 0; i < FEW; i++) {
            a[i * FEW + i] += 1.0;
            b[i] = target[i];
            if (i + 1 < FEW) {
                const double k = stiffness * (1.0 + (double)(i % 3));
                a[i * FEW + i] += k;
                a[(i + 1) * FEW + i + 1] += k;
                a[i * FEW + i + 1] -= k;
                a[(i + 1) * FEW + i] -= k;
            }
        }
        double full[FEW * FEW];
        memcpy(full, a, sizeof a);
        for (size_t i = 0; i < FEW; i++) {
            if (set >> i & 1U) {
                for (size_t j = 0; j < FEW; j++) {
                    a[i * FEW + j] = i == j ? 1.0 : 0.0;
                }
                b[i] = 0.0;
            }
        }
        solve_dense(FEW, a, b);
        bool valid = true;
        for (size_t i = 0; i < FEW; i++) {
            double force = -target[i];
            for (size_t j = 0; j < FEW; j++) {
                force += full[i * FEW + j] * b[j];
            }
            valid = valid && (set >> i & 1U ? force >= 0.0 : b[i] >= 0.0);
        }
        if (valid) {
            memcpy(best, b, FEW * sizeof *b);
            return;
        }
    }
    fail();
}

static void test_floor_gives_the_karush_kuhn_tucker_point(void **state) {
    (void)state;
    double stiffness = 2.0;
    struct random random = random_seed(2);
    const struct obstacle floor = {.shape = {.kind = PBS_SHAPE_HALF_SPACE}, .pose = at_origin};
    uint32_t stencils[2 * FEW];
    fill_chain(FEW, stencils);
    int touching = 0;
    for (int trial = 0; trial < 200; trial++) {
        struct fixture f;
        fixture_create(&f, &(struct fixture_input){.node_count = FEW,
                                                   .width = 2,
                                                   .stencil_count = FEW - 1,
                                                   .stencils = stencils,
                                                   .evaluate = linear_spring,
                                                   .user = &stiffness});
        f.scene.obstacles = &floor;
        f.scene.obstacle_count = 1;
        f.scene.colliding = colliding;
        double x[3 * FEW], target[FEW], expected[FEW];
        for (size_t i = 0; i < FEW; i++) {
            f.predictor[3 * i] = x[3 * i] = random_uniform(&random, -1.0, 1.0);
            f.predictor[3 * i + 1] = target[i] = random_uniform(&random, -1.0, 1.0);
            f.predictor[3 * i + 2] = x[3 * i + 2] = 0.0;
            x[3 * i + 1] = random_uniform(&random, 0.0, 1.0);
        }
        const struct newton_result result = fixture_minimize(&f, x);
        assert_ok(result.status);
        solve_by_enumeration(stiffness, target, expected);
        for (size_t i = 0; i < FEW; i++) {
            // The least eigenvalue of the Hessian is 1.
            assert_near(x[3 * i + 1], expected[i], f.options.tolerance, "height");
            touching += x[3 * i + 1] == 0.0;
        }
        fixture_destroy(&f);
    }
    assert_true(touching > 100);
}

/// Planes through the origin, each with the given angle (radians) from the horizontal about z.
static struct obstacle tilted_floor(double angle) {
    const double c = cos(angle);
    const double s = sin(angle);
    return (struct obstacle){.shape = {.kind = PBS_SHAPE_HALF_SPACE},
                             .pose = {.rotation = {c, -s, 0, s, c, 0, 0, 0, 1}}};
}

static void test_wedge_holds_what_is_pushed_in(void **state) {
    (void)state;
    coordinate_fn function = falling;
    struct fixture f;
    create_single(&f, &function);
    f.objective.weight = 1.0;
    const struct obstacle walls[2] = {tilted_floor(0.5), tilted_floor(-1.2)};
    f.scene.obstacles = walls;
    f.scene.obstacle_count = 2;
    f.scene.colliding = colliding;
    // The pull (-1, -1, -1) lies between the walls' reversed normals: the node ends in the edge and
    // slides along z only.
    double x[3] = {0.1, 3.0, 0.5};
    memcpy(f.predictor, x, sizeof x);
    const struct newton_result result = fixture_minimize(&f, x);
    assert_ok(result.status);
    assert_near(x[0], 0.0, 1e-12, "edge");
    assert_near(x[1], 0.0, 1e-12, "edge");
    assert_near(x[2], 0.5 - 9.81, f.options.tolerance, "free along the edge");
    fixture_destroy(&f);
}

static void test_bowl_converges_quadratically(void **state) {
    (void)state;
    coordinate_fn function = falling;
    struct fixture f;
    create_single(&f, &function);
    f.objective.weight = 10.0;
    const struct obstacle bowl = {
        .shape = {.kind = PBS_SHAPE_SPHERE, .hollow = true, .size = {2.0}}, .pose = at_origin};
    f.scene.obstacles = &bowl;
    f.scene.obstacle_count = 1;
    f.scene.colliding = colliding;
    f.options.tolerance = 1e-9;
    f.options.forcing = 1e-3;
    f.options.initial_guess = PBS_GUESS_INERTIAL;
    double x[3] = {1.5, 0.3, -0.2};
    memcpy(f.predictor, x, sizeof x);
    const struct newton_result result = fixture_minimize(&f, x);
    assert_ok(result.status);
    // On the sphere, where the total force predictor - c (g', g', g') points: x = 2 (p - c f) / |p
    // - c f|.
    const double pull[3] = {1.5 - 98.1, 0.3 - 98.1, -0.2 - 98.1};
    const double length = sqrt(pull[0] * pull[0] + pull[1] * pull[1] + pull[2] * pull[2]);
    for (int k = 0; k < ALL; k++) {
        assert_near(x[k], 2.0 * pull[k] / length, 1e-9, "lowest point along the pull");
    }
    // Without the curvature of the obstacle in the Hessian this takes many more.
    assert_true(result.newton_iterations <= 8);
    fixture_destroy(&f);
}

static void test_held_axes_stay_and_the_others_balance(void **state) {
    (void)state;
    double stiffness = 50.0;
    struct fixture f;
    create_chain(&f, linear_spring, &stiffness);
    f.objective.weight = INFINITY;
    uint8_t held[CHAIN] = {0};
    double x[3 * CHAIN], targets[3 * CHAIN] = {0};
    held[0] = PBS_AXIS_ALL;
    held[CHAIN - 1] = PBS_AXIS_ALL;
    held[5] = PBS_AXIS_Y;
    targets[3 * (CHAIN - 1)] = 30.0;
    targets[3 * 5 + 1] = 0.7;
    struct random random = random_seed(3);
    random_fill(&random, -1.0, 1.0, x, COUNT_OF(x));
    memcpy(f.predictor, x, sizeof x);
    f.scene.constrained_axes = held;
    f.scene.targets = targets;
    f.scene.scale = 30.0;
    const struct newton_result result = fixture_minimize(&f, x);
    assert_ok(result.status);
    for (int k = 0; k < ALL; k++) {
        assert_true(x[k] == 0.0);
        assert_true(x[3 * (CHAIN - 1) + k] == targets[3 * (CHAIN - 1) + k]);
        // Springs in series with stiffness 1, 2, 3, 1, ... : node 5 holds y only.
        assert_near(x[3 * 5 + 2], 0.0, 1e-8, "nothing pulls along z");
    }
    assert_true(x[3 * 5 + 1] == 0.7);
    // Total compliance 11 springs: 4 (1) + 4 (1/2) + 3 (1/3) = 7; the first five have 2 + 2/2 +
    // 1/3. The excess is 30 - 11.
    assert_near(x[3 * 5], 5.0 + 19.0 * (2.0 + 1.0 + 1.0 / 3.0) / 7.0, 1e-8, "share of the stretch");
    fixture_destroy(&f);
}

// --- bits, memory, hosts ---

enum { SHEET = 24 };

/// A sheet of springs thrown at floor and ball; the answer is left in x.
static struct newton_result throw_sheet(int32_t threads, double x[3 * SHEET * SHEET]) {
    static uint32_t stencils[4 * SHEET * SHEET];
    size_t count = 0;
    for (uint32_t i = 0; i < SHEET * SHEET; i++) {
        if (i % SHEET + 1 < SHEET) {
            stencils[2 * count] = i;
            stencils[2 * count++ + 1] = i + 1;
        }
        if (i / SHEET + 1 < SHEET) {
            stencils[2 * count] = i;
            stencils[2 * count++ + 1] = i + SHEET;
        }
    }
    static uint8_t all[SHEET * SHEET];
    memset(all, 1, sizeof all);
    const struct obstacle obstacles[2] = {
        {.shape = {.kind = PBS_SHAPE_HALF_SPACE}, .pose = at_origin},
        {.shape = {.kind = PBS_SHAPE_SPHERE, .size = {0.7}}, .pose = at_origin}};
    struct springs springs = {.stiffness = 1e3, .rest = 0.1};
    struct fixture f;
    fixture_create(&f, &(struct fixture_input){.node_count = SHEET * SHEET,
                                               .width = 2,
                                               .stencil_count = count,
                                               .stencils = stencils,
                                               .evaluate = springs_evaluate,
                                               .user = &springs,
                                               .threads = threads,
                                               .domains = 5});
    struct random random = random_seed(4);
    for (size_t i = 0; i < SHEET * SHEET; i++) {
        x[3 * i] = 0.1 * (double)(i % SHEET) - 1.1 + random_uniform(&random, -0.03, 0.03);
        x[3 * i + 1] = 0.75 + random_uniform(&random, 0.0, 0.03);
        x[3 * i + 2] = 0.1 * (double)(i / SHEET) - 1.1 + random_uniform(&random, -0.03, 0.03);
        for (size_t k = 3 * i; k < 3 * i + 3; k++) {
            f.predictor[k] = x[k] - (k % 3 == 1 ? 0.6 : 0.0);
        }
        f.mass[i] = 0.1;
    }
    f.objective.weight = 1.0 / 576.0;
    f.scene.obstacles = obstacles;
    f.scene.obstacle_count = 2;
    f.scene.colliding = all;
    f.options.tolerance = 1e-5;
    assert_ok(projection_begin(&f.memory, &f.scene, &f.projection));
    const uint64_t calls = f.memory.call_count;
    const struct newton_result result = newton_minimize(f.newton, &f.objective, &f.projection,
                                                        &f.options, x);
    assert_int_equal(f.memory.call_count, calls);
    fixture_destroy(&f);
    return result;
}

static void test_threads_do_not_change_a_bit(void **state) {
    (void)state;
    static double first[3 * SHEET * SHEET], other[3 * SHEET * SHEET];
    const struct newton_result one = throw_sheet(1, first);
    assert_ok(one.status);
    for (size_t i = 0; i < SHEET * SHEET; i++) {
        const double *const p = first + 3 * i;
        assert_true(p[1] >= -1e-12);
        assert_true(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) >= 0.7 - 1e-12);
    }
    const int32_t threads[] = {2, 3, 8};
    for (size_t i = 0; i < COUNT_OF(threads); i++) {
        const struct newton_result many = throw_sheet(threads[i], other);
        assert_int_equal(many.newton_iterations, one.newton_iterations);
        assert_same_bits(first, other, COUNT_OF(first));
    }
}

static int32_t stopping(void *user, size_t stencil, const double *x, int32_t project, double *value,
                        double *gradient, double *hessian) {
    int *const calls_left = user;
    double stiffness = 100.0;
    return --*calls_left == -1
               ? -1
               : linear_spring(&stiffness, stencil, x, project, value, gradient, hessian);
}

/// A host says so once, and is not asked again.
static void test_host_stops_at_any_call(void **state) {
    (void)state;
    int stopped = 0;
    for (int calls = 0;; calls++) {
        int calls_left = calls;
        struct fixture f;
        uint32_t stencils[2] = {0, 1};
        fixture_create(&f, &(struct fixture_input){.node_count = 2,
                                                   .width = 2,
                                                   .stencil_count = 1,
                                                   .stencils = stencils,
                                                   .evaluate = stopping,
                                                   .user = &calls_left});
        double x[6] = {0.0, 0.0, 0.0, 3.0, 0.0, 0.0};
        const struct newton_result result = fixture_minimize(&f, x);
        fixture_destroy(&f);
        if (result.status == PBS_OK) {
            break;
        }
        assert_int_equal(result.status, PBS_ERROR_HOST);
        assert_int_equal(calls_left, -1);
        stopped++;
    }
    assert_true(stopped > 3);
}

/// Values and gradients of a spring, but no Hessian of the second stencil.
static int32_t refusing(void *user, size_t stencil, const double *x, int32_t project, double *value,
                        double *gradient, double *hessian) {
    double stiffness = 100.0;
    (void)user;
    return hessian != NULL && stencil == 1
               ? 1
               : linear_spring(&stiffness, stencil, x, project, value, gradient, hessian);
}

/// No step can be shortened then: half a matrix must not be taken for the whole one.
static void test_refused_hessian_is_said(void **state) {
    (void)state;
    for (int32_t method = 0; method < 2; method++) {
        struct fixture f;
        uint32_t stencils[4] = {0, 1, 1, 2};
        fixture_create(&f, &(struct fixture_input){.node_count = 3,
                                                   .width = 2,
                                                   .stencil_count = 2,
                                                   .stencils = stencils,
                                                   .evaluate = refusing});
        f.options.method = method;
        double x[9] = {0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 4.0, 0.0, 0.0};
        const struct newton_result result = fixture_minimize(&f, x);
        assert_status(result.status, PBS_ERROR_INADMISSIBLE);
        assert_message("Hessian");
        assert_int_equal(result.linear_solves, 0);
        fixture_destroy(&f);
    }
}

/// A node between a floor and a ceiling below it has nowhere to go, whatever its energy.
static void test_no_place_outside_obstacles_is_said(void **state) {
    (void)state;
    coordinate_fn function = falling;
    struct fixture f;
    create_single(&f, &function);
    struct obstacle walls[2] = {tilted_floor(0.0), tilted_floor(acos(-1.0))};
    walls[1].pose.translation[1] = -1.0;
    f.scene.obstacles = walls;
    f.scene.obstacle_count = 2;
    f.scene.colliding = colliding;
    double x[3] = {0.1, 3.0, 0.5};
    memcpy(f.predictor, x, sizeof x);
    assert_status(fixture_minimize(&f, x).status, PBS_ERROR_INADMISSIBLE);
    assert_message("node 0: no point outside all obstacles");
    fixture_destroy(&f);
}

static void test_iteration_limit_is_said_and_progress_kept(void **state) {
    (void)state;
    for (int32_t method = 0; method < 2; method++) {
        struct fixture f;
        create_chain(&f, rosenbrock, NULL);
        f.objective.weight = INFINITY;
        f.options.newton_limit = 2;
        f.options.method = method;
        double x[3 * CHAIN];
        for (size_t k = 0; k < COUNT_OF(x); k++) {
            x[k] = f.predictor[k] = -0.5;
        }
        const struct newton_result result = fixture_minimize(&f, x);
        assert_status(result.status, PBS_ERROR_CONVERGENCE);
        assert_message("after 2 Newton iterations");
        assert_true(x[0] != -0.5);
        fixture_destroy(&f);
    }
}

/// Every count and time of a result is a different number; the header says what becomes of each.
static void test_results_add_up(void **state) {
    (void)state;
    const struct newton_result a = {
        .status = PBS_OK,
        .newton_iterations = 1,
        .linear_solves = 2,
        .linear_iterations = 3,
        .evaluations = 4,
        .indefinite_solves = 5,
        .gradient_directions = 6,
        .clamped_steps = 7,
        .roundoff_accepts = 8,
        .shifted_factors = 9,
        .gradient_norm = 20.0,
        .preconditioner_shift = 0.25,
        .value = 2.0,
        .preconditioner = {.used = 1, .coarse_unknowns = 2, .expected_iterations = 3.0},
        .time_evaluate = 1.0,
        .time_hessian = 2.0,
        .time_factor = 3.0,
        .time_solve = 4.0,
        .time_search = 5.0,
        .force_error = 0.5};
    const struct newton_result b = {
        .status = PBS_OK,
        .newton_iterations = 10,
        .linear_solves = 20,
        .linear_iterations = 30,
        .evaluations = 40,
        .indefinite_solves = 50,
        .gradient_directions = 60,
        .clamped_steps = 70,
        .roundoff_accepts = 80,
        .shifted_factors = 90,
        .gradient_norm = 30.0,
        .preconditioner_shift = 0.125,
        .value = 7.0,
        .preconditioner = {.used = 4, .coarse_unknowns = 5, .expected_iterations = 6.0},
        .time_evaluate = 10.0,
        .time_hessian = 20.0,
        .time_factor = 30.0,
        .time_solve = 40.0,
        .time_search = 50.0,
        .force_error = 0.25};
    struct newton_result sum = {.status = PBS_NOT_CONVERGED};
    newton_result_add(&sum, &a);
    newton_result_add(&sum, &b);
    const struct newton_result expected = {
        .status = PBS_NOT_CONVERGED,
        .newton_iterations = 11,
        .linear_solves = 22,
        .linear_iterations = 33,
        .evaluations = 44,
        .indefinite_solves = 55,
        .gradient_directions = 66,
        .clamped_steps = 77,
        .roundoff_accepts = 88,
        .shifted_factors = 99,
        .gradient_norm = 30.0,
        .preconditioner_shift = 0.25,
        .value = 7.0,
        .preconditioner = {.used = 4, .coarse_unknowns = 5, .expected_iterations = 6.0},
        .time_evaluate = 11.0,
        .time_hessian = 22.0,
        .time_factor = 33.0,
        .time_solve = 44.0,
        .time_search = 55.0,
        .force_error = 0.5};
    assert_memory_equal(&sum, &expected, sizeof sum);
}

/// Nowhere is the energy lower than at the start, though the force there says so.
static int32_t cliff(void *user, size_t stencil, const double *x, int32_t project, double *value,
                     double *gradient, double *hessian) {
    (void)user;
    (void)stencil;
    (void)project;
    const bool starts = x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0;
    if (value != NULL) {
        *value = starts ? 0.0 : 1.0;
    }
    for (int k = 0; k < ALL; k++) {
        if (gradient != NULL) {
            gradient[k] = starts ? k : 5.0;
        }
        for (int j = 0; j < ALL && hessian != NULL; j++) {
            hessian[ALL * k + j] = j == k ? 1.0 : 0.0;
        }
    }
    return 0;
}

/// What a failure says of its residual is of the state where the minimisation ends, not of the last
/// trial of a search, where the force is another.
static void test_failures_are_of_the_last_state(void **state) {
    (void)state;
    struct fixture f;
    double x[3] = {0.0, 0.0, 0.0};
    fixture_create(&f, &(struct fixture_input){.node_count = 1,
                                               .width = 1,
                                               .stencil_count = 1,
                                               .stencils = single,
                                               .evaluate = cliff});
    f.objective.weight = INFINITY;
    const struct newton_result result = fixture_minimize(&f, x);
    assert_int_equal(result.status, PBS_ERROR_CONVERGENCE);
    assert_int_equal(result.failure.kind, PBS_FAILURE_NO_DESCENT);
    assert_int_equal(result.failure.node, 0);
    // (0, 1, 2) N.
    assert_true(result.failure.residual == sqrt(5.0) && result.gradient_norm == sqrt(5.0));
    fixture_destroy(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quadratic_takes_one_iteration),
        cmocka_unit_test(test_valleys_are_followed_to_their_end),
        cmocka_unit_test(test_negative_curvature_is_left),
        cmocka_unit_test(test_hessians_are_projected_on_demand),
        cmocka_unit_test(test_infinite_walls_are_respected),
        cmocka_unit_test(test_no_admissible_start_is_said),
        cmocka_unit_test(test_energy_below_its_own_rounding_still_ends),
        cmocka_unit_test(test_free_fall_needs_no_solve),
        cmocka_unit_test(test_forces_below_the_tolerance_are_not_forgotten),
        cmocka_unit_test(test_floor_gives_the_karush_kuhn_tucker_point),
        cmocka_unit_test(test_wedge_holds_what_is_pushed_in),
        cmocka_unit_test(test_bowl_converges_quadratically),
        cmocka_unit_test(test_held_axes_stay_and_the_others_balance),
        cmocka_unit_test(test_threads_do_not_change_a_bit),
        cmocka_unit_test(test_host_stops_at_any_call),
        cmocka_unit_test(test_refused_hessian_is_said),
        cmocka_unit_test(test_no_place_outside_obstacles_is_said),
        cmocka_unit_test(test_iteration_limit_is_said_and_progress_kept),
        cmocka_unit_test(test_results_add_up),
        cmocka_unit_test(test_failures_are_of_the_last_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
