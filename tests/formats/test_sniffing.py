import gzip
import io
import json
import sqlite3
import zipfile
from pathlib import Path

import pytest

from reviewer.domain.errors import FormatError
from reviewer.formats.sniffing import sniff

RECORD = {"id": "1", "input": "q", "response": "a", "scores": [{"metric": "m", "value": 3}]}


def put(folder: Path, content: bytes | str, name: str = "file.bin") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def zipped(*names: str) -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return memory.getvalue()


@pytest.mark.parametrize(
    ("content", "name", "format_name", "shape"),
    [
        (json.dumps(RECORD) + "\n" + json.dumps(RECORD), "a.csv", "native", "lines"),
        (json.dumps([RECORD], indent=1), "a.jsonl", "native", "list"),
        ('{"run":"r","id":"1","metric":"m","labeler":"a","value":3}\n', "a", "native", "lines"),
        ('{"text": "a", "label": [1]}\n{"text": "b", "label": []}\n', "a.json", "json", "lines"),
        ('{\n "a": 1\n}\n{\n "a": 2\n}\n', "a.jsonl", "json", "documents"),
        ('{"version": 1, "rows": [{"q": "x"}, {"q": "y"}]}', "a.json", "json", "object"),
        ("id,output\n1,a\n", "a.json", "table", "table"),
        ("id;output\n1;a\n", "a.txt", "table", "table"),
        ("id,run,response,scores,labels\n1,r,a,,\n", "x", "csv", "table"),
        ("run,id,metric,labeler,value,kind\nr,1,m,a,3,label\n", "x", "csv", "table"),
    ],
)
def test_the_content_decides_and_not_the_suffix(
    tmp_path: Path, content: str, name: str, format_name: str, shape: str
) -> None:
    for packed in (False, True):
        raw = gzip.compress(content.encode()) if packed else content
        found = sniff(put(tmp_path, raw, name))
        assert (found.format, found.shape) == (format_name, shape)


def test_other_tools_records_with_our_names_are_not_ours(tmp_path: Path) -> None:
    row = {"id": 1, "input": "q", "output": "a", "helpfulness": 4}
    assert sniff(put(tmp_path, json.dumps(row) + "\n" + json.dumps(row))).format == "json"


def test_our_records_with_more_keys_are_ours(tmp_path: Path) -> None:
    row = RECORD | {"ticket": 17}
    assert sniff(put(tmp_path, json.dumps(row) + "\n")).format == "native"


def test_the_longest_list_of_objects_is_taken(tmp_path: Path) -> None:
    document = {"metrics": [{"m": 1}], "data": {"rows": [{"q": 1}, {"q": 2}], "n": [1, 2, 3]}}
    assert sniff(put(tmp_path, json.dumps(document))).records == "data.rows"


def test_an_object_without_a_list_is_one_record(tmp_path: Path) -> None:
    assert sniff(put(tmp_path, json.dumps({"messages": ["a"]}, indent=1))).records == "."


def test_a_broken_first_line_does_not_hide_the_others(tmp_path: Path) -> None:
    found = sniff(put(tmp_path, '{"id": oops}\n' + json.dumps(RECORD) + "\n"))
    assert (found.format, found.shape) == ("native", "lines")


def test_a_first_line_of_a_megabyte_is_no_obstacle(tmp_path: Path) -> None:
    row = RECORD | {"response": "x" * 1_000_000}
    assert sniff(put(tmp_path, (json.dumps(row) + "\n") * 2)).format == "native"


def test_a_first_line_of_50_megabytes_is_no_obstacle(tmp_path: Path) -> None:
    row = RECORD | {"response": "x" * 50_000_000}
    found = sniff(put(tmp_path, json.dumps(row) + "\n" + json.dumps(RECORD) + "\n"))
    assert (found.format, found.shape) == ("native", "lines")


def test_the_list_of_an_object_too_large_to_look_through_is_found(tmp_path: Path) -> None:
    document = {"few": [{"a": 1}, {"a": 2}], "many": [{"q": "x" * 1_000_000}] * 12, "end": [{}]}
    found = sniff(put(tmp_path, json.dumps(document)))
    assert (found.shape, found.records) == ("object", "many")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (gzip.compress(b"", mtime=0), "is empty"),
        (zipped("xl/workbook.bin"), "an Excel workbook of an unknown kind"),
        (zipped("a.csv"), "a ZIP archive that holds a.csv; unpack it first"),
        (b"PK\x03\x04 cut", "a ZIP archive that is damaged"),
        (b"%PDF-1.7", "a PDF document"),
        (b"PAR1....", "the Parquet file is damaged"),
        (b"<!DOCTYPE html><html>", "a web page"),
        (bytes(range(256)) * 20, "a binary file of a kind that is not known"),
        (b"Only some prose here.\nNothing else.\n", "neither JSON nor a table"),
        (b'{"rows": [{"a": 1}, {"a": ', "cut off"),
        (b'{"rows": [{"a": 1}, oops]}', "no JSON from here on"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = put(tmp_path, content)
    with pytest.raises(FormatError, match=sentence) as caught:
        sniff(path)
    assert "file.bin" in str(caught.value)


def test_a_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    connection = sqlite3.connect(path)
    connection.execute("create table t (a)")
    connection.close()
    with pytest.raises(FormatError, match="an SQLite database"):
        sniff(path)


def test_another_encoding_is_told(tmp_path: Path) -> None:
    found = sniff(put(tmp_path, "id;text\n1;Café\n".encode("latin-1")))
    assert found.format == "table"
    assert "Latin-1" in found.sentences[0]
    assert sniff(put(tmp_path, "id,text\n1,Café\n".encode("utf-16"))).sentences
    assert not sniff(put(tmp_path, "\ufeffid,text\n1,Café\n")).sentences


def test_a_large_document_on_one_line_is_one_object(tmp_path: Path) -> None:
    rows = ", ".join(f'{{"question": "{"why " * 200}", "n": {n}}}' for n in range(12_000))
    one = tmp_path / "one.json"
    one.write_text(f'{{"made": "today", "rows": [{rows}]}}\n')
    assert one.stat().st_size > 8 << 20
    found = sniff(one)
    assert (found.shape, found.records) == ("object", "rows")
    several = tmp_path / "several.jsonl"
    several.write_text(one.read_text() + '{"made": "tomorrow", "rows": []}\n')
    assert sniff(several).shape == "lines"


def test_one_record_with_a_list_beside_is_no_list(tmp_path: Path) -> None:
    row = {"id": "a", "input": "Open?", "remark": 1, "seen": [{"by": "x"}]}
    assert sniff(put(tmp_path, json.dumps(row) + "\n")).shape == "lines"


def test_texts_on_lines_of_their_own_make_no_lines_of_a_large_document(tmp_path: Path) -> None:
    case = {"name": "a", "input": "Where?", "actualOutput": "Here. " * 200, "metricsData": [],
            "context": ["A timetable."]}  # fmt: skip
    path = put(tmp_path, json.dumps({"testCases": [case] * 8_000}, indent=2), "run.json")
    assert sniff(path).shape == "object"
