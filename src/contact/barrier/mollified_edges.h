// The Hessian of the mollified barrier between nearly parallel edges, m(s^2) b(d): b is the barrier
// of their distance d, and IPC's mollifier m (Li et al. 2020, section 4.4) vanishes as s = |u x v|
// of the edges u and v goes to zero.
// Theory: docs/theory/contact.md section 2.3.
#ifndef PBS_CONTACT_BARRIER_MOLLIFIED_EDGES_H
#define PBS_CONTACT_BARRIER_MOLLIFIED_EDGES_H

#include "contact/barrier/contact_state.h"

/// Adds, with a = grad d and q = grad s,
///     [m b'' a a^T + m_s b' (a q^T + q a^T) + m_ss b q q^T]^+ + m_s b (hess s)^+,
/// where ^+ is the positive semidefinite part. The term of hess d is not included. The second
/// derivatives of u x v are omitted, since they may have either sign. Adds at most four vectors.
void mollified_edges_hessian(const struct active_contact *contact,
                             const double *const x[PAIR_NODES], struct contact_hessian *hessian);

#endif
