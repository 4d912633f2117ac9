"""The sections Segments and Probes: the same figures by group, and what should not matter."""

from collections.abc import Hashable
from functools import partial

import numpy as np
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QCheckBox
from typing_extensions import override

from reviewer.domain.errors import Progress
from reviewer.domain.wording import (
    DASH,
    brief,
    fixed,
    p_words,
    percent,
    percent_span,
    points,
    signed,
)
from reviewer.gui.audit import table_card
from reviewer.gui.audit.families_cards import FamiliesDialog
from reviewer.gui.audit.sections import AuditSection
from reviewer.gui.audit.table_card import TableCard
from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.number_field import choice, titled
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import ProjectSurroundings
from reviewer.gui.sections import Reading
from reviewer.services.audits import probe_values, probes, segment_values, segments
from reviewer.services.audits.auditing import Audit
from reviewer.services.audits.probe_values import TITLES as PROBES
from reviewer.services.audits.probe_values import Kind, Probe, Probes, Row
from reviewer.services.audits.segment_values import (
    COUNTED,
    MEASURES,
    TITLES,
    Counted,
    Dimension,
    Estimate,
    Segment,
    SegmentTable,
    TextFacts,
)
from reviewer.services.audits.segments import SegmentSource
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.human_columns import Ints
from reviewer.services.project.session import Session

_FORMULAS: dict[Counted, str] = {
    "gap": "Sum of human − auto ÷ labelled evaluations.",
    "agreement": "Evaluations with the same level ÷ those with a majority of people.",
    "catch": "Evaluations that the judge fails too ÷ those that people fail.",
    "judge": "Evaluations that the judge passes ÷ those it gave a verdict.",
    "people": "Evaluations that people pass ÷ those with people's verdict.",
}
EVERYTHING = "all together"
LISTED = 300
"""Segments that are listed at most; of thousands of tags nearly all are too small."""
_BY = "The heading says by whose verdicts."
_WORST = "Segments, worst first"
_COLUMNS = (
    Column("segment"),
    Column("n", 44, number=True, tip="Labelled evaluations of the segment."),
    Column("mean gap", 96, number=True, tip="Human minus auto, with its interval."),
    Column("same", 84, number=True, tip="Judge and people give the same level."),
    Column("caught", 84, number=True, tip=f"Of people's fails, those of the judge. {_BY}", drop=1),
    Column("judge", 80, number=True, tip=f"Pass rate as the judge says. {_BY}", drop=3),
    Column("people", 80, number=True, tip=f"Pass rate as people say. {_BY}", drop=2),
)
_HEADINGS: dict[Counted, str] = {
    "catch": "people fail",
    "judge": "with the judge's verdict",
    "people": "with people's verdict",
}
_TIP = Qt.ItemDataRole.ToolTipRole
_NAMED, _LABELLED = range(2)
_FIGURES: tuple[Counted | None, ...] = (
    None, None, "gap", "agreement", "catch", "judge", "people",
)  # fmt: skip
Key = tuple[Dimension, int]
Found = tuple[SegmentSource, SegmentTable]


class SegmentsSection(AuditSection[Found]):
    """One table, worst segments first; a row lists its responses."""

    title = "Segments"

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make the section empty."""
        super().__init__(surroundings)
        self._facts = TextFacts()
        self._source: SegmentSource | None = None
        self._table: SegmentTable | None = None
        self._by_key: dict[Key, Segment] = {}
        self.dimension = choice("Segments by")
        self.measure = choice("Worst by")
        self.every = pieces.named(QCheckBox("small ones too"), "Also segments too small to tell")
        self.choices = (self.dimension, self.measure, self.every)
        self.dimension.addItem(EVERYTHING, None)
        for name, title in TITLES.items():
            self.dimension.addItem(title.lower(), name)
        for measure, title in MEASURES.items():
            self.measure.addItem(title.lower(), measure)
        self.sentence = pieces.text("", "strong", wrap=True, name="What segments say")
        self.correction = pieces.text("", "small", wrap=True, name="Correction")
        self.note = pieces.text("", "small", wrap=True)
        self.table = GridView(self.theme, _COLUMNS, "Figures by segment, worst first", most=16)
        self.card = pieces.Card(_WORST)
        # whose verdicts it says takes two lines where letters are large
        self.card.title.setWordWrap(True)
        self._lay_out()
        self.figures.serve_grid(self.table, self.figure)
        pieces.connect(
            (self.table.clicked, self._open),
            (self.table.activated, self._open),
        )
        for combo in (self.dimension, self.measure):
            combo.currentIndexChanged.connect(lambda _: self.recompute())
        self.every.toggled.connect(lambda _: self._list())

    @override
    def reading(self, audit: Audit, metric: str) -> Reading[Found]:
        """Compute the chosen segments; what was read of the same figures is kept."""
        kept = self._source
        if kept is not None and kept.audit.pairs is not audit.pairs:
            kept = None
        dimension, measure = self.dimension.currentData(), self.measure.currentData()
        facts = self._facts

        def read(own: Session, progress: Progress) -> Found:
            source = kept or segments.read(own, audit, facts, progress)
            return source, segments.table(source, metric, dimension=dimension, measure=measure)

        return read

    @override
    def show_found(self, found: Found) -> None:
        """Show the segments."""
        self._source, table = found
        self._table = table
        self._list()
        self.card.show()
        by = f" · {table.verdicts[:1].lower()}{table.verdicts[1:]}" if table.segments else ""
        self.card.title.setText(f"{_WORST}{by}")
        self.sentence.setText(table.sentence)
        self.correction.setText(table.correction)
        for name, why in table.missing:
            with pieces.quiet(self.dimension):
                self.dimension.setItemData(
                    self.dimension.findData(name), why[:1].upper() + why[1:], _TIP
                )

    def _list(self) -> None:
        """List the segments that tell something, or all of them."""
        table = self._table
        if table is None:
            return
        shown = [x for x in table.segments if self.every.isChecked() or not x.is_small]
        listed = shown[:LISTED]
        self._by_key = {(one.dimension, one.place): one for one in listed}
        self.every.setVisible(any(x.is_small for x in table.segments))
        self.table.setVisible(bool(listed))
        self.table.show_rows([((x.dimension, x.place), _cells(x)) for x in listed])
        self.note.setText(self._notes(table, len(shown)))

    def figure(self, key: Hashable, column: int) -> Figure | None:
        """Give a segment's figure as somebody takes it away."""
        one, table = self._by_key.get(key), self._table  # type: ignore[call-overload]
        if one is None or table is None:
            return None
        if column == _LABELLED:
            return self._of_labels(one)
        what = _FIGURES[column] or table.measure
        return Figure(
            title=f"{COUNTED[what]}, {one.title}",
            sentence=f"{segment_values.told(one, what)}.",
            steps=partial(_steps, one, what, table),
            keys=partial(self._keys, one, what),
            heading=" · ".join(x for x in (one_line(one.title, 60), _HEADINGS.get(what)) if x),
        )

    def _of_labels(self, one: Segment) -> Figure:
        text = (
            f"{one.labelled:,} of {one.evaluations:,} evaluations with an auto score are labelled"
        )
        return Figure(
            title=f"Labelled, {one.title}",
            sentence=f"{one.title}: {text}.",
            steps=lambda: (Step("Labelled", f"{text}."),),
            keys=partial(self._keys, one),
            heading=one_line(one.title, 60),
        )

    def _lay_out(self) -> None:
        row = layouts.FlowLayout(spacing=8)
        for combo in (self.dimension, self.measure):
            combo.setMinimumContentsLength(11)
            row.addWidget(titled(combo))
        row.addWidget(self.every)
        layouts.fill(self.card.body, row, self.sentence, self.table, self.correction, self.note)
        self.card.hide()
        self.body.addWidget(self.card)

    def _notes(self, table: SegmentTable, shown: int) -> str:
        parts = ["* differs from the rest."] if any(x.differs for x in table.segments) else []
        if table.note:
            parts.append(table.note)
        if shown > LISTED:
            parts.append(f"{shown - LISTED:,} more segments are not listed.")
        if self.dimension.currentData() is None:
            parts += [f"{TITLES[name]}: {why}." for name, why in table.missing]
        text = " ".join(part[:1].upper() + part[1:] for part in parts)
        self.note.setVisible(bool(text))
        return text

    def _open(self, index: QModelIndex) -> None:
        column = index.column() or _LABELLED
        figure = self.figure(self.table.rows.keys[index.row()], column)
        if figure is not None:
            self.figures.list_responses(figure)

    def _keys(self, one: Segment, what: Counted | None = None) -> Ints:
        if self._source is None or self._table is None:
            return np.zeros(0, dtype=np.int64)
        return self._source.keys(one, self._table.metric, what)


def _cells(one: Segment) -> tuple[Cell, ...]:
    n = one.labelled
    kind = TITLES[one.dimension].lower()
    tip = f"{one.title}: {one.evaluations:,} with an auto score, {n:,} labelled."
    return (
        Cell(one_line(one.name, 60), tip=tip, below=kind),
        Cell(f"{n:,}", "muted" if one.is_small else ""),
        _cell(one.gap, "score"),
        _cell(one.agreement, "share"),
        _cell(one.catch, "share"),
        _cell(one.judge_passes, "share"),
        _cell(one.people_pass, "share"),
    )


def _cell(found: Estimate, style: str) -> Cell:
    if found.value is None:
        return Cell(DASH, "muted", tip=f"{found.reason}: n = {found.n:,}")
    words = signed(found.value) if style == "score" else percent(found.value)
    parts = [f"n = {found.n:,}", f"by itself {_between(found.low, found.high, style)}"]
    if found.adjusted is not None:
        parts.append(f"adjusted p {p_words(found.adjusted, 'under 0.001')} against the rest")
    together = _between(found.all_low, found.all_high, style)
    mark = " *" if found.differs else ""
    role = "" if not found.differs else "alert" if found.worse else "adjusted"
    return Cell(f"{words}{mark}", role, tip="; ".join(parts), below=together)


def _between(low: float | None, high: float | None, style: str) -> str:
    if low is None or high is None:
        return ""
    if style == "score":
        return f"{signed(low)} to {signed(high)}"
    return percent_span(low, high)


def _steps(one: Segment, what: Counted, table: SegmentTable) -> tuple[Step, ...]:
    found, title = one.of(what), COUNTED[what]
    style = "score" if what == "gap" else "share"
    if found.value is None:
        return (Step(title, f"{found.reason}, n = {found.n:,}."),)
    total = found.value * found.n
    made = [
        Step(title, _FORMULAS[what], f"{brief(total)} ÷ {found.n:,} = {fixed(found.value, 4)}"),
        Step("Interval of this segment", _between(found.low, found.high, style) or "none"),
    ]
    if what in MEASURES:
        made.append(
            Step(
                f"Interval that holds with {table.intervals - 1:,} others",
                f"{_between(found.all_low, found.all_high, style)}: each at level "
                f"1 − {fixed(1 - table.level)} ÷ {table.intervals:,} (Bonferroni).",
            )
        )
    if found.adjusted is not None:
        made.append(
            Step(
                "Against the rest",
                f"p adjusted for {table.tested:,} tests: {p_words(found.adjusted, 'under 0.001')} "
                "(Benjamini–Hochberg).",
            )
        )
    return tuple(made)


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

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make every card empty."""
        super().__init__(surroundings)
        self._found: Probes | None = None
        self._facts = TextFacts()
        self._dialog: FamiliesDialog | None = None
        self.told = pieces.text("", "muted", wrap=True, name="How many figures were tested")
        self.body.addWidget(self.told)
        self.cards: dict[Kind, TableCard] = {}
        for kind, title in PROBES.items():
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

    def _edit(self) -> None:
        if self._dialog is None:
            self._dialog = FamiliesDialog(self.theme, self.session, self)
            self._dialog.kept.connect(self.recompute)
        self._dialog.show_table()

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
        about = f"{PROBES[kind]}, {audit.rubric.by_name[self.chosen_metric].heading}"
        return Figure(
            title=about,
            sentence=probe_values.told(row, about),
            steps=lambda: probe_values.steps(row),
            keys=(lambda: row.keys) if row.keys.size else None,
            heading=f"{PROBES[kind]}: {row.name}",
        )


def _rows(found: Probe) -> list[tuple[Hashable, tuple[Cell, ...]]]:
    return [(at, _probe_cells(row)) for at, row in enumerate(found.rows)]


def _probe_cells(row: Row) -> tuple[Cell, ...]:
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
