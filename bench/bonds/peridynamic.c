// Explicit steps (velocity Verlet) of peridynamic bodies with about 60 bonds per particle (13 in a
// plate), stretched along x. The block is that of tests/data/lammps_block. Prints lines
//     bench peridynamic case=... particles=... bonds=... threads=... steps=... broken=...
//     single_wall=... single_cpu=... divided_wall=... divided_cpu=... stream=... triad=...
//     over_lammps=... over_lammps_cpu=... load=...
//     bench peridynamic_lammps case=... particles=... wall=... cpu=... load=...
//     bench peridynamic_threads case=... single=... divided=...
// single: one step per call of pbs_world_step; divided: one call that is divided into as many
// steps. wall, cpu: million particle-steps per second of wall-clock time, and of processor time of
// all threads; best of several rounds. stream: GB/s of bond data, 16 bytes per bond, in divided
// steps by wall-clock time; triad: GB/s of a = b + s c on arrays of the same total size.
// over_lammps: speed of single steps relative to LAMMPS's peri/pmb (its own "Loop time") on one
// processor in the same run, by wall-clock time; over_lammps_cpu: by processor time; 0 if `lmp` is
// not installed. threads: speed with two threads relative to one, by wall-clock time. load: load
// average of the machine in the last minute, including this program. Cases: blocks with the given
// number of particles along an edge; with strengths that are not reached; with bonds breaking
// everywhere; in random order; a tetrahedral mesh filled with particles, rotated relative to the
// lattice; a square plate.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/runtime/clock.h"
#include "common/program/command_line.h"
#include "measure/bandwidth.h"
#include "pbs/pbs.h"
#include "scenes/bonds/cubic_tets.h"
#include "scenes/random.h"

static const double SPACING = 0.0005, HORIZON = 1.5001e-3, DENSITY = 2200.0, STEP = 1e-7;
static const double PI = 3.14159265358979323846;

/// Returns Young's modulus from the micromodulus 12 E / (pi horizon^4) of the LAMMPS input.
static double young(void) {
    return 1.6863e22 * PI * pow(HORIZON, 4) / 12.0;
}

enum shape { BLOCK, PLATE, TURNED };

struct scene {
    const char *name;
    enum shape shape;
    uint32_t side; ///< particles along an edge; for the rotated case cells of tetrahedra
    uint32_t steps;
    bool shuffled;
    double stretch, weibull; ///< 0: nothing breaks
    bool has_peer;
};

static const struct scene scenes[] = {
    {"block", BLOCK, 27, 100, false, 0.0, 0.0, true},
    {"strong", BLOCK, 27, 100, false, 10.0, 0.0, false},
    {"breaking", BLOCK, 27, 100, false, 0.002, 2.0, false},
    {"shuffled", BLOCK, 27, 100, true, 0.0, 0.0, false},
    {"turned", TURNED, 9, 100, false, 0.0, 0.0, false},
    {"large", BLOCK, 60, 20, false, 0.0, 0.0, true},
    {"large-shuffled", BLOCK, 60, 20, true, 0.0, 0.0, false},
    {"plate", PLATE, 283, 100, false, 0.0, 0.0, false},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static void require(pbs_status status) {
    if (status < 0) {
        fprintf(stderr, "peridynamic: %s\n", pbs_last_error());
        exit(1);
    }
}

static void *require_memory(void *p) {
    if (p == NULL) {
        fprintf(stderr, "peridynamic: out of memory\n");
        exit(1);
    }
    return p;
}

static double cpu_seconds(void) {
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double load(void) {
    double average = 0.0;
    return getloadavg(&average, 1) == 1 ? average : 0.0;
}

// --- bodies ---

static double *make_lattice(const struct scene *s, size_t *count) {
    const size_t side = s->side;
    *count = s->shape == PLATE ? side * side : side * side * side;
    double *x = require_memory(malloc(3 * *count * sizeof *x));
    for (size_t i = 0; i < *count; i++) {
        x[3 * i] = SPACING * (double)(i % side);
        x[3 * i + 1] = SPACING * (double)(i / side % side);
        x[3 * i + 2] = SPACING * (double)(i / side / side);
    }
    return x;
}

/// Shuffles the particles (Fisher-Yates).
static void shuffle(double *x, size_t count) {
    for (size_t i = 1; i < count; i++) {
        double mine[3];
        const size_t other = (size_t)(0.5 * (noise(i) + 1.0) * (double)(i + 1));
        memcpy(mine, x + 3 * i, sizeof mine);
        memcpy(x + 3 * i, x + 3 * other, sizeof mine);
        memcpy(x + 3 * other, mine, sizeof mine);
    }
}

static void describe(const struct scene *s, pbs_peridynamic_desc *d) {
    require(pbs_peridynamic_desc_init(d, sizeof *d));
    d->dimension = s->shape == PLATE ? PBS_PERIDYNAMIC_PLANE_STRESS : PBS_PERIDYNAMIC_SOLID;
    d->section = s->shape == PLATE ? SPACING : 0.0;
    d->spacing = SPACING;
    d->horizon = HORIZON;
    d->density = DENSITY;
    d->young = young();
    d->no_calibration = 1;
    d->no_surface_correction = 1;
    d->critical_stretch = s->stretch;
    d->weibull_modulus = s->weibull;
    d->seed = 1;
}

/// Adds particles that fill a box of cells of three spacings, rotated about an oblique axis
/// (Rodrigues' formula).
static void add_turned(pbs_world *world, const struct scene *s, pbs_body *body) {
    const size_t cells[3] = {s->side, s->side, s->side};
    const double c = cos(0.5);
    const double axis[3] = {0.6, 0.48, 0.64};
    struct cubic_tets mesh;
    pbs_peridynamic_desc d;
    if (!cubic_tets_make(&mesh, cells, 3.0 * SPACING, 0.0)) {
        require_memory(NULL);
    }
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        double *p = mesh.vertices + 3 * i;
        const double q[3] = {p[0], p[1], p[2]};
        const double along = axis[0] * q[0] + axis[1] * q[1] + axis[2] * q[2];
        for (size_t k = 0; k < 3; k++) {
            const size_t a = (k + 1) % 3;
            const size_t b = (k + 2) % 3;
            p[k] = c * q[k] + sin(0.5) * (axis[a] * q[b] - axis[b] * q[a]) +
                   (1.0 - c) * along * axis[k];
        }
    }
    describe(s, &d);
    d.vertex_count = mesh.vertex_count;
    d.vertices = mesh.vertices;
    d.tet_count = mesh.tet_count;
    d.tets = mesh.tets;
    require(pbs_body_create_peridynamic(world, &d, body));
    cubic_tets_free(&mesh);
}

static void add_lattice(pbs_world *world, const struct scene *s, pbs_body *body) {
    size_t count = 0;
    double *x = make_lattice(s, &count);
    pbs_peridynamic_desc d;
    if (s->shuffled) {
        shuffle(x, count);
    }
    describe(s, &d);
    d.particle_count = count;
    d.positions = x;
    require(pbs_body_create_peridynamic(world, &d, body));
    free(x);
}

/// Adds a stretching velocity.
static void pull(pbs_world *world, pbs_body body) {
    const size_t count = pbs_body_vertex_count(world, body);
    const double *x = pbs_body_positions(world, body);
    double *v = require_memory(malloc(3 * count * sizeof *v));
    memcpy(v, pbs_body_velocities(world, body), 3 * count * sizeof *v);
    for (size_t i = 0; i < count; i++) {
        v[3 * i] += 100.0 * (x[3 * i] - 0.0066);
    }
    require(pbs_body_set_velocities(world, body, v, count));
    free(v);
}

/// Stretches again if bonds are to continue breaking, and recomputes the stable step, which the
/// change of velocities has invalidated.
static void pull_again(pbs_world *world, pbs_body body, const struct scene *s) {
    if (s->weibull > 0.0) {
        pull(world, body);
        require(pbs_world_step(world, STEP));
    }
}

/// share: fraction of the stable step.
static void set_verlet(pbs_world *world, double share) {
    pbs_integrator_desc i;
    pbs_integrator *integrator = NULL;
    require(pbs_integrator_desc_init(&i, sizeof i, PBS_SCHEME_VELOCITY_VERLET));
    i.parameters[0] = share;
    require(pbs_integrator_create(&i, &integrator));
    require(pbs_world_set_integrator(world, integrator));
    pbs_integrator_destroy(integrator);
}

static pbs_world *make_world(const struct scene *s, int32_t threads, pbs_body *body) {
    pbs_world_desc d;
    pbs_world *world = NULL;
    require(pbs_world_desc_init(&d, sizeof d));
    d.threads = threads;
    d.contact = PBS_CONTACT_PROJECTION;
    memset(d.gravity, 0, sizeof d.gravity);
    require(pbs_world_create(&d, &world));
    set_verlet(world, 0.8);
    if (s->shape == TURNED) {
        add_turned(world, s, body);
    } else {
        add_lattice(world, s, body);
    }
    pull(world, *body);
    // The first step prepares everything, and computes the stable step.
    pbs_stats stats = {.struct_size = sizeof stats};
    require(pbs_world_step(world, STEP));
    require(pbs_world_stats(world, &stats));
    set_verlet(world, fmin(1.0, STEP / stats.step.stable_step * (1.0 + 1e-6)));
    require(pbs_world_step(world, STEP));
    return world;
}

// --- measuring ---

/// Least time per step, seconds.
struct pace {
    double wall, cpu;
};

static void keep_best(struct pace *best, double wall, double cpu, uint64_t steps) {
    best->wall = fmin(best->wall, wall / (double)steps);
    best->cpu = fmin(best->cpu, cpu / (double)steps);
}

/// Times `calls` calls of `steps` steps each.
static void measure_round(pbs_world *world, uint32_t calls, uint32_t steps, struct pace *best) {
    pbs_stats stats = {.struct_size = sizeof stats};
    uint64_t taken = 0;
    const double wall = clock_seconds();
    const double cpu = cpu_seconds();
    for (uint32_t i = 0; i < calls; i++) {
        require(pbs_world_step(world, STEP * steps));
        require(pbs_world_stats(world, &stats));
        taken += stats.step.explicit_steps;
    }
    keep_best(best, clock_seconds() - wall, cpu_seconds() - cpu, taken);
}

static size_t count_broken(const pbs_world *world, pbs_body body, size_t bonds) {
    const uint8_t *broken = pbs_body_broken(world, body);
    size_t count = 0;
    for (size_t i = 0; i < bonds && broken != NULL; i++) {
        count += broken[i] != 0;
    }
    return count;
}

/// Returns bytes per second of the triad on arrays of `bytes` bytes in total.
static double triad_speed(double bytes, int32_t threads, int64_t rounds) {
    struct memory memory;
    struct tasks *tasks = NULL;
    struct triad triad;
    double best = INFINITY;
    memory_init(&memory, NULL);
    require(tasks_create(&memory, NULL, threads, &tasks));
    require(triad_create(&memory, (size_t)(bytes / 24.0), &triad));
    triad_run(tasks, &triad);
    for (int64_t i = 0; i < 10 * rounds; i++) {
        const double start = clock_seconds();
        triad_run(tasks, &triad);
        best = fmin(best, clock_seconds() - start);
    }
    const double speed = triad_bytes(&triad) / best;
    triad_free(&memory, &triad);
    tasks_destroy(&memory, tasks);
    return speed;
}

struct paces {
    struct pace single, divided;
};

static struct paces measure(const struct scene *s, int32_t threads, int64_t rounds,
                            const struct pace *lammps) {
    pbs_body body;
    struct paces best = {{INFINITY, INFINITY}, {INFINITY, INFINITY}};
    pbs_world *world = make_world(s, threads, &body);
    const double count = (double)pbs_body_vertex_count(world, body);
    const uint32_t *pairs = NULL;
    size_t bonds = 0;
    require(pbs_body_bonds(world, body, &pairs, &bonds));
    for (int64_t i = 0; i < rounds; i++) {
        pull_again(world, body, s);
        measure_round(world, s->steps, 1, &best.single);
        pull_again(world, body, s);
        measure_round(world, 1, s->steps, &best.divided);
    }
    const double bytes = 16.0 * (double)bonds;
    printf("bench peridynamic case=%s particles=%.0f bonds=%zu threads=%d steps=%lld broken=%zu "
           "single_wall=%.2f single_cpu=%.2f divided_wall=%.2f divided_cpu=%.2f stream=%.1f "
           "triad=%.1f over_lammps=%.2f over_lammps_cpu=%.2f load=%.1f\n",
           s->name, count, bonds, (int)threads, 2LL * (long long)rounds * s->steps,
           count_broken(world, body, bonds), 1e-6 * count / best.single.wall,
           1e-6 * count / best.single.cpu, 1e-6 * count / best.divided.wall,
           1e-6 * count / best.divided.cpu, 1e-9 * bytes / best.divided.wall,
           1e-9 * triad_speed(bytes, threads, rounds), lammps->wall / best.single.wall,
           lammps->cpu / best.single.cpu, load());
    (void)fflush(stdout);
    pbs_world_destroy(world);
    return best;
}

// --- LAMMPS ---

static void write_deck(FILE *deck, const struct scene *s) {
    const double edge = s->side - 0.5;
    (void)fprintf(deck,
                  "units si\nboundary s s s\natom_style peri\natom_modify map array sort 0 0\n"
                  "neighbor 0.00001 bin\nlattice sc %g\n"
                  "region block block 0 %g 0 %g 0 %g\ncreate_box 1 block\ncreate_atoms 1 box\n"
                  "pair_style peri/pmb\npair_coeff * * 1.6863e22 %g 10 0\n"
                  "set group all density %g\nset group all volume %g\n"
                  "variable speed atom 100*(x-0.0066)\nvelocity all set v_speed 0 0 units box\n"
                  "fix moves all nve\ntimestep %g\nrun 0\n",
                  SPACING, edge, edge, edge, HORIZON, DENSITY, pow(SPACING, 3), STEP);
}

/// Reads the loop times from LAMMPS's output.
static void read_loops(FILE *says, struct pace *best) {
    char line[512];
    double seconds = 0.0;
    double use = 0.0;
    uint64_t steps = 0;
    while (fgets(line, sizeof line, says) != NULL) {
        unsigned long long taken = 0;
        if (sscanf(line, "Loop time of %lf on %*d procs for %llu steps", &seconds, &taken) == 2) {
            steps = taken;
        } else if (strstr(line, "CPU use") != NULL && sscanf(line, "%lf%%", &use) == 1 &&
                   steps > 0) {
            keep_best(best, seconds, seconds * use / 100.0, steps);
        }
    }
}

/// Returns false if LAMMPS is not installed.
static bool measure_lammps(const struct scene *s, int64_t rounds, struct pace *best) {
    char name[] = "/tmp/peridynamic_XXXXXX";
    const int file = mkstemp(name);
    FILE *deck = file >= 0 ? fdopen(file, "w") : NULL;
    if (deck == NULL) {
        return false;
    }
    write_deck(deck, s);
    for (int64_t i = 0; i < rounds; i++) {
        (void)fprintf(deck, "run %u\n", (unsigned)s->steps);
    }
    (void)fclose(deck);
    char command[128];
    (void)snprintf(command, sizeof command, "OMP_NUM_THREADS=1 lmp -log none -in %s 2>&1", name);
    *best = (struct pace){INFINITY, INFINITY};
    FILE *says = popen(command, "r");
    if (says != NULL) {
        read_loops(says, best);
        (void)pclose(says);
    }
    (void)remove(name);
    return best->wall < INFINITY;
}

static void compare(const struct scene *s, int64_t rounds, int32_t threads) {
    struct pace lammps = {0.0, 0.0};
    if (s->has_peer && measure_lammps(s, rounds < 3 ? rounds : 3, &lammps)) {
        const double count = pow(s->side, 3);
        printf("bench peridynamic_lammps case=%s particles=%.0f wall=%.2f cpu=%.2f load=%.1f\n",
               s->name, count, 1e-6 * count / lammps.wall, 1e-6 * count / lammps.cpu, load());
        (void)fflush(stdout);
    } else {
        lammps = (struct pace){0.0, 0.0};
    }
    const struct paces one = measure(s, 1, rounds, &lammps);
    if (threads > 1) {
        const struct paces more = measure(s, threads, rounds, &lammps);
        printf("bench peridynamic_threads case=%s threads=%d single=%.2f divided=%.2f\n", s->name,
               (int)threads, one.single.wall / more.single.wall,
               one.divided.wall / more.divided.wall);
    }
}

int main(int argc, char **argv) {
    const char *name = NULL;
    int64_t rounds = 5;
    int64_t threads = 2;
    const struct command_option options[] = {
        {"case", COMMAND_TEXT, &name, "NAME", "one case alone, of those in the first lines"},
        {"rounds", COMMAND_COUNT, &rounds, "N", "of which the best counts"},
        {"threads", COMMAND_COUNT, &threads, "N", "beside one"},
    };
    int exit_status = 0;
    if (!command_line_or_exit(argc, argv, "Explicit steps of peridynamic bodies.", options,
                              sizeof options / sizeof *options, &exit_status)) {
        return exit_status;
    }
    for (size_t i = 0; i < SCENES; i++) {
        if (name == NULL || strcmp(name, scenes[i].name) == 0) {
            compare(&scenes[i], rounds, (int32_t)threads);
        }
    }
    return 0;
}
