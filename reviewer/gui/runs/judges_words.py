"""How judges on a run are written: their rows, and each figure as a sentence with its formula."""

from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit.grid import Cell
from reviewer.gui.kit.times import stamp
from reviewer.services.aligning.leaderboard import JudgeRow, Leaderboard
from reviewer.services.aligning.standing import Standing, title_of
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.project.insights_words import counted, level_percent, percent, signed, two
from reviewer.stats.ceiling import Reach
from reviewer.stats.intervals import Interval

DASH = "—"
SHARES = ("percent", "within_one")
PEOPLE, AMONG = "people", "with each other"
LISTED = 10
FEW = 0.01
"""Dollars below which more than two decimals are told."""


def figure(statistic: str, value: float | None) -> str:
    """Write a statistic: shares in percent, the others with two decimals."""
    if value is None:
        return DASH
    return f"{100 * value:.0f} %" if statistic in SHARES else two(value)


def ends(statistic: str, interval: Interval | None) -> str:
    """Write an interval, nothing where there is none."""
    if interval is None:
        return ""
    if statistic in SHARES:
        return f"{100 * interval.low:.0f} – {100 * interval.high:.0f} %"
    return f"{two(interval.low)} – {two(interval.high)}"


def dollars(amount: float) -> str:
    """Write a cost; little is not rounded to nothing."""
    if not amount:
        return "free"
    return f"${amount:.2f}" if amount >= FEW else f"${amount:.4f}"


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
        said.append(f"{usage.latency_ms:,.0f} ms at the median, {usage.latency_p95:,.0f} at p95")
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
