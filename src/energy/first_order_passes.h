// Specialises a term's kernel add_first_order for each combination of outputs, so that the compiler
// drops the code of the others. A term includes this file once, after its kernel; hence no include
// guard. FIRST_ORDER_ELEMENTS: name of the struct that the kernel takes.
// SPDX-License-Identifier: MIT

static PBS_MULTIVERSION void add_value(const struct FIRST_ORDER_ELEMENTS *elements,
                                       const struct stencil_groups *groups, size_t begin,
                                       size_t end, const double *x, double *value) {
    add_first_order(elements, groups, begin, end, x, value, NULL, NULL);
}

static PBS_MULTIVERSION void add_node_values(const struct FIRST_ORDER_ELEMENTS *elements,
                                             const struct stencil_groups *groups, size_t begin,
                                             size_t end, const double *x, double *value,
                                             double *node_values) {
    add_first_order(elements, groups, begin, end, x, value, NULL, node_values);
}

static PBS_MULTIVERSION void add_gradient(const struct FIRST_ORDER_ELEMENTS *elements,
                                          const struct stencil_groups *groups, size_t begin,
                                          size_t end, const double *x, double *gradient) {
    add_first_order(elements, groups, begin, end, x, NULL, gradient, NULL);
}

static PBS_MULTIVERSION void add_value_and_gradient(const struct FIRST_ORDER_ELEMENTS *elements,
                                                    const struct stencil_groups *groups,
                                                    size_t begin, size_t end, const double *x,
                                                    double *value, double *gradient) {
    add_first_order(elements, groups, begin, end, x, value, gradient, NULL);
}

/// Adds value, values by node and gradient as far as evaluation->what requests them.
static void add_requested(const struct FIRST_ORDER_ELEMENTS *elements,
                          const struct stencil_groups *groups, size_t begin, size_t end,
                          const struct evaluation *evaluation, struct evaluation_sums *sums) {
    uint32_t first_order = evaluation->what & (EVALUATE_VALUE | EVALUATE_GRADIENT);
    if ((first_order & EVALUATE_VALUE) && sums->node_values != NULL) {
        add_node_values(elements, groups, begin, end, evaluation->x, &sums->value,
                        sums->node_values);
        first_order &= EVALUATE_GRADIENT;
    }
    if (first_order == EVALUATE_VALUE) {
        add_value(elements, groups, begin, end, evaluation->x, &sums->value);
    } else if (first_order == EVALUATE_GRADIENT) {
        add_gradient(elements, groups, begin, end, evaluation->x, sums->gradient);
    } else if (first_order != 0) {
        add_value_and_gradient(elements, groups, begin, end, evaluation->x, &sums->value,
                               sums->gradient);
    }
}

#undef FIRST_ORDER_ELEMENTS
