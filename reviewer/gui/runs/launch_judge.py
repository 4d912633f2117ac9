"""The judge in the launch pane: whether it is reachable, where its key is, and its dialogs."""

from PySide6.QtCore import QObject, Signal

from reviewer.gui.judges.bots_dialog import BotsDialog
from reviewer.gui.judges.dialog import JudgesDialog
from reviewer.gui.judges.opening import open_bots, open_judges
from reviewer.gui.kit import pieces
from reviewer.gui.own_session import beside
from reviewer.gui.page import Surroundings
from reviewer.gui.runs.launch_form import LaunchForm
from reviewer.services.evaluating import trying
from reviewer.services.project.session import Session

ASK = "ask the judge for a word"
ASKING = "asking…"
NOT_ASKED = "○ not tested"


class LaunchJudge(QObject):
    """Fills and answers the judge's rows of the form.

    Signals:
        failed: An expected error, as a sentence.
    """

    failed = Signal(str)

    def __init__(self, surroundings: Surroundings, form: LaunchForm) -> None:
        """Serve a form."""
        super().__init__(form)
        self._surroundings = surroundings
        self._form = form
        self._session: Session | None = None
        self._asking = ""
        self._asked: dict[str, tuple[str, str, str]] = {}
        form.judge_changed.connect(self._show)
        form.test.clicked.connect(lambda *_: self.ask())
        form.edit_judge.clicked.connect(lambda *_: self.open_judges())
        form.set_key.clicked.connect(lambda *_: self.open_judges())
        form.edit_bot.clicked.connect(lambda *_: self.open_bots())
        self._show()

    @property
    def problem(self) -> str:
        """Say what is in the judge's way, nothing where nothing is known to be."""
        chosen = self._form.judge_choice
        if self._form.kind != "judge" or chosen is None:
            return ""
        if chosen.endpoint is None:
            return f"The endpoint {chosen.judge.endpoint} of {chosen.judge.name} is not there."
        if chosen.key is not None and not chosen.key.is_there:
            return f"The key of {chosen.endpoint.name} is {chosen.key.words}; calls will fail."
        return ""

    def open(self, session: Session | None) -> None:
        """Serve a project."""
        self._session = session
        self._asked.clear()
        self._surroundings.tasks.drop(ASK)

    def open_judges(self) -> JudgesDialog | None:
        """Show judges, endpoints, keys and prices, with the chosen judge."""
        if self._session is None:
            return None
        chosen = self._form.judge_choice
        name = chosen.judge.name if chosen is not None else ""
        return open_judges(self._form, self._session, self._surroundings, name)

    def open_bots(self) -> BotsDialog | None:
        """Show the bots."""
        if self._session is None:
            return None
        return open_bots(self._form, self._session, self._surroundings)

    def ask(self) -> None:
        """Ask the chosen judge for a word, beside the window."""
        session, chosen = self._session, self._form.judge_choice
        if session is None or chosen is None:
            return
        if ASK in self._surroundings.tasks.running():
            # nobody waits for the reply of the judge before any more
            self._asked.pop(self._asking, None)
        self._asking = name = chosen.judge.name
        self._note(ASKING, "muted")
        task = self._surroundings.tasks.run(
            ASK, beside(session, lambda own, _: trying.endpoint(own, name))
        )
        task.finished.connect(self._take_reply)
        task.failed.connect(self._take_failure)

    def _take_reply(self, said: object) -> None:
        self._note("● reachable", "adjusted", str(said))

    def _take_failure(self, said: str) -> None:
        self._note("● not reachable", "alert", said)

    def _note(self, words: str, role: str, said: str = "") -> None:
        self._asked[self._asking] = (words, role, said)
        self._show()

    def _show(self) -> None:
        form, chosen = self._form, self._form.judge_choice
        name = chosen.judge.name if chosen is not None else ""
        words, role, said = self._asked.get(name, (NOT_ASKED, "muted", ""))
        form.dot.setText(words)
        form.dot.setToolTip(said)
        pieces.set_property(form.dot, "role", role)
        form.test.setEnabled(chosen is not None and words != ASKING)
        key = chosen.key if chosen is not None else None
        form.key.setText("" if key is None else key.words)
        pieces.set_property(form.key, "role", "" if key is None or key.is_there else "alert")
        form.set_key.setVisible(key is not None and key.place != "not needed")
