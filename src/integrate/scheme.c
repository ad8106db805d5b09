// The table of schemes: a new one is one row here and one file.
#include "integrate/scheme.h"

const struct scheme_table *const scheme_tables[] = {
    &scheme_implicit_euler,
    NULL,
};

const struct scheme_table *scheme_find(int32_t id) {
    for (const struct scheme_table *const *table = scheme_tables; *table != NULL; table++) {
        if ((*table)->id == id) {
            return *table;
        }
    }
    return NULL;
}
