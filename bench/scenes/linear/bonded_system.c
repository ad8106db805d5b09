// Builds the system of bonded_system.h. A world builds terms, pattern and domains, by a step from
// rest that changes nothing.
// SPDX-License-Identifier: MIT
#include "scenes/linear/bonded_system.h"

#include <string.h>

#include "energy/evaluate.h"
#include "linear/rotation_modes.h"
#include "scenes/bonds/cubic_tets.h"

static const double DENSITY = 1000.0;

static pbs_status make_body(const struct bonded_system_desc *desc, struct bonded_system *s) {
    struct cubic_tets mesh;
    pbs_bonded_desc d;
    pbs_world_desc settings;
    pbs_expert_desc expert;
    RETURN_IF_FAILED(pbs_world_desc_init(&settings, sizeof settings));
    pbs_expert_desc_init(&expert, sizeof expert);
    settings.expert = &expert;
    RETURN_IF_FAILED(pbs_bonded_desc_init(&d, sizeof d));
    memset(settings.gravity, 0, sizeof settings.gravity);
    settings.threads = 1;
    settings.contact = PBS_CONTACT_PROJECTION;
    expert.preconditioner = PBS_PRECONDITIONER_BLOCK_JACOBI;
    RETURN_IF_FAILED(pbs_world_create(&settings, &s->world));
    if (!cubic_tets_make(&mesh, desc->cells, desc->side, 0.1)) {
        return PBS_ERROR_MEMORY;
    }
    d.vertex_count = mesh.vertex_count;
    d.vertices = mesh.vertices;
    d.tet_count = mesh.tet_count;
    d.tets = mesh.tets;
    d.young = desc->young;
    d.shear_modulus = 0.4 * desc->young;
    d.density = DENSITY;
    s->particles = mesh.tet_count;
    const pbs_status status = pbs_body_create_bonded(s->world, &d, &s->body);
    cubic_tets_free(&mesh);
    RETURN_IF_FAILED(status);
    return pbs_world_step(s->world, desc->step);
}

/// Assembles the Hessian of the intact bonds into the matrix.
static pbs_status fill_matrix(struct bonded_system *s, double step) {
    const struct solver *t = &s->world->solver;
    const struct assembly *assembly = &t->model.assembly;
    const double *x = s->world->scene.nodes.x;
    struct terms_scratch scratch = t->scratch;
    struct terms_result result = {.blocks = s->a.values, .scratch = &scratch};
    const struct evaluation evaluation = {.what = EVALUATE_HESSIAN, .x = x};
    terms_evaluate(NULL, assembly, t->model.terms, t->model.term_count, &evaluation, &result);
    terms_mark_coupled(assembly, t->model.terms, t->model.term_count, s->coupled);
    for (size_t k = 0; k < s->a.block_count; k++) {
        s->problem.coupling |= s->coupled[k] == 0;
    }
    s->problem.coupled = s->problem.coupling != 0 ? s->coupled : NULL;
    for (uint32_t row = 0; row < s->a.row_count; row++) {
        double *block = s->a.values + 9 * (size_t)s->a.row_start[row];
        for (int i = 0; i < 9; i += 4) {
            block[i] += s->world->scene.nodes.mass[assembly->layout.node[row]] / (step * step);
        }
    }
    return PBS_OK;
}

/// Returns whether a bond crosses the middle plane of the last axis.
static bool is_across(const double *x, const uint32_t *ends, double middle) {
    return (x[3 * (size_t)ends[0] + 2] < middle) != (x[3 * (size_t)ends[1] + 2] < middle);
}

/// Breaks bonds; the choice is the same in every run.
static pbs_status break_bonds(struct bonded_system *s, bool cut, double share) {
    const struct body *body = scene_body(&s->world->scene, 0);
    const double *x = pbs_body_positions(s->world, s->body);
    double middle = 0.0;
    for (size_t i = 0; i < s->particles; i++) {
        middle += x[3 * i + 2] / (double)s->particles;
    }
    for (uint32_t b = 0; b < body->bonds.count; b++) {
        const double chance = (double)(uint32_t)(b * 2654435761U) / 4294967296.0;
        if (chance < share || (cut && is_across(x, body->bonds.pairs + 2 * (size_t)b, middle))) {
            RETURN_IF_FAILED(pbs_body_break_bonds(s->world, s->body, &b, 1));
        }
    }
    return PBS_OK;
}

pbs_status bonded_system_make(const struct bonded_system_desc *d, struct bonded_system *out) {
    *out = (struct bonded_system){0};
    struct bonded_system s = {0};
    pbs_status status = make_body(d, &s);
    if (status < 0) {
        bonded_system_free(&s);
        return status;
    }
    const struct solver *t = &s.world->solver;
    const struct assembly *assembly = &t->model.assembly;
    struct memory *memory = &s.world->memory;
    const size_t rows = assembly->pattern.row_count;
    s.a = assembly->pattern;
    s.a.values = memory_allocate(memory, 9 * assembly->block_slot_count, sizeof *s.a.values);
    s.coupled = memory_allocate(memory, assembly->block_slot_count, sizeof *s.coupled);
    s.x = memory_allocate(memory, 3 * rows, sizeof *s.x);
    s.rotation_modes = memory_allocate(memory, 9 * rows, sizeof *s.rotation_modes);
    s.b = memory_allocate(memory, 3 * rows, sizeof *s.b);
    double *radius = memory_allocate(memory, rows, sizeof *radius);
    if (s.a.values == NULL || s.coupled == NULL || s.x == NULL || s.rotation_modes == NULL ||
        s.b == NULL || radius == NULL) {
        status = PBS_ERROR_MEMORY;
    } else {
        assembly_to_rows(NULL, assembly, s.world->scene.nodes.x, s.x);
        for (size_t i = 0; i < t->model.rotations.count; i++) {
            radius[assembly->layout.row[t->model.rotations.node[i]]] = t->model.rotations.radius[i];
        }
        rotation_modes_build(NULL, &assembly->layout, radius, s.x, s.rotation_modes);
        uint64_t bits = 1;
        for (size_t i = 0; i < 3 * rows; i++) {
            bits = bits * 6364136223846793005ULL + 1442695040888963407ULL;
            s.b[i] = (double)(bits >> 32) / 2147483648.0 - 1.0;
        }
    }
    memory_release(memory, radius);
    s.problem = (struct linear_problem){.positions = s.x, .rotation_modes = s.rotation_modes};
    *out = s;
    out->problem.a = &out->a;
    if (status >= 0) {
        status = break_bonds(out, d->is_cut, d->broken);
    }
    if (status >= 0) {
        status = fill_matrix(out, d->step);
    }
    if (status < 0) {
        bonded_system_free(out);
    }
    return status;
}

void bonded_system_free(struct bonded_system *s) {
    if (s->world != NULL) {
        struct memory *memory = &s->world->memory;
        memory_release(memory, s->a.values);
        memory_release(memory, s->x);
        memory_release(memory, s->coupled);
        memory_release(memory, s->rotation_modes);
        memory_release(memory, s->b);
    }
    pbs_world_destroy(s->world);
    *s = (struct bonded_system){0};
}
