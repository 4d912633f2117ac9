"""What the pane says of judges that were asked for a word."""

from collections.abc import Callable
from contextlib import closing

from reviewer.domain.judging import Judge
from reviewer.gui.runs.launch_judge import ASKING, NOT_ASKED
from reviewer.gui.runs.launch_pane import LaunchPane
from reviewer.services.judging import judges
from reviewer.services.project.session import Session
from tests.gui.jobs.conftest import Desk, Provider
from tests.servers.model_server import Answer


def test_a_judge_whose_reply_nobody_waits_for_can_be_asked_again(
    pane: LaunchPane, desk: Desk, provider: Provider, settle: Callable[[], None]
) -> None:
    with closing(Session.open(desk.path)) as session:
        judges.keep(session, Judge(name="other", endpoint="near", model="m"))
    pane.refresh()
    desk.wait(lambda: pane.form.judge.count() == 2)
    first, second = (pane.form.judge.findData(x) for x in ("careful", "other"))
    provider.answer = lambda _n, _b: Answer(delay=0.5)
    pane.form.judge.setCurrentIndex(first)
    pane.form.test.click()
    assert pane.form.dot.text() == ASKING
    pane.form.judge.setCurrentIndex(second)
    provider.answer = lambda _n, _b: Answer("{}")
    pane.form.test.click()
    desk.wait(lambda: pane.form.dot.text() == "● reachable")
    pane.form.judge.setCurrentIndex(first)
    settle()
    assert pane.form.dot.text() == NOT_ASKED
    assert pane.form.test.isEnabled()
