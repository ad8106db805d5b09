// The product with H = H0 + C, domain by domain.
#include "linear/problem.h"

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
