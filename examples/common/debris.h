// What a bonded body breaks into, for pictures: frames of its particles are kept while it breaks,
// and drawn in the end with the surface that it has then, cracks included, each fragment in a
// colour of its own. Before they open, cracks are inside, where nobody sees them.

#ifndef PBS_COMMON_DEBRIS_H
#define PBS_COMMON_DEBRIS_H

#include <pbs/pbs.h>

#include "recording.h"

/// A body of tetrahedra that breaks, and one with a surface besides.
struct debris_bodies {
    const pbs_world *world;
    pbs_body bonded;
    const struct tet_mesh *mesh; ///< that it was made of
    pbs_body other;              ///< id 0: none
    bool has_ground;             ///< at height 0
};

struct debris;

/// Null without memory. The frames begin with the world as it is now.
struct debris *debris_create(const struct debris_bodies *bodies, struct message *message);
void debris_destroy(struct debris *debris);
bool debris_add_frame(struct debris *debris, struct message *message);

/// NAME.html, .png, _sheet.png, .glb and _energy.csv, as recording_write.
bool debris_write(const struct debris *debris, double frame_rate, const char *directory,
                  const char *name, struct message *message);

/// How many bonds are broken, and how many fragments there are, in the last frame.
size_t debris_broken(const struct debris *debris);
size_t debris_fragments(const struct debris *debris);

#endif
