"""The rubric of the chosen run at a glance."""

from PySide6.QtCore import Signal

from reviewer.domain.rubric import Metric, Rubric
from reviewer.gui.kit import pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.theme import Theme
from reviewer.gui.runs.words import pass_sentence

_COLUMNS = (
    Column("metric"),
    Column("scale", 60, drop=2),
    Column("weight", 46, number=True, drop=1),
    Column("pass", 40, number=True),
)
MOST = 10


class RubricCard(pieces.Card):
    """Name, version, pass rule and metrics, with the way into the editor.

    Signals:
        edit_requested: The rubric is to be edited.
    """

    edit_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make the card without a rubric."""
        super().__init__("Rubric")
        self.edit = pieces.Button("Edit rubric…", self.edit_requested.emit, dense=True)
        self.head.addWidget(self.edit)
        self.name = pieces.text("", "strong")
        self.rule = pieces.text("", "small", wrap=True)
        self.metrics = GridView(theme, _COLUMNS, "Metrics of the rubric")
        self.metrics.fit_to_rows(MOST)
        self.metrics.row_opened.connect(lambda _: self.edit_requested.emit())
        for widget in (self.name, self.rule, self.metrics):
            self.body.addWidget(widget)

    def show_rubric(self, rubric: Rubric | None) -> None:
        """Show a rubric; without one nothing can be edited."""
        self.setVisible(rubric is not None)
        if rubric is None:
            return
        self.name.setText(f"{rubric.name} · version {rubric.version}")
        self.rule.setText(pass_sentence(rubric))
        self.rule.setToolTip(rubric.description)
        self.metrics.show_rows([(metric.name, _cells(metric)) for metric in rubric.metrics])


def _cells(metric: Metric) -> tuple[Cell, ...]:
    bounds = metric.bounds
    scale = metric.scale if bounds is None else f"{bounds[0]:g} – {bounds[1]:g}"
    mark = "—" if metric.pass_at is None else f"{metric.pass_at:g}"
    return (
        Cell(metric.heading, tip=metric.description),
        Cell(scale, "muted", tip=metric.describe_scale()),
        Cell(f"{metric.weight:g}"),
        Cell(mark, tip="" if metric.pass_at is not None else "This metric has no pass mark."),
    )
