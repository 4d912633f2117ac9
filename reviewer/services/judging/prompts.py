"""The prompts of judges: shipped, versions of a project, and one looked at while it is written."""

import difflib
from dataclasses import dataclass
from typing import Final, Literal

from reviewer.domain.change import JudgingChanged
from reviewer.domain.errors import ReviewerError
from reviewer.domain.job import Selection
from reviewer.domain.judging import Judge, Prompt
from reviewer.domain.rubric import Rubric
from reviewer.domain.values import Value
from reviewer.scoring.judging.prompts import PromptError, check, prompt_hash, render, suspicious
from reviewer.services.calls import selecting
from reviewer.services.figures.judge_details import shipped_text
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.store import judging


def shipped(rubric: Rubric, metric: str) -> Prompt:
    """Give the prompt that ships for a metric, the general one where there is none of its own."""
    text = shipped_text(rubric, metric)
    return Prompt(
        rubric=rubric.name, metric=metric, version=0, hash=prompt_hash(text), text=text,
        note="ships with Reviewer",
    )  # fmt: skip


def versions(session: Session, rubric: Rubric, metric: str) -> tuple[Prompt, ...]:
    """Give a metric's prompts, the newest first; the one that ships comes last."""
    return (
        *judging.prompts(session.project.conn, rubric.name, metric),
        shipped(rubric, metric),
    )


def current(session: Session, rubric: Rubric, metric: str, wanted: str | None = None) -> Prompt:
    """Give a metric's newest prompt, or the version of a hash where there is one."""
    there = versions(session, rubric, metric)
    return next((x for x in there if x.hash == wanted), there[0])


def of_judge(session: Session, rubric: Rubric, metric: str, judge: str) -> Prompt:
    """Give the version that a judge asks with: the one it is bound to, else the newest."""
    bound = judging.find(session.project.conn, Judge, judge)
    return current(session, rubric, metric, dict(bound.prompts).get(metric) if bound else None)


def of_text(session: Session, rubric: Rubric, metric: str, text: str) -> Prompt:
    """Give the version that has a text; one that has a number but no date is not kept yet."""
    there = versions(session, rubric, metric)
    bare = text.rstrip("\n")
    known = next((x for x in there if x.text.rstrip("\n") == bare), None)
    return known or Prompt(
        rubric=rubric.name, metric=metric, version=there[0].version + 1,
        hash=prompt_hash(text), text=text,
    )  # fmt: skip


def is_kept(prompt: Prompt) -> bool:
    """Tell whether a prompt ships or is one of the project's versions."""
    return not prompt.version or bool(prompt.created_at)


def title(prompt: Prompt) -> str:
    """Name a version in a few words."""
    if not prompt.version:
        return "the prompt as shipped"
    return f"prompt v{prompt.version}" + ("" if is_kept(prompt) else ", not kept yet")


def save(session: Session, rubric: Rubric, metric: str, text: str, note: str = "") -> Prompt:
    """Keep a text as the newest version of a metric's prompt.

    Raises:
        PromptError: The template is wrong; the sentence names the line.
    """
    check(text)
    kept = judging.keep_prompt(
        session.project,
        rubric=rubric.name,
        metric=metric,
        text=text,
        text_hash=prompt_hash(text),
        note=note,
    )
    session.publish(JudgingChanged(f"a prompt of {metric} was kept"))
    return kept


VARIABLES: Final = (
    ("query", "what the user asked"),
    ("response", "what is judged"),
    ("context", "what the agent was given"),
    ("expected", "the expected answer"),
    ("messages", "the conversation; in a loop each turn's role and text"),
    ("sources", "the cited sources; in a loop id, title and text"),
    ("metric", "name, title, description and scale"),
    ("levels", "the levels, highest first: value, title, description, example"),
    ("examples", "scored examples: query, response, score, reasoning"),
)
"""What a prompt may name, with what it stands for."""
AT_HAND: Final = 500
"""Evaluations that a preview goes through."""

How = Literal["same", "added", "removed"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a prompt as another version has it, or has not."""

    how: How
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a person gave."""

    labeler: str
    value: Value | None
    comment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A prompt filled in with one evaluation.

    Attributes:
        id: Of the evaluation.
        flagged: What in the response looks like instructions to the judge.
        people: Labels of the metric, nothing while the evaluation is hidden.
        auto: The score that figures use, None where there is none or it is hidden.
        hidden: Whether the labeler has not seen what judges say of it.
    """

    key: int
    id: str
    system: str
    user: str
    flagged: tuple[str, ...]
    people: tuple[Said, ...]
    auto: Value | None
    hidden: bool


def problem(text: str) -> str:
    """Say what is wrong with a template, with the line; nothing where it can be used."""
    try:
        check(text)
    except PromptError as error:
        return str(error)
    return ""


def preview(session: Session, key: int, metric: str, text: str) -> Preview:
    """Fill a template with an evaluation.

    Raises:
        ReviewerError: The evaluation or the metric is not there, or the template is wrong.
    """
    seen = reading.view(session, key)
    asked = seen.rubric.by_name.get(metric)
    if asked is None:
        raise ReviewerError(f"The rubric {seen.rubric.name} has no metric {metric!r}.")
    made = render(text, seen.evaluation, asked)
    labels = () if seen.hidden else (*seen.own.values(), *seen.others)
    score = seen.auto.get(metric)
    return Preview(
        key=key,
        id=seen.evaluation.id,
        system=made.system,
        user=made.user,
        flagged=suspicious(seen.evaluation),
        people=tuple(
            Said(labeler=x.labeler, value=x.value, comment=x.comment or "")
            for x in labels
            if x.metric == metric and x.counts and x.turn is None
        ),
        auto=None if score is None else score.value,
        hidden=seen.hidden,
    )


def at_hand(session: Session, rubric: str, runs: tuple[str, ...] = ()) -> tuple[int, ...]:
    """Give evaluations to try a prompt on: labelled ones where there are any, else others.

    Nothing that is held out is among them. Without runs the newest run of the rubric is taken.
    """
    names = runs or tuple(x for x in session.run_names() if _has(session, x, rubric))[-1:]
    for wanted in (
        Selection(runs=names, only="labelled", part="dev", limit=AT_HAND),
        Selection(runs=names, only="unlabelled", limit=AT_HAND),
    ):
        found = selecting.selected(session, wanted) if names else ()
        if len(found):
            return tuple(found)
    return ()


def lines_apart(before: str, now: str) -> tuple[Line, ...]:
    """Compare two versions of a prompt line by line."""
    old, new = before.splitlines(), now.splitlines()
    found: list[Line] = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for how, a, b, c, d in matcher.get_opcodes():
        if how == "equal":
            found += (Line("same", x) for x in new[c:d])
        else:
            found += (Line("removed", x) for x in old[a:b])
            found += (Line("added", x) for x in new[c:d])
    return tuple(found)


def changes(before: str, now: str) -> str:
    """Say how many lines changed: "changed 2 lines", "changed 1, added 3 lines" or "the same"."""
    found = lines_apart(before, now)
    added = sum(x.how == "added" for x in found)
    removed = sum(x.how == "removed" for x in found)
    both = min(added, removed)
    counts = (("changed", both), ("added", added - both), ("removed", removed - both))
    parts = [f"{word} {n}" for word, n in counts if n]
    lines = " line" if max(added, removed) == 1 else " lines"
    return ", ".join(parts) + lines if parts else "the same"


def _has(session: Session, run: str, rubric: str) -> bool:
    wanted = Selection(runs=(run,))
    return selecting.runs_of(session, wanted)[1].name == rubric
