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

#undef FIRST_ORDER_ELEMENTS
