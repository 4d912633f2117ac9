"""The main figures of each run, beside those of several runs pooled.

A judge that tells two agents apart agrees with people over both of them, and may with neither.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import structs

from reviewer.domain.scope import Scope
from reviewer.services.figures.covered import Covered
from reviewer.services.figures.figure_table import Loader
from reviewer.services.figures.people_columns import HeldBack
from reviewer.services.figures.statistics_agreement import evidence_of, judge_human
from reviewer.services.figures.statistics_blocks import RunBlock, RunMetric
from reviewer.services.figures.statistics_corrected import metric_correction
from reviewer.services.figures.statistics_gaps import Frame, metric_gaps
from reviewer.services.figures.statistics_options import Choices
from reviewer.services.figures.statistics_pass import pass_block

MOST_RUNS: Final = 20
"""Runs whose figures a page shows beside the pool; the command line gives all."""


@dataclass(frozen=True, slots=True)
class Made:
    """How figures of runs are made, and what is held back from whoever looks."""

    choices: Choices
    held: HeldBack | None = None


def of_runs(
    loader: Loader,
    scope: Scope,
    runs: Sequence[str],
    made: Made,
    cover: Callable[[Scope], Covered],
) -> tuple[RunBlock, ...]:
    """Work out the main figures of each of several runs; nothing of one alone.

    `cover` says what a scope of one run covers; the metrics that the scope lists are given.
    """
    found = []
    for name in runs if len(runs) > 1 else ():
        own = structs.replace(scope, runs=(name,), every_run=False)
        covers = cover(own)
        table = loader.load(
            own,
            rubric=covers.rubric,
            within=covers.within,
            options=made.choices.options,
            held=made.held,
        )
        found.append(_run_block(name, Frame(table, made.choices), scope.metrics))
    return tuple(found)


def _run_block(run: str, frame: Frame, metrics: Sequence[str]) -> RunBlock:
    whole, made_by = frame.table, frame.choices
    policy, options = made_by.policy, made_by.options
    made = {}
    for name, table in whole.metrics.items():
        if metrics and name not in metrics:
            continue
        evidence = evidence_of(whole, table, options.counting)
        made[name] = RunMetric(
            scorer=table.scorer,
            gaps=metric_gaps(frame, table),
            corrected=metric_correction(table, policy.level, whole.clusters),
            judge_human=judge_human(whole, table, evidence, made_by),
        )
    return RunBlock(run, made, pass_block(whole, policy, options.selection))
