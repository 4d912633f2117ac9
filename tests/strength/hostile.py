"""Texts that try to reach out of the program, in every field; strace tells what it opened.

What a run with harmless texts opens, and what lies among libraries and fonts, is the program's
own. A run with hostile ones may open nothing else, and neither any socket of a network. Commands
and the window run the same over both.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.building import record
from tests.strength.counting import MissingError

ROOT = Path(__file__).resolve().parents[2]
CANARY = "canary"
"""Part of the names that texts ask for: files of that name lie in a folder of their own."""
PORT = 9
FIELDS = 13
"""Fields of a record that hold a text."""
OWN = tuple(
    str(x) for x in (ROOT, sys.prefix, sys.base_prefix, "/usr/lib", "/lib", "/usr/share/fonts",
                     "/usr/local/share/fonts", "/usr/share/fontconfig", "/usr/share/zoneinfo",
                     "/usr/share/locale")
)  # fmt: skip
"""Folders of the program, its libraries and the system's fonts."""
_NETWORK = re.compile(r"(?:socket|connect|sendto|bind)\(.*(?:AF_INET|AF_NETLINK|AF_PACKET)")
_OPENED = re.compile(r'(open|openat|openat2|execve)\((?:[^"]*)"((?:[^"\\]|\\.)*)"')


_NAMING = (
    "<img src='{}'>", "<img src={} onerror=alert(1)>", "![]({})", "[a link]({})", "{}",
    "<a href='{}'>here</a>", "<link rel=stylesheet href='{}'>", "<script src='{}'></script>",
    "<style>@import url({0});body{{background:url({0})}}</style>", "<iframe src='{}'></iframe>",
    "<object data='{}'></object>", "<video src='{}'>", "<base href='{}'>", "<<{}", "@{}",
    "<meta http-equiv=refresh content='0;url={}'>", "<svg><image href='{}'/></svg>",
    "<!DOCTYPE x [<!ENTITY e SYSTEM '{}'>]><x>&e;</x>", "<?xml-stylesheet href='{}'?>",
    '=HYPERLINK("{}")', '=WEBSERVICE("{}")', "{{% include '{}' %}}", "{{% import '{}' as x %}}",
    "{{{{ lipsum.__globals__.os.open('{}') }}}}", "$(cat {})", "`cat {}`", "file '{}'",
    "'; ATTACH '{}' AS x; --", "!include {}", "!!python/object/apply:os.open ['{}']",
    "\\input{{{}}}",
)  # fmt: skip
"""What may make a reader go to a file or an address."""
_OTHERS = (
    "=cmd|'/c calc'!A1", "+1+1", "-2+3", "@SUM(1)", "\t=1+1", "\u202eabc\u202c", "NaN", "null",
    "\x00\x07\x1b[2J", "\x1b]8;;http://127.0.0.1:9/canary\x07x\x1b]8;;\x07", "w" * 20_000,
    "e" + "\u0301" * 2_000, "{{ 7 * 7 }}{% for x in range(10**9) %}", "${7*7}", "#{7*7}",
    "<%= 7*7 %>", "%n%s%x" * 50, "'; DROP TABLE labels; --", '" OR 1=1', "/etc/passwd",
    "../../../../../../etc/passwd", "file:///etc/passwd", "\\\\127.0.0.1\\share\\x",
    "javascript:alert(1)", "data:text/html,<script>", "ftp://127.0.0.1/canary",
    "smb://127.0.0.1/canary", "mailto:a@b?attach=/etc/passwd", "<b>" * 500, "|a|" * 300,
    "# " * 500, "```\n" * 300, "\ufeff\u200b\u2028\u2029", "مرحبا بكم",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 50,
)  # fmt: skip


COUNT = 3 * len(_NAMING) + len(_OTHERS)


def texts(folder: Path) -> list[str]:
    """Give hostile texts; those that ask for files ask for such in the folder."""
    file, url = folder / f"{CANARY}.png", f"http://127.0.0.1:{PORT}/{CANARY}.png"
    named = [template.format(x) for x in (str(file), file.as_uri(), url) for template in _NAMING]
    return [*named, *_OTHERS]


@dataclass
class Seen:
    """What a run did.

    Attributes:
        sockets: Calls that reach for a network.
        opened: Files that were opened and programs that were started.
        failed: Commands that ended with another code than 0.
    """

    sockets: list[str] = field(default_factory=list)
    opened: set[str] = field(default_factory=set)
    failed: list[str] = field(default_factory=list)


def strace() -> str | None:
    """Give the program that tells system calls, None where there is none."""
    return shutil.which("strace")


def _records(file: Path, some: Sequence[str]) -> None:
    """Write records that hold one text each, in every field that holds any."""
    lines = []
    for number, text in enumerate(some):
        entry = {"metric": "accuracy", "value": number % 5 + 1}
        lines.append(
            json.dumps(
                record(
                    number,
                    category=text[:200],
                    input=text,
                    response=text,
                    expected=text,
                    context=text,
                    tags=[text[:100]],
                    messages=[{"role": "user", "content": text}],
                    sources=[{"id": "s", "title": text, "text": text, "url": text}],
                    scores=[entry | {"scorer": "judge", "reasoning": text}],
                    labels=[entry | {"labeler": "ann", "comment": text}],
                    note=text,
                )
            )
        )
    file.write_text("\n".join(lines))


def _commands(folder: Path) -> list[list[str]]:
    project = str(folder / "p.review")
    written = [["export", project, str(folder / f"e.{x}")] for x in ("jsonl", "csv", "xlsx")]
    written += [["report", project, str(folder / f"r.{x}")] for x in ("html", "md", "json", "pdf")]
    written += [["packet", project, str(folder / "p.zip")], ["backup", project]]
    shown = [[x, project] for x in ("runs", "stats", "doctor", "judges", "jobs", "tests")]
    return [
        ["import", project, str(folder / "in.jsonl"), "--rubric", "guest-response"],
        *shown,
        *written,
        ["import", str(folder / "again.review"), str(folder / "e.csv")],
    ]


def watch(folder: Path, some: Sequence[str]) -> Seen:
    """Run every command and the window over texts, in a home of their own."""
    home = folder / "home"
    home.mkdir(parents=True)
    _records(home / "in.jsonl", some)
    variables = os.environ | {
        "HOME": str(home),
        **{f"XDG_{x}_HOME": str(home / x.lower()) for x in ("CACHE", "CONFIG", "DATA", "STATE")},
        "TMPDIR": str(home),
        "PYTHONPATH": str(ROOT),
    }
    runs = (
        ["tests.journeys.commands_process", *map(json.dumps, _commands(home))],
        ["tests.strength.looking", str(home / "p.review"), str(len(some))],
    )
    both = Seen()
    for number, words in enumerate(runs):
        log, said = folder / f"calls-{number}", folder / f"said-{number}"
        with said.open("w") as out:
            subprocess.run(
                [*tracing(log), sys.executable, "-m", *words],
                cwd=home,
                env=variables,
                stdout=out,
                stderr=subprocess.STDOUT,
                check=True,
            )
        seen = read(log, home)
        both.sockets += seen.sockets
        both.opened |= seen.opened
        both.failed += re.findall("^exit [^0].*$", said.read_text(errors="replace"), re.MULTILINE)
    return both


def tracing(log: Path) -> list[str]:
    """Give the words before a command that let what it opens be written down."""
    calls = "trace=%network,open,openat,openat2,execve"
    return ["strace", "-f", "--seccomp-bpf", "-qq", "-s", "4096", "-o", str(log), "-e", calls]


def read(log: Path, home: Path) -> Seen:
    """Read what was written down of a program that lives in a home."""
    seen = Seen()
    with log.open(errors="replace") as lines:
        for line in lines:
            if _NETWORK.search(line):
                seen.sockets.append(line.strip())
            found = _OPENED.search(line)
            if found:
                seen.opened.add(_name(found[2], home))
    return seen


def _name(path: str, home: Path) -> str:
    """Name a file as every run does: below its own home all are the program's own."""
    if path.startswith(OWN):
        return "own"
    if CANARY in path:
        return path
    if path.startswith(str(home)) or not path.startswith("/"):
        return "~"
    # numbers of processes, descriptors and memory differ
    return re.sub(r"\d+", "0", path) if path.startswith(("/proc/", "/dev/", "/sys/")) else path


@dataclass
class Outcome:
    """What hostile texts did beyond what harmless ones do."""

    sockets: list[str]
    opened: list[str]
    problems: list[str]


def trial(folder: Path, count: int) -> Outcome:
    """Compare so many hostile texts with as many harmless ones.

    Raises:
        MissingError: There is no strace.
    """
    if strace() is None:
        raise MissingError("there is no `strace`")
    bait = folder / "bait"
    bait.mkdir()
    (bait / f"{CANARY}.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    known = texts(bait)
    some = [known[place * len(known) // count] for place in range(count)]
    plain = watch(folder / "plain", [f"The pool bar opens at {n}." for n in range(count)])
    seen = watch(folder / "hostile", some)
    return Outcome(
        plain.sockets + seen.sockets,
        sorted(seen.opened - plain.opened),
        plain.failed + seen.failed,
    )
