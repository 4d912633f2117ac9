"""Endpoints and judges by name, made from what is known where a project has none yet."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Endpoint, Judge
from reviewer.services.calls.prices import SHIPPED
from reviewer.services.project.session import Session
from reviewer.store import judging

DEFAULT_MODEL: Final = "deepseek-chat"


class PlacedJudge(NamedTuple):
    """A judge and the endpoint that it asks, whether or not a project keeps them."""

    judge: Judge
    endpoint: Endpoint


@dataclass(frozen=True, slots=True)
class _Family:
    starts: tuple[str, ...]
    endpoint: Endpoint


_FAMILIES: Final = (
    _Family(
        ("deepseek",),
        Endpoint(
            name="deepseek",
            base_url="https://api.deepseek.com",
            variable="DEEPSEEK_API_KEY",
            json_object=True,
        ),
    ),
    _Family(
        ("claude",),
        Endpoint(name="anthropic", kind="anthropic", variable="ANTHROPIC_API_KEY"),
    ),
    _Family(
        ("gpt", "o1", "o3", "o4", "chatgpt"),
        Endpoint(
            name="openai",
            base_url="https://api.openai.com/v1",
            variable="OPENAI_API_KEY",
            json_object=True,
        ),
    ),
)
LOCAL: Final = {
    "ollama": "http://127.0.0.1:11434/v1",
    "vllm": "http://127.0.0.1:8000/v1",
    "llama.cpp": "http://127.0.0.1:8080/v1",
    "lm-studio": "http://127.0.0.1:1234/v1",
}
"""Addresses at which local servers listen unless told otherwise."""


def presets() -> tuple[Endpoint, ...]:
    """Give endpoints to start from: the providers known by name, and local servers."""
    local = (Endpoint(name=name, base_url=url, needs_key=False) for name, url in LOCAL.items())
    return (*(family.endpoint for family in _FAMILIES), *local)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A judge to start from.

    Attributes:
        model: Empty where it is to be named, as on local servers.
        note: What is known of it.
    """

    title: str
    endpoint: Endpoint
    model: str = ""
    note: str = ""


def judge_presets() -> tuple[Preset, ...]:
    """Give judges to start from: models with a note, then providers and local servers."""
    known = {x.name: x for x in presets()}
    models = tuple(
        Preset(title=x.model, endpoint=known[place], model=x.model, note=x.note)
        for x, place in zip(SHIPPED, ("deepseek", "openai", "openai", "openai"), strict=True)
    )
    others = (
        ("OpenAI", "openai", "any of its models"),
        ("DeepSeek", "deepseek", "any of its models"),
        ("Anthropic", "anthropic", "any of its models"),
        ("Ollama", "ollama", "on this computer; no key"),
        ("vLLM", "vllm", "on this computer; no key"),
        ("llama.cpp", "llama.cpp", "on this computer; no key"),
        ("LM Studio", "lm-studio", "on this computer; no key"),
    )
    return (
        *models,
        *(Preset(title=title, endpoint=known[name], note=note) for title, name, note in others),
    )


def endpoint_of(model: str) -> Endpoint | None:
    """Give where a model is reached, by what its name begins with; None where nobody knows."""
    found = (x.endpoint for x in _FAMILIES if model.lower().startswith(x.starts))
    return next(found, None)


def place_of(session: Session, judge: Judge) -> PlacedJudge:
    """Give a judge with the endpoint that it asks.

    Raises:
        ReviewerError: The endpoint is not there.
    """
    found = judging.find(session.project.conn, Endpoint, judge.endpoint)
    if found is None:
        raise ReviewerError(
            f"The judge {judge.name} asks the endpoint {judge.endpoint!r}, which is not there."
        )
    return PlacedJudge(judge, found)


def placed_judge(session: Session, model: str) -> PlacedJudge:
    """Give the project's judge of a model, or what would be made of it; nothing is kept.

    Raises:
        ReviewerError: Nobody knows where that model is reached, or the judge's endpoint is gone.
    """
    conn = session.project.conn
    for judge in judging.every(conn, Judge):
        if judge.model == model:
            return place_of(session, judge)
    place = endpoint_of(model)
    if place is None:
        raise ReviewerError(
            f"It is not known where the model {model!r} is reached; add an endpoint and a judge "
            "with `reviewer judges PROJECT add`."
        )
    made = Judge(name=model, endpoint=place.name, model=model)
    return PlacedJudge(made, judging.find(conn, Endpoint, place.name) or place)


def judge_for(session: Session, model: str = DEFAULT_MODEL) -> Judge:
    """Give the project's judge of a model, made with its provider's endpoint where absent.

    Raises:
        ReviewerError: Nobody knows where that model is reached, or the judge's endpoint is gone.
    """
    project = session.project
    judge, place = placed_judge(session, model)
    if judging.find(project.conn, Endpoint, place.name) is None:
        judging.keep(project, place)
    if judging.find(project.conn, Judge, judge.name) != judge:
        judging.keep(project, judge)
    return judge
