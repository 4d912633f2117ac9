"""A bot that is a local command: a JSON object on standard input, one on standard output."""

import asyncio
import contextlib
import json
import os
import re
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Bot
from reviewer.scoring.bots.kind import Answering, BotAnswer, BotCase, Kind, Means, Setting
from reviewer.scoring.bots.replies import EXPECTED, answer_of
from reviewer.scoring.masking import masked, secret_variables

QUOTED = 200
LARGEST = 16 * 1024 * 1024
WITHOUT_KEYS: Final = (
    " (A command inherits no keys; where it needs one, name the variable in the bot's setting "
    "`variables`.)"
)
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_ABOUT_KEYS: Final = re.compile(r"api.?key|token|credential|unauthor|secret", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandBot:
    """Starts a command for each case.

    Attributes:
        words: The command and its arguments; no shell is involved.
        timeout_s: After which the command and whatever it started are ended.
        variables: The keys that it was given, by environment variable; it inherits no other.
    """

    words: tuple[str, ...]
    timeout_s: float = 60.0
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)

    async def answer(self, case: BotCase) -> BotAnswer:
        """Start the command, hand it the case and read its answer."""
        start = time.perf_counter()
        try:
            process = await asyncio.create_subprocess_exec(
                *self.words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
                env=self._environment(),
            )
        except (OSError, ValueError) as error:
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            why = f"The command {self.words[0]!r} cannot be started: {reason}."
            return BotAnswer(response=None, error=why, stops=True)
        try:
            async with asyncio.timeout(self.timeout_s):
                out, err = await process.communicate(json.dumps(case.to_json()).encode())
        except TimeoutError:
            why = f"The command gave no answer within {self.timeout_s:g} s; it was ended."
            return BotAnswer(response=None, error=why)
        finally:
            await _end(process)
        took = (time.perf_counter() - start) * 1000
        out, err = self._masked(out[:LARGEST]), self._masked(err)
        if process.returncode:
            # a trace quotes lines of source, which say nothing of what happened
            said = _quoted(err.rstrip().rpartition(b"\n")[2])
            why = f"The command ended with {process.returncode}{': ' + said if said else '.'}"
            if not self.variables and _ABOUT_KEYS.search(said):
                why += WITHOUT_KEYS
            return BotAnswer(response=None, error=why, latency_ms=took)
        return _read(out, took)

    def _environment(self) -> dict[str, str]:
        held = secret_variables(os.environ)
        kept = {name: value for name, value in os.environ.items() if name not in held}
        return kept | dict(self.variables)

    def _masked(self, said: bytes) -> bytes:
        if not self.variables:
            return said
        text = said.decode(errors="replace")
        for value in self.variables.values():
            text = masked(text, value)
        return text.encode()


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def _read(out: bytes, took: float) -> BotAnswer:
    try:
        reply: Any = json.loads(out)
    except ValueError:
        why = f"The command printed no JSON, {EXPECTED}: {_quoted(out) or 'nothing'}"
        return BotAnswer(response=None, error=why, latency_ms=took)
    return answer_of(reply, took)


def _quoted(said: bytes) -> str:
    return " ".join(said[: 4 * QUOTED].decode(errors="replace").split())[:QUOTED]


def _words(bot: Bot) -> tuple[str, ...]:
    words = bot.settings["words"]
    if not isinstance(words, list):
        raise ReviewerError(f"The bot {bot.name}: words must be a list.")
    return tuple(str(x) for x in words)


def _variables(bot: Bot) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\s,]+", bot.text("variables")))


def _confirmed(bot: Bot) -> tuple[str, ...]:
    """Give the command with the keys that it gets, as somebody confirms both."""
    return (*(f"{name}=…" for name in _variables(bot)), *_words(bot))


def _check(bot: Bot) -> None:
    wrong = next((x for x in _variables(bot) if not _NAME.fullmatch(x)), None)
    if wrong is not None:
        raise ReviewerError(
            f"{wrong[:4]!r}… is no name of an environment variable; one such as "
            "OPENAI_API_KEY is expected, never the key itself."
        )


async def _make(bot: Bot, means: Means) -> Answering:
    means.check_command(_confirmed(bot))
    given = {name: means.variable(name) for name in _variables(bot)}
    missing = next((name for name, value in given.items() if not value), None)
    if missing is not None:
        raise ReviewerError(
            f"The bot {bot.name} needs the environment variable {missing}, which is not set."
        )
    return CommandBot(words=_words(bot), timeout_s=bot.number("timeout_s", 60.0), variables=given)


COMMAND: Final = Kind(
    name="command",
    title="Local command",
    help="a program on this computer",
    settings=(
        Setting(name="words", title="Command", form=None, needed=True),
        Setting(name="timeout_s", title="Seconds", hint="60", form="number"),
        Setting(name="variables", title="Keys in", hint="variables it needs: OPENAI_API_KEY"),
    ),
    free=True,
    check=_check,
    command=_confirmed,
    make=_make,
)
