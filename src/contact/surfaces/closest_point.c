// Closest points on the intersection of up to three surfaces, by Newton's method on
//     x - y + sum lambda_b n_b(x) = 0,   phi_b(x) = 0   for b in W.
// The derivative is dx/dy = Z (Z^T (I + sum lambda_b Hess phi_b) Z)^-1 Z^T, with Z a basis of the
// tangent space. The set W of active surfaces is found by trying sets: of the solutions that
// violate no surface, the closest is P(y). For one surface and no constrained axis, x = y - phi n
// in closed form.
// SPDX-License-Identifier: MIT
#include "contact/surfaces/closest_point.h"

#include "base/matrix3/math3.h"

enum { MAX_CANDIDATES = 8, MAX_NEWTON = 50, MAX_SWEEPS = 200 };

// If the squared sine of their angle is smaller, two unit normals count as parallel; if the square
// of a normal's free part is smaller, the free axes cannot leave the surface.
static const double dependent = 1e-10;

// --- small linear algebra ---

void remove_constrained(uint32_t constrained_axes, double a[3]) {
    for (unsigned i = 0; i < 3; i++) {
        if (constrained_axes >> i & 1u) {
            a[i] = 0.0;
        }
    }
}

// Orthonormalises a against the basis and appends it, with a second pass against rounding errors.
// Returns false if too little of its length remains.
static bool orthonormalize(int count, double basis[3][3], const double a[3], double least) {
    double *out = basis[count];
    copy3(a, out);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < count; i++) {
            add_scaled3(out, -dot3(out, basis[i]), basis[i], out);
        }
    }
    const double square = dot3(out, out);
    if (!(square > least * dot3(a, a))) {
        return false;
    }
    scale3(1.0 / sqrt(square), out, out);
    return true;
}

// Completes the frame by the coordinate axis that is farthest from its span.
static void complete_frame(int count, double frame[3][3]) {
    int best = 0;
    double most = -1.0;
    for (int axis = 0; axis < 3; axis++) {
        double remains = 1.0;
        for (int i = 0; i < count; i++) {
            remains -= frame[i][axis] * frame[i][axis];
        }
        if (remains > most) {
            most = remains;
            best = axis;
        }
    }
    double e[3] = {0.0, 0.0, 0.0};
    e[best] = 1.0;
    orthonormalize(count, frame, e, 0.0);
}

int tangent_basis(uint32_t constrained_axes, size_t count, double (*normals)[3],
                  double basis[3][3]) {
    double frame[3][3];
    int used = 0;
    for (unsigned i = 0; i < 3; i++) {
        if (constrained_axes >> i & 1u) {
            frame[used][0] = frame[used][1] = frame[used][2] = 0.0;
            frame[used++][i] = 1.0;
        }
    }
    for (size_t i = 0; i < count; i++, used++) {
        if (used == 3 || !orthonormalize(used, frame, normals[i], dependent)) {
            return -1;
        }
    }
    const int dimension = 3 - used;
    for (int i = used; i < 3; i++) {
        complete_frame(i, frame);
        copy3(frame[i], basis[i - used]);
    }
    return dimension;
}

// out = sum_ij inverse_ij z_i z_j^T
static void expand(int dimension, double basis[3][3], const double *inverse, double out[9]) {
    for (int e = 0; e < 9; e++) {
        out[e] = 0.0;
    }
    for (int i = 0; i < dimension; i++) {
        for (int j = 0; j < dimension; j++) {
            for (int e = 0; e < 9; e++) {
                out[e] += inverse[dimension * i + j] * basis[i][e / 3] * basis[j][e % 3];
            }
        }
    }
}

void tangent_projector(int dimension, double basis[3][3], double projector[9]) {
    double identity[9] = {0.0};
    for (int i = 0; i < dimension; i++) {
        identity[(dimension + 1) * i] = 1.0;
    }
    expand(dimension, basis, identity, projector);
}

// Solves (N^T N) c = b.
static void solve_gram(size_t count, double (*normals)[3], const double *b, double *c) {
    double gram[9], inverse[9], right[3] = {0.0, 0.0, 0.0}, solution[3];
    identity33(gram);
    identity33(inverse);
    for (size_t i = 0; i < count; i++) {
        right[i] = b[i];
        for (size_t j = 0; j < count; j++) {
            gram[3 * i + j] = dot3(normals[i], normals[j]);
        }
    }
    invert33(gram, inverse);
    multiply3(inverse, right, solution);
    for (size_t i = 0; i < count; i++) {
        c[i] = solution[i];
    }
}

void normal_components(size_t count, double (*normals)[3], const double a[3], double *c) {
    double b[3];
    for (size_t i = 0; i < count; i++) {
        b[i] = dot3(normals[i], a);
    }
    solve_gram(count, normals, b, c);
}

// --- Newton's method on one set of surfaces ---

// The linearisation of the surfaces of W at a point.
struct linearization {
    size_t count;
    double phi[3], lambda[3];
    double normal[3][3];  // zero in constrained axes
    double lagrangian[9]; // I + sum lambda Hess phi
    int dimension;
    double basis[3][3];
};

static bool linearize(const struct closest_point *problem, size_t count, const uint32_t *members,
                      const double y[3], const double x[3], struct linearization *at) {
    double hessian[3][9], offset[3];
    at->count = count;
    for (size_t i = 0; i < count; i++) {
        const struct contact_surface *s = problem->surfaces + members[i];
        at->phi[i] = shape_distance(&s->shape, &s->pose, x, at->normal[i], hessian[i]);
        remove_constrained(problem->constrained_axes, at->normal[i]);
        if (!(dot3(at->normal[i], at->normal[i]) > dependent)) {
            return false;
        }
    }
    at->dimension = tangent_basis(problem->constrained_axes, count, at->normal, at->basis);
    if (at->dimension < 0) {
        return false;
    }
    subtract3(y, x, offset);
    normal_components(count, at->normal, offset, at->lambda);
    identity33(at->lagrangian);
    for (size_t i = 0; i < count; i++) {
        for (int e = 0; e < 9; e++) {
            at->lagrangian[e] += at->lambda[i] * hessian[i][e];
        }
    }
    return true;
}

// inverse = (Z^T B Z)^-1, dimension squared entries. If Z^T B Z is not positive definite, the
// distance has no minimum there: sets the identity and returns false.
static bool reduced_inverse(const struct linearization *at, double *inverse) {
    const int d = at->dimension;
    double b[4] = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < d; i++) {
        double bz[3];
        multiply3(at->lagrangian, at->basis[i], bz);
        for (int j = 0; j < d; j++) {
            b[d * i + j] = dot3(at->basis[j], bz);
            inverse[d * i + j] = i == j ? 1.0 : 0.0;
        }
    }
    if (d == 1 && b[0] > 0.0) {
        inverse[0] = 1.0 / b[0];
        return true;
    }
    const double determinant = b[0] * b[3] - b[1] * b[2];
    if (d == 2 && b[0] > 0.0 && determinant > 0.0) {
        inverse[0] = b[3] / determinant;
        inverse[1] = inverse[2] = -b[1] / determinant;
        inverse[3] = b[0] / determinant;
        return true;
    }
    return d == 0;
}

// Takes one Newton step: onto the linearised surfaces, then towards y along them. Returns its
// length.
static double newton_step(struct linearization *at, const double y[3], double x[3]) {
    double amount[3], step[3] = {0.0, 0.0, 0.0}, residual[3], curved[3], inverse[4], jump[9];
    solve_gram(at->count, at->normal, at->phi, amount);
    for (size_t i = 0; i < at->count; i++) {
        add_scaled3(step, -amount[i], at->normal[i], step);
    }
    subtract3(x, y, residual);
    multiply3(at->lagrangian, step, curved);
    add3(residual, curved, residual);
    reduced_inverse(at, inverse);
    expand(at->dimension, at->basis, inverse, jump);
    multiply3(jump, residual, curved);
    subtract3(step, curved, step);
    add3(x, step, x);
    return norm3(step);
}

// Whether the iteration has converged to rounding errors. Where surfaces meet at a small angle
// these exceed 1e-14 of the scale, and the steps stop shrinking.
static bool is_settled(const struct closest_point *problem, const struct linearization *at,
                       double length, double previous) {
    if (length <= 1e-14 * problem->scale) {
        return true;
    }
    double off = 0.0;
    for (size_t i = 0; i < at->count; i++) {
        off = fmax(off, fabs(at->phi[i]));
    }
    return off <= 0.1 * problem->tolerance && length <= 1e-11 * problem->scale &&
           length >= 0.5 * previous;
}

static bool closest_on_all(const struct closest_point *problem, size_t count,
                           const uint32_t *members, const double y[3], const double start[3],
                           double x[3], double jacobian[9]) {
    struct linearization at;
    double length = INFINITY, previous = INFINITY, inverse[4];
    copy3(start, x);
    for (int i = 0; i < MAX_NEWTON; i++) {
        if (!linearize(problem, count, members, y, x, &at)) {
            return false;
        }
        if (is_settled(problem, &at, length, previous)) {
            // The farthest point of a curved surface is stationary too, but no minimum.
            if (!reduced_inverse(&at, inverse)) {
                return false;
            }
            expand(at.dimension, at.basis, inverse, jacobian);
            return true;
        }
        previous = length;
        length = newton_step(&at, y, x);
    }
    return false;
}

// OPT section 5.1: x - phi n, and J = I - n n^T - phi Hess(phi).
static void closest_on_one(const struct contact_surface *surface, const double y[3], double x[3],
                           double jacobian[9]) {
    double n[3], hessian[9];
    const double phi = shape_distance(&surface->shape, &surface->pose, y, n, hessian);
    add_scaled3(y, -phi, n, x);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            jacobian[3 * i + j] = (i == j ? 1.0 : 0.0) - n[i] * n[j] - phi * hessian[3 * i + j];
        }
    }
}

static bool closest_on(const struct closest_point *problem, size_t count, const uint32_t *members,
                       const double y[3], const double start[3], double x[3], double jacobian[9]) {
    if (count == 0) {
        copy3(y, x);
        for (unsigned i = 0; i < 9; i++) {
            jacobian[i] = i % 4 == 0 && !(problem->constrained_axes >> i / 4 & 1u) ? 1.0 : 0.0;
        }
        return true;
    }
    if (count == 1 && problem->constrained_axes == 0) {
        closest_on_one(problem->surfaces + members[0], y, x, jacobian);
        return true;
    }
    return closest_on_all(problem, count, members, y, start, x, jacobian);
}

// --- active surfaces ---

bool contact_surface_touches(const struct contact_surface *surface, const double x[3],
                             double distance) {
    for (int i = 0; i < 3; i++) {
        if (x[i] < surface->low[i] || x[i] > surface->high[i]) {
            return false;
        }
    }
    return fabs(shape_distance(&surface->shape, &surface->pose, x, NULL, NULL)) <= distance;
}

// Returns the depth of x below a surface; 0 if x is admissible or the free axes cannot leave the
// surface.
static double depth(const struct closest_point *problem, const struct contact_surface *surface,
                    const double x[3]) {
    for (int i = 0; i < 3; i++) {
        if (x[i] < surface->low[i] || x[i] > surface->high[i]) {
            return 0.0;
        }
    }
    const double phi = shape_distance(&surface->shape, &surface->pose, x, NULL, NULL);
    if (phi >= -problem->tolerance || problem->constrained_axes == 0) {
        return phi < -problem->tolerance ? -phi : 0.0;
    }
    double n[3];
    shape_distance(&surface->shape, &surface->pose, x, n, NULL);
    remove_constrained(problem->constrained_axes, n);
    return dot3(n, n) > dependent ? -phi : 0.0;
}

// Returns the surface that x is deepest below; surface_count if x is admissible.
static uint32_t deepest(const struct closest_point *problem, const double x[3]) {
    uint32_t worst = (uint32_t)problem->surface_count;
    double most = 0.0;
    for (uint32_t b = 0; b < problem->surface_count; b++) {
        const double d = depth(problem, problem->surfaces + b, x);
        if (d > most) {
            most = d;
            worst = b;
        }
    }
    return worst;
}

struct search {
    size_t candidate_count;
    uint32_t candidates[MAX_CANDIDATES]; // active surfaces come first
    double start[3];
    double distance; // of the best point so far; infinity: none yet
    double x[3], jacobian[9];
    uint32_t missing; // a surface that a closer point violates and that is not a candidate
};

static bool is_candidate(const struct search *search, uint32_t surface) {
    for (size_t i = 0; i < search->candidate_count; i++) {
        if (search->candidates[i] == surface) {
            return true;
        }
    }
    return false;
}

static void try_set(const struct closest_point *problem, const double y[3], unsigned set,
                    struct search *search) {
    uint32_t members[MAX_CANDIDATES];
    size_t count = 0;
    for (size_t i = 0; i < search->candidate_count; i++) {
        if (set >> i & 1u) {
            members[count++] = search->candidates[i];
        }
    }
    double x[3], jacobian[9], offset[3];
    if (count > CLOSEST_POINT_MAX_ACTIVE ||
        !closest_on(problem, count, members, y, search->start, x, jacobian)) {
        return;
    }
    subtract3(x, y, offset);
    const double distance = norm3(offset);
    // Smaller sets come first and give a point that is at least as close; an equal distance is no
    // improvement.
    if (!(distance < search->distance * (1.0 - 1e-12)) && isfinite(search->distance)) {
        return;
    }
    const uint32_t worst = deepest(problem, x);
    if (worst < problem->surface_count) {
        search->missing = is_candidate(search, worst) ? search->missing : worst;
        return;
    }
    search->distance = distance;
    copy3(x, search->x);
    for (int e = 0; e < 9; e++) {
        search->jacobian[e] = jacobian[e];
    }
}

// Tries all sets of candidates that contain the active surfaces. Adds a candidate as long as a
// closer point violates a surface that is none.
static bool search_sets(const struct closest_point *problem, const double y[3],
                        struct search *search) {
    const unsigned required = (1u << problem->active_count) - 1u;
    const uint32_t none = (uint32_t)problem->surface_count;
    for (;;) {
        search->distance = INFINITY;
        search->missing = none;
        for (unsigned set = 0; set < 1u << search->candidate_count; set++) {
            if ((set & required) == required) {
                try_set(problem, y, set, search);
            }
        }
        if (search->missing == none || search->candidate_count == MAX_CANDIDATES) {
            return isfinite(search->distance);
        }
        search->candidates[search->candidate_count++] = search->missing;
    }
}

static bool is_active(const struct closest_point *problem, uint32_t surface) {
    for (size_t i = 0; i < problem->active_count; i++) {
        if (problem->active[i] == surface) {
            return true;
        }
    }
    return false;
}

// Whether x is on all active surfaces.
static bool satisfies_active(const struct closest_point *problem, const double x[3]) {
    for (size_t i = 0; i < problem->active_count; i++) {
        const struct contact_surface *s = problem->surfaces + problem->active[i];
        if (!(shape_distance(&s->shape, &s->pose, x, NULL, NULL) <= problem->tolerance)) {
            return false;
        }
    }
    return true;
}

// Projects on each active or violated surface in turn until x is on all active ones and violates
// none: OPT's own P, iterated to convergence.
static bool sweep(const struct closest_point *problem, const double y[3], double x[3]) {
    copy3(y, x);
    for (int i = 0; i < MAX_SWEEPS; i++) {
        for (uint32_t b = 0; b < problem->surface_count; b++) {
            const struct contact_surface *s = problem->surfaces + b;
            if (is_active(problem, b) || depth(problem, s, x) > 0.0) {
                double n[3];
                const double phi = shape_distance(&s->shape, &s->pose, x, n, NULL);
                remove_constrained(problem->constrained_axes, n);
                add_scaled3(x, -phi / fmax(dot3(n, n), dependent), n, x);
            }
        }
        if (deepest(problem, x) == problem->surface_count && satisfies_active(problem, x)) {
            return true;
        }
    }
    return false;
}

// Computes the tangent projector of all surfaces that x touches, as far as their normals are
// independent.
static void touching_projector(const struct closest_point *problem, const double x[3],
                               double projector[9]) {
    double normals[3][3], basis[3][3];
    size_t count = 0;
    int dimension = tangent_basis(problem->constrained_axes, 0, normals, basis);
    for (uint32_t b = 0; b < problem->surface_count && dimension > 0; b++) {
        const struct contact_surface *s = problem->surfaces + b;
        if (contact_surface_touches(s, x, 10.0 * problem->tolerance)) {
            shape_distance(&s->shape, &s->pose, x, normals[count], NULL);
            remove_constrained(problem->constrained_axes, normals[count]);
            const int remains = tangent_basis(problem->constrained_axes, count + 1, normals, basis);
            count += remains >= 0;
            dimension = remains >= 0 ? remains : dimension;
        }
    }
    tangent_projector(dimension, basis, projector);
}

bool closest_point_find(const struct closest_point *problem, const double y[3], double x[3],
                        double jacobian[9], uint32_t *worst) {
    if (problem->active_count == 0 && deepest(problem, y) == problem->surface_count) {
        return closest_on(problem, 0, NULL, y, y, x, jacobian);
    }
    struct search search = {.candidate_count = problem->active_count};
    for (size_t i = 0; i < problem->active_count; i++) {
        search.candidates[i] = problem->active[i];
    }
    copy3(y, search.start);
    bool found = search_sets(problem, y, &search);
    if (!found) {
        // If Newton's method fails from y, it starts from the result of the sweep; if it fails
        // again, that result is used.
        const bool swept = sweep(problem, y, search.start);
        found = search_sets(problem, y, &search);
        if (!found && swept) {
            found = true;
            copy3(search.start, search.x);
            touching_projector(problem, search.x, search.jacobian);
        }
    }
    if (!found) {
        *worst = deepest(problem, search.start);
        return false;
    }
    copy3(search.x, x);
    for (int e = 0; e < 9; e++) {
        jacobian[e] = search.jacobian[e];
    }
    return true;
}
