"""A form made from a table of fields: names, values, what is needed, what cannot be read."""

import pytest
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import ReviewerError
from reviewer.gui.kit.form import Choice, Flag, Form, Lines, Number, Spin, Text, Whole
from reviewer.gui.kit.theme import Theme


class Trip(Form):
    """Where to, for how long, at what price."""

    to = Text("To", "such as Graz", name="Where to")
    via = Text("Via", optional=True)
    days = Spin("Days", lowest=1, highest=30, usual=3, unit=" days")
    price = Number("Price", usual=1.5)
    seats = Whole("Seats")
    kind = Choice("By", entries=(("train", "By train"), ("car", "By car")))
    plate = Lines("Plate", when=lambda form: form.kind.currentData() == "car")
    back = Flag("Back", "and back", tip="The same way.", usual=True)


@pytest.fixture
def form(qtbot: QtBot) -> Trip:
    made = Trip(Theme("light"))
    qtbot.addWidget(made)
    made.show()
    return made


def test_it_begins_with_what_is_usual(form: Trip) -> None:
    assert form.values() == {
        "to": "", "via": None, "days": 3, "price": 1.5, "seats": None, "kind": "train",
        "plate": "", "back": True,
    }  # fmt: skip


def test_screen_readers_know_every_field(form: Trip) -> None:
    assert form.to.accessibleName() == "Where to"
    assert form.days.accessibleName() == "Days"
    assert form.back.toolTip() == "The same way."


def test_what_is_filled_is_read_again_and_nobody_hears_of_it(form: Trip, qtbot: QtBot) -> None:
    kept = {
        "to": "Graz", "via": "Linz", "days": 7, "price": 12.5, "seats": 2, "kind": "car",
        "plate": "W 1", "back": False,
    }  # fmt: skip
    with qtbot.assertNotEmitted(form.changed):
        form.fill({**kept, "unknown": 1})
    assert form.values() == kept
    with qtbot.waitSignal(form.changed) as told:
        form.days.setValue(8)
    assert told.args == ["days"]


def test_only_what_is_needed_is_in_sight(form: Trip) -> None:
    assert not form.plate.isVisible()
    form.kind.setCurrentIndex(1)
    assert form.plate.isVisible()
    assert form.is_needed("plate")


@pytest.mark.parametrize(("words", "price"), [("", 1.5), ("2,5", 2.5), (" $3 ", 3.0), ("0", 0.0)])
def test_a_number_is_read_as_people_write_it(form: Trip, words: str, price: float) -> None:
    form.price.setText(words)
    assert form.values()["price"] == price


def test_what_is_no_number_is_said_by_its_name(form: Trip) -> None:
    form.price.setText("much")
    with pytest.raises(ReviewerError, match="Price is 'much'; a number is expected"):
        form.values()
    form.price.setText("")
    form.seats.setText("1.5")
    with pytest.raises(ReviewerError, match=r"Seats is '1\.5'; a whole number is expected"):
        form.values()
