// The product with H = H0 + C, domain by domain.
#include "linear/problem.h"

#include <math.h>

void problem_multiply_domain(const struct linear_problem *problem, uint32_t domain, const double *x,
                             double *y) {
    bsr_multiply_domain(problem->a, domain, x, y);
    if (problem->c && problem->c->row_count > 0) {
        contact_matrix_add_domain(problem->c, domain, x, y);
    }
}

struct product {
    const struct linear_problem *problem;
    const double *x;
    double *y;
};

static void multiply_piece(void *context, size_t domain) {
    const struct product *p = context;
    problem_multiply_domain(p->problem, (uint32_t)domain, p->x, p->y);
}

void problem_multiply(struct tasks *tasks, const struct linear_problem *problem, const double *x,
                      double *y) {
    struct product p = {problem, x, y};
    tasks_for(tasks, problem->a->layout->domain_count, multiply_piece, &p);
}

static double trace(const double block[9]) {
    return block[0] + block[4] + block[8];
}

double problem_contrast(const struct linear_problem *problem) {
    const struct contact_matrix *c = problem->c;
    const struct bsr *a = problem->a;
    double largest = 0.0;
    for (uint32_t i = 0; c && i < c->row_count; i++) {
        const double own = trace(a->values + 9 * (size_t)a->row_start[c->row[i]]);
        const double contact = trace(contact_matrix_diagonal(c, i));
        if (contact > largest * own) {
            largest = own > 0.0 ? contact / own : INFINITY;
        }
    }
    return largest;
}
