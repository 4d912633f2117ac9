"""Live figures follow every option of figures, and the settings of the project."""

import math
from contextlib import closing
from datetime import UTC, date, datetime, tzinfo
from pathlib import Path
from typing import Any, Self

import pytest

from reviewer.domain.run import Scope
from reviewer.services.figures import figure_settings, figure_table, statistics
from reviewer.services.figures.figure_settings import FigureSettings, options_of
from reviewer.services.figures.request import covered
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.figures.statistics_blocks import GapBlock
from reviewer.services.labelling import entering
from reviewer.services.project import project_days
from reviewer.services.project.figure_rules import is_overall
from reviewer.services.project.session import Session
from reviewer.services.project.sight import Hidden
from reviewer.services.tallying.live import LiveFigures
from reviewer.services.tallying.live_figures import MetricFigures
from reviewer.services.tallying.live_loading import load_tallies
from reviewer.stats.deviations import DeviationOptions
from reviewer.stats.overall_columns import FAIL, OPEN, PASS
from reviewer.store.project import Project
from tests.building import build_project
from tests.services.figure_projects import MIXED, SCOPE, SIMPLE, case, label, score

CHANGES = [
    {},
    {"min_records": "1", "deviation_rule": "ge"},
    {"min_records": "1", "band_gate": "labelled", "clip": "hard"},
    {"min_records": "1", "band_gate": "sum", "composite_band": "metrics"},
    {"min_records": "1", "top_which": "recent", "top_num": "1", "top_den": "2"},
    {"min_records": "1", "band_gate": "any", "one_sided": "mean_gap", "exclude_mixed": "true"},
    {"min_records": "1", "require_weighted_label": "true", "deviation_denominator": "labelled"},
    {"label_combine": "median"},
    {"label_combine": "latest", "min_records": "1", "band_gate": "labelled"},
    {"label_combine": "consensus"},
    {"derived_labels": "count"},
    {"derived_labels": "count", "label_combine": "median", "exclude_mixed": "true"},
    {"window_date": "label", "min_records": "1", "band_gate": "labelled"},
    {"window_months": "none", "rescale": "ratio"},
    {"window_days": "20", "min_labelled": "3"},
    {"label_table": "majority"},
    {"label_table": "majority", "label_combine": "latest"},
    {"selection": "all"},
    {"band_selection": "drawn", "min_records": "1", "band_gate": "labelled"},
]


CROWD = ("eve", "fay", "gil", "hal", "ida")
"""So many that a consensus can weigh them."""


def records() -> list[dict[str, Any]]:
    made = []
    for number in range(1, 13):
        scores = [
            score(name, (number * 7 + place * 3) % 5 + 1)
            for place, name in enumerate(("a", "b", "unweighted", "reversed"))
            if (number + place) % 5
        ]
        given = [
            label(name, (number * 5 + place + len(who)) % 5 + 1, who, at=at(number * 3 + place))
            for place, (name, who) in enumerate((("a", "bo"), ("b", "cyd"), ("a", "dora")))
            if (number + place) % 3
        ]
        given += [label("b", number % 5 + 1, who) for who in CROWD]
        if not number % 4:
            given.append(label("a", 5, "lead", kind="adjudication", at=at(number)))
        made.append(case(number, scores, given, evaluated_at=at(number * 9)))
    return made


def at(day: int) -> str:
    return f"2026-0{6 + day // 28 % 3}-{day % 28 + 1:02}T12:00:00Z"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return build_project(tmp_path / "p.review", evaluations=records(), rubric=MIXED)


def same(found: MetricFigures, block: GapBlock) -> None:
    mine = found.deviations
    assert (found.n_auto, mine.n_labelled) == (block.n_auto, block.deviations.n_labelled)
    assert (mine.n_higher, mine.n_lower) == (block.deviations.n_higher, block.deviations.n_lower)
    for name in ("upper", "lower", "gap_mean"):
        assert getattr(mine, name) == pytest.approx(getattr(block.deviations, name)), name
    assert mine.band == pytest.approx(block.band)
    assert found.human_mean == pytest.approx(block.human_mean)
    assert found.adjusted_mean == pytest.approx(block.adjusted_mean)


def same_cases(project: Project, live: LiveFigures, options: DeviationOptions) -> None:
    """Every response says by itself what the columns of all say of it."""
    found = covered(project, SCOPE)
    table = figure_table.load(
        project, SCOPE, rubric=found.rubric, within=found.within, options=options
    )
    whole = table.overall()
    verdicts = {PASS: "pass", FAIL: "fail", OPEN: "incomplete"}
    autos, humans = table.auto_verdicts(), table.human_verdicts()
    for place, key in enumerate(table.keys.tolist()):
        case = live.evaluation(key)
        for name, one in table.metrics.items():
            if not one.metric.is_numeric:
                continue
            mine = case.metrics[name]
            assert known(one.auto[place]) == pytest.approx(mine.auto), (key, name)
            if not is_overall(one.metric):
                assert known(one.human.score[place]) == pytest.approx(mine.human), (key, name)
            shown = mine.from_parts if mine.human is None else mine.human
            assert known(one.shown.score[place]) == pytest.approx(shown), (key, name)
        assert known(whole.auto[place]) == pytest.approx(case.overall.auto)
        assert known(whole.gap[place]) == pytest.approx(case.overall.gap)
        assert whole.covered[place] == pytest.approx(case.overall.covered)
        assert bool(whole.mixed[place]) == case.overall.mixed
        assert verdicts[int(autos[place])] == case.overall.auto_verdict
        assert verdicts[int(humans[place])] == case.overall.human_verdict


def known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: "-".join(change) or "none")
@pytest.mark.parametrize("preset", ["published", "recommended"])
def test_each_option_means_the_same_in_both(
    path: Path, preset: str, change: dict[str, str]
) -> None:
    options = tuple(change.items())
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        tallies = load_tallies(
            path, SCOPE, Hidden("ann"), settings=FigureSettings(preset, options)
        )
        live = LiveFigures(session, tallies)
        same_cases(session.project, live, options_of(preset, options))
        for evaluation, value in ((1, 5), (2, 1), (3, 4), (1, 2)):
            entering.commit(session, evaluation, "a", value)
            entering.commit(session, evaluation, "b", 6 - value)
        entering.withdraw(session, 2, "a")
        # where one more label may move every score, all are gathered anew
        assert live.ready == (change.get("label_combine") != "consensus")
        if not live.ready:
            live.close()
            settings = FigureSettings(preset, options)
            tallies = load_tallies(path, SCOPE, Hidden("ann"), settings=settings)
            live = LiveFigures(session, tallies)
        same_cases(session.project, live, options_of(preset, options))
        request = StatsRequest(scope=SCOPE, preset=preset, options=options)
        document = statistics.compute(session.project, request)
        for name in ("a", "b", "least", "unweighted", "reversed", "satisfaction"):
            found = live.metric(name, interval=False)
            assert found is not None
            same(found, document.metrics[name].gaps)
            assert found.made_by.changed == tuple(change)
        whole = live.overall()
        assert whole is not None
        same(whole, document.satisfaction)


def test_the_project_says_how_its_figures_are_computed(path: Path) -> None:
    kept = FigureSettings("recommended", (("min_records", "2"), ("clip", "none")))
    with Project.open(path) as project:
        assert figure_settings.read(project) == FigureSettings()
        figure_settings.write(project, kept)
        found = statistics.compute(project, StatsRequest(scope=SCOPE))
        assert (found.preset, found.options.min_records) == ("recommended", 2)
        other = statistics.compute(project, StatsRequest(scope=SCOPE, preset="published"))
        assert (other.preset, other.options.min_records) == ("published", 30)
        more = statistics.compute(
            project, StatsRequest(scope=SCOPE, options=(("min_records", "3"),))
        )
        assert (more.preset, more.options.min_records) == ("recommended", 3)
    tallies = load_tallies(path, SCOPE, Hidden("ann", blind=True))
    assert (tallies.choices.preset, tallies.choices.options) == ("recommended", found.options)


def test_damaged_settings_are_the_defaults(path: Path) -> None:
    with Project.open(path) as project:
        for text in ("{", "[]", '{"preset": "x", "options": {}}', '{"preset": "published"}'):
            project.set_setting(figure_settings.KEY, text)
            assert figure_settings.read(project) == FigureSettings()


def test_midnight_comes_in_the_zone_of_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = [case(1, [score("a", 3)], [label("a", 4, "bob")], evaluated_at="2026-07-10")]
    path = build_project(tmp_path / "p.review", evaluations=cases, rubric=SIMPLE)
    with Project.open(path) as project:
        project.set_setting("time_zone", "Pacific/Auckland")
    now = [datetime(2026, 7, 9, 11, 59, tzinfo=UTC)]

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls.fromtimestamp(now[0].timestamp(), tz)

    monkeypatch.setattr(project_days, "datetime", Clock)
    with closing(Session.open(path, "ann")) as session:
        live = LiveFigures(session, load_tallies(path, Scope(), Hidden("ann", blind=True)))

        def shown() -> tuple[int, date | None]:
            found = live.metric("a")
            assert found is not None
            return found.n_labelled, found.made_by.until

        # in Auckland it is still the ninth, and the evaluation of the tenth lies ahead
        assert shown() == (0, date(2026, 7, 9))
        now[0] = datetime(2026, 7, 9, 12, 1, tzinfo=UTC)
        assert shown() == (1, date(2026, 7, 10))
        document = statistics.compute(session.project, StatsRequest())
        assert document.metrics["a"].gaps.deviations.n_labelled == 1


def test_one_class_that_dominates_is_said_while_people_label(tmp_path: Path) -> None:
    pairs = [(4, 4)] * 45 + [(4, 1)] * 2 + [(1, 4)] * 2
    cases = [
        case(n, [score("a", auto)], [label("a", human, "bob")])
        for n, (auto, human) in enumerate(pairs)
    ]
    cases.append(case("open", [score("a", 1)]))
    path = build_project(tmp_path / "p.review", evaluations=cases, rubric=SIMPLE)
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        live = LiveFigures(session, load_tallies(path, SCOPE, Hidden("ann")))

        def note() -> str | None:
            found = live.metric("a", interval=False)
            assert found is not None
            return found.note

        document = statistics.compute(session.project, StatsRequest(scope=SCOPE))
        assert note() == document.metrics["a"].judge_human.note
        assert "elsewhere (n = 2) in 0 %" in (note() or "")
        entering.commit(session, 50, "a", 1)
        assert "elsewhere (n = 3) in 33 %" in (note() or "")
