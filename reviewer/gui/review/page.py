"""The Review page: where labelers work."""

from collections.abc import Callable
from functools import partial
from statistics import fmean, stdev

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget
from typing_extensions import override

from reviewer.domain.change import (
    Change,
    EvaluationsChanged,
    FiguresChanged,
    LabelChanged,
    MarkChanged,
    PeopleChanged,
    RubricChanged,
    ScoresChanged,
)
from reviewer.domain.evaluation import Evaluation, Score, as_number
from reviewer.domain.wording import brief, fixed
from reviewer.gui.actions import bound
from reviewer.gui.bulk_acts import BulkActs, bind_bulk
from reviewer.gui.kit import layouts
from reviewer.gui.kit.arranging import SplitterRest, come_back
from reviewer.gui.kit.pieces import connect
from reviewer.gui.kit.tasks import soon, telling
from reviewer.gui.page import Page, Surroundings
from reviewer.gui.places import keep_sharing, restore_sharing
from reviewer.gui.review.acts import Acts
from reviewer.gui.review.case_view import CaseView
from reviewer.gui.review.figures_side import FiguresSide
from reviewer.gui.review.focus_mode import FocusMode, span
from reviewer.gui.review.judge_side import JudgeSide
from reviewer.gui.review.keys import bind_keys
from reviewer.gui.review.metric_card import CardState
from reviewer.gui.review.queue_side import QueueSide
from reviewer.gui.review.scores_view import ScoresView, sight_words
from reviewer.services.adjudicating import decisions
from reviewer.services.computer.places import Place
from reviewer.services.listing.listing import QueueOrder, QueueProgress
from reviewer.services.project import reading
from reviewer.services.project.reading import EvaluationView, is_repeat
from reviewer.services.project.session import Session
from reviewer.services.tallying.live_figures import CaseFigures

FRAME_MS = 16
"""After this, what changed first is painted."""
SHARING = "review"
LEFT, RIGHT = 264, 412
"""Widths in pixels at 100 %; the conversation has the rest, half of the window at least."""


class ReviewPage(Page):
    """Queue, conversation, cards and live figures around the evaluation in view."""

    def __init__(self, surroundings: Surroundings) -> None:
        """Make the page empty."""
        super().__init__(surroundings)
        self._session: Session | None = None
        self._leave: Callable[[], None] = lambda: None
        self._view: EvaluationView | None = None
        self.queue = QueueSide(self.theme, surroundings.tasks)
        self.case = self.read = CaseView(self.theme)
        self.scores = ScoresView(self.theme)
        self.acts = Acts(self.scores, self.case, surroundings.tasks)
        self.figures = FiguresSide(surroundings, self.scores.live)
        self.judge = JudgeSide(self.theme, self.scores, self.case)
        self._split = split = _side_by_side(self.queue.view, self.case, self.scores)
        self._rest = SplitterRest(split)
        self.focus_mode = FocusMode(
            self.theme, surroundings.settings,
            queue=self.queue, case=self.case, scores=self.scores, split=split,
        )  # fmt: skip
        layouts.column(self.focus_mode.bar, (split, 1), on=self, margins=0, gap=0)
        keep_sharing(split, surroundings.settings, SHARING)
        self._unfold_soon = soon(self, lambda: _unfold(self.scores, self._show_figures), FRAME_MS)
        connect(
            (self.queue.opened, self.open_evaluation),
            (self.queue.emptied, self._show_nothing),
            (self.queue.noted, self.noted),
            (self.queue.counted, lambda x: self.status_changed.emit(_progress_words(x))),
            (self.queue.sight_changed, self.figures.reload),
            (self.queue.view.command_requested, self.command_requested),
            *((x.wished, partial(_run_wish, self)) for x in (self.scores, self.focus_mode.bar)),
            (self.focus_mode.changed, partial(_change_focus, self)),
            (self.acts.failed, self.failed),
            (self.judge.failed, self.failed),
            (self.judge.saved, self.saved),
            (self.acts.noted, self.noted),
            (self.acts.offered, self.offered),
            (self.acts.saved, self.saved),
            (self.acts.saving.waiting_changed, lambda _: self._show_figures()),
            (self.acts.saving.waiting_changed, self.waiting_changed),
            (self.acts.step_requested, self.queue.step),
            (self.acts.next_requested, self.queue.step_to_open),
            (self.acts.place_requested, self._go_to),
            (self.scores.focus_changed, self.figures.set_metric),
            (self.scores.settling, self.figures.show_now),
            (self.scores.arranged, self._rest.keep),
            (self.figures.attached, self._follow),
            (self.figures.updated, self._show_figures),
            (self.theme.changed, self._restyle),
        )
        self.bulk = BulkActs(self, surroundings.tasks, self.queue.view.selected)
        _bind(self)

    @property
    @override
    def view(self) -> EvaluationView | None:
        """Give the evaluation in view, as the labeler may see it."""
        return self._view

    @override
    def open(self, session: Session) -> None:
        """Show a project's queue and its first open evaluation."""
        self._session = session
        self.acts.open(session)
        self.bulk.open(session)
        self.figures.open(session)
        self._follow()
        self.focus_mode.open(session)
        at = self.place
        key = reading.key_of(session, at.evaluation) if at.evaluation else None
        self.queue.open(session, key)
        if key is not None:
            for area, value in (
                (self.case.conversation, at.read),
                (self.queue.view.list, at.listed),
            ):
                come_back(area.verticalScrollBar(), value, partial(_is_shown, self, key))
        self.case.shown.setFocus()

    @override
    def place_now(self) -> Place | None:
        """Tell which evaluation is in view, and how far it and the list are scrolled."""
        if self._view is None:
            return None
        shown = self._view.evaluation
        return Place(
            evaluation=f"{shown.run}/{shown.id}",
            read=self.case.conversation.verticalScrollBar().value(),
            listed=self.queue.view.list.verticalScrollBar().value(),
        )

    @override
    def settle(self) -> None:
        """Keep a comment that is being typed."""
        self.scores.comment.leave()
        self.acts.saving.try_again()

    @override
    def close_session(self) -> None:
        """Let go of the project."""
        self.settle()
        self._leave()
        self._leave = lambda: None
        self._session = None
        self.scores.unsaved.clear()
        self._show_nothing("")
        self.queue.close()
        self.focus_mode.close()
        self.acts.open(None)
        self.bulk.open(None)

    @override
    def open_evaluation(self, key: int) -> None:
        """Show one evaluation, whether or not the queue holds it."""
        session = self._session
        if session is None:
            return
        # what was typed belongs to the response that goes
        self.settle()
        with telling(self.failed.emit):
            self._view = view = reading.view(session, key)
            _make_cards(self.scores, view)
            self._show_scores(view, fresh=True)
            # last, as its tab Judge is filled by what looks at this evaluation by now
            self.case.show_view(view, lambda path: reading.attachment(session, key, path))
            self.scores.set_focus_on(_first_open(view, list(self.scores.cards)))
            if self.scores.comment.hasFocus():
                # whoever goes on from a comment labels next: digits are keys again
                self.case.shown.setFocus()
            self.queue.show(key)

    def _go_to(self, key: int, metric: str) -> None:
        """Bring an evaluation into view whatever is listed, with the focus on one metric."""
        if self._view is None or self._view.evaluation.key != key:
            self.open_evaluation(key)
        elif self.scores.comment.hasFocus():
            self.case.shown.setFocus()
        self.scores.set_focus_on(metric)

    @override
    def open_list(self, *, queue: str = "", words: str = "", by_gap: bool = False) -> None:
        """Work on a queue for people by its name, or on what a filter finds."""
        sighted = self._session is not None and not self._session.blind
        if queue:
            self.queue.work_on(queue)
        elif by_gap and sighted:
            self.queue.build(words, QueueOrder.GAP)
        else:
            self.queue.view.set_filter(words)
        self.case.shown.setFocus()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width among the panes, until the labeler shares it otherwise."""
        super().resizeEvent(event)
        first, changed = event.oldSize().width() <= 0, event.oldSize().width() != self.width()
        if first or (changed and not (self.alone or SHARING in self.surroundings.settings.frames)):
            _share_width(self, self._split)

    @override
    def panes(self) -> list[QWidget]:
        """Give queue, conversation (or what another tab shows), cards and figures."""
        card = self.scores.cards.get(self.scores.focus or "")
        first = card.first_button if card is not None else self.scores
        return [self.queue.view.list, self.case.shown, first, self.scores.live]

    @override
    def focusNextPrevChild(self, forward: bool) -> bool:
        """Let Tab go from metric to metric while one reads, and past the last one to Next."""
        if not self.isVisible():
            # a page that is put away passes the focus on as well
            return super().focusNextPrevChild(forward)
        focused, done = self.focusWidget(), self.scores.next
        stack = self.case.stack
        reading = focused in (None, self, done) or (
            focused is not None and stack.isAncestorOf(focused)
        )
        if reading and self.scores.step_focus(1 if forward else -1):
            return True
        if reading and forward and focused is not done and done.isEnabled():
            done.setFocus(Qt.FocusReason.TabFocusReason)
            return True
        return super().focusNextPrevChild(forward)

    def _follow(self) -> None:
        """Listen to the session, after whoever listens already."""
        self._leave()
        if self._session is not None:
            self._leave = self._session.subscribe(self._on_change)

    def _show_nothing(self, sentence: str) -> None:
        self.settle()
        self._view = None
        self.acts.look_at(None, fresh=True)
        self.judge.forget()
        self.figures.close()
        if self._session is not None:
            self.figures.open(self._session)
        self.case.show_nothing(sentence)
        self.scores.clear()

    def _show_scores(self, view: EvaluationView, *, fresh: bool, unfold: bool = True) -> None:
        self.scores.setEnabled(True)
        self.acts.look_at(view, fresh=fresh)
        self.figures.look_at(view)
        with self.scores.arranged_once():
            self._show_figures(unfold=unfold)
            self.scores.show_ticks()
            self.scores.show_sight(sight_words(view), hidden=view.hidden and view.judged)
            self.focus_mode.show_response(view.evaluation.id, sight_words(view))
            self.scores.show_marks(skipped=view.skipped, flagged=view.flagged)
            self.scores.refresh_comment(anew=fresh)
        self.judge.look_at(self._session, view)
        self.queue.tell_known(view)
        self.case.show_asked(_asked(self._session, view))

    def _show_figures(self, *, unfold: bool = True) -> None:
        """Fill the cards; without `unfold` the one in focus only, for the frame of its answer."""
        view = self._view
        if view is None:
            return
        found = self.figures.case.metrics
        me = self._session.labeler.name if self._session is not None else ""
        unsure: dict[str | None, list[str]] = {}
        for mark in view.marks:
            if mark.kind == "unsure":
                unsure.setdefault(mark.metric, []).append(mark.labeler)
        for name, card in self.scores.cards.items():
            if not unfold and name != self.scores.focus:
                continue
            own, waits = self.acts.said(name)
            card.show_state(
                CardState(
                    own=own,
                    waits=waits,
                    unsure=me in unsure.get(name, ()),
                    doubting=frozenset(unsure.get(name, ())),
                    auto=view.auto.get(name),
                    others=tuple(x for x in view.others if x.metric == name),
                    figures=found.get(name, CaseFigures()),
                    hidden=view.hidden,
                    told=told(view, name),
                ),
                unfold=unfold,
            )

    def _on_change(self, change: Change) -> None:
        if isinstance(change, EvaluationsChanged | ScoresChanged | RubricChanged):
            self.figures.reload()
            before = self._view
            if isinstance(change, ScoresChanged):
                self.queue.model.refresh_all()
            else:
                self.queue.rebuild()
            if before is not None and self._view is before:
                self._look_again(before)
            return
        if isinstance(change, FiguresChanged):
            self.figures.reload()
            return
        if isinstance(change, PeopleChanged):
            self.queue.rebuild()
            return
        if not isinstance(change, LabelChanged | MarkChanged):
            return
        touched = change.after if isinstance(change, LabelChanged) else change.mark
        view = self._view
        shown = view is not None and view.evaluation.key == touched.evaluation
        if view is not None and shown and touched.seq <= _newest(view):
            # the label that came with this reveal was told before, and all was read then
            return
        self.queue.refresh(touched.evaluation)
        if shown:
            self._refresh_view()
        else:
            self.figures.refresh()

    def _refresh_view(self) -> None:
        session, before = self._session, self._view
        if session is None or before is None:
            return
        self._view = view = reading.again(session, before)
        revealed = before.hidden and not view.hidden
        self._show_scores(view, fresh=False, unfold=not revealed)
        if revealed:
            self._unfold_soon.start()
        self.case.refresh(view)

    def _look_again(self, before: EvaluationView) -> None:
        """Show what others wrote, and leave alone what somebody reads and types."""
        session, key = self._session, before.evaluation.key
        if session is None:
            return
        with telling(self._show_nothing):
            self._view = view = reading.view(session, key)
            _make_cards(self.scores, view)
            self._show_scores(view, fresh=False)
            if _text_of(view) == _text_of(before):
                self.case.refresh(view)
            else:
                self.case.show_view(view, lambda path: reading.attachment(session, key, path))

    def _restyle(self) -> None:
        self.queue.view.list.fit_rows()
        self.case.restyle()
        self.scores.restyle()
        self.figures.restyle()
        _share_width(self, self._split)


def _read_on(case: CaseView) -> None:
    case.shown.setFocus()


def _is_shown(page: Page, key: int) -> bool:
    return page.view is not None and page.view.evaluation.key == key


def _share_width(page: Page, split: QSplitter) -> None:
    """Share the width as the labeler did, else give the conversation most of it."""
    if restore_sharing(split, page.surroundings.settings, SHARING):
        return
    width, px = page.width(), page.theme.px
    left, right = min(px(LEFT), round(width * 0.21)), min(px(RIGHT), round(width * 0.33))
    split.setSizes([left, width - left - right, right])


def _side_by_side(queue: QWidget, case: QWidget, scores: QWidget) -> QSplitter:
    """Put the panes beside each other; the conversation takes what the others leave."""
    split = QSplitter(childrenCollapsible=False, handleWidth=1)
    for pane, stretch in ((queue, 0), (case, 1), (scores, 0)):
        split.addWidget(pane)
        split.setStretchFactor(split.count() - 1, stretch)
    return split


def _bind(page: ReviewPage) -> None:
    """Bind every command of the page; after an answer the keys go to what one reads."""
    page.scores.answered.connect(partial(_read_on, page.case))
    bind_keys(
        page, acts=page.acts, scores=page.scores, case=page.case, queue=page.queue.view,
        turn_focus=page.focus_mode.turn,
    )  # fmt: skip
    bind_bulk(page, page.bulk, page.queue.view.list)


def _run_wish(page: ReviewPage, what: str) -> None:
    """Run a command that a button of the page stands for."""
    if what == "guidelines" or what.startswith("window."):
        page.command_requested.emit("window." + what.removeprefix("window."))
    for command, action in bound([page]):
        if command.id == what:
            action.trigger()


def _change_focus(page: ReviewPage) -> None:
    page.alone = page.focus_mode.on
    page.alone_changed.emit()
    page.case.shown.setFocus()


def _first_open(view: EvaluationView, names: list[str]) -> str:
    done = {n for n, x in view.own.items() if x.counts or x.kind == "not_applicable"}
    return next((name for name in names if name not in done), names[0] if names else "")


def _text_of(view: EvaluationView) -> Evaluation:
    """Give what one reads of an evaluation, without what is said about it."""
    return replace(view.evaluation, scores=(), tags=())


def _asked(session: Session | None, view: EvaluationView) -> str:
    """Say what a lead asks here; looked up only where there is a question at all."""
    if session is None or not any(mark.kind == "question" for mark in view.marks):
        return ""
    return str(decisions.sentence(session, view.evaluation.key))


def _make_cards(scores: ScoresView, view: EvaluationView) -> None:
    rubric, shown = view.rubric, view.evaluation
    about = (rubric.name, str(rubric.version))
    scores.show_metrics(about, rubric.labelled_metrics, asks_unsure=rubric.ask_unsure)
    scores.show_keywords(shown.key, shown.expected_keywords)


def _unfold(scores: ScoresView, show_figures: Callable[[], None]) -> None:
    """Show what others said, and the other cards, a frame after the answer and its figures."""
    with scores.arranged_once():
        show_figures()
        for card in scores.cards.values():
            card.unfold()


def _newest(view: EvaluationView) -> int:
    """Give the number of the newest entry that a view was made from."""
    labels, marks = (x.seq for x in view.history), (x.seq for x in view.marks)
    return max(*labels, *marks, 0, 0)


def _progress_words(progress: QueueProgress) -> str:
    words = f"{progress.done:,} / {progress.total:,}"
    if progress.seconds_left:
        words += f" · about {span(progress.seconds_left)} left"
    return words


def told(view: EvaluationView, metric: str) -> str:
    """Say who scored, how often, how sure it was and what it took; nothing while hidden."""
    score = view.auto.get(metric)
    if view.hidden or score is None:
        return ""
    facts = [
        view.auto_by.get(metric, ""),
        score.model if score.model not in (None, score.scorer) else "",
    ]
    if score.prompt_hash:
        facts.append(f"prompt {score.prompt_hash[:6]}")
    facts.append(_repeats(view, score))
    if score.confidence is not None:
        facts.append(f"confidence {fixed(score.confidence)}")
    if score.cost_usd is not None:
        facts.append(f"${brief(score.cost_usd, 2)}")
    if score.latency_ms is not None:
        facts.append(f"{fixed(score.latency_ms / 1000)} s")
    return " · ".join(x for x in facts if x)


def _repeats(view: EvaluationView, score: Score) -> str:
    values = [
        value
        for x in view.all_scores
        if is_repeat(x, score) and (value := as_number(x.value)) is not None
    ]
    if len(values) < 2:
        return ""
    return f"{len(values)} times: mean {fixed(fmean(values))}, spread {fixed(stdev(values))}"
