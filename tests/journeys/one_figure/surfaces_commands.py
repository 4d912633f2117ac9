"""What the command line says, read as a script or a person reads it."""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from tests.journeys.one_figure.lines import Row, html_tables, markdown_tables, table
from tests.journeys.one_figure.project import Project, document, run, written
from tests.journeys.one_figure.seen import ABSENT, Found, Text
from tests.journeys.one_figure.world import NEWEST, OLDER

NAMES = {
    "n_auto": "n_auto", "auto": "auto_mean", "n_human": "n_human", "n": "n_labelled",
    "human": "human_mean", "gap": "gap_mean", "higher": "n_higher", "lower": "n_lower",
    "equal": "n_equal", "upper": "upper_deviation", "lower deviation": "lower_deviation",
    "band": "error_band", "adjusted": "adjusted_mean",
}  # fmt: skip
"""What a figure is called in the document of `stats`."""
NUMERIC = ("accuracy", "tone", "resolved", "quality", "repetition", "completion")
TABLED = ("accuracy", "tone", "resolved", "repetition", "completion", "topic")
JUDGED = ("accuracy", "tone", "resolved", "quality", "repetition", "topic")
DERIVED = "care"
SLICES_FROM = 10
"""Evaluations below which a slice shows no estimate (scoring.md 4.11)."""


def stats_document(project: Project) -> Found:
    """Read `stats --json` of the newest run."""
    return of_document(stats_told(project))


@cache
def stats_told(project: Project) -> dict[str, Any]:
    """Give what `stats --json` prints; a project of the guard never changes."""
    return document("stats", project.path, *project.scope)


def of_document(told: Mapping[str, Any]) -> Found:
    """Take the figures out of a document of `stats`."""
    found: Found = {}
    listed = told["metrics"]
    blocks = {name: listed[name] for name in (*NUMERIC, DERIVED) if name in listed}
    for name, block in {**blocks, "overall": told["satisfaction"]}.items():
        found |= {f"{name} {what}": block[key] for what, key in NAMES.items()}
    for name in (x for x in (*TABLED, "quality") if x in listed):
        pairs = listed[name]["agreement"]["judge_human"]
        found[f"{name} pairs"] = pairs["n"]
        if name != "quality":
            kappa = "kappa" if name == "topic" else "kappa_quadratic"
            found |= {f"{name} same": pairs["percent"], f"{name} kappa": pairs[kappa]}
            found[f"{name} no majority"] = pairs["n_no_majority"]
            cells = listed[name]["confusion"]["table"]
            found[f"{name} table n"] = round(sum(map(sum, cells)), 9)
        if name != "topic":
            found[f"{name} bias"] = pairs["bias"]
    for name in (x for x in JUDGED if x in listed):
        found[f"{name} scorer"] = listed[name]["scorer"]
    for entry in told.get("record", ()):
        if entry["metric"] in listed and entry["metric"] in JUDGED and entry["run"] == NEWEST:
            found[f"{entry['metric']} coverage"] = entry["n"]
    passing = told["pass"]
    return found | {
        "pass judge": passing["auto_rate"], "pass judge n": passing["n_auto"],
        "pass people": passing["human_rate"], "pass people n": passing["n_human"],
    }  # fmt: skip


def stats_printed(project: Project) -> Found:
    """Read the tables that `stats` prints."""
    text = run("stats", project.path, *project.scope)
    found: Found = {}
    for row in table(text, "Scores"):
        found |= _printed_scores(row["metric"], row)
    for row in table(text, "Agreement of judge and people"):
        found |= _printed_agreement(row["metric"], row)
    rates = {row[""]: row for row in table(text, "Pass")}
    for head, side in (("by the judge", "judge"), ("by people", "people")):
        found |= {f"pass {side}": _cell(rates[head], "rate")}
        found |= {f"pass {side} n": _cell(rates[head], "n")}
    return found | {"pass corrected": _cell(rates["corrected"], "rate")}


def _printed_scores(name: str, row: Row) -> Found:
    found: Found = {}
    columns = {
        "n auto": "n_auto", "auto": "auto", "n both": "n", "human": "human", "gap": "gap",
        "upper dev.": "upper", "lower dev.": "lower deviation", "band": "band",
        "adjusted": "adjusted",
    }  # fmt: skip
    if name in (*NUMERIC, DERIVED, "overall"):
        found |= {f"{name} {what}": _cell(row, head) for head, what in columns.items()}
    if name in NUMERIC:
        found[f"{name} corrected"] = _cell(row, "corrected")
    if name in JUDGED:
        found[f"{name} scorer"] = row.get("judge", "not shown").split(" ")[0]
    return found


def _printed_agreement(name: str, row: Row) -> Found:
    found: Found = {}
    if name in TABLED:
        kappa = "kappa" if name == "topic" else "quadratic kappa"
        found |= {f"{name} same": _cell(row, "same"), f"{name} kappa": _cell(row, kappa)}
    if name in NUMERIC:
        found[f"{name} bias"] = _cell(row, "bias")
    if name != DERIVED:
        found[f"{name} pairs"] = _cell(row, "n")
    return found


def _cell(row: Row, *heads: str) -> Text:
    """Give a cell by the beginning of its heading, as more may be said beside it."""
    for head in heads:
        if head in row:
            return Text(row[head])
    return next((Text(row[x]) for head in heads for x in row if x.startswith(head)), ABSENT)


def runs_document(project: Project) -> Found:
    """Read `runs --json`."""
    found: Found = {}
    for one in document("runs", project.path)["runs"]:
        run_name = one["name"]
        found |= {
            f"{run_name} evaluations": one["evaluations"],
            f"{run_name} labelled": one["labelled"],
            f"{run_name} pass judge": one["pass_rate"],
        }
    return found


def runs_printed(project: Project) -> Found:
    """Read the table that `runs` prints."""
    found: Found = {}
    for row in table(run("runs", project.path), "Runs of"):
        name = row["run"]
        found |= {
            f"{name} evaluations": _cell(row, "evaluations"),
            f"{name} labelled": _cell(row, "labelled"),
            f"{name} pass judge": _cell(row, "pass rate"),
        }
    return found


def report_json(project: Project) -> Found:
    """Read a JSON report."""
    with written(project, "r.json", "report", *project.scope) as text:
        told = json.loads(text)
    found: Found = {f"{x} auto": told["avg_scores"][x] for x in (*NUMERIC, DERIVED, "overall")}
    found |= {"pass judge": told["pass_rate"], "pass judge n": told["passed"] + told["failed"]}
    return found | {f"{NEWEST} evaluations": told["total_cases"]}


_TITLES = {name.capitalize(): name for name in (*NUMERIC, DERIVED, "topic", "overall")}
_BESIDE = {"auto": "Judge", "human": "People", "gap": "Gap", "corrected": "Corrected"}
_SIDES = {"by the judge": "judge", "by people": "people", "corrected": "corrected"}


def report_markdown(project: Project) -> Found:
    """Read a Markdown report."""
    with written(project, "r.md", "report", *project.scope) as text:
        tables = markdown_tables(text)
    found = _report(tables)
    return found | {f"{NEWEST} evaluations": _after(text, r"^(\d+) responses of ")}


def _after(text: str, pattern: str) -> Text:
    match = re.search(pattern, text, re.MULTILINE)
    return ABSENT if match is None else Text(match[match.lastindex or 0].rstrip(",;"))


def report_page(project: Project) -> Found:
    """Read an HTML report."""
    with written(project, "r.html", "report", *project.scope) as text:
        tables = html_tables(text)
    found = _report(tables)
    return found | {f"{NEWEST} evaluations": _after(text, r"<span>(\d+) responses of ")}


def _report(tables: Sequence[list[Row]]) -> Found:
    """Take the figures out of the tables of a report."""
    found: Found = {}
    for name, row in _with(tables, "In a word"):
        if name == "topic":
            continue
        found |= {f"{name} {x}": _beside(row, head) for x, head in _BESIDE.items()}
        found |= {f"{name} n_auto": _n(row, "Judge"), f"{name} n": _n(row, "People")}
        if name in JUDGED:
            found[f"{name} scorer"] = row["Metric"].rstrip(")").split(" ")[-1]
        if name in (DERIVED, "overall"):
            del found[f"{name} corrected"]
    for name, row in _with(tables, "Average"):
        found |= {f"{name} auto": _beside(row, "Average"), f"{name} n_auto": _cell(row, "n")}
    for name, row in _with(tables, "Error band"):
        if name != "topic":
            found |= {f"{name} band": _bare(row, "Error"), f"{name} adjusted": _bare(row, "Adj")}
    return found | _report_agreement(tables) | _report_rates(tables)


def _report_agreement(tables: Sequence[list[Row]]) -> Found:
    found: Found = {}
    for name, row in _with(tables, "Same answer"):
        if name in TABLED:
            found[f"{name} same"] = Text(" ".join(row["Same answer"].split(" ")[:2]))
            found[f"{name} kappa"] = _beside(row, "Kappa", "Quadratic kappa")
    return found


def _report_rates(tables: Sequence[list[Row]]) -> Found:
    found: Found = {}
    rates = next(x for x in tables if x and "Rate" in x[0])
    for row in rates:
        side = next(side for words, side in _SIDES.items() if row["Passed"].startswith(words))
        found[f"pass {side}"] = _cell(row, "Rate")
        if side == "judge":
            found["pass judge n"] = _after(row["Passed"], r"judge, (\d+) of")
    return found


def _beside(row: Row, *heads: str) -> Text:
    """Give a cell without what stands below it."""
    return Text(_cell(row, *heads).words.split(" ")[0])


def _bare(row: Row, head: str) -> Text:
    """Give a cell without the reason that stands behind a dash."""
    words = _cell(row, head).words
    return Text(words.partition(" (")[0] if words.startswith("—") else words)


def _n(row: Row, head: str) -> Text:
    return _after(_cell(row, head).words, r"n ([\d,]+)")


def _with(tables: Sequence[list[Row]], head: str) -> list[tuple[str, Row]]:
    """Give the metrics and rows of the first table of metrics with a heading."""
    rows = next((x for x in tables if x and "Metric" in x[0] and head in x[0]), [])
    return [(_TITLES[row["Metric"].split(" ")[0]], row) for row in rows]


def checks(project: Project) -> Found:
    """Read what `check` holds to limits."""
    wanted = [
        "--min-pass-rate", "0.5", "--max-gap", "9", "--min-labels", "1", "--min-score",
        "overall:0", "--targets",
    ]  # fmt: skip
    for name in ("accuracy", "tone", "repetition"):
        wanted += ["--min-agreement", f"{name}:kappa_quadratic:-1"]
        wanted += ["--min-agreement", f"{name}:percent:0", "--min-score", f"{name}:0"]
    told = document("check", project.path, *project.scope, *wanted, codes=(0, 1))
    found: Found = {}
    for one in told["checks"]:
        found |= _check(one["name"].split(" "), one)
    return found


def _check(words: Sequence[str], one: Mapping[str, Any]) -> Found:
    """Tell which figures a check is about: its value, and what it is of."""
    name = words[1] if len(words) > 1 else ""
    what, of = {
        "min-pass-rate": ("pass judge", "pass judge n"),
        "max-gap": (f"{name} gap size", f"{name} n"),
        "min-labels": (f"{name} n_human", f"{name} n_human"),
        "min-score": (f"{name} auto", f"{name} n_auto"),
        "min-agreement": (f"{name} same", f"{name} pairs"),
        "target": (f"{name} auto", f"{name} n_auto"),
    }.get(words[0], ("", ""))
    if words[-1] == "kappa_quadratic":
        what = f"{name} kappa"
    if name == "pass_rate":
        what, of = "pass judge", "pass judge n"
    if not what or name == "topic":
        return {}
    found: Found = {what: one["value"], of: one["n"]}
    people = one.get("people") if words[0] == "min-pass-rate" else None
    return found | ({"pass people": people} if isinstance(people, int | float) else {})


def compared(project: Project) -> Found:
    """Read `compare` of both runs."""
    told = document("compare", project.path, "--run", OLDER, "--run", NEWEST)
    found: Found = {"compared n": told["n"]}
    for name in (*NUMERIC, DERIVED):
        pair = told["metrics"][name]
        found[f"compared {name} n"] = pair["n"]
        for letter in "ab":
            found[f"compared {name} {letter}"] = pair[f"mean_{letter}"]
            found[f"compared {name} off people {letter}"] = pair["people"][f"error_{letter}"]
    passing = told["pass"]
    found |= {"compared pass n": passing["n"]}
    return found | {f"compared pass {x}": passing[f"rate_{x}"] for x in "ab"}


def disagreements(project: Project) -> Found:
    """Read the export of disagreements: which rows, and what they say."""
    with written(project, "d.csv", "export", "--what", "disagreements") as text:
        rows = [x for x in csv.DictReader(io.StringIO(text)) if x["metric"] in (*NUMERIC, DERIVED)]
    found: Found = {}
    names = []
    for row in rows:
        name = f"{row['run']} {row['id']} {row['metric']}"
        names.append(name)
        found |= {
            f"{name} {what}": float(row[what]) if row[what] else None
            for what in ("auto", "human", "gap")
        }
    return found | {"rows": ", ".join(sorted(names))}


def insights(project: Project) -> Found:
    """Read what the numbers say by category."""
    told = document("stats", project.path, *project.scope, "--insights")["insights"]
    found: Found = {}
    for name in NUMERIC:
        for one in told["metrics"][name]["slices"]["slices"]:
            found[f"{one['category']} {name} n"] = one["n"]
            if one["n"] >= SLICES_FROM:
                found[f"{one['category']} {name} gap"] = one["gap"]
    return found


def consensus(project: Project) -> Found:
    """Read the export of consensus."""
    with written(project, "c.csv", "export", "--what", "consensus") as text:
        rows = [x for x in csv.DictReader(io.StringIO(text)) if x["metric"] in NUMERIC]
    return {
        f"{row['run']} {row['id']} {row['metric']} agreed": float(row["value"])
        if row["value"]
        else None
        for row in rows
    }
