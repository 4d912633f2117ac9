"""The main figures of each run, beside those of several runs pooled.

A judge that tells two agents apart agrees with people over both of them, and may with neither.
"""

from collections.abc import Sequence

from msgspec import structs

from reviewer.domain.scope import Scope
from reviewer.services.figures.statistics_agreement import evidence_of, judge_human
from reviewer.services.figures.statistics_blocks import RunBlock, RunMetric
from reviewer.services.figures.statistics_corrected import metric_correction
from reviewer.services.figures.statistics_gaps import Frame, metric_gaps
from reviewer.services.figures.statistics_pass import pass_block


def alone(scope: Scope, run: str) -> Scope:
    """Narrow a scope to one of its runs."""
    return structs.replace(scope, runs=(run,), every_run=False)


def run_block(run: str, frame: Frame, metrics: Sequence[str]) -> RunBlock:
    """Work out a run's main figures from its own columns; empty `metrics` stand for all."""
    whole, policy = frame.table, frame.choices.policy
    made = {}
    for name, table in whole.metrics.items():
        if metrics and name not in metrics:
            continue
        evidence = evidence_of(table, whole.clusters)
        made[name] = RunMetric(
            scorer=table.scorer,
            gaps=metric_gaps(frame, table),
            corrected=metric_correction(table, policy.level, whole.clusters),
            judge_human=judge_human(table, evidence, policy),
        )
    return RunBlock(run, made, pass_block(whole, policy))
