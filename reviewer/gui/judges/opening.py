"""How pages and commands open the dialogs of judges, prompts and bots."""

from PySide6.QtWidgets import QWidget

from reviewer.domain.rubric import Rubric
from reviewer.gui.judges.bots_dialog import BotsDialog
from reviewer.gui.judges.dialog import JudgesDialog
from reviewer.gui.judges.prompt_editor import PromptDialog
from reviewer.gui.page import ProjectSurroundings


def open_judges(
    parent: QWidget, surroundings: ProjectSurroundings, judge: str = ""
) -> JudgesDialog:
    """Show judges, endpoints, keys and prices, with one judge chosen by name."""
    dialog = JudgesDialog(surroundings, surroundings.session, parent)
    dialog.prompts_requested.connect(lambda: open_prompts(dialog, surroundings))
    if judge:
        dialog.judges.choose(judge)
    dialog.show()
    return dialog


def open_bots(parent: QWidget, surroundings: ProjectSurroundings) -> BotsDialog:
    """Show the bots."""
    dialog = BotsDialog(surroundings, surroundings.session, parent)
    dialog.show()
    return dialog


def open_prompts(
    parent: QWidget,
    surroundings: ProjectSurroundings,
    *,
    rubric: Rubric | None = None,
    metric: str = "",
    judge: str = "",
) -> PromptDialog:
    """Show the prompts of a rubric, by default the newest run's.

    Raises:
        ReviewerError: The project has no rubric yet.
    """
    dialog = PromptDialog(surroundings, rubric or surroundings.session.current_rubric(), parent)
    if metric:
        dialog.choose(metric, judge)
    dialog.show()
    return dialog
