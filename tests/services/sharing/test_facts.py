"""Exclusions and tags that are given or taken after sharing come to everybody who may know."""

import pytest

from reviewer.services.queues import bulk_acts
from tests.building import undone
from tests.services.parcels.sending import METRICS
from tests.services.sharing.sharing_projects import Team

REASON = "The judge was wrong here"
EXCLUDED = (
    "SELECT e.ext_id, x.reason, p.name FROM exclusions x "
    "JOIN evaluations e ON e.id = x.evaluation LEFT JOIN labelers p ON p.id = x.labeler ORDER BY 1"
)
TAGS = (
    "SELECT e.ext_id, t.tag FROM tags t JOIN evaluations e ON e.id = t.evaluation "
    "WHERE t.tag <> 'pool' AND (t.tag, e.ext_id) <> ('gold', 'c-0') ORDER BY 1, 2"
)


@pytest.fixture
def leads(team: Team) -> Team:
    team.invite("Second", "lead")
    team.join("Second")
    return team


def change(team: Team, who: str, act: str, place: str, *words: str) -> None:
    with team.session(who) as session:
        query = f"SELECT id FROM evaluations WHERE ext_id = '{place}'"
        keys = [k for (k,) in session.project.conn.execute(query)]
        getattr(bulk_acts, act)(session, keys, *words)


def test_what_one_lead_excludes_and_tags_the_other_has_until_it_is_taken_back(leads: Team) -> None:
    change(leads, "Lead", "exclude", "c-0", REASON)
    change(leads, "Lead", "tag", "c-1", "odd")
    change(leads, "Lead", "untag", "c-2", "pool")
    leads.sync("Lead")
    assert leads.sync("Second").pulled.facts == 3
    assert leads.asked("Second", EXCLUDED) == [("c-0", REASON, "Lead")]
    assert leads.asked("Second", TAGS) == [("c-1", "odd")]
    pool = "SELECT count(*) FROM tags WHERE tag = 'pool'"
    assert leads.asked("Second", pool) == leads.asked("Lead", pool)
    change(leads, "Second", "include", "c-0")
    change(leads, "Second", "untag", "c-1", "odd")
    assert leads.sync("Second", "Lead").told == []
    assert leads.asked("Lead", EXCLUDED) == leads.asked("Lead", TAGS) == []
    # undo brings it back here, and so everywhere
    with leads.session("Second") as session:
        undone(session)
    leads.sync("Second", "Lead")
    assert leads.asked("Lead", TAGS) == leads.asked("Second", TAGS) == [("c-1", "odd")]
    for name in ("Lead", "Second"):
        again = leads.sync(name)
        assert (again.pulled.facts, again.told) == (0, [])


def test_of_two_leads_who_change_the_same_exclusion_the_second_is_told(leads: Team) -> None:
    change(leads, "Lead", "exclude", "c-0", "mine")
    change(leads, "Second", "exclude", "c-0", "theirs")
    change(leads, "Second", "tag", "c-0", "odd")
    leads.sync("Lead")
    assert any("one/c-0" in x and "another lead changed" in x for x in leads.sync("Second").told)
    leads.sync("Lead")
    for name in ("Lead", "Second"):
        assert leads.asked(name, EXCLUDED) == [("c-0", "mine", "Lead")]
        assert leads.asked(name, TAGS) == [("c-0", "odd")]


def test_a_labeler_hears_that_it_counts_no_more_but_not_why_and_no_tag_before_the_answers(
    leads: Team,
) -> None:
    leads.join("Ann")
    change(leads, "Lead", "exclude", "c-0", REASON)
    change(leads, "Lead", "exclude", "c-5", REASON)
    change(leads, "Lead", "tag", "c-1", "judge wrong")
    change(leads, "Lead", "tag", "c-1", "gold")
    leads.sync("Lead", "Ann")
    assert leads.asked("Ann", EXCLUDED) == [("c-0", "left out by a lead", None)]
    assert leads.asked("Ann", TAGS) == []
    leads.label("Ann", "c-1", 3, *METRICS)
    leads.sync("Ann", "Ann")
    assert leads.asked("Ann", TAGS) == [("c-1", "judge wrong")]
    assert REASON.encode() not in leads.files["Ann"].read_bytes()
    change(leads, "Lead", "include", "c-0")
    leads.sync("Lead", "Ann")
    assert leads.asked("Ann", EXCLUDED) == []


def test_a_file_of_yesterdays_backup_takes_nothing_back(leads: Team) -> None:
    change(leads, "Second", "exclude", "c-3", "since long")
    leads.sync("Second", "Lead")
    backup = leads.files["Second"].read_bytes()
    change(leads, "Second", "include", "c-3")
    change(leads, "Second", "exclude", "c-4", "today")
    change(leads, "Lead", "tag", "c-5", "odd")
    leads.sync("Second", "Lead", "Second")
    for side in leads.folder.glob("Second.review-*"):
        side.unlink()
    leads.files["Second"].write_bytes(backup)
    leads.sync("Second", "Lead")
    for name in ("Second", "Lead"):
        assert leads.asked(name, EXCLUDED) == [("c-4", "today", "Second")]
        assert leads.asked(name, TAGS) == [("c-5", "odd")]
