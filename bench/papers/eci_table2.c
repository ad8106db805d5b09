// Reproduces ECI table 2, the velocity of a chain's centre of mass 5 s after it started towards a
// wall, and prints each value with those of the paper and of docs/theory/scenes.md section 2.
// Argument: largest number of steps per second (3000; the paper's 30000 take minutes).
//     bench eci-table2 h=1/300 sound=10 scheme=16 damped=0 velocity=0.9315 published=0.931 ..
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scenes/eci/eci_chain.h"

int main(int argc, char **argv) {
    const int most = argc > 1 ? atoi(argv[1]) : 3000;
    for (size_t i = 0; i < ECI_TABLE_ROWS; i++) {
        const struct eci_table_row *row = &eci_table[i];
        struct eci_chain chain;
        if (row->steps_per_second > most || eci_table_chain(row, &chain) < 0) {
            continue;
        }
        const struct eci_chain_result r = eci_chain_run(&chain, 5.0, INFINITY);
        printf("bench eci-table2 h=1/%d sound=%g scheme=%d damped=%d velocity=%.4f published=%.3f "
               "measured=%.4f energy=%.4f least=%.4f most=%.4f status=%s\n",
               row->steps_per_second, row->sound, (int)row->scheme, row->damped, r.velocity,
               row->published, row->measured, r.energy, r.least, r.most, pbs_status_name(r.status));
        fflush(stdout);
    }
    return 0;
}
