"""Reports for readers who have no program, and the audit packet that proves their figures."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from reviewer.domain.errors import Progress, ReviewerError
from reviewer.domain.run import Scope
from reviewer.domain.wording import counted
from reviewer.gui import printing
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
from reviewer.services.reporting import making, packet, previewing, recipes
from reviewer.services.reporting.making import ReportRequest, Written
from reviewer.services.reporting.packet import AuditPacket
from reviewer.services.reporting.recipes import Recipe

REPORT = "report"
FORMS = (
    (".html", "HTML"), (".pdf", "PDF"), (".md", "Markdown"),
    (".json", "JSON"),
)  # fmt: skip
_FILTERS = {
    ".html": "HTML (*.html)", ".md": "Markdown (*.md)", ".json": "JSON (*.json)",
    ".pdf": "PDF (*.pdf)", ".zip": "Audit packet (*.zip)",
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
    """Which run, in which form, by which template; a report, a recipe, or the packet.

    Signals:
        changed: Something else was chosen.
        report_requested: A report is wanted.
        recipe_requested: What is chosen is to be kept as a recipe.
        packet_requested: An audit packet is wanted.
    """

    changed = Signal()
    report_requested = Signal()
    recipe_requested = Signal()
    packet_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make the card; a report is of the newest run unless another is chosen."""
        super().__init__("Report")
        self.run = choice("Run of the report")
        self.form = choice("Form of the report", FORMS)
        self.template = choice("Template of the report")
        grid = layouts.grid(down=theme.px(6), stretch={1: 1})
        titles = (("Run", self.run), ("As", self.form), ("Template", self.template))
        for row, (title, field) in enumerate(titles):
            grid.addWidget(pieces.text(title, "muted"), row, 0)
            grid.addWidget(field, row, 1)
        self.own = pieces.Button("Own template…", self.ask_template, dense=True)
        self.own.setToolTip(
            "A jinja2 file that names what the JSON report has; it runs sandboxed."
        )
        self.make = pieces.Button("Make report…", self.report_requested.emit, kind="primary")
        self.keep = pieces.Button("Keep as recipe…", self.recipe_requested.emit, dense=True)
        self.pack = pieces.Button("Audit packet…", self.packet_requested.emit, dense=True)
        self.pack.setToolTip(
            "Records, labels with their history, judges and figures in one zip, with a script "
            "that works the figures out again."
        )
        buttons = layouts.FlowLayout(spacing=theme.px(6))
        layouts.fill(buttons, self.make, self.keep, self.own, self.pack)
        layouts.fill(self.body, grid, buttons)
        self.fields = (self.run, self.form)
        self._offer_templates()
        pieces.connect(
            (self.run.currentIndexChanged, self._tell),
            (self.form.currentIndexChanged, self._offer_templates),
            (self.template.currentIndexChanged, self._tell),
        )

    @property
    def suffix(self) -> str:
        """Give the suffix of the chosen form."""
        return str(self.form.currentData())

    def request(self) -> ReportRequest:
        """Give the report that is chosen."""
        template = chosen(self.template)
        return ReportRequest(
            scope=Scope(runs=chosen(self.run)), template=template[0] if template else None
        )

    def show_choices(self, choices: ScopeChoices) -> None:
        """Offer the runs of a project."""
        offer_names(self.run, "the newest", tuple(reversed(choices.runs)))

    def ask_template(self) -> None:
        """Ask for a template of one's own."""
        dialog = QFileDialog(
            self,
            "Own template",
            str(folder_of_files(Path.home())),
            "Templates (*.j2 *.jinja *.jinja2 *.md *.html *.txt)",
            fileMode=QFileDialog.FileMode.ExistingFile,
        )
        dialog.fileSelected.connect(lambda chosen: self.take_template(Path(chosen)))
        dialog.open()

    def take_template(self, file: Path) -> None:
        """Choose a template of one's own."""
        if self.template.findData(str(file)) < 0:
            self.template.addItem(file.name, str(file))
        self.template.setCurrentIndex(self.template.findData(str(file)))

    def _offer_templates(self) -> None:
        offer_names(self.template, "the usual one", previewing.templates(self.suffix))
        is_fixed = self.suffix == ".json"
        pieces.enable(self.template, self.own, able=not is_fixed)
        self._tell()

    def _tell(self) -> None:
        self.changed.emit()


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
        self._ask_where(f"{path.stem}-{name}{suffix}", self.write)

    def ask_again(self, recipe: Recipe) -> None:
        """Ask where the next report of a recipe goes."""
        try:
            name = recipes.file_of(self._surroundings.session.project, recipe, Path()).name
        except ReviewerError as error:
            self.noted.emit(str(error))
            return
        self._ask_where(name, lambda to: self.write(to, recipe.request))

    def _ask_where(self, name: str, write: Callable[[Path], None]) -> None:
        path, suffix = self._surroundings.session.project.path, Path(name).suffix
        dialog = QFileDialog(
            self._card,
            "Audit packet" if suffix == ".zip" else "Report",
            str(folder_of_files(path.parent) / name),
            _FILTERS.get(suffix, ""),
            acceptMode=QFileDialog.AcceptMode.AcceptSave,
            defaultSuffix=suffix.lstrip("."),
        )
        dialog.fileSelected.connect(lambda chosen: write(Path(chosen)))
        dialog.open()

    def write(self, to: Path, request: ReportRequest | None = None) -> None:
        """Write what the suffix of a file says: what is chosen, or another report."""
        request = self._card.request() if request is None else request
        scope = request.scope
        is_packet = to.suffix.lower() == ".zip"
        self._progress.begin(to, "evaluations")
        pieces.enable(self._card.make, self._card.pack, able=False)

        def work(own: Session, progress: Progress) -> Written | AuditPacket:
            if not is_packet:
                return making.make(own.project, to, request, printing.write, progress)
            with _put_aside(to):
                return packet.make(own, to, StatsRequest(scope=scope), progress)

        task = self._surroundings.tasks.run(
            REPORT,
            beside(self._surroundings.session, work),
            then=self._finish,
            failed=self._progress.stop,
            loss=f"the {'audit packet' if is_packet else 'report'} {to.name}",
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
