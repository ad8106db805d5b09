// Statistics of the last step, totals, and the size of the scene.
// SPDX-License-Identifier: MIT
#include "world/bodies/affine_strain.h"
#include "world/interface/settings.h"
#include "world/world.h"
#include "world/objects/body_table.h"

static void write_affine_strain(const struct scene *scene, pbs_stats *stats) {
    const struct body *worst = NULL;
    stats->scene.affine_strain = affine_strain_largest(scene, &worst);
    if (worst != NULL) {
        stats->scene.affine_strain_body.id = handle_id(&scene->bodies, worst->slot, HANDLE_BODY,
                                                       scene->stamp);
    }
}

pbs_status pbs_world_stats(const pbs_world *w, pbs_stats *out) {
    RETURN_IF_FAILED(world_enter(w));
    pbs_stats stats = w->stats;
    const struct counters *counters = &w->scene.counters;
    stats.total.steps = counters->step_count;
    stats.total.failed_steps = counters->failed_step_count;
    stats.total.newton_iterations = counters->newton_total;
    stats.total.linear_iterations = counters->linear_total;
    const struct memory of_queries = query_index_memory(w->query);
    stats.memory.allocator_calls = w->memory.call_count + of_queries.call_count;
    stats.memory.bytes_in_use = w->memory.bytes_in_use + of_queries.bytes_in_use;
    stats.step_control.next = w->scene.step_memory.next;
    stats.scene.nodes = w->scene.nodes.count - w->scene.nodes.vacant;
    for (size_t i = 0; i < w->scene.bodies.count; i++) {
        const struct body *body = scene_body(&w->scene, i);
        stats.scene.elements += body->table->count_elements != NULL
                                    ? body->table->count_elements(body)
                                    : 0;
    }
    write_affine_strain(&w->scene, &stats);
    if (w->solver.is_current) {
        stats.scene.blocks = w->solver.model.assembly.pattern.block_count;
    }
    return results_write(&settings_stats, &stats, out);
}
