// A small library's header, with one of each thing that an ABI is made of; test_abi_check.sh
// changes copies of it.
// SPDX-License-Identifier: MIT
#ifndef PBS_SAMPLE_H
#define PBS_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

enum {
    PBS_SAMPLE_NONE = 0,
    PBS_SAMPLE_SOLID = 1,
    PBS_SAMPLE_SHELL, // counts on from the one before, so that an insertion shifts it
    PBS_SAMPLE_LAST
};

// A part of what states its size: it may not grow, but use what it has reserved.
typedef struct pbs_sample_part {
    double length;
    uint32_t reserved[4];
} pbs_sample_part;

// States its own size, so it may grow at its end.
typedef struct pbs_sample_desc {
    uint32_t struct_size;
    int32_t kind;
    double density;
    pbs_sample_part part;
    uint32_t count;
} pbs_sample_desc;

// Does not, so it may not.
typedef struct pbs_sample_id {
    uint64_t id;
} pbs_sample_id;

typedef struct pbs_sample pbs_sample;
typedef int32_t (*pbs_sample_fn)(void *user, const double *x);

int32_t pbs_sample_desc_init(pbs_sample_desc *desc, size_t struct_size);
int32_t pbs_sample_create(const pbs_sample_desc *desc, pbs_sample_fn fn, pbs_sample **out);
pbs_sample_id pbs_sample_name(const pbs_sample *sample);
#endif
