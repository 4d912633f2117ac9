"""Intervals that stand until newer ones are resampled, so that no figure is shown without."""

from collections.abc import Mapping
from dataclasses import replace

from reviewer.services.audits.auditing import Audit
from reviewer.services.figures.statistics_blocks import LabelerPair, MetricBlock
from reviewer.stats.agreement import Agreement
from reviewer.stats.intervals import Interval, containing


def kept(audit: Audit, before: Audit | None) -> Audit:
    """Give the figures of a scope with the intervals that it had a moment ago.

    After a change in the same scope these differ from the coming ones by little; each is widened
    to hold its newer figure. Figures of another scope are given as they are.
    """
    if before is None or before.request != audit.request:
        return audit
    document, earlier = audit.document, before.document
    pairs = {(one.a, one.b, one.metric): one for one in earlier.labelers}
    return replace(
        audit,
        document=replace(
            document,
            metrics={
                name: _block(block, earlier.metrics.get(name))
                for name, block in document.metrics.items()
            },
            labelers=tuple(_pair(one, pairs) for one in document.labelers),
        ),
    )


def _block(block: MetricBlock, before: MetricBlock | None) -> MetricBlock:
    if before is None:
        return block
    return replace(
        block,
        judge_human=_agreement(block.judge_human, before.judge_human),
        human_human=_agreement(block.human_human, before.human_human),
    )


def _agreement(found: Agreement, before: Agreement) -> Agreement:
    figures = {name: getattr(found, name) for name in before.intervals}
    return replace(found, intervals=_held(found.intervals, before.intervals, figures))


def _pair(one: LabelerPair, before: Mapping[tuple[str, str, str], LabelerPair]) -> LabelerPair:
    earlier = before.get((one.a, one.b, one.metric))
    if earlier is None:
        return one
    return replace(one, intervals=_held(one.intervals, earlier.intervals, one.figures))


def _held(
    found: Mapping[str, Interval],
    before: Mapping[str, Interval],
    figures: Mapping[str, float | None],
) -> dict[str, Interval]:
    """Add earlier intervals of figures that have a value and none of their own yet."""
    values = {name: figures.get(name) for name in before if name not in found}
    return dict(found) | {
        name: containing(before[name], value)
        for name, value in values.items()
        if value is not None
    }
