// Reproduces the table of OPT's figure 11 (Gast and Schroeder 2014) row by row, and prints the
// paper's values.
//     bench opt-table row=6 size=full method=newton steps_per_frame=5 frames=48 unknowns=7869
//     opt_unknowns=7900 solves_per_step=.. opt_solves_per_step=2.1 seconds_per_frame=..
//     opt_seconds_per_frame=1.13 deepest=.. least_distance=.. inverted=.. edge_strain=..
//     ok=1 [reason="..."]
// The paper's times are for one thread of a Xeon at 3.1 to 3.5 GHz. opt_cubes runs figures 8 and 9.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/program/command_line.h"
#include "scenes/opt/opt_figures.h"

static void print(const struct opt_scene *scene, bool ok, const char *reason) {
    const struct opt_measures *m = &scene->measures;
    const struct opt_published *p = &scene->row->published;
    const double frames = (double)m->steps / scene->steps_per_frame;
    printf("bench opt-table row=%s size=%s method=%s steps_per_frame=%d frames=%.3g unknowns=%zu "
           "opt_unknowns=%g solves_per_step=%.2f opt_solves_per_step=%g seconds_per_frame=%.3g "
           "opt_seconds_per_frame=%g deepest=%.3g least_distance=%.2e inverted=%zu "
           "most_inverted=%zu edge_strain=%.3g status=%s ok=%d%s%s%s\n",
           scene->row->name, scene->options.full ? "full" : "test",
           scene->options.method == PBS_METHOD_PLAIN_NEWTON ? "plain" : "stabilised",
           scene->steps_per_frame, frames, scene->unknowns, p->unknowns,
           m->steps > 0 ? (double)m->solves / m->steps : 0.0, p->solves_per_step,
           frames > 0.0 ? m->seconds / frames : 0.0, p->seconds_per_frame, m->deepest,
           m->least_distance, m->inverted, m->most_inverted, m->edge_strain,
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

static int usage(void) {
    fprintf(stderr,
            "opt_table [--row N] [--full] [--meshes FOLDER] [--plain] [--steps N] [--frames N] "
            "[--seconds S] [--threads N] [--without-self] [--penalty] [--post-step] "
            "[--progress]\n");
    return 2;
}

int main(int argc, char **argv) {
    struct opt_options options;
    const struct opt_row *only = NULL;
    opt_options_init(&options);
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--full") == 0) {
            options.full = true;
        } else if (strcmp(argv[i], "--plain") == 0) {
            options.method = PBS_METHOD_PLAIN_NEWTON;
        } else if (strcmp(argv[i], "--without-self") == 0) {
            options.without_self = true;
        } else if (strcmp(argv[i], "--penalty") == 0) {
            options.penalty = true;
        } else if (strcmp(argv[i], "--progress") == 0) {
            options.progress = true;
        } else if (strcmp(argv[i], "--post-step") == 0) {
            options.post_step = true;
        } else if (next == NULL) {
            return usage();
        } else if (strcmp(argv[i], "--row") == 0) {
            if (!opt_find(argv[++i], &only)) {
                fprintf(stderr, "no row %s\n", argv[i]);
                return 2;
            }
        } else if (strcmp(argv[i], "--meshes") == 0) {
            options.meshes = argv[++i];
        } else if (strcmp(argv[i], "--steps") == 0) {
            options.steps_per_frame = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--frames") == 0) {
            options.frames = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--seconds") == 0) {
            options.seconds = atof(argv[++i]);
        } else if (strcmp(argv[i], "--threads") == 0) {
            options.threads = atoi(argv[++i]);
        } else {
            return usage();
        }
    }
    bool ok = true;
    for (size_t i = 0; i < opt_row_count; i++) {
        if (only == NULL || only == &opt_rows[i]) {
            ok = run(&opt_rows[i], &options) && ok;
        }
    }
    return ok ? 0 : 1;
}
