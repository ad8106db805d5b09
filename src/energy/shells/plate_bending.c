// Arranges triangles with their neighbours (patches) in lanes and evaluates them. Computations use
// the 12 patch nodes of plate_operator.h, several of which may be the same mesh node, or absent.
// Forces and blocks are added in the assembly's order, lane by lane.
// SPDX-License-Identifier: MIT
#include "energy/shells/plate_bending.h"

#include <math.h>

#include "energy/element.h"
#include "energy/shells/hinge_functions.h"
#include "energy/scatter.h"

/// The data of one triangle's patch. Absent patch nodes repeat node 0, to which they add zero.
struct plate_element {
    uint32_t node[PLATE_NODES];
    uint8_t own[PLATE_NODES]; ///< index of each patch node among the stencil's nodes
    double r[PLATE_ROWS * PLATE_HINGES];
    double cosine[PLATE_HINGES], sine[PLATE_HINGES]; ///< cosine and sine of the rest angles; both 0
                                                     ///< for absent hinges
    double clamp[3][3]; ///< offsets added to patch nodes 3, 4, 5: the directions of clamped edges
    double damping;
};

/// Element data by groups of eight lanes; every array is [group][...][8].
struct plate_elements {
    const uint32_t *node, *slot; ///< [g][12][8]: node and vector slot of each patch node
    const uint8_t *order; ///< [g][12][8]: index of each patch node among the stencil's nodes, in
                          ///< the assembly's order
    const double *r;      ///< [g][27][8]; 0 in padding lanes
    const double *cosine, *sine; ///< [g][9][8]; 0 in padding lanes
    const double *clamp;         ///< [g][9][8]; null: no edge is clamped
    const double *damping;       ///< [g][8], s
    uint32_t width;
};

struct plate_bending {
    size_t count;
    uint32_t width;
    uint32_t *stencils;            ///< count x width
    struct plate_element *patches; ///< count
    bool has_damping, has_clamps;
    struct plate_elements elements;
    double *lanes;     ///< storage of elements' doubles
    uint32_t *indices; ///< storage of elements' node and slot
    uint8_t *order;
    size_t lanes_capacity, indices_capacity, order_capacity;
};

// --- creation ---

static uint32_t next_side(uint32_t side) {
    return side % 3 == 2 ? side - 2 : side + 1;
}

static uint32_t opposite(const struct plate_input *input, uint32_t side) {
    return input->triangles[next_side(next_side(side))];
}

/// Finds the sides at a triangle's hinges, UINT32_MAX for those that do not exist, and the patch
/// nodes.
static void find_patch(const struct plate_input *input, size_t t, uint32_t side[PLATE_HINGES],
                       uint32_t node[PLATE_NODES]) {
    for (uint32_t p = 0; p < PLATE_NODES; p++) {
        node[p] = input->triangles[3 * t + (p < 3 ? p : 0)];
    }
    for (uint32_t k = 0; k < 3; k++) {
        side[k] = (uint32_t)(3 * t) + k;
        const uint32_t beyond = input->neighbours[side[k]];
        const bool exists = beyond != UINT32_MAX;
        side[3 + 2 * k] = exists ? next_side(beyond) : UINT32_MAX;
        side[4 + 2 * k] = exists ? next_side(next_side(beyond)) : UINT32_MAX;
        if (!exists) {
            continue;
        }
        node[3 + k] = opposite(input, beyond);
        for (uint32_t i = 0; i < 2; i++) {
            const uint32_t outer = input->neighbours[side[3 + 2 * k + i]];
            if (outer != UINT32_MAX) {
                node[6 + 2 * k + i] = opposite(input, outer);
            }
        }
    }
}

/// Lists the distinct nodes. own: index of each patch node among them. Returns their number.
static uint32_t number_nodes(const uint32_t node[PLATE_NODES], uint8_t own[PLATE_NODES],
                             uint32_t distinct[PLATE_NODES]) {
    uint32_t count = 0;
    for (uint32_t p = 0; p < PLATE_NODES; p++) {
        uint32_t k = 0;
        while (k < count && distinct[k] != node[p]) {
            k++;
        }
        distinct[k] = node[p];
        own[p] = (uint8_t)k;
        count += k == count;
    }
    return count;
}

static const double *clamp_of(const struct plate_input *input, size_t side) {
    const double *clamp = input->clamps == NULL ? NULL : input->clamps + 3 * side;
    return clamp != NULL && norm3(clamp) > 0.0 ? clamp : NULL;
}

static uint8_t kind_of_hinge(const struct plate_input *input, int hinge, uint32_t side) {
    if (side == UINT32_MAX) {
        return PLATE_HINGE_ABSENT;
    }
    if (input->neighbours[side] != UINT32_MAX) {
        return PLATE_HINGE_INNER;
    }
    return hinge < 3 && clamp_of(input, side) != NULL ? PLATE_HINGE_CLAMPED : PLATE_HINGE_ABSENT;
}

static bool set_rest_angle(const struct plate_patch *patch, int hinge, double given,
                           struct plate_element *element) {
    double x[12];
    if (!isnan(given)) {
        element->cosine[hinge] = cos(given);
        element->sine[hinge] = sin(given);
        return true;
    }
    for (int a = 0; a < 4; a++) {
        copy3(patch->rest[plate_hinge_nodes[hinge][a]], x + 3 * a);
    }
    return hinge_rest(x, &element->cosine[hinge], &element->sine[hinge]);
}

static bool is_finite(const struct plate_element *element) {
    for (int k = 0; k < PLATE_ROWS * PLATE_HINGES; k++) {
        if (!isfinite(element->r[k])) {
            return false;
        }
    }
    return true;
}

static pbs_status make_element(const struct plate_input *input, size_t t,
                               struct plate_element *element) {
    struct plate_patch patch = {.rigidity = input->rigidity[t], .poisson = input->poisson[t]};
    uint32_t side[PLATE_HINGES];
    bool valid = true;
    find_patch(input, t, side, element->node);
    for (size_t p = 0; p < PLATE_NODES; p++) {
        copy3(input->rest + 3 * (size_t)element->node[p], patch.rest[p]);
    }
    for (int h = 0; h < PLATE_HINGES; h++) {
        patch.hinges[h] = kind_of_hinge(input, h, side[h]);
        if (patch.hinges[h] == PLATE_HINGE_CLAMPED) {
            copy3(clamp_of(input, side[h]), element->clamp[h]);
            element->node[3 + h] = element->node[h];
            add3(patch.rest[h], element->clamp[h], patch.rest[3 + h]);
        }
        if (patch.hinges[h] != PLATE_HINGE_ABSENT) {
            valid = set_rest_angle(&patch, h, input->rest_angles[side[h]], element) && valid;
        }
    }
    plate_operator(&patch, element->r);
    element->damping = input->damping[t];
    return valid && is_finite(element)
               ? PBS_OK
               : status_fail(PBS_ERROR_MESH,
                             "triangle %zu of nodes %u, %u and %u: it or a neighbour has no area "
                             "at rest, or a clamped edge no direction across it",
                             t, (unsigned)element->node[0], (unsigned)element->node[1],
                             (unsigned)element->node[2]);
}

/// Returns the number of distinct patch nodes, or 0 if the triangle has no hinge and therefore no
/// bending energy.
static uint32_t width_of(const struct plate_input *input, size_t t) {
    uint32_t side[PLATE_HINGES];
    uint32_t node[PLATE_NODES];
    uint32_t distinct[PLATE_NODES];
    uint8_t own[PLATE_NODES];
    find_patch(input, t, side, node);
    const uint32_t width = number_nodes(node, own, distinct);
    bool clamped = false;
    for (size_t k = 0; k < 3; k++) {
        clamped |= kind_of_hinge(input, (int)k, side[k]) == PLATE_HINGE_CLAMPED;
    }
    return width == 3 && !clamped ? 0 : width;
}

static pbs_status fill_elements(const struct plate_input *input, struct plate_bending *plate) {
    size_t at = 0;
    for (size_t t = 0; t < input->triangle_count; t++) {
        if (width_of(input, t) != plate->width) {
            continue;
        }
        struct plate_element *element = &plate->patches[at];
        uint32_t distinct[PLATE_NODES];
        RETURN_IF_FAILED(make_element(input, t, element));
        number_nodes(element->node, element->own, distinct);
        memcpy(plate->stencils + at * plate->width, distinct, plate->width * sizeof *distinct);
        plate->has_damping |= element->damping > 0.0;
        for (int k = 0; k < 3; k++) {
            plate->has_clamps |= norm3(element->clamp[k]) > 0.0;
        }
        at++;
    }
    return PBS_OK;
}

pbs_status plate_bending_create(struct memory *memory, const struct plate_input *input,
                                uint32_t width, struct plate_bending **out) {
    size_t count = 0;
    *out = NULL;
    for (size_t t = 0; t < input->triangle_count; t++) {
        count += width_of(input, t) == width;
    }
    if (count == 0) {
        return PBS_OK;
    }
    struct plate_bending *plate = memory_allocate(memory, 1, sizeof *plate);
    if (plate == NULL) {
        return PBS_ERROR_MEMORY;
    }
    plate->count = count;
    plate->width = width;
    plate->stencils = memory_allocate(memory, count, width * sizeof *plate->stencils);
    plate->patches = memory_allocate(memory, count, sizeof *plate->patches);
    const pbs_status status = plate->stencils != NULL && plate->patches != NULL
                                  ? fill_elements(input, plate)
                                  : PBS_ERROR_MEMORY;
    if (status < 0) {
        plate_bending_destroy(plate, memory);
        return status;
    }
    *out = plate;
    return PBS_OK;
}

void plate_bending_destroy(struct plate_bending *plate, struct memory *memory) {
    if (plate == NULL) {
        return;
    }
    memory_release(memory, plate->stencils);
    memory_release(memory, plate->patches);
    memory_release(memory, plate->lanes);
    memory_release(memory, plate->indices);
    memory_release(memory, plate->order);
    memory_release(memory, plate);
}

// --- lane arrays ---

/// Writes node, vector slot and order of the patch nodes of lane i.
static void order_lane(const struct stencil_groups *groups, size_t i,
                       const struct plate_element *element, uint32_t *node, uint32_t *slot,
                       uint8_t *order) {
    const size_t width = groups->width;
    const size_t from = i / LANES * width * LANES + i % LANES;
    const size_t to = i / LANES * PLATE_NODES * LANES + i % LANES;
    size_t local[PLATE_NODES] = {0};
    for (size_t a = 0; a < width; a++) {
        local[groups->local[from + a * LANES]] = a;
    }
    for (size_t p = 0; p < PLATE_NODES; p++) {
        const size_t a = local[element->own[p]];
        node[to + p * LANES] = groups->node[from + a * LANES];
        slot[to + p * LANES] = groups->vector_slot[from + a * LANES];
        order[to + p * LANES] = (uint8_t)a;
    }
}

/// Writes `count` doubles of lane i, or zeros if it is padding.
static void write_lane(const double *from, size_t count, size_t i, bool padding, double *to) {
    for (size_t k = 0; k < count; k++) {
        to[(i / LANES * count + k) * LANES + i % LANES] = padding ? 0.0 : from[k];
    }
}

// Doubles per lane: R, cosines, sines, clamps and damping, which have an array each.
enum { R_SIZE = PLATE_ROWS * PLATE_HINGES, DOUBLES_PER_LANE = R_SIZE + 2 * PLATE_HINGES + 10 };

pbs_status plate_bending_bind(struct plate_bending *plate, struct memory *memory,
                              const struct stencil_groups *groups) {
    const size_t lane_count = groups->group_count * LANES;
    const size_t patch_nodes = PLATE_NODES * lane_count;
    RETURN_IF_FAILED(memory_reserve(memory, &plate->lanes, &plate->lanes_capacity,
                                    DOUBLES_PER_LANE * lane_count, sizeof(double)));
    RETURN_IF_FAILED(memory_reserve(memory, &plate->indices, &plate->indices_capacity,
                                    2 * patch_nodes, sizeof(uint32_t)));
    RETURN_IF_FAILED(memory_reserve(memory, &plate->order, &plate->order_capacity, patch_nodes,
                                    sizeof(uint8_t)));
    double *r = plate->lanes;
    double *cosine = r + R_SIZE * lane_count;
    double *sine = cosine + PLATE_HINGES * lane_count;
    double *clamp = sine + PLATE_HINGES * lane_count;
    double *damping = clamp + 9 * lane_count;
    uint32_t *node = plate->indices;
    uint32_t *slot = node + patch_nodes;
    for (size_t i = 0; i < lane_count; i++) {
        const bool padding = groups->stencil[i] == UINT32_MAX;
        // A padding lane has the nodes of lane 0, so it uses the node order of that lane's element.
        const size_t shown = padding ? i / LANES * LANES : i;
        const struct plate_element *element = &plate->patches[groups->stencil[shown]];
        write_lane(element->r, R_SIZE, i, padding, r);
        write_lane(element->cosine, PLATE_HINGES, i, padding, cosine);
        write_lane(element->sine, PLATE_HINGES, i, padding, sine);
        write_lane(element->clamp[0], 9, i, padding, clamp);
        write_lane(&element->damping, 1, i, padding, damping);
        order_lane(groups, i, element, node, slot, plate->order);
    }
    plate->elements = (struct plate_elements){
        .node = node,
        .slot = slot,
        .order = plate->order,
        .r = r,
        .cosine = cosine,
        .sine = sine,
        .clamp = plate->has_clamps ? clamp : NULL,
        .damping = damping,
        .width = plate->width,
    };
    return PBS_OK;
}

/// The patch from which the element was made.
static void recall_patch(const struct plate_element *element, const double *rest,
                         uint32_t first_node, struct plate_patch *patch) {
    for (size_t p = 0; p < PLATE_NODES; p++) {
        copy3(rest + 3 * (size_t)(element->node[p] - first_node), patch->rest[p]);
    }
    for (int h = 0; h < PLATE_HINGES; h++) {
        const bool is_absent = element->cosine[h] == 0.0 && element->sine[h] == 0.0;
        patch->hinges[h] = is_absent ? PLATE_HINGE_ABSENT : PLATE_HINGE_INNER;
        if (h < 3 && norm3(element->clamp[h]) > 0.0) {
            patch->hinges[h] = PLATE_HINGE_CLAMPED;
            add3(patch->rest[h], element->clamp[h], patch->rest[3 + h]);
        }
    }
}

void plate_bending_set_values(struct plate_bending *plate, const struct stencil_groups *groups,
                              size_t element, const double *rest, uint32_t first_node,
                              double rigidity, double poisson, double damping) {
    const size_t lane_count = groups->group_count * LANES;
    struct plate_element *own = &plate->patches[element];
    struct plate_patch patch = {.rigidity = rigidity, .poisson = poisson};
    recall_patch(own, rest, first_node, &patch);
    plate_operator(&patch, own->r);
    own->damping = damping;
    write_lane(own->r, R_SIZE, groups->lane[element], false, plate->lanes);
    write_lane(&own->damping, 1, groups->lane[element], false,
               plate->lanes + (DOUBLES_PER_LANE - 1) * lane_count);
}

// --- eight triangles ---

struct plate_lanes {
    struct hinge_lanes hinge[PLATE_HINGES];
    lanes8 angle[PLATE_HINGES];                   ///< angle minus rest angle
    struct hinge_function coupling[PLATE_HINGES]; ///< f of that
    struct hinge_function excess[PLATE_HINGES];   ///< of hinge_close; set if is_folded
    lanes8 r[PLATE_ROWS][PLATE_HINGES];
    mask8 degenerate;
    bool is_folded; ///< some f may not be its angle
};

/// Computes f and the excess of all angles of group g. Out of line, as few hinges are folded.
static void measure_folds(const struct plate_elements *elements, size_t g,
                          struct plate_lanes *plate) {
    for (size_t h = 0; h < PLATE_HINGES; h++) {
        const double *cosine = elements->cosine + (g * PLATE_HINGES + h) * LANES;
        const double *sine = elements->sine + (g * PLATE_HINGES + h) * LANES;
        hinge_couple(&plate->angle[h], cosine, sine, &plate->coupling[h]);
        hinge_close(&plate->angle[h], cosine, sine, &plate->excess[h]);
    }
    plate->is_folded = true;
}

ALWAYS_INLINE void load_positions(const struct plate_elements *elements, size_t g, const double *x,
                                  lanes8 position[PLATE_NODES][3]) {
    const uint32_t *node = elements->node + g * PLATE_NODES * LANES;
    for (int p = 0; p < PLATE_NODES; p++) {
        load_nodes(x, node + p * LANES, position[p]);
    }
    for (int k = 0; k < 9 && elements->clamp != NULL; k++) {
        position[3 + k / 3][k % 3] += lanes_load(elements->clamp + (g * 9 + (size_t)k) * LANES);
    }
}

ALWAYS_INLINE void plate_measure(const struct plate_elements *elements, size_t g, const double *x,
                                 struct plate_lanes *plate) {
    lanes8 position[PLATE_NODES][3];
    load_positions(elements, g, x, position);
    plate->degenerate = (mask8){0};
    plate->is_folded = false;
    mask8 folded = {0};
    for (size_t h = 0; h < PLATE_HINGES; h++) {
        const uint8_t *node = plate_hinge_nodes[h];
        const lanes8 cosine = lanes_load(elements->cosine + (g * PLATE_HINGES + h) * LANES);
        const lanes8 sine = lanes_load(elements->sine + (g * PLATE_HINGES + h) * LANES);
        lanes8 side[3][3];
        for (int k = 0; k < 9; k++) {
            side[k / 3][k % 3] = position[node[k / 3 + 1]][k % 3] - position[node[0]][k % 3];
        }
        hinge_measure(side, &plate->hinge[h]);
        plate->angle[h] = hinge_angle(&plate->hinge[h], cosine, sine);
        plate->coupling[h] = (struct hinge_function){plate->angle[h], lanes_set(1.0),
                                                     lanes_set(0.0)};
        folded = lanes_either(folded, hinge_is_folded(&plate->hinge[h], cosine, sine));
        const mask8 present = lanes_less(lanes_set(0.0), lanes_abs(cosine) + lanes_abs(sine));
        plate->degenerate = lanes_either(plate->degenerate,
                                         lanes_both(present, plate->hinge[h].degenerate));
    }
    for (size_t k = 0; k < R_SIZE; k++) {
        plate->r[k / PLATE_HINGES][k % PLATE_HINGES] = lanes_load(elements->r +
                                                                  (g * R_SIZE + k) * LANES);
    }
    if (lanes_any(folded)) {
        measure_folds(elements, g, plate);
    }
}

/// moment = R f.
ALWAYS_INLINE void plate_moment(const struct plate_lanes *plate, lanes8 moment[PLATE_ROWS]) {
    for (int i = 0; i < PLATE_ROWS; i++) {
        moment[i] = plate->r[i][0] * plate->coupling[0].value;
        for (int h = 1; h < PLATE_HINGES; h++) {
            moment[i] += plate->r[i][h] * plate->coupling[h].value;
        }
    }
}

/// Returns the entry of R^T R f for hinge h.
ALWAYS_INLINE lanes8 coupled_moment(const struct plate_lanes *plate,
                                    const lanes8 moment[PLATE_ROWS], int h) {
    return plate->r[0][h] * moment[0] + plate->r[1][h] * moment[1] + plate->r[2][h] * moment[2];
}

/// Returns w_h of (9a): entry (h, h) of R^T R.
ALWAYS_INLINE lanes8 own_weight(const struct plate_lanes *plate, int h) {
    return plate->r[0][h] * plate->r[0][h] + plate->r[1][h] * plate->r[1][h] +
           plate->r[2][h] * plate->r[2][h];
}

/// Returns the second part of (9a).
ALWAYS_INLINE lanes8 own_energy(const struct plate_lanes *plate) {
    lanes8 sum = lanes_set(0.0);
    for (int h = 0; h < PLATE_HINGES; h++) {
        const lanes8 f = plate->coupling[h].value;
        const lanes8 angle = plate->angle[h];
        sum += 0.5 * own_weight(plate, h) * (angle * angle - f * f + plate->excess[h].value);
    }
    return sum;
}

/// Returns the derivative of the energy with respect to the angle of hinge h.
ALWAYS_INLINE lanes8 hinge_moment(const struct plate_lanes *plate, const lanes8 moment[PLATE_ROWS],
                                  int h) {
    const struct hinge_function *c = &plate->coupling[h];
    const lanes8 coupled = coupled_moment(plate, moment, h);
    if (!plate->is_folded) {
        return coupled;
    }
    return coupled * c->slope + own_weight(plate, h) * (plate->angle[h] - c->value * c->slope +
                                                        0.5 * plate->excess[h].slope);
}

/// Returns by how much the second derivative of the energy with respect to the angle of hinge h is
/// more than in J^T J.
ALWAYS_INLINE lanes8 own_stiffness(const struct plate_lanes *plate, const lanes8 moment[PLATE_ROWS],
                                   int h) {
    const struct hinge_function *c = &plate->coupling[h];
    return own_weight(plate, h) *
               (1.0 - c->slope * c->slope - c->value * c->bend + 0.5 * plate->excess[h].bend) +
           coupled_moment(plate, moment, h) * c->bend;
}

ALWAYS_INLINE void plate_forces(const struct plate_lanes *plate, const lanes8 moment[PLATE_ROWS],
                                lanes8 force[PLATE_NODES][3]) {
    for (int k = 0; k < 3 * PLATE_NODES; k++) {
        force[k / 3][k % 3] = lanes_set(0.0);
    }
    for (int h = 0; h < PLATE_HINGES; h++) {
        lanes8 gradient[4][3];
        const lanes8 moment_of_hinge = hinge_moment(plate, moment, h);
        angle_gradient(&plate->hinge[h], gradient);
        for (int a = 0; a < 4; a++) {
            for (int i = 0; i < 3; i++) {
                force[plate_hinge_nodes[h][a]][i] += moment_of_hinge * gradient[a][i];
            }
        }
    }
}

/// Adds value, gradient and values by node; those that are null are skipped. first_order_passes.h
/// specialises this kernel.
ALWAYS_INLINE void add_first_order(const struct plate_elements *elements,
                                   const struct stencil_groups *groups, size_t begin, size_t end,
                                   const double *x, double *value, double *gradient,
                                   double *node_values) {
    lanes8 sum = lanes_set(0.0);
    for (size_t g = begin; g < end; g++) {
        struct plate_lanes plate;
        lanes8 moment[PLATE_ROWS];
        plate_measure(elements, g, x, &plate);
        plate_moment(&plate, moment);
        if (value != NULL) {
            lanes8 energy = 0.5 * dot_lanes(moment, moment);
            if (plate.is_folded) {
                energy += own_energy(&plate);
            }
            energy = lanes_select(plate.degenerate, lanes_set(INFINITY), energy);
            sum += energy;
            if (node_values != NULL) {
                scatter_values(energy, groups->node + g * elements->width * LANES, node_values);
            }
        }
        if (gradient != NULL) {
            lanes8 force[PLATE_NODES][3];
            plate_forces(&plate, moment, force);
            for (size_t p = 0; p < PLATE_NODES; p++) {
                scatter_vector(force[p], elements->slot + (g * PLATE_NODES + p) * LANES, gradient);
            }
        }
    }
    if (value != NULL) {
        *value += lanes_sum(sum);
    }
}

#define FIRST_ORDER_ELEMENTS plate_elements
#include "energy/first_order_passes.h"

// --- Hessians ---

/// Bounds the slopes of f from below by -1 for the semidefinite Hessian: couplings are then at most
/// those of the angles, and the rest of what each hinge resists is not negative. The excess counts
/// where it curves up, and not in damping.
static void bound_folds(struct plate_lanes *plate, bool is_damping) {
    for (int h = 0; h < PLATE_HINGES; h++) {
        const lanes8 none = lanes_set(0.0);
        struct hinge_function *c = &plate->coupling[h];
        struct hinge_function *excess = &plate->excess[h];
        c->slope = lanes_max(c->slope, lanes_set(-1.0));
        excess->bend = is_damping ? none : lanes_max(excess->bend, none);
    }
}

/// Computes J = R d f / d x, [patch node][row][axis].
ALWAYS_INLINE void plate_jacobian(const struct plate_lanes *plate, lanes8 j[PLATE_NODES][9]) {
    for (int k = 0; k < 9 * PLATE_NODES; k++) {
        j[k / 9][k % 9] = lanes_set(0.0);
    }
    for (int h = 0; h < PLATE_HINGES; h++) {
        lanes8 gradient[4][3];
        angle_gradient(&plate->hinge[h], gradient);
        for (int a = 0; a < 4; a++) {
            scale_lanes(plate->coupling[h].slope, gradient[a], gradient[a]);
            for (int k = 0; k < 9; k++) {
                j[plate_hinge_nodes[h][a]][k] += plate->r[k / 3][h] * gradient[a][k % 3];
            }
        }
    }
}

/// Permutes J into the assembly's node order, and adds up patch nodes that are the same mesh node.
ALWAYS_INLINE void order_jacobian(lanes8 j[PLATE_NODES][9], const uint8_t *order, uint32_t width,
                                  double ordered[PLATE_NODES][9][LANES]) {
    memset(ordered, 0, width * sizeof ordered[0]);
    for (int p = 0; p < PLATE_NODES; p++) {
        for (int l = 0; l < LANES; l++) {
            double(*to)[LANES] = ordered[order[p * LANES + l]];
            for (int k = 0; k < 9; k++) {
                to[k][l] += j[p][k][l];
            }
        }
    }
}

/// Adds the block k between the stencil nodes a and b of one lane. If two different patch nodes are
/// the same mesh node, the block and its transpose both go to the diagonal block.
ALWAYS_INLINE void add_block(const lanes8 k[9], int lane, uint32_t a, uint32_t b, bool diagonal,
                             uint32_t width, const uint32_t *slots, double *blocks) {
    const uint32_t low = a < b ? a : b;
    const uint32_t high = a < b ? b : a;
    const uint32_t pair = low * width - low * (low + 1) / 2 + high;
    double *to = blocks + 9 * (size_t)slots[pair * LANES + (uint32_t)lane];
    for (int ij = 0; ij < 9; ij++) {
        const double straight = k[ij][lane];
        const double crossed = k[ij % 3 * 3 + ij / 3][lane];
        if (a == b && !diagonal) {
            to[ij] += straight + crossed;
        } else {
            to[ij] += a <= b ? straight : crossed;
        }
    }
}

/// Adds the blocks k of hinge h.
ALWAYS_INLINE void add_hinge_blocks(lanes8 k[4][4][9], int h, const uint8_t *order, uint32_t width,
                                    const uint32_t *slots, double *blocks) {
    const uint8_t *node = plate_hinge_nodes[h];
    for (int ab = 0; ab < 16; ab++) {
        const int a = ab / 4;
        const int b = ab % 4;
        for (int l = 0; l < LANES && a <= b; l++) {
            add_block(k[a][b], l, order[node[a] * LANES + l], order[node[b] * LANES + l], a == b,
                      width, slots, blocks);
        }
    }
}

/// Adds c g g^T to k, where g is the gradient of the hinge's angle.
ALWAYS_INLINE void add_product(const struct hinge_lanes *h, lanes8 c, lanes8 k[4][4][9]) {
    lanes8 g[4][3];
    angle_gradient(h, g);
    for (int ab = 0; ab < 16; ab++) {
        for (int ij = 0; ij < 9; ij++) {
            k[ab / 4][ab % 4][ij] += c * g[ab / 4][ij / 3] * g[ab % 4][ij % 3];
        }
    }
}

/// Adds weight w_h (1 - slope^2) g g^T of each hinge, which makes the w_h of J^T J whole, and the
/// excess.
static void add_own_stiffness(const struct plate_lanes *plate, const lanes8 *weight,
                              const uint8_t *order, uint32_t width, const uint32_t *slots,
                              double *blocks) {
    for (int h = 0; h < PLATE_HINGES; h++) {
        const lanes8 slope = plate->coupling[h].slope;
        const lanes8 own = own_weight(plate, h) *
                           (1.0 - slope * slope + 0.5 * plate->excess[h].bend);
        lanes8 k[4][4][9] = {0};
        add_product(&plate->hinge[h], *weight * own, k);
        add_hinge_blocks(k, h, order, width, slots, blocks);
    }
}

/// Adds J^T J: the Hessian if all moments are zero, and positive semidefinite for every state.
/// is_exact: add_geometric adds the rest, also of hinges that are folded.
static PBS_MULTIVERSION void add_gauss_newton(const struct plate_elements *elements,
                                              const struct stencil_groups *groups, size_t begin,
                                              size_t end, const struct evaluation *evaluation,
                                              bool is_exact, double *blocks) {
    const uint32_t width = elements->width;
    for (size_t g = begin; g < end; g++) {
        struct plate_lanes plate;
        lanes8 j[PLATE_NODES][9];
        double ordered[PLATE_NODES][9][LANES];
        const uint8_t *order = elements->order + g * PLATE_NODES * LANES;
        const uint32_t *slot = groups->block_slot + g * groups->pair_count * LANES;
        const lanes8 weight = evaluation->damping_weights
                                  ? lanes_load(elements->damping + g * LANES)
                                  : lanes_set(1.0);
        plate_measure(elements, g, evaluation->x, &plate);
        if (plate.is_folded && !is_exact) {
            bound_folds(&plate, evaluation->damping_weights);
            add_own_stiffness(&plate, &weight, order, width, slot, blocks);
        }
        plate_jacobian(&plate, j);
        order_jacobian(j, order, width, ordered);
        for (uint32_t a = 0; a < width; a++) {
            lanes8 left[9];
            for (int k = 0; k < 9; k++) {
                left[k] = weight * lanes_load(ordered[a][k]);
            }
            for (uint32_t b = a; b < width; b++, slot += LANES) {
                lanes8 k[9];
                for (int ij = 0; ij < 9; ij++) {
                    const int i = ij / 3;
                    const int c = ij % 3;
                    k[ij] = left[i] * lanes_load(ordered[b][c]) +
                            left[3 + i] * lanes_load(ordered[b][3 + c]) +
                            left[6 + i] * lanes_load(ordered[b][6 + c]);
                }
                scatter_block(k, slot, blocks);
            }
        }
    }
}

/// Adds the second derivatives of the angles times their moments, and what folded hinges resist by
/// themselves, which complete J^T J to the exact Hessian.
static PBS_MULTIVERSION void add_geometric(const struct plate_elements *elements,
                                           const struct stencil_groups *groups, size_t begin,
                                           size_t end, const struct evaluation *evaluation,
                                           double *blocks) {
    for (size_t g = begin; g < end; g++) {
        struct plate_lanes plate;
        lanes8 moment[PLATE_ROWS];
        const uint8_t *order = elements->order + g * PLATE_NODES * LANES;
        const uint32_t *slots = groups->block_slot + g * groups->pair_count * LANES;
        plate_measure(elements, g, evaluation->x, &plate);
        plate_moment(&plate, moment);
        for (int h = 0; h < PLATE_HINGES; h++) {
            lanes8 k[4][4][9];
            const lanes8 moment_of_hinge = hinge_moment(&plate, moment, h);
            angle_hessian(&plate.hinge[h], k);
            complete_blocks(k);
            for (int abij = 0; abij < 16 * 9; abij++) {
                k[abij / 36][abij / 9 % 4][abij % 9] *= moment_of_hinge;
            }
            if (plate.is_folded) {
                add_product(&plate.hinge[h], own_stiffness(&plate, moment, h), k);
            }
            add_hinge_blocks(k, h, order, elements->width, slots, blocks);
        }
    }
}

static int evaluate(const void *self, const struct assembly *assembly,
                    const struct stencil_groups *groups, uint32_t domain,
                    const struct evaluation *evaluation, struct evaluation_sums *sums) {
    const struct plate_bending *plate = self;
    const struct plate_elements *elements = &plate->elements;
    const size_t begin = groups->domain_group[domain];
    const size_t end = groups->domain_group[domain + 1];
    (void)assembly;
    if (evaluation->damping_weights && !plate->has_damping) {
        return EVALUATE_OK;
    }
    add_requested(elements, groups, begin, end, evaluation, sums);
    if (evaluation->what & EVALUATE_HESSIAN) {
        const bool is_exact = !evaluation->project && !evaluation->project_shells &&
                              !evaluation->damping_weights;
        add_gauss_newton(elements, groups, begin, end, evaluation, is_exact, sums->blocks);
        if (is_exact) {
            add_geometric(elements, groups, begin, end, evaluation, sums->blocks);
        }
    }
    return EVALUATE_OK;
}

static pbs_status bind_elements(void *self, struct memory *memory,
                                const struct stencil_groups *groups) {
    return plate_bending_bind(self, memory, groups);
}

static void destroy(void *self, struct memory *memory) {
    plate_bending_destroy(self, memory);
}

static const struct term_table table = {
    .name = "plate bending",
    .kind = ENERGY_ELASTIC,
    .evaluate = evaluate,
    .has_damping = true,
    .bind = bind_elements,
    .destroy = destroy,
};

struct term plate_bending_term(struct plate_bending *plate) {
    return (struct term){
        .table = &table,
        .self = plate,
        .has_stencils = true,
        .stencils = {.count = plate->count, .width = plate->width, .nodes = plate->stencils},
    };
}
