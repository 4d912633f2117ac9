"""Keep a shared project in step with its hub, for as long as somebody wants that.

What is answered here is sent at once, what others answered is taken in as the hub wakes this
process; a look every now and then repairs what no wake-up told. Nothing here ends with a line:
the next try waits a little longer than the last, and not as long as everybody else's.
"""

import random
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol
from uuid import UUID

from msgspec.structs import replace

from reviewer.domain.change import Change, LabelChanged, MarkChanged
from reviewer.domain.errors import CancelledError, ReviewerError, UnwritableError
from reviewer.hub import presence
from reviewer.hub.address import BusyError, HubError, OlderError
from reviewer.hub.connecting import Hub
from reviewer.hub.refusals import NoPasswordError, PasswordError
from reviewer.services.project.session import Session
from reviewer.services.sharing import holding, standing, syncing, taking_part, uploading
from reviewer.services.sharing import link as links
from reviewer.services.sharing.states import Doing, SyncState

TICK_S: Final = 0.2
"""How often one looks whether something was answered here; it costs microseconds."""
REPAIR_S: Final = 30.0
POLL_S: Final = {True: 1.5, False: 10.0}
"""How often leads, and labelers, ask where nothing wakes them."""
REST_S: Final = {True: 0.5, False: 5.0}
"""How long leads, and labelers, wait between two times of taking in what others answered."""
SEND_S: Final = 0.3
"""How long answers wait for others that are given with them."""
SPARE: Final = 3
"""Between two times one rests as many times as long as the last one took."""
FIRST_S, LONGEST_S = 1.0, 60.0
LAST_S: Final = 5.0
"""How long one goes on with what was begun after nobody wants it any more."""
SHOWN_S: Final = 1.0
"""How long something may take before it is told how far it is."""
MOST_TOLD: Final = 5
WANTED: Final = "The database wants the password of {user}."


@dataclass(frozen=True)
class Password:
    """A password that somebody gave; it is kept in the keyring where they say so."""

    word: str = field(repr=False)
    keep: bool = False


class Orders(Protocol):
    """What whoever started this wants meanwhile."""

    @property
    def ended(self) -> bool:
        """Tell whether nobody wants it any more."""
        ...

    def wait(self, seconds: float, line: int | None = None) -> bool:
        """Wait until something comes on the open line of that number or is wanted; not longer.

        Returns:
            Whether the hub is to be tried at once.
        """
        ...

    def password(self, user: str) -> Password | None:
        """Ask for the password of a role; None where nobody gives one."""
        ...


Tell = Callable[[SyncState], None]


class _Fresh:
    """What was changed here since the last time of sending: answers, or more than those."""

    def __init__(self) -> None:
        self.some = self.much = False

    def note(self, change: Change) -> None:
        if isinstance(change, LabelChanged | MarkChanged):
            self.some = True
        else:
            self.much = True


class _Turns:
    """When the next time of sending and taking in is due."""

    def __init__(self, *, lead: bool, wakes: bool) -> None:
        self.lead = lead
        self._every = REPAIR_S if wakes else POLL_S[lead]
        self._rest = 0.0
        self._held = 0
        self._due = self._ended = 0.0
        self.taken(0.0, again=not lead)

    @property
    def is_due(self) -> bool:
        return time.monotonic() >= self._due

    def at_once(self) -> None:
        self._due = 0.0

    def own(self) -> None:
        """Somebody answered here."""
        self._due = min(self._due, max(time.monotonic() + SEND_S, self._ended + self._rest))

    def others(self) -> None:
        """Somebody answered elsewhere."""
        self._due = min(self._due, self._ended + max(REST_S[self.lead], self._rest))

    def taken(self, seconds: float, *, again: bool) -> None:
        """Note a time that took so long; there is more to be had soon where it is to be again."""
        self._ended, self._rest = time.monotonic(), SPARE * seconds
        self._held = self._held + 1 if again else 0
        soon = max(SEND_S * 2 ** min(self._held, 4), self._rest) if again else self._every
        self._due = self._ended + soon


def keep(path: Path, orders: Orders, tell: Tell) -> SyncState:
    """Keep a project in step until nobody wants it, and give how it stands then.

    Raises:
        ReviewerError: It cannot go on: the project is not shared any more, was moved, or the hub
            refuses it for good.
    """
    with closing(Session.open(path)) as session:
        keeper = Keeper(session, orders, tell)
        links.must(session.project)
        while not orders.ended:
            hold = holding.Hold.take(path)
            if hold is not None:
                with hold:
                    return keeper.run(hold)
            keeper.follow(holding.told(path))
            orders.wait(SHOWN_S)
        return keeper.state


class Keeper:
    """Keeps one project in step.

    Attributes:
        state: How it stands.
    """

    def __init__(self, session: Session, orders: Orders, tell: Tell) -> None:
        """Make it; `run` begins."""
        self.state = SyncState(doing="connecting")
        self.cancelled = False
        self._session, self._orders, self._tell = session, orders, tell
        self._hold: holding.Hold | None = None
        self._password: Password | None = None
        self._tries = 0
        self._next_try = 0.0
        self._fresh = _Fresh()
        self._until = 0.0
        self._began = self._shown = 0.0
        session.subscribe(self._fresh.note)

    def follow(self, state: SyncState | None) -> None:
        """Show what another process tells that keeps the project in step."""
        if state is None or state.doing in ("refused", "password"):
            project, state = self._session.project, SyncState(doing="elsewhere")
            state = standing.of_file(project, links.must(project), state)
        self._show(state)

    def run(self, hold: holding.Hold) -> SyncState:
        """Go on until nobody wants it any more.

        Raises:
            ReviewerError: It cannot go on.
        """
        self._hold = hold
        while not self._orders.ended:
            try:
                self._connect()
            except PasswordError as error:
                self._ask(error)
            except (HubError, UnwritableError) as error:
                if isinstance(error, HubError) and not error.passing:
                    older = isinstance(error, OlderError) and error.may_upgrade
                    self._change("refused", reason=str(error), older=older)
                    raise
                self._pause(error)
        self._change("off", reason=self.state.reason, here=())
        return self.state

    def advance(self, done: int, total: int | None, note: str = "") -> None:
        """Hear how far one time of sending and taking in is, and tell it where it takes long.

        Raises:
            CancelledError: Nobody wants it any more, and its time is over.
        """
        now = time.monotonic()
        self._orders.wait(0.0)
        if self._orders.ended:
            self._until = self._until or now + LAST_S
            if now > self._until:
                raise CancelledError("Nobody waits for it any more; the next time goes on.")
        if now - max(self._began, self._shown) >= SHOWN_S:
            self._shown = now
            of = f" of {total:,}" if total else ""
            self._change("working", progress=f"{done:,}{of} {note}".strip())

    def _connect(self) -> None:
        self._change("connecting")
        place = taking_part.place_in(self._session.project)
        given = self._password
        with taking_part.connected(place, given.word if given else None) as hub:
            if given is not None and given.keep:
                taking_part.keep_password(place, given.word)
                self._password = Password(given.word)
            try:
                self._stay(hub)
            except CancelledError:
                return

    def _stay(self, hub: Hub) -> None:
        """Send and take in again and again until the line breaks or nobody wants it any more."""
        woken_here = hub.listen()
        self._round(hub, whole=True)
        self._tries, self._next_try = 0, 0.0
        lead = links.must(self._session.project).lead
        turns = _Turns(lead=lead, wakes=woken_here)
        seen = self._attend(hub)
        self._change("in step", polls=not woken_here)
        while not self._orders.ended:
            if self._orders.wait(TICK_S, hub.number):
                turns.at_once()
            if hub.woken():
                turns.others()
            if self._look():
                turns.own()
            if turns.is_due:
                self._turn(hub, turns)
            if time.monotonic() - seen >= presence.REFRESH_S:
                seen = self._attend(hub)
                self._change("in step")
        self._leave(hub)

    def _turn(self, hub: Hub, turns: "_Turns") -> None:
        began = time.monotonic()
        done = self._round(hub, whole=self._fresh.much)
        # what a labeler has answered whole opens what others say of it
        more = done.pulled.held or done.claimed or (done.sent and not turns.lead)
        turns.taken(time.monotonic() - began, again=bool(more))
        self._change("in step")
        if self.state.waiting:
            turns.own()

    def _round(self, hub: Hub, *, whole: bool) -> syncing.Synced:
        self._began = time.monotonic()
        done = syncing.sync(self._session, hub, self, whole=whole)
        # what came from the hub is told as a change, too
        self._fresh.much = self._fresh.some = False
        pulled = done.pulled
        came = pulled.evaluations + pulled.labels + pulled.marks + pulled.scores
        told = (*done.told, *pulled.refused[:MOST_TOLD])
        self.state = replace(self.state, came=self.state.came + came, told=told)
        return done

    def _look(self) -> bool:
        """Tell whether somebody answered or changed something here since."""
        self._session.poll()
        return self._fresh.some or self._fresh.much

    def _attend(self, hub: Hub) -> float:
        with hub.writing() as work:
            here = presence.attend(work)
        self.state = replace(self.state, here=self._names(here))
        return time.monotonic()

    def _names(self, here: list[UUID]) -> tuple[str, ...]:
        names = {number: name for number, name, _ in uploading.people_here(self._session).values()}
        return tuple(sorted(names[x] for x in here if x in names))

    def _leave(self, hub: Hub) -> None:
        """Send what is still here, and go."""
        self._until = time.monotonic() + LAST_S
        self._look()
        self._change(self.state.doing)
        if self.state.waiting:
            self._round(hub, whole=False)
        with hub.writing() as work:
            presence.attend(work, stays=False)

    def _ask(self, error: PasswordError) -> None:
        """Let somebody say the password.

        Raises:
            PasswordError: Nobody does.
        """
        user = taking_part.place_in(self._session.project).user
        reason = WANTED.format(user=user) if isinstance(error, NoPasswordError) else str(error)
        self._change("password", reason=reason, user=user)
        self._password = self._orders.password(user)
        if self._password is None and not self._orders.ended:
            self._change("refused", reason=str(error))
            raise error

    def _pause(self, error: ReviewerError) -> None:
        line = isinstance(error, HubError) and not isinstance(error, BusyError)
        doing: Doing = "no line" if line else "held up"
        reason = str(error)
        # a try that somebody wanted before its time puts off none
        if time.monotonic() >= self._next_try:
            self._tries += 1
            longest = min(LONGEST_S, FIRST_S * 2 ** min(self._tries - 1, 10))
            # whoever lost the same server must not come back at the same moment
            rest = longest * random.uniform(0.5, 1.0)  # noqa: S311 - no secret
            self._next_try = time.monotonic() + rest
        until = self._next_try
        again_at = time.time() + until - time.monotonic()
        self.state = replace(self.state, here=(), polls=False, told=())
        self._change(doing, reason=reason, again_at=again_at)
        while not self._orders.ended and time.monotonic() < until:
            if self._orders.wait(min(TICK_S, until - time.monotonic())):
                return
            if self._look():
                self._fresh.some = False
                self._change(doing, reason=reason, again_at=again_at)

    def _change(self, doing: Doing, **fields: object) -> None:
        project = self._session.project
        kept = {
            "reason": "", "user": "", "again_at": 0.0, "progress": "", "older": False,
        } | fields  # fmt: skip
        state = replace(self.state, doing=doing, **kept)
        self._show(standing.of_file(project, links.must(project), state))

    def _show(self, state: SyncState) -> None:
        if state != self.state or state.doing == "connecting":
            self.state = state
            self._tell(state)
            if self._hold is not None:
                self._hold.tell(state)
