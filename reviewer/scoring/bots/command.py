"""A bot that is a local command: a JSON object on standard input, one on standard output."""

import asyncio
import contextlib
import json
import os
import signal
import time
from dataclasses import dataclass
from typing import Any, Final

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Bot
from reviewer.scoring.bots.kind import Answering, BotAnswer, BotCase, Kind, Means, Setting
from reviewer.scoring.bots.replies import EXPECTED, answer_of

QUOTED = 200
LARGEST = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandBot:
    """Starts a command for each case.

    Attributes:
        words: The command and its arguments; no shell is involved.
        timeout_s: After which the command and whatever it started are ended.
    """

    words: tuple[str, ...]
    timeout_s: float = 60.0

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
        if process.returncode:
            # a trace quotes lines of source, which say nothing of what happened
            said = _quoted(err.rstrip().rpartition(b"\n")[2])
            why = f"The command ended with {process.returncode}{': ' + said if said else '.'}"
            return BotAnswer(response=None, error=why, latency_ms=took)
        return _read(out, took)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def _read(out: bytes, took: float) -> BotAnswer:
    try:
        reply: Any = json.loads(out[:LARGEST])
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


async def _make(bot: Bot, means: Means) -> Answering:
    words = _words(bot)
    means.check_command(words)
    return CommandBot(words=words, timeout_s=bot.number("timeout_s", 60.0))


COMMAND: Final = Kind(
    name="command",
    title="Local command",
    help="a program on this computer",
    settings=(
        Setting(name="words", title="Command", form=None, needed=True),
        Setting(name="timeout_s", title="Seconds", hint="60", form="number"),
    ),
    free=True,
    command=_words,
    make=_make,
)
