// Not installed. Named like the public header, since the check must tell the two apart by their
// folders.
// SPDX-License-Identifier: MIT
#ifndef INSIDE_SAMPLE_H
#define INSIDE_SAMPLE_H

#include <stdint.h>

struct pbs_sample {
    int32_t private_member;
};

#endif
