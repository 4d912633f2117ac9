"""Every command with its keys, as data: shortcuts, palette, `?` sheet and README come of it."""

from collections.abc import Callable, Iterable
from enum import StrEnum

from msgspec import Struct
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget


class Scope(StrEnum):
    """Where a command works."""

    WINDOW = "Everywhere"
    REVIEW = "Review"
    AUDIT = "Audit"
    RUNS = "Runs"
    REPORTS = "Reports"


class Command(Struct, frozen=True):
    """Something the user can do, with the keys that do it.

    Attributes:
        id: Stable name, such as `review.skip`.
        title: What the palette and the sheet call it.
        keys: Qt key sequences in portable text, such as `Ctrl+Shift+Z`; may be empty.
        scope: The page it belongs to.
        hint: One sentence more, for tooltips and the sheet.
        listed: False for commands that the palette leaves out, such as the single levels.
    """

    id: str
    title: str
    keys: tuple[str, ...] = ()
    scope: Scope = Scope.WINDOW
    hint: str = ""
    listed: bool = True

    @property
    def keys_text(self) -> str:
        """Give the keys as the platform writes them, alternatives apart by a comma."""
        native = QKeySequence.SequenceFormat.NativeText
        return ", ".join(QKeySequence(key).toString(native) for key in self.keys)


WINDOW: tuple[Command, ...] = (
    Command("window.palette", "Search or run a command", ("Ctrl+K",)),
    Command("window.keys", "Show rubric and keys", ("?",)),
    Command("window.open", "Open project…", ("Ctrl+O",)),
    Command(
        "window.import", "Import results…", ("Ctrl+I",), hint="Also: drop files on the window."
    ),
    Command("window.demo", "Open the demo"),
    Command(
        "window.start", "Go to the start page", hint="Closes the project; everything is saved."
    ),
    Command("window.review", "Go to Review", ("Alt+1",)),
    Command("window.audit", "Go to Audit", ("Alt+2",)),
    Command("window.runs", "Go to Runs", ("Alt+3",)),
    Command("window.reports", "Go to Reports", ("Alt+4",)),
    Command("window.next_pane", "Next pane", ("F6",), hint="Queue, conversation, cards, figures."),
    Command("window.previous_pane", "Previous pane", ("Shift+F6",)),
    Command("window.labeler", "Switch labeler…"),
    Command("window.labelers", "Labelers…", hint="Names, colours and roles."),
    Command(
        "window.validate",
        "Validate the judge",
        hint="20 to 50 random responses, answered blind, and a verdict at the end.",
    ),
    Command("window.new_queue", "New queue…"),
    Command("window.queues", "All queues…", hint="Progress of everybody, and verdicts."),
    Command(
        "window.package",
        "Make a work package…",
        hint="A labeler's part of a queue, in a file of its own.",
    ),
    Command("window.merge", "Merge returned packages…", hint="Also: drop them on the window."),
    Command("window.judges", "Judges…", hint="Models, endpoints, keys and prices."),
    Command("window.prompts", "Prompts of the judges…"),
    Command("window.bots", "Bots…", hint="What answers the cases of a run again."),
    Command("window.settings", "Settings…", ("Ctrl+,",)),
    Command("window.theme", "Switch between light and dark"),
    Command("window.larger", "Larger text", ("Ctrl++", "Ctrl+=")),
    Command("window.smaller", "Smaller text", ("Ctrl+-",)),
    Command("window.normal", "Normal text size", ("Ctrl+0",)),
    Command(
        "window.diagnosis", "Copy diagnosis", hint="Version, system and log; no texts, no keys."
    ),
    Command("window.quit", "Quit", ("Ctrl+Q",)),
)


def _review(name: str, title: str, *keys: str, hint: str = "") -> Command:
    return Command(f"review.{name}", title, keys, Scope.REVIEW, hint)


LEVELS: tuple[Command, ...] = tuple(
    Command(f"review.level_{n}", f"Set level {n}", (str(n % 10),), Scope.REVIEW, listed=False)
    for n in range(1, 11)
)

REVIEW: tuple[Command, ...] = (
    *LEVELS,
    _review("yes", "Yes", "Y", hint="On a yes-or-no metric."),
    _review("no", "No", "N", hint="On a yes-or-no metric."),
    _review(
        "value", "Enter any value", "=", hint="On a range, or to type a value between levels."
    ),
    _review("next_metric", "Next metric", "Down", hint="Tab does the same."),
    _review("previous_metric", "Previous metric", "Up", hint="Shift+Tab does the same."),
    _review(
        "done",
        "Next open evaluation",
        "Space",
        "Ctrl+Return",
        hint="What was set is already saved.",
    ),
    _review("next", "Evaluation below in the list", "J"),
    _review("previous", "Evaluation above in the list", "K"),
    _review("skip", "Skip", "S"),
    _review("flag", "Flag", "F"),
    _review("not_applicable", "Not applicable", "X"),
    _review("withdraw", "Withdraw the label", "Backspace"),
    _review("comment", "Comment", "C", hint="On the metric that was answered last."),
    _review(
        "highlight",
        "Highlight the selection",
        "H",
        hint="With the cursor in a highlight of yours and nothing selected: take it back.",
    ),
    _review(
        "reveal",
        "Show auto scores now",
        "R",
        hint="Asks once; recorded with every later label on this evaluation.",
    ),
    _review(
        "undo",
        "Undo",
        "Ctrl+Z",
        hint="Goes to what it takes back, across evaluations and over restarts.",
    ),
    _review("redo", "Redo", "Ctrl+Shift+Z"),
    _review("filter", "Filter the queue", "/"),
    _review("find", "Find in the conversation", "Ctrl+F"),
    _review(
        "judge",
        "How the judge came to its scores",
        "V",
        hint="Its reply, prompt and settings, after the reveal.",
    ),
    _review("explain", "How is this calculated?", hint="The formulas with the numbers filled in."),
)


def _audit(name: str, title: str, *keys: str, hint: str = "") -> Command:
    return Command(f"audit.{name}", title, keys, Scope.AUDIT, hint)


DECISIONS: tuple[Command, ...] = tuple(
    Command(f"audit.level_{n}", f"Decide level {n}", (str(n % 10),), Scope.AUDIT, listed=False)
    for n in range(1, 11)
)
ON_CASE: tuple[Command, ...] = (
    *DECISIONS,
    _audit("value", "Decide any value", "=", hint="On a range, or beyond the tenth level."),
    _audit("next", "Next response of the list", "J"),
    _audit("previous", "Previous response of the list", "K"),
    _audit("withdraw", "Take the decision back", "Backspace"),
    _audit("ask", "Send back with a question…", "Q"),
    _audit("withdraw_question", "Take the question back", "Shift+Q", hint="Yours, still open."),
    _audit("judge_wrong", "Cause: judge wrong", "W", hint="Once more takes it back."),
    _audit("human_slip", "Cause: human slip", "L", hint="Once more takes it back."),
    _audit("rubric_unclear", "Cause: rubric unclear", "U", hint="Collects in the to-do list."),
    _audit("data_broken", "Cause: response or data broken", "B"),
    _audit("both_defensible", "Cause: both defensible", "D"),
    _audit("note", "Note on decision or cause", "C"),
    _audit("names", "Hide or show names", "A", hint="Shuffles who stands first, too."),
    _audit("open_case", "Open the response on Review", "O"),
    _audit("tag", "Tag the selected responses…", "T"),
    _audit("exclude", "Exclude the selected responses…", "E"),
)
"""What works on the Audit page while its list or the case beneath has the focus."""
ON_READING: tuple[Command, ...] = (
    _audit("scroll_down", "Read on in the response", "Space", hint="From the list of responses."),
    _audit("scroll_up", "Read back in the response", "Shift+Space"),
)
"""What scrolls the case beneath the list of the Audit page."""
ON_FIGURE: tuple[Command, ...] = tuple(
    Command(f"audit.{name}", title, (key,), Scope.AUDIT, "Of the figure in focus.", listed=False)
    for name, title, key in (
        ("copy_figure", "Copy as sentence", "Ctrl+C"),
        ("explain_figure", "Show formula with numbers", "Ctrl+E"),
        ("open_figure", "Open the responses", "Ctrl+Return"),
    )
)
"""What every figure of the Audit page offers while it has the focus."""
BULK: tuple[Command, ...] = tuple(
    Command(f"{page}.{name}", title, (), scope, "One action; Ctrl+Z takes it back whole.")
    for page, scope in (("review", Scope.REVIEW), ("audit", Scope.AUDIT))
    for name, title in (
        ("tag", "Tag the selected responses…"),
        ("untag", "Take a tag off the selected responses…"),
        ("exclude", "Exclude the selected responses…"),
        ("include", "Let the selected responses count again"),
        ("assign", "Make a queue of the selected responses…"),
    )
    if (page, name) not in (("audit", "tag"), ("audit", "exclude"))
)
"""What is done to many responses at once, from the lists of both pages."""

ON_LISTS: tuple[Command, ...] = (*ON_CASE, *ON_READING, *BULK)
"""What makes sense only with its list in sight; the palette of another page leaves it out."""
PAGES: tuple[Command, ...] = (
    _audit("undo", "Undo", "Ctrl+Z", hint="Across pages and over restarts."),
    _audit("redo", "Redo", "Ctrl+Shift+Z"),
    _audit("todo", "Rubric to-do list…", hint="What leads found unclear in the rubric."),
    Command("audit.compute", "Compute the figures again", ("F5",), Scope.AUDIT),
    Command("runs.undo", "Undo", ("Ctrl+Z",), Scope.RUNS, "Across pages and over restarts."),
    Command("runs.redo", "Redo", ("Ctrl+Shift+Z",), Scope.RUNS),
    Command("runs.rubric", "Edit rubric…", ("Ctrl+E",), Scope.RUNS),
    Command("runs.backup", "Back up now", ("Ctrl+B",), Scope.RUNS),
    Command("runs.evaluate", "Re-score, re-judge or re-run…", (), Scope.RUNS),
    Command("runs.jobs", "Jobs and what failed in them", (), Scope.RUNS),
    Command("runs.swap", "Swap run A and run B", (), Scope.RUNS),
    Command(
        "runs.watch",
        "Watch production, or stop watching",
        scope=Scope.RUNS,
        hint="With the monitor of run A's rubric; goes on after a restart.",
    ),
    Command("runs.look", "Look at production now", (), Scope.RUNS),
    Command("reports.export", "Export…", ("Ctrl+E",), Scope.REPORTS),
)

EVERY: tuple[Command, ...] = (*WINDOW, *REVIEW, *ON_LISTS, *ON_FIGURE, *PAGES)
COMMANDS: dict[str, Command] = {command.id: command for command in EVERY}
"""Every command by its id."""


def bind(
    widget: QWidget, command: Command, handler: Callable[[], object], *, enabled: bool = True
) -> QAction:
    """Make a command work while the widget is visible, and give its action.

    The action belongs to the widget, fires once a key press however long the key is held, and
    carries the command in `data()`, by which palette and sheet find it.

    Raises:
        ValueError: A bare Return is bound, which would fire inside text fields.
    """
    if any(key in ("Return", "Enter") for key in command.keys):
        raise ValueError(f"{command.id} binds a bare Return, which fires while someone types.")
    action = QAction(command.title, widget)
    action.setData(command)
    action.setShortcuts([QKeySequence(key) for key in command.keys])
    action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
    action.setAutoRepeat(False)
    action.setEnabled(enabled)
    if command.hint:
        action.setToolTip(command.hint)
    action.triggered.connect(lambda *_: handler())
    widget.addAction(action)
    return action


def bound(widgets: Iterable[QWidget]) -> list[tuple[Command, QAction]]:
    """List the commands that were bound to these widgets, in the order of binding."""
    return [
        (command, action)
        for widget in widgets
        for action in widget.actions()
        if isinstance(command := action.data(), Command)
    ]
