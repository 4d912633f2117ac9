"""Templates of reports: those that ship and a user's own, with only their fields in reach.

A user's own is filled in by a process with limits of time and memory.
"""

import difflib
import re
import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Literal

from jinja2 import (
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateSyntaxError,
    UndefinedError,
    meta,
    nodes,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment

from reviewer.confined.calling import Confined
from reviewer.confined.process import MEGABYTE, EndedError
from reviewer.domain.errors import ReviewerError
from reviewer.paths import resources
from reviewer.reports import sections_cases, wording
from reviewer.reports.document import Given

Kind = Literal["html", "md", "pdf"]
GENERAL: Final = "report"
MOST_NEAR: Final = 3
_QUOTED: Final = re.compile(r"'([^']+)'")
_FILTERS: Final = {
    "number": wording.number,
    "signed": wording.signed,
    "percent": wording.percent,
    "money": wording.money,
    "milliseconds": wording.milliseconds,
    "figure": wording.figure,
    "shown": wording.shown,
    "interval": wording.interval,
    "signs": wording.signs,
    "visible": wording.visible,
    "line": wording.line,
    "quoted": wording.quoted,
    "picture_address": wording.picture_address,
    "overall_words": sections_cases.overall_words,
    "place_words": sections_cases.place_words,
    "judge_words": sections_cases.judge_words,
    "people_words": sections_cases.people_words,
    "comments": sections_cases.comments,
}


class ReportTemplateError(ReviewerError):
    """Report a template that cannot be filled in, with the line where it is known."""


def shipped(kind: Kind) -> tuple[str, ...]:
    """Give the names of the templates that ship for a kind of report."""
    found = (resources() / "reports").glob(f"*.{kind}.j2")
    return tuple(sorted(path.name.removesuffix(f".{kind}.j2") for path in found))


def template(kind: Kind, wanted: str | None, usual: str = GENERAL) -> tuple[str, str]:
    """Give a template's name and text: a shipped one by name, or a file.

    Args:
        kind: of report.
        wanted: name or file; None for the usual one.
        usual: name of the one to take where none is wanted; the general one where it is absent.

    Raises:
        ReportTemplateError: There is neither such a name nor such a file.
    """
    there = shipped(kind)
    name = wanted or (usual if usual in there else GENERAL)
    own = Path(name)
    file = resources() / "reports" / f"{name}.{kind}.j2" if name in there else own
    try:
        return name, file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, ValueError):
        raise ReportTemplateError(
            f"There is no template {name!r} for {kind} reports and no such file; there are: "
            f"{', '.join(there)}."
        ) from None


def render(kind: Kind, template: tuple[str, str], fields: Mapping[str, Any]) -> str:
    """Fill in a template; texts of HTML reports are escaped whatever the template does.

    Raises:
        ReportTemplateError: The template is wrong; the sentence names the line. Or it takes too
            long or too much.
    """
    name, text = template
    if name in shipped(kind):
        return filled_in(text, name, kind, fields)
    try:
        named = _WORK(text, name, kind, None)
        found = named if "problem" in named else _WORK(text, name, kind, _told(fields, named))
    except EndedError as error:
        raise ReportTemplateError(f"The template {name} cannot be filled in: it {error}") from None
    if "problem" in found:
        raise ReportTemplateError(found["problem"])
    made: str = found["made"]
    return made


def _told(fields: Mapping[str, Any], named: Mapping[str, list[str] | None]) -> dict[str, Any]:
    """Give the fields that a template names, all where others may name some in its place.

    What is read or worked out as it is written is so at once: another process cannot ask for it.
    """
    wanted = fields if named["names"] is None else named["names"]
    # the other names are still told to who mistypes one
    there = {name: fields[name] if name in wanted else None for name in fields}
    return {name: Given(x()) if callable(x) else x for name, x in there.items()}


def work(text: str, name: str, kind: Kind, fields: Mapping[str, Any] | None) -> dict[str, Any]:
    """Fill in a template, wherever this is called; without fields say which of them it names."""
    try:
        if fields is None:
            return {"names": _names(text, kind)}
        return {"made": filled_in(text, name, kind, fields)}
    except TemplateSyntaxError:
        # what is wrong is told when it is filled in
        return {"names": None}
    except ReportTemplateError as error:
        return {"problem": str(error)}


def _names(text: str, kind: Kind) -> list[str] | None:
    tree = _environment(kind).parse(text)
    if any(tree.find_all((nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends))):
        return None
    return sorted(meta.find_undeclared_variables(tree))


SECONDS: Final = 30.0
MEMORY: Final = 1024 * MEGABYTE
_WORK: Final = Confined(work, seconds=SECONDS, memory=MEMORY)


def filled_in(text: str, name: str, kind: Kind, fields: Mapping[str, Any]) -> str:
    """Fill in a template, wherever this is called.

    Raises:
        ReportTemplateError: The template is wrong; the sentence names the line.
    """
    environment = _environment(kind)
    try:
        return environment.from_string(text).render(fields)
    except TemplateSyntaxError as error:
        known = _nearest(_named_in(str(error.message)), environment.filters, "filters")
        raise ReportTemplateError(
            f"Template {name}, line {error.lineno}: {_ended(str(error.message))}{known}"
        ) from error
    except (
        TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError,
        RecursionError, SyntaxError, NameError,
    ) as error:  # fmt: skip
        where = f", line {line}," if (line := _line_of(error)) else ""
        known = ""
        if isinstance(error, UndefinedError):
            known = _nearest(_named_in(str(error)), fields, "names")
        raise ReportTemplateError(
            f"The template {name}{where} cannot be filled in: {_ended(_said(error))}{known}"
        ) from error


def _environment(kind: Kind) -> ImmutableSandboxedEnvironment:
    made = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(resources() / "reports"),
        autoescape=kind != "md",
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= _FILTERS
    return made


def _said(error: Exception) -> str:
    return f"there is no {error}" if isinstance(error, KeyError) else str(error)


def _ended(words: str) -> str:
    return words if words.endswith(".") else f"{words}."


def _line_of(error: BaseException) -> int | None:
    """Give the last line of the template on the way to an error."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((x.lineno for x in reversed(frames) if x.filename == "<template>"), None)


def _named_in(words: str) -> str:
    found = _QUOTED.search(words)
    return found.group(1) if found else ""


def _nearest(name: str, known: Iterable[str], what: str) -> str:
    """Say what is known that is called nearly so, or all of it."""
    names = sorted(one for one in known if isinstance(one, str))
    if not name or name in names:
        return ""
    near = difflib.get_close_matches(name, names, MOST_NEAR)
    if near:
        return f" Did you mean {' or '.join(near)}?"
    return f" Known {what}: {', '.join(names)}."
