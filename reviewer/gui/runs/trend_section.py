"""The trend per run: each run against the one before, what became worse, unstable cases."""

from dataclasses import replace
from typing import Final

from typing_extensions import override

from reviewer.domain.errors import Progress
from reviewer.domain.wording import fixed, gap_words, score_words
from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.number_field import NumberField, choice, offer
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import ProjectSurroundings
from reviewer.gui.plots.runs import RunDot, RunsChart
from reviewer.gui.runs.section import RunsSection
from reviewer.gui.runs.words import hidden, many, percent
from reviewer.gui.sections import Reading
from reviewer.services.comparing.comparison_words import TESTS
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.monitoring import regressions, trending
from reviewer.services.monitoring.regressions import Regression
from reviewer.services.monitoring.run_columns import OVERALL, UnstableCase
from reviewer.services.monitoring.trending import RunPoint, Trend, Wish
from reviewer.services.monitoring.trending import Step as RunStep
from reviewer.services.monitoring.trending import Step as ScoreStep
from reviewer.services.project.session import Session
from reviewer.stats.clustering import NO_QUANTITY, Quantity
from reviewer.stats.regression import LIMIT, Change

ROWS, CASES, WORSE, UNLIKE = 8, 10, 7, 4
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
    Column("before → after", 136, number=True),
    Column("change", 186, number=True, tip="With its interval."),
    Column("run", 100, drop=1),
)
_CASE_COLUMNS = (
    Column("case"),
    Column("spread", 58, number=True, tip="Standard deviation of its score over runs."),
    Column("from to", 98, number=True),
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
        self.unstable = pieces.Card("Least stable cases")
        self.stability = pieces.text("", "muted", wrap=True)
        self.cases = GridView(self.theme, _CASE_COLUMNS, "Least stable cases", most=CASES)
        layouts.fill(self.unstable.body, self.stability, self.cases)
        layouts.fill(self.body, self.worse, self.card, self.unstable)
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
        if self.chart is None:
            self.chart = RunsChart(self.theme)
            pieces.connect(
                (self.chart.spot_chosen, self._open_run),
                (self.chart.noted, self.noted),
            )
            self.card.body.insertWidget(self.card.body.indexOf(self.caption), self.chart)
        title = title_of(figure, found)
        self.chart.show_runs(title, dots(found, figure))
        self.chart.setVisible(any(x.value is not None for x in dots(found, figure)))
        self.card.title.setText(f"{title} by run")
        score = self._score()
        self.table.show_rows(
            [(run.name, cells(run, score, found)) for run in reversed(found.runs)]
        )
        self.caption.setText(_caption(found, title_of(score, found)))

    def _show_worse(self, found: Trend) -> None:
        worse = regressions.of_trend(found)
        self.regressions.show_rows([((x.run, x.figure), worse_cells(x, found)) for x in worse])
        self.regressions.setVisible(bool(worse))
        self.nothing.setVisible(not worse)
        self.nothing.setText(_nothing(found))
        pieces.say(self.unlike, _unlike(found))

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
    if found.left_out:
        parts.append(f"{found.left_out:,} older runs are left out.")
    if found.no_verdict:
        parts.append(f"No pass rate: {found.no_verdict}.")
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


PASSING, P95, COST = "pass", "p95", "cost"
"""What can be drawn beside scores."""
DASH: Final = "—"
MOST_LETTERS = 12
_SIGNS: Final = {"p": "✓", "f": "✕", "-": "–"}
_WORD_SIGNS: Final = {"better": "▲", "worse": "▼"}
_ROLES: Final = {"better": "adjusted", "worse": "alert"}


def title_of(figure: str, found: Trend) -> str:
    """Name a figure."""
    names = {PASSING: "Pass rate", P95: "p95 latency, ms", COST: "Average cost, $"}
    metric = found.rubric.by_name.get(figure)
    if metric is not None:
        return metric.title or figure
    return names.get(figure, "Overall")


def shown(run: RunPoint, figure: str) -> Quantity:
    """Give a figure of a run."""
    named = {PASSING: run.passing, P95: run.p95, COST: run.cost}
    return named.get(figure) or run.averages.get(figure, NO_QUANTITY)


def written(value: float | None, figure: str) -> str:
    """Write a figure's value."""
    if value is None:
        return DASH
    if figure == PASSING:
        return percent(value)
    if figure == P95:
        return f"{fixed(value, 0)} ms"
    return f"${fixed(value, 4)}" if figure == COST else fixed(value)


def dots(found: Trend, figure: str) -> list[RunDot]:
    """Give a figure of all runs for the chart, shares in percent."""
    made = []
    for run in found.runs:
        one = shown(run, figure)
        factor = 100.0 if figure == PASSING else 1.0
        ends = "" if one.low is None else (
            f"\n95 % {written(one.low, figure)} to {written(one.high, figure)}"
        )  # fmt: skip
        made.append(
            RunDot(
                run.name,
                _times(one.value, factor),
                _times(one.low, factor),
                _times(one.high, factor),
                f"{run.name}\n{title_of(figure, found)} {written(one.value, figure)}"
                f"{ends}\nn = {one.n:,}",
            )
        )
    return made


def cells(run: RunPoint, score: str, found: Trend) -> tuple[Cell, ...]:
    """Write a run's row: name, pass rate, score, p95 and cost, each with its step."""
    when = [run.when] if run.when else []
    shared = [] if run.against is None else [f"{run.shared:,} shared"]
    below = " · ".join((*when, f"n {run.n:,}", *shared))
    against = "" if run.against is None else f"\nAgainst {run.against}."
    return (
        Cell(one_line(run.name, 80), tip=f"{run.name}{against}", below=below),
        _step_cell(run, PASSING, run.passing_step, found),
        _step_cell(run, score, run.steps.get(score), found),
        _change_cell(run, P95, run.p95_step, found),
        _change_cell(run, COST, run.cost_step, found),
    )


def worse_cells(one: Regression, found: Trend) -> tuple[Cell, ...]:
    """Write a figure that became worse: its name, from what to what, by how much, in which run."""
    name = {
        regressions.PASSING: "Pass rate",
        regressions.P95: "p95 latency",
        regressions.COST: "Average cost",
    }.get(one.figure) or title_of(one.figure, found)
    return (
        Cell(f"▼ {name}", "alert", tip=one.sentence),
        Cell(one.went, tip=one.sentence),
        Cell(one.change, tip=one.sentence),
        Cell(one_line(one.run, 80), "muted", tip=f"{one.run}\nAgainst {one.against}."),
    )


def case_cells(case: UnstableCase) -> tuple[Cell, ...]:
    """Write a case's row: name, spread, from lowest to highest, its verdicts."""
    letters = "".join(_SIGNS[x] for x in case.verdicts[-MOST_LETTERS:])
    more = "…" if len(case.verdicts) > MOST_LETTERS else ""
    role = "alert" if case.changes else "muted"
    tip = "Its verdict by run, oldest first: ✓ passed, ✕ failed, – neither."
    return (
        Cell(one_line(case.case, 80), tip=case.case),
        Cell(fixed(case.spread), tip=f"Standard deviation over {case.runs} runs."),
        Cell(f"{score_words(case.low)} to {score_words(case.high)}"),
        Cell(more + letters, role, tip=tip),
    )


def _step_cell(run: RunPoint, figure: str, step: RunStep | None, found: Trend) -> Cell:
    value = shown(run, figure)
    words = written(value.value, figure)
    if value.value is None:
        reason = found.no_verdict if figure == PASSING else ""
        return Cell(DASH, "muted", tip=reason or "No evaluation of the run has it.")
    if step is None:
        return Cell(words, tip=f"n = {value.n:,}")
    tip = regressions.step_sentence(
        run, regressions.PASSING if figure == PASSING else figure, step
    )
    if step.difference is None:
        return Cell(words, tip=tip, below="no shared case")
    factor, digits = (100.0, 1) if figure == PASSING else (1.0, 2)
    told = gap_words(factor * step.difference, digits)
    ends = ""
    if step.low is not None and step.high is not None:
        low, high = (_short(factor * x, digits) for x in (step.low, step.high))
        ends = f" [{low}, {high}]"
    if step.unlike:
        # what it is goes first: the difference may be the judge's
        return Cell(words, tip=tip, below=f"{step.unlike.partition(':')[0]} {told}")
    if step.word:
        words = f"{_WORD_SIGNS[step.word]} {words}"
        below = f"{step.word} {told}{ends}"
    else:
        below = f"{told}{ends}"
    return Cell(words, _ROLES.get(step.word, ""), tip=tip, below=below)


def _change_cell(run: RunPoint, figure: str, change: Change | None, found: Trend) -> Cell:
    value = shown(run, figure)
    words = written(value.value, figure)
    if value.value is None:
        return Cell(DASH, "muted", tip="No response of the run carries it.")
    if change is None or change.difference is None:
        return Cell(words, tip=f"n = {value.n:,}")
    tip = regressions.change_sentence(
        run, regressions.P95 if figure == P95 else regressions.COST, change
    )
    share = change.share
    below = "" if share is None else f"{gap_words(100 * share, 0)} %"
    if regressions.is_regression(change, found.limit):
        return Cell(f"▼ {words}", "alert", tip=tip, below=f"worse {below}")
    return Cell(words, tip=tip, below=below)


def _short(value: float, digits: int) -> str:
    """Write an end of an interval in little room: without plus, and without a zero before."""
    text = fixed(abs(value), digits).removeprefix("0") or "0"
    return ("−" if round(value, digits) < 0 else "") + (text if text.strip(".0") else "0")


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
