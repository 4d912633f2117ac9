"""The command line itself: commands with their options, helps, and mistaken words."""

import difflib
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from reviewer.cli.console import clean
from reviewer.cli.options import Command
from reviewer.cli.table import COMMANDS, DONE, EXAMPLES, STOPPED
from reviewer.domain.errors import ReviewerError
from reviewer.services.computer.versions import version


def run(arguments: list[str]) -> int:
    """Run what the words ask for and give the exit code.

    Raises:
        ReviewerError: The words cannot be understood; the sentence says how they would be.
    """
    try:
        return _run(arguments)
    except typer.TyperException as error:
        raise ReviewerError(_usage_sentence(error, arguments)) from error


def _run(arguments: list[str]) -> int:
    first = arguments[0] if arguments else ""
    if first in COMMANDS:
        return _call(program([first]), arguments)
    if first in ("--help", "-h", "--version"):
        return _call(program(list(COMMANDS)), arguments)
    _catch_slip(arguments)
    window = typer.Typer(add_completion=False, rich_markup_mode="rich")
    window.command(epilog="Example: reviewer chats.review --open c-0033")(_load("window", "open_"))
    return _call(window, arguments)


_PLAINLY = (
    ("Value error, ", ""),
    ("Input should be a valid number, unable to parse string as a number", "a number is expected"),
    (
        "Input should be a valid integer, unable to parse string as an integer",
        "a whole number is expected",
    ),
    ("Got unexpected extra argument(s)", "There are more words than the command takes:"),
)
"""What the library says, and the same in the words of people."""


def _usage_sentence(error: typer.TyperException, arguments: Sequence[str]) -> str:
    message = error.format_message().rstrip(".")
    for theirs, ours in _PLAINLY:
        message = message.replace(theirs, ours)
    command = arguments[0] if arguments and arguments[0] in COMMANDS else ""
    program = f"reviewer {command}".strip()
    return f"{message}; `{program} --help` tells what is possible."


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


def program(names: Sequence[str]) -> typer.Typer:
    """Make the command line of some of the commands."""
    found = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Example: reviewer demo",
    )
    found.callback()(_about)
    for name in names:
        command = _load(*COMMANDS[name])
        found.command(name, epilog=f"Example: {EXAMPLES[name]}")(command)
    return found


def _load(module: str, function: str) -> Command:
    found: Command = getattr(importlib.import_module(f"reviewer.cli.{module}"), function)
    return found


def _tell_version(wanted: bool) -> None:  # noqa: FBT001  # typer calls it so
    if wanted:
        sys.stdout.write(f"Reviewer {clean(version())}\n")
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
