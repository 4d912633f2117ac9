#!/bin/sh
# Set up what is missing and check everything: formatting, linting, types, import contracts, tests.
# Generated examples are the same every time; --explore tries new ones, and ten times as many.
# --long runs the tests that are marked as long, too. --audit holds the pins against published
# advisories as well, where they can be reached, and lists the licences.
# Extra arguments go to pytest.
set -eu
. "$(dirname -- "$0")/environment.sh"
prepare test
prepare_tools
cd "$ROOT"
PATH=$VENV/bin:$PATH
export PATH

profile=house audit=
for argument; do
    shift
    case $argument in
    --explore) profile=explore ;;
    --audit) audit=1 ;;
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
check "types" mypy reviewer tests resources/packet packaging
[ -z "$audit" ] || {
    prepare_beside "$AUDIT" constraints-audit.txt "so nothing is held against advisories"
    check "pins" "$AUDIT/bin/python" packaging/audit.py packaging "$VENV" "$TOOLS" "$AUDIT"
}
check "import contracts" lint-imports

# Thousands of small projects are made, each with several writes that reach the disk. What tests
# write stands in memory where there is room for it, and where programs may be started there.
room=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
if [ "${room:-0}" -ge 8388608 ] && in_memory=$(mktemp -d /dev/shm/reviewer-tests.XXXXXX); then
    trap 'rm -rf "$in_memory"' EXIT
    # a database's server runs as another user
    chmod 755 "$in_memory"
    printf '#!/bin/sh\n' >"$in_memory/started"
    chmod +x "$in_memory/started"
    if "$in_memory/started" 2>/dev/null; then
        export TMPDIR="$in_memory"
    fi
fi
check "tests" pytest --numprocesses auto --maxprocesses 4 --dist loadscope --durations 15 \
    --hypothesis-profile "$profile" "$@"

[ -z "$failed" ] || {
    printf '\nFailed: %s.\n' "${failed#, }"
    exit 1
}
