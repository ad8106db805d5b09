// What is saved of bonds that break, whatever they are made of.
#ifndef PBS_WORLD_PARTICLES_SAVED_BONDS_H
#define PBS_WORLD_PARTICLES_SAVED_BONDS_H

#include "world/interface/byte_stream.h"
#include "world/objects/body.h"

/// Which bonds are broken, and where their particles begin to touch.
void saved_bonds_write_broken(struct byte_writer *out, const struct body *body);
/// After the body has been made; PBS_ERROR_FORMAT.
pbs_status saved_bonds_read_broken(struct byte_reader *in, struct body *body);

/// The fragments that these make; the surface follows from them.
void saved_bonds_write_fragments(struct byte_writer *out, const struct body *body);
pbs_status saved_bonds_read_fragments(struct byte_reader *in, struct memory *memory,
                                      struct body *body);

#endif
