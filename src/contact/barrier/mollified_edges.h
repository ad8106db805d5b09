// Second derivatives of what nearly parallel edges have in common: m(s^2) b(d), the barrier of
// their distance d, taken back by IPC's mollifier (Li et al. 2020, section 4.4) as s = |u x v| of
// the edges u and v goes to zero.
// Theory: docs/theory/contact.md section 2.3.
#ifndef PBS_CONTACT_BARRIER_MOLLIFIED_EDGES_H
#define PBS_CONTACT_BARRIER_MOLLIFIED_EDGES_H

#include "contact/barrier/barrier_contact.h"

/// Adds, with a = grad d and q = grad s,
///     [m b'' a a^T + m_s b' (a q^T + q a^T) + m_ss b q q^T]^+ + m_s b (hess s)^+,
/// the positive parts of the curvature but for that of the distance; the second derivatives of
/// u x v are left out, as they are of either sign. At most four vectors.
void mollified_edges_hessian(const struct active_contact *contact,
                             const double *const x[PAIR_NODES], struct contact_hessian *hessian);

#endif
