// Damping by the rate of strain: springs, tetrahedra, triangles, affine bodies. Derivatives beside
// differences, no force and no torque on what only moves and turns, the old law at small strain.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "base/matrix3/math3.h"
#include "energy/affine/affine.h"
#include "energy/cube_fixture.h"
#include "energy/shells/membrane.h"
#include "energy/custom/project.h"
#include "energy/damping/spring_damping.h"
#include "energy/springs/springs.h"
#include "energy/damping/strain_damping.h"
#include "energy/damping/strain_history.h"
#include "support/host/refusals.h"

enum kind { SPRINGS, TETRAHEDRA, TRIANGLES, HANDLES, KIND_COUNT };

enum { NODES = 8, ELEMENTS = 11, SIZE = 3 * NODES };

static const char *const names[] = {"springs", "tetrahedra", "triangles", "handles"};
static const uint32_t widths[] = {2, 4, 3, 3};
static const double damping_time = 0.25;

/// Elements of one kind over random nodes, and the elastic energy that they damp.
struct elements {
    uint32_t nodes[4 * ELEMENTS];
    double rest[SIZE], gradients[9 * ELEMENTS], mu[ELEMENTS], lambda[ELEMENTS];
    double young[ELEMENTS], poisson[ELEMENTS], none[ELEMENTS];
    double thickness[ELEMENTS]; ///< of triangles; of affine bodies the length of handles
    double lengths[ELEMENTS];   ///< of springs
    struct cube cube;
    struct term term, elastic;
};

/// Node numbers of element e: all different, in an order that the assembly has to change.
static void choose_nodes(struct random *random, uint32_t width, uint32_t *node) {
    size_t order[NODES];
    random_permutation(random, order, NODES);
    for (uint32_t a = 0; a < width; a++) {
        node[a] = (uint32_t)order[a];
    }
}

/// Modulus times volume times damping time of element e, whose gradients are filled in too.
static void choose_moduli(struct elements *s, enum kind kind, size_t e) {
    double mu = 0.0, lambda = 0.0, volume = 1.0;
    if (kind == TETRAHEDRA) {
        volume = solid_rest_gradients(s->rest, s->nodes + 4 * e, s->gradients + 9 * e);
        material_lame(s->young[e], s->poisson[e], &mu, &lambda);
    } else if (kind == TRIANGLES) {
        volume = s->thickness[e] *
                 membrane_rest_gradients(s->rest, s->nodes + 3 * e, s->gradients + 4 * e);
        membrane_moduli(s->young[e], s->poisson[e], &mu, &lambda);
    } else if (kind == HANDLES) {
        for (size_t k = 0; k < 9; k++) {
            s->gradients[9 * e + k] = k % 4 == 0 ? 1.0 / s->thickness[e] : 0.0;
        }
        mu = 4.0 * s->young[e];
    } else {
        mu = s->young[e];
    }
    s->mu[e] = volume * damping_time * mu;
    s->lambda[e] = volume * damping_time * lambda;
}

/// Two frames, each the axes of a rotation times a length, which several elements share.
static void choose_handles(struct elements *s, struct random *random) {
    double axes[9];
    for (uint32_t frame = 0; frame < 2; frame++) {
        random_rotation(random, axes);
        for (int k = 0; k < 9; k++) {
            s->rest[9 * frame + (uint32_t)k] = (1.0 + frame) * axes[k];
        }
    }
    for (uint32_t e = 0; e < ELEMENTS; e++) {
        for (uint32_t a = 0; a < 3; a++) {
            s->nodes[3 * e + a] = 3 * (e % 2) + (a + e) % 3;
        }
        s->thickness[e] = 1.0 + e % 2;
        choose_moduli(s, HANDLES, e);
    }
}

static void choose_elements(struct elements *s, enum kind kind, struct random *random) {
    const uint32_t width = widths[kind];
    random_fill(random, 0.0, 0.45, s->poisson, ELEMENTS);
    random_fill(random, 1.0, 3.0, s->young, ELEMENTS);
    random_fill(random, 0.5, 2.0, s->thickness, ELEMENTS);
    if (kind == HANDLES) {
        choose_handles(s, random);
        return;
    }
    for (size_t e = 0; e < ELEMENTS; e++) {
        uint32_t *node = s->nodes + width * e;
        double volume = 0.0;
        do { // slivers have derivatives that differences do not see
            choose_nodes(random, width, node);
            double rows[9];
            volume = kind == TETRAHEDRA  ? solid_rest_gradients(s->rest, node, rows)
                     : kind == TRIANGLES ? membrane_rest_gradients(s->rest, node, rows)
                                         : 1.0;
        } while (volume < 0.1);
        choose_moduli(s, kind, e);
        double l[3];
        subtract3(s->rest + 3 * (size_t)node[1], s->rest + 3 * (size_t)node[0], l);
        s->lengths[e] = norm3(l);
    }
}

static struct term elastic_term(struct elements *s, enum kind kind) {
    struct memory *memory = &s->cube.memory;
    if (kind == SPRINGS) {
        const struct springs_input input = {.count = ELEMENTS,
                                            .nodes = s->nodes,
                                            .stiffness = s->young,
                                            .rest_lengths = s->lengths,
                                            .damping = s->none};
        struct springs *springs = NULL;
        assert_ok(springs_create(memory, &input, &springs));
        return springs_term(springs);
    }
    if (kind == TETRAHEDRA) {
        const struct solid_input input = {&material_neo_hookean,
                                          ELEMENTS,
                                          s->nodes,
                                          s->rest,
                                          s->young,
                                          s->poisson,
                                          s->none,
                                          NULL,
                                          NULL};
        struct solid *solid = NULL;
        assert_ok(solid_create(memory, &input, &solid));
        return solid_term(solid);
    }
    if (kind == TRIANGLES) {
        const struct membrane_input input = {ELEMENTS, s->nodes,   s->rest, s->thickness,
                                             s->young, s->poisson, s->none};
        struct membrane *membrane = NULL;
        assert_ok(membrane_create(memory, &input, &membrane));
        return membrane_term(membrane);
    }
    const struct affine_input input = {.count = ELEMENTS,
                                       .nodes = s->nodes,
                                       .stiffness = s->young,
                                       .radius = s->thickness,
                                       .damping = s->none};
    struct affine *affine = NULL;
    assert_ok(affine_create(memory, &input, &affine));
    return affine_term(affine);
}

static pbs_status create_damping(struct memory *memory, const struct elements *s, enum kind kind,
                                 struct term *out) {
    static const enum strain_shape shapes[] = {[TETRAHEDRA] = STRAIN_TETRAHEDRON,
                                               [TRIANGLES] = STRAIN_TRIANGLE,
                                               [HANDLES] = STRAIN_HANDLES};
    if (kind == SPRINGS) {
        const struct spring_damping_input input = {
            .count = ELEMENTS, .nodes = s->nodes, .coefficient = s->mu};
        struct spring_damping *damping = NULL;
        RETURN_IF_FAILED(spring_damping_create(memory, &input, &damping));
        *out = spring_damping_term(damping);
        return PBS_OK;
    }
    const struct strain_damping_input input = {shapes[kind], ELEMENTS, s->nodes,
                                               s->gradients, s->mu,    s->lambda};
    struct strain_damping *damping = NULL;
    RETURN_IF_FAILED(strain_damping_create(memory, &input, &damping));
    *out = strain_damping_term(damping);
    return PBS_OK;
}

static void make(struct elements *s, enum kind kind, uint32_t domain_count) {
    struct random random = random_seed(kind + 1);
    *s = (struct elements){0};
    cube_make_nodes(&s->cube, NODES);
    random_fill(&random, -1.0, 1.0, s->rest, SIZE);
    choose_elements(s, kind, &random);
    assert_ok(create_damping(&s->cube.memory, s, kind, &s->term));
    s->elastic = elastic_term(s, kind);
    const struct term terms[2] = {s->term, s->elastic};
    cube_bind(&s->cube, terms, 2, domain_count);
}

static void done(struct elements *s) {
    s->term.table->destroy(s->term.self, &s->cube.memory);
    s->elastic.table->destroy(s->elastic.self, &s->cube.memory);
    cube_free(&s->cube);
}

/// What rates are measured from is this part alone.
static void begin(struct elements *s, const struct strain_part *part) {
    const struct strain_stage stage = {.part_count = 1, .parts = {*part}};
    strains_begin_stage(NULL, &s->cube.assembly, &s->term, 1, &stage);
}

static struct cube_function damping_of(struct elements *s, bool project) {
    return (struct cube_function){
        .cube = &s->cube, .term = &s->term, .project = project, .stage = {.length = 0.5}};
}

static void move(struct random *random, double amount, const double *from, double *to) {
    for (size_t i = 0; i < SIZE; i++) {
        to[i] = from[i] + random_uniform(random, -amount, amount);
    }
}

static void derivatives_agree_with_differences(void **state) {
    (void)state;
    for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
        for (uint32_t domain_count = 1; domain_count <= 3; domain_count++) {
            struct random random = random_seed(41);
            struct elements s;
            double x[SIZE];
            make(&s, kind, domain_count);
            begin(&s, &(struct strain_part){.x = s.rest, .strain = 1.0});
            move(&random, 0.2, s.rest, x);
            struct cube_function f = damping_of(&s, false);
            const struct derivatives_function d = cube_derivatives(&f);
            assert_true(d.value(&f, x) > 0.0);
            // Of fourth order with steps of 1e-3, and rounding over the step.
            assert_small(derivatives_gradient_error(&d, x, 1e-3), 1e-9, names[kind]);
            assert_small(derivatives_hessian_error(&d, x, 1e-3), 1e-8, names[kind]);
            done(&s);
        }
    }
}

/// Also far from the history, in extension and in compression; and where the elements have been
/// stretched since, nothing is cut off.
static void projected_hessians_are_semidefinite(void **state) {
    (void)state;
    for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
        struct random random = random_seed(43);
        struct elements s;
        double x[SIZE];
        double hessian[SIZE * SIZE];
        double exact[SIZE * SIZE];
        make(&s, kind, 1);
        begin(&s, &(struct strain_part){.x = s.rest, .strain = 1.0});
        for (int trial = 0; trial < 10; trial++) {
            move(&random, 0.8, s.rest, x);
            struct cube_function f = damping_of(&s, true);
            cube_function_hessian(&f, x, hessian);
            double largest = 0.0;
            for (size_t i = 0; i < SIZE; i++) {
                largest = fmax(largest, hessian[(SIZE + 1) * i]);
            }
            for (size_t i = 0; i < SIZE; i++) { // rounding of what is zero
                hessian[(SIZE + 1) * i] += 1e-12 * largest;
            }
            assert_true(project_is_semidefinite(SIZE, hessian));
        }
        for (size_t i = 0; i < SIZE; i++) {
            x[i] = 1.5 * s.rest[i];
        }
        struct cube_function f = damping_of(&s, true);
        cube_function_hessian(&f, x, hessian);
        f.project = false;
        cube_function_hessian(&f, x, exact);
        for (size_t i = 0; i < SIZE * SIZE; i++) {
            assert_near(hessian[i], exact[i], 1e-11, names[kind]);
        }
        done(&s);
    }
}

/// Where shells alone are to be semidefinite, triangles are as if all were, and all else is exact,
/// to the bit: elasticity alone (a stage without end has no damping), and with its damping.
static void shells_alone_are_projected(void **state) {
    (void)state;
    enum { EXACT, ALL, SHELLS };
    for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
        struct random random = random_seed(45);
        struct elements s;
        double x[SIZE];
        make(&s, kind, 1);
        begin(&s, &(struct strain_part){.x = s.rest, .strain = 1.0});
        // Half way to a point, where Hessians are far from semidefinite.
        for (size_t i = 0; i < SIZE; i++) {
            x[i] = 0.5 * s.rest[i];
        }
        move(&random, 0.05, x, x);
        const size_t count = 9 * s.cube.assembly.pattern.block_count;
        const struct term terms[2] = {s.term, s.elastic};
        for (int damped = 0; damped < 2; damped++) {
            double blocks[3][SIZE * SIZE];
            for (int what = EXACT; what <= SHELLS; what++) {
                const struct evaluation evaluation = {.what = EVALUATE_HESSIAN,
                                                      .x = x,
                                                      .stage = {.length = damped ? 0.5 : INFINITY},
                                                      .project = what == ALL,
                                                      .project_shells = what == SHELLS};
                assert_int_equal(cube_evaluate(&s.cube, terms, 2, &evaluation), EVALUATE_OK);
                memcpy(blocks[what], s.cube.result.blocks, count * sizeof *blocks[what]);
            }
            assert_same_bits(blocks[SHELLS], blocks[kind == TRIANGLES ? ALL : EXACT], count);
            assert_true(memcmp(blocks[ALL], blocks[EXACT], count * sizeof *blocks[ALL]) != 0);
        }
        done(&s);
    }
}

/// The stress is symmetric: whatever the motion, no force and no torque comes of it. Handles are
/// vectors: they have no force to balance.
static void no_force_and_no_torque(void **state) {
    (void)state;
    for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
        struct random random = random_seed(47);
        struct elements s;
        double x[SIZE];
        double gradient[SIZE];
        double force[3] = {0.0}, torque[3] = {0.0}, size = 0.0;
        make(&s, kind, 2);
        begin(&s, &(struct strain_part){.x = s.rest, .strain = 1.0});
        move(&random, 0.5, s.rest, x);
        struct cube_function f = damping_of(&s, false);
        cube_function_gradient(&f, x, gradient);
        for (size_t i = 0; i < NODES; i++) {
            double arm[3];
            cross3(x + 3 * i, gradient + 3 * i, arm);
            add_scaled3(torque, 1.0, arm, torque);
            add_scaled3(force, 1.0, gradient + 3 * i, force);
            size += norm3(gradient + 3 * i);
        }
        assert_true(size > 0.1);
        assert_small(norm3(torque) / size, 1e-14, names[kind]);
        if (kind != HANDLES) {
            assert_small(norm3(force) / size, 1e-14, names[kind]);
        }
        done(&s);
    }
}

/// A rotation by any angle, and a translation of all but handles, have no rate of strain.
static void rigid_motions_are_free(void **state) {
    (void)state;
    for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
        struct random random = random_seed(53);
        struct elements s;
        double rotation[9];
        double x[SIZE];
        double gradient[SIZE];
        make(&s, kind, 2);
        begin(&s, &(struct strain_part){.x = s.rest, .strain = 1.0});
        random_rotation(&random, rotation);
        for (size_t i = 0; i < NODES; i++) {
            multiply3(rotation, s.rest + 3 * i, x + 3 * i);
            x[3 * i] += kind == HANDLES ? 0.0 : 3.0;
        }
        struct cube_function f = damping_of(&s, false);
        assert_small(cube_function_value(&f, x), 1e-28, names[kind]);
        cube_function_gradient(&f, x, gradient);
        for (size_t i = 0; i < SIZE; i++) {
            // Rounding of coordinates of 3 m, times moduli and gradients of up to 1e3.
            assert_small(fabs(gradient[i]), 1e-12, names[kind]);
        }
        done(&s);
    }
}

/// At rest its Hessian is the elastic one, times damping time over the stage's length.
static void small_strains_are_damped_in_proportion_to_stiffness(void **state) {
    (void)state;
    for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
        struct elements s;
        double stiffness[SIZE * SIZE];
        make(&s, kind, 1);
        begin(&s, &(struct strain_part){.x = s.rest, .strain = 1.0});
        const size_t count = 9 * s.cube.assembly.pattern.block_count;
        // Both terms are in the assembly; a stage without end has no damping.
        const struct term terms[2] = {s.term, s.elastic};
        const struct evaluation elastic = {
            .what = EVALUATE_HESSIAN, .x = s.rest, .stage = {.length = INFINITY}};
        assert_int_equal(cube_evaluate(&s.cube, terms, 2, &elastic), EVALUATE_OK);
        assert_true(count <= SIZE * SIZE);
        memcpy(stiffness, s.cube.result.blocks, count * sizeof *stiffness);
        const struct cube_function f = damping_of(&s, false);
        cube_function_evaluate(&f, EVALUATE_HESSIAN, s.rest);
        double largest = 0.0;
        for (size_t i = 0; i < count; i++) {
            largest = fmax(largest, fabs(stiffness[i]));
        }
        assert_true(largest > 1.0);
        for (size_t i = 0; i < count; i++) {
            assert_near(s.cube.result.blocks[i], damping_time / 0.5 * stiffness[i], 1e-13 * largest,
                        names[kind]);
        }
        done(&s);
    }
}

/// Coordinates x + t v + t^2 a / 2.
static void motion_at(const double *x, const double *v, const double *a, double t, double *out) {
    for (size_t i = 0; i < SIZE; i++) {
        out[i] = x[i] + t * v[i] + 0.5 * t * t * a[i];
    }
}

/// Strain, rate and second derivative along a motion, as parts of a history, beside differences.
static void measures_are_derivatives_in_time(void **state) {
    (void)state;
    for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
        struct random random = random_seed(59);
        struct elements s;
        double x[SIZE], v[SIZE], a[SIZE], at[3][SIZE];
        double strain[5][6 * 8 * ELEMENTS];
        const double t = 1e-3;
        make(&s, kind, 1);
        const struct strain_history *history = s.term.table->strains(s.term.self);
        assert_true(history->count <= 6 * 8 * ELEMENTS);
        random_fill(&random, -1.0, 1.0, v, SIZE);
        random_fill(&random, -1.0, 1.0, a, SIZE);
        move(&random, 0.1, s.rest, x);
        for (int k = 0; k < 3; k++) {
            motion_at(x, v, a, (k - 1) * t, at[k]);
            begin(&s, &(struct strain_part){.x = at[k], .strain = 1.0});
            memcpy(strain[k], history->origin, history->count * sizeof(double));
        }
        begin(&s, &(struct strain_part){.x = x, .v = v, .rate = 1.0});
        memcpy(strain[3], history->origin, history->count * sizeof(double));
        begin(&s,
              &(struct strain_part){.x = x, .v = v, .a = a, .acceleration = 1.0, .curvature = 1.0});
        memcpy(strain[4], history->origin, history->count * sizeof(double));
        double largest = 0.0;
        for (size_t i = 0; i < history->count; i++) {
            const double rate = (strain[2][i] - strain[0][i]) / (2.0 * t);
            const double second = (strain[2][i] - 2.0 * strain[1][i] + strain[0][i]) / (t * t);
            // Errors of second order, times the strains' further derivatives.
            assert_near(strain[3][i], rate, 2e-3, names[kind]);
            assert_near(strain[4][i], second, 2e-2, names[kind]);
            largest = fmax(largest, fabs(second));
        }
        assert_true(largest > 0.5);
        done(&s);
    }
}

/// Rates of stages that are solved come back with their factors.
static void histories_take_up_rates_of_stages(void **state) {
    (void)state;
    for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
        struct random random = random_seed(61);
        struct elements s;
        double x[SIZE];
        double before[6 * 8 * ELEMENTS];
        make(&s, kind, 3);
        const struct strain_history *history = s.term.table->strains(s.term.self);
        begin(&s, &(struct strain_part){.x = s.rest, .strain = 1.0});
        memcpy(before, history->origin, history->count * sizeof(double));
        move(&random, 0.3, s.rest, x);
        strains_end_stage(NULL, &s.cube.assembly, &s.term, 1, 1, x, 0.5);
        const struct strain_stage stage = {
            .part_count = 1, .parts = {{.x = s.rest, .strain = 1.0}}, .by_rate = {0.0, 0.5}};
        strains_begin_stage(NULL, &s.cube.assembly, &s.term, 1, &stage);
        // e(rest) + 1/2 (e(x) - e(rest)) / (1/2) = e(x): no force at x.
        struct cube_function f = damping_of(&s, false);
        assert_small(cube_function_value(&f, x), 1e-28, names[kind]);
        assert_true(cube_function_value(&f, s.rest) > 1e-3);
        done(&s);
    }
}

static pbs_status create_and_bind(struct memory *memory, const void *context) {
    const struct elements *s = context;
    for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
        struct term term;
        // The nodes of tetrahedra serve all kinds, whose elements are read in narrower rows.
        RETURN_IF_FAILED(create_damping(memory, s, kind, &term));
        struct assembly assembly;
        pbs_status status = assembly_build(memory, NODES, 1, &term.stencils, 1, &assembly);
        if (status >= 0) {
            status = term.table->bind(term.self, memory, &assembly.terms[0]);
            assembly_free(memory, &assembly);
        }
        term.table->destroy(term.self, memory);
        RETURN_IF_FAILED(status);
    }
    return PBS_OK;
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct elements s;
    make(&s, TETRAHEDRA, 1);
    // Distinct within every row of 2, 3 and 4 alike.
    for (uint32_t i = 0; i < 4 * ELEMENTS; i++) {
        s.nodes[i] = i % NODES;
    }
    assert_refusals_are_statuses(create_and_bind, &s, 500);
    done(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_agree_with_differences),
        cmocka_unit_test(projected_hessians_are_semidefinite),
        cmocka_unit_test(shells_alone_are_projected),
        cmocka_unit_test(no_force_and_no_torque),
        cmocka_unit_test(rigid_motions_are_free),
        cmocka_unit_test(small_strains_are_damped_in_proportion_to_stiffness),
        cmocka_unit_test(measures_are_derivatives_in_time),
        cmocka_unit_test(histories_take_up_rates_of_stages),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
