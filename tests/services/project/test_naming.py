"""Names of people and queues, hostile ones too."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.domain.errors import LabelError
from reviewer.services.project import naming


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("  ann \t of\nkeys ", "ann of keys"),
        ("an\u202en\u2066", "ann"),
        ("a\x00n\x1bn", "ann"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("e\u0301mile", "\u00e9mile"),
        ("李雷 🙂", "李雷 🙂"),
        ("<b>ann</b>", "<b>ann</b>"),
    ],
)
def test_names_lose_what_cannot_be_seen(name: str, shown: str) -> None:
    assert naming.checked(name) == shown


@pytest.mark.parametrize("name", ["", "   ", "\u202e\u200b", "\x00\n"])
def test_nothing_is_no_name(name: str) -> None:
    with pytest.raises(LabelError, match="needs a name"):
        naming.checked(name)


def test_ten_thousand_characters_are_refused_in_words() -> None:
    with pytest.raises(LabelError, match="10,000 characters"):
        naming.checked("x" * 10_000)


def test_another_case_is_the_same_name() -> None:
    assert naming.taken("ANN", ["bo", "Ann"]) == "Ann"
    assert naming.taken("cy", ["Ann"]) == "cy"
    with pytest.raises(LabelError, match="Ann"):
        naming.free("aNN", (x for x in ("bo", "Ann")))
    assert naming.free(" cy ", ["Ann"]) == "cy"


@given(st.text(max_size=200))
def test_cleaning_is_done_once_and_for_all(name: str) -> None:
    try:
        made = naming.checked(name)
    except LabelError:
        return
    assert naming.checked(made) == made
    assert made.encode().decode() == made
    assert len(made) <= naming.LONGEST
