// Whole steps from simulations of other programs, with broad phase and step bound. The step is
// never beyond the earliest impact of all pairs, which is known from exact queries of the same
// step, and not much before it. It leaves the surface without an intersection.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "geometry/exact/intersection.h"
#include "scenes/contact/collision_frames.h"
#include "scenes/contact/collision_queries.h"
#include "support/testing.h"

static struct memory memory;

static void find_intersections(const struct moving_surface *s, double t,
                               struct intersection_search *search) {
    double *x = calloc(s->point_count, 3 * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < 3 * s->point_count; i++) {
        x[i] = s->x[i] + t * s->step[i];
    }
    const struct edges_and_triangles surface = {.point_count = s->point_count,
                                                .x = x,
                                                .edge_count = s->edge_count,
                                                .edges = s->edges,
                                                .triangle_count = s->triangle_count,
                                                .triangles = s->triangles};
    assert_ok(intersection_search(&memory, NULL, &surface, search));
    free(x);
}

// Two of the surfaces intersect from the start. The same pairs must intersect after the step, since
// nothing has passed through anything.
static size_t check_intersections(const struct moving_surface *s, double t) {
    struct intersection_search before = {0}, after = {0};
    find_intersections(s, 0.0, &before);
    find_intersections(s, t, &after);
    const size_t count = before.found.count;
    assert_int_equal(count, after.found.count);
    if (count > 0) {
        assert_memory_equal(before.found.pairs, after.found.pairs,
                            count * sizeof *before.found.pairs);
    }
    intersection_search_free(&memory, &before);
    intersection_search_free(&memory, &after);
    return count;
}

// The earliest impact of the step, among the exact queries.
static bool earliest_impact(const char *folder, const char *name, double *out) {
    char path[1024];
    struct message message;
    struct collision_queries queries;
    snprintf(path, sizeof path, "%s/sim_%s.txt", folder, name);
    if (!collision_queries_read(path, &queries, &message)) {
        return false;
    }
    *out = (double)INFINITY;
    for (size_t i = 0; i < queries.count; i++) {
        if (queries.query[i].hit) {
            *out = fmin(*out, queries.query[i].toi);
        }
    }
    collision_queries_free(&queries);
    return true;
}

static void whole_steps(void **state) {
    (void)state;
    const char *shared = getenv("PBS_SHARED_DATA");
    char folder[512], frames[600];
    snprintf(folder, sizeof folder, "%s/ccd", shared != NULL ? shared : "../shared/data");
    snprintf(frames, sizeof frames, "%s/frames", folder);
    memory_init(&memory, NULL);
    for (int i = 0; i < (testing_is_small() ? 1 : COLLISION_FRAMES); i++) {
        const char *name = collision_frame_names[i];
        struct moving_surface surface;
        struct message message = {"the queries of the step are not here"};
        double impact = 0.0;
        if (!earliest_impact(folder, name, &impact) ||
            !collision_frame_read(frames, name, &surface, &message)) {
            printf("skipped: %s: %s (PBS_SHARED_DATA names the folder above ccd)\n", name,
                   message.text);
            skip();
        }
        const struct collision_step step = collision_frame_bound(&memory, &surface);
        printf("%s: %zu points, %zu pairs, %llu distances, step %.6g, earliest impact %.6g, ratio "
               "%.3f\n",
               name, surface.point_count, step.pairs, (unsigned long long)step.statistics.distances,
               step.time, impact, step.time / impact);
        assert_true(step.time < impact);
        assert_true(step.time > 0.5 * impact);
        printf("%s: %zu intersections before and after\n", name,
               check_intersections(&surface, step.time));
        moving_surface_free(&surface);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
