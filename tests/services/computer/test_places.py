"""Places are kept by project and labeler, the latest first, and damage is forgotten."""

import json
from pathlib import Path

import pytest

from reviewer.services.computer.places import KEPT, Place, Places
from reviewer.services.computer.settings import Settings


def test_each_labeler_has_a_place_in_each_project(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    for project, labeler in (("a", "ann"), ("a", "bo"), ("b", "ann")):
        place = Place(page="review", evaluation=f"run/{project}-{labeler}", read=7, listed=9)
        settings.places.keep(tmp_path / project, labeler, place)
    settings.frames["window"] = "abc"
    assert not settings.file.exists()
    settings.keep()
    again = Settings(tmp_path)
    assert again.frames == {"window": "abc"}
    assert again.places.of(tmp_path / "a", "bo").evaluation == "run/a-bo"
    assert again.places.of(tmp_path / "b", "ann") == Place("review", "run/b-ann", 7, 9)
    assert again.places.of(tmp_path / "b", "bo") == Place()
    assert not again.problems


def test_what_was_open_long_ago_is_forgotten(tmp_path: Path) -> None:
    places = Places()
    for number in range(KEPT + 5):
        places.keep(tmp_path / str(number), "ann", Place(page="audit"))
        places.keep(tmp_path / "0", "ann", Place(page="runs"))
    assert len(places.to_json()) == KEPT
    assert places.of(tmp_path / "0", "ann").page == "runs"
    assert places.of(tmp_path / "1", "ann").page == ""


@pytest.mark.parametrize(
    "content",
    [3, "x", [3], [{}], [{"project": "a"}], [{"project": "a", "labeler": "b", "read": "far"}]],
)
def test_damage_costs_only_the_place(tmp_path: Path, content: object) -> None:
    text = json.dumps({"places": content, "frames": content, "theme": "dark"})
    (tmp_path / "settings.json").write_text(text)
    settings = Settings(tmp_path)
    assert settings.places.to_json() == []
    assert settings.theme == "dark"
    assert settings.problems == []
