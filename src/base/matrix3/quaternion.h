// Conversions between three representations of a rotation: unit quaternion (x, y, z, w), row-major
// matrix, and rotation vector (axis times angle).
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_MATRIX3_QUATERNION_H
#define PBS_BASE_MATRIX3_QUATERNION_H

/// Computes the row-major matrix of a unit quaternion.
void rotation_of(const double orientation[4], double rotation[9]);
/// Computes the unit quaternion with w >= 0 of a row-major rotation matrix.
void quaternion_of(const double rotation[9], double orientation[4]);

/// Computes the rotation vector, at most pi long, from one orientation to another.
void rotation_between(const double from[4], const double to[4], double vector[3]);
/// out = the orientation `from`, rotated by a fraction of the rotation vector.
void rotate_by(const double vector[3], double fraction, const double from[4], double out[4]);

#endif
