"""The Audit page on all runs of the demo, for a lead, from whom it hides nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer.gui.audit import page as page_module
from reviewer.gui.audit.page import AuditPage
from reviewer.gui.audit.scope_card import EVERY_RUN
from reviewer.gui.window import MainWindow


@pytest.fixture(autouse=True)
def first_section(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open the page on Agreement: most tests are about what stands there or beside it."""
    trust, *others = page_module.SECTIONS
    monkeypatch.setattr(page_module, "SECTIONS", (*others, trust))


@pytest.fixture
def page(window: MainWindow, demo: Path, settle: Callable[[], None]) -> AuditPage:
    window.surroundings.settings.set("labeler", "lead")
    assert window.open_project(demo)
    window.show_page("audit")
    settle()
    shown = window.page
    assert isinstance(shown, AuditPage)
    shown.scope.run.pick(EVERY_RUN)
    settle()
    return shown
