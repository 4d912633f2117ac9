"""Where somebody was and how they shared the room: kept for this computer, found again here."""

import logging
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QByteArray, QStandardPaths
from PySide6.QtWidgets import QSplitter, QWidget

from reviewer import paths
from reviewer.gui.page import Page
from reviewer.services.computer.places import Place
from reviewer.services.computer.settings import Settings
from reviewer.services.project.session import NOBODY, Session

LOG = logging.getLogger(__name__)
FRAME = "window"


class PlaceKeeper:
    """Brings pages back to where a labeler was; all of it is written when something is closed."""

    def __init__(self, settings: Settings) -> None:
        """Keep places in these settings."""
        self._settings = settings
        self._labeler = ""
        self._start = Place()

    def page_of(self, session: Session) -> str:
        """Give the page on which the labeler was, by its id."""
        self._labeler, self._start = session.labeler.name, Place()
        return self._settings.places.of(session.project.path, self._labeler).page

    def open(self, page: Page, session: Session) -> None:
        """Give a page the session, where the labeler was before."""
        self._labeler = session.labeler.name
        found = self._settings.places.of(session.project.path, self._labeler)
        page.place = self._start if found == Place() else found
        page.open(session)

    def keep(self, session: Session, opened: Iterable[Page], current: str) -> None:
        """Keep where the labeler is, for whom the pages were opened; not on disk yet."""
        places, path = self._settings.places, session.project.path
        place = places.of(path, self._labeler)
        for page in opened:
            place = page.place_now() or place
        place = replace(place, page=current)
        if self._labeler == NOBODY:
            # whoever says their name goes on where they are
            self._start = place
        else:
            self._start = Place()
            places.keep(path, self._labeler, place)

    def restore_frame(self, window: QWidget) -> None:
        """Give a window the size and place that it had."""
        kept = self._settings.frames.get(FRAME, "").encode()
        window.restoreGeometry(QByteArray.fromBase64(kept))

    def keep_frame(self, window: QWidget) -> None:
        """Keep a window's size and place; not on disk yet."""
        self._settings.frames[FRAME] = window.saveGeometry().toBase64().toStdString()

    def write(self) -> None:
        """Write what was kept."""
        try:
            self._settings.keep()
        except OSError as error:
            LOG.warning("places and sizes not kept: %s", type(error).__name__)


def folder_of_files(*near: Path) -> Path:
    """Give where files are looked for and put: the first of these folders, else the documents.

    The program's own folder is none of them: nobody would find there what they made.
    """
    documents = QStandardPaths.StandardLocation.DocumentsLocation
    usual = (*near, Path(QStandardPaths.writableLocation(documents)), Path.home())
    own = paths.data_folder()
    return next(x for x in usual if x != own and x.is_dir())


def keep_sharing(split: QSplitter, settings: Settings, name: str) -> None:
    """Share a splitter's room as somebody did before, and keep from now on how it is shared."""
    split.splitterMoved.connect(
        lambda *_: settings.frames.update({name: split.saveState().toBase64().toStdString()})
    )
    restore_sharing(split, settings, name)


def restore_sharing(split: QSplitter, settings: Settings, name: str) -> bool:
    """Share a splitter's room as somebody did, if so; tells whether."""
    kept = settings.frames.get(name, "").encode()
    return bool(kept) and split.restoreState(QByteArray.fromBase64(kept))
