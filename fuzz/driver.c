// Runs a fuzz target once over each file, or each file of a folder, that the command line names,
// without a fuzzer. So the corpus is a plain regression test with any compiler.
// SPDX-License-Identifier: MIT

#include "target.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECONDS_LIMIT = 600 }; ///< of one file, under any checker on a busy machine

static size_t files_run;

static int run_file(const char *path, size_t size) {
    FILE *file = fopen(path, "rb");
    // Exactly as large as the file, so that a checker sees the first byte beyond.
    uint8_t *data = malloc(size > 0 ? size : 1);
    if (file == NULL || data == NULL || fread(data, 1, size, file) != size) {
        fprintf(stderr, "%s: cannot be read\n", path);
        if (file != NULL) {
            fclose(file);
        }
        free(data);
        return 1;
    }
    fclose(file);
    // No file takes seconds: a call that does not return ends the program, and the check goes on.
    alarm(SECONDS_LIMIT);
    LLVMFuzzerTestOneInput(data, size);
    alarm(0);
    free(data);
    files_run++;
    return 0;
}

static int run_path(const char *path);

static int run_folder(const char *path) {
    DIR *folder = opendir(path);
    int failures = 0;
    if (folder == NULL) {
        fprintf(stderr, "%s: cannot be opened\n", path);
        return 1;
    }
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char inner[4096];
        if (entry->d_name[0] != '.') {
            snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
            failures += run_path(inner);
        }
    }
    closedir(folder);
    return failures;
}

static int run_path(const char *path) {
    struct stat about;
    if (stat(path, &about) != 0) {
        fprintf(stderr, "%s: is not there\n", path);
        return 1;
    }
    return S_ISDIR(about.st_mode) ? run_folder(path) : run_file(path, (size_t)about.st_size);
}

int main(int argc, char **argv) {
    int failures = 0;
    for (int i = 1; i < argc; i++) {
        failures += run_path(argv[i]);
    }
    printf("%zu files\n", files_run);
    return failures == 0 && files_run > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
