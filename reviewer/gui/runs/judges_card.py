"""The card below the list of runs: the judges on run A, the nearest to people first."""

from collections.abc import Hashable
from typing import Final

from PySide6.QtWidgets import QComboBox
from typing_extensions import override

from reviewer.domain.wording import (
    counted,
    fixed,
    in_percent,
    level_percent,
    percent,
    percent_span,
    signed,
    two,
)
from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit import layouts, number_field, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import stamp
from reviewer.gui.page import ProjectSurroundings
from reviewer.gui.runs.section import RunsSection
from reviewer.gui.sections import Reading
from reviewer.services.aligning.comparing import OneMetric, Wanted, on_one_metric
from reviewer.services.aligning.leaderboard import JudgeRow, Leaderboard
from reviewer.services.aligning.standing import STATISTICS, Standing, title_of
from reviewer.services.explaining.explanations_words import Step
from reviewer.stats.catalogue import FIGURES, SHARES
from reviewer.stats.ceiling import Reach
from reviewer.stats.intervals import Interval

SUITED: Final = "kappa that suits"
HELD_OUT, BIAS = 1, 2
TITLE = "Judges on run A"
EMPTY = "No judge or scorer has scored this run on a metric that people label."


class JudgesCard(RunsSection[OneMetric]):
    """Judge versions with their agreement on the held-out half, which is shown once asked for."""

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make an empty card."""
        super().__init__(surroundings)
        self.board: Leaderboard | None = None
        self._look = False
        self.chosen_metric: QComboBox = number_field.choice("Metric that judges are compared on")
        self.chosen_statistic: QComboBox = number_field.choice(
            "Statistic that judges are ordered by"
        )
        self.chosen_statistic.addItem(SUITED, None)
        for name in STATISTICS:
            self.chosen_statistic.addItem(title_of(name), name)
        self.choices = (self.chosen_metric, self.chosen_statistic)
        self.table = GridView(self.theme, _columns("kappa"), TITLE, most=8)
        self.empty = pieces.text(EMPTY, "muted", wrap=True)
        self.sentence = pieces.text("", wrap=True, name="Which judge is nearest to people")
        self.halves = pieces.text("", "muted", wrap=True, name="The held-out half")
        self.worn = pieces.text("", "alert", wrap=True, name="Warning about the held-out half")
        self.look = pieces.Button("Look at the held-out half", self._look_now, dense=True)
        card = pieces.Card(TITLE)
        card.body.addLayout(layouts.row((self.chosen_metric, 1), (self.chosen_statistic, 1)))
        layouts.fill(
            card.body,
            self.empty,
            self.table,
            self.sentence,
            self.halves,
            self.worn,
            layouts.row(self.look, 1),
        )
        self.body.addWidget(card)
        pieces.connect(
            (self.chosen_metric.activated, lambda _: self.recompute()),
            (self.chosen_statistic.activated, lambda _: self.recompute()),
        )
        self.figures.serve_grid(self.table, self._figure_of)
        self._show(OneMetric((), None))

    @property
    @override
    def task(self) -> str:
        """Give the kind of the card's own task."""
        return "judges on run A"

    @override
    def reading(self, run: str) -> Reading[OneMetric] | None:
        """Compare the judges of the run on the chosen metric; looking is said by the button."""
        metric, statistic = self.chosen_metric.currentData(), self.chosen_statistic.currentData()
        look, self._look = self._look, False
        wanted = Wanted(run=run, statistic=statistic, look=look)
        return lambda own, progress: on_one_metric(own, wanted, metric, progress)

    @override
    def show_found(self, found: OneMetric) -> None:
        """Show the judges, or that there is none."""
        self._show(found)

    def _show(self, found: OneMetric) -> None:
        board = self.board = found.board
        there = board is not None and bool(board.rows)
        self.empty.setVisible(not there)
        pieces.show(
            self.chosen_metric,
            self.chosen_statistic,
            self.table,
            self.sentence,
            self.halves,
            shown=there,
        )
        self.worn.setVisible(bool(board and board.worn))
        self.look.setVisible(bool(board and board.unseen))
        if board is None:
            self.table.show_rows([])
            return
        number_field.offer(self.chosen_metric, "", found.choices)
        self.chosen_metric.setCurrentIndex(max(0, self.chosen_metric.findData(board.metric)))
        self.chosen_metric.setVisible(there and len(found.choices) > 1)
        entry = FIGURES[board.statistic]
        short = entry.short or entry.sign
        self.table.rows.columns = _columns(short)
        self.table.show_rows(_rows(board))
        self.sentence.setText(board.sentence)
        pieces.write(
            self.halves,
            board.held_out_line,
            tip=looks(board, self.surroundings.settings.time_format),
        )
        self.worn.setText(board.worn or "")
        pieces.write(
            self.look,
            _button(board),
            tip="Each look is counted: the half that is held out tells the truth only as long as "
            "nobody chooses a prompt by it.",
        )
        if board.recorded:
            self.noted.emit(board.held_out_line)

    def _look_now(self) -> None:
        self._look = True
        self.recompute()

    def _figure_of(self, key: Hashable, _: int) -> Figure | None:
        board = self.board
        row = next((x for x in board.rows if x.key == key), None) if board else None
        return figure_of(board, row) if board and row else None


def _columns(statistic: str) -> tuple[Column, ...]:
    return (
        Column("judge", tip="A judge in one version; below, what it cost and how often it flips."),
        Column(
            "held out", 88, number=True,
            tip=f"Agreement with people ({statistic}) on the half of the labels that no prompt "
            "was made with.",
        ),
        Column("bias", 54, number=True, tip="Mean gap, human minus auto."),
    )  # fmt: skip


def _rows(board: Leaderboard) -> list[tuple[Hashable, tuple[Cell, ...]]]:
    rows: list[tuple[Hashable, tuple[Cell, ...]]] = [
        (
            row.key,
            (
                judge_cell(row),
                held_out_cell(row, board.statistic),
                bias_cell(row),
            ),
        )
        for row in board.rows
    ]
    return [*rows, ("people", people_cells(board.people, board.statistic))]


def _button(board: Leaderboard) -> str:
    if board.unseen == 1:
        return "Look at 1 held-out figure"
    return f"Look at {board.unseen} held-out figures"


DASH = "—"
PEOPLE, AMONG = "people", "with each other"
LISTED = 10
FEW = 0.01
"""Dollars below which more than two decimals are told."""


def figure(statistic: str, value: float | None) -> str:
    """Write a statistic: shares in percent, the others with two decimals."""
    if value is None:
        return DASH
    return in_percent(value, 0) if statistic in SHARES else two(value)


def ends(statistic: str, interval: Interval | None) -> str:
    """Write an interval, nothing where there is none."""
    if interval is None:
        return ""
    if statistic in SHARES:
        return percent_span(interval.low, interval.high)
    return f"{two(interval.low)} – {two(interval.high)}"


def dollars(amount: float) -> str:
    """Write a cost; little is not rounded to nothing."""
    if not amount:
        return "free"
    return f"${fixed(amount)}" if amount >= FEW else f"${fixed(amount, 4)}"


def name_of(row: JudgeRow) -> str:
    """Name a judge version in a list."""
    return f"{row.scorer} {_version(row)}" if row.version else row.scorer


def _version(row: JudgeRow) -> str:
    version = row.version or ""
    return version if version.startswith("v") else f"v{version}"


def judge_cell(row: JudgeRow) -> Cell:
    """Make the cell of a judge's name, with its cost and how often it contradicts itself."""
    usage, parts = row.usage, [_version(row)] if row.version else []
    plain = f"{row.scorer}@{row.version}" if row.version else row.scorer
    parts += [x for x in [row.name.removeprefix(plain).strip()] if x]
    if row.running:
        parts.append("scoring now")
    if usage.cost_usd is not None:
        parts.append(dollars(usage.cost_usd))
    elif row.kind == "scorer":
        parts.append("free")
    if usage.flips.rate is not None:
        parts.append(f"{percent(usage.flips.rate)} flips")
    mark = row.mark if row.mark == "best" else ""
    return Cell(
        row.scorer, tip="\n".join(about(row)), below=" · ".join(parts) or row.kind, mark=mark
    )


def about(row: JudgeRow) -> list[str]:
    """Say everything that is known of a judge version beside its agreement."""
    usage = row.usage
    said = [row.name if row.model in (None, row.scorer) else f"{row.name}, {row.model}"]
    if row.prompt:
        said[0] += f", prompt {row.prompt}"
    said.append(counted(usage.calls, "score"))
    if usage.cost_usd is not None and usage.per_1000 is not None:
        said.append(f"{dollars(usage.cost_usd)} in all, {dollars(usage.per_1000)} a thousand")
    if usage.latency_ms is not None and usage.latency_p95 is not None:
        median, slow = fixed(usage.latency_ms, 0), fixed(usage.latency_p95, 0)
        said.append(f"{median} ms at the median, {slow} at p95")
    flips, spread = usage.flips, usage.spread
    if flips.rate is not None:
        on = counted(flips.items, "response")
        said.append(f"contradicts itself on {percent(flips.rate)} of repeats ({on})")
        if spread is not None and spread.within_sd is not None:
            said[-1] += f", spread {two(spread.within_sd)}"
    if row.mark == "not told apart":
        said.append("not told apart from the judge nearest to people")
    return said


def held_out_cell(row: JudgeRow, statistic: str) -> Cell:
    """Make the cell of the held-out figure; a dash says why there is none."""
    standing = row.held_out
    if standing is None or standing.value is None or standing.few:
        return Cell(DASH, "muted", tip=_unseen(row, statistic), below=_dev(row, statistic))
    return Cell(
        figure(statistic, standing.value),
        tip="\n".join(_told(standing)),
        below=ends(statistic, standing.interval),
    )


def _dev(row: JudgeRow, statistic: str) -> str:
    shown = row.dev.value is not None and row.dev.few is None
    return f"dev {figure(statistic, row.dev.value)}" if shown else ""


def _unseen(row: JudgeRow, statistic: str) -> str:
    said = [_upper(row.reason or "")]
    if _dev(row, statistic):
        around = ends(statistic, row.dev.interval)
        said.append(
            f"On the half for prompts {figure(statistic, row.dev.value)}"
            f"{f' ({around})' if around else ''}, n = {row.dev.n:,}"
        )
    return "\n".join(said)


def _told(standing: Standing) -> list[str]:
    reach = standing.reach
    said = [f"{counted(standing.n, 'held-out response')}; {standing.word}".rstrip("; ")]
    if reach is not None and reach.share is not None:
        said.append(f"reaches {percent(reach.share)} of what people reach among themselves")
    if standing.note:
        said.append(standing.note)
    return said


def bias_cell(row: JudgeRow) -> Cell:
    """Make the cell of the bias: held out where it was looked at, else of the dev half."""
    standing = row.held_out or row.dev
    if standing.bias is None or standing.few:
        return Cell(DASH, "muted", tip=_upper(standing.reason or standing.few or ""))
    half = "held-out half" if row.held_out else "half for prompts"
    interval = standing.bias_interval
    around = f", {two(interval.low)} to {two(interval.high)}" if interval else ""
    return Cell(
        signed(standing.bias),
        "auto",
        tip=f"Human minus auto on the {half}{around}, n = {standing.n:,}",
    )


def people_cells(people: Reach, statistic: str) -> tuple[Cell, Cell, Cell]:
    """Make the row of people among themselves: what a judge can reach."""
    value = people.people
    if value is None:
        why = _upper(people.undefined.get("people", ""))
        return (Cell(PEOPLE, "muted", below=AMONG), Cell(DASH, "muted", tip=why), Cell(""))
    on = f"{counted(people.n, 'response')} that two people or more labelled"
    return (
        Cell(PEOPLE, "muted", tip=on, below=AMONG),
        Cell(
            figure(statistic, value), "muted", tip=on,
            below=ends(statistic, people.intervals.get("people")),
        ),
        Cell(""),
    )  # fmt: skip


def looks(board: Leaderboard, style: str) -> str:
    """List the newest looks at the held-out half: when, who, at which judge."""
    newest = board.history[: -LISTED - 1 : -1]
    said = [
        f"{stamp(x.at, style)}: {x.labeler or 'somebody'}, {x.judge or 'a judge'}, {x.run or ''}"
        for x in newest
    ]
    more = board.looks - len(newest)
    return "\n".join([*said, f"and {more:,} before"] if more else said)


def figure_of(board: Leaderboard, row: JudgeRow) -> Figure:
    """Give a judge's figure as somebody takes it away; it leads to no response."""
    standing = row.held_out or row.dev
    half = "held-out half" if row.held_out else "half for making prompts"
    title = f"{title_of(board.statistic)} of {name_of(row)} on {board.title}"
    if standing.value is None:
        return Figure(title=title, sentence=f"{_upper(title)}: {row.reason or standing.reason}.")
    around = ends(board.statistic, standing.interval).replace(" – ", " to ")
    inside = ", ".join(
        x for x in (f"95 % {around}" if around else "", f"n = {standing.n:,}", standing.word) if x
    )
    value = figure(board.statistic, standing.value)
    return Figure(
        title=title,
        sentence=f"{_upper(title)}, against people on the {half} of {board.run}: {value} "
        f"({inside}).",
        steps=lambda: steps(board, row),
    )


def steps(board: Leaderboard, row: JudgeRow) -> tuple[Step, ...]:
    """Explain a judge's place with its numbers."""
    standing, behind = row.held_out or row.dev, row.behind
    value = figure(board.statistic, standing.value)
    around = ends(board.statistic, standing.interval)
    parts = [
        Step(
            "Agreement with people",
            f"{_upper(title_of(board.statistic))} of {name_of(row)} and people on "
            f"{counted(standing.n, 'response')} = {value} {f'({around})' if around else ''}"
            "; the formula is that of the Audit page for these responses.",
        )
    ]
    top = board.rows[0]
    if behind is not None and behind.difference is not None:
        gap = behind.interval
        level = level_percent(behind.level)
        ends_of = f" ({level} {two(gap.low)} to {two(gap.high)})" if gap else ""
        verdict = "they are told apart" if behind.apart else "they are not told apart"
        parts.append(
            Step(
                f"Beside {name_of(top)}",
                f"{two(behind.first or 0)} − {two(behind.second or 0)} = "
                f"{two(behind.difference)}{ends_of} on {counted(behind.n, 'response')} that both "
                f"scored, drawn again together: {verdict}.",
            )
        )
    reach = standing.reach
    if reach is not None and reach.share is not None:
        parts.append(
            Step(
                "What people reach",
                f"One person beside another {two(reach.people or 0)}, the judge beside one person "
                f"{two(reach.judge or 0)}, on the same {counted(reach.n, 'response')}: "
                f"{percent(reach.share)}.",
            )
        )
    return tuple(parts)


def _upper(words: str) -> str:
    return words[:1].upper() + words[1:]
