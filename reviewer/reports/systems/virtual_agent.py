"""The virtual agent's export: a row for each metric of a conversation."""

from collections.abc import Iterable, Iterator, Mapping

from reviewer.domain.evaluation import Label, Value
from reviewer.domain.rubric import Rubric
from reviewer.reports.cases import RunCases, ScoredCase
from reviewer.reports.document import Fields, OwnPart, Rows


def conversation_rows(
    scored: ScoredCase, rubric: Rubric, labels: Iterable[Label], human: Mapping[str, Value]
) -> Iterator[Fields]:
    """Make the rows of one conversation in the export's field names, in the rubric's order.

    Beside an auto score stands what people said: who labelled, and when the newest of the labels
    was given. A metric that was judged later than the chat came in counts on that day.

    Args:
        scored: the conversation with its auto scores, derived ones included.
        rubric: its metrics and weights.
        labels: each person's current label of each metric; others are passed over.
        human: the human scores by metric, as every figure takes them.
    """
    by_metric: dict[str, list[Label]] = {}
    for label in labels:
        if label.counts and label.turn is None:
            by_metric.setdefault(label.metric, []).append(label)
    case = scored.case
    # what follows from others is as old as the oldest of them
    oldest = min((x.at for x in scored.scores.values() if x.at), default=None)
    for metric in rubric.metrics:
        score = scored.scores.get(metric.name)
        judged = oldest if metric.derived else score and score.at
        mine = by_metric.get(metric.name, [])
        counted = [label for label in mine if label.kind == "adjudication"] or mine
        yield {
            "evaluation": case.id,
            "chat": case.case or case.id,
            "chat_date": case.occurred_at,
            "evaluation_date": judged or case.evaluated_at,
            "metric": metric.name,
            "weight": metric.weight,
            "auto_score": score.value if score else None,
            "reason": score.reasoning if score else None,
            "examples": list(score.examples) if score else [],
            "human_score": human.get(metric.name) if counted else None,
            "labeler": ", ".join(dict.fromkeys(x.labeler for x in counted)) if counted else None,
            "labelled_at": max((x.at for x in counted if x.at), default=None),
        }


def own_part(found: RunCases) -> OwnPart:
    """Give the rows of a run."""

    def read() -> Iterator[Fields]:
        for scored in found.whole.read(found.keys):
            key = scored.case.key
            said, human = found.whole.labels(key), found.whole.humans(key)
            yield from conversation_rows(scored, found.rubric, said, human)

    return OwnPart({"rows": Rows(len(found.keys) * len(found.rubric.metrics), read)})
