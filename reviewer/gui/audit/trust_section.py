"""The first section: may the judge be relied on for each metric, the worst first, and why."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from reviewer.domain.wording import brief, counted, level_percent, percent
from reviewer.gui.audit.agreement_section import RunsCard
from reviewer.gui.audit.causes_card import CausesCard
from reviewer.gui.audit.sections import AuditSection
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectSurroundings
from reviewer.gui.plots.dots import Dot, DotRow, DotsChart
from reviewer.gui.sections import Reading
from reviewer.services.adjudicating import causes, next_steps
from reviewer.services.adjudicating.causes import CausesOf
from reviewer.services.adjudicating.next_steps import NextStep
from reviewer.services.audits.auditing import EQUAL, Audit
from reviewer.services.figures import trust_words
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.figures.statistics_blocks import MetricBlock
from reviewer.stats.catalogue import FIGURES
from reviewer.stats.trust import SIGNS, State

ROLES: dict[State, str] = {"rely": "adjusted", "do_not_rely": "alert", "cannot_be_said": "muted"}
WAITING = "Working out the intervals…"
DOTS_HINT = "■ people with each other · ● judge with people"
NOBODY = "No two people have labelled the same responses yet, so there is nothing to hold it to."


class TrustRow(QWidget):
    """One metric: sign, state, sentences, and the way to what is behind them.

    Signals:
        opened: The responses behind the metric are wanted.
        queue_requested: More labels are wanted.
    """

    opened = Signal()
    queue_requested = Signal()

    def __init__(self, theme: Theme, block: MetricBlock, cases: int) -> None:
        """Show what a metric's labels say of its judge; `cases` are those that differ."""
        super().__init__()
        found = trust_words.told(block)
        self.sign = pieces.text(SIGNS[found.state], ROLES[found.state])
        self.sign.setProperty("kind", "state")
        self.sign.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.sign.setFixedSize(theme.px(22), theme.px(22))
        self.sign.setAccessibleName(found.words)
        self.words = pieces.text(found.text, wrap=True)
        self.words.setAccessibleName(trust_words.sentence(block))
        self.words.setToolTip("\n".join(trust_words.reasons(block.trust)))
        self.undecided = pieces.text("", "small", wrap=True, name="Without decisions")
        # shown before it stands anywhere, a label would be a window of its own
        self.undecided.setText(trust_words.without_decisions(block))
        if not self.undecided.text():
            self.undecided.hide()
        title = layouts.FlowLayout(spacing=theme.px(6))
        layouts.fill(title, pieces.ElidedText(block.title, "heading"))
        layouts.fill(title, pieces.text(found.words, "muted"))
        self.cases = pieces.Button(
            counted(cases, "case"),
            self.opened.emit,
            dense=True,
            name=f"{counted(cases, 'case')} of {block.title} that differ",
        )
        # shown before it stands anywhere, a button would be a window of its own
        if not cases:
            self.cases.hide()
        self.queue = pieces.Button(
            "Queue…", self.queue_requested.emit, dense=True, name=f"New queue for {block.title}"
        )
        if found.state != "cannot_be_said":
            self.queue.hide()
        trailing = Qt.AlignmentFlag.AlignTrailing
        layouts.row(
            layouts.column(self.sign, 1),
            (layouts.column(title, self.words, self.undecided, gap=2), 1),
            layouts.column(
                (self.cases, 0, trailing), (self.queue, 0, trailing), 1, gap=theme.px(6)
            ),
            on=self,
            margins=0,
            gap=theme.px(12),
        )


class TrustCard(pieces.Card):
    """The first sentence, and a row a metric.

    Signals:
        metric_opened: The responses on which judge and people differ are wanted, by metric.
        queue_requested: A new queue is wanted.
        limits_requested: Other limits are wanted.
    """

    metric_opened = Signal(str)
    queue_requested = Signal()
    limits_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make an empty card."""
        super().__init__()
        self.theme = theme
        self.setAccessibleName("Trust")
        self.sentence = pieces.text("", "title", wrap=True, name="Can the judge be trusted?")
        self.limits = pieces.text("", "small", wrap=True)
        self.change = pieces.Button("Change…", self.limits_requested.emit, kind="link")
        self._rows = layouts.column(gap=theme.px(10))
        self.rows: dict[str, TrustRow] = {}
        self.place = pieces.text("", "small", wrap=True, name="May the judge take a place?")
        layouts.fill(
            self.body,
            self.sentence,
            layouts.row((self.limits, 1), self.change),
            self._rows,
            self.place,
        )

    def show_audit(self, audit: Audit, blocks: Sequence[MetricBlock], *, waits: bool) -> None:
        """Show the metrics, the worst first; what resampling decides is still awaited or not."""
        self.sentence.setText(WAITING if waits else trust_words.headline(blocks))
        self.limits.setText(_limits(audit, blocks))
        pieces.clear(self._rows)
        self.rows = {}
        for block in blocks if waits else trust_words.worst_first(blocks):
            pairs = audit.pairs[block.name]
            apart = pairs.seen & pairs.counted & (np.abs(pairs.gaps) > EQUAL)
            row = TrustRow(self.theme, block, int(np.count_nonzero(apart)))
            row.opened.connect(partial(self.metric_opened.emit, block.name))
            row.queue_requested.connect(self.queue_requested)
            self.rows[block.name] = row
            layouts.fill(self._rows, pieces.line(), row)
        asked = "May the judge take a labeler's place?"
        pieces.say(self.place, f"{asked} {trust_words.may_replace(blocks)}")


def _limits(audit: Audit, blocks: Sequence[MetricBlock]) -> str:
    kept = audit.frame.choices.options
    usual = kept.limits(None)
    own = [x.title for x in blocks if kept.limits(x.name) != usual]
    other = f"; {', '.join(own)} by limits of their own" if own else ""
    level = next((level_percent(x.trust.trust.level) for x in blocks), "")
    return (
        f"Worst first. Limits: {percent(usual.caught)} of fails caught, {percent(usual.reach)} of "
        f"people's agreement, mean gap up to ±{brief(usual.gap)} levels{other}. "
        f"Intervals at {level} hold together."
    )


Read = tuple[tuple[NextStep, ...], tuple[CausesOf, ...]]
"""What to do next, and why judge and people differ."""


class TrustSection(AuditSection[Read]):
    """Shows what the page has computed already; what to do next and why is read on top.

    Signals:
        next_found: What to do next, a tuple of steps.
        command_requested: A command of the window is to be run, by its id.
        limits_requested: The limits are to be changed.
    """

    title = "Trust"
    working = ""
    next_found = Signal(object)
    command_requested = Signal(str)
    limits_requested = Signal()

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make every card empty."""
        super().__init__(surroundings)
        self.card = TrustCard(self.theme)
        self.chart: DotsChart | None = None
        self._said_of: StatsRequest | None = None
        self.runs = RunsCard(self.theme)
        self._hint = pieces.ElidedText(DOTS_HINT, "small")
        self._hint.setAlignment(Qt.AlignmentFlag.AlignTrailing)
        self._dots = pieces.Card("Agreement")
        self._dots.head.addWidget(self._hint, 3)
        self._nothing = pieces.text(NOBODY, "muted", wrap=True)
        self._dots.body.addWidget(self._nothing)
        self.causes = CausesCard(self.theme)
        layouts.fill(self.body, self.card, self._dots, self.causes, self.runs)
        pieces.connect(
            (self.causes.responses_requested, self._open_cause),
            (self.causes.noted, self.noted),
            (self.card.metric_opened, self._open),
            (self.card.queue_requested, lambda: self.command_requested.emit("window.new_queue")),
            (self.card.limits_requested, self.limits_requested),
        )

    @override
    def reading(self, audit: Audit, metric: str) -> Reading[Read] | None:
        """Read what to do next and why, once the intervals are there."""
        if not audit.is_refined:
            return None
        return lambda session, progress: (
            next_steps.find(session, audit, progress),
            causes.by_metric(session, audit),
        )

    @override
    def show_found(self, found: Read) -> None:
        """Hand on what to do next, and show why judge and people differ."""
        steps, named = found
        self.next_found.emit(steps)
        self.causes.show_causes(named)

    @override
    def show_metric(self, audit: Audit, metric: str) -> None:
        """Take other figures; of another metric of the same ones only the runs are about."""
        if audit is self.audit and not self._due:
            self.chosen_metric = metric
            self.runs.show_metric(audit.document, metric)
            return
        super().show_metric(audit, metric)

    @override
    def recompute(self) -> None:
        """Show the figures of the page, and read what to do next."""
        if self.audit is not None:
            self._show(self.audit)
        super().recompute()

    @override
    def refine(self, audit: Audit) -> None:
        """Show the intervals that came later."""
        super().refine(audit)
        self.renew()

    def _show(self, audit: Audit) -> None:
        blocks = audit.document.labelled
        if audit.is_refined:
            self._said_of = audit.request
        waits = self._said_of != audit.request
        self.card.show_audit(audit, blocks, waits=waits)
        rows = [row for block in trust_words.worst_first(blocks) if (row := _dots(block))]
        pieces.show(self._hint, shown=bool(rows))
        self._nothing.setVisible(not rows)
        if rows or self.chart is not None:
            chart = self._charted()
            chart.setVisible(bool(rows))
            chart.show_rows(rows)
        self.runs.show_metric(audit.document, self.chosen_metric)

    def _charted(self) -> DotsChart:
        """Give the chart; what draws it takes half a second to import."""
        if self.chart is None:
            self.chart = DotsChart(self.theme)
            self._dots.body.addWidget(self.chart)
            pieces.connect((self.chart.spot_chosen, self._open), (self.chart.noted, self.noted))
        return self.chart

    def _open(self, metric: object) -> None:
        if self.audit is None or not isinstance(metric, str):
            return
        self.metric_requested.emit(metric)
        pairs = self.audit.pairs[metric]
        apart = pairs.counted & (np.abs(pairs.gaps) > EQUAL)
        places = pairs.by_gap(apart & pairs.seen)
        title = self.audit.document.metrics[metric].title
        self.responses_requested.emit(pairs.keys[places], f"Judge and people differ on {title}")

    def _open_cause(self, metric: str, keys: object, heading: str) -> None:
        self.metric_requested.emit(metric)
        self.responses_requested.emit(keys, heading)


def _dots(block: MetricBlock) -> DotRow | None:
    found = block.trust.reached
    if found is None or (found.people is None and found.judge is None):
        return None
    ends = found.intervals
    judge, people = (
        Dot(value, *((one.low, one.high) if one is not None else (None, None)))
        for value, one in (
            (found.judge, ends.get("judge")),
            (found.people, ends.get("people")),
        )
    )
    level = level_percent(block.trust.trust.level)
    sign = FIGURES[found.name].title
    words = f"{block.title}: {sign}, {counted(found.n, 'response')}, intervals at {level}"
    return DotRow(block.name, block.title, judge, people, words)
