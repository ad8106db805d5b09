#!/usr/bin/env bash
# The recipes of docs/hosts.md compile as they stand there, without a warning, and do what the page says (recipes.c).
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/../../scripts/checks.sh"

build=${BUILD:-build}
program() {
    { printf '#include <pbs/pbs.h>\n#include <stdio.h>\n#include <stdlib.h>\n'
      awk '/^## Recipes/ { inside = 1 } inside && /^```c$/ { code = 1; next } /^```$/ { code = 0 } inside && code' docs/hosts.md
      cat tests/docs/recipes.c; } >"$scratch/recipes.c"
    [ "$(grep -c '^pbs_status\|^double\|^pbs_body\|^int\|^void' "$scratch/recipes.c")" -ge 8 ] &&
        "${CC:-gcc}" -std=c11 -Wall -Wextra -Werror -Iinclude "$scratch/recipes.c" -o "$scratch/recipes" \
            -L"${LIB:-lib}" -Wl,-rpath,"$PWD/${LIB:-lib}" -lpbs -lm
}
check "they compile without a warning" program
check "and do what the page says" "$scratch/recipes"
finish
