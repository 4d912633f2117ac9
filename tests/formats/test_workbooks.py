import zipfile
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from reviewer.domain.errors import FormatError
from reviewer.formats import workbooks
from reviewer.formats.incoming import RawRow, Record
from reviewer.formats.mapping import mapping_of
from reviewer.formats.opening import opened
from reviewer.formats.sniffing import sniff
from reviewer.services.transfer.file_plans import open_file, plan, sample

OPTIONS = {"strings_to_formulas": False, "remove_timezone": True}
HEADER: list[Any] = ["id", "question", "answer", "score"]
ROWS: list[list[Any]] = [
    ["r1", "Where is the key?", "Under the mat.", 4],
    ["r2", "And the map?", "None.", 2],
]


def workbook(path: Path, **sheets: list[list[Any]]) -> Path:
    with xlsxwriter.Workbook(path, OPTIONS) as book:
        day = book.add_format({"num_format": "yyyy-mm-dd hh:mm"})
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                for column, value in enumerate(row):
                    if isinstance(value, date):
                        sheet.write_datetime(number, column, value, day)
                    elif value is not None:
                        sheet.write(number, column, value)
    return path


def open_document(path: Path, rows: str) -> Path:
    names = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text")
    )
    content = (
        f"<office:document-content{names}><office:body><office:spreadsheet>"
        f'<table:table table:name="S">{rows}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "META-INF/manifest.xml", f'<manifest:manifest xmlns:manifest="{manifest}"/>'
        )
        archive.writestr("content.xml", content)
    return path


def rows_of(path: Path, mapping: str = "") -> list[RawRow]:
    sniffed = sniff(path)
    with opened(path, sniffed) as source:
        given = mapping_of(mapping) if mapping else None
        found = list(workbooks.raw_rows(source, sniffed, given))
    return [row for row in found if isinstance(row, RawRow)]


def text(value: str) -> str:
    return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p>' + (
        "</table:table-cell>"
    )


def test_a_sheet_is_proposed_and_imported_as_a_table_is(tmp_path: Path) -> None:
    file = open_file(workbook(tmp_path / "results.xlsx", Sheet1=[HEADER, *ROWS]))
    assert (file.sniffed.format, file.sniffed.reason) == ("workbook", "a workbook of Excel's")
    assert file.proposal is not None
    # whose values a plain score holds is asked of every table
    assert [one.choices[0].column for one in file.proposal.questions] == ["score"]
    with file.items() as (source, items):
        found = [item for item in items if isinstance(item, Record)]
        assert source.position() > 0
    assert [(x.line, x.fields["id"], x.fields["response"]) for x in found] == [
        (2, "r1", "Under the mat."),
        (3, "r2", "None."),
    ]
    assert [x.fields["scores"][0]["value"] for x in found] == [4, 2]
    assert plan(file).title == "Workbooks (Excel, OpenDocument)"


def test_numbers_that_stand_as_texts_are_numbers_as_in_csv(tmp_path: Path) -> None:
    file = workbook(tmp_path / "a.xlsx", S=[HEADER, ["r1", "Q?", "7", "4"], ["r2", "Q?", "A.", 2]])
    with open_file(file).items() as (_, items):
        found = [item.fields for item in items if isinstance(item, Record)]
    assert [x["scores"][0]["value"] for x in found] == [4, 2]
    assert found[0]["response"] == "7"


def test_values_are_typed_and_nothing_is_evaluated(tmp_path: Path) -> None:
    moment = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    row: list[Any] = ["=2+2", 4.0, 4.5, True, moment, '=HYPERLINK("x")', None]
    file = workbook(tmp_path / "a.xlsx", S=[["a", "b", "c", "d", "e", "f", "g"], row])
    assert list(rows_of(file)[0].values.values()) == [
        "=2+2", 4, 4.5, True, "2026-01-02T03:04:00", '=HYPERLINK("x")', None,
    ]  # fmt: skip


def test_a_formula_gives_the_value_saved_with_it(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["id", "mean"])
        sheet.write(1, 0, "r1")
        sheet.write_formula(1, 1, "=AVERAGE(A5:A9)", None, 3.5)
    assert rows_of(path)[0].values == {"id": "r1", "mean": 3.5}


def test_names_may_stand_below_a_title_and_right_of_blank_columns(tmp_path: Path) -> None:
    sheet = [[None, "Results of May"], [], [None, *HEADER], *([None, *row] for row in ROWS)]
    found = rows_of(workbook(tmp_path / "a.xlsx", S=sheet))
    assert [(row.line, row.values["id"]) for row in found] == [(4, "r1"), (5, "r2")]
    assert list(found[0].values) == HEADER


def test_a_filled_cell_below_no_name_is_kept(tmp_path: Path) -> None:
    found = rows_of(workbook(tmp_path / "a.xlsx", S=[HEADER, [*ROWS[0], None, "late"], ROWS[1]]))
    assert found[0].values["column 6"] == "late"
    assert "column 6" not in found[1].values


def test_merged_cells_hold_for_each_row_and_titles_for_each_column(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.merge_range(0, 1, 0, 2, "Judge")
        sheet.write_row(1, 0, ["case", "accuracy", "tone"])
        sheet.merge_range(2, 0, 3, 0, "c1")
        sheet.write_row(2, 1, [4, 5])
        sheet.write_row(3, 1, [3, 2])
        sheet.write_row(4, 1, [1, 1])
    assert [row.values for row in rows_of(path)] == [
        {"case": "c1", "Judge accuracy": 4, "Judge tone": 5},
        {"case": "c1", "Judge accuracy": 3, "Judge tone": 2},
        {"case": None, "Judge accuracy": 1, "Judge tone": 1},
    ]


def test_of_several_sheets_the_fullest_is_read_and_the_others_named(tmp_path: Path) -> None:
    file = workbook(tmp_path / "a.xlsx", Notes=[["By hand"]], Results=[HEADER, *ROWS], Old=[["x"]])
    (sentence,) = sniff(file).sentences
    assert "the sheet Results is read, not Notes, Old" in sentence
    assert [row.values["id"] for row in rows_of(file)] == ["r1", "r2"]
    named = '[fields]\ninput = "x"\n'
    assert [row.line for row in rows_of(file, f'records = "Results"\n{named}')] == [2, 3]
    with pytest.raises(FormatError, match="no sheet Summary; it has Notes, Results, Old"):
        rows_of(file, f'records = "Summary"\n{named}')


def test_our_own_columns_need_no_mapping_whatever_other_sheets_there_are(tmp_path: Path) -> None:
    header = ["id", "run", "input", "response", "tags", "score:tone@judge", "reasoning:tone@judge",
              "label:tone:ann", "blind:tone:ann", "scores", "labels"]  # fmt: skip
    row = ["007", "r", "=Q?", "'A'", '["a"]', 4.5, "why", 3, True]
    words = [["column", "type", "meaning"], *[["id", "text", "what it is"]] * 9]
    file = open_file(workbook(tmp_path / "a.xlsx", dictionary=words, evaluations=[header, row]))
    assert file.sniffed.format == "workbook-records"
    assert not file.sniffed.sentences
    with file.items() as (_, items):
        (found,) = list(items)
    assert isinstance(found, Record)
    assert not found.refused
    assert found.fields == {
        "id": "007", "run": "r", "tags": ["a"], "input": "=Q?", "response": "'A'",
        "scores": [{"metric": "tone", "value": 4.5, "reasoning": "why", "scorer": "judge"}],
        "labels": [{"metric": "tone", "labeler": "ann", "value": 3, "blind": True}],
    }  # fmt: skip


def test_without_a_header_columns_have_numbers(tmp_path: Path) -> None:
    file = workbook(tmp_path / "a.xlsx", S=ROWS)
    found = rows_of(file, 'header = false\n[fields]\ninput = "column 2"\n')
    assert [row.values["column 1"] for row in found] == ["r1", "r2"]


def test_an_open_document_is_read(tmp_path: Path) -> None:
    row = "<table:table-row>{}</table:table-row>"
    score = '<table:table-cell office:value-type="float" office:value="4"/>'
    empty = (
        '<table:table-row table:number-rows-repeated="1048570">'
        '<table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
    )
    file = open_document(
        tmp_path / "a.ods",
        row.format("".join(map(text, HEADER)))
        + row.format(text("r1") + text("Q?") + text("A.") + score)
        + empty,
    )
    assert sniff(file).reason == "a workbook in OpenDocument"
    assert [row.values for row in rows_of(file)] == [
        {"id": "r1", "question": "Q?", "answer": "A.", "score": 4}
    ]
    assert sample(file).columns == tuple(HEADER)


def test_cells_that_stand_for_millions_are_refused(tmp_path: Path) -> None:
    cell = '<table:table-cell office:value-type="float" office:value="4" {}/>'
    many = cell.format('table:number-columns-repeated="16384"')
    row = f'<table:table-row table:number-rows-repeated="1048576">{many}</table:table-row>'
    with pytest.raises(FormatError, match="17,179,869,184 cells in one sheet; save the sheet"):
        rows_of(open_document(tmp_path / "a.ods", row))


def test_two_cells_at_the_ends_of_a_sheet_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "id")
        sheet.write(1_048_575, 16_383, "far")
    with pytest.raises(FormatError, match="17,179,869,184 cells in one sheet"):
        rows_of(path)


def test_what_grows_without_end_is_refused_before_the_library_sees_it(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", S=[HEADER])
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/bomb", bytes(80 << 20))
    with pytest.raises(FormatError, match="xl/media/bomb would grow"):
        rows_of(path)


def test_a_damaged_workbook_is_told(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", S=[HEADER, *ROWS])
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content[:90] if "sheet1" in name else content)
    with pytest.raises(FormatError, match=r"a.xlsx: the workbook is damaged|nothing to import"):
        open_file(path)
    path.write_bytes(path.read_bytes()[:400])
    with pytest.raises(FormatError, match="damaged"):
        sniff(path)


def test_a_sheet_without_any_cell_is_nothing_to_import(tmp_path: Path) -> None:
    """As a data frame without rows and columns is saved."""
    with pytest.raises(FormatError, match="nothing to import"):
        open_file(workbook(tmp_path / "empty.xlsx", Sheet1=[]))


def test_a_header_alone_is_nothing_to_import(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="a header and no row below it"):
        open_file(workbook(tmp_path / "a.xlsx", S=[HEADER]))
