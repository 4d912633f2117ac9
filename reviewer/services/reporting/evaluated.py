"""The report of what was just evaluated: files, trend line and summary."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from reviewer.domain.job import JobPlan, Selection
from reviewer.domain.run import ScorerVersion
from reviewer.domain.scope import Scope
from reviewer.reports import fields
from reviewer.reports.document import Fields, as_json, plain
from reviewer.reports.report import Report, Wanted
from reviewer.reports.run_report import GUEST_RESPONSE, with_pass_mark
from reviewer.services.calls import selecting
from reviewer.services.project.session import Session
from reviewer.services.reporting import making, writing
from reviewer.services.reporting.writing import Written
from reviewer.store import figures, jobs, scores
from reviewer.store.project import Project

OUTPUT: Final = Path("evaluation/reports/output")
"""Where reports of guest responses go unless another folder is named."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What an evaluation came to.

    Attributes:
        run: The run that was evaluated; of several the newest.
        score_sets: The scorers and judges that scored it, with the metrics of each.
        summary: Its `Rows` are read from the open project.
        files: JSON and Markdown, None where no report was asked for.
    """

    run: str
    score_sets: tuple[tuple[ScorerVersion, list[str]], ...]
    summary: Fields
    files: tuple[Written, Written] | None
    history: Path | None = None

    def to_json(self) -> Fields:
        """Give what the command line prints."""
        reports = None
        if self.files is not None:
            first, second = self.files
            reports = {"json": str(first.file), "markdown": str(second.file)}
        return {
            "run": self.run,
            "score_sets": [
                {
                    "scorer": version.scorer,
                    "version": version.version,
                    "model": version.model,
                    "prompt_hash": version.prompt_hash,
                    "metrics": names,
                }
                for version, names in self.score_sets
            ],
            "summary": plain(self.summary),
            "reports": reports,
        }


def check(
    session: Session, plans: Sequence[JobPlan], *, passing: float | None, folder: Path | None
) -> None:
    """Hold a pass mark to the rubric and make the reports' folder, before anything is asked.

    Raises:
        ReviewerError: The rubric has no pass rule, the mark is off the scale, or the folder
            cannot be made.
    """
    if folder is not None:
        writing.make_folder(folder)
    for plan in plans:
        if plan.kind == "bot":
            # which rubric its run gets is known once it has answered
            continue
        rubric = selecting.rubric_of(session, plan.selection)
        with_pass_mark(rubric, passing)
        if folder is None and rubric.name == GUEST_RESPONSE:
            writing.make_folder(OUTPUT)


def report(
    session: Session,
    keys: Sequence[int],
    *,
    passing: float | None = None,
    folder: Path | None = None,
) -> Evaluated | None:
    """Report what jobs have scored; None where they only answered.

    Guest responses are always reported as files, other rubrics where a folder is named.

    Args:
        session: the project.
        keys: of the jobs.
        passing: a pass mark in place of the rubric's.
        folder: where the files go.

    Raises:
        ReviewerError: The files cannot be written, or a target of the rubric is no comparison.
    """
    with figures.snapshot(session.project):
        made = build(session, keys, passing=passing)
        return None if made is None else _reported(session.project, made, folder)


def _reported(project: Project, made: Report, folder: Path | None) -> Evaluated:
    files, history = None, None
    if folder is not None or made.rubric.name == GUEST_RESPONSE:
        place = folder or OUTPUT
        texts = (as_json(fields.document(made)), [making.rendered(made)])
        files = writing.write_pair(place, made.moment, texts)
        history = writing.remember(place, fields.trend_line(made))
    return Evaluated(
        run=made.found.runs[-1],
        score_sets=_score_sets(project, made.wanted),
        summary=fields.summary(made),
        files=files,
        history=history,
    )


def build(session: Session, keys: Sequence[int], *, passing: float | None = None) -> Report | None:
    """Work out the report of what jobs have scored; None where they only answered.

    Raises:
        ReviewerError: A target of the rubric is no comparison, or the mark is off the scale.
    """
    project = session.project
    plans = [plan for plan in (jobs.plan(project.conn, key) for key in keys) if plan.kind != "bot"]
    if not plans:
        return None
    selection = plans[0].selection
    sets = sets_of(project, keys)
    wanted = Wanted(
        scope=Scope(runs=selecting.runs_of(session, selection)[0]),
        only=planned(session, selection, sets),
        sets=sets,
        passing=passing,
        people=False,
    )
    return making.build(project, wanted)


def planned(session: Session, selection: Selection, sets: Mapping[str, int]) -> set[int]:
    """Give what jobs planned; what they themselves changed is told by their scores.

    Labels that came since are in no half yet, and none was evaluated for them.
    """
    if selection.only not in ("failed", "disagreements"):
        return set(selecting.divided(session, selection))
    possible = set(selecting.divided(session, replace(selection, only=None)))
    numbers = figures.metric_keys(session.project)
    scored: set[int] = set()
    for name, key in sets.items():
        for _, _, keys in figures.read_scores(session.project, numbers[name], key):
            scored.update(map(int, keys.split(",")))
    return possible & scored


def sets_of(project: Project, keys: Sequence[int]) -> dict[str, int]:
    """Give the score sets that the jobs filled, by metric: of several on one that of the first."""
    names = {number: name for name, number in figures.metric_keys(project).items()}
    return {
        names[metric]: score_set
        for key in reversed(keys)
        for metric, score_set in scores.sets_of(project.conn, key).items()
    }


def _score_sets(project: Project, wanted: Wanted) -> tuple[tuple[ScorerVersion, list[str]], ...]:
    metrics: dict[int, list[str]] = {}
    for name, key in (wanted.sets or {}).items():
        metrics.setdefault(key, []).append(name)
    versions = {x.key: x for x in figures.scorer_versions(project)}
    return tuple((versions[key], names) for key, names in metrics.items())
