"""How a report ends: what is missing, what its words mean, and how it was made."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from reviewer.domain.wording import counted, level_percent, listed
from reviewer.reports.parts import Cases, Commands, Entries, Grid, Part, Picture, Section, Words
from reviewer.reports.report import Report
from reviewer.reports.sections_run import tables
from reviewer.stats.terms import glossary


def told(report: Report, before: Sequence[Section]) -> Iterator[Section]:
    """Give the system's own tables and the last sections; `before` says which words were used."""
    own = list(tables(report))
    yield from own
    if report.evidence is None:
        return
    missing = list(_missing(report))
    if missing:
        yield Section("What is missing", [Entries(missing)])
    used = " ".join(_texts([*before, *own])).casefold()
    known = [(name, what) for name, what in glossary().items() if name.casefold() in used]
    if known:
        yield Section("Glossary", [Entries(known)])
    yield Section("How this was made", list(_made(report)))


def _missing(report: Report) -> Iterator[tuple[str, str]]:
    found, figures = report.evidence, report.figures
    if found is None or figures is None:
        return
    bare = found.measured.responses - found.measured.labelled
    if bare:
        yield "Labels", f"{counted(bare, 'response')} without labels."
    if found.bare:
        said = [
            f"{one.name} ({counted(one.labelled, 'label')} of {one.n:,})" for one in found.bare
        ]
        yield "Categories", f"Nothing can be said about {listed(said)}."
    wanted: dict[str, list[str]] = {}
    for metric in report.rubric.labelled_metrics:
        trust = figures["metrics"].get(metric.name, {}).get("trust", {})
        if trust.get("state") == "cannot_be_said" and trust["next"]:
            wanted.setdefault(trust["next"], []).append(metric.heading)
    for more, headings in wanted.items():
        yield "Cannot be said", f"{listed(headings)}: {more}"
    unscored = [f"{name} {n:,}" for name, n in _unscored(report).items()]
    if unscored:
        yield "Scores", f"Responses without the judge's score: {', '.join(unscored)}."
    for one in found.not_counted:
        metrics = ", ".join(one.metrics)
        yield "Not counted", f"{one.words} ({metrics}): it counts when a lead makes it the record."
    for lagging in report.lagging:
        yield "Stale", lagging.text


def _unscored(report: Report) -> Mapping[str, int]:
    total = report.run.total_cases
    return {
        metric.heading: total - report.run.averages[metric.name].n
        for metric in report.rubric.labelled_metrics
        if metric.name in report.run.averages and report.run.averages[metric.name].n < total
    }


def _texts(sections: Iterable[Section]) -> Iterator[str]:
    for section in sections:
        yield section.title
        for part in section.parts:
            yield from _of_part(part)


def _of_part(part: Part) -> Iterator[str]:
    match part:
        case Grid():
            yield from (column.title for column in part.columns)
            yield from (f"{cell.text} {' '.join(cell.below)}" for row in part.rows for cell in row)
        case Words():
            yield part.text
        case Picture():
            yield part.title
        case Entries():
            yield from (f"{name} {what}" for name, what in part.entries)
        case Commands() | Cases():
            return


def _made(report: Report) -> Iterator[Part]:
    found = report.evidence
    if found is None:
        return
    origin = found.origin
    options = ", ".join(f"{name} = {value}" for name, value in origin.options)
    entries = [
        ("Program", f"Reviewer {origin.version}"),
        ("Figures", f"preset {origin.preset}, as of {origin.as_of} ({origin.time_zone}), "
         f"intervals at {level_percent(origin.level)}, seed {origin.seed}"),
        ("Options", f"changed from the preset: {options}" if options else "those of the preset"),
        ("SHA-256", f"{origin.sha256} of the figures (figures.json in an audit packet)"),
    ]  # fmt: skip
    yield Entries(entries)
    if origin.packet:
        yield Words("To make this report again, and to work its figures out without the program:")
        yield Commands([origin.report, origin.packet, "unzip audit.zip && python3 recompute.py"])
    else:
        yield Words("To make this report again:")
        yield Commands([origin.report])
