"""Try how much the program stands; each kind of trial gives a row of the README's table."""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests import homes
from tests.strength import counting
from tests.strength.trials import COLUMNS, KINDS

HEADER = f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|\n"
SHOWN = 20
"""Problems that are printed of a kind."""


def main() -> int:
    """Print the table; 1 where anything was lost or is not as it must be."""
    parser = argparse.ArgumentParser(prog="tests/strength/run.sh", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"{', '.join(KINDS)}; else all")
    parser.add_argument("--share", type=float, default=1.0, help="a share of the full numbers")
    parser.add_argument("--seed", type=int, default=1, help="which random numbers are drawn")
    given = parser.parse_args()
    unknown = set(given.kinds) - KINDS.keys()
    if unknown:
        parser.error(
            f"there is no kind {', '.join(sorted(unknown))}; kinds are {', '.join(KINDS)}"
        )
    counting.end_on_signals()
    home, ok = homes.leave(), True
    sys.stdout.write(HEADER)
    try:
        for name in given.kinds or KINDS:
            if counting.asked_to_end():
                break
            ok &= _ran(name, given.share, given.seed)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return int(not ok)


def _ran(name: str, share: float, seed: int) -> bool:
    kind, started = KINDS[name], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="strength-", ignore_cleanup_errors=True) as folder:
        try:
            row = kind.run(Path(folder), kind.share(share), seed)
        except counting.MissingError as error:
            sys.stdout.write(f"| {kind.title} | not run: {error} | | | |\n")
            return False
    sys.stdout.write(
        f"| {kind.title} | {row.trials} | {row.stake} | {row.lost:,} | {row.told:,} |\n"
    )
    sys.stdout.flush()
    for problem in row.problems[:SHOWN]:
        sys.stderr.write(f"{name}: {problem}\n")
    if len(row.problems) > SHOWN:
        sys.stderr.write(f"{name}: and {len(row.problems) - SHOWN} more\n")
    sys.stderr.write(f"{name}: {time.monotonic() - started:.0f} s\n")
    return not (row.lost or row.problems)


if __name__ == "__main__":
    sys.exit(main())
