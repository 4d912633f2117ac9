"""Reports for readers who have no program, and the audit packet that proves their figures."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from reviewer.domain.errors import Progress
from reviewer.domain.run import Scope
from reviewer.domain.wording import counted
from reviewer.gui.background import beside
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.number_field import choice, chosen, offer_names
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectSurroundings
from reviewer.gui.places import folder_of_files
from reviewer.gui.reports.export_card import ExportCard
from reviewer.services.audits.auditing import ScopeChoices
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project.session import Session
from reviewer.services.reporting import making, packet
from reviewer.services.reporting.making import Written
from reviewer.services.reporting.packet import AuditPacket

REPORT = "report"
FORMS = ((".html", "HTML, for a browser"), (".md", "Markdown"), (".json", "JSON"))
_FILTERS = {
    ".html": "HTML (*.html)", ".md": "Markdown (*.md)", ".json": "JSON (*.json)",
    ".zip": "Audit packet (*.zip)",
}  # fmt: skip


@contextmanager
def _put_aside(file: Path) -> Iterator[None]:
    """Put a file aside that may be replaced, and back where nothing came in its place."""
    before = file.with_name(f"{file.name}.before")
    if file.exists():
        file.replace(before)
    try:
        yield
    finally:
        if before.exists():
            if file.exists():
                before.unlink()
            else:
                before.replace(file)


class ReportCard(pieces.Card):
    """Which run, in which form; a report, or the packet.

    Signals:
        report_requested: A report is wanted.
        packet_requested: An audit packet is wanted.
    """

    report_requested = Signal()
    packet_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make the card; a report is of the newest run unless another is chosen."""
        super().__init__("Report")
        self.run = choice("Run of the report")
        self.form = choice("Form of the report", FORMS)
        grid = layouts.grid(down=theme.px(6), stretch={1: 1})
        for row, (title, field) in enumerate((("Run", self.run), ("As", self.form))):
            grid.addWidget(pieces.text(title, "muted"), row, 0)
            grid.addWidget(field, row, 1)
        said = "Begins with whether the judge can be trusted. Prints, and loads nothing."
        self.make = pieces.Button("Make report…", self.report_requested.emit, dense=True)
        self.pack = pieces.Button(
            "Audit packet…",
            self.packet_requested.emit,
            dense=True,
        )
        self.pack.setToolTip(
            "Records, labels with their history, judges and figures in one zip, with a script "
            "that works the figures out again."
        )
        buttons = layouts.FlowLayout(spacing=theme.px(6))
        layouts.fill(buttons, self.make, self.pack)
        layouts.fill(self.body, grid, pieces.text(said, "small", wrap=True), buttons)
        self.fields = (self.run, self.form)

    @property
    def suffix(self) -> str:
        """Give the suffix of the chosen form."""
        return str(self.form.currentData())

    def scope(self) -> Scope:
        """Give what the report is of."""
        return Scope(runs=chosen(self.run))

    def show_choices(self, choices: ScopeChoices) -> None:
        """Offer the runs of a project."""
        offer_names(self.run, "the newest", tuple(reversed(choices.runs)))


class ReportMaker(QObject):
    """Asks where a report or a packet goes, and writes it beside the window.

    Signals:
        noted: A passing line.
    """

    noted = Signal(str)

    def __init__(
        self, surroundings: ProjectSurroundings, card: ReportCard, progress: ExportCard
    ) -> None:
        """Serve a card; another one shows how far it is."""
        super().__init__(card)
        self._surroundings, self._card, self._progress = surroundings, card, progress
        pieces.connect(
            (card.report_requested, lambda: self._ask("report", card.suffix)),
            (card.packet_requested, lambda: self._ask("audit", ".zip")),
        )

    def _ask(self, name: str, suffix: str) -> None:
        path = self._surroundings.session.project.path
        dialog = QFileDialog(
            self._card,
            "Audit packet" if suffix == ".zip" else "Report",
            str(folder_of_files(path.parent) / f"{path.stem}-{name}{suffix}"),
            _FILTERS[suffix],
            acceptMode=QFileDialog.AcceptMode.AcceptSave,
            defaultSuffix=suffix.lstrip("."),
        )
        dialog.fileSelected.connect(lambda chosen: self.write(Path(chosen)))
        dialog.open()

    def write(self, to: Path) -> None:
        """Write what the suffix of a file says."""
        scope = self._card.scope()
        is_packet = to.suffix.lower() == ".zip"
        self._progress.begin(to, "evaluations")
        pieces.enable(self._card.make, self._card.pack, able=False)

        def work(own: Session, progress: Progress) -> Written | AuditPacket:
            if not is_packet:
                return making.make(own.project, to, scope)
            with _put_aside(to):
                return packet.make(own, to, StatsRequest(scope=scope), progress)

        task = self._surroundings.tasks.run(
            REPORT,
            beside(self._surroundings.session, work),
            then=self._finish,
            failed=self._progress.stop,
        )
        pieces.connect(
            (task.progressed, lambda done, known, _: self._progress.advance(done, known)),
            (task.cancelled, lambda: self._progress.stop(f"{to.name} was not written.")),
            (task.ended, lambda: pieces.enable(self._card.make, self._card.pack, able=True)),
        )

    def _finish(self, found: Written | AuditPacket) -> None:
        rows = ""
        if isinstance(found, AuditPacket):
            labels = counted(found.labels, "label entry", "label entries")
            rows = f"{counted(found.evaluations, 'evaluation')}, {labels}"
        self._progress.show_file(found.file, rows, found.bytes, found.sha256)
        self.noted.emit(f"Wrote {found.file.name}.")
