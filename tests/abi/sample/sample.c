// The library behind sample.h. What it does is no matter; what it exports is.
// SPDX-License-Identifier: MIT
#include "inside/sample.h"
#include <pbs/sample.h>

int32_t pbs_sample_desc_init(pbs_sample_desc *desc, size_t struct_size) {
    desc->struct_size = (uint32_t)struct_size;
    return 0;
}

int32_t pbs_sample_create(const pbs_sample_desc *desc, pbs_sample_fn fn, pbs_sample **out) {
    *out = NULL;
    return desc->kind + fn(NULL, &desc->density);
}

pbs_sample_id pbs_sample_name(const pbs_sample *sample) {
    return (pbs_sample_id){(uint64_t)sample->private_member};
}
