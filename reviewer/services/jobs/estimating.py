"""What a job is likely to take, told before anything is asked."""

from dataclasses import dataclass

from reviewer.domain.case_set import question_of
from reviewer.domain.job import JobPlan
from reviewer.domain.judging import Endpoint
from reviewer.domain.wording import counted, fixed
from reviewer.scoring.judging.prechecks import excluded
from reviewer.services.bots import bots
from reviewer.services.calls import prices, selecting
from reviewer.services.jobs.budget import USUAL_REPLY, Budget
from reviewer.services.judging.judging import cache_key, hearings
from reviewer.services.project.session import Session
from reviewer.store import jobs, reading

SAMPLE = 200
"""Evaluations that an estimate looks at; the others are taken to be like them."""
USUAL_SECONDS = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a job is likely to take.

    Attributes:
        evaluations: How many are selected.
        calls: To be sent; what is in the cache and what is excluded is not among them.
        cost_usd: None where the model's price is not known.
        seconds: With calls of the usual length.
    """

    evaluations: int
    calls: int
    cached: int
    excluded: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    seconds: float

    @property
    def sentence(self) -> str:
        """Tell it in words."""
        price = "price not known" if self.cost_usd is None else f"about ${fixed(self.cost_usd, 4)}"
        parts = [
            counted(self.evaluations, "evaluation"),
            counted(self.calls, "call"),
            f"about {self.tokens_in + self.tokens_out:,} tokens",
            price,
        ]
        if self.cached:
            parts.append(f"{counted(self.cached, 'reply', 'replies')} from the cache")
        if self.excluded:
            parts.append(f"{self.excluded:,} excluded by the rubric's pre-checks")
        return " · ".join(parts) + "."


def estimate(session: Session, plan: JobPlan) -> Estimate:
    """Say what a judge's or a bot's job is likely to take, from its first evaluations.

    Raises:
        ReviewerError: The plan cannot be carried out; the sentence says why.
    """
    if plan.kind == "bot":
        return _answers(session, plan)
    keys = selecting.selected(session, plan.selection)
    rubric = selecting.rubric_of(session, plan.selection)
    asked = hearings(plan, rubric) if plan.kind == "judge" else {}
    conn = session.project.conn
    seen = calls = cached = out = tokens = 0
    budget = Budget(price=None)
    for key in keys[:SAMPLE]:
        evaluation = reading.evaluation(conn, key)
        if evaluation is None:
            continue
        seen += 1
        if excluded(rubric, evaluation) is not None:
            out += len(asked) * plan.repeats
            continue
        for hearing in asked.values():
            question = hearing.question(evaluation)
            size = budget.tokens(len(question.prompt) + len(question.system))
            for repeat in range(plan.repeats):
                name = cache_key(
                    plan.endpoint or Endpoint(name=""), question, repeat, only_job=None
                )
                if plan.use_cache and jobs.find_reply(conn, name) is not None:
                    cached += 1
                else:
                    calls, tokens = calls + 1, tokens + size
    share = len(keys) / seen if seen else 0.0
    return _scaled(
        session, plan, len(keys), [round(x * share) for x in (calls, cached, out, tokens)]
    )


def _answers(session: Session, plan: JobPlan) -> Estimate:
    """Say what answering takes; how a run that is not there yet is judged cannot be said."""
    found = bots.of_plan(session, plan)
    settings = plan.bot.settings if plan.bot else {}
    model = settings.get("model")
    fixed = sum(len(str(settings.get(x, ""))) for x in ("system", "template", "knowledge"))
    tokens_in = tokens_out = 0
    if isinstance(model, str):
        tokens_in = sum(Budget.tokens(fixed + len(question_of(case))) for case in found)
        tokens_out = len(found) * USUAL_REPLY
    price = prices.price_of(session.project, model) if isinstance(model, str) else None
    free = plan.bot is not None and bots.kind_of(plan.bot).free
    return Estimate(
        evaluations=len(found),
        calls=len(found),
        cached=0,
        excluded=0,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost_usd=price.cost(tokens_in, tokens_out) if price else (0.0 if free else None),
        seconds=len(found) * USUAL_SECONDS / (plan.concurrency or 4) if model else 0.0,
    )


def _scaled(session: Session, plan: JobPlan, evaluations: int, counted: list[int]) -> Estimate:
    calls, cached, out, tokens_in = counted
    tokens_out = calls * USUAL_REPLY
    price = prices.price_of(session.project, plan.judge.model) if plan.judge else None
    width = plan.concurrency or (plan.endpoint.concurrency if plan.endpoint else 1)
    seconds = calls * USUAL_SECONDS / max(width, 1)
    if plan.endpoint is not None and plan.endpoint.per_minute:
        seconds = max(seconds, calls * 60.0 / plan.endpoint.per_minute)
    return Estimate(
        evaluations=evaluations,
        calls=calls,
        cached=cached,
        excluded=out,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost_usd=price.cost(tokens_in, tokens_out) if price else (None if plan.judge else 0.0),
        seconds=seconds,
    )
