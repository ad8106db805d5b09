// What contact did in a step: the contacts themselves with their forces and friction, and the sums
// of both over every body and obstacle. Collected stage by stage while a step is taken; forces are
// means over the stages, by their shares in the step's impulse; impulses add up over the steps of a
// run. Keeps no handles and knows no hosts.
//
// A run calls contact_report_start once, contact_report_begin_step before each step it tries,
// contact_set_report after each stage, contact_report_accept for each step that it keeps.
#ifndef PBS_CONTACT_CONTACT_REPORT_H
#define PBS_CONTACT_CONTACT_REPORT_H

#include "contact/contact_blocks.h"
#include "contact/contact_table.h"
#include "geometry/distances/distance.h"

/// What all contacts do to one part: a body or an obstacle.
struct contact_load {
    double force[3];           ///< N, friction left out
    double friction[3];        ///< N
    double torque[3];          ///< N m, about the origin of the world, of both
    double impulse[3];         ///< N s, of the run so far, of both
    double angular_impulse[3]; ///< N m s, likewise, about the origin of the world
    double saved_impulses[6];  ///< both impulses as they were at contact_report_save
};

/// One contact, whether it is still there or was at the start of the step, so that friction acts.
/// Its numbers are its kind's, and so is what they say.
struct contact_record {
    uint32_t contact; ///< the kind: an index into the contact_set
    enum pair_kind kind;
    int point_count;
    uint32_t wall; ///< CONTACT_NO_WALL: a pair of primitives
    uint32_t first, second;
    uint32_t points[CONTACT_POINTS];
    double force[3], friction[3]; ///< N, on the first side
};

/// All zero is a valid empty one. Buffers grow, never shrink.
struct contact_report {
    struct contact_record *records; ///< pairs by kind and numbers, then walls
    size_t record_count;
    struct contact_load *loads; ///< per part: bodies, then obstacles
    size_t part_count;
    double *point_forces; ///< per point of the mesh, 3, N: friction left out
    size_t point_count;
    const uint32_t *node_parts;    ///< for projection: the part of each node; the owner's
    uint32_t first_obstacle;       ///< for projection: the part of obstacle 0
    struct contact_record *merged; ///< scratch
    size_t record_capacity, merged_capacity, load_capacity, point_force_capacity;
};

/// How large a report is to be.
struct contact_report_size {
    size_t parts;
    size_t points;   ///< of the mesh; of a projection 0
    size_t contacts; ///< so many take no more memory
};

/// Parts and points without forces; what was collected is forgotten.
pbs_status contact_report_start(struct memory *memory, const struct contact_report_size *size,
                                struct contact_report *report);
void contact_report_free(struct memory *memory, struct contact_report *report);

/// Forgets what the step before, kept or not, has put on anything; impulses stay.
void contact_report_begin_step(struct contact_report *report);

/// The step, of h seconds, counts.
void contact_report_accept(struct contact_report *report, double h);
/// Impulses as they are, for contact_report_restore.
void contact_report_save(struct contact_report *report);
void contact_report_restore(struct contact_report *report);

// --- for kinds of contact ---

/// sum (of the load) += force at x; the torque of it too.
void contact_load_add(struct contact_load *load, double sum[3], const double x[3],
                      const double force[3]);

/// Records on their way into the list: one run of them at a time, in the order of the list.
struct contact_merging {
    struct contact_report *report;
    size_t passed; ///< of the list that were passed
    size_t out;
};

/// count: as many records at most. Those that there are get the forces of new ones added.
pbs_status contact_merge_begin(struct memory *memory, size_t count, struct contact_report *report,
                               struct contact_merging *merging);
void contact_merge_next(struct contact_merging *merging, const struct contact_record *record);
void contact_merge_end(struct contact_merging *merging);

/// Adds to nodes (node order, 3 each) what their points bear, N, friction left out.
void contact_report_add_node_forces(const struct collision_mesh *mesh,
                                    const struct contact_report *report, double *node_forces);

/// The one with the same numbers, at or after *at, where the next search begins; null: none.
struct contact_record *contact_report_find(struct contact_report *report,
                                           const struct contact_record *record, size_t *at);

/// A record's contact at the state looked at last.
struct contact_geometry {
    uint32_t part[2];
    int count[2];                    ///< points of each side; 0 of a wall
    uint32_t vertex[CONTACT_POINTS]; ///< of each point, in its body
    bool has_nodes;                  ///< those are nodes instead
    double weight[CONTACT_POINTS];   ///< of each point in its side's closest point; sides sum to 1
    double point[2][3];              ///< m, on the surfaces: offsets lie between
    double normal[3];                ///< unit, from the second side to the first
    double gap;                      ///< m
};

#endif
