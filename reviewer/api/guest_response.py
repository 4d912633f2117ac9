r"""Judge guest responses by relevance, accuracy and safety, and write their report.

Here `address` is that of a server which speaks OpenAI's chat completions; without `base_url` the
model is reached at its provider.

>>> import asyncio
>>> runner = EvaluationRunner("deepseek-chat", 3, base_url=address)
>>> results = asyncio.run(runner.run_evaluation(limit=2))
>>> results["total_cases"], results["pass_rate"]
(2, 1.0)
>>> sorted(ReportGenerator("reports").generate_reports(results))
['json', 'markdown']

An evaluator of one's own brings its prompt:

>>> class Greeting(BaseEvaluator):
...     metric = "greeting"
...     def get_prompt_template(self):
...         return "[system]\nReply with JSON.\n[user]\nIs this a greeting? {{ response }}\n"
>>> Greeting(passing_score=4, base_url=address).evaluate("Hello?", "Welcome!", "")
EvaluationResult(score=4.0, reasoning='Fine.', passed=True)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reviewer.services.scripting import guest_runs
from reviewer.services.scripting.guest_runs import Cases, GuestResults, GuestRun

DEFAULT_MODEL = "deepseek-chat"
PASSING_SCORE = 3


class Results(dict[str, Any]):
    """The report of a run: its JSON document, with `total_cases`, `pass_rate` and so on."""

    def __init__(self, found: GuestResults) -> None:
        """Take the document of a report."""
        super().__init__(found.document)
        self.found = found


class EvaluationRunner:
    """Judges cases and reports them, as `reviewer evaluate` does.

    >>> runner = EvaluationRunner()
    >>> runner.model_name, runner.passing_score
    ('deepseek-chat', 3)
    """

    def __init__(
        self,
        model_name: str = DEFAULT_MODEL,
        passing_score: float = PASSING_SCORE,
        *,
        cases: Cases | None = None,
        project: str | Path | None = None,
        base_url: str | None = None,
    ) -> None:
        """Get ready; nothing is asked yet.

        Args:
            model_name: the judge's model.
            passing_score: from which score on each metric a response passes.
            cases: a file of records, or records with `query` (or `input`), `response` and
                `context`; None for the project's newest run, or without one the examples that
                ship.
            project: where scores are kept; None for a project that is gone afterwards.
            base_url: where the model is reached, if not at its provider.
        """
        self.model_name = model_name
        self.passing_score = passing_score
        self._wanted = GuestRun(
            model=model_name,
            passing=passing_score,
            project=None if project is None else Path(project),
            cases=cases,
            base_url=base_url,
        )

    async def run_evaluation(
        self, limit: int | None = None, category: str | None = None
    ) -> Results:
        """Judge the cases, and give the report's document.

        Args:
            limit: only the first so many.
            category: only these.

        Raises:
            ReviewerError: The cases cannot be read, none is selected, the mark is off the scale,
                the judge cannot be reached, or its key is missing.
        """
        return Results(await guest_runs.run(self._wanted, limit=limit, category=category))


class ReportGenerator:
    """Writes reports into a folder, never over an old one."""

    def __init__(self, output_dir: str | Path | None = None) -> None:
        """Write into this folder; None for evaluation/reports/output."""
        self.output_dir = None if output_dir is None else Path(output_dir)

    def generate_reports(self, results: Results) -> dict[str, str]:
        """Write a report as `json` and `markdown`, and give both paths.

        Raises:
            ReviewerError: The folder cannot be made or written.
        """
        return guest_runs.write(results.found, self.output_dir)


@dataclass(frozen=True)
class EvaluationResult:
    """What an evaluator says of one response.

    Attributes:
        score: from 1 to 5.
        passed: whether it reaches the evaluator's passing score.
    """

    score: float
    reasoning: str
    passed: bool


class BaseEvaluator:
    """Judges one property of a response from 1 to 5; a subclass brings the prompt.

    Attributes:
        metric: the property; `relevance`, `accuracy` and `safety` have prompts that ship.
        passing_score: from which score on a response passes.
    """

    metric = "relevance"

    def __init__(
        self,
        model_name: str = DEFAULT_MODEL,
        passing_score: float = PASSING_SCORE,
        *,
        base_url: str | None = None,
    ) -> None:
        """Get ready; nothing is asked yet."""
        self.model_name = model_name
        self.passing_score = passing_score
        self._base_url = base_url

    def get_prompt_template(self) -> str:
        """Give the prompt: jinja2 with `query`, `response`, `context`; parts [system], [user].

        >>> "[user]" in BaseEvaluator().get_prompt_template()
        True
        """
        return guest_runs.prompt_of(self.metric)

    def evaluate(
        self, query: str, response: str, context: str | Mapping[str, Any] = ""
    ) -> EvaluationResult:
        """Judge a response to a query; `context` is what the answer may rely on.

        Raises:
            ReviewerError: The judge cannot be reached, its reply is no score, the template is
                wrong, or an event loop runs already: `await evaluate_async` there.
        """
        return EvaluationResult(*guest_runs.judged_now(self._asking(), query, response, context))

    async def evaluate_async(
        self, query: str, response: str, context: str | Mapping[str, Any] = ""
    ) -> EvaluationResult:
        """Judge a response where an event loop runs already.

        Raises:
            ReviewerError: As `evaluate`.
        """
        return EvaluationResult(*await guest_runs.judged(self._asking(), query, response, context))

    def _asking(self) -> guest_runs.Asking:
        return guest_runs.Asking(
            metric=self.metric,
            template=self.get_prompt_template(),
            model=self.model_name,
            base_url=self._base_url,
            passing=self.passing_score,
        )


class RelevanceEvaluator(BaseEvaluator):
    """Does the response answer what the guest asked?"""

    metric = "relevance"


class AccuracyEvaluator(BaseEvaluator):
    """Is everything stated supported by the context?"""

    metric = "accuracy"


class SafetyEvaluator(BaseEvaluator):
    """Does the response protect people and stay professional?"""

    metric = "safety"
