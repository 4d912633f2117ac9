#!/bin/sh
# Try how much the program stands, and print the table of the README's chapter on safety.
# All of it takes hours: `run.sh window power` runs some kinds, `--share 0.01` a hundredth.
set -eu
cd "$(dirname -- "$0")/../.."
# the environment is found from the place of what is called
sh -c '. packaging/environment.sh; prepare test' packaging/environment.sh
exec .venv/bin/python -m tests.strength "$@" </dev/null
