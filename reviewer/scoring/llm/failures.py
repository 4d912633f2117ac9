"""Why a call failed, told in a sentence that never holds the key."""

import asyncio
import ssl
from collections.abc import Iterator

from pydantic_ai import exceptions as known

from reviewer.domain.judging import Endpoint
from reviewer.scoring.calling import CallError, FailureKind
from reviewer.scoring.llm.network import EndlessReplyError
from reviewer.scoring.masking import masked

CUT = 300


def failure_of(error: BaseException, endpoint: Endpoint, model: str, key: str) -> CallError:
    """Tell what an error of the library means for the user."""
    kind = _kind(error)
    where = f"The endpoint {endpoint.name}"
    said = _said(error, key)
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
    if isinstance(status, int) and 300 <= status < 400:
        return "redirect"
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


def _said(error: BaseException, key: str) -> str:
    body = getattr(error, "body", None)
    text = ""
    if isinstance(body, dict):
        inner = body.get("error", body)
        text = str(inner.get("message", "")) if isinstance(inner, dict) else str(inner)
    elif isinstance(body, str):
        text = body
    text = masked(" ".join(text.split()), key)[:CUT]
    return f": {text}" if text else "."


def _retry_after(error: BaseException) -> float | None:
    seconds = getattr(error, "retry_after", None)
    return float(seconds) if isinstance(seconds, (int, float)) else None
