// Rotations as unit quaternions x, y, z, w, as row-major matrices, and as vectors: the axis times
// the angle.
#ifndef PBS_BASE_MATRIX3_QUATERNION_H
#define PBS_BASE_MATRIX3_QUATERNION_H

/// Row-major rotation of a unit quaternion x, y, z, w.
void rotation_of(const double orientation[4], double rotation[9]);
/// The other way round, w >= 0.
void quaternion_of(const double rotation[9], double orientation[4]);

/// The rotation vector, at most pi long, that leads from one orientation to another.
void rotation_between(const double from[4], const double to[4], double vector[3]);
/// out = the orientation `from`, turned by a fraction of the rotation vector.
void rotate_by(const double vector[3], double fraction, const double from[4], double out[4]);

#endif
