// The report of what contact did in a step: one record for each contact with its force and its
// friction, and the sums of both over every body and obstacle. It is collected stage by stage.
// Forces are means over the stages, weighted by the stages' fractions of the step's impulse.
// Impulses add up over all steps of a run. The report knows parts and points, no handles of the
// host.
//
// A run calls contact_report_start once, contact_report_begin_step before each attempted step,
// contact_set_report after each stage, and contact_report_accept for each accepted step.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_CONTACT_REPORT_H
#define PBS_CONTACT_CONTACT_REPORT_H

#include "contact/contact_blocks.h"
#include "contact/contact_table.h"
#include "geometry/distances/distance.h"

/// The total load of all contacts on one part, which is a body or an obstacle.
struct contact_load {
    double force[3];           ///< N, without friction
    double friction[3];        ///< N
    double torque[3];          ///< N m, of force and friction, about the world's origin
    double impulse[3];         ///< N s, of force and friction, summed over the run
    double angular_impulse[3]; ///< N m s, likewise, about the world's origin
    double saved_impulses[6];  ///< impulse and angular_impulse at the last contact_report_save
};

/// One contact of the current state, or one that was active when its friction was lagged. The
/// indices have the meaning that the kind of contact gives them.
struct contact_record {
    uint32_t contact; ///< the kind of contact: its index in the contact_set
    enum pair_kind kind;
    int point_count;
    uint32_t wall; ///< CONTACT_NO_WALL for a pair of primitives
    uint32_t first, second;
    uint32_t points[CONTACT_POINTS];
    double force[3], friction[3]; ///< N, on the first side
};

/// A zero-initialised report is empty and valid. Buffers grow and never shrink.
struct contact_report {
    struct contact_record *records; ///< sorted: pairs by kind and indices, then walls
    size_t record_count;
    struct contact_load *loads; ///< one per part: bodies, then obstacles
    size_t part_count;
    double *point_forces; ///< point_count x 3, N, per point of the mesh, without friction
    size_t point_count;
    const uint32_t *node_parts;    ///< for projection: the part of each node; owned by the caller
    uint32_t first_obstacle;       ///< for projection: the part of obstacle 0
    struct contact_record *merged; ///< scratch
    size_t record_capacity, merged_capacity, load_capacity, point_force_capacity;
};

/// The dimensions of a report.
struct contact_report_size {
    size_t parts;
    size_t points;   ///< of the mesh; 0 with projection
    size_t contacts; ///< number of records for which memory is allocated in advance
};

/// Starts a run: sets the dimensions and clears all forces, impulses and records.
pbs_status contact_report_start(struct memory *memory, const struct contact_report_size *size,
                                struct contact_report *report);
void contact_report_free(struct memory *memory, struct contact_report *report);

/// Starts a step: clears records, forces and friction. Impulses are preserved.
void contact_report_begin_step(struct contact_report *report);

/// Accepts the step, of h seconds: adds its impulses to those of the run.
void contact_report_accept(struct contact_report *report, double h);
/// Saves the impulses for contact_report_restore.
void contact_report_save(struct contact_report *report);
void contact_report_restore(struct contact_report *report);

// --- for kinds of contact ---

/// Adds a force that acts at x to `sum`, a member of the load, and its torque to the load's torque.
void contact_load_add(struct contact_load *load, double sum[3], const double x[3],
                      const double force[3]);

/// An ongoing merge of new records into the sorted list of a report. The new records must come in
/// the order of that list.
struct contact_merging {
    struct contact_report *report;
    size_t passed; ///< number of old records already copied
    size_t out;
};

/// Starts to merge at most `count` new records. Where a record of the same contact exists, the
/// forces are added to it.
pbs_status contact_merge_begin(struct memory *memory, size_t count, struct contact_report *report,
                               struct contact_merging *merging);
void contact_merge_next(struct contact_merging *merging, const struct contact_record *record);
void contact_merge_end(struct contact_merging *merging);

/// Adds the contact forces on the mesh's points, without friction, to the nodes' forces (node
/// order, 3 each, N).
void contact_report_add_node_forces(const struct collision_mesh *mesh,
                                    const struct contact_report *report, double *node_forces);

/// Returns the record of the same contact at or after index *at, or null if there is none. Sets *at
/// to where the next search can start.
struct contact_record *contact_report_find(struct contact_report *report,
                                           const struct contact_record *record, size_t *at);

/// The geometry of a record's contact at the state evaluated last.
struct contact_geometry {
    uint32_t part[2];
    int count[2];                    ///< points of each side; 0 for a wall
    uint32_t vertex[CONTACT_POINTS]; ///< of each point: its index in its body
    bool has_nodes;                  ///< true: `vertex` holds node indices instead
    double weight[CONTACT_POINTS]; ///< of each point in its side's closest point; the weights of a
                                   ///< side sum to 1
    double point[2][3];            ///< m, the closest points, on the surfaces at their offsets
    double normal[3];              ///< unit, from the second side to the first
    double gap;                    ///< m
};

#endif
