"""Read the records of a YAML file as JSON values, each with its line.

Only what JSON can say is read: no tags, no aliases. Plain words stay texts where YAML of old made
numbers and truths of them: `no`, `on`, `15:00` and `007` are what they look like.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import yaml

from reviewer.domain.errors import FormatError
from reviewer.formats.incoming import BadRow, Source
from reviewer.formats.json_text import Item
from reviewer.formats.paths import Json

LARGEST: Final = 16 << 20
"""Bytes of the largest file that is read."""
DEEPEST: Final = 50
EXCERPT: Final = 80
_TAG: Final = "tag:yaml.org,2002:"
_WHOLE: Final = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_FRACTION: Final = re.compile(r"[-+]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?")
_TEXTS: Final = ("str", "timestamp", "merge", "value")


class _WrongValueError(Exception):
    """Carry what a value is that no JSON can say."""

    def __init__(self, node: yaml.Node, reason: str) -> None:
        super().__init__(reason)
        self.node = node


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
    written = source.read(LARGEST + 1)
    if len(written) > LARGEST:
        raise FormatError(
            f"{name} is larger than {LARGEST >> 20} MB; write so many cases as JSON Lines."
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
    except yaml.MarkedYAMLError as error:
        mark, start = error.problem_mark or error.context_mark, error.context_mark
        place = f", line {mark.line + 1}" if mark else ""
        within = f", in what begins on line {start.line + 1}" if start else ""
        said = " ".join(str(error.problem or error.context or "it cannot be read").split())
        raise FormatError(f"{name}{place}: this is no YAML: {said}{within}.") from None
    except yaml.YAMLError as error:
        said = " ".join(str(error).split())[:EXCERPT]
        raise FormatError(f"{name} is no YAML: {said}.") from None


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
        value = _value(node)
        if isinstance(value, dict):
            _keep_texts(node, value, texts)
    except _WrongValueError as error:
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


def _value(node: yaml.Node) -> Json:
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node)
    if node.tag not in (f"{_TAG}seq", f"{_TAG}map"):
        raise _WrongValueError(node, f"the tag {node.tag} is not read; write plain values")
    if isinstance(node, yaml.SequenceNode):
        return [_value(x) for x in node.value]
    found: dict[str, Json] = {}
    for key, under in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise _WrongValueError(key, "a key is a text")
        if key.value in found:
            raise _WrongValueError(key, "this key stands twice in one object")
        found[key.value] = _value(under)
    return found


def _scalar(node: yaml.ScalarNode) -> Json:
    kind, text = node.tag.removeprefix(_TAG), node.value
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() == "true" if text.lower() in ("true", "false") else text
    if kind in ("int", "float"):
        if _WHOLE.fullmatch(text):
            return int(text)
        return float(text) if _FRACTION.fullmatch(text) else text
    if kind in _TEXTS:
        return text
    raise _WrongValueError(node, f"the tag {node.tag} is not read; write a plain value")
