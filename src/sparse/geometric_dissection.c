// Nested dissection by planes (George, "Nested dissection of a regular finite element mesh", SIAM
// J. Numer. Anal. 10, 1973; coordinates as in Heath and Raghavan, "A Cartesian parallel nested
// dissection algorithm", SIMAX 16, 1995): the vertices are halved across the longest axis of their
// box, and of those with edges across the smaller group is eliminated last.
#include "sparse/geometric_dissection.h"

#include <math.h>
#include <string.h>

// Fewer vertices than this are eliminated as they come.
#define LEAF 8
// Halvings, for vertices that all have one place or long edges.
#define DEEPEST 40

struct dissection {
    const uint32_t *start;
    const uint32_t *neighbor;
    const double *positions;
    struct geometric_dissection *room;
    uint32_t *order;
    uint32_t halvings;
};

void geometric_dissection_free(struct memory *memory, struct geometric_dissection *d) {
    memory_release(memory, d->side);
    memory_release(memory, d->held);
    memory_release(memory, d->other);
    *d = (struct geometric_dissection){0};
}

static size_t longest_axis(const struct dissection *d, const uint32_t *vertex, uint32_t count) {
    double least[3] = {INFINITY, INFINITY, INFINITY};
    double most[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < count; i++) {
        for (size_t k = 0; k < 3; k++) {
            const double x = d->positions[3 * (size_t)vertex[i] + k];
            least[k] = fmin(least[k], x);
            most[k] = fmax(most[k], x);
        }
    }
    size_t axis = 0;
    for (size_t k = 1; k < 3; k++) {
        axis = most[k] - least[k] > most[axis] - least[axis] ? k : axis;
    }
    return axis;
}

/// Equal places are told apart by number, so that there is one order.
static bool comes_before(const struct dissection *d, size_t axis, uint32_t a, uint32_t b) {
    const double x = d->positions[3 * (size_t)a + axis];
    const double y = d->positions[3 * (size_t)b + axis];
    return x < y || (x == y && a < b);
}

/// Puts the `half` vertices that come first along the axis in front (Hoare's selection).
static void select_half(const struct dissection *d, size_t axis, uint32_t *vertex, uint32_t count,
                        uint32_t half) {
    int64_t low = 0;
    int64_t high = (int64_t)count - 1;
    while (low < high) {
        const uint32_t pivot = vertex[low + (high - low) / 2];
        int64_t i = low;
        int64_t j = high;
        while (i <= j) {
            while (comes_before(d, axis, vertex[i], pivot)) {
                i++;
            }
            while (comes_before(d, axis, pivot, vertex[j])) {
                j--;
            }
            if (i <= j) {
                const uint32_t swapped = vertex[i];
                vertex[i++] = vertex[j];
                vertex[j--] = swapped;
            }
        }
        low = half > j ? i : low;
        high = half < i ? j : high;
    }
}

/// Marks the vertices with edges to the other half; counts them for each half.
static void find_separator(const struct dissection *d, const uint32_t *vertex, uint32_t count,
                           uint32_t left, uint32_t found[2]) {
    const struct geometric_dissection *room = d->room;
    found[0] = found[1] = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t a = vertex[i];
        for (uint32_t k = d->start[a]; k < d->start[a + 1]; k++) {
            const uint32_t b = d->neighbor[k];
            if (room->side[b] / 2 != left / 2 || room->side[a] == room->side[b]) {
                continue;
            }
            found[room->side[a] % 2] += !room->held[a];
            found[room->side[b] % 2] += !room->held[b];
            room->held[a] = room->held[b] = 1;
        }
    }
}

/// Orders `count` vertices; returns in parts how many the two halves keep.
static void halve(struct dissection *d, uint32_t *vertex, uint32_t count, uint32_t parts[2]) {
    struct geometric_dissection *room = d->room;
    const uint32_t half = count / 2;
    const uint32_t left = 2 * ++d->halvings;
    select_half(d, longest_axis(d, vertex, count), vertex, count, half);
    for (uint32_t i = 0; i < count; i++) {
        room->side[vertex[i]] = left + (i >= half);
        room->held[vertex[i]] = 0;
    }
    uint32_t found[2];
    find_separator(d, vertex, count, left, found);
    const uint32_t giving = left + (found[1] < found[0]);
    uint32_t kept = 0;
    uint32_t separated = 0;
    parts[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t a = vertex[i];
        if (room->side[a] == giving && room->held[a]) {
            room->other[separated++] = a;
        } else {
            parts[0] += room->side[a] == left;
            vertex[kept++] = a;
        }
    }
    parts[1] = kept - parts[0];
    memcpy(vertex + kept, room->other, separated * sizeof *vertex);
}

/// Depth first with a stack of its own: first and count of the parts still to be halved.
static void dissect(struct dissection *d, uint32_t count) {
    uint32_t pending[DEEPEST + 2][3] = {{0, count, 0}};
    uint32_t depth = 1;
    while (depth > 0) {
        const uint32_t *top = pending[--depth];
        const uint32_t first = top[0];
        const uint32_t size = top[1];
        const uint32_t level = top[2];
        if (size <= LEAF || level == DEEPEST) {
            continue;
        }
        uint32_t parts[2];
        halve(d, d->order + first, size, parts);
        for (uint32_t p = 0; p < 2; p++) {
            pending[depth][0] = first + (p == 1 ? parts[0] : 0);
            pending[depth][1] = parts[p];
            pending[depth++][2] = level + 1;
        }
    }
}

pbs_status geometric_dissection_order(struct memory *memory, uint32_t vertex_count,
                                      const uint32_t *start, const uint32_t *neighbor,
                                      const double *positions, struct geometric_dissection *d,
                                      uint32_t *order) {
    RETURN_IF_FAILED(
        memory_reserve(memory, &d->side, &d->side_capacity, vertex_count, sizeof *d->side));
    RETURN_IF_FAILED(
        memory_reserve(memory, &d->held, &d->held_capacity, vertex_count, sizeof *d->held));
    RETURN_IF_FAILED(
        memory_reserve(memory, &d->other, &d->other_capacity, vertex_count, sizeof *d->other));
    memset(d->side, 0, vertex_count * sizeof *d->side);
    for (uint32_t i = 0; i < vertex_count; i++) {
        order[i] = i;
    }
    struct dissection work = {start, neighbor, positions, d, order, 0};
    dissect(&work, vertex_count);
    return PBS_OK;
}
