// Eigen: simplicial LDL^T, and conjugate gradients with a diagonal or incomplete Cholesky.
// SPDX-License-Identifier: MIT
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCholesky>

#include <climits>

#include "peers/peer.h"

namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;

// The whole matrix: rows are columns.
Matrix take(const peer_matrix *a) {
    return Eigen::Map<const Matrix>(a->size, a->size, a->entry_count, a->row_start, a->column,
                                    a->value);
}

peer_result finish(const Vector &result, uint32_t iterations, bool converged, double *x) {
    Eigen::Map<Vector>(x, result.size()) = result;
    return {iterations, converged};
}

template <class Solver> struct State {
    explicit State(const peer_matrix *from) : a(take(from)) {
    }
    Matrix a;
    Solver solver;
};

template <class Solver> struct Direct {
    static peer_result solve(void *state, const double *b, double, double *x) {
        auto *s = static_cast<State<Solver> *>(state);
        const Vector result = s->solver.solve(Eigen::Map<const Vector>(b, s->a.rows()));
        return finish(result, 1, s->solver.info() == Eigen::Success, x);
    }
};

constexpr uint32_t iteration_limit = 2000;

template <class Solver> struct Iterative {
    static peer_result solve(void *state, const double *b, double tolerance, double *x) {
        auto *s = static_cast<State<Solver> *>(state);
        s->solver.setTolerance(tolerance);
        s->solver.setMaxIterations(iteration_limit);
        const Vector result = s->solver.solve(Eigen::Map<const Vector>(b, s->a.rows()));
        return finish(result, static_cast<uint32_t>(s->solver.iterations()),
                      s->solver.info() == Eigen::Success, x);
    }
};

template <class Solver, template <class> class Kind>
peer_table table(const char *name, bool is_direct, int32_t size_limit) {
    peer_table t = {};
    t.name = name;
    t.is_direct = is_direct;
    t.size_limit = size_limit;
    t.iteration_limit = iteration_limit;
    t.create = [](const peer_matrix *a) -> void * { return new State<Solver>(a); };
    t.analyze = [](void *state) {
        auto *s = static_cast<State<Solver> *>(state);
        s->solver.analyzePattern(s->a);
        return true;
    };
    t.factor = [](void *state) {
        auto *s = static_cast<State<Solver> *>(state);
        s->solver.factorize(s->a);
        return s->solver.info() == Eigen::Success;
    };
    t.solve = Kind<Solver>::solve;
    t.release = [](void *state) { delete static_cast<State<Solver> *>(state); };
    return t;
}

constexpr int both = Eigen::Lower | Eigen::Upper;
template <class Order> using Incomplete = Eigen::IncompleteCholesky<double, Eigen::Lower, Order>;
template <class M> using Gradients = Eigen::ConjugateGradient<Matrix, both, M>;

} // namespace

PEER_EXPORT const peer_table *const *peer_tables() {
    using Natural = Eigen::NaturalOrdering<int>;
    using Amd = Eigen::AMDOrdering<int>;
    static const peer_table ldlt = table<Eigen::SimplicialLDLT<Matrix>, Direct>(
        "eigen-simplicial-ldlt-amd", true, 30000);
    static const peer_table diagonal = table<Gradients<Eigen::DiagonalPreconditioner<double>>,
                                             Iterative>("eigen-cg-diagonal", false, INT_MAX);
    static const peer_table natural = table<Gradients<Incomplete<Natural>>, Iterative>(
        "eigen-cg-ic-natural", false, INT_MAX);
    static const peer_table amd = table<Gradients<Incomplete<Amd>>, Iterative>("eigen-cg-ic-amd",
                                                                               false, INT_MAX);
    static const peer_table *const tables[] = {&ldlt, &diagonal, &natural, &amd, nullptr};
    return tables;
}
