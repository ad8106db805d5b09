// Crack paths in the peridynamic plates of scenes/fracture/cracked_plate.h, for comparison with
// experiments and other codes. Prints lines
//     bench crack_paths case=... particles=... bonds=... horizon=... at_us=... tip_mm=...
//     speed=... branch_mm=... angle=... broken=...
//     bench crack_paths case=... start_us=... branch_us=... edge_us=... fastest=... symmetric=...
//     wall_s=...
// speed: of the tip since the preceding line; fastest: the largest over two microseconds; both
// relative to the Rayleigh wave speed. start: time of the first cracked particle
// (scenes/fracture/crack_path.h). edge: time at which the crack is within two horizons of the
// plate's right edge (steel: its upper edge).
//     crack_paths [--case glass|soda-lime|steel] [--spacing MM] [--horizon N] [--struck ROWS]
//         [--until US] [--threads N] [--picture FILE.png]
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/images/damage_map.h"
#include "scenes/fracture/crack_path.h"

static const char *const names[PLATE_KIND_COUNT] = {"glass", "soda-lime", "steel"};
static const double TICK = 0.5e-6;
enum { TICKS = 5 };

struct choice {
    struct cracked_plate_desc plate;
    double until; ///< seconds
    const char *picture;
};

struct course {
    double start, branch, edge; ///< seconds; infinite: not yet
    double fastest;             ///< m/s
    double tips[TICKS];         ///< metres: tip at the last ticks, the latest first
};

static double wall_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void require(pbs_status status) {
    if (status < 0) {
        fprintf(stderr, "%s\n", pbs_last_error());
        exit(1);
    }
}

static size_t count_bonds(const struct cracked_plate *plate) {
    const uint32_t *pairs = NULL;
    size_t count = 0;
    require(pbs_body_bonds(plate->world, plate->body, &pairs, &count));
    return count;
}

static size_t count_broken(const struct cracked_plate *plate) {
    const uint8_t *broken = pbs_body_broken(plate->world, plate->body);
    const size_t count = count_bonds(plate);
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += broken[i] != 0;
    }
    return sum;
}

/// Returns the position of the crack tip, metres (steel: its height); 0 before cracking starts.
static double tip(const struct cracked_plate *plate) {
    return plate->desc.kind == PLATE_STEEL ? crack_path_height(plate) : crack_path_of(plate).tip;
}

static void look(const struct cracked_plate *plate, double time, struct course *course) {
    const bool is_steel = plate->desc.kind == PLATE_STEEL;
    const double end = is_steel ? 0.5 * plate->size[1] : plate->size[0];
    const double margin = 2.0 * plate->desc.horizon * plate->desc.spacing;
    memmove(course->tips + 1, course->tips, (TICKS - 1) * sizeof course->tips[0]);
    course->tips[0] = tip(plate);
    if (isinf(course->start) && course->tips[0] > 0.0) {
        course->start = time;
    }
    if (isinf(course->edge) && course->tips[TICKS - 1] > 0.0) {
        const double speed = (course->tips[0] - course->tips[TICKS - 1]) / ((TICKS - 1) * TICK);
        course->fastest = fmax(course->fastest, speed);
    }
    if (!is_steel && isinf(course->branch) && isfinite(crack_path_of(plate).branch)) {
        course->branch = time;
    }
    if (isinf(course->edge) && course->tips[0] > end - margin) {
        course->edge = time;
    }
}

static void draw(const struct cracked_plate *plate, const char *path) {
    struct image image;
    struct message message;
    if (!damage_map_draw(plate, 600, &image) || !png_write(path, &image, &message)) {
        fprintf(stderr, "%s cannot be drawn\n", path);
        exit(1);
    }
    image_free(&image);
}

// --- runs ---

static void report(const struct cracked_plate *plate, double time, double seconds, double moved,
                   size_t broken) {
    const struct crack_path path = crack_path_of(plate);
    const bool is_steel = plate->desc.kind == PLATE_STEEL;
    printf("bench crack_paths case=%s particles=%zu bonds=%zu spacing_mm=%g horizon=%g at_us=%g "
           "tip_mm=%.2f speed=%.2f branch_mm=%.2f angle=%.1f broken=%zu\n",
           names[plate->desc.kind], plate->count, count_bonds(plate), 1e3 * plate->desc.spacing,
           plate->desc.horizon, 1e6 * time, 1e3 * tip(plate), moved / seconds / plate->rayleigh,
           is_steel ? NAN : 1e3 * path.branch, is_steel ? crack_path_angle(plate) : NAN, broken);
    fflush(stdout);
}

static void run(const struct choice *choice) {
    struct cracked_plate plate;
    struct course course = {.start = INFINITY, .branch = INFINITY, .edge = INFINITY};
    const double begin = wall_seconds();
    require(cracked_plate_make(&choice->plate, &plate));
    const size_t notched = count_broken(&plate);
    const double notch = choice->plate.kind == PLATE_STEEL ? plate.notch_y : 0.05;
    double last = notch;
    int said = 0;
    const int ticks = (int)lround(choice->until / TICK);
    for (int i = 1; i <= ticks; i++) {
        require(cracked_plate_step(&plate, TICK));
        look(&plate, i * TICK, &course);
        if (i % 20 == 0 || i == ticks) {
            report(&plate, i * TICK, (i - said) * TICK, fmax(course.tips[0], notch) - last,
                   count_broken(&plate) - notched);
            last = fmax(course.tips[0], notch);
            said = i;
        }
    }
    printf("bench crack_paths case=%s spacing_mm=%g horizon=%g start_us=%g branch_us=%g edge_us=%g "
           "fastest=%.2f symmetric=%d wall_s=%.1f\n",
           names[choice->plate.kind], 1e3 * plate.desc.spacing, plate.desc.horizon,
           1e6 * course.start, 1e6 * course.branch, 1e6 * course.edge,
           course.fastest / plate.rayleigh, crack_path_of(&plate).is_symmetric,
           wall_seconds() - begin);
    if (choice->picture != NULL) {
        draw(&plate, choice->picture);
    }
    cracked_plate_free(&plate);
}

/// Runs the cases of the table in docs/theory/peridynamics.md.
static void run_all(void) {
    static const struct choice all[] = {
        {{PLATE_GLASS, 0.5e-3, 3.0, 1, 1}, 90e-6, NULL},
        {{PLATE_GLASS, 1e-3 / 3.0, 3.0, 1, 1}, 90e-6, NULL},
        {{PLATE_GLASS, 0.25e-3, 3.0, 1, 1}, 90e-6, NULL},
        {{PLATE_GLASS, 0.2e-3, 3.0, 1, 1}, 90e-6, NULL},
        {{PLATE_GLASS, 0.25e-3, 4.0, 1, 1}, 90e-6, NULL},
        {{PLATE_GLASS, 0.2e-3, 5.0, 1, 1}, 90e-6, NULL},
        {{PLATE_SODA_LIME, 1e-3 / 3.0, 3.0, 1, 1}, 60e-6, NULL},
        {{PLATE_SODA_LIME, 0.25e-3, 4.0, 1, 1}, 60e-6, NULL},
        {{PLATE_STEEL, 1e-3, 3.0, 1, 1}, 90e-6, NULL},
        {{PLATE_STEEL, 2e-3 / 3.0, 3.0, 1, 1}, 90e-6, NULL},
        {{PLATE_STEEL, 0.5e-3, 3.0, 1, 1}, 90e-6, NULL},
        {{PLATE_STEEL, 0.5e-3, 4.0, 1, 1}, 90e-6, NULL},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        run(&all[i]);
    }
}

static int usage(void) {
    fputs(
        "crack_paths [--case glass|soda-lime|steel] [--spacing MM] [--horizon N] [--struck ROWS]\n"
        "    [--until US] [--threads N] [--picture FILE.png]\n",
        stderr);
    return 2;
}

int main(int argc, char **argv) {
    struct choice choice = {.plate = {.kind = PLATE_GLASS, .spacing = 1e-3 / 3.0, .horizon = 3.0},
                            .until = 80e-6};
    if (argc == 1) {
        run_all();
        return 0;
    }
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc) {
            return usage();
        }
        const char *value = argv[i + 1];
        if (strcmp(argv[i], "--case") == 0) {
            int kind = 0;
            while (kind < PLATE_KIND_COUNT && strcmp(value, names[kind]) != 0) {
                kind++;
            }
            if (kind == PLATE_KIND_COUNT) {
                return usage();
            }
            choice.plate.kind = (enum cracked_plate_kind)kind;
        } else if (strcmp(argv[i], "--spacing") == 0) {
            choice.plate.spacing = 1e-3 * strtod(value, NULL);
        } else if (strcmp(argv[i], "--horizon") == 0) {
            choice.plate.horizon = strtod(value, NULL);
        } else if (strcmp(argv[i], "--struck") == 0) {
            choice.plate.struck = (uint32_t)strtoul(value, NULL, 10);
        } else if (strcmp(argv[i], "--until") == 0) {
            choice.until = 1e-6 * strtod(value, NULL);
        } else if (strcmp(argv[i], "--threads") == 0) {
            choice.plate.threads = atoi(value);
        } else if (strcmp(argv[i], "--picture") == 0) {
            choice.picture = value;
        } else {
            return usage();
        }
    }
    run(&choice);
    return 0;
}
