"""What asks and what answers: endpoints, judges with their prompts, bots and prices."""

from dataclasses import dataclass, field
from typing import Final, Literal

from reviewer.domain.values import JsonValue

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
