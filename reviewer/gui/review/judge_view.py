"""How the judge came to each score: settings, reply, thoughts and prompt; after the reveal."""

from collections.abc import Sequence

from PySide6.QtWidgets import QGridLayout, QWidget

from reviewer.gui.kit.pieces import Card, text
from reviewer.gui.kit.text import one_line, visible
from reviewer.gui.review.details import DetailView
from reviewer.gui.review.turns import Fold
from reviewer.services.figures.judge_details import JudgeDetails

HIDDEN = "How the judge came to its scores shows after the reveal."
NOTHING = "No score of this evaluation says how it came about."


class JudgeView(DetailView):
    """One card a metric."""

    def show_details(self, found: Sequence[JudgeDetails], *, hidden: bool) -> None:
        """Show how scores came about; a hidden evaluation tells nothing."""
        if not self.begin((tuple(found), hidden)):
            return
        told = [x for x in found if x.by or x.problem]
        if hidden or not told:
            self.add_empty(HIDDEN if hidden else NOTHING)
            return
        for one in told:
            self.add(self._card(one))

    def _card(self, one: JudgeDetails) -> Card:
        by = f" · {one.by}" if one.by else ""
        score = f": {one.score}" if one.score else ""
        card = Card(f"{one.metric.heading}{score}{by}")
        if one.problem:
            card.body.addWidget(text(f"No score: {visible(one.problem).text}", "alert", wrap=True))
        if one.reasoning:
            card.body.addWidget(text(f"“{visible(one.reasoning).text}”", "muted", wrap=True))
        for example in one.examples:
            card.body.addWidget(text(f"Example: {visible(example).text}", "small", wrap=True))
        if one.facts:
            card.body.addWidget(self._facts(one))
        for name, body in (
            ("reply as received", one.raw),
            ("reasoning trace", one.trace),
            (f"prompt {one.prompt_name}", one.prompt),
        ):
            if body:
                line = f"{name}: {one_line(body, 120)}"
                card.body.addWidget(Fold(self.theme, line, body, name=name))
        return card

    def _facts(self, one: JudgeDetails) -> QWidget:
        holder = QWidget()
        grid = QGridLayout(holder)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(self.theme.px(16))
        grid.setVerticalSpacing(self.theme.px(3))
        grid.setColumnStretch(1, 1)
        for row, (name, words) in enumerate(one.facts):
            grid.addWidget(text(name, "muted"), row, 0)
            said = text(visible(words).text, wrap=True)
            said.setAccessibleName(f"{one.metric.heading}, {name}: {words}")
            grid.addWidget(said, row, 1)
        return holder
