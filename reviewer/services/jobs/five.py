"""A wish tried on five evaluations, without storing anything."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from reviewer.domain.case_set import question_of
from reviewer.domain.errors import CancelledError, ReviewerError
from reviewer.domain.progress import Progress
from reviewer.domain.values import Value
from reviewer.scoring.scorer import Failure, case_of
from reviewer.services.aligning import splitting
from reviewer.services.bots import bots
from reviewer.services.calls import selecting
from reviewer.services.jobs import launching, scorers, trying
from reviewer.services.jobs.launching import Wish
from reviewer.services.jobs.trying import Answered
from reviewer.services.project.session import Session
from reviewer.services.testing import results
from reviewer.store import labels, reading

FIVE = 5
Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class Try:
    """What came of one evaluation and metric; `metric` is empty for a bot's answer.

    Attributes:
        said: The reasoning, a bot's answer, or why there is none.
        worked: Whether there is a value or an answer.
        people: What people gave it, as they wrote it.
        cost_usd: None where nothing was paid, or the price is not known.
    """

    key: int
    id: str
    metric: str
    value: Value | None
    said: str
    worked: bool = True
    people: tuple[Value, ...] = ()
    cost_usd: float | None = None


def try_five(
    session: Session, wish: Wish, progress: Progress, *, blind: bool = False
) -> tuple[Try, ...]:
    """Try a wish on five evaluations that lie evenly in its selection.

    None of them is held out; with `blind` none is still to be answered by the labeler without
    knowing what judges and other people say.

    Args:
        session: the project; call it beside the window, as models are asked one after the other.
        wish: what is to be tried.
        progress: may cancel between two calls.
        blind: whether the labeler answers before they see.

    Raises:
        ReviewerError: Nothing is selected, or the wish makes no sense.
        CancelledError: Somebody cancelled.
    """
    plan = launching.plan(session, replace(wish, repeats=1))
    if wish.tests:
        return _of_tests(session, wish, progress)
    selected = selecting.selected(session, plan.selection)
    if not selected:
        raise ReviewerError("Nothing is selected, so there is nothing to try.")
    free = splitting.not_held_out(session, selected)
    hidden = results.held(session, free) if blind else set()
    keys = _spread([key for key in free if key not in hidden])
    if not keys and len(free):
        raise ReviewerError("Everything selected is hidden from you until you have answered it.")
    if not keys:
        raise ReviewerError(
            "Everything selected is held out: try on the development half, or on what is not "
            "labelled."
        )
    asked = [(key, metric) for key in keys for metric in plan.metrics or ("",)]
    if wish.kind == "bot":
        asked = [(key, "") for key in keys]
    texts = {x.metric: x.text for x in plan.prompts}
    return tuple(
        _one(session, wish, key, metric, texts) for key, metric in _followed(asked, progress)
    )


def _followed(things: Sequence[Thing], progress: Progress) -> Iterator[Thing]:
    """Go through things to be tried, one after the other, as long as somebody waits."""
    for place, thing in enumerate(things):
        if progress.cancelled:
            raise CancelledError("The try was stopped.")
        progress.advance(place, len(things))
        yield thing


def _of_tests(session: Session, wish: Wish, progress: Progress) -> tuple[Try, ...]:
    """Let a bot answer five cases of a test set, which no evaluation belongs to."""
    tests = launching.tests_of(session, wish).cases
    bot = bots.find(session, wish.bot)
    return tuple(
        _answered(
            Try(0, str(tests[place]["id"]), "", None, ""),
            trying.bot(session, bot, question_of(tests[place])),
        )
        for place in _followed(_spread(range(len(tests))), progress)
    )


def _answered(base: Try, answered: Answered) -> Try:
    return replace(
        base, said=answered.response or answered.error or "",
        worked=answered.response is not None, cost_usd=answered.cost_usd,
    )  # fmt: skip


def _one(session: Session, wish: Wish, key: int, metric: str, texts: Mapping[str, str]) -> Try:
    evaluation = reading.evaluation(session.project.conn, key)
    if evaluation is None:
        raise ReviewerError("An evaluation is not there any more.")
    base = Try(key, evaluation.id, metric, None, "", people=_people(session, key, metric))
    try:
        match wish.kind:
            case "judge":
                tried = trying.prompt(
                    session, wish.judge, key, metric, texts[metric], wish.examples.get(metric, ())
                )
                said = tried.problem or tried.reasoning
                return replace(
                    base, value=tried.value, said=said, worked=tried.problem is None,
                    cost_usd=tried.cost_usd,
                )  # fmt: skip
            case "bot":
                question = evaluation.input or ""
                bot = bots.find(session, wish.bot)
                return _answered(base, trying.bot(session, bot, question))
            case "scorer":
                return _scored(session, wish, base)
    except ReviewerError as error:
        return replace(base, said=str(error), worked=False)


def _scored(session: Session, wish: Wish, base: Try) -> Try:
    plan = launching.plan(session, replace(wish, metrics=(base.metric,)))
    metric = session.rubric_of(base.key).by_name[base.metric]
    evaluation = reading.evaluation(session.project.conn, base.key)
    given = plan.parameters.get(base.metric, metric.parameters)
    if evaluation is None:
        return replace(base, said="It is not there any more.", worked=False)
    scorer = scorers.find(plan.scorers[base.metric])
    if scorer is None:
        return replace(base, said="The scorer is not there any more.", worked=False)
    outcome = scorer.score(case_of(evaluation), given)
    if isinstance(outcome, Failure):
        return replace(base, said=outcome.text, worked=False)
    return replace(base, value=outcome.value, said=outcome.reasoning or "")


def _people(session: Session, key: int, metric: str) -> tuple[Value, ...]:
    entries = labels.current(session.project.conn, key)
    return tuple(
        x.label.value for x in entries if x.label.metric == metric and x.label.value is not None
    )


def _spread(keys: Sequence[int]) -> list[int]:
    if len(keys) <= FIVE:
        return list(keys)
    return [keys[(2 * place + 1) * len(keys) // (2 * FIVE)] for place in range(FIVE)]
