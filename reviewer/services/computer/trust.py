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
from reviewer.domain.errors import ReviewerError, refusal
from reviewer.domain.judging import Endpoint
from reviewer.services.computer import whole_files

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
    """Let an endpoint's variable, where it has one, be read for its address from now on.

    Raises:
        ReviewerError: This computer cannot remember it.
    """
    if endpoint.variable is not None and not may_go(endpoint):
        _confirm(_address(endpoint), or_name=str(endpoint.base_url))


def confirm_command(words: Sequence[str]) -> None:
    """Let a command be run from now on.

    Raises:
        ReviewerError: This computer cannot remember it.
    """
    if not may_run(words):
        command = shlex.join(words)
        _confirm(_command(command), or_name=command)


def may_watch(project: Path, rubric: str) -> bool:
    """Tell whether a rubric's monitor may look by itself while the project is open here."""
    return _watch(project, rubric) in _confirmed()


def confirm_watch(project: Path, rubric: str) -> None:
    """Let a rubric's monitor look by itself from now on, whenever the project is open here.

    Raises:
        ReviewerError: This computer cannot remember it.
    """
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
        return _read(_file())
    except OSError:
        return []


def _read(file: Path) -> list[str]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return []
    return [str(x) for x in found] if isinstance(found, list) else []


def _confirm(what: str, *, or_name: str = "") -> None:
    file = _file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with whole_files.alone(file):
            # what another process added since, too
            every = [*_read(file), what]
            draft = file.with_name(f".confirmed-{os.getpid()}")
            try:
                draft.write_text(
                    json.dumps(list(dict.fromkeys(every)), ensure_ascii=False, indent=2) + "\n",
                    encoding="utf-8",
                )
                whole_files.put(draft, file)
            finally:
                draft.unlink(missing_ok=True)
    except OSError as error:
        raise ReviewerError(_not_kept(file, error, or_name)) from error


def _not_kept(file: Path, error: OSError, or_name: str) -> str:
    why = refusal(error)
    instead = f", or name {or_name[:300]} in the variable {VARIABLE}" if or_name else ""
    return (
        f"What is confirmed on this computer is kept in {file}, which cannot be written: {why}. "
        f"Make it writable{instead}."
    )
