"""Errors are found by kind: first the record's error, then the response."""

import pytest

from reviewer.domain.rubric_check import checked
from reviewer.scoring.harness import ERROR_HANDLING, PATTERNS, detection
from reviewer.scoring.scorer import Case, Failure, ScoreOutcome, settle
from tests.resources.demo_records import RESOURCES, rubric_of


def scored(case: Case, **parameters: object) -> ScoreOutcome:
    outcome = ERROR_HANDLING.score(case, parameters)  # type: ignore[arg-type]
    assert isinstance(outcome, ScoreOutcome)
    return outcome


def kind(case: Case, **parameters: object) -> str | None:
    found = detection(settle(ERROR_HANDLING.options, parameters))(case)  # type: ignore[arg-type]
    return found.kind if found else None


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("DatabaseError: Connection refused", "database"),
        ("lost connection to MySQL server", "database"),
        ("ToolExecutionError: Document not found", "tool"),
        ("exception while running search", "tool"),
        ("Request timed out", "timeout"),
        ("deadline exceeded", "timeout"),
        ("CUDA out of memory", "memory"),
        ("something else", "other"),
    ],
)
def test_kinds_of_the_error_field(error: str, expected: str) -> None:
    assert kind(Case(error=error, response="All is well.")) == expected


TRACEBACK = """Traceback (most recent call last):
  File "agent.py", line 7, in run
    raise ConnectionError("Database connection refused") if down else lookup(key)
          ^^^^^^^^^^^^^^^
  File "tools.py", line 3, in lookup
    return timeout_table[key]
{}
"""


@pytest.mark.parametrize(
    ("last", "expected", "quote"),
    [
        ("KeyError: 'name'", "other", "KeyError: 'name'"),
        ("psycopg.OperationalError: connection refused", "database", "connection refused"),
        ("ToolError: no such\n  thing: timed out", "tool", "ToolError"),
    ],
)
def test_of_a_traceback_only_what_it_ends_with_counts(
    last: str, expected: str, quote: str
) -> None:
    found = detection(settle(ERROR_HANDLING.options, {}))(Case(error=TRACEBACK.format(last)))
    assert found is not None
    assert (found.kind, quote in found.quote) == (expected, True)


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        (None, "null"),
        (" \n", "empty"),
        ("Sorry.\nTraceback (most recent call last):\n  File", "trace"),
        ('As follows:\n  File "tool.py", line 12', "trace"),
        ("    at Ledger.read(ledger.js:12)", "trace"),
        ("I encountered an error while searching...", "message"),
        ("502 Internal Server Error", "message"),
        ("Well:\n  sqlite3.OperationalError: no such table", "message"),
        ("Sorry, an error occurred while processing your request.", "message"),
        ("An unexpected error has occurred. Please try again later.", "message"),
        ("An error occurred", "message"),
        ("The deed says that an error occurred in 1998 and was corrected.", None),
        ("If an error occurred on your bill, call the county.", None),
        ("The margin of error is 2 %.", None),
        ("A KeyError means that the key is absent; see Error: below.", None),
        ("The tool timed out, so I used another.", None),
    ],
)
def test_kinds_of_the_response(response: str | None, expected: str | None) -> None:
    assert kind(Case(response=response)) == expected


def test_the_reasoning_quotes_the_match() -> None:
    outcome = scored(Case(error="ToolExecutionError: Document not found"))
    assert (outcome.value, outcome.reasoning) == (0, "Tool error: “ToolExecutionError”.")
    text = "Hm.\n  ValueError: no such month"
    outcome = scored(Case(response=text))
    assert outcome.reasoning == "Error message in the response: “ValueError:”."
    assert text[outcome.hits[0].start : outcome.hits[0].end] == "ValueError:"
    assert outcome.examples == ("ValueError:",)


def test_the_first_kind_of_the_list_wins() -> None:
    error = "tool call failed: database connection lost"
    assert kind(Case(error=error)) == "database"
    assert kind(Case(error=error), error_kinds=["tool", "database"]) == "tool"


def test_without_kinds_only_the_error_field_counts() -> None:
    published: dict[str, object] = {"error_kinds": []}
    assert scored(Case(response=None), **published).value == 1
    assert scored(Case(response="internal server error"), **published).value == 1
    assert kind(Case(error="database connection lost"), **published) == "other"


def test_a_kind_of_ones_own_is_looked_for_on_both_sides() -> None:
    mine: dict[str, object] = {"error_kinds": ["quota"], "patterns": {"quota": ["(?i)quota"]}}
    assert kind(Case(error="Quota exceeded"), **mine) == "quota"
    assert scored(Case(response="Your quota is used up."), **mine).reasoning == "quota: “quota”."


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"error_kinds": ["quota"]}, "quota has no entry under patterns"),
        ({"patterns": {"tool": ["("]}}, "is no regular expression"),
        ({"error_kind": []}, "did you mean error_kinds?"),
        ({"patterns": {"tool": "x", "trace": 4}}, "trace: 4 was found"),
    ],
)
def test_wrong_parameters_are_a_failure_of_every_case(
    parameters: dict[str, object], text: str
) -> None:
    outcome = ERROR_HANDLING.score(Case(response="x"), parameters)  # type: ignore[arg-type]
    assert isinstance(outcome, Failure)
    assert outcome.kind == "parameters"
    assert text in outcome.text


def test_the_shipped_rubric_has_the_same_patterns() -> None:
    rubric = rubric_of(RESOURCES / "rubrics" / "harness.toml")
    metric = checked(rubric).by_name["error_handling"]
    assert metric.parameters["patterns"] == {kind: [*found] for kind, found in PATTERNS.items()}
    assert ERROR_HANDLING.problem(metric.parameters) is None


def test_a_reply_of_blank_lines_is_read_at_once() -> None:
    assert kind(Case(response="\n" * 200_000 + "Error: none, error and exception (at all)")) == (
        "message"
    )
