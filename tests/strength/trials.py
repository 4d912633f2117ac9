"""Every kind of trial with its full number, and what comes of it: a row of the README's table."""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz import fuzzing
from tests.strength import counting, damaged, hostile, keys, killed, killed_imports, power, writers

FOR_WAITS = 10_000
"""So many presses say how long one of a thousand waits, whatever else the machine does."""

COLUMNS = ["trial", "number", "at stake", "lost", "told"]


@dataclass
class Row:
    """What came of the trials of one kind.

    Attributes:
        trials: What was done, with its number.
        stake: What could have been lost, with its number.
        lost: How much of it was, without a word.
        told: Of how much else it is said that it was refused or is not there.
        problems: Everything that is not as it must be, in words.
    """

    trials: str
    stake: str
    lost: int
    told: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Kind:
    """A kind of trial.

    Attributes:
        title: What happens, as the table names it.
        full: How many there are of it.
        run: Takes an empty folder, a number and a seed.
    """

    title: str
    full: int
    run: Callable[[Path, int, int], Row]

    def share(self, of: float) -> int:
        """Give how many a share of all is; at least one."""
        return math.ceil(self.full * of)


def _window(*given: Any) -> Row:
    return _killed(killed.windows(*given))


def _services(*given: Any) -> Row:
    return _killed(killed.services(*given))


def _killed(outcome: killed.Killed) -> Row:
    return Row(
        f"{outcome.kills:,} kills",
        f"{outcome.answers:,} answers",
        lost=len(outcome.lost),
        problems=outcome.lost + outcome.problems,
    )


def _imports(*given: Any) -> Row:
    outcome = killed_imports.trial(*given)
    return Row(
        f"{outcome.middle:,} kills",
        f"{outcome.records:,} records in the end",
        lost=len(outcome.lost),
        problems=outcome.lost + outcome.problems,
    )


def _power(*given: Any) -> Row:
    outcome = power.trial(*given)
    return Row(
        f"{outcome.kills:,} losses, {outcome.imports:,} of them during an import",
        f"{outcome.answers:,} answers",
        lost=len(outcome.lost),
        problems=outcome.lost + outcome.problems,
    )


def _writers(folder: Path, count: int, _: int) -> Row:
    outcome = writers.trial(folder, count)
    problems = [*outcome.problems, *(f"{name} ended by itself" for name in outcome.ended)]
    wait = outcome.wait(0.999)
    if count >= FOR_WAITS and wait > writers.LONGEST:
        problems.append(f"one press of a thousand waited longer than {1000 * wait:.0f} ms")
    return Row(
        f"{len(outcome.waits):,} labels",
        f"as many; p99.9 of their waits {1000 * wait:.0f} ms",
        lost=outcome.lost,
        problems=problems,
    )


def _damaged(*given: Any) -> Row:
    found = [outcome for _, _, outcome in damaged.trials(*given)]
    return Row(
        f"{len(found):,} files",
        f"{sum(x.expected['labels'] for x in found):,} readable labels",
        lost=sum(sum((x.missing + x.invented).values()) for x in found),
        told=sum(x.told for x in found),
        problems=[str(x) for x in found if not x.fine],
    )


def _mutations(_: Path, count: int, seed: int) -> Row:
    refused, tried = Counter[str](), 0

    def numbers() -> Iterator[int]:
        nonlocal tried
        for number in counting.trials(count):
            tried += 1
            yield number

    failed = [str(x) for x in fuzzing.failures(seed, numbers(), refused=refused)]
    return Row(
        f"{tried:,} files",
        "a result or a sentence",
        lost=len(failed),
        told=refused.total(),
        problems=failed,
    )


def _hostile(folder: Path, count: int, _: int) -> Row:
    outcome = hostile.trial(folder, count)
    found = outcome.sockets + outcome.opened
    return Row(
        f"{count:,} texts in {hostile.FIELDS} fields each",
        "sockets of a network, files that harmless texts do not open",
        lost=len(found),
        problems=[*found, *outcome.problems],
    )


def _keys(folder: Path, count: int, _: int) -> Row:
    outcome = keys.trial(folder, count)
    problems = [] if outcome.asked == count else [f"{outcome.asked} of {count} were answered"]
    return Row(
        f"{outcome.asked:,} spellings",
        f"a key, in {outcome.read:,} texts that were written",
        lost=len(outcome.found),
        problems=outcome.found + problems,
    )


KINDS = {
    "window": Kind("the window is killed while keys are pressed in it", 1_000, _window),
    "services": Kind("what labels, comments, flags and undoes is killed", 2_000, _services),
    "imports": Kind("an import is killed in its middle", 300, _imports),
    "power": Kind("the power is lost while somebody labels and imports", 300, _power),
    "writers": Kind("four people label at once beside import, job and backup", 100_000, _writers),
    "damaged": Kind("1 to 10 pages of the file are overwritten, or its end cut", 500, _damaged),
    "hostile": Kind("texts try to reach out of the program", hostile.COUNT, _hostile),
    "keys": Kind("a provider repeats the key it was given", len(keys.spellings()), _keys),
    "mutations": Kind("files, replies, settings and packages are changed", 1_000_000, _mutations),
}
