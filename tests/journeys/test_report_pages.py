"""Reports in a real browser: they load nothing, say nothing to the console, and fit."""

from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.main import main
from reviewer.domain.errors import Silent
from reviewer.services.upkeep import projects
from tests.building import build_project, record
from tests.journeys import browser
from tests.journeys.shell import Shell

SYSTEMS = (None, "agent-rubric", "faq-bot", "guest-response", "harness", "virtual-agent")
DESK, TELEPHONE = 1200, 390
HOSTILE = (
    "</p><script>alert(1)</script><img src=http://127.0.0.1:9/x.png onerror=alert(1)>"
    "<style>body{background:url(http://127.0.0.1:9/y.png)}</style>" + "w" * 400 + " "
    "مرحبا بكم في الفندق \u202eabc\u202c 👩‍👩‍👧 \x00 {{ 7 * 7 }} {% raw %}"
)


@pytest.fixture(scope="module", params=SYSTEMS, ids=str)
def example(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    return projects.make_demo(folder / "example.review", request.param, Silent())


def written(project: Path, to: Path, *words: str) -> str:
    assert main(["report", str(project), str(to), *words]) == 0
    return to.read_text(encoding="utf-8")


def test_the_browser_tells_what_a_page_does(tmp_path: Path) -> None:
    page = '<img src="http://127.0.0.1:9/x.png"><p style="width:700px">a</p>'
    page += "<script>console.log(1)</script>"
    seen = browser.see(page, tmp_path / "seen", width=TELEPHONE)
    assert "http://127.0.0.1:9/x.png" in seen.requests
    assert any('"1"' in line for line in seen.console)
    assert seen.wide >= 700 > seen.room


def test_a_report_is_quiet_and_fits(example: Path, tmp_path: Path, shell: Shell) -> None:
    page = written(example, tmp_path / "r.html")
    first = shell.document("stats", example)["trust"]["headline"]
    light = browser.see(page, tmp_path / "light", width=DESK)
    dark = browser.see(page, tmp_path / "dark", width=DESK, scheme=browser.DARK)
    small = browser.see(page, tmp_path / "small", width=TELEPHONE)
    for seen in (light, dark, small):
        assert (seen.requests, seen.console) == ([], [])
        assert first in seen.text
        assert seen.wide == seen.room
    assert light.ground == small.ground != dark.ground


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    scores: list[dict[str, Any]] = [
        {"metric": name, "value": 1, "scorer": "judge", "reasoning": HOSTILE}
        for name in ("relevance", "accuracy", "safety")
    ]
    labels: list[dict[str, Any]] = [
        {"metric": name, "labeler": f"{who} <b>{HOSTILE[:60]}", "value": 5, "comment": HOSTILE,
         "at": "2026-11-02T10:00:00Z", "blind": True, "selection_reason": "random"}
        for name in ("relevance", "accuracy", "safety")
        for who in ("first", "second")
    ]  # fmt: skip
    records = [
        record(number, id=f"<b>{number}", input=HOSTILE, response=HOSTILE * 4,
               category=HOSTILE[:80], scores=scores, labels=labels)
        for number in range(12)
    ]  # fmt: skip
    return build_project(tmp_path / "p.review", evaluations=records)


def test_hostile_texts_do_nothing_in_a_page(hostile: Path, tmp_path: Path) -> None:
    page = written(hostile, tmp_path / "r.html")
    seen = browser.see(page, tmp_path / "seen", width=TELEPHONE)
    assert (seen.requests, seen.console, seen.wide) == ([], [], seen.room)
    assert "<script>alert(1)</script>" in seen.text
    assert "{{ 7 * 7 }}" in seen.text
    assert "مرحبا" in seen.text


@pytest.mark.parametrize("template", ["report", "guest-response"])
def test_hostile_texts_are_no_markup_in_markdown(
    hostile: Path, tmp_path: Path, template: str
) -> None:
    text = written(hostile, tmp_path / "r.md", "--template", template)
    assert "\\<script>" in text
    assert "\n<" not in text
    assert "\x00" not in text
    assert "\u202e" not in text


def test_hostile_texts_stand_whole_in_json(hostile: Path, tmp_path: Path) -> None:
    text = written(hostile, tmp_path / "r.json")
    assert "\\u0000" in text
    assert "<script>alert(1)</script>" in text
