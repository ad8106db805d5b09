// Evaluates and steps the sheet of opt_sheet.h.
// SPDX-License-Identifier: MIT
#include "scenes/opt/opt_sheet.h"

#include <math.h>
#include <string.h>

static const double DENSITY = 1000.0;
static const double POISSON = 0.3;

void opt_sheet_make(struct opt_sheet *sheet) {
    memset(sheet, 0, sizeof *sheet);
    for (uint32_t j = 0; j < OPT_SHEET_ROWS; j++) {
        for (uint32_t i = 0; i < OPT_SHEET_COLUMNS; i++) {
            sheet->rest[i + OPT_SHEET_COLUMNS * j][0] = OPT_SHEET_SPACING * i;
            sheet->rest[i + OPT_SHEET_COLUMNS * j][1] = OPT_SHEET_SPACING * j;
        }
    }
    uint32_t count = 0;
    for (uint32_t j = 0; j + 1 < OPT_SHEET_ROWS; j++) {
        for (uint32_t i = 0; i + 1 < OPT_SHEET_COLUMNS; i++) {
            const uint32_t a = i + OPT_SHEET_COLUMNS * j;
            const uint32_t cell[2][3] = {{a, a + 1, a + OPT_SHEET_COLUMNS + 1},
                                         {a, a + OPT_SHEET_COLUMNS + 1, a + OPT_SHEET_COLUMNS}};
            memcpy(sheet->triangles[count], cell, sizeof cell);
            count += 2;
        }
    }
    for (uint32_t t = 0; t < OPT_SHEET_TRIANGLES; t++) {
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
    const double mu = OPT_SHEET_YOUNG / (2.0 * (1.0 + POISSON));
    const double lambda = OPT_SHEET_YOUNG * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON));
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

/// Computes gradients[a], the gradient of node a's shape function in the rest state.
static void shape_gradients(const double inverse[4], double gradients[3][2]) {
    for (int k = 0; k < 2; k++) {
        gradients[1][k] = inverse[k];
        gradients[2][k] = inverse[2 + k];
        gradients[0][k] = -gradients[1][k] - gradients[2][k];
    }
}

int32_t opt_sheet_evaluate(void *user, size_t stencil, const double *x, int32_t project,
                           double *value, double *gradient, double *hessian) {
    (void)project;
    const struct opt_sheet *const sheet = user;
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

pbs_status opt_sheet_world(struct opt_sheet *sheet, int32_t method, pbs_world **world,
                           pbs_body *body) {
    pbs_world_desc d;
    pbs_expert_desc expert;
    pbs_custom_desc c;
    uint32_t all[OPT_SHEET_NODES];
    pbs_world_desc_init(&d, sizeof d);
    pbs_expert_desc_init(&expert, sizeof expert);
    d.expert = &expert;
    d.contact = PBS_CONTACT_PROJECTION;
    d.divisions = 0;
    d.threads = 1;
    expert.method = method;
    expert.initial_guess = PBS_GUESS_INERTIAL;
    expert.preconditioner = PBS_PRECONDITIONER_NONE;
    d.newton_limit = OPT_SHEET_ITERATIONS;
    d.tolerance = 1e-6 * OPT_SHEET_YOUNG * OPT_SHEET_SPACING;
    expert.forcing = 1.0 / sqrt(OPT_SHEET_YOUNG * OPT_SHEET_SPACING);
    expert.step_length_limit = 1e3;
    *world = NULL;
    pbs_custom_desc_init(&c, sizeof c);
    c.width = 3;
    c.vertex_count = OPT_SHEET_NODES;
    c.positions = &sheet->rest[0][0];
    c.masses = sheet->masses;
    c.stencil_count = OPT_SHEET_TRIANGLES;
    c.stencils = &sheet->triangles[0][0];
    c.evaluate = opt_sheet_evaluate;
    c.user = sheet;
    c.tag = 36;
    for (uint32_t i = 0; i < OPT_SHEET_NODES; i++) {
        all[i] = i;
    }
    pbs_status status = pbs_world_create(&d, world);
    if (status >= 0) {
        status = pbs_body_create_custom(*world, &c, body);
    }
    return status >= 0 ? pbs_body_pin(*world, *body, all, OPT_SHEET_NODES, PBS_AXIS_Z) : status;
}

pbs_status opt_sheet_step(pbs_world *world, pbs_body body, const double *x, double h,
                          uint32_t *iterations) {
    static const double at_rest[3 * OPT_SHEET_NODES];
    pbs_stats stats = {.struct_size = sizeof stats};
    pbs_status status = pbs_body_set_positions(world, body, x, OPT_SHEET_NODES);
    if (status >= 0) {
        status = pbs_body_set_velocities(world, body, at_rest, OPT_SHEET_NODES);
    }
    if (status >= 0) {
        status = pbs_world_step(world, h);
    }
    pbs_world_stats(world, &stats);
    *iterations = stats.newton.iterations;
    return status;
}
