// See play.h.
// SPDX-License-Identifier: MIT

#include "common/assembly/play.h"

#include <math.h>
#include <stdio.h>

#include "common/program/interrupt.h"

const double PLAY_FRAME = 1.0 / 60.0;

void play_options(struct play *play, struct command_option options[PLAY_OPTIONS]) {
    const struct command_option common[PLAY_OPTIONS] = {
        {"frames", COMMAND_COUNT, &play->frames, "N", "60 a second"},
        {"steps", COMMAND_COUNT, &play->steps, "N", "per frame"},
        {"threads", COMMAND_COUNT, &play->threads, "N", "threads; 0 is one per processor"},
        {"out", COMMAND_TEXT, &play->out, "DIR", "where the pictures go"},
        {"name", COMMAND_TEXT, &play->name, "NAME", "first part of the files' names"},
    };
    for (int i = 0; i < PLAY_OPTIONS; i++) {
        options[i] = common[i];
    }
}

static void count_step(struct assembly *a, pbs_status status, struct play_tally *tally) {
    pbs_stats stats = {.struct_size = sizeof stats};
    assembly_check(a, pbs_world_stats(a->world, &stats));
    const uint32_t iterations = stats.newton.iterations;
    tally->steps++;
    tally->divided += stats.step.divisions > 0;
    tally->unconverged += status == PBS_NOT_CONVERGED;
    tally->iterations += iterations;
    tally->most_iterations = iterations > tally->most_iterations ? iterations
                                                                 : tally->most_iterations;
    tally->seconds += stats.time.total;
    tally->longest = fmax(tally->longest, stats.time.total);
    const double gap = assembly_gap(a);
    tally->gap = fmax(tally->gap, gap);
    tally->overlaps += assembly_overlaps(a);
    printf("step %4lld  %7.2f ms  newton %3u  contacts %4u  gap %.1e m%s%s\n",
           (long long)tally->steps, 1e3 * stats.time.total, iterations, stats.contact.active, gap,
           stats.step.divisions > 0 ? "  divided" : "",
           status == PBS_NOT_CONVERGED ? "  not converged" : "");
    if (status != PBS_OK) {
        printf("           %s\n", pbs_last_error());
    }
}

static bool take_step(const struct play *play, struct assembly *a, play_fn after, void *user,
                      struct play_tally *tally) {
    const pbs_status status = pbs_world_step(a->world, PLAY_FRAME / (double)play->steps);
    if (assembly_check(a, status)) {
        count_step(a, status, tally);
        after(user, a, tally->steps);
    }
    return !a->failed;
}

static bool play_frames(const struct play *play, struct assembly *a, struct recording *recording,
                        play_fn after, void *user, struct play_tally *tally) {
    struct message why = {{0}};
    after(user, a, 0);
    assembly_require(a, stage_add_frame(&a->stage, a->world, recording, &why), why.text);
    interrupt_catch();
    for (int64_t frame = 0; frame < play->frames && !a->failed && !interrupt_was_requested();
         frame++) {
        for (int64_t i = 0; i < play->steps && take_step(play, a, after, user, tally); i++) {
        }
        assembly_require(a, stage_add_frame(&a->stage, a->world, recording, &why), why.text);
    }
    return !a->failed;
}

bool play_run(const struct play *play, struct assembly *a, play_fn after, void *user,
              struct play_tally *tally) {
    struct message why = {{0}};
    *tally = (struct play_tally){0};
    struct recording *recording = a->failed
                                      ? NULL
                                      : stage_record(&a->stage, play->name, 1.0 / PLAY_FRAME, &why);
    if (assembly_require(a, recording != NULL, why.text) &&
        assembly_require(a, play->steps > 0, "--steps must be positive")) {
        play_frames(play, a, recording, after, user, tally);
        assembly_require(a, recording_write(recording, play->out, play->name, &why), why.text);
    }
    recording_destroy(recording);
    return !a->failed;
}

void play_print(const struct play *play, const struct play_tally *tally) {
    const double steps = fmax(1.0, (double)tally->steps);
    printf("newton_mean %.2f\nnewton_most %u\nms_mean %.2f\nms_most %.2f\n",
           (double)tally->iterations / steps, tally->most_iterations, 1e3 * tally->seconds / steps,
           1e3 * tally->longest);
    printf("divided %lld\nunconverged %lld\n", (long long)tally->divided,
           (long long)tally->unconverged);
    printf("largest_gap %.3e\noverlaps %zu\n", tally->gap, tally->overlaps);
    printf("wrote %s/%s.html, .png, _sheet.png, .glb and _energy.csv\n", play->out, play->name);
}
