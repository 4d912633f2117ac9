"""Judge versions side by side on one run: which is nearest to people where nothing was tuned.

The figure that decides is that of the held-out half. It is shown once somebody asks to look; a
look is recorded for each version whose scores were not looked at in their present state.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from reviewer.domain.wording import counted, fixed, listed
from reviewer.services.aligning.standing import Standing, Usage, ends
from reviewer.stats.ceiling import Reach
from reviewer.stats.figure import COEFFICIENTS_FROM
from reviewer.stats.paired import PairedAgreement
from reviewer.store.splits import Look

MANY_LOOKS = 10
"""Looks at a held-out half after which its figures flatter what was chosen by them."""
WORN = (
    "The held-out half wears out: a judge that is chosen by looking often looks better there than "
    "it is. Label new responses; half of them join it."
)
NOT_LOOKED = "not looked at yet"
CHANGED = "its scores changed since somebody looked"
COMING = "its scores are still coming in"
Kind = Literal["judge", "scorer", "imported"]
Mark = Literal["best", "not told apart", ""]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRow:
    """One judge version, scorer, or judge elsewhere whose scores were imported.

    Attributes:
        key: Its score set.
        name: NAME@VERSION, as filters spell it.
        prompt: The number of its prompt's version in the project, None where it has none of these.
        running: Whether it is scoring now.
        dev: Its figure on the half that prompts are made with.
        held_out: Its figure on the other half; None until somebody looked at it.
        held_out_n: Labelled held-out responses that it scored.
        changed: Whether somebody looked at its figure before its scores changed.
        behind: The row at the top against this one, on the same responses.
        mark: Whether it is the best, or cannot be told apart from the row at the top.
    """

    key: int
    name: str
    scorer: str
    version: str | None
    model: str | None
    kind: Kind
    prompt: int | None
    running: bool
    usage: Usage
    dev: Standing
    held_out: Standing | None
    held_out_n: int
    changed: bool = False
    behind: PairedAgreement | None = None
    mark: Mark = ""

    @property
    def unseen(self) -> bool:
        """Tell whether there is a held-out figure that nobody looked at."""
        return self.held_out is None and not self.running and self.held_out_n > 0

    @property
    def reason(self) -> str | None:
        """Say why there is no held-out figure, None where there is one."""
        if self.held_out is not None:
            return self.held_out.few or self.held_out.reason
        if self.running:
            return COMING
        if not self.held_out_n:
            return "it scored none of the held-out responses"
        return CHANGED if self.changed else NOT_LOOKED

    def to_json(self) -> dict[str, Any]:
        """Give the fields that the command line prints."""
        held_out, behind = self.held_out, self.behind
        return {
            "judge": self.name,
            "scorer": self.scorer,
            "version": self.version,
            "model": self.model,
            "kind": self.kind,
            "prompt_version": self.prompt,
            "running": self.running,
            "mark": self.mark or None,
            "held_out": {"n": self.held_out_n, "value": None, "reason": self.reason}
            if held_out is None
            else held_out.to_json(),
            "dev": self.dev.to_json(),
            "behind_top": None
            if behind is None
            else {
                "n": behind.n,
                "difference": behind.difference,
                "interval": ends(behind.interval),
                "level": behind.level,
                "reason": behind.reason,
            },
            **self.usage.to_json(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard:
    """Judge versions on one metric of a run, the nearest to people first.

    Attributes:
        statistic: Its name in `Agreement`.
        labelled, held_out_labelled: Responses of the run that people labelled on this metric, in
            all and in the held-out half.
        history: Every look at a held-out figure of this metric, on any run.
        people: People among themselves on the run.
        recorded: Looks that were added just now.
    """

    run: str
    metric: str
    title: str
    statistic: str
    level: float
    seed: int
    labelled: int
    held_out_labelled: int
    people: Reach
    rows: tuple[JudgeRow, ...] = ()
    recorded: int = 0
    history: tuple[Look, ...] = ()

    @property
    def looks(self) -> int:
        """Count the looks at held-out figures of this metric."""
        return len(self.history)

    @property
    def best(self) -> JudgeRow | None:
        """Give the version that is nearer to people than the next beyond doubt."""
        return next((row for row in self.rows if row.mark == "best"), None)

    @property
    def unseen(self) -> int:
        """Count the held-out figures that nobody looked at yet."""
        return sum(row.unseen for row in self.rows)

    @property
    def worn(self) -> str | None:
        """Say that the held-out half was looked at too often, None where it was not."""
        return WORN if self.looks > MANY_LOOKS else None

    @property
    def held_out_line(self) -> str:
        """Say how large the held-out half is and how often somebody looked."""
        size = counted(self.held_out_labelled, "labelled response")
        times = {0: "not looked at yet", 1: "looked at once", 2: "looked at twice"}
        told = times.get(self.looks, f"looked at {self.looks:,} times")
        return f"Held-out half: {size}, {told}."

    @property
    def sentence(self) -> str:
        """Say who is nearest to people, or why that cannot be said."""
        shown = [row for row in self.rows if row.held_out and row.held_out.value is not None]
        if not shown:
            return self._nobody()
        first = shown[0]
        if len(shown) == 1:
            others = "; nobody looked at another one" if len(self.rows) > 1 else ""
            return f"{first.name} on {self.title}: {_figure(first)}{others}."
        if first.mark == "best":
            return f"{first.name} is nearest to people on {self.title}: {_figure(first)}."
        level = [row.name for row in shown if row.mark == "not told apart"]
        return f"{listed(level)} are not told apart on {self.title} by the labels there are."

    def _nobody(self) -> str:
        if not self.rows:
            return f"No judge scored {self.title} in this run."
        if self.held_out_labelled < COEFFICIENTS_FROM:
            return (
                f"{self.title} has {counted(self.held_out_labelled, 'labelled response')} in the "
                f"held-out half; a figure needs {COEFFICIENTS_FROM}."
            )
        if self.unseen:
            unseen = counted(self.unseen, "held-out figure")
            return f"Nobody looked at the {unseen} on {self.title} yet."
        why = next((row.reason for row in self.rows if row.reason), "")
        return f"No judge has a figure on the held-out half of {self.title}: {why}."

    def to_json(self) -> dict[str, Any]:
        """Give the fields that the command line prints."""
        return {
            "statistic": self.statistic,
            "labelled": self.labelled,
            "held_out": self.held_out_labelled,
            "looks": self.looks,
            "new_looks": self.recorded,
            "look_history": [
                {"at": x.at, "labeler": x.labeler, "judge": x.judge, "run": x.run}
                for x in self.history
            ],
            "worn": self.worn,
            "best": self.best.name if self.best else None,
            "sentence": self.sentence,
            "people": {
                "n": self.people.n,
                "value": self.people.people,
                "interval": ends(self.people.intervals.get("people")),
                "reason": self.people.undefined.get("people"),
            },
            "judges": [row.to_json() for row in self.rows],
        }


def ordered(rows: Sequence[JudgeRow]) -> tuple[JudgeRow, ...]:
    """Put rows in order: what was looked at by its figure, then the others by the dev half."""

    def place(row: JudgeRow) -> tuple[bool, float, bool, float, int]:
        held_out = row.held_out.value if row.held_out else None
        dev = row.dev.value
        return (
            held_out is None, -(held_out or 0.0), dev is None, -(dev or 0.0), -row.key,
        )  # fmt: skip

    return tuple(sorted(rows, key=place))


def marked(
    rows: Sequence[JudgeRow], against_top: dict[int, PairedAgreement]
) -> tuple[JudgeRow, ...]:
    """Mark the best row, or those that cannot be told apart from the one at the top.

    The best is apart from every other one.

    Args:
        rows: In order.
        against_top: By key, the row at the top against this one.
    """
    compared = [row.key for row in rows if row.key in against_top]
    if not compared:
        return tuple(rows)
    top, best = rows[0].key, all(against_top[key].apart for key in compared)
    made = []
    for row in rows:
        behind = against_top.get(row.key)
        mark: Mark = ""
        if row.key == top:
            mark = "best" if best else "not told apart"
        elif behind is not None and not best and not behind.apart:
            mark = "not told apart"
        made.append(replace(row, behind=behind, mark=mark))
    return tuple(made)


def _figure(row: JudgeRow) -> str:
    standing = row.held_out
    if standing is None or standing.value is None:
        return "—"
    interval = standing.interval
    around = f" [{fixed(interval.low)}, {fixed(interval.high)}]" if interval else ""
    word = f"; {standing.word}" if standing.word else ""
    return f"{fixed(standing.value)}{around}, n = {standing.n:,}{word}"
