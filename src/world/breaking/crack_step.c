// How long steps may be while bonds break (docs/theory/step_control.md section 4): a crack runs no
// faster than Rayleigh's wave, and goes no farther than from bond to bond.
#include <math.h>

#include "world/particles/bonded.h"
#include "world/breaking/breaking.h"
#include "world/world.h"

// Rayleigh's wave over that of shear: 0.87 to 0.95, the larger the Poisson ratio.
static const double RAYLEIGH_SHARE = 0.92;

/// s: the mean, over the bonds that may break, of the time that Rayleigh's wave takes along one: in
/// a row of such bonds and particles a wave of shear takes sqrt(m / k_t).
static double bonded_crack_step(const struct nodes *nodes, const struct body *body) {
    const struct bonded_body *own = &body->bonded;
    const struct body_bonds *bonds = &body->bonds;
    const double *mass = nodes->mass + body->node_start;
    double sum = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < bonds->count; i++) {
        if (!isfinite(own->tensile[i]) && !isfinite(own->shearing[i])) {
            continue;
        }
        double rest[3];
        const struct bond_stiffness k = bonded_stiffness(body, i, rest);
        const uint32_t *end = bonds->pairs + 2 * i;
        sum += sqrt(0.5 * (mass[end[0]] + mass[end[1]]) / k.shear);
        count++;
    }
    return count > 0 ? sum / (double)count / RAYLEIGH_SHARE : 0.0;
}

/// s: the mean over the particles of the time in which Rayleigh's wave crosses the horizon.
static double peridynamic_crack_step(const struct nodes *nodes, const struct body *body) {
    const struct peridynamic_body *own = &body->peridynamic;
    const double poisson = own->dimension == PBS_PERIDYNAMIC_PLANE_STRESS ? 1.0 / 3.0 : 0.25;
    double sum = 0.0;
    for (size_t i = 0; i < body->vertex_count; i++) {
        const double density = nodes->mass[body->node_start + i] / own->volumes[i];
        sum += sqrt(2.0 * (1.0 + poisson) * density / own->young[i]);
    }
    return own->horizon / RAYLEIGH_SHARE * sum / (double)body->vertex_count;
}

static double crack_step_of(const struct nodes *nodes, const struct body *body) {
    return body->kind == BODY_BONDED ? bonded_crack_step(nodes, body)
                                     : peridynamic_crack_step(nodes, body);
}

double breaks_crack_step(const pbs_world *w, size_t first) {
    const struct bond_breaks *breaks = &w->topology.breaks;
    double least = 0.0;
    uint64_t last = 0;
    for (size_t i = first; i < breaks->count; i++) {
        // Rows of one body follow one another.
        if (breaks->rows[i].body.id == last) {
            continue;
        }
        last = breaks->rows[i].body.id;
        const double own = crack_step_of(&w->scene.nodes, world_body(w, breaks->rows[i].body));
        if (own > 0.0 && isfinite(own)) {
            least = least > 0.0 ? fmin(least, own) : own;
        }
    }
    return least;
}
