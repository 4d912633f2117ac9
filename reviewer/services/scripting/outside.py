"""Score texts that lie in no project: cases from a script, by scorers and a judge."""

import asyncio
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from reviewer.domain.errors import ReviewerError, Silent
from reviewer.domain.evaluation import Evaluation, Score
from reviewer.domain.judging import Endpoint, Judge
from reviewer.domain.record import native_names
from reviewer.domain.rubric import Metric, Rubric
from reviewer.formats.case_files import spelled
from reviewer.formats.incoming import BadRow, Record
from reviewer.formats.record import checked
from reviewer.paths import resources
from reviewer.scoring.calling import Asked, CallError
from reviewer.scoring.judging.prompts import prompt_hash
from reviewer.scoring.judging.replies import Verdict
from reviewer.scoring.scorer import as_score, case_of
from reviewer.services.computer import secrets
from reviewer.services.jobs import scorers
from reviewer.services.jobs.control import wait_before
from reviewer.services.judging import judges
from reviewer.services.judging.judges import PlacedJudge
from reviewer.services.judging.prompts import Fields, Hearing
from reviewer.services.project.rubrics import shipped
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import reading

Given = Mapping[str, Any]
TRIES: Final = 3
_TEXTS: Final = ("input", "response", "expected")


def judge_of(model: str, base_url: str | None = None) -> PlacedJudge:
    """Give a judge by its model's name: at its provider, or at an address that speaks OpenAI's.

    Args:
        model: such as deepseek-chat.
        base_url: up to and without /chat/completions; None for the provider that the model's
            name tells of.

    Raises:
        ReviewerError: Nobody knows where the model is reached.
    """
    place = judges.endpoint_of(model)
    if base_url is not None:
        place = Endpoint(name="api", base_url=base_url, needs_key=False)
    if place is None:
        raise ReviewerError(
            f"It is not known where the model {model!r} is reached; give its base_url."
        )
    return PlacedJudge(Judge(name=model, endpoint=place.name, model=model), place)


def text_of(value: object) -> str | None:
    """Give what a script says as text: objects and lists as JSON, None where there is nothing."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(value, ensure_ascii=False, indent=2, default=str)
    return str(value)


def in_words(record: Given) -> dict[str, Any]:
    """Give a record in the native format's names, with question, answer and expected as texts."""
    named = native_names(dict(record))
    return {**named, **{key: text_of(named[key]) for key in _TEXTS if key in named}}


def test_of(test: Given) -> dict[str, Any]:
    """Give a test in the native format's names; what a test calls its answer is expected."""
    return spelled(dict(test))


def said_of(output: object) -> dict[str, Any]:
    """Give what an agent said in the native format's names; a mere answer is its response."""
    return native_names(dict(output)) if isinstance(output, Mapping) else {"response": output}


def answered_case(output: object, test: Given) -> dict[str, Any]:
    """Give a test with what an agent said to it as one record."""
    return in_words({**test_of(test), **said_of(output)})


def line_of(record: Given) -> str:
    """Write a record as a line that an import reads; what JSON has no word for becomes text.

    Raises:
        ReviewerError: It holds a number that is none.
    """
    try:
        return json.dumps(record, allow_nan=False, default=str) + "\n"
    except ValueError as error:
        name = record.get("id", "a case")
        raise ReviewerError(f"The record of {name} cannot be written as JSON: {error}.") from None


def imported(project: Path, request: ImportRequest) -> None:
    """Import the records of a script whole, or none of them.

    Raises:
        ReviewerError: The project cannot be written, or a record or a value of one is refused.
    """
    found = importing.run(project, replace(request, strict=True), Silent())
    if not found.stored:
        first = found.first_rejected[0].sentence if found.first_rejected else ""
        raise ReviewerError(
            f"Nothing was kept in {project.name}: {found.refused_words} cannot be. {first}".strip()
        )


def evaluation_of(record: Given, name: str = "case") -> Evaluation:
    """Make an evaluation of a record, checked as an import checks it.

    What needs a field whose value is of the wrong kind is not scored.

    Args:
        record: such as input, response, expected and context.
        name: its id where it has none.

    Raises:
        ReviewerError: It can be none, as there is nothing to look at.
    """
    plain = json.loads(json.dumps({"id": name, **record}, default=str))
    found = checked(plain, 0)
    if isinstance(found, Record):
        return reading.of_record(found.fields)
    place, reason = (found.field, found.reason) if isinstance(found, BadRow) else ("", "a label")
    raise ReviewerError(f"{plain['id']}{place and f', {place}'}: {reason}.")


def scores_of(
    evaluation: Evaluation, rubric: Rubric, metrics: Sequence[str], judge: PlacedJudge | None
) -> list[Score]:
    """Score an evaluation: metrics with a scorer by it, the others by the judge if there is one.

    What cannot be scored is a score without a value, with the error.

    Raises:
        ReviewerError: The judge cannot be reached, its key is missing, or an event loop runs
            already; `await judged` there.
    """
    found = []
    asked = []
    for name in metrics:
        metric = rubric.by_name[name]
        scorer = scorers.of_metric(metric)
        if scorer is None:
            asked.append(metric)
            continue
        outcome = scorer.score(case_of(evaluation), metric.parameters)
        found.append(as_score(outcome, name, scorer=scorer.name, version=scorer.version))
    if asked and judge is not None:
        found += run(judged(evaluation, rubric, asked, judge))
    return found


def run(work: "Any") -> Any:  # noqa: ANN401  # what a coroutine gives is its own business
    """Wait for a coroutine where no event loop runs.

    Raises:
        ReviewerError: One runs already.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    work.close()
    raise ReviewerError("An event loop runs already; await the asynchronous form there.")


async def judged(
    evaluation: Evaluation,
    rubric: Rubric,
    metrics: Sequence[Metric],
    judge: PlacedJudge,
    prompts: Mapping[str, str] | None = None,
) -> list[Score]:
    """Let a judge score an evaluation, all metrics at the same time.

    Args:
        evaluation: the case.
        rubric: with the prompts that ship.
        metrics: of the rubric.
        judge: who is asked, and where.
        prompts: texts of prompts by metric, in place of those that ship.

    Raises:
        CallError: The judge cannot be reached, or its key is missing.
    """
    from reviewer.scoring.llm.client import Client

    key = secrets.key_of(judge.endpoint)

    async with Client(judge.endpoint, key) as client:
        return list(
            await asyncio.gather(
                *(
                    _judged(client, evaluation, _hearing(rubric, x, judge.judge, prompts or {}))
                    for x in metrics
                )
            )
        )


def prompt_of(rubric: str, metric: str) -> str:
    """Give the text of the prompt that ships for a metric, the general one where there is none."""
    folder = resources() / "prompts"
    own = folder / rubric / f"{metric}.j2"
    known = shipped().get(rubric)
    there = known is not None and metric in known.by_name and own.is_file()
    return (own if there else folder / "generic.j2").read_text(encoding="utf-8")


def _hearing(rubric: Rubric, metric: Metric, judge: Judge, prompts: Mapping[str, str]) -> Hearing:
    text = prompts.get(metric.name) or prompt_of(rubric.name, metric.name)
    return Hearing(
        metric=metric,
        judge=judge,
        version="1",
        prompt=text,
        prompt_hash=prompt_hash(text),
    )


async def _judged(client: Any, evaluation: Evaluation, hearing: Hearing) -> Score:  # noqa: ANN401
    question = hearing.question(evaluation)
    draw = random.Random()  # noqa: S311 - spreads repeats, hides no secret
    for number in range(1, TRIES + 1):
        try:
            asked: Asked[tuple[Verdict, Fields]] = await client.ask(
                question, lambda text: hearing.read(evaluation, text)
            )
        except CallError as error:
            if not error.again or number == TRIES:
                raise
            await asyncio.sleep(wait_before(number, error.retry_after, draw))
        else:
            verdict = asked.value[0] if asked.value else Verdict(value=None)
            return Score(
                metric=hearing.metric.name,
                value=verdict.value,
                reasoning=verdict.reasoning or None,
                error=None if verdict.value is not None else asked.problem or verdict.reasoning,
                scorer=hearing.judge.name,
                scorer_version=hearing.version,
                model=hearing.judge.model,
                raw=asked.raw,
                trace=asked.trace,
            )
    raise ReviewerError("The judge gave no reply.")
