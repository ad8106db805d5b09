// Wind on the triangles of single bodies: what hosts set and read, the terms of it, and how it is
// saved.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/matrix3/math3.h"
#include "base/runtime/arithmetic.h"
#include "energy/wind/wind.h"
#include "world/features/feature.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/objects/body_table.h"
#include "world/objects/vertices.h"
#include "world/world.h"

// m/s, and for the density and the coefficients: next to areas their products stay finite.
static const double LIMIT = 1e10;

static pbs_status check_wind(const struct body *body, const pbs_wind_desc *d) {
    const double numbers[6] = {d->velocity[0], d->velocity[1],        d->velocity[2],
                               d->density,     d->normal_coefficient, d->tangential_coefficient};
    static const char *const names[6] = {"velocity",           "velocity",
                                         "velocity",           "density",
                                         "normal_coefficient", "tangential_coefficient"};
    if (body->table != &body_table_shell && body->table != &body_table_solid &&
        body->table != &body_table_affine) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "the body is no shell, solid or affine body, only these have wind");
    }
    RETURN_IF_FAILED(check_choice(d->sides, PBS_WIND_SIDES_OF_BODY, PBS_WIND_SIDES_OUTER, "sides"));
    for (int i = 0; i < 6; i++) {
        const double least = i < 3 ? -LIMIT : 0.0;
        if (!(numbers[i] >= least && numbers[i] <= LIMIT)) {
            return status_fail(PBS_ERROR_ARGUMENT, "%s is %g, must be between %g and %g", names[i],
                               numbers[i], least, LIMIT);
        }
    }
    return PBS_OK;
}

// --- the wind on one body ---

static bool meets_both_sides(const struct body *body) {
    return body->wind.sides == PBS_WIND_SIDES_OF_BODY ? body->table == &body_table_shell
                                                      : body->wind.sides == PBS_WIND_SIDES_BOTH;
}

static struct wind_law law_of(const struct body *body) {
    const pbs_wind_desc *d = &body->wind;
    const bool both = meets_both_sides(body);
    struct wind_law law = {.normal = 0.5 * d->density * d->normal_coefficient,
                           .tangential = 0.5 * d->density * d->tangential_coefficient *
                                         (both ? 2.0 : 1.0),
                           .is_one_sided = !both};
    copy3(d->velocity, law.velocity);
    return law;
}

/// The area vector, and the velocity of the centre.
static void find_triangle(const double *x, const double *v, const uint32_t *corners, double area[3],
                          double velocity[3]) {
    double first[3], second[3];
    const double *origin = x + 3 * (size_t)corners[0];
    subtract3(x + 3 * (size_t)corners[1], origin, first);
    subtract3(x + 3 * (size_t)corners[2], origin, second);
    cross3(first, second, area);
    scale3(0.5, area, area);
    add3(v + 3 * (size_t)corners[0], v + 3 * (size_t)corners[1], velocity);
    add3(velocity, v + 3 * (size_t)corners[2], velocity);
    scale3(1.0 / 3.0, velocity, velocity);
}

/// Computes what the wind exerts on the body at its present state, N. vertex_forces: null, or
/// vertex_count x 3, to which `factor` times each vertex's part is added.
static void measure_force(const struct nodes *nodes, const struct body *body, double factor,
                          double *vertex_forces, double force[3]) {
    const struct wind_law law = law_of(body);
    const double *x = vertices_positions(nodes, body), *v = vertices_velocities(nodes, body);
    force[0] = force[1] = force[2] = 0.0;
    for (size_t t = 0; t < body->triangle_count; t++) {
        const uint32_t *corners = body->triangles + 3 * t;
        double area[3], relative[3], own[3];
        find_triangle(x, v, corners, area, relative);
        subtract3(law.velocity, relative, relative);
        wind_law_force(&law, area, relative, own, NULL);
        add3(force, own, force);
        for (size_t a = 0; a < 3 && vertex_forces != NULL; a++) {
            double *to = vertex_forces + 3 * (size_t)corners[a];
            add_scaled3(to, factor / 3.0, own, to);
        }
    }
}

// --- terms ---

// Corners of shells and solids are nodes, those of affine bodies sums of four.

/// What wind_create copies, while it is gathered.
struct arrays {
    uint32_t *nodes[WIND_PARTS], *surface[WIND_PARTS];
    double *weights;
    struct wind_law *laws;
};

static int part_of(const struct body *body) {
    return vertices_are_nodes(body) ? 0 : 1;
}

/// Each has room for one more, so that none is null.
static bool reserve(struct memory *memory, const struct wind_input *input, struct arrays *out) {
    for (int i = 0; i < WIND_PARTS; i++) {
        const size_t room = input->parts[i].count + 1, width = i == 0 ? 3 : 4;
        out->nodes[i] = memory_allocate(memory, room * width, sizeof *out->nodes[i]);
        out->surface[i] = memory_allocate(memory, room, sizeof *out->surface[i]);
        if (out->nodes[i] == NULL || out->surface[i] == NULL) {
            return false;
        }
    }
    const size_t room = input->parts[1].count + 1;
    out->weights = memory_allocate(memory, 12 * room, sizeof *out->weights);
    out->laws = memory_allocate(memory, input->surface_count, sizeof *out->laws);
    return out->weights != NULL && out->laws != NULL;
}

static void release(struct memory *memory, const struct arrays *arrays) {
    for (int i = 0; i < WIND_PARTS; i++) {
        memory_release(memory, arrays->nodes[i]);
        memory_release(memory, arrays->surface[i]);
    }
    memory_release(memory, arrays->weights);
    memory_release(memory, arrays->laws);
}

/// at: of the part's triangles.
static void gather_triangle(const struct body *body, size_t triangle, size_t at,
                            const struct arrays *out) {
    for (size_t a = 0; a < 3; a++) {
        const uint32_t corner = body->triangles[3 * triangle + a];
        if (vertices_are_nodes(body)) {
            out->nodes[0][3 * at + a] = (uint32_t)body->node_start + corner;
            continue;
        }
        const struct point point = vertices_at(body, corner);
        for (size_t k = 0; k < 4; k++) {
            out->nodes[1][4 * at + k] = point.node[k];
            out->weights[12 * at + 4 * a + k] = point.weight[k];
        }
    }
}

static void gather(const struct scene *scene, const struct arrays *out) {
    size_t counts[WIND_PARTS] = {0};
    uint32_t surface = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        const int part = part_of(body);
        for (size_t t = 0; t < body->triangle_count && body->has_wind; t++) {
            out->surface[part][counts[part]] = surface;
            gather_triangle(body, t, counts[part], out);
            counts[part]++;
        }
        if (body->has_wind) {
            out->laws[surface] = law_of(body);
            surface++;
        }
    }
}

static pbs_status make_terms(const struct scene *scene, struct memory *memory,
                             struct wind_input *input, struct wind **out) {
    struct arrays arrays = {0};
    pbs_status status = PBS_ERROR_MEMORY;
    if (reserve(memory, input, &arrays)) {
        gather(scene, &arrays);
        for (int i = 0; i < WIND_PARTS; i++) {
            input->parts[i].nodes = arrays.nodes[i];
            input->parts[i].surface = arrays.surface[i];
        }
        input->parts[1].weights = arrays.weights;
        input->laws = arrays.laws;
        status = wind_create(memory, input, out);
    }
    release(memory, &arrays);
    return status;
}

static pbs_status add_terms(const struct scene *scene, struct memory *memory,
                            struct body_terms *terms, void **out) {
    struct wind_input input = {0};
    struct term own[WIND_PARTS];
    struct wind *wind = NULL;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (body->has_wind) {
            input.surface_count++;
            input.parts[part_of(body)].count += body->triangle_count;
        }
    }
    if (input.surface_count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(make_terms(scene, memory, &input, &wind));
    *out = wind;
    const size_t count = wind_terms(wind, own);
    for (size_t i = 0; i < count; i++) {
        RETURN_IF_FAILED(body_terms_add(terms, own[i]));
    }
    return PBS_OK;
}

/// A body that has wind has another one.
static void change(struct wind *wind, const struct scene *scene, const struct body *body) {
    size_t surface = 0;
    for (size_t i = 0; scene_body(scene, i) != body; i++) {
        surface += scene_body(scene, i)->has_wind;
    }
    const struct wind_law law = law_of(body);
    wind_set_law(wind, surface, &law);
}

static void destroy_terms(void *wind, struct memory *memory) {
    wind_destroy(wind, memory);
}

/// N: of all wind together at the state of the scene.
static double reference(const void *wind, const struct scene *scene) {
    return wind_reference(wind, scene->nodes.x, scene->nodes.v);
}

// --- hosts ---

static const pbs_wind_desc defaults = {.struct_size = sizeof defaults,
                                       .density = 1.2,
                                       .normal_coefficient = 1.2,
                                       .tangential_coefficient = 0.01};

pbs_status pbs_wind_desc_init(pbs_wind_desc *d, size_t struct_size) {
    return settings_init(&settings_wind, d, struct_size, &defaults);
}

static void remove_wind(pbs_world *w, struct body *body) {
    if (body->has_wind) {
        body->has_wind = false;
        body->wind = (pbs_wind_desc){0};
        w->solver.is_current = false;
        w->scene.history.memory.has_acceleration = false;
    }
}

pbs_status pbs_body_set_wind(pbs_world *w, pbs_body b, const pbs_wind_desc *d) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    if (d == NULL) {
        remove_wind(w, body);
        return PBS_OK;
    }
    pbs_wind_desc own = defaults;
    RETURN_IF_FAILED(settings_read(&settings_wind, d, &own));
    RETURN_IF_FAILED(check_wind(body, &own));
    body->wind = own;
    if (!body->has_wind) {
        body->has_wind = true;
        w->solver.is_current = false;
    } else if (w->solver.is_current) {
        change(w->solver.model.features[FEATURE_WIND], &w->scene, body);
    }
    w->scene.history.memory.has_acceleration = false;
    return PBS_OK;
}

pbs_status pbs_body_wind(const pbs_world *w, pbs_body b, pbs_wind_desc *d, double *force) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    if (!body->has_wind) {
        return status_fail(PBS_ERROR_ARGUMENT, "no wind acts on the body");
    }
    RETURN_IF_FAILED(d != NULL ? results_write(&settings_wind, &body->wind, d) : PBS_OK);
    if (force != NULL) {
        measure_force(&w->scene.nodes, body, 1.0, NULL, force);
    }
    return PBS_OK;
}

// --- the life of a world ---

static const struct field FIELDS[] = {
    FIELD_VALUE(struct body, has_wind, FIELD_ANY),
    FIELD_VALUE(struct body, wind.sides, FIELD_ANY),
    FIELD_VALUES(struct body, wind.velocity, FIELD_ANY),
    FIELD_VALUE(struct body, wind.density, FIELD_ANY),
    FIELD_VALUE(struct body, wind.normal_coefficient, FIELD_ANY),
    FIELD_VALUE(struct body, wind.tangential_coefficient, FIELD_ANY),
};
static const struct field_list fields = FIELD_LIST(struct body, FIELDS);

static pbs_status check_restored(const struct scene *scene, struct memory *memory,
                                 struct body *body) {
    (void)scene;
    (void)memory;
    body->wind.struct_size = body->has_wind ? sizeof body->wind : 0;
    return body->has_wind ? check_wind(body, &body->wind) : PBS_OK;
}

static bool acts_on(const struct body *body) {
    return body->has_wind;
}

static void add_reaction(const struct nodes *nodes, const struct body *body, double *gradient) {
    double sum[3];
    measure_force(nodes, body, -1.0, gradient + 3 * body->node_start, sum);
}

const struct feature feature_wind = {
    .body_fields = &fields,
    .check_body = check_restored,
    .add_lagged_terms = add_terms,
    .destroy_terms = destroy_terms,
    .reference = reference,
    .lags_on = acts_on,
    .add_reaction = add_reaction,
};
