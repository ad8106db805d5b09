#!/usr/bin/env bash
# What a compiler or grep can say of our sources: no warning under gcc and clang, the library also for another processor;
# and each file of the library includes headers of its own floor or of lower ones only (DESIGN.md section 4).
. "$(dirname "$0")/../../scripts/checks.sh"

flags="-std=c11 -D_GNU_SOURCE -Isrc -Iinclude -Iexamples -Iexamples/common -Ibench -Itests -ffp-contract=off -fno-math-errno
       -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Wno-psabi -Werror"

compile() { # compiler and options, file
    $1 $flags -O1 -fPIC -c "$2" -o "$scratch/object.o"
}

for file in src/*/*.c; do
    check "$file, gcc, no warning" compile gcc "$file"
    check "$file, clang, no warning" compile clang "$file"
done

# What is not the library need not be compiled once more to be read.
for file in examples/*.c examples/common/*.c bench/*.c bench/scenes/*.c tests/*/*.c fuzz/*.c; do
    [ -e "$file" ] || continue
    case $file in tests/install/* | tests/abi/*) continue ;; esac
    check "$file, gcc, no warning" compile "gcc -fsyntax-only" "$file"
    check "$file, clang, no warning" compile "clang -fsyntax-only" "$file"
done

# Another processor: compiled only, against its C library's headers.
arm=/usr/aarch64-linux-gnu/include
if [ -d $arm ]; then
    for file in src/*/*.c; do
        check "$file, clang for aarch64" compile "clang --target=aarch64-linux-gnu -isystem $arm" "$file"
    done
else
    echo "skip - $arm is missing (make deps), so nothing was compiled for aarch64"
fi

floor_of() {
    case $1 in
    pbs) echo -1 ;; base) echo 0 ;; geometry | sparse) echo 1 ;; linear) echo 2 ;; energy | contact) echo 3 ;;
    minimize) echo 4 ;; integrate) echo 5 ;; fracture) echo 6 ;; world) echo 7 ;; *) echo unknown ;;
    esac
}

stays_on_its_floor() { # file
    local folder own target theirs
    folder=$(basename "$(dirname "$1")")
    own=$(floor_of "$folder")
    for target in $(sed -n 's/^#include "\([a-z]*\)\/.*/\1/p' "$1" | sort -u); do
        theirs=$(floor_of "$target")
        if [ "$own" = unknown ] || [ "$theirs" = unknown ] ||
            { [ "$theirs" -ge "$own" ] && [ "$target" != "$folder" ]; }; then
            echo "$1 ($folder, floor $own) includes $target/ (floor $theirs)"
            return 1
        fi
    done
}
for file in src/*/*.[ch]; do check "$file, floors" stays_on_its_floor "$file"; done

no_forbidden_call() {
    ! grep -nE '(^|[^a-z_.>])(printf|puts|abort|exit|setlocale|malloc|calloc|realloc|free)[ ]*\(' "$1" | grep -vE '^[0-9]+: *//'
}
for file in src/*/*.c; do
    case $file in
    src/base/memory.c) ;; # the one place that knows the C library's allocator
    *) check "$file, no printing, exiting or allocating of its own" no_forbidden_call "$file" ;;
    esac
done
finish
