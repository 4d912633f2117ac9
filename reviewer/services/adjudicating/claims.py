"""The claims behind a judge's score of factual accuracy, and a lead's corrections of them.

The judge's claims stand with its score and are never changed. A correction is a decision: its
value follows from the corrected verdicts, and it keeps the claims, so that it is journalled, taken
back and exported like every other decision.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.domain.change import LabelChanged
from reviewer.domain.errors import LabelError
from reviewer.domain.evaluation import JsonValue, Label, Score, Value, as_written
from reviewer.domain.rubric import Metric
from reviewer.domain.wording import two
from reviewer.scoring.claims import (
    WORTH,
    Claim,
    ClaimsOutcome,
    ClaimVerdict,
    corrected,
    read_claims,
    weigh,
)
from reviewer.scoring.scorer import Case, Failure, case_of
from reviewer.services.adjudicating.decisions import decide
from reviewer.services.project.reading import EvaluationView
from reviewer.services.project.session import Session, may_lead

Claims = tuple[Claim, ...]
VERDICTS = tuple(WORTH)
GROUNDS = {
    "expected": "Held against the expected answer.",
    "context": "Held against the context, as there is no expected answer.",
    "none": "There was nothing to hold the claims against.",
}


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """One claim as it is shown.

    Attributes:
        judged: The judge's verdict.
        verdict: What stands: a lead's correction, else the judge's.
        place: Start and end in the response, None where no sentence is like it.
    """

    text: str
    importance: str
    judged: str
    verdict: str
    evidence: str
    place: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class ClaimsFound:
    """The claims of one score.

    Attributes:
        turn: The turn that is the response; None for a bare response.
        judged: The judge's score on the metric's scale.
        standing: The score that follows from what stands, exact.
        nearest: The level nearest to it; None for a metric without levels.
        by: Who corrected the claims last, None where nobody did.
        set_aside: Whose correction was made of another reply with other claims, None where none
            was; it says nothing of these.
        ground: What the claims were held against, as a sentence.
        may_correct: Whether the active labeler may.
    """

    rows: tuple[ClaimRow, ...]
    turn: int | None
    judged: float
    standing: float
    nearest: float | None
    by: str | None
    set_aside: str | None
    ground: str
    may_correct: bool

    @property
    def is_corrected(self) -> bool:
        """Tell whether any verdict differs from the judge's."""
        return any(row.verdict != row.judged for row in self.rows)


def found(session: Session, view: EvaluationView, metric: str) -> ClaimsFound | None:
    """Give the claims behind a metric's auto score, None where it has none or is hidden."""
    read = _read(view, metric)
    if read is None:
        return None
    case, subject, judged = read
    by, kept = _correction(view, metric, case)
    fits = _of_one_reply(kept, judged)
    claims = kept if fits else judged
    before, after = _weighed(case, judged), _weighed(case, claims)
    if before is None or after is None:
        return None
    return ClaimsFound(
        rows=tuple(
            ClaimRow(
                text=claim.text,
                importance=claim.importance,
                judged=old.verdict,
                verdict=claim.verdict,
                evidence=claim.evidence,
                place=None if claim.hit is None else (claim.hit.start, claim.hit.end),
            )
            for old, claim in zip(judged, claims, strict=True)
        ),
        turn=_turn(view),
        judged=_on_scale(before, subject),
        standing=_on_scale(after, subject),
        nearest=_level(after, subject),
        by=by if fits else None,
        set_aside=by if kept and not fits else None,
        ground=GROUNDS[after.ground_truth],
        may_correct=may_lead(session) and not session.project.read_only,
    )


def correct(
    session: Session, view: EvaluationView, metric: str, place: int, verdict: ClaimVerdict
) -> LabelChanged:
    """Give one claim another verdict and decide the metric accordingly.

    The decided value is the metric's level nearest to the score that follows, of two equally near
    the lower, or that score itself where the metric has no levels.

    Raises:
        LabelError: The labeler is no lead, there is no such claim, or its score cannot be decided.
        ProjectError: The file cannot be written; nothing was saved.
    """
    read = _read(view, metric)
    if read is None:
        raise LabelError("This score rests on no claims that could be corrected.")
    case, subject, judged = read
    _, kept = _correction(view, metric, case)
    claims = kept if _of_one_reply(kept, judged) else judged
    if not 0 <= place < len(claims) or verdict not in VERDICTS:
        raise LabelError(
            f"There are {len(claims)} claims, each with one verdict of {', '.join(VERDICTS)}."
        )
    changed = corrected(claims, place, verdict)
    outcome = _weighed(case, changed)
    if outcome is None:
        raise LabelError("Without claims there is no score.")
    level = _level(outcome, subject)
    value: Value = _on_scale(outcome, subject) if level is None else level
    return decide(
        session,
        view.evaluation.key,
        metric,
        as_written(value) if isinstance(value, float) else value,
        claims=[
            {"text": x.text, "importance": x.importance, "verdict": x.verdict,
             "evidence": x.evidence}
            for x in changed
        ],
    )  # fmt: skip


def score_words(shown: ClaimsFound) -> str:
    """Say the score, and what the corrections make of it."""
    if shown.set_aside is not None:
        return (
            f"{_score_words(shown)} What {shown.set_aside} corrected belongs to another reply of "
            "the judge; the decision stands."
        )
    return _score_words(shown)


def _score_words(shown: ClaimsFound) -> str:
    if not shown.is_corrected:
        level = "" if shown.nearest in (None, shown.judged) else f", level {two(shown.nearest)}"
        return f"Score {two(shown.judged)}{level}."
    level = "" if shown.nearest is None else f", decided as level {two(shown.nearest)}"
    return (
        f"Score {two(shown.judged)} by the judge, {two(shown.standing)} with the corrections of "
        f"{shown.by}{level}."
    )


def _read(view: EvaluationView, metric: str) -> tuple[Case, Metric, Claims] | None:
    score, subject = view.auto.get(metric), view.rubric.by_name.get(metric)
    if view.hidden or score is None or subject is None:
        return None
    case = case_of(view.evaluation)
    claims = _claims(_kept(score), case)
    return None if not claims else (case, subject, claims)


def _kept(score: Score) -> JsonValue:
    found: JsonValue = score.meta.get("claims")
    return found


def _claims(kept: JsonValue, case: Case) -> Claims | None:
    reply: JsonValue = kept if isinstance(kept, dict) else {"claims": kept}
    claims = read_claims(reply, case.response or "")
    return None if isinstance(claims, Failure) else claims


def _correction(view: EvaluationView, metric: str, case: Case) -> tuple[str | None, Claims]:
    """Give who made the newest decision that keeps claims, of those that stand, and its claims."""
    made: Sequence[Label] = [
        x for x in view.others
        if x.metric == metric and x.kind == "adjudication" and x.claims is not None
    ]  # fmt: skip
    if not made:
        return None, ()
    return made[-1].labeler, _claims(made[-1].claims, case) or ()


def _of_one_reply(kept: Claims, judged: Claims) -> bool:
    """Tell whether a correction was made of what the judge says now."""
    return [x.text for x in kept] == [x.text for x in judged]


def _weighed(case: Case, claims: Sequence[Claim]) -> ClaimsOutcome | None:
    outcome = weigh(case, claims)
    return None if isinstance(outcome, Failure) else outcome


def _on_scale(outcome: ClaimsOutcome, metric: Metric) -> float:
    low, high = metric.bounds or (0.0, 1.0)
    return low + (high - low) * outcome.value


def _level(outcome: ClaimsOutcome, metric: Metric) -> float | None:
    """Give the nearest level, of two equally near the lower; None where there are no levels."""
    exact = _on_scale(outcome, metric)
    return min(metric.grid, key=lambda x: (round(abs(x - exact), 9), x), default=None)


def _turn(view: EvaluationView) -> int | None:
    """Give the turn whose text is the response; None where the response stands alone."""
    response = view.evaluation.response
    answers = [n for n, turn in enumerate(view.evaluation.messages) if turn.role == "assistant"]
    if not answers:
        return None
    last = view.evaluation.messages[answers[-1]]
    return answers[-1] if response is None or last.text == response else None
