// Lagged friction on 112 states of two colliding cubes, as another implementation computed them
// (../shared/data/ccd/friction, its README has format and source): closest points, force of the
// squared barrier, energy, gradient and Hessian.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "contact/barrier/barrier.h"
#include "geometry/distances/distance.h"
#include "support/testing.h"

enum { NODES = 16, ROWS = 3 * NODES, CONTACTS = 16, STATES = 112 };

struct contact {
    enum pair_kind kind;
    int count, nodes[4]; // second: first side first
    double multiplicity, weight[4], lambda, tangent[6];
};

struct state {
    double mu, width, reach, stiffness;
    double start[NODES][3], lagged[NODES][3], end[NODES][3];
    int contact_count;
    struct contact contacts[CONTACTS];
    double energy, gradient[ROWS], hessian[ROWS * ROWS];
};

// --- reading ---

static double number(FILE *file) {
    double value = 0.0;
    assert_int_equal(fscanf(file, "%lf", &value), 1);
    return value;
}

static void numbers(FILE *file, double *out, int count) {
    for (int i = 0; i < count; i++) {
        out[i] = number(file);
    }
}

static void expect(FILE *file, const char *word) {
    char found[64] = "";
    assert_int_equal(fscanf(file, "%63s", found), 1);
    assert_string_equal(found, word);
}

static void skip_line(FILE *file) {
    for (int c = fgetc(file); c != '\n' && c != EOF; c = fgetc(file)) {
    }
}

static void read_nodes(FILE *file, const char *name, double (*out)[3]) {
    expect(file, name);
    assert_int_equal((int)number(file), NODES);
    numbers(file, out[0], ROWS);
}

static void read_contact(FILE *file, struct contact *c) {
    static const struct {
        const char *name;
        enum pair_kind kind;
    } kinds[] = {{"pt", PAIR_POINT_TRIANGLE},
                 {"ee", PAIR_EDGE_EDGE},
                 {"pe", PAIR_POINT_EDGE},
                 {"pp", PAIR_POINT_POINT}};
    char name[8] = "";
    assert_int_equal(fscanf(file, "%7s", name), 1);
    c->count = 0;
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        if (strcmp(name, kinds[k].name) == 0) {
            c->kind = kinds[k].kind;
            c->count = pair_node_count(c->kind);
        }
    }
    assert_true(c->count > 0);
    c->multiplicity = number(file);
    for (int i = 0; i < c->count; i++) {
        c->nodes[i] = (int)number(file);
        assert_in_range(c->nodes[i], 0, NODES - 1);
    }
    numbers(file, c->weight, c->count);
    c->lambda = number(file);
    numbers(file, c->tangent, 6);
}

static bool read_state(FILE *file, struct state *s) {
    char word[64] = "";
    if (fscanf(file, "%63s", word) != 1) {
        return false;
    }
    assert_string_equal(word, "case");
    (void)number(file);
    double *const params[4] = {&s->mu, &s->width, &s->reach, &s->stiffness};
    static const char *const names[4] = {"mu", "epsv_h", "dhat", "kappa"};
    expect(file, "params");
    for (int i = 0; i < 4; i++) {
        expect(file, names[i]);
        *params[i] = number(file);
    }
    read_nodes(file, "V_start", s->start);
    read_nodes(file, "V_lagged", s->lagged);
    read_nodes(file, "V_end", s->end);
    expect(file, "contacts");
    s->contact_count = (int)number(file);
    assert_in_range(s->contact_count, 0, CONTACTS);
    skip_line(file);
    for (int i = 0; i < s->contact_count; i++) {
        read_contact(file, s->contacts + i);
    }
    expect(file, "energy");
    s->energy = number(file);
    expect(file, "gradient");
    assert_int_equal((int)number(file), ROWS);
    numbers(file, s->gradient, ROWS);
    expect(file, "hessian_triplets");
    memset(s->hessian, 0, sizeof s->hessian);
    for (int left = (int)number(file); left > 0; left--) {
        const int row = (int)number(file), column = (int)number(file);
        assert_in_range(row, 0, ROWS - 1);
        assert_in_range(column, 0, ROWS - 1);
        s->hessian[ROWS * row + column] += number(file);
    }
    return true;
}

// --- computing ---

// The closest points and the force at the lagged positions are those of the file.
static void check_normal_force(const struct state *s, const struct contact *c) {
    const double *nodes[4] = {NULL};
    for (int i = 0; i < c->count; i++) {
        nodes[i] = s->lagged[c->nodes[i]];
    }
    const struct closest closest = closest_points(c->kind, nodes);
    for (int i = 0; i < c->count; i++) {
        // Weights are lengths along edges of 1 over them; positions have 16 digits.
        assert_near(closest.weight[i], c->weight[i], 1e-10, "weight");
    }
    const struct barrier barrier = {BARRIER_SQUARED, s->stiffness, s->reach};
    const double force = -barrier_evaluate(&barrier, sqrt(closest.squared), 0.0).first;
    // Theirs is from the squared distance: 3e-12 as the file's source says.
    assert_near(c->multiplicity * force, c->lambda, 1e-10 * c->lambda, "normal force");
    for (int k = 0; k < 2; k++) {
        const double along = c->tangent[k] * closest.r[0] + c->tangent[2 + k] * closest.r[1] +
                             c->tangent[4 + k] * closest.r[2];
        assert_small(fabs(along) / sqrt(closest.squared), 1e-10, "tangent along the normal");
    }
}

// mu lambda f0(|u|) with u = T^T sum w_i (end - start)_i, and its derivatives for the nodes.
static void add_friction(const struct state *s, const struct contact *c, double *energy,
                         double *gradient, double *hessian) {
    double slip[2] = {0.0}, along[3];
    for (int i = 0; i < c->count; i++) {
        double moved[3];
        subtract3(s->end[c->nodes[i]], s->start[c->nodes[i]], moved);
        for (int k = 0; k < 6; k++) {
            slip[k % 2] += c->weight[i] * c->tangent[k] * moved[k / 2];
        }
    }
    const double y = sqrt(slip[0] * slip[0] + slip[1] * slip[1]), scale = s->mu * c->lambda;
    const struct friction_value f = friction_evaluate(y, s->width);
    *energy += scale * f.value;
    for (int e = 0; e < 3; e++) {
        along[e] = c->tangent[2 * e] * slip[0] + c->tangent[2 * e + 1] * slip[1];
    }
    const double radial = y > 0.0 ? (f.second - f.first_over_slip) / (y * y) : 0.0;
    for (int a = 0; a < 3 * c->count; a++) {
        const int i = a / 3, row = a % 3;
        gradient[3 * c->nodes[i] + row] += scale * f.first_over_slip * c->weight[i] * along[row];
        for (int b = 0; b < 3 * c->count; b++) {
            const int j = b / 3, column = b % 3;
            const double across = c->tangent[2 * row] * c->tangent[2 * column] +
                                  c->tangent[2 * row + 1] * c->tangent[2 * column + 1];
            hessian[ROWS * (3 * c->nodes[i] + row) + 3 * c->nodes[j] +
                    column] += scale * c->weight[i] * c->weight[j] *
                               (f.first_over_slip * across + radial * along[row] * along[column]);
        }
    }
}

static double largest(const double *a, size_t count) {
    double size = 0.0;
    for (size_t i = 0; i < count; i++) {
        size = fmax(size, fabs(a[i]));
    }
    return size;
}

static void check_state(const struct state *s) {
    static double hessian[ROWS * ROWS];
    double energy = 0.0, gradient[ROWS] = {0.0};
    memset(hessian, 0, sizeof hessian);
    for (int i = 0; i < s->contact_count; i++) {
        check_normal_force(s, s->contacts + i);
        add_friction(s, s->contacts + i, &energy, gradient, hessian);
    }
    assert_near(energy, s->energy, 1e-10 * fabs(s->energy), "energy");
    assert_small(testing_max_difference(gradient, s->gradient, ROWS),
                 1e-10 * largest(s->gradient, ROWS), "gradient");
    assert_small(testing_max_difference(hessian, s->hessian, ROWS * ROWS),
                 1e-10 * largest(s->hessian, ROWS * ROWS), "Hessian");
}

static void states_of_two_cubes(void **unused) {
    (void)unused;
    static struct state s;
    const char *shared = getenv("PBS_SHARED_DATA");
    char path[1024];
    snprintf(path, sizeof path, "%s/ccd/friction/cube_cube.txt",
             shared != NULL ? shared : "../shared/data");
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        printf("skipped: %s is not here (PBS_SHARED_DATA names the folder above ccd)\n", path);
        skip();
    }
    skip_line(file);
    int states = 0;
    for (; read_state(file, &s); states++) {
        check_state(&s);
    }
    fclose(file);
    assert_int_equal(states, STATES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_of_two_cubes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
