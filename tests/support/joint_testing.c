// SPDX-License-Identifier: MIT
#include "support/joint_testing.h"

pbs_point in_space(double x, double y, double z) {
    return (pbs_point){.struct_size = sizeof(pbs_point), .place = {x, y, z}};
}

pbs_point on_body(pbs_body body, double x, double y, double z) {
    return (pbs_point){.struct_size = sizeof(pbs_point),
                       .kind = PBS_POINT_LOCAL,
                       .body = body,
                       .place = {x, y, z}};
}

pbs_point at_vertex(pbs_body body, uint32_t vertex) {
    return (pbs_point){
        .struct_size = sizeof(pbs_point), .kind = PBS_POINT_VERTEX, .body = body, .index = vertex};
}

pbs_body add_box(pbs_world *world, const double sides[3], double mass, const double at[3],
                 double stiffness) {
    struct box_surface surface;
    pbs_affine_desc d;
    pbs_body body;
    box_surface_make(&surface, sides);
    box_surface_describe(&surface, &d);
    d.density = mass / (sides[0] * sides[1] * sides[2]);
    d.stiffness = stiffness;
    memcpy(d.position, at, sizeof d.position);
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

pbs_joint_desc describe_joint(int32_t kind, pbs_point a, pbs_point b) {
    pbs_joint_desc d;
    assert_ok(pbs_joint_desc_init(&d, sizeof d));
    d.kind = kind;
    d.a = a;
    d.b = b;
    return d;
}

pbs_joint join(pbs_world *world, int32_t kind, pbs_point a, pbs_point b) {
    const pbs_joint_desc d = describe_joint(kind, a, b);
    pbs_joint joint;
    assert_ok(pbs_joint_create(world, &d, &joint));
    return joint;
}

pbs_joint hang_on_rod(pbs_world *world, pbs_point b, double length) {
    pbs_joint_desc d = describe_joint(PBS_JOINT_DISTANCE, in_space(0.0, 0.0, 0.0), b);
    pbs_joint joint;
    d.lower = d.upper = length;
    assert_ok(pbs_joint_create(world, &d, &joint));
    return joint;
}

pbs_joint_state joint_state_of(const pbs_world *world, pbs_joint joint) {
    pbs_joint_state state = {.struct_size = sizeof state};
    assert_ok(pbs_joint_get_state(world, joint, &state));
    return state;
}
