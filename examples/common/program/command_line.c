// Options of the example programs.
// SPDX-License-Identifier: MIT

#include "common/program/command_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct command_option *find_option(const struct command_option *options, size_t count,
                                                const char *name, size_t length) {
    for (size_t i = 0; i < count; i++) {
        if (strlen(options[i].name) == length && memcmp(options[i].name, name, length) == 0) {
            return &options[i];
        }
    }
    return NULL;
}

static bool set_number(const struct command_option *option, const char *text,
                       struct message *message) {
    double value = 0.0;
    if (!text_parse_double(text, strlen(text), &value) || !isfinite(value)) {
        return message_fail(message, "--%s: expected a number, found '%.60s'", option->name, text);
    }
    *(double *)option->value = value;
    return true;
}

static bool set_count(const struct command_option *option, const char *text,
                      struct message *message) {
    int64_t value = 0;
    if (!text_parse_integer(text, strlen(text), &value) || value < 0) {
        return message_fail(message, "--%s: expected a count, found '%.60s'", option->name, text);
    }
    *(int64_t *)option->value = value;
    return true;
}

static bool set_value(const struct command_option *option, const char *text,
                      struct message *message) {
    switch (option->kind) {
    case COMMAND_NUMBER: return set_number(option, text, message);
    case COMMAND_COUNT: return set_count(option, text, message);
    case COMMAND_TEXT: *(const char **)option->value = text; return true;
    case COMMAND_FLAG: break;
    }
    *(bool *)option->value = true;
    return true;
}

// Takes the argument at *at, and the one after it where that is the value.
static bool take_argument(int argc, char *const *argv, int *at,
                          const struct command_option *options, size_t option_count,
                          struct message *message) {
    const char *argument = argv[*at];
    if (strncmp(argument, "--", 2) != 0) {
        return message_fail(message, "'%.60s' is no option; options begin with --", argument);
    }
    const char *name = argument + 2;
    const char *equals = strchr(name, '=');
    size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    const struct command_option *option = find_option(options, option_count, name, length);
    if (option == NULL) {
        return message_fail(message, "--%.*s: unknown option; --help lists them",
                            (int)(length < 60 ? length : 60), name);
    }
    if (option->kind == COMMAND_FLAG) {
        return equals == NULL ? set_value(option, NULL, message)
                              : message_fail(message, "--%s takes no value", option->name);
    }
    if (equals != NULL) {
        return set_value(option, equals + 1, message);
    }
    if (*at + 1 >= argc) {
        return message_fail(message, "--%s: its value (%s) is missing", option->name,
                            option->argument);
    }
    ++*at;
    return set_value(option, argv[*at], message);
}

enum command_answer command_line_parse(int argc, char *const *argv,
                                       const struct command_option *options, size_t option_count,
                                       struct message *message) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return COMMAND_HELP;
        }
        if (!take_argument(argc, argv, &i, options, option_count, message)) {
            return COMMAND_WRONG;
        }
    }
    return COMMAND_RUN;
}

static void show_default(const struct command_option *option, char *text, size_t size) {
    const char *word = option->kind == COMMAND_TEXT ? *(const char **)option->value : NULL;
    text[0] = 0;
    if (option->kind == COMMAND_NUMBER) {
        text_print(text, size, " (%g)", *(const double *)option->value);
    } else if (option->kind == COMMAND_COUNT) {
        text_print(text, size, " (%lld)", (long long)*(const int64_t *)option->value);
    } else if (word != NULL) {
        text_print(text, size, " (%s)", word);
    }
}

void command_line_help(FILE *stream, const char *program, const char *purpose,
                       const struct command_option *options, size_t option_count) {
    fprintf(stream, "%s: %s\n\n", program, purpose);
    for (size_t i = 0; i < option_count; i++) {
        char left[64];
        char preset[80];
        text_print(left, sizeof left, "--%s %s", options[i].name,
                   options[i].argument != NULL ? options[i].argument : "");
        show_default(&options[i], preset, sizeof preset);
        fprintf(stream, "  %-22s %s%s\n", left, options[i].help, preset);
    }
    fprintf(stream, "  %-22s %s\n", "--help", "this list");
}

bool command_line_or_exit(int argc, char *const *argv, const char *purpose,
                          const struct command_option *options, size_t option_count, int *status) {
    struct message message = {{0}};
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *program = slash != NULL ? slash + 1 : argc > 0 ? argv[0] : "";
    switch (command_line_parse(argc, argv, options, option_count, &message)) {
    case COMMAND_RUN: return true;
    case COMMAND_HELP:
        command_line_help(stdout, program, purpose, options, option_count);
        *status = EXIT_SUCCESS;
        return false;
    case COMMAND_WRONG: break;
    }
    fprintf(stderr, "%s: %s\n", program, message.text);
    *status = 2;
    return false;
}
