"""What a filter can ask for: every choice finds exactly as many as it says."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.errors import FilterError, Silent
from reviewer.domain.filters import joined, parse, parts, to_text
from reviewer.services.listing import facets, listing
from reviewer.services.project.session import Session
from reviewer.services.queues import profiles
from reviewer.services.upkeep import projects
from tests.building import build_project, record


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return projects.make_demo(tmp_path_factory.mktemp("facets") / "demo.review", None, Silent())


@pytest.fixture
def lead(demo: Path) -> Iterator[Session]:
    with closing(Session.open(demo, "labeler 1")) as own:
        own.blind = False
        yield own


@pytest.mark.parametrize("rest", ["", "state:done", "category:policies OR tag:pii", "-tag:multi"])
def test_every_choice_finds_as_many_as_it_says(lead: Session, rest: str) -> None:
    told = 0
    for facet in facets.facets(lead):
        for choice in facets.choices(lead, parse(rest), facet):
            text = to_text(joined((*parts(parse(rest)), choice.term)))
            found = listing.build(lead, filter_text=text).total
            assert choice.count in (None, found), (facet.title, choice.title)
            told += choice.count is not None
    assert told > 80


def test_choices_are_named_as_people_name_them(lead: Session) -> None:
    titles = {
        (x.field, x.metric): [one.title for one in facets.choices(lead, parse(""), x)]
        for x in facets.facets(lead)
    }
    assert titles["category", None][:2] == ["amenities", "policies"]
    assert titles["state", None][:2] == ["New", "Open"]
    assert titles["auto", "accuracy"] == ["1", "2", "3", "4", "5"]
    assert titles["gap", "accuracy"][1] == "people and judge agree"
    assert titles["date", None] == ["2026-11", "2026-10", "2026-09"]
    assert titles["latency", None][1] == "> 394 ms, upper half"
    assert ("gap", None) not in titles


def test_nothing_is_offered_that_stays_hidden(tmp_path: Path) -> None:
    path = build_project(
        tmp_path / "p.review", evaluations=[record(1, tags=["gold", "vip"]), record(2)]
    )
    with closing(Session.open(path, "lea")) as lead:
        profiles.add(lead, "bo")
    with closing(Session.open(path, "bo")) as own:
        assert own.blind
        offered = facets.facets(own)
        assert {x.field for x in offered}.isdisjoint({"auto", "human", "gap", "|gap|", "question"})
        tags = next(x for x in offered if x.field == "tag")
        assert [x.title for x in facets.choices(own, parse(""), tags)] == ["vip"]
        with pytest.raises(FilterError, match="hidden"):
            facets.choices(own, parse("gap>1"), tags)


def test_values_of_any_spelling_are_found_again(tmp_path: Path) -> None:
    names = ["two words", 'a "quote"', "star*", "-minus", "(both)", "3", "me", "OR", "a:b>c"]
    path = build_project(
        tmp_path / "p.review",
        evaluations=[record(at, category=name, tags=[name]) for at, name in enumerate(names)],
    )
    with closing(Session.open(path, "lea")) as own:
        for facet in facets.facets(own):
            if facet.field not in ("category", "tag"):
                continue
            found = facets.choices(own, parse(""), facet)
            assert sorted(x.title for x in found) == sorted(names)
            for choice in found:
                assert parse(to_text(choice.term)) == choice.term
                assert listing.build(own, filter_text=to_text(choice.term)).total == 1


def test_what_is_found_without_a_part_is_counted(lead: Session) -> None:
    asked = parts(parse('run:"2026-11-18 agent v7" state:flagged category:amenities'))
    found = [
        listing.build(lead, filter_text=to_text(joined((*asked[:at], *asked[at + 1 :])))).total
        for at in range(3)
    ]
    assert facets.found_without(lead, asked) == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("category:policies OR category:amenities", "category: policies or amenities"),
        ("-tag:vip", "not tag: vip"),
        ("auto:accuracy<=3", "auto accuracy ≤ 3"),
        ('"pool bar"', "“pool bar”"),
        ("flag OR tag:x", "state: flagged or tag: x"),
        ("-(flag latency>1000)", "not state: flagged and latency > 1000"),
    ],
)
def test_parts_are_said_in_words(text: str, words: str) -> None:
    assert facets.in_words(parse(text)) == words
