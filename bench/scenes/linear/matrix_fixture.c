// Assembles the matrices. The element stiffness is B^T C B with C = d^2 psi / dF^2 and psi = mu/2
// (|F|^2 - 3) - mu log J + lambda/2 (log J)^2; at F = 1 this is linear elasticity. Rows and columns
// of fixed nodes hold the mass only.
// SPDX-License-Identifier: MIT
#include "scenes/linear/matrix_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lanes/lanes.h"
#include "base/matrix3/math3.h"
#include "scenes/random.h"

// LAPACK's symmetric eigensolver, which is part of the BLAS library that is linked.
void dsyev_(const char *job, const char *triangle, const int *n, double *a, const int *lda,
            double *eigenvalues, double *work, const int *work_size, int *info);

struct body {
    const struct fixture_desc *desc;
    uint32_t node_count;
    size_t tet_count;
    uint32_t *tets;
    double *rest;
    double *moved;
    bool *held;
    double *mass;
    double *force;
};

struct fixture_desc fixture_hard(uint32_t cells) {
    return (struct fixture_desc){.cells = cells,
                                 .young = 1e7,
                                 .poisson = 0.45,
                                 .density = 1000.0,
                                 .dt = 1.0 / 30.0,
                                 .jitter = 0.15,
                                 .deformed = true};
}

static void shuffle(uint32_t *list, uint32_t count) {
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t j = (uint32_t)((noise(i) * 0.5 + 0.5) * i);
        const uint32_t other = list[i - 1];
        list[i - 1] = list[j];
        list[j] = other;
    }
}

/// Applies a twist by 0.8 rad about z, a bend towards x, and noise of 2% of a cell.
static void deform(const double rest[3], double cell, uint64_t seed, double out[3]) {
    const double angle = 0.8 * rest[2];
    const double x = rest[0] - 0.5;
    const double y = rest[1] - 0.5;
    out[0] = 0.5 + cos(angle) * x - sin(angle) * y + 0.1 * rest[2] * rest[2];
    out[1] = 0.5 + sin(angle) * x + cos(angle) * y;
    out[2] = rest[2];
    for (uint64_t i = 0; i < 3; i++) {
        out[i] += 0.02 * cell * noise(3 * seed + i);
    }
}

static void place_nodes(struct body *body, const uint32_t *label) {
    const uint32_t n = body->desc->cells;
    const double cell = 1.0 / n;
    uint32_t index = 0;
    for (uint32_t z = 0; z <= n; z++) {
        for (uint32_t y = 0; y <= n; y++) {
            for (uint32_t x = 0; x <= n; x++, index++) {
                const uint32_t grid[3] = {x, y, z};
                const uint32_t node = label[index];
                double *rest = body->rest + 3 * (size_t)node;
                for (uint32_t i = 0; i < 3; i++) {
                    const bool inside = grid[i] > 0 && grid[i] < n;
                    const double shift = noise(0x100000000u + 3 * (uint64_t)index + i);
                    rest[i] = cell * (grid[i] + (inside ? body->desc->jitter * shift : 0.0));
                }
                body->held[node] = z == 0;
                if (body->desc->deformed) {
                    deform(rest, cell, 0x200000000u + index, body->moved + 3 * (size_t)node);
                } else {
                    copy3(rest, body->moved + 3 * (size_t)node);
                }
            }
        }
    }
}

/// Divides each cell into six tetrahedra around its diagonal, one for each order of the axes.
static void cut_cells(struct body *body, const uint32_t *label) {
    static const uint32_t axes[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                        {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    const uint32_t n = body->desc->cells;
    const uint32_t stride[3] = {1, n + 1, (n + 1) * (n + 1)};
    uint32_t *tet = body->tets;
    for (uint32_t c = 0; c < n * n * n; c++) {
        const uint32_t corner = c % n + c / n % n * stride[1] + c / (n * n) * stride[2];
        for (int p = 0; p < 6; p++, tet += 4) {
            uint32_t at = corner;
            tet[0] = label[at];
            for (int i = 0; i < 3; i++) {
                at += stride[axes[p][i]];
                // Odd permutations are mirror images; swapping two nodes makes their volume
                // positive.
                tet[p < 3 ? i + 1 : i == 0 ? 2 : i == 1 ? 1 : 3] = label[at];
            }
        }
    }
}

/// Scales the mesh to a largest extent of 1 and places it on z = 0. No noise is added, because it
/// would invert sliver tetrahedra.
static void place_mesh(struct body *body, const uint32_t *label) {
    const struct tet_mesh *mesh = body->desc->mesh;
    double lower[3];
    double upper[3];
    positions_bounds(mesh->positions, mesh->vertex_count, lower, upper);
    double side = 0.0;
    for (int i = 0; i < 3; i++) {
        side = fmax(side, upper[i] - lower[i]);
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double *rest = body->rest + 3 * (size_t)label[v];
        for (size_t i = 0; i < 3; i++) {
            rest[i] = (mesh->positions[3 * v + i] - lower[i]) / side;
        }
        body->held[label[v]] = rest[2] < 0.05 * (upper[2] - lower[2]) / side;
        copy3(rest, body->moved + 3 * (size_t)label[v]);
        if (body->desc->deformed) {
            deform(rest, 0.0, v, body->moved + 3 * (size_t)label[v]);
        }
    }
    for (size_t i = 0; i < 4 * mesh->tet_count; i++) {
        body->tets[i] = label[mesh->tets[i]];
    }
}

/// Computes C, 9 x 9 in the row-major order of F, and the stress.
static void material(const double f[9], double mu, double lambda, double c[81], double stress[9]) {
    double inverse[9] = {0.0};
    const double logarithm = log(invert33(f, inverse));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int p = 3 * i + j;
            const double g_ij = inverse[3 * j + i];
            stress[p] = mu * (f[p] - g_ij) + lambda * logarithm * g_ij;
            for (int k = 0; k < 3; k++) {
                for (int l = 0; l < 3; l++) {
                    const double g_il = inverse[3 * l + i];
                    const double g_kj = inverse[3 * j + k];
                    const double g_kl = inverse[3 * l + k];
                    c[9 * p + 3 * k + l] = (i == k && j == l ? mu : 0.0) +
                                           (mu - lambda * logarithm) * g_il * g_kj +
                                           lambda * g_ij * g_kl;
                }
            }
        }
    }
}

static void project9(double c[81]) {
    const int n = 9;
    const int work_size = 512;
    double values[9];
    double work[512];
    double q[81];
    int info = 0;
    memcpy(q, c, sizeof q);
    dsyev_("V", "U", &n, q, &n, values, work, &work_size, &info);
    memset(c, 0, sizeof q);
    for (int e = 0; e < 9; e++) {
        const double value = values[e] > 0.0 ? values[e] : 0.0;
        for (int i = 0; i < 81; i++) {
            c[i] += value * q[9 * e + i / 9] * q[9 * e + i % 9];
        }
    }
}

/// Computes the edges of a tetrahedron as columns.
static void edges(const double *x, const uint32_t *tet, double out[9]) {
    for (size_t i = 0; i < 3; i++) {
        for (size_t e = 0; e < 3; e++) {
            out[3 * i + e] = x[3 * (size_t)tet[e + 1] + i] - x[3 * (size_t)tet[0] + i];
        }
    }
}

/// Returns the volume, and computes the gradients b[a][j] of the shape functions.
static double shape(const double *rest, const uint32_t *tet, double b[4][3]) {
    double d[9];
    double inverse[9] = {0.0};
    edges(rest, tet, d);
    const double volume = invert33(d, inverse) / 6.0;
    for (int j = 0; j < 3; j++) {
        b[0][j] = 0.0;
        for (int a = 0; a < 3; a++) {
            b[a + 1][j] = inverse[3 * a + j];
            b[0][j] -= inverse[3 * a + j];
        }
    }
    return volume;
}

/// Computes k[a][b] = V b_a^T C b_b and the force on each node.
static void element(const struct body *body, const uint32_t *tet, double k[4][4][9],
                    double force[4][3]) {
    const struct fixture_desc *desc = body->desc;
    const double mu = desc->young / (2.0 * (1.0 + desc->poisson));
    const double lambda = desc->young * desc->poisson /
                          ((1.0 + desc->poisson) * (1.0 - 2.0 * desc->poisson));
    double b[4][3];
    const double volume = shape(body->rest, tet, b);
    double f[9] = {0.0};
    for (int i = 0; i < 9; i++) {
        for (int a = 0; a < 4; a++) {
            f[i] += body->moved[3 * (size_t)tet[a] + (size_t)i / 3] * b[a][i % 3];
        }
    }
    const double stretch = determinant3(f);
    if (desc->mesh && !(stretch > 0.5 && stretch < 2.0)) {
        // A sliver that the smooth deformation would invert is left undeformed.
        memcpy(f, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, sizeof f);
    }
    double c[81];
    double stress[9];
    material(f, mu, lambda, c, stress);
    if (desc->deformed && !desc->indefinite) {
        project9(c);
    }
    for (int a = 0; a < 4; a++) {
        for (int i = 0; i < 3; i++) {
            force[a][i] = -volume * dot3(stress + 3 * i, b[a]);
        }
        for (int e = 0; e < 4; e++) {
            for (int i = 0; i < 9; i++) {
                const double *row = c + 9 * (3 * (i / 3)) + 3 * (i % 3);
                k[a][e][i] = volume * (b[a][0] * dot3(row, b[e]) + b[a][1] * dot3(row + 9, b[e]) +
                                       b[a][2] * dot3(row + 18, b[e]));
            }
        }
    }
}

/// Adds the element of one lane at the assembly's slots, except for entries of fixed nodes.
static void add_element(struct body *body, struct fixture *out, size_t group, uint32_t lane) {
    const struct stencil_groups *groups = &out->assembly.terms[0];
    const uint32_t *tet = body->tets + 4 * (size_t)groups->stencil[group * LANES + lane];
    double k[4][4][9];
    double force[4][3];
    element(body, tet, k, force);
    const double scale = body->desc->dt * body->desc->dt;
    const uint32_t *slot = groups->block_slot + group * groups->pair_count * LANES + lane;
    for (uint32_t a = 0; a < 4; a++) {
        const uint32_t la = groups->local[(group * 4 + a) * LANES + lane];
        add3(body->force + 3 * (size_t)tet[la], force[la], body->force + 3 * (size_t)tet[la]);
        for (uint32_t b = a; b < 4; b++, slot += LANES) {
            const uint32_t lb = groups->local[(group * 4 + b) * LANES + lane];
            if (!body->held[tet[la]] && !body->held[tet[lb]]) {
                double *block = out->values + 9 * (size_t)*slot;
                for (int i = 0; i < 9; i++) {
                    block[i] += scale * k[la][lb][i];
                }
            }
        }
    }
}

static void fill_matrix(struct body *body, struct fixture *out) {
    const struct assembly *assembly = &out->assembly;
    const struct layout *layout = &assembly->layout;
    for (uint32_t d = 0; d < layout->domain_count; d++) {
        assembly_clear_blocks(assembly, d, out->values);
        const uint32_t *range = assembly->terms[0].domain_group + d;
        for (size_t i = range[0] * (size_t)LANES; i < range[1] * (size_t)LANES; i++) {
            if (assembly->terms[0].stencil[i] != UINT32_MAX) {
                add_element(body, out, i / LANES, (uint32_t)(i % LANES));
            }
        }
    }
    for (uint32_t d = 0; d < layout->domain_count; d++) {
        assembly_gather_blocks(assembly, d, out->values);
    }
    for (uint32_t row = 0; row < layout->node_count; row++) {
        double *block = out->values + 9 * (size_t)out->matrix.row_start[row];
        for (int i = 0; i < 9; i += 4) {
            block[i] += body->mass[layout->node[row]];
        }
    }
}

static void add_normalised(const struct body *body, const struct layout *layout, const double *load,
                           double *rhs) {
    double square = 0.0;
    for (size_t i = 0; i < 3 * (size_t)body->node_count; i++) {
        square += body->held[i / 3] ? 0.0 : load[i] * load[i];
    }
    for (uint32_t n = 0; n < body->node_count && square > 0.0; n++) {
        double *out = rhs + 3 * (size_t)layout->row[n];
        add_scaled3(out, body->held[n] ? 0.0 : 1.0 / sqrt(square), load + 3 * (size_t)n, out);
    }
}

/// Fills the right-hand side with the elastic force of the deformation; for the matrix at rest,
/// with the force of the same deformation in the linear model.
static void fill_rhs(struct body *body, struct fixture *out) {
    const struct layout *layout = &out->assembly.layout;
    if (!body->desc->deformed) {
        for (uint32_t row = 0; row < body->node_count; row++) {
            const double *rest = body->rest + 3 * (size_t)layout->node[row];
            double *shift = body->moved + 3 * (size_t)row;
            deform(rest, 1.0 / body->desc->cells, row, shift);
            subtract3(shift, rest, shift);
        }
        fixture_multiply(&out->matrix, body->moved, out->rhs);
        for (uint32_t row = 0; row < body->node_count; row++) {
            copy3(out->rhs + 3 * (size_t)row, body->force + 3 * (size_t)layout->node[row]);
        }
        memset(out->rhs, 0, 3 * (size_t)body->node_count * sizeof *out->rhs);
    }
    add_normalised(body, layout, body->force, out->rhs);
    for (uint32_t n = 0; n < body->node_count; n++) {
        const double weight[3] = {0.0, -9.81 * body->mass[n], 0.0};
        copy3(weight, body->force + 3 * (size_t)n);
    }
    add_normalised(body, layout, body->force, out->rhs);
}

static void lump_mass(struct body *body) {
    for (size_t t = 0; t < body->tet_count; t++) {
        double d[9];
        edges(body->rest, body->tets + 4 * t, d);
        for (int a = 0; a < 4; a++) {
            body->mass[body->tets[4 * t + (size_t)a]] += body->desc->density * determinant3(d) /
                                                         24.0;
        }
    }
}

static pbs_status find_surface(struct memory *memory, const struct body *body,
                               struct fixture *out) {
    const struct tet_mesh mesh = {.vertex_count = body->node_count,
                                  .positions = body->rest,
                                  .tet_count = body->tet_count,
                                  .tets = body->tets};
    uint32_t *triangles = NULL;
    if (!tet_mesh_boundary(&mesh, &triangles, &out->surface_count)) {
        return PBS_ERROR_MEMORY;
    }
    out->surface = memory_allocate(memory, 3 * out->surface_count, sizeof *out->surface);
    for (size_t i = 0; i < 3 * out->surface_count && out->surface; i++) {
        out->surface[i] = out->assembly.layout.row[triangles[i]];
    }
    free(triangles);
    return out->surface ? PBS_OK : PBS_ERROR_MEMORY;
}

static pbs_status build_from(struct memory *memory, struct body *body, uint32_t *label,
                             struct fixture *out) {
    if (!body->tets || !body->rest || !body->moved || !body->held || !body->mass || !body->force ||
        !label) {
        return PBS_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < body->node_count; i++) {
        label[i] = i;
    }
    if (body->desc->shuffled) {
        shuffle(label, body->node_count);
    }
    if (body->desc->mesh) {
        place_mesh(body, label);
    } else {
        place_nodes(body, label);
        cut_cells(body, label);
    }
    lump_mass(body);
    const struct stencils set = {body->tet_count, 4, body->tets};
    RETURN_IF_FAILED(assembly_build(memory, body->node_count, body->desc->domain_count, &set, 1,
                                    &out->assembly));
    out->values = memory_allocate(memory, 9 * out->assembly.block_slot_count, sizeof(double));
    out->rhs = memory_allocate(memory, 3 * (size_t)body->node_count, sizeof(double));
    out->positions = memory_allocate(memory, 3 * (size_t)body->node_count, sizeof(double));
    out->held = memory_allocate(memory, body->node_count, sizeof *out->held);
    if (!out->values || !out->rhs || !out->positions || !out->held) {
        return PBS_ERROR_MEMORY;
    }
    out->matrix = out->assembly.pattern;
    out->matrix.values = out->values;
    for (uint32_t row = 0; row < body->node_count; row++) {
        const uint32_t node = out->assembly.layout.node[row];
        copy3(body->moved + 3 * (size_t)node, out->positions + 3 * (size_t)row);
        out->held[row] = body->held[node];
    }
    RETURN_IF_FAILED(find_surface(memory, body, out));
    fill_matrix(body, out);
    fill_rhs(body, out);
    return PBS_OK;
}

pbs_status fixture_build(struct memory *memory, const struct fixture_desc *desc,
                         struct fixture *out) {
    *out = (struct fixture){0};
    const size_t line = (size_t)desc->cells + 1;
    struct body body = {
        .desc = desc,
        .node_count = (uint32_t)(desc->mesh ? desc->mesh->vertex_count : line * line * line),
        .tet_count = desc->mesh ? desc->mesh->tet_count
                                : 6 * (size_t)desc->cells * desc->cells * desc->cells};
    body.tets = memory_allocate(memory, 4 * body.tet_count, sizeof *body.tets);
    body.rest = memory_allocate(memory, 3 * (size_t)body.node_count, sizeof *body.rest);
    body.moved = memory_allocate(memory, 3 * (size_t)body.node_count, sizeof *body.moved);
    body.held = memory_allocate(memory, body.node_count, sizeof *body.held);
    body.mass = memory_allocate(memory, body.node_count, sizeof *body.mass);
    body.force = memory_allocate(memory, 3 * (size_t)body.node_count, sizeof *body.force);
    uint32_t *label = memory_allocate(memory, body.node_count, sizeof *label);
    out->tet_count = body.tet_count;
    const pbs_status status = build_from(memory, &body, label, out);
    memory_release(memory, body.tets);
    memory_release(memory, body.rest);
    memory_release(memory, body.moved);
    memory_release(memory, body.held);
    memory_release(memory, body.mass);
    memory_release(memory, body.force);
    memory_release(memory, label);
    if (status != PBS_OK) {
        fixture_free(memory, out);
    }
    return status;
}

void fixture_free(struct memory *memory, struct fixture *fixture) {
    assembly_free(memory, &fixture->assembly);
    memory_release(memory, fixture->values);
    memory_release(memory, fixture->rhs);
    memory_release(memory, fixture->positions);
    memory_release(memory, fixture->held);
    memory_release(memory, fixture->surface);
    *fixture = (struct fixture){0};
}

void fixture_multiply(const struct bsr *a, const double *x, double *y) {
    memset(y, 0, 3 * (size_t)a->row_count * sizeof *y);
    for (uint32_t i = 0; i < a->row_count; i++) {
        for (uint32_t k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            const size_t j = a->column[k];
            double term[3];
            multiply3(a->values + 9 * (size_t)k, x + 3 * j, term);
            add3(y + 3 * (size_t)i, term, y + 3 * (size_t)i);
            if (j != i) {
                multiply_transposed3(a->values + 9 * (size_t)k, x + 3 * (size_t)i, term);
                add3(y + 3 * j, term, y + 3 * j);
            }
        }
    }
}
