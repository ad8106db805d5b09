// Two primitives of a collision mesh, or a point and a wall, that a message or a host is to name.
// Knows parts and points, neither bodies nor ids.
#ifndef PBS_CONTACT_BARRIER_CONTACT_PAIR_H
#define PBS_CONTACT_BARRIER_CONTACT_PAIR_H

#include "contact/barrier/barrier_contact.h"

/// Of an active contact of the state evaluated last.
struct contact_pair contact_pair_of(const struct barrier_contact *contact,
                                    const struct active_contact *active);

/// Of an edge (query) that goes through a triangle (primitive).
struct contact_pair contact_pair_of_intersection(const struct collision_mesh *mesh,
                                                 struct box_pair pair);

/// The contact of the state evaluated last whose barrier pushes most on a node; where none does, on
/// the node's part (parts: of each node; may be null). Without any, is_known is false.
struct contact_pair contact_pair_at_node(const struct barrier_contact *contact, uint32_t node,
                                         const uint32_t *parts);

/// The contact of the state evaluated last that pushes most against an obstacle or a node with held
/// axes; where there is none, the one that pushes most. Without any, is_known is false.
struct contact_pair contact_pair_at_prescribed(const struct barrier_contact *contact,
                                               const uint8_t *constrained_axes);

#endif
