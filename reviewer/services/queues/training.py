"""Feedback in a training queue: the known answers of an evaluation beside one's own."""

from dataclasses import dataclass

from reviewer.domain.evaluation import Label, Value
from reviewer.services.project.reading import EvaluationView
from reviewer.services.project.session import Session
from reviewer.services.queues.recipes import TRAINING
from reviewer.store import queues


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """What a labeler answered on a metric, and what is known to be right.

    Attributes:
        given: None where they said "not applicable".
        why: The comment of whoever decided it.
    """

    metric: str
    title: str
    given: Value | None
    known: Value
    why: str

    @property
    def is_right(self) -> bool:
        """Tell whether both are the same."""
        return self.given == self.known


def feedback(session: Session, view: EvaluationView) -> tuple[GoldAnswer, ...]:
    """Give the known answers of an evaluation of the training queue in work, once it is answered.

    Nothing while the evaluation is hidden, outside a training queue, or without known answers.
    """
    queue = session.queue
    if queue is None or queue.recipe != TRAINING or view.hidden:
        return ()
    found = queues.chance(
        session.project.conn, queue.key, session.labeler.key, view.evaluation.key
    )
    if found is None or found[0] != "gold":
        return ()
    known = {x.metric: x for x in _decisions(view)}
    return tuple(
        GoldAnswer(
            metric=metric.name,
            title=metric.heading,
            given=view.own[metric.name].value if metric.name in view.own else None,
            known=known[metric.name].value or 0,
            why=known[metric.name].comment or "",
        )
        for metric in view.rubric.labelled_metrics
        if metric.name in known
    )


def sentence(session: Session, view: EvaluationView) -> str:
    """Say what is known of an evaluation of the training queue in work, once it is answered."""
    found = feedback(session, view)
    if not found:
        return ""
    right = sum(one.is_right for one in found)
    lines = [f"Known answers: {right} of {len(found)} right."]
    for one in found:
        given = "not applicable" if one.given is None else one.given
        yours = "right" if one.is_right else f"yours {given}"
        why = f" – {one.why}" if one.why else ""
        lines.append(f"{one.title}: {one.known} ({yours}){why}")
    return "\n".join(lines)


def _decisions(view: EvaluationView) -> list[Label]:
    return [x for x in view.others if x.kind == "adjudication" and x.counts and x.turn is None]
