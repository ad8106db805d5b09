// See interrupt.h.
// SPDX-License-Identifier: MIT

#include "common/program/interrupt.h"

#include <signal.h>

static volatile sig_atomic_t requested;

static void note(int number) {
    (void)number;
    requested = 1;
}

void interrupt_catch(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaction(signals[i], &action, NULL);
    }
}

bool interrupt_was_requested(void) {
    return requested != 0;
}
