"""Versions are compared place by place, word by word."""

from dataclasses import replace

from reviewer.gui.rubric.editor import compare
from reviewer.services.project import rubrics

OLD = "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\nf = 6\ng = 7\nh = 8\n"


def test_equal_texts_differ_nowhere() -> None:
    assert compare(OLD, OLD) == []


def test_places_far_apart_are_shown_apart() -> None:
    new = OLD.replace("a = 1", "a = 9").replace("h = 8", "h = 9")
    first, second = compare(OLD, new)
    assert ("removed", "1") in first
    assert ("removed", "8") in second
    assert not any("d = 4" in words for words_of in (first, second) for _, words in words_of)


def test_a_changed_word_of_a_rubric_is_found() -> None:
    rubric = rubrics.shipped()["guest-response"]
    other = replace(rubric, description=rubric.description.replace("guests", "crew"))
    (place,) = compare(rubrics.to_toml(rubric), rubrics.to_toml(other))
    assert ("added", "crew") in place
