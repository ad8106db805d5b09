// Checks a state; see eci_contact_check.h.
// SPDX-License-Identifier: MIT
#include "scenes/eci/eci_contact_check.h"

pbs_status eci_contact_check(const struct eci_contact *scene, struct surface_check *check,
                             size_t *count) {
    surface_check_begin(check);
    for (size_t b = 0; b < scene->body_count; b++) {
        RETURN_IF_FAILED(surface_check_add_body(check, scene->world, scene->bodies[b].id));
    }
    if (scene->obstacle.vertex_count > 0) {
        RETURN_IF_FAILED(surface_check_add_obstacle(check, &scene->obstacle, NULL, NULL));
    }
    RETURN_IF_FAILED(surface_check_count(check, count));
    for (size_t b = 0; b < scene->body_count; b++) {
        *count += scene->ground && eci_contact_lowest(scene, b) <= 0.0;
    }
    return PBS_OK;
}
