// See peer_list.h. Peers are loaded with local symbols, because two of them contain an MPI library
// each.
// SPDX-License-Identifier: MIT
#include "measure/peer_list.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/// Writes the path of a peer: for the program build/bench/linear it is build/bench/peers/NAME.so.
static void place_of(const char *name, char *path, size_t size) {
    char self[PATH_MAX] = "";
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash) {
        *slash = '\0';
    }
    snprintf(path, size, "%s/peers/%s.so", self, name);
}

static void take(const struct peer_table *const *tables, struct peer_list *out) {
    for (; *tables && out->count < PEER_LIMIT; tables++) {
        out->table[out->count++] = *tables;
    }
}

void peer_list_open(const char *prefix, struct peer_list *out) {
    static const char *const names[] = {"cholmod", "eigen", "hypre", "mumps"};
    *out = (struct peer_list){0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[PATH_MAX + 64];
        place_of(names[i], path, sizeof path);
        void *object = access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
        peer_tables_fn *tables = NULL;
        if (object) {
            // The standard's way around the missing conversion of object to function pointers.
            *(void **)&tables = dlsym(object, "peer_tables");
        }
        printf("%s peer=%s present=%d\n", prefix, names[i], tables != NULL);
        if (tables) {
            take(tables(), out);
        } else if (access(path, R_OK) == 0) {
            fprintf(stderr, "%s\n", dlerror());
        }
    }
}
