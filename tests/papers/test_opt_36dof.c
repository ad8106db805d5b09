// OPT's smallest stress test, as docs/theory/minimization.md section 3 measures it: a 1.0 x 0.4
// sheet of 6 x 3 nodes in the plane (36 degrees of freedom), fixed corotated, starting from random
// places inside its box. One step of several sizes, 200 random starts each, by plain Newton and by
// the stabilised minimiser. The sheet is a host's own energy: stencils of three nodes with z held.
#include "support/derivatives.h"
#include "support/world_testing.h"

enum {
    COLUMNS = 6,
    ROWS = 3,
    NODES = COLUMNS * ROWS,
    TRIANGLES = 2 * (COLUMNS - 1) * (ROWS - 1),
    TRIALS = 200,
    FEW_TRIALS = 10
};

static const double SPACING = 0.2;
static const double DENSITY = 1000.0;
static const double YOUNG = 1e6;
static const double POISSON = 0.3;

struct sheet {
    uint32_t triangles[TRIANGLES][3];
    double rest_inverse[TRIANGLES][4]; // row-major
    double area[TRIANGLES];
    double masses[NODES];
    double rest[NODES][3];
};

static void make_sheet(struct sheet *sheet) {
    memset(sheet, 0, sizeof *sheet);
    for (uint32_t j = 0; j < ROWS; j++) {
        for (uint32_t i = 0; i < COLUMNS; i++) {
            sheet->rest[i + COLUMNS * j][0] = SPACING * i;
            sheet->rest[i + COLUMNS * j][1] = SPACING * j;
        }
    }
    uint32_t count = 0;
    for (uint32_t j = 0; j + 1 < ROWS; j++) {
        for (uint32_t i = 0; i + 1 < COLUMNS; i++) {
            const uint32_t a = i + COLUMNS * j;
            const uint32_t cell[2][3] = {{a, a + 1, a + COLUMNS + 1},
                                         {a, a + COLUMNS + 1, a + COLUMNS}};
            memcpy(sheet->triangles[count], cell, sizeof cell);
            count += 2;
        }
    }
    for (uint32_t t = 0; t < TRIANGLES; t++) {
        const double *const a = sheet->rest[sheet->triangles[t][0]];
        const double *const b = sheet->rest[sheet->triangles[t][1]];
        const double *const c = sheet->rest[sheet->triangles[t][2]];
        const double m[4] = {b[0] - a[0], c[0] - a[0], b[1] - a[1], c[1] - a[1]};
        const double determinant = m[0] * m[3] - m[1] * m[2];
        const double inverse[4] = {m[3] / determinant, -m[1] / determinant, -m[2] / determinant,
                                   m[0] / determinant};
        memcpy(sheet->rest_inverse[t], inverse, sizeof inverse);
        sheet->area[t] = 0.5 * determinant;
        for (int k = 0; k < 3; k++) {
            sheet->masses[sheet->triangles[t][k]] += DENSITY * sheet->area[t] / 3.0;
        }
    }
}

// --- fixed corotated in the plane: psi = mu |F - R|^2 + lambda/2 (J - 1)^2, with |F - R|^2 = |F|^2
// - 2 s + 2 and
// --- s = hypot(F11 + F22, F21 - F12) ---

struct planar {
    double psi, p[4], h[4][4];
};

static struct planar fixed_corotated(const double f[4]) {
    const double mu = YOUNG / (2.0 * (1.0 + POISSON));
    const double lambda = YOUNG * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON));
    const double sum = f[0] + f[3];
    const double spin = f[2] - f[1];
    const double s = fmax(hypot(sum, spin), 1e-300);
    const double along[4] = {sum / s, -spin / s, spin / s, sum / s};    // ds/dF
    const double across[4] = {-spin / s, -sum / s, sum / s, -spin / s}; // d2s = across across^T / s
    const double cofactor[4] = {f[3], -f[2], -f[1], f[0]};
    const double mirror[4] = {1.0, -1.0, -1.0, 1.0}; // d2J: entry (k, 3 - k)
    const double growth = f[0] * f[3] - f[1] * f[2] - 1.0;
    struct planar out = {.psi = 0.5 * lambda * growth * growth};
    double square = 0.0;
    for (int i = 0; i < 4; i++) {
        square += f[i] * f[i];
        out.p[i] = 2.0 * mu * (f[i] - along[i]) + lambda * growth * cofactor[i];
        for (int j = 0; j < 4; j++) {
            out.h[i][j] = (i == j ? 2.0 * mu : 0.0) - 2.0 * mu * across[i] * across[j] / s +
                          lambda * cofactor[i] * cofactor[j];
        }
        out.h[i][3 - i] += lambda * growth * mirror[i];
    }
    out.psi += mu * (square - 2.0 * s + 2.0);
    return out;
}

/// gradients[a]: of node a's shape function at rest.
static void shape_gradients(const double inverse[4], double gradients[3][2]) {
    for (int k = 0; k < 2; k++) {
        gradients[1][k] = inverse[k];
        gradients[2][k] = inverse[2 + k];
        gradients[0][k] = -gradients[1][k] - gradients[2][k];
    }
}

static int32_t evaluate_triangle(void *user, size_t stencil, const double *x, int32_t project,
                                 double *value, double *gradient, double *hessian) {
    (void)project;
    const struct sheet *const sheet = user;
    double g[3][2];
    shape_gradients(sheet->rest_inverse[stencil], g);
    double f[4] = {0.0};
    for (int a = 0; a < 3; a++) {
        for (int ij = 0; ij < 4; ij++) {
            f[ij] += x[3 * a + ij / 2] * g[a][ij % 2];
        }
    }
    const struct planar e = fixed_corotated(f);
    const double area = sheet->area[stencil];
    if (value != NULL) {
        *value = area * e.psi;
    }
    if (gradient != NULL) {
        memset(gradient, 0, 9 * sizeof *gradient);
        for (int a = 0; a < 3; a++) {
            for (int ij = 0; ij < 4; ij++) {
                gradient[3 * a + ij / 2] += area * e.p[ij] * g[a][ij % 2];
            }
        }
    }
    if (hessian != NULL) {
        memset(hessian, 0, 81 * sizeof *hessian);
        for (int r = 0; r < 12; r++) {
            for (int c = 0; c < 12; c++) {
                const int a = r / 4, ij = r % 4, b = c / 4, kl = c % 4;
                hessian[9 * (3 * a + ij / 2) + 3 * b + kl / 2] += area * e.h[ij][kl] *
                                                                  g[a][ij % 2] * g[b][kl % 2];
            }
        }
    }
    return 0;
}

static double triangle_value(void *context, const double *x) {
    double value = 0.0;
    evaluate_triangle(context, 0, x, 0, &value, NULL, NULL);
    return value;
}

static void triangle_gradient(void *context, const double *x, double *gradient) {
    evaluate_triangle(context, 0, x, 0, NULL, gradient, NULL);
}

static void triangle_hessian(void *context, const double *x, double *hessian) {
    evaluate_triangle(context, 0, x, 0, NULL, NULL, hessian);
}

// --- one trial ---

struct generator {
    uint64_t s;
};

static double draw(struct generator *generator) {
    generator->s = generator->s * 6364136223846793005U + 1442695040888963407U;
    return (double)(generator->s >> 11) / 9007199254740992.0;
}

static void random_start(uint64_t trial, double x[3 * NODES]) {
    struct generator generator = {1000003U * (trial + 1)};
    for (int i = 0; i < 5; i++) {
        (void)draw(&generator);
    }
    for (int i = 0; i < NODES; i++) {
        x[3 * i] = draw(&generator);
        x[3 * i + 1] = 0.4 * draw(&generator);
        x[3 * i + 2] = 0.0;
    }
}

struct outcome {
    bool converged;
    uint32_t iterations;
    double x[3 * NODES];
};

static pbs_world *make_world(struct sheet *sheet, int32_t method, pbs_body *body) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PROJECTION;
    d.threads = 1;
    d.method = method;
    d.initial_guess = PBS_GUESS_INERTIAL;
    d.preconditioner = PBS_PRECONDITIONER_NONE;
    d.newton_limit = 500;
    d.tolerance = 1e-6 * YOUNG * SPACING;
    d.forcing = 1.0 / sqrt(YOUNG * SPACING);
    d.step_length_limit = 1e3;
    pbs_world *world = new_world_from(&d);
    pbs_custom_desc c;
    assert_ok(pbs_custom_desc_init(&c, sizeof c));
    c.width = 3;
    c.vertex_count = NODES;
    c.positions = &sheet->rest[0][0];
    c.masses = sheet->masses;
    c.stencil_count = TRIANGLES;
    c.stencils = &sheet->triangles[0][0];
    c.evaluate = evaluate_triangle;
    c.user = sheet;
    c.tag = 36;
    assert_ok(pbs_body_create_custom(world, &c, body));
    uint32_t all[NODES];
    for (uint32_t i = 0; i < NODES; i++) {
        all[i] = i;
    }
    assert_ok(pbs_body_pin(world, *body, all, NODES, PBS_AXIS_Z));
    return world;
}

static void run_trials(struct sheet *sheet, int32_t method, double h, size_t trial_count,
                       struct outcome *outcomes) {
    pbs_body body = {0};
    pbs_world *const world = make_world(sheet, method, &body);
    const double at_rest[3 * NODES] = {0};
    for (size_t trial = 0; trial < trial_count; trial++) {
        struct outcome *const o = &outcomes[trial];
        random_start(trial, o->x);
        assert_ok(pbs_body_set_positions(world, body, o->x, NODES));
        assert_ok(pbs_body_set_velocities(world, body, at_rest, NODES));
        const pbs_status status = pbs_world_step(world, h);
        assert_true(status == PBS_OK || status == PBS_ERROR_CONVERGENCE);
        const pbs_stats stats = stats_of(world);
        o->converged = status == PBS_OK;
        o->iterations = stats.newton_iterations;
        memcpy(o->x, pbs_body_positions(world, body), sizeof o->x);
    }
    pbs_world_destroy(world);
}

// --- the table ---

struct summary {
    double percent;
    uint32_t median, p95, max; ///< iterations of those that converged
};

static int compare(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static struct summary summarize(const struct outcome *outcomes, size_t trial_count) {
    uint32_t iterations[TRIALS];
    size_t count = 0;
    for (size_t i = 0; i < trial_count; i++) {
        if (outcomes[i].converged) {
            iterations[count++] = outcomes[i].iterations;
        }
    }
    struct summary s = {.percent = 100.0 * (double)count / (double)trial_count};
    if (count > 0) {
        qsort(iterations, count, sizeof *iterations, compare);
        s.median = iterations[count / 2];
        s.p95 = iterations[count * 95 / 100];
        s.max = iterations[count - 1];
    }
    return s;
}

/// How many of those that both methods solved ended in the same place, in percent.
static double same_minimiser(const struct outcome *a, const struct outcome *b, size_t trial_count) {
    size_t both = 0;
    size_t same = 0;
    for (size_t i = 0; i < trial_count; i++) {
        if (a[i].converged && b[i].converged) {
            both++;
            same += testing_max_difference(a[i].x, b[i].x, 3 * NODES) < 1e-4 * SPACING;
        }
    }
    return both > 0 ? 100.0 * (double)same / (double)both : 0.0;
}

/// A row: what the reference measured, and the bounds that it sets for tests, in percent.
struct row {
    const char *name;
    double step;
    const char *expected;
    double newton_least, newton_most, stabilized_least, same_least;
};

static const struct row table[] = {
    {"1/(24*170)", 1.0 / (24 * 170), "100 (2) / 100 (9, 10, 10)", 100, 100, 100, 97},
    {"1/(24*40)", 1.0 / (24 * 40), "100 (3) / 100 (9, 10, 11)", 100, 100, 100, 97},
    {"1/(24*20)", 1.0 / (24 * 20), "100 (4) / 100 (9, 10, 21)", 100, 100, 100, 97},
    {"1/(24*10)", 1.0 / (24 * 10), "75.5 (11) / 100 (10, 13, 18)", 60, 90, 100, 0},
    {"1/24", 1.0 / 24, "15.0 (331) / 100 (23, 42, 72)", 0, 30, 98, 0},
    {"1", 1.0, "14.5 (134) / 99.5 (68, 217, 455)", 0, 30, 98, 0},
};

static void test_table(void **state) {
    (void)state;
    static struct sheet sheet;
    static struct outcome newton[TRIALS], stabilized[TRIALS];
    make_sheet(&sheet);
    const bool small = testing_is_small();
    const size_t trials = small ? FEW_TRIALS : TRIALS;
    print_message("step: plain Newton %% (median) / stabilised %% (median, 95%%, most)\n");
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        const struct row *const row = &table[i];
        run_trials(&sheet, PBS_METHOD_PLAIN_NEWTON, row->step, trials, newton);
        run_trials(&sheet, PBS_METHOD_STABILIZED_NEWTON, row->step, trials, stabilized);
        const struct summary n = summarize(newton, trials);
        const struct summary s = summarize(stabilized, trials);
        const double same = same_minimiser(newton, stabilized, trials);
        print_message("%-10s %.1f (%u) / %.1f (%u, %u, %u)   specification %s   same %.1f%%\n",
                      row->name, n.percent, n.median, s.percent, s.median, s.p95, s.max,
                      row->expected, same);
        assert_true(s.percent >= row->stabilized_least);
        // Shares need the whole sample.
        assert_true(small || same >= row->same_least);
        assert_true(small || n.percent >= row->newton_least);
        assert_true(small || n.percent <= row->newton_most);
    }
}

static void test_derivatives(void **state) {
    (void)state;
    static struct sheet sheet;
    make_sheet(&sheet);
    for (uint64_t trial = 0; trial < 20; trial++) {
        double x[3 * NODES];
        random_start(trial, x);
        const struct derivatives_function function = {9, triangle_value, triangle_gradient,
                                                      triangle_hessian, &sheet};
        assert_small(derivatives_gradient_error(&function, x, 1e-4), 1e-10, "gradient");
        assert_small(derivatives_hessian_error(&function, x, 1e-4), 1e-10, "Hessian");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
