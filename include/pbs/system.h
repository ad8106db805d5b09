// libpbs: small dense systems with forces of the host's. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_SYSTEM_H
#define PBS_SYSTEM_H

#include "base.h"
#include "integrator.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/// M x'' + D x' + K x = F(t, x, x') with full matrices, for up to some hundreds of unknowns: for
/// forces without a potential, and unknowns that are not three coordinates of a node. Units are the
/// host's. Systems share nothing: different threads may step different ones. Callbacks run on the
/// thread that steps, and must not step, set or destroy their own system. See pbs_system_create.
typedef struct pbs_system pbs_system;

/// The forces F(t, x, v).
/// @param x,v  `size` numbers each
/// @param force  to be filled, `size` numbers, every one of them
/// @return 0: done. > 0: forces are not defined at this state, divide the step; forces that are not
/// finite say the same. < 0: stop, and the step fails with PBS_ERROR_HOST. It does so, too, where
/// the answer is 0 and a number was not written.
typedef int32_t (*pbs_system_force_fn)(void *user, double time, const double *x, const double *v,
                                       double *force);

/// The derivatives of F. They need not be exact, nor symmetric: Newton's method takes longer where
/// they are wrong, and ends at the same state.
/// @param dforce_dx,dforce_dv  to be filled, size x size, row-major (row i: derivatives of force
/// i), zero on entry
/// @return as pbs_system_force_fn
typedef int32_t (*pbs_system_jacobian_fn)(void *user, double time, const double *x, const double *v,
                                          double *dforce_dx, double *dforce_dv);

/// The unknown of Newton's method: the residual is in its units, and the initial guess is its value
/// at the start of the step. GAT takes the acceleration for generalised-alpha and the velocity for
/// theta methods. Only with positions do rounding errors of the residual not grow with stiffness.
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
    pbs_system_force_fn force;            ///< null: no forces but those of the matrices
    pbs_system_jacobian_fn jacobian;      ///< null: by GAT's three-point rule, 2 n forces each time
    void *user;                           ///< handed to both
    pbs_allocator allocator;   ///< all zero: the C library's; called in create and destroy only
    double tolerance;          ///< of the residual's 2-norm, in units of the unknown
    double relative_tolerance; ///< added: this times the 2-norm of the first guess
    uint32_t newton_limit;     ///< most iterations of a stage
    uint32_t divisions;        ///< 0 to 30: a failed step is halved, and its halves again, up to
                               ///< this many times
} pbs_system_desc;

/// What the last step of a system did, and totals; of an advance sums over its steps, rejected
/// tries included. As with pbs_energy, the caller sets struct_size = sizeof(pbs_dense_stats) and
/// nothing else.
typedef struct pbs_dense_stats {
    uint32_t struct_size;       ///< set by the caller, not changed by the call
    int32_t status;             ///< pbs_status_code, of the last step
    uint32_t stages;            ///< solved or given up
    uint32_t divisions;         ///< parts that failed and were halved
    uint32_t substeps;          ///< parts that landed: 1 where nothing failed
    uint32_t newton_iterations; ///< each is one linear solve
    uint32_t force_evaluations; ///< those for derivatives included
    uint32_t jacobian_evaluations;
    uint32_t roundoff_accepts; ///< stages that ended above their tolerance, as their corrections
                               ///< were rounding errors
    uint32_t reserved;         ///< 0
    double residual;           ///< 2-norm at the end of the last stage, in units of the unknown
    double tolerance;          ///< what it was compared with
    double step;               ///< length of the last step; of an advance: its duration
    pbs_step_control_stats step_control;
    pbs_total_stats total;   ///< since the system was made
    pbs_memory_stats memory; ///< of this system
} pbs_dense_stats;

/// Fills *d with defaults: one unknown at rest, tolerance 1e-10 and 1e-12, 50 iterations, 20
/// divisions.
/// @param struct_size  sizeof(pbs_system_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_system_desc_init(pbs_system_desc *d, size_t struct_size);

/// Makes a system; pbs_system_destroy frees it. All its memory is allocated here: at most 56 n^2 +
/// 900 n bytes and some kilobytes. OpenBLAS has buffers and threads of its own; results do not
/// depend on their number, as panels are too small for it to use more than one.
/// @param out  written only on success
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite or out of its range, a
/// singular mass matrix, one of two allocator functions), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
PBS_API pbs_status pbs_system_create(const pbs_system_desc *d, pbs_system **out);

/// Frees a system. Null is fine.
PBS_API void pbs_system_destroy(pbs_system *s);

/// One step of length h > 0. The integrator is read, not kept. With another scheme or other
/// parameters than in the step before, multi-step schemes start afresh, as after
/// pbs_system_set_state. Each stage solves M (x - x~) = c [F(t, x, v) - D v - K x], v = (x - p_x) /
/// b (docs/theory/schemes.md section 1) by Newton's method. As in GAT, a stage has failed when none
/// of the first three residuals is below the initial one, or newton_limit is reached. A part that
/// fails is halved. In the second-order theta method the first half starts afresh, and afterwards
/// the ends of the whole part are neighbours (GAT section 2.3.2). Damping needs no lagging here, so
/// all schemes keep their order with it. A-1 and the decoupled method take F(t, x, 0) - K x for the
/// conservative forces, and need PBS_ALPHA_FIXED: searches and blending need an energy, which a
/// system has not. Allocates nothing.
/// @return PBS_DIVIDED (done, in parts), PBS_ERROR_ARGUMENT (a null pointer, h, a scheme that needs
/// an energy), PBS_ERROR_CONVERGENCE, PBS_ERROR_INADMISSIBLE (no finite forces),
/// PBS_ERROR_HOST; after an error the state is as it was
PBS_API pbs_status pbs_system_step(pbs_system *s, pbs_integrator *i, double h);

/// As many steps as the integrator's step control wants, which end exactly `duration` > 0 later;
/// without step control one step. It does what pbs_world_advance does, but measures differently:
/// PBS_STEP_SPEED_LIMIT and PBS_STEP_STRETCH_LIMIT take the unknown that moves most, and all is in
/// the system's units. With `linearized`, forces are linearised in positions and velocities (ATS),
/// and the system's tolerances are ignored. PBS_STEP_ALPHA needs an energy. The next advance goes
/// on with the step length before its end, until the scheme changes.
/// @return as pbs_system_step; the whole advance lands, or nothing has changed; PBS_ERROR_ARGUMENT
/// also where it would take more than 1e9 of the longest steps
/// @see ATS section 3
PBS_API pbs_status pbs_system_advance(pbs_system *s, pbs_integrator *i, double duration);

/// n, or 0 where s is null.
PBS_API size_t pbs_system_size(const pbs_system *s);

/// n positions; valid until the next call that changes the system. Null where s is null.
PBS_API const double *pbs_system_positions(const pbs_system *s);

/// n velocities; valid until the next call that changes the system. Null where s is null.
PBS_API const double *pbs_system_velocities(const pbs_system *s);

/// The time that the system has reached; 0 where s is null.
PBS_API double pbs_system_time(const pbs_system *s);

/// Sets the state. What the scheme remembers of earlier steps is forgotten.
/// @param positions,velocities  n numbers each; null: as they are
/// @param count  n
/// @return PBS_ERROR_ARGUMENT (s is null, another count, a number that is not finite)
PBS_API pbs_status pbs_system_set_state(pbs_system *s, double time, const double *positions,
                                        const double *velocities, size_t count);

/// What the last step did.
/// @param out  its struct_size must be set
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_system_stats(const pbs_system *s, pbs_dense_stats *out);

/// The condition number ||A||_1 ||A^-1||_1 of the last Newton matrix A = M - c (dF/dx - K + (dF/dv
/// - D) / b), as LAPACK's dgecon estimates it (from below, rarely by more than a factor of 3).
/// @param out  infinity where A was singular, or where no step has had one yet
/// @return PBS_ERROR_ARGUMENT (a null pointer)
PBS_API pbs_status pbs_system_condition_number(const pbs_system *s, double *out);

/// Writes state, time and what the scheme remembers as bytes, without matrices, callbacks and
/// tolerances. A restored system goes on to the same bits.
/// @param buffer  at any address; null: only *size is set
/// @param size  the buffer's capacity on entry, the number of bytes written or needed on return
/// @return PBS_ERROR_ARGUMENT (s or size is null), PBS_ERROR_CAPACITY (*size is what is needed)
PBS_API pbs_status pbs_system_save(const pbs_system *s, void *buffer, size_t *size);

/// Restores the saved state of a system of the same size. Statistics begin anew. On failure the
/// state is as it was.
/// @param buffer  at any address; read during the call only
/// @param size  exactly what was saved
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_FORMAT (damaged, foreign version or
/// endianness, another size)
PBS_API pbs_status pbs_system_restore(pbs_system *s, const void *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
