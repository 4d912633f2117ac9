"""Ask for the password of a role at the hub's database."""

from PySide6.QtWidgets import QCheckBox, QDialogButtonBox, QLineEdit, QWidget

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.page import ProjectDialog

ENTER = "Enter the password…"
KEEP = "Keep it in this computer's keyring"
NO_KEYRING = "No keyring works here, so it is known until this window closes, and written nowhere."


class PasswordDialog(ProjectDialog):
    """A field that shows no letters, and whether the keyring keeps what is typed."""

    def __init__(self, why: str, user: str, *, keyring: bool, parent: QWidget) -> None:
        """Ask; `why` says what the database said."""
        super().__init__(parent, "Password of the shared project", once=False)
        self.setMinimumWidth(420)
        self.word = pieces.named(
            QLineEdit(echoMode=QLineEdit.EchoMode.Password), f"Password of {user}"
        )
        self.keep = QCheckBox(KEEP)
        self.keep.setChecked(keyring)
        self.keep.setEnabled(keyring)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.connect_button = buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.connect_button.setText("Connect")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.word.textChanged.connect(lambda _: self.connect_button.setEnabled(bool(self.typed)))
        self.connect_button.setEnabled(False)
        layouts.column(
            pieces.text(why, wrap=True),
            pieces.text(f"Password of {user}", "small"),
            self.word,
            self.keep,
            pieces.text("" if keyring else NO_KEYRING, "small", wrap=True, hidden=keyring),
            buttons,
            on=self,
            gap=8,
        )
        self.word.setFocus()

    @property
    def typed(self) -> str:
        """Give the password, without the line end and blanks that come along when it is pasted."""
        return self.word.text().strip()
