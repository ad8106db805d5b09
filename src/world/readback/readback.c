// Copies of channels into a host's buffers: any of them at any stride, and some packed in double
// precision.
// SPDX-License-Identifier: MIT
#include "base/runtime/arithmetic.h"
#include "world/interface/check.h"
#include "world/readback/channels.h"
#include "world/world.h"

/// A channel of a body.
struct entry {
    const struct channel *channel;
    struct channel_source source;
    struct channel_items items;
};

/// PBS_ERROR_ARGUMENT if the body has no such channel.
static pbs_status enter(const pbs_world *w, pbs_body b, int32_t channel, struct entry *out) {
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_choice(channel, 0, body_channel_last, "channel"));
    const struct channel *found = &body_channels[channel];
    *out = (struct entry){found, {&w->scene.nodes, body}, found->items(body)};
    return out->items.of != NO_ITEM
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "channel is %d, %s, which %s have, but not this body", (int)channel,
                             found->name, found->owners);
}

pbs_status pbs_body_channel(const pbs_world *w, pbs_body b, int32_t channel, int32_t *item,
                            size_t *width, size_t *count) {
    struct entry entry;
    RETURN_IF_FAILED(enter(w, b, channel, &entry));
    RETURN_IF_FAILED(check_pointer(item, "item"));
    RETURN_IF_FAILED(check_pointer(width, "width"));
    RETURN_IF_FAILED(check_pointer(count, "count"));
    *item = entry.items.of;
    *width = entry.channel->width;
    *count = entry.items.count;
    return PBS_OK;
}

/// rows: all but width and count.
static pbs_status read_channel(const pbs_world *w, pbs_body b, int32_t channel,
                               struct number_rows rows, size_t capacity) {
    struct entry entry;
    RETURN_IF_FAILED(enter(w, b, channel, &entry));
    rows.width = entry.channel->width;
    rows.count = entry.items.count;
    RETURN_IF_FAILED(check_rows(rows.dst, rows.stride, rows.width, rows.doubles));
    RETURN_IF_FAILED(number_rows_check(&rows, capacity, item_words(entry.items.of)));
    channel_write(entry.channel, &entry.source, &rows);
    return PBS_OK;
}

pbs_status pbs_body_read_f32(const pbs_world *w, pbs_body b, int32_t channel, float *dst,
                             size_t stride_bytes, size_t capacity) {
    ARITHMETIC_SCOPE();
    const struct number_rows rows = {.dst = dst, .stride = stride_bytes, .doubles = false};
    return read_channel(w, b, channel, rows, capacity);
}

pbs_status pbs_body_read_f64(const pbs_world *w, pbs_body b, int32_t channel, double *dst,
                             size_t stride_bytes, size_t capacity) {
    ARITHMETIC_SCOPE();
    const struct number_rows rows = {.dst = dst, .stride = stride_bytes, .doubles = true};
    return read_channel(w, b, channel, rows, capacity);
}

// --- packed ---

/// Writes nothing for bodies without the channel.
static pbs_status read_packed(const pbs_world *w, pbs_body b, int32_t channel, double *dst,
                              size_t capacity) {
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(dst, "dst"));
    const struct channel *found = &body_channels[channel];
    const struct channel_items items = found->items(body);
    if (items.of == NO_ITEM) {
        return PBS_OK;
    }
    const struct number_rows rows = {dst, found->width * sizeof *dst, found->width, items.count,
                                     true};
    RETURN_IF_FAILED(number_rows_check(&rows, capacity, item_words(items.of)));
    channel_write(found, &(struct channel_source){&w->scene.nodes, body}, &rows);
    return PBS_OK;
}

pbs_status pbs_body_element_stress(const pbs_world *w, pbs_body b, double *dst, size_t capacity) {
    ARITHMETIC_SCOPE();
    return read_packed(w, b, PBS_CHANNEL_STRESS, dst, capacity);
}

pbs_status pbs_body_element_plastic_strain(const pbs_world *w, pbs_body b, double *dst,
                                           size_t capacity) {
    return read_packed(w, b, PBS_CHANNEL_PLASTIC_STRAIN, dst, capacity);
}

pbs_status pbs_body_spring_strains(const pbs_world *w, pbs_body b, double *dst, size_t capacity) {
    ARITHMETIC_SCOPE();
    return read_packed(w, b, PBS_CHANNEL_SPRING_STRAIN, dst, capacity);
}
