"""The key of one endpoint: where it is, stored anew, or forgotten; never shown."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Endpoint
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.page import Surroundings
from reviewer.services.computer import secrets
from reviewer.services.computer.secrets import KeyState

KIND = "key-state"
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
            f"{KIND} {id(self)}",
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
