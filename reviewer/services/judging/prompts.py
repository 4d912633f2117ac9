"""The prompts of judges, shipped and of a project, and one evaluation asked with them and read."""

import difflib
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from reviewer.domain.change import JudgingChanged
from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import Evaluation, JsonValue, Value, as_number, now_text
from reviewer.domain.judging import EXAMPLES, Endpoint, JobPlan, Judge, Prompt, Selection
from reviewer.domain.rubric import Metric, Rubric
from reviewer.scoring.calling import Question, ReplyError
from reviewer.scoring.claims import score_claims
from reviewer.scoring.judging.prompts import (
    Example,
    PromptError,
    check,
    prompt_hash,
    render,
    shown,
    suspicious,
)
from reviewer.scoring.judging.replies import Verdict, reader
from reviewer.scoring.scorer import Failure, case_of
from reviewer.services.aligning.examples import Shot
from reviewer.services.calls import selecting
from reviewer.services.figures.judge_details import shipped_text
from reviewer.services.project import key_notice, reading
from reviewer.services.project.session import Session
from reviewer.store import judging
from reviewer.store.jobs import Reply


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
        LabelError: It seems to hold a key, which is said once.
    """
    check(text)
    key_notice.point_out(session, text, "The prompt")
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
    for how, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
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
    return selecting.runs_of(session, Selection(runs=(run,)))[1].name == rubric


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
        verdict = reader(
            self.metric, candidates=tuple(x.id for x in evaluation.candidates), claims=self.claims
        )(text)
        if not self.claims:
            return verdict, {}
        outcome = score_claims(case_of(evaluation), verdict.claims)
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
