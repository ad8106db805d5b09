// What rigid motions make of rotations and handles: bodies without stress, however they are turned,
// have them in the kernel of their Hessian.
// SPDX-License-Identifier: MIT
#include "linear/rotation_modes.h"

#include "base/matrix3/math3.h"
#include "base/matrix3/quaternion.h"
#include "energy/affine/affine.h"
#include "energy/bonds/bonds.h"
#include "energy/evaluate.h"
#include "support/random.h"
#include "support/testing.h"

// Particles first, their places and then their rotations; then affine bodies, a centre and three
// handles each.
enum {
    PARTICLES = 20,
    BONDS = 3 * PARTICLES,
    BODIES = 3,
    FIRST_HANDLE = 2 * PARTICLES + BODIES,
    NODES = FIRST_HANDLE + 3 * BODIES,
    UNKNOWNS = 3 * NODES
};

struct scene {
    struct memory memory;
    uint8_t kind[NODES];
    uint32_t place[NODES];
    double radius[NODES], x[UNKNOWNS], start[4 * PARTICLES];
    struct term terms[2];
    struct assembly assembly;
    double *blocks;
};

static void name_nodes(struct scene *s, struct random *random) {
    for (uint32_t i = 0; i < NODES; i++) {
        s->kind[i] = NODE_POSITION;
        s->place[i] = i;
        s->radius[i] = random_uniform(random, 0.2, 2.0);
    }
    for (uint32_t i = 0; i < PARTICLES; i++) {
        s->kind[PARTICLES + i] = NODE_ROTATION;
        s->place[PARTICLES + i] = i;
    }
    for (uint32_t i = FIRST_HANDLE; i < NODES; i++) {
        s->kind[i] = NODE_HANDLE;
        s->place[i] = 2 * PARTICLES + (i - FIRST_HANDLE) / 3;
    }
}

static void make_bonds(struct scene *s, struct random *random, const double *rest) {
    uint32_t nodes[4 * BONDS];
    uint32_t rotations[2 * BONDS];
    double radii[2 * BONDS];
    double ways[3 * BONDS];
    double damping[BONDS] = {0.0};
    struct bond_stiffness stiffness[BONDS];
    for (uint32_t b = 0; b < BONDS; b++) {
        const uint32_t ends[2] = {b % PARTICLES, (b + 1 + b / PARTICLES) % PARTICLES};
        for (uint32_t e = 0; e < 2; e++) {
            nodes[4 * b + 2 * e] = ends[e];
            nodes[4 * b + 2 * e + 1] = PARTICLES + ends[e];
            rotations[2 * b + e] = ends[e];
            radii[2 * b + e] = s->radius[PARTICLES + ends[e]];
        }
        subtract3(rest + 3 * (size_t)ends[1], rest + 3 * (size_t)ends[0], ways + 3 * (size_t)b);
        stiffness[b] = (struct bond_stiffness){
            random_uniform(random, 0.5, 2.0), random_uniform(random, 0.5, 2.0),
            random_uniform(random, 0.5, 2.0), random_uniform(random, 0.5, 2.0)};
    }
    const struct bonds_input input = {BONDS,     nodes,   rotations, radii, ways,
                                      stiffness, damping, NULL,      NULL,  BOND_SHEAR_CHORD,
                                      s->start};
    struct bonds *bonds = NULL;
    assert_ok(bonds_create(&s->memory, &input, &bonds));
    s->terms[0] = bonds_term(bonds);
}

static void make_bodies(struct scene *s) {
    uint32_t nodes[3 * BODIES];
    const double stiffness[BODIES] = {1.0, 2.0, 0.5};
    const double damping[BODIES] = {0.0};
    for (uint32_t i = 0; i < 3 * BODIES; i++) {
        nodes[i] = FIRST_HANDLE + i;
    }
    const struct affine_input input = {.count = BODIES,
                                       .nodes = nodes,
                                       .stiffness = stiffness,
                                       .radius = s->radius + 2 * PARTICLES,
                                       .damping = damping};
    struct affine *affine = NULL;
    assert_ok(affine_create(&s->memory, &input, &affine));
    s->terms[1] = affine_term(affine);
}

/// All particles turned alike, in charts that lie up to two radians off; bodies each as it likes.
static void turn(struct scene *s, struct random *random, const double *rest, double angle) {
    double common[9];
    double q[4];
    random_rotation(random, common);
    quaternion_of(common, q);
    for (size_t p = 0; p < PARTICLES; p++) {
        double phi[3];
        double back[3];
        random_unit(random, phi);
        scale3(angle, phi, phi);
        scale3(-1.0, phi, back);
        rotate_by(back, 1.0, q, s->start + 4 * p);
        scale3(s->radius[PARTICLES + p], phi, s->x + 3 * (PARTICLES + p));
        multiply3(common, rest + 3 * p, s->x + 3 * p);
    }
    for (size_t b = 0; b < BODIES; b++) {
        double axes[9];
        random_rotation(random, axes);
        for (size_t i = 0; i < 9; i++) {
            s->x[3 * (FIRST_HANDLE + 3 * b) + i] = s->radius[2 * PARTICLES + b] * axes[i];
        }
    }
}

static void make_scene(struct scene *s, uint64_t seed, double angle) {
    struct random random = random_seed(seed);
    *s = (struct scene){0};
    memory_init(&s->memory, NULL);
    name_nodes(s, &random);
    random_fill(&random, -5.0, 5.0, s->x, UNKNOWNS);
    double rest[3 * PARTICLES];
    memcpy(rest, s->x, sizeof rest);
    make_bonds(s, &random, rest);
    make_bodies(s);
    turn(s, &random, rest, angle);
    const struct node_kinds kinds = {s->kind, s->place};
    const struct stencils sets[2] = {s->terms[0].stencils, s->terms[1].stencils};
    struct terms_scratch scratch = {0};
    assert_ok(assembly_build_of(&s->memory, NODES, &kinds, 2, sets, 2, &s->assembly));
    for (size_t t = 0; t < 2; t++) {
        assert_ok(s->terms[t].table->bind(s->terms[t].self, &s->memory, &s->assembly.terms[t]));
    }
    assert_ok(terms_reserve(&s->memory, &s->assembly, &scratch));
    s->blocks = memory_allocate(&s->memory, 9 * s->assembly.block_slot_count, sizeof(double));
    const struct evaluation evaluation = {.what = EVALUATE_HESSIAN, .x = s->x};
    struct terms_result result = {.blocks = s->blocks, .scratch = &scratch};
    assert_int_equal(terms_evaluate(NULL, &s->assembly, s->terms, 2, &evaluation, &result),
                     EVALUATE_OK);
    terms_release(&s->memory, &scratch);
}

static void free_scene(struct scene *s) {
    for (size_t t = 0; t < 2; t++) {
        s->terms[t].table->destroy(s->terms[t].self, &s->memory);
    }
    memory_release(&s->memory, s->blocks);
    assembly_free(&s->memory, &s->assembly);
    assert_int_equal(s->memory.bytes_in_use, 0);
}

/// Row order: a motion of all particles about the origin and of the bodies about their centres,
/// which nothing couples to each other.
static void fill_mode(const struct scene *s, int mode, const double *x, const double *turns,
                      double *z) {
    for (uint32_t row = 0; row < NODES; row++) {
        double *out = z + 3 * (size_t)row;
        const double w[3] = {mode == 3, mode == 4, mode == 5};
        if (layout_is_position(&s->assembly.layout, row)) {
            cross3(w, x + 3 * (size_t)row, out);
            for (int i = 0; i < 3; i++) {
                out[i] += mode == i ? 1.0 : 0.0;
            }
        } else {
            multiply3(turns + 9 * (size_t)row, w, out);
        }
    }
}

/// To rounding of the largest entries.
static void rigid_motions_are_in_the_kernel(void **state) {
    (void)state;
    const double angles[] = {0.0, 0.3, 1.0, 2.0};
    for (size_t k = 0; k < COUNT_OF(angles); k++) {
        struct scene s;
        double x[UNKNOWNS];
        double radius[NODES];
        double turns[3 * UNKNOWNS] = {0.0};
        make_scene(&s, 11 + k, angles[k]);
        const struct layout *layout = &s.assembly.layout;
        assembly_to_rows(NULL, &s.assembly, s.x, x);
        for (uint32_t row = 0; row < NODES; row++) {
            radius[row] = s.radius[layout->node[row]];
        }
        rotation_modes_build(NULL, layout, radius, x, turns);
        struct bsr h = s.assembly.pattern;
        h.values = s.blocks;
        double square = 0.0;
        for (size_t e = 0; e < 9 * h.block_count; e++) {
            square += h.values[e] * h.values[e];
        }
        for (int mode = 0; mode < 6; mode++) {
            double z[UNKNOWNS];
            double hz[UNKNOWNS];
            double norms[2] = {0.0, 0.0};
            fill_mode(&s, mode, x, turns, z);
            bsr_multiply(NULL, &h, z, hz);
            for (size_t i = 0; i < UNKNOWNS; i++) {
                norms[0] += z[i] * z[i];
                norms[1] += hz[i] * hz[i];
            }
            assert_small(sqrt(norms[1]), 1e-16 * sqrt(square * norms[0]), "H Z");
        }
        free_scene(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rigid_motions_are_in_the_kernel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
