// See pair_list.h.
// SPDX-License-Identifier: MIT
#include "world/objects/pair_list.h"

#include "pbs/readback.h"

pbs_status pair_list_reserve(struct memory *memory, size_t count, struct pair_list *list) {
    return memory_reserve(memory, &list->pairs, &list->capacity, count, sizeof *list->pairs);
}

void pair_list_free(struct memory *memory, struct pair_list *list) {
    memory_release(memory, list->pairs);
    *list = (struct pair_list){0};
}

static int compare_ids(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

/// Returns a negative, zero or positive number, as for qsort.
static int compare(const struct id_pair *a, const struct id_pair *b) {
    const int first = compare_ids(a->first, b->first);
    return first != 0 ? first : compare_ids(a->second, b->second);
}

/// Moves the pair at `root` down to its place in a heap whose largest pair is the first one.
static void sift_down(struct id_pair *heap, size_t root, size_t count) {
    const struct id_pair moved = heap[root];
    for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        child += child + 1 < count && compare(&heap[child], &heap[child + 1]) < 0;
        if (compare(&moved, &heap[child]) >= 0) {
            break;
        }
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = moved;
}

/// Heapsort, because the C library's qsort may allocate.
static void sort(struct id_pair *pairs, size_t count) {
    for (size_t root = count / 2; root > 0; root--) {
        sift_down(pairs, root - 1, count);
    }
    for (size_t end = count; end > 1; end--) {
        const struct id_pair largest = pairs[0];
        pairs[0] = pairs[end - 1];
        pairs[end - 1] = largest;
        sift_down(pairs, 0, end - 1);
    }
}

void pair_list_sort(struct pair_list *list) {
    if (list->count == 0) {
        return;
    }
    sort(list->pairs, list->count);
    size_t kept = 1;
    for (size_t i = 1; i < list->count; i++) {
        if (compare(&list->pairs[kept - 1], &list->pairs[i]) != 0) {
            list->pairs[kept++] = list->pairs[i];
        }
    }
    list->count = kept;
}

bool pair_list_is_sorted(const struct pair_list *list) {
    for (size_t i = 1; i < list->count; i++) {
        if (compare(&list->pairs[i - 1], &list->pairs[i]) >= 0) {
            return false;
        }
    }
    return true;
}

// --- events ---

// --- saving ---

void pair_list_write(struct byte_writer *out, const struct pair_list *list) {
    write_u64(out, list->count);
    for (size_t i = 0; i < list->count; i++) {
        write_u64(out, list->pairs[i].first);
        write_u64(out, list->pairs[i].second);
    }
}

/// The ids are only compared with others and given to the host, so they need not be valid.
pbs_status pair_list_read(struct byte_reader *in, struct memory *memory, struct pair_list *list) {
    size_t count = 0;
    RETURN_IF_FAILED(read_count(in, "pairs", 2 * sizeof(uint64_t), &count));
    RETURN_IF_FAILED(pair_list_reserve(memory, count, list));
    list->count = count;
    for (size_t i = 0; i < count; i++) {
        list->pairs[i].first = read_u64(in);
        list->pairs[i].second = read_u64(in);
    }
    return pair_list_is_sorted(list)
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT, "pairs that touch are not in order");
}

void pair_events_free(struct memory *memory, struct pair_events *events) {
    pair_list_free(memory, &events->next);
    memory_release(memory, events->rows);
    *events = (struct pair_events){0};
}

pbs_status pair_events_reserve(struct memory *memory, size_t count, struct pair_list *before,
                               struct pair_events *events) {
    // The lists are exchanged, so both must have room for all pairs.
    RETURN_IF_FAILED(pair_list_reserve(memory, count, before));
    RETURN_IF_FAILED(pair_list_reserve(memory, count, &events->next));
    const size_t most_before = before->count > count ? before->count : count;
    return memory_reserve(memory, &events->rows, &events->capacity, most_before + count,
                          sizeof *events->rows);
}

/// Returns the order of the next pairs of both lists; a list that has ended comes last.
static int compare_next(const struct pair_list *before, size_t b, const struct pair_list *now,
                        size_t n) {
    if (b == before->count) {
        return 1;
    }
    return n == now->count ? -1 : compare(&before->pairs[b], &now->pairs[n]);
}

void pair_events_commit(struct pair_list *before, struct pair_events *events) {
    pair_list_sort(&events->next);
    const struct pair_list now = events->next;
    size_t b = 0;
    size_t n = 0;
    events->count = 0;
    while (b < before->count || n < now.count) {
        const int order = compare_next(before, b, &now, n);
        if (order != 0) {
            events->rows[events->count++] = (struct pair_event){
                .pair = order < 0 ? before->pairs[b] : now.pairs[n],
                .kind = order < 0 ? PBS_PAIR_ENDED : PBS_PAIR_BEGAN};
        }
        b += order <= 0;
        n += order >= 0;
    }
    events->next = *before;
    *before = now;
}
