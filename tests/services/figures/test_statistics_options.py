from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.run import Scope
from reviewer.services.figures import figure_settings
from reviewer.services.figures.figure_settings import FigureSettings, options_of
from reviewer.services.figures.request import Choices, choices
from reviewer.services.project import rubrics
from reviewer.stats.deviations import PUBLISHED, RECOMMENDED
from reviewer.store import from_format_1, reading
from reviewer.store import rubrics as stored
from reviewer.store.project import Project
from tests.building import RUBRIC


def test_presets_are_taken_as_they_are() -> None:
    assert options_of("published") == PUBLISHED
    assert options_of("recommended") == RECOMMENDED
    assert options_of("published", (("min_records", "50"),)).min_records == 50


def test_the_scopes_window_wins_over_the_option(tmp_path: Path) -> None:
    day = date(2026, 8, 31)
    with Project.create(tmp_path / "p.review") as project:

        def made(scope: Scope, **more: Any) -> Choices:
            return choices(project, scope, RUBRIC, **more)

        plain = made(Scope(as_of=day))
        assert (plain.span.start, plain.span.end) == (date(2026, 2, 28), day)
        assert plain.look_back == "6 months to 2026-08-31"
        three = made(Scope(as_of=day), options=(("window_months", "3"),))
        assert three.span.start == date(2026, 5, 31)
        one = made(Scope(as_of=day, window_months=1), options=(("window_days", "3"),))
        assert (one.span.start, one.look_back) == (date(2026, 7, 31), "")
        none = made(Scope(as_of=day, window_months=None))
        assert (none.span.start, none.look_back) == (None, "up to 2026-08-31")
        assert none.options.window_months is None
        assert made(Scope()).look_back == "last 6 months"
        assert made(Scope(), options=(("window_days", "1"),)).look_back == "last 1 day"


@pytest.mark.parametrize(
    ("of_rubric", "kept", "asked", "holds"),
    [
        ("recommended", None, None, "recommended"),
        ("published", None, None, "published"),
        ("published", "recommended", None, "recommended"),
        ("published", "recommended", "published", "published"),
        ("recommended", None, "published", "published"),
    ],
)
def test_what_is_asked_wins_over_what_is_kept_and_that_over_the_rubric(
    tmp_path: Path, of_rubric: Any, kept: str | None, asked: str | None, holds: str
) -> None:
    rubric = replace(RUBRIC, preset=of_rubric)
    with Project.create(tmp_path / "p.review") as project:
        if kept is not None:
            figure_settings.write(project, FigureSettings(kept))
        assert choices(project, Scope(), rubric, preset=asked).preset == holds


def test_an_option_that_is_kept_leaves_the_preset_to_the_rubric(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.review") as project:
        changes = (("min_records", "50"),)
        kept = figure_settings.resolved(project, None, changes)
        figure_settings.write(project, kept)
        assert figure_settings.read(project) == FigureSettings(None, changes)
        for preset in ("published", "recommended"):
            rubric = replace(RUBRIC, preset=preset)
            found = choices(project, Scope(), rubric)
            assert (found.preset, found.options.min_records) == (preset, 50)


def test_a_project_of_before_goes_on_as_its_rubric_was_published(tmp_path: Path) -> None:
    mine = rubrics.shipped()["virtual-agent"]
    with Project.create(tmp_path / "p.review") as project:
        for rubric in (mine, RUBRIC):
            stored.add(project, rubric)
        with project.write() as conn:
            conn.execute("UPDATE rubric_versions SET body = json_remove(body, '$.preset')")
            assert {x.preset for x in reading.rubrics(conn).values()} == {"recommended"}
            from_format_1.name_presets(conn)
            found = {x.name: x for x in reading.rubrics(conn).values()}
    assert found == {mine.name: mine, RUBRIC.name: RUBRIC}
