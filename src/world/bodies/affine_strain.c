// See affine_strain.h. The handles are the columns of A times the body's radius.
#include "world/bodies/affine_strain.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "world/objects/body_table.h"

static double strain_of(const struct body *body, const double *x) {
    const double *handles = x + 3 * (body->node_start + 1);
    const double inverse = 1.0 / (body->affine.radius * body->affine.radius);
    double sum = 0.0;
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            const double product = inverse * dot3(handles + 3 * i, handles + 3 * j);
            const double strain = 0.5 * (i == j ? product - 1.0 : product);
            sum += strain * strain;
        }
    }
    return sqrt(sum);
}

double affine_strain_largest(const struct scene *scene, const struct body **body) {
    const struct body *worst = NULL;
    double largest = 0.0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *at = scene_body(scene, i);
        const double strain = at->table == &body_table_affine ? strain_of(at, scene->nodes.x) : 0.0;
        if (at->table == &body_table_affine && (worst == NULL || strain > largest)) {
            worst = at;
            largest = strain;
        }
    }
    if (body != NULL) {
        *body = worst;
    }
    return largest;
}
