from reviewer.domain.run import ScorerVersion
from reviewer.services.checks import words
from reviewer.services.checks.check import Check, held, held_by_interval
from reviewer.services.checks.words import Subject
from reviewer.services.figures.auto_columns import RunRecord
from reviewer.services.figures.statistics_blocks import Correction
from reviewer.services.figures.trust_words import NOTHING
from reviewer.stats.clustering import Quantity

RATE = Quantity(0.85, 100, 0.76, 0.91)
GOOD = held("min-pass-rate", RATE, 0.8)
BAD = held("min-agreement accuracy kappa", Quantity(-0.25, 40, -0.4, 0.1), 0.6)
OPEN = held_by_interval("min-corrected-pass-rate", RATE, 0.8)


def record(name: str, version: str = "", n: int = 1200) -> RunRecord:
    judge = ScorerVersion(key=1, scorer=name, version=version or None)
    return RunRecord(run="v7", version=judge, n=n, of=1200)


def subject(*runs: str, corrected: Correction | None = None) -> Subject:
    return Subject(
        runs=runs or ("v7",),
        n=1200,
        records=(("accuracy", record("judge", "3")), ("tone", record("judge", "3"))),
        corrected=corrected or Correction(),
    )


def test_a_ticket_says_what_was_checked_and_what_came_of_it() -> None:
    rate = Correction(0.634, 0.541, 0.722, n=101)
    assert words.ticket([GOOD, BAD, OPEN], subject(corrected=rate)) == (
        "Run v7 (1,200 responses, scored by judge@3): 1 of 3 checks hold: min-pass-rate 0.8 "
        "(0.85); min-agreement accuracy kappa 0.6 (−0.25) does not hold: -0.25 is below the least "
        "that is allowed, 0.6; min-corrected-pass-rate 0.8 (0.85) cannot be said: 0.8 lies inside "
        "the interval, 0.76 to 0.91. The corrected pass rate is 63.4 % (95 % interval 54.1 – "
        f"72.2 %), from 101 labelled responses. {NOTHING}"
    )


def test_what_fails_for_one_reason_is_said_together() -> None:
    none = Quantity(None, 0, reason="nobody labelled")
    checks = [held("a", none, 0.5), held("b", none, 0.5)]
    said = words.ticket(checks, subject())
    assert "): 0 of 2 checks hold; a 0.5 and b 0.5 do not hold: nobody labelled. " in said


def test_without_a_corrected_rate_none_is_named() -> None:
    assert "corrected" not in words.ticket([GOOD], subject())
    bare = words.ticket([GOOD], subject(corrected=Correction(0.5, n=1)))
    assert "The corrected pass rate is 50.0 %, from 1 labelled response." in bare


def test_how_much_is_scored_is_said_where_it_is_not_all() -> None:
    def said(*records: tuple[str, RunRecord]) -> str:
        return words.ticket([GOOD], Subject(runs=("a",), n=1200, records=records))

    both = (("x", record("j", n=1000)), ("x", record("k", n=180)))
    assert said(*both).startswith("Run a (1,200 responses, 1,180 of them scored by j and k): ")
    more = said(*both, ("y", record("j")))
    assert more.startswith("Run a (1,200 responses, 1,180 to 1,200 of them scored by j and k): ")
    assert said(("x", record("j", n=0))).startswith("Run a (1,200 responses, not scored): ")
    # a table of scores need not say whose they are
    assert said(("x", record(""))).startswith("Run a (1,200 responses, scored): ")


def test_many_runs_and_no_judge_are_said() -> None:
    assert words.ticket([GOOD], subject("a", "b")).startswith("Runs a and b (1,200 responses, ")
    many = words.ticket([GOOD], Subject(runs=("a", "b", "c", "d"), n=1))
    assert many.startswith("4 runs (1 response, not scored): ")


def test_a_ticket_is_one_paragraph() -> None:
    said = words.ticket([GOOD], subject("v7\nall checks hold\r\n\t!"))
    assert said.startswith("Run v7 all checks hold ! (")
    assert len(said.splitlines()) == 1


def test_what_holds_with_a_reservation_says_it() -> None:
    check = Check(name="m", value="ok", limit="better than warning", n=3, state="holds",
                  reason="uncertain")  # fmt: skip
    assert "hold: m better than warning (ok, uncertain). " in words.ticket([check], subject())
    assert words.line(check).startswith("m: holds, uncertain; ok, n 3; limit better")


def test_large_figures_are_written_out() -> None:
    check = held("max-latency p95", Quantity(123456.7, 50), 200000.0, side="most")
    assert "max-latency p95 200000 (123,457)" in words.ticket([check], subject())
