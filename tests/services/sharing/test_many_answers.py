"""Thousands of answers on one evaluation are sent as fast as those on thousands of them."""

from reviewer.domain.evaluation import Label
from reviewer.services.project.session import Session
from reviewer.store import labels, shares, states
from tests.services.sharing.sharing_projects import Team

STEPS = 50


def answer(session: Session, count: int) -> None:
    """Answer one metric of the first evaluation again and again."""
    project = session.project
    (key,) = project.conn.execute("SELECT min(id) FROM evaluations").fetchone()
    with project.write() as conn:
        me, metric = session.my_key(), labels.metric_key(conn, "safety")
        for number in range(count):
            at = f"2026-11-24T10:{number // 60 % 60:02}:{number % 60:02}.{number // 3600:03}Z"
            label = Label(
                evaluation=key, metric="safety", labeler=session.labeler.name, value=3, at=at,
                blind=True, seq=project.next_seq(),
            )  # fmt: skip
            labels.append(conn, label, metric=metric, labeler=me, revision=1)
        states.refresh(conn, [key])


def steps_of_reading(session: Session, since: int) -> int:
    """Count what SQLite does to find what was made since, in steps of its machine."""
    done = [0]

    def count() -> int:
        done[0] += 1
        return 0

    session.project.conn.set_progress_handler(count, STEPS)
    shares.made_since(session.project, since, 500)
    session.project.conn.set_progress_handler(None, 0)
    return done[0]


def test_what_was_sent_is_not_read_again(team: Team) -> None:
    team.join("Ann")
    with team.session("Ann") as session:
        asked = []
        for _ in range(2):
            answer(session, 1_500)
            asked.append(steps_of_reading(session, shares.newest(session.project.conn) - 10))
    assert asked[0] > 0
    assert asked[1] <= 1.2 * asked[0]
