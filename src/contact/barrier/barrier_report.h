// From barriers and their friction to a report (contact_report.h).
#ifndef PBS_CONTACT_BARRIER_BARRIER_REPORT_H
#define PBS_CONTACT_BARRIER_BARRIER_REPORT_H

#include "contact/barrier/barrier_contact.h"
#include "contact/contact_report.h"

/// Adds share times the forces and the friction at the state that the contact was evaluated at
/// last. share 0: only lists its contacts.
pbs_status barrier_report_add(const struct barrier_contact *contact,
                              const struct contact_stage *stage);

void barrier_report_geometry(const struct barrier_contact *contact,
                             const struct contact_record *record, struct contact_geometry *out);

#endif
