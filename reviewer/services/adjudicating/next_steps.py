"""What to do next so that a judge can be trusted, or better: one list, the most useful first."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

import numpy as np

from reviewer.domain.errors import Progress, heed
from reviewer.domain.wording import brief, counted, listed
from reviewer.services.adjudicating.decisions import rubric_todo
from reviewer.services.audits.auditing import EQUAL, Audit
from reviewer.services.figures import run_records
from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.figures.human_columns import Ints
from reviewer.services.figures.request import covered
from reviewer.services.figures.statistics_blocks import MetricBlock
from reviewer.services.figures.statistics_words import bias_that_matters
from reviewer.services.figures.trust_words import MOST_WANTED, worst_first
from reviewer.services.project.session import Session
from reviewer.store import figures

Act = Literal["decide", "prompts", "queue", "todo", "list", "runs"]
FAR: Final = 2
"""Levels apart from which a case is worth a decision first."""
RARE, SOME = 2, 3
"""Labels up to which nothing is known of a category, and responses from which that matters."""
MOST_CATEGORIES: Final = 3


@dataclass(frozen=True, slots=True)
class NextStep:
    """One thing to do.

    Attributes:
        act: What its button does.
        title: What to do, with how much of it there is.
        reason: Why.
        button: What the button says.
        metric: The metric that it is about, empty for none.
        keys: The responses that it is about.
    """

    act: Act
    title: str
    reason: str
    button: str
    metric: str = ""
    keys: tuple[int, ...] = ()


def find(session: Session, audit: Audit, progress: Progress | None = None) -> tuple[NextStep, ...]:
    """Collect what to do next in a scope; call it beside the window.

    Raises:
        CancelledError: Nobody waits any more.
    """
    blocks = worst_first(audit.document.labelled)
    found: list[NextStep] = []
    parts: tuple[Callable[[], Iterator[NextStep]], ...] = (
        lambda: _decide(audit, blocks),
        lambda: _prompts(blocks),
        lambda: _label(blocks),
        lambda: _reword(session),
        lambda: _categories(session, audit),
        lambda: _versions(audit),
    )
    for part in parts:
        heed(progress)
        found.extend(part())
    return tuple(found)


def apart(audit: Audit, block: MetricBlock) -> tuple[Ints, float | None]:
    """Give undecided responses on which judge and people are far apart, and how far; widest first.

    Where values have no order, all on which they differ. Hidden ones are left out.
    """
    table, pairs = audit.frame.table.metrics[block.name], audit.pairs[block.name]
    level = bias_that_matters(table.metric, 1)
    least = None if level is None or not pairs.numeric else FAR * level
    gaps = np.abs(pairs.gaps)
    far = pairs.seen & (gaps > EQUAL if least is None else gaps >= least - EQUAL)
    far &= ~np.isin(pairs.keys, audit.frame.table.keys[_decided(table)])
    places = np.flatnonzero(far)
    return pairs.keys[places[np.argsort(-gaps[places], kind="stable")]], least


def _decided(table: MetricTable) -> Ints:
    given = table.human.given
    return given.positions[given.decided]


def _decide(audit: Audit, blocks: list[MetricBlock]) -> Iterator[NextStep]:
    found = [
        (block, *apart(audit, block)) for block in blocks if block.trust.trust.state != "rely"
    ]
    for block, keys, least in sorted(found, key=lambda one: -one[1].size):
        if keys.size:
            far = "differ" if least is None else f"differ by {brief(least)} or more"
            yield NextStep(
                "decide",
                f"Decide {counted(keys.size, 'case')} of {block.title}",
                f"people and judge {far}",
                "Decide",
                block.name,
                tuple(keys.tolist()),
            )


def _prompts(blocks: list[MetricBlock]) -> Iterator[NextStep]:
    for block in blocks:
        if block.trust.trust.state != "do_not_rely" or block.scorer is None:
            continue
        caught = block.trust.trust["caught"]
        missed = 0 if caught.value is None else round((1 - caught.value) * caught.n)
        why = f"it misses {missed:,} of {counted(caught.n, 'fail')}; " if missed else ""
        yield NextStep(
            "prompts",
            f"Mend the prompt for {block.title}",
            f"{why}{counted(block.trust.labelled, 'labelled case')} to try it on",
            "Open",
            block.name,
        )


def _label(blocks: list[MetricBlock]) -> Iterator[NextStep]:
    by_two: list[MetricBlock] = []
    for block in blocks:
        trust = block.trust.trust
        if trust.state != "cannot_be_said":
            continue
        wanted = {one.name: block.trust.wanted(one.name) for one in trust.findings}
        most = max((more for more in wanted.values() if more), default=0)
        if wanted["reach"] is None or (most and wanted["reach"] == most) or most > MOST_WANTED:
            by_two.append(block)
        elif most:
            yield NextStep(
                "queue",
                f"Label {round(most):,} for {block.title}",
                f"drawn by chance; {block.trust.labelled:,} are labelled",
                "Queue…",
                block.name,
            )
    if by_two:
        yield NextStep(
            "queue",
            f"Let two people label the same for {listed([x.title for x in by_two])}",
            "how far people agree with each other is not known well enough",
            "Queue…",
            by_two[0].name,
        )


def _reword(session: Session) -> Iterator[NextStep]:
    items = [item for item in rubric_todo(session) if not item.done]
    for (heading, level), some in groupby(items, key=lambda x: (x.heading, x.level)):
        cases = list(some)
        what = f"{heading}, {level}" if level else heading
        yield NextStep(
            "todo",
            f"Reword {what}",
            f"{counted(len(cases), 'case')} with the cause “rubric unclear”",
            "List",
            cases[0].metric,
        )


def _categories(session: Session, audit: Audit) -> Iterator[NextStep]:
    table = audit.frame.table
    with figures.snapshot(session.project):
        within = covered(session.project, audit.request.scope).within
        names = figures.read_groups(session.project, within, "category")
    if len(names) != table.keys.size:
        # something was imported since the figures were computed; they come anew
        return
    labelled = np.logical_or.reduce([x.has_human for x in table.metrics.values()])
    every, known = Counter(names), Counter(np.array(names, dtype=object)[labelled].tolist())
    bare = [
        (name, n)
        for name, n in every.most_common()
        if name is not None and n >= SOME and known[name] <= RARE and len(every) > 1
    ]
    for name, n in bare[:MOST_CATEGORIES]:
        places = [at for at, one in enumerate(names) if one == name]
        has = counted(known[name], "labelled response")
        yield NextStep(
            "list",
            f"{name} has {has if known[name] else 'no labels'}",
            f"{counted(n, 'response')}, nothing can be said about them",
            "List",
            keys=tuple(table.keys[places].tolist()),
        )


def _versions(audit: Audit) -> Iterator[NextStep]:
    rest: dict[str, list[str]] = {}
    for name, record in audit.document.records:
        words = run_records.not_counted(record)
        if words:
            heading = audit.document.metrics[name].title
            rest.setdefault(f"{words} in {record.run}", []).append(heading)
    for words, headings in rest.items():
        yield NextStep(
            "runs",
            "Scores that do not count",
            f"{words} ({', '.join(headings)}); they count when a lead makes them the record",
            "Runs",
        )
