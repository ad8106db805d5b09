#!/usr/bin/env bash
# Installs what a bare Debian 12 lacks to build, test and show libpbs: with apt when root or through sudo without a
# password; otherwise prints the one line to run. What is there already is left alone.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
    build-essential pkg-config                  # to build
    libmetis-dev liblapacke-dev libopenblas-dev # what the library links
    libstb-dev                                  # examples: pictures
    libcmocka-dev                               # tests: the frame
    clang libclang-rt-14-dev                    # tests: the other compiler, fuzzing
    libc6-dev-arm64-cross                       # tests: that it compiles for another processor
    valgrind abigail-tools cmake                # tests: memory, ABI, install
    chromium ca-certificates                    # tests: the demo's page
    libbullet-dev gnuplot-nox                   # bench: the comparison, pictures of docs/
    libsuitesparse-dev libhypre-dev             # bench: the comparison of linear solvers; examples/hosts
    libeigen3-dev libmumps-seq-dev openmpi-bin
    python3                                     # tests: a host in another language
    clang-format clang-tidy doxygen             # format, tidy, docs
)
# Debian keeps npm apart from nodejs; other packagings of nodejs bring it along and conflict with that.
command -v npm >/dev/null || packages+=(nodejs npm)

is_installed() { [ "$(dpkg-query -W -f='${Status}' "$1" 2>/dev/null)" = "install ok installed" ]; }

missing=()
for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
done

if [ ${#missing[@]} -gt 0 ]; then
    if [ "$(id -u)" = 0 ]; then
        as_root=(env)
    elif sudo -n true 2>/dev/null; then
        as_root=(sudo -n env)
    else
        echo "Missing: ${missing[*]}"
        echo "Run this as root:"
        echo "apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
        exit 1
    fi
    apt=("${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
    "${apt[@]}" update
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
fi

# The glTF validator, at the version that the lock file names.
if [ -e tests/demo/package.json ] && ! npm ls --prefix tests/demo >/dev/null 2>&1; then
    npm ci --prefix tests/demo --no-audit --no-fund
fi
echo "All dependencies are there."
