"""What a decision, a cause or a question is about: one metric of one evaluation in sight."""

from dataclasses import dataclass

from reviewer.domain.errors import LabelError
from reviewer.domain.rubric import Metric, Rubric
from reviewer.services.project import writing
from reviewer.services.project.session import Session
from reviewer.store import states


@dataclass(frozen=True, slots=True)
class Subject:
    """A metric of an evaluation.

    Attributes:
        run: The key of its run.
        name: The evaluation's id within the run.
        revision: The revision of its text.
    """

    evaluation: int
    run: int
    name: str
    revision: int
    rubric: Rubric
    metric: Metric


def subject(session: Session, evaluation: int, metric: str) -> Subject:
    """Look up what is to be decided on.

    Raises:
        LabelError: There is no such evaluation, its rubric has no such metric to label, or the
            labeler is blind and has not scored the evaluation yet.
    """
    run, name, revision = session.place(evaluation)
    rubric = session.rubric_of_run(run)
    found = rubric.by_name.get(metric)
    if found is None or not found.is_labelled:
        there = ", ".join(x.name for x in rubric.labelled_metrics)
        raise LabelError(
            f"The rubric {rubric.name} has no metric {metric!r} to label; it has: {there}."
        )
    state = states.read(session.project.conn, session.labeler.key, evaluation)
    if writing.is_hidden(session, state, rubric, evaluation):
        raise LabelError(
            f"You have not scored {name} yet, so it is still blind for you; "
            "score it on Review first, or show its auto scores there."
        )
    return Subject(evaluation, run, name, revision, rubric, found)
