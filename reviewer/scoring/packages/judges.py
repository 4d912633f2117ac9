"""A function of a package as a judge: instructions and prompt in, a reply to be read out."""

import asyncio
import inspect
import json
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from reviewer.scoring.calling import Asked, CallError, Found, Question, ReplyError
from reviewer.scoring.packages.calls import why

TRIES = 2
"""A reply that cannot be read is asked for once more, with the reason in the prompt."""


class FunctionClient:
    """Asks `judge(prompt, system=…, model=…)`, as the client of an endpoint asks a model."""

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        close: Callable[[], object] = lambda: None,
    ) -> None:
        """Take the function, its name in sentences, and what ends calls that are under way."""
        self._name = name
        self._function = function
        self._close = close

    async def __aenter__(self) -> Self:
        """Open nothing."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End calls that are under way."""
        self._close()

    async def ask(self, question: Question, read: Callable[[str], Found]) -> Asked[Found]:
        """Ask the function and read its reply.

        Raises:
            CallError: It raised, gave no reply, or took too long.
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
            raise CallError("refused", f"The judge {self._name} {why(error)}") from error
        return self._text(said)

    def _text(self, said: object) -> str:
        if isinstance(said, str):
            return said
        if isinstance(said, Mapping | int | float):
            plain: Any = dict(said) if isinstance(said, Mapping) else {"score": said}
            return json.dumps(plain, default=str)
        given = "nothing" if said is None else type(said).__name__
        raise CallError(
            "refused", f"The judge {self._name} gave {given}; a reply or a score is expected."
        )
