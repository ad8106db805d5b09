// Different worlds are independent. When they are created, stepped, saved and destroyed on
// different threads at the same time, each gives the same bits as alone, and each thread has its
// own last message.
// SPDX-License-Identifier: MIT
#include <pthread.h>

#include "support/world_testing.h"

enum { STEPS = 20 };

struct job {
    int index;
    int32_t threads;
    uint64_t hash;
    pbs_status status;
    bool has_own_message;
};

static void *run_world(void *argument) {
    struct job *job = argument;
    pbs_world_desc d;
    scene_settings(&d);
    d.threads = job->threads;
    pbs_world *world = NULL;
    job->status = pbs_world_create(&d, &world);
    if (job->status < 0) {
        return NULL;
    }
    job->status = scene_fill(world, job->index);
    for (int i = 0; i < STEPS && job->status >= 0; i++) {
        job->status = scene_step(world, 1);
        // A refusal whose message names this thread's own value.
        char expected[32];
        snprintf(expected, sizeof expected, "-%d", job->index + 1);
        pbs_world_step(world, -(job->index + 1));
        job->has_own_message = strstr(pbs_last_error(), expected) != NULL;
        size_t size = 0;
        pbs_world_save(world, NULL, &size);
    }
    job->hash = pbs_world_hash(world);
    pbs_world_destroy(world);
    return NULL;
}

static void worlds_on_different_threads_do_not_meet(void **state) {
    (void)state;
    uint64_t alone[SCENE_COUNT];
    for (int i = 0; i < SCENE_COUNT; i++) {
        struct job job = {.index = i, .threads = 1};
        run_world(&job);
        assert_status(job.status, PBS_OK);
        alone[i] = job.hash;
    }
    struct job jobs[SCENE_COUNT];
    pthread_t threads[SCENE_COUNT];
    for (int i = 0; i < SCENE_COUNT; i++) {
        jobs[i] = (struct job){.index = i, .threads = 1 + i % 2};
        assert_int_equal(pthread_create(&threads[i], NULL, run_world, &jobs[i]), 0);
    }
    for (int i = 0; i < SCENE_COUNT; i++) {
        pthread_join(threads[i], NULL);
        assert_status(jobs[i].status, PBS_OK);
        assert_true(jobs[i].hash == alone[i]);
        assert_true(jobs[i].has_own_message);
    }
}

/// Reading calls change nothing, so several threads may read one world while none steps it.
static void *read_world(void *argument) {
    const pbs_world *world = argument;
    for (int i = 0; i < 50; i++) {
        pbs_energy energy = {.struct_size = sizeof energy};
        pbs_stats stats = {.struct_size = sizeof stats};
        float buffer[3 * 125];
        size_t size = 0;
        const pbs_body body = pbs_world_body_at(world, 0);
        if (pbs_world_energy(world, &energy) < 0 || pbs_world_stats(world, &stats) < 0 ||
            pbs_world_save(world, NULL, &size) < 0 || pbs_world_hash(world) == 0 ||
            pbs_body_read_f32(world, body, PBS_CHANNEL_NORMAL, buffer, 12, 125) < 0) {
            return NULL;
        }
    }
    return argument;
}

static void one_world_may_be_read_by_several_threads(void **state) {
    (void)state;
    pbs_world_desc d;
    scene_settings(&d);
    d.threads = 2;
    pbs_world *world = new_world_from(&d);
    assert_ok(scene_fill(world, 0));
    // Once before the first step, where energies need their terms made for the moment, and once
    // after.
    for (int round = 0; round < 2; round++) {
        pthread_t threads[2];
        for (int i = 0; i < 2; i++) {
            assert_int_equal(pthread_create(&threads[i], NULL, read_world, world), 0);
        }
        for (int i = 0; i < 2; i++) {
            void *result = NULL;
            pthread_join(threads[i], &result);
            assert_non_null(result);
        }
        assert_ok(scene_step(world, 2));
    }
    pbs_world_destroy(world);
}

enum { QUERIES = 400 };

struct asker {
    const pbs_world *world;
    double distances[2 * QUERIES];
};

static void *ask(void *argument) {
    struct asker *asker = argument;
    pbs_ray_desc ray;
    pbs_closest_desc near;
    pbs_surface_point out = {.struct_size = sizeof out};
    pbs_ray_desc_init(&ray, sizeof ray);
    pbs_closest_desc_init(&near, sizeof near);
    for (int i = 0; i < QUERIES; i++) {
        ray.origin[0] = near.point[0] = 0.005 * (i - QUERIES / 2);
        ray.origin[1] = near.point[1] = 2.0;
        asker->distances[2 * i] = pbs_world_ray(asker->world, &ray, &out) < 0 ? NAN : out.distance;
        asker->distances[2 * i + 1] = pbs_world_closest(asker->world, &near, &out) < 0
                                          ? NAN
                                          : out.distance;
    }
    return NULL;
}

/// The first query after a step too, on whatever thread it is made.
static void one_world_may_be_asked_by_several_threads(void **state) {
    (void)state;
    pbs_world_desc d;
    scene_settings(&d);
    d.threads = 2;
    pbs_world *world = new_world_from(&d);
    assert_ok(scene_fill(world, 0));
    for (int round = 0; round < 3; round++) {
        static struct asker askers[3];
        pthread_t threads[3];
        for (int i = 0; i < 3; i++) {
            askers[i].world = world;
            assert_int_equal(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
        }
        for (int i = 0; i < 3; i++) {
            pthread_join(threads[i], NULL);
        }
        for (int i = 0; i < 2 * QUERIES; i++) {
            assert_true(askers[0].distances[i] > 0.0);
            assert_true(askers[1].distances[i] == askers[0].distances[i]);
            assert_true(askers[2].distances[i] == askers[0].distances[i]);
        }
        assert_ok(scene_step(world, 2));
    }
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_on_different_threads_do_not_meet),
        cmocka_unit_test(one_world_may_be_read_by_several_threads),
        cmocka_unit_test(one_world_may_be_asked_by_several_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
