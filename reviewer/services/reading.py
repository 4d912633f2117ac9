"""One evaluation as the active labeler may see it."""

from dataclasses import dataclass

from reviewer.domain.evaluation import Evaluation, Score
from reviewer.domain.label import Label, Mark
from reviewer.domain.rubric import Rubric
from reviewer.services.session import Session


@dataclass(frozen=True, slots=True)
class EvaluationView:
    """Everything the Review page shows of one evaluation.

    While `hidden`, scores, other people's labels and marks are left out.

    Attributes:
        own: The labeler's current entries by metric: labels, "not applicable", and withdrawn ones
            only where they carry a comment.
        others: Other people's current labels and decisions.
        marks: Current marks (what was taken back is left out), oldest first.
        history: Every entry, oldest first.
        auto: The auto score by metric, of the score set that figures use.
        all_scores: Every score, of all score sets.
        revealed: Whether the labeler has seen the auto scores once.
    """

    evaluation: Evaluation
    rubric: Rubric
    hidden: bool
    own: dict[str, Label]
    others: tuple[Label, ...]
    marks: tuple[Mark, ...]
    history: tuple[Label, ...]
    auto: dict[str, Score]
    all_scores: tuple[Score, ...]
    skipped: bool
    flagged: bool
    revealed: bool


def view(session: Session, key: int) -> EvaluationView:
    """Read one evaluation with what the active labeler may see of it.

    Raises:
        ProjectError: There is no such evaluation, or the file cannot be read.
    """
    raise NotImplementedError


def attachment(session: Session, key: int, path: str) -> bytes | None:
    """Give the content of an image or file of an evaluation, None where the project lacks it."""
    raise NotImplementedError


def key_of(session: Session, text: str) -> int | None:
    """Find an evaluation by id or RUN/ID; the newest run wins where several have the id."""
    raise NotImplementedError
