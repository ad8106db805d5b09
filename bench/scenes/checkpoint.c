// Files of checkpoint.h: the record, then the saved world to the end of the file.
// SPDX-License-Identifier: MIT
#include "scenes/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>

static bool write_all(const char *path, const void *record, size_t record_size, const void *saved,
                      size_t size) {
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return false;
    }
    const bool written = fwrite(record, record_size, 1, file) == 1 &&
                         fwrite(saved, size, 1, file) == 1;
    return fclose(file) == 0 && written;
}

bool checkpoint_write(const char *path, const void *record, size_t record_size,
                      const pbs_world *world) {
    char unfinished[4096];
    size_t size = 0;
    const int length = snprintf(unfinished, sizeof unfinished, "%s.unfinished", path);
    if (length < 0 || (size_t)length >= sizeof unfinished ||
        pbs_world_save(world, NULL, &size) < 0) {
        return false;
    }
    void *saved = malloc(size);
    const bool written = saved != NULL && pbs_world_save(world, saved, &size) == PBS_OK &&
                         write_all(unfinished, record, record_size, saved, size) &&
                         rename(unfinished, path) == 0;
    free(saved);
    return written;
}

/// Returns the bytes from here to the file's end, to be freed, and their number; null if there are
/// none.
static void *read_rest(FILE *file, size_t *size) {
    const long from = ftell(file);
    if (from < 0 || fseek(file, 0, SEEK_END) != 0) {
        return NULL;
    }
    const long end = ftell(file);
    if (end <= from || fseek(file, from, SEEK_SET) != 0) {
        return NULL;
    }
    *size = (size_t)(end - from);
    void *bytes = malloc(*size);
    if (bytes != NULL && fread(bytes, *size, 1, file) != 1) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

pbs_status checkpoint_read(const char *path, void *record, size_t record_size, pbs_world *world,
                           bool *found) {
    FILE *file = fopen(path, "rb");
    *found = file != NULL;
    if (file == NULL) {
        return PBS_OK;
    }
    size_t size = 0;
    void *saved = fread(record, record_size, 1, file) == 1 ? read_rest(file, &size) : NULL;
    const bool read = saved != NULL && pbs_world_restore(world, saved, size) == PBS_OK;
    free(saved);
    fclose(file);
    return read ? PBS_OK : PBS_ERROR_FORMAT;
}
