// Signed distances, of all shapes but grids in closed form. Outside, the distance to the nearest
// point of face, edge or corner; inside, to the nearest face. With d the vector from the nearest
// point of an edge or corner, phi = |d|, g = d / |d|, Hess = (I_S - g g^T) / |d|, where S is the
// space d varies in.
#include "geometry/shape.h"

#include "base/config.h"
#include "base/matrix3/math3.h"
#include "pbs/collider.h"

struct local_distance {
    double value;
    double gradient[3];
    double hessian[9];
};

// h += s a a^T
static void add_square(double h[9], double s, const double a[3]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            h[3 * i + j] += s * a[i] * a[j];
        }
    }
}

// The distance |d| to a point, where d varies in the axes of `axes` (1, 2, 4 for x, y, z). At d = 0
// the gradient is the axis `fallback`.
static void distance_to_point(const double d[3], unsigned axes, int fallback,
                              struct local_distance *out) {
    const double length = norm3(d);
    out->value = length;
    if (length == 0.0) {
        out->gradient[fallback] = 1.0;
        return;
    }
    for (int i = 0; i < 3; i++) {
        // Divided, so that one axis alone gives exactly 1 and no curvature.
        out->gradient[i] = d[i] / length;
        out->hessian[4 * i] = axes >> i & 1u ? 1.0 / length : 0.0;
    }
    add_square(out->hessian, -1.0 / length, out->gradient);
}

static void sphere(const double *size, const double p[3], struct local_distance *out) {
    distance_to_point(p, 7, 1, out);
    out->value -= size[0];
}

static void box_face(const double p[3], const double q[3], struct local_distance *out) {
    int axis = q[1] > q[0] ? 1 : 0;
    axis = q[2] > q[axis] ? 2 : axis;
    out->value = q[axis];
    out->gradient[axis] = p[axis] < 0.0 ? -1.0 : 1.0;
}

// Closer to an edge than `resolution`, rounding alone would choose the direction; a face's is taken
// instead.
static void box(const double *size, const double p[3], double resolution,
                struct local_distance *out) {
    double q[3], d[3];
    unsigned outside = 0;
    for (int i = 0; i < 3; i++) {
        q[i] = fabs(p[i]) - size[i];
        outside |= q[i] > resolution ? 1u << i : 0;
        d[i] = q[i] > 0.0 ? copysign(q[i], p[i]) : 0.0;
    }
    if (outside == 0) {
        box_face(p, q, out);
        return;
    }
    unsigned varying = 0;
    for (int i = 0; i < 3; i++) {
        varying |= d[i] != 0.0 ? 1u << i : 0;
    }
    distance_to_point(d, varying, 0, out);
}

static void capsule(const double *size, const double p[3], struct local_distance *out) {
    const double y = fmin(fmax(p[1], -size[1]), size[1]);
    const double d[3] = {p[0], p[1] - y, p[2]};
    distance_to_point(d, d[1] != 0.0 ? 7 : 5, 0, out);
    out->value -= size[0];
}

// Unit vectors away from the axis and around it.
static double radial_frame(const double p[3], double radial[3], double around[3]) {
    const double rho = sqrt(p[0] * p[0] + p[2] * p[2]);
    radial[0] = rho > 0.0 ? p[0] / rho : 1.0;
    radial[1] = 0.0;
    radial[2] = rho > 0.0 ? p[2] / rho : 0.0;
    around[0] = -radial[2];
    around[1] = 0.0;
    around[2] = radial[0];
    return rho;
}

// A function of (rho, y): its derivatives there, g and (I - g g^T) * bend, carried to three
// dimensions.
static void revolve(double rho, const double radial[3], const double around[3], double g_rho,
                    double g_y, double bend, struct local_distance *out) {
    scale3(g_rho, radial, out->gradient);
    out->gradient[1] = g_y;
    const double tangent[3] = {-g_y * radial[0], g_rho, -g_y * radial[2]};
    add_square(out->hessian, bend, tangent);
    if (rho > 0.0) {
        add_square(out->hessian, g_rho / rho, around);
    }
}

static void cylinder(const double *size, const double p[3], double resolution,
                     struct local_distance *out) {
    double radial[3], around[3];
    const double rho = radial_frame(p, radial, around);
    const double side = rho - size[0], cap = fabs(p[1]) - size[1];
    const double up = p[1] < 0.0 ? -1.0 : 1.0;
    if (side > 0.0 && cap > 0.0 && fmax(side, cap) > resolution) {
        const double length = sqrt(side * side + cap * cap);
        out->value = length;
        revolve(rho, radial, around, side / length, up * cap / length, 1.0 / length, out);
    } else if (side >= cap) {
        out->value = side;
        revolve(rho, radial, around, 1.0, 0.0, 0.0, out);
    } else {
        out->value = cap;
        revolve(rho, radial, around, 0.0, up, 0.0, out);
    }
}

// Around the circle of radius size[0] in the plane y = 0. On the circle itself the way out of the
// axis is taken.
static void torus(const double *size, const double p[3], struct local_distance *out) {
    double radial[3], around[3];
    const double rho = radial_frame(p, radial, around);
    const double off = rho - size[0];
    const double length = sqrt(off * off + p[1] * p[1]);
    out->value = length - size[1];
    if (length > 0.0) {
        revolve(rho, radial, around, off / length, p[1] / length, 1.0 / length, out);
    } else {
        revolve(rho, radial, around, 1.0, 0.0, 0.0, out);
    }
}

// What rounding leaves of a position, with a margin.
static double position_resolution(const struct shape *shape, const struct pose *pose,
                                  const double x[3]) {
    double largest = 0.0;
    for (int i = 0; i < 3; i++) {
        const double size = isfinite(shape->size[i]) ? fabs(shape->size[i]) : 0.0;
        largest = fmax(largest, fabs(x[i]) + fabs(pose->translation[i]) + size);
    }
    return 1e-14 * largest;
}

static void solid_distance(const struct shape *shape, const struct pose *pose, const double x[3],
                           struct local_distance *out) {
    double offset[3], p[3];
    subtract3(x, pose->translation, offset);
    multiply_transposed3(pose->rotation, offset, p);
    switch (shape->kind) {
    case PBS_SHAPE_SPHERE: sphere(shape->size, p, out); break;
    case PBS_SHAPE_BOX: box(shape->size, p, position_resolution(shape, pose, x), out); break;
    case PBS_SHAPE_CAPSULE: capsule(shape->size, p, out); break;
    case PBS_SHAPE_TORUS: torus(shape->size, p, out); break;
    default: cylinder(shape->size, p, position_resolution(shape, pose, x), out); break;
    }
}

/// A plane needs no frame: grounds and walls are what most points are compared with.
static double half_space_distance(const struct pose *pose, double side, const double x[3],
                                  double gradient[3], double hessian[9]) {
    const double normal[3] = {side * pose->rotation[1], side * pose->rotation[4],
                              side * pose->rotation[7]};
    double offset[3];
    subtract3(x, pose->translation, offset);
    if (gradient) {
        copy3(normal, gradient);
    }
    for (int i = 0; hessian && i < 9; i++) {
        hessian[i] = 0.0;
    }
    return dot3(normal, offset);
}

// out = s R h R^T
static void rotate_hessian(const double rotation[9], double s, const double h[9], double out[9]) {
    double rh[9];
    multiply33(rotation, h, rh);
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            out[3 * i + j] = s * dot3(rh + 3 * i, rotation + 3 * j);
            out[3 * j + i] = out[3 * i + j];
        }
    }
}

/// Derivatives only where they are asked for: they are most of the work.
static double grid_distance(const struct shape *shape, const struct pose *pose, double side,
                            const double x[3], double gradient[3], double hessian[9]) {
    double offset[3], p[3], slope[3], bend[9];
    subtract3(x, pose->translation, offset);
    multiply_transposed3(pose->rotation, offset, p);
    const double value = distance_grid_value(shape->grid, p, gradient ? slope : NULL,
                                             hessian ? bend : NULL);
    if (gradient) {
        multiply3(pose->rotation, slope, gradient);
        scale3(side, gradient, gradient);
    }
    if (hessian) {
        rotate_hessian(pose->rotation, side, bend, hessian);
    }
    return side * value;
}

double shape_distance(const struct shape *shape, const struct pose *pose, const double x[3],
                      double gradient[3], double hessian[9]) {
    const double side = shape->hollow ? -1.0 : 1.0;
    if (shape->kind == PBS_SHAPE_GRID) {
        return grid_distance(shape, pose, side, x, gradient, hessian);
    }
    if (shape->kind == PBS_SHAPE_HALF_SPACE) {
        return half_space_distance(pose, side, x, gradient, hessian);
    }
    struct local_distance local = {0.0, {0.0}, {0.0}};
    solid_distance(shape, pose, x, &local);
    if (gradient) {
        multiply3(pose->rotation, local.gradient, gradient);
        scale3(side, gradient, gradient);
    }
    if (hessian) {
        rotate_hessian(pose->rotation, side, local.hessian, hessian);
    }
    return side * local.value;
}

// --- faces ---

static int box_faces(const double *size, const double p[3], double tolerance,
                     struct local_distance faces[3]) {
    int count = 0;
    for (int i = 0; i < 3; i++) {
        if (fabs(fabs(p[i]) - size[i]) <= tolerance) {
            faces[count++].gradient[i] = p[i] < 0.0 ? -1.0 : 1.0;
        }
    }
    return count;
}

static int cylinder_faces(const double *size, const double p[3], double tolerance,
                          struct local_distance faces[3]) {
    double radial[3], around[3];
    const double rho = radial_frame(p, radial, around);
    int count = 0;
    if (fabs(rho - size[0]) <= tolerance) {
        revolve(rho, radial, around, 1.0, 0.0, 0.0, &faces[count++]);
    }
    if (fabs(fabs(p[1]) - size[1]) <= tolerance) {
        revolve(rho, radial, around, 0.0, p[1] < 0.0 ? -1.0 : 1.0, 0.0, &faces[count++]);
    }
    return count;
}

int shape_faces(const struct shape *shape, const struct pose *pose, const double x[3],
                double tolerance, double gradients[3][3], double hessians[3][9]) {
    struct local_distance faces[3] = {{0.0, {0.0}, {0.0}}};
    double offset[3], p[3];
    subtract3(x, pose->translation, offset);
    multiply_transposed3(pose->rotation, offset, p);
    int count = 0;
    if (shape->kind == PBS_SHAPE_BOX) {
        count = box_faces(shape->size, p, tolerance, faces);
    } else if (shape->kind == PBS_SHAPE_CYLINDER) {
        count = cylinder_faces(shape->size, p, tolerance, faces);
    }
    if (count < 2) {
        shape_distance(shape, pose, x, gradients[0], hessians[0]);
        return 1;
    }
    const double side = shape->hollow ? -1.0 : 1.0;
    for (int i = 0; i < count; i++) {
        multiply3(pose->rotation, faces[i].gradient, gradients[i]);
        scale3(side, gradients[i], gradients[i]);
        rotate_hessian(pose->rotation, side, faces[i].hessian, hessians[i]);
    }
    return count;
}

// --- bounds and checks ---

// How far the solid reaches along world axis i from its origin; infinite for the half-space.
static double reach(const struct shape *shape, const double *row) {
    const double *size = shape->size;
    const double across = sqrt(fmax(0.0, 1.0 - row[1] * row[1]));
    switch (shape->kind) {
    case PBS_SHAPE_SPHERE: return size[0];
    case PBS_SHAPE_BOX:
        return fabs(row[0]) * size[0] + fabs(row[1]) * size[1] + fabs(row[2]) * size[2];
    case PBS_SHAPE_CAPSULE: return isinf(size[1]) ? INFINITY : fabs(row[1]) * size[1] + size[0];
    case PBS_SHAPE_CYLINDER:
        return isinf(size[1]) ? INFINITY : fabs(row[1]) * size[1] + across * size[0];
    case PBS_SHAPE_TORUS: return across * size[0] + size[1];
    default: return INFINITY;
    }
}

// A half-space whose normal is a world axis has one finite bound; any other has none.
static void bound_half_space(const struct pose *pose, double margin, double low[3],
                             double high[3]) {
    const double *r = pose->rotation;
    for (int i = 0; i < 3; i++) {
        const double n = r[3 * i + 1];
        const bool along = r[3 * ((i + 1) % 3) + 1] == 0.0 && r[3 * ((i + 2) % 3) + 1] == 0.0;
        if (along && n > 0.0) {
            high[i] = pose->translation[i] + margin / n;
        } else if (along && n < 0.0) {
            low[i] = pose->translation[i] + margin / n;
        }
    }
}

/// The samples' box holds what is solid, and outside distances grow as from its surface.
static void bound_grid(const struct shape *shape, const struct pose *pose, double margin,
                       double low[3], double high[3]) {
    const struct distance_grid *grid = shape->grid;
    const bool is_bounded = grid->is_hollow == shape->hollow;
    for (int i = 0; i < 3; i++) {
        const double *row = pose->rotation + 3 * i;
        double centre = pose->translation[i];
        double half = is_bounded ? margin : INFINITY;
        for (int k = 0; k < 3; k++) {
            const double extent = 0.5 * grid->cell * (double)(grid->counts[k] - 1);
            centre += row[k] * (grid->origin[k] + extent);
            half += fabs(row[k]) * extent;
        }
        low[i] = centre - half;
        high[i] = centre + half;
    }
}

void shape_bounds(const struct shape *shape, const struct pose *pose, double margin, double low[3],
                  double high[3]) {
    if (shape->kind == PBS_SHAPE_GRID) {
        bound_grid(shape, pose, fmax(margin, 0.0), low, high);
        return;
    }
    // The solid itself bounds its smaller offsets.
    const double wider = fmax(margin, 0.0);
    for (int i = 0; i < 3; i++) {
        const double half = shape->hollow ? INFINITY : reach(shape, pose->rotation + 3 * i) + wider;
        low[i] = pose->translation[i] - half;
        high[i] = pose->translation[i] + half;
    }
    if (shape->kind == PBS_SHAPE_HALF_SPACE && !shape->hollow) {
        bound_half_space(pose, wider, low, high);
    }
}

static pbs_status check_tube(const struct shape *shape) {
    // Beyond that the tube goes through itself at the axis, and what it bounds has another
    // distance.
    return shape->size[1] < shape->size[0]
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "torus: size[1], the radius of the tube, is %g m, must be less than "
                             "size[0], the radius of the ring, %g m",
                             shape->size[1], shape->size[0]);
}

pbs_status shape_check(const struct shape *shape) {
    static const struct {
        const char *name; ///< null: no analytic shape
        int size_count;
    } kinds[] = {[PBS_SHAPE_HALF_SPACE] = {"half-space", 0},
                 [PBS_SHAPE_SPHERE] = {"sphere", 1},
                 [PBS_SHAPE_BOX] = {"box", 3},
                 [PBS_SHAPE_CAPSULE] = {"capsule", 2},
                 [PBS_SHAPE_CYLINDER] = {"cylinder", 2},
                 [PBS_SHAPE_TORUS] = {"torus", 2}};
    const int32_t kind_count = (int32_t)(sizeof kinds / sizeof kinds[0]);
    if (shape->kind < 0 || shape->kind >= kind_count || kinds[shape->kind].name == NULL) {
        return status_fail(PBS_ERROR_ARGUMENT, "shape %d is unknown, must be from 0 to %d",
                           shape->kind, kind_count - 1);
    }
    for (int i = 0; i < kinds[shape->kind].size_count; i++) {
        if (!(shape->size[i] > 0.0) || isinf(shape->size[i])) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "%s: size[%d] is %g m, must be positive and finite",
                               kinds[shape->kind].name, i, shape->size[i]);
        }
        if (shape->size[i] > COORDINATE_LIMIT) {
            return status_fail(PBS_ERROR_ARGUMENT, "%s: size[%d] is %g m, must be at most %g",
                               kinds[shape->kind].name, i, shape->size[i], COORDINATE_LIMIT);
        }
    }
    return shape->kind == PBS_SHAPE_TORUS ? check_tube(shape) : PBS_OK;
}
