"""Every text can be read, and a change of colours or size takes effect at once."""

import pytest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.theme import (
    DARK,
    LIGHT,
    Colours,
    TextStyle,
    Theme,
    contrast,
    mix,
)

TEXT_PAIRS: tuple[tuple[str, str], ...] = (
    *(
        (text, ground)
        for text in ("text", "muted", "auto", "human", "adjusted", "alert")
        for ground in ("window", "card", "field", "selection", "hover", "bubble")
    ),
    ("text", "highlight"), ("text", "added"), ("text", "removed"),
    ("text", "alert_surface"), ("alert", "alert_surface"),
    ("text", "warning_surface"), ("human", "warning_surface"), ("muted", "warning_surface"),
    ("muted", "alert_surface"),
    ("on_accent", "accent"), ("on_accent", "accent_hover"), ("on_accent", "accent_pressed"),
    ("on_human", "human_fill"),
)  # fmt: skip
"""Every pair of text and ground that the window draws; each has a contrast of at least 4.5."""


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), TEXT_PAIRS)
def test_text_stands_out_from_its_ground(colours: Colours, text: str, ground: str) -> None:
    assert contrast(getattr(colours, text), getattr(colours, ground)) >= 4.5


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["window", "card", "field"])
def test_the_focus_ring_stands_out(colours: Colours, ground: str) -> None:
    assert contrast(colours.focus, getattr(colours, ground)) >= 3


def test_contrast_is_that_of_the_guideline() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


def test_the_colours_of_the_roles_are_those_of_the_design() -> None:
    assert (LIGHT.auto_fill, DARK.auto_fill) == ("#0072B2", "#56B4E9")
    assert LIGHT.human_fill == DARK.human_fill == "#E69F00"
    assert LIGHT.adjusted_fill == "#009E73"
    assert LIGHT.alert_fill == DARK.alert_fill == "#D55E00"


def test_a_mix_lies_between_its_colours() -> None:
    assert mix("#000000", "#FFFFFF", 0.5).red() in (127, 128)
    assert mix("#000000", "#FFFFFF", 7).red() == 255


def test_switching_to_dark_dresses_the_application(qtbot: QtBot) -> None:
    theme = Theme("light", 100)
    theme.start()
    label = QLabel("words")
    qtbot.addWidget(label)
    with qtbot.waitSignal(theme.changed):
        theme.set_choice("dark")
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    assert app.palette().window().color().name().upper() == DARK.window
    # what is not in sight is dressed as it comes into sight
    label.show()
    assert label.palette().windowText().color().name().upper() == DARK.text


@pytest.mark.parametrize(("asked", "got"), [(80, 0.8), (150, 1.5), (200, 2.0), (500, 2.0)])
@pytest.mark.usefixtures("qapp")
def test_text_grows_with_the_scale(asked: int, got: float) -> None:
    theme = Theme("light", 100)
    theme.start()
    plain = theme.font(TextStyle.BODY).pixelSize()
    theme.set_scale(asked)
    assert theme.factor == pytest.approx(got)
    assert theme.font(TextStyle.BODY).pixelSize() == round(plain * got)
    assert theme.px(100) == round(100 * got)
    assert theme.px(0) == 0


@pytest.mark.usefixtures("qapp")
def test_the_bundled_font_is_used() -> None:
    theme = Theme("light", 100)
    theme.start()
    assert theme.font().family() == "Inter"
    assert theme.font(TextStyle.MONO).family() == "JetBrains Mono"


def test_a_colour_made_paler_is_nobody_elses() -> None:
    theme = Theme("light")
    mine = theme.colour("auto_fill")
    mine.setAlpha(40)
    assert theme.colour("auto_fill").alpha() == 255
