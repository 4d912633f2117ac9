"""Read the cases of a test set from JSON Lines, JSON, CSV or YAML, good and bad, line by line.

A case is what is asked and what is expected. What only an answer has (response, scores, latency)
is left out and told; a question goes by the names that question files give it.

Only what JSON can say is read: no tags, no aliases. Plain words stay texts where YAML of old made
numbers and truths of them: `no`, `on`, `15:00` and `007` are what they look like.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import yaml
from pydantic_core import from_json

from reviewer.domain.case_set import CASE_KEYS, Fields, question_of
from reviewer.domain.errors import FormatError
from reviewer.domain.record import RECORD_KEYS, SYNONYMS
from reviewer.formats import delimited, json_text
from reviewer.formats.delimited import TableRow
from reviewer.formats.incoming import BadRow, Record, Refused, Source
from reviewer.formats.json_text import EXCERPT, Item
from reviewer.formats.paths import Json
from reviewer.formats.record import checked
from reviewer.formats.streams import Stream, open_stream, read_head
from reviewer.formats.yaml_text import DEEPEST, WrongValueError, broken, value_of

LISTS_AT: Final = ("cases", "tests", "test_cases", "examples", "questions")
"""Keys under which a file may hold its list of cases."""
SPELLINGS: Final = {
    "id": ("case_id", "test_id", "test_case_id", "case", "test", "name"),
    **{key: others for key, others in SYNONYMS.items() if key in CASE_KEYS},
    "input": (*SYNONYMS["input"], "request"),
    "expected": (*SYNONYMS["expected"], "answer", "reference_answer", "ideal"),
    "expected_tools": ("tools",),
    "category": ("topic",),
    "complexity": ("difficulty",),
}
"""Other names of a case's keys, the likeliest first; used where the key itself is absent."""
LARGEST: Final = 256 << 20
"""Bytes, unpacked, of the largest file that is read."""
LONGEST_ID: Final = 40
_LISTS: Final = ("tags", "expected_keywords", "expected_tools")
_JSON_CELLS: Final = ("messages", "expected_sources", "context", *_LISTS)
_OF_ANSWERS: Final = frozenset(RECORD_KEYS) - {*CASE_KEYS, "case", "meta", "cluster", "unreadable"}
_ANSWERS: Final = ("response", "output")
"""What a result calls its answer, and a case the answer that is expected."""
_TEXTS: Final = ("id", "input", "expected", "category", "complexity", *_LISTS)
_SPELLED_TEXTS: Final = (
    *_TEXTS,
    *(other for key in _TEXTS for other in SPELLINGS.get(key, ())),
)
_YAML: Final = (".yaml", ".yml")
_TABLES: Final = (".csv", ".tsv")


@dataclass(frozen=True, slots=True)
class FoundCase:
    """A case as a file has it.

    Attributes:
        refused: Single values that were left out.
        left_out: Keys that only an answer has.
    """

    line: int
    fields: Fields
    refused: list[Refused] = field(default_factory=list)
    left_out: tuple[str, ...] = ()


class _Bounded:
    """A file of which only so much is read, as a packed one may unfold without end."""

    def __init__(self, source: Stream) -> None:
        self.path = source.path
        self.size = source.size
        self._source = source
        self._read = 0

    def position(self) -> int:
        return self._source.position()

    def read(self, size: int = -1, /) -> bytes:
        return self._counted(self._source.read(LARGEST + 1 if size < 0 else size))

    def readline(self, limit: int = -1, /) -> bytes:
        return self._counted(self._source.readline(LARGEST + 1 if limit < 0 else limit))

    @contextmanager
    def again(self) -> Iterator["_Bounded"]:
        with self._source.again() as source:
            yield _Bounded(source)

    def _counted(self, piece: bytes) -> bytes:
        self._read += len(piece)
        if self._read > LARGEST:
            raise FormatError(
                f"{self.path.name} holds more than {LARGEST >> 20} MB, which is no test set; "
                "import evaluation results with `reviewer import`."
            )
        return piece


def read(path: Path) -> Iterator[FoundCase | BadRow]:
    """Read a file's cases in their order.

    Raises:
        FormatError: The file cannot be opened, or is nothing that holds cases.
    """
    with open_stream(path) as source:
        for item in _items(_Bounded(source), path):
            yield item if isinstance(item, BadRow) else case_of(item.value, item.line)


def case_of(value: Json, line: int = 0) -> FoundCase | BadRow:
    """Make a case of a JSON value: names brought to ours, types checked, answers left out."""
    if not isinstance(value, dict):
        return BadRow(line, "", value, "an object with a question is expected")
    fields = spelled(value)
    left_out = tuple(key for key in fields if key in _OF_ANSWERS)
    for key in left_out:
        del fields[key]
    fields = {key: x for key, x in fields.items() if x not in (None, "", [])}
    if "id" not in fields:
        fields["id"] = id_from(question_of(fields) if _plausible(fields) else "")
    if not fields["id"]:
        return BadRow(line, "input", None, "there is neither an id nor a question")
    found = checked(fields, line)
    if not isinstance(found, Record):
        return found if isinstance(found, BadRow) else BadRow(line, "", None, "this is a label")
    if not question_of(found.fields):
        return BadRow(line, "input", None, "nothing is asked: no input and no turn of the user")
    ordered = {key: found.fields[key] for key in CASE_KEYS if key in found.fields}
    return FoundCase(line, ordered | found.fields, found.refused, left_out)


def id_from(question: str) -> str:
    """Make an id of a question's first words, so that the same question has the same id."""
    bare = unicodedata.normalize("NFKD", question).lower()
    whole = "-".join(
        re.findall(r"[^\W_]+", "".join(x for x in bare if not unicodedata.combining(x)))
    )
    if len(whole) <= LONGEST_ID:
        return whole
    mark = hashlib.sha256(whole.encode()).hexdigest()[:4]
    return f"{whole[:LONGEST_ID].rpartition('-')[0] or whole[:LONGEST_ID]}-{mark}"


def _plausible(fields: Fields) -> bool:
    turns = fields.get("messages", [])
    return isinstance(turns, list) and all(isinstance(turn, dict) for turn in turns)


def spelled(value: Fields) -> Fields:
    """Bring other spellings to the format's keys; `case` is the id that runs have in common.

    Where nothing else tells of a result, `response` and `output` are what is expected.
    """
    fields = dict(value)
    if fields.get("case"):
        fields["id"] = fields.pop("case")
    is_result = any(key in _OF_ANSWERS and key not in _ANSWERS for key in fields)
    for key, usual in SPELLINGS.items():
        others = usual if is_result or key != "expected" else (*usual, *_ANSWERS)
        other = next((x for x in others if fields.get(x) not in (None, "", [])), None)
        if fields.get(key) in (None, "", []) and other is not None:
            fields[key] = fields.pop(other)
    if isinstance(fields.get("id"), int | float) and not isinstance(fields["id"], bool):
        fields["id"] = str(fields["id"])
    return fields


def _items(source: _Bounded, path: Path) -> Iterator[Item | BadRow]:
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    if suffix in _YAML:
        yield from elements(source, LISTS_AT, _SPELLED_TEXTS)
    elif suffix in _TABLES:
        yield from _table(source, path)
    else:
        yield from _json(source, path)


def _json(source: _Bounded, path: Path) -> Iterator[Item | BadRow]:
    head = _head(path)
    if not head:
        raise FormatError(f"{path.name} is empty; one case a line is expected.")
    if head[:1] == b"[":
        yield from json_text.elements(source)
    elif head[:1] != b"{":
        raise FormatError(
            f"{path.name} holds no test set; JSON Lines, JSON, CSV and YAML are read, each known "
            "by its suffix."
        )
    elif under := _list_within(head):
        yield from json_text.elements(source, under)
    else:
        yield from json_text.lines(source)


def is_numbered(path: Path) -> bool:
    """Tell whether a line of a file may hold many cases: then a number tells the place."""
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    if suffix in (*_YAML, *_TABLES):
        return False
    head = _head(path)
    return head[:1] == b"[" or bool(_list_within(head))


def _head(path: Path) -> bytes:
    return read_head(path).lstrip(b"\xef\xbb\xbf \t\r\n")


def _list_within(head: bytes) -> str:
    """Find the key under which one big object holds its cases; empty for an object a line."""
    first = head.split(b"\n", 1)[0].strip()
    try:
        whole = from_json(first)
    except ValueError:
        whole = None
    if isinstance(whole, dict):
        return next((x for x in LISTS_AT if isinstance(whole.get(x), list)), "")
    names = re.findall(rb'"(\w+)"\s*:\s*\[', head)
    return next((x for x in LISTS_AT if x.encode() in names), "")


def _table(source: _Bounded, path: Path) -> Iterator[Item | BadRow]:
    dialect, _ = delimited.guess(read_head(path).decode(errors="replace"), whole=False)
    for row in delimited.rows(source, dialect):
        yield row if isinstance(row, BadRow) else _of_cells(row)


def _of_cells(row: TableRow) -> Item | BadRow:
    fields: Fields = {}
    for name, cell in row.cells.items():
        if not cell.strip():
            continue
        key = name.strip()
        known = next((k for k, others in SPELLINGS.items() if key.lower() in others), key.lower())
        value = _cell(cell, known) if known in _JSON_CELLS else cell
        if isinstance(value, ValueError):
            return BadRow(row.line, key, cell[:80], "this looks like JSON and is none")
        fields[key.lower() if known in (*CASE_KEYS, *_OF_ANSWERS) else key] = value
    return Item(row.line, fields)


def _cell(cell: str, key: str) -> Json | ValueError:
    text = cell.strip()
    if text[0] in "[{":
        try:
            return from_json(text)
        except ValueError as error:
            return error
    if key not in _LISTS:
        return cell
    cut = next((x for x in ";|," if x in text), ",")
    return [part.strip() for part in text.split(cut) if part.strip()]


LARGEST_YAML: Final = 16 << 20
"""Bytes of the largest file that is read."""


def elements(source: Source, keys: Sequence[str], texts: Sequence[str]) -> Iterator[Item | BadRow]:
    """Read the elements of the list that the file is, or that stands under one of the keys.

    Args:
        source: The open file.
        keys: Names under which the list may stand.
        texts: Keys of an element whose plain values stay texts, also where they look like numbers.

    Raises:
        FormatError: The file is no YAML, too large, or holds what could stand for gigabytes.
    """
    name = source.path.name
    written = source.read(LARGEST_YAML + 1)
    if len(written) > LARGEST_YAML:
        raise FormatError(
            f"{name} is larger than {LARGEST_YAML >> 20} MB; write so many cases as JSON Lines."
        )
    try:
        text = written.decode()
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{name}: byte {error.start + 1} is no UTF-8; save it as UTF-8."
        ) from None
    for document in _documents(text, name):
        for node in _nodes(document, keys):
            yield _item(node, texts)


def _documents(text: str, name: str) -> list[yaml.Node]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _look(yaml.parse(text, Loader=loader), name)
        return [node for node in yaml.compose_all(text, Loader=loader) if node is not None]
    except yaml.YAMLError as error:
        raise broken(name, error) from None


def _look(events: Iterator[yaml.Event], name: str) -> None:
    """Refuse what could fill the memory, before anything is built."""
    depth = 0
    for event in events:
        mark = event.start_mark
        place = f"{name}, line {mark.line + 1 if mark else 1}"
        if isinstance(event, yaml.AliasEvent):
            raise FormatError(
                f"{place}: the alias *{event.anchor} is not read, because a few of them can stand "
                "for gigabytes; write the value out."
            )
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            raise FormatError(f"{place}: values are nested more than {DEEPEST} levels deep.")


def _nodes(document: yaml.Node, keys: Sequence[str]) -> Iterator[yaml.Node]:
    if isinstance(document, yaml.SequenceNode):
        yield from document.value
        return
    if isinstance(document, yaml.MappingNode):
        for key, value in document.value:
            if key.value in keys and isinstance(value, yaml.SequenceNode):
                yield from value.value
                return
    yield document


def _item(node: yaml.Node, texts: Sequence[str]) -> Item | BadRow:
    line = int(node.start_mark.line) + 1
    try:
        value = value_of(node)
        if isinstance(value, dict):
            _keep_texts(node, value, texts)
    except WrongValueError as error:
        found = error.node.value if isinstance(error.node.value, str) else error.node.tag
        return BadRow(int(error.node.start_mark.line) + 1, "", found[:EXCERPT], str(error))
    return Item(line, value)


def _keep_texts(node: yaml.Node, value: dict[str, Json], texts: Sequence[str]) -> None:
    for key, under in node.value:
        if key.value not in texts or value.get(key.value) is None:
            continue
        if isinstance(under, yaml.ScalarNode):
            value[key.value] = under.value
        elif isinstance(under, yaml.SequenceNode):
            value[key.value] = [
                x.value if isinstance(x, yaml.ScalarNode) else one
                for x, one in zip(under.value, value[key.value], strict=True)
            ]
