"""The best and the worst responses of a run, chosen from columns by one rule everywhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from reviewer.domain.run import Scope
from reviewer.reports.report import marks_of
from reviewer.services.figures import figure_table
from reviewer.services.figures.column_memory import held_now
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.request import covered
from reviewer.services.project.session import Session
from reviewer.services.project.sight import hidden_among
from reviewer.stats.overall_columns import FAIL
from reviewer.store import figures, reading

TOP: Final = 5
EQUAL: Final = 1e-9


def best_and_worst(table: FigureTable, top: int) -> tuple[Sequence[int], Sequence[int]]:
    """Give the places of the best and of the worst, those that people scored first.

    What people failed is never among the best, and no case among both.
    """
    judge, people = table.auto_overall(), table.overall().human
    failed = _failed(table)
    best = [at for at in _ranked(judge, people).tolist() if not failed[at]]
    worst = _ranked(-judge, -people).tolist()
    there = int(np.count_nonzero(np.isfinite(judge) | np.isfinite(people)))
    firsts = best[: min(top, (there + 1) // 2)]
    return firsts, [at for at in worst if at not in set(firsts)][: min(top, there // 2)]


def _ranked(judge: Floats, people: Floats) -> Ints:
    """Put cases in order, the highest first: by people, then by the judge, then as they came."""
    there = np.flatnonzero(np.isfinite(judge) | np.isfinite(people))
    # lexsort takes its last key first; NaN sorts last
    by_judge = np.round(-judge[there], 9)
    by_people = np.round(-people[there], 9)
    return np.asarray(there[np.lexsort((by_judge, by_people))])


def _failed(table: FigureTable) -> Flags:
    """Tell what people failed: by their verdict, or below the mark of any metric."""
    found: Flags = table.human_verdicts() == FAIL
    for name, mark in marks_of(table.rubric).items():
        found = found | (table.metrics[name].human.score < mark - EQUAL)
    return np.asarray(found)


class Extreme(NamedTuple):
    """A response among the best or the worst.

    Attributes:
        judge, people: The overall of both sides; None where there is none.
    """

    key: int
    id: str
    question: str
    is_best: bool
    judge: float | None
    people: float | None


@dataclass(frozen=True, slots=True)
class Extremes:
    """The best and the worst of a run, as far as their scores may be seen.

    Attributes:
        hidden: How many more there are.
    """

    rows: tuple[Extreme, ...]
    hidden: int


def of_run(session: Session, run: str) -> Extremes:
    """Choose the best and the worst responses of a run, as the active labeler may see them.

    Raises:
        ReviewerError: There is no such run.
    """
    project, scope = session.project, Scope(runs=(run,))
    with figures.snapshot(project):
        found = covered(project, scope)
        table = figure_table.load(
            project,
            scope,
            rubric=found.rubric,
            within=found.within,
            options=kept_options(project, found.rubric),
            held=held_now(session),
        )
        first, last = best_and_worst(table, TOP)
        judge, people = table.auto_overall(), table.overall().human
        chosen = {int(table.keys[at]): (at, at in first) for at in (*first, *last)}
        hidden = hidden_among(session, chosen)
        known = {x.key: x for x in reading.evaluations(project.conn, sorted(chosen))}
    rows = tuple(
        Extreme(key, known[key].id, known[key].title, is_best, _of(judge, at), _of(people, at))
        for key, (at, is_best) in chosen.items()
        if key not in hidden
    )
    return Extremes(rows, len(chosen) - len(rows))


def _of(values: Floats, at: int) -> float | None:
    return float(values[at]) if np.isfinite(values[at]) else None
