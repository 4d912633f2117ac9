"""A function of a package as a bot: a case in, an answer out."""

import asyncio
import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reviewer.scoring.bots.answering import BotAnswer, BotCase
from reviewer.scoring.bots.command import answer_of
from reviewer.scoring.packages.calls import why


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionBot:
    """Calls `bot(case)` with `id`, `question`, `messages` and `context`.

    It gives back the response, or `{"response": …}` with `latency_ms`, `tokens_in`, `tokens_out`,
    `cost_usd`, `model` and whatever stands beside the response.

    Attributes:
        name: As sentences name it, with its package.
    """

    name: str
    function: Callable[..., Any]

    async def answer(self, case: BotCase) -> BotAnswer:
        """Answer a case."""
        asked = {
            "id": case.id,
            "question": case.question,
            "messages": [{"role": role, "content": text} for role, text in case.history],
            "context": case.context,
        }
        start = time.perf_counter()
        try:
            said = await asyncio.to_thread(self.function, asked)
            if inspect.isawaitable(said):
                said = await said
        # whatever a stranger's function does
        except Exception as error:  # noqa: BLE001
            return BotAnswer(response=None, error=f"The bot {self.name} {why(error)}")
        took = (time.perf_counter() - start) * 1000
        reply = {"response": said} if isinstance(said, str) else said
        return answer_of(reply, took, who=f"The bot {self.name}")
