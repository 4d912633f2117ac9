"""Judges: which model scores, with which parameters, at which endpoint, and whether it answers."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Endpoint, Judge
from reviewer.gui.background import beside
from reviewer.gui.judges.forms import (
    add_rows,
    form,
    lay_out,
    line,
    lines,
    number_of,
    whole,
    whole_of,
    written,
)
from reviewer.gui.judges.key_row import KeyRow
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.number_field import choice
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import Surroundings
from reviewer.services.calls import parameters, prices
from reviewer.services.jobs import trying
from reviewer.services.judging import judges, starting
from reviewer.services.judging.starting import Preset
from reviewer.services.project.session import Session

KIND = "judge-test"
TESTING = "Asking for a word…"
_COLUMNS = (Column("judge"),)


class JudgesTab(QWidget):
    """The list, and the form of the chosen one.

    Signals:
        said: A sentence about what happened.
        failed: A sentence about what could not be done.
        endpoint_requested: An endpoint is to be shown, by its name.
    """

    said = Signal(str)
    failed = Signal(str)
    endpoint_requested = Signal(str)

    def __init__(self, surroundings: Surroundings, session: Session) -> None:
        """Show a project's judges."""
        super().__init__()
        self._surroundings, self._session = surroundings, session
        self._kept: Judge | None = None
        self.list = GridView(surroundings.theme, _COLUMNS, "Judges")
        self.list.row_chosen.connect(lambda key: self._show(str(key)))
        self.add_button = pieces.Button("Add ▾", self._offer, dense=True, name="Add a judge")
        self.name = line("Name", "such as careful")
        self.endpoint = choice("Endpoint")
        self.endpoint.activated.connect(lambda _: self._show_key())
        self.edit = pieces.Button("Edit…", self._edit_endpoint, dense=True, name="Edit endpoint")
        self.model = line("Model", "such as gpt-4o-mini or qwen3:14b")
        self.temperature = line("Temperature", "0 to 2")
        self.max_tokens = line("Longest reply, tokens", "the model's own limit")
        self.seed = line("Seed", "none")
        self.repeats = whole("Repeats", 1, 100)
        self.extra = lines(
            surroundings.theme, "Further parameters", f"none; such as {parameters.EXAMPLE}"
        )
        self.extra.setToolTip("A JSON object that goes along with every request.")
        self.note = line("Note")
        self.price = pieces.text("", "muted", wrap=True, name="Price")
        self.key = KeyRow(surroundings)
        self.key.changed.connect(lambda: judges.note_key(session))
        self.keep_button = pieces.Button("Keep", self.keep, kind="primary")
        self.test_button = pieces.Button("Test connection", self.test)
        self.remove_button = pieces.Button("Remove", self.remove)
        self._arrange(surroundings)
        self.refresh()

    def refresh(self) -> None:
        """Show judges and endpoints as they are now."""
        wanted = self.endpoint.currentText()
        self.endpoint.clear()
        for one in judges.endpoints(self._session):
            self.endpoint.addItem(one.name)
        self.endpoint.setCurrentText(wanted)
        found = judges.every(self._session)
        self.list.show_rows([(x.name, _cells(x)) for x in found])
        names = [x.name for x in found]
        if names and self.list.chosen() not in names:
            self.list.choose(names[0])
        self._enable()
        self._show_key()

    def choose(self, name: str) -> None:
        """Show a judge by name."""
        self.list.choose(name)

    def start_from(self, preset: Preset) -> None:
        """Begin a judge from one that ships; its endpoint is added where it is not there."""
        there = {x.name for x in judges.endpoints(self._session)}
        try:
            if preset.endpoint.name not in there:
                judges.keep_endpoint(self._session, preset.endpoint)
        except ReviewerError as error:
            self.failed.emit(str(error))
            return
        name = _free(preset.model or preset.endpoint.name, self._session)
        made = Judge(
            name=name, endpoint=preset.endpoint.name, model=preset.model, note=preset.note
        )
        self.refresh()
        self._fill(made, is_kept=False)
        if preset.model:
            self.keep()
        else:
            self.model.setFocus()

    def judge(self) -> Judge:
        """Give the judge as it stands in the form.

        Raises:
            ReviewerError: A number cannot be read.
        """
        before = self._kept
        return Judge(
            name=self.name.text().strip(),
            endpoint=self.endpoint.currentText(),
            model=self.model.text().strip(),
            temperature=number_of(self.temperature) or 0.0,
            max_tokens=whole_of(self.max_tokens),
            seed=whole_of(self.seed),
            repeats=self.repeats.value(),
            prompts=before.prompts if before else (),
            extra=parameters.read(self.extra.toPlainText()),
            note=self.note.text().strip(),
        )

    def keep(self) -> bool:
        """Keep what stands in the form; tells whether it could be."""
        try:
            made = self.judge()
            judges.keep(self._session, made)
        except ReviewerError as error:
            self.failed.emit(str(error))
            return False
        self._kept = made
        self.refresh()
        self.list.choose(made.name)
        self.said.emit(f"The judge {made.name} is kept.")
        return True

    @property
    def is_typed(self) -> bool:
        """Tell whether something stands in the form that is not kept."""
        try:
            return bool(self.name.text()) and self.judge() != self._kept
        except ReviewerError:
            return True

    def test(self) -> None:
        """Keep the judge and ask its model for a word."""
        if not self.keep():
            return
        name = self.name.text().strip()
        self.said.emit(TESTING)
        self._surroundings.tasks.run(
            KIND,
            beside(self._session, lambda own, _: trying.endpoint(own, name)),
            then=self.said,
            failed=self.failed,
        )

    def remove(self) -> None:
        """Take the chosen judge away."""
        try:
            said = judges.remove_judge(self._session, str(self.list.chosen() or ""))
        except ReviewerError as error:
            self.failed.emit(str(error))
            return
        self.refresh()
        self.said.emit(said)

    def _show(self, name: str) -> None:
        found = next((x for x in judges.every(self._session) if x.name == name), None)
        if found is not None:
            self._fill(found, is_kept=True)

    def _fill(self, made: Judge, *, is_kept: bool) -> None:
        self._kept = made if is_kept else None
        if not is_kept:
            self.list.clearSelection()
        self.name.setText(made.name)
        self.endpoint.setCurrentText(made.endpoint)
        self.model.setText(made.model)
        self.temperature.setText(written(made.temperature))
        self.max_tokens.setText(written(made.max_tokens))
        self.seed.setText(written(made.seed))
        self.repeats.setValue(made.repeats)
        self.extra.setPlainText(parameters.written(made.extra))
        self.note.setText(made.note)
        self.price.setText(_price(self._session, made.model))
        self._enable()
        self._show_key()

    def _show_key(self) -> None:
        self.key.show_endpoint(self._endpoint())

    def _endpoint(self) -> Endpoint | None:
        wanted = self.endpoint.currentText()
        return next((x for x in judges.endpoints(self._session) if x.name == wanted), None)

    def _edit_endpoint(self) -> None:
        self.endpoint_requested.emit(self.endpoint.currentText())

    def _offer(self) -> None:
        menu = QMenu(self)
        for preset in starting.judge_presets():
            words = f"{preset.title}: {preset.note}" if preset.note else preset.title
            menu.addAction(words).triggered.connect(lambda _=False, x=preset: self.start_from(x))
        menu.popup(self.add_button.mapToGlobal(self.add_button.rect().bottomLeft()))

    def _enable(self) -> None:
        there = bool(self.name.text())
        self.form_card.setEnabled(there)
        self.remove_button.setEnabled(self._kept is not None)

    def _arrange(self, surroundings: Surroundings) -> None:
        at = QWidget()
        layouts.row((self.endpoint, 1), self.edit, on=at, margins=0)
        rows = form(surroundings.theme)
        add_rows(rows, surroundings.theme, (
            ("Name", self.name), ("Endpoint", at), ("Key", self.key), ("Model", self.model),
            ("Price", self.price), ("Temperature", self.temperature),
            ("Longest reply", self.max_tokens), ("Seed", self.seed), ("Repeats", self.repeats),
            ("Parameters", self.extra), ("Note", self.note),))  # fmt: skip
        self.form_card = pieces.Card()
        self.form_card.body.addLayout(rows)
        left = pieces.Card("Judges")
        left.head.addWidget(self.add_button)
        left.body.addWidget(self.list, 1)
        buttons = (self.remove_button, self.test_button, self.keep_button)
        lay_out(self, surroundings.theme, left, self.form_card, buttons)


def _cells(one: Judge) -> tuple[Cell, ...]:
    below = f"{one.model} at {one.endpoint}" if one.model != one.name else f"at {one.endpoint}"
    tip = "\n".join(x for x in (below, one.note) if x)
    return (Cell(one_line(one.name, 60), strong=True, below=one_line(below, 80), tip=tip),)


def _free(name: str, session: Session) -> str:
    known = {x.name for x in judges.every(session)}
    numbered = (f"{name} {n}" for n in range(2, len(known) + 3))
    return name if name not in known else next(x for x in numbered if x not in known)


def _price(session: Session, model: str) -> str:
    found = prices.price_of(session.project, model) if model else None
    if found is None:
        return "not known; enter it under Prices to see costs and to set a budget"
    cost = f"${found.input_per_million:g} in, ${found.output_per_million:g} out a million tokens"
    return f"{cost} · {found.note}" if found.note else cost
