"""Damage many projects and repair each: `python -m tests.strength.damaged 500 [SEED]`."""

import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.strength import counting
from tests.strength.damaging import NUMBERED, Original, Outcome, judge, make, strike

KINDS = ("noise", "zeros", "others", "first", "cut")


def trials(folder: Path, count: int, seed: int = 1) -> Iterator[tuple[int, bool, Outcome]]:
    """Give what became of each damaged file; every other has a backup, every fifth a log."""
    (folder / "closed").mkdir()
    (folder / "killed").mkdir()
    closed, killed = make(folder / "closed"), make(folder / "killed", log=True)
    for number in counting.trials(count):
        dice = random.Random(seed * 1_000_000 + number)  # noqa: S311 - the same at every call
        original = killed if number % 5 == 4 else closed
        with_backup = number % 2 == 1
        place = folder / "trial"
        path = _copied(original, place, with_backup=with_backup)
        # the end of a file goes with its log's pages beyond it, so that is told elsewhere
        kinds = KINDS if original is closed else KINDS[:-1]
        blow = strike(path, dice, dice.choice(kinds), dice.randint(1, 10))
        started = time.perf_counter()
        outcome = judge(original, path, blow, with_backup=with_backup)
        outcome.seconds = time.perf_counter() - started
        yield number, with_backup, outcome
        shutil.rmtree(place)


def _copied(original: Original, place: Path, *, with_backup: bool) -> Path:
    place.mkdir()
    path = place / "p.review"
    for suffix in ("", "-wal"):
        source = original.path.with_name(original.path.name + suffix)
        if source.exists():
            shutil.copy(source, f"{path}{suffix}")
    if with_backup:
        shutil.copytree(original.backup.parent, place / "p.backups")
    return path


def main(count: int, seed: int) -> int:
    """Print a table; 1 where anything that could be read is missing, or something was invented."""
    rows: dict[str, Counter[str]] = {}
    slowest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for number, with_backup, outcome in trials(Path(folder), count, seed):
            name = f"{outcome.blow.kind}, {'with' if with_backup else 'without'} backup"
            row = rows.setdefault(name, Counter())
            row["files"] += 1
            row["labels"] += outcome.expected["labels"]
            row["missing labels"] += outcome.missing["labels"]
            row["missing rows"] += sum(outcome.missing.values())
            row["invented"] += sum(outcome.invented.values())
            row["told"] += outcome.told
            row["not sound"] += bool(outcome.unhealthy)
            slowest = max(slowest, outcome.seconds)
            if not outcome.fine:
                sys.stderr.write(f"{number} {outcome}\n")
    names = ("files", "labels", "missing labels", "missing rows", "invented", "told", "not sound")
    total = sum(rows.values(), Counter())
    lines: list[tuple[str, ...]] = [("damage", *names)]
    lines += [(name, *(f"{rows[name][x]:,}" for x in names)) for name in sorted(rows)]
    lines += [("all", *(f"{total[x]:,}" for x in names))]
    sys.stdout.write("".join(f"{' | '.join(line)}\n" for line in lines))
    sys.stdout.write(f"compared: {', '.join(NUMBERED)}; slowest {slowest:.1f} s\n")
    return 1 if total["missing rows"] or total["invented"] or total["not sound"] else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 500, int((sys.argv[2:] or ["1"])[0])))
