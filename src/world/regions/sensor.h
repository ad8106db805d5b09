// Sensors: regions that report which bodies enter and leave them. They are state that no force
// depends on.
#ifndef PBS_WORLD_REGIONS_SENSOR_H
#define PBS_WORLD_REGIONS_SENSOR_H

#include "geometry/region.h"
#include "pbs/query.h"
#include "world/interface/fields.h"
#include "world/world.h"

struct sensor {
    uint32_t slot;
    pbs_region_desc desc;
};

/// What saved worlds contain of a description.
extern const struct field_list region_fields;

/// Checks a description. unit: the normalised orientation.
pbs_status region_check(const pbs_region_desc *d, double unit[4]);

/// Reads, checks and normalises a host's description.
pbs_status region_read(const pbs_region_desc *d, pbs_region_desc *out);

/// The region of a checked description.
struct region region_of(const pbs_region_desc *d);

/// Lists which bodies are in sensors for nodes at x, and reserves memory for the events of the
/// commit (pair_events_commit).
/// @param x  null if there are no bodies
pbs_status sensor_events_prepare(pbs_world *w, const double *x);

#endif
