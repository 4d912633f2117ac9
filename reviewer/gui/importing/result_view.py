"""What an import did: counts, what was refused and why, and the way to the first evaluation."""

import shutil
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from reviewer.gui.kit import pieces
from reviewer.gui.kit.tables import RowsModel, table_view
from reviewer.services.transfer.import_report import ImportReport

_COLUMNS = ("file", "line", "field", "value", "reason")


class ResultView(QWidget):
    """Shown when an import has ended.

    Signals:
        review_requested: The imported evaluations are to be reviewed now.
        close_requested: The dialog is to be closed.
        failed: The list of refused rows could not be saved, as a sentence.
    """

    review_requested = Signal()
    close_requested = Signal()
    failed = Signal(str)

    def __init__(self) -> None:
        """Make the view, empty."""
        super().__init__()
        self._rejected_file: Path | None = None
        self._title = pieces.text("", "title")
        self._sentences = pieces.text("", "muted", wrap=True)
        self._counts = QGridLayout()
        self._counts.setHorizontalSpacing(28)
        self._model = RowsModel(_COLUMNS)
        self._refused = pieces.text("", "heading")
        self._table = table_view(self._model, "Refused rows and values")
        for place, width in enumerate((150, 60, 130, 200)):
            self._table.setColumnWidth(place, width)
        self._save = pieces.Button("Save the list…", self._ask_where)
        self.review = pieces.Button("Review now", self.review_requested.emit, kind="primary")
        head = QHBoxLayout()
        head.addWidget(self._refused)
        head.addStretch(1)
        head.addWidget(self._save)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(pieces.Button("Close", self.close_requested.emit))
        foot.addWidget(self.review)
        body = QVBoxLayout(self)
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(10)
        card = pieces.Card()
        card.body.addWidget(self._title)
        card.body.addWidget(self._sentences)
        card.body.addLayout(self._counts)
        body.addWidget(card)
        self._refused_card = pieces.Card()
        self._refused_card.body.addLayout(head)
        self._refused_card.body.addWidget(self._table, 1)
        body.addWidget(self._refused_card, 1)
        body.addStretch(0)
        body.addLayout(foot)

    def show_report(self, report: ImportReport) -> None:
        """Show what an import did."""
        stored = report.added + report.updated
        self._title.setText(f"{stored:,} imported" if report.stored else "Nothing was stored")
        self._sentences.setText(" ".join(report.sentences))
        self._sentences.setVisible(bool(report.sentences))
        self._show_counts(report)
        refused = report.rejected + report.rejected_values
        self._refused_card.setVisible(refused > 0)
        shown = len(report.first_rejected)
        more = f", the first {shown:,} below" if shown < refused else ""
        self._refused.setText(f"{report.refused_words} refused{more}")
        self._model.show_rows(
            _COLUMNS,
            [{name: getattr(row, name) for name in _COLUMNS} for row in report.first_rejected],
        )
        self._rejected_file = report.rejected_file
        self._save.setVisible(report.rejected_file is not None)
        self.review.setEnabled(report.stored)

    def _show_counts(self, report: ImportReport) -> None:
        pairs = (
            ("read", report.read),
            ("added", report.added),
            ("updated", report.updated),
            ("unchanged", report.unchanged),
            ("conflicts", report.conflicts),
            ("refused", report.rejected),
            ("scores", report.scores),
            ("labels", report.labels),
        )
        while (item := self._counts.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        for column, (name, count) in enumerate(pairs):
            self._counts.addWidget(pieces.text(name, "small"), 0, column)
            role = "alert" if name in ("conflicts", "refused") and count else "strong"
            self._counts.addWidget(pieces.text(f"{count:,}", role), 1, column)
        self._counts.setColumnStretch(len(pairs), 1)

    def _ask_where(self) -> None:
        if self._rejected_file is None:
            return
        dialog = QFileDialog(self, "Save the list of refused rows", self._rejected_file.name)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.fileSelected.connect(self.save_list)
        dialog.open()

    def save_list(self, to: str) -> None:
        """Copy the list of everything that was refused to a file."""
        if self._rejected_file is None:
            return
        try:
            shutil.copyfile(self._rejected_file, to)
        except shutil.SameFileError:
            return
        except OSError as error:
            self.failed.emit(
                f"The list could not be saved as {to}: {(error.strerror or str(error)).lower()}."
            )
