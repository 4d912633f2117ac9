"""Colours, type, spacing, fonts and kept pictures: the only module that holds a colour."""

from collections.abc import Callable, Hashable
from enum import StrEnum
from typing import Final

from msgspec import Struct
from msgspec.structs import fields
from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontInfo,
    QFontMetrics,
    QGuiApplication,
    QPainter,
    QPalette,
    QPixmap,
)
from PySide6.QtWidgets import QApplication

from reviewer import paths
from reviewer.gui.kit.stylesheet import style_sheet

BASE_PIXELS = 13
"""The body text's size at 100 %, as in the design pictures."""


class Choice(StrEnum):
    """Which colours the user asked for."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class TextStyle(StrEnum):
    """The kinds of text that the window has."""

    TITLE = "title"
    HEADING = "heading"
    BODY = "body"
    STRONG = "strong"
    SMALL = "small"
    TINY = "tiny"
    MONO = "mono"
    FIGURE = "figure"


_STYLES: dict[TextStyle, tuple[float, QFont.Weight]] = {
    TextStyle.TITLE: (1.7, QFont.Weight.Bold),
    TextStyle.HEADING: (1.0, QFont.Weight.Bold),
    TextStyle.BODY: (1.0, QFont.Weight.Normal),
    TextStyle.STRONG: (1.0, QFont.Weight.DemiBold),
    TextStyle.SMALL: (0.925, QFont.Weight.Normal),
    TextStyle.TINY: (0.85, QFont.Weight.Normal),
    TextStyle.MONO: (0.925, QFont.Weight.Normal),
    TextStyle.FIGURE: (2.0, QFont.Weight.Bold),
}


class Colours(Struct, frozen=True):
    """One scheme's colours by role; `*_fill` are for bars and marks, the plain ones also for text.

    `auto`, `human`, `adjusted` and `alert` are text on any of the backgrounds; text on a fill is
    `on_accent` for `accent` and `on_human` for `human_fill`.
    """

    dark: bool
    window: str
    card: str
    field: str
    selection: str
    hover: str
    bubble: str
    highlight: str
    find: str
    added: str
    removed: str
    text: str
    muted: str
    disabled: str
    border: str
    control: str
    focus: str
    accent: str
    accent_hover: str
    accent_pressed: str
    on_accent: str
    auto: str
    human: str
    adjusted: str
    alert: str
    auto_fill: str
    human_fill: str
    adjusted_fill: str
    alert_fill: str
    on_human: str
    neutral_fill: str
    track: str
    alert_surface: str
    warning_surface: str
    chart_grid: str
    heat_agree: str
    heat_disagree: str


LIGHT = Colours(
    dark=False,
    window="#F6F7F9", card="#FFFFFF", field="#F6F7F9", selection="#EAF2FB", hover="#F0F3F7",
    bubble="#EAF2FB", highlight="#FFF1CC", find="#9CCBEE", added="#D9F0E6", removed="#FBE3D6",
    text="#1B1F27", muted="#5B6472", disabled="#8A93A1", border="#DFE3E8", control="#838C99",
    focus="#0072B2", accent="#0072B2", accent_hover="#00659E", accent_pressed="#005586",
    on_accent="#FFFFFF",
    auto="#006FAE", human="#8F6200", adjusted="#00734F", alert="#B04A00",
    auto_fill="#0072B2", human_fill="#E69F00", adjusted_fill="#009E73", alert_fill="#D55E00",
    on_human="#1B1F27", neutral_fill="#9AA3B1", track="#DFE3E8",
    alert_surface="#FDEFE6", warning_surface="#FFF6E0", chart_grid="#E6E9ED",
    heat_agree="#0072B2", heat_disagree="#E69F00",
)  # fmt: skip

DARK = Colours(
    dark=True,
    window="#16191F", card="#1E222A", field="#16191F", selection="#22303F", hover="#262B34",
    bubble="#22303F", highlight="#4A3809", find="#1F5A80", added="#123D30", removed="#4A2512",
    text="#E8EAED", muted="#9AA3AF", disabled="#6C7582", border="#2F3540", control="#727D8C",
    focus="#56B4E9", accent="#0072B2", accent_hover="#0A78B8", accent_pressed="#00659E",
    on_accent="#FFFFFF",
    auto="#56B4E9", human="#E69F00", adjusted="#2EC4A0", alert="#FF8F4A",
    auto_fill="#56B4E9", human_fill="#E69F00", adjusted_fill="#2EC4A0", alert_fill="#D55E00",
    on_human="#16191F", neutral_fill="#8A93A1", track="#2F3540",
    alert_surface="#3A2418", warning_surface="#332A14", chart_grid="#2A2F38",
    heat_agree="#0E86C7", heat_disagree="#B57A00",
)  # fmt: skip


PEOPLE: dict[str, tuple[str, str]] = {
    "blue": ("#0072B2", "#4C9BE8"), "orange": ("#C27C00", "#E69F00"),
    "green": ("#007F5A", "#2EC4A0"), "vermilion": ("#C2500A", "#FF8F4A"),
    "purple": ("#9B4F96", "#D48FCB"), "sky": ("#2E8BC0", "#8CD0F5"),
    "yellow": ("#8F7A00", "#F0E442"), "grey": ("#6B7280", "#A9B1BD"),
}  # fmt: skip
"""What the colours that people can have look like, light and dark; 3:1 on every ground."""


def contrast(first: str, second: str) -> float:
    """Compute the contrast ratio of two colours, from 1 to 21 (WCAG 2.2)."""
    bright, dim = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def _luminance(colour: str) -> float:
    shade = QColor(colour)
    red, green, blue = (_linear(x) for x in (shade.redF(), shade.greenF(), shade.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def mix(first: str, second: str, share: float) -> QColor:
    """Blend two colours; `share` 0 gives the first, 1 the second."""
    a, b = QColor(first), QColor(second)
    part = min(max(share, 0.0), 1.0)
    return QColor.fromRgbF(*(x + (y - x) * part for x, y in zip(_rgb(a), _rgb(b), strict=True)))


def ink_on(colours: "Colours", ground: QColor) -> QColor:
    """Give the text's or the card's colour, whichever stands out more from a ground."""
    ink = max((colours.text, colours.card), key=lambda each: contrast(each, ground.name()))
    return QColor(ink)


def _rgb(colour: QColor) -> tuple[float, float, float]:
    return (colour.redF(), colour.greenF(), colour.blueF())


class Theme(QObject):
    """The colours, fonts and sizes in force; widgets that paint themselves redraw on `changed`.

    Attributes:
        pictures: What widgets drew in these colours and sizes.
    """

    changed = Signal()

    def __init__(
        self, choice: str = Choice.SYSTEM, scale: int = 100, parent: QObject | None = None
    ) -> None:
        """Make a theme; nothing is visible before `apply`. `scale` is in percent, 80 to 200."""
        super().__init__(parent)
        self._choice = Choice(choice)
        self._scale = scale
        self._families: tuple[str, str] = ("Inter", "JetBrains Mono")
        self._system_pixels = float(BASE_PIXELS)
        self._applied: tuple[bool, float] | None = None
        self._dressed = False
        # every repaint asks for dozens of both
        self._made_colours: dict[str, QColor] = {}
        self._made_fonts: dict[TextStyle, QFont] = {}
        self._made_metrics: dict[TextStyle, QFontMetrics] = {}
        self.pictures = Pictures()

    @property
    def colours(self) -> Colours:
        """Give the colours in force."""
        return DARK if self._is_dark() else LIGHT

    @property
    def factor(self) -> float:
        """Give how much larger than in the design everything is drawn."""
        return self._scale / 100 * self._system_pixels / BASE_PIXELS

    def colour(self, role: str) -> QColor:
        """Give the colour of a role, such as `auto` or `border`."""
        made = self._made_colours.get(role)
        if made is None:
            made = self._made_colours[role] = QColor(getattr(self.colours, role))
        # whoever makes theirs paler must not do so for everybody
        return QColor(made)

    def person(self, name: str | None) -> QColor:
        """Give the colour of a person by its name, such as `green`; grey for an unknown one."""
        pair = PEOPLE.get(name or "", PEOPLE["grey"])
        return QColor(pair[1] if self.colours.dark else pair[0])

    def px(self, pixels: float) -> int:
        """Scale a distance given at 100 %, at least one pixel for what is not zero."""
        return max(1, round(pixels * self.factor)) if pixels > 0 else 0

    def font(self, style: TextStyle = TextStyle.BODY) -> QFont:
        """Give the font of a kind of text."""
        made = self._made_fonts.get(style)
        if made is None:
            made = self._made_fonts[style] = self._make_font(style)
        return QFont(made)

    def metrics(self, style: TextStyle = TextStyle.BODY) -> QFontMetrics:
        """Give the measures of a kind of text; the same object until fonts change."""
        made = self._made_metrics.get(style)
        if made is None:
            made = self._made_metrics[style] = QFontMetrics(self.font(style))
        return made

    def _make_font(self, style: TextStyle) -> QFont:
        share, weight = _STYLES[style]
        font = QFont(self._families[1] if style is TextStyle.MONO else self._families[0])
        font.setPixelSize(max(8, round(BASE_PIXELS * share * self.factor)))
        font.setWeight(weight)
        return font

    def set_choice(self, choice: str) -> None:
        """Take the system's scheme, light or dark, at once."""
        self._choice = Choice(choice)
        self.apply()

    def set_scale(self, scale: int) -> None:
        """Take another font size in percent of the system's, at once."""
        self._scale = min(max(scale, 80), 200)
        self.apply()

    def start(self) -> None:
        """Load the fonts, follow the system's scheme and dress the application."""
        self.prepare()
        self.dress()

    def prepare(self) -> None:
        """Do all that `start` does but for the style sheet, which `dress` puts on.

        With a style sheet on, Qt styles a widget anew with all that is in it at every step of
        building, so a window is built faster before.
        """
        app = _application()
        self._families = load()
        self._system_pixels = system_pixels(BASE_PIXELS)
        app.setStyle("Fusion")
        app.styleHints().colorSchemeChanged.connect(self.apply)
        self.apply()

    def dress(self) -> None:
        """Put the style sheet on."""
        self._dressed = True
        roles = {x.name: str(getattr(self.colours, x.name)) for x in fields(self.colours)}
        _application().setStyleSheet(style_sheet(roles, self._sizes()))

    def apply(self) -> None:
        """Dress the application in what is chosen; does nothing where nothing changed."""
        self._tell_system()
        self._made_colours.clear()
        self._made_fonts.clear()
        self._made_metrics.clear()
        self.pictures.clear()
        now = (self._is_dark(), self.factor)
        if now == self._applied:
            return
        self._applied = now
        app = _application()
        if self._dressed:
            # where one style sheet takes the place of another, Qt styles each widget once for
            # every widget above it: taken off and put on it is done twice
            app.setStyleSheet("")
        app.setFont(self.font())
        app.setPalette(_palette(self.colours))
        if self._dressed:
            self.dress()
        self.changed.emit()

    def _tell_system(self) -> None:
        """Let what the system draws, such as the title bar, follow the choice."""
        hints = QGuiApplication.styleHints()
        if self._choice is Choice.SYSTEM:
            hints.unsetColorScheme()
        elif self._choice is Choice.DARK:
            hints.setColorScheme(Qt.ColorScheme.Dark)
        else:
            hints.setColorScheme(Qt.ColorScheme.Light)

    def _is_dark(self) -> bool:
        if self._choice is Choice.SYSTEM:
            return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return self._choice is Choice.DARK

    def _sizes(self) -> dict[str, str]:
        pixels = {f"font_{style}": self.font(style).pixelSize() for style in TextStyle}
        spaces = {f"px{n}": self.px(n) for n in range(1, 29)}
        families = {"family": self._families[0], "mono": self._families[1]}
        icons = (paths.resources() / "icons").as_posix()
        families |= {"icons": icons, "scheme": "dark" if self.colours.dark else "light"}
        return {k: str(v) for k, v in (pixels | spaces | families).items()}


def _application() -> QApplication:
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        raise TypeError("a theme needs a QApplication")
    return app


_PALETTE_ROLES: dict[QPalette.ColorRole, str] = {
    QPalette.ColorRole.Window: "window",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Base: "card",
    QPalette.ColorRole.AlternateBase: "field",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.Button: "card",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.BrightText: "alert",
    QPalette.ColorRole.Highlight: "selection",
    QPalette.ColorRole.HighlightedText: "text",
    QPalette.ColorRole.Accent: "accent",
    QPalette.ColorRole.Link: "auto",
    QPalette.ColorRole.LinkVisited: "auto",
    QPalette.ColorRole.ToolTipBase: "card",
    QPalette.ColorRole.ToolTipText: "text",
    QPalette.ColorRole.PlaceholderText: "muted",
    QPalette.ColorRole.Light: "hover",
    QPalette.ColorRole.Midlight: "border",
    QPalette.ColorRole.Mid: "border",
    QPalette.ColorRole.Dark: "control",
    QPalette.ColorRole.Shadow: "border",
}


def _palette(colours: Colours) -> QPalette:
    palette = QPalette()
    for role, name in _PALETTE_ROLES.items():
        palette.setColor(role, QColor(getattr(colours, name)))
    texts = (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText)
    for role in texts:
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(colours.disabled))
    return palette


LARGEST_SYSTEM_PIXELS = 26


def load() -> tuple[str, str]:
    """Load the program's own fonts and give the families for text and for code."""
    folder = paths.resources() / "fonts"
    for file in sorted(folder.glob("*.[ot]tf")):
        QFontDatabase.addApplicationFont(str(file))
    known = set(QFontDatabase.families())
    general = _system_font(QFontDatabase.SystemFont.GeneralFont).family()
    fixed = _system_font(QFontDatabase.SystemFont.FixedFont).family()
    return (
        "Inter" if "Inter" in known else general,
        "JetBrains Mono" if "JetBrains Mono" in known else fixed,
    )


def family() -> str:
    """Give the family for text; the program's own fonts are loaded where they were not yet."""
    return "Inter" if "Inter" in QFontDatabase.families() else load()[0]


def _system_font(which: QFontDatabase.SystemFont) -> QFont:
    return QFontDatabase.systemFont(which)


def system_pixels(usual: int) -> float:
    """Give the size of the system's text; without a desktop, that of the design."""
    if QGuiApplication.platformName() in ("offscreen", "minimal"):
        return float(usual)
    size = QFontInfo(_system_font(QFontDatabase.SystemFont.GeneralFont)).pixelSize()
    # the usual desktops use 12 to 15 pixels for the same visual size
    return float(usual if size <= 15 else min(size, LARGEST_SYSTEM_PIXELS))


MOST_PICTURES: Final = 400
"""Pictures that are kept; each width of a pane brings its own."""


class Pictures:
    """Pictures by how they look, in one set of colours and sizes."""

    def __init__(self) -> None:
        """Keep none yet."""
        self._made: dict[Hashable, QPixmap] = {}

    def __len__(self) -> int:
        """Count those that are kept."""
        return len(self._made)

    def get(
        self, look: Hashable, size: QSize, ratio: float, draw: Callable[[QPainter], None]
    ) -> QPixmap:
        """Give the picture of a look, drawn where it is not there; `ratio` is the screen's."""
        key = (look, size.width(), size.height(), ratio)
        found = self._made.get(key)
        if found is None:
            if len(self._made) >= MOST_PICTURES:
                self._made.clear()
            found = self._made[key] = QPixmap(size * ratio)
            found.setDevicePixelRatio(ratio)
            found.fill(Qt.GlobalColor.transparent)
            painter = QPainter(found)
            draw(painter)
            painter.end()
        return found

    def clear(self) -> None:
        """Forget all, as colours or sizes are others."""
        self._made.clear()
