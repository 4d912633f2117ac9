"""A bot behind an HTTP address; its settings hold the place of a key, never a key."""

import asyncio
import contextlib
import json
import re
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Final, Self

import httpx2

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import JsonValue
from reviewer.domain.judging import Bot, Endpoint
from reviewer.domain.record import native_names
from reviewer.scoring.bots.kind import (
    Answering,
    BotAnswer,
    BotCase,
    Kind,
    Means,
    Setting,
    at_path,
    check_places,
    fill,
    fill_json,
)
from reviewer.scoring.bots.replies import FIELDS, answer_of
from reviewer.scoring.llm.network import EndlessReplyError, Network
from reviewer.scoring.masking import check_address, is_secret, looks_secret, masked

QUOTED = 200
PASSING = frozenset({429, 502, 503, 504})
"""Statuses that pass by themselves; any other error is what the bot says to its case."""


@dataclass(slots=True, kw_only=True)
class WebBot:
    """Sends each case to an address and takes the answer from the JSON that comes back.

    Attributes:
        body: The JSON body; `{{ question }}`, `{{ history }}`, `{{ context }}`, `{{ category }}`,
            `{{ expected }}` and `{{ id }}` are filled in.
        path: Where the answer stands, such as `answer.text`.
        paths: Where other fields of the answer stand, such as `tools_used` at `meta.tools`; what
            the reply tells by the field's own name is found without.
        headers: Of each request; `{{ key }}` is filled in from the keyring.
    """

    url: str
    body: JsonValue
    path: str
    paths: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    method: str = "POST"
    timeout_s: float = 60.0
    connections: int = 8
    key: str | None = None
    _network: Network = field(init=False)

    def __post_init__(self) -> None:
        """Get ready; nothing is sent yet."""
        self._network = Network(self.connections, self.timeout_s)

    async def __aenter__(self) -> Self:
        """Give the bot itself."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close every connection."""
        await self._network.close()

    async def answer(self, case: BotCase) -> BotAnswer:
        """Send a case and read what comes back."""
        values: dict[str, JsonValue] = {
            "id": case.id,
            "question": case.question,
            "input": case.question,
            "context": case.context,
            "category": case.category,
            "expected": case.expected,
            "history": [{"role": role, "content": text} for role, text in case.history],
        }
        headers = {
            name: fill(value, {"key": self.key or ""}) for name, value in self.headers.items()
        }
        start = time.perf_counter()
        try:
            async with asyncio.timeout(self.timeout_s):
                response = await self._network.client.request(
                    self.method, self.url, json=fill_json(self.body, values), headers=headers
                )
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, EndlessReplyError) as error:
            down = isinstance(error, httpx2.ConnectError) and not _distrusted(error)
            return BotAnswer(
                response=None,
                error=self._why(error),
                again=down or isinstance(error, httpx2.ReadError | httpx2.RemoteProtocolError),
                down=down,
            )
        took = (time.perf_counter() - start) * 1000
        return self._read(response, took)

    def _read(self, response: httpx2.Response, took: float) -> BotAnswer:
        if not response.is_success:
            stops = response.status_code in (401, 403) or response.is_redirect
            said = self._masked(" ".join(response.text.split()))[:QUOTED]
            why = f"The bot answered with status {response.status_code}"
            if response.is_redirect:
                target = self._masked(response.headers.get("location", ""))[:QUOTED]
                why = f"The bot sends to another address ({target}); the key stays here"
            ending = f": {said}" if said else "."
            return BotAnswer(
                response=None,
                error=why + ending,
                stops=stops,
                again=response.status_code in PASSING,
                retry_after=_seconds(response.headers.get("retry-after")),
                latency_ms=took,
            )
        try:
            reply = response.json()
        except ValueError:
            said = self._masked(" ".join(response.text.split()))[:QUOTED]
            why = f"The bot answered with something other than JSON: {said}"
            return BotAnswer(response=None, error=why, latency_ms=took)
        told = self._told(reply)
        try:
            found = at_path(reply, self.path)
        except KeyError as missing:
            found = None
            if not told.get("error"):
                told["error"] = (
                    f"The bot's reply has no {missing.args[0]!r} on the path {self.path!r}."
                )
        if found is not None:
            text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
            told["response"] = text
        # the key may come back anywhere
        whole = json.loads(self._masked(json.dumps(told, ensure_ascii=False)))
        return answer_of(whole, took, who="The bot")

    def _told(self, reply: JsonValue) -> dict[str, JsonValue]:
        """Give what a reply tells beside the answer: by its own names, and at its paths."""
        told = {}
        if isinstance(reply, dict):
            named = native_names(reply)
            told = {x: named[x] for x in FIELDS if x in named and x != "response"}
            if not isinstance(told.get("messages", []), list):
                del told["messages"]
        turn = self._turn(reply)
        if turn is not None:
            told["messages"] = [turn]
        for name, path in self.paths.items():
            with contextlib.suppress(KeyError):
                told[name] = at_path(reply, path)
        return told

    def _turn(self, reply: JsonValue) -> JsonValue:
        """Give the message that the answer is the content of, where it calls tools."""
        above, _, last = self.path.rpartition(".")
        with contextlib.suppress(KeyError):
            message = at_path(reply, above) if above and last == "content" else None
            if isinstance(message, dict) and message.get("tool_calls"):
                return {"role": "assistant", **message}
        return None

    def _masked(self, text: str) -> str:
        return masked(text, self.key)

    def _why(self, error: BaseException) -> str:
        if isinstance(error, EndlessReplyError):
            return "The bot sent a reply of more than 16 MB; it was cut off."
        if _distrusted(error):
            return "The bot shows a certificate that cannot be trusted, so nothing was sent."
        if isinstance(error, TimeoutError | httpx2.TimeoutException):
            return f"The bot gave no reply within {self.timeout_s:g} s."
        if isinstance(error, httpx2.ConnectError):
            return f"The bot cannot be reached at {self.url}; is it running?"
        if isinstance(error, httpx2.InvalidURL | httpx2.UnsupportedProtocol):
            return (
                f"{self.url!r} is no address; one such as http://127.0.0.1:8000/chat is expected."
            )
        return "The connection to the bot broke off."


def _distrusted(error: BaseException) -> bool:
    chain = (error, error.__cause__, error.__context__)
    return any(isinstance(x, ssl.SSLCertVerificationError) for x in chain) or (
        "CERTIFICATE_VERIFY_FAILED" in str(error)
    )


def _seconds(said: str | None) -> float | None:
    """Read a wait as it is given: in seconds, or as the date until which it lasts."""
    if said is None:
        return None
    if said.strip().isdecimal():
        return float(said)
    try:
        until = parsedate_to_datetime(said)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max((until - datetime.now(UTC)).total_seconds(), 0.0)


PLACES: Final = ("id", "question", "input", "history", "context", "category", "expected")
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
    _check_paths(bot)
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


def _check_paths(bot: Bot) -> None:
    paths = bot.settings.get("paths") or {}
    if not isinstance(paths, dict) or not all(isinstance(x, str) for x in paths.values()):
        raise ReviewerError(
            f'The paths of {bot.name} are no object such as {{"tools_used": "meta.tools"}}.'
        )
    unknown = next((name for name in paths if name not in FIELDS), None)
    if unknown is not None:
        raise ReviewerError(
            f"The paths of {bot.name} name {unknown!r}; there are: {', '.join(FIELDS)}."
        )


async def _make(bot: Bot, means: Means) -> Answering:
    key, headers = means.key(key_place(bot)), bot.settings.get("headers")
    paths = bot.settings.get("paths")
    # the HTTP client costs a tenth of a second to import
    from reviewer.scoring.bots.web import WebBot

    return await means.opened(
        WebBot(
            url=bot.text("url"),
            body=bot.settings["body"],
            path=bot.text("path"),
            paths={x: str(y) for x, y in paths.items()} if isinstance(paths, dict) else {},
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
        Setting(name="paths", form=None),
        Setting(name="timeout_s", title="Seconds", hint="60", form="number"),
    ),
    check=_check,
    place=key_place,
    make=_make,
)  # fmt: skip
