"""Every act of one and of several people, undone and done again at random.

After each step what stands is told from an export by the rules alone (`retelling`), and has to be
what the program says: statistics, live figures, the rows of the queue. An act that is taken back
leaves nothing but history; one that is done again is there as it was. A model of what each person
did keeps what has to stand after undoing and redoing in any order, other people's acts between.
"""

import shutil
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from reviewer.domain.errors import LabelError, QueueError, Silent
from reviewer.domain.run import Scope
from reviewer.services.adjudicating import decisions
from reviewer.services.figures import statistics
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.labelling import entering, undo
from reviewer.services.listing import listing
from reviewer.services.parcels import merging, packing
from reviewer.services.project.session import Session
from reviewer.services.project.sight import Hidden
from reviewer.services.queues import bulk_acts as many
from reviewer.services.queues import making, profiles, working
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.tallying.live import LiveFigures
from reviewer.services.tallying.live_loading import load_tallies
from reviewer.services.transfer import exporting, importing
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import labels as kept_labels
from tests.building import RUBRIC, build_project, next_redo, next_undo, redone, undone
from tests.journeys import retelling
from tests.journeys.shell import lines

COUNT = 4
METRICS = [metric.name for metric in RUBRIC.metrics]
LEADS = ("lea", "max")
PEOPLE = (*LEADS, "ann")
WORKED = "worked on by ann"
# mostly about one thing, where acts of several people meet
EVALUATIONS = st.sampled_from((1, 1, 1, 1, *range(2, COUNT + 1)))
SOME = st.sampled_from((METRICS[0],) * 4 + tuple(METRICS[1:]))
WHO, LEAD = st.sampled_from(PEOPLE), st.sampled_from(LEADS)
VALUES = st.integers(1, 5)
TURNS_OF_ALL = st.lists(st.tuples(WHO, VALUES), min_size=3, max_size=5)
TURNS_OF_LEADS = st.lists(st.tuples(LEAD, VALUES), min_size=3, max_size=5)
WORDS = st.sampled_from(["", "why", "look again"])
AGAIN = st.booleans()
Key = tuple[Any, ...]


class EveryAct(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="every-act-"))
        self.path = build_project(self.folder / "p.review", evaluations=COUNT)
        self.offset = timedelta()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(kept_labels, "now_text", self.now)
        self.people = {name: self.open(name) for name in PEOPLE}
        self.prepare()
        self.live: LiveFigures | None = None
        # what has to stand, and what each person did to it
        self.model: dict[Key, Any] = {}
        self.done: dict[str, list[dict[Key, tuple[Any, Any]]]] = {x: [] for x in PEOPLE}
        self.undone: dict[str, list[dict[Key, tuple[Any, Any]]]] = {x: [] for x in PEOPLE}
        self.rounds = set[int]()
        self.steps = 0

    def now(self) -> str:
        when = datetime.now(UTC) + self.offset
        return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def open(self, name: str) -> Session:
        session = Session.open(self.path, name)
        # leads see everything, so that they may decide
        session.blind = name not in LEADS
        return session

    def prepare(self) -> None:
        lea = self.people["lea"]
        entering.toggle_flag(lea, COUNT)
        for name, role in (("max", "lead"), ("ann", "labeler"), ("pat", "labeler")):
            profiles.add(lea, name, role=role)  # type: ignore[arg-type]
        keys = tuple(range(1, COUNT + 1))
        making.create(
            lea,
            QueuePlan(name=WORKED, sampling=Sampling.CHOSEN, keys=keys[:3], labelers=("ann",),
                      repeats=0.7),
        )  # fmt: skip
        making.create(
            lea,
            QueuePlan(name="sent out", sampling=Sampling.RANDOM, n=2, labelers=("pat",), seed=1),
        )
        with lea.project.write() as conn:
            conn.execute("UPDATE journal SET state = 'dropped'")
        self.poll()
        self.work()

    def work(self) -> None:
        """Let Ann work on her queue, repeats and all."""
        ann = self.people["ann"]
        self.queue = listing.enter(ann, listing.build(ann, queue=WORKED))

    def teardown(self) -> None:
        if self.live is not None:
            self.live.close()
        for session in self.people.values():
            session.close()
        self.patch.undo()
        shutil.rmtree(self.folder)

    def poll(self) -> None:
        for session in self.people.values():
            session.poll()

    def export(self) -> list[retelling.Record]:
        file = self.folder / "out.jsonl"
        exporting.export(self.people["lea"].project, file, ExportRequest(), Silent())
        return retelling.read(file)

    def told(self) -> tuple[Any, ...]:
        """What stands: as the export tells it, and every labeler's state and lists."""
        conn = self.people["lea"].project.conn
        states = conn.execute(
            "SELECT labeler, evaluation, answered, complete, skipped, flagged FROM states "
            "WHERE answered OR complete OR skipped OR flagged ORDER BY 1, 2"
        ).fetchall()
        begun = conn.execute(
            "SELECT queue, labeler, position, since > 0 FROM queue_items ORDER BY 1, 2, 3"
        ).fetchall()
        asked = [(x.evaluation, x.metric, x.asked, x.answered) for key in range(1, COUNT + 1)
                 for x in decisions.of_evaluation(self.people["lea"], key)]  # fmt: skip
        names = [x.queue.name for x in working.every(self.people["lea"])]
        changes = conn.execute(
            "SELECT evaluation, tag, present FROM tag_changes ORDER BY 1, 2"
        ).fetchall()
        return retelling.told(self.export()), states, begun, asked, sorted(names), changes

    def newest(self) -> int:
        row = self.people["lea"].project.conn.execute("SELECT max(id) FROM journal").fetchone()
        return int(row[0])

    def act(
        self, name: str, do: Callable[[Session], object], changed: dict[Key, Any], *, again: bool
    ) -> None:
        """Do something; with `again` it is undone and done again at once."""
        session = self.people[name]
        before, number = (self.told() if again else None), self.newest()
        try:
            do(session)
        except (LabelError, QueueError):
            assert self.newest() == number
            return
        self.poll()
        if self.newest() == number:
            return
        self.done[name].append({k: (self.model.get(k), v) for k, v in changed.items()})
        self.undone[name].clear()
        self.model.update(changed)
        self.look_for_rounds()
        if again:
            after = self.told()
            self.take_back(name)
            assert self.told() == before
            self.do_again(name)
            assert self.told() == after

    def take_back(self, name: str) -> None:
        session = self.people[name]
        title = next_undo(session, passing=undo.REVEAL)
        try:
            taken = undone(session)
        except LabelError:
            # a reveal was passed over, in words
            taken = undone(session)
        assert taken == title
        self.poll()
        if title is not None:
            changed = self.done[name].pop()
            self.undone[name].append(changed)
            self.model.update({key: before for key, (before, _) in changed.items()})

    def do_again(self, name: str) -> None:
        session = self.people[name]
        title = next_redo(session)
        assert redone(session) == title
        self.poll()
        if title is not None:
            changed = self.undone[name].pop()
            self.done[name].append(changed)
            self.model.update({key: after for key, (_, after) in changed.items()})
            self.look_for_rounds()

    def look_for_rounds(self) -> None:
        """Note where Ann was asked once more: comments of rounds are told apart there."""
        rows = self.people["lea"].project.conn.execute(
            "SELECT evaluation FROM queue_items WHERE since > 0"
        )
        self.rounds |= {key for (key,) in rows}

    @rule(who=WHO, key=EVALUATIONS, metric=SOME, value=VALUES, again=AGAIN)
    def label(self, who: str, key: int, metric: str, value: int, again: bool) -> None:
        self.act(
            who, lambda x: entering.commit(x, key, metric, value),
            {("label", who, key, metric): ("label", value)}, again=again,
        )  # fmt: skip

    @rule(who=WHO, key=EVALUATIONS, value=VALUES, again=AGAIN)
    def complete(self, who: str, key: int, value: int, again: bool) -> None:
        for metric in METRICS:
            self.label(who, key, metric, value, again=again and metric == METRICS[-1])

    @rule(values=st.lists(VALUES, min_size=COUNT, max_size=COUNT), again=AGAIN)
    def go_through_the_queue(self, values: list[int], again: bool) -> None:
        for key, value in enumerate(values, start=1):
            self.complete("ann", key, value, again=again)

    @rule(key=EVALUATIONS, metric=SOME, turns=TURNS_OF_ALL, back=WHO)
    def label_in_turns(
        self, key: int, metric: str, turns: list[tuple[str, int]], back: str
    ) -> None:
        for who, value in turns:
            self.label(who, key, metric, value, again=False)
        self.take_back(back)

    @rule(key=EVALUATIONS, metric=SOME, turns=TURNS_OF_LEADS, back=LEAD)
    def decide_in_turns(
        self, key: int, metric: str, turns: list[tuple[str, int]], back: str
    ) -> None:
        for who, value in turns:
            self.decide(who, key, metric, value, "", again=False)
        self.take_back(back)

    @rule(who=WHO, key=EVALUATIONS, metric=SOME, again=AGAIN)
    def not_applicable(self, who: str, key: int, metric: str, again: bool) -> None:
        self.act(
            who, lambda x: entering.not_applicable(x, key, metric),
            {("label", who, key, metric): ("not_applicable", None)}, again=again,
        )  # fmt: skip

    @rule(who=WHO, key=EVALUATIONS, metric=SOME, again=AGAIN)
    def withdraw(self, who: str, key: int, metric: str, again: bool) -> None:
        self.act(
            who, lambda x: entering.withdraw(x, key, metric),
            {("label", who, key, metric): None}, again=again,
        )  # fmt: skip

    @rule(who=WHO, key=EVALUATIONS, metric=SOME, words=WORDS, again=AGAIN)
    def comment(self, who: str, key: int, metric: str, words: str, again: bool) -> None:
        self.act(
            who, lambda x: entering.comment(x, key, metric, words),
            {("comment", who, key, metric): words or None}, again=again,
        )  # fmt: skip

    @rule(who=WHO, key=EVALUATIONS, again=AGAIN)
    def skip(self, who: str, key: int, again: bool) -> None:
        self.act(who, lambda x: entering.toggle_skip(x, key), {}, again=again)

    @rule(who=WHO, key=EVALUATIONS, again=AGAIN)
    def flag(self, who: str, key: int, again: bool) -> None:
        self.act(who, lambda x: entering.toggle_flag(x, key), {}, again=again)

    @rule(who=WHO, key=EVALUATIONS, start=st.integers(0, 2), words=WORDS, again=AGAIN)
    def highlight(self, who: str, key: int, start: int, words: str, again: bool) -> None:
        self.act(
            who,
            lambda x: entering.highlight(x, key, entering.Stretch(None, start, 4), note=words),
            {}, again=again,
        )  # fmt: skip

    @rule(who=WHO, key=EVALUATIONS)
    def reveal(self, who: str, key: int) -> None:
        entering.reveal(self.people[who], key)
        self.undone[who].clear()
        self.poll()

    @rule(who=LEAD, key=EVALUATIONS, metric=SOME, value=VALUES, words=WORDS, again=AGAIN)
    def decide(self, who: str, key: int, metric: str, value: int, words: str, again: bool) -> None:
        self.act(
            who, lambda x: decisions.decide(x, key, metric, value, words),
            {("decision", who, key, metric): (value, words or None)}, again=again,
        )  # fmt: skip

    @rule(who=LEAD, key=EVALUATIONS, metric=SOME, again=AGAIN)
    def withdraw_decision(self, who: str, key: int, metric: str, again: bool) -> None:
        self.act(
            who, lambda x: decisions.withdraw_decision(x, key, metric),
            {("decision", who, key, metric): None}, again=again,
        )  # fmt: skip

    @rule(who=LEAD, key=EVALUATIONS, metric=SOME, cause=st.sampled_from(decisions.CAUSES),
          again=AGAIN)  # fmt: skip
    def cause(self, who: str, key: int, metric: str, cause: decisions.Cause, again: bool) -> None:
        self.act(who, lambda x: decisions.record_cause(x, key, metric, cause), {}, again=again)

    @rule(who=LEAD, key=EVALUATIONS, metric=SOME, again=AGAIN)
    def withdraw_cause(self, who: str, key: int, metric: str, again: bool) -> None:
        self.act(who, lambda x: decisions.withdraw_cause(x, key, metric), {}, again=again)

    @rule(who=LEAD, whom=WHO, key=EVALUATIONS, metric=SOME, again=AGAIN)
    def ask(self, who: str, whom: str, key: int, metric: str, again: bool) -> None:
        self.act(who, lambda x: decisions.ask(x, key, metric, whom, "why?"), {}, again=again)

    @rule(who=LEAD, key=EVALUATIONS, metric=SOME, again=AGAIN)
    def withdraw_question(self, who: str, key: int, metric: str, again: bool) -> None:
        self.act(who, lambda x: decisions.withdraw_question(x, key, metric), {}, again=again)

    # what is nobody's own is changed by one of them, so that the model knows what it was
    @rule(some=st.sets(EVALUATIONS), act=st.sampled_from(["exclude", "include"]), again=AGAIN)
    def exclude(self, some: set[int], act: str, again: bool) -> None:
        words = ("spam",) if act == "exclude" else ()
        self.act("lea", lambda x: getattr(many, act)(x, sorted(some), *words), {}, again=again)

    @rule(some=st.sets(EVALUATIONS), act=st.sampled_from(["tag", "untag"]), again=AGAIN)
    def tag(self, some: set[int], act: str, again: bool) -> None:
        self.act("lea", lambda x: getattr(many, act)(x, sorted(some), "mine"), {}, again=again)

    @rule(again=AGAIN)
    def make_queue(self, again: bool) -> None:
        self.steps += 1
        plan = QueuePlan(
            name=f"queue {self.steps}", sampling=Sampling.CHOSEN, keys=(1, 2), labelers=("pat",)
        )
        self.act("max", lambda x: making.create(x, plan), {}, again=again)

    @rule(again=AGAIN)
    def delete_queue(self, again: bool) -> None:
        there = [
            x.queue for x in working.every(self.people["max"]) if x.queue.name.startswith("queue ")
        ]
        if there:
            self.act("max", lambda x: working.delete(x, there[0]), {}, again=again)

    @rule(key=EVALUATIONS, metric=SOME, value=VALUES, data=st.data())
    def bring(self, key: int, metric: str, value: int, data: st.DataObject) -> None:
        """Import labels and decisions of people who are elsewhere, from before and after now."""
        kinds = {"label": value, "adjudication": value, "not_applicable": None,
                 "withdrawn": None, "comment": None}  # fmt: skip
        rows = []
        for kind in data.draw(st.lists(st.sampled_from(sorted(kinds)), min_size=1, max_size=3)):
            day = data.draw(st.integers(1, 28))
            year = data.draw(st.sampled_from([2020, 2090]))
            row = {"id": f"c-{key:04}", "metric": metric, "labeler": "imp", "value": kinds[kind],
                   "kind": kind, "at": f"{year}-06-{day:02}"}  # fmt: skip
            if kind == "withdrawn" and data.draw(st.booleans()):
                row["of"] = "label"
            rows.append(row)
        file = self.folder / "more.jsonl"
        file.write_text(lines(*rows), encoding="utf-8")
        again = data.draw(AGAIN)
        before = self.told()
        number = self.newest()
        report = importing.run(
            self.people["lea"].project, ImportRequest((file,), labeler="lea"), Silent()
        )
        self.poll()
        assert self.newest() > number
        self.done["lea"].append({})
        self.undone["lea"].clear()
        if again or not report.labels:
            undo.undo(self.people["lea"])
            self.poll()
            self.done["lea"].pop()
            assert self.told() == before

    @rule(value=VALUES, again=AGAIN)
    def come_back(self, value: int, again: bool) -> None:
        """Send a package out, answer in it with an undo, and take it in twice."""
        package = self.folder / "package.review"
        packing.make(self.people["lea"], package, queue="sent out", labeler="pat", blind=True)
        inside = Session.open(package)
        for (key,) in inside.project.conn.execute("SELECT id FROM evaluations").fetchall():
            entering.commit(inside, key, METRICS[0], value)
            entering.commit(inside, key, METRICS[0], value % 5 + 1)
            undo.undo(inside)
            entering.comment(inside, key, METRICS[1], f"because of {value}")
        inside.close()
        before = self.told()
        found = merging.merge(self.people["lea"], package)
        after = self.told()
        assert merging.merge(self.people["lea"], package).labels == 0
        assert self.told() == after
        package.unlink()
        self.poll()
        if not (found.labels or found.marks):
            return
        self.undone["lea"].clear()
        self.done["lea"].append({})
        if again:
            undo.undo(self.people["lea"])
            self.poll()
            self.done["lea"].pop()
            assert self.told() == before

    @rule(who=WHO)
    def undo(self, who: str) -> None:
        self.take_back(who)

    @rule(who=WHO)
    def redo(self, who: str) -> None:
        self.do_again(who)

    @rule(who=WHO)
    def restart(self, who: str) -> None:
        self.people[who].close()
        if who == "lea" and self.live is not None:
            self.live.close()
            self.live = None
        self.people[who] = self.open(who)
        if who == "ann":
            self.work()

    @rule(hours=st.integers(-2, 2))
    def set_the_clock(self, hours: int) -> None:
        self.offset = timedelta(hours=hours)

    @invariant()
    def the_model_stands(self) -> None:
        told = retelling.told(self.export())
        for (what, who, key, metric), wanted in self.model.items():
            found, name = told[f"c-{key:04}"], f"{metric} {who}"
            if what == "label":
                label = found["labels"].get(name)
                said = label and (label[0] or "label", label[1])
                assert said == wanted, (what, who, key, metric)
            elif what == "decision":
                decided = found["decisions"].get(name)
                assert (decided and tuple(decided[:2])) == wanted, (what, who, key, metric)
            elif not (who == "ann" and key in self.rounds):
                assert found["comments"].get(name) == wanted, (what, who, key, metric)

    @invariant()
    def states_follow_from_the_export(self) -> None:
        lea = self.people["lea"]
        records = {int(x["id"][2:]): x for x in self.export()}
        rows = listing.rows(lea, list(records))
        for row in rows:
            done = retelling.answered(records[row.key], "lea")
            state = "done" if len(done) == len(METRICS) else "partial" if done else "new"
            assert row.state in (state, "skipped"), (row.key, row.state, state)
        for key, record in records.items():
            if key not in self.rounds:
                kept = lea.project.conn.execute(
                    "SELECT answered FROM states s JOIN labelers p ON p.id = s.labeler "
                    "WHERE p.name = 'ann' AND evaluation = ?",
                    (key,),
                ).fetchone()
                assert (kept or (0,))[0] == len(retelling.answered(record, "ann"))

    @invariant()
    def live_figures_follow_from_the_export(self) -> None:
        lea = self.people["lea"]
        if self.live is None or not self.live.ready:
            if self.live is not None:
                self.live.close()
            tallies = load_tallies(self.path, Scope(), Hidden("lea"))
            self.live = LiveFigures(lea, tallies)
        for record in self.export():
            shown = self.live.evaluation(int(record["id"][2:])).metrics
            for metric in METRICS:
                wanted = retelling.human(record, metric)
                found = shown[metric].human if metric in shown else None
                assert found == pytest.approx(wanted), (record["id"], metric)
                if found is not None:
                    assert shown[metric].decided == retelling.is_decided(record, metric)

    @invariant()
    def statistics_follow_from_the_export(self) -> None:
        self.steps += 1
        if self.steps % 4:
            return
        records = [x for x in self.export() if "excluded" not in x]
        for combine in ("mean", "latest"):
            # everything counts, also what somebody chose beside what was drawn by chance
            options = (("label_combine", combine), ("window_months", "none"), ("selection", "all"))
            request = StatsRequest(options=options)
            document = statistics.compute(self.people["lea"].project, request)
            for metric in METRICS:
                humans = [retelling.human(x, metric, combine) for x in records]
                given = [x for x in humans if x is not None]
                gaps = document.metrics[metric].gaps
                assert gaps.deviations.n_labelled == len(given)
                mean = sum(given) / len(given) if given else None
                assert gaps.human_mean == pytest.approx(mean), (combine, metric)


TestEveryAct = EveryAct.TestCase
TestEveryAct.settings = settings(
    max_examples=12,
    stateful_step_count=25,
    suppress_health_check=list(HealthCheck),
    # making a failing one small takes minutes
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
