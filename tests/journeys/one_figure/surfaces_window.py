"""What the window says on Review, Audit and Runs, read from its widgets."""

import re

from PySide6.QtCore import Qt

from reviewer.gui.audit.agreement_section import AgreementSection
from reviewer.gui.audit.page import AuditPage
from reviewer.gui.audit.pass_section import PassSection
from reviewer.gui.audit.trend_section import TrendSection as WeeksSection
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.runs.compare_section import CompareSection
from reviewer.gui.runs.page import RunsPage
from reviewer.gui.runs.run_section import RunSection
from reviewer.gui.runs.targets_section import TargetsSection
from reviewer.gui.runs.trend_section import TrendSection
from tests.journeys.one_figure.desk import Desk, Line, lines, tips
from tests.journeys.one_figure.seen import ABSENT, CAPPED, Found, Text
from tests.journeys.one_figure.surfaces_commands import (
    DERIVED,
    JUDGED,
    NUMERIC,
    SLICES_FROM,
    TABLED,
)
from tests.journeys.one_figure.world import NEWEST, OLDER

CASES = ("c01", "c06", "c12", "c14", "c16", "c18", "c20", "c24", "c27")
"""Responses whose cards are read: tied, decided once and twice, changed, judged again."""
DISPLAY = int(Qt.ItemDataRole.DisplayRole)
FILTERS = (
    ("human", ">=", "4"),
    ("human", "<", "2.5"),
    ("auto", "=", "5"),
    ("gap", "<=", "-1"),
    ("gap", ">", "0.5"),
)
_TITLES = {x.capitalize(): x for x in (*NUMERIC, DERIVED, "topic", "overall")}


def cards(desk: Desk) -> Found:
    """Read the cards of some responses on Review."""
    page = desk.review()
    found: Found = {}
    by_id = {page.queue.model.row(at).id: key for at, key in enumerate(page.queue.model.keys)}
    for case in CASES:
        page.open_evaluation(by_id[case])
        desk.settle()
        desk.wait(lambda: bool(page.figures.case.metrics))
        for name, card in page.scores.cards.items():
            if name in NUMERIC:
                found |= _card(f"{NEWEST} {case} {name}", card.summary.text())
    return found


def _card(prefix: str, words: str) -> Found:
    found: Found = {}
    for fact in words.split(" · "):
        what, _, value = fact.partition(" ")
        if what in ("auto", "gap", "adjusted"):
            value = {"yes": "1", "no": "0"}.get(value, value)
            found[f"{prefix} {what}"] = Text(value, digits=2)
    return found


def queue(desk: Desk) -> Found:
    """Read the gap that stands in each row of the queue."""
    model = desk.review().queue.model
    found: Found = {}
    for at in range(model.rowCount()):
        row, words = model.row(at), str(model.data(model.index(at), DISPLAY))
        if "excluded" not in words:
            gap = words.rpartition("gap ")[2]
            found[f"{NEWEST} {row.id} overall gap"] = Text(gap, digits=2)
    return found


def filters(desk: Desk) -> Found:
    """Type filters on scores, and read which responses stand in the queue."""
    page = desk.review()
    found: Found = {}
    for what, sign, value in FILTERS:
        for name in ("accuracy", "quality"):
            words = f"{what}:{name}{sign}{value}"
            page.queue.view.set_filter(f'{words} -state:excluded run:"{NEWEST}"')
            desk.settle()
            ids = [page.queue.model.row(at).id for at in range(page.queue.model.rowCount())]
            found[words] = ", ".join(sorted(ids))
    page.queue.view.set_filter("")
    desk.settle()
    return found


_BAND = re.compile(r"upper (.+?) · lower (.+?) · band (.+?)(?: · |$)")
_N = re.compile(r"\(n = ([\d,]+)")


def live(desk: Desk) -> Found:
    """Read the live panel of every metric, beside a response that hides nothing."""
    page = desk.review()
    found: Found = {}
    model = page.queue.model
    rows = (model.row(at) for at in range(model.rowCount()))
    page.open_evaluation(next(x.key for x in rows if x.run == NEWEST and not x.hidden))
    for name in (*NUMERIC, "topic"):
        page.scores.set_focus_on(name)
        title = f"Live — {name.capitalize()}"
        desk.wait(lambda title=title: page.scores.live.title.text() == title)  # type: ignore[misc]
        desk.settle()
        desk.wait(lambda: "…" not in page.scores.live.kappa.text())
        found |= _live_metric(page, name)
    return found


def _live_metric(page: ReviewPage, name: str) -> Found:
    panel, found = page.scores.live, {}
    cells = {place: label.text() for place, label in panel._cells.items()}
    for place, label in panel._cells.items():
        cells[place] += "".join(f" {x}" for x in CAPPED if x in label.accessibleName())
    rows = {cells[row, 0]: row for row, column in cells if row and column == 0}
    for words, row in rows.items():
        subject = {"This run": name, "Overall, run": "overall"}.get(words.partition(" (")[0])
        if subject is None or subject == "topic":
            continue
        n = _N.search(words)
        found[f"{subject} n"] = Text(n[1]) if n else ABSENT
        for column, what in enumerate(("auto", "human", "gap", "adjusted"), 1):
            found[f"{subject} {what}"] = Text(cells[row, column])
    if name in TABLED:
        kappa = re.match(r"(?:quadratic )?κ (\S+)", panel.kappa.text())
        n = re.search(r"n = ([\d,]+)", panel.kappa.text())
        found[f"{name} kappa"] = Text(kappa[1]) if kappa else ABSENT
        found[f"{name} table n"] = Text(n[1]) if n else ABSENT
    band = _BAND.search(panel.band.text()) if name != "topic" else None
    if band is not None:
        for at, what in enumerate(("upper", "lower deviation", "band"), 1):
            found[f"{name} {what}"] = Text(band[at], digits=2)
    return found


def _audit(desk: Desk) -> AuditPage:
    page = desk.page("audit", AuditPage)
    if page.scope.run.names != (NEWEST,):
        page.scope.run.pick(NEWEST)
        desk.settle()
    return page


def audit_as_it_opens(desk: Desk) -> Found:
    """Read Agreement by metric before anything is chosen."""
    return _table(desk, desk.page("audit", AuditPage))


def audit_table(desk: Desk) -> Found:
    """Read Agreement by metric of the newest run."""
    return _table(desk, _audit(desk))


def _table(desk: Desk, page: AuditPage) -> Found:
    page.sections.bring(AgreementSection)
    desk.settle()
    columns = {"n": "n", "auto": "auto", "human": "human", "band": "band", "adjusted": "adjusted"}
    found: Found = {}
    for row in lines(page.agreement.table).values():
        name = _TITLES[row["metric"]]
        if name != "topic":
            found |= {f"{name} {what}": _of(row, head) for head, what in columns.items()}
        if name in TABLED:
            found[f"{name} kappa"] = _of(row, "agreement")
        if name in NUMERIC:
            found[f"{name} corrected"] = _of(row, "corrected")
    return found


def _of(row: Line, head: str) -> Text:
    words = next((row[x] for x in row if x == head or x.startswith(f"{head} ")), None)
    # signed() leaves closing zeros out
    return ABSENT if words is None else Text(words, digits=2 if head == "band" else None)


def audit_verdict(desk: Desk) -> Found:
    """Read the card Verdict of each metric, and the list of responses behind it."""
    page = _audit(desk)
    found: Found = {}
    for name in JUDGED:
        page.scope.choose_metric(name)
        desk.settle()
        if name in TABLED:
            figure = re.sub(r"<.*?>", "", page.verdict.figure.text())
            found[f"{name} kappa"] = Text(figure)
            same = re.search(r"([\d.]+ %) the same", page.verdict.counts.text())
            found[f"{name} same"] = Text(same[1]) if same else ABSENT
        pairs = re.match(r"([\d,]+) labelled", page.verdict.counts.text())
        found[f"{name} pairs"] = Text(pairs[1]) if pairs else ABSENT
        scorer = page.verdict.judge.text().removeprefix("Judge: ")
        found[f"{name} scorer"] = re.split(r"[ ,;(]", scorer)[0]
    return found


def audit_cases(desk: Desk) -> Found:
    """Read the list of responses behind the figures of two metrics."""
    page = _audit(desk)
    found: Found = {}
    for name in ("accuracy", "completion"):
        page.scope.choose_metric(name)
        desk.settle()
        table = page.side.cases.table
        for row, tip in zip(lines(table).values(), tips(table), strict=True):
            run, case = tip.splitlines()[0].split(" / ")
            found |= {
                f"{run} {case} {name} {what}": Text(row[what], digits=2)
                for what in ("auto", "human", "gap")
            }
    return found


def audit_passing(desk: Desk) -> Found:
    """Read the section Pass/fail."""
    page = _audit(desk)
    section = page.sections.bring(PassSection)
    desk.settle()
    rates = lines(section.verdicts.rates)
    found: Found = {}
    for key, side in (("auto_rate", "judge"), ("human_rate", "people")):
        found[f"pass {side}"] = Text(rates[key]["share"])
        n = re.search(r"([\d,]+)$", rates[key]["n"])
        found[f"pass {side} n"] = Text(n[1]) if n else ABSENT
    return found | {"pass corrected": Text(rates["corrected_rate"]["share"])}


def audit_insights(desk: Desk) -> Found:
    """Read the categories that stand in What the numbers say."""
    page = _audit(desk)
    page.sections.bring(AgreementSection)
    found: Found = {}
    for name in ("accuracy", "tone"):
        page.scope.choose_metric(name)
        desk.settle()
        desk.wait(
            lambda name=name: (
                page.insights.shown is not None  # type: ignore[misc]
                and page.insights.shown.metric == name
                and not page.insights.state.text()
            )
        )
        view = page.insights.topics["slices"]
        if view.table is None or not view.is_open:
            view.toggle()
        if view.table is None:
            continue
        for row in lines(view.table).values():
            prefix = f"{row['category']} {name}"
            found[f"{prefix} n"] = Text(row["n"])
            if int(row["n"]) >= SLICES_FROM:
                found[f"{prefix} gap"] = Text(row["gap"].removeprefix("≠ "), digits=2)
    return found


def audit_weeks(desk: Desk) -> Found:
    """Read the weeks of Over time."""
    page = _audit(desk)
    page.scope.choose_metric("accuracy")
    section = page.sections.bring(WeeksSection)
    desk.settle()
    found: Found = {}
    for start, row in lines(section.table).items():
        found[f"{start} accuracy auto"] = Text(row["auto"])
        found[f"{start} accuracy n"] = Text(row["n"])
    page.sections.row.choose(0)
    desk.settle()
    return found


def runs_list(desk: Desk) -> Found:
    """Read the list of runs, and the headline of the newest."""
    page = desk.page("runs", RunsPage)
    found: Found = {}
    for name, row in lines(page.runs.list).items():
        found |= {
            f"{name} evaluations": Text(row["n"]),
            f"{name} labelled": Text(row["labelled"]),
            f"{name} pass judge": Text(row["pass"]),
        }
    page.bring(RunSection)
    desk.settle()
    return found


def runs_trend(desk: Desk) -> Found:
    """Read the pass rate and two averages of each run from Trend."""
    page = desk.page("runs", RunsPage)
    section = page.bring(TrendSection)
    desk.settle()
    found: Found = {}
    for name in ("overall", "accuracy", "resolved"):
        section.figure.setCurrentIndex(section.figure.findData(name))
        desk.settle()
        for run_name, row in lines(section.table).items():
            heads = list(row)
            found[f"{run_name} pass judge"] = _bare(row[heads[1]])
            found[f"{run_name} {name} auto"] = _bare(row[heads[2]])
    return found


def _bare(words: str) -> Text:
    """Take the arrow of a step away."""
    return Text(words.strip("▲▼ "))


def runs_targets(desk: Desk) -> Found:
    """Read Targets of the newest run."""
    page = desk.page("runs", RunsPage)
    section = page.bring(TargetsSection)
    desk.settle()
    rows = {x[next(iter(x))]: x for x in lines(section.table).values()}
    found: Found = {}
    for title, auto, n in (
        ("Pass rate", f"{NEWEST} pass judge", f"{NEWEST} pass judge n"),
        ("Accuracy", "accuracy auto", "accuracy n_auto"),
    ):
        found |= {auto: _of(rows[title], "judge"), n: _of(rows[title], "n")}
    return found


def runs_compared(desk: Desk) -> Found:
    """Read A against B: A is the newest run."""
    page = desk.page("runs", RunsPage)
    assert page.runs.a is not None
    assert (page.runs.a.name, page.runs.b) == (NEWEST, OLDER)
    section = page.bring(CompareSection)
    desk.settle()
    found: Found = {}
    for row in lines(section.table.grid).values():
        heads = list(row)
        title, older, newer = (row[x] for x in heads[:3])
        name = "pass" if title == "Pass rate" else _TITLES[title]
        found |= {f"compared {name} a": Text(older), f"compared {name} b": Text(newer)}
    return found
