"""A job of a bot: cases answered again, kept one by one, and shown as a new run when all are."""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from reviewer.domain.case_set import said
from reviewer.domain.errors import Silent
from reviewer.domain.evaluation import now_text
from reviewer.domain.judging import Bot, Endpoint, JobPlan
from reviewer.domain.wording import counted
from reviewer.formats.turns import to_turns
from reviewer.scoring.bots.kind import Answering, BotAnswer, BotCase
from reviewer.scoring.bots.replies import TOLD
from reviewer.scoring.masking import whole
from reviewer.services.bots import bots
from reviewer.services.computer import secrets
from reviewer.services.jobs.away import AwayBot, Workers
from reviewer.services.jobs.control import TRIES, Budget, Crew, Ending, Teller
from reviewer.services.jobs.judge_job import call_name
from reviewer.services.project.session import Session
from reviewer.services.testing import sets
from reviewer.services.transfer import importing
from reviewer.services.transfer.import_report import ImportReport
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import jobs, judging
from reviewer.store.jobs import Counts, Reply

Fields = dict[str, Any]
KEPT = (
    "id", "case", "category", "complexity", "tags", "input", "expected", "expected_keywords",
    "expected_tools", "expected_sources", "context",
)  # fmt: skip
"""What a new run takes over from the cases."""
WIDTH = 4


@dataclass(slots=True)
class BotJob:
    """One bot's job at work; `cases` are records as in the native format."""

    session: Session
    key: int
    plan: JobPlan
    rubric: str
    cases: Sequence[Fields]
    crew: Crew
    teller: Teller
    workers: Workers | None = None
    _budget: Budget = field(default_factory=lambda: Budget(price=None))
    _series: str = ""

    async def run(self) -> Ending:
        """Answer every case that is still open and make the run where all are answered."""
        bot = self.plan.bot
        if bot is None:
            return Ending("failed", "The job names no bot.")
        if jobs.get(self.session.project.conn, self.key).run is not None:
            # it was killed between its last word and its end: everything is there
            return Ending("done")
        self.crew.pace.per_minute = self._per_minute(bot)
        self._series = jobs.series(self.session.project, self.key)
        before = self.teller.counts
        # nobody knows before the first what an answer costs; every other is as dear as the dearest
        known = before.cost_usd / before.done if before.done else 0.0
        self._budget = Budget(
            price=None,
            limit=self.plan.max_cost,
            spent=before.cost_usd,
            dearest=known if before.done + before.failed else None,
            usual=0.0,
        )
        async with AsyncExitStack() as stack:
            answering: Answering
            if self.workers is not None:
                answering = AwayBot(self.workers, bots.kit(self.session, bot))
            else:
                answering = await bots.ready(self.session, bot, stack)
            cases = self._open()
            await self.crew.work(
                self.plan.concurrency or WIDTH, lambda: self._work(answering, cases)
            )
        return self.crew.stopped or self.crew.control.ending("answered") or self._finish()

    def _open(self) -> Iterator[Fields]:
        for case in self.cases:
            if jobs.find_reply(self.session.project.conn, self._place(case)) is None:
                yield case

    def _place(self, case: Fields) -> str:
        return f"job {self.key} case {case['id']}"

    async def _work(self, answering: Answering, cases: Iterator[Fields]) -> None:
        for case in cases:
            if self.crew.stops or not await self.crew.room(self._budget, 1.0):
                return
            self._budget.promise(1.0)
            answer = await self._answer(answering, case)
            self._budget.settle(1.0, (answer.cost_usd if answer else None) or 0.0)
            if answer is None:
                return
            if answer.stops or answer.down:
                self.crew.stop(Ending("failed", answer.error))
                return
            # an agent that tells of an error may have answered all the same
            has_answer = answer.error is None or answer.response is not None
            counts = Counts(
                done=int(has_answer),
                failed=int(not has_answer),
                calls=1,
                cost_usd=answer.cost_usd or 0.0,
                tokens_in=answer.tokens_in or 0,
                tokens_out=answer.tokens_out or 0,
            )
            record = answered(case, answer, self.plan)
            with self.session.project.write() as conn:
                said = secrets.hidden(whole(json.dumps(record, ensure_ascii=False)))
                jobs.keep_reply(conn, self._place(case), Reply(text=said))
                jobs.count(conn, self.key, counts)
            self.teller.tell(counts)

    async def _answer(self, answering: Answering, case: Fields) -> BotAnswer | None:
        """Ask until there is an answer, or an error that stays; None where the job stops."""
        ended = 0
        for number in range(1, TRIES + 1):
            await self.crew.pace.turn(self.crew.control)
            if self.crew.stops:
                return None
            answer = await answering.answer(
                replace(asked(case), call=call_name(self._series, str(case["id"]), ended))
            )
            if answer.lost:
                self._lose()
            if not answer.again or number == TRIES:
                return answer
            ended += answer.ended
            wished = answer.retry_after
            await self.crew.rest(number, wished, together=wished is not None)
        return None

    def _lose(self) -> None:
        counts = Counts(calls=1, cost_usd=self._budget.lose(1.0))
        with self.session.project.write() as conn:
            jobs.count(conn, self.key, counts)
        self.teller.tell(counts)

    def _per_minute(self, bot: Bot) -> int | None:
        """Give how many calls a minute the endpoint of a bot's model takes."""
        name = bot.settings.get("endpoint")
        conn = self.session.project.conn
        place = judging.find(conn, Endpoint, name) if isinstance(name, str) else None
        return place.per_minute if place else None

    def _finish(self) -> Ending:
        project = self.session.project
        project.careful()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "answers.jsonl"
            with file.open("w", encoding="utf-8") as lines:
                for case in self.cases:
                    reply = jobs.find_reply(project.conn, self._place(case))
                    if reply is not None:
                        lines.write(reply.text + "\n")
            request = ImportRequest(
                files=(file,), run=self.plan.target_run, rubric=self.rubric, allow_refused=True
            )
            taken = importing.run(project, request, Silent())
        with project.write() as conn:
            jobs.forget_replies_like(conn, f"job {self.key} case ")
            name = self.plan.bot.name if self.plan.bot else "a bot"
            jobs.set_run(conn, self.key, str(self.plan.target_run), f"run here by {name}")
        said = [*_told(self.teller.counts.failed, taken), self._budget.losses()]
        return Ending("done", " ".join(filter(None, said)) or None)


def _told(failed: int, taken: ImportReport) -> list[str]:
    """Say what of the answers is missing or could not be read."""
    said = []
    if failed == 1:
        said.append("1 case has no answer; its error stands with it.")
    elif failed:
        said.append(f"{failed:,} cases have no answer; their errors stand with them.")
    if taken.rejected_values:
        first = taken.first_rejected[0]
        said.append(
            f"{counted(taken.rejected_values, 'value')} of the replies could not be read, so what "
            f"needs them is not scored. First: {first.field}: {first.reason}."
        )
    return said


def asked(case: Mapping[str, Any]) -> BotCase:
    """Give what a bot sees of a case: the turns up to the last question, and the context."""
    turns = [
        (turn["role"], said(turn))
        for turn in sets.up_to_question(case)
        if turn["role"] in ("user", "assistant")
    ]
    question = case.get("input") or (turns[-1][1] if turns else "")
    return BotCase(
        id=str(case["id"]),
        question=question,
        history=tuple(turns[:-1]),
        context=case.get("context"),
        category=case.get("category"),
        expected=case.get("expected"),
    )


def answered(case: Mapping[str, Any], answer: BotAnswer, plan: JobPlan) -> Fields:
    """Give the record of a case with a bot's answer."""
    record: Fields = {"run": plan.target_run}
    kept = KEPT if plan.test_set is None else case.keys() - {"messages", "meta"}
    record |= {key: x for key, x in case.items() if key in kept and x not in (None, [], "")}
    beside = dict(answer.beside)
    turns, lost = _turns(case, beside.pop("messages", None))
    if turns:
        record["messages"] = turns
    # what the bot was given stays what its answer is held to
    lifted = {key: beside.pop(key) for key in TOLD if key in beside and key not in record}
    name = plan.bot.name if plan.bot else ""
    told: Fields = {
        "response": answer.response,
        "error": answer.error,
        "latency_ms": None if answer.latency_ms is None else round(answer.latency_ms, 3),
        "cost_usd": answer.cost_usd,
        "tokens_in": answer.tokens_in,
        "tokens_out": answer.tokens_out,
        "model": answer.model or name,
        "evaluated_at": now_text(),
        **lifted,
        "unreadable": lost,
        "meta": _beside(case, plan, {"bot": name, **beside}),
    }
    record |= {key: value for key, value in told.items() if value is not None}
    if record.get("case", record["id"]) == record["id"]:
        record.pop("case", None)
    return record


def _turns(case: Mapping[str, Any], told: Any) -> tuple[list[Fields], Fields | None]:  # noqa: ANN401
    """Give the conversation up to the answer; what the bot told of it may be no turns."""
    before = sets.up_to_question(case)
    if not told:
        return before, None
    added = to_turns(told)
    if isinstance(added, str):
        return before, {"messages": told}
    if any(turn["role"] == "user" for turn in added):
        return added, None
    asked = [] if before else [{"role": "user", "content": case.get("input")}]
    return [*before, *asked, *added], None


def _beside(case: Mapping[str, Any], plan: JobPlan, told: Fields) -> Fields:
    """Say what stands beside a response: what its case brought, and where that is from."""
    if plan.test_set is None:
        return told
    own = case.get("meta")
    origin = {"test_set": plan.test_set, "test_set_version": plan.test_version}
    return {**(own if isinstance(own, dict) else {}), **origin, **told}
