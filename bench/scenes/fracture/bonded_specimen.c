// Creates and loads the specimens; see bonded_specimen.h.
// SPDX-License-Identifier: MIT
#include "scenes/fracture/bonded_specimen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "base/matrix3/quaternion.h"

/// Step size, s. The longest vibration period of these bodies is below a millisecond.
static const double STEP = 0.05;

static double distance(const double a[3], const double b[3]) {
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return norm3(d);
}

static pbs_status make_world(pbs_world **out) {
    pbs_world_desc d;
    pbs_status status = pbs_world_desc_init(&d, sizeof d);
    if (status == PBS_OK) {
        memset(d.gravity, 0, sizeof d.gravity);
        d.threads = 1;
        d.contact = PBS_CONTACT_PROJECTION;
        // Loads are at least 100 N. The default tolerance would be relative to the stiffness, 1e8
        // N.
        d.tolerance = 1e-3;
        status = pbs_world_create(&d, out);
    }
    return status;
}

static bool make_body(const struct specimen_material *m, const struct tet_mesh *mesh, uint64_t seed,
                      struct specimen *s) {
    pbs_bonded_desc d;
    if (make_world(&s->world) != PBS_OK || pbs_bonded_desc_init(&d, sizeof d) != PBS_OK) {
        return false;
    }
    d.vertex_count = mesh->vertex_count;
    d.vertices = mesh->positions;
    d.tet_count = mesh->tet_count;
    d.tets = mesh->tets;
    d.density = m->density;
    d.macro_young = m->young;
    d.macro_poisson = m->poisson;
    d.tensile_strength = m->tensile_strength;
    d.shear_strength = m->shear_strength;
    d.fracture_energy = m->fracture_energy;
    d.weibull_modulus = m->weibull_modulus;
    d.seed = seed;
    s->count = mesh->tet_count;
    s->rest = malloc(3 * s->count * sizeof *s->rest);
    s->volumes = malloc(s->count * sizeof *s->volumes);
    s->pushed = malloc(s->count * sizeof *s->pushed);
    s->targets = malloc(3 * s->count * sizeof *s->targets);
    if (s->rest == NULL || s->volumes == NULL || s->pushed == NULL || s->targets == NULL ||
        pbs_body_create_bonded(s->world, &d, &s->body) < 0) {
        return false;
    }
    memcpy(s->rest, pbs_body_positions(s->world, s->body), 3 * s->count * sizeof *s->rest);
    for (size_t i = 0; i < s->count; i++) {
        s->volumes[i] = tet_volume(mesh, i);
    }
    return true;
}

/// Returns the particle of a list that is closest to a point.
static uint32_t closest(const struct specimen *s, const uint32_t *list, size_t count,
                        const double point[3]) {
    uint32_t best = list[0];
    for (size_t i = 1; i < count; i++) {
        if (distance(s->rest + 3 * (size_t)list[i], point) <
            distance(s->rest + 3 * (size_t)best, point)) {
            best = list[i];
        }
    }
    return best;
}

/// Selects the particles of a surface layer normal to one axis, within a range of x along another
/// axis.
struct strip {
    int across;
    double low, high;
    int along;
    double x, half_width;
};

static size_t select_strip(const struct specimen *s, const struct strip *strip, uint32_t *list) {
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        const double *p = s->rest + 3 * i;
        if (p[strip->across] >= strip->low && p[strip->across] <= strip->high &&
            fabs(p[strip->along] - strip->x) <= strip->half_width) {
            list[count++] = (uint32_t)i;
        }
    }
    return count;
}

static bool pin(struct specimen *s, const uint32_t *list, size_t count, uint32_t axes) {
    return count > 0 && pbs_body_pin(s->world, s->body, list, count, axes) == PBS_OK;
}

/// Makes the particles of a strip the pushed ones. The one closest to `middle` is also fixed along
/// the other axes.
static bool load_strip(struct specimen *s, const struct strip *strip, const double middle[3]) {
    s->axis = strip->across;
    s->pushed_count = select_strip(s, strip, s->pushed);
    if (!pin(s, s->pushed, s->pushed_count, 1u << s->axis)) {
        return false;
    }
    const uint32_t centre = closest(s, s->pushed, s->pushed_count, middle);
    return pin(s, &centre, 1, PBS_AXIS_ALL);
}

/// Fixes the particles of a strip normal to the surface, and the one closest to `middle` also along
/// `axes`.
static bool support_strip(struct specimen *s, const struct strip *strip, const double middle[3],
                          uint32_t axes) {
    uint32_t *list = malloc(s->count * sizeof *list);
    if (list == NULL) {
        return false;
    }
    const size_t count = select_strip(s, strip, list);
    bool ok = pin(s, list, count, 1u << strip->across);
    if (ok) {
        const uint32_t centre = closest(s, list, count, middle);
        ok = pin(s, &centre, 1, axes);
    }
    free(list);
    return ok;
}

static bool cut_notch(struct specimen *s, double x, double depth, double width) {
    const double low = -0.1 * depth;
    const double corners[18] = {x, low, -width, x, depth, -width,      x, depth, 2.0 * width,
                                x, low, -width, x, depth, 2.0 * width, x, low,   2.0 * width};
    size_t cut = 0;
    return pbs_body_cut_triangles(s->world, s->body, corners, 2, &cut) == PBS_OK && cut > 0;
}

bool specimen_beam(const struct specimen_material *m, double scale, double cell, uint64_t seed,
                   bool notch, struct specimen *out) {
    const double size[3] = {0.175 * scale, 0.05 * scale, 0.05 * scale};
    struct tet_mesh mesh;
    size_t cells[3];
    *out = (struct specimen){.cell = cell, .scale = scale, .thickness = size[2]};
    for (int k = 0; k < 3; k++) {
        cells[k] = (size_t)(size[k] / cell + 0.5);
    }
    if (!shape_box_lattice(cells, cell, 0.1, seed, &mesh)) {
        return false;
    }
    bool ok = make_body(m, &mesh, seed, out);
    tet_mesh_free(&mesh);
    // Loads and supports are lines; a strip has the smallest possible width, one cell.
    const double mid = 0.5 * size[0];
    const double left = 0.025 * scale;
    const double layer = 0.2 * cell;
    const struct strip top = {1, size[1] - layer, size[1], 0, mid, 0.5 * cell};
    const struct strip first = {1, 0.0, layer, 0, left, 0.5 * cell};
    const struct strip second = {1, 0.0, layer, 0, size[0] - left, 0.5 * cell};
    const double above[3] = {mid, size[1], 0.5 * size[2]};
    const double below[3] = {left, 0.0, 0.5 * size[2]};
    ok = ok && load_strip(out, &top, above) && support_strip(out, &first, below, PBS_AXIS_Z) &&
         support_strip(out, &second, below, PBS_AXIS_Y) &&
         (!notch || cut_notch(out, mid, 0.5 * size[1], size[2]));
    if (!ok) {
        specimen_free(out);
    }
    return ok;
}

/// One particle at each platen is also fixed along both other axes.
bool specimen_disc(const struct specimen_material *m, double cell, uint64_t seed, double turn,
                   struct specimen *out) {
    const double radius = 0.025;
    struct tet_mesh mesh;
    *out = (struct specimen){.cell = cell, .scale = 1.0, .thickness = 0.015};
    if (!shape_cylinder(radius, out->thickness, cell, &mesh)) {
        return false;
    }
    const double up[3] = {0.0, 1.0, 0.0};
    positions_rotate(mesh.positions, mesh.vertex_count, up, turn);
    bool ok = tet_mesh_jitter(&mesh, 0.1, seed) && make_body(m, &mesh, seed, out);
    tet_mesh_free(&mesh);
    const double layer = 0.3 * cell;
    const double half_width = 0.1 * radius;
    const struct strip top = {0, radius - layer, radius, 2, 0.0, half_width};
    const struct strip bottom = {0, -radius, layer - radius, 2, 0.0, half_width};
    const double above[3] = {radius, 0.0, 0.0};
    const double below[3] = {-radius, 0.0, 0.0};
    ok = ok && load_strip(out, &top, above) && support_strip(out, &bottom, below, PBS_AXIS_ALL);
    if (!ok) {
        specimen_free(out);
    }
    return ok;
}

void specimen_free(struct specimen *s) {
    pbs_world_destroy(s->world);
    free(s->rest);
    free(s->volumes);
    free(s->pushed);
    free(s->targets);
    *s = (struct specimen){0};
}

static pbs_status read_broken(struct specimen *s) {
    size_t count = 0;
    s->released = 0.0;
    pbs_status status = pbs_world_broken_bonds(s->world, NULL, sizeof(pbs_broken_bond), &count);
    s->broke = count;
    if (status != PBS_OK || count == 0) {
        return status;
    }
    pbs_broken_bond *list = malloc(count * sizeof *list);
    if (list == NULL) {
        return PBS_ERROR_MEMORY;
    }
    status = pbs_world_broken_bonds(s->world, list, sizeof *list, &count);
    for (size_t i = 0; i < count; i++) {
        s->released += list[i].energy;
    }
    free(list);
    return status;
}

pbs_status specimen_push(struct specimen *s, double push) {
    for (size_t i = 0; i < s->pushed_count; i++) {
        memcpy(s->targets + 3 * i, s->rest + 3 * (size_t)s->pushed[i], 3 * sizeof *s->targets);
        s->targets[3 * i + (size_t)s->axis] -= push;
    }
    pbs_status status = pbs_body_set_targets(s->world, s->body, s->pushed, s->pushed_count,
                                             s->targets);
    status = status == PBS_OK ? pbs_world_step(s->world, STEP) : status;
    status = status == PBS_OK ? read_broken(s) : status;
    pbs_energy energy = {.struct_size = sizeof energy};
    status = status == PBS_OK ? pbs_world_energy(s->world, &energy) : status;
    if (status == PBS_OK) {
        s->push = push;
        s->load = push != 0.0 ? 2.0 * (energy.elastic + s->released) / push : 0.0;
    }
    return status;
}

pbs_status specimen_utilisation(const struct specimen *s, double *out) {
    const double *tensile = pbs_body_tensile_strengths(s->world, s->body);
    const double *shear = pbs_body_shear_strengths(s->world, s->body);
    const uint8_t *broken = pbs_body_broken(s->world, s->body);
    const uint32_t *pairs = NULL;
    size_t bonds = 0;
    pbs_status status = pbs_body_bonds(s->world, s->body, &pairs, &bonds);
    pbs_bond_load *loads = malloc((bonds + 1) * sizeof *loads);
    if (loads == NULL || status != PBS_OK) {
        free(loads);
        return loads == NULL ? PBS_ERROR_MEMORY : status;
    }
    status = pbs_body_bond_loads(s->world, s->body, loads, sizeof *loads, &bonds);
    *out = 0.0;
    for (size_t k = 0; status == PBS_OK && k < bonds; k++) {
        if (broken[k] == 0) {
            *out = fmax(
                *out, fmax(loads[k].normal_stress / tensile[k], loads[k].shear_stress / shear[k]));
        }
    }
    free(loads);
    return status;
}

/// Returns the displacement along x at a point of the lower face, from a least-squares fit u = c0 +
/// c1 dx + c2 y to the particles on its side of the notch.
static double gauge(const struct specimen *s, double x) {
    const double *now = pbs_body_positions(s->world, s->body);
    const double mid = 0.0875 * s->scale;
    double a[9] = {0.0}, b[3] = {0.0}, inverse[9] = {0.0}, c[3];
    for (size_t i = 0; i < s->count; i++) {
        const double *p = s->rest + 3 * i;
        const double row[3] = {1.0, (p[0] - x) / s->cell, p[1] / s->cell};
        if ((p[0] > mid) == (x > mid) && fabs(row[1]) < 1.0 && row[2] < 1.0) {
            for (int j = 0; j < 3; j++) {
                for (int k = 0; k < 3; k++) {
                    a[3 * j + k] += row[j] * row[k];
                }
                b[j] += row[j] * (now[3 * i] - p[0]);
            }
        }
    }
    invert33(a, inverse);
    multiply3(inverse, b, c);
    return c[0];
}

double specimen_opening(const struct specimen *s) {
    return gauge(s, 0.0975 * s->scale) - gauge(s, 0.0775 * s->scale);
}

enum { INTERVALS = 1000 };
static const double SPAN = 0.125, DEPTH = 0.05, WIDTH = 0.05;

/// Returns K / (sigma sqrt(depth)) of a crack of relative depth a, with sigma = 3 P S / (2 B D^2).
static double stress_intensity(double a) {
    const double b = 1.0 - a;
    const double four = 1.9 - a * (-0.089 + 0.603 * b - 0.441 * b * b + 1.223 * b * b * b);
    const double far = 1.989 - a * b * (0.448 - 0.458 * b + 1.226 * b * b);
    const double shape = far + 4.0 * DEPTH / SPAN * (four - far);
    return sqrt(a) / (pow(b, 1.5) * (1.0 + 2.0 * a)) * shape;
}

/// Returns sigma over the load.
static double nominal_stress(void) {
    return 1.5 * SPAN / (WIDTH * DEPTH * DEPTH);
}

double specimen_exact_opening(double young) {
    const double a = 0.5;
    const double shape = 0.8 - 1.7 * a + 2.4 * a * a + 0.66 / ((1.0 - a) * (1.0 - a)) +
                         4.0 * DEPTH / SPAN * (-0.04 - 0.58 * a + 1.47 * a * a - 2.04 * a * a * a);
    return 4.0 * nominal_stress() * a * DEPTH / young * shape;
}

double specimen_timoshenko_compliance(const struct specimen_material *m) {
    const double inertia = WIDTH * DEPTH * DEPTH * DEPTH / 12.0;
    const double shear_modulus = m->young / (2.0 * (1.0 + m->poisson));
    return SPAN * SPAN * SPAN / (48.0 * m->young * inertia) +
           SPAN / (4.0 * 5.0 / 6.0 * shear_modulus * WIDTH * DEPTH);
}

double specimen_exact_crack_compliance(double young, double notch) {
    double sum = 0.0;
    for (int i = 0; i < INTERVALS; i++) {
        const double k = stress_intensity(notch / DEPTH * (i + 0.5) / INTERVALS) * nominal_stress();
        sum += k * k * DEPTH * notch / INTERVALS;
    }
    return 2.0 * WIDTH / young * sum;
}

/// Computes the force of a bond on its first particle, with components along the bond and across it
/// (docs/theory/bonds.md section 1.2), and the vector to the second particle.
static void bond_force(const struct specimen *s, const uint32_t pair[2], const pbs_bond_load *load,
                       double way[3], double force[3]) {
    const double *now = pbs_body_positions(s->world, s->body);
    const double *q = pbs_body_orientations(s->world, s->body);
    const size_t i = pair[0];
    const size_t j = pair[1];
    double mean[4], turn[9], rest[3], carried[3], across[3], e[3];
    double square = 0.0;
    for (size_t k = 0; k < 4; k++) {
        mean[k] = q[4 * i + k] + q[4 * j + k];
        square += mean[k] * mean[k];
    }
    for (int k = 0; k < 4; k++) {
        mean[k] /= sqrt(square);
    }
    rotation_of(mean, turn);
    subtract3(s->rest + 3 * j, s->rest + 3 * i, rest);
    multiply3(turn, rest, carried);
    subtract3(now + 3 * j, now + 3 * i, way);
    scale3(1.0 / norm3(way), way, e);
    add_scaled3(carried, -dot3(carried, e), e, across);
    const double length = norm3(across);
    scale3(load->normal, e, force);
    if (length > 0.0) {
        add_scaled3(force, -load->shear / length, across, force);
    }
}

/// Returns the mean of the weight (1 - d^2 / radius^2)^2 between two particles, by four-point Gauss
/// quadrature; d is the distance to the line in the rest state.
static double mean_weight(const struct specimen *s, const uint32_t pair[2], const double point[3],
                          int axis, double radius) {
    static const double places[4] = {0.069431844202973712, 0.33000947820757187, 0.66999052179242813,
                                     0.93056815579702629};
    static const double weights[4] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                      0.17392742256872693};
    double d[3], way[3];
    double sum = 0.0;
    subtract3(s->rest + 3 * (size_t)pair[0], point, d);
    subtract3(s->rest + 3 * (size_t)pair[1], s->rest + 3 * (size_t)pair[0], way);
    d[axis] = 0.0;
    way[axis] = 0.0;
    for (int k = 0; k < 4; k++) {
        double at[3];
        add_scaled3(d, places[k], way, at);
        const double left = 1.0 - dot3(at, at) / (radius * radius);
        sum += left > 0.0 ? weights[k] * left * left : 0.0;
    }
    return sum;
}

pbs_status specimen_stress(const struct specimen *s, const double point[3], int axis, double radius,
                           double stress[9]) {
    const uint32_t *pairs = NULL;
    size_t bonds = 0;
    pbs_status status = pbs_body_bonds(s->world, s->body, &pairs, &bonds);
    pbs_bond_load *loads = malloc((bonds + 1) * sizeof *loads);
    if (loads == NULL || status != PBS_OK) {
        free(loads);
        return loads == NULL ? PBS_ERROR_MEMORY : status;
    }
    status = pbs_body_bond_loads(s->world, s->body, loads, sizeof *loads, &bonds);
    // Integral of the weight.
    const double volume = acos(-1.0) / 3.0 * radius * radius * s->thickness;
    memset(stress, 0, 9 * sizeof *stress);
    for (size_t k = 0; status == PBS_OK && k < bonds; k++) {
        const double weight = mean_weight(s, pairs + 2 * k, point, axis, radius);
        if (weight > 0.0) {
            double way[3], force[3];
            bond_force(s, pairs + 2 * k, &loads[k], way, force);
            for (int j = 0; j < 9; j++) {
                stress[j] += weight * way[j / 3] * force[j % 3] / volume;
            }
        }
    }
    free(loads);
    return status;
}
