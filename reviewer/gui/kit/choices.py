"""What a person chose in fields that are made anew with every project."""

from collections.abc import Iterable

from PySide6.QtWidgets import QComboBox, QWidget


class Choices:
    """Keeps what stands in fields by their names, for as long as the window lives."""

    def __init__(self) -> None:
        """Begin with nothing kept."""
        self._kept: dict[str, object] = {}

    def keep(self, fields: Iterable[QWidget]) -> None:
        """Keep what stands in fields that are about to go."""
        for field in fields:
            self._kept[_name(field)] = (
                (field.currentText(), field.currentData())
                if isinstance(field, QComboBox)
                else field.metaObject().userProperty().read(field)
            )

    def bring(self, fields: Iterable[QWidget]) -> None:
        """Let fields that were just made say what stood in those of the same names."""
        for field in fields:
            kept = self._kept.get(_name(field))
            if isinstance(field, QComboBox) and isinstance(kept, tuple):
                text, value = kept
                if field.findData(value) < 0:
                    # what there is to choose from is read later, and may still hold it
                    field.addItem(text, value)
                field.setCurrentIndex(field.findData(value))
            elif kept is not None:
                field.metaObject().userProperty().write(field, kept)


def _name(field: QWidget) -> str:
    # what screen readers are told may hold the value
    return field.objectName() or field.accessibleName()
