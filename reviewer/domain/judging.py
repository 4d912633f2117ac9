"""What asks and what answers: endpoints, judges with their prompts, bots, prices, and jobs."""

from dataclasses import dataclass, field
from typing import Final, Literal

from reviewer.domain.evaluation import JsonValue

EndpointKind = Literal["openai", "anthropic", "package"]
"""`openai`: any endpoint that speaks OpenAI's chat completions; `anthropic`: Anthropic's own;
`package`: a function of an installed package, never kept in a project."""

BotKind = str
"""The name of a kind in the registry of kinds; a package's bots are never kept in a project."""

EXAMPLES: Final = "examples"
"""The parameter of a score set that names the examples its judge was shown."""

KEY_VARIABLES: Final[dict[EndpointKind, str]] = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a model is reached; its key lies in the system's keyring, never here.

    Attributes:
        base_url: Up to and without `/chat/completions`; None is the provider's own.
        needs_key: Whether calls without a key make no sense; local servers need none.
        variable: The environment variable that may hold the key.
        concurrency: Calls at the same time.
        per_minute: Calls started in a minute at most, None without limit.
        timeout_s: Time for one call, in seconds.
        json_object: Whether the endpoint knows `response_format` with `json_object`.
    """

    name: str
    kind: EndpointKind = "openai"
    base_url: str | None = None
    needs_key: bool = True
    variable: str | None = None
    concurrency: int = 8
    per_minute: int | None = None
    timeout_s: float = 120.0
    json_object: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One version of the text by which a judge is asked about a metric.

    Attributes:
        hash: The first twelve hexadecimal digits of the text's SHA-256.
    """

    rubric: str
    metric: str
    version: int
    hash: str
    text: str
    note: str = ""
    created_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """A model with the settings under which it scores.

    Attributes:
        prompts: Hash of the prompt by metric; a metric that is absent takes the newest.
        repeats: How often each evaluation is scored; the mean and spread are told.
        extra: Further parameters of the provider.
    """

    name: str
    endpoint: str
    model: str
    temperature: float = 0.0
    max_tokens: int | None = None
    seed: int | None = None
    repeats: int = 1
    prompts: tuple[tuple[str, str], ...] = ()
    extra: dict[str, JsonValue] = field(default_factory=dict)
    note: str = ""

    @property
    def parameters(self) -> dict[str, JsonValue]:
        """Give the parameters that its scores are bound to."""
        given: dict[str, JsonValue] = {
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            **self.extra,
        }
        return {key: value for key, value in given.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot:
    """What answers the cases of a test set again; `settings` are those of its kind."""

    name: str
    kind: BotKind
    settings: dict[str, JsonValue] = field(default_factory=dict)
    note: str = ""

    def text(self, name: str, default: str = "") -> str:
        """Give a setting that is a text, else the default."""
        value = self.settings.get(name, default)
        return value if isinstance(value, str) else default

    def number(self, name: str, default: float) -> float:
        """Give a setting that is a number, else the default."""
        value = self.settings.get(name, default)
        return float(value) if isinstance(value, int | float) else default

    def whole(self, name: str) -> int | None:
        """Give a setting that is a whole number, None where there is none."""
        value = self.settings.get(name)
        return value if isinstance(value, int) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a model costs, in dollars a million tokens."""

    model: str
    input_per_million: float
    output_per_million: float
    note: str = ""

    def cost(self, tokens_in: int | None, tokens_out: int | None) -> float | None:
        """Give the cost in dollars, None where the tokens are not known."""
        if tokens_in is None or tokens_out is None:
            return None
        return (tokens_in * self.input_per_million + tokens_out * self.output_per_million) / 1e6


JobKind = Literal["scorer", "judge", "bot"]
JobState = Literal["waiting", "running", "paused", "done", "failed", "cancelled"]
AttemptState = Literal["done", "failed", "excluded"]
Wish = Literal["pause", "cancel"]
Only = Literal["unlabelled", "labelled", "disagreements", "failed"]
Part = Literal["dev", "held_out"]
"""Half of the labelled evaluations: what prompts are made with, and what they are held to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which evaluations are worked on; empty means every one of the run.

    Attributes:
        runs: Names of runs; empty is the newest.
        filter_text: An expression of the one filter language.
        only: A further condition on what people or the last attempt said.
        part: Only what is labelled and belongs to this half.
        limit: The first so many in the order of the file.
        keys: These evaluations and no others.
    """

    runs: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    filter_text: str = ""
    only: Only | None = None
    part: Part | None = None
    limit: int | None = None
    keys: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """What scores a bot's run as soon as it is there.

    Attributes:
        scorers: Names of deterministic scorers besides those of the rubric.
        judges: Names of judges.
        metrics: Ids of the metrics that are scored; empty is every one.
        model: Which the judges ask, in place of their own.
        repeats: How often each response is judged, None as the judges say.
    """

    scorers: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    model: str | None = None
    repeats: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPlan:
    """Everything that decides what a job does; kept with it, so that it can go on later.

    Attributes:
        metrics: Ids of the metrics; empty is every metric that the scorer or judge knows.
        scorers: Names of deterministic scorers by metric.
        parameters: Of scorers by metric, in place of the rubric's.
        judge: The judge as it was when the job was planned, in this version.
        prompts: The prompts by metric.
        examples: Few-shot examples by metric, as (query, response, score, reasoning).
        test_set: Name of the test set that a bot answers, instead of the selection's cases.
        test_version: Of the test set.
        test_cases: Ids of the test set's cases that are answered; empty is every one.
        target_run: Name of the run that a bot makes.
        then: What scores that run.
        after: Number of the bot's job whose run this one scores.
        shares: Number of the first of the jobs that were asked for together with this one.
        repeats: How often each evaluation is judged.
        use_cache: Whether replies that were paid for earlier may be taken.
        max_cost: Dollars after which nothing more is asked, by this job and those that `after` or
            `shares` joins it with together.
        concurrency: Calls at the same time; None is the endpoint's own number.
        reopened: How often what had failed was made open again.
    """

    kind: JobKind
    title: str
    selection: Selection = field(default_factory=Selection)
    metrics: tuple[str, ...] = ()
    scorers: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, dict[str, JsonValue]] = field(default_factory=dict)
    judge: Judge | None = None
    judge_version: str = "1"
    endpoint: Endpoint | None = None
    prompts: tuple[Prompt, ...] = ()
    examples: dict[str, tuple[tuple[str, str, float | int | str, str], ...]] = field(
        default_factory=dict
    )
    bot: Bot | None = None
    test_set: str | None = None
    test_version: int | None = None
    test_cases: tuple[str, ...] = ()
    target_run: str | None = None
    then: Following | None = None
    after: int | None = None
    shares: int | None = None
    repeats: int = 1
    use_cache: bool = True
    max_cost: float | None = None
    concurrency: int | None = None
    reopened: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as the list shows it.

    Attributes:
        total: Calls or scores to be made.
        done: How many have come to a score or response, exclusions included.
        failed: How many ended in an error.
        calls: Requests that were sent.
        cached: Replies that were paid for earlier.
        sentence: What it ended with, or why it stopped.
        started_at: When it was taken up, last.
    """

    key: int
    kind: JobKind
    title: str
    state: JobState
    total: int = 0
    done: int = 0
    failed: int = 0
    calls: int = 0
    cached: int = 0
    cost_usd: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    sentence: str | None = None
    run: int | None = None
    owner: str | None = None
    created_at: str = ""
    started_at: str | None = None
    finished_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What came of one evaluation, metric and repeat of a job."""

    evaluation: int
    metric: str | None = None
    repeat: int = 0
    state: AttemptState
    kind: str | None = None
    sentence: str | None = None
    raw: str | None = None
    at: str = ""
