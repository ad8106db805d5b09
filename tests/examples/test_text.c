// Numbers in and out: exact, and the same in every locale.
// SPDX-License-Identifier: MIT

#include "comma_locale.h"
#include "common/program/command_line.h"
#include "common/program/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static double parsed(const char *text) {
    double value = NAN;
    assert_true(text_parse_double(text, strlen(text), &value));
    return value;
}

static void numbers_are_rounded_correctly(void **state) {
    (void)state;
    // Compared with the compiler's own conversion, which is exact.
    assert_true(parsed("0.5") == 0.5);
    assert_true(parsed("-1.25e-3") == -1.25e-3);
    assert_true(parsed("1.0D+02") == 100.0);
    assert_true(parsed("0.1000000000000000055511151231257827") == 0.1);
    assert_true(parsed("9007199254740993") == 9007199254740992.0);
    assert_true(parsed("9007199254740993.00000000000000000001") == 9007199254740994.0);
    assert_true(parsed("2.2250738585072011e-308") == 2.2250738585072011e-308);
    assert_true(parsed("4.9e-324") == 4.9e-324);
    assert_true(parsed("1e-400") == 0.0);
    assert_true(isinf(parsed("1e400")));
    assert_true(parsed("123456789012345678901234567890e-20") == 123456789012345678901234567890e-20);
    assert_true(parsed("00000000000000000000000000001.5") == 1.5);
    assert_true(parsed(".5") == 0.5 && parsed("5.") == 5.0 && parsed("+7") == 7.0);
    assert_true(signbit(parsed("-0")) != 0);
}

static void what_is_no_number_is_refused(void **state) {
    (void)state;
    const char *const wrong[] = {"",    "-",  ".",  "1e",    "1e+", "0x10", "nan", "inf",
                                 "1,5", " 1", "1 ", "1.2.3", "e5",  "1d",   "--1", "1f"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        double value = 0.0;
        assert_false(text_parse_double(wrong[i], strlen(wrong[i]), &value));
    }
    const char *const integers[] = {"",  "+", "1.0", "9223372036854775808", "99999999999999999999",
                                    "1x"};
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++) {
        int64_t value = 0;
        assert_false(text_parse_integer(integers[i], strlen(integers[i]), &value));
    }
    int64_t value = 0;
    assert_true(text_parse_integer("-9223372036854775807", 20, &value));
    assert_true(value == -INT64_MAX);
}

static void printed_numbers_read_back_the_same(void **state) {
    (void)state;
    uint64_t bits = 88172645463325252U;
    for (int i = 0; i < 20000; i++) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        double value = 0.0;
        char text[40];
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            text_print(text, sizeof text, "%.17g", value);
            assert_true(parsed(text) == value);
        }
    }
}

static void commas_of_the_host_do_not_matter(void **state) {
    (void)state;
    if (!enter_comma_locale()) {
        skip();
    }
    char host[16];
    char ours[16];
    snprintf(host, sizeof host, "%.2f", 0.25);
    text_print(ours, sizeof ours, "%.2f", 0.25);
    double slow = parsed("0.1000000000000000055511151231257827");
    double fast = parsed("0.5");
    struct text_buffer buffer = {0};
    text_buffer_print(&buffer, "%g", 1234567.5);
    leave_comma_locale();
    assert_string_equal(host, "0,25");
    assert_string_equal(ours, "0.25");
    assert_string_equal(buffer.data, "1.23457e+06");
    assert_true(slow == 0.1 && fast == 0.5);
    text_buffer_free(&buffer);
}

static void base64_and_json_strings(void **state) {
    (void)state;
    struct text_buffer buffer = {0};
    text_buffer_add_base64(&buffer, "any carnal pleas", 16);
    text_buffer_add(&buffer, " ");
    text_buffer_add_base64(&buffer, "any carnal pleasu", 17);
    text_buffer_add(&buffer, " ");
    text_buffer_add_base64(&buffer, "any carnal pleasur", 18);
    text_buffer_add_json_string(&buffer, "a\"b\\</script>\n");
    assert_string_equal(buffer.data,
                        "YW55IGNhcm5hbCBwbGVhcw== YW55IGNhcm5hbCBwbGVhc3U= "
                        "YW55IGNhcm5hbCBwbGVhc3Vy\"a\\u0022b\\u005c\\u003c/script>\\u000a\"");
    text_buffer_free(&buffer);
}

static void long_prints_are_not_cut(void **state) {
    (void)state;
    char wide[3000];
    memset(wide, 'x', sizeof wide - 1);
    wide[sizeof wide - 1] = 0;
    struct text_buffer buffer = {0};
    text_buffer_print(&buffer, "<%s>", wide);
    assert_true(buffer.length == sizeof wide + 1);
    assert_int_equal(buffer.data[buffer.length - 1], '>');
    text_buffer_free(&buffer);
}

// --- Options ---

static enum command_answer parse(int count, const char *const *words, double *young,
                                 int64_t *frames, const char **mesh, bool *vtu,
                                 struct message *message) {
    const struct command_option options[] = {
        {"young", COMMAND_NUMBER, young, "E", "stiffness"},
        {"frames", COMMAND_COUNT, frames, "N", "how many"},
        {"mesh", COMMAND_TEXT, mesh, "FILE", "what"},
        {"vtu", COMMAND_FLAG, vtu, NULL, "more files"},
    };
    char *argv[8];
    for (int i = 0; i < count; i++) {
        memcpy(&argv[i], &words[i], sizeof argv[i]);
    }
    return command_line_parse(count, argv, options, 4, message);
}

static void options_are_read(void **state) {
    (void)state;
    double young = 1.0;
    int64_t frames = 2;
    const char *mesh = NULL;
    bool vtu = false;
    struct message message = {{0}};
    const char *const words[] = {"drop",  "--young", "2.5e5", "--frames=48",
                                 "--vtu", "--mesh",  "a.msh"};
    assert_int_equal(parse(7, words, &young, &frames, &mesh, &vtu, &message), COMMAND_RUN);
    assert_true(young == 2.5e5 && frames == 48 && vtu);
    assert_string_equal(mesh, "a.msh");
    const char *const help[] = {"drop", "--help"};
    assert_int_equal(parse(2, help, &young, &frames, &mesh, &vtu, &message), COMMAND_HELP);
}

static void wrong_options_are_named(void **state) {
    (void)state;
    const char *const wrong[][2] = {{"--young=1,5", "--young"},   {"--frames=-1", "--frames"},
                                    {"--frames=1.5", "--frames"}, {"--jung=1", "--jung"},
                                    {"--mesh", "--mesh"},         {"--vtu=yes", "--vtu"},
                                    {"young", "young"},           {"--young=nan", "--young"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        double young = 1.0;
        int64_t frames = 2;
        const char *mesh = NULL;
        bool vtu = false;
        struct message message = {{0}};
        const char *const words[] = {"drop", wrong[i][0]};
        assert_int_equal(parse(2, words, &young, &frames, &mesh, &vtu, &message), COMMAND_WRONG);
        assert_non_null(strstr(message.text, wrong[i][1]));
        assert_true(young == 1.0 && frames == 2 && !vtu);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_rounded_correctly),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(printed_numbers_read_back_the_same),
        cmocka_unit_test(commas_of_the_host_do_not_matter),
        cmocka_unit_test(base64_and_json_strings),
        cmocka_unit_test(long_prints_are_not_cut),
        cmocka_unit_test(options_are_read),
        cmocka_unit_test(wrong_options_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
