// Arranges bonds in lanes and evaluates them. A bond's energy depends on the order of its nodes,
// which the assembly may permute. Nodes, vector slots and block slots are therefore stored in the
// bond's own order, and blocks that the assembly stores transposed are transposed lane by lane.
// SPDX-License-Identifier: MIT
#include "energy/bonds/bonds.h"

#include "base/matrix3/math3.h"
#include "base/matrix3/rotation_chart.h"
#include "base/runtime/tasks.h"
#include "energy/bonds/bond_lanes.h"
#include "energy/element.h"
#include "energy/scatter.h"

// A bond's own order of nodes: position and rotation of i, position and rotation of j.
enum { WIDTH = 4, PAIR_COUNT = 10, ENDS = 2 };

// Doubles per lane: direction, length, four stiffnesses, 1 / r of both ends, damping.
enum { DOUBLES_PER_LANE = 11 };

// Doubles per lane for limits: least energy, normal, shear, lever.
enum { DOUBLES_PER_LIMIT = 4 };

/// Element data by groups of eight lanes; every array is [group][...][8].
struct bond_elements {
    const double *lanes;         ///< [g][DOUBLES_PER_LANE][8]; zero stiffness in padding lanes
    const uint32_t *node, *slot; ///< [g][WIDTH][8]: the groups' node and vector_slot, in the bond's
                                 ///< own order
    const uint32_t *rotation;    ///< [g][ENDS][8]: index into orientations
    const uint32_t *block; ///< [g][PAIR_COUNT][8]: the groups' block_slot, in the bond's own order
    const uint32_t *transposed; ///< [g][PAIR_COUNT]: bit l: the assembly stores the block of lane l
                                ///< transposed
    const double *limits;       ///< [g][DOUBLES_PER_LIMIT][8]; null: nothing breaks
    uint8_t *overloaded;        ///< [g]: bit l: lane l may be above its limits
    const double *orientations;
    bool angle; ///< shear by the angle instead of the chord
};

struct bonds {
    size_t count;
    uint32_t *nodes, *rotations;
    double *radii, *rest;
    struct bond_stiffness *stiffness;
    double *damping;
    uint8_t *broken;
    struct bond_limit *limits; ///< null: nothing breaks
    uint8_t *marks;            ///< by bond, see bonds_overloaded
    bool has_marks;            ///< some marks are set
    uint64_t changes;          ///< number of changes of `broken`
    bool has_damping;
    struct bond_elements elements;
    double *lanes;       ///< storage of elements.lanes, followed by elements.limits
    uint32_t *indices;   ///< storage of elements' index arrays
    uint8_t *overloaded; ///< storage of elements.overloaded
    size_t lanes_capacity, indices_capacity, overloaded_capacity;
    const uint32_t *stencil, *lane, *domain_group; ///< arrays of the assembly's groups
    size_t group_count;
};

// --- creation ---

struct bond_stiffness bond_stiffness_of_beam(double young, double shear_modulus,
                                             double shear_factor, double radius, double length) {
    const double area = 3.14159265358979323846 * radius * radius;
    const double moment = 0.25 * area * radius * radius;
    return (struct bond_stiffness){
        .stretch = young * area / length,
        .shear = shear_factor * shear_modulus * area / length,
        .bending = young * moment / length,
        .twisting = 2.0 * shear_modulus * moment / length,
    };
}

struct bond_limit bond_limit_of(double tensile, double shearing, double radius) {
    const double area = 3.14159265358979323846 * radius * radius;
    return (struct bond_limit){tensile * area, shearing * area, 4.0 / radius};
}

static void destroy(void *self, struct memory *memory) {
    struct bonds *bonds = self;
    if (bonds == NULL) {
        return;
    }
    memory_release(memory, bonds->nodes);
    memory_release(memory, bonds->rotations);
    memory_release(memory, bonds->radii);
    memory_release(memory, bonds->rest);
    memory_release(memory, bonds->stiffness);
    memory_release(memory, bonds->damping);
    memory_release(memory, bonds->broken);
    memory_release(memory, bonds->limits);
    memory_release(memory, bonds->marks);
    memory_release(memory, bonds->lanes);
    memory_release(memory, bonds->indices);
    memory_release(memory, bonds->overloaded);
    memory_release(memory, bonds);
}

pbs_status bonds_create(struct memory *memory, const struct bonds_input *input,
                        struct bonds **out) {
    struct bonds *bonds = memory_allocate(memory, 1, sizeof *bonds);
    if (bonds == NULL) {
        return PBS_ERROR_MEMORY;
    }
    const size_t count = input->count;
    bonds->count = count;
    bonds->elements.orientations = input->orientations;
    bonds->elements.angle = input->shear == BOND_SHEAR_ANGLE;
    bonds->nodes = memory_copy(memory, input->nodes, count, WIDTH * sizeof *bonds->nodes);
    bonds->rotations = memory_copy(memory, input->rotations, count,
                                   ENDS * sizeof *bonds->rotations);
    bonds->radii = memory_copy(memory, input->radii, count, ENDS * sizeof(double));
    bonds->rest = memory_copy(memory, input->rest, count, 3 * sizeof(double));
    bonds->stiffness = memory_copy(memory, input->stiffness, count, sizeof *bonds->stiffness);
    bonds->damping = memory_copy(memory, input->damping, count, sizeof(double));
    bonds->broken = memory_allocate(memory, count, sizeof *bonds->broken);
    const bool has_limits = input->limits != NULL;
    if (has_limits) {
        bonds->limits = memory_copy(memory, input->limits, count, sizeof *bonds->limits);
        bonds->marks = memory_allocate(memory, count, sizeof *bonds->marks);
    }
    if ((has_limits && (bonds->limits == NULL || bonds->marks == NULL)) || bonds->broken == NULL ||
        bonds->nodes == NULL || bonds->rotations == NULL || bonds->radii == NULL ||
        bonds->rest == NULL || bonds->stiffness == NULL || bonds->damping == NULL) {
        destroy(bonds, memory);
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        bonds->has_damping |= input->damping[i] > 0.0;
        bonds->broken[i] = input->broken != NULL && input->broken[i] != 0;
        bonds->changes += bonds->broken[i];
    }
    *out = bonds;
    return PBS_OK;
}

// --- lane arrays ---

/// Returns the index of pair (a, b), a <= b, in the order 00 01 02 03 11 12 13 22 23 33.
static size_t pair_index(size_t a, size_t b) {
    return a * (2 * WIDTH - 1 - a) / 2 + b;
}

/// Writes the doubles of a lane. Padding and broken bonds get zero stiffness.
static void fill_lane(const struct bonds *bonds, size_t s, bool padding, double *lane) {
    const bool inactive = padding || bonds->broken[s] != 0;
    const double *rest = bonds->rest + 3 * s;
    const struct bond_stiffness *stiffness = &bonds->stiffness[s];
    const double length = norm3(rest);
    const double values[DOUBLES_PER_LANE] = {
        rest[0] / length,
        rest[1] / length,
        rest[2] / length,
        length,
        inactive ? 0.0 : stiffness->stretch,
        inactive ? 0.0 : stiffness->shear * length * length,
        inactive ? 0.0 : stiffness->bending,
        inactive ? 0.0 : stiffness->twisting - stiffness->bending,
        1.0 / bonds->radii[2 * s],
        1.0 / bonds->radii[2 * s + 1],
        inactive ? 0.0 : bonds->damping[s],
    };
    for (size_t k = 0; k < DOUBLES_PER_LANE; k++) {
        lane[k * LANES] = values[k];
    }
}

/// Returns an energy, J, such that a bond with less energy is below its limits under any
/// combination of loads (docs/theory/bonds.md section 4.2).
static double least_energy(const struct bond_stiffness *k, const struct bond_limit *limit,
                           double length) {
    // The bound of shear assumes at least this fraction of the rest length. A shorter bond has at
    // least the stretch energy of this length.
    const double shortest = 0.9;
    const double difference = fabs(k->twisting - k->bending);
    const double bending = limit->lever * fmax(k->bending, difference);
    const double twisting = 0.5 * limit->lever * fmax(k->twisting, difference);
    const double normal = 0.5 * limit->normal * limit->normal /
                          (k->stretch + bending * bending / k->bending);
    const double shear = 0.5 * limit->shear * limit->shear /
                         (k->shear / (shortest * shortest) + twisting * twisting / k->twisting);
    const double compression = (1.0 - shortest) * length;
    const double energy = fmin(0.5 * k->stretch * compression * compression, shear);
    // For a bond with unlimited shear strength the length does not matter.
    return (1.0 - 1e-6) * fmin(normal, isfinite(limit->shear) ? energy : INFINITY);
}

/// Writes the limits of a lane. Padding and broken bonds are never overloaded.
static void fill_limit(const struct bonds *bonds, size_t s, bool padding, double *lane) {
    const bool inactive = padding || bonds->broken[s] != 0;
    const struct bond_limit *limit = &bonds->limits[s];
    lane[0] = inactive ? INFINITY
                       : least_energy(&bonds->stiffness[s], limit, norm3(bonds->rest + 3 * s));
    lane[LANES] = inactive ? INFINITY : limit->normal;
    lane[2 * (size_t)LANES] = inactive ? INFINITY : limit->shear;
    lane[3 * (size_t)LANES] = limit->lever;
}

static double *lane_of(const struct bonds *bonds, size_t place) {
    return bonds->lanes + place / LANES * DOUBLES_PER_LANE * LANES + place % LANES;
}

static double *limit_of(const struct bonds *bonds, size_t place) {
    return bonds->lanes + bonds->group_count * DOUBLES_PER_LANE * LANES +
           place / LANES * DOUBLES_PER_LIMIT * LANES + place % LANES;
}

/// The index arrays of bond_elements, writable.
struct bond_indices {
    uint32_t *node, *slot, *rotation, *block, *transposed;
};

/// Writes the index arrays of one lane in the bond's own order.
static void order_lane(const struct stencil_groups *groups, size_t group, size_t lane, bool padding,
                       const struct bond_indices *out) {
    const size_t start = group * WIDTH * LANES + lane;
    size_t place[WIDTH]; // position of each of the bond's nodes in the assembly's order
    for (size_t a = 0; a < WIDTH; a++) {
        const size_t own = padding ? a : groups->local[start + a * LANES];
        place[own] = a;
        out->node[start + own * LANES] = groups->node[start + a * LANES];
        out->slot[start + own * LANES] = groups->vector_slot[start + a * LANES];
    }
    for (size_t a = 0; a < WIDTH; a++) {
        for (size_t b = a; b < WIDTH; b++) {
            const size_t low = place[a] < place[b] ? place[a] : place[b];
            const size_t high = place[a] < place[b] ? place[b] : place[a];
            const size_t own = group * PAIR_COUNT + pair_index(a, b);
            const size_t from = group * PAIR_COUNT + pair_index(low, high);
            out->block[own * LANES + lane] = groups->block_slot[from * LANES + lane];
            out->transposed[own] |= (uint32_t)(place[a] > place[b]) << lane;
        }
    }
}

static pbs_status bind_elements(void *self, struct memory *memory,
                                const struct stencil_groups *groups) {
    struct bonds *bonds = self;
    const size_t group_count = groups->group_count;
    const size_t lane_count = group_count * LANES;
    const size_t doubles = DOUBLES_PER_LANE + (bonds->limits != NULL ? DOUBLES_PER_LIMIT : 0);
    RETURN_IF_FAILED(memory_reserve(memory, &bonds->lanes, &bonds->lanes_capacity,
                                    doubles * lane_count, sizeof(double)));
    RETURN_IF_FAILED(memory_reserve(memory, &bonds->overloaded, &bonds->overloaded_capacity,
                                    group_count, sizeof *bonds->overloaded));
    RETURN_IF_FAILED(memory_reserve(
        memory, &bonds->indices, &bonds->indices_capacity,
        (2 * WIDTH + ENDS + PAIR_COUNT) * lane_count + PAIR_COUNT * group_count, sizeof(uint32_t)));
    struct bond_indices out;
    out.node = bonds->indices;
    out.slot = out.node + WIDTH * lane_count;
    out.rotation = out.slot + WIDTH * lane_count;
    out.block = out.rotation + ENDS * lane_count;
    out.transposed = out.block + PAIR_COUNT * lane_count;
    memset(out.transposed, 0, PAIR_COUNT * group_count * sizeof *out.transposed);
    memset(bonds->overloaded, 0, group_count * sizeof *bonds->overloaded);
    bonds->stencil = groups->stencil;
    bonds->lane = groups->lane;
    bonds->domain_group = groups->domain_group;
    bonds->group_count = group_count;
    for (size_t i = 0; i < lane_count; i++) {
        const size_t group = i / LANES;
        const size_t lane = i % LANES;
        const bool padding = groups->stencil[i] == UINT32_MAX;
        // A padding lane repeats the nodes and rotations of lane 0.
        const size_t s = groups->stencil[padding ? group * LANES : i];
        fill_lane(bonds, s, padding, lane_of(bonds, i));
        if (bonds->limits != NULL) {
            fill_limit(bonds, s, padding, limit_of(bonds, i));
        }
        order_lane(groups, group, lane, padding, &out);
        for (size_t end = 0; end < ENDS; end++) {
            out.rotation[(group * ENDS + end) * LANES + lane] = bonds->rotations[2 * s + end];
        }
    }
    bonds->elements = (struct bond_elements){
        .lanes = bonds->lanes,
        .node = out.node,
        .slot = out.slot,
        .rotation = out.rotation,
        .block = out.block,
        .transposed = out.transposed,
        .limits = bonds->limits != NULL ? limit_of(bonds, 0) : NULL,
        .overloaded = bonds->overloaded,
        .orientations = bonds->elements.orientations,
        .angle = bonds->elements.angle,
    };
    return PBS_OK;
}

void bonds_set_broken(struct bonds *bonds, size_t bond, bool broken) {
    bonds->broken[bond] = broken;
    bonds->changes++;
    fill_lane(bonds, bond, false, lane_of(bonds, bonds->lane[bond]));
    if (bonds->limits != NULL) {
        fill_limit(bonds, bond, false, limit_of(bonds, bonds->lane[bond]));
    }
}

bool bonds_is_broken(const struct bonds *bonds, size_t bond) {
    return bonds->broken[bond] != 0;
}

// --- loads ---

/// Loads up to eight states into lanes. Lanes from `count` on repeat the last state.
static void load_states(size_t count, const double *rest, const struct bond_stiffness *stiffness,
                        const struct bond_state *states, struct bond_rest *out, lanes8 offset[3],
                        lanes8 from[4], lanes8 to[4]) {
    for (size_t l = 0; l < LANES; l++) {
        const size_t i = l < count ? l : count - 1;
        const double length = norm3(rest + 3 * i);
        for (size_t k = 0; k < 3; k++) {
            out->direction[k][l] = rest[3 * i + k] / length;
            offset[k][l] = states[i].offset[k];
        }
        for (size_t k = 0; k < 4; k++) {
            from[k][l] = states[i].from[k];
            to[k][l] = states[i].to[k];
        }
        out->length[l] = length;
        out->stretch[l] = stiffness[i].stretch;
        out->shear[l] = stiffness[i].shear * length * length;
        out->bending[l] = stiffness[i].bending;
        out->twisting[l] = stiffness[i].twisting - stiffness[i].bending;
    }
}

static void compute_eight_loads(size_t count, const double *rest,
                                const struct bond_stiffness *stiffness, enum bond_shear shear,
                                const struct bond_state *states, struct bond_load *out) {
    struct bond_rest bond;
    struct bond_lanes lanes;
    struct bond_load_lanes load;
    lanes8 offset[3];
    lanes8 from[4];
    lanes8 to[4];
    load_states(count, rest, stiffness, states, &bond, offset, from, to);
    bond_measure(&bond, offset, from, to, shear == BOND_SHEAR_ANGLE, &lanes);
    bond_compute_load(&bond, &lanes, &load);
    for (size_t l = 0; l < LANES && l < count; l++) {
        out[l] = (struct bond_load){load.normal[l], load.shear[l], load.torsion[l], load.bending[l],
                                    load.energy[l]};
    }
}

void bonds_compute_loads(size_t count, const double *rest, const struct bond_stiffness *stiffness,
                         enum bond_shear shear, const struct bond_state *states,
                         struct bond_load *out) {
    for (size_t i = 0; i < count; i += LANES) {
        const size_t some = count - i < LANES ? count - i : LANES;
        compute_eight_loads(some, rest + 3 * i, stiffness + i, shear, states + i, out + i);
    }
}

// --- eight bonds ---

/// Loads eight quaternions.
ALWAYS_INLINE void load_orientations(const double *orientations, const uint32_t *rotation,
                                     lanes8 out[4]) {
    double by_part[4][LANES];
    for (int l = 0; l < LANES; l++) {
        for (int i = 0; i < 4; i++) {
            by_part[i][l] = orientations[4 * (size_t)rotation[l] + (size_t)i];
        }
    }
    for (int i = 0; i < 4; i++) {
        out[i] = lanes_load(by_part[i]);
    }
}

/// The bonds of a group at x, and the rotation charts of both ends.
struct bond_group {
    struct bond_rest rest;
    struct bond_lanes bond;
    struct chart_lanes chart[ENDS];
    lanes8 inverse_radius[ENDS];
    lanes8 damping;
    mask8 inside; ///< both rotation vectors are inside the chart
};

/// Loads the rest state of a group.
ALWAYS_INLINE void rest_load(const double *lanes, struct bond_rest *rest) {
    for (size_t i = 0; i < 3; i++) {
        rest->direction[i] = lanes_load(lanes + i * LANES);
    }
    rest->length = lanes_load(lanes + 3 * LANES);
    rest->stretch = lanes_load(lanes + 4 * LANES);
    rest->shear = lanes_load(lanes + 5 * LANES);
    rest->bending = lanes_load(lanes + 6 * LANES);
    rest->twisting = lanes_load(lanes + 7 * LANES);
}

ALWAYS_INLINE void group_load(const struct bond_elements *elements, size_t g, const double *x,
                              struct bond_group *group) {
    const double *lanes = elements->lanes + g * DOUBLES_PER_LANE * LANES;
    const uint32_t *node = elements->node + g * WIDTH * LANES;
    struct bond_rest *rest = &group->rest;
    lanes8 orientation[ENDS][4];
    lanes8 position[ENDS][3];
    rest_load(lanes, rest);
    group->damping = lanes_load(lanes + 10 * LANES);
    for (size_t end = 0; end < ENDS; end++) {
        lanes8 phi[3];
        lanes8 start[4];
        group->inverse_radius[end] = lanes_load(lanes + (8 + end) * LANES);
        load_nodes(x, node + 2 * end * LANES, position[end]);
        load_nodes(x, node + (2 * end + 1) * LANES, phi);
        scale_lanes(group->inverse_radius[end], phi, phi);
        // Outside the chart a bond that is not broken has infinite energy. Broken bonds must stay
        // finite, so their rotation vector is replaced by zero.
        const mask8 inside = dot_lanes(phi, phi) < CHART_LIMIT * CHART_LIMIT;
        group->inside = end == 0 ? inside : lanes_both(group->inside, inside);
        for (int i = 0; i < 3; i++) {
            phi[i] = lanes_select(inside, phi[i], lanes_set(0.0));
        }
        chart_init(phi, &group->chart[end]);
        load_orientations(elements->orientations, elements->rotation + (g * ENDS + end) * LANES,
                          start);
        chart_orientation(&group->chart[end], start, orientation[end]);
    }
    for (int i = 0; i < 3; i++) {
        position[1][i] -= position[0][i];
    }
    bond_measure(rest, position[1], orientation[0], orientation[1], elements->angle, &group->bond);
    group->bond.valid = lanes_both(group->bond.valid, group->inside);
}

ALWAYS_INLINE void scatter_force(const lanes8 force[3], lanes8 factor, const uint32_t *slot,
                                 double *gradient) {
    lanes8 scaled[3];
    scale_lanes(factor, force, scaled);
    scatter_vector(scaled, slot, gradient);
}

ALWAYS_INLINE void scatter_forces(const struct bond_group *group, const uint32_t *slot,
                                  double *gradient) {
    const lanes8 one = lanes_set(1.0);
    struct bond_gradient world;
    bond_differentiate(&group->rest, &group->bond, &world);
    scatter_force(world.d, -one, slot, gradient);
    scatter_force(world.d, one, slot + 2 * LANES, gradient);
    for (int end = 0; end < ENDS; end++) {
        lanes8 t[9];
        lanes8 moment[3];
        chart_velocity(&group->chart[end], t);
        multiply_transposed_lanes(t, end == 0 ? world.i : world.j, moment);
        scatter_force(moment, group->inverse_radius[end], slot + (2 * end + 1) * LANES, gradient);
    }
}

/// Adds value, gradient and values by node; those that are null are skipped. first_order_passes.h
/// specialises this kernel.
ALWAYS_INLINE void add_first_order(const struct bond_elements *elements,
                                   const struct stencil_groups *groups, size_t begin, size_t end,
                                   const double *x, double *value, double *gradient,
                                   double *node_values) {
    lanes8 sum = lanes_set(0.0);
    for (size_t g = begin; g < end; g++) {
        struct bond_group group;
        group_load(elements, g, x, &group);
        if (value != NULL) {
            const lanes8 energy = bond_energy(&group.rest, &group.bond);
            sum += energy;
            if (node_values != NULL) {
                scatter_values(energy, groups->node + g * WIDTH * LANES, node_values);
            }
        }
        if (gradient != NULL) {
            scatter_forces(&group, elements->slot + g * WIDTH * LANES, gradient);
        }
    }
    if (value != NULL) {
        *value += lanes_sum(sum);
    }
}

// --- states with zero rotation vectors ---

typedef double pair4 __attribute__((vector_size(32)));
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/// Loads eight quaternions with one vector load each, then transposes them.
ALWAYS_INLINE void load_whole_orientations(const double *orientations, const uint32_t *rotation,
                                           lanes8 out[4]) {
    pair4 q[LANES];
    lanes8 two[4];
    lanes8 half[2][2];
    for (int l = 0; l < LANES; l++) {
        memcpy(&q[l], orientations + 4 * (size_t)rotation[l], sizeof q[l]);
    }
    for (int l = 0; l < 4; l++) {
        two[l] = SHUFFLE(q[2 * l], q[2 * l + 1], 0, 1, 2, 3, 4, 5, 6, 7);
    }
    for (int l = 0; l < 2; l++) {
        half[l][0] = SHUFFLE(two[2 * l], two[2 * l + 1], 0, 4, 8, 12, 1, 5, 9, 13);
        half[l][1] = SHUFFLE(two[2 * l], two[2 * l + 1], 2, 6, 10, 14, 3, 7, 11, 15);
    }
    for (int i = 0; i < 2; i++) {
        out[2 * i] = SHUFFLE(half[0][i], half[1][i], 0, 1, 2, 3, 8, 9, 10, 11);
        out[2 * i + 1] = SHUFFLE(half[0][i], half[1][i], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

#undef SHUFFLE

/// Loads a group whose rotation vectors are all zero.
ALWAYS_INLINE void load_at_origin(const struct bond_elements *elements, size_t g, const double *x,
                                  const double *orientations, struct bond_rest *rest,
                                  struct bond_lanes *bond) {
    const uint32_t *node = elements->node + g * WIDTH * LANES;
    const uint32_t *rotation = elements->rotation + g * ENDS * LANES;
    lanes8 offset[3];
    lanes8 start[3];
    lanes8 orientation[ENDS][4];
    rest_load(elements->lanes + g * DOUBLES_PER_LANE * LANES, rest);
    load_nodes(x, node, start);
    load_nodes(x, node + 2 * LANES, offset);
    for (int i = 0; i < 3; i++) {
        offset[i] -= start[i];
    }
    load_whole_orientations(orientations, rotation, orientation[0]);
    load_whole_orientations(orientations, rotation + LANES, orientation[1]);
    bond_measure(rest, offset, orientation[0], orientation[1], elements->angle, bond);
}

/// Marks the overloaded lanes of a group. Most groups have so little energy that their limits need
/// not be tested.
ALWAYS_INLINE void mark_overloaded(const struct bond_elements *elements, size_t g,
                                   const struct bond_rest *rest, const struct bond_lanes *bond,
                                   lanes8 energy) {
    const double *limits = elements->limits + g * DOUBLES_PER_LIMIT * LANES;
    uint32_t bits = 0;
    if (lanes_any(energy >= lanes_load(limits))) {
        const struct bond_limit_lanes limit = {lanes_load(limits + LANES),
                                               lanes_load(limits + 2 * LANES),
                                               lanes_load(limits + 3 * LANES)};
        const mask8 overloaded = bond_is_overloaded(rest, bond, &limit);
        for (int l = 0; l < LANES; l++) {
            bits |= (overloaded[l] != 0 ? 1u : 0u) << l;
        }
    }
    elements->overloaded[g] = (uint8_t)bits;
}

/// Adds value and gradient at zero rotation vectors, as explicit steps need them; the chart's
/// derivative is the identity there. If `mark` is set, also marks overloaded bonds, which reuses
/// the measures.
ALWAYS_INLINE void add_at_origin(const struct bond_elements *elements, size_t begin, size_t end,
                                 const double *x, bool mark, double *value, double *gradient) {
    const lanes8 one = lanes_set(1.0);
    lanes8 sum = lanes_set(0.0);
    for (size_t g = begin; g < end; g++) {
        const double *lanes = elements->lanes + g * DOUBLES_PER_LANE * LANES;
        const uint32_t *slot = elements->slot + g * WIDTH * LANES;
        struct bond_rest rest;
        struct bond_lanes bond;
        struct bond_gradient world;
        load_at_origin(elements, g, x, elements->orientations, &rest, &bond);
        const lanes8 energy = bond_energy(&rest, &bond);
        sum += energy;
        if (mark) {
            mark_overloaded(elements, g, &rest, &bond, energy);
        }
        bond_differentiate(&rest, &bond, &world);
        scatter_force(world.d, -one, slot, gradient);
        scatter_force(world.i, lanes_load(lanes + 8 * LANES), slot + LANES, gradient);
        scatter_force(world.d, one, slot + 2 * LANES, gradient);
        scatter_force(world.j, lanes_load(lanes + 9 * LANES), slot + 3 * LANES, gradient);
    }
    *value += lanes_sum(sum);
}

static PBS_MULTIVERSION void add_without_marks(const struct bond_elements *elements, size_t begin,
                                               size_t end, const double *x, double *value,
                                               double *gradient) {
    add_at_origin(elements, begin, end, x, false, value, gradient);
}

static PBS_MULTIVERSION void add_and_mark(const struct bond_elements *elements, size_t begin,
                                          size_t end, const double *x, double *value,
                                          double *gradient) {
    add_at_origin(elements, begin, end, x, true, value, gradient);
}

static PBS_MULTIVERSION void mark_at_origin(const struct bond_elements *elements, size_t begin,
                                            size_t end, const double *x,
                                            const double *orientations) {
    for (size_t g = begin; g < end; g++) {
        struct bond_rest rest;
        struct bond_lanes bond;
        load_at_origin(elements, g, x, orientations, &rest, &bond);
        mark_overloaded(elements, g, &rest, &bond, bond_energy(&rest, &bond));
    }
}

bool bonds_have_limits(const struct bonds *bonds) {
    return bonds->limits != NULL;
}

struct mark_job {
    const struct bonds *bonds;
    const double *x, *orientations;
};

static void mark_piece(void *context, size_t domain) {
    const struct mark_job *mark_job = context;
    const uint32_t *domain_group = mark_job->bonds->domain_group;
    mark_at_origin(&mark_job->bonds->elements, domain_group[domain], domain_group[domain + 1],
                   mark_job->x, mark_job->orientations);
}

void bonds_mark_overloaded(struct bonds *bonds, struct tasks *tasks, size_t domain_count,
                           const double *x, const double *orientations) {
    struct mark_job mark_job = {bonds, x, orientations};
    tasks_for(tasks, domain_count, mark_piece, &mark_job);
}

const uint8_t *bonds_overloaded(struct bonds *bonds) {
    if (bonds->has_marks) {
        memset(bonds->marks, 0, bonds->count * sizeof *bonds->marks);
        bonds->has_marks = false;
    }
    for (size_t g = 0; g < bonds->group_count; g++) {
        for (uint32_t l = 0; bonds->overloaded[g] >> l != 0; l++) {
            if ((bonds->overloaded[g] >> l & 1u) != 0) {
                bonds->marks[bonds->stencil[g * LANES + l]] = 1;
                bonds->has_marks = true;
            }
        }
    }
    return bonds->has_marks ? bonds->marks : NULL;
}

#define FIRST_ORDER_ELEMENTS bond_elements
#include "energy/first_order_passes.h"

// --- Hessians ---

/// out = a^T b; out must not alias a or b.
ALWAYS_INLINE void multiply_transposed33_lanes(const lanes8 a[9], const lanes8 b[9],
                                               lanes8 out[9]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
        }
    }
}

/// out = s a b; out must not alias a or b.
ALWAYS_INLINE void multiply33_lanes(lanes8 s, const lanes8 a[9], const lanes8 b[9], lanes8 out[9]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = s *
                             (a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j]);
        }
    }
}

/// out = s T_a^T m T_b.
ALWAYS_INLINE void transform_block(lanes8 s, const lanes8 ta[9], const lanes8 m[9],
                                   const lanes8 tb[9], lanes8 out[9]) {
    lanes8 left[9];
    multiply_transposed33_lanes(ta, m, left);
    multiply33_lanes(s, left, tb, out);
}

/// Destination of the blocks of a group.
struct bond_target {
    const uint32_t *block, *transposed;
    double *blocks;
};

/// Adds the block of a pair of the bond's own order, transposed in the lanes where the assembly
/// stores it so.
ALWAYS_INLINE void scatter_pair(const struct bond_target *to, size_t pair, const lanes8 k[9]) {
    static const mask8 lane_bit = {1, 2, 4, 8, 16, 32, 64, 128};
    const mask8 bits = (int64_t)to->transposed[pair] - (mask8){0};
    const mask8 swap = (bits & lane_bit) != 0;
    lanes8 ordered[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            ordered[3 * i + j] = i == j ? k[4 * i] : lanes_select(swap, k[3 * j + i], k[3 * i + j]);
        }
    }
    scatter_block(ordered, to->block + pair * LANES, to->blocks);
}

ALWAYS_INLINE void scatter_positions(const struct bond_target *to, const lanes8 dd[9]) {
    lanes8 mixed[9];
    for (int i = 0; i < 9; i++) {
        mixed[i] = -dd[i];
    }
    scatter_block(dd, to->block, to->blocks);
    scatter_block(mixed, to->block + 2 * LANES, to->blocks);
    scatter_block(dd, to->block + 7 * LANES, to->blocks);
}

/// Adds the blocks that couple the rotation of one end with both positions: s d t, where d is H_Di
/// or H_Dj and t the chart's derivative.
ALWAYS_INLINE void scatter_couple(const struct bond_target *to, int end, lanes8 s,
                                  const lanes8 d[9], const lanes8 t[9]) {
    lanes8 own[9];
    lanes8 other[9];
    multiply33_lanes(s, d, t, own);
    for (int i = 0; i < 9; i++) {
        other[i] = -own[i];
    }
    if (end == 1) {
        scatter_pair(to, 3, other); // position of i, rotation of j
        scatter_pair(to, 8, own);   // position of j, rotation of j
        return;
    }
    scatter_pair(to, 1, other); // position of i, rotation of i
    lanes8 flipped[9];
    for (int i = 0; i < 9; i++) {
        flipped[i] = own[3 * (i % 3) + i / 3];
    }
    scatter_pair(to, 5, flipped); // rotation of i, position of j
}

/// Adds the Hessian, in its semidefinite form if the evaluation requests a projection.
static PBS_MULTIVERSION void add_hessian(const struct bond_elements *elements, size_t begin,
                                         size_t end, const struct evaluation *evaluation,
                                         double *blocks) {
    const bool project = evaluation->project || evaluation->project_bonds;
    for (size_t g = begin; g < end; g++) {
        const struct bond_target to = {elements->block + g * PAIR_COUNT * LANES,
                                       elements->transposed + g * PAIR_COUNT, blocks};
        struct bond_group group;
        struct bond_hessian h;
        lanes8 t[ENDS][9];
        lanes8 k[9];
        group_load(elements, g, evaluation->x, &group);
        bond_differentiate_twice(&group.rest, &group.bond, elements->angle, project, &h);
        lanes8 weight = lanes_set(1.0);
        if (evaluation->damping_weights) {
            weight = group.damping;
            for (int i = 0; i < 9; i++) {
                h.dd[i] *= weight;
            }
        }
        scatter_positions(&to, h.dd);
        for (int e = 0; e < ENDS; e++) {
            chart_velocity(&group.chart[e], t[e]);
            scatter_couple(&to, e, weight * group.inverse_radius[e], e == 0 ? h.di : h.dj, t[e]);
        }
        transform_block(weight * group.inverse_radius[0] * group.inverse_radius[1], t[0], h.ij,
                        t[1], k);
        scatter_pair(&to, 6, k);
        struct bond_gradient world;
        if (!project) {
            bond_differentiate(&group.rest, &group.bond, &world);
        }
        for (int e = 0; e < ENDS; e++) {
            const lanes8 square = weight * group.inverse_radius[e] * group.inverse_radius[e];
            transform_block(square, t[e], e == 0 ? h.ii : h.jj, t[e], k);
            if (!project) {
                lanes8 curvature[9];
                chart_curvature(&group.chart[e], e == 0 ? world.i : world.j, curvature);
                for (int i = 0; i < 9; i++) {
                    k[i] += square * curvature[i];
                }
            }
            mirror_lanes(k);
            scatter_block(k, to.block + (e == 0 ? 4 : 9) * LANES, blocks);
        }
    }
}

static int evaluate(const void *self, const struct assembly *assembly,
                    const struct stencil_groups *groups, uint32_t domain,
                    const struct evaluation *evaluation, struct evaluation_sums *sums) {
    const struct bonds *bonds = self;
    const struct bond_elements *elements = &bonds->elements;
    const size_t begin = groups->domain_group[domain];
    const size_t end = groups->domain_group[domain + 1];
    (void)assembly;
    if (evaluation->damping_weights && !bonds->has_damping) {
        return EVALUATE_OK;
    }
    if (evaluation->at_chart_origin && evaluation->what == (EVALUATE_VALUE | EVALUATE_GRADIENT) &&
        sums->node_values == NULL) {
        (elements->limits != NULL ? add_and_mark : add_without_marks)(
            elements, begin, end, evaluation->x, &sums->value, sums->gradient);
        return EVALUATE_OK;
    }
    add_requested(elements, groups, begin, end, evaluation, sums);
    if (evaluation->what & EVALUATE_HESSIAN) {
        add_hessian(elements, begin, end, evaluation, sums->blocks);
    }
    return EVALUATE_OK;
}

// --- the largest step ---

/// The largest length of a rotation vector that a step may reach, radians, if it starts below.
#define MAX_ROTATION_VECTOR 3.0

/// Returns the least alpha > 0 at which a alpha^2 + 2 b alpha + c is zero, with c > 0; infinity if
/// there is none.
ALWAYS_INLINE lanes8 first_root(lanes8 a, lanes8 b, lanes8 c) {
    const lanes8 none = lanes_set(INFINITY);
    const lanes8 discriminant = b * b - a * c;
    const lanes8 root = lanes_sqrt(lanes_max(discriminant, lanes_set(0.0)));
    const lanes8 down = root - b;
    // If a < 0, one root is positive. If a > 0 and b < 0, both are, and this is the smaller one.
    const lanes8 alpha = c / lanes_select(down > 0.0, down, lanes_set(1.0));
    return lanes_select(lanes_both(discriminant > 0.0, down > 0.0), alpha, none);
}

/// Bounds the step of all bonds, exclusively: by a relative rotation of pi, by the least length,
/// and by MAX_ROTATION_VECTOR.
static PBS_MULTIVERSION double bound_step(const struct bond_elements *elements, size_t begin,
                                          size_t end, const double *x, const double *direction,
                                          double limit) {
    lanes8 bound = lanes_set(limit);
    for (size_t g = begin; g < end; g++) {
        const uint32_t *node = elements->node + g * WIDTH * LANES;
        struct bond_group group;
        lanes8 motion[WIDTH][3];
        lanes8 d[3];
        group_load(elements, g, x, &group);
        const struct bond_lanes *b = &group.bond;
        const mask8 counts = lanes_both(group.rest.stretch > 0.0, b->valid);
        lanes8 speed = lanes_set(0.0);
        lanes8 step = lanes_set(INFINITY);
        for (size_t a = 0; a < WIDTH; a++) {
            load_nodes(direction, node + a * LANES, motion[a]);
        }
        for (int e = 0; e < ENDS; e++) {
            const lanes8 *phi = group.chart[e].phi;
            lanes8 *rate = motion[2 * e + 1];
            scale_lanes(group.inverse_radius[e], rate, rate);
            const lanes8 square = dot_lanes(rate, rate);
            speed += lanes_sqrt(square);
            const lanes8 left = MAX_ROTATION_VECTOR * MAX_ROTATION_VECTOR - dot_lanes(phi, phi);
            const lanes8 inside = first_root(-square, -dot_lanes(rate, phi), left);
            step = lanes_select(left > 0.0, lanes_min(step, inside), step);
        }
        // The relative rotation angle 2 acos(cosine) grows at most by the sum of the lengths of
        // both rates, as the norm of the chart's derivative is at most 1.
        const lanes8 sine = lanes_sqrt(dot_lanes(b->relative, b->relative));
        const lanes8 angle_left = ARCTANGENT_PI - 2.0 * atan2_lanes(sine, b->cosine);
        step = lanes_min(step,
                         lanes_select(speed > 0.0,
                                      angle_left / lanes_select(speed > 0.0, speed, lanes_set(1.0)),
                                      lanes_set(INFINITY)));
        for (int i = 0; i < 3; i++) {
            d[i] = b->length * b->e[i];
            motion[2][i] -= motion[0][i];
        }
        const lanes8 least = BOND_LEAST_LENGTH * group.rest.length;
        step = lanes_min(step, first_root(dot_lanes(motion[2], motion[2]), dot_lanes(motion[2], d),
                                          b->length * b->length - least * least));
        bound = lanes_select(counts, lanes_min(bound, step), bound);
    }
    double least = limit;
    for (int l = 0; l < LANES; l++) {
        least = bound[l] < least ? bound[l] : least;
    }
    return least;
}

static double max_step(const void *self, const struct assembly *assembly,
                       const struct stencil_groups *groups, uint32_t domain, const double *x,
                       const double *direction, double limit) {
    const struct bonds *bonds = self;
    (void)assembly;
    return bound_step(&bonds->elements, groups->domain_group[domain],
                      groups->domain_group[domain + 1], x, direction, limit);
}

static const uint8_t *uncoupled(const void *self, uint64_t *changes) {
    const struct bonds *bonds = self;
    *changes = bonds->changes;
    return bonds->broken;
}

static const struct term_table table = {
    .name = "bonds",
    .uncoupled = uncoupled,
    .kind = ENERGY_ELASTIC,
    .evaluate = evaluate,
    .max_step = max_step,
    .has_damping = true,
    .bind = bind_elements,
    .destroy = destroy,
};

struct term bonds_term(struct bonds *bonds) {
    return (struct term){
        .table = &table,
        .self = bonds,
        .has_stencils = true,
        .stencils = {.count = bonds->count, .width = WIDTH, .nodes = bonds->nodes},
    };
}
