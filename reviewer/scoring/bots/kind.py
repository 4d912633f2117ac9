"""What a kind of bot declares of itself, what a bot is asked, and what it answers."""

import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol, TypeVar

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import JsonValue
from reviewer.domain.judging import Bot, Endpoint, Price
from reviewer.scoring.calling import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class BotCase:
    """A test case as a bot is given it.

    Attributes:
        history: Turns before the question as (role, text).
        expected: What is expected of the answer, for a bot that plays or checks a role.
        call: By which a provider knows a call that is sent again; empty where none is.
    """

    id: str
    question: str
    history: tuple[tuple[str, str], ...] = ()
    context: JsonValue = None
    category: str | None = None
    expected: str | None = None
    call: str = ""

    def to_json(self) -> dict[str, JsonValue]:
        """Give the case as local commands and packages are handed it."""
        return {
            "id": self.id,
            "input": self.question,
            "question": self.question,
            "messages": [{"role": role, "content": text} for role, text in self.history],
            "category": self.category,
            "context": self.context,
            "expected": self.expected,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class BotAnswer:
    """A bot's answer, or why there is none.

    Attributes:
        stops: Whether every further case would end so, too.
        again: Whether the same case may be answered later, as this error passes by itself.
        ended: Whether the provider is done with the call, so that the next one is another.
        down: Whether nobody answers at all; a job that meets this again and again stops.
        lost: Whether the worker that asked was lost, so that it may be paid for.
        retry_after: Seconds that the bot asks to wait.
        beside: What stands with the response: tools, sources, turns and whatever else was told,
            such as the matched row.
    """

    response: str | None
    error: str | None = None
    stops: bool = False
    again: bool = False
    ended: bool = False
    down: bool = False
    lost: bool = False
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


_PLACE = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")
_BRACED = re.compile(r"(?<![{\w])\{\s*(\w+)\s*\}(?!\})")


MOST_PLACES: Final = 100


def fill(template: str, values: Mapping[str, str]) -> str:
    """Put values in their places, all at once, so that no value is filled in itself."""
    return _PLACE.sub(lambda match: values.get(match.group(1), match.group()), template)


def fill_json(template: JsonValue, values: Mapping[str, JsonValue]) -> JsonValue:
    """Put values into a JSON body; a text that is nothing but a place becomes the value itself."""
    if isinstance(template, dict):
        return {key: fill_json(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [fill_json(value, values) for value in template]
    if not isinstance(template, str):
        return template
    alone = _PLACE.fullmatch(template.strip())
    if alone and alone.group(1) in values:
        return values[alone.group(1)]
    return fill(template, {key: str(value) for key, value in values.items()})


def check_places(template: str, known: tuple[str, ...], needed: tuple[str, ...]) -> None:
    """Hold a template to the places that there are.

    Raises:
        ReviewerError: It names another one, writes one with single braces, lacks a needed one,
            or names so many that what is sent could grow beyond all bounds.
    """
    for braced in _BRACED.finditer(template):
        if braced[1] in known:
            raise ReviewerError(
                f"The template writes {braced[0]}, which would be sent as it stands; write "
                f"{{{{ {braced[1]} }}}}."
            )
    named = [match.group(1) for match in _PLACE.finditer(template)]
    if len(named) > MOST_PLACES:
        raise ReviewerError(
            f"The template names {len(named):,} places; at most {MOST_PLACES} are filled in."
        )
    for name in named:
        if name not in known:
            there = ", ".join(f"{{{{ {x} }}}}" for x in known)
            raise ReviewerError(f"The template names {{{{ {name} }}}}; there are: {there}.")
    for name in needed:
        if name not in named:
            raise ReviewerError(f"The template needs {{{{ {name} }}}}.")


def at_path(value: JsonValue, path: str) -> JsonValue:
    """Follow a path such as `choices.0.message.content` into a JSON value.

    Raises:
        KeyError: The path leads nowhere; the argument is the part that is missing.
    """
    for part in filter(None, path.replace("[", ".").replace("]", "").split(".")):
        if part == "$":
            continue
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            raise KeyError(part)
    return value


Opened = TypeVar("Opened")


class Means(Protocol):
    """What only a project and a computer have: endpoints, keys, prices, commands, packages."""

    async def model(self, endpoint: str) -> Caller:
        """Give what asks the models of an endpoint; it closes with the job."""
        ...

    async def opened(self, made: AbstractAsyncContextManager[Opened]) -> Opened:
        """Open what closes with the job."""
        ...

    def key(self, place: Endpoint) -> str | None:
        """Give a key; raises where a needed one is missing."""
        ...

    def variable(self, name: str) -> str:
        """Give what an environment variable holds, empty where there is none."""
        ...

    def price(self, model: str) -> Price | None:
        """Give what a model costs."""
        ...

    def check_command(self, words: tuple[str, ...]) -> None:
        """Raise unless somebody confirmed the command on this computer."""
        ...

    def packaged(self, entry: str) -> tuple[str, Callable[..., Any]]:
        """Give the title and the function that an installed package brings."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting of a kind.

    Attributes:
        title, hint: Beside and in its field.
        form: How it is typed; None for what has a field of its own.
        needed: Whether a bot without it cannot answer.
    """

    name: str
    title: str = ""
    hint: str = ""
    form: Literal["text", "number", "whole", "lines"] | None = "text"
    needed: bool = False


def _as_it_is(bot: Bot) -> None:
    del bot


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of bot; the registry has them all.

    Attributes:
        title, help: In the list of kinds.
        settings: In the order of the form.
        make: Makes a bot whose settings were checked ready to answer.
        check: Holds the settings to each other; raises with a sentence.
        free: Whether an answer costs nothing.
        command: The command that a bot runs, which somebody has to confirm.
        place: Where the key of a bot goes, which somebody has to confirm.
        is_kept: Whether a project keeps such bots.
    """

    name: str
    title: str
    help: str
    settings: tuple[Setting, ...]
    make: Callable[[Bot, Means], Awaitable[Answering]]
    check: Callable[[Bot], None] = _as_it_is
    free: bool = False
    command: Callable[[Bot], tuple[str, ...]] | None = None
    place: Callable[[Bot], Endpoint] | None = None
    is_kept: bool = True
