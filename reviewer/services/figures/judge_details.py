"""How a judge came to its score, and how the project's judges would score today."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Literal

from reviewer.domain.evaluation import JsonValue, Score, as_number
from reviewer.domain.judging import EXAMPLES, Judge
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.run import ScorerVersion
from reviewer.domain.wording import brief, fixed, two
from reviewer.paths import resources
from reviewer.services.project.reading import EvaluationView, is_repeat
from reviewer.services.project.session import Session
from reviewer.store import jobs, judging
from reviewer.store.project import Project

FEW = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeDetails:
    """Everything that is known of one auto score.

    Attributes:
        by: The version's full name; empty where nothing scored the metric.
        facts: Names and words, such as ("model", "deepseek-chat").
        raw: The reply as received.
        trace: What the model thought before it replied.
        prompt: The prompt's text, empty where the project does not have it.
        problem: Why there is no score: an exclusion or a failure; empty where there is one.
    """

    metric: Metric
    by: str = ""
    score: str = ""
    reasoning: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    examples: tuple[str, ...] = ()
    raw: str = ""
    trace: str = ""
    prompt_name: str = ""
    prompt: str = ""
    problem: str = ""


def details(session: Session, view: EvaluationView) -> tuple[JudgeDetails, ...]:
    """Tell of every labelled metric how its auto score came about; nothing while it is hidden."""
    if view.hidden:
        return ()
    problems = jobs.problems_of(session.project.conn, view.evaluation.key)
    return tuple(
        _details(session, view, metric, problems.get(metric.name, ""))
        for metric in view.rubric.labelled_metrics
    )


def _details(session: Session, view: EvaluationView, metric: Metric, problem: str) -> JudgeDetails:
    score = view.auto.get(metric.name)
    if score is None:
        return JudgeDetails(metric=metric, problem=problem)
    name, text = _prompt(session, view, metric, score.prompt_hash)
    return JudgeDetails(
        metric=metric,
        by=view.auto_by.get(metric.name, ""),
        score=_value(score.value),
        reasoning=score.reasoning or "",
        facts=tuple((x, y) for x, y in (*_asked(score, name), *_came(view, score)) if y),
        examples=score.examples,
        raw=score.raw or "",
        trace=score.trace or "",
        prompt_name=name,
        prompt=text,
        problem=score.error or "",
    )


def _asked(score: Score, prompt: str) -> Sequence[tuple[str, str]]:
    return (
        ("model", score.model or ""),
        ("prompt", f"{prompt} · {score.prompt_hash}" if score.prompt_hash else ""),
        ("parameters", ", ".join(f"{x} {_value(y)}" for x, y in score.parameters.items())),
    )


def _came(view: EvaluationView, score: Score) -> Sequence[tuple[str, str]]:
    tokens = (score.tokens_in, score.tokens_out)
    return (
        ("repeats", _repeats(view, score)),
        ("confidence", "" if score.confidence is None else fixed(score.confidence)),
        ("cost", "" if score.cost_usd is None else f"${brief(score.cost_usd, 2)}"),
        ("latency", "" if score.latency_ms is None else f"{fixed(score.latency_ms / 1000)} s"),
        (
            "tokens",
            ""
            if None in tokens
            else f"{fixed(score.tokens_in, 0)} in, {fixed(score.tokens_out, 0)} out",
        ),
        ("scored", (score.at or "").replace("T", " ")[:19]),
    )


def _repeats(view: EvaluationView, score: Score) -> str:
    """Say what repeats of the same judge gave, with mean and spread."""
    same = [
        as_number(x.value) for x in view.all_scores if is_repeat(x, score) and x.value is not None
    ]
    values = [x for x in same if x is not None]
    if len(values) < 2:
        return ""
    shown = ", ".join(f"{x:g}" for x in values[:FEW]) + (", …" if len(values) > FEW else "")
    return f"{len(values)} times: {shown} · mean {two(fmean(values))}, spread {two(stdev(values))}"


def _prompt(
    session: Session, view: EvaluationView, metric: Metric, mark: str | None
) -> tuple[str, str]:
    if mark is None:
        return "", ""
    for prompt in judging.prompts(session.project.conn, view.rubric.name, metric.name):
        if prompt.hash == mark:
            return f"v{prompt.version}", prompt.text
    if shipped_hash(view.rubric, metric.name) == mark:
        return "the one that ships", shipped_text(view.rubric, metric.name)
    return "not in this project", ""


def _value(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, int | float) else str(value)


Reason = Literal["model", "prompt_hash", "parameters"]
GENERIC = "generic"
HASH_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that was otherwise when scores were made, in words before and now."""

    reason: Reason
    before: str
    now: str


def differences(
    project: Project, rubric: Rubric, metric: str, made_by: ScorerVersion
) -> tuple[Difference, ...]:
    """Say in what the judge that made a score set has changed since; what is unknown is not told.

    A score set without a judge of its scorer's name in the project has nothing to differ from.
    """
    judge = judging.find(project.conn, Judge, made_by.scorer)
    if judge is None:
        return ()
    found = []
    if made_by.model is not None and made_by.model != judge.model:
        found.append(Difference("model", made_by.model, judge.model))
    prompts = {x.hash: x.version for x in judging.prompts(project.conn, rubric.name, metric)}
    if made_by.prompt_hash is not None:
        there = (*prompts, shipped_hash(rubric, metric))
        wanted = dict(judge.prompts).get(metric)
        current = wanted if wanted in there else there[0]
        if made_by.prompt_hash != current:
            words = (
                _prompt_now(x, prompts, rubric, metric) for x in (made_by.prompt_hash, current)
            )
            found.append(Difference("prompt_hash", *words))
    before = _parameters(made_by.parameters)
    if before is not None and before != judge.parameters:
        found.append(Difference("parameters", *_apart(before, judge.parameters)))
    return tuple(found)


def shipped_text(rubric: Rubric, metric: str) -> str:
    """Give the prompt that ships for a metric, the general one where there is none of its own."""
    folder = resources() / "prompts"
    file = folder / rubric.name / f"{metric}.j2"
    own = rubric.by_name.get(metric) is not None and file.is_file()
    return (file if own else folder / f"{GENERIC}.j2").read_text(encoding="utf-8")


def shipped_hash(rubric: Rubric, metric: str) -> str:
    """Name the prompt that ships for a metric as score sets do."""
    return hashlib.sha256(shipped_text(rubric, metric).encode()).hexdigest()[:HASH_DIGITS]


def _prompt_now(mark: str, known: dict[str, int], rubric: Rubric, metric: str) -> str:
    if mark in known:
        return f"prompt v{known[mark]}"
    shipped = mark == shipped_hash(rubric, metric)
    return "the prompt that ships" if shipped else f"the prompt {mark}"


def _parameters(text: str | None) -> dict[str, JsonValue] | None:
    try:
        found = json.loads(text) if text else None
    except ValueError:
        return None
    if not isinstance(found, dict):
        return None
    # examples are chosen for each job: they make another version, but are nothing that changed
    return {name: value for name, value in found.items() if name != EXAMPLES}


def _apart(before: dict[str, JsonValue], now: dict[str, JsonValue]) -> tuple[str, str]:
    names = [name for name in dict.fromkeys((*before, *now)) if before.get(name) != now.get(name)]
    one, other = (
        ", ".join(f"{name} {_said(given.get(name))}" for name in names) for given in (before, now)
    )
    return one, other


def _said(value: JsonValue) -> str:
    return "unset" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
