// What a host's build must manage: the header is found, the library is linked and it runs.
// SPDX-License-Identifier: MIT
#include <pbs/pbs.h>
#include <stdio.h>

int main(void) {
    uint32_t expected = PBS_VERSION_MAJOR * 1000000 + PBS_VERSION_MINOR * 1000 + PBS_VERSION_PATCH;
    pbs_world_desc desc;
    pbs_world *world = NULL;
    if (pbs_world_desc_init(&desc, sizeof desc) != PBS_OK ||
        pbs_world_create(&desc, &world) != PBS_OK) {
        fprintf(stderr, "%s\n", pbs_last_error());
        return 1;
    }
    pbs_world_destroy(world);
    printf("libpbs %u, headers %u\n", pbs_version(), expected);
    return pbs_version() != expected;
}
