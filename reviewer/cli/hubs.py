"""Projects that several people share: made, joined, sent and taken in, and left."""

import getpass
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from reviewer.cli import console, hub_watching
from reviewer.cli.console import answer, be_known, clean, opened, out, reporting, say, table, tell
from reviewer.cli.options import JsonOption, ProjectArgument, takes
from reviewer.cli.table import DONE
from reviewer.domain.errors import ReviewerError
from reviewer.services.project.session import Session
from reviewer.services.queues import pools
from reviewer.services.sharing import holding, standing, syncing, taking_part
from reviewer.services.sharing.syncing import Synced

SHOWN = 10
KEPT = "Another window or program keeps this project in step already."


@dataclass(frozen=True, kw_only=True)
class HubOptions:
    """What to do with the hub of a project."""

    project: ProjectArgument
    action: Annotated[
        Literal["share", "invite", "people", "status", "sync", "leave"],
        typer.Argument(help="share, invite, people, status, sync or leave.", show_default=False),
    ] = "status"
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="ADDRESS|NAME",
            help="Where to share: postgresql://host/database; or whom to invite.",
            show_default=False,
        ),
    ] = None
    schema: Annotated[
        str | None,
        typer.Option(
            "--schema", metavar="NAME", help="The project's name there; default: the file's."
        ),
    ] = None
    role: Annotated[
        Literal["lead", "labeler"], typer.Option("--role", help="What an invited person is.")
    ] = "labeler"
    account: Annotated[
        str | None,
        typer.Option(
            "--account",
            metavar="NAME",
            help="The role of the database for whom is invited; made where there is none.",
        ),
    ] = None
    remove: Annotated[
        str | None,
        typer.Option("--remove", metavar="NAME", help="Take somebody out; their answers stay."),
    ] = None
    restored: Annotated[
        bool,
        typer.Option(
            "--restored", help="Say that the database came out of an older backup (share)."
        ),
    ] = False
    upgrade: Annotated[
        bool,
        typer.Option(
            "--upgrade", help="Bring the tables up to date that an older program made (share)."
        ),
    ] = False
    print_sql: Annotated[
        bool, typer.Option("--print-sql", help="Print what share would run, and do nothing.")
    ] = False
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Keep in step until it is stopped, by Ctrl-C (sync)."),
    ] = False
    json: JsonOption = False


@takes(HubOptions)
def manage(options: HubOptions) -> int:
    """Share a project through a PostgreSQL database, let people in, send and take in, leave."""
    if options.print_sql:
        where = _needed(options.what, "share", "an ADDRESS: postgresql://host/database")
        out(taking_part.statements(where, options.schema, options.project))
        return DONE
    with opened(options.project) as session:
        be_known(session)
        match options.action:
            case "share":
                _share(session, options)
            case "invite":
                _invite(session, options)
            case "people":
                _people(session, options)
            case "sync" if options.watch:
                hub_watching.watch(session, as_json=options.json)
            case "sync":
                _sync(session, options)
            case "leave":
                left = taking_part.leave(session)
                tell(
                    f"{options.project.name} is not shared any more; all that is in it stays.",
                    as_json=options.json, address=left.address,
                )  # fmt: skip
            case "status":
                _status(session, options)
    return DONE


def _ask(user: str) -> str:
    return getpass.getpass(f"Password of {clean(user)}: ")


def _asking() -> taking_part.Ask | None:
    """Ask for passwords at a terminal; a program gets a sentence instead."""
    return _ask if sys.stdin.isatty() else None


def _sync(session: Session, options: HubOptions) -> None:
    place = taking_part.place_in(session.project)
    hold = holding.Hold.take(session.project.path)
    if hold is None:
        sentence = standing.standing(session.project).sentence
        _tell(Synced(told=[KEPT, sentence]), as_json=options.json)
        return
    with (
        hold,
        taking_part.opened(place, ask=_asking()) as hub,
        reporting("sync") as shown,
    ):
        done = syncing.sync(session, hub, shown)
    _tell(done, as_json=options.json)


def _share(session: Session, options: HubOptions) -> None:
    if options.restored or options.upgrade:
        with taking_part.opened(taking_part.place_in(session.project), ask=_asking()) as hub:
            if options.upgrade:
                taking_part.upgrade(hub)
            if options.restored:
                taking_part.restored(hub)
            done = syncing.sync(session, hub)
    else:
        where = _needed(options.what, "share", "an ADDRESS: postgresql://host/database")
        place = taking_part.place_of(where, options.schema, options.project)
        with taking_part.opened(place, ask=_asking()) as hub, reporting("sharing") as progress:
            done = taking_part.share(session, hub, progress)
    say(f"Shared at {taking_part.place_in(session.project).text}.")
    _tell(done, as_json=options.json)


def _needed(word: str | None, action: str, what: str) -> str:
    if word is None:
        raise ReviewerError(f"`reviewer hub PROJECT {action}` needs {what}.")
    return word


def _invite(session: Session, options: HubOptions) -> None:
    name = _needed(options.what, "invite", "a NAME")
    with taking_part.opened(taking_part.place_in(session.project), ask=_asking()) as hub:
        made = taking_part.invite(session, hub, name, role=options.role, account=options.account)
    said = f"{made.name} joins with:\n{made.line}"
    if made.password is not None:
        said += f"\nPassword, kept nowhere; tell it on another way: {made.password}"
    document = {
        "name": made.name, "role": made.role, "account": made.account, "line": made.line,
        "password": made.password,
    }  # fmt: skip
    answer(document, said, as_json=options.json)


def _people(session: Session, options: HubOptions) -> None:
    with taking_part.opened(taking_part.place_in(session.project), ask=_asking()) as hub:
        if options.remove is not None:
            gone = taking_part.remove(hub, options.remove)
            say(f"{gone.name} was taken out; what they answered stays under their name.")
        people = taking_part.people(hub)
    if options.json:
        console.write(
            {
                "people": [
                    {"name": x.name, "role": x.role, "account": x.account, "removed": x.removed}
                    for x in people
                ]
            }
        )
        return
    rows = [(x.name, x.role, x.account or "", "taken out" if x.removed else "") for x in people]
    table("", ("Name", "Role", "Database role", ""), rows)


def _status(session: Session, options: HubOptions) -> None:
    found = standing.standing(session.project)
    link, given_out = found.link, pools.given_out(session)
    document = {
        "address": link.address, "role": "lead" if link.lead else "labeler", "left": link.left,
        "refused": link.refused, **found.state.to_document(),
        "given_out": [
            {"queue": name, "evaluations": x.total, "answered": x.done, "free": x.free}
            for name, x in given_out.items()
        ],
    }  # fmt: skip
    more = [f"{clean(name)}: {x.sentence}" for name, x in given_out.items()]
    answer(document, "\n".join((found.sentence, *more)), as_json=options.json)


def _tell(done: Synced, *, as_json: bool) -> None:
    if as_json:
        console.write(done.to_json())
        return
    out(done.sentence)
    for sentence in (*done.told, *done.pulled.refused[:SHOWN]):
        say(sentence)
    for differ in done.pulled.conflicts[:SHOWN]:
        here, there = differ.words
        say(
            f"{differ.run}/{differ.id}, {differ.metric}: {here} here, {there} on another "
            f"computer; the one {differ.later} is later and counts."
        )


@dataclass(frozen=True, kw_only=True)
class JoinOptions:
    """Which shared project, and the file that is made of it."""

    address: Annotated[
        str,
        typer.Argument(
            metavar="ADDRESS",
            help="As it was sent to you: postgresql://anna@host/database/project.",
            show_default=False,
        ),
    ]
    project: Annotated[
        Path | None,
        typer.Argument(
            metavar="PROJECT", help="The file; default: named as there.", show_default=False
        ),
    ] = None
    json: JsonOption = False


@takes(JoinOptions)
def join(options: JoinOptions) -> int:
    """Get a shared project, with what is in your queues, into a file of your own."""
    address = taking_part.whole_place(options.address)
    path = options.project or taking_part.default_path(address)
    with taking_part.opened(address, ask=_asking()) as hub, reporting("joining") as progress:
        done = taking_part.join(hub, path, progress)
    say(f"The project is in {path}.")
    _tell(done, as_json=options.json)
    return DONE
