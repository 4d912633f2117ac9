"""What is typed in a field of numbers is what counts, however the computer writes numbers."""

from collections.abc import Iterator
from typing import TypeVar

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from reviewer.gui.kit import layouts
from reviewer.gui.kit.number_field import CountField, MoneyField, NumberField, WholeField
from reviewer.gui.window import MainWindow

Field = TypeVar("Field", bound=QAbstractSpinBox)
GERMAN, ENGLISH = "de_DE", "en_US"


@pytest.fixture(params=[GERMAN, ENGLISH, "ar_EG", "C"])
def anywhere(request: pytest.FixtureRequest) -> Iterator[str]:
    yield from written_as_in(request.param)


@pytest.fixture
def german() -> Iterator[str]:
    yield from written_as_in(GERMAN)


@pytest.fixture
def english() -> Iterator[str]:
    yield from written_as_in(ENGLISH)


def written_as_in(place: str) -> Iterator[str]:
    before = QLocale()
    QLocale.setDefault(QLocale.c() if place == "C" else QLocale(place))
    yield place
    QLocale.setDefault(before)


@pytest.mark.parametrize("scale", [100, 150])
def test_a_number_stands_as_far_from_the_edge_as_words(window: MainWindow, scale: int) -> None:
    window.surroundings.settings.set("font_scale", scale)
    holder = QWidget(window)
    line, number = QLineEdit("77"), WholeField()
    number.setValue(77)
    layouts.column(line, number, on=holder)
    holder.resize(300, 150)
    holder.show()
    QApplication.processEvents()
    first, second = left_of_ink(line), left_of_ink(number)
    assert first > 6
    assert abs(first - second) <= 2


def left_of_ink(field: QWidget) -> int:
    picture = field.grab().toImage()
    middle = range(picture.height() // 3, 2 * picture.height() // 3)
    return min(
        x
        for x in range(3, picture.width() // 2)
        for y in middle
        if picture.pixelColor(x, y).lightness() < 120
    )


def money(qtbot: QtBot) -> MoneyField:
    field = MoneyField("At most")
    field.setRange(0, 100_000)
    field.setPrefix("$")
    field.setSpecialValueText("no limit")
    field.setValue(0.5)
    return shown(qtbot, field)


def shown(qtbot: QtBot, field: Field) -> Field:
    qtbot.addWidget(field)
    field.show()
    return field


def enter(field: QAbstractSpinBox, words: str) -> None:
    field.selectAll()
    QTest.keyClicks(field, words)
    QTest.keyClick(field, Qt.Key.Key_Return)


@pytest.mark.usefixtures("anywhere")
def test_a_sum_is_read_as_it_is_written(qtbot: QtBot) -> None:
    field = money(qtbot)
    assert field.text() == "$0.50"
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert (field.value(), field.text()) == (0.5, "$0.50")
    enter(field, "2.50")
    assert (field.value(), field.text()) == (2.5, "$2.50")
    field.setValue(12_345.6)
    assert field.text() == "$12345.60"
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert field.value() == 12_345.6
    field.setValue(0)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert field.text() == "no limit"


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize(("typed", "meant"), [("2,50", 2.5), ("0,5", 0.5), ("1234,5", 1234.5)])
def test_a_comma_is_a_point_where_people_write_it_so(
    qtbot: QtBot, typed: str, meant: float
) -> None:
    field = money(qtbot)
    enter(field, typed)
    assert field.value() == meant


@pytest.mark.usefixtures("english")
@pytest.mark.parametrize("typed", ["2,50", "1,000", "1,000.5", ","])
def test_a_comma_is_refused_elsewhere(qtbot: QtBot, typed: str) -> None:
    field = money(qtbot)
    enter(field, typed)
    assert (field.value(), field.text()) == (0.5, "$0.50")


@pytest.mark.usefixtures("german")
def test_a_grouped_sum_is_never_ten_times_as_much(qtbot: QtBot) -> None:
    field = money(qtbot)
    enter(field, "1.234,50")
    assert field.value() in (0.5, 1.23)


@pytest.mark.usefixtures("anywhere")
@pytest.mark.parametrize(
    ("value", "words"),
    [
        (123_456.78, "123456.78"), (1_000_000, "1000000"), (100, "100"), (0.5, "0.5"), (0, "0"),
        (-0.25, "-0.25"),
    ],
)  # fmt: skip
def test_a_number_shows_all_that_it_holds(qtbot: QtBot, value: float, words: str) -> None:
    field = shown(qtbot, NumberField("Number"))
    field.setRange(-10, 10_000_000)
    field.setValue(value)
    assert field.text() == words
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert field.value() == value
    assert field.text() == words


def test_money_shows_cents_and_smaller_parts_where_it_has_them(qtbot: QtBot) -> None:
    field = money(qtbot)
    field.setDecimals(4)
    words = []
    for value in (0.4373, 0.004, 0.5, 30):
        field.setValue(value)
        words.append(field.text())
    assert words == ["$0.4373", "$0.004", "$0.50", "$30.00"]


@pytest.mark.usefixtures("anywhere")
@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("1.5", 7), ("2,50", 7), ("1.50", 7), ("1.000", 1000), ("12,000", 12_000), ("250", 250),
        ("1.000.000", 1_000_000), ("1.000,00", 7), ("1000,000", 7),
    ],
)  # fmt: skip
def test_a_count_takes_whole_numbers_alone(qtbot: QtBot, typed: str, meant: int) -> None:
    field = CountField("Limit", 0, 10_000_000)
    field.setPrefix("the first ")
    field.setSuffix(" of them")
    field.setValue(7)
    shown(qtbot, field)
    enter(field, typed)
    assert (field.value(), field.text()) == (meant, f"the first {meant} of them")


@pytest.mark.usefixtures("german")
def test_a_plain_whole_field_reads_alike(qtbot: QtBot) -> None:
    field = WholeField()
    field.setKeyboardTracking(False)
    field.setRange(0, 999_999)
    shown(qtbot, field)
    enter(field, "1.5")
    assert field.value() == 0
    enter(field, "15")
    assert field.value() == 15
