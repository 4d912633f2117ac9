"""A key goes from the field into the keyring, and stays in no widget."""

import gc
import warnings
from collections.abc import Callable, Iterator

import keyring
import pytest
from keyring.backends import SecretService
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from reviewer.domain.judging import Endpoint
from reviewer.gui.judges.judges_tab import KeyRow
from reviewer.gui.window import MainWindow
from reviewer.services.computer import secrets
from tests.servers.keyring_session import keyring_session

KEY = "sk-planted-0123456789"
NEAR = Endpoint(name="near", base_url="http://127.0.0.1:9/v1", variable="NEAR_KEY")
pytestmark = pytest.mark.filterwarnings(
    "ignore:unclosed:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


@pytest.fixture
def row(window: MainWindow, qtbot: QtBot) -> KeyRow:
    made = KeyRow(window.surroundings)
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = keyring.get_keyring()
    with keyring_session() as session:
        for name in ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"):
            monkeypatch.setenv(name, session.variables[name])
        keyring.set_keyring(SecretService.Keyring())  # type: ignore[no-untyped-call]
        yield
        keyring.set_keyring(before)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def texts(widget: QWidget) -> str:
    """Everything that stands in a widget, properties and undo included."""
    found = []
    for one in (widget, *widget.findChildren(QWidget)):
        found += [one.accessibleName(), one.toolTip(), one.windowTitle()]
        if isinstance(one, QLabel | QLineEdit):
            found.append(one.text())
        if isinstance(one, QLineEdit):
            one.undo()
            found.append(one.text())
            one.redo()
    return "\n".join(found)


@pytest.mark.usefixtures("real")
def test_a_key_is_stored_and_forgotten(
    row: KeyRow, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    row.show_endpoint(NEAR)
    qtbot.waitUntil(lambda: row.state.text() == "missing", timeout=60_000)
    assert row.field.echoMode() is QLineEdit.EchoMode.Password
    QTest.keyClicks(row.field, KEY)
    assert KEY not in row.field.displayText()
    QTest.keyClick(row.field, Qt.Key.Key_Return)
    assert KEY not in texts(row)
    qtbot.waitUntil(lambda: row.state.text() == "in the keyring", timeout=60_000)
    assert secrets.key_of(NEAR) == KEY
    assert KEY not in texts(row)
    assert KEY not in QApplication.clipboard().text()
    row.forget_button.click()
    qtbot.waitUntil(lambda: row.state.text() == "missing", timeout=60_000)
    assert secrets.key_of(NEAR) is None
    assert row.forget_button.isHidden()
    settle()


@pytest.mark.usefixtures("real")
def test_what_is_no_key_is_said_and_gone(row: KeyRow, qtbot: QtBot) -> None:
    row.show_endpoint(NEAR)
    qtbot.waitUntil(lambda: row.state.text() == "missing", timeout=60_000)
    row.field.setText("my secret words")
    row.store_button.click()
    assert "characters that no key has" in row.said.text()
    assert "my secret words" not in texts(row)


def test_without_a_keyring_the_package_and_the_variable_are_named(
    row: KeyRow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NEAR_KEY", raising=False)
    row.show_endpoint(NEAR)
    qtbot.waitUntil(lambda: row.state.text() == "missing", timeout=60_000)
    assert "gnome-keyring" in row.said.text()
    assert "variable NEAR_KEY" in row.said.text()
    assert not row.store_button.isEnabled()
    monkeypatch.setenv("NEAR_KEY", KEY)
    row.show_endpoint(NEAR)
    qtbot.waitUntil(lambda: row.state.text() == "from NEAR_KEY", timeout=60_000)
    assert KEY not in texts(row)


def test_another_endpoint_drops_what_was_typed(row: KeyRow, settle: Callable[[], None]) -> None:
    row.show_endpoint(NEAR)
    settle()
    row.field.setText(KEY)
    row.show_endpoint(None)
    assert KEY not in texts(row)
    settle()
