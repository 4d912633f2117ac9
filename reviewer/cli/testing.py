"""Test sets: add and list cases, check them, and set their results over runs side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from reviewer.cli import console
from reviewer.cli.console import (
    answer,
    begun,
    clean,
    number,
    opened,
    out,
    percent,
    say,
    table,
    tell,
)
from reviewer.cli.options import JsonOption, ProjectArgument, pairs, takes
from reviewer.cli.table import DONE, NOT_HELD
from reviewer.domain.case_set import CaseSet, SetEntry, question_of
from reviewer.domain.errors import ReviewerError
from reviewer.domain.wording import DASH, counted
from reviewer.services.project.session import Session
from reviewer.services.testing import checking, results, sets
from reviewer.services.testing.results import Across, Cell
from reviewer.services.testing.sets import Added

SHOWN = 20
WIDE = 60


@dataclass(frozen=True, kw_only=True)
class TestsOptions:
    """Which test set, which of its cases, and what to do with it."""

    project: ProjectArgument
    action: Annotated[
        Literal["list", "add", "check", "results", "remove"],
        typer.Argument(help="list, add, check, results or remove.", show_default=False),
    ] = "list"
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="Cases as JSON Lines, JSON, CSV or YAML."),
    ] = None
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="The test set; default: the file's name."),
    ] = None
    version: Annotated[
        int | None, typer.Option("--version", min=1, metavar="N", help="Not the newest.")
    ] = None
    tag: Annotated[
        list[str], typer.Option("--tag", metavar="TAG", help="Only this tag; may be repeated.")
    ] = field(default_factory=list)
    where: Annotated[
        list[str],
        typer.Option(
            "--where", metavar="FIELD=VALUE", help="Only where a field is so; may be repeated."
        ),
    ] = field(default_factory=list)
    metric: Annotated[
        str | None,
        typer.Option("--metric", metavar="NAME", help="Results by this instead of the overall."),
    ] = None
    run: Annotated[
        str | None,
        typer.Option("--run", metavar="NAME", help="Add the cases of this run instead of a FILE."),
    ] = None
    rubric: Annotated[
        str | None,
        typer.Option("--rubric", metavar="NAME", help="By which runs of the set are scored."),
    ] = None
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Add nothing and exit with 1 if anything is rejected."),
    ] = False
    json: JsonOption = False


@takes(TestsOptions)
def manage(options: TestsOptions) -> int:
    """List test sets or their cases, add cases, check them, or show their results over runs."""
    if options.action == "add" and options.file is not None:
        with begun(options.project) as session:
            return _add(session, options)
    with opened(options.project) as session:
        match options.action:
            case "add":
                return _add(session, options)
            case "check":
                return _check(session, options)
            case "results":
                return _results(session, options)
            case "remove":
                if options.name is None:
                    raise ReviewerError("Name the test set to remove with --name.")
                if options.tag or options.where:
                    ids = sets.ids(_of(session, options).cases)
                    sentence = sets.removed(
                        options.name, sets.remove_cases(session, options.name, ids), ids
                    )
                else:
                    sets.forget(session, options.name)
                    sentence = f"The test set {options.name} is removed; runs of it stay."
                tell(sentence, as_json=options.json)
                return DONE
            case "list":
                return _list(session, options)


def chosen(
    session: Session,
    name: str | None,
    *,
    version: int | None = None,
    tags: Sequence[str] = (),
    where: Sequence[str] = (),
) -> CaseSet:
    """Give the cases of a test set that options ask for.

    Raises:
        ReviewerError: There is no such set, no case fits, or a filter is malformed.
    """
    whole = sets.get(session, name, version)
    found = sets.matching(whole.cases, tags=tags, where=pairs(where, "--where"))
    if not found and whole.cases:
        there = counted(len(whole.cases), "case")
        raise ReviewerError(f"No case of {whole.title} fits; it has {there}.")
    return replace(whole, cases=tuple(found))


def _add(session: Session, options: TestsOptions) -> int:
    if (options.file is None) == (options.run is None):
        raise ReviewerError("`reviewer tests PROJECT add` needs a FILE or --run NAME.")
    if options.file is not None:
        told = sets.add_file(
            session, options.file,
            name=options.name, rubric=options.rubric, strict=options.strict,
        )  # fmt: skip
    else:
        told = sets.from_run(session, str(options.run), options.name)
    for sentence in told.sentences:
        say(sentence)
    for row in told.rejected[:SHOWN]:
        found = "nothing" if row.value is None else clean(str(row.value), 80)
        say(f"{row.sentence} (found: {found}).")
    if len(told.rejected) > SHOWN:
        say(f"… and {len(told.rejected) - SHOWN:,} more; --json lists them all.")
    answer(_added(told), told.sentence, as_json=options.json)
    return NOT_HELD if options.strict and told.rejected else DONE


def _added(told: Added) -> dict[str, Any]:
    return {
        "test_set": told.name,
        "version": told.version,
        "added": told.added,
        "changed": told.changed,
        "unchanged": told.unchanged,
        "rejected": [
            {"line": x.line, "field": x.field, "value": x.value, "reason": x.reason}
            | ({"record": x.record} if x.record else {})
            for x in told.rejected
        ],
    }


def _list(session: Session, options: TestsOptions) -> int:
    every = sets.every(session)
    one = options.name is not None or len(every) == 1 or options.tag or options.where
    found = _of(session, options) if one else None
    if options.json:
        console.write(
            {"test_sets": [_entry(x) for x in every]}
            | ({"test_set": _document(found)} if found else {})
        )
        return DONE
    if not every:
        out("The project has no test set; add one with `reviewer tests PROJECT add FILE`.")
        return DONE
    table(
        "Test sets",
        ("test set", "version>", "cases>", "rubric", "changed", "last change"),
        [
            (x.name, str(x.newest.version), f"{x.newest.cases:,}", x.rubric or DASH,
             x.newest.created_at[:10], x.newest.note)
            for x in every
        ],
    )  # fmt: skip
    if found is not None:
        table(
            f"Cases of {found.title}",
            ("case", "category", "complexity", "tags", "question", "expected"),
            [
                (
                    str(x["id"]), str(x.get("category", "")), sets.complexity_of(x),
                    ", ".join(x.get("tags") or ()), _short(question_of(x)),
                    _short(str(x.get("expected") or "")),
                )
                for x in found.cases
            ],
        )  # fmt: skip
        spread = sets.spread(found.cases)
        out()
        for title, counts in (
            ("complexity", spread.complexity),
            ("category", spread.category),
            ("tags", spread.tags),
        ):
            if counts:
                out(f"{title}: " + ", ".join(f"{clean(name)} {n:,}" for name, n in counts.items()))
    return DONE


def _of(session: Session, options: TestsOptions) -> CaseSet:
    return chosen(
        session, options.name,
        version=options.version, tags=options.tag, where=options.where,
    )  # fmt: skip


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= WIDE else line[: WIDE - 1] + "…"


def _entry(entry: SetEntry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "rubric": entry.rubric,
        "version": entry.newest.version,
        "cases": entry.newest.cases,
        "versions": [
            {"version": x.version, "cases": x.cases, "at": x.created_at, "note": x.note}
            for x in entry.versions
        ],
    }


def _document(found: CaseSet) -> dict[str, Any]:
    spread = sets.spread(found.cases)
    return {
        "name": found.name,
        "version": found.version,
        "n": spread.cases,
        "complexity": spread.complexity,
        "category": spread.category,
        "tags": {tag: list(ids) for tag, ids in sets.tag_index(found.cases).items()},
        "cases": list(found.cases),
    }


def _check(session: Session, options: TestsOptions) -> int:
    found = _of(session, options)
    findings = checking.check(found.cases, found.rubric, results.responses(session, found))
    problems = sum(finding.problem for finding in findings)
    if options.json:
        console.write(
            {
                "test_set": found.name,
                "version": found.version,
                "n": len(found.cases),
                "ok": not problems,
                "findings": [finding.to_json() for finding in findings],
            }
        )
    else:
        for finding in findings:
            out(f"{'problem' if finding.problem else 'remark':8} {clean(finding.sentence)}")
        what = "no problem" if not problems else f"{problems:,} to look at"
        out(f"{found.title}, {counted(len(found.cases), 'case')}: {what}.")
    return NOT_HELD if problems else DONE


def _results(session: Session, options: TestsOptions) -> int:
    session.sees_all = True
    found = results.across(session, _of(session, options), options.metric)
    if options.metric is not None and options.metric not in dict(found.metrics):
        there = ", ".join(name for name, _ in found.metrics) or "none"
        raise ReviewerError(f"There is no metric {options.metric!r}; there are: {there}.")
    if options.json:
        console.write(_across(found))
        return DONE
    if not found.runs:
        out("No run holds a case of this test set yet; let a bot answer it with")
        out(f'`reviewer evaluate PROJECT --bot NAME --tests "{found.tests.name}"`.')
        return DONE
    rows = [
        (str(case["id"]), *(_cell(run.cells.get(str(case["id"]))) for run in found.runs))
        for case in found.tests.cases
    ]
    rates = (percent(x.passed / x.judged) if x.judged else DASH for x in found.runs)
    means = (number(x.mean) for x in found.runs)
    table(
        f"Results of {found.tests.title}, {found.metric or 'overall'}",
        ("case", *(f"{x.run}>" for x in found.runs)),
        [*rows, ("pass rate", *rates), ("mean", *means)],
    )
    return DONE


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return DASH
    if cell.overall is None:
        return "error" if cell.failed else "not scored"
    return number(cell.overall) + {True: " pass", False: " FAIL", None: ""}[cell.passed]


def _across(found: Across) -> dict[str, Any]:
    return {
        "test_set": found.tests.name,
        "version": found.tests.version,
        "runs": [
            {"run": x.run, "rubric": x.rubric, "passed": x.passed, "judged": x.judged,
             "mean": x.mean}
            for x in found.runs
        ],
        "cases": {
            str(case["id"]): {
                x.run: x.cells[str(case["id"])].to_json()
                for x in found.runs
                if str(case["id"]) in x.cells
            }
            for case in found.tests.cases
        },
        "unstable": list(found.unstable()),
        "left_out": found.left_out,
    }  # fmt: skip
