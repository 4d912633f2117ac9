"""Fuzz by hand: `python -m tests.fuzz --count 1000000 --seed 7`, or one file again with `--at`."""

import argparse
import sys
import traceback
from collections import Counter
from pathlib import Path

from tests.fuzz import fuzzing


def main() -> int:
    """Print each kind of failure once, with how to see it again; 1 where there is any."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=20_000, help="how many files are tried")
    parser.add_argument("--seed", type=int, default=1, help="which files these are")
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--at", type=int, help="try this one file again, with its traceback")
    parser.add_argument("--keep", type=Path, help="write that file here")
    parser.add_argument("--only", default="", help="targets whose names hold this")
    given = parser.parse_args()
    numbers = (
        range(given.first, given.first + given.count)
        if given.at is None
        else range(given.at, given.at + 1)
    )
    kinds: Counter[str] = Counter()
    for failure in fuzzing.failures(given.seed, numbers, given.only):
        place = traceback.extract_tb(failure.error.__traceback__)[-1]
        kind = f"{type(failure.error).__name__} in {place.filename}:{place.lineno}"
        kinds[kind] += 1
        if given.at is not None:
            traceback.print_exception(failure.error)
            if given.keep:
                given.keep.write_bytes(failure.data)
        if kinds[kind] == 1:
            sys.stdout.write(f"{failure}\n    {kind}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{len(numbers):,} files, {kinds.total():,} failures of {len(kinds)} kinds\n")
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
