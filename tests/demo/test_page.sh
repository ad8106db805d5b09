#!/usr/bin/env bash
# The demo's page renders in a real browser: tests/demo/test_page.sh [FILE.html]
# Its title must say "ready N frames", and a screenshot must show something that changes with the frame.
# SPDX-License-Identifier: MIT
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
page=$(realpath "${1:-demo/drop.html}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$chromium" ] || { echo "chromium is not installed (make deps installs it)"; exit 1; }

browse() { # FRAME OPTION...
    local frame=$1 sandbox=()
    shift
    [ "$(id -u)" != 0 ] || sandbox=(--no-sandbox)
    timeout 120 "$chromium" --headless=new --use-angle=swiftshader --enable-unsafe-swiftshader \
        --user-data-dir="$work/profile_$frame" --no-first-run --hide-scrollbars --window-size=1200,900 \
        --disable-dev-shm-usage --virtual-time-budget=4000 "${sandbox[@]}" "$@" "file://$page#frame=$frame" 2>>"$work/log"
}

title=$(browse 0 --dump-dom | sed -n 's:.*<title>\(.*\)</title>.*:\1:p' | head -1)
frames=$(sed -n 's/^"frames":\([0-9]*\),.*/\1/p' "$page")
echo "title: $title"
if [ -z "$frames" ] || [ "$title" != "ready $frames frames" ]; then
    echo "expected the title 'ready $frames frames'"
    tail -20 "$work/log"
    exit 1
fi

last=$((frames - 1))
for frame in 0 $last; do
    browse "$frame" --screenshot="$work/$frame.png" >/dev/null
    colours=$(node "$here/picture_colours.js" "$work/$frame.png")
    echo "frame $frame: $colours colours"
    [ "$colours" -ge 40 ] || { echo "the page looks blank"; exit 1; }
done
if [ "$frames" -gt 1 ] && cmp -s "$work/0.png" "$work/$last.png"; then
    echo "frames 0 and $last look the same"
    exit 1
fi

title=$(browse 1 --disable-3d-apis --dump-dom | sed -n 's:.*<title>\(.*\)</title>.*:\1:p' | head -1)
echo "without WebGL: $title"
[ "$title" = "ready $frames frames (contact sheet)" ]
