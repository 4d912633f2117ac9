"""Which evaluations, labels and scores a figure, an export or a report is about."""

from datetime import date
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

DateBasis = Literal["evaluation", "chat"]


class Scope(Struct, frozen=True, kw_only=True):
    """The filters that `stats`, `export`, `report` and `check` share; empty means everything.

    Attributes:
        runs: The runs that figures cover; empty for the newest run, or for all with `every_run`.
        every_run: Whether figures pool the runs of the newest run's rubric.
        metrics: Which metrics are listed; satisfaction and pass always use the whole rubric.
        labelers: Only these people's labels, and then no adjudication.
        scorer: NAME, NAME@VERSION or the full name of the version whose scores count instead of
            that of record, for the metrics that it scored.
        only_scorer: Whether the other metrics then have no auto score.
        blind_only: Only entries that are known to be given without sight of the auto score.
        as_of: The last day of the window; None is today in the project's time zone.
        window_months: The months up to `as_of` that every figure is bounded by, None for no bound
            at all; unset, the look-back of the options bounds deviations and band alone.
        where: Field and value pairs that an evaluation must all match.
        filter: Words of the filter language that an evaluation must match.
        viewer: Whose states the filter is about.
        dates: By which date an evaluation is placed: when it was evaluated, or when the chat was.
        decisions: Whether a lead's decision stands above labels.
    """

    runs: tuple[str, ...] = ()
    every_run: bool = False
    metrics: tuple[str, ...] = ()
    labelers: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    scorer: str | None = None
    only_scorer: bool = False
    blind_only: bool = False
    as_of: date | None = None
    window_months: int | UnsetType | None = UNSET
    where: tuple[tuple[str, str], ...] = ()
    filter: str = ""
    viewer: str = ""
    dates: DateBasis = "evaluation"
    decisions: bool = True
