"""Templates of reports: those that ship and a user's own, with only their fields in reach."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from reviewer.domain.errors import ReviewerError
from reviewer.paths import resources
from reviewer.reports import wording

Kind = Literal["html", "md"]
GENERAL: Final = "report"
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
        ReportTemplateError: The template is wrong; the sentence names the line.
    """
    name, text = template
    environment = ImmutableSandboxedEnvironment(
        autoescape=kind == "html",
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= _FILTERS
    try:
        return environment.from_string(text).render(fields)
    except TemplateSyntaxError as error:
        raise ReportTemplateError(
            f"Template {name}, line {error.lineno}: {error.message}."
        ) from error
    except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
        raise ReportTemplateError(f"The template {name} cannot be filled in: {error}.") from error
