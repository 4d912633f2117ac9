"""Recipes of reports: kept in the project, made again, and refused in sentences."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import Scope
from reviewer.services.project.session import Session
from reviewer.services.reporting import recipes
from reviewer.services.reporting.making import ReportRequest
from reviewer.services.reporting.recipes import Recipe
from reviewer.store.project import Project
from tests.building import build_project

WHOLE = ReportRequest(
    scope=Scope(runs=("agent v7",), categories=("policies",), blind_only=True, window_months=3),
    template="guest-response", top=2, passing=4.0, preset="published",
    options=(("min_records", "5"),),
)  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    session = Session.open(build_project(tmp_path / "chats.review", evaluations=5))
    yield session.project
    session.close()


def recipe(name: str, file: str = "{project}-{run}.md", request: ReportRequest = WHOLE) -> Recipe:
    return Recipe(name=name, file=file, request=request)


def test_all_of_a_recipe_is_kept(project: Project) -> None:
    kept = recipes.keep(project, recipe("  For   Monday "))
    assert kept.name == "For Monday"
    assert recipes.every(project) == (kept,)
    assert recipes.find(project, "for monday") == kept
    assert kept.request == WHOLE


def test_names_are_unique_and_can_be_changed(project: Project) -> None:
    recipes.keep(project, recipe("b"))
    recipes.keep(project, recipe("A"))
    with pytest.raises(ReviewerError, match="There is a recipe 'a' already"):
        recipes.keep(project, recipe("a"))
    with pytest.raises(ReviewerError, match="There is a recipe 'B' already"):
        recipes.rename(project, "A", "B")
    assert recipes.rename(project, "A", "a").name == "a"
    recipes.rename(project, "b", "c")
    assert [one.name for one in recipes.every(project)] == ["a", "c"]
    recipes.delete(project, "a")
    with pytest.raises(ReviewerError, match=r"There is no recipe 'a' in this project; .*: c"):
        recipes.find(project, "a")


@pytest.mark.parametrize("name", ["", "  ", "x" * 81])
def test_a_recipe_has_a_name(project: Project, name: str) -> None:
    with pytest.raises(ReviewerError, match="needs a name"):
        recipes.keep(project, recipe(name))


@pytest.mark.parametrize("file", ["a", "a/b.md", "{x}.md", "../{run}.html"])
def test_a_file_that_cannot_be_called_so_is_refused(project: Project, file: str) -> None:
    with pytest.raises(ReviewerError, match=re.escape(file)):
        recipes.keep(project, recipe("a", file))
    assert recipes.every(project) == ()


def test_files_are_called_after_project_run_and_day(project: Project, tmp_path: Path) -> None:
    newest = recipe("a", "w-{run}-{date}.pdf", ReportRequest())
    name = recipes.file_of(project, newest, tmp_path).name
    assert re.fullmatch(r"w-agent v7-\d{4}-\d\d-\d\d\.pdf", name)
    odd = newest.of_runs(("a/b:c", "d"))
    assert recipes.file_of(project, odd, tmp_path).name.startswith("w-a-b-c, d-")
    every = recipe("b", "{project}-{run}.md").of_runs((), every_run=True)
    assert recipes.file_of(project, every, tmp_path) == tmp_path / "chats-all runs.md"


@pytest.mark.parametrize("kept", ["", "{", "{}", "[1]", '[{"name": "a"}]', '[{"name": 1}]'])
def test_what_cannot_be_read_is_passed_over(project: Project, kept: str) -> None:
    project.set_setting(recipes.KEPT, kept)
    assert recipes.every(project) == ()
    recipes.keep(project, recipe("a"))
    assert [one.name for one in recipes.every(project)] == ["a"]


def test_what_a_newer_program_kept_stays_when_another_is_kept(project: Project) -> None:
    newer = {"name": "Tomorrow", "file": "x.html", "scope": {}, "pages": [1, 2], "options": []}
    project.set_setting(recipes.KEPT, json.dumps([newer]))
    recipes.keep(project, recipe("Monday"))
    recipes.rename(project, "Monday", "Tuesday")
    recipes.delete(project, "Tuesday")
    assert recipes.every(project) == ()
    assert json.loads(project.setting(recipes.KEPT)) == [newer]
