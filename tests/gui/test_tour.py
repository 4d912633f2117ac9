"""The tour takes a picture of everything, without a screen and without the person's settings."""

from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from reviewer.domain.errors import ReviewerError
from reviewer.gui import tour
from reviewer.gui.kit.theme import DARK, LIGHT
from reviewer.gui.pages import PAGES
from reviewer.services.computer.settings import Settings
from tests.building import build_project

pytestmark = pytest.mark.usefixtures("qtbot")


def test_every_page_and_dialog_in_light_and_dark(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tour, "LOOKS", (tour.LOOKS[0], tour.LOOKS[2]))
    monkeypatch.setattr(tour, "SETTLE_S", 0.05)
    before = Settings().recent_projects
    files = tour.render(project, tmp_path / "tour")
    names = {file.name for file in files}
    pages = {spec.id for spec in PAGES} | {"start", "palette", "settings", "import"}
    pages |= {"team", "queues", "new-queue", "work-package", "share", "join"}
    pages |= {"audit-people", "audit-pass-fail", "audit-segments", "audit-plan"}
    pages |= {"runs-trend", "runs-monitor", "runs-test-sets", "runs-jobs"}
    assert {
        f"{page}-{look}.png" for page in pages for look in ("light-1280", "dark-1280")
    } <= names
    assert sorted(x.name for x in (tmp_path / "tour").iterdir()) == sorted(names)
    for name, colours in (("start-light-1280.png", LIGHT), ("start-dark-1280.png", DARK)):
        picture = QImage(str(tmp_path / "tour" / name))
        assert (picture.width(), picture.height()) == (1280, 800)
        assert picture.pixelColor(20, 400).name().upper() == colours.window
    assert Settings().recent_projects == before


def test_a_project_that_cannot_be_opened_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ReviewerError, match=r"none\.review"):
        tour.render(tmp_path / "none.review", tmp_path / "tour")


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    project = build_project(tmp_path / "a.review", evaluations=1)
    with pytest.raises(ReviewerError, match="file"):
        tour.render(project, tmp_path / "file" / "tour")
