"""Run the command line: `python -m reviewer` is the same as `reviewer`."""

import sys

from reviewer.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
