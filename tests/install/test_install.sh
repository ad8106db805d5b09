#!/usr/bin/env bash
# An installed libpbs is found, linked and run by a host, through pkg-config and through CMake, and leaves when told to.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

here=tests/install
prefix=$scratch/prefix
stage=$scratch/stage
version=$(sed -n 's/^#define PBS_VERSION_[A-Z]* *\([0-9]*\).*/\1/p' include/pbs/base.h | head -n 3 | paste -sd.)
major=${version%%.*} minor=$(echo "$version" | cut -d. -f2)
abi=$(sed -n 's/^ABI *:= *//p' mk/flags.mk)
CC=${CC:-gcc}

install_to() { make -s install PREFIX="$1" DESTDIR="${2:-}" LIBDIR="$1/lib/here"; }
uninstall_from() { make -s uninstall PREFIX="$1" DESTDIR="${2:-}" LIBDIR="$1/lib/here"; }
files_in() { (cd "$1" && find . ! -type d | sort); }

check "make install PREFIX LIBDIR" install_to "$prefix"
check "make install with DESTDIR" install_to "$prefix" "$stage"
check "DESTDIR holds the same files" diff <(files_in "$prefix") <(files_in "$stage$prefix")
check "all headers are there" diff <(ls include/pbs) <(ls "$prefix/include/pbs")

# --- pkg-config ---
export PKG_CONFIG_PATH=$prefix/lib/here/pkgconfig

build_shared() { $CC $here/consumer.c $(pkg-config --cflags --libs pbs) -o "$scratch/shared"; }
build_static() {
    $CC $here/consumer.c $(pkg-config --cflags pbs) "$prefix/lib/here/libpbs.a" \
        $(pkg-config --static --libs pbs | sed 's/-lpbs//') -o "$scratch/static"
}
needs() { readelf -d "$1" | grep NEEDED | grep -q "$2"; }

check "pkg-config gives version $version" test "$(pkg-config --modversion pbs)" = "$version"
check "builds shared through pkg-config" build_shared
check "asks for libpbs.so.$abi by its SONAME" needs "$scratch/shared" "libpbs\.so\.$abi\]"
build_cpp() { ${CXX:-g++} -std=c++17 -x c++ $here/consumer.c -x none $(pkg-config --cflags --libs pbs) -o "$scratch/cpp"; }
check "builds as C++17" build_cpp
check "runs as C++17" env LD_LIBRARY_PATH="$prefix/lib/here" "$scratch/cpp"
check "runs shared" env LD_LIBRARY_PATH="$prefix/lib/here" "$scratch/shared"
check "builds static through pkg-config --static" build_static
refuse "static asks for no libpbs.so" needs "$scratch/static" libpbs
check "runs static" "$scratch/static"

# --- CMake ---
configure() { # version, folder, prefix
    cmake -S $here -B "$scratch/$2" -DWANTED="$1" -DCMAKE_C_COMPILER="$CC" \
        -Dpbs_DIR="$3/lib/here/cmake/pbs" -DCMAKE_BUILD_TYPE=Release
}
check "find_package(pbs $major.$minor)" configure "$major.$minor" cmake "$prefix"
check "builds with CMake" cmake --build "$scratch/cmake"
check "pbs::pbs runs" "$scratch/cmake/consumer_shared"
check "pbs::static runs" "$scratch/cmake/consumer_static"
check "find_package(pbs $version EXACT)" configure "$version;EXACT" exact "$prefix"
refuse "an older minor version is refused" configure "$major.$((minor - 1))" older "$prefix"
refuse "a newer minor version is refused" configure "$major.$((minor + 1))" newer "$prefix"
refuse "a newer patch is refused" configure "$version.1" patch "$prefix"
refuse "another major version is refused" configure "$((major + 1)).0" other "$prefix"
check "a staged package is found where it lies" configure "$major.$minor" staged "$stage$prefix"
check "builds against the staged package" cmake --build "$scratch/staged"

refuse "every word of the templates was filled in" grep -rn '@[A-Z_]*@' "$prefix/lib/here/cmake" "$prefix/lib/here/pkgconfig"

# A release with a patch number serves those who ask for its minor version.
patched=$scratch/patched
cp -r "$prefix" "$patched"
sed -i "s/PACKAGE_VERSION \"$version\"/PACKAGE_VERSION \"$major.$minor.7\"/" "$patched/lib/here/cmake/pbs/pbsConfigVersion.cmake"
check "patch 7 is there" grep -q "\"$major.$minor.7\"" "$patched/lib/here/cmake/pbs/pbsConfigVersion.cmake"
check "find_package(pbs $major.$minor) at patch 7" configure "$major.$minor" patch_minor "$patched"
check "find_package(pbs $major.$minor.7 EXACT) at patch 7" configure "$major.$minor.7;EXACT" patch_exact "$patched"
check "find_package(pbs $major.$minor.3) at patch 7" configure "$major.$minor.3" patch_older "$patched"
refuse "another minor version is refused at patch 7" configure "$major.$((minor + 1))" patch_other "$patched"
refuse "an older minor version is refused at patch 7" configure "$major.$((minor - 1))" patch_before "$patched"

# --- a folder with a space in its name ---
spaced="$scratch/a prefix"
check "make install to a prefix with a space" install_to "$spaced"
check "all headers are there too" diff <(ls include/pbs) <(ls "$spaced/include/pbs")
build_spaced() { eval "$CC $here/consumer.c $(PKG_CONFIG_PATH="$spaced/lib/here/pkgconfig" pkg-config --cflags --libs pbs) -o '$scratch/spaced'"; }
check "builds through pkg-config" build_spaced
check "runs" env LD_LIBRARY_PATH="$spaced/lib/here" "$scratch/spaced"
check "find_package there" configure "$major.$minor" spaced_cmake "$spaced"
check "builds with CMake there" cmake --build "$scratch/spaced_cmake"
check "make uninstall there" uninstall_from "$spaced"
check "no file is left there" test -z "$(find "$spaced" ! -type d)"
refuse "BUILD with a space is refused" make -s BUILD="$scratch/a build" lib
check "and the reason is given" grep -q "make cannot build in a folder with a space" <(make -s BUILD="$scratch/a build" lib 2>&1)

# --- uninstall ---
check "make uninstall" uninstall_from "$prefix"
check "make uninstall with DESTDIR" uninstall_from "$prefix" "$stage"
check "no file is left" test -z "$(find "$prefix" "$stage" ! -type d)"
check "no folder of ours is left" test -z "$(find "$prefix" "$stage" -type d -name '*pbs')"
finish
