// Options for example programs: --name VALUE, --name=VALUE and plain --flag. Numbers are read the
// same in every locale, and a mistake is answered with the option's name.
//
//     double young = 1e6;
//     const char *mesh = NULL;
//     bool vtu = false;
//     const struct command_option options[] = {
//         {"young", COMMAND_NUMBER, &young, "E", "Young's modulus in Pa"},
//         {"mesh", COMMAND_TEXT, &mesh, "FILE", "mesh to drop"},
//         {"vtu", COMMAND_FLAG, &vtu, NULL, "also write files for ParaView"},
//     };
//     enum command_answer answer = command_line_parse(argc, argv, options, 3, &message);
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_COMMAND_LINE_H
#define PBS_COMMON_COMMAND_LINE_H

#include "common/program/text.h"

#include <stdio.h>

enum command_kind {
    COMMAND_FLAG,   ///< bool *, set to true
    COMMAND_NUMBER, ///< double *, finite
    COMMAND_COUNT,  ///< int64_t *, zero or more
    COMMAND_TEXT    ///< const char **, points into argv
};

struct command_option {
    const char *name; ///< without the dashes
    enum command_kind kind;
    void *value;          ///< keeps its default when the option is not given
    const char *argument; ///< what help calls the value; null for flags
    const char *help;
};

enum command_answer {
    COMMAND_RUN,  ///< go on
    COMMAND_HELP, ///< --help was asked for: print it and leave with 0
    COMMAND_WRONG ///< the message says what: print it and leave with 2
};

enum command_answer command_line_parse(int argc, char *const *argv,
                                       const struct command_option *options, size_t option_count,
                                       struct message *message);
/// Lists the options with their defaults.
void command_line_help(FILE *stream, const char *program, const char *purpose,
                       const struct command_option *options, size_t option_count);
/// Parses; prints help or the mistake. Returns true to go on, else the exit status is in *status.
bool command_line_or_exit(int argc, char *const *argv, const char *purpose,
                          const struct command_option *options, size_t option_count, int *status);

#endif
