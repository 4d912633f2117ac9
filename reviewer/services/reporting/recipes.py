"""Recipes of reports, kept in the project: of the newest run, or of the runs that they name."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import structs

from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import Scope
from reviewer.services.project.project_days import today, zone_name, zone_of
from reviewer.services.reporting.making import ReportRequest
from reviewer.store import figures
from reviewer.store.project import Project

KEPT: Final = "report_recipes"
"""The project's setting that holds them."""
PATTERN: Final = "{project}-{run}"
"""What files of a recipe are called where nobody says otherwise."""
LONGEST: Final = 80
_FIELD: Final = re.compile(r"\{(\w*)\}")
_FORBIDDEN: Final = re.compile(r'[\\/:*?"<>|\x00-\x1f]+')
FIELDS: Final = ("project", "run", "date")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A report as it is made again and again.

    Attributes:
        file: how its files are called, with `{project}`, `{run}` and `{date}`; the suffix is the
            form.
    """

    name: str
    file: str
    request: ReportRequest

    @property
    def suffix(self) -> str:
        """Give the suffix, which says the form."""
        return Path(self.file).suffix

    def of_runs(self, runs: tuple[str, ...], *, every_run: bool = False) -> "Recipe":
        """Give the recipe for other runs; for its own where none is named."""
        if not runs and not every_run:
            return self
        scope = structs.replace(self.request.scope, runs=runs, every_run=every_run)
        return replace(self, request=replace(self.request, scope=scope))

    def to_json(self) -> dict[str, Any]:
        """Give what is kept and what the command line prints."""
        request = asdict(self.request) | {"scope": msgspec.to_builtins(self.request.scope)}
        return {"name": self.name, "file": self.file, **request}


def every(project: Project) -> tuple[Recipe, ...]:
    """Give the recipes by name; one that this program cannot read is left out, and stays kept."""
    made = [one for one in map(_read, _kept(project)) if one]
    return tuple(sorted(made, key=lambda one: one.name.casefold()))


def _kept(project: Project) -> list[Any]:
    try:
        found = json.loads(project.setting(KEPT, "[]"))
    except ValueError:
        return []
    return found if isinstance(found, list) else []


def find(project: Project, name: str) -> Recipe:
    """Give a recipe by its name.

    Raises:
        ReviewerError: There is none of that name.
    """
    known = every(project)
    found = next((one for one in known if one.name.casefold() == name.strip().casefold()), None)
    if found is None:
        there = ", ".join(one.name for one in known) or "none yet"
        raise ReviewerError(f"There is no recipe {name!r} in this project; there are: {there}.")
    return found


def keep(project: Project, recipe: Recipe) -> Recipe:
    """Keep a recipe under a name that is free, and give it as it is kept.

    Raises:
        ReviewerError: The name is taken or empty, or the file is called in a way that cannot be.
        ProjectError: The project cannot be written.
    """
    recipe = replace(recipe, name=_checked(project, recipe.name))
    check_pattern(recipe.file)
    _write(project, (*every(project), recipe))
    return recipe


def rename(project: Project, name: str, other: str) -> Recipe:
    """Give a recipe another name.

    Raises:
        ReviewerError: There is no such recipe, or the other name is taken or empty.
    """
    before = find(project, name)
    rest = [one for one in every(project) if one.name != before.name]
    after = replace(before, name=_checked(project, other, but=before.name))
    _write(project, (*rest, after))
    return after


def delete(project: Project, name: str) -> Recipe:
    """Forget a recipe, and give it.

    Raises:
        ReviewerError: There is no such recipe.
    """
    gone = find(project, name)
    _write(project, [one for one in every(project) if one.name != gone.name])
    return gone


def file_of(project: Project, recipe: Recipe, folder: Path) -> Path:
    """Give the file of a recipe's next report in a folder.

    Raises:
        ReviewerError: There is no run yet.
    """
    runs = figures.run_places(project)
    if not runs:
        raise ReviewerError(
            f"{project.path.name} holds no run yet; import evaluation results first."
        )
    scope = recipe.request.scope
    run = "all runs" if scope.every_run else ", ".join(scope.runs) or runs[-1][1]
    words = {
        "project": project.path.stem,
        "run": run,
        "date": today(zone_of(zone_name(project))).isoformat(),
    }
    suffix = recipe.suffix
    stem = _FIELD.sub(lambda found: words[found[1]], recipe.file.removesuffix(suffix))
    return folder / (_FORBIDDEN.sub("-", stem)[:LONGEST].strip(" .") + suffix)


def check_pattern(file: str) -> None:
    """Refuse a name of files that cannot be filled in.

    Raises:
        ReviewerError: It names a field that there is not, or a folder.
    """
    unknown = [name for name in _FIELD.findall(file) if name not in FIELDS]
    if unknown:
        known = ", ".join(f"{{{name}}}" for name in FIELDS)
        raise ReviewerError(f"{file}: there is no {{{unknown[0]}}}; there are {known}.")
    if _FORBIDDEN.search(file) or not Path(file).suffix:
        raise ReviewerError(f"{file!r} is no name of a file with a suffix, without a folder.")


def _checked(project: Project, name: str, but: str = "") -> str:
    name = " ".join(name.split())
    if not name or len(name) > LONGEST:
        raise ReviewerError(f"A recipe needs a name of at most {LONGEST} letters.")
    taken = {one.name.casefold() for one in every(project) if one.name != but}
    if name.casefold() in taken:
        raise ReviewerError(f"There is a recipe {name!r} already; choose another name.")
    return name


def _read(found: object) -> Recipe | None:
    if not isinstance(found, Mapping):
        return None
    fields = dict(found)
    try:
        return Recipe(
            name=str(fields.pop("name")),
            file=str(fields.pop("file")),
            request=ReportRequest(
                **fields
                | {
                    "scope": msgspec.convert(fields["scope"], Scope),
                    "options": tuple((str(name), str(value)) for name, value in fields["options"]),
                }
            ),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _write(project: Project, recipes: Sequence[Recipe]) -> None:
    made = [one.to_json() for one in sorted(recipes, key=lambda one: one.name.casefold())]
    # what a newer program keeps is not this one's to drop
    others = [one for one in _kept(project) if _read(one) is None]
    project.set_setting(KEPT, json.dumps([*made, *others], ensure_ascii=False))
