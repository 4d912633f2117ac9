import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.domain.errors import FormatError
from reviewer.formats.delimited import Dialect, TableRow, column_names, guess, rows
from reviewer.formats.incoming import BadRow


def read(text: str, dialect: Dialect | None = None) -> list[TableRow | BadRow]:
    return list(rows(io.BytesIO(text.encode("utf-8", "surrogateescape")), dialect or Dialect()))


def cells(text: str, dialect: Dialect | None = None) -> list[dict[str, str]]:
    return [row.cells for row in read(text, dialect) if isinstance(row, TableRow)]


def bad(text: str, dialect: Dialect | None = None) -> list[BadRow]:
    return [row for row in read(text, dialect) if isinstance(row, BadRow)]


@pytest.mark.parametrize(
    ("text", "delimiter", "columns"),
    [
        ("id,text\n1,hello; you\n2,b\n", ",", 2),
        ("id;text;score\n1;hello, you;2,5\n2;b, c;3,5\n", ";", 3),
        ('id\ttext\n1\tsay "hi", you\n2\tb\n', "\t", 2),
        ("id|text\n1|a,b\n", "|", 2),
        ('a,"b;\nc;d",e\n1,2,3\n', ",", 3),
        ("sep=;\na;b\n1;2\n", ";", 2),
        ("just some prose\nand more of it\n", ",", 1),
    ],
)
def test_the_delimiter_is_found(text: str, delimiter: str, columns: int) -> None:
    dialect, count = guess(text, whole=True)
    assert dialect.delimiter == delimiter
    assert count == columns


def test_tabs_with_stray_quotation_marks_are_read_without_quoting() -> None:
    text = 'id\ttext\n1\t"Hello\n2\tyou"\n3\t"a" and\n'
    dialect, _ = guess(text, whole=True)
    assert dialect.quote == ""
    assert [row["text"] for row in cells(text, dialect)] == ['"Hello', 'you"', '"a" and']


def test_line_breaks_in_cells_count_as_lines() -> None:
    found = read('id,text\n1,"a\nb\nc"\n2,d\n')
    assert found == [
        TableRow(2, {"id": "1", "text": "a\nb\nc"}),
        TableRow(5, {"id": "2", "text": "d"}),
    ]


def test_ragged_rows_are_named_and_the_others_read() -> None:
    text = "id,a,b\n1,x,y\n2,x\n3,x,y,z\n4,x,y,,\n"
    assert [row["id"] for row in cells(text)] == ["1", "4"]
    short, long = bad(text)
    assert short.line == 3
    assert short.reason.startswith("it has 2 cells where the header has 3; cells are missing")
    assert long.line == 4
    assert "must stand in quotes" in long.reason


def test_a_row_with_another_delimiter_is_recognised() -> None:
    (row,) = bad("id,a,b\n1,x,y\n2;x;y\n")
    assert "divided by a semicolon instead of a comma" in row.reason


def test_a_quote_that_never_closes_names_where_it_opened() -> None:
    found = bad('id,text\n1,a\n2,"never closed\n3,b\n')
    assert [row.line for row in found] == [3]
    assert "never closes" in found[0].reason


def test_quotation_marks_that_are_not_doubled_are_let_pass() -> None:
    assert cells('id,text\n1,"say "hi" now"\n2,b\n')[1] == {"id": "2", "text": "b"}


def test_repeated_and_missing_names_are_told_apart() -> None:
    assert column_names(["a", "a", "", "a", "a#2"]) == ["a", "a#3", "column 3", "a#4", "a#2"]
    names = column_names(["Score", "Status", "Score", "Status", "Score"])
    assert names == ["Score", "Status", "Score#2", "Status#2", "Score#3"]


def test_names_are_always_different() -> None:
    @given(st.lists(st.sampled_from(["a", "b", "a#2", "a#3", "", "column 1"]), max_size=8))
    def check(header: list[str]) -> None:
        assert len(set(column_names(header))) == len(header)

    check()


def test_null_bytes_stay_in_their_cell() -> None:
    assert cells("id,text\n1,a\0b\n") == [{"id": "1", "text": "a\0b"}]


def test_a_cell_of_50_mb_is_read() -> None:
    (row,) = cells('id,text\n1,"' + "x" * 50_000_000 + '"\n')
    assert len(row["text"]) == 50_000_000


def test_old_line_ends_are_understood() -> None:
    assert cells("id,text\r1,a\r2,b\r") == [{"id": "1", "text": "a"}, {"id": "2", "text": "b"}]
    assert cells("id,text\r\n1,a\r\n") == [{"id": "1", "text": "a"}]


def test_a_table_without_header_gets_numbers() -> None:
    assert cells("1,a\n", Dialect(header=False)) == [{"column 1": "1", "column 2": "a"}]


def test_nothing_at_all_is_an_error() -> None:
    with pytest.raises(FormatError, match="no header"):
        read("\n\n")


def test_returns_end_lines_beside_line_feeds() -> None:
    mixed = 'id,answer\r1,"one\rtwo"\r2,b\n3,c\r\n4,d\r'
    assert [tuple(row.values()) for row in cells(mixed)] == [
        ("1", "one\rtwo"), ("2", "b"), ("3", "c"), ("4", "d"),
    ]  # fmt: skip


def test_a_return_within_a_bare_cell_costs_its_row_alone() -> None:
    text = "id,answer,score\n1,a,3\n2,b\rb,4\n3,c,5\n"
    assert [row["id"] for row in cells(text)] == ["1", "3"]
    assert {row.line for row in bad(text)} == {3}
    assert "a line break stands outside quotes" in bad(text)[0].reason


def test_a_bare_return_beside_a_stray_mark_is_one_bad_row() -> None:
    text = 'id,answer\n1,a\n2,"b"c,d\re\n3,f\n'
    (problem,) = bad(text)
    assert "bare carriage return" in problem.reason
    assert [row["id"] for row in cells(text)] == ["1", "3"]
