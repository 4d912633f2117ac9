"""The Review page's commands, bound to what they do."""

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QWidget

from reviewer.gui.actions import LEVELS, REVIEW, bind
from reviewer.gui.review.acts import Acts
from reviewer.gui.review.case_view import CaseView
from reviewer.gui.review.queue_view import QueueView
from reviewer.gui.review.scores_view import ScoresView


def bind_keys(
    page: QWidget, *, acts: Acts, scores: ScoresView, case: CaseView, queue: QueueView
) -> None:
    """Bind every command of the page to the page."""
    for place, command in enumerate(LEVELS):
        bind(page, command, partial(acts.level, place))
    handlers: dict[str, Callable[[], object]] = {
        "review.yes": lambda: acts.yes_or_no(yes=True),
        "review.no": lambda: acts.yes_or_no(yes=False),
        "review.value": acts.enter_value,
        "review.next_metric": lambda: scores.step_focus(1),
        "review.previous_metric": lambda: scores.step_focus(-1),
        "review.comment": scores.edit_comment,
        "review.highlight": case.conversation.mark_selection,
        "review.filter": queue.edit_filter,
        "review.find": case.header.open_find,
    }
    for command in REVIEW[len(LEVELS) :]:
        name = command.id.removeprefix("review.")
        bind(page, command, handlers.get(command.id, partial(acts.act, name)))
