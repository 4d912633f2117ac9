import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.domain.errors import FormatError
from reviewer.formats.incoming import BadRow
from reviewer.formats.json_text import ByteSource, Item, beside, documents, elements, lines

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


class Dribble(io.BytesIO):
    """Hand out a few bytes at a time, so that every value is cut somewhere."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(7, size) if size and size > 0 else 7)


def read(items: Any) -> list[Any]:
    found = list(items)
    assert all(isinstance(item, Item) for item in found), found
    return [item.value for item in found]


@given(st.lists(values, max_size=5), st.sampled_from([None, 2]))
def test_a_list_gives_back_its_elements_however_it_is_cut(
    rows: list[Any], indent: int | None
) -> None:
    text = json.dumps(rows, indent=indent).encode()
    assert read(elements(Dribble(text))) == rows


@given(st.lists(values, min_size=1, max_size=5))
def test_documents_follow_one_another(rows: list[Any]) -> None:
    text = "\n".join(json.dumps(row, indent=1) for row in rows).encode()
    assert read(documents(Dribble(text))) == rows


@given(st.lists(values, max_size=4), values)
def test_a_list_inside_an_object_is_found_by_its_path(rows: list[Any], other: Any) -> None:
    document = {"before": other, "results": {"x": 1, "rows": rows, "y": other}, "after": [other]}
    assert read(elements(Dribble(json.dumps(document).encode()), "results.rows")) == rows


def test_a_star_gives_the_key_with_each_element() -> None:
    source = io.BytesIO(b'{"a": [{"n": 1}], "n": 5, "b": {"n": 2}}')
    found = [(x.line, x.value, x.key) for x in elements(source, "*") if isinstance(x, Item)]
    assert found == [(1, {"n": 1}, "a"), (1, {"n": 2}, "b")]


def test_the_object_itself_is_one_element() -> None:
    assert read(elements(io.BytesIO(b'{"a": {"b": 1}}'), ".")) == [{"a": {"b": 1}}]
    assert read(elements(io.BytesIO(b'{"a": {"b": 1}}'), "a.")) == [{"b": 1}]


def test_a_path_to_nothing_is_an_error() -> None:
    with pytest.raises(FormatError, match="no list of records at rows"):
        list(elements(io.BytesIO(b'{"a": 1}'), "rows"))


def test_lines_are_counted_inside_a_list() -> None:
    source = io.BytesIO(b'[\n {"a":\n 1},\n\n {"a": 2}]')
    assert [item.line for item in elements(source)] == [2, 5]


def one_bad(items: Any) -> BadRow:
    bad = [item for item in items if isinstance(item, BadRow)]
    assert len(bad) == 1
    return bad[0]


def test_a_list_that_is_cut_off_says_so_and_keeps_what_was_whole() -> None:
    found = list(elements(io.BytesIO(b'[{"a": 1}, {"a": "unfini')))
    assert isinstance(found[0], Item)
    assert found[0].value == {"a": 1}
    assert "cut off" in one_bad(found).reason


def test_a_missing_bracket_at_the_end_says_so() -> None:
    assert "cut off" in one_bad(elements(io.BytesIO(b'[{"a": 1}'))).reason


def test_a_broken_record_in_a_list_names_its_line() -> None:
    bad = one_bad(
        elements(io.BytesIO(b'[{"a": 1},\n {"a": oops},\n {"a": 3}' + b" " * 100 + b"]"))
    )
    assert bad.line == 2
    assert "no JSON from here on" in bad.reason


def test_a_broken_line_costs_itself_alone() -> None:
    found = list(lines(io.BytesIO(b'{"a": 1}\n\n{"a": }\n{"a": 3}\n')))
    assert [item.value for item in found if isinstance(item, Item)] == [{"a": 1}, {"a": 3}]
    assert one_bad(found).line == 3


def test_a_line_in_another_encoding_is_named() -> None:
    bad = one_bad(lines(io.BytesIO(b'{"a": "caf\xe9"}\n')))
    assert "byte 0xe9" in bad.reason
    assert "UTF-8" in bad.reason


def test_a_last_line_that_is_cut_off_says_so() -> None:
    assert "ends in the middle" in one_bad(lines(io.BytesIO(b'{"a": "unfin'))).reason


def test_half_a_surrogate_pair_is_left_to_the_check_of_values() -> None:
    assert read(lines(io.BytesIO(b'{"a": "\\ud800"}\n'))) == [{"a": "\ud800"}]


@pytest.mark.parametrize("reader", [lines, documents])
def test_nesting_without_end_is_refused(reader: Any) -> None:
    deep = b"[" * 200_000 + b"]" * 200_000
    assert "nested too deeply" in one_bad(reader(io.BytesIO(deep))).reason


class Endless:
    """A list of records that is never whole in memory."""

    def __init__(self, count: int) -> None:
        self.left = count
        self.first = True
        self.largest = 0

    def read(self, size: int = -1, /) -> bytes:
        self.largest = max(self.largest, size)
        if self.first:
            self.first = False
            return b"["
        self.left -= 1
        return (
            b'{"a": "' + b"x" * 1000 + b'"}, '
            if self.left > 0
            else b'{"a": 1}]'
            if self.left == 0
            else b""
        )

    def readline(self, limit: int = -1, /) -> bytes:
        raise NotImplementedError


def test_a_long_list_is_never_held_as_a_whole() -> None:
    source: ByteSource = Endless(5_000)
    assert sum(1 for _ in elements(source)) == 5_000
    assert isinstance(source, Endless)
    assert source.largest <= 1 << 18


alike = st.fixed_dictionaries(
    {"id": st.integers(0, 9)},
    optional={
        "text": st.text(max_size=4) | st.sampled_from(['{"id": ', '}, {"id": 1}', "{", "}"]),
        "inner": st.lists(st.fixed_dictionaries({"id": st.integers(0, 9)}), max_size=3),
        "number": st.just(float("inf")) | st.floats(allow_nan=False),
    },
)


@given(st.lists(alike | values, max_size=40), values)
def test_rows_in_one_line_that_begin_alike_are_told_apart(rows: list[Any], other: Any) -> None:
    document = {"rows": rows, "id": other, "more": [{"id": other}]}
    assert read(elements(Dribble(json.dumps(document).encode()), "rows")) == rows


def test_rows_in_one_line_are_read_up_to_the_next_that_begins_alike() -> None:
    inner = [{"id": 1}, {"id": 2}, {"id": 3}]
    rows = [{"id": n, "by": {"id": 1}, "text": "}, {" * 9, "inner": inner} for n in range(9)]
    found = list(elements(io.BytesIO(json.dumps(rows).encode())))
    assert [x.is_whole for x in found if isinstance(x, Item)] == [*[True] * 8, False]


def test_a_record_of_50_mb_is_read() -> None:
    row = json.dumps({"a": "é\\n" * 9_000_000}).encode()
    assert len(row) > 50_000_000
    (value,) = read(elements(io.BytesIO(b"[" + row + b"]")))
    assert len(value["a"]) == 27_000_000


@pytest.mark.parametrize("order", ["told-first", "told-last"])
def test_what_stands_beside_the_records_is_given_without_them(order: str) -> None:
    told, rows = '"told": [1], "name": {"a": "b"}', '"rows": [{"a": 1}, [2], 3]'
    text = ", ".join((told, rows) if order == "told-first" else (rows, told))
    source = io.BytesIO(f"{{{text}}}".encode())
    assert beside(source, "rows", "told") == {"told": [1], "name": {"a": "b"}}


def test_after_what_is_needed_the_records_are_not_read() -> None:
    source = io.BytesIO(b'{"told": 1, "rows": [{"a": this is no JSON')
    assert beside(source, "rows", "told") == {"told": 1}
    with pytest.raises(FormatError, match="no JSON"):
        beside(io.BytesIO(b'{"rows": [{"a": this is no JSON'), "rows", "told")


def test_half_a_character_in_a_broken_line_is_told_with_its_place() -> None:
    source = io.BytesIO(b'{"a": "\xed\xa0\x80", b}\n{"a": 1}\n')
    broken, whole = lines(source)
    assert isinstance(broken, BadRow)
    assert "a key in double quotes is expected" in broken.reason
    assert whole == Item(2, {"a": 1}, is_whole=True)
