// Random worlds; see league.h.
// SPDX-License-Identifier: MIT
#include "scenes/league/league.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/league/league_parts.h"

bool league_note(struct league *l, pbs_status status) {
    if (l->status >= 0 && status < 0) {
        l->status = status;
    }
    return l->status >= 0;
}

bool league_made(struct league *l, bool made) {
    return league_note(l, made ? PBS_OK : PBS_ERROR_MEMORY);
}

// --- making ---

static void create_world(struct league *l) {
    pbs_world_desc d;
    league_note(l, pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -LEAGUE_GRAVITY;
    d.contact = l->contact;
    if (l->options.tolerance > 0.0) {
        d.relative_tolerance = l->options.tolerance;
        d.velocity_tolerance = 0.0;
    }
    league_note(l, pbs_world_create(&d, &l->world));
}

static void draw_scene(struct league *l, struct league_random *r) {
    static const double rates[] = {24.0, 30.0, 48.0, 60.0, 90.0, 120.0, 144.0, 240.0};
    l->step = 1.0 / rates[random_index(r, 8)];
    l->size = random_scale(r, 3e-3, 10.0);
    l->contact = random_chance(r, 0.92) ? PBS_CONTACT_BARRIER : PBS_CONTACT_PROJECTION;
    create_world(l);
    league_add_floor(l, r);
    for (size_t n = random_index(r, 3); n > 0; n--) {
        league_add_collider(l, r);
    }
    const size_t bodies = 2 + random_index(r, l->options.small ? 4 : LEAGUE_BODIES - 1);
    for (size_t b = 0; b < bodies && l->status >= 0; b++) {
        league_add_body(l, r);
        const double reach = 5e-3 * l->bodies[b].size;
        l->distance = b == 0 ? reach : fmin(l->distance, reach);
    }
}

/// Chains of bodies in the order in which they were made, sometimes hung from space.
static void draw_joints(struct league *l, struct league_random *r) {
    if (!random_chance(r, 0.4)) {
        return;
    }
    const size_t count = 1 + random_index(r, l->body_count);
    if (random_chance(r, 0.3)) {
        league_add_joint(l, r, 0, -1);
    }
    for (size_t b = 1; b < count && b < l->body_count; b++) {
        league_add_joint(l, r, (int32_t)b - 1, (int32_t)b);
    }
}

static bool has_script(const struct league *l) {
    for (size_t c = 0; c < l->collider_count; c++) {
        if (l->colliders[c].scripted) {
            return true;
        }
    }
    return false;
}

/// Whether anything touches already, from which no step can start.
static bool overlaps(struct league *l) {
    size_t count = 0;
    pbs_overlap_desc d;
    if (l->status < 0 || l->contact != PBS_CONTACT_BARRIER) {
        return false;
    }
    league_note(l, pbs_overlap_desc_init(&d, sizeof d));
    league_note(l, pbs_world_overlaps(l->world, &d, NULL, sizeof(pbs_overlap), &count));
    return count > 0;
}

static void draw_world(struct league *l, struct league_random *r) {
    draw_scene(l, r);
    for (size_t b = 0; b < l->body_count && l->status >= 0; b++) {
        // What a moving collider presses against something pinned has no place to go.
        league_constrain_body(l, r, b, !has_script(l));
    }
    if (l->status >= 0) {
        draw_joints(l, r);
    }
}

pbs_status league_create(uint64_t seed, const struct league_options *options, struct league *out) {
    // A world whose bodies overlap after all is drawn anew, from the next numbers.
    struct league_random random = {.state = seed * 0x2545f4914f6cdd1du + 1u};
    for (int trial = 0; trial < 20; trial++) {
        *out = (struct league){.seed = seed, .options = *options};
        draw_world(out, &random);
        if (out->status < 0 || !overlaps(out)) {
            return out->status;
        }
        league_free(out);
    }
    out->status = PBS_ERROR_INADMISSIBLE;
    return out->status;
}

void league_free(struct league *l) {
    pbs_world_destroy(l->world);
    for (size_t b = 0; b < LEAGUE_BODIES; b++) {
        free(l->bodies[b].springs.rest_lengths);
    }
    for (size_t c = 0; c < LEAGUE_COLLIDERS; c++) {
        surface_mesh_free(&l->colliders[c].surface);
    }
    const struct league_options options = l->options;
    *l = (struct league){.seed = l->seed, .options = options};
}

// --- stepping ---

/// The product of a turn by `angle` about y and an orientation.
static void turned(double angle, const double q[4], double out[4]) {
    const double s = sin(0.5 * angle), c = cos(0.5 * angle);
    out[0] = c * q[0] + s * q[2];
    out[1] = c * q[1] + s * q[3];
    out[2] = c * q[2] - s * q[0];
    out[3] = c * q[3] - s * q[1];
}

pbs_status league_step(struct league *l) {
    const double time = pbs_world_time(l->world) + l->step;
    for (size_t c = 0; c < l->collider_count; c++) {
        const struct league_collider *const collider = &l->colliders[c];
        double place[3], orientation[4];
        if (!collider->scripted) {
            continue;
        }
        for (size_t k = 0; k < 3; k++) {
            place[k] = collider->place[k] + collider->travel[k] * sin(collider->rate * time);
        }
        turned(collider->turn * time, collider->orientation, orientation);
        const pbs_status status = pbs_collider_set_motion(l->world, collider->id, place,
                                                          orientation);
        if (status < 0) {
            return status;
        }
    }
    return pbs_world_step(l->world, l->step);
}

pbs_status league_restore(struct league *l, const void *bytes, size_t size) {
    const pbs_status status = pbs_world_restore(l->world, bytes, size);
    for (size_t b = 0; status >= 0 && b < l->body_count; b++) {
        l->bodies[b].id = pbs_world_body_at(l->world, b);
    }
    for (size_t c = 0; status >= 0 && c < l->collider_count; c++) {
        l->colliders[c].id = pbs_world_collider_at(l->world, c);
    }
    for (size_t j = 0; status >= 0 && j < l->joint_count; j++) {
        l->joints[j].id = pbs_world_joint_at(l->world, j);
    }
    return status;
}

// --- telling ---

static void list_kinds(const struct league *l, char *text) {
    for (size_t b = 0; b < l->body_count; b++) {
        *text++ = l->bodies[b].letter;
    }
    *text = 0;
}

static void list_colliders(const struct league *l, char *text) {
    static const char letters[] = "fsbcymtg";
    for (size_t c = 0; c < l->collider_count; c++) {
        const char letter = letters[l->colliders[c].shape];
        *text++ = l->colliders[c].scripted ? (char)(letter - 'a' + 'A') : letter;
    }
    *text++ = l->collider_count == 0 ? '-' : 0;
    *text = 0;
}

static void list_joints(const struct league *l, char *text) {
    static const char letters[] = "bwhscd";
    for (size_t j = 0; j < l->joint_count; j++) {
        const char letter = letters[l->joints[j].kind];
        *text++ = l->joints[j].body[1] < 0 ? (char)(letter - 'a' + 'A') : letter;
    }
    *text++ = l->joint_count == 0 ? '-' : 0;
    *text = 0;
}

void league_describe(const struct league *l, char *text, size_t size) {
    char kinds[LEAGUE_BODIES + 2], colliders[LEAGUE_COLLIDERS + 2], joints[LEAGUE_JOINTS + 2];
    double least = INFINITY, largest = 0.0, softest = INFINITY, stiffest = 0.0;
    double lightest = INFINITY, heaviest = 0.0;
    int pins = 0, pressed = 0;
    list_kinds(l, kinds);
    list_colliders(l, colliders);
    list_joints(l, joints);
    for (size_t b = 0; b < l->body_count; b++) {
        const struct league_body *const body = &l->bodies[b];
        least = fmin(least, body->size);
        largest = fmax(largest, body->size);
        softest = body->young > 0.0 ? fmin(softest, body->young) : softest;
        stiffest = fmax(stiffest, body->young);
        lightest = fmin(lightest, body->mass);
        heaviest = fmax(heaviest, body->mass);
        pins += body->pinned;
        pressed += body->pressed;
    }
    snprintf(text, size,
             "bodies=%zu kinds=%s contact=%s colliders=%s joints=%s pins=%d pressed=%d rate=%.0f "
             "sizes=%.2g:%.2g young=%.1e:%.1e masses=%.1e:%.1e",
             l->body_count, kinds, l->contact == PBS_CONTACT_BARRIER ? "barrier" : "projection",
             colliders, joints, pins, pressed, 1.0 / l->step, least, largest, softest, stiffest,
             lightest, heaviest);
}
