#!/bin/sh
# Write the pin files anew: what they hold is kept where it still fits pyproject.toml.
# Extra arguments go to pip-compile, so `sh packaging/pin.sh --upgrade` takes the newest versions.
set -eu
cd "$(dirname "$0")/.."
command -v pip-compile >/dev/null || {
    echo "pin.sh needs pip-compile: install pip-tools in an environment of Python 3.11 and run this there." >&2
    exit 2
}

compile() { # FILE SOURCE [OPTION...]
    file=$1 source=$2
    shift 2
    CUSTOM_COMPILE_COMMAND="sh packaging/pin.sh" pip-compile --quiet --generate-hashes --strip-extras --allow-unsafe \
        --no-emit-index-url --no-emit-trusted-host --no-emit-find-links \
        --output-file "$file" "$@" "$source"
}

compile packaging/constraints.txt pyproject.toml --all-build-deps "$@"
compile packaging/constraints-test.txt pyproject.toml --all-build-deps --extra hub --extra test \
    --constraint packaging/constraints.txt "$@"
compile packaging/constraints-tools.txt packaging/tools.in "$@"
compile packaging/constraints-audit.txt packaging/audit.in "$@"

# the wheel takes it along; the tool is of the pins that were just written
. packaging/environment.sh
prepare_beside "$AUDIT" constraints-audit.txt "and without them there is no bill of materials"
"$AUDIT/bin/cyclonedx-py" requirements --output-reproducible --pyproject pyproject.toml \
    packaging/constraints.txt | python3 packaging/bom.py >packaging/reviewer.cdx.json
