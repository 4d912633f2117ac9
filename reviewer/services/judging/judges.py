"""Judges and their endpoints: made from what is known, added, changed and taken away."""

from dataclasses import dataclass, replace
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from reviewer.domain.change import JudgingChanged
from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Bot, Endpoint, Judge, Price
from reviewer.scoring.calling import no_key
from reviewer.scoring.masking import check_address
from reviewer.services.calls.parameters import check
from reviewer.services.calls.prices import SHIPPED
from reviewer.services.computer import secrets, trust
from reviewer.services.project.session import Session
from reviewer.store import judging


def every(session: Session) -> tuple[Judge, ...]:
    """Give the judges by name."""
    return judging.every(session.project.conn, Judge)


def endpoints(session: Session) -> tuple[Endpoint, ...]:
    """Give the endpoints by name."""
    return judging.every(session.project.conn, Endpoint)


def bots(session: Session) -> tuple[Bot, ...]:
    """Give the bots by name."""
    return judging.every(session.project.conn, Bot)


def keep(session: Session, judge: Judge) -> None:
    """Keep a judge, replacing an older one of that name.

    Raises:
        ReviewerError: A part of it makes no sense.
    """
    _check_name(judge.name)
    if not judge.model.strip():
        raise ReviewerError(f"The judge {judge.name} needs a model.")
    if not 0 <= judge.temperature <= 2:
        raise ReviewerError(f"The temperature is {judge.temperature:g}; 0 to 2 is expected.")
    if judge.repeats < 1:
        raise ReviewerError("A judge scores at least once.")
    check(judge.extra)
    if judging.find(session.project.conn, Endpoint, judge.endpoint) is None:
        raise ReviewerError(f"There is no endpoint {judge.endpoint!r}; add it first.")
    judging.keep(session.project, judge)
    session.publish(JudgingChanged(f"the judge {judge.name} was kept"))


def keep_endpoint(session: Session, endpoint: Endpoint) -> None:
    """Keep an endpoint, replacing an older one of that name.

    Raises:
        ReviewerError: A part of it makes no sense, or this computer cannot remember that its key
            may go to its address.
    """
    _check_name(endpoint.name)
    url = endpoint.base_url
    if url is not None and not url.startswith(("http://", "https://")):
        raise ReviewerError(f"The address is {url!r}; one with http:// or https:// is expected.")
    check_address(url or "")
    if endpoint.kind == "openai" and url is None:
        raise ReviewerError("An OpenAI-compatible endpoint needs an address.")
    if endpoint.concurrency < 1 or endpoint.timeout_s <= 0:
        raise ReviewerError("An endpoint needs at least one call at a time and a time limit.")
    if endpoint.variable is not None and not endpoint.variable.isidentifier():
        raise ReviewerError(
            f"{endpoint.variable[:100]!r} is no name of an environment variable; one such as "
            "OPENAI_API_KEY is expected, never the key itself."
        )
    # first, so that nothing is kept that could not be used
    trust.confirm_address(endpoint)
    judging.keep(session.project, endpoint)
    session.publish(JudgingChanged(f"the endpoint {endpoint.name} was kept"))


def preset(name: str) -> Endpoint | None:
    """Give an endpoint that ships by its name: a provider's, or a local server's."""
    return next((x for x in presets() if x.name == name), None)


def endpoint_named(
    session: Session, name: str, *, url: str | None = None, variable: str | None = None
) -> Endpoint:
    """Give the project's endpoint of a name, made from a preset or an address where absent.

    Raises:
        ReviewerError: There is none of that name, and no address to make it from.
    """
    found = judging.find(session.project.conn, Endpoint, name) or preset(name)
    if found is None and url is None:
        known = ", ".join(x.name for x in presets())
        raise ReviewerError(
            f"There is no endpoint {name!r}; give its address, or name one of: {known}."
        )
    made = found or Endpoint(name=name, needs_key=False)
    if url is not None:
        made = replace(made, base_url=url)
    if variable is not None:
        made = replace(made, variable=variable, needs_key=True)
    keep_endpoint(session, made)
    return made


def endpoint_for(
    session: Session,
    model: str,
    name: str | None = None,
    *,
    url: str | None = None,
    variable: str | None = None,
) -> Endpoint:
    """Give the endpoint of a model: the named one, else that of the address, else the provider's.

    Raises:
        ReviewerError: There is none of that name, or nobody knows where the model is reached.
    """
    at = name or (urlsplit(url).netloc if url else None)
    if at is None:
        place = endpoint_of(model)
        if place is None:
            raise ReviewerError(
                f"It is not known where the model {model!r} is reached; name its --endpoint or "
                "give its address with --url."
            )
        at = place.name
    return endpoint_named(session, at, url=url, variable=variable)


def remove(session: Session, name: str) -> str:
    """Take a judge or bot away, or an endpoint with its key; scores that it gave stay.

    Raises:
        ReviewerError: There is none of that name, or a judge still asks the endpoint.
    """
    if judging.find(session.project.conn, Judge, name) is not None:
        return remove_judge(session, name)
    if judging.find(session.project.conn, Bot, name) is not None:
        return remove_bot(session, name)
    if judging.find(session.project.conn, Endpoint, name) is None:
        raise ReviewerError(f"There is no judge, bot or endpoint {name!r}.")
    return remove_endpoint(session, name)


def remove_endpoint(session: Session, name: str) -> str:
    """Take an endpoint away, and its key out of the keyring.

    Raises:
        ReviewerError: There is none of that name, a judge or bot still asks it, or the keyring
            does not answer.
    """
    endpoint = judging.find(session.project.conn, Endpoint, name)
    if endpoint is None:
        raise ReviewerError(f"There is no endpoint {name!r}.")
    used = [x.name for x in every(session) if x.endpoint == name]
    used += [x.name for x in bots(session) if x.settings.get("endpoint") == name]
    if used:
        raise ReviewerError(f"The endpoint {name} is asked by {', '.join(used)}; remove it first.")
    secrets.forget_key(endpoint)
    judging.forget(session.project, Endpoint, name)
    session.publish(JudgingChanged(f"the endpoint {name} was removed"))
    return f"The endpoint {name} is removed, and its key."


def remove_judge(session: Session, name: str) -> str:
    """Take a judge away; the scores that it gave stay.

    Raises:
        ReviewerError: There is none of that name.
    """
    if not judging.forget(session.project, Judge, name):
        raise ReviewerError(f"There is no judge {name!r}.")
    session.publish(JudgingChanged(f"the judge {name} was removed"))
    return f"The judge {name} is removed; its scores stay."


def remove_bot(session: Session, name: str) -> str:
    """Take a bot away; the runs that it made stay.

    Raises:
        ReviewerError: There is none of that name.
    """
    if not judging.forget(session.project, Bot, name):
        raise ReviewerError(f"There is no bot {name!r}.")
    session.publish(JudgingChanged(f"the bot {name} was removed"))
    return f"The bot {name} is removed; its runs stay."


def keep_price(session: Session, price: Price) -> None:
    """Keep what a model costs.

    Raises:
        ReviewerError: A price is below 0.
    """
    if price.input_per_million < 0 or price.output_per_million < 0:
        raise ReviewerError("A price is 0 or more.")
    judging.keep_price(session.project, price)
    session.publish(JudgingChanged(f"the price of {price.model} was kept"))


def note_key(session: Session) -> None:
    """Tell whoever shows it that a key was stored or forgotten."""
    session.publish(JudgingChanged("a key was stored or forgotten"))


def _check_name(name: str) -> None:
    if not name.strip() or not name.isprintable() or len(name) > 100 or "@" in name:
        raise ReviewerError(
            f"{name[:100]!r} is no name; up to 100 printable characters without @ are expected."
        )


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
    return next((x.endpoint for x in _FAMILIES if model.lower().startswith(x.starts)), None)


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
    place = _where_asked(session, model) or endpoint_of(model)
    if place is None:
        raise ReviewerError(
            f"It is not known where the model {model!r} is reached; add an endpoint and a judge "
            "with `reviewer judges PROJECT add`."
        )
    made = Judge(name=model, endpoint=place.name, model=model)
    return PlacedJudge(made, judging.find(conn, Endpoint, place.name) or place)


def _where_asked(session: Session, model: str) -> Endpoint | None:
    """Give the endpoint at which a bot of the project asks a model."""
    conn = session.project.conn
    asked = (x.settings for x in judging.every(conn, Bot) if x.settings.get("model") == model)
    names = (str(x["endpoint"]) for x in asked if x.get("endpoint"))
    return next((x for name in names if (x := judging.find(conn, Endpoint, name))), None)


def judge_for(session: Session, model: str = DEFAULT_MODEL) -> Judge:
    """Give the project's judge of a model, made with its provider's endpoint where absent.

    Raises:
        ReviewerError: Nobody knows where that model is reached, the judge's endpoint is gone, or
            its key is missing; then nothing is kept.
    """
    project = session.project
    judge, place = placed_judge(session, model)
    if place.needs_key and not secrets.key_of(place):
        raise ReviewerError(no_key(place))
    if judging.find(project.conn, Endpoint, place.name) is None:
        judging.keep(project, place)
    if judging.find(project.conn, Judge, judge.name) != judge:
        judging.keep(project, judge)
    return judge
