// Minimises the step of quaternion_step.h. Rotational unknowns are in metres (r times a rotation
// vector, or 2 r times a quaternion), so that the residuals of all formulations are forces and can
// be compared.
// SPDX-License-Identifier: MIT
#include "scenes/bonds/quaternion_step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "base/matrix3/quaternion.h"
#include "scenes/bonds/cubic_tets.h"
#include "world/particles/bonded.h"
#include "world/world.h"

void dsyev_(const char *job, const char *triangle, const int *n, double *a, const int *lda,
            double *w, double *work, const int *work_size, int *info, size_t job_length,
            size_t triangle_length);
void dgbsv_(const int *n, const int *below, const int *above, const int *columns, double *band,
            const int *leading, int *pivots, double *b, const int *ldb, int *info);
void dpbsv_(const char *triangle, const int *n, const int *below, const int *columns, double *band,
            const int *leading, double *b, const int *ldb, int *info, size_t triangle_length);

static const double SIDE = 0.0625, YOUNG = 1e7, DENSITY = 1000.0, STEP = 0.016;

enum { ITERATION_LIMIT = 5000, HALVINGS = 40 };

// --- body ---

/// Returns whether a particle is within 0.6 cells of an end.
static bool is_end(double z, double top) {
    return z <= 0.6 * SIDE || z >= top - 0.6 * SIDE;
}

static void place_particle(const double *rest, const size_t cells[3], double twist, size_t i,
                           struct quaternion_step *out) {
    const double top = (double)cells[2] * SIDE;
    const double middle[3] = {0.5 * (double)cells[0] * SIDE, 0.5 * (double)cells[1] * SIDE, 0.0};
    double *predicted = out->predicted + 7 * i;
    double *start = out->start + 7 * i;
    copy3(rest, predicted);
    predicted[6] = 1.0;
    memcpy(start, predicted, 7 * sizeof *start);
    out->held[i] = is_end(rest[2], top);
    if (out->held[i] != 0) {
        const double turn[3] = {0.0, 0.0, rest[2] < 0.5 * top ? -0.5 * twist : 0.5 * twist};
        const double unit[4] = {0.0, 0.0, 0.0, 1.0};
        double rotation[9];
        double arm[3];
        rotate_by(turn, 1.0, unit, start + 3);
        rotation_of(start + 3, rotation);
        subtract3(rest, middle, arm);
        multiply3(rotation, arm, start);
        add3(start, middle, start);
    }
}

struct ranked {
    double height;
    uint32_t particle;
};

static int compare_heights(const void *left, const void *right) {
    const struct ranked *a = left;
    const struct ranked *b = right;
    if (a->height != b->height) {
        return a->height < b->height ? -1 : 1;
    }
    return a->particle < b->particle ? -1 : 1;
}

static bool copy_body(const pbs_world *world, const size_t cells[3], double twist,
                      struct quaternion_step *out) {
    const struct body *body = scene_body(&world->scene, 0);
    const struct bonded_body *own = &body->bonded;
    const size_t n = body->vertex_count;
    struct ranked *ranks = calloc(n, sizeof *ranks);
    uint32_t *place = calloc(n, sizeof *place);
    *out = (struct quaternion_step){.particle_count = n,
                                    .bond_count = body->bonds.count,
                                    .ends = calloc(2 * body->bonds.count, sizeof *out->ends),
                                    .bonds = calloc(body->bonds.count, sizeof *out->bonds),
                                    .mass = calloc(n, sizeof(double)),
                                    .radius = calloc(n, sizeof(double)),
                                    .held = calloc(n, 1),
                                    .start = calloc(7 * n, sizeof(double)),
                                    .predicted = calloc(7 * n, sizeof(double)),
                                    .time = STEP};
    if (ranks == NULL || place == NULL || out->ends == NULL || out->bonds == NULL ||
        out->mass == NULL || out->radius == NULL || out->held == NULL || out->start == NULL ||
        out->predicted == NULL) {
        free(ranks);
        free(place);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        ranks[i] = (struct ranked){body->bonds.rest[3 * (size_t)i + 2], i};
    }
    qsort(ranks, n, sizeof *ranks, compare_heights);
    for (uint32_t i = 0; i < n; i++) {
        const size_t from = ranks[i].particle;
        place[from] = i;
        out->mass[i] = world->scene.nodes.mass[body->node_start + from];
        out->radius[i] = bonded_radius_of_gyration(own->radii[from]);
        place_particle(body->bonds.rest + 3 * from, cells, twist, i, out);
    }
    for (size_t b = 0; b < body->bonds.count; b++) {
        struct quaternion_bond *bond = &out->bonds[b];
        double rest[3];
        bond->stiffness = bonded_stiffness(body, b, rest);
        bond->length = norm3(rest);
        scale3(1.0 / bond->length, rest, bond->direction);
        out->ends[2 * b] = place[body->bonds.pairs[2 * b]];
        out->ends[2 * b + 1] = place[body->bonds.pairs[2 * b + 1]];
        const size_t apart = (size_t)labs((long)out->ends[2 * b] - (long)out->ends[2 * b + 1]);
        out->span = apart > out->span ? apart : out->span;
    }
    free(ranks);
    free(place);
    return true;
}

bool quaternion_step_make(const size_t cells[3], double twist, struct quaternion_step *out) {
    struct cubic_tets mesh;
    pbs_world_desc settings;
    pbs_bonded_desc d;
    pbs_world *world = NULL;
    pbs_body body;
    *out = (struct quaternion_step){0};
    if (!cubic_tets_make(&mesh, cells, SIDE, 0.1)) {
        return false;
    }
    bool is_made = pbs_world_desc_init(&settings, sizeof settings) >= 0 &&
                   pbs_bonded_desc_init(&d, sizeof d) >= 0;
    settings.threads = 1;
    settings.contact = PBS_CONTACT_PROJECTION;
    d.vertex_count = mesh.vertex_count;
    d.vertices = mesh.vertices;
    d.tet_count = mesh.tet_count;
    d.tets = mesh.tets;
    d.young = YOUNG;
    d.shear_modulus = 0.4 * YOUNG;
    d.density = DENSITY;
    is_made = is_made && pbs_world_create(&settings, &world) >= 0 &&
              pbs_body_create_bonded(world, &d, &body) >= 0 && copy_body(world, cells, twist, out);
    pbs_world_destroy(world);
    cubic_tets_free(&mesh);
    if (!is_made) {
        quaternion_step_free(out);
    }
    return is_made;
}

void quaternion_step_free(struct quaternion_step *step) {
    free(step->ends);
    free(step->bonds);
    free(step->mass);
    free(step->radius);
    free(step->held);
    free(step->start);
    free(step->predicted);
    *step = (struct quaternion_step){0};
}

// --- workspace ---

/// Arrays of one minimisation. There are `size` unknowns, `width` per particle.
struct work {
    const struct quaternion_step *step;
    const struct quaternion_method *method;
    double kappa; ///< J
    int width, size, below;
    double *gradient; ///< 7 per particle
    double *residual, *direction;
    double *lambda, *trial_lambda;
    double *trial;        ///< 7 per particle
    double *band, *lower; ///< band matrix by columns, and its lower half
    int *pivots;
};

static int width_of(enum quaternion_form form) {
    return form == QUATERNION_LAGRANGE                                  ? 8
           : form == QUATERNION_PENALTY || form == QUATERNION_AUGMENTED ? 7
                                                                        : 6;
}

static bool reserve(const struct quaternion_step *step, const struct quaternion_method *method,
                    struct work *w) {
    const size_t n = step->particle_count;
    *w = (struct work){.step = step, .method = method, .width = width_of(method->form)};
    const size_t size = n * (size_t)w->width;
    w->size = (int)size;
    w->below = w->width * (int)(step->span + 1) - 1;
    for (size_t b = 0; b < step->bond_count; b++) {
        w->kappa = fmax(w->kappa, method->kappa * step->bonds[b].stiffness.bending);
    }
    w->gradient = calloc(7 * n, sizeof(double));
    w->residual = calloc(size, sizeof(double));
    w->direction = calloc(size, sizeof(double));
    w->lambda = calloc(n, sizeof(double));
    w->trial_lambda = calloc(n, sizeof(double));
    w->trial = calloc(7 * n, sizeof(double));
    w->band = calloc(size * (3 * (size_t)w->below + 1), sizeof(double));
    w->lower = calloc(size * ((size_t)w->below + 1), sizeof(double));
    w->pivots = calloc(size, sizeof *w->pivots);
    return w->gradient != NULL && w->residual != NULL && w->direction != NULL &&
           w->lambda != NULL && w->trial_lambda != NULL && w->trial != NULL && w->band != NULL &&
           w->lower != NULL && w->pivots != NULL;
}

static void release(struct work *w) {
    free(w->gradient);
    free(w->residual);
    free(w->direction);
    free(w->lambda);
    free(w->trial_lambda);
    free(w->trial);
    free(w->band);
    free(w->lower);
    free(w->pivots);
}

static double dot4(const double *a, const double *b) {
    return dot3(a, b) + a[3] * b[3];
}

/// Returns C of a particle.
static double constraint(const double *x, size_t i) {
    return dot4(x + 7 * i + 3, x + 7 * i + 3) - 1.0;
}

static double greatest_constraint(const struct quaternion_step *step, const double *x) {
    double most = 0.0;
    for (size_t i = 0; i < step->particle_count; i++) {
        most = fmax(most, fabs(constraint(x, i)));
    }
    return most;
}

// --- values and residuals ---

static void gather_bond(const struct quaternion_step *step, size_t bond, const double *x,
                        double *ends) {
    for (size_t end = 0; end < 2; end++) {
        memcpy(ends + 7 * end, x + 7 * (size_t)step->ends[2 * bond + end], 7 * sizeof *ends);
    }
}

/// Returns the incremental potential without constraint terms; infinity if a bond's energy is
/// infinite.
static double potential(const struct quaternion_step *step, const double *x) {
    double sum = 0.0;
    for (size_t i = 0; i < 7 * step->particle_count; i++) {
        const double r = step->radius[i / 7];
        const double away = x[i] - step->predicted[i];
        const double weight = step->held[i / 7] != 0 ? 0.0 : step->mass[i / 7];
        sum += 0.5 * (i % 7 < 3 ? weight : 4.0 * weight * r * r) * away * away;
    }
    sum /= step->time * step->time;
    for (size_t b = 0; b < step->bond_count; b++) {
        double ends[BOND_COORDINATES];
        double value = 0.0;
        gather_bond(step, b, x, ends);
        if (!quaternion_bond_evaluate(&step->bonds[b], ends, &value, NULL, NULL)) {
            return INFINITY;
        }
        sum += value;
    }
    return sum;
}

static void differentiate(const struct quaternion_step *step, const double *x, double *gradient) {
    for (size_t i = 0; i < 7 * step->particle_count; i++) {
        const double r = step->radius[i / 7];
        const double mass = step->mass[i / 7] / (step->time * step->time);
        gradient[i] = (i % 7 < 3 ? mass : 4.0 * mass * r * r) * (x[i] - step->predicted[i]);
    }
    for (size_t b = 0; b < step->bond_count; b++) {
        double ends[BOND_COORDINATES];
        double own[BOND_COORDINATES];
        gather_bond(step, b, x, ends);
        if (quaternion_bond_evaluate(&step->bonds[b], ends, NULL, own, NULL)) {
            for (size_t k = 0; k < BOND_COORDINATES; k++) {
                gradient[7 * (size_t)step->ends[2 * b + k / 7] + k % 7] += own[k];
            }
        }
    }
}

/// Returns the factor m such that 2 m q is the constraint's contribution to the derivative with
/// respect to q.
static double multiplier(const struct work *w, const double *x, const double *lambda, size_t i) {
    const bool is_penalty = w->method->form == QUATERNION_PENALTY ||
                            w->method->form == QUATERNION_AUGMENTED;
    return lambda[i] + (is_penalty ? w->kappa * constraint(x, i) : 0.0);
}

static double merit(const struct work *w, const double *x) {
    double sum = potential(w->step, x);
    for (size_t i = 0; i < w->step->particle_count && w->width == 7; i++) {
        const double c = constraint(x, i);
        sum += w->step->held[i] != 0 ? 0.0 : (0.5 * w->kappa * c + w->lambda[i]) * c;
    }
    return sum;
}

/// Transforms the gradient of one particle to its unknowns.
static void reduce_gradient(const struct work *w, const double *x, const double *lambda, size_t i,
                            double *out) {
    const double *g = w->gradient + 7 * i;
    const double *q = x + 7 * i + 3;
    const double scale = 0.5 / w->step->radius[i];
    copy3(g, out);
    if (w->width == 6) {
        double basis[12];
        quaternion_world_basis(q, basis);
        for (int k = 0; k < 3; k++) {
            out[3 + k] = scale * dot4(basis + 4 * k, g + 3);
        }
        return;
    }
    const double factor = 2.0 * multiplier(w, x, lambda, i);
    for (int k = 0; k < 4; k++) {
        out[3 + k] = scale * (g[3 + k] + factor * q[k]);
    }
    if (w->width == 8) {
        out[7] = constraint(x, i);
    }
}

/// Computes the residual. Returns its norm, with forces relative to `first` and constraints
/// absolute.
static double measure(struct work *w, const double *x, const double *lambda, double first) {
    const size_t width = (size_t)w->width;
    double sum = 0.0;
    differentiate(w->step, x, w->gradient);
    for (size_t i = 0; i < w->step->particle_count; i++) {
        double *out = w->residual + width * i;
        memset(out, 0, width * sizeof *out);
        if (w->step->held[i] == 0) {
            reduce_gradient(w, x, lambda, i, out);
        }
        for (size_t k = 0; k < width; k++) {
            const double part = k == 7 ? out[k] : out[k] / first;
            sum += part * part;
        }
    }
    return sqrt(sum);
}

// --- matrices ---

/// Sets negative eigenvalues to zero.
static void clamp_eigenvalues(int n, double *matrix) {
    double vectors[BOND_COORDINATES * BOND_COORDINATES];
    double values[BOND_COORDINATES];
    double room[8 * BOND_COORDINATES];
    const int room_size = 8 * BOND_COORDINATES;
    int info = 0;
    memcpy(vectors, matrix, (size_t)(n * n) * sizeof *vectors);
    dsyev_("V", "U", &n, vectors, &n, values, room, &room_size, &info, 1, 1);
    for (int i = 0; i < n * n; i++) {
        matrix[i] = 0.0;
        for (int k = 0; k < n; k++) {
            matrix[i] += fmax(values[k], 0.0) * vectors[n * k + i / n] * vectors[n * k + i % n];
        }
    }
}

static void add_entry(struct work *w, int row, int column, double value) {
    w->band[(size_t)(2 * w->below + row - column) +
            (size_t)column * (3 * (size_t)w->below + 1)] += value;
}

/// Computes a bond's Hessian in the unknowns of its particles, 6 or 7 each.
static int bond_matrix(const struct work *w, size_t bond, const double *x, bool semidefinite,
                       double *out) {
    const struct quaternion_step *step = w->step;
    const int own = w->width == 6 ? 6 : 7;
    double ends[BOND_COORDINATES];
    double gradient[BOND_COORDINATES];
    double hessian[BOND_COORDINATES * BOND_COORDINATES];
    double scale[BOND_COORDINATES];
    gather_bond(step, bond, x, ends);
    quaternion_bond_evaluate(&step->bonds[bond], ends, NULL, gradient, hessian);
    if (own == 6) {
        double reduced[BOND_TURNS];
        quaternion_bond_reduce(ends, gradient, hessian, reduced, out);
    } else {
        memcpy(out, hessian, sizeof hessian);
    }
    for (int i = 0; i < 2 * own; i++) {
        const double r = step->radius[step->ends[2 * bond + (size_t)(i / own)]];
        scale[i] = i % own < 3 ? 1.0 : (own == 6 ? 1.0 : 0.5) / r;
    }
    for (int i = 0; i < 4 * own * own; i++) {
        out[i] *= scale[i / (2 * own)] * scale[i % (2 * own)];
    }
    if (semidefinite) {
        clamp_eigenvalues(2 * own, out);
    }
    return own;
}

static void add_bonds(struct work *w, const double *x, bool semidefinite) {
    for (size_t b = 0; b < w->step->bond_count; b++) {
        double matrix[BOND_COORDINATES * BOND_COORDINATES];
        const uint32_t *end = w->step->ends + 2 * b;
        const int own = bond_matrix(w, b, x, semidefinite, matrix);
        for (int i = 0; i < 2 * own; i++) {
            for (int j = 0; j < 2 * own; j++) {
                const uint32_t of_row = end[i / own];
                const uint32_t of_column = end[j / own];
                if (w->step->held[of_row] == 0 && w->step->held[of_column] == 0) {
                    add_entry(w, w->width * (int)of_row + i % own,
                              w->width * (int)of_column + j % own, matrix[2 * own * i + j]);
                }
            }
        }
    }
}

/// Adds inertia and constraint terms of a free particle.
static void add_particle(struct work *w, const double *x, const double *lambda, bool semidefinite,
                         size_t i) {
    const struct quaternion_step *step = w->step;
    const double *q = x + 7 * i + 3;
    const double mass = step->mass[i] / (step->time * step->time);
    const double r = step->radius[i];
    const int first = w->width * (int)i;
    for (int k = 0; k < 3; k++) {
        add_entry(w, first + k, first + k, mass);
    }
    if (w->width == 6) {
        const double turned = fmax(dot4(q, step->predicted + 7 * i + 3), 0.0);
        for (int k = 3; k < 6; k++) {
            add_entry(w, first + k, first + k, mass * turned);
        }
        return;
    }
    double factor = multiplier(w, x, lambda, i);
    factor = 0.5 * (semidefinite ? fmax(factor, 0.0) : factor) / (r * r);
    for (int k = 3; k < 7; k++) {
        add_entry(w, first + k, first + k, mass + factor);
        for (int m = 3; m < 7 && w->width == 7; m++) {
            add_entry(w, first + k, first + m, w->kappa / (r * r) * q[k - 3] * q[m - 3]);
        }
        if (w->width == 8) {
            add_entry(w, first + k, first + 7, q[k - 3] / r);
            add_entry(w, first + 7, first + k, q[k - 3] / r);
        }
    }
}

static void assemble(struct work *w, const double *x, const double *lambda, bool semidefinite) {
    memset(w->band, 0, (size_t)w->size * (3 * (size_t)w->below + 1) * sizeof *w->band);
    add_bonds(w, x, semidefinite);
    for (size_t i = 0; i < w->step->particle_count; i++) {
        if (w->step->held[i] == 0) {
            add_particle(w, x, lambda, semidefinite, i);
            continue;
        }
        for (int k = 0; k < w->width; k++) {
            add_entry(w, w->width * (int)i + k, w->width * (int)i + k, 1.0);
        }
    }
}

/// direction = -matrix^-1 residual, by Cholesky, or by LU with pivoting if the matrix is
/// indefinite.
static bool solve(struct work *w) {
    const int one = 1;
    const int wide = 3 * w->below + 1;
    const int narrow = w->below + 1;
    int info = 1;
    if (w->width < 8) {
        for (size_t j = 0; j < (size_t)w->size; j++) {
            memcpy(w->lower + j * (size_t)narrow, w->band + j * (size_t)wide + 2 * (size_t)w->below,
                   (size_t)narrow * sizeof *w->lower);
        }
        for (int i = 0; i < w->size; i++) {
            w->direction[i] = -w->residual[i];
        }
        dpbsv_("L", &w->size, &w->below, &one, w->lower, &narrow, w->direction, &w->size, &info, 1);
    }
    if (info != 0) {
        for (int i = 0; i < w->size; i++) {
            w->direction[i] = -w->residual[i];
        }
        dgbsv_(&w->size, &w->below, &w->below, &one, w->band, &wide, w->pivots, w->direction,
               &w->size, &info);
    }
    return info == 0;
}

// --- steps ---

static double slope_of(const struct work *w) {
    double slope = 0.0;
    for (int i = 0; i < w->size; i++) {
        slope += w->residual[i] * w->direction[i];
    }
    return slope;
}

/// trial = x and lambda plus alpha times the direction.
static void move(struct work *w, const double *x, double alpha) {
    for (size_t i = 0; i < w->step->particle_count; i++) {
        const double *d = w->direction + (size_t)w->width * i;
        double *to = w->trial + 7 * i;
        memcpy(to, x + 7 * i, 7 * sizeof *to);
        add_scaled3(to, alpha, d, to);
        if (w->width == 6) {
            rotate_by(d + 3, alpha / w->step->radius[i], x + 7 * i + 3, to + 3);
        } else {
            for (size_t k = 0; k < 4; k++) {
                to[3 + k] += alpha * 0.5 / w->step->radius[i] * d[3 + k];
            }
        }
        w->trial_lambda[i] = w->lambda[i] + (w->width == 8 ? alpha * d[7] : 0.0);
    }
}

static void take_trial(struct work *w, double *x) {
    memcpy(x, w->trial, 7 * w->step->particle_count * sizeof *x);
    memcpy(w->lambda, w->trial_lambda, w->step->particle_count * sizeof *w->lambda);
}

/// Line search by Armijo's rule, halving from *alpha. Returns false if no step decreases the value.
static bool descend(struct work *w, double *x, double *alpha) {
    const double before = merit(w, x);
    const double slope = slope_of(w);
    for (int halving = 0; halving < HALVINGS; halving++, *alpha *= 0.5) {
        move(w, x, *alpha);
        if (merit(w, w->trial) <= before + 1e-4 * *alpha * slope + 1e-12 * fabs(before)) {
            take_trial(w, x);
            return true;
        }
    }
    return false;
}

/// Takes the longest halved step that decreases the residual. (The solution is a saddle point of
/// the Lagrangian, so its value cannot be used.)
static bool reduce_residual(struct work *w, double *x, double first) {
    const double before = measure(w, x, w->lambda, first);
    double alpha = 1.0;
    for (int halving = 0; halving < HALVINGS; halving++, alpha *= 0.5) {
        move(w, x, alpha);
        if (isfinite(potential(w->step, w->trial)) &&
            measure(w, w->trial, w->trial_lambda, first) <= (1.0 - 1e-4 * alpha) * before) {
            take_trial(w, x);
            return true;
        }
    }
    return false;
}

static bool step_by_newton(struct work *w, double *x, double first,
                           struct quaternion_result *result) {
    assemble(w, x, w->lambda, w->method->semidefinite);
    bool is_solved = solve(w);
    if (w->width == 8) {
        return is_solved && reduce_residual(w, x, first);
    }
    if (!is_solved || !(slope_of(w) < 0.0)) {
        result->indefinite++;
        assemble(w, x, w->lambda, true);
        is_solved = solve(w);
    }
    double alpha = 1.0;
    return is_solved && descend(w, x, &alpha);
}

static bool step_downhill(struct work *w, double *x, double *alpha) {
    assemble(w, x, w->lambda, false);
    for (size_t i = 0; i < (size_t)w->size; i++) {
        const size_t particle = i / (size_t)w->width;
        const double least = w->step->mass[particle] / (w->step->time * w->step->time);
        const double entry = w->band[2 * (size_t)w->below + i * (3 * (size_t)w->below + 1)];
        w->direction[i] = -w->residual[i] / fmax(fabs(entry), least);
    }
    *alpha = fmin(1.0, 2.0 * *alpha);
    return descend(w, x, alpha);
}

/// Estimates the multipliers from x: at the minimum there is no force along q.
static void guess_multipliers(struct work *w, const double *x) {
    differentiate(w->step, x, w->gradient);
    for (size_t i = 0; i < w->step->particle_count; i++) {
        w->lambda[i] = -0.5 * dot4(x + 7 * i + 3, w->gradient + 7 * i + 3);
    }
}

/// Returns the norm of the reduced gradient, for every formulation.
static double first_length(struct work *w, const double *x) {
    const int width = w->width;
    w->width = 6;
    const double length = measure(w, x, w->lambda, 1.0);
    w->width = width;
    return length;
}

static void minimize(struct work *w, double *x, struct quaternion_result *result) {
    const struct quaternion_method *method = w->method;
    const double first = first_length(w, x);
    double alpha = 1.0;
    double inner = method->form == QUATERNION_AUGMENTED ? 0.1 : method->tolerance;
    if (method->form == QUATERNION_LAGRANGE) {
        guess_multipliers(w, x);
    }
    while (result->iterations < ITERATION_LIMIT) {
        const double length = measure(w, x, w->lambda, first);
        const double drift = greatest_constraint(w->step, x);
        if (length <= method->tolerance &&
            (method->form != QUATERNION_AUGMENTED || drift <= method->tolerance)) {
            result->is_converged = true;
            return;
        }
        if (method->form == QUATERNION_AUGMENTED && length <= inner) {
            for (size_t i = 0; i < w->step->particle_count; i++) {
                w->lambda[i] = multiplier(w, x, w->lambda, i);
            }
            inner = fmax(0.1 * inner, method->tolerance);
            measure(w, x, w->lambda, first);
        }
        const bool moved = method->form == QUATERNION_FIRST_ORDER
                               ? step_downhill(w, x, &alpha)
                               : step_by_newton(w, x, first, result);
        if (!moved) {
            return;
        }
        result->iterations++;
    }
}

bool quaternion_step_minimize(const struct quaternion_step *step,
                              const struct quaternion_method *method, double *x,
                              struct quaternion_result *result) {
    struct work w;
    const bool has_memory = reserve(step, method, &w);
    *result = (struct quaternion_result){0};
    if (has_memory) {
        memcpy(x, step->start, 7 * step->particle_count * sizeof *x);
        minimize(&w, x, result);
        result->drift = greatest_constraint(step, x);
        result->value = potential(step, x);
    }
    release(&w);
    return has_memory;
}
