"""User feedback: the end users' own reactions as a metric."""

from typing import Final

from pydantic import JsonValue

from reviewer.domain.evaluation import value_problem
from reviewer.scoring.scorer import (
    Case,
    Deterministic,
    Failure,
    Option,
    Outcome,
    Rule,
    ScoreOutcome,
    Settings,
    number_from,
    one_of,
)
from reviewer.scoring.texts import counted, quoted

_NONE: Final = Failure("missing", "The record has no user feedback.")
_LOWEST: Final = -1e9


def _build(settings: Settings) -> Rule:
    worth = {"up": settings.number("up"), "down": settings.number("down")}
    newest = settings.text("combine") == "latest"

    def rule(case: Case) -> Outcome:
        reactions = _reactions(case.feedback, worth)
        if isinstance(reactions, Failure):
            return reactions
        if not reactions:
            return _NONE
        comments = tuple(comment for _, comment in reactions if comment)
        values = [value for value, _ in reactions]
        value = values[-1] if newest else sum(values) / len(values)
        return ScoreOutcome(value, _sentence(values, comments, worth), (), comments)

    return rule


def _reactions(feedback: JsonValue, worth: dict[str, float]) -> list[tuple[float, str]] | Failure:
    """Give value and comment of each user's newest reaction, in order of time."""
    if feedback is None:
        return []
    if not isinstance(feedback, list):
        return _unclear(feedback)
    found: list[tuple[str, str, float, str]] = []
    for number, item in enumerate(feedback):
        entry = item if isinstance(item, dict) else {"value": item}
        value = entry.get("value")
        if value is None:
            continue
        amount = _amount(value, worth)
        if amount is None:
            return _unclear(item)
        user = entry.get("user")
        name = user if isinstance(user, str) else f"\0{number}"
        found.append((str(entry.get("at") or ""), name, amount, str(entry.get("comment") or "")))
    found.sort(key=lambda reaction: reaction[0])
    last: dict[str, tuple[float, str]] = {}
    for _, name, amount, comment in found:
        last.pop(name, None)
        last[name] = (amount, comment)
    return list(last.values())


def _amount(value: JsonValue, worth: dict[str, float]) -> float | None:
    if isinstance(value, str):
        return worth.get(value)
    if isinstance(value, bool) or value_problem(value) is not None:
        return None
    return float(str(value))


def _unclear(item: JsonValue) -> Failure:
    return Failure(
        "input",
        f'feedback holds {item!r}; a list of reactions "up", "down" or a number is expected.',
    )


def _sentence(values: list[float], comments: tuple[str, ...], worth: dict[str, float]) -> str:
    up = sum(1 for value in values if value == worth["up"])
    down = sum(1 for value in values if value == worth["down"])
    said = " ".join(f"{quoted(comment)}." for comment in comments)
    return f"{counted(len(values), 'reaction')}: {up} up, {down} down. {said}".rstrip()


USER_FEEDBACK: Final = Deterministic(
    name="user_feedback",
    metrics=("user_feedback",),
    title="User feedback",
    help=(
        "What the end users themselves said of the answer: thumbs become 1 and 0, numbers stay. "
        "Of each user the newest reaction counts."
    ),
    build=_build,
    reads=("feedback",),
    gives="numbers",
    options=(
        Option("up", 1, "The value of a thumb up.", number_from(_LOWEST)),
        Option("down", 0, "The value of a thumb down.", number_from(_LOWEST)),
        Option(
            "combine",
            "mean",
            "Several users: the mean of all, or the latest reaction alone.",
            one_of("mean", "latest"),
        ),
    ),
)
