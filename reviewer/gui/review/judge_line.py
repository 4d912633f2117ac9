"""How a judge came to its score in one line, after the reveal; the tab Judge tells the rest."""

from statistics import fmean, stdev

from reviewer.domain.evaluation import Score
from reviewer.domain.values import as_number
from reviewer.services.project.reading import EvaluationView, is_repeat


def told(view: EvaluationView, metric: str) -> str:
    """Say who scored, how often, how sure it was and what it took; nothing while hidden."""
    score = view.auto.get(metric)
    if view.hidden or score is None:
        return ""
    facts = [
        view.auto_by.get(metric, ""),
        score.model if score.model not in (None, score.scorer) else "",
    ]
    if score.prompt_hash:
        facts.append(f"prompt {score.prompt_hash[:6]}")
    facts.append(_repeats(view, score))
    if score.confidence is not None:
        facts.append(f"confidence {score.confidence:.2f}")
    if score.cost_usd is not None:
        facts.append(f"${score.cost_usd:.2g}")
    if score.latency_ms is not None:
        facts.append(f"{score.latency_ms / 1000:.2f} s")
    return " · ".join(x for x in facts if x)


def _repeats(view: EvaluationView, score: Score) -> str:
    values = [
        value
        for x in view.all_scores
        if is_repeat(x, score) and (value := as_number(x.value)) is not None
    ]
    if len(values) < 2:
        return ""
    return f"{len(values)} times: mean {fmean(values):.2f}, spread {stdev(values):.2f}"
