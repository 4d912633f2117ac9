"""The agent rubric's evaluation from a script: rubrics, results, summary, and runs to keep."""

import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from reviewer.domain.errors import ReviewerError, RubricError, Silent
from reviewer.domain.evaluation import Evaluation, Score, as_number, now_text
from reviewer.domain.rubric import Metric, Rubric
from reviewer.reports.cases import scored_case
from reviewer.reports.systems.agent_rubric import AgentResult, agent_result, agent_summary
from reviewer.scoring.overall import overall_rule
from reviewer.services.judging.judges import PlacedJudge
from reviewer.services.monitoring import view
from reviewer.services.monitoring.view import MonitorSample
from reviewer.services.project import rubrics
from reviewer.services.project.session import Session
from reviewer.services.scripting.limiting import SECONDS, TooLongError, limited
from reviewer.services.scripting.outside import (
    evaluation_of,
    judge_of,
    scores_of,
)
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.stats.satisfaction import weighted_mean

Kept = dict[str, Any]
"""A case with its answer and scores, in the keys of the native format."""


def kept(
    test: Mapping[str, Any],
    said: Mapping[str, Any],
    evaluation: Evaluation,
    scores: Iterable[Score],
) -> Kept:
    """Give the record of an answered and scored test."""
    record: Kept = {"id": evaluation.id, **test, **said, "evaluated_at": now_text()}
    record["scores"] = [_score(score) for score in scores]
    return record


def _score(score: Score) -> dict[str, Any]:
    fields = {
        "metric": score.metric,
        "value": score.value,
        "reasoning": score.reasoning,
        "error": score.error,
        "scorer": score.scorer,
        "scorer_version": score.scorer_version,
        "model": score.model,
        "raw": score.raw,
        "trace": score.trace,
    }
    return {key: value for key, value in fields.items() if value is not None or key == "value"}


def keep(project: Path, name: str, rubric: Rubric, records: Sequence[Kept]) -> str:
    """Keep records as a new run of a project, made where it is not there, and give its name.

    Raises:
        ReviewerError: The project cannot be opened or written, or a record is no case.
    """
    run = _free(name, _runs(project))
    with tempfile.TemporaryDirectory(prefix="reviewer-") as folder:
        file = Path(folder) / "run.jsonl"
        named = (
            {**x, "id": f"{number}" if x["id"] == "case" else str(x["id"])}
            for number, x in enumerate(records, 1)
        )
        text = "".join(json.dumps({**x, "run": run}, allow_nan=False) + "\n" for x in named)
        file.write_text(text, encoding="utf-8")
        importing.run(project, ImportRequest(files=(file,), rubric=rubric, strict=True), Silent())
    return run


def _runs(project: Path) -> tuple[str, ...]:
    if not project.exists():
        return ()
    with closing(Session.open(project)) as session:
        return session.run_names()


def _free(name: str, taken: Sequence[str]) -> str:
    numbered = (f"{name} {number}" for number in range(1, len(taken) + 2))
    return next(x for x in numbered if x not in taken)


Result = AgentResult
Given = str | Path | Rubric | Mapping[str, Any]
Scoring = Callable[[Any, Mapping[str, Any]], Mapping[str, float | None]]
"""Scores an output of a test by dimension, in place of scorers and judge."""
AGENT_RUBRIC: Final = "agent-rubric"


def rubric_of(given: Given) -> Rubric:
    """Give a rubric: one that ships by name, a file, or weights by dimension.

    Args:
        given: a name, a TOML file, a rubric, or dimensions with a weight each: a number or a
            mapping with `weight` and maybe `description`. Dimensions of the agent rubric keep
            its levels.

    Raises:
        RubricError: There is no such rubric, or a weight is no number from 0.
    """
    if isinstance(given, Rubric):
        return given
    if isinstance(given, Mapping):
        return _of_weights(given)
    return rubrics.shipped().get(str(given)) or rubrics.load(Path(given))


def _of_weights(given: Mapping[str, Any]) -> Rubric:
    base = rubrics.shipped()[AGENT_RUBRIC]
    if not given:
        raise RubricError("The rubric has no dimension; give each a weight.")
    metrics = tuple(_dimension(base, name, entry) for name, entry in given.items())
    same = set(given) == set(base.by_name)
    return replace(base, name=AGENT_RUBRIC if same else "own dimensions", metrics=metrics)


def _dimension(base: Rubric, name: str, entry: object) -> Metric:
    fields: Mapping[str, Any] = entry if isinstance(entry, Mapping) else {"weight": entry}
    weight = fields.get("weight")
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not weight >= 0:
        raise RubricError(f"Dimension {name}: the weight is {weight!r}; a number from 0 is right.")
    known = base.by_name.get(name)
    if known is not None:
        return replace(known, weight=float(weight))
    text = str(fields.get("description", ""))
    return Metric(
        name=name, description=text, weight=float(weight), scale="range", min=0.0, max=1.0
    )


def overall(scores: Mapping[str, float | None], given: Given) -> float | None:
    """Give the weighted mean of the dimensions that are there; None where none is."""
    rubric = rubric_of(given)
    return weighted_mean(dict(scores), overall_rule(rubric))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Scores outputs by one rubric: by a function of the script, else by scorers and a judge."""

    rubric: Rubric
    judge: PlacedJudge | None = None
    scoring: Scoring | None = None

    def evaluated(self, output: object, test: Mapping[str, Any]) -> tuple[AgentResult, Kept]:
        """Score what an agent said to a test, and give the record that a project would keep.

        Args:
            output: the answer, or a record with `response` and what belongs to it.
            test: in the keys of the native format.

        Raises:
            ReviewerError: The judge cannot be reached, or a score is off its scale.
        """
        said = dict(output) if isinstance(output, Mapping) else {"response": _text(output)}
        evaluation = evaluation_of({**test, **said})
        unanswered = evaluation.error is not None and evaluation.response is None
        scores: list[Score] = []
        if self.scoring is not None:
            scores = _given(self.scoring(output, test), self.rubric)
        elif self.judge is not None and not unanswered:
            names = [metric.name for metric in self.rubric.overall_metrics]
            scores = scores_of(evaluation, self.rubric, names, self.judge)
        return agent_result(scored_case(evaluation, scores), self.rubric, dict(test)), kept(
            test, said, evaluation, scores
        )


def bench(
    given: Given, model: str, base_url: str | None = None, scoring: Scoring | None = None
) -> Bench:
    """Get ready to score; nothing is asked yet.

    Raises:
        ReviewerError: There is no such rubric, or nobody knows where the model is reached.
    """
    judge = None if scoring else judge_of(model, base_url)
    return Bench(rubric=rubric_of(given), judge=judge, scoring=scoring)


def told(result: AgentResult, output: object) -> dict[str, Any]:
    """Give a result in the agent rubric's field names, with the output as the agent gave it."""
    return {**result.to_json(), "output": output}


def _text(output: object) -> str | None:
    return None if output is None else str(output)


def _given(values: Mapping[str, float | None], rubric: Rubric) -> list[Score]:
    if not isinstance(values, Mapping):
        raise ReviewerError(
            f"The function score gave {type(values).__name__}; a mapping of dimensions to numbers "
            "is expected."
        )
    found = []
    for name, value in values.items():
        metric = rubric.by_name.get(name)
        if metric is None:
            raise ReviewerError(
                f"The rubric {rubric.name} has no dimension {name!r}; it has: "
                f"{', '.join(rubric.by_name)}."
            )
        problem = None if value is None else metric.score_problem(value)
        if problem is not None:
            raise ReviewerError(f"{problem}.")
        found.append(Score(metric=name, value=value, scorer="script"))
    return found


def summary(results: Sequence[AgentResult]) -> dict[str, Any]:
    """Give the summary of results in the agent rubric's field names."""
    return dict(agent_summary(results).to_json())


def sample(query: str, output: object, result: AgentResult) -> MonitorSample:
    """Make the monitor's sample of an answer."""
    return view.sample_of(
        query,
        _text(output.get("response") if isinstance(output, Mapping) else output),
        score=as_number(result.overall_score),
        passed=result.passed,
        timestamp=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


def metrics(samples: Sequence[MonitorSample], thresholds: Mapping[str, float]) -> dict[str, Any]:
    """Give the monitor's figures in its field names."""
    scored = [(one.score, one.passed) for one in samples]
    return view.tally_of(
        scored, warning=thresholds["warning"], critical=thresholds["critical"]
    ).to_json()


def answered(
    agent: Any,  # noqa: ANN401  # a stranger's code
    test: Mapping[str, Any],
    seconds: float | None = SECONDS,
) -> Any:  # noqa: ANN401
    """Let an agent answer a test; what it raises is the answer's `error`, and no answer.

    So it is with an agent that takes longer than it may; None is no limit.

    Raises:
        ReviewerError: There is no agent that could answer.
    """
    ask = getattr(agent, "run", agent)
    if not callable(ask):
        raise ReviewerError("The agent needs a method run(input), or to be a function.")
    question = test.get("input", test.get("messages"))
    try:
        return limited(seconds, lambda: ask(question))
    except TooLongError as error:
        return {"response": None, "error": f"The agent gave {error}."}
    except Exception as error:  # noqa: BLE001  # one failing test must not cost the others
        return {"response": None, "error": f"{type(error).__name__}: {error}"}


def tell(sentence: str) -> None:
    """Write a line on standard error."""
    sys.stderr.write(sentence + "\n")
