"""What the Audit page reads: every figure of a scope, and the evaluations behind them.

The figures of the last scopes are remembered as long as nothing changed, and their intervals stand
in until new ones are there.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from typing import Final

import numpy as np

from reviewer.domain.errors import Progress
from reviewer.domain.rubric import Rubric
from reviewer.domain.run import Scope
from reviewer.services.figures import statistics
from reviewer.services.figures.column_memory import ColumnMemory, held_now, memory_of
from reviewer.services.figures.figure_table import FigureTable, Loader, MetricTable
from reviewer.services.figures.filtered import found_by
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.request import Choices, Covered, choices, covered
from reviewer.services.figures.statistics import MOST_RUNS, Made, StatsRequest, of_runs
from reviewer.services.figures.statistics_agreement import judged_rows
from reviewer.services.figures.statistics_blocks import LabelerPair, MetricBlock
from reviewer.services.figures.statistics_document import StatsDocument
from reviewer.services.figures.statistics_gaps import Frame
from reviewer.services.figures.statistics_stale import stale
from reviewer.services.project.figure_rules import scale_of
from reviewer.services.project.session import Session
from reviewer.services.project.sight import hidden_among, hidden_now
from reviewer.stats.agreement import Agreement
from reviewer.stats.intervals import Interval, IntervalPolicy, containing
from reviewer.stats.label_counts import placed_labels
from reviewer.stats.pairs import places
from reviewer.store import exclusions, figures, watching
from reviewer.store.scoping import without

EQUAL = 1e-9
NOWHERE = -1
FEWEST_UNSEEN = 5
"""Fewer evaluations that a blind labeler has still to score enter no figure."""


@dataclass(frozen=True, slots=True)
class ScopeChoices:
    """What a scope can be narrowed to in this project."""

    runs: tuple[str, ...]
    labelers: tuple[str, ...]
    categories: tuple[str, ...]
    scorers: tuple[str, ...]
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class PairColumns:
    """The evaluations with auto and human score of one metric, in columns of one length.

    Attributes:
        columns: Place on the scale of the nearest level to the auto score.
        label_pairs, label_rows: Of every label in the table of human against auto its evaluation
            (a position in these columns) and its place on the scale.
        counted: Whether the evaluation counts in agreement, and was not left out as chosen.
        inside: Whether it makes gaps: it lies in the window and was not left out either.
        seen: Whether the active labeler may see its auto score.
    """

    keys: Ints
    auto: Floats
    human: Floats
    columns: Ints
    label_pairs: Ints
    label_rows: Ints
    counted: Flags
    inside: Flags
    seen: Flags
    numeric: bool

    @property
    def gaps(self) -> Floats:
        """Give human minus auto."""
        return self.human - self.auto

    def histogram(self) -> tuple[tuple[float, int], ...]:
        """Give how often each gap occurs that counts, lowest first."""
        if not self.numeric:
            return ()
        gaps = self.gaps[self.inside]
        values, counts = np.unique(np.round(gaps[np.isfinite(gaps)], 9) + 0.0, return_counts=True)
        return tuple(zip(values.tolist(), counts.tolist(), strict=True))

    def in_cell(self, row: int | None, column: int) -> Flags:
        """Tell which pairs have a part in one cell of the table of human against auto.

        Without a row the whole column is meant, pairs that are in no table included.
        """
        inside = (self.columns == column) & self.counted
        if row is None:
            return np.asarray(inside)
        there = np.zeros(self.keys.size, dtype=np.bool_)
        there[self.label_pairs[self.label_rows == row]] = True
        return np.asarray(inside & there)

    def in_table(self) -> Flags:
        """Tell which pairs have a part in the table."""
        there = np.zeros(self.keys.size, dtype=np.bool_)
        there[self.label_pairs] = True
        return np.asarray(there & self.counted)

    def same(self) -> Floats:
        """Give which part of each evaluation's labels is at the judge's level, NaN without any."""
        given = np.bincount(self.label_pairs, minlength=self.keys.size)
        equal = self.label_rows == self.columns[self.label_pairs]
        hits = np.bincount(self.label_pairs[equal], minlength=self.keys.size)
        found = np.full(self.keys.size, np.nan)
        np.divide(hits, given, out=found, where=given > 0)
        return found

    def by_gap(self, wanted: Flags) -> Ints:
        """Give the positions of the wanted pairs, hidden ones included, by the size of the gap."""
        found = np.flatnonzero(wanted)
        sizes = np.abs(self.gaps[found]) if self.numeric else np.ones(found.size)
        sizes = np.where(np.isfinite(sizes), sizes, 0.0)
        return found[np.argsort(-np.round(sizes, 9), kind="stable")]


@dataclass(frozen=True, slots=True)
class Audit:
    """Everything that the page shows of one scope.

    Attributes:
        request: What was asked for; sections read the same scope.
        frame: The columns of every evaluation in scope, with the window; whoever needs scores
            and labels takes them from here instead of reading the project again.
        pairs: By metric, in the rubric's order.
        seen: Which evaluations of the frame the active labeler may see.
        unseen: Evaluations in scope that the active labeler has not scored yet.
        withheld: Evaluations that no figure counts, as so few would tell their auto scores.
    """

    request: StatsRequest
    frame: Frame
    document: StatsDocument
    rubric: Rubric
    pairs: Mapping[str, PairColumns]
    choices: ScopeChoices
    evaluations: int
    labelled: int
    seen: Flags
    unseen: int
    withheld: int = 0

    @property
    def is_refined(self) -> bool:
        """Tell whether resampled intervals are there."""
        return bool(self.frame.choices.policy.resamples)


def compute(session: Session, request: StatsRequest, progress: Progress | None = None) -> Audit:
    """Compute a scope's figures with the evaluations behind them; call it beside the window.

    Resampled intervals and what lags behind are left to `refine`, so that figures are there at
    once; scores and labels that the session has kept are not read again. While the labeler is
    blind, their own answers on hidden evaluations count in no figure, and hidden evaluations are
    marked as not to be listed.

    Raises:
        ReviewerError: The scope names something that the project does not have.
        CancelledError: Nobody waits for it any more.
    """
    project, memory = session.project, memory_of(session)
    # a filter that reads what is hidden is refused before it is used
    found_by(session, request.scope.filter)
    with figures.snapshot(project):
        scope, withheld = _withheld(session, request, covered(project, request.scope))
        made_by = choices(
            project,
            request.scope,
            scope.rubric,
            preset=request.preset,
            options=request.options,
            policy=IntervalPolicy(level=request.level, seed=request.seed, resamples=0),
        )
        table = Loader(project, memory).load(
            request.scope,
            rubric=scope.rubric,
            within=scope.within,
            options=made_by.options,
            held=held_now(session),
        )
        frame = Frame(table, made_by)
        document = statistics.of_frame(project, request, scope, frame, progress)
        seen = seen_of(session, table.keys)
        return Audit(
            request=request,
            frame=frame,
            document=document,
            rubric=scope.rubric,
            pairs={name: _pairs(frame, one, seen) for name, one in table.metrics.items()},
            choices=_scope_choices(session, memory.categories, memory.tags),
            evaluations=int(table.keys.size),
            labelled=_count_labelled(table),
            seen=seen,
            unseen=int((~seen).sum()) + withheld,
            withheld=withheld,
        )


def refine(session: Session, audit: Audit, progress: Progress | None = None) -> Audit:
    """Add resampled intervals, what lags behind, and categories; call it beside the window.

    Raises:
        CancelledError: Nobody waits for it any more.
    """
    project, request = session.project, audit.request
    policy = IntervalPolicy(level=request.level, seed=request.seed)
    frame = Frame(audit.frame.table, replace(audit.frame.choices, policy=policy))
    with figures.snapshot(project):
        scope = covered(project, request.scope)
        lagging = stale(project, scope, list(frame.table.metrics.values()), frame.choices)
        categories, tags = memory_of(session).look(project).names()
        offered = replace(audit.choices, categories=categories, tags=tags)
        by_run = of_runs(
            Loader(project, memory_of(session)),
            request.scope,
            scope.runs[-MOST_RUNS:],
            Made(frame.choices, held_now(session)),
            lambda own: _withheld(session, replace(request, scope=own), covered(project, own))[0],
        )
    document = statistics.of_frame(project, request, scope, frame, progress)
    document = document.with_parts(None, lagging, by_run)
    return replace(audit, frame=frame, document=document, choices=offered)


def _withheld(session: Session, request: StatsRequest, scope: Covered) -> tuple[Covered, int]:
    """Leave out what the labeler has still to score where so few would tell their auto scores."""
    keys = memory_of(session).look(session.project).evaluations(request.scope, scope.within).keys
    hidden = keys[~seen_of(session, keys)]
    if not 0 < hidden.size < FEWEST_UNSEEN:
        return scope, 0
    return replace(scope, within=without(scope.within, hidden.tolist())), int(hidden.size)


def seen_of(session: Session, keys: Ints) -> Flags:
    """Tell which evaluations, all of one rubric, are not hidden from the labeler."""
    if hidden_now(session).nothing:
        return np.ones(keys.size, dtype=np.bool_)
    return ~np.isin(keys, _keys(hidden_among(session, keys.tolist())))


def _count_labelled(table: FigureTable) -> int:
    return int(np.logical_or.reduce([x.has_human for x in table.metrics.values()]).sum())


def _keys(found: Iterable[int]) -> Ints:
    return np.fromiter(found, dtype=np.int64)


def _pairs(frame: Frame, table: MetricTable, seen: Flags) -> PairColumns:
    both, options, scale = table.paired, frame.choices.options, scale_of(table.metric)
    judged = judged_rows(frame.table, table, both, options.label_combine)
    columns = np.full(both.size, NOWHERE, dtype=np.int64)
    label_pairs = label_rows = columns[:0]
    if scale is not None:
        columns = places(judged.auto, scale)[0]
        label_pairs, label_rows, _ = placed_labels(judged, scale, label_table=options.label_table)
    makes_gaps = frame.inside(table) & ~frame.left_out
    return PairColumns(
        keys=frame.table.keys[both],
        auto=judged.auto,
        human=table.human.score[both],
        columns=columns,
        label_pairs=label_pairs,
        label_rows=label_rows,
        counted=frame.counted[both],
        inside=makes_gaps[both],
        seen=seen[both],
        numeric=table.metric.is_numeric,
    )


def scope_choices(session: Session) -> ScopeChoices:
    """Give the runs, people, categories and scorers that a scope can be narrowed to."""
    return _scope_choices(session, *ColumnMemory().look(session.project).names())


def _scope_choices(
    session: Session, categories: tuple[str, ...], tags: tuple[str, ...]
) -> ScopeChoices:
    project = session.project
    return ScopeChoices(
        runs=tuple(name for _, name, _ in figures.run_places(project)),
        labelers=tuple(person.name for person in session.labelers()),
        categories=categories,
        tags=tags,
        scorers=tuple(dict.fromkeys(x.name for x in figures.scorer_versions(project))),
    )


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
    """Give the figures of a scope as `compute` does, remembered ones while they are true.

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
            found = compute(session, request, progress)
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
    return _State(
        request=request,
        choices=choices(
            project, request.scope, rubric, preset=request.preset, options=request.options
        ),
        labeler=session.labeler.name,
        blind=session.blind,
        content=sight.content,
        seq=sight.seq,
        excluded=exclusions.stamp(project.conn),
    )


def with_kept_intervals(audit: Audit, before: Audit | None) -> Audit:
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
                name: _block(block, earlier.metrics.get(name), trusted=audit.is_refined)
                for name, block in document.metrics.items()
            },
            labelers=tuple(_pair(one, pairs) for one in document.labelers),
        ),
    )


def _block(block: MetricBlock, before: MetricBlock | None, *, trusted: bool) -> MetricBlock:
    """Hold intervals, and what they came to unless newer ones are `trusted` already."""
    if before is None:
        return block
    return replace(
        block,
        trust=block.trust if trusted else before.trust,
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
