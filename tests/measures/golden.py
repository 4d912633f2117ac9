"""What the program says of the demo, the five examples and the guard's project, to compare.

    python -m tests.measures.golden make FOLDER        before a change: projects and answers
    python -m tests.measures.golden compare FOLDER     after it: every answer, byte for byte
    python -m tests.measures.golden compare FOLDER --pictures       also every page's pictures

The projects are made once and copied for every comparison. Only the day of making and today are
written as DAY and times of these days as TIME, so that a comparison holds tomorrow.
"""

import argparse
import difflib
import io
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path

from reviewer.cli.main import main as command
from reviewer.cli.table import COMMANDS
from tests.journeys.one_figure.project import imported
from tests.journeys.one_figure.world import build

SYSTEMS = ("guest-response", "agent-rubric", "harness", "faq-bot", "virtual-agent")
PRESETS = ("published", "recommended")
OPTIONS = (
    "label_combine=median", "label_combine=latest", "label_combine=consensus", "clip=hard",
    "clip=none", "band_gate=any", "one_sided=none", "selection=all", "derived_labels=count",
    "window_date=label", "label_table=majority",
)  # fmt: skip
CHECKS = (
    ("--min-pass-rate", "0.8", "--lower"),
    ("--min-corrected-pass-rate", "0.5"),
    ("--min-agreement", "kappa:0.6", "--max-gap", "0.5", "--upper"),
    ("--min-labels", "20", "--targets"),
    ("--min-score", "overall:3", "--min-coverage", "0.5"),
    ("--max-avg-cost", "0.1", "--max-latency", "p95:1000"),
    ("--passing-score", "3", "--min-pass-rate", "0.7"),
)
Words = tuple[str, ...]


def make(folder: Path) -> None:
    """Make the projects of a folder and write down what the program says of them."""
    projects = folder / "projects"
    projects.mkdir(parents=True)
    (folder / "day").write_text(str(_today()))
    _say("demo", str(projects / "demo.review"), "--no-open")
    for system in SYSTEMS:
        _say("demo", str(projects / f"{system}.review"), "--no-open", "--system", system)
    guard = folder / "guard"
    guard.mkdir()
    shutil.copy(imported(build(_today()), guard), projects / "guard.review")
    _answers(folder, folder / "before")


def compare(folder: Path) -> int:
    """Ask again, print what differs, and give how many answers do."""
    _answers(folder, folder / "after")
    before, after = _written(folder / "before"), _written(folder / "after")
    different = 0
    for name in sorted(before | after):
        old, new = before.get(name, ""), after.get(name, "")
        if old == new:
            continue
        different += 1
        sys.stdout.writelines(_difference(name, old, new))
    sys.stdout.write(f"{len(before)} answers, {different} differ.\n")
    return different


def _difference(name: str, old: str, new: str) -> Iterator[str]:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), name, "now", n=0, lineterm="")
    for place, line in enumerate(lines):
        if place > 12:
            yield "   …\n"
            return
        yield f"{line[:300]}\n"


def _written(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _answers(folder: Path, to: Path) -> None:
    shutil.rmtree(to, ignore_errors=True)
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(folder / "projects", work)
    plain = _plain(date.fromisoformat((folder / "day").read_text()))
    os.chdir(work)
    os.environ["COLUMNS"] = "140"
    (to / "program").mkdir(parents=True)
    for name in COMMANDS:
        (to / "program" / f"{name}.txt").write_text(plain(_say(name, "--help")))
    asked: tuple[Words, ...] = (("formats",), ("formats", "--json"), ("schema",))
    for words in asked:
        (to / "program" / f"{' '.join(words)}.out").write_text(plain(_say(*words)))
    for project in sorted(work.glob("*.review")):
        place = to / project.stem
        place.mkdir()
        questions: list[Words] = [*_questions(project)]
        for number, words in enumerate(questions):
            told = plain(_say(*words))
            name = re.sub(r"[^\w.=@:-]+", " ", " ".join(words[:1] + words[2:]))[:90]
            (place / f"{number:03d} {name}").write_text(told)
        for number, words in enumerate(_files(project)):
            told = plain(_say(*words))
            made = Path(words[2])
            content = plain(made.read_text()) if made.exists() else ""
            (place / f"file {number:03d} {' '.join(words[3:])} {made.name}").write_text(
                f"{told}\n{content}"
            )


def _questions(project: Path) -> Iterator[Words]:
    path = project.name
    runs = [one["name"] for one in json.loads(_say("runs", path, "--json"))["runs"]]
    for name in ("runs", "jobs", "judges", "tests", "doctor", "stats"):
        yield name, path
        yield name, path, "--json"
    yield from _figures(path, runs)
    for limits in CHECKS:
        yield ("check", path, *limits)
        yield ("check", path, *limits, "--json", "--run", "all")
    for a, b in pairwise(runs):
        yield ("compare", path, "--run", a, "--run", b)
        yield ("compare", path, "--run", a, "--run", b, "--json")
        yield ("check", path, "--baseline", a, "--max-drop", "0.05", "--json", "--run", b)
    for action in ("record", "leaderboard", "examples"):
        yield ("judges", path, action)
        yield ("judges", path, action, "--json")
    yield from _slips(path, runs[0])


def _slips(path: str, run: str) -> Iterator[Words]:
    yield from (
        ("stats", path, "--run", "nobody"),
        ("stats", path, "--metric", "nothing"),
        ("stats", path, "--option", "clip=round"),
        ("stats", path, "--where", "colour"),
        ("check", path),
        ("check", path, "--min-agreement", "kapa:0.5"),
        ("export", path, "x.doc"),
        ("compare", path, "--run", run),
        ("judges", path, "record", "nobody@1"),
    )


def _figures(path: str, runs: list[str]) -> Iterator[Words]:
    yield ("stats", path, "--run", "all")
    yield ("stats", path, "--insights", "--run", "all")
    for run in [*runs, "all"]:
        for preset in PRESETS:
            yield ("stats", path, "--json", "--run", run, "--preset", preset)
        yield ("stats", path, "--json", "--run", run, "--insights", "--pair-intervals", "all")
        yield ("stats", path, "--json", "--run", run, "--window-months", "1")
    for option in OPTIONS:
        yield ("stats", path, "--json", "--run", "all", "--option", option)
    yield ("stats", path, "--json", "--run", "all", "--group-by", "category", "--insights")
    yield ("stats", path, "--json", "--run", "all", "--blind-only")
    yield ("stats", path, "--run", "all", "--window-months", "none", "--level", "0.9")


def _files(project: Path) -> Iterator[Words]:
    path = project.name
    for name in ("r.html", "r.md", "r.json"):
        yield ("report", path, name)
        yield ("report", path, name, "--run", "all", "--top", "3")
    for what in ("evaluations", "labels", "disagreements", "consensus"):
        for suffix in ("csv", "jsonl", "json"):
            yield ("export", path, f"e.{suffix}", "--what", what, "--run", "all")
    for labels in ("mean", "adjudicated"):
        yield ("export", path, "e.csv", "--labels", labels, "--run", "all")


def _say(*words: str) -> str:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = command(list(words))
    return f"{out.getvalue()}{err.getvalue()}" + (f"(exit code {code})\n" if code else "")


def _today() -> date:
    return datetime.now(UTC).date()


def _plain(made: date) -> Callable[[str], str]:
    days = "|".join(sorted({str(made), str(_today())}))
    time = re.compile(rf"({days})[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?")
    day = re.compile(days)
    return lambda text: day.sub("DAY", time.sub("TIME", text))


def _pictures(folder: Path, name: str) -> Path:
    to, project = folder / name, folder / "shown.review"
    shutil.rmtree(to, ignore_errors=True)
    shutil.copy(folder / "projects" / "demo.review", project)
    _say("tour", str(to), "--project", str(project))
    return to


def _compare_pictures(folder: Path) -> int:
    before, after = folder / "pictures", _pictures(folder, "pictures now")
    names = {path.name for place in (before, after) for path in place.glob("*.png")}
    different = [
        name
        for name in sorted(names)
        if not ((before / name).exists() and (after / name).exists())
        or (before / name).read_bytes() != (after / name).read_bytes()
    ]
    told = (f"{len(names)} pictures, {len(different)} differ.", *different)
    sys.stdout.write("\n  ".join(told) + "\n")
    return len(different)


if __name__ == "__main__":
    asked = argparse.ArgumentParser(prog="golden")
    asked.add_argument("what", choices=("make", "compare"))
    asked.add_argument("folder", type=Path)
    asked.add_argument("--pictures", action="store_true")
    given = asked.parse_args()
    place = given.folder.resolve()
    if given.what == "make":
        make(place)
        if given.pictures:
            _pictures(place, "pictures")
        sys.exit(0)
    found = compare(place)
    if given.pictures:
        found += _compare_pictures(place)
    sys.exit(1 if found else 0)
