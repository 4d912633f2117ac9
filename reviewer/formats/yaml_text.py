"""Read YAML as far as it says what JSON says, and large documents piece by piece.

Plain words stay texts where YAML of old made numbers and truths of them: `no`, `on`, `15:00` and
`007` are what they look like.
"""

import re
from collections.abc import Collection, Iterator
from typing import Any, Final

import yaml

from reviewer.domain.errors import FormatError
from reviewer.formats.incoming import BadRow, Source
from reviewer.formats.json_text import EXCERPT, Item
from reviewer.formats.paths import Json

DEEPEST: Final = 50
MOST_PLACES: Final = 1_000_000
"""Values of one record, each counted where an alias repeats it."""
_Event = Any
"""An event of PyYAML, of either of its parsers."""
_TAG: Final = "tag:yaml.org,2002:"
_WHOLE: Final = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_FRACTION: Final = re.compile(r"[-+]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?")
_YAML_TEXTS: Final = ("str", "timestamp", "merge", "value")


class WrongValueError(Exception):
    """Carry what a value is that no JSON can say."""

    def __init__(self, node: yaml.Node, reason: str) -> None:
        super().__init__(reason)
        self.node = node


def broken(name: str, error: yaml.YAMLError) -> FormatError:
    """Say where a file stops being YAML, and why."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return FormatError(f"{name} is no YAML: {' '.join(str(error).split())[:EXCERPT]}.")
    mark, start = error.problem_mark or error.context_mark, error.context_mark
    place = f", line {mark.line + 1}" if mark else ""
    within = f", in what begins on line {start.line + 1}" if start else ""
    said = " ".join(str(error.problem or error.context or "it cannot be read").split())
    return FormatError(f"{name}{place}: this is no YAML: {said}{within}.")


def parts(source: Source, lists: Collection[str]) -> Iterator[Item | BadRow]:
    """Read one document as its parts, as `json_text.parts` does; aliases are followed.

    Raises:
        FormatError: The file is no YAML, or holds what could fill the memory.
    """
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        yield from _Document(yaml.parse(source, Loader=loader), source.path.name).parts(lists)
    except yaml.YAMLError as error:
        raise broken(source.path.name, error) from None


class _Document:
    """A document whose events are put together value by value."""

    def __init__(self, events: Iterator[_Event], name: str) -> None:
        self._events = events
        self._name = name
        self._resolver: Any = yaml.resolver.Resolver()
        self._anchors: dict[str, tuple[yaml.Node, int]] = {}
        self._depth = 0

    def parts(self, lists: Collection[str]) -> Iterator[Item | BadRow]:
        for event in self._events:
            if not isinstance(event, yaml.StreamStartEvent | yaml.DocumentStartEvent):
                yield from self._parts(event, "", lists)
                return

    def _parts(self, event: _Event, path: str, lists: Collection[str]) -> Iterator[Item | BadRow]:
        if path in lists and isinstance(event, yaml.SequenceStartEvent):
            while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
                yield self._item(event, path)
            return
        leads = not path or any(x.startswith(f"{path}.") for x in lists)
        if not leads or not isinstance(event, yaml.MappingStartEvent):
            yield self._item(event, path)
            return
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key, _ = self._node(event)
            name = key.value if isinstance(key, yaml.ScalarNode) else ""
            yield from self._parts(next(self._events), f"{path}.{name}" if path else name, lists)

    def _item(self, event: _Event, path: str) -> Item | BadRow:
        node, places = self._node(event)
        line = int(event.start_mark.line) + 1
        if places > MOST_PLACES:
            return BadRow(line, "", None, f"its aliases stand for {places:,} values")
        try:
            return Item(line, value_of(node), path)
        except WrongValueError as error:
            found = error.node.value if isinstance(error.node.value, str) else error.node.tag
            place = int(error.node.start_mark.line) + 1
            return BadRow(place, "", found[:EXCERPT], str(error))

    def _node(self, event: _Event) -> tuple[yaml.Node, int]:
        """Put a value together, and count what it holds."""
        mark = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                place = f"{self._name}, line {mark.line + 1}"
                raise FormatError(f"{place}: the alias *{event.anchor} stands for nothing here.")
            return self._anchors[event.anchor]
        if isinstance(event, yaml.ScalarEvent):
            tag = event.tag or self._resolver.resolve(yaml.ScalarNode, event.value, event.implicit)
            made: tuple[yaml.Node, int] = yaml.ScalarNode(tag, event.value, mark), 1
        else:
            self._depth += 1
            if self._depth > DEEPEST:
                place = f"{self._name}, line {mark.line + 1}"
                raise FormatError(f"{place}: values are nested more than {DEEPEST} levels deep.")
            made = self._collection(event)
            self._depth -= 1
        if event.anchor:
            self._anchors[event.anchor] = made
        return made

    def _collection(self, event: _Event) -> tuple[yaml.Node, int]:
        inner: list[Any] = []
        places = 1
        while not isinstance(one := next(self._events), yaml.CollectionEndEvent):
            node, count = self._node(one)
            inner.append(node)
            places += count
        mark: Any = event.start_mark
        if isinstance(event, yaml.SequenceStartEvent):
            return yaml.SequenceNode(event.tag or f"{_TAG}seq", inner, mark), places
        pairs = list(zip(inner[::2], inner[1::2], strict=True))
        return yaml.MappingNode(event.tag or f"{_TAG}map", pairs, event.start_mark), places


def value_of(node: yaml.Node) -> Json:
    """Give the value of a node as JSON says it.

    Raises:
        WrongValueError: JSON cannot say it.
    """
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node)
    if node.tag not in (f"{_TAG}seq", f"{_TAG}map"):
        raise WrongValueError(node, f"the tag {node.tag} is not read; write plain values")
    if isinstance(node, yaml.SequenceNode):
        return [value_of(x) for x in node.value]
    found: dict[str, Json] = {}
    for key, under in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise WrongValueError(key, "a key is a text")
        if key.value in found:
            raise WrongValueError(key, "this key stands twice in one object")
        found[key.value] = value_of(under)
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
    if kind in _YAML_TEXTS:
        return text
    raise WrongValueError(node, f"the tag {node.tag} is not read; write a plain value")
