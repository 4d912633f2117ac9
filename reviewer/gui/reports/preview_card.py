"""The report as it will be, in a pane of its own: read while choices are made."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTextBrowser
from typing_extensions import override

from reviewer.domain.wording import counted
from reviewer.gui.background import beside
from reviewer.gui.exposing import Exposing
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.paper import Paper
from reviewer.gui.kit.tasks import Refresher
from reviewer.gui.kit.theme import LIGHT, TextStyle
from reviewer.gui.page import ProjectSurroundings
from reviewer.services.reporting import previewing
from reviewer.services.reporting.making import ReportRequest
from reviewer.services.reporting.previewing import Previewed

PREVIEW = "report preview"
SETTLE_MS = 350
MARGIN = 28.0


class PaperView(QTextBrowser):
    """Shows a document on paper, or the text of a file; nothing in it is followed or loaded."""

    def __init__(self, family: str) -> None:
        """Make an empty view."""
        super().__init__(openLinks=False, openExternalLinks=False)
        self._family = family
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setStyleSheet(f"QTextBrowser {{ background: {LIGHT.card}; color: {LIGHT.text}; }}")
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )

    def show_document(self, html: str) -> None:
        """Show a document that is laid out."""
        before = self.document()
        paper = Paper(self._family, self, margin=MARGIN)
        paper.setHtml(html)
        self.setDocument(paper)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        if isinstance(before, Paper):
            before.deleteLater()

    @override
    def loadResource(self, type: int, name: object) -> object:
        """Give nothing: what a text names is not fetched."""
        return None


class PreviewCard(pieces.Card):
    """Makes a report beside the window and shows it; another choice ends what is being made.

    Signals:
        failed: Something could not be recorded, as a sentence.
    """

    failed = Signal(str)

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make the card empty; `show_request` lets it read."""
        super().__init__("Preview of the report")
        self._surroundings = surroundings
        self._wanted: tuple[str, ReportRequest] | None = None
        self._refresher = Refresher(self, self._make, SETTLE_MS)
        self._exposing = Exposing(surroundings.session, self)
        self._exposing.failed.connect(self.failed)
        self.state = pieces.text("", "muted")
        self.head.addWidget(self.state)
        self.problem = pieces.text("", "muted", wrap=True)
        self.problem.hide()
        theme = surroundings.theme
        self.paper = pieces.named(
            PaperView(theme.font(TextStyle.BODY).family()), "Preview of the report"
        )
        self._mono = theme.font(TextStyle.MONO)
        layouts.fill(self.body, self.problem, (self.paper, 1))

    def show_request(self, suffix: str, request: ReportRequest) -> None:
        """Show another report soon."""
        self._wanted = suffix, request
        self.state.setText("making the preview…")
        self._refresher.wish()

    def renew(self) -> None:
        """Make the same preview again soon, as something changed."""
        if self._wanted is not None:
            self.show_request(*self._wanted)

    def _make(self) -> None:
        if self._wanted is None:
            return
        suffix, request = self._wanted
        task = self._surroundings.tasks.run(
            PREVIEW,
            beside(
                self._surroundings.session,
                lambda own, progress: previewing.preview(own, suffix, request, progress),
            ),
            then=self._show,
            failed=self._tell,
        )
        task.progressed.connect(
            lambda done, total, note: self.state.setText(f"{note}, {done + 1:,} of {total:,}…")
        )

    def _show(self, found: Previewed) -> None:
        if found.hidden:
            many = counted(found.hidden, "response is", "responses are")
            self._tell(
                f"{many} hidden from you until you have scored them, and a report tells what the "
                "judge gave. The preview comes then; the file can be made."
            )
            return
        self.state.setText("")
        pieces.say(self.problem, "")
        self.paper.show()
        if found.is_laid_out:
            self.paper.show_document(found.text)
        else:
            self.paper.document().setDefaultFont(self._mono)
            self.paper.setPlainText(found.text)
        self._exposing.note(found.keys)

    def _tell(self, sentence: str) -> None:
        self.state.setText("")
        self.paper.hide()
        pieces.say(self.problem, sentence)
