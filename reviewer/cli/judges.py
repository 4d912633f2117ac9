"""Endpoints, judges, bots, prompts and whose scores count; keys go to the keyring."""

import getpass
import shlex
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from reviewer.cli import console
from reviewer.cli.alignment import Alignment, align
from reviewer.cli.console import be_known, begun, clean, opened, out, say, table, tell
from reviewer.cli.options import JsonOption, ProjectArgument, takes
from reviewer.cli.table import DONE
from reviewer.domain.errors import LabelError, ReviewerError
from reviewer.domain.judging import Bot, Endpoint, Judge, Price
from reviewer.services.bots import bots
from reviewer.services.computer import secrets
from reviewer.services.jobs import trying
from reviewer.services.judging import judges, prompts
from reviewer.services.project import record
from reviewer.services.project.record import Change, Standing
from reviewer.services.project.session import Session, conversion_told


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """The version that is to count, and where; without one, what counts is told."""

    version: str | None
    runs: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    with_repeats: bool = False
    undo: bool = False
    json: bool = False


def name_of_record(session: Session, wish: Naming) -> None:
    """Name a version of record, take that back, or tell what counts.

    Raises:
        ReviewerError: The version, a run or a metric is not there, or nothing can go back.
    """
    be_known(session)
    told = _changed(session, wish)
    if told:
        say(told)
    runs = wish.runs or ((record.ALL_RUNS,) if not told else ())
    standing = record.standing(session, runs)
    history = record.history(session)
    converted = conversion_told(session)
    if wish.json:
        found = {"record": [_fields(x) for x in standing], "history": _history(history)}
        more = {"text": told} if told else {}
        console.write(found | more | ({"converted": converted} if converted else {}))
    elif not told:
        table(
            "Whose scores count",
            ("run", "metric", "version", "since", "named by", "does not count"),
            [
                (
                    x.run, x.metric, _version(x), x.at or "", x.by or "",
                    ", ".join(other.name for other in x.others),
                )
                for x in standing
            ],
        )  # fmt: skip
        named = [x for x in history if x.kind != "fixed"]
        if named:
            table(
                "What leads changed",
                ("when", "who", "run", "metric", "version"),
                [(x.at, x.by or "", x.run, x.metric, f"{_undone(x)}{_said(x)}") for x in named],
            )
        for sentence in converted:
            out(clean(sentence))


def _changed(session: Session, wish: Naming) -> str:
    if wish.undo:
        if wish.version:
            raise ReviewerError("--undo takes back what was named last; leave out the version.")
        return record.take_back(session, runs=wish.runs, metrics=wish.metrics)
    if wish.version is None:
        if wish.with_repeats:
            raise ReviewerError("Name the version whose repeats are to count.")
        return ""
    return record.name(
        session,
        wish.version,
        runs=wish.runs,
        metrics=wish.metrics,
        with_repeats=wish.with_repeats,
    )


def _version(found: Standing) -> str:
    if found.version is None:
        return "none yet"
    return f"{found.version.name}, with its repeats" if found.with_repeats else found.version.name


def _said(change: Change) -> str:
    if change.version is None:
        return "nothing"
    return f"{change.version}, with its repeats" if change.with_repeats else change.version


def _undone(change: Change) -> str:
    return "taken back: " if change.kind == "undone" else ""


def _history(changes: tuple[Change, ...]) -> list[dict[str, object]]:
    return [
        {
            "run": x.run,
            "metric": x.metric,
            "version": x.version,
            "with_repeats": x.with_repeats,
            "kind": x.kind,
            "by": x.by,
            "at": x.at,
        }
        for x in changes
    ]


def _fields(found: record.Standing) -> dict[str, Any]:
    return {
        "run": found.run,
        "metric": found.metric,
        "scorer": found.version.scorer if found.version else None,
        "version": found.version.version if found.version else None,
        "name": found.version.name if found.version else None,
        "with_repeats": found.with_repeats,
        "by": found.by,
        "at": found.at,
        "others": [x.name for x in found.others],
    }


@dataclass(frozen=True, kw_only=True)
class JudgesOptions:
    """What to add, try or remove."""

    project: ProjectArgument
    action: Annotated[
        Literal[
            "list",
            "add",
            "add-bot",
            "test",
            "remove",
            "prompt",
            "split",
            "leaderboard",
            "examples",
            "record",
        ],
        typer.Argument(
            help="list, add, add-bot, test, remove, prompt; record; split, leaderboard, examples.",
            show_default=False,
        ),
    ] = "list"
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Of the judge, bot or endpoint; a prompt's metric; the version that counts.",
        ),
    ] = None
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="A prompt; a bot's FAQ table (CSV), document, or settings (JSON)."
        ),
    ] = None
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="The model.")] = None
    endpoint: Annotated[
        str | None,
        typer.Option(
            "--endpoint",
            metavar="NAME",
            help="deepseek, openai, anthropic, ollama, vllm, llama.cpp, lm-studio, or your own; "
            "default: the model's provider, or that of --url.",
        ),
    ] = None
    url: Annotated[
        str | None, typer.Option("--url", metavar="URL", help="The address of your own.")
    ] = None
    key_from: Annotated[
        str | None,
        typer.Option(
            "--key-from", metavar="VARIABLE", help="Store the key that this variable holds."
        ),
    ] = None
    variable: Annotated[
        str | None,
        typer.Option(
            "--variable", metavar="VARIABLE", help="Read the key from this at every run."
        ),
    ] = None
    temperature: Annotated[
        float | None, typer.Option("--temperature", help="0 unless told otherwise.")
    ] = None
    repeats: Annotated[
        int | None, typer.Option("--repeat", min=1, help="Score each evaluation N times.")
    ] = None
    price: Annotated[
        str | None,
        typer.Option("--price", metavar="IN,OUT", help="Dollars a million tokens."),
    ] = None
    command: Annotated[
        str | None, typer.Option("--command", help="A bot's command with its arguments.")
    ] = None
    run: Annotated[
        list[str],
        typer.Option("--run", metavar="NAME", help="On this run, or the newest; all for record."),
    ] = field(default_factory=list)
    metric: Annotated[
        list[str], typer.Option("--metric", metavar="NAME", help="Only this; may be repeated.")
    ] = field(default_factory=list)
    statistic: Annotated[
        str | None,
        typer.Option(
            "--statistic", metavar="NAME", help="Instead of the kappa that suits the scale."
        ),
    ] = None
    part: Annotated[
        Literal["dev", "held_out"],
        typer.Option("--part", help="dev compares judges without a look at what is held out."),
    ] = "held_out"
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, metavar="N", help="Of split and of intervals.")
    ] = None
    level: Annotated[
        float, typer.Option("--level", min=0.5, max=0.9999, help="Of every interval.")
    ] = 0.95
    with_repeats: Annotated[
        bool, typer.Option("--with-repeats", help="Let what the version says again count, too.")
    ] = False
    undo: Annotated[
        bool, typer.Option("--undo", help="Let count again what did before it was named last.")
    ] = False
    json: JsonOption = False


@takes(JudgesOptions)
def manage(options: JudgesOptions) -> int:
    """List judges, endpoints and bots, change them, or compare judges with people."""
    adds = options.action in ("add", "add-bot")
    with (begun if adds else opened)(options.project, tells=True) as session:
        match options.action:
            case "split" | "leaderboard" | "examples":
                align(
                    session,
                    Alignment(
                        action=options.action,
                        run=options.run[-1] if options.run else None,
                        metrics=tuple(options.metric),
                        statistic=options.statistic,
                        part=options.part,
                        seed=options.seed,
                        level=options.level,
                        json=options.json,
                    ),
                )
            case "list":
                _list(session, as_json=options.json)
            case "add":
                tell(_add(session, options), as_json=options.json)
            case "add-bot":
                tell(_add_bot(session, options), as_json=options.json)
            case "test":
                tell(trying.endpoint(session, _name(options)), as_json=options.json)
            case "remove":
                tell(judges.remove(session, _name(options)), as_json=options.json)
            case "prompt":
                tell(_prompt(session, options), as_json=options.json)
            case "record":
                name_of_record(session, _naming(options))
    return DONE


def _naming(options: JudgesOptions) -> Naming:
    if options.file is not None:
        raise ReviewerError(
            f"Name one version, not also {str(options.file)!r}; put quotes around one with blanks."
        )
    return Naming(
        version=options.name,
        runs=tuple(options.run),
        metrics=tuple(options.metric),
        with_repeats=options.with_repeats,
        undo=options.undo,
        json=options.json,
    )


def _name(options: JudgesOptions) -> str:
    if not options.name:
        raise ReviewerError(f"`reviewer judges PROJECT {options.action}` needs a NAME.")
    return options.name


def _add(session: Session, options: JudgesOptions) -> str:
    name = _name(options)
    if not options.model:
        raise ReviewerError("A judge needs a --model.")
    price = _price(options)
    endpoint = judges.endpoint_for(
        session, options.model, options.endpoint, url=options.url, variable=options.variable
    )
    judge = Judge(name=name, endpoint=endpoint.name, model=options.model)
    if options.temperature is not None:
        judge = replace(judge, temperature=options.temperature)
    if options.repeats is not None:
        judge = replace(judge, repeats=options.repeats)
    judges.keep(session, judge)
    if price is not None:
        judges.keep_price(session, price)
    return f"The judge {name} asks {options.model} at {endpoint.name}. {_key(endpoint, options)}"


def _price(options: JudgesOptions) -> Price | None:
    if options.price is None or options.model is None:
        return None
    try:
        given, taken = (float(x) for x in options.price.split(","))
    except ValueError:
        raise ReviewerError(
            f"--price {options.price!r}: two numbers are expected, such as 0.28,0.42."
        ) from None
    return Price(model=options.model, input_per_million=given, output_per_million=taken)


def _key(endpoint: Endpoint, options: JudgesOptions) -> str:
    if options.key_from is not None:
        key = secrets.variable(options.key_from)
        if not key:
            raise ReviewerError(f"The environment variable {options.key_from} is not set.")
        secrets.store_key(endpoint, key)
        return "Its key is in the keyring."
    if secrets.state(endpoint).is_there:
        return "Nothing more is needed."
    if not sys.stdin.isatty():
        or_set = f", or set {endpoint.variable}" if endpoint.variable else ""
        return f"Its key is still missing: --key-from VARIABLE stores it{or_set}."
    key = getpass.getpass(f"Key of {endpoint.name} (not shown): ")
    secrets.store_key(endpoint, key)
    return "Its key is in the keyring."


def _add_bot(session: Session, options: JudgesOptions) -> str:
    name = _name(options)
    bot = _bot(session, name, options)
    bots.keep(session, bot)
    return f"The bot {name} is there ({bot.kind.replace('_', ' ')})."


def _bot(session: Session, name: str, options: JudgesOptions) -> Bot:
    settings: dict[str, Any] = {}
    if options.file is not None and options.file.suffix.lower() == ".json":
        return bots.read(name, options.file)
    if options.command:
        settings["words"] = shlex.split(options.command)
        return Bot(name=name, kind="command", settings=settings)
    if options.model:
        endpoint = judges.endpoint_for(
            session, options.model, options.endpoint, url=options.url, variable=options.variable
        )
        settings |= {"endpoint": endpoint.name, "model": options.model}
        if options.temperature is not None:
            settings["temperature"] = options.temperature
        if options.file is None:
            return Bot(name=name, kind="chat", settings=settings)
        settings["knowledge"] = bots.document(options.file)
        return Bot(name=name, kind="full_context", settings=settings)
    if options.file is not None:
        return bots.of_table(name, options.file)
    raise ReviewerError(
        "A bot needs an FAQ table (CSV), or --model with or without a document, "
        "--command, or its settings as a JSON file (an HTTP address, for one)."
    )


def _prompt(session: Session, options: JudgesOptions) -> str:
    metric = _name(options)
    if options.file is None:
        raise ReviewerError("Name the FILE that holds the prompt.")
    rubric = session.current_rubric()
    if metric not in rubric.by_name:
        there = ", ".join(rubric.by_name)
        raise ReviewerError(f"The rubric {rubric.name} has no metric {metric!r}; it has: {there}.")
    text = bots.document(options.file)
    try:
        kept = prompts.save(session, rubric, metric, text)
    except LabelError as noticed:
        if not sys.stdin.isatty() or not typer.confirm(f"{noticed} Keep it?", err=True):
            raise
        kept = prompts.save(session, rubric, metric, text)
    return f"The prompt of {metric} has version {kept.version} ({kept.hash})."


def _list(session: Session, *, as_json: bool) -> None:
    endpoints = {x.name: x for x in judges.endpoints(session)}
    found = judges.every(session)
    if as_json:
        console.write(
            {
                "endpoints": [_endpoint_fields(x) for x in endpoints.values()],
                "judges": [
                    {"name": x.name, "endpoint": x.endpoint, "model": x.model,
                     "temperature": x.temperature, "repeats": x.repeats}
                    for x in found
                ],
                "bots": [{"name": x.name, "kind": x.kind} for x in judges.bots(session)],
            }
        )  # fmt: skip
        return
    table(
        "Judges",
        ("name", "model", "endpoint", "address", "key"),
        [
            (x.name, x.model, x.endpoint, _address(endpoints, x), _has_key(endpoints, x))
            for x in found
        ],
    )
    table(
        "Bots",
        ("name", "kind"),
        [(x.name, x.kind.replace("_", " ")) for x in judges.bots(session)],
    )


def _address(endpoints: dict[str, Endpoint], judge: Judge) -> str:
    endpoint = endpoints.get(judge.endpoint)
    return (endpoint.base_url or "the provider's own") if endpoint else "not there"


def _has_key(endpoints: dict[str, Endpoint], judge: Judge) -> str:
    endpoint = endpoints.get(judge.endpoint)
    return "not needed" if endpoint is None else secrets.state(endpoint).words


def _endpoint_fields(endpoint: Endpoint) -> dict[str, Any]:
    return {
        "name": endpoint.name,
        "kind": endpoint.kind,
        "url": endpoint.base_url,
        "key": secrets.state(endpoint).is_there if endpoint.needs_key else None,
        "variable": endpoint.variable,
        "concurrency": endpoint.concurrency,
        "per_minute": endpoint.per_minute,
    }
