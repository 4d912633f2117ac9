"""The tables of the Runs page's parts: the one place that names them all."""

from reviewer.gui.runs.compare_section import CompareSection
from reviewer.gui.runs.jobs_section import JobsSection
from reviewer.gui.runs.judges_card import JudgesCard
from reviewer.gui.runs.monitor_section import MonitorSection
from reviewer.gui.runs.run_section import RunSection
from reviewer.gui.runs.section import RunsSection
from reviewer.gui.runs.targets_section import TargetsSection
from reviewer.gui.runs.tests_section import TestsSection
from reviewer.gui.runs.trend_section import TrendSection

SECTIONS: tuple[type[RunsSection], ...] = (
    RunSection,
    CompareSection,
    TrendSection,
    TargetsSection,
    MonitorSection,
    TestsSection,
    JobsSection,
)
"""In the order of the row: Run, A against B, Trend, Targets, Monitor, Test sets, Jobs; each is
made when it is chosen for the first time."""

CARDS: tuple[type[RunsSection], ...] = (JudgesCard,)
"""What stands below the list of runs, such as the judges on run A. They are sections like those of
the row, in view as long as they fit; one whose `title` is empty says nothing above its cards."""
