"""The settings of a bot behind an HTTP address: no key may stand in them, only its place."""

import json
import re
from typing import Final

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Bot, Endpoint
from reviewer.scoring.bots.answering import Answering, check_places
from reviewer.scoring.bots.kind import Kind, Means, Setting
from reviewer.scoring.secret_names import check_address, is_secret, looks_secret

PLACES: Final = ("id", "question", "history", "context")
KEY: Final = "{{ key }}"
_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def key_place(bot: Bot) -> Endpoint:
    """Give the place under which the key of an HTTP bot is kept."""
    return Endpoint(
        name=bot.name,
        base_url=bot.text("url"),
        variable=bot.text("variable") or None,
        needs_key=KEY in json.dumps(bot.settings.get("headers")),
    )


def _check(bot: Bot) -> None:
    """Keep keys out of the project: in their place stands `{{ key }}`."""
    url, headers = bot.text("url"), bot.settings.get("headers")
    check_address(url)
    if not url.startswith(("http://", "https://")):
        raise ReviewerError(f"The address is {url!r}; one with http:// or https:// is expected.")
    body = json.dumps(bot.settings["body"])
    check_places(body, PLACES, ())
    if looks_secret(body):
        raise ReviewerError("The body holds what looks like a key; keys belong in a header.")
    if not isinstance(headers, dict | None):
        raise ReviewerError(f"The headers of {bot.name} must be an object of names and values.")
    for name, value in (headers or {}).items():
        if not isinstance(value, str) or not _HEADER.fullmatch(name) or not value.isprintable():
            raise ReviewerError(f"{name!r} is no header; lines such as `Accept: text/plain` are.")
        if KEY not in value and (is_secret(name) or looks_secret(value)):
            raise ReviewerError(
                f"The header {name} would stand in the project with its secret. Write "
                "{{ key }} in its place, such as `Authorization: Bearer {{ key }}`, and store the "
                "key."
            )


async def _make(bot: Bot, means: Means) -> Answering:
    key, headers = means.key(key_place(bot)), bot.settings.get("headers")
    # the HTTP client costs a tenth of a second to import
    from reviewer.scoring.bots.web import WebBot

    return await means.opened(
        WebBot(
            url=bot.text("url"),
            body=bot.settings["body"],
            path=bot.text("path"),
            headers={name: str(value) for name, value in headers.items()}
            if isinstance(headers, dict)
            else {},
            method=bot.text("method", "POST"),
            timeout_s=bot.number("timeout_s", 60.0),
            key=key,
        )
    )


HTTP: Final = Kind(
    name="http",
    title="HTTP endpoint",
    help="any service that takes and gives JSON",
    settings=(
        Setting(name="url", title="Address", hint="http://127.0.0.1:8000/chat", needed=True),
        Setting(name="method", title="Method", form=None),
        Setting(name="headers", form=None),
        Setting(name="variable", title="Variable", hint="may hold the key, such as BOT_KEY"),
        Setting(name="body", form=None, needed=True),
        Setting(name="path", title="Answer at", hint="answer.text or choices.0.message.content",
                needed=True),
        Setting(name="timeout_s", title="Seconds", hint="60", form="number"),
    ),
    check=_check,
    place=key_place,
    make=_make,
)  # fmt: skip
