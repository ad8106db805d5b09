// Kinds of nodes: what the three coordinates of a node mean. Code that differs by kind (gravity,
// rigid motions, measures of length) tests the kind of the node, never the type of the body.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_NODE_KIND_H
#define PBS_BASE_NODE_KIND_H

enum node_kind {
    NODE_POSITION, ///< position of a point in space, m
    NODE_ROTATION, ///< r phi, m: a rotation vector times a length; docs/theory/bonds.md section 2
    NODE_HANDLE    ///< column of an affine body's deformed frame times a length, m
};

#endif
