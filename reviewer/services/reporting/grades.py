"""The harness's grades of a run by category, as its report has them, with the questions behind."""

from dataclasses import dataclass

from reviewer.domain.run import Scope
from reviewer.domain.wording import DASH, counted, fixed, in_percent
from reviewer.reports.report import Wanted
from reviewer.reports.systems import harness
from reviewer.reports.systems.harness import HarnessScore
from reviewer.services.project.session import Session
from reviewer.services.project.sight import hidden_among
from reviewer.services.reporting import cases

ALL = "all questions"


@dataclass(frozen=True, slots=True)
class GradeBand:
    """One grade: its letter, and from which score on it is what."""

    letter: str
    words: str


@dataclass(frozen=True, slots=True)
class GradeRow:
    """One category, or all questions.

    Attributes:
        score: Mean of the final scores, in words.
        grade: The letter of that mean.
        n: Its questions.
        graded: The evaluations of each grade, in the order of the bands.
        sentence: It stands alone, with n.
    """

    category: str
    score: str
    grade: str
    n: int
    graded: tuple[tuple[int, ...], ...]
    sentence: str

    @property
    def keys(self) -> tuple[int, ...]:
        """Give all its questions that have a grade, in the order of their arrival."""
        return tuple(sorted(key for keys in self.graded for key in keys))


@dataclass(frozen=True, slots=True)
class Grades:
    """The grades of a run, all questions first, and what the reader should know of them."""

    bands: tuple[GradeBand, ...]
    rows: tuple[GradeRow, ...]
    note: str = ""


def of_run(session: Session, run: str) -> Grades | None:
    """Grade a run's questions; None where its rubric is not the harness's.

    Raises:
        ReviewerError: There is no such run.
    """
    keys = dict(zip(session.run_names(), session.run_keys(), strict=True))
    if run not in keys or session.rubric_of_run(keys[run]).name != harness.RUBRIC:
        return None
    found = cases.read(session.project, Wanted(scope=Scope(runs=(run,)), people=False))
    made = harness.harness_summary(harness.harness_rows(found.cases, found.rubric), found.rubric)
    bands = tuple(GradeBand(x.grade, harness.band_words(x)) for x in made.overall.graded)
    return Grades(
        bands,
        (_row(ALL, made.overall), *(_row(name, x) for name, x in made.categories.items())),
        " ".join(made.warnings),
    )


def seen(session: Session, keys: tuple[int, ...]) -> list[int]:
    """Leave out the questions whose scores the active labeler may not see yet."""
    hidden = hidden_among(session, keys)
    return [key for key in keys if key not in hidden]


def _row(category: str, found: HarnessScore) -> GradeRow:
    told = [f"{len(keys):,} {band.grade}" for band, keys in found.graded.items() if keys]
    none = found.n - sum(len(keys) for keys in found.graded.values())
    left = f", {none:,} without a score" if none else ""
    shares = in_percent(found.score, 0) if found.score is not None else DASH
    return GradeRow(
        category=category,
        score=fixed(found.score),
        grade=found.grade.grade if found.grade else DASH,
        n=found.n,
        graded=tuple(found.graded.values()),
        sentence=(
            f"{category[:1].upper()}{category[1:]}: {fixed(found.score)} ({shares})"
            f"{f' {found.grade.grade}' if found.grade else ''} over "
            f"{counted(found.n, 'question')}: {', '.join(told) or 'no grade'}{left}."
        ),
    )
