"""An open project: who works on it, who may lead, and the one place that publishes changes."""

import contextlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec.structs import replace
from typing_extensions import override

from reviewer.domain.change import (
    Change,
    EvaluationsChanged,
    FiguresChanged,
    JudgingChanged,
    LabelChanged,
    MarkChanged,
    MonitorsChanged,
    PeopleChanged,
    RubricChanged,
    ScoresChanged,
)
from reviewer.domain.errors import LabelError, ProjectError, RubricError
from reviewer.domain.evaluation import SelectionReason
from reviewer.domain.rubric import Rubric
from reviewer.domain.run import Labeler, Run, ScorerVersion
from reviewer.services.computer.settings import Settings
from reviewer.services.project import naming
from reviewer.store import from_format_1, labelers, queues, reading, watching
from reviewer.store.of_record import chosen_score_set
from reviewer.store.project import Project
from reviewer.store.queues import QueueRow

UNNAMED = "Choose your name first, at “Who are you?”: everything is stored under a name."
NOBODY = "(no name yet)"


class Seat:
    """The labeler's place at a project.

    Attributes:
        project: The file; its connection belongs to the thread that opened the session.
        selection_reason: How the present list chose its evaluations, recorded with labels.
        queue: The queue that the labeler works on, None while they follow a filter.
        is_named: False while it is asked who labels here; nothing is stored until then.
        sees_all: Nothing is hidden here, whatever project and queues say: a lead's pages, and
            programs, which label nothing.
    """

    sees_all = False

    def __init__(self, project: Project, labeler: Labeler) -> None:
        """Seat a labeler at a project."""
        self.project = project
        self._labeler = labeler
        self._blind: bool | None = None
        self.selection_reason: SelectionReason = "browse"
        self.queue: QueueRow | None = None
        self._sealed: frozenset[int] | None = None
        self._led = False
        self.is_named = True
        self._is_given = False

    @property
    def blind(self) -> bool:
        """Tell whether auto scores stay hidden until every metric is answered.

        A queue decides for everybody who works on it; else the project does, where it is not
        set here.
        """
        if self.sees_all:
            return False
        if self.queue is not None:
            return self.queue.blind
        if self._blind is None:
            self._blind = is_blind(self.project)
        return self._blind

    @blind.setter
    def blind(self, blind: bool) -> None:
        self._blind, self._is_given = blind, True

    @property
    def labeler(self) -> Labeler:
        """Give who labels; the key is 0 until their first write, in this window or another."""
        if self._labeler.key == 0:
            found = labelers.find(self.project.conn, self._labeler.name) or self._labeler
            if found.role == "labeler" and not labelers.is_led(self.project.conn):
                # whoever works first leads
                found = replace(found, role="lead")
            if self.project.conn.in_transaction:
                # a row that is just being made may yet be rolled back
                return found
            self._labeler = found
        return self._labeler

    def my_key(self) -> int:
        """Give the labeler's key, their row made where absent; call inside `Project.write`.

        Whoever was renamed in another window a moment ago is still the same person.

        Raises:
            LabelError: Nobody has said yet who labels here.
        """
        if not self.is_named:
            raise LabelError(UNNAMED)
        conn, me = self.project.conn, self._labeler
        found = labelers.find(conn, me.name)
        if found is None and me.key:
            self.look_again()
            found = labelers.find(conn, self._labeler.name)
        if found is not None and (self._led or labelers.is_led(conn)):
            self._led = True
            return found.key
        return labelers.ensure(conn, self._labeler.name)

    @property
    def sealed(self) -> frozenset[int]:
        """Give what open blind queues ask of the labeler: hidden until it is answered."""
        if self.sees_all:
            return frozenset()
        if self._sealed is None:
            self._sealed = queues.sealed_for(self.project.conn, self.labeler.key)
        return self._sealed

    def set_labeler(self, name: str) -> None:
        """Let another person label; their row is made at their first write.

        Raises:
            LabelError: Nobody has the name, and nobody could have it.
        """
        if labelers.find(self.project.conn, name) is None:
            name = naming.taken(name, (x.name for x in self.labelers()))
        self._labeler = Labeler(key=0, name=name)
        self.is_named = True
        self.queue = self._sealed = None
        # known by their key from now on, whatever they are called elsewhere
        self._labeler = self.labeler

    def ask_name(self) -> None:
        """Let nobody sit here, who sees nothing that is hidden, until `set_labeler`."""
        self.set_labeler(NOBODY)
        self.is_named = False

    def labelers(self) -> tuple[Labeler, ...]:
        """Give everybody who has labelled in this project, by name."""
        return labelers.every(self.project.conn)

    def draw_of(self, evaluation: int) -> tuple[SelectionReason, float | None]:
        """Give how an evaluation came to be labelled now, and with which chance it was drawn."""
        if self.queue is None:
            found = None
            if evaluation in self.sealed:
                # met on another way before its turn in a queue that drew it
                found = queues.drawn(self.project.conn, self.labeler.key, evaluation)
            return found or (self.selection_reason, None)
        return queues.draw(self.project.conn, self.queue, self.labeler.key, evaluation)

    def look_again(self) -> None:
        """Follow the labeler and the queue to what they are called now."""
        self._led = False
        known = {person.key: person for person in self.labelers()}
        me = known.get(self._labeler.key, self._labeler)
        self._labeler = Labeler(key=0, name=me.name)
        self.unseal()
        if self.queue is not None:
            self.queue = queues.read(self.project.conn, self.queue.key)

    def unseal(self) -> None:
        """Ask anew what project and open blind queues hide, as others may have changed that."""
        self._sealed = None
        if not self._is_given:
            self._blind = None


def is_blind(project: Project) -> bool:
    """Tell whether people label blind where no queue says otherwise: unless a lead ended it."""
    return project.setting(BLIND) != SIGHTED


Listener = Callable[[Change], None]
BLIND, SIGHTED = "blind", "no"
"""The setting by which leads show a project's auto scores to everybody before the answers."""
PACKAGE = "package"
"""The setting in which a work package says what it is; see `services.parcels`."""


class Session(Seat):
    """An open project file and who works on it.

    Attributes:
        kept: What services keep beside the open file, by name, such as columns read once.
        own: The numbers of the labels and marks that were written here since the last poll.
    """

    def __init__(self, project: Project, labeler: Labeler) -> None:
        """Wrap an open project; `open` is the usual way."""
        super().__init__(project, labeler)
        self.kept: dict[str, object] = {}
        self._listeners: list[Listener] = []
        self._sight = watching.look(project)
        self.own: set[int] = set()
        self._rubrics: dict[int, Rubric] = {}
        self._run_rubrics: dict[int, int] = {}
        self._chosen: dict[tuple[int, str], ScorerVersion | None] = {}

    @classmethod
    def open(cls, path: Path, labeler: str | None = None) -> "Session":
        """Open a project file as a labeler (None: the settings' name, else "labeler 1").

        A work package is always opened as the labeler whom it is for.

        Raises:
            ProjectError: The file cannot be opened; the sentence says why.
        """
        session = cls(Project.open(path), Labeler(key=0, name=""))
        session.set_labeler(session.package_labeler() or labeler or Settings().labeler)
        return session

    @classmethod
    def onlooker(cls, project: Project, name: str) -> "Session":
        """Look at an open project beside its window: nothing is hidden, nobody labels.

        Args:
            project: The file.
            name: Whom words such as `me` and `state:done` mean.
        """
        session = cls(project, Labeler(key=0, name=name))
        session.sees_all = True
        return session

    def package_labeler(self) -> str | None:
        """Give for whom a work package is, None where the project is none."""
        note = self.project.setting(PACKAGE)
        if not note:
            return None
        try:
            return str(json.loads(note)["labeler"])
        except (ValueError, TypeError, KeyError):
            name = self.project.path.name
            raise ProjectError(f"{name} is a damaged work package; ask for another one.") from None

    def close(self) -> None:
        """Close the file."""
        self._listeners.clear()
        self.project.close()

    def subscribe(self, listener: Listener, *, first: bool = False) -> Callable[[], None]:
        """Call the listener with every change, in the order of subscribing; gives the way out.

        `first` goes before those that are there: figures are true before a page reads them.
        """
        self._listeners.insert(0 if first else len(self._listeners), listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def publish(self, change: Change) -> None:
        """Tell every listener what changed here."""
        match change:
            case LabelChanged(after=entry) | MarkChanged(mark=entry):
                self.own.add(entry.seq)
            case _:
                self._sight = watching.past(self.project, self._sight, change)
        self._tell(change)

    def _tell(self, change: Change) -> None:
        match change:
            case LabelChanged() | MarkChanged() | JudgingChanged() | MonitorsChanged():
                pass
            case PeopleChanged():
                self.look_again()
            case _:
                self._forget()
        for listener in tuple(self._listeners):
            listener(change)

    def poll(self) -> int:
        """Publish what other windows and processes wrote since, and give the number of changes."""
        self.project.keep_up()
        if not watching.moved(self.project, self._sight):
            return 0
        self.unseal()
        told, self._sight = watching.news(self.project, self._sight, frozenset(self.own))
        changes: list[Change] = [RubricChanged(name) for name in told.rubrics]
        if told.people:
            changes.append(PeopleChanged("another window or program changed people or queues"))
        if told.judging:
            changes.append(JudgingChanged("another window or program changed what judges"))
        if told.reload:
            changes.append(EvaluationsChanged("another window or program wrote to the project"))
        changes += [MonitorsChanged()] * told.monitors + [FiguresChanged()] * told.figures
        changes += [ScoresChanged()] * told.scores
        changes.extend(
            LabelChanged(before.label if before else None, after.label)
            for before, after in told.labels
        )
        changes.extend(MarkChanged(entry.mark) for entry in told.marks)
        self.own.clear()
        for change in changes:
            self._tell(change)
        return len(changes)

    def rubric_of(self, evaluation: int) -> Rubric:
        """Give the rubric of an evaluation's run, in its newest version.

        Raises:
            LabelError: There is no such evaluation.
        """
        return self.rubric_of_run(self.place(evaluation)[0])

    def rubric_of_run(self, run: int) -> Rubric:
        """Give the rubric of a run by the run's key, in its newest version."""
        if run not in self._run_rubrics:
            self._forget()
            self._rubrics = reading.rubrics(self.project.conn)
            self._run_rubrics = reading.run_rubrics(self.project.conn)
        return self._rubrics[self._run_rubrics[run]]

    def run_keys(self) -> tuple[int, ...]:
        """Give the keys of the runs in the order of their import."""
        return tuple(reading.run_rubrics(self.project.conn))

    def place(self, evaluation: int) -> tuple[int, str, int]:
        """Give the run's key, the id and the revision of an evaluation.

        Raises:
            LabelError: There is no such evaluation.
        """
        found = reading.place(self.project.conn, evaluation)
        if found is None:
            raise LabelError(
                f"The project has no evaluation {evaluation}; its import may have been undone."
            )
        return found

    def rubric(self, name: str) -> Rubric:
        """Give a rubric by name in its newest version.

        Raises:
            RubricError: The project has no rubric of that name.
        """
        known = reading.rubrics(self.project.conn).values()
        for rubric in known:
            if rubric.name == name:
                return rubric
        there = ", ".join(sorted(x.name for x in known)) or "none"
        raise RubricError(f"The project has no rubric {name!r}; it has: {there}.")

    def current_rubric(self) -> Rubric:
        """Give the rubric of the newest run.

        Raises:
            RubricError: The project has no run yet.
        """
        keys = self.run_keys()
        if not keys:
            raise RubricError("The project has no run yet; import evaluation results first.")
        return self.rubric_of_run(keys[-1])

    def runs(self) -> tuple[Run, ...]:
        """Give the runs in the order of their import."""
        return reading.runs(self.project.conn)

    def run_names(self) -> tuple[str, ...]:
        """Give the names of the runs in the order of their import, without counting anything."""
        return reading.run_names(self.project.conn)

    def chosen(self, run: int, metric: str) -> ScorerVersion | None:
        """Give the score set that counts for a metric in a run, by the run's key."""
        if (run, metric) not in self._chosen:
            self._chosen[run, metric] = chosen_score_set(self.project, run, metric)
        return self._chosen[run, metric]

    def learn_chosen(self, run: int, found: Mapping[str, ScorerVersion | None]) -> None:
        """Take over what was read beside the window: of several judges, who counts in a run.

        `found` is by metric. Reading it here would hold up the window for every score's time.
        """
        self._chosen.update({(run, metric): version for metric, version in found.items()})

    def _forget(self) -> None:
        for known in (self._rubrics, self._run_rubrics, self._chosen):
            known.clear()


class LeadSession(Session):
    """The same open project with nothing hidden, for the pages on which leads look at judges.

    Attributes:
        behind: Whose labeler, and what is told to whom, are these.
    """

    sees_all = True

    def __init__(self, behind: Session) -> None:
        """Look at what a session has open."""
        self.__dict__.update(behind.__dict__)
        self.behind = behind
        self.queue, self.selection_reason = None, "browse"

    @property
    @override
    def labeler(self) -> Labeler:
        """Give who labels."""
        return self.behind.labeler

    @override
    def my_key(self) -> int:
        """Give the labeler's key."""
        return self.behind.my_key()

    @override
    def subscribe(self, listener: Listener, *, first: bool = False) -> Callable[[], None]:
        """Hear what the session behind it tells."""
        return self.behind.subscribe(listener, first=first)

    @override
    def publish(self, change: Change) -> None:
        """Let the session behind it tell everybody."""
        self.behind.publish(change)


def for_leads(session: Session) -> Session:
    """Give a session in which nothing is hidden to a lead; anybody else's stays as it is."""
    leads = session.is_named and session.labeler.role == "lead"
    return LeadSession(session) if leads else session


def set_blind(session: Session, *, blind: bool) -> None:
    """Let everybody in the project label blind, or with the auto scores in sight.

    Raises:
        LabelError: Only a lead decides that.
    """
    require_lead(session, "decide who sees auto scores")
    session.project.set_setting(BLIND, "yes" if blind else SIGHTED)
    session.publish(PeopleChanged("who sees auto scores was decided"))


def may_lead(session: Session) -> bool:
    """Tell whether the active labeler may decide, exclude and send back."""
    leads = {person.name for person in session.labelers() if person.role == "lead"}
    return session.labeler.name in leads or not labelers.is_led(session.project.conn)


def take_lead(session: Session) -> None:
    """Let the labeler, who has said their name, lead a project where nobody leads yet."""
    project = session.project
    if project.read_only or labelers.is_led(project.conn):
        return
    # where nothing can be written now, the first label says who leads
    with contextlib.suppress(ProjectError):
        with project.write():
            session.my_key()
        session.publish(PeopleChanged(f"{session.labeler.name} leads"))


def require_lead(
    session: Session,
    what: str,
    instead: str = "Switch the labeler, or flag the response instead.",
) -> None:
    """Refuse what only a lead may do, such as "decide", and say what to do `instead`.

    Raises:
        LabelError: The active labeler is not a lead, and the project has one.
    """
    if not may_lead(session):
        leads = [person.name for person in session.labelers() if person.role == "lead"]
        verb = "leads" if len(leads) == 1 else "lead"
        raise LabelError(
            f"Only a lead can {what}; {' and '.join(leads[:3])} {verb} this project. {instead}"
        )


SHOWN = "converted_shown"
"""The setting that says that a window showed what the conversion changed."""


def last_job_before(session: Session) -> int:
    """Give the number of the last job before the conversion, 0 in a project made since."""
    return int(session.project.setting(from_format_1.LAST_JOB, "0"))


def conversion_told(session: Session) -> list[str]:
    """Give what the conversion changed, in sentences; nothing in a project made since."""
    return [str(x) for x in json.loads(session.project.setting(from_format_1.CONVERTED, "[]"))]


def conversion_untold(session: Session) -> list[str]:
    """Give what nobody was shown yet in a window of this project."""
    return [] if session.project.setting(SHOWN) else conversion_told(session)


def keep_conversion_shown(session: Session) -> None:
    """Keep that it was shown; a project that cannot be written shows it again."""
    # a full disk is said where somebody works, not here
    with contextlib.suppress(ProjectError):
        session.project.set_setting(SHOWN, "1")
