// Lists of members: what is written comes back, wrong values are refused by name, arrays are
// counted against the bytes that are left, and comparing and hashing see what they are to see.
// SPDX-License-Identifier: MIT
#include "world/interface/fields.h"

#include "support/world_testing.h"

struct thing {
    bool flag;
    int32_t choice;
    uint64_t id;
    double length, size[3], rows[2][2];
    size_t count;
    double *values;
    uint32_t *pairs; ///< count x 2
    double *blank;   ///< count, not saved
    double left_out;
};

static const struct field FIELDS[] = {
    FIELD_VALUE(struct thing, flag, FIELD_ANY),
    FIELD_VALUE_USED(struct thing, choice, FIELD_ANY, FIELD_BY_STEP),
    FIELD_VALUE(struct thing, id, FIELD_ANY),
    FIELD_VALUE(struct thing, length, FIELD_POSITIVE),
    FIELD_VALUES(struct thing, size, FIELD_NOT_NEGATIVE),
    FIELD_ROWS(struct thing, rows, FIELD_FINITE),
    FIELD_COUNT(struct thing, count),
    FIELD_ARRAY_USED(struct thing, values, count, 1, FIELD_FINITE, FIELD_HASHED),
    FIELD_ARRAY(struct thing, pairs, count, 2, FIELD_ANY),
    FIELD_ZEROS(struct thing, blank, count, 1),
};
static const struct field_list list = FIELD_LIST(struct thing, FIELDS);

static double values[] = {1.5, -2.5, 3.5};
static uint32_t pairs[] = {0, 1, 1, 2, 2, 0};

static struct thing example(void) {
    return (struct thing){.flag = true,
                          .choice = -7,
                          .id = UINT64_MAX,
                          .length = 0.25,
                          .size = {0.0, 1.0, 2.0},
                          .rows = {{1.0, 2.0}, {3.0, 4.0}},
                          .count = 3,
                          .values = values,
                          .pairs = pairs,
                          .left_out = 9.0};
}

/// 4 + 4 + 8 + 8 + 24 + 32 + 8 bytes of members, 4 + 24 and 4 + 24 of arrays.
enum { BYTES = 144 };

static size_t write_to(unsigned char *bytes, const struct thing *thing) {
    struct byte_writer out = {.bytes = bytes, .capacity = 256};
    fields_write(&out, &list, thing);
    return out.size;
}

static void what_is_written_comes_back(void **state) {
    (void)state;
    unsigned char bytes[256], again[256];
    const struct thing thing = example();
    assert_int_equal(write_to(bytes, &thing), BYTES);
    struct memory memory;
    memory_init(&memory, NULL);
    struct byte_reader in = {.bytes = bytes, .size = BYTES};
    struct thing other = {0};
    assert_ok(fields_read(&in, &memory, &list, &other));
    assert_int_equal(in.position, BYTES);
    assert_int_equal(write_to(again, &other), BYTES);
    assert_memory_equal(again, bytes, BYTES);
    assert_true(other.flag && other.choice == -7 && other.rows[1][0] == 3.0);
    assert_true(other.left_out == 0.0 && other.values != values && other.values[1] == -2.5);
    assert_true(other.blank[0] == 0.0 && other.blank[2] == 0.0);
    fields_release(&memory, &list, &other);
    assert_null(other.values);
    assert_null(other.blank);
}

/// An array that is not there is one word, and stays null.
static void arrays_may_be_missing(void **state) {
    (void)state;
    unsigned char bytes[256];
    struct thing thing = example(), other = {0};
    thing.values = NULL;
    assert_int_equal(write_to(bytes, &thing), BYTES - 24);
    struct memory memory;
    memory_init(&memory, NULL);
    struct byte_reader in = {.bytes = bytes, .size = BYTES - 24};
    assert_ok(fields_read(&in, &memory, &list, &other));
    assert_null(other.values);
    assert_non_null(other.pairs);
    fields_release(&memory, &list, &other);
}

/// Room for nothing is as good as no room: neither is saved, and both are restored in place.
static void arrays_of_nothing_are_missing(void **state) {
    (void)state;
    unsigned char bytes[256], again[256];
    struct thing thing = example(), other = {.count = 0};
    thing.count = 0;
    assert_int_equal(write_to(bytes, &thing), BYTES - 48);
    other.length = thing.length;
    static const struct field_list kept = {"struct thing", FIELDS, 9};
    struct byte_reader in = {.bytes = bytes, .size = BYTES - 48};
    assert_ok(fields_read_in_place(&in, &kept, &other));
    assert_int_equal(write_to(again, &other), BYTES - 48);
    assert_memory_equal(again, bytes, BYTES - 48);
    bytes[BYTES - 48 - 4] = 1; // of the last array
    in = (struct byte_reader){.bytes = bytes, .size = BYTES - 48};
    struct memory memory;
    memory_init(&memory, NULL);
    struct thing third = {0};
    assert_status(fields_read(&in, &memory, &list, &third), PBS_ERROR_FORMAT);
    assert_message("pairs, but their number is 0");
    fields_release(&memory, &list, &third);
}

static void wrong_values_are_refused_by_name(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    static const char *const words[] = {
        "length is 0, must be positive", "size is -1, must be finite and not negative",
        "rows is inf, must be finite",   "values is nan, must be finite",
        "a flag is 2, must be 0 or 1",   "count is 1000"};
    for (int i = 0; i < 6; i++) {
        unsigned char bytes[256];
        double wrong[3] = {1.0, (double)NAN, 2.0};
        struct thing thing = example(), other = {0};
        thing.length = i == 0 ? 0.0 : thing.length;
        thing.size[1] = i == 1 ? -1.0 : thing.size[1];
        thing.rows[0][1] = i == 2 ? (double)INFINITY : thing.rows[0][1];
        thing.values = i == 3 ? wrong : thing.values;
        (void)write_to(bytes, &thing);
        bytes[0] = i == 4 ? 2 : bytes[0];
        const uint64_t many = 1000;
        memcpy(bytes + 80, i == 5 ? &many : (const uint64_t[]){3}, sizeof many);
        struct byte_reader in = {.bytes = bytes, .size = BYTES};
        assert_status(fields_read(&in, &memory, &list, &other), PBS_ERROR_FORMAT);
        assert_message(words[i]);
        fields_release(&memory, &list, &other);
    }
}

/// Cut short anywhere within arrays, nothing is read beyond the end; within members what is missing
/// is zeros, and the reader says that it has ended.
static void bytes_may_end_anywhere(void **state) {
    (void)state;
    unsigned char bytes[256];
    const struct thing thing = example();
    (void)write_to(bytes, &thing);
    struct memory memory;
    memory_init(&memory, NULL);
    for (size_t size = 0; size < BYTES; size++) {
        struct thing other = {0};
        struct byte_reader in = {.bytes = bytes, .size = size};
        const pbs_status status = fields_read(&in, &memory, &list, &other);
        assert_true(status == PBS_ERROR_FORMAT || in.ended);
        fields_release(&memory, &list, &other);
    }
}

static void arrays_in_place_stay_where_they_are(void **state) {
    (void)state;
    unsigned char bytes[256];
    double own[3] = {0.0, 0.0, 0.0};
    uint32_t own_pairs[6] = {0};
    const struct thing thing = example();
    struct thing other = {.count = 3, .values = own, .pairs = own_pairs};
    (void)write_to(bytes, &thing);
    static const struct field_list kept = {"struct thing", FIELDS, 9};
    struct byte_reader in = {.bytes = bytes, .size = BYTES};
    assert_ok(fields_read_in_place(&in, &kept, &other));
    assert_true(other.values == own && own[1] == -2.5 && own_pairs[3] == 2);
    other.values = NULL;
    in = (struct byte_reader){.bytes = bytes, .size = BYTES};
    assert_status(fields_read_in_place(&in, &kept, &other), PBS_ERROR_FORMAT);
    assert_message("values, which do not belong there");
}

static void sum(void *context, double value) {
    *(double *)context += value;
}

static void members_are_compared_and_hashed_by_their_use(void **state) {
    (void)state;
    const struct thing thing = example();
    struct thing other = thing;
    other.left_out = 0.0;
    other.choice = 1;
    assert_false(fields_are_equal(&list, 0, &thing, &other));
    assert_true(fields_are_equal(&list, FIELD_BY_STEP, &thing, &other));
    other.size[2] = 3.0;
    assert_false(fields_are_equal(&list, FIELD_BY_STEP, &thing, &other));
    double total = 0.0;
    fields_visit(&list, FIELD_HASHED, &thing, sum, &total);
    assert_true(total == 1.5 - 2.5 + 3.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_comes_back),
        cmocka_unit_test(arrays_may_be_missing),
        cmocka_unit_test(arrays_of_nothing_are_missing),
        cmocka_unit_test(wrong_values_are_refused_by_name),
        cmocka_unit_test(bytes_may_end_anywhere),
        cmocka_unit_test(arrays_in_place_stay_where_they_are),
        cmocka_unit_test(members_are_compared_and_hashed_by_their_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
