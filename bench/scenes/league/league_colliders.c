// Colliders of random worlds, and places for what is above them; see league_parts.h.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/meshes/shapes.h"
#include "scenes/league/league_parts.h"

static const double PI = 3.14159265358979323846;

// --- places ---

/// Raises *top to the top of a box that is below or above the square `lower` to `upper`.
static void raise(const double box_lower[3], const double box_upper[3], const double lower[3],
                  const double upper[3], double *top) {
    if (box_lower[0] <= upper[0] && box_upper[0] >= lower[0] && box_lower[2] <= upper[2] &&
        box_upper[2] >= lower[2]) {
        *top = fmax(*top, box_upper[1]);
    }
}

/// A gap: below the contact distance, just above it, or some part of the size.
static double draw_gap(const struct league *l, struct league_random *r, double size) {
    const double reach = fmin(5e-3 * size, l->distance > 0.0 ? l->distance : 5e-3 * size);
    const double draw = random_unit(r);
    return draw < 0.3   ? reach * random_scale(r, 1e-2, 0.9)
           : draw < 0.6 ? reach * random_range(r, 1.0, 3.0)
                        : size * random_range(r, 0.02, 0.6);
}

void league_find_place(struct league *l, struct league_random *r, double lower[3], double upper[3],
                       double move[3]) {
    const double domain = 0.6 * l->size * sqrt((double)(1 + l->body_count));
    double low[3], high[3], top = 0.0;
    move[0] = random_range(r, -domain, domain);
    move[2] = random_range(r, -domain, domain);
    for (size_t k = 0; k < 3; k++) {
        low[k] = lower[k] + (k == 1 ? 0.0 : move[k]);
        high[k] = upper[k] + (k == 1 ? 0.0 : move[k]);
    }
    // The last body is the one that is being placed.
    for (size_t b = 0; b + 1 < l->body_count; b++) {
        raise(l->bodies[b].lower, l->bodies[b].upper, low, high, &top);
    }
    for (size_t c = 0; c < l->collider_count; c++) {
        raise(l->colliders[c].lower, l->colliders[c].upper, low, high, &top);
    }
    const double extent = fmax(fmax(upper[0] - lower[0], upper[1] - lower[1]), upper[2] - lower[2]);
    move[1] = top + draw_gap(l, r, extent) - lower[1];
}

// --- colliders ---

static struct league_collider *append(struct league *l, pbs_collider_desc *d) {
    struct league_collider *const c = l->colliders + l->collider_count;
    l->collider_count++;
    c->shape = d->shape;
    memcpy(c->place, d->position, sizeof c->place);
    memcpy(c->orientation, d->orientation, sizeof c->orientation);
    if (d->shape == PBS_SHAPE_MESH) {
        d->vertex_count = c->surface.vertex_count;
        d->vertices = c->surface.positions;
        d->triangle_count = c->surface.triangle_count;
        d->triangles = c->surface.triangles;
    }
    league_note(l, pbs_collider_create(l->world, d, &c->id));
    return c;
}

static void set_box(struct league_collider *c, const double centre[3], const double half[3]) {
    for (size_t k = 0; k < 3; k++) {
        c->lower[k] = centre[k] - half[k];
        c->upper[k] = centre[k] + half[k];
    }
}

/// A sheet whose vertices lie up to a twentieth of its mean cell below y = 0.
static bool bumpy_sheet(struct league_random *r, double side, struct surface_mesh *out) {
    const size_t n = 6;
    if (!surface_sheet(n, n, side, side, out)) {
        return false;
    }
    for (size_t v = 0; v < out->vertex_count; v++) {
        double *const x = out->positions + 3 * v;
        x[1] = -random_unit(r) * 0.05 * side / (double)n;
    }
    double lower[3], upper[3];
    positions_bounds(out->positions, out->vertex_count, lower, upper);
    positions_translate(out->positions, out->vertex_count, -0.5 * (lower[0] + upper[0]), 0.0,
                        -0.5 * (lower[2] + upper[2]));
    return true;
}

void league_add_floor(struct league *l, struct league_random *r) {
    const double draw = random_unit(r), side = 12.0 * l->size;
    pbs_collider_desc d;
    pbs_collider_desc_init(&d, sizeof d);
    d.friction = random_chance(r, 0.2) ? 0.0 : random_unit(r);
    if (draw > 0.93 || l->status < 0) {
        return;
    }
    if (l->contact != PBS_CONTACT_BARRIER || draw < 0.6) {
        append(l, &d);
    } else if (draw < 0.77) {
        d.shape = PBS_SHAPE_BOX;
        d.size[0] = d.size[2] = 0.5 * side;
        d.size[1] = d.position[1] = 0.5 * l->size;
        d.position[1] = -d.size[1];
        append(l, &d);
    } else {
        struct surface_mesh *const surface = &l->colliders[l->collider_count].surface;
        d.shape = PBS_SHAPE_MESH;
        if (league_made(l, bumpy_sheet(r, side, surface))) {
            append(l, &d);
        }
    }
    for (size_t k = 0; k < 3 && l->collider_count > 0; k++) {
        l->colliders[0].lower[k] = k == 1 ? -side : -0.5 * side;
        l->colliders[0].upper[k] = k == 1 ? 0.0 : 0.5 * side;
    }
}

/// Sizes of an analytic shape of that extent; returns the half sides of a box around it.
static void draw_shape(struct league_random *r, pbs_collider_desc *d, double extent,
                       double half[3]) {
    const double a = 0.5 * extent, b = a * random_range(r, 0.3, 1.0);
    switch (d->shape) {
    case PBS_SHAPE_SPHERE:
        d->size[0] = a;
        half[0] = half[1] = half[2] = a;
        break;
    case PBS_SHAPE_BOX:
        for (size_t k = 0; k < 3; k++) {
            half[k] = d->size[k] = k == 0 ? a : a * random_range(r, 0.2, 1.0);
        }
        break;
    default:
        d->size[0] = 0.5 * b;
        d->size[1] = a;
        half[0] = half[2] = 0.5 * b;
        half[1] = a + (d->shape == PBS_SHAPE_CAPSULE ? 0.5 * b : 0.0);
    }
}

/// Turns a description about a random axis; the box around it becomes one around its sphere.
static void turn(struct league_random *r, pbs_collider_desc *d, double half[3]) {
    const double angle = random_range(r, 0.0, PI);
    const double round = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    random_direction(r, d->orientation);
    for (size_t k = 0; k < 3; k++) {
        d->orientation[k] *= sin(0.5 * angle);
        half[k] = round;
    }
    d->orientation[3] = cos(0.5 * angle);
}

/// A surface around the origin of that extent.
static bool draw_mesh(struct league_random *r, double extent, struct surface_mesh *out) {
    const bool made = random_chance(r, 0.5) ? surface_torus(0.36, 0.13, 10, out)
                                            : surface_capsule(0.3, 0.4, 8, out);
    if (made) {
        positions_scale(out->positions, out->vertex_count, extent);
    }
    return made;
}

/// A grid of distances of such a surface; its samples are the caller's, to be freed. Null: failed.
static float *draw_grid(struct league *l, const struct surface_mesh *surface,
                        pbs_collider_desc *d) {
    pbs_grid_desc g;
    pbs_grid_desc_init(&g, sizeof g);
    pbs_grid grid = {.struct_size = sizeof grid};
    g.vertex_count = surface->vertex_count;
    g.vertices = surface->positions;
    g.triangle_count = surface->triangle_count;
    g.triangles = surface->triangles;
    g.resolution = 16;
    if (!league_note(l, pbs_grid_from_mesh(&g, NULL, 0, &grid))) {
        return NULL;
    }
    float *const samples = malloc(grid.sample_count * sizeof *samples);
    if (samples == NULL) {
        league_made(l, false);
        return NULL;
    }
    league_note(l, pbs_grid_from_mesh(&g, samples, grid.sample_count, &grid));
    d->shape = PBS_SHAPE_GRID;
    d->collision = PBS_COLLISION_PENALTY;
    d->grid_cell = grid.cell;
    d->grid_samples = samples;
    memcpy(d->grid_origin, grid.origin, sizeof d->grid_origin);
    memcpy(d->grid_counts, grid.counts, sizeof d->grid_counts);
    return samples;
}

/// Moves to and fro in the plane, or turns about y, no faster than a fall from its size, and no
/// farther in a step than vertices on chords may.
static void script(struct league *l, struct league_random *r, struct league_collider *c,
                   double extent) {
    const double angle = random_range(r, 0.0, 2.0 * PI);
    const double reach = extent * random_range(r, 0.05, 0.3);
    const double speed = sqrt(LEAGUE_GRAVITY * extent) * random_unit(r);
    c->scripted = true;
    c->travel[0] = reach * cos(angle);
    c->travel[2] = reach * sin(angle);
    c->rate = fmin(speed / reach, 0.5 / l->step);
    if (random_chance(r, 0.4)) {
        c->turn = fmin(2.0 * speed / extent, 0.25 / l->step);
    }
}

void league_add_collider(struct league *l, struct league_random *r) {
    static const int32_t shapes[] = {PBS_SHAPE_SPHERE, PBS_SHAPE_BOX, PBS_SHAPE_CAPSULE,
                                     PBS_SHAPE_CYLINDER, PBS_SHAPE_MESH};
    const double extent = l->size * random_range(r, 0.3, 1.5);
    double half[3] = {0.5 * extent, 0.5 * extent, 0.5 * extent}, move[3];
    struct surface_mesh surface = {0};
    float *samples = NULL;
    pbs_collider_desc d;
    pbs_collider_desc_init(&d, sizeof d);
    d.friction = random_unit(r);
    d.shape = shapes[random_index(r, 5)];
    if (l->status < 0 || l->collider_count == LEAGUE_COLLIDERS) {
        return;
    }
    if (d.shape == PBS_SHAPE_MESH) {
        if (!league_made(l, draw_mesh(r, extent, &surface))) {
            return;
        }
        samples = l->contact == PBS_CONTACT_BARRIER ? NULL : draw_grid(l, &surface, &d);
    } else {
        draw_shape(r, &d, extent, half);
    }
    if (random_chance(r, 0.5)) {
        turn(r, &d, half);
    }
    league_find_place(l, r, (double[]){-half[0], -half[1], -half[2]}, half, move);
    memcpy(d.position, move, sizeof d.position);
    l->colliders[l->collider_count].surface = surface;
    struct league_collider *const c = append(l, &d);
    set_box(c, move, half);
    if (random_chance(r, 0.35) && d.shape != PBS_SHAPE_GRID) {
        script(l, r, c, extent);
    }
    free(samples);
}
