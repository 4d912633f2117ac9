"""Live figures: every label moves a few counts, whatever the project's size."""

from collections import Counter
from datetime import date

from msgspec import structs

from reviewer.domain.change import (
    Change,
    EvaluationsChanged,
    FiguresChanged,
    LabelChanged,
    MarkChanged,
    RubricChanged,
    ScoresChanged,
)
from reviewer.services.figures.bands import BandOrScore
from reviewer.services.figures.human_scores import Choice
from reviewer.services.figures.listed_scores import LIVE
from reviewer.services.figures.selection import chance_of
from reviewer.services.project import project_days
from reviewer.services.project.session import Session
from reviewer.services.project.sight import hidden_now
from reviewer.services.tallying import live_views
from reviewer.services.tallying.live_cases import Case, Reader, Rules
from reviewer.services.tallying.live_figures import EvaluationFigures, MetricFigures
from reviewer.services.tallying.live_loading import Tallies
from reviewer.stats.agreement import coefficient_interval
from reviewer.stats.deviations import window
from reviewer.stats.figures import Pair
from reviewer.stats.intervals import Interval
from reviewer.stats.satisfaction import overall
from reviewer.store import figures, watching

OVERALL = "overall"
CAUGHT_UP = 2_000
"""More evaluations than this, touched while figures were gathered, mean gathering them anew."""


class LiveFigures:
    """The figures of a scope, kept up to date while people label.

    It listens to the session from the moment it is made, before the pages, so that they read
    true figures when they hear of a change. Changes between `load_tallies` and now are caught up
    at once. `close` it before another one takes its place.
    """

    def __init__(self, session: Session, tallies: Tallies) -> None:
        """Take over loaded tallies and follow the session from here on."""
        self._session = session
        self._tallies = tallies
        self._read_to = (0, 0)
        self._rules = Rules.of(tallies.rubric, tallies.choices.options)
        self._reader = Reader(
            session.project,
            tallies.scope,
            self._rules,
            metrics=tallies.metric_names,
            people=figures.labeler_keys(session.project, tallies.scope.labelers),
            hidden=tallies.hidden,
        )
        self._stale = False
        self._shown: dict[str, MetricFigures] = {}
        self._intervals: dict[str, Interval | None] = {}
        self._case: tuple[int, Case] | None = None
        self._leave = session.subscribe(self._on_change, first=True)
        session.kept[LIVE] = self
        self._catch_up()
        if tallies.judges and self.ready:
            keys = dict(zip(session.run_names(), session.run_keys(), strict=True))
            # the run's import may have been taken back while its figures were read
            if (run := keys.get(tallies.scope.runs[0])) is not None:
                session.learn_chosen(run, tallies.judges)

    @property
    def ready(self) -> bool:
        """Tell whether figures are true; False once everything must be loaded anew."""
        session, tallies = self._session, self._tallies
        return tallies.hidden.same_as(hidden_now(session)) and not self._stale

    def close(self) -> None:
        """Follow the session no longer."""
        self._stale = True
        self._leave()
        if self._session.kept.get(LIVE) is self:
            del self._session.kept[LIVE]

    def metric(self, name: str, *, interval: bool = True) -> MetricFigures | None:
        """Give a metric's figures over the scope, None where the rubric has no such metric.

        The interval costs a few milliseconds after each change of the table, the rest a part of
        one; without `interval` it stands there only if it is known already.
        """
        metric, tally = self._rules.rubric.by_name.get(name), self._tallies.metrics.get(name)
        if metric is None or tally is None:
            return None
        if name in self._rules.wholes:
            whole = self.overall()
            return None if whole is None else structs.replace(whole, name=name)
        self._follow_the_day()
        found = self._shown.get(name)
        if found is None:
            found = live_views.metric_figures(metric, tally, live_views.made_by(self._tallies))
            self._shown[name] = found
        if interval and name not in self._intervals:
            evidence, policy = self._tallies.evidence(name), self._tallies.choices.policy
            self._intervals[name] = coefficient_interval(
                evidence, live_views.statistic(metric), policy
            )
        return live_views.with_interval(found, self._intervals.get(name))

    def overall(self) -> MetricFigures | None:
        """Give the overall's figures over the scope, None where the rubric has none."""
        if not self._rules.overall.parts:
            return None
        self._follow_the_day()
        found = self._shown.get(OVERALL)
        if found is None:
            found = live_views.overall_figures(self._rules, self._tallies)
            self._shown[OVERALL] = found
        return found

    def gap_of(self, key: int) -> tuple[bool, float | None]:
        """Tell whether an evaluation is among these figures, and give its overall gap."""
        if not self.ready or self._tallies.place(key) is None:
            return False, None
        found = self._tallies.overall.get(key)
        if found is None:
            return True, None
        weighted = self._tallies.choices.options.require_weighted_label
        return True, found.gap if found.covered > 0 or not weighted else None

    def evaluation(self, key: int) -> EvaluationFigures:
        """Give the figures of one evaluation; empty while it is hidden from the labeler."""
        place = self._tallies.place(key)
        if place is None and self._session.rubric_of(key) != self._rules.rubric:
            return EvaluationFigures()
        case = self._read(key)
        if case.hidden:
            return EvaluationFigures()
        if place is None:
            autos = self._reader.autos(
                key, {name: one.score_set for name, one in self._tallies.metrics.items()}
            )
        else:
            autos = self._tallies.autos(place)
        self._follow_the_day()
        names = self._tallies.metrics.keys() - self._rules.wholes
        bands = {name: self._band(name) for name in names}
        whole = self.overall()
        bands[OVERALL] = BandOrScore() if whole is None else whole.shown_band
        return live_views.evaluation_figures(
            self._rules, self._tallies, case, autos=autos, bands=bands, place=place
        )

    def _band(self, name: str) -> BandOrScore:
        """Give a metric's band, without all the figures that only the metric in focus shows."""
        shown = self._shown.get(name)
        if shown is not None:
            return shown.shown_band
        return live_views.band_of(self._rules.rubric.by_name[name], self._tallies)

    def _on_change(self, change: Change) -> None:
        match change:
            case LabelChanged(after=after):
                # a consensus takes all labels together: one more may move every score
                self._stale = self._stale or self._rules.consensus
                if after.turn is None:
                    self._refresh(after.evaluation, after.seq)
            case MarkChanged(mark=mark):
                if mark.kind == "reveal" and mark.labeler == self._session.labeler.name:
                    self._stale = self._stale or self._rules.consensus
                    self._refresh(mark.evaluation, mark.seq)
            case EvaluationsChanged() | ScoresChanged() | RubricChanged() | FiguresChanged():
                self._stale = True

    def _catch_up(self) -> None:
        sight = self._tallies.sight
        now = watching.look(self._session.project)
        touched = figures.touched_since(self._session.project, sight.seq, CAUGHT_UP + 1)
        moved = (now.content, now.rubrics, now.figures) != (
            sight.content,
            sight.rubrics,
            sight.figures,
        )
        if moved or len(touched) > CAUGHT_UP:
            self._stale = True
            return
        if touched and self._rules.consensus:
            self._stale = True
        for evaluation in touched:
            self._refresh(evaluation)

    def _read(self, evaluation: int) -> Case:
        if self._case is None or self._case[0] != evaluation:
            place = self._tallies.place(evaluation)
            settled = None if place is None else self._tallies.settled(place)
            case = self._reader.case(evaluation, self._session.labeler.key, settled)
            self._case = (evaluation, case)
        return self._case[1]

    def _refresh(self, evaluation: int, seq: int = 0) -> None:
        """Read one evaluation's entries again and move what they changed.

        What was read after the change of number `seq` is not read for it once more: a label and
        the reveal that comes with it are two changes of one moment.
        """
        if self._stale or (self._read_to[0] == evaluation and 0 < seq <= self._read_to[1]):
            return
        self._case = None
        self._read_to = (evaluation, figures.newest_change(self._session.project))
        case = self._read(evaluation)
        place = self._tallies.place(evaluation)
        if place is None:
            return
        self._hold(evaluation, case)
        self._draw(place, case)
        autos = self._tallies.autos(place)
        for name in self._tallies.metrics:
            auto = autos[name]
            if auto is not None and name not in self._rules.wholes:
                self._move(name, evaluation, case, auto=auto, place=place)
        if self._rules.overall.parts:
            self._move_overall(evaluation, case, autos=autos, place=place)

    def _move(self, name: str, evaluation: int, case: Case, *, auto: float, place: int) -> None:
        pairs = self._tallies.metrics[name].pairs
        given, before = case.given.get(name), pairs.get(evaluation)
        after = None
        if given is not None:
            human = case.humans.get(name)
            day = before.day if before is not None else self._tallies.day(place, name)
            if self._tallies.by_label:
                day = project_days.day_of(given.time, self._tallies.choices.zone)
            after = Pair(
                auto,
                # categories without a majority have no score: they only differ from the judge's
                auto + 1 if human is None else human.score,
                given.labels,
                day,
                chance_of(case.way, case.probability),
                chosen=case.way == Choice.CONVENIENCE,
            )
        if after != before:
            pairs.put(evaluation, after)
            self._shown.pop(name, None)
            self._intervals.pop(name, None)

    def _draw(self, place: int, case: Case) -> None:
        """Follow how an evaluation was chosen; the first that chance draws changes what counts."""
        ways, drawn = self._tallies.ways, self._tallies.drawn
        before, ways[place] = int(ways[place]), case.way
        had = drawn.n > 0
        drawn.n += (case.way > Choice.UNKNOWN) - (before > Choice.UNKNOWN)
        if had != (drawn.n > 0):
            self._shown.clear()
            self._intervals.clear()

    def _move_overall(
        self, evaluation: int, case: Case, *, autos: dict[str, float | None], place: int
    ) -> None:
        tally = self._tallies.overall
        found = overall(autos, case.scores(), self._rules.overall)
        before = tally.get(evaluation)
        chosen = case.way == Choice.CONVENIENCE
        same = found == before and chosen == tally.is_chosen(evaluation)
        if (same and not self._tallies.by_label) or (
            before is None and found.human is None and not case.humans
        ):
            return
        if before is None and found.auto is not None:
            tally.autos.remove(found.auto)
        tally.put(evaluation, found, self._day_of_overall(case, place), chosen=chosen)
        self._shown.pop(OVERALL, None)

    def _day_of_overall(self, case: Case, place: int) -> date | None:
        if not self._tallies.by_label:
            return self._tallies.day(place)
        names = [part.name for part in self._rules.overall.parts]
        return project_days.day_of(case.labelled_at(names), self._tallies.choices.zone)

    def _hold(self, evaluation: int, case: Case) -> None:
        if not case.held and evaluation not in self._tallies.held:
            return
        before = self._tallies.held.pop(evaluation, Counter())
        if case.held:
            self._tallies.held[evaluation] = Counter(case.held)
        for name in {*before, *case.held}:
            self._tallies.metrics[name].held += case.held.get(name, 0) - before[name]
            self._shown.pop(name, None)
            self._shown.pop(OVERALL, None)

    def _follow_the_day(self) -> None:
        """Move the window at midnight, in the project's time zone."""
        choices = self._tallies.choices
        if self._tallies.scope.as_of is not None:
            return
        today = project_days.today(choices.zone)
        if today == self._tallies.as_of:
            return
        self._tallies.as_of = today
        options = choices.options
        span = window(today, months=options.window_months, days=options.window_days)
        for one in self._tallies.metrics.values():
            one.pairs.move(span)
        self._tallies.overall.move(span)
        self._shown.clear()
