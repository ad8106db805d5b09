// The table of systems. Contacts are rank-1 blocks; "2", "10" and "50" in a name are the number of
// contacts per 100 nodes.
// SPDX-License-Identifier: MIT
#include "scenes/linear/linear_scene.h"

#include <stdio.h>
#include <string.h>

#include "common/mesh_files/mesh_reader.h"

#define FRAME (1.0 / 30.0)
#define SHORT (1.0 / 240.0)

const struct linear_case linear_cases[] = {
    {.name = "easy", .young = 1e5, .poisson = 0.45, .dt = SHORT},
    {.name = "easy-nu49", .young = 1e5, .poisson = 0.49, .dt = SHORT},
    {.name = "easy-contact-2", 1e5, 0.45, SHORT, .contacts = {0.02, 1e3, 1e6}},
    {.name = "soft-frame", .young = 1e5, .poisson = 0.45, .dt = FRAME},
    {.name = "stiff-short", .young = 1e7, .poisson = 0.45, .dt = SHORT},
    {.name = "hard", .young = 1e7, .poisson = 0.45, .dt = FRAME},
    {.name = "hard-nu30", .young = 1e7, .poisson = 0.30, .dt = FRAME},
    {.name = "hard-nu49", .young = 1e7, .poisson = 0.49, .dt = FRAME},
    {.name = "hard-random", .young = 1e7, .poisson = 0.45, .dt = FRAME, .shuffled = true},
    {.name = "hard-contact-2", 1e7, 0.45, FRAME, .contacts = {0.02, 1e3, 1e6}},
    {.name = "hard-contact-2-stiff", 1e7, 0.45, FRAME, .contacts = {0.02, 1e6, 1e9}},
    {.name = "hard-contact-2-random", 1e7, 0.45, FRAME, true, .contacts = {0.02, 1e3, 1e6}},
    {.name = "hard-contact-10", 1e7, 0.45, FRAME, .contacts = {0.10, 1e3, 1e6}},
    {.name = "hard-contact-50", 1e7, 0.45, FRAME, .contacts = {0.50, 1e3, 1e6}},
    {.name = "dolphin", 1e7, 0.45, FRAME, .mesh = "dolphin_36k.msh"},
    {.name = "dolphin-contact-2", 1e7, 0.45, FRAME, false, {0.02, 1e3, 1e6}, "dolphin_36k.msh"},
    {.name = "bunny", 1e7, 0.45, FRAME, .mesh = "bunny_19k.msh"},
    {.name = "bunny-contact-2", 1e7, 0.45, FRAME, false, {0.02, 1e3, 1e6}, "bunny_19k.msh"},
    {.name = NULL},
};

const struct linear_case *linear_case_find(const char *name) {
    const struct linear_case *c = linear_cases;
    while (c->name && strcmp(c->name, name) != 0) {
        c++;
    }
    return c->name ? c : NULL;
}

static pbs_status read_mesh(const char *folder, const char *file, struct tet_mesh *out) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    const struct mesh_read_options options = {.drop_unused = true};
    struct mesh_report report;
    return mesh_read_tets(path, &options, out, &report)
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "%s: %s", path, report.error);
}

static pbs_status restrict_held(struct memory *memory, struct linear_scene *out) {
    const uint32_t row_count = out->fixture.matrix.row_count;
    out->restrictions = memory_allocate(memory, row_count, sizeof *out->restrictions);
    if (!out->restrictions) {
        return PBS_ERROR_MEMORY;
    }
    for (uint32_t row = 0; row < row_count; row++) {
        if (out->fixture.held[row]) {
            out->restrictions[out->problem.restriction_count++].row = row;
        }
    }
    return PBS_OK;
}

static pbs_status build_from(struct memory *memory, const struct linear_case *what,
                             const struct fixture_desc *desc, struct linear_scene *out) {
    RETURN_IF_FAILED(fixture_build(memory, desc, &out->fixture));
    RETURN_IF_FAILED(restrict_held(memory, out));
    if (what->contacts.density > 0.0) {
        RETURN_IF_FAILED(
            contact_fixture_build(memory, &out->fixture, &what->contacts, &out->contacts));
        out->problem.c = &out->contacts.matrix;
    }
    out->problem.a = &out->fixture.matrix;
    out->problem.positions = out->fixture.positions;
    out->problem.restrictions = out->restrictions;
    return PBS_OK;
}

pbs_status linear_scene_build(struct memory *memory, const struct linear_case *what, uint32_t cells,
                              const char *mesh_folder, struct linear_scene *out) {
    *out = (struct linear_scene){.problem = {.a = NULL}};
    struct tet_mesh mesh = {0};
    struct fixture_desc desc = fixture_hard(cells);
    desc.young = what->young;
    desc.poisson = what->poisson;
    desc.dt = what->dt;
    desc.shuffled = what->shuffled;
    if (what->mesh) {
        RETURN_IF_FAILED(read_mesh(mesh_folder, what->mesh, &mesh));
        desc.mesh = &mesh;
    }
    const pbs_status status = build_from(memory, what, &desc, out);
    tet_mesh_free(&mesh);
    if (status != PBS_OK) {
        linear_scene_free(memory, out);
    }
    return status;
}

void linear_scene_free(struct memory *memory, struct linear_scene *scene) {
    contact_fixture_free(memory, &scene->contacts);
    memory_release(memory, scene->restrictions);
    fixture_free(memory, &scene->fixture);
    *scene = (struct linear_scene){.problem = {.a = NULL}};
}
