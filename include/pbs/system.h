// libpbs: small dense systems with forces that the host computes. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_SYSTEM_H
#define PBS_SYSTEM_H

#include "base.h"
#include "integrator.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Solves M x'' + D x' + K x = F(t, x, x') with full matrices, for up to a few hundred unknowns. It
/// is for forces without a potential, and for unknowns that are not the three coordinates of a
/// node. The host chooses the units. Systems share nothing, so different threads may step different
/// systems. Callbacks run on the thread that steps, and must not step, set or destroy their own
/// system. See pbs_system_create.
typedef struct pbs_system pbs_system;

/// Computes the forces F(t, x, v).
/// @param x,v  `size` numbers each
/// @param force  output, `size` numbers; every one must be written
/// @return 0: done. > 0: forces are not defined at this state, divide the step; forces that are not
/// finite have the same effect. < 0: stop, and the step fails with PBS_ERROR_HOST. The step also
/// fails with PBS_ERROR_HOST if the callback returns 0 without writing every number.
typedef int32_t (*pbs_system_force_fn)(void *user, double time, const double *x, const double *v,
                                       double *force);

/// Computes the derivatives of F. They need not be exact or symmetric: if they are wrong, Newton's
/// method takes more iterations and ends at the same state.
/// @param dforce_dx,dforce_dv  output, size x size, row-major (row i: derivatives of force i), zero
/// on entry
/// @return as pbs_system_force_fn
typedef int32_t (*pbs_system_jacobian_fn)(void *user, double time, const double *x, const double *v,
                                          double *dforce_dx, double *dforce_dv);

/// The unknown of Newton's method. The residual is in the units of this unknown, and the initial
/// guess is its value at the start of the step. GAT uses the acceleration for generalised-alpha and
/// the velocity for theta methods. With velocities or accelerations as unknowns, rounding errors of
/// the residual grow with the stiffness; with positions they do not.
typedef enum pbs_unknown {
    PBS_UNKNOWN_POSITION = 0,
    PBS_UNKNOWN_VELOCITY = 1,
    PBS_UNKNOWN_ACCELERATION = 2
} pbs_unknown;

/// A system; all arrays are copied.
typedef struct pbs_system_desc {
    uint32_t struct_size;                 ///< set by pbs_system_desc_init
    int32_t unknown;                      ///< pbs_unknown
    size_t size;                          ///< n, number of unknowns
    const double *mass;                   ///< n x n, row-major, not singular; null: the identity
    const double *damping, *stiffness;    ///< n x n, row-major; null: zero
    const double *positions, *velocities; ///< n; null: zero
    double time;                          ///< at the start
    pbs_system_force_fn force;            ///< null: F = 0
    pbs_system_jacobian_fn jacobian; ///< null: finite differences by GAT's three-point rule, 2 n
                                     ///< evaluations of the forces each time
    void *user;                      ///< passed to both callbacks
    pbs_allocator allocator;   ///< all zero: the C library's allocator. Called only when the system
                               ///< is created and destroyed
    double tolerance;          ///< absolute part: the residual's 2-norm must not exceed tolerance +
                               ///< relative_tolerance * |initial guess|_2. In units of the unknown
    double relative_tolerance; ///< relative part, see `tolerance`
    uint32_t newton_limit;     ///< largest number of iterations per stage
    uint32_t divisions;        ///< 0 to 30: a failed step is halved, and its halves again, up to
                               ///< this many times
} pbs_system_desc;

/// Statistics of the last step, and totals. After pbs_system_advance they are sums over its steps,
/// including rejected ones. As with pbs_energy, the caller sets struct_size =
/// sizeof(pbs_dense_stats) and nothing else.
typedef struct pbs_dense_stats {
    uint32_t struct_size;       ///< set by the caller, not changed by the call
    int32_t status;             ///< pbs_status_code, of the last step
    uint32_t stages;            ///< stages that were solved or failed
    uint32_t divisions;         ///< number of parts that failed and were halved
    uint32_t substeps;          ///< number of parts that were accepted; 1 if nothing failed
    uint32_t newton_iterations; ///< each with one linear solve
    uint32_t force_evaluations; ///< including those for derivatives
    uint32_t jacobian_evaluations;
    uint32_t roundoff_accepts; ///< stages that ended above their tolerance because the corrections
                               ///< were rounding errors
    uint32_t reserved;         ///< 0
    double residual;           ///< 2-norm at the end of the last stage, in units of the unknown
    double tolerance;          ///< the tolerance that the residual was compared with
    double step;               ///< length of the last step, or the duration of the last advance
    pbs_step_control_stats step_control;
    pbs_total_stats total;   ///< since the system was made
    pbs_memory_stats memory; ///< of this system
} pbs_dense_stats;

/// Fills *d with defaults: one unknown at rest, tolerance 1e-10 and 1e-12, 50 iterations, 20
/// divisions.
/// @param struct_size  sizeof(pbs_system_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_system_desc_init(pbs_system_desc *d, size_t struct_size);

/// Creates a system; pbs_system_destroy frees it. All its memory is allocated here: at most 56 n^2
/// + 900 n bytes and some kilobytes. OpenBLAS also allocates its own buffers and threads. Results
/// do not depend on its number of threads: the matrix panels are so small that OpenBLAS uses one
/// thread.
/// @param out  written only on success
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite or out of its range, a
/// singular mass matrix, only one of the two allocator functions), PBS_ERROR_STRUCT_SIZE,
/// PBS_ERROR_MEMORY
PBS_API pbs_status pbs_system_create(const pbs_system_desc *d, pbs_system **out);

/// A description that makes the system again, in its present state. Its arrays are the system's,
/// valid until it is stepped, set, restored or destroyed; the allocator becomes zero.
/// @param out  struct_size set by the caller, as pbs_system_desc_init does
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_system_settings(const pbs_system *s, pbs_system_desc *out);

/// Frees a system. Null is fine.
PBS_API void pbs_system_destroy(pbs_system *s);

/// Advances the system by one step of length h > 0. The integrator is only read during the call. If
/// the scheme or its parameters differ from those of the previous step, multi-step schemes start
/// without history, as after pbs_system_set_state. Each stage solves M (x - x~) = c [F(t, x, v) - D
/// v - K x], v = (x - p_x) / b (docs/theory/schemes.md section 1) by Newton's method. As in GAT, a
/// stage has failed if none of the first three residuals is below the initial one, or if
/// newton_limit is reached. A part that fails is halved. In the second-order theta method, the
/// first half starts without history, and the step after the halved part uses the start and the end
/// of the part as its two previous states (GAT section 2.3.2). Damping is not lagged here, so all
/// schemes keep their order with it. A-1 and the decoupled method take F(t, x, 0) - K x as the
/// conservative forces. They need PBS_ALPHA_FIXED: searches for alpha and blending need an energy,
/// which a system does not have. The call allocates nothing.
/// @return PBS_DIVIDED (done, in parts), PBS_ERROR_ARGUMENT (a null pointer, h, a scheme that needs
/// an energy), PBS_ERROR_CONVERGENCE, PBS_ERROR_INADMISSIBLE (no finite forces), PBS_ERROR_HOST.
/// After an error the state is unchanged
PBS_API pbs_status pbs_system_step(pbs_system *s, pbs_integrator *i, double h);

/// Advances the system by `duration` > 0 in as many steps as the integrator's step control chooses;
/// without step control in one step. The last step ends exactly at `duration`. The call does what
/// pbs_world_advance does, with other measures: PBS_STEP_SPEED_LIMIT and PBS_STEP_STRETCH_LIMIT
/// measure the unknown that changes most, and all lengths are in the system's units. With
/// `linearized`, forces are linearised in positions and velocities (ATS), and the system's
/// tolerances are ignored. PBS_STEP_ALPHA needs an energy and is refused. The next advance starts
/// with the step length that this one used before its last step was shortened to end at `duration`,
/// unless the scheme has changed.
/// @return as pbs_system_step; either the whole advance takes effect or nothing has changed.
/// PBS_ERROR_ARGUMENT also if it would take more than 1e9 of the longest steps
/// @see ATS section 3
PBS_API pbs_status pbs_system_advance(pbs_system *s, pbs_integrator *i, double duration);

/// Returns n; 0 if s is null.
PBS_API size_t pbs_system_size(const pbs_system *s);

/// Returns n positions, valid until the next call that changes the system; null if s is null.
PBS_API const double *pbs_system_positions(const pbs_system *s);

/// Returns n velocities, valid until the next call that changes the system; null if s is null.
PBS_API const double *pbs_system_velocities(const pbs_system *s);

/// Returns the time that the system has reached; 0 if s is null.
PBS_API double pbs_system_time(const pbs_system *s);

/// Sets the state, and discards the history of multi-step schemes.
/// @param positions,velocities  n numbers each; null: unchanged
/// @param count  n
/// @return PBS_ERROR_ARGUMENT (s is null, another count, a number that is not finite)
PBS_API pbs_status pbs_system_set_state(pbs_system *s, double time, const double *positions,
                                        const double *velocities, size_t count);

/// Reads the statistics of the last step.
/// @param out  its struct_size must be set
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_system_stats(const pbs_system *s, pbs_dense_stats *out);

/// Estimates the condition number ||A||_1 ||A^-1||_1 of the last Newton matrix A = M - c (dF/dx - K
/// + (dF/dv - D) / b) by LAPACK's dgecon. The estimate is a lower bound, rarely off by more than a
/// factor of 3.
/// @param out  infinity if A was singular, or if no step has computed one yet
/// @return PBS_ERROR_ARGUMENT (a null pointer)
PBS_API pbs_status pbs_system_condition_number(const pbs_system *s, double *out);

/// Saves the state, the time and the scheme's history as bytes, without matrices, callbacks and
/// tolerances. A restored system continues with bit-identical results.
/// @param buffer at any address; null: only *size is set
/// @param size the buffer's capacity on entry, the number of bytes written or needed on return
/// @return PBS_ERROR_ARGUMENT (s or size is null), PBS_ERROR_CAPACITY (*size is the size needed)
PBS_API pbs_status pbs_system_save(const pbs_system *s, void *buffer, size_t *size);

/// Restores the saved state of a system of the same size. Statistics start from zero. On failure
/// the state is unchanged.
/// @param buffer at any address; read during the call only
/// @param size exactly what was saved
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_FORMAT (damaged, foreign version or
/// endianness, another size)
PBS_API pbs_status pbs_system_restore(pbs_system *s, const void *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
