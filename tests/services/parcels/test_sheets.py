"""A labelers' sheet goes out without a judge's word and comes back with what people filled in."""

import csv
import io
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from python_calamine import CalamineWorkbook
from xlsxwriter import Workbook

from reviewer.cli.main import main
from reviewer.domain.errors import FormatError, ReviewerError
from reviewer.services.adjudicating import decisions
from reviewer.services.labelling import entering
from reviewer.services.parcels import sheets
from reviewer.services.project.session import Session
from tests.building import build_project, let_see, record


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    path = build_project(
        tmp_path / "p.review", evaluations=[record(n, input=f"=Q{n}") for n in (1, 2, 3)]
    )
    let_see(path)
    with closing(Session.open(path, "ann")) as opened:
        entering.commit(opened, 1, "accuracy", 2)
        entering.commit(opened, 2, "accuracy", 2)
        yield opened


def filled(sheet: Path, answers: dict[str, dict[str, str]], separator: str = ",") -> Path:
    rows = list(csv.DictReader(io.StringIO(sheet.read_bytes().decode("utf-8-sig"))))
    with sheet.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, list(rows[0]), delimiter=separator)
        writer.writeheader()
        writer.writerows(row | answers.get(row["id"], {}) for row in rows)
    return sheet


def labels(session: Session) -> list[tuple[str, float]]:
    return session.project.conn.execute(
        "SELECT e.ext_id, c.value FROM current_labels c JOIN evaluations e ON e.id = c.evaluation "
        "JOIN metrics m ON m.id = c.metric WHERE m.name = 'accuracy' ORDER BY 1"
    ).fetchall()


@pytest.mark.parametrize("name", ["a.xlsx", "a.csv"])
def test_a_sheet_holds_responses_and_empty_columns(
    session: Session, tmp_path: Path, name: str
) -> None:
    assert sheets.write(session, tmp_path / name, "ann") == 3
    if name == "a.xlsx":
        rows = CalamineWorkbook.from_path(tmp_path / name).get_sheet_by_index(0).to_python()
        assert rows[0][4:] == ["prompt", "response", "relevance", "accuracy", "safety", "comment"]
        assert rows[1][4:6] == ["=Q1", "Answer 1: the pool bar opens at nine."]
        assert set(rows[1][6:]) == {""}
    assert b"judge" not in (tmp_path / name).read_bytes()


def test_what_comes_back_is_sorted_before_it_is_taken(session: Session, tmp_path: Path) -> None:
    sheets.write(session, tmp_path / "a.csv", "ann")
    entering.commit(session, 2, "accuracy", 5)
    answers = {"c-0001": {"accuracy": "4"}, "c-0002": {"accuracy": "1"},
               "c-0003": {"accuracy": "3", "safety": "9", "comment": "fine"}}  # fmt: skip
    back = filled(tmp_path / "a.csv", answers, ";")
    for dry_run in (True, False):
        found = sheets.take(session, back, dry_run=dry_run)
        assert [(x.id, x.there) for x in found.new] == [("c-0003", 3)]
        assert [(x.id, x.here, x.there) for x in found.changed] == [("c-0001", 2, 4)]
        assert [(x.id, x.here, x.there) for x in found.conflicts] == [("c-0002", 5, 1)]
        assert found.refused == [
            "agent v7/c-0003, safety: '9' found, one of 1, 2, 3, 4, 5 expected"
        ]
        if dry_run:
            assert labels(session) == [("c-0001", 2), ("c-0002", 5)]
    assert labels(session) == [("c-0001", 4), ("c-0002", 5), ("c-0003", 3)]
    again = sheets.take(session, back)
    assert (len(again.new), len(again.same)) == (0, 2)


def test_a_decision_makes_no_answer_of_a_sheet_new_again(session: Session, tmp_path: Path) -> None:
    decisions.decide(session, 1, "accuracy", 4)
    sheets.write(session, tmp_path / "a.csv", "ann")
    sheet = filled(
        tmp_path / "a.csv", {"c-0001": {"accuracy": "3"}, "c-0002": {"comment": "Odd."}}
    )
    first = sheets.take(session, sheet)
    assert [(x.here, x.there) for x in first.changed] == [(2, 3)]
    assert first.refused == ["agent v7/c-0002: a comment without an answer"]
    again = sheets.take(session, sheet)
    assert (again.new, again.changed, len(again.same)) == ([], [], 1)


def test_a_workbook_comes_back(session: Session, tmp_path: Path) -> None:
    sheets.write(session, tmp_path / "a.xlsx", "ann")
    rows = CalamineWorkbook.from_path(tmp_path / "a.xlsx").get_sheet_by_index(0).to_python()
    with Workbook(str(tmp_path / "b.xlsx")) as book:
        sheet = book.add_worksheet()
        for number, row in enumerate(rows):
            for column, cell in enumerate(row):
                sheet.write_string(number, column, str(cell))
        sheet.write_number(3, rows[0].index("accuracy"), 5)
        sheet.write_string(3, rows[0].index("safety"), "Good")
    found = sheets.take(session, tmp_path / "b.xlsx")
    assert {(x.metric, x.there) for x in found.new} == {("accuracy", 5), ("safety", 4)}


def test_another_file_is_no_sheet(session: Session, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,accuracy\nc-0001,3\n", encoding="utf-8")
    with pytest.raises(FormatError, match="is no labelers' sheet: it lacks the column run"):
        sheets.take(session, tmp_path / "a.csv")
    (tmp_path / "a.xlsx").write_bytes(b"PK nothing")
    with pytest.raises(FormatError, match="cannot be read as a workbook"):
        sheets.take(session, tmp_path / "a.xlsx")
    with pytest.raises(ReviewerError, match="There is no labeler 'zoe'"):
        sheets.write(session, tmp_path / "b.csv", "zoe")


def test_the_commands_write_a_sheet_and_tell_what_it_brings(
    session: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project, sheet = str(session.project.path), tmp_path / "a.csv"
    assert main(["sheet", project, str(sheet), "--for", "ann"]) == 0
    filled(sheet, {"c-0001": {"accuracy": "4"}})
    assert main(["merge", project, str(sheet), "--dry-run"]) == 0
    told = capsys.readouterr()
    assert "0 new answers, 1 changed, 0 as here, 0 in conflict, 0 refused." in told.out
    assert "agent v7/c-0001, accuracy: 2 here, 4 in the sheet" in told.err
