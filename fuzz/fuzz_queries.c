// Sequences of queries, sensors and steps, read from the input: shapes good and bad at any place
// among bodies and colliders of all kinds in worlds of every kind of contact, sensors that come,
// change and go, memory that runs out. Every call returns: a fuzzer says when one does not.
// What is found is somebody's and no farther than asked, rows are in order, a call that fails
// leaves its world as it was, a restored world reports what the first one does, and at the end all
// memory is back.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "choices.h"
#include "support/host/allocator.h"
#include "support/scenes/world_scenes.h"
#include "target.h"

enum {
    COLLIDERS = 7,
    SENSORS = 4,
    ROWS = 24,
    CALL_LIMIT = 60,
    STEP_LIMIT = 12,
    OVERLAPS_LIMIT = 2, ///< each may find all pairs of triangles of the world
    SEPARATION_LIMIT = 2,
    ROUND_LIMIT = 6 ///< of one separation
};

/// Bits of the first byte. Without any it is one fixed scene of constraints.
enum {
    SCENE_CONTACT = 3,      ///< a kind of contact, as contact_of says
    SCENE_COLLIDERS = 4,    ///< colliders are read from the input
    SCENE_BODIES = 8,       ///< there are an affine body and a bonded one too
    SCENE_BODY_CONTACT = 16 ///< of projection: bodies touch each other
};

struct session {
    struct choices in;
    struct test_allocator allocator;
    pbs_world *world, *other; ///< the second is restored from the first
    pbs_body cube;
    pbs_collider colliders[COLLIDERS];
    pbs_sensor sensors[SENSORS];
    int steps_left, overlaps_left, separations_left;
    uint8_t scene; ///< SCENE_*
};

static void add_colliders(struct session *s) {
    for (int i = 0; i < COLLIDERS; i++) {
        pbs_collider_desc d;
        pbs_collider_desc_init(&d, sizeof d);
        d.shape = i < 6 ? (i == 5 ? PBS_SHAPE_TORUS : i) : PBS_SHAPE_BOX;
        d.hollow = i == 6;
        d.size[0] = i == 6 ? 6.0 : 0.4;
        d.size[1] = i == 6 ? 6.0 : 0.3;
        d.size[2] = i == 6 ? 6.0 : 0.2;
        d.position[0] = i == 6 ? 0.0 : i - 2.0;
        d.position[1] = i == 0 ? -2.0 : 0.0;
        require(pbs_collider_create(s->world, &d, &s->colliders[i]) == PBS_OK);
    }
}

enum { GRID = 8 }; ///< samples along each axis: the outermost three are to be of one sign

/// Distances from a sphere of radius 0.5 m at the samples of a grid around it.
static void describe_grid(pbs_collider_desc *d, float samples[GRID * GRID * GRID]) {
    const double cell = 0.4;
    const double first = -0.5 * cell * (GRID - 1);
    for (int i = 0; i < GRID * GRID * GRID; i++) {
        const double x[3] = {first + cell * (i % GRID), first + cell * (i / GRID % GRID),
                             first + cell * (i / (GRID * GRID))};
        samples[i] = (float)(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - 0.5);
    }
    d->grid_cell = cell;
    for (int k = 0; k < 3; k++) {
        d->grid_origin[k] = first;
        d->grid_counts[k] = GRID;
    }
    d->grid_samples = samples;
}

/// Any shape of any size at any place, hollow or not, by constraints or by penalties. Many are
/// refused.
static void add_any_collider(struct session *s, pbs_collider *collider) {
    static const double corners[12] = {0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5};
    static const uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    float samples[GRID * GRID * GRID];
    pbs_collider_desc d;
    pbs_collider_desc_init(&d, sizeof d);
    const uint8_t choice = take(&s->in);
    d.shape = choice % 9;
    d.hollow = choice / 9 % 2;
    d.collision = choice / 18 % 2;
    d.penalty_stiffness = choice / 36 % 2 != 0 ? 1e4 : 0.0;
    take_numbers(&s->in, d.size, 3);
    take_numbers(&s->in, d.position, 3);
    if (choice >= 144) {
        d.orientation[choice % 3] = 0.6;
        d.orientation[3] = 0.8;
    }
    if (d.shape == PBS_SHAPE_MESH) {
        d.vertex_count = d.triangle_count = 4;
        d.vertices = corners;
        d.triangles = triangles;
    }
    if (d.shape == PBS_SHAPE_GRID) {
        describe_grid(&d, samples);
    }
    const pbs_status status = pbs_collider_create(s->world, &d, collider);
    require(status == PBS_OK || pbs_last_error()[0] != '\0');
}

/// They may be refused in worlds of some kinds of contact.
static void add_more_bodies(struct session *s) {
    static const double positions[9] = {1.0, 0.5, 0.0, 1.2, 0.5, 0.0, 1.4, 0.5, 0.0};
    static const double radii[3] = {0.1, 0.1, 0.1};
    static const uint32_t bonds[4] = {0, 1, 1, 2};
    struct box_surface box;
    pbs_affine_desc a;
    pbs_bonded_desc b;
    pbs_body body;
    box_surface_make(&box, (double[3]){0.3, 0.4, 0.5});
    box_surface_describe(&box, &a);
    take_numbers(&s->in, a.position, 3);
    (void)pbs_body_create_affine(s->world, &a, &body);
    pbs_bonded_desc_init(&b, sizeof b);
    b.particle_count = 3;
    b.positions = positions;
    b.radii = radii;
    b.bond_count = 2;
    b.bonds = bonds;
    b.bond_radius = 0.05;
    (void)pbs_body_create_bonded(s->world, &b, &body);
}

static void add_bodies(struct session *s) {
    static const double corner[3] = {-0.2, 1.0, -0.2};
    static const double high[3] = {-0.5, 2.0, -0.5};
    pbs_body body;
    require(cube_create(s->world, 2, 0.4, corner, NULL, &s->cube) == PBS_OK);
    require(sheet_create(s->world, 2, 1.0, high, NULL, &body) == PBS_OK);
}

// --- queries ---

static void check_point(const struct session *s, const pbs_surface_point *p, double distance) {
    const bool found = p->body.id != 0 || p->collider.id != 0;
    require(found == isfinite(p->distance));
    require(!found || (p->distance >= 0.0 && p->distance <= distance));
    require(p->body.id == 0 || pbs_body_is_valid(s->world, p->body));
    require(p->collider.id == 0 || pbs_collider_is_valid(s->world, p->collider));
    require(p->inside <= 1);
}

static pbs_status ask_rays(struct session *s) {
    pbs_surface_point rows[ROWS];
    pbs_ray_desc d;
    pbs_ray_desc_init(&d, sizeof d);
    take_numbers(&s->in, d.origin, 3);
    take_numbers(&s->in, d.direction, 3);
    const uint8_t choice = take(&s->in);
    size_t count = choice % (ROWS + 1);
    const size_t capacity = count;
    const pbs_status status = pbs_world_ray_hits(s->world, &d, rows, sizeof rows[0], &count);
    require(status != PBS_OK || count <= capacity);
    for (size_t i = 0; status == PBS_OK && i < count; i++) {
        check_point(s, &rows[i], d.distance);
        require(i == 0 || rows[i - 1].distance <= rows[i].distance);
    }
    if (status == PBS_OK && count > 0) {
        pbs_surface_point first = {.struct_size = sizeof first};
        require(pbs_world_ray(s->world, &d, &first) == PBS_OK);
        require(memcmp(&first, &rows[0], sizeof first) == 0);
    }
    return status;
}

static pbs_status ask_casts(struct session *s) {
    pbs_surface_point out = {.struct_size = sizeof out};
    pbs_cast_desc d;
    pbs_cast_desc_init(&d, sizeof d);
    const uint8_t choice = take(&s->in);
    take_numbers(&s->in, d.origin, 3);
    take_numbers(&s->in, d.direction, 3);
    d.radius = take_number(&s->in);
    d.half_length = (choice & 1) != 0 ? take_number(&s->in) : 0.0;
    d.distance = (choice & 2) != 0 ? take_number(&s->in) : d.distance;
    d.mask = (choice & 4) != 0 ? choice : d.mask;
    const pbs_status status = pbs_world_cast(s->world, &d, &out);
    if (status == PBS_OK) {
        check_point(s, &out, d.distance);
    }
    return status;
}

static pbs_status ask_closest(struct session *s) {
    pbs_surface_point out = {.struct_size = sizeof out};
    pbs_closest_desc d;
    pbs_closest_desc_init(&d, sizeof d);
    take_numbers(&s->in, d.point, 3);
    const pbs_status status = pbs_world_closest(s->world, &d, &out);
    if (status == PBS_OK) {
        check_point(s, &out, d.distance);
    }
    return status;
}

/// A tetrahedron that is in no world, or a body at another place.
static pbs_status ask_overlaps(struct session *s) {
    static const uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    static const double corners[12] = {0.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 0.4};
    pbs_overlap rows[ROWS];
    pbs_overlap_desc d;
    pbs_overlap_desc_init(&d, sizeof d);
    const uint8_t choice = take(&s->in);
    take_numbers(&s->in, d.position, 3);
    d.distance = take_number(&s->in);
    if ((choice & 1) != 0) {
        d.vertex_count = d.triangle_count = 4;
        d.positions = corners;
        d.triangles = triangles;
        d.solid = choice >> 1 & 1;
    } else if ((choice & 2) != 0) {
        d.body = s->cube;
    }
    if ((choice & 4) != 0) {
        d.orientation[choice % 3] = 0.6;
        d.orientation[3] = 0.8;
    }
    size_t count = (choice >> 3) % (ROWS + 1);
    const size_t capacity = count;
    if (s->overlaps_left == 0) {
        return PBS_OK;
    }
    s->overlaps_left--;
    const pbs_status status = pbs_world_overlaps(s->world, &d, rows, sizeof rows[0], &count);
    require(status != PBS_OK || count <= capacity);
    for (size_t i = 0; status == PBS_OK && i < count; i++) {
        require(rows[i].kind >= PBS_OVERLAP_CLOSE && rows[i].kind <= PBS_OVERLAP_INSIDE);
        for (int side = 0; side < 2; side++) {
            require(rows[i].bodies[side].id == 0 || rows[i].colliders[side].id == 0);
        }
    }
    return status;
}

static pbs_status separate(struct session *s) {
    pbs_separation out = {.struct_size = sizeof out};
    pbs_separate_desc d;
    pbs_separate_desc_init(&d, sizeof d);
    d.iteration_limit = 1 + take(&s->in) % ROUND_LIMIT;
    d.distance = take_number(&s->in);
    d.move_limit = take_number(&s->in);
    if (s->separations_left == 0) {
        return PBS_OK;
    }
    s->separations_left--;
    const pbs_status status = pbs_world_separate(s->world, &d, &out);
    require(status < 0 || out.iterations <= d.iteration_limit);
    return status;
}

static pbs_status locate(struct session *s) {
    double places[6], distances[2];
    pbs_point points[2];
    take_numbers(&s->in, places, 6);
    const uint8_t choice = take(&s->in);
    const size_t bodies = pbs_world_body_count(s->world);
    const pbs_body body = pbs_world_body_at(s->world, choice % (bodies + 1));
    return pbs_world_locate(s->world, body, places, choice >> 6, points, sizeof points[0],
                            distances);
}

static pbs_region_desc take_region(struct session *s) {
    pbs_region_desc d;
    pbs_region_desc_init(&d, sizeof d);
    const uint8_t choice = take(&s->in);
    d.shape = choice % 8 < 6 ? 1 + choice % 4 : choice % 16;
    take_numbers(&s->in, d.size, 3);
    take_numbers(&s->in, d.position, 3);
    if ((choice & 32) != 0) {
        d.orientation[0] = 0.6;
        d.orientation[3] = (choice & 64) != 0 ? 0.8 : 0.9;
    }
    d.mask = (choice & 128) != 0 ? choice : d.mask;
    return d;
}

static pbs_status ask_regions(struct session *s) {
    pbs_region_row rows[ROWS];
    const pbs_region_desc d = take_region(s);
    const uint8_t choice = take(&s->in);
    size_t count = choice % (ROWS + 1);
    const size_t capacity = count;
    const pbs_status status = pbs_world_region(s->world, &d, (choice >> 5) % 3, rows,
                                               sizeof rows[0], &count);
    require(status != PBS_OK || count <= capacity);
    for (size_t i = 0; status == PBS_OK && i < count; i++) {
        require((rows[i].body.id == 0) != (rows[i].collider.id == 0));
    }
    return status;
}

static pbs_status ask_lines(struct session *s) {
    pbs_debug_point points[64];
    pbs_debug_desc d;
    pbs_debug_desc_init(&d, sizeof d);
    d.flags = take(&s->in);
    size_t count = (size_t)(take(&s->in) % 65);
    const size_t capacity = count;
    const pbs_status status = pbs_world_debug_lines(s->world, &d, points, sizeof points[0], &count);
    require(status != PBS_OK || (count <= capacity && count % 2 == 0));
    return status;
}

// --- sensors ---

static pbs_status change_sensor(struct session *s) {
    const uint8_t choice = take(&s->in);
    pbs_sensor *sensor = &s->sensors[choice % SENSORS];
    if (choice >= 192) {
        return pbs_sensor_destroy(s->world, *sensor);
    }
    const pbs_region_desc d = take_region(s);
    return pbs_sensor_is_valid(s->world, *sensor) ? pbs_sensor_set_region(s->world, *sensor, &d)
                                                  : pbs_sensor_create(s->world, &d, sensor);
}

static pbs_status step(struct session *s) {
    if (s->steps_left == 0) {
        return PBS_OK;
    }
    s->steps_left--;
    return pbs_world_step(s->world, 0.01);
}

static size_t events_of(const pbs_world *world, pbs_sensor_event rows[ROWS]) {
    size_t count = ROWS;
    require(pbs_world_sensor_events(world, rows, sizeof rows[0], &count) == PBS_OK);
    return count;
}

/// A restored world has no events, and after one more step those of the first one.
static pbs_status restore(struct session *s) {
    size_t size = 0;
    require(pbs_world_save(s->world, NULL, &size) == PBS_OK);
    uint8_t *bytes = malloc(size);
    if (bytes == NULL) {
        return PBS_OK;
    }
    require(pbs_world_save(s->world, bytes, &size) == PBS_OK);
    pbs_status status = pbs_world_restore(s->other, bytes, size);
    free(bytes);
    if (status < 0) {
        return status;
    }
    test_allocator_fail_after(&s->allocator, ALLOCATOR_NEVER);
    pbs_sensor_event rows[2][ROWS];
    require(events_of(s->other, rows[1]) == 0);
    status = step(s);
    if (status >= 0 && s->steps_left > 0 && pbs_world_step(s->other, 0.01) >= 0 &&
        pbs_world_time(s->world) == pbs_world_time(s->other)) {
        const size_t count = events_of(s->world, rows[0]);
        require(events_of(s->other, rows[1]) == count);
        require(memcmp(rows[0], rows[1], count * sizeof rows[0][0]) == 0);
    }
    return status;
}

// --- sequences ---

static pbs_status call(struct session *s) {
    // The first ten as at first, so that what inputs do stays so.
    const uint8_t which = take(&s->in);
    if (which >= 200) {
        return which < 230 ? ask_overlaps(s) : which < 245 ? separate(s) : locate(s);
    }
    switch (which % 10) {
    case 0: return ask_rays(s);
    case 1:
    case 2: return ask_casts(s);
    case 3: return ask_closest(s);
    case 4: return ask_regions(s);
    case 5: return ask_lines(s);
    case 6:
    case 7: return change_sensor(s);
    case 8: return restore(s);
    default: return step(s);
    }
}

static int32_t contact_of(uint8_t scene, int32_t usual) {
    static const int32_t kinds[] = {0, PBS_CONTACT_BARRIER, PBS_CONTACT_PROJECTION,
                                    PBS_CONTACT_PENALTY};
    return (scene & SCENE_CONTACT) != 0 ? kinds[scene & SCENE_CONTACT] : usual;
}

static void begin(struct session *s) {
    test_allocator_init(&s->allocator);
    s->scene = take(&s->in);
    for (int i = 0; i < 2; i++) {
        pbs_world_desc d;
        pbs_expert_desc expert;
        scene_settings(&d);
        expert_settings(&expert, &d);
        d.allocator = test_allocator_hooks(&s->allocator);
        d.newton_limit = 6;
        d.contact = contact_of(s->scene, d.contact);
        d.body_contact = d.contact == PBS_CONTACT_PROJECTION &&
                         (s->scene & SCENE_BODY_CONTACT) != 0;
        expert.linear_limit = 40;
        expert.allow_unconverged = 1;
        require(pbs_world_create(&d, i == 0 ? &s->world : &s->other) == PBS_OK);
    }
    if ((s->scene & SCENE_COLLIDERS) != 0) {
        for (int i = 0; i < COLLIDERS; i++) {
            add_any_collider(s, &s->colliders[i]);
        }
    } else {
        add_colliders(s);
    }
    add_bodies(s);
    if ((s->scene & SCENE_BODIES) != 0) {
        add_more_bodies(s);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct session s = {.in = {.data = data, .size = size},
                        .steps_left = STEP_LIMIT,
                        .overlaps_left = OVERLAPS_LIMIT,
                        .separations_left = SEPARATION_LIMIT};
    begin(&s);
    for (int i = 0; i < CALL_LIMIT && s.in.position < s.in.size; i++) {
        const uint8_t scarce = take(&s.in);
        if (scarce >= 240) {
            test_allocator_fail_after(&s.allocator, take(&s.in));
        }
        const uint64_t hash = pbs_world_hash(s.world);
        const size_t sensors = pbs_world_sensor_count(s.world);
        const pbs_status status = call(&s);
        if (status < 0) {
            require(pbs_last_error()[0] != '\0');
            require(pbs_world_hash(s.world) == hash && pbs_world_sensor_count(s.world) == sensors);
        }
        test_allocator_fail_after(&s.allocator, ALLOCATOR_NEVER);
    }
    pbs_world_destroy(s.world);
    pbs_world_destroy(s.other);
    require(s.allocator.blocks_in_use == 0 && !s.allocator.was_misused);
    return 0;
}
