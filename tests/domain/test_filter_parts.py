"""The parts of a filter, as chips add values to them and take them out."""

from hypothesis import given
from hypothesis import strategies as st

from reviewer.domain.errors import FilterError
from reviewer.domain.filters import (
    Filter,
    beside,
    joined,
    named,
    parse,
    parts,
    terms,
    to_text,
    turned,
)

POLICIES, RATES = named("category", "policies"), named("category", "rates & fees")


def words(found: tuple[Filter, ...]) -> str:
    return to_text(joined(found))


def test_values_of_one_field_stand_beside_each_other() -> None:
    one = turned(parts(parse("state:open")), POLICIES)
    assert words(one) == "state:open category:policies"
    two = turned(one, RATES)
    assert words(two) == 'state:open (category:policies OR category:"rates & fees")'
    assert parts(parse(words(two))) == two
    assert words(turned(two, POLICIES)) == 'state:open category:"rates & fees"'
    assert words(turned(one, POLICIES)) == "state:open"
    assert words(turned(parts(parse("-category:x")), POLICIES)) == "-category:x category:policies"


def test_what_asks_a_field_is_told_from_the_rest() -> None:
    found = parts(parse("category:a -category:b tag:x (category:c OR tag:y) auto:accuracy>3 pool"))
    assert words(beside(found, "category", None)) == (
        "tag:x (category:c OR tag:y) auto:accuracy>3 pool"
    )
    assert "auto" not in words(beside(found, "auto", "accuracy"))
    assert words(beside(found, "auto", "safety")) == words(found)


@given(st.lists(st.sampled_from(["a", "b", "c d", "*", "4"]), max_size=6))
def test_a_value_turned_twice_is_as_before(names: list[str]) -> None:
    found = parts(parse("state:open"))
    for name in names:
        found = turned(found, named("tag", name))
    odd = {name for name in names if names.count(name) % 2}
    asked = {x.value for part in found[1:] for x in terms(part)}
    assert asked == odd
    assert parts(parse(words(found))) == found


def test_an_error_says_where_it_is() -> None:
    places = {}
    for text in ("category:", "pool gap:>1", "(a", "state:opne", "nofield:x", "a )"):
        try:
            parse(text)
        except FilterError as error:
            places[text] = error.at
    assert places == {
        "category:": 9, "pool gap:>1": 9, "(a": 0, "state:opne": 6, "nofield:x": 0, "a )": 2,
    }  # fmt: skip
