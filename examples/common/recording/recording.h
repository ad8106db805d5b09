// Collects the frames of a run and leaves pictures behind: NAME.html (an animated page that needs
// nothing else), NAME.png (a still), NAME_sheet.png (a contact sheet), NAME.glb (glTF with a morph
// target per frame), NAME_energy.csv, and while it runs, on request, a .vtu per frame with a .pvd
// for ParaView.
//
//     struct recording_desc desc = {0};
//     desc.title = "drop";  desc.frame_rate = 24;
//     desc.vertex_count = n;  desc.triangles = boundary;  desc.triangle_count = m;
//     struct recording *recording = recording_create(&desc, &message);
//     each frame: recording_add_frame(recording, &frame, &message)
//     recording_write(recording, "demo", "drop", &message);
//     recording_destroy(recording);
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_RECORDING_H
#define PBS_COMMON_RECORDING_H

#include "common/meshes/mesh.h"
#include "common/pictures/scene_picture.h"
#include "common/pictures/vtu_writer.h"
#include "common/program/text.h"

/// Everything here is copied. y is up. Zero means absent, except where said.
struct recording_desc {
    const char *title;
    double frame_rate; ///< frames per second of simulated time; > 0. The page plays sixty at most,
                       ///< in slow motion then
    size_t vertex_count; ///< points in every frame, inner ones too; all bodies one after the other
    const uint32_t *triangles; ///< [triangle_count * 3] what is drawn of them
    size_t triangle_count;
    const struct picture_part *parts; ///< null: one part in a colour of its own
    size_t part_count;
    const struct surface_mesh *obstacles; ///< drawn, does not move; null for none
    bool has_ground; ///< a floor at ground_height; drawn below the scene if absent
    double ground_height;
    const char *const *energy_names; ///< [energy_count] columns of the energy table and curves
    size_t energy_count;
    size_t count_columns; ///< how many of the last columns are numbers, each drawn on its own scale
    const float (*energy_colors)[3]; ///< [energy_count] of the curves, linear 0..1, where they
                                     ///< belong to bodies; null: colours of their own
    const char *vtu_directory; ///< write DIRECTORY/NAME_0000.vtu ... while frames come; null for
                               ///< none
    const char *vtu_name;      ///< NAME of those files; null: the title
    const uint32_t *tets; ///< [tet_count * 4] cells of the .vtu files; must outlive the recording
    size_t tet_count;
};

struct recording_frame {
    const double *positions;        ///< [vertex_count * 3]
    const double *energies;         ///< [energy_count]; null when there are none
    const struct vtu_field *fields; ///< for the .vtu only; null for none
    size_t field_count;
};

struct recording;

/// Null on failure, with the message.
struct recording *recording_create(const struct recording_desc *desc, struct message *message);
void recording_destroy(struct recording *recording);
bool recording_add_frame(struct recording *recording, const struct recording_frame *frame,
                         struct message *message);
/// All files, into a directory that is made if it is not there. Needs at least one frame.
bool recording_write(const struct recording *recording, const char *directory, const char *name,
                     struct message *message);

#endif
