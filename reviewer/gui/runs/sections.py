"""The table of the Runs page's sections: the one place that names them all."""

from reviewer.gui.runs.run_section import RunSection
from reviewer.gui.runs.section import RunsSection

SECTIONS: tuple[type[RunsSection], ...] = (RunSection,)
"""In the order of the row: Run, A against B, Trend, Monitor, Test sets, Jobs; each is made when
it is chosen for the first time."""
