// Adds the forces of barrier contact and its friction to a report (contact_report.h).
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_BARRIER_BARRIER_REPORT_H
#define PBS_CONTACT_BARRIER_BARRIER_REPORT_H

#include "contact/barrier/barrier_contact.h"
#include "contact/contact_report.h"

/// Adds the forces and the friction of the state evaluated last, times the stage's
/// impulse_fraction. If that is 0, contacts are only listed.
pbs_status barrier_report_add(const struct barrier_contact *contact,
                              const struct contact_stage *stage);

void barrier_report_geometry(const struct barrier_contact *contact,
                             const struct contact_record *record, struct contact_geometry *out);

#endif
