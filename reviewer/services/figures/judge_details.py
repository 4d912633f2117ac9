"""How a judge came to its score: what it was asked, under which settings, and what it replied."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from reviewer.domain.evaluation import Score
from reviewer.domain.rubric import Metric
from reviewer.domain.values import JsonValue, as_number
from reviewer.services.figures.judge_now import shipped_hash, shipped_text
from reviewer.services.project.insights_words import two
from reviewer.services.project.reading import EvaluationView, is_repeat
from reviewer.services.project.session import Session
from reviewer.store import jobs, judging

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
        injection: What in the response looks like instructions to the judge.
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
    injection: tuple[str, ...] = ()
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
        injection=_texts(score.meta.get("injection")),
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
        ("confidence", "" if score.confidence is None else f"{score.confidence:.2f}"),
        ("cost", "" if score.cost_usd is None else f"${score.cost_usd:.2g}"),
        ("latency", "" if score.latency_ms is None else f"{score.latency_ms / 1000:.2f} s"),
        (
            "tokens",
            "" if None in tokens else f"{score.tokens_in:,.0f} in, {score.tokens_out:,.0f} out",
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


def _texts(value: JsonValue) -> tuple[str, ...]:
    return tuple(x for x in value if isinstance(x, str)) if isinstance(value, list) else ()


def _value(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, int | float) else str(value)
