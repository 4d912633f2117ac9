"""The dialog of judges, endpoints with their keys, and prices."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QTabWidget, QVBoxLayout, QWidget

from reviewer.gui.judges.endpoints_tab import EndpointsTab
from reviewer.gui.judges.follower import Follower
from reviewer.gui.judges.judges_tab import JudgesTab
from reviewer.gui.judges.prices_tab import PricesTab
from reviewer.gui.kit import pieces
from reviewer.gui.kit.fitting import fit
from reviewer.gui.page import Surroundings
from reviewer.gui.project_dialog import ProjectDialog
from reviewer.services.project.session import Session

READ_ONLY = "The project is read-only here: you can look, but change nothing."


class JudgesDialog(ProjectDialog):
    """Three tabs over one line that says what happened.

    Signals:
        prompts_requested: The prompts are to be shown.
    """

    prompts_requested = Signal()

    def __init__(self, surroundings: Surroundings, session: Session, parent: QWidget) -> None:
        """Show what a project has."""
        super().__init__(parent)
        px = surroundings.theme.px
        self.setWindowTitle("Judges")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        fit(self, px(900), px(700))
        self.judges = JudgesTab(surroundings, session)
        self.endpoints = EndpointsTab(surroundings, session)
        self.prices = PricesTab(surroundings, session)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName("Judges, endpoints and prices")
        self.tabs.tabBar().setDrawBase(False)
        self.said = pieces.text("", "muted", wrap=True, name="What happened")
        for tab, title in (
            (self.judges, "Judges"),
            (self.endpoints, "Endpoints and keys"),
            (self.prices, "Prices"),
        ):
            self.tabs.addTab(_scrolled(tab), title)
            tab.said.connect(lambda words: self._say(words, "muted"))
            tab.failed.connect(lambda words: self._say(words, "alert"))
        self.judges.endpoint_requested.connect(self.show_endpoint)
        self.tabs.currentChanged.connect(lambda _: self._refresh())
        foot = QHBoxLayout()
        foot.addWidget(self.said, 1)
        foot.addWidget(pieces.Button("Prompts…", self.prompts_requested.emit))
        foot.addWidget(pieces.Button("Close", self.close))
        column = QVBoxLayout(self)
        column.setContentsMargins(*[px(14)] * 4)
        column.setSpacing(px(10))
        column.addWidget(self.tabs, 1)
        column.addLayout(foot)
        Follower(self, session, lambda: self._tab)
        if session.project.read_only:
            self._say(READ_ONLY, "notice")

    def show_endpoint(self, name: str) -> None:
        """Show an endpoint by name."""
        self.tabs.setCurrentIndex(1)
        self.endpoints.choose(name)

    @property
    def _tab(self) -> JudgesTab | EndpointsTab | PricesTab:
        return (self.judges, self.endpoints, self.prices)[self.tabs.currentIndex()]

    def _refresh(self) -> None:
        self._say("", "muted")
        self._tab.refresh()

    def _say(self, words: str, role: str) -> None:
        self.said.setText(words)
        pieces.set_property(self.said, "role", role)


def _scrolled(tab: QWidget) -> QScrollArea:
    tab.setProperty("kind", "scrolled")
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setWidget(tab)
    return area
