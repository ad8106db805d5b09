// Features: what lives with a world beside its bodies' kinds, as wind or sensors. Each is a file
// with a row: its data in the scene and what happens to them in the life of a world, which is saved
// and restored, steps, fails, is drawn and freed. The code that does so calls all rows and names
// none.
#ifndef PBS_WORLD_FEATURES_FEATURE_H
#define PBS_WORLD_FEATURES_FEATURE_H

#include "pbs/world.h"
#include "world/interface/fields.h"

struct debug_lines;
struct scene;

/// The order in which rows are called and saved. The data of a feature are
/// scene->features[FEATURE_...].
enum feature_id { FEATURE_SENSORS, FEATURE_COUNT };

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
    /// Forgets what is known of the last step, after the state was read.
    void (*forget)(pbs_world *w);

    // --- steps ---
    /// When the steps of a call have succeeded: what the commit needs and may fail. The world is
    /// still in its old state. x: of the nodes at the end, m; null: there are none.
    pbs_status (*finish)(pbs_world *w, const double *x);
    /// The new state holds. Cannot fail.
    void (*commit)(pbs_world *w);

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

/// Call the function of this name of all rows, up to the first failure.
void features_write(struct byte_writer *out, const struct scene *scene);
pbs_status features_read(struct byte_reader *in, struct memory *memory, struct scene *scene);
void features_write_state(struct byte_writer *out, const struct scene *scene);
pbs_status features_read_state(struct byte_reader *in, struct memory *memory, struct scene *scene);
void features_forget(pbs_world *w);
pbs_status features_finish(pbs_world *w, const double *x);
void features_commit(pbs_world *w);
/// Draws those whose debug_flag is one of the flags.
void features_draw(struct debug_lines *lines, uint32_t flags);

#endif
