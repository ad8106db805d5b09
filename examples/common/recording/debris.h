// Pictures of the fragments of a bonded body: particle positions are recorded while it breaks. At
// the end all frames are drawn with the final surface, including crack faces, and a colour per
// fragment. Cracks that are still closed in a frame are inside the body and invisible.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_DEBRIS_H
#define PBS_COMMON_DEBRIS_H

#include <pbs/pbs.h>

#include "common/recording/recording.h"

/// A body of tetrahedra that breaks, and optionally another body that is drawn by its surface.
struct debris_bodies {
    const pbs_world *world;
    pbs_body bonded;
    const struct tet_mesh *mesh; ///< the mesh from which `body` was created
    pbs_body other;              ///< id 0: none
    bool has_ground;             ///< at height 0
};

struct debris;

/// Starts a recording, whose first frame is the present state. Returns null if memory is short.
struct debris *debris_create(const struct debris_bodies *bodies, struct message *message);
void debris_destroy(struct debris *debris);
bool debris_add_frame(struct debris *debris, struct message *message);

/// Writes NAME.html, .png, _sheet.png, .glb and _energy.csv, as recording_write does.
bool debris_write(const struct debris *debris, double frame_rate, const char *directory,
                  const char *name, struct message *message);

/// Return the numbers of broken bonds and of fragments in the last frame.
size_t debris_broken(const struct debris *debris);
size_t debris_fragments(const struct debris *debris);

#endif
