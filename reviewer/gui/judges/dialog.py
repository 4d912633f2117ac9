"""The dialog of judges, of endpoints with their keys, and of what models cost."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

from msgspec import convert
from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QLineEdit,
    QScrollArea,
    QTabWidget,
    QWidget,
)
from typing_extensions import override

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import KEY_VARIABLES, Endpoint, Price
from reviewer.gui.judges.follower import Follower
from reviewer.gui.judges.judges_tab import JudgesTab, KeyRow, lay_out
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.form import Choice, Flag, Form, Number, Own, Spin, Text, Whole
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.pieces import offer_acts
from reviewer.gui.kit.tasks import telling
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import ProjectDialog, Surroundings
from reviewer.services.calls import prices
from reviewer.services.judging import judges
from reviewer.services.project.session import Session

KINDS = (("openai", "OpenAI-compatible"), ("anthropic", "Anthropic"))
_ENDPOINT_COLUMNS = (Column("endpoint"),)
OWN = "Your own…"


class EndpointForm(Form):
    """An endpoint's fields."""

    name = Text("Name")
    kind = Choice("Kind", entries=KINDS)
    base_url = Text("Address", "http://127.0.0.1:11434/v1", optional=True)
    needs_key = Flag("Key", "A key is needed", name="A key is needed")
    key = Own[KeyRow]("")
    variable = Text("Variable", "may hold the key, such as OPENAI_API_KEY",
                    name="Environment variable", optional=True)  # fmt: skip
    concurrency = Spin("Calls at once", lowest=1, highest=512)
    per_minute = Whole("A minute", "no limit", name="Calls a minute")
    timeout_s = Spin("Time-out", lowest=1, highest=3600, unit=" s")
    json_object = Flag("JSON", "Knows response_format json_object",
                       name="Knows response_format json_object")  # fmt: skip


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
        self._session = session
        self._shown: Endpoint | None = None
        self.list = GridView(surroundings.theme, _ENDPOINT_COLUMNS, "Endpoints")
        self.list.row_chosen.connect(lambda key: self._show(str(key)))
        self.add_button = pieces.Button("Add ▾", self._offer, dense=True, name="Add an endpoint")
        self.form = EndpointForm(surroundings.theme, key=KeyRow(surroundings))
        self.form.key.changed.connect(lambda: judges.note_key(session))
        self.keep_button = pieces.Button("Keep", self.keep, kind="primary")
        self.remove_button = pieces.Button("Remove", self.remove)
        buttons = (self.remove_button, self.keep_button)
        self.form_card = lay_out(self, (self.list, self.add_button), self.form, buttons)
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
        return convert(self.form.values(), Endpoint)

    @property
    def is_typed(self) -> bool:
        """Tell whether something stands in the form that is not kept."""
        try:
            return bool(self.form.name.text()) and self.endpoint() != self._shown
        except ReviewerError:
            return True

    def keep(self) -> None:
        """Keep what stands in the form."""
        with telling(self.failed.emit):
            made = self.endpoint()
            judges.keep_endpoint(self._session, made)
            self._kept(made, f"The endpoint {made.name} is kept.")

    def remove(self) -> None:
        """Take the chosen endpoint away, with its key."""
        with telling(self.failed.emit):
            said = judges.remove_endpoint(self._session, str(self.list.chosen() or ""))
            self.refresh()
            self.said.emit(said)

    def start_from(self, made: Endpoint) -> None:
        """Put an endpoint into the form, to be kept or not."""
        self.form.fill(asdict(made))
        there = {x.name: x for x in judges.endpoints(self._session)}
        self.form.key.show_endpoint(there.get(made.name))
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
        own = Endpoint(name="", needs_key=True, variable=KEY_VARIABLES["openai"])
        presets = [(x.name, partial(self._add, x)) for x in judges.presets()]
        offer_acts(self.add_button, [*presets, (OWN, partial(self._begin, own))])

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
        self.form.name.setFocus()

    def _enable(self, found: Sequence[Endpoint]) -> None:
        self.form_card.setEnabled(bool(found) or bool(self.form.name.text()))
        self.remove_button.setEnabled(bool(found))


def _endpoint_cells(one: Endpoint) -> tuple[Cell, ...]:
    where = one.base_url or f"the {one.kind} service"
    return (Cell(one_line(one.name, 60), strong=True, below=one_line(where, 80), tip=where),)


ABOUT = (
    "Dollars a million tokens. Providers change them: what stands here counts for estimates, "
    "budgets and costs from now on."
)
_PRICE_COLUMNS = (
    Column("model"),
    Column("in", 80, number=True, tip="Dollars for a million tokens that are sent."),
    Column("out", 80, number=True, tip="Dollars for a million tokens of replies."),
    Column("note"),
)


class PriceForm(Form):
    """A model's price, in one line."""

    model = Text("Model", "model")
    input_per_million = Number("Price of a million tokens in", "in")
    output_per_million = Number("Price of a million tokens out", "out")
    note = Text("Note", "note")

    @override
    def place(self) -> None:
        """Lay the fields side by side, without titles."""
        parts = zip(self.widgets.values(), (3, 1, 1, 4), strict=True)
        self.keep = pieces.Button("Keep", kind="primary")
        layouts.row(*parts, self.keep, on=self, margins=0, gap=8)


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
        self.table = GridView(surroundings.theme, _PRICE_COLUMNS, "Prices")
        self.table.row_chosen.connect(self._show)
        self.form = PriceForm(surroundings.theme)
        self.form.keep.clicked.connect(lambda _: self.keep())
        for field in self.form.findChildren(QLineEdit):
            field.returnPressed.connect(self.keep)
        card = pieces.Card("Prices")
        layouts.fill(card.body, pieces.text(ABOUT, "muted", wrap=True), (self.table, 1), self.form)
        layouts.column(card, on=self, margins=(0, surroundings.theme.px(8), 0, 0))
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
        model = self.form.model.text()
        try:
            return bool(model) and self.form.values() != self._kept(model)
        except ReviewerError:
            return True

    def keep(self) -> None:
        """Keep the price in the fields."""
        with telling(self.failed.emit):
            said = self.form.values()
            if not said["model"] or None in said.values():
                self.failed.emit("A price needs a model and two numbers; 0 stands for free.")
                return
            made = convert(said, Price)
            judges.keep_price(self._session, made)
            self.refresh()
            self.said.emit(f"The price of {made.model} is kept.")

    def _show(self, model: object) -> None:
        self.form.fill(self._kept(str(model)))

    def _kept(self, model: str) -> dict[str, object]:
        found = prices.price_of(self._session.project, model)
        unknown = dict.fromkeys(PriceForm.fields()) | {"model": model, "note": ""}
        return asdict(found) if found is not None else unknown


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
        super().__init__(parent, "Judges")
        px = surroundings.theme.px
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
            pieces.connect(
                (tab.said, lambda words: self._say(words, "muted")),
                (tab.failed, lambda words: self._say(words, "alert")),
            )
        pieces.connect(
            (self.judges.endpoint_requested, self.show_endpoint),
            (self.tabs.currentChanged, lambda _: self._refresh()),
        )
        layouts.column(
            (self.tabs, 1),
            layouts.row(
                (self.said, 1),
                pieces.Button("Prompts…", self.prompts_requested.emit),
                pieces.Button("Close", self.close),
            ),
            on=self,
            margins=px(14),
            gap=px(10),
        )
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
