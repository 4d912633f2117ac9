import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import ProjectError
from reviewer.services.reporting import writing
from reviewer.services.reporting.rows import Rows, plain

MOMENT = datetime(2026, 11, 21, 7, 5, 9, tzinfo=UTC)


def test_a_pair_is_named_by_its_moment_and_never_over_an_old_one(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    first = writing.write_pair(folder, MOMENT, (["{}"], ["# ", "one"]))
    second = writing.write_pair(folder, MOMENT, (["{}"], ["# two"]))
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
    made = writing.write_pair(tmp_path, MOMENT, (["{}"], ["new"]))
    assert old.read_text() == "old"
    assert made[0].file.name == "evaluation_report_20261121_070509_2.json"


def test_what_another_program_wrote_meanwhile_stays(tmp_path: Path) -> None:
    files = (tmp_path / "r.json", tmp_path / "r.md")
    files[1].write_text("theirs")
    folder = tmp_path / "parts"
    folder.mkdir()
    parts = (writing.write(folder / "1", ["{}"]), writing.write(folder / "2", ["ours"]))
    assert not writing._placed(parts, files)
    assert files[1].read_text() == "theirs"
    assert not files[0].exists()


def test_the_history_gets_a_line_a_run(tmp_path: Path) -> None:
    writing.remember(tmp_path, {"pass_rate": 0.5})
    path = writing.remember(tmp_path, {"pass_rate": None})
    assert path.name == "evaluation_history.jsonl"
    assert [json.loads(x) for x in path.read_text().splitlines()] == [
        {"pass_rate": 0.5},
        {"pass_rate": None},
    ]


def test_a_folder_that_cannot_be_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ProjectError, match="could not be made"):
        writing.write_pair(tmp_path / "file" / "sub", MOMENT, (["{}"], [""]))
    with pytest.raises(ProjectError, match="does not exist; make it first"):
        writing.write(tmp_path / "none" / "r.md", ["x"])
    assert [x.name for x in tmp_path.iterdir()] == ["file"]


def test_writing_replaces_whole_or_not_at_all(tmp_path: Path) -> None:
    to = tmp_path / "r.md"
    writing.write(to, ["old"])
    made = writing.write(to, ["new é", "\ud800"])
    assert to.read_bytes() == "new é".encode() + b"\\ud800"
    assert made.bytes == len(to.read_bytes())
    assert len(made.sha256) == 64
    assert [x.name for x in tmp_path.iterdir()] == ["r.md"]


def test_rows_are_written_as_a_list_would_be() -> None:
    rows: list[dict[str, Any]] = [
        {"text": "a\nb é \u2028", "deep": {"n": [1, 2.5, None], "none": {}}},
        {"half": "\ud800"},
    ]
    document = {
        "first": {
            "rows": Rows(2, lambda: iter(rows)),
            "empty": Rows(0, lambda: iter([])),
            "n": {},
        },
        "last": [1, {"x": True}],
    }
    text = "".join(writing.as_json(document))
    assert text == json.dumps(plain(document), ensure_ascii=False, indent=2) + "\n"
    assert plain(document)["first"]["rows"] == rows


def test_rows_are_read_when_they_are_walked_through() -> None:
    rows = Rows(3, lambda: ({"n": n} for n in range(3)))
    assert len(rows) == 3
    assert [x["n"] for x in rows] == [x["n"] for x in rows] == [0, 1, 2]
    assert rows[1:] == [{"n": 1}, {"n": 2}]


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        "".join(writing.as_json({"mean": float("nan")}))


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), b"x", MOMENT, Path("x"), {1}])
def test_what_is_no_json_is_refused_in_rows_too(wrong: object) -> None:
    fine = {"n": [1.5, None, True, "NaN"], "tuple": (1, 2)}
    said = json.dumps([fine], indent=2)
    assert "".join(writing.as_json({"rows": Rows(1, lambda: iter([fine]))})) == (
        '{\n  "rows": ' + said.replace("\n", "\n  ") + "\n}\n"
    )
    rows: list[dict[str, Any]] = [fine, {"deep": [{"value": wrong}]}]
    with pytest.raises((ValueError, TypeError), match="JSON"):
        "".join(writing.as_json({"rows": Rows(2, lambda: iter(rows))}))
