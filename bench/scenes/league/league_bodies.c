// Bodies of random worlds; see league_parts.h.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/meshes/shapes.h"
#include "scenes/league/league_parts.h"

static const double PI = 3.14159265358979323846;
static const double LEAST_SIZE = 1e-3, LARGEST_SIZE = 10.0; // m
// A solid that sags by more than half its height under its own weight is no body, but a puddle.
static const double SAG = 2.0; // weight per area over Young's modulus, at most

/// A body before it is created, around the origin.
struct draft {
    struct league_body *body;
    struct tet_mesh tets;
    struct surface_mesh surface;
    double density; ///< kg/m^3
    double offset;  ///< m, of contact outside the mesh
};

// --- shapes ---

/// Tetrahedra of about unit size.
static bool draw_tets(struct league *l, struct league_random *r, struct tet_mesh *out) {
    const bool small = l->options.small;
    const double coarse = small ? 0.5 : random_range(r, 0.22, 0.4);
    const size_t most = small ? 1 : 3;
    switch (random_index(r, small ? 2 : 5)) {
    case 0: {
        const size_t n = 1 + random_index(r, most);
        return shape_box_grid(n, n, n, 1.0, 1.0, 1.0, out);
    }
    case 1:
        return shape_box_grid(1 + random_index(r, 2 * most), 1 + random_index(r, most), 1, 1.0,
                              random_range(r, 0.2, 1.0), random_range(r, 0.1, 0.5), out);
    case 2: return shape_ball(0.5, coarse, out);
    case 3: return shape_cylinder(0.4, random_range(r, 0.3, 1.0), coarse, out);
    default: return shape_torus(0.36, 0.14, 0.14, out);
    }
}

/// A closed surface of about unit size.
static bool draw_surface(struct league *l, struct league_random *r, struct surface_mesh *out) {
    const size_t n = l->options.small ? 6 : 6 + random_index(r, 7);
    switch (random_index(r, 5)) {
    case 0: return surface_box(1.0, random_range(r, 0.1, 1.0), random_range(r, 0.2, 1.0), out);
    case 1: return surface_ball(0.5, n, out);
    case 2: return surface_capsule(random_range(r, 0.1, 0.3), 0.5, n, out);
    case 3: return surface_cylinder(random_range(r, 0.1, 0.5), 0.8, n, out);
    default: return surface_torus(0.36, 0.13, n, out);
    }
}

/// An open sheet, or a closed surface fine enough to bend.
static bool draw_shell(struct league *l, struct league_random *r, bool closed,
                       struct surface_mesh *out) {
    const size_t n = l->options.small ? 2 : 3 + random_index(r, 5);
    if (closed) {
        return surface_ball(0.5, l->options.small ? 6 : 7 + random_index(r, 4), out);
    }
    return random_chance(r, 0.8) ? surface_sheet(n, n, 1.0, random_range(r, 0.3, 1.0), out)
                                 : surface_disc(0.5, n, out);
}

static void centre(double *x, size_t count, double size) {
    double lower[3], upper[3];
    positions_bounds(x, count, lower, upper);
    positions_translate(x, count, -0.5 * (lower[0] + upper[0]), -0.5 * (lower[1] + upper[1]),
                        -0.5 * (lower[2] + upper[2]));
    positions_scale(x, count, size);
}

/// Scales, turns and places a mesh; notes its box.
static void place(struct league *l, struct league_random *r, struct draft *d, double *x,
                  size_t count) {
    struct league_body *const body = d->body;
    double move[3];
    centre(x, count, body->size);
    if (random_chance(r, 0.5)) {
        double axis[3];
        random_direction(r, axis);
        positions_rotate(x, count, axis, random_range(r, 0.0, PI));
    }
    positions_bounds(x, count, body->lower, body->upper);
    for (size_t k = 0; k < 3; k++) {
        body->lower[k] -= d->offset;
        body->upper[k] += d->offset;
    }
    league_find_place(l, r, body->lower, body->upper, move);
    positions_translate(x, count, move[0], move[1], move[2]);
    for (size_t k = 0; k < 3; k++) {
        body->lower[k] += move[k];
        body->upper[k] += move[k];
    }
}

// --- kinds ---

static void add_solid(struct league *l, struct league_random *r, struct draft *d) {
    static const int32_t materials[] = {PBS_MATERIAL_STABLE_NEO_HOOKEAN, PBS_MATERIAL_NEO_HOOKEAN,
                                        PBS_MATERIAL_FIXED_COROTATED};
    pbs_solid_desc s;
    if (!league_made(l, draw_tets(l, r, &d->tets))) {
        return;
    }
    place(l, r, d, d->tets.positions, d->tets.vertex_count);
    pbs_solid_desc_init(&s, sizeof s);
    if (random_chance(r, 0.5)) {
        s.material = materials[random_index(r, 3)];
    }
    s.vertex_count = d->tets.vertex_count;
    s.positions = d->tets.positions;
    s.tet_count = d->tets.tet_count;
    s.tets = d->tets.tets;
    s.density = d->density;
    s.young = d->body->young;
    d->body->closed = true;
    d->body->letter = 'S';
    league_note(l, pbs_body_create_solid(l->world, &s, &d->body->id));
}

static void add_shell(struct league *l, struct league_random *r, struct draft *d) {
    pbs_shell_desc s;
    const bool closed = random_chance(r, 0.35);
    pbs_shell_desc_init(&s, sizeof s);
    s.thickness = d->body->size * random_scale(r, 1e-3, 3e-2);
    d->offset = random_chance(r, 0.5) ? 0.5 * s.thickness : 0.0;
    if (!league_made(l, draw_shell(l, r, closed, &d->surface))) {
        return;
    }
    place(l, r, d, d->surface.positions, d->surface.vertex_count);
    s.vertex_count = d->surface.vertex_count;
    s.positions = d->surface.positions;
    s.triangle_count = d->surface.triangle_count;
    s.triangles = d->surface.triangles;
    s.density = d->density;
    s.young = d->body->young;
    d->body->closed = closed;
    d->body->letter = closed ? 'O' : 'H';
    league_note(l, pbs_body_create_shell(l->world, &s, &d->body->id));
}

static void add_affine(struct league *l, struct league_random *r, struct draft *d) {
    pbs_affine_desc a;
    if (!league_made(l, draw_surface(l, r, &d->surface))) {
        return;
    }
    place(l, r, d, d->surface.positions, d->surface.vertex_count);
    pbs_affine_desc_init(&a, sizeof a);
    a.vertex_count = d->surface.vertex_count;
    a.positions = d->surface.positions;
    a.triangle_count = d->surface.triangle_count;
    a.triangles = d->surface.triangles;
    a.density = d->density;
    d->body->young = a.stiffness;
    d->body->closed = true;
    d->body->letter = 'A';
    league_note(l, pbs_body_create_affine(l->world, &a, &d->body->id));
}

/// Lists each edge of the tetrahedra once. Null when memory ran out.
static uint32_t *edges_of(const struct tet_mesh *mesh, size_t *count) {
    static const uint8_t sides[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    uint32_t *const edges = malloc(12 * mesh->tet_count * sizeof *edges);
    *count = 0;
    for (size_t i = 0; edges != NULL && i < 6 * mesh->tet_count; i++) {
        const uint32_t a = mesh->tets[4 * (i / 6) + sides[i % 6][0]];
        const uint32_t b = mesh->tets[4 * (i / 6) + sides[i % 6][1]];
        bool known = false;
        for (size_t e = 0; e < *count && !known; e++) {
            known = (edges[2 * e] == a && edges[2 * e + 1] == b) ||
                    (edges[2 * e] == b && edges[2 * e + 1] == a);
        }
        if (!known) {
            edges[2 * *count] = a;
            edges[2 * (*count)++ + 1] = b;
        }
    }
    return edges;
}

static double edge_length(const double *x, const uint32_t edge[2]) {
    double square = 0.0;
    for (size_t k = 0; k < 3; k++) {
        const double side = x[3 * (size_t)edge[0] + k] - x[3 * (size_t)edge[1] + k];
        square += side * side;
    }
    return sqrt(square);
}

/// Particles at the corners of tetrahedra, a spring along each edge, for springs of the library or
/// of a host.
struct lattice {
    uint32_t *edges;
    double *masses, *lengths;
    size_t edge_count;
};

static bool draw_lattice(struct league *l, struct league_random *r, struct draft *d,
                         struct lattice *out) {
    const size_t n = l->options.small ? 1 : 1 + random_index(r, 2);
    *out = (struct lattice){0};
    if (!shape_box_grid(n, n, n, 1.0, 1.0, 1.0, &d->tets)) {
        return false;
    }
    const size_t count = d->tets.vertex_count;
    place(l, r, d, d->tets.positions, count);
    out->edges = edges_of(&d->tets, &out->edge_count);
    out->masses = malloc(count * sizeof *out->masses);
    out->lengths = malloc((out->edge_count + 1) * sizeof *out->lengths);
    if (out->edges == NULL || out->masses == NULL || out->lengths == NULL) {
        return false;
    }
    for (size_t v = 0; v < count; v++) {
        out->masses[v] = d->density * tet_mesh_volume(&d->tets) / (double)count;
    }
    for (size_t e = 0; e < out->edge_count; e++) {
        out->lengths[e] = edge_length(d->tets.positions, out->edges + 2 * e);
    }
    return true;
}

static void free_lattice(struct lattice *lattice) {
    free(lattice->edges);
    free(lattice->masses);
    free(lattice->lengths);
}

static void add_springs(struct league *l, struct league_random *r, struct draft *d) {
    struct lattice lattice;
    if (league_made(l, draw_lattice(l, r, d, &lattice))) {
        pbs_springs_desc s;
        pbs_springs_desc_init(&s, sizeof s);
        s.vertex_count = d->tets.vertex_count;
        s.positions = d->tets.positions;
        s.masses = lattice.masses;
        s.spring_count = lattice.edge_count;
        s.springs = lattice.edges;
        s.stiffness = 0.2 * d->body->young * d->body->size;
        league_note(l, pbs_body_create_springs(l->world, &s, &d->body->id));
    }
    d->body->letter = 'P';
    free_lattice(&lattice);
}

static void add_custom(struct league *l, struct league_random *r, struct draft *d) {
    struct lattice lattice;
    if (league_made(l, draw_lattice(l, r, d, &lattice))) {
        pbs_custom_desc c;
        pbs_custom_desc_init(&c, sizeof c);
        c.vertex_count = d->tets.vertex_count;
        c.positions = d->tets.positions;
        c.masses = lattice.masses;
        c.stencil_count = lattice.edge_count;
        c.stencils = lattice.edges;
        c.evaluate = league_spring_energy;
        c.user = &d->body->springs;
        c.tag = 1 + (uint64_t)(d->body - l->bodies);
        d->body->springs.stiffness = 0.2 * d->body->young * d->body->size;
        d->body->springs.rest_lengths = lattice.lengths;
        lattice.lengths = NULL;
        league_note(l, pbs_body_create_custom(l->world, &c, &d->body->id));
        league_note(l, pbs_world_register_callback(l->world, c.tag, c.evaluate, c.user));
    }
    d->body->letter = 'C';
    free_lattice(&lattice);
}

static void add_bonded(struct league *l, struct league_random *r, struct draft *d) {
    const size_t cells[3] = {1 + random_index(r, 2), 1 + random_index(r, 2), 1};
    pbs_bonded_desc b;
    if (!league_made(l, shape_box_lattice(cells, 1.0, 0.0, 1, &d->tets))) {
        return;
    }
    positions_scale(d->tets.positions, d->tets.vertex_count, 0.5);
    place(l, r, d, d->tets.positions, d->tets.vertex_count);
    pbs_bonded_desc_init(&b, sizeof b);
    b.vertex_count = d->tets.vertex_count;
    b.vertices = d->tets.positions;
    b.tet_count = d->tets.tet_count;
    b.tets = d->tets.tets;
    b.density = d->density;
    b.macro_young = d->body->young;
    b.macro_poisson = 0.2;
    if (random_chance(r, 0.3)) {
        b.tensile_strength = d->body->young * random_scale(r, 1e-3, 1e-1);
    }
    d->body->letter = 'B';
    league_note(l, pbs_body_create_bonded(l->world, &b, &d->body->id));
}

/// Particles of a cubic lattice; its box has half a spacing around them.
static void add_peridynamic(struct league *l, struct league_random *r, struct draft *d) {
    const size_t n = l->options.small ? 2 : 2 + random_index(r, 3);
    pbs_peridynamic_desc p;
    if (!league_made(l, shape_box_grid(n, n, n, 1.0, 1.0, 1.0, &d->tets))) {
        return;
    }
    pbs_peridynamic_desc_init(&p, sizeof p);
    p.spacing = d->body->size / (double)n;
    d->offset = 0.5 * p.spacing;
    place(l, r, d, d->tets.positions, d->tets.vertex_count);
    p.particle_count = d->tets.vertex_count;
    p.positions = d->tets.positions;
    p.density = d->density;
    p.young = d->body->young;
    if (random_chance(r, 0.3)) {
        p.critical_stretch = random_scale(r, 1e-3, 1e-1);
    }
    d->body->letter = 'D';
    league_note(l, pbs_body_create_peridynamic(l->world, &p, &d->body->id));
}

// --- bodies ---

typedef void (*add_fn)(struct league *l, struct league_random *r, struct draft *d);

/// Picks a kind by its weight; without barriers only what colliders act on.
static add_fn draw_kind(const struct league *l, struct league_random *r, int32_t *kind) {
    static const struct {
        double weight;
        add_fn add;
        int32_t kind;
    } rows[] = {
        {0.30, add_solid, PBS_BODY_SOLID},     {0.52, add_shell, PBS_BODY_SHELL},
        {0.60, add_springs, PBS_BODY_SPRINGS}, {0.65, add_custom, PBS_BODY_CUSTOM},
        {0.73, add_bonded, PBS_BODY_BONDED},   {0.79, add_peridynamic, PBS_BODY_PERIDYNAMIC},
        {1.01, add_affine, PBS_BODY_AFFINE}};
    const double draw = random_unit(r) * (l->contact == PBS_CONTACT_BARRIER ? 1.0 : 0.65);
    size_t i = 0;
    while (draw > rows[i].weight) {
        i++;
    }
    *kind = rows[i].kind;
    return rows[i].add;
}

static double draw_size(const struct league *l, struct league_random *r) {
    const double draw = random_unit(r);
    const double ratio = draw < 0.55 ? 3.0 : draw < 0.88 ? 30.0 : 1e3;
    const double size = l->size / random_scale(r, 1.0, ratio);
    return fmin(fmax(size, LEAST_SIZE), LARGEST_SIZE);
}

static void set_friction(struct league *l, struct league_random *r, const struct draft *d) {
    pbs_contact_desc contact;
    pbs_contact_desc_init(&contact, sizeof contact);
    contact.friction = random_chance(r, 0.2) ? 0.0 : random_unit(r);
    contact.offset = d->body->kind == PBS_BODY_SHELL ? d->offset : 0.0;
    league_note(l, pbs_body_set_contact(l->world, d->body->id, &contact));
}

/// Throws a body at up to 2 sqrt(g size), often slowly, or leaves it at rest.
static void set_motion(struct league *l, struct league_random *r, struct league_body *body) {
    double velocity[3], spin[3];
    const double fast = 2.0 * sqrt(LEAGUE_GRAVITY * body->size);
    const double speed = fast * pow(random_unit(r), 2.0);
    const double turning = speed / body->size * random_unit(r);
    random_direction(r, velocity);
    random_direction(r, spin);
    if (random_chance(r, 0.4)) {
        return;
    }
    for (size_t k = 0; k < 3; k++) {
        velocity[k] *= speed;
        spin[k] *= turning;
    }
    body->moves = true;
    league_note(l, pbs_body_set_motion(l->world, body->id, velocity, spin));
}

void league_add_body(struct league *l, struct league_random *r) {
    struct draft draft = {0};
    struct league_body *const body = l->bodies + l->body_count++;
    draft.body = body;
    const add_fn add = draw_kind(l, r, &body->kind);
    body->size = draw_size(l, r);
    draft.density = random_scale(r, 20.0, 2e4);
    body->young = fmax(random_scale(r, 1e3, 1e9),
                       draft.density * LEAGUE_GRAVITY * body->size / SAG);
    add(l, r, &draft);
    tet_mesh_free(&draft.tets);
    surface_mesh_free(&draft.surface);
    if (l->status < 0) {
        return;
    }
    set_friction(l, r, &draft);
    set_motion(l, r, body);
    pbs_motion motion = {.struct_size = sizeof motion};
    league_note(l, pbs_body_motion(l->world, body->id, &motion));
    body->mass = motion.mass;
}

// --- pins and pressure ---

/// Pins what lies in the upper tenth of its box.
static void pin_top(struct league *l, struct league_body *body) {
    uint32_t pins[4096];
    size_t count = 0;
    const size_t vertex_count = pbs_body_vertex_count(l->world, body->id);
    const double *const x = pbs_body_positions(l->world, body->id);
    const double height = body->upper[1] - 0.1 * (body->upper[1] - body->lower[1]) - 1e-9;
    for (size_t v = 0; v < vertex_count && count < 4096; v++) {
        if (x[3 * v + 1] >= height) {
            pins[count++] = (uint32_t)v;
        }
    }
    league_note(l, pbs_body_pin(l->world, body->id, pins, count, PBS_AXIS_ALL));
}

static void pin(struct league *l, struct league_body *body) {
    const double rest[3] = {0.0, 0.0, 0.0};
    league_note(l, pbs_body_set_motion(l->world, body->id, rest, rest));
    if (body->kind == PBS_BODY_AFFINE) {
        league_note(l, pbs_body_pin_all(l->world, body->id));
    } else {
        pin_top(l, body);
    }
    body->pinned = true;
    body->moves = false;
}

/// A gas, a constant pressure or a held volume. The pressure strains a sphere of the shell's
/// thickness by a few hundredths at most.
static void press(struct league *l, struct league_random *r, struct league_body *body) {
    pbs_pressure_desc p;
    double thickness = 0.0;
    pbs_pressure_desc_init(&p, sizeof p);
    p.kind = body->kind == PBS_BODY_SHELL ? (int32_t)random_index(r, 3) : PBS_PRESSURE_VOLUME;
    if (p.kind != PBS_PRESSURE_VOLUME) {
        pbs_body_parameter(l->world, body->id, PBS_PARAMETER_THICKNESS, &thickness, 1);
        const double strain = random_range(r, 0.0, 0.05);
        const double over = strain * 4.0 * thickness * body->young / body->size;
        p.outside = p.kind == PBS_PRESSURE_GAS ? 1e5 : 0.0;
        p.pressure = p.outside + over;
    }
    body->pressed = true;
    league_note(l, pbs_body_set_pressure(l->world, body->id, &p));
}

void league_constrain_body(struct league *l, struct league_random *r, size_t index, bool may_pin) {
    struct league_body *const body = l->bodies + index;
    const double draw = random_unit(r);
    if (l->status < 0) {
        return;
    }
    if ((body->letter == 'O' && draw < 0.7) || (body->letter == 'S' && draw < 0.08)) {
        press(l, r, body);
    } else if (may_pin && draw > 0.97) {
        pin(l, body);
    }
}

int32_t league_spring_energy(void *user, size_t stencil, const double *x, int32_t project,
                             double *value, double *gradient, double *hessian) {
    const struct league_springs *const springs = user;
    const double k = springs->stiffness, rest = springs->rest_lengths[stencil];
    const double d[3] = {x[0] - x[3], x[1] - x[4], x[2] - x[5]};
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (!(length > 1e-6 * rest)) {
        return 1;
    }
    if (value != NULL) {
        *value = 0.5 * k * (length - rest) * (length - rest);
    }
    for (size_t i = 0; gradient != NULL && i < 6; i++) {
        gradient[i] = (i < 3 ? k : -k) * (length - rest) * d[i % 3] / length;
    }
    double across = 1.0 - rest / length;
    if (project != 0 && across < 0.0) {
        across = 0.0;
    }
    for (size_t i = 0; hessian != NULL && i < 36; i++) {
        const size_t row = i / 6, column = i % 6;
        const double along = d[row % 3] * d[column % 3] / (length * length);
        const double same = row % 3 == column % 3 ? 1.0 : 0.0;
        const double block = k * (along + across * (same - along));
        hessian[i] = row / 3 == column / 3 ? block : -block;
    }
    return 0;
}
