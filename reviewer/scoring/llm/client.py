"""The calls of one endpoint: one question, one reply or one reason why there is none."""

import asyncio
import json
import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Generic, Self

from pydantic_ai import exceptions as known
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage, RunUsage

from reviewer.domain.evaluation import JsonValue
from reviewer.domain.judging import Endpoint
from reviewer.scoring.calling import (
    ONCE,
    Asked,
    CallError,
    Exchange,
    FailureKind,
    Found,
    Question,
    Received,
    ReplyError,
    no_key,
)
from reviewer.scoring.llm.network import EndlessReplyError, Network
from reviewer.scoring.masking import masked

CUT_RAW = 200_000
"""Characters of a reply that are kept."""
NO_KEY = "none"
"""What a server that needs no key is sent, as the libraries want something."""
EMPTY = "The reply is empty."
CALL_NAME = "Idempotency-Key"
"""The header by which a provider knows a call that is sent again, and answers it only once."""


class _Reading(Generic[Found]):
    """One question's replies, kept and then read as they come."""

    def __init__(self, read: Callable[[str], Found], exchange: Exchange, key: str) -> None:
        self.read = read
        self.exchange = exchange
        self.key = key
        self.start = time.perf_counter()
        self.before_ms = (exchange.came and exchange.came.latency_ms) or 0.0
        self.raw: list[str] = []
        self.found: Found | None = None
        self.problem: str | None = None
        self.usage = RunUsage()

    @property
    def latency_ms(self) -> float:
        """Give how long it took until now."""
        return self.before_ms + (time.perf_counter() - self.start) * 1000

    def keep(self, response: ModelResponse) -> None:
        """Hand on a reply before anything else happens to it."""
        used = self.usage + response.usage
        self.exchange.keep(
            Received(
                text=masked(response.text or "", self.key)[:CUT_RAW],
                trace=_trace(response, self.key),
                tokens_in=used.input_tokens or None,
                tokens_out=used.output_tokens or None,
                latency_ms=self.latency_ms,
            )
        )

    def take(self, response: ModelResponse) -> bool:
        """Read a reply; tells whether it is what was asked for."""
        self.usage.incr(response.usage)
        text = masked(response.text or "", self.key)
        self.raw.append(text[:CUT_RAW])
        try:
            self.found, self.problem = self.read(text), None
        except ReplyError as problem:
            cut = (
                " It was cut off at the limit of tokens."
                if response.finish_reason == "length"
                else ""
            )
            self.problem = (str(problem) if text.strip() else EMPTY) + cut
        return self.problem is None


class Client:
    """Ask one endpoint: `async with Client(endpoint, key) as client: await client.ask(…)`.

    The provider's own repeats are off: whoever calls decides what is worth another try.
    """

    def __init__(self, endpoint: Endpoint, key: str | None) -> None:
        """Get ready; nothing is sent yet.

        Raises:
            CallError: The endpoint needs a key and there is none.
        """
        if endpoint.needs_key and not key:
            raise CallError("key", no_key(endpoint))
        self.endpoint = endpoint
        self._key = key or ""
        self._network = Network(endpoint.concurrency, endpoint.timeout_s)
        self._models: dict[str, Model] = {}

    async def __aenter__(self) -> Self:
        """Give the client itself."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close every connection."""
        await self._network.close()

    async def ask(
        self, question: Question, read: Callable[[str], Found], exchange: Exchange = ONCE
    ) -> Asked[Found]:
        """Ask once, and once more with the problem told where the reply cannot be read.

        Where a reply came already, it takes the place of the first.

        Raises:
            CallError: There was no reply; kind and sentence say why.
        """
        asked = [
            *[
                ModelResponse(parts=[TextPart(content=text)])
                if role == "assistant"
                else ModelRequest(parts=[UserPromptPart(content=text)])
                for role, text in question.history
            ],
            _request(question.prompt, question),
        ]
        # the provider's library is loaded once, which is no part of how long it takes to answer
        model = self._model(question.model)
        reading = _Reading(read, exchange, self._key)
        try:
            response = _again(exchange.came) or await self._send(model, question, asked, reading)
            if not reading.take(response):
                again = f"{reading.problem} Answer again, with the JSON object only."
                asked += [response, _request(again, question)]
                response = await self._send(model, question, asked, reading)
                reading.take(response)
        except (AgentRunError, EndlessReplyError, OSError) as error:
            failure = failure_of(error, self.endpoint, question.model, self._key)
            failure.replies = len(reading.raw)
            failure.tokens_in = reading.usage.input_tokens
            failure.tokens_out = reading.usage.output_tokens
            raise failure from None
        return Asked(
            value=reading.found if reading.problem is None else None,
            problem=reading.problem,
            raw=reading.raw[-1],
            earlier=tuple(reading.raw[:-1]),
            trace=_trace(response, self._key),
            tokens_in=reading.usage.input_tokens or None,
            tokens_out=reading.usage.output_tokens or None,
            requests=len(reading.raw),
            latency_ms=reading.latency_ms,
            calls=_calls(response, self._key),
        )

    async def _send(
        self,
        model: Model,
        question: Question,
        asked: Sequence[ModelMessage],
        reading: _Reading[Found],
    ) -> ModelResponse:
        settings = self._settings(question)
        if reading.exchange.name and self.endpoint.kind == "openai":
            number = len(reading.raw) + 1
            settings["extra_headers"] = {CALL_NAME: f"{reading.exchange.name}-{number}"}
        # an agent's run around one request costs more than the request itself
        response = await model_request(model, asked, model_settings=settings)
        reading.keep(response)
        return response

    def _model(self, name: str) -> Model:
        if name not in self._models:
            self._models[name] = _model(self.endpoint, self._key or NO_KEY, name, self._network)
        return self._models[name]

    def _settings(self, question: Question) -> ModelSettings:
        openai = self.endpoint.kind == "openai"
        settings = ModelSettings(
            timeout=self.endpoint.timeout_s,
            request_timeout=self.endpoint.timeout_s,
            max_retries=0,
        )
        if question.temperature is not None:
            settings["temperature"] = question.temperature
        if question.max_tokens is not None:
            settings["max_tokens"] = question.max_tokens
        if question.seed is not None and openai:
            settings["seed"] = question.seed
        body = dict(question.extra)
        if self.endpoint.json_object and openai:
            body.setdefault("response_format", {"type": "json_object"})
        if body:
            settings["extra_body"] = body
        return settings


def _model(endpoint: Endpoint, key: str, name: str, network: Network) -> Model:
    """Make a provider's model; each provider's library takes up to a second to import."""
    if endpoint.kind == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        anthropic = AnthropicProvider(
            api_key=key, base_url=endpoint.base_url, http_client=network.client
        )
        return AnthropicModel(name, provider=anthropic)
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    openai = OpenAIProvider(api_key=key, base_url=endpoint.base_url, http_client=network.client)
    return OpenAIChatModel(name, provider=openai)


def _request(text: str, question: Question) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(content=text)], instructions=question.system or None)


def _again(came: Received | None) -> ModelResponse | None:
    """Give a reply that was kept as the one that came."""
    if came is None:
        return None
    thought = [ThinkingPart(content=came.trace)] if came.trace else []
    used = RequestUsage(input_tokens=came.tokens_in or 0, output_tokens=came.tokens_out or 0)
    return ModelResponse(parts=[*thought, TextPart(content=came.text)], usage=used)


def _trace(response: ModelResponse, key: str) -> str | None:
    thought = (x.content for x in response.parts if isinstance(x, ThinkingPart))
    return masked("\n\n".join(x for x in thought if x), key)[:CUT_RAW] or None


def _calls(response: ModelResponse, key: str) -> tuple[dict[str, JsonValue], ...]:
    found = [x for x in response.parts if isinstance(x, ToolCallPart)]
    told = [
        {"id": x.tool_call_id, "name": x.tool_name, "arguments": x.args_as_json_str()}
        for x in found
    ]
    return tuple(json.loads(masked(json.dumps(x), key)) for x in told)


CUT = 300


def failure_of(error: BaseException, endpoint: Endpoint, model: str, key: str) -> CallError:
    """Tell what an error of the library means for the user."""
    kind = _kind(error)
    where = f"The endpoint {endpoint.name}"
    body = getattr(error, "body", None)
    text = ""
    if isinstance(body, dict):
        inner = body.get("error", body)
        text = str(inner.get("message", "")) if isinstance(inner, dict) else str(inner)
    elif isinstance(body, str):
        text = body
    text = masked(" ".join(text.split()), key)[:CUT]
    said = f": {text}" if text else "."
    sentence = {
        "key": f"{where} did not accept the key; store the right one and run the job again.",
        "quota": f"{where} says that the account's quota or credit is used up{said}",
        "refused": f"{where} rejected the request{said}",
        "unreachable": f"{where} cannot be reached at {_address(endpoint)}; is it running?",
        "timeout": f"{where} gave no reply within {endpoint.timeout_s:g} s.",
        "rate": f"{where} says that there are too many calls at the moment.",
        "server": f"{where} failed{_status(error)}{said}",
        "model": f"{where} has no model {model!r}.",
        "redirect": f"{where} sends to another address{_target(error, key)}; the key stays here. "
        "Give the endpoint's final address.",
        "certificate": f"{where} shows a certificate that cannot be trusted, so nothing was sent.",
        "not_json": f"{where} answered with something other than JSON{said}",
        "too_large": f"{where} sent a reply of more than 16 MB; it was cut off.",
        "too_long": f"The text is longer than the model {model!r} takes.",
        "cut": f"The connection to {endpoint.name} broke off in the middle of the reply.",
        "under_way": f"{where} still works on the same call, which was sent before.",
    }[kind]
    return CallError(kind, sentence, _retry_after(error))


def _kind(error: BaseException) -> FailureKind:
    chain = tuple(_chain(error))
    if any(isinstance(x, EndlessReplyError) for x in chain):
        return "too_large"
    if any(isinstance(x, ssl.SSLCertVerificationError) for x in chain) or any(
        "CERTIFICATE_VERIFY_FAILED" in str(x) for x in chain
    ):
        return "certificate"
    status = getattr(error, "status_code", None) or _cause_status(chain)
    if isinstance(status, int) and (told := _of_status(status)) is not None:
        return told
    table: tuple[tuple[tuple[type[BaseException], ...], FailureKind], ...] = (
        ((known.ModelContextWindowExceededError,), "too_long"),
        ((known.ModelAuthenticationError,), "key"),
        ((known.ModelNotFoundError,), "model"),
        ((known.ModelQuotaExceededError,), "quota"),
        ((known.ModelRateLimitError, known.ModelOverloadedError), "rate"),
        ((known.ModelTimeoutError, known.ModelRequestTimeout, asyncio.TimeoutError), "timeout"),
        ((known.ModelRequestRejectedError,), "refused"),
        ((known.ModelServerError, known.ModelUnavailableError), "server"),
    )
    for types, kind in table:
        if isinstance(error, types):
            return kind
    if isinstance(error, known.ModelConnectionError):
        return "cut" if error.phase in ("read", "write") else "unreachable"
    return "not_json"


def _of_status(status: int) -> FailureKind | None:
    if 300 <= status < 400:
        return "redirect"
    return "under_way" if status == 409 else None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen = 0
    while error is not None and seen < 20:
        yield error
        error, seen = error.__cause__ or error.__context__, seen + 1


def _cause_status(chain: tuple[BaseException, ...]) -> int | None:
    for error in chain:
        status = getattr(error, "status_code", None)
        if isinstance(status, int):
            return status
    return None


def _status(error: BaseException) -> str:
    status = getattr(error, "status_code", None)
    return f" with status {status}" if isinstance(status, int) else ""


def _target(error: BaseException, key: str) -> str:
    for link in _chain(error):
        response = getattr(link, "response", None)
        target = getattr(response, "headers", {}).get("location") if response is not None else None
        if target:
            return f" ({masked(str(target), key)[:CUT]})"
    return ""


def _address(endpoint: Endpoint) -> str:
    return endpoint.base_url or f"the {endpoint.kind} service"


def _retry_after(error: BaseException) -> float | None:
    seconds = getattr(error, "retry_after", None)
    return float(seconds) if isinstance(seconds, (int, float)) else None
