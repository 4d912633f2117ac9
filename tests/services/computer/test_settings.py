"""Settings keep only what differs, refuse nonsense, and survive a damaged file."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.services.computer.settings import BY_NAME, RECENTS, TABLE, Settings


def test_an_empty_folder_gives_the_defaults_and_writes_nothing(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    assert {entry.name: settings.get(entry.name) for entry in TABLE} == {
        entry.name: entry.default for entry in TABLE
    }
    assert not settings.file.exists()


def test_only_what_differs_is_kept(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    settings.set("font_scale", 150)
    settings.set("theme", "dark")
    settings.set("theme", "system")
    assert json.loads(settings.file.read_text()) == {"font_scale": 150}
    again = Settings(tmp_path)
    assert (again.font_scale, again.theme, again.problems) == (150, "system", [])


@pytest.mark.parametrize(
    ("name", "value"),
    [("theme", "pink"), ("font_scale", 79), ("font_scale", 201), ("labeler", 3)],
)
def test_nonsense_is_refused(tmp_path: Path, name: str, value: str | int) -> None:
    settings = Settings(tmp_path)
    with pytest.raises(ValueError, match=name):
        settings.set(name, value)
    assert settings.get(name) == BY_NAME[name].default


def test_an_unknown_name_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        Settings(tmp_path).set("thme", "dark")


@pytest.mark.parametrize("text", ["", "[1", "[]", "\x00", "{"])
def test_a_damaged_file_is_reported_and_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.json").write_text(text)
    settings = Settings(tmp_path)
    assert settings.theme == "system"
    assert len(settings.problems) == 1
    settings.set("theme", "dark")
    assert Settings(tmp_path).theme == "dark"


@given(st.dictionaries(st.sampled_from([*BY_NAME, "x"]), st.none() | st.integers() | st.text()))
def test_whatever_the_file_says_the_values_are_permitted(content: dict[str, object]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "settings.json").write_text(json.dumps(content), encoding="utf-8")
        settings = Settings(Path(folder))
    assert all(entry.problem(settings.get(entry.name)) is None for entry in TABLE)
    wrong = [x.name for x in TABLE if x.name in content and x.problem(content[x.name])]
    assert len(settings.problems) == len(wrong)


def test_listeners_hear_of_changes_until_they_leave(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    heard: list[str] = []
    leave = settings.subscribe(heard.append)
    settings.set("theme", "dark")
    settings.set("theme", "dark")
    leave()
    leave()
    settings.set("theme", "light")
    assert heard == ["theme"]


def test_recent_projects_are_the_newest_first_and_without_repeats(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    for number in [*range(RECENTS + 3), 5]:
        settings.remember(tmp_path / f"{number}.review")
    names = [recent.path.stem for recent in Settings(tmp_path).recent_projects]
    assert names[0] == "5"
    assert len(names) == len(set(names)) == RECENTS
    settings.forget(tmp_path / "5.review")
    assert "5" not in [recent.path.stem for recent in Settings(tmp_path).recent_projects]


def test_a_folder_that_cannot_be_written_is_an_error_but_the_change_holds(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    settings = Settings(blocked)
    with pytest.raises(OSError, match="file"):
        settings.set("theme", "dark")
    assert settings.theme == "dark"


def test_a_folder_that_cannot_be_made_gives_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settings = Settings(tmp_path / "file" / "reviewer")
    assert settings.labeler == "labeler 1"
    assert "the defaults hold" in settings.problems[0]
    with pytest.raises(OSError, match="file"):
        settings.set("theme", "dark")
    assert settings.theme == "dark"


@pytest.mark.parametrize("text", ["[" * 100_000, '{"labeler": "\\ud800"}'])
def test_settings_that_nobody_can_keep_leave_the_defaults(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.json").write_text(text)
    settings = Settings(tmp_path)
    assert (settings.theme, settings.labeler) == ("system", BY_NAME["labeler"].default)
    assert "could not be read" in settings.problems[0]
    settings.set("theme", "dark")
    assert Settings(tmp_path).theme == "dark"
