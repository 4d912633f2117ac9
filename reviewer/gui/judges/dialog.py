"""The dialog of judges, of endpoints with their keys, and of what models cost."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QMenu,
    QScrollArea,
    QTabWidget,
    QWidget,
)

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import KEY_VARIABLES, Endpoint, Price
from reviewer.gui.judges.follower import Follower
from reviewer.gui.judges.forms import (
    add_rows,
    form,
    lay_out,
    line,
    number_of,
    whole,
    whole_of,
    written,
)
from reviewer.gui.judges.judges_tab import JudgesTab
from reviewer.gui.judges.key_row import KeyRow
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.number_field import choice
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import Surroundings
from reviewer.gui.project_dialog import ProjectDialog
from reviewer.services.calls import prices
from reviewer.services.judging import judges, starting
from reviewer.services.project.session import Session

KINDS = (("OpenAI-compatible", "openai"), ("Anthropic", "anthropic"))
_ENDPOINT_COLUMNS = (Column("endpoint"),)
OWN = "Your own…"


class EndpointsTab(QWidget):
    """The list, and the form of the chosen one.

    Signals:
        said: A sentence about what happened.
        failed: A sentence about what could not be done.
    """

    said = Signal(str)
    failed = Signal(str)

    def __init__(self, surroundings: Surroundings, session: Session) -> None:
        """Show a project's endpoints."""
        super().__init__()
        theme = surroundings.theme
        self._session = session
        self._shown: Endpoint | None = None
        self.list = GridView(theme, _ENDPOINT_COLUMNS, "Endpoints")
        self.list.row_chosen.connect(lambda key: self._show(str(key)))
        self.add_button = pieces.Button("Add ▾", self._offer, dense=True, name="Add an endpoint")
        self.name, self.kind = line("Name"), choice("Kind")
        for title, kind in KINDS:
            self.kind.addItem(title, kind)
        self.url = line("Address", "http://127.0.0.1:11434/v1")
        self.needs_key = QCheckBox("A key is needed")
        self.variable = line("Environment variable", "may hold the key, such as OPENAI_API_KEY")
        self.concurrency = whole("Calls at once", 1, 512)
        self.per_minute = line("Calls a minute", "no limit")
        self.timeout = whole("Time-out", 1, 3600, " s")
        self.json_object = QCheckBox("Knows response_format json_object")
        self.key = KeyRow(surroundings)
        self.key.changed.connect(lambda: judges.note_key(session))
        self.keep_button = pieces.Button("Keep", self.keep, kind="primary")
        self.remove_button = pieces.Button("Remove", self.remove)
        self._arrange(surroundings)
        self.refresh()

    def refresh(self) -> None:
        """Show the endpoints as they are now."""
        found = judges.endpoints(self._session)
        self.list.show_rows([(x.name, _endpoint_cells(x)) for x in found])
        names = [x.name for x in found]
        if names and self.list.chosen() not in names:
            self.list.choose(names[0])
        self._enable(found)

    def choose(self, name: str) -> None:
        """Show an endpoint by name."""
        self.list.choose(name)

    def endpoint(self) -> Endpoint:
        """Give the endpoint as it stands in the form.

        Raises:
            ReviewerError: A number cannot be read.
        """
        return Endpoint(
            name=self.name.text().strip(),
            kind=self.kind.currentData(),
            base_url=self.url.text().strip() or None,
            needs_key=self.needs_key.isChecked(),
            variable=self.variable.text().strip() or None,
            concurrency=self.concurrency.value(),
            per_minute=whole_of(self.per_minute),
            timeout_s=float(self.timeout.value()),
            json_object=self.json_object.isChecked(),
        )

    @property
    def is_typed(self) -> bool:
        """Tell whether something stands in the form that is not kept."""
        try:
            return bool(self.name.text()) and self.endpoint() != self._shown
        except ReviewerError:
            return True

    def keep(self) -> None:
        """Keep what stands in the form."""
        try:
            made = self.endpoint()
            judges.keep_endpoint(self._session, made)
        except ReviewerError as error:
            self.failed.emit(str(error))
            return
        self._kept(made, f"The endpoint {made.name} is kept.")

    def remove(self) -> None:
        """Take the chosen endpoint away, with its key."""
        try:
            said = judges.remove_endpoint(self._session, str(self.list.chosen() or ""))
        except ReviewerError as error:
            self.failed.emit(str(error))
            return
        self.refresh()
        self.said.emit(said)

    def start_from(self, made: Endpoint) -> None:
        """Put an endpoint into the form, to be kept or not."""
        self.name.setText(made.name)
        self.kind.setCurrentIndex(self.kind.findData(made.kind))
        self.url.setText(made.base_url or "")
        self.needs_key.setChecked(made.needs_key)
        self.variable.setText(made.variable or "")
        self.concurrency.setValue(made.concurrency)
        self.per_minute.setText(written(made.per_minute))
        self.timeout.setValue(int(made.timeout_s))
        self.json_object.setChecked(made.json_object)
        there = {x.name: x for x in judges.endpoints(self._session)}
        self.key.show_endpoint(there.get(made.name))
        self.form_card.setEnabled(True)

    def _show(self, name: str) -> None:
        found = next((x for x in judges.endpoints(self._session) if x.name == name), None)
        if found is not None:
            self.start_from(found)
            self._shown = self.endpoint()

    def _kept(self, made: Endpoint, sentence: str) -> None:
        self.refresh()
        self.list.choose(made.name)
        self._show(made.name)
        self.said.emit(sentence)

    def _offer(self) -> None:
        menu = QMenu(self)
        for made in starting.presets():
            menu.addAction(made.name).triggered.connect(lambda _=False, x=made: self._add(x))
        own = Endpoint(name="", needs_key=True, variable=KEY_VARIABLES["openai"])
        menu.addAction(OWN).triggered.connect(lambda *_: self._begin(own))
        menu.popup(self.add_button.mapToGlobal(self.add_button.rect().bottomLeft()))

    def _add(self, made: Endpoint) -> None:
        there = {x.name for x in judges.endpoints(self._session)}
        if made.name in there:
            self.list.choose(made.name)
            return
        self._begin(made)
        self.keep()

    def _begin(self, made: Endpoint) -> None:
        self.list.clearSelection()
        self.start_from(made)
        self._shown = None
        self.name.setFocus()

    def _enable(self, found: Sequence[Endpoint]) -> None:
        self.form_card.setEnabled(bool(found) or bool(self.name.text()))
        self.remove_button.setEnabled(bool(found))

    def _arrange(self, surroundings: Surroundings) -> None:
        rows = form(surroundings.theme)
        add_rows(rows, surroundings.theme, (
            ("Name", self.name), ("Kind", self.kind), ("Address", self.url),
            ("Key", self.needs_key), ("", self.key), ("Variable", self.variable),
            ("Calls at once", self.concurrency), ("A minute", self.per_minute),
            ("Time-out", self.timeout), ("JSON", self.json_object),))  # fmt: skip
        self.form_card = pieces.Card()
        self.form_card.body.addLayout(rows)
        left = pieces.Card("Endpoints")
        left.head.addWidget(self.add_button)
        left.body.addWidget(self.list, 1)
        buttons = (self.remove_button, self.keep_button)
        lay_out(self, surroundings.theme, left, self.form_card, buttons)


def _endpoint_cells(one: Endpoint) -> tuple[Cell, ...]:
    where = one.base_url or f"the {one.kind} service"
    return (Cell(one_line(one.name, 60), strong=True, below=one_line(where, 80), tip=where),)


ABOUT = (
    "Dollars a million tokens. Providers change them: what stands here counts for estimates, "
    "budgets and costs from now on."
)
_PRICE_COLUMNS = (
    Column("model"),
    Column("in", 80, number=True),
    Column("out", 80, number=True),
    Column("note"),
)


class PricesTab(QWidget):
    """The table, and a row of fields to change or add a model's price.

    Signals:
        said: A sentence about what happened.
        failed: A sentence about what could not be done.
    """

    said = Signal(str)
    failed = Signal(str)

    def __init__(self, surroundings: Surroundings, session: Session) -> None:
        """Show a project's prices."""
        super().__init__()
        self._session = session
        px = surroundings.theme.px
        self.table = GridView(surroundings.theme, _PRICE_COLUMNS, "Prices")
        self.table.row_chosen.connect(self._show)
        self.model = line("Model", "model")
        self.paid_in = line("Price of a million tokens in", "in")
        self.paid_out = line("Price of a million tokens out", "out")
        self.note = line("Note", "note")
        for field in (self.model, self.paid_in, self.paid_out, self.note):
            field.returnPressed.connect(self.keep)
        entry = QHBoxLayout()
        for field, share in (
            (self.model, 3),
            (self.paid_in, 1),
            (self.paid_out, 1),
            (self.note, 4),
        ):
            entry.addWidget(field, share)
        entry.addWidget(pieces.Button("Keep", self.keep, kind="primary"))
        card = pieces.Card("Prices")
        layouts.fill(card.body, pieces.text(ABOUT, "muted", wrap=True), (self.table, 1), entry)
        layouts.column(card, on=self, margins=(0, px(8), 0, 0))
        self.refresh()

    def refresh(self) -> None:
        """Show the prices as they are now, and models of judges that have none."""
        found = {x.model: x for x in prices.every(self._session.project)}
        rows = [(x.model, _price_cells(x)) for x in found.values()]
        for judge in judges.every(self._session):
            if judge.model not in found:
                missing = (Cell("—", tip="not known"), Cell("—", tip="not known"))
                name = Cell(one_line(judge.model, 60), strong=True)
                rows.append((judge.model, (name, *missing, Cell("not known", "muted"))))
        self.table.show_rows(rows)

    @property
    def is_typed(self) -> bool:
        """Tell whether something stands in the fields that is not kept."""
        model = self.model.text()
        kept = prices.price_of(self._session.project, model)
        fields = (self.paid_in, self.paid_out, self.note)
        return bool(model) and [x.text() for x in fields] != _written(kept)

    def keep(self) -> None:
        """Keep the price in the fields."""
        try:
            paid = [number_of(field) for field in (self.paid_in, self.paid_out)]
            if not self.model.text().strip() or None in paid:
                self.failed.emit("A price needs a model and two numbers; 0 stands for free.")
                return
            made = Price(
                model=self.model.text().strip(),
                input_per_million=paid[0] or 0.0,
                output_per_million=paid[1] or 0.0,
                note=self.note.text().strip(),
            )
            judges.keep_price(self._session, made)
        except ReviewerError as error:
            self.failed.emit(str(error))
            return
        self.refresh()
        self.said.emit(f"The price of {made.model} is kept.")

    def _show(self, model: object) -> None:
        found = prices.price_of(self._session.project, str(model))
        self.model.setText(str(model))
        for field, words in zip(
            (self.paid_in, self.paid_out, self.note), _written(found), strict=True
        ):
            field.setText(words)


def _written(one: Price | None) -> list[str]:
    if one is None:
        return ["", "", ""]
    return [written(one.input_per_million), written(one.output_per_million), one.note]


def _price_cells(one: Price) -> tuple[Cell, ...]:
    return (
        Cell(one_line(one.model, 60), strong=True),
        Cell(f"${one.input_per_million:g}"),
        Cell(f"${one.output_per_million:g}"),
        Cell(one_line(one.note, 120), "muted", tip=one.note),
    )


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
        self.tabs = pieces.named(QTabWidget(documentMode=True), "Judges, endpoints and prices")
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
        foot = layouts.row(
            (self.said, 1),
            pieces.Button("Prompts…", self.prompts_requested.emit),
            pieces.Button("Close", self.close),
        )
        layouts.column((self.tabs, 1), foot, on=self, margins=px(14), gap=px(10))
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
    area = QScrollArea(widgetResizable=True)
    area.setWidget(tab)
    return area
