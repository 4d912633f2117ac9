"""What a kind of bot declares of itself: its settings, how they are held, and how it is made."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from reviewer.domain.judging import Bot, Endpoint, Price
from reviewer.scoring.bots.answering import Answering
from reviewer.scoring.calling import Caller

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
