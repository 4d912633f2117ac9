"""One case with everything a lead needs to decide it: judge, people, question, cause, response."""

import random
from dataclasses import dataclass, replace

from reviewer.domain.evaluation import Label, Score, Value
from reviewer.domain.rubric import Metric
from reviewer.services.adjudicating.decisions import Cause, Question, cause_of, of_evaluation
from reviewer.services.figures import listed_scores
from reviewer.services.project import reading
from reviewer.services.project.session import Session, may_lead
from reviewer.store import deciding, exclusions

GIVEN = ("label", "not_applicable", "adjudication")


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one person says.

    Attributes:
        applies: False where they said that the metric does not apply.
        decided: Whether it is a lead's decision.
        blind: Whether they said it without sight of the auto score; None where unknown.
    """

    labeler: str
    value: Value | None
    comment: str | None
    applies: bool = True
    decided: bool = False
    blind: bool | None = None


@dataclass(frozen=True, slots=True)
class Named:
    """The cause that stands, who recorded it and what they noted."""

    cause: Cause
    note: str
    by: str


@dataclass(frozen=True, slots=True)
class Span:
    """A highlighted stretch of the response, with who highlighted it and why."""

    start: int
    end: int
    by: str
    note: str

    @property
    def words(self) -> str:
        """Say who noted what."""
        return ": ".join(filter(None, (self.by, self.note)))


@dataclass(frozen=True, slots=True)
class DisputedCase:
    """Judge and people on one metric of an evaluation.

    Attributes:
        judge: Whose score that is, by the version's full name; empty without one.
        people: Labels, oldest first by name.
        decisions: Decisions, the latest first; the first one counts.
        mine: What the active labeler decided.
        asks: Whether a question of theirs waits for an answer.
        response: The text that highlights are about.
        excluded: Why the evaluation counts in no figure, None where it counts.
        may_decide: Whether the active labeler may decide here.
    """

    key: int
    id: str
    title: str
    metric: Metric
    score: Score | None
    people: tuple[Opinion, ...]
    decisions: tuple[Opinion, ...]
    mine: Opinion | None
    questions: tuple[Question, ...]
    asks: bool
    cause: Named | None
    response: str
    spans: tuple[Span, ...]
    excluded: str | None
    may_decide: bool
    judge: str = ""


def case(session: Session, key: int, metric: str, scorer: str | None) -> DisputedCase:
    """Read one case as far as the active labeler may see it.

    Raises:
        LabelError: There is no such evaluation any more.
    """
    view = reading.view(session, key)
    entries = [x for x in (*view.own.values(), *view.others) if _is_about(x, metric)]
    decisions = [x for x in reversed(entries) if x.kind == "adjudication"]
    me = session.labeler.name
    response, turn = _response(view)
    standing = None if view.hidden else _cause(session, key, metric)
    asked = tuple(x for x in of_evaluation(session, key) if x.metric == metric)
    excluded = exclusions.of(session.project.conn, [key]).get(key)
    version = reading.counting(session, key, metric, scorer)
    return DisputedCase(
        key=key,
        id=view.evaluation.id,
        title=view.evaluation.title,
        metric=view.rubric.by_name[metric],
        score=listed_scores.auto_score(session, view, metric, scorer),
        people=tuple(
            sorted(
                (_opinion(x) for x in entries if x.kind != "adjudication"),
                key=lambda x: x.labeler.casefold(),
            )
        ),
        decisions=tuple(map(_opinion, decisions)),
        mine=next((_opinion(x) for x in decisions if x.labeler == me), None),
        questions=asked,
        asks=any(x.asker == me and not x.answered for x in asked),
        cause=standing,
        response=response,
        spans=tuple(
            Span(mark.start, mark.end, mark.labeler, mark.note or "")
            for mark in view.marks
            if mark.kind == "highlight" and mark.turn in (None, turn)
            and mark.start is not None and mark.end is not None
        ),
        excluded=excluded.reason if excluded else None,
        may_decide=may_lead(session) and not view.hidden,
        judge="" if version is None or view.hidden else version.name,
    )  # fmt: skip


def without_names(found: DisputedCase) -> DisputedCase:
    """Hide who said what: letters for names, in an order that is the evaluation's own."""
    people = list(found.people)
    random.Random(f"{found.key} {found.id}").shuffle(people)  # noqa: S311 - hides no secret
    named = [x.labeler for x in (*people, *found.decisions)]
    named += [name for x in found.questions for name in (x.asker, x.asked)]
    named += [x.by for x in found.spans]
    letters = {name: f"labeler {chr(65 + n % 26)}" for n, name in enumerate(dict.fromkeys(named))}
    return replace(
        found,
        people=tuple(replace(x, labeler=letters[x.labeler]) for x in people),
        decisions=tuple(replace(x, labeler=letters[x.labeler]) for x in found.decisions),
        questions=tuple(
            replace(x, asker=letters[x.asker], asked=letters[x.asked]) for x in found.questions
        ),
        spans=tuple(replace(x, by=letters[x.by]) for x in found.spans),
    )


def _is_about(label: Label, metric: str) -> bool:
    return label.metric == metric and label.turn is None and label.kind in GIVEN


def _opinion(label: Label) -> Opinion:
    return Opinion(
        labeler=label.labeler,
        value=label.value,
        comment=label.comment,
        applies=label.kind != "not_applicable",
        decided=label.kind == "adjudication",
        blind=label.blind,
    )


def _cause(session: Session, key: int, metric: str) -> Named | None:
    for entry in deciding.causes(session.project.conn, evaluation=key):
        cause = cause_of(entry.mark.value)
        if entry.mark.metric == metric and cause is not None:
            return Named(cause, entry.mark.note or "", entry.mark.labeler)
    return None


def _response(view: reading.EvaluationView) -> tuple[str, int | None]:
    """Give the answer under evaluation and the turn that it is; None for a bare response."""
    answers = [
        (turn.text, place)
        for place, turn in enumerate(view.evaluation.messages)
        if turn.role == "assistant" and turn.text
    ]
    if view.evaluation.response and not answers:
        return view.evaluation.response, None
    return answers[-1] if answers else ("", None)
