"""Rubrics: the shipped ones, TOML in and out, versions in a project, a proposal from values."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, floor
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import tomli_w
from pydantic import ValidationError

from reviewer import paths
from reviewer.domain import toml_text
from reviewer.domain.errors import RubricError, refusal
from reviewer.domain.evaluation import Value
from reviewer.domain.rubric import TIE, Level, Metric, Rubric
from reviewer.domain.rubric_check import checked
from reviewer.domain.rubric_keys import keys_of
from reviewer.formats.cells import is_blank, looks_like
from reviewer.formats.columns import says_nothing
from reviewer.store import rubrics as stored
from reviewer.store.project import Project

MOST_KINDS = 12
RANGES = ((0.0, 1.0), (1.0, 5.0), (0.0, 10.0), (0.0, 100.0))


@dataclass
class MetricSample:
    """What one pass over a file saw of a metric; grows no further than a proposal needs.

    Attributes:
        whole: Every number was whole that is no mean of people.
        whole_averages: Every mean of people was whole.
        numbers: How many numbers were seen.
        averages: How many of them were means of people, which may lie between levels.
        truths: A truth was seen.
        texts: The different texts, at most one more than a scale may have.
        words: How many texts were seen.
    """

    whole: bool = True
    whole_averages: bool = True
    numbers: int = 0
    averages: int = 0
    low: float = 0.0
    high: float = 0.0
    texts: set[str] = field(default_factory=set)
    truths: bool = False
    words: int = 0

    @property
    def is_of_numbers(self) -> bool:
        """Tell whether its values are numbers: a remark such as "N/A" here and there is none."""
        return bool(self.numbers) and (
            self.numbers > self.words
            or (len(self.texts) <= MOST_KINDS and all(map(says_nothing, self.texts)))
        )

    def see(self, value: Value, *, averaged: bool = False) -> None:
        """Take one more value into account; `averaged` where it is a mean of people."""
        if isinstance(value, str):
            self.words += 1
            if len(self.texts) <= MOST_KINDS:
                self.texts.add(value)
        elif isinstance(value, bool):
            self.truths = True
        elif abs(value) < 1e300:
            self.low = min(self.low, value) if self.numbers else value
            self.high = max(self.high, value) if self.numbers else value
            self.numbers += 1
            self.averages += averaged
            is_whole = float(value).is_integer()
            if averaged:
                self.whole_averages = self.whole_averages and is_whole
            else:
                self.whole = self.whole and is_whole


def shipped() -> dict[str, Rubric]:
    """Give the rubrics that ship, by name."""
    files = sorted((paths.resources() / "rubrics").glob("*.toml"))
    found = (load(file) for file in files)
    return {rubric.name: rubric for rubric in found}


def load(path: Path) -> Rubric:
    """Read a rubric file.

    Raises:
        RubricError: It cannot be read or breaks a rule; the text names file, field and remedy.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise RubricError(f"{path.name} is not in UTF-8; save the rubric as UTF-8.") from None
    except OSError as error:
        reason = refusal(error)
        raise RubricError(f"The rubric {path} cannot be read: {reason}.") from None
    return from_toml(text, path.name)


def from_toml(text: str, source: str = "the rubric") -> Rubric:
    """Read a rubric from TOML text; `source` names it in errors.

    Raises:
        RubricError: The text breaks a rule; the sentence names line or field and remedy.
    """
    try:
        document = toml_text.document(text)
    except tomllib.TOMLDecodeError as error:
        raise RubricError(f"{source} is no TOML: {error}.") from None
    return from_document(document, source)


def from_document(document: Mapping[str, Any], source: str = "the rubric") -> Rubric:
    """Check a rubric that is given as the keys of its TOML file.

    Raises:
        RubricError: It breaks a rule; the sentence names field and remedy.
    """
    try:
        return checked(document)
    except ValidationError as error:
        raise RubricError(f"{source}: {_sentence(error)}") from None


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    place = "".join(
        f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]
    ).lstrip(".")
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "unexpected_keyword_argument":
        return f"{place} is no field of a rubric; remove it or correct its name."
    if first["type"] == "missing":
        return f"{place} is missing; add it."
    if first["type"] == "value_error":
        return f"{place + ': ' if place else ''}{message}."
    shown = repr(first.get("input"))
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return f"{place}: {shown} was found. {message}."


def to_toml(rubric: Rubric) -> str:
    """Write a rubric as TOML that reads back as the same rubric; defaults are left out."""
    document = keys_of(rubric, defaults=False)
    head = {"name": rubric.name, "version": rubric.version}
    found = _without_nothing(head | document)
    # in a text of several lines TOML takes a carriage return for the line's own end
    several_lines = r"\r" not in json.dumps(found)
    return tomli_w.dumps(found, multiline_strings=several_lines)


def _without_nothing(value: Any) -> Any:  # noqa: ANN401 - a JSON value is anything
    if isinstance(value, dict):
        return {key: _without_nothing(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_nothing(item) for item in value if item is not None]
    return value


def of_columns(rows: Sequence[Mapping[str, object]]) -> Rubric | None:
    """Give the shipped rubric whose metrics a table's columns are, with values on their scales."""
    columns = {name for row in rows for name in row}
    found = [
        rubric
        for rubric in shipped().values()
        if {x.name for x in rubric.overall_metrics} <= columns and _fits(rubric, rows)
    ]
    return max(found, key=lambda x: len(columns & x.by_name.keys()), default=None)


def _fits(rubric: Rubric, rows: Sequence[Mapping[str, object]]) -> bool:
    for metric in rubric.overall_metrics:
        given = (row.get(metric.name) for row in rows)
        values = [looks_like(x) if isinstance(x, str) else x for x in given if not is_blank(x)]
        if not values or any(
            not isinstance(x, Value) or metric.score_problem(x) is not None for x in values
        ):
            return False
    return True


def names(project: Project) -> tuple[str, ...]:
    """Give the names of the project's rubrics, that of the newest run first."""
    return stored.names(project)


def current(project: Project, name: str) -> Rubric:
    """Give the newest version of one of the project's rubrics.

    Raises:
        RubricError: The project has no rubric of that name.
    """
    found = stored.versions(project, name)
    if not found:
        there = ", ".join(stored.names(project)) or "none yet"
        raise RubricError(f"The project has no rubric {name!r}; there are: {there}.")
    return found[0]


def versions(project: Project, name: str) -> tuple[Rubric, ...]:
    """Give every version of one of the project's rubrics, the newest first."""
    return stored.versions(project, name)


def named(project: Project | None, rubric: str | Path | Rubric) -> Rubric:
    """Give the rubric that was asked for: one of the project's, a shipped one, or a file.

    Raises:
        RubricError: There is none of that name, or the file breaks a rule.
    """
    if isinstance(rubric, Rubric):
        return rubric
    if isinstance(rubric, Path):
        return load(rubric)
    own = names(project) if project else ()
    if project and rubric in own:
        return current(project, rubric)
    there = shipped()
    if rubric in there:
        return there[rubric]
    if Path(rubric).suffix == ".toml" or Path(rubric).is_file():
        return load(Path(rubric))
    known = ", ".join(dict.fromkeys((*own, *there)))
    raise RubricError(f"There is no rubric {rubric!r}; there are: {known}; or name a TOML file.")


def save_version(project: Project, rubric: Rubric) -> Rubric:
    """Keep a rubric in the project: a change is a new version, the same text is none.

    Returns:
        The rubric as kept, with its version.
    """
    earlier = stored.versions(project, rubric.name)
    if earlier and replace(rubric, version=earlier[0].version) == earlier[0]:
        return earlier[0]
    taken = {str(version.version) for version in earlier}
    kept = rubric
    if str(rubric.version) in taken:
        kept = replace(rubric, version=_next_version(taken))
    stored.add(project, kept)
    return kept


def _next_version(taken: set[str]) -> str:
    number = max([int(version) for version in taken if version.isdigit()], default=0) + 1
    while str(number) in taken:
        number += 1
    return str(number)


def fitting(metrics: set[str]) -> tuple[str, ...]:
    """Give the shipped rubrics that have all of some metrics, the smallest first."""
    found = [rubric for rubric in shipped().values() if metrics and metrics <= set(rubric.by_name)]
    return tuple(rubric.name for rubric in sorted(found, key=lambda rubric: len(rubric.metrics)))


_NONE: Final[Mapping[str, Metric]] = MappingProxyType({})


NOTHING_TO_PROPOSE: Final = (
    "There is no score and no label from which a rubric could be proposed; choose one, such as "
    "guest-response, or a TOML file"
)


def propose(
    samples: Mapping[str, MetricSample], name: str, declared: Mapping[str, Metric] = _NONE
) -> Rubric:
    """Propose a rubric from the values seen, by rule R24 of the record format.

    Args:
        samples: What was seen, by metric.
        name: The rubric's.
        declared: The metrics whose scales the files state themselves; one that does not hold the
            values seen is proposed from these.

    Raises:
        RubricError: There is no metric at all.
    """
    metrics = [
        stated if stated is not None and _holds(stated, sample) else _metric(metric, sample)
        for metric, sample, stated in (
            (metric, sample, declared.get(metric)) for metric, sample in samples.items()
        )
    ]
    found = tuple(metric for metric in metrics if metric is not None)
    if not found:
        raise RubricError(f"{NOTHING_TO_PROPOSE} (--rubric).")
    has_mark = any(metric.pass_at is not None for metric in found)
    return Rubric(name=name or "proposed", description="Proposed from the imported values.",
                  metrics=found, pass_rule="every" if has_mark else "none")  # fmt: skip


def _holds(stated: Metric, sample: MetricSample) -> bool:
    """Tell whether a stated scale has room for what was seen."""
    if sample.texts and not sample.is_of_numbers:
        return sample.texts <= set(stated.values)
    bounds = stated.bounds
    return not sample.numbers or (
        bounds is not None and bounds[0] <= sample.low and sample.high <= bounds[1]
    )


def _metric(name: str, sample: MetricSample) -> Metric | None:
    if sample.texts and not sample.is_of_numbers:
        if len(sample.texts) > MOST_KINDS:
            return None
        values = sorted(sample.texts - {TIE}) + ([TIE] if TIE in sample.texts else [])
        return Metric(name=name, scale="categorical", values=tuple(values))
    if not sample.numbers:
        return Metric(name=name, scale="binary" if sample.truths else "range", min=0.0, max=1.0)
    low, high = sample.low, sample.high
    whole = sample.whole_averages if sample.averages == sample.numbers else sample.whole
    if whole:
        low, high = float(floor(low)), float(ceil(high))
    if whole and low >= 0 and high <= 10:
        return Metric(name=name, levels=_levels(int(low), int(high)))
    ends = next(((a, b) for a, b in RANGES if a <= low and high <= b), (low, high))
    least, most = map(float, ends)
    if least == most:
        # beyond what floats count one by one, the range from 0 has room for the value
        least, most = (least, least + 1) if least + 1 > least else sorted((0.0, least))
    return Metric(name=name, scale="range", min=least, max=most)


def _levels(low: int, high: int) -> tuple[Level, ...]:
    if low >= 1:
        low, high = 1, 5 if high <= 5 else 10
    elif low == high:
        high = low + 1
    return tuple(Level(value=value) for value in range(low, high + 1))
