"""The table of the Audit page's sections: the one place that names them all."""

from reviewer.gui.audit.agreement_section import AgreementSection
from reviewer.gui.audit.families_section import FamiliesSection
from reviewer.gui.audit.pass_section import PassSection
from reviewer.gui.audit.people_section import PeopleSection
from reviewer.gui.audit.plan_section import PlanSection
from reviewer.gui.audit.probes_section import ProbesSection
from reviewer.gui.audit.section import Section
from reviewer.gui.audit.segments_section import SegmentsSection
from reviewer.gui.audit.trend_section import TrendSection

SECTIONS: tuple[type[Section], ...] = (
    AgreementSection,
    TrendSection,
    PeopleSection,
    PassSection,
    SegmentsSection,
    FamiliesSection,
    PlanSection,
    ProbesSection,
)
"""In the order of the row; each is made when it is chosen for the first time."""
