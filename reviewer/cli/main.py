"""Find the command, run it, and turn every error into a sentence and an exit code.

Exit codes: 0 done; 1 a check did not hold; 2 wrong use or bad input; 130 stopped by Ctrl-C.
"""

import difflib
import importlib
import logging
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from reviewer.cli.console import clean, say
from reviewer.cli.options import Command
from reviewer.domain.errors import CancelledError, ReviewerError
from reviewer.services import diagnosis, logs

DONE, NOT_HELD, WRONG, STOPPED = 0, 1, 2, 130

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("demo", "make_demo"),
    "import": ("importing", "import_files"),
    "formats": ("formats", "list_formats"),
    "runs": ("runs", "list_runs"),
    "stats": ("stats", "show_stats"),
    "export": ("exporting", "export_file"),
    "backup": ("upkeep", "back_up"),
    "doctor": ("upkeep", "examine"),
    "tour": ("demo", "paint_tour"),
    "schema": ("formats", "print_schema"),
}
"""The commands by name: module of this package and function; only what is asked for is loaded."""

EXAMPLES: dict[str, str] = {
    "demo": "reviewer demo --system faq-bot",
    "import": "reviewer import chats.review results.jsonl --rubric harness",
    "formats": "reviewer formats --json",
    "runs": "reviewer runs chats.review",
    "stats": 'reviewer stats chats.review --run "agent v7" --blind-only --json',
    "export": "reviewer export chats.review labels.csv --what labels",
    "backup": "reviewer backup chats.review chats-copy.review",
    "doctor": "reviewer doctor chats.review",
    "tour": "reviewer tour pictures --project chats.review",
    "schema": "reviewer schema > record.schema.json",
}
_LOG = logging.getLogger(__name__)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    with logs.kept():
        started = time.monotonic()
        code = _guarded(arguments)
        name = arguments[0] if arguments and arguments[0] in COMMANDS else "window"
        _LOG.info("%s ended with %d after %.1f s", name, code, time.monotonic() - started)
        return code


def _guarded(arguments: list[str]) -> int:
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except (ReviewerError, typer.TyperException, KeyboardInterrupt, OSError) as error:
        return _explain(error, arguments)
    except Exception as error:
        if os.environ.get("REVIEWER_DEBUG") == "1":
            raise
        _LOG.exception("unexpected error")
        say(diagnosis.explain(error))
        return WRONG
    return code


def _explain(error: BaseException, arguments: Sequence[str]) -> int:
    """Say an expected error in a sentence and give the exit code."""
    match error:
        case KeyboardInterrupt():
            say("Stopped. What was saved before is whole; nothing half is left.")
            return STOPPED
        case CancelledError():
            say(str(error))
            return STOPPED
        case BrokenPipeError():
            # whoever read the output has seen enough; the null device takes the rest at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return DONE
        case typer.TyperException():
            say(_usage_sentence(error, arguments))
        case OSError():
            _LOG.error("system error", exc_info=error)
            where = f" ({error.filename})" if error.filename else ""
            say(f"The system refused: {error.strerror or error}{where}.")
        case _:
            say(str(error))
    return WRONG


def _usage_sentence(error: typer.TyperException, arguments: Sequence[str]) -> str:
    message = error.format_message().rstrip(".")
    command = arguments[0] if arguments and arguments[0] in COMMANDS else ""
    program = f"reviewer {command}".strip()
    return f"{message}; `{program} --help` tells what is possible."


def _run(arguments: list[str]) -> int:
    first = arguments[0] if arguments else ""
    if first in COMMANDS:
        return _call(_program([first]), arguments)
    if first in ("--help", "-h", "--version"):
        return _call(_program(list(COMMANDS)), arguments)
    _catch_slip(arguments)
    window = typer.Typer(add_completion=False, rich_markup_mode="rich")
    window.command(epilog="Example: reviewer chats.review --open c-0033")(_load("window", "open_"))
    return _call(window, arguments)


def _call(program: typer.Typer, arguments: list[str]) -> int:
    try:
        result = program(args=arguments, prog_name="reviewer", standalone_mode=False)
    except SystemExit:
        # typer ends so only where whoever read the output has seen enough
        return DONE
    if result == STOPPED:
        raise KeyboardInterrupt
    return int(result or DONE)


def _catch_slip(arguments: Sequence[str]) -> None:
    """Tell a mistyped command from a project file."""
    word = arguments[0] if arguments else ""
    near = difflib.get_close_matches(word, COMMANDS, n=1)
    if near and Path(word).name == word and not Path(word).exists():
        raise ReviewerError(
            f"There is neither a command nor a file {word!r}; did you mean `reviewer {near[0]}`?"
        )


def _program(names: Sequence[str]) -> typer.Typer:
    program = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Example: reviewer demo",
    )
    program.callback()(_about)
    for name in names:
        command = _load(*COMMANDS[name])
        program.command(name, epilog=f"Example: {EXAMPLES[name]}")(command)
    return program


def _load(module: str, function: str) -> Command:
    found: Command = getattr(importlib.import_module(f"reviewer.cli.{module}"), function)
    return found


def _tell_version(wanted: bool) -> None:  # noqa: FBT001  # typer calls it so
    if wanted:
        sys.stdout.write(f"Reviewer {clean(logs.version())}\n")
        raise typer.Exit


def _about(
    *,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_tell_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Check automatic evaluations of chatbots and agents by labelling responses.

    `reviewer [PROJECT] [--open ID]` opens the window.

    A first word that is a command's name is that command; `./demo` is a file.
    """
