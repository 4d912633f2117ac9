"""How a shared project stands, in words: the same in window, `status` and `--watch`."""

import time
from datetime import datetime
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from reviewer.domain.evaluation import parse_time
from reviewer.domain.wording import counted, upper_first

Doing = Literal[
    "connecting",
    "working",
    "in step",
    "no line",
    "held up",
    "password",
    "refused",
    "elsewhere",
    "off",
]


_PLAIN: Final[dict[Doing, str]] = {
    "connecting": "connecting",
    "refused": "not in step",
    "elsewhere": "another window or program keeps it in step",
    "off": "",
}


class SyncState(Struct, frozen=True, kw_only=True):
    """What keeps a project in step is doing, and what is still to be sent.

    Attributes:
        doing: `refused` and `off` are ends; `elsewhere`: another process does it.
        reason: Why there is no line, or what was refused, as a sentence.
        user: Whose password is needed.
        again_at: When the next try begins, in seconds of the system's clock.
        progress: What is being sent or taken in, where that takes a while.
        here: Who is at work on the project now, by name, oneself among them.
        waiting: Entries that are still to be sent: marks and what was taken back among them.
        answers: Answers among those.
        sent_at: When something was sent last.
        looked_at: When the hub was asked last.
        empty: Queues of which nothing more is free for whoever works here.
        polls: Nothing wakes this process, so that it asks every few seconds.
        came: Entries, evaluations and scores that came since it began.
        told: What is to be told, in sentences.
        older: An older program made the hub's tables, and whoever works here may upgrade them.
    """

    doing: Doing
    reason: str = ""
    user: str = ""
    again_at: float = 0.0
    progress: str = ""
    here: tuple[str, ...] = ()
    waiting: int = 0
    answers: int = 0
    sent_at: str = ""
    looked_at: str = ""
    empty: tuple[str, ...] = ()
    polls: bool = False
    came: int = 0
    told: tuple[str, ...] = ()
    older: bool = False

    @property
    def is_connected(self) -> bool:
        """Tell whether the hub answers."""
        return self.doing in ("in step", "working")

    @property
    def words(self) -> str:
        """Say it in a line, such as `Shared · 3 people here · all sent`."""
        if self.doing == "no line" and self.waiting:
            return f"{self._answers} · {self._doing}"
        parts = ["Shared", self._doing, self._answers]
        return " · ".join(x for x in parts if x)

    @property
    def sentences(self) -> str:
        """Say it at length, with the reason."""
        parts = [self.reason, *self.told]
        parts += [f"Nothing more is free in {name} just now." for name in self.empty]
        if self.polls and self.is_connected:
            parts.append(POLLS)
        parts.append(upper_first(f"{self.words.removeprefix('Shared · ')}."))
        return " ".join(x for x in parts if x)

    @property
    def _doing(self) -> str:
        match self.doing:
            case "working" if self.progress:
                return self.progress
            case "no line" | "held up":
                left = round(self.again_at - time.time())
                return f"{self.doing}, trying again{f' in {left} s' if left > 0 else ''}"
            case "password":
                return f"password of {self.user} needed" if self.user else "password needed"
            case "in step" | "working":
                return self._people
        return _PLAIN[self.doing]

    @property
    def _people(self) -> str:
        if not self.here:
            return ""
        return "only you here" if len(self.here) == 1 else f"{len(self.here)} people here"

    @property
    def _answers(self) -> str:
        if not self.waiting:
            return "all sent"
        last = f"last sent {moment(self.sent_at)}" if self.sent_at else "nothing was sent yet"
        return f"{_waits(self)} · {last}"

    def to_json(self) -> str:
        """Write it on one line."""
        return msgspec.json.encode(self).decode()

    def to_document(self) -> dict[str, Any]:
        """Give the fields that the command line prints."""
        return {
            "doing": self.doing, "words": self.words, "reason": self.reason,
            "here": list(self.here), "nothing_free": list(self.empty),
            "answers_waiting": self.answers, "entries_waiting": self.waiting,
            "sent_at": self.sent_at or None, "pulled_at": self.looked_at or None,
            "polls": self.polls,
        }  # fmt: skip


POLLS: Final = (
    "A pooler before the database keeps wake-ups back (transaction mode), so the hub is asked "
    "every few seconds instead."
)


def refused(reason: str, last: SyncState | None = None) -> SyncState:
    """Give the state in which it cannot go on, after another one."""
    state = last or SyncState(doing="refused")
    return replace(state, doing="refused", reason=reason, here=(), told=(), progress="")


def read(line: bytes | str) -> SyncState | None:
    """Read what `to_json` wrote, None where it is something else."""
    try:
        return msgspec.json.decode(line, type=SyncState)
    except msgspec.DecodeError:
        return None


def moment(text: str) -> str:
    """Give the time of day of a moment, with the day where it is another one than today."""
    try:
        at = parse_time(text).astimezone()
    except ValueError:
        return text
    today = datetime.now(at.tzinfo).date()
    return at.strftime("%H:%M" if at.date() == today else "%d %b %H:%M")


def parting(state: SyncState, name: str) -> str:
    """Say what waits as a project is closed, empty where nothing does."""
    if not state.waiting:
        return ""
    return (
        f"{_waits(state, f' of {name} still')} on this computer; sent when the project is "
        "opened again and the hub answers."
    )


def _waits(state: SyncState, whose: str = "") -> str:
    """Say how much waits, counted as people count: the marks beside an answer are none."""
    count = state.answers or state.waiting
    what = counted(count, "answer") if state.answers else counted(count, "entry", "entries")
    return f"{what}{whose} {'waits' if count == 1 else 'wait'}"
