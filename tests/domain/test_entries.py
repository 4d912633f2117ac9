"""Which labels of a record count, and which decision."""

from typing import Any

from reviewer.domain import entries

ONE, TWO = (f"0190e5b2-7c1a-7b3e-8d2f-{n:012}" for n in (1, 2))


def entry(value: Any, at: str | None = None, labeler: str = "ann", **more: Any) -> dict[str, Any]:
    fields = {"metric": "accuracy", "labeler": labeler, "value": value} | more
    return fields if at is None else fields | {"at": at}


def decided(value: Any, at: str, labeler: str = "lea", **more: Any) -> dict[str, Any]:
    return entry(value, at, labeler, kind="adjudication", **more)


def current(*labels: dict[str, Any]) -> list[Any]:
    return [x["value"] for x in entries.current_labels(labels).values()]


def decision(*labels: dict[str, Any]) -> Any:
    return entries.decisions(labels).get(("accuracy", None), {}).get("value")


def test_the_latest_moment_is_current_and_of_equal_ones_the_later_in_the_list() -> None:
    early, late = entry(1, "2026-11-01T12:00:00+02:00"), entry(2, "2026-11-01T11:00:00Z")
    assert current(late, early) == [2]
    assert current(entry(3, "1990-01-01"), entry(4)) == [3]
    assert current(entry(3), entry(4)) == [4]
    withdrawn = entry(None, "2026-11-02", kind="withdrawn", of="label")
    assert current(early, withdrawn, late) == [None]


def test_neither_decisions_nor_comments_are_labels() -> None:
    comment = entry(None, "2026-11-03", kind="comment", comment="why")
    assert current(entry(1, "2026-11-01"), decided(5, "2026-11-02", "ann"), comment) == [1]
    assert entries.current_labels([comment]) == {}


def test_a_decision_ends_by_itself_or_by_a_withdrawal_that_does_not_say_what_it_ends() -> None:
    made = decided(4, "2026-11-01")
    assert decision(made, entry(1, "2026-11-02", "lea")) == 4
    assert decision(made, decided(None, "2026-11-02")) is None
    assert decision(made, entry(None, "2026-11-02", "lea", kind="withdrawn")) is None
    assert decision(made, entry(None, "2026-11-02", "lea", kind="withdrawn", of="label")) == 4
    assert decision(made, entry(None, "2026-11-02", "bo", kind="withdrawn")) == 4
    assert decision(made, entry(None, "2026-11-02", "lea", kind="comment")) == 4
    # of another lead's, the earlier one stands again
    other = decided(2, "2026-11-03", "max")
    assert decision(made, other) == 2
    assert decision(made, other, decided(None, "2026-11-04", "max")) == 4


def test_what_was_restored_takes_the_place_of_what_it_restores() -> None:
    first, other = decided(4, "2026-11-01", uid=ONE), decided(2, "2026-11-02", "max")
    changed = decided(5, "2026-11-03")
    back = decided(4, "2026-11-04", restores=ONE)
    assert decision(first, other, changed) == 5
    assert decision(first, other, changed, back) == 2
    # a number that nobody has, or somebody else's entry has, restores nothing
    assert decision(first, other, changed, back | {"restores": TWO}) == 4
    assert decision(first | {"labeler": "bo"}, other, changed, back) == 4


def test_an_entry_is_the_same_where_it_says_the_same() -> None:
    label = entry(4, "2026-11-01", uid=ONE)
    assert entries.label_identity(label) == entries.label_identity(
        entry(4, "2026-11-01", comment="x", blind=True, kind="label", uid=TWO)
    )
    comments = [entry(None, "2026-11-01", kind="comment", comment=x) for x in ("a", "b")]
    ends = [entry(None, kind="withdrawn"), entry(None, kind="withdrawn", of="label")]
    different = [label, label | {"restores": TWO}, label | {"turn": 1}, *comments, *ends]
    assert len({entries.label_identity(x) for x in different}) == len(different)
