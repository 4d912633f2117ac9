"""Bots by name: what their settings may be, from words or a file, and how they are made ready."""

import csv
import io
import json
import re
import shlex
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final, get_args

from reviewer.domain.change import JudgingChanged
from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Bot, BotKind, Endpoint
from reviewer.domain.values import JsonValue
from reviewer.formats.delimited import LARGEST_CELL
from reviewer.scoring.bots.answering import Answering, check_places
from reviewer.scoring.bots.command import CommandBot
from reviewer.scoring.bots.models import TEMPLATE, ModelBot
from reviewer.scoring.bots.question_list import QuestionListBot
from reviewer.scoring.packages.scorers import FunctionBot
from reviewer.services.calls import prices
from reviewer.services.calls.packaged import Packaged
from reviewer.services.calls.secret_names import check_address, is_secret, looks_secret
from reviewer.services.computer import plugins, secrets, trust
from reviewer.services.project.session import Session
from reviewer.store import judging

_NEEDS: Final = {
    "strict_match": ("rows",),
    "full_context": ("endpoint", "model", "knowledge"),
    "chat": ("endpoint", "model"),
    "http": ("url", "body", "path"),
    "command": ("words",),
    "package": ("entry",),
}
SHIPPED_TEMPLATE: Final = TEMPLATE
"""What a full-context bot asks unless told otherwise."""
BODY_PLACES: Final = ("id", "question", "history", "context")
CHARACTERS_A_TOKEN: Final = 4
LARGEST_DOCUMENT: Final = 8_000_000
"""Bytes of a document or an FAQ table, beyond what any model takes."""
_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def find(session: Session, name: str) -> Bot:
    """Give a bot by name.

    Raises:
        ReviewerError: There is none.
    """
    bot = judging.find(session.project.conn, Bot, name)
    if bot is None and name in plugins.names("bot"):
        # a package's bot is what the package says, so nothing of it is kept
        return Bot(name=name, kind="package", settings={"entry": name})
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
        ReviewerError: A setting is missing or wrong, or this computer cannot remember that its
            command may run, or its key go to its address.
    """
    # first, so that nothing is kept that could not be used
    confirm(bot)
    judging.keep(session.project, bot)
    session.publish(JudgingChanged(f"the bot {bot.name} was kept"))


def confirm(bot: Bot) -> None:
    """Let a bot that somebody has before their eyes run its command, or use its key, from now.

    Raises:
        ReviewerError: A setting is missing or wrong, or this computer cannot remember it.
    """
    check(bot)
    if bot.kind == "command":
        trust.confirm_command(_words(bot))
    elif bot.kind == "http":
        trust.confirm_address(key_place(bot))


def check(bot: Bot) -> None:
    """Hold a bot's settings to its kind.

    Raises:
        ReviewerError: A setting is missing or wrong; the sentence names it.
    """
    for name in _NEEDS[bot.kind]:
        if not bot.settings.get(name):
            raise ReviewerError(f"The bot {bot.name} needs the setting {name!r}.")
    named = next((name for name in bot.settings if is_secret(name)), None)
    if named is not None:
        raise ReviewerError(
            f"The setting {named!r} would stand in the project with its secret; store the key."
        )
    if bot.kind == "full_context":
        check_places(_text(bot, "template", TEMPLATE), ("knowledge", "question"), ("question",))
        _check_size(bot)
    if bot.kind == "http":
        _check_web(bot)
    if bot.kind == "chat" and _text(bot, "template"):
        check_places(_text(bot, "template"), ("question",), ("question",))


def _check_size(bot: Bot) -> None:
    size, most = len(_text(bot, "knowledge")), int(_number(bot, "context_tokens", 0))
    if most and size // CHARACTERS_A_TOKEN > most:
        raise ReviewerError(
            f"The document has {size:,} characters, about {size // CHARACTERS_A_TOKEN:,} tokens, "
            f"which is more than the {most:,} that {_text(bot, 'model')} takes. Shorten it or "
            "choose a model that takes more."
        )


def _check_web(bot: Bot) -> None:
    """Keep keys out of the project: in their place stands `{{ key }}`."""
    url, headers = _text(bot, "url"), bot.settings.get("headers")
    check_address(url)
    if not url.startswith(("http://", "https://")):
        raise ReviewerError(f"The address is {url!r}; one with http:// or https:// is expected.")
    body = json.dumps(bot.settings["body"])
    check_places(body, BODY_PLACES, ())
    if looks_secret(body):
        raise ReviewerError("The body holds what looks like a key; keys belong in a header.")
    if not isinstance(headers, dict | None):
        raise ReviewerError(f"The headers of {bot.name} must be an object of names and values.")
    for name, value in (headers or {}).items():
        if not isinstance(value, str) or not _HEADER.fullmatch(name) or not value.isprintable():
            raise ReviewerError(f"{name!r} is no header; lines such as `Accept: text/plain` are.")
        if "{{ key }}" not in value and (is_secret(name) or looks_secret(value)):
            raise ReviewerError(
                f"The header {name} would stand in the project with its secret. Write "
                "{{ key }} in its place, such as `Authorization: Bearer {{ key }}`, and store the "
                "key."
            )


def faq_headings(file: Path) -> tuple[str, ...]:
    """Give the headings of an FAQ table.

    Raises:
        ReviewerError: The file cannot be read or has no line of headings.
    """
    return _table(file)[0]


def faq_rows(file: Path, question: str = "question", answer: str = "answer") -> list[JsonValue]:
    """Read the rows of an FAQ table.

    Args:
        file: CSV with a line of headings.
        question: heading of the questions.
        answer: heading of the answers.

    Raises:
        ReviewerError: The file cannot be read or has no such columns.
    """
    there, rows = _table(file)
    for name in (question, answer):
        if name not in there:
            raise ReviewerError(
                f"{file.name} has no column {name!r}; it has: {', '.join(there) or 'none'}."
            )
    found: list[JsonValue] = [[row[question] or "", row[answer] or ""] for row in rows]
    if not found:
        raise ReviewerError(f"{file.name} has no row below its headings.")
    return found


def _table(file: Path) -> tuple[tuple[str, ...], list[dict[str, str]]]:
    """Read headings and rows; commas, semicolons or tabs stand between the cells."""
    try:
        _check_file_size(file, "such a table takes no more than")
        text = file.read_text(encoding="utf-8-sig")
        first = text.partition("\n")[0]
        between = max(",;\t", key=first.count)
        csv.field_size_limit(LARGEST_CELL)
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=between)
        rows = list(reader)
    except (OSError, UnicodeDecodeError):
        raise ReviewerError(
            f"{file.name} cannot be read; a CSV file in UTF-8 is expected."
        ) from None
    return tuple(reader.fieldnames or ()), rows


def document(file: Path) -> str:
    """Read a text or Markdown document.

    Raises:
        ReviewerError: The file cannot be read as text, is empty, or is longer than any model
            takes.
    """
    try:
        _check_file_size(file, "no model takes more than")
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise ReviewerError(f"{file.name} cannot be read; a text in UTF-8 is expected.") from None
    if not text.strip():
        raise ReviewerError(f"{file.name} is empty.")
    return text


def _check_file_size(file: Path, bound: str) -> None:
    size = file.stat().st_size
    if size > LARGEST_DOCUMENT:
        raise ReviewerError(
            f"{file.name} has {size / 1e6:,.1f} MB; {bound} "
            f"{LARGEST_DOCUMENT // 1_000_000} MB. Shorten it."
        )


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
            words = _words(bot)
            if not trust.may_run(words):
                raise ReviewerError(
                    f"The bot {bot.name} runs `{shlex.join(words)[:300]}`, which nobody has "
                    "confirmed on this computer. Where that is right, keep the bot in Bots… or "
                    "with `reviewer judges PROJECT add-bot`."
                )
            return CommandBot(words=words, timeout_s=_number(bot, "timeout_s", 60.0))
        case "http":
            return await _web(bot, stack)
        case "package":
            return _brought(bot, stack)
        case _:
            return await _model(session, bot, stack)


def _words(bot: Bot) -> tuple[str, ...]:
    words = bot.settings["words"]
    if not isinstance(words, list):
        raise ReviewerError(f"The bot {bot.name}: words must be a list.")
    return tuple(str(x) for x in words)


def key_place(bot: Bot) -> Endpoint:
    """Give the place under which the key of an HTTP bot is kept."""
    headers = bot.settings.get("headers")
    return Endpoint(
        name=bot.name,
        base_url=_text(bot, "url"),
        variable=_text(bot, "variable") or None,
        needs_key="{{ key }}" in json.dumps(headers),
    )


def _brought(bot: Bot, stack: AsyncExitStack) -> FunctionBot:
    name = _text(bot, "entry")
    found = plugins.find("bot", name)
    if found is None:
        raise ReviewerError(f"No installed package brings the bot {name!r} any more.")
    function = Packaged("bot", found)
    stack.callback(function.close)
    return FunctionBot(name=found.title, function=function)


async def _web(bot: Bot, stack: AsyncExitStack) -> Answering:
    headers, place = bot.settings.get("headers"), key_place(bot)
    key = secrets.key_of(place)
    if place.needs_key and not key:
        how = f" or set the variable {place.variable}" if place.variable else ""
        raise ReviewerError(f"The bot {bot.name} needs a key and none is stored; store it{how}.")
    from reviewer.scoring.bots.web import WebBot

    made: Answering = await stack.enter_async_context(
        WebBot(
            url=_text(bot, "url"),
            body=bot.settings["body"],
            path=_text(bot, "path"),
            headers={name: str(value) for name, value in headers.items()}
            if isinstance(headers, dict)
            else {},
            method=_text(bot, "method", "POST"),
            timeout_s=_number(bot, "timeout_s", 60.0),
            key=key,
        )
    )
    return made


async def _model(session: Session, bot: Bot, stack: AsyncExitStack) -> Answering:
    endpoint = judging.find(session.project.conn, Endpoint, _text(bot, "endpoint"))
    if endpoint is None:
        raise ReviewerError(
            f"The bot {bot.name} asks the endpoint {_text(bot, 'endpoint')!r}, which is not there."
        )
    from reviewer.scoring.llm.client import Client

    client: Any = await stack.enter_async_context(Client(endpoint, secrets.key_of(endpoint)))
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


_EXPECTED: Final = '{"kind": "http", "url": "…", "body": {…}, "path": "…"} is expected'


def read(name: str, file: Path) -> Bot:
    """Read a bot from its file; whether its settings are whole is for `bots.keep` to say.

    Raises:
        ReviewerError: The file cannot be read, is no JSON, or names no kind of bot.
    """
    try:
        found = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError):
        raise ReviewerError(f"{file.name} cannot be read; {_EXPECTED}.") from None
    except (ValueError, RecursionError) as error:
        line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ReviewerError(f"{file.name}{line}: this is no JSON; {_EXPECTED}.") from None
    kind: Any = found.pop("kind", None) if isinstance(found, dict) else None
    if kind not in get_args(BotKind):
        there = ", ".join(get_args(BotKind))
        raise ReviewerError(f"{file.name} names no kind of bot; kind is one of {there}.")
    note = found.pop("note", "")
    return Bot(name=name, kind=kind, settings=found, note=note if isinstance(note, str) else "")
