// Descriptions of regions: of one question, or of a sensor that watches (sensor.c).
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_REGIONS_SENSOR_H
#define PBS_WORLD_REGIONS_SENSOR_H

#include "geometry/region.h"
#include "pbs/query.h"
#include "world/interface/fields.h"
#include "world/world.h"

/// What saved worlds contain of a description.
extern const struct field_list region_fields;

/// Checks a description. unit: the normalised orientation.
pbs_status region_check(const pbs_region_desc *d, double unit[4]);

/// Reads, checks and normalises a host's description.
pbs_status region_read(const pbs_region_desc *d, pbs_region_desc *out);

/// The region of a checked description.
struct region region_of(const pbs_region_desc *d);

#endif
