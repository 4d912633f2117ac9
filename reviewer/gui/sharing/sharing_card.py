"""How the project is shared, at the head of its people: the state in words, and what to do."""

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QMessageBox

from reviewer.domain.errors import Progress, ReviewerError
from reviewer.gui.asking import Asking
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.page import ProjectSurroundings
from reviewer.services.project import pace
from reviewer.services.project.session import Session, may_lead
from reviewer.services.sharing import link as links
from reviewer.services.sharing import standing, syncing, taking_part
from reviewer.services.sharing.standing import Standing
from reviewer.services.sharing.syncing import Synced

ALONE = (
    "This file is on its own. Shared through a PostgreSQL database of your company, several "
    "people label at many computers, on line or not."
)
ALONE_LABELER = "This file is on its own; a lead can share it."
UPGRADE = "hub-upgrade"
UPGRADE_QUESTION = (
    "Bring the hub up to date? From then on everybody needs this version of Reviewer or a newer "
    "one; who has an older one is told so. Nothing is lost."
)
UPGRADING = "Bringing the hub up to date…"
UPGRADED = "The hub is up to date."
PACE = "Leads may see how long my answers take"
PACE_HELP = (
    "Yours to say, at any time. Without it they see what is answered and when the last was."
)


class SharingCard(pieces.Card):
    """Says how it stands, and offers what whoever works here may do.

    Signals:
        share_requested: The project is to be shared.
        invite_requested: Somebody is to be invited.
        restored_requested: The database came out of an older backup.
        leave_requested: The sharing of this file is to end.
        failed: An expected error, as a sentence.
    """

    share_requested = Signal()
    invite_requested = Signal()
    restored_requested = Signal()
    leave_requested = Signal()
    failed = Signal(str)

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make the card; `refresh` fills it."""
        super().__init__("Sharing")
        self._session, self._hub = surroundings.session, surroundings.hub
        self.state = pieces.text("", wrap=True, name="How the project is shared")
        self.share = pieces.Button("Share this project…", self.share_requested.emit)
        self.invite = pieces.Button("Invite…", self.invite_requested.emit)
        self.now = pieces.Button("Send and take in now", self._hub.again)
        self.upgrade = pieces.Button("Upgrade the hub…", self._upgrade, kind="primary")
        self.upgraded = pieces.text("", wrap=True, name="How the upgrade stands", hidden=True)
        self._asking = Asking(surroundings.tasks, self, UPGRADE, self._session)
        self._asking.advanced.connect(self._tell_upgrade)
        self.restored = pieces.Button("The database was restored…", self.restored_requested.emit)
        self.leave = pieces.Button("Leave…", self.leave_requested.emit)
        self.pace = pieces.named(QCheckBox(PACE), tip=PACE_HELP)
        self.pace.clicked.connect(self._show_pace)
        self.pace_help = pieces.text(PACE_HELP, "small", wrap=True)
        acts = layouts.FlowLayout(spacing=surroundings.theme.px(8))
        layouts.fill(
            acts,
            self.upgrade,
            self.share,
            self.invite,
            self.now,
            self.restored,
            self.leave,
            self._asking.button(),
        )
        layouts.fill(self.body, self.state, self.upgraded, acts, self.pace, self.pace_help)

    def refresh(self) -> None:
        """Show how it stands."""
        project, state, leads = self._session.project, self._hub.state, may_lead(self._session)
        link, words = None, ALONE if leads else ALONE_LABELER
        try:
            link = links.of(project)
            if link is not None:
                known = Standing(link, state) if state is not None else standing.standing(project)
                words = known.sentence
        except ReviewerError as error:
            words = str(error)
        self.state.setText(words)
        shared = links.is_shared(project)
        pieces.show(self.upgrade, shown=state is not None and state.older)
        pieces.show(self.share, shown=not shared and leads)
        pieces.show(self.invite, self.restored, shown=link is not None and link.lead)
        pieces.show(self.now, shown=link is not None)
        pieces.show(self.leave, shown=shared)
        pieces.show(self.pace, self.pace_help, shown=link is not None and not link.lead)
        self.pace.setChecked(pace.is_shown(self._session.project))

    def _upgrade(self) -> None:
        given = QMessageBox.question(self, "Upgrade the hub", UPGRADE_QUESTION)
        if given != QMessageBox.StandardButton.Yes:
            return
        try:
            place = taking_part.place_in(self._session.project)
        except ReviewerError as error:
            self.failed.emit(str(error))
            return
        self.upgrade.setEnabled(False)
        self._tell_upgrade(UPGRADING)
        self._asking.ask(place, _act, then=self._show_upgraded, failed=self._end_upgrade)

    def _show_upgraded(self, done: Synced) -> None:
        self._end_upgrade(f"{UPGRADED} {done.sentence}")
        self._hub.again()

    def _end_upgrade(self, sentence: str) -> None:
        self.upgrade.setEnabled(True)
        self._tell_upgrade(sentence)

    def _tell_upgrade(self, words: str) -> None:
        pieces.say(self.upgraded, words)

    def _show_pace(self, shown: bool) -> None:  # noqa: FBT001 - a signal's
        try:
            pace.show(self._session, shown=shown)
        except ReviewerError as error:
            self.failed.emit(str(error))
        self._hub.again()


def _act(own: Session, hub: Any, progress: Progress) -> Synced:  # noqa: ANN401 - the hub's own
    taking_part.upgrade(hub)
    return syncing.sync(own, hub, progress)
