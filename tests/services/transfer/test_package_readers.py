"""Readers of packages that hang, want too much, die, talk or give rubbish: real processes."""

import resource
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from reviewer.domain.errors import CancelledError, FormatError, ReviewerError
from reviewer.services.computer import packaged
from reviewer.services.transfer import importing, package_readers
from reviewer.services.transfer.importing import ImportReport, ImportRequest
from tests.services.strangers import install

CODE = r"""
import datetime, os, sys, time

def record(number):
    return {"id": f"r{number}", "input": "Open?", "response": "Until six."}

class Reader:
    title = "Logs"
    def recognise(self, path):
        kind = path.read_text().split()
        if kind[:1] == ["SLOW"]:
            time.sleep(100_000)
        if kind[:1] == ["EXIT"]:
            sys.exit("no more of this")
        if kind[:1] == ["DIE"]:
            os._exit(3)
        return "a log" if kind[:1] == ["LOG"] else None

    def read(self, path, progress):
        for number, word in enumerate(path.read_text().split()[1:], 1):
            if word == "hang":
                time.sleep(100_000)
            if word == "busy":
                while True:
                    progress(1, 2)
            if word == "work":
                for done in range(8):
                    progress(done, 10)
                    time.sleep(0.25)
            if word == "eat":
                eaten = [b"x" * 2**20 for _ in range(100_000)]
            if word == "exit":
                sys.exit(0)
            if word == "die":
                os._exit(4)
            if word == "raise":
                raise RuntimeError("the log is torn")
            if word == "talk":
                print("{}" * 100_000, flush=True)
                sys.stderr.write("noise")
                os.write(1, b"+{}\n")
            if word == "environment":
                yield record(number) | {"response": os.environ.get("NEAR_KEY", "no key")}
            elif word == "slow":
                for more in range(1000):
                    time.sleep(0.05)
                    yield record(more)
            else:
                yield {"date": {"id": "d", "at": datetime.date.today()}, "text": "a text",
                       "none": None, "list": [1], "nan": {"id": "n", "cost_usd": float("nan")},
                       "half": record(number) | {"response": "half \ud83d of a pair"},
                       "lost": Unsaid(),
                       "huge": {"id": "h", "response": "x" * 70_000_000}}.get(word, record(number))

Reader.seconds = 1.5
Reader.memory_mb = 300

class Unsaid(Exception):
    def __str__(self):
        raise ValueError("not even that")

def many(path):
    for number in range(int(path.read_text())):
        yield record(number)

def nothing(path):
    return None
"""
ENTRIES = """
[reviewer.readers]
logs = strangers:Reader
many = strangers:many
nothing = strangers:nothing
"""
Import = Callable[..., ImportReport]


class Stopping:
    """Cancel after a while, and note when."""

    def __init__(self, after: float = 1e9) -> None:
        self.until = time.monotonic() + after

    @property
    def cancelled(self) -> bool:
        return time.monotonic() >= self.until

    def advance(self, done: int, total: int | None, note: str = "") -> None:
        pass


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Import:
    install(tmp_path / "site", monkeypatch, CODE, ENTRIES)
    monkeypatch.setattr(package_readers, "_OVERDUE", {})

    def run(text: str, format_name: str | None = None, after: float = 1e9) -> ImportReport:
        file = tmp_path / "monday.log"
        file.write_text(text)
        request = ImportRequest((file,), format=format_name, rubric="faq-bot")
        return importing.run(tmp_path / "p.review", request, Stopping(after))

    return run


def test_what_a_reader_prints_or_gives_wrongly_harms_no_other_row(imported: Import) -> None:
    report = imported("LOG fine talk date text none list nan half lost huge end")
    assert (report.added, report.rejected) == (4, 7)
    reasons = {row.line: row.reason for row in report.first_rejected}
    assert reasons[3] == (
        "it is no record of JSON values: Object of type date is not JSON serializable"
    )
    assert "an object is expected" in reasons[4]
    assert reasons[9] == "no reason given"
    assert reasons[10] == "it has more than 64 MB"
    assert not children()


def test_a_key_does_not_reach_a_reader(
    imported: Import, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NEAR_KEY", "sk-planted-0123456789")
    imported("LOG environment")
    assert b"no key" in (tmp_path / "p.review").read_bytes()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("a b hang", "after 2 records: it gave no answer within 1.5 s; the call was ended."),
        ("a busy", "after 1 record: it gave no answer within 1.5 s; the call was ended."),
        ("a b eat", "after 2 records: it needs more than 300 MB of memory; the call was ended."),
        ("a exit", "after 1 record: SystemExit: 0"),
        ("a die", "after 1 record: it ended its process (exit code 4)."),
        ("raise", "after 0 records: RuntimeError: the log is torn"),
        ("", "The reader logs found no record in monday.log."),
    ],
)
def test_a_reader_that_goes_wrong_in_the_middle_is_a_sentence(
    imported: Import, tmp_path: Path, words: str, sentence: str
) -> None:
    with pytest.raises(FormatError) as caught:
        imported(f"LOG {words}")
    assert sentence in str(caught.value)
    assert not (tmp_path / "p.review").exists()
    assert not children()


def test_a_reader_that_tells_that_it_gets_on_may_take_its_time(imported: Import) -> None:
    assert imported("LOG a work b").added == 3


def test_the_variable_says_how_long_a_reader_may_take(
    imported: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(packaged.VARIABLE, "0.5")
    with pytest.raises(FormatError, match=r"gave no answer within 0\.5 s"):
        imported("LOG hang")
    monkeypatch.setenv(packaged.VARIABLE, "soon")
    with pytest.raises(ReviewerError, match="a number of seconds above 0 is expected"):
        imported("LOG a")


@pytest.mark.parametrize("word", ["hang", "slow", "busy"])
def test_an_import_is_stopped_at_once_whatever_the_reader_does(
    imported: Import, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    monkeypatch.setenv(packaged.VARIABLE, "60")
    imported("LOG a")
    waiting = Stopping(1.5)
    started = time.monotonic()
    with pytest.raises(CancelledError, match="nothing of the file was stored"):
        imported(f"LOG a {word}", after=1.5)
    assert waiting.cancelled
    assert time.monotonic() - started < 1.5 + 0.2 + 0.3
    assert not children()


def test_looking_at_a_file_is_stopped_at_once(imported: Import) -> None:
    imported("LOG a")
    started = time.monotonic()
    with pytest.raises(CancelledError):
        imported("SLOW", after=1.0)
    assert time.monotonic() - started < 1.5
    assert not children()


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("SLOW", "it gave no answer within 1.5 s; the call was ended. It looks at no other file"),
        ("EXIT", "SystemExit: no more of this."),
        ("DIE", "it ended its process (exit code 3)."),
    ],
)
def test_a_reader_that_cannot_look_is_told_beside_what_is_wrong_with_the_file(
    imported: Import, word: str, why: str
) -> None:
    with pytest.raises(FormatError) as caught:
        imported(word)
    first, second = str(caught.value).splitlines()
    assert first.startswith("monday.log holds text, but neither JSON nor a table")
    assert f"The reader logs of strangers 1.2 could not look at monday.log: {why}" in second


@pytest.mark.usefixtures("imported")
def test_a_reader_that_hung_over_a_file_holds_up_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(packaged.VARIABLE, "0.4")
    table = tmp_path / "table.csv"
    table.write_text("SLOW id,input,response,score\n1,?,!,3\n2,?,!,4\n")
    plan = importing.inspect([table])
    assert plan.files[0].format == "table"
    assert any("could not look at table.csv" in x for x in plan.sentences)
    before = started_processes()
    plan = importing.inspect([table])
    assert started_processes() == before
    assert any("could not look at table.csv" in x for x in plan.sentences)


def test_a_package_that_hangs_while_it_is_loaded_is_a_sentence(
    imported: Import, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "site/strangers.py").write_text("import time\ntime.sleep(100_000)\n")
    monkeypatch.setattr(package_readers, "LOOK_SECONDS", 0.6)
    with pytest.raises(FormatError, match=r"was not loaded within 0\.6 s"):
        imported("LOG a")
    (tmp_path / "site/strangers.py").write_text("import sys\nsys.exit('not here')\n")
    with pytest.raises(ReviewerError, match="cannot be loaded: SystemExit: not here"):
        imported("LOG a", "logs")
    assert not children()


def test_what_is_read_is_never_held(imported: Import) -> None:
    imported("3", "many")
    most = 0

    def watch() -> None:
        nonlocal most
        while not done.is_set():
            for one in children():
                try:
                    most = max(most, one.memory_info().rss)
                except psutil.Error:
                    continue
            time.sleep(0.02)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    done = threading.Event()
    thread = threading.Thread(target=watch)
    thread.start()
    try:
        assert imported("30000", "many").added == 30_000 - 3
    finally:
        done.set()
        thread.join()
    assert 0 < most < 80 << 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10


def test_a_function_that_gives_nothing_to_read_is_a_sentence(imported: Import) -> None:
    with pytest.raises(FormatError, match="TypeError: 'NoneType' object is not iterable"):
        imported("x", "nothing")


def children() -> list[psutil.Process]:
    """Give the processes of readers that this process has."""
    found = []
    for one in psutil.Process().children():
        try:
            if "reviewer.worker.function" in one.cmdline():
                found.append(one)
        except psutil.Error:
            continue
    return found


def started_processes() -> float:
    """Give the processor time of processes that have ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
