// Makes bonded bodies from tetrahedra (docs/theory/bonds.md section 3): particles, bonds between
// neighbouring tetrahedra, and the bond moduli that give the body the requested moduli.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "geometry/meshes/tet_mesh.h"
#include "world/particles/bonded.h"
#include "world/interface/check.h"

static const double PI = 3.14159265358979323846;

// --- moduli ---

/// Young's modulus and Poisson's ratio of a body for given ratios of its bonds' moduli, measured in
/// tension tests of blocks of tetrahedra.
static const struct {
    double shear_over_young, young_of_whole, poisson; ///< young_of_whole: Young's modulus of the
                                                      ///< body over that of its bonds
} moduli[] = {
    {1.0, 1.033, 0.002},   {0.7, 0.865, 0.089},   {0.5, 0.713, 0.164},   {0.4, 0.619, 0.212},
    {0.385, 0.604, 0.220}, {0.357, 0.574, 0.235}, {0.333, 0.548, 0.249}, {0.28, 0.483, 0.281},
    {0.2, 0.376, 0.336},   {0.15, 0.298, 0.374},  {0.1, 0.213, 0.418},
};
enum { MODULI = sizeof moduli / sizeof moduli[0] };

pbs_status pbs_bonded_moduli(double macro_young, double macro_poisson, double *young,
                             double *shear_modulus) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(check_pointer(young, "young"));
    RETURN_IF_FAILED(check_pointer(shear_modulus, "shear_modulus"));
    RETURN_IF_FAILED(check_positive(macro_young, "macro_young"));
    if (!(macro_poisson >= 0.0 && macro_poisson <= 0.42)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "macro_poisson is %g, must be between 0 and 0.42, the range that bonds "
                           "between tetrahedra reach",
                           macro_poisson);
    }
    int row = 1;
    while (row + 1 < MODULI && moduli[row].poisson < macro_poisson) {
        row++;
    }
    // The table is extrapolated linearly by 0.002 in Poisson's ratio at both ends.
    const double part = (macro_poisson - moduli[row - 1].poisson) /
                        (moduli[row].poisson - moduli[row - 1].poisson);
    const double ratio = moduli[row - 1].shear_over_young +
                         part * (moduli[row].shear_over_young - moduli[row - 1].shear_over_young);
    const double whole = moduli[row - 1].young_of_whole +
                         part * (moduli[row].young_of_whole - moduli[row - 1].young_of_whole);
    *young = macro_young / whole;
    *shear_modulus = ratio * *young;
    return PBS_OK;
}

// --- particles and bonds ---

static pbs_status check_description(const pbs_bonded_desc *d) {
    if (d->positions != NULL || d->radii != NULL || d->masses != NULL || d->bonds != NULL ||
        d->bond_radii != NULL || d->bond_young != NULL || d->bond_shear_moduli != NULL ||
        d->bond_tensile_strengths != NULL || d->bond_shear_strengths != NULL ||
        d->bond_fracture_energies != NULL) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "tets is given, and so are arrays of particles or bonds, which would be "
                           "made from tets: give one of them");
    }
    if (d->particle_count != 0 && d->particle_count != d->tet_count) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "particle_count is %zu, must be 0 or that of the tetrahedra, %zu",
                           d->particle_count, d->tet_count);
    }
    RETURN_IF_FAILED(check_count(d->vertex_count, "vertex_count"));
    RETURN_IF_FAILED(check_points(d->vertices, d->vertex_count, "vertices"));
    RETURN_IF_FAILED(check_count(d->tet_count, "tet_count"));
    return check_positive(d->density, "density");
}

static double area_of(const struct tet_mesh_view *mesh, const uint32_t *v) {
    const double *origin = mesh->positions + 3 * (size_t)v[0];
    double edges[2][3];
    double normal[3];
    subtract3(mesh->positions + 3 * (size_t)v[1], origin, edges[0]);
    subtract3(mesh->positions + 3 * (size_t)v[2], origin, edges[1]);
    cross3(edges[0], edges[1], normal);
    return 0.5 * norm3(normal);
}

// The contact spheres, enlarged by half the contact distance, lie inside their tetrahedra, so there
// is no contact force at rest. Half the contact distance is HALF_GAP_FRACTION times the mean
// inscribed radius (about the centroid), but at most the smallest inscribed radius, so that thin
// tetrahedra are not in contact at rest.
static const double SPHERE_FRACTION = 0.9, HALF_GAP_FRACTION = 0.05;

/// Returns the radius of the largest sphere about the centroid. 3 V over the largest face is the
/// smallest height, and the centroid is at a quarter of it.
static double inner_radius(const struct tet_mesh_view *mesh, size_t tet) {
    const uint32_t *v = mesh->tets + 4 * tet;
    double area = 0.0;
    for (int face = 0; face < 4; face++) {
        const uint32_t corners[3] = {v[(face + 1) % 4], v[(face + 2) % 4], v[(face + 3) % 4]};
        area = fmax(area, area_of(mesh, corners));
    }
    return 0.75 * tet_signed_volume(mesh, tet) / area;
}

static void fill_particles(const struct tet_mesh_view *mesh, double density,
                           const struct bonded_arrays *out) {
    for (size_t t = 0; t < mesh->tet_count; t++) {
        const double volume = tet_signed_volume(mesh, t);
        double *center = out->positions + 3 * t;
        for (size_t i = 0; i < 4; i++) {
            add_scaled3(center, 0.25, mesh->positions + 3 * (size_t)mesh->tets[4 * t + i], center);
        }
        out->radii[t] = cbrt(0.75 * volume / PI);
        out->contact_radii[t] = inner_radius(mesh, t);
        out->masses[t] = density * volume;
    }
}

/// Computes rest_gap and the final contact_radii. On entry contact_radii has the inscribed
/// radii.
static void choose_rest_gap(size_t count, struct bonded_arrays *out) {
    double sum = 0.0;
    double least = INFINITY;
    for (size_t t = 0; t < count; t++) {
        sum += out->contact_radii[t];
        least = fmin(least, out->contact_radii[t]);
    }
    const double half = fmin(HALF_GAP_FRACTION * sum / (double)count, least);
    out->rest_gap = 2.0 * half;
    for (size_t t = 0; t < count; t++) {
        const double largest = out->contact_radii[t];
        out->contact_radii[t] = fmin(SPHERE_FRACTION * largest, largest - half);
    }
}

static pbs_status fill(const struct tet_mesh_view *mesh, struct memory *memory,
                       const pbs_bonded_desc *d, struct bonded_arrays *out) {
    struct tet_inner_face *faces = NULL;
    RETURN_IF_FAILED(tet_inner_faces(mesh, memory, &faces, &out->bond_count));
    out->positions = memory_allocate(memory, mesh->tet_count, 3 * sizeof(double));
    out->radii = memory_allocate(memory, mesh->tet_count, sizeof(double));
    out->masses = memory_allocate(memory, mesh->tet_count, sizeof(double));
    out->contact_radii = memory_allocate(memory, mesh->tet_count, sizeof(double));
    out->bonds = memory_allocate(memory, out->bond_count, 2 * sizeof *out->bonds);
    out->bond_radii = memory_allocate(memory, out->bond_count, sizeof(double));
    pbs_status status = PBS_ERROR_MEMORY;
    if (out->positions != NULL && out->radii != NULL && out->masses != NULL &&
        out->contact_radii != NULL && out->bonds != NULL && out->bond_radii != NULL) {
        fill_particles(mesh, d->density, out);
        choose_rest_gap(mesh->tet_count, out);
        for (size_t b = 0; b < out->bond_count; b++) {
            memcpy(out->bonds + 2 * b, faces[b].tets, sizeof faces[b].tets);
            out->bond_radii[b] = sqrt(area_of(mesh, faces[b].vertices) / PI);
        }
        status = PBS_OK;
    }
    memory_release(memory, faces);
    return status;
}

pbs_status bonded_from_tets(struct memory *memory, pbs_bonded_desc *d, struct bonded_arrays *out) {
    const struct tet_mesh_view mesh = {d->vertex_count, d->vertices, d->tet_count, d->tets};
    RETURN_IF_FAILED(check_description(d));
    RETURN_IF_FAILED(tet_mesh_check(&mesh, memory));
    if (d->macro_young != 0.0) {
        RETURN_IF_FAILED(
            pbs_bonded_moduli(d->macro_young, d->macro_poisson, &d->young, &d->shear_modulus));
    }
    RETURN_IF_FAILED(fill(&mesh, memory, d, out));
    d->particle_count = d->tet_count;
    d->positions = out->positions;
    d->radii = out->radii;
    d->masses = out->masses;
    if (d->contact_radii == NULL && d->contact_scale == 0.0) {
        d->contact_radii = out->contact_radii;
    } else {
        out->rest_gap = 0.0;
    }
    d->bond_count = out->bond_count;
    d->bonds = out->bonds;
    d->bond_radii = out->bond_radii;
    return PBS_OK;
}

void bonded_arrays_free(struct bonded_arrays *arrays, struct memory *memory) {
    memory_release(memory, arrays->positions);
    memory_release(memory, arrays->radii);
    memory_release(memory, arrays->masses);
    memory_release(memory, arrays->contact_radii);
    memory_release(memory, arrays->bonds);
    memory_release(memory, arrays->bond_radii);
}
