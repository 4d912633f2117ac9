"""What the judge said beside its scores: claims under the reasoning, warnings, the tab Judge."""

from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from reviewer.domain.wording import listed, score_words
from reviewer.gui.kit.pieces import say
from reviewer.gui.kit.tasks import soon, telling
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.review.case_view import CaseView
from reviewer.gui.review.metric_card import MetricCard
from reviewer.gui.review.scores_view import ScoresView
from reviewer.services.project.reading import EvaluationView
from reviewer.services.project.session import Session

INJECTION = "The response seems to give the judge instructions"


class _Claims(Protocol):
    """What is asked of the table of claims, whose module is loaded when a score has some."""

    place_chosen: Any
    corrected: Any

    def show_claims(self, found: Any) -> None: ...  # noqa: ANN401 - a type that comes later


class JudgeSide(QObject):
    """Shows claims, warnings and details of the evaluation in view; nothing before the reveal.

    Signals:
        failed: A correction was refused, in a sentence.
        saved: A correction is on disk.
    """

    failed = Signal(str)
    saved = Signal()

    def __init__(self, theme: Theme, scores: ScoresView, case: CaseView) -> None:
        """Make the side without a project; it lives as long as the cards."""
        super().__init__(scores)
        self._theme = theme
        self._scores = scores
        self._case = case
        self._session: Session | None = None
        self._view: EvaluationView | None = None
        self._tables: dict[MetricCard, _Claims] = {}
        self._soon = soon(self, self._show)
        scores.focus_changed.connect(lambda _: self._soon.start())
        case.details_requested.connect(self._fill)

    def look_at(self, session: Session | None, view: EvaluationView) -> None:
        """Take the evaluation in view as the labeler may see it."""
        self._session, self._view = session, view
        self._soon.start()

    def forget(self) -> None:
        """Let go of the project."""
        self._soon.stop()
        self._session = self._view = None

    def correct(self, metric: str, number: int, verdict: Any) -> None:  # noqa: ANN401 - as above
        """Give a claim another verdict; the decision that follows is told by the session."""
        session, view = self._session, self._view
        if session is None or view is None:
            return
        from reviewer.services.adjudicating import claims

        with telling(self.failed.emit):
            claims.correct(session, view, metric, number, verdict)
            self.saved.emit()

    def _show(self) -> None:
        view = self._view
        if view is None:
            return
        self._case.show_warnings(_warnings(view))
        said, reasons = _computed(view)
        say(self._scores.computed, said)
        self._scores.computed.setToolTip(reasons)
        for name, card in self._scores.cards.items():
            found = self._claims(view, name) if name == self._scores.focus else None
            table = None if found is None else self._table(card.subject.heading, name)
            if table is not None:
                table.show_claims(found)
            card.hold(table if isinstance(table, QWidget) else None)

    def _claims(self, view: EvaluationView, metric: str) -> Any:  # noqa: ANN401 - as above
        session, score = self._session, view.auto.get(metric)
        if session is None or view.hidden or score is None or not score.meta.get("claims"):
            return None
        from reviewer.services.adjudicating import claims

        return claims.found(session, view, metric)

    def _table(self, title: str, metric: str) -> _Claims:
        card = self._scores.cards[metric]
        made = self._tables.get(card)
        if made is None:
            from reviewer.gui.review.claims_view import ClaimsView

            made = ClaimsView(self._theme, title)
            made.place_chosen.connect(self._point)
            made.corrected.connect(lambda n, verdict: self.correct(metric, n, verdict))
            # cards of another rubric are gone, and their tables with them
            there = self._scores.cards.values()
            self._tables = {x: y for x, y in self._tables.items() if x in there} | {card: made}
        return made

    def _point(self, start: int, end: int) -> None:
        self._case.point_at(start, end)

    def _fill(self) -> None:
        """Fill the tab Judge of the evaluation in view."""
        session, view = self._session, self._view
        if session is None or view is None:
            return
        from reviewer.services.figures import judge_details

        self._case.show_judge(judge_details.details(session, view), hidden=view.hidden)


def _computed(view: EvaluationView) -> tuple[str, str]:
    """Say what code computed that nobody labels, and why; before the reveal only what there is."""
    metrics = [x for x in view.rubric.metrics if not (x.labelled or x.derived)]
    if not metrics or not view.judged:
        return "", ""
    if view.hidden:
        names = listed([x.heading for x in metrics])
        verbs = "is computed, and shows" if len(metrics) == 1 else "are computed, and show"
        return f"{names} {verbs} once this response is answered.", ""
    told, reasons = [], []
    for metric in metrics:
        score = view.auto.get(metric.name)
        value = None if score is None else score.value
        unit = f" {metric.unit}" if metric.unit and value is not None else ""
        told.append(f"{metric.heading} {score_words(value)}{unit}")
        if score is not None and score.reasoning:
            reasons.append(f"{metric.heading}: {one_line(score.reasoning, 200)}")
    return " · ".join(told), "\n".join(reasons)


def _warnings(view: EvaluationView) -> tuple[str, ...]:
    """Say what is odd about the response; what only a judge's job found waits for the reveal."""
    said = []
    if view.left_out:
        said.append(f"Judges leave this conversation out. {view.left_out}")
    flagged = [x for score in view.all_scores if (x := score.meta.get("injection"))]
    if flagged and not view.hidden:
        quotes = flagged[0] if isinstance(flagged[0], list) else []
        shown = " · ".join(f"“{one_line(str(x), 80)}”" for x in quotes[:3])
        said.append(f"⚠ {INJECTION}: {shown}" if shown else f"⚠ {INJECTION}.")
    return tuple(said)
