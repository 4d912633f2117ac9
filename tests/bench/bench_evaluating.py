"""Time re-evaluation next to its floors, in one run: judge calls, stored scores, label presses.

    python tests/bench/bench_evaluating.py [judge calls] [evaluations scored]

A server in a process of its own answers after 50 ms. A bare loop of `Agent.run`, the provider's
own library and a judge's job take turns at 64 calls at once; then labels are pressed with and
without a job beside; then the five deterministic metrics of the FAQ rubric are scored and stored,
next to plain inserts of the same rows.
"""

import asyncio
import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from time import perf_counter, sleep

from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent, TextOutput
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from reviewer.domain.errors import Silent
from reviewer.domain.judging import Endpoint, Judge, Selection
from reviewer.scoring.calling import Question
from reviewer.scoring.registry import SCORERS
from reviewer.scoring.scorer import case_of
from reviewer.services.jobs import planning, running, scoring_jobs
from reviewer.services.jobs.control import Control
from reviewer.services.judging.prompts import hearings
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import judging, reading
from tests.bench.bench_label import line
from tests.bench.large_project import METRICS, large_project

WIDTH = 64
DELAY_MS = 50
ROUNDS = 3


class Reply(BaseModel):
    """What a judge answers."""

    score: int
    reasoning: str


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Run the server and give its address."""
    port = folder / "port"
    command = [sys.executable, str(Path(__file__).with_name("model_process.py")), str(port)]
    server = subprocess.Popen([*command, str(DELAY_MS)])
    try:
        while not port.exists():
            sleep(0.02)
        yield f"http://127.0.0.1:{port.read_text()}/v1"
    finally:
        server.kill()
        server.wait()


async def at_once(count: int, call: Callable[[], Awaitable[object]]) -> float:
    """Make so many calls, 64 at a time, and give the calls a second."""
    gate = asyncio.Semaphore(WIDTH)

    async def one() -> None:
        async with gate:
            await call()

    start = perf_counter()
    await asyncio.gather(*(one() for _ in range(count)))
    return count / (perf_counter() - start)


def read(text: str) -> Reply:
    """Read a reply as the bare loops do."""
    return Reply.model_validate_json(text)


def bare_agent(url: str, asked: Question, count: int) -> float:
    """Give the calls a second of a loop around `Agent.run`."""

    async def work() -> float:
        async with AsyncOpenAI(base_url=url, api_key="none") as client:
            model = OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client))
            agent = Agent(model, output_type=TextOutput(read), instructions=asked.system)
            return await at_once(count, lambda: agent.run(asked.prompt))

    return asyncio.run(work())


def bare_library(url: str, asked: Question, count: int) -> float:
    """Give the calls a second of the provider's own library."""

    async def work() -> float:
        async with AsyncOpenAI(base_url=url, api_key="none") as client:
            create = client.chat.completions.create
            messages = [
                {"role": "system", "content": asked.system},
                {"role": "user", "content": asked.prompt},
            ]

            async def one() -> Reply:
                done = await create(model="m", messages=messages)  # type: ignore[arg-type]
                return read(done.choices[0].message.content or "")

            return await at_once(count, one)

    return asyncio.run(work())


def judging_job(path: Path, count: int) -> float:
    """Give the calls a second of a judge's job, results on disk."""
    with closing(Session.open(path)) as session:
        plan = planning.judging_plan(session, "bench", Selection(limit=count), metrics=METRICS[:1])
        key = planning.add(session, replace(plan, use_cache=False, concurrency=WIDTH))
    start = perf_counter()
    done = running.run(path, key, Silent(), Control())
    took = perf_counter() - start
    if done.done != count:
        raise SystemExit(f"the job ended with {done.done} of {count}: {done.sentence}")
    return count / took


def with_judge(path: Path, url: str) -> Question:
    """Add the judge that asks the server, and give what it asks first."""
    with closing(Session.open(path)) as session:
        near = Endpoint(name="bench", base_url=url, needs_key=False, concurrency=WIDTH)
        judging.keep(session.project, near)
        judging.keep(session.project, Judge(name="bench", endpoint="bench", model="m"))
        plan = planning.judging_plan(session, "bench", Selection(limit=1), metrics=METRICS[:1])
        hearing = hearings(plan, session.current_rubric())[METRICS[0]]
        (first,) = reading.evaluations(session.project.conn, (1,))
        return hearing.question(first)


def judges(path: Path, folder: Path, count: int) -> None:
    """Compare the three in turns."""
    rates: dict[str, list[float]] = {"library": [], "agent": [], "job": []}
    with serving(folder) as url:
        asked = with_judge(path, url)
        for _ in range(ROUNDS):
            rates["library"].append(bare_library(url, asked, count))
            rates["agent"].append(bare_agent(url, asked, count))
            rates["job"].append(judging_job(path, count))
    middle = {name: statistics.median(some) for name, some in rates.items()}
    titles = {"library": "provider's library", "agent": "Agent.run", "job": "judge's job, stored"}
    for name, rate in middle.items():
        out(f"{titles[name]:<32} {rate:8.1f} calls/s")
    pairs = zip(rates["job"], rates["agent"], strict=True)
    ratio = statistics.median(a / b for a, b in pairs)
    out(f"{'job : Agent.run':<32} {ratio:8.2f}   (goal 0.85)")


def questions(folder: Path, count: int) -> Path:
    """Make a project of answers of 600 characters to the FAQ rubric, without scores."""
    chance = random.Random(3)  # noqa: S311 - the same project every time
    words = ["".join(chance.choices("aeioubcdfglmnprst", k=2 + n % 7)) for n in range(3_000)]
    file, path = folder / "faq.jsonl", folder / "faq.review"
    with file.open("w") as rows:
        for number in range(count):
            fields = {
                "id": f"f-{number}",
                "input": " ".join(chance.choices(words, k=12)),
                "response": " ".join(chance.choices(words, k=100)),
                "expected": " ".join(chance.choices(words, k=40)),
                "latency_ms": chance.random() * 900,
            }
            rows.write(json.dumps(fields) + "\n")
    importing.run(path, ImportRequest(files=(file,), rubric="faq-bot"), Silent())
    return path


def only_scored(path: Path) -> float:
    """Time reading and scoring as the job does it, in seconds, with nothing kept."""
    with closing(Session.open(path)) as session:
        plan = planning.scoring_plan(session, Selection())
        metrics = session.current_rubric().by_name
        rules = [SCORERS[plan.scorers[x]].prepare(metrics[x].parameters) for x in plan.metrics]
        conn = session.project.conn
        keys = [key for (key,) in conn.execute("SELECT id FROM evaluations ORDER BY id")]
        start = perf_counter()
        for at in range(0, len(keys), scoring_jobs.BLOCK):
            for evaluation in reading.evaluations(conn, keys[at : at + scoring_jobs.BLOCK]):
                case = case_of(evaluation)
                for rule in rules:
                    rule(case)
        return perf_counter() - start


def stored(folder: Path, count: int) -> None:
    """Compare scorers whose scores are kept with plain inserts of the same rows."""
    path = questions(folder, count)
    thought = only_scored(path)
    with closing(Session.open(path)) as session:
        key = planning.add(session, planning.scoring_plan(session, Selection()))
    start = perf_counter()
    running.run(path, key, Silent(), Control())
    ours = perf_counter() - start
    with closing(sqlite3.connect(path)) as conn:
        rows = conn.execute("SELECT * FROM scores").fetchall()
        made = [
            text
            for (text,) in conn.execute("SELECT sql FROM sqlite_master WHERE tbl_name = 'scores'")
            if text
        ]
    with closing(sqlite3.connect(folder / "plain.sqlite", isolation_level=None)) as plain:
        plain.execute("PRAGMA journal_mode = WAL")
        for text in made:
            plain.execute(text)
        insert = f"INSERT INTO scores VALUES ({', '.join('?' * len(rows[0]))})"  # noqa: S608
        start = perf_counter()
        plain.execute("BEGIN")
        plain.executemany(insert, rows)
        plain.execute("COMMIT")
        floor = perf_counter() - start
    out(f"{'scores, plain inserts':<32} {len(rows) / floor:8.0f} rows/s")
    out(f"{'scores, read, scored, stored':<32} {len(rows) / ours:8.0f} rows/s")
    out(f"{'ratio':<32} {floor / ours:8.2f}")
    out(f"{'ratio of the storing alone':<32} {floor / (ours - thought):8.2f}   (goal 0.50)")


def presses(session: Session, first: int, until: Callable[[int], bool]) -> list[float]:
    """Time labels as a window gives them, one every 20 ms."""
    times: list[float] = []
    while not until(len(times)):
        number = first + len(times)
        start = perf_counter()
        entering.commit(session, number // 3, METRICS[number % 3], number % 5 + 1)
        times.append(perf_counter() - start)
        sleep(0.02)
    return times


def beside(path: Path, folder: Path, count: int) -> None:
    """Compare label presses alone with presses while a judge's job runs in its worker."""
    with serving(folder) as url, closing(Session.open(path, "ann")) as session:
        with_judge(path, url)
        session.subscribe(lambda _: None)
        presses(session, 150_000, lambda n: n == 20)
        quiet = presses(session, 160_000, lambda n: n == 300)
        plan = planning.judging_plan(session, "bench", Selection(limit=count), metrics=METRICS[:1])
        key = planning.add(session, replace(plan, use_cache=False, concurrency=WIDTH))
        command = [sys.executable, "-m", "reviewer.worker", str(path), str(key)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as worker:
            busy = presses(session, 200_000, lambda _: worker.poll() is not None)
    out(line("label press, quiet", quiet).rstrip())
    out(line("label press, job beside", busy).rstrip())
    at = [statistics.quantiles(some, n=100)[98] for some in (quiet, busy)]
    out(f"{'p99 ratio':<32} {at[1] / at[0]:8.2f}   (goal 2)")


def out(text: str) -> None:
    """Print a line of the table."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main(calls: int, scored: int) -> None:
    """Run everything and print the table."""
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = large_project(folder)
        judges(path, folder, calls)
        (folder / "port").unlink()
        beside(path, folder, calls * 3)
        stored(folder, scored)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(*(numbers + [1_000, 50_000][len(numbers) :]))
