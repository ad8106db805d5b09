// Statuses have names and texts. Messages belong to a thread and are the same in every locale.
// SPDX-License-Identifier: MIT
#include "base/runtime/status.h"

#include <locale.h>
#include <pthread.h>

#include "support/testing.h"

static void every_status_has_a_name_and_a_text_of_its_own(void **state) {
    (void)state;
    for (pbs_status a = PBS_ERROR_THREAD; a <= PBS_WEAK_BONDS; a++) {
        assert_memory_equal(pbs_status_name(a), "PBS_", 4);
        for (pbs_status b = PBS_ERROR_THREAD; b < a; b++) {
            assert_string_not_equal(pbs_status_name(a), pbs_status_name(b));
            assert_string_not_equal(pbs_status_text(a), pbs_status_text(b));
        }
    }
    assert_string_equal(pbs_status_name(PBS_ERROR_MESH), "PBS_ERROR_MESH");
}

static void unknown_statuses_are_answered_too(void **state) {
    (void)state;
    const pbs_status unknown[] = {PBS_ERROR_THREAD - 1, PBS_WEAK_BONDS + 1, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        assert_string_equal(pbs_status_name(unknown[i]), "unknown status");
        assert_true(strlen(pbs_status_text(unknown[i])) > 0);
    }
}

static void a_failure_leaves_its_message_and_returns_its_status(void **state) {
    (void)state;
    assert_int_equal(status_fail(PBS_ERROR_MESH, "tetrahedron %d: %g m^3", 4711, -3e-9),
                     PBS_ERROR_MESH);
    assert_string_equal(pbs_last_error(), "tetrahedron 4711: -3e-09 m^3");
}

static void a_saved_message_comes_back(void **state) {
    (void)state;
    struct status_message message;
    status_fail(PBS_ERROR_MESH, "before");
    status_save(&message);
    status_fail(PBS_ERROR_HOST, "something inside that was overcome");
    status_restore(&message);
    assert_string_equal(pbs_last_error(), "before");
}

static void a_message_may_quote_the_one_before(void **state) {
    (void)state;
    status_fail(PBS_ERROR_MEMORY, "inner");
    status_fail(PBS_ERROR_MEMORY, "outer: %s", pbs_last_error());
    assert_string_equal(pbs_last_error(), "outer: inner");
}

static void a_long_message_is_cut(void **state) {
    (void)state;
    char text[5000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    status_fail(PBS_ERROR_ARGUMENT, "%s", text);
    assert_in_range(strlen(pbs_last_error()), 100, 4000);
    assert_memory_equal(pbs_last_error(), text, strlen(pbs_last_error()));
}

static void *fail_elsewhere(void *argument) {
    (void)argument;
    const bool begins_empty = pbs_last_error()[0] == '\0';
    status_fail(PBS_ERROR_HOST, "elsewhere");
    return begins_empty ? argument : NULL;
}

static void messages_belong_to_their_thread(void **state) {
    (void)state;
    pthread_t thread;
    void *begins_empty;
    status_fail(PBS_ERROR_HOST, "here");
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, state), 0);
    pthread_join(thread, &begins_empty);
    assert_non_null(begins_empty);
    assert_string_equal(pbs_last_error(), "here");
}

static bool has_comma(const char *locale) {
    return setlocale(LC_ALL, locale) != NULL && strcmp(localeconv()->decimal_point, ",") == 0;
}

/// Compiles a German locale into a folder of its own, if the system has the sources of locales.
static bool compile_comma_locale(char *folder) {
    char command[200];
    if (mkdtemp(folder) == NULL) {
        return false;
    }
    snprintf(command, sizeof command,
             "localedef --no-archive -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
    setenv("LOCPATH", folder, 1);
    return system(command) == 0 && has_comma("de_DE.UTF-8");
}

static void remove_folder(const char *folder) {
    unsetenv("LOCPATH");
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0) {
        print_message("could not remove %s\n", folder);
    }
}

static void numbers_have_a_point_under_a_comma_locale(void **state) {
    (void)state;
    char folder[] = "/tmp/pbs_locale_XXXXXX";
    const bool found = has_comma("de_DE.UTF-8") || has_comma("fr_FR.UTF-8");
    const bool set = found || compile_comma_locale(folder);
    char before[32];
    char after[32];
    snprintf(before, sizeof before, "%g", 0.5);
    status_fail(PBS_ERROR_ARGUMENT, "%g and %.3f", 0.5, 1234567.25);
    snprintf(after, sizeof after, "%g", 0.5);
    setlocale(LC_ALL, "C");
    if (!found) {
        remove_folder(folder);
    }
    if (!set) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    assert_string_equal(before, "0,5");
    assert_string_equal(pbs_last_error(), "0.5 and 1234567.250");
    assert_string_equal(after, "0,5");
}

static void the_threads_locale_is_left_alone(void **state) {
    (void)state;
    const locale_t mine = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
    const locale_t before = uselocale(mine);
    status_fail(PBS_ERROR_ARGUMENT, "%g", 0.5);
    assert_true(uselocale((locale_t)0) == (mine == (locale_t)0 ? before : mine));
    uselocale(before);
    if (mine != (locale_t)0) {
        freelocale(mine);
    }
}

static void the_version_is_that_of_the_header(void **state) {
    (void)state;
    assert_int_equal(pbs_version(),
                     PBS_VERSION_MAJOR * 1000000 + PBS_VERSION_MINOR * 1000 + PBS_VERSION_PATCH);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_name_and_a_text_of_its_own),
        cmocka_unit_test(unknown_statuses_are_answered_too),
        cmocka_unit_test(a_failure_leaves_its_message_and_returns_its_status),
        cmocka_unit_test(a_saved_message_comes_back),
        cmocka_unit_test(a_message_may_quote_the_one_before),
        cmocka_unit_test(a_long_message_is_cut),
        cmocka_unit_test(messages_belong_to_their_thread),
        cmocka_unit_test(numbers_have_a_point_under_a_comma_locale),
        cmocka_unit_test(the_threads_locale_is_left_alone),
        cmocka_unit_test(the_version_is_that_of_the_header),
    };
    return cmocka_run_group_tests_name("base/status", tests, NULL, NULL);
}
