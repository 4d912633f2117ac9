"""What was confirmed on this computer: where a key may go, which commands may run, what watches.

A project from elsewhere may name any address beside any variable, any command as a bot, and any
folder to be watched. None is used before somebody has kept it here; addresses and commands may be
named in the variable REVIEWER_TRUST, too.
"""

import json
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from reviewer import paths
from reviewer.domain.judging import Endpoint

FILE: Final = "confirmed.json"
VARIABLE: Final = "REVIEWER_TRUST"
PROVIDERS: Final = frozenset({"api.anthropic.com", "api.deepseek.com", "api.openai.com"})
_HERE: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def may_go(endpoint: Endpoint) -> bool:
    """Tell whether the key of a variable may be sent to an endpoint's address."""
    address = endpoint.base_url
    if address is None:
        return True
    parts = urlsplit(address)
    if parts.hostname in _HERE or (parts.scheme == "https" and parts.hostname in PROVIDERS):
        return True
    return address in _named() or _address(endpoint) in _confirmed()


def may_run(words: Sequence[str]) -> bool:
    """Tell whether a bot's command may be run."""
    command = shlex.join(words)
    return command in _named() or _command(command) in _confirmed()


def confirm_address(endpoint: Endpoint) -> None:
    """Let an endpoint's variable be read for its address from now on."""
    if not may_go(endpoint):
        _confirm(_address(endpoint))


def confirm_command(words: Sequence[str]) -> None:
    """Let a command be run from now on."""
    if not may_run(words):
        _confirm(_command(shlex.join(words)))


def may_watch(project: Path, rubric: str) -> bool:
    """Tell whether a rubric's monitor may look by itself while the project is open here."""
    return _watch(project, rubric) in _confirmed()


def confirm_watch(project: Path, rubric: str) -> None:
    """Let a rubric's monitor look by itself from now on, whenever the project is open here."""
    if not may_watch(project, rubric):
        _confirm(_watch(project, rubric))


def _watch(project: Path, rubric: str) -> str:
    return f"watch for {rubric} in {project.absolute()}"


def _address(endpoint: Endpoint) -> str:
    return f"key of {endpoint.variable} to {endpoint.base_url}"


def _command(command: str) -> str:
    return f"run {command}"


def _named() -> frozenset[str]:
    return frozenset(x.strip() for x in os.environ.get(VARIABLE, "").split(",") if x.strip())


def _file() -> Path:
    return paths.config_folder() / FILE


def _confirmed() -> list[str]:
    try:
        found = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [str(x) for x in found] if isinstance(found, list) else []


def _confirm(what: str) -> None:
    content = json.dumps([*_confirmed(), what], ensure_ascii=False, indent=2)
    draft = _file().with_name(f".confirmed-{os.getpid()}")
    draft.write_text(content + "\n", encoding="utf-8")
    draft.replace(_file())
