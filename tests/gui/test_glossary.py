"""The glossary holds every word of the catalogues, and finds them by what one types."""

from reviewer.gui.commands import open_glossary
from reviewer.gui.glossary import GlossaryDialog
from reviewer.gui.window import MainWindow
from reviewer.stats.catalogue import FIGURES
from reviewer.stats.rates import RATES
from reviewer.stats.terms import glossary


def test_every_figure_has_its_sentence() -> None:
    found = glossary()
    meanings = set(found.values())
    assert {x.meaning for x in FIGURES.values() if x.meaning} <= meanings
    assert {x.meaning for x in RATES.values() if x.title} <= meanings
    assert list(found) == sorted(found, key=str.casefold)
    assert all(what.endswith((".", ")")) for what in meanings)


def test_what_is_typed_leaves_the_words_that_have_it(window: MainWindow) -> None:
    dialog = open_glossary(window)
    assert isinstance(dialog, GlossaryDialog)
    assert len(dialog.words) == len(glossary())
    dialog.search.setText("people's minus judge")
    shown = [word for word, entry in dialog.words.items() if not entry.isHidden()]
    assert shown == ["Gap"]
    dialog.search.setText("zzz")
    assert not dialog.nothing.isHidden()
    dialog.search.clear()
    assert all(not entry.isHidden() for entry in dialog.words.values())
    dialog.close()
