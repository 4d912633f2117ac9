"""One evaluation before a judge: asked, read, and turned into a score to store."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import Evaluation
from reviewer.domain.job import JobPlan
from reviewer.domain.judging import EXAMPLES, Endpoint, Judge
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.values import JsonValue, Value, as_number, now_text
from reviewer.scoring.calling import Question, ReplyError
from reviewer.scoring.claims import score_claims
from reviewer.scoring.judging.prompts import Example, render, shown, suspicious
from reviewer.scoring.judging.replies import Verdict, reader
from reviewer.scoring.scorer import Failure, case_of
from reviewer.services.aligning.examples import Shot
from reviewer.store.jobs import Reply

Fields = dict[str, Any]
CLAIMS_MARK = '"claims"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """A judge about one metric: what it is asked and how its replies are read."""

    metric: Metric
    judge: Judge
    version: str
    prompt: str
    prompt_hash: str
    examples: tuple[Example, ...] = ()
    parameters: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def claims(self) -> bool:
        """Tell whether the prompt asks for claims, from which the score follows."""
        return CLAIMS_MARK in self.prompt

    def question(self, evaluation: Evaluation) -> Question:
        """Give what is asked about an evaluation.

        Raises:
            PromptError: The prompt cannot be filled in.
        """
        # an example that is its own case would give the answer away
        own = shown(evaluation) if self.examples else None
        examples = [x for x in self.examples if (x.query, x.response) != own]
        asking = render(self.prompt, evaluation, self.metric, examples)
        return Question(
            model=self.judge.model,
            prompt=asking.user,
            system=asking.system,
            temperature=self.judge.temperature,
            max_tokens=self.judge.max_tokens,
            seed=self.judge.seed,
            extra=self.judge.extra,
        )

    def read(self, evaluation: Evaluation, text: str) -> tuple[Verdict, Fields]:
        """Read a reply about an evaluation into a verdict and what is stored beside it.

        Raises:
            ReplyError: The reply cannot be taken; the sentence may be told to the model.
        """
        candidates = tuple(x.id for x in evaluation.candidates)
        verdict = reader(self.metric, candidates=candidates, claims=self.claims)(text)
        if not self.claims:
            return verdict, {}
        outcome = score_claims(case_of(evaluation), verdict.claims, self.metric)
        if isinstance(outcome, Failure):
            if outcome.kind != "undefined":
                raise ReplyError(outcome.text)
            return Verdict(value=None, reasoning=outcome.text), {"claims": verdict.claims}
        low, high = self.metric.bounds or (0.0, 1.0)
        value = low + (high - low) * outcome.value
        told = Verdict(value=value, reasoning=outcome.reasoning)
        return told, {"claims": verdict.claims, "ground_truth": outcome.ground_truth}

    def score(
        self, evaluation: Evaluation, reply: Reply, read: tuple[Verdict, Fields], *, repeat: int
    ) -> Fields:
        """Give the score as a record has it."""
        verdict, beside = read
        meta = dict(beside)
        flagged = suspicious(evaluation)
        if flagged:
            meta["injection"] = list(flagged)
        if repeat:
            meta["repeat"] = repeat
        fields: Fields = {
            "metric": self.metric.name,
            "value": verdict.value,
            "reasoning": verdict.reasoning,
            "examples": list(verdict.examples) or None,
            "error": None if verdict.value is not None else verdict.reasoning,
            "at": now_text(),
            "raw": reply.text,
            "trace": reply.trace,
            "passed": passed(self.metric, verdict.value),
            "confidence": verdict.confidence,
            "cost_usd": reply.cost_usd,
            "latency_ms": None if reply.latency_ms is None else round(reply.latency_ms, 1),
            "tokens_in": reply.tokens_in,
            "tokens_out": reply.tokens_out,
            "meta": meta or None,
            **self.identity(),
        }
        return {key: value for key, value in fields.items() if value is not None or key == "value"}

    def identity(self) -> Fields:
        """Give what names the score set, as a record has it."""
        return {
            "scorer": self.judge.name,
            "scorer_version": self.version,
            "model": self.judge.model,
            "prompt_hash": self.prompt_hash,
            "parameters": dict(self.parameters),
        }


def hearings(plan: JobPlan, rubric: Rubric) -> dict[str, Hearing]:
    """Give what a plan's judge is asked, by metric.

    Raises:
        ReviewerError: The plan has no judge, or no prompt for a metric.
    """
    judge = plan.judge
    if judge is None:
        raise ReviewerError("The plan names no judge.")
    prompts = {prompt.metric: prompt for prompt in plan.prompts}
    found = {}
    for name in plan.metrics:
        metric = rubric.by_name.get(name)
        if metric is None or name not in prompts:
            raise ReviewerError(f"There is no prompt for the metric {name}.")
        found[name] = Hearing(
            metric=metric,
            judge=judge,
            version=plan.judge_version,
            prompt=prompts[name].text,
            prompt_hash=prompts[name].hash,
            examples=tuple(
                Example(query=query, response=response, score=score, reasoning=reasoning)
                for query, response, score, reasoning in plan.examples.get(name, ())
            ),
            parameters=parameters(judge) | examples_mark(plan.examples.get(name, ())),
        )
    return found


def examples_mark(examples: Sequence[Shot]) -> dict[str, JsonValue]:
    """Name the examples among the parameters that scores are bound to; nothing without any."""
    if not examples:
        return {}
    said = json.dumps(examples, ensure_ascii=False)
    return {EXAMPLES: f"{len(examples)}:{hashlib.sha256(said.encode()).hexdigest()[:12]}"}


def parameters(judge: Judge) -> dict[str, JsonValue]:
    """Give the parameters that a judge's scores are bound to."""
    return judge.parameters


def cache_key(endpoint: Endpoint, question: Question, repeat: int, *, only_job: int | None) -> str:
    """Name everything that decides a reply.

    Args:
        endpoint: where it is asked.
        question: what is asked.
        repeat: repeats of one question are replies of their own.
        only_job: the job whose replies nobody else may take, None where anybody may.
    """
    said = json.dumps(
        [
            endpoint.kind, endpoint.base_url, endpoint.json_object, question.model,
            question.system, question.prompt, question.temperature, question.max_tokens,
            question.seed, dict(question.extra), question.history, repeat, only_job,
        ],
        sort_keys=True,
    )  # fmt: skip
    return hashlib.sha256(said.encode()).hexdigest()


def passed(metric: Metric, value: Value | None) -> bool | None:
    """Tell whether a score passes, None where the metric has no pass mark or there is no score."""
    number = as_number(value)
    if metric.pass_at is None or number is None:
        return None
    above = round(number - metric.pass_at, 9)
    return above >= 0 if metric.higher_is_better else above <= 0
