"""What the rubric leaves unclear: the cases that leads collected, until they are dealt with."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from reviewer.domain.change import MarkChanged
from reviewer.domain.errors import ProjectError
from reviewer.domain.rubric import Metric
from reviewer.domain.values import Value
from reviewer.domain.wording import brief
from reviewer.services.adjudicating import causes
from reviewer.services.adjudicating.decisions import subject
from reviewer.services.figures import listed_scores
from reviewer.services.project.permission import require_lead
from reviewer.services.project.session import Session
from reviewer.store import deciding, listing

GONE = "no longer in the rubric"


@dataclass(frozen=True, slots=True)
class TodoItem:
    """A case that the rubric does not settle.

    Attributes:
        heading: The metric as it is called; one that is gone says so.
        level: The human score, with the level's name where it lies on one; None without one.
        by: Who collected it.
        done: Whether it was dealt with.
    """

    evaluation: int
    id: str
    title: str
    metric: str
    heading: str
    level: str | None
    note: str
    by: str
    at: str | None
    done: bool


def rubric_todo(session: Session) -> tuple[TodoItem, ...]:
    """Give every case with an unclear rubric, by metric and level; what is done comes last."""
    conn = session.project.conn
    entries = [
        entry
        for entry in deciding.causes(conn)
        if causes.cause_of(entry.mark.value) == "rubric_unclear" and entry.mark.metric
    ]
    rows = listing.listed(
        session.project, [x.mark.evaluation for x in entries], session.labeler.key
    )
    humans = listed_scores.humans_of(session, {key: row.run for key, row in rows.items()})
    items = []
    for entry in entries:
        mark, name = entry.mark, entry.mark.metric or ""
        row = rows.get(mark.evaluation)
        if row is None:
            continue
        metric = session.rubric_of_run(row.run).by_name.get(name)
        value = humans.get(mark.evaluation, {}).get(name)
        items.append(
            TodoItem(
                evaluation=mark.evaluation,
                id=row.id,
                title=row.title,
                metric=name,
                heading=metric.heading if metric else f"{name} ({GONE})",
                level=None if value is None else _named(metric, value),
                note=mark.note or "",
                by=mark.labeler,
                at=mark.at,
                done=mark.value == causes.CLARIFIED,
            )
        )
    return tuple(sorted(items, key=lambda x: (x.done, x.heading, x.level or "", x.at or "")))


def set_done(session: Session, item: TodoItem, *, done: bool) -> MarkChanged:
    """Tick a case as dealt with, or take the tick off; undo knows it.

    Raises:
        LabelError: The labeler is no lead.
    """
    require_lead(session, "tick off the rubric's to-do list")
    name = session.place(item.evaluation)[1]
    if item.metric in session.rubric_of(item.evaluation).by_name:
        subject(session, item.evaluation, item.metric)
    verb = "dealt with" if done else "open again"
    return causes.put(
        session,
        item.evaluation,
        item.metric,
        value=causes.CLARIFIED if done else "rubric_unclear",
        note=item.note or None,
        title=f"Rubric {verb} for {name}",
    )


def to_markdown(items: Iterable[TodoItem]) -> str:
    """Write the list as Markdown: a heading a metric, a tick box a case."""
    lines = ["# Rubric to-do", ""]
    ordered = sorted(items, key=lambda x: (x.heading, x.level or ""))
    for heading, of_metric in groupby(ordered, key=lambda x: x.heading):
        lines += [f"## {_escaped(heading)}", ""]
        for level, cases in groupby(of_metric, key=lambda x: x.level):
            lines += [f"### {_escaped(level or 'without a level')}", ""]
            lines += [_line(case) for case in cases]
            lines.append("")
    return "\n".join(lines)


def export(items: Iterable[TodoItem], path: str) -> str:
    """Write the list into a Markdown file and say so.

    Raises:
        ProjectError: The file cannot be written.
    """
    to = Path(path)
    try:
        to.write_text(to_markdown(items), encoding="utf-8")
    except OSError as error:
        raise ProjectError(f"{to} cannot be written: {error.strerror or error}.") from error
    return f"The rubric to-do list is in {to.name}."


def _line(item: TodoItem) -> str:
    box = "x" if item.done else " "
    note = f" — {_escaped(item.note)}" if item.note else ""
    return f"- [{box}] `{item.id.replace('`', chr(39))}` {_escaped(item.title)}{note}"


def _escaped(text: str) -> str:
    flat = " ".join(text.split())
    return "".join(f"\\{x}" if x in r"\`*_[]<>#|" else x for x in flat)


def _named(metric: Metric | None, value: Value) -> str:
    """Name the level that a human score lies on, such as "2 Poor"; between levels the number."""
    levels = metric.levels if metric else ()
    title = next((x.title or "" for x in levels if x.value == value), "")
    shown = value if isinstance(value, str) else brief(value, 3)
    return f"{shown} {title}".strip()
