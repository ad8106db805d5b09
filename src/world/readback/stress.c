// Read-back of stress of tetrahedra and triangles, of plastic strain, and of strain of springs.
#include <math.h>

#include "base/matrix3/math3.h"
#include "base/runtime/arithmetic.h"
#include "energy/materials/solid_plasticity.h"
#include "world/bodies/element_stress.h"
#include "world/interface/check.h"
#include "world/world.h"

pbs_status pbs_body_element_stress(const pbs_world *w, pbs_body b, double *dst, size_t capacity) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(dst, "dst"));
    const struct element_stress *stress = body->table->stress;
    if (stress == NULL) {
        return PBS_OK;
    }
    const size_t count = stress->count(body);
    if (capacity < count) {
        return status_fail(PBS_ERROR_CAPACITY, "capacity is %zu %s, but the body has %zu", capacity,
                           stress->elements, count);
    }
    for (size_t i = 0; i < count; i++) {
        stress->measure(body, w->scene.nodes.x + 3 * body->node_start, i, dst + 9 * i);
    }
    return PBS_OK;
}

pbs_status pbs_body_element_plastic_strain(const pbs_world *w, pbs_body b, double *dst,
                                           size_t capacity) {
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(dst, "dst"));
    const struct solid_body *solid = &body->solid;
    if (capacity < solid->tet_count) {
        return status_fail(PBS_ERROR_CAPACITY, "capacity is %zu tetrahedra, but the body has %zu",
                           capacity, solid->tet_count);
    }
    for (size_t t = 0; t < solid->tet_count; t++) {
        dst[t] = solid->plastic != NULL ? solid->plastic[PLASTIC_VALUES * t + PLASTIC_STRAIN] : 0.0;
    }
    return PBS_OK;
}

static struct body_springs springs_of(const struct body *body) {
    return body->table->list_springs != NULL ? body->table->list_springs(body)
                                             : (struct body_springs){.count = 0};
}

pbs_status pbs_body_springs(const pbs_world *w, pbs_body b, const uint32_t **indices,
                            size_t *spring_count) {
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(indices, "indices"));
    RETURN_IF_FAILED(check_pointer(spring_count, "spring_count"));
    const struct body_springs springs = springs_of(body);
    *indices = springs.ends;
    *spring_count = springs.count;
    return PBS_OK;
}

/// Of a spring without a length at rest: infinite, unless it has none now.
static double strain(const double *x, const uint32_t ends[2], double rest) {
    double along[3];
    subtract3(x + 3 * (size_t)ends[1], x + 3 * (size_t)ends[0], along);
    const double extension = norm3(along) - rest;
    return extension == 0.0 ? 0.0 : extension / rest;
}

pbs_status pbs_body_spring_strains(const pbs_world *w, pbs_body b, double *dst, size_t capacity) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(dst, "dst"));
    const struct body_springs springs = springs_of(body);
    if (capacity < springs.count) {
        return status_fail(PBS_ERROR_CAPACITY, "capacity is %zu springs, but the body has %zu",
                           capacity, springs.count);
    }
    const double *x = w->scene.nodes.x + 3 * body->node_start;
    for (size_t i = 0; i < springs.count; i++) {
        dst[i] = strain(x, springs.ends + 2 * i, springs.rest_lengths[i]);
    }
    return PBS_OK;
}
