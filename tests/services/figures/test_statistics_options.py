from datetime import date
from pathlib import Path

from reviewer.domain.scope import Scope
from reviewer.services.figures.figure_settings import options_of
from reviewer.services.figures.statistics_options import choices
from reviewer.stats.deviations import PUBLISHED, RECOMMENDED
from reviewer.store.project import Project


def test_presets_are_taken_as_they_are() -> None:
    assert options_of("published") == PUBLISHED
    assert options_of("recommended") == RECOMMENDED
    assert options_of("published", (("min_records", "50"),)).min_records == 50


def test_the_scopes_window_wins_over_the_option(tmp_path: Path) -> None:
    day = date(2026, 8, 31)
    with Project.create(tmp_path / "p.review") as project:
        plain = choices(project, Scope(as_of=day))
        assert (plain.span.start, plain.span.end) == (date(2026, 2, 28), day)
        three = choices(project, Scope(as_of=day), options=(("window_months", "3"),))
        assert three.span.start == date(2026, 5, 31)
        one = choices(project, Scope(as_of=day, window_months=1), options=(("window_days", "3"),))
        assert one.span.start == date(2026, 7, 31)
        none = choices(project, Scope(as_of=day, window_months=None))
        assert none.span.start is None
        assert none.options.window_months is None
