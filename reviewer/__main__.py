"""Run the command line: `python -m reviewer` is the same as `reviewer`.

A bundled program has no `python -m`, so it works on jobs itself when its first word says so.
"""

import runpy
import sys

from reviewer.cli.main import main

WORKER = "--worker"

if __name__ == "__main__":
    if sys.argv[1:2] == [WORKER]:
        del sys.argv[1]
        runpy.run_module("reviewer.worker", run_name="__main__")
    sys.exit(main())
