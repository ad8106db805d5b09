// Channels: what a host reads of the vertices, elements and bonds of a body, as rows of numbers. A
// new one is a constant of pbs_channel and a row of the table in channels.c.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_READBACK_CHANNELS_H
#define PBS_WORLD_READBACK_CHANNELS_H

#include "world/objects/body.h"
#include "world/readback/number_rows.h"

enum { NO_ITEM = -1 };

/// What the rows of a channel belong to in a body.
struct channel_items {
    int32_t of; ///< PBS_ITEM_*; NO_ITEM: the body has no such channel
    size_t count;
};

struct channel_source {
    const struct nodes *nodes;
    const struct body *body;
};

struct channel {
    const char *name, *owners; ///< "stress" and "solids and shells", which have it, for messages
    size_t width;
    struct channel_items (*items)(const struct body *body);
    /// Returns an array of count x width. Null: `read` computes the values.
    const double *(*array)(const struct nodes *nodes, const struct body *body);
    rows_function *read; ///< context: struct channel_source. Null too: they are normals
};

/// By PBS_CHANNEL_*.
extern const struct channel body_channels[];
extern const int32_t body_channel_last;

/// The word for items of a kind, PBS_ITEM_*: "vertices".
const char *item_words(int32_t item);

/// rows: their width and count are those of the channel.
void channel_write(const struct channel *channel, const struct channel_source *source,
                   const struct number_rows *rows);

#endif
