#!/bin/sh
# Set up what is missing and open the window on the demo project; without a display, render every
# page to PNG files instead. Extra arguments go to `reviewer demo`.
set -eu
. "$(dirname -- "$0")/environment.sh"
prepare runtime

reviewer=$VENV/bin/reviewer
if has_display; then exec "$reviewer" demo "$@"; fi

say "There is no display to open the window on, so every page is rendered to $ROOT/tour instead."
export QT_QPA_PLATFORM=offscreen
made=$("$reviewer" demo --no-open --json "$@")
project=$(printf '%s' "$made" | "$VENV/bin/python" -c 'import json, sys; print(json.load(sys.stdin)["project"])')
exec "$reviewer" tour "$ROOT/tour" --project "$project"
