"""What models cost: the shipped table with the project's own changes."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Price
from reviewer.gui.judges.forms import line, number_of, written
from reviewer.gui.kit import pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import Surroundings
from reviewer.services.evaluating import judges, prices
from reviewer.services.project.session import Session

ABOUT = (
    "Dollars a million tokens. Providers change them: what stands here counts for estimates, "
    "budgets and costs from now on."
)
_COLUMNS = (
    Column("model"),
    Column("in", 80, number=True),
    Column("out", 80, number=True),
    Column("note"),
)


class PricesTab(QWidget):
    """The table, and a row of fields to change or add a model's price.

    Signals:
        said: A sentence about what happened.
        failed: A sentence about what could not be done.
    """

    said = Signal(str)
    failed = Signal(str)

    def __init__(self, surroundings: Surroundings, session: Session) -> None:
        """Show a project's prices."""
        super().__init__()
        self._session = session
        px = surroundings.theme.px
        self.table = GridView(surroundings.theme, _COLUMNS, "Prices")
        self.table.row_chosen.connect(self._show)
        self.model = line("Model", "model")
        self.paid_in = line("Price of a million tokens in", "in")
        self.paid_out = line("Price of a million tokens out", "out")
        self.note = line("Note", "note")
        for field in (self.model, self.paid_in, self.paid_out, self.note):
            field.returnPressed.connect(self.keep)
        entry = QHBoxLayout()
        for field, share in (
            (self.model, 3),
            (self.paid_in, 1),
            (self.paid_out, 1),
            (self.note, 4),
        ):
            entry.addWidget(field, share)
        entry.addWidget(pieces.Button("Keep", self.keep, kind="primary"))
        card = pieces.Card("Prices")
        card.body.addWidget(pieces.text(ABOUT, "muted", wrap=True))
        card.body.addWidget(self.table, 1)
        card.body.addLayout(entry)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, px(8), 0, 0)
        column.addWidget(card)
        self.refresh()

    def refresh(self) -> None:
        """Show the prices as they are now, and models of judges that have none."""
        found = {x.model: x for x in prices.every(self._session.project)}
        rows = [(x.model, _cells(x)) for x in found.values()]
        for judge in judges.every(self._session):
            if judge.model not in found:
                missing = (Cell("—", tip="not known"), Cell("—", tip="not known"))
                name = Cell(one_line(judge.model, 60), strong=True)
                rows.append((judge.model, (name, *missing, Cell("not known", "muted"))))
        self.table.show_rows(rows)

    @property
    def is_typed(self) -> bool:
        """Tell whether something stands in the fields that is not kept."""
        model = self.model.text()
        kept = prices.price_of(self._session.project, model)
        fields = (self.paid_in, self.paid_out, self.note)
        return bool(model) and [x.text() for x in fields] != _written(kept)

    def keep(self) -> None:
        """Keep the price in the fields."""
        try:
            paid = [number_of(field) for field in (self.paid_in, self.paid_out)]
            if not self.model.text().strip() or None in paid:
                self.failed.emit("A price needs a model and two numbers; 0 stands for free.")
                return
            made = Price(
                model=self.model.text().strip(),
                input_per_million=paid[0] or 0.0,
                output_per_million=paid[1] or 0.0,
                note=self.note.text().strip(),
            )
            judges.keep_price(self._session, made)
        except ReviewerError as error:
            self.failed.emit(str(error))
            return
        self.refresh()
        self.said.emit(f"The price of {made.model} is kept.")

    def _show(self, model: object) -> None:
        found = prices.price_of(self._session.project, str(model))
        self.model.setText(str(model))
        for field, words in zip(
            (self.paid_in, self.paid_out, self.note), _written(found), strict=True
        ):
            field.setText(words)


def _written(one: Price | None) -> list[str]:
    if one is None:
        return ["", "", ""]
    return [written(one.input_per_million), written(one.output_per_million), one.note]


def _cells(one: Price) -> tuple[Cell, ...]:
    return (
        Cell(one_line(one.model, 60), strong=True),
        Cell(f"${one.input_per_million:g}"),
        Cell(f"${one.output_per_million:g}"),
        Cell(one_line(one.note, 120), "muted", tip=one.note),
    )
