import pytest

from reviewer.formats.annotations import answer, joined, labeler_of, placed, remarks_among


@pytest.mark.parametrize(
    "said",
    ["N/A", "n/a (nothing went wrong)", "Unsure", "Not sure", "I don't know.", "Can't tell"],
)
def test_what_says_that_it_does_not_apply_is_no_value(said: str) -> None:
    assert answer("tone", "ada", said, comment="Hm.") == {
        "metric": "tone", "labeler": "ada", "value": None, "kind": "not_applicable",
        "comment": f"{said}\n\nHm.",
    }  # fmt: skip


@pytest.mark.parametrize("said", ["No", "Navy", "Unsure footing", "Natural", 0, False])
def test_other_answers_are_values(said: object) -> None:
    assert answer("tone", "ada", said)["value"] == said  # type: ignore[arg-type]


def test_named_texts_find_their_place() -> None:
    turns = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Ho"}]
    fields, rest = placed({"Question": "Q?", "answer": "A", "domain": "pool", "url": "x", "n": 3})
    assert fields == {"input": "Q?", "response": "A", "category": "pool"}
    assert rest == {"url": "x", "n": 3}
    assert placed({"conversation": turns})[0]["messages"][1] == {
        "role": "assistant", "name": "gpt", "content": "Ho",
    }  # fmt: skip


def test_where_no_name_tells_the_longest_text_was_looked_at() -> None:
    assert placed({"a": "short", "b": "longer text"}) == (
        {"response": "longer text"},
        {"a": "short"},
    )
    assert placed({"b": "longer text"}, otherwise="context")[0] == {"context": "longer text"}
    assert placed({}) == ({}, {})


def test_people_are_named_as_far_as_they_are() -> None:
    assert labeler_of({"id": 3, "email": "a@x.org"}, 1) == "a@x.org"
    assert labeler_of({"id": 3, "email": ""}, 1) == "annotator 3"
    assert labeler_of(7, 1) == "annotator 7"
    assert labeler_of(None, 2, "expert") == "expert 2"


def test_several_choices_are_one_answer_in_any_order() -> None:
    assert joined(["b", "a", "b"]) == joined(["a", "b"]) == "a + b"


def test_questions_that_are_answered_in_words_are_told_from_choices() -> None:
    choices = ["yes", "no", "yes", "no", "yes", "no"]
    words = ["the pool", "a room", "some towels", "the lift", "a key", "the bar"]
    assert remarks_among({"a": choices, "b": words, "c": ["It is not there."]}) == {"b", "c"}
