// Bonded bodies as a kind of body, and how they are saved.
#include <math.h>

#include "world/interface/check.h"
#include "world/objects/body_table.h"
#include "world/particles/body_bonds.h"
#include "world/particles/bonded.h"
#include "world/particles/saved_bonds.h"

static pbs_status warn(const struct scene *scene, const struct body *body) {
    return bonded_check_weight(&scene->nodes, body, scene->settings.gravity);
}

static void free_own(struct body *body, struct memory *memory) {
    body_bonds_free(body, memory);
    fracture_surface_free(&body->bonded.surface, memory);
    memory_release(memory, body->bonded.radii);
    memory_release(memory, body->bonded.bond_radii);
    memory_release(memory, body->bonded.young);
    memory_release(memory, body->bonded.shear_moduli);
    memory_release(memory, body->bonded.tensile);
    memory_release(memory, body->bonded.shearing);
    memory_release(memory, body->bonded.orientations);
    memory_release(memory, body->bonded.angular_velocities);
}

static double largest(const double *values, size_t count) {
    double most = 0.0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, values[i]);
    }
    return most;
}

static double stiffest(const struct body *body) {
    return largest(body->bonded.young, body->bonds.count);
}

static int32_t bond_form(const struct body *body) {
    return body->bonded.shear;
}

static double bond_young(const struct body *body, size_t bond) {
    return body->bonded.young[bond];
}

static bool find_parameter(struct body *body, struct nodes *nodes, int32_t id,
                           struct body_parameter *out) {
    (void)nodes;
    return body_find_damping(body, id, out) || body_find_drag(body, id, out);
}

// --- saving ---

static void write(struct byte_writer *out, const struct body *body, const struct nodes *nodes) {
    const struct bonded_body *bonded = &body->bonded;
    write_u32(out, (uint32_t)bonded->shear);
    write_f64(out, body->drag);
    write_f64(out, body->damping);
    write_f64(out, bonded->shear_factor);
    write_u64(out, body->vertex_count);
    write_doubles(out, body->bonds.rest, 3 * body->vertex_count);
    write_doubles(out, bonded->radii, body->vertex_count);
    write_doubles(out, body->bonds.contact_radii, body->vertex_count);
    write_f64(out, body->bonds.rest_gap);
    write_doubles(out, nodes->mass + body->node_start, body->vertex_count);
    write_u64(out, body->bonds.count);
    write_bytes(out, body->bonds.pairs, body->bonds.count * 2 * sizeof *body->bonds.pairs);
    write_doubles(out, bonded->bond_radii, body->bonds.count);
    write_doubles(out, bonded->young, body->bonds.count);
    write_doubles(out, bonded->shear_moduli, body->bonds.count);
    write_doubles(out, bonded->tensile, body->bonds.count);
    write_doubles(out, bonded->shearing, body->bonds.count);
    write_u64(out, bonded->surface.mesh.vertex_count);
    write_doubles(out, bonded->surface.mesh.positions, 3 * bonded->surface.mesh.vertex_count);
    write_u64(out, bonded->surface.mesh.tet_count);
    write_bytes(out, bonded->surface.mesh.tets,
                4 * bonded->surface.mesh.tet_count * sizeof *bonded->surface.mesh.tets);
}

static void write_state(struct byte_writer *out, const struct body *body) {
    saved_bonds_write_broken(out, body);
    write_doubles(out, body->bonded.orientations, 4 * body->vertex_count);
    saved_bonds_write_fragments(out, body);
}

/// Reads strengths. Bonds that never break have infinite strengths, which a description gives as 0.
static pbs_status read_strengths(struct byte_reader *in, struct memory *memory, size_t count,
                                 double **out) {
    RETURN_IF_FAILED(read_block(in, memory, count, sizeof **out, out));
    for (size_t i = 0; i < count; i++) {
        if ((*out)[i] == 0.0) {
            return status_fail(PBS_ERROR_FORMAT, "bond %zu: a strength of 0", i);
        }
        (*out)[i] = isinf((*out)[i]) && (*out)[i] > 0.0 ? 0.0 : (*out)[i];
    }
    return PBS_OK;
}

/// Reads the tetrahedra from which the particles were made, if any.
static pbs_status read_mesh(struct byte_reader *in, struct memory *memory,
                            struct saved_arrays *arrays, size_t particle_count,
                            struct tet_mesh_view *mesh) {
    const size_t size = 4 * sizeof(uint32_t);
    RETURN_IF_FAILED(read_count(in, "vertices", 3 * sizeof(double), &mesh->vertex_count));
    RETURN_IF_FAILED(
        read_block(in, memory, mesh->vertex_count, 3 * sizeof(double), &arrays->vertices));
    RETURN_IF_FAILED(read_count(in, "tetrahedra", size, &mesh->tet_count));
    RETURN_IF_FAILED(read_block(in, memory, mesh->tet_count, size, &arrays->tets));
    mesh->positions = arrays->vertices;
    mesh->tets = arrays->tets;
    if (mesh->tet_count == 0 && mesh->vertex_count == 0) {
        return PBS_OK;
    }
    return mesh->tet_count == particle_count
               ? tet_mesh_check(mesh, memory)
               : status_fail(PBS_ERROR_FORMAT, "%zu particles of %zu tetrahedra", particle_count,
                             mesh->tet_count);
}

static pbs_status read(struct byte_reader *in, struct memory *memory, struct scene *scene,
                       struct saved_arrays *arrays, struct body **out) {
    pbs_bonded_desc d = {
        .struct_size = sizeof d, .density = 1.0, .young = 1.0, .shear_modulus = 1.0};
    d.no_gravity = 1; // its scale of gravity is with what all bodies have
    d.shear = (int32_t)read_u32(in);
    d.drag = read_f64(in);
    d.damping = read_f64(in);
    d.shear_factor = read_f64(in);
    RETURN_IF_FAILED(read_count(in, "particles", 10 * sizeof(double), &d.particle_count));
    RETURN_IF_FAILED(
        read_block(in, memory, d.particle_count, 3 * sizeof(double), &arrays->positions));
    RETURN_IF_FAILED(read_block(in, memory, d.particle_count, sizeof(double), &arrays->radii));
    RETURN_IF_FAILED(
        read_block(in, memory, d.particle_count, sizeof(double), &arrays->contact_radii));
    const double space = read_f64(in);
    RETURN_IF_FAILED(check_not_negative(space, "space of contact"));
    RETURN_IF_FAILED(read_block(in, memory, d.particle_count, sizeof(double), &arrays->masses));
    const size_t size = 2 * sizeof *d.bonds;
    RETURN_IF_FAILED(read_count(in, "bonds", size + 6 * sizeof(double) + 1, &d.bond_count));
    RETURN_IF_FAILED(read_block(in, memory, d.bond_count, size, &arrays->indices));
    for (int i = 0; i < 3; i++) {
        RETURN_IF_FAILED(read_block(in, memory, d.bond_count, sizeof(double), &arrays->values[i]));
    }
    d.positions = arrays->positions;
    d.radii = arrays->radii;
    d.contact_radii = arrays->contact_radii;
    d.masses = arrays->masses;
    d.bonds = arrays->indices;
    d.bond_radii = arrays->values[0];
    d.bond_young = arrays->values[1];
    d.bond_shear_moduli = arrays->values[2];
    for (int i = 3; i < 5; i++) {
        RETURN_IF_FAILED(read_strengths(in, memory, d.bond_count, &arrays->values[i]));
    }
    d.bond_tensile_strengths = arrays->values[3];
    d.bond_shear_strengths = arrays->values[4];
    struct tet_mesh_view mesh = {0};
    RETURN_IF_FAILED(read_mesh(in, memory, arrays, d.particle_count, &mesh));
    RETURN_IF_FAILED(bonded_body_make(scene, memory, &d, &mesh, out));
    (*out)->bonds.rest_gap = space;
    return PBS_OK;
}

/// Reads the orientations without normalising them, so that a restored world continues with
/// bit-identical results.
static pbs_status read_orientations(struct byte_reader *in, const struct body *body) {
    read_doubles(in, body->bonded.orientations, 4 * body->vertex_count);
    for (size_t i = 0; i < body->vertex_count; i++) {
        double unit[4];
        RETURN_IF_FAILED(check_quaternion(body->bonded.orientations + 4 * i, "orientation", unit));
    }
    return PBS_OK;
}

static pbs_status resume(struct byte_reader *in, struct memory *memory, struct body *body) {
    RETURN_IF_FAILED(saved_bonds_read_broken(in, body));
    RETURN_IF_FAILED(read_orientations(in, body));
    return saved_bonds_read_fragments(in, memory, body);
}

const struct body_table body_table_bonded = {
    .id = BODY_BONDED,
    .kind = PBS_BODY_BONDED,
    .settings = &settings_bonded,
    .create = bonded_body_create,
    .warn = warn,
    .free = free_own,
    .write = write,
    .read = read,
    .write_state = write_state,
    .resume = resume,
    .check_scheme = bonded_check_scheme,
    .add_terms = bonded_add_terms,
    .find_parameter = find_parameter,
    .stiffest = stiffest,
    .bond_form = bond_form,
    .bond_young = bond_young,
    .read_loads = bonded_read_loads,
    .measure_excess = bonded_measure_excess,
    .damped = &bonded_damped,
    .crack_step = bonded_crack_step,
    .measure_waves = bonded_measure_waves,
};
