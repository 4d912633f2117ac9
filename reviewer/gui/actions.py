"""Every command with its keys, as data: keys, menus, palette, `?` sheet and README come of it."""

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


class Menu(StrEnum):
    """The menus from left to right; the letter after `&` opens one together with Alt."""

    FILE = "&File"
    EDIT = "&Edit"
    VIEW = "&View"
    REVIEW = "&Review"
    AUDIT = "&Audit"
    RUNS = "R&uns"
    PEOPLE = "&People"
    HELP = "&Help"


class Command(Struct, frozen=True):
    """Something the user can do, with the keys that do it.

    Attributes:
        id: Stable name, such as `review.skip`.
        title: What the palette and the sheet call it.
        keys: Qt key sequences in portable text, such as `Ctrl+Shift+Z`; may be empty.
        scope: The page it belongs to.
        hint: One sentence more, for tooltips and the sheet.
        listed: False for commands that palette and menus leave out, such as the single levels.
        menu: The menu that holds it.
        part: The part of the menu, counted from above; a line stands between two of them.
        leads: Whether only leads can do it.
    """

    id: str
    title: str
    keys: tuple[str, ...] = ()
    scope: Scope = Scope.WINDOW
    hint: str = ""
    listed: bool = True
    menu: Menu = Menu.VIEW
    part: int = 0
    leads: bool = False

    @property
    def keys_text(self) -> str:
        """Give the keys as the platform writes them, alternatives apart by a comma."""
        native = QKeySequence.SequenceFormat.NativeText
        return ", ".join(QKeySequence(key).toString(native) for key in self.keys)


_LEADS = frozenset(
    {"package", "merge", "sheet", "take_sheet", "share", "invite", "restored", "forget"}
)


def _window(
    name: str, title: str, *keys: str, menu: Menu, part: int = 0, hint: str = ""
) -> Command:
    id_ = f"window.{name}"
    return Command(id_, title, keys, hint=hint, menu=menu, part=part, leads=name in _LEADS)


WINDOW: tuple[Command, ...] = (
    _window("palette", "Search or run a command", "Ctrl+K", menu=Menu.HELP),
    _window("keys", "Show rubric and keys", "?", menu=Menu.HELP),
    _window(
        "guidelines", "Guidelines", "G", menu=Menu.HELP, hint="What labelers should keep to."
    ),
    _window(
        "systems", "The five systems", menu=Menu.HELP,
        hint="What each measures and cannot see, and how it is used daily and in CI.",
    ),
    _window("glossary", "Glossary", menu=Menu.HELP, hint="What the words of figures mean."),
    _window("new", "New project from results…", "Ctrl+N", menu=Menu.FILE),
    _window("open", "Open project…", "Ctrl+O", menu=Menu.FILE),
    _window(
        "join", "Join a shared project…",
        menu=Menu.FILE, hint="With the line that a lead sent you.",
    ),
    _window("demo", "Open the demo", menu=Menu.FILE),
    _window(
        "start", "Close project, go to the start page",
        menu=Menu.FILE, hint="Everything is saved.",
    ),
    _window(
        "import", "Import results…", "Ctrl+I",
        menu=Menu.FILE, part=1, hint="Also: drop files on the window.",
    ),
    _window("review", "Go to Review", "Alt+1", menu=Menu.VIEW),
    _window("audit", "Go to Audit", "Alt+2", menu=Menu.VIEW),
    _window("runs", "Go to Runs", "Alt+3", menu=Menu.VIEW),
    _window("reports", "Go to Reports", "Alt+4", menu=Menu.VIEW),
    _window(
        "next_pane", "Next pane", "F6",
        menu=Menu.VIEW, part=1, hint="Queue, conversation, cards, figures.",
    ),
    _window("previous_pane", "Previous pane", "Shift+F6", menu=Menu.VIEW, part=1),
    _window("menus", "Open the menus", "F10", menu=Menu.VIEW, part=1),
    _window("labeler", "Switch labeler…", menu=Menu.PEOPLE),
    _window(
        "labelers", "Team…", menu=Menu.PEOPLE,
        hint="Names, colours, roles, how far everybody is, and how the project is shared.",
    ),
    _window(
        "validate", "Validate the judge", menu=Menu.PEOPLE, part=1,
        hint="20 to 50 random responses, answered blind, and a verdict at the end.",
    ),
    _window(
        "label_recent", "Label 10 random of the last 10 days", menu=Menu.PEOPLE, part=1,
        hint="Of what was scored and nobody labelled yet, counted from today.",
    ),
    _window("new_queue", "New queue…", menu=Menu.PEOPLE, part=1),
    _window(
        "queues", "All queues…",
        menu=Menu.PEOPLE, part=1, hint="Progress of everybody, and verdicts.",
    ),
    _window(
        "package", "Make a work package…",
        menu=Menu.PEOPLE, part=2, hint="A labeler's part of a queue, in a file of its own.",
    ),
    _window(
        "merge", "Merge returned packages…",
        menu=Menu.PEOPLE, part=2, hint="Also: drop them on the window.",
    ),
    _window(
        "sheet", "Write a labeler's sheet…",
        menu=Menu.PEOPLE, part=2, hint="For somebody who labels in a spreadsheet.",
    ),
    _window(
        "take_sheet", "Take a labeler's sheet back…",
        menu=Menu.PEOPLE, part=2, hint="Shows what it brings before anything is taken.",
    ),
    _window(
        "share", "Share this project…",
        menu=Menu.PEOPLE, part=3, hint="Through a PostgreSQL database of your company.",
    ),
    _window(
        "invite", "Invite…",
        menu=Menu.PEOPLE, part=3, hint="To a shared project: a line to send, and a password.",
    ),
    _window(
        "restored", "The database was restored…",
        menu=Menu.PEOPLE, part=3, hint="From an older backup: everybody sends what it lacks.",
    ),
    _window(
        "leave", "Leave the shared project…",
        menu=Menu.PEOPLE, part=3, hint="This file is on its own then; all that is in it stays.",
    ),
    _window(
        "forget", "Forget a person or a record…",
        menu=Menu.PEOPLE, part=4, hint="For good; nothing brings it back.",
    ),
    _window(
        "judges", "Judges…", menu=Menu.RUNS, part=2, hint="Models, endpoints, keys and prices."
    ),
    _window("prompts", "Prompts of the judges…", menu=Menu.RUNS, part=2),
    _window(
        "bots", "Bots…", menu=Menu.RUNS, part=2, hint="What answers the cases of a run again."
    ),
    _window(
        "settings", "Settings…", "Ctrl+,", hint="Theme, size of text, focus mode, goal, times.",
        menu=Menu.FILE, part=2,
    ),
    _window(
        "theme", "Switch between light and dark", menu=Menu.VIEW, part=2, hint="The theme."
    ),
    _window("larger", "Larger text", "Ctrl++", "Ctrl+=", menu=Menu.VIEW, part=2),
    _window("smaller", "Smaller text", "Ctrl+-", menu=Menu.VIEW, part=2),
    _window("normal", "Normal text size", "Ctrl+0", menu=Menu.VIEW, part=2),
    _window(
        "diagnosis", "Copy diagnosis",
        menu=Menu.HELP, part=1, hint="Version, system and log; no texts, no keys.",
    ),
    _window("quit", "Quit", "Ctrl+Q", menu=Menu.FILE, part=2),
)  # fmt: skip


def _review(
    name: str, title: str, *keys: str, hint: str = "", menu: Menu = Menu.REVIEW, part: int = 0
) -> Command:
    return Command(f"review.{name}", title, keys, Scope.REVIEW, hint, menu=menu, part=part)


LEVELS: tuple[Command, ...] = tuple(
    Command(f"review.level_{n}", f"Set level {n}", (str(n % 10),), Scope.REVIEW, listed=False)
    for n in range(1, 11)
)

REVIEW: tuple[Command, ...] = (
    *LEVELS,
    _review("next_metric", "Next metric", "Down", hint="Tab does the same.", part=3),
    _review("previous_metric", "Previous metric", "Up", hint="Shift+Tab does the same.", part=3),
    _review(
        "done",
        "Next open evaluation",
        "Space",
        "Ctrl+Return",
        hint="What was set is already saved.",
        part=3,
    ),
    _review("next", "Evaluation below in the list", "J", part=3),
    _review("previous", "Evaluation above in the list", "K", part=3),
    _review("skip", "Skip", "S", part=1),
    _review("flag", "Flag", "F", part=1),
    _review("skip_why", "Skip, with a reason", "Shift+S", part=1),
    _review("flag_why", "Flag, with a reason", "Shift+F", part=1),
    _review("not_applicable", "Not applicable", "X"),
    _review("withdraw", "Withdraw the label", "Backspace"),
    _review("yes", "Yes", "Y", hint="On a yes-or-no metric."),
    _review("no", "No", "N", hint="On a yes-or-no metric."),
    _review(
        "value", "Enter any value", "=", hint="On a range, or to type a value between levels."
    ),
    _review(
        "unsure",
        "Unsure of the answer",
        "U",
        hint="About the metric that was answered last, where the rubric asks for it.",
        part=1,
    ),
    _review("comment", "Comment", "C", hint="On the metric that was answered last.", part=1),
    _review(
        "highlight",
        "Highlight the selection",
        "H",
        hint="With the cursor in a highlight of yours and nothing selected: take it back.",
        part=1,
    ),
    _review(
        "highlight_why",
        "Highlight the selection, and say why",
        "Shift+H",
        hint="With nothing selected: say why the newest highlight is there.",
        part=1,
    ),
    _review(
        "reveal",
        "Show auto scores now",
        "R",
        hint="Asks once; recorded with every later label on this evaluation.",
        part=2,
    ),
    _review(
        "undo",
        "Undo",
        "Ctrl+Z",
        hint="Goes to what it takes back, across evaluations and over restarts.",
        menu=Menu.EDIT,
    ),
    _review("redo", "Redo", "Ctrl+Shift+Z", menu=Menu.EDIT),
    _review("filter", "Filter the queue", "/", menu=Menu.EDIT, part=1),
    _review("find", "Find in the conversation", "Ctrl+F", menu=Menu.EDIT, part=1),
    _review(
        "judge",
        "How the judge came to its scores",
        "V",
        hint="Its reply, prompt and settings, after the reveal.",
        part=2,
    ),
    _review(
        "focus",
        "Focus mode",
        "F11",
        menu=Menu.VIEW,
        part=1,
        hint="Conversation, cards and progress alone.",
    ),
    _review(
        "explain",
        "How is this calculated?",
        part=2,
        hint="The formulas with the numbers filled in.",
    ),
)


def _audit(
    name: str, title: str, *keys: str, hint: str = "", menu: Menu = Menu.AUDIT, part: int = 0
) -> Command:
    return Command(f"audit.{name}", title, keys, Scope.AUDIT, hint, menu=menu, part=part)


TAG, EXCLUDE = "Tag the selected responses…", "Exclude the selected responses…"
DECISIONS: tuple[Command, ...] = tuple(
    Command(f"audit.level_{n}", f"Decide level {n}", (str(n % 10),), Scope.AUDIT, listed=False)
    for n in range(1, 11)
)
ON_CASE: tuple[Command, ...] = (
    *DECISIONS,
    _audit("value", "Decide any value", "=", hint="On a range, or beyond the tenth level."),
    _audit("next", "Next response of the list", "J", part=2),
    _audit("previous", "Previous response of the list", "K", part=2),
    _audit("withdraw", "Take the decision back", "Backspace"),
    _audit("ask", "Send back with a question…", "Q"),
    _audit("withdraw_question", "Take the question back", "Shift+Q", hint="Yours, still open."),
    _audit("judge_wrong", "Cause: judge wrong", "W", hint="Once more takes it back.", part=1),
    _audit("human_slip", "Cause: human slip", "L", hint="Once more takes it back.", part=1),
    _audit(
        "rubric_unclear", "Cause: rubric unclear", "U", hint="Collects in the to-do list.", part=1
    ),
    _audit("data_broken", "Cause: response or data broken", "B", part=1),
    _audit("both_defensible", "Cause: both defensible", "D", part=1),
    _audit("note", "Note on decision or cause", "C", part=1),
    _audit("names", "Hide or show names", "A", hint="Shuffles who stands first, too.", part=2),
    _audit("open_case", "Open the response on Review", "O", part=2),
    _audit("tag", TAG, "T", menu=Menu.EDIT, part=2),
    _audit("exclude", EXCLUDE, "E", menu=Menu.EDIT, part=2),
)
"""What works on the Audit page while its list or the case beneath has the focus."""
ON_READING: tuple[Command, ...] = (
    _audit(
        "scroll_down",
        "Read on in the response",
        "Space",
        hint="From the list of responses.",
        part=2,
    ),
    _audit("scroll_up", "Read back in the response", "Shift+Space", part=2),
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
    Command(
        f"{page}.{name}",
        title,
        (),
        scope,
        "One action; Ctrl+Z takes it back whole.",
        menu=Menu.EDIT,
        part=2,
    )
    for page, scope in (("review", Scope.REVIEW), ("audit", Scope.AUDIT))
    for name, title in (
        ("tag", TAG),
        ("untag", "Take a tag off the selected responses…"),
        ("exclude", EXCLUDE),
        ("include", "Let the selected responses count again"),
        ("assign", "Make a queue of the selected responses…"),
    )
    if (page, name) not in (("audit", "tag"), ("audit", "exclude"))
)
"""What is done to many responses at once, from the lists of both pages."""


def _runs(
    name: str, title: str, *keys: str, hint: str = "", menu: Menu = Menu.RUNS, part: int = 0
) -> Command:
    return Command(f"runs.{name}", title, keys, Scope.RUNS, hint, menu=menu, part=part)


ON_LISTS: tuple[Command, ...] = (*ON_CASE, *ON_READING, *BULK)
"""What makes sense only with its list in sight; the palette of another page leaves it out."""
PAGES: tuple[Command, ...] = (
    _audit("undo", "Undo", "Ctrl+Z", hint="Across pages and over restarts.", menu=Menu.EDIT),
    _audit("redo", "Redo", "Ctrl+Shift+Z", menu=Menu.EDIT),
    _audit("todo", "Rubric to-do list…", hint="What leads found unclear in the rubric.", part=3),
    _audit(
        "limits",
        "Limits of trust…",
        hint="What a judge has to reach, for all metrics or one.",
        part=3,
    ),
    _audit("compute", "Compute the figures again", "F5", part=3),
    _runs("undo", "Undo", "Ctrl+Z", hint="Across pages and over restarts.", menu=Menu.EDIT),
    _runs("redo", "Redo", "Ctrl+Shift+Z", menu=Menu.EDIT),
    _runs("rubric", "Edit rubric…", "Ctrl+E", part=2),
    _runs("backup", "Back up now", "Ctrl+B", menu=Menu.FILE, part=1),
    _runs("evaluate", "Re-score, re-judge or re-run…"),
    _runs("jobs", "Jobs and what failed in them"),
    _runs("swap", "Swap run A and run B"),
    _runs(
        "watch",
        "Watch production, or stop watching",
        part=1,
        hint="With the monitor of run A's rubric; goes on after a restart.",
    ),
    _runs("look", "Look at production now", part=1),
    Command("reports.export", "Export…", ("Ctrl+E",), Scope.REPORTS, menu=Menu.FILE, part=1),
    Command(
        "reports.make",
        "Make report…",
        (),
        Scope.REPORTS,
        "For readers who have no program.",
        menu=Menu.FILE,
        part=1,
    ),
    Command(
        "reports.packet",
        "Audit packet…",
        (),
        Scope.REPORTS,
        "Records, labels and figures, with a script that works them out again.",
        menu=Menu.FILE,
        part=1,
    ),
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
