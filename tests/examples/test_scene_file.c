// Scene files: what they say is what is read, mistakes are named with their lines, and a world made
// from one does what the file says.
// SPDX-License-Identifier: MIT

#include "comma_locale.h"
#include "common/scenes/scene_file.h"
#include "common/scenes/scene_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/// A tetrahedron whose lower three nodes turn, over a triangle that moves up, beside a mesh that
/// does not.
static const char scene_text[] = //
    "# a scene\n"
    "name tiny\n"
    "energy FCR\n"
    "integrator NM 0.25 0.5   # beta gamma\n"
    "dt 0.01\n"
    "steps_total 7\n"
    "gravity 0 -9.5 0\n"
    "bbox_diag 1.5\n"
    "dhat 1e-3\n"
    "eps_v 2e-3\n"
    "self_friction 0.25\n"
    "friction_iterations 3\n"
    "newton_tol 4e-4\n"
    "kappa_suggested 5e5\n"
    "avg_node_mass 1\n"
    "script whatever it was called\n"
    "halfspace 0 -1 0  0 2 0  friction 0.5\n"
    "meshobstacle 3 1 friction 0.125 funnel.obj 1 2 3\n"
    "static_mesh 3 1   # vertices, triangles\n"
    "5 0 0\n6 0 0\n5 1 0\n"
    "0 1 2\n"
    "components 2\n"
    "0 4 0 1 3 1000 1e5 0.4 input/one.msh | \n"
    "4 7 1 1 2 1000 1e5 0.4 input/two.obj | \n"
    "nodes 7\n"
    "0 0 0  0 1 0\n1 0 0  1 1 0\n0 1 0  0 2 0\n0 0 1  0 1 1\n"
    "0 -0.5 0  0 0.5 0\n1 -0.5 0  1 0.5 0\n0 -0.5 1  0 0.5 1\n"
    "tets 1\n"
    "0 1 2 3\n"
    "surface_tris 5\n"
    "0 2 1\n0 1 3\n0 3 2\n1 2 3\n4 5 6\n"
    "segments 1\n"
    "0 1\n"
    "dirichlet 6\n"
    "0 1 3\n4 5 6\n"
    "motions 2\n"
    "rotate 0 2 0 3 0 1 0 3\n"
    "0 1 3\n"
    "translate 0 0.5 0 0 0 0 0 3\n"
    "4 5 6\n"
    "velocity 7\n"
    "1 2 3\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n4 5 6\n";

static struct scene_file read_scene(const char *text) {
    struct scene_file scene;
    struct message message;
    if (!scene_file_read_from_memory(text, strlen(text), &scene, &message)) {
        fail_msg("%s", message.text);
    }
    return scene;
}

static void every_statement_is_read(void **state) {
    (void)state;
    struct scene_file s = read_scene(scene_text);
    assert_string_equal(s.name, "tiny");
    assert_int_equal(s.material, SCENE_FIXED_COROTATED);
    assert_int_equal(s.integrator, SCENE_NEWMARK);
    assert_true(s.newmark[0] == 0.25 && s.newmark[1] == 0.5);
    assert_true(s.step == 0.01 && s.step_count == 7 && s.gravity[1] == -9.5 && s.diagonal == 1.5);
    assert_true(s.contact_distance == 1e-3 && s.slip_velocity == 2e-3 && s.friction == 0.25);
    assert_true(s.friction_iterations == 3 && s.newton_tolerance == 4e-4);
    assert_true(s.contact_stiffness == 5e5);
    assert_int_equal(s.half_space_count, 1);
    assert_true(s.half_spaces[0].origin[1] == -1.0 && s.half_spaces[0].normal[1] == 2.0);
    assert_true(s.half_spaces[0].friction == 0.5);
    assert_int_equal(s.mesh_count, 1);
    assert_true(s.meshes[0].vertices[3] == 6.0 && s.meshes[0].triangles[2] == 2);
    assert_true(s.meshes[0].friction == 0.125);
    assert_int_equal(s.component_count, 2);
    assert_true(s.components[1].node_begin == 4 && s.components[1].node_end == 7);
    assert_true(s.components[1].codimension == 2 && s.components[0].tet_end == 1);
    assert_true(s.components[0].young == 1e5 && s.components[0].poisson == 0.4);
    assert_int_equal(s.node_count, 7);
    assert_true(s.rest[3] == 1.0 && s.initial[4] == 1.0);
    assert_true(s.tets[3] == 3 && s.triangles[14] == 6 && s.segments[1] == 1);
    assert_true(s.dirichlet_count == 6 && s.dirichlet[5] == 6);
    assert_int_equal(s.motion_count, 2);
    assert_int_equal(s.motions[0].kind, SCENE_ROTATE);
    assert_true(s.motions[0].omega == 3.0 && s.motions[0].nodes[2] == 3);
    assert_true(s.motions[1].vector[1] == 0.5 && s.motions[1].node_count == 3);
    assert_true(s.velocities[2] == 3.0 && s.velocities[20] == 6.0);
    scene_file_free(&s);
}

static void the_host_may_write_commas(void **state) {
    (void)state;
    if (!enter_comma_locale()) {
        skip();
    }
    struct scene_file s = read_scene(scene_text);
    leave_comma_locale();
    assert_true(s.step == 0.01 && s.rest[13] == -0.5);
    scene_file_free(&s);
}

/// `before` gives way to `after`, and the reader says `expected` of it.
static void refuse(const char *before, const char *after, const char *expected) {
    char text[sizeof scene_text + 256];
    const char *const at = strstr(scene_text, before);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - scene_text), scene_text, after,
             at + strlen(before));
    struct scene_file scene;
    struct message message;
    assert_false(scene_file_read_from_memory(text, strlen(text), &scene, &message));
    if (strstr(message.text, expected) == NULL) {
        fail_msg("'%s' instead of '%s' was answered by: %s", after, before, message.text);
    }
    assert_null(scene.components);
}

static void mistakes_are_named_with_their_lines(void **state) {
    (void)state;
    refuse("energy FCR", "energy ABC", "line 3: expected NH or FCR, found 'ABC'");
    refuse("integrator NM", "integrator XY", "line 4: expected BE or NM");
    refuse("dt 0.01", "dt -1", "line 5: the step is -1, must be positive");
    refuse("dt 0.01", "dt nan", "line 5: expected the step");
    refuse("dt 0.01", "", "without a step");
    refuse("steps_total 7", "steps_total -7", "line 6: -7 is no possible number of steps");
    refuse("gravity 0 -9.5 0", "gravity 0 -9.5", "line 7: the line ends where gravity");
    refuse("script", "scrip", "line 16: no statement is called 'scrip'");
    refuse("0 2 0  friction 0.5", "0 0 0  friction 0.5", "line 17: the normal of a half-space");
    refuse("friction 0.5", "rubbing 0.5", "line 17: expected friction, found 'rubbing'");
    refuse("\n0 1 2\n", "\n0 1 3\n", "line 23: vertex 3 does not exist, there are 3");
    refuse("4 7 1 1 2", "3 7 1 1 2", "line 26: nodes 3 to 7 of a component, expected them from 4");
    refuse("4 7 1 1 2", "4 7 1 1 5", "line 26: codimension 5");
    refuse("1e5 0.4 input/one", "1e5 0.5 input/one", "line 25: Poisson's ratio is 0.5");
    refuse("nodes 7\n", "nodes 700\n", "line 27: 700 nodes are declared, but only");
    refuse("0 1 2 3\n", "0 1 2 9\n", "line 36: node 9 does not exist, there are 7");
    refuse("0 1 2 3\n", "0 1 2 4\n", "tetrahedron 0 has node 4 of another component");
    refuse("tets 1\n0 1 2 3", "tets 0", "components of 7 nodes and 1 tetrahedra, but 7 and 0");
    refuse("rotate 0 2 0", "rotate 0 0 0", "the axis of a rotation is zero");
    refuse("rotate 0 2 0", "wobble 0 2 0", "expected rotate, translate or fixed, found 'wobble'");
    refuse("velocity 7", "velocity 6", "6 velocities of 7 nodes");
    refuse("segments 1", "tets 1", "tetrahedra are given a second time");
}

/// Every beginning of a scene, cut between any two bytes, is refused or read, and nothing leaks.
static void files_that_end_early_do_no_harm(void **state) {
    (void)state;
    for (size_t length = 0; length < strlen(scene_text); length++) {
        char *copy = malloc(length + 1);
        memcpy(copy, scene_text, length);
        struct scene_file scene;
        struct message message = {""};
        if (scene_file_read_from_memory(copy, length, &scene, &message)) {
            scene_file_free(&scene);
        } else {
            assert_true(message.text[0] != 0);
        }
        free(copy);
    }
}

static void a_missing_file_is_named(void **state) {
    (void)state;
    struct scene_file scene;
    struct message message;
    assert_false(scene_file_read("tests/data/no such scene.txt", &scene, &message));
    assert_non_null(strstr(message.text, "no such scene.txt: cannot be opened"));
}

/// Whether numbers agree to the rounding of a few operations near 1.
static void assert_close(double found, double expected) {
    if (!(fabs(found - expected) < 1e-13)) {
        fail_msg("%.17g instead of %.17g", found, expected);
    }
}

/// After two steps scripted nodes are where two turns of 0.03 about y take them, and the obstacle,
/// which the free node cannot see, has gone up 1 cm.
static void motions_reach_bodies_and_obstacles(void **state) {
    (void)state;
    struct scene_file scene = read_scene(scene_text);
    pbs_world_desc d;
    pbs_expert_desc expert;
    struct scene_world w;
    assert_int_equal(scene_world_settings(&scene, &d, &expert), PBS_OK);
    assert_true(d.contact_stiffness == 5e5 / (0.01 * 0.01));
    assert_true(d.velocity_tolerance == 4e-4 / 0.01);
    assert_int_equal(scene_world_create(&scene, &d, &w), PBS_OK);
    assert_int_equal(pbs_world_collider_count(w.world), 3);
    assert_int_equal(pbs_world_body_count(w.world), 1);
    for (int step = 0; step < 2; step++) {
        assert_int_equal(scene_world_step(&w), PBS_OK);
    }
    const double *x = pbs_body_positions(w.world, w.bodies[0]);
    assert_close(x[3], cos(0.06));
    assert_close(x[5], -sin(0.06));
    assert_close(x[9], sin(0.06));
    assert_close(x[11], cos(0.06));
    assert_close(x[4], 1.0);
    double position[3], orientation[4];
    assert_int_equal(pbs_collider_pose(w.world, w.obstacles[1], position, orientation), PBS_OK);
    assert_close(position[1], 0.01);
    scene_world_destroy(&w);
    scene_file_free(&scene);
}

/// A cube's corner falls onto half-spaces whose normals are not the y axis, and is held up by each:
/// without gravity's help nothing but the plane can stop it.
static void half_spaces_stand_as_they_are_told(void **state) {
    (void)state;
    const double normals[4][3] = {{0, 0, 3}, {0, -1, 0}, {-1, 0, 0}, {1, 2, -2}};
    for (int i = 0; i < 4; i++) {
        const double *const n = normals[i];
        const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        char text[1024];
        // Half a metre above the plane through the origin, at 50 m/s towards it.
        const double at[3] = {1.5 * n[0] / length, 1.5 * n[1] / length, 1.5 * n[2] / length};
        const double v[3] = {-50 * n[0] / length, -50 * n[1] / length, -50 * n[2] / length};
        int used = snprintf(text, sizeof text,
                            "dt 0.01\ndhat 0.01\neps_v 0.01\nnewton_tol 1e-6\n"
                            "kappa_suggested 1e4\nhalfspace 0 0 0 %g %g %g friction 0\n"
                            "components 1\n0 4 0 1 3 1000 1e6 0.3\nnodes 4\n",
                            n[0], n[1], n[2]);
        const double corners[4][3] = {{0, 0, 0}, {0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}};
        for (int k = 0; k < 4; k++) {
            const double x = at[0] + corners[k][0], y = at[1] + corners[k][1];
            const double z = at[2] + corners[k][2];
            used += snprintf(text + used, sizeof text - (size_t)used, "%g %g %g %g %g %g\n", x, y,
                             z, x, y, z);
        }
        used += snprintf(text + used, sizeof text - (size_t)used, "tets 1\n0 1 2 3\nvelocity 4\n");
        for (int k = 0; k < 4; k++) {
            used += snprintf(text + used, sizeof text - (size_t)used, "%g %g %g\n", v[0], v[1],
                             v[2]);
        }
        struct scene_file scene = read_scene(text);
        pbs_world_desc d;
        pbs_expert_desc expert;
        struct scene_world w;
        assert_int_equal(scene_world_settings(&scene, &d, &expert), PBS_OK);
        assert_int_equal(scene_world_create(&scene, &d, &w), PBS_OK);
        for (int step = 0; step < 8; step++) {
            assert_int_equal(scene_world_step(&w), PBS_OK);
            const double *x = pbs_body_positions(w.world, w.bodies[0]);
            for (int k = 0; k < 4; k++) {
                assert_true(x[3 * k] * n[0] + x[3 * k + 1] * n[1] + x[3 * k + 2] * n[2] > 0.0);
            }
        }
        scene_world_destroy(&w);
        scene_file_free(&scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_statement_is_read),
        cmocka_unit_test(the_host_may_write_commas),
        cmocka_unit_test(mistakes_are_named_with_their_lines),
        cmocka_unit_test(files_that_end_early_do_no_harm),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(motions_reach_bodies_and_obstacles),
        cmocka_unit_test(half_spaces_stand_as_they_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
