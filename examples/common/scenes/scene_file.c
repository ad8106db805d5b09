// The reader is a table of statements, each a function over the cursor that the mesh readers use.
// Memory is taken for what a file still has room to say, never for what it claims.
// SPDX-License-Identifier: MIT

#include "common/scenes/scene_file.h"

#include "common/mesh_files/mesh_scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct mesh_scan scan;
    struct scene_file *scene;
    double mesh_friction; ///< of the next static_mesh
};

// --- memory ---

/// Room for one more behind `count` things; the old array stays where memory ran out.
static bool make_room(struct reader *r, void **array, size_t count, size_t size) {
    void *larger = realloc(*array, (count + 1) * size);
    if (larger == NULL) {
        return scan_fail_memory(&r->scan);
    }
    *array = larger;
    return true;
}

static void *take(struct reader *r, size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (memory == NULL) {
        scan_fail_memory(&r->scan);
    }
    return memory;
}

void scene_file_free(struct scene_file *scene) {
    for (size_t i = 0; i < scene->mesh_count; i++) {
        free(scene->meshes[i].vertices);
        free(scene->meshes[i].triangles);
    }
    for (size_t i = 0; i < scene->motion_count; i++) {
        free(scene->motions[i].nodes);
    }
    free(scene->half_spaces);
    free(scene->meshes);
    free(scene->components);
    free(scene->motions);
    free(scene->rest);
    free(scene->initial);
    free(scene->velocities);
    free(scene->tets);
    free(scene->triangles);
    free(scene->segments);
    free(scene->dirichlet);
    *scene = (struct scene_file){0};
}

// --- pieces of statements ---

static bool read_vector(struct reader *r, const char *what, double v[3]) {
    return scan_number_in_line(&r->scan, what, &v[0]) &&
           scan_number_in_line(&r->scan, what, &v[1]) && scan_number_in_line(&r->scan, what, &v[2]);
}

static bool read_positive(struct reader *r, const char *what, double *value) {
    return scan_number_in_line(&r->scan, what, value) &&
           (*value > 0.0 || scan_fail(&r->scan, "%s is %g, must be positive", what, *value));
}

static bool read_not_negative(struct reader *r, const char *what, double *value) {
    return scan_number_in_line(&r->scan, what, value) &&
           (*value >= 0.0 || scan_fail(&r->scan, "%s is %g, must not be negative", what, *value));
}

/// How often something is done, which takes no room.
static bool read_number_of(struct reader *r, const char *what, size_t *count) {
    int64_t value = 0;
    if (!scan_integer_in_line(&r->scan, what, &value)) {
        return false;
    }
    *count = (size_t)value;
    return (value >= 0 && value <= INT32_MAX) ||
           scan_fail(&r->scan, "%lld is no possible number of %s", (long long)value, what);
}

static bool read_word(struct reader *r, const char *what, struct mesh_token *word) {
    return scan_word_in_line(&r->scan, word) ||
           scan_fail(&r->scan, "the line ends where %s was expected", what);
}

static bool read_friction(struct reader *r, double *friction) {
    struct mesh_token word;
    char room[64];
    if (!read_word(r, "friction", &word)) {
        return false;
    }
    if (!token_is(&word, "friction")) {
        return scan_fail(&r->scan, "expected friction, found '%s'", token_show(&word, room));
    }
    return read_not_negative(r, "friction", friction);
}

static bool is_zero(const double v[3]) {
    return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0;
}

static void skip_rest_of_line(struct reader *r) {
    struct mesh_token word;
    while (scan_word_in_line(&r->scan, &word)) {
    }
}

/// `count` indices below `limit`, over line ends.
static bool read_indices(struct reader *r, const char *what, size_t count, size_t limit,
                         uint32_t *out) {
    for (size_t i = 0; i < count; i++) {
        int64_t value = 0;
        if (!scan_integer(&r->scan, what, &value)) {
            return false;
        }
        if (value < 0 || value >= (int64_t)limit) {
            return scan_fail(&r->scan, "%s %lld does not exist, there are %zu", what,
                             (long long)value, limit);
        }
        out[i] = (uint32_t)value;
    }
    return true;
}

/// The count and the indices of `width` nodes each; `*out` must still be null.
static bool read_elements(struct reader *r, const char *what, size_t width, size_t *count,
                          uint32_t **out) {
    size_t found = 0;
    if (*out != NULL) {
        return scan_fail(&r->scan, "%s are given a second time", what);
    }
    if (!scan_count(&r->scan, what, 2 * width, &found)) {
        return false;
    }
    *out = take(r, width * found, sizeof **out);
    *count = found;
    return *out != NULL && read_indices(r, "node", width * found, r->scene->node_count, *out);
}

// --- statements ---

static bool read_name(struct reader *r) {
    struct mesh_token word;
    if (!read_word(r, "a name", &word)) {
        return false;
    }
    char room[64];
    text_print(r->scene->name, sizeof r->scene->name, "%s", token_show(&word, room));
    return true;
}

static bool read_energy(struct reader *r) {
    struct mesh_token word;
    char room[64];
    if (!read_word(r, "NH or FCR", &word)) {
        return false;
    }
    const bool corotated = token_is(&word, "FCR");
    r->scene->material = corotated ? SCENE_FIXED_COROTATED : SCENE_NEO_HOOKEAN;
    return corotated || token_is(&word, "NH") ||
           scan_fail(&r->scan, "expected NH or FCR, found '%s'", token_show(&word, room));
}

static bool read_integrator(struct reader *r) {
    struct mesh_token word;
    char room[64];
    if (!read_word(r, "BE or NM", &word)) {
        return false;
    }
    if (token_is(&word, "BE")) {
        r->scene->integrator = SCENE_IMPLICIT_EULER;
        return true;
    }
    r->scene->integrator = SCENE_NEWMARK;
    return (token_is(&word, "NM") ||
            scan_fail(&r->scan, "expected BE or NM, found '%s'", token_show(&word, room))) &&
           read_not_negative(r, "Newmark's beta", &r->scene->newmark[0]) &&
           read_not_negative(r, "Newmark's gamma", &r->scene->newmark[1]);
}

static bool read_step(struct reader *r) {
    return read_positive(r, "the step", &r->scene->step);
}

static bool read_step_count(struct reader *r) {
    return read_number_of(r, "steps", &r->scene->step_count);
}

static bool read_gravity(struct reader *r) {
    return read_vector(r, "gravity", r->scene->gravity);
}

static bool read_diagonal(struct reader *r) {
    return read_positive(r, "the diagonal", &r->scene->diagonal);
}

static bool read_contact_distance(struct reader *r) {
    return read_positive(r, "the contact distance", &r->scene->contact_distance);
}

static bool read_slip_velocity(struct reader *r) {
    return read_positive(r, "the slip velocity", &r->scene->slip_velocity);
}

static bool read_self_friction(struct reader *r) {
    return read_not_negative(r, "friction", &r->scene->friction);
}

static bool read_friction_iterations(struct reader *r) {
    return read_number_of(r, "friction iterations", &r->scene->friction_iterations);
}

static bool read_tolerance(struct reader *r) {
    return read_positive(r, "the tolerance", &r->scene->newton_tolerance);
}

static bool read_stiffness(struct reader *r) {
    return read_positive(r, "the contact stiffness", &r->scene->contact_stiffness);
}

static bool read_half_space(struct reader *r) {
    struct scene_file *const scene = r->scene;
    struct scene_half_space h;
    if (!read_vector(r, "a coordinate", h.origin) || !read_vector(r, "the normal", h.normal) ||
        !read_friction(r, &h.friction)) {
        return false;
    }
    if (is_zero(h.normal)) {
        return scan_fail(&r->scan, "the normal of a half-space is zero");
    }
    void *array = scene->half_spaces;
    if (!make_room(r, &array, scene->half_space_count, sizeof h)) {
        return false;
    }
    scene->half_spaces = array;
    scene->half_spaces[scene->half_space_count++] = h;
    return true;
}

static bool read_mesh_friction(struct reader *r) {
    int64_t counts[2];
    return scan_integer_in_line(&r->scan, "the number of vertices", &counts[0]) &&
           scan_integer_in_line(&r->scan, "the number of triangles", &counts[1]) &&
           read_friction(r, &r->mesh_friction);
}

static bool read_mesh_arrays(struct reader *r, struct scene_mesh *mesh) {
    mesh->vertices = take(r, 3 * mesh->vertex_count, sizeof *mesh->vertices);
    mesh->triangles = take(r, 3 * mesh->triangle_count, sizeof *mesh->triangles);
    if (mesh->vertices == NULL || mesh->triangles == NULL) {
        return false;
    }
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++) {
        if (!scan_number(&r->scan, "a coordinate", &mesh->vertices[i])) {
            return false;
        }
    }
    return read_indices(r, "vertex", 3 * mesh->triangle_count, mesh->vertex_count, mesh->triangles);
}

static bool read_mesh(struct reader *r) {
    struct scene_file *const scene = r->scene;
    size_t counts[2] = {0, 0};
    void *array = scene->meshes;
    if (!scan_count(&r->scan, "vertices", 6, &counts[0]) ||
        !scan_count(&r->scan, "triangles", 6, &counts[1]) ||
        !make_room(r, &array, scene->mesh_count, sizeof *scene->meshes)) {
        return false;
    }
    scene->meshes = array;
    struct scene_mesh *const mesh = &scene->meshes[scene->mesh_count++];
    *mesh = (struct scene_mesh){
        .vertex_count = counts[0], .triangle_count = counts[1], .friction = r->mesh_friction};
    r->mesh_friction = 0.0;
    skip_rest_of_line(r);
    return read_mesh_arrays(r, mesh);
}

/// [begin, end), which goes on where the range before it ended.
static bool read_range(struct reader *r, const char *what, size_t before, size_t *begin,
                       size_t *end) {
    int64_t range[2];
    if (!scan_integer_in_line(&r->scan, what, &range[0]) ||
        !scan_integer_in_line(&r->scan, what, &range[1])) {
        return false;
    }
    if (range[0] != (int64_t)before || range[1] < range[0] || range[1] >= (int64_t)UINT32_MAX) {
        return scan_fail(&r->scan, "%s %lld to %lld of a component, expected them from %zu on",
                         what, (long long)range[0], (long long)range[1], before);
    }
    *begin = (size_t)range[0];
    *end = (size_t)range[1];
    return true;
}

static bool read_material(struct reader *r, struct scene_component *c) {
    int64_t codimension = 0;
    if (!scan_integer_in_line(&r->scan, "a codimension", &codimension) ||
        !read_positive(r, "the density", &c->density) ||
        !read_positive(r, "Young's modulus", &c->young) ||
        !scan_number_in_line(&r->scan, "Poisson's ratio", &c->poisson)) {
        return false;
    }
    if (codimension < 0 || codimension > 3) {
        return scan_fail(&r->scan, "codimension %lld, must be 0 to 3", (long long)codimension);
    }
    c->codimension = (int)codimension;
    return (c->poisson > -1.0 && c->poisson < 0.5) ||
           scan_fail(&r->scan, "Poisson's ratio is %g, must be in (-1, 0.5)", c->poisson);
}

static bool read_components(struct reader *r) {
    struct scene_file *const scene = r->scene;
    size_t count = 0, nodes = 0, tets = 0;
    if (scene->components != NULL) {
        return scan_fail(&r->scan, "components are given a second time");
    }
    if (!scan_count(&r->scan, "components", 16, &count)) {
        return false;
    }
    scene->components = take(r, count, sizeof *scene->components);
    if (scene->components == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        struct scene_component *const c = &scene->components[i];
        skip_rest_of_line(r);
        scan_skip_line(&r->scan);
        if (!read_range(r, "nodes", nodes, &c->node_begin, &c->node_end) ||
            !read_range(r, "tetrahedra", tets, &c->tet_begin, &c->tet_end) ||
            !read_material(r, c)) {
            return false;
        }
        nodes = c->node_end;
        tets = c->tet_end;
        scene->component_count++;
    }
    return true;
}

static bool read_nodes(struct reader *r) {
    struct scene_file *const scene = r->scene;
    if (scene->rest != NULL) {
        return scan_fail(&r->scan, "nodes are given a second time");
    }
    size_t count = 0;
    if (!scan_count(&r->scan, "nodes", 12, &count)) {
        return false;
    }
    scene->rest = take(r, 3 * count, sizeof *scene->rest);
    scene->initial = take(r, 3 * count, sizeof *scene->initial);
    if (scene->rest == NULL || scene->initial == NULL) {
        return false;
    }
    for (size_t i = 0; i < 6 * count; i++) {
        double *const to = i % 6 < 3 ? scene->rest : scene->initial;
        if (!scan_number(&r->scan, "a coordinate", &to[3 * (i / 6) + i % 3])) {
            return false;
        }
    }
    scene->node_count = count;
    return true;
}

static bool read_tets(struct reader *r) {
    return read_elements(r, "tetrahedra", 4, &r->scene->tet_count, &r->scene->tets);
}

static bool read_triangles(struct reader *r) {
    return read_elements(r, "triangles", 3, &r->scene->triangle_count, &r->scene->triangles);
}

static bool read_segments(struct reader *r) {
    return read_elements(r, "segments", 2, &r->scene->segment_count, &r->scene->segments);
}

static bool read_dirichlet(struct reader *r) {
    return read_elements(r, "held nodes", 1, &r->scene->dirichlet_count, &r->scene->dirichlet);
}

static bool read_motion_kind(struct reader *r, enum scene_motion_kind *kind) {
    static const char *const names[] = {
        [SCENE_FIXED] = "fixed", [SCENE_TRANSLATE] = "translate", [SCENE_ROTATE] = "rotate"};
    struct mesh_token word = {0};
    char room[64];
    scan_word(&r->scan, &word);
    for (int i = SCENE_FIXED; i <= SCENE_ROTATE; i++) {
        if (token_is(&word, names[i])) {
            *kind = (enum scene_motion_kind)i;
            return true;
        }
    }
    return scan_fail(&r->scan, "expected rotate, translate or fixed, found '%s'",
                     token_show(&word, room));
}

static bool read_motion(struct reader *r, struct scene_motion *motion) {
    if (!read_motion_kind(r, &motion->kind) ||
        !read_vector(r, "a velocity or an axis", motion->vector) ||
        !scan_number_in_line(&r->scan, "an angular velocity", &motion->omega) ||
        !read_vector(r, "the centre", motion->centre)) {
        return false;
    }
    if (motion->kind == SCENE_ROTATE && is_zero(motion->vector)) {
        return scan_fail(&r->scan, "the axis of a rotation is zero");
    }
    return read_elements(r, "nodes of a motion", 1, &motion->node_count, &motion->nodes);
}

static bool read_motions(struct reader *r) {
    struct scene_file *const scene = r->scene;
    size_t count = 0;
    if (scene->motions != NULL) {
        return scan_fail(&r->scan, "motions are given a second time");
    }
    if (!scan_count(&r->scan, "motions", 18, &count)) {
        return false;
    }
    scene->motions = take(r, count, sizeof *scene->motions);
    if (scene->motions == NULL) {
        return false;
    }
    scene->motion_count = count;
    for (size_t i = 0; i < count; i++) {
        if (!read_motion(r, &scene->motions[i])) {
            return false;
        }
    }
    return true;
}

static bool read_velocities(struct reader *r) {
    struct scene_file *const scene = r->scene;
    size_t count = 0;
    if (scene->velocities != NULL) {
        return scan_fail(&r->scan, "velocities are given a second time");
    }
    if (!scan_count(&r->scan, "velocities", 6, &count)) {
        return false;
    }
    if (count != scene->node_count) {
        return scan_fail(&r->scan, "%zu velocities of %zu nodes", count, scene->node_count);
    }
    scene->velocities = take(r, 3 * count, sizeof *scene->velocities);
    bool read = scene->velocities != NULL;
    for (size_t i = 0; read && i < 3 * count; i++) {
        read = scan_number(&r->scan, "a velocity", &scene->velocities[i]);
    }
    return read;
}

static bool pass_over(struct reader *r) {
    skip_rest_of_line(r);
    return true;
}

static const struct statement {
    const char *keyword;
    bool (*read)(struct reader *r);
} statements[] = {
    {"name", read_name},
    {"energy", read_energy},
    {"integrator", read_integrator},
    {"dt", read_step},
    {"steps_total", read_step_count},
    {"gravity", read_gravity},
    {"bbox_diag", read_diagonal},
    {"dhat", read_contact_distance},
    {"eps_v", read_slip_velocity},
    {"self_friction", read_self_friction},
    {"friction_iterations", read_friction_iterations},
    {"newton_tol", read_tolerance},
    {"kappa_suggested", read_stiffness},
    {"avg_node_mass", pass_over},
    {"script", pass_over},
    {"halfspace", read_half_space},
    {"meshobstacle", read_mesh_friction},
    {"static_mesh", read_mesh},
    {"components", read_components},
    {"nodes", read_nodes},
    {"tets", read_tets},
    {"surface_tris", read_triangles},
    {"segments", read_segments},
    {"dirichlet", read_dirichlet},
    {"motions", read_motions},
    {"velocity", read_velocities},
};

static bool read_statement(struct reader *r, const struct mesh_token *keyword) {
    char room[64];
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        if (token_is(keyword, statements[i].keyword)) {
            const bool read = statements[i].read(r);
            skip_rest_of_line(r);
            return read;
        }
    }
    return scan_fail(&r->scan, "no statement is called '%s'", token_show(keyword, room));
}

// --- the whole ---

/// What later code relies on and no single statement can know.
static bool check_whole(struct reader *r) {
    const struct scene_file *const scene = r->scene;
    if (scene->component_count == 0 || scene->node_count == 0) {
        return scan_fail(&r->scan, "the file ends without components and nodes");
    }
    if (!(scene->step > 0.0)) {
        return scan_fail(&r->scan, "the file ends without a step (dt)");
    }
    const struct scene_component *const last = &scene->components[scene->component_count - 1];
    if (last->node_end != scene->node_count || last->tet_end != scene->tet_count) {
        return scan_fail(&r->scan,
                         "components of %zu nodes and %zu tetrahedra, but %zu and %zu are given",
                         last->node_end, last->tet_end, scene->node_count, scene->tet_count);
    }
    for (size_t i = 0; i < scene->component_count; i++) {
        const struct scene_component *const c = &scene->components[i];
        for (size_t k = 4 * c->tet_begin; k < 4 * c->tet_end; k++) {
            if (scene->tets[k] < c->node_begin || scene->tets[k] >= c->node_end) {
                return scan_fail(&r->scan, "tetrahedron %zu has node %u of another component",
                                 k / 4, (unsigned)scene->tets[k]);
            }
        }
    }
    return true;
}

bool scene_file_read_from_memory(const void *data, size_t size, struct scene_file *out,
                                 struct message *message) {
    struct mesh_report report = {0};
    struct reader reader = {.scene = out};
    struct mesh_token keyword;
    *out = (struct scene_file){0};
    scan_start(&reader.scan, data, size, NULL, &report);
    reader.scan.hash_comment = true;
    bool read = true;
    while (read && scan_word(&reader.scan, &keyword)) {
        read = read_statement(&reader, &keyword);
    }
    if (read && check_whole(&reader)) {
        return true;
    }
    scene_file_free(out);
    return message_fail(message, "%s", report.error);
}

bool scene_file_read(const char *path, struct scene_file *out, struct message *message) {
    struct text_buffer bytes = {0};
    *out = (struct scene_file){0};
    struct message why = {""};
    const bool read = text_buffer_read(&bytes, path, &why) &&
                      scene_file_read_from_memory(bytes.data, bytes.length, out, &why);
    text_buffer_free(&bytes);
    return read || message_fail(message, "%s: %s", path, why.text);
}

// --- motions ---

/// Rodrigues: x turns by an angle about an axis of length 1 through the centre.
static void turn(const double axis[3], const double centre[3], double angle, double x[3]) {
    const double c = cos(angle), s = sin(angle);
    const double r[3] = {x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]};
    const double along = axis[0] * r[0] + axis[1] * r[1] + axis[2] * r[2];
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        const double across = axis[l] * r[m] - axis[m] * r[l];
        x[k] = centre[k] + c * r[k] + s * across + (1.0 - c) * along * axis[k];
    }
}

void scene_motion_apply(const struct scene_motion *motion, double step, double *x) {
    const double *const v = motion->vector;
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (size_t i = 0; i < motion->node_count; i++) {
        double *const at = x + 3 * (size_t)motion->nodes[i];
        if (motion->kind == SCENE_TRANSLATE) {
            for (int k = 0; k < 3; k++) {
                at[k] += step * v[k];
            }
        } else if (motion->kind == SCENE_ROTATE) {
            const double axis[3] = {v[0] / length, v[1] / length, v[2] / length};
            turn(axis, motion->centre, step * motion->omega, at);
        }
    }
}
