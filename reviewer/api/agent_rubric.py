"""Test an agent against the agent rubric, or any other, and watch it in production.

>>> tests = TestSet("smoke")
>>> tests.add_test({"input": "Is the pool heated?", "complexity": "simple", "tags": ["pool"]})
>>> tests.add_test({"input": "Compare the three tariffs.", "complexity": "hard"})
>>> runner = EvaluationRunner(
...     tests,
...     {"factual_accuracy": {"weight": 0.6}, "completeness": {"weight": 0.4}},
...     lambda question: "Yes, all year.",
...     score=lambda output, test: {"factual_accuracy": 1.0, "completeness": 0.6},
... )
>>> summary = runner.run_all()
>>> summary["total_tests"], summary["passed"]
(2, 2)
>>> runner.results[0]["evaluation"]["overall_score"]
0.84

Scoring of one's own can also be a method, called once a dimension; then no model is asked:

>>> class MyRunner(EvaluationRunner):
...     def evaluate_dimension(self, output, ground_truth, dimension, config):
...         return 1.0 if output == ground_truth["answer"] else config["levels"]["poor"]
>>> tests = TestSet("facts")
>>> tests.add_test({"input": "Capital of France?", "expected": {"answer": "Paris"}})
>>> tests.add_test({"input": "Capital of Peru?", "expected": {"answer": "Lima"}})
>>> MyRunner(tests, EVALUATION_DIMENSIONS, lambda question: "Paris").run_all()["pass_rate"]
0.5
"""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from reviewer.services.monitoring import view
from reviewer.services.scripting import agent_tests, dimensions
from reviewer.services.scripting.dimensions import AGENT_RUBRIC, Given
from reviewer.services.scripting.limiting import SECONDS
from reviewer.services.testing import sets

Test = dict[str, Any]
EVALUATION_DIMENSIONS = dimensions.configs_of(AGENT_RUBRIC)
"""The agent rubric's dimensions: weight, description and levels of each."""
_WORDS = {True: "passed", False: "failed", None: "not scored"}


class TestSet:
    """A named list of test cases, with an index of their tags.

    >>> tests = TestSet("smoke")
    >>> tests.add_test({"input": "Is the pool heated?", "tags": ["pool"]})
    >>> tests.add_test({"input": "Two rooms, please.", "complexity": "hard", "tags": ["rooms"]})
    >>> tests.filter(complexity="hard")
    [{'input': 'Two rooms, please.', 'complexity': 'hard', 'tags': ['rooms']}]
    >>> tests.get_complexity_distribution()
    {'medium': 1, 'hard': 1}
    >>> tests.tags
    {'pool': [0], 'rooms': [1]}
    """

    __test__ = False
    """pytest takes every class of this name for tests of its own."""

    def __init__(self, name: str) -> None:
        """Start without tests."""
        self.name = name
        self.tests: list[Test] = []

    @property
    def tags(self) -> dict[str, list[int]]:
        """Give where the tests of each tag stand in `tests`, counted from 0."""
        return sets.tag_places(self.tests)

    def add_test(self, case: Mapping[str, Any]) -> None:
        """Add a test: `input` or `messages`, and what is expected, in the native format's keys."""
        self.tests.append(dict(case))

    def filter(self, **criteria: object) -> list[Test]:
        """Give the tests whose fields are all as asked for.

        A list field has to hold the value; a test without complexity counts as medium.
        """
        return sets.matching(self.tests, where=criteria.items())

    def get_complexity_distribution(self) -> dict[str, int]:
        """Count the tests by complexity; one without it counts as medium."""
        return sets.spread(self.tests).complexity


class _Evaluator:
    """Scores outputs dimension by dimension, by a rubric's scorers, a judge, or its own code."""

    def __init__(self, rubric: Given, options: Mapping[str, Any]) -> None:
        unknown = set(options) - {"model_name", "base_url", "score"}
        if unknown:
            raise TypeError(f"There is no option {sorted(unknown)[0]!r}.")
        self.rubric = dimensions.configs_of(rubric)
        """Weight, description and levels by dimension, as they were given."""
        self._given = rubric
        self._options = options
        self._test: Mapping[str, Any] = {}
        if self._bench.scoring is None:
            # that nobody knows the model is better told before anything is asked
            _ = self._bench.judge

    @cached_property
    def _bench(self) -> agent_tests.Bench:
        own = type(self).evaluate_dimension is not _Evaluator.evaluate_dimension
        return agent_tests.Bench(
            rubric=dimensions.rubric_of(self._given),
            model=self._options.get("model_name"),
            base_url=self._options.get("base_url"),
            scoring=self._by_dimension if own else self._options.get("score"),
        )

    def evaluate_dimension(
        self,
        output: Any,  # noqa: ANN401  # what an agent gives
        ground_truth: Any,  # noqa: ANN401  # what the test expects
        dimension: str,
        config: Mapping[str, Any],
    ) -> Any:  # noqa: ANN401  # a subclass may give more
        """Score one dimension by its scorer or the judge; a subclass may score on its own.

        Args:
            output: what the agent gave.
            ground_truth: the test's `expected` (or `answer`, `ground_truth` …) as it stands
                there, `{}` without one.
            dimension: its name.
            config: what the rubric says of it: weight, description, levels.

        Returns:
            The score, None where there is none. What a subclass gives may also be a pair of score
            and reason, or a mapping with `score` and `reasoning`.

        Raises:
            ReviewerError: The judge cannot be reached.
        """
        del config
        test = {**self._test, "expected": ground_truth} if ground_truth else self._test
        return self._bench.dimension(output, test, dimension)

    def _by_dimension(self, output: object, test: Mapping[str, Any]) -> dict[str, Any]:
        self._test = test
        truth = agent_tests.expected(test)
        return {
            name: self.evaluate_dimension(output, truth, name, config)
            for name, config in self.rubric.items()
        }


class EvaluationRunner(_Evaluator):
    """Puts a test set to an agent and scores its answers by a rubric.

    An agent that raises, or takes too long, failed its test: where a judge or a script would
    score, it has the worst score; scorers look at the error.

    Attributes:
        rubric: weight, description and levels by dimension.
        results: one a test: `test`, `output`, `evaluation` with `overall_score`,
            `dimension_scores`, `passed` (None where nothing could be scored) and `reasons`.
    """

    def __init__(
        self,
        test_set: TestSet,
        rubric: Given = AGENT_RUBRIC,
        agent: Any = None,  # noqa: ANN401  # anything with run(input)
        **options: Any,  # noqa: ANN401  # see below
    ) -> None:
        """Get ready; nothing is asked yet.

        Args:
            test_set: the tests.
            rubric: a shipped rubric's name, a TOML file, or dimensions with `weight` and maybe
                `description` and `levels`, such as `EVALUATION_DIMENSIONS`.
            agent: anything with `run(input)`, or a function; its answer is a text, or a record
                with `response`, `tools_used`, `sources` and so on.
            options: `model_name` and `base_url` of the judge (deepseek-chat at its provider; none
                is asked where scorers score all that has a weight); `score(output, test)` in
                place of judge and scorers, as is `evaluate_dimension`; `project`, a file in which
                each `run_all` is kept as a run, to be labelled; `seconds` that the agent may take
                for an answer on the main thread, 600 unless told otherwise, None without limit.

        Raises:
            ReviewerError: There is no such rubric, or nobody knows where the model is reached.
        """
        project = options.pop("project", None)
        self._seconds = options.pop("seconds", SECONDS)
        self.test_set = test_set
        self.agent = agent
        self.results: list[dict[str, Any]] = []
        super().__init__(rubric, options)
        self._project = None if project is None else Path(project)
        self._made: list[agent_tests.Result] = []
        self._records: list[agent_tests.Kept] = []

    def run_all(self, verbose: bool = False) -> dict[str, Any]:  # noqa: FBT001, FBT002  # published so
        """Run every test and give the summary; `verbose` prints a line a test.

        Raises:
            ReviewerError: The judge cannot be reached, or the project cannot keep all of the run;
                `results` and `summarize` have it nevertheless.
        """
        self.results, self._made, self._records = [], [], []
        for number, test in enumerate(self.test_set.tests, start=1):
            result = self.run_test(test)
            if verbose:
                word = _WORDS[result["evaluation"]["passed"]]
                agent_tests.tell(f"{number} of {len(self.test_set.tests)}: {word}")
        if self._project is not None:
            agent_tests.keep(self._project, self.test_set.name, self._bench.rubric, self._records)
        return self.summarize()

    def run_test(self, test: Mapping[str, Any]) -> dict[str, Any]:
        """Run one test and give its result, which `summarize` counts from then on.

        Raises:
            ReviewerError: The judge cannot be reached.
        """
        output = agent_tests.answered(self.agent, test, self._seconds)
        made, record = self._bench.evaluated(output, test)
        result = agent_tests.told(made, output)
        self._made.append(made)
        self._records.append(record)
        self.results.append(result)
        return result

    def evaluate_output(self, output: object, test: Mapping[str, Any]) -> dict[str, Any]:
        """Score an answer: `overall_score`, `dimension_scores`, `passed` and `reasons`.

        Raises:
            ReviewerError: The judge cannot be reached.
        """
        made, _ = self._bench.evaluated(output, test)
        found: dict[str, Any] = agent_tests.told(made, output)["evaluation"]
        return found

    def summarize(self) -> dict[str, Any]:
        """Count and average the results so far.

        >>> EvaluationRunner(TestSet("empty"), score=lambda output, test: {}).summarize()
        {'error': 'No results'}
        """
        return agent_tests.summary(self._made)


class ProductionMonitor(_Evaluator):
    """Scores a sample of what an agent says to its users and tells how it is doing.

    Which answers are sampled follows from the seed and their number alone, as in the program.

    >>> good = lambda output, test: {"completeness": 1.0}
    >>> monitor = ProductionMonitor(sample_rate=1.0, score=good)
    >>> monitor.get_metrics()
    {'status': 'insufficient_data'}
    >>> monitor.sample_and_evaluate("Is the pool heated?", "Yes, all year.")["passed"]
    True
    >>> monitor.get_metrics()["status"]
    'healthy'

    Attributes:
        alert_thresholds: below `pass_rate_warning` and `pass_rate_critical` the status is so.
        samples: what was sampled so far; `passed` is None where nothing could be scored, which
            counts for no pass rate.
    """

    def __init__(self, sample_rate: float = 0.01, **options: Any) -> None:  # noqa: ANN401
        """Get ready.

        Args:
            sample_rate: the share of answers that are scored, from 0 to 1.
            options: `rubric`, `seed`, and `model_name`, `base_url` and `score` as of
                `EvaluationRunner`; a subclass may score by `evaluate_dimension`, too.

        Raises:
            ReviewerError: There is no such rubric, or nobody knows where the model is reached.
        """
        self.sample_rate = sample_rate
        self.alert_thresholds = {
            f"pass_rate_{name}": mark for name, mark in agent_tests.MARKS.items()
        }
        self.samples: list[dict[str, Any]] = []
        self._made: list[Any] = []
        seed = options.pop("seed", None)
        self._seed = view.any_seed() if seed is None else int(seed)
        self._told = 0
        super().__init__(options.pop("rubric", AGENT_RUBRIC), options)

    def sample_and_evaluate(self, query: str, output: object) -> dict[str, Any] | None:
        """Score an answer if it is sampled, and give the sample; None where it is not.

        Raises:
            ReviewerError: The judge cannot be reached.
        """
        self._told += 1
        if not view.is_sampled(
            view.identity_of("", str(self._told)), rate=self.sample_rate, seed=self._seed
        ):
            return None
        made, _ = self._bench.evaluated(output, {"input": query})
        found = agent_tests.sample(query, output, made)
        self._made.append(found)
        self.samples.append(dict(found.to_json()))
        return self.samples[-1]

    def get_metrics(self) -> dict[str, Any]:
        """Give count, pass rate, average score and status of the samples so far.

        Raises:
            ReviewerError: A threshold has an unknown name.
        """
        found = agent_tests.metrics(self._made)
        if "pass_rate" in found:
            found["status"] = self._get_status(found["pass_rate"])
        return found

    def _get_status(self, pass_rate: float) -> str:
        return agent_tests.status(pass_rate, self.alert_thresholds)


def evaluate_output(
    output: object,
    test: Mapping[str, Any],
    rubric: Given = AGENT_RUBRIC,
    **options: Any,  # noqa: ANN401  # those of a runner
) -> dict[str, Any]:
    """Score one answer, as a runner does, with its `model_name`, `base_url` and `score`.

    >>> evaluate_output("Yes.", {}, {"clear": 1}, score=lambda output, test: {"clear": 0.9})
    {'overall_score': 0.9, 'dimension_scores': {'clear': 0.9}, 'passed': True}

    Raises:
        ReviewerError: There is no such rubric, or the judge cannot be reached.
    """
    return EvaluationRunner(TestSet("one"), rubric, **options).evaluate_output(output, test)


def calculate_overall_score(
    dimension_scores: Mapping[str, float | None], rubric: Given = AGENT_RUBRIC
) -> float | None:
    """Give the weighted mean of the dimensions that are scored; None where none is.

    >>> calculate_overall_score({"factual_accuracy": 1.0, "completeness": 1.0})
    1.0
    >>> calculate_overall_score({"a": 1.0, "b": 0.0}, {"a": {"weight": 3}, "b": {"weight": 1}})
    0.75
    """
    return dimensions.overall(dimension_scores, rubric)
