"""What was made here and what came, in the order of changes: only the first is sent."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from reviewer.services.sharing.link import Link


def within(link: Link, seq: int) -> bool:
    return any(after < seq <= until for after, until in link.unsent)


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("made"), st.integers(1, 3)),
            st.tuples(st.just("came"), st.integers(1, 5)),
            st.tuples(st.just("passed"), st.integers(1, 2)),
            st.tuples(st.just("sent"), st.integers(1, 4)),
        )
    )
)
def test_all_that_was_made_here_is_sent_and_nothing_that_came(
    happened: list[tuple[str, int]],
) -> None:
    link, newest = Link(address="", incarnation="", person=UUID(int=0), lead=True), 0
    made: list[int] = []
    came: set[int] = set()
    separate = 0
    for what, count in happened:
        if what == "sent":
            waiting = [x for x in (*made, *sorted(came)) if within(link, x)]
            assert waiting == sorted(made)
            some, made = made[:count], made[count:]
            if some:
                link = link.with_sent(some[-1])
        else:
            numbers = range(newest + 1, newest + count + 1)
            newest += count
            if what == "made":
                made += numbers
                separate += 1
            elif what == "came":
                known = link.unsent[-1][0]
                alone = not any(known < x < numbers[0] for x in made)
                link = link.with_came(numbers[0], newest, alone=alone)
                came.update(numbers)
        assert [x for x in (*made, *came) if within(link, x)] == made
        assert len(link.came) <= separate
