"""The cases that a report tells with their texts: where people differ, the best and the worst.

They are chosen from columns, and read by key: no other text is read for them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from reviewer.domain.evaluation import CAUSE_TITLES, Evaluation, Label, Mark, Value
from reviewer.domain.rubric import Metric
from reviewer.reports.evidence import Opinion, Piece, ToldCase
from reviewer.reports.report import overall_top
from reviewer.services.adjudicating.decisions import cause_of
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.figures.human_columns import Floats
from reviewer.services.figures.statistics_document import StatsDocument
from reviewer.services.figures.trust_words import worst_first
from reviewer.services.project.figure_rules import value_of
from reviewer.services.reporting.cases import ReadCases
from reviewer.services.reporting.extremes import EQUAL, best_and_worst
from reviewer.stats.overall_columns import OPEN, PASS, Verdicts
from reviewer.store import deciding, marks, reading

MOST_DIFFERING: Final = 5
LONGEST: Final = 600
"""Characters of a question or a response that are told."""
AROUND: Final = 200
"""Characters before a highlight where a response is cut."""
Wanted = tuple[int, tuple[Metric, ...]]
"""A case by its key, and the metrics that it is told for."""


@dataclass(frozen=True, slots=True)
class CaseTeller:
    """Chooses cases from a table of columns, and reads what a report tells of them."""

    read: ReadCases
    document: StatsDocument

    @property
    def table(self) -> FigureTable:
        """Give the columns."""
        return self.read.table

    def differing(self) -> tuple[ToldCase, ...]:
        """Tell where judge and people are furthest apart; metrics that fail trust come first."""
        blocks = worst_first(self.document.labelled)
        taken: dict[int, Metric] = {}
        for state in dict.fromkeys(block.trust.trust.state for block in blocks):
            found = [
                one
                for block in blocks
                if block.trust.trust.state == state
                for one in _apart(self.table, self.table.metrics[block.name])
            ]
            for _, key, metric in sorted(found, key=lambda one: one[0]):
                if len(taken) < MOST_DIFFERING:
                    taken.setdefault(key, metric)
        return tuple(self._told((key, (metric,)) for key, metric in taken.items()))

    def best_and_worst(self, top: int) -> tuple[tuple[ToldCase, ...], tuple[ToldCase, ...]]:
        """Tell the best and the worst cases, those that people scored first.

        What people failed is never among the best, and no case among both.
        """
        table = self.table
        keys = table.keys.tolist()
        first, last = (
            tuple(self._told((keys[at], self._told_for(at)) for at in places))
            for places in best_and_worst(table, top)
        )
        return first, last

    def _told_for(self, place: int) -> tuple[Metric, ...]:
        """Give what people are asked for, then what was computed for a case."""
        rubric = self.table.rubric
        computed = (
            metric
            for metric in rubric.metrics
            if not metric.is_labelled
            and not metric.derived
            and np.isfinite(self.table.metrics[metric.name].auto[place])
        )
        return (*rubric.labelled_metrics, *computed)

    def _told(self, wanted: Iterable[Wanted]) -> Iterator[ToldCase]:
        every = dict(wanted)
        conn = self.read.project.conn
        known = {x.key: x for x in reading.evaluations(conn, sorted(every))}
        scored = {x.case.key: x for x in self.read.read(sorted(every))}
        overall = _Overalls.of(self.table)
        for key, metrics in every.items():
            if key not in known or key not in scored:
                continue
            case, place = scored[key].case, int(np.searchsorted(self.table.keys, key))
            labels = self.read.labels(key)
            standing = [entry.mark for entry in marks.current(conn, key)]
            causes = {
                entry.mark.metric: cause_of(entry.mark.value)
                for entry in deciding.causes(conn, evaluation=key)
            }
            told = ToldCase(
                key=key,
                id=case.id,
                run=case.run,
                category=case.category,
                question=_cut(_asked(known[key]) or case.question or ""),
                turns=len(known[key].messages),
                response=_response(known[key], case.response, standing, metrics),
                opinions=tuple(
                    _opinion(
                        metric,
                        value_of(metric, float(self.table.metrics[metric.name].auto[place])),
                        value_of(
                            metric, float(self.table.metrics[metric.name].human.score[place])
                        ),
                        scored[key].reasoning(metric.name),
                        labels,
                        CAUSE_TITLES.get(causes.get(metric.name) or "", ""),
                    )
                    for metric in metrics
                ),
            )
            yield overall.put(told, place)


@dataclass(frozen=True, slots=True)
class _Overalls:
    """Overalls and verdicts of both sides, in columns."""

    judge: Floats
    people: Floats
    judged: Verdicts
    passed: Verdicts
    top: float

    @classmethod
    def of(cls, table: FigureTable) -> "_Overalls":
        return cls(
            table.auto_overall(),
            table.overall().human,
            table.auto_verdicts(),
            table.human_verdicts(),
            overall_top(table.rubric),
        )

    def put(self, case: ToldCase, place: int) -> ToldCase:
        """Give a case with its overalls and verdicts."""
        return replace(
            case,
            top=self.top,
            judge=_number(self.judge[place]),
            people=_number(self.people[place]),
            judged=_verdict(self.judged[place]),
            passed=_verdict(self.passed[place]),
        )


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _verdict(code: int) -> bool | None:
    return None if code == OPEN else bool(code == PASS)


Apart = tuple[tuple[float, bool, float, int], int, Metric]
"""By what a difference is sorted, the case, and the metric."""


def _apart(table: FigureTable, metric: MetricTable) -> list[Apart]:
    """Give the largest differences on a metric, in shares of its scale; decided ones lead ties."""
    both = np.flatnonzero(metric.both & np.isfinite(metric.human.score))
    gaps = np.abs(metric.human.score - metric.auto)[both]
    bounds = metric.metric.bounds
    if bounds is None or not metric.metric.is_numeric:
        gaps = (gaps > EQUAL).astype(np.float64)
    else:
        gaps = gaps / (bounds[1] - bounds[0])
    decided = np.zeros(table.keys.size, dtype=np.bool_)
    decided[metric.human.given.positions[metric.human.given.decided]] = True
    count = metric.human.count[both].astype(np.float64)
    order = np.lexsort((table.keys[both], -count, ~decided[both], -np.round(gaps, 9)))
    return [
        (
            (-float(gaps[at]), not decided[both[at]], -float(count[at]), int(key)),
            int(key),
            metric.metric,
        )
        for at, key in zip(order.tolist(), table.keys[both][order].tolist(), strict=True)
        if gaps[at] > EQUAL
    ][:MOST_DIFFERING]


def _opinion(
    metric: Metric,
    judge: Value | None,
    human: Value | None,
    reasoning: str | None,
    labels: Sequence[Label],
    cause: str,
) -> Opinion:
    mine = [x for x in labels if x.metric == metric.name and x.turn is None]
    decisions = [x for x in mine if x.kind == "adjudication" and x.counts]
    given = [x for x in mine if x.kind == "label" and x.counts]
    said = [x.comment for x in (*reversed(decisions), *given) if x.comment]
    return Opinion(
        metric=metric.name,
        title=metric.heading,
        top=metric.bounds[1] if metric.bounds else None,
        judge=judge,
        reasoning=_cut(reasoning or ""),
        people=tuple(x.value for x in given if x.value is not None),
        human=human,
        decided=decisions[-1].value if decisions else None,
        comments=tuple(_cut(x) for x in dict.fromkeys(said)),
        cause=cause,
    )


def _asked(found: Evaluation) -> str:
    """Give what a user said last before the last answer of a conversation."""
    answers = [place for place, turn in enumerate(found.messages) if turn.role == "assistant"]
    before = (
        found.messages[: answers[-1]] if answers and found.response is None else found.messages
    )
    return next((turn.text for turn in reversed(before) if turn.role == "user"), "")


def _response(
    found: Evaluation, response: str | None, standing: Sequence[Mark], metrics: Sequence[Metric]
) -> tuple[Piece, ...]:
    """Cut a response into pieces; of several highlights those of the metrics told."""
    names = {metric.name for metric in metrics} | {None}
    spans = [
        (x.start, x.end, x.turn)
        for x in standing
        if x.kind == "highlight"
        and x.metric in names
        and x.start is not None
        and x.end is not None
    ]
    text, turn = response or "", None
    if found.messages and spans:
        turn = next((x for _, _, x in spans if x is not None), None)
    if turn is not None and turn < len(found.messages):
        text = found.messages[turn].text
    mine = sorted((start, end) for start, end, of in spans if of == turn and start < end)
    return pieces_of(text, mine)


def pieces_of(text: str, spans: Sequence[tuple[int, int]]) -> tuple[Piece, ...]:
    """Cut a text at its highlights; of a long one what stands around the first of them is left."""
    first = spans[0][0] if spans else 0
    begin = max(0, min(first - AROUND, len(text) - LONGEST)) if len(text) > LONGEST else 0
    end = min(len(text), begin + LONGEST)
    found, at = [], begin
    if begin:
        found.append(Piece("… "))
    for first_letter, last_letter in spans:
        start, stop = max(first_letter, at), min(last_letter, end)
        if start < stop:
            found += [Piece(text[at:start]), Piece(text[start:stop], marked=True)]
            at = stop
    found.append(Piece(text[at:end]))
    if end < len(text):
        found.append(Piece(" …"))
    return tuple(x for x in found if x.text)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rstrip()} …"
