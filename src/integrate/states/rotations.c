// See rotations.h. Processes eight rotation nodes at a time.
// SPDX-License-Identifier: MIT
#include "integrate/states/rotations.h"

#include "base/matrix3/rotation_chart.h"

enum { CHUNK = 1024 };

struct pass {
    const struct rotations *rotations;
    const double *x;
    double *v, *a;                        ///< rotations_velocities_to_world and rotations_kick
    const double *base, *kicks;           ///< rotations_kick
    double *next_x, *x_before, *v_before; ///< rotations_recentre
    double factor;
    void (*work)(const struct pass *pass, size_t begin);
};

/// Index of rotation begin + lane; lanes beyond the end repeat the last rotation.
static size_t index_of(const struct rotations *rotations, size_t begin, int lane) {
    const size_t index = begin + (size_t)lane;
    return index < rotations->count ? index : rotations->count - 1;
}

static void load(const struct rotations *rotations, size_t begin, const double *vectors,
                 lanes8 out[3]) {
    for (int l = 0; l < LANES; l++) {
        const size_t node = rotations->node[index_of(rotations, begin, l)];
        for (size_t i = 0; i < 3; i++) {
            out[i][l] = vectors[3 * node + i];
        }
    }
}

static void store(const struct rotations *rotations, size_t begin, const lanes8 in[3],
                  double *vectors) {
    for (int l = 0; l < LANES && begin + (size_t)l < rotations->count; l++) {
        const size_t node = rotations->node[begin + (size_t)l];
        for (size_t i = 0; i < 3; i++) {
            vectors[3 * node + i] = in[i][l];
        }
    }
}

static void load_angles(const struct rotations *rotations, size_t begin, const double *x,
                        lanes8 phi[3]) {
    load(rotations, begin, x, phi);
    for (int l = 0; l < LANES; l++) {
        const double radius = rotations->radius[index_of(rotations, begin, l)];
        for (int i = 0; i < 3; i++) {
            phi[i][l] /= radius;
        }
    }
}

ALWAYS_INLINE lanes8 square_of(const lanes8 phi[3]) {
    return phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2];
}

/// Measures the chart at x; for rotations beyond the chart's limit, at phi = 0.
static void measure(const struct rotations *rotations, size_t begin, const double *x,
                    struct chart_lanes *chart) {
    lanes8 phi[3];
    load_angles(rotations, begin, x, phi);
    const mask8 inside = square_of(phi) < CHART_LIMIT * CHART_LIMIT;
    for (int i = 0; i < 3; i++) {
        phi[i] = lanes_select(inside, phi[i], lanes_set(0.0));
    }
    chart_init(phi, chart);
}

static void apply(const lanes8 m[9], const lanes8 a[3], lanes8 out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = m[3 * i] * a[0] + m[3 * i + 1] * a[1] + m[3 * i + 2] * a[2];
    }
}

static void run_chunk(void *context, size_t index) {
    const struct pass *pass = context;
    const size_t count = pass->rotations->count;
    const size_t end = (index + 1) * CHUNK < count ? (index + 1) * CHUNK : count;
    for (size_t begin = index * CHUNK; begin < end; begin += LANES) {
        pass->work(pass, begin);
    }
}

static void run(struct tasks *tasks, struct pass *pass) {
    tasks_for(tasks, (pass->rotations->count + CHUNK - 1) / CHUNK, run_chunk, pass);
}

// --- the end of a step ---

static void convert(const struct pass *pass, size_t begin) {
    struct chart_lanes chart;
    lanes8 matrix[9];
    lanes8 in[3];
    lanes8 out[3];
    measure(pass->rotations, begin, pass->x, &chart);
    if (pass->v != NULL) {
        chart_velocity(&chart, matrix);
        load(pass->rotations, begin, pass->v, in);
        apply(matrix, in, out);
        store(pass->rotations, begin, out, pass->v);
    }
    if (pass->a != NULL) {
        chart_torque(&chart, matrix);
        load(pass->rotations, begin, pass->a, in);
        apply(matrix, in, out);
        store(pass->rotations, begin, out, pass->a);
    }
}

void rotations_velocities_to_world(const struct rotations *rotations, struct tasks *tasks,
                                   const double *x, double *v, double *a) {
    struct pass pass = {.rotations = rotations, .x = x, .v = v, .a = a, .work = convert};
    run(tasks, &pass);
}

void rotations_gradient_to_moments(const struct rotations *rotations, struct tasks *tasks,
                                   const double *x, double *gradient) {
    struct pass pass = {.rotations = rotations, .x = x, .a = gradient, .work = convert};
    run(tasks, &pass);
}

static void kick(const struct pass *pass, size_t begin) {
    struct chart_lanes chart;
    lanes8 matrix[9];
    lanes8 in[3];
    lanes8 out[3];
    lanes8 base[3];
    measure(pass->rotations, begin, pass->x, &chart);
    chart_torque(&chart, matrix);
    load(pass->rotations, begin, pass->kicks, in);
    load(pass->rotations, begin, pass->base, base);
    apply(matrix, in, out);
    for (int i = 0; i < 3; i++) {
        out[i] = base[i] + pass->factor * out[i];
    }
    store(pass->rotations, begin, out, pass->v);
}

void rotations_kick(const struct rotations *rotations, struct tasks *tasks, const double *x,
                    const double *base, double factor, const double *a, double *out) {
    struct pass pass = {.rotations = rotations,
                        .x = x,
                        .v = out,
                        .base = base,
                        .kicks = a,
                        .factor = factor,
                        .work = kick};
    run(tasks, &pass);
}

// --- accepting a step ---

/// out = a b, quaternion product.
ALWAYS_INLINE void multiply(const lanes8 a[4], const lanes8 b[4], lanes8 out[4]) {
    out[0] = a[3] * b[0] + b[3] * a[0] + (a[1] * b[2] - a[2] * b[1]);
    out[1] = a[3] * b[1] + b[3] * a[1] + (a[2] * b[0] - a[0] * b[2]);
    out[2] = a[3] * b[2] + b[3] * a[2] + (a[0] * b[1] - a[1] * b[0]);
    out[3] = a[3] * b[3] - (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
}

ALWAYS_INLINE void normalise(lanes8 q[4]) {
    const lanes8 inverse = 1.0 / lanes_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) {
        q[i] *= inverse;
    }
}

/// Computes exp(phi) for any angle: long phi are halved repeatedly, and the result is squared as
/// often.
static void exponential(lanes8 phi[3], lanes8 out[4]) {
    const lanes8 none[4] = {lanes_set(0.0), lanes_set(0.0), lanes_set(0.0), lanes_set(1.0)};
    const double limit = 0.25 * CHART_LIMIT * CHART_LIMIT;
    lanes8 halvings = lanes_set(0.0);
    mask8 is_long = square_of(phi) > limit;
    while (lanes_any(is_long)) {
        const lanes8 factor = lanes_select(is_long, lanes_set(0.5), lanes_set(1.0));
        for (int i = 0; i < 3; i++) {
            phi[i] *= factor;
        }
        halvings += lanes_select(is_long, lanes_set(1.0), lanes_set(0.0));
        is_long = square_of(phi) > limit;
    }
    struct chart_lanes chart;
    chart_init(phi, &chart);
    chart_orientation(&chart, none, out);
    for (mask8 again = halvings > 0.0; lanes_any(again); again = halvings > 0.0) {
        lanes8 squared[4];
        multiply(out, out, squared);
        normalise(squared);
        for (int i = 0; i < 4; i++) {
            out[i] = lanes_select(again, squared[i], out[i]);
        }
        halvings -= 1.0;
    }
}

/// Computes eight orientations at x, normalised. Their sign is continuous, because bonds compare
/// those of neighbours.
static void orientations_at(const struct rotations *rotations, const double *orientation,
                            size_t begin, const double *x, lanes8 out[4]) {
    lanes8 phi[3];
    lanes8 rotation[4];
    lanes8 from[4];
    load_angles(rotations, begin, x, phi);
    exponential(phi, rotation);
    for (int l = 0; l < LANES; l++) {
        const double *q = orientation + 4 * index_of(rotations, begin, l);
        for (int i = 0; i < 4; i++) {
            from[i][l] = q[i];
        }
    }
    multiply(rotation, from, out);
    normalise(out);
}

static void recentre(const struct pass *pass, size_t begin) {
    const struct rotations *rotations = pass->rotations;
    const lanes8 zero[3] = {lanes_set(0.0), lanes_set(0.0), lanes_set(0.0)};
    lanes8 q[4];
    orientations_at(rotations, rotations->orientation, begin, pass->x, q);
    if (pass->x_before != NULL) {
        struct chart_lanes chart;
        lanes8 matrix[9];
        lanes8 x[3];
        lanes8 v[3];
        lanes8 carried[3];
        // In the chart of the new orientation, the previous one is at -phi, where dexp(-phi)^-1 =
        // K(phi).
        measure(rotations, begin, pass->x, &chart);
        chart_torque(&chart, matrix);
        load(rotations, begin, pass->v_before, v);
        apply(matrix, v, carried);
        store(rotations, begin, carried, pass->v_before);
        load(rotations, begin, pass->x, x);
        for (int i = 0; i < 3; i++) {
            x[i] = -x[i];
        }
        store(rotations, begin, x, pass->x_before);
    }
    for (int l = 0; l < LANES && begin + (size_t)l < rotations->count; l++) {
        for (size_t i = 0; i < 4; i++) {
            rotations->orientation[4 * (begin + (size_t)l) + i] = q[i][l];
        }
    }
    store(rotations, begin, zero, pass->next_x);
}

void rotations_recentre(const struct rotations *rotations, struct tasks *tasks, double *x,
                        double *x_before, double *v_before) {
    struct pass pass = {.rotations = rotations,
                        .x = x,
                        .next_x = x,
                        .x_before = x_before,
                        .v_before = v_before,
                        .work = recentre};
    run(tasks, &pass);
}

// --- explicit steps ---

/// Computes exp(phi) for |phi| <= 1/2, accurate to rounding, by series in u = |phi|^2 / 4. The
/// first omitted terms are u^6 / 13! and u^7 / 14!.
ALWAYS_INLINE void short_exponential(const lanes8 phi[3], lanes8 out[4]) {
    const lanes8 u = 0.25 * square_of(phi);
    const lanes8 sine = 1.0 +
                        u * (-1.0 / 6.0 + u * (1.0 / 120.0 +
                                               u * (-1.0 / 5040.0 + u * (1.0 / 362880.0 -
                                                                         u * (1.0 / 39916800.0)))));
    for (int i = 0; i < 3; i++) {
        out[i] = 0.5 * sine * phi[i];
    }
    out[3] = 1.0 + u * (-0.5 + u * (1.0 / 24.0 +
                                    u * (-1.0 / 720.0 +
                                         u * (1.0 / 40320.0 +
                                              u * (-1.0 / 3628800.0 + u * (1.0 / 479001600.0))))));
}

struct rotation_update {
    const struct rotations *rotations;
    double *x;
};

/// Updates eight rotations if all eight angles are short; otherwise returns false.
ALWAYS_INLINE bool update_eight(const struct rotations *rotations, size_t begin, double *x) {
    lanes8 phi[3];
    lanes8 rotated[4];
    lanes8 from[4];
    lanes8 to[4];
    for (size_t l = 0; l < LANES; l++) {
        const size_t node = rotations->node[begin + l];
        const double *q = rotations->orientation + 4 * (begin + l);
        for (size_t i = 0; i < 3; i++) {
            phi[i][l] = x[3 * node + i] / rotations->radius[begin + l];
        }
        for (size_t i = 0; i < 4; i++) {
            from[i][l] = q[i];
        }
    }
    if (lanes_any(square_of(phi) > 0.25)) {
        return false;
    }
    short_exponential(phi, rotated);
    multiply(rotated, from, to);
    normalise(to);
    for (size_t l = 0; l < LANES; l++) {
        double *q = rotations->orientation + 4 * (begin + l);
        for (size_t i = 0; i < 4; i++) {
            q[i] = to[i][l];
        }
        memset(x + 3 * (size_t)rotations->node[begin + l], 0, 3 * sizeof *x);
    }
    return true;
}

static PBS_MULTIVERSION void update_range(const struct rotations *rotations, size_t begin,
                                          size_t end, double *x) {
    for (size_t i = begin; i < end; i += LANES) {
        if (i + LANES > rotations->count || !update_eight(rotations, i, x)) {
            const struct pass pass = {.rotations = rotations, .x = x, .next_x = x};
            recentre(&pass, i);
        }
    }
}

static void update_chunk(void *context, size_t index) {
    const struct rotation_update *update = context;
    const size_t count = update->rotations->count;
    const size_t end = (index + 1) * CHUNK < count ? (index + 1) * CHUNK : count;
    update_range(update->rotations, index * CHUNK, end, update->x);
}

void rotations_apply(const struct rotations *rotations, struct tasks *tasks, double *x) {
    struct rotation_update update = {rotations, x};
    tasks_for(tasks, (rotations->count + CHUNK - 1) / CHUNK, update_chunk, &update);
}

void rotations_at(const struct rotations *rotations, size_t index, const double *x, double out[4]) {
    lanes8 q[4];
    orientations_at(rotations, rotations->orientation, index, x, q);
    for (int i = 0; i < 4; i++) {
        out[i] = q[i][0];
    }
}

void rotations_compare(const struct rotations *rotations, const double *x,
                       const double *other_orientation, double *other) {
    for (size_t begin = 0; begin < rotations->count; begin += LANES) {
        lanes8 q[2][4];
        lanes8 place[3];
        orientations_at(rotations, rotations->orientation, begin, x, q[0]);
        orientations_at(rotations, other_orientation, begin, other, q[1]);
        for (int i = 0; i < 3; i++) {
            q[0][i] = -q[0][i];
        }
        lanes8 rotation[4];
        multiply(q[1], q[0], rotation);
        load(rotations, begin, x, place);
        for (int l = 0; l < LANES; l++) {
            const double radius = rotations->radius[index_of(rotations, begin, l)];
            for (int i = 0; i < 3; i++) {
                place[i][l] += 2.0 * radius * rotation[i][l];
            }
        }
        store(rotations, begin, place, other);
    }
}
