"""The trend per run: each run against the one before, what became worse, unstable cases."""

from dataclasses import replace

from typing_extensions import override

from reviewer.domain.errors import Progress
from reviewer.domain.wording import fixed, score_words
from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Column, GridView
from reviewer.gui.kit.number_field import NumberField, choice, offer
from reviewer.gui.kit.text import without_shared
from reviewer.gui.page import ProjectSurroundings
from reviewer.gui.plots.level_shares import LevelShares
from reviewer.gui.plots.runs import RunsChart
from reviewer.gui.runs.section import RunsSection
from reviewer.gui.runs.trend_rows import (
    COST,
    P95,
    PASSING,
    case_cells,
    cells,
    marks,
    panels,
    series,
    title_of,
    worse_cells,
)
from reviewer.gui.runs.words import hidden, many
from reviewer.gui.sections import Reading
from reviewer.services.comparing.comparison_words import TESTS
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.monitoring import distributions, regressions, trending
from reviewer.services.monitoring.run_columns import OVERALL
from reviewer.services.monitoring.trending import RunPoint, Trend, Wish
from reviewer.services.monitoring.trending import Step as ScoreStep
from reviewer.services.project.session import Session
from reviewer.stats.regression import LIMIT

ROWS, CASES, WORSE, UNLIKE, SPREAD = 8, 10, 7, 4, 12
_PASS_COLUMN, _SCORE_COLUMN, _P95_COLUMN, _COST_COLUMN = 1, 2, 3, 4
_RUN_COLUMNS = (
    Column("run"),
    Column("pass", 152, number=True, tip="Of the judge, and the step on the shared cases."),
    Column("score", 150, number=True, tip="The mean of the chosen score."),
    Column("p95", 94, number=True, tip="Latency that 95 % of the responses stay below."),
    Column("cost", 90, number=True, tip="Dollars a response on average.", drop=1),
)
_WORSE_COLUMNS = (
    Column("figure"),
    Column(
        "before → after", 136, number=True, tip="The figure of the run before, and of this one."
    ),
    Column("change", 186, number=True, tip="With its interval."),
    Column("run", 100, drop=1),
)
_CASE_COLUMNS = (
    Column("case"),
    Column("spread", 58, number=True, tip="Standard deviation of its score over runs."),
    Column("from to", 98, number=True, tip="The lowest and the highest score over runs."),
    Column("verdicts", 110),
)


class TrendSection(RunsSection[Trend]):
    """The runs of run A's rubric as chart and table."""

    title = "Trend"

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make the section; the chart comes with the first figures."""
        super().__init__(surroundings)
        self._found: Trend | None = None
        self.chart: RunsChart | None = None
        self.card = pieces.Card("Trend")
        self.figure = choice("Figure")
        self.card.head.addWidget(self.figure)
        self.caption = pieces.text("", "tiny", wrap=True)
        self.table = GridView(self.theme, _RUN_COLUMNS, "Runs, the newest first", most=ROWS)
        layouts.fill(self.card.body, self.caption, self.table)
        self.worse = pieces.Card("What became worse")
        self.nothing = pieces.text("", "muted", wrap=True)
        self.regressions = GridView(self.theme, _WORSE_COLUMNS, "What became worse", most=WORSE)
        self.unlike = pieces.text("", "muted", wrap=True, name="What cannot be compared")
        self.limit = NumberField("Share by which latency or cost may go up, in percent")
        self.limit.setRange(0, 1000)
        self.limit.setSuffix(" %")
        self.limit.setValue(100 * LIMIT)
        self.choices = (self.figure, self.limit)
        layouts.fill(
            self.worse.body,
            self.nothing,
            self.regressions,
            self.unlike,
            layouts.row(pieces.text("Latency and cost may go up by", "muted"), self.limit, 1),
        )
        self.spread = pieces.Card("Scores by run")
        self.spread_note = pieces.text("", "tiny", wrap=True)
        self.spread.body.addWidget(self.spread_note)
        self.levels: LevelShares | None = None
        self.unstable = pieces.Card("Least stable cases")
        self.stability = pieces.text("", "muted", wrap=True)
        self.cases = GridView(self.theme, _CASE_COLUMNS, "Least stable cases", most=CASES)
        layouts.fill(self.unstable.body, self.stability, self.cases)
        layouts.fill(self.body, self.worse, self.card, self.spread, self.unstable)
        pieces.connect(
            (self.figure.currentIndexChanged, lambda _: self._choose()),
            (self.limit.valueChanged, lambda _: self._choose_limit()),
            (self.table.row_opened, self._open_run),
            (self.cases.row_opened, self._open_case),
        )
        self.figures.serve_grid(self.table, self._figure_of)
        self.figures.serve_grid(self.regressions, self._regression)
        self.regressions.row_opened.connect(lambda key: self._open_run(key[0]))

    @override
    def reading(self, run: str) -> Reading[Trend] | None:
        """Work out the trend of a run's rubric."""
        limit, measure = self.limit.value() / 100, self._score()

        def read(own: Session, progress: Progress) -> Trend:
            rubric = own.rubric_of_run(
                dict(zip(own.run_names(), own.run_keys(), strict=True))[run]
            ).name
            return trending.trend(own, Wish(rubric=rubric, limit=limit, measure=measure), progress)

        return read

    @override
    def show_found(self, found: Trend) -> None:
        """Show the runs."""
        if self._found is None or self._found.rubric != found.rubric:
            metrics = dict.fromkeys(name for run in found.runs for name in run.averages)
            names = [PASSING, *metrics, P95, COST]
            offer(self.figure, "", [(x, title_of(x, found)) for x in names])
        self._found = found
        self._draw()
        self._show_worse(found)
        self._show_spread(found)
        self._show_cases(found)

    def _score(self) -> str:
        """Give the chosen score, the overall where a figure is chosen that is none."""
        chosen = self.figure.currentData()
        return OVERALL if chosen in (None, PASSING, P95, COST) else str(chosen)

    def _choose(self) -> None:
        found = self._found
        if found is None:
            return
        self._draw()
        if found.stability.measure != self._score():
            self.recompute()

    def _choose_limit(self) -> None:
        # nothing is read anew: the limit decides words only
        if self._found is not None:
            self._found = replace(self._found, limit=self.limit.value() / 100)
            self._draw()
            self._show_worse(self._found)

    def _draw(self) -> None:
        found = self._found
        if found is None:
            return
        figure = str(self.figure.currentData() or PASSING)
        drawn = series(found, figure)
        there = any(dot.value is not None for one in drawn for dot in one.dots)
        if self.chart is None and there:
            self.chart = RunsChart(self.theme)
            pieces.connect(
                (self.chart.spot_chosen, self._open_run),
                (self.chart.noted, self.noted),
            )
            self.card.body.insertWidget(self.card.body.indexOf(self.caption), self.chart)
        title = title_of(figure, found)
        short = without_shared([run.name for run in found.runs])
        if self.chart is not None:
            self.chart.show_runs(drawn, marks(found), list(short.values()))
            pieces.show(self.chart, shown=there)
        self.card.title.setText(f"{title} by run")
        score = self._score()
        self.table.show_rows(
            [(x.name, cells(x, score, found, short[x.name])) for x in reversed(found.runs)]
        )
        self.caption.setText(_caption(found, title_of(score, found)))

    def _show_worse(self, found: Trend) -> None:
        worse = regressions.of_trend(found)
        self.regressions.show_rows([((x.run, x.figure), worse_cells(x, found)) for x in worse])
        self.regressions.setVisible(bool(worse))
        self.nothing.setVisible(not worse)
        self.nothing.setText(_nothing(found))
        pieces.say(self.unlike, _unlike(found))

    def _show_spread(self, found: Trend) -> None:
        drawn = panels(found, SPREAD)
        pieces.show(self.spread, shown=bool(drawn))
        if drawn and self.levels is None:
            self.levels = LevelShares(self.theme)
            pieces.connect(
                (self.levels.spot_chosen, self._open_level),
                (self.levels.noted, self.noted),
            )
            self.spread.body.insertWidget(1, self.levels)
        if self.levels is not None:
            self.levels.show_panels(drawn)
        older = len(found.runs) - SPREAD
        left_out = f" The newest {SPREAD:,} runs; {older:,} are older." if older > 0 else ""
        self.spread_note.setText(
            "Shares of the auto scores in percent, each run from its lowest level (left, faint) "
            f"to its highest. A click opens the responses of a level.{left_out}"
        )

    def _open_level(self, key: object) -> None:
        found = self._found
        if found is None or not isinstance(key, tuple):
            return
        name, run, place = key
        one = next(x for x in found.shares if x.metric.name == name)
        keys = distributions.evaluations_at(self.session, run, one.metric, one.levels[place])
        if keys:
            heading = f"{one.metric.heading} {score_words(one.levels[place])} in {run}"
            self.responses_requested.emit(keys, heading)
        else:
            self.noted.emit("None of them may be seen before you have answered it.")

    def _show_cases(self, found: Trend) -> None:
        stable = found.stability
        self.unstable.setVisible(stable.n > 0)
        if stable.mean_spread is None:
            return
        title = title_of(stable.measure, found)
        changing = f"{stable.changing:,} passed in one run and failed in another"
        left_out = f" {hidden(stable.hidden)} in every run." if stable.hidden else ""
        self.stability.setText(
            f"{title}: mean spread {fixed(stable.mean_spread)} over {many(stable.n, 'case')} in "
            f"two runs or more; {changing}.{left_out}"
        )
        self.cases.show_rows([(case.case, case_cells(case)) for case in stable.cases])
        self.cases.setVisible(bool(stable.cases))

    def _run_named(self, name: object) -> RunPoint | None:
        runs = () if self._found is None else self._found.runs
        return next((run for run in runs if run.name == name), None)

    def _open_run(self, name: object) -> None:
        run = self._run_named(name)
        if run is not None:
            self.responses_requested.emit(
                trending.evaluations_of(self.session, run.name), run.name
            )

    def _open_case(self, name: object) -> None:
        cases = () if self._found is None else self._found.stability.cases
        found = next((case for case in cases if case.case == name), None)
        if found is not None:
            self.responses_requested.emit(list(found.keys), f"{found.case} over runs")

    def _regression(self, key: object, _: int) -> Figure | None:
        found = self._found
        worse = () if found is None else regressions.of_trend(found)
        one = next((x for x in worse if (x.run, x.figure) == key), None)
        if one is None:
            return None
        return Figure(
            title=f"{one.figure} of {one.run}",
            sentence=one.sentence,
            keys=lambda: trending.evaluations_of(self.session, one.run),
            heading=one.run,
        )

    def _figure_of(self, key: object, column: int) -> Figure | None:
        run = self._run_named(key)
        if run is None or self._found is None:
            return None
        told = _told(run, column, self._score())
        if told is None:
            return None
        title, sentence, steps = told
        return Figure(
            title=f"{title} of {run.name}",
            sentence=sentence,
            steps=(lambda: steps) if steps else None,
            keys=lambda: trending.evaluations_of(self.session, run.name),
            heading=run.name,
        )


def _unlike(found: Trend) -> str:
    """Say what raises no alarm as it cannot be compared, of the newest runs."""
    said = regressions.unlike_of_trend(found)
    more = f"{len(said) - UNLIKE:,} more in older runs." if len(said) > UNLIKE else ""
    return "\n".join((*said[:UNLIKE], *([more] if more else [])))


def _nothing(found: Trend) -> str:
    if len(found.runs) < 2:
        return "There is one run; the next is compared with it."
    if not any(run.shared for run in found.runs):
        return "No run shares a case with the one before: scores cannot be compared."
    if regressions.unlike_of_trend(found):
        return "Nothing beyond chance, of what can be compared."
    return "Nothing, beyond chance."


def _caption(found: Trend, score: str) -> str:
    parts = [
        f"Each run against the one before on the same cases; score: {score}. “Better” and “worse” "
        "only where the interval excludes 0: 95 % over the figures of a run, so that of runs "
        "without any change one in twenty shows one. Not corrected over the runs."
    ]
    if len(found.runs) > trending.STEPS:
        parts.append(f"Steps of the newest {trending.STEPS:,} runs.")
    if found.left_out:
        parts.append(f"{found.left_out:,} older runs are left out.")
    if found.no_verdict:
        parts.append(f"No pass rate: {found.no_verdict}.")
    elif not any(run.people.n for run in found.runs):
        parts.append("Without labels the pass rate is the judge's alone.")
    return " ".join(parts)


def _told(run: RunPoint, column: int, score: str) -> tuple[str, str, tuple[Step, ...]] | None:
    if column in (_PASS_COLUMN, _SCORE_COLUMN):
        name = regressions.PASSING if column == _PASS_COLUMN else score
        step = run.passing_step if column == _PASS_COLUMN else run.steps.get(score)
        if step is None:
            return None
        explained = Step(
            "Difference", f"After minus before on the shared cases. {_how(run, step)}"
        )
        return name, regressions.step_sentence(run, name, step), (explained,)
    change = {_P95_COLUMN: run.p95_step, _COST_COLUMN: run.cost_step}.get(column)
    if change is None:
        return None
    name = regressions.P95 if column == _P95_COLUMN else regressions.COST
    how = "1,000 resamples, seed 0" if column == _P95_COLUMN else "t"
    if change.conversations is not None:
        how = f"{how}, of whole conversations"
    same = "the shared cases" if change.paired else "all cases of each run"
    explained = Step(
        "Difference",
        f"After minus before on {same}; interval: {how}; {run.performance.words}.",
    )
    return name, regressions.change_sentence(run, name, change), (explained,)


def _how(run: RunPoint, step: ScoreStep) -> str:
    """Say which test a step's interval inverts, and at what level."""
    if step.tested is None:
        return ""
    return f"Interval: {TESTS.get(step.tested.test, '')}, inverted; {run.scores.words}."
