// What every test file includes: cmocka with its headers, and the one way to compare floating-point
// numbers. PBS_TEST_RESIDUALS=1 in the environment prints each residual beside its tolerance, also
// where it passes, and PBS_TEST_TOLERANCE=x multiplies all tolerances. PBS_TEST_SCALE=small asks
// for smaller problems, for the slow checkers.
// SPDX-License-Identifier: MIT
#ifndef PBS_SUPPORT_TESTING_H
#define PBS_SUPPORT_TESTING_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pbs/base.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/// Fails unless residual <= tolerance; a residual that is not a number fails. `what` is printed
/// with both.
#define assert_small(residual, tolerance, what)                                                    \
    testing_assert_small((residual), (tolerance), (what), __FILE__, __LINE__)

/// Fails unless |a - b| <= tolerance.
#define assert_near(a, b, tolerance, what)                                                         \
    testing_assert_near((a), (b), (tolerance), (what), __FILE__, __LINE__)

/// Fails unless the expression gives this status; prints the library's message when it does not.
#define assert_status(expression, expected)                                                        \
    testing_assert_status((expression), (expected), #expression, __FILE__, __LINE__)

#define assert_ok(expression) assert_status(expression, PBS_OK)

/// Fails unless the thread's last message contains the words.
#define assert_message(words) testing_assert_message((words), __FILE__, __LINE__)

/// Fails unless both blocks hold the same bits.
#define assert_same_bits(a, b, count)                                                              \
    testing_assert_same_bits((a), (b), (count), __FILE__, __LINE__)

/// True where a slow checker (a sanitizer, valgrind) asks for smaller problems.
bool testing_is_small(void);

/// Rounds of random input: a fifth of the usual number where smaller problems are asked for.
int testing_rounds(int usual);

void testing_assert_small(double residual, double tolerance, const char *what, const char *file,
                          int line);
void testing_assert_near(double a, double b, double tolerance, const char *what, const char *file,
                         int line);
void testing_assert_status(pbs_status status, pbs_status expected, const char *expression,
                           const char *file, int line);
void testing_assert_message(const char *words, const char *file, int line);
void testing_assert_same_bits(const double *a, const double *b, size_t count, const char *file,
                              int line);

/// Creates an empty file under /tmp, which the test unlinks, and returns its name, which lasts
/// until the next call.
const char *testing_create_file(void);

/// max |a_i - b_i|; not a number stays one.
double testing_max_difference(const double *a, const double *b, size_t count);

/// The greater of both; not a number stays one.
double testing_greater(double a, double b);

#endif
