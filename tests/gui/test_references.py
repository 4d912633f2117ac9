"""The Qt binding must not use up None: Python before 3.12 aborts when its last reference goes."""

import sys

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

CALLS = 400
SLACK = 40


def test_calls_without_a_result_give_no_reference_too_many_back(qtbot: QtBot) -> None:
    label = QLabel()
    qtbot.addWidget(label)
    before = sys.getrefcount(None), sys.getrefcount(True)
    for _ in range(CALLS):
        label.setText("a")
        label.setEnabled(True)
    after = sys.getrefcount(None), sys.getrefcount(True)
    assert before[0] - after[0] < SLACK
    assert before[1] - after[1] < SLACK
