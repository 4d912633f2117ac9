"""A call of a model: what is asked, what comes back, and why nothing came back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeVar

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import JsonValue
from reviewer.domain.judging import Endpoint

Found = TypeVar("Found")

FailureKind = Literal[
    "key",
    "quota",
    "refused",
    "unreachable",
    "timeout",
    "rate",
    "server",
    "model",
    "redirect",
    "certificate",
    "not_json",
    "too_large",
    "too_long",
    "cut",
    "under_way",
    "lost",
]
"""Why a call failed.

`key`: missing or not accepted. `quota`: the account is used up. `refused`: the request was
rejected. `rate`: too many calls. `model`: there is no such model. `too_large`: the reply does not
end. `too_long`: the text is longer than the model takes. `cut`: the connection broke off.
`under_way`: the provider still works on the same call, which was sent before. `lost`: the worker
that asked was lost, and the reply with it.
"""

STOPS_ALL: frozenset[FailureKind] = frozenset({"key", "quota", "model", "certificate", "redirect"})
"""Kinds that every further call of the same endpoint and model would meet as well."""

WORTH_ANOTHER: frozenset[FailureKind] = frozenset(
    {"unreachable", "timeout", "rate", "server", "cut", "under_way", "lost"}
)
"""Kinds that may pass by themselves."""

_ANSWERED: frozenset[FailureKind] = frozenset({"rate", "server"})
"""Those of them by which the provider says that it did not work on the call."""


class CallError(ReviewerError):
    """Report a call that brought no reply; the sentence never holds a key.

    Attributes:
        kind: What went wrong.
        retry_after: Seconds that the provider asks to wait.
        replies: That came before it and could not be read; they are paid for.
        tokens_in: Of those replies' questions.
        tokens_out: Of those replies.
    """

    def __init__(self, kind: FailureKind, sentence: str, retry_after: float | None = None) -> None:
        super().__init__(sentence)
        self.kind = kind
        self.retry_after = retry_after
        self.replies = self.tokens_in = self.tokens_out = 0

    @property
    def again(self) -> bool:
        """Tell whether the same call may succeed later."""
        return self.kind in WORTH_ANOTHER

    @property
    def ended(self) -> bool:
        """Tell whether the provider is done with the call, so that the next one is another."""
        return self.kind in _ANSWERED


class ReplyError(ReviewerError):
    """Report a reply that cannot be read; the sentence is told to the model once."""


def no_key(endpoint: Endpoint) -> str:
    """Say that an endpoint's key is missing, and how it is given."""
    variable = f" or set the variable {endpoint.variable}" if endpoint.variable else ""
    return (
        f"The endpoint {endpoint.name} needs a key and none is stored; store it with "
        f"`reviewer judges PROJECT add`{variable}."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of a model, with everything that decides its reply.

    Attributes:
        history: Turns before the prompt as (role, text), of the user and the assistant.
    """

    model: str
    prompt: str
    system: str = ""
    history: tuple[tuple[str, str], ...] = ()
    temperature: float | None = 0.0
    max_tokens: int | None = None
    seed: int | None = None
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Generic[Found]):
    """What came of a question.

    Attributes:
        value: What was read from the reply, None where it could not be read.
        problem: Why the last reply could not be read.
        raw: The last reply as received.
        earlier: Replies before it, which could not be read either.
        trace: The model's reasoning, where it gives one.
        requests: How many times the model was asked.
        latency_ms: From the question to the last reply.
        calls: The tools that the last reply calls, as the native format has them.
    """

    value: Found | None
    problem: str | None
    raw: str
    earlier: tuple[str, ...] = ()
    trace: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    requests: int = 1
    latency_ms: float = 0.0
    calls: tuple[dict[str, JsonValue], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A reply as it came, before anybody reads it; `tokens_in` and the like as in `Asked`."""

    text: str
    trace: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    latency_ms: float | None = None


def _let_go(reply: Received) -> None:
    del reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """How the calls of one question survive whoever makes them.

    Attributes:
        name: By which a provider knows a call that is sent again; empty where none is.
        came: The reply that came before everything ended, which nobody has read.
        keep: Gets each reply as it comes, before anybody reads it.
    """

    name: str = ""
    came: Received | None = None
    keep: Callable[[Received], None] = _let_go


ONCE = Exchange()
"""Calls that nobody goes on with."""


class Caller(Protocol):
    """What calls a model: `scoring.llm.client.Client`."""

    async def ask(
        self, question: Question, read: Callable[[str], Found], exchange: Exchange = ONCE
    ) -> Asked[Found]:
        """Ask once, or twice where the first reply cannot be read; may raise `CallError`."""
        ...
