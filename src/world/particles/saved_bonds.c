// See saved_bonds.h.
// SPDX-License-Identifier: MIT
#include "world/particles/saved_bonds.h"

#include "world/particles/body_bonds.h"

pbs_status saved_bonds_check_broken(const struct body *body) {
    for (size_t i = 0; i < body->bonds.count; i++) {
        if (body->bonds.broken[i] > BOND_CUT) {
            return status_fail(PBS_ERROR_FORMAT, "bond %zu: a flag is %u, must be 0 to 2", i,
                               (unsigned)body->bonds.broken[i]);
        }
    }
    return PBS_OK;
}

void saved_bonds_write_fragments(struct byte_writer *out, const struct body *body) {
    write_u64(out, body->bonds.fragments.count);
    write_bytes(out, body->bonds.fragments.parent, body->bonds.fragments.count * sizeof(uint32_t));
    write_bytes(out, body->bonds.fragments.fragment, body->vertex_count * sizeof(uint32_t));
}

pbs_status saved_bonds_read_fragments(struct byte_reader *in, struct memory *memory,
                                      struct body *body) {
    const struct bond_list bonds = body_bond_list(body);
    uint32_t *arrays[2] = {NULL, NULL};
    size_t count = 0;
    RETURN_IF_FAILED(read_count(in, "fragments", sizeof(uint32_t), &count));
    pbs_status status = read_block(in, memory, count, sizeof(uint32_t), &arrays[0]);
    if (status >= 0) {
        status = read_block(in, memory, body->vertex_count, sizeof(uint32_t), &arrays[1]);
    }
    if (status >= 0 &&
        !fragments_restore(&body->bonds.fragments, &bonds, arrays[1], arrays[0], count)) {
        status = status_fail(PBS_ERROR_FORMAT, "the fragments are not those that its bonds form");
    }
    if (status >= 0) {
        body->bonds.fragments_outdated = true;
        body_update_fragments(body);
    }
    memory_release(memory, arrays[0]);
    memory_release(memory, arrays[1]);
    return status;
}
