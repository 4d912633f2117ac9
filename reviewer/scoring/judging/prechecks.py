"""What keeps a conversation from being judged at all, as its rubric says, and visibly."""

from collections.abc import Callable
from typing import Final

from reviewer.domain.evaluation import Evaluation, Turn
from reviewer.domain.rubric import Exclusion, Rubric

_HUMAN: Final = frozenset({"human", "human_agent", "operator", "live_agent"})
"""Names of a turn that say that a human has taken over."""


def excluded(rubric: Rubric, evaluation: Evaluation) -> str | None:
    """Say why an evaluation is not to be judged, None where it is."""
    if not evaluation.messages:
        return None
    for exclusion in rubric.exclusions:
        rule = _RULES.get(exclusion.name)
        why = rule(evaluation.messages, exclusion) if rule else None
        if why is not None:
            return why
    return None


def _too_few_words(turns: tuple[Turn, ...], exclusion: Exclusion) -> str | None:
    words = sum(len(turn.text.split()) for turn in _before_human(turns) if _speaks(turn))
    if words >= (exclusion.limit or 0):
        return None
    return f"{exclusion.text}: {words} of {exclusion.limit:g} words."


def _immediate_handover(turns: tuple[Turn, ...], exclusion: Exclusion) -> str | None:
    before = _before_human(turns)
    asked = next((at for at, turn in enumerate(before) if turn.role == "user"), len(before))
    # a greeting before the first question answers nothing
    answered = any(turn.role == "assistant" for turn in before[asked:])
    return None if len(before) == len(turns) or answered else f"{exclusion.text}."


def _no_user_turn(turns: tuple[Turn, ...], exclusion: Exclusion) -> str | None:
    said = sum(turn.role == "user" and bool(turn.text.strip()) for turn in turns)
    return None if said >= (exclusion.limit or 1) else f"{exclusion.text}."


_RULES: Final[dict[str, Callable[[tuple[Turn, ...], Exclusion], str | None]]] = {
    "too_few_words": _too_few_words,
    "immediate_handover": _immediate_handover,
    "no_user_turn": _no_user_turn,
}


def _speaks(turn: Turn) -> bool:
    return turn.role in ("user", "assistant")


def _before_human(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    for at, turn in enumerate(turns):
        name = (turn.name or "").casefold().replace(" ", "_").replace("-", "_")
        if turn.role == "assistant" and name in _HUMAN:
            return turns[:at]
    return turns
