// See screw.h. With handles A_k, the centre c and the direction (D_k, v):
//     (tr G - G) w = sum A_k x D_k,  G = sum A_k A_k^T,  S_k = D_k - w x A_k
//     A_k(a) = exp(a w) (A_k + a S_k),  c(a) = c + a V(a w) v,  V(p) = int_0^1 exp(s p) ds
// Points at rest stay at rest: a corner that is leant on does not move.
#include "minimize/search/screw.h"

#include "base/matrix3/math3.h"
#include "base/matrix3/rotation_chart.h"

double screw_split(struct screw *screw, const double *x, const double *direction) {
    const double *const handles = x + 3 * ((size_t)screw->node + 1);
    const double *const motions = direction + 3 * ((size_t)screw->node + 1);
    double inertia[9] = {0.0};
    double moment[3] = {0.0, 0.0, 0.0};
    for (size_t k = 0; k < 9; k += 3) {
        double swirl[3];
        cross3(handles + k, motions + k, swirl);
        add3(moment, swirl, moment);
        for (size_t i = 0; i < 3; i++) {
            inertia[4 * i] += dot3(handles + k, handles + k);
            for (size_t j = 0; j < 3; j++) {
                inertia[3 * i + j] -= handles[k + i] * handles[k + j];
            }
        }
    }
    double inverse[9];
    scale3(0.0, moment, screw->turn);
    if (invert33(inertia, inverse)) {
        multiply3(inverse, moment, screw->turn);
    }
    for (size_t k = 0; k < 3; k++) {
        double turned[3];
        cross3(screw->turn, handles + 3 * k, turned);
        subtract3(motions + 3 * k, turned, screw->strain[k]);
    }
    return norm3(screw->turn);
}

/// rotation = exp(step turn); mean: its mean over the path so far.
static void rotations_at(const struct screw *screw, double step, double rotation[9],
                         double mean[9]) {
    lanes8 phi[3];
    lanes8 matrix[9];
    struct chart_lanes chart;
    double p[3];
    scale3(step, screw->turn, p);
    for (int i = 0; i < 3; i++) {
        phi[i] = lanes_set(p[i]);
    }
    chart_init(phi, &chart);
    const double cosine = 1.0 - dot3(p, p) * chart.b[0];
    chart_matrix(phi, lanes_set(cosine), chart.a, chart.b, matrix);
    for (int i = 0; i < 9; i++) {
        rotation[i] = matrix[i][0];
    }
    chart_velocity(&chart, matrix);
    for (int i = 0; i < 9; i++) {
        mean[i] = matrix[i][0];
    }
}

void screw_move(const struct screw *screw, const double *x, const double *direction, double step,
                double *y) {
    const size_t at = 3 * (size_t)screw->node;
    double rotation[9];
    double mean[9];
    double way[3];
    rotations_at(screw, step, rotation, mean);
    multiply3(mean, direction + at, way);
    add_scaled3(x + at, step, way, y + at);
    for (size_t k = 0; k < 3; k++) {
        double strained[3];
        const size_t handle = at + 3 * (k + 1);
        add_scaled3(x + handle, step, screw->strain[k], strained);
        multiply3(rotation, strained, y + handle);
    }
}

double screw_slope(const struct screw *screw, const double *direction, double step, const double *y,
                   const double *gradient) {
    const size_t at = 3 * (size_t)screw->node;
    double rotation[9];
    double mean[9];
    double rate[3];
    rotations_at(screw, step, rotation, mean);
    multiply3(rotation, direction + at, rate);
    double slope = dot3(gradient + at, rate);
    for (size_t k = 0; k < 3; k++) {
        double strained[3];
        const size_t handle = at + 3 * (k + 1);
        cross3(screw->turn, y + handle, rate);
        multiply3(rotation, screw->strain[k], strained);
        add3(rate, strained, rate);
        slope += dot3(gradient + handle, rate);
    }
    return slope;
}
