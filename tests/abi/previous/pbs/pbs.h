// The public headers of 0.1.0 as they were before names changed (CHANGELOG.md), without their
// comments, in one file: what test_migration.sh compiles the hosts beside it against.
// SPDX-License-Identifier: MIT
#ifndef PBS_PBS_H
#define PBS_PBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PBS_API

#define PBS_VERSION_MAJOR 0
#define PBS_VERSION_MINOR 1
#define PBS_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t pbs_status;
enum {
    PBS_OK = 0,
    PBS_NOT_CONVERGED = 1,
    PBS_DIVIDED = 2,
    PBS_WEAK_BONDS = 3,
    PBS_ERROR_ARGUMENT = -1,
    PBS_ERROR_MEMORY = -2,
    PBS_ERROR_HANDLE = -3,
    PBS_ERROR_MESH = -4,
    PBS_ERROR_STRUCT_SIZE = -5,
    PBS_ERROR_CONVERGENCE = -6,
    PBS_ERROR_INADMISSIBLE = -7,
    PBS_ERROR_HOST = -8,
    PBS_ERROR_FORMAT = -9,
    PBS_ERROR_CAPACITY = -10,
    PBS_ERROR_MISSING_CALLBACK = -11,
    PBS_ERROR_THREAD = -12
};
PBS_API const char *pbs_status_name(pbs_status status);
PBS_API const char *pbs_status_text(pbs_status status);
PBS_API const char *pbs_last_error(void);
PBS_API uint32_t pbs_version(void);
typedef struct pbs_allocator {
    void *(*allocate)(void *user, size_t size, size_t alignment);
    void (*release)(void *user, void *pointer, size_t size);
    void *user;
} pbs_allocator;
enum { PBS_LOG_ERROR = 0, PBS_LOG_WARNING = 1, PBS_LOG_INFO = 2, PBS_LOG_DEBUG = 3 };
typedef struct pbs_log {
    void (*write)(void *user, int32_t level, const char *message);
    void *user;
} pbs_log;
typedef void (*pbs_work_fn)(void *context, size_t index);
typedef struct pbs_tasks {
    void (*parallel_for)(void *user, size_t count, pbs_work_fn work, void *context);
    void *user;
} pbs_tasks;
typedef struct pbs_world pbs_world;
typedef struct pbs_integrator pbs_integrator;
typedef struct pbs_body {
    uint64_t id;
} pbs_body;
typedef struct pbs_collider {
    uint64_t id;
} pbs_collider;
enum { PBS_AUTOMATIC = -1 };
enum { PBS_METHOD_STABILIZED_NEWTON = 0, PBS_METHOD_PLAIN_NEWTON = 1 };
enum { PBS_LINE_SEARCH_WOLFE = 0, PBS_LINE_SEARCH_BACKTRACKING = 1 };
enum {
    PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY = 0,
    PBS_PRECONDITIONER_BLOCK_JACOBI = 1,
    PBS_PRECONDITIONER_NONE = 2,
    PBS_PRECONDITIONER_TWO_LEVEL = 3,
    PBS_PRECONDITIONER_MULTIGRID = 4,
    PBS_PRECONDITIONER_CHOLESKY = 5,
    PBS_PRECONDITIONER_AUTOMATIC = 6,
    PBS_PRECONDITIONER_CHOLESKY_FLOAT = 7
};
enum {
    PBS_SOLVER_ASKED_FOR = 0,
    PBS_SOLVER_FIRST = 1,
    PBS_SOLVER_CHEAPEST = 2,
    PBS_SOLVER_TRIED_AGAIN = 3,
    PBS_SOLVER_TURNED = 4,
    PBS_SOLVER_INDEFINITE = 5,
    PBS_SOLVER_FEW_NODES = 6,
    PBS_SOLVER_STIFF_CONTACT = 7
};
enum { PBS_ORDER_NATURAL = 0, PBS_ORDER_NESTED_DISSECTION = 1 };
enum { PBS_HESSIAN_EXACT = 0, PBS_HESSIAN_SEMIDEFINITE = 1, PBS_HESSIAN_AUTOMATIC = 2 };
enum { PBS_GUESS_BEST = 0, PBS_GUESS_INERTIAL = 1, PBS_GUESS_EXPLICIT = 2, PBS_GUESS_OPT = 3 };
enum { PBS_ALIGNMENT_FREE_BODIES = 0, PBS_ALIGNMENT_NEVER = 1 };
enum { PBS_CONTACT_PROJECTION = 0, PBS_CONTACT_BARRIER = 1, PBS_CONTACT_PENALTY = 2 };
enum { PBS_BODY_CONTACT_NONE = 0, PBS_BODY_CONTACT_PENALTY = 1 };
enum { PBS_BARRIER_DISTANCE = 0, PBS_BARRIER_SQUARED = 1 };
enum { PBS_VELOCITY_STEP_AND_GAIN = 0, PBS_VELOCITY_STEP = 1 };
enum { PBS_MATRIX_AUTOMATIC, PBS_MATRIX_ASSEMBLED, PBS_MATRIX_FREE };
typedef struct pbs_world_desc {
    uint32_t struct_size;
    int32_t threads;
    double gravity[3];
    pbs_allocator allocator;
    pbs_log log;
    pbs_tasks tasks;
    int32_t method;
    int32_t line_search;
    int32_t project_hessian;
    int32_t initial_guess;
    int32_t preconditioner;
    int32_t preconditioner_order;
    uint32_t newton_limit;
    uint32_t linear_limit;
    double tolerance;
    double relative_tolerance;
    double forcing;
    double step_length_limit;
    int32_t allow_unconverged;
    uint32_t divisions;
    int32_t contact;
    int32_t barrier;
    double contact_distance;
    double contact_stiffness;
    double slip_velocity;
    double velocity_tolerance;
    int32_t velocity_rule;
    uint32_t friction_iterations;
    int32_t adaptive_stiffness;
    int32_t processor_independent;
    uint32_t fracture_passes;
    uint32_t fracture_limit;
    int32_t matrix;
    int32_t alignment;
    int32_t body_contact;
    int32_t reserved;
} pbs_world_desc;
PBS_API pbs_status pbs_world_desc_init(pbs_world_desc *d, size_t struct_size);
PBS_API pbs_status pbs_world_create(const pbs_world_desc *d, pbs_world **out);
PBS_API pbs_status pbs_world_settings(const pbs_world *w, pbs_world_desc *out);
PBS_API pbs_status pbs_world_set_settings(pbs_world *w, const pbs_world_desc *d);
PBS_API void pbs_world_destroy(pbs_world *w);
PBS_API pbs_status pbs_world_set_integrator(pbs_world *w, pbs_integrator *i);
PBS_API pbs_status pbs_world_step(pbs_world *w, double h);
PBS_API pbs_status pbs_world_advance(pbs_world *w, double duration);
PBS_API double pbs_world_time(const pbs_world *w);
PBS_API pbs_status pbs_world_set_gravity(pbs_world *w, const double gravity[3]);
enum { PBS_SURFACE_MATERIALS = 32 };
PBS_API pbs_status pbs_world_set_friction(pbs_world *w, uint32_t a, uint32_t b, double friction);
typedef struct pbs_energy {
    uint32_t struct_size;
    uint32_t reserved;
    double kinetic;
    double elastic;
    double gravity;
    double contact;
    double host;
    double dissipated;
    double total;
    double external;
} pbs_energy;
PBS_API pbs_status pbs_world_energy(const pbs_world *w, pbs_energy *out);
enum {
    PBS_FAILURE_NONE = 0,
    PBS_FAILURE_RESIDUAL = 1,
    PBS_FAILURE_NO_DESCENT = 2,
    PBS_FAILURE_BLOCKED = 3,
    PBS_FAILURE_OVERLAP = 4,
    PBS_FAILURE_ELEMENT = 5,
    PBS_FAILURE_HOST = 6,
    PBS_FAILURE_OTHER = 7,
    PBS_FAILURE_UNHELD = 8
};
typedef struct pbs_stats {
    uint32_t struct_size;
    int32_t status;
    uint32_t stages;
    uint32_t divisions;
    uint32_t newton_iterations;
    uint32_t linear_solves;
    uint32_t linear_iterations;
    uint32_t evaluations;
    uint32_t indefinite_solves;
    uint32_t gradient_directions;
    uint32_t clamped_steps;
    uint32_t noise_accepts;
    uint32_t shifted_factors;
    uint32_t active_contacts;
    double gradient_norm;
    double tolerance;
    double reference_force;
    double preconditioner_shift;
    double step;
    double time_total;
    double time_prepare;
    double time_evaluate;
    double time_hessian;
    double time_factor;
    double time_solve;
    double time_search;
    double time_finish;
    uint64_t step_count;
    uint64_t failed_step_count;
    uint64_t newton_total;
    uint64_t linear_total;
    uint64_t allocator_calls;
    size_t bytes_in_use;
    size_t node_count;
    size_t element_count;
    size_t block_count;
    size_t held_inside;
    uint32_t accepted_steps;
    uint32_t rejected_steps;
    uint32_t forced_steps;
    uint32_t reserved;
    double shortest_step, longest_step;
    double step_error;
    double step_next;
    double energy_loss;
    double alpha_low, alpha_high;
    double energy_target;
    double energy_reached;
    double energy_work;
    uint32_t host_solves;
    uint32_t host_refusals;
    int32_t preconditioner_used;
    uint32_t coarse_unknowns;
    double predicted_iterations;
    uint32_t contact_searches;
    uint32_t contact_sweeps;
    uint64_t contact_candidates;
    double least_gap;
    double time_contact_search;
    double time_contact_sweep;
    double time_contact;
    double contact_stiffness;
    int32_t failure;
    uint32_t failure_vertex;
    pbs_body failure_body;
    double failure_residual;
    pbs_body failure_pair_bodies[2];
    pbs_collider failure_pair_colliders[2];
    uint32_t failure_pair_counts[2];
    uint32_t failure_pair_vertices[6];
    double failure_gap;
    double failure_stiffness;
    double failure_force;
    double affine_strain;
    pbs_body affine_strain_body;
    double contact_stiffness_least;
    double contact_distance;
    double slip_velocity;
    double velocity_tolerance;
    uint32_t flight_parts;
    uint32_t untouchable_bodies;
    uint32_t turned_solves;
    int32_t preconditioner_reason;
    double block_jacobi_work, factor_work, two_level_work;
    uint32_t explicit_steps;
    uint32_t explicit_reserved;
    double stable_step;
    uint32_t fracture_steps;
    uint32_t fracture_reserved;
    double fracture_step;
    double deepest_penetration;
} pbs_stats;
PBS_API pbs_status pbs_world_stats(const pbs_world *w, pbs_stats *out);
PBS_API pbs_status pbs_world_save(const pbs_world *w, void *buffer, size_t *size);
PBS_API pbs_status pbs_world_restore(pbs_world *w, const void *buffer, size_t size);
PBS_API size_t pbs_world_body_count(const pbs_world *w);
PBS_API pbs_body pbs_world_body_at(const pbs_world *w, size_t index);
PBS_API size_t pbs_world_collider_count(const pbs_world *w);
PBS_API pbs_collider pbs_world_collider_at(const pbs_world *w, size_t index);
PBS_API uint64_t pbs_world_hash(const pbs_world *w);
enum {
    PBS_SCHEME_IMPLICIT_EULER = 0,
    PBS_SCHEME_TRAPEZOIDAL = 1,
    PBS_SCHEME_IMPLICIT_MIDPOINT = 2,
    PBS_SCHEME_INNER_THETA = 3,
    PBS_SCHEME_OUTER_THETA = 4,
    PBS_SCHEME_FIRST_ORDER_THETA = 5,
    PBS_SCHEME_SECOND_ORDER_THETA = 6,
    PBS_SCHEME_BDF2 = 7,
    PBS_SCHEME_NEWMARK = 8,
    PBS_SCHEME_GENERALIZED_ALPHA = 9,
    PBS_SCHEME_SDIRK2 = 10,
    PBS_SCHEME_TR_BDF2 = 11,
    PBS_SCHEME_SYMPLECTIC_EULER = 12,
    PBS_SCHEME_VARIATIONAL_MIDPOINT = 13,
    PBS_SCHEME_VARIATIONAL_RIGHT_POINT = 14,
    PBS_SCHEME_A_1 = 15,
    PBS_SCHEME_A_SEARCH = 16,
    PBS_SCHEME_SPARSE_A_SEARCH = 17,
    PBS_SCHEME_DECOUPLED_SDIRK2 = 18,
    PBS_SCHEME_ENERGY_BLENDING = 19,
    PBS_SCHEME_VELOCITY_VERLET = 20,
    PBS_SCHEME_QUASI_STATIC = 21
};
enum { PBS_START_IMPLICIT_EULER = 0, PBS_START_TRAPEZOIDAL = 1, PBS_START_FIRST_ORDER_THETA = 2 };
enum { PBS_ALPHA_FIXED = 0, PBS_ALPHA_SEARCH = 1, PBS_ALPHA_SPARSE_SEARCH = 2 };
enum {
    PBS_STEP_FIXED = 0,
    PBS_STEP_FORCE_ERROR = 1,
    PBS_STEP_SPEED_LIMIT = 2,
    PBS_STEP_STRETCH_LIMIT = 3,
    PBS_STEP_DOUBLING = 4,
    PBS_STEP_ALPHA = 5
};
enum { PBS_STEP_RULE_DEFAULT = 0, PBS_STEP_RULE_PROPORTIONAL = 1, PBS_STEP_RULE_HALVING = 2 };
enum { PBS_INTEGRATOR_PARAMETERS = 4 };
typedef struct pbs_integrator_desc {
    uint32_t struct_size;
    int32_t scheme;
    pbs_allocator allocator;
    double parameters[PBS_INTEGRATOR_PARAMETERS];
    int32_t start;
    int32_t alpha_choice;
    int32_t energy_by_island;
    int32_t reserved;
    double alpha;
    double alpha_min, alpha_max;
    double energy_fraction;
    double energy_ground;
    double energy_decay_time;
    int32_t linearized;
    int32_t step_control;
    int32_t step_rule;
    int32_t more_reserved;
    double step_tolerance;
    double step_initial;
    double step_min;
    double step_max;
    double step_exponent;
    double step_safety;
    double step_growth;
    double fracture_step;
    uint32_t fracture_quiet_steps;
    uint32_t fracture_reserved;
} pbs_integrator_desc;
PBS_API pbs_status pbs_integrator_desc_init(pbs_integrator_desc *d, size_t struct_size,
                                            int32_t scheme);
PBS_API pbs_status pbs_integrator_create(const pbs_integrator_desc *d, pbs_integrator **out);
PBS_API void pbs_integrator_destroy(pbs_integrator *i);
enum {
    PBS_MATERIAL_FIXED_COROTATED = 0,
    PBS_MATERIAL_NEO_HOOKEAN = 1,
    PBS_MATERIAL_STABLE_NEO_HOOKEAN = 2,
    PBS_MATERIAL_ST_VENANT_KIRCHHOFF = 3
};
typedef struct pbs_solid_desc {
    uint32_t struct_size;
    int32_t material;
    size_t vertex_count;
    const double *positions;
    size_t tet_count;
    const uint32_t *tets;
    double density;
    double young;
    double poisson;
    double damping;
    double drag;
    const double *tet_density;
    const double *tet_young;
    const double *tet_poisson;
    const double *initial_positions;
    const double *initial_velocities;
} pbs_solid_desc;
PBS_API pbs_status pbs_solid_desc_init(pbs_solid_desc *d, size_t struct_size);
PBS_API pbs_status pbs_body_create_solid(pbs_world *w, const pbs_solid_desc *d, pbs_body *out);
enum { PBS_BENDING_PLATE = 0, PBS_BENDING_HINGE = 1 };
typedef struct pbs_shell_desc {
    uint32_t struct_size;
    int32_t flat_rest;
    size_t vertex_count;
    const double *positions;
    size_t triangle_count;
    const uint32_t *triangles;
    double thickness;
    double density;
    double young;
    double poisson;
    double bending_young;
    double damping;
    double drag;
    const double *initial_positions;
    const double *initial_velocities;
    const double *rest_angles;
    size_t clamped_edge_count;
    const uint32_t *clamped_edges;
    const double *clamped_directions;
    int32_t bending;
    uint32_t reserved;
} pbs_shell_desc;
PBS_API pbs_status pbs_shell_desc_init(pbs_shell_desc *d, size_t struct_size);
PBS_API pbs_status pbs_body_create_shell(pbs_world *w, const pbs_shell_desc *d, pbs_body *out);
PBS_API pbs_status pbs_body_set_rest_angles(pbs_world *w, pbs_body b, const double *rest_angles,
                                            size_t triangle_count);
typedef struct pbs_springs_desc {
    uint32_t struct_size;
    int32_t no_gravity;
    size_t vertex_count;
    const double *positions;
    const double *velocities;
    const double *masses;
    size_t spring_count;
    const uint32_t *springs;
    double stiffness;
    double damping;
    double drag;
    const double *spring_stiffness;
    const double *rest_lengths;
} pbs_springs_desc;
PBS_API pbs_status pbs_springs_desc_init(pbs_springs_desc *d, size_t struct_size);
PBS_API pbs_status pbs_body_create_springs(pbs_world *w, const pbs_springs_desc *d, pbs_body *out);
typedef struct pbs_affine_desc {
    uint32_t struct_size;
    int32_t no_gravity;
    size_t vertex_count;
    const double *positions;
    size_t triangle_count;
    const uint32_t *triangles;
    size_t tet_count;
    const uint32_t *tets;
    double density;
    double stiffness;
    double damping;
    double drag;
    double position[3];
    double orientation[4];
    double velocity[3];
    double angular_velocity[3];
} pbs_affine_desc;
PBS_API pbs_status pbs_affine_desc_init(pbs_affine_desc *d, size_t struct_size);
PBS_API pbs_status pbs_body_create_affine(pbs_world *w, const pbs_affine_desc *d, pbs_body *out);
typedef int32_t (*pbs_custom_fn)(void *user, size_t stencil, const double *x, int32_t project,
                                 double *value, double *gradient, double *hessian);
typedef struct pbs_custom_desc {
    uint32_t struct_size;
    uint32_t width;
    size_t vertex_count;
    const double *positions;
    const double *velocities;
    const double *masses;
    size_t stencil_count;
    const uint32_t *stencils;
    pbs_custom_fn evaluate;
    void *user;
    int32_t concurrent;
    int32_t no_gravity;
    uint64_t tag;
    double damping;
    int32_t is_linear;
    int32_t reserved;
} pbs_custom_desc;
PBS_API pbs_status pbs_custom_desc_init(pbs_custom_desc *d, size_t struct_size);
PBS_API pbs_status pbs_body_create_custom(pbs_world *w, const pbs_custom_desc *d, pbs_body *out);
PBS_API pbs_status pbs_world_register_callback(pbs_world *w, uint64_t tag, pbs_custom_fn evaluate,
                                               void *user);
PBS_API pbs_status pbs_body_destroy(pbs_world *w, pbs_body b);
PBS_API bool pbs_body_is_valid(const pbs_world *w, pbs_body b);
PBS_API size_t pbs_body_vertex_count(const pbs_world *w, pbs_body b);
PBS_API size_t pbs_body_tet_count(const pbs_world *w, pbs_body b);
PBS_API const double *pbs_body_positions(const pbs_world *w, pbs_body b);
PBS_API const double *pbs_body_velocities(const pbs_world *w, pbs_body b);
PBS_API const double *pbs_body_masses(const pbs_world *w, pbs_body b);
PBS_API pbs_status pbs_body_surface(const pbs_world *w, pbs_body b, const uint32_t **indices,
                                    size_t *triangle_count);
PBS_API pbs_status pbs_body_set_positions(pbs_world *w, pbs_body b, const double *xyz,
                                          size_t vertex_count);
PBS_API pbs_status pbs_body_set_velocities(pbs_world *w, pbs_body b, const double *xyz,
                                           size_t vertex_count);
PBS_API pbs_status pbs_body_set_forces(pbs_world *w, pbs_body b, const double *xyz,
                                       size_t vertex_count);
enum { PBS_AXIS_X = 1, PBS_AXIS_Y = 2, PBS_AXIS_Z = 4, PBS_AXIS_ALL = 7 };
PBS_API pbs_status pbs_body_pin(pbs_world *w, pbs_body b, const uint32_t *vertices, size_t count,
                                uint32_t axes);
PBS_API pbs_status pbs_body_unpin(pbs_world *w, pbs_body b, const uint32_t *vertices, size_t count,
                                  uint32_t axes);
PBS_API pbs_status pbs_body_set_targets(pbs_world *w, pbs_body b, const uint32_t *vertices,
                                        size_t count, const double *targets);
PBS_API pbs_status pbs_body_pin_all(pbs_world *w, pbs_body b);
PBS_API pbs_status pbs_body_unpin_all(pbs_world *w, pbs_body b);
PBS_API pbs_status pbs_body_transform(const pbs_world *w, pbs_body b, double position[3],
                                      double matrix[9]);
PBS_API pbs_status pbs_body_pose(const pbs_world *w, pbs_body b, double position[3],
                                 double orientation[4]);
PBS_API pbs_status pbs_body_set_pose(pbs_world *w, pbs_body b, const double position[3],
                                     const double orientation[4]);
PBS_API pbs_status pbs_body_set_target_pose(pbs_world *w, pbs_body b, const double position[3],
                                            const double orientation[4]);
typedef struct pbs_contact_desc {
    uint32_t struct_size;
    int32_t touches_itself;
    double friction;
    double offset;
    uint32_t group;
    uint32_t mask;
    uint32_t surface_material;
    uint32_t reserved;
    double rolling_friction;
    double spinning_friction;
    double penalty_stiffness;
} pbs_contact_desc;
PBS_API pbs_status pbs_contact_desc_init(pbs_contact_desc *d, size_t struct_size);
PBS_API pbs_status pbs_body_set_contact(pbs_world *w, pbs_body b, const pbs_contact_desc *d);
enum {
    PBS_CHANNEL_POSITION = 0,
    PBS_CHANNEL_VELOCITY = 1,
    PBS_CHANNEL_NORMAL = 2,
    PBS_CHANNEL_CONTACT_FORCE = 3
};
PBS_API pbs_status pbs_body_read_f32(const pbs_world *w, pbs_body b, int32_t channel, float *dst,
                                     size_t stride_bytes, size_t capacity);
PBS_API pbs_status pbs_body_held_forces(const pbs_world *w, pbs_body b, double *forces,
                                        double *moments, size_t capacity);
PBS_API pbs_status pbs_body_element_stress(const pbs_world *w, pbs_body b, double *dst,
                                           size_t capacity);
enum {
    PBS_SHAPE_HALF_SPACE = 0,
    PBS_SHAPE_SPHERE = 1,
    PBS_SHAPE_BOX = 2,
    PBS_SHAPE_CAPSULE = 3,
    PBS_SHAPE_CYLINDER = 4,
    PBS_SHAPE_MESH = 5,
    PBS_SHAPE_TORUS = 6,
    PBS_SHAPE_GRID = 7
};
enum { PBS_COLLIDE_CONSTRAINT = 0, PBS_COLLIDE_PENALTY = 1 };
typedef struct pbs_collider_desc {
    uint32_t struct_size;
    int32_t shape;
    double size[3];
    int32_t hollow;
    uint32_t surface_material;
    double position[3];
    double orientation[4];
    double friction;
    size_t vertex_count;
    const double *vertices;
    size_t triangle_count;
    const uint32_t *triangles;
    size_t edge_count;
    const uint32_t *edges;
    uint32_t group;
    uint32_t mask;
    int32_t collision;
    int32_t grid_interpolation;
    double penalty_stiffness;
    double grid_origin[3];
    double grid_cell;
    uint32_t grid_counts[3];
    uint32_t reserved;
    const float *grid_samples;
} pbs_collider_desc;
PBS_API pbs_status pbs_collider_desc_init(pbs_collider_desc *d, size_t struct_size);
PBS_API pbs_status pbs_collider_create(pbs_world *w, const pbs_collider_desc *d, pbs_collider *out);
PBS_API pbs_status pbs_collider_destroy(pbs_world *w, pbs_collider c);
PBS_API bool pbs_collider_is_valid(const pbs_world *w, pbs_collider c);
PBS_API pbs_status pbs_collider_set_motion(pbs_world *w, pbs_collider c, const double position[3],
                                           const double orientation[4]);
PBS_API pbs_status pbs_collider_pose(const pbs_world *w, pbs_collider c, double position[3],
                                     double orientation[4]);
PBS_API pbs_status pbs_collider_force(const pbs_world *w, pbs_collider c, double force[3]);
enum { PBS_GRID_CUBIC = 0, PBS_GRID_LINEAR = 1 };
typedef struct pbs_grid_desc {
    uint32_t struct_size;
    int32_t interpolation;
    size_t vertex_count;
    const double *vertices;
    size_t triangle_count;
    const uint32_t *triangles;
    double cell;
    uint32_t resolution;
    int32_t threads;
    pbs_allocator allocator;
    pbs_log log;
    pbs_tasks tasks;
} pbs_grid_desc;
PBS_API pbs_status pbs_grid_desc_init(pbs_grid_desc *d, size_t struct_size);
typedef struct pbs_grid {
    uint32_t struct_size;
    uint32_t counts[3];
    double origin[3];
    double cell;
    size_t sample_count;
    size_t inside_count;
    size_t sign_count;
    size_t open_count;
    size_t thin_count;
    int32_t is_closed;
    int32_t is_inverted;
} pbs_grid;
PBS_API pbs_status pbs_grid_from_mesh(const pbs_grid_desc *d, float *samples, size_t capacity,
                                      pbs_grid *out);
typedef struct pbs_ray_desc {
    uint32_t struct_size;
    int32_t reserved;
    double origin[3];
    double direction[3];
    double distance;
    uint32_t group;
    uint32_t mask;
} pbs_ray_desc;
PBS_API pbs_status pbs_ray_desc_init(pbs_ray_desc *d, size_t struct_size);
typedef struct pbs_closest_desc {
    uint32_t struct_size;
    int32_t reserved;
    double point[3];
    double distance;
    uint32_t group;
    uint32_t mask;
} pbs_closest_desc;
PBS_API pbs_status pbs_closest_desc_init(pbs_closest_desc *d, size_t struct_size);
typedef struct pbs_surface_point {
    uint32_t struct_size;
    uint32_t triangle;
    pbs_body body;
    pbs_collider collider;
    uint32_t vertices[3];
    uint32_t reserved;
    double weights[3];
    double point[3];
    double normal[3];
    double distance;
} pbs_surface_point;
PBS_API pbs_status pbs_world_ray(const pbs_world *w, const pbs_ray_desc *d, pbs_surface_point *out);
PBS_API pbs_status pbs_world_closest(const pbs_world *w, const pbs_closest_desc *d,
                                     pbs_surface_point *out);
enum {
    PBS_OVERLAP_CLOSE = 0,
    PBS_OVERLAP_TOUCHING = 1,
    PBS_OVERLAP_INTERSECTING = 2,
    PBS_OVERLAP_INSIDE = 3
};
typedef struct pbs_overlap_desc {
    uint32_t struct_size;
    int32_t solid;
    double distance;
    pbs_body body;
    size_t vertex_count;
    const double *positions;
    size_t triangle_count;
    const uint32_t *triangles;
    double position[3];
    double orientation[4];
    const pbs_contact_desc *contact;
} pbs_overlap_desc;
PBS_API pbs_status pbs_overlap_desc_init(pbs_overlap_desc *d, size_t struct_size);
typedef struct pbs_overlap {
    pbs_body bodies[2];
    pbs_collider colliders[2];
    uint32_t vertex_counts[2];
    uint32_t vertices[6];
    int32_t kind;
    uint32_t reserved;
    double gap;
    double normal[3];
} pbs_overlap;
PBS_API pbs_status pbs_world_overlaps(const pbs_world *w, const pbs_overlap_desc *d,
                                      pbs_overlap *dst, size_t struct_size, size_t *count);
typedef struct pbs_separate_desc {
    uint32_t struct_size;
    uint32_t iteration_limit;
    double distance;
    double move_limit;
} pbs_separate_desc;
PBS_API pbs_status pbs_separate_desc_init(pbs_separate_desc *d, size_t struct_size);
typedef struct pbs_separation {
    uint32_t struct_size;
    uint32_t iterations;
    size_t moved_count;
    double longest_move;
    pbs_overlap overlap;
} pbs_separation;
PBS_API pbs_status pbs_world_separate(pbs_world *w, const pbs_separate_desc *d,
                                      pbs_separation *out);
typedef struct pbs_contact_side {
    pbs_body body;
    pbs_collider collider;
    uint32_t vertex_count;
    uint32_t vertices[3];
    double weights[3];
    double point[3];
} pbs_contact_side;
typedef struct pbs_contact {
    pbs_contact_side first;
    pbs_contact_side second;
    double normal[3];
    double gap;
    double normal_force;
    double force[3];
    double friction[3];
} pbs_contact;
PBS_API pbs_status pbs_world_contacts(const pbs_world *w, pbs_contact *dst, size_t struct_size,
                                      size_t *count);
typedef struct pbs_contact_force {
    uint32_t struct_size;
    uint32_t reserved;
    double force[3];
    double friction[3];
    double torque[3];
    double impulse[3];
    double angular_impulse[3];
} pbs_contact_force;
PBS_API pbs_status pbs_body_contact_force(const pbs_world *w, pbs_body b, const double about[3],
                                          pbs_contact_force *out);
PBS_API pbs_status pbs_collider_contact_force(const pbs_world *w, pbs_collider c,
                                              const double about[3], pbs_contact_force *out);
enum { PBS_MATRIX_CSR = 0, PBS_MATRIX_BLOCK_CSR = 1 };
enum { PBS_TRIANGLE_BOTH = 0, PBS_TRIANGLE_UPPER = 1, PBS_TRIANGLE_LOWER = 2 };
typedef struct pbs_matrix {
    uint32_t struct_size;
    int32_t form;
    int32_t triangle;
    int32_t node_count;
    int32_t row_count;
    int32_t entry_count;
    const int32_t *row_start;
    const int32_t *column;
    const double *values;
    const double *positions;
} pbs_matrix;
typedef struct pbs_linear_solver {
    uint32_t struct_size;
    int32_t form;
    int32_t triangle;
    int32_t reserved;
    void *user;
    int32_t (*analyze)(void *user, const pbs_matrix *pattern);
    int32_t (*factor)(void *user, const pbs_matrix *matrix);
    int32_t (*solve)(void *user, const double *b, double *x, double relative_tolerance);
} pbs_linear_solver;
PBS_API pbs_status pbs_linear_solver_init(pbs_linear_solver *s, size_t struct_size);
PBS_API pbs_status pbs_world_set_linear_solver(pbs_world *w, const pbs_linear_solver *s);
typedef struct pbs_system pbs_system;
typedef int32_t (*pbs_system_force_fn)(void *user, double time, const double *x, const double *v,
                                       double *force);
typedef int32_t (*pbs_system_jacobian_fn)(void *user, double time, const double *x, const double *v,
                                          double *dforce_dx, double *dforce_dv);
enum { PBS_UNKNOWN_POSITION = 0, PBS_UNKNOWN_VELOCITY = 1, PBS_UNKNOWN_ACCELERATION = 2 };
typedef struct pbs_system_desc {
    uint32_t struct_size;
    int32_t unknown;
    size_t size;
    const double *mass;
    const double *damping, *stiffness;
    const double *positions, *velocities;
    double time;
    pbs_system_force_fn force;
    pbs_system_jacobian_fn jacobian;
    void *user;
    pbs_allocator allocator;
    double tolerance;
    double relative_tolerance;
    uint32_t newton_limit;
    uint32_t divisions;
} pbs_system_desc;
typedef struct pbs_dense_stats {
    uint32_t struct_size;
    int32_t status;
    uint32_t stages;
    uint32_t divisions;
    uint32_t substeps;
    uint32_t newton_iterations;
    uint32_t force_evaluations;
    uint32_t jacobian_evaluations;
    uint32_t noise_accepts;
    uint32_t reserved;
    double residual;
    double tolerance;
    double step;
    uint64_t step_count;
    uint64_t failed_step_count;
    uint64_t newton_total;
    uint64_t allocator_calls;
    size_t bytes_in_use;
    uint32_t accepted_steps;
    uint32_t rejected_steps;
    uint32_t forced_steps;
    uint32_t more_reserved;
    double shortest_step, longest_step;
    double step_error;
    double step_next;
} pbs_dense_stats;
PBS_API pbs_status pbs_system_desc_init(pbs_system_desc *d, size_t struct_size);
PBS_API pbs_status pbs_system_create(const pbs_system_desc *d, pbs_system **out);
PBS_API void pbs_system_destroy(pbs_system *s);
PBS_API pbs_status pbs_system_step(pbs_system *s, pbs_integrator *i, double h);
PBS_API pbs_status pbs_system_advance(pbs_system *s, pbs_integrator *i, double duration);
PBS_API size_t pbs_system_size(const pbs_system *s);
PBS_API const double *pbs_system_positions(const pbs_system *s);
PBS_API const double *pbs_system_velocities(const pbs_system *s);
PBS_API double pbs_system_time(const pbs_system *s);
PBS_API pbs_status pbs_system_set_state(pbs_system *s, double time, const double *positions,
                                        const double *velocities, size_t count);
PBS_API pbs_status pbs_system_stats(const pbs_system *s, pbs_dense_stats *out);
PBS_API pbs_status pbs_system_condition_number(const pbs_system *s, double *out);
PBS_API pbs_status pbs_system_save(const pbs_system *s, void *buffer, size_t *size);
PBS_API pbs_status pbs_system_restore(pbs_system *s, const void *buffer, size_t size);
enum { PBS_BOND_SHEAR_CHORD = 0, PBS_BOND_SHEAR_ANGLE = 1 };
typedef struct pbs_bonded_desc {
    uint32_t struct_size;
    int32_t no_gravity;
    size_t particle_count;
    const double *positions;
    const double *velocities;
    const double *angular_velocities;
    const double *radii;
    const double *masses;
    size_t bond_count;
    const uint32_t *bonds;
    double density;
    double bond_radius;
    double young;
    double shear_modulus;
    double shear_factor;
    double drag;
    const double *bond_radii;
    const double *bond_young;
    const double *bond_shear_moduli;
    int32_t shear;
    int32_t reserved;
    size_t vertex_count;
    const double *vertices;
    size_t tet_count;
    const uint32_t *tets;
    double macro_young;
    double macro_poisson;
    double tensile_strength;
    double shear_strength;
    const double *bond_tensile_strengths;
    const double *bond_shear_strengths;
    double contact_scale;
    const double *contact_radii;
    double fracture_energy;
    const double *bond_fracture_energies;
    double weibull_modulus;
    uint64_t seed;
} pbs_bonded_desc;
PBS_API pbs_status pbs_bonded_desc_init(pbs_bonded_desc *d, size_t struct_size);
PBS_API pbs_status pbs_bonded_moduli(double macro_young, double macro_poisson, double *young,
                                     double *shear_modulus);
PBS_API pbs_status pbs_body_create_bonded(pbs_world *w, const pbs_bonded_desc *d, pbs_body *out);
PBS_API const double *pbs_body_orientations(const pbs_world *w, pbs_body b);
PBS_API const double *pbs_body_angular_velocities(const pbs_world *w, pbs_body b);
PBS_API pbs_status pbs_body_bonds(const pbs_world *w, pbs_body b, const uint32_t **pairs,
                                  size_t *bond_count);
PBS_API const double *pbs_body_tensile_strengths(const pbs_world *w, pbs_body b);
PBS_API const double *pbs_body_shear_strengths(const pbs_world *w, pbs_body b);
typedef struct pbs_bond_load {
    double normal;
    double shear;
    double torsion;
    double bending;
    double normal_stress;
    double shear_stress;
    double stretch;
} pbs_bond_load;
PBS_API pbs_status pbs_body_bond_loads(const pbs_world *w, pbs_body b, pbs_bond_load *dst,
                                       size_t struct_size, size_t *count);
PBS_API const uint8_t *pbs_body_broken(const pbs_world *w, pbs_body b);
PBS_API pbs_status pbs_body_break_bonds(pbs_world *w, pbs_body b, const uint32_t *bonds,
                                        size_t count);
PBS_API pbs_status pbs_body_cut_plane(pbs_world *w, pbs_body b, const double point[3],
                                      const double normal[3], size_t *cut);
PBS_API pbs_status pbs_body_cut_triangles(pbs_world *w, pbs_body b, const double *corners,
                                          size_t triangle_count, size_t *cut);
typedef struct pbs_broken_bond {
    pbs_body body;
    uint32_t bond;
    uint32_t reserved;
    double time;
    double normal_stress;
    double shear_stress;
    double energy;
    double stretch;
} pbs_broken_bond;
PBS_API pbs_status pbs_world_broken_bonds(const pbs_world *w, pbs_broken_bond *dst,
                                          size_t struct_size, size_t *count);
typedef struct pbs_fragment {
    uint32_t parent;
    uint32_t reserved;
    size_t particle_count;
    double mass;
    double center[3];
    double velocity[3];
    double angular_velocity[3];
    double inertia[9];
} pbs_fragment;
PBS_API pbs_status pbs_body_fragments(const pbs_world *w, pbs_body b, pbs_fragment *dst,
                                      size_t struct_size, size_t *count);
PBS_API const uint32_t *pbs_body_particle_fragments(const pbs_world *w, pbs_body b);
PBS_API const float *pbs_body_damage(const pbs_world *w, pbs_body b);
typedef struct pbs_fracture_surface {
    uint32_t struct_size;
    uint32_t reserved;
    size_t vertex_count;
    size_t triangle_count;
    const uint32_t *triangles;
    const uint32_t *origins;
    const uint32_t *particles;
    const uint8_t *cracked;
} pbs_fracture_surface;
PBS_API pbs_status pbs_body_fracture_surface(const pbs_world *w, pbs_body b,
                                             pbs_fracture_surface *out);
PBS_API pbs_status pbs_body_read_fracture_surface(const pbs_world *w, pbs_body b, int32_t channel,
                                                  float *dst, size_t stride_bytes, size_t capacity);
PBS_API pbs_status pbs_body_set_orientations(pbs_world *w, pbs_body b, const double *xyzw,
                                             size_t particle_count);
PBS_API pbs_status pbs_body_set_angular_velocities(pbs_world *w, pbs_body b, const double *xyz,
                                                   size_t particle_count);
PBS_API pbs_status pbs_body_pin_orientations(pbs_world *w, pbs_body b, const uint32_t *particles,
                                             size_t count);
PBS_API pbs_status pbs_body_unpin_orientations(pbs_world *w, pbs_body b, const uint32_t *particles,
                                               size_t count);
PBS_API pbs_status pbs_body_set_target_orientations(pbs_world *w, pbs_body b,
                                                    const uint32_t *particles, size_t count,
                                                    const double *xyzw);
enum {
    PBS_PERIDYNAMIC_SOLID = 0,
    PBS_PERIDYNAMIC_PLANE_STRESS = 1,
    PBS_PERIDYNAMIC_PLANE_STRAIN = 2,
    PBS_PERIDYNAMIC_BAR = 3
};
typedef struct pbs_peridynamic_desc {
    uint32_t struct_size;
    int32_t no_gravity;
    int32_t dimension;
    int32_t whole_volumes;
    int32_t no_calibration;
    int32_t no_surface_correction;
    size_t particle_count;
    const double *positions;
    const double *velocities;
    const double *volumes;
    const double *box;
    size_t vertex_count;
    const double *vertices;
    size_t tet_count;
    const uint32_t *tets;
    double spacing;
    double horizon;
    double section;
    double density;
    double young;
    const double *particle_densities;
    const double *particle_young;
    double fracture_energy;
    double critical_stretch;
    const double *particle_fracture_energies;
    double weibull_modulus;
    uint64_t seed;
    double damping;
    double drag;
    double contact_scale;
    const double *contact_radii;
    double tensile_strength;
    double softening_knee;
    double softening_initial;
} pbs_peridynamic_desc;
PBS_API pbs_status pbs_peridynamic_desc_init(pbs_peridynamic_desc *d, size_t struct_size);
PBS_API pbs_status pbs_body_create_peridynamic(pbs_world *w, const pbs_peridynamic_desc *d,
                                               pbs_body *out);
PBS_API const double *pbs_body_critical_stretches(const pbs_world *w, pbs_body b);
PBS_API pbs_status pbs_body_set_critical_stretches(pbs_world *w, pbs_body b,
                                                   const double *stretches, size_t bond_count);

#ifdef __cplusplus
}
#endif
#endif
