"""Endpoints: where models are reached, with their keys."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QMenu, QWidget

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import KEY_VARIABLES, Endpoint
from reviewer.gui.judges.forms import add_rows, form, lay_out, line, whole, whole_of, written
from reviewer.gui.judges.key_row import KeyRow
from reviewer.gui.kit import pieces
from reviewer.gui.kit.choosing import choice
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import Surroundings
from reviewer.services.evaluating import judges, starting
from reviewer.services.project.session import Session

KINDS = (("OpenAI-compatible", "openai"), ("Anthropic", "anthropic"))
_COLUMNS = (Column("endpoint"),)
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
        self.list = GridView(theme, _COLUMNS, "Endpoints")
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
        self.list.show_rows([(x.name, _cells(x)) for x in found])
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


def _cells(one: Endpoint) -> tuple[Cell, ...]:
    where = one.base_url or f"the {one.kind} service"
    return (Cell(one_line(one.name, 60), strong=True, below=one_line(where, 80), tip=where),)
