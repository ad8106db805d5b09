// Scenes A1 and A2 (cantilever cubes, implicit Euler, stable Neo-Hookean) beside Bullet's
// deformable world, in one run on one thread. Bullet takes one Newton iteration a step, as it
// always does; libpbs is timed with one iteration and solved to convergence.
//     bench cantilever scene=A1 n=20 dt=1/60 bullet_ms=... one_newton_ms=... converged_ms=...
//     ratio_one=... ratio_converged=...
// Ratios are Bullet's time over ours. Arguments: largest n (30), seconds of simulated time (0.5).
// SPDX-License-Identifier: MIT
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableGravityForce.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btDeformableNeoHookeanForce.h>
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

extern "C" {
#include "common/meshes/shapes.h"
#include "scenes/engine_scenes.h"
}

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Timing {
    double seconds_per_step; // median, without the first step
    double lowest_tip;
    double linear_iterations; // per step
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0.0 : values[values.size() / 2];
}

btSoftBody *make_body(btSoftBodyWorldInfo *info, const tet_mesh &mesh) {
    std::vector<btVector3> points;
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        const double *p = mesh.positions + 3 * i;
        points.emplace_back(btScalar(p[0]), btScalar(p[1]), btScalar(p[2]));
    }
    std::vector<btScalar> masses(mesh.vertex_count, btScalar(0));
    std::set<std::pair<int, int>> edges; // Bullet's tree builder needs links
    for (size_t t = 0; t < mesh.tet_count; t++) {
        const double share = 1000.0 * tet_volume(&mesh, t) / 4.0;
        for (int a = 0; a < 4; a++) {
            const int va = int(mesh.tets[4 * t + size_t(a)]);
            masses[size_t(va)] += btScalar(share);
            for (int b = 0; b < a; b++) {
                const int vb = int(mesh.tets[4 * t + size_t(b)]);
                edges.insert({std::min(va, vb), std::max(va, vb)});
            }
        }
    }
    auto *body = new btSoftBody(info, int(points.size()), points.data(), masses.data());
    for (const auto &edge : edges) {
        body->appendLink(edge.first, edge.second);
    }
    for (size_t t = 0; t < mesh.tet_count; t++) {
        const uint32_t *v = mesh.tets + 4 * t;
        body->appendTetra(int(v[0]), int(v[1]), int(v[2]), int(v[3]));
    }
    btSoftBodyHelpers::generateBoundaryFaces(body);
    body->initializeDmInverse();
    body->m_tetraScratches.resize(body->m_tetras.size());
    body->m_tetraScratchesTn.resize(body->m_tetras.size());
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        body->setMass(int(i), mesh.positions[3 * i] == 0.0 ? btScalar(0) : masses[i]);
    }
    body->m_cfg.collisions = 0;
    body->setSelfCollision(false);
    body->setActivationState(DISABLE_DEACTIVATION);
    return body;
}

double tip(const btSoftBody *body, const tet_mesh &mesh) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        if (mesh.positions[3 * i] == 1.0) {
            sum += double(body->m_nodes[int(i)].m_x.y()) - mesh.positions[3 * i + 1];
            count++;
        }
    }
    return sum / double(count);
}

Timing run_bullet(size_t cells, double young, double dt, int steps) {
    tet_mesh mesh = {};
    shape_cube_grid(cells, &mesh);
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    auto *solver = new btDeformableBodySolver;
    btDeformableMultiBodyConstraintSolver constraints;
    constraints.setDeformableSolver(solver);
    btDeformableMultiBodyDynamicsWorld world(&dispatcher, &broadphase, &constraints, &configuration,
                                             solver);
    const btVector3 gravity(0, btScalar(-9.81), 0);
    world.setGravity(gravity);
    world.getWorldInfo().m_gravity = gravity;
    world.setImplicit(true);
    world.setLineSearch(false);
    world.setUseProjection(true);

    btSoftBody *body = make_body(&world.getWorldInfo(), mesh);
    world.addSoftBody(body);
    const double mu = young / 2.6, lambda = young * 0.3 / (1.3 * 0.4); // Poisson ratio 0.3
    btDeformableNeoHookeanForce elastic(btScalar(4.0 / 3.0 * mu), btScalar(lambda + 5.0 / 6.0 * mu),
                                        0);
    btDeformableGravityForce weight(gravity);
    world.addForce(body, &elastic);
    world.addForce(body, &weight);

    Timing timing = {};
    std::vector<double> times;
    for (int step = 0; step < steps; step++) {
        const Clock::time_point start = Clock::now();
        world.stepSimulation(btScalar(dt), 1, btScalar(dt));
        if (step > 0) {
            times.push_back(seconds_since(start));
        }
        timing.lowest_tip = std::min(timing.lowest_tip, tip(body, mesh));
    }
    timing.seconds_per_step = median(times);
    world.removeSoftBody(body);
    delete body;
    delete solver;
    tet_mesh_free(&mesh);
    return timing;
}

Timing run_pbs(size_t cells, double young, double dt, int steps, bool one_newton) {
    pbs_world_desc settings;
    pbs_expert_desc expert;
    pbs_world_desc_init(&settings, sizeof settings);
    pbs_expert_desc_init(&expert, sizeof expert);
    settings.expert = &expert;
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.threads = 1;
    if (one_newton) {
        settings.newton_limit = 1;
        expert.forcing = 1e-5; // a single iteration has to be solved well: 1e-3 of the weight, as
                               // Bullet's
        expert.allow_unconverged = 1;
    }
    const cube_scene scene = {cells, young, true, false};
    pbs_world *world = nullptr;
    pbs_body body = {};
    tet_mesh mesh = {};
    if (cube_scene_create(&scene, &settings, &world, &body, &mesh) < 0) {
        std::fprintf(stderr, "%s\n", pbs_last_error());
        std::exit(1);
    }
    Timing timing = {};
    std::vector<double> times;
    for (int step = 0; step < steps; step++) {
        const Clock::time_point start = Clock::now();
        const pbs_status status = pbs_world_step(world, dt);
        if (step > 0) {
            times.push_back(seconds_since(start));
        }
        pbs_stats stats = {};
        stats.struct_size = sizeof stats;
        pbs_world_stats(world, &stats);
        timing.linear_iterations += double(stats.linear.iterations) / steps;
        if (status < 0) {
            std::printf("# step %d of n=%zu E=%g: %s\n", step, cells, young, pbs_last_error());
            break;
        }
        timing.lowest_tip = std::min(timing.lowest_tip, cube_scene_tip(world, body, &mesh));
    }
    timing.seconds_per_step = median(times);
    pbs_world_destroy(world);
    tet_mesh_free(&mesh);
    return timing;
}

void compare(const char *name, double young, size_t cells, double per_second, double duration) {
    const double dt = 1.0 / per_second;
    const int steps = std::max(3, int(duration * per_second + 0.5));
    const Timing bullet = run_bullet(cells, young, dt, steps);
    const Timing one = run_pbs(cells, young, dt, steps, true);
    const Timing converged = run_pbs(cells, young, dt, steps, false);
    std::printf(
        "bench cantilever scene=%s n=%zu dt=1/%g steps=%d bullet_ms=%.3f one_newton_ms=%.3f "
        "converged_ms=%.3f "
        "ratio_one=%.2f ratio_converged=%.2f tip_bullet=%.5f tip_one=%.5f tip_converged=%.5f "
        "cg_one=%.1f cg_converged=%.1f\n",
        name, cells, per_second, steps, 1e3 * bullet.seconds_per_step, 1e3 * one.seconds_per_step,
        1e3 * converged.seconds_per_step, bullet.seconds_per_step / one.seconds_per_step,
        bullet.seconds_per_step / converged.seconds_per_step, bullet.lowest_tip, one.lowest_tip,
        converged.lowest_tip, one.linear_iterations, converged.linear_iterations);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
    const size_t largest = argc > 1 ? size_t(std::atoi(argv[1])) : 30;
    const double duration = argc > 2 ? std::atof(argv[2]) : 0.5;
    for (size_t cells = 10; cells <= largest; cells += 10) {
        compare("A1", 1e5, cells, 60, duration);
        compare("A2", 5e5, cells, 60, duration);
        compare("A1", 1e5, cells, 30, duration);
        compare("A2", 5e5, cells, 30, duration);
    }
    return 0;
}
