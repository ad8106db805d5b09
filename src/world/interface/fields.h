// Lists of the members of structs that saved worlds contain. One list writes a struct, reads it
// back with checks, compares it and hashes it, so that a member that is listed is in all of them.
// saved_fields.txt in tests/world/snapshots names all listed members; a test compares.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_INTERFACE_FIELDS_H
#define PBS_WORLD_INTERFACE_FIELDS_H

#include <stddef.h>

#include "world/interface/byte_stream.h"

enum field_type {
    FIELD_BOOL, ///< saved as a 32-bit word, 0 or 1
    FIELD_BYTE,
    FIELD_INT32,
    FIELD_UINT32,
    FIELD_UINT64,
    FIELD_SIZE, ///< a size_t, saved in 64 bits: a number of things that the bytes contain
    FIELD_FLOAT,
    FIELD_DOUBLE
};

/// What a value must be to be read. Ranges that depend on other values are checked by the reader.
enum field_range { FIELD_ANY, FIELD_FINITE, FIELD_POSITIVE, FIELD_NOT_NEGATIVE };

enum field_form {
    FORM_MEMBER, ///< the values are in the struct
    FORM_ARRAY,  ///< the member points to them, or is null; none are saved of 0 items
    FORM_ZEROS   ///< likewise, but they are not saved: whoever reads gets zeros
};

enum {
    FIELD_HASHED = 1, ///< part of pbs_world_hash
    FIELD_BY_STEP = 2 ///< of settings: read anew in each step. What steps compute with is built
                      ///< anew where a host changes another setting
};

struct field {
    const char *name;
    size_t offset;
    size_t width; ///< number of values; of an array: of values for each of its items
    size_t count; ///< of an array: the offset of the size_t that is its number of items
    enum field_type type;
    enum field_form form;
    enum field_range range;
    int use; ///< FIELD_HASHED, FIELD_BY_STEP; 0: none
};

struct field_list {
    const char *name; ///< of the struct
    const struct field *fields;
    size_t field_count;
};

#define FIELD_TYPE_OF(value)                                                                       \
    _Generic((value), bool                                                                         \
             : FIELD_BOOL, uint8_t                                                                 \
             : FIELD_BYTE, int32_t                                                                 \
             : FIELD_INT32, uint32_t                                                               \
             : FIELD_UINT32, uint64_t                                                              \
             : FIELD_UINT64, float                                                                 \
             : FIELD_FLOAT, double                                                                 \
             : FIELD_DOUBLE)
#define FIELD_IN(owner, member) (((owner *)0)->member)
#define FIELD_OF(owner, member, values, value_range, uses)                                         \
    {                                                                                              \
        .name = #member, .offset = offsetof(owner, member), .width = (values),                     \
        .range = (value_range), .use = (uses)

/// One value. `owner` is the type of the struct.
#define FIELD_VALUE_USED(owner, member, value_range, uses)                                         \
    FIELD_OF(owner, member, 1, value_range, uses), .type = FIELD_TYPE_OF(FIELD_IN(owner, member))  \
    }
#define FIELD_VALUE(owner, member, value_range) FIELD_VALUE_USED(owner, member, value_range, 0)
/// Several values, as double size[3].
#define FIELD_VALUES_USED(owner, member, value_range, uses)                                        \
    FIELD_OF(owner, member, sizeof FIELD_IN(owner, member) / sizeof FIELD_IN(owner, member)[0],    \
             value_range, uses),                                                                   \
        .type = FIELD_TYPE_OF(FIELD_IN(owner, member)[0])                                          \
    }
#define FIELD_VALUES(owner, member, value_range) FIELD_VALUES_USED(owner, member, value_range, 0)
/// Values of two dimensions, as double axis[2][3].
#define FIELD_ROWS(owner, member, value_range)                                                     \
    FIELD_OF(owner, member, sizeof FIELD_IN(owner, member) / sizeof FIELD_IN(owner, member)[0][0], \
             value_range, 0),                                                                      \
        .type = FIELD_TYPE_OF(FIELD_IN(owner, member)[0][0])                                       \
    }
/// A size_t. It is listed before the arrays that have so many items.
#define FIELD_COUNT(owner, member)                                                                 \
    FIELD_OF(owner, member, 1, FIELD_ANY, 0), .type = FIELD_SIZE                                   \
    }
/// What a member points to: `values` of them for each item.
#define FIELD_ARRAY_USED(owner, member, count_member, values, value_range, uses)                   \
    FIELD_OF(owner, member, values, value_range, uses),                                            \
        .form = FORM_ARRAY, .count = offsetof(owner, count_member),                                \
        .type = FIELD_TYPE_OF(*FIELD_IN(owner, member))                                            \
    }
#define FIELD_ARRAY(owner, member, count_member, values, value_range)                              \
    FIELD_ARRAY_USED(owner, member, count_member, values, value_range, 0)
/// Likewise, but not saved.
#define FIELD_ZEROS(owner, member, count_member, values)                                           \
    FIELD_OF(owner, member, values, FIELD_ANY, 0), .form = FORM_ZEROS,                             \
                                                   .count = offsetof(owner, count_member),         \
                                                   .type = FIELD_TYPE_OF(*FIELD_IN(owner, member)) \
    }
#define FIELD_LIST(owner, list_fields)                                                             \
    {                                                                                              \
        .name = #owner, .fields = (list_fields),                                                   \
        .field_count = sizeof(list_fields) / sizeof(list_fields)[0]                                \
    }

/// Writes all listed members of the struct at `owner`.
void fields_write(struct byte_writer *out, const struct field_list *list, const void *owner);

/// Reads them. Arrays are allocated, and are released by fields_release, also after a failure; so
/// the pointers must be null before. PBS_ERROR_FORMAT names the member that is out of its range.
pbs_status fields_read(struct byte_reader *in, struct memory *memory, const struct field_list *list,
                       void *owner);
/// Likewise, but into the arrays that there are: PBS_ERROR_FORMAT where the bytes have an array
/// that the struct has not, or have none.
pbs_status fields_read_in_place(struct byte_reader *in, const struct field_list *list, void *owner);
void fields_release(struct memory *memory, const struct field_list *list, void *owner);

/// Whether members in the struct have the same bytes in both, those apart that have one of the
/// uses.
bool fields_are_equal(const struct field_list *list, int except, const void *a, const void *b);

/// Calls `visit` for all doubles of members that have the use, one by one in the order of the list.
typedef void field_visit_fn(void *context, double value);
void fields_visit(const struct field_list *list, int use, const void *owner, field_visit_fn *visit,
                  void *context);

#endif
