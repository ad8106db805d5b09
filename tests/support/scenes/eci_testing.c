// See eci_testing.h.
// SPDX-License-Identifier: MIT
#include "support/scenes/eci_testing.h"

#include "scenes/eci/eci_contact_check.h"

struct eci_contact eci_create(enum eci_contact_kind kind, int32_t scheme, double step) {
    static char meshes[512];
    const char *shared = getenv("PBS_SHARED_DATA");
    snprintf(meshes, sizeof meshes, "%s/meshes", shared != NULL ? shared : "../shared/data");
    struct eci_contact_options options;
    eci_contact_options_init(&options);
    options.meshes = meshes;
    options.scheme = scheme;
    options.step = step;
    options.world.threads = 1;
    if (kind == ECI_DICE) {
        // Momentum is kept as well as Newton's iterations end: this well, it can be measured.
        options.world.velocity_tolerance = 0.0;
        options.world.relative_tolerance = 1e-8;
    }
    struct eci_contact scene;
    assert_ok(eci_contact_create(kind, &options, &scene));
    if (scene.generated) {
        print_message("no meshes in ../shared/data (PBS_SHARED_DATA names the folder): other "
                      "shapes, whose numbers are not those of the reference\n");
    }
    return scene;
}

// --- no intersection ---

static void assert_nothing_meets(const struct eci_contact *scene) {
    struct surface_check check;
    size_t count = 0;
    surface_check_init(&check);
    assert_ok(eci_contact_check(scene, &check, &count));
    assert_int_equal(count, 0);
    surface_check_free(&check);
}

// --- energy ---

/// How far the target begins below the energy, J.
static double head_start(const struct eci_contact *scene) {
    // The library's energy is zero at the start, but for what moves there: no scene that begins
    // above its target has anything that does.
    return (scene->integrator.energy_control.fraction - 1.0) *
           scene->integrator.energy_control.ground;
}

void assert_on_target(const struct eci_contact *scene, const pbs_stats *stats, double scale,
                      struct eci_progress *progress) {
    const double above = stats->energy_control.reached - stats->energy_control.target;
    const double alpha = stats->energy_control.alpha_high;
    const bool is_free = alpha > 0.0 && alpha < 1.1 && (alpha < 1.0 || alpha > 1.0);
    const bool touches = stats->contact.active > 0;
    progress->arrived = progress->arrived || above <= 1e-3 * scale;
    if (!progress->arrived) {
        assert_small(above, head_start(scene) + 1e-3 * scale, "energy above its target, J");
        return;
    }
    assert_small(above, 1e-3 * scale, "energy above its target, J");
    if (is_free && !touches) {
        assert_near(above, 0.0, 1e-4 * scale, "energy beside its target, J");
    }
    if (!progress->touched) {
        assert_small(-above, 1e-3 * scale, "lost in the fall, J");
        return;
    }
    const bool low = above < -0.02 * scale;
    progress->low_steps = !touches && low ? progress->low_steps + 1 : 0;
    progress->low_contacts = touches && low ? progress->low_contacts + 1 : 0;
    assert_true(scene->generated || progress->low_steps <= 1);
}

pbs_stats eci_advance(struct eci_contact *scene, struct eci_progress *progress) {
    assert_ok(eci_contact_step(scene));
    const pbs_stats stats = stats_of(scene->world);
    assert_true(stats.contact.least_gap > 0.0);
    progress->newton += stats.newton.iterations;
    progress->least_gap = fmin(progress->least_gap, stats.contact.least_gap);
    progress->touched = progress->touched || stats.contact.active > 0;
    progress->step++;
    assert_nothing_meets(scene);
    return stats;
}

struct eci_progress eci_begin(void) {
    return (struct eci_progress){.least_gap = INFINITY};
}

int eci_step_count(const struct eci_contact *scene) {
    return (int)round(scene->duration / scene->step);
}

void eci_tell(const struct eci_contact *scene, enum eci_contact_kind kind,
              const struct eci_progress *p) {
    print_message("%s: %.1f Newton iterations a step, least gap %.3f of the contact distance\n",
                  eci_contact_name(kind), (double)p->newton / p->step,
                  p->least_gap / scene->contact_distance);
}
