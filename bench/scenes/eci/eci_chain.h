// The scene of ECI section 5.5, with the settings of docs/theory/scenes.md section 2: a chain of
// one-dimensional elements, 1 m and 10 kg, hits a wall at x = 0 at 1 m/s and bounces back. The
// chain is a custom energy. For tests and benches; uses the public API only.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_ECI_CHAIN_H
#define PBS_BENCH_ECI_CHAIN_H

#include <pbs/pbs.h>

enum eci_damping { ECI_DAMPING_DIAGONAL, ECI_DAMPING_STIFFNESS };

struct eci_chain {
    double sound;   ///< speed of sound, m/s: 1 soft, 10 medium, 100 stiff
    double gap;     ///< m, initial gap between wall and chain
    double damping; ///< s; D is this times the Hessian's diagonal, or times the chain's stiffness
                    ///< without the wall (ECI eq. 17)
    enum eci_damping damping_kind;
    pbs_integrator_desc integrator;
    double h;         ///< s
    double tolerance; ///< tolerance of Newton's method relative to h; 1e-8 is small enough not to
                      ///< affect results
};

struct eci_chain_result {
    pbs_status status;    ///< worst of all steps
    int steps;            ///< number of steps; fewer than requested if one failed
    double velocity;      ///< m/s, velocity of the centre of mass at the end
    double energy;        ///< J, conservative energy at the end
    double least, most;   ///< J, extremes of the energy over all steps
    double target_excess; ///< J, largest excess of the energy over its target; -inf without target
};

/// Runs for `time` seconds, or until the energy exceeds `energy_limit`.
struct eci_chain_result eci_chain_run(const struct eci_chain *chain, double time,
                                      double energy_limit);

/// One entry of ECI's table 2: 36 values without damping, then 12 of the soft chain with damping.
struct eci_table_row {
    int steps_per_second;
    double sound;
    int32_t scheme;
    bool damped;
    double published, measured; ///< value of ECI; value of the prototype in docs/theory/scenes.md
                                ///< section 2
};

enum { ECI_TABLE_ROWS = 48 };
extern const struct eci_table_row eci_table[ECI_TABLE_ROWS];

/// Fills *out with the chain of the row; gap and damping are those of ECI section 4.1.
pbs_status eci_table_chain(const struct eci_table_row *row, struct eci_chain *out);

#endif
