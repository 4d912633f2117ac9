"""Judges and the keys of their endpoints, which are told of and stored but never shown."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget
from typing_extensions import override

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Endpoint, Judge
from reviewer.gui.background import beside
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.form import Choice, Form, Lines, Note, Number, Own, Spin, Text, Whole
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.number_field import offer_names
from reviewer.gui.kit.pieces import offer_acts
from reviewer.gui.kit.tasks import telling
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import Surroundings
from reviewer.services.calls import parameters, prices
from reviewer.services.computer import secrets
from reviewer.services.computer.secrets import KeyState
from reviewer.services.jobs import trying
from reviewer.services.judging import judges
from reviewer.services.judging.judges import Preset
from reviewer.services.project.session import Session

KIND_OF_KEY = "key-state"
READING = "…"


class KeyRow(QWidget):
    """State, a field that shows no letter, and two buttons.

    Signals:
        changed: The key was stored or forgotten.
    """

    changed = Signal()

    def __init__(self, surroundings: Surroundings) -> None:
        """Make it for no endpoint yet."""
        super().__init__()
        self._tasks = surroundings.tasks
        self._endpoint: Endpoint | None = None
        self.state = pieces.text("", "strong", name="Where the key is")
        self.field = pieces.named(
            QLineEdit(echoMode=QLineEdit.EchoMode.Password, placeholderText="paste a key here"),
            "Key, not shown",
        )
        self.field.returnPressed.connect(self.store)
        self.store_button = pieces.Button("Store", self.store, name="Store the key", dense=True)
        self.forget_button = pieces.Button(
            "Forget", self.forget, name="Forget the key", dense=True
        )
        self.said = pieces.text("", "muted", wrap=True, name="About the key")
        first, second = QHBoxLayout(), QHBoxLayout()
        layouts.fill(first, (self.state, 1), self.forget_button)
        layouts.fill(second, (self.field, 1), self.store_button)
        layouts.column(first, second, self.said, on=self, margins=0)
        self.show_endpoint(None)

    def show_endpoint(self, endpoint: Endpoint | None) -> None:
        """Show the key of an endpoint as it is kept; a key that was typed is dropped."""
        self._endpoint = endpoint
        # setText drops what undo could bring back, too
        self.field.setText("")
        self._say("")
        self.setEnabled(endpoint is not None)
        self.forget_button.hide()
        self.state.setText("" if endpoint is None else READING)
        if endpoint is None:
            return
        # a keyring may ask the person to unlock it, and take its time; the rows of two tabs read
        # at the same time, and neither takes the other's place
        self._tasks.run(
            f"{KIND_OF_KEY} {id(self)}",
            lambda _: (endpoint, secrets.state(endpoint), secrets.keyring_works()),
            # a bound method goes with its widget: the keyring may outlast the dialog
            then=self._show_state,
            failed=self._say,
        )

    def store(self) -> None:
        """Store what was typed; the field is empty afterwards, whatever came of it."""
        key, endpoint = self.field.text(), self._endpoint
        self.field.setText("")
        if endpoint is None:
            return
        try:
            secrets.store_key(endpoint, key)
        except ReviewerError as error:
            self._say(str(error), "alert")
            return
        finally:
            del key
        self.show_endpoint(endpoint)
        self.changed.emit()

    def forget(self) -> None:
        """Take the key out of the keyring."""
        endpoint = self._endpoint
        if endpoint is None:
            return
        try:
            secrets.forget_key(endpoint)
        except ReviewerError as error:
            self._say(str(error), "alert")
            return
        self.show_endpoint(endpoint)
        self.changed.emit()

    def _show_state(self, found: tuple[Endpoint, KeyState, bool]) -> None:
        endpoint, state, works = found
        if self._endpoint is not endpoint:
            return
        self.state.setText(state.words)
        pieces.set_property(self.state, "role", role_of(state))
        self.forget_button.setVisible(state.place == "keyring")
        pieces.show(self.field, self.store_button, shown=state.place != "not needed")
        pieces.enable(self.field, self.store_button, able=works)
        if not works and state.place == "missing":
            self._say(secrets.without_keyring(endpoint))
        elif state.place == "unconfirmed":
            self._say(secrets.unconfirmed(endpoint))
        elif state.place == "locked":
            self._say("The keyring is locked; unlock it, or set the variable.")
        elif state.place in ("keyring", "variable"):
            self._say(
                f"It is sent to {endpoint.base_url or f'the {endpoint.kind} service'} alone."
            )

    def _say(self, sentence: str, role: str = "muted") -> None:
        pieces.say(self.said, sentence, role)


def role_of(state: KeyState) -> str:
    """Give the role in which a state is written."""
    if state.place in ("keyring", "variable"):
        return "adjusted"
    return "muted" if state.is_there else "alert"


KIND = "judge-test"
TESTING = "Asking for a word…"
_COLUMNS = (Column("judge"),)


class JudgeForm(Form):
    """A judge's fields."""

    name = Text("Name", "such as careful")
    endpoint = Choice("Endpoint")
    key = Own[KeyRow]("Key")
    model = Text("Model", "such as gpt-4o-mini or qwen3:14b")
    price = Note("Price", name="Price")
    temperature = Number("Temperature", "0 to 2", usual=0.0)
    max_tokens = Whole("Longest reply", "the model's own limit", name="Longest reply, tokens")
    seed = Whole("Seed", "none")
    repeats = Spin("Repeats", lowest=1, highest=100)
    extra = Lines(
        "Parameters", f"none; such as {parameters.EXAMPLE}", name="Further parameters",
        tip="A JSON object that goes along with every request.",
    )  # fmt: skip
    note = Text("Note")

    @override
    def hold(self, key: str) -> QWidget:
        """Lay the button that leads to the endpoint beside it."""
        if key != "endpoint":
            return super().hold(key)
        self.edit = pieces.Button("Edit…", dense=True, name="Edit endpoint")
        made = QWidget()
        layouts.row((self.endpoint, 1), self.edit, on=made, margins=0)
        return made


NONE_YET = (
    "There is no judge yet. Press Add ▾ on the left and choose where its model runs: a provider, "
    "a server on this computer, or another address."
)


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
        self.none = pieces.text(NONE_YET, "muted", wrap=True, hidden=True)
        self.add_button = pieces.Button("Add ▾", self._offer, dense=True, name="Add a judge")
        self.form = JudgeForm(surroundings.theme, key=KeyRow(surroundings))
        pieces.connect(
            (self.form.endpoint.activated, lambda _: self._show_key()),
            (
                self.form.edit.clicked,
                lambda _: self.endpoint_requested.emit(self._endpoint()),
            ),
            (self.form.key.changed, lambda: judges.note_key(session)),
        )
        self.keep_button = pieces.Button("Keep", self.keep, kind="primary")
        self.test_button = pieces.Button("Test connection", self.test)
        self.remove_button = pieces.Button("Remove", self.remove)
        buttons = (self.remove_button, self.test_button, self.keep_button)
        self.form_card = lay_out(self, (self.list, self.add_button), self.form, buttons)
        self.form_card.body.insertWidget(0, self.none)
        self.refresh()

    def refresh(self) -> None:
        """Show judges and endpoints as they are now."""
        offer_names(self.form.endpoint, "", [x.name for x in judges.endpoints(self._session)])
        found = judges.every(self._session)
        self.list.show_rows([(x.name, _cells(x)) for x in found])
        names = [x.name for x in found]
        pieces.show(self.none, shown=not names)
        pieces.show(self.form, shown=bool(names))
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
        with telling(self.failed.emit):
            if preset.endpoint.name not in there:
                judges.keep_endpoint(self._session, preset.endpoint)
            name = _free(preset.model or preset.endpoint.name, self._session)
            made = Judge(
                name=name, endpoint=preset.endpoint.name, model=preset.model, note=preset.note
            )
            self.refresh()
            self._fill(made, is_kept=False)
            if preset.model:
                self.keep()
            else:
                self.form.model.setFocus()

    def judge(self) -> Judge:
        """Give the judge as it stands in the form.

        Raises:
            ReviewerError: A number cannot be read.
        """
        said: dict[str, object] = {
            **self.form.values(),
            "endpoint": self._endpoint(),
            "prompts": self._kept.prompts if self._kept else (),
            "extra": parameters.read(self.form.extra.toPlainText()),
        }
        return Judge(**said)  # type: ignore[arg-type]  # of the types that its fields give

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
            return bool(self.form.name.text()) and self.judge() != self._kept
        except ReviewerError:
            return True

    def test(self) -> None:
        """Keep the judge and ask its model for a word."""
        if self.keep():
            name = self.form.name.text().strip()
            self.said.emit(TESTING)
            self._surroundings.tasks.run(
                KIND,
                beside(self._session, lambda own, _: trying.endpoint(own, name)),
                then=self._take_reply,
                failed=self.failed,
            )

    def _take_reply(self, sentence: str) -> None:
        self.said.emit(sentence)

    def remove(self) -> None:
        """Take the chosen judge away."""
        with telling(self.failed.emit):
            said = judges.remove_judge(self._session, str(self.list.chosen() or ""))
            self.refresh()
            self.said.emit(said)

    def _show(self, name: str) -> None:
        found = next((x for x in judges.every(self._session) if x.name == name), None)
        if found is not None:
            self._fill(found, is_kept=True)

    def _fill(self, made: Judge, *, is_kept: bool) -> None:
        self.none.hide()
        self.form.show()
        self._kept = made if is_kept else None
        if not is_kept:
            self.list.clearSelection()
        self.form.fill(asdict(made) | {"extra": parameters.written(made.extra)})
        self.form.price.setText(_price(self._session, made.model))
        self._enable()
        self._show_key()

    def _endpoint(self) -> str:
        """Give the name of the chosen endpoint, of which the list may show the beginning."""
        return str(self.form.endpoint.currentData() or "")

    def _show_key(self) -> None:
        there = {x.name: x for x in judges.endpoints(self._session)}
        self.form.key.show_endpoint(there.get(self._endpoint()))

    def _offer(self) -> None:
        offer_acts(
            self.add_button,
            [
                (f"{x.title}: {x.note}" if x.note else x.title, partial(self.start_from, x))
                for x in judges.judge_presets()
            ],
        )

    def _enable(self) -> None:
        self.form_card.setEnabled(bool(self.form.name.text()))
        self.remove_button.setEnabled(self._kept is not None)


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


def lay_out(
    tab: QWidget, chosen: tuple[GridView, QWidget], form: Form, foot: Sequence[QWidget]
) -> pieces.Card:
    """Lay a list's card beside the card of what is chosen in it, with buttons at its foot.

    Args:
        tab: gets both cards.
        chosen: the list, and the button that adds to it.
        form: what is chosen.
        foot: the first button stands at the left, the others at the right.

    Returns:
        The form's card.
    """
    kept, add = chosen
    beside, shown = pieces.Card(kept.accessibleName()), pieces.Card()
    layouts.fill(beside.head, add)
    layouts.fill(beside.body, (kept, 1))
    layouts.fill(shown.body, form, 1, layouts.row(foot[0], 1, *foot[1:]))
    px = form.theme.px
    beside.setMinimumWidth(px(230))
    layouts.row((beside, 2), (shown, 3), on=tab, margins=(0, px(8), 0, 0), gap=pieces.GAP)
    return shown
