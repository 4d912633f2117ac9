"""Run the command line: `python -m reviewer` is the same as `reviewer`.

A bundled program has no `python -m`, so it works on jobs, reads files, and calls functions of
packages and what fills in templates, itself when its first word says so.
"""

import runpy
import sys

ITSELF = {
    "--worker": "reviewer.worker",
    "--sync": "reviewer.worker.sync",
    "--function": "reviewer.worker.function",
    "--reading": "reviewer.worker.beside",
    "--confined": "reviewer.confined",
}

if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in ITSELF:
        runpy.run_module(ITSELF[sys.argv.pop(1)], run_name="__main__")
    else:
        # a process that is none of a person's starts sooner without it
        from reviewer.cli.main import main

        sys.exit(main())
