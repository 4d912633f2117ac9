"""Bots by name: what their settings may be, and how they are made ready to answer."""

import csv
import io
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Bot, Endpoint
from reviewer.domain.values import JsonValue
from reviewer.scoring.bots.answering import Answering
from reviewer.scoring.bots.command import CommandBot
from reviewer.scoring.bots.filling import check_places
from reviewer.scoring.bots.models import TEMPLATE, ModelBot
from reviewer.scoring.bots.question_list import QuestionListBot
from reviewer.services import deferred, secrets
from reviewer.services.evaluating import prices
from reviewer.services.session import Session
from reviewer.store import judging

_NEEDS: Final = {
    "strict_match": ("rows",),
    "full_context": ("endpoint", "model", "knowledge"),
    "chat": ("endpoint", "model"),
    "http": ("url", "body", "path"),
    "command": ("words",),
}
BODY_PLACES: Final = ("id", "question", "history", "context")


def find(session: Session, name: str) -> Bot:
    """Give a bot by name.

    Raises:
        ReviewerError: There is none.
    """
    bot = judging.find(session.project.conn, Bot, name)
    if bot is None:
        there = ", ".join(x.name for x in judging.every(session.project.conn, Bot)) or "none"
        raise ReviewerError(
            f"The project has no bot {name!r}; it has: {there}. "
            "Add one with `reviewer judges PROJECT add`."
        )
    return bot


def keep(session: Session, bot: Bot) -> None:
    """Keep a bot whose settings are whole.

    Raises:
        ReviewerError: A setting is missing or wrong.
    """
    check(bot)
    judging.keep(session.project, bot)


def check(bot: Bot) -> None:
    """Hold a bot's settings to its kind.

    Raises:
        ReviewerError: A setting is missing or wrong; the sentence names it.
    """
    for name in _NEEDS[bot.kind]:
        if not bot.settings.get(name):
            raise ReviewerError(f"The bot {bot.name} needs the setting {name!r}.")
    if bot.kind == "full_context":
        check_places(_text(bot, "template", TEMPLATE), ("knowledge", "question"), ("question",))
    if bot.kind == "chat" and _text(bot, "template"):
        check_places(_text(bot, "template"), ("question",), ("question",))


def faq_rows(file: Path, question: str = "question", answer: str = "answer") -> list[JsonValue]:
    """Read the rows of an FAQ table.

    Args:
        file: CSV with a line of headings.
        question: heading of the questions.
        answer: heading of the answers.

    Raises:
        ReviewerError: The file cannot be read or has no such columns.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise ReviewerError(
            f"{file.name} cannot be read; a CSV file in UTF-8 is expected."
        ) from None
    reader = csv.DictReader(io.StringIO(text, newline=""))
    there = reader.fieldnames or []
    for name in (question, answer):
        if name not in there:
            raise ReviewerError(
                f"{file.name} has no column {name!r}; it has: {', '.join(there) or 'none'}."
            )
    found: list[JsonValue] = [[row[question] or "", row[answer] or ""] for row in reader]
    if not found:
        raise ReviewerError(f"{file.name} has no row below its headings.")
    return found


def document(file: Path) -> str:
    """Read a text or Markdown document.

    Raises:
        ReviewerError: The file cannot be read as text, or is empty.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise ReviewerError(f"{file.name} cannot be read; a text in UTF-8 is expected.") from None
    if not text.strip():
        raise ReviewerError(f"{file.name} is empty.")
    return text


async def ready(session: Session, bot: Bot, stack: AsyncExitStack) -> Answering:
    """Make a bot ready to answer; what it opens closes with the stack.

    Raises:
        ReviewerError: A setting is wrong, an endpoint is missing, or a key is.
    """
    check(bot)
    match bot.kind:
        case "strict_match":
            return QuestionListBot(list(_pairs(bot)), _number(bot, "min_similarity", 0.0))
        case "command":
            words = bot.settings["words"]
            if not isinstance(words, list):
                raise ReviewerError(f"The bot {bot.name}: words must be a list.")
            return CommandBot(
                words=tuple(str(x) for x in words), timeout_s=_number(bot, "timeout_s", 60.0)
            )
        case "http":
            return await _web(bot, stack)
        case _:
            return await _model(session, bot, stack)


async def _web(bot: Bot, stack: AsyncExitStack) -> Answering:
    headers = bot.settings.get("headers")
    place = Endpoint(
        name=bot.name, base_url=_text(bot, "url"), variable=_text(bot, "variable") or None
    )
    made: Answering = await stack.enter_async_context(
        deferred.load(deferred.WEB_BOT)(
            url=_text(bot, "url"),
            body=bot.settings["body"],
            path=_text(bot, "path"),
            headers=headers if isinstance(headers, dict) else {},
            method=_text(bot, "method", "POST"),
            timeout_s=_number(bot, "timeout_s", 60.0),
            key=secrets.key_of(place),
        )
    )
    return made


async def _model(session: Session, bot: Bot, stack: AsyncExitStack) -> Answering:
    endpoint = judging.find(session.project.conn, Endpoint, _text(bot, "endpoint"))
    if endpoint is None:
        raise ReviewerError(
            f"The bot {bot.name} asks the endpoint {_text(bot, 'endpoint')!r}, which is not there."
        )
    client: Any = await stack.enter_async_context(
        deferred.load(deferred.CLIENT)(endpoint, secrets.key_of(endpoint))
    )
    whole = bot.kind == "full_context"
    limit, seed = bot.settings.get("max_tokens"), bot.settings.get("seed")
    return ModelBot(
        client=client,
        model=_text(bot, "model"),
        system=_text(bot, "system"),
        template=_text(bot, "template", TEMPLATE if whole else "") or None,
        knowledge=_text(bot, "knowledge"),
        temperature=_number(bot, "temperature", 0.0),
        max_tokens=limit if isinstance(limit, int) else None,
        seed=seed if isinstance(seed, int) else None,
        price=prices.price_of(session.project, _text(bot, "model")),
    )


def _text(bot: Bot, name: str, default: str = "") -> str:
    value = bot.settings.get(name, default)
    return value if isinstance(value, str) else default


def _number(bot: Bot, name: str, default: float) -> float:
    value = bot.settings.get(name, default)
    return float(value) if isinstance(value, int | float) else default


def _pairs(bot: Bot) -> Iterator[tuple[str, str]]:
    rows = bot.settings["rows"]
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, list) and len(row) == 2:
            yield str(row[0]), str(row[1])
