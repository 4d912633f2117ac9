"""The queue's keys as a list model."""

from array import array
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from reviewer.gui.review.queue_model import BLOCK, QueueModel
from reviewer.services.listing.listing import QueueRow


def row(key: int) -> QueueRow:
    return QueueRow(
        key=key, id=f"c-{key}", title="", category=None, run="r", state="new", flagged=False,
        hidden=True, gap=None,
    )  # fmt: skip


def read(keys: Sequence[int]) -> list[QueueRow]:
    return [row(key) for key in keys]


def model(keys: Sequence[int]) -> QueueModel:
    made = QueueModel(read)
    made.set_keys(array("q", keys))
    return made


@given(st.lists(st.integers(1, 40), unique=True))
def test_the_place_of_every_key_is_found_in_any_order(keys: list[int]) -> None:
    made = model(keys)
    for _ in range(2):
        assert [made.place_of(key) for key in keys] == list(range(len(keys)))
        assert made.place_of(41) is None


def test_what_follows_is_added_without_showing_everything_anew() -> None:
    made = model(range(2 * BLOCK))
    resets: list[str] = []
    made.modelReset.connect(lambda: resets.append("reset"))
    made.rowsInserted.connect(lambda *_: resets.append("added"))
    kept = made.row(3)
    made.add_keys(array("q", range(5 * BLOCK)))
    assert (resets, made.rowCount()) == (["added"], 5 * BLOCK)
    assert made.row(3) is kept
    assert made.row(5 * BLOCK - 1).key == 5 * BLOCK - 1
    made.add_keys(array("q", range(5 * BLOCK)))
    assert resets == ["added"]
    made.add_keys(array("q", range(1, 4)))
    assert (resets, made.rowCount()) == (["added", "reset"], 3)
