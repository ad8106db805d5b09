// See fields.h.
// SPDX-License-Identifier: MIT
#include "world/interface/fields.h"

#include <math.h>
#include <string.h>

static const size_t SIZES[] = {[FIELD_BOOL] = sizeof(bool),       [FIELD_BYTE] = 1,
                               [FIELD_INT32] = sizeof(int32_t),   [FIELD_UINT32] = sizeof(uint32_t),
                               [FIELD_UINT64] = sizeof(uint64_t), [FIELD_SIZE] = sizeof(size_t),
                               [FIELD_FLOAT] = sizeof(float),     [FIELD_DOUBLE] = sizeof(double)};

static size_t count_of(const struct field *field, const void *owner) {
    size_t count = 0;
    memcpy(&count, (const char *)owner + field->count, sizeof count);
    return count;
}

/// The array that the member points to.
static void *array_of(const struct field *field, const void *owner) {
    void *array = NULL;
    memcpy(&array, (const char *)owner + field->offset, sizeof array);
    return array;
}

static void set_array(const struct field *field, void *owner, const void *array) {
    memcpy((char *)owner + field->offset, &array, sizeof array);
}

// --- writing ---

static void write_values(struct byte_writer *out, const struct field *field, const void *values,
                         size_t count) {
    const size_t size = SIZES[field->type];
    if (field->type == FIELD_BOOL || field->type == FIELD_SIZE) {
        for (size_t i = 0; i < count; i++) {
            bool flag = false;
            size_t number = 0;
            memcpy(field->type == FIELD_BOOL ? (void *)&flag : (void *)&number,
                   (const char *)values + size * i, size);
            if (field->type == FIELD_BOOL) {
                write_u32(out, flag);
            } else {
                write_u64(out, number);
            }
        }
        return;
    }
    write_bytes(out, values, count * size);
}

static void write_array(struct byte_writer *out, const struct field *field, const void *owner) {
    const size_t count = count_of(field, owner);
    const void *const array = count > 0 ? array_of(field, owner) : NULL;
    write_u32(out, array != NULL);
    if (array != NULL) {
        write_values(out, field, array, field->width * count);
    }
}

void fields_write(struct byte_writer *out, const struct field_list *list, const void *owner) {
    for (size_t i = 0; i < list->field_count; i++) {
        const struct field *const field = &list->fields[i];
        if (field->form == FORM_ARRAY) {
            write_array(out, field, owner);
        } else if (field->form == FORM_MEMBER) {
            write_values(out, field, (const char *)owner + field->offset, field->width);
        }
    }
}

// --- reading ---

/// Each thing takes at least a byte of those that follow.
static pbs_status read_size(struct byte_reader *in, const struct field *field, void *out) {
    size_t number = 0;
    RETURN_IF_FAILED(read_count(in, field->name, 1, &number));
    memcpy(out, &number, sizeof number);
    return PBS_OK;
}

static pbs_status read_bools(struct byte_reader *in, void *out, size_t count) {
    bool *const flags = out;
    for (size_t i = 0; i < count; i++) {
        RETURN_IF_FAILED(read_flag(in, &flags[i]));
    }
    return PBS_OK;
}

static bool is_in_range(enum field_range range, double value) {
    return range == FIELD_ANY || (isfinite(value) && !(range == FIELD_POSITIVE && value <= 0.0) &&
                                  !(range == FIELD_NOT_NEGATIVE && value < 0.0));
}

static pbs_status check_doubles(const struct field *field, const void *values, size_t count) {
    static const char *const words[] = {[FIELD_FINITE] = "finite",
                                        [FIELD_POSITIVE] = "positive and finite",
                                        [FIELD_NOT_NEGATIVE] = "finite and not negative"};
    const double *const numbers = values;
    for (size_t i = 0; i < count; i++) {
        if (!is_in_range(field->range, numbers[i])) {
            return status_fail(PBS_ERROR_FORMAT, "%s is %g, must be %s", field->name, numbers[i],
                               words[field->range]);
        }
    }
    return PBS_OK;
}

static pbs_status read_values(struct byte_reader *in, const struct field *field, void *out,
                              size_t count) {
    if (field->type == FIELD_SIZE) {
        return read_size(in, field, out);
    }
    if (field->type == FIELD_BOOL) {
        return read_bools(in, out, count);
    }
    read_bytes(in, out, count * SIZES[field->type]);
    return field->type == FIELD_DOUBLE ? check_doubles(field, out, count) : PBS_OK;
}

/// Reads whether there is an array.
static pbs_status read_presence(struct byte_reader *in, const struct field *field, bool *present) {
    RETURN_IF_FAILED(read_flag(in, present));
    return in->ended ? status_fail(PBS_ERROR_FORMAT, "the bytes end before %s", field->name)
                     : PBS_OK;
}

/// The array belongs to *owner before its values are checked.
static pbs_status read_array(struct byte_reader *in, struct memory *memory,
                             const struct field *field, void *owner) {
    bool present = false;
    void *array = NULL;
    RETURN_IF_FAILED(read_presence(in, field, &present));
    if (!present) {
        return PBS_OK;
    }
    const size_t count = count_of(field, owner);
    if (count == 0) {
        return status_fail(PBS_ERROR_FORMAT, "there are %s, but their number is 0", field->name);
    }
    RETURN_IF_FAILED(read_block(in, memory, count, field->width * SIZES[field->type], &array));
    set_array(field, owner, array);
    return field->type == FIELD_DOUBLE ? check_doubles(field, array, field->width * count) : PBS_OK;
}

static pbs_status make_zeros(struct memory *memory, const struct field *field, void *owner) {
    void *const array = memory_allocate(memory, count_of(field, owner),
                                        field->width * SIZES[field->type]);
    set_array(field, owner, array);
    return array != NULL ? PBS_OK : PBS_ERROR_MEMORY;
}

pbs_status fields_read(struct byte_reader *in, struct memory *memory, const struct field_list *list,
                       void *owner) {
    for (size_t i = 0; i < list->field_count; i++) {
        const struct field *const field = &list->fields[i];
        if (field->form == FORM_ARRAY) {
            RETURN_IF_FAILED(read_array(in, memory, field, owner));
        } else if (field->form == FORM_ZEROS) {
            RETURN_IF_FAILED(make_zeros(memory, field, owner));
        } else {
            RETURN_IF_FAILED(read_values(in, field, (char *)owner + field->offset, field->width));
        }
    }
    return PBS_OK;
}

static pbs_status refill_array(struct byte_reader *in, const struct field *field, void *owner) {
    const size_t count = count_of(field, owner);
    void *const array = count > 0 ? array_of(field, owner) : NULL;
    bool present = false;
    RETURN_IF_FAILED(read_presence(in, field, &present));
    if (present != (array != NULL)) {
        return status_fail(PBS_ERROR_FORMAT,
                           present ? "there are %s, which do not belong there" : "there are no %s",
                           field->name);
    }
    return present ? read_values(in, field, array, field->width * count) : PBS_OK;
}

pbs_status fields_read_in_place(struct byte_reader *in, const struct field_list *list,
                                void *owner) {
    for (size_t i = 0; i < list->field_count; i++) {
        const struct field *const field = &list->fields[i];
        if (field->form == FORM_ARRAY) {
            RETURN_IF_FAILED(refill_array(in, field, owner));
        } else if (field->form == FORM_MEMBER) {
            RETURN_IF_FAILED(read_values(in, field, (char *)owner + field->offset, field->width));
        }
    }
    return PBS_OK;
}

void fields_release(struct memory *memory, const struct field_list *list, void *owner) {
    for (size_t i = 0; i < list->field_count; i++) {
        const struct field *const field = &list->fields[i];
        if (field->form != FORM_MEMBER) {
            memory_release(memory, array_of(field, owner));
            set_array(field, owner, NULL);
        }
    }
}

// --- comparing and hashing ---

bool fields_are_equal(const struct field_list *list, int except, const void *a, const void *b) {
    for (size_t i = 0; i < list->field_count; i++) {
        const struct field *const field = &list->fields[i];
        if (field->form == FORM_MEMBER && (field->use & except) == 0 &&
            memcmp((const char *)a + field->offset, (const char *)b + field->offset,
                   field->width * SIZES[field->type]) != 0) {
            return false;
        }
    }
    return true;
}

void fields_visit(const struct field_list *list, int use, const void *owner, field_visit_fn *visit,
                  void *context) {
    for (size_t i = 0; i < list->field_count; i++) {
        const struct field *const field = &list->fields[i];
        const bool is_array = field->form == FORM_ARRAY;
        const double *const values = is_array ? array_of(field, owner)
                                              : (const void *)((const char *)owner + field->offset);
        const size_t count = field->width * (is_array ? count_of(field, owner) : 1);
        for (size_t k = 0; (field->use & use) != 0 && values != NULL && k < count; k++) {
            visit(context, values[k]);
        }
    }
}
