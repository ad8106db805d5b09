// How embeddings are made: points and normals are read, each point looks for what carries it, and
// the first state is taken.
// SPDX-License-Identifier: MIT
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "base/runtime/arithmetic.h"
#include "world/embedding/embedding.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/objects/body_table.h"
#include "world/world.h"

pbs_status pbs_embedding_desc_init(pbs_embedding_desc *d, size_t struct_size) {
    const pbs_embedding_desc defaults = {0};
    return settings_init(&settings_embedding, d, struct_size, &defaults);
}

// --- what the host gives ---

static size_t stride_or_tight(size_t stride) {
    return stride == 0 ? 3 * sizeof(float) : stride;
}

static const float *single_row(const float *rows, size_t stride, size_t index) {
    return (const float *)(const void *)((const char *)rows + stride_or_tight(stride) * index);
}

static void read_single(const float *rows, size_t stride, size_t index, double out[3]) {
    const float *row = single_row(rows, stride, index);
    for (int k = 0; k < 3; k++) {
        out[k] = (double)row[k];
    }
}

static void place_of(const pbs_embedding_desc *d, size_t index, double out[3]) {
    if (d->positions != NULL) {
        copy3(d->positions + 3 * index, out);
    } else {
        read_single(d->positions_f32, d->position_stride, index, out);
    }
}

static pbs_status check_stride(size_t stride, const float *rows, const char *name) {
    if (stride != 0 && (stride < 12 || stride % 4 != 0 || stride > CHECK_STRIDE_LIMIT)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "%s is %zu, must be 0, or a multiple of 4 and at least 12, at most %zu",
                           name, stride, CHECK_STRIDE_LIMIT);
    }
    if ((uintptr_t)rows % sizeof *rows != 0) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "the rows of %s are at %p, must be aligned to 4 "
                           "bytes",
                           name, (const void *)rows);
    }
    return PBS_OK;
}

static pbs_status check_singles(const pbs_embedding_desc *d) {
    RETURN_IF_FAILED(check_stride(d->position_stride, d->positions_f32, "position_stride"));
    RETURN_IF_FAILED(check_stride(d->normal_stride, d->normals_f32, "normal_stride"));
    for (size_t i = 0; i < d->point_count && d->positions_f32 != NULL; i++) {
        double place[3];
        read_single(d->positions_f32, d->position_stride, i, place);
        RETURN_IF_FAILED(check_point(place, "positions_f32"));
    }
    for (size_t i = 0; i < d->point_count && d->normals_f32 != NULL; i++) {
        double normal[3];
        read_single(d->normals_f32, d->normal_stride, i, normal);
        RETURN_IF_FAILED(check_vector(normal, "normals_f32"));
    }
    return PBS_OK;
}

static pbs_status check_description(const pbs_embedding_desc *d) {
    RETURN_IF_FAILED(check_choice(d->reserved, 0, 0, "reserved"));
    RETURN_IF_FAILED(check_allocator(&d->allocator));
    RETURN_IF_FAILED(check_count(d->point_count, "point_count"));
    if ((d->positions != NULL) == (d->positions_f32 != NULL)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "positions and positions_f32 are both %s, one must be given",
                           d->positions != NULL ? "given" : "null");
    }
    if (d->positions != NULL) {
        RETURN_IF_FAILED(check_points(d->positions, d->point_count, "positions"));
    }
    RETURN_IF_FAILED(check_singles(d));
    if (d->triangle_count > 0) {
        RETURN_IF_FAILED(check_count(d->triangle_count, "triangle_count"));
    }
    return check_indices(d->triangles, 3 * d->triangle_count, d->point_count, "triangles",
                         "points");
}

// --- normals ---

/// Adds twice the area of each triangle, as a vector along its normal, to its points.
static void add_areas(const pbs_embedding_desc *d, double *sums) {
    for (size_t t = 0; t < d->triangle_count; t++) {
        const uint32_t *v = d->triangles + 3 * t;
        double x[3][3], ab[3], ac[3], area[3];
        for (int k = 0; k < 3; k++) {
            place_of(d, v[k], x[k]);
        }
        subtract3(x[1], x[0], ab);
        subtract3(x[2], x[0], ac);
        cross3(ab, ac, area);
        for (int k = 0; k < 3; k++) {
            add3(sums + 3 * (size_t)v[k], area, sums + 3 * (size_t)v[k]);
        }
    }
}

/// Floats hold any area's direction.
static void keep_direction(const double area[3], float *out) {
    const double largest = fmax(fabs(area[0]), fmax(fabs(area[1]), fabs(area[2])));
    for (int k = 0; k < 3; k++) {
        out[k] = largest > 0.0 ? (float)(area[k] / largest) : 0.0F;
    }
}

static pbs_status make_normals(struct pbs_embedding *e, const pbs_embedding_desc *d) {
    double *sums = memory_allocate(&e->memory, d->point_count, 3 * sizeof *sums);
    if (sums == NULL) {
        return PBS_ERROR_MEMORY;
    }
    add_areas(d, sums);
    for (size_t i = 0; i < d->point_count; i++) {
        keep_direction(sums + 3 * i, e->points.normals + 3 * i);
    }
    memory_release(&e->memory, sums);
    return PBS_OK;
}

static pbs_status fill_normals(struct pbs_embedding *e, const pbs_embedding_desc *d) {
    if (e->points.normals == NULL || d->normals_f32 == NULL) {
        return e->points.normals == NULL ? PBS_OK : make_normals(e, d);
    }
    for (size_t i = 0; i < d->point_count; i++) {
        memcpy(e->points.normals + 3 * i, single_row(d->normals_f32, d->normal_stride, i),
               3 * sizeof(float));
    }
    return PBS_OK;
}

// --- binding ---

static void bind_to_frame(struct pbs_embedding *e, const struct body *body,
                          const pbs_embedding_desc *d) {
    for (size_t i = 0; i < d->point_count; i++) {
        struct binding *binding = &e->points.bindings[i];
        place_of(d, i, e->local + 3 * i);
        const struct point sum = body->table->locate(body, e->local + 3 * i);
        for (uint32_t k = 0; k < sum.count; k++) {
            binding->control[k] = sum.node[k] - (uint32_t)body->node_start;
            binding->weight[k] = sum.weight[k];
        }
    }
}

/// What the sum of the control points leaves of a place; 0 where that is rounding.
static void keep_offset(const struct binding *binding, const double *rest, const double place[3],
                        double out[3]) {
    double size = fmax(fabs(place[0]), fmax(fabs(place[1]), fabs(place[2])));
    copy3(place, out);
    for (int k = 0; k < CONTROL_POINTS; k++) {
        const double *corner = rest + 3 * (size_t)binding->control[k];
        add_scaled3(out, -binding->weight[k], corner, out);
        if (binding->weight[k] != 0.0) {
            size = fmax(size, fmax(fabs(corner[0]), fmax(fabs(corner[1]), fabs(corner[2]))));
        }
    }
    if (norm3(out) <= 8.0 * DBL_EPSILON * size) {
        scale3(0.0, out, out);
    }
}

/// Particles that were tetrahedra are found by these; they carry from their own places.
static void bind_point(struct pbs_embedding *e, const struct simplex_mesh *mesh,
                       const struct simplex_hit *hit, size_t index) {
    struct binding *binding = &e->points.bindings[index];
    e->carriers[index] = hit->index;
    if (e->kind == CARRIER_PARTICLES) {
        binding->control[0] = hit->index;
        binding->weight[0] = 1.0;
        return;
    }
    simplex_corners(mesh, hit->index, binding->control);
    memcpy(binding->weight, hit->weight, sizeof binding->weight);
}

static pbs_status bind_to_carriers(struct pbs_embedding *e, const struct nodes *nodes,
                                   const struct body *body, const pbs_embedding_desc *d) {
    const struct simplex_mesh mesh = carriers_rest_mesh(nodes, body);
    const double *rest = e->kind == CARRIER_PARTICLES ? body->rest : mesh.x;
    struct simplex_search search;
    RETURN_IF_FAILED(simplex_search_build(&e->memory, &mesh, &search));
    bool any = false;
    for (size_t i = 0; i < d->point_count; i++) {
        struct simplex_hit hit;
        double place[3];
        double *offset = e->points.offsets + 3 * i;
        place_of(d, i, place);
        simplex_search_nearest(&search, place, &hit);
        bind_point(e, &mesh, &hit, i);
        keep_offset(&e->points.bindings[i], rest, place, offset);
        any = any || norm3(offset) > 0.0;
    }
    simplex_search_free(&e->memory, &search);
    if (!any) {
        memory_release(&e->memory, e->points.offsets);
        e->points.offsets = NULL;
    }
    return PBS_OK;
}

// --- making ---

static pbs_status allocate_points(struct pbs_embedding *e, const pbs_embedding_desc *d) {
    const bool in_frame = e->kind == CARRIER_FRAME;
    RETURN_IF_FAILED(embedded_points_allocate(&e->memory, d->point_count, !in_frame,
                                              d->normals_f32 != NULL || d->triangle_count > 0,
                                              &e->points));
    if (in_frame) {
        e->local = memory_allocate(&e->memory, d->point_count, 3 * sizeof *e->local);
        return e->local != NULL ? PBS_OK : PBS_ERROR_MEMORY;
    }
    e->carriers = memory_allocate(&e->memory, d->point_count, sizeof *e->carriers);
    return e->carriers != NULL ? PBS_OK : PBS_ERROR_MEMORY;
}

static pbs_status allocate_states(struct pbs_embedding *e, const struct nodes *nodes,
                                  const struct body *body) {
    const bool has_gradients = e->points.normals != NULL || e->points.offsets != NULL;
    for (int i = 0; i < 2; i++) {
        struct embedding_state *state = &e->states[i];
        state->places = memory_allocate(&e->memory, e->control_count,
                                        PLACE_ROW * sizeof *state->places);
        state->gradients = has_gradients ? memory_allocate(&e->memory, e->control_count,
                                                           GRADIENT_ROW * sizeof *state->gradients)
                                         : NULL;
        if (state->places == NULL || (has_gradients && state->gradients == NULL)) {
            return PBS_ERROR_MEMORY;
        }
    }
    if (has_gradients && (e->kind == CARRIER_TETS || e->kind == CARRIER_TRIANGLES)) {
        const struct simplex_mesh rest = carriers_rest_mesh(nodes, body);
        return deformation_gradients_begin(&e->memory, &rest, &e->gradients);
    }
    return PBS_OK;
}

static pbs_status fill(struct pbs_embedding *e, const struct scene *scene, const struct body *body,
                       const pbs_embedding_desc *d) {
    RETURN_IF_FAILED(allocate_points(e, d));
    RETURN_IF_FAILED(fill_normals(e, d));
    if (e->kind == CARRIER_FRAME) {
        bind_to_frame(e, body, d);
    } else {
        RETURN_IF_FAILED(bind_to_carriers(e, &scene->nodes, body, d));
    }
    RETURN_IF_FAILED(allocate_states(e, &scene->nodes, body));
    embedding_take(e, scene, body, &e->states[0]);
    embedding_take(e, scene, body, &e->states[1]);
    return PBS_OK;
}

static pbs_status make(const pbs_world *w, const struct body *body, const pbs_embedding_desc *d,
                       pbs_embedding **out) {
    struct memory memory;
    memory_init(&memory, &d->allocator);
    pbs_embedding *e = memory_allocate(&memory, 1, sizeof *e);
    if (e == NULL) {
        return PBS_ERROR_MEMORY;
    }
    e->memory = memory;
    e->body = d->body;
    e->kind = carriers_of(body);
    e->control_count = carriers_control_count(body);
    e->carrier_count = carriers_count(body);
    const pbs_status status = fill(e, &w->scene, body, d);
    if (status < 0) {
        pbs_embedding_destroy(e);
        return status;
    }
    *out = e;
    return PBS_OK;
}

pbs_status pbs_embedding_create(const pbs_world *w, const pbs_embedding_desc *d,
                                pbs_embedding **out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_pointer(out, "out"));
    pbs_embedding_desc own = {0};
    RETURN_IF_FAILED(settings_read(&settings_embedding, d, &own));
    RETURN_IF_FAILED(check_description(&own));
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, own.body, &status);
    RETURN_IF_FAILED(status);
    if (carriers_of(body) == CARRIER_VERTICES) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "the body has no tetrahedra, triangles, affine frame or particles with "
                           "orientation to which points could be bound");
    }
    return make(w, body, &own, out);
}
