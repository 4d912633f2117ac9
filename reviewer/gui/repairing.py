"""Offers the repair of a project that cannot be opened, and opens it when it is done."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from reviewer.domain.errors import Progress
from reviewer.gui.kit.notices import Kind, Notice
from reviewer.gui.window import MainWindow

REPAIR = "Repair"


class RepairOffer(QObject):
    """Puts a button beside the error of opening, where there is something to repair it from."""

    def __init__(self, window: MainWindow) -> None:
        """Follow what the window cannot open."""
        super().__init__(window)
        self._window = window
        window.open_failed.connect(self._ask)

    def _ask(self, path: Path, sentence: str) -> None:
        # where all is well nothing of it is needed
        from reviewer.services.upkeep import doctor

        def look(_: Progress) -> bool:
            return doctor.can_repair(path)

        def offer(possible: object) -> None:
            if possible:
                repair = partial(self._repair, path)
                self._window.notices.show_notice(Notice(Kind.ERROR, sentence, REPAIR, repair))

        self._window.surroundings.tasks.run("repair", look, then=offer)

    def _repair(self, path: Path) -> None:
        from reviewer.services.upkeep import doctor

        self._window.notices.dismiss()
        self._window.notices.note(f"Repairing {path.name}…")

        self._window.surroundings.tasks.run(
            "repair",
            lambda _: doctor.repair(path).sentences,
            then=partial(self._open, path),
            failed=self._window.notices.error,
            loss=f"the repair of {path.name}",
        )

    def _open(self, path: Path, sentences: tuple[str, ...]) -> None:
        if self._window.open_project(path):
            self._window.notices.warn(" ".join(sentences))
