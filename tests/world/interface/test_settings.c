// The struct_size rule for every settings and results struct of the API: the shorter struct of an
// old host, the longer struct of a newer host with and without values in the new members, and
// invalid sizes.
// SPDX-License-Identifier: MIT
#include "world/interface/settings.h"

#include "support/world_testing.h"

enum { ROOM = 1024, NEWS = 16 };

/// A host's struct, with spare memory behind it. Tests fill all bytes with a pattern first.
struct host_struct {
    _Alignas(16) unsigned char bytes[ROOM];
};

static void write_size(struct host_struct *s, size_t size) {
    const uint32_t value = (uint32_t)size;
    memcpy(s->bytes, &value, sizeof value);
}

static size_t read_size(const struct host_struct *s) {
    uint32_t value;
    memcpy(&value, s->bytes, sizeof value);
    return value;
}

/// Whether bytes begin .. end are all this one.
static bool rest_is(const struct host_struct *s, size_t begin, size_t end, unsigned char byte) {
    for (size_t i = begin; i < end; i++) {
        if (s->bytes[i] != byte) {
            return false;
        }
    }
    return true;
}

// --- settings ---

struct settings_row {
    const char *name;
    size_t size;
    pbs_status (*init)(void *d, size_t size);
    pbs_status (*use)(pbs_world *w, const void *d); ///< a call that reads the struct
};

static pbs_status init_world(void *d, size_t size) {
    return pbs_world_desc_init(d, size);
}

static pbs_status use_world(pbs_world *w, const void *d) {
    (void)w;
    pbs_world *made = NULL;
    const pbs_status status = pbs_world_create(d, &made);
    assert_true((made != NULL) == (status == PBS_OK));
    pbs_world_destroy(made);
    return status;
}

static pbs_status init_solid(void *d, size_t size) {
    static const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t tet[4] = {0, 1, 2, 3};
    const pbs_status status = pbs_solid_desc_init(d, size);
    if (status == PBS_OK) {
        pbs_solid_desc *solid = d;
        solid->vertex_count = 4;
        solid->positions = x;
        solid->tet_count = 1;
        solid->tets = tet;
    }
    return status;
}

static pbs_status use_solid(pbs_world *w, const void *d) {
    pbs_body body;
    return pbs_body_create_solid(w, d, &body);
}

static pbs_status init_shell(void *d, size_t size) {
    static const double x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t triangle[3] = {0, 1, 2};
    const pbs_status status = pbs_shell_desc_init(d, size);
    if (status == PBS_OK) {
        pbs_shell_desc *shell = d;
        shell->vertex_count = 3;
        shell->positions = x;
        shell->triangle_count = 1;
        shell->triangles = triangle;
    }
    return status;
}

static pbs_status use_shell(pbs_world *w, const void *d) {
    pbs_body body;
    return pbs_body_create_shell(w, d, &body);
}

static pbs_status init_custom(void *d, size_t size) {
    static const double x[3] = {0.0, 0.0, 0.0}, mass[1] = {1.0};
    const pbs_status status = pbs_custom_desc_init(d, size);
    if (status == PBS_OK) {
        pbs_custom_desc *custom = d;
        custom->vertex_count = 1;
        custom->positions = x;
        custom->masses = mass;
        custom->evaluate = spring_energy;
        custom->tag = SPRING_TAG;
    }
    return status;
}

static pbs_status use_custom(pbs_world *w, const void *d) {
    pbs_body body;
    return pbs_body_create_custom(w, d, &body);
}

static pbs_status init_springs(void *d, size_t size) {
    static const double x[3] = {0.0, 0.0, 0.0}, mass[1] = {1.0};
    const pbs_status status = pbs_springs_desc_init(d, size);
    if (status == PBS_OK) {
        pbs_springs_desc *springs = d;
        springs->vertex_count = 1;
        springs->positions = x;
        springs->masses = mass;
    }
    return status;
}

static pbs_status use_springs(pbs_world *w, const void *d) {
    pbs_body body;
    return pbs_body_create_springs(w, d, &body);
}

static pbs_status init_bonded(void *d, size_t size) {
    static const double x[3] = {0.0, 0.0, 0.0}, radius[1] = {1.0};
    const pbs_status status = pbs_bonded_desc_init(d, size);
    if (status == PBS_OK) {
        pbs_bonded_desc *bonded = d;
        bonded->particle_count = 1;
        bonded->positions = x;
        bonded->radii = radius;
    }
    return status;
}

static pbs_status use_bonded(pbs_world *w, const void *d) {
    pbs_body body;
    return pbs_body_create_bonded(w, d, &body);
}

static pbs_status init_affine(void *d, size_t size) {
    static const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t tet[4] = {0, 1, 2, 3};
    const pbs_status status = pbs_affine_desc_init(d, size);
    if (status == PBS_OK) {
        pbs_affine_desc *affine = d;
        affine->vertex_count = 4;
        affine->positions = x;
        affine->tet_count = 1;
        affine->tets = tet;
    }
    return status;
}

static pbs_status use_affine(pbs_world *w, const void *d) {
    pbs_body body;
    return pbs_body_create_affine(w, d, &body);
}

static pbs_status init_collider(void *d, size_t size) {
    return pbs_collider_desc_init(d, size);
}

static pbs_status use_collider(pbs_world *w, const void *d) {
    pbs_collider collider;
    return pbs_collider_create(w, d, &collider);
}

static pbs_status init_integrator(void *d, size_t size) {
    return pbs_integrator_desc_init(d, size, PBS_SCHEME_IMPLICIT_EULER);
}

static pbs_status make_integrator(pbs_world *w, const void *d) {
    (void)w;
    pbs_integrator *made = NULL;
    const pbs_status status = pbs_integrator_create(d, &made);
    assert_true((made != NULL) == (status == PBS_OK));
    pbs_integrator_destroy(made);
    return status;
}

static pbs_status init_system(void *d, size_t size) {
    return pbs_system_desc_init(d, size);
}

static pbs_status use_system(pbs_world *w, const void *d) {
    (void)w;
    pbs_system *made = NULL;
    const pbs_status status = pbs_system_create(d, &made);
    assert_true((made != NULL) == (status == PBS_OK));
    pbs_system_destroy(made);
    return status;
}

static const struct settings_row settings_rows[] = {
    {"pbs_world_desc", sizeof(pbs_world_desc), init_world, use_world},
    {"pbs_solid_desc", sizeof(pbs_solid_desc), init_solid, use_solid},
    {"pbs_shell_desc", sizeof(pbs_shell_desc), init_shell, use_shell},
    {"pbs_custom_desc", sizeof(pbs_custom_desc), init_custom, use_custom},
    {"pbs_springs_desc", sizeof(pbs_springs_desc), init_springs, use_springs},
    {"pbs_bonded_desc", sizeof(pbs_bonded_desc), init_bonded, use_bonded},
    {"pbs_affine_desc", sizeof(pbs_affine_desc), init_affine, use_affine},
    {"pbs_collider_desc", sizeof(pbs_collider_desc), init_collider, use_collider},
    {"pbs_integrator_desc", sizeof(pbs_integrator_desc), init_integrator, make_integrator},
    {"pbs_system_desc", sizeof(pbs_system_desc), init_system, use_system},
};

/// _init writes struct_size bytes and not one more, and refuses sizes that it does not know.
static void init_fills_what_it_was_told(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(settings_rows); i++) {
        const struct settings_row *row = &settings_rows[i];
        struct host_struct s;
        memset(&s, 0xa5, sizeof s);
        const size_t bad[] = {0, 3, 4, row->size - 1, row->size + 1, row->size + 8, SIZE_MAX};
        for (size_t k = 0; k < COUNT_OF(bad); k++) {
            assert_status(row->init(&s, bad[k]), PBS_ERROR_STRUCT_SIZE);
            assert_message(row->name);
            assert_true(rest_is(&s, 0, ROOM, 0xa5));
        }
        assert_status(row->init(NULL, row->size), PBS_ERROR_ARGUMENT);
        assert_message(row->name);
        assert_ok(row->init(&s, row->size));
        assert_int_equal(read_size(&s), row->size);
        assert_true(rest_is(&s, row->size, ROOM, 0xa5));
    }
}

static void longer_settings_may_hold_no_news(void **state) {
    (void)state;
    pbs_world *world = new_world();
    for (size_t i = 0; i < COUNT_OF(settings_rows); i++) {
        const struct settings_row *row = &settings_rows[i];
        struct host_struct s;
        char words[64];
        memset(&s, 0, sizeof s);
        assert_ok(row->init(&s, row->size));
        assert_ok(row->use(world, &s));
        write_size(&s, row->size + NEWS);
        assert_ok(row->use(world, &s));
        assert_int_equal(read_size(&s), row->size + NEWS);
        for (size_t at = row->size; at < row->size + NEWS; at++) {
            s.bytes[at] = 3;
            assert_status(row->use(world, &s), PBS_ERROR_STRUCT_SIZE);
            snprintf(words, sizeof words, "byte %zu of %s is 3", at, row->name);
            assert_message(words);
            s.bytes[at] = 0;
        }
        // What lies behind the struct is nobody's business.
        s.bytes[row->size + NEWS] = 3;
        assert_ok(row->use(world, &s));

        const uint32_t bad[] = {0, 4, (uint32_t)row->size - 1, 1u << 20, UINT32_MAX};
        for (size_t k = 0; k < COUNT_OF(bad); k++) {
            write_size(&s, bad[k]);
            assert_status(row->use(world, &s), PBS_ERROR_STRUCT_SIZE);
            snprintf(words, sizeof words, "%s.struct_size is %u", row->name, (unsigned)bad[k]);
            assert_message(words);
        }
        assert_status(row->use(world, NULL), PBS_ERROR_ARGUMENT);
        assert_message(row->name);
    }
    pbs_world_destroy(world);
}

/// Members kept for later must be zero, so that they can mean something one day.
static void reserved_members_are_zero(void **state) {
    (void)state;
    pbs_world *world = new_world();
    pbs_contact_desc d;
    assert_ok(pbs_contact_desc_init(&d, sizeof d));
    assert_int_equal(d.reserved, 0);
    d.reserved = 2;
    const pbs_body body = add_cube(world, 1, 1.0, (const double[3]){0.0, 0.0, 0.0}, NULL);
    assert_status(pbs_body_set_contact(world, body, &d), PBS_ERROR_ARGUMENT);
    assert_message("reserved is 2");
    pbs_integrator_desc id;
    pbs_integrator *integrator = NULL;
    uint32_t *const reserved[] = {&id.energy_control.reserved[0], &id.energy_control.reserved[7],
                                  &id.step_control.reserved[0], &id.step_control.reserved[8]};
    static const char *const words[] = {
        "energy_control.reserved[0] is 1", "energy_control.reserved[7] is 1",
        "step_control.reserved[0] is 1", "step_control.reserved[8] is 1"};
    for (size_t i = 0; i < COUNT_OF(reserved); i++) {
        assert_ok(pbs_integrator_desc_init(&id, sizeof id, PBS_SCHEME_BDF2));
        assert_int_equal(*reserved[i], 0);
        *reserved[i] = 1;
        assert_status(pbs_integrator_create(&id, &integrator), PBS_ERROR_ARGUMENT);
        assert_message(words[i]);
    }
    pbs_energy energy = {.struct_size = sizeof energy, .reserved = 9};
    assert_ok(pbs_world_energy(world, &energy));
    assert_int_equal(energy.reserved, 0);
    pbs_world_destroy(world);
}

// --- results ---

struct results_row {
    const char *name;
    size_t size;
    pbs_status (*read)(const pbs_world *w, void *out);
};

static pbs_status read_energy(const pbs_world *w, void *out) {
    return pbs_world_energy(w, out);
}

static pbs_status read_stats(const pbs_world *w, void *out) {
    return pbs_world_stats(w, out);
}

/// Of a system that has not been stepped, as it has no world.
static pbs_status read_dense_stats(const pbs_world *w, void *out) {
    (void)w;
    pbs_system_desc d;
    pbs_system *system = NULL;
    assert_ok(pbs_system_desc_init(&d, sizeof d));
    assert_ok(pbs_system_create(&d, &system));
    const pbs_status status = pbs_system_stats(system, out);
    pbs_system_destroy(system);
    return status;
}

static const struct results_row results_rows[] = {
    {"pbs_energy", sizeof(pbs_energy), read_energy},
    {"pbs_stats", sizeof(pbs_stats), read_stats},
    {"pbs_dense_stats", sizeof(pbs_dense_stats), read_dense_stats},
};

static void results_fill_what_they_were_told(void **state) {
    (void)state;
    pbs_world *world = new_world();
    assert_ok(scene_fill(world, 0));
    assert_ok(pbs_world_step(world, 0.01));
    for (size_t i = 0; i < COUNT_OF(results_rows); i++) {
        const struct results_row *row = &results_rows[i];
        struct host_struct s, longer;
        memset(&s, 0xa5, sizeof s);
        write_size(&s, row->size);
        assert_ok(row->read(world, &s));
        assert_int_equal(read_size(&s), row->size);
        assert_true(rest_is(&s, row->size, ROOM, 0xa5));

        memset(&longer, 0xa5, sizeof longer);
        write_size(&longer, row->size + NEWS);
        assert_ok(row->read(world, &longer));
        assert_memory_equal(longer.bytes + 4, s.bytes + 4, row->size - 4);
        assert_true(rest_is(&longer, row->size, row->size + NEWS, 0));
        assert_true(rest_is(&longer, row->size + NEWS, ROOM, 0xa5));

        const uint32_t bad[] = {0, 4, (uint32_t)row->size - 1, 1u << 20, UINT32_MAX};
        for (size_t k = 0; k < COUNT_OF(bad); k++) {
            memset(&s, 0xa5, sizeof s);
            write_size(&s, bad[k]);
            assert_status(row->read(world, &s), PBS_ERROR_STRUCT_SIZE);
            assert_message(row->name);
            assert_true(rest_is(&s, 4, ROOM, 0xa5));
        }
        assert_status(row->read(world, NULL), PBS_ERROR_ARGUMENT);
        assert_message(row->name);
    }
    pbs_world_destroy(world);
}

// --- a struct that has grown since ---

/// What a later release may look like: `size` is new.
struct grown {
    uint32_t struct_size;
    int32_t first;
    double size;
};

static const struct settings_kind kind_grown = {"grown", sizeof(struct grown), 8};

/// A host that was compiled before the struct grew gets what it knows, byte for byte, and what it
/// does not know keeps its default.
static void old_hosts_run_on_new_libraries(void **state) {
    (void)state;
    const struct grown defaults = {.first = 7, .size = 2.5};
    struct host_struct host;
    memset(&host, 0xa5, sizeof host);
    assert_ok(settings_init(&kind_grown, &host, 8, &defaults));
    int32_t first;
    memcpy(&first, host.bytes + 4, sizeof first);
    assert_true(read_size(&host) == 8 && first == 7 && rest_is(&host, 8, ROOM, 0xa5));

    first = 11;
    memcpy(host.bytes + 4, &first, sizeof first);
    struct grown own = defaults;
    assert_ok(settings_read(&kind_grown, &host, &own));
    assert_true(own.struct_size == sizeof own && own.first == 11 && own.size == 2.5);

    const struct grown results = {.struct_size = sizeof results, .first = 13, .size = 4.5};
    assert_ok(results_check(&kind_grown, &host));
    assert_ok(results_write(&kind_grown, &results, &host));
    memcpy(&first, host.bytes + 4, sizeof first);
    assert_true(read_size(&host) == 8 && first == 13 && rest_is(&host, 8, ROOM, 0xa5));

    // Less than the first release had, and more than this one has.
    assert_status(settings_init(&kind_grown, &host, 7, &defaults), PBS_ERROR_STRUCT_SIZE);
    assert_status(settings_init(&kind_grown, &host, 17, &defaults), PBS_ERROR_STRUCT_SIZE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(init_fills_what_it_was_told),
        cmocka_unit_test(longer_settings_may_hold_no_news),
        cmocka_unit_test(reserved_members_are_zero),
        cmocka_unit_test(results_fill_what_they_were_told),
        cmocka_unit_test(old_hosts_run_on_new_libraries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
