// See wind_terms.h. Corners of shells and solids are nodes, those of affine bodies sums of four.
#include "world/model/wind_terms.h"

#include "world/bodies/body_wind.h"
#include "world/objects/vertices.h"

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
            out->laws[surface] = body_wind_law(body);
            surface++;
        }
    }
}

static pbs_status make(const struct scene *scene, struct memory *memory, struct wind_input *input,
                       struct wind **out) {
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

pbs_status add_wind(const struct scene *scene, struct memory *memory, struct body_terms *terms,
                    struct model *model) {
    struct wind_input input = {0};
    struct term own[WIND_PARTS];
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
    RETURN_IF_FAILED(make(scene, memory, &input, &model->wind));
    const size_t count = wind_terms(model->wind, own);
    for (size_t i = 0; i < count; i++) {
        RETURN_IF_FAILED(body_terms_add(terms, own[i]));
    }
    return PBS_OK;
}

void model_set_wind(struct model *model, const struct scene *scene, const struct body *body) {
    size_t surface = 0;
    for (size_t i = 0; scene_body(scene, i) != body; i++) {
        surface += scene_body(scene, i)->has_wind;
    }
    const struct wind_law law = body_wind_law(body);
    wind_set_law(model->wind, surface, &law);
}
