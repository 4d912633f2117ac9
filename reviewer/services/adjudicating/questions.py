"""Send a disagreement back to a labeler with a question; a new label or comment answers it."""

from dataclasses import dataclass

from reviewer.domain.change import MarkChanged
from reviewer.domain.errors import LabelError
from reviewer.domain.label import Mark
from reviewer.domain.values import text_problem
from reviewer.services.adjudicating.decisions import subject
from reviewer.services.project import writing
from reviewer.services.project.permission import require_lead
from reviewer.services.project.session import Session
from reviewer.store import deciding, labelers


@dataclass(frozen=True, slots=True)
class Question:
    """A question about one metric of an evaluation.

    Attributes:
        asker: The lead who asks.
        asked: The labeler it goes to.
        answered: Whether they gave another label or comment since.
    """

    evaluation: int
    metric: str
    asker: str
    asked: str
    text: str
    at: str | None
    answered: bool


def ask(
    session: Session, evaluation: int, metric: str, labeler: str, question: str
) -> MarkChanged:
    """Send a metric of an evaluation back to a labeler; it replaces one's earlier question.

    Raises:
        LabelError: The asker is no lead, nobody is called so, or the question is empty.
    """
    require_lead(session, "send responses back")
    about = subject(session, evaluation, metric)
    words = question.strip()
    problem = "it is empty" if not words else text_problem(words)
    if problem:
        raise LabelError(f"The question cannot be sent: {problem}.")
    if labelers.find(session.project.conn, labeler) is None:
        raise LabelError(f"There is no labeler {labeler!r} in this project to ask.")
    mark = Mark(
        evaluation=evaluation, kind="question", labeler=session.labeler.name, metric=metric,
        note=words, value=labeler,
    )  # fmt: skip
    return _put(session, mark, f"Question on {about.metric.heading} of {about.name}")


def withdraw_question(session: Session, evaluation: int, metric: str) -> MarkChanged:
    """Take one's own question back.

    Raises:
        LabelError: The labeler has not asked anything here.
    """
    about = subject(session, evaluation, metric)
    mine = [
        x
        for x in of_evaluation(session, evaluation)
        if x.metric == metric and x.asker == session.labeler.name
    ]
    if not mine:
        raise LabelError(f"You have not asked anybody about {about.metric.heading} here.")
    mark = Mark(
        evaluation=evaluation, kind="question", labeler=session.labeler.name, metric=metric,
        note=mine[0].text, value=False,
    )  # fmt: skip
    return _put(session, mark, f"Question withdrawn on {about.metric.heading} of {about.name}")


def of_evaluation(session: Session, evaluation: int) -> tuple[Question, ...]:
    """Give the questions about an evaluation, the oldest first."""
    conn = session.project.conn
    return tuple(map(_question, deciding.questions(conn, evaluation=evaluation)))


def to_me(session: Session, evaluation: int) -> tuple[Question, ...]:
    """Give what the active labeler is asked about an evaluation and has not answered."""
    return tuple(
        x
        for x in of_evaluation(session, evaluation)
        if x.asked == session.labeler.name and not x.answered
    )


def sentence(session: Session, evaluation: int) -> str:
    """Say what the active labeler is asked about an evaluation; empty where nothing is open."""
    rubric = session.rubric_of(evaluation)
    lines = []
    for one in to_me(session, evaluation):
        metric = rubric.by_name.get(one.metric)
        heading = metric.heading if metric is not None else one.metric
        lines.append(f"{one.asker} asks about {heading}: “{one.text}”")
    if not lines:
        return ""
    return "\n".join([*lines, "Another label or a comment on it answers."])


def count_to_me(session: Session) -> int:
    """Count the evaluations that wait for the active labeler's answer."""
    found = deciding.questions(session.project.conn)
    mine = session.labeler.name
    return len({x.mark.evaluation for x in found if x.asked == mine and not x.answered})


def _put(session: Session, mark: Mark, title: str) -> MarkChanged:
    with session.project.write():
        action = writing.begin(session)
        change, pair = action.put_mark(mark)
        action.marks.append(pair)
        action.journal(mark.kind, title)
    writing.finish(action)
    return change


def _question(entry: deciding.Question) -> Question:
    mark = entry.mark
    return Question(
        evaluation=mark.evaluation,
        metric=mark.metric or "",
        asker=mark.labeler,
        asked=entry.asked,
        text=mark.note or "",
        at=mark.at,
        answered=entry.answered,
    )
