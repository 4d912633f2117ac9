"""Bots by name: what their settings may be, the cases they answer, how they are made ready."""

import csv
import io
import json
import shlex
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from reviewer import paths
from reviewer.domain.case_set import CaseSet
from reviewer.domain.change import JudgingChanged
from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import JsonValue
from reviewer.domain.judging import Bot, Endpoint, JobPlan, Price, Selection
from reviewer.domain.wording import fixed
from reviewer.formats.delimited import LARGEST_CELL
from reviewer.scoring import bot_kinds
from reviewer.scoring.bots import models, web
from reviewer.scoring.bots.kind import Answering, Kind, Opened
from reviewer.scoring.calling import Caller
from reviewer.scoring.masking import is_secret
from reviewer.scoring.packages.scorers import PACKAGE
from reviewer.services.calls import prices, selecting
from reviewer.services.computer import plugins, secrets, trust
from reviewer.services.computer.packaged import Packaged
from reviewer.services.project.session import Session
from reviewer.services.testing import sets
from reviewer.store import case_sets, judging
from reviewer.store.records import RecordReader

KINDS: Final = bot_kinds.KINDS
"""What every kind of bot declares, by its name."""
key_place: Final = web.key_place
CHARACTERS_A_TOKEN: Final = models.CHARACTERS_A_TOKEN
SHIPPED_TEMPLATE: Final = models.TEMPLATE
"""What a full-context bot asks unless told otherwise."""
TABLES: Final = (".csv", ".tsv", ".txt")
"""Suffixes of FAQ tables."""
LARGEST_DOCUMENT: Final = 8_000_000
"""Bytes of a document or an FAQ table, beyond what any model takes."""


def find(session: Session, name: str) -> Bot:
    """Give a bot by name.

    Raises:
        ReviewerError: There is none.
    """
    bot = judging.find(session.project.conn, Bot, name)
    if bot is None and name in plugins.names("bot"):
        # a package's bot is what the package says, so nothing of it is kept
        return Bot(name=name, kind="package", settings={"entry": name})
    if bot is None:
        there = ", ".join(x.name for x in judging.every(session.project.conn, Bot)) or "none"
        raise ReviewerError(
            f"The project has no bot {name!r}; it has: {there}. "
            "Add one with `reviewer judges PROJECT add`."
        )
    return bot


def named(session: Session, word: str) -> str:
    """Give the name of the bot that a word means; an FAQ table becomes one of its file's name.

    Raises:
        ReviewerError: There is neither a bot nor a file of that name, or the file is no table.
    """
    file = Path(word)
    if judging.find(session.project.conn, Bot, word) is None and file.is_file():
        keep(session, of_table(file.stem, file))
        return file.stem
    return find(session, word).name


def of_table(name: str, file: Path) -> Bot:
    """Make a bot that answers with the row of an FAQ table that is most like the question.

    Raises:
        ReviewerError: The file is no such table.
    """
    if file.suffix.lower() not in TABLES:
        raise ReviewerError(
            f"{file.name} is no FAQ table (CSV); a bot that reads a document needs a model: "
            f"`reviewer judges PROJECT add-bot NAME {file.name} --model MODEL`."
        )
    return Bot(name=name, kind="strict_match", settings={"rows": faq_rows(file)})


def keep(session: Session, bot: Bot) -> None:
    """Keep a bot whose settings are whole.

    Raises:
        ReviewerError: A setting is missing or wrong, or this computer cannot remember that its
            command may run, or its key go to its address.
    """
    # first, so that nothing is kept that could not be used
    confirm(bot)
    judging.keep(session.project, bot)
    session.publish(JudgingChanged(f"the bot {bot.name} was kept"))


def confirm(bot: Bot) -> None:
    """Let a bot that somebody has before their eyes run its command, or use its key, from now.

    Raises:
        ReviewerError: A setting is missing or wrong, or this computer cannot remember it.
    """
    check(bot)
    kind = kind_of(bot)
    if kind.command is not None:
        trust.confirm_command(kind.command(bot))
    if kind.place is not None:
        trust.confirm_address(kind.place(bot))


def check(bot: Bot) -> None:
    """Hold a bot's settings to its kind.

    Raises:
        ReviewerError: A setting is missing or wrong; the sentence names it.
    """
    kind = kind_of(bot)
    for setting in kind.settings:
        if setting.needed and not bot.settings.get(setting.name):
            raise ReviewerError(f"The bot {bot.name} needs the setting {setting.name!r}.")
    named = next((name for name in bot.settings if is_secret(name)), None)
    if named is not None:
        raise ReviewerError(
            f"The setting {named!r} would stand in the project with its secret; store the key."
        )
    kind.check(bot)


def kind_of(bot: Bot) -> Kind:
    """Give what a bot's kind declares.

    Raises:
        ReviewerError: A newer version made the bot.
    """
    found = KINDS.get(bot.kind)
    if found is None:
        raise ReviewerError(
            f"The bot {bot.name} is of the kind {bot.kind!r}, which this version does not know; "
            f"there are: {', '.join(KINDS)}."
        )
    return found


def faq_headings(file: Path) -> tuple[str, ...]:
    """Give the headings of an FAQ table.

    Raises:
        ReviewerError: The file cannot be read or has no line of headings.
    """
    return _table(file)[0]


def faq_rows(file: Path, question: str = "question", answer: str = "answer") -> list[JsonValue]:
    """Read the rows of an FAQ table.

    Args:
        file: CSV with a line of headings.
        question: heading of the questions.
        answer: heading of the answers.

    Raises:
        ReviewerError: The file cannot be read or has no such columns.
    """
    there, rows = _table(file)
    for name in (question, answer):
        if name not in there:
            raise ReviewerError(
                f"{file.name} has no column {name!r}; it has: {', '.join(there) or 'none'}."
            )
    found: list[JsonValue] = [[row[question] or "", row[answer] or ""] for row in rows]
    if not found:
        raise ReviewerError(f"{file.name} has no row below its headings.")
    return found


def _table(file: Path) -> tuple[tuple[str, ...], list[dict[str, str]]]:
    """Read headings and rows; commas, semicolons or tabs stand between the cells."""
    try:
        _check_file_size(file, "such a table takes no more than")
        text = file.read_text(encoding="utf-8-sig")
        between = max(",;\t", key=text.partition("\n")[0].count)
        csv.field_size_limit(LARGEST_CELL)
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=between)
        rows = list(reader)
    except (OSError, UnicodeDecodeError):
        raise ReviewerError(
            f"{file.name} cannot be read; a CSV file in UTF-8 is expected."
        ) from None
    return tuple(reader.fieldnames or ()), rows


def document(file: Path) -> str:
    """Read a text or Markdown document.

    Raises:
        ReviewerError: The file cannot be read as text, is empty, or is longer than any model
            takes.
    """
    try:
        _check_file_size(file, "no model takes more than")
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise ReviewerError(f"{file.name} cannot be read; a text in UTF-8 is expected.") from None
    if not text.strip():
        raise ReviewerError(f"{file.name} is empty.")
    return text


def _check_file_size(file: Path, bound: str) -> None:
    size = file.stat().st_size
    if size > LARGEST_DOCUMENT:
        raise ReviewerError(
            f"{file.name} has {fixed(size / 1e6, 1)} MB; {bound} "
            f"{LARGEST_DOCUMENT // 1_000_000} MB. Shorten it."
        )


async def ready(session: Session, bot: Bot, stack: AsyncExitStack) -> Answering:
    """Make a bot ready to answer; what it opens closes with the stack.

    Raises:
        ReviewerError: A setting is wrong, an endpoint is missing, or a key is.
    """
    return await made(kit(session, bot), stack, secrets.key_of)


@dataclass(frozen=True, slots=True)
class BotKit:
    """A bot with what its project has for it, as it may be sent elsewhere; no key is in it.

    Attributes:
        package: That brings it, with its version; empty where the project has it.
    """

    bot: Bot
    endpoints: tuple[Endpoint, ...] = ()
    prices: tuple[Price, ...] = ()
    package: str = ""


def kit(session: Session, bot: Bot) -> BotKit:
    """Give a bot with what its project has for it.

    Raises:
        ReviewerError: A setting is missing or wrong.
    """
    check(bot)
    return BotKit(
        bot,
        tuple(judging.every(session.project.conn, Endpoint)),
        prices.every(session.project),
        plugins.package_of("bot", bot.text("entry")) if bot.kind == PACKAGE.name else "",
    )


async def made(
    kit: BotKit, stack: AsyncExitStack, key_of: Callable[[Endpoint], str | None]
) -> Answering:
    """Make a bot ready to answer; what it opens closes with the stack.

    Raises:
        ReviewerError: A setting is wrong, an endpoint is missing, or a key is.
    """
    check(kit.bot)
    return await kind_of(kit.bot).make(kit.bot, _Means(kit, stack, key_of))


@dataclass(frozen=True, slots=True)
class _Means:
    """What a project and this computer have for a bot; what it opens closes with the stack."""

    kit: BotKit
    stack: AsyncExitStack
    key_of: Callable[[Endpoint], str | None]

    @property
    def bot(self) -> Bot:
        return self.kit.bot

    async def opened(self, made: AbstractAsyncContextManager[Opened]) -> Opened:
        return await self.stack.enter_async_context(made)

    async def model(self, endpoint: str) -> Caller:
        found = next((x for x in self.kit.endpoints if x.name == endpoint), None)
        if found is None:
            raise ReviewerError(
                f"The bot {self.bot.name} asks the endpoint {endpoint!r}, which is not there."
            )
        # the libraries of models take seconds to import
        from reviewer.scoring.llm.client import Client

        return await self.opened(Client(found, self.key_of(found)))

    def key(self, place: Endpoint) -> str | None:
        key = self.key_of(place)
        if place.needs_key and not key:
            how = f" or set the variable {place.variable}" if place.variable else ""
            raise ReviewerError(
                f"The bot {self.bot.name} needs a key and none is stored; store it{how}."
            )
        return key

    def variable(self, name: str) -> str:
        return secrets.variable(name)

    def price(self, model: str) -> Price | None:
        return next((x for x in self.kit.prices if x.model == model), None)

    def check_command(self, words: tuple[str, ...]) -> None:
        if not trust.may_run(words):
            raise ReviewerError(
                f"The bot {self.bot.name} runs `{shlex.join(words)[:300]}`, which nobody has "
                "confirmed on this computer. Where that is right, keep the bot in Bots… or "
                "with `reviewer judges PROJECT add-bot`."
            )

    def packaged(self, entry: str) -> tuple[str, Callable[..., Any]]:
        found = plugins.find("bot", entry)
        if found is None:
            raise ReviewerError(f"No installed package brings the bot {entry!r} any more.")
        function = Packaged("bot", found)
        self.stack.callback(function.close)
        return found.title, function


_EXPECTED: Final = '{"kind": "http", "url": "…", "body": {…}, "path": "…"} is expected'


def read(name: str, file: Path) -> Bot:
    """Read a bot from its file; whether its settings are whole is for `bots.keep` to say.

    Raises:
        ReviewerError: The file cannot be read, is no JSON, or names no kind of bot.
    """
    try:
        found = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError):
        raise ReviewerError(f"{file.name} cannot be read; {_EXPECTED}.") from None
    except (ValueError, RecursionError) as error:
        line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ReviewerError(f"{file.name}{line}: this is no JSON; {_EXPECTED}.") from None
    kind: Any = found.pop("kind", None) if isinstance(found, dict) else None
    if kind not in list(KINDS):
        there = ", ".join(KINDS)
        raise ReviewerError(f"{file.name} names no kind of bot; kind is one of {there}.")
    note = found.pop("note", "")
    return Bot(name=name, kind=kind, settings=found, note=note if isinstance(note, str) else "")


Fields = dict[str, Any]
BLOCK = 250


def of_plan(session: Session, plan: JobPlan) -> list[Fields]:
    """Give the cases of a plan as records, each case once.

    A case that several runs hold is taken from the newest.

    Raises:
        ReviewerError: The test set, or a case of it, is not there any more.
    """
    if plan.test_set is not None:
        return _of_tests(session, plan)
    keys = selecting.selected(session, plan.selection)
    reader = RecordReader(session.project)
    found: dict[str, Fields] = {}
    for start in range(0, len(keys), BLOCK):
        for stored in reader.of_keys(keys[start : start + BLOCK], ""):
            found[str(stored.fields.get("case", stored.fields["id"]))] = stored.fields
    return list(found.values())


def count(session: Session, plan: JobPlan) -> int:
    """Give how many cases a plan has at most, without reading the texts of evaluations."""
    if plan.test_set is not None:
        return len(plan.test_cases) or len(of_plan(session, plan))
    return len(selecting.selected(session, plan.selection))


def evaluations_of(session: Session, tests: CaseSet, selection: Selection) -> list[int]:
    """Give the selected evaluations that are of a test set's cases."""
    mine = {key for _, _, key in case_sets.runs_with(session.project.conn, sets.ids(tests.cases))}
    return [key for key in selecting.selected(session, selection) if key in mine]


def with_tests(session: Session, plan: JobPlan, tests: CaseSet) -> JobPlan:
    """Let a bot answer the cases of a test set, or of the part of one that is handed in.

    Raises:
        ReviewerError: No case is left.
    """
    if not tests.cases:
        raise ReviewerError(f"No case of {tests.title} is chosen, so there is nothing to answer.")
    whole = sets.get(session, tests.name, tests.version)
    part = sets.ids(tests.cases) if len(tests.cases) < len(whole.cases) else ()
    return replace(plan, test_set=tests.name, test_version=tests.version, test_cases=part)


def rubric_of(session: Session, plan: JobPlan) -> str:
    """Give the name of the rubric that a bot's run has.

    Raises:
        ReviewerError: Nobody said which, and the project has no run to take it from.
    """
    if plan.test_set is not None:
        found = sets.get(session, plan.test_set, plan.test_version).rubric
        if found is not None:
            return found
        if not session.run_names():
            raise ReviewerError(
                f"There is no run yet whose rubric would score {plan.test_set}; name one with "
                "--rubric, such as faq-bot."
            )
    return selecting.rubric_of(session, plan.selection).name


def _of_tests(session: Session, plan: JobPlan) -> list[Fields]:
    found = sets.get(session, plan.test_set, plan.test_version).cases
    if not plan.test_cases:
        return list(found)
    wanted = set(plan.test_cases)
    return [case for case in found if case["id"] in wanted]


def add_examples(path: Path, system: str | None) -> None:
    """Add the test set of the demo, or of one system's example with its bot, to a new project."""
    with closing(Session.open(path)) as session:
        resources = paths.resources()
        if system is None:
            file = resources / "demo" / "house-questions.yaml"
            sets.add_file(session, file, name="house questions", rubric="guest-response")
            return
        file = resources / "examples" / f"{system}-tests.yaml"
        if file.exists():
            sets.add_file(session, file, name=f"{system} questions", rubric=system)
        if system == "faq-bot":
            rows = faq_rows(resources / "examples" / "faq.csv")
            keep(session, Bot(name="strict", kind="strict_match", settings={"rows": rows}))
