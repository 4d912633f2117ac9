"""What a judge has to reach: three limits for all metrics, and those of single ones."""

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QScrollArea, QWidget

from reviewer.domain.rubric import Rubric
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.number_field import NumberField
from reviewer.gui.kit.tasks import telling
from reviewer.gui.page import ProjectDialog
from reviewer.services.figures import figure_settings
from reviewer.services.project.session import Session
from reviewer.stats.deviations import DeviationOptions
from reviewer.stats.limits import Limits

ALL = "All metrics"
HINT = (
    "Rely on a judge where the whole interval of each figure lies inside its limit; do not where "
    "one lies wholly outside. Changes apply at once, for everybody."
)
_COLUMNS = (
    ("caught", "Fails caught", "Smallest share of what people fail that the judge fails, in %."),
    ("reach", "Agreement", "Smallest share of people's agreement with each other, in %."),
    ("gap", "Mean gap", "Largest mean gap in either direction, in levels."),
)
PERCENTS = ("caught", "reach")


class LimitsDialog(ProjectDialog):
    """A row for all metrics, and one a metric.

    Signals:
        failed: A limit could not be kept, as a sentence.
    """

    failed = Signal(str)

    def __init__(self, session: Session, rubric: Rubric, parent: QWidget | None = None) -> None:
        """Show the limits of a project for the metrics of a rubric."""
        super().__init__(parent, "Limits of trust")
        self._session = session
        self._rubric = rubric
        self.fields: dict[tuple[str | None, str], NumberField] = {}
        self.resets: dict[str | None, pieces.Button] = {}
        self._grid = grid = layouts.grid(across=16, down=6, stretch={0: 1})
        for column, (_, title, tip) in enumerate(_COLUMNS, start=1):
            grid.addWidget(pieces.text(title, "small", tip=tip), 0, column)
        self._add(1, None, ALL)
        grid.addWidget(pieces.line(), 2, 0, 1, 5)
        metrics = [metric for metric in rubric.metrics if metric.is_labelled]
        for row, metric in enumerate(metrics, start=3):
            self._add(row, metric.name, metric.heading)
        holder = pieces.dressed(QWidget(), kind="scrolled")
        layouts.column(grid, 1, on=holder, margins=0)
        area = pieces.named(QScrollArea(widgetResizable=True), "Limits")
        area.setWidget(holder)
        area.setFrameShape(area.Shape.NoFrame)
        layouts.column(
            pieces.text(HINT, "muted", wrap=True),
            (area, 1),
            layouts.row(1, pieces.Button("Close", self.close, kind="primary")),
            on=self,
            margins=14,
            gap=12,
        )
        self._show()
        self.ensurePolished()
        whole, bar = holder.sizeHint(), area.verticalScrollBar().sizeHint()
        area.setMinimumWidth(whole.width() + bar.width())
        hint = self.sizeHint()
        fit(self, hint.width(), hint.height() - area.sizeHint().height() + whole.height())

    def _add(self, row: int, metric: str | None, title: str) -> None:
        self._grid.addWidget(pieces.text(title, "strong" if metric is None else ""), row, 0)
        for column, (name, heading, tip) in enumerate(_COLUMNS, start=1):
            field = NumberField(f"{heading}, {title}")
            field.setToolTip(tip)
            field.setRange(0, 100 if name == "caught" else 200 if name == "reach" else 99)
            field.setSuffix(" %" if name in PERCENTS else "")
            field.valueChanged.connect(partial(self._take, metric, name))
            self.fields[metric, name] = field
            self._grid.addWidget(field, row, column)
        reset = pieces.Button(
            "Usual",
            partial(self._keep, metric, None),
            kind="link",
            name=f"Usual limits, {title}",
        )
        policy = reset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        reset.setSizePolicy(policy)
        self.resets[metric] = reset
        self._grid.addWidget(reset, row, 4)

    def _take(self, metric: str | None, name: str, value: float) -> None:
        now = self._options().limits(metric)
        value = value / 100 if name in PERCENTS else value
        self._keep(metric, replace(now, **{name: value}))

    def _keep(self, metric: str | None, limits: Limits | None) -> None:
        with telling(self.failed.emit):
            figure_settings.set_limits(self._session, metric, limits)
        self._show()

    def _options(self) -> DeviationOptions:
        return figure_settings.kept_options(self._session.project, self._rubric)

    def _show(self) -> None:
        options = self._options()
        usual = options.limits(None)
        for (metric, name), field in self.fields.items():
            found = options.limits(metric)
            value = {"caught": found.caught, "reach": found.reach, "gap": found.gap}[name]
            with pieces.quiet(field):
                field.setValue(100 * value if name in PERCENTS else value)
        for metric, reset in self.resets.items():
            own = usual != Limits() if metric is None else options.limits(metric) != usual
            reset.setVisible(own)
