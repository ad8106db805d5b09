// Saves and restores broken bonds and fragments, for bonded and peridynamic bodies.
#ifndef PBS_WORLD_PARTICLES_SAVED_BONDS_H
#define PBS_WORLD_PARTICLES_SAVED_BONDS_H

#include "world/interface/byte_stream.h"
#include "world/objects/body.h"

/// Writes which bonds are broken, and the distances below which their particles are in contact.
void saved_bonds_write_broken(struct byte_writer *out, const struct body *body);
/// Reads them after the body has been made; PBS_ERROR_FORMAT.
pbs_status saved_bonds_read_broken(struct byte_reader *in, struct body *body);

/// Write and read the fragments. Reading also updates the fracture surface.
void saved_bonds_write_fragments(struct byte_writer *out, const struct body *body);
pbs_status saved_bonds_read_fragments(struct byte_reader *in, struct memory *memory,
                                      struct body *body);

#endif
