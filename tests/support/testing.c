// Comparisons with a tolerance, and their switches.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include <unistd.h>

static double tolerance_scale(void) {
    const char *text = getenv("PBS_TEST_TOLERANCE");
    return text == NULL ? 1.0 : strtod(text, NULL);
}

static bool shows_residuals(void) {
    const char *text = getenv("PBS_TEST_RESIDUALS");
    return text != NULL && strcmp(text, "0") != 0;
}

bool testing_is_small(void) {
    const char *text = getenv("PBS_TEST_SCALE");
    return text != NULL && strcmp(text, "small") == 0;
}

int testing_rounds(int usual) {
    return testing_is_small() ? (usual + 4) / 5 : usual;
}

const char *testing_create_file(void) {
    static char path[32];
    snprintf(path, sizeof path, "/tmp/pbs_test_XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    return path;
}

void testing_assert_small(double residual, double tolerance, const char *what, const char *file,
                          int line) {
    const double allowed = tolerance * tolerance_scale();
    const bool passes = residual <= allowed;
    if (shows_residuals() || !passes) {
        print_message("%s:%d: %s: %.3e, allowed %.3e\n", file, line, what, residual, allowed);
    }
    if (!passes) {
        _fail(file, line);
    }
}

void testing_assert_near(double a, double b, double tolerance, const char *what, const char *file,
                         int line) {
    if (!(fabs(a - b) <= tolerance * tolerance_scale())) {
        print_message("%s:%d: %s: %.17g beside %.17g\n", file, line, what, a, b);
    }
    testing_assert_small(fabs(a - b), tolerance, what, file, line);
}

void testing_assert_status(pbs_status status, pbs_status expected, const char *expression,
                           const char *file, int line) {
    if (status == expected) {
        return;
    }
    print_message("%s:%d: %s gave %s instead of %s: \"%s\"\n", file, line, expression,
                  pbs_status_name(status), pbs_status_name(expected), pbs_last_error());
    _fail(file, line);
}

void testing_assert_message(const char *words, const char *file, int line) {
    if (strstr(pbs_last_error(), words) == NULL) {
        print_message("%s:%d: no \"%s\" in \"%s\"\n", file, line, words, pbs_last_error());
        _fail(file, line);
    }
}

void testing_assert_same_bits(const double *a, const double *b, size_t count, const char *file,
                              int line) {
    for (size_t i = 0; i < count; i++) {
        if (memcmp(&a[i], &b[i], sizeof *a) != 0) {
            print_message("%s:%d: entry %zu: %.17g beside %.17g\n", file, line, i, a[i], b[i]);
            _fail(file, line);
        }
    }
}

double testing_max_difference(const double *a, const double *b, size_t count) {
    double worst = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double difference = fabs(a[i] - b[i]);
        worst = difference <= worst || isnan(worst) ? worst : difference;
    }
    return worst;
}

double testing_greater(double a, double b) {
    return b <= a || isnan(a) ? a : b;
}
