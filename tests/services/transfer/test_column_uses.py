"""Columns and the mapping file are two views of one mapping."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.domain.errors import FormatError
from reviewer.services.transfer import column_uses, file_plans
from reviewer.services.transfer.column_uses import ColumnUse, Use

WIDE = """
[fields]
id = "id"
input = "question"
response = { from = "answer", extract = "^A: (.*)" }

[[scores]]
metric = ["accuracy", "safety"]
value = "{metric}_score"
reasoning = "{metric}_why"
scorer = "judge"

[[labels]]
metric = "accuracy"
value = "ann"
labeler = "ann"
"""
COLUMNS = (
    "id", "question", "answer", "accuracy_score", "accuracy_why", "safety_score", "safety_why",
    "ann", "price",
)  # fmt: skip
LONG = """
layout = "long"
[fields]
id = "item"
response = "text"
[[labels]]
metric_column = "dimension"
value = "rating"
labeler_column = "rater"
"""


def test_every_column_shows_its_use() -> None:
    found = {x.column: x for x in column_uses.uses(column_uses.from_text(WIDE), COLUMNS)}
    assert found["question"] == ColumnUse("question", Use.FIELD, "input")
    assert found["safety_score"] == ColumnUse("safety_score", Use.SCORE, "safety")
    assert found["safety_why"] == ColumnUse("safety_why", Use.REASONING, "safety")
    assert found["ann"] == ColumnUse("ann", Use.LABEL, "accuracy", "ann")
    assert found["price"] == ColumnUse("price")


def test_the_columns_of_a_long_table_show_their_use() -> None:
    columns = ("item", "text", "dimension", "rating", "rater")
    uses = column_uses.uses(column_uses.from_text(LONG), columns)
    assert [x.use for x in uses] == [
        Use.FIELD, Use.FIELD, Use.METRIC, Use.LABEL, Use.LABELER,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "columns"),
    [(WIDE, COLUMNS), (LONG, ("item", "text", "dimension", "rating", "rater"))],
)
def test_the_same_uses_give_a_mapping_of_the_same_meaning(
    text: str, columns: tuple[str, ...]
) -> None:
    mapping = column_uses.from_text(text)
    uses = column_uses.uses(mapping, columns)
    again = column_uses.with_uses(mapping, uses)
    assert column_uses.uses(again, columns) == uses
    assert again.fields == mapping.fields
    assert column_uses.with_uses(again, uses) == again


def test_what_a_list_of_columns_cannot_say_stays() -> None:
    mapping = column_uses.from_text(WIDE)
    changed = column_uses.with_uses(
        mapping,
        [
            ColumnUse("question", Use.KEEP),
            ColumnUse("answer", Use.FIELD, "response"),
            ColumnUse("price", Use.FIELD, "cost_usd"),
        ],
    )
    assert changed.fields.input is None
    assert changed.fields.response is not None
    assert changed.fields.response.extract == ("^A: (.*)",)
    assert changed.fields.cost_usd is not None
    assert [rule.scorer for rule in changed.scores] == [("judge",), ("judge",)]


def test_habits_are_said_and_taken_back() -> None:
    plain = column_uses.from_text(WIDE)
    uses = column_uses.uses(plain, COLUMNS)
    said = column_uses.with_uses(plain, uses, {"decimal": ",", "dates": ""})
    assert column_uses.habits(said) == {"decimal": ",", "dates": ""}
    assert column_uses.with_uses(said, uses).decimal == ","
    assert column_uses.with_uses(said, uses, {"decimal": ""}).decimal is None


def test_a_score_can_become_a_label() -> None:
    mapping = column_uses.from_text(WIDE)
    uses = [
        ColumnUse("safety_score", Use.LABEL, "safety", "ben")
        if x.column == "safety_score"
        else ColumnUse(x.column)
        if x.column == "safety_why"
        else x
        for x in column_uses.uses(mapping, COLUMNS)
    ]
    changed = column_uses.with_uses(mapping, uses)
    assert [rule.metric for rule in changed.scores] == [("accuracy",)]
    assert {(rule.metric, rule.labeler) for rule in changed.labels} == {
        (("accuracy",), ("ann",)),
        (("safety",), ("ben",)),
    }


def test_a_column_of_people_and_judges_stays_divided() -> None:
    mapping = column_uses.from_text(
        """
        layout = "long"
        fields = { id = "id", input = "question" }
        [[scores]]
        metric = "tone"
        value = "score"
        scorer_column = "annotator"
        when = { annotator = ["gpt-4o"] }
        [[labels]]
        metric = "tone"
        value = "score"
        labeler_column = "annotator"
        unless = { annotator = ["gpt-4o"] }
        """
    )
    uses = column_uses.uses(mapping, ("id", "question", "annotator", "score"))
    assert column_uses.with_uses(mapping, uses) == mapping
    renamed = [replace(x, name="calm") if x.column == "score" else x for x in uses]
    again = column_uses.with_uses(mapping, renamed)
    assert (again.scores[0].metric, again.labels[0].metric) == (("calm",), ("calm",))
    assert (again.scores[0].when, again.labels[0].unless) == (
        mapping.scores[0].when, mapping.labels[0].unless,
    )  # fmt: skip


def test_an_unsound_mapping_is_a_sentence() -> None:
    with pytest.raises(FormatError, match="nothing"):
        column_uses.with_uses(
            column_uses.from_text('[fields]\nid = "id"'), [ColumnUse("id", Use.KEEP)]
        )
    with pytest.raises(FormatError, match="colour"):
        column_uses.from_text('colour = "red"')


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b c", "ü", "x.y", "Score#2"]),
            st.sampled_from([Use.KEEP, Use.SCORE, Use.LABEL]),
            st.sampled_from(["m1", "m2"]),
        ),
        unique_by=lambda x: x[0],
    )
)
def test_uses_come_back_as_they_were_given(given_uses: list[tuple[str, Use, str]]) -> None:
    base = column_uses.from_text('[fields]\nid = "id"\nresponse = "r"')
    uses = tuple(
        ColumnUse(column, use, "" if use is Use.KEEP else name, "p" if use is Use.LABEL else "")
        for column, use, name in given_uses
    )
    columns = [x.column for x in uses]
    assert column_uses.uses(column_uses.with_uses(base, uses), columns) == uses


def test_a_sample_shows_columns_and_what_is_inside_objects(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"id": 1, "info": {"task": "t", "n.o": 2}}\n{"id": 2, "more": [1]}\n')
    sample = file_plans.sample(file)
    assert sample.columns == ("id", "info.task", 'info."n.o"', "more")
    assert sample.rows[0]["info.task"] == "t"


def test_a_name_is_suggested_from_the_column() -> None:
    assert column_uses.suggested("Accuracy score", Use.SCORE).name == "accuracy"
    assert column_uses.suggested("human_tone", Use.LABEL).name == "tone"
    assert column_uses.suggested("price", Use.KEEP).name == ""
