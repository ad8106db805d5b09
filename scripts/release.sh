#!/usr/bin/env bash
# A release of what is committed, in four actions, which `make release VERSION=x.y.z` takes after each other:
#   scripts/release.sh ready VERSION           fails unless nothing is uncommitted and everything says VERSION
#   scripts/release.sh pack  VERSION ARCHIVE   writes ARCHIVE (.tar.gz), the same bytes for the same commit, and its checksum
#   scripts/release.sh try   VERSION ARCHIVE   builds and installs it from scratch, and links and runs examples/hello.c
#   scripts/release.sh tag   VERSION ARCHIVE   tags the commit that was packed, and prints what to push
# Nothing is pushed.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { echo "make release VERSION=x.y.z" >&2; exit 2; }
fail() { echo "release: $*" >&2; exit 1; }

[[ "${2:-}" =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || usage
action=$1 version=$2 archive=${3:-}
abi=$(sed -n 's/^ABI *:= *//p' mk/flags.mk)
name=libpbs-$version

# --- ready: all that can be said without building ---

disagreements=0
agree() { # what says something, what it says, what it should say
    [ "$2" = "$3" ] && return
    echo "release: $1: ${2:-nothing}, must be $3" >&2
    disagreements=$((disagreements + 1))
}

header_version() { sed -n 's/^#define PBS_VERSION_[A-Z]* *\([0-9]*\).*/\1/p' include/pbs/base.h | head -n 3 | paste -sd.; }
map_node() { sed -n 's/^\(LIBPBS_[0-9]*\) {$/\1/p' lib/libpbs.map; }
changelog_headings() { sed -n 's/^## //p' CHANGELOG.md | head -n 2 | sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2}$/DATE/' | paste -sd'|'; }
unreleased_lines() { awk '/^## / { here = $2 == "Unreleased" } here && /^- / { lines++ } END { print lines + 0 }' CHANGELOG.md; }
asked_of_cmake() { grep -ohE 'find_package\(pbs [0-9.]+' README.md docs/*.md | sed 's/.* //' | sort -u | paste -sd' '; }

is_ready() {
    [ -z "$(git status --porcelain)" ] || fail "something is not committed (git status)"
    ! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || fail "there is a tag v$version"
    agree "the version in include/pbs/base.h" "$(header_version)" "$version"
    agree "the node of lib/libpbs.map" "$(map_node)" "LIBPBS_$abi"
    agree "the first headings of CHANGELOG.md" "$(changelog_headings)" "Unreleased|$version, DATE"
    agree "lines under Unreleased in CHANGELOG.md" "$(unreleased_lines)" 0
    agree "find_package(pbs ...) in README.md and docs" "$(asked_of_cmake)" "${version%.*}"
    [ "$disagreements" = 0 ] || exit 1
}

# --- pack ---

# Nothing of the machine is in it: times are those of the commit, and neither configuration nor umask has a say.
pack() {
    mkdir -p "$(dirname "$archive")"
    git -c tar.umask=0022 -c core.autocrlf=false -c core.attributesFile=/dev/null archive --format=tar --prefix="$name/" HEAD |
        gzip -n -9 >"$archive"
    (cd "$(dirname "$archive")" && sha256sum "$(basename "$archive")" >"$(basename "$archive").sha256")
}

# --- try ---

build_from_scratch() { # folder of sources, prefix
    # What make was told about this tree is not for that one.
    env -u BUILD -u VERSION -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
        make -s -C "$1" -j"${TEST_JOBS:-2}" install PREFIX="$2" LIBDIR="$2/lib" >"$scratch/log" 2>&1 ||
        { tail -n 30 "$scratch/log"; fail "$name does not build"; }
}

run_hello() { # source, prefix
    export PKG_CONFIG_PATH=$2/lib/pkgconfig
    # shellcheck disable=SC2046
    ${CC:-cc} "$1" $(pkg-config --cflags --libs pbs) -o "$scratch/hello" || fail "examples/hello.c cannot be linked to $name"
    LD_LIBRARY_PATH="$2/lib" "$scratch/hello" >"$scratch/log" || fail "examples/hello.c does not run with $name"
}

installed_versions() { # prefix
    local lib=$1/lib
    agree "pkg-config" "$(pkg-config --modversion pbs)" "$version"
    agree "the CMake package" "$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")/\1/p' "$lib/cmake/pbs/pbsConfigVersion.cmake")" "$version"
    agree "the SONAME" "$(readelf -d "$lib/libpbs.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')" "libpbs.so.$abi"
    agree "the file behind it" "$(basename "$(readlink -f "$lib/libpbs.so.$abi")")" "libpbs.so.$version"
    [ "$disagreements" = 0 ] || exit 1
}

try() {
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    tar -xzf "$archive" -C "$scratch"
    build_from_scratch "$scratch/$name" "$scratch/prefix"
    run_hello "$scratch/$name/examples/hello.c" "$scratch/prefix"
    installed_versions "$scratch/prefix"
    echo "$name builds from scratch, and examples/hello.c runs with it."
}

# --- tag ---

tag() {
    local commit branch
    is_ready
    commit=$(git get-tar-commit-id < <(gzip -dc "$archive"))
    [ "$commit" = "$(git rev-parse HEAD)" ] || fail "$archive is of another commit than HEAD"
    git tag -a "v$version" -m "libpbs $version" "$commit"
    branch=$(git symbolic-ref -q --short HEAD || true)
    echo "Tagged v$version. The archive and its checksum:"
    echo "    $archive"
    echo "    $(cut -d' ' -f1 "$archive.sha256")"
    echo "Nothing was pushed. To publish it, push the tag, and upload the archive with the checksum:"
    echo "    git push origin ${branch:+$branch }v$version"
}

case $action in
ready) is_ready ;;
pack) pack ;;
try) try ;;
tag) tag ;;
*) usage ;;
esac
