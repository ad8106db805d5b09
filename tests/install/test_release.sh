#!/usr/bin/env bash
# make release: it refuses a tree that is not ready, and makes of one that is an archive with the same bytes each time, whose
# library builds from scratch, and a tag. Nothing is pushed. All of it in a copy of the tree with a history of its own.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

version=$(sed -n 's/^#define PBS_VERSION_[A-Z]* *\([0-9]*\).*/\1/p' include/pbs/base.h | head -n 3 | paste -sd.)
copy=$scratch/copy
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=tests GIT_AUTHOR_EMAIL=tests@localhost GIT_COMMITTER_NAME=tests GIT_COMMITTER_EMAIL=tests@localhost

in_copy() { git -C "$copy" "$@"; }
# The library of this test is made in a minute, not in several: nothing is computed with it.
release() { make -s -C "$copy" release BUILD=build CFLAGS=-O0 CHECK=none "$@"; }
try_release() { release "$@" >"$scratch/said" 2>&1; }

changes() { # what there was "Unreleased", the heading of this version
    printf '# Changes\n\n## Unreleased\n\n%s\n\n## %s\n\nAll.\n' "$1" "$2" >"$copy/CHANGELOG.md"
}
make_copy() {
    mkdir "$copy"
    tar -c --exclude=./.git --exclude=./build --exclude=node_modules --exclude='./lib/libpbs.[as]*' . | tar -x -C "$copy" &&
        changes "Nothing." "$version, 2026-01-02" &&
        in_copy init -q -b main && in_copy add -A && in_copy commit -qm "a tree that is ready" &&
        git init -q --bare "$scratch/origin" && in_copy remote add origin "$scratch/origin"
}
check "a copy of the tree has a history" make_copy

# --- what is not ready ---

refuses() { # name, what it must say, arguments of make
    local name=$1 message=$2
    shift 2
    refuse "refused: $name" try_release "$@"
    check "says so: $name" grep -F "$message" "$scratch/said"
}
# The same with a commit on top, which is taken back.
refuses_when() { # name, what it must say, command that changes the copy
    local name=$1 message=$2
    shift 2
    check "can be committed: $name" "$@"
    in_copy commit -qam "$name"
    refuses "$name" "$message" VERSION="$version"
    in_copy reset -q --hard HEAD~
}
edit() { sed -i "$1" "$copy/$2" && ! in_copy diff --quiet; }

refuses "no version" "make release VERSION=x.y.z"
refuses "a version of two numbers" "make release VERSION=x.y.z" VERSION="${version%.*}"
refuses "another version than the headers'" "include/pbs/base.h: $version, must be 9.8.7" VERSION=9.8.7
refuses_when "changes without a date" "$version, not released yet, must be" changes "Nothing." "$version, not released yet"
refuses_when "changes of another version" "must be Unreleased|$version, DATE" changes "Nothing." "9.8.7, 2026-01-02"
refuses_when "lines that are unreleased" "lines under Unreleased in CHANGELOG.md: 1" changes "- fix: one." "$version, 2026-01-02"
refuses_when "a map of another SONAME" "lib/libpbs.map: LIBPBS_77" edit 's/^LIBPBS_[0-9]* {/LIBPBS_77 {/' lib/libpbs.map
refuses_when "a page that asks for another version" "must be ${version%.*}" edit 's/find_package(pbs [0-9.]*/find_package(pbs 9.8/' README.md
refuses_when "a library that does not build" "libpbs-$version does not build" edit '$a #error does not build' include/pbs/base.h

touch "$copy/untracked"
refuses "a file that is not committed" "not committed" VERSION="$version"
rm "$copy/untracked"
check "no refused one was tagged" test -z "$(in_copy tag)"

# --- one that is ---

archive=$copy/build/release/libpbs-$version.tar.gz
made() { try_release VERSION="$version" || { cat "$scratch/said"; return 1; }; }
check "a release is made" made
check "its library was built, and a program run with it" grep -q "examples/hello.c runs with it" "$scratch/said"
check "what was left out is said" grep -q "nothing was checked" "$scratch/said"
check "it says what to push" grep -qx "    git push origin main v$version" "$scratch/said"
check "the tag is of the commit" test "$(in_copy rev-parse "v$version^{commit}")" = "$(in_copy rev-parse HEAD)"
check "and has a message" test "$(in_copy cat-file -t "v$version")" = tag
check "nothing was pushed" test -z "$(git -C "$scratch/origin" for-each-ref)"
check "the tree is as it was" test -z "$(in_copy status --porcelain)"
check "the checksum is that of the archive" sh -c "cd '$copy/build/release' && sha256sum -c 'libpbs-$version.tar.gz.sha256'"
committed() { diff <(in_copy ls-files | sort) <(tar -tzf "$archive" | sed "s,^libpbs-$version/,," | grep -v '/$' | grep . | sort); }
check "the archive holds what is committed, and nothing else" committed
refuses "the same version again" "there is a tag v$version" VERSION="$version"

# Elsewhere, later, for another user.
packed_again() {
    git clone -q "$copy" "$scratch/again" && cd "$scratch/again" && umask 077 &&
        git config tar.umask 0 && git config core.autocrlf true &&
        TZ=Asia/Tokyo scripts/release.sh pack "$version" "$scratch/again.tar.gz" && cmp "$archive" "$scratch/again.tar.gz"
}
check "an archive of the same commit has the same bytes" packed_again
finish
