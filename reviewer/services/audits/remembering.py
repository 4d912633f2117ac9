"""The figures of the last scopes, as long as nothing changed, and their intervals meanwhile."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from typing import Final

from reviewer.domain.progress import Progress
from reviewer.domain.scope import Scope
from reviewer.services.audits import auditing
from reviewer.services.audits.auditing import Audit
from reviewer.services.figures.column_memory import memory_of
from reviewer.services.figures.covered import covered
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.figures.statistics_blocks import LabelerPair, MetricBlock
from reviewer.services.figures.statistics_options import Choices, choices
from reviewer.services.project.session import Session
from reviewer.stats.agreement import Agreement
from reviewer.stats.intervals import Interval, containing
from reviewer.store import exclusions, figures, watching

NAME = "audit"
KEPT: Final = 4
"""Scopes that are remembered: narrowing and widening again goes to and fro between a few."""
CELLS: Final = 8_000_000
"""Evaluations times metrics that older scopes may hold, each some 40 bytes."""


@dataclass(frozen=True, slots=True)
class _State:
    """Everything that the figures of a scope depend on."""

    request: StatsRequest
    choices: Choices
    labeler: str
    blind: bool
    content: tuple[object, ...]
    seq: int
    excluded: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Last:
    """Audits that are true at once, the newest first."""

    audits: tuple[tuple[_State, Audit], ...]

    def find(self, state: _State) -> Audit | None:
        """Give the audit of this very state."""
        return next((audit for known, audit in self.audits if known == state), None)

    def having(self, state: _State, audit: Audit) -> "_Last":
        """Put an audit in front; those of an earlier state of the project go."""
        others = [x for x in self.audits if x[0] != state and x[0].seq == state.seq]
        sizes = accumulate((_cells(one) for _, one in others), initial=_cells(audit))
        next(sizes)
        fitting = (x for x, size in zip(others, sizes, strict=True) if size <= CELLS)
        return _Last(((state, audit), *islice(fitting, KEPT - 1)))


def _cells(audit: Audit) -> int:
    return audit.evaluations * len(audit.document.metrics)


def audit_of(session: Session, request: StatsRequest, progress: Progress | None = None) -> Audit:
    """Give the figures of a scope as `auditing.compute` does, remembered ones while they are true.

    Raises:
        ReviewerError: The scope names something that the project does not have.
        CancelledError: Nobody waits for it any more.
    """
    with figures.snapshot(session.project):
        state = _state(session, request)
        kept = session.kept.get(NAME)
        last = kept if isinstance(kept, _Last) else _Last(())
        # scores that are still coming in leave no trace that could be compared
        filling = figures.running_score_sets(session.project)
        found = None if filling else last.find(state)
        if found is None:
            found = auditing.compute(session, request, progress)
    session.kept[NAME] = last.having(state, found)
    return found


def prepare(session: Session) -> None:
    """Compute what the page shows first, so that it is there at once; call it beside the window.

    Labels of both kinds are read, so that leaving out seen ones takes no longer.
    """
    audit_of(session, StatsRequest(scope=Scope(viewer=session.labeler.name)))
    with figures.snapshot(session.project):
        memory_of(session).look(session.project).labels(Scope(blind_only=True))


def _state(session: Session, request: StatsRequest) -> _State:
    project = session.project
    sight = watching.look(project)
    rubric = covered(project, request.scope).rubric
    made_by = choices(
        project, request.scope, rubric, preset=request.preset, options=request.options
    )
    return _State(
        request=request,
        choices=made_by,
        labeler=session.labeler.name,
        blind=session.blind,
        content=sight.content,
        seq=sight.seq,
        excluded=exclusions.stamp(project.conn),
    )


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
    return replace(found, intervals=_held(found.intervals, before.intervals, found.values))


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
