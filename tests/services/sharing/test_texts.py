"""Texts that are replaced after sharing come to everybody, and labels of them become stale."""

from reviewer.domain.errors import Silent
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from tests.journeys.shell import lines
from tests.services.parcels.sending import METRICS, records
from tests.services.sharing.sharing_projects import Team

RESPONSES = "SELECT ext_id, response FROM evaluations WHERE ext_id IN ('c-1', 'c-2') ORDER BY 1"
STALE = (
    "SELECT e.ext_id, count(*) FROM current_labels c JOIN labels l ON l.id = c.label "
    "JOIN evaluations e ON e.id = c.evaluation JOIN labelers p ON p.id = c.labeler "
    "WHERE p.name = 'Ann' AND l.revision {} e.revision GROUP BY 1 ORDER BY 1"
)
BEHIND, FRESH = STALE.format("<>"), STALE.format("=")


def replace_text(team: Team, who: str, place: int, text: str) -> None:
    file = team.folder / "other.jsonl"
    fields = {x: y for x, y in records()[place].items() if x not in ("labels", "scores", "marks")}
    file.write_text(lines(fields | {"response": text}))
    request = ImportRequest(files=(file,), on_conflict="version")
    importing.run(team.files[who], request, Silent())


def test_a_replaced_text_comes_to_all_and_labels_of_the_one_before_are_stale(team: Team) -> None:
    team.invite("Second", "lead")
    team.join("Second")
    team.join("Ann")
    team.label("Ann", "c-1", 3)  # on a train
    replace_text(team, "Lead", 1, "Quite another answer.")
    team.sync("Lead")
    assert team.sync("Second").pulled.texts == 1
    found = team.sync("Ann")
    assert found.pulled.texts == 1
    for name in ("Second", "Ann"):
        assert team.asked(name, RESPONSES) == team.asked("Lead", RESPONSES)
    team.sync("Lead", "Second")
    for name in ("Lead", "Second", "Ann"):
        assert (name, team.asked(name, BEHIND)) == (name, [("c-1", len(METRICS))])
    team.label("Ann", "c-1", 4)
    team.sync("Ann", "Lead", "Second")
    for name in ("Lead", "Second", "Ann"):
        assert (name, team.asked(name, BEHIND)) == (name, [])
        assert team.asked(name, FRESH) == [("c-1", len(METRICS))]
    # who comes now reads the newest text, and knows which labels are of it
    team.label("Ann", "c-2", 4)
    team.sync("Ann")
    replace_text(team, "Second", 2, "And another one.")
    team.sync("Second")
    team.invite("Third", "lead")
    team.join("Third")
    assert team.asked("Third", RESPONSES) == team.asked("Second", RESPONSES)
    assert team.asked("Third", BEHIND) == [("c-2", len(METRICS))]
    assert team.asked("Third", FRESH) == [("c-1", len(METRICS))]
    for name in ("Lead", "Second", "Third", "Ann", "Lead"):
        team.sync(name)
    for name in ("Lead", "Second", "Third", "Ann"):
        again = team.sync(name)
        assert (again.pulled.texts, again.sent, again.told) == (0, 0, [])


def test_of_two_leads_who_replace_the_same_text_the_second_is_told(team: Team) -> None:
    team.invite("Second", "lead")
    team.join("Second")
    replace_text(team, "Lead", 1, "By Lead.")
    replace_text(team, "Second", 1, "By Second.")
    team.sync("Lead")
    told = team.sync("Second").told
    assert any("(one/c-1) was replaced by another lead" in x for x in told)
    assert team.sync("Second", "Lead", "Second").told == []
    for name in ("Lead", "Second"):
        assert team.asked(name, RESPONSES)[0] == ("c-1", "By Lead.")


def test_a_text_that_is_put_back_is_the_newest(team: Team) -> None:
    team.join("Ann")
    team.label("Ann", "c-1", 3)
    before = team.asked("Lead", RESPONSES)
    replace_text(team, "Lead", 1, "By mistake.")
    team.sync("Lead", "Ann")
    replace_text(team, "Lead", 1, str(before[0][1]))
    team.sync("Lead", "Ann", "Lead")
    for name in ("Lead", "Ann"):
        assert team.asked(name, RESPONSES) == before
        # as in one file: whoever answered before the replacement answered another revision
        assert (name, team.asked(name, BEHIND)) == (name, [("c-1", len(METRICS))])
