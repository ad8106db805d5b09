// Describes two primitives of a collision mesh, or a point and a wall, for error messages and
// queries. Knows parts and points, neither bodies nor ids.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_BARRIER_CONTACT_PAIR_H
#define PBS_CONTACT_BARRIER_CONTACT_PAIR_H

#include "contact/barrier/barrier_contact.h"

/// The pair of an active contact of the state evaluated last.
struct contact_pair contact_pair_of(const struct barrier_contact *contact,
                                    const struct active_contact *active);

/// The pair of an edge (query) that intersects a triangle (primitive).
struct contact_pair contact_pair_of_intersection(const struct collision_mesh *mesh,
                                                 struct box_pair pair);

/// Returns the contact of the state evaluated last with the largest force on a node. If no contact
/// acts on the node, returns the one with the largest force on the node's part (parts: of each
/// node; may be null). is_known is false if there is none.
struct contact_pair contact_pair_at_node(const struct barrier_contact *contact, uint32_t node,
                                         const uint32_t *parts);

/// Returns the contact of the state evaluated last with the largest force on an obstacle or on a
/// node with constrained axes; if there is none, the contact with the largest force of all.
/// is_known is false without contacts.
struct contact_pair contact_pair_at_prescribed(const struct barrier_contact *contact,
                                               const uint8_t *constrained_axes);

#endif
