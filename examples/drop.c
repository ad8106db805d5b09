// Drops a deformable solid onto obstacles at one step per frame. Writes NAME.html, NAME.png,
// NAME_sheet.png, NAME.glb, NAME_energy.csv and, with --vtu, a .vtu series.
// SPDX-License-Identifier: MIT
#include <pbs/pbs.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mesh_files/mesh_reader.h"
#include "common/meshes/shapes.h"
#include "common/program/command_line.h"
#include "common/program/interrupt.h"
#include "common/recording/recording.h"

// Obstacles
// ------------------------------------------------------------------------------------------

/// A collider in units of the body's size, rotated by `tilt` about the z axis.
struct obstacle_part {
    int32_t shape;
    bool hollow;
    double size[3];
    double position[3];
    double tilt; ///< radians
};

enum { OBSTACLE_PARTS = 2 };

struct obstacle {
    const char *name;
    size_t part_count;
    struct obstacle_part parts[OBSTACLE_PARTS];
    bool ground;     ///< adds a floor at y = 0
    double start[3]; ///< initial position of the body: y of its lowest point, x and z of its centre
};

#define QUARTER_TURN 1.57079632679489661923

static const struct obstacle obstacles[] = {
    {"ground", 0, {{0}}, true, {0.0, 0.6, 0.0}},
    {"sphere",
     1,
     {{PBS_SHAPE_SPHERE, false, {0.35}, {0.0, 0.35, 0.0}, 0.0}},
     true,
     {0.05, 1.1, 0.02}},
    {"bowl", 1, {{PBS_SHAPE_SPHERE, true, {1.6}, {0.0, 1.6, 0.0}, 0.0}}, false, {0.4, 0.8, 0.1}},
    {"box",
     1,
     {{PBS_SHAPE_BOX, false, {0.3, 0.2, 0.3}, {0.0, 0.2, 0.0}, 0.0}},
     true,
     {0.1, 0.9, 0.05}},
    {"capsule",
     1,
     {{PBS_SHAPE_CAPSULE, false, {0.15, 0.8}, {0.0, 0.15, 0.0}, QUARTER_TURN}},
     true,
     {0.0, 0.8, 0.0}},
    {"cylinder",
     1,
     {{PBS_SHAPE_CYLINDER, false, {0.2, 0.25}, {0.0, 0.25, 0.0}, 0.0}},
     true,
     {0.05, 1.0, 0.0}},
    {"ring",
     1,
     {{PBS_SHAPE_TORUS, false, {0.4, 0.12}, {0.0, 0.12, 0.0}, 0.0}},
     true,
     {0.05, 0.9, 0.0}},
    {"wedge",
     2,
     {{PBS_SHAPE_HALF_SPACE, false, {0}, {0.0, 0.0, 0.0}, 0.6},
      {PBS_SHAPE_HALF_SPACE, false, {0}, {0.0, 0.0, 0.0}, -0.6}},
     false,
     {0.1, 0.9, 0.0}},
};

enum { OBSTACLE_COUNT = sizeof obstacles / sizeof *obstacles };

static const struct obstacle *find_obstacle(const char *name) {
    for (size_t i = 0; i < OBSTACLE_COUNT; i++) {
        if (strcmp(obstacles[i].name, name) == 0) {
            return &obstacles[i];
        }
    }
    return NULL;
}

static pbs_status add_part(pbs_world *world, const struct obstacle_part *part, double size) {
    pbs_collider_desc desc;
    pbs_collider collider;
    pbs_collider_desc_init(&desc, sizeof desc);
    desc.shape = part->shape;
    desc.hollow = part->hollow;
    for (int i = 0; i < 3; i++) {
        desc.size[i] = part->size[i] * size;
        desc.position[i] = part->position[i] * size;
    }
    desc.orientation[2] = sin(0.5 * part->tilt);
    desc.orientation[3] = cos(0.5 * part->tilt);
    desc.friction = 0.3;
    return pbs_collider_create(world, &desc, &collider);
}

static pbs_status add_obstacle(pbs_world *world, const struct obstacle *obstacle, double size) {
    static const struct obstacle_part ground = {.shape = PBS_SHAPE_HALF_SPACE};
    pbs_status status = obstacle->ground ? add_part(world, &ground, size) : PBS_OK;
    for (size_t i = 0; i < obstacle->part_count && status == PBS_OK; i++) {
        status = add_part(world, &obstacle->parts[i], size);
    }
    return status;
}

/// Creates the triangles to draw for one part, in the part's frame.
static bool part_surface(const struct obstacle_part *part, struct surface_mesh *out) {
    const double *s = part->size;
    switch (part->shape) {
    case PBS_SHAPE_SPHERE:
        return part->hollow ? surface_bowl(s[0], 0.03 * s[0], -0.35 * s[0], 96, out)
                            : surface_ball(s[0], 96, out);
    case PBS_SHAPE_BOX: return surface_box(2.0 * s[0], 2.0 * s[1], 2.0 * s[2], out);
    case PBS_SHAPE_CAPSULE: return surface_capsule(s[0], 2.0 * s[1], 64, out);
    case PBS_SHAPE_CYLINDER: return surface_cylinder(s[0], 2.0 * s[1], 64, out);
    case PBS_SHAPE_TORUS: return surface_torus(s[0], s[1], 64, out);
    default: return surface_sheet(8, 8, 3.0, 3.0, out);
    }
}

static bool obstacle_surface(const struct obstacle *obstacle, double size,
                             struct surface_mesh *out) {
    static const double z_axis[3] = {0.0, 0.0, 1.0};
    for (size_t i = 0; i < obstacle->part_count; i++) {
        const struct obstacle_part *part = &obstacle->parts[i];
        struct surface_mesh piece = {0};
        if (!part_surface(part, &piece)) {
            return false;
        }
        positions_rotate(piece.positions, piece.vertex_count, z_axis, part->tilt);
        positions_translate(piece.positions, piece.vertex_count, part->position[0],
                            part->position[1], part->position[2]);
        positions_scale(piece.positions, piece.vertex_count, size);
        const bool appended = surface_mesh_append(out, &piece);
        surface_mesh_free(&piece);
        if (!appended) {
            return false;
        }
    }
    return true;
}

// Options
// --------------------------------------------------------------------------------------------

struct settings {
    const char *mesh, *material, *obstacle, *out, *name;
    double young, poisson, density, damping, dt, size;
    int64_t frames, threads;
    bool vtu;
};

static const struct {
    const char *name;
    int32_t id;
} materials[] = {
    {"fixed-corotated", PBS_MATERIAL_FIXED_COROTATED},
    {"neo-hookean", PBS_MATERIAL_NEO_HOOKEAN},
    {"stable-neo-hookean", PBS_MATERIAL_STABLE_NEO_HOOKEAN},
    {"st-venant-kirchhoff", PBS_MATERIAL_ST_VENANT_KIRCHHOFF},
};

static bool find_material(const char *name, int32_t *id) {
    for (size_t i = 0; i < sizeof materials / sizeof *materials; i++) {
        if (strcmp(materials[i].name, name) == 0) {
            *id = materials[i].id;
            return true;
        }
    }
    return false;
}

static bool read_settings(int argc, char **argv, struct settings *s, int *exit_status) {
    const struct command_option options[] = {
        {"mesh", COMMAND_TEXT, &s->mesh, "FILE", "tetrahedra to drop; without it a torus is made"},
        {"size", COMMAND_NUMBER, &s->size, "S",
         "largest extent in metres the mesh is scaled to; 0 keeps it"},
        {"young", COMMAND_NUMBER, &s->young, "E", "Young's modulus, Pa"},
        {"poisson", COMMAND_NUMBER, &s->poisson, "NU", "Poisson's ratio"},
        {"density", COMMAND_NUMBER, &s->density, "RHO", "kg/m^3"},
        {"damping", COMMAND_NUMBER, &s->damping, "TIME", "Rayleigh damping, seconds"},
        {"material", COMMAND_TEXT, &s->material, "NAME",
         "fixed-corotated, neo-hookean, stable-neo-hookean or st-venant-kirchhoff"},
        {"dt", COMMAND_NUMBER, &s->dt, "H", "seconds per step, which is a frame"},
        {"frames", COMMAND_COUNT, &s->frames, "N", "how many frames"},
        {"obstacle", COMMAND_TEXT, &s->obstacle, "NAME",
         "ground, sphere, bowl, box, capsule, cylinder, ring or wedge"},
        {"threads", COMMAND_COUNT, &s->threads, "N", "threads; 0 is one per processor"},
        {"out", COMMAND_TEXT, &s->out, "DIR", "where the pictures go"},
        {"name", COMMAND_TEXT, &s->name, "NAME", "first part of the files' names"},
        {"vtu", COMMAND_FLAG, &s->vtu, NULL, "also write a .vtu per frame for ParaView"},
    };
    return command_line_or_exit(argc, argv,
                                "Drops a soft body onto an obstacle and draws what happens.",
                                options, sizeof options / sizeof *options, exit_status);
}

// The scene
// ------------------------------------------------------------------------------------------

/// Fields of a .vtu besides positions; null without --vtu.
struct read_back {
    float *narrow;         ///< vertex_count x 3, contact forces as the library writes them
    double *contact_force; ///< vertex_count x 3, N
    double *stress;        ///< tet_count x 9, Pa
};

struct scene {
    struct tet_mesh mesh;
    double size; ///< largest extent, metres
    pbs_world *world;
    pbs_body body;
    struct read_back read_back;
};

static bool load_mesh(const struct settings *s, struct tet_mesh *mesh) {
    if (s->mesh == NULL) {
        return shape_torus(0.34, 0.16, 0.055, mesh);
    }
    struct mesh_report report;
    const struct mesh_read_options options = {.drop_unused = true};
    const bool read = mesh_read_tets(s->mesh, &options, mesh, &report);
    mesh_report_print(&report, stderr);
    return read;
}

/// Scales the mesh to the requested size, tilts the built-in one, and places it above the obstacle.
static void place_mesh(const struct settings *s, const struct obstacle *obstacle,
                       struct scene *scene) {
    struct tet_mesh *mesh = &scene->mesh;
    if (s->mesh == NULL) {
        positions_rotate(mesh->positions, mesh->vertex_count, (double[]){1.0, 0.0, 0.3},
                         0.45 * QUARTER_TURN);
    }
    double lower[3], upper[3];
    positions_bounds(mesh->positions, mesh->vertex_count, lower, upper);
    const double extent = fmax(upper[0] - lower[0], fmax(upper[1] - lower[1], upper[2] - lower[2]));
    const double scale = s->size > 0.0 ? s->size / extent : 1.0;
    scene->size = scale * extent;
    positions_translate(mesh->positions, mesh->vertex_count, -0.5 * (lower[0] + upper[0]),
                        -lower[1], -0.5 * (lower[2] + upper[2]));
    positions_scale(mesh->positions, mesh->vertex_count, scale);
    positions_translate(mesh->positions, mesh->vertex_count, obstacle->start[0] * scene->size,
                        obstacle->start[1] * scene->size, obstacle->start[2] * scene->size);
}

static pbs_status create_scene(const struct settings *s, const struct obstacle *obstacle,
                               int32_t material, struct scene *scene) {
    pbs_world_desc world_desc;
    pbs_world_desc_init(&world_desc, sizeof world_desc);
    world_desc.gravity[1] = -9.81;
    world_desc.threads = (int32_t)s->threads;
    world_desc.contact = PBS_CONTACT_PROJECTION; // as in OPT
    pbs_status status = pbs_world_create(&world_desc, &scene->world);
    if (status == PBS_OK) {
        status = add_obstacle(scene->world, obstacle, scene->size);
    }
    if (status != PBS_OK) {
        return status;
    }
    pbs_solid_desc desc;
    pbs_solid_desc_init(&desc, sizeof desc);
    desc.material = material;
    desc.vertex_count = scene->mesh.vertex_count;
    desc.positions = scene->mesh.positions;
    desc.tet_count = scene->mesh.tet_count;
    desc.tets = scene->mesh.tets;
    desc.young = s->young;
    desc.poisson = s->poisson;
    desc.density = s->density;
    desc.damping = s->damping;
    return pbs_body_create_solid(scene->world, &desc, &scene->body);
}

// The run
// --------------------------------------------------------------------------------------------

enum { FIELD_COUNT = 3 };

static bool read_back_make(const struct scene *scene, struct read_back *out) {
    out->narrow = calloc(3 * scene->mesh.vertex_count, sizeof *out->narrow);
    out->contact_force = calloc(3 * scene->mesh.vertex_count, sizeof *out->contact_force);
    out->stress = calloc(9 * scene->mesh.tet_count, sizeof *out->stress);
    return out->narrow != NULL && out->contact_force != NULL && out->stress != NULL;
}

static void read_back_free(struct read_back *arrays) {
    free(arrays->narrow);
    free(arrays->contact_force);
    free(arrays->stress);
}

static bool read_fields(const struct scene *scene, struct vtu_field fields[FIELD_COUNT],
                        struct message *message) {
    const struct read_back *arrays = &scene->read_back;
    const size_t count = scene->mesh.vertex_count;
    if (pbs_body_read_f32(scene->world, scene->body, PBS_CHANNEL_CONTACT_FORCE, arrays->narrow,
                          3 * sizeof *arrays->narrow, count) < 0 ||
        pbs_body_element_stress(scene->world, scene->body, arrays->stress, scene->mesh.tet_count) <
            0) {
        return message_fail(message, "read-back: %s", pbs_last_error());
    }
    for (size_t i = 0; i < 3 * count; i++) {
        arrays->contact_force[i] = (double)arrays->narrow[i];
    }
    fields[0] = (struct vtu_field){"velocity", 3, false,
                                   pbs_body_velocities(scene->world, scene->body)};
    fields[1] = (struct vtu_field){"contact_force", 3, false, arrays->contact_force};
    fields[2] = (struct vtu_field){"stress", 9, true, arrays->stress};
    return true;
}

static bool add_frame(const struct scene *scene, struct recording *recording,
                      struct message *message) {
    pbs_energy energy = {.struct_size = sizeof energy};
    if (pbs_world_energy(scene->world, &energy) < 0) {
        return message_fail(message, "energy: %s", pbs_last_error());
    }
    const double energies[] = {energy.kinetic, energy.elastic, energy.gravity, energy.total};
    struct vtu_field fields[FIELD_COUNT];
    const bool with_fields = scene->read_back.stress != NULL;
    if (with_fields && !read_fields(scene, fields, message)) {
        return false;
    }
    const struct recording_frame frame = {
        .positions = pbs_body_positions(scene->world, scene->body),
        .energies = energies,
        .fields = fields,
        .field_count = with_fields ? FIELD_COUNT : 0};
    return recording_add_frame(recording, &frame, message);
}

static void print_progress(const struct scene *scene, int64_t frame, int64_t frames) {
    pbs_stats stats = {.struct_size = sizeof stats};
    pbs_world_stats(scene->world, &stats);
    printf("frame %3lld/%lld  t %6.3f s  step %8.2f ms  newton %3u  cg %5u  contacts %5u\n",
           (long long)frame, (long long)frames, pbs_world_time(scene->world),
           1e3 * stats.time.total, stats.newton.iterations, stats.linear.iterations,
           stats.contact.active);
    fflush(stdout);
}

static bool run(const struct settings *s, const struct scene *scene, struct recording *recording,
                struct message *message) {
    if (!add_frame(scene, recording, message)) {
        return false;
    }
    interrupt_catch();
    for (int64_t frame = 1; frame <= s->frames && !interrupt_was_requested(); frame++) {
        if (pbs_world_step(scene->world, s->dt) < 0) {
            return message_fail(message, "frame %lld: %s", (long long)frame, pbs_last_error());
        }
        print_progress(scene, frame, s->frames);
        if (!add_frame(scene, recording, message)) {
            return false;
        }
    }
    return true;
}

static struct recording *create_recording(const struct settings *s, const struct obstacle *obstacle,
                                          const struct scene *scene, struct message *message) {
    static const char *const energy_names[] = {"kinetic", "elastic", "gravity", "total"};
    struct recording_desc desc = {
        .title = s->name,
        .frame_rate = 1.0 / s->dt,
        .vertex_count = scene->mesh.vertex_count,
        .has_ground = obstacle->ground,
        .energy_names = energy_names,
        .energy_count = sizeof energy_names / sizeof *energy_names,
        .vtu_directory = s->vtu ? s->out : NULL,
        .vtu_name = s->name,
        .tets = scene->mesh.tets,
        .tet_count = scene->mesh.tet_count,
    };
    if (pbs_body_surface(scene->world, scene->body, &desc.triangles, &desc.triangle_count) < 0) {
        message_fail(message, "surface: %s", pbs_last_error());
        return NULL;
    }
    struct surface_mesh drawn = {0};
    struct recording *recording = NULL;
    if (obstacle_surface(obstacle, scene->size, &drawn)) {
        desc.obstacles = &drawn;
        recording = recording_create(&desc, message);
    } else {
        message_fail(message, "out of memory while making the obstacle's triangles");
    }
    surface_mesh_free(&drawn);
    return recording;
}

static bool drop(const struct settings *s, struct scene *scene, struct message *message) {
    const struct obstacle *obstacle = find_obstacle(s->obstacle);
    int32_t material;
    if (obstacle == NULL) {
        return message_fail(message, "--obstacle: there is no \"%s\"", s->obstacle);
    }
    if (!find_material(s->material, &material)) {
        return message_fail(message, "--material: there is no \"%s\"", s->material);
    }
    if (!(s->dt > 0.0)) {
        return message_fail(message, "--dt: must be positive");
    }
    if (!load_mesh(s, &scene->mesh)) {
        return message_fail(message, "no mesh to drop");
    }
    place_mesh(s, obstacle, scene);
    if (create_scene(s, obstacle, material, scene) != PBS_OK) {
        return message_fail(message, "%s", pbs_last_error());
    }
    printf("%zu vertices, %zu tetrahedra, %.3g m, E = %g Pa, onto the %s\n",
           scene->mesh.vertex_count, scene->mesh.tet_count, scene->size, s->young, obstacle->name);
    if (s->vtu && !read_back_make(scene, &scene->read_back)) {
        return message_fail(message, "out of memory for the fields of the .vtu files");
    }
    struct recording *recording = create_recording(s, obstacle, scene, message);
    // A run that fails still writes the frames that it has recorded.
    struct message written = {{0}};
    const bool dropped = recording != NULL && run(s, scene, recording, message);
    const bool saved = recording != NULL && recording_write(recording, s->out, s->name, &written);
    if (dropped && !saved) {
        *message = written;
    }
    recording_destroy(recording);
    return dropped && saved;
}

int main(int argc, char **argv) {
    struct settings settings = {
        .material = "stable-neo-hookean",
        .obstacle = "sphere",
        .out = "demo",
        .name = "drop",
        .young = 2e4,
        .poisson = 0.4,
        .density = 1000.0,
        .dt = 1.0 / 24.0,
        .size = 1.0,
        .frames = 48,
    };
    int exit_status = 0;
    if (!read_settings(argc, argv, &settings, &exit_status)) {
        return exit_status;
    }
    struct scene scene = {0};
    struct message message = {{0}};
    const bool done = drop(&settings, &scene, &message);
    if (!done) {
        fprintf(stderr, "drop: %s\n", message.text);
    } else {
        printf("wrote %s/%s.html, .png, _sheet.png, .glb and _energy.csv\n", settings.out,
               settings.name);
    }
    pbs_world_destroy(scene.world);
    read_back_free(&scene.read_back);
    tet_mesh_free(&scene.mesh);
    return done ? 0 : 1;
}
