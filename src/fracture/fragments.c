// See fragments.h. Union-find over the intact bonds, linear in particles and bonds.
// SPDX-License-Identifier: MIT
#include "fracture/fragments.h"

#include <string.h>

#include "base/disjoint_sets.h"

static const uint32_t NONE = UINT32_MAX;

static void find_roots(const struct fragments *f, const struct bond_list *bonds) {
    disjoint_sets_begin(f->root, f->particle_count);
    for (size_t b = 0; b < bonds->count; b++) {
        if (bonds->broken[b] == 0) {
            disjoint_sets_join(f->root, bonds->pairs[2 * b], bonds->pairs[2 * b + 1]);
        }
    }
    disjoint_sets_flatten(f->root, f->particle_count);
}

/// Lists the members of all fragments.
static void list_members(struct fragments *f) {
    memset(f->first, 0, (f->count + 1) * sizeof *f->first);
    for (size_t i = 0; i < f->particle_count; i++) {
        f->first[f->fragment[i] + 1]++;
    }
    for (size_t k = 0; k < f->count; k++) {
        f->first[k + 1] += f->first[k];
    }
    for (size_t i = 0; i < f->particle_count; i++) {
        f->members[f->first[f->fragment[i]]++] = (uint32_t)i;
    }
    // Each offset has advanced to the next one: shift them back.
    memmove(f->first + 1, f->first, f->count * sizeof *f->first);
    f->first[0] = 0;
}

/// Sums for each particle the volume that its bonds reached and the part of it that is lost: all of
/// a broken bond's, and of a softened bond's the lost fraction of its stiffness.
static void measure_lost_volume(const struct fragments *f, const struct bond_list *bonds) {
    memset(f->bond_volumes, 0, 2 * f->particle_count * sizeof *f->bond_volumes);
    for (size_t i = 0; i < 2 * bonds->count; i++) {
        if (bonds->broken[i / 2] != BOND_CUT) {
            const double volume = (double)bonds->volume_fractions[i / 2] *
                                  bonds->volumes[bonds->pairs[i ^ 1]];
            double *bond_volumes = f->bond_volumes + 2 * (size_t)bonds->pairs[i];
            const double remaining = bonds->remaining != NULL ? bonds->remaining[i / 2] : 1.0;
            bond_volumes[0] += volume;
            bond_volumes[1] += bonds->broken[i / 2] == BOND_BROKE ? volume
                                                                  : (1.0 - remaining) * volume;
        }
    }
    for (size_t i = 0; i < f->particle_count; i++) {
        f->damage[i] = f->bond_volumes[2 * i + 1] > 0.0
                           ? (float)(f->bond_volumes[2 * i + 1] / f->bond_volumes[2 * i])
                           : 0.0F;
    }
}

/// Uses `root` and `size` as counters of each particle's broken bonds and of all its bonds.
void fragments_measure_damage(struct fragments *f, const struct bond_list *bonds) {
    if (bonds->volume_fractions != NULL) {
        measure_lost_volume(f, bonds);
        return;
    }
    memset(f->root, 0, f->particle_count * sizeof *f->root);
    memset(f->size, 0, f->particle_count * sizeof *f->size);
    for (size_t i = 0; i < 2 * bonds->count; i++) {
        f->root[bonds->pairs[i]] += bonds->broken[i / 2] == BOND_BROKE;
        f->size[bonds->pairs[i]] += bonds->broken[i / 2] != BOND_CUT;
    }
    for (size_t i = 0; i < f->particle_count; i++) {
        f->damage[i] = f->root[i] > 0 ? (float)f->root[i] / (float)f->size[i] : 0.0F;
    }
}

void fragments_free(struct fragments *f, struct memory *memory) {
    memory_release(memory, f->fragment);
    memory_release(memory, f->parent);
    memory_release(memory, f->first);
    memory_release(memory, f->members);
    memory_release(memory, f->damage);
    memory_release(memory, f->root);
    memory_release(memory, f->size);
    memory_release(memory, f->bond_volumes);
    *f = (struct fragments){0};
}

pbs_status fragments_begin(struct fragments *f, struct memory *memory, size_t particle_count,
                           const struct bond_list *bonds) {
    *f = (struct fragments){
        .particle_count = particle_count,
        .fragment = memory_allocate(memory, particle_count, sizeof *f->fragment),
        .parent = memory_allocate(memory, particle_count, sizeof *f->parent),
        .first = memory_allocate(memory, particle_count + 1, sizeof *f->first),
        .members = memory_allocate(memory, particle_count, sizeof *f->members),
        .damage = memory_allocate(memory, particle_count, sizeof *f->damage),
        .root = memory_allocate(memory, particle_count, sizeof *f->root),
        .size = memory_allocate(memory, particle_count, sizeof *f->size)};
    if (f->fragment == NULL || f->parent == NULL || f->first == NULL || f->members == NULL ||
        f->damage == NULL || f->root == NULL || f->size == NULL) {
        return PBS_ERROR_MEMORY;
    }
    if (bonds->volume_fractions != NULL) {
        f->bond_volumes = memory_allocate(memory, particle_count, 2 * sizeof *f->bond_volumes);
        if (f->bond_volumes == NULL) {
            return PBS_ERROR_MEMORY;
        }
    }
    find_roots(f, bonds);
    for (size_t i = 0; i < particle_count; i++) {
        if (f->root[i] == i) {
            f->parent[f->count] = (uint32_t)f->count;
            f->fragment[i] = (uint32_t)f->count++;
        } else {
            f->fragment[i] = f->fragment[f->root[i]];
        }
    }
    list_members(f);
    fragments_measure_damage(f, bonds);
    return PBS_OK;
}

/// Returns the first particle of the part that retains the fragment's number.
static uint32_t largest_part(const struct fragments *f, const uint32_t *members, size_t count) {
    uint32_t largest = members[0];
    for (size_t i = 0; i < count; i++) {
        f->size[members[i]] = 0;
    }
    for (size_t i = 0; i < count; i++) {
        f->size[f->root[members[i]]]++;
    }
    for (size_t i = 0; i < count; i++) {
        largest = f->size[members[i]] > f->size[largest] ? members[i] : largest;
    }
    return largest;
}

void fragments_update(struct fragments *f, const struct bond_list *bonds) {
    const size_t before = f->count;
    find_roots(f, bonds);
    for (size_t k = 0; k < before; k++) {
        const uint32_t *members = f->members + f->first[k];
        const size_t count = f->first[k + 1] - f->first[k];
        const uint32_t kept = largest_part(f, members, count);
        for (size_t i = 0; i < count; i++) {
            const uint32_t particle = members[i];
            if (f->root[particle] != particle) {
                f->fragment[particle] = f->fragment[f->root[particle]];
            } else if (particle != kept) {
                f->parent[f->count] = (uint32_t)k;
                f->fragment[particle] = (uint32_t)f->count++;
            }
        }
    }
    list_members(f);
    fragments_measure_damage(f, bonds);
}

/// Whether two particles have the same number exactly if they are connected, and every number is
/// used. Uses `size` for the root of each number.
static bool are_numbers(const struct fragments *f, const uint32_t *fragment, size_t count) {
    size_t found = 0;
    for (size_t k = 0; k < count; k++) {
        f->size[k] = NONE;
    }
    for (size_t i = 0; i < f->particle_count; i++) {
        if (fragment[i] >= count) {
            return false;
        }
        uint32_t *root = &f->size[fragment[i]];
        found += *root == NONE;
        *root = *root == NONE ? f->root[i] : *root;
        if (*root != f->root[i] || fragment[f->root[i]] != fragment[i]) {
            return false;
        }
    }
    return found == count;
}

/// Whether every fragment's parent has a number that is not higher than its own.
static bool are_parents(const uint32_t *parent, size_t count) {
    for (size_t k = 0; k < count; k++) {
        if (parent[k] > k) {
            return false;
        }
    }
    return true;
}

bool fragments_restore(struct fragments *f, const struct bond_list *bonds, const uint32_t *fragment,
                       const uint32_t *parent, size_t count) {
    find_roots(f, bonds);
    if (count > f->particle_count || !are_numbers(f, fragment, count) ||
        !are_parents(parent, count)) {
        return false;
    }
    f->count = count;
    memcpy(f->fragment, fragment, f->particle_count * sizeof *fragment);
    memcpy(f->parent, parent, count * sizeof *parent);
    list_members(f);
    fragments_measure_damage(f, bonds);
    return true;
}
