"""How pages and commands open the dialogs of judges, prompts and bots."""

from PySide6.QtWidgets import QWidget

from reviewer.domain.rubric import Rubric
from reviewer.gui.judges.bots_dialog import BotsDialog
from reviewer.gui.judges.dialog import JudgesDialog
from reviewer.gui.judges.prompt_editor import PromptDialog
from reviewer.gui.page import Surroundings
from reviewer.services.project.session import Session


def open_judges(
    parent: QWidget, session: Session, surroundings: Surroundings, judge: str = ""
) -> JudgesDialog:
    """Show judges, endpoints, keys and prices, with one judge chosen by name."""
    dialog = JudgesDialog(surroundings, session, parent)
    dialog.prompts_requested.connect(lambda: open_prompts(dialog, session, surroundings))
    if judge:
        dialog.judges.choose(judge)
    dialog.show()
    return dialog


def open_bots(parent: QWidget, session: Session, surroundings: Surroundings) -> BotsDialog:
    """Show the bots."""
    dialog = BotsDialog(surroundings, session, parent)
    dialog.show()
    return dialog


def open_prompts(
    parent: QWidget,
    session: Session,
    surroundings: Surroundings,
    *,
    rubric: Rubric | None = None,
    metric: str = "",
    judge: str = "",
) -> PromptDialog:
    """Show the prompts of a rubric, by default the newest run's.

    Raises:
        ReviewerError: The project has no rubric yet.
    """
    dialog = PromptDialog(surroundings, session, rubric or session.current_rubric(), parent)
    if metric:
        dialog.choose(metric, judge)
    dialog.show()
    return dialog
