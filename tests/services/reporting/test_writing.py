import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reviewer.domain.errors import ProjectError
from reviewer.services.reporting import making

MOMENT = datetime(2026, 11, 21, 7, 5, 9, tzinfo=UTC)


def test_a_pair_is_named_by_its_moment_and_never_over_an_old_one(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    first = making.write_pair(folder, MOMENT, (["{}"], ["# ", "one"]))
    second = making.write_pair(folder, MOMENT, (["{}"], ["# two"]))
    assert [x.file.name for x in first] == [
        "evaluation_report_20261121_070509.json",
        "evaluation_report_20261121_070509.md",
    ]
    assert [x.file.name for x in second] == [
        "evaluation_report_20261121_070509_2.json",
        "evaluation_report_20261121_070509_2.md",
    ]
    assert first[1].file.read_text() == "# one"
    assert len(list(folder.iterdir())) == 4


def test_an_old_markdown_alone_keeps_its_name(tmp_path: Path) -> None:
    old = tmp_path / "evaluation_report_20261121_070509.md"
    old.write_text("old")
    made = making.write_pair(tmp_path, MOMENT, (["{}"], ["new"]))
    assert old.read_text() == "old"
    assert made[0].file.name == "evaluation_report_20261121_070509_2.json"


def test_what_another_program_wrote_meanwhile_stays(tmp_path: Path) -> None:
    files = (tmp_path / "r.json", tmp_path / "r.md")
    files[1].write_text("theirs")
    folder = tmp_path / "parts"
    folder.mkdir()
    parts = (making.write(folder / "1", ["{}"]), making.write(folder / "2", ["ours"]))
    assert not making._placed(parts, files)
    assert files[1].read_text() == "theirs"
    assert not files[0].exists()


def test_the_history_gets_a_line_a_run(tmp_path: Path) -> None:
    making.remember(tmp_path, {"pass_rate": 0.5})
    path = making.remember(tmp_path, {"pass_rate": None})
    assert path.name == "evaluation_history.jsonl"
    assert [json.loads(x) for x in path.read_text().splitlines()] == [
        {"pass_rate": 0.5},
        {"pass_rate": None},
    ]


def test_a_line_of_the_history_is_on_disk_before_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[bytes] = []
    real = os.fsync

    def fsync(number: int) -> None:
        synced.append(Path(f"/dev/fd/{number}").read_bytes())
        real(number)

    monkeypatch.setattr(os, "fsync", fsync)
    path = making.remember(tmp_path, {"pass_rate": 0.5})
    assert synced == [path.read_bytes()]


def test_a_folder_that_cannot_be_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ProjectError, match="could not be made"):
        making.write_pair(tmp_path / "file" / "sub", MOMENT, (["{}"], [""]))
    with pytest.raises(ProjectError, match="does not exist; make it first"):
        making.write(tmp_path / "none" / "r.md", ["x"])
    assert [x.name for x in tmp_path.iterdir()] == ["file"]


def test_writing_replaces_whole_or_not_at_all(tmp_path: Path) -> None:
    to = tmp_path / "r.md"
    making.write(to, ["old"])
    made = making.write(to, ["new é", "\ud800"])
    assert to.read_bytes() == "new é".encode() + b"\\ud800"
    assert made.bytes == len(to.read_bytes())
    assert len(made.sha256) == 64
    assert [x.name for x in tmp_path.iterdir()] == ["r.md"]
