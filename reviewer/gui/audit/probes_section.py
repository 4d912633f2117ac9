"""The section on probes: whether something that should not matter moves the judge."""

from collections.abc import Hashable
from functools import partial

from typing_extensions import override

from reviewer.domain.wording import points
from reviewer.gui.audit import table_card
from reviewer.gui.audit.families_cards import FamiliesDialog
from reviewer.gui.audit.sections import AuditSection
from reviewer.gui.audit.table_card import TableCard
from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit import pieces
from reviewer.gui.kit.grid import Cell, Column
from reviewer.gui.page import Surroundings
from reviewer.gui.sections import Reading
from reviewer.services.audits import probe_values, probes
from reviewer.services.audits.auditing import Audit
from reviewer.services.audits.probe_values import TITLES, Kind, Probe, Probes, Row
from reviewer.services.audits.segment_values import TextFacts

ROWS = (
    Column("figure"),
    Column("n", 52, number=True, tip="Labelled evaluations behind it."),
    Column("value", 104, number=True, tip="With its interval; gap is human minus auto."),
    Column("p", 66, number=True, tip="Allowing for every figure of all probes.", drop=1),
)
INTRO = "A bias shows as a gap between people and judge that follows what should not matter."


class ProbesSection(AuditSection[Probes]):
    """Shows four probes of the judge and what may be said of them together."""

    title = "Probes"

    def __init__(self, surroundings: Surroundings) -> None:
        """Make every card empty."""
        super().__init__(surroundings)
        self._found: Probes | None = None
        self._facts = TextFacts()
        self._dialog: FamiliesDialog | None = None
        self.told = pieces.text("", "muted", wrap=True, name="How many figures were tested")
        self.body.addWidget(self.told)
        self.cards: dict[Kind, TableCard] = {}
        for kind, title in TITLES.items():
            card = TableCard(self.theme, title, ROWS)
            self.cards[kind] = card
            self.body.addWidget(card)
            self.figures.serve_grid(card.table, partial(self._figure, kind))
            card.table.row_opened.connect(partial(self._open, kind))
            card.hide()
        self.edit = pieces.Button("Edit families…", self._edit, kind="link")
        self.cards["family"].head.addWidget(self.edit)

    @override
    def reading(self, audit: Audit, metric: str) -> Reading[Probes] | None:
        """Probe beside the window."""
        facts = self._facts
        return lambda own, progress: probes.probe(
            own,
            audit.frame,
            metric,
            facts=facts,
            level=audit.request.level,
            progress=progress,
        )

    @override
    def show_found(self, found: Probes) -> None:
        """Show every probe."""
        self._found = found
        self.told.setText(f"{INTRO} {found.sentence}")
        for one in found.probes:
            card = self.cards[one.kind]
            card.show_topic(one.sentence, _rows(one), note=one.note, muted=one.reason is not None)
            card.show()

    @override
    def forget(self) -> None:
        """Let go of the project."""
        super().forget()
        self._found = None
        self._facts = TextFacts()
        if self._dialog is not None:
            self._dialog.reject()

    def _edit(self) -> None:
        if self.session is None:
            return
        if self._dialog is None:
            self._dialog = FamiliesDialog(self.theme, self)
            self._dialog.kept.connect(self.recompute)
        self._dialog.show_table(self.session)

    def _open(self, kind: Kind, key: object) -> None:
        figure = self._figure(kind, key if isinstance(key, int) else -1, 0)
        if figure is not None:
            self.figures.list_responses(figure)

    def _figure(self, kind: Kind, key: Hashable, _: int) -> Figure | None:
        audit = self.audit
        if self._found is None or audit is None or not isinstance(key, int):
            return None
        probe = next(one for one in self._found.probes if one.kind == kind)
        if not 0 <= key < len(probe.rows):
            return None
        row = probe.rows[key]
        about = f"{TITLES[kind]}, {audit.rubric.by_name[self.chosen_metric].heading}"
        return Figure(
            title=about,
            sentence=probe_values.told(row, about),
            steps=lambda: probe_values.steps(row),
            keys=(lambda: row.keys) if row.keys.size else None,
            heading=f"{TITLES[kind]}: {row.name}",
        )


def _rows(found: Probe) -> list[tuple[Hashable, tuple[Cell, ...]]]:
    return [(at, _cells(row)) for at, row in enumerate(found.rows)]


def _cells(row: Row) -> tuple[Cell, ...]:
    p = table_card.p_value(row.adjusted)
    return (
        Cell(row.name, strong=row.differs, tip=row.name),
        table_card.whole(row.n),
        _value(row),
        p,
    )


def _value(row: Row) -> Cell:
    if row.value is None:
        return table_card.missing(row.reason)
    role = "alert" if row.differs else ""
    mark = "≠ " if row.differs else ""
    if row.unit == "share":
        return Cell(table_card.percents(row.value), role)
    if row.unit != "share difference":
        shown = table_card.difference(row.value, row.low, row.high)
        return Cell(f"{mark}{shown.words}", role, tip=shown.tip or row.reason or "",
                    below=shown.below)  # fmt: skip
    below = ""
    if row.low is not None and row.high is not None:
        below = f"{points(row.low)} – {points(row.high)}"
    return Cell(f"{mark}{points(row.value)} points", role, tip=row.reason or "", below=below)
