"""A bot written down in a JSON file, for what takes more than a few words."""

import json
from pathlib import Path
from typing import Any, Final, get_args

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Bot, BotKind

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
