"""The FAQ framework's bots side by side: every metric, and which is ahead beyond chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.domain.run import Scope
from reviewer.domain.wording import counted, fixed, level_percent, signed
from reviewer.reports.systems import faq_bot
from reviewer.services.figures.column_memory import held_now, memory_of
from reviewer.services.figures.figure_table import Loader
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.services.figures.likeness import unlike
from reviewer.services.figures.paired_scores import (
    each_of,
    is_told,
    score_shift,
    shared_cases,
    word_sign,
)
from reviewer.services.figures.request import covered
from reviewer.services.monitoring import run_columns
from reviewer.services.monitoring.run_columns import RunColumns
from reviewer.services.monitoring.trending import runs_of
from reviewer.services.project.session import Session
from reviewer.stats.clustering import NO_QUANTITY, Quantity, clusters_at, mean_of
from reviewer.stats.paired import Shift
from reviewer.store import figures

MOST: Final = 6
"""Bots that stand side by side: those of the newest runs."""
LARGE: Final = 1000
Standing = Literal["best", "ahead", ""]
"""Ahead of all others beyond chance, with the best mean alone, or neither."""


@dataclass(frozen=True, slots=True)
class BotFigure:
    """One metric of one bot.

    Attributes:
        told: Why it is called best or not, empty where another has the better mean.
        keys: The evaluations that have a score.
    """

    mean: Quantity
    standing: Standing = ""
    told: str = ""
    keys: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Bot:
    """One bot of one run; `name` is its model's where the run holds several, else the run's."""

    name: str
    run: str
    n: int
    figures: Mapping[str, BotFigure]


@dataclass(frozen=True, slots=True)
class Bots:
    """The bots of a rubric, those of the oldest run first; older ones beyond `MOST` left out."""

    metrics: tuple[Metric, ...]
    bots: tuple[Bot, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """A bot's rows of its run."""

    name: str
    run: RunColumns
    rows: Ints

    def values(self, metric: str) -> Floats:
        found = self.run.scores.get(metric)
        return np.full(self.rows.size, np.nan) if found is None else found[self.rows]

    @property
    def cases(self) -> list[str]:
        return [self.run.cases[row] for row in self.rows.tolist()]

    @property
    def clusters(self) -> Ints | None:
        return None if self.run.clusters is None else self.run.clusters[self.rows]


def beside(session: Session, run: str) -> Bots | None:
    """Put the bots of a run's rubric side by side; None where it is not the FAQ framework's.

    Raises:
        ReviewerError: There is no such run.
    """
    keys = dict(zip(session.run_names(), session.run_keys(), strict=True))
    if run not in keys or session.rubric_of_run(keys[run]).name != faq_bot.RUBRIC:
        return None
    rubric = session.rubric(faq_bot.RUBRIC)
    names = runs_of(session, rubric.name)
    columns: list[_Column] = []
    for name in reversed(names):
        if len(columns) < MOST:
            columns = [*_columns(session, name), *columns]
    left_out = max(len(columns) - MOST, 0) + len(names) - len({x.run.name for x in columns})
    columns = columns[-MOST:]
    metrics = tuple(
        x
        for x in rubric.metrics
        if any(np.isfinite(column.values(x.name)).any() for column in columns)
    )
    found = {metric.name: _figures(metric, columns) for metric in metrics}
    return Bots(
        metrics,
        tuple(
            Bot(
                column.name,
                column.run.name,
                int(column.rows.size),
                {name: one[place] for name, one in found.items()},
            )
            for place, column in enumerate(columns)
        ),
        left_out,
    )


def _columns(session: Session, run: str) -> list[_Column]:
    """Read a run, a column a model where it holds several."""
    found = covered(session.project, Scope(runs=(run,)))
    loader = Loader(session.project, memory_of(session))
    columns = run_columns.load(loader, found, held=held_now(session))
    models = [x or run for x in figures.read_groups(session.project, found.within, "model")]
    names = list(dict.fromkeys(models))
    if len(names) < 2:
        return [_Column(run, columns, np.arange(len(models)))]
    made = np.array(models)
    return [_Column(name, columns, np.flatnonzero(made == name)) for name in names]


def _figures(metric: Metric, columns: Sequence[_Column]) -> list[BotFigure]:
    values = [column.values(metric.name) for column in columns]
    means = [
        mean_of(x, column.clusters) if np.isfinite(x).any() else NO_QUANTITY
        for x, column in zip(values, columns, strict=True)
    ]
    keys = [
        tuple(column.run.keys[column.rows][np.isfinite(x)].tolist())
        for x, column in zip(values, columns, strict=True)
    ]
    made = [BotFigure(mean, keys=mine) for mean, mine in zip(means, keys, strict=True)]
    known = [place for place, mean in enumerate(means) if mean.value is not None]
    if len(known) < 2 or not is_told(metric):
        return made
    sign = 1 if metric.higher_is_better else -1
    ranks = {place: round(sign * (means[place].value or 0.0), 9) for place in known}
    best = max(known, key=lambda place: ranks[place])
    others = [place for place in known if place != best]
    if ranks[best] in {ranks[place] for place in others}:
        return made
    standing, told = _standing(metric, [columns[x] for x in (best, *others)])
    made[best] = BotFigure(means[best], standing, told, keys[best])
    return made


def _standing(metric: Metric, columns: Sequence[_Column]) -> tuple[Standing, str]:
    """Hold the bot with the best mean against every other on the questions that both answered."""
    best, *others = columns
    level = each_of(len(others)).each
    sign = 1 if metric.higher_is_better else -1
    close = []
    for other in others:
        why = unlike((metric,), other.run.made_by, best.run.made_by)
        shift = _shift(metric, other, best, level)
        if why:
            close.append(f"{other.name} ({why})")
        elif word_sign(shift.sign, shift.n) != sign:
            close.append(f"{other.name} ({_told(shift)})")
    if close:
        return "ahead", f"Best mean, not told apart from {'; '.join(close)}"
    names = ", ".join(x.name for x in others)
    return "best", f"Better than {names} beyond chance on the same questions"


def _shift(metric: Metric, before: _Column, after: _Column, level: float) -> Shift:
    shared = shared_cases(before.cases, after.cases, (before.clusters, after.clusters))
    old, new = before.values(metric.name)[shared.before], after.values(metric.name)[shared.after]
    both = np.isfinite(old) & np.isfinite(new)
    clusters = clusters_at(shared.clusters, both)
    return score_shift(metric, old[both], new[both], clusters, level)


def _told(shift: Shift) -> str:
    questions = counted(shift.n, "shared question")
    if shift.difference is None:
        return questions
    if shift.low is None or shift.high is None:
        return f"{signed(shift.difference)} on {questions}"
    ends = f"{level_percent(shift.level)} {signed(shift.low)} to {signed(shift.high)}"
    return f"{signed(shift.difference)}, {ends}, on {questions}"


def mean_words(metric: Metric, mean: Quantity) -> str:
    """Write a bot's mean as a sentence has it, with the unit of what is measured."""
    return f"{number_words(mean)} {metric.unit}" if metric.unit else number_words(mean)


def number_words(mean: Quantity) -> str:
    """Write a bot's mean as a table has it; large ones need no hundredths."""
    return fixed(mean.value, 2 if abs(mean.value or 0.0) < LARGE else 0)
