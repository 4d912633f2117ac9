"""Over time: what the weeks come to stands above them, and no chart stands empty."""

from collections.abc import Callable
from pathlib import Path

from reviewer.domain.errors import Silent
from reviewer.gui.audit.trend_section import TrendSection
from reviewer.gui.window import MainWindow
from reviewer.services.upkeep import projects
from tests.gui.audit.test_next_steps import audit_of


def test_user_satisfaction_over_time_with_its_deviations(
    window: MainWindow, tmp_path: Path, settle: Callable[[], None]
) -> None:
    path = projects.make_demo(tmp_path / "v.review", "virtual-agent", Silent())
    window.surroundings.settings.set("labeler", "lead")
    page = audit_of(window, path, settle)
    page.scope.choose_metric("user_satisfaction")
    settle()
    row = page.sections.row
    next(x for x in row.buttons if x.text() == TrendSection.title).click()
    settle()
    section = page.sections.of_kind(TrendSection)
    assert page.audit is not None
    gaps = page.audit.document.metrics["user_satisfaction"].gaps
    told = [section.whole.rows.cell(0, at) for at in range(8)]
    assert told[1].words == f"{gaps.auto_mean:.2f}"
    assert told[2].words == f"{gaps.human_mean:.2f}"
    assert (told[4].below, told[5].below) == (
        f"{gaps.deviations.n_higher} higher", f"{gaps.deviations.n_lower} lower",
    )  # fmt: skip
    assert told[7].words == f"{gaps.shown_adjusted.value:.2f}"
    assert section.gaps is not None
    assert section.agreements is not None
    assert section.gaps.isVisible()
    # a scale without levels has no agreement to follow
    assert not section.agreements.isVisible()
    assert "3 were not scored" in section.caption.text()
    page.scope.choose_metric("truthfulness")
    settle()
    assert section.agreements.isVisible()
    assert section.whole.rows.cell(0, 4).words == "—"
