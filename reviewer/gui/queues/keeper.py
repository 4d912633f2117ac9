"""Queues and labelers in the window: their dialogs, and the validation of the judge to its end."""

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog

from reviewer.domain.change import Change, LabelChanged, MarkChanged
from reviewer.domain.errors import ReviewerError
from reviewer.gui.background import beside
from reviewer.gui.kit.pieces import connect
from reviewer.gui.kit.tasks import soon, telling
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import around
from reviewer.gui.parcels.keeper import ParcelKeeper
from reviewer.gui.window import MainWindow, session_of
from reviewer.services.listing import listing
from reviewer.services.project.session import Session
from reviewer.services.queues import working

VALIDATE = "validate"
NO_RESPONSES = "There is no response to judge yet; import evaluation results first (Ctrl+I)."
OVER = "{} is answered to the end."
VERDICT = "Show the verdict"
SETTLE_MS = 250
KIND = "verdict"


class QueueKeeper(QObject):
    """Answers the window's commands about queues and people.

    Attributes:
        dialog: The dialog that was opened last, None before the first.
    """

    def __init__(self, window: MainWindow, parcels: ParcelKeeper) -> None:
        """Follow the window's projects; `parcels` makes packages of queues."""
        super().__init__(window)
        self._window = window
        self._parcels = parcels
        self._surroundings = window.surroundings
        self.dialog: QDialog | None = None
        self._told: set[tuple[int, int]] = set()
        self._soon = soon(self, self._look_for_the_end, SETTLE_MS)
        window.session_opened.connect(self._follow)
        window.session_closing.connect(self._let_go)

    def validate(self) -> None:
        """Go on with a validation of the judge, or begin one."""
        session = session_of(self._window)
        from reviewer.services.queues import recipes

        try:
            name, is_new = recipes.begin_validation(session)
        except ReviewerError as error:
            if any(run.evaluations or run.excluded for run in session.runs()):
                self._window.notices.error(str(error))
            else:
                self._window.notices.note(NO_RESPONSES)
            return
        self._work_on(name)
        if is_new:
            self._window.notices.note(
                "Random responses, answered blind; the verdict follows the last answer, or a "
                "planned look before it."
            )

    def label_recent(self) -> None:
        """Label a random few of the last days; where there are none, plan it with other days."""
        session = session_of(self._window)
        from reviewer.services.queues import recipes

        try:
            name, is_new = recipes.begin_recent(session)
        except ReviewerError:
            self.new_queue(recipes.RECENT)
            return
        self._work_on(name)
        if is_new:
            self._window.notices.note(
                "Drawn at random from what was scored in the last days and nobody labelled yet."
            )

    def new_queue(self, recipe: str = "") -> None:
        """Plan a queue."""
        session = session_of(self._window)
        from reviewer.gui.queues.builder import QueueBuilder

        with telling(self._window.notices.error):
            made = QueueBuilder(self._surroundings, session, self._window, None)
            made.made.connect(self._take_made)
            if recipe:
                made.choose_recipe(recipe)
            self._show(made)

    def queues(self) -> None:
        """Show all queues and how far everybody is."""
        session = session_of(self._window)
        from reviewer.gui.queues.overview import QueuesDialog

        made = QueuesDialog(self._surroundings.theme, session, self._window)
        connect(
            (made.work_requested, self._work_on),
            (made.verdict_requested, self._show_verdict_of),
            (made.new_requested, self.new_queue),
            (made.package_requested, self._parcels.pack),
            (made.merge_requested, self._parcels.merge),
        )
        self._show(made)

    def labelers(self) -> None:
        """Show everybody's profile."""
        session = session_of(self._window)
        from reviewer.gui.labelers.dialog import LabelersDialog

        made = LabelersDialog(around(self._surroundings, session), self._window)
        run = self._window.run_command
        connect(
            (made.renamed, self._take_name),
            (made.evaluation_requested, self._window.open_evaluation),
            (made.page_requested, self._window.show_page),
            (made.sharing.share_requested, lambda: run("window.share")),
            (made.sharing.invite_requested, lambda: run("window.invite")),
            (made.sharing.restored_requested, lambda: run("window.restored")),
            (made.sharing.leave_requested, lambda: run("window.leave")),
        )
        self._show(made)

    def _show(self, dialog: QDialog) -> None:
        self.dialog = dialog
        dialog.show()

    def _take_made(self, name: str) -> None:
        if name in dict(working.lines(session_of(self._window))):
            self._work_on(name)
        else:
            self._window.notices.answer(f"The queue {name} is made.")

    def _take_name(self, before: str, after: str) -> None:
        settings = self._surroundings.settings
        if settings.labeler == before:
            settings.set("labeler", after)

    def _work_on(self, name: str) -> None:
        self._window.show_page("review")
        if self._window.page is not None:
            self._window.page.open_list(queue=name)

    def _follow(self, session: Session) -> None:
        session.subscribe(self._note_change)

    def _let_go(self) -> None:
        self._soon.stop()
        self._told.clear()
        self._surroundings.tasks.drop(KIND)

    def _note_change(self, change: Change) -> None:
        queue = session_of(self._window).queue
        validates = queue is not None and queue.recipe == VALIDATE
        if validates and isinstance(change, LabelChanged | MarkChanged):
            self._soon.start()

    def _look_for_the_end(self) -> None:
        """Say it when the last answer of a validation has just been given."""
        session = session_of(self._window)
        if session.queue is None:
            return
        from reviewer.services.queues import validation

        queue = session.queue
        look = 0
        if working.answers_left(session, queue):
            look = validation.look_reached(session, queue)
            self._told.discard((queue.key, 0))
            if not look:
                return
        if (queue.key, look) not in self._told:
            self._told.add((queue.key, look))
            if look:
                self._find_verdict(queue.name, self._note_look)
            else:
                show = partial(self._show_verdict_of, queue.name)
                self._window.notices.offer(OVER.format(one_line(queue.name, 60)), VERDICT, show)

    def _show_verdict_of(self, name: str) -> None:
        self._find_verdict(name, self._show_verdict)

    def _find_verdict(self, name: str, then: Callable[[Any], object]) -> None:
        session = session_of(self._window)
        from reviewer.services.queues import validation

        self._surroundings.tasks.run(
            KIND,
            beside(session, lambda own, _: validation.of_queue(own, name)),
            then=then,
            failed=self._window.notices.error,
        )

    def _note_look(self, found: object) -> None:
        """Say what a planned look came to, without a window in the way of who is labelling."""
        note = getattr(found, "note", "")
        if note:
            self._window.notices.note(str(note))

    def _show_verdict(self, found: Any) -> None:  # noqa: ANN401 - a task's result
        if not hasattr(found, "worst"):
            self._window.notices.note(found.sentence)
            return
        from reviewer.gui.queues.overview import VerdictDialog

        made = VerdictDialog(self._surroundings.theme, found, self._window)
        made.evaluation_requested.connect(self._window.open_evaluation)
        made.worst_requested.connect(self._list_worst)
        self._show(made)

    def _list_worst(self, keys: tuple[int, ...]) -> None:
        """List the worst disagreements on Review, and begin with the worst of all."""
        if not keys:
            return
        session = session_of(self._window)
        self._window.show_page("review")
        if self._window.page is not None:
            self._window.page.open_list(words=listing.some_filter(session, keys), by_gap=True)
            self._window.page.open_evaluation(keys[0])
