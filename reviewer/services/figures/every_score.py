"""Human scores and gaps of every labelled evaluation, for filters and orders of lists.

They are read by the columns of all figures, and kept beside the open session until the file
changes.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reviewer.domain.evaluation import Value
from reviewer.domain.filters import Term
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.run import Scope
from reviewer.services.figures.column_memory import held_now, memory_of, places_of
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable, Loader, MetricTable
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.project.figure_rules import is_overall, value_of
from reviewer.services.project.session import Session
from reviewer.stats.deviations import DeviationOptions
from reviewer.store import exclusions, figures, filtering, watching
from reviewer.store.scoping import Condition

KEPT = "scores of lists"


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """The tables of one state of the file."""

    state: Hashable
    tables: tuple[FigureTable, ...]


def gaps_beside(session: Session, keys: Ints) -> Floats:
    """Give the overall gap beside keys in any order, NaN where there is none."""
    tables = _tables(session)
    every = np.concatenate([np.zeros(0, dtype=np.int64), *(x.keys for x in tables)])
    gaps = np.concatenate([np.zeros(0), *(x.overall().gap for x in tables)])
    order = np.argsort(every, kind="stable")
    places, there = places_of(every[order], keys)
    found = np.full(keys.size, np.nan)
    found[there] = gaps[order[places[there]]]
    return found


def gaps_of(session: Session, keys: Sequence[int]) -> dict[int, float]:
    """Give the overall gap, human minus auto, of those of some evaluations that have one."""
    beside = gaps_beside(session, np.array(keys, dtype=np.int64)).tolist()
    return {key: gap for key, gap in zip(keys, beside, strict=True) if not math.isnan(gap)}


def humans_of(session: Session, keys: Sequence[int]) -> dict[int, dict[str, Value]]:
    """Give the human scores of some evaluations by metric, as people write them."""
    found: dict[int, dict[str, Value]] = {}
    for table in _tables(session):
        places, there = places_of(table.keys, np.array(keys, dtype=np.int64))
        for place in places[there].tolist():
            values = {
                name: value_of(one.metric, float(one.human.score[place]))
                for name, one in table.metrics.items()
                if not is_overall(one.metric)
            }
            found[int(table.keys[place])] = {x: y for x, y in values.items() if y is not None}
    return found


def fulfilling(session: Session, term: Term) -> list[int]:
    """Give the evaluations whose human score, gap or worked out auto score fulfils a term."""
    tables: Iterable[FigureTable] = _tables(session)
    if term.field == "auto":
        tables = _load(session, labelled=False)
    found: list[int] = []
    for table in tables:
        found.extend(table.keys[_fulfils(table, term)].tolist())
    return found


def _fulfils(table: FigureTable, term: Term) -> Flags:
    nothing = np.zeros(table.keys.size, dtype=np.bool_)
    if term.metric is None:
        return _compared(table.overall().gap, term) if table.overall_rule.parts else nothing
    one = table.metrics.get(term.metric)
    if one is None:
        return nothing
    if one.metric.is_numeric:
        return _compared(_column(one, term.field), term)
    if term.field not in ("human", "auto"):
        return nothing
    return _named(one.metric, _column(one, term.field), term)


def _column(one: MetricTable, field: str) -> Floats:
    human = (one.shown if is_overall(one.metric) else one.human).score
    if field == "human":
        return human
    return one.auto if field == "auto" else np.asarray(human - one.auto)


def _compared(column: Floats, term: Term) -> Flags:
    """Compare on 9 decimals, as figures do; what is missing fulfils nothing."""
    try:
        limit = round(float(term.value), 9)
    except ValueError:
        return np.zeros(column.size, dtype=np.bool_)
    values = np.abs(column) if term.field == "|gap|" else column
    # the operators compare columns as well
    holds: Callable[[Floats, float], Flags] = filtering.HOLDS[_sign(term)]  # type: ignore[assignment]
    return np.asarray(np.isfinite(column) & holds(np.round(values, 9), limit))


def _named(metric: Metric, column: Floats, term: Term) -> Flags:
    """Compare categories by their names."""
    holds: Callable[[str, str], bool] = filtering.HOLDS[_sign(term)]  # type: ignore[assignment]
    fits = np.array([holds(name, term.value) for name in metric.values])
    there = np.isfinite(column)
    found = np.zeros(column.size, dtype=np.bool_)
    found[there] = fits[column[there].astype(np.int64)]
    return found


def _sign(term: Term) -> str:
    return "=" if term.op == ":" else term.op


def _tables(session: Session) -> tuple[FigureTable, ...]:
    """Give the labelled evaluations of the project, read anew where the file has changed."""
    sight = watching.look(session.project)
    mine = held_now(session)
    hidden = None if mine is None else (mine.labeler, mine.evaluations.tobytes())
    running = figures.running_score_sets(session.project)
    excluded = exclusions.stamp(session.project.conn)
    state = (sight.content, sight.seq, sight.rubrics, sight.figures, running, excluded, hidden)
    kept = session.kept.get(KEPT)
    if not isinstance(kept, _Kept) or kept.state != state:
        kept = _Kept(state, tuple(_load(session, labelled=True)))
        session.kept[KEPT] = kept
    return kept.tables


def _load(session: Session, *, labelled: bool) -> Iterator[FigureTable]:
    project = session.project
    loader = Loader(project, memory_of(session))
    held = held_now(session)
    with figures.snapshot(project):
        for rubric, runs, options in _groups(session):
            marks = ", ".join("?" * len(runs))
            for within, how in _parts(Condition(f"e.run IN ({marks})", runs), options):
                yield loader.load(
                    Scope(), rubric=rubric, within=within, options=how, held=held,
                    labelled=labelled,
                )  # fmt: skip


def _groups(session: Session) -> Sequence[tuple[Rubric, tuple[int, ...], DeviationOptions]]:
    """Put runs together whose scores are by the same versions.

    A consensus is one of a run: people who label another one say nothing of it.
    """
    found: dict[Hashable, list[int]] = {}
    rubrics: dict[Hashable, tuple[Rubric, DeviationOptions]] = {}
    for run in session.run_keys():
        rubric = session.rubric_of_run(run)
        options = kept_options(session.project, rubric)
        alone = run if options.label_combine == "consensus" else 0
        chosen = tuple(session.chosen(run, metric.name) for metric in rubric.metrics)
        group = (rubric.name, alone, chosen)
        found.setdefault(group, []).append(run)
        rubrics[group] = rubric, options
    return [(rubrics[group][0], tuple(runs), rubrics[group][1]) for group, runs in found.items()]


def _parts(
    within: Condition, options: DeviationOptions
) -> Iterator[tuple[Condition, DeviationOptions]]:
    """Keep what is excluded apart where others' labels would count in its score."""
    if options.label_combine != "consensus":
        yield within, options
        return
    yield Condition(f"{within.sql} AND {exclusions.COUNTED}", within.parameters), options
    alone = replace(options, label_combine="mean")
    yield Condition(f"{within.sql} AND NOT ({exclusions.COUNTED})", within.parameters), alone
