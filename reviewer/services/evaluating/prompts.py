"""The prompts of judges: those that ship, and the versions that a project makes of them."""

from reviewer.domain.change import JudgingChanged
from reviewer.domain.judging import Judge, Prompt
from reviewer.domain.rubric import Rubric
from reviewer.scoring.judging.prompts import check, prompt_hash
from reviewer.services.figures.judge_now import shipped_text
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
