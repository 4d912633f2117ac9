"""Whatever a real file brings, a blind labeler reaches the conversation and nothing else of it."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from reviewer.domain.errors import Silent
from reviewer.gui.commands import WindowCommands
from reviewer.gui.review.header import TABS
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from reviewer.services.parcels import packing
from reviewer.services.project.session import Session
from reviewer.services.queues import making, profiles
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from tests.gui.test_blind_walk import told
from tests.journeys.planted_key import contents
from tests.journeys.shell import Shell, lines
from tests.planting import BLIND, LEAD, MARK, planted, real_records

FEWEST = 30
"""Records of real files below which the walk would say little."""
QUEUE = "All of it"


@pytest.fixture(scope="module")
def whole(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real records with markers, all of which a queue gives to the blind labeler."""
    folder = tmp_path_factory.mktemp("planted")
    # what the file was called may say what somebody thought of it
    file, path = folder / f"{MARK} bad ones.jsonl", folder / "planted.review"
    records = [planted(fields) for fields in real_records(shared_data)]
    assert len(records) >= FEWEST
    file.write_text(lines(*records), encoding="utf-8")
    importing.run(path, ImportRequest((file,), rubric="guest-response"), Silent())
    with closing(Session.open(path, LEAD)) as session:
        profiles.add(session, BLIND)
        profiles.change(session, LEAD, role="lead")
        making.create(session, QueuePlan(name=QUEUE, sampling=Sampling.ALL, labelers=(BLIND,)))
        low = QueuePlan(name="Low", filter_text="auto:accuracy<=2", labelers=(BLIND,))
        making.create(session, low)
    return path


def leaks(words: Iterator[str]) -> set[str]:
    return {x for x in words if MARK in x}


def test_the_markers_are_there(whole: Path) -> None:
    found = {part for part, content in contents(whole) if MARK.encode() in content}
    assert {" evaluations", " scores", " labels", " marks", " exclusions"} <= found


def test_the_window(
    window: MainWindow, commands: WindowCommands, whole: Path, settle: Callable[[], None]
) -> None:
    window.surroundings.settings.set("labeler", BLIND)
    assert window.open_project(whole)
    settle()
    page = window.page
    assert isinstance(page, ReviewPage)
    found: dict[str, set[str]] = {}
    session = window.session
    assert session is not None
    keys = [key for (key,) in session.project.conn.execute("SELECT id FROM evaluations")]
    for key in keys:
        page.open_evaluation(key)
        for place, tab in enumerate(TABS):
            page.case.header.choose_tab(place)
            if not place:
                page.case.conversation.build_all()
            found[f"{key} {tab}"] = leaks(told(page.case))
    settle()
    found["window"] = leaks(told(window))
    for name in ("audit", "runs", "reports"):
        window.show_page(name)
        settle()
        found[name] = leaks(told(window))
    commands.open_palette()
    commands._search(MARK)
    settle()
    found["palette"] = leaks(told(window)) - {MARK}
    for action in window.actions():
        found[f"action {action.text()}"] = leaks(iter((action.text(), action.toolTip())))
    assert {where: words for where, words in found.items() if words} == {}


def test_the_clipboard(window: MainWindow, whole: Path, settle: Callable[[], None]) -> None:
    window.surroundings.settings.set("labeler", BLIND)
    assert window.open_project(whole)
    settle()
    page = window.page
    assert isinstance(page, ReviewPage)
    page.open_evaluation(1)
    clipboard = QGuiApplication.clipboard()
    for place, _ in enumerate(TABS):
        page.case.header.choose_tab(place)
        for part in page.case.conversation.texts:
            part.selectAll()
            part.copy()
            assert MARK not in clipboard.text()
        QTest.keyClick(window, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert MARK not in clipboard.text()


LABELERS = ("import", "backup", "doctor", "formats", "schema", "merge", "tests")
"""Commands that a blind labeler can run; what is left tells what judge and people say."""


def test_the_command_line(
    whole: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    Settings().set("labeler", BLIND)
    (tmp_path / "in").mkdir()
    (tmp_path / "more.jsonl").write_text(lines({"id": "a", "input": "?", "response": "!"}))
    shell = Shell(tmp_path, capsys)
    before = set(tmp_path.rglob("*"))
    for command, more in {
        "runs": (), "stats": (), "check": ("--min-pass-rate", "0.5"), "jobs": (), "judges": (),
        "compare": ("--run", "all"), "export": ("e.jsonl",), "report": ("r.html",),
        "packet": ("p.zip",), "evaluate": ("--dry-run",),
        "monitor": ("--watch", "in", "--once"),
        "package": ("p.review", "--queue", QUEUE, "--labeler", BLIND),
    }.items():  # fmt: skip
        for form in ((), ("--json",)):
            assert shell.run(command, whole, *more, *form) == 2, command
            assert "leads run it" in shell.err, command
            assert shell.out == "", command
    assert {x for x in set(tmp_path.rglob("*")) - before if x.suffix != ".toml"} == set()
    for words in (
        ("import", whole, "more.jsonl", "--dry-run"), ("doctor", whole), ("tests", whole),
        ("backup", whole, "copy.review"), ("merge", whole, "copy.review", "--dry-run"),
        ("doctor", "copy.review"),
    ):  # fmt: skip
        for form in ((), ("--json",)):
            shell.run(*words, *form)
            assert MARK not in shell.out + shell.err, words
    for file in Path(os.environ["HOME"]).rglob("*.log*"):
        assert MARK.encode() not in file.read_bytes(), file


def test_a_package_holds_none_of_it_in_any_byte(whole: Path, tmp_path: Path) -> None:
    made = tmp_path / "for-bo.review"
    with closing(Session.open(whole, LEAD)) as session:
        count = packing.make(session, made, queue=QUEUE, labeler=BLIND, blind=True).evaluations
    assert count >= FEWEST
    told_there = [part for part, content in contents(made) if MARK.encode() in content]
    assert told_there == []
