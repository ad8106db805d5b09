// R and its derivative from singular vectors, for the lanes where the closed form of polar3.h is
// not accurate.
// SPDX-License-Identifier: MIT
#include "base/matrix3/polar3.h"

#include "base/matrix3/svd3.h"

/// Returns sum_k a_k b_k c_k.
static lanes8 weighted(const lanes8 a[3], const lanes8 b[3], const lanes8 c[3]) {
    return a[0] * b[0] * c[0] + a[1] * b[1] * c[1] + a[2] * b[2] * c[2];
}

void polar3_from_svd(const mask8 *lanes, const lanes8 f[9], double smallest_sum, lanes8 r[9],
                     lanes8 rate[6]) {
    lanes8 u[9];
    lanes8 s[3];
    lanes8 v[9];
    svd3_lanes(f, u, s, v);
    const lanes8 one[3] = {lanes_set(1.0), lanes_set(1.0), lanes_set(1.0)};
    for (int i = 0; i < 9; i++) {
        r[i] = lanes_select(*lanes, weighted(u + 3 * (i / 3), v + 3 * (i % 3), one), r[i]);
    }
    if (rate == NULL) {
        return;
    }
    const lanes8 smallest = lanes_set(smallest_sum);
    const lanes8 inverse[3] = {1.0 / lanes_max(s[1] + s[2], smallest),
                               1.0 / lanes_max(s[0] + s[2], smallest),
                               1.0 / lanes_max(s[0] + s[1], smallest)};
    for (int i = 0, n = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, n++) {
            rate[n] = lanes_select(*lanes, weighted(u + 3 * i, u + 3 * j, inverse), rate[n]);
        }
    }
}
