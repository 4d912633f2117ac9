"""Reports as PDF: pages are cut where nothing is cut through, and hold what the report says."""

import re
import shutil
import subprocess
import threading
import unicodedata
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.cli.main import main
from reviewer.domain.errors import Silent
from reviewer.gui import printing
from reviewer.gui.printing import Head, Page, Solid, pages_of
from reviewer.services.upkeep import projects
from tests.building import build_project, record

POPPLER = pytest.mark.skipif(shutil.which("pdftotext") is None, reason="poppler is not installed")
HOSTILE = (
    "</td></table><img src='file:///etc/passwd'>" + "w" * 900 + " مرحبا \u202eabc 👩‍👩‍👧 \x00"
)


def lines(count: int, height: float = 10.0) -> list[Solid]:
    return [Solid(place * height, (place + 1) * height) for place in range(count)]


def test_pages_end_between_lines() -> None:
    found = pages_of(lines(10), [], 100.0, 35.0)
    assert [(x.top, x.bottom) for x in found] == [(0, 30), (30, 60), (60, 90), (90, 100)]


def test_what_hangs_together_goes_to_the_next_page_together() -> None:
    found = pages_of([*lines(10), Solid(20, 50)], [], 100.0, 40.0)
    assert [(x.top, x.bottom) for x in found] == [(0, 20), (20, 60), (60, 100)]


def test_what_is_higher_than_a_page_is_cut_between_its_lines() -> None:
    found = pages_of([*lines(10), Solid(0, 100)], [], 100.0, 35.0)
    assert [x.bottom for x in found] == [30, 60, 90, 100]


def test_a_line_higher_than_a_page_does_not_hang() -> None:
    found = pages_of([Solid(0, 100)], [], 100.0, 40.0)
    assert [x.bottom for x in found] == [40, 80, 100]


def test_a_table_goes_on_below_its_head() -> None:
    head = Head(10, 20, 80)
    found = pages_of(lines(10), [head], 100.0, 40.0)
    assert found == [
        Page(0, 40),
        Page(40, 70, head),
        Page(70, 100, head),
    ]


def test_blank_space_between_pages_is_on_neither() -> None:
    found = pages_of([Solid(0, 30), Solid(60, 90)], [], 90.0, 35.0)
    assert [(x.top, x.bottom) for x in found] == [(0, 35), (60, 90)]


def texts(file: Path) -> list[str]:
    done = subprocess.run(
        ["pdftotext", "-layout", str(file), "-"], capture_output=True, check=True, text=True
    )
    return done.stdout.split("\f")[:-1]


def inked(file: Path, folder: Path) -> list[float]:
    """Give the share of dots of each page that are not white."""
    folder.mkdir()
    subprocess.run(["pdftoppm", "-gray", "-r", "30", str(file), str(folder / "p")], check=True)
    found = []
    for page in sorted(folder.iterdir()):
        dots = page.read_bytes().split(b"\n", 3)[3]
        found.append(1 - dots.count(b"\xff") / len(dots))
    return found


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return projects.make_demo(tmp_path_factory.mktemp("p") / "d.review", None, Silent())


@POPPLER
@pytest.mark.usefixtures("qapp")
def test_a_report_is_printed_whole(demo: Path, tmp_path: Path) -> None:
    to = tmp_path / "r.pdf"
    assert main(["report", str(demo), str(to), "--run", "all"]) == 0
    pages = texts(to)
    assert len(pages) > 3
    title = "Can the judge be trusted? 2026-11-04 agent v6, 2026-11-18 agent v7"
    for number, text in enumerate(pages, 1):
        assert title in text.splitlines()[0]
        assert f"{number} / {len(pages)}" in text.rstrip().splitlines()[-1]
    whole = "\n".join(pages)
    assert "Do not rely on this judge for Accuracy and Safety." in pages[0]
    for heading in ("What passes", "Where people say otherwise", "How this was made"):
        assert len(re.findall(rf"^ *{heading}$", whole, re.MULTILINE)) == 1
    assert all(share > 0.01 for share in inked(to, tmp_path / "pictures"))
    assert not list(tmp_path.glob(".r.pdf*"))


@POPPLER
@pytest.mark.usefixtures("qapp")
def test_fonts_are_part_of_the_file(demo: Path, tmp_path: Path) -> None:
    to = tmp_path / "r.pdf"
    assert main(["report", str(demo), str(to)]) == 0
    done = subprocess.run(["pdffonts", str(to)], capture_output=True, check=True, text=True)
    rows = done.stdout.splitlines()[2:]
    assert any(row.startswith("Inter") for row in rows)
    assert all(row.split()[-5] == "yes" for row in rows)


@POPPLER
@pytest.mark.usefixtures("qapp")
def test_hostile_texts_are_printed_and_load_nothing(tmp_path: Path) -> None:
    scores = [{"metric": "accuracy", "value": 1, "scorer": "judge", "reasoning": HOSTILE}]
    records = [
        record(number, input=HOSTILE, response=HOSTILE * 5, category=HOSTILE[:50], scores=scores)
        for number in range(4)
    ]
    project = build_project(tmp_path / "p.review", evaluations=records)
    to = tmp_path / "r.pdf"
    assert main(["report", str(project), str(to)]) == 0
    # letters that are joined in print are letters all the same
    whole = re.sub(r"\s", "", unicodedata.normalize("NFKC", "".join(texts(to))))
    assert "</td></table><imgsrc='file:///etc/passwd'>" in whole
    assert "root:" not in whole


@POPPLER
def test_it_is_written_beside_the_window(qtbot: QtBot, tmp_path: Path) -> None:
    to, made = tmp_path / "t.pdf", list[int]()
    html = "<h1>One</h1>" + "<p>words</p>" * 200
    worker = threading.Thread(target=lambda: made.append(printing.write(html, to, "One")))
    worker.start()
    qtbot.waitUntil(lambda: not worker.is_alive(), timeout=20_000)
    assert made == [len(texts(to))]
    assert made[0] > 1
