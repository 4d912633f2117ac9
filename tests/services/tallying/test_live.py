"""Live figures equal a full recompute after any sequence of what people do."""

import math
import shutil
import tempfile
from contextlib import closing, suppress
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec import structs

from reviewer.domain.change import EvaluationsChanged, LabelChanged
from reviewer.domain.errors import CancelledError, LabelError
from reviewer.domain.evaluation import Label, SelectionReason
from reviewer.domain.rubric import Grade, Metric, Rubric
from reviewer.domain.run import Scope
from reviewer.services.figures import every_score, figure_settings, figure_table, statistics
from reviewer.services.figures.bands import BandOrScore
from reviewer.services.figures.column_memory import held_back
from reviewer.services.figures.figure_settings import Changes, FigureSettings, kept_options
from reviewer.services.figures.listed_scores import LIVE
from reviewer.services.figures.request import covered
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.figures.statistics_blocks import GapBlock
from reviewer.services.labelling import entering, undo
from reviewer.services.listing import listing
from reviewer.services.project import project_days
from reviewer.services.project.session import Session
from reviewer.services.project.sight import Hidden, hidden_now
from reviewer.services.tallying.live import LiveFigures
from reviewer.services.tallying.live_figures import MetricFigures
from reviewer.services.tallying.live_loading import Tallies, load_tallies
from reviewer.services.tallying.live_views import NO_LEVELS
from reviewer.stats.deviations import PRESETS
from reviewer.store import figures, labelers, labels, shares
from reviewer.store.project import Project
from reviewer.store.shares import Arrived
from tests.building import build_project
from tests.services.figure_projects import MIXED, SCOPE, SIMPLE, again, case, label, score

COUNT = 8
NUMBERS = ("a", "b", "least", "unweighted", "reversed")
EVALUATIONS = st.integers(1, COUNT)
METRICS = st.sampled_from(NUMBERS)
VALUES = st.integers(1, 5)
HIDDEN = Hidden("ann", blind=True)
OPEN_SCOPE = Scope()
KEPT = "published"
OPTIONS: tuple[Changes, ...] = (
    (),
    (("label_combine", "median"),),
    (("label_combine", "latest"), ("derived_labels", "count")),
    (("derived_labels", "count"),),
)
"""How the project may make scores of labels."""
GRADES = (Grade(lowest=1, grade="low"), Grade(lowest=4, grade="high"))


def records() -> list[dict[str, Any]]:
    made = []
    for number in range(1, COUNT + 1):
        scores = [
            score(name, (number * 7 + place * 3) % 5 + 1)
            for place, name in enumerate(("a", "b", "unweighted", "reversed"))
            if (number + place) % 5
        ]
        scores.append(score("tone", ("warm", "cold", "odd")[number % 3]))
        scores.append(score("share", 1 + number / 3))
        found = case(number, scores)
        found["evaluated_at"] = f"2026-{(number * 2) % 9 + 1:02}-15T12:00:00Z"
        if number == COUNT:
            del found["evaluated_at"]
        made.append(found)
    return made


def close(found: float | None, expected: float | None) -> bool:
    if found is None or expected is None:
        return found is expected
    return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9)


def alike(found: BandOrScore, expected: BandOrScore) -> bool:
    same = (found.gate, found.mark) == (expected.gate, expected.mark)
    return same and close(found.value, expected.value)


def assert_gaps(found: MetricFigures, block: GapBlock) -> None:
    assert found.n_auto == block.n_auto
    for name in ("n_labelled", "n_higher", "n_lower", "n_equal", "status", "band_source"):
        assert getattr(found.deviations, name) == getattr(block.deviations, name), name
    for name in ("upper", "lower", "band", "gap_mean"):
        mine, theirs = getattr(found.deviations, name), getattr(block.deviations, name)
        assert close(mine, theirs), (found.name, name, mine, theirs)
    for name in ("auto_mean", "human_mean", "adjusted_mean"):
        mine, theirs = getattr(found, name), getattr(block, name)
        assert close(mine, theirs), (found.name, name, mine, theirs)
    assert alike(found.shown_band, block.shown_band)
    assert alike(found.shown_adjusted, block.shown_adjusted)
    assert sum(n for _, n in found.gaps) in (0, block.deviations.n_labelled)


class PeopleAtWork(RuleBasedStateMachine):
    options: tuple[tuple[str, str], ...] = ()

    def load(self) -> Tallies:
        kept = FigureSettings(KEPT, self.options)
        return load_tallies(self.path, OPEN_SCOPE, HIDDEN, settings=kept)

    def __init__(self) -> None:
        super().__init__()
        self.presets = dict(PRESETS)
        for name, options in self.presets.items():
            PRESETS[name] = replace(options, min_records=2)
        self.day = date(2026, 8, 31)
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(project_days, "today", lambda _: self.day)
        self.folder = Path(tempfile.mkdtemp(prefix="live-"))
        self.path = build_project(
            self.folder / "live.review", evaluations=records(), rubric=MIXED, runs=("r1",)
        )
        self.ann = Session.open(self.path, "ann")
        self.bob = Session.open(self.path, "bob")

    @initialize(
        before=st.lists(st.tuples(EVALUATIONS, METRICS, VALUES), max_size=6),
        options=st.sampled_from(OPTIONS),
    )
    def gather(self, before: list[tuple[int, str, int]], options: Changes) -> None:
        self.options = options
        words = figure_settings.as_text(FigureSettings(KEPT, options))
        figure_settings.change(self.ann, KEPT, words)
        for evaluation, metric, value in before:
            entering.commit(self.ann, evaluation, metric, value)
        tallies = self.load()
        for evaluation, metric, value in before[:2]:
            entering.commit(self.bob, evaluation, metric, 6 - value)
        self.live = LiveFigures(self.ann, tallies)

    @rule(evaluation=EVALUATIONS, metric=METRICS, value=VALUES)
    def label(self, evaluation: int, metric: str, value: int) -> None:
        entering.commit(self.ann, evaluation, metric, value)

    @rule(evaluation=EVALUATIONS, metric=METRICS)
    def not_applicable(self, evaluation: int, metric: str) -> None:
        entering.not_applicable(self.ann, evaluation, metric)

    @rule(evaluation=EVALUATIONS, tone=st.sampled_from(("warm", "cold")), share=st.floats(1, 5))
    def other_scales(self, evaluation: int, tone: str, share: float) -> None:
        entering.commit(self.ann, evaluation, "tone", tone)
        entering.commit(self.bob, evaluation, "share", share)
        self.ann.poll()

    @rule(evaluation=EVALUATIONS, metric=METRICS)
    def withdraw(self, evaluation: int, metric: str) -> None:
        conn = self.ann.project.conn
        mine = [x for x in labels.current(conn, evaluation) if x.label.labeler == "ann"]
        if any(x.label.metric == metric for x in mine):
            entering.withdraw(self.ann, evaluation, metric)

    @rule(way=st.sampled_from(("random", "stratum", "browse", "disputed", "active")))
    def label_from_another_queue(self, way: SelectionReason) -> None:
        self.ann.selection_reason = self.bob.selection_reason = way

    @rule(days=st.integers(1, 120))
    def midnight(self, days: int) -> None:
        """Leave the window open until another day."""
        self.day += timedelta(days=days)

    @rule(evaluation=EVALUATIONS, metric=st.sampled_from(("a", "b", "reversed")), value=VALUES)
    def judge_again(self, evaluation: int, metric: str, value: int) -> None:
        """Score an evaluation while the window is open; figures are then gathered anew."""
        project = self.ann.project
        number = figures.metric_keys(project)[metric]
        with project.write() as conn:
            conn.execute(
                "UPDATE scores SET value = ? WHERE evaluation = ? AND metric = ?",
                (value, evaluation, number),
            )
            conn.execute(
                "INSERT OR IGNORE INTO scores(evaluation, metric, score_set, value, latest) "
                "VALUES (?, ?, 1, ?, 1)",
                (evaluation, number, value),
            )
        self.ann.publish(EvaluationsChanged("imported"))
        assert not self.live.ready
        self.live.close()
        self.live = LiveFigures(self.ann, self.load())

    @rule()
    def undo(self) -> None:
        # reveals are passed over, in words
        with suppress(LabelError):
            undo.undo(self.ann)

    @rule()
    def redo(self) -> None:
        undo.redo(self.ann)

    @rule(evaluation=EVALUATIONS)
    def skip(self, evaluation: int) -> None:
        entering.toggle_skip(self.ann, evaluation)

    @rule(evaluation=EVALUATIONS)
    def reveal(self, evaluation: int) -> None:
        entering.reveal(self.ann, evaluation)

    @rule(evaluation=EVALUATIONS, metric=METRICS, value=VALUES)
    def somebody_else(self, evaluation: int, metric: str, value: int) -> None:
        entering.commit(self.bob, evaluation, metric, value)
        self.ann.poll()

    @rule(evaluation=EVALUATIONS, metric=METRICS, value=VALUES)
    def somebody_else_unseen(self, evaluation: int, metric: str, value: int) -> None:
        entering.commit(self.bob, evaluation, metric, value)

    @rule(evaluation=EVALUATIONS, metric=METRICS, value=VALUES)
    def decide(self, evaluation: int, metric: str, value: int) -> None:
        decision = Label(
            evaluation=evaluation, metric=metric, labeler="lead", value=value,
            kind="adjudication",
        )  # fmt: skip
        project = self.bob.project
        with project.write() as conn:
            labels.append(
                conn,
                structs.replace(decision, seq=project.next_seq(), at=labels.live_time(())),
                metric=labels.metric_key(conn, metric),
                labeler=labelers.ensure(conn, "lead"),
                revision=1,
            )
        self.ann.poll()

    @rule(evaluation=EVALUATIONS)
    def finish(self, evaluation: int) -> None:
        for place, metric in enumerate(NUMBERS):
            entering.commit(self.ann, evaluation, metric, (evaluation + place) % 5 + 1)
        entering.commit(self.ann, evaluation, "share", 2.5)
        entering.commit(self.ann, evaluation, "tone", "odd")

    @precondition(lambda self: hasattr(self, "live"))
    @invariant()
    def equal_to_a_full_recompute(self) -> None:
        self.ann.poll()
        held = held_back(self.ann.project, HIDDEN)
        for preset in PRESETS:
            document = statistics.compute(
                self.ann.project,
                StatsRequest(scope=OPEN_SCOPE, preset=preset, options=self.options),
                held,
            )
            for name, block in document.metrics.items():
                found = self.live.metric(name)
                assert found is not None
                if preset == KEPT:
                    assert_gaps(found, block.gaps)
                    expected = block.judge_human["kappa_quadratic"]
                    if name == "tone":
                        expected = block.judge_human["kappa"]
                    assert close(found.kappa, expected), (name, found.kappa, expected)
                    counted = block.judge_human
                    n = counted.n_table if block.confusion.table else counted.n
                    # an overall has no levels, so that nothing is behind its kappa
                    assert found.kappa_reason == NO_LEVELS or found.n_pairs == n, name
                    assert (found.kappa is None) == (found.kappa_reason is not None)
                if name != "tone":
                    beside = found.presets[preset]
                    assert beside.deviations.n_labelled == block.gaps.deviations.n_labelled
                    assert alike(beside.adjusted, block.gaps.shown_adjusted)
                    assert alike(beside.band, block.gaps.shown_band)
            whole = self.live.overall()
            assert whole is not None
            if preset == KEPT:
                assert_gaps(whole, document.satisfaction)
            beside = whole.presets[preset]
            assert alike(beside.adjusted, document.satisfaction.shown_adjusted)
            assert beside.deviations.n_labelled == document.satisfaction.deviations.n_labelled

    @precondition(lambda self: hasattr(self, "live"))
    @invariant()
    def evaluations_equal_the_columns(self) -> None:
        project = self.ann.project
        scope = covered(project, OPEN_SCOPE)
        table = figure_table.load(
            project, OPEN_SCOPE, rubric=scope.rubric, within=scope.within,
            options=kept_options(project, scope.rubric), held=held_back(project, HIDDEN),
        )  # fmt: skip
        whole = table.overall()
        for place, key in enumerate(table.keys.tolist()):
            found = self.live.evaluation(key)
            if not found.metrics:
                continue
            for name, one in table.metrics.items():
                if name == "tone":
                    continue
                auto, human = (
                    None if math.isnan(x[place]) else float(x[place])
                    for x in (one.auto, one.human.score)
                )
                assert close(found.metrics[name].auto, auto), name
                assert close(found.metrics[name].human, human), name
            gap = None if math.isnan(whole.gap[place]) else float(whole.gap[place])
            assert close(found.overall.gap, gap)
            assert found.overall.mixed == bool(whole.mixed[place])
            (row,) = listing.rows(self.ann, [key])
            assert close(row.gap, gap)
            del self.ann.kept[LIVE]
            (row,) = listing.rows(self.ann, [key])
            self.ann.kept[LIVE] = self.live
            assert close(row.gap, gap)

    @precondition(lambda self: hasattr(self, "live"))
    @invariant()
    def nothing_of_a_hidden_evaluation_shows(self) -> None:
        table = held_back(self.ann.project, HIDDEN)
        for key in table.evaluations.tolist() if table else ():
            assert self.live.evaluation(key).metrics == {}

    def teardown(self) -> None:
        self.ann.close()
        self.bob.close()
        shutil.rmtree(self.folder)
        PRESETS.update(self.presets)
        self.patch.undo()


class MajoritiesAtWork(PeopleAtWork):
    options = (("label_table", "majority"), ("selection", "all"))


class LatestAtWork(PeopleAtWork):
    options = (("label_combine", "latest"), ("selection", "all"))


TestPeopleAtWork = PeopleAtWork.TestCase
TestMajoritiesAtWork = MajoritiesAtWork.TestCase
TestLatestAtWork = LatestAtWork.TestCase
# making a failing one small takes minutes
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
TestMajoritiesAtWork.settings = TestLatestAtWork.settings = settings(
    deadline=None, max_examples=6, stateful_step_count=15, print_blob=True, phases=PHASES
)
TestPeopleAtWork.settings = settings(
    deadline=None, max_examples=12, stateful_step_count=20, print_blob=True, phases=PHASES
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return build_project(tmp_path / "live.review", evaluations=records(), rubric=MIXED)


def live(session: Session) -> LiveFigures:
    return LiveFigures(session, load_tallies(session.project.path, SCOPE, hidden_now(session)))


def metric(source: LiveFigures, name: str = "a") -> MetricFigures:
    found = source.metric(name)
    assert found is not None
    return found


def test_answers_on_hidden_evaluations_are_held_back_until_the_reveal(path: Path) -> None:
    with closing(Session.open(path, "ann")) as session:
        source = live(session)
        entering.commit(session, 1, "a", 5)
        entering.commit(session, 1, "b", 4)
        assert metric(source).n_pairs == 0
        assert metric(source).held_back == 1
        assert source.overall().held_back == 2  # type: ignore[union-attr]
        entering.reveal(session, 1)
        assert metric(source).n_pairs == 1
        assert metric(source).held_back == 0
        assert source.evaluation(1).metrics["a"].human == 5
        assert source.evaluation(1).metrics["least"].derived


def test_answers_held_back_at_loading_count_after_the_reveal(path: Path) -> None:
    with closing(Session.open(path, "ann")) as session:
        entering.commit(session, 1, "a", 5)
        source = live(session)
        assert metric(source).held_back == 1
        assert metric(source).n_pairs == 0
        entering.reveal(session, 1)
        assert (metric(source).held_back, metric(source).n_pairs) == (0, 1)


def test_without_blind_labelling_answers_count_at_once(path: Path) -> None:
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        source = live(session)
        entering.commit(session, 1, "a", 5)
        assert (metric(source).held_back, metric(source).n_pairs) == (0, 1)
        assert source.evaluation(2).metrics["a"].auto is not None


def test_figures_are_true_before_a_page_hears_of_the_change(path: Path) -> None:
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        heard: list[int] = []
        source: list[LiveFigures] = []

        def page(change: object) -> None:
            if isinstance(change, LabelChanged):
                heard.append(metric(source[0]).n_pairs)

        session.subscribe(page)
        source.append(live(session))
        entering.commit(session, 1, "a", 5)
        assert heard == [1]


def test_another_labeler_or_new_evaluations_need_loading_anew(path: Path) -> None:
    with closing(Session.open(path, "ann")) as session:
        source = live(session)
        assert source.ready
        session.set_labeler("bob")
        assert not source.ready
        session.set_labeler("ann")
        assert source.ready
        session.publish(EvaluationsChanged("imported"))
        assert not source.ready


def test_a_score_set_that_arrived_while_loading_needs_loading_anew(path: Path) -> None:
    with closing(Session.open(path, "ann")) as session:
        tallies = load_tallies(path, SCOPE, HIDDEN)
        with session.project.write() as conn:
            conn.execute("INSERT INTO score_sets(scorer) VALUES ('another')")
        assert not LiveFigures(session, tallies).ready


def bring_score(project: Project, key: int) -> None:
    """Add a score to an evaluation that has none, as the process does that asks the hub."""
    arrived = Arrived(key, (1, "agent v7"), {"scores": [score("a", 4)]})
    assert shares.unite(project, [arrived], lambda *_: None).scores == 1


def test_a_score_that_comes_from_a_hub_enters_every_figure(tmp_path: Path) -> None:
    cases = [case(n, [] if n == 1 else [score("a", 2)]) for n in (1, 2)]
    path = build_project(tmp_path / "late.review", evaluations=cases, rubric=SIMPLE)
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        source = live(session)
        for key in (1, 2):
            entering.commit(session, key, "a", 5)
        assert (metric(source).n_pairs, source.gap_of(1)) == (1, (True, None))
        assert every_score.gaps_of(session, [1, 2]) == {2: 3}
        tallies = load_tallies(path, SCOPE, hidden_now(session))
        with Project.open(path) as other:
            bring_score(other, 1)
        assert not LiveFigures(session, tallies).ready
        session.poll()
        assert not source.ready
        source = live(session)
        assert (metric(source).n_pairs, source.evaluation(1).metrics["a"].auto) == (2, 4)
        assert every_score.gaps_of(session, [1, 2]) == {1: 1, 2: 3}


def test_the_judge_that_counts_is_read_beside_the_window(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Session.open(path, "ann")) as session:
        scope = Scope(runs=session.run_names()[:1])
        run = session.run_keys()[0]
        found = {name: session.chosen(run, name) for name in ("a", "b", "tone", "share", "least")}
    monkeypatch.setattr("reviewer.services.project.session.chosen_score_set", None)
    with closing(Session.open(path, "ann")) as session:
        LiveFigures(session, load_tallies(path, scope, HIDDEN))
        assert {name: session.chosen(run, name) for name in found} == found


def test_a_run_that_went_while_its_figures_were_read(path: Path) -> None:
    with closing(Session.open(path, "ann")) as session:
        tallies = load_tallies(path, Scope(runs=session.run_names()[:1]), HIDDEN)
        with session.project.write() as conn:
            conn.execute("UPDATE runs SET name = 'another'")
        assert LiveFigures(session, tallies).metric("nothing") is None


def test_closed_figures_follow_no_longer(path: Path) -> None:
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        source = live(session)
        source.close()
        entering.commit(session, 1, "a", 5)
        assert metric(source).n_pairs == 0
        assert not source.ready


def test_an_unknown_metric_has_no_figures(path: Path) -> None:
    with closing(Session.open(path, "ann")) as session:
        assert live(session).metric("nothing") is None


def test_the_interval_is_kept_until_the_table_changes(tmp_path: Path) -> None:
    cases = [
        case(n, [score("a", n % 5 + 1)], [label("a", (n * 3) % 5 + 1, "bob")])
        for n in range(1, 41)
    ]
    path = build_project(tmp_path / "p.review", evaluations=cases, rubric=SIMPLE)
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        source = live(session)
        assert metric(source).kappa_interval is not None
        assert source.metric("a", interval=False).kappa_interval is not None  # type: ignore[union-attr]
        entering.commit(session, 1, "a", 1)
        without = source.metric("a", interval=False)
        assert without is not None
        assert without.kappa_interval is None
        found = metric(source)
        block = figures_of_a(path)
        assert found.kappa_interval == tuple(block["intervals"]["kappa_quadratic"])


def figures_of_a(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = again(path)["metrics"]["a"]["agreement"]["judge_human"]
    return found


def test_the_window_moves_with_the_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [
        case(n, [score("a", 3)], [label("a", 4, "bob")], evaluated_at=f"2026-0{n}-10")
        for n in range(1, 7)
    ]
    path = build_project(tmp_path / "p.review", evaluations=cases, rubric=SIMPLE)
    today = [date(2026, 7, 9)]
    monkeypatch.setattr(project_days, "today", lambda _: today[0])
    with closing(Session.open(path, "ann")) as session:
        source = LiveFigures(session, load_tallies(path, Scope(), HIDDEN))
        assert metric(source).n_labelled == 6
        today[0] = date(2026, 7, 11)
        assert metric(source).n_labelled == 5
        assert metric(source).n_pairs == 6
        assert source.overall().n_labelled == 5  # type: ignore[union-attr]


def test_an_evaluation_outside_the_scope_has_its_own_figures(tmp_path: Path) -> None:
    cases = [case(1, [score("a", 2)], run="r1"), case(2, [score("a", 4)], run="r2")]
    path = build_project(
        tmp_path / "p.review", evaluations=cases, rubric=SIMPLE, runs=("r1", "r2")
    )
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        scope = Scope(runs=("r1",), as_of=SCOPE.as_of)
        source = LiveFigures(session, load_tallies(path, scope, Hidden("ann")))
        entering.commit(session, 2, "a", 5)
        assert metric(source).n_auto == 1
        assert metric(source).n_pairs == 0
        found = source.evaluation(2)
        assert (found.metrics["a"].auto, found.metrics["a"].gap) == (4, 1)
        assert (found.overall.auto_verdict, found.overall.human_verdict) == ("pass", "pass")


def test_grade_and_title_of_the_overall_come_from_the_rubric(tmp_path: Path) -> None:
    rubric = replace(MIXED, grades=GRADES)
    cases = [case(1, [score(name, 5) for name in ("a", "b")])]
    path = build_project(tmp_path / "p.review", evaluations=cases, rubric=rubric)
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        source = live(session)
        assert source.evaluation(1).overall.grade == "high"
        whole = source.overall()
        assert whole is not None
        assert whole.title == "Satisfaction"


def test_a_rubric_of_one_category_has_no_overall(tmp_path: Path) -> None:
    rubric = Rubric(
        name="tone", metrics=(Metric(name="tone", scale="categorical", values=("x", "y")),)
    )
    cases = [case(n, [score("tone", "xy"[n % 2])], [label("tone", "x", "bob")]) for n in (1, 2)]
    path = build_project(tmp_path / "p.review", evaluations=cases, rubric=rubric)
    with closing(Session.open(path, "ann")) as session:
        source = live(session)
        assert source.overall() is None
        found = metric(source, "tone")
        assert (found.n_labelled, found.deviations.n_equal, found.kappa) == (2, 1, 0)
        assert found.human_mean is None


def test_loading_stops_when_nobody_waits(path: Path) -> None:
    class Stopped:
        cancelled = True

        def advance(self, done: int, total: int | None, note: str = "") -> None: ...

    with pytest.raises(CancelledError):
        load_tallies(path, SCOPE, HIDDEN, progress=Stopped())


def test_the_first_label_of_a_metric_that_nothing_scored_counts(tmp_path: Path) -> None:
    path = build_project(tmp_path / "p.review", evaluations=[case(1)], rubric=SIMPLE)
    with Project.open(path) as project, project.write() as conn:
        conn.execute("DELETE FROM metrics")
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        source = live(session)
        entering.commit(session, 1, "a", 5)
        assert source.evaluation(1).metrics["a"].human == 5


def test_only_the_scopes_people_count(path: Path) -> None:
    with closing(Session.open(path, "ann")) as session, closing(Session.open(path, "bob")) as bob:
        entering.commit(bob, 1, "b", 5)
        scope = Scope(as_of=SCOPE.as_of, labelers=("bob",))
        session.blind = False
        source = LiveFigures(session, load_tallies(path, scope, Hidden("ann")))
        entering.commit(session, 1, "b", 1)
        assert source.evaluation(1).metrics["b"].human == 5
