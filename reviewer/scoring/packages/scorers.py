"""Functions of packages as scorers, judges and bots, and how a call of one failed."""

import asyncio
import inspect
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Bot
from reviewer.scoring.bots.kind import Answering, BotAnswer, BotCase, Kind, Means, Setting
from reviewer.scoring.bots.replies import answer_of
from reviewer.scoring.calling import (
    ONCE,
    Asked,
    CallError,
    Exchange,
    Found,
    Question,
    Received,
    ReplyError,
)
from reviewer.scoring.scorer import (
    NO_PARAMETERS,
    Case,
    Failure,
    Outcome,
    Parameters,
    Rule,
    ScoreOutcome,
)

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionScorer:
    """A scorer that is a function `score(case, **parameters)`.

    It gives back a value, or `{"score", "reasoning"}`, or (value, reasoning); None for no score.

    Attributes:
        version: The package's, so that another version makes a score set of its own.
        metrics: The metrics it scores where a rubric names no scorer: its attribute `metrics`,
            else the one that is called as it is.
        takes: The names of the parameters that it takes, None where it takes every one.
        who: As sentences name it, with its package.
    """

    name: str
    version: str
    function: Function
    metrics: tuple[str, ...]
    takes: tuple[str, ...] | None = None
    who: str = ""

    def prepare(self, parameters: Parameters = NO_PARAMETERS) -> Rule:
        """Bind the parameters that the function knows, for many cases."""
        takes = parameters if self.takes is None else self.takes
        known = {name: value for name, value in parameters.items() if name in takes}
        who = self.who or self.name

        def rule(case: Case) -> Outcome:
            try:
                said = self.function(record_of(case), **known)
            # whatever a stranger's function does
            except Exception as error:  # noqa: BLE001
                return Failure("input", f"{who} {why(error)}")
            value, reasoning = said, ""
            if isinstance(said, Mapping):
                value = said.get("score", said.get("value"))
                reasoning = str(said.get("reasoning", said.get("reason", "")) or "")
            elif isinstance(said, tuple) and len(said) == 2:
                value, reasoning = said[0], str(said[1] or "")
            if value is None:
                return Failure("undefined", reasoning or f"{who} gave no score")
            if not isinstance(value, bool | int | float | str):
                return Failure("input", f"{who} gave {type(value).__name__}, a score is expected")
            return ScoreOutcome(value, reasoning)

        return rule

    def problem(self, parameters: Parameters) -> str | None:
        """Accept every parameter: a metric's may be those of another scorer."""
        del parameters
        return None

    def score(self, case: Case, parameters: Parameters = NO_PARAMETERS) -> Outcome:
        """Score a single case."""
        return self.prepare(parameters)(case)


def record_of(case: Case) -> dict[str, Any]:
    """Give a case in the keys of the native format, absent ones too."""
    return {
        "id": case.id,
        "run": case.run,
        "case": case.case,
        "category": case.category,
        "complexity": case.complexity,
        "tags": list(case.tags),
        "input": case.question,
        "response": case.response,
        "context": case.context,
        "expected": case.expected,
        "expected_keywords": list(case.keywords),
        "expected_tools": list(case.tools_expected),
        "tools_used": list(case.tools_used),
        "sources": [{"id": x.id, "title": x.title, "text": x.text} for x in case.sources],
        "error": case.error,
        "latency_ms": case.latency_ms,
        "cost_usd": case.cost_usd,
        "model": case.model,
    }


class CallEndedError(ReviewerError):
    """Report that a function gave nothing back; the sentence follows its name."""


def why(error: Exception) -> str:
    """Say why a function gave nothing, such as "failed: ValueError: no pool here"."""
    if isinstance(error, CallEndedError):
        return str(error)
    return f"failed: {type(error).__name__}: {' '.join(str(error).split()) or 'no reason given'}"


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

    async def ask(
        self, question: Question, read: Callable[[str], Found], exchange: Exchange = ONCE
    ) -> Asked[Found]:
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
            if exchange.came and not raw:
                raw.append(exchange.came.text)
            else:
                raw.append(await self._reply(question, prompt))
                exchange.keep(Received(text=raw[-1]))
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionBot:
    """Calls `bot(case)` with `input`, `messages`, `category`, `context` and `expected`.

    It gives back the response, or `{"response": …}` with any key of the native format, such as
    `tools_used`, `sources`, `error` or `latency_ms`, and whatever else stands beside the response.

    Attributes:
        name: As sentences name it, with its package.
    """

    name: str
    function: Callable[..., Any]

    async def answer(self, case: BotCase) -> BotAnswer:
        """Answer a case."""
        start = time.perf_counter()
        try:
            said = await asyncio.to_thread(self.function, case.to_json())
            if inspect.isawaitable(said):
                said = await said
        # whatever a stranger's function does
        except Exception as error:  # noqa: BLE001
            return BotAnswer(response=None, error=f"The bot {self.name} {why(error)}")
        took = (time.perf_counter() - start) * 1000
        reply = {"response": said} if isinstance(said, str) else said
        return answer_of(reply, took, who=f"The bot {self.name}")


async def _make(bot: Bot, means: Means) -> Answering:
    name, function = means.packaged(bot.text("entry"))
    return FunctionBot(name=name, function=function)


PACKAGE: Final = Kind(
    name="package",
    title="Package",
    help="what an installed package brings",
    settings=(Setting(name="entry", form=None, needed=True),),
    is_kept=False,
    make=_make,
)
