"""The project of the guard: imported once, then copied for each set of options that it keeps."""

import io
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reviewer.cli.main import main
from tests.journeys.one_figure.expected import Kept
from tests.journeys.one_figure.world import NEWEST, Files


class CommandError(AssertionError):
    """A command ended otherwise than it should; the sentence that it said."""


def run(*arguments: str | Path, codes: tuple[int, ...] = (0,)) -> str:
    """Run a command and give what it printed."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(argument) for argument in arguments])
    if code not in codes:
        raise CommandError(f"{arguments[0]} ended with {code}: {err.getvalue().strip()}")
    return out.getvalue()


def document(*arguments: str | Path, codes: tuple[int, ...] = (0,)) -> dict[str, Any]:
    """Run a command with --json and give its document."""
    found: dict[str, Any] = json.loads(run(*arguments, "--json", codes=codes))
    return found


@dataclass(frozen=True)
class Project:
    """A project file that keeps a set of options.

    Attributes:
        folder: Where reports and exports of this project go.
        scope: What commands are told of the run that is meant.
    """

    path: Path
    folder: Path
    kept: Kept
    scope: tuple[str, ...] = ("--run", NEWEST)


def imported(files: Files, folder: Path) -> Path:
    """Import the files one after the other into a new project."""
    path = folder / "helpline.review"
    rubric: tuple[str | Path, ...] = ("--rubric", folder / "helpline.toml")
    for place, file in enumerate(files.write(folder)):
        run("import", path, file, *(rubric if place == 0 else ()))
    return path


def keeping(source: Path, kept: Kept, folder: Path) -> Project:
    """Copy a project and let it keep a set of options, as a person does."""
    path = Path(shutil.copy(source, folder / source.name))
    options = [part for option in kept.options for part in ("--option", option)]
    run("stats", path, "--metric", "care", "--preset", kept.preset, *options, "--keep", "--json")
    return Project(path, folder, kept)


@contextmanager
def written(project: Project, name: str, *arguments: str) -> Iterator[str]:
    """Let a command write a file, and give its text."""
    path = project.folder / name
    run(arguments[0], project.path, path, *arguments[1:])
    yield path.read_text(encoding="utf-8")
    path.unlink()
