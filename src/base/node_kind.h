// What the three coordinates of a node are. Whatever differs by kind (gravity, rigid motions,
// lengths) asks the node, never the body.
#ifndef PBS_BASE_NODE_KIND_H
#define PBS_BASE_NODE_KIND_H

enum node_kind {
    NODE_POSITION, ///< of a point in space
    NODE_ROTATION, ///< r phi, see docs/theory/bonds.md section 2
    NODE_HANDLE    ///< of an affine body: an arrow from its centre
};

#endif
