// See part_loads.h.
#include "contact/barrier/part_loads.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "contact/barrier/contact_pair.h"

// --- loads ---

static void take_load(struct part_load *load, double force, double gap) {
    load->force = fmax(load->force, force);
    load->gap = fmin(load->gap, gap);
}

void part_loads_measure(const struct barrier_contact *c, struct part_load *loads) {
    for (uint32_t i = 0; i < c->mesh.part_count; i++) {
        loads[i] = (struct part_load){.force = 0.0, .gap = INFINITY};
    }
    for (size_t i = 0; i < c->contact_count; i++) {
        const struct contact_pair pair = contact_pair_of(c, &c->contacts[i]);
        const double gap = pair.gap / c->settings.barrier.reach;
        take_load(&loads[pair.part[0]], pair.force, gap);
        take_load(&loads[pair.part[1]], pair.force, gap);
    }
}

// --- flights ---

static void begin_flight(uint32_t part, struct part_flight *flight) {
    *flight = (struct part_flight){.part = part};
    for (int k = 0; k < 3; k++) {
        flight->low[k] = flight->slowest[k] = INFINITY;
        flight->high[k] = flight->fastest[k] = -INFINITY;
    }
}

static void add_point(const double x[3], const double v[3], struct part_flight *flight) {
    for (int k = 0; k < 3; k++) {
        flight->low[k] = fmin(flight->low[k], x[k]);
        flight->high[k] = fmax(flight->high[k], x[k]);
        flight->slowest[k] = fmin(flight->slowest[k], v[k]);
        flight->fastest[k] = fmax(flight->fastest[k], v[k]);
    }
}

/// From where a part is to where it may be in h seconds.
static void finish_flight(double h, struct part_flight *flight) {
    double diagonal[3];
    subtract3(flight->high, flight->low, diagonal);
    flight->size = norm3(diagonal) / sqrt(3.0);
    for (int k = 0; k < 3; k++) {
        flight->low[k] += h * fmin(0.0, flight->slowest[k]);
        flight->high[k] += h * fmax(0.0, flight->fastest[k]);
    }
}

/// By where their boxes begin along x: Shell's sort, as the C library's may allocate.
static void sort_flights(size_t count, struct part_flight *flights) {
    for (size_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (size_t i = gap; i < count; i++) {
            const struct part_flight flight = flights[i];
            size_t at = i;
            for (; at >= gap && flights[at - gap].low[0] > flight.low[0]; at -= gap) {
                flights[at] = flights[at - gap];
            }
            flights[at] = flight;
        }
    }
}

/// Of the parts that can move and have points.
static size_t list_flights(struct barrier_contact *c, struct tasks *tasks, const double *x,
                           const double *v, double h, struct part_flight *flights) {
    const struct collision_mesh *mesh = &c->mesh;
    barrier_contact_locate(c, tasks, x);
    collision_mesh_place(tasks, mesh, v, c->leg);
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        begin_flight(i, &flights[i]);
    }
    for (size_t i = 0; i < mesh->point_count; i++) {
        if (mesh->kind[i] != POINT_OBSTACLE) {
            add_point(c->points + 3 * i, c->leg + 3 * i, &flights[mesh->part[i]]);
        }
    }
    size_t count = 0;
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        if (flights[i].low[0] <= flights[i].high[0]) {
            flights[count++] = flights[i];
            finish_flight(h, &flights[count - 1]);
        }
    }
    return count;
}

static bool flights_meet(const struct collision_mesh *mesh, const struct part_flight *a,
                         const struct part_flight *b) {
    const struct collision_part *p = &mesh->parts[a->part];
    const struct collision_part *q = &mesh->parts[b->part];
    return (p->group & q->mask) != 0 && (q->group & p->mask) != 0 && a->low[1] <= b->high[1] &&
           b->low[1] <= a->high[1] && a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

/// A bound of the speed of any point of one relative to any of the other.
static double relative_speed(const struct part_flight *a, const struct part_flight *b) {
    double most[3];
    for (int k = 0; k < 3; k++) {
        most[k] = fmax(a->fastest[k] - b->slowest[k], b->fastest[k] - a->slowest[k]);
    }
    return norm3(most);
}

/// No pair of them can have more.
static double flight_bound(size_t count, const struct part_flight *flights, double h) {
    struct part_flight all;
    double smallest = INFINITY;
    begin_flight(0, &all);
    for (size_t i = 0; i < count; i++) {
        add_point(flights[i].low, flights[i].slowest, &all);
        add_point(flights[i].high, flights[i].fastest, &all);
        smallest = flights[i].size > 0.0 ? fmin(smallest, flights[i].size) : smallest;
    }
    return count > 1 ? h * relative_speed(&all, &all) / smallest : 0.0;
}

double part_loads_flight(struct barrier_contact *c, struct tasks *tasks, const double *x,
                         const double *v, double h, double enough, struct part_flight *flights) {
    const size_t count = list_flights(c, tasks, x, v, h, flights);
    if (!(flight_bound(count, flights, h) > enough)) {
        return 0.0;
    }
    sort_flights(count, flights);
    double most = 0.0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count && flights[j].low[0] <= flights[i].high[0]; j++) {
            const double size = fmin(flights[i].size, flights[j].size);
            if (size > 0.0 && flights_meet(&c->mesh, &flights[i], &flights[j])) {
                most = fmax(most, h * relative_speed(&flights[i], &flights[j]) / size);
            }
        }
    }
    return most > enough ? most : 0.0;
}
