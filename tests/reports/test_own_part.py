from reviewer.reports.document import MOST_ROWS, Table, named_of


def test_a_long_table_says_what_is_left_out() -> None:
    rows = [[str(n)] for n in range(1_300)]
    shown = Table("Failures", ["Test"], rows, "Overall 0.5.").of(len(rows))
    assert len(shown.rows) == MOST_ROWS
    assert shown.note == "Overall 0.5. 1,250 more rows stand in the JSON report."
    assert Table("Failures", ["Test"], rows[:50]).of(50).note == ""


def test_of_many_responses_the_first_are_named() -> None:
    names = [f"r{n}" for n in range(14)]
    assert named_of(names).endswith("r11 and 2 more")
    assert named_of(names[:2]) == "r0, r1"
