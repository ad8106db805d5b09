// Measures what step control by the linearised force error saves in fracture. As in ATS's third
// experiment, peridynamic bodies fall on an obstacle and break, in linearly implicit steps: of
// equal length, or controlled by the force error, with and without a limit of the step while bonds
// break. Prints lines
//     bench fracture_steps case=bar particles=576 bonds=7002 scheme=newmark solver=automatic
//     control=fixed step=... tolerance=... limit=... steps=... rejected=... limited=...
//     shortest=... longest=... linear=... broken=... fragments=... bonds_alike=... damage_alike=...
//     cpu_s=... flight_steps=... flight_cpu_s=... bench fracture_steps_gain case=plate
//     particles=... scheme=... solver=... tolerance=... limit=... step=... alike=... steps=...
//     linear=... cpu=... after_steps=... after_cpu=...
// step: s, of equal steps. tolerance: m, of the force error, and also of the linear solves of equal
// steps. limit: s, the longest step while bonds break; limited: number of steps shortened by it.
// bonds_alike: of the bonds that broke in this run or in the reference, the fraction that broke in
// both. damage_alike: sum of the lower over sum of the higher damage of the particles in both runs.
// The reference run has equal steps of a quarter of the time in which a crack crosses the horizon,
// after the fall in one step, which is exact; `spread` has steps a tenth shorter. flight: before
// the first advance in which a bond broke. gain: cost of the longest equal steps with at least the
// same damage_alike (found=0: there are none, and the shortest are used) relative to controlled
// steps, in attempted steps, linear iterations and processor time: in total, and after the flight.
// Uses one thread.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/program/command_line.h"
#include "scenes/fracture/brittle_fall.h"

struct settings {
    const char *body, *scheme, *solver;
    double spacing, horizon, young, density, energy, damping, speed, height, seconds, frame;
    double step, tolerance, limit, exponent, reference;
    int64_t quiet;
    bool one;
};

/// A method of choosing steps.
struct way {
    const char *control;    ///< name of the method
    double step, tolerance; ///< step, s (0: by the force error), and tolerance, m
    double limit;           ///< fracture_step of pbs_integrator_desc
    bool skips_flight;
};

struct outcome {
    struct way way;
    uint64_t steps, rejected, limited, linear, flight_tries, flight_linear;
    double shortest, longest, cpu_seconds, flight_cpu_seconds, limit;
    size_t particles, bonds, broken, fragments;
    uint8_t *flags; ///< by bond: whether it is broken
    float *damage;  ///< by particle: damage
    double bonds_alike, damage_alike;
    bool failed;
};

static void must(pbs_status status) {
    if (status < 0) {
        fprintf(stderr, "fracture_steps: %s\n", pbs_last_error());
        exit(1);
    }
}

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// --- running ---

/// Equal steps use the step control with equal minimum and maximum step, so that linear solves have
/// the same accuracy as with controlled steps.
static pbs_integrator *make_integrator(const struct settings *s, const struct way *way) {
    pbs_integrator_desc d;
    pbs_integrator *out = NULL;
    must(pbs_integrator_desc_init(&d, sizeof d,
                                  strcmp(s->scheme, "euler") == 0 ? PBS_SCHEME_IMPLICIT_EULER
                                                                  : PBS_SCHEME_NEWMARK));
    d.linearized = 1;
    d.step_control.kind = PBS_STEP_FORCE_ERROR;
    d.step_control.tolerance = way->tolerance;
    d.step_control.max = s->frame;
    d.step_control.exponent = s->exponent;
    d.step_control.fracture_step = way->limit;
    d.step_control.fracture_quiet_steps = (uint32_t)s->quiet;
    if (way->step > 0.0) {
        // Slightly longer, so that rounding does not leave a remainder before the end of an
        // advance.
        d.step_control.max = d.step_control.min = d.step_control.initial = way->step * (1.0 + 1e-9);
        d.step_control.fracture_step = INFINITY;
    }
    must(pbs_integrator_create(&d, &out));
    return out;
}

static int32_t preconditioner_of(const char *name) {
    return strcmp(name, "block-jacobi") == 0 ? PBS_PRECONDITIONER_BLOCK_JACOBI
           : strcmp(name, "cholesky") == 0   ? PBS_PRECONDITIONER_CHOLESKY
           : strcmp(name, "two-level") == 0  ? PBS_PRECONDITIONER_TWO_LEVEL
           : strcmp(name, "multigrid") == 0  ? PBS_PRECONDITIONER_MULTIGRID
           : strcmp(name, "incomplete") == 0 ? PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY
                                             : PBS_PRECONDITIONER_AUTOMATIC;
}

static void count_step(pbs_world *world, struct outcome *out) {
    pbs_stats stats = {.struct_size = sizeof stats};
    must(pbs_world_stats(world, &stats));
    out->steps += stats.step_control.accepted;
    out->rejected += stats.step_control.rejected;
    out->limited += stats.step_control.fracture_limited;
    out->limit = stats.step_control.fracture_step > 0.0 ? stats.step_control.fracture_step
                                                        : out->limit;
    out->linear += stats.linear.iterations;
    out->shortest = out->shortest > 0.0 ? fmin(out->shortest, stats.step_control.shortest)
                                        : stats.step_control.shortest;
    out->longest = fmax(out->longest, stats.step_control.longest);
}

static void keep_damage(const struct brittle_fall *fall, struct outcome *out) {
    const uint8_t *flags = pbs_body_broken(fall->world, fall->body);
    const float *damage = pbs_body_damage(fall->world, fall->body);
    out->particles = fall->particle_count;
    out->bonds = fall->bond_count;
    out->flags = malloc(fall->bond_count);
    out->damage = malloc(fall->particle_count * sizeof *out->damage);
    if (out->flags == NULL || out->damage == NULL) {
        exit(1);
    }
    memcpy(out->damage, damage, fall->particle_count * sizeof *out->damage);
    for (size_t i = 0; i < fall->bond_count; i++) {
        out->flags[i] = flags[i] != 0;
        out->broken += flags[i] != 0;
    }
    must(pbs_body_fragments(fall->world, fall->body, NULL, sizeof(pbs_fragment), &out->fragments));
}

static struct brittle_fall make_fall(const struct settings *s) {
    const struct brittle_fall_desc d = {
        .kind = strcmp(s->body, "bar") == 0 ? BRITTLE_BAR : BRITTLE_PLATE,
        .spacing = s->spacing,
        .horizon = s->horizon,
        .young = s->young,
        .density = s->density,
        .fracture_energy = s->energy,
        .damping = s->damping,
        .speed = s->speed,
        .height = s->height,
        .preconditioner = preconditioner_of(s->solver),
    };
    struct brittle_fall fall;
    must(brittle_fall_make(&d, &fall));
    return fall;
}

/// Advances to 0.999 of the time of impact; for Newmark's method this is one step.
static double fall_down(const struct settings *s, pbs_world *world) {
    const double seconds = 0.999 * (sqrt(s->speed * s->speed + 2.0 * 9.81 * s->height) - s->speed) /
                           9.81;
    const struct way way = {"flight", seconds, 1e-9, INFINITY, false};
    pbs_integrator *integrator = make_integrator(s, &way);
    must(pbs_world_set_integrator(world, integrator));
    must(pbs_world_advance(world, seconds));
    pbs_integrator_destroy(integrator);
    return seconds;
}

static struct outcome simulate(const struct settings *s, const struct way *way) {
    struct outcome out = {.way = *way};
    const struct brittle_fall fall = make_fall(s);
    double t = way->skips_flight ? fall_down(s, fall.world) : 0.0;
    pbs_integrator *integrator = make_integrator(s, way);
    must(pbs_world_set_integrator(fall.world, integrator));
    pbs_integrator_destroy(integrator);
    const double begin = cpu_seconds();
    bool flies = true;
    for (; t < s->seconds - 1e-9 && !out.failed; t += s->frame) {
        size_t broken = 0;
        out.failed = pbs_world_advance(fall.world, fmin(s->frame, s->seconds - t)) < 0;
        must(pbs_world_broken_bonds(fall.world, NULL, sizeof(pbs_broken_bond), &broken));
        count_step(fall.world, &out);
        flies = flies && broken == 0;
        if (flies) {
            out.flight_tries = out.steps + out.rejected;
            out.flight_linear = out.linear;
            out.flight_cpu_seconds = cpu_seconds() - begin;
        }
    }
    out.cpu_seconds = cpu_seconds() - begin;
    if (out.failed) {
        printf("# failed: %s\n", pbs_last_error());
    }
    keep_damage(&fall, &out);
    pbs_world_destroy(fall.world);
    return out;
}

static void forget(struct outcome *outcome) {
    free(outcome->flags);
    free(outcome->damage);
}

/// Compares the damage of two runs; the result is 1 if neither has any.
static void compare(struct outcome *one, const struct outcome *other) {
    size_t both = 0, either = 0;
    double low = 0.0, high = 0.0;
    for (size_t i = 0; i < one->bonds; i++) {
        both += one->flags[i] && other->flags[i];
        either += one->flags[i] || other->flags[i];
    }
    for (size_t i = 0; i < one->particles; i++) {
        low += fmin(one->damage[i], other->damage[i]);
        high += fmax(one->damage[i], other->damage[i]);
    }
    one->bonds_alike = either > 0 ? (double)both / (double)either : 1.0;
    one->damage_alike = high > 0.0 ? low / high : 1.0;
}

static void print(const struct settings *s, const struct outcome *o) {
    printf("bench fracture_steps case=%s particles=%zu bonds=%zu scheme=%s solver=%s control=%s "
           "step=%g tolerance=%g limit=%.3g steps=%llu rejected=%llu limited=%llu shortest=%.3g "
           "longest=%.3g linear=%llu broken=%.5f fragments=%zu bonds_alike=%.3f damage_alike=%.3f "
           "cpu_s=%.3f flight_steps=%llu flight_linear=%llu flight_cpu_s=%.3f%s\n",
           s->body, o->particles, o->bonds, s->scheme, s->solver, o->way.control, o->way.step,
           o->way.tolerance, o->limit, (unsigned long long)o->steps,
           (unsigned long long)o->rejected, (unsigned long long)o->limited, o->shortest, o->longest,
           (unsigned long long)o->linear, (double)o->broken / (double)o->bonds, o->fragments,
           o->bonds_alike, o->damage_alike, o->cpu_seconds, (unsigned long long)o->flight_tries,
           (unsigned long long)o->flight_linear, o->flight_cpu_seconds,
           o->failed ? " failed=1" : "");
    fflush(stdout);
}

static struct outcome run(const struct settings *s, const struct way *way,
                          const struct outcome *reference) {
    struct outcome out = simulate(s, way);
    if (reference != NULL) {
        compare(&out, reference);
    } else {
        compare(&out, &out);
    }
    print(s, &out);
    return out;
}

static void one(const struct settings *s) {
    const struct way way = {s->step > 0.0 ? "fixed" : "force_error", s->step,
                            s->tolerance > 0.0 ? s->tolerance : 1e-3 * s->spacing, s->limit, false};
    struct outcome out = run(s, &way, NULL);
    forget(&out);
}

// --- the falling bar ---

/// Runs the bar for the table of docs/theory/step_control.md section 4.
static void bar(struct settings *s) {
    static const struct {
        const char *scheme;
        struct way way;
    } rows[] = {
        {"newmark", {"fixed", 5e-5, 1e-5, 0.0, false}},
        {"newmark", {"fixed", 2e-4, 1e-5, 0.0, false}},
        {"newmark", {"fixed", 1e-3, 1e-5, 0.0, false}},
        {"newmark", {"force_error", 0.0, 1e-6, 1.0, false}},
        {"newmark", {"force_error", 0.0, 1e-5, 1.0, false}},
        {"newmark", {"force_error", 0.0, 1e-4, 1.0, false}},
        {"newmark", {"force_error", 0.0, 1e-6, 0.0, false}},
        {"newmark", {"force_error", 0.0, 1e-5, 0.0, false}},
        {"newmark", {"force_error", 0.0, 1e-4, 0.0, false}},
        {"euler", {"fixed", 5e-5, 1e-5, 0.0, false}},
        {"euler", {"fixed", 2e-4, 1e-5, 0.0, false}},
        {"euler", {"force_error", 0.0, 1e-5, 1.0, false}},
        {"euler", {"force_error", 0.0, 1e-5, 0.0, false}},
    };
    struct outcome reference = {.flags = NULL};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool begins = i == 0 || strcmp(rows[i].scheme, rows[i - 1].scheme) != 0;
        s->scheme = rows[i].scheme;
        struct outcome out = run(s, &rows[i].way, begins ? NULL : &reference);
        if (begins) {
            forget(&reference);
            reference = out;
        } else {
            forget(&out);
        }
    }
    forget(&reference);
}

// --- equal steps and controlled ones at equal damage ---

enum { EQUAL_RUNS = 5, CONTROLLED_RUNS = 4 };

static double over(double a, double b) {
    return b > 0.0 ? a / b : 0.0;
}

static void print_gain(const struct settings *s, const struct outcome *equal,
                       const struct outcome *own) {
    const struct outcome *best = NULL;
    for (size_t i = 0; i < EQUAL_RUNS; i++) {
        const bool good = !equal[i].failed && equal[i].damage_alike >= own->damage_alike;
        best = good && (best == NULL || equal[i].way.step > best->way.step) ? &equal[i] : best;
    }
    const bool found = best != NULL;
    best = found ? best : &equal[0];
    const double tries = (double)(own->steps + own->rejected);
    printf("bench fracture_steps_gain case=%s particles=%zu scheme=%s solver=%s tolerance=%g "
           "limit=%.3g step=%g found=%d alike=%.3f equal_alike=%.3f steps=%.2f linear=%.2f "
           "cpu=%.2f after_steps=%.2f after_linear=%.2f after_cpu=%.2f\n",
           s->body, own->particles, s->scheme, s->solver, own->way.tolerance, own->limit,
           best->way.step, found, own->damage_alike, best->damage_alike,
           over((double)best->steps, tries), over((double)best->linear, (double)own->linear),
           over(best->cpu_seconds, own->cpu_seconds),
           over((double)(best->steps - best->flight_tries), tries - (double)own->flight_tries),
           over((double)(best->linear - best->flight_linear),
                (double)(own->linear - own->flight_linear)),
           over(best->cpu_seconds - best->flight_cpu_seconds,
                own->cpu_seconds - own->flight_cpu_seconds));
    fflush(stdout);
}

static void plate(const struct settings *s) {
    static const double tolerances[CONTROLLED_RUNS] = {1e-4, 1e-3, 1e-2, 1e-3};
    static const double shares[EQUAL_RUNS] = {0.5, 1.0, 2.0, 4.0, 8.0};
    struct outcome equal[EQUAL_RUNS];
    struct outcome own[CONTROLLED_RUNS];
    const double fine = 1e-3 * s->spacing;
    const double shear = sqrt(s->young / (2.0 * 1.25 * s->density));
    const double crack = 3.0 * s->spacing / (0.92 * shear);
    struct way way = {"reference", s->reference * crack, fine, 0.0, true};
    struct outcome reference = run(s, &way, NULL);
    way = (struct way){"spread", 0.9 * s->reference * crack, fine, 0.0, true};
    struct outcome spread = run(s, &way, &reference);
    forget(&spread);
    for (size_t i = 0; i < CONTROLLED_RUNS; i++) {
        // The last run has no limit.
        way = (struct way){"force_error", 0.0, tolerances[i] * s->spacing,
                           i + 1 < CONTROLLED_RUNS ? 0.0 : 1.0, false};
        own[i] = run(s, &way, &reference);
    }
    for (size_t i = EQUAL_RUNS; i-- > 0;) {
        way = (struct way){"fixed", shares[i] * crack, fine, 0.0, false};
        equal[i] = run(s, &way, &reference);
    }
    for (size_t i = 0; i < CONTROLLED_RUNS; i++) {
        print_gain(s, equal, &own[i]);
        forget(&own[i]);
    }
    for (size_t i = 0; i < EQUAL_RUNS; i++) {
        forget(&equal[i]);
    }
    forget(&reference);
}

/// Sets defaults of options that are 0; the step is only given for a single run.
static void set_defaults(struct settings *s) {
    const bool is_bar = strcmp(s->body, "bar") == 0;
    const struct settings d = is_bar ? (struct settings){.young = 1.4e7,
                                                         .density = 200.0,
                                                         .energy = 2.0,
                                                         .height = 0.005,
                                                         .seconds = 0.12,
                                                         .frame = 0.01}
                                     : (struct settings){.young = 7e7,
                                                         .density = 1000.0,
                                                         .energy = 50.0,
                                                         .height = 0.2,
                                                         .seconds = 0.24,
                                                         .frame = 0.02};
    s->young = s->young > 0.0 ? s->young : d.young;
    s->density = s->density > 0.0 ? s->density : d.density;
    s->energy = s->energy > 0.0 ? s->energy : d.energy;
    s->height = s->height > 0.0 ? s->height : d.height;
    s->seconds = s->seconds > 0.0 ? s->seconds : d.seconds;
    s->frame = s->frame > 0.0 ? s->frame : d.frame;
}

int main(int argc, char **argv) {
    struct settings s = {.body = "bar",
                         .scheme = "newmark",
                         .solver = "automatic",
                         .spacing = 0.01,
                         .reference = 0.25};
    const struct command_option options[] = {
        {"case", COMMAND_TEXT, &s.body, "NAME", "bar or plate"},
        {"scheme", COMMAND_TEXT, &s.scheme, "NAME", "newmark or euler, of the plate"},
        {"solver", COMMAND_TEXT, &s.solver, "NAME",
         "automatic, block-jacobi, incomplete, two-level, multigrid or cholesky"},
        {"spacing", COMMAND_NUMBER, &s.spacing, "S", "metres"},
        {"horizon", COMMAND_NUMBER, &s.horizon, "D", "metres; 0: 3 spacings"},
        {"young", COMMAND_NUMBER, &s.young, "E", "Pa; 0, here and below: the case's"},
        {"density", COMMAND_NUMBER, &s.density, "R", "kg/m^3"},
        {"energy", COMMAND_NUMBER, &s.energy, "G", "J/m^2"},
        {"damping", COMMAND_NUMBER, &s.damping, "T", "s, of bonds"},
        {"speed", COMMAND_NUMBER, &s.speed, "V", "m/s"},
        {"height", COMMAND_NUMBER, &s.height, "H", "metres"},
        {"seconds", COMMAND_NUMBER, &s.seconds, "T", "duration"},
        {"frame", COMMAND_NUMBER, &s.frame, "T", "s, of one advance"},
        {"reference", COMMAND_NUMBER, &s.reference, "X",
         "step of the reference over the time of a crack"},
        {"one", COMMAND_FLAG, &s.one, NULL, "one run, of these:"},
        {"step", COMMAND_NUMBER, &s.step, "H", "s; 0: by the force error"},
        {"tolerance", COMMAND_NUMBER, &s.tolerance, "X", "metres"},
        {"limit", COMMAND_NUMBER, &s.limit, "H", "s, while bonds break"},
        {"quiet", COMMAND_COUNT, &s.quiet, "N", "steps after which the limit ends; 0: 10"},
        {"exponent", COMMAND_NUMBER, &s.exponent, "P", "of the step control; 0: 3"},
    };
    int exit_status = 0;
    if (!command_line_or_exit(argc, argv, "Steps of bodies that break.", options,
                              sizeof options / sizeof *options, &exit_status)) {
        return exit_status;
    }
    set_defaults(&s);
    if (s.one) {
        one(&s);
    } else if (strcmp(s.body, "bar") == 0) {
        bar(&s);
    } else {
        plate(&s);
    }
    return 0;
}
