// A chain of links that hangs, or swings from the horizontal, beside Bullet's rigid bodies, in one
// run on one thread: how far joints open, and what a step costs.
//     bench chain start=hanging links=20 last=1000 bullet_iterations=10 bullet_gap=...
//     bullet_ms=... pbs_gap=... pbs_newton=... pbs_ms=... time_ratio=...
// Gaps are the largest between two joined points in a second of 1/60 s steps, in lengths of a link;
// last is the weight of the last link in weights of the others; time_ratio is our time over
// Bullet's. Bullet's joints are solved by sequential impulses, 10 iterations by default; ours are
// exact to a tolerance, and its links are rigid where ours are stiff.
// SPDX-License-Identifier: MIT
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

extern "C" {
#include "common/meshes/shapes.h"
#include "pbs/pbs.h"
}

namespace {

using Clock = std::chrono::steady_clock;

const double LENGTH = 0.1, WIDTH = 0.02, STEP = 1.0 / 60.0, GRAVITY = 9.81;
const int STEPS = 60;

struct Result {
    double gap;    // lengths of a link
    double ms;     // mean time of a step, without the first
    double newton; // iterations a step, of ours
};

double mass_of(int link, int links, double last) {
    return link + 1 == links ? last : 1.0;
}

Result run_bullet(bool hangs, int links, double last, int iterations) {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity(btVector3(0, btScalar(-GRAVITY), 0));
    world.getSolverInfo().m_numIterations = iterations;
    btBoxShape shape(btVector3(btScalar(LENGTH / 2), btScalar(WIDTH / 2), btScalar(WIDTH / 2)));
    const btVector3 half(btScalar(LENGTH / 2), 0, 0);
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btTypedConstraint>> joints;
    for (int i = 0; i < links; i++) {
        btVector3 inertia;
        const btScalar mass = btScalar(mass_of(i, links, last));
        shape.calculateLocalInertia(mass, inertia);
        bodies.push_back(std::make_unique<btRigidBody>(mass, nullptr, &shape, inertia));
        btRigidBody &body = *bodies.back();
        body.setActivationState(DISABLE_DEACTIVATION);
        body.setDamping(0, 0);
        const btScalar along = btScalar(LENGTH * (i + 0.5));
        body.setWorldTransform(
            hangs ? btTransform(btQuaternion(btVector3(0, 0, 1), -SIMD_HALF_PI),
                                btVector3(0, -along, 0))
                  : btTransform(btQuaternion::getIdentity(), btVector3(along, 0, 0)));
        world.addRigidBody(&body, 0, 0);
        joints.push_back(i == 0 ? std::make_unique<btPoint2PointConstraint>(body, -half)
                                : std::make_unique<btPoint2PointConstraint>(*bodies[size_t(i) - 1],
                                                                            body, half, -half));
        world.addConstraint(joints.back().get(), true);
    }
    Result result = {0.0, 0.0, 0.0};
    for (int s = 0; s < STEPS; s++) {
        const auto start = Clock::now();
        world.stepSimulation(btScalar(STEP), 0);
        result.ms += s > 0 ? 1e3 * std::chrono::duration<double>(Clock::now() - start).count()
                           : 0.0;
        btVector3 end(0, 0, 0);
        for (auto &body : bodies) {
            const btTransform &at = body->getWorldTransform();
            result.gap = std::max(result.gap, double((at * -half - end).length()) / LENGTH);
            end = at * half;
        }
    }
    for (auto &joint : joints) {
        world.removeConstraint(joint.get());
    }
    for (auto &body : bodies) {
        world.removeRigidBody(body.get());
    }
    result.ms /= STEPS - 1;
    return result;
}

bool check(pbs_status status) {
    if (status < 0) {
        std::fprintf(stderr, "%s: %s\n", pbs_status_name(status), pbs_last_error());
    }
    return status >= 0;
}

pbs_body add_link(pbs_world *world, bool hangs, int link, double mass, bool *good) {
    surface_mesh surface = {};
    pbs_affine_desc d;
    pbs_body body = {0};
    pbs_affine_desc_init(&d, sizeof d);
    *good = *good && surface_box(LENGTH, WIDTH, WIDTH, &surface);
    d.vertex_count = surface.vertex_count;
    d.positions = surface.positions;
    d.triangle_count = surface.triangle_count;
    d.triangles = surface.triangles;
    d.density = mass / (LENGTH * WIDTH * WIDTH);
    d.stiffness = 1e8;
    d.position[hangs ? 1 : 0] = (hangs ? -LENGTH : LENGTH) * (link + 0.5);
    d.orientation[2] = hangs ? -std::sqrt(0.5) : 0.0;
    d.orientation[3] = hangs ? std::sqrt(0.5) : 1.0;
    *good = *good && check(pbs_body_create_affine(world, &d, &body));
    surface_mesh_free(&surface);
    return body;
}

pbs_point end_of(pbs_body body, double side) {
    pbs_point point = {};
    point.struct_size = sizeof point;
    point.kind = PBS_POINT_LOCAL;
    point.body = body;
    point.place[0] = side * LENGTH / 2.0;
    return point;
}

Result run_pbs(bool hangs, int links, double last) {
    pbs_world_desc d;
    pbs_world *world = nullptr;
    pbs_world_desc_init(&d, sizeof d);
    d.threads = 1;
    d.contact = PBS_CONTACT_PROJECTION;
    d.gravity[1] = -GRAVITY;
    bool good = check(pbs_world_create(&d, &world));
    std::vector<pbs_joint> joints;
    pbs_body before = {0};
    for (int i = 0; i < links && good; i++) {
        const pbs_body body = add_link(world, hangs, i, mass_of(i, links, last), &good);
        pbs_joint_desc joint;
        pbs_joint id = {0};
        pbs_joint_desc_init(&joint, sizeof joint);
        if (i > 0) {
            joint.a = end_of(before, 1.0);
        }
        joint.b = end_of(body, -1.0);
        good = good && check(pbs_joint_create(world, &joint, &id));
        joints.push_back(id);
        before = body;
    }
    Result result = {0.0, 0.0, 0.0};
    for (int s = 0; s < STEPS && good; s++) {
        good = check(pbs_world_step(world, STEP));
        pbs_stats stats = {};
        stats.struct_size = sizeof stats;
        pbs_world_stats(world, &stats);
        result.ms += s > 0 ? 1e3 * stats.time.total : 0.0;
        result.newton += double(stats.newton.iterations) / STEPS;
        for (const pbs_joint joint : joints) {
            pbs_joint_state state = {};
            state.struct_size = sizeof state;
            pbs_joint_get_state(world, joint, &state);
            result.gap = std::max(result.gap, state.gap / LENGTH);
        }
    }
    pbs_world_destroy(world);
    result.ms /= STEPS - 1;
    return result;
}

void compare(bool hangs, int links, double last) {
    const Result pbs = run_pbs(hangs, links, last);
    for (const int iterations : {10, 100, 1000}) {
        const Result bullet = run_bullet(hangs, links, last, iterations);
        std::printf("bench chain start=%s links=%d last=%g bullet_iterations=%d bullet_gap=%.2e "
                    "bullet_ms=%.3f pbs_gap=%.1e pbs_newton=%.1f pbs_ms=%.3f time_ratio=%.1f\n",
                    hangs ? "hanging" : "horizontal", links, last, iterations, bullet.gap,
                    bullet.ms, pbs.gap, pbs.newton, pbs.ms, pbs.ms / bullet.ms);
    }
}

} // namespace

int main() {
    for (const bool hangs : {true, false}) {
        for (const int links : {20, 100}) {
            compare(hangs, links, 1.0);
            compare(hangs, links, 1000.0);
        }
    }
    return 0;
}
