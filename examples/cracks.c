// Cracks in a notched peridynamic plate, in explicit steps: glass under tension, in which the crack
// branches, or steel under impact, in which cracks leave the notches at 70 degrees. Writes NAME.png
// (final damage), NAME_sheet.png (damage over time) and NAME.csv (position of the crack).
// SPDX-License-Identifier: MIT
#include <pbs/pbs.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/images/damage_map.h"
#include "common/images/label.h"
#include "common/program/command_line.h"
#include "common/program/directory.h"
#include "common/program/interrupt.h"
#include "scenes/fracture/crack_path.h"

struct settings {
    const char *plate, *out, *name;
    double spacing, horizon, until;
    int64_t frames, threads;
};

enum { WIDTH = 600, SHEET_WIDTH = 300, SHEET_COLUMNS = 3, GAP = 4 };

static const struct {
    const char *name, *purpose;
    double until; ///< us
} plates[PLATE_KIND_COUNT] = {
    {"glass", "a notched plate of glass is pulled at both sides: the crack branches", 90.0},
    {"soda-lime", "a stiffer one, pulled twice as hard", 60.0},
    {"steel", "a plate of steel is struck between two notches", 90.0},
};

static bool read_settings(int argc, char **argv, struct settings *s, int *exit_status) {
    const struct command_option options[] = {
        {"plate", COMMAND_TEXT, &s->plate, "NAME", "glass, soda-lime or steel"},
        {"spacing", COMMAND_NUMBER, &s->spacing, "MM", "of particles, mm"},
        {"horizon", COMMAND_NUMBER, &s->horizon, "N", "how far bonds reach, in spacings"},
        {"until", COMMAND_NUMBER, &s->until, "US", "microseconds; 0: until the plate is through"},
        {"frames", COMMAND_COUNT, &s->frames, "N", "how many frames"},
        {"threads", COMMAND_COUNT, &s->threads, "N", "threads"},
        {"out", COMMAND_TEXT, &s->out, "DIR", "where the pictures go"},
        {"name", COMMAND_TEXT, &s->name, "NAME", "first part of the files' names"},
    };
    return command_line_or_exit(argc, argv, "Cracks in a peridynamic plate.", options,
                                sizeof options / sizeof *options, exit_status);
}

static bool find_plate(const struct settings *s, enum cracked_plate_kind *kind,
                       struct message *message) {
    for (int i = 0; i < PLATE_KIND_COUNT; i++) {
        if (strcmp(s->plate, plates[i].name) == 0) {
            *kind = (enum cracked_plate_kind)i;
            return true;
        }
    }
    return message_fail(message, "--plate: there is no \"%s\"", s->plate);
}

// --- files ---

/// A picture of several frames side by side.
struct sheet {
    struct image image;
    size_t frame_height, count;
};

static bool sheet_create(const struct cracked_plate *plate, size_t frames, struct sheet *sheet) {
    const double ratio = plate->size[1] / plate->size[0];
    const size_t rows = (frames + SHEET_COLUMNS - 1) / SHEET_COLUMNS;
    sheet->count = 0;
    sheet->frame_height = (size_t)lround(SHEET_WIDTH * ratio);
    if (!image_create(&sheet->image, SHEET_COLUMNS * (SHEET_WIDTH + GAP) - GAP,
                      rows * (sheet->frame_height + GAP) - GAP)) {
        return false;
    }
    memset(sheet->image.pixels, 255, 3 * sheet->image.width * sheet->image.height);
    return true;
}

static bool sheet_add(const struct cracked_plate *plate, double time, struct sheet *sheet) {
    static const unsigned char black[3] = {30, 30, 30};
    struct image frame;
    char text[32];
    if (!damage_map_draw(plate, SHEET_WIDTH, &frame)) {
        return false;
    }
    text_print(text, sizeof text, "%.0f us", 1e6 * time);
    label_draw(&frame, 6, 6, 2, black, text);
    const size_t x = sheet->count % SHEET_COLUMNS * (SHEET_WIDTH + GAP);
    const size_t y = sheet->count / SHEET_COLUMNS * (sheet->frame_height + GAP);
    for (size_t row = 0; row < sheet->frame_height; row++) {
        memcpy(sheet->image.pixels + 3 * ((y + row) * sheet->image.width + x),
               frame.pixels + 3 * row * SHEET_WIDTH, 3 * (size_t)SHEET_WIDTH);
    }
    image_free(&frame);
    sheet->count++;
    return true;
}

static void file_name(const struct settings *s, const char *end, char path[512]) {
    text_print(path, 512, "%s/%s%s", s->out, s->name, end);
}

static bool write_pictures(const struct settings *s, const struct cracked_plate *plate,
                           const struct sheet *sheet, struct message *message) {
    struct image image;
    char path[512];
    if (!damage_map_draw(plate, WIDTH, &image)) {
        return message_fail(message, "no memory for the picture");
    }
    file_name(s, ".png", path);
    bool done = png_write(path, &image, message);
    image_free(&image);
    file_name(s, "_sheet.png", path);
    done = done && png_write(path, &sheet->image, message);
    return done;
}

// --- running ---

static void report(const struct cracked_plate *plate, int64_t frame, double time, FILE *csv) {
    const struct crack_path path = crack_path_of(plate);
    const bool is_steel = plate->desc.kind == PLATE_STEEL;
    const double tip = 1e3 * (is_steel ? crack_path_height(plate) : path.tip);
    printf("frame %3lld  t %6.1f us  tip %6.2f mm", (long long)frame, 1e6 * time, tip);
    if (is_steel) {
        const double angle = crack_path_angle(plate);
        printf(isnan(angle) ? "\n" : "  at %.1f degrees to the notch\n", angle);
    } else {
        printf(isinf(path.branch) ? "\n" : "  branched at %.2f mm\n", 1e3 * path.branch);
    }
    fprintf(csv, "%.9g,%.9g\n", time, 1e-3 * tip);
    fflush(stdout);
}

static bool play(const struct settings *s, double until, struct cracked_plate *plate,
                 struct sheet *sheet, FILE *csv, struct message *message) {
    const double seconds = until / (double)s->frames;
    interrupt_catch();
    fputs("time_s,tip_m\n", csv);
    for (int64_t frame = 1; frame <= s->frames && !interrupt_was_requested(); frame++) {
        if (cracked_plate_step(plate, seconds) < 0) {
            return message_fail(message, "frame %lld: %s", (long long)frame, pbs_last_error());
        }
        if (!sheet_add(plate, (double)frame * seconds, sheet)) {
            return message_fail(message, "no memory for frame %lld", (long long)frame);
        }
        report(plate, frame, (double)frame * seconds, csv);
    }
    return true;
}

/// Runs a plate that has been created, and writes the files.
static bool show(const struct settings *s, double until, struct cracked_plate *plate,
                 struct message *message) {
    struct sheet sheet = {{0}, 0, 0};
    char path[512];
    file_name(s, ".csv", path);
    if (!directory_make(s->out, message)) {
        return false;
    }
    FILE *csv = fopen(path, "w");
    if (csv == NULL) {
        return message_fail(message, "%s cannot be written", path);
    }
    bool done = sheet_create(plate, (size_t)s->frames, &sheet) ||
                message_fail(message, "no sheet holds %lld frames", (long long)s->frames);
    done = done && play(s, until, plate, &sheet, csv, message) &&
           write_pictures(s, plate, &sheet, message);
    image_free(&sheet.image);
    const bool written = fclose(csv) == 0;
    return done && (written || message_fail(message, "%s cannot be written", path));
}

static bool crack(const struct settings *s, struct message *message) {
    struct cracked_plate_desc desc = {.spacing = 1e-3 * s->spacing,
                                      .horizon = s->horizon,
                                      .threads = (int32_t)(s->threads > 0 ? s->threads : 1)};
    struct cracked_plate plate;
    if (!find_plate(s, &desc.kind, message)) {
        return false;
    }
    if (!(s->spacing > 0.0) || !(s->horizon > 0.0) || s->until < 0.0 || s->frames < 1) {
        return message_fail(message, "--spacing, --horizon and --frames must be positive, --until "
                                     "not negative");
    }
    if (cracked_plate_make(&desc, &plate) < 0) {
        return message_fail(message, "%s", pbs_last_error());
    }
    const double until = s->until > 0.0 ? s->until : plates[desc.kind].until;
    printf("%s: %s; %zu particles\n", s->plate, plates[desc.kind].purpose, plate.count);
    const bool done = show(s, 1e-6 * until, &plate, message);
    cracked_plate_free(&plate);
    return done;
}

int main(int argc, char **argv) {
    struct settings settings = {
        .plate = "glass", .out = "demo", .spacing = 0.5, .horizon = 3.0, .frames = 9};
    int exit_status = 0;
    if (!read_settings(argc, argv, &settings, &exit_status)) {
        return exit_status;
    }
    settings.name = settings.name != NULL ? settings.name : settings.plate;
    struct message message = {{0}};
    const bool done = crack(&settings, &message);
    if (!done) {
        fprintf(stderr, "cracks: %s\n", message.text);
    } else {
        printf("wrote %s/%s.png, _sheet.png and .csv\n", settings.out, settings.name);
    }
    return done ? 0 : 1;
}
