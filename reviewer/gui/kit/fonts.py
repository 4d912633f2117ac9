"""Where the letters come from: fonts that the program brings, else those of the system."""

from PySide6.QtGui import QFont, QFontDatabase, QFontInfo, QGuiApplication

from reviewer import paths

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


def _system_font(which: QFontDatabase.SystemFont) -> QFont:
    return QFontDatabase.systemFont(which)


def system_pixels(usual: int) -> float:
    """Give the size of the system's text; without a desktop, that of the design."""
    if QGuiApplication.platformName() in ("offscreen", "minimal"):
        return float(usual)
    size = QFontInfo(_system_font(QFontDatabase.SystemFont.GeneralFont)).pixelSize()
    # the usual desktops use 12 to 15 pixels for the same visual size
    return float(usual if size <= 15 else min(size, LARGEST_SYSTEM_PIXELS))
