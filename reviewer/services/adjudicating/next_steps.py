"""What to do next so that a judge can be trusted, or better: one list, the most useful first."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

import numpy as np
from msgspec.structs import replace

from reviewer.domain.errors import Progress, heed
from reviewer.domain.wording import brief, counted, listed
from reviewer.services.adjudicating.causes import by_metric
from reviewer.services.adjudicating.decisions import level_words, rubric_todo
from reviewer.services.audits.auditing import EQUAL, Audit
from reviewer.services.figures import run_records
from reviewer.services.figures.column_memory import held_now, memory_of
from reviewer.services.figures.figure_table import Loader, MetricTable
from reviewer.services.figures.human_columns import Flags, Ints
from reviewer.services.figures.request import covered
from reviewer.services.figures.run_records import change_of
from reviewer.services.figures.statistics_blocks import MetricBlock
from reviewer.services.figures.statistics_words import bias_that_matters
from reviewer.services.figures.trust_words import MOST_WANTED, shortage, worst_first
from reviewer.services.project.figure_rules import scale_of
from reviewer.services.project.session import Session
from reviewer.stats.pairs import places
from reviewer.store import figures

Act = Literal["decide", "prompts", "queue", "todo", "list", "runs"]
FAR: Final = 2
"""Levels apart from which a case is worth a decision first."""
RARE, SOME = 2, 3
"""Labels up to which nothing is known of a category, and responses from which that matters."""
MOST_CATEGORIES: Final = 3
OFTEN, APART = 5, 1 / 3
"""Responses given both of two levels, and of which part of those with either, to say so."""


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
        wanted: How many labels, 0 where any number helps.
        people: How many are to label the same.
    """

    act: Act
    title: str
    reason: str
    button: str
    metric: str = ""
    keys: tuple[int, ...] = ()
    wanted: int = 0
    people: int = 1


SETTLES_NOTHING = "not even all of them settle it; more runs are needed"


def find(session: Session, audit: Audit, progress: Progress | None = None) -> tuple[NextStep, ...]:
    """Collect what to do next in a scope; call it beside the window.

    Raises:
        CancelledError: Nobody waits any more.
    """
    blocks = worst_first(audit.document.labelled)
    found: list[NextStep] = []
    parts: tuple[Callable[[], Iterator[NextStep]], ...] = (
        lambda: _decide(audit, blocks),
        lambda: _prompts(session, audit, blocks),
        lambda: _label(blocks),
        lambda: _label_rest(blocks),
        lambda: _reword(session),
        lambda: _two_ways(audit),
        lambda: _categories(session, audit),
        lambda: _changed(session, audit),
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


def _prompts(session: Session, audit: Audit, blocks: list[MetricBlock]) -> Iterator[NextStep]:
    wrong = {one.metric: one.keys.get("judge_wrong") for one in by_metric(session, audit)}
    for block in blocks:
        if block.trust.trust.state != "do_not_rely" or block.scorer is None:
            continue
        caught = block.trust.trust["caught"]
        missed = 0 if caught.value is None else round((1 - caught.value) * caught.n)
        why = f"it misses {missed:,} of {counted(caught.n, 'fail')}; " if missed else ""
        keys = wrong.get(block.name)
        why += f"{keys.size:,} with the cause “judge wrong”; " if keys is not None else ""
        yield NextStep(
            "prompts",
            f"Mend the prompt for {block.title}",
            f"{why}{counted(block.trust.labelled, 'labelled case')} to try it on",
            "Open",
            block.name,
        )


def _label_rest(blocks: list[MetricBlock]) -> Iterator[NextStep]:
    """Ask for what is left where not even that settles a metric; for nothing where all is done."""
    named: dict[tuple[int, int], list[tuple[MetricBlock, str]]] = {}
    for block in blocks:
        short = shortage(block.trust)
        if block.trust.trust.state == "cannot_be_said" and short is not None and short.left:
            named.setdefault((short.left, short.people), []).append((block, short.words))
    for (left, people), found in named.items():
        what = f"the last {left:,} for {listed([block.title for block, _ in found])}"
        reason = found[0][1] if len(found) == 1 else SETTLES_NOTHING
        yield NextStep(
            "queue", f"Label {what}" if people == 1 else f"Let two people label {what}", reason,
            "Queue…", found[0][0].name, wanted=left, people=people,
        )  # fmt: skip


def _label(blocks: list[MetricBlock]) -> Iterator[NextStep]:
    by_two: list[MetricBlock] = []
    more: list[tuple[int, MetricBlock]] = []
    for block in blocks:
        trust = block.trust.trust
        if trust.state != "cannot_be_said" or not block.trust.scored:
            continue
        if shortage(block.trust) is not None:
            continue
        wanted = {one.name: block.trust.wanted(one.name) for one in trust.findings}
        most = max((each for each in wanted.values() if each), default=0)
        if wanted["reach"] is None or (most and wanted["reach"] == most) or most > MOST_WANTED:
            by_two.append(block)
        elif most:
            more.append((round(most), block))
    if more:
        most, first = max(more, key=lambda one: one[0])
        told = listed([f"{n:,} for {block.title}" for n, block in more])
        reason = (
            f"{told}; drawn by chance"
            if len(more) > 1
            else (f"drawn by chance; {first.trust.labelled:,} are labelled")
        )
        title = f"Label {most:,} more" if len(more) > 1 else f"Label {most:,} for {first.title}"
        yield NextStep("queue", title, reason, "Queue…", first.name, wanted=most)
    if by_two:
        yield NextStep(
            "queue",
            f"Let two people label the same for {listed([x.title for x in by_two])}",
            "how far people agree with each other is not known well enough",
            "Queue…",
            by_two[0].name,
            people=2,
        )


def _reword(session: Session) -> Iterator[NextStep]:
    items = [item for item in rubric_todo(session) if not item.done]
    for heading, some in groupby(items, key=lambda x: x.heading):
        cases = list(some)
        levels = list(dict.fromkeys(x.level for x in cases if x.level))
        what = f"{heading}, {levels[0]}" if len(levels) == 1 else heading
        yield NextStep(
            "todo",
            f"Reword {what}",
            f"{counted(len(cases), 'case')} with the cause “rubric unclear”",
            "List",
            cases[0].metric,
        )


def _two_ways(audit: Audit) -> Iterator[NextStep]:
    """Find levels next to each other that people give to the same responses time and again."""
    for name, table in audit.frame.table.metrics.items():
        found = _read_apart(table)
        if found is None:
            continue
        level, both, either = found
        keys = audit.frame.table.keys[both[audit.seen[both]]]
        low, high = (level_words(table.metric, x) for x in table.metric.grid[level : level + 2])
        yield NextStep(
            "list",
            f"{low} and {high} of {table.metric.heading} are read in two ways",
            f"{both.size:,} of {either:,} responses with either were given both",
            "List",
            name,
            tuple(keys.tolist()),
        )


def _read_apart(table: MetricTable) -> tuple[int, Ints, int] | None:
    """Give the lower of the two levels, the rows given both, and how many were given either."""
    scale, people = scale_of(table.metric), table.people
    if scale is None or not scale.ordered or people.averaged.all():
        return None
    there, at = people.positions[~people.averaged], people.values[~people.averaged]
    units, rows = np.unique(there, return_inverse=True)
    given = np.zeros((units.size, len(scale.values)), dtype=np.bool_)
    given[rows, places(at, scale)[0]] = True
    given &= (np.bincount(rows) > 1)[:, None]
    both, either = given[:, :-1] & given[:, 1:], given[:, :-1] | given[:, 1:]
    counts = both.sum(axis=0)
    level = int(counts.argmax()) if counts.size else 0
    if not counts.size or counts[level] < OFTEN:
        return None
    of = int(either[:, level].sum())
    return (level, units[both[:, level]], of) if counts[level] >= of * APART else None


def _categories(session: Session, audit: Audit) -> Iterator[NextStep]:
    table = audit.frame.table
    with figures.snapshot(session.project):
        within = covered(session.project, audit.request.scope).within
        names = figures.read_groups(session.project, within, "category")
    if len(names) != table.keys.size:
        # something was imported since the figures were computed; they come anew
        return
    labelled = np.logical_or.reduce([x.has_human for x in table.metrics.values()])
    for name, n, known in bare_categories(names, labelled)[:MOST_CATEGORIES]:
        places = [at for at, one in enumerate(names) if one == name]
        has = counted(known, "labelled response")
        yield NextStep(
            "list",
            f"{name} has {has if known else 'no labels'}",
            f"{counted(n, 'response')}, nothing can be said about them",
            "List",
            keys=tuple(table.keys[places].tolist()),
        )


def bare_categories(names: Sequence[str | None], labelled: Flags) -> list[tuple[str, int, int]]:
    """Give categories about which nothing is known, their responses and how many are labelled."""
    every, known = Counter(names), Counter(np.array(names, dtype=object)[labelled].tolist())
    return [
        (name, n, known[name])
        for name, n in every.most_common()
        if name is not None and n >= SOME and known[name] <= RARE and len(every) > 1
    ]


def _changed(session: Session, audit: Audit) -> Iterator[NextStep]:
    """Say whose scores count since the newest run in scope, where others did before."""
    project, scope = session.project, audit.request.scope
    with figures.snapshot(project):
        mine = covered(project, replace(scope, runs=(), every_run=True)).runs
        newest = audit.frame.table.metrics[next(iter(audit.pairs))].records[-1].run
        at = mine.index(newest) if newest in mine else 0
        if not at:
            return
        before = replace(scope, runs=(mine[at - 1],), every_run=False)
        table = Loader(project, memory_of(session)).load(
            before,
            rubric=audit.rubric,
            within=covered(project, before).within,
            options=audit.frame.choices.options,
            held=held_now(session),
        )
    changes: dict[str, list[str]] = {}
    for name, one in audit.frame.table.metrics.items():
        old, new = table.metrics[name].records, one.records
        found = change_of(old[-1].version, new[-1].version) if old and new else None
        if found is not None:
            changes.setdefault(found[1], []).append(one.metric.heading)
    for words, headings in changes.items():
        yield NextStep(
            "runs",
            f"The judge of {listed(headings)} changed",
            f"{words} with {newest}: what labels said of the one before says nothing of it",
            "Runs",
        )


def _versions(audit: Audit) -> Iterator[NextStep]:
    for words, names in run_records.not_counting(audit.document.records).items():
        headings = [audit.document.metrics[name].title for name in names]
        yield NextStep(
            "runs",
            "Scores that do not count",
            f"{words} ({', '.join(headings)}); they count when a lead makes them the record",
            "Runs",
        )
