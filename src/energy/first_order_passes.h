// What is asked of one kernel, add_first_order, each as a function of its own, so that the compiler
// leaves out what is not. Included by every term with such a kernel, once, after it; no guard.
// FIRST_ORDER_ELEMENTS: the struct that the kernel takes.

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

/// Of value, values by node and gradient.
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
