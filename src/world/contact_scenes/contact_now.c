// See contact_now.h. Contact whose forces are a term's of explicit steps is not counted here.
#include "world/contact_scenes/contact_now.h"

#include "world/contact_scenes/contact_scene.h"
#include "world/contact_scenes/penetration_scene.h"

static pbs_status evaluate_barriers(const struct scene *scene, struct memory *memory,
                                    double *gradient, struct contact_energy *out) {
    struct barrier_contact contact = {.memory = memory};
    RETURN_IF_FAILED(contact_scene_build(scene, memory, &contact));
    pbs_status status = contact_scene_place(scene, memory, &contact);
    if (status >= 0) {
        status = barrier_contact_evaluate(&contact, NULL, scene->nodes.x, false, gradient, out);
    }
    barrier_contact_free(&contact);
    return status;
}

static pbs_status evaluate_penetration(const struct scene *scene, struct memory *memory,
                                       double *gradient, struct contact_energy *out) {
    struct penetration penetration = {.memory = memory};
    RETURN_IF_FAILED(penetration_scene_build(scene, memory, &penetration));
    const pbs_status status = penetration_table.evaluate(&penetration, NULL, scene->nodes.x, false,
                                                         gradient, out);
    penetration_free(&penetration);
    return status;
}

pbs_status contact_now_evaluate(const struct scene *scene, struct memory *memory, double *gradient,
                                struct contact_energy *out) {
    *out = (struct contact_energy){0.0, 0.0};
    if (scene->nodes.count == 0) {
        return PBS_OK;
    }
    if (contact_scene_has_barrier(scene)) {
        return evaluate_barriers(scene, memory, gradient, out);
    }
    return penetration_scene_is(scene) ? evaluate_penetration(scene, memory, gradient, out)
                                       : PBS_OK;
}
