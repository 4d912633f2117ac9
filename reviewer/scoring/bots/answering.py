"""What a bot is asked, what it answers, and the protocol of bots."""

from dataclasses import dataclass, field
from typing import Protocol

from reviewer.domain.values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class BotCase:
    """A test case as a bot sees it, without what is expected of it.

    Attributes:
        history: Turns before the question as (role, text).
    """

    id: str
    question: str
    history: tuple[tuple[str, str], ...] = ()
    context: JsonValue = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BotAnswer:
    """A bot's answer, or why there is none.

    Attributes:
        stops: Whether every further case would end so, too.
        again: Whether the same case may be answered later, as this error passes by itself.
        down: Whether nobody answers at all; a job that meets this again and again stops.
        retry_after: Seconds that the bot asks to wait.
        beside: What stands with the response, such as the matched row.
    """

    response: str | None
    error: str | None = None
    stops: bool = False
    again: bool = False
    down: bool = False
    retry_after: float | None = None
    latency_ms: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None
    model: str | None = None
    beside: dict[str, JsonValue] = field(default_factory=dict)


class Answering(Protocol):
    """Answers one case after the other, or several at once."""

    async def answer(self, case: BotCase) -> BotAnswer:
        """Answer a case; never raises for what the case holds or the bot does."""
        ...
