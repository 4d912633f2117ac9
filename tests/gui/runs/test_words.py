"""How runs, score sets and imports are written."""

from dataclasses import replace

from msgspec import structs

from reviewer.domain.run import ScorerVersion
from reviewer.gui.runs.words import (
    facts,
    hidden,
    imported,
    made_with,
    many,
    pass_sentence,
    percent,
    scored,
    span,
)
from reviewer.services.transfer.run_details import ImportEntry, ScoreSet
from reviewer.services.upkeep.projects import RunSummary
from tests.building import RUBRIC

RUN = RunSummary(
    key=1, name="v7", evaluations=2, labelled=1, imported_at="2026-11-20T00:00:00Z",
    first="2026-11-01",
    last="2026-11-03", source="a.jsonl", rubric="guest", scorers=("judge",), pass_rate=0.5,
)  # fmt: skip


def test_counts_and_shares() -> None:
    assert [many(1, "run"), many(1204, "run")] == ["1 run", "1,204 runs"]
    assert [percent(0.8412), percent(None)] == ["84.1 %", "—"]


def test_dates_of_a_run() -> None:
    assert span(RUN) == "2026-11-01 to 2026-11-03"
    assert span(structs.replace(RUN, last="2026-11-01")) == "2026-11-01"
    assert span(structs.replace(RUN, first=None, last=None)) == "no dates"


def test_what_a_score_set_was_made_with() -> None:
    version = ScorerVersion(
        key=1, scorer="judge", model="small", prompt_hash="5f0c", parameters='{"temperature": 0}'
    )
    assert made_with(version) == "small · prompt 5f0c · temperature 0"
    assert made_with(structs.replace(version, parameters="[1")) == "small · prompt 5f0c · [1"


def test_an_import_names_only_what_it_brought() -> None:
    entry = ImportEntry(1, "a", "native", undone=False, at="", counts={"added": 3, "labels": 0})
    assert imported(entry) == "3 added"


def test_every_pass_rule_has_its_sentence() -> None:
    assert "every metric" in pass_sentence(RUBRIC)
    overall = replace(RUBRIC, pass_rule="overall", pass_at=3.5)
    assert pass_sentence(overall).endswith("reaches 3.5.")


def test_everything_about_a_run_stands_in_one_line() -> None:
    assert facts(RUN) == (
        "2 evaluations · 1 labelled · 2026-11-01 to 2026-11-03 · a.jsonl · 1 scorer"
    )
    some = structs.replace(RUN, excluded=1200, source=None, scorers=())
    assert facts(some) == (
        "2 evaluations · 1 labelled · 1,200 excluded, in no figure · 2026-11-01 to 2026-11-03 · "
        "imported · 0 scorers"
    )


def test_hidden_responses_are_counted() -> None:
    assert hidden(1) == "1 is hidden from you until you have answered it"
    assert hidden(1204, more=True) == "1,204 more are hidden from you until you have answered them"


def test_scores_are_counted_by_metric() -> None:
    made = ScoreSet(ScorerVersion(key=1, scorer="judge"), {"accuracy": 1204, "gone": 3, "tone": 0})
    assert scored(made, None) == "accuracy 1,204 · gone 3"
    assert scored(made, RUBRIC).startswith(f"{RUBRIC.by_name['accuracy'].heading} 1,204 · gone 3")
