"""A function of a package as a judge: instructions and prompt in, a reply to be read out."""

import asyncio
import inspect
import json
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from reviewer.scoring.calling import Asked, CallError, Found, Question, ReplyError

TRIES = 2
"""A reply that cannot be read is asked for once more, with the reason in the prompt."""


class FunctionClient:
    """Asks `judge(prompt, system=…, model=…)`, as the client of an endpoint asks a model."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        """Take the function."""
        self._name = name
        self._function = function

    async def __aenter__(self) -> Self:
        """Open nothing."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close nothing."""

    async def ask(self, question: Question, read: Callable[[str], Found]) -> Asked[Found]:
        """Ask the function and read its reply.

        Raises:
            CallError: It raised.
        """
        start = time.perf_counter()
        raw: list[str] = []
        problem: str | None = None
        value: Found | None = None
        for _ in range(TRIES):
            prompt = question.prompt if problem is None else f"{question.prompt}\n\n{problem}"
            raw.append(await self._reply(question, prompt))
            try:
                value, problem = read(raw[-1]), None
            except ReplyError as error:
                problem = str(error)
            else:
                break
        return Asked(
            value=value,
            problem=problem,
            raw=raw[-1],
            earlier=tuple(raw[:-1]),
            requests=len(raw),
            latency_ms=1000 * (time.perf_counter() - start),
        )

    async def _reply(self, question: Question, prompt: str) -> str:
        try:
            said = await asyncio.to_thread(
                self._function, prompt, system=question.system, model=question.model
            )
            if inspect.isawaitable(said):
                said = await said
        # whatever a stranger's function does
        except Exception as error:
            why = " ".join(str(error).split()) or "no reason given"
            raise CallError(
                "refused", f"The judge {self._name} failed: {type(error).__name__}: {why}"
            ) from error
        return _text(said)


def _text(said: object) -> str:
    if isinstance(said, str):
        return said
    if isinstance(said, Mapping | int | float):
        plain: Any = dict(said) if isinstance(said, Mapping) else {"score": said}
        return json.dumps(plain, default=str)
    return "" if said is None else str(said)
