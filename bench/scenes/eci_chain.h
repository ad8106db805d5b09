// ECI section 5.5, as docs/theory/scenes.md section 2 found its settings: a chain of
// one-dimensional elements, 1 m and 10 kg, flies at 1 m/s against a wall at x = 0 and bounces back,
// all of it a host's own energy. For tests and benches; uses the public API alone.
#ifndef PBS_BENCH_ECI_CHAIN_H
#define PBS_BENCH_ECI_CHAIN_H

#include <pbs/pbs.h>

enum eci_damping { ECI_DAMPING_DIAGONAL, ECI_DAMPING_STIFFNESS };

struct eci_chain {
    double sound;   ///< m/s: 1 soft, 10 medium, 100 stiff
    double gap;     ///< m, between the wall and the chain at first
    double damping; ///< s; D is this times the Hessian's diagonal, or the chain's stiffness (ECI
                    ///< eq. 17) without the wall
    enum eci_damping damping_kind;
    pbs_integrator_desc integrator;
    double h;         ///< s
    double tolerance; ///< of Newton's steps, relative to h: 1e-8 where it should not matter
};

struct eci_chain_result {
    pbs_status status;    ///< worst of all steps
    int steps;            ///< taken, fewer than asked for where one failed
    double velocity;      ///< m/s, of the centre of mass at the end
    double energy;        ///< J, conservative, at the end
    double least, most;   ///< J, of the energy over all steps
    double target_excess; ///< J, the largest that the energy was above its target; -inf without
};

/// Runs until `time` seconds, or until the energy is above `energy_limit`.
struct eci_chain_result eci_chain_run(const struct eci_chain *chain, double time,
                                      double energy_limit);

/// One of ECI's table 2: 36 values without damping, then 12 of the soft chain with damping.
struct eci_table_row {
    int steps_per_second;
    double sound;
    int32_t scheme;
    bool damped;
    double published, measured; ///< ECI's value; that of the reference's prototype
};

enum { ECI_TABLE_ROWS = 48 };
extern const struct eci_table_row eci_table[ECI_TABLE_ROWS];

/// The row's chain; gap and damping as section 4.1 has them. PBS_OK or what the library answered.
pbs_status eci_table_chain(const struct eci_table_row *row, struct eci_chain *out);

#endif
