"""The versions of a prompt: which one is in view, and what it is compared with."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from reviewer.domain.judging import Prompt
from reviewer.gui.kit import pieces
from reviewer.gui.kit.choosing import choice
from reviewer.services.evaluating import prompt_preview


class PromptVersions(QWidget):
    """Two choices side by side, by number and hash.

    Signals:
        version_chosen: A version is to be shown, as a `Prompt`.
        base_changed: The text is to be compared with another version.
    """

    version_chosen = Signal(object)
    base_changed = Signal()

    def __init__(self, *, compact: bool) -> None:
        """Make the choices empty; compact ones have hashes in their tooltips alone."""
        super().__init__()
        self._compact = compact
        self.every: tuple[Prompt, ...] = ()
        self._based_on = ""
        self.version = choice("Version of the prompt")
        self.against = choice("Compared with")
        self.version.activated.connect(lambda _: self._take_version())
        self.against.currentIndexChanged.connect(lambda _: self.base_changed.emit())
        row = pieces.FlowLayout(self, together=True)
        between = "against" if compact else "compared with"
        for words, combo in (("Version", self.version), (between, self.against)):
            pair = QWidget()
            inside = QHBoxLayout(pair)
            inside.setContentsMargins(0, 0, 0, 0)
            inside.addWidget(pieces.text(words, "small"))
            inside.addWidget(combo, 1)
            combo.setMinimumContentsLength(7 if compact else 16)
            row.addWidget(pair)

    @property
    def newest(self) -> int:
        """Give the number of the newest kept version, 0 where only the shipped one is there."""
        return self.every[0].version if self.every else 0

    @property
    def base(self) -> Prompt | None:
        """Give the version that the text is compared with."""
        wanted = self.against.currentData()
        return next((x for x in self.every if x.hash == wanted), None)

    def show_versions(self, versions: Sequence[Prompt]) -> None:
        """Offer these versions, the newest first."""
        self.every = tuple(versions)
        self._based_on = "none yet"
        for combo in (self.version, self.against):
            blocker = QSignalBlocker(combo)
            combo.clear()
            for one in self.every:
                words = _short(one) if self._compact else f"{title(one)} · {one.hash}"
                combo.addItem(words, one.hash)
                tip = " · ".join(x for x in (one.hash, one.created_at[:16], one.note) if x)
                combo.setItemData(combo.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
            blocker.unblock()

    def same_as(self, text: str) -> Prompt | None:
        """Give the version that has a text, None where none has."""
        bare = text.rstrip("\n")
        return next((x for x in self.every if x.text.rstrip("\n") == bare), None)

    def follow(self, known: Prompt | None) -> None:
        """Show which version is in view, and compare it with the one before.

        What is no version yet is compared with the newest; a base that was chosen stays.
        """
        mark = known.hash if known else ""
        if mark == self._based_on:
            return
        self._based_on = mark
        place = self.every.index(known) if known else -1
        blockers = [QSignalBlocker(self.version), QSignalBlocker(self.against)]
        self.version.setCurrentIndex(place)
        self.version.setPlaceholderText(
            "new" if self._compact else f"v{self.newest + 1}, not kept"
        )
        self.against.setCurrentIndex(min(place + 1, len(self.every) - 1))
        for blocker in blockers:
            blocker.unblock()

    def changed_lines(self, text: str) -> tuple[str, list[int], list[str]]:
        """Compare a text with the base: a sentence, the added lines from 0, and those gone."""
        base = self.base
        if base is None or base.text.rstrip("\n") == text.rstrip("\n"):
            return "", [], []
        lines = prompt_preview.lines_apart(base.text, text)
        there = [x.how for x in lines if x.how != "removed"]
        added = [place for place, how in enumerate(there) if how == "added"]
        said = prompt_preview.changes(base.text, text)
        gone = [x.text for x in lines if x.how == "removed"]
        return f"{said} since {title(base)}", added, gone

    def _take_version(self) -> None:
        wanted = self.version.currentData()
        found = next((x for x in self.every if x.hash == wanted), None)
        if found is not None:
            self.version_chosen.emit(found)


def title(one: Prompt) -> str:
    """Name a version."""
    return f"v{one.version}" if one.version else "as shipped"


def _short(one: Prompt) -> str:
    return f"v{one.version}" if one.version else "shipped"
