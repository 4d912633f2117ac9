"""The overall gap of evaluations, for lists, their order and filters."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reviewer.services.figure_rules import overall_rule
from reviewer.services.session import Session
from reviewer.stats.overall_columns import overall_columns
from reviewer.store import figures, gaps

Floats = NDArray[np.float64]


def overall_gaps(session: Session, wanted: Sequence[int] | None = None) -> dict[int, float]:
    """Give the overall gap, human minus auto, of all or the `wanted` evaluations that have one."""
    project = session.project
    human = gaps.human_scores(project, wanted)
    labelled = sorted({evaluation for evaluation, _ in human})
    if not labelled:
        return {}
    runs = gaps.runs_of(project, labelled)
    auto: dict[tuple[int, int, int], float] = {
        (evaluation, metric, score_set): value
        for evaluation, metric, score_set, value in gaps.auto_scores(
            project, None if wanted is None else labelled
        )
    }
    found: dict[int, float] = {}
    for run in sorted(set(runs.values())):
        keys = [key for key in labelled if runs.get(key) == run]
        found.update(_of_run(session, run, keys, human=human, auto=auto))
    return found


def _of_run(
    session: Session,
    run: int,
    keys: Sequence[int],
    *,
    human: dict[tuple[int, int], float],
    auto: dict[tuple[int, int, int], float],
) -> dict[int, float]:
    rubric = session.rubric_of_run(run)
    rule = overall_rule(rubric)
    known = figures.metric_keys(session.project)
    human_columns: dict[str, Floats] = {}
    auto_columns: dict[str, Floats] = {}
    for part in rule.parts:
        metric = known.get(part.name, 0)
        chosen = session.chosen(run, part.name)
        score_set = chosen.key if chosen else 0
        human_columns[part.name] = np.array([human.get((key, metric), np.nan) for key in keys])
        auto_columns[part.name] = np.array(
            [auto.get((key, metric, score_set), np.nan) for key in keys]
        )
    if not rule.parts:
        return {}
    column = overall_columns(auto_columns, human_columns, rule).gap
    return {key: float(gap) for key, gap in zip(keys, column, strict=True) if np.isfinite(gap)}
