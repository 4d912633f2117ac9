"""The virtual agent's export: a row for each metric of a conversation."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from reviewer.domain.label import Label
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.values import Value
from reviewer.reports.cases import RunCases, ScoredCase
from reviewer.reports.document import Fields, OwnPart, Rows


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """Hold one metric of one conversation: the auto score beside what people said.

    Attributes:
        human_score: the human score, as every figure takes it; None where nobody labelled.
        labeler: who labelled, several separated by commas.
        labelled_at: when the newest of the labels was given.
    """

    scored: ScoredCase
    metric: Metric
    human_score: Value | None = None
    labeler: str | None = None
    labelled_at: str | None = None

    def to_json(self) -> dict[str, JsonValue]:
        """Give the row in the export's field names."""
        case = self.scored.case
        score = self.scored.scores.get(self.metric.name)
        return {
            "evaluation": case.id,
            "chat": case.case or case.id,
            "chat_date": case.occurred_at,
            "evaluation_date": case.evaluated_at,
            "metric": self.metric.name,
            "weight": self.metric.weight,
            "auto_score": score.value if score else None,
            "reason": score.reasoning if score else None,
            "examples": list(score.examples) if score else [],
            "human_score": self.human_score,
            "labeler": self.labeler,
            "labelled_at": self.labelled_at,
        }


def conversation_rows(
    scored: ScoredCase, rubric: Rubric, labels: Iterable[Label], human: Mapping[str, Value]
) -> list[ConversationRow]:
    """Make the rows of one conversation, in the rubric's order.

    Args:
        scored: the conversation with its auto scores, derived ones included.
        rubric: its metrics and weights.
        labels: each person's current label of each metric; others are passed over.
        human: the human scores by metric.
    """
    by_metric: dict[str, list[Label]] = {}
    for label in labels:
        if label.counts and label.turn is None:
            by_metric.setdefault(label.metric, []).append(label)
    return [
        _row(scored, metric, by_metric.get(metric.name, ()), human.get(metric.name))
        for metric in rubric.metrics
    ]


def _row(
    scored: ScoredCase, metric: Metric, labels: Sequence[Label], human: Value | None
) -> ConversationRow:
    decided = [label for label in labels if label.kind == "adjudication"]
    counted = decided or labels
    if not counted:
        return ConversationRow(scored, metric)
    times = [label.at for label in counted if label.at]
    return ConversationRow(
        scored,
        metric,
        human_score=human,
        labeler=", ".join(dict.fromkeys(label.labeler for label in counted)),
        labelled_at=max(times, default=None),
    )


def own_part(found: RunCases) -> OwnPart:
    """Give the rows of a run."""

    def read() -> Iterator[Fields]:
        for scored in found.whole.read(found.keys):
            key = scored.case.key
            said, human = found.whole.labels(key), found.whole.humans(key)
            for row in conversation_rows(scored, found.rubric, said, human):
                yield row.to_json()

    return OwnPart({"rows": Rows(len(found.keys) * len(found.rubric.metrics), read)})
