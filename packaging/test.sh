#!/bin/sh
# Set up what is missing and check everything: formatting, linting, types, import contracts, tests.
# Generated examples are the same every time; --explore tries new ones, and ten times as many.
# --long runs the tests that are marked as long, too.
# Extra arguments go to pytest.
set -eu
. "$(dirname -- "$0")/environment.sh"
prepare test
prepare_tools
cd "$ROOT"
PATH=$VENV/bin:$PATH
export PATH

profile=house
for argument; do
    shift
    case $argument in
    --explore) profile=explore ;;
    *) set -- "$@" "$argument" ;;
    esac
done

failed=""
check() { # TITLE COMMAND...
    title=$1
    shift
    printf '\n== %s\n' "$title"
    "$@" </dev/null || failed="$failed, $title"
}

check "formatting" ruff format --check .
check "linting" ruff check .
check "types" mypy reviewer tests resources/packet
check "import contracts" lint-imports
check "tests" pytest --numprocesses auto --maxprocesses 4 --dist loadscope --durations 15 \
    --hypothesis-profile "$profile" "$@"

[ -z "$failed" ] || {
    printf '\nFailed: %s.\n' "${failed#, }"
    exit 1
}
