// The tests of one folder and of its rooms as one program, so that it is linked once. Each file
// keeps its own main, which the build renames FILE_main; TEST_FILES names them all: X(test_one)
// X(test_two). A file runs in a process of its own:
//   tests/linear/krylov/test_pcg [PATTERN]  a link to the program, known by its name
//   tests/linear/all test_pcg [PATTERN]     the same
// PATTERN chooses tests of the file by name, with * and ?. `all --list` prints the files.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#define X(file) int file##_main(void);
TEST_FILES
#undef X

struct test_file {
    const char *name;
    int (*run)(void);
};

#define X(file) {#file, file##_main},
static const struct test_file FILES[] = {TEST_FILES};
#undef X

static const struct test_file *find(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    for (size_t i = 0; i < COUNT_OF(FILES); i++) {
        if (strcmp(FILES[i].name, name) == 0) {
            return &FILES[i];
        }
    }
    return NULL;
}

static void list(FILE *stream) {
    for (size_t i = 0; i < COUNT_OF(FILES); i++) {
        fprintf(stream, "%s\n", FILES[i].name);
    }
}

int main(int argc, char **argv) {
    const struct test_file *file = find(argv[0]);
    int next = 1;
    if (file == NULL && argc > next) {
        file = find(argv[next++]);
    }
    if (file != NULL) {
        if (argc > next) {
            cmocka_set_test_filter(argv[next]);
        }
        return file->run();
    }
    const bool asked = argc == 2 && strcmp(argv[1], "--list") == 0;
    if (!asked) {
        fprintf(stderr, "which of these?\n");
    }
    list(asked ? stdout : stderr);
    return asked ? 0 : 2;
}
