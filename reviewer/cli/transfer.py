"""Import files into a project or take an import back, and write results, figures and reports."""

import contextlib
import logging
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from reviewer.cli import console
from reviewer.cli.console import answer, clean, opened, out, reporting, say, tell
from reviewer.cli.options import Filters, JsonOption, ProjectArgument, takes
from reviewer.cli.table import DONE
from reviewer.domain.errors import CancelledError, ReviewerError
from reviewer.domain.wording import counted, fixed
from reviewer.services.aligning import splitting
from reviewer.services.computer.settings import Settings
from reviewer.services.figures import known_names
from reviewer.services.transfer import exporting, importing, spooling, undoing
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.importing import ImportReport, ImportRequest, RejectedRow
from reviewer.services.transfer.undoing import Keep

_LOG = logging.getLogger(__name__)
SHOWN = 5
"""Rejected rows that are shown at once; the file beside the project has all."""
MANY = 10_000
"""Records from which on the rate says something about the speed."""


KeepOption = Annotated[
    Keep | None,
    typer.Option(
        "--keep",
        help="Where people labelled since: keep these evaluations, or take back all.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """What to import and how."""

    project: ProjectArgument
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE",
            help="Files of results or labels; - reads standard input.",
            show_default=False,
        ),
    ] = None
    format: Annotated[
        str | None,
        typer.Option("--format", metavar="NAME", help="The format; default: recognised."),
    ] = None
    run: Annotated[
        str | None,
        typer.Option("--run", metavar="NAME", help="The run, where a record names none."),
    ] = None
    rubric: Annotated[
        str | None,
        typer.Option("--rubric", metavar="NAME|FILE", help="The rubric; default: proposed."),
    ] = None
    mapping: Annotated[
        Path | None,
        typer.Option("--mapping", metavar="FILE", help="How columns become fields (TOML)."),
    ] = None
    on_conflict: Annotated[
        Literal["skip", "replace", "version"],
        typer.Option("--on-conflict", help="For a known id with other content."),
    ] = "skip"
    selection: Annotated[
        Literal["random", "stratum", "unknown"] | None,
        typer.Option(
            "--selection", help="How labelled evaluations were chosen, where labels do not say."
        ),
    ] = None
    answers: Annotated[
        list[str] | None,
        typer.Option(
            "--answer",
            metavar="COLUMN=ANSWER",
            help="Say what names and values do not tell: people, mean (of people), judge, beside, "
            "metric:NAME, a field such as response, day-first, month-first, decimal-comma or "
            "decimal-point; COLUMN may be a pattern such as 'scores.*'.",
        ),
    ] = None
    write_mapping: Annotated[
        Path | None,
        typer.Option(
            "--write-mapping", metavar="FILE", help="Write the proposed mapping, to correct it."
        ),
    ] = None
    allow_refused: Annotated[
        bool,
        typer.Option(
            "--allow-refused",
            help="Store the rest where more than 5 % of a metric's values are refused.",
        ),
    ] = False
    undo: Annotated[
        int | None, typer.Option("--undo", metavar="IMPORT", help="Take this import back.")
    ] = None
    keep: KeepOption = None
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count, and write nothing anywhere.")
    ] = False
    rejected: Annotated[
        Path | None,
        typer.Option(
            "--rejected", metavar="FILE", help="Where rejected rows go; default: beside PROJECT."
        ),
    ] = None
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Store nothing and exit with 1 if anything is rejected."),
    ] = False
    json: JsonOption = False


@takes(ImportOptions)
def import_files(options: ImportOptions) -> int:
    """Import results and labels; a project that does not exist is made."""
    if options.undo is not None:
        if options.files:
            raise ReviewerError("--undo takes an import back and imports no FILE; leave out one.")
        return _undo(options.project, options.undo, options.keep, as_json=options.json)
    if not options.files:
        raise ReviewerError("Name at least one FILE to import, or an import to --undo.")
    if options.dry_run and (options.rejected or options.write_mapping):
        raise ReviewerError(
            "--dry-run writes nothing anywhere; leave out --rejected and --write-mapping."
        )
    report = bring(options.files, options)
    _tell(report, options)
    return 1 if options.strict and (report.rejected or report.rejected_values) else 0


def bring(files: Sequence[Path], options: ImportOptions) -> ImportReport:
    """Import files, and say what came of them that has to be known.

    Raises:
        ReviewerError: A file cannot be read or understood.
    """
    with spooling.plain(files) as plain, reporting("Importing") as progress:
        request = _request(options, plain, Settings())
        report = importing.run(options.project, request, progress)
    _LOG.info("imported: %s", report.counts)
    for sentence in report.sentences:
        say(sentence)
    shown = report.first_rejected[:SHOWN]
    for row in (*shown, *[x for x in report.first_conflicts[:SHOWN] if x not in shown]):
        say(rejection(row))
    if report.rejected_file is not None:
        say(f"Everything that was not taken is listed in {report.rejected_file}.")
    return report


def _tell(report: ImportReport, options: ImportOptions) -> None:
    if options.json:
        console.write(report.to_json())
        return
    for name, count in report.counts.items():
        out(f"{name.replace('_', ' '):16}{count:>12,}")
    if report.read >= MANY:
        out(f"{'records a second':16}{fixed(report.read / report.seconds, 0):>12}")
    out(outcome(report, dry_run=options.dry_run))


def _request(options: ImportOptions, files: Sequence[Path], settings: Settings) -> ImportRequest:
    words = (options.project.absolute(), *map(spooling.typed, options.files or ()))
    return ImportRequest(
        files=tuple(files),
        answers=tuple(options.answers or ()),
        allow_refused=options.allow_refused,
        write_mapping=options.write_mapping,
        command=" ".join(["reviewer import", *(shlex.quote(str(x)) for x in words)]),
        format=options.format,
        run=options.run,
        rubric=_rubric(options.rubric),
        mapping=options.mapping,
        on_conflict=options.on_conflict,
        selection=options.selection,
        dry_run=options.dry_run,
        rejected=options.rejected,
        strict=options.strict,
        maker=settings.name_given,
    )


def _rubric(given: str | None) -> str | Path | None:
    """Tell a rubric file from the name of a rubric."""
    if given is None:
        return None
    path = Path(given)
    return path if path.suffix.lower() == ".toml" or path.is_file() else given


def rejection(row: RejectedRow) -> str:
    """Put a rejected row into words: the place, the reason, the start of what was found."""
    found = "nothing" if row.value is None else clean(str(row.value), 80)
    return f"{row.sentence} (found: {found})."


def outcome(report: ImportReport, *, dry_run: bool = False) -> str:
    """Say what an import stored."""
    if dry_run:
        return "Nothing was stored (--dry-run)."
    if not report.stored:
        return "Nothing was stored."
    numbers = ", ".join(str(number) for number in report.imports)
    named = ", ".join(clean(run, 60) for run in report.runs)
    return f"Import {numbers}, rubric {clean(report.rubric or '—', 60)}, runs: {named}"


@dataclass(frozen=True, kw_only=True)
class UndoOptions:
    """Which import to take back."""

    project: ProjectArgument
    number: Annotated[
        int | None,
        typer.Argument(metavar="IMPORT", help="Its number; default: the newest."),
    ] = None
    keep: KeepOption = None
    json: JsonOption = False


@takes(UndoOptions)
def undo(options: UndoOptions) -> int:
    """Take an import back, also later; what people labelled since may stay."""
    return _undo(options.project, options.number, options.keep, as_json=options.json)


def _undo(project: Path, number: int | None, keep: Keep | None, *, as_json: bool) -> int:
    with opened(project) as session, reporting("Undoing") as progress:
        number = undoing.newest(session.project) if number is None else number
        told = undoing.undo_import(session.project, number, keep=keep)
        # it is undone by now, and what a stop leaves is removed another time
        with contextlib.suppress(CancelledError):
            importing.tidy(session.project, progress)
    tell(told, as_json=as_json, undone=number)
    return DONE


@dataclass(frozen=True, kw_only=True)
class ExportOptions(Filters):
    """What to export, where to and how."""

    project: ProjectArgument
    to: Annotated[
        Path,
        typer.Argument(
            metavar="TO", help="The file; its suffix chooses the format.", show_default=False
        ),
    ]
    what: Annotated[
        Literal["evaluations", "labels", "disagreements", "consensus"],
        typer.Option(
            "--what",
            help="Evaluations, the label history, where opinions differ, or what people say "
            "together.",
        ),
    ] = "evaluations"
    labels: Annotated[
        Literal["each", "mean", "adjudicated", "consensus"],
        typer.Option(
            "--labels",
            help="Every entry, the people's mean, the decided value, or what they say together.",
        ),
    ] = "each"
    format: Annotated[
        str | None, typer.Option("--format", metavar="NAME", help="The format, whatever the name.")
    ] = None
    fields: Annotated[
        str,
        typer.Option(
            "--fields",
            metavar="NAME,…",
            help="Evaluations: only these fields. Labels: these of the evaluation beside, such as "
            "input,response.",
        ),
    ] = ""
    mask: Annotated[
        bool,
        typer.Option(
            "--mask",
            help="Mask e-mail addresses, telephone, card (Luhn) and account (IBAN) numbers in "
            "texts; the project keeps them.",
        ),
    ] = False
    pseudonyms: Annotated[
        bool,
        typer.Option("--pseudonyms", help="Other names for labelers, always the same ones."),
    ] = False
    dictionary: Annotated[
        bool, typer.Option("--dictionary", help="Write beside it what every column means.")
    ] = False
    split: Annotated[
        int | None,
        typer.Option(
            "--split",
            metavar="SEED",
            help="Divide the labelled evaluations first, where they are not: one half is held "
            "out, for good.",
        ),
    ] = None
    json: JsonOption = False


@takes(ExportOptions)
def export_file(options: ExportOptions) -> int:
    """Export in any format that can be written; the file is whole or not there.

    TO may be a pipe or - for standard output; what is written then goes through at once.
    """
    through = str(options.to) == "-"
    if through and options.json:
        raise ReviewerError(
            "Standard output takes the export or the document of --json, not both."
        )
    request = ExportRequest(
        what=options.what,
        labels=options.labels,
        format=options.format,
        filters=options.scope(),
        fields=tuple(name.strip() for name in options.fields.split(",") if name.strip()),
        mask=options.mask,
        pseudonyms=options.pseudonyms,
        dictionary=options.dictionary,
    )
    with (
        opened(options.project, tells=True) as session,
        reporting("Exporting") as progress,
    ):
        known_names.check(session.project, options.scope())
        if options.split is not None:
            say(splitting.ensure(session, options.split).sentence)
        made = exporting.export(session.project, options.to, request, progress)
    if made.files:
        say(f"Beside it: {counted(made.files, 'picture or file', 'pictures and files')}.")
    for path in made.beside:
        say(f"Beside it: {path}.")
    for sentence in made.sentences:
        say(sentence)
    if through:
        say(f"{counted(made.rows, 'row')}, {made.bytes:,} bytes.")
        return DONE
    words = f"{counted(made.rows, 'row')}, {made.bytes:,} bytes in {made.file}"
    answer(made.to_json(), words, as_json=options.json)
    return DONE
