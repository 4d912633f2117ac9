"""Read JSON of any size piece by piece, and say in words what is wrong with it.

Only the record at hand is in memory. Lines are parsed one by one, so that a broken one costs
itself alone; inside one big document a broken record ends the reading, since nobody can tell where
the next one starts.
"""

import codecs
import json
import re
from collections.abc import Collection, Iterator
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

import msgspec
from pydantic_core import from_json

from reviewer.domain.errors import FormatError
from reviewer.formats.incoming import BadRow
from reviewer.formats.json_errors import in_words
from reviewer.formats.paths import Json, keys_of

CHUNK = 1 << 18
EXCERPT = 80
_BLANKS = re.compile(r"[ \t\r\n]*")
_OPENED: Final = {"{": "}", "[": "]"}
_MOST_AHEAD = 32 << 20
_FIRST_KEY = re.compile(r'\{[ \t]*"[^"\\]+"[ \t]*:')
_MOST_BLANKS = 8
_DIVIDED = re.compile(r"\}[ \t\r\n]*,[ \t\r\n]*\Z")
_TRIES, _MOST_MISSES = 4, 20
_LITERALS = ("true", "false", "null", "-")
_CUT_SHORT = ("Unterminated string", "Invalid \\escape", "Invalid \\uXXXX")


class ByteSource(Protocol):
    """Anything that hands out unpacked UTF-8 bytes."""

    def read(self, size: int = -1, /) -> bytes:
        """Read bytes; at the end, nothing."""
        ...

    def readline(self, limit: int = -1, /) -> bytes:
        """Read one line with its end."""
        ...


class Item(NamedTuple):
    """One JSON value of a file."""

    line: int
    value: Json
    key: str | None = None
    """the key that `*` of the records path stood for"""
    is_whole: bool = False
    """the parser has refused unpaired surrogates"""


@runtime_checkable
class Rowed(Protocol):
    """What gives values as a file of JSON would hold them, such as a table."""

    def items(self) -> "Iterator[Item | BadRow]":
        """Give them in their order."""
        ...


class _BrokenError(FormatError):
    """Say what is wrong with the text, and on which line."""

    def __init__(self, line: int, reason: str, excerpt: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.row = BadRow(line, "", excerpt, reason)


class JsonText:
    """A JSON text that is read from front to back, value by value."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="surrogateescape").decode
        self._text = ""
        self._at = 0
        self._lines = 1
        self._counted = 0
        self._ended = False
        self._margin: str | None = None
        self._start = ""
        self._misses = 0
        self.arrived = False
        self.is_whole = False
        self._scan = json.JSONDecoder().raw_decode

    def _more(self, size: int) -> bool:
        """Read on, dropping what is used up; False where nothing more came."""
        if self._ended:
            return False
        piece = self._source.read(size)
        self._ended = not piece
        self._lines = self.line
        more = self._decode(piece, self._ended)
        self._text = self._text[self._at :] + more
        self._at = self._counted = 0
        return bool(piece or more)

    @property
    def line(self) -> int:
        """Give the line of the next value, counted from 1."""
        self._lines += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._lines

    def peek(self) -> str:
        """Give the next character that is no blank, empty at the end."""
        while True:
            end = _BLANKS.match(self._text, self._at).end()  # type: ignore[union-attr]
            if end > self._at:
                blank = (self._margin or "") + self._text[self._at : end]
                at_start = self._margin is not None or "\n" in blank
                self._margin = blank.rpartition("\n")[2] if at_start else None
                self._at = end
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more(CHUNK):
                return ""

    def take(self, character: str) -> bool:
        """Step over a character where it is the next one."""
        if self.peek() != character:
            return False
        self._at += 1
        self._margin = None
        return True

    def value(self, *, sealed: bool = False) -> Json:
        """Give the next value.

        Args:
            sealed: The values of an object may be left unread, for `unsealed` to read those that
                are wanted.

        Raises:
            FormatError: There is none, it is cut off, or it is no JSON.
        """
        self.peek()
        margin, self._margin = self._margin, None
        self.is_whole = False
        found = self._ahead(margin, sealed=sealed)
        if found is not None:
            return found
        size = CHUNK
        while True:
            at = self._at
            try:
                value, end = self._scan(self._text, at)
            except json.JSONDecodeError as error:
                cut = error.pos >= len(self._text) - 8 or error.msg.startswith(_CUT_SHORT)
                if not cut or not self._more(size):
                    error.pos += self._at - at
                    raise self._broken(error) from None
            except RecursionError:
                raise self.problem("it is nested too deeply to be read") from None
            except ValueError:
                raise self.problem("it holds a number with thousands of digits") from None
            else:
                whole = end < len(self._text) or self._text[end - 1] in '}]"'
                if whole or not self._more(size):
                    self._at += end - at
                    return value
            # a huge value is tried again only after as much again has been read
            size = max(size, len(self._text))

    def _ahead(self, margin: str | None, *, sealed: bool) -> Json:
        """Read an object or list whose end can be seen from here, None where it cannot."""
        if margin is not None and self._text.startswith(("\n", "\r\n"), self._at + 1):
            return self._indented(margin, sealed=sealed)
        return self._alike(sealed=sealed) if self._start else None

    def _indented(self, margin: str, *, sealed: bool) -> Json:
        """Read a value over several lines up to the line that closes it, ten times as fast.

        No text of JSON holds a line break, so that what is JSON up to there is the whole value;
        None where it is not, and the slow way tells why.
        """
        closing = f"\n{margin}{_OPENED.get(self._text[self._at], '')}"
        seen = 0
        while (end := self._text.find(closing, self._at + seen)) < 0:
            seen = max(0, len(self._text) - self._at - len(closing))
            if seen > _MOST_AHEAD or not self._more(max(CHUNK, seen)):
                return None
        end += len(closing)
        try:
            value = _decoded(self._text[self._at : end], sealed=sealed)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None
        self._at = end
        self.is_whole = True
        return value

    def expect_alike(self) -> None:
        """Expect that the values of the list begin as the one that stands next, as rows do."""
        self.peek()
        first = _FIRST_KEY.match(self._text, self._at)
        self._start = first[0] if first else ""

    def expect_anything(self) -> None:
        """Expect no more that values begin alike, at the end of a list."""
        self._start = ""

    def _alike(self, *, sealed: bool) -> Json:
        """Read an object up to where another one begins as it does, several times as fast.

        What is JSON up to there is the whole value. None where nothing is, as where many objects
        within it begin alike, and the slow way tells why.
        """
        if not self._text.startswith(self._start, self._at):
            return None
        seen = len(self._start)
        for _ in range(_TRIES):
            after = self._next_alike(seen)
            if after is None:
                return None
            end = self._text.rfind("}", self._at, after) + 1
            try:
                value = _decoded(self._text[self._at : end], sealed=sealed)
            except (msgspec.MsgspecError, ValueError, RecursionError):
                seen = after + 1 - self._at
                continue
            self._at = end
            self.is_whole = True
            return value
        self._misses += 1
        self._start = self._start if self._misses < _MOST_MISSES else ""
        return None

    def _next_alike(self, seen: int) -> int | None:
        """Find where the next object of some list begins as this one, None where none is near."""
        while True:
            after = self._text.find(self._start, self._at + seen)
            if after < 0:
                seen = max(seen, len(self._text) - self._at - len(self._start))
                if seen > _MOST_AHEAD or not self._more(max(CHUNK, seen)):
                    return None
            elif _DIVIDED.search(self._text, after - _MOST_BLANKS, after):
                return after
            else:
                seen = after + 1 - self._at

    def problem(self, reason: str) -> FormatError:
        """Make the error for what stands next."""
        return _BrokenError(self.line, reason, self._text[self._at : self._at + EXCERPT])

    def _broken(self, error: json.JSONDecodeError) -> FormatError:
        rest = self._text[error.pos :].strip()
        cut = error.msg.startswith(_CUT_SHORT) or any(word.startswith(rest) for word in _LITERALS)
        if self._ended and cut:
            return self.problem("the file ends in the middle of this record: it was cut off")
        line = self.line + self._text.count("\n", self._at, error.pos)
        excerpt = self._text[max(0, error.pos - EXCERPT // 2) : error.pos + EXCERPT // 2]
        return _BrokenError(line, in_words(error, self._text, where="from here on"), excerpt)


def _decoded(text: str | bytes, *, sealed: bool) -> Json:
    if sealed and text[:1] in ("{", b"{"):
        return msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    return msgspec.json.decode(text)


def sealed(text: bytes) -> Json:
    """Read JSON so that the values of an object are read only when `unsealed` wants them.

    Raises:
        ValueError: It is no JSON, or nested too deeply.
    """
    text = text.removeprefix(codecs.BOM_UTF8)
    try:
        return _decoded(text, sealed=True)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply to be read") from None


def unsealed(value: Any) -> Json:  # noqa: ANN401 - a JSON value is anything
    """Give a value that may have been left unread."""
    if not isinstance(value, msgspec.Raw):
        return value
    try:
        return msgspec.json.decode(value)
    except msgspec.MsgspecError:  # such as a number beyond what it holds
        return json.loads(bytes(value), parse_int=_long)


def _long(digits: str) -> int | str:
    """Read a whole number; one too long to be any is the text that it came as."""
    try:
        return int(digits)
    except ValueError:
        return digits


def size_of(value: Any) -> int:  # noqa: ANN401 - a JSON value is anything
    """Tell how long the JSON of a value is."""
    if isinstance(value, msgspec.Raw):
        return memoryview(value).nbytes
    return len(json.dumps(value, ensure_ascii=False))


def lines(source: ByteSource) -> Iterator[Item | BadRow]:
    """Read one JSON value a line; blank lines are left out."""
    number = 0
    while line := source.readline():
        number += 1
        if not line.isspace():
            try:
                yield Item(number, from_json(line), is_whole=True)
            except ValueError as error:
                yield _second_try(number, line, str(error))


def _second_try(number: int, line: bytes, problem: str) -> Item | BadRow:
    """Accept what JSON permits and a strict parser does not, such as half of a surrogate pair."""
    try:
        return Item(number, json.loads(line))
    except UnicodeDecodeError as error:
        found = f"byte 0x{line[error.start]:02x} at position {error.start + 1}"
        reason = f"{found} is not UTF-8; save the file as UTF-8"
    except json.JSONDecodeError as error:
        cut = problem.startswith("EOF") and not line.endswith(b"\n")
        reason = (
            "the file ends in the middle of this line"
            if cut
            else in_words(error, error.doc, where=f"from position {error.pos + 1} on")
        )
    except (RecursionError, ValueError):
        reason = "its values are nested too deeply, or a number has thousands of digits"
    return BadRow(number, "", line[:EXCERPT].decode("utf-8", "backslashreplace").strip(), reason)


def documents(source: ByteSource) -> Iterator[Item | BadRow]:
    """Read JSON values that follow one another, whatever the line breaks between them."""
    text = JsonText(source)
    try:
        while text.peek():
            yield Item(text.line, text.value())
    except _BrokenError as error:
        yield error.row


def elements(source: ByteSource, path: str = "") -> Iterator[Item | BadRow]:
    """Read the elements of the list that stands at a dotted path; "" is the document itself.

    A step `*` stands for every key; after a last `*` objects count as elements too. A path that
    ends in "." leads to one object, which is the only element: `results.`, or just ".".

    Raises:
        FormatError: The path leads to no list.
    """
    text = JsonText(source)
    single = path.endswith(".")
    steps = keys_of(path.removesuffix("."))
    try:
        yield from _walk(text, steps, None, single=single)
    except _BrokenError as error:
        yield error.row
        return
    if not text.arrived:
        raise FormatError(f"The file holds no list of records at {path}.")


def parts(
    source: ByteSource, lists: Collection[str], *, sealed: bool = False
) -> Iterator[Item | BadRow]:
    """Read one document as its parts: the elements of some lists, and whatever stands around them.

    Each has the dotted path of its key as `key`; an element that of its list.

    Args:
        source: The file, at its start.
        lists: The paths of the lists that are walked.
        sealed: The values of an element may be left unread, for `unsealed`.
    """
    text = JsonText(source)
    try:
        yield from _parts(text, "", lists, sealed=sealed)
    except _BrokenError as error:
        yield error.row


def _parts(text: JsonText, path: str, lists: Collection[str], *, sealed: bool) -> Iterator[Item]:
    if path in lists and text.peek() == "[":
        yield from _list(text, path, sealed=sealed)
        return
    if text.peek() != "{" or (path and not any(x.startswith(f"{path}.") for x in lists)):
        line = text.line
        yield Item(line, text.value(), path)
        return
    text.take("{")
    while not text.take("}"):
        name = text.value()
        if not isinstance(name, str) or not text.take(":"):
            raise text.problem("a key and a colon are expected here")
        yield from _parts(text, f"{path}.{name}" if path else name, lists, sealed=sealed)
        if not text.take(",") and text.peek() != "}":
            raise text.problem("a comma or } is expected here")


def items(source: ByteSource | Rowed, shape: str, records: str = "") -> Iterator[Item | BadRow]:
    """Read the values of a file of JSON, whatever its shape, or those that a table's rows hold.

    Args:
        source: The file, at its start.
        shape: `lines`, `documents`, `list` or `object`.
        records: Where they are inside one object; `.` is the object itself.

    Raises:
        FormatError: The path leads to no list.
    """
    if isinstance(source, Rowed):
        return source.items()
    if shape == "lines":
        return lines(source)
    if shape == "documents" or records == ".":
        return documents(source)
    return elements(source, "" if shape == "list" else records)


def beside(source: ByteSource, records: str, needed: str) -> dict[str, Json]:
    """Give what an object holds beside the list of its records, which is stepped over.

    Args:
        source: The file, at its start.
        records: The key of the list.
        needed: The key that is looked for; where it stood before the records, the rest of the
            file is not read.

    Raises:
        FormatError: The file holds no object, or it is broken before its end.
    """
    text = JsonText(source)
    found: dict[str, Json] = {}
    if not text.take("{"):
        raise text.problem("an object is expected here")
    while not text.take("}"):
        name = str(text.value())
        if not text.take(":"):
            raise text.problem("a colon is expected here")
        if name != records:
            found[name] = text.value()
        elif needed in found:
            return found
        else:
            for _ in _list(text, None):
                pass
        text.take(",")
    return found


def _walk(text: JsonText, steps: list[str], key: str | None, *, single: bool) -> Iterator[Item]:
    if not steps:
        text.arrived = True
        single = single or (key is not None and text.peek() == "{")
        yield from _whole(text, key) if single else _list(text, key)
        return
    if not text.take("{"):
        raise text.problem(f"an object with the key {steps[0]} is expected here")
    while not text.take("}"):
        name = text.value()
        if not isinstance(name, str) or not text.take(":"):
            raise text.problem("a key and a colon are expected here")
        if steps[0] in ("*", name):
            inner = name if steps[0] == "*" else key
            if text.peek() in "{[":
                yield from _walk(text, steps[1:], inner, single=single)
            else:
                text.value()
        else:
            text.value()
        if not text.take(",") and text.peek() != "}":
            raise text.problem("a comma or } is expected here")


def _whole(text: JsonText, key: str | None) -> Iterator[Item]:
    line = text.peek() and text.line
    yield Item(int(line or 1), text.value(), key)


def _list(text: JsonText, key: str | None, *, sealed: bool = False) -> Iterator[Item]:
    if not text.take("["):
        raise text.problem("a list of records is expected here")
    text.expect_alike()
    while not text.take("]"):
        text.peek()
        line, value = text.line, text.value(sealed=sealed)
        yield Item(line, value, key, text.is_whole)
        if not text.take(",") and text.peek() != "]":
            reason = "a comma or ] is expected here"
            raise text.problem(reason if text.peek() else "the file ends inside the list: cut off")
    text.expect_anything()
