"""The harness's results: a row a question, the overall and each category's mean with its grade."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from reviewer.domain.rubric import Rubric
from reviewer.reports.cases import RunCases, ScoredCase, mean
from reviewer.reports.document import Fields, OwnPart, Rows, Table
from reviewer.reports.wording import DASH, number
from reviewer.scoring.overall import (
    GRADES,
    HarnessFinal,
    grade_bands,
    harness_final,
    harness_grade,
    score_and_grade,
)
from reviewer.stats.satisfaction import GradeBand

METRICS = ("tool_usage", "response_quality", "error_handling")
RUBRIC = "harness"
"""The name of the rubric whose runs have such results."""
NO_CATEGORY = "uncategorised"
"""The name under which questions without category stand."""


@dataclass(frozen=True, slots=True)
class HarnessRow:
    """Hold one question's result."""

    scored: ScoredCase
    final: HarnessFinal

    @property
    def category(self) -> str:
        """Give the category, or the name for none."""
        return self.scored.case.category or NO_CATEGORY

    def to_json(self) -> dict[str, JsonValue]:
        """Give the row in the harness's field names."""
        case, scored = self.scored.case, self.scored
        return {
            "question": case.question,
            "category": case.category,
            "expected_tools": list(case.tools_expected),
            "tools_used": list(case.tools_used),
            "expected_keywords": list(case.keywords),
            "response": case.response,
            "error": case.error,
            "tool_score": scored.value("tool_usage"),
            "quality_score": scored.value("response_quality"),
            "error_score": scored.value("error_handling"),
            "final_score": self.final.value,
            "grade": _letter(self.final.grade),
            "latency_ms": case.latency_ms,
        }


@dataclass(frozen=True, slots=True)
class HarnessScore:
    """Hold a mean over questions with its grade; None over none.

    Attributes:
        n: questions in all; those without any score are part of it, but not of the mean.
        graded: the questions of each grade, best first, by their evaluations; the others have
            none.
    """

    score: float | None
    grade: GradeBand | None
    n: int
    graded: Mapping[GradeBand, tuple[int, ...]]

    @property
    def shown(self) -> str:
        """Write score and grade as 0.92 (92 %) A."""
        return score_and_grade(self.score, self.grade)

    def to_json(self) -> dict[str, JsonValue]:
        """Give a category's entry of the summary."""
        return {"score": self.score, "grade": _letter(self.grade), "n": self.n}


@dataclass(frozen=True, slots=True)
class HarnessSummary:
    """Hold the overall and the categories, by name, and what the reader should know."""

    overall: HarnessScore
    categories: dict[str, HarnessScore]
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, JsonValue]:
        """Give the summary in the harness's field names."""
        return {
            "overall_score": self.overall.score,
            "grade": _letter(self.overall.grade),
            "categories": {name: score.to_json() for name, score in self.categories.items()},
        }


def harness_rows(cases: Iterable[ScoredCase], rubric: Rubric) -> list[HarnessRow]:
    """Make the row of each question; the rubric's `error_zeroes_total` is respected."""
    metric = rubric.by_name.get("error_handling")
    zeroes = metric is not None and metric.parameters.get("error_zeroes_total") is True
    return [
        HarnessRow(
            scored,
            harness_final(scored.values(METRICS), rubric, error_zeroes_total=zeroes),
        )
        for scored in cases
    ]


def harness_summary(rows: Sequence[HarnessRow], rubric: Rubric) -> HarnessSummary:
    """Average the final scores over all questions and over each category."""
    bands = grade_bands(rubric) if rubric.grades else GRADES
    groups: dict[str, list[HarnessRow]] = {}
    for row in rows:
        groups.setdefault(row.category, []).append(row)
    warned = sum(1 for row in rows if row.final.warnings)
    warnings = (
        f"{warned} of {len(rows)} questions ended in an error and pass all the same; "
        "error_zeroes_total = true gives them 0.",
    )
    return HarnessSummary(
        overall=_average(rows, bands),
        categories={name: _average(groups[name], bands) for name in sorted(groups)},
        warnings=warnings if warned else (),
    )


def _average(rows: Sequence[HarnessRow], bands: tuple[GradeBand, ...]) -> HarnessScore:
    value = mean(row.final.value for row in rows)
    graded = {
        band: tuple(row.scored.case.key for row in rows if row.final.grade == band)
        for band in bands
    }
    return HarnessScore(value, harness_grade(value, bands), len(rows), graded)


def _letter(band: GradeBand | None) -> str | None:
    return band.grade if band else None


def band_words(band: GradeBand) -> str:
    """Say from where a grade is given, and what it means."""
    return f"{band.grade}, from {number(band.start)}: {band.meaning.lower()}"


def own_part(found: RunCases) -> OwnPart:
    """Give rows and summary of a run, and the grades by category."""
    made = harness_summary(harness_rows(found.cases, found.rubric), found.rubric)
    meanings = "; ".join(map(band_words, made.overall.graded))

    def read() -> Iterator[Fields]:
        for scored in found.whole.read(found.keys):
            yield from (row.to_json() for row in harness_rows([scored], found.rubric))

    def tables() -> list[Table]:
        rows = [
            [name, number(entry.score), _letter(entry.grade) or DASH, f"{entry.n:,}"]
            for name, entry in made.categories.items()
        ]
        note = " ".join((f"Overall {made.overall.shown}.", *made.warnings, f"{meanings}."))
        columns = ["Category", "Score", "Grade", "n"]
        return [Table("Grades by category", columns, rows, note).of(len(rows))]

    document = {
        "summary": made.to_json(),
        "shown": made.overall.shown,
        "warnings": list(made.warnings),
        "grades": meanings,
        "rows": Rows(len(found.keys), read),
    }
    return OwnPart(document, tables)
