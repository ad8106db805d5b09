// What saved worlds contain, member by member, as saved_fields.txt beside this file has it. Whoever
// adds, removes, moves or widens a saved member changes the format, and has to raise
// SNAPSHOT_VERSION: otherwise bytes of before would be read as something else.
// SPDX-License-Identifier: MIT
#include "world/snapshots/snapshot.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/world_testing.h"

static const char RECORD[] = "tests/world/snapshots/saved_fields.txt";
static const char FOUND[] = "build/saved_fields.txt";

static const char *const TYPES[] = {
    [FIELD_BOOL] = "bool",     [FIELD_BYTE] = "byte",     [FIELD_INT32] = "int32",
    [FIELD_UINT32] = "uint32", [FIELD_UINT64] = "uint64", [FIELD_SIZE] = "size",
    [FIELD_FLOAT] = "float",   [FIELD_DOUBLE] = "double"};

static const char *const FORMS[] = {
    [FORM_MEMBER] = "", [FORM_ARRAY] = " array", [FORM_ZEROS] = " zeros"};

static void print_list(FILE *file, const struct field_list *list) {
    (void)fprintf(file, "\n%s\n", list->name);
    for (size_t i = 0; i < list->field_count; i++) {
        const struct field *const field = &list->fields[i];
        (void)fprintf(file, "    %s %s %zu%s\n", field->name, TYPES[field->type], field->width,
                      FORMS[field->form]);
    }
}

struct found {
    const struct field_list *lists[64];
    size_t count;
};

static void add_list(void *found, const struct field_list *list) {
    struct found *const own = found;
    assert_true(own->count < COUNT_OF(own->lists));
    own->lists[own->count++] = list;
}

/// By name, as the order in which lists are visited is not that of the bytes.
static int compare_lists(const void *a, const void *b) {
    const struct field_list *const *const first = a, *const *const second = b;
    const int names = strcmp((*first)->name, (*second)->name);
    return names != 0 ? names : strcmp((*first)->fields[0].name, (*second)->fields[0].name);
}

static void write_found(void) {
    struct found found = {.count = 0};
    FILE *const file = fopen(FOUND, "w");
    assert_non_null(file);
    (void)fprintf(file, "version %u\n", (unsigned)SNAPSHOT_VERSION);
    snapshot_visit_lists(add_list, &found);
    qsort(found.lists, found.count, sizeof *found.lists, compare_lists);
    for (size_t i = 0; i < found.count; i++) {
        print_list(file, found.lists[i]);
    }
    assert_int_equal(fclose(file), 0);
}

/// Reads a line of each file; false where one of them has ended.
static bool read_lines(FILE *a, FILE *b, char lines[2][256]) {
    const bool has_a = fgets(lines[0], 256, a) != NULL;
    const bool has_b = fgets(lines[1], 256, b) != NULL;
    if (has_a != has_b) {
        fail_msg("one of %s and %s goes on", RECORD, FOUND);
    }
    return has_a;
}

static void saved_members_change_with_the_version(void **state) {
    (void)state;
    write_found();
    FILE *const record = fopen(RECORD, "r"), *const found = fopen(FOUND, "r");
    char lines[2][256], version[256];
    assert_non_null(record);
    assert_non_null(found);
    assert_true(read_lines(record, found, lines));
    if (strcmp(lines[0], lines[1]) != 0) {
        fail_msg("%s is of another version: copy %s over it", RECORD, FOUND);
    }
    memcpy(version, lines[0], sizeof version);
    while (read_lines(record, found, lines)) {
        if (strcmp(lines[0], lines[1]) != 0) {
            fail_msg("a saved member was%s, is%s and it is still %sraise SNAPSHOT_VERSION",
                     lines[0], lines[1], version);
        }
    }
    (void)fclose(record);
    (void)fclose(found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_members_change_with_the_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
