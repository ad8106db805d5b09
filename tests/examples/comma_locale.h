// Makes this process print and read decimal commas, as a German host would. A bare system has no
// such locale, so a tiny one is compiled with localedef, which the C library brings along.
// SPDX-License-Identifier: MIT

#ifndef PBS_TESTS_EXAMPLES_COMMA_LOCALE_H
#define PBS_TESTS_EXAMPLES_COMMA_LOCALE_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool make_comma_locale(const char *directory) {
    char path[256];
    char command[1024];
    snprintf(path, sizeof path, "%s/comma", directory);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return false;
    }
    fputs("comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point \"<U002C>\"\n"
          "thousands_sep \"<U002E>\"\ngrouping 3;3\nEND LC_NUMERIC\n",
          file);
    fclose(file);
    snprintf(command, sizeof command, "localedef --no-archive -c -i %s %s/xx_XX >%s/log 2>&1", path,
             directory, directory);
    // It warns about the categories that are left out, and says so in its status.
    return system(command) != -1;
}

/// True when "%g" now prints a comma; else prints why not, and the test should skip.
static bool enter_comma_locale(void) {
    const char *const known[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"};
    char directory[] = "/tmp/pbs_locale_XXXXXX";
    char shown[16];
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (setlocale(LC_ALL, known[i]) != NULL) {
            return true;
        }
    }
    if (mkdtemp(directory) == NULL || !make_comma_locale(directory)) {
        printf("skipped: no comma locale here, and none could be made\n");
        return false;
    }
    setenv("LOCPATH", directory, 1);
    bool entered = setlocale(LC_NUMERIC, "xx_XX") != NULL;
    snprintf(shown, sizeof shown, "%.1f", 0.5);
    if (!entered || shown[1] != ',') {
        printf("skipped: no comma locale here, and localedef made none\n");
        return false;
    }
    return true;
}

static void leave_comma_locale(void) {
    setlocale(LC_ALL, "C");
}

#endif
