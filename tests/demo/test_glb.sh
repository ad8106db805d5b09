#!/usr/bin/env bash
# The demo's glTF file passes the Khronos validator: tests/demo/test_glb.sh [FILE.glb...]
# SPDX-License-Identifier: MIT
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- demo/drop.glb
if [ ! -d "$here/node_modules/gltf-validator" ]; then
    (cd "$here" && npm ci --no-audit --no-fund --loglevel=error)
fi
node "$here/validate_glb.js" "$@"
