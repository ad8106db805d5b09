// Features: what lives with a world beside its bodies' kinds, as wind or sensors. Each is a file
// with a row: its data in the scene and what happens to them in the life of a world, which is saved
// and restored, steps, fails, is drawn and freed. The code that does so calls all rows and names
// none.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_FEATURES_FEATURE_H
#define PBS_WORLD_FEATURES_FEATURE_H

#include "pbs/world.h"
#include "world/interface/fields.h"

struct body;
struct body_terms;
struct debug_lines;
struct scheme_table;
struct nodes;
struct scene;

/// The order in which rows are called and saved. The data of a feature are
/// scene->features[FEATURE_...].
enum feature_id {
    FEATURE_PRESSURE,
    FEATURE_WIND,
    FEATURE_GRAVITY,
    FEATURE_ORIENTATIONS,
    FEATURE_TORQUES,
    FEATURE_LOADS,
    FEATURE_JOINTS,
    FEATURE_IMPACTS,
    FEATURE_SENSORS,
    FEATURE_COUNT
};

/// Where the forces of a step are placed: at x + ahead v, of the world's nodes.
struct load_state {
    const double *x, *v;
    double ahead; ///< s
};

/// N, per body of the scene: what forces add to the scales by which a body is solved, in the sense
/// of hypot.
struct feature_forces {
    const uint32_t *node_parts; ///< per node: its body
    double *nominal;            ///< including what resists them
    double *host;               ///< as hosts have set them
};

/// Functions may be null where there is nothing to do.
struct feature {
    size_t size; ///< bytes of its data in a scene, which are zeros to begin with; 0: it has none
    void (*free)(void *data, struct memory *memory); ///< frees what its data own

    // --- saving ---
    /// The lists that its functions write by; the last entry is null.
    const struct field_list *const *lists;
    /// Write and read what hosts have described, after bodies and joints.
    void (*write)(struct byte_writer *out, const struct scene *scene);
    pbs_status (*read)(struct byte_reader *in, struct memory *memory, struct scene *scene);
    /// Write and read what steps change. Reading works in a scene that was just made from its
    /// descriptions and in one that has taken steps.
    void (*write_state)(struct byte_writer *out, const struct scene *scene);
    pbs_status (*read_state)(struct byte_reader *in, struct memory *memory, struct scene *scene);
    /// Forgets what is known of the last step and what was built of the state, after it was read.
    void (*forget)(pbs_world *w);

    // --- bodies ---
    /// What every body has of it: a list of struct body, saved after the description of its kind.
    const struct field_list *body_fields;
    const struct field_list *body_state; ///< likewise, saved with what steps change
    /// Checks these members of a body that was read. PBS_ERROR_FORMAT, PBS_ERROR_ARGUMENT.
    pbs_status (*check_body)(const struct scene *scene, struct memory *memory, struct body *body);

    pbs_status (*check_body_state)(const struct body *body); ///< likewise, of body_state
    /// PBS_ERROR_ARGUMENT where the scheme does not support what the body has of it.
    pbs_status (*check_scheme)(const struct body *body, const struct scheme_table *scheme);

    /// A body is destroyed: what is of it goes, too.
    void (*body_destroyed)(pbs_world *w, const struct body *body);

    // --- forces ---
    /// Whether forces act in this call that follow the bodies' places, and are constant in a step.
    /// They are loads of the host's, with its forces at vertices.
    bool (*has_loads)(const struct scene *scene);
    /// Adds these forces, N, 3 per node of the world.
    void (*add_loads)(const struct scene *scene, const struct load_state *at, double *force);
    /// Adds terms of potentials. *out: what the model keeps of them under the feature's id, until
    /// destroy_terms; null: there are none.
    pbs_status (*add_terms)(const struct scene *scene, struct memory *memory,
                            struct body_terms *terms, void **out);
    /// Adds terms of forces that are no gradient of a potential: parts of them are taken from the
    /// start of a stage. They come after all potentials.
    pbs_status (*add_lagged_terms)(const struct scene *scene, struct memory *memory,
                                   struct body_terms *terms, void **out);
    void (*destroy_terms)(void *own, struct memory *memory);
    /// Whether such a force acts on the body: then no motion of it is known before a step.
    bool (*lags_on)(const struct body *body);
    /// N: how large the forces are at the scene's state, for the world's reference force.
    double (*reference)(const void *own, const struct scene *scene);
    /// Adds the forces on single bodies.
    void (*add_body_forces)(const void *own, const struct scene *scene,
                            const struct feature_forces *out);
    /// Subtracts the force on a body that it acts on from the gradient of all potentials, 3 per
    /// node of the world.
    void (*add_reaction)(const struct nodes *nodes, const struct body *body, double *gradient);

    // --- steps ---
    /// A call begins, and the rest of what steps compute with is current: makes what this feature
    /// has of it, and memory. Nothing else has changed. Also called by pbs_world_prepare, without
    /// steps after it.
    pbs_status (*prepare)(pbs_world *w);
    /// The state was copied to what steps compute with. Cannot fail.
    void (*begin)(pbs_world *w);
    /// When the steps of a call have succeeded: what the commit needs and may fail. The world is
    /// still in its old state. x: of the nodes at the end, m; null: there are none.
    pbs_status (*finish)(pbs_world *w, const double *x);
    /// The new state holds: nodes, accounts and histories have it already. Cannot fail.
    void (*commit)(pbs_world *w);
    /// All of the world is in its new state, contacts and events included. Cannot fail.
    void (*landed)(pbs_world *w);
    /// Copies to what steps compute with what it has of the scene: after a call, whether it has
    /// succeeded or failed, and after a state was read. The solver is current.
    void (*reload)(pbs_world *w);

    // --- reading back ---
    uint32_t debug_flag; ///< PBS_DEBUG_* of `draw`
    void (*draw)(struct debug_lines *lines);
};

/// By feature_id.
extern const struct feature *const features[FEATURE_COUNT];

/// Make the data of all features, zeros; on failure (PBS_ERROR_MEMORY) some of them may be there,
/// which features_free frees.
pbs_status features_create(void *data[FEATURE_COUNT], struct memory *memory);
void features_free(void *data[FEATURE_COUNT], struct memory *memory);

void features_body_destroyed(pbs_world *w, const struct body *body);
/// Calls check_scheme of all rows, up to the first failure.
pbs_status features_check_scheme(const struct body *body, const struct scheme_table *scheme);
/// Calls add_reaction of all features whose force acts on the body.
void features_add_reaction(const struct nodes *nodes, const struct body *body, double *gradient);
/// Whether a lagged force of any feature acts on the body.
bool features_lag_on(const struct body *body);

/// Call the function of this name of all rows, up to the first failure.
void features_write(struct byte_writer *out, const struct scene *scene);
pbs_status features_read(struct byte_reader *in, struct memory *memory, struct scene *scene);
void features_write_body(struct byte_writer *out, const struct body *body);
pbs_status features_read_body(struct byte_reader *in, const struct scene *scene,
                              struct memory *memory, struct body *body);
void features_write_body_state(struct byte_writer *out, const struct body *body);
pbs_status features_read_body_state(struct byte_reader *in, struct body *body);
void features_write_state(struct byte_writer *out, const struct scene *scene);
pbs_status features_read_state(struct byte_reader *in, struct memory *memory, struct scene *scene);
void features_forget(pbs_world *w);
pbs_status features_prepare(pbs_world *w);
void features_begin(pbs_world *w);
pbs_status features_finish(pbs_world *w, const double *x);
void features_commit(pbs_world *w);
void features_landed(pbs_world *w);
void features_reload(pbs_world *w);
/// Draws those whose debug_flag is one of the flags.
void features_draw(struct debug_lines *lines, uint32_t flags);

#endif
