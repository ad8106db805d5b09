// Broad phase of surfaces against themselves (boxes, refit, pairs), at motions of 0.1, 0.5 and 2
// mean edge lengths: bench broad_phase key=value ... Times are the least of the rounds. ns_per_box
// is the time from boxes to lists divided by the number of points, edges and triangles. The last
// line is the search for all exact intersections of the surface at rest, including the construction
// of a tree.
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>

#include "base/runtime/clock.h"
#include "common/meshes/shapes.h"
#include "common/program/command_line.h"
#include "geometry/exact/intersection.h"
#include "scenes/contact/surface_pairs.h"

struct settings {
    const char *mesh;
    size_t rounds;
};

struct times {
    double build, bound, refit, find;
};

static void must(pbs_status status) {
    if (status < 0) {
        fprintf(stderr, "%s\n", pbs_last_error());
        exit(1);
    }
}

static double lesser(double a, double b) {
    return a < b ? a : b;
}

static double since(double *start) {
    const double now = clock_seconds();
    const double passed = now - *start;
    *start = now;
    return passed;
}

static struct times measure(struct memory *memory, struct tasks *tasks,
                            const struct moving_surface *surface, size_t rounds,
                            struct surface_pairs *pairs) {
    struct times least = {1e9, 1e9, 1e9, 1e9};
    const double inflation = 0.005 * surface->mean_edge;
    for (size_t round = 0; round < rounds; round++) {
        double clock = clock_seconds();
        must(surface_pairs_bound(memory, tasks, surface, inflation, pairs));
        least.bound = lesser(least.bound, since(&clock));
        if (round < 3) {
            must(surface_pairs_build(memory, tasks, pairs));
            least.build = lesser(least.build, since(&clock));
        }
        surface_pairs_refit(tasks, pairs);
        least.refit = lesser(least.refit, since(&clock));
        must(surface_pairs_find(memory, tasks, pairs));
        least.find = lesser(least.find, since(&clock));
    }
    return least;
}

static void compare(struct moving_surface *surface, size_t rounds, int32_t threads) {
    static const double motions[] = {0.1, 0.5, 2.0};
    struct memory memory;
    struct tasks *tasks;
    memory_init(&memory, NULL);
    must(tasks_create(&memory, NULL, threads, &tasks));
    struct surface_pairs pairs = {0};
    const size_t boxes = surface->point_count + surface->edge_count + surface->triangle_count;
    for (size_t m = 0; m < sizeof motions / sizeof *motions; m++) {
        moving_surface_shake(surface, motions[m], 1);
        const struct times t = measure(&memory, tasks, surface, rounds, &pairs);
        const size_t found = pairs.edge_edge.count + pairs.point_triangle.count;
        const double all = t.bound + t.refit + t.find;
        printf("bench broad_phase motion=%.1f threads=%d edge_edge=%zu point_triangle=%zu "
               "build_ms=%.3f boxes_ms=%.3f refit_ms=%.3f find_ms=%.3f ns_per_box=%.1f "
               "million_pairs_per_second=%.1f\n",
               motions[m], threads, pairs.edge_edge.count, pairs.point_triangle.count,
               1e3 * t.build, 1e3 * t.bound, 1e3 * t.refit, 1e3 * t.find, 1e9 * all / (double)boxes,
               1e-6 * (double)found / all);
        fflush(stdout);
    }
    surface_pairs_free(&memory, &pairs);
    tasks_destroy(&memory, tasks);
}

static void search(const struct moving_surface *surface, size_t rounds) {
    const struct edges_and_triangles view = {.point_count = surface->point_count,
                                             .x = surface->x,
                                             .edge_count = surface->edge_count,
                                             .edges = surface->edges,
                                             .triangle_count = surface->triangle_count,
                                             .triangles = surface->triangles};
    struct memory memory;
    struct intersection_search found = {0};
    memory_init(&memory, NULL);
    double least = 1e9;
    for (size_t round = 0; round < rounds; round++) {
        double clock = clock_seconds();
        must(intersection_search(&memory, NULL, &view, &found));
        least = lesser(least, since(&clock));
    }
    printf("bench broad_phase intersections=%zu search_ms=%.3f\n", found.found.count, 1e3 * least);
    intersection_search_free(&memory, &found);
}

int main(int argc, char **argv) {
    struct settings s = {.mesh = "../shared/data/meshes/armadillo_55k.msh", .rounds = 20};
    const struct command_option options[] = {
        {"mesh", COMMAND_TEXT, &s.mesh, "FILE", "surface, or tetrahedra whose surface it is"},
        {"rounds", COMMAND_COUNT, &s.rounds, "N", "rounds, of which the least time counts"},
    };
    int status = 0;
    if (!command_line_or_exit(argc, argv, "measures the broad phase", options,
                              sizeof options / sizeof *options, &status)) {
        return status;
    }
    struct moving_surface surface;
    if (!moving_surface_read(s.mesh, &surface)) {
        struct surface_mesh ball;
        printf("bench broad_phase mesh=%s present=0\n", s.mesh);
        if (!surface_ball(1.0, 132, &ball)) {
            return 1;
        }
        moving_surface_make(&ball, &surface);
        surface_mesh_free(&ball);
    }
    printf("bench broad_phase points=%zu edges=%zu triangles=%zu mean_edge=%g\n",
           surface.point_count, surface.edge_count, surface.triangle_count, surface.mean_edge);
    for (int32_t threads = 1; threads <= 2; threads++) {
        compare(&surface, s.rounds, threads);
    }
    search(&surface, s.rounds);
    moving_surface_free(&surface);
    return 0;
}
