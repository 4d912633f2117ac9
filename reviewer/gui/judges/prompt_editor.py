"""The prompts of a rubric's metrics: written, checked, compared by version, tried, kept."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget
from typing_extensions import override

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Prompt
from reviewer.domain.rubric import Rubric
from reviewer.gui.background import beside
from reviewer.gui.judges.prompt_trial import PromptTrial
from reviewer.gui.judges.template_field import InsertButton, TemplateField
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.number_field import choice
from reviewer.gui.kit.tasks import soon
from reviewer.gui.page import ProjectDialog, ProjectSurroundings
from reviewer.services.jobs import launching
from reviewer.services.judging import prompts

SETTLE_MS = 200
KEYS = "prompt-evaluations"


class PromptEditor(QWidget):
    """One metric's prompt; a compact one stands in a pane, a large one in a dialog.

    Signals:
        changed: The text is another one, by typing or by choosing a version.
        kept: A new version was kept, as a `Prompt`.
        large_requested: The large editor is wanted.
    """

    changed = Signal()
    kept = Signal(object)
    large_requested = Signal()

    def __init__(self, surroundings: ProjectSurroundings, *, compact: bool = True) -> None:
        """Make the editor empty; `show_prompt` gives it a metric."""
        super().__init__()
        self._surroundings, self._theme = surroundings, surroundings.theme
        self._session = surroundings.session
        self._rubric: Rubric | None = None
        self.metric_name = self._judge = ""
        self._keys_given = False
        self._compact = compact
        self.title = pieces.ElidedText("Prompt", "strong")
        self.difference = pieces.ElidedText("", "muted")
        self.versions = PromptVersions(compact=compact)
        self.field = TemplateField(self._theme, "Prompt")
        self.problem = pieces.text("", "alert", wrap=True, name="What is wrong with the prompt")
        self.insert = InsertButton(self.field, prompts.VARIABLES)
        self.revert = pieces.Button("Revert", self._revert, dense=True)
        self.save = pieces.Button("Keep", self.keep, dense=True, name="Keep as a new version")
        self.large = pieces.Button("Larger…", self.large_requested.emit, dense=True)
        if not compact:
            # an unparented widget that is told to be visible would be a window
            self.large.hide()
        self.trial = PromptTrial(surroundings, compact=compact)
        self._soon = soon(self, self._settle, SETTLE_MS)
        pieces.connect(
            (self.field.textChanged, self._typed),
            (self.versions.version_chosen, lambda found: self._show_text(found.text)),
            (self.versions.base_changed, self._compare),
            (self._theme.changed, self._compare),
        )
        self.write_column, self.trial_column = QVBoxLayout(), QVBoxLayout()
        gap = self._theme.px(6)
        head, foot = QHBoxLayout(), layouts.FlowLayout(together=True, pushed_from=2)
        layouts.fill(head, self.title, (self.difference, 1))
        layouts.fill(foot, self.insert, self.large, self.revert, self.save)
        write, tried = self.write_column, self.trial_column
        for column in (write, tried):
            column.setSpacing(gap)
        layouts.fill(write, head, self.versions, (self.field, 1), self.problem, foot)
        tried.addWidget(self.trial)
        self.field.setMinimumHeight(self._theme.px(150))
        whole = QVBoxLayout(self) if self._compact else QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(self._theme.px(10 if self._compact else 16))
        layouts.fill(whole, (write, 1), (tried, 0 if self._compact else 1))
        self.problem.hide()

    def show_prompt(
        self,
        rubric: Rubric,
        metric: str,
        *,
        judge: str = "",
        keys: Sequence[int] = (),
    ) -> None:
        """Show the prompt that a judge asks with; of the same metric what is in view stays.

        Args:
            rubric: of the evaluations.
            metric: its name.
            judge: by name, who is asked; without one nothing can be asked.
            keys: evaluations to try it on; without any, labelled ones are looked for.
        """
        shown = (self._rubric and self._rubric.name, self.metric_name)
        same = shown == (rubric.name, metric)
        other_judge, self._judge = judge != self._judge, judge
        self._rubric, self.metric_name = rubric, metric
        self.trial.show_prompt(metric, judge=judge)
        self._read_versions()
        if not same or (other_judge and not self.is_changed):
            self._show_text(prompts.of_judge(self._session, rubric, metric, judge).text)
        else:
            self._settle()
        self._keys_given = bool(keys)
        if keys:
            self.trial.show_keys(keys)
        elif not same:
            self._surroundings.tasks.run(
                KEYS,
                beside(self._session, lambda own, _: prompts.at_hand(own, rubric.name)),
                then=self._take_keys,
            )

    @property
    def text(self) -> str:
        """Give the text as it stands in the field."""
        return self.field.toPlainText()

    def set_text(self, text: str) -> None:
        """Put another text into the field, to be kept or not."""
        self.field.setPlainText(text)

    @property
    def is_changed(self) -> bool:
        """Tell whether the text is no kept version's."""
        return bool(self.versions.every) and self.versions.same_as(self.text) is None

    def keep(self) -> Prompt | None:
        """Keep the text as a new version, or give the version that has it already.

        None where it cannot be kept; the problem is said under the field.
        """
        rubric = self._rubric
        if rubric is None:
            return None
        known = self.versions.same_as(self.text)
        if known is not None:
            return known
        try:
            kept = prompts.save(self._session, rubric, self.metric_name, self.text)
        except ReviewerError as error:
            self._say(str(error))
            return None
        self._read_versions()
        self._settle()
        self.kept.emit(kept)
        return kept

    def _read_versions(self) -> None:
        if self._rubric is not None:
            found = prompts.versions(self._session, self._rubric, self.metric_name)
            if found != self.versions.every:
                self.versions.show_versions(found)

    def _show_text(self, text: str) -> None:
        if text != self.text:
            self.field.setPlainText(text)
        self._soon.stop()
        self._settle()

    def _revert(self) -> None:
        if self.versions.every:
            self._show_text(self.versions.every[0].text)

    def _typed(self) -> None:
        self._soon.start()
        self.changed.emit()

    def _settle(self) -> None:
        """Check the text, name it, compare it, and fill it in."""
        if not self.versions.every:
            return
        problem, known = prompts.problem(self.text), self.versions.same_as(self.text)
        writable = not self._session.project.read_only
        self._say(problem)
        pieces.show(self.revert, self.save, shown=known is None)
        self.save.setText(f"Keep as v{self.versions.newest + 1}")
        self.save.setEnabled(known is None and not problem and writable)
        name = title(known) if known else f"v{self.versions.newest + 1}, not kept"
        self.title.setText(f"Prompt {name}")
        self.versions.follow(known)
        self._compare()
        self.trial.show_text("" if problem else self.text)

    def _compare(self) -> None:
        said, added, gone = self.versions.changed_lines(self.text)
        self.field.mark_lines(added, _line_of(self.problem.text()))
        self.difference.setText(said)
        self.versions.against.setToolTip(
            "No longer there:\n" + "\n".join(gone[:20]) if gone else ""
        )

    def _say(self, problem: str) -> None:
        pieces.say(self.problem, problem)

    def _take_keys(self, found: tuple[int, ...]) -> None:
        if not self._keys_given:
            self.trial.show_keys(found)


def _line_of(problem: str) -> int | None:
    """Give the line that a sentence names, counted from 0."""
    words = problem.split()
    if len(words) > 1 and words[0] == "Line" and words[1].rstrip(":").isdigit():
        return int(words[1].rstrip(":")) - 1
    return None


class PromptVersions(QWidget):
    """Two choices side by side, by number and hash.

    Signals:
        version_chosen: A version is to be shown, as a `Prompt`.
        base_changed: The text is to be compared with another version.
    """

    version_chosen = Signal(object)
    base_changed = Signal()

    def __init__(self, *, compact: bool) -> None:
        """Make the choices empty; compact ones have hashes in their tooltips alone."""
        super().__init__()
        self._compact = compact
        self.every: tuple[Prompt, ...] = ()
        self._based_on = ""
        self.version = choice("Version of the prompt")
        self.against = choice("Compared with")
        pieces.connect(
            (self.version.activated, lambda _: self._take_version()),
            (self.against.currentIndexChanged, lambda _: self.base_changed.emit()),
        )
        row = layouts.FlowLayout(self, together=True)
        between = "against" if compact else "compared with"
        for words, combo in (("Version", self.version), (between, self.against)):
            pair = QWidget()
            layouts.row(pieces.text(words, "small"), (combo, 1), on=pair, margins=0)
            combo.setMinimumContentsLength(7 if compact else 16)
            row.addWidget(pair)

    @property
    def newest(self) -> int:
        """Give the number of the newest kept version, 0 where only the shipped one is there."""
        return self.every[0].version if self.every else 0

    @property
    def base(self) -> Prompt | None:
        """Give the version that the text is compared with."""
        wanted = self.against.currentData()
        return next((x for x in self.every if x.hash == wanted), None)

    def show_versions(self, versions: Sequence[Prompt]) -> None:
        """Offer these versions, the newest first."""
        self.every = tuple(versions)
        self._based_on = "none yet"
        for combo in (self.version, self.against):
            with pieces.quiet(combo):
                combo.clear()
                for one in self.every:
                    combo.addItem(
                        (f"v{one.version}" if one.version else "shipped")
                        if self._compact
                        else f"{title(one)} · {one.hash}",
                        one.hash,
                    )
                    tip = " · ".join(x for x in (one.hash, one.created_at[:16], one.note) if x)
                    combo.setItemData(combo.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)

    def same_as(self, text: str) -> Prompt | None:
        """Give the version that has a text, None where none has."""
        bare = text.rstrip("\n")
        return next((x for x in self.every if x.text.rstrip("\n") == bare), None)

    def follow(self, known: Prompt | None) -> None:
        """Show which version is in view, and compare it with the one before.

        What is no version yet is compared with the newest; a base that was chosen stays.
        """
        mark = known.hash if known else ""
        if mark == self._based_on:
            return
        self._based_on = mark
        place = self.every.index(known) if known else -1
        blockers = [QSignalBlocker(self.version), QSignalBlocker(self.against)]
        self.version.setCurrentIndex(place)
        self.version.setPlaceholderText(
            "new" if self._compact else f"v{self.newest + 1}, not kept"
        )
        self.against.setCurrentIndex(min(place + 1, len(self.every) - 1))
        for blocker in blockers:
            blocker.unblock()

    def changed_lines(self, text: str) -> tuple[str, list[int], list[str]]:
        """Compare a text with the base: a sentence, the added lines from 0, and those gone."""
        base = self.base
        if base is None or base.text.rstrip("\n") == text.rstrip("\n"):
            return "", [], []
        lines = prompts.lines_apart(base.text, text)
        there = [x.how for x in lines if x.how != "removed"]
        added = [place for place, how in enumerate(there) if how == "added"]
        said = prompts.changes(base.text, text)
        return f"{said} since {title(base)}", added, [x.text for x in lines if x.how == "removed"]

    def _take_version(self) -> None:
        wanted = self.version.currentData()
        found = next((x for x in self.every if x.hash == wanted), None)
        if found is not None:
            self.version_chosen.emit(found)


def title(one: Prompt) -> str:
    """Name a version."""
    return f"v{one.version}" if one.version else "as shipped"


UNKEPT = "The prompt is not kept. Close again to leave it."


class PromptDialog(ProjectDialog):
    """Metric and judge to choose, and the large editor.

    Signals:
        kept: A new version was kept, as a `Prompt`.
    """

    kept = Signal(object)

    def __init__(
        self,
        surroundings: ProjectSurroundings,
        rubric: Rubric,
        parent: QWidget | None = None,
    ) -> None:
        """Show the prompts of a rubric."""
        super().__init__(parent, f"Prompts of {rubric.name}")
        self._rubric = rubric
        self._leaving = False
        px = surroundings.theme.px
        fit(self, px(1180), px(720))
        self.which, self.judge = choice("Metric"), choice("Judge")
        for metric in rubric.labelled_metrics:
            self.which.addItem(metric.heading, metric.name)
        self.judge.addItem("no judge", "")
        for one in launching.judges(surroundings.session):
            self.judge.addItem(one.title if one.package else one.judge.name, one.judge.name)
        self.judge.setCurrentIndex(1 if self.judge.count() > 1 else 0)
        self.editor = PromptEditor(surroundings, compact=False)
        self.editor.kept.connect(self.kept)
        self.said = pieces.text("", "notice", wrap=True)
        head, foot = QHBoxLayout(), QHBoxLayout()
        for words, combo in (("Metric", self.which), ("Judge", self.judge)):
            layouts.fill(head, pieces.text(words, "muted"), combo)
            combo.currentIndexChanged.connect(lambda _: self._show())
        head.addStretch(1)
        layouts.fill(foot, (self.said, 1), pieces.Button("Close", self.close, kind="primary"))
        card = pieces.Card()
        card.body.addWidget(self.editor, 1)
        layouts.column(head, (card, 1), foot, on=self, margins=px(14), gap=px(10))
        self._show()

    def choose(self, metric: str, judge: str = "") -> None:
        """Show a metric's prompt, tried with a judge."""
        self.judge.setCurrentIndex(max(self.judge.findData(judge), 0))
        self.which.setCurrentIndex(max(self.which.findData(metric), 0))

    def _show(self) -> None:
        metric = str(self.which.currentData() or "")
        if not metric:
            return
        if self.editor.is_changed and metric != self.editor.metric_name:
            with pieces.quiet(self.which):
                self.which.setCurrentIndex(self.which.findData(self.editor.metric_name))
            self.said.setText("Keep or revert the prompt first.")
            return
        self.said.setText("")
        self.editor.show_prompt(self._rubric, metric, judge=str(self.judge.currentData() or ""))

    @override
    def reject(self) -> None:
        """Close on Escape as the button does."""
        self.close()

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask once, inside the dialog, where what was written would be lost."""
        if self.editor.is_changed and not self._leaving:
            self._leaving = True
            self.said.setText(UNKEPT)
            event.ignore()
            return
        event.accept()
