// The product with H = H0 + C + F, domain by domain.
// SPDX-License-Identifier: MIT
#include "linear/problem.h"

#include <math.h>
#include <string.h>

static void add_contact(const struct linear_problem *problem, uint32_t domain, const double *x,
                        double *y) {
    if (problem->c && problem->c->row_count > 0) {
        contact_matrix_add_domain(problem->c, domain, x, y);
    }
}

static void multiply_assembled(const struct linear_problem *problem, uint32_t domain,
                               const double *x, double *y) {
    bsr_multiply_domain(problem->a, domain, x, y);
    add_contact(problem, domain, x, y);
}

/// u <- Q u
static void restrain(const double tangent[9], double u[3]) {
    const double all[3] = {u[0], u[1], u[2]};
    for (int i = 0; i < 3; i++) {
        u[i] = tangent[3 * i] * all[0] + tangent[3 * i + 1] * all[1] + tangent[3 * i + 2] * all[2];
    }
}

void problem_begin_product(struct tasks *tasks, const struct linear_problem *problem,
                           const double *x) {
    for (const struct product_operator *f = problem->f; f != NULL; f = f->next) {
        f->multiply(f->self, tasks, x);
    }
}

/// y = F x, projected onto the free directions of constrained rows.
static void apply_operator(const struct linear_problem *problem, uint32_t domain, double *y) {
    const uint32_t first = problem->a->layout->domain_start[domain];
    const uint32_t end = problem->a->layout->domain_start[domain + 1];
    memset(y + 3 * (size_t)first, 0, 3 * (size_t)(end - first) * sizeof *y);
    for (const struct product_operator *f = problem->f; f != NULL; f = f->next) {
        f->add_domain(f->self, domain, y);
    }
    for (size_t i = 0; i < problem->restriction_count; i++) {
        const struct row_restriction *restriction = &problem->restrictions[i];
        if (restriction->row >= first && restriction->row < end) {
            restrain(restriction->tangent, y + 3 * (size_t)restriction->row);
        }
    }
}

void problem_multiply_domain(const struct linear_problem *problem, uint32_t domain, const double *x,
                             double *y) {
    if (problem->f == NULL) {
        multiply_assembled(problem, domain, x, y);
        return;
    }
    apply_operator(problem, domain, y);
    bsr_add_domain(problem->a, domain, x, y);
    add_contact(problem, domain, x, y);
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
    problem_begin_product(tasks, problem, x);
    tasks_for(tasks, problem->a->layout->domain_count, multiply_piece, &p);
}

static void assembled_piece(void *context, size_t domain) {
    const struct product *p = context;
    multiply_assembled(p->problem, (uint32_t)domain, p->x, p->y);
}

void problem_multiply_assembled(struct tasks *tasks, const struct linear_problem *problem,
                                const double *x, double *y) {
    struct product p = {problem, x, y};
    tasks_for(tasks, problem->a->layout->domain_count, assembled_piece, &p);
}

double problem_product_blocks(const struct linear_problem *problem) {
    double blocks = 0.0;
    for (const struct product_operator *f = problem->f; f != NULL; f = f->next) {
        blocks += f->blocks;
    }
    return blocks;
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
