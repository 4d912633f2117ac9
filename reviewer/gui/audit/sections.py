"""The table of the Audit page's sections: the one place that names them all."""

from reviewer.gui.audit.agreement_section import AgreementSection
from reviewer.gui.audit.section import Section
from reviewer.gui.audit.trend_section import TrendSection

SECTIONS: tuple[type[Section], ...] = (AgreementSection, TrendSection)
"""In the order of the row; each is made when it is chosen for the first time."""
