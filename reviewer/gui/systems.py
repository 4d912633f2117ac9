"""The five systems in the help: what each measures and cannot see, and how it is used."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QTextBlockFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QWidget

from reviewer import paths
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.section_row import SectionRow
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectDialog
from reviewer.gui.review.turn_text import TurnText
from reviewer.gui.start import EXAMPLES


class SystemsDialog(ProjectDialog):
    """A page a system beneath the row of them, and its example one click away.

    Signals:
        example_requested: The example of a system is to be made and opened, by its name.
    """

    example_requested = Signal(str)

    def __init__(self, theme: Theme, system: str, parent: QWidget | None = None) -> None:
        """Show the pages, first that of a system; the first of all where there is no such one."""
        super().__init__(parent, "The five systems")
        self._theme = theme
        self.row = SectionRow([title for _, title in EXAMPLES])
        self.texts: list[TurnText] = []
        page = pieces.dressed(QWidget(), kind="scrolled")
        self._page = layouts.column(on=page, margins=0, gap=theme.px(12))
        self._area = pieces.ReadingColumn(page, "What the system does")
        self.example = pieces.Button("Open its example", self._open, kind="primary")
        layouts.column(
            self.row,
            (self._area, 1),
            layouts.row(1, pieces.Button("Close", self.close), self.example),
            on=self,
            margins=theme.px(14),
            gap=theme.px(12),
        )
        fit(self, theme.px(800), theme.px(700))
        names = [name for name, _ in EXAMPLES]
        self.row.choose(names.index(system) if system in names else 0)
        self.row.buttons[self.row.place].setFocus()
        self._show(self.row.place)
        self.row.chosen.connect(self._show)

    def _show(self, place: int) -> None:
        name, _ = EXAMPLES[place]
        words = (paths.resources() / "help" / f"{name}.md").read_text(encoding="utf-8")
        head, *parts = words.split("\n## ")
        title, _, about = head.removeprefix("# ").partition("\n")
        pieces.clear(self._page)
        layouts.fill(
            self._page,
            pieces.text(title, "title", wrap=True),
            pieces.text(about.strip(), "muted", wrap=True),
        )
        self.texts = []
        for part in parts:
            heading, _, body = part.partition("\n")
            card = pieces.Card(heading)
            text = pieces.named(TurnText(self._theme, lambda _: None), heading)
            text.set_text(body.strip())
            _let_break(text.document())
            card.body.addWidget(text)
            self._page.addWidget(card)
            self.texts.append(text)
        self._page.addStretch(1)
        self._area.verticalScrollBar().setValue(0)

    def _open(self) -> None:
        name, _ = EXAMPLES[self.row.place]
        self.close()
        self.example_requested.emit(name)


def _let_break(document: QTextDocument) -> None:
    """Let long commands go on in the next line instead of out of sight."""
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    breaking = QTextBlockFormat()
    breaking.setNonBreakableLines(False)
    cursor.mergeBlockFormat(breaking)
