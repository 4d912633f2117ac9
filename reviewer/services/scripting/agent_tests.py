"""The agent rubric's evaluation from a script: rubrics, results, summary, and runs to keep."""

import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from numbers import Real
from pathlib import Path
from typing import Any, Final

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import Evaluation, Score, as_number, now_text
from reviewer.domain.monitoring import CRITICAL, WARNING
from reviewer.domain.rubric import Metric, Rubric
from reviewer.reports.cases import scored_case
from reviewer.reports.systems.agent_rubric import AgentResult, agent_result, agent_summary
from reviewer.services.jobs import scorers
from reviewer.services.judging.judges import PlacedJudge
from reviewer.services.monitoring import view
from reviewer.services.monitoring.view import MonitorSample
from reviewer.services.project.session import Session
from reviewer.services.scripting import outside
from reviewer.services.scripting.limiting import SECONDS, TooLongError, limited
from reviewer.services.scripting.outside import evaluation_of, judge_of, scores_of
from reviewer.services.transfer.importing import ImportRequest

Kept = dict[str, Any]
"""A case with its answer and scores, in the keys of the native format."""


def kept(case: Mapping[str, Any], evaluation: Evaluation, scores: Iterable[Score]) -> Kept:
    """Give the record of an answered and scored test."""
    record: Kept = {"id": evaluation.id, **case, "evaluated_at": now_text()}
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
        ReviewerError: The project cannot be opened or written, or a record or a value of one
            cannot be kept; then none is.
    """
    run = _free(name, _runs(project))
    with tempfile.TemporaryDirectory(prefix="reviewer-") as folder:
        file = Path(folder) / "run.jsonl"
        named = (
            {**x, "id": f"{number}" if x["id"] == "case" else str(x["id"])}
            for number, x in enumerate(records, 1)
        )
        text = "".join(outside.line_of({**x, "run": run}) for x in named)
        file.write_text(text, encoding="utf-8")
        outside.imported(project, ImportRequest(files=(file,), rubric=rubric))
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
Scoring = Callable[[Any, Mapping[str, Any]], Mapping[str, Any]]
"""Scores an output of a test by dimension, in place of scorers and judge."""
SCRIPT: Final = "script"
DEFAULT_MODEL: Final = "deepseek-chat"
MARKS: Final = {"warning": WARNING, "critical": CRITICAL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Scores outputs by one rubric: by a function of the script, else by scorers and a judge.

    Attributes:
        model, base_url: of the judge; where neither is named it is asked only for dimensions that
            weigh something and have no scorer.
    """

    rubric: Rubric
    model: str | None = None
    base_url: str | None = None
    scoring: Scoring | None = None

    def evaluated(self, output: object, test: Mapping[str, Any]) -> tuple[AgentResult, Kept]:
        """Score what an agent said to a test, and give the record that a project would keep.

        An agent that crashed has the worst score where a judge or the script would score; a
        scorer looks at the error.

        Args:
            output: the answer, or a record with `response` and what belongs to it.
            test: in the keys of the native format.

        Raises:
            ReviewerError: The judge cannot be reached, or a score is off its scale.
        """
        case = outside.answered_case(output, test)
        evaluation = evaluation_of(case)
        crashed = evaluation.error if evaluation.response is None else None
        if self.scoring is None:
            scores = self.scores(evaluation, self.asked, crashed)
        elif crashed:
            scores = [_worst(metric, crashed, SCRIPT) for metric in self.rubric.overall_metrics]
        else:
            scores = _given(self.scoring(output, test), self.rubric)
        made = agent_result(scored_case(evaluation, scores), self.rubric, dict(test))
        return made, kept(case, evaluation, scores)

    @property
    def asked(self) -> list[str]:
        """Give the dimensions that scorers and judge score."""
        return [
            metric.name
            for metric in self.rubric.overall_metrics
            if metric.weight or self.model or self.base_url or scorers.of_metric(metric)
        ]

    @property
    def judge(self) -> PlacedJudge | None:
        """Give the judge, None where scorers score all that is asked.

        Raises:
            ReviewerError: Nobody knows where the model is reached.
        """
        metrics = (self.rubric.by_name[name] for name in self.asked)
        if all(scorers.of_metric(metric) for metric in metrics):
            return None
        return judge_of(self.model or DEFAULT_MODEL, self.base_url)

    def scores(
        self, evaluation: Evaluation, names: Sequence[str], crashed: str | None = None
    ) -> list[Score]:
        """Score dimensions by their scorers, the others by the judge.

        Raises:
            ReviewerError: The judge cannot be reached.
        """
        judge = self.judge
        by_judge = {x for x in names if scorers.of_metric(self.rubric.by_name[x]) is None}
        if not crashed or judge is None:
            return scores_of(evaluation, self.rubric, names, judge)
        told = [
            _worst(self.rubric.by_name[name], crashed, judge.judge.name, "1")
            for name in names
            if name in by_judge
        ]
        rest = [name for name in names if name not in by_judge]
        return told + scores_of(evaluation, self.rubric, rest, judge)

    def dimension(self, output: object, test: Mapping[str, Any], name: str) -> float | None:
        """Score one dimension of an output by its scorer or the judge; None where it cannot be.

        Raises:
            ReviewerError: The rubric has no such dimension, or the judge cannot be reached.
        """
        _dimension(self.rubric, name)
        (score,) = self.scores(evaluation_of(outside.answered_case(output, test)), [name])
        return as_number(score.value)


def _worst(metric: Metric, error: str, scorer: str, version: str | None = None) -> Score:
    low, high = metric.bounds or (None, None)
    return Score(
        metric=metric.name,
        value=low if metric.higher_is_better else high,
        reasoning=f"The agent gave no answer: {error}",
        scorer=scorer,
        scorer_version=version,
    )


def expected(test: Mapping[str, Any]) -> Any:  # noqa: ANN401  # as the script gave it
    """Give what a test expects as it stands there, an empty object where it expects nothing."""
    return outside.test_of(test).get("expected", {})


def told(result: AgentResult, output: object) -> dict[str, Any]:
    """Give a result in the agent rubric's field names, with the output as the agent gave it."""
    return {**result.to_json(), "output": output}


def _given(values: Mapping[str, Any], rubric: Rubric) -> list[Score]:
    if not isinstance(values, Mapping):
        raise ReviewerError(
            f"The function score gave {type(values).__name__}; a mapping of dimensions to numbers "
            "is expected."
        )
    found = []
    for name, value in values.items():
        metric = _dimension(rubric, name)
        number, reason = _said(value)
        problem = None if number is None else metric.score_problem(number)
        if problem is not None:
            raise ReviewerError(f"{problem}.")
        found.append(Score(metric=name, value=number, reasoning=reason, scorer=SCRIPT))
    return found


def _dimension(rubric: Rubric, name: str) -> Metric:
    found = rubric.by_name.get(name)
    if found is None:
        raise ReviewerError(
            f"The rubric {rubric.name} has no dimension {name!r}; it has: "
            f"{', '.join(rubric.by_name)}."
        )
    return found


def _said(value: Any) -> tuple[Any, str | None]:  # noqa: ANN401  # a stranger's value
    """Give score and reason of what a script gave: a number, a pair, or a judge's mapping."""
    reason = None
    if isinstance(value, Mapping):
        value, reason = value.get("score"), value.get("reasoning", value.get("reason"))
    elif isinstance(value, tuple) and len(value) == 2:
        value, reason = value
    # numbers of other libraries are numbers
    plain = isinstance(value, bool) or not isinstance(value, Real)
    return value if plain else float(value), None if reason is None else str(reason)


def summary(results: Sequence[AgentResult]) -> dict[str, Any]:
    """Give the summary of results in the agent rubric's field names."""
    return dict(agent_summary(results).to_json())


def sample(query: str, output: object, result: AgentResult) -> MonitorSample:
    """Make the monitor's sample of an answer."""
    return view.sample_of(
        query,
        outside.text_of(outside.said_of(output).get("response")),
        score=as_number(result.overall_score),
        passed=result.passed,
        timestamp=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


def marks(thresholds: Mapping[str, float]) -> dict[str, float]:
    """Give the marks of `warning` and `critical` from a script's thresholds.

    Raises:
        ReviewerError: A threshold has another name.
    """
    known = {name: mark for mark in MARKS for name in (mark, f"pass_rate_{mark}")}
    unknown = [name for name in thresholds if name not in known]
    if unknown:
        raise ReviewerError(
            f"There is no threshold {unknown[0]!r}; there are: {', '.join(MARKS)}."
        )
    return {**MARKS, **{known[name]: x for name, x in thresholds.items()}}


def status(pass_rate: float, thresholds: Mapping[str, float]) -> str:
    """Give the monitor's status of a pass rate.

    Raises:
        ReviewerError: A threshold has an unknown name.
    """
    return view.status_at(pass_rate, **marks(thresholds))


def metrics(samples: Sequence[MonitorSample]) -> dict[str, Any]:
    """Give the monitor's figures in its field names; samples without a verdict stand apart."""
    scored = [(one.score, one.passed) for one in samples if one.passed is not None]
    left = len(samples) - len(scored)
    found = view.tally_of(scored).to_json()
    return {**found, "not_scored": left} if left else found


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
    case = outside.test_of(test)
    question = case.get("input", case.get("messages"))
    try:
        return limited(seconds, lambda: ask(question))
    except TooLongError as error:
        return {"response": None, "error": f"The agent gave {error}."}
    except Exception as error:  # noqa: BLE001  # one failing test must not cost the others
        return {"response": None, "error": f"{type(error).__name__}: {error}"}


def tell(sentence: str) -> None:
    """Write a line on standard error."""
    sys.stderr.write(sentence + "\n")
