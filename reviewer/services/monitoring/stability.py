"""How stable cases are: the spread of a case's score over runs, and verdicts that change."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.monitoring.run_columns import RunColumns
from reviewer.stats.overall_columns import FAIL, OPEN, PASS

LISTED: Final = 100
"""Least stable cases that are listed."""


@dataclass(frozen=True, slots=True)
class UnstableCase:
    """One case over the runs.

    Attributes:
        spread: Standard deviation of its score over runs (n − 1).
        low, high: Its lowest and highest score.
        verdicts: A letter a run in the order of runs: `p` passed, `f` failed, `-` neither; runs
            without the case are left out.
        keys: Its evaluations in the order of runs.
    """

    case: str
    runs: int
    spread: float
    low: float
    high: float
    verdicts: str
    keys: tuple[int, ...]

    @property
    def changes(self) -> bool:
        """Tell whether it passed in one run and failed in another."""
        return "p" in self.verdicts and "f" in self.verdicts


@dataclass(frozen=True, slots=True)
class Stability:
    """All cases that are in two runs or more.

    Attributes:
        n: How many these are.
        mean_spread: Their mean spread; None without such a case.
        changing: How many passed in one run and failed in another.
        cases: The least stable ones: the widest spread first, then those whose verdict changes.
        hidden: How many are not listed, as the active labeler has still to answer them.
    """

    measure: str
    n: int = 0
    mean_spread: float | None = None
    changing: int = 0
    cases: tuple[UnstableCase, ...] = ()
    hidden: int = 0


def over(
    runs: Sequence[RunColumns], measure: str, hidden: frozenset[int] = frozenset()
) -> Stability:
    """Work out the spread of every case of two runs or more that has the score.

    All of them count; cases with an evaluation that is hidden are not listed.
    """
    codes: dict[str, int] = {}
    numbered = [
        np.array([codes.setdefault(case, len(codes)) for case in run.places], dtype=np.int64)
        for run in runs
    ]
    scored = [run.scores.get(measure) for run in runs]
    parts = [
        (code[known], column[known])
        for code, column in zip(numbered, scored, strict=True)
        if column is not None and (known := np.isfinite(column)).any()
    ]
    if not parts:
        return Stability(measure)
    places = np.concatenate([part[0] for part in parts])
    values = np.concatenate([part[1] for part in parts])
    spread, count = _spreads(places, values, len(codes))
    several = count >= 2
    if not several.any():
        return Stability(measure)
    changing = _changing(runs, numbered, len(codes)) & several
    # equal spreads keep the order in which the cases came
    listed = several & ~_holding(runs, numbered, len(codes), hidden)
    order = np.lexsort((~changing, -np.round(spread, 12), ~listed))
    chosen = [
        place
        for place in order[:LISTED].tolist()
        if listed[place] and (spread[place] > 0 or changing[place])
    ]
    names = list(codes)
    return Stability(
        measure,
        n=int(several.sum()),
        mean_spread=float(spread[several].mean()),
        changing=int(changing.sum()),
        cases=tuple(_case(runs, names[place], float(spread[place]), measure) for place in chosen),
        hidden=int((several & ~listed).sum()),
    )


def _holding(
    runs: Sequence[RunColumns], numbered: Sequence[Ints], size: int, keys: frozenset[int]
) -> Flags:
    """Tell which cases hold one of some evaluations."""
    wanted = np.fromiter(keys, dtype=np.int64)
    found = np.zeros(size, dtype=np.bool_)
    for run, code in zip(runs, numbered, strict=True):
        found[code[np.isin(run.keys, wanted)]] = True
    return found


def _spreads(places: Ints, values: Floats, size: int) -> tuple[Floats, Ints]:
    count = np.bincount(places, minlength=size)
    mean = np.bincount(places, values, size) / np.maximum(count, 1)
    squares = np.bincount(places, (values - mean[places]) ** 2, size)
    return np.sqrt(squares / np.maximum(count - 1, 1)), count


def _changing(runs: Sequence[RunColumns], numbered: Sequence[Ints], size: int) -> Flags:
    seen = np.zeros((2, size), dtype=np.bool_)
    for run, code in zip(runs, numbered, strict=True):
        for row, verdict in enumerate((PASS, FAIL)):
            seen[row, code[run.verdicts == verdict]] = True
    return np.asarray(seen[0] & seen[1])


def _case(runs: Sequence[RunColumns], case: str, spread: float, measure: str) -> UnstableCase:
    letters = {PASS: "p", FAIL: "f", OPEN: "-"}
    there = [(run, run.places[case]) for run in runs if case in run.places]
    values = [
        value
        for run, place in there
        if measure in run.scores and np.isfinite(value := float(run.scores[measure][place]))
    ]
    return UnstableCase(
        case,
        runs=len(values),
        spread=spread,
        low=min(values),
        high=max(values),
        verdicts="".join(letters[int(run.verdicts[place])] for run, place in there),
        keys=tuple(int(run.keys[place]) for run, place in there),
    )
