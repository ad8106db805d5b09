// Saves and restores broken bonds and fragments, for bonded and peridynamic bodies.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_PARTICLES_SAVED_BONDS_H
#define PBS_WORLD_PARTICLES_SAVED_BONDS_H

#include "world/interface/byte_stream.h"
#include "world/objects/body.h"

/// PBS_ERROR_FORMAT unless each flag of bonds.broken, which has been read, is BOND_INTACT ..
pbs_status saved_bonds_check_broken(const struct body *body);

/// Write and read the fragments. Reading also updates the fracture surface.
void saved_bonds_write_fragments(struct byte_writer *out, const struct body *body);
pbs_status saved_bonds_read_fragments(struct byte_reader *in, struct memory *memory,
                                      struct body *body);

#endif
