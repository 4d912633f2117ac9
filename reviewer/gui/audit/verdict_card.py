"""The verdict on the judge for one metric: a figure, a sentence, and what qualifies them."""

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from reviewer.domain.wording import DASH
from reviewer.gui.audit import words
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.services.figures import trust_words
from reviewer.services.figures.statistics_blocks import MetricBlock, Staleness
from reviewer.stats.catalogue import FIGURES


class VerdictCard(pieces.Card):
    """A coefficient with its name and interval, the sentence on bias, the corrected mean."""

    def __init__(self, theme: Theme) -> None:
        """Make an empty card."""
        super().__init__("Verdict")
        self.theme = theme
        self._block: MetricBlock | None = None
        self._judge = self._record = ""
        self._stale: tuple[Staleness, ...] = ()
        self.figure = pieces.text("", "figure")
        self.interval = pieces.text("", "small", wrap=True)
        self.counts = pieces.text("", "small", wrap=True)
        self.undecided = pieces.text("", "small", wrap=True, name="Without decisions")
        self.judge = pieces.text("", "small", wrap=True, name="Judge")
        self.made = pieces.text("", "tiny", wrap=True, name="How the judge scores")
        self.sentence = pieces.text("", wrap=True)
        self.sentence.setTextFormat(Qt.TextFormat.RichText)
        self.corrected = pieces.text("", "small", wrap=True)
        self.notes = pieces.text("", "small", wrap=True)
        layouts.fill(
            self.body,
            self.figure,
            self.interval,
            self.counts,
            self.undecided,
            self.judge,
            self.made,
            self.sentence,
            self.corrected,
            self.notes,
        )
        for label, name in (
            (self.figure, "Agreement"),
            (self.sentence, "Verdict"),
            (self.corrected, "Corrected mean"),
        ):
            label.setAccessibleName(name)
        theme.changed.connect(self._show)

    def show_metric(
        self,
        block: MetricBlock | None,
        stale: tuple[Staleness, ...],
        judge: str = "",
        record: str = "",
    ) -> None:
        """Show a metric's verdict; without figures nothing.

        `judge` says who judged it and how, `record` whose scores count and on how many.
        """
        self._block = block
        self._judge, self._record = judge, record
        self._stale = stale
        self._show()

    def _show(self) -> None:
        block = self._block
        self.setVisible(block is not None)
        if block is None:
            return
        name = block.coefficient
        cell = words.kappa(block.judge_human, name)
        title = FIGURES[name].title
        pieces.write(self.figure, cell.words, tip=cell.tip, name=f"{title} {cell.words}")
        interval = block.judge_human.intervals.get(name)
        spoken = "" if interval is None else f"95 % {words.ends(interval.low, interval.high)}"
        state = trust_words.WORDS[block.trust.trust.state] if spoken else ""
        asked = block.is_labelled or block.judge_human.n > 0
        word = (words.missing(block.judge_human) if asked else "") or state
        missing = cell.tip if cell.words == DASH else ""
        told = [x for x in (spoken, word) if x] or [missing]
        self._put(self.interval, " · ".join(x for x in (title, *told) if x))
        self._put(self.counts, words.shares(block.judge_human))
        self._put(self.undecided, trust_words.without_decisions(block))
        name = block.scorer or ""
        judge = one_line(self._record or self._judge or name, 400)
        self._put(self.judge, f"Judge: {judge}" if judge else "No auto scores")
        self._put(self.made, one_line(self._judge.removeprefix(name).removeprefix(" · "), 200))
        self._put(self.corrected, words.correction_sentence(block.corrected))
        self.corrected.setAccessibleName(self.corrected.text() or "No corrected mean")
        said = block.leaning
        before, amount, after = said.before, said.figure, said.after
        tone = self.theme.colours.human
        strong = f'<b style="color:{tone}">{escape(amount)}</b>' if amount else ""
        end = "" if before.endswith(".") or after.endswith(".") else "."
        pieces.write(
            self.sentence,
            f"{escape(before)} {strong}{end} {escape(after)}".replace(" .", ".").strip(),
            name=" ".join(x for x in (before, amount, after) if x),
        )
        mine = [x.text for x in self._stale if x.what == f"metrics.{block.name}"]
        if block.judge_human.note:
            mine.insert(0, block.judge_human.note)
        self._put(self.notes, "\n".join(f"⚠ {text}" for text in mine))

    @staticmethod
    def _put(label: QLabel, text: str) -> None:
        pieces.say(label, text)
