// Reproduces the table of OPT's figure 11 (Gast and Schroeder 2014) row by row, and prints the
// paper's values.
//     bench opt-table row=6 size=full method=newton steps_per_frame=5 frames=48 unknowns=7869
//     opt_unknowns=7900 solves_per_step=.. opt_solves_per_step=2.1 seconds_per_frame=..
//     opt_seconds_per_frame=1.13 deepest=.. deepest_in_collider=.. least_distance=.. inverted=..
//     most_inverted=.. edge_strain=.. kinetic=.. status=.. ok=1 [reason="..."]
// The paper's times are for one thread of a Xeon at 3.1 to 3.5 GHz. opt_cubes runs figures 8 and 9.
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "common/program/command_line.h"
#include "scenes/opt/opt_figures.h"

static void print(const struct opt_scene *scene, bool ok, const char *reason) {
    const struct opt_measures *m = &scene->measures;
    const struct opt_published *p = &scene->row->published;
    const double frames = (double)m->steps / scene->steps_per_frame;
    printf("bench opt-table row=%s size=%s method=%s steps_per_frame=%d frames=%.3g unknowns=%zu "
           "opt_unknowns=%g solves_per_step=%.2f opt_solves_per_step=%g seconds_per_frame=%.3g "
           "opt_seconds_per_frame=%g deepest=%.3g deepest_in_collider=%.3g least_distance=%.2e "
           "inverted=%zu most_inverted=%zu edge_strain=%.3g kinetic=%.3g status=%s ok=%d%s%s%s\n",
           scene->row->name, scene->options.full ? "full" : "test",
           scene->options.method == PBS_METHOD_PLAIN_NEWTON ? "plain" : "stabilised",
           scene->steps_per_frame, frames, scene->unknowns, p->unknowns,
           m->steps > 0 ? (double)m->solves / m->steps : 0.0, p->solves_per_step,
           frames > 0.0 ? m->seconds / frames : 0.0, p->seconds_per_frame, m->deepest,
           m->deepest_in_collider, m->least_distance, m->inverted, m->most_inverted, m->edge_strain,
           m->most_kinetic > 0.0 ? m->kinetic / m->most_kinetic : 0.0,
           pbs_status_name(scene->status), ok, ok ? "" : " reason=\"", ok ? "" : reason,
           ok ? "" : "\"");
    fflush(stdout);
}

static bool run(const struct opt_row *row, const struct opt_options *options) {
    struct opt_scene scene;
    const char *reason = "the scene was not made";
    bool ok = false;
    if (opt_create(row, options, &scene) >= 0) {
        opt_run(&scene);
        if (scene.status < 0) {
            fprintf(stderr, "%s: %s\n", row->name, pbs_last_error());
        }
        ok = row->judge(&scene, &reason);
    }
    print(&scene, ok, reason);
    opt_free(&scene);
    return ok;
}

int main(int argc, char **argv) {
    struct opt_options options;
    const struct opt_row *only = NULL;
    const char *row = "";
    bool plain = false;
    int64_t steps = 0, frames = 0, threads = 1;
    opt_options_init(&options);
    const struct command_option known[] = {
        {"row", COMMAND_TEXT, &row, "NAME", "this figure alone"},
        {"full", COMMAND_FLAG, &options.full, NULL, "the paper's size instead of the tests'"},
        {"meshes", COMMAND_TEXT, &options.meshes, "FOLDER", "of the armadillo; else a torus"},
        {"plain", COMMAND_FLAG, &plain, NULL, "plain Newton, which fails where OPT does not"},
        {"steps", COMMAND_COUNT, &steps, "N", "steps a frame; 0: the figure's"},
        {"frames", COMMAND_COUNT, &frames, "N", "of 1/24 s; 0: the figure's"},
        {"seconds", COMMAND_NUMBER, &options.seconds, "S", "no frame starts later; 0: no limit"},
        {"threads", COMMAND_COUNT, &threads, "N", "0: all"},
        {"without-self", COMMAND_FLAG, &options.without_self, NULL, "no contact between bodies"},
        {"penalty", COMMAND_FLAG, &options.penalty, NULL,
         "obstacles are penalties, not constraints"},
        {"post-step", COMMAND_FLAG, &options.post_step, NULL, "vertices are moved out after steps"},
        {"progress", COMMAND_FLAG, &options.progress, NULL,
         "a line on standard error for each frame"},
        {"checkpoint", COMMAND_TEXT, &options.checkpoint, "FILE",
         "of one figure: continue here, write here"},
    };
    int status = 0;
    if (!command_line_or_exit(argc, argv, "The figures that OPT's table has, beside its values.",
                              known, sizeof known / sizeof *known, &status)) {
        return status;
    }
    if (row[0] != 0 && !opt_find(row, &only)) {
        fprintf(stderr, "no row %s\n", row);
        return 2;
    }
    options.method = plain ? PBS_METHOD_PLAIN_NEWTON : options.method;
    options.steps_per_frame = (int)steps;
    options.frames = (int)frames;
    options.threads = (int32_t)threads;
    bool ok = true;
    for (size_t i = 0; i < opt_row_count; i++) {
        if (only == NULL || only == &opt_rows[i]) {
            ok = run(&opt_rows[i], &options) && ok;
        }
    }
    return ok ? 0 : 1;
}
